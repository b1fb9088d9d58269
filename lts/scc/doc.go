// Package scc finds the strongly connected components of an LTS, by gonum or by
// Pearce's algorithm, and the states on cycles that avoid certain labels.
//
// The invariant that holds inside: components are numbered by depth, so that every
// transition leads from its component to the same or to one with a larger number.
package scc
