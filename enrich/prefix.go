package enrich

import (
	"context"

	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// pass is what the four passes over the components share.
type pass struct {
	ctx   context.Context
	m     *lts.LTS
	c     *scc.Components
	p     *property.Chain
	n     int
	queue *bucketQueue
	err   error
	work  int
	meter *progress.Meter
	// fairness and admitted are those of [Enriched]; they concern suffixes only.
	fairness *property.Fairness
	admitted []bool
	// inside is the number of the component the steps inside which were looked for last.
	inside uint32
	// before holds the predecessor rows, nil until a pass asks for them.
	before *lts.Predecessors
	// worthPasses is that of the package; another number changes nothing in the results.
	worthPasses int
	// cores is how many goroutines share passes through a component, of more than fewOnOneCore states
	// where a pass is short; they change nothing either.
	cores, fewOnOneCore int
}

func newPass(ctx context.Context, c *scc.Components, p *property.Chain) *pass {
	x := passOf(ctx, c.LTS(), p)
	x.c = c
	return x
}

// passOf returns a pass that asks for no components.
func passOf(ctx context.Context, m *lts.LTS, p *property.Chain) *pass {
	return &pass{ctx: ctx, m: m, p: p, n: p.Len(), queue: newBuckets(p.Len(), m.NumStates()), worthPasses: worthPasses, cores: cores.For(m.NumTransitions(), mostCores), fewOnOneCore: fewOnOneCore}
}

// stopped counts work and looks at the context now and then. A pass that it
// stops leaves err behind, and values that must not be used.
func (x *pass) stopped(work int) bool {
	x.work += work
	if x.work >= 1<<16 {
		x.meter.Add(int64(x.work))
		x.work = 0
		if x.err == nil {
			x.err = x.ctx.Err()
		}
	}
	return x.err != nil
}

// findPredecessors sees to the predecessor rows, and reports whether they are there.
func (x *pass) findPredecessors() bool {
	if x.before == nil && x.err == nil {
		if x.err = x.m.FindPredecessors(x.ctx); x.err == nil {
			x.before = x.m.Predecessors()
		}
	}
	return x.err == nil
}

// stepsInside tells for each step 1..n whether a transition inside the
// component does it. Cost O(T of the component + labels in it · n).
func (x *pass) stepsInside(states []lts.State, present []bool, seen []uint32) {
	clear(present)
	x.inside++
	missing := x.n
	for _, s := range states {
		labels, targets := x.m.Out(s)
		for i := range labels.Len() {
			l := labels.At(i)
			if !x.p.Concerns(l) || seen[l] == x.inside || x.c.Leaves(s) && !x.c.Same(s, targets[i]) {
				continue
			}
			seen[l] = x.inside
			for step := 1; step <= x.n; step++ {
				if x.p.Does(l, step) && !present[step] {
					present[step] = true
					missing--
				}
			}
		}
		if x.stopped(1+labels.Len()) || missing == 0 {
			return
		}
	}
}

// maxPrefixes: SEFM'18, section 3.2, "Max Prefix Calculation". The largest value
// that enters a component, extended by the steps inside it, is that of all its
// states, for a trace can go round until it has met them.
func (x *pass) maxPrefixes() levels {
	mp := newLevels(x.m.NumStates(), x.n, 0)
	present, seen := make([]bool, x.n+1), make([]uint32, x.m.Alphabet().Len())
	for i := range x.c.Len() {
		states, cyclic := x.c.States(scc.Component(i)), x.c.IsCyclic(scc.Component(i))
		if cyclic {
			value := 0
			for _, s := range states {
				value = max(value, mp.at(s))
			}
			x.stepsInside(states, present, seen)
			for value < x.n && present[value+1] {
				value++
			}
			for _, s := range states {
				mp.set(s, value)
			}
		}
		for _, s := range states {
			if cyclic && !x.c.Leaves(s) {
				continue // what it leads to has the value already
			}
			labels, targets := x.m.Out(s)
			value := mp.at(s)
			for j, t := range targets {
				mp.raise(t, x.p.Advance(value, labels.At(j)))
			}
			if x.stopped(1 + labels.Len()) {
				return mp
			}
		}
	}
	return mp
}

// commonPrefixes: SEFM'18, Algorithm 1, lines 8 to 13, for all components at once:
// the queue hands states out by ascending prefix, and whatever it hands out is
// final, so that the order of components adds nothing ([pass.printedPrefixes] keeps it). States that keep n need
// not be in it: nothing that they pass on is smaller.
func (x *pass) commonPrefixes() levels {
	cp := newLevels(x.m.NumStates(), x.n, x.n)
	cp.set(x.m.Initial(), 0)
	x.queue.push(x.m.Initial(), 0)
	for {
		s, key, ok := x.queue.pop()
		if !ok {
			return cp
		}
		if key > cp.at(s) {
			continue
		}
		labels, targets := x.m.Out(s)
		for j, t := range targets {
			if value := x.p.Advance(key, labels.At(j)); cp.lower(t, value) {
				x.queue.push(t, value)
			}
		}
		if x.stopped(1 + labels.Len()) {
			return cp
		}
	}
}
