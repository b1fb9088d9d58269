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
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/counters"
	"github.com/inev-lts/inev/internal/footprint"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/pagedlist"
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

// pass has the state that the four passes over the components share.
type pass struct {
	ctx   context.Context
	m     *lts.LTS
	c     *scc.Components
	p     *property.Chain
	n     int
	queue *bucketQueue
	work  int
	meter *progress.Meter
	// runs decides which runs count. Only suffixes depend on that.
	runs *Enriched
	// present[i] is set by findStepsInside: whether a transition inside the component does step i,
	// from 1. calls is the number of calls of findStepsInside so far, and lastCall[l] the number of
	// the last call that found label l inside its component.
	present  []bool
	calls    uint32
	lastCall []uint32
	// before holds the predecessor rows, nil until a pass needs them.
	before *lts.Predecessors
	// worthPasses is the package's constant of this name. Tests set other values; the results do
	// not depend on it.
	worthPasses int
	// cores is the number of goroutines that share a pass through a component with more than
	// fewOnOneCore states. The results do not depend on either number.
	cores, fewOnOneCore int
}

// newPass returns a pass over the components of e, for the runs that count for e.
func newPass(ctx context.Context, e *Enriched) *pass {
	x := passOf(ctx, e.LTS(), e.property)
	x.c = e.components
	x.runs = e
	return x
}

// passOf returns a pass that needs no components.
func passOf(ctx context.Context, m *lts.LTS, p *property.Chain) *pass {
	return &pass{
		ctx:          ctx,
		m:            m,
		p:            p,
		n:            p.Len(),
		queue:        newBuckets(p.Len(), m.NumStates()),
		worthPasses:  worthPasses,
		cores:        cores.For(m.NumTransitions(), mostCores),
		fewOnOneCore: fewOnOneCore,
	}
}

// count counts work, and checks the context at intervals.
func (x *pass) count(work int) {
	x.work += work
	if x.work >= 1<<16 {
		x.meter.Add(int64(x.work))
		x.work = 0
		abort.On(x.ctx.Err())
	}
}

// findPredecessors builds the predecessor rows if necessary.
func (x *pass) findPredecessors() {
	if x.before == nil {
		abort.On(x.m.FindPredecessors(x.ctx))
		x.before = x.m.Predecessors()
	}
}

// findStepsInside sets present for the component with these states: for each step 1..n, whether a
// transition inside the component does it. Cost O(T of the component + labels in it · n).
func (x *pass) findStepsInside(states []lts.State) {
	if x.lastCall == nil {
		x.present = make([]bool, x.n+1)
		x.lastCall = make([]uint32, x.m.Alphabet().Len())
	}
	clear(x.present)
	x.calls++
	missing := x.n
	for _, s := range states {
		labels, targets := x.m.Out(s)
		for i := range labels.Len() {
			l := labels.At(i)
			if !x.p.Concerns(l) || x.lastCall[l] == x.calls {
				continue
			}
			leadsOut := x.c.Leaves(s) && !x.c.Same(s, targets[i])
			if leadsOut {
				continue
			}
			x.lastCall[l] = x.calls
			missing -= x.addStepsOf(l)
		}
		x.count(1 + labels.Len())
		if missing == 0 {
			return
		}
	}
}

// addStepsOf adds the steps that a label does to present, and returns how many of them are new.
func (x *pass) addStepsOf(l lts.Label) int {
	added := 0
	for step := 1; step <= x.n; step++ {
		if x.p.Does(l, step) && !x.present[step] {
			x.present[step] = true
			added++
		}
	}
	return added
}

// maxPrefixes is the "Max Prefix Calculation" of SEFM'18, section 3.2. All states of a component have
// the same value, since a trace can go round in the component: the largest value that enters the
// component, extended by the steps inside it.
func (x *pass) maxPrefixes() levels {
	mp := newLevels(x.m.NumStates(), x.n, 0)
	for i := range x.c.Len() {
		states := x.c.States(scc.Component(i))
		cyclic := x.c.IsCyclic(scc.Component(i))
		if cyclic {
			x.extendPrefixes(states, &mp)
		}
		for _, s := range states {
			if cyclic && !x.c.Leaves(s) {
				continue // its targets have the value already
			}
			labels, targets := x.m.Out(s)
			value := mp.at(s)
			for j, t := range targets {
				mp.set(t, max(mp.at(t), x.p.Advance(value, labels.At(j))))
			}
			x.count(1 + labels.Len())
		}
	}
	return mp
}

