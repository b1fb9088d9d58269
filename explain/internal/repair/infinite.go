package repair

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// mostPairs is the largest number of pairs of an acceptance condition for which a game is solved.
const mostPairs = 256

// condition is an acceptance condition in disjunctive normal form, with its complement in the same
// form.
type condition struct {
	accept property.Acceptance
	// good are the pairs of the condition, bad the pairs of its complement: a run satisfies a pair
	// if no colour of Fin recurs, and each colour of Inf does.
	good, bad []property.Pair
}

// newCondition returns the normal forms of the condition of a property, which is not supported if one
// of them has too many pairs.
func newCondition(p *property.Property) *condition {
	good, few := p.Acceptance().Pairs(mostPairs)
	bad, fewBad := p.Acceptance().Not().Pairs(mostPairs)
	if !few || !fewBad {
		abort.On(UnsupportedError{p.String(), whyPairs})
	}
	return &condition{p.Acceptance(), good, bad}
}

// matters returns the colours of m that the condition mentions.
func (c *condition) matters(m property.Marks) property.Marks {
	all, _ := c.accept.Colours()
	return m & all
}

// opposed returns the maximal subsets of a set of colours that the condition accepts if and only if
// it rejects the set.
func (c *condition) opposed(all property.Marks) []property.Marks {
	pairs := c.good
	if c.accept.Holds(all) {
		pairs = c.bad
	}
	var sets []property.Marks
	for _, p := range pairs {
		set := all &^ p.Fin
		if p.Inf&^set != 0 {
			continue
		}
		larger := false
		left := sets[:0]
		for _, other := range sets {
			larger = larger || set&^other == 0
			if larger || other&^set != 0 {
				left = append(left, other)
			}
		}
		if sets = left; !larger {
			sets = append(sets, set)
		}
	}
	return sets
}

// board is a game on a graph. Its nodes are first the product states, then one node for each
// transition with colours, and one for each choice of a label.
type board struct {
	budget
	condition *condition
	marks     []property.Marks
	mine      []bool // whether the supervisor moves at each node
	// The edges from node v are to[first[v]:first[v+1]]; from and back are the same for edges into
	// it.
	first, back []uint32
	to, from    []uint32
	// depth[v] is the depth of the smallest set that has node v: the sets are nested, and the
	// largest has depth 1.
	depth []uint32
	// by[v] is the reason why node v is in an attractor: v itself if v is in the target, or a
	// successor in the attractor if the attracting player moves at v.
	by []uint32
	// visited[v] is the number of the last search that visited node v. If seen[v] is the number of the
	// current search, left[v] is the number of successors that this search has not visited yet.
	visited, seen, left []uint32
	search              uint32
}

// solveInfinite finds the product states from which the supervisor wins, and gives all of them one
// rank. The strategy may have to remember more than the product state, such as the colour that
// recurred last. The algorithm is by McNaughton and Zielonka (Zielonka: Infinite Games on Finitely
// Coloured Graphs with Applications to Automata on Infinite Trees, TCS 200, 1998). Cost O((S + T)
// (S p)^d) at worst, for p pairs of a condition whose acceptance changes at most d times along a
// chain of shrinking sets of colours; linear without colours, quadratic at worst for Büchi,
// generalised Büchi and co-Büchi: see [board.leave]. It fails with [ErrWork] after most nodes and
// edges, unless that is 0.
func (g *game) solveInfinite(ctx context.Context, most int64) []uint32 {
	n := g.m.NumStates()
	b := &board{budget: budget{ctx: ctx, most: most}, condition: g.condition, marks: make([]property.Marks, n), mine: make([]bool, n)}
	edges := make([][2]uint32, 0, g.m.NumTransitions())
	add := func(marks property.Marks) uint32 {
		b.marks, b.mine = append(b.marks, marks), append(b.mine, false)
		return uint32(len(b.marks) - 1)
	}
	for s := range lts.State(n) {
		labels, targets := g.m.Out(s)
		others := g.isForced(s)
		b.mine[s] = !others
		var choices map[lts.Label]uint32
		if g.byLabel && !others {
			choices = map[lts.Label]uint32{}
		}
		for i, to := range targets {
			l := labels.At(i)
			if others && !g.forced[l] {
				continue
			}
			at := uint32(s)
			if choices != nil {
				node, known := choices[l]
				if !known {
					node = add(0)
					choices[l] = node
					edges = append(edges, [2]uint32{at, node})
				}
				at = node
			}
			if marks := g.condition.matters(g.unfolding.Marks(s, l)); marks != 0 {
				node := add(marks)
				edges = append(edges, [2]uint32{at, node})
				at = node
			}
			edges = append(edges, [2]uint32{at, uint32(to)})
		}
	}
	b.connect(edges)
	wins := make([]bool, len(b.marks))
	for v := range b.depth {
		b.depth[v] = 1
	}
	// The last state of a finite run decides it.
	for _, good := range []bool{true, false} {
		var ends []uint32
		for s := range lts.State(g.m.NumStates()) {
			if b.depth[s] == 1 && g.m.IsDeadlock(s) && g.unfolding.Property().Stops(g.unfolding.At(s).Q) == good {
				ends = append(ends, uint32(s))
			}
		}
		b.take(b.attract(ends, good, 1), 1, wins, good)
	}
	var all []uint32
	for v, depth := range b.depth {
		if depth == 1 {
			all = append(all, uint32(v))
		}
	}
	b.zielonka(all, 1, wins)
	rank := make([]uint32, g.m.NumStates())
	for s := range rank {
		if wins[s] {
			rank[s] = 2
		}
	}
	return rank
}

