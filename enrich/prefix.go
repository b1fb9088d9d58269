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
	// fairness and admitted are those of [Enriched]; they concern suffixes only.
	fairness *property.Fairness
	admitted []bool
	// present reports for each step 1..n whether the component for which
	// stepsInside was called last does it; inside is the number of this call, and
	// seen[l] the number of the last call that met label l.
	present []bool
	inside  uint32
	seen    []uint32
	// before holds the predecessor rows, nil until a pass needs them.
	before *lts.Predecessors
	// worthPasses is the constant of the package; tests set others, which change
	// nothing in the results.
	worthPasses int
	// cores is how many goroutines share a pass through a component with more
	// than fewOnOneCore states; both change nothing in the results.
	cores, fewOnOneCore int
}

func newPass(ctx context.Context, c *scc.Components, p *property.Chain) *pass {
	x := passOf(ctx, c.LTS(), p)
	x.c = c
	return x
}

// passOf returns a pass that needs no components.
func passOf(ctx context.Context, m *lts.LTS, p *property.Chain) *pass {
	return &pass{ctx: ctx, m: m, p: p, n: p.Len(), queue: newBuckets(p.Len(), m.NumStates()), worthPasses: worthPasses, cores: cores.For(m.NumTransitions(), mostCores), fewOnOneCore: fewOnOneCore}
}

// count counts work, and checks the context at intervals.
func (x *pass) count(work int) {
	if x.work += work; x.work >= 1<<16 {
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

// stepsInside finds out for each step 1..n whether a transition inside the
// component does it. Cost O(T of the component + labels in it · n).
func (x *pass) stepsInside(states []lts.State) {
	if x.seen == nil {
		x.present, x.seen = make([]bool, x.n+1), make([]uint32, x.m.Alphabet().Len())
	}
	clear(x.present)
	x.inside++
	missing := x.n
	for _, s := range states {
		labels, targets := x.m.Out(s)
		for i := range labels.Len() {
			l := labels.At(i)
			if !x.p.Concerns(l) || x.seen[l] == x.inside || x.c.Leaves(s) && !x.c.Same(s, targets[i]) {
				continue
			}
			x.seen[l] = x.inside
			for step := 1; step <= x.n; step++ {
				if x.p.Does(l, step) && !x.present[step] {
					x.present[step] = true
					missing--
				}
			}
		}
		if x.count(1 + labels.Len()); missing == 0 {
			return
		}
	}
}

// maxPrefixes: SEFM'18, section 3.2, "Max Prefix Calculation". All states of a
// component have the same value, since a trace can go round in the component: the
// largest value that enters the component, extended by the steps inside it.
func (x *pass) maxPrefixes() levels {
	mp := newLevels(x.m.NumStates(), x.n, 0)
	for i := range x.c.Len() {
		states, cyclic := x.c.States(scc.Component(i)), x.c.IsCyclic(scc.Component(i))
		if cyclic {
			value := 0
			for _, s := range states {
				value = max(value, mp.at(s))
			}
			x.stepsInside(states)
			for value < x.n && x.present[value+1] {
				value++
			}
			for _, s := range states {
				mp.set(s, value)
			}
		}
		for _, s := range states {
			if cyclic && !x.c.Leaves(s) {
				continue // its targets have the value already
			}
			labels, targets := x.m.Out(s)
			value := mp.at(s)
			for j, t := range targets {
				mp.raise(t, x.p.Advance(value, labels.At(j)))
			}
			x.count(1 + labels.Len())
		}
	}
	return mp
}

// commonPrefixes: SEFM'18, Algorithm 1, lines 8 to 13, for all components at
// once. The queue returns states by ascending prefix, and each prefix is final
// when its state is returned, so that the order of components does not matter
// ([pass.printedPrefixes] keeps it). States with value n need not be in the
// queue: they lower no other value.
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
		x.count(1 + labels.Len())
	}
}
