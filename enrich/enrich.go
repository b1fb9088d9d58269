// Package enrich computes, for every reachable state of an LTS, how much of an
// inevitability property has been done on the runs to the state, and how much
// will be done on the runs from it: the max and common prefix and the max and
// common suffix of SEFM'18 (Barbon, Leroy, Salaün: Counterexample Simplification
// for Liveness Property Violation), sections 3.1 and 3.2.
//
// A pass goes through the components of package lts/scc in ascending order for prefixes, and in
// descending order for suffixes, so that the values of all predecessors, or successors, outside a
// component are final when the pass comes to the component. Prefixes and suffixes are represented
// by their lengths, 0 to n.
package enrich

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/property/fairset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// Enriched is an LTS with the max and common prefixes and suffixes of a
// property in all its reachable states (SEFM'18, Definition 9). It comes from [Enrich].
type Enriched struct {
	property   *property.Chain
	components *scc.Components
	fairness   *property.Fairness
	queue      Queue
	// admitted reports, for each component, whether some run from it counts; nil if every component
	// has such a run.
	admitted []bool
	mp, cp   levels
	ms, cs   levels
}

// Options control how [Enrich] works, and which runs count. The zero value is the
// default.
type Options struct {
	// Queue orders states in the passes for common prefixes and suffixes. The
	// results do not depend on it.
	Queue Queue
	// Fairness decides which infinite runs count; nil if all do.
	Fairness *property.Fairness
	// ahead returns the common prefixes that [Options.Begin] has begun to compute; nil if Begin was not
	// called.
	ahead func() (levels, error)
}

// Enrich computes the prefixes and suffixes of p in every reachable state of the LTS of c,
// component by component: prefixes by increasing depth, suffixes by decreasing depth (SEFM'18,
// section 3.2, Algorithms 1 and 2). The result does not depend on the queue. It fails if ctx is
// done.
//
// Prefixes and max suffixes do not depend on fairness, because every finite path has a fair
// continuation. Fairness changes only the initial values of common suffixes: the initial value of a
// state is the least m such that the state lies in a fair strongly connected set without labels of
// step n-m.
//
// Cost O(n (S + T)) time; the factor n arises only in components with labels of all steps. The
// memory is 4 bytes and a bit for each state (8 bytes if n > 255), and up to two lists of the
// states from which no run avoids the step under examination, 4 bytes for each. If passes through a
// component change too few states, Enrich also needs the memory of [lts.LTS.Predecessors], and a
// byte a state for counting (5 if more than 255 transitions leave a state).
func Enrich(
	ctx context.Context,
	c *scc.Components,
	p *property.Chain,
	o Options,
) (_ *Enriched, err error) {
	defer abort.Caught(&err)
	bytes := int64(4) // for each state: four tables, with one or two bytes in each
	if p.Len() > math.MaxUint8 {
		bytes *= 2
	}
	abort.On(resources.Ask(ctx, bytes*int64(c.LTS().NumStates())))
	e := &Enriched{
		property:   p,
		components: c,
		fairness:   o.Fairness,
		queue:      o.Queue.chosenFor(c.LTS()),
		admitted:   abort.Must(fairset.Admitted(ctx, c, o.Fairness)),
	}
	first := newPass(ctx, e)
	second := newPass(ctx, e)
	first.meter = progress.Start(ctx, "enrich", progress.Transitions, 0)
	second.meter = first.meter
	if o.ahead != nil {
		// The pass for common prefixes is running already. It and the pass for common suffixes take most
		// of the time, so all other passes run beside it.
		abort.On(beside(
			func() { e.cs = first.commonSuffixes() },
			func() {
				e.ms = second.maxSuffixes()
				e.mp = second.maxPrefixes()
			},
		))
		e.cp = abort.Must(o.ahead())
		return e, nil
	}
	commonPrefixes := first.commonPrefixes
	commonSuffixes := second.commonSuffixes
	if e.queue == byHeap {
		commonPrefixes = first.printedPrefixes
		commonSuffixes = second.printedSuffixes
	}
	// Prefixes and suffixes do not depend on each other, and are computed on two
	// cores.
	abort.On(beside(
		func() {
			e.mp = first.maxPrefixes()
			e.cp = commonPrefixes()
		},
		func() {
			e.ms = second.maxSuffixes()
			e.cs = commonSuffixes()
		},
	))
	return e, nil
}

