package explain_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// otherRuns is the brute-force view of further runs: a run, and which of its transitions another run
// is to avoid.
type otherRuns struct {
	t    *testing.T
	seed uint64
	m    *lts.LTS
	p    *property.Property
	a    oracle.Automaton
	g    *oracle.General
}

func newOtherRuns(t *testing.T, seed uint64, m *lts.LTS, f property.Formula) *otherRuns {
	t.Helper()
	p, _, err := f.Bind(context.Background(), m.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	a := fromproperty.Automaton(p)
	return &otherRuns{t: t, seed: seed, m: m, p: p, a: a, g: oracle.NewGeneral(m, a)}
}

// steps returns the transitions of a run.
func (x *otherRuns) steps(c *explain.Counterexample) []lts.Transition {
	var steps []lts.Transition
	for _, s := range c.Steps {
		l, _ := x.m.Alphabet().Lookup(s.Label)
		steps = append(steps, lts.Transition{From: s.From, Label: l, To: s.To})
	}
	return steps
}

// hope is 0 if the property is lost in a pair, 2 if it is sure.
func (x *otherRuns) hope(s lts.State, q int) int {
	accept, reject := x.g.Can(s, q)
	switch {
	case !accept:
		return 0
	case !reject:
		return 2
	}
	return 1
}

// ways returns the steps of a run of which a further run avoids one.
func (x *otherRuns) ways(c *explain.Counterexample) []int {
	steps := x.steps(c)
	qs := []int{x.a.Initial}
	for _, s := range steps {
		qs = append(qs, x.a.Next(qs[len(qs)-1], s.Label))
	}
	if x.hope(x.m.Initial(), x.a.Initial) > 0 {
		for i, s := range steps {
			if x.hope(s.To, qs[i+1]) == 0 {
				return []int{i}
			}
		}
		last := -1
		for i := range steps {
			q := qs[i]
			if start := int(c.LoopStart); start >= 0 && i >= start {
				q = x.recurring(steps, start, qs[len(steps)], i)
			}
			taken := x.hope(steps[i].To, x.a.Next(q, steps[i].Label))
			labels, targets := x.m.Out(steps[i].From)
			for j, to := range targets {
				if x.hope(to, x.a.Next(q, labels.At(j))) > taken {
					last = i
				}
			}
		}
		if last >= 0 {
			return []int{last}
		}
	}
	if c.LoopStart >= 0 {
		var all []int
		for i := int(c.LoopStart); i < len(steps); i++ {
			if !slices.Contains(steps[c.LoopStart:i], steps[i]) {
				all = append(all, i)
			}
		}
		return all
	}
	if len(steps) == 0 {
		return nil
	}
	return []int{len(steps) - 1}
}

// recurring returns the property state before step i in the first round that comes again, if the rounds
// after the first begin in q.
func (x *otherRuns) recurring(steps []lts.Transition, start, end, i int) int {
	round := func(q, to int) int {
		for j := start; j < to; j++ {
			q = x.a.Next(q, steps[j].Label)
		}
		return q
	}
	q := end
	for range x.a.States { // beyond the rounds that come only once
		q = round(q, len(steps))
	}
	seen := []int{}
	for !slices.Contains(seen, q) {
		seen = append(seen, q)
		q = round(q, len(steps))
	}
	// Of the rounds that recur, the first that a run meets counts.
	first := end
	for q = end; ; q = round(q, len(steps)) {
		if slices.Contains(seen, q) {
			first = q
			break
		}
	}
	return round(first, i)
}

// part returns the model without some transitions; with endless set, also without what leads to states
// that have lost all their transitions. It is nil if the initial state is such a state.
func (x *otherRuns) part(drops []lts.Transition, endless bool) *lts.LTS {
	x.t.Helper()
	var left []lts.Transition
	for t := range x.m.Transitions() {
		if !slices.Contains(drops, t) {
			left = append(left, t)
		}
	}
	leaves := func(s lts.State) bool {
		return slices.ContainsFunc(left, func(t lts.Transition) bool { return t.From == s })
	}
	for endless {
		n := len(left)
		left = slices.DeleteFunc(left, func(t lts.Transition) bool { return !x.m.IsDeadlock(t.To) && !leaves(t.To) })
		if len(left) == n {
			break
		}
	}
	if endless && !x.m.IsDeadlock(x.m.Initial()) && !leaves(x.m.Initial()) {
		return nil
	}
	var b lts.Builder
	b.Over(x.m.Alphabet())
	for _, t := range left {
		b.Add(t.From, t.Label, t.To)
	}
	m, err := b.Build(x.m.Initial(), x.m.NumStates())
	if err != nil {
		x.t.Fatal(err)
	}
	return m
}

// dead reports whether a property state is a sink that accepts nothing.
func (x *otherRuns) dead(q int) bool {
	for l := range lts.Label(x.m.Alphabet().Len()) {
		if x.a.Next(q, l) != q || x.a.Accepts(x.a.Marks(q, l)) {
			return false
		}
	}
	return !x.a.Stops(q)
}

// shortest returns the length of a shortest violating run without some transitions, where a bad prefix is
// a run if prefix is set; false if there is none.
func (x *otherRuns) shortest(drops []lts.Transition, prefix bool) (int, bool) {
	x.t.Helper()
	m := x.part(drops, !prefix)
	if m == nil {
		return 0, false
	}
	if !prefix {
		if x.p.Steps() > 0 {
			var steps []map[lts.Label]bool
			for i := range x.p.Steps() {
				does := map[lts.Label]bool{}
				for _, l := range x.p.Step(i + 1).Labels {
					does[l] = true
				}
				steps = append(steps, does)
			}
			o, err := oracle.New(m, steps)
			if err != nil {
				x.t.Fatal(err)
			}
			if o.Satisfied() {
				return 0, false
			}
			return o.ShortestLength()
		}
		return oracle.NewGeneral(m, x.a).ShortestViolation()
	}
	type pair struct {
		s lts.State
		q int
	}
	layer := []pair{{m.Initial(), x.a.Initial}}
	seen := map[pair]bool{layer[0]: true}
	for n := 0; len(layer) > 0; n++ {
		var next []pair
		for _, at := range layer {
			if x.dead(at.q) {
				return n, true
			}
			labels, targets := m.Out(at.s)
			for i, to := range targets {
				p := pair{to, x.a.Next(at.q, labels.At(i))}
				if !seen[p] {
					seen[p] = true
					next = append(next, p)
				}
			}
		}
		layer = next
	}
	return 0, false
}

// best returns the least length among all choices of a step of each run.
func (x *otherRuns) best(runs []*explain.Counterexample, prefix bool) (least int, found bool) {
	x.t.Helper()
	var choose func(i int, drops []lts.Transition)
	choose = func(i int, drops []lts.Transition) {
		if i < len(runs) {
			steps := x.steps(runs[i])
			for _, w := range x.ways(runs[i]) {
				choose(i+1, append(slices.Clone(drops), steps[w]))
			}
			return
		}
		if n, is := x.shortest(drops, prefix); is && (!found || n < least) {
			least, found = n, true
		}
	}
	choose(0, nil)
	return least, found
}

// checkRun checks that a further run is one of the model, violates the property, and avoids what it says.
func (x *otherRuns) checkRun(f property.Formula, o *explain.Other, earlier []*explain.Counterexample) {
	x.t.Helper()
	steps := x.steps(o.Counterexample)
	_, err := counterexample.NewViolating(x.m, x.p, steps, int(o.LoopStart))
	if o.Kind == counterexample.Prefix {
		q := x.a.Initial
		for _, s := range steps {
			q = x.a.Next(q, s.Label)
		}
		if !x.dead(q) {
			x.t.Fatalf("seed %d: %s: %v is no bad prefix", x.seed, f, steps)
		}
	} else if err != nil {
		x.t.Fatalf("seed %d: %s: %v: %v\n%s", x.seed, f, steps, err, texts(x.m))
	}
	if len(o.Avoids) != len(earlier) {
		x.t.Fatalf("seed %d: avoids %v of %d runs", x.seed, o.Avoids, len(earlier))
	}
	for i, a := range o.Avoids {
		of := x.steps(earlier[i])
		step := of[a.Step]
		isWay := slices.ContainsFunc(x.ways(earlier[i]), func(w int) bool { return of[w] == step })
		if a.Run != i+1 || slices.Contains(steps, step) || !isWay || slices.Index(of, step) != int(a.Step) {
			x.t.Fatalf("seed %d: %s: %v avoids %+v of %v (%v)\n%s", x.seed, f, steps, a, of, x.ways(earlier[i]), texts(x.m))
		}
	}
	first := x.steps(earlier[0])
	common := 0
	for common < min(len(first), len(steps)) && first[common] == steps[common] {
		common++
	}
	if common != o.Common {
		x.t.Fatalf("seed %d: %d steps in common, want %d", x.seed, o.Common, common)
	}
}

// TestAnotherCounterexample: each further run is a shortest violating one of those that avoid one deciding
// transition of each run before, and there is none where none is found.
func TestAnotherCounterexample(t *testing.T) {
	ctx := context.Background()
	met := map[string]int{}
	for seed := range randomlts.Share(6_000) {
		r := rand.New(rand.NewPCG(seed, 69))
		m := randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 11, Labels: 3, Steps: 1}).Model
		text := []string{"Inev(A)", "Inev(A, B)", "Response(A; B)", "Never(C)", "Precedes(A; B)", "GF A", "GF A || GF B", "FG !B", "G (A -> F B)"}[r.IntN(9)]
		f := parseAny(t, text)
		e, err := explain.Explain(ctx, m, f, explain.Options{NoFairness: true, NoAdvice: true, Another: 3})
		if err != nil {
			t.Fatalf("seed %d: %s: %v\n%s", seed, text, err, texts(m))
		}
		if e.Verdict == explain.Satisfied {
			continue
		}
		x := newOtherRuns(t, seed, m, f)
		runs := []*explain.Counterexample{e.Counterexample}
		prefix := e.Counterexample.Kind == counterexample.Prefix
		if prefix && text != "Never(C)" && text != "Precedes(A; B)" {
			continue // what is awaited never happens
		}
		for i := range e.Others {
			o := &e.Others[i]
			x.checkRun(f, o, runs)
			least, found := x.best(runs, prefix)
			exact := o.Minimal == counterexample.InProduct || x.p.Steps() > 0 && o.Minimal == counterexample.InModel || prefix
			if !found || o.Minimal != counterexample.MinimalUnknown && o.Length > least || exact && o.Length != least {
				t.Fatalf("seed %d: %s: run %d has length %d (%s), want %d (%t)\n%s", seed, text, i+2, o.Length, o.Minimal, least, found, texts(m))
			}
			met[o.Kind.String()]++
			met[o.Minimal.String()]++
			runs = append(runs, o.Counterexample)
		}
		if len(e.Others) == 3 {
			if e.EveryTakes != nil {
				t.Fatalf("seed %d: %s: three runs, and every violation takes %v", seed, text, e.EveryTakes)
			}
			continue
		}
		if least, found := x.best(runs, prefix); found || len(e.EveryTakes) != len(runs) {
			t.Fatalf("seed %d: %s: no run %d, and one has length %d; every violation takes %v\n%s", seed, text, len(runs)+1, least, e.EveryTakes, texts(m))
		}
		met["none"]++
		for i, taken := range e.EveryTakes {
			ways := x.ways(runs[i])
			loops := runs[i].LoopStart >= 0 && (len(ways) > 1 || taken.Step == nil)
			if taken.Run != i+1 || loops != (taken.Step == nil) && len(ways) > 0 || taken.Step != nil && int(*taken.Step) != ways[0] {
				t.Fatalf("seed %d: %s: every violation takes %+v of run %d, want %v\n%s", seed, text, taken, i+1, ways, texts(m))
			}
		}
	}
	t.Log(met)
	if randomlts.Whole() && (met["deadlock"] < 100 || met["lasso"] < 100 || met["prefix"] < 100 || met["none"] < 500) {
		t.Errorf("met %v", met)
	}
}

