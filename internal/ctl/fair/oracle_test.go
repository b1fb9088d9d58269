package fair_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/ctl/fair"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc/verify"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// brute decides formulas by the definition: it tries every set of transitions that a run could take
// infinitely often, and follows each formula about runs as a monitor along them.
type brute struct {
	m     *lts.LTS
	c     *syntax.Closure
	means [][]bool
	f     *property.Fairness
	p     func(s lts.State) bool
	out   [][]lts.Transition
	// rounds are the sets that are strongly connected and fair.
	rounds   [][]lts.Transition
	admitted []bool
	sat      [][]bool
}

// outcome is the verdict of a monitor at some point of a run.
type outcome int

const (
	open outcome = iota
	yes
	no
)

func newBrute(m *lts.LTS, c *syntax.Closure, means [][]bool, f *property.Fairness, p func(lts.State) bool) *brute {
	b := &brute{m: m, c: c, means: means, f: f, p: p, out: make([][]lts.Transition, m.NumStates())}
	var all []lts.Transition
	for t := range m.Transitions() {
		all = append(all, t)
		b.out[t.From] = append(b.out[t.From], t)
	}
	for choice := 1; choice < 1<<len(all); choice++ {
		var set []lts.Transition
		for i, t := range all {
			if choice>>i&1 != 0 {
				set = append(set, t)
			}
		}
		if isConnected(set) && b.isFair(set) {
			b.rounds = append(b.rounds, set)
		}
	}
	b.admitted = make([]bool, m.NumStates())
	for s := range b.admitted {
		b.admitted[s] = b.mayEnd(lts.State(s))
		for _, set := range b.rounds {
			b.admitted[s] = b.admitted[s] || set[0].From == lts.State(s)
			for _, t := range set {
				b.admitted[s] = b.admitted[s] || t.From == lts.State(s)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, t := range all {
			if b.admitted[t.To] && !b.admitted[t.From] {
				b.admitted[t.From], changed = true, true
			}
		}
	}
	for _, n := range c.Nodes {
		sat := make([]bool, m.NumStates())
		b.sat = append(b.sat, sat)
		for s := range sat {
			sat[s] = b.holds(n, lts.State(s))
		}
	}
	return b
}

func isConnected(set []lts.Transition) bool {
	for _, forward := range []bool{true, false} {
		visited := map[lts.State]bool{set[0].From: true}
		for range set {
			for _, t := range set {
				from, to := t.From, t.To
				if !forward {
					from, to = to, from
				}
				visited[to] = visited[to] || visited[from]
			}
		}
		for _, t := range set {
			if !visited[t.From] || !visited[t.To] {
				return false
			}
		}
	}
	return true
}

// mayEnd reports whether a run may end in a state: where nothing is possible that must not be refused.
func (b *brute) mayEnd(s lts.State) bool {
	return !slices.ContainsFunc(b.out[s], func(t lts.Transition) bool { return !b.blocking(t.Label) })
}

func (b *brute) blocking(l lts.Label) bool {
	return b.f.Justness() != nil && slices.Contains(b.f.Justness().Blocking, l)
}

// isJust reports whether each action that is possible somewhere in a set, and must not be refused, is
// interfered with there: by itself, or by what needs one of the same components.
func (b *brute) isJust(set []lts.Transition) bool {
	j := b.f.Justness()
	if j == nil {
		return true
	}
	for _, at := range set {
		for _, possible := range b.out[at.From] {
			if !b.blocking(possible.Label) && !slices.ContainsFunc(set, func(t lts.Transition) bool {
				return t.Label == possible.Label || slices.ContainsFunc(j.Components[t.Label], func(c uint32) bool {
					return slices.Contains(j.Components[possible.Label], c)
				})
			}) {
				return false
			}
		}
	}
	return true
}

func (b *brute) isFair(set []lts.Transition) bool {
	if !b.isJust(set) {
		return false
	}
	taken, states := map[lts.Transition]bool{}, map[lts.State]bool{}
	for _, t := range set {
		if b.f.Rare(t.Label) {
			return false
		}
		taken[t], states[t.From] = true, true
	}
	for _, task := range b.f.Tasks() {
		if b.f.Justness() != nil && task.Strong {
			continue // of justness, which was looked at
		}
		is := map[lts.Label]bool{}
		for _, l := range task.Labels {
			is[l] = true
		}
		in := func(t lts.Transition) bool { return is[t.Label] && !(task.Nonstuttering && t.From == t.To) }
		done, enabled := false, 0
		for s := range states {
			here := false
			for _, t := range b.out[s] {
				here = here || in(t)
				done = done || in(t) && taken[t]
			}
			if here {
				enabled++
			}
		}
		if !done && (task.Strong && enabled > 0 || enabled == len(states)) {
			return false
		}
	}
	for s := range states {
		for _, t := range b.out[s] {
			if b.f.Full() && !taken[t] {
				return false
			}
		}
	}
	return true
}

func (b *brute) has(l syntax.Labels, label lts.Label) bool {
	return l == syntax.AnyLabel || l >= 0 && b.means[l][label]
}

// before is what is known in a state, after is what is known once a transition is taken.
func (b *brute) before(n syntax.Node, s lts.State) outcome {
	f, g := b.sat[n.Left][s], b.sat[n.Right][s]
	switch {
	case n.Op == syntax.Until && n.Last == syntax.NoLast && g:
		return yes
	case n.Op == syntax.Until && !f:
		return no
	case n.Op == syntax.Release && !g:
		return no
	case n.Op == syntax.Release && f:
		return yes
	}
	return open
}

func (b *brute) after(n syntax.Node, t lts.Transition) outcome {
	switch {
	case n.Op == syntax.Release:
		return open
	case n.Last != syntax.NoLast && b.has(n.Last, t.Label) && b.sat[n.Right][t.To]:
		return yes
	case !b.has(n.Labels, t.Label):
		return no
	}
	return open
}

// can reports whether some run that counts, from a state, has this outcome.
func (b *brute) can(n syntax.Node, s lts.State, want outcome) bool {
	forever := no
	if n.Op == syntax.Release {
		forever = yes
	}
	visited := map[lts.State]bool{s: true}
	list := []lts.State{s}
	for i := 0; i < len(list); i++ {
		at := list[i]
		if is := b.before(n, at); is != open {
			if is == want && b.admitted[at] {
				return true
			}
			delete(visited, at)
			continue
		}
		if b.mayEnd(at) && want == forever {
			return true
		}
		for _, t := range b.out[at] {
			is := b.after(n, t)
			switch {
			case is == want && b.admitted[t.To]:
				return true
			case is == open && !visited[t.To]:
				visited[t.To] = true
				list = append(list, t.To)
			}
		}
	}
	if want != forever {
		return false
	}
	for _, set := range b.rounds {
		all := true
		for _, t := range set {
			all = all && visited[t.From] && b.before(n, t.From) == open && b.after(n, t) == open
		}
		if all {
			return true
		}
	}
	return false
}

func (b *brute) holds(n syntax.Node, s lts.State) bool {
	switch n.Op {
	case syntax.True:
		return true
	case syntax.Deadlock:
		return len(b.out[s]) == 0
	case syntax.Holds:
		return b.p(s)
	case syntax.Not:
		return !b.sat[n.Right][s]
	case syntax.And:
		return b.sat[n.Left][s] && b.sat[n.Right][s]
	case syntax.Or:
		return b.sat[n.Left][s] || b.sat[n.Right][s]
	case syntax.Next:
		for _, t := range b.out[s] {
			if b.has(n.Labels, t.Label) && b.admitted[t.To] && b.sat[n.Right][t.To] == (n.Path == syntax.Some) {
				return n.Path == syntax.Some
			}
		}
		return n.Path == syntax.All
	case syntax.Until, syntax.Release:
		if n.Path == syntax.Some {
			return b.can(n, s, yes)
		}
		return !b.can(n, s, no)
	}
	return false
}

// sample is a random model, formula and assumption.
type sample struct {
	m      *lts.LTS
	f      *syntax.Formula
	c      *syntax.Closure
	means  [][]bool
	fair   []*actl.Assumption
	bound  *property.Fairness
	p      func(lts.State) bool
	truth  *brute
	asked  []lts.State
	marked []lts.State
}

func newSample(t testing.TB, seed uint64) *sample {
	t.Helper()
	ctx := context.Background()
	r := rand.New(rand.NewPCG(seed, 5))
	x := &sample{m: randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 11, Labels: 3, Steps: 2}).Model}
	marks := r.Uint64()
	x.p = func(s lts.State) bool { return marks>>s&1 != 0 }
	for s := range lts.State(x.m.NumStates()) {
		if x.p(s) {
			x.marked = append(x.marked, s)
		}
	}
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	var err error
	part := func() string { return randomlts.Branching(r, 1, randomlts.BranchingAtoms("p")) }
	texts := []string{
		randomlts.Branching(r, 2, randomlts.BranchingAtoms("p")), "AF " + part(), "EG " + part(), "AG AF " + part(), "EF EG " + part(),
		"A[" + part() + " U " + part() + "]", "E[" + part() + " R " + part() + "]", "A[true {A} U {B} true]", "A[" + part() + " {A, B} U {B} " + part() + "]",
		"A[" + part() + " {true} U {A, C} p]",
	}
	x.f, err = syntax.Parse(ctx, texts[r.IntN(len(texts))])
	must(err)
	x.c = x.f.Closure()
	hidden, _, err := actl.Text("C").Atom(ctx, 0)
	must(err)
	x.means, _, err = x.c.Bind(ctx, x.m.Alphabet(), []actl.Pattern{hidden})
	must(err)
	assumed := [][]string{{"full"}, {"weak"}, {"strong"}, {"weak:A"}, {"strong:A,B"}, {"strong!:A,B"}, {"weak!"}, {"finitely:A"}, {"strong:B", "finitely:A"}, {"weak:A", "strong:B"},
		{"just"}, {"just", "blocking:A"}, {"just", "blocking:A,C"}, {"just", "finitely:B"}, {"just", "blocking:B", "weak:A"},
	}
	needs := map[string][]string{}
	for _, label := range []string{"A", "B", "C"} {
		for _, component := range []string{"P", "Q", "R"} {
			if r.IntN(3) == 0 {
				needs[label] = append(needs[label], component)
			}
		}
	}
	for _, text := range assumed[r.IntN(len(assumed))] {
		a, err := actl.ParseAssumption(ctx, text)
		must(err)
		if a.Kind() == actl.Just {
			a = a.On(func(label string) []string { return needs[label] })
		}
		x.fair = append(x.fair, a)
	}
	x.bound, _, err = actl.BindAssumptions(ctx, x.fair, x.m.Alphabet())
	must(err)
	must(x.m.FindPredecessors(ctx))
	x.truth = newBrute(x.m, x.c, x.means, x.bound, x.p)
	for s := range lts.State(x.m.NumStates()) {
		if s == x.m.Initial() || r.IntN(2) == 0 {
			x.asked = append(x.asked, s)
		}
	}
	if !slices.ContainsFunc(x.asked, func(s lts.State) bool { return x.truth.admitted[s] }) {
		x.asked = nil
	}
	return x
}

