// Package branching reads and decides formulas about states and the runs from them: of computation tree
// logic, of CTL*, and of the mu-calculus. inev ctl and batches share it.
//
// The data flows one way: [Parse] chooses the logic of a text (parse.go), and [Decide] gives the
// question to the algorithm of that logic (decide.go). This is package wmc for computation tree logic,
// or package fair if runs must satisfy assumptions; package star before one of them for CTL*; and
// package parity for the mu-calculus.
//
// The invariant that holds inside: a [Formula] has exactly one of its two forms.
package branching