// extendPrefixes gives all states of a cyclic component the largest value that enters it, extended by
// the steps inside it.
func (x *pass) extendPrefixes(states []lts.State, mp *levels) {
	value := 0
	for _, s := range states {
		value = max(value, mp.at(s))
	}
	x.findStepsInside(states)
	for value < x.n && x.present[value+1] {
		value++
	}
	for _, s := range states {
		mp.set(s, value)
	}
}

// commonPrefixes is SEFM'18, Algorithm 1, lines 8 to 13, for all components at once. The queue
// returns states by ascending prefix, and each prefix is final when its state is returned, so that
// the order of components does not matter ([pass.printedPrefixes] takes them in the printed order).
// States with value n need not be in the queue, since they lower no other value.
func (x *pass) commonPrefixes() levels {
	cp := newLevels(x.m.NumStates(), x.n, x.n)
	cp.set(x.m.Initial(), 0)
	x.queue.push(x.m.Initial(), 0)
	for {
		s, prefix, ok := x.queue.pop()
		if !ok {
			return cp
		}
		if prefix > cp.at(s) {
			continue
		}
		labels, targets := x.m.Out(s)
		for j, t := range targets {
			value := x.p.Advance(prefix, labels.At(j))
			if cp.lower(t, value) {
				x.queue.push(t, value)
			}
		}
		x.count(1 + labels.Len())
	}
}

// maxSuffixes is the "Max Suffix Calculation" of SEFM'18, section 3.2. The value of a component is the
// largest value after its outgoing transitions (0 for traces that stay inside), extended backwards by
// the steps inside the component.
func (x *pass) maxSuffixes() levels {
	ms := newLevels(x.m.NumStates(), x.n, 0)
	for i := x.c.Len() - 1; i >= 0; i-- {
		states := x.c.States(scc.Component(i))
		value := 0
		for _, s := range states {
			if !x.c.Leaves(s) {
				continue
			}
			labels, targets := x.m.Out(s)
			for j, t := range targets {
				if !x.c.Same(s, t) && x.runs.Admits(t) {
					value = max(value, x.p.AdvanceSuffix(ms.at(t), labels.At(j)))
				}
			}
			x.count(1 + labels.Len())
		}
		if x.c.IsCyclic(scc.Component(i)) {
			x.findStepsInside(states)
			for value < x.n && x.present[x.n-value] {
				value++
			}
		}
		for _, s := range states {
			ms.set(s, value)
		}
		x.count(len(states))
	}
	return ms
}

// commonSuffixes computes initial values by SEFM'18, Algorithm 2. It then spreads them as Algorithm
// 1 does, but against the direction of the transitions.
func (x *pass) commonSuffixes() levels {
	cs := newLevels(x.m.NumStates(), x.n, x.n)
	minSuffixLoop := x.minSuffixLoop()
	for i := x.c.Len() - 1; i >= 0; i-- {
		states := x.c.States(scc.Component(i))
		cyclic := x.c.IsCyclic(scc.Component(i))
		if cyclic {
			minSuffixLoop(scc.Component(i), &cs)
		}
		x.lowerByLeavingAll(states, cyclic, &cs)
		if cyclic {
			x.spreadSuffixes(states, &cs)
		}
		x.count(len(states))
	}
	return cs
}

// minSuffixLoop returns a function that computes the values of the runs that stay in a component.
func (x *pass) minSuffixLoop() func(i scc.Component, cs *levels) {
	if x.runs.fairness == nil {
		return (&loopSuffixes{pass: x}).minSuffixLoop
	}
	fair := &fairLoopSuffixes{
		pass:   x,
		sets:   abort.Must(fairset.NewSets(x.ctx, x.c, x.runs.fairness, nil)),
		hidden: make([]bitset.Set[lts.Label], x.n),
	}
	return fair.minSuffixLoop
}

// fairLoopSuffixes computes MINSUFFIXLOOP of Algorithm 2, line 4, under fairness.
type fairLoopSuffixes struct {
	*pass
	sets *fairset.Sets
	// hidden[m] has the labels of step n-m; nil until they are needed.
	hidden []bitset.Set[lts.Label]
}

