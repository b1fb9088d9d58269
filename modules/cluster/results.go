package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/inev-lts/inev/batch"
)

// take turns an arrival into a result, or finds that the job must be done again.
func (r *runner) take(ctx context.Context, req *request, a *arrival) (result batch.Result, again bool, err error) {
	files := objects{bucket: r.q.files, prefix: filesOf(r.Name, a.token)}
	rec := a.record
	var wrong error
	if rec.Object != "" {
		text, err := fetched(ctx, files, rec.Object)
		if err == nil {
			err = json.Unmarshal(text, &rec)
		}
		wrong = err
	}
	o := &req.order
	switch {
	case wrong != nil:
	case rec.Schema != recordSchema || rec.Result == nil:
		wrong = fmt.Errorf("it is of version %q, expected %s", rec.Schema, recordSchema)
	case rec.Result.Key != o.Job.Key(o.Model, o.Version) || rec.Result.Job.Name != o.Job.Name:
		wrong = errors.New("it is that of another job")
	case a.earlier && !rec.Result.Status.Answered():
		// A resumed run does those jobs again whose results have no verdict.
		return result, true, r.again(ctx, req, a, req.class)
	case rec.TooLarge && r.larger(ctx, rec.Class):
		return result, true, r.again(ctx, req, a, 2*rec.Class)
	default:
		result = *rec.Result
		result.Job = o.Job
		if rec.InPlace && r.InPlace {
			break
		}
		wrong = result.FetchFiles(ctx, &parcel{small: rec.Small, large: files}, r.Batch.Folder)
	}
	if ctx.Err() != nil {
		return result, false, ctx.Err()
	}
	if wrong == nil {
		return result, false, nil
	}
	r.forgetFiles(ctx, files, &rec)
	r.warn("the result of the job %q from the worker %s cannot be used (%v); the job is done again", o.Job.Name, a.record.Worker, wrong)
	if req.again++; req.again >= r.Attempts {
		return r.failed(req, fmt.Sprintf("%d results of it could not be used, at last: %v", req.again, wrong)), false, nil
	}
	return result, true, r.again(ctx, req, a, req.class)
}

// forgetFiles removes the files of an unusable result: the next worker makes files with the same
// content, and would not send files that the servers already have.
func (r *runner) forgetFiles(ctx context.Context, files objects, rec *record) {
	digests := []string{rec.Object}
	if rec.Result != nil {
		digests = slices.AppendSeq(digests, maps.Values(rec.Result.Digests))
	}
	for _, digest := range digests {
		if _, small := rec.Small[digest]; digest != "" && !small {
			_ = files.bucket.Delete(ctx, files.prefix+digest)
		}
	}
}

// again removes a job and its result from the servers, so that the job can be queued again in a
// class.
func (r *runner) again(ctx context.Context, req *request, a *arrival, c sizeClass) error {
	err := persist(ctx, func(ctx context.Context) error {
		// If the worker has not acknowledged the job yet, the servers would refuse to queue it
		// again, since it is still in the queue.
		if err := r.unqueue(ctx, jobSubject(r.Name, r.lease.token, req.class, req.id)); err != nil {
			return err
		}
		m, err := a.msg.Metadata()
		if err != nil {
			return final{err}
		}
		return remove(ctx, r.q.results, m.Sequence.Stream)
	})
	if err != nil {
		return err
	}
	_ = a.msg.Ack()
	r.mu.Lock()
	defer r.mu.Unlock()
	req.got, req.class = nil, c
	return nil
}

// larger reports whether some worker takes jobs of a larger class than c.
func (r *runner) larger(ctx context.Context, c sizeClass) bool {
	present, err := r.q.present(ctx)
	if err != nil {
		return false
	}
	for _, p := range present {
		if p.Version == r.Batch.Version && (p.Memory == 0 || largestIn(p.Memory) > c) {
			return true
		}
	}
	return false
}

// failed returns the result of a job that no worker can do.
func (r *runner) failed(req *request, why string) batch.Result {
	o := &req.order
	return batch.Result{
		Schema: batch.ResultSchema, Job: o.Job, Key: o.Job.Key(o.Model, o.Version), Status: batch.Failed,
		Error: why, Wanted: o.Wanted, Started: time.Now().UTC().Format(time.RFC3339),
	}
}

// kept acknowledges a result that is in the journal.
func (r *runner) kept(name string, status batch.Status) {
	r.mu.Lock()
	r.moved++
	r.statuses[status]++
	req := r.names[name]
	delete(r.names, name)
	var got *arrival
	if req != nil {
		got = req.got
		// The request stays, so that a second result of the job is recognised as such.
		req.order, req.attempts, req.got, req.done = order{}, nil, nil, true
	}
	r.mu.Unlock()
	if got != nil {
		_ = got.msg.Ack() // if this fails, the result comes again and is acknowledged then
	}
}
