package counterexample

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// all returns all runs of m that violate a property other than a chain, and are as short as the run
// that [tableHalf.shortest] finds, among the same kinds of runs: bad prefixes, runs into
// deadlocks, and lassos whose loop closes in the product, or for a response with one step in the
// model. It returns nil if the property holds. It fails if ctx is done, if that search finds no
// shortest run, and if the condition has more than 10 colours.
//
// Let L be the length of that run. Whether a lasso violates the property does not depend on its
// stem, so the stem is a shortest path to where the loop begins, and no state of the product on the
// loop is nearer. A loop that begins at distance d is a closed walk of L - d transitions whose
// colours violate the condition; no shorter walk from there does, so the walk repeats no cycle.
//
// Cost: that of shortest; then for each head at distance d, and once that is expensive for
// each that [loopSieve] leaves, within L - d transitions of it, that of the paths back, and 2^k times
// that with k colours. The result has the transitions of the shortest paths to where members end or
// loops begin, and of the loops.
func (h tableHalf) all(ctx context.Context, m *lts.LTS, o Options) *Family {
	p := h.p
	found := &Result{}
	if h.shortest(ctx, m, o, found); found.Trace == nil {
		return nil
	}
	if found.Minimal == MinimalUnknown {
		abort.On(fmt.Errorf("counterexample: no shortest counterexample to %s is known, so not all of them can be listed", p))
	}
	progress.Start(ctx, "all shortest", progress.Nothing, 0)
	all := &Family{byEnds: true}
	search := func(by *property.Property, leaves func(lts.Label) bool, o Options) {
		of := &members{m: m, p: p, length: found.Trace.Len(), prefix: found.Trace.Kind() == Prefix, minimal: found.Minimal}
		if (&memberSearch{members: of, leaves: leaves}).find(ctx, by, o); len(of.stems.states) > 0 {
			all.parts = append(all.parts, of)
		}
	}
	response, is := responseOf(p)
	if !is {
		search(p, nil, o)
		return all
	}
	search(p, response.asks, o)
	// The second search finds the loops with a request.
	search(response.loops(), nil, Options{Engine: o.Engine})
	return all
}

// memberSearch searches for members of a family in the product of the model and a property: the
// property of the family, or one that only some of its loops violate.
type memberSearch struct {
	members *members
	// leaves reports which labels loops must not have; nil for none.
	leaves func(lts.Label) bool

	general
	words      *product.Residuals
	accept     property.Acceptance
	colourBits // bits of the colours that the condition mentions
	// recurs are the states of the product that can lie on loops, heads the states where such loops
	// can begin.
	recurs, heads bitset.Set[lts.State]
	// pairs have the components where such loops lie, for each pair of the condition's complement; nil
	// if there are too many pairs.
	pairs []*loops
	// work is the number of transitions and states that searches for loops have visited; sifted
	// reports whether states that lie on no short enough loop are left out.
	work   int
	sifted bool
	// back[s] is the distance from s to the beginning of the current loop; it is valid if seen[s]
	// is the number of the current search.
	back, seen []uint32
	search     uint32
}

// find finds the members that violate p.
func (x *memberSearch) find(ctx context.Context, p *property.Property, o Options) {
	u := o.unfold(ctx, x.members.m, p, math.MaxInt)
	x.general = general{ctx: ctx, searched: searched{u: u, m: u.LTS(), c: o.components(ctx, u)}}
	x.best, x.patience = x.members.length+1, patienceWith(x.m)
	x.accept = p.Acceptance()
	x.words = abort.Must(product.ResidualsOf(ctx, p))
	x.measure()
	begins := map[uint32]int{}
	if !x.members.prefix {
		x.findLoops(begins)
	}
	x.parent, x.back, x.seen = nil, nil, nil // stems need none of these
	near := sort.Search(len(x.distance), func(s int) bool { return int(x.distance[s]) > x.members.length })
	x.members.stems = newStems(ctx, x, near, begins)
}

func (x *memberSearch) at(s uint32) (state lts.State, distance int, progress uint16) {
	return x.u.At(lts.State(s)).State, int(x.distance[s]), 0
}

