package explain

import (
	"context"

	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// scope returns the scope of the property, if it counts only once it has ended, as in
// Never(X; between A and B). Its stricter property has the states of the property, with the same
// numbers. The result is nil if there is no such scope, or if nothing that happens in the scope rules
// out that it may end. Cost O(states of the automaton² · labels), and [product.ResidualsOf].
func (a *Analysis) scope(ctx context.Context) (*repair.Scope, error) {
	f, isPattern := a.Formula.(interface {
		ScopeEnd(context.Context, *lts.Alphabet) ([]property.Step, error)
	})
	if !isPattern || a.Property.Steps() > 0 {
		return nil, nil
	}
	steps, err := f.ScopeEnd(ctx, a.m.Alphabet())
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	words, err := product.ResidualsOf(ctx, a.Property)
	if err != nil || !words.IsSafety() {
		return nil, err
	}
	endsScope := labelsOf(steps, a.m.Alphabet())
	scope := &repair.Scope{Ends: func(l lts.Label) bool { return endsScope[l] }}
	search := &spoiling{property: a.Property, words: words, ends: scope.Ends}
	spoiled := search.spoiled()
	failed, someSpoiled := search.failedAfter(spoiled)
	if !someSpoiled {
		return nil, nil
	}
	t := a.Property.Automaton()
	next := make([]property.Q, len(t.Next))
	for i, q := range t.Next {
		if spoiled[q] {
			q = failed
		}
		next[i] = q
	}
	t.Next = next
	scope.Strict, err = property.Table(a.m.Alphabet(), t)
	if err != nil {
		return nil, err
	}
	scope.IsProhibited, err = a.prohibits(ctx, scope.Strict)
	return scope, err
}

// spoiling is the search for the spoiled states of a property: those in which the scope must not end,
// whatever else happens in it.
type spoiling struct {
	property *property.Property
	words    *product.Residuals
	ends     func(lts.Label) bool
}

// spoiled reports which states are spoiled.
func (s *spoiling) spoiled() []bool {
	spoiled := make([]bool, s.property.States())
	for q := range spoiled {
		spoiled[q] = s.words.CanAccept(property.Q(q))
	}
	for isChanging := true; isChanging; {
		isChanging = false
		for q := range spoiled {
			if spoiled[q] && !s.staysSpoiled(property.Q(q), spoiled) {
				spoiled[q] = false
				isChanging = true
			}
		}
	}
	return spoiled
}

// failedAfter returns the state after a scope that has ended in a spoiled state; false if no state is
// spoiled.
func (s *spoiling) failedAfter(spoiled []bool) (property.Q, bool) {
	for q := range spoiled {
		for l := range s.property.Alphabet().All() {
			next := s.property.Next(property.Q(q), l)
			if spoiled[q] && !s.words.CanAccept(next) {
				return next, true
			}
		}
	}
	return 0, false
}

// staysSpoiled reports whether all labels that end the scope violate the property in q, some label
// does end it, and the other labels lead to spoiled states or violate the property.
func (s *spoiling) staysSpoiled(q property.Q, spoiled []bool) bool {
	canEnd := false
	for l := range s.property.Alphabet().All() {
		if !s.property.Alphabet().Happens(l) {
			continue
		}
		next := s.property.Next(q, l)
		isViolated := !s.words.CanAccept(next)
		if !isViolated && (s.ends(l) || !spoiled[next]) {
			return false
		}
		canEnd = canEnd || isViolated && s.ends(l)
	}
	return canEnd
}