// connect sets the edges.
func (b *board) connect(edges [][2]uint32) {
	b.first, b.to = rows(len(b.marks), edges, 0)
	b.back, b.from = rows(len(b.marks), edges, 1)
	for _, of := range []*[]uint32{&b.depth, &b.by, &b.visited, &b.seen, &b.left} {
		*of = make([]uint32, len(b.marks))
	}
}

// rows returns the edges grouped by one end (by is 0 for sources): their other ends, and where each
// group begins.
func rows(n int, edges [][2]uint32, by int) (first, ends []uint32) {
	first = make([]uint32, n+1)
	for _, e := range edges {
		first[e[by]+1]++
	}
	for v := range n {
		first[v+1] += first[v]
	}
	at := append([]uint32{}, first...)
	ends = make([]uint32, len(edges))
	for _, e := range edges {
		ends[at[e[by]]] = e[1-by]
		at[e[by]]++
	}
	return first, ends
}

// attract returns the nodes of a set, given by its depth, where a player can force a run into some
// nodes.
func (b *board) attract(to []uint32, mine bool, depth uint32) []uint32 {
	b.search++
	all := append([]uint32{}, to...)
	for _, v := range to {
		b.visited[v], b.by[v] = b.search, v
	}
	for next := 0; next < len(all); next++ {
		v := all[next]
		b.work += int64(b.back[v+1] - b.back[v])
		for _, u := range b.from[b.back[v]:b.back[v+1]] {
			if b.visited[u] == b.search || b.depth[u] < depth || b.mine[u] != mine && !b.isLast(u, depth) {
				continue
			}
			b.visited[u], b.by[u] = b.search, v
			all = append(all, u)
		}
	}
	return all
}

// isLast counts an edge from node u to a visited node, and reports whether all edges from u within
// the set are counted now.
func (b *board) isLast(u, depth uint32) bool {
	if b.seen[u] != b.search {
		b.seen[u], b.left[u] = b.search, 0
		for _, w := range b.to[b.first[u]:b.first[u+1]] {
			if b.depth[w] >= depth {
				b.left[u]++
			}
		}
	}
	b.left[u]--
	return b.left[u] == 0
}

// take removes nodes from a set, and records who wins them.
func (b *board) take(nodes []uint32, depth uint32, wins []bool, mine bool) {
	for _, v := range nodes {
		b.depth[v] = depth - 1
		wins[v] = mine
	}
}

// zielonka decides all nodes of a set, given by its depth, where every node has a successor. It
// removes all nodes from the set, and may change the slice.
func (b *board) zielonka(nodes []uint32, depth uint32, wins []bool) {
	for {
		nodes = slices.DeleteFunc(nodes, func(v uint32) bool { return b.depth[v] < depth })
		if b.spend(len(nodes)); len(nodes) == 0 {
			return
		}
		all := property.Marks(0)
		for _, v := range nodes {
			all |= b.marks[v]
		}
		mine := b.condition.accept.Holds(all)
		if !slices.ContainsFunc(b.condition.opposed(all), func(fewer property.Marks) bool { return b.leave(nodes, depth, fewer, wins, mine) }) {
			b.take(nodes, depth, wins, mine)
			return
		}
	}
}

