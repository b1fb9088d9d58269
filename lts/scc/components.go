// Package scc finds the strongly connected components of an LTS, by gonum or by
// Pearce's algorithm, and the states on cycles that avoid certain labels.
//
// The invariant that holds inside: components are numbered by depth, so that no
// transition leads to a component with a smaller number.
package scc

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/graph/topo"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/footprint"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// Component is the number of a strongly connected component, from 0 (the
// component of the initial state) to Len-1, ascending by depth.
type Component uint32

// mostWorkers is the largest number of goroutines that share a pass.
const mostWorkers = 8

// none marks unreachable states, which have no component.
const none Component = math.MaxUint32

// Engine is a way of finding strongly connected components: "gonum", "iterative", or "" for
// gonum's in models of up to 8,192 states and 65,536 transitions and the iterative one in larger
// ones. All give the same result.
type Engine string

const (
	auto      Engine = ""
	gonum     Engine = "gonum"
	iterative Engine = "iterative"
)

// gonumStates is the largest number of states for which auto lets gonum's
// topo.TarjanSCC find the components. That function is well written and well
// tested, but it recurses and keeps its tables in maps: about 470 bytes a state,
// 15 times the time of the iterative engine at a million states, and a stack
// overflow, which no program survives, on paths of about 2.7 million states.
const gonumStates = footprint.GonumStates

// gonumTransitions is the largest number of transitions of a model for which
// auto chooses gonum: gonum reads successors through an interface, which takes
// 50 times as long as the iterative engine if every state leads to every other
// one.
const gonumTransitions = footprint.GonumTransitions

// gonumLimit is the number of reachable states above which gonum is refused
// even when asked for: a path through all of them could overflow the stack.
const gonumLimit = 2_000_000

// Set sets the engine by its name: auto, gonum or iterative.
func (e *Engine) Set(name string) error {
	switch known := Engine(name); known {
	case "auto":
		*e = auto
		return nil
	case gonum, iterative:
		*e = known
		return nil
	}
	return fmt.Errorf("there is no SCC engine %q; choose auto, gonum or iterative", name)
}

func (e Engine) String() string { return cmp.Or(string(e), "auto") }

// Components are the strongly connected components of the reachable part of an
// LTS, numbered by depth and, at one depth, by their smallest state. The depth
// of a component is 0 if the initial state is in it, and one more than the
// largest depth of a predecessor component elsewhere (SEFM'18, section 3.2,
// "Order of Calculation").
type Components struct {
	m      *lts.LTS
	of     []Component
	first  []uint32 // component c has the states states[first[c]:first[c+1]]
	states []lts.State
	depth  []uint32
	cyclic []bool
	// exits has a bit for each reachable state from which a transition leads to another
	// component.
	exits bitset.Set[lts.State]
	// most are the states of a component that has more than half of all states;
	// nil if there is none. This set fits the cache where the numbers of
	// components do not.
	most bitset.Set[lts.State]
}

// Find returns the components of the reachable part of m. It fails if ctx is
// done, and if gonum is asked for on a model too deep for it. Cost O(S + T) time;
// 12 bytes a state beside the result with the iterative engine. The iterative
// engine first looks for one large component by passes through the rows. If the
// numbering of states makes passes useless, it searches backwards from the
// initial state along the predecessor rows, which are built.
func Find(ctx context.Context, m *lts.LTS, engine Engine) (_ *Components, err error) {
	defer abort.Caught(&err)
	return find(ctx, m, engine, cores.For(m.NumTransitions(), mostWorkers)), nil
}

