// Package scc finds the strongly connected components of an LTS, by gonum or by
// Pearce's algorithm, and the states on cycles that avoid certain labels.
// Components are numbered by depth, so that no transition leads to a component
// with a smaller number.
package scc

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/graph/topo"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/footprint"
	"github.com/inev-lts/inev/internal/lts/bitset"
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

// gonumLimit is the number of reachable states above which gonum is refused even if it is requested: a
// path through all of them could overflow the stack.
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

// Components are the strongly connected components of the reachable part of an LTS. They are numbered by
// depth and, within one depth, by their smallest state. The depth of the component of the initial state
// is 0; that of any other component is one more than the largest depth of a predecessor component
// (SEFM'18, section 3.2, "Order of Calculation"). They come from [Find].
type Components struct {
	m       *lts.LTS
	ofState []Component
	first   []uint32 // component c has the states states[first[c]:first[c+1]]
	states  []lts.State
	depth   []uint32
	cyclic  []bool
	// exits has a bit for each reachable state from which a transition leads to another
	// component.
	exits bitset.Set[lts.State]
	// most are the states of a component that has more than half of all states;
	// nil if there is none. This set fits the cache where the numbers of
	// components do not.
	most bitset.Set[lts.State]
}

// String returns how many components there are, and the size of the largest, such as: components: 3; states of the largest: 2.
func (c *Components) String() string {
	if c == nil {
		return "<nil>"
	}
	return fmt.Sprintf("components: %d; states of the largest: %d", c.Len(), c.Largest())
}

// Find returns the components of the reachable part of m. It fails if ctx is done, or if gonum is
// requested for a model that is too large for it. Cost O(S + T) time; with the iterative engine, 12
// bytes a state beside the result. The iterative engine first looks for one large component by passes
// through the rows. If the numbering of states makes passes useless, it searches backwards from the
// initial state along the predecessor rows, which it builds.
func Find(ctx context.Context, m *lts.LTS, engine Engine) (_ *Components, err error) {
	defer abort.Caught(&err)
	return find(ctx, m, engine, cores.For(m.NumTransitions(), mostWorkers)), nil
}

// find is [Find] with a number of workers.
func find(ctx context.Context, m *lts.LTS, engine Engine, workers int) *Components {
	isSmall := m.NumStates() <= gonumStates && m.NumTransitions() <= gonumTransitions
	suitsGonum := engine == auto && isSmall
	if engine == gonum || suitsGonum {
		return number(ctx, m, findByGonum(m), workers)
	}
	return number(ctx, m, findByPearce(ctx, m, workers), workers)
}

// findByGonum finds the components by gonum's recursive algorithm.
func findByGonum(m *lts.LTS) *grouping {
	n := m.Reachable().NumStates()
	if n > gonumLimit {
		abort.On(fmt.Errorf("gonum's recursive SCC algorithm could overflow the stack on %d states (limit %d); use the iterative engine", n, gonumLimit))
	}
	found := &grouping{}
	var states []lts.State
	for _, component := range topo.TarjanSCC(m.Graph()) {
		states = states[:0]
		for _, node := range component {
			states = append(states, lts.State(node.ID()))
		}
		found.add(states)
	}
	return found
}

// findByPearce finds a large component, if there is one, by itself, and then the
// others by Pearce's algorithm.
func findByPearce(ctx context.Context, m *lts.LTS, workers int) *grouping {
	search, found := newSearch(ctx, m, workers)
	// These bytes are three sets of states. The memory of the search's stack
	// serves as their list first.
	abort.On(resources.Ask(ctx, 3*int64(m.NumStates())/8))
	largest := (&sweeps{ctx: ctx, m: m, list: search.stack}).largest()
	hasInitial := largest.Has(m.Initial())
	isAll := hasInitial && largest.Len() == m.Reachable().NumStates()
	if isAll {
		search.meter.Add(int64(largest.Len()))
		found.addAll(largest)
	} else {
		findOutside(ctx, m, search, found, largest)
	}
	if !hasInitial && !search.visited(m.Initial()) {
		search.searchFrom(ctx, m.Initial(), found.add)
	}
	return found
}

