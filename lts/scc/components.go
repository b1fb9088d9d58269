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
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
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
const gonumTransitions = 8 * gonumStates

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
		raw = gonumGroups(m)
	} else {
		search, found := newSearch(ctx, m, workers)
		aroundLarge(ctx, m, search, found)
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
	for s := range states.All {
		g.states = append(g.states, s)
	}
	g.ends = append(g.ends, uint32(len(g.states)))
}

func (g *grouping) group(i int) []lts.State {
	if i == 0 {
		return g.states[:g.ends[0]]
	}
	return g.states[g.ends[i-1]:g.ends[i]]
}

func gonumGroups(m *lts.LTS) *grouping {
	found := &grouping{}
	if n := m.Reachable().NumStates(); n > gonumLimit {
		abort.On(fmt.Errorf("gonum's recursive SCC algorithm could overflow the stack on %d states (limit %d); use the iterative engine", n, gonumLimit))
	}
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
	c.take(raw, workers)
	if c.exits = raw.exits; c.exits == nil {
		c.findExits()
	}
	depth := rawDepths(ctx, m, raw, c)
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

// take stores the components of a grouping under their final numbers.
func (c *Components) take(raw *grouping, workers int) {
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

// findExits finds the states from which a transition leads to another component.
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

// rawDepths goes through a grouping from predecessors to successors and returns
// the depth of each component.
func rawDepths(ctx context.Context, m *lts.LTS, raw *grouping, c *Components) []uint32 {
	depth := make([]uint32, len(raw.ends))
	work := 0
	for i := len(depth) - 1; i >= 0; i-- {
		for _, s := range raw.group(i) {
			if !c.exits.Has(s) {
				continue
			}
			_, targets := m.Out(s)
			if work += 1 + len(targets); work >= 1<<16 {
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
