package buchi

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
)

// priority returns a shortest counterexample of g, nil if there is none. It is [MIN07], Algorithms
// 4 to 7: breadth-first searches guided by priority queues, one for each accepting state, with all
// improvements of section 4 (Algorithms 6 and 7 replace 2 and 3). If bound is positive, priority
// only searches for counterexamples with a [Lasso.Length] below it. It fails if ctx is done.
//
// The first improvement is a linear search beforehand, here Algorithm 1 of [SPIN04] as in
// colourDFS. It reports whether there is a counterexample at all, bounds the length, and marks
// states as black that need not be visited.
//
// The algorithms do not fit together as they are printed. These are the corrections
// (TestPublishedPriority shows what goes wrong without them):
//
//   - Algorithm 7 examines s' = r only if s' has no bfs_flag, but r has it
//     from line 2 on: loop is never true, and the result always empty. Lines 18
//     to 21 belong before the test of line 13.
//   - Lines 19 to 21 of Algorithm 7, and lines 17 to 20 of Algorithm 6, lower
//     maxdepth without storing key states, and the test n < maxdepth of Algorithm
//     5 then refuses a counterexample of that very length. Here every step that
//     lowers maxdepth stores the key states (r, r), or those of cp.
//   - Line 17 of Algorithm 6 takes the blue states of cp as its head. With a
//     nested search that closes loops in any accepting state of the path, as
//     Algorithm 1 of [SPIN04] does, the loop has blue states too, and maxdepth
//     would become smaller than any counterexample. Here the head is the path up
//     to the state in which the loop begins.
//   - Line 2 of Algorithm 5 would undo what Algorithm 6 does to maxdepth. The
//     fields bfs_flag and marked have to be reset for each accepting state.
//     PrioMin of an empty queue is not defined; there is no counterexample then.
//   - size(cp) is in the unit of maxdepth: transitions.
//
// Cost O(E · F · log S) time. Memory: an integer, a byte and a few bits a state, and queues of at
// most S entries.
func priority(ctx context.Context, g Graph, bound int) (lasso *Lasso, _ Stats, err error) {
	rec := newRecord(ctx, g)
	err = abort.Try(func() {
		colours := newColouring(g, rec)
		cp := colours.blue() // any counterexample; cp is its name in the paper
		if cp == nil {
			return
		}
		p := &prioritySearch{
			g:        g,
			rec:      rec,
			maxDepth: unlimited,
			depth:    slices.Repeat([]uint32{unvisited}, g.NumStates()),
			reached:  bitset.New[State](g.NumStates()),
			marked:   bitset.New[State](g.NumStates()),
		}
		if bound > 0 {
			p.maxDepth = bound - 1
		}
		// Algorithm 5, lines 1 to 11. Each search stores the key states of a counterexample that is
		// smaller than those before.
		for _, accepting := range p.acceptingByDistance(cp, colours) {
			p.findSmallest(accepting, p.possibleLoopStarts(accepting))
		}
		if p.keys != nil {
			// The distances are not needed any more: the next search uses their array.
			trace := tracer{g: g, rec: rec, depth: p.depth}
			lasso = trace.lasso(p.keys.s1, p.keys.s2)
		}
	})
	return lasso, rec.stats, err
}

// keyStates are the states s1 and s2 of section 3.1: where the loop begins, and
// an accepting state on it.
type keyStates struct{ s1, s2 State }

// prioritySearch is the state of Algorithms 4 to 7, in which r is an accepting state.
type prioritySearch struct {
	g   Graph
	rec *record
	// depth[s] is d(i, s), the distance of s from the initial state, or unvisited if it was not
	// needed.
	depth []uint32
	// reached and marked are the fields bfs_flag and marked.
	reached, marked bitset.Set[State]
	// maxDepth is the number of transitions of the smallest counterexample known, or a limit: a
	// counterexample must have fewer transitions.
	maxDepth int
	keys     *keyStates
	buf      []State
}

// distant is an entry of a queue: a state and a length.
type distant struct {
	state State
	n     int
}

// lowerMaxDepth sets maxDepth to n, and stores the key states, if n is smaller than maxDepth.
func (p *prioritySearch) lowerMaxDepth(n int, keys keyStates) {
	if n < p.maxDepth {
		p.maxDepth = n
		p.keys = &keys
		p.rec.found(n + 1)
	}
}

// acceptingByDistance is Algorithm 6: it sets the distances from the initial state, and
// returns the accepting states that it finds, the nearest first. It lowers maxDepth to the size of the
// counterexample cp, less the longest detour that cp makes on its way to its loop.
func (p *prioritySearch) acceptingByDistance(cp *Lasso, colours *colouring) []State {
	firstAccepting := slices.IndexFunc(cp.Loop(), p.g.Accepting)
	keys := keyStates{s1: cp.States[cp.LoopStart], s2: cp.Loop()[firstAccepting]}
	positions := make(map[State]int, cp.LoopStart+1) // the positions of the states up to the beginning of the loop
	for i, s := range cp.States[:cp.LoopStart+1] {
		positions[s] = i
	}
	p.lowerMaxDepth(cp.Transitions(), keys)
	var accepting []State
	queue := []State{p.g.Initial()}
	p.depth[p.g.Initial()] = 0
	for n := 0; len(queue) > 0 && n < p.maxDepth; {
		s := queue[0]
		queue = queue[1:]
		n = int(p.depth[s])
		p.rec.visit(s, n+1)
		if p.g.Accepting(s) {
			accepting = append(accepting, s)
		}
		p.buf = p.g.Successors(s, p.buf[:0])
		for _, t := range p.buf {
			if p.depth[t] == unvisited && colours.colour(t) != black {
				p.depth[t] = uint32(n + 1)
				queue = append(queue, t)
			}
		}
		if position, isOnStem := positions[s]; isOnStem {
			detour := position - n // cp has this number of transitions more than a shortest path to s
			p.lowerMaxDepth(cp.Transitions()-detour, keys)
		}
	}
	return accepting
}

