package enrich

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

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
