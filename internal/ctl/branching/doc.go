// Package branching reads and decides formulas about states and the runs from them: of computation
// tree logic, of CTL*, and of the mu-calculus. It is what inev ctl and batches share.
//
// The data flows one way: [Parse] chooses the logic of a text (parse.go), and [Decide] gives the
// question to the algorithm of that logic (decide.go): to package wmc, to package fair if runs have to
// meet assumptions, behind package star for CTL*, and to package parity for the mu-calculus.
//
// The invariant that holds inside: a [Formula] has exactly one of its two forms.
package branching
