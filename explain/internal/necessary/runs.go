package necessary

import (
	"context"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// avoidedByRuns is avoidedOnChain for any property. For each transition, and for the end, it
// searches for a violating run that avoids it; each such run shows that everything which it does
// not take can be avoided.
func (f *finder) avoidedByRuns(ctx context.Context) ([]bool, error) {
	avoided := make([]bool, len(f.distinct)+1)
	for i := range avoided {
		if avoided[i] || i == len(f.distinct) && f.t.Kind() != counterexample.Deadlock {
			continue
		}
		if !f.spend(passesToDecide * f.places()) {
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
			// The continuation of a stem may take any other transition.
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

// The numbers of passes through model and property that a search takes for a property that is no
// chain: for some violating run, and for a shortest one; measured.
const (
	passesToDecide  = 4
	passesToShorten = 64
)

func (f *finder) places() int { return f.p.States() * (f.m.NumStates() + f.m.NumTransitions()) }

// canShorten reports whether WorkAtLength is enough to search for a shortest run without each
// transition that can be avoided.
func (f *finder) canShorten(avoided []bool) bool {
	searches := 0
	for _, is := range avoided {
		if is {
			searches++
		}
	}
	return int64(searches)*int64(passesToShorten)*int64(f.places()) <= f.workAtLength
}

// without returns a violating run of the model without transition i, or without the end; nil if
// there is none.
func (f *finder) without(ctx context.Context, i int) (*counterexample.Trace, error) {
	r, err := f.search(ctx, i, 1)
	if r == nil || err != nil {
		return nil, err
	}
	return r.Trace, nil
}

// search searches for a shortest violating run of the model without transition i; with a limit, any
// violating run. It returns nil if every run of the model takes the transition.
func (f *finder) search(ctx context.Context, i int, limit int64) (*counterexample.Result, error) {
	left, err := f.take(ctx, i)
	if left == nil || err != nil {
		return nil, err
	}
	return counterexample.Shortest(ctx, left, f.p, counterexample.Options{Limit: limit})
}

// atLength returns [Result.AtLength]; nil if the work is not enough, or if the search does not find
// a shortest run.
func (f *finder) atLength(ctx context.Context, avoided []bool) ([]bool, error) {
	always := make([]bool, len(f.distinct))
	isChain := f.p.Steps() > 0
	if !isChain && !f.canShorten(avoided[:len(f.distinct)]) {
		return nil, nil
	}
	for i := range always {
		if always[i] = !avoided[i]; always[i] {
			continue
		}
		if isChain && !f.spend(f.places()) {
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

// take returns the model without transition distinct[i] or, if i is len(distinct), without the
// state where the run ends; nil if the model then has no run. It also removes the states from which
// every path leads to a new deadlock.
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
	return f.m.Without(func(t lts.Transition) bool {
		return cut.Has(t.From) || cut.Has(t.To) || i < len(f.distinct) && t == gone
	})
}
