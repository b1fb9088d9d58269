// Package temporal defines formulas of linear temporal logic over numbered atoms, and translates them
// to deterministic automata.
//
// Positions of a word are the transitions of a run. An atom is a set of labels, and holds at a
// transition with one of them. A run that stops is continued by "nothing happens" forever, where no
// atom except [Deadlock] holds.
//
// The translation is that of Esparza, Křetínský and Sickert, A Unified Translation of Linear Temporal
// Logic to ω-Automata (J. ACM 67(6), 2020), by their Master Theorem. It is applied to each operand
// below the outermost Boolean operators of a formula; the automata of the operands are then combined as
// the formula combines the operands.
//
// The package reads no texts. Readers of formulas (package ltl) and packages whose properties have a
// formula build the formula with the functions here, and [Bind] it.
//
// States represent Boolean combinations of temporal operators as minimal disjunctions of
// conjunctions. Since these combinations are monotone, two of them are equivalent only if they are
// equal.
package temporal
