package scc

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
)

func largestOf(m *lts.LTS) []lts.State {
	x := &sweeps{ctx: context.Background(), m: m, list: make([]lts.State, m.NumStates())}
	return slices.Collect(x.largest().All)
}

// TestLargest: what is found by passes is a component as gonum finds it, that of the
// initial state where that is large.
func TestLargest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "states")
		state := rapid.IntRange(0, n-1)
		degree := rapid.IntRange(0, 3).Draw(t, "degree")
		initial := lts.State(state.Draw(t, "initial"))
		var b lts.Builder
		l := b.Label("a")
		for range rapid.IntRange(0, degree*n).Draw(t, "transitions") {
			b.Add(lts.State(state.Draw(t, "from")), l, lts.State(state.Draw(t, "to")))
		}
		// Where there is a ring, there is a large component, and the passes meet few of its
		// states each.
		ring := rapid.Permutation(slices.Collect(bitset.Set[lts.State]{1<<n - 1}.All)).Draw(t, "numbers")
		for i := range rapid.IntRange(0, n-1).Draw(t, "ring") {
			b.Add(ring[i], l, ring[(i+1)%n])
		}
		m, err := b.Build(initial, n)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "predecessors") {
			m.Predecessors()
		}
		want, err := Find(context.Background(), m, gonum)
		if err != nil {
			t.Fatal(err)
		}
		found := largestOf(m)
		of, reachable := want.Of(found[0])
		if !reachable || !slices.Equal(found, want.States(of)) {
			t.Fatalf("found %v, the component of %d is %v", found, found[0], want.States(of))
		}
		if around := want.States(0); len(around) > n/largeShare && of != 0 || len(around) > len(found) {
			t.Fatalf("found %v, that of the initial state is %v", found, around)
		}
	})
}

// TestLargestIsFound: a component that is nearly all of a model is found by itself, but where
// no transition leads back to the initial state and the numbers of its states tell nothing.
func TestLargestIsFound(t *testing.T) {
	const (
		ring  = 20_000
		start = 50 // states before the ring, which is followed by as many
		// A detour leads from the ring and back, by states numbered anyhow.
		detour = 97
	)
	for name, c := range map[string]struct {
		step    int // from the number of a state of the ring to the next
		initial lts.State
		reset   bool // whether the ring leads back to the first state
		before  bool // whether the predecessor rows are there
		want    int
		built   bool
	}{
		"around the initial state":      {1, 0, true, false, start + ring + detour, false},
		"the initial state is in it":    {1, start + 7, false, false, ring + detour, false},
		"behind the initial state":      {ring - 1, 0, false, false, ring + detour, false},
		"anyhow, around the initial":    {7919, 0, true, false, start + ring + detour, true},
		"anyhow, behind it":             {7919, 0, false, false, 1, false},
		"anyhow, behind it, and back":   {7919, 0, false, true, ring + detour, true},
		"anyhow, the initial one in it": {7919, start + 7, false, false, ring + detour, true},
	} {
		t.Run(name, func(t *testing.T) {
			var b lts.Builder
			l := b.Label("a")
			for s := range lts.State(start) {
				b.Add(s, l, s+1)
				b.Add(start+ring+s-1, l, start+ring+s)
			}
			for i := range ring {
				b.Add(lts.State(start+i*c.step%ring), l, lts.State(start+(i+1)*c.step%ring))
			}
			for i, last := 0, lts.State(start); i <= detour; i++ {
				next := lts.State(2*start + ring + i*40%detour)
				if i == detour {
					next = start
				}
				b.Add(last, l, next)
				last = next
			}
			if c.reset {
				b.Add(start+7, l, 0)
			}
			m, err := b.Build(c.initial, ring+2*start+detour)
			if err != nil {
				t.Fatal(err)
			}
			if c.before {
				m.Predecessors()
			}
			if found := largestOf(m); len(found) != c.want || m.HasPredecessors() != c.built {
				t.Errorf("%d states, want %d; predecessor rows: %v", len(found), c.want, m.HasPredecessors())
			}
		})
	}
}

// TestLargestIsNotSoughtInLayers: where all transitions lead to larger numbers, one pass
// tells that the initial state is alone.
func TestLargestIsNotSoughtInLayers(t *testing.T) {
	var b lts.Builder
	l := b.Label("a")
	for s := range lts.State(1000) {
		b.Add(s, l, s+1)
	}
	m, err := b.Build(0, 1001)
	if err != nil {
		t.Fatal(err)
	}
	x := &sweeps{ctx: context.Background(), m: m, list: make([]lts.State, m.NumStates())}
	if found := largestOf(m); !slices.Equal(found, []lts.State{0}) || x.leadsBack() {
		t.Errorf("found %v; transitions lead back: %v", found, x.leadsBack())
	}
}
