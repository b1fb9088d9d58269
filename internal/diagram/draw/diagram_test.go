package draw

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
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
	explanation := func(name string, e *explain.Explanation, v view.Options, o ...Options) {
		o = append(o, Options{})
		add(name, func(b *bytes.Buffer) error { return DOT(b, graphOf(t, e, v), o[0]) })
	}
	explanation("figure2", explained(t, figure2(t), "figure2.aut", "Inev(A, B, C)"), view.Options{})
	explanation("figure2_excerpt", explained(t, figure2(t), "figure2.aut", "Inev(A, B, C)"), view.Options{Kind: view.Excerpt})
	explanation("figure2_check", answer(t, specimens.Checked, figure2(t), "figure2.aut", "Inev(A, B, C)"), view.Options{})
	explanation("lasso", explained(t, lasso(t), "lasso.aut", "Inev(DONE)"), view.Options{})
	explanation("lasso_excerpt", explained(t, lasso(t), "lasso.aut", "Inev(DONE)"), view.Options{Kind: view.Excerpt})
	explanation("deadlock", explained(t, model(t, 1), "deadlock.aut", "Inev(A)"), view.Options{})
	explanation("satisfied", explained(t, model(t, 2, edge{0, "A", 1}), "satisfied.aut", "Inev(A)"), view.Options{}, Options{RankDir: leftRight})
	explanation("hostile", explained(t, hostile(t), hostileFile, hostileFormula), view.Options{})
	explanation("blank_name", explained(t, model(t, 1), " ", "Inev(A)"), view.Options{})
	explanation("long_excerpt", explained(t, longRun(t), "long.aut", "Inev(DONE)"), view.Options{Kind: view.Excerpt})
	explanation("star_excerpt", explained(t, star(t, 100), "star.aut", "Inev(DONE)"), view.Options{Kind: view.Excerpt})
	explanation("unfolded", unfolded(t), view.Options{})
	explanation("unfolded_excerpt", unfolded(t), view.Options{Kind: view.Excerpt})
	explanation("unfolded_response", specimens.UnfoldedResponse(t), view.Options{})
	explanation("unfolded_response_excerpt", specimens.UnfoldedResponse(t), view.Options{Kind: view.Excerpt})
	many := explained(t, ways(t), "ways.aut", "Inev(DONE)")
	explanation("all", many, together(t, many, view.Whole))
	explanation("all_excerpt", many, together(t, many, view.Excerpt))
	long := explained(t, manyWays(t, 2, 100), "long_ways.aut", "Inev(DONE)")
	explanation("all_long_excerpt", long, together(t, long, view.Excerpt))
	explanation("lasso_decisions", explained(t, lasso(t), "lasso.aut", "Inev(DONE)"), view.Options{Kind: view.Neighbourhoods})
	explanation("satisfied_decisions", explained(t, star(t, 4), "star.aut", "Inev(DONE)"), view.Options{Kind: view.Neighbourhoods}, Options{FontSize: 12})
	explanation("long_decisions", explained(t, longRun(t), "long.aut", "Inev(DONE)"), view.Options{Kind: view.Neighbourhoods, MaxStates: 1})
	explanation("hostile_decisions", explained(t, hostile(t), hostileFile, hostileFormula), view.Options{Kind: view.Neighbourhoods})
	explanation("lasso_quotient", explained(t, lasso(t), "lasso.aut", "Inev(DONE)"), view.Options{Kind: view.Quotient}, Options{Layout: "neato"})
	explanation("unfolded_quotient", unfolded(t), view.Options{Kind: view.Quotient})
	explanation("excluded", specimens.Excluding(t), view.Options{})
	explanation("excluded_decisions", specimens.Excluding(t), view.Options{Kind: view.Neighbourhoods})
	add("model", func(b *bytes.Buffer) error {
		return DOT(b, graphOfModel(t, hostile(t), hostileFile, view.Options{}), Options{})
	})
	add("model_excerpt", func(b *bytes.Buffer) error {
		return DOT(b, graphOfModel(t, star(t, 100), "star.aut", view.Options{Kind: view.Excerpt}), Options{})
	})
	for name, p := range argumentPictures(t) {
		add(name, func(b *bytes.Buffer) error { return DOT(b, p, Options{}) })
	}
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

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteErrorIsReported(t *testing.T) {
	if err := DOT(brokenWriter{}, graphOfModel(t, figure2(t), "", view.Options{}), Options{}); !errors.Is(err, errBroken) {
		t.Errorf("error is %v, want that of the writer", err)
	}
}

func TestSetRankDir(t *testing.T) {
	for name, want := range map[string]RankDir{"auto": autoDirection, "TB": topDown, "LR": leftRight} {
		var got RankDir
		if err := got.Set(name); err != nil || got != want {
			t.Errorf("Set(%q) = %v, %v", name, got, err)
		}
	}
	if err := new(RankDir).Set("RL"); err == nil || !strings.Contains(err.Error(), "choose") {
		t.Errorf("Set: error is %v", err)
	}
}
