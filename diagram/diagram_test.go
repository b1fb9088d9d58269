package diagram

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/golden"
	"github.com/inev-lts/inev/lts"
)

// edge is a transition of a model that a test writes down.
type edge struct {
	from  int
	label string
	to    int
}

func model(t *testing.T, states int, edges ...edge) *lts.LTS {
	t.Helper()
	var b lts.Builder
	for _, e := range edges {
		b.Add(lts.State(e.from), b.Label(e.label), lts.State(e.to))
	}
	m, err := b.Build(0, states)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func explained(t *testing.T, m *lts.LTS, file, formula string) *explain.Explanation {
	t.Helper()
	return answer(t, explain.Explain, m, file, formula)
}

type question func(context.Context, *lts.LTS, *actl.Formula, explain.Options) (*explain.Explanation, error)

func answer(t *testing.T, ask question, m *lts.LTS, file, formula string) *explain.Explanation {
	t.Helper()
	f, err := actl.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	e, err := ask(context.Background(), m, f, explain.Options{File: file})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// shared returns a model that lies beside the repository.
func shared(t *testing.T, name string) *lts.LTS {
	t.Helper()
	file := filepath.Join("..", "..", "shared", "lts", name)
	if _, err := os.Stat(file); err != nil {
		t.Skipf("%s is not here", name)
	}
	m, _, err := aut.Open(context.Background(), file, aut.Options{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func figure2(t *testing.T) *lts.LTS {
	return model(t, 6, edge{0, "A", 1}, edge{1, "X", 2}, edge{2, "B", 3}, edge{2, "Y", 4}, edge{3, "C", 1}, edge{3, "C", 5})
}

// lasso has a counterexample that goes round 1, 2; its loop can be left to both
// sides.
func lasso(t *testing.T) *lts.LTS {
	return model(t, 5, edge{0, "START", 1}, edge{1, "TRY", 2}, edge{2, "LOSS", 1}, edge{2, "DONE", 3},
		edge{2, "BREAK", 4}, edge{3, "STAY", 3}, edge{4, "STAY", 4})
}

// hostileLabels try to leave the string they are put in, to be taken for syntax,
// or to do something to a terminal.
var hostileLabels = []string{
	`"];a->b[`,
	`a\nb\N\G\l\`,
	"line\nbreak\r\ttab\x1b[31m\x00",
	"\u202eright to left\u2066",
	"bad\xff\xfeutf",
	`<b>&lt;x&amp;&#65;&unknown;</b>`,
	strings.Repeat("ab<", 40_000),
	"",
	" ",
	"--> ]> */ // #",
	`\`,
	"naïve ↻ 日本語",
	"\u00a0\u200b\ufeff",
	`</script><img src=x onerror=alert(1)>`,
	`javascript:alert(1)`,
	`]]><a xlink:href="javascript:alert(1)">`,
	`%s %1$n ${x} {{y}}`,
}

// hostile uses each label both on the counterexample, whose labels are
// HTML-like, and beside it. It has duplicates and an unreachable state, too.
func hostile(t *testing.T) *lts.LTS {
	var edges []edge
	for i, label := range hostileLabels {
		edges = append(edges, edge{i, label, i + 1}, edge{i, label + "!", i + 1}, edge{i, label + "!", i + 1})
	}
	return model(t, len(hostileLabels)+2, edges...)
}

const (
	hostileFile    = "\\G\\N<x>&\"]\u202e&lt;.aut"
	hostileFormula = `Inev(/\\G <b>&lt;.*"x/, "\N")`
)

// pictures are those of the golden files.
func pictures(t *testing.T) map[string]string {
	t.Helper()
	drawn := map[string]string{}
	add := func(name string, draw func(*bytes.Buffer) error) {
		var b bytes.Buffer
		if err := draw(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		drawn[name] = b.String()
	}
	explanation := func(name string, e *explain.Explanation, o Options) {
		add(name, func(b *bytes.Buffer) error { return DOT(b, e, o) })
	}
	explanation("figure2", explained(t, figure2(t), "figure2.aut", "Inev(A, B, C)"), Options{})
	explanation("figure2_excerpt", explained(t, figure2(t), "figure2.aut", "Inev(A, B, C)"), Options{View: Excerpt})
	explanation("figure2_check", answer(t, explain.Check, figure2(t), "figure2.aut", "Inev(A, B, C)"), Options{})
	explanation("lasso", explained(t, lasso(t), "lasso.aut", "Inev(DONE)"), Options{})
	explanation("lasso_excerpt", explained(t, lasso(t), "lasso.aut", "Inev(DONE)"), Options{View: Excerpt})
	explanation("deadlock", explained(t, model(t, 1), "deadlock.aut", "Inev(A)"), Options{})
	explanation("satisfied", explained(t, model(t, 2, edge{0, "A", 1}), "satisfied.aut", "Inev(A)"), Options{RankDir: LeftRight})
	explanation("hostile", explained(t, hostile(t), hostileFile, hostileFormula), Options{})
	explanation("blank_name", explained(t, model(t, 1), " ", "Inev(A)"), Options{})
	explanation("long_excerpt", explained(t, longRun(t), "long.aut", "Inev(DONE)"), Options{View: Excerpt})
	explanation("star_excerpt", explained(t, star(t, 100), "star.aut", "Inev(DONE)"), Options{View: Excerpt})
	explanation("unfolded", unfolded(t), Options{})
	explanation("unfolded_excerpt", unfolded(t), Options{View: Excerpt})
	many := explained(t, ways(t), "ways.aut", "Inev(DONE)")
	explanation("all", many, together(t, many, Whole))
	explanation("all_excerpt", many, together(t, many, Excerpt))
	long := explained(t, manyWays(t, 2, 100), "long_ways.aut", "Inev(DONE)")
	explanation("all_long_excerpt", long, together(t, long, Excerpt))
	explanation("lasso_decisions", explained(t, lasso(t), "lasso.aut", "Inev(DONE)"), Options{View: Decisions})
	explanation("satisfied_decisions", explained(t, star(t, 4), "star.aut", "Inev(DONE)"), Options{View: Decisions, FontSize: 12})
	explanation("long_decisions", explained(t, longRun(t), "long.aut", "Inev(DONE)"), Options{View: Decisions, MaxStates: 1})
	explanation("hostile_decisions", explained(t, hostile(t), hostileFile, hostileFormula), Options{View: Decisions})
	explanation("lasso_quotient", explained(t, lasso(t), "lasso.aut", "Inev(DONE)"), Options{View: Quotient, Layout: "neato"})
	explanation("unfolded_quotient", unfolded(t), Options{View: Quotient})
	add("model", func(b *bytes.Buffer) error { return ModelDOT(b, hostile(t), hostileFile, Options{}) })
	add("model_excerpt", func(b *bytes.Buffer) error { return ModelDOT(b, star(t, 100), "star.aut", Options{View: Excerpt}) })
	return drawn
}

func TestGolden(t *testing.T) {
	files := golden.All(t, "testdata/*.dot")
	for name, got := range pictures(t) {
		files.Check(t, filepath.Join("testdata", name+".dot"), []byte(got))
	}
}

func TestSameInputSameBytes(t *testing.T) {
	first := pictures(t)
	for name, again := range pictures(t) {
		if first[name] != again {
			t.Errorf("%s comes out differently the second time", name)
		}
	}
}

func TestHostileTextsStayText(t *testing.T) {
	for name, text := range pictures(t) {
		if strings.ContainsAny(text, "\x00\x1b\r\u202e\u2066\u200b\ufeff") {
			t.Errorf("%s holds control characters", name)
		}
		if len(text) > 200_000 {
			t.Errorf("%s has %d bytes: labels are not cut", name, len(text))
		}
	}
}

func TestModelOfAnySizeIsWholeByDefault(t *testing.T) {
	var b bytes.Buffer
	if err := ModelDOT(&b, star(t, 300), "star.aut", Options{MaxStates: 1}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "go299") {
		t.Error("a transition is left out")
	}
}

func TestTooLargeForAWholePicture(t *testing.T) {
	var b bytes.Buffer
	m := star(t, MaxWholeTransitions/2+1)
	err := ModelDOT(&b, m, "star.aut", Options{View: Whole})
	if err == nil || !strings.Contains(err.Error(), "choose the excerpt") {
		t.Errorf("error is %v, want one that proposes the excerpt", err)
	}
	if b.Len() != 0 {
		t.Error("something was written nevertheless")
	}
	if err := ModelDOT(&b, m, "star.aut", Options{View: Excerpt}); err != nil || b.Len() > 20_000 {
		t.Errorf("the excerpt has %d bytes, error %v", b.Len(), err)
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteErrorIsReported(t *testing.T) {
	if err := ModelDOT(brokenWriter{}, figure2(t), "", Options{}); !errors.Is(err, errBroken) {
		t.Errorf("error is %v, want that of the writer", err)
	}
}

func TestParse(t *testing.T) {
	for name, want := range map[string]View{"auto": Auto, "whole": Whole, "excerpt": Excerpt, "decisions": Decisions, "quotient": Quotient} {
		if got, err := ParseView(name); err != nil || got != want {
			t.Errorf("ParseView(%q) = %v, %v", name, got, err)
		}
	}
	for name, want := range map[string]RankDir{"auto": AutoDirection, "TB": TopDown, "LR": LeftRight} {
		if got, err := ParseRankDir(name); err != nil || got != want {
			t.Errorf("ParseRankDir(%q) = %v, %v", name, got, err)
		}
	}
	if _, err := ParseView("all"); err == nil || !strings.Contains(err.Error(), "choose") {
		t.Errorf("ParseView: error is %v", err)
	}
	if _, err := ParseRankDir("RL"); err == nil || !strings.Contains(err.Error(), "choose") {
		t.Errorf("ParseRankDir: error is %v", err)
	}
}
