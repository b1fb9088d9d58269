// Package batch explains many pairs of a model and a property in one go, as a
// nightly run or a step of continuous integration does, and never loses a result
// that is finished.
//
// The data flows one way: a manifest lists jobs (manifest.go); [Do] does one job, a function from
// [Job] to [Result] that shares nothing with other jobs; [Run] schedules many of them within limits
// of time and memory, and appends each result to a journal as soon as it is there (run.go,
// journal.go); package batch/summary turns the results into formats for teams and CI servers.
//
// The invariant that holds inside: a result in the journal is complete, and is the only one of
// its job. [Job] and [Result] are plain data that JSON carries without loss, so that another
// machine can do a job.
package batch
