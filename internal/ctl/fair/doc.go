// Package fair decides formulas of computation tree logic on fair runs: "some run" and "all runs" refer
// to fair runs only. Runs that end in a deadlock are fair.
//
// Under fairness, every finite run can still be continued to a run that counts, so only claims about
// infinite runs differ: E[f R g], and violations of A[f U g]. Such a run stays in a set of transitions
// that is strongly connected and fair. Such sets are found by refinement, as for inevitability
// (docs/fairness.md). If some labels must occur only finitely often, a state may have no run that
// counts; such a state is not admitted, and no run that counts passes it.
//
// For each formula about runs, every state has evidence in the form of conditions on single
// transitions. Package internal/ctl/wmc/verify checks this evidence.
package fair
