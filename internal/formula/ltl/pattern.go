package ltl

import (
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/property"
)

// Of returns the formula that is equivalent to a pattern. It needs an X after the action that opens a
// scope, since the scope lies strictly between its delimiters. Cost O(steps), or the number of times
// that a step may happen.
func Of(pattern *actl.Formula) *Formula {
	p := &parser{}
	var steps []*temporal.Formula
	for _, step := range pattern.Steps() {
		steps = append(steps, p.numbered(step))
	}
	return &Formula{root: ofSteps(pattern.Specification(), steps), atoms: p.atoms.All}
}

// ofSteps returns the formula of a pattern whose steps are these formulas; the
// delimiters of the scope are the last steps.
func ofSteps(s property.Specification, steps []*temporal.Formula) *temporal.Formula {
	x := temporalScope{kind: s.Scope}
	delimiters := steps[len(s.Steps):]
	steps = steps[:len(s.Steps)]
	if s.Scope.HasFrom() {
		x.from = delimiters[0]
		delimiters = delimiters[1:]
	}
	if s.Scope.HasTo() {
		x.to = delimiters[0]
	}
	body := x.body(s, steps)
	switch {
	case body.Operator() == temporal.TrueOp:
		return body
	case x.kind == property.After:
		return temporal.WeakUntil(temporal.Not(x.from),
			temporal.And(x.from, temporal.Next(body)))
	case x.kind == property.Between || x.kind == property.AfterUntil:
		return temporal.Always(temporal.Implies(x.from, temporal.Next(body)))
	}
	return body
}

// temporalScope writes patterns within a scope.
type temporalScope struct {
	kind     property.ScopeKind
	from, to *temporal.Formula // the delimiters of the scope; nil for no delimiter
}

// closes reports whether the scope exists only if its closing action happens.
func (x temporalScope) closes() bool {
	return x.kind == property.Before || x.kind == property.Between
}

// body returns the pattern within the scope; true if the pattern demands nothing.
func (x temporalScope) body(
	s property.Specification,
	steps []*temporal.Formula,
) *temporal.Formula {
	switch s.Kind {
	case property.KindInev:
		return x.inevitably(steps)
	case property.KindResponse:
		return x.always(temporal.Implies(steps[0], temporal.Next(x.inevitably(steps[1:]))))
	case property.KindNever:
		return x.ifClosed(x.never(steps))
	case property.KindPrecedes:
		last := len(steps) - 1
		return x.ifClosed(x.precedes(steps[:last], steps[last]))
	case property.KindAlways:
		return x.ifClosed(x.always(temporal.Or(steps[0], temporal.Deadlock())))
	case property.KindAtMost:
		return x.ifClosed(x.never(slices.Repeat(steps, s.Times+1)))
	case property.KindDeadlockFree:
		if !x.closes() {
			return x.always(temporal.Not(temporal.Deadlock()))
		}
	}
	return temporal.True()
}

// ifClosed returns the formula that body holds if the scope is closed, for a scope that must be
// closed; otherwise it returns body.
func (x temporalScope) ifClosed(body *temporal.Formula) *temporal.Formula {
	if x.closes() {
		return temporal.Implies(temporal.Eventually(x.to), body)
	}
	return body
}

// always returns the formula that f holds up to the end of the scope.
func (x temporalScope) always(f *temporal.Formula) *temporal.Formula {
	if x.to == nil {
		return temporal.Always(f)
	}
	return temporal.WeakUntil(f, x.to)
}

// inevitably returns the formula that requires the steps, in their order, before
// the end of the scope.
func (x temporalScope) inevitably(steps []*temporal.Formula) *temporal.Formula {
	var f *temporal.Formula
	for i := len(steps) - 1; i >= 0; i-- {
		conjuncts := []*temporal.Formula{steps[i]}
		if x.to != nil {
			conjuncts = append(conjuncts, temporal.Not(x.to))
		}
		if f != nil {
			conjuncts = append(conjuncts, temporal.Next(f))
		}
		f = temporal.And(conjuncts...)
		switch {
		case x.to == nil:
			f = temporal.Eventually(f)
		case x.closes():
			f = temporal.WeakUntil(temporal.Not(x.to), f)
		default:
			f = temporal.Until(temporal.Not(x.to), f)
		}
	}
	return f
}

// never returns the formula that the steps do not happen one after the other within the scope.
func (x temporalScope) never(steps []*temporal.Formula) *temporal.Formula {
	f := x.always(temporal.Not(steps[len(steps)-1]))
	for i := len(steps) - 2; i >= 0; i-- {
		f = x.always(temporal.Implies(steps[i], temporal.Next(f)))
	}
	return f
}

// precedes returns the formula that, within the scope, the last step happens only after the others have
// happened one after the other.
func (x temporalScope) precedes(
	steps []*temporal.Formula,
	last *temporal.Formula,
) *temporal.Formula {
	var f *temporal.Formula
	for i := len(steps) - 1; i >= 0; i-- {
		stepFormula := steps[i]
		if f != nil {
			stepFormula = temporal.And(steps[i], temporal.Not(last), temporal.Next(f))
		}
		if x.to != nil {
			stepFormula = temporal.Or(x.to, stepFormula)
		}
		f = temporal.WeakUntil(temporal.Not(last), stepFormula)
	}
	return f
}
