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
	"github.com/inev-lts/inev/internal/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// ErrDeadlock tells that a run into a deadlock violates the property, so that no
// assumption about infinite runs makes it true.
var ErrDeadlock = errors.New("a run that ends in a deadlock violates the property: no assumption about infinite runs helps")

// Search answers questions about one model and property. It looks for sets of transitions
// that a run can take for ever and violate the property: with the next step of a chain
// still to come; of another property in the product, with the colours by which its
// condition is not satisfied. It is not for several goroutines.
type Search struct {
	ctx     context.Context
	e       *enrich.Enriched
	c       *scc.Components
	m       *lts.LTS // the model, or the product
	p       *property.Chain
	pending *enrich.Pending
	// Of a property that is no chain, its product and the pairs of the complement of its
	// condition, the number of which, from 1, stands for that of a step.
	u       *product.Unfolding
	pairs   []property.Pair
	parts   *scc.Parts
	counted int64 // of the work of parts
	*budget
}

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
	v := &Search{ctx: ctx, e: e, c: e.Components(), m: e.LTS(), p: e.Property(), budget: &budget{}}
	if v.deadlocks() {
		return nil, ErrDeadlock
	}
	var err error
	if v.pending, err = e.Pending(ctx); err == nil {
		v.parts, err = scc.NewParts(ctx, e.LTS())
	}
	return v, err
}

// Size returns how many states and transitions the parts of the model have, one for each
// step that may still be to come, that a question goes through at least once: see
// [enrich.Pending.Size]. Cost O(1).
func (v *Search) Size() int64 {
	if v.u != nil {
		return v.passes() * int64(len(v.pairs))
	}
	return v.pending.Size()
}

// begin begins a question, of so much work.
func (v *Search) begin(l Limits) { v.budget = &budget{ctx: v.ctx, most: l.Work} }

// deadlocks reports whether a run into a deadlock violates the property. A state of
// which the common prefix is not complete is reached with less.
func (v *Search) deadlocks() bool {
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
// step still to come, until it says not to go on, and counts what that and the searches in
// the parts cost.
func (v *Search) each(yield part) error {
	if err := v.spend(v.m.Alphabet().Len()); err != nil {
		return err
	}
	return v.pending.Each(v.ctx, v.counting(yield))
}

// part is called with a part of the model of a chain.
type part = func(i scc.Component, states []lts.State, step int) (more bool, err error)

// counting is yield, and counts what it cost.
func (v *Search) counting(yield part) part {
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
func (v *Search) searched() error {
	since := v.parts.Work() - v.counted
	v.counted += since
	return v.spend(int(since))
}

// under returns the states of a violating set that is fair under f, and the step that
// its transitions do not do; nil if there is none.
func (v *Search) under(f *property.Fairness) (set []lts.State, step int, err error) {
	if v.u != nil {
		return v.underInProduct(f)
	}
	sets, err := v.newFairSets(f)
	if err != nil {
		return nil, 0, err
	}
	err = v.each(func(i scc.Component, states []lts.State, j int) (bool, error) {
		err := sets.In(i, states, sets.hidden(j), func(found []lts.State) bool {
			set, step = found, j
			return false
		})
		return set == nil, err
	})
	return set, step, err
}

// some reports whether there is a violating set that is fair under f.
func (v *Search) some(f *property.Fairness) (found bool, err error) {
	if v.u != nil {
		set, _, err := v.underInProduct(f)
		return set != nil, err
	}
	sets, err := v.newFairSets(f)
	if err != nil {
		return false, err
	}
	err = v.pending.Backward(v.ctx, v.counting(func(i scc.Component, states []lts.State, j int) (bool, error) {
		var err error
		if found, err = sets.Around(states, sets.hidden(j)); found || err != nil {
			return false, err
		}
		err = sets.In(i, states, sets.hidden(j), func([]lts.State) bool {
			found = true
			return false
		})
		return !found, err
	}))
	return found, err
}

// fairSets looks for fair sets without a step.
type fairSets struct {
	*enrich.FairSets
	p      *property.Chain
	labels []bitset.Set[lts.Label] // that are hidden without each step, nil until they are asked for
}

func (v *Search) newFairSets(f *property.Fairness) (*fairSets, error) {
	sets, err := enrich.NewFairSets(v.ctx, v.c, f, v.parts)
	return &fairSets{sets, v.p, make([]bitset.Set[lts.Label], v.p.Len()+1)}, err
}

// hidden returns the labels that are hidden where a step is not to be done.
func (x *fairSets) hidden(step int) bitset.Set[lts.Label] {
	if x.labels[step] == nil {
		x.labels[step] = x.Hidden(func(l lts.Label) bool { return x.p.Does(l, step) })
	}
	return x.labels[step]
}

// within returns what selects the transitions between the states of a set, but for
// those that do a step or that hides hides.
func (v *Search) within(set []lts.State, step int, hides func(lts.Label) bool) shows {
	v.parts.Enter(set)
	return func(from lts.State, l lts.Label, to lts.State) bool {
		return v.parts.Has(to) && !v.satisfies(from, l, step) && (hides == nil || !hides(l))
	}
}

// satisfies reports whether a run that takes a transition for ever does not violate the
// property by a step, or a pair.
func (v *Search) satisfies(from lts.State, l lts.Label, step int) bool {
	if v.u != nil {
		return v.u.Marks(from, l)&v.pairs[step-1].Fin != 0
	}
	return v.p.Does(l, step)
}