// find is [Find] with a number of workers.
func find(ctx context.Context, m *lts.LTS, engine Engine, workers int) *Components {
	var raw *grouping
	if engine == gonum || engine == auto && m.NumStates() <= gonumStates && m.NumTransitions() <= gonumTransitions {
		raw = &grouping{}
		n := m.Reachable().NumStates()
		if n > gonumLimit {
			abort.On(fmt.Errorf("gonum's recursive SCC algorithm could overflow the stack on %d states (limit %d); use the iterative engine", n, gonumLimit))
		}
		var states []lts.State
		for _, component := range topo.TarjanSCC(m.Graph()) {
			states = states[:0]
			for _, node := range component {
				states = append(states, lts.State(node.ID()))
			}
			raw.add(states)
		}
	} else {
		search, found := newSearch(ctx, m, workers)
		// A large component, if there is one, is found by itself, and then the others.
		// These bytes are three sets of states. The memory of the search's stack
		// serves as their list first.
		abort.On(resources.Ask(ctx, 3*int64(m.NumStates())/8))
		in := (&sweeps{ctx: ctx, m: m, list: search.stack}).largest()
		all := in.Has(m.Initial()) && in.Len() == m.Reachable().NumStates()
		besides(ctx, m, search, found, in, all)
		if !in.Has(m.Initial()) && !search.visited(m.Initial()) {
			search.from(ctx, m.Initial(), found.add)
		}
		raw = found
	}
	return number(ctx, m, raw, workers)
}

// FindAround is [Find] with the iterative engine for a caller that knows the
// component of the initial state: it is the set initial, with room for all
// states of m.
func FindAround(ctx context.Context, m *lts.LTS, initial bitset.Set[lts.State]) (_ *Components, err error) {
	defer abort.Caught(&err)
	workers := cores.For(m.NumTransitions(), mostWorkers)
	search, found := newSearch(ctx, m, workers)
	besides(ctx, m, search, found, initial, false)
	return number(ctx, m, found, workers), nil
}

// grouping lists components one after the other, successors before
// predecessors: the reverse topological order in which Tarjan's and Pearce's
// algorithms find them.
type grouping struct {
	states []lts.State
	ends   []uint32
	// exits has a bit for each state from which a transition leads to another
	// component; nil if that is not known.
	exits bitset.Set[lts.State]
}

func (g *grouping) add(states []lts.State) {
	g.states = append(g.states, states...)
	g.ends = append(g.ends, uint32(len(g.states)))
}

func (g *grouping) addAll(states bitset.Set[lts.State]) {
	g.states = slices.AppendSeq(g.states, states.All)
	g.ends = append(g.ends, uint32(len(g.states)))
}

func (g *grouping) group(i int) []lts.State {
	if i == 0 {
		return g.states[:g.ends[0]]
	}
	return g.states[g.ends[i-1]:g.ends[i]]
}

// newSearch returns a search for the components of m, and the grouping that
// collects them.
func newSearch(ctx context.Context, m *lts.LTS, workers int) (*pearce, *grouping) {
	// The result takes 4 bytes a state and 4 a component, the search 8 a state.
	abort.On(resources.Ask(ctx, 12*int64(m.NumStates())))
	found := &grouping{states: make([]lts.State, 0, m.NumStates())}
	search := newPearce(m, nil)
	search.workers = workers
	search.meter = progress.Start(ctx, "components", progress.States, int64(m.NumStates()))
	search.exits = bitset.New[lts.State](m.NumStates())
	found.exits = search.exits
	return search, found
}

// number gives the components of a grouping their final numbers, which do not
// depend on the engine.
func number(ctx context.Context, m *lts.LTS, raw *grouping, workers int) *Components {
	count := len(raw.ends)
	abort.On(resources.Ask(ctx, 4*int64(m.NumStates())+17*int64(count)))
	c := &Components{
		m:      m,
		of:     make([]Component, m.NumStates()),
		first:  make([]uint32, count+1),
		states: raw.states,
		depth:  make([]uint32, count),
		cyclic: make([]bool, count),
	}
	c.setGroups(raw, workers)
	c.exits = raw.exits
	if c.exits == nil {
		c.findExits()
	}
	depth := c.depthOfGroups(ctx, raw)
	final := byDepth(depth, c.of)
	abort.On(ctx.Err())
	for i, f := range final {
		group := raw.group(i)
		c.depth[f] = depth[i]
		c.cyclic[f] = len(group) > 1 || loops(m, group[0], nil)
		c.first[f+1] = uint32(len(group))
	}
	for i := range count {
		c.first[i+1] += c.first[i]
	}
	if count == 1 && slices.IsSorted(c.states) {
		return c
	}
	next := append([]uint32(nil), c.first...)
	for s, i := range c.of {
		if i != none {
			f := final[i]
			c.of[s] = f
			c.states[next[f]] = lts.State(s)
			next[f]++
		}
	}
	abort.On(ctx.Err())
	return c
}

