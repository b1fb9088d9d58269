package enrich

import (
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

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