// possibleLoopStarts is Algorithm 7. It returns the states s from which the loop through the accepting state r
// may begin, with priority d(i, s) + d(r, s), smallest first. There are none if no loop through r
// is short enough.
//
// All waiting states are known before the first is taken, so sorting replaces the priority queue of
// the paper; states with equal priorities stay in the order in which they were met. The frontier is
// that of a breadth-first search from r.
func (p *prioritySearch) possibleLoopStarts(r State) []distant {
	clear(p.reached)
	p.reached.Add(r)
	var waiting []distant
	if int(p.depth[r]) < p.maxDepth {
		waiting = append(waiting, distant{r, int(p.depth[r])})
	}
	hasLoop := false // through r
	frontier := []distant{{r, 0}}
	for len(frontier) > 0 && frontier[0].n+1 < p.maxDepth {
		s := frontier[0].state
		n := frontier[0].n // d(r, s)
		frontier = frontier[1:]
		p.rec.visit(s, n+1)
		p.buf = p.g.Successors(s, p.buf[:0])
		for _, t := range p.buf {
			if t == r {
				hasLoop = true
				p.lowerMaxDepth(int(p.depth[r])+n+1, keyStates{r, r})
			}
			if p.reached.Has(t) {
				continue
			}
			p.reached.Add(t)
			frontier = append(frontier, distant{t, n + 1})
			priority := int(p.depth[t]) + n + 1
			if priority < p.maxDepth && p.depth[t] < p.depth[s] {
				waiting = append(waiting, distant{t, priority})
			}
		}
	}
	if !hasLoop {
		return nil
	}
	slices.SortStableFunc(waiting, func(a, b distant) int {
		return cmp.Compare(a.n, b.n)
	})
	return waiting
}

// findSmallest is Algorithm 4. It takes the waiting states in the order of their priorities, and lets
// breadth-first searches from them run side by side until one of these reaches r. If that gives a
// smaller counterexample, findSmallest lowers maxDepth.
//
// The separator # of the paper is the end of round: all pairs of a round represent paths of the
// same length n.
func (p *prioritySearch) findSmallest(r State, waiting []distant) {
	if len(waiting) == 0 {
		return
	}
	clear(p.marked)
	// A pair means that the search from the state start has reached another state.
	type pair struct{ start, reached State }
	var round, next []pair
	for n := waiting[0].n; (len(waiting) > 0 || len(round) > 0) && n+1 < p.maxDepth; n++ {
		for len(waiting) > 0 && waiting[0].n == n {
			s := waiting[0].state
			waiting = waiting[1:]
			if !p.marked.Has(s) {
				p.marked.Add(s)
				round = append(round, pair{s, s})
			}
		}
		next = next[:0]
		for _, q := range round {
			p.rec.visit(q.reached, n+1)
			p.buf = p.g.Successors(q.reached, p.buf[:0])
			for _, t := range p.buf {
				if t == r {
					p.lowerMaxDepth(n+1, keyStates{q.start, r})
					return
				}
				if !p.marked.Has(t) {
					p.marked.Add(t)
					next = append(next, pair{q.start, t})
				}
			}
		}
		round, next = next, round
	}
}

// tracer finds shortest paths with one integer a state: [MIN07], section 3.1, Algorithm 1.
//
// These corrections are made. Lines 7 and 8 set bfs_flag and depth of s, but mean s', as the text
// below them says. The assignment r.depth = 0 is missing, and so is the reset of both fields
// between searches. For r = r' the paper gives the empty path, which cannot close a loop. DFS_trace
// does not record states from which r' was not reached; it enters them again and again, and is
// exponential: here their depth is erased.
//
// Cost O(S + E) time a path. Memory as in the paper: an integer and a bit a state, kept for one
// search at a time, and no pointers to fathers.
type tracer struct {
	g     Graph
	rec   *record
	depth []uint32
	buf   []State
}

// lasso returns the counterexample with the key states s1 and s2. It consists of a shortest path ρ1
// from the initial state to s1, where the loop begins, a shortest path ρ2 from there to the
// accepting state s2, and a shortest path ρ3 back to s1. If s1 = s2, the loop is a shortest
// non-empty path from s1 to itself. For the key states of a shortest counterexample the result is a
// shortest one; for others it is accepting, but may visit a state twice. lasso ends the search with
// an error if one of the paths does not exist.
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
	distance := b.findDepths(from, target)
	if distance == 0 {
		abort.On(fmt.Errorf("buchi: no path leads from state %d to state %d", from, target))
	}
	// DFS_trace goes to states whose distance is larger by one, until it finds target at its distance.
	var p path
	p.push(b.g, from)
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
	// The path exists unless the graph has changed its successors.
	abort.On(fmt.Errorf("buchi: the successors of state %d have changed during the search",
		from))
}

// findDepths is lines 1 to 14 of BFS_trace: it sets the depth of each state that it meets before
// target to the distance from the first state. It returns the number of transitions of a shortest
// non-empty path to target; 0 if there is none.
func (b *tracer) findDepths(from, target State) int {
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