// setGroups sets the component of each state to the number of its group.
func (c *Components) setGroups(raw *grouping, workers int) {
	n := len(c.of)
	if len(raw.states) < n {
		cores.InRanges(workers, n, func(_ int, first, end lts.State) {
			for s := first; s < end; s++ {
				c.of[s] = none
			}
		})
	}
	for i := range raw.ends {
		group := raw.group(i)
		if len(group) <= n/2 {
			for _, s := range group {
				c.of[s] = Component(i)
			}
			continue
		}
		c.most = bitset.New[lts.State](n)
		cores.InRanges(workers, len(group), func(_ int, first, end lts.State) {
			for _, s := range group[first:end] {
				c.of[s] = Component(i)
			}
		})
		for _, s := range group {
			c.most.Add(s)
		}
	}
}

// findExits finds the states with a transition into another component.
func (c *Components) findExits() {
	c.exits = bitset.New[lts.State](len(c.of))
	for s, i := range c.of {
		if i == none {
			continue
		}
		_, targets := c.m.Out(lts.State(s))
		for _, t := range targets {
			if c.of[t] != i {
				c.exits.Add(lts.State(s))
				break
			}
		}
	}
}

// depthOfGroups returns the depth of the component of each group, from predecessors to successors.
func (c *Components) depthOfGroups(ctx context.Context, raw *grouping) []uint32 {
	depth := make([]uint32, len(raw.ends))
	work := 0
	for i := len(depth) - 1; i >= 0; i-- {
		for _, s := range raw.group(i) {
			if !c.exits.Has(s) {
				continue
			}
			_, targets := c.m.Out(s)
			work += 1 + len(targets)
			if work >= 1<<16 {
				work = 0
				abort.On(ctx.Err())
			}
			for _, t := range targets {
				if !c.Same(s, t) {
					j := c.of[t]
					depth[j] = max(depth[j], depth[i]+1)
				}
			}
		}
	}
	return depth
}

// byDepth returns the final number of each component: ascending by depth, then
// by smallest state. Both by counting sort.
func byDepth(depth []uint32, of []Component) []Component {
	deepest := uint32(0)
	for _, d := range depth {
		deepest = max(deepest, d)
	}
	next := make([]uint32, deepest+2)
	for _, d := range depth {
		next[d+1]++
	}
	for d := range deepest {
		next[d+1] += next[d]
	}
	final := make([]Component, len(depth))
	for i := range final {
		final[i] = none
	}
	left := len(final)
	for _, i := range of {
		if left == 0 {
			break
		}
		if i != none && final[i] == none {
			final[i] = Component(next[depth[i]])
			next[depth[i]]++
			left--
		}
	}
	return final
}

// loops reports whether a transition leads from s to itself, among those for which
// keeps is true; nil for all.
func loops(m *lts.LTS, s lts.State, keeps func(from lts.State, label lts.Label, to lts.State) bool) bool {
	labels, targets := m.Out(s)
	for i, t := range targets {
		if t == s && (keeps == nil || keeps(s, labels.At(i), t)) {
			return true
		}
	}
	return false
}

// LTS returns the system whose components these are.
func (c *Components) LTS() *lts.LTS { return c.m }

// Len returns the number of components. Cost O(1).
func (c *Components) Len() int { return len(c.depth) }

// Of returns the component of s; false if s is unreachable. Cost O(1).
func (c *Components) Of(s lts.State) (Component, bool) { return c.of[s], c.of[s] != none }

// Same reports whether two states are in the same component. Cost O(1).
func (c *Components) Same(s, t lts.State) bool {
	if c.most != nil && c.most.Has(s) {
		return c.most.Has(t)
	}
	return c.of[s] == c.of[t] && c.of[s] != none
}

// Leaves reports whether a transition leads from s, which is reachable, to another
// component. Cost O(1).
func (c *Components) Leaves(s lts.State) bool { return c.exits.Has(s) }

// States returns the states of a component in ascending order. The slice must
// not be changed. Cost O(1).
func (c *Components) States(i Component) []lts.State {
	return c.states[c.first[i]:c.first[i+1]]
}

