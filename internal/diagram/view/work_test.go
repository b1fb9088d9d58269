package view

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"pgregory.net/rapid"
)

// TestAutoGivesWay: where the whole of a small model is too crowded to be read, the
// excerpt is drawn, and said to be.
func TestAutoGivesWay(t *testing.T) {
	e := explained(t, specimens.Model(t, 100, specimens.Tangle(t, 100, 5)...), "", "Inev(go3)")
	p, err := Of(context.Background(), e, Options{})
	if err != nil || p.Whole || len(p.Notes) != 2 || !strings.Contains(p.Notes[0], "too crowded to be read; an excerpt is drawn") {
		t.Errorf("whole %v, error %v, notes %q", p.Whole, err, p.Notes)
	}
	p, err = Of(context.Background(), explained(t, figure2(t), "", "Inev(A, B, C)"), Options{})
	if err != nil || !p.Whole || p.Notes != nil {
		t.Errorf("a small model: whole %v, error %v, notes %q", p.Whole, err, p.Notes)
	}
	p, err = Of(context.Background(), explained(t, star(t, 300), "", "Inev(DONE)"), Options{})
	if err != nil || len(p.Notes) != 2 || !strings.Contains(p.Notes[0], "302 reachable states") {
		t.Errorf("a large model: error %v, notes %q", err, p.Notes)
	}
}

// TestAutoFitsAScreen: a model whose arrows can be followed, but which is so wide that its labels cannot be read on a
// screen, is drawn whole only on request.
func TestAutoFitsAScreen(t *testing.T) {
	var edges []edge
	for i := range 25 {
		edges = append(edges, edge{0, fmt.Sprint("a label of some length ", i), i + 1})
	}
	m := model(t, 27, append(edges, edge{1, "DONE", 26})...)
	e := explained(t, m, "", "Inev(DONE)")
	p, err := Of(context.Background(), e, Options{})
	if err != nil || p.Whole || len(p.Notes) == 0 || !strings.Contains(p.Notes[0], "too crowded to be read; an excerpt is drawn") {
		t.Errorf("whole %v, error %v, notes %q", p.Whole, err, p.Notes)
	}
	p, err = Of(context.Background(), e, Options{MaxStates: 27})
	if err != nil || !p.Whole || !p.canBeFollowed() || p.estimatedWidth() <= maxClearWidth {
		t.Errorf("on request: whole %v, error %v, %v points wide", p.Whole, err, p.estimatedWidth())
	}
}

// TestWholeModelsAreSmall: Auto draws a whole model only of as many states as the run can be found among, and
// more if they are asked for.
func TestWholeModelsAreSmall(t *testing.T) {
	for _, states := range []int{12, 30, 50, 150} {
		edges := []edge{{0, "BAD", 1}, {1, "WAIT", 1}, {0, "GOOD", 2}}
		for s := 2; s < states-1; s++ {
			edges = append(edges, edge{s, fmt.Sprint("step ", s), s + 1})
		}
		edges = append(edges, edge{states - 1, "DONE", states - 1})
		e := explained(t, model(t, states, edges...), "", "Inev(DONE)")
		p, err := Of(context.Background(), e, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if p.Whole != (states <= 40) {
			t.Errorf("%d states: whole %v", states, p.Whole)
		}
		if asked, err := Of(context.Background(), e, Options{MaxStates: 150}); err != nil || !asked.Whole {
			t.Errorf("%d states, 150 are asked for: error %v, whole %v", states, err, asked.Whole)
		}
	}
}

// TestLayers: every arrow but those that close a cycle leads downwards, and the work is
// the sum over the arrows.
func TestLayers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := randomlts.Generator(randomlts.Medium()).Draw(rt, "model")
		p, err := OfModel(c.Model, "", Options{})
		if err != nil {
			rt.Fatal(err)
		}
		layers, links := p.layers()
		if len(layers) != len(p.Nodes) || len(links) != len(p.Arrows) {
			rt.Fatalf("%d layers and %d links of %d nodes and %d arrows", len(layers), len(links), len(p.Nodes), len(p.Arrows))
		}
		for at := range layers {
			above := layers[at] == 0
			for _, l := range links {
				above = above || l.to == at && layers[l.from] == layers[at]-1
			}
			if !above {
				rt.Fatalf("node %d is in layer %d, and nothing leads there from the layer above", at, layers[at])
			}
		}
	})
}

// TestWideQuotient: forty states side by side, which the property tells apart, are not
// drawn in one row.
func TestWideQuotient(t *testing.T) {
	var edges []edge
	var steps []string
	for i := range 40 {
		label := fmt.Sprint("a label of some length ", i)
		steps = append(steps, fmt.Sprintf("%q", label))
		edges = append(edges, edge{0, "A", i + 1}, edge{i + 1, label, 41})
	}
	e := explained(t, model(t, 42, edges...), "", "Inev("+strings.Join(steps, ", ")+")")
	p, err := Of(context.Background(), e, Options{Kind: Quotient})
	if err != nil || p.Whole || p.estimatedWidth() > maxClearWidth || len(p.Notes) != 2 || !strings.Contains(p.Notes[0], "too crowded to be read") {
		t.Errorf("error %v, whole %v, %v points wide, notes %q", err, p.Whole, p.estimatedWidth(), p.Notes)
	}
	full, err := Of(context.Background(), e, Options{Kind: Quotient, Full: true})
	if err != nil || !full.Whole || full.estimatedWidth() <= maxClearWidth {
		t.Errorf("error %v, in full: whole %v, %v points wide", err, full.Whole, full.estimatedWidth())
	}
}

// TestQuotientOfManyStates: where merging leaves far more than a picture can show, an
// excerpt of the model is drawn, and said to be; also where Auto tries the quotient.
func TestQuotientOfManyStates(t *testing.T) {
	var edges []edge
	for i := range maxBlocks + 10 {
		edges = append(edges, edge{i, "A", i + 1})
	}
	edges[len(edges)-1].label = "B"
	e := explained(t, model(t, len(edges)+1, edges...), "", "Inev(B, A)")
	o := Options{Kind: Quotient}
	p, err := Of(context.Background(), e, o)
	if err != nil || p.QuotientOf.States > 0 || len(p.Nodes) > 100 || len(p.Notes) == 0 || !strings.Contains(p.Notes[0], "the merged model still has more than 20000 states") {
		t.Errorf("error %v, quotient of %v, %d nodes, notes %q", err, p.QuotientOf, len(p.Nodes), p.Notes)
	}
	if g, err := (explanation{e, subjectOf(e)}).quotientUpTo(context.Background(), o, MaxClearWork); err != nil || g != nil {
		t.Errorf("for Auto: %v, error %v", g, err)
	}
}
