// Package hoa makes properties of deterministic automata in files of the Hanoi Omega-
// Automata format, such as Spot, Owl and Rabinizer write them: with any acceptance
// condition of Emerson and Lei, on states or transitions.
//
// In a file that inev has written, the header item inev-atoms: has what the atomic
// propositions are. In others, an atomic proposition is the label of the model with this
// text, where there is one, and elsewhere a pattern of labels as in formulas. A run that
// stops goes on with a letter of which no proposition holds but deadlock.
//
// The invariant that holds inside: determinism is tested on the letters of the model and
// never believed, and what an automaton does not say is completed by a state from which
// nothing is accepted.
package hoa

import "github.com/inev-lts/inev/property/automata"

// Error is what is wrong with a file of automata, and where.
type Error = automata.Error
