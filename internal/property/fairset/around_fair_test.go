package fairset

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// drawTasks returns tasks of up to three labels each, of all kinds, half of the time with justness.
func drawTasks(t *testing.T, r *rand.Rand, a *lts.Alphabet) *property.Fairness {
	var tasks []property.Task
	for range r.IntN(5) {
		var labels []lts.Label
		for range 1 + r.IntN(3) {
			labels = append(labels, lts.Label(r.IntN(a.Len())))
		}
		slices.Sort(labels)
		tasks = append(tasks, property.Task{Labels: slices.Compact(labels), Strong: r.IntN(2) == 0, Nonstuttering: r.IntN(3) == 0})
	}
	j := &property.Justness{Names: []string{"p", "q"}, Components: make([][]uint32, a.Len())}
	for l := range j.Components {
		for c := range uint32(2) {
			if r.IntN(2) == 0 {
				j.Components[l] = append(j.Components[l], c)
			}
		}
		if r.IntN(4) == 0 {
			j.Blocking = append(j.Blocking, lts.Label(l))
		}
	}
	f, err := property.NewFairness(a, false, tasks, nil)
	if r.IntN(2) == 0 {
		f, err = j.Fairness(a, tasks, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFairOnCores: which states are left out, and whether what is strongly connected in the rest is
// fair, is the same for one and several goroutines, and what the counts of tasks say of it.
func TestFairOnCores(t *testing.T) {
	ctx := context.Background()
	fair, unfair, left := 0, 0, 0
	for seed := range randomlts.Share(4_000) {
		m := randomlts.Seeded(seed, randomlts.Size{States: 160, Transitions: 420, Labels: 6, Steps: 1}).Model
		r := rand.New(rand.NewPCG(seed, 7))
		c, err := scc.Find(ctx, m, "")
		if err != nil {
			t.Fatal(err)
		}
		sets, err := NewSets(ctx, c, drawTasks(t, r, m.Alphabet()), nil)
		if err != nil {
			t.Fatal(err)
		}
		step := lts.Label(r.IntN(m.Alphabet().Len()))
		hidden := sets.Hidden(func(l lts.Label) bool { return l == step || r.IntN(9) == 0 })
		shows := func(_ lts.State, l lts.Label, _ lts.State) bool { return !hidden.Has(l) }
		for i := range scc.Component(c.Len()) {
			rest, err := sets.tasks.WithoutHidden(c.States(i), hidden)
			if err != nil {
				t.Fatal(err)
			}
			for workers := 1; workers <= 4; workers++ {
				x := &around{Sets: sets, hidden: hidden, workers: workers}
				if got := slices.Collect(x.without(c.States(i)).All); !slices.Equal(got, rest) {
					t.Fatalf("seed %d, %d workers: of %v are left %v, want %v", seed, workers, c.States(i), got, rest)
				}
			}
			if len(rest) < len(c.States(i)) {
				left++
			}
			parts, err := sets.parts.Without(rest, hidden)
			if err != nil {
				t.Fatal(err)
			}
			for set := range parts {
				members, want := bitset.New[lts.State](m.NumStates()), sets.tasks.Count(set, shows)
				for _, s := range set {
					members.Add(s)
				}
				if want {
					refined, given := sets.tasks.Refine(set)
					want = !given && len(refined) == len(set)
				}
				for workers := 1; workers <= 4; workers++ {
					x := &around{Sets: sets, hidden: hidden, workers: workers}
					if got := x.fair(members); got != want {
						t.Fatalf("seed %d, %d workers: %v is fair: %t, want %t", seed, workers, set, got, want)
					}
				}
				if want {
					fair++
				} else {
					unfair++
				}
			}
		}
	}
	if randomlts.Whole() && (fair < 1_000 || unfair < 300 || left < 500) {
		t.Errorf("%d fair sets, %d that are not, of %d components states were left out", fair, unfair, left)
	}
}