// minSuffixLoop sets every state of a component to the least m such that it lies in a fair strongly
// connected set without labels of step n-m; states that lie in no such set keep n.
func (x *fairLoopSuffixes) minSuffixLoop(i scc.Component, cs *levels) {
	unset := x.c.States(i)
	x.findStepsInside(unset)
	for m := 0; m < x.n && len(unset) > 0; m++ {
		setAll := func(set []lts.State) bool {
			for _, s := range set {
				cs.set(s, m)
			}
			return true
		}
		abort.On(x.sets.In(i, unset, x.labelsHidden(m), setAll))
		if !x.present[x.n-m] {
			return // no transition of the component does this step, so all its fair sets have been found
		}
		unset = slices.DeleteFunc(slices.Clone(unset), func(s lts.State) bool {
			return cs.at(s) != x.n
		})
	}
}

// labelsHidden returns the labels of step n-m.
func (x *fairLoopSuffixes) labelsHidden(m int) bitset.Set[lts.Label] {
	if x.hidden[m] == nil {
		x.hidden[m] = x.sets.Hidden(func(l lts.Label) bool { return x.p.Does(l, x.n-m) })
	}
	return x.hidden[m]
}

// lowerByLeavingAll is [pass.lowerByLeaving] for all states of a component. If the component is large,
// all cores share the work, since the new values depend only on those of other components.
func (x *pass) lowerByLeavingAll(states []lts.State, cyclic bool, cs *levels) {
	// Without fairness runs end only in deadlocks, and a state on a cycle is no deadlock. So the
	// runs through most states of a cyclic component neither end there nor leave it.
	onlyLeaving := cyclic && x.runs.fairness == nil
	if x.cores == 1 || len(states) <= x.fewOnOneCore {
		for _, s := range states {
			if !onlyLeaving || x.c.Leaves(s) {
				x.count(x.lowerByLeaving(s, cs))
			}
		}
		return
	}
	works := make([]int, x.cores)
	lowerInRange := func(core int, first, end lts.State) error {
		return abort.Try(func() {
			for i, s := range between(states, first, end) {
				abort.IfDone(x.ctx, i)
				if !onlyLeaving || x.c.Leaves(s) {
					works[core] += x.lowerByLeaving(s, cs)
				}
			}
		})
	}
	abort.On(cores.TryInRanges(x.cores, x.m.NumStates(), lowerInRange))
	for _, work := range works {
		x.count(work)
	}
}

// lowerByLeaving is Algorithm 2, lines 3 and 5 to 7: it lowers the value of s to the suffixes of the
// runs that end in s, or leave its component by a transition from s. A run that ends in s has the empty
// suffix (line 3 of the published text lost a negation). lowerByLeaving returns the number of
// transitions that it read.
func (x *pass) lowerByLeaving(s lts.State, cs *levels) (work int) {
	switch {
	case x.runs.fairness.MayEnd(x.m, s):
		cs.set(s, 0)
		return 0
	case !x.c.Leaves(s):
		return 0
	}
	labels, targets := x.m.Out(s)
	for j, t := range targets {
		if !x.c.Same(s, t) && x.runs.Admits(t) {
			cs.lower(s, x.p.AdvanceSuffix(cs.at(t), labels.At(j)))
		}
	}
	return labels.Len()
}

// spreadSuffixes is Algorithm 1, lines 8 to 13, with predecessors instead of successors. States
// with the smallest value of the component cannot be lowered. The value of every other state is
// lowered to the values of its successors, in passes that need no predecessor rows. When passes
// lower too few states to be worth their time, the remaining work is done with a queue of lowered
// states.
func (x *pass) spreadSuffixes(states []lts.State, cs *levels) {
	lowest := x.n
	for _, s := range states {
		lowest = min(lowest, cs.at(s))
	}
	if x.spreadByPasses(states, lowest, cs) {
		return
	}
	for _, s := range states {
		if cs.at(s) <= lowest {
			continue
		}
		lowered, work := x.lowerToSuccessors(s, lowest, cs)
		if lowered {
			x.queue.push(s, cs.at(s))
		}
		x.count(work)
	}
	x.spreadFromQueue(cs)
}

// spreadByPasses lowers the value of each state of a component to the values of its successors,
// pass by pass; lowest is the smallest value in the component. It reports whether the values are
// final. It gives up when passes lower too few states to be worth their time.
func (x *pass) spreadByPasses(states []lts.State, lowest int, cs *levels) (complete bool) {
	b := x.passesThrough(states)
	for b.beginNext() {
		for i := range states {
			s := b.inTurn(i)
			if cs.at(s) <= lowest {
				continue
			}
			lowered, work := x.lowerToSuccessors(s, lowest, cs)
			b.count(lowered, work)
			x.count(work)
		}
		if b.changed == 0 {
			return true
		}
	}
	return false
}

