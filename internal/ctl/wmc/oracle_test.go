package wmc_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// global computes the states of the whole model that satisfy a formula, by fixpoints as
// they are defined, state by state and round by round.
func global(m *lts.LTS, c *syntax.Closure, means [][]bool, holds func(syntax.Predicate, lts.State) bool, i syntax.Index) []bool {
	n := c.Nodes[i]
	var left, right []bool
	switch n.Op {
	case syntax.And, syntax.Or, syntax.Until, syntax.Release:
		left = global(m, c, means, holds, n.Left)
		fallthrough
	case syntax.Not, syntax.Next:
		right = global(m, c, means, holds, n.Right)
	}
	has := func(l syntax.Labels, label lts.Label) bool { return l == syntax.AnyLabel || l >= 0 && means[l][label] }
	z := make([]bool, m.NumStates())
	for s := range z {
		z[s] = n.Op == syntax.Release // the greatest fixpoint begins with all
	}
	for changed := true; changed; {
		changed = false
		for s := range z {
			labels, targets := m.Out(lts.State(s))
			some, every := false, true
			for j, t := range targets {
				var good bool
				switch n.Op {
				case syntax.Next:
					if !has(n.Labels, labels.At(j)) {
						continue
					}
					good = right[t]
				case syntax.Until:
					good = has(n.Labels, labels.At(j)) && z[t] || n.Last != syntax.NoLast && has(n.Last, labels.At(j)) && right[t]
				default:
					good = z[t]
				}
				some, every = some || good, every && good
			}
			var now bool
			switch n.Op {
			case syntax.True:
				now = true
			case syntax.Deadlock:
				now = len(targets) == 0
			case syntax.Holds:
				now = holds(n.Predicate, lts.State(s))
			case syntax.Not:
				now = !right[s]
			case syntax.And:
				now = left[s] && right[s]
			case syntax.Or:
				now = left[s] || right[s]
			case syntax.Next:
				now = some && n.Path == syntax.Some || every && n.Path == syntax.All
			case syntax.Until:
				now = left[s] && len(targets) > 0 && (some && n.Path == syntax.Some || every && n.Path == syntax.All) ||
					n.Last == syntax.NoLast && right[s]
			case syntax.Release:
				now = right[s] && (left[s] || len(targets) == 0 || some && n.Path == syntax.Some || every && n.Path == syntax.All)
			}
			if now != z[s] {
				z[s], changed = now, true
			}
		}
	}
	return z
}

// sample is a random model and formula, ready to be checked.
type sample struct {
	m       *lts.LTS
	f       *syntax.Formula
	c       *syntax.Closure
	means   [][]bool
	holds   func(syntax.Predicate, lts.State) bool
	value   func(syntax.Predicate) (wmc.States, error)
	initial wmc.States
}

