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
	// rest[o] is set for a group o of outs whose bunch was just split off another bunch. It is the
	// group with the same source in that other bunch; none if there is no such group.
	rest []uint32

	// pending[x] reports that slice x must become stable before the next bunch is split. Then each
	// bottom of the block with an arc in the slice has a marked arc there.
	pending []bool
	queue   []uint32
	// open lists the bunches that may have several parts.
	open   []uint32
	isOpen []bool

	search search
	// fresh are the arcs that stopped being inert in the last split of a block. watched is a slice
	// whose change in the split the caller needs.
	fresh   []uint32
	watched watched

	ctx   context.Context
	meter *progress.Meter
	work  int
	most  int // the largest number of blocks allowed; 0 for no limit
}

// watched records how a split changes a slice: twin is the part that moves with the nodes of the new
// block, none if no arc moves, and gone reports that nothing stays.
type watched struct {
	slice, twin uint32
	gone        bool
}

// refine returns the block of every node of g; blocks are not numbered in any particular order. It
// fails if ctx is done, and with [ErrManyBlocks] as soon as the number of blocks exceeds most,
// unless most is 0. The block of the sink does not count. It splits blocks by signatures as long as
// that makes progress, then by bunches. Cost O((S + T) log S) time.
func refine(ctx context.Context, g *contracted, most int) []uint32 {
	s := newSignatures(ctx, g, most)
	if s.split(ctx) {
		return s.block
	}
	g.key = s.block
	g.keys = s.blocks
	return refineByBunches(ctx, g, most)
}

// refineByBunches returns the block of each node, by splitting blocks until they are stable. It
// fails if the number of blocks exceeds most.
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

// These are the bytes that the refiner needs for each arc (lists that grow with the number of
// blocks, and tables for sorting) and for each node.
const (
	perArc  = 3*28 + 12 + 16 + 4 + 6 + 8
	perNode = 11 * 4
)

// newRefiner returns a refiner whose blocks are the nodes with the same key.
func newRefiner(ctx context.Context, g *contracted) *refiner {
	arcs := len(g.target)
	abort.On(resources.Ask(ctx, perArc*int64(arcs)+perNode*int64(g.nodes)))
	r := &refiner{
		g:       g,
		ctx:     ctx,
		meter:   progress.Start(ctx, "merge", progress.Transitions, 0),
		at:      make([]uint32, g.nodes),
		block:   g.key,
		inert:   make([]uint32, g.nodes),
		slices:  newGrouping(arcs),
		parts:   newGrouping(arcs),
		outs:    newGrouping(arcs),
		ofBlock: newChain(g.nodes, arcs),
		ofBunch: newChain(arcs, arcs),
		rest:    make([]uint32, 0, arcs),
		pending: make([]bool, 0, arcs),
		isOpen:  make([]bool, 0, arcs),
		first:   make([]uint32, 0, g.nodes),
		bottom:  make([]uint32, 0, g.nodes),
		end:     make([]uint32, 0, g.nodes),
	}
	r.search.reaches = make([]bool, g.nodes)
	r.search.left = make([]uint32, g.nodes)
	for a, v := range g.source {
		if r.isInert(uint32(a)) {
			r.inert[v]++
		}
	}
	r.watched.slice = none
	r.search.candidate = none
	r.makeBlocks()
	r.fillBunch()
	g.label = nil // the parts have the necessary information about labels
	return r
}

// makeBlocks makes a block of all nodes with the same key, by a counting sort. In each block the
// bottom nodes come first.
func (r *refiner) makeBlocks() {
	// rankOf returns the place of a node in the order of the sort: its key, and whether it is a bottom.
	rankOf := func(v int) uint32 {
		rank := 2 * r.block[v]
		if r.inert[v] > 0 {
			rank++
		}
		return rank
	}
	next := make([]uint32, 2*r.g.keys+1)
	for v := range r.block {
		next[rankOf(v)+1]++
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
		rank := rankOf(v)
		r.nodes[next[rank]] = uint32(v)
		r.at[v] = next[rank]
		next[rank]++
	}
}

