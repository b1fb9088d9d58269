package enrich

import (
	"context"
	"runtime"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

const (
	// fewAhead is the number of transitions up to which a pass is not worth a
	// goroutine.
	fewAhead = 1 << 15
	// bytesAhead is the largest number of bytes a state that a pass for common
	// prefixes takes.
	bytesAhead = 8
)

// ahead are common prefixes that are computed before the components are known.
type ahead struct {
	cp   levels
	err  error
	done chan struct{}
}

// Begin begins the pass for common prefixes, the only one that needs no
// components, on another core, if a core is free, the model is large enough and
// the property is a chain. [Enrich] with these options, of the same model and
// chain, then waits for the pass. The results are the same as without Begin. The
// function end must be called: it stops the pass if it is still running, and
// waits until it has ended.
func (o *Options) Begin(ctx context.Context, m *lts.LTS, p *property.Property) (end func()) {
	chain, is := p.Chain()
	worth := is && o.Queue == byBuckets && m.NumTransitions() > fewAhead && runtime.GOMAXPROCS(0) > 1
	if !worth || !resources.Spare(ctx, bytesAhead*int64(m.NumStates())) {
		return func() {}
	}
	return o.begin(ctx, m, chain)
}

// begin is [Options.Begin] without the test whether it is worthwhile.
func (o *Options) begin(ctx context.Context, m *lts.LTS, p *property.Chain) (end func()) {
	ctx, stop := context.WithCancel(ctx)
	a := &ahead{done: make(chan struct{})}
	o.ahead = a
	go func() {
		defer close(a.done)
		a.err = abort.Try(func() { a.cp = passOf(ctx, m, p).commonPrefixes() })
	}()
	return func() {
		stop()
		<-a.done
	}
}

// wait waits for the pass, and returns the prefixes.
func (a *ahead) wait() levels {
	<-a.done
	return abort.Must(a.cp, a.err)
}
