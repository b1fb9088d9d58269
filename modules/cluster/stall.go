package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/inev-lts/inev/internal/printable"
)

// defaultStall is the default of [Settings].Stall.
const defaultStall = time.Minute

// trouble has the last error of the requests that are repeated.
type trouble struct {
	warn func(string)

	mu   sync.Mutex
	last error // nil if the last request was answered
}

type troubleKey struct{}

// under returns a context in which requests record their errors.
func (t *trouble) under(ctx context.Context) context.Context {
	return context.WithValue(ctx, troubleKey{}, t)
}

// recordAnswer records the error of a request, nil if the request was answered.
func recordAnswer(ctx context.Context, err error) {
	if t, is := ctx.Value(troubleKey{}).(*trouble); is {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.last = err
	}
}

func (t *trouble) now() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// watchProgress warns each time that there was no progress for [Settings].Stall, and says why. It
// warns at once if the servers no longer store anything.
func (r *runner) watchProgress(ctx context.Context) {
	moved := -1
	since := time.Now() // the last progress, or the last warning
	warnedSilent := false
	for wait(ctx, min(max(r.Stall/4, time.Millisecond), time.Second)) {
		r.mu.Lock()
		now := r.progressCount
		r.mu.Unlock()
		if now != moved {
			moved = now
			since = time.Now()
			warnedSilent = false
		}
		if !warnedSilent && r.trouble.now() != nil {
			if err := r.queue.ready(ctx); isSilent(err) {
				warnedSilent = true
				r.warn("%v; the run goes on once it answers", err)
			}
		}
		if time.Since(since) >= r.Stall {
			r.warn("nothing has happened for %v: %s",
				time.Since(since).Round(max(r.Stall/10, time.Millisecond)), r.whyStalled(ctx))
			since = time.Now()
		}
	}
}

// SilentError is the error of a server that is connected but whose JetStream does not answer.
type SilentError struct{ Server string }

func (e *SilentError) Error() string {
	return fmt.Sprintf("the server %s is connected, but its JetStream does not answer: it is starting, or has switched JetStream off, as servers do when their disk is full; its log says which", e.Server)
}

func isSilent(err error) bool {
	var silent *SilentError
	return errors.As(err, &silent)
}

// StartingError is the error of servers that answer but are not ready.
type StartingError struct{ Server, Why string }

func (e *StartingError) Error() string {
	return fmt.Sprintf("the servers are starting, or most of them are gone: %s answers, and %s; ask again in a few seconds", e.Server, e.Why)
}

// ready returns nil if the servers can store data, otherwise the reason why they cannot.
func (q *queue) ready(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	if !q.nc.IsConnected() {
		why := ""
		last := q.nc.LastError()
		if last != nil {
			why = fmt.Sprintf(" (%v)", last)
		}
		return fmt.Errorf("there is no connection to the servers%s", why)
	}
	at := cmp.Or(q.nc.ConnectedServerName(), q.nc.ConnectedUrlRedacted())
	_, err := q.js.AccountInfo(ctx)
	var refused *jetstream.APIError
	switch {
	case err == nil:
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout), errors.Is(err, nats.ErrNoResponders):
		return &SilentError{at}
	case errors.As(err, &refused) && refused.Code == 503:
		return &StartingError{at, "says: " + refused.Description}
	default:
		return err
	}
	return q.checkLeaders(ctx, at)
}

// checkLeaders returns an error if some stream or bucket has no leader.
func (q *queue) checkLeaders(ctx context.Context, at string) error {
	var without []string
	for _, name := range []string{
		jobsStream,
		resultsStream,
		bucketStream + batchesBucket,
		bucketStream + leasesBucket,
	} {
		limited, stop := context.WithTimeout(ctx, patience/4)
		s, err := q.js.Stream(limited, name)
		stop()
		switch {
		case errors.Is(err, jetstream.ErrStreamNotFound):
		case err != nil, s.CachedInfo().Cluster != nil && s.CachedInfo().Cluster.Leader == "":
			without = append(without, name)
		}
	}
	if len(without) > 0 {
		return &StartingError{at, "no server leads " + strings.Join(without, ", ")}
	}
	return nil
}

