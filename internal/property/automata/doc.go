// Package automata reads automata in the Hanoi Omega-Automata format as they are
// in their files: edges, sets and aliases, and the meaning of labels and
// conditions.
//
// Every automaton that is returned obeys the rules of the format. Memory is allocated only for text
// that has been read.
package automata

// Deadlock is the proposition that holds if nothing happens any more.
const Deadlock = "deadlock"
