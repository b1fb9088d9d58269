package counterexample

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/buchi"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/lts"
)

// Shortest returns a counterexample to p with the fewest transitions that any
// counterexample in the LTS of c has, and always the same one; nil where the
// property holds. It fails where ctx is done.
//
// A lasso with stem σ and cycle C violates the property iff, for some m that is
// at least the progress of σ, no label of C does step m+1. Hence the shortest
// lasso has length min over m and states s of D_m(s) + g_m(s), where D_m(s) is
// the length of a shortest path to s with progress at most m, and g_m(s) that
// of a shortest cycle through s without the labels of step m+1. The search goes
// breadth first over states and progress, which meets the states in the order
// of D_m, and from each looks for a cycle that would make a shorter lasso than
// the best one so far:
//
//   - a path that comes to a state later than another one, and with no less
//     progress, is dropped;
//   - a state whose cycles have been looked for at m takes no part in later
//     searches at m: a lasso through it is no shorter than the one that enters
//     its cycle there;
//   - it ends as soon as even a cycle of one transition would come too late.
//
// Cost O(n (S + T)) time where every cycle search is short, O(n S (S + T)) in
// the worst case, a girth problem; 16 bytes for each visited pair of state and
// progress.
func Shortest(ctx context.Context, c *enrich.Components, p *actl.Property) (*Trace, error) {
	t, _, err := ShortestCounted(ctx, c, p)
	return t, err
}

// ShortestCounted is [Shortest], and tells what the search cost in the terms of
// package buchi: Stored is the number of pairs of state and progress met, Matched
// the number of visits to them and to the states of the cycle searches. Found is
// the number of counterexamples of which each is shorter than the one before it,
// Length the number of states of the last one, with the state that closes its
// loop counted twice; Depth is not measured. The passes that find components and
// the states on cycles are not counted.
func ShortestCounted(ctx context.Context, c *enrich.Components, p *actl.Property) (*Trace, buchi.Stats, error) {
	search := newShortest(ctx, c, p)
	if err := search.run(); err != nil {
		return nil, search.stats(), err
	}
	steps, loop, found := search.steps()
	if !found {
		return nil, search.stats(), nil
	}
	t, err := New(c.LTS(), p, steps, loop)
	if err != nil {
		return nil, search.stats(), fmt.Errorf("counterexample: the search went wrong, please report it: %w", err)
	}
	return t, search.stats(), nil
}

// infinite stands for the length of a counterexample that has not been found.
const infinite = math.MaxInt

// node is a state met by the breadth-first search over states and progress.
type node struct {
	state    lts.State
	label    lts.Label // by which it was entered
	parent   uint32    // number of the node before it
	progress uint16
	// upTo is the largest m for which this node is the first to come to the state
	// with progress at most m.
	upTo uint16
}

type shortest struct {
	ctx context.Context
	m   *lts.LTS
	c   *enrich.Components
	p   *actl.Property
	n   int

	nodes []node
	least []uint16 // per state: least progress with which it was met; n if not
	balls *ball
	// cyclic[m] tells which states lie on a cycle without labels of step m+1; nil
	// until that is worth its cost.
	cyclic [][]bool

	// goal is what a run has to reach beside violating the property; nil where
	// that is nothing.
	goal *goal

	best  int
	found int // how many counterexamples, each shorter than the one before it
	end   int // number of the node at which the best one ends or enters its loop
	cycle []lts.Transition
}

func newShortest(ctx context.Context, c *enrich.Components, p *actl.Property) *shortest {
	m := c.LTS()
	s := &shortest{
		ctx: ctx, m: m, c: c, p: p, n: p.Len(),
		least:  make([]uint16, m.NumStates()),
		cyclic: make([][]bool, p.Len()),
		best:   infinite,
	}
	for i := range s.least {
		s.least[i] = uint16(s.n)
	}
	s.balls = newBall(ctx, c, p)
	return s
}

// run visits the nodes level by level: those of one level are at one distance
// from the initial state.
func (s *shortest) run() error {
	s.meet(s.m.Initial(), 0, 0, 0)
	for distance, first := 0, 0; first < len(s.nodes) && distance < s.best; distance++ {
		end := len(s.nodes)
		for i := first; i < end; i++ {
			if i&(1<<12-1) == 0 && s.ctx.Err() != nil {
				return s.ctx.Err()
			}
			if err := s.settle(i, distance); err != nil {
				return err
			}
			s.expand(i)
		}
		first = end
	}
	return nil
}

