package scc

import (
	"context"
	"iter"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/pagedlist"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// Parts finds strongly connected components in parts of an LTS. A refinement
// enters one part after the other, and parts of parts. It is for one goroutine.
type Parts struct {
	ctx context.Context
	m   *lts.LTS
	// part[s] is the number of the last part that s was put in.
	part  []uint32
	count uint32 // the number of parts so far
	// index[s] is 0 if s is outside the part that is searched, or its component
	// is known; unvisited if s was not visited; and otherwise the smallest number
	// known of a state that s reaches. Visited states are numbered from unvisited+1
	// on.
	index []uint32
	work  int
	// path and open are lists of the last search, whose memory the next one
	// reuses.
	path pagedlist.List[onPath]
	open []lts.State
}

// NewParts returns a search in m. It fails if the budget of ctx is used up. Cost
// O(S), 8 bytes a state.
func NewParts(ctx context.Context, m *lts.LTS) (*Parts, error) {
	n := m.NumStates()
	if err := resources.AskFor[uint32](ctx, 2*n); err != nil {
		return nil, err
	}
	return &Parts{
		ctx:   ctx,
		m:     m,
		part:  make([]uint32, n),
		index: make([]uint32, n),
	}, nil
}

// Enter makes the given states the part about which [Parts.Has] reports, until the next call or search.
// Cost O(states).
func (p *Parts) Enter(states []lts.State) {
	p.count++
	for _, s := range states {
		p.part[s] = p.count
	}
}

// Work returns how many transitions and states the searches have read. Cost O(1).
func (p *Parts) Work() int64 { return int64(p.work) }

// Has reports whether s is in the part that was entered last. Cost O(1).
func (p *Parts) Has(s lts.State) bool { return p.part[s] == p.count }

// Components enters states as a part, and returns the strongly connected
// components of the part by the transitions for which shows returns true (all
// transitions if shows is nil): successors before predecessors. Each has a slice
// of its own, and other searches may be made before all have been yielded. It
// fails if ctx is done. Tarjan's algorithm, without recursion. Cost O(S + T) of
// the part.
func (p *Parts) Components(
	states []lts.State,
	shows func(from lts.State, l lts.Label, to lts.State) bool,
) (iter.Seq[[]lts.State], error) {
	p.Enter(states)
	if len(states) == 1 {
		return p.single(states, true), nil
	}
	return p.search(states, &tarjan{shows: shows})
}

// Without is [Parts.Components] for the transitions whose labels are not hidden. It only finds
// components that contain such a transition. It does not enter the states as a part.
func (p *Parts) Without(
	states []lts.State,
	hidden bitset.Set[lts.Label],
) (iter.Seq[[]lts.State], error) {
	if len(states) == 1 {
		shown := func(_ lts.State, l lts.Label, _ lts.State) bool {
			return !hidden.Has(l)
		}
		isCyclic := hasSelfLoop(p.m, states[0], shown)
		return p.single(states, isCyclic), nil
	}
	return p.search(states, &tarjan{hidden: hidden, cyclic: true})
}

// single yields a part of one state as a component if isComponent is true. Such parts need no search,
// and a model can have as many of them as states.
func (p *Parts) single(states []lts.State, isComponent bool) iter.Seq[[]lts.State] {
	labels, _ := p.m.Out(states[0])
	p.work += labels.Len() + 1
	return func(yield func([]lts.State) bool) {
		if isComponent {
			yield([]lts.State{states[0]}) // a slice of its own: the caller may use that of the part again
		}
	}
}

// search finds the components among some states, and returns a function that yields them.
func (p *Parts) search(states []lts.State, t *tarjan) (iter.Seq[[]lts.State], error) {
	t.Parts = p
	t.lastIndex = unvisited
	t.states = make([]lts.State, len(states))
	t.waiting = len(states)
	p.path.Truncate(0)
	for _, s := range states {
		p.index[s] = unvisited
	}
	for _, root := range states {
		if p.index[root] != unvisited {
			continue
		}
		t.visit(root)
		for p.path.Len() > 0 {
			before := p.work
			p.work += t.step()
			isCheckDue := before/checkEvery != p.work/checkEvery
			if isCheckDue && p.ctx.Err() != nil {
				return nil, p.ctx.Err()
			}
		}
	}
	return func(yield func([]lts.State) bool) {
		first := 0
		for _, end := range t.ends {
			if !yield(t.states[first:end:end]) {
				return
			}
			first = end
		}
	}, nil
}

// checkEvery is the work of a search between two checks of the context.
const checkEvery = 1 << 14

// tarjan is a run of Tarjan's algorithm on one part. One number a state serves as
// index and as lowlink, as in Pearce's algorithm.
type tarjan struct {
	*Parts
	shows     func(lts.State, lts.Label, lts.State) bool
	hidden    bitset.Set[lts.Label]
	cyclic    bool   // components without a transition are left out
	lastIndex uint32 // the number of the last visited state
	// states begins with the states of all components found, one component after the other. It ends with
	// the visited states whose component is not known yet, the last visited one first. No state is in
	// both, so together they need room for no more than the states of the part.
	states []lts.State
	found  int // the number of states of the components
	// waiting is the index of the last visited state whose component is not known.
	waiting int
	ends    []int // ends[i] is where component i ends in states
}

// onPath is a state on the path, the index of its next transition, and its own
// number. It is the root of its component if no smaller number is reached from
// it.
type onPath struct {
	state     lts.State
	next, own uint32
}

// unvisited is the index of states that were not visited.
const unvisited = 1

func (t *tarjan) visit(s lts.State) {
	t.lastIndex++
	t.index[s] = t.lastIndex
	t.path.Append(onPath{state: s, own: t.lastIndex})
	t.waiting--
	t.states[t.waiting] = s
}

// step reads transitions of the last state on the path until one leads to a state that was not visited.
// At the end of the row, it leaves the state. It returns one more than the number of transitions that it
// read.
func (t *tarjan) step() int {
	current := t.path.At(t.path.Len() - 1)
	s := current.state
	first := int(current.next)
	labels, targets := t.m.Out(s)
	low := t.index[s]
	for i := first; i < len(targets); i++ {
		to := targets[i]
		index := t.index[to]
		switch {
		case index == 0 || index >= low: // outside of the part, or nothing new
		case t.hidden != nil && t.hidden.Has(labels.At(i)) ||
			t.shows != nil && !t.shows(s, labels.At(i), to): // the search does not follow the transition
		case index == unvisited:
			current.next = uint32(i + 1)
			t.index[s] = low
			t.visit(to)
			return i + 2 - first
		default:
			low = index
		}
	}
	t.index[s] = low
	t.leave()
	return len(targets) + 1 - first
}

// leave takes the last state off the path. If the state is the root of its
// component, its component is complete.
func (t *tarjan) leave() {
	depth := t.path.Len() - 1
	last := *t.path.At(depth)
	t.path.Truncate(depth)
	low := t.index[last.state]
	if low < last.own {
		above := t.path.At(depth - 1).state
		t.index[above] = min(t.index[above], low)
		return
	}
	t.complete(last.state)
}

// complete removes the component of a root from the waiting states. If the component counts, its
// states are listed in the order of their visits.
func (t *tarjan) complete(root lts.State) {
	first := t.waiting
	end := first + 1
	for t.states[end-1] != root {
		end++
	}
	t.waiting = end
	component := t.states[first:end]
	for _, member := range component {
		t.index[member] = 0
	}
	shown := func(_ lts.State, l lts.Label, _ lts.State) bool {
		return !t.hidden.Has(l)
	}
	isSingle := len(component) == 1
	if t.cyclic && isSingle && !hasSelfLoop(t.m, root, shown) {
		return
	}
	t.found += copy(t.states[t.found:], component)
	slices.Reverse(t.states[t.found-len(component) : t.found])
	t.ends = append(t.ends, t.found)
}

// HasCycle reports whether the transitions between some states for which shows returns true contain a
// cycle. The states become a part of p. It fails if ctx is done. Cost O(S + T) of what a depth-first
// search visits until it meets a state on its own path.
func (p *Parts) HasCycle(
	states []lts.State,
	shows func(from lts.State, l lts.Label, to lts.State) bool,
) (has bool, err error) {
	err = p.DisjointCycles(states, shows, func([]lts.State) bool {
		has = true
		return false
	})
	return has, err
}

// DisjointCycles yields cycles of the transitions between the given states for which shows returns
// true, until yield returns false: no two have a state in common, and no further cycle could be
// added. A cycle is given by its states in their order, in a slice that is reused. The states are
// entered as a part. It fails if ctx is done. It is one search in depth, which continues after each
// cycle that it finds. [Parts.Work] does not count it. Cost O(S + T) of the part.
func (p *Parts) DisjointCycles(
	states []lts.State,
	shows func(from lts.State, l lts.Label, to lts.State) bool,
	yield func(cycle []lts.State) (more bool),
) (err error) {
	defer abort.Caught(&err)
	p.Enter(states)
	for _, s := range states {
		p.index[s] = unvisited
	}
	defer func() {
		for _, s := range states {
			p.index[s] = 0
		}
	}()
	p.path.Truncate(0)
	d := descent{Parts: p, shows: shows}
	var cycle []lts.State
	for _, root := range states {
		if p.index[root] != unvisited {
			continue
		}
		for d.visit(root); p.path.Len() > 0; {
			first, hasFound := d.extendPath()
			if !hasFound {
				continue
			}
			cycle = cycle[:0]
			for i := first; i < p.path.Len(); i++ {
				s := p.path.At(i).state
				cycle = append(cycle, s)
				p.index[s] = 0
			}
			p.path.Truncate(first)
			if !yield(cycle) {
				return nil
			}
		}
	}
	return nil
}

// OnCycle reports whether the transitions for which shows returns true contain a cycle through s. The
// part that was entered before is no longer entered. It fails if ctx is done. Cost O(S + T) of what can
// be reached from s.
func (p *Parts) OnCycle(
	s lts.State,
	shows func(from lts.State, l lts.Label, to lts.State) bool,
) (found bool, err error) {
	p.count++
	open := append(p.open[:0], s)
	defer func() { p.open = open[:0] }()
	for visited := 0; len(open) > 0; {
		from := open[len(open)-1]
		open = open[:len(open)-1]
		labels, targets := p.m.Out(from)
		visited++
		if visited%16384 == 0 && p.ctx.Err() != nil {
			return false, p.ctx.Err()
		}
		for i, to := range targets {
			if p.Has(to) || !shows(from, labels.At(i), to) {
				continue
			}
			if to == s {
				return true, nil
			}
			p.part[to] = p.count
			open = append(open, to)
		}
	}
	return false, nil
}

// descent searches for a cycle depth first. It uses the index of its Parts in a way of its own: the index is
// unvisited for a state of the set that was not reached yet, pathIndex for a state on the path, and 0 for the
// states outside of the set and for those that the search has left.
type descent struct {
	*Parts
	shows func(lts.State, lts.Label, lts.State) bool
	steps int
}

// pathIndex is the index of a state on the path of a [descent].
const pathIndex = unvisited + 1

func (d *descent) visit(s lts.State) {
	d.index[s] = pathIndex
	d.path.Append(onPath{state: s})
}

// extendPath extends the path from its last state by one state or, if it cannot, removes the last state.
// If it meets a transition to a state on the path, it has found a cycle: it leaves the path as it is, and returns
// the position on it where the cycle begins.
func (d *descent) extendPath() (cycleStart int, found bool) {
	d.steps++
	if d.steps%16384 == 0 {
		abort.On(d.ctx.Err())
	}
	current := d.path.At(d.path.Len() - 1)
	labels, targets := d.m.Out(current.state)
	for int(current.next) < len(targets) {
		i := int(current.next)
		to := targets[i]
		current.next++
		index := d.index[to]
		switch {
		case index == 0 || !d.shows(current.state, labels.At(i), to):
			continue
		case index == pathIndex:
			return d.positionOnPath(to), true
		}
		d.visit(to)
		return 0, false
	}
	d.index[current.state] = 0
	d.path.Truncate(d.path.Len() - 1)
	return 0, false
}

// positionOnPath returns the position of a state that is on the path.
func (d *descent) positionOnPath(s lts.State) int {
	position := d.path.Len() - 1
	for d.path.At(position).state != s {
		position--
	}
	return position
}
