// Package argument explains why a formula of computation tree logic holds or fails in a state, by an
// argument that people can follow: a tree of claims.
//
// A claim about some run is proved by one run: a path, or a loop that is repeated forever, with the
// obligations of each state on it as claims below. A claim about all runs is proved by sets of
// states: layers, one step after the other, as in the witnesses of Shankar and Sorea, or all
// reachable states. If several runs prove a claim, the argument has one that makes the tree
// smallest, counted in transitions on all runs of the tree: the smallest witness trees of C. Jiang
// and G. Ciardo, Generation of Minimum Tree-Like Witnesses for Existential CTL (TACAS 2018).
//
// Package wmc, or package fair, has decided each claim for its state, and each claim follows from
// the claims below it.
package argument
