package actl

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/property/role"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Formula is a property that is written by a pattern. The pattern inevitability demands that on
// every maximal trace transitions do the steps in this order, not necessarily one directly after
// the other. [property.Specification] describes the other patterns, and scopes. A Formula comes
// from [Parse] and is immutable.
type Formula struct {
	kind  property.Kind
	scope property.ScopeKind
	// steps are the steps of the pattern, in the order they are written,
	// followed by the delimiters of the scope.
	steps []Pattern
	// times is the largest number of times that the step of a bounded existence may happen.
	times int
}

// Len returns the number of steps, delimiters of the scope included, 0 to
// [property.MaxSteps]; it is 0 for DeadlockFree without a scope only.
func (f *Formula) Len() int {
	if f == nil {
		return 0
	}
	return len(f.steps)
}

// Steps returns the pattern of each step, in order, followed by the delimiters of
// the scope. The caller owns the slice.
func (f *Formula) Steps() []Pattern { return slices.Clone(f.steps) }

// IsChain reports whether the formula is inevitability without a scope and
// without atoms about states: such a formula is a chain for every model.
func (f *Formula) IsChain() bool {
	return f.kind == property.KindInev && f.scope == property.Globally &&
		len(f.StateAtoms()) == 0
}

// Scope returns the scope as it is written, "after A until B"; "" if it is the
// whole run. Cost O(length of the text).
func (f *Formula) Scope() string {
	from, to := f.delimiters()
	written := func(i int) string { return f.steps[i].within(inScope) }
	switch f.scope {
	case property.Before:
		return "before " + written(to)
	case property.After:
		return "after " + written(from)
	case property.Between:
		return "between " + written(from) + " and " + written(to)
	case property.AfterUntil:
		return "after " + written(from) + " until " + written(to)
	}
	return ""
}

