package quotient_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/internal/simplify/quotient"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// chain returns states in a row, joined by transitions with one label, the last
// one with another.
func chain(t testing.TB, states int, label, last string) *lts.LTS {
	return closed(t, states, label, last, false)
}

func closed(t testing.TB, states int, label, last string, cycle bool) *lts.LTS {
	t.Helper()
	var b lts.Builder
	end := states - 2
	if cycle {
		end++
	}
	for s := range end {
		b.Add(lts.State(s), b.Label(label), lts.State(s+1))
	}
	b.Add(lts.State(end), b.Label(last), lts.State((end+1)%states))
	m, err := b.Build(0, states)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ladder returns a chain of hidden transitions, of which each state has a visible
// one to its rung of a visible chain: of both, the states part one by one, from
// the end, and each time the whole rest of the hidden chain loses the inert
// transition at its end.
func ladder(t testing.TB, rungs int) *lts.LTS {
	t.Helper()
	var b lts.Builder
	hidden, across, down := b.Label("i"), b.Label("a"), b.Label("b")
	for s := range rungs {
		b.Add(lts.State(s), across, lts.State(rungs+s))
		if s+1 < rungs {
			b.Add(lts.State(s), hidden, lts.State(s+1))
			b.Add(lts.State(rungs+s), down, lts.State(rungs+s+1))
		}
	}
	m, err := b.Build(0, 2*rungs)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// hub returns a state with a transition to each state of a visible chain.
func hub(t testing.TB, states int) *lts.LTS {
	t.Helper()
	var b lts.Builder
	a, next := b.Label("a"), b.Label("b")
	for s := 1; s < states; s++ {
		b.Add(0, a, lts.State(s))
	}
	for s := 1; s < states-1; s++ {
		b.Add(lts.State(s), next, lts.State(s+1))
	}
	m, err := b.Build(0, states)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestLongModels: what takes time quadratic in the number of states where every
// state is looked at in each round does not end within the test's time.
func TestLongModels(t *testing.T) {
	n := 1_000_000
	if !randomlts.Whole() {
		n /= 40
	}
	for name, c := range map[string]struct {
		model               *lts.LTS
		states, transitions int
	}{
		"visible chain": {chain(t, n, "a", "a"), n, n - 1},
		"hidden chain":  {chain(t, n, "i", "a"), 2, 1},
		"visible cycle": {closed(t, n, "a", "b", true), n, n},
		"uniform cycle": {closed(t, n, "a", "a", true), 1, 1},
		"hidden cycle":  {closed(t, n, "i", "b", true), 1, 1},
		"silent cycle":  {closed(t, n, "i", "i", true), 1, 1},
		"ladder":        {ladder(t, n/2), n, 3*(n/2) - 2},
		"hub":           {hub(t, n/2), n / 2, n - 3},
	} {
		q := divided(t, c.model, "i")
		if q.LTS().NumStates() != c.states || q.LTS().NumTransitions() != c.transitions {
			t.Errorf("%s: %d states and %d transitions, want %d and %d", name, q.LTS().NumStates(), q.LTS().NumTransitions(), c.states, c.transitions)
		}
	}
}

// random returns a system of which each state has three transitions, over 9
// labels, to any state, or to one not far away.
func random(t testing.TB, states int, near bool) *lts.LTS {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var b lts.Builder
	for s := range states {
		for range 3 {
			to := r.IntN(states)
			if near {
				to = min(max(0, s+r.IntN(100)-30), states-1)
			}
			b.Add(lts.State(s), b.Label(fmt.Sprintf("ACTION_%d", r.IntN(9))), lts.State(to))
		}
	}
	m, err := b.Build(0, states)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSameBytes: the quotient is a function of the model.
func TestSameBytes(t *testing.T) {
	m := random(t, 20_000, true)
	want := text(t, divided(t, m, "ACTION_0", "ACTION_1", "ACTION_2", "ACTION_3").LTS())
	for range 3 {
		if text(t, divided(t, m, "ACTION_0", "ACTION_1", "ACTION_2", "ACTION_3").LTS()) != want {
			t.Fatal("two runs differ")
		}
	}
}

// BenchmarkNew divides systems of a million transitions, with none, six and eight
// of nine labels hidden.
func BenchmarkNew(b *testing.B) {
	for _, near := range []bool{false, true} {
		m := random(b, 333_333, near)
		m.Reachable()
		for _, hidden := range []lts.Label{0, 6, 8} {
			b.Run(fmt.Sprintf("near=%v/hidden=%d", near, hidden), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					q, err := quotient.New(context.Background(), m, func(l lts.Label) bool { return l < hidden })
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(q.LTS().NumStates()), "blocks")
				}
			})
		}
	}
	for name, m := range map[string]*lts.LTS{"chain": chain(b, 1_000_000, "a", "a"), "ladder": ladder(b, 333_333), "hub": hub(b, 500_000)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				divided(b, m, "i")
			}
		})
	}
}

