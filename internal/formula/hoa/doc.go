// Package hoa reads properties from files in the Hanoi Omega-Automata format, which Spot, Owl and
// Rabinizer write, and writes such files. It takes deterministic automata with any Emerson-Lei
// acceptance condition, on states or on transitions.
//
// In a file that inev has written, the header item inev-atoms: says what the atomic propositions mean.
// In other files, an atomic proposition is the label of the model with this text, if there is one, and
// otherwise a pattern of labels as in formulas. A run that stops is continued forever by a letter on
// which no proposition except deadlock holds.
//
// Determinism is checked on the letters of the model and never assumed. Missing transitions lead to
// an added state from which nothing is accepted.
package hoa

import "github.com/inev-lts/inev/internal/property/automata"

// Error describes an error in a file of automata, and its position.
type Error = automata.Error
