// Package necessary finds the transitions of a violating run that every violating run takes:
// without one of them, the property would hold.
//
// If a fault is one transition that was added to a correct model, it is among them: the runs that
// avoid it are runs of the correct model.
//
// The invariant that holds inside: a transition that is reported as necessary is necessary, and if
// the work is stopped, nothing is reported.
package necessary

import (
	"context"
	"math/bits"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Result is what one violating run of a model has in common with all others.
type Result struct {
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

// Options limit the work of [Find].
type Options struct {
	// Work is the largest number of product states and transitions to visit, repeated visits
	// included; the search for [Result.Missing] may visit as many again.
	Work int64
	// WorkAtLength is the largest number of product states and transitions to visit for
	// [Result.AtLength], for a property that is no chain.
	WorkAtLength int64
	// Unfolding, unless it is nil, is the product of model and property.
	Unfolding *product.Unfolding
}

// Find returns what all violating runs have in common with t, a run of m that violates p. It
// returns nil if that would take more work than o allows. It fails if ctx is done. Cost O(n (S +
// T)) for a chain of n steps and up to 63 distinct transitions, times the number of these within
// one strongly connected component; for another property, the cost of [counterexample.Shortest] for
// each of them.
func Find(ctx context.Context, m *lts.LTS, p *property.Property, t *counterexample.Trace, o Options) (*Result, error) {
	f := &finder{m: m, p: p, t: t, numbers: map[lts.Transition]int{}, work: o.Work, workAtLength: o.WorkAtLength, unfolded: o.Unfolding}
	for _, step := range t.Steps() {
		if _, known := f.numbers[step]; !known {
			f.numbers[step] = len(f.distinct)
			f.distinct = append(f.distinct, step)
		}
	}
	var avoided []bool
	var err error
	if p.Steps() > 0 {
		avoided, err = f.avoidedOnChain(ctx)
	} else {
		avoided, err = f.avoidedByRuns(ctx)
	}
	if err != nil || avoided == nil {
		return nil, err
	}
	r := &Result{Every: make([]bool, t.Len())}
	for i := range r.Every {
		r.Every[i] = !avoided[f.numbers[t.Step(i)]]
	}
	if r.AtLength, err = f.atLength(ctx, avoided); err != nil {
		return nil, err
	}
	if t.Kind() == counterexample.Deadlock && !avoided[len(f.distinct)] {
		r.Stop, err = f.onlyViolationsStop(ctx)
	}
	if r.Stop {
		r.Missing, err = missing(ctx, m, p, t.Last(), o.Work)
	}
	return r, err
}

// finder is a search about one run.
type finder struct {
	m *lts.LTS
	p *property.Property
	t *counterexample.Trace
	// distinct are the transitions of the run, each once; numbers has their indices. The index
	// after the last one stands for the end of the run.
	distinct           []lts.Transition
	numbers            map[lts.Transition]int
	work, workAtLength int64
	unfolded           *product.Unfolding
}

// spend subtracts work from the remaining work, and reports whether there was enough.
func (f *finder) spend(work int) bool {
	f.work -= int64(work)
	return f.work >= 0
}

// unfold returns the product of model and property; nil if that takes too much work.
func (f *finder) unfold(ctx context.Context) (*product.Unfolding, error) {
	if f.unfolded != nil {
		return f.unfolded, nil
	}
	if !f.spend(f.p.States() * (f.m.NumStates() + f.m.NumTransitions())) {
		return nil, nil
	}
	u, err := product.Unfold(ctx, f.m, f.p)
	f.unfolded = u
	return u, err
}

// onlyViolationsStop reports whether all runs that end in the last state of the run violate the
// property.
func (f *finder) onlyViolationsStop(ctx context.Context) (bool, error) {
	u, err := f.unfold(ctx)
	if u == nil || err != nil {
		return false, err
	}
	for place := range u.Unfolded(f.t.Last()) {
		if f.p.Stops(u.At(place).Q) {
			return false, nil
		}
	}
	return true, nil
}

// perWord is the number of transitions that are examined together: the remaining bit of a word
// stands for the end.
const perWord = 63

// avoidedOnChain reports, for each distinct transition and for the end, whether some violating run
// avoids it; nil if the work is not enough.
//
// A violating run of a chain stays in the greatest set of product states before the last step that
// are deadlocks or have a successor in the set. There is one such set for each transition that is
// removed from the model, and a word has one bit for each.
func (f *finder) avoidedOnChain(ctx context.Context) ([]bool, error) {
	u, err := f.unfold(ctx)
	if u == nil || err != nil {
		return nil, err
	}
	c, err := u.Components(ctx)
	if err != nil {
		return nil, err
	}
	avoided := make([]bool, len(f.distinct)+1)
	for first := 0; ; first += perWord {
		if !f.spend(u.LTS().NumStates() + u.LTS().NumTransitions()) {
			return nil, nil
		}
		end := min(first+perWord, len(f.distinct))
		w := &words{finder: f, u: u, c: c, end: property.Q(f.p.Steps()), first: first, last: end,
			stays: make([]uint64, u.LTS().NumStates()), leaves: bitset.New[lts.State](f.m.NumStates())}
		for _, t := range f.distinct[first:end] {
			w.leaves.Add(t.From)
		}
		if enough, err := w.fill(ctx); err != nil || !enough {
			return nil, err
		}
		initial := w.stays[u.LTS().Initial()]
		for i := first; i < end; i++ {
			avoided[i] = initial>>(i-first)&1 == 1
		}
		avoided[len(f.distinct)] = initial>>perWord == 1
		if end == len(f.distinct) {
			return avoided, nil
		}
	}
}

// words are the greatest sets for up to 63 transitions and the end.
type words struct {
	*finder
	u           *product.Unfolding
	c           *scc.Components
	end         property.Q // the property state after the last step of the chain
	first, last int        // the transitions to be examined: distinct[first:last]
	stays       []uint64   // for each product state, the bits of the greatest sets that contain it
	leaves      bitset.Set[lts.State]
}

// fill computes the sets, for each component after its successors; false if the work is not enough.
func (w *words) fill(ctx context.Context) (bool, error) {
	for i := w.c.Len() - 1; i >= 0; i-- {
		if i&(1<<12-1) == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		part := w.c.States(scc.Component(i))
		switch {
		case w.u.At(part[0]).Q == w.end:
		case !w.c.IsCyclic(scc.Component(i)):
			w.stays[part[0]] = w.of(part[0])
		default:
			for _, s := range part {
				w.stays[s] = ^uint64(0)
			}
			if inside := w.inside(part, scc.Component(i)); inside != 0 {
				if enough, err := w.shrink(ctx, part, scc.Component(i), inside); err != nil || !enough {
					return false, err
				}
			}
		}
	}
	return true, nil
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

// inside returns the bits of the examined transitions within a component.
func (w *words) inside(part []lts.State, c scc.Component) uint64 {
	var all uint64
	for _, s := range part {
		at := w.u.At(s).State
		if !w.leaves.Has(at) {
			continue
		}
		labels, targets := w.u.LTS().Out(s)
		for i, to := range targets {
			if in, _ := w.c.Of(to); in == c {
				all |= w.bit(at, labels.At(i), to)
			}
		}
	}
	return all
}

// shrink removes product states of a component from the sets of transitions within it until nothing
// changes; false if the work is not enough.
func (w *words) shrink(ctx context.Context, part []lts.State, c scc.Component, inside uint64) (bool, error) {
	if !w.spend(bits.OnesCount64(inside) * len(part)) {
		return false, nil
	}
	if err := w.u.LTS().FindPredecessors(ctx); err != nil {
		return false, err
	}
	before := w.u.LTS().Predecessors()
	open := append([]lts.State(nil), part...)
	waits := bitset.New[lts.State](w.u.LTS().NumStates())
	for _, s := range part {
		waits.Add(s)
	}
	for looks := 1; len(open) > 0; looks++ {
		if looks&(1<<14-1) == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
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
	return true, nil
}
