package quotient

// A grouping is a partition of arcs into groups that only ever get finer. The
// arcs of a group lie next to each other, the marked ones first. Arcs that are in
// no group yet are added as groups of their own.
type grouping struct {
	arcs []uint32 // group by group
	at   []uint32 // at[a] is the index of a in arcs
	of   []uint32 // of[a] is the group of a, none for an arc in no group
	// Of group x: its arcs are arcs[first[x]:end[x]], the marked ones those before
	// marked[x]; marked is nil where no marks are needed. The group that is being
	// cut off it is twin[x].
	first, marked, end, twin []uint32
	free                     []uint32
	cut                      []uint32 // the groups that have a twin
}

// newGrouping returns a grouping of some arcs, none of which is in a group yet.
// There are never more groups than arcs. The room for them is taken at once, for
// memory that nothing is written to costs nothing, and growing would copy.
func newGrouping(arcs int, marks bool) *grouping {
	p := &grouping{
		arcs: make([]uint32, 0, arcs), at: make([]uint32, arcs), of: make([]uint32, arcs),
		first: make([]uint32, 0, arcs), end: make([]uint32, 0, arcs), twin: make([]uint32, 0, arcs),
	}
	if marks {
		p.marked = make([]uint32, 0, arcs)
	}
	for a := range p.of {
		p.of[a] = none
	}
	return p
}

// create returns an empty group that begins at an index of arcs.
func (p *grouping) create(at uint32) uint32 {
	if n := len(p.free); n > 0 {
		x := p.free[n-1]
		p.free = p.free[:n-1]
		p.first[x], p.end[x] = at, at
		if p.marked != nil {
			p.marked[x] = at
		}
		return x
	}
	p.first, p.end, p.twin = append(p.first, at), append(p.end, at), append(p.twin, none)
	if p.marked != nil {
		p.marked = append(p.marked, at)
	}
	return uint32(len(p.first) - 1)
}

// add makes a group of arcs that are in none.
func (p *grouping) add(arcs []uint32) uint32 {
	x := p.create(uint32(len(p.arcs)))
	for _, a := range arcs {
		p.of[a] = x
		p.at[a] = uint32(len(p.arcs))
		p.arcs = append(p.arcs, a)
	}
	p.end[x] = uint32(len(p.arcs))
	return x
}

func (p *grouping) members(x uint32) []uint32 { return p.arcs[p.first[x]:p.end[x]] }

func (p *grouping) isEmpty(x uint32) bool { return p.first[x] == p.end[x] }

func (p *grouping) len(x uint32) uint32 { return p.end[x] - p.first[x] }

func (p *grouping) put(a, at uint32) {
	p.arcs[at] = a
	p.at[a] = at
}

// swap exchanges a and the arc at an index.
func (p *grouping) swap(a, at uint32) {
	from, other := p.at[a], p.arcs[at]
	p.put(other, from)
	p.put(a, at)
}

// mark marks an arc; marking it twice is marking it once.
func (p *grouping) mark(a uint32) {
	if x := p.of[a]; p.at[a] >= p.marked[x] {
		p.swap(a, p.marked[x])
		p.marked[x]++
	}
}

// move takes an arc out of its group into the twin of that, and keeps its mark.
// It reports whether the twin is new.
func (p *grouping) move(a uint32) (twin uint32, isNew bool) {
	x := p.of[a]
	y := p.twin[x]
	if isNew = y == none; isNew {
		y = p.create(p.end[x])
		p.twin[x] = y
		p.cut = append(p.cut, x)
	}
	marked := p.marked != nil && p.at[a] < p.marked[x]
	if marked {
		p.marked[x]--
		p.swap(a, p.marked[x])
	}
	p.end[x]--
	p.swap(a, p.end[x])
	p.first[y]--
	if p.marked != nil && !marked {
		p.marked[y]--
		p.swap(a, p.marked[y])
	}
	p.of[a] = y
	return y, isNew
}

// settle makes the twins groups like all others, and calls do with each group
// that was cut and its twin. The group may be empty now; release it then.
func (p *grouping) settle(do func(x, twin uint32)) {
	for _, x := range p.cut {
		y := p.twin[x]
		p.twin[x] = none
		do(x, y)
	}
	p.cut = p.cut[:0]
}

// release gives the number of an empty group away.
func (p *grouping) release(x uint32) { p.free = append(p.free, x) }

// A chain links groups that have an owner in common.
type chain struct {
	head       []uint32 // of each owner
	owner      []uint32 // of each group
	next, prev []uint32
}

func newChain(owners, groups int) chain {
	return chain{
		head:  make([]uint32, 0, owners),
		owner: make([]uint32, 0, groups), next: make([]uint32, 0, groups), prev: make([]uint32, 0, groups),
	}
}

func (c *chain) addOwner() uint32 {
	c.head = append(c.head, none)
	return uint32(len(c.head) - 1)
}

func (c *chain) link(x, owner uint32) {
	for len(c.owner) <= int(x) {
		c.owner, c.next, c.prev = append(c.owner, none), append(c.next, none), append(c.prev, none)
	}
	head := c.head[owner]
	c.owner[x], c.next[x], c.prev[x] = owner, head, none
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
