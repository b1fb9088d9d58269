package quotient

// grouping is a partition of arcs into groups. Groups are only ever split. The arcs of a group are
// adjacent, the marked ones first. Arcs without a group can become a new group.
type grouping struct {
	arcs   []uint32 // the arcs with a group, group by group
	of     []placed // the place of each arc
	groups []group
	free   []uint32
	cut    []uint32 // the groups that have a twin
}

// placed is the group of an arc, none for an arc without a group, and its index in arcs.
type placed struct{ group, at uint32 }

// group is the arcs arcs[first:end]; those before marked are marked. twin is the group that is
// being split off; none if there is no split.
type group struct{ first, marked, end, twin uint32 }

// newGrouping returns a grouping of arcs without groups. It allocates room for as many groups as
// arcs at once: memory that is never written costs nothing, and growing would copy.
func newGrouping(arcs int) *grouping {
	p := &grouping{arcs: make([]uint32, 0, arcs), of: make([]placed, arcs), groups: make([]group, 0, arcs)}
	for a := range p.of {
		p.of[a].group = none
	}
	return p
}

// create returns an empty group that begins at an index of arcs.
func (p *grouping) create(at uint32) uint32 {
	if n := len(p.free); n > 0 {
		x := p.free[n-1]
		p.free = p.free[:n-1]
		p.groups[x] = group{at, at, at, none}
		return x
	}
	p.groups = append(p.groups, group{at, at, at, none})
	return uint32(len(p.groups) - 1)
}

// add makes a group of arcs without a group.
func (p *grouping) add(arcs []uint32) uint32 {
	x := p.create(uint32(len(p.arcs)))
	for _, a := range arcs {
		p.of[a] = placed{x, uint32(len(p.arcs))}
		p.arcs = append(p.arcs, a)
	}
	p.groups[x].end = uint32(len(p.arcs))
	return x
}

func (p *grouping) members(x uint32) []uint32 { return p.arcs[p.groups[x].first:p.groups[x].end] }

func (p *grouping) marked(x uint32) []uint32 { return p.arcs[p.groups[x].first:p.groups[x].marked] }

func (p *grouping) unmark(x uint32) { p.groups[x].marked = p.groups[x].first }

func (p *grouping) isEmpty(x uint32) bool { return p.groups[x].first == p.groups[x].end }

func (p *grouping) len(x uint32) uint32 { return p.groups[x].end - p.groups[x].first }

// has reports whether an arc has a group.
func (p *grouping) has(a uint32) bool { return p.of[a].group != none }

// swap exchanges the arcs at two indices.
func (p *grouping) swap(i, j uint32) {
	a, b := p.arcs[i], p.arcs[j]
	p.arcs[i], p.arcs[j] = b, a
	p.of[a].at, p.of[b].at = j, i
}

// mark marks an arc, unless it is marked.
func (p *grouping) mark(a uint32) {
	at := p.of[a].at
	if x := &p.groups[p.of[a].group]; at >= x.marked {
		p.swap(at, x.marked)
		x.marked++
	}
}

// move moves an arc from its group to the twin of the group, with its mark.
func (p *grouping) move(a uint32) {
	from := p.of[a].group
	if p.groups[from].twin == none {
		y := p.create(p.groups[from].end)
		p.groups[from].twin = y
		p.cut = append(p.cut, from)
	}
	x := &p.groups[from]
	y := &p.groups[x.twin]
	at := p.of[a].at
	marked := at < x.marked
	if marked {
		x.marked--
		p.swap(at, x.marked)
		at = x.marked
	}
	x.end--
	y.first--
	p.swap(at, x.end)
	if !marked {
		y.marked--
		p.swap(x.end, y.marked)
	}
	p.of[a].group = x.twin
}

// settle makes the twins groups like all others, and calls do with each group that was split and
// its twin. The group may be empty now; then release it.
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

// chain is a doubly linked list of groups for each owner.
type chain struct {
	head       []uint32 // the first group of each owner
	owner      []uint32 // the owner of each group
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