// spreadFromQueue lowers the values of states with transitions to states in the queue.
func (x *pass) spreadFromQueue(cs *levels) {
	for {
		s, suffix, ok := x.queue.pop()
		if !ok {
			return
		}
		x.findPredecessors()
		if suffix > cs.at(s) {
			continue
		}
		labels, sources := x.before.In(s)
		for j, t := range sources {
			value := x.p.AdvanceSuffix(suffix, labels.At(j))
			if x.c.Same(s, t) && cs.lower(t, value) {
				x.queue.push(t, value)
			}
		}
		x.count(1 + labels.Len())
	}
}

// lowerToSuccessors lowers the value of s to the suffixes of the runs that go on to a successor in the
// same component. lowest is the smallest value in the component. It reports whether the value changed,
// and returns the number of transitions that it read.
func (x *pass) lowerToSuccessors(s lts.State, lowest int, cs *levels) (lowered bool, work int) {
	labels, targets := x.m.Out(s)
	leaves := x.c.Leaves(s)
	value := x.n
	work = 1
	for j, t := range targets {
		work++
		if leaves && !x.c.Same(s, t) {
			continue
		}
		value = min(value, x.p.AdvanceSuffix(cs.at(t), labels.At(j)))
		if value == lowest {
			break
		}
	}
	return cs.lower(s, value), work
}

// loopSuffixes computes MINSUFFIXLOOP of Algorithm 2, line 4, by removing the
// labels of one step after the other.
type loopSuffixes struct {
	*pass
	// continuations[s] is the number of transitions by which a run can continue from s inside the
	// component without the step that is removed; nil until a component needs it.
	continuations *counters.Counters
	// stuck are the states from which no run can continue; nil until a component needs it.
	stuck bitset.Set[lts.State]
	// lists are two buffers that are used in turn, since each list is made from
	// the previous one.
	lists [2][]lts.State
}

// minSuffixLoop sets every state of a cyclic component to the least m such that a run can stay
// inside the component forever and avoid every label of step n-m; states from which no run can
// avoid any step keep n. The published algorithm sets only the states on such cycles, and spreads
// the value to the states that lead there later. Setting all of them here has the same result, and
// needs no second search for components.
//
// Cost O(n (S + T)) of the component, less if a step has no label inside it: then every run avoids
// that step.
func (x *loopSuffixes) minSuffixLoop(i scc.Component, cs *levels) {
	unset := x.c.States(i)
	x.findStepsInside(unset)
	for m := 0; m < x.n && len(unset) > 0; m++ {
		if !x.present[x.n-m] {
			for _, s := range unset {
				cs.set(s, m)
			}
			return
		}
		unset = x.setAvoiding(unset, m, cs)
	}
}

// setAvoiding sets cs to m for some of the given states: for those from which a run can stay inside
// the component forever without step n-m. All given states must have the value n in cs. It returns
// the other states, in a list that the call after the next one may overwrite.
func (x *loopSuffixes) setAvoiding(states []lts.State, m int, cs *levels) []lts.State {
	if x.stuck == nil {
		abort.On(resources.Ask(x.ctx, int64(x.m.NumStates())/8))
		x.stuck = bitset.New[lts.State](x.m.NumStates())
	}
	if !x.findStuck(states, m) {
		x.findStuckAlongPredecessors(states, m, cs)
	}
	others := x.lists[m%2][:0]
	for _, s := range states {
		if !x.stuck.Has(s) {
			cs.set(s, m)
			continue
		}
		x.stuck.Remove(s)
		if m+1 < x.n {
			others = appendGrowing(others, s, len(states))
		}
	}
	x.lists[m%2] = others
	return others
}

// findStuck puts into stuck the states from which no run can stay inside the component forever without
// step n-m. It makes passes until each remaining state has a transition to a remaining state, and
// then returns true. It returns false if it gives up because passes change too few states.
func (x *loopSuffixes) findStuck(states []lts.State, m int) bool {
	if x.cores > 1 && resources.Spare(x.ctx, int64(x.cores)*int64(x.m.NumStates())/8) {
		return x.findStuckOnCores(states, m)
	}
	b := x.passesThrough(states)
	for b.beginNext() {
		for i := range states {
			x.count(x.examine(b, i, m, x.stuck))
		}
		if b.changed == 0 {
			return true
		}
	}
	return false
}