// Depth returns the depth of a component. Cost O(1).
func (c *Components) Depth(i Component) int { return int(c.depth[i]) }

// MaxDepth returns the largest depth of a component. Cost O(1).
func (c *Components) MaxDepth() int { return int(c.depth[len(c.depth)-1]) }

// IsCyclic reports whether a component holds a cycle: it has more than one state,
// or a state with a self-loop. Cost O(1).
func (c *Components) IsCyclic(i Component) bool { return c.cyclic[i] }

// Largest returns the number of states of the largest component. Cost O(Len).
func (c *Components) Largest() int {
	most := uint32(0)
	for i := range c.depth {
		most = max(most, c.first[i+1]-c.first[i])
	}
	return int(most)
}

// pearce finds strongly connected components without recursion: D. J. Pearce,
// "A space-efficient algorithm for finding strongly connected components",
// Information Processing Letters 116 (2016), algorithm PEA_FIND_SCC3. Each
// state has one number, which serves as visiting index and as lowlink. A state is
// on the path, or waits, or is done: so path and waiting states share one array.
type pearce struct {
	m *lts.LTS
	// keeps selects the transitions that the search follows; nil for all.
	keeps func(from lts.State, label lts.Label, to lts.State) bool
	// index is 0 for unvisited states, done for those whose component is known,
	// the smallest visiting index known to be reached for the others.
	index []uint32
	next  uint32
	// stack holds the states of the path from the left, and from the right the
	// finished states whose component is still open, the last one first.
	stack   []lts.State
	waiting int // stack[waiting:] waits
	path    paged.List[visit]
	work    int // how often a state was entered or left
	meter   *progress.Meter
	// exits has a bit for each state with a transition to another component; nil
	// if the caller does not need it.
	exits bitset.Set[lts.State]
	// workers is the number of goroutines for passes, which are no search in
	// depth.
	workers int
}

// visit is the progress of the search in a state of the path.
type visit struct {
	// at is the index of the next transition in the state's row. The rows of an
	// LTS in memory are shorter than 1<<32.
	at uint32
	// own is the index with which the state was entered: the state is the root of
	// its component if its lowlink is still own when the search leaves it.
	own uint32
}

const done = math.MaxUint32

func newPearce(m *lts.LTS, keeps func(from lts.State, label lts.Label, to lts.State) bool) *pearce {
	n := m.NumStates()
	return &pearce{m: m, keeps: keeps, index: make([]uint32, n), next: 1, stack: make([]lts.State, n), waiting: n}
}

// visited reports whether an earlier search has come to s.
func (p *pearce) visited(s lts.State) bool { return p.index[s] != 0 }

// from finds the components of all unvisited states that root reaches, and
// calls component with the states of each, successors before predecessors. The
// slice is valid during the call only. Cost O(S + T).
func (p *pearce) from(ctx context.Context, root lts.State, component func([]lts.State)) {
	p.enter(root)
	for p.path.Len() > 0 {
		p.work++
		if p.work&(1<<16-1) == 0 { // counted for all roots together, which may reach little each
			abort.On(ctx.Err())
			// Each state is entered and left.
			p.meter.Add(1 << 15)
		}
		child, found := p.advance()
		if found {
			p.enter(child)
			continue
		}
		p.leave(component)
	}
}

func (p *pearce) enter(s lts.State) {
	p.index[s] = p.next
	p.stack[p.path.Len()] = s
	p.path.Append(visit{own: p.next})
	p.next++
}

// advance reads transitions of the last state of the path, up to the next one
// that leads to an unvisited state. That transition stays the current one: when
// the search comes back, it is read again, and then the lowlink of its target
// counts.
func (p *pearce) advance() (child lts.State, found bool) {
	last := p.path.Len() - 1
	v := p.path.At(last)
	s := p.stack[last]
	labels, targets := p.m.Out(s)
	low := p.index[s]
	for i := int(v.at); i < len(targets); i++ {
		to := targets[i]
		if p.keeps != nil && !p.keeps(s, labels.At(i), to) {
			continue
		}
		switch reached := p.index[to]; {
		case reached == done:
			// The target to is in another component than s, because the
			// component of to is known, and the component of s is not.
			if p.exits != nil {
				p.exits.Add(s)
			}
		case reached == 0:
			p.index[s] = low
			v.at = uint32(i)
			return to, true
		case reached < low:
			low = reached
		}
	}
	p.index[s] = low
	return 0, false
}

