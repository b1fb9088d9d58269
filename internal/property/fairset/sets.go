package fairset

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// Sets finds where a run can stay forever under a fairness assumption: the
// strongly connected sets of transitions that a fair run can take infinitely
// often. It is for one goroutine.
type Sets struct {
	ctx   context.Context
	c     *scc.Components
	f     *property.Fairness
	parts *scc.Parts
	tasks *Tasks
	// bottom[i] reports whether no transition leaves component i; it is only set
	// under full fairness.
	bottom []bool
	now    refinement
}

// refinement is the state of a search for the fair sets of a component.
type refinement struct {
	hidden bitset.Set[lts.Label]
	yield  func([]lts.State) (more bool)
	// open are sets of states that are still to be searched.
	open   [][]lts.State
	failed error
	// isVisible and refine are made once: a model can have as many components as states.
	isVisible func(lts.State, lts.Label, lts.State) bool
	refine    func(set []lts.State) (more bool)
}

// NewSets returns a search in the model of c under f. It uses the search
// parts, which must not be in use elsewhere; nil makes a new one. It fails if the
// budget of ctx is used up. Cost O(S).
func NewSets(
	ctx context.Context,
	c *scc.Components,
	f *property.Fairness,
	parts *scc.Parts,
) (_ *Sets, err error) {
	defer abort.Caught(&err)
	if parts == nil {
		parts = abort.Must(scc.NewParts(ctx, c.LTS()))
	}
	tasks := abort.Must(NewTasks(ctx, c.LTS(), f, parts, nil))
	x := &Sets{
		ctx:   ctx,
		c:     c,
		f:     f,
		parts: parts,
		tasks: tasks,
	}
	x.now.isVisible = func(_ lts.State, l lts.Label, _ lts.State) bool {
		return !x.now.hidden.Has(l)
	}
	x.now.refine = x.refine
	if f.Full() {
		x.bottom = make([]bool, x.c.Len())
		for i := range x.bottom {
			x.bottom[i] = !slices.ContainsFunc(x.c.States(scc.Component(i)), x.c.Leaves)
		}
	}
	return x, nil
}

// Hidden returns the labels for which the function hides returns true, and the
// labels assumed to occur finitely often. Cost one call a label.
func (x *Sets) Hidden(hides func(lts.Label) bool) bitset.Set[lts.Label] {
	hidden := bitset.New[lts.Label](x.c.LTS().Alphabet().Len())
	for l := range x.c.LTS().Alphabet().All() {
		if x.f.Rare(l) || hides(l) {
			hidden.Add(l)
		}
	}
	return hidden
}

// In yields the largest fair strongly connected sets of states of component i,
// one at a time, until yield returns false. Transitions with hidden labels, as
// [Sets.Hidden] returns them, do not count. states are all states of the
// component. It fails if the context is done.
//
// Refinement: without the hidden transitions the component falls into parts. If
// all states of a part enable a weak task that the part does not take, the part
// is dropped, since no subset is fair. States that enable a strong task that
// their part does not take are removed, with the consequences, and the remaining
// states are searched again. Cost O((k+1)(S + T)) for k strong tasks.
func (x *Sets) In(
	i scc.Component,
	states []lts.State,
	hidden bitset.Set[lts.Label],
	yield func([]lts.State) (more bool),
) (err error) {
	defer abort.Caught(&err)
	if x.f.Full() {
		if x.isFullyFair(i, hidden) {
			yield(states)
		}
		return nil
	}
	now := &x.now
	now.hidden = hidden
	now.yield = yield
	now.failed = nil
	now.open = append(now.open[:0], abort.Must(x.tasks.WithoutHidden(states, hidden)))
	// refine adds smaller sets to the open ones. It empties them if yield returns false, or if it fails.
	for len(now.open) > 0 {
		last := len(now.open) - 1
		set := now.open[last]
		now.open = now.open[:last]
		parts := abort.Must(x.parts.Without(set, hidden))
		parts(now.refine)
	}
	return now.failed
}

// refine yields a set without hidden transitions if the set is fair. Otherwise it adds the states
// that a fair subset may have to the open sets. more is false if no other set is wanted.
func (x *Sets) refine(set []lts.State) (more bool) {
	now := &x.now
	if !x.tasks.Count(set, now.isVisible) {
		return true
	}
	remaining, isGivenUp, err := x.tasks.Shrink(set, now.isVisible)
	switch {
	case err != nil:
		now.failed = err
		return now.end()
	case isGivenUp:
	case len(remaining) == len(set):
		if !now.yield(set) {
			return now.end()
		}
	case len(remaining) > 0:
		now.open = append(now.open, remaining)
	}
	return true
}

// end ends the search.
func (r *refinement) end() (more bool) {
	r.open = r.open[:0]
	return false
}

// isFullyFair reports whether a run can stay in component i forever under full fairness, without
// hidden labels. Such a run takes all transitions of the component infinitely often; so none may
// leave it, or have a hidden label.
func (x *Sets) isFullyFair(i scc.Component, hidden bitset.Set[lts.Label]) bool {
	if !x.bottom[i] || !x.c.IsCyclic(i) {
		return false
	}
	for _, s := range x.c.States(i) {
		labels, _ := x.c.LTS().Out(s)
		if labels.Any(hidden.Has) {
			return false
		}
	}
	return true
}

// Admitted finds the components from which some run counts: it reaches a deadlock,
// or a fair set without the labels assumed to occur finitely often. It returns
// nil if all do. It fails if ctx is done. Cost as for [Sets.In].
func Admitted(
	ctx context.Context,
	c *scc.Components,
	f *property.Fairness,
) (_ []bool, err error) {
	defer abort.Caught(&err)
	if f == nil || !f.Excludes() {
		return nil, nil
	}
	sets := abort.Must(NewSets(ctx, c, f, nil))
	admitted := make([]bool, c.Len())
	rare := sets.Hidden(func(lts.Label) bool { return false })
	for i := c.Len() - 1; i >= 0; i-- {
		states := c.States(scc.Component(i))
		for _, s := range states {
			_, targets := c.LTS().Out(s)
			admitted[i] = admitted[i] || f.MayEnd(c.LTS(), s)
			for _, t := range targets {
				to, _ := c.Of(t)
				admitted[i] = admitted[i] || int(to) != i && admitted[to]
			}
		}
		if !admitted[i] && c.IsCyclic(scc.Component(i)) {
			admit := func([]lts.State) bool {
				admitted[i] = true
				return false
			}
			abort.On(sets.In(scc.Component(i), states, rare, admit))
		}
	}
	return admitted, nil
}

// Admits reports whether some run of the model of c counts under f, and whether every finite path from
// its initial state begins a run that counts (Apt, Francez, Katz, 1988: f is feasible). Both are true unless
// labels are assumed to occur finitely often. It fails if ctx is done. Cost as for [Sets.In].
func Admits(
	ctx context.Context,
	c *scc.Components,
	f *property.Fairness,
) (isAdmitted, each bool, err error) {
	admitted, err := Admitted(ctx, c, f)
	if err != nil {
		return false, false, err
	}
	if admitted == nil {
		return true, true, nil
	}
	i, _ := c.Of(c.LTS().Initial())
	return admitted[i], !slices.Contains(admitted, false), nil
}
