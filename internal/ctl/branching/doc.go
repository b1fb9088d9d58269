// Package branching reads and decides formulas about states and the runs from them: of computation tree
// logic, of CTL*, and of the mu-calculus. inev ctl and batches share it.
//
// The data flows one way: [Parse] chooses the logic of a text (parse.go), and [Decide] gives the
// question to the algorithm of that logic (decide.go). Package wmc decides computation tree logic,
// package fair does so if runs must satisfy assumptions, and package parity decides the
// mu-calculus. For CTL*, package star first reduces the formula to computation tree logic.
//
// A [Formula] has exactly one of its two forms.
package branching