// leave takes the last state off the path: a root closes its component, any other
// state waits for its root.
func (p *pearce) leave(component func([]lts.State)) {
	last := p.path.Len() - 1
	s := p.stack[last]
	own := p.path.At(last).own
	p.path.Truncate(last)
	low := p.index[s]
	// The slot of s on the path is free now, so that the waiting states have room
	// for it.
	p.waiting--
	p.stack[p.waiting] = s
	if low < own {
		return
	}
	end := p.waiting + 1
	for end < len(p.stack) && p.index[p.stack[end]] >= low {
		end++
	}
	members := p.stack[p.waiting:end]
	for _, s := range members {
		p.index[s] = done
	}
	p.next -= uint32(len(members))
	component(members)
	p.waiting = end
}

// Many models have one component with nearly all states. A search in depth jumps
// about in it. Passes through all rows in their order find the same component, as
// the states that reach one of its states and are reached from it; their only
// working memory is a bit a state, which stays in the cache.

const (
	// large: a component is worth finding by itself if it has more than 1/large
	// of all states.
	large = 8
	// growth: a pass over all rows is worth its time if it multiplies the number
	// of states found by at least growth. A search in depth reads each row once,
	// but not in their order.
	growth = 4
	// passes is how many times all transitions may be read by passes that find
	// less.
	passes = 3
	// few: a pass lists the states that are still open once it reads less than
	// 1/few of all states and transitions.
	few = 8
	// probed is the number of states that are examined to see whether transitions
	// lead back.
	probed = 1 << 12
	// inLargeRound: a round of a search is large if it has more than
	// 1/inLargeRound of all states; then its rows are read in ascending order.
	inLargeRound = 256
)

// besides finds the components that are reachable from a component, the set in,
// and then adds this component itself to found. If all is true, no state outside
// of this component is reachable.
func besides(ctx context.Context, m *lts.LTS, search *pearce, found *grouping, in bitset.Set[lts.State], all bool) {
	states := in.Len()
	search.meter.Add(int64(states))
	if all || states == m.NumStates() {
		found.addAll(in)
		return
	}
	abort.On(cores.TryInRanges(search.workers, m.NumStates(), func(_ int, first, end lts.State) error {
		for s := range in.From(first) {
			if s >= end {
				break
			}
			if err := cores.Done(ctx, s); err != nil {
				return err
			}
			search.index[s] = done
			_, targets := m.Out(s)
			for _, t := range targets {
				if !in.Has(t) {
					found.exits.Add(s)
					break
				}
			}
		}
		return nil
	}))
	abort.On(ctx.Err())
	// The search adds exits of other components while this loop runs.
	for s := range found.exits.All {
		if !in.Has(s) {
			continue
		}
		_, targets := m.Out(s)
		for _, t := range targets {
			if !in.Has(t) && !search.visited(t) {
				search.from(ctx, t, found.add)
			}
		}
	}
	if states > 0 {
		found.addAll(in)
	}
}

// sweeps finds a component by passes over the rows.
type sweeps struct {
	ctx context.Context
	m   *lts.LTS
	// list has room for all states.
	list []lts.State
}

// largest returns the component of the initial state; if that is not large, the
// larger one of it and a second component.
func (x *sweeps) largest() bitset.Set[lts.State] {
	m := x.m
	initial := x.leadingTo(m.Initial(), true)
	abort.On(m.FindReachable(x.ctx))
	reach := m.Reachable()
	if reach.NumStates() < m.NumStates() {
		for s := range initial.All {
			if !reach.Has(s) {
				initial.Remove(s)
			}
		}
	}
	had := initial.Len()
	if had > m.NumStates()/large || !x.leadsBack() {
		return initial
	}
	pivot, is := x.pivot(initial)
	if !is {
		return initial
	}
	before := x.leadingTo(pivot, false)
	if before.Len() <= max(had, m.NumStates()/large) {
		return initial
	}
	around := bitset.New[lts.State](m.NumStates())
	around.Add(pivot)
	x.list[0] = pivot
	n := x.goOn(around, 1, func(s lts.State) []lts.State {
		_, targets := m.Out(s)
		return targets
	}, before)
	if n <= had {
		return initial
	}
	return around
}

