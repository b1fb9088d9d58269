// Package enrich computes, for every reachable state of an LTS, how much of an
// inevitability property has been done on the runs to the state, and how much
// will be done on the runs from it: the max and common prefix and the max and
// common suffix of SEFM'18 (Barbon, Leroy, Salaün: Counterexample Simplification
// for Liveness Property Violation), sections 3.1 and 3.2.
//
// The invariant that holds inside: a pass goes through the components of package
// lts/scc in ascending order for prefixes, and in descending order for suffixes,
// so that the values of all predecessors, or successors, outside a component are
// final when it comes to the component. Prefixes and suffixes are represented by
// their lengths, 0 to n.
package enrich
