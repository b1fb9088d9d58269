// Package ctl checks properties in computation tree logic over states and actions.
//
// [Parse] turns the text of a formula into a [Formula], and [Check] decides it in the initial state of
// a model. A formula consists of
//
//	true, false, deadlock    deadlock holds in states without transitions
//	p, pc=3, "x y"="a b"     a predicate of the state, or a value that it has there
//	!f, f && g, f || g, f -> g
//	<a> f, [a] f             f holds after some, after every transition by a
//	EX f, AX f               the same for transitions by any label
//	EF f, AF f, EG f, AG f   on some, on every run: once, always
//	E[f U g], A[f U g]       on some, on every run g holds once, and f until then
//	E[f R g], A[f R g]       g holds up to and with where f does, or forever
//	E[f W g], A[f W g]       as U, but f may hold forever
//	E[f M g], A[f M g]       as R, but f must hold once
//	E[f {a} U {b} g]         only transitions by a, or hidden ones, in states with f,
//	A[f {a} U {b} g]         then one by b to a state with g; U_{b} is read, too
//
// Here a and b are patterns of labels as in Inev(…), see package actl; true is any label. Runs are
// maximal: EX needs a successor, AX holds in deadlocks, and so on, see docs/ctl.md. An operator that
// begins with E or A, !, <a> and [a] apply to the next operand only; && binds tighter than ||, and ->
// associates to the right.
//
// Formulas of CTL*, such as E(G F p), are read, too. The parentheses contain any formula of linear
// temporal logic.
//
// The text of a formula parses back to it, and a Formula does not change once it is built.
package ctl

import (
	"cmp"
	"context"
	"io"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/ctl/branching"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/lts"
)

// Formula is a formula of computation tree logic, or of CTL*.
type Formula struct{ f *syntax.Formula }

// Parse reads a formula. The error is an [*actl.SyntaxError], or ctx.Err() once ctx is done. Cost
// O(length of the text).
func Parse(ctx context.Context, text string) (*Formula, error) {
	if err := required.Argument("ctx", ctx); err != nil {
		return nil, err
	}
	f, err := syntax.ParseStar(ctx, text)
	if err != nil {
		return nil, err
	}
	return &Formula{f}, nil
}

// String returns the text of the formula, which [Parse] reads back.
func (f *Formula) String() string {
	switch {
	case f == nil:
		return "<nil>"
	case f.f == nil:
		return "no formula"
	}
	return f.f.String()
}

// Options are what a check needs besides the model.
type Options struct {
	// Internal are patterns of labels that the operators with labels ignore.
	Internal []actl.Pattern
	// States has the values of states, for predicates; nil if the model has none.
	States *lts.Values
}

// Answer is the answer for the initial state of a model.
type Answer struct {
	// Holds reports whether the formula holds there.
	Holds bool
	// Warnings are sentences about parts of the formula that mean less than they seem to.
	Warnings []string

	model   *lts.LTS
	decided *branching.Answer
}

// String returns "holds" or "does not hold".
func (a *Answer) String() string {
	if a == nil {
		return "<nil>"
	}
	if a.Holds {
		return "holds"
	}
	return "does not hold"
}

// WriteArgument writes why the formula holds or fails in the initial state: the runs and choices that
// show it, as inev ctl prints them. It fails if w does, if the context of [Check] is done, or if its
// budget is used up. Cost O(S + T) for each operator.
func (a *Answer) WriteArgument(w io.Writer) error {
	all, err := a.decided.Arguments(1)
	if err != nil {
		return err
	}
	for _, made := range all {
		if err := made.WriteText(w, a.model); err != nil {
			return err
		}
	}
	return nil
}

// Check decides whether f holds in the initial state of m. It fails if a pattern of f matches no label,
// if a predicate is about a value that the states lack, if ctx is done, or if its budget is used up.
// Cost O(S + T) for each operator. Parts about single runs in CTL* cost as much as their automata.
func Check(ctx context.Context, m *lts.LTS, f *Formula, o Options) (*Answer, error) {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("m", m),
		required.Argument("f", f),
	); err != nil {
		return nil, err
	}
	a := &Answer{model: m}
	decided, err := branching.Decide(ctx, branching.Question{
		Formula: &branching.Formula{Temporal: f.f},
		Model:   m,
		States:  o.States,
		Hidden:  o.Internal,
		Asked:   []lts.State{m.Initial()},
		Warn: func(warning string) {
			a.Warnings = append(a.Warnings, warning)
		},
	})
	if err != nil {
		return nil, err
	}
	a.Holds = len(decided.Bad) == 0
	a.decided = decided
	return a, nil
}
