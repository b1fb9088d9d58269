// Package states keeps what is known of the states of a model: the values that they give
// to its parameters, as mCRL2, LTSmin and TLC write them beside the transitions. An
// [lts.LTS] does without; a table of states stands beside it.
//
// A parameter is a variable of the specification, such as a parameter of mCRL2's linear
// process or a variable of TLA+. Values are texts, kept once for each parameter.
//
// The invariant that holds inside: a table has one value, or none, for each of its states
// and parameters, and does not change once it is built.
package states
