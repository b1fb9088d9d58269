// Package replay finds out whether a model allows what was logged, and what that means for a
// property: it aligns a log with the runs of the model by the fewest deviations.
//
// An alignment relates a run of the model to the log. An event is either done by the run, or
// skipped, which costs 1. An action of the run that the log lacks costs 1, unless it is an action
// that is not logged. The log may end before the run does. Skipped events do not change the
// property state.
//
// Alignments come from conformance checking (Adriansyah, Aligning Observed and Modeled Behavior,
// 2014, Chapter 4), here with property states next to the states of the model.
//
// No product state on an alignment with the fewest deviations is ever left out, so all these
// alignments are known, not just one.
package replay