// String returns the formula as Inev(…), Response(…) and so on, in a form that
// depends only on its meaning and on the layout inside its labels. [Parse] reads
// it back to a formula equal to f. Cost O(length of the text).
func (f *Formula) String() string {
	switch {
	case f == nil:
		return "<nil>"
	case f.kind == 0:
		return "no formula"
	}
	var b strings.Builder
	b.WriteString(patternNames[f.kind-1].name)
	if f.kind == property.KindDeadlockFree && f.scope == property.Globally {
		return b.String()
	}
	b.WriteByte('(')
	where := inRequest
	switch f.kind {
	case property.KindInev:
		where = inInev
	case property.KindAtMost:
		b.WriteString(strconv.Itoa(f.times) + "; ")
	}
	steps := f.main()
	for i, step := range steps {
		isAfterRequest := f.kind == property.KindResponse && i == 1
		isPreceded := f.kind == property.KindPrecedes && i == len(steps)-1
		switch {
		case i == 0:
		case isAfterRequest || isPreceded:
			b.WriteString("; ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(step.within(where))
	}
	if f.scope != property.Globally && len(steps) > 0 {
		b.WriteString("; ")
	}
	b.WriteString(f.Scope() + ")")
	return b.String()
}

// ACTL returns the formula as in Definition 3 of SEFM 2018, A[true_{true} U_{l1}
// A[…]]. A set is written with or. [Parse] reads inevitability back to a formula
// equal to f. The result is "" for properties other than inevitability and
// response, and for those with a scope. Cost O(length of the text).
func (f *Formula) ACTL() string {
	if f.scope != property.Globally ||
		f.kind != property.KindInev && f.kind != property.KindResponse {
		return ""
	}
	var subscripts []string
	for _, step := range f.steps {
		subscripts = append(subscripts, step.alternatives(inSubscript))
	}
	if f.kind == property.KindResponse {
		return "AG [" + subscripts[0] + "] " + nestedUntils(subscripts[1:])
	}
	return nestedUntils(subscripts)
}

// nestedUntils nests one until operator for each subscript.
func nestedUntils(subscripts []string) string {
	var b strings.Builder
	for _, s := range subscripts {
		b.WriteString("A[true_{true} U_{" + s + "} ")
	}
	return b.String() + "true" + strings.Repeat("]", len(subscripts))
}

// Kind names the kind of property for people.
func (f *Formula) Kind() string { return patternNames[f.kind-1].noun }

// Equal reports whether f and g have the same kind, scope and bound, and the same patterns in the
// same order. Sets are compared as they are written: {a, b} is not equal to {b, a}.
func (f *Formula) Equal(g *Formula) bool {
	return f.kind == g.kind && f.scope == g.scope && f.times == g.times &&
		slices.EqualFunc(f.steps, g.steps, func(a, b Pattern) bool { return a.key() == b.key() })
}

// Antecedents returns the steps without which the property holds of a run, whatever else the run
// does, with their labels in a. These are requests, all but the last of the steps that must not
// happen one after the other, steps that must be preceded, and the delimiters without which the
// scope does not exist. Cost as for [BindAtoms].
func (f *Formula) Antecedents(ctx context.Context, a *lts.Alphabet) ([]property.Step, error) {
	patterns := f.stepsOfRole(role.Trigger, role.Condition)
	from, to := f.delimiters()
	if from >= 0 {
		patterns = append(patterns, f.steps[from])
	}
	if to >= 0 && f.scope != property.AfterUntil {
		patterns = append(patterns, f.steps[to])
	}
	bound, _, err := BindAtoms(ctx, patterns, a)
	return bound, err
}

// Triggers returns the steps after which a run has to do something, with their labels in a: the
// request of a response, and the beginning of a scope. Steps that must not happen, must be preceded
// or end a scope are no triggers. Cost as for [BindAtoms].
func (f *Formula) Triggers(ctx context.Context, a *lts.Alphabet) ([]property.Step, error) {
	patterns := f.stepsOfRole(role.Trigger)
	from, _ := f.delimiters()
	if from >= 0 {
		patterns = append(patterns, f.steps[from])
	}
	bound, _, err := BindAtoms(ctx, patterns, a)
	return bound, err
}

// Demanded returns the steps that have to happen, with their labels in a. Cost as for [BindAtoms].
func (f *Formula) Demanded(ctx context.Context, a *lts.Alphabet) ([]property.Step, error) {
	bound, _, err := BindAtoms(ctx, f.stepsOfRole(role.Demanded), a)
	return bound, err
}

// Prohibited returns the step that must not happen, must not happen too often, or must not happen
// before others, with its labels in a; none for patterns that prohibit no step. Cost as for
// [BindAtoms].
func (f *Formula) Prohibited(ctx context.Context, a *lts.Alphabet) ([]property.Step, error) {
	patterns := f.stepsOfRole(role.Forbidden)
	if f.kind == property.KindPrecedes {
		steps := f.main()
		patterns = append(patterns, steps[len(steps)-1])
	}
	bound, _, err := BindAtoms(ctx, patterns, a)
	return bound, err
}

// ScopeEnd returns the step that ends the scope, with its labels in a, if the scope counts only once
// it has ended; otherwise no step. Cost as for [BindAtoms].
func (f *Formula) ScopeEnd(ctx context.Context, a *lts.Alphabet) ([]property.Step, error) {
	_, to := f.delimiters()
	if to < 0 || f.scope == property.AfterUntil {
		return nil, nil
	}
	bound, _, err := BindAtoms(ctx, []Pattern{f.steps[to]}, a)
	return bound, err
}

// stepsOfRole returns the steps of the pattern that have one of these roles.
func (f *Formula) stepsOfRole(wanted ...role.Role) []Pattern {
	var patterns []Pattern
	steps := f.main()
	for i, found := range role.Of(f.Specification()) {
		if slices.Contains(wanted, found) {
			patterns = append(patterns, steps[i])
		}
	}
	return patterns
}
