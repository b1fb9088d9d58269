package counterexample

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property"
)

// loops searches for the loops of one pair: closed walks in the product without the colours
// that must not recur and with all that must.
//
// Let w be the first state, in the order of their numbers, at which a shortest run begins its
// loop. No state of the loop comes before w, for the loop could begin there; so no search goes
// through states before the one from which it began, and the last transition of the loop makes
// w a head: it leads to w from a state that is no nearer.
type loops struct {
	*general
	part []uint32
	pair property.Pair
	// bitOf[c] is the bit for colour c in the sets of colours met.
	bitOf [property.Colours]uint32
	bits  int
	full  uint32
	// met[s<<bits|set] is the number of the search that came to s with that set.
	met    []uint32
	search uint32
	queue  paged.List[onLoop]

	// heads are those from which loops have to be looked for: the states before done, and
	// states of a run of more than bound transitions, do not matter any more.
	heads bitset.Set[lts.State]
	done  lts.State
	bound int
	// excluded are the lengths of which no run is left: up to it.
	excluded int

	strategies strategies
	work       int // transitions and states looked at
	sieve      *loopSieve
	together   *loopsTogether
	// sifted is the work when states were sifted; looked is how much more the searches may
	// cost before that is done again, or they are made from many heads at once.
	sifted, looked int
	// tried reports whether loops through the states of a colour have been looked for since then.
	tried bool
}

// onLoop is a state met on the way round, with the colours met by then.
type onLoop struct {
	state lts.State
	set   uint32
	// before is the number of the one before it, label that of the transition.
	before uint32
	label  lts.Label
	length uint32
}

// pair looks for a shorter run that violates the property by a pair, the i-th one.
func (g *general) pair(i int, p property.Pair) error {
	if g.levels != nil {
		if some, err := g.enter(i, p); err != nil || !some {
			return err
		}
	}
	part, parts, err := g.u.Recurring(g.ctx, g.c, p.Fin, p.Inf, nil)
	if err != nil || parts == 0 {
		return err
	}
	g.violated = true
	x := &loops{general: g, part: part, pair: p, bound: infinite, looked: g.patience}
	x.number()
	if err := resources.AskFor[uint32](g.ctx, g.m.NumStates()<<x.bits); err != nil {
		return err
	}
	x.met = make([]uint32, g.m.NumStates()<<x.bits)
	if p.Inf.Len() > mostDemands {
		return x.tours()
	}
	err = x.run()
	g.did.work += x.work
	return err
}

// number gives the demanded colours their bits, unless there are too many.
func (x *loops) number() {
	if x.pair.Inf.Len() > mostDemands {
		return
	}
	for c := range property.Colours {
		if x.pair.Inf.Has(c) {
			x.bitOf[c] = 1 << x.bits
			x.bits++
		}
	}
	x.full = 1<<x.bits - 1
}

// colours returns the bits of the demanded colours among these.
func (x *loops) colours(m property.Marks) uint32 {
	var set uint32
	for m &= x.pair.Inf; m != 0; m &= m - 1 {
		set |= x.bitOf[bits.TrailingZeros64(uint64(m))]
	}
	return set
}

// run looks for loops from all heads, in their order and, where that becomes dear, within a
// bound that rises.
func (x *loops) run() error {
	if err := x.findHeads(); err != nil {
		return err
	}
	x.strategies = strategies{byColour{x}, byLoopSieve{x}, byLoopsTogether{x}}
	for {
		known, err := x.round()
		if err != nil || known || x.stopped || x.bound >= x.best-1 {
			return err
		}
		x.excluded = x.bound
		x.did.rounds++
		if some, err := x.sieve.narrow(true); err != nil || !some {
			return err
		}
	}
}

// findHeads finds the states with a transition from one of their part that is no nearer.
func (x *loops) findHeads() error {
	n := x.m.NumStates()
	if err := resources.Ask(x.ctx, int64(n)/8); err != nil {
		return err
	}
	x.heads = bitset.New[lts.State](n)
	for u := range lts.State(n) {
		if u&(1<<14-1) == 0 && x.ctx.Err() != nil {
			return x.ctx.Err()
		}
		if int(x.distance[u])+1 >= x.best {
			break
		}
		if x.part[u] == 0 {
			continue
		}
		labels, targets := x.m.Out(u)
		for i, t := range targets {
			if x.part[t] == x.part[u] && x.distance[u] >= x.distance[t] && x.takes(u, labels.At(i)) {
				x.heads.Add(t)
			}
		}
	}
	return nil
}

// takes reports whether loops may take a transition.
func (x *loops) takes(from lts.State, l lts.Label) bool { return x.u.Marks(from, l)&x.pair.Fin == 0 }

// most is the number of transitions that a run may have which is of interest.
func (x *loops) most() int { return min(x.bound, x.best-1) }

// round looks for loops of runs within the bound. It reports whether all is known.
func (x *loops) round() (known bool, err error) {
	for s := range x.heads.From(x.done) {
		if int(x.distance[s])+1 > x.most() || x.stopped {
			return false, nil
		}
		if !x.heads.Has(s) {
			continue // what was taken has left it out
		}
		at := beginning{node: int(s), distance: int(x.distance[s]), state: s, most: x.most()}
		next, err := x.strategies.escalate(at)
		if err != nil || next == allKnown {
			return true, err
		}
		if !x.heads.Has(s) {
			continue
		}
		at.most = x.most()
		skips, err := x.strategies.skip(at)
		if err == nil && !skips {
			err = x.from(s)
		}
		if err != nil {
			return false, err
		}
		if x.bound == infinite {
			x.done = s + 1
		}
	}
	return false, nil
}

