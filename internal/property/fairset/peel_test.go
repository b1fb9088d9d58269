package fairset

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// fairSets returns the largest fair sets of a model, by one way to take states away, ascending.
func fairSets(t *testing.T, parts *scc.Parts, states []lts.State, count func([]lts.State) bool, take func([]lts.State) ([]lts.State, bool, error), shows func(lts.State, lts.Label, lts.State) bool) (all [][]lts.State) {
	t.Helper()
	work := [][]lts.State{states}
	for len(work) > 0 {
		part := work[len(work)-1]
		work = work[:len(work)-1]
		sets, err := parts.Components(part, shows)
		if err != nil {
			t.Fatal(err)
		}
		for set := range sets {
			if !count(set) {
				continue
			}
			left, given, err := take(set)
			switch {
			case err != nil:
				t.Fatal(err)
			case given:
			case len(left) == len(set):
				set = slices.Clone(set)
				slices.Sort(set)
				all = append(all, set)
			default:
				work = append(work, left)
			}
		}
	}
	slices.SortFunc(all, slices.Compare)
	return all
}

// tasksOf returns the tasks of a fairness, at work on a model.
func tasksOf(t *testing.T, m *lts.LTS, f *property.Fairness) (*Tasks, *scc.Parts) {
	t.Helper()
	parts, err := scc.NewParts(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	x, err := NewTasks(context.Background(), m, f, parts, nil)
	if err != nil {
		t.Fatal(err)
	}
	return x, parts
}

// TestShrinkIsRefining: the fair sets are the same, whether states are taken away one round after
// the other or with all that follows, and these rounds are met.
func TestShrinkIsRefining(t *testing.T) {
	followed, fair := 0, 0
	for seed := range randomlts.Share(6_000) {
		m := randomlts.Seeded(seed, randomlts.Size{States: 30, Transitions: 90, Labels: 12, Steps: 1}).Model
		r := rand.New(rand.NewPCG(seed, 3))
		var tasks []property.Task
		for l := range m.Alphabet().All() {
			labels := []lts.Label{l}
			if other := lts.Label(r.IntN(m.Alphabet().Len())); r.IntN(3) == 0 && other != l {
				labels = append(labels, other)
				slices.Sort(labels)
			}
			if r.IntN(4) != 0 {
				tasks = append(tasks, property.Task{Labels: labels, Strong: r.IntN(4) != 0, Nonstuttering: r.IntN(3) == 0})
			}
		}
		f, err := property.NewFairness(m.Alphabet(), false, tasks, nil)
		if r.IntN(2) == 0 {
			j := &property.Justness{Names: []string{"p", "q"}, Components: make([][]uint32, m.Alphabet().Len())}
			for l := range j.Components {
				j.Components[l] = append(j.Components[l], uint32(r.IntN(2)))
			}
			f, err = j.Fairness(m.Alphabet(), tasks, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		hidden := lts.Label(r.IntN(m.Alphabet().Len()))
		shows := func(_ lts.State, l lts.Label, _ lts.State) bool { return l != hidden }
		all := make([]lts.State, m.NumStates())
		for s := range all {
			all[s] = lts.State(s)
		}
		x, parts := tasksOf(t, m, f)
		count := func(set []lts.State) bool { return x.Count(set, shows) }
		want := fairSets(t, parts, all, count, func(set []lts.State) ([]lts.State, bool, error) {
			left, given := x.Refine(set)
			return left, given, nil
		}, shows)
		x.slow = patience
		got := fairSets(t, parts, all, count, func(set []lts.State) ([]lts.State, bool, error) {
			left, given, err := x.Shrink(set, shows)
			return left, given, err
		}, shows)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("seed %d: fair sets %v, want %v", seed, got, want)
		}
		if x.slow > patience {
			followed++
		}
		fair += len(want)
	}
	if randomlts.Whole() && (followed < 1_000 || fair < 1_000) {
		t.Errorf("what follows was taken away in %d models, and there are %d fair sets", followed, fair)
	}
}

// TestShrinkAtOnce: a ring of states with a way back each, and a label for each transition, falls
// apart from one place on. It is not searched anew for each state that goes.
func TestShrinkAtOnce(t *testing.T) {
	for _, between := range []bool{false, true} {
		const n = 2_000
		var b lts.Builder
		next := func(s int) lts.State { return lts.State(s % n) }
		for s := range n {
			forth, back := next(s+1), next(s+n-1)
			b.Add(lts.State(s), b.Label(fmt.Sprint("back ", s)), back)
			if between {
				b.Add(lts.State(s), b.Label(fmt.Sprint("forth ", s)), lts.State(n+s))
				b.Add(lts.State(n+s), b.Label("on"), forth)
			} else {
				b.Add(lts.State(s), b.Label(fmt.Sprint("forth ", s)), forth)
			}
		}
		m, err := b.Build(0, b.NumStates())
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
		hidden, _ := m.Alphabet().Lookup("forth 1990")
		shows := func(_ lts.State, l lts.Label, _ lts.State) bool { return l != hidden }
		all := make([]lts.State, m.NumStates())
		for s := range all {
			all[s] = lts.State(s)
		}
		x, parts := tasksOf(t, m, f)
		sets := fairSets(t, parts, all, func(set []lts.State) bool { return x.Count(set, shows) }, func(set []lts.State) ([]lts.State, bool, error) {
			return x.Shrink(set, shows)
		}, shows)
		if len(sets) != 0 {
			t.Errorf("%d fair sets, there is none", len(sets))
		}
		if most := int64(20 * (m.NumStates() + m.NumTransitions())); parts.Work() > most {
			t.Errorf("states between: %t: searches looked at %d states and transitions, want at most %d", between, parts.Work(), most)
		}
	}
}
