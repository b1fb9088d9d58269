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
	f := &finder{m: m, p: p, t: t, u: u, numbers: map[lts.Transition]int{}, work: work}
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
	if !enoughWork(func() { avoided = search(ctx) }) {
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
		enoughWork(func() { r.AtLength = f.atLength(ctx, avoided) })
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
	m *lts.LTS
	p *property.Property
	t *counterexample.Trace
	u *product.Unfolding
	// distinct are the transitions of the run, each once; numbers has their indices. The index
	// after the last one stands for the end of the run.
	distinct []lts.Transition
	numbers  map[lts.Transition]int
	work     int64 // what is left of it
}

// spend subtracts from the remaining work. The search ends with [ErrWork] if there was not enough.
func (f *finder) spend(work int) {
	if f.work -= int64(work); f.work < 0 {
		abort.On(ErrWork)
	}
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
func (f *finder) avoidedOnChain(ctx context.Context) []bool {
	c := abort.Must(f.u.Components(ctx))
	avoided := make([]bool, len(f.distinct)+1)
	for first := 0; ; first += perWord {
		f.spend(f.u.LTS().NumStates() + f.u.LTS().NumTransitions())
		end := min(first+perWord, len(f.distinct))
		w := &words{finder: f, c: c, end: property.Q(f.p.Steps()), first: first, last: end,
			stays: make([]uint64, f.u.LTS().NumStates()), leaves: bitset.New[lts.State](f.m.NumStates())}
		for _, t := range f.distinct[first:end] {
			w.leaves.Add(t.From)
		}
		// Each component comes after its successors.
		for i := w.c.Len() - 1; i >= 0; i-- {
			abort.IfDone(ctx, i)
			part := w.c.States(scc.Component(i))
			switch {
			case w.u.At(part[0]).Q == w.end:
			case !w.c.IsCyclic(scc.Component(i)):
				w.stays[part[0]] = w.of(part[0])
			default:
				for _, s := range part {
					w.stays[s] = ^uint64(0)
				}
				w.shrink(ctx, part, scc.Component(i))
			}
		}
		initial := w.stays[f.u.LTS().Initial()]
		for i := first; i < end; i++ {
			avoided[i] = initial>>(i-first)&1 == 1
		}
		avoided[len(f.distinct)] = initial>>perWord == 1
		if end == len(f.distinct) {
			return avoided
		}
	}
}

// words are the greatest sets for up to 63 transitions and the end.
type words struct {
	*finder
	c           *scc.Components
	end         property.Q // the property state after the last step of the chain
	first, last int        // the transitions to be examined: distinct[first:last]
	stays       []uint64   // for each product state, the bits of the greatest sets that contain it
	leaves      bitset.Set[lts.State]
}

// of returns the sets that a product state belongs to, given the sets of its successors.
func (w *words) of(s lts.State) uint64 {
	labels, targets := w.u.LTS().Out(s)
	if len(targets) == 0 {
		if w.t.Kind() == counterexample.Deadlock && w.u.At(s).State == w.t.Last() {
			return 1<<perWord - 1
		}
		return ^uint64(0)
	}
	at := w.u.At(s).State
	var sets uint64
	for i, to := range targets {
		sets |= w.stays[to] &^ w.bit(at, labels.At(i), to)
	}
	return sets
}

// bit returns the bit of a transition of the product; 0 if it is not examined.
func (w *words) bit(from lts.State, l lts.Label, to lts.State) uint64 {
	if !w.leaves.Has(from) {
		return 0
	}
	i, is := w.numbers[lts.Transition{From: from, Label: l, To: w.u.At(to).State}]
	if !is || i < w.first || i >= w.last {
		return 0
	}
	return 1 << (i - w.first)
}

// shrink removes product states of a component from the sets of transitions within it until nothing
// changes.
func (w *words) shrink(ctx context.Context, part []lts.State, c scc.Component) {
	var inside uint64 // the bits of the examined transitions within the component
	for _, s := range part {
		at := w.u.At(s).State
		if !w.leaves.Has(at) {
			continue
		}
		labels, targets := w.u.LTS().Out(s)
		for i, to := range targets {
			if in, _ := w.c.Of(to); in == c {
				inside |= w.bit(at, labels.At(i), to)
			}
		}
	}
	if inside == 0 {
		return
	}
	w.spend(bits.OnesCount64(inside) * len(part))
	abort.On(w.u.LTS().FindPredecessors(ctx))
	before := w.u.LTS().Predecessors()
	open := append([]lts.State(nil), part...)
	waits := bitset.New[lts.State](w.u.LTS().NumStates())
	for _, s := range part {
		waits.Add(s)
	}
	for looks := 1; len(open) > 0; looks++ {
		abort.IfDone(ctx, looks)
		s := open[len(open)-1]
		open = open[:len(open)-1]
		waits.Remove(s)
		sets := w.of(s) | ^inside
		if sets == w.stays[s] {
			continue
		}
		w.stays[s] = sets
		_, sources := before.In(s)
		for _, from := range sources {
			if in, reached := w.c.Of(from); reached && in == c && !waits.Has(from) {
				waits.Add(from)
				open = append(open, from)
			}
		}
	}
}

// avoidedByRuns is avoidedOnChain for any property. For each transition, and for the end, it
// searches for a violating run that avoids it; each such run shows that everything which it does
// not take can be avoided.
func (f *finder) avoidedByRuns(ctx context.Context) []bool {
	avoided := make([]bool, len(f.distinct)+1)
	for i := range avoided {
		if avoided[i] || i == len(f.distinct) && f.t.Kind() != counterexample.Deadlock {
			continue
		}
		f.spend(passesToDecide * f.places())
		r := f.without(ctx, i, 1)
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
func (f *finder) atLength(ctx context.Context, avoided []bool) []bool {
	always := make([]bool, len(f.distinct))
	for i := range always {
		if always[i] = !avoided[i]; always[i] {
			continue
		}
		if f.p.Steps() > 0 {
			f.spend(f.places())
		}
		r := f.without(ctx, i, max(f.work, 1))
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
func (f *finder) without(ctx context.Context, i int, limit int64) *counterexample.Result {
	abort.On(f.m.FindPredecessors(ctx))
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
	return abort.Must(counterexample.Shortest(ctx, rest, f.p, counterexample.Options{Limit: limit}))
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
