// Package oracle answers the project's questions about small models in the
// plainest way that can be right, so that tests can hold the fast packages
// against it. Only tests and tools/soak import it.
//
// Everything follows from the definitions of the property's semantics, by means
// that the fast packages do not use: the explicit product of the model with a
// monitor of the property, least fixpoints over that product by iterating until
// nothing changes, and the enumeration of every elementary run. There are no
// strongly connected components here, no passes in any order, no priority
// queues, and no classes computed from the lengths of prefixes and suffixes.
//
// An [Oracle] is complete once [New] has returned it, and never changes. Costs
// are polynomial with large exponents, and exponential in the number of states
// wherever runs are enumerated: a model should have about a dozen states at
// most.
package oracle
