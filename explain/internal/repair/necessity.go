package repair

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Necessity is what one violating run of a model has in common with all others.
type Necessity struct {
	// Every reports, for each step of the run, whether all violating runs take its transition
	// somewhere.
	Every []bool
	// AtLength reports, for each step of the run, whether all violating runs that are no longer
	// than the run take its transition somewhere; nil if that is not known.
	AtLength []bool
	// Stop reports whether all violating runs end in the state where the run ends, and all runs
	// that end there violate the property.
	Stop bool
	// Missing are, if Stop is true, transitions that may be missing where the run ends: the property
	// holds if the model has any one of them. They are guesses, the likeliest first.
	Missing []lts.Transition
}

// FindNecessity returns what all violating runs have in common with t, a run of the model of u that
// violates the property of u. It returns nil if that would take more than work: product states and
// transitions visited, repeated visits included; the search for [Necessity.Missing] may visit as many
// again. workAtLength limits the visits for [Necessity.AtLength], for a property that is no chain. It
// fails if ctx is done. Cost O(n (S + T)) for a chain of n steps and up to 63 distinct
// transitions, times the number of these within one strongly connected component; for another
// property, the cost of [counterexample.Shortest] for each of them.
func FindNecessity(ctx context.Context, u *product.Unfolding, t *counterexample.Trace, work, workAtLength int64) (_ *Necessity, err error) {
	defer abort.Caught(&err)
	m, p := u.Model(), u.Property()
	f := &finder{budget: &budget{ctx: ctx, most: max(work, 1)}, m: m, p: p, t: t, u: u, numbers: map[lts.Transition]int{}}
	for _, step := range t.Steps() {
		if _, known := f.numbers[step]; !known {
			f.numbers[step] = len(f.distinct)
			f.distinct = append(f.distinct, step)
		}
	}
	search, chain := f.avoidedByRuns, p.Steps() > 0
	if chain {
		search = f.avoidedOnChain
	}
	var avoided []bool
	if !enoughWork(func() { avoided = search() }) {
		return nil, nil
	}
	r := &Necessity{Every: f.steps(func(i int) bool { return !avoided[i] })}
	searches := int64(0) // for a shortest run without each transition that can be avoided
	for _, is := range avoided[:len(f.distinct)] {
		if is {
			searches++
		}
	}
	if chain || searches*int64(passesToShorten)*int64(f.places()) <= workAtLength {
		enoughWork(func() { r.AtLength = f.atLength(avoided) })
	}
	if t.Kind() == counterexample.Deadlock && !avoided[len(f.distinct)] {
		r.Stop = true
		for at := range u.Unfolded(t.Last()) {
			r.Stop = r.Stop && !p.Stops(u.At(at).Q)
		}
	}
	if r.Stop {
		r.Missing = missing(ctx, m, p, t.Last(), work)
	}
	return r, nil
}

// finder is a search about one run.
type finder struct {
	*budget
	m *lts.LTS
	p *property.Property
	t *counterexample.Trace
	u *product.Unfolding
	// distinct are the transitions of the run, each once; numbers has their indices. The index
	// after the last one stands for the end of the run.
	distinct []lts.Transition
	numbers  map[lts.Transition]int
}

// steps selects steps of the run by the indices of their transitions.
func (f *finder) steps(is func(int) bool) []bool {
	steps := make([]bool, f.t.Len())
	for i := range steps {
		steps[i] = is(f.numbers[f.t.Step(i)])
	}
	return steps
}

// perWord is the number of transitions that are examined together: the remaining bit of a word
// stands for the end.
const perWord = 63