// TestAnotherCounterexampleKeepsOptions: further runs are fair, do the pattern, and have the fewest faults.
func TestAnotherCounterexampleKeepsOptions(t *testing.T) {
	ctx := context.Background()
	met := map[string]int{}
	for seed := range randomlts.Share(4_000) {
		r := rand.New(rand.NewPCG(seed, 70))
		c := randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 9, Labels: 3, Steps: 1})
		m := c.Model
		text := []string{"Inev(A)", "Inev(A, B)", "Response(A; B)"}[r.IntN(3)]
		f := parseAny(t, text)
		o := explain.Options{NoFairness: true, NoAdvice: true, Another: 2}
		way := []string{"weak", "strong", "full", "pattern", "faults", "fewest"}[r.IntN(6)]
		pattern, err := actl.Parse(ctx, "Inev(C)")
		if err != nil {
			t.Fatal(err)
		}
		switch way {
		case "pattern":
			o.Search.Pattern = pattern
		case "faults":
			o.Faults = patternsOf(t, "C")
		case "fewest":
			o.Search.Prefer = "fewest"
		default:
			o.Fair = assumed(t, way)
		}
		e, err := explain.Explain(ctx, m, f, o)
		if err != nil || e.Verdict == explain.Satisfied {
			continue // no run does the pattern, or none counts
		}
		x := newOtherRuns(t, seed, m, f)
		for i := range e.Others {
			other := &e.Others[i]
			steps := x.steps(other.Counterexample)
			for _, a := range other.Avoids {
				l, _ := m.Alphabet().Lookup(a.Label)
				if slices.Contains(steps, lts.Transition{From: lts.State(a.From), Label: l, To: lts.State(a.To)}) {
					t.Fatalf("seed %d: %s: %v takes %v", seed, text, steps, a)
				}
			}
			switch {
			case way == "pattern" && !slices.ContainsFunc(other.Steps, func(s explain.Step) bool { return s.Label == "C" }):
				t.Fatalf("seed %d: %s: %v lacks C", seed, text, steps)
			case way == "full" && other.Kind == counterexample.Trap:
				end := m.Initial()
				if len(steps) > 0 {
					end = steps[len(steps)-1].To
				}
				accept, _ := x.fair(way).Can(end, other.Done)
				if x.p.Steps() > 0 && accept {
					t.Fatalf("seed %d: %s: %v loses nothing\n%s", seed, text, steps, texts(m))
				}
			case slices.Contains([]string{"weak", "strong"}, way) && other.LoopStart >= 0:
				if !x.isFair(steps[other.LoopStart:], way == "strong") {
					t.Fatalf("seed %d: %s: %v is not %s fair\n%s", seed, text, steps, way, texts(m))
				}
			case !other.IsStem():
				if _, err := counterexample.NewViolating(m, x.p, steps, int(other.LoopStart)); err != nil {
					t.Fatalf("seed %d: %s: %v", seed, text, err)
				}
			}
			met[way]++
		}
		if len(e.Others) < 2 && e.EveryTakes != nil {
			met["none "+way]++
			x.checkNone(e, way)
		}
	}
	t.Log(met)
}

