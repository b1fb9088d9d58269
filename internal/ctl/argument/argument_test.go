package argument

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

func newCase(t *testing.T, m *lts.LTS, text string) *Case {
	t.Helper()
	return caseOf(t, m, text, nil)
}

func caseOf(t *testing.T, m *lts.LTS, text string, value func(syntax.Predicate) (wmc.States, error)) *Case {
	t.Helper()
	ctx := context.Background()
	f, err := syntax.Parse(ctx, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	hidden, _, err := actl.Text("C").Atom(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := f.Closure()
	means, _, err := c.Bind(ctx, m.Alphabet(), []actl.Pattern{hidden})
	if err != nil {
		t.Fatal(err)
	}
	from := wmc.States{m.Initial()}
	checked, err := wmc.Check(ctx, wmc.NewExplicit(m, means, value), c, from, wmc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := New(ctx, m, checked, means, from)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestArgumentsAreTrue: all claims are true, and follow from those below as runs and sets
// of the model.
func TestArgumentsAreTrue(t *testing.T) {
	runs, loops, sets := 0, 0, 0
	for seed := range randomlts.Share(4000) {
		r := rand.New(rand.NewPCG(seed, 7))
		m := randomlts.Seeded(seed, randomlts.Small()).Model
		text := randomlts.Branching(r, 3, randomlts.BranchingAtoms())
		x := newCase(t, m, text)
		a, err := x.Argue(m.Initial())
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, text, err)
		}
		var check func(a *Argument)
		check = func(a *Argument) {
			y := newCase(t, m, a.Formula)
			if y.reachable.Has(a.State) && y.holds(y.closure.Root(), a.State) != a.Holds {
				t.Fatalf("seed %d: %s in %d is not %t", seed, a.Formula, a.State, a.Holds)
			}
			if a.Text == "" || strings.ContainsAny(a.Text, "\n") {
				t.Fatalf("seed %d: %q", seed, a.Text)
			}
			if a.Run != nil {
				runs++
				at := a.Run.Start
				for _, step := range a.Run.Steps {
					if step.From != at || !has(m, step) {
						t.Fatalf("seed %d: %s: no run: %v", seed, text, a.Run)
					}
					at = step.To
				}
				if l := a.Run.LoopStart; l >= 0 {
					loops++
					if a.Run.Steps[l].From != at {
						t.Fatalf("seed %d: %s: no loop: %v", seed, text, a.Run)
					}
				}
				if a.Run.Deadlock && !m.IsDeadlock(at) {
					t.Fatalf("seed %d: %s: no deadlock: %v", seed, text, a.Run)
				}
			}
			if a.Layers != nil {
				sets++
				if len(a.Layers[0].States) != 1 || a.Layers[0].States[0] != a.State {
					t.Fatalf("seed %d: %s: %v", seed, text, a.Layers)
				}
			}
			for _, b := range a.Because {
				check(b)
			}
		}
		check(a)
	}
	if randomlts.Whole() && (runs < 1000 || loops < 100 || sets < 500) {
		t.Errorf("%d runs, %d loops, %d sets", runs, loops, sets)
	}
}

func has(m *lts.LTS, wanted lts.Transition) bool {
	for t := range m.Transitions() {
		if t == wanted {
			return true
		}
	}
	return false
}

// TestSmallest compares the weights of arguments with those by the definition of smallest
// trees: least ones that the equations of runs allow, loops by shortest ways between all
// pairs of states.
func TestSmallest(t *testing.T) {
	compared := 0
	for seed := range randomlts.Share(3000) {
		r := rand.New(rand.NewPCG(seed, 8))
		m := randomlts.Seeded(seed, randomlts.Small()).Model
		// What takes some run only, without labels.
		var existential func(depth int) string
		existential = func(depth int) string {
			if depth == 0 {
				return []string{"deadlock", "!deadlock", "<A> true", "<B> <A> true", "true"}[r.IntN(5)]
			}
			sub := func() string { return "(" + existential(depth-1) + ")" }
			switch r.IntN(7) {
			case 0:
				return sub() + " && " + sub()
			case 1:
				return sub() + " || " + sub()
			case 2:
				return "EX " + sub()
			case 3:
				return "E[" + sub() + " R " + sub() + "]"
			case 4:
				return "EG " + sub()
			}
			return "E[" + sub() + " U " + sub() + "]"
		}
		text := existential(2)
		x := newCase(t, m, text)
		root := claim{x.closure.Root(), true}
		w := x.weigh(root)
		want := smallest(x, root)
		for _, s := range x.states {
			if x.isTrueAndAdmitted(root, s) {
				compared++
				if float64(w.weights[s]) != want[s] {
					t.Fatalf("seed %d: %s in %d weighs %d, want %v", seed, text, s, w.weights[s], want[s])
				}
			}
		}
	}
	if randomlts.Whole() && compared < 3000 {
		t.Errorf("only %d compared", compared)
	}
}

// TestLoopsOfHub: the smallest loops through all states of a hub are found within cycleWork, although each passes
// the hub: what leaves it is not read once for each of them.
func TestLoopsOfHub(t *testing.T) {
	const spokes = 3000
	var b lts.Builder
	for s := lts.State(1); s <= spokes; s++ {
		b.Add(0, b.Label(fmt.Sprint("out", s)), s)
		b.Add(s, b.Label(fmt.Sprint("back", s)), 0)
	}
	m, err := b.Build(0, spokes+1)
	if err != nil {
		t.Fatal(err)
	}
	x := newCase(t, m, "A[true U {out7} true]")
	a, err := x.Argue(0)
	if err != nil {
		t.Fatal(err)
	}
	if a.Weight != 2 || !a.Smallest || len(a.Run.Steps) != 2 {
		t.Errorf("weight %d, smallest: %t, run %v; want a loop of 2 transitions, of which it is known that none is smaller", a.Weight, a.Smallest, a.Run)
	}
}