// leave removes nodes from a set until it has none where the opponent wins. A run that takes all
// colours of the set is won by the player; the opponent wins if it can restrict a run to fewer
// colours. It reports whether some node was removed.
//
// The attractor of the nodes with other colours is computed once. Removing a node changes the
// attractor only at nodes that were attracted through it, so only these are examined again. A round
// costs the removed nodes and those that were attracted through them; a new attractor would cost
// O(S + T). On a line of product states where each is lost as soon as the next one is, all rounds
// together cost O(S + T). At worst they are quadratic, since nodes can be attracted through other
// nodes in every round.
func (b *board) leave(nodes []uint32, depth uint32, fewer property.Marks, wins []bool, mine bool) (some bool) {
	// The subset, one level deeper: the nodes where the player cannot force a run to a node with other
	// colours.
	var more, sub []uint32
	for _, v := range nodes {
		if b.marks[v]&^fewer != 0 {
			more = append(more, v)
		}
	}
	b.attract(more, mine, depth)
	for _, v := range nodes {
		if b.visited[v] != b.search {
			b.depth[v] = depth + 1
			sub = append(sub, v)
		}
	}
	for len(sub) > 0 {
		b.zielonka(slices.Clone(sub), depth+1, wins)
		var lost []uint32
		for _, v := range sub {
			if b.depth[v] = depth + 1; wins[v] != mine {
				lost = append(lost, v)
			}
		}
		if len(lost) == 0 {
			break
		}
		some = true
		out := b.attract(lost, !mine, depth)
		b.take(out, depth, wins, !mine)
		// The nodes that were attracted through removed nodes, directly or through each other, move to the
		// subset: the player may no longer be able to force a run from there.
		var free []uint32
		for next := 0; next < len(out)+len(free); next++ {
			var w uint32
			if next < len(out) {
				w = out[next]
			} else {
				w = free[next-len(out)]
			}
			b.work += int64(b.back[w+1] - b.back[w])
			for _, u := range b.from[b.back[w]:b.back[w+1]] {
				if b.depth[u] == depth && b.by[u] != u && (b.mine[u] != mine || b.by[u] == w) {
					b.depth[u] = depth + 1
					free = append(free, u)
				}
			}
		}
		// Take nodes back from the subset if the player can force a run from them into the attractor by
		// other nodes.
		b.search++
		var back []uint32
		for _, u := range free {
			b.seen[u], b.left[u] = b.search, 0
			ways := b.to[b.first[u]:b.first[u+1]]
			b.work += int64(len(ways))
			for _, w := range ways {
				switch {
				case b.depth[w] > depth:
					b.left[u]++
				case b.depth[w] == depth && b.mine[u] == mine && b.visited[u] != b.search:
					b.visited[u], b.by[u] = b.search, w
					back = append(back, u)
				}
			}
			if b.mine[u] != mine && b.left[u] == 0 {
				b.visited[u], b.by[u] = b.search, ways[0]
				back = append(back, u)
			}
		}
		for _, u := range back {
			b.depth[u] = depth
		}
		for next := 0; next < len(back); next++ {
			v := back[next]
			b.work += int64(b.back[v+1] - b.back[v])
			for _, u := range b.from[b.back[v]:b.back[v+1]] {
				if b.seen[u] != b.search || b.depth[u] == depth {
					continue
				}
				if b.left[u]--; b.mine[u] == mine || b.left[u] == 0 {
					b.depth[u], b.by[u] = depth, v
					back = append(back, u)
				}
			}
		}
		sub = slices.DeleteFunc(append(sub, free...), func(v uint32) bool { return b.depth[v] <= depth })
		b.spend(len(sub))
	}
	for _, v := range sub {
		b.depth[v] = depth
	}
	return some
}

