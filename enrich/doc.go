// Package enrich computes, for every reachable state of an LTS, how much of an
// inevitability property is behind it and how much lies ahead: the max and
// common prefix and the max and common suffix of SEFM'18 (Barbon, Leroy,
// Salaün: Counterexample Simplification for Liveness Property Violation),
// sections 3.1 and 3.2.
//
// It also finds the strongly connected components on whose order the
// computation rests, and the states on cycles that avoid a step.
//
// The invariant that holds inside: components are numbered by depth, so that
// every transition leads from its component to the same or to one with a larger
// number; a pass that goes through components in ascending (descending) order
// finds all predecessors (successors) outside the component done.
//
// Prefixes and suffixes of k are told by their lengths, 0 to n.
package enrich
