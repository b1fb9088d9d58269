package certify

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// TestRefineAtOnce: a ring of states with a way back each, and a label for each transition, falls
// apart from one place on. It is not searched anew for each state that goes.
func TestRefineAtOnce(t *testing.T) {
	const n = 2_000
	var b lts.Builder
	for s := range n {
		b.Add(lts.State(s), b.Label(fmt.Sprint("forth ", s)), lts.State((s+1)%n))
		b.Add(lts.State(s), b.Label(fmt.Sprint("back ", s)), lts.State((s+n-1)%n))
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	var tasks []property.Task
	for l := range m.Alphabet().All() {
		tasks = append(tasks, property.Task{Labels: []lts.Label{l}, Strong: true})
	}
	f, err := property.NewFairness(m.Alphabet(), false, tasks, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	parts, err := scc.NewParts(ctx, m)
	if err != nil {
		t.Fatal(err)
	}
	x := must(newRefinement(ctx, parts, m, f, nil))
	hidden, _ := m.Alphabet().Lookup("forth 1990")
	x.isAllowed = func(_ lts.State, l lts.Label, _ lts.State) bool { return l != hidden }
	all := make([]lts.State, n)
	for s := range all {
		all[s] = lts.State(s)
	}
	sets, placed := uint32(0), 0
	err = x.refine(all, refined{
		place:     func(lts.State, uint32, uint32) { placed++ },
		neglected: func(neglecting) uint32 { sets++; return sets },
		fair:      func([]lts.State) error { return errors.New("there is a fair set") },
	})
	if err != nil {
		t.Fatal(err)
	}
	if placed != n || sets < n/4 {
		t.Errorf("%d states are placed, of %d, in %d sets", placed, n, sets)
	}
	if most := int64(20 * (m.NumStates() + m.NumTransitions())); parts.Work() > most {
		t.Errorf("searches looked at %d states and transitions, want at most %d", parts.Work(), most)
	}
}