// leadsBack reports whether a transition that leaves one of a sample of states
// leads to a state with the same or a smaller number. If none does, a model
// whose states are numbered as they were found has no large component.
func (x *sweeps) leadsBack() bool {
	for s := 0; s < x.m.NumStates(); s += 1 + x.m.NumStates()/probed {
		_, targets := x.m.Out(lts.State(s))
		for _, t := range targets {
			if int(t) <= s {
				return true
			}
		}
	}
	return false
}

// pivot returns a reachable state with successors, from the middle of all
// numbers. In most models, the states with the smallest numbers only lead to the
// large component, and the states with the largest numbers are only reached from
// that component.
func (x *sweeps) pivot(known bitset.Set[lts.State]) (lts.State, bool) {
	n := x.m.NumStates()
	reach := x.m.Reachable()
	for i := range n {
		s := lts.State((n/2 + i) % n)
		if reach.Has(s) && !known.Has(s) && !x.m.IsDeadlock(s) {
			return s, true
		}
	}
	return 0, false
}

// leadingTo returns the states from which a path leads to a state, the parameter
// to. Passes go up and down through all states that are not known yet, so that
// each finds all paths along which numbers fall, or rise. When passes find too
// little, the search goes on along predecessor rows, if these exist or wanted is
// set; otherwise the result is the empty set.
func (x *sweeps) leadingTo(to lts.State, wanted bool) bitset.Set[lts.State] {
	in := bitset.New[lts.State](x.m.NumStates())
	in.Add(to)
	left := passes * (x.m.NumStates() + x.m.NumTransitions())
	var open []lts.State
	for met, down := 1, true; ; down = !down {
		more := 0
		work := 0
		if open != nil {
			more, work = x.passList(in, &open)
		} else {
			more, work = x.pass(in, down)
		}
		if more == 0 {
			return in
		}
		met += more
		if met < growth*(met-more) {
			left -= work
		}
		if left < 0 {
			break
		}
		if open == nil && work < (x.m.NumStates()+x.m.NumTransitions())/few {
			// The states with successors that are not in the set.
			open = x.list[:0]
			for s := range lts.State(x.m.NumStates()) {
				if !in.Has(s) && !x.m.IsDeadlock(s) {
					open = append(open, s)
				}
			}
		}
	}
	if !wanted && !x.m.HasPredecessors() {
		clear(in)
		return in
	}
	abort.On(x.m.FindPredecessors(x.ctx))
	before := x.m.Predecessors()
	x.goOn(in, len(slices.AppendSeq(x.list[:0], in.All)), func(s lts.State) []lts.State {
		_, sources := before.In(s)
		return sources
	}, nil)
	return in
}

// pass looks once at each state outside the set, and adds it if a transition
// leads from it into the set. It returns how many states it added, and how many
// states and transitions it read.
func (x *sweeps) pass(in bitset.Set[lts.State], down bool) (met, work int) {
	last := len(in) - 1
	for i := range in {
		abort.IfDone(x.ctx, i)
		at := i
		if down {
			at = last - i
		}
		open := ^in[at]
		beyond := len(in)*64 - x.m.NumStates()
		if at == last && beyond > 0 {
			open &= 1<<(64-beyond) - 1
		}
		for open != 0 {
			bit := bits.TrailingZeros64(open)
			if down {
				bit = bits.Len64(open) - 1
			}
			open &^= 1 << bit
			leads, looked := x.leads(lts.State(at*64+bit), in)
			work += looked
			if leads {
				in[at] |= 1 << bit
				met++
			}
		}
	}
	return met, work
}

// leads reports whether a transition leads from s into a set, and how many
// transitions it read.
func (x *sweeps) leads(s lts.State, in bitset.Set[lts.State]) (leads bool, work int) {
	_, targets := x.m.Out(s)
	for i, t := range targets {
		if in.Has(t) {
			return true, i + 1
		}
	}
	return false, 1 + len(targets)
}

