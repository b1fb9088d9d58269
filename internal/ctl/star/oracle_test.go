package star_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/ctl/fair"
	"github.com/inev-lts/inev/internal/ctl/star"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// tree is a formula, as it was drawn.
type tree struct {
	op          string // p, q, deadlock, A (labels), !, &&, ||, ->, E[, A[, EX, X, F, G, U, R, W, M
	left, right *tree
}

func (f *tree) String() string {
	switch f.op {
	case "p", "q", "deadlock":
		return f.op
	case "{A}":
		return "{A}"
	case "!", "EX", "X", "F", "G":
		return f.op + " (" + f.right.String() + ")"
	case "E[", "A[":
		return f.op + f.right.String() + "]"
	}
	return "(" + f.left.String() + ") " + f.op + " (" + f.right.String() + ")"
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// drawState draws a formula about states, drawRun one about runs.
func drawState(r *rand.Rand, depth int) *tree {
	if depth == 0 {
		return &tree{op: pick(r, "p", "q", "p", "deadlock")}
	}
	switch op := pick(r, "!", "&&", "E[", "A[", "E[", "A[", "EX", "p"); op {
	case "E[", "A[":
		// What is no formula about runs is not written so.
		return &tree{op: op, right: &tree{op: pick(r, "F", "G", "X"), right: drawRun(r, depth)}}
	case "!", "EX":
		return &tree{op: op, right: drawState(r, depth-1)}
	case "&&":
		return &tree{op: op, left: drawState(r, depth-1), right: drawState(r, depth-1)}
	}
	return &tree{op: "p"}
}

func drawRun(r *rand.Rand, depth int) *tree {
	if depth == 0 {
		return pick(r, &tree{op: "p"}, &tree{op: "q"}, &tree{op: "{A}"})
	}
	switch op := pick(r, "!", "&&", "||", "->", "X", "F", "G", "U", "R", "W", "M", "state", "{A}"); op {
	case "state":
		return drawState(r, depth-1)
	case "{A}":
		return &tree{op: op}
	case "!", "X", "F", "G":
		return &tree{op: op, right: drawRun(r, depth-1)}
	default:
		return &tree{op: op, left: drawRun(r, depth-1), right: drawRun(r, depth-1)}
	}
}

// run is a run of states and labels: one that ends has one more state than labels, one that loops goes
// on from its last state by the last label to position loop.
type run struct {
	states []lts.State
	labels []string
	loop   int // -1 if it ends
}

// world is a model with what is known of it.
type world struct {
	t    *testing.T
	m    *lts.LTS
	p, q uint64
	fair []*actl.Assumption
	b    *property.Fairness
	runs map[lts.State][]run
	out  map[lts.State][]lts.Transition
	// stops counts runs that end where all that is possible may be blocked.
	stops int
	seed  uint64
}

func (w *world) holds(name string, s lts.State) bool {
	if name == "p" {
		return w.p>>s&1 != 0
	}
	return w.q>>s&1 != 0
}

// isFair reports whether a loop is fair, step by step.
func (w *world) isFair(loop []lts.Transition) bool {
	if w.b == nil {
		return true
	}
	for _, t := range loop {
		if w.b.Rare(t.Label) {
			return false
		}
	}
	j := w.b.Justness()
	for _, at := range loop {
		// What is possible, and not blocking, is interfered with: by itself, or a common component.
		for _, o := range w.out[at.From] {
			if j != nil && !slices.Contains(j.Blocking, o.Label) && !slices.ContainsFunc(loop, func(t lts.Transition) bool {
				return t.Label == o.Label || slices.ContainsFunc(j.Components[t.Label], func(c uint32) bool { return slices.Contains(j.Components[o.Label], c) })
			}) {
				return false
			}
		}
	}
	for _, task := range w.b.Tasks() {
		if j != nil {
			break // justness has no others here
		}
		taken, always, once := false, true, false
		for _, t := range loop {
			taken = taken || slices.Contains(task.Labels, t.Label)
			enabled := false
			for _, o := range w.out[t.From] {
				enabled = enabled || slices.Contains(task.Labels, o.Label)
			}
			always, once = always && enabled, once || enabled
		}
		if !taken && (always || task.Strong && once) {
			return false
		}
	}
	return true
}

// mayEnd reports whether a run may end in a state: nothing is possible there that must not be blocked.
func (w *world) mayEnd(s lts.State) bool {
	return !slices.ContainsFunc(w.out[s], func(t lts.Transition) bool {
		return w.b.Justness() == nil || !slices.Contains(w.b.Justness().Blocking, t.Label)
	})
}

// explore lists the runs from a state with at most so many transitions.
func (w *world) explore(from lts.State, most int) []run {
	var all []run
	var path []lts.Transition
	var go1 func(s lts.State)
	add := func(loop int) {
		x := run{loop: loop}
		for _, t := range path {
			x.states, x.labels = append(x.states, t.From), append(x.labels, w.m.Alphabet().Text(t.Label))
		}
		if loop < 0 {
			at := from
			if len(path) > 0 {
				at = path[len(path)-1].To
			}
			x.states = append(x.states, at)
		}
		all = append(all, x)
	}
	go1 = func(s lts.State) {
		if w.mayEnd(s) {
			add(-1)
		}
		for i, t := range path {
			if t.From == s && w.isFair(path[i:]) {
				add(i)
			}
		}
		if len(path) == most {
			return
		}
		for _, t := range w.out[s] {
			path = append(path, t)
			go1(t.To)
			path = path[:len(path)-1]
		}
	}
	go1(from)
	return all
}

// on evaluates a formula at each position of a run.
func (w *world) on(f *tree, x run, sat func(*tree) []bool) []bool {
	n := len(x.states)
	now := make([]bool, n)
	var left, right []bool
	switch f.op {
	case "p", "q", "deadlock", "E[", "A[", "EX":
		truth := sat(f)
		for i, s := range x.states {
			now[i] = truth[s]
		}
		return now
	case "{A}":
		for i := range x.labels {
			now[i] = x.labels[i] == "A"
		}
		return now
	case "!", "X", "F", "G":
		right = w.on(f.right, x, sat)
	default:
		left, right = w.on(f.left, x, sat), w.on(f.right, x, sat)
	}
	next := func(i int) (int, bool) {
		if i+1 < n {
			return i + 1, true
		}
		return x.loop, x.loop >= 0
	}
	for i := range now {
		now[i] = f.op == "G" || f.op == "R" || f.op == "W"
	}
	for range n + 1 {
		for i := n - 1; i >= 0; i-- {
			j, more := next(i)
			after := more && now[j]
			weak := !more || now[j]
			switch f.op {
			case "!":
				now[i] = !right[i]
			case "&&":
				now[i] = left[i] && right[i]
			case "||":
				now[i] = left[i] || right[i]
			case "->":
				now[i] = !left[i] || right[i]
			case "X":
				now[i] = more && right[j]
			case "F":
				now[i] = right[i] || after
			case "G":
				now[i] = right[i] && weak
			case "U":
				now[i] = right[i] || left[i] && after
			case "W":
				now[i] = right[i] || left[i] && weak
			case "R":
				now[i] = right[i] && (left[i] || weak)
			case "M":
				now[i] = right[i] && (left[i] || after)
			}
		}
	}
	return now
}

// truth decides a formula about states: by the runs that are listed, and where none of these shows it,
// by the run that package star has, which is checked.
func (w *world) truth(f *tree, known map[*tree][]bool) []bool {
	if is, has := known[f]; has {
		return is
	}
	sat := func(g *tree) []bool { return w.truth(g, known) }
	is := make([]bool, w.m.NumStates())
	var r *star.Reduced
	for s := range lts.State(w.m.NumStates()) {
		switch f.op {
		case "p", "q":
			is[s] = w.holds(f.op, s)
		case "deadlock":
			is[s] = len(w.out[s]) == 0
		case "!":
			is[s] = !sat(f.right)[s]
		case "&&":
			is[s] = sat(f.left)[s] && sat(f.right)[s]
		case "EX":
			for _, t := range w.out[s] {
				is[s] = is[s] || sat(f.right)[t.To]
			}
		case "E[", "A[":
			shown := slices.ContainsFunc(w.runs[s], func(x run) bool { return w.on(f.right, x, sat)[0] == (f.op == "E[") })
			if !shown || w.seed%4 == 0 && w.b.Justness() != nil {
				if r == nil {
					r = w.reduce(f)
				}
				by := w.showsByRun(f, r, s, sat)
				// What is a formula of CTL by itself has no run of package star.
				if c := r.Formula.Closure(); shown && !by && c.Nodes[c.Root()].Predicate.Atom != "" {
					w.t.Fatalf("%s in %d: no run shows it, under %v, %v; %s", f, s, w.fair, w.b.Justness(), describe(w))
				}
				shown = shown || by
			}
			is[s] = shown == (f.op == "E[")
		}
	}
	known[f] = is
	return is
}

// showsByRun checks a run that the package has, if it has one.
func (w *world) showsByRun(f *tree, r *star.Reduced, s lts.State, sat func(*tree) []bool) bool {
	c := r.Formula.Closure()
	p := c.Nodes[c.Root()].Predicate
	found, err := r.Run(p, s)
	if err != nil {
		w.t.Fatal(err)
	}
	if found == nil {
		return false
	}
	x := run{loop: found.LoopStart}
	at := s
	for _, t := range found.Steps {
		if t.From != at || !slices.Contains(w.out[at], t) {
			w.t.Fatalf("%v: no run", found)
		}
		x.states, x.labels = append(x.states, at), append(x.labels, w.m.Alphabet().Text(t.Label))
		at = t.To
	}
	switch {
	case found.Open:
		// Any run that follows will do.
		rest := w.explore(at, 5)[0]
		n := len(x.states)
		x.states, x.labels = append(x.states, rest.states...), append(x.labels, rest.labels...)
		if x.loop = -1; rest.loop >= 0 {
			x.loop = rest.loop + n
		}
	case x.loop < 0:
		if !w.mayEnd(at) {
			w.t.Fatalf("%v: may not end there", found)
		}
		if len(w.out[at]) > 0 {
			w.stops++
		}
		x.states = append(x.states, at)
	case found.Steps[x.loop].From != at || !w.isFair(found.Steps[x.loop:]):
		w.t.Fatalf("%v: the loop is not closed, or not fair", found)
	}
	if w.on(f.right, x, sat)[0] != (f.op == "E[") {
		w.t.Fatalf("%v does not show %s in %d", found, f, s)
	}
	return true
}

func (w *world) reduce(f *tree) *star.Reduced {
	w.t.Helper()
	ctx := context.Background()
	parsed, err := syntax.ParseStar(ctx, f.String())
	if err != nil {
		w.t.Fatalf("%s: %v", f, err)
	}
	if again, err := syntax.ParseStar(ctx, parsed.String()); err != nil || again.String() != parsed.String() {
		w.t.Fatalf("%s: %s is read as %s, error %v", f, parsed, again, err)
	}
	var asked wmc.States
	for s := range lts.State(w.m.NumStates()) {
		asked = append(asked, s)
	}
	r, err := star.Reduce(ctx, star.Question{
		Model: w.m, Formula: parsed, Asked: asked, Fairness: w.b,
		Holding: func(p syntax.Predicate) (wmc.States, error) {
			var in wmc.States
			for _, s := range asked {
				if w.holds(p.Name, s) {
					in = append(in, s)
				}
			}
			return in, nil
		},
	})
	if err != nil {
		w.t.Fatalf("%s: %v", f, err)
	}
	return r
}

// newWorld returns a random model, half of them with an assumption.
func newWorld(t *testing.T, seed uint64, r *rand.Rand) *world {
	ctx := context.Background()
	w := &world{t: t, seed: seed, m: randomlts.Seeded(seed, randomlts.Size{States: 3, Transitions: 6, Labels: 2, Steps: 2}).Model, p: r.Uint64(), q: r.Uint64(), runs: map[lts.State][]run{}, out: map[lts.State][]lts.Transition{}}
	needs := map[string][]string{}
	for _, label := range []string{"A", "B"} {
		for _, component := range []string{"P", "Q"} {
			if r.IntN(2) == 0 {
				needs[label] = append(needs[label], component)
			}
		}
	}
	for _, text := range pick(r, nil, nil, []string{"weak"}, []string{"strong"}, []string{"strong:A"}, []string{"weak:A"}, []string{"just"}, []string{"just", "blocking:A"}, []string{"just", "blocking:B"}) {
		a, err := actl.ParseAssumption(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		if a.Kind() == actl.Just {
			a = a.On(func(label string) []string { return needs[label] })
		}
		w.fair = append(w.fair, a)
	}
	var err error
	if w.b, _, err = actl.BindAssumptions(ctx, w.fair, w.m.Alphabet()); err != nil {
		t.Fatal(err)
	}
	if err := w.m.FindPredecessors(ctx); err != nil {
		t.Fatal(err)
	}
	for x := range w.m.Transitions() {
		w.out[x.From] = append(w.out[x.From], x)
	}
	for s := range lts.State(w.m.NumStates()) {
		w.runs[s] = w.explore(s, 5)
	}
	return w
}

// TestLikeLassos compares formulas of CTL* with all short runs of random models, and their runs with
// what they are to show.
func TestLikeLassos(t *testing.T) {
	holds, all, stops := 0, 0, 0
	for seed := range randomlts.Share(1000) {
		r := rand.New(rand.NewPCG(seed, 11))
		w := newWorld(t, seed, r)
		f := drawState(r, 2)
		x := w.reduce(f)
		want := w.truth(f, map[*tree][]bool{})
		c := x.Formula.Closure()
		means, _, err := c.Bind(context.Background(), w.m.Alphabet(), nil)
		if err != nil {
			t.Fatal(err)
		}
		good := w.decide(c, means, x)
		for _, s := range x.Asked {
			if want[s] != good.Has(s) {
				t.Fatalf("seed %d: %s in %d: want %t, under %v; %s", seed, f, s, want[s], w.fair, describe(w))
			}
			all++
			if want[s] {
				holds++
			}
		}
		stops += w.stops
	}
	if stops == 0 {
		t.Error("no run stops")
	}
	if holds < all/5 || holds > all*4/5 {
		t.Errorf("%d of %d hold: the samples are one-sided", holds, all)
	}
}

// decide decides the formula that is left.
func (w *world) decide(c *syntax.Closure, means [][]bool, x *star.Reduced) wmc.States {
	w.t.Helper()
	if w.b == nil {
		a, err := wmc.Check(context.Background(), wmc.NewExplicit(w.m, means, x.Holding), c, x.Asked, wmc.Options{})
		if err != nil {
			w.t.Fatal(err)
		}
		return a.Good
	}
	a, err := fair.Decide(context.Background(), fair.Question{
		Model: w.m, Closure: c, Means: means, Asked: x.Asked, Fairness: w.b,
		Holding: func(p syntax.Predicate) ([]lts.State, error) { return x.Holding(p) },
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return a.Good
}

func describe(w *world) string {
	text := fmt.Sprintf("p %b q %b\n", w.p&7, w.q&7)
	for t := range w.m.Transitions() {
		text += fmt.Sprintf("(%d,%s,%d)\n", t.From, w.m.Alphabet().Text(t.Label), t.To)
	}
	return text
}
