package buchi

import (
	"context"
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
)

// contrex finds ever shorter counterexamples of g and returns the last one, nil if there is none:
// [SPIN04] and [SPIN04r], section 3, Algorithm 2 (DFS_MIN, "Contrex" in the tables). It calls yield
// with each counterexample that it finds, and with the statistics up to then. yield may be nil; the
// search ends if it returns false. If ctx is done, contrex returns the best counterexample so far
// together with the context's error. yield has the form of the body of a range-over-func loop.
//
// A search that is not ended early returns a shortest counterexample (of those below the bound, if
// there is one). Without ColourFirst, the yielded counterexamples are exactly the sequence γ0 … γp
// of Proposition 2 (Proposition 6 of [SPIN04]): γ0 is lexicographically the first, and γ(i+1) the
// first that is shorter than γi.
//
// The algorithm is that of both versions. [SPIN04] always starts in normal mode. [SPIN04r] adds,
// below Proposition 2, that the initial mode is careful if the initial state is accepting. This is
// done here: the proof needs it, although no automaton is known for which it changes the result.
// Two corrections were necessary (TestPublishedContrex shows why):
//
//   - Section 3.4 says that a bound "amounts only to changing the test of line
//     4". Then a state first met on a path that the bound cuts off is not visited
//     again on a shorter path, because line 11 demands mce ≠ ε, and
//     counterexamples below the bound are missed. Here a bound counts as a
//     counterexample of that length on line 11 as well.
//   - closes_accepting is described as "the depth of its occurrence … is smaller
//     than the depth of the last accepting state": it has to be smaller or equal,
//     since the loop may close in that accepting state itself.
//
// For ColourFirst, [SPIN04] pops the stack to the oldest accepting state before it switches;
// [SPIN04r] drops this, and here the second search starts afresh on the tagged automaton. The test
// length(cp)+2 of section 4, for products whose counterexamples all have odd length, is left out.
//
// The cost is exponential in the worst case, since a careful search visits states again. Memory: 8
// bytes and a bit a state, and the current path with the successors of its states.
func contrex(
	ctx context.Context,
	g Graph,
	o FindOptions,
	yield func(Lasso, Stats) bool,
) (*Lasso, Stats, error) {
	m := &minimisation{
		g:        g,
		rec:      newRecord(ctx, g),
		yield:    yield,
		limit:    unlimited,
		depth:    slices.Repeat([]uint32{unvisited}, g.NumStates()),
		position: make([]uint32, g.NumStates()),
	}
	if o.Bound > 0 {
		m.limit = o.Bound
	}
	err := abort.Try(func() {
		if o.ColourFirst {
			m.colours = newColouring(g, m.rec)
			lasso := m.colours.blue()
			if lasso == nil {
				return
			}
			if lasso.Length() < m.limit {
				m.improve(lasso)
			}
		}
		if !m.stopped {
			m.search()
		}
	})
	return m.best, m.rec.stats, err
}

// minimisation is the state of Algorithm 2.
type minimisation struct {
	g     Graph
	rec   *record
	yield func(Lasso, Stats) bool
	path  path
	// depth is the field depth of the paper: the smallest length of a current
	// path that ended in the state.
	depth []uint32
	// position is the position of a state on the current path, counted from 1; 0
	// if it is not on the path.
	position []uint32
	// lastAccepting is the second stack of section 3.2: for each position on the path, the position
	// of the last accepting state up to it; 0 if there is none.
	lastAccepting []uint32
	// carefulFrom is the length of the path at which the search became careful; 0 in normal mode.
	carefulFrom int
	// limit is the length of the minimal counterexample found so far, length(mce) in the paper. Before
	// there is one, it is the bound, or unlimited.
	limit int
	best  *Lasso
	// colours are the colours that Algorithm 1 has left; nil if it was not run.
	colours *colouring
	// stopped reports whether yield has returned false.
	stopped bool
}

const (
	unvisited uint32 = math.MaxUint32
	unlimited        = math.MaxInt
)

// improve makes lasso the minimal counterexample found so far.
func (m *minimisation) improve(lasso *Lasso) {
	m.best = lasso
	m.limit = lasso.Length()
	m.rec.found(lasso.Length())
	m.stopped = m.yield != nil && !m.yield(*lasso, m.rec.stats)
}

// search is DFS_MIN from the initial state.
func (m *minimisation) search() {
	initial := m.g.Initial()
	m.enter(initial)
	if m.g.Accepting(initial) {
		m.becomeCareful()
	}
	for m.path.len() > 0 && !m.stopped {
		t, more := m.path.next()
		// The test of line 4 is the same for all successors: once the test fails for one successor,
		// it fails for all further successors.
		if !more || m.path.len()+1 >= m.limit {
			m.leave()
			continue
		}
		// Lines 5 to 13.
		switch {
		case m.position[t] != 0:
			if m.position[t] <= m.lastAccepting[len(m.lastAccepting)-1] {
				m.improve(m.path.lasso(t))
			}
		case m.colours != nil && m.colours.colour(t) == black:
			// No counterexample passes t.
		case m.carefulFrom != 0 || m.g.Accepting(t):
			m.enter(t)
			m.becomeCareful()
		case m.depth[t] == unvisited:
			m.enter(t)
		case int(m.depth[t]) > m.path.len()+1 && m.limit != unlimited:
			m.enter(t)
			m.becomeCareful()
		}
	}
}

// leave removes the last state of the path: line 16 of DFS_MIN. The search stays careful until the
// state is removed at which it became careful.
func (m *minimisation) leave() {
	if m.path.len() == m.carefulFrom {
		m.carefulFrom = 0
	}
	m.position[m.path.top()] = 0
	m.lastAccepting = m.lastAccepting[:len(m.lastAccepting)-1]
	m.path.pop()
}

// enter appends s to the path: lines 1 and 2 of DFS_MIN.
func (m *minimisation) enter(s State) {
	m.path.push(m.g, s)
	length := uint32(m.path.len())
	m.position[s] = length
	m.depth[s] = min(m.depth[s], length)
	last := uint32(0)
	if m.g.Accepting(s) {
		last = length
	} else if length > 1 {
		last = m.lastAccepting[length-2]
	}
	m.lastAccepting = append(m.lastAccepting, last)
	m.rec.visit(s, int(length))
}

// becomeCareful makes the search careful, if it is not, until the last state of the path is removed.
func (m *minimisation) becomeCareful() {
	if m.carefulFrom == 0 {
		m.carefulFrom = m.path.len()
	}
}
