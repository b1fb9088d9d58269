package quotient

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
)

// refiner finds the coarsest divergence-preserving branching bisimulation of a contracted model by
// the algorithm of D. N. Jansen, J. F. Groote, J. J. A. Keiren and A. Wijs, "An O(m log n)
// algorithm for branching bisimilarity on labelled transition systems", TACAS 2020, which improves
// on that of Groote, Jansen, Keiren and Wijs (TOCL 2017).
//
// Blocks partition the nodes. A hidden arc within a block is inert. A node without inert arcs to
// other nodes is a bottom of its block. Bunches partition all other arcs. There are three groupings
// of these arcs: by source block and bunch (slices), by bunch, label and target block (parts), and
// by source node and bunch (outs).
//
// The invariant between two steps: if a block has an arc in a bunch, each bottom of the block has
// one; so every node of the block reaches such an arc by inert arcs. When each bunch has a single
// part, the blocks are the bisimulation.
type refiner struct {
	g *contracted

	nodes []uint32 // block by block, the bottoms of each first
	at    []uint32 // at[v] is the index of v in nodes
	block []uint32
	inert []uint32 // inert[v] is the number of inert arcs that leave v
	// The bottoms of block b are nodes[first[b]:bottom[b]], all its nodes are
	// nodes[first[b]:end[b]].
	first, bottom, end []uint32

	slices  *grouping
	ofBlock chain
	parts   *grouping
	ofBunch chain
	outs    *grouping
	// rest[o] is, for a group o of outs whose bunch was just split off another bunch, the group
	// with the same source in the other bunch; none if that group is empty.
	rest []uint32

	// pending slices must become stable before the next bunch is split: then each bottom of the
	// block with an arc in the slice has a marked arc there.
	pending []bool
	queue   []uint32
	// open lists the bunches that may have several parts.
	open   []uint32
	isOpen []bool

	search search
	// fresh are the arcs that stopped being inert in the last split of a block. watched is the
	// slice whose state after the split the caller needs.
	fresh   []uint32
	watched watched

	ctx   context.Context
	meter *progress.Meter
	work  int
	most  int // the largest number of blocks allowed; 0 for no limit
}

// watched records how a split changes a slice.
type watched struct {
	slice, twin uint32
	gone        bool
}

// refine returns the block of every node of g, in no particular numbering. It fails if ctx is done,
// and with [ErrManyBlocks] as soon as there are more blocks, without the sink's, than most; 0 means
// no limit. It splits blocks by signatures as long as that makes progress, then by bunches. Cost
// O((S + T) log S) time.
func refine(ctx context.Context, g *contracted, most int) []uint32 {
	s := newSignatures(ctx, g, most)
	if s.split(ctx) {
		return s.block
	}
	g.key, g.keys = s.block, s.blocks
	return refineByBunches(ctx, g, most)
}

func refineByBunches(ctx context.Context, g *contracted, most int) []uint32 {
	g.invert(ctx)
	r := newRefiner(ctx, g)
	r.most = most
	limit(len(r.first), most)
	for b := range uint32(len(r.first)) {
		r.awaken(b)
	}
	r.drain()
	for len(r.open) > 0 {
		t := r.open[len(r.open)-1]
		r.open = r.open[:len(r.open)-1]
		r.isOpen[t] = false
		if r.ofBunch.isLong(t) {
			r.cutBunch(t)
		}
	}
	return r.block
}

// Bytes of memory of the refiner: for each arc (lists that grow with the number of blocks, and
// tables for sorting) and for each node.
const (
	perArc  = 3*28 + 12 + 16 + 4 + 6 + 8
	perNode = 11 * 4
)

func newRefiner(ctx context.Context, g *contracted) *refiner {
	arcs := len(g.target)
	abort.On(resources.Ask(ctx, perArc*int64(arcs)+perNode*int64(g.nodes)))
	r := &refiner{
		g: g, ctx: ctx, meter: progress.Start(ctx, "merge", progress.Transitions, 0),
		at: make([]uint32, g.nodes), block: g.key, inert: make([]uint32, g.nodes),
		slices: newGrouping(arcs), parts: newGrouping(arcs), outs: newGrouping(arcs),
		ofBlock: newChain(g.nodes, arcs), ofBunch: newChain(arcs, arcs),
		rest: make([]uint32, 0, arcs), pending: make([]bool, 0, arcs), isOpen: make([]bool, 0, arcs),
		first: make([]uint32, 0, g.nodes), bottom: make([]uint32, 0, g.nodes), end: make([]uint32, 0, g.nodes),
	}
	r.search.init(g.nodes)
	for a, v := range g.source {
		if r.isInert(uint32(a)) {
			r.inert[v]++
		}
	}
	r.watched.slice, r.search.candidate = none, none
	r.fillBlocks()
	r.fillBunch()
	g.label = nil // the parts have the necessary information about labels
	return r
}

