package actl

import (
	"slices"
	"strings"

	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/temporal"
)

// Temporal returns the formula in linear temporal logic, in which atom i stands for
// step i+1 of [Formula.Steps]. Scopes lie strictly between their delimiters: so X
// stands behind each action that begins one. Cost O(steps), or the number of times that
// something may happen.
func (f *Formula) Temporal() *temporal.Formula {
	from, to := f.delimiters()
	x := temporalScope{kind: f.scope}
	if from >= 0 {
		x.from = temporal.Atom(from)
	}
	if to >= 0 {
		x.to = temporal.Atom(to)
	}
	steps := make([]*temporal.Formula, len(f.main()))
	for i := range steps {
		steps[i] = temporal.Atom(i)
	}
	var body *temporal.Formula
	switch f.kind {
	case property.KindInev:
		body = x.inevitably(steps)
	case property.KindResponse:
		body = x.always(temporal.Implies(steps[0], temporal.Next(x.inevitably(steps[1:]))))
	case property.KindNever:
		body = x.ifClosed(x.never(steps))
	case property.KindPrecedes:
		last := len(steps) - 1
		body = x.ifClosed(x.precedes(steps[:last], steps[last]))
	case property.KindAlways:
		body = x.ifClosed(x.always(temporal.Or(steps[0], temporal.Deadlock())))
	case property.KindAtMost:
		again := make([]*temporal.Formula, f.times+1)
		for i := range again {
			again[i] = steps[0]
		}
		body = x.ifClosed(x.never(again))
	case property.KindDeadlockFree:
		if body = x.always(temporal.Not(temporal.Deadlock())); x.closes() {
			return temporal.True()
		}
	}
	return x.within(body)
}

// LTL returns the formula in linear temporal logic as text, see [Formula.Temporal].
// Cost O(length of the text).
func (f *Formula) LTL() string {
	names := make([]string, len(f.steps))
	for i, step := range f.steps {
		names[i] = step.atom()
	}
	return f.Temporal().Text(names)
}

// temporalScope writes patterns for a scope.
type temporalScope struct {
	kind     property.ScopeKind
	from, to *temporal.Formula // nil where there is none
}

// closes reports whether the scope is one only where its end comes.
func (x temporalScope) closes() bool {
	return x.kind == property.Before || x.kind == property.Between
}

// within returns that the pattern holds in the scope, where it is written so that it
// looks no further than to its end.
func (x temporalScope) within(body *temporal.Formula) *temporal.Formula {
	switch x.kind {
	case property.After:
		return temporal.WeakUntil(temporal.Not(x.from), temporal.And(x.from, temporal.Next(body)))
	case property.Between, property.AfterUntil:
		return temporal.Always(temporal.Implies(x.from, temporal.Next(body)))
	}
	return body
}

// ifClosed returns that body holds where the scope has an end, if it needs one.
func (x temporalScope) ifClosed(body *temporal.Formula) *temporal.Formula {
	if x.closes() {
		return temporal.Implies(temporal.Eventually(x.to), body)
	}
	return body
}

// always returns that f holds up to the end of the scope.
func (x temporalScope) always(f *temporal.Formula) *temporal.Formula {
	if x.to == nil {
		return temporal.Always(f)
	}
	return temporal.WeakUntil(f, x.to)
}

// inevitably returns that the steps happen before the end of the scope.
func (x temporalScope) inevitably(steps []*temporal.Formula) *temporal.Formula {
	var f *temporal.Formula
	for i := len(steps) - 1; i >= 0; i-- {
		here := []*temporal.Formula{steps[i]}
		if x.to != nil {
			here = append(here, temporal.Not(x.to))
		}
		if f != nil {
			here = append(here, temporal.Next(f))
		}
		switch f = temporal.And(here...); {
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

// never returns that the steps do not happen one after the other within the scope.
func (x temporalScope) never(steps []*temporal.Formula) *temporal.Formula {
	f := x.always(temporal.Not(steps[len(steps)-1]))
	for i := len(steps) - 2; i >= 0; i-- {
		f = x.always(temporal.Implies(steps[i], temporal.Next(f)))
	}
	return f
}

// precedes returns that the last step does not happen within the scope before the
// others have happened one after the other.
func (x temporalScope) precedes(steps []*temporal.Formula, last *temporal.Formula) *temporal.Formula {
	var f *temporal.Formula
	for i := len(steps) - 1; i >= 0; i-- {
		here := steps[i]
		if f != nil {
			here = temporal.And(steps[i], temporal.Not(last), temporal.Next(f))
		}
		if x.to != nil {
			here = temporal.Or(x.to, here)
		}
		f = temporal.WeakUntil(temporal.Not(last), here)
	}
	return f
}

// reserved are the words that are no atoms in formulas of linear temporal logic.
var reserved = []string{"G", "F", "X", "U", "R", "W", "M", "true", "false", "deadlock", "DeadlockFree"}

// atom returns the pattern as it stands in a formula of linear temporal logic: in
// braces where its text would be taken for more than an atom.
func (p Pattern) atom() string {
	text := p.String()
	if len(p.elements) != 1 || p.elements[0].kind == quoted || p.elements[0].kind == regex {
		return text
	}
	name, _, call := strings.Cut(text, "(")
	bare := !strings.ContainsFunc(name, func(r rune) bool { return !isWordRune(r) && !strings.ContainsRune(".*?", r) })
	if bare && name != "" && !slices.Contains(reserved, name) && (!call || closing(text[len(name):]) == len(text)-len(name)) {
		return text
	}
	return "{" + text + "}"
}
