package counterexample

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/pagedlist"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// treeNode is a node of a breadth-first search: a state, and the transition that leads to it from
// the node with the number parent. A node where the search begins, such as node 0, is its own
// parent.
type treeNode struct {
	state  lts.State
	label  lts.Label
	parent uint32
}

// treePath returns the transitions from the beginning of the search to node i.
func treePath(i int, node func(int) *treeNode) []lts.Transition {
	var steps []lts.Transition
	for at := node(i); int(at.parent) != i; at = node(i) {
		i = int(at.parent)
		steps = append(steps, lts.Transition{
			From:  node(i).state,
			Label: at.label,
			To:    at.state,
		})
	}
	slices.Reverse(steps)
	return steps
}

// lower replaces transitions of a product by those of the model. If u is nil, the transitions are
// those of the model already.
func lower(u *product.Unfolding, steps []lts.Transition) []lts.Transition {
	if u == nil {
		return steps
	}
	for i, t := range steps {
		steps[i] = lts.Transition{
			From:  u.At(t.From).State,
			Label: t.Label,
			To:    u.At(t.To).State,
		}
	}
	return steps
}

// mostMeetings is the number of searches that run at once: the bits of a word.
const mostMeetings = 64

// meetings are up to 64 breadth-first searches that run at once. Each search has a bit in the sets
// of searches that have visited a node (M. Then et al., The More the Merrier: Efficient
// Multi-Source Graph Traversal, VLDB 2015). If the searches reach most nodes at about the same
// length, all together cost little more than one. All bits are 0 between calls of search.
type meetings[P lts.State | uint64] struct {
	// visited[p] are the bits of the searches that have visited p. now[p] are those of the searches
	// that first visited p in the last step, and next[p] those of the searches that first visit p
	// in this step.
	visited, now, next []uint64
	front, ahead       []P // the nodes with bits in now, and in next
	all                []P // the nodes with bits in visited
	// departures describe the searches, in ascending order of after; lengths are the results of the
	// searches.
	departures []departure[P]
	lengths    [mostMeetings]int
}

func newMeetings[P lts.State | uint64](nodes int) meetings[P] {
	return meetings[P]{
		visited: make([]uint64, nodes),
		now:     make([]uint64, nodes),
		next:    make([]uint64, nodes),
	}
}

// departure describes a search. It begins at the node start, which does not count as visited, and
// must reach the node end. after is the length of the path to start.
type departure[P lts.State | uint64] struct {
	start, end P
	after      int
}

// search finds, for each departure, the length of a shortest path that passes its start and leads
// to its end; most+1 if this length exceeds most. The search of a departure starts at the step in
// which a path reaches its start, so searches that begin near each other share their steps. extend
// must call meet for the neighbours of a node, with the bits of the searches that reached the node
// in the last step.
func (x *meetings[P]) search(most int, extend func(p P, bits uint64) error) error {
	x.front = x.front[:0]
	x.all = x.all[:0]
	for i := range x.departures {
		x.lengths[i] = most + 1
	}
	err := x.searchInStep(most, extend)
	for _, p := range x.front {
		x.now[p] = 0
	}
	for _, p := range x.all {
		x.visited[p] = 0
	}
	return err
}

