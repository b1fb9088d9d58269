// Package specification finds where the actions of a model stand in the files that it was
// generated from: TLA+, mCRL2, LNT, LOTOS, Promela, FSP and Go.
//
// Nothing is parsed but words, comments and strings. An action is looked for as a whole word,
// first where it is defined.
//
// The invariant that holds inside: a place is a line of a file that was read, and the word
// stands there, outside of comments and strings.
package specification
