package liveness

import (
	"context"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/property"
)

// ParseOver reads a formula of another logic whose atoms may be definitions of the specification, and returns
// these definitions. It reports false for a text that parse refuses, or that is meant in TLA+.
func (s *Specification) ParseOver(
	ctx context.Context,
	given string,
	parse func(ctx context.Context, text string) (property.Formula, error),
) (f property.Formula, predicates []Parameter, isOver bool) {
	if s.IsMeantAsTLA(given) {
		return nil, nil, false
	}
	text, predicates := s.Predicates(given, false)
	f, err := parse(ctx, text)
	if err != nil {
		return nil, nil, false
	}
	return f, predicates, true
}

// IsMeantAsTLA reports whether a formula is one in TLA+ by its syntax, and none of the patterns.
func (s *Specification) IsMeantAsTLA(given string) bool {
	return s.IsExpression(given) && !actl.Text(given).Begins()
}

// IsAboutBehaviours reports whether a formula of another logic, such as Response(Ask; Get), is about the
// behaviours that a specification allows: they are fair as its Spec says, and may stutter where they cannot go
// on. What is said of deadlocks, or in the mu-calculus, is about the graph itself.
func IsAboutBehaviours(f property.Formula) bool {
	switch f.(type) {
	case *actl.Formula, *ltl.Formula:
		return !IsAboutEnds(f)
	}
	return false
}

// IsAboutEnds reports whether a formula is about deadlocks.
func IsAboutEnds(f property.Formula) bool {
	switch f := f.(type) {
	case *actl.Formula:
		return f.Specification().Kind == property.KindDeadlockFree
	case *ltl.Formula:
		return f.HasDeadlock()
	}
	return false
}
