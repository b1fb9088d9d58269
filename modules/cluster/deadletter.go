package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/inev-lts/inev/internal/printable"
)

// attempt is that of a worker to do a job.
type attempt struct{ worker, why string }

// watchDeliveries waits for what servers say of jobs that were handed out as often as they
// may be. They keep it, so that it is not lost while no runner listens.
func (r *runner) watchDeliveries() error {
	var consumer jetstream.Consumer
	err := persist(r.ctx, func(ctx context.Context) (err error) {
		consumer, err = r.q.js.OrderedConsumer(ctx, advisoryStream, jetstream.OrderedConsumerConfig{
			FilterSubjects: []string{maxDeliveries + ">"},
		})
		return err
	})
	if err != nil {
		return err
	}
	consuming, err := consumer.Consume(func(m jetstream.Msg) {
		var told struct {
			Consumer  string `json:"consumer"`
			StreamSeq uint64 `json:"stream_seq"`
		}
		if json.Unmarshal(m.Data(), &told) == nil && strings.HasPrefix(told.Consumer, r.Name+"_") {
			go r.deadLetter(told.StreamSeq)
		}
	})
	if err == nil {
		r.stops = append(r.stops, consuming.Stop)
	}
	return err
}

// deadLetter makes a result of a job that is handed out no more, unless a worker has.
func (r *runner) deadLetter(sequence uint64) {
	var m *jetstream.RawStreamMsg
	err := persist(r.ctx, func(ctx context.Context) (err error) {
		m, err = r.q.jobs.GetMsg(ctx, sequence)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return final{err}
		}
		return err
	})
	if err != nil {
		return // it was done after all
	}
	name, id, ok := splitJobSubject(m.Subject)
	if !ok || name != r.Name {
		return
	}
	r.mu.Lock()
	req := r.asked[id]
	if req == nil || req.done {
		r.mu.Unlock()
		return
	}
	result := r.failed(req, failedOn(req.attempts, r.Attempts))
	r.mu.Unlock()
	text, err := json.Marshal(record{Schema: recordSchema, Worker: "runner", Result: &result})
	if err != nil {
		return
	}
	err = r.q.keep(r.ctx, resultKey(r.Name, id), text)
	if err == nil {
		_ = r.q.jobs.DeleteMsg(r.ctx, sequence)
	}
}

// keep keeps a record, unless there is one of this job.
func (q *queue) keep(ctx context.Context, key string, text []byte) error {
	return persist(ctx, func(ctx context.Context) error {
		_, err := q.results.Create(ctx, key, text)
		if errors.Is(err, jetstream.ErrKeyExists) {
			return nil
		}
		return noRoom(err)
	})
}

// failedOn says what became of a job that was handed out so many times.
func failedOn(attempts []attempt, times int) string {
	var text strings.Builder
	distinct := map[string]bool{}
	var told []string
	for _, a := range attempts {
		distinct[a.worker] = true
		why := a.why
		if why == "" {
			why = "gave no answer"
		}
		told = append(told, a.worker+": "+why)
	}
	switch {
	case len(distinct) == 0:
		return fmt.Sprintf("failed on %s, which gave no answer", printable.Quantity(times, "worker"))
	case len(distinct) < len(attempts):
		fmt.Fprintf(&text, "failed %d times on %s: ", len(attempts), printable.Quantity(len(distinct), "worker"))
	default:
		fmt.Fprintf(&text, "failed on %s: ", printable.Quantity(len(distinct), "worker"))
	}
	text.WriteString(strings.Join(told, "; "))
	return printable.Text(text.String())
}

// lookedAfter is how often the runner looks whether anything moves.
const lookedAfter = 10 * time.Second

// lookAfter finds jobs that nobody does any more: servers can lose what they say of them,
// and a server that had no other to copy to can lose what it was told last.
func (r *runner) lookAfter() {
	before := -1
	warned := map[sizeClass]bool{}
	for wait(r.ctx, lookedAfter) {
		r.mu.Lock()
		now, classes := r.moved, append([]sizeClass(nil), r.entry.Classes...)
		r.mu.Unlock()
		if now != before {
			before = now
			continue
		}
		for _, c := range classes {
			r.lookAt(c, warned)
		}
	}
}

// lookAt looks whether the jobs of a class are where they should be.
func (r *runner) lookAt(c sizeClass, warned map[sizeClass]bool) {
	ctx, stop := context.WithTimeout(r.ctx, patience)
	defer stop()
	consumer, err := r.q.js.Consumer(ctx, jobsStream, consumerName(r.Name, c))
	if err != nil {
		return
	}
	info := consumer.CachedInfo()
	switch {
	case info.NumAckPending > 0:
	case info.NumPending > 0:
		if info.NumWaiting == 0 && !warned[c] {
			warned[c] = true
			r.warn("jobs wait for a worker that may use %d GiB of memory; there are %d of them, and no such worker", int(c), info.NumPending)
		}
	default:
		r.findLost(c, info.Delivered.Stream)
	}
}

// findLost deals with the jobs of a class of which none is in the hands of a worker, nor
// waits for one; those up to number delivered were handed out.
func (r *runner) findLost(c sizeClass, delivered uint64) {
	var lost []*request
	r.mu.Lock()
	for _, req := range r.asked {
		if !req.done && req.got == nil && req.class == c {
			lost = append(lost, req)
		}
	}
	r.mu.Unlock()
	for _, req := range lost {
		ctx, stop := context.WithTimeout(r.ctx, patience)
		_, err := r.q.results.Get(ctx, resultKey(r.Name, req.id))
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			m, err := r.q.jobs.GetLastMsgForSubject(ctx, jobSubject(r.Name, c, req.id))
			switch {
			case err == nil && m.Sequence <= delivered:
				r.deadLetter(m.Sequence)
			case errors.Is(err, jetstream.ErrMsgNotFound):
				_ = r.enqueue(ctx, req, func() {})
			}
		}
		stop()
	}
}
