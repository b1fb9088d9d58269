// Package values reads the values of states as trees, and atoms about them such
// as big = 4, pc[1] # "cs" and i > Len(queue).
//
// A [Value] is a value of TLA+, mCRL2 or LTSmin: a number, string, sequence, set, record, function
// or term. An [Atom] compares the value at a path into a parameter with a constant, or with another
// parameter; it is bound to the names of the parameters of a model, see [Atom.Bind]. The package
// does not depend on where values come from.
//
// Two notations of the same value are equal, and the text of an atom reads back to the same atom.
package values
