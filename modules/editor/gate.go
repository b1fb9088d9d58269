package editor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/inev-lts/inev/internal/contained"
)

// gate lets a number of jobs run at a time, while others wait. A job loses its place soon after its
// context is done or its time is over, even if the job continues. The gate counts the jobs that
// continue without a place; when there are too many, it begins no further job.
type gate struct {
	what   string // what the jobs are, for people
	places chan struct{}
	limit  time.Duration // the time of a job; 0 for no limit
	// reportPanic reports a job that has panicked.
	reportPanic func(*panicError)

	mu          sync.Mutex
	endlessJobs int // jobs that continue without a place
}

// Bounds on jobs that do not end with their context.
const (
	// grace is how long such a job keeps its place.
	grace = time.Second
	// mostEndless is the largest number of such jobs; each may take a processor.
	mostEndless = 3
)

func newGate(what string, places int, limit time.Duration, logs func(*panicError)) *gate {
	return &gate{
		what:        what,
		places:      make(chan struct{}, places),
		limit:       limit,
		reportPanic: logs,
	}
}

// patienceError is the error of a job whose time is over.
type patienceError struct{ after time.Duration }

func (e *patienceError) Error() string {
	return fmt.Sprintf("there is no answer after %v", e.after)
}

// errEndless is the error of jobs that are not begun because too many others do not end.
var errEndless = errors.New("restart the language server")

// through does a job as soon as there is a place. It returns ctx.Err() as soon as ctx is done, and
// a *patienceError as soon as the time of the job is over, whatever the job does.
func through[R any](
	ctx context.Context,
	g *gate,
	do func(context.Context) (R, error),
) (result R, err error) {
	select {
	case g.places <- struct{}{}:
	case <-ctx.Done():
		return result, ctx.Err()
	}
	if err := g.refuses(ctx); err != nil {
		<-g.places
		return result, err
	}
	type outcome struct {
		result R
		err    error
	}
	limited, stop := context.WithCancel(ctx)
	if g.limit > 0 {
		limited, stop = context.WithTimeout(ctx, g.limit)
	}
	defer stop()
	done, ended := make(chan outcome, 1), make(chan struct{})
	go func() {
		defer close(ended)
		r, err := containing(g.reportPanic, func() (R, error) { return do(limited) })
		done <- outcome{r, err}
	}()
	select {
	case o := <-done:
		<-g.places
		return o.result, o.err
	case <-limited.Done():
		go g.leave(ended)
	}
	if err := ctx.Err(); err != nil {
		return result, err
	}
	return result, &patienceError{g.limit}
}

// refuses returns an error if no job may begin.
func (g *gate) refuses(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.endlessJobs >= mostEndless {
		return fmt.Errorf("%d %s have not ended in time, and still go on: %w", g.endlessJobs,
			g.what, errEndless)
	}
	return nil
}

// leave gives the place of a job back once the job has ended, or grace is over; a job that
// continues then counts as endless until it ends.
func (g *gate) leave(ended <-chan struct{}) {
	patience := time.NewTimer(grace)
	defer patience.Stop()
	select {
	case <-ended:
		<-g.places
		return
	case <-patience.C:
	}
	g.count(1)
	<-g.places
	<-ended
	g.count(-1)
}

func (g *gate) count(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.endlessJobs += n
}

// A panicError is a panic that was contained.
type panicError struct {
	cause any
	stack []byte
}

func (e *panicError) Error() string {
	return fmt.Sprintf("panic: %v; this is a mistake in inev: report it", e.cause)
}

// containing turns a panic into an error, and logs it, so that a mistake in inev does not end the
// editor's server. It also logs a panic that do has contained and returns as its error.
func containing[R any](logs func(*panicError), do func() (R, error)) (r R, err error) {
	defer func() {
		if p := contained.Recovered(recover()); p != nil {
			err = logged(logs, p)
		}
	}()
	r, err = do()
	var within *contained.Panic
	if errors.As(err, &within) {
		err = logged(logs, within)
	}
	return r, err
}

// logged logs a panic, and returns its error.
func logged(logs func(*panicError), p *contained.Panic) error {
	panicked := &panicError{p.Value, p.Stack}
	logs(panicked)
	return panicked
}
