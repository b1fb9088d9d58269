package counterexample

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"math/big"
	"slices"

	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Family is the set of all shortest counterexamples to a property. Its members are distinct
// sequences of transitions that determine where their loops begin.
type Family interface {
	// Len returns the number of transitions of each member.
	Len() int
	// Minimal names the runs among which no run is shorter than a member. The members are all of
	// these runs that are as short.
	Minimal() Minimality
	// Count returns the exact number of members.
	Count(context.Context) (*big.Int, error)
	// Each yields all members, always in the same order.
	Each(context.Context) iter.Seq2[*Trace, error]
	// Best returns the first member with the smallest total weight or, with most, the largest. The
	// weight of a member is the sum over the sources of its transitions.
	Best(ctx context.Context, weight func(lts.State) int, most bool) (*Trace, error)
	// Transitions returns the transitions on some member, and those on the loop of some member:
	// each once, by ascending source, then in the order of the model.
	Transitions() (all, looping []lts.Transition)
}

// allOfTable returns all runs of m that violate p, a property other than a chain, and are as short
// as the run that [shortestOfTable] finds, among the same kinds of runs: bad prefixes, runs into
// deadlocks, and lassos whose loop closes in the product, or for a response with one step in the
// model. It returns nil if the property holds. It fails if ctx is done, if shortestOfTable finds no
// shortest run, and if the condition has more than 10 colours.
//
// Let L be the length of that run. Whether a lasso violates the property does not depend on its
// stem, so the stem is a shortest path to where the loop begins, and no state of the product on the
// loop is nearer. A loop that begins at distance d is a closed walk of L - d transitions whose
// colours violate the condition; no shorter walk from there does, so the walk repeats no cycle.
//
// Cost: that of shortestOfTable; then for each state of the product that is nearer than L, within L
// - d transitions of it, that of the paths back, and 2^k times that with k colours. The result has
// the transitions of the shortest paths to each state where a loop begins, and of the loops.
func allOfTable(ctx context.Context, m *lts.LTS, p *property.Property, o Options) (Family, error) {
	found, err := shortestOfTable(ctx, m, p, o)
	if err != nil || found.Trace == nil {
		return nil, err
	}
	if found.Minimal == MinimalUnknown {
		return nil, fmt.Errorf("counterexample: of %s no shortest counterexample is known, of which all could be listed", p)
	}
	progress.Start(ctx, "all shortest", progress.Nothing, 0)
	f := &tableFamily{m: m, p: p, length: found.Trace.Len(), prefix: found.Trace.Kind() == Prefix, minimal: found.Minimal}
	x := &memberSearch{family: f}
	response, is := responseOf(p)
	if is {
		// Loops with a request are found by the other search.
		x.leaves = response.asks
	}
	if err := x.find(ctx, p, o); err != nil {
		return nil, err
	}
	if is {
		others, err := response.loops()
		if err != nil {
			return nil, err
		}
		x = &memberSearch{family: f}
		if err := x.find(ctx, others, Options{Engine: o.Engine}); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// tableFamily is the set of all shortest counterexamples to a property that is no chain.
type tableFamily struct {
	m       *lts.LTS
	p       *property.Property
	length  int
	prefix  bool
	minimal Minimality
	members []bundle
}

// bundle has the members that end in one product state, or whose loops begin there; their stems
// come from [shortestStems].
type bundle struct {
	stems *shortestStems
	entry lts.State
	// loop has no layers if the members have no loops.
	loop ways
}

// ways are all paths of a layered graph from its only first node to a node of its last layer.
type ways struct {
	layers [][]wayNode
}

// wayNode is a state of the model, with the moves into the next layer.
type wayNode struct {
	state lts.State
	moves []wayMove
}

// wayMove leads by a label to the node with this index.
type wayMove struct {
	label lts.Label
	to    uint32
}

// Len returns the number of transitions of each member. Cost O(1).
func (f *tableFamily) Len() int { return f.length }

// Minimal names the runs among which no run is shorter than a member. Cost O(1).
func (f *tableFamily) Minimal() Minimality { return f.minimal }

// Count returns the exact number of members. Cost O(N) additions for a family of size N.
func (f *tableFamily) Count(ctx context.Context) (*big.Int, error) {
	sum := new(big.Int)
	for _, members := range f.byStems() {
		err := members[0].stems.countTo(ctx, entriesOf(members), func(i int, stems *big.Int) {
			if loop := &members[i].loop; len(loop.layers) > 0 {
				stems = new(big.Int).Mul(stems, loop.count())
			}
			sum.Add(sum, stems)
		})
		if err != nil {
			return nil, err
		}
	}
	return sum, nil
}

// byStems returns the members in order, grouped by the search that found them.
func (f *tableFamily) byStems() [][]bundle {
	var all [][]bundle
	for first, i := 0, 1; first < len(f.members); i++ {
		if i == len(f.members) || f.members[i].stems != f.members[first].stems {
			all = append(all, f.members[first:i])
			first = i
		}
	}
	return all
}

// entriesOf returns the product states where members end, or where their loops begin.
func entriesOf(members []bundle) []lts.State {
	entries := make([]lts.State, len(members))
	for i := range members {
		entries[i] = members[i].entry
	}
	return entries
}

func (w *ways) count() *big.Int {
	var behind []*big.Int
	for i := len(w.layers) - 1; i >= 0; i-- {
		here := make([]*big.Int, len(w.layers[i]))
		for n, node := range w.layers[i] {
			here[n] = new(big.Int)
			if i == len(w.layers)-1 {
				here[n].SetInt64(1)
			}
			for _, mv := range node.moves {
				here[n].Add(here[n], behind[mv.to])
			}
		}
		behind = here
	}
	return behind[0]
}

// Each yields all members, ordered by the product state where they end or their loops begin, the
// nearest first; for one such state in lexicographic order, by the order that the model lists the
// transitions of a state. Cost O(L) for each member, and that of the stems to each of these states.
func (f *tableFamily) Each(ctx context.Context) iter.Seq2[*Trace, error] {
	return func(yield func(*Trace, error) bool) {
		for i := range f.members {
			stems, err := f.members[i].stems.to(ctx, f.members[i].entry)
			if err != nil {
				yield(nil, err)
				return
			}
			for stem := range stems.each {
				for loop := range f.members[i].loop.each {
					if ctx.Err() != nil {
						yield(nil, ctx.Err())
						return
					}
					if t, err := f.trace(stem, loop); !yield(t, err) || err != nil {
						return
					}
				}
			}
		}
	}
}

// trace returns a member.
func (f *tableFamily) trace(stem, loop []lts.Transition) (*Trace, error) {
	steps, begin := slices.Concat(stem, loop), noLoop
	if len(loop) > 0 {
		begin = len(stem)
	}
	if f.prefix {
		return NewPrefix(f.m, f.p, steps)
	}
	t, err := NewViolating(f.m, f.p, steps, begin)
	if err != nil {
		err = fmt.Errorf("counterexample: a listed run is none, please report it: %w", err)
	}
	return t, err
}

// each yields all paths in lexicographic order of the moves; if there are no layers, the empty
// path.
func (w *ways) each(yield func([]lts.Transition) bool) {
	var steps []lts.Transition
	var at, next []int
	last := len(w.layers) - 1
	for at, next = []int{0}, []int{0}; len(at) > 0; {
		depth := len(at) - 1
		if depth >= last {
			if !yield(steps) {
				return
			}
		} else if node := &w.layers[depth][at[depth]]; next[depth] < len(node.moves) {
			mv := node.moves[next[depth]]
			next[depth]++
			steps = append(steps, lts.Transition{From: node.state, Label: mv.label, To: w.layers[depth+1][mv.to].state})
			at, next = append(at, int(mv.to)), append(next, 0)
			continue
		}
		at, next = at[:depth], next[:depth]
		steps = steps[:max(0, depth-1)]
	}
}

// Best returns the member with the smallest or the largest total weight; of several, the first in
// the order of [tableFamily.Each]. Cost O(N) for a family of size N.
func (f *tableFamily) Best(ctx context.Context, weight func(lts.State) int, most bool) (*Trace, error) {
	of := weight
	if most {
		of = func(s lts.State) int { return -weight(s) }
	}
	var best *bundle
	least := 0
	for _, members := range f.byStems() {
		weights, err := members[0].stems.weigh(ctx, of)
		if err != nil {
			return nil, err
		}
		for i := range members {
			b := &members[i]
			_, more := b.loop.lightest(of)
			if weighs := weights[b.entry] + more; best == nil || weighs < least {
				best, least = b, weighs
			}
		}
	}
	if best == nil {
		return nil, nil
	}
	stems, err := best.stems.to(ctx, best.entry)
	if err != nil {
		return nil, err
	}
	stem, _ := stems.lightest(of)
	loop, _ := best.loop.lightest(of)
	return f.trace(stem, loop)
}

// lightest returns the first path of the least weight.
func (w *ways) lightest(of func(lts.State) int) (path []lts.Transition, weighs int) {
	if len(w.layers) == 0 {
		return nil, 0
	}
	behind := make([][]int, len(w.layers))
	by := make([][]int, len(w.layers)) // the first move of a lightest path from each node
	for i := len(w.layers) - 1; i >= 0; i-- {
		behind[i], by[i] = make([]int, len(w.layers[i])), make([]int, len(w.layers[i]))
		for n, node := range w.layers[i] {
			for k, mv := range node.moves {
				if d := behind[i+1][mv.to] + of(node.state); k == 0 || d < behind[i][n] {
					behind[i][n], by[i][n] = d, k
				}
			}
		}
	}
	for i, at := 0, 0; i+1 < len(w.layers); i++ {
		node := &w.layers[i][at]
		mv := node.moves[by[i][at]]
		path = append(path, lts.Transition{From: node.state, Label: mv.label, To: w.layers[i+1][mv.to].state})
		at = int(mv.to)
	}
	return path, behind[0][0]
}

// Transitions returns the transitions of members, and those of loops. Cost O(N log N) for a family
// of size N.
func (f *tableFamily) Transitions() (all, looping []lts.Transition) {
	every, round := map[lts.Transition]bool{}, map[lts.Transition]bool{}
	for _, members := range f.byStems() {
		members[0].stems.collectTo(entriesOf(members), every)
	}
	for i := range f.members {
		f.members[i].loop.collect(every)
		f.members[i].loop.collect(round)
	}
	return f.inOrder(every), f.inOrder(round)
}

func (w *ways) collect(into map[lts.Transition]bool) {
	for i, layer := range w.layers {
		for _, node := range layer {
			for _, mv := range node.moves {
				into[lts.Transition{From: node.state, Label: mv.label, To: w.layers[i+1][mv.to].state}] = true
			}
		}
	}
}

func (f *tableFamily) inOrder(set map[lts.Transition]bool) []lts.Transition {
	var sources []lts.State
	for t := range set {
		sources = append(sources, t.From)
	}
	slices.Sort(sources)
	ordered := make([]lts.Transition, 0, len(set))
	for _, s := range slices.Compact(sources) {
		labels, targets := f.m.Out(s)
		for i, to := range targets {
			if t := (lts.Transition{From: s, Label: labels.At(i), To: to}); set[t] {
				ordered = append(ordered, t)
				delete(set, t)
			}
		}
	}
	return ordered
}

// memberSearch searches members of a family in the product of the model and a property: the
// property of the family, or one that only some of its loops violate.
type memberSearch struct {
	family *tableFamily
	// leaves reports which labels loops must not have; nil for none.
	leaves func(lts.Label) bool

	general
	accept property.Acceptance
	stems  *shortestStems
	// bitOf[c] is the bit of colour c in sets of colours taken; 0 if the condition does not mention
	// c.
	bitOf [property.Colours]uint32
	// recurs are the states of the product that can lie on loops.
	recurs bitset.Set[lts.State]
	// parts are the components that such loops lie in, for each pair of the condition's complement;
	// nil if there are too many pairs.
	parts []loopParts
	// back[s] is the distance from s to the beginning of the current loop; it is valid if seen[s]
	// is the number of the current search.
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

// findEnds adds the members without a loop.
func (x *memberSearch) findEnds(p *property.Property) error {
	words, err := product.ResidualsOf(x.ctx, p)
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
		q := x.u.At(s).Q
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

// isFirst reports whether transition k of a row duplicates no transition before it.
func isFirst(labels lts.Labels, targets []lts.State, k int) bool {
	for i, t := range targets[:k] {
		if t == targets[k] && labels.At(i) == labels.At(k) {
			return false
		}
	}
	return true
}

// findLoops adds the members with a loop.
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

// mostLoopParts is the largest number of pairs for which parts are kept, at 4 bytes a state for
// each.
const mostLoopParts = 8

// loopParts are the components of the product for the loops that satisfy one pair.
type loopParts struct {
	banned property.Marks
	part   []uint32 // by state: see [product.Unfolding.Recurring]
}

// prepareLoops numbers the colours, and finds the states that can lie on loops.
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
// one component of some pair. Without this test, the graph of all loops could be quadratic even if
// no loop violates the condition.
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

// wayBack finds the distances to s, up to a length, from the states that a loop which begins in s
// can pass. A loop passes no state that is nearer to the initial state than s.
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

// lapped is a state on a loop, with the colours taken since its beginning.
type lapped struct {
	state lts.State
	set   uint32
}

// loopsFrom returns the closed walks of a length through s whose colours violate the condition.
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

// bits returns those colours of a set that the condition mentions, as bits.
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

// pruned returns the subgraph of a layered graph that leads to the nodes of the last layer whose
// colours violate the condition.
func (x *memberSearch) pruned(layers [][]lapped, moves [][][]wayMove) ways {
	const dropped = ^uint32(0)
	w := ways{layers: make([][]wayNode, len(layers))}
	var kept []uint32 // the new numbers of the nodes of the next layer
	for i := len(layers) - 1; i >= 0; i-- {
		here := make([]uint32, len(layers[i]))
		for n, at := range layers[i] {
			node := wayNode{state: x.u.At(at.state).State}
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

// shortestStems makes the shortest paths to product states, for one product state at a time: the
// paths to all ends of a family's members at once would take the memory of the product for each
// end.
type shortestStems struct {
	u *product.Unfolding
	m *lts.LTS
	// distance is the distance of each product state from the initial one. Product states are
	// numbered breadth first.
	distance []uint32
}

// to returns the shortest paths to a product state. Cost O(transitions into or out of states on
// them, times the logarithm of their number); memory for these paths.
func (x *shortestStems) to(ctx context.Context, s lts.State) (ways, error) {
	layers := [][]lts.State{{s}}
	for at := layers[0]; x.distance[at[0]] > 0; at = layers[len(layers)-1] {
		if ctx.Err() != nil {
			return ways{}, ctx.Err()
		}
		var before []lts.State
		for _, t := range at {
			_, sources := x.m.Predecessors().In(t)
			for _, from := range sources {
				if x.distance[from]+1 == x.distance[t] {
					before = append(before, from)
				}
			}
		}
		slices.Sort(before)
		layers = append(layers, slices.Compact(before))
	}
	slices.Reverse(layers)
	w := ways{layers: make([][]wayNode, len(layers))}
	for i, layer := range layers {
		if err := resources.AskFor[wayNode](ctx, len(layer)); err != nil {
			return w, err
		}
		for _, from := range layer {
			node := wayNode{state: x.u.At(from).State}
			if i+1 < len(layers) {
				labels, targets := x.m.Out(from)
				for k, t := range targets {
					if to, is := slices.BinarySearch(layers[i+1], t); is && isFirst(labels, targets, k) {
						node.moves = append(node.moves, wayMove{labels.At(k), uint32(to)})
					}
				}
			}
			w.layers[i] = append(w.layers[i], node)
		}
	}
	return w, nil
}

// countTo calls take with the index of each entry and the number of shortest paths to it. Cost O(S
// + T) additions for the states up to the last entry; memory for the numbers at two distances.
func (x *shortestStems) countTo(ctx context.Context, entries []lts.State, take func(i int, stems *big.Int)) error {
	order := make([]int, len(entries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(entries[a], entries[b]) })
	here, first := []*big.Int{big.NewInt(1)}, lts.State(0) // of the product states of one distance, from first on
	for len(order) > 0 {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		behind := first + lts.State(len(here))
		for len(order) > 0 && entries[order[0]] < behind {
			take(order[0], here[entries[order[0]]-first])
			order = order[1:]
		}
		var next []*big.Int
		for k, number := range here {
			from := first + lts.State(k)
			labels, targets := x.m.Out(from)
			for j, t := range targets {
				if x.distance[t] != x.distance[from]+1 || !isFirst(labels, targets, j) {
					continue
				}
				for int(t-behind) >= len(next) {
					next = append(next, new(big.Int))
				}
				next[t-behind].Add(next[t-behind], number)
			}
		}
		here, first = next, behind
	}
	return nil
}

// weigh returns the least weight of a shortest path to each product state: the sum of the weights
// of the model's states that the path leaves. Cost O(S + T), 8 bytes a state.
func (x *shortestStems) weigh(ctx context.Context, of func(lts.State) int) ([]int, error) {
	least, err := resources.Make[int](ctx, x.m.NumStates())
	if err != nil {
		return nil, err
	}
	known := bitset.New[lts.State](x.m.NumStates())
	for s := range lts.State(x.m.NumStates()) {
		if s&(1<<14-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		weighs := least[s] + of(x.u.At(s).State)
		_, targets := x.m.Out(s)
		for _, t := range targets {
			if x.distance[t] == x.distance[s]+1 && (!known.Has(t) || weighs < least[t]) {
				known.Add(t)
				least[t] = weighs
			}
		}
	}
	return least, nil
}

// collectTo adds the transitions of all shortest paths to some states. Cost O(S + T).
func (x *shortestStems) collectTo(entries []lts.State, into map[lts.Transition]bool) {
	on := bitset.New[lts.State](x.m.NumStates())
	last := lts.State(0)
	for _, s := range entries {
		on.Add(s)
		last = max(last, s)
	}
	for i := range last + 1 {
		s := last - i
		labels, targets := x.m.Out(s)
		for j, t := range targets {
			if x.distance[t] == x.distance[s]+1 && on.Has(t) {
				on.Add(s)
				into[lts.Transition{From: x.u.At(s).State, Label: labels.At(j), To: x.u.At(t).State}] = true
			}
		}
	}
}
