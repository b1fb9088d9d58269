// Package temporal has linear temporal logic over numbered atoms, and translates it to
// deterministic automata.
//
// Positions of a word are the transitions of a run, and an atom is a set of labels: it
// holds where the transition has one of them. A run that stops goes on with "nothing
// happens" for ever, where no atom holds but [Deadlock].
//
// The translation is that of Esparza, Křetínský and Sickert, A Unified Translation of
// Linear Temporal Logic to ω-Automata (J. ACM 67(6), 2020), by their Master Theorem. It
// is made for each of the operands below the Boolean operators at the top of a formula,
// the automata of which are then combined as the formula combines the operands.
//
// The package knows no texts: those who read formulas (package ltl), and those whose
// properties have a formula, build it with the functions here, and [Bind] it.
//
// The invariant that holds inside: the Boolean combinations of temporal operators that
// states stand for are minimal disjunctions of conjunctions. They are monotone, so two
// of them are equivalent only where they are equal.
package temporal