// avoidedOnChain reports, for each distinct transition and for the end, whether some violating run
// avoids it.
//
// A violating run of a chain stays in the greatest set of product states before the last step that
// are deadlocks or have a successor in the set. There is one such set for each transition that is
// removed from the model, and a word has one bit for each.
func (f *finder) avoidedOnChain() []bool {
	m, c := f.u.LTS(), abort.Must(f.u.Components(f.ctx))
	avoided := make([]bool, len(f.distinct)+1)
	for first := 0; ; first += perWord {
		f.spend(m.NumStates() + m.NumTransitions())
		end := min(first+perWord, len(f.distinct))
		// The sets that contain each product state, as bits, and the sources of the examined transitions.
		stays, leaves := make([]uint64, m.NumStates()), bitset.New[lts.State](f.m.NumStates())
		for _, t := range f.distinct[first:end] {
			leaves.Add(t.From)
		}
		// bit returns the bit of a transition of the product; 0 if it is not examined.
		bit := func(from lts.State, l lts.Label, to lts.State) uint64 {
			if !leaves.Has(from) {
				return 0
			}
			i, is := f.numbers[lts.Transition{From: from, Label: l, To: f.u.At(to).State}]
			if !is || i < first || i >= end {
				return 0
			}
			return 1 << (i - first)
		}
		// of returns the sets that a product state belongs to, given the sets of its successors.
		of := func(s lts.State) (sets uint64) {
			at := f.u.At(s).State
			labels, targets := m.Out(s)
			switch {
			case len(targets) > 0:
			case f.t.Kind() == counterexample.Deadlock && at == f.t.Last():
				return 1<<perWord - 1
			default:
				return ^uint64(0)
			}
			for i, to := range targets {
				sets |= stays[to] &^ bit(at, labels.At(i), to)
			}
			return sets
		}
		// Each component comes after its successors.
		for i := c.Len() - 1; i >= 0; i-- {
			abort.IfDone(f.ctx, i)
			part := c.States(scc.Component(i))
			if int(f.u.At(part[0]).Q) == f.p.Steps() {
				continue
			}
			if !c.IsCyclic(scc.Component(i)) {
				stays[part[0]] = of(part[0])
				continue
			}
			var inside uint64 // the bits of the examined transitions within the component
			for _, s := range part {
				stays[s] = ^uint64(0)
				at := f.u.At(s).State
				if !leaves.Has(at) {
					continue
				}
				labels, targets := m.Out(s)
				for i, to := range targets {
					if c.Same(s, to) {
						inside |= bit(at, labels.At(i), to)
					}
				}
			}
			if inside != 0 {
				f.spend(bits.OnesCount64(inside) * len(part))
				f.shrink(stays, c, part, func(s lts.State) uint64 { return of(s) | ^inside })
			}
		}
		initial := stays[m.Initial()]
		for i := first; i < end; i++ {
			avoided[i] = initial>>(i-first)&1 == 1
		}
		avoided[len(f.distinct)] = initial>>perWord == 1
		if end == len(f.distinct) {
			return avoided
		}
	}
}

// shrink removes product states of a component from sets until nothing changes; of returns the sets
// that a product state belongs to, given those of its successors.
func (f *finder) shrink(stays []uint64, c *scc.Components, part []lts.State, of func(lts.State) uint64) {
	m := f.u.LTS()
	abort.On(m.FindPredecessors(f.ctx))
	open, waits := slices.Clone(part), bitset.New[lts.State](m.NumStates())
	for _, s := range part {
		waits.Add(s)
	}
	for looks := 1; len(open) > 0; looks++ {
		abort.IfDone(f.ctx, looks)
		s := open[len(open)-1]
		open = open[:len(open)-1]
		waits.Remove(s)
		sets := of(s)
		if sets == stays[s] {
			continue
		}
		stays[s] = sets
		_, sources := m.Predecessors().In(s)
		for _, from := range sources {
			if c.Same(from, s) && !waits.Has(from) {
				waits.Add(from)
				open = append(open, from)
			}
		}
	}
}

// avoidedByRuns is avoidedOnChain for any property. For each transition, and for the end, it
// searches for a violating run that avoids it; each such run shows that everything which it does
// not take can be avoided.
func (f *finder) avoidedByRuns() []bool {
	avoided := make([]bool, len(f.distinct)+1)
	for i := range avoided {
		if avoided[i] || i == len(f.distinct) && f.t.Kind() != counterexample.Deadlock {
			continue
		}
		f.spend(passesToDecide * f.places())
		r := f.without(i, 1)
		if r == nil || r.Trace == nil {
			continue
		}
		other := r.Trace
		taken := make([]bool, len(avoided))
		for _, step := range other.Steps() {
			if k, is := f.numbers[step]; is {
				taken[k] = true
			}
		}
		if other.Kind() == counterexample.Trap || other.Kind() == counterexample.Prefix {
			// The continuation of a stem may take any other transition.
			avoided[i] = true
			continue
		}
		taken[len(f.distinct)] = other.Kind() == counterexample.Deadlock && other.Last() == f.t.Last()
		for k := range avoided {
			avoided[k] = avoided[k] || !taken[k]
		}
	}
	return avoided
}

// The numbers of passes through model and property that a search takes for a property that is no
// chain: for some violating run, and for a shortest one; measured.
const (
	passesToDecide  = 4
	passesToShorten = 64
)

func (f *finder) places() int { return f.p.States() * (f.m.NumStates() + f.m.NumTransitions()) }

// atLength returns [Necessity.AtLength]; nil if a search does not find a shortest run.
func (f *finder) atLength(avoided []bool) []bool {
	always := make([]bool, len(f.distinct))
	for i := range always {
		if always[i] = !avoided[i]; always[i] {
			continue
		}
		if f.p.Steps() > 0 {
			f.spend(f.places())
		}
		r := f.without(i, max(f.most-f.work, 1))
		if r == nil || r.Trace == nil {
			return nil
		}
		short := r.Trace.Len() <= f.t.Len()
		if !short && r.Minimal != counterexample.InModel && r.Minimal != counterexample.InProduct {
			return nil
		}
		always[i] = !short
	}
	return f.steps(func(i int) bool { return always[i] })
}

