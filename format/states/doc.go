// Package states has the values of the states of a model: those of its
// parameters, as mCRL2, LTSmin and TLC write them with the transitions. An
// [lts.LTS] has no values; they are in a table of their own.
//
// A parameter is a variable of the specification, such as a parameter of mCRL2's
// linear process or a variable of TLA+. Values are texts, stored once for each
// parameter.
//
// The invariant that holds inside: a table has one value, or none, for each of
// its states and parameters, and does not change once it is built.
package states
