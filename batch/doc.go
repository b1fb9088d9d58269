// Package batch explains many pairs of a model and a property in one go, as a
// nightly run or a step of continuous integration does, and never loses a result
// that is finished.
//
// The data flows one way: a manifest lists jobs (manifest.go); [Do] does one job,
// from a value to a value, and shares nothing with others; [Run] schedules many
// of them within limits of time and memory, and appends each result to a journal
// as soon as it is there (run.go, journal.go); package batch/summary makes of the
// results what teams and CI servers read.
//
// The invariant that holds inside: a result in the journal is complete, and is the
// only one of its job. [Job] and [Result] are plain data that JSON carries without
// loss, so that a job can be done on another machine than the one that asks.
package batch
