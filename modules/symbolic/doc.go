// Package symbolic checks formulas of computation tree logic on models whose states are
// values of Boolean variables: the algorithm of package wmc over binary decision diagrams.
//
// It is a module of its own, since nothing else of inev needs the diagrams, which are those
// of github.com/dalzilio/rudd (build with -tags buddy for its faster kernel).
//
// The invariant that holds inside: a set of states is a diagram over the current values of
// the variables. Each variable stands next to its next value in the order.
package symbolic
