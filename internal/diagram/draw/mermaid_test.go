package draw

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
)

func mermaidOf(t *testing.T, e *explain.Explanation, o view.Options, direction ...RankDir) string {
	t.Helper()
	var b bytes.Buffer
	if err := Mermaid(&b, smallOf(t, e, o), append(direction, autoDirection)[0]); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// smallOf returns a view with few nodes, if there is one.
func smallOf(t *testing.T, e *explain.Explanation, o view.Options) *view.Graph {
	t.Helper()
	g, err := view.Small(context.Background(), e, o, MaxMermaidNodes)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// charts are those of the golden files.
func charts(t *testing.T) map[string]string {
	t.Helper()
	many := explained(t, ways(t), "ways.aut", "Inev(DONE)")
	return map[string]string{
		"figure2":         mermaidOf(t, explained(t, figure2(t), "figure2.aut", "Inev(A, B, C)"), view.Options{}),
		"figure2_whole":   mermaidOf(t, explained(t, figure2(t), "figure2.aut", "Inev(A, B, C)"), view.Options{Kind: view.Whole}, leftRight),
		"figure2_check":   mermaidOf(t, answer(t, specimens.Checked, figure2(t), "figure2.aut", "Inev(A, B, C)"), view.Options{}),
		"lasso":           mermaidOf(t, explained(t, lasso(t), "lasso.aut", "Inev(DONE)"), view.Options{}),
		"lasso_decisions": mermaidOf(t, explained(t, lasso(t), "lasso.aut", "Inev(DONE)"), view.Options{Kind: view.Neighbourhoods}),
		"lasso_quotient":  mermaidOf(t, explained(t, lasso(t), "lasso.aut", "Inev(DONE)"), view.Options{Kind: view.Quotient}),
		"satisfied":       mermaidOf(t, explained(t, model(t, 2, edge{0, "A", 1}), "satisfied.aut", "Inev(A)"), view.Options{}),
		"hostile":         mermaidOf(t, explained(t, hostile(t), hostileFile, hostileFormula), view.Options{}),
		"long":            mermaidOf(t, explained(t, longRun(t), "long.aut", "Inev(DONE)"), view.Options{}),
		"long_decisions":  mermaidOf(t, explained(t, longRun(t), "long.aut", "Inev(DONE)"), view.Options{Kind: view.Neighbourhoods, MaxStates: 1}),
		"excluded":        mermaidOf(t, specimens.Excluding(t), view.Options{}),
		"unfolded":        mermaidOf(t, unfolded(t), view.Options{}),
		"all":             mermaidOf(t, many, together(t, many, view.Auto)),
		"star":            mermaidOf(t, explained(t, star(t, 100), "star.aut", "Inev(DONE)"), view.Options{}),
	}
}

func TestMermaidGolden(t *testing.T) {
	files := golden.All(t, "testdata/*.mmd")
	for name, got := range charts(t) {
		files.Check(t, filepath.Join("testdata", name+".mmd"), []byte(got))
	}
}

// Every line of a chart is one of these: a text has no character in it that could
// end it, and a chart no directive, link or script.
const chartText = `(?:[A-Za-z0-9](?:[-_][A-Za-z0-9])*|[ ,!()]|: |#\d+;|<br/>|[^\x00-\x7fﬂ])*`

var (
	chartNode  = regexp.MustCompile(`^  s\d+(\(\(\(?|\(\[|\{\{)"(` + chartText + `)"(\)\)\)?|\]\)|\}\})(:::[a-z]+)?$`)
	chartArrow = regexp.MustCompile(`^  s\d+ (-->|==>|-\.->)\|"(` + chartText + `)"\| s\d+$`)
	chartStyle = regexp.MustCompile(`^  (linkStyle [\d,]+|classDef [a-z]+) [a-z:0-9A-F#, -]+$`)
)

func TestMermaidIsHarmless(t *testing.T) {
	for name, chart := range charts(t) {
		if strings.Contains(chart, "`") {
			t.Errorf("%s could end the block of Markdown that it stands in", name)
		}
		for i, line := range strings.Split(strings.TrimSuffix(chart, "\n"), "\n") {
			switch {
			case i == 0 && (line == "flowchart TD" || line == "flowchart LR"):
			case chartNode.MatchString(line), chartArrow.MatchString(line), chartStyle.MatchString(line):
			default:
				t.Errorf("%s: line %d is %q", name, i+1, line)
			}
		}
	}
}

// TestMermaidShowsEverything: what the picture has, the chart has.
func TestMermaidShowsEverything(t *testing.T) {
	e := explained(t, hostile(t), hostileFile, hostileFormula)
	p := graphOf(t, e, view.Options{Kind: view.Whole})
	nodes, arrows := 0, 0
	for _, line := range strings.Split(mermaidOf(t, e, view.Options{Kind: view.Whole}), "\n") {
		if chartNode.MatchString(line) {
			nodes++
		}
		if chartArrow.MatchString(line) {
			arrows++
		}
	}
	if nodes != len(p.Nodes) || arrows != len(p.Arrows) {
		t.Errorf("%d nodes and %d arrows, want %d and %d", nodes, arrows, len(p.Nodes), len(p.Arrows))
	}
}

var numbered = regexp.MustCompile(`#(\d+);`)

// TestMermaidTextsAreRead: Mermaid replaces the numbers, and nothing else, so that
// what is seen is what was meant.
func TestMermaidTextsAreRead(t *testing.T) {
	whole := regexp.MustCompile(`^` + chartText + `$`)
	rapid.Check(t, func(t *rapid.T) {
		alphabet := rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("ab1_-:#;&<>\"'`%[]{}()|/\\. ﬂ°¶ß\n")))
		text := printable.Text(string(rapid.SliceOf(alphabet).Draw(t, "text")))
		got := mermaidText(text)
		if !whole.MatchString(got) {
			t.Fatalf("%q becomes %q", text, got)
		}
		read := numbered.ReplaceAllStringFunc(got, func(entity string) string {
			n, err := strconv.Atoi(entity[1 : len(entity)-1])
			if err != nil {
				t.Fatal(err)
			}
			return string(rune(n))
		})
		if want := placeholders.Replace(text); read != want || strings.Contains(got, "¶ß") {
			t.Fatalf("%q becomes %q, which is read as %q", text, got, read)
		}
	})
}