// games are up to 64 games on one graph, which differ in the owners who may forbid transitions.
// Nodes are first the product states, then one node for each transition to a product state whose
// incoming transitions differ in colours. A set of nodes for each game is one word for each node;
// bit k stands for game k.
type games struct {
	budget
	// The edges from node v are to[first[v]:first[v+1]], and owned by owner; from and back are the
	// same for edges into it.
	first, back []uint32
	to, from    []uint32
	owner       []uint8
	// done are the product states that are won at once, for a chain; for other properties, good and
	// bad are the deadlocks that satisfy and violate the property.
	done, good, bad []lts.State
	// marks are the colours of each node that the condition mentions; nil for chains.
	marks     []property.Marks
	condition *condition
	// forced[o] are the games where owner o cannot forbid transitions, forced[nobody] all games
	// that are played.
	forced *[nobody + 1]uint64
	// queue are the nodes to be visited again; queued has, for each node, whether it is in the
	// queue.
	queue  []uint32
	queued []bool
	free   [][]uint64
}

// nobody is the owner of transitions that no player can forbid in any game.
const nobody = 64

// connect adds the edges; owners are by label.
func (x *games) connect(g *game, mixed []bool, owners []uint8) {
	n := g.m.NumStates()
	x.first = make([]uint32, 1, n+1)
	x.to, x.owner = make([]uint32, 0, g.m.NumTransitions()), make([]uint8, 0, g.m.NumTransitions())
	var between []uint32 // for each node of a transition to a mixed product state, that product state
	for s := range lts.State(n) {
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			l := labels.At(i)
			end := uint32(to)
			if mixed != nil && mixed[to] {
				if marks := x.condition.matters(g.unfolding.Marks(s, l)); marks != 0 {
					end = uint32(n + len(between))
					between, x.marks = append(between, uint32(to)), append(x.marks, marks)
				}
			}
			x.to, x.owner = append(x.to, end), append(x.owner, owners[l])
		}
		x.first = append(x.first, uint32(len(x.to)))
	}
	for _, to := range between {
		x.to, x.owner = append(x.to, to), append(x.owner, nobody)
		x.first = append(x.first, uint32(len(x.to)))
	}
	x.back, x.from = make([]uint32, len(x.first)), make([]uint32, len(x.to))
	for _, to := range x.to {
		x.back[to]++
	}
	sum := uint32(0)
	for v, count := range x.back {
		sum += count
		x.back[v] = sum
	}
	for v := len(x.first) - 2; v >= 0; v-- {
		for _, to := range x.to[x.first[v]:x.first[v+1]] {
			x.back[to]--
			x.from[x.back[to]] = uint32(v)
		}
	}
}

// marksInto returns, for each product state, those colours of its incoming transitions that the
// condition mentions; 0 if these transitions differ: then the product state is mixed. If a run
// infinitely often visits a product state that is not mixed, it infinitely often takes the colours
// of this product state.
func (g *game) marksInto(c *condition) (into []property.Marks, mixed []bool) {
	n := g.m.NumStates()
	into, mixed = make([]property.Marks, n), make([]bool, n)
	known := make([]bool, n)
	for s := range lts.State(n) {
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			marks := c.matters(g.unfolding.Marks(s, labels.At(i)))
			mixed[to] = mixed[to] || known[to] && marks != into[to]
			into[to], known[to] = marks, true
		}
	}
	for s, is := range mixed {
		if is {
			into[s] = 0
		}
	}
	return into, mixed
}

// play returns the games that the supervisor wins from the initial product state.
func (x *games) play(ctx context.Context, forced *[nobody + 1]uint64) uint64 {
	x.ctx, x.forced = ctx, forced
	in, wins := x.words(), x.words()
	defer x.give(in, wins)
	for v := range in {
		in[v] = forced[nobody]
	}
	if x.marks == nil {
		for _, s := range x.done {
			wins[s] = in[s]
		}
		x.attract(wins, true, in, true)
		return wins[0]
	}
	for _, ends := range []struct {
		places []lts.State
		good   bool
	}{{x.good, true}, {x.bad, false}} {
		to := x.words()
		for _, s := range ends.places {
			to[s] = in[s]
		}
		x.attract(to, ends.good, in, false)
		take(to, in, wins, ends.good)
		x.give(to)
	}
	x.zielonka(in, wins, true)
	return wins[0]
}

// words returns a set without nodes.
func (x *games) words() []uint64 {
	if n := len(x.free); n > 0 {
		w := x.free[n-1]
		x.free = x.free[:n-1]
		clear(w)
		return w
	}
	return make([]uint64, len(x.first)-1)
}