// passList is pass for the states of a list, from its end to its beginning.
// Afterwards the list holds the states that were not added, in the opposite
// order.
func (x *sweeps) passList(in bitset.Set[lts.State], list *[]lts.State) (met, work int) {
	open := *list
	left := len(open)
	for i := len(open) - 1; i >= 0; i-- {
		abort.IfDone(x.ctx, i)
		leads, looked := x.leads(open[i], in)
		work += looked
		if leads {
			in.Add(open[i])
			met++
			continue
		}
		left--
		open[left] = open[i]
	}
	slices.Reverse(open[left:])
	*list = open[left:]
	return met, work
}

// goOn adds to a set all states that are reachable from it, breadth first, where
// next returns the successors of a state. The first n states of x.list are those
// whose successors were not added yet. A within that is not nil restricts the
// search to its states. It returns how many states x.list then has.
func (x *sweeps) goOn(in bitset.Set[lts.State], n int, next func(lts.State) []lts.State, within bitset.Set[lts.State]) int {
	list := x.list[:n]
	sorting := bitset.New[lts.State](x.m.NumStates())
	for begin, end := 0, n; begin < end; begin, end = end, len(list) {
		if end-begin > x.m.NumStates()/inLargeRound {
			sorting.Sort(list[begin:end])
		}
		for i := begin; i < end; i++ {
			abort.IfDone(x.ctx, i)
			for _, s := range next(list[i]) {
				if !in.Has(s) && (within == nil || within.Has(s)) {
					in.Add(s)
					list = append(list, s)
				}
			}
		}
	}
	return len(list)
}

// Within calls each with the states of every strongly connected component of the
// reachable states of m by the transitions for which keeps is true, and with
// whether one of these lies within the component. No such transition leads from a
// component to a later one. The states are in no
// particular order, and the slice is valid during the call only. It fails if ctx
// is done, and if there is too little memory. Cost O(S + T) time and calls of
// keeps, 8 bytes a state while it runs, and 8 more for each state on the longest
// path.
func Within(ctx context.Context, m *lts.LTS, keeps func(from lts.State, label lts.Label, to lts.State) bool, each func(states []lts.State, cyclic bool)) (err error) {
	defer abort.Caught(&err)
	abort.On(resources.Ask(ctx, 16*int64(m.NumStates())))
	reach := m.Reachable()
	search := newPearce(m, keeps)
	search.meter = progress.Start(ctx, "components", progress.States, int64(reach.NumStates()))
	found := func(states []lts.State) { each(states, len(states) > 1 || loops(m, states[0], keeps)) }
	for s := range lts.State(m.NumStates()) {
		if !search.visited(s) && reach.Has(s) {
			search.from(ctx, s, found)
		}
	}
	return nil
}

// OnCycle returns the states that lie on a cycle of reachable transitions with
// labels for which hides is false. It fails if ctx is done. Cost O(S + T) time, and
// 12 bytes a state while it runs.
func (c *Components) OnCycle(ctx context.Context, hides func(lts.Label) bool) (_ bitset.Set[lts.State], err error) {
	defer abort.Caught(&err)
	abort.On(resources.Ask(ctx, 13*int64(c.m.NumStates())))
	hidden := bitset.New[lts.Label](c.m.Alphabet().Len())
	for l := range lts.Label(c.m.Alphabet().Len()) {
		if hides(l) {
			hidden.Add(l)
		}
	}
	on := bitset.New[lts.State](c.m.NumStates())
	search := newPearce(c.m, func(from lts.State, l lts.Label, to lts.State) bool {
		return c.of[from] == c.of[to] && !hidden.Has(l)
	})
	found := func(members []lts.State) {
		if len(members) == 1 && !loops(c.m, members[0], search.keeps) {
			return
		}
		for _, s := range members {
			on.Add(s)
		}
	}
	for i, cyclic := range c.cyclic {
		if !cyclic {
			continue
		}
		for _, s := range c.States(Component(i)) {
			if !search.visited(s) {
				search.from(ctx, s, found)
			}
		}
	}
	return on, nil
}