// isFair reports whether a loop is fair to each label.
func (x *otherRuns) isFair(loop []lts.Transition, strong bool) bool {
	for l := range lts.Label(x.m.Alphabet().Len()) {
		taken, possible := false, 0
		for _, step := range loop {
			taken = taken || step.Label == l
			labels, _ := x.m.Out(step.From)
			if labels.Any(func(other lts.Label) bool { return other == l }) {
				possible++
			}
		}
		if !taken && (possible == len(loop) || strong && possible > 0) {
			return false
		}
	}
	return true
}

// assumption returns an assumption for the oracles of fairness.
func (x *otherRuns) assumption(way string) oracle.Assumption {
	a := oracle.Assumption{Full: way == "full"}
	if !a.Full {
		for l := range lts.Label(x.m.Alphabet().Len()) {
			a.Tasks = append(a.Tasks, oracle.FairTask{Labels: map[lts.Label]bool{l: true}, Strong: way == "strong"})
		}
	}
	return a
}

func (x *otherRuns) fair(way string) *oracle.Fair {
	var steps []map[lts.Label]bool
	for i := range x.p.Steps() {
		does := map[lts.Label]bool{}
		for _, l := range x.p.Step(i + 1).Labels {
			does[l] = true
		}
		steps = append(steps, does)
	}
	return oracle.NewFair(x.m, steps, x.assumption(way))
}