// isInert reports whether an arc is inert in the initial blocks.
func (r *refiner) isInert(a uint32) bool {
	v := r.g.source[a]
	return a < r.g.hiddenEnd[v] && r.block[v] == r.block[r.g.target[a]]
}

// fillBunch makes one bunch of all arcs that are not inert.
func (r *refiner) fillBunch() {
	arcs := make([]uint32, 0, len(r.g.target))
	for a := range r.g.target {
		if !r.isInert(uint32(a)) {
			arcs = append(arcs, uint32(a))
		}
	}
	sourceBlock := func(a uint32) uint32 { return r.block[r.g.source[a]] }
	targetBlock := func(a uint32) uint32 { return r.block[r.g.target[a]] }
	label := func(a uint32) uint32 { return r.g.label[a] }
	addRuns(arcs, r.sameSource, func(arcs []uint32) { r.outs.add(arcs) })
	ofOneSlice := func(a, b uint32) bool { return sourceBlock(a) == sourceBlock(b) }
	arcs = sortedBy(arcs, r.g.keys, sourceBlock)
	addRuns(arcs, ofOneSlice, func(slice []uint32) {
		r.linkSlice(r.slices.add(slice), sourceBlock(slice[0]))
	})
	bunch := r.newBunch()
	ofOnePart := func(a, b uint32) bool {
		return targetBlock(a) == targetBlock(b) && label(a) == label(b)
	}
	arcs = sortedBy(arcs, r.g.keys, targetBlock)
	arcs = sortedBy(arcs, r.g.labels, label)
	addRuns(arcs, ofOnePart, func(part []uint32) {
		r.ofBunch.link(r.parts.add(part), bunch)
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

// openBunch adds a bunch to open, if it has several parts and is not there yet.
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

// limit ends the refinement if the number of blocks, without the block of the sink, exceeds most.
func limit(blocks, most int) {
	if most > 0 && blocks-1 > most {
		abort.On(ErrManyBlocks)
	}
}

// count counts work.
func (r *refiner) count(work int) {
	r.work += work
	if r.work >= 1<<16 {
		r.meter.Add(int64(r.work))
		r.work = 0
		abort.On(r.ctx.Err())
	}
}

// cutBunch makes the smaller one of two parts of bunch t a bunch of its own, and makes all blocks
// stable again.
func (r *refiner) cutBunch(t uint32) {
	small := r.ofBunch.head[t]
	other := r.ofBunch.next[small]
	if r.parts.len(other) < r.parts.len(small) {
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
		r.rest[twin] = o
		if r.outs.isEmpty(o) {
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
			unstable = append(unstable, pair{small: twin, rest: x})
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

// stabilise splits a block by small, its slice of the new bunch. The nodes that reach arcs of small
// are also split by rest, the block's slice of the bunch from which the new bunch was split off.
// The other nodes need no second split: their bottoms had an arc in the old bunch, and have none in
// the new one.
func (r *refiner) stabilise(small, rest uint32) {
	member := r.slices.members(small)[0]
	old := r.ofBlock.owner[small]
	r.watched = watched{slice: rest, twin: none}
	with, without := r.split(old, small)
	wasSplit := without != none
	if wasSplit {
		rest = r.watched.partIn(with != old)
	}
	r.watched.slice = none
	if rest != none {
		small = r.slices.place[member].group // the split may have moved it to another slice
		r.markRest(small)
		r.setPending(rest)
	}
	r.separate(with)
	r.drain()
}

// partIn returns the part of the slice that lies in the new block, or in the old one; none if it is
// empty.
func (w watched) partIn(newBlock bool) uint32 {
	switch {
	case newBlock:
		return w.twin
	case w.gone:
		return none
	}
	return w.slice
}

// markRest marks, for each bottom with an arc in a slice of the new bunch, one of its arcs in the bunch
// from which the new bunch was split off.
func (r *refiner) markRest(slice uint32) {
	for _, a := range r.slices.members(slice) {
		isBottom := r.inert[r.g.source[a]] == 0
		if !isBottom {
			continue
		}
		rest := r.rest[r.outs.place[a].group]
		if rest != none {
			r.slices.mark(r.outs.members(rest)[0])
		}
	}
}

// drain splits blocks by pending slices until no slice is pending.
func (r *refiner) drain() {
	for len(r.queue) > 0 {
		x := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		if r.pending[x] {
			r.pending[x] = false
			with, _ := r.splitByMarked(r.ofBlock.owner[x], x)
			r.separate(with)
		}
	}
}

// separate makes a new bunch of the arcs that stopped being inert. They lead from the given block
// to the rest of the block that was split. It separates the nodes of the given block that reach
// these arcs from the other nodes. The bottoms of the nodes that reach these arcs are new, so all
// slices of their block become pending.
func (r *refiner) separate(block uint32) {
	if len(r.fresh) == 0 {
		return
	}
	x := r.bunchFresh(block)
	with, without := r.split(block, x)
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

// search is the state of two searches that take turns to split a block: one for the nodes that
// reach an arc of a slice by inert arcs, one for those that do not. Once one search ends, with at
// most half of the nodes, the other is given up, so that a split costs time in proportion to its
// smaller half.
type search struct {
	// allSeeds reports whether the search began at the sources of all arcs of the slice. Otherwise it
	// began at those of the marked ones, and meets the others later.
	allSeeds bool
	// reaches[v] reports whether v is known to reach an arc of the slice.
	reaches []bool
	// left[v] is the number of inert arcs of v to nodes that may still reach the slice; 0 if no
	// inert arc of v was visited.
	left    []uint32
	touched []uint32
	with    half
	without half

	// scan is the index of the next arc of the slice whose source is to be visited.
	scan uint32
	// candidate is a node whose inert arcs all lead to nodes that do not reach the slice. Its other
	// arcs, from index arc on, are still to be checked.
	candidate uint32
	arc       uint32
}

// half is the known part of one side of a split. Its initial nodes are in the list of the block
// itself, the others in found.
type half struct {
	initial []uint32
	found   []uint32
	next    int    // the node whose incoming arcs are visited
	in      uint32 // the index of the next incoming arc
	givenUp bool
}

func (h *half) reset(initial []uint32) {
	*h = half{initial: initial, found: h.found[:0], next: -1}
}

func (h *half) len() int { return len(h.initial) + len(h.found) }

func (h *half) node(i int) uint32 {
	if i < len(h.initial) {
		return h.initial[i]
	}
	return h.found[i-len(h.initial)]
}

func (s *search) addWith(v uint32) {
	if !s.reaches[v] {
		s.reaches[v] = true
		s.with.found = append(s.with.found, v)
	}
}

// split splits a block by one of its slices, x. It returns two blocks: with has the nodes that
// reach an arc of the slice by inert arcs, and without has the other nodes. Each is none if there
// are no such nodes. The smaller half becomes the new block. split sets fresh to the arcs between
// the two blocks that stop being inert.
func (r *refiner) split(block, x uint32) (with, without uint32) {
	r.search.allSeeds = true
	return r.splitFrom(block, x, r.slices.members(x))
}

// splitByMarked is [refiner.split] for a slice some of whose arcs are marked. The caller has marked at least
// one arc of each bottom that has arcs in the slice, so that the search can begin with the marked arcs only.
func (r *refiner) splitByMarked(block, x uint32) (with, without uint32) {
	r.search.allSeeds = false
	return r.splitFrom(block, x, r.slices.marked(x))
}

// splitFrom splits a block as [refiner.split] does. The seeds, which are the first arcs of slice x, must include
// an arc of each bottom that has arcs in the slice. The search begins at the sources of the seeds.
func (r *refiner) splitFrom(block, x uint32, seeds []uint32) (with, without uint32) {
	r.fresh = r.fresh[:0]
	s := &r.search
	r.beginSearches(block, x, seeds)
	// Every node reaches a bottom by inert arcs. So if each bottom has an arc in the slice, all nodes
	// reach the slice, and there is nothing to split.
	if len(s.without.initial) == 0 {
		s.clean()
		r.count(len(seeds))
		return block, none
	}
	smaller := r.race(block, x)
	isWith := smaller == &s.with
	nodes := slices.Concat(smaller.initial, smaller.found)
	s.clean()
	if len(nodes) == 0 {
		return block, none
	}
	created := r.cutBlock(block, nodes)
	if isWith {
		r.addFreshFrom(created, nodes)
		r.countFreshAsNotInert()
		return created, block
	}
	r.addFreshInto(created, nodes)
	r.countFreshAsNotInert()
	return block, created
}

// beginSearches prepares the two searches of a split: one for the nodes that reach the slice, which begins at
// the sources of the seeds, and one for those that do not, which begins at the bottoms without a seed. It moves these
// bottoms to the front of the block, and removes the marks of all arcs of the slice.
func (r *refiner) beginSearches(block, x uint32, seeds []uint32) {
	s := &r.search
	s.with.reset(nil)
	othersEnd := r.bottom[block] // the bottoms without a seed are nodes[first[block]:othersEnd]
	for _, a := range seeds {
		v := r.g.source[a]
		isBottom := r.inert[v] == 0
		if isBottom && !s.reaches[v] {
			othersEnd--
			r.swapNode(v, othersEnd)
		}
		s.addWith(v)
	}
	slice := &r.slices.groups[x]
	s.scan = slice.first + uint32(len(seeds))
	slice.marked = slice.first
	s.without.reset(r.nodes[r.first[block]:othersEnd])
}

// clean forgets what the two searches have found.
func (s *search) clean() {
	for _, v := range s.with.found {
		s.reaches[v] = false
	}
	for _, v := range s.touched {
		s.left[v] = 0
	}
	s.touched = s.touched[:0]
	s.candidate = none
}

// race lets the two searches take turns, one step each, until one of them is done, and returns the half
// that it has found.
func (r *refiner) race(block, x uint32) *half {
	s := &r.search
	most := int(r.end[block]-r.first[block]) / 2
	s.candidate = none
	for {
		s.with.givenUp = s.with.givenUp || s.with.len() > most
		if !s.with.givenUp && r.stepWith(x) {
			return &s.with
		}
		s.without.givenUp = s.without.givenUp || s.without.len() > most
		if !s.without.givenUp && r.stepWithout(x) {
			return &s.without
		}
		r.count(1)
	}
}

// incoming returns the next inert arc into a node of h; none if this step finds no such arc. advanced
// is false if all nodes of h have been visited, so that nothing was left to look at.
func (r *refiner) incoming(h *half) (a uint32, advanced bool) {
	if h.next < 0 || h.in == r.g.inHidden[h.node(h.next)] {
		if h.next+1 >= h.len() {
			return none, false
		}
		h.next++
		h.in = r.g.inRow[h.node(h.next)]
		return none, true
	}
	a = r.g.incoming[h.in]
	h.in++
	if r.slices.has(a) {
		return none, true
	}
	return a, true
}

// stepWith performs one step of the search for nodes that reach the slice, and reports whether it
// is done.
func (r *refiner) stepWith(x uint32) bool {
	s := &r.search
	a, advanced := r.incoming(&s.with)
	if a != none {
		s.addWith(r.g.source[a])
	}
	if advanced {
		return false
	}
	hasMoreArcs := s.scan < r.slices.groups[x].end
	if !hasMoreArcs {
		return true
	}
	s.addWith(r.g.source[r.slices.arcs[s.scan]])
	s.scan++
	return false
}

// stepWithout performs one step of the search for nodes that do not reach the slice, and reports
// whether it is done.
func (r *refiner) stepWithout(x uint32) bool {
	s := &r.search
	if s.candidate != none {
		r.checkCandidate(x)
		return false
	}
	a, advanced := r.incoming(&s.without)
	if a == none {
		return !advanced
	}
	v := r.g.source[a]
	if s.reaches[v] {
		return false
	}
	if s.left[v] == 0 {
		s.left[v] = r.inert[v]
		s.touched = append(s.touched, v)
	}
	s.left[v]--
	if s.left[v] > 0 {
		return false
	}
	if s.allSeeds { // v has no arc in the slice, since it was not reached from the seeds
		s.without.found = append(s.without.found, v)
	} else {
		s.candidate = v
		s.arc = r.g.row[v]
	}
	return false
}

// checkCandidate checks the next arc of the candidate. The candidate does not reach slice x if none of
// its arcs lies in x.
func (r *refiner) checkCandidate(x uint32) {
	s := &r.search
	v := s.candidate
	rowEnd := r.g.row[v+1]
	switch {
	case s.arc == rowEnd:
		s.without.found = append(s.without.found, v)
		s.candidate = none
	case r.slices.place[s.arc].group == x:
		s.candidate = none
	default:
		s.arc++
	}
}

// swapNode exchanges v with the node at an index.
func (r *refiner) swapNode(v, at uint32) {
	from := r.at[v]
	other := r.nodes[at]
	r.nodes[from] = other
	r.at[other] = from
	r.nodes[at] = v
	r.at[v] = at
}

// cutBlock makes a new block of some nodes of a block, and returns its number. Cost O(arcs into and
// out of the nodes).
func (r *refiner) cutBlock(old uint32, nodes []uint32) uint32 {
	b := r.ofBlock.addOwner()
	r.moveNodes(old, b, nodes)
	limit(len(r.first), r.most)
	r.moveArcs(nodes)
	r.slices.settle(func(x, twin uint32) { r.settleSlice(x, twin, b) })
	r.parts.settle(r.settlePart)
	return b
}

// moveNodes moves nodes to a new block, which lies after the rest of the old one. The bottom nodes
// of the new block, those without inert arcs, come first.
func (r *refiner) moveNodes(old, b uint32, nodes []uint32) {
	end := r.end[old]
	first := end // the new block is nodes[first:end], and grows downwards
	for _, v := range nodes {
		r.block[v] = b
		if r.inert[v] > 0 {
			first--
			r.swapNode(v, first)
		}
	}
	bottom := first // the end of its bottoms
	for _, v := range nodes {
		if r.inert[v] > 0 {
			continue
		}
		// The last bottom of the old block takes the place of v, so that its bottoms stay adjacent.
		r.bottom[old]--
		r.swapNode(v, r.bottom[old])
		first--
		r.swapNode(v, first)
	}
	r.end[old] = first
	r.first = append(r.first, first)
	r.bottom = append(r.bottom, bottom)
	r.end = append(r.end, end)
}

// moveArcs moves the arcs that leave the nodes of a new block to twins of their slices, and the
// arcs that enter these nodes to twins of their parts. Inert arcs have neither.
func (r *refiner) moveArcs(nodes []uint32) {
	g := r.g
	for _, v := range nodes {
		for a := g.row[v]; a < g.row[v+1]; a++ {
			if r.slices.has(a) {
				r.slices.move(a)
			}
		}
		for _, a := range g.incoming[g.inRow[v]:g.inRow[v+1]] {
			if r.parts.has(a) {
				r.parts.move(a)
			}
		}
		r.count(int(g.row[v+1] - g.row[v] + g.inRow[v+1] - g.inRow[v]))
	}
}

// addFreshFrom adds to fresh the inert arcs that lead from the nodes of a new block to another
// block.
func (r *refiner) addFreshFrom(b uint32, nodes []uint32) {
	g := r.g
	for _, v := range nodes {
		for a := g.row[v]; a < g.row[v+1]; a++ {
			if !r.slices.has(a) && r.block[g.target[a]] != b {
				r.fresh = append(r.fresh, a)
			}
		}
	}
}

// addFreshInto adds to fresh the inert arcs that lead from another block to the nodes of a new
// block.
func (r *refiner) addFreshInto(b uint32, nodes []uint32) {
	g := r.g
	for _, v := range nodes {
		for _, a := range g.incoming[g.inRow[v]:g.inRow[v+1]] {
			if !r.parts.has(a) && r.block[g.source[a]] != b {
				r.fresh = append(r.fresh, a)
			}
		}
	}
}

// settleSlice gives the twin of slice x to block b. The twin is pending if x is.
func (r *refiner) settleSlice(x, twin, b uint32) {
	wasPending := r.pending[x]
	r.linkSlice(twin, b)
	if wasPending {
		r.setPending(twin)
	}
	if x == r.watched.slice {
		r.watched.twin = twin
		r.watched.gone = r.slices.isEmpty(x)
	}
	if r.slices.isEmpty(x) {
		r.releaseSlice(x)
	}
}

// settlePart moves the twin of part x into the bunch of x.
func (r *refiner) settlePart(x, twin uint32) {
	bunch := r.ofBunch.owner[x]
	r.ofBunch.link(twin, bunch)
	if r.parts.isEmpty(x) {
		r.ofBunch.unlink(x)
		r.parts.release(x)
	}
	r.openBunch(bunch)
}

// countFreshAsNotInert removes the arcs of fresh from the counts of inert arcs. A node that has lost its
// last inert arc becomes a bottom of its block.
func (r *refiner) countFreshAsNotInert() {
	for _, a := range r.fresh {
		v := r.g.source[a]
		r.inert[v]--
		if r.inert[v] == 0 {
			within := r.block[v]
			r.swapNode(v, r.bottom[within])
			r.bottom[within]++
		}
	}
}

// grouping is a partition of arcs into groups, which can only be split. The arcs of a group are
// adjacent, and the marked ones come first. Arcs without a group can become a new group.
type grouping struct {
	arcs   []uint32 // the arcs with a group, group by group
	place  []placed // the place of each arc
	groups []group
	free   []uint32
	cut    []uint32 // the groups that have a twin
}

// placed is the place of an arc: its group, and its index in grouping.arcs. An arc without a group has
// the group none.
type placed struct{ group, at uint32 }

// group is the arcs arcs[first:end], of which arcs[first:marked] are marked. twin is the group that
// is being split off; none if there is no split.
type group struct{ first, marked, end, twin uint32 }

// newGrouping returns a grouping of arcs without groups. It allocates room for as many groups as
// arcs at once: room that is never written needs no physical memory, and growing would copy.
func newGrouping(arcs int) *grouping {
	p := &grouping{
		arcs:   make([]uint32, 0, arcs),
		place:  make([]placed, arcs),
		groups: make([]group, 0, arcs),
	}
	for a := range p.place {
		p.place[a].group = none
	}
	return p
}

// create returns an empty group that begins at an index of arcs.
func (p *grouping) create(first uint32) uint32 {
	n := len(p.free)
	if n > 0 {
		x := p.free[n-1]
		p.free = p.free[:n-1]
		p.groups[x] = group{
			first:  first,
			marked: first,
			end:    first,
			twin:   none,
		}
		return x
	}
	p.groups = append(p.groups, group{
		first:  first,
		marked: first,
		end:    first,
		twin:   none,
	})
	return uint32(len(p.groups) - 1)
}

// add makes a new group of these arcs, which belong to none yet.
func (p *grouping) add(arcs []uint32) uint32 {
	x := p.create(uint32(len(p.arcs)))
	for _, a := range arcs {
		p.place[a] = placed{x, uint32(len(p.arcs))}
		p.arcs = append(p.arcs, a)
	}
	p.groups[x].end = uint32(len(p.arcs))
	return x
}

func (p *grouping) members(x uint32) []uint32 {
	return p.arcs[p.groups[x].first:p.groups[x].end]
}

// marked returns the marked arcs of a group.
func (p *grouping) marked(x uint32) []uint32 {
	return p.arcs[p.groups[x].first:p.groups[x].marked]
}

func (p *grouping) isEmpty(x uint32) bool { return p.groups[x].first == p.groups[x].end }

func (p *grouping) len(x uint32) uint32 { return p.groups[x].end - p.groups[x].first }

// has reports whether an arc has a group.
func (p *grouping) has(a uint32) bool { return p.place[a].group != none }

// swap exchanges the arcs at two indices.
func (p *grouping) swap(i, j uint32) {
	a := p.arcs[i]
	b := p.arcs[j]
	p.arcs[i] = b
	p.arcs[j] = a
	p.place[a].at = j
	p.place[b].at = i
}

// mark marks an arc, unless it is marked.
func (p *grouping) mark(a uint32) {
	at := p.place[a].at
	x := &p.groups[p.place[a].group]
	if at >= x.marked {
		p.swap(at, x.marked)
		x.marked++
	}
}

// move moves an arc to the twin of its group. A marked arc stays marked. The twin lies after the rest
// of the group: arcs are exchanged until the arc is the last of the rest, and then the border between
// the two moves down by one.
func (p *grouping) move(a uint32) {
	from := p.place[a].group
	if p.groups[from].twin == none {
		y := p.create(p.groups[from].end)
		p.groups[from].twin = y
		p.cut = append(p.cut, from)
	}
	x := &p.groups[from]
	y := &p.groups[x.twin]
	at := p.place[a].at
	isMarked := at < x.marked
	if isMarked { // to the end of the marked arcs, which stay adjacent
		x.marked--
		p.swap(at, x.marked)
		at = x.marked
	}
	x.end--
	y.first--
	p.swap(at, x.end)
	if !isMarked { // after the marked arcs of the twin
		y.marked--
		p.swap(x.end, y.marked)
	}
	p.place[a].group = x.twin
}

// settle turns the twins into ordinary groups, and calls do with each group that was split and its
// twin. If the group is empty by then, do must release it.
func (p *grouping) settle(do func(x, twin uint32)) {
	for _, x := range p.cut {
		y := p.groups[x].twin
		p.groups[x].twin = none
		do(x, y)
	}
	p.cut = p.cut[:0]
}

// release makes the number of an empty group available for reuse.
func (p *grouping) release(x uint32) { p.free = append(p.free, x) }

// chain has a doubly linked list of groups for each owner.
type chain struct {
	head       []uint32 // the first group of each owner
	owner      []uint32 // the owner of each group
	next, prev []uint32
}

func newChain(owners, groups int) chain {
	return chain{
		head:  make([]uint32, 0, owners),
		owner: make([]uint32, 0, groups),
		next:  make([]uint32, 0, groups),
		prev:  make([]uint32, 0, groups),
	}
}

func (c *chain) addOwner() uint32 {
	c.head = append(c.head, none)
	return uint32(len(c.head) - 1)
}

// link puts x at the beginning of the list of its owner.
func (c *chain) link(x, owner uint32) {
	for len(c.owner) <= int(x) {
		c.owner = append(c.owner, none)
		c.next = append(c.next, none)
		c.prev = append(c.prev, none)
	}
	head := c.head[owner]
	c.owner[x] = owner
	c.next[x] = head
	c.prev[x] = none
	if head != none {
		c.prev[head] = x
	}
	c.head[owner] = x
}

func (c *chain) unlink(x uint32) {
	if c.prev[x] != none {
		c.next[c.prev[x]] = c.next[x]
	} else {
		c.head[c.owner[x]] = c.next[x]
	}
	if c.next[x] != none {
		c.prev[c.next[x]] = c.prev[x]
	}
}

// isLong reports whether an owner has two groups or more.
func (c *chain) isLong(owner uint32) bool {
	head := c.head[owner]
	return head != none && c.next[head] != none
}