func newSample(t testing.TB, seed uint64) *sample {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	size := randomlts.Small()
	if seed%8 == 0 {
		size = randomlts.Medium()
	}
	x := &sample{m: randomlts.Seeded(seed, size).Model}
	marks := r.Uint64()
	x.holds = func(_ syntax.Predicate, s lts.State) bool { return marks>>(s%64)&1 != 0 }
	x.value = func(p syntax.Predicate) (wmc.States, error) {
		var in wmc.States
		for s := range x.m.NumStates() {
			if x.holds(p, lts.State(s)) {
				in = append(in, lts.State(s))
			}
		}
		return in, nil
	}
	var err error
	text := randomlts.Branching(r, 3, randomlts.BranchingAtoms("p"))
	if x.f, err = syntax.Parse(context.Background(), text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	x.c = x.f.Closure()
	hidden, _, err := actl.Text("C").Atom(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if x.means, _, err = x.c.Bind(context.Background(), x.m.Alphabet(), []actl.Pattern{hidden}); err != nil {
		t.Fatal(err)
	}
	x.initial = wmc.States{x.m.Initial()}
	if seed%3 == 0 {
		for s := range x.m.NumStates() {
			if r.IntN(2) == 0 && lts.State(s) != x.m.Initial() {
				x.initial = append(x.initial, lts.State(s))
			}
		}
		slices.Sort(x.initial)
	}
	return x
}

func (x *sample) check(t testing.TB, o wmc.Options) (*wmc.Answer[wmc.States], *wmc.Explicit) {
	t.Helper()
	sets := wmc.NewExplicit(x.m, x.means, x.value)
	a, err := wmc.Check(context.Background(), sets, x.c, x.initial, o)
	if err != nil {
		t.Fatal(err)
	}
	return a, sets
}

func (x *sample) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %v of\ndes (%d,%d,%d)\n", x.f, x.initial, x.m.Initial(), x.m.NumTransitions(), x.m.NumStates())
	for t := range x.m.Transitions() {
		fmt.Fprintf(&b, "(%d,%s,%d)\n", t.From, x.m.Alphabet().Text(t.Label), t.To)
	}
	return b.String()
}

// structures returns how many random structures a test takes: as many as it says, fewer in a
// short run, and those of INEV_CTL_STRUCTURES in a long one.
func structures(most int) int {
	if n, err := strconv.Atoi(os.Getenv("INEV_CTL_STRUCTURES")); err == nil {
		return n
	}
	if !randomlts.Whole() {
		return int(randomlts.Share(uint64(most)))
	}
	return most
}

// TestLikeGlobalFixpoints: states are parted as by the fixpoints over the whole model, and
// so are all states that an unfolding says anything of.
func TestLikeGlobalFixpoints(t *testing.T) {
	seeds := structures(24_000)
	good, early := 0, 0
	for seed := range uint64(seeds) {
		x := newSample(t, seed)
		want := make([][]bool, len(x.c.Nodes))
		for i := range want {
			want[i] = global(x.m, x.c, x.means, x.holds, syntax.Index(i))
		}
		for _, o := range []wmc.Options{{}, {Exhaust: true}} {
			a, sets := x.check(t, o)
			judge := func(i syntax.Index, states wmc.States, holds bool) {
				for _, s := range states {
					if want[i][s] != holds {
						t.Fatalf("seed %d: %s in state %d: not %t; %s", seed, x.c.Nodes[i].Formula, s, holds, x)
					}
				}
			}
			judge(x.c.Root(), a.Good, true)
			judge(x.c.Root(), a.Bad, false)
			if !slices.Equal(sets.Union(a.Good, a.Bad), x.initial) {
				t.Fatalf("seed %d: %v and %v are not all; %s", seed, a.Good, a.Bad, x)
			}
			if o.Exhaust && a.Visits > float64(len(x.c.Nodes)*x.m.NumStates()) {
				t.Fatalf("seed %d: %v visits: some state was visited more than once for a formula; %s", seed, a.Visits, x)
			}
			good += min(1, len(a.Good))
			each(a.Root, func(n *wmc.Node[wmc.States]) {
				judge(n.Formula, n.Good, true)
				judge(n.Formula, n.Bad, false)
				if u := n.Unfolding; u != nil {
					judge(n.Formula, u.Holds, true)
					judge(n.Formula, u.Fails, false)
					if !u.Early && len(u.Holds)+len(u.Fails) != len(u.Visited) {
						t.Fatalf("seed %d: %s: some of what was visited is not decided; %s", seed, x.c.Nodes[n.Formula].Formula, x)
					}
					if u.Early {
						early++
					}
				}
			})
		}
	}
	if randomlts.Whole() && (good < seeds/4 || good > 2*seeds-seeds/4 || early < seeds/50) {
		t.Errorf("%d of %d good, %d ended early: the samples are one-sided", good, 2*seeds, early)
	}
}

// each calls do for every node, those below before a node.
func each(n *wmc.Node[wmc.States], do func(*wmc.Node[wmc.States])) {
	if n == nil {
		return
	}
	each(n.Left, do)
	each(n.Right, do)
	if u := n.Unfolding; u != nil {
		for _, f := range u.Frontiers {
			each(f.Left, do)
			each(f.Right, do)
		}
	}
	do(n)
}
