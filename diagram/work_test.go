package diagram

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/oracle/randomlts"
	"github.com/inev-lts/inev/quotient"
	"pgregory.net/rapid"
)

// tangle is a model of n states, each with transitions to the d states after it, and one
// back to the first: its states and transitions are few, and its arrows pass by each other.
func tangle(t *testing.T, n, d int) []edge {
	var edges []edge
	for i := range n {
		for j := 1; j <= d; j++ {
			edges = append(edges, edge{i, fmt.Sprint("go", j), (i + j*j) % n})
		}
	}
	return edges
}

// TestAutoGivesWay: where the whole of a small model is too crowded to be read, the
// excerpt is drawn, and said to be.
func TestAutoGivesWay(t *testing.T) {
	var notes []string
	o := Options{Tell: func(note string) { notes = append(notes, note) }}
	e := explained(t, model(t, 100, tangle(t, 100, 5)...), "", "Inev(go3)")
	p, err := pictureOf(context.Background(), e, o)
	if err != nil || p.whole || len(notes) != 2 || !strings.Contains(notes[0], "too crowded to be read; an excerpt is drawn") {
		t.Errorf("whole %v, error %v, notes %q", p.whole, err, notes)
	}
	notes = nil
	if p, err := pictureOf(context.Background(), explained(t, figure2(t), "", "Inev(A, B, C)"), o); err != nil || !p.whole || notes != nil {
		t.Errorf("a small model: whole %v, error %v, notes %q", p.whole, err, notes)
	}
	if _, err := pictureOf(context.Background(), explained(t, star(t, 300), "", "Inev(DONE)"), o); err != nil || len(notes) != 2 || !strings.Contains(notes[0], "302 reachable states") {
		t.Errorf("a large model: error %v, notes %q", err, notes)
	}
}

// TestCrowdedPicturesAreRefused: by the work of the layout, before it, whatever the clock
// says; as DOT they can be had.
func TestCrowdedPicturesAreRefused(t *testing.T) {
	e := explained(t, model(t, 180, tangle(t, 180, 9)...), "", "Inev(go3)")
	var b bytes.Buffer
	err := SVG(context.Background(), inside, &b, e, Options{View: Whole})
	if !errors.Is(err, ErrCrowded) || !strings.Contains(err.Error(), "choose the excerpt") || b.Len() > 0 {
		t.Errorf("error is %v after %d bytes", err, b.Len())
	}
	if err := DOT(&b, e, Options{View: Whole}); err != nil {
		t.Error(err)
	}
	if err := SVG(context.Background(), inside, &b, e, Options{View: Whole, Layout: "circo"}); !errors.Is(err, ErrCrowded) {
		t.Errorf("in circles: %v", err)
	}
}

// TestLayers: every arrow but those that close a cycle leads downwards, and the work is
// the sum over the arrows.
func TestLayers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := randomlts.Generator(randomlts.Medium()).Draw(rt, "model")
		p, err := pictureOfModel(c.Model, "", Options{})
		if err != nil {
			rt.Fatal(err)
		}
		layers, links := p.layers()
		if len(layers) != len(p.nodes) || len(links) != len(p.arrows) {
			rt.Fatalf("%d layers and %d links of %d nodes and %d arrows", len(layers), len(links), len(p.nodes), len(p.arrows))
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
	var notes []string
	e := explained(t, model(t, 42, edges...), "", "Inev("+strings.Join(steps, ", ")+")")
	p, err := pictureOf(context.Background(), e, Options{View: Quotient, Tell: func(note string) { notes = append(notes, note) }})
	if err != nil || p.whole || p.wide() > maxClearWidth || len(notes) != 2 || !strings.Contains(notes[0], "too crowded to be read") {
		t.Errorf("error %v, whole %v, %v points wide, notes %q", err, p.whole, p.wide(), notes)
	}
	full, err := pictureOf(context.Background(), e, Options{View: Quotient, Full: true})
	if err != nil || !full.whole || full.wide() <= maxClearWidth {
		t.Errorf("error %v, in full: whole %v, %v points wide", err, full.whole, full.wide())
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
	var notes []string
	o := Options{View: Quotient, Tell: func(note string) { notes = append(notes, note) }}
	p, err := pictureOf(context.Background(), e, o)
	if err != nil || p.quotientOf.states > 0 || len(p.nodes) > 100 || len(notes) == 0 || !strings.Contains(notes[0], "merged, the model still has more than 20000 states") {
		t.Errorf("error %v, quotient of %v, %d nodes, notes %q", err, p.quotientOf, len(p.nodes), notes)
	}
	if _, err := pictureOfBlocks(context.Background(), e, o, maxClearWork); !errors.Is(err, quotient.ErrManyBlocks) {
		t.Errorf("for Auto: %v", err)
	}
}

// TestLoopsAreKeptFree: the arrow that closes a loop has a way of its own, and no state
// in it, unless the loop is entered in its middle, where the order of the run would be lost.
func TestLoopsAreKeptFree(t *testing.T) {
	e := explained(t, model(t, 5, edge{4, "x", 0}, edge{0, "a", 1}, edge{1, "b", 2}, edge{2, "c", 0}, edge{1, "DONE", 3}), "", "Inev(DONE)")
	p, err := pictureOf(context.Background(), e, Options{View: Excerpt})
	if err != nil {
		t.Fatal(err)
	}
	closing := slices.IndexFunc(p.arrows, func(a arrow) bool { return a.closing })
	if !p.leadsBack(p.arrows[closing]) || strings.Contains(draw(p, Options{}).String(), "constraint") {
		t.Errorf("no way is kept free in %v", p.arrows)
	}
	middle := *p
	middle.arrows = append(slices.Clone(p.arrows), arrow{from: 3, to: 2, labels: []label{{"in", 1}}})
	if middle.leadsBack(p.arrows[closing]) || !strings.Contains(draw(&middle, Options{}).String(), `constraint="false"`) {
		t.Error("the loop is entered in its middle")
	}
}
