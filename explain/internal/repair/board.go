package repair

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// player is one of the two players of a game.
type player bool

const (
	supervisor player = true
	opponent   player = false
)

// board is a game on a graph. Its first nodes are the product states. They are followed by one node
// for each transition with colours, and one for each choice of a label.
type board struct {
	budget
	condition *condition
	marks     []property.Marks
	mover     []player // who moves at each node
	winner    []player // for each node, who wins from there; valid once the node is removed from all sets
	// The edges from node v lead to the nodes to[first[v]:first[v+1]]. The edges into node v come
	// from the nodes from[back[v]:back[v+1]].
	first, back []uint32
	to, from    []uint32
	// depth[v] is the depth of the smallest set that contains node v, or less than wholeBoard if the node
	// has been decided. The sets are nested.
	depth []uint32
	// reason[v] is the reason why node v is in an attractor. If v is in the target, it is v itself. If
	// the attracting player moves at v, it is a successor in the attractor.
	reason []uint32
	// visited[v] is the number of the last search that visited node v. If seen[v] is the number of the
	// current search, left[v] is the number of successors that this search has not visited yet.
	visited, seen, left []uint32
	search              uint32
}

// wholeBoard is the depth of the largest set.
const wholeBoard = 1

// winnerIf returns the player who wins a run that satisfies the property, or one that violates it.
func winnerIf(satisfies bool) player { return player(satisfies) }

// edge is an edge of a board under construction.
type edge struct{ from, to uint32 }

// solveInfinite finds the product states from which the supervisor wins, and gives all of them the
// same rank. The strategy may have to remember more than the product state, such as the colour that
// recurred last. The algorithm is by McNaughton and Zielonka (Zielonka: Infinite Games on Finitely
// Coloured Graphs with Applications to Automata on Infinite Trees, TCS 200, 1998). Cost O((S + T)
// (S p)^d) at worst, for p pairs of a condition whose acceptance changes at most d times along a
// chain of shrinking sets of colours. Without colours, the cost is linear; for Büchi, generalised
// Büchi and co-Büchi conditions it is at worst quadratic: see [board.removeLost]. It fails with
// [ErrWork] once the number of visited nodes and edges exceeds most, unless most is 0.
func (g *game) solveInfinite(ctx context.Context, most int64) []uint32 {
	b := g.newBoard(budget{ctx: ctx, most: most})
	b.decideDeadlocks(g)
	var undecided []uint32
	for v := range uint32(len(b.depth)) {
		if b.isUndecided(v) {
			undecided = append(undecided, v)
		}
	}
	b.zielonka(undecided, wholeBoard)
	rank := make([]uint32, g.m.NumStates())
	for s := range rank {
		if b.winner[s] == supervisor {
			rank[s] = 2
		}
	}
	return rank
}

// newBoard returns the board of the game.
func (g *game) newBoard(work budget) *board {
	n := g.m.NumStates()
	b := &board{
		budget:    work,
		condition: g.condition,
		marks:     make([]property.Marks, n),
		mover:     make([]player, n),
	}
	edges := make([]edge, 0, g.m.NumTransitions())
	for s := range lts.State(n) {
		edges = b.addMoves(g, s, edges)
	}
	b.connect(edges)
	return b
}

// addMoves appends the edges of the moves at a product state, and adds the nodes between them.
func (b *board) addMoves(g *game, s lts.State, edges []edge) []edge {
	isForced := g.isForced(s)
	b.mover[s] = player(!isForced)
	var choices map[lts.Label]uint32 // for each label that the supervisor can choose, its node; nil if it chooses transitions
	if g.byLabel && !isForced {
		choices = map[lts.Label]uint32{}
	}
	labels, targets := g.m.Out(s)
	for i, to := range targets {
		l := labels.At(i)
		if isForced && !g.forced[l] {
			continue
		}
		last := uint32(s) // the last node before the target
		if choices != nil {
			node, known := choices[l]
			if !known {
				node = b.addNode(0)
				choices[l] = node
				edges = append(edges, edge{last, node})
			}
			last = node
		}
		marks := g.condition.matters(g.unfolding.Marks(s, l))
		if marks != 0 {
			node := b.addNode(marks)
			edges = append(edges, edge{last, node})
			last = node
		}
		edges = append(edges, edge{last, uint32(to)})
	}
	return edges
}

// addNode adds a node between two product states, where the opponent moves.
func (b *board) addNode(marks property.Marks) uint32 {
	b.marks = append(b.marks, marks)
	b.mover = append(b.mover, opponent)
	return uint32(len(b.marks) - 1)
}