// examine puts the i-th state of a pass into stuck if no run can continue from it without step n-m. It
// returns the number of transitions that it read.
func (x *loopSuffixes) examine(b *passes, i, m int, stuck bitset.Set[lts.State]) (work int) {
	s := b.inTurn(i)
	if stuck.Has(s) {
		return 0
	}
	const one = 1 // a single transition shows that runs can continue
	continuations, work := x.continuationsOf(s, m, one, stuck)
	isStuck := continuations == 0
	if isStuck {
		stuck.Add(s)
	}
	b.count(isStuck, work)
	return work
}

// continuationsOf counts the transitions from s that stay inside the component, do not do step n-m,
// and lead to states that are not stuck. It stops when the count reaches most. It returns the
// count, and the number of transitions that it read.
func (x *loopSuffixes) continuationsOf(
	s lts.State,
	m int,
	most uint32,
	stuck bitset.Set[lts.State],
) (count uint32, work int) {
	labels, targets := x.m.Out(s)
	leaves := x.c.Leaves(s)
	work = 1
	for j, t := range targets {
		work++
		if !x.p.Does(labels.At(j), x.n-m) && !stuck.Has(t) && (!leaves || x.c.Same(s, t)) {
			count++
			if count == most {
				break
			}
		}
	}
	return count, work
}

// findStuckAlongPredecessors does the same as findStuck, but counts the continuations of each state
// once, and then lowers the counts along predecessor rows: for each state that becomes stuck, it
// lowers the counts of the predecessors. A state without continuations becomes stuck, too.
func (x *loopSuffixes) findStuckAlongPredecessors(states []lts.State, m int, cs *levels) {
	stuck := x.countContinuations(states, m)
	x.findPredecessors()
	for _, s := range stuck {
		x.stuck.Add(s)
	}
	step := x.n - m // a run that stays stuck avoids this step
	for next := 0; next < len(stuck); next++ {
		target := stuck[next]
		labels, sources := x.before.In(target)
		for j, s := range sources {
			if x.stuck.Has(s) || x.p.Does(labels.At(j), step) {
				continue
			}
			isInside := !x.c.Leaves(s) || x.c.Same(s, target)
			isUnset := cs.at(s) == x.n
			if isInside && isUnset && x.continuations.Remove(uint32(s)) {
				x.stuck.Add(s)
				stuck = appendGrowing(stuck, s, len(states))
			}
		}
		x.count(1 + labels.Len())
	}
	x.lists[m%2] = stuck
}

// countContinuations counts, for the states that are not stuck yet, the transitions by which runs
// can continue without step n-m. It returns the states that are stuck now.
func (x *loopSuffixes) countContinuations(states []lts.State, m int) []lts.State {
	if x.continuations == nil {
		x.continuations = abort.Must(counters.New(x.ctx, x.m.NumStates()))
	}
	stuck := x.lists[m%2][:0]
	for _, s := range states {
		if x.stuck.Has(s) {
			continue
		}
		count, work := x.continuationsOf(s, m, math.MaxUint32, x.stuck)
		x.continuations.Set(uint32(s), count)
		if count == 0 {
			stuck = appendGrowing(stuck, s, len(states))
		}
		x.count(work)
	}
	abort.On(x.continuations.Err())
	return stuck
}

// appendGrowing appends a state to a list; most bounds the final length of the list. The list grows
// fourfold, so that the memory that it leaves behind is at most a third of its own.
func appendGrowing(list []lts.State, s lts.State, most int) []lts.State {
	if len(list) == cap(list) {
		room := min(most, max(64, 4*len(list)))
		list = append(make([]lts.State, 0, room), list...)
	}
	return append(list, s)
}

// worthPasses limits slow passes, those that change more than a quarter of the number of states
// that the pass before changed. When slow passes have read all transitions of a component
// worthPasses times, building predecessor rows is cheaper.
const worthPasses = 4

// passes go through the states of a component repeatedly, alternately from the last state and from
// the first. So one pass propagates all changes along paths on which the numbers of states fall, or
// rise. Most models need few passes, which read rows in their order.
type passes struct {
	states []lts.State
	up     bool // whether the current pass begins with the first state
	// budget is the number of states and transitions that slow passes may still read, see worthPasses.
	budget int
	// read counts the states and transitions that the current pass has read, changed the states
	// that it has changed, and changedBefore the states that the previous pass changed.
	read, changed, changedBefore int
}

// passesThrough returns passes through a component.
func (x *pass) passesThrough(states []lts.State) *passes {
	readForEach := 1 + x.m.NumTransitions()/x.m.NumStates() // the state, and its transitions on average
	return &passes{
		states:  states,
		up:      true,
		budget:  x.worthPasses * readForEach * len(states),
		changed: len(states),
	}
}