// give returns sets for reuse.
func (x *games) give(words ...[]uint64) { x.free = append(x.free, words...) }

// take removes nodes from sets, and records who wins them.
func take(nodes, in, wins []uint64, mine bool) {
	for v, games := range nodes {
		in[v] &^= games
		if wins[v] &^= games; mine {
			wins[v] |= games
		}
	}
}

// attract adds to the target set the nodes of another set, in, where a player can force a run into
// the target set. With first, it stops as soon as the initial product state is decided.
func (x *games) attract(to []uint64, mine bool, in []uint64, first bool) {
	clear(x.queued)
	head, length := 0, 0
	look := func(v uint32, games uint64) {
		for _, u := range x.from[x.back[v]:x.back[v+1]] {
			if x.queued[u] || games&in[u]&^to[u] == 0 {
				continue
			}
			x.queued[u] = true
			at := head + length
			if at >= len(x.queue) {
				at -= len(x.queue)
			}
			x.queue[at] = u
			length++
		}
	}
	for v, games := range to {
		if games != 0 {
			look(uint32(v), games)
		}
	}
	x.work += int64(len(to))
	for looked := 0; length > 0; looked++ {
		u := x.queue[head]
		if head++; head == len(x.queue) {
			head = 0
		}
		length--
		x.queued[u] = false
		more := x.forces(u, to, mine, in) &^ to[u]
		x.work += int64(x.first[u+1] - x.first[u])
		if more != 0 {
			to[u] |= more
			look(u, more)
		}
		if looked&(1<<12-1) == 0 {
			x.spend(0)
		}
		if first && to[0] == in[0] {
			return
		}
	}
}

// forces returns the games where a player can force a run from node u, with the next step, into the
// set to: the player moves at u and can go there, or the other player moves at u and cannot go
// elsewhere within in.
func (x *games) forces(u uint32, to []uint64, mine bool, in []uint64) uint64 {
	forced, some, someForced := uint64(0), uint64(0), uint64(0)
	all, allForced := ^uint64(0), ^uint64(0)
	owners := x.owner[x.first[u]:x.first[u+1]]
	for i, w := range x.to[x.first[u]:x.first[u+1]] {
		f, there := x.forced[owners[i]], to[w]
		forced |= f
		some |= there
		someForced |= there & f
		if mine {
			allForced &= there | ^in[w] | ^f
		} else {
			all &= there | ^in[w]
		}
	}
	if mine {
		return in[u] & (some&^forced | someForced&allForced)
	}
	return in[u] & (someForced | some&all&^forced)
}

// zielonka decides the nodes of sets where every node has a successor, as [board.zielonka] does, in
// all games at once. With first, it stops as soon as the initial product state is decided.
func (x *games) zielonka(in, wins []uint64, first bool) {
	for {
		all, some := property.Marks(0), false
		for v := range in {
			if first {
				in[v] &= in[0]
			}
			if in[v] != 0 {
				all |= x.marks[v]
				some = true
			}
		}
		if x.work += int64(len(in)); !some {
			return
		}
		mine := x.condition.accept.Holds(all)
		lost := x.lost(all, in, wins, mine)
		if lost == nil {
			take(in, in, wins, mine)
			return
		}
		x.attract(lost, !mine, in, false)
		take(lost, in, wins, !mine)
		x.give(lost)
	}
}

// lost returns, for some games, nodes of the sets where the opponent wins by restricting runs to
// fewer colours; a run that takes all colours of the sets is won by the player. Nil if there are
// none.
func (x *games) lost(all property.Marks, in, wins []uint64, mine bool) []uint64 {
	more, sub, below := x.words(), x.words(), x.words()
	defer x.give(more, below)
	for _, fewer := range x.condition.opposed(all) {
		clear(more)
		for v, games := range in {
			if games != 0 && x.marks[v]&^fewer != 0 {
				more[v] = games
			}
		}
		x.attract(more, mine, in, false)
		for v, games := range in {
			sub[v] = games &^ more[v]
			below[v] = sub[v]
		}
		x.zielonka(below, wins, false)
		any := uint64(0)
		for v, games := range sub {
			if mine {
				games &^= wins[v]
			} else {
				games &= wins[v]
			}
			sub[v] = games
			any |= games
		}
		if any != 0 {
			return sub
		}
	}
	x.give(sub)
	return nil
}
