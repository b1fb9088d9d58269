// Package specification finds the actions of a model in the files from which it
// was generated: TLA+, mCRL2, LNT, LOTOS, Promela, FSP and Go.
//
// It recognises only words, comments and strings. It finds an action as a whole
// word, preferably at its definition.
//
// The invariant that holds inside: a place is a line of a file that was read, and
// the word occurs there, outside of comments and strings.
package specification
