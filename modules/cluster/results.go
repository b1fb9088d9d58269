package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/printable"
)

// Limits of the data that are fetched for a result. They are far above the size of any real result;
// they exist because a worker may send anything.
const (
	mostRecord = 64 << 20 // bytes of a record that is too large for a message
	mostFile   = 1 << 30  // bytes of a file
	// fetchedAtATime is the largest number of records too large for a message that are in memory at
	// the same time.
	fetchedAtATime = 4
)

// useArrival turns an arrival into a result, or finds that the job must be done again.
func (r *runner) useArrival(
	ctx context.Context,
	req *request,
	a *arrival,
) (result batch.Result, again bool, err error) {
	files := chunks{
		queue:  r.queue,
		stream: filesStream,
		prefix: filesOf(a.user, r.Name, a.token),
		most:   mostFile,
	}
	rec, release, unusable := r.recordOf(ctx, a, files)
	defer release()
	if unusable == nil {
		unusable = checkRecord(rec, req)
	}
	if unusable == nil {
		if class, repeats := r.mustRepeatIn(ctx, req, a, rec); repeats {
			return result, true, r.prepareRepeat(ctx, req, a, class)
		}
		result, unusable = r.fetchResult(ctx, req, rec, files)
	}
	if ctx.Err() != nil {
		return result, false, ctx.Err()
	}
	if unusable != nil {
		return r.repeatUnusable(ctx, req, a, rec, unusable)
	}
	return result, false, nil
}

// mustRepeatIn reports whether the job is to be done again though its result is correct, and in which
// class of jobs.
func (r *runner) mustRepeatIn(
	ctx context.Context,
	req *request,
	a *arrival,
	rec *record,
) (c sizeClass, repeats bool) {
	switch {
	case a.earlier && !rec.Result.Status.Answered():
		// A resumed run does those jobs again whose results have no verdict.
		return req.class, true
	case rec.TooLarge && r.hasLargerWorker(ctx, rec.Class):
		return 2 * rec.Class, true
	}
	return 0, false
}

// fetchResult returns the result of a record, after its files are in the folder of results.
func (r *runner) fetchResult(
	ctx context.Context,
	req *request,
	rec *record,
	files chunks,
) (batch.Result, error) {
	result := *rec.Result
	result.Job = req.order.Job
	result.Wanted = req.order.Wanted
	result.Reused = false
	if rec.InPlace && r.InPlace {
		return result, nil
	}
	parcel := &parcel{small: rec.Small, large: files}
	return result, result.FetchFiles(ctx, parcel, r.Batch.Folder)
}

// repeatUnusable has a job done again if its result cannot be used. If that has happened too often,
// it returns a result without a verdict.
func (r *runner) repeatUnusable(
	ctx context.Context,
	req *request,
	a *arrival,
	rec *record,
	unusable error,
) (result batch.Result, again bool, err error) {
	r.forgetFiles(ctx, a.user, a.token, rec)
	r.warn("the result of the job %q from the worker %s cannot be used (%v); the job runs again", req.order.Job.Name, sender(a.user, rec.Worker), unusable)
	req.unusableResults++
	if req.unusableResults < r.Attempts {
		return result, true, r.prepareRepeat(ctx, req, a, req.class)
	}
	why := fmt.Sprintf("%d results of it could not be used, at last: %v", req.unusableResults, unusable)
	return r.failedResult(req, printable.Brief(why)), false, nil
}

// recordOf returns the record of a result. The caller calls release once it no longer needs the
// record.
func (r *runner) recordOf(
	ctx context.Context,
	a *arrival,
	files chunks,
) (rec *record, release func(), err error) {
	rec = &record{}
	release = func() {}
	if err := json.Unmarshal(a.data, rec); err != nil {
		return &record{}, release, errors.New("it is unreadable")
	}
	if rec.Object == "" {
		return rec, release, nil
	}
	select {
	case r.fetching <- struct{}{}:
		release = func() { <-r.fetching }
	case <-ctx.Done():
		return rec, release, ctx.Err()
	}
	files.most = mostRecord
	text, err := fetched(ctx, files, rec.Object)
	if err != nil {
		return rec, release, err
	}
	whole := &record{}
	if err := json.Unmarshal(text, whole); err != nil {
		return rec, release, errors.New("it is unreadable")
	}
	whole.Object = rec.Object
	return whole, release, nil
}

