package ltl

import (
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/property"
)

// OfMoments is [Of] for a pattern with atoms about values of states. States and actions alternate in a
// run, and each of them is a moment; the formula expresses "later" between moments by positions.
// OfMoments returns false for scopes, and for precedence of several steps. Cost exponential in the
// number of steps at worst, if sets mix labels and atoms; common subformulas are shared.
func OfMoments(pattern *actl.Formula) (*Formula, bool) {
	s := pattern.Specification()
	if s.Scope != property.Globally {
		return nil, false
	}
	p := &parser{}
	steps := make([]element, 0, len(s.Steps))
	for _, step := range pattern.Steps() {
		labels, states := step.Split()
		e := element{action: temporal.False(), state: temporal.False()}
		if !labels.IsNone() {
			e.action = p.numbered(labels)
		}
		if !states.IsNone() {
			e.state = p.numbered(states)
		}
		steps = append(steps, e)
	}
	root := momentsOf(s, steps)
	if root == nil {
		return nil, false
	}
	// Atoms are numbered by their first occurrence in the text.
	formula := &Formula{root: root, atoms: p.atoms.All}
	return formula.part(root), true
}

// element is a step of a pattern: a formula about the action at a position, and one about the state
// before the action. A formula is false if the step has no atoms of its kind.
type element struct{ action, state *temporal.Formula }

// momentsOf returns the formula of a pattern over moments; nil if the pattern cannot be written so.
func momentsOf(s property.Specification, steps []element) *temporal.Formula {
	switch s.Kind {
	case property.KindInev:
		return temporal.Eventually(run(steps).either())
	case property.KindResponse:
		rest := run(steps[1:])
		return temporal.Always(temporal.All(ifThen(steps[0].action, rest.afterAction()),
			ifThen(steps[0].state, rest.afterState())))
	case property.KindNever:
		return never(steps)
	case property.KindAtMost:
		return never(slices.Repeat(steps, s.Times+1))
	case property.KindAlways:
		if isFalse(steps[0].state) {
			return temporal.Always(temporal.Or(steps[0].action, temporal.Deadlock()))
		}
		return temporal.Always(steps[0].state)
	case property.KindPrecedes:
		if len(steps) == 2 {
			previous := steps[0]
			then := steps[1]
			return temporal.WeakUntil(temporal.Not(then.either()),
				temporal.Any(previous.state, temporal.All(previous.action, not(then.state))))
		}
	}
	return nil
}

// never returns the formula that no run takes the steps one after the other.
func never(steps []element) *temporal.Formula {
	if len(steps) == 1 {
		return temporal.Always(temporal.Not(steps[0].either()))
	}
	return temporal.Not(temporal.Eventually(run(steps).either()))
}

// run returns the formula that a run takes the first step at this position, and the others later.
func run(steps []element) element {
	if len(steps) == 1 {
		return steps[0]
	}
	rest := run(steps[1:])
	return element{
		temporal.All(steps[0].action, rest.afterAction()),
		temporal.All(steps[0].state, rest.afterState()),
	}
}

func (e element) either() *temporal.Formula { return temporal.Any(e.action, e.state) }

// afterAction returns the formula that e comes later than the action at this position, and afterState
// that e comes later than the state before this action. The last action of a run is followed by one
// more state, and by no further moment.
func (e element) afterAction() *temporal.Formula {
	return temporal.Next(temporal.Eventually(e.either()))
}

func (e element) afterState() *temporal.Formula {
	later := temporal.False()
	if !isFalse(e.state) {
		later = temporal.And(temporal.Not(temporal.Deadlock()),
			temporal.Next(temporal.Eventually(e.state)))
	}
	if isFalse(e.action) {
		return later
	}
	return temporal.Any(temporal.Eventually(e.action), later)
}

func isFalse(f *temporal.Formula) bool { return f.Operator() == temporal.FalseOp }

// ifThen returns the formula a implies b; true if a is false.
func ifThen(a, b *temporal.Formula) *temporal.Formula {
	if isFalse(a) {
		return temporal.True()
	}
	return temporal.Implies(a, b)
}