// TestMermaidStaysSmall: what cannot be read is not drawn, the quotient takes
// the place of a large excerpt, and no text is longer than Mermaid takes.
func TestMermaidStaysSmall(t *testing.T) {
	var edges []edge
	const n = 30
	for i := range n {
		edges = append(edges, edge{i, "ON", i + 1}, edge{i, "BACK", i + n + 1}, edge{i + n + 1, "ON", i + 1}, edge{n + i + 1, "STAY", n + i + 1})
	}
	edges = append(edges, edge{n - 1, "DONE", 2*n + 1}, edge{2*n + 1, "DONE", 2*n + 1})
	many := explained(t, model(t, 2*n+2, edges...), "many.aut", "Inev(DONE)")
	for _, direction := range []RankDir{autoDirection, leftRight} {
		var b bytes.Buffer
		if err := Mermaid(&b, smallOf(t, many, view.Options{Kind: view.Whole}), direction); !errors.Is(err, errTooLarge) || b.Len() > 0 {
			t.Errorf("error %v and %d bytes, want that it is too large", err, b.Len())
		}
	}
	edges = nil
	for i := range MaxMermaidNodes {
		edges = append(edges, edge{i, "ON", i + 1})
	}
	edges = append(edges, edge{40, "DONE", 100}, edge{100, "DONE", 100})
	one := mermaidOf(t, explained(t, model(t, 101, edges...), "one.aut", "Inev(DONE)"), view.Options{})
	if !strings.Contains(one, `41: ON`) || !strings.Contains(one, "steps 1–40 stay here") {
		t.Errorf("the quotient does not take the place of a large excerpt:\n%s", one)
	}
	for name, chart := range charts(t) {
		if nodes := strings.Count(chart, `"`)/2 - strings.Count(chart, `|"`); nodes > MaxMermaidNodes || utf8.RuneCountInString(chart) > 50_000 {
			t.Errorf("%s has %d nodes and %d bytes", name, nodes, len(chart))
		}
	}
	edges = nil
	for i := range 50 {
		for l := range 5 {
			edges = append(edges, edge{i, fmt.Sprint(strings.Repeat("<", 100), l), i + 1}, edge{i, fmt.Sprint(strings.Repeat(">", l+1), i, strings.Repeat("%", 50)), i + 1})
		}
	}
	var b bytes.Buffer
	wide := explained(t, model(t, 51, edges...), "wide.aut", "Inev(DONE)")
	if err := Mermaid(&b, smallOf(t, wide, view.Options{Kind: view.Whole}), autoDirection); !errors.Is(err, errTooLarge) {
		t.Errorf("error %v for %d bytes, want that it is too large", err, b.Len())
	}
}

func TestMermaidErrors(t *testing.T) {
	g := smallOf(t, explained(t, figure2(t), "figure2.aut", "Inev(A, B, C)"), view.Options{})
	if err := Mermaid(brokenWriter{}, g, autoDirection); !errors.Is(err, errBroken) {
		t.Errorf("error is %v, want that of the writer", err)
	}
}