// checkNone checks that each fair violating run takes what every violation is said to take: of all sets of
// transitions that a fair run takes infinitely often, none is reached without them and violates.
func (x *otherRuns) checkNone(e *explain.Explanation, way string) {
	x.t.Helper()
	if len(e.EveryTakes) != 1 || e.EveryTakes[0].Step == nil || x.p.Steps() == 0 || way == "pattern" {
		return
	}
	cut := x.steps(e.Counterexample)[*e.EveryTakes[0].Step]
	if way == "faults" || way == "fewest" {
		if n, found := x.shortest([]lts.Transition{cut}, false); found {
			x.t.Fatalf("seed %d: %s: a run of length %d does not take %v\n%s", x.seed, e.Property.Text, n, cut, texts(x.m))
		}
		return
	}
	fair := x.fair(way)
	m := x.part([]lts.Transition{cut}, false)
	var inner []lts.Transition
	for t := range m.Transitions() {
		if !slices.Contains(inner, t) {
			inner = append(inner, t)
		}
	}
	// Pairs that a run without the transition reaches.
	reached := map[[2]int]bool{}
	var visit func(s lts.State, q int)
	visit = func(s lts.State, q int) {
		if reached[[2]int{int(s), q}] {
			return
		}
		reached[[2]int{int(s), q}] = true
		labels, targets := m.Out(s)
		for i, to := range targets {
			visit(to, x.a.Next(q, labels.At(i)))
		}
	}
	visit(m.Initial(), x.a.Initial)
	for at := range reached {
		s, q := lts.State(at[0]), at[1]
		if q < x.p.Steps() && x.m.IsDeadlock(s) {
			x.t.Fatalf("seed %d: %s, %s: a deadlock without %v\n%s", x.seed, e.Property.Text, way, cut, texts(x.m))
		}
		for set := 1; set < 1<<len(inner); set++ {
			var chosen []lts.Transition
			for i, t := range inner {
				if set>>i&1 != 0 {
					chosen = append(chosen, t)
				}
			}
			if chosen[0].From != s || slices.ContainsFunc(chosen, func(t lts.Transition) bool { return x.a.Next(q, t.Label) != q }) || q == x.p.Steps() {
				continue
			}
			if fair.Recurs(chosen) {
				x.t.Fatalf("seed %d: %s, %s: %v recur without %v\n%s", x.seed, e.Property.Text, way, chosen, cut, texts(x.m))
			}
		}
	}
}
