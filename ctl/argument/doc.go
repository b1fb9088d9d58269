// Package argument says why a formula of computation tree logic holds in a state, or does
// not, as an argument that people can follow: a tree of claims.
//
// What is so on some run is argued by one: a path, or a loop that is repeated for ever, with
// the obligations of each state on it as claims of their own. What is so on all runs takes
// sets of states: layers, one step after the other, as in the witnesses of Shankar and
// Sorea, or all that can be reached. Of several runs, the argument takes one with which the
// tree is smallest, counted in transitions on the runs that it shows: the smallest witness
// trees of C. Jiang and G. Ciardo, Generation of Minimum Tree-Like Witnesses for Existential
// CTL (TACAS 2018).
//
// The invariant that holds inside: what is claimed was decided by package wmc for the state
// in question, and each claim follows from those below it.
package argument
