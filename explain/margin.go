package explain

import (
	"slices"

	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// margin is the distance of a property from failing. Only some properties have a margin:
// precedence, bounded existence, universality and absence on all of a run, absence before or after
// something, freedom from deadlocks, and invariants of values.
type margin struct {
	// Restricted is the pattern that the property restricts. For universality, it is the only
	// pattern that is allowed; for freedom from deadlocks, it is "", and for an invariant the formula.
	Restricted string `json:"of"`
	// After is a pattern for two kinds of properties: for precedence, the pattern that must come
	// first; for absence before something, the pattern before which Restricted is not allowed. Before
	// is the pattern after which Restricted is not allowed. Each is "" if there is no such pattern.
	After  string `json:"after,omitempty"`
	Before string `json:"before,omitempty"`
	// Count depends on the property. With After, it is the smallest number of transitions from the
	// first After up to and including the next Restricted. With Before, it is the smallest number
	// from a Restricted up to and including the first Before. For bounded existence, it is the largest
	// number of Restricted on a run, where Times are allowed. For freedom from deadlocks and for
	// invariants, it is the number of reachable states. Otherwise it is the number of transitions that are not
	// allowed; none of them is reachable. It is 0 only for universality.
	Count int `json:"count"`
	Times int `json:"times,omitzero"`
	// OneWay, for freedom from deadlocks, is the number of reachable states with only one transition.
	OneWay int `json:"one_way,omitzero"`
}

// findMargin finds the margin of the property, if properties of its kind have a margin and all runs
// count. Cost O(S + T).
func (r *Reasons) findMargin(a *Analysis) {
	invariant, isLTL := a.Formula.(*ltl.Formula)
	if isLTL && invariant.IsInvariant() && a.fairness == nil && a.Unfolding == nil {
		states, _ := a.m.Size()
		r.Margin = &margin{Restricted: invariant.String(), Count: states}
		return
	}
	pattern, isPattern := a.Formula.(patternFormula)
	isAboutStates := len(a.m.Alphabet().FactNames()) > 0
	if !isPattern || a.fairness != nil || isAboutStates {
		return
	}
	s := pattern.Specification()
	if s.Kind == property.KindDeadlockFree {
		// In a scope, runs may end in deadlocks outside of it.
		if a.Unfolding == nil && s.Scope == property.Globally {
			r.Margin = a.marginOfDeadlockFreedom()
		}
		return
	}
	if len(s.Steps) == 0 {
		return
	}
	found := a.marginOf(s)
	allowsEverything := found.Count == 0 && s.Kind == property.KindAlways && s.Scope == property.Globally
	if found.Count > 0 || allowsEverything {
		r.Margin = found
	}
}

// marginOf returns the margin of a pattern with steps. If its Count is 0, the pattern has no margin, or allows
// everything.
func (a *Analysis) marginOf(s property.Specification) *margin {
	last := s.Steps[len(s.Steps)-1]
	found := &margin{Restricted: last.Pattern.String(), Times: s.Times}
	restricted := a.labelsOf(last)
	isAbsence := s.Kind == property.KindNever && len(s.Steps) == 1
	switch {
	case isAbsence && s.Scope == property.Before:
		found.After = s.To.Pattern.String()
		found.Count = a.leastFromFirst(a.labelsOf(s.To), restricted)
	case isAbsence && s.Scope == property.After:
		found.Before = s.From.Pattern.String()
		found.Count = a.leastUntilFirst(restricted, a.labelsOf(s.From))
	case s.Scope != property.Globally:
		// Other patterns with a scope have no margin.
	case s.Kind == property.KindPrecedes && len(s.Steps) == 2:
		found.After = s.Steps[0].Pattern.String()
		found.Count = a.leastFromFirst(a.labelsOf(s.Steps[0]), restricted)
	case s.Kind == property.KindAtMost:
		found.Count = a.mostOnRun(restricted)
	case isAbsence:
		found.Count = a.countTransitions(restricted.Has)
	case s.Kind == property.KindAlways:
		found.Count = a.countTransitions(func(l lts.Label) bool {
			return !restricted.Has(l)
		})
	}
	return found
}

// marginOfDeadlockFreedom returns how many states runs reach, and how many of these have only one
// transition.
func (a *Analysis) marginOfDeadlockFreedom() *margin {
	found := &margin{}
	reach := a.m.Reachable()
	for s := range lts.State(a.m.NumStates()) {
		if !reach.Has(s) || a.m.IsBefore(s) {
			continue
		}
		found.Count++
		_, targets := a.m.Out(s)
		if len(targets) == 1 {
			found.OneWay++
		}
	}
	return found
}

// countTransitions returns the number of transitions with selected labels. Transitions to initial
// states do not count.
func (a *Analysis) countTransitions(selects func(lts.Label) bool) (n int) {
	for t := range a.m.Transitions() {
		if selects(t.Label) && !a.m.IsBefore(t.From) {
			n++
		}
	}
	return n
}

// labelsOf returns the labels that do a step.
func (a *Analysis) labelsOf(step property.Step) bitset.Set[lts.Label] {
	set := bitset.New[lts.Label](a.m.Alphabet().Len())
	for l, text := range a.m.Alphabet().All() {
		if step.Pattern.Matches(text) {
			set.Add(l)
		}
	}
	return set
}

// leastFromFirst returns the smallest number of transitions that a run takes after its first
// transition with a label of first, up to and including the next one with a label of last. It
// returns 0 if no run does both, or if a label is in both sets.
func (a *Analysis) leastFromFirst(first, last bitset.Set[lts.Label]) int {
	reached := []lts.State{a.m.Initial()} // the states that a run reaches without labels of first
	isBefore := bitset.New[lts.State](a.m.NumStates())
	isBefore.Add(a.m.Initial())
	var after []lts.State // the states that a run reaches by its first transition with a label of first
	isAfter := bitset.New[lts.State](a.m.NumStates())
	for i := 0; i < len(reached); i++ {
		labels, targets := a.m.Out(reached[i])
		for k, to := range targets {
			l := labels.At(k)
			switch {
			case first.Has(l) && last.Has(l):
				return 0
			case first.Has(l) && !isAfter.Has(to):
				isAfter.Add(to)
				after = append(after, to)
			case !first.Has(l) && !isBefore.Has(to):
				isBefore.Add(to)
				reached = append(reached, to)
			}
		}
	}
	return a.distance(after, isAfter, last)
}

// leastUntilFirst returns the smallest number of transitions after a transition with a label of first,
// up to and including the first transition of the run with a label of last. It returns 0 if no run
// does both, or if a label is in both sets.
func (a *Analysis) leastUntilFirst(first, last bitset.Set[lts.Label]) int {
	reached := []lts.State{a.m.Initial()} // the states that a run reaches without labels of last
	isBefore := bitset.New[lts.State](a.m.NumStates())
	isBefore.Add(a.m.Initial())
	var after []lts.State // the states that a run reaches by a transition with a label of first
	isAfter := bitset.New[lts.State](a.m.NumStates())
	for i := 0; i < len(reached); i++ {
		labels, targets := a.m.Out(reached[i])
		for k, to := range targets {
			l := labels.At(k)
			if first.Has(l) && last.Has(l) {
				return 0
			}
			if last.Has(l) {
				continue
			}
			if first.Has(l) && !isAfter.Has(to) {
				isAfter.Add(to)
				after = append(after, to)
			}
			if !isBefore.Has(to) {
				isBefore.Add(to)
				reached = append(reached, to)
			}
		}
	}
	return a.distance(after, isAfter, last)
}

// distance returns the smallest number of transitions of a path that begins in a state of layer and
// ends with a label of last; 0 if there is none. visited has the states of the layer; distance adds
// the states that it visits.
func (a *Analysis) distance(
	layer []lts.State,
	visited bitset.Set[lts.State],
	last bitset.Set[lts.Label],
) int {
	for steps := 1; len(layer) > 0; steps++ {
		var next []lts.State
		for _, s := range layer {
			labels, targets := a.m.Out(s)
			for k, to := range targets {
				if last.Has(labels.At(k)) {
					return steps
				}
				if !visited.Has(to) {
					visited.Add(to)
					next = append(next, to)
				}
			}
		}
		layer = next
	}
	return 0
}

// mostOnRun returns the largest number of transitions with a label of the set on a run. None of these
// transitions may lie on a cycle.
func (a *Analysis) mostOnRun(set bitset.Set[lts.Label]) int {
	c := a.Components
	most := make([]int, c.Len())           // for each component, the largest number on a run from it
	for i := range slices.Backward(most) { // successors come later
		for _, s := range c.States(scc.Component(i)) {
			labels, targets := c.LTS().Out(s)
			for k, to := range targets {
				next, _ := c.Of(to)
				staysInside := int(next) == i
				if staysInside {
					continue
				}
				counted := most[next]
				if set.Has(labels.At(k)) {
					counted++
				}
				most[i] = max(most[i], counted)
			}
		}
	}
	first, _ := c.Of(c.LTS().Initial())
	return most[first]
}
