// Package replay finds out whether a model allows what was logged, and what that means for a
// property: it aligns a log with the runs of the model by the fewest deviations.
//
// An alignment is a run of the model together with the log. Each event is done by the run, or is
// skipped, which costs 1; an action of the run that is not in the log costs 1, too, if it would
// have been logged. The log may be a beginning of the run. Events that are skipped mean nothing
// for the property.
//
// The alignments are known from conformance checking (Adriansyah, Aligning Observed and Modeled
// Behavior, 2014, Chapter 4), here with the states of a property next to the states of the model.
//
// The invariant that holds inside: a place that lies on an alignment with the fewest deviations
// is never left out. So all of them are known, and not one.
package replay
