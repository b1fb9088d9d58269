// Package assume finds out which assumptions about infinite runs would make a
// property true: fairness to some labels, labels that occur finitely
// often, choices that are made again and again all ways.
//
// Each question is monotone: a violating set of transitions that a run can take for
// ever is a conflict, of which every sufficient set of assumptions must hold a
// member. Smallest sets that meet all conflicts known so far are tried, and either
// suffice or give another conflict (implicit hitting sets).
//
// The invariant that holds inside: an answer suffices, and without any of its members
// it does not.
package assume

import (
	"context"
	"errors"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// ErrDeadlock tells that a run into a deadlock violates the property, so that no
// assumption about infinite runs makes it true.
var ErrDeadlock = errors.New("a run that ends in a deadlock violates the property: no assumption about infinite runs helps")

// Search answers questions about one model and property. It looks for sets of transitions
// that a run can take for ever and violate the property: one conjunct of it, where it has several. It is not for several goroutines.
type Search struct {
	ctx     context.Context
	sources []*source
	*budget
}

// source has the violating sets of one property: with the next step of a chain still to come;
// of another property in the product, or in the model in a state of the property that does
// not change, with the colours that do not satisfy its condition.
type source struct {
	*Search
	e *enrich.Enriched
	c *scc.Components
	m *lts.LTS // the model, or the product
	// Of a chain.
	p       *property.Chain
	pending *enrich.Pending
	// Of a property that is no chain, its product and the pairs of the complement of its
	// condition, the number of which, from 1, stands for that of a step.
	u     *product.Unfolding
	pairs []property.Pair
	// Or, in the model, in what runs violate it: the number of one stands for a step.
	fates   *fate.Map
	still   []still
	reached places // that a run comes to
	parts   *parts
}

// parts are searches in parts of a model, whose work is counted.
type parts struct {
	*scc.Parts
	counted int64
}

// single returns a search of one source, with what it goes through parts with.
func single(ctx context.Context, x *source) (*Search, error) {
	found, err := scc.NewParts(ctx, x.m)
	x.parts = &parts{Parts: found}
	x.Search = &Search{ctx: ctx, sources: []*source{x}, budget: &budget{}}
	return x.Search, err
}

// alphabet returns the labels of the model.
func (v *Search) alphabet() *lts.Alphabet { return v.sources[0].m.Alphabet() }

// budget counts the work of a question.
type budget struct {
	ctx context.Context
	// work counts the transitions looked at, up to most, where that is not 0.
	work, most int64
	looked     int64 // the work when ctx was looked at last
}

// errLimit tells that the limit of work is reached.
var errLimit = errors.New("assume: too much work")

// spend counts work. It fails if the limit is reached, or if the context is done.
func (b *budget) spend(work int) error {
	b.work += int64(work)
	if b.most > 0 && b.work > b.most {
		return errLimit
	}
	if b.work-b.looked >= 1<<14 {
		b.looked = b.work
		return b.ctx.Err()
	}
	return nil
}

// New returns a search for what would make the property of e true: the model enriched
// without assumptions. It fails with [ErrDeadlock], and where ctx is done or its budget
// used up; so do the questions. Cost O(S + T), and that of [enrich.Enriched.Pending].
func New(ctx context.Context, e *enrich.Enriched) (*Search, error) {
	x := &source{e: e, c: e.Components(), m: e.LTS(), p: e.Property()}
	if x.deadlocks() {
		return nil, ErrDeadlock
	}
	var err error
	if x.pending, err = e.Pending(ctx); err != nil {
		return nil, err
	}
	return single(ctx, x)
}

// Size returns how many states and transitions the parts of the model have, one for each
// step that may still be to come, that a question goes through at least once: see
// [enrich.Pending.Size]. Cost O(1).
func (v *Search) Size() (size int64) {
	for _, x := range v.sources {
		switch {
		case x.pending != nil:
			size += x.pending.Size()
		case x.u != nil:
			size += x.passes() * int64(len(x.pairs))
		default:
			size += x.passes() * int64(len(x.still))
		}
	}
	return size
}

// begin begins a question, of so much work.
func (v *Search) begin(l Limits) { v.budget = &budget{ctx: v.ctx, most: l.Work} }

// deadlocks reports whether a run into a deadlock violates the property. A state of
// which the common prefix is not complete is reached with less.
func (v *source) deadlocks() bool {
	for i := range v.c.Len() {
		if states := v.c.States(scc.Component(i)); v.m.IsDeadlock(states[0]) && v.e.CP(states[0]) < v.p.Len() {
			return true
		}
	}
	return false
}

// shows selects transitions.
type shows func(from lts.State, l lts.Label, to lts.State) bool

// each calls yield with each part of the model of a chain in which a run can stay for ever with a
// step still to come, or of another property in a state of it that does not change, until it says
// not to go on, and counts what that and the searches in the parts cost.
func (v *source) each(yield part) error {
	if err := v.spend(v.m.Alphabet().Len()); err != nil {
		return err
	}
	if v.pending == nil {
		return v.eachStill(v.counting(yield))
	}
	return v.pending.Each(v.ctx, v.counting(yield))
}

// part is called with a part of the model.
type part = func(i scc.Component, states []lts.State, step int) (more bool, err error)

// counting is yield, and counts what it cost.
func (v *source) counting(yield part) part {
	return func(i scc.Component, states []lts.State, step int) (bool, error) {
		more, err := yield(i, states, step)
		if err == nil {
			err = v.spend(len(states))
		}
		if err == nil {
			err = v.searched()
		}
		return more, err
	}
}

// searched counts what the searches for components have cost since it was called last.
func (v *source) searched() error {
	since := v.parts.Work() - v.parts.counted
	v.parts.counted += since
	return v.spend(int(since))
}

// violating is a set that violates the property of a source, and the step that its transitions do
// not do; the states are nil if there is none.
type violating struct {
	*source
	states []lts.State
	step   int
}

// under returns a violating set that is fair under f.
func (v *Search) under(f *property.Fairness) (violating, error) {
	var sets *fairSets
	for _, x := range v.sources {
		found := violating{source: x}
		var err error
		if x.u != nil {
			found.states, found.step, err = x.underInProduct(f)
		} else if sets, err = x.newFairSets(f, sets); err == nil {
			err = x.each(func(i scc.Component, states []lts.State, j int) (bool, error) {
				err := sets.In(i, states, sets.hidden(j), func(set []lts.State) bool {
					if x.recurs(set, j, f.Rare) {
						found.states, found.step = set, j
					}
					return found.states == nil
				})
				return found.states == nil, err
			})
		}
		if found.states != nil || err != nil {
			return found, err
		}
	}
	return violating{}, nil
}

// some reports whether there is a violating set that is fair under f.
func (v *Search) some(f *property.Fairness) (found bool, err error) {
	var sets *fairSets
	for _, x := range v.sources {
		if x.u != nil {
			set, _, err := x.underInProduct(f)
			found = set != nil
			if found || err != nil {
				return found, err
			}
			continue
		}
		if sets, err = x.newFairSets(f, sets); err != nil {
			return false, err
		}
		all := x.eachStill
		if x.pending != nil {
			all = func(yield part) error { return x.pending.Backward(x.ctx, yield) }
		}
		err = all(x.counting(func(i scc.Component, states []lts.State, j int) (bool, error) {
			var err error
			if x.recurring(j) == 0 {
				found, err = sets.Around(states, sets.hidden(j))
			}
			if found || err != nil {
				return false, err
			}
			err = sets.In(i, states, sets.hidden(j), func(set []lts.State) bool {
				found = x.recurs(set, j, f.Rare)
				return !found
			})
			return !found, err
		}))
		if found || err != nil {
			return found, err
		}
	}
	return false, nil
}

// fairSets looks for fair sets without a step.
type fairSets struct {
	*enrich.FairSets
	of     *source
	labels map[int]bitset.Set[lts.Label] // that are hidden without each step
}

// newFairSets returns the fair sets of a source, with the memory of another source, if it has the same
// model.
func (v *source) newFairSets(f *property.Fairness, known *fairSets) (*fairSets, error) {
	x := &fairSets{of: v, labels: map[int]bitset.Set[lts.Label]{}}
	if known != nil && known.of.c == v.c {
		x.FairSets = known.FairSets
		return x, nil
	}
	var err error
	x.FairSets, err = enrich.NewFairSets(v.ctx, v.c, f, v.parts.Parts)
	return x, err
}

// hidden returns the labels that are hidden where a step is not to be done.
func (x *fairSets) hidden(step int) bitset.Set[lts.Label] {
	hidden, known := x.labels[step]
	if !known {
		hidden = x.Hidden(func(l lts.Label) bool { return x.of.does(l, step) })
		x.labels[step] = hidden
	}
	return hidden
}

// within returns what selects the transitions between the states of a set, but for
// those that do a step or that hides hides.
func (v *source) within(set []lts.State, step int, hides func(lts.Label) bool) shows {
	v.parts.Enter(set)
	return func(from lts.State, l lts.Label, to lts.State) bool {
		return v.parts.Has(to) && !v.satisfies(from, l, step) && (hides == nil || !hides(l))
	}
}

// satisfies reports whether a run that takes a transition for ever does not violate the
// property by a step, or a pair.
func (v *source) satisfies(from lts.State, l lts.Label, step int) bool {
	if v.u != nil {
		return v.u.Marks(from, l)&v.pairs[step-1].Fin != 0
	}
	return v.does(l, step)
}

// does reports whether a transition with a label does a step, in the model.
func (v *source) does(l lts.Label, step int) bool {
	if v.pending == nil {
		return v.leaves(l, v.still[step-1])
	}
	return v.p.Does(l, step)
}