// FindAround finds the components as the iterative engine of [Find] does. It is faster, since the
// caller knows the component of the initial state. The set initial is this component; it must have
// room for all states of m.
func FindAround(
	ctx context.Context,
	m *lts.LTS,
	initial bitset.Set[lts.State],
) (_ *Components, err error) {
	defer abort.Caught(&err)
	workers := cores.For(m.NumTransitions(), mostWorkers)
	search, found := newSearch(ctx, m, workers)
	findOutside(ctx, m, search, found, initial)
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
		m:       m,
		ofState: make([]Component, m.NumStates()),
		first:   make([]uint32, count+1),
		states:  raw.states,
		depth:   make([]uint32, count),
		cyclic:  make([]bool, count),
	}
	c.setGroups(raw, workers)
	c.exits = raw.exits
	if c.exits == nil {
		c.findExits()
	}
	depth := c.depthOfGroups(ctx, raw)
	final := byDepth(depth, c.ofState)
	abort.On(ctx.Err())
	for i, f := range final {
		group := raw.group(i)
		c.depth[f] = depth[i]
		c.cyclic[f] = len(group) > 1 || hasSelfLoop(m, group[0], nil)
		c.first[f+1] = uint32(len(group))
	}
	for i := range count {
		c.first[i+1] += c.first[i]
	}
	if count == 1 && slices.IsSorted(c.states) {
		return c
	}
	c.renumber(final)
	abort.On(ctx.Err())
	return c
}

// renumber replaces the number of each component by its final number, and sorts the states of all
// components.
func (c *Components) renumber(final []Component) {
	next := slices.Clone(c.first)
	for s, i := range c.ofState {
		if i != none {
			f := final[i]
			c.ofState[s] = f
			c.states[next[f]] = lts.State(s)
			next[f]++
		}
	}
}

// setGroups sets the component of each state to the number of its group, and most to the group with more than
// half of all states, if there is one.
func (c *Components) setGroups(raw *grouping, workers int) {
	n := len(c.ofState)
	isPartial := len(raw.states) < n
	if isPartial {
		c.clearComponents(workers)
	}
	for i := range raw.ends {
		group := raw.group(i)
		if len(group) > n/2 {
			c.setGroup(group, Component(i), workers)
			c.most = bitset.Of(n, group)
		} else {
			c.setGroup(group, Component(i), 1)
		}
	}
}

// clearComponents sets the component of all states to none.
func (c *Components) clearComponents(workers int) {
	cores.InRanges(workers, len(c.ofState), func(_ int, first, end lts.State) {
		for s := first; s < end; s++ {
			c.ofState[s] = none
		}
	})
}

// setGroup sets the component of the states of a group.
func (c *Components) setGroup(group []lts.State, number Component, workers int) {
	if workers == 1 {
		for _, s := range group {
			c.ofState[s] = number
		}
		return
	}
	cores.InRanges(workers, len(group), func(_ int, first, end int) {
		for _, s := range group[first:end] {
			c.ofState[s] = number
		}
	})
}

// findExits finds the states with a transition into another component.
func (c *Components) findExits() {
	c.exits = bitset.New[lts.State](len(c.ofState))
	for s, i := range c.ofState {
		if i == none {
			continue
		}
		_, targets := c.m.Out(lts.State(s))
		for _, t := range targets {
			if c.ofState[t] != i {
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
					j := c.ofState[t]
					depth[j] = max(depth[j], depth[i]+1)
				}
			}
		}
	}
	return depth
}

// byDepth returns the final number of each component: ascending by depth, then by smallest state. It
// sorts by counting. components has the component of each state, so that each component is first met
// at its smallest state.
func byDepth(depth []uint32, components []Component) []Component {
	next := firstOfDepth(depth)
	final := make([]Component, len(depth))
	for i := range final {
		final[i] = none
	}
	unnumbered := len(final)
	for _, c := range components {
		if unnumbered == 0 {
			break
		}
		isFirstMet := c != none && final[c] == none
		if isFirstMet {
			final[c] = Component(next[depth[c]])
			next[depth[c]]++
			unnumbered--
		}
	}
	return final
}

