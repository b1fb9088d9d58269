// Package syntax reads properties in computation tree logic over states and actions.
//
// [Parse] turns the text of a formula into a [Formula]. A formula consists of
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
// Formulas are checked by their [Closure], which has the operators U and R and operators of one step
// only.
//
// The text of a formula parses back to the same formula, and a Formula does not change once it is
// built.
package syntax