// beginNext ends the current pass, if any, and begins the next one. It reports whether that pass is
// worth its time.
func (b *passes) beginNext() bool {
	isSlow := 4*b.changed > b.changedBefore
	if isSlow {
		b.budget -= b.read
	}
	b.changedBefore = b.changed
	b.changed = 0
	b.read = 0
	b.up = !b.up
	return b.budget > 0
}

// inTurn returns the i-th state of a pass.
func (b *passes) inTurn(i int) lts.State {
	if !b.up {
		i = len(b.states) - 1 - i
	}
	return b.states[i]
}

// count records a state that a pass has examined.
func (b *passes) count(changed bool, work int) {
	b.read += work
	if changed {
		b.changed++
	}
}

const (
	// mostCores limits the memory: each goroutine needs some of its own.
	mostCores = 4
	// fewOnOneCore is the number of states of a component up to which passes
	// through it are not shared.
	fewOnOneCore = 1 << 17
)

// between returns the part of an ascending list of states that lies in [first,
// end).
func between(states []lts.State, first, end lts.State) []lts.State {
	from, _ := slices.BinarySearch(states, first)
	to, _ := slices.BinarySearch(states, end)
	return states[from:to]
}

// share is the part of a pass that one goroutine does: it changes states of its
// range. It sees its own changes at once, and those of the others after the pass.
type share struct {
	stuck bitset.Set[lts.State]
	pass  passes // the current pass, through the states of the range
	// The goroutine changes the words stuck[firstWord:endWord].
	firstWord, endWord int
}

// findStuckOnCores does what [loopSuffixes.findStuck] does; several goroutines share each pass.
func (x *loopSuffixes) findStuckOnCores(states []lts.State, m int) bool {
	shares := make([]share, x.cores)
	b := x.passesThrough(states)
	examineShare := func(core int, first, end lts.State) error {
		own := &shares[core]
		if own.stuck == nil {
			own.stuck = bitset.New[lts.State](x.m.NumStates())
			own.firstWord = int(first) / 64
			own.endWord = bitset.Words(int(end))
		}
		copy(own.stuck, x.stuck)
		own.pass = passes{states: between(states, first, end), up: b.up}
		for i := range own.pass.states {
			if err := cores.Done(x.ctx, i); err != nil {
				return err
			}
			x.examine(&own.pass, i, m, own.stuck)
		}
		return nil
	}
	for b.beginNext() {
		abort.On(cores.TryInRanges(x.cores, x.m.NumStates(), examineShare))
		for i := range shares {
			part := &shares[i]
			copy(x.stuck[part.firstWord:part.endWord], part.stuck[part.firstWord:part.endWord])
			b.changed += part.pass.changed
			b.read += part.pass.read
		}
		x.count(b.read)
		if b.changed == 0 {
			return true
		}
	}
	return false
}

// Queue is the order of states in the passes for common prefixes and suffixes:
// "heap", "buckets", or "" to choose by the size of the model. The results do not
// depend on it.
//
// The heap is the binary one of container/heap, O(log S) an operation; with it the
// passes are Algorithms 1 and 2 of SEFM'18 as they are printed, component by
// component in the order of depth. It is chosen up to 8,192 states and 65,536
// transitions, where gonum finds the components, too. Buckets are a monotone
// priority queue of one bucket a key (R. B. Dial, Algorithm 360: Shortest-path
// forest with topological ordering, CACM 12, 1969), O(1) an operation, for larger
// models.
type Queue string

const (
	byBuckets Queue = "buckets"
	byHeap    Queue = "heap"
)

// automatic is the name of the queue that is chosen by the size of the model.
const automatic = "auto"

// Set sets the queue by its name: auto, buckets or heap.
func (q *Queue) Set(name string) error {
	queue := Queue(name)
	switch queue {
	case automatic:
		*q = ""
		return nil
	case byBuckets, byHeap:
		*q = queue
		return nil
	}
	return fmt.Errorf("there is no queue %q; choose auto, buckets or heap", name)
}

func (q Queue) String() string { return cmp.Or(string(q), automatic) }

// chosenFor returns the queue that is used for a model: q itself or, if q leaves the choice open, the
// one that suits the model's size.
func (q Queue) chosenFor(m *lts.LTS) Queue {
	switch {
	case q != "":
		return q
	case m.NumStates() <= footprint.GonumStates &&
		m.NumTransitions() <= footprint.GonumTransitions:
		return byHeap
	}
	return byBuckets
}