func (x *memberSearch) ends(i uint32) bool {
	s := lts.State(i)
	if int(x.distance[s]) != x.members.length {
		return false
	}
	q := x.u.At(s).Q
	if x.members.prefix {
		return !x.words.CanAccept(q)
	}
	return x.m.IsDeadlock(s) && !x.u.Property().Stops(q)
}

func (x *memberSearch) moves(s uint32, number []uint32, moves []move) []move {
	_, targets := x.m.Out(lts.State(s))
	for j, t := range targets {
		if x.distance[t] == x.distance[s]+1 && int(t) < len(number) && number[t] != 0 {
			moves = append(moves, move{uint32(j), number[t] - 1})
		}
	}
	return distinct(x.m, lts.State(s), moves)
}

// findLoops finds the cycles of members; begins has their indices, by the product states where they
// begin. These are heads: the last transition of a loop leads to its beginning from a state that is
// no nearer. If many heads begin no loop of a member, [loopSieve] leaves few.
func (x *memberSearch) findLoops(begins map[uint32]int) {
	x.prepareLoops()
	if !x.heads.Empty() {
		abort.On(x.m.FindPredecessors(x.ctx))
	}
	for s := range x.heads.From(0) {
		abort.On(x.ctx.Err())
		if !x.sifted && x.work > x.patience {
			x.sift()
		}
		if !x.heads.Has(s) {
			continue
		}
		length := x.members.length - int(x.distance[s])
		x.findBack(s, length)
		loops := x.loopsFrom(s, length)
		if loops != nil {
			begins[uint32(s)] = len(x.members.cycles)
			x.members.cycles = append(x.members.cycles, loops)
		}
	}
}

// sift leaves out the states that lie on no loop of a member, as far as [loopSieve] finds them.
func (x *memberSearch) sift() {
	x.sifted = true
	if x.pairs == nil {
		return
	}
	clear(x.heads)
	for _, pair := range x.pairs {
		pair.newSieve()
		pair.sieve.sift(x.members.length)
		pair.component, pair.sieve = pair.sieve.left, nil
		x.heads.AddAll(pair.heads)
	}
}

// mostComponents is the largest number of pairs for which components are kept, at 4 bytes a state for
// each.
const mostComponents = 8

// prepareLoops numbers the colours, and finds the states that can lie on loops or begin them.
func (x *memberSearch) prepareLoops() {
	all, _ := x.accept.Colours()
	if all.Len() > mostDemands {
		abort.On(fmt.Errorf("counterexample: all shortest counterexamples can be listed only if the condition of the property has at most %d colours, and it has %d", mostDemands, all.Len()))
	}
	x.colourBits = numbered(all)
	abort.On(resources.AskFor[uint64](x.ctx, x.m.NumStates()))
	x.back, x.seen = make([]uint32, x.m.NumStates()), make([]uint32, x.m.NumStates())
	x.recurs, x.heads = bitset.New[lts.State](x.m.NumStates()), bitset.New[lts.State](x.m.NumStates())
	pairs := pairsOf(x.u.Property())
	for _, pair := range pairs {
		component, _, err := x.u.Recurring(x.ctx, x.c, pair.Fin, pair.Inf, nil)
		abort.On(err)
		for s, of := range component {
			if of > 0 {
				x.recurs.Add(lts.State(s))
			}
		}
		of := &loops{general: &x.general, component: component, pair: pair, bound: x.members.length}
		of.findHeads()
		if x.heads.AddAll(of.heads); len(pairs) <= mostComponents {
			x.pairs = append(x.pairs, of)
		}
	}
}

// takes reports whether loops that violate the condition may take a transition: such a loop lies in
// one component of some pair. Without this test, the graph of all loops could be quadratic even if
// no loop violates the condition.
func (x *memberSearch) takes(s lts.State, l lts.Label, to lts.State) bool {
	if x.leaves != nil && x.leaves(l) {
		return false
	}
	if x.pairs == nil {
		return x.recurs.Has(s) && x.recurs.Has(to)
	}
	for _, p := range x.pairs {
		if of := p.component[s]; of != 0 && of == p.component[to] && (p.pair.Fin == 0 || p.takes(s, l)) {
			return true
		}
	}
	return false
}

