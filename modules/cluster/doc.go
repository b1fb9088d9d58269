// Package cluster does batches on many machines, on NATS JetStream: a runner puts jobs into a
// queue, workers on any number of machines take them out, and the results come into one folder,
// like the results of a batch on one machine.
//
//	Run ──models──▶ stream of models ─▶ Work: cache on disk ──▶ batch.Do
//	 │  ──jobs────▶ work queue ───────▶                            │
//	 ◀──fsync, then acknowledged──── stream of results ◀──results──┘
//
// A job is in the queue, or its result is in the stream or in the journal of the runner. So nothing
// is lost when any process is killed; and since results are stored by the job's identity, which
// begins with its key, a job that was done twice counts once. A worker is not trusted beyond the
// jobs that it was given: all that it sends has its user's name in the subject, and the runner
// uses, holds and fetches only a bounded amount of it.
package cluster
