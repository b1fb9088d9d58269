package compare

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/lts"
)

// TestRenamedEverywhere: labels that have other names everywhere are one change each, however many
// transitions have them, if the states have kept their numbers or labels lead from one to the next.
func TestRenamedEverywhere(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(3, 5))
	const states = 1_500
	var arcs []Arc
	for s := range lts.State(states) {
		arcs = append(arcs, Arc{s, "tau", (s + 1) % states}, Arc{s, "tau", lts.State(r.IntN(states))}, Arc{s, []string{"A", "B"}[s%2], lts.State(r.IntN(states))})
	}
	call := func(names map[string]string) *lts.LTS {
		renamed := slices.Clone(arcs)
		for i, a := range renamed {
			if name, is := names[a.Label]; is {
				renamed[i].Label = name
			}
		}
		return modelOf(t, 0, states, renamed)
	}
	old := call(nil)
	for _, names := range []map[string]string{{"tau": "step"}, {"tau": "step", "A": "C"}, {"A": "a", "B": "b"}} {
		b, err := Models(ctx, old, call(names), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if b.Alike || b.Edit == nil || !maps.Equal(b.Edit.Renamed, names) || len(b.Edit.Changes) == 0 || len(b.Edit.Changes) > mostChanges {
			t.Errorf("%v: %+v", names, b.Edit)
		}
	}
	// Names that are exchanged, and one change more, are no renaming.
	for _, names := range []map[string]string{{"A": "B", "B": "A"}, {"tau": "A"}} {
		if b, err := Models(ctx, old, call(names), Options{}); err != nil || b.Edit != nil && b.Edit.Renamed != nil {
			t.Errorf("%v: %+v, %v", names, b.Edit, err)
		}
	}
	f, err := formula.Parse(ctx, "GF tau")
	if err != nil {
		t.Fatal(err)
	}
	latest := call(map[string]string{"tau": "step"})
	v, err := Property(ctx, Version{LTS: old}, Version{LTS: latest}, f, explain.Options{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := &Comparison{Versions: v}
	if c.Behaviour, err = Models(ctx, old, latest, Options{}); err != nil {
		t.Fatal(err)
	}
	cause, found := c.Cause()
	if !found || cause.Change.Was.Label != "tau" || v.New.Counterexample.Steps[cause.Step].Label != "step" {
		t.Errorf("%+v, %t", cause, found)
	}
}