// findBack finds the distances to s, up to a length, from the states that a loop which begins in s
// can pass. A loop passes no state that is nearer to the initial state than s.
func (x *memberSearch) findBack(s lts.State, length int) {
	x.search++
	x.seen[s], x.back[s] = x.search, 0
	queue := []lts.State{s}
	for next := 0; next < len(queue); next++ {
		if next&(1<<12-1) == 1<<12-1 {
			abort.On(x.ctx.Err())
		}
		t := queue[next]
		if int(x.back[t]) == length-1 {
			return
		}
		labels, sources := x.m.Predecessors().In(t)
		x.work += len(sources) + 1
		for i, from := range sources {
			if x.seen[from] != x.search && x.distance[from] >= x.distance[s] && x.takes(from, labels.At(i), t) {
				x.seen[from], x.back[from] = x.search, x.back[t]+1
				queue = append(queue, from)
			}
		}
	}
}

// lapped is a state on a loop, with the colours taken since its beginning.
type lapped struct {
	state lts.State
	set   uint32
}

// loopsFrom returns the closed walks of a length through s whose colours violate the condition; nil
// if there are none. Since no shorter walk does, it comes to a state with a set of colours only by
// the shortest ways.
func (x *memberSearch) loopsFrom(s lts.State, length int) *cycles {
	layers := [][]lapped{{{s, 0}}}
	moves := [][][]move{}
	type inLayer struct{ layer, index uint32 }
	known := map[lapped]inLayer{}
	for i := range length {
		var next []lapped
		here := make([][]move, len(layers[i]))
		for n, at := range layers[i] {
			if n&(1<<12-1) == 1<<12-1 {
				abort.On(x.ctx.Err())
			}
			labels, targets := x.m.Out(at.state)
			x.work += len(targets) + 1
			for k, t := range targets {
				if x.seen[t] != x.search || int(x.back[t]) > length-i-1 || !x.takes(at.state, labels.At(k), t) {
					continue
				}
				to := lapped{t, at.set | x.colours(x.u.Marks(at.state, labels.At(k)))}
				on, is := known[to]
				if !is {
					on = inLayer{uint32(i + 1), uint32(len(next))}
					known[to] = on
					next = append(next, to)
				}
				if int(on.layer) == i+1 {
					here[n] = append(here[n], move{uint32(k), on.index})
				}
			}
			here[n] = distinct(x.m, at.state, here[n])
		}
		if len(next) == 0 {
			return nil
		}
		abort.On(resources.AskFor[[]move](x.ctx, 3*len(next)))
		layers, moves = append(layers, next), append(moves, here)
	}
	return x.pruned(layers, moves)
}

// violates reports whether a loop with this set of colours violates the condition.
func (x *memberSearch) violates(set uint32) bool {
	var m property.Marks
	for c, bit := range x.bitOf {
		if bit&set != 0 {
			m |= property.Mark(c)
		}
	}
	return !x.accept.Holds(m)
}

// pruned returns the subgraph of a layered graph that leads to the nodes of the last layer whose
// colours violate the condition, which become one node; nil if there is none.
func (x *memberSearch) pruned(layers [][]lapped, moves [][][]move) *cycles {
	const kept = 1
	last := len(layers) - 1
	number := make([][]uint32, len(layers)) // one more than the number of each node; 0 for none
	for i := last; i >= 0; i-- {
		number[i] = make([]uint32, len(layers[i]))
		for n, at := range layers[i] {
			if i == last && x.violates(at.set) || i < last && slices.ContainsFunc(moves[i][n], func(mv move) bool { return number[i+1][mv.to] != 0 }) {
				number[i][n] = kept
			}
		}
	}
	if number[0][0] == 0 {
		return nil
	}
	count := uint32(0)
	for i := range last {
		for n, keep := range number[i] {
			if keep != 0 {
				count++
				number[i][n] = count
			}
		}
	}
	for n, keep := range number[last] {
		number[last][n] = keep * (count + 1)
	}
	c := &cycles{steps: []uint16{0}}
	for i := range last {
		for n, at := range layers[i] {
			if number[i][n] == 0 {
				continue
			}
			var on []move
			for _, mv := range moves[i][n] {
				if to := number[i+1][mv.to]; to != 0 {
					on = append(on, move{mv.index, to - 1})
					c.avoided = append(c.avoided, 1)
				}
			}
			c.add(x.u.At(at.state).State, on)
		}
	}
	c.add(x.u.At(layers[0][0].state).State, nil)
	c.layers = c.clip()
	return c
}
