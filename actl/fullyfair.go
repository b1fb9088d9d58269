package actl

import (
	"context"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/internal/written"
	"github.com/inev-lts/inev/property"
)

// FullyFair is an inevitability, or a response, on the runs that are fully fair, in the languages that can
// say it. Such a run takes every transition that is enabled infinitely often infinitely
// often; on all of them it is inevitable just where from every state that is reached
// before it is done it can still be done (AG EF; see docs/semantics.md). In ACTL as
// inev reads it, which has no negation, that cannot be said.
type FullyFair struct {
	of interface {
		String() string
		mclActions(*written.Meter) (actions, notes []string)
		muActions(*written.Meter) (actions, notes []string)
	}
	// response says that the first action is what the others have to follow.
	response bool
}

// FullyFair returns the property on the runs that are fully fair; false if it is neither
// inevitability nor response.
func (f *Formula) FullyFair() (*FullyFair, bool) {
	if f.kind != property.KindInev && f.kind != property.KindResponse || f.scope != property.Globally {
		return nil, false
	}
	return &FullyFair{f, f.kind == property.KindResponse}, true
}

// FullyFair returns the property on the runs that are fully fair.
func (c Bound) FullyFair() *FullyFair { return &FullyFair{of: c} }

// Kind names the kind of property for people.
func (f *FullyFair) Kind() string {
	if f.response {
		return "Response on every run that is fully fair"
	}
	return "Inevitability on every run that is fully fair"
}

// String returns the property without the assumption.
func (f *FullyFair) String() string { return f.of.String() }

// ACTL returns "": there is no such formula.
func (f *FullyFair) ACTL() string { return "" }

// MCL returns the formula in MCL, and notes as [Formula.MCL] does. Cost O(length of the
// text).
func (f *FullyFair) MCL(ctx context.Context) (text string, notes []string, err error) {
	return inLogic(ctx, mclName, f.of.mclActions, func(m *written.Meter, actions []string) string {
		return f.after("[ true* . %s ] ", actions) + nestReachable(m, "[ (not %[1]s)* ] (< (not %[1]s)* . %[1]s > true", " and [ %s ] ", f.due(actions))
	})
}

// MuCalculus returns the formula in the modal mu-calculus of mCRL2, and notes as
// [Formula.MuCalculus] does. Cost O(length of the text).
func (f *FullyFair) MuCalculus(ctx context.Context) (text string, notes []string, err error) {
	return inLogic(ctx, muName, f.of.muActions, func(m *written.Meter, actions []string) string {
		return f.after("[true*.%s]", actions) + nestReachable(m, "[(!%[1]s)*](<(!%[1]s)*.%[1]s>true", " && [%s]", f.due(actions))
	})
}

// after writes what the action of a response stands in, "" without one.
func (f *FullyFair) after(format string, actions []string) string {
	if !f.response {
		return ""
	}
	return fmt.Sprintf(format, actions[0])
}

// due returns the actions that are to happen.
func (f *FullyFair) due(actions []string) []string {
	if f.response {
		return actions[1:]
	}
	return actions
}

// nestReachable nests what each step asks for: first for the step to stay reachable, and
// then for the next step after it.
func nestReachable(m *written.Meter, first, then string, actions []string) string {
	var b strings.Builder
	for i, action := range actions {
		if !m.Spend(4 * len(action)) {
			return ""
		}
		fmt.Fprintf(&b, first, action)
		if i+1 < len(actions) {
			fmt.Fprintf(&b, then, action)
		}
	}
	b.WriteString(strings.Repeat(")", len(actions)))
	return b.String()
}
