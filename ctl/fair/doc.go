// Package fair decides formulas of computation tree logic where runs count only if they are
// fair: of some and of all runs is meant of some and of all fair ones. Runs that end in
// a deadlock are fair.
//
// Under fairness a finite run is still the beginning of a run that counts, so that only what
// runs do for ever is different: E[f R g], and what violates A[f U g]. There, runs go round
// in a set of transitions that is strongly connected and fair, which is found by refinement as
// for inevitability (docs/fairness.md). Where labels are done finitely often only, some states
// have no run that counts; they are not admitted, and no run goes through them.
//
// The invariant that holds inside: for each formula about runs there is evidence for every
// state, in conditions on single transitions. Package ctl/wmc/verify checks it.
package fair