// isInert reports whether an arc is inert while there are no bunches.
func (r *refiner) isInert(a uint32) bool {
	v := r.g.source[a]
	return a < r.g.hiddenEnd[v] && r.block[v] == r.block[r.g.target[a]]
}

// fillBlocks makes one block of the nodes with each key.
func (r *refiner) fillBlocks() {
	next := make([]uint32, 2*r.g.keys+1)
	place := func(v int) uint32 {
		p := 2 * r.block[v]
		if r.inert[v] > 0 {
			p++
		}
		return p
	}
	for v := range r.block {
		next[place(v)+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	for b := range r.g.keys {
		r.first = append(r.first, next[2*b])
		r.bottom = append(r.bottom, next[2*b+1])
		r.end = append(r.end, next[2*b+2])
		r.ofBlock.addOwner()
	}
	r.nodes = make([]uint32, len(r.block))
	for v := range r.block {
		p := place(v)
		r.nodes[next[p]] = uint32(v)
		r.at[v] = next[p]
		next[p]++
	}
}

// fillBunch makes one bunch of all arcs that are not inert.
func (r *refiner) fillBunch() {
	arcs := make([]uint32, 0, len(r.g.target))
	for a := range r.g.target {
		if !r.isInert(uint32(a)) {
			arcs = append(arcs, uint32(a))
		}
	}
	bunch := r.newBunch()
	sourceBlock := func(a uint32) uint32 { return r.block[r.g.source[a]] }
	targetBlock := func(a uint32) uint32 { return r.block[r.g.target[a]] }
	label := func(a uint32) uint32 { return r.g.label[a] }
	addRuns(arcs, r.sameSource, func(run []uint32) { r.outs.add(run) })
	arcs = sortedBy(arcs, r.g.keys, sourceBlock)
	addRuns(arcs, func(a, b uint32) bool { return sourceBlock(a) == sourceBlock(b) }, func(run []uint32) {
		r.linkSlice(r.slices.add(run), sourceBlock(run[0]))
	})
	arcs = sortedBy(sortedBy(arcs, r.g.keys, targetBlock), r.g.labels, label)
	addRuns(arcs, func(a, b uint32) bool { return targetBlock(a) == targetBlock(b) && label(a) == label(b) }, func(run []uint32) {
		r.ofBunch.link(r.parts.add(run), bunch)
	})
	r.openBunch(bunch)
}

func (r *refiner) sameSource(a, b uint32) bool { return r.g.source[a] == r.g.source[b] }

// addRuns calls add with each maximal sequence of adjacent equal arcs.
func addRuns(arcs []uint32, same func(a, b uint32) bool, add func([]uint32)) {
	for start := 0; start < len(arcs); {
		end := start + 1
		for end < len(arcs) && same(arcs[end], arcs[start]) {
			end++
		}
		add(arcs[start:end])
		start = end
	}
}

// sortedBy returns the arcs sorted by key, which is below limit; arcs with the same key keep their
// order (counting sort).
func sortedBy(arcs []uint32, limit int, key func(uint32) uint32) []uint32 {
	next := make([]uint32, limit+1)
	for _, a := range arcs {
		next[key(a)+1]++
	}
	for i := range limit {
		next[i+1] += next[i]
	}
	sorted := make([]uint32, len(arcs))
	for _, a := range arcs {
		k := key(a)
		sorted[next[k]] = a
		next[k]++
	}
	return sorted
}

func (r *refiner) newBunch() uint32 {
	r.isOpen = append(r.isOpen, false)
	return r.ofBunch.addOwner()
}

// openBunch adds a bunch with several parts to open.
func (r *refiner) openBunch(t uint32) {
	if !r.isOpen[t] && r.ofBunch.isLong(t) {
		r.isOpen[t] = true
		r.open = append(r.open, t)
	}
}

func (r *refiner) linkSlice(x, block uint32) {
	r.ofBlock.link(x, block)
	for len(r.pending) <= int(x) {
		r.pending = append(r.pending, false)
	}
	r.pending[x] = false
}

func (r *refiner) setPending(x uint32) {
	if !r.pending[x] {
		r.pending[x] = true
		r.queue = append(r.queue, x)
	}
}

// limit ends the refinement if there are more blocks, without the sink's, than most.
func limit(blocks, most int) {
	if most > 0 && blocks-1 > most {
		abort.On(ErrManyBlocks)
	}
}

// count counts work.
func (r *refiner) count(work int) {
	if r.work += work; r.work >= 1<<16 {
		r.meter.Add(int64(r.work))
		r.work = 0
		abort.On(r.ctx.Err())
	}
}

// cutBunch splits the smaller one of two parts of t off as a bunch of its own, and makes all blocks
// stable again.
func (r *refiner) cutBunch(t uint32) {
	small := r.ofBunch.head[t]
	if other := r.ofBunch.next[small]; r.parts.len(other) < r.parts.len(small) {
		small = other
	}
	r.ofBunch.unlink(small)
	r.ofBunch.link(small, r.newBunch())
	r.openBunch(t)
	for _, a := range r.parts.members(small) {
		r.slices.move(a)
		r.outs.move(a)
	}
	for len(r.rest) < len(r.outs.groups) {
		r.rest = append(r.rest, none)
	}
	r.outs.settle(func(o, twin uint32) {
		if r.rest[twin] = o; r.outs.isEmpty(o) {
			r.rest[twin] = none
			r.outs.release(o)
		}
	})
	type pair struct{ small, rest uint32 }
	var unstable []pair
	r.slices.settle(func(x, twin uint32) {
		r.linkSlice(twin, r.ofBlock.owner[x])
		if r.slices.isEmpty(x) {
			r.releaseSlice(x)
		} else {
			unstable = append(unstable, pair{twin, x})
		}
	})
	r.count(int(r.parts.len(small)))
	for _, p := range unstable {
		r.stabilise(p.small, p.rest)
	}
}

func (r *refiner) releaseSlice(x uint32) {
	r.ofBlock.unlink(x)
	r.pending[x] = false
	r.slices.release(x)
}

// stabilise splits a block by its slice small of the new bunch. The nodes that reach arcs of that
// slice are also split by rest, the block's slice of the bunch that the new one was split off. The
// other nodes need no second split: their bottoms had an arc in the bunch before, and have none in
// the new one.
func (r *refiner) stabilise(small, rest uint32) {
	some := r.slices.members(small)[0]
	old := r.ofBlock.owner[small]
	r.watched = watched{slice: rest, twin: none}
	with, without := r.split(old, small, true)
	switch {
	case without == none:
	case with != old:
		rest = r.watched.twin
	case r.watched.gone:
		rest = none
	}
	r.watched.slice = none
	if rest != none {
		for _, a := range r.slices.members(r.slices.of[some].group) {
			if r.inert[r.g.source[a]] > 0 {
				continue
			}
			if o := r.rest[r.outs.of[a].group]; o != none {
				r.slices.mark(r.outs.members(o)[0])
			}
		}
		r.setPending(rest)
	}
	r.separate(with)
	r.drain()
}

// drain splits blocks by pending slices until no slice is pending.
func (r *refiner) drain() {
	for len(r.queue) > 0 {
		x := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		if r.pending[x] {
			r.pending[x] = false
			with, _ := r.split(r.ofBlock.owner[x], x, false)
			r.separate(with)
		}
	}
}

// separate makes a new bunch of the arcs that stopped being inert, from block to the rest of the
// block that was split, and separates the nodes of the block that reach these arcs from the others.
// Their bottoms are new, so all slices of their block become pending.
func (r *refiner) separate(block uint32) {
	if len(r.fresh) == 0 {
		return
	}
	x := r.bunchFresh(block)
	with, without := r.split(block, x, true)
	if without != none && len(r.fresh) > 0 {
		r.bunchFresh(with)
	}
	r.awaken(with)
}

// bunchFresh makes a bunch of the fresh arcs, which all lead from block to one other block, and
// returns their slice.
func (r *refiner) bunchFresh(block uint32) uint32 {
	slices.Sort(r.fresh) // arcs are numbered source by source
	x := r.slices.add(r.fresh)
	r.linkSlice(x, block)
	r.ofBunch.link(r.parts.add(r.fresh), r.newBunch())
	addRuns(r.fresh, r.sameSource, func(run []uint32) { r.outs.add(run) })
	r.fresh = r.fresh[:0]
	return x
}

// awaken makes all slices of a block with new bottoms pending.
func (r *refiner) awaken(block uint32) {
	for _, v := range r.nodes[r.first[block]:r.bottom[block]] {
		for a := r.g.row[v]; a < r.g.row[v+1]; a++ {
			r.slices.mark(a)
		}
	}
	for x := r.ofBlock.head[block]; x != none; x = r.ofBlock.next[x] {
		r.setPending(x)
	}
}
