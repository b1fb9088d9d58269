package view_test

import (
	"context"
	"strings"
	"testing"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/lts"
)

// TestOfComparison: the step that one version alone can do is marked, and what the other can do
// there is an arrow of its own.
func TestOfComparison(t *testing.T) {
	ctx := context.Background()
	read := func(text string) compare.Version {
		m, _, err := aut.Read(ctx, strings.NewReader(text), aut.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return compare.Version{LTS: m, Source: explain.Source{}}
	}
	old := read("des (0,2,3)\n(0,REQ,1)\n(1,ACK,2)\n")
	latest := read("des (0,3,3)\n(0,REQ,1)\n(1,ACK,2)\n(1,NAK,0)\n")
	f, err := formula.Parse(ctx, "Inev(REQ, ACK)")
	if err != nil {
		t.Fatal(err)
	}
	c := &compare.Comparison{OldFile: "a/m.aut", NewFile: "b/m.aut"}
	if c.Behaviour, err = compare.Models(ctx, old.LTS, latest.LTS, compare.Options{}); err != nil {
		t.Fatal(err)
	}
	labels := func(g *view.Graph) string {
		var all []string
		for _, a := range g.Arrows {
			all = append(all, strings.Join(g.Lines(a, view.LabelLength), " "))
		}
		return strings.Join(all, "; ")
	}
	if got, want := labels(view.OfComparison(c)), "1: REQ; + only b/m.aut: 2: NAK"; got != want {
		t.Errorf("behaviour: %q, want %q", got, want)
	}
	if c.Versions, err = compare.Property(ctx, old, latest, f, explain.Options{}, compare.Options{}); err != nil {
		t.Fatal(err)
	}
	g := view.OfComparison(c)
	if got, want := labels(g), "↻ 1: REQ; + only b/m.aut: ↻ 2: NAK; instead in a/m.aut: ACK"; got != want {
		t.Errorf("property: %q, want %q", got, want)
	}
	if closing := g.Arrows[1]; closing.To != lts.State(0) || !closing.Closing {
		t.Errorf("the loop is not closed: %+v", closing)
	}
	if c.Behaviour, err = compare.Models(ctx, old.LTS, old.LTS, compare.Options{}); err != nil {
		t.Fatal(err)
	}
	if c.Versions = nil; view.OfComparison(c) != nil {
		t.Error("models that are alike have a picture")
	}
}
