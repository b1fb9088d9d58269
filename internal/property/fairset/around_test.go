package fairset

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// fairSetsOf returns the components of a model, and its sets that are fair by these tasks.
func fairSetsOf(ctx context.Context, t *testing.T, m *lts.LTS, tasks ...property.Task) (*scc.Components, *Sets) {
	t.Helper()
	f, err := property.NewFairness(m.Alphabet(), false, tasks, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := scc.Find(context.Background(), m, "")
	if err != nil {
		t.Fatal(err)
	}
	sets, err := NewSets(ctx, c, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c, sets
}

// TestAround: where a fair set is seen around a state, the full search finds one, and in most
// components that have one it is seen.
func TestAround(t *testing.T) {
	ctx := context.Background()
	found, seen := 0, 0
	for seed := range randomlts.Share(3_000) {
		m := randomlts.Seeded(seed, randomlts.Medium()).Model
		r := rand.New(rand.NewPCG(seed, 3))
		var tasks []property.Task
		for l := range m.Alphabet().All() {
			if r.IntN(3) > 0 {
				tasks = append(tasks, property.Task{Labels: []lts.Label{l}, Strong: r.IntN(2) == 0})
			}
		}
		c, sets := fairSetsOf(ctx, t, m, tasks...)
		step := lts.Label(r.IntN(m.Alphabet().Len()))
		hidden := sets.Hidden(func(l lts.Label) bool { return l == step })
		for i := range scc.Component(c.Len()) {
			around, err := sets.around(c.States(i), hidden, 1)
			is := false
			if other := sets.In(i, c.States(i), hidden, func([]lts.State) bool { is = true; return false }); err != nil || other != nil {
				t.Fatal(err, other)
			}
			if around && !is {
				t.Fatalf("seed %d: there is no fair set in %v", seed, c.States(i))
			}
			if is {
				found++
			}
			if around {
				seen++
			}
			if large, err := sets.Around(c.States(i), hidden); large || err != nil {
				t.Fatalf("seed %d: a set is looked for among %d states (error %v)", seed, c.States(i), err)
			}
		}
	}
	if randomlts.Whole() && (found < 500 || seen < found/2) {
		t.Errorf("of %d components with a fair set, %d are seen", found, seen)
	}
}

// TestMiddleBeside: what leads to a state and what it leads to, on two cores, have the component in
// common that is found on one.
func TestMiddleBeside(t *testing.T) {
	found := 0
	for seed := range randomlts.Share(2_000) {
		m := randomlts.Seeded(seed, randomlts.Medium()).Model
		c, sets := fairSetsOf(context.Background(), t, m)
		r := rand.New(rand.NewPCG(seed, 5))
		step := lts.Label(r.IntN(m.Alphabet().Len()))
		hidden := sets.Hidden(func(l lts.Label) bool { return l == step })
		for i := range scc.Component(c.Len()) {
			left := bitset.New[lts.State](m.NumStates())
			for _, s := range c.States(i) {
				left.Add(s)
			}
			middle := c.States(i)[len(c.States(i))/2]
			if nth := nth(left, left.Len()/2); nth != middle {
				t.Fatalf("seed %d: state %d in the middle of %v", seed, nth, c.States(i))
			}
			want, got := sets.componentOf(left, middle, hidden), sets.componentBeside(left, middle, hidden)
			if want == nil || got == nil {
				continue // one of them took too many looks
			}
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, among %v: %v on two cores, %v on one", seed, c.States(i), slices.Collect(got.All), slices.Collect(want.All))
			}
			if want.Len() > 1 && want.Len() < len(c.States(i)) {
				found++
			}
		}
	}
	if randomlts.Whole() && found < 200 {
		t.Errorf("%d components that are smaller than what they were looked for in", found)
	}
}

// TestAroundMeetsAll: what leads to a state, and what it leads to, is found in any
// numbering of a ring, or the search gives up.
func TestAroundMeetsAll(t *testing.T) {
	ctx := context.Background()
	const n = 5_000
	gaveUp := 0
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 4))
		numbers := r.Perm(n)
		if seed < 2 {
			for s := range numbers {
				numbers[s] = s
			}
		}
		var b lts.Builder
		a, out := b.Label("A"), b.Label("B")
		for s := range n {
			from, to := lts.State(numbers[s]), lts.State(numbers[(s+1)%n])
			if seed == 1 {
				from, to = to, from
			}
			b.Add(from, a, to)
		}
		b.Add(lts.State(numbers[0]), out, n)
		m, err := b.Build(0, n+1)
		if err != nil {
			t.Fatal(err)
		}
		c, sets := fairSetsOf(ctx, t, m, property.Task{Labels: []lts.Label{a}})
		i, _ := c.Of(0)
		around, err := sets.Around(c.States(i), sets.Hidden(func(l lts.Label) bool { return l == out }))
		if err != nil || seed < 2 && !around {
			t.Errorf("seed %d: %t (error %v)", seed, around, err)
		}
		if !around {
			gaveUp++
		}
	}
	if gaveUp == 0 {
		t.Error("rings in any order take few sweeps")
	}
}

// TestAroundIsStopped: by a context that is done, and before it takes too much memory.
func TestAroundIsStopped(t *testing.T) {
	const n = 1 << 21 // less memory is not asked for
	m, err := generate.LTS(context.Background(), generate.Spec{Kind: "cycle", States: n})
	if err != nil {
		t.Fatal(err)
	}
	a, none := lts.Label(0), func(lts.Label) bool { return false }
	ctx, cancel := context.WithCancel(context.Background())
	c, sets := fairSetsOf(ctx, t, m, property.Task{Labels: []lts.Label{a}})
	if around, err := sets.Around(c.States(0), sets.Hidden(none)); !around || err != nil {
		t.Fatal(around, err)
	}
	cancel()
	if _, err := sets.Around(c.States(0), sets.Hidden(none)); err == nil {
		t.Error("a search that was stopped goes on")
	}
	budget := resources.NewBudget(resources.Limit{Bytes: 1, By: "allowed by a test"}, nil)
	scarce, leave := resources.Join(budget.With(context.Background()))
	defer leave()
	sets.ctx = scarce
	var exceeded *resources.ExceededError
	if _, err := sets.Around(c.States(0), sets.Hidden(none)); !errors.As(err, &exceeded) {
		t.Errorf("too little memory: %v", err)
	}
}

// TestStatesAloneAreCheap: a component of one state is searched without lists of its own. A model can have as many of them
// as states.
func TestStatesAloneAreCheap(t *testing.T) {
	var b lts.Builder
	for _, text := range []string{"stay", "go"} {
		b.Label(text)
	}
	for s := range lts.State(10) {
		b.Add(s, 0, s)
		b.Add(s, 1, s+1)
	}
	m, err := b.Build(0, 11)
	if err != nil {
		t.Fatal(err)
	}
	c, sets := fairSetsOf(context.Background(), t, m)
	i, _ := c.Of(5)
	hidden := sets.Hidden(func(l lts.Label) bool { return l == 1 })
	found := 0
	count := func([]lts.State) bool {
		found++
		return true
	}
	states := c.States(i)
	made := testing.AllocsPerRun(100, func() {
		if err := sets.In(i, states, hidden, count); err != nil {
			t.Fatal(err)
		}
	})
	if found != 101 || made > 2 {
		t.Errorf("%d sets found in 101 searches, %v objects made for each; want 101, and at most 2: the set, and what yields it", found, made)
	}
}