// beside runs two passes on two cores. If an error ends one of them, it returns the error.
func beside(passes ...func()) error {
	return cores.Try(len(passes), func(core int) error {
		return abort.Try(passes[core])
	})
}

// LTS returns the system that was enriched.
func (e *Enriched) LTS() *lts.LTS { return e.components.LTS() }

// Property returns the property whose prefixes and suffixes these are.
func (e *Enriched) Property() *property.Chain { return e.property }

// Components returns the components of the system.
func (e *Enriched) Components() *scc.Components { return e.components }

// Fairness returns the assumption under which runs count; nil if all do.
func (e *Enriched) Fairness() *property.Fairness { return e.fairness }

// Queue returns the queue with which the common prefixes and suffixes were computed: buckets or heap.
func (e *Enriched) Queue() Queue { return e.queue }

// Admits reports whether some run from s, which must be reachable, counts. This is always true unless
// the assumption has labels that occur finitely often. Cost O(1).
func (e *Enriched) Admits(s lts.State) bool {
	if e.admitted == nil {
		return true
	}
	c, _ := e.components.Of(s)
	return e.admitted[c]
}

// MP returns the length of the max prefix of s: the largest progress through
// the property over all trace prefixes that end in s (Definition 7). It means
// nothing where s is unreachable. Cost O(1).
func (e *Enriched) MP(s lts.State) int { return e.mp.at(s) }

// CP returns the length of the common prefix of s: the smallest progress over
// all trace prefixes that end in s (Definition 7). It means nothing where s is
// unreachable. Cost O(1).
func (e *Enriched) CP(s lts.State) int { return e.cp.at(s) }

// MS returns the length of the max suffix of s: the longest suffix of the
// property that some maximal trace from s contains (Definition 8). It means
// nothing where s is unreachable. Cost O(1).
func (e *Enriched) MS(s lts.State) int { return e.ms.at(s) }

// CS returns the length of the common suffix of s: the longest suffix of the
// property that every maximal trace from s contains (Definition 8). It means
// nothing where s is unreachable. Cost O(1).
func (e *Enriched) CS(s lts.State) int { return e.cs.at(s) }

// String returns, for people, the property and the four values of the initial state.
func (e *Enriched) String() string {
	switch {
	case e == nil:
		return "<nil>"
	case e.components == nil:
		return "no model"
	}
	s := e.components.LTS().Initial()
	return fmt.Sprintf("%v in state %d: max prefix %d, common prefix %d, max suffix %d, common suffix %d",
		e.property, s, e.MP(s), e.CP(s), e.MS(s), e.CS(s))
}

// Holds reports whether every maximal trace from the initial state satisfies the
// property. Cost O(1).
func (e *Enriched) Holds() bool {
	return e.cs.at(e.components.LTS().Initial()) == e.property.Len()
}

const (
	// fewAhead is the number of transitions up to which a pass is not worth a
	// goroutine.
	fewAhead = 1 << 15
	// bytesAhead bounds the memory of a pass for common prefixes, in bytes for each state.
	bytesAhead = 8
)

// Begin starts the pass for common prefixes on another core, if there is another core, the memory
// suffices, the model is large enough and the property is a chain. It is the only pass that needs
// no components, so it can run while they are computed. [Enrich] with these options, for the same
// model and chain, then waits for the pass. The results are the same as without Begin. The caller
// must call end, which stops the pass if it is still running, and waits until it has stopped.
func (o *Options) Begin(ctx context.Context, m *lts.LTS, p *property.Property) (end func()) {
	notBegun := func() {}
	chain, isChain := p.Chain()
	if !isChain || o.Queue.chosenFor(m) != byBuckets {
		return notBegun
	}
	isLarge := m.NumTransitions() > fewAhead
	hasIdleCore := runtime.GOMAXPROCS(0) > 1
	if isLarge && hasIdleCore && resources.Spare(ctx, bytesAhead*int64(m.NumStates())) {
		return o.begin(ctx, m, chain)
	}
	return notBegun
}

// begin does what [Options.Begin] does, without asking whether it is worthwhile.
func (o *Options) begin(ctx context.Context, m *lts.LTS, p *property.Chain) (end func()) {
	ctx, stop := context.WithCancel(ctx)
	result := cores.Beside(func() (cp levels, err error) {
		defer abort.Caught(&err)
		return passOf(ctx, m, p).commonPrefixes(), nil
	})
	o.ahead = result
	return func() {
		stop()
		_, _ = result()
	}
}
