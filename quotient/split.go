package quotient

// search is the state of two searches that take turns to split a block: one for the nodes that
// reach an arc of a slice by inert arcs, one for those that do not. The first one to end, with at
// most half of the nodes, pays for the split by the smaller side; the other one is given up.
type search struct {
	comes []bool
	// left[v] is the number of inert arcs of v to nodes that may still reach the slice; 0 if none
	// was visited.
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
	given   bool   // whether the search was given up
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

func (s *search) init(nodes int) {
	s.comes = make([]bool, nodes)
	s.left = make([]uint32, nodes)
}

func (s *search) addWith(v uint32) {
	if !s.comes[v] {
		s.comes[v] = true
		s.with.found = append(s.with.found, v)
	}
}

// split splits a block by a slice of it. The result with is the block of the nodes that reach an
// arc of the slice by inert arcs, the result without is the block of the other nodes; none if there
// are no such nodes. If all is false, only marked arcs of bottoms count. The smaller half becomes
// the new block. fresh has the arcs from with to without that stop being inert.
func (r *refiner) split(block, x uint32, all bool) (with, without uint32) {
	r.fresh = r.fresh[:0]
	s := &r.search
	seeds := r.slices.members(x)
	if !all {
		seeds = r.slices.marked(x)
	}
	s.with.reset(nil)
	others := r.bottom[block] // the end of the bottoms without an arc in x
	for _, a := range seeds {
		v := r.g.source[a]
		if !s.comes[v] && r.inert[v] == 0 {
			others--
			r.swapNode(v, others)
		}
		s.addWith(v)
	}
	s.scan = r.slices.groups[x].first + uint32(len(seeds))
	r.slices.unmark(x)
	// Every node reaches a bottom by inert arcs.
	if s.without.reset(r.nodes[r.first[block]:others]); len(s.without.initial) == 0 {
		s.clean()
		r.count(len(seeds))
		return block, none
	}
	won := r.race(block, x, all)
	smaller := make([]uint32, 0, won.len())
	smaller = append(append(smaller, won.initial...), won.found...)
	isWith := won == &s.with
	s.clean()
	if len(smaller) == 0 {
		return block, none
	}
	created := r.cutBlock(block, smaller, isWith)
	if isWith {
		return created, block
	}
	return block, created
}

func (s *search) clean() {
	for _, v := range s.with.found {
		s.comes[v] = false
	}
	for _, v := range s.touched {
		s.left[v] = 0
	}
	s.touched = s.touched[:0]
	s.candidate = none
}

// race lets the two searches take turns, one step each, until one is done.
func (r *refiner) race(block, x uint32, all bool) *half {
	s := &r.search
	most := int(r.end[block]-r.first[block]) / 2
	s.candidate = none
	for {
		if s.with.given = s.with.given || s.with.len() > most; !s.with.given && r.stepWith(x) {
			return &s.with
		}
		if s.without.given = s.without.given || s.without.len() > most; !s.without.given && r.stepWithout(x, all) {
			return &s.without
		}
		r.count(1)
	}
}

// incoming returns the next inert arc into a node of h; none if this step finds no such arc. looked
// is false if no node is left.
func (r *refiner) incoming(h *half) (a uint32, looked bool) {
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
	a, looked := r.incoming(&s.with)
	switch {
	case a != none:
		s.addWith(r.g.source[a])
	case looked:
	case s.scan < r.slices.groups[x].end:
		s.addWith(r.g.source[r.slices.arcs[s.scan]])
		s.scan++
	default:
		return true
	}
	return false
}

// stepWithout performs one step of the search for nodes that do not reach the slice, and reports
// whether it is done.
func (r *refiner) stepWithout(x uint32, all bool) bool {
	s := &r.search
	if v := s.candidate; v != none {
		switch {
		case s.arc == r.g.row[v+1]:
			s.without.found = append(s.without.found, v)
			s.candidate = none
		case r.slices.of[s.arc].group == x:
			s.candidate = none
		default:
			s.arc++
		}
		return false
	}
	a, looked := r.incoming(&s.without)
	if a == none {
		return !looked
	}
	v := r.g.source[a]
	if s.comes[v] {
		return false
	}
	if s.left[v] == 0 {
		s.left[v] = r.inert[v]
		s.touched = append(s.touched, v)
	}
	if s.left[v]--; s.left[v] > 0 {
		return false
	}
	if all {
		s.without.found = append(s.without.found, v)
	} else {
		s.candidate, s.arc = v, r.g.row[v]
	}
	return false
}

// swapNode exchanges v with the node at an index.
func (r *refiner) swapNode(v, at uint32) {
	from, other := r.at[v], r.nodes[at]
	r.nodes[from], r.at[other] = other, from
	r.nodes[at], r.at[v] = v, at
}

// cutBlock makes a new block of some nodes of a block. Cost O(arcs into and out of them).
func (r *refiner) cutBlock(old uint32, nodes []uint32, isWith bool) uint32 {
	b := r.ofBlock.addOwner()
	r.takeNodes(old, b, nodes)
	for _, v := range nodes {
		r.moveArcs(b, v, isWith)
	}
	r.slices.settle(func(x, twin uint32) {
		wasPending := r.pending[x]
		if r.linkSlice(twin, b); wasPending {
			r.setPending(twin)
		}
		if x == r.watched.slice {
			r.watched.twin, r.watched.gone = twin, r.slices.isEmpty(x)
		}
		if r.slices.isEmpty(x) {
			r.releaseSlice(x)
		}
	})
	r.parts.settle(func(x, twin uint32) {
		bunch := r.ofBunch.owner[x]
		r.ofBunch.link(twin, bunch)
		if r.parts.isEmpty(x) {
			r.ofBunch.unlink(x)
			r.parts.release(x)
		}
		r.openBunch(bunch)
	})
	for _, a := range r.fresh {
		v := r.g.source[a]
		if r.inert[v]--; r.inert[v] == 0 {
			within := r.block[v]
			r.swapNode(v, r.bottom[within])
			r.bottom[within]++
		}
	}
	return b
}

// takeNodes moves nodes of the old block to the new block b, which lies after the rest of the old
// block.
func (r *refiner) takeNodes(old, b uint32, nodes []uint32) {
	end := r.end[old]
	tail := end
	for _, v := range nodes {
		r.block[v] = b
		if r.inert[v] > 0 {
			tail--
			r.swapNode(v, tail)
		}
	}
	bottom := tail
	for _, v := range nodes {
		if r.inert[v] == 0 {
			r.bottom[old]--
			r.swapNode(v, r.bottom[old])
			tail--
			r.swapNode(v, tail)
		}
	}
	r.end[old] = tail
	r.first, r.bottom, r.end = append(r.first, tail), append(r.bottom, bottom), append(r.end, end)
	limit(len(r.first), r.most)
}

// moveArcs moves the arcs of a node of the new block b into new groups, and adds those that stop
// being inert to fresh.
func (r *refiner) moveArcs(b, v uint32, isWith bool) {
	g := r.g
	for a := g.row[v]; a < g.row[v+1]; a++ {
		if r.slices.has(a) {
			r.slices.move(a)
		} else if isWith && r.block[g.target[a]] != b {
			r.fresh = append(r.fresh, a)
		}
	}
	for _, a := range g.incoming[g.inRow[v]:g.inRow[v+1]] {
		if r.parts.has(a) {
			r.parts.move(a)
		} else if !isWith && r.block[g.source[a]] != b {
			r.fresh = append(r.fresh, a)
		}
	}
	r.count(int(g.row[v+1] - g.row[v] + g.inRow[v+1] - g.inRow[v]))
}
