package ltl_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// tableau decides whether some maximal run violates a formula: its vertices are positions of runs
// with a guess which temporal parts hold there, its edges those by which the guesses agree with
// how each operator is unfolded, and fair is what keeps its promises again and again (Lichtenstein
// and Pnueli, POPL 1985).
type tableau struct {
	v     valued
	nodes []*temporal.Formula // temporal ones
	atom  func(int, position) bool
	// places are positions, with what can come next.
	places []position
	next   [][]int
	begin  []int
}

type vertex struct {
	place int
	guess uint
}

func newTableau(v valued, f *temporal.Formula, atom func(int, position) bool) *tableau {
	t := &tableau{v: v, atom: atom}
	t.collect(f)
	from := map[lts.State][]int{}
	var leads []lts.State
	add := func(p position, to lts.State) {
		from[p.state] = append(from[p.state], len(t.places))
		t.places, leads = append(t.places, p), append(leads, to)
	}
	for s := range lts.State(v.m.NumStates()) {
		labels, targets := v.m.Out(s)
		for i, to := range targets {
			add(position{s, v.m.Alphabet().Text(labels.At(i))}, to)
		}
		if len(targets) == 0 {
			add(position{s, ""}, s)
		}
	}
	for _, to := range leads {
		t.next = append(t.next, from[to])
	}
	t.begin = from[v.m.Initial()]
	return t
}

func (t *tableau) collect(f *temporal.Formula) {
	for _, p := range f.Parts() {
		t.collect(p)
	}
	if f.Operator() >= temporal.NextOp && !slices.Contains(t.nodes, f) {
		t.nodes = append(t.nodes, f)
	}
}

// holds returns the truth of a formula at a vertex, temporal parts by the guess.
func (t *tableau) holds(f *temporal.Formula, x vertex) bool {
	part := func(i int) bool { return t.holds(f.Parts()[i], x) }
	switch f.Operator() {
	case temporal.TrueOp:
		return true
	case temporal.FalseOp:
		return false
	case temporal.AtomOp:
		return t.atom(f.Number(), t.places[x.place])
	case temporal.DeadlockOp:
		return t.places[x.place].label == ""
	case temporal.NotOp:
		return !part(0)
	case temporal.AndOp, temporal.OrOp:
		or := f.Operator() == temporal.OrOp
		for i := range f.Parts() {
			if part(i) == or {
				return or
			}
		}
		return !or
	case temporal.ImpliesOp:
		return !part(0) || part(1)
	case temporal.IffOp:
		return part(0) == part(1)
	}
	return x.guess>>slices.Index(t.nodes, f)&1 == 1
}

// agrees reports whether the guesses of two vertices that follow each other agree.
func (t *tableau) agrees(x, y vertex) bool {
	for _, f := range t.nodes {
		now, later := t.holds(f, x), t.holds(f, y)
		a := t.holds(f.Parts()[0], x)
		b := len(f.Parts()) > 1 && t.holds(f.Parts()[1], x)
		want := false
		switch f.Operator() {
		case temporal.NextOp:
			want = t.holds(f.Parts()[0], y)
		case temporal.EventuallyOp:
			want = a || later
		case temporal.AlwaysOp:
			want = a && later
		case temporal.UntilOp, temporal.WeakUntilOp:
			want = b || a && later
		case temporal.ReleaseOp, temporal.StrongOp:
			want = b && (a || later)
		}
		if now != want {
			return false
		}
	}
	return true
}

// keeps reports whether at a vertex the guess about a temporal part promises nothing, or keeps it.
func (t *tableau) keeps(f *temporal.Formula, x vertex) bool {
	a := t.holds(f.Parts()[0], x)
	b := len(f.Parts()) > 1 && t.holds(f.Parts()[1], x)
	switch now := t.holds(f, x); f.Operator() {
	case temporal.EventuallyOp:
		return !now || a
	case temporal.AlwaysOp:
		return now || !a
	case temporal.UntilOp:
		return !now || b
	case temporal.WeakUntilOp:
		return now || !a && !b
	case temporal.ReleaseOp:
		return now || !b
	case temporal.StrongOp:
		return !now || a && b
	}
	return true
}

// violates reports whether some run from the beginning does not satisfy f.
func (t *tableau) violates(f *temporal.Formula) bool {
	out := map[vertex][]vertex{}
	var reach func(vertex)
	reach = func(x vertex) {
		if _, known := out[x]; known {
			return
		}
		out[x] = []vertex{}
		for _, p := range t.next[x.place] {
			for guess := range uint(1) << len(t.nodes) {
				if y := (vertex{p, guess}); t.agrees(x, y) {
					out[x] = append(out[x], y)
					reach(y)
				}
			}
		}
	}
	for _, p := range t.begin {
		for guess := range uint(1) << len(t.nodes) {
			if x := (vertex{p, guess}); !t.holds(f, x) {
				reach(x)
			}
		}
	}
	// A vertex is on a fair cycle if, in the part in which it can come back, each promise is kept.
	for x := range out {
		ahead := t.ahead(out, x)
		if !ahead[x] {
			continue
		}
		fair := !slices.ContainsFunc(t.nodes, func(f *temporal.Formula) bool {
			for y := range ahead {
				if t.keeps(f, y) && t.ahead(out, y)[x] {
					return false
				}
			}
			return true
		})
		if fair {
			return true
		}
	}
	return false
}

// ahead returns what can be come to from a vertex by one edge or more.
func (t *tableau) ahead(out map[vertex][]vertex, x vertex) map[vertex]bool {
	met := map[vertex]bool{}
	open := slices.Clone(out[x])
	for len(open) > 0 {
		y := open[len(open)-1]
		open = open[:len(open)-1]
		if !met[y] {
			met[y] = true
			open = append(open, out[y]...)
		}
	}
	return met
}

// TestTemporalLogicAboutStatesByTableau: verdicts of both kinds are those of a tableau.
func TestTemporalLogicAboutStatesByTableau(t *testing.T) {
	ctx := context.Background()
	times := int(randomlts.Share(5_000))
	r := rand.New(rand.NewPCG(7, 31))
	kinds := map[explain.Verdict]int{}
	for range times {
		v := drawValued(t, r)
		parsed, err := ltl.Parse(ctx, drawLTL(r, 1+r.IntN(3)))
		if err != nil {
			t.Fatal(err)
		}
		atoms := parsed.Atoms()
		b := newTableau(v, parsed.Temporal(), func(n int, at position) bool {
			text := atoms[n].String()
			for _, a := range stateAtoms {
				if a.text == text {
					return a.holds(v.x[at.state], v.y[at.state])
				}
			}
			return at.label != "" && atoms[n].Matches(at.label)
		})
		if len(b.nodes) > 4 || len(b.places) > 12 {
			continue
		}
		e, err := explain.Check(ctx, v.m, parsed, explain.Options{Source: explain.Source{States: v.table}})
		if err != nil {
			t.Fatalf("%s: %v", parsed, err)
		}
		if want := b.violates(parsed.Temporal()); want != (e.Verdict == explain.Violated) {
			t.Fatalf("%s is %s; it is violated: %t\n%v\n%v %v", parsed, e.Verdict, want, slices.Collect(v.m.Transitions()), v.x, v.y)
		}
		kinds[e.Verdict]++
	}
	if kinds[explain.Satisfied] < times/20 || kinds[explain.Violated] < times/20 {
		t.Errorf("verdicts: %v", kinds)
	}
	t.Log(kinds)
}