func newBuckets(n, states int) *bucketQueue {
	return &bucketQueue{
		buckets: make([]bucket, n+1),
		lowest:  n + 1,
		states:  states,
		large:   states / inLargeBucket,
	}
}

// bucketQueue is the sorted set Q of SEFM'18, Algorithm 1: it returns states by ascending key. A
// state may be pushed again with a smaller key (the algorithm's UPDATEPOSITION); its older entries
// are then returned later, and the caller skips them. An emptied queue may be used again.
//
// There is one bucket for each key. Keys are small and, once popping has begun, a pushed key
// exceeds the key popped last by 0 or 1. So only two buckets are in use at any time, besides those
// of the keys with which a component starts.
//
// States are returned in rounds: a round has the states that were pushed with the key before the
// round began. These states do not depend on each other, so the processor can read their rows in
// parallel. A large round is returned in ascending order, so that its rows are read one after the
// other.
type bucketQueue struct {
	buckets []bucket
	lowest  int // apart from the round, no bucket below lowest holds a state
	live    int // the number of buckets that hold states, without the round

	round bucket
	at    int // the next state of the round in its list, or the next word of its set

	states int                     // the number of states of the model
	large  int                     // a bucket with more states than this is a set
	free   []bitset.Set[lts.State] // empty sets
}

// bucket holds states in a list or, if there are many, in a set, which then is
// not nil.
type bucket struct {
	list pagedlist.List[lts.State]
	set  bitset.Set[lts.State]
}

// inLargeBucket decides which buckets are large: those with more than 1/inLargeBucket of all
// states. For a large bucket, a set takes less memory than a list, and scanning the set takes less
// time than reading the rows of its states.
const inLargeBucket = 256

// push adds a state with a key.
func (q *bucketQueue) push(s lts.State, key int) {
	b := &q.buckets[key]
	if b.set != nil {
		b.set.Add(s)
		return
	}
	if b.list.Len() == 0 {
		q.lowest = min(q.lowest, key)
		q.live++
	}
	b.list.Append(s)
	if b.list.Len() > q.large {
		q.moveToSet(b)
	}
}

// moveToSet moves the states of a bucket from its list into a set.
func (q *bucketQueue) moveToSet(b *bucket) {
	last := len(q.free) - 1
	if last >= 0 {
		b.set = q.free[last]
		q.free = q.free[:last]
	} else {
		b.set = bitset.New[lts.State](q.states)
	}
	for i := range b.list.Len() {
		b.set.Add(*b.list.At(i))
	}
	b.list.Truncate(0)
}

// pop removes a state with the smallest key, and returns both; false if the queue is empty.
func (q *bucketQueue) pop() (s lts.State, key int, ok bool) {
	for {
		if q.at < q.round.list.Len() {
			q.at++
			return *q.round.list.At(q.at - 1), q.lowest, true
		}
		for ; q.at < len(q.round.set); q.at++ {
			word := q.round.set[q.at]
			if word != 0 {
				q.round.set[q.at] = word & (word - 1)
				return lts.State(q.at*64 + bits.TrailingZeros64(word)), q.lowest, true
			}
		}
		if !q.nextRound() {
			return 0, 0, false
		}
	}
}

// nextRound makes the lowest bucket with states the round; false if no bucket has any.
func (q *bucketQueue) nextRound() bool {
	if q.round.set != nil {
		q.free = append(q.free, q.round.set)
		q.round.set = nil
	}
	q.round.list.Truncate(0)
	if q.live == 0 {
		q.lowest = len(q.buckets)
		return false
	}
	for q.buckets[q.lowest].list.Len() == 0 && q.buckets[q.lowest].set == nil {
		q.lowest++
	}
	q.round, q.buckets[q.lowest] = q.buckets[q.lowest], q.round
	q.at = 0
	q.live--
	return true
}

// levels holds one number 0..n for every state, in the smallest integer that
// fits n.
type levels struct {
	narrow []uint8
	wide   []uint16
}

// newLevels returns levels for a number of states, all with the value start.
// MaxSteps of package property keeps n below 1<<16.
func newLevels(states, n, start int) levels {
	if n > math.MaxUint8 {
		return levels{wide: slices.Repeat([]uint16{uint16(start)}, states)}
	}
	return levels{narrow: slices.Repeat([]uint8{uint8(start)}, states)}
}

func (l *levels) at(s lts.State) int {
	if l.narrow != nil {
		return int(l.narrow[s])
	}
	return int(l.wide[s])
}

func (l *levels) set(s lts.State, value int) {
	if l.narrow != nil {
		l.narrow[s] = uint8(value)
		return
	}
	l.wide[s] = uint16(value)
}

