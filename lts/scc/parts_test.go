package scc_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// TestParts compares the components of random parts, without the transitions of one
// label, with who reaches whom.
func TestParts(t *testing.T) {
	for seed := range randomlts.Share(3_000) {
		m := randomlts.Seeded(seed, randomlts.Medium()).Model
		r := rand.New(rand.NewPCG(seed, 2))
		x, err := scc.NewParts(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			var part []lts.State
			for s := range lts.State(m.NumStates()) {
				if r.IntN(4) > 0 {
					part = append(part, s)
				}
			}
			without := lts.Label(r.IntN(m.Alphabet().Len()))
			shows := func(_ lts.State, l lts.Label, _ lts.State) bool { return l != without }
			reach := reachIn(m, part, shows)
			visited := map[lts.State]bool{}
			components, err := x.Components(part, shows)
			for component := range components {
				for _, s := range component {
					if visited[s] {
						t.Fatalf("seed %d: state %d is in two components", seed, s)
					}
					visited[s] = true
				}
				for _, s := range part {
					if in := slices.Contains(component, s); in != (reach[s][component[0]] && reach[component[0]][s]) {
						t.Fatalf("seed %d: state %d in the component of %d: %t", seed, s, component[0], in)
					}
				}
				// Within a component there is one component.
				count := 0
				again, err := x.Components(component, shows)
				if err != nil {
					t.Fatal(err)
				}
				for range again {
					count++
				}
				if count != 1 {
					t.Fatalf("seed %d: %d components within one", seed, count)
				}
			}
			checkWithout(t, x, part, m, without)
			checkCycle(t, x, part, m, shows)
			checkDisjoint(t, x, part, m, shows)
			checkOnCycle(t, x, part, m, shows)
			if err != nil || len(visited) != len(part) {
				t.Fatalf("seed %d: %d of %d states, %v", seed, len(visited), len(part), err)
			}
		}
	}
}

// checkWithout compares the components that have a transition with all components.
func checkWithout(t *testing.T, x *scc.Parts, part []lts.State, m *lts.LTS, label lts.Label) {
	t.Helper()
	hidden := bitset.New[lts.Label](m.Alphabet().Len())
	hidden.Add(label)
	shows := func(_ lts.State, l lts.Label, _ lts.State) bool { return l != label }
	var all, cyclic [][]lts.State
	components, err := x.Components(part, shows)
	if err != nil {
		t.Fatal(err)
	}
	for component := range components {
		loop := len(component) > 1
		labels, targets := m.Out(component[0])
		for i, to := range targets {
			loop = loop || to == component[0] && labels.At(i) != label
		}
		if loop {
			all = append(all, component)
		}
	}
	without, err := x.Without(part, hidden)
	if err == nil {
		cyclic = slices.Collect(without)
	}
	if err != nil || !slices.EqualFunc(all, cyclic, slices.Equal[[]lts.State]) {
		t.Fatalf("%v with a transition, want %v (error %v)", cyclic, all, err)
	}
}

// checkCycle compares whether a part has a cycle with who reaches whom.
func checkCycle(t *testing.T, x *scc.Parts, part []lts.State, m *lts.LTS, shows func(lts.State, lts.Label, lts.State) bool) {
	t.Helper()
	reach := reachIn(m, part, shows)
	want := false
	for _, s := range part {
		labels, targets := m.Out(s)
		for i, to := range targets {
			want = want || slices.Contains(part, to) && shows(s, labels.At(i), to) && reach[to][s]
		}
	}
	for range 2 {
		if has, err := x.HasCycle(part, shows); has != want || err != nil {
			t.Fatalf("a cycle in %v: %t, want %t (error %v)", part, has, want, err)
		}
	}
}

// reachIn tells who reaches whom within a part, itself included.
func reachIn(m *lts.LTS, part []lts.State, shows func(lts.State, lts.Label, lts.State) bool) map[lts.State]map[lts.State]bool {
	reach := map[lts.State]map[lts.State]bool{}
	for _, s := range part {
		reach[s] = map[lts.State]bool{s: true}
		for open := []lts.State{s}; len(open) > 0; open = open[1:] {
			labels, targets := m.Out(open[0])
			for i, to := range targets {
				if slices.Contains(part, to) && shows(open[0], labels.At(i), to) && !reach[s][to] {
					reach[s][to] = true
					open = append(open, to)
				}
			}
		}
	}
	return reach
}

// checkDisjoint checks that what is yielded are cycles, that no two meet, and that there are
// none without them.
func checkDisjoint(t *testing.T, x *scc.Parts, part []lts.State, m *lts.LTS, shows func(lts.State, lts.Label, lts.State) bool) {
	t.Helper()
	on := map[lts.State]bool{}
	count := 0
	err := x.DisjointCycles(part, shows, func(cycle []lts.State) bool {
		count++
		for i, s := range cycle {
			if on[s] || !slices.Contains(part, s) || !leads(m, s, cycle[(i+1)%len(cycle)], shows) {
				t.Fatalf("%v is yielded as a cycle after ones through %v", cycle, on)
			}
			on[s] = true
		}
		return true
	})
	left := slices.DeleteFunc(slices.Clone(part), func(s lts.State) bool { return on[s] })
	if has, other := x.HasCycle(left, shows); has || other != nil || err != nil {
		t.Fatalf("a cycle is left in %v: %t, errors %v, %v", left, has, other, err)
	}
	if count == 0 {
		return
	}
	yielded := 0
	if err := x.DisjointCycles(part, shows, func([]lts.State) bool { yielded++; return false }); yielded != 1 || err != nil {
		t.Fatalf("%d cycles are yielded where one is enough (error %v)", yielded, err)
	}
}

func leads(m *lts.LTS, from, to lts.State, shows func(lts.State, lts.Label, lts.State) bool) bool {
	labels, targets := m.Out(from)
	for i, target := range targets {
		if target == to && shows(from, labels.At(i), to) {
			return true
		}
	}
	return false
}

// checkOnCycle compares whether a cycle leads through a state with who reaches whom.
func checkOnCycle(t *testing.T, x *scc.Parts, part []lts.State, m *lts.LTS, shows func(lts.State, lts.Label, lts.State) bool) {
	t.Helper()
	within := func(from lts.State, l lts.Label, to lts.State) bool {
		return slices.Contains(part, to) && shows(from, l, to)
	}
	reach := reachIn(m, part, shows)
	for _, s := range part {
		want := false
		for _, to := range part {
			want = want || leads(m, s, to, shows) && reach[to][s]
		}
		if has, err := x.OnCycle(s, within); has != want || err != nil {
			t.Fatalf("a cycle through %d in %v: %t, want %t (error %v)", s, part, has, want, err)
		}
	}
}
