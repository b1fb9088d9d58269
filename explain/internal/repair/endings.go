package repair

import (
	"context"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// Conditions with more cases, or that ask for more things to recur, have no nearest run.
const (
	mostCases     = 16
	mostRecurring = 6
)

// endings are the ways in which runs of the unfolded model satisfy a property other than
// inevitability.
type endings struct {
	// sure are the places from which every run does.
	sure bitset.Set[lts.State]
	// cases are the ways in which a run that goes on for ever does.
	cases []goodCase
	loops map[lts.State][]lts.Transition // found so far; nil if there is none
}

// goodCase is one way in which infinite runs are accepted.
type goodCase struct {
	pair property.Pair
	// part[s] is the number, from 1, of the part in which place s is that a run can stay in
	// for ever and be accepted; 0 if it is in none.
	part []uint32
}

// ending is how a correct run goes on from a node of the search, or the best known one.
type ending struct {
	at    *int
	edits int // in all
	loop  []lts.Transition
	ends  bool
}

// findEndings finds the endings of runs that take nothing forbidden; nil if there are too
// many cases.
func (x *nearest) findEndings(ctx context.Context) (*endings, error) {
	good := x.condition.good
	e := &endings{sure: bitset.New[lts.State](x.m.NumStates()), loops: map[lts.State][]lts.Transition{}}
	if len(good) > mostCases {
		return nil, nil
	}
	for _, p := range good {
		if p.Inf.Len() > mostRecurring {
			return nil, nil
		}
		c, err := x.goodParts(ctx, p)
		if err != nil {
			return nil, err
		}
		e.cases = append(e.cases, c)
	}
	return e, x.findSure(ctx, e)
}

// goodParts finds the parts in which a run can stay for ever and be accepted by a pair.
func (x *nearest) goodParts(ctx context.Context, p property.Pair) (goodCase, error) {
	c := goodCase{p, make([]uint32, x.m.NumStates())}
	count := uint32(0)
	err := scc.Within(ctx, x.m, func(s lts.State, l lts.Label, to lts.State) bool { return x.mayAvoiding(p, s, l, to) }, func(states []lts.State) {
		count++
		for _, s := range states {
			c.part[s] = count
		}
		met, some := property.Marks(0), false
		for _, s := range states {
			labels, targets := x.m.Out(s)
			for i, to := range targets {
				if c.part[to] == count && x.mayAvoiding(p, s, labels.At(i), to) {
					met |= x.unfolding.Marks(s, labels.At(i))
					some = true
				}
			}
		}
		if !some || p.Inf&^met != 0 {
			for _, s := range states {
				c.part[s] = 0
			}
		}
	})
	return c, err
}

// mayAvoiding reports whether the correct run may take a transition for ever which is to be
// accepted by a pair.
func (x *nearest) mayAvoiding(p property.Pair, s lts.State, l lts.Label, to lts.State) bool {
	return x.unfolding.Marks(s, l)&p.Fin == 0 && x.may(s, l, to)
}

// findSure finds the places from which no run of the model violates the property.
func (x *nearest) findSure(ctx context.Context, e *endings) error {
	components, err := scc.Find(ctx, x.m, "")
	if err != nil {
		return err
	}
	violating, err := x.unfolding.Accepting(ctx, components, x.condition.accept.Not())
	if err != nil {
		return err
	}
	doubtful := bitset.New[lts.State](x.m.NumStates())
	var queue []lts.State
	for s := range lts.State(x.m.NumStates()) {
		c, _ := components.Of(s)
		if violating[c] || x.m.IsDeadlock(s) && !x.accepts(s) {
			doubtful.Add(s)
			queue = append(queue, s)
		}
	}
	for next := 0; next < len(queue); next++ {
		_, sources := x.m.Predecessors().In(queue[next])
		for _, from := range sources {
			if !doubtful.Has(from) {
				doubtful.Add(from)
				queue = append(queue, from)
			}
		}
	}
	for s := range lts.State(x.m.NumStates()) {
		if !doubtful.Has(s) {
			e.sure.Add(s)
		}
	}
	return nil
}

// findHope finds the places from which a run leads, by what it may take, to where it is correct
// or can stay and be so: the search need not look at others, and has nothing to look for if the
// initial place is none of them.
func (x *nearest) findHope(ctx context.Context) error {
	x.hope = bitset.New[lts.State](x.m.NumStates())
	var queue []lts.State
	for s := range lts.State(x.m.NumStates()) {
		if x.isEnding(s) {
			x.hope.Add(s)
			queue = append(queue, s)
		}
	}
	for next := 0; next < len(queue); next++ {
		if next&(1<<16-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		labels, sources := x.m.Predecessors().In(queue[next])
		for i, from := range sources {
			if !x.hope.Has(from) && x.may(from, labels.At(i), queue[next]) {
				x.hope.Add(from)
				queue = append(queue, from)
			}
		}
	}
	return nil
}

// isEnding reports whether a correct run can end in a place, is sure there, or can stay near it.
func (x *nearest) isEnding(s lts.State) bool {
	if x.endings == nil {
		return x.isDone(s)
	}
	if x.m.IsDeadlock(s) {
		return x.accepts(s)
	}
	return x.endings.sure.Has(s) || slices.ContainsFunc(x.endings.cases, func(c goodCase) bool { return c.part[s] != 0 })
}

// accepts reports whether a run that ends in a place satisfies the property.
func (x *nearest) accepts(s lts.State) bool {
	return x.unfolding.Property().Stops(x.unfolding.Place(s).Q)
}

// end considers that the run which leads to a node is correct, or goes on to be so by a loop.
func (x *nearest) end(at, edits int) {
	n := x.nodes.At(at)
	end := ending{at: &at, edits: edits + max(0, x.once-int(n.at))}
	switch {
	case n.did == x.all && x.endings.sure.Has(n.place) && !x.m.IsDeadlock(n.place):
	case n.did == x.all && x.m.IsDeadlock(n.place) && x.accepts(n.place):
		end.ends = true
	case x.best.at != nil && end.edits >= x.best.edits: // a loop is one step more, at least
		return
	default:
		if end.loop = x.loopFrom(n.place); end.loop == nil || n.did|x.done(end.loop) != x.all {
			return
		}
		end.edits += len(end.loop)
	}
	if x.best.at == nil || end.edits < x.best.edits || end.edits == x.best.edits && n.fork > x.nodes.At(*x.best.at).fork {
		x.best = end
	}
}

// loopFrom returns a shortest loop of accepted runs through a place; nil if there is none.
func (x *nearest) loopFrom(s lts.State) []lts.Transition {
	best, known := x.endings.loops[s]
	if known {
		return best
	}
	for _, c := range x.endings.cases {
		if c.part[s] == 0 {
			continue
		}
		if loop := x.shortestLoop(s, c); best == nil || loop != nil && len(loop) < len(best) {
			best = loop
		}
	}
	x.endings.loops[s] = best
	return best
}

// inLoop is a place that a search for a loop has come to, with the colours that are to recur and were met
// since the loop began, by a transition from another one.
type inLoop struct {
	place lts.State
	label lts.Label
	from  int32 // below 0 if the loop begins here
	met   property.Marks
}

// loopSearch is what searches for loops share: the nodes of the last one, kept for their memory.
type loopSearch struct {
	nodes []inLoop
	met   *met
}

// shortestLoop searches, breadth first, places with the colours that are to recur and were
// met since the loop began.
func (x *nearest) shortestLoop(s lts.State, c goodCase) []lts.Transition {
	all := uint64(c.pair.Inf)
	number := func(n inLoop) uint64 { // the demanded colours, one bit after the other
		k := uint64(n.place)
		for left := all; left != 0; left &= left - 1 {
			k = k<<1 | uint64(n.met)>>bits.TrailingZeros64(left)&1
		}
		return k
	}
	in := &x.inLoop
	if in.met == nil {
		in.met = newMet(uint64(x.m.NumStates()) << mostRecurring)
	}
	in.met.empty()
	in.nodes = append(in.nodes[:0], inLoop{place: s, from: -1})
	in.met.add(number(in.nodes[0]))
	for next := 0; next < len(in.nodes); next++ {
		at := in.nodes[next]
		labels, targets := x.m.Out(at.place)
		if x.looked += 1 + int64(len(targets)); x.isEnough() {
			return nil
		}
		for i, to := range targets {
			l := labels.At(i)
			if c.part[to] != c.part[s] || !x.mayAvoiding(c.pair, at.place, l, to) {
				continue
			}
			n := inLoop{to, l, int32(next), at.met | x.unfolding.Marks(at.place, l)&c.pair.Inf}
			if to == s && bits.OnesCount64(uint64(n.met)) == c.pair.Inf.Len() {
				return in.loopBy(n)
			}
			if k := number(n); !in.met.has(k) {
				in.met.add(k)
				in.nodes = append(in.nodes, n)
			}
		}
	}
	return nil
}

// loopBy returns the loop that ends with a node.
func (x *loopSearch) loopBy(last inLoop) []lts.Transition {
	var loop []lts.Transition
	for at := last; at.from >= 0; at = x.nodes[at.from] {
		loop = append(loop, lts.Transition{From: x.nodes[at.from].place, Label: at.label, To: at.place})
	}
	slices.Reverse(loop)
	return loop
}
