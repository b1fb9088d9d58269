// Package automata reads automata in the Hanoi Omega-Automata format as they stand in their
// files: with edges, sets and aliases, and what labels and conditions say.
//
// The invariant that holds inside: an automaton that is returned is one by the rules of the
// format, and memory is taken for what has been read.
package automata

// Deadlock is the proposition that holds if nothing happens any more.
const Deadlock = "deadlock"
