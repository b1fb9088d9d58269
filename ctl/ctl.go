// Package ctl reads properties in computation tree logic over states and actions.
//
// [Parse] turns the text of a formula into a [Formula]. It is made of
//
//	true, false, deadlock    deadlock holds where no transition leaves
//	p, pc=3, "x y"="a b"     a predicate of the state, or a value that it has there
//	!f, f && g, f || g, f -> g
//	<a> f, [a] f             some, every transition by a leads to where f holds
//	EX f, AX f               the same for transitions by any label
//	EF f, AF f, EG f, AG f   on some, every run: once, always
//	E[f U g], A[f U g]       on some, every run f holds until g does, which it does
//	E[f R g], A[f R g]       g holds up to and with where f does, or for ever
//	E[f W g], A[f W g]       as U, but f may hold for ever
//	E[f M g], A[f M g]       as R, but f does hold once
//	E[f {a} U {b} g]         only transitions by a, or hidden ones, in states with f,
//	A[f {a} U {b} g]         then one by b to where g holds; U_{b} is read, too
//
// Here a and b are patterns of labels as in Inev(…), see package actl; true is any
// label. Runs are maximal: EX needs a successor, AX holds in deadlocks, and so on, see
// docs/ctl.md. What begins with E, A, !, < or [ takes what comes next, && binds tighter
// than ||, and -> is read to the right.
//
// Formulas are checked by way of their [Closure], which has the operators U and R and
// operators of one step only.
//
// The invariant that holds inside: the text of a formula parses back to it, and a
// Formula does not change once it is built.
package ctl

import (
	"context"

	"github.com/inev-lts/inev/ctl/internal/logic"
)

type (
	// Formula is a formula. It does not change.
	Formula = logic.Formula
	// Closure is a formula written out by few operators: each part once, what it is made of
	// before it.
	Closure = logic.Closure
	// Node is a part of a Closure.
	Node = logic.Node
	// Predicate is what is said about a state: a name, or a parameter and the value that it has.
	Predicate = logic.Predicate
	// Labels is the number of a set of labels in a [Closure], or AnyLabel or NoLast.
	Labels = logic.Labels
)

// What the labels of an operator are if they are no set.
const (
	AnyLabel = logic.AnyLabel
	NoLast   = logic.NoLast
)

// The operators of the parts of a [Closure], for who checks answers by other means: Next, Until and
// Release are about some runs if their Path is Some, and else about all.
const (
	True     = logic.True
	False    = logic.False
	Deadlock = logic.Deadlock
	Holds    = logic.Holds
	Not      = logic.Not
	And      = logic.And
	Or       = logic.Or
	Next     = logic.Next
	Until    = logic.Until
	Release  = logic.Release
	Some     = logic.Some
)

// Parse returns the formula that text stands for. Blanks and line breaks between tokens do not
// matter. The error is an [*github.com/inev-lts/inev/actl.SyntaxError], or that of ctx once
// that is done. Cost O(len(text)), and what compiling its regular expressions takes.
func Parse(ctx context.Context, text string) (*Formula, error) { return logic.Parse(ctx, text) }

// ParseStar is [Parse] for formulas of CTL*, too: see docs/ctl.md. [Formula.IsStar] reports whether it is one that
// is none of computation tree logic.
func ParseStar(ctx context.Context, text string) (*Formula, error) {
	return logic.ParseStar(ctx, text)
}
