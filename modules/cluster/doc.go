// Package cluster does batches on many machines, on NATS JetStream: a runner puts jobs into a
// queue, workers on any number of machines take them out, and the results come into one folder,
// like the results of a batch on one machine.
//
//	Run ──models──▶ object store ──▶ Work: cache on disk ──▶ batch.Do
//	 │  ──jobs────▶ work queue ────▶                            │
//	 ◀──fsync, then acknowledged── key-value bucket ◀──results──┘
//
// The invariant that holds inside: a job is in the queue, or its result is in the bucket or in the
// journal of the runner. So nothing is lost when any process is killed; and since results are
// stored by the job's identity, which begins with its key, a job that was done twice counts once.
package cluster
