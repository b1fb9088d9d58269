// Package certify writes evidence for all claims of an Explanation: for the verdict, for mp,
// cp, ms and cs of each reachable state, for the class of each transition, for the neighbourhoods
// and for the counterexample. Package verify in this folder checks such a certificate without any
// of the code that made it; its comment defines the evidence, and proves that it suffices.
//
// Evidence is computed from the claims and the model, never from how the claims were found. A wrong
// claim has no evidence, so that either [Write] fails or package verify refuses the certificate.
package certify