// visit counts a state that is looked at, and its transitions.
func (x *loops) visit(transitions int) error {
	x.work += transitions + 1
	x.visits++
	if x.limit > 0 && x.visits > x.limit && x.best != infinite {
		x.stopped = true
	}
	if x.visits&(1<<12-1) == 0 {
		return x.ctx.Err()
	}
	return nil
}

// from looks for a loop through a state that makes a shorter run than the best one.
func (x *loops) from(s lts.State) error {
	part, most := x.part, x.most()
	if x.sieve != nil {
		part = x.sieve.left
	}
	x.search++
	x.queue.Truncate(0)
	x.queue.Append(onLoop{state: s})
	for next := 0; next < x.queue.Len(); next++ {
		at := *x.queue.At(next)
		if int(x.distance[s])+int(at.length)+1 > most {
			return nil
		}
		labels, targets := x.m.Out(at.state)
		if err := x.visit(len(targets)); err != nil || x.stopped {
			return err
		}
		for i, t := range targets {
			if t < s || part[t] != part[s] {
				continue
			}
			marks := x.u.Marks(at.state, labels.At(i))
			if marks&x.pair.Fin != 0 {
				continue
			}
			set := at.set | x.colours(marks)
			if t == s && set == x.full {
				x.take(s, next, labels.At(i))
				return nil
			}
			if mark := &x.met[int(t)<<x.bits|int(set)]; *mark != x.search {
				*mark = x.search
				x.queue.Append(onLoop{t, set, uint32(next), labels.At(i), at.length + 1})
			}
		}
	}
	return nil
}

// take makes the best run of the loop from s that ends with a transition from the
// queue's member last.
func (x *loops) take(s lts.State, last int, label lts.Label) {
	steps := append(x.way(last), lts.Transition{From: x.queue.At(last).state, Label: label, To: s})
	x.better(s, steps)
}

func (x *loops) better(s lts.State, steps []lts.Transition) {
	if length := int(x.distance[s]) + len(steps); length < x.best {
		x.best, x.entry, x.loop = length, x.u.Place(s), x.inModel(steps)
		x.found++
	}
}

// way returns the transitions by which the queue's member last was come to.
func (x *loops) way(last int) []lts.Transition {
	var steps []lts.Transition
	for at := x.queue.At(last); at.length > 0; at = x.queue.At(int(at.before)) {
		steps = append(steps, lts.Transition{From: x.queue.At(int(at.before)).state, Label: at.label, To: at.state})
	}
	slices.Reverse(steps)
	return steps
}

// tours makes one loop for each part, through its nearest state: there are too many colours
// to be met for a shortest one.
func (x *loops) tours() error {
	toured := make(map[uint32]bool)
	for s := range lts.State(x.m.NumStates()) {
		if x.part[s] == 0 || toured[x.part[s]] {
			continue
		}
		if int(x.distance[s])+1 >= x.best || x.stopped {
			return nil
		}
		toured[x.part[s]] = true
		if err := x.tour(s); err != nil {
			return err
		}
	}
	return nil
}

// tour makes a loop through s that goes from there to the nearest transition with a
// demanded colour that is still missing, on from there to the next one, and back.
func (x *loops) tour(s lts.State) error {
	var steps []lts.Transition
	at, missing := s, x.pair.Inf
	for missing != 0 || at != s {
		wanted := func(t lts.Transition, marks property.Marks) bool { return marks&missing != 0 }
		if missing == 0 {
			wanted = func(t lts.Transition, _ property.Marks) bool { return t.To == s }
		}
		more, err := x.nearest(at, wanted)
		if err != nil {
			return err
		}
		for _, t := range more {
			missing &^= x.u.Marks(t.From, t.Label)
		}
		steps = append(steps, more...)
		at = steps[len(steps)-1].To
	}
	x.better(s, steps)
	return nil
}

// nearest returns a shortest way from s to and with a transition of its part that is
// wanted. There is one.
func (x *loops) nearest(s lts.State, wanted func(lts.Transition, property.Marks) bool) ([]lts.Transition, error) {
	x.search++
	x.queue.Truncate(0)
	x.queue.Append(onLoop{state: s})
	x.met[s] = x.search
	for next := 0; next < x.queue.Len(); next++ {
		at := *x.queue.At(next)
		labels, targets := x.m.Out(at.state)
		if x.visits++; x.visits&(1<<12-1) == 0 && x.ctx.Err() != nil {
			return nil, x.ctx.Err()
		}
		for i, t := range targets {
			marks := x.u.Marks(at.state, labels.At(i))
			if x.part[t] != x.part[s] || marks&x.pair.Fin != 0 {
				continue
			}
			step := lts.Transition{From: at.state, Label: labels.At(i), To: t}
			if wanted(step, marks) {
				return append(x.way(next), step), nil
			}
			if x.met[t] != x.search {
				x.met[t] = x.search
				x.queue.Append(onLoop{t, 0, uint32(next), labels.At(i), at.length + 1})
			}
		}
	}
	return nil, fmt.Errorf("counterexample: a loop does not close, please report it")
}
