package enrich

import (
	"context"
	"math"

	"github.com/inev-lts/inev/lts"
)

// A filter tells which transitions of an LTS a search sees. A nil filter shows
// all of them.
type filter struct {
	components *Components
	// hides tells whether transitions with this label are hidden.
	hides func(lts.Label) bool
}

func (f *filter) shows(from lts.State, label lts.Label, to lts.State) bool {
	return f.components.of[from] == f.components.of[to] && !f.hides(label)
}

// pearce finds strongly connected components without recursion: D. J. Pearce,
// "A space-efficient algorithm for finding strongly connected components",
// Information Processing Letters 116 (2016), algorithm PEA_FIND_SCC3. One
// number a state serves as visiting index and as lowlink.
type pearce struct {
	m    *lts.LTS
	seen *filter
	// index is 0 for unvisited states, done for those whose component is known,
	// the smallest visiting index known to be reached for the others.
	index []uint32
	next  uint32
	path  []visit
	// waiting are the finished states whose component is still open.
	waiting []lts.State
}

// visit is a state on the search path and the row index of its next transition.
type visit struct {
	state lts.State
	root  bool
	at    int
}

const done = math.MaxUint32

func newPearce(m *lts.LTS, seen *filter) *pearce {
	return &pearce{m: m, seen: seen, index: make([]uint32, m.NumStates()), next: 1}
}

// visited tells whether an earlier search has come to s.
func (p *pearce) visited(s lts.State) bool { return p.index[s] != 0 }

// forget makes states unvisited again, for a search with another filter.
func (p *pearce) forget(states []lts.State) {
	for _, s := range states {
		p.index[s] = 0
	}
	p.next = 1
}

// from finds the components of all unvisited states that root reaches, and
// calls component with the states of each, successors before predecessors. The
// slice is valid during the call only. Cost O(S + T).
func (p *pearce) from(ctx context.Context, root lts.State, component func([]lts.State)) error {
	p.enter(root)
	for work := 1; len(p.path) > 0; work++ {
		if work&(1<<16-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		top := &p.path[len(p.path)-1]
		child, found := p.advance(top)
		if found {
			p.enter(child)
			continue
		}
		p.leave(*top, component)
	}
	return nil
}

func (p *pearce) enter(s lts.State) {
	p.index[s] = p.next
	p.next++
	first, _ := p.m.Row(s)
	p.path = append(p.path, visit{state: s, root: true, at: first})
}

// advance goes on through the transitions of v, up to the next one that leads
// to an unvisited state. That transition stays the current one: when the search
// comes back to v, it is looked at again, and then its target's index counts.
func (p *pearce) advance(v *visit) (child lts.State, found bool) {
	first, end := p.m.Row(v.state)
	labels, targets := p.m.Out(v.state)
	own := p.index[v.state]
	for ; v.at < end; v.at++ {
		to := targets[v.at-first]
		if p.seen != nil && !p.seen.shows(v.state, labels[v.at-first], to) {
			continue
		}
		switch low := p.index[to]; {
		case low == 0:
			p.index[v.state] = own
			return to, true
		case low < own:
			own = low
			v.root = false
		}
	}
	p.index[v.state] = own
	return 0, false
}

// leave takes v off the path: as the root of a component it closes it, else it
// waits for its root.
func (p *pearce) leave(v visit, component func([]lts.State)) {
	p.path = p.path[:len(p.path)-1]
	p.waiting = append(p.waiting, v.state)
	if !v.root {
		return
	}
	low := p.index[v.state]
	start := len(p.waiting) - 1
	for start > 0 && p.index[p.waiting[start-1]] >= low {
		start--
	}
	members := p.waiting[start:]
	for _, s := range members {
		p.index[s] = done
	}
	p.next -= uint32(len(members))
	component(members)
	p.waiting = p.waiting[:start]
}
