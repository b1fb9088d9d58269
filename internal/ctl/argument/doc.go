// Package argument explains why a formula of computation tree logic holds or fails in a state, by an
// argument that people can follow: a tree of claims.
//
// A claim about some run is proved by one run: a path, or a loop that is repeated forever, with the
// obligations of each state on it as claims below. A claim about all runs is proved by sets of states:
// layers, one step after the other, as in the witnesses of Shankar and Sorea, or all reachable states.
// If several runs prove a claim, the argument has one with which the tree is smallest, counted in
// transitions on the runs that it shows: the smallest witness trees of C. Jiang and G. Ciardo,
// Generation of Minimum Tree-Like Witnesses for Existential CTL (TACAS 2018).
//
// The invariant that holds inside: package wmc has decided each claim for its state, and each claim
// follows from those below it.
package argument
