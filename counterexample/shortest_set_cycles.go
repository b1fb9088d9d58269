package counterexample

import (
	"cmp"
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property"
)

// cycles are all cycles of one length through one state that avoid at least one
// of some steps of the property. The first node is that state at the begin of a
// cycle, the last one is it again at the end; moves lead to larger numbers.
type cycles struct {
	layers
	// steps are those m, ascending, for which some of the cycles avoids step m+1.
	// A set of steps holds indices of this slice.
	steps []uint16
	// avoided holds a set for each move, one after the other: the steps that
	// some cycle through the move avoids.
	avoided []uint64
}

// avoidedBy returns the steps that some cycle through a move avoids.
func (c *cycles) avoidedBy(mv int) bitset.Set[int] {
	words := bitset.Words(len(c.steps))
	return c.avoided[mv*words : (mv+1)*words]
}

// open returns the steps that a loop may avoid when its stem has this progress.
func (c *cycles) open(progress uint16) bitset.Set[int] {
	steps := bitset.New[int](len(c.steps))
	for k, m := range c.steps {
		if m >= progress {
			steps.Add(k)
		}
	}
	return steps
}

// cycleSearch finds cycles within the arrivals.
type cycleSearch struct {
	*arrivals
	search *shortest
	in     *lts.Predecessors // nil until needed

	// back is, per state, one more than the length of a shortest way to the state
	// in which the cycles end; 0 for states that the search has not met.
	back []uint32
	met  []lts.State
}

// lassos are those whose loop begins at an arrival and avoids step m+1. States
// off on, where it is not nil, lie on no cycle that does.
type lassos struct {
	at arrival
	m  int
	on bitset.Set[lts.State]
}

// spot is a state that lies, after this many transitions of it, on a cycle that
// avoids a step: the one with index step in cycles.steps.
type spot struct {
	place uint32
	state lts.State
	step  uint16
}

// through returns the cycles that begin at e and make shortest lassos; nil if
// there are none.
func (y *cycleSearch) through(e entry) (c *cycles, err error) {
	if y.in == nil {
		if err := y.m.FindPredecessors(y.search.ctx); err != nil {
			return nil, err
		}
		y.in = y.m.Predecessors()
		if y.back, err = resources.Make[uint32](y.search.ctx, y.m.NumStates()); err != nil {
			return nil, err
		}
	}
	var (
		steps []uint16
		spots []spot
	)
	for m := int(e.low); m <= int(e.high); m++ {
		on, err := y.search.onCycle(m)
		if err != nil {
			return nil, err
		}
		of := lassos{y.list[e.arrival], m, on}
		if on != nil && !on.Has(of.at.state) {
			continue
		}
		found, err := y.backward(of)
		if err != nil {
			return nil, err
		}
		if found {
			if spots, err = y.forward(of, spots, uint16(len(steps))); err != nil {
				return nil, err
			}
			steps = append(steps, uint16(m))
		}
		for _, s := range y.met {
			y.back[s] = 0
		}
	}
	if len(steps) == 0 {
		return nil, nil
	}
	return y.collect(steps, spots)
}

// backward finds the distance to the end of the loop for all states that may lie
// on the loop of a shortest lasso, and reports whether there is one.
func (y *cycleSearch) backward(of lassos) (found bool, err error) {
	y.met = append(y.met[:0], of.at.state)
	y.back[of.at.state] = 1
	for first, distance := 0, 1; first < len(y.met) && int(of.at.depth)+distance <= y.length; distance++ {
		end := len(y.met)
		for i := first; i < end; i++ {
			var closed bool
			closed, err = y.precede(y.met[i], distance, of)
			if closed || err != nil {
				return closed, err
			}
		}
		first = end
	}
	return false, nil
}

// precede meets the states before s at this distance, and reports whether the one
// at which the loop begins is among them: the distance is then the length of the
// loops, for a shorter one would make a lasso that is shorter than all.
func (y *cycleSearch) precede(s lts.State, distance int, of lassos) (closed bool, err error) {
	labels, sources := y.in.In(s)
	// The work counts towards that of the search before, which pays for onCycle.
	work := &y.search.bounded.work
	if *work += labels.Len() + 1; *work&(1<<16-1) <= labels.Len() && y.search.ctx.Err() != nil {
		return false, y.search.ctx.Err()
	}
	if y.met, err = resources.Grow(y.search.ctx, y.met, len(sources)); err != nil {
		return false, err
	}
	for j, t := range sources {
		if y.p.Does(labels.At(j), of.m+1) {
			continue
		}
		if t == of.at.state {
			return true, nil
		}
		if y.back[t] != 0 || !y.c.Same(s, t) || of.on != nil && !of.on.Has(t) {
			continue
		}
		if depth := y.depth(t, of.m); depth >= int(of.at.depth) && depth <= y.length-distance {
			y.back[t] = uint32(distance) + 1
			y.met = append(y.met, t)
		}
	}
	return false, nil
}