func (x *sample) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %v, p in %v, under %v, of\ndes (%d,%d,%d)\n", x.f, x.asked, x.marked, x.fair, x.m.Initial(), x.m.NumTransitions(), x.m.NumStates())
	for t := range x.m.Transitions() {
		fmt.Fprintf(&b, "(%d,%s,%d)\n", t.From, x.m.Alphabet().Text(t.Label), t.To)
	}
	return b.String()
}

func (x *sample) tryDecide() (*fair.Decision, error) {
	return fair.Decide(context.Background(), fair.Question{
		Model: x.m, Closure: x.c, Means: x.means, Asked: x.asked, Fairness: x.bound,
		Holding: func(syntax.Predicate) ([]lts.State, error) { return x.marked, nil },
	})
}

func (x *sample) decide(t testing.TB) *fair.Decision {
	t.Helper()
	d, err := x.tryDecide()
	if err != nil {
		t.Fatalf("%v: %s", err, x)
	}
	return d
}

func (x *sample) json(t testing.TB, d *fair.Decision) []byte {
	t.Helper()
	var b bytes.Buffer
	var assumed []string
	for _, a := range x.fair {
		assumed = append(assumed, a.String())
	}
	if err := fair.WriteJSON(&b, fair.Asked{Formula: x.f.String(), Internal: []string{"C"}, Fair: assumed}, d); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (x *sample) verify(data []byte) (*verify.Result, error) {
	return verify.Verify(context.Background(), x.m, x.f, bytes.NewReader(data), verify.Options{
		Fair:  x.fair,
		Holds: func(_ syntax.Predicate, s lts.State) (bool, error) { return x.p(s), nil },
	})
}

func mustSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	schema, err := os.ReadFile("schema/ctl-fair-1.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("ctl", document); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("ctl")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestLikeBruteForce: each formula holds where it does by the definition, and the evidence for it is
// accepted.
func TestLikeBruteForce(t *testing.T) {
	s := mustSchema(t)
	holds, loops, parts, plain, left := 0, 0, map[fair.Reason]int{}, 0, 0
	n := randomlts.Share(5_000)
	for seed := range n {
		x := newSample(t, seed)
		if len(x.asked) == 0 {
			continue
		}
		d := x.decide(t)
		for i, f := range x.c.Nodes {
			for _, at := range d.States {
				if d.IsAdmitted(at) != x.truth.admitted[at] {
					t.Fatalf("seed %d: state %d: admitted %t; %s", seed, at, d.IsAdmitted(at), x)
				}
				if d.Holds(syntax.Index(i), at) != x.truth.sat[i][at] {
					t.Fatalf("seed %d: %s in %d: not %t; %s", seed, f.Formula, at, d.Holds(syntax.Index(i), at), x)
				}
			}
			if r := d.Runs(syntax.Index(i)); r != nil {
				loops += len(r.Loops)
				for _, p := range r.Parts {
					parts[p.Why]++
				}
			}
		}
		for _, at := range x.asked {
			alone := *x
			alone.asked = []lts.State{at}
			single, err := alone.tryDecide()
			var none *fair.NotAdmittedError
			switch {
			case !x.truth.admitted[at]:
				left++
				if !errors.As(err, &none) || none.State != at {
					t.Fatalf("seed %d: %v about state %d, from which no run is admitted; %s", seed, err, at, x)
				}
			case err != nil || slices.Contains(single.Good, at) != slices.Contains(d.Good, at) || slices.Contains(single.Bad, at) != slices.Contains(d.Bad, at):
				t.Fatalf("seed %d: %v, or state %d alone has another verdict; %s", seed, err, at, x)
			}
		}
		data := x.json(t, d)
		if _, err := x.verify(data); err != nil {
			t.Fatalf("seed %d: %v; %s\n%s", seed, err, x, data)
		}
		if seed%20 == 0 {
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(value); err != nil {
				t.Fatalf("%s: %v", x, err)
			}
		}
		if len(d.Bad) == 0 {
			holds++
		}
		none, err := property.NewFairness(x.m.Alphabet(), false, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if b := newBrute(x.m, x.c, x.means, none, x.p); b.sat[x.c.Root()][x.asked[0]] != x.truth.sat[x.c.Root()][x.asked[0]] {
			plain++
		}
	}
	if randomlts.Whole() && (len(parts) != 4 || loops < int(n)/20 || holds < int(n)/5 || holds > int(n)*4/5 || plain < int(n)/100 || left < int(n)/100) {
		t.Errorf("%d hold, %d loops, parts %v, %d depend on fairness, %d states have no admitted run: the samples are one-sided", holds, loops, parts, plain, left)
	}
}