// searchInStep makes the steps of all searches, and records the length at which each reaches its end.
func (x *meetings[P]) searchInStep(most int, extend func(p P, bits uint64) error) error {
	all := x.departures
	live := uint64(0) // the bits of the searches that have started and not reached their ends
	started := 0
	for length := all[0].after + 1; length <= most; length++ {
		for ; started < len(all) && all[started].after < length; started++ {
			begin := all[started].start
			if x.now[begin] == 0 {
				x.front = append(x.front, begin)
			}
			x.now[begin] |= 1 << started
			live |= 1 << started
		}
		if len(x.front) == 0 {
			if started == len(all) {
				return nil
			}
			continue
		}
		err := x.step(live, extend)
		for i, d := range all[:started] {
			if live>>i&1 != 0 && x.visited[d.end]>>i&1 != 0 {
				x.lengths[i] = length
				live &^= 1 << i
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// step makes all searches with live bits one transition longer. It returns the last error of extend.
func (x *meetings[P]) step(live uint64, extend func(p P, bits uint64) error) (err error) {
	x.ahead = x.ahead[:0]
	for _, p := range x.front {
		bits := x.now[p] & live
		x.now[p] = 0
		if bits == 0 {
			continue
		}
		failed := extend(p, bits)
		if failed != nil {
			err = failed
		}
	}
	x.front, x.ahead = x.ahead, x.front
	x.now, x.next = x.next, x.now
	return err
}

// meet records the first visits to a node by the searches with fresh bits.
func (x *meetings[P]) meet(p P, fresh uint64) {
	if x.visited[p] == 0 {
		x.all = append(x.all, p)
	}
	if x.next[p] == 0 {
		x.ahead = append(x.ahead, p)
	}
	x.visited[p] |= fresh
	x.next[p] |= fresh
}

// badPrefix searches for a shortest run of m after which p is violated whatever follows. safety
// reports whether p is a safety property: whether each run that violates p has such a prefix. For any
// other property, badPrefix searches only if evenIfNotSafety is true. If no run at all satisfies p, it
// finds no bad prefix. It fails if ctx is done.
//
// Every run that violates a safety property reaches a property state that accepts no word. The
// search finds the nearest such state, breadth first, so no bad prefix of the model has fewer
// transitions. Cost O(T) for each property state that is visited, 1 bit for each product state, and
// 16 bytes for each visited product state.
func badPrefix(
	ctx context.Context,
	m *lts.LTS,
	p *property.Property,
	evenIfNotSafety bool,
) (r *Result, safety bool) {
	words := abort.Must(product.ResidualsOf(ctx, p))
	safety = words.IsSafety()
	isRequested := safety || evenIfNotSafety
	if !isRequested || !words.CanAccept(p.Initial()) {
		return nil, false
	}
	abort.On(resources.AskFor[uint8](ctx, m.NumStates()/8*p.States()))
	search := &prefixSearch{m: m, p: p, visited: make([]bitset.Set[lts.State], p.States())}
	steps, exists := search.run(ctx, words)
	r = &Result{Minimal: InModel}
	r.Stats.Stored = int64(search.queue.Len())
	if exists {
		r.Stats.Found = 1
		r.Stats.Length = len(steps) + 1
		r.Trace = abort.Must(NewStem(m, p, steps, Prefix))
	}
	return r, safety
}

// prefixSearch is a breadth-first search through the product of a model and a property, for [badPrefix].
type prefixSearch struct {
	m       *lts.LTS
	p       *property.Property
	visited []bitset.Set[lts.State] // by property state; nil before the first visit
	queue   pagedlist.List[prefixNode]
}

// prefixNode is a product state that was visited, and the transition by which it was found.
type prefixNode struct {
	treeNode
	q property.Q
}

// run returns a shortest path to a property state that accepts no word; false if there is none.
func (x *prefixSearch) run(ctx context.Context, words *product.Residuals) (steps []lts.Transition, exists bool) {
	x.visit(prefixNode{treeNode: treeNode{state: x.m.Initial()}, q: x.p.Initial()})
	for next := 0; next < x.queue.Len(); next++ {
		abort.IfDone(ctx, next)
		at := *x.queue.At(next)
		if !words.CanAccept(at.q) {
			return treePath(next, func(i int) *treeNode { return &x.queue.At(i).treeNode }), true
		}
		labels, targets := x.m.Out(at.state)
		for i, to := range targets {
			label := labels.At(i)
			step := treeNode{state: to, label: label, parent: uint32(next)}
			x.visit(prefixNode{treeNode: step, q: x.p.Next(at.q, label)})
		}
	}
	return nil, false
}

// visit appends a product state to the queue, unless it was visited before.
func (x *prefixSearch) visit(n prefixNode) {
	if x.visited[n.q] == nil {
		x.visited[n.q] = bitset.New[lts.State](x.m.NumStates())
	}
	if !x.visited[n.q].Has(n.state) {
		x.visited[n.q].Add(n.state)
		x.queue.Append(n)
	}
}

// prefixes are shortest runs to states with less and less progress: a breadth-first search over
// states and progress, which visits a state again only with less progress. Every violation that can
// follow a run can also follow a run to the same state with less progress.
type prefixes struct {
	m     *lts.LTS
	p     *property.Chain
	nodes pagedlist.List[node]
	// missing[s] is n minus the least progress of the visits to s, and 0 if s was not visited. So
	// the memory of states far away is never written.
	missing []uint16
}

// node is a state visited by the breadth-first search over states and progress.
type node struct {
	state    lts.State
	parent   uint32 // the number of the previous node on the path
	progress uint16
	// upTo is the largest m for which this node is the first node of its state with progress at
	// most m.
	upTo uint16
}

// restart discards all runs except the empty one.
func (r *prefixes) restart() {
	for _, n := range r.nodes.All() {
		r.missing[n.state] = 0
	}
	r.nodes.Truncate(0)
	r.meet(r.m.Initial(), 0, 0)
}

// meet adds a node, unless an earlier visit to its state had the same progress or less.
func (r *prefixes) meet(state lts.State, parent, progress int) {
	least := r.least(state)
	if uint16(progress) >= least {
		return
	}
	r.missing[state] = uint16(r.p.Len() - progress)
	r.nodes.Append(node{
		state:    state,
		parent:   uint32(parent),
		progress: uint16(progress),
		upTo:     least - 1,
	})
}

// least returns the least progress of the visits to a state; n if it was not visited.
func (r *prefixes) least(s lts.State) uint16 { return uint16(r.p.Len()) - r.missing[s] }

// boundedSearch finds shortest cycles through given states, breadth first and within a radius.
type boundedSearch struct {
	ctx context.Context
	m   *lts.LTS
	c   *scc.Components // nil while the components are not known
	p   *property.Chain
	// componentOf[s] is the number of the component of s where loops are searched for; 0 for a
	// state on no loop. It is nil if the components in c are used instead, or if no components are
	// known.
	componentOf []uint32

	// seen[s] is the number of the last search that visited s, so that no search needs to clear it.
	seen   []uint32
	search uint32
	nodes  pagedlist.List[treeNode]
	// finished[m] are the states from which a search for cycles without labels of step m+1 has
	// started.
	finished []bitset.Set[lts.State]
	work     int // the number of transitions that all searches have visited
	// fromHeads reports whether all searches for loops now start from heads. workBeforeHeads is the
	// work of the searches before.
	fromHeads       bool
	workBeforeHeads int
	visits          int64 // the number of states where searches for loops began
	// most is the number of visits after which every search ends; 0 for no limit.
	most int64
	// limited reports whether the current search fails once it has cost too much.
	limited bool
	// cut reports whether a search reached its radius before it had visited all states.
	cut bool
	// backwards reports whether the last search went against the direction of
	// transitions.
	backwards bool
}

// errSpent ends a search for a cycle once it has cost about as much as finding the components, or
// the states on cycles.
var errSpent = errors.New("counterexample: a search for a cycle was given up")

// errLimit reports that a search reached its limit of visits.
var errLimit = errors.New("counterexample: the search has come to its limit")

// spent reports whether the searches have cost about as much as it would cost to find the
// components or, once these are known, the states on cycles. So the total cost is never much more
// than the cost of the better choice.
func (b *boundedSearch) spent() bool {
	switch {
	case b.c != nil:
		return b.work > 3*b.m.NumTransitions()+16
	case b.fromHeads:
		return b.work-b.workBeforeHeads > b.m.NumTransitions()+16
	}
	return b.work > b.m.NumTransitions()/4+16
}

// shortestCycle returns the transitions of a shortest cycle through start without labels of step
// m+1, with at most radius transitions; nil if there is none. The cycle passes no state from which
// an earlier call with the same m started. The caller must know that all states of such cycles are
// in the set on. If this set is nil, the search fails with errSpent once it has cost too much.
func (b *boundedSearch) shortestCycle(
	start lts.State,
	m, radius int,
	on bitset.Set[lts.State],
) []lts.Transition {
	finished := b.finish(start, m)
	b.limited = on == nil
	defer func() { b.limited = false }()
	mayPass := func(t lts.State) bool {
		isOnCycle := b.together(start, t) && (on == nil || on.Has(t))
		return isOnCycle && !finished.Has(t)
	}
	return b.shortestPath(pathQuery{
		start:  start,
		end:    start,
		avoids: m,
		radius: radius,
		passes: mayPass,
	})
}

// together reports whether a loop may pass both states: they are in one component, or the
// components are not known.
func (b *boundedSearch) together(s, t lts.State) bool {
	switch {
	case b.c != nil:
		return b.c.Same(s, t)
	case b.componentOf == nil:
		return true
	}
	isOnLoop := b.componentOf[s] != 0
	return isOnLoop && b.componentOf[s] == b.componentOf[t]
}

// pathQuery asks for a shortest path from start to end with at least one transition.
type pathQuery struct {
	start, end lts.State
	avoids     int                  // m if no label of the path does step m+1
	radius     int                  // the largest number of transitions
	passes     func(lts.State) bool // whether a state may lie on the path between start and end
}

// reversed asks for the same path against the direction of transitions.
func (q pathQuery) reversed() pathQuery {
	q.start, q.end = q.end, q.start
	return q
}

// shortestPath returns the transitions of a shortest path; nil if there is none.
//
// In the long run, backward searches are far cheaper. They soon reach states near the initial
// state, which are finished, while forward searches visit all states that the start reaches (on a
// ring of S states, S² instead of S transitions). But backward searches need the predecessor rows.
// So the first searches, which may be the only ones, go forwards.
func (b *boundedSearch) shortestPath(q pathQuery) []lts.Transition {
	b.backwards = b.spent()
	if !b.backwards {
		return b.forwards(q)
	}
	if !b.m.HasPredecessors() {
		abort.On(b.m.FindPredecessors(b.ctx))
	}
	// The search begins in end, so the path to its last node, start, is the requested path in
	// reverse.
	var path []lts.Transition
	i := b.breadthFirst(q.reversed(), b.m.Predecessors().In)
	for i != 0 {
		at := b.nodes.At(i)
		i = int(at.parent)
		path = append(path, lts.Transition{
			From:  at.state,
			Label: at.label,
			To:    b.nodes.At(i).state,
		})
	}
	return path
}

// forwards is shortestPath in the direction of transitions.
func (b *boundedSearch) forwards(q pathQuery) []lts.Transition {
	lastNode := b.breadthFirst(q, b.m.Out)
	return treePath(lastNode, b.nodes.At)
}

// breadthFirst searches for a path, breadth first. The function neighbours returns the transitions of a
// state in the direction of the search. breadthFirst returns the number of the node at the end of the
// path; 0 if there is no path.
func (b *boundedSearch) breadthFirst(
	q pathQuery,
	neighbours func(lts.State) (lts.Labels, []lts.State),
) (node int) {
	b.search++
	if b.search == 0 { // the number has overflowed
		clear(b.seen)
		b.search = 1
	}
	b.nodes.Truncate(0)
	b.nodes.Append(treeNode{state: q.start})
	b.seen[q.start] = b.search
	first := 0 // the first node at the distance length-1
	for length := 1; first < b.nodes.Len() && length <= q.radius; length++ {
		end := b.nodes.Len()
		for i := first; i < end; i++ {
			labels, states := neighbours(b.nodes.At(i).state)
			b.visit(labels.Len())
			if b.expand(q, i, labels, states) {
				return b.nodes.Len() - 1
			}
		}
		first = end
	}
	if first < b.nodes.Len() {
		b.cut = true
	}
	return 0
}

// expand adds nodes for the transitions of node i that a path may take. It reports whether the last node
// ends the path; then it leaves out the other transitions.
func (b *boundedSearch) expand(q pathQuery, i int, labels lts.Labels, states []lts.State) (ends bool) {
	avoidedStep := q.avoids + 1
	for j, t := range states {
		if b.p.Does(labels.At(j), avoidedStep) {
			continue
		}
		next := treeNode{state: t, label: labels.At(j), parent: uint32(i)}
		if t == q.end {
			b.nodes.Append(next)
			return true
		}
		if b.seen[t] == b.search {
			continue
		}
		b.seen[t] = b.search
		if q.passes(t) {
			b.nodes.Append(next)
		}
	}
	return false
}

// visit counts a visited state, and its transitions. It fails with errLimit or errSpent once the
// search has cost too much.
func (b *boundedSearch) visit(transitions int) {
	b.visits++
	if b.most > 0 && b.visits > b.most {
		abort.On(errLimit)
	}
	b.work += transitions + 1
	if b.work&(1<<16-1) <= transitions {
		abort.On(b.ctx.Err())
	}
	if b.limited && b.spent() {
		abort.On(errSpent)
	}
}

// finish adds start to finished[m], and returns that set.
func (b *boundedSearch) finish(start lts.State, m int) bitset.Set[lts.State] {
	if b.finished[m] == nil {
		b.finished[m] = bitset.New[lts.State](b.m.NumStates())
	}
	b.finished[m].Add(start)
	return b.finished[m]
}

// forget makes all states unfinished, for searches of a larger radius.
func (b *boundedSearch) forget() {
	for _, set := range b.finished {
		clear(set)
	}
}
