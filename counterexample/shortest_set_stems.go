package counterexample

import (
	"context"
	"iter"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// noCycles marks a stem node at which no loop begins.
const noCycles = -1

// stems are the ways from the initial state to the deadlocks in which members
// end and to the states in which their loops begin. Nodes are numbered from the
// end: moves lead to smaller numbers, and the last node is the initial state.
type stems struct {
	layers
	progress []uint16
	// begins[i] is the number of the cycles that can be entered at node i.
	begins []int
}

func (g *stems) root() uint32 { return uint32(len(g.states) - 1) }

// arrivals are the pairs of a state and a progress in the order in which a
// breadth-first search meets them, where a pair is dropped if its state was met
// at a smaller depth with as little progress. So a pair has only one depth, and
// the progresses at a smaller depth are larger.
type arrivals struct {
	m      *lts.LTS
	c      *scc.Components
	p      *property.Chain
	length int // of a shortest counterexample

	list []arrival
	last []uint32 // per state: one more than the number of its last arrival
	// least is, per state, the least progress with which it was met at a depth
	// smaller than that of the current level; n if it was not.
	least   []uint16
	entries []entry
}

type arrival struct {
	state    lts.State
	before   uint32 // one more than the number of the state's arrival before this
	depth    uint32
	progress uint16
}

// entry is a state on a cycle at one depth, with the range of those m for which
// the state has this depth: D_m = depth iff low <= m <= high.
type entry struct {
	arrival   uint32 // the last one of the state at this depth
	low, high uint16
}

func newArrivals(c *scc.Components, p *property.Chain, length int) *arrivals {
	m := c.LTS()
	a := &arrivals{
		m: m, c: c, p: p, length: length,
		last:  make([]uint32, m.NumStates()),
		least: make([]uint16, m.NumStates()),
	}
	for s := range a.least {
		a.least[s] = uint16(p.Len())
	}
	return a
}

// explore meets the pairs up to the length of a shortest counterexample.
func (a *arrivals) explore(ctx context.Context) error {
	a.meet(a.m.Initial(), 0, 0)
	for depth, first := 0, 0; first < len(a.list); depth++ {
		end := len(a.list)
		var err error
		if a.entries, err = resources.Grow(ctx, a.entries, end-first); err != nil {
			return err
		}
		a.settle(first, end)
		for i := first; i < end && depth < a.length; i++ {
			if i&(1<<12-1) == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			at := a.list[i]
			labels, targets := a.m.Out(at.state)
			if a.list, err = resources.Grow(ctx, a.list, len(targets)); err != nil {
				return err
			}
			for j, t := range targets {
				a.meet(t, a.p.Advance(int(at.progress), labels.At(j)), depth+1)
			}
		}
		first = end
	}
	return nil
}

// meet adds a pair, unless it is there already or its state was met at a smaller
// depth with as little progress. At the last depth, only deadlocks matter.
func (a *arrivals) meet(s lts.State, progress, depth int) {
	if progress >= int(a.least[s]) || depth == a.length && !a.m.IsDeadlock(s) {
		return
	}
	if _, found := a.find(s, progress, depth); !found {
		a.list = append(a.list, arrival{s, a.last[s], uint32(depth), uint16(progress)})
		a.last[s] = uint32(len(a.list))
	}
}

// find returns the number of the arrival at s with this progress, provided that
// it is at this depth. Cost O(arrivals at s).
func (a *arrivals) find(s lts.State, progress, depth int) (uint32, bool) {
	for i := a.last[s]; i != 0; {
		at := &a.list[i-1]
		if int(at.depth) < depth {
			break
		}
		if int(at.depth) == depth && int(at.progress) == progress {
			return i - 1, true
		}
		i = at.before
	}
	return 0, false
}

// depth returns D_m(s), the length of a shortest path to s with progress at most
// m; infinite if that exceeds the length of a shortest counterexample. Cost
// O(arrivals at s).
func (a *arrivals) depth(s lts.State, m int) int {
	depth := infinite
	for i := a.last[s]; i != 0; {
		at := &a.list[i-1]
		if int(at.progress) <= m {
			depth = int(at.depth)
		}
		i = at.before
	}
	return depth
}

// together yields the numbers of the arrival i and of those before it at the same
// state and depth.
func (a *arrivals) together(i uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		depth := a.list[i].depth
		for next := i + 1; next != 0 && a.list[next-1].depth == depth; next = a.list[next-1].before {
			if !yield(next - 1) {
				return
			}
		}
	}
}

// settle closes the level of the arrivals first to end: what is met from now on
// is deeper.
func (a *arrivals) settle(first, end int) {
	for i := first; i < end; i++ {
		at := a.list[i]
		if a.last[at.state] != uint32(i)+1 {
			continue
		}
		low := at.progress
		for other := range a.together(uint32(i)) {
			low = min(low, a.list[other].progress)
		}
		component, _ := a.c.Of(at.state)
		if int(at.depth) < a.length && a.c.IsCyclic(component) {
			a.entries = append(a.entries, entry{uint32(i), low, a.least[at.state] - 1})
		}
		a.least[at.state] = low
	}
}

// stems returns the part of the arrivals that leads to the last depth, where all
// are deadlocks, or to one at which a loop begins. It fails if ctx is done.
// Cost O(arrivals at one state) for each transition that leaves an arrival.
func (a *arrivals) stems(ctx context.Context, begins map[uint32]int) (stems, error) {
	var (
		g     stems
		moves []move
	)
	number, err := resources.Make[uint32](ctx, len(a.list)) // one more than that of the node
	if err != nil {
		return stems{}, err
	}
	for i := len(a.list) - 1; i >= 0; i-- {
		if i&(1<<12-1) == 0 && ctx.Err() != nil {
			return stems{}, ctx.Err()
		}
		at := a.list[i]
		cycles, begin := begins[uint32(i)]
		if !begin {
			cycles = noCycles
		}
		moves = a.moves(at, number, moves[:0])
		if len(moves) == 0 && !begin && int(at.depth) < a.length {
			continue
		}
		if err := g.reserve(ctx, len(moves)); err != nil {
			return stems{}, err
		}
		number[i] = 1 + g.add(at.state, moves)
		g.progress = append(g.progress, at.progress)
		g.begins = append(g.begins, cycles)
	}
	return g, nil
}

// reserve makes room for one more node with so many moves. Lists that have room cost
// nothing; each other asks for its memory and takes it before the next one asks.
func (g *stems) reserve(ctx context.Context, moves int) (err error) {
	if g.layers, err = g.layers.reserve(ctx, moves); err != nil {
		return err
	}
	if g.progress, err = resources.Grow(ctx, g.progress, 1); err != nil {
		return err
	}
	g.begins, err = resources.Grow(ctx, g.begins, 1)
	return err
}

// moves appends the moves from an arrival to those that have a node.
func (a *arrivals) moves(at arrival, number []uint32, moves []move) []move {
	labels, targets := a.m.Out(at.state)
	for j, t := range targets {
		to, found := a.find(t, a.p.Advance(int(at.progress), labels.At(j)), int(at.depth)+1)
		if found && number[to] != 0 {
			moves = append(moves, move{uint32(j), number[to] - 1})
		}
	}
	return distinct(a.m, at.state, moves)
}
