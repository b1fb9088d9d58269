// Package symbolic checks formulas of computation tree logic on models whose states are values of
// Boolean variables: the algorithm of package wmc over binary decision diagrams.
//
// It is a module of its own, since no other part of inev needs the diagrams, which come from
// github.com/dalzilio/rudd (build with -tags buddy for its faster kernel).
//
// A set of states is a diagram over the current values of the variables. In the order of the
// diagrams, each variable is adjacent to the variable of its next value.
package symbolic