// connect sets the edges, and puts all nodes into the largest set. It reverses the direction of the
// edges in the slice.
func (b *board) connect(edges []edge) {
	n := len(b.marks)
	b.first, b.to = grouped(n, edges)
	for i, e := range edges {
		edges[i] = edge{e.to, e.from}
	}
	b.back, b.from = grouped(n, edges)
	b.winner = make([]player, n)
	b.depth = slices.Repeat([]uint32{wholeBoard}, n)
	b.reason = make([]uint32, n)
	b.visited = make([]uint32, n)
	b.seen = make([]uint32, n)
	b.left = make([]uint32, n)
}

// grouped returns the targets of edges, grouped by their sources: those of the edges from node v
// are targets[first[v]:first[v+1]].
func grouped(n int, edges []edge) (first, targets []uint32) {
	first = make([]uint32, n+1)
	for _, e := range edges {
		first[e.from+1]++
	}
	for v := range n {
		first[v+1] += first[v]
	}
	next := slices.Clone(first)
	targets = make([]uint32, len(edges))
	for _, e := range edges {
		targets[next[e.from]] = e.to
		next[e.from]++
	}
	return first, targets
}

// into returns the sources of the edges into a node, and counts their visits as work.
func (b *board) into(v uint32) []uint32 {
	sources := b.from[b.back[v]:b.back[v+1]]
	b.work += int64(len(sources))
	return sources
}

// outOf returns the targets of the edges from a node.
func (b *board) outOf(v uint32) []uint32 { return b.to[b.first[v]:b.first[v+1]] }

// decideDeadlocks decides the nodes from which a player can force a run into a deadlock in which
// this player wins. The last state of a finite run decides who wins it.
func (b *board) decideDeadlocks(g *game) {
	for _, p := range []player{supervisor, opponent} {
		var won []uint32
		for s := range lts.State(g.m.NumStates()) {
			if !b.isUndecided(uint32(s)) || !g.m.IsDeadlock(s) {
				continue
			}
			satisfies := g.unfolding.Property().Stops(g.unfolding.At(s).Q)
			if winnerIf(satisfies) == p {
				won = append(won, uint32(s))
			}
		}
		b.award(b.attract(won, p, wholeBoard), p, wholeBoard)
	}
}

// isUndecided reports whether nobody is known to win from a node. No smaller sets may be in use.
func (b *board) isUndecided(v uint32) bool { return b.depth[v] == wholeBoard }

// attract returns the nodes of a set, given by its depth, from which a player can force a run into
// the nodes in to. It records the reasons.
func (b *board) attract(to []uint32, p player, depth uint32) []uint32 {
	b.search++
	all := slices.Clone(to)
	for _, v := range to {
		b.visited[v] = b.search
		b.reason[v] = v
	}
	for next := 0; next < len(all); next++ {
		v := all[next]
		for _, u := range b.into(v) {
			isKnown := b.visited[u] == b.search
			isOutside := b.depth[u] < depth
			if isKnown || isOutside {
				continue
			}
			// The other player must move into the attractor once all edges from u lead there.
			isForced := b.mover[u] == p || b.countEdge(u, depth)
			if !isForced {
				continue
			}
			b.visited[u] = b.search
			b.reason[u] = v
			all = append(all, u)
		}
	}
	return all
}

// countEdge counts an edge from node u to a visited node, and reports whether all edges from u within
// the set have now been counted.
func (b *board) countEdge(u, depth uint32) (allCounted bool) {
	if b.seen[u] != b.search {
		b.seen[u] = b.search
		b.left[u] = 0
		for _, w := range b.outOf(u) {
			if b.depth[w] >= depth {
				b.left[u]++
			}
		}
	}
	b.left[u]--
	return b.left[u] == 0
}

// award removes nodes from a set, and records that a player wins them.
func (b *board) award(nodes []uint32, p player, depth uint32) {
	for _, v := range nodes {
		b.depth[v] = depth - 1
		b.winner[v] = p
	}
}

// zielonka decides all nodes of a set, given by its depth. Every node must have a successor in the
// set. It removes all nodes from the set, and may change the slice.
func (b *board) zielonka(nodes []uint32, depth uint32) {
	for {
		nodes = slices.DeleteFunc(nodes, func(v uint32) bool {
			return b.depth[v] < depth
		})
		b.spend(len(nodes))
		if len(nodes) == 0 {
			return
		}
		all := property.Marks(0)
		for _, v := range nodes {
			all |= b.marks[v]
		}
		p := winnerIf(b.condition.accept.Holds(all)) // who wins a run that takes all these colours
		removesSome := func(fewer property.Marks) bool {
			return b.removeLost(nodes, p, depth, fewer)
		}
		if !slices.ContainsFunc(b.condition.opposed(all), removesSome) {
			b.award(nodes, p, depth)
			return
		}
	}
}

