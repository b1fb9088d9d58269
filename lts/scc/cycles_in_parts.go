package scc

import (
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
)

// HasCycle enters states as a part, and reports whether the transitions between
// these states for which shows returns true contain a cycle. It fails if ctx is
// done. Cost O(S + T) of what a search in depth visits before it comes back to
// its path.
func (x *Parts) HasCycle(states []lts.State, shows func(from lts.State, l lts.Label, to lts.State) bool) (has bool, err error) {
	err = x.DisjointCycles(states, shows, func([]lts.State) bool {
		has = true
		return false
	})
	return has, err
}

// DisjointCycles yields cycles of the transitions between the given states for
// which shows returns true, until yield returns false: no two have a state in
// common, and no further cycle could be added. A cycle is given by its states in
// their order, in a slice that is reused. The states are entered as a part. It
// fails if ctx is done. It is one search in depth, which goes on after each cycle
// that it finds. [Parts.Work] does not count it. Cost O(S + T) of the part.
func (x *Parts) DisjointCycles(states []lts.State, shows func(from lts.State, l lts.Label, to lts.State) bool, yield func(cycle []lts.State) (more bool)) (err error) {
	defer abort.Caught(&err)
	x.Enter(states)
	for _, s := range states {
		x.index[s] = waits
	}
	defer func() {
		for _, s := range states {
			x.index[s] = 0
		}
	}()
	d := descent{Parts: x, shows: shows, path: x.path[:0]}
	defer func() { x.path = d.path }()
	var cycle []lts.State
	for _, root := range states {
		if x.index[root] != waits {
			continue
		}
		for d.meet(root); len(d.path) > 0; {
			first := d.down()
			if first < 0 {
				continue
			}
			cycle = cycle[:0]
			for _, on := range d.path[first:] {
				cycle = append(cycle, on.state)
				x.index[on.state] = 0
			}
			d.path = d.path[:first]
			if !yield(cycle) {
				return nil
			}
		}
	}
	return nil
}

// OnCycle reports whether the transitions for which shows returns true contain a
// cycle through s. It leaves the part that was entered before. It fails if ctx is
// done. Cost O(S + T) of what can be reached from s.
func (x *Parts) OnCycle(s lts.State, shows func(from lts.State, l lts.Label, to lts.State) bool) (is bool, err error) {
	x.count++
	open := append(x.waiting[:0], s)
	defer func() { x.waiting = open[:0] }()
	for looked := 0; len(open) > 0; {
		from := open[len(open)-1]
		open = open[:len(open)-1]
		labels, targets := x.m.Out(from)
		if looked++; looked&(1<<14-1) == 0 && x.ctx.Err() != nil {
			return false, x.ctx.Err()
		}
		for i, to := range targets {
			if x.Has(to) || !shows(from, labels.At(i), to) {
				continue
			}
			if to == s {
				return true, nil
			}
			x.part[to] = x.count
			open = append(open, to)
		}
	}
	return false, nil
}

// descent is a search in depth for cycles. The index of a state is waits if the
// state may still be visited, pathIndex if it is on the path, and otherwise
// 0.
type descent struct {
	*Parts
	shows func(lts.State, lts.Label, lts.State) bool
	path  []onPath
	steps int
}

// pathIndex is the index of states on the path of a [descent].
const pathIndex = waits + 1

func (d *descent) meet(s lts.State) {
	d.index[s] = pathIndex
	d.path = append(double(d.path), onPath{state: s})
}

// down extends the path from its last state by one state, or else removes that
// state. If a transition leads to a state on the path, it returns the position of
// that state on the path; otherwise -1.
func (d *descent) down() (first int) {
	if d.steps++; d.steps&(1<<14-1) == 0 {
		abort.On(d.ctx.Err())
	}
	at := &d.path[len(d.path)-1]
	labels, targets := d.m.Out(at.state)
	for int(at.next) < len(targets) {
		i := int(at.next)
		to := targets[i]
		at.next++
		switch index := d.index[to]; {
		case index == 0 || !d.shows(at.state, labels.At(i), to):
		case index == pathIndex:
			first = len(d.path) - 1
			for d.path[first].state != to {
				first--
			}
			return first
		default:
			d.meet(to)
			return -1
		}
	}
	d.index[at.state] = 0
	d.path = d.path[:len(d.path)-1]
	return -1
}