// checkRecord returns an error if a record is not that of a result of the requested job.
func checkRecord(rec *record, req *request) error {
	o := &req.order
	if rec.Schema != recordSchema || rec.Result == nil {
		return fmt.Errorf("it is of version %q, expected %s", printable.Echo(rec.Schema),
			recordSchema)
	}
	result := rec.Result
	if result.Key != o.Job.Key(o.Model, o.Version) || result.Job.Name != o.Job.Name {
		return errors.New("it is the result of another job")
	}
	switch result.Status {
	case batch.Satisfied, batch.Violated, batch.Failed, batch.TimedOut, batch.Crashed:
	default:
		return fmt.Errorf("no job ends with %q", printable.Echo(string(result.Status)))
	}
	isClass := rec.Class <= maxClass && bits.OnesCount64(uint64(rec.Class)) == 1
	if rec.TooLarge && (rec.Class < req.class || !isClass) {
		return fmt.Errorf("a worker of the class %d was not given it", rec.Class)
	}
	return nil
}

// forgetFiles removes the files of an unusable result: if its sender makes files with the same
// content again, the servers would refuse chunks that they have.
func (r *runner) forgetFiles(ctx context.Context, user string, token uint64, rec *record) {
	digests := []string{rec.Object}
	if rec.Result != nil {
		digests = slices.AppendSeq(digests, maps.Values(rec.Result.Digests))
	}
	for _, digest := range digests[:min(len(digests), mostDigests)] {
		if _, small := rec.Small[digest]; isDigest(digest) && !small {
			_ = r.queue.files.Purge(ctx,
				jetstream.WithPurgeSubject(filesOf(user, r.Name, token)+digest+".*"))
		}
	}
}

// mostDigests is more than the number of files of any result.
const mostDigests = 20

// prepareRepeat removes a job and its result from the servers, so that the job can be queued again in a
// class.
func (r *runner) prepareRepeat(ctx context.Context, req *request, a *arrival, c sizeClass) error {
	err := persist(ctx, func(ctx context.Context) error {
		// If the worker has not acknowledged the job yet, the servers would refuse to queue it
		// again, since it is still in the queue.
		if err := r.removeFromQueue(ctx, jobSubject(r.Name, r.lease.token, req.class, req.id)); err != nil {
			return err
		}
		return remove(ctx, r.queue.results, a.sequence)
	})
	if err != nil {
		return err
	}
	a.ack()
	r.mu.Lock()
	defer r.mu.Unlock()
	req.arrived = nil
	req.class = c
	return nil
}

// hasLargerWorker reports whether some worker takes jobs of a larger class than c. There is none above the
// largest class.
func (r *runner) hasLargerWorker(ctx context.Context, c sizeClass) bool {
	present, err := r.queue.present(ctx)
	if err != nil || c >= maxClass {
		return false
	}
	for _, p := range present {
		if p.Version == r.Batch.Version && (p.Memory == 0 || largestIn(p.Memory) > c) {
			return true
		}
	}
	return false
}

// failedResult returns the result of a job that no worker can do.
func (r *runner) failedResult(req *request, why string) batch.Result {
	o := &req.order
	return batch.Result{
		Schema:  batch.ResultSchema,
		Job:     o.Job,
		Key:     o.Job.Key(o.Model, o.Version),
		Status:  batch.Failed,
		Error:   why,
		Wanted:  o.Wanted,
		Started: time.Now().UTC().Format(time.RFC3339),
	}
}

// acknowledgeKept acknowledges a result that is in the journal.
func (r *runner) acknowledgeKept(name string, status batch.Status) {
	r.mu.Lock()
	r.progressCount++
	r.statuses[status]++
	req := r.unjournaled[name]
	delete(r.unjournaled, name)
	var got *arrival
	if req != nil {
		got = req.arrived
		// The request is kept, so that a second result of the job is recognised as such.
		req.order, req.attempts, req.arrived, req.inJournal = order{}, nil, nil, true
	}
	r.mu.Unlock()
	if got != nil {
		got.ack() // if this fails, the result comes again and is acknowledged then
	}
}