// meet adds a node, unless its state was met before with as little progress.
func (s *shortest) meet(state lts.State, label lts.Label, parent, progress int) {
	least := s.least[state]
	if uint16(progress) >= least {
		return
	}
	s.least[state] = uint16(progress)
	s.nodes = append(s.nodes, node{state, label, uint32(parent), uint16(progress), least - 1})
}

func (s *shortest) expand(i int) {
	from := s.nodes[i]
	labels, targets := s.m.Out(from.state)
	for j, t := range targets {
		s.meet(t, labels[j], i, s.p.Advance(int(from.progress), labels[j]))
	}
}

// settle looks for the shortest counterexample that ends at node i, or whose
// loop begins there.
func (s *shortest) settle(i, distance int) error {
	at := s.nodes[i]
	if s.m.IsDeadlock(at.state) {
		if distance < s.best && s.goal.reached(at.state) {
			s.improve(distance, i, nil)
		}
		return nil
	}
	for m := int(at.progress); m <= int(at.upTo) && distance+1 < s.best; m++ {
		radius := infinite
		if s.best != infinite {
			radius = s.best - distance - 1
		}
		cycle, err := s.closeLoop(at.state, m, radius)
		if err != nil {
			return err
		}
		if cycle != nil {
			s.improve(distance+len(cycle), i, cycle)
		}
	}
	return nil
}

// improve makes the best counterexample the one that ends at node i, or goes round
// the cycle from there.
func (s *shortest) improve(length, i int, cycle []lts.Transition) {
	s.best, s.end, s.cycle = length, i, cycle
	s.found++
}

// closeLoop returns a shortest loop of at most radius transitions from a state,
// without labels of step m+1; nil where there is none, or where an earlier search
// has found one that makes a shorter counterexample.
func (s *shortest) closeLoop(state lts.State, m, radius int) ([]lts.Transition, error) {
	if end, is := s.goal.closing(state); is && end != state {
		return s.balls.shortestPath(state, end, m, radius, func(t lts.State) bool { return s.goal.same(state, t) })
	} else if !is {
		return nil, nil
	}
	component, _ := s.c.Of(state)
	if !s.c.IsCyclic(component) {
		return nil, nil
	}
	if s.cyclic[m] == nil && !s.balls.spent() {
		cycle, err := s.balls.shortestCycle(state, m, radius, nil)
		if !errors.Is(err, errSpent) {
			return cycle, err
		}
	}
	on, err := s.onCycle(m)
	if err != nil || !on[state] {
		return nil, err
	}
	return s.balls.shortestCycle(state, m, radius, on)
}

// onCycle returns the states on cycles without labels of step m+1. Searches for
// cycles do without it until they have cost about as much as this does.
func (s *shortest) onCycle(m int) ([]bool, error) {
	if s.cyclic[m] == nil {
		on, err := s.c.OnCycle(s.ctx, func(l lts.Label) bool { return s.p.Does(l, m+1) })
		if err != nil {
			return nil, err
		}
		s.cyclic[m] = on
	}
	return s.cyclic[m], nil
}

// stats returns what the search has cost so far, as [ShortestCounted] says.
func (s *shortest) stats() buchi.Stats {
	stats := buchi.Stats{Stored: int64(len(s.nodes)), Matched: int64(len(s.nodes) + s.balls.visits), Found: s.found}
	if s.best != infinite {
		stats.Length = s.best + 1
	}
	return stats
}

// steps returns the best counterexample found, and the index at which its loop
// begins.
func (s *shortest) steps() (steps []lts.Transition, loop int, found bool) {
	if s.best == infinite {
		return nil, noLoop, false
	}
	steps = make([]lts.Transition, s.best)
	stem := s.best - len(s.cycle)
	for i, at := stem, s.nodes[s.end]; i > 0; i-- {
		before := s.nodes[at.parent]
		steps[i-1] = lts.Transition{From: before.state, Label: at.label, To: at.state}
		at = before
	}
	copy(steps[stem:], s.cycle)
	if s.cycle == nil {
		return steps, noLoop, true
	}
	return steps, stem, true
}