// TestManyBlocks: whether a quotient has more blocks than asked for is told exactly,
// by the tail of the model where that is enough.
func TestManyBlocks(t *testing.T) {
	for seed := range randomlts.Share(3_000) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 14, Transitions: 20, Labels: 3, Steps: 2})
		p := bound(t, c.Model, c.Formula)
		e := enriched(t, c.Model, p)
		whole, err := quotient.ForClasses(context.Background(), fate.OfChain(e), quotient.Options{})
		if err != nil {
			t.Fatal(err)
		}
		blocks := whole.LTS().NumStates()
		for most := 1; most <= blocks+1; most++ {
			o := quotient.Options{MaxBlocks: most}
			q, err := quotient.ForClasses(context.Background(), fate.OfChain(e), o)
			if many := errors.Is(err, quotient.ErrManyBlocks); many != (blocks > most) || !many && (err != nil || text(t, q.LTS()) != text(t, whole.LTS())) {
				t.Fatalf("seed %d: at most %d of %d blocks: %v\n%s", seed, most, blocks, err, c)
			}
			_, err = quotient.ForProperty(context.Background(), c.Model, p.Property(), o)
			if err != nil && !errors.Is(err, quotient.ErrManyBlocks) {
				t.Fatal(err)
			}
		}
	}
}

// TestManyBlocksAreFoundOutByTheTail: of a chain with far more states than asked for,
// the end is looked at, and no more.
func TestManyBlocksAreFoundOutByTheTail(t *testing.T) {
	allocated := func(states int) uint64 {
		m := chain(t, states, "A", "B")
		e := enriched(t, m, bound(t, m, "Inev(B, A)"))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := quotient.ForClasses(context.Background(), fate.OfChain(e), quotient.Options{MaxBlocks: 100}); !errors.Is(err, quotient.ErrManyBlocks) {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := allocated(1_000), allocated(200_000); many > 2*few+1<<20 {
		t.Errorf("%d bytes for 1,000 states, %d for 200,000", few, many)
	}
}

// TestTablesAreAskedFor: a quotient that does not fit is given up before its tables are
// made, whatever becomes of the model.
func TestTablesAreAskedFor(t *testing.T) {
	m, err := generate.LTS(context.Background(), generate.Spec{Kind: "cycle", States: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	budget := resources.NewBudget(resources.Limit{Bytes: 1, By: "allowed by a test"}, nil)
	ctx, leave := resources.Join(budget.With(context.Background()))
	defer leave()
	for _, hidden := range []bool{false, true} {
		var exceeded *resources.ExceededError
		if _, err := quotient.New(ctx, m, func(lts.Label) bool { return hidden }); !errors.As(err, &exceeded) {
			t.Errorf("all hidden %v: %v", hidden, err)
		}
	}
}

// TestPassesAreEnough: philosophers part in a few passes over the model, for which no more
// is kept than the rows and some words a state.
func TestPassesAreEnough(t *testing.T) {
	m, err := generate.LTS(context.Background(), generate.Spec{Kind: "philosophers", Processes: 9})
	if err != nil {
		t.Fatal(err)
	}
	e := enriched(t, m, bound(t, m, "Inev(EAT)"))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	q, err := quotient.ForClasses(context.Background(), fate.OfChain(e), quotient.Options{MergeLabels: true})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := uint64(m.NumTransitions()); after.TotalAlloc-before.TotalAlloc > 60*n {
		t.Errorf("%d bytes for %d transitions", after.TotalAlloc-before.TotalAlloc, n)
	}
	if q.LTS().NumStates() != 2_193 {
		t.Errorf("%d blocks", q.LTS().NumStates())
	}
}
