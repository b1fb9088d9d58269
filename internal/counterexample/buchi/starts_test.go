package buchi

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"pgregory.net/rapid"
)

// rawAutomaton is what a file says: several initial states, accepting states, and
// edges some of which are marked.
type rawAutomaton struct {
	states    int
	starts    []int
	accepting []bool
	edges     []rawEdge
}

type rawEdge struct {
	from, to int
	marked   bool
}

func rawAutomata() *rapid.Generator[rawAutomaton] {
	return rapid.Custom(func(t *rapid.T) rawAutomaton {
		n := rapid.IntRange(1, 6).Draw(t, "states")
		state := rapid.IntRange(0, n-1)
		edge := rapid.Custom(func(t *rapid.T) rawEdge {
			return rawEdge{state.Draw(t, "from"), state.Draw(t, "to"), rapid.IntRange(0, 3).Draw(t, "marked") == 0}
		})
		a := rawAutomaton{states: n, accepting: make([]bool, n)}
		a.starts = rapid.SliceOfNDistinct(state, 1, min(n, 3), rapid.ID[int]).Draw(t, "starts")
		a.edges = rapid.SliceOfN(edge, 0, 2*n+2).Draw(t, "edges")
		if rapid.Bool().Draw(t, "state-based") {
			for s := range a.accepting {
				a.accepting[s] = rapid.IntRange(0, 4).Draw(t, "accepting") == 0
			}
		}
		return a
	})
}

// String writes the automaton in the Hanoi format.
func (a rawAutomaton) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "HOA: v1\nStates: %d\n", a.states)
	for _, s := range a.starts {
		fmt.Fprintf(&b, "Start: %d\n", s)
	}
	fmt.Fprint(&b, "acc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\n")
	for s := range a.states {
		mark := ""
		if a.accepting[s] {
			mark = " {0}"
		}
		fmt.Fprintf(&b, "State: %d%s\n", s, mark)
		for _, e := range a.edges {
			if e.from != s {
				continue
			}
			mark := ""
			if e.marked {
				mark = " {0}"
			}
			fmt.Fprintf(&b, "[t] %d%s\n", e.to, mark)
		}
	}
	b.WriteString("--END--\n")
	return b.String()
}

// isMarked reports whether an edge, or the state that it leaves, is accepting.
func (a rawAutomaton) isMarked(e rawEdge) bool { return e.marked || a.accepting[e.from] }

// shortest is the number of transitions of a shortest accepting lasso, 0 if there
// is none: of a way from an initial state to a state, and a way of at least one
// transition from there back to it over a marked edge. It knows nothing of accepting
// states that become two, and searches edge by edge.
func (a rawAutomaton) shortest() int {
	best := 0
	stem := a.distances(a.starts, false)
	for s := range a.states {
		if stem[2*s] < 0 {
			continue
		}
		if loop := a.distances([]int{s}, true)[2*s+1]; loop > 0 && (best == 0 || stem[2*s]+loop < best) {
			best = stem[2*s] + loop
		}
	}
	return best
}

// distances returns by 2·state the distance from the nearest start, and by
// 2·state+1 that of a way over a marked edge where these count; -1 for none.
func (a rawAutomaton) distances(starts []int, marks bool) []int {
	d := make([]int, 2*a.states)
	for i := range d {
		d[i] = -1
	}
	var queue []int
	for _, s := range starts {
		d[2*s] = 0
		queue = append(queue, 2*s)
	}
	for ; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, e := range a.edges {
			if e.from != at/2 {
				continue
			}
			to := 2*e.to + at%2
			if marks && a.isMarked(e) {
				to = 2*e.to + 1
			}
			if d[to] < 0 {
				d[to] = d[at] + 1
				queue = append(queue, to)
			}
		}
	}
	return d
}

// replay checks that the steps of a lasso are edges of the file that make an
// accepting run of it.
func (a rawAutomaton) replay(l *Lasso, steps []Step) error {
	started := false
	for _, s := range a.starts {
		started = started || State(s) == steps[0].From
	}
	if !started {
		return fmt.Errorf("it begins in state %d", steps[0].From)
	}
	accepting := false
	for i, step := range steps {
		next := steps[l.LoopStart].From
		if i+1 < len(steps) {
			next = steps[i+1].From
		}
		found, marked := false, false
		for _, e := range a.edges {
			if State(e.from) == step.From && State(e.to) == step.To {
				found, marked = true, marked || a.isMarked(e)
			}
		}
		if !found || step.To != next {
			return fmt.Errorf("step %d, from %d to %d, is none of the file", i+1, step.From, step.To)
		}
		accepting = accepting || i >= l.LoopStart && marked
	}
	if !accepting {
		return fmt.Errorf("its loop has no marked edge")
	}
	return nil
}

// TestShortestInFile: on thousands of automata with marks on edges and several
// initial states, a shortest lasso is one of the file, whatever the file had to
// become; and a bound is in the lengths of the file.
func TestShortestInFile(t *testing.T) {
	ctx := context.Background()
	found, nonempty := 0, 0
	thousands(t, func(t *rapid.T) {
		a := rawAutomata().Draw(t, "automaton")
		d, err := ReadHOA(ctx, strings.NewReader(a.String()), "a.hoa")
		if err != nil {
			t.Fatal(err)
		}
		want := a.shortest()
		if want > 0 {
			nonempty++
		}
		for _, algorithm := range []Algorithm{ByColour, ByContrex, ByPriority} {
			l, stats, err := d.Find(ctx, FindOptions{Algorithm: algorithm}, nil)
			switch {
			case err != nil:
				t.Fatal(err)
			case l == nil && want == 0:
				continue
			case l == nil || want == 0:
				t.Fatalf("%s: found %v, want %d transitions\n%s", algorithm, l, want, a)
			}
			found++
			if n := l.Transitions(); n < want || n > want && algorithm != ByColour {
				t.Fatalf("%s: %d transitions, want %d\n%s", algorithm, n, want, a)
			}
			if stats.Length != l.Length() {
				t.Fatalf("%s: length %d, in the statistics %d", algorithm, l.Length(), stats.Length)
			}
			if err := a.replay(l, d.Steps(*l)); err != nil {
				t.Fatalf("%s: %v\n%s", algorithm, err, a)
			}
			if algorithm == ByColour {
				continue
			}
			below, _, err := d.Find(ctx, FindOptions{Algorithm: algorithm, Bound: l.Length()}, nil)
			if err != nil || below != nil {
				t.Fatalf("%s: below its length there is %v (error %v)", algorithm, below, err)
			}
			if above, _, err := d.Find(ctx, FindOptions{Algorithm: algorithm, Bound: l.Length() + 1}, nil); err != nil || above == nil || above.Length() != l.Length() {
				t.Fatalf("%s: within its length there is %v (error %v)", algorithm, above, err)
			}
		}
	})
	if randomlts.Whole() && nonempty < 500 || found < nonempty {
		t.Errorf("only %d automata have a run", nonempty)
	}
}
