// Package enrich computes, for every reachable state of an LTS, how much of an
// inevitability property is behind it and how much lies ahead: the max and
// common prefix and the max and common suffix of SEFM'18 (Barbon, Leroy,
// Salaün: Counterexample Simplification for Liveness Property Violation),
// sections 3.1 and 3.2.
//
// The invariant that holds inside: a pass goes through the components of package
// lts/scc in ascending (descending) order, and so finds all predecessors (successors)
// outside the component done.
//
// Prefixes and suffixes of k are told by their lengths, 0 to n.
package enrich
