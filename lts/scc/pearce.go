package scc

import (
	"context"
	"math"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/pagedlist"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/lts"
)

// pearce finds strongly connected components without recursion: D. J. Pearce,
// "A space-efficient algorithm for finding strongly connected components",
// Information Processing Letters 116 (2016), algorithm PEA_FIND_SCC3. Each
// state has one number, which serves as visiting index and as lowlink. A state is
// on the path, or waits, or is done: so path and waiting states share one array.
type pearce struct {
	m *lts.LTS
	// keeps selects the transitions that the search follows; nil for all.
	keeps func(from lts.State, label lts.Label, to lts.State) bool
	// index is 0 for unvisited states, done for states whose component is known, and otherwise the
	// smallest visiting index that the state is known to reach.
	index []uint32
	next  uint32
	// stack is filled from both ends: from the left with the states of the path, and from the right with
	// the finished states whose component is still open, so that the last one finished comes first.
	stack   []lts.State
	waiting int // stack[waiting:] waits
	path    pagedlist.List[visit]
	work    int // how often a state was entered or left
	meter   *progress.Meter
	// exits has a bit for each state with a transition to another component; nil
	// if the caller does not need it.
	exits bitset.Set[lts.State]
	// workers is the number of goroutines of passes over the rows; the depth-first
	// search has one.
	workers int
}

// visit is the progress of the search in a state of the path.
type visit struct {
	// at is the index of the next transition in the state's row. The rows of an
	// LTS in memory are shorter than 1<<32.
	next uint32
	// own is the index with which the state was entered: the state is the root of
	// its component if its lowlink is still own when the search leaves it.
	entryIndex uint32
}

// done is the index of states whose component is known.
const done = math.MaxUint32

// newPearce returns a search that has not visited any state. It follows the transitions for which keeps returns
// true; a nil keeps allows all.
func newPearce(
	m *lts.LTS,
	keeps func(from lts.State, label lts.Label, to lts.State) bool,
) *pearce {
	n := m.NumStates()
	return &pearce{
		m:       m,
		keeps:   keeps,
		index:   make([]uint32, n),
		next:    1,
		stack:   make([]lts.State, n),
		waiting: n,
	}
}

// visited reports whether an earlier search has come to s.
func (p *pearce) visited(s lts.State) bool { return p.index[s] != 0 }

// searchFrom finds the components of all unvisited states that root reaches, and
// calls component with the states of each, successors before predecessors. The
// slice is valid during the call only. Cost O(S + T).
func (p *pearce) searchFrom(ctx context.Context, root lts.State, component func([]lts.State)) {
	p.enter(root)
	for p.path.Len() > 0 {
		p.work++
		if p.work%65536 == 0 { // counted for all roots together, which may reach little each
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
	p.path.Append(visit{entryIndex: p.next})
	p.next++
}

// advance reads transitions of the last state of the path, up to the next one that leads to an unvisited
// state. That transition stays the current one: when the search comes back, it reads the transition
// again, and then takes the lowlink of its target into account.
func (p *pearce) advance() (child lts.State, found bool) {
	last := p.path.Len() - 1
	v := p.path.At(last)
	s := p.stack[last]
	labels, targets := p.m.Out(s)
	low := p.index[s]
	for i := int(v.next); i < len(targets); i++ {
		to := targets[i]
		if p.keeps != nil && !p.keeps(s, labels.At(i), to) {
			continue
		}
		reached := p.index[to]
		switch {
		case reached == done:
			// The target to is in another component than s, because the
			// component of to is known, and the component of s is not.
			if p.exits != nil {
				p.exits.Add(s)
			}
		case reached == 0:
			p.index[s] = low
			v.next = uint32(i)
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
	entryIndex := p.path.At(last).entryIndex
	p.path.Truncate(last)
	low := p.index[s]
	// The slot of s on the path is free now, so that the waiting states have room
	// for it.
	p.waiting--
	p.stack[p.waiting] = s
	if low < entryIndex {
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
