package counterexample

import (
	"context"
	"fmt"
	"iter"
	"math/big"
	"slices"

	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Family is all shortest counterexamples to a property. Its members are distinct sequences of
// transitions, and tell where their loops begin.
type Family interface {
	// Len returns the number of transitions that each member has.
	Len() int
	// Minimal says among which runs none is shorter, and these are all that are as short.
	Minimal() Minimality
	// Count returns the exact number of members.
	Count(context.Context) (*big.Int, error)
	// Each yields all members, always in the same order.
	Each(context.Context) iter.Seq2[*Trace, error]
	// Best returns the first member for which the weights of the states that it passes, the
	// sources of its transitions, have the smallest sum or, with most, the largest.
	Best(ctx context.Context, weight func(lts.State) int, most bool) (*Trace, error)
	// Transitions returns the transitions that lie on some member, and those that lie on
	// the loop of some member: each once, by ascending source, and in the order of the model
	// where sources are equal.
	Transitions() (all, looping []lts.Transition)
}

// allOfTable returns all runs of m that violate p, a property other than a chain, and are
// as short as the one that [shortestOfTable] finds, among those among which it looks: bad
// prefixes, runs into deadlocks, and lassos whose loop closes in the product, or of a
// response with one step in the model. It returns nil if
// the property holds. It fails if ctx is done, where that does not find a shortest one,
// and where the condition has more than 10 colours.
//
// Let L be the length that it finds. The violation of a lasso does not depend on its stem,
// so that the stem is a shortest path to where the loop begins, and no state of the product
// on the loop is nearer. A loop that begins at distance d is a closed walk of L - d
// transitions the colours of which violate the condition; none that is shorter does, and
// none goes round anything twice.
//
// Cost: that of shortestOfTable; then for each state of the product that is nearer than L, within
// L - d transitions of it, that of the ways back, and 2^k times that with k colours. The
// result has the transitions of the shortest paths to each place where a loop begins, and of
// the loops.
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
		// What has a request on its loop is found among the others.
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

// tableFamily are all shortest counterexamples to a property that is no chain.
type tableFamily struct {
	m       *lts.LTS
	p       *property.Property
	length  int
	prefix  bool
	minimal Minimality
	members []bundle
}

// bundle are the members that end in a state of the product, or whose loop begins there: see
// [shortestStems] for their ways there.
type bundle struct {
	stems *shortestStems
	entry lts.State
	// loop has no layers where the members have no loop.
	loop ways
}

// ways are paths of one length: all that go through a layered graph from its one first node
// to a node of its last layer.
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

// Len returns the number of transitions that each member has. Cost O(1).
func (f *tableFamily) Len() int { return f.length }

// Minimal says among which runs none is shorter. Cost O(1).
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

// byStems returns the members in their order, each search's together.
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

// entriesOf returns where members end, or their loops begin.
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

// Each yields all members: by where they end or their loops begin, nearest states first;
// those of one such place in lexicographic order, by the order in which the model lists the
// transitions of a state. Cost O(L) for each, and of its ways for each of those places.
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

// each yields all paths in lexicographic order of the moves; the empty one where there are
// no layers.
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

// Best returns the member with the smallest or the largest sum of weights, and of several
// the first one of [tableFamily.Each]. Cost O(N) for a family of size N.
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
	by := make([][]int, len(w.layers)) // the first move of a lightest path
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

// Transitions returns the transitions of members, and those of loops. Cost O(N log N) for a
// family of size N.
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