// lower sets the level of s to value if value is smaller, and reports whether it was.
func (l *levels) lower(s lts.State, value int) bool {
	if value >= l.at(s) {
		return false
	}
	l.set(s, value)
	return true
}

// sortedSet is the set Q of SEFM'18, Algorithm 1: a binary heap of states by
// their values that knows the position of each state, so that UPDATEPOSITION
// costs O(log S).
type sortedSet struct {
	states   []lts.State
	position []uint32 // the position of each state in states, if the state is there
	value    *levels
}

func (q *sortedSet) Len() int { return len(q.states) }
func (q *sortedSet) Less(i, j int) bool {
	return q.value.at(q.states[i]) < q.value.at(q.states[j])
}

func (q *sortedSet) Swap(i, j int) {
	q.states[i], q.states[j] = q.states[j], q.states[i]
	q.position[q.states[i]] = uint32(i)
	q.position[q.states[j]] = uint32(j)
}

func (q *sortedSet) Push(s any) {
	q.position[s.(lts.State)] = uint32(len(q.states))
	q.states = append(q.states, s.(lts.State))
}

func (q *sortedSet) Pop() any {
	last := q.states[len(q.states)-1]
	q.states = q.states[:len(q.states)-1]
	return last
}

// fill puts states into the set.
func (q *sortedSet) fill(states []lts.State) {
	q.states = append(q.states[:0], states...)
	for i, s := range states {
		q.position[s] = uint32(i)
	}
	heap.Init(q)
}

// lower gives a state a smaller value, and restores the heap. The state is in the set: states that
// have left it have final values.
func (q *sortedSet) lower(s lts.State, value int) {
	if q.value.lower(s, value) {
		heap.Fix(q, int(q.position[s]))
	}
}

func (x *pass) newSortedSet(value *levels) *sortedSet {
	abort.On(resources.Ask(x.ctx, 8*int64(x.m.NumStates())))
	return &sortedSet{position: make([]uint32, x.m.NumStates()), value: value}
}

// printedPrefixes is SEFM'18, Algorithm 1, line by line, for the components by increasing depth.
// Cost O(T + S log S).
func (x *pass) printedPrefixes() levels {
	cp := newLevels(x.m.NumStates(), x.n, x.n)
	q := x.newSortedSet(&cp)
	x.findPredecessors()
	for i := range x.c.Len() {
		states := x.c.States(scc.Component(i))
		for _, s := range states {
			if s == x.m.Initial() {
				cp.set(s, 0)
				continue
			}
			labels, sources := x.before.In(s)
			for j, from := range sources {
				_, reached := x.c.Of(from)
				if reached && !x.c.Same(from, s) {
					cp.lower(s, x.p.Advance(cp.at(from), labels.At(j)))
				}
			}
		}
		x.spreadPrinted(q, states, x.m.Out, x.p.Advance)
	}
	return cp
}

// printedSuffixes is SEFM'18, Algorithm 2, followed by lines 8 to 13 of Algorithm 1 against the
// direction of transitions, for the components by decreasing depth. Cost O(n (S + T) + S log S).
func (x *pass) printedSuffixes() levels {
	cs := newLevels(x.m.NumStates(), x.n, x.n)
	minSuffixLoop := x.minSuffixLoop()
	q := x.newSortedSet(&cs)
	x.findPredecessors()
	for i := x.c.Len() - 1; i >= 0; i-- {
		states := x.c.States(scc.Component(i))
		if x.c.IsCyclic(scc.Component(i)) {
			minSuffixLoop(scc.Component(i), &cs)
		}
		for _, s := range states {
			x.count(x.lowerByLeaving(s, &cs))
		}
		x.spreadPrinted(q, states, x.before.In, x.p.AdvanceSuffix)
	}
	return cs
}

// spreadPrinted is SEFM'18, Algorithm 1, lines 8 to 13, within a component, along rows of
// transitions or of predecessors.
func (x *pass) spreadPrinted(
	q *sortedSet,
	states []lts.State,
	row func(lts.State) (lts.Labels, []lts.State),
	advance func(value int, l lts.Label) int,
) {
	q.fill(states)
	for q.Len() > 0 {
		s := heap.Pop(q).(lts.State)
		labels, others := row(s)
		for j, other := range others {
			_, reached := x.c.Of(other)
			if reached && x.c.Same(s, other) {
				q.lower(other, advance(q.value.at(s), labels.At(j)))
			}
		}
		x.count(1 + labels.Len())
	}
}