// without searches for a shortest violating run of the model without transition distinct[i] or, if i
// is len(distinct), without the state where the run ends; with the limit 1, for any violating run. It
// also removes the states from which every path leads to a new deadlock, and returns nil if the model
// then has no run.
func (f *finder) without(i int, limit int64) *counterexample.Result {
	abort.On(f.m.FindPredecessors(f.ctx))
	var gone lts.Transition
	cut := bitset.New[lts.State](f.m.NumStates())
	left := make(map[lts.State]int)
	var open []lts.State
	if i == len(f.distinct) {
		open = append(open, f.t.Last())
		cut.Add(f.t.Last())
	} else {
		gone = f.distinct[i]
		copies := 0
		labels, targets := f.m.Out(gone.From)
		for k, to := range targets {
			if labels.At(k) == gone.Label && to == gone.To {
				copies++
			}
		}
		if left[gone.From] = len(targets) - copies; left[gone.From] == 0 {
			open = append(open, gone.From)
			cut.Add(gone.From)
		}
	}
	for len(open) > 0 {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		labels, sources := f.m.Predecessors().In(s)
		for k, from := range sources {
			if cut.Has(from) || i < len(f.distinct) && (lts.Transition{From: from, Label: labels.At(k), To: s}) == gone {
				continue
			}
			if _, known := left[from]; !known {
				_, targets := f.m.Out(from)
				left[from] = len(targets)
			}
			if left[from]--; left[from] == 0 {
				cut.Add(from)
				open = append(open, from)
			}
		}
	}
	if cut.Has(f.m.Initial()) {
		return nil
	}
	rest := abort.Must(f.m.Without(func(t lts.Transition) bool {
		return cut.Has(t.From) || cut.Has(t.To) || i < len(f.distinct) && t == gone
	}))
	return abort.Must(counterexample.Shortest(f.ctx, rest, f.p, counterexample.Options{Limit: limit}))
}

// The bounds of the search for missing transitions.
const (
	mostMissing = 3      // the number of transitions that are returned
	mostChecked = 60     // the number of transitions that are tried
	mostDrawn   = 20_000 // the number of transitions of the model that are visited
)

// missing returns transitions that may be missing in state s, where runs of m end and violate p:
// adding any one of them to m makes p true. They are guesses, the likeliest first: transitions of a
// model often commute, and the targets of one action often have the same continuations. work is as
// in [FindNecessity]; if it is not enough, there are none.
func missing(ctx context.Context, m *lts.LTS, p *property.Property, s lts.State, work int64) []lts.Transition {
	if m.Alphabet().Texts() != m.Alphabet().Len() {
		return nil // the values of states behind a new transition are unknown
	}
	abort.On(m.FindPredecessors(ctx))
	abort.On(m.FindReachable(ctx))
	var found []lts.Transition
	each := int64(p.States()) * int64(m.NumStates()+m.NumTransitions())
	for _, t := range likely(m, s) {
		if work -= each; work < 0 || len(found) == mostMissing {
			break
		}
		with := abort.Must(m.Without(func(lts.Transition) bool { return false }, t))
		r := abort.Must(counterexample.Shortest(ctx, with, p, counterexample.Options{Limit: 1}))
		if r.Trace == nil && !r.Violated {
			found = append(found, t)
		}
	}
	return found
}

// likelihood counts the evidence for a transition.
type likelihood struct {
	transition lts.Transition
	// squares is the number of actions that the transition would commute with; alike is the number
	// of targets of the same action that have such a transition.
	squares, alike int
}

// likely returns transitions that may be missing in s, the likeliest first.
func likely(m *lts.LTS, s lts.State) []lts.Transition {
	var found keyed.List[lts.Transition, likelihood]
	of := func(l lts.Label, to lts.State) *likelihood {
		t := lts.Transition{From: s, Label: l, To: to}
		return &found.All[found.Index(t, likelihood{transition: t})]
	}
	looks := 0
	labels, sources := m.Predecessors().In(s)
	came := map[lts.Label]bool{}
	for i, from := range sources {
		if !m.Reachable().Has(from) {
			continue
		}
		came[labels.At(i)] = true
		others, targets := m.Out(from)
		for k, to := range targets {
			after, ends := m.Out(to)
			for j, end := range ends {
				if looks++; looks > mostDrawn {
					break
				}
				if after.At(j) == labels.At(i) && to != s {
					of(others.At(k), end).squares++
				}
			}
		}
	}
	for t := range m.Transitions() {
		if looks++; looks > 2*mostDrawn {
			break
		}
		if !came[t.Label] || t.To == s || !m.Reachable().Has(t.From) {
			continue
		}
		after, ends := m.Out(t.To)
		for j, end := range ends {
			of(after.At(j), end).alike++
		}
	}
	slices.SortFunc(found.All, func(x, y likelihood) int {
		return cmp.Or(cmp.Compare(y.squares, x.squares), cmp.Compare(y.alike, x.alike),
			cmp.Compare(x.transition.Label, y.transition.Label), cmp.Compare(x.transition.To, y.transition.To))
	})
	var transitions []lts.Transition
	for _, x := range found.All[:min(len(found.All), mostChecked)] {
		transitions = append(transitions, x.transition)
	}
	return transitions
}
