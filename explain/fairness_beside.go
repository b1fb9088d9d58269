package explain

import (
	"context"
	"runtime"

	"github.com/inev-lts/inev/internal/resources"
)

const (
	// fewBeside is a number of transitions up to which the search for fairness is not worth
	// a goroutine.
	fewBeside = 1 << 15
	// bytesBeside is what that search takes for a state, at most.
	bytesBeside = 64
)

// fairnessAhead is the search for the fairness that would make a property hold, which needs the
// fates alone: it goes on during the classes and the search for a counterexample.
type fairnessAhead struct {
	stop  context.CancelFunc
	done  chan struct{}
	found *Fairness
	err   error
}

// fairnessBeside begins the search; nil if there is no core or memory to spare, or if the
// search is not worth it. Somebody must wait for it, or end it.
func (a *Analysis) fairnessBeside(ctx context.Context, o Options) *fairnessAhead {
	n := a.m.NumTransitions()
	if n <= fewBeside || n > mostTransitionsForFairness || runtime.GOMAXPROCS(0) == 1 || !resources.Spare(ctx, bytesBeside*int64(a.m.NumStates())) {
		return nil
	}
	b := &fairnessAhead{done: make(chan struct{})}
	ctx, b.stop = context.WithCancel(ctx)
	go func() {
		defer close(b.done)
		b.found, b.err = a.describeFairness(ctx, o.Owners, defaultFairness)
	}()
	return b
}

// wait returns what was found, once it is.
func (b *fairnessAhead) wait() (*Fairness, error) {
	<-b.done
	b.stop()
	return b.found, b.err
}

// end stops the search if it goes on, and waits until it has ended.
func (b *fairnessAhead) end() {
	if b != nil {
		b.stop()
		<-b.done
	}
}
