// Package syntax reads properties in computation tree logic over states and actions.
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
//	E[f R g], A[f R g]       g holds up to and with where f does, or forever
//	E[f W g], A[f W g]       as U, but f may hold forever
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
package syntax
