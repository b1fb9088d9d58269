package necessary

import (
	"context"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// avoidedByRuns is avoidedOnChain for any property: runs that avoid a transition, or the stop, are
// searched for, and each that is found tells of all that it avoids.
func (f *finder) avoidedByRuns(ctx context.Context) ([]bool, error) {
	avoided := make([]bool, len(f.distinct)+1)
	for i := range avoided {
		if avoided[i] || i == len(f.distinct) && f.t.Kind() != counterexample.Deadlock {
			continue
		}
		if !f.spendSearch(passesToDecide) {
			return nil, nil
		}
		other, err := f.without(ctx, i)
		if err != nil {
			return nil, err
		}
		if other == nil {
			continue
		}
		taken := make([]bool, len(avoided))
		for _, step := range other.Steps() {
			if k, is := f.numbers[step]; is {
				taken[k] = true
			}
		}
		if other.Kind() == counterexample.Trap || other.Kind() == counterexample.Prefix {
			// Without the transition that was taken out, it is not known how the run goes on.
			avoided[i] = true
			continue
		}
		taken[len(f.distinct)] = other.Kind() == counterexample.Deadlock && other.Last() == f.t.Last()
		for k := range avoided {
			avoided[k] = avoided[k] || !taken[k]
		}
	}
	return avoided, nil
}

// How many passes through model and property a search takes of a property that is no chain, for some
// run and for a shortest one: as was measured.
const (
	passesToDecide  = 4
	passesToShorten = 64
)

// spendSearch takes the work of a search from what is left, so many passes of a property that is no chain;
// false if it is not enough.
func (f *finder) spendSearch(passes int) bool {
	if f.p.Steps() > 0 {
		passes = 1
	}
	return f.spend(passes * f.places())
}

func (f *finder) places() int { return f.p.States() * (f.m.NumStates() + f.m.NumTransitions()) }

// canShorten reports whether the work for what is so at this length is enough to look for a shortest run
// without each transition that is avoided.
func (f *finder) canShorten(avoided []bool) bool {
	searches := 0
	for _, is := range avoided {
		if is {
			searches++
		}
	}
	return int64(searches)*int64(passesToShorten)*int64(f.places()) <= f.workAtLength
}

// without returns a run of the model that violates the property without transition i, or without
// the stop; nil if there is none.
func (f *finder) without(ctx context.Context, i int) (*counterexample.Trace, error) {
	r, err := f.search(ctx, i, 1)
	if r == nil || err != nil {
		return nil, err
	}
	return r.Trace, nil
}

// search looks for such a run, a shortest one unless the search is limited; nil if every run of the
// model takes the transition.
func (f *finder) search(ctx context.Context, i int, limit int64) (*counterexample.Result, error) {
	left, err := f.take(ctx, i)
	if left == nil || err != nil {
		return nil, err
	}
	return counterexample.Shortest(ctx, left, f.p, counterexample.Options{Limit: limit})
}

// atLength reports of each step whether all violations that are no longer than this one take its
// transition; nil if the work is not enough, or if it is not known which run is shortest.
func (f *finder) atLength(ctx context.Context, avoided []bool) ([]bool, error) {
	always := make([]bool, len(f.distinct))
	if f.p.Steps() == 0 && !f.canShorten(avoided[:len(f.distinct)]) {
		return nil, nil
	}
	for i := range always {
		if always[i] = !avoided[i]; always[i] {
			continue
		}
		if f.p.Steps() > 0 && !f.spendSearch(1) {
			return nil, nil
		}
		r, err := f.search(ctx, i, max(f.work, 1))
		if err != nil {
			return nil, err
		}
		if r == nil || r.Trace == nil {
			return nil, nil
		}
		short := r.Trace.Len() <= f.t.Len()
		if !short && r.Minimal != counterexample.InModel && r.Minimal != counterexample.InProduct {
			return nil, nil
		}
		always[i] = !short
	}
	steps := make([]bool, f.t.Len())
	for i := range steps {
		steps[i] = always[f.numbers[f.t.Step(i)]]
	}
	return steps, nil
}

// take returns the model of the runs that avoid transition i, or the stop; nil if all runs take
// it. What can only lead to a place where nothing is left is no run, and goes, too.
func (f *finder) take(ctx context.Context, i int) (*lts.LTS, error) {
	if err := f.m.FindPredecessors(ctx); err != nil {
		return nil, err
	}
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
		return nil, nil
	}
	var b lts.Builder
	b.Over(f.m.Alphabet())
	for t := range f.m.Transitions() {
		if !cut.Has(t.From) && !cut.Has(t.To) && (i == len(f.distinct) || t != gone) {
			b.Add(t.From, t.Label, t.To)
		}
	}
	return b.Build(f.m.Initial(), f.m.NumStates())
}
