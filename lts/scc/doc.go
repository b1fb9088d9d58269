// Package scc finds the strongly connected components of an LTS, by gonum or by
// Pearce's algorithm, and the states on cycles that avoid certain labels.
//
// The invariant that holds inside: components are numbered by depth, so that no
// transition leads to a component with a smaller number.
package scc
