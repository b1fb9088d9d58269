package buchi

import (
	"fmt"

	"github.com/inev-lts/inev/internal/abort"
)

// tracer finds shortest paths with one integer a state: [MIN07], section 3.1, Algorithm 1.
//
// The algorithm is followed with these corrections: lines 7 and 8 set bfs_flag and
// depth of s where s' is meant, as the text below it says; r.depth = 0 and the
// resetting of both fields between searches are missing; r = r' gives the empty
// path, which cannot close a loop; and DFS_trace keeps no note of states from
// which r' was not reached, enters them again and again, and is exponential: here
// their depth is erased.
//
// Cost O(S + E) time a path. Memory as in the paper: an integer and a bit a state, kept
// for one search at a time, no pointers to fathers.
type tracer struct {
	g     Graph
	rec   *record
	depth []uint32
	buf   []State
}

// lasso returns the counterexample with the key states s1 and s2: a
// shortest path ρ1 from the initial state to s1, where the loop begins, a
// shortest path ρ2 from there to the accepting state s2, and a shortest path ρ3
// back to s1. Where s1 = s2, the loop is a
// shortest non-empty path from s1 to itself. For the key states of a shortest
// counterexample the result is a shortest one; for others it is accepting, but
// may visit a state twice. It ends the search if one of the paths does not exist.
func (b *tracer) lasso(s1, s2 State) *Lasso {
	initial := b.g.Initial()
	l := &Lasso{States: []State{initial}}
	if initial != s1 {
		b.extend(l, s1)
	}
	l.LoopStart = len(l.States) - 1
	b.extend(l, s2)
	if s1 != s2 {
		b.extend(l, s1)
	}
	l.States = l.States[:len(l.States)-1]
	return l
}

// extend is BFS_trace: it appends a shortest non-empty path from the last state
// of l to target.
func (b *tracer) extend(l *Lasso, target State) {
	from := l.States[len(l.States)-1]
	distance := b.distances(from, target)
	if distance == 0 {
		abort.On(fmt.Errorf("buchi: no path leads from state %d to state %d", from, target))
	}
	b.trace(l, target, distance)
}

// distances is lines 1 to 14 of BFS_trace: it stores the distance from the
// source for each state that it meets before target, and returns the length of
// a shortest non-empty path to target, 0 if there is none.
func (b *tracer) distances(from, target State) int {
	for s := range b.depth {
		b.depth[s] = unvisited
	}
	b.depth[from] = 0
	queue := []State{from}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		n := b.depth[s]
		b.rec.visit(s, int(n)+1)
		b.buf = b.g.Successors(s, b.buf[:0])
		for _, t := range b.buf {
			if t == target {
				return int(n) + 1
			}
			if b.depth[t] == unvisited {
				b.depth[t] = n + 1
				queue = append(queue, t)
			}
		}
	}
	return 0
}

// trace is DFS_trace: from the last state of l it goes to states whose distance
// is larger by one, until it finds target at the given distance.
func (b *tracer) trace(l *Lasso, target State, distance int) {
	var p path
	p.push(b.g, l.States[len(l.States)-1])
	for p.len() > 0 {
		t, more := p.next()
		switch {
		case !more:
			b.depth[p.top()] = unvisited
			p.pop()
		case p.len() == distance && t == target:
			for _, f := range p.frames[1:] {
				l.States = append(l.States, f.state)
			}
			l.States = append(l.States, t)
			return
		case p.len() < distance && b.depth[t] == uint32(p.len()):
			p.push(b.g, t)
			b.rec.visit(t, p.len())
		}
	}
	// The call of distances has found such a path, so that the search can end
	// here only if the graph changes its successors.
	abort.On(fmt.Errorf("buchi: the successors of state %d have changed during the search", l.States[len(l.States)-1]))
}