// whyStalled returns the cause of the lack of progress, as far as it is known.
func (r *runner) whyStalled(ctx context.Context) string {
	if err := r.queue.ready(ctx); err != nil {
		return err.Error()
	}
	var why []string
	if err := r.trouble.now(); err != nil {
		why = append(why, fmt.Sprintf("a request to the servers fails: %v", err))
	}
	limited, stop := context.WithTimeout(ctx, patience)
	defer stop()
	present, err := r.queue.present(limited)
	if err != nil {
		return strings.Join(append(why, fmt.Sprintf("the servers do not answer a request for the workers: %v", err)), "; ")
	}
	others := map[string]bool{}
	live := map[string]presence{}
	for _, p := range present {
		if p.Version == r.Batch.Version {
			live[p.Name] = p
		} else {
			others[p.Version] = true
		}
	}
	switch {
	case len(live) == 0 && len(others) > 0:
		why = append(why,
			fmt.Sprintf("no worker has the version %s of this runner, but %s", r.Batch.Version,
				printable.Quantity(len(others), "other version")))
	case len(live) == 0:
		why = append(why, "there is no worker; start one with inev-cluster work")
	}
	return printable.Text(strings.Join(append(why, r.whyJobsWait(limited, live)...), "; "))
}

// whyJobsWait says where the jobs wait.
func (r *runner) whyJobsWait(ctx context.Context, live map[string]presence) (why []string) {
	r.mu.Lock()
	classes := slices.Clone(r.entry.Classes)
	r.mu.Unlock()
	inHand := 0
	for _, c := range classes {
		consumer, err := r.queue.js.Consumer(ctx, jobsStream,
			consumerName(r.Name, r.lease.token, c))
		if err != nil {
			why = append(why,
				fmt.Sprintf("the servers do not answer a request for the jobs of %d GiB: %v", int(c), err))
			continue
		}
		info := consumer.CachedInfo()
		inHand += info.NumAckPending
		isUntouched := info.NumPending > 0 && info.NumAckPending == 0
		if isUntouched && len(live) > 0 {
			why = append(why, whyNobodyTakes(info.NumPending, c, live))
		}
	}
	if inHand > 0 {
		why = append(why,
			fmt.Sprintf("%s in the hands of workers%s", printable.Quantity(inHand, "job"),
				r.describeLongestHeld(live)))
	}
	if len(why) == 0 {
		why = append(why, "no job is in the queue, nor in the hands of a worker")
	}
	return why
}

// whyNobodyTakes says why no worker takes the waiting jobs of a class of memory.
func whyNobodyTakes(jobs uint64, c sizeClass, live map[string]presence) string {
	for _, worker := range live {
		hasMemory := worker.Memory == 0 || largestIn(worker.Memory) >= c
		if hasMemory {
			return describeWaiting(jobs) +
				", and no worker takes jobs of this batch, although some workers announce enough memory"
		}
	}
	return fmt.Sprintf("%s for a worker that may use %d GiB of memory, and there is none",
		describeWaiting(jobs), int(c))
}

// describeWaiting says how many jobs wait.
func describeWaiting(jobs uint64) string {
	if jobs == 1 {
		return "1 job waits"
	}
	return fmt.Sprintf("%d jobs wait", jobs)
}

// describeLongestHeld describes the job that a worker has had for the longest time.
func (r *runner) describeLongestHeld(live map[string]presence) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var oldest *request
	for _, req := range r.requests {
		if !req.inJournal && req.arrived == nil && req.worker != "" &&
			(oldest == nil || req.begun.Before(oldest.begun)) {
			oldest = req
		}
	}
	if oldest == nil {
		return ""
	}
	text := fmt.Sprintf(", %q for the longest time: on %s since %v", oldest.order.Job.Name,
		oldest.worker, time.Since(oldest.begun).Round(time.Second))
	if _, lives := live[oldest.worker]; !lives {
		text += ", which gives no sign of life"
	}
	return text
}
