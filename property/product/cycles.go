package product

import (
	"context"
	"iter"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/property/fairset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// Accepting reports for each strongly connected component of the unfolded model,
// by its number in c, whether a run that stays in it forever can satisfy the
// condition: whether the colours of some strongly connected set of its
// transitions satisfy it. It fails if ctx is done.
//
// After Baier, Blahoudek, Duret-Lutz, Klein, Müller, Strejček: Generic Emptiness Check for Fun and
// Profit (ATVA 2019), Algorithm 1. Cost O(S + T) if the condition has no Fin; for a Rabin
// condition, times the number of its pairs; exponential in the number of colours in a Fin at worst.
// 16 bytes a state while it runs.
func (u *Unfolding) Accepting(
	ctx context.Context,
	c *scc.Components,
	accept property.Acceptance,
) ([]bool, error) {
	return u.AcceptingUnder(ctx, c, accept, nil)
}

// AcceptingUnder is [Unfolding.Accepting] for runs that count under f; nil for all. A task is
// enabled in an unfolded state if it is enabled in the model's state. Under full fairness almost
// all runs count, for any positive probabilities: they take every transition of a component without
// exits infinitely often. Cost as for Accepting, times one more than the number of strong tasks.
func (u *Unfolding) AcceptingUnder(
	ctx context.Context,
	c *scc.Components,
	accept property.Acceptance,
	f *property.Fairness,
) (_ []bool, err error) {
	defer abort.Caught(&err)
	return newCycles(ctx, u, f).accepting(c, accept), nil
}

// Verdicts returns the results of [Unfolding.AcceptingUnder] for the condition of
// the property and for its complement. Cost as for both, and memory as for one.
func (u *Unfolding) Verdicts(
	ctx context.Context,
	c *scc.Components,
	f *property.Fairness,
) (accepting, rejecting []bool, err error) {
	defer abort.Caught(&err)
	x := newCycles(ctx, u, f)
	accept := u.property.Acceptance()
	return x.accepting(c, accept), x.accepting(c, accept.Not()), nil
}

// accepting reports for each component whether a run that counts can satisfy the condition by staying in it.
func (x *cycles) accepting(c *scc.Components, accept property.Acceptance) (accepting []bool) {
	accepting = make([]bool, c.Len())
	for i := range accepting {
		if !c.IsCyclic(scc.Component(i)) {
			continue
		}
		if x.fairness != nil && x.fairness.Full() {
			marks, recurs := x.allRecurring(c, scc.Component(i))
			accepting[i] = recurs && accept.Holds(marks)
			continue
		}
		accepting[i] = x.isComponentNonempty(c.States(scc.Component(i)), accept)
	}
	return accepting
}

// cycles searches for cycles in subsets of the states of an unfolded model. It follows only
// transitions that may recur and have no banned colour.
type cycles struct {
	*scc.Parts
	u *Unfolding
	// fairness is the assumption that decides which runs count; nil if all runs count. tasks refines
	// sets of states by the tasks of fairness; nil if there are no tasks.
	fairness *property.Fairness
	tasks    *fairset.Tasks
}

func newCycles(ctx context.Context, u *Unfolding, f *property.Fairness) *cycles {
	parts := abort.Must(scc.NewParts(ctx, u.system))
	x := &cycles{Parts: parts, u: u, fairness: f}
	if f != nil && len(f.Tasks()) > 0 {
		x.tasks = abort.Must(fairset.NewTasks(ctx, u.system, f, parts, u.Stays))
	}
	return x
}

// recurs reports whether a transition can recur if some colours are banned.
func (x *cycles) recurs(from lts.State, l lts.Label, banned property.Marks) bool {
	return x.u.Marks(from, l)&banned == 0 && (x.fairness == nil || !x.fairness.Rare(l))
}

// components yields the strongly connected components of states without the
// transitions of banned colours; under fairness, the largest fair sets within
// them.
func (x *cycles) components(states []lts.State, banned property.Marks) iter.Seq[[]lts.State] {
	mayRecur := func(from lts.State, l lts.Label, _ lts.State) bool {
		return x.recurs(from, l, banned)
	}
	return func(yield func([]lts.State) bool) {
		pending := [][]lts.State{states}
		for len(pending) > 0 {
			part := pending[len(pending)-1]
			pending = pending[:len(pending)-1]
			for set := range abort.Must(x.Components(part, mayRecur)) {
				fair := x.fairPart(set, mayRecur)
				if len(fair) == len(set) {
					if !yield(set) {
						return
					}
				} else if len(fair) > 0 {
					pending = append(pending, fair)
				}
			}
		}
	}
}

// fairPart returns the states of a component in which fair runs can stay; all of them without fairness.
func (x *cycles) fairPart(
	set []lts.State,
	mayRecur func(lts.State, lts.Label, lts.State) bool,
) []lts.State {
	if x.tasks == nil {
		return set
	}
	if !x.tasks.Count(set, mayRecur) {
		return nil
	}
	remaining, isGivenUp, err := x.tasks.Shrink(set, mayRecur)
	abort.On(err)
	if isGivenUp {
		return nil
	}
	return remaining
}

// allRecurring returns the colours of a component in which a run can take all transitions
// infinitely often; false if a transition leaves the component, or has a label that occurs finitely
// often.
func (x *cycles) allRecurring(
	c *scc.Components,
	i scc.Component,
) (all property.Marks, recurs bool) {
	for _, s := range c.States(i) {
		labels, targets := x.u.system.Out(s)
		for j, t := range targets {
			component, _ := c.Of(t)
			if component != i || x.fairness.Rare(labels.At(j)) {
				return 0, false
			}
			all |= x.u.Marks(s, labels.At(j))
		}
	}
	return all, true
}

// isNonempty reports whether the colours of some strongly connected set of
// transitions between states, without banned colours, satisfy the condition
// accept.
func (x *cycles) isNonempty(
	states []lts.State,
	banned property.Marks,
	accept property.Acceptance,
) bool {
	switch {
	case accept.Operator() == property.False:
		return false
	case accept.Operator() == property.True && x.fairness == nil:
		return abort.Must(x.HasCycle(states, func(from lts.State, l lts.Label, _ lts.State) bool {
			return x.recurs(from, l, banned)
		}))
	}
	wanted, _ := accept.Colours()
	for part := range x.components(states, banned) {
		marks, hasTransitions := x.colours(part, banned, wanted)
		if hasTransitions && x.canHold(part, banned, marks, accept.Within(marks)) {
			return true
		}
	}
	return false
}

// isComponentNonempty decides what [cycles.isNonempty] does, for the states of a strongly connected component.
// Without fairness, it need not search for components again.
func (x *cycles) isComponentNonempty(states []lts.State, accept property.Acceptance) bool {
	if x.fairness != nil || accept.Operator() == property.False {
		return x.isNonempty(states, 0, accept)
	}
	wanted, _ := accept.Colours()
	marks, _ := x.colours(states, 0, wanted)
	return x.canHold(states, 0, marks, accept.Within(marks))
}

// canHold reports whether a strongly connected part, whose transitions have the
// colours marks, has a set of transitions that satisfies the condition accept.
// The condition mentions no other colours.
func (x *cycles) canHold(
	part []lts.State,
	banned, marks property.Marks,
	accept property.Acceptance,
) bool {
	if accept.Holds(marks) {
		return true
	}
	disjuncts := []property.Acceptance{accept}
	if accept.Operator() == property.OrOp {
		disjuncts = accept.Parts()
	}
	return slices.ContainsFunc(disjuncts, func(h property.Acceptance) bool {
		return x.canHoldByFins(part, banned, marks, h)
	})
}

// canHoldByFins decides what [cycles.canHold] does, for a condition that is no disjunction: it
// decides one Fin after the other.
func (x *cycles) canHoldByFins(
	part []lts.State,
	banned, marks property.Marks,
	accept property.Acceptance,
) bool {
	for {
		if accept.Holds(marks) {
			return true
		}
		fin, hasFin := finColour(accept)
		if !hasFin {
			return false
		}
		if x.isNonempty(part, banned|property.Mark(fin), accept.Assume(fin, true)) {
			return true
		}
		accept = accept.Assume(fin, false)
	}
}

// finColour returns a colour in a Fin of a condition, preferably in one that is a
// conjunct.
func finColour(a property.Acceptance) (colour int, hasFin bool) {
	if a.Operator() == property.FinOp {
		return a.Colour(), true
	}
	for _, p := range a.Parts() {
		if p.Operator() == property.FinOp {
			return p.Colour(), true
		}
	}
	for _, p := range a.Parts() {
		colour, hasFin := finColour(p)
		if hasFin {
			return colour, true
		}
	}
	return 0, false
}

// colours returns the wanted colours that transitions within a part have, and whether there are
// such transitions.
func (x *cycles) colours(
	part []lts.State,
	banned, wanted property.Marks,
) (met property.Marks, exist bool) {
	wanted &^= banned
	x.Enter(part)
	for _, s := range part {
		labels, targets := x.u.system.Out(s)
		for i, t := range targets {
			if x.Has(t) && x.recurs(s, labels.At(i), banned) {
				met = met | x.u.Marks(s, labels.At(i))&wanted
				exist = true
			}
		}
		if exist && met == wanted {
			break
		}
	}
	return met, exist
}

// Recurring returns for each state of the unfolded model the number, from 1, of its part, and 0 for
// states without one. A part is a strongly connected set of states with the transitions between
// them that have no banned colour; together these have all demanded colours. Under f, which must
// not be full, the parts are the largest fair ones; f may be nil. c are the components of the
// unfolded model; nil if they are not known. It fails if ctx is done. Cost O(S + T), under f times
// one more than the number of strong tasks, and 4 bytes a state.
func (u *Unfolding) Recurring(
	ctx context.Context,
	c *scc.Components,
	banned, demanded property.Marks,
	f *property.Fairness,
) (part []uint32, parts int, err error) {
	defer abort.Caught(&err)
	x := newCycles(ctx, u, f)
	abort.On(resources.AskFor[uint32](ctx, u.system.NumStates()))
	part = make([]uint32, u.system.NumStates())
	if c == nil {
		all := abort.Must(resources.Make[lts.State](ctx, u.system.NumStates()))
		for s := range all {
			all[s] = lts.State(s)
		}
		return part, x.numberParts(all, banned, demanded, part, 0), nil
	}
	for i := range c.Len() {
		if c.IsCyclic(scc.Component(i)) {
			parts = x.numberParts(c.States(scc.Component(i)), banned, demanded, part, parts)
		}
	}
	return part, parts, nil
}

// numberParts numbers the parts among some states from last+1 on, and returns the last number.
func (x *cycles) numberParts(
	states []lts.State,
	banned, demanded property.Marks,
	part []uint32,
	last int,
) int {
	for set := range x.components(states, banned) {
		marks, hasTransitions := x.colours(set, banned, demanded)
		if !hasTransitions || marks != demanded {
			continue
		}
		last++
		for _, s := range set {
			part[s] = uint32(last)
		}
	}
	return last
}