// forward appends the spots on the loops of the lassos, which backward has found.
func (y *cycleSearch) forward(of lassos, spots []spot, step uint16) (_ []spot, err error) {
	if spots, err = resources.Grow(y.search.ctx, spots, 1); err != nil {
		return nil, err
	}
	first := len(spots)
	spots = append(spots, spot{0, of.at.state, step})
	length := uint32(y.length) - of.at.depth
	for place := range length {
		end := len(spots)
		for i := first; i < end; i++ {
			labels, targets := y.m.Out(spots[i].state)
			if spots, err = resources.Grow(y.search.ctx, spots, len(targets)); err != nil {
				return nil, err
			}
			for j, t := range targets {
				if y.back[t] == length-place && !y.p.Does(labels.At(j), of.m+1) {
					y.back[t] = 0
					spots = append(spots, spot{place + 1, t, step})
				}
			}
		}
		first = end
	}
	return spots, nil
}

// collect makes one graph of the spots of all steps.
func (y *cycleSearch) collect(steps []uint16, spots []spot) (*cycles, error) {
	slices.SortFunc(spots, func(a, b spot) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.state, b.state))
	})
	ctx := y.search.ctx
	g := spotted{cycles: &cycles{steps: steps}, m: y.m, p: y.p, words: bitset.Words(len(steps))}
	if err := g.place(ctx, spots); err != nil {
		return nil, err
	}
	last, place := len(g.states)-1, 0
	for node := range last {
		if node&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if node == g.begins[place+1] {
			place++
		}
		if err := g.connect(ctx, node, g.begins[place+1], g.begins[place+2]); err != nil {
			return nil, err
		}
	}
	g.cycles.add(g.states[last], nil)
	if last < manySpots {
		g.cycles.layers = g.cycles.clip()
		g.cycles.avoided = slices.Clone(g.cycles.avoided)
	}
	return g.cycles, nil
}

// manySpots is the size from which a graph of cycles may keep the room that its lists
// have left. There can be very many that are smaller.
const manySpots = 1 << 16

// spotted is the graph of cycles in the making: its nodes are known.
type spotted struct {
	cycles *cycles
	m      *lts.LTS
	p      *property.Chain

	states []lts.State
	begins []int // the first node of each place, and the number of nodes
	// avoid holds a set of so many words for each node, one after the other: the
	// steps that some cycle through it avoids.
	avoid []uint64
	words int
	moves []move
}

// avoidedAt returns the steps that some cycle through a node avoids.
func (g *spotted) avoidedAt(node int) bitset.Set[int] {
	return g.avoid[node*g.words : (node+1)*g.words]
}

// place makes nodes of the spots, which are sorted.
func (g *spotted) place(ctx context.Context, spots []spot) (err error) {
	for i, at := range spots {
		if i&(1<<12-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		another := i == 0 || at.place != spots[i-1].place
		if another {
			if g.begins, err = resources.Grow(ctx, g.begins, 2); err != nil {
				return err
			}
			g.begins = append(g.begins, len(g.states))
		}
		if another || at.state != spots[i-1].state {
			if g.states, err = resources.Grow(ctx, g.states, 1); err != nil {
				return err
			}
			if g.avoid, err = resources.Grow(ctx, g.avoid, g.words); err != nil {
				return err
			}
			g.states = append(g.states, at.state)
			g.avoid = g.avoid[:len(g.avoid)+g.words]
			clear(g.avoidedAt(len(g.states) - 1))
		}
		g.avoidedAt(len(g.states) - 1).Add(int(at.step))
	}
	g.begins = append(g.begins, len(g.states))
	return nil
}

// connect adds a node with its moves to the nodes of the next place, those from
// first to end. A transition between two nodes is on a cycle that avoids a step
// iff both of its ends are and it does not do the step itself, since each node
// is at one distance from either end of these cycles.
func (g *spotted) connect(ctx context.Context, node, first, end int) (err error) {
	from := g.states[node]
	labels, targets := g.m.Out(from)
	g.moves = g.moves[:0]
	for j, t := range targets {
		if to, found := slices.BinarySearch(g.states[first:end], t); found {
			g.moves = append(g.moves, move{uint32(j), uint32(first + to)})
		}
	}
	c := g.cycles
	if c.avoided, err = resources.Grow(ctx, c.avoided, len(g.moves)*g.words); err != nil {
		return err
	}
	if c.layers, err = c.layers.reserve(ctx, len(g.moves)); err != nil {
		return err
	}
	kept := g.moves[:0]
	for _, mv := range distinct(g.m, from, g.moves) {
		avoid := g.avoidedAt(node).And(g.avoidedAt(int(mv.to)))
		for k, m := range c.steps {
			if g.p.Does(labels.At(int(mv.index)), int(m)+1) {
				avoid.Remove(k)
			}
		}
		if !avoid.Empty() {
			kept = append(kept, mv)
			c.avoided = append(c.avoided, avoid...)
		}
	}
	c.add(from, kept)
	return nil
}
