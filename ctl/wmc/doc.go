// Package wmc checks formulas of computation tree logic locally, and keeps evidence for
// what it finds: the algorithm WMC of N. Shankar and M. Sorea, Counterexample-Driven Model
// Checking (2003), completed from EG, AG and AF to the whole logic, to models with
// deadlocks and to labels of transitions; see docs/ctl.md.
//
// A formula is asked about a set of states, and the answer parts these into good and bad
// ones. For an operator about runs, states are first unfolded from those asked about, as
// far as the formula needs it, and what it is made of is asked about each frontier; then
// one fixpoint is computed on what was visited. Nothing else of the model is looked at.
// What is decided of a formula is decided once: where it is asked about again, earlier
// answers are leaves. So all takes time linear in the size of the formula times that of
// the part of the model that was visited.
//
// [Check] is written once, against an interface of sets, [Sets]; [Explicit] has sets of
// states of an lts.LTS, and the module symbolic binary decision diagrams.
//
// The invariant that holds inside: each [Node] can be checked by itself, by conditions on
// single transitions and the answers of the nodes below and before it. Package
// ctl/wmc/verify does that.
package wmc