// firstOfDepth returns, for each depth, how many components have a smaller depth.
func firstOfDepth(depth []uint32) []uint32 {
	deepest := uint32(0)
	for _, d := range depth {
		deepest = max(deepest, d)
	}
	smaller := make([]uint32, deepest+2)
	for _, d := range depth {
		smaller[d+1]++
	}
	for d := range deepest {
		smaller[d+1] += smaller[d]
	}
	return smaller
}

// hasSelfLoop reports whether a transition for which keeps returns true leads from s to itself; a nil keeps
// allows all.
func hasSelfLoop(
	m *lts.LTS,
	s lts.State,
	keeps func(from lts.State, label lts.Label, to lts.State) bool,
) bool {
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
func (c *Components) Len() int {
	if c == nil {
		return 0
	}
	return len(c.depth)
}

// Of returns the component of s; false if s is unreachable. Cost O(1).
func (c *Components) Of(s lts.State) (Component, bool) { return c.ofState[s], c.ofState[s] != none }

// Same reports whether two states are in the same component. Cost O(1).
func (c *Components) Same(s, t lts.State) bool {
	if c.most != nil && c.most.Has(s) {
		return c.most.Has(t)
	}
	return c.ofState[s] == c.ofState[t] && c.ofState[s] != none
}

// Leaves reports whether a transition leads from s, which must be reachable, to another component. Cost
// O(1).
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
	largest := uint32(0)
	for i := range c.depth {
		largest = max(largest, c.first[i+1]-c.first[i])
	}
	return int(largest)
}

// Within finds the strongly connected components of the reachable states of m by the transitions for
// which keeps returns true. It calls each with the states of every component; cyclic reports whether
// such a transition lies within the component. No such transition leads from a component to a later one.
// The states are in no particular order, and the slice is valid only during the call. It fails if ctx is
// done, or if there is too little memory. Cost O(S + T) time and calls of keeps, 8 bytes a state while
// it runs, and 8 more for each state on the longest path.
func Within(
	ctx context.Context,
	m *lts.LTS,
	keeps func(from lts.State, label lts.Label, to lts.State) bool,
	each func(states []lts.State, cyclic bool),
) (err error) {
	defer abort.Caught(&err)
	abort.On(resources.Ask(ctx, 16*int64(m.NumStates())))
	reach := m.Reachable()
	search := newPearce(m, keeps)
	search.meter = progress.Start(ctx, "components", progress.States, int64(reach.NumStates()))
	found := func(states []lts.State) {
		each(states, len(states) > 1 || hasSelfLoop(m, states[0], keeps))
	}
	for s := range lts.State(m.NumStates()) {
		if !search.visited(s) && reach.Has(s) {
			search.searchFrom(ctx, s, found)
		}
	}
	return nil
}

// OnCycle returns the states that lie on a cycle of reachable transitions with
// labels for which hides is false. It fails if ctx is done. Cost O(S + T) time, and
// 12 bytes a state while it runs.
func (c *Components) OnCycle(
	ctx context.Context,
	hides func(lts.Label) bool,
) (_ bitset.Set[lts.State], err error) {
	defer abort.Caught(&err)
	abort.On(resources.Ask(ctx, 13*int64(c.m.NumStates())))
	hidden := bitset.New[lts.Label](c.m.Alphabet().Len())
	for l := range lts.Label(c.m.Alphabet().Len()) {
		if hides(l) {
			hidden.Add(l)
		}
	}
	onCycle := bitset.New[lts.State](c.m.NumStates())
	search := newPearce(c.m, func(from lts.State, l lts.Label, to lts.State) bool {
		return c.ofState[from] == c.ofState[to] && !hidden.Has(l)
	})
	found := func(members []lts.State) {
		if len(members) == 1 && !hasSelfLoop(c.m, members[0], search.keeps) {
			return
		}
		for _, s := range members {
			onCycle.Add(s)
		}
	}
	for i, cyclic := range c.cyclic {
		if !cyclic {
			continue
		}
		for _, s := range c.States(Component(i)) {
			if !search.visited(s) {
				search.searchFrom(ctx, s, found)
			}
		}
	}
	return onCycle, nil
}
