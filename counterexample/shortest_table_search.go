package counterexample

import (
	"context"
	"fmt"
	"math"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// memberSearch looks for members of a family in the product of the model and a property:
// that of the family, or one that some of its loops violate.
type memberSearch struct {
	family *tableFamily
	// leaves says which labels loops leave out; nil for none.
	leaves func(lts.Label) bool

	general
	accept property.Acceptance
	stems  *shortestStems
	// bitOf[c] is the bit for colour c of the condition in the sets of colours met.
	bitOf [property.Colours]uint32
	// recurs has the states of the product in which a loop can lie.
	recurs bitset.Set[lts.State]
	// parts are what such loops lie in, by pair of the condition's complement; nil for too many pairs.
	parts []loopParts
	// back[s] is the distance from s to where the present loop begins, where seen[s] is
	// the number of the search for it.
	back, seen []uint32
	search     uint32
}

func (x *memberSearch) find(ctx context.Context, p *property.Property, o Options) error {
	u, err := o.unfold(ctx, x.family.m, p, math.MaxInt)
	if err != nil {
		return err
	}
	c, err := o.components(ctx, u)
	if err != nil {
		return err
	}
	x.general = general{ctx: ctx, searched: searched{u: u, m: u.LTS(), c: c}}
	x.accept = p.Acceptance()
	if err := x.m.FindPredecessors(ctx); err != nil {
		return err
	}
	if err := x.measure(); err != nil {
		return err
	}
	x.stems = &shortestStems{u: u, m: x.m, distance: x.distance}
	if err := x.findEnds(p); err != nil || x.family.prefix {
		return err
	}
	return x.findLoops()
}

// findEnds adds the members that have no loop.
func (x *memberSearch) findEnds(p *property.Property) error {
	words, err := product.WordsOf(x.ctx, p)
	if err != nil {
		return err
	}
	for s := range lts.State(x.m.NumStates()) {
		if s&(1<<14-1) == 0 && x.ctx.Err() != nil {
			return x.ctx.Err()
		}
		if int(x.distance[s]) != x.family.length {
			continue
		}
		q := x.u.Place(s).Q
		if x.family.prefix && !words.CanAccept(q) || !x.family.prefix && x.m.IsDeadlock(s) && !p.Stops(q) {
			x.add(s, ways{})
		}
	}
	return nil
}

// add adds the members that end in s, or whose loops begin there.
func (x *memberSearch) add(s lts.State, loop ways) {
	x.family.members = append(x.family.members, bundle{x.stems, s, loop})
}

// isFirst reports whether a transition of a row is no duplicate of one before it.
func isFirst(labels lts.Labels, targets []lts.State, k int) bool {
	for i, t := range targets[:k] {
		if t == targets[k] && labels.At(i) == labels.At(k) {
			return false
		}
	}
	return true
}

// findLoops adds the members that have a loop.
func (x *memberSearch) findLoops() error {
	if err := x.prepareLoops(); err != nil {
		return err
	}
	for s := range lts.State(x.m.NumStates()) {
		if s&(1<<10-1) == 0 && x.ctx.Err() != nil {
			return x.ctx.Err()
		}
		if int(x.distance[s]) >= x.family.length {
			break
		}
		if !x.recurs.Has(s) {
			continue
		}
		length := x.family.length - int(x.distance[s])
		if err := x.wayBack(s, length); err != nil {
			return err
		}
		loop, err := x.loopsFrom(s, length)
		if err != nil {
			return err
		}
		if len(loop.layers) > 0 {
			x.add(s, loop)
		}
	}
	return nil
}

// mostLoopParts is for how many pairs the parts are kept, 4 bytes a state for each.
const mostLoopParts = 8

// loopParts are the parts of the product in which loops lie that a pair allows.
type loopParts struct {
	banned property.Marks
	part   []uint32 // by state: see [product.Unfolding.Recurring]
}

// prepareLoops numbers the colours, and finds the states in which loops can lie.
func (x *memberSearch) prepareLoops() error {
	all, _ := x.accept.Colours()
	if all.Len() > mostDemands {
		return fmt.Errorf("counterexample: all shortest counterexamples can be listed where the condition of a property has at most %d colours, and not %d", mostDemands, all.Len())
	}
	n := 0
	for c := range property.Colours {
		if all.Has(c) {
			x.bitOf[c] = 1 << n
			n++
		}
	}
	if err := resources.AskFor[uint64](x.ctx, x.m.NumStates()); err != nil {
		return err
	}
	x.back, x.seen = make([]uint32, x.m.NumStates()), make([]uint32, x.m.NumStates())
	x.recurs = bitset.New[lts.State](x.m.NumStates())
	pairs, _ := x.accept.Not().Pairs(mostPairs)
	for _, pair := range pairs {
		part, _, err := x.u.Recurring(x.ctx, x.c, pair.Fin, pair.Inf, nil)
		if err != nil {
			return err
		}
		for s, of := range part {
			if of > 0 {
				x.recurs.Add(lts.State(s))
			}
		}
		if len(pairs) <= mostLoopParts {
			x.parts = append(x.parts, loopParts{pair.Fin, part})
		}
	}
	return nil
}

// takes reports whether loops that violate the condition may take a transition: such a loop lies in
// one part of some pair. Without that, the graph of all loops can be quadratic where none is one of them.
func (x *memberSearch) takes(s lts.State, l lts.Label, to lts.State) bool {
	if x.leaves != nil && x.leaves(l) {
		return false
	}
	if x.parts == nil {
		return x.recurs.Has(s) && x.recurs.Has(to)
	}
	for i := range x.parts {
		p := &x.parts[i]
		if of := p.part[s]; of != 0 && of == p.part[to] && (p.banned == 0 || x.u.Marks(s, l)&p.banned == 0) {
			return true
		}
	}
	return false
}

// wayBack finds the distances to s, up to a length, from states that a loop which begins in
// s can go through: none that is nearer to the initial state.
func (x *memberSearch) wayBack(s lts.State, length int) error {
	x.search++
	x.seen[s], x.back[s] = x.search, 0
	queue := []lts.State{s}
	for next := 0; next < len(queue); next++ {
		if next&(1<<12-1) == 1<<12-1 && x.ctx.Err() != nil {
			return x.ctx.Err()
		}
		t := queue[next]
		if int(x.back[t]) == length-1 {
			return nil
		}
		labels, sources := x.m.Predecessors().In(t)
		for i, from := range sources {
			if x.seen[from] != x.search && x.distance[from] >= x.distance[s] && x.takes(from, labels.At(i), t) {
				x.seen[from], x.back[from] = x.search, x.back[t]+1
				queue = append(queue, from)
			}
		}
	}
	return nil
}

// lapped is a state on the way round, with the colours met by then.
type lapped struct {
	state lts.State
	set   uint32
}

// loopsFrom returns the closed walks of a length through s that violate the condition.
func (x *memberSearch) loopsFrom(s lts.State, length int) (ways, error) {
	layers := [][]lapped{{{s, 0}}}
	moves := [][][]wayMove{}
	for i := range length {
		number := map[lapped]uint32{}
		var next []lapped
		here := make([][]wayMove, len(layers[i]))
		for n, at := range layers[i] {
			if n&(1<<12-1) == 1<<12-1 && x.ctx.Err() != nil {
				return ways{}, x.ctx.Err()
			}
			labels, targets := x.m.Out(at.state)
			for k, t := range targets {
				if x.seen[t] != x.search || int(x.back[t]) > length-i-1 || !x.takes(at.state, labels.At(k), t) || !isFirst(labels, targets, k) {
					continue
				}
				to := lapped{t, at.set | x.bits(x.u.Marks(at.state, labels.At(k)))}
				index, known := number[to]
				if !known {
					index = uint32(len(next))
					number[to] = index
					next = append(next, to)
				}
				here[n] = append(here[n], wayMove{labels.At(k), index})
			}
		}
		if len(next) == 0 {
			return ways{}, nil
		}
		if err := resources.AskFor[wayNode](x.ctx, 2*len(next)); err != nil {
			return ways{}, err
		}
		layers, moves = append(layers, next), append(moves, here)
	}
	return x.pruned(layers, moves), nil
}

// bits returns the set of colours of the condition among these.
func (x *memberSearch) bits(m property.Marks) (set uint32) {
	for c, bit := range x.bitOf {
		if bit != 0 && m.Has(c) {
			set |= bit
		}
	}
	return set
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

// pruned returns what of a layered graph leads to a node of the last layer that violates
// the condition.
func (x *memberSearch) pruned(layers [][]lapped, moves [][][]wayMove) ways {
	const dropped = ^uint32(0)
	w := ways{layers: make([][]wayNode, len(layers))}
	var kept []uint32 // of the layer behind: the new numbers of its nodes
	for i := len(layers) - 1; i >= 0; i-- {
		here := make([]uint32, len(layers[i]))
		for n, at := range layers[i] {
			node := wayNode{state: x.u.Place(at.state).State}
			keep := false
			if i == len(layers)-1 {
				keep = x.violates(at.set)
			} else {
				for _, mv := range moves[i][n] {
					if to := kept[mv.to]; to != dropped {
						node.moves = append(node.moves, wayMove{mv.label, to})
						keep = true
					}
				}
			}
			here[n] = dropped
			if keep {
				here[n] = uint32(len(w.layers[i]))
				w.layers[i] = append(w.layers[i], node)
			}
		}
		kept = here
	}
	if len(w.layers[0]) == 0 {
		return ways{}
	}
	return w
}
