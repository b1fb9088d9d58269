// Package values reads the values of states as trees, and what is said about them: atoms such
// as big = 4, pc[1] # "cs" and i > Len(queue).
//
// A [Value] is what TLA+, mCRL2 and LTSmin write: numbers, strings, sequences, sets, records,
// functions and terms. An [Atom] compares what stands at a path into a parameter with a value,
// or with another parameter; it is bound to the names of the parameters of a model, see
// [Atom.Bind]. Nothing here knows where values come from.
//
// The invariant that holds inside: the key of a value is the same for all ways of writing it,
// and the text of an atom reads back to it.
package values
