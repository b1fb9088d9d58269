// Package modal reads properties of all runs that are written in MCL, the language of CADP's EVALUATOR,
// or in the mu-calculus of mCRL2, and binds them to models.
//
// [Parse] turns a text into a property. A formula may consist of:
//
//	true false                    constants
//	and && or || implies => not ! connectives
//	[ R ] F                       F holds after every run that R matches
//	< true > true                 something can happen
//	mu X . F  nu X . F            least and greatest fixpoints
//	macro M (A) = F end_macro     macros of MCL
//	(* … *)  % …                  comments of MCL and of mCRL2
//	forall exists val let if      data, and mu X (n: Nat = 0) . F
//	sort map var eqn … form       definitions of data before a formula of mCRL2
//
// and regular expressions R of
//
//	"PUT !1" 'PUT.*' {PUT !1}     labels in MCL, the second a UNIX regular expression
//	put(1) a|b                    actions in mCRL2
//	true false not and or implies connectives of either language
//	R1 . R2  R*  R+  R?  nil      sequence, repetition, option, the empty sequence
//	R1 | R2  R1 + R2              choice: the first in MCL, the second in mCRL2
//
// A property of inev is about all runs. A formula is such a property if it has only conjunctions and
// boxes, and if no fixpoint depends on a fixpoint of the other kind around it. Any other construct,
// such as < a > true, is an error with its position.
//
// [actl.Formula.MCL] writes Inev, Response, Never and DeadlockFree without a scope in fixed forms. A
// formula in one of these forms becomes an [actl.Formula]; any other one is a [Formula].
//
// A formula holds in a state if and only if its automaton accepts every run from there.
package modal
