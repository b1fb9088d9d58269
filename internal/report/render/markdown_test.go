package render_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/lts"
)

// flowchart is the picture that the command puts into Markdown.
func flowchart(t *testing.T, e *explain.Explanation) render.Flowchart {
	t.Helper()
	if e.Counterexample == nil {
		return render.Flowchart{}
	}
	g, err := view.Small(context.Background(), e, view.Options{}, draw.MaxMermaidNodes)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := draw.Mermaid(&b, g, ""); err != nil {
		t.Fatal(err)
	}
	return render.Flowchart{Text: b.String()}
}

func markdownOf(t *testing.T, e *explain.Explanation, o render.Options) string {
	t.Helper()
	var b strings.Builder
	if err := newWriter(t, "markdown", o).Explanation(&b, e); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMarkdownWithPicture(t *testing.T) {
	files := golden.All(t, "testdata/*/picture/*.md")
	for _, m := range models() {
		for result, e := range map[string]*explain.Explanation{"explanation": m.explained(t), "check": m.checked(t)} {
			got := markdownOf(t, e, render.Options{Flowchart: flowchart(t, e)})
			files.Check(t, filepath.Join("testdata", m.name, "picture", result+".md"), []byte(got))
		}
	}
}

// TestPictureIsLeftOut: that there is none is said, and the rest is there.
func TestPictureIsLeftOut(t *testing.T) {
	got := markdownOf(t, models()[1].explained(t), render.Options{Flowchart: render.Flowchart{Why: "too `large`"}})
	if !strings.Contains(got, "\n\nThere is no picture here: `` too `large` ``\n\n### Decisions\n") {
		t.Errorf("it is not said why there is no picture:\n%s", got)
	}
}

func TestPictureIsLinked(t *testing.T) {
	for path, want := range map[string]string{
		"x.svg":                           "](x.svg)",
		filepath.Join("..", "a", "x.svg"): "](../a/x.svg)",
		"javascript:alert(1)":             "](javascript%3Aalert%281%29)",
		`a) <b> "c" [d](e)`:               "](a%29%20%3Cb%3E%20%22c%22%20%5Bd%5D%28e%29)",
		"line\nfeed\xff\x1b\u202e":        "](line%0Afeed%FF%1B%E2%80%AE)",
	} {
		for _, m := range []model{models()[0], models()[2]} {
			got := markdownOf(t, m.explained(t), render.Options{Flowchart: flowchart(t, m.explained(t)), Picture: path})
			if !strings.Contains(got, want+"\n") || strings.Contains(got, "```mermaid") {
				t.Errorf("%q in %s gives\n%s", path, m.name, got)
			}
		}
	}
}

// TestCellsStayCells: a table keeps its columns whatever stands in it, by the rule
// of GitHub Flavored Markdown that a cell ends at a bar without a backslash before it,
// and by that of others that two backslashes are one, and none for the bar.
func TestCellsStayCells(t *testing.T) {
	for label, want := range map[string]string{
		`a|b`:              "`a\\|b`",
		`a\|b`:             `<code>a&#92;&#124;b</code>`,
		"`\\|<b>$":         `<code>&#96;&#92;&#124;&#60;b&#62;&#36;</code>`,
		`a\`:               "`a\\`",
		"``":               "``` `` ```",
		"":                 "`  `",
		"x\n| y | z":       "`x\\n\\| y \\| z`",
		"[x](javascript:)": "`[x](javascript:)`",
	} {
		m := model{"cells", "Inev(A)", 2, []edge{{0, label, 1}}, nil}
		for result, write := range m.results(t, newWriter(t, "markdown", render.Options{})) {
			var b strings.Builder
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			columns := 0
			for _, line := range strings.Split(b.String(), "\n") {
				bars := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
				if !strings.HasPrefix(line, "|") {
					columns = 0
				} else if columns == 0 {
					columns = bars
				} else if bars != columns {
					t.Errorf("%q: %s has %d bars and not %d in %s", label, result, bars, columns, line)
				}
			}
			if (result == "transitions" || result == "explanation") && !strings.Contains(b.String(), "| "+want+" |") {
				t.Errorf("%q: %s is not in %s\n%s", label, want, result, &b)
			}
		}
	}
}

// TestSentencesStayInCells: what is said of a step may quote a label with bars.
func TestSentencesStayInCells(t *testing.T) {
	var b lts.Builder
	for i, label := range []string{"a", "b", "c|d"} {
		b.Add(0, b.Label(label), lts.State(i%2))
		b.Add(1, b.Label(label), lts.State(min(i, 1)))
	}
	m, err := b.Build(0, 2)
	if err != nil {
		t.Fatal(err)
	}
	e, err := explainedText(m, `G (a -> F (b || "c|d"))`)
	if err != nil {
		t.Fatal(err)
	}
	got := markdownOf(t, e, render.Options{})
	want := "waiting for `b` or `c\\|d`"
	if !strings.Contains(got, want) {
		t.Errorf("%s is not in\n%s", want, got)
	}
	for _, line := range strings.Split(got, "\n") {
		if bars := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); strings.HasPrefix(line, "|") && bars != 5 {
			t.Errorf("%d bars and not 5 in %s", bars, line)
		}
	}
}

// TestSentencesAreCut: a label of any length does not bury what is said of it.
func TestSentencesAreCut(t *testing.T) {
	label := strings.Repeat("é", 100_000)
	m := model{"long", `Inev("` + label + `")`, 3, []edge{{0, "x" + label, 1}, {0, label, 2}}, nil}
	e := m.explained(t)
	for _, format := range []string{"text", "markdown"} {
		for _, full := range []bool{false, true} {
			var b strings.Builder
			if err := newWriter(t, format, render.Options{Full: full, Flowchart: flowchart(t, e)}).Explanation(&b, e); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(b.String(), label) != full || len(b.String()) < 20_000 == full {
				t.Errorf("%s with Full = %v has %d bytes", format, full, len(b.String()))
			}
		}
	}
}