// removeLost removes the nodes of a set from which the other player wins by restricting a run to fewer
// colours. Player p must win a run that takes all colours of the set. removeLost reports whether it
// removed some node.
//
// The attractor of the nodes with other colours is computed once. Removing a node changes the
// attractor only at nodes that were attracted through it, so only these are examined again. The
// cost of a round is the number of removed nodes, and of nodes that were attracted through them; a
// new attractor would cost O(S + T). On a line of product states where each is lost as soon as the
// next one is, all rounds together cost O(S + T). At worst they are quadratic, since nodes can be
// attracted through other nodes in every round.
func (b *board) removeLost(
	nodes []uint32,
	p player,
	depth uint32,
	fewer property.Marks,
) (removedSome bool) {
	sub := b.restrict(nodes, p, depth, fewer)
	for len(sub) > 0 {
		lost := b.lostWithin(sub, p, depth+1)
		if len(lost) == 0 {
			break
		}
		removedSome = true
		removed := b.attract(lost, !p, depth)
		b.award(removed, !p, depth)
		released := b.release(removed, p, depth)
		b.attractAgain(released, p, depth)
		sub = slices.DeleteFunc(append(sub, released...), func(v uint32) bool {
			return b.depth[v] <= depth
		})
		b.spend(len(sub))
	}
	for _, v := range sub {
		b.depth[v] = depth
	}
	return removedSome
}

// restrict removes from a set the nodes with a colour that is not in fewer, and all nodes from which
// player p can force a run to one of those. It moves the other nodes one level deeper, and returns them.
func (b *board) restrict(
	nodes []uint32,
	p player,
	depth uint32,
	fewer property.Marks,
) []uint32 {
	var others []uint32
	for _, v := range nodes {
		if b.marks[v]&^fewer != 0 {
			others = append(others, v)
		}
	}
	b.attract(others, p, depth)
	var sub []uint32
	for _, v := range nodes {
		if b.visited[v] != b.search {
			b.depth[v] = depth + 1
			sub = append(sub, v)
		}
	}
	return sub
}

// lostWithin returns the nodes of a set, given by its depth, that player p loses if runs stay in
// the set. The set keeps all its nodes.
func (b *board) lostWithin(sub []uint32, p player, depth uint32) []uint32 {
	b.zielonka(slices.Clone(sub), depth)
	var lost []uint32
	for _, v := range sub {
		b.depth[v] = depth
		if b.winner[v] != p {
			lost = append(lost, v)
		}
	}
	return lost
}

// release moves nodes from the attractor of player p to the subset; the attractor is the set
// without the subset. A node moves if it was attracted through a removed node, or through another
// node that moves: player p may no longer be able to force a run from it into the target. release
// returns the nodes that it has moved.
func (b *board) release(removed []uint32, p player, depth uint32) []uint32 {
	leaving := slices.Clone(removed) // the nodes that have left the attractor: first the removed ones
	for next := 0; next < len(leaving); next++ {
		w := leaving[next]
		for _, u := range b.into(w) {
			isInTarget := b.reason[u] == u
			isAttracted := b.depth[u] == depth && !isInTarget
			// The other player moves at u along any edge; player p along the edge that is the reason.
			wasAttractedThroughW := b.mover[u] != p || b.reason[u] == w
			if isAttracted && wasAttractedThroughW {
				b.depth[u] = depth + 1
				leaving = append(leaving, u)
			}
		}
	}
	return leaving[len(removed):]
}

// attractAgain takes released nodes back from the subset if player p can still force a run from
// them into the attractor, through nodes that were not removed.
func (b *board) attractAgain(released []uint32, p player, depth uint32) {
	b.search++
	var back []uint32
	for _, u := range released {
		if b.attractNext(u, p, depth) {
			back = append(back, u)
		}
	}
	for _, u := range back {
		b.depth[u] = depth
	}
	for next := 0; next < len(back); next++ {
		v := back[next]
		for _, u := range b.into(v) {
			isReleased := b.seen[u] == b.search && b.depth[u] != depth
			if !isReleased {
				continue
			}
			b.left[u]--
			if b.mover[u] == p || b.left[u] == 0 {
				b.depth[u] = depth
				b.reason[u] = v
				back = append(back, u)
			}
		}
	}
}

// attractNext counts the successors of a released node in the subset. It reports whether player p can
// force the next step of a run from the node into the set, but outside the subset, and records the reason.
func (b *board) attractNext(u uint32, p player, depth uint32) (attracted bool) {
	b.seen[u] = b.search
	b.left[u] = 0
	successors := b.outOf(u)
	b.work += int64(len(successors))
	for _, w := range successors {
		switch {
		case b.depth[w] > depth:
			b.left[u]++
		case b.depth[w] == depth && b.mover[u] == p && !attracted:
			attracted = true
			b.reason[u] = w
		}
	}
	if b.mover[u] != p && b.left[u] == 0 {
		attracted = true
		b.reason[u] = successors[0]
	}
	return attracted
}
