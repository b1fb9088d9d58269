package enrich

import (
	"context"
	"runtime"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

const (
	// fewAhead is a number of transitions up to which a pass is not worth a goroutine.
	fewAhead = 1 << 15
	// bytesAhead is what a pass for common prefixes takes for a state, at most.
	bytesAhead = 8
)

// ahead are common prefixes that are computed before the components are known.
type ahead struct {
	pass *pass
	cp   levels
	done chan struct{}
}

// Begin begins the pass for common prefixes, the only one that needs no components, on another
// core, if there is one to spare, the model is worth it and the property is a chain: [Enrich] with
// these options, of the same model and chain, waits for it. The results are the same. What it
// returns stops the pass if it is not done yet, waits until it has ended, and must be called.
func (o *Options) Begin(ctx context.Context, m *lts.LTS, p *property.Property) (end func()) {
	chain, is := p.Chain()
	worth := is && o.Queue == byBuckets && m.NumTransitions() > fewAhead && runtime.GOMAXPROCS(0) > 1
	if !worth || !resources.Spare(ctx, bytesAhead*int64(m.NumStates())) {
		return func() {}
	}
	return o.begin(ctx, m, chain)
}

// begin is [Options.Begin], whether it is worth it or not.
func (o *Options) begin(ctx context.Context, m *lts.LTS, p *property.Chain) (end func()) {
	ctx, stop := context.WithCancel(ctx)
	a := &ahead{pass: passOf(ctx, m, p), done: make(chan struct{})}
	o.ahead = a
	go func() {
		defer close(a.done)
		a.cp = a.pass.commonPrefixes()
	}()
	return func() {
		stop()
		<-a.done
	}
}

// wait returns the prefixes once they are there.
func (a *ahead) wait() (levels, error) {
	<-a.done
	return a.cp, a.pass.err
}
