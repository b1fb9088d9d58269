// Package logic reads formulas of computation tree logic, in the syntax that package ctl
// describes, and writes them out by few operators.
//
// The invariant that holds inside: the text of a formula parses back to it, and a Formula does
// not change once it is built.
package logic
