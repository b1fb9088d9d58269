package repair

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// games are up to 64 games on one graph, which differ in the owners who may forbid transitions. The
// first nodes are the product states. They are followed by a node for each transition to a mixed
// product state: one whose incoming transitions differ in colours.
type games struct {
	budget
	// The edges from node v lead to the nodes to[first[v]:first[v+1]]. The edges into node v come
	// from the nodes from[back[v]:back[v+1]].
	first, back []uint32
	to, from    []uint32
	// owners are the sets of owners of edges, the empty set first. ownedBy is, for each edge, the
	// index of its set.
	owners  []uint64
	ownedBy []uint32
	// For a chain, done are the product states that are won at once. For other properties, good and
	// bad are the deadlocks that satisfy and violate the property.
	done, good, bad []lts.State
	// marks are the colours of each node that the condition mentions; nil for chains.
	marks     []property.Marks
	condition *condition
	// forced[i] are the games in which no owner in owners[i] can forbid transitions. forced[nobody]
	// are all games that are solved.
	forced []uint64
	// queue are the nodes to be visited again. queued reports, for each node, whether it is in the
	// queue.
	queue  ring
	queued []bool
	spare  []nodeSets // the sets that can be used again
}

// nodeSets are sets of nodes, one for each game: bit k of word v is set if the set of game k has
// node v.
type nodeSets []uint64

// nobody is the index of the empty set of owners. A transition without owners cannot be forbidden in any game.
const nobody = 0

// newGames returns the games on the graph of g. owners has the set of owners of each label.
func newGames(
	ctx context.Context,
	g *game,
	p *property.Property,
	owners []uint64,
	work budget,
) *games {
	x := &games{budget: work}
	var isMixed []bool
	if p.Steps() == 0 {
		x.condition = newCondition(p)
		x.marks, isMixed = g.marksInto(x.condition)
	}
	for s := range lts.State(g.m.NumStates()) {
		q := g.unfolding.At(s).Q
		switch {
		case p.Steps() > 0:
			if int(q) == p.Steps() {
				x.done = append(x.done, s)
			}
		case !g.m.IsDeadlock(s):
			continue
		case p.Stops(q):
			x.good = append(x.good, s)
		default:
			x.bad = append(x.bad, s)
		}
	}
	abort.On(resources.AskFor[uint32](ctx, 5*g.m.NumTransitions()+20*g.m.NumStates()))
	var sets intern.List[uint64, uint64]
	sets.Index(0, 0) // nobody
	indexes := make([]uint32, len(owners))
	for l, set := range owners {
		indexes[l] = uint32(sets.Index(set, set))
	}
	x.owners = sets.All
	x.connect(g, isMixed, indexes)
	x.connectBack()
	x.queued = make([]bool, x.nodes())
	x.queue.nodes = make([]uint32, x.nodes())
	return x
}

// nodes returns the number of nodes.
func (x *games) nodes() int { return len(x.first) - 1 }

// connect adds the nodes between product states, and the edges from each node. owners has the index
// of the set of owners of each label.
func (x *games) connect(g *game, isMixed []bool, owners []uint32) {
	n := g.m.NumStates()
	x.first = make([]uint32, 1, n+1)
	x.to = make([]uint32, 0, g.m.NumTransitions())
	x.ownedBy = make([]uint32, 0, g.m.NumTransitions())
	var mixedTargets []uint32 // for each node of a transition to a mixed product state, this product state
	for s := range lts.State(n) {
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			l := labels.At(i)
			end := uint32(to)
			if isMixed != nil && isMixed[to] {
				marks := x.condition.matters(g.unfolding.Marks(s, l))
				if marks != 0 {
					end = uint32(n + len(mixedTargets))
					mixedTargets = append(mixedTargets, uint32(to))
					x.marks = append(x.marks, marks)
				}
			}
			x.to = append(x.to, end)
			x.ownedBy = append(x.ownedBy, owners[l])
		}
		x.first = append(x.first, uint32(len(x.to)))
	}
	for _, to := range mixedTargets {
		x.to = append(x.to, to)
		x.ownedBy = append(x.ownedBy, nobody)
		x.first = append(x.first, uint32(len(x.to)))
	}
}

// connectBack finds the sources of the edges into each node.
func (x *games) connectBack() {
	x.back = make([]uint32, len(x.first))
	x.from = make([]uint32, len(x.to))
	for _, to := range x.to {
		x.back[to]++
	}
	sum := uint32(0)
	for v, count := range x.back {
		sum += count
		x.back[v] = sum
	}
	for v := x.nodes() - 1; v >= 0; v-- {
		for _, to := range x.to[x.first[v]:x.first[v+1]] {
			x.back[to]--
			x.from[x.back[to]] = uint32(v)
		}
	}
}

// marksInto returns, for each product state, the colours of its incoming transitions that the
// condition mentions. If these transitions differ in colours, the product state is mixed, and its
// entry is 0. A run that visits a product state infinitely often takes its colours infinitely
// often, unless it is mixed.
func (g *game) marksInto(c *condition) (into []property.Marks, isMixed []bool) {
	n := g.m.NumStates()
	into = make([]property.Marks, n)
	isMixed = make([]bool, n)
	known := make([]bool, n)
	for s := range lts.State(n) {
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			marks := c.matters(g.unfolding.Marks(s, labels.At(i)))
			if known[to] && marks != into[to] {
				isMixed[to] = true
			}
			into[to] = marks
			known[to] = true
		}
	}
	for s, mixed := range isMixed {
		if mixed {
			into[s] = 0
		}
	}
	return into, isMixed
}

// play returns the games that the supervisor wins from the initial product state, if the owners in
// sets[k] can forbid transitions in game k.
func (x *games) play(ctx context.Context, sets []uint64) uint64 {
	x.ctx = ctx
	x.forced = make([]uint64, len(x.owners))
	for i, owners := range x.owners {
		for k, set := range sets {
			if set&owners == 0 {
				x.forced[i] |= 1 << k
			}
		}
	}
	in := x.noNodes()
	wins := x.noNodes()
	defer x.reuse(in, wins)
	for v := range in {
		in[v] = x.forced[nobody]
	}
	if x.marks == nil {
		for _, s := range x.done {
			wins[s] = in[s]
		}
		x.attract(attractor{target: wins, player: supervisor, within: in}, onlyInitial)
		return wins[0]
	}
	x.decideDeadlocks(x.good, supervisor, in, wins)
	x.decideDeadlocks(x.bad, opponent, in, wins)
	x.zielonka(in, wins, onlyInitial)
	return wins[0]
}

// extent is the part of the games that must be decided.
type extent bool

const (
	onlyInitial extent = true // it is enough to decide the initial product state
	everywhere  extent = false
)

// decideDeadlocks decides the nodes from which a player can force a run into deadlocks in which
// this player wins.
func (x *games) decideDeadlocks(ends []lts.State, p player, in, wins nodeSets) {
	won := x.noNodes()
	defer x.reuse(won)
	for _, s := range ends {
		won[s] = in[s]
	}
	x.attract(attractor{target: won, player: p, within: in}, everywhere)
	award(won, p, in, wins)
}

// noNodes returns sets without nodes.
func (x *games) noNodes() nodeSets {
	n := len(x.spare)
	if n == 0 {
		return make(nodeSets, x.nodes())
	}
	sets := x.spare[n-1]
	x.spare = x.spare[:n-1]
	clear(sets)
	return sets
}

// reuse returns sets for reuse.
func (x *games) reuse(sets ...nodeSets) { x.spare = append(x.spare, sets...) }

// award removes nodes from sets, and records that a player wins them.
func award(nodes nodeSets, p player, in, wins nodeSets) {
	for v, games := range nodes {
		in[v] &^= games
		if p == supervisor {
			wins[v] |= games
		} else {
			wins[v] &^= games
		}
	}
}

// ring is a queue of nodes, in a ring buffer with room for each node once.
type ring struct {
	nodes  []uint32
	head   int // the index of the first node of the queue
	length int
}

func (r *ring) push(v uint32) {
	at := r.head + r.length
	if at >= len(r.nodes) {
		at -= len(r.nodes)
	}
	r.nodes[at] = v
	r.length++
}

func (r *ring) pop() uint32 {
	v := r.nodes[r.head]
	r.head++
	if r.head == len(r.nodes) {
		r.head = 0
	}
	r.length--
	return v
}

// attractor has the target sets of a player, one for each game, and the sets within which runs must
// stay. attract adds to the target sets the nodes of within from which the player can force a run
// into them.
type attractor struct {
	target nodeSets
	player player
	within nodeSets
}

// attract extends the target sets of an attractor until nothing can be added. With onlyInitial, it
// stops as soon as the initial product state is decided.
func (x *games) attract(a attractor, extent extent) {
	clear(x.queued)
	x.queue.head = 0
	x.queue.length = 0
	for v, games := range a.target {
		if games != 0 {
			x.queueBefore(uint32(v), games, a)
		}
	}
	x.work += int64(len(a.target))
	for visits := 0; x.queue.length > 0; visits++ {
		u := x.queue.pop()
		x.queued[u] = false
		added := x.canForceFrom(u, a) &^ a.target[u]
		x.work += int64(x.first[u+1] - x.first[u])
		if added != 0 {
			a.target[u] |= added
			x.queueBefore(u, added, a)
		}
		const checkInterval = 1 << 12
		if visits%checkInterval == 0 {
			x.spend(0)
		}
		isInitialDecided := a.target[0] == a.within[0]
		if extent == onlyInitial && isInitialDecided {
			return
		}
	}
}

// queueBefore queues the predecessors of node v that are missing in the target sets of some of the
// given games.
func (x *games) queueBefore(v uint32, games uint64, a attractor) {
	for _, u := range x.from[x.back[v]:x.back[v+1]] {
		isMissing := games&a.within[u]&^a.target[u] != 0
		if isMissing && !x.queued[u] {
			x.queued[u] = true
			x.queue.push(u)
		}
	}
}

// canForceFrom returns the games in which the player of an attractor can force the next step of a run
// from node u into the target sets. The player can if the player moves at u and some edge leads there.
// The player also can if the other player moves at u and every edge leads there or out of the sets
// within. Each word below has a bit for each game.
func (x *games) canForceFrom(u uint32, a attractor) uint64 {
	var anyForced, anyThere, anyForcedThere uint64
	allThere := ^uint64(0)       // games in which all edges that do not leave within lead to the target set
	allForcedThere := ^uint64(0) // games in which all forced edges that do not leave within lead to the target set
	owners := x.ownedBy[x.first[u]:x.first[u+1]]
	for i, w := range x.to[x.first[u]:x.first[u+1]] {
		forced := x.forced[owners[i]]
		there := a.target[w]
		leaves := ^a.within[w]
		anyForced |= forced
		anyThere |= there
		anyForcedThere |= there & forced
		if a.player == supervisor {
			allForcedThere &= there | leaves | ^forced
		} else {
			allThere &= there | leaves
		}
	}
	// In games with forced edges, the opponent moves along one of these edges; in other games, the
	// supervisor moves.
	if a.player == supervisor {
		return a.within[u] & (anyThere&^anyForced | anyForcedThere&allForcedThere)
	}
	return a.within[u] & (anyForcedThere | anyThere&allThere&^anyForced)
}

// leaveDecided removes all nodes from the games in which the initial product state, node 0, is
// decided.
func leaveDecided(in nodeSets) {
	for v := range in {
		in[v] &= in[0]
	}
}

// marksOf returns the colours of the nodes that are in the set of some game, and reports whether
// there are no such nodes.
func (x *games) marksOf(in nodeSets) (all property.Marks, isEmpty bool) {
	isEmpty = true
	for v := range in {
		if in[v] != 0 {
			all |= x.marks[v]
			isEmpty = false
		}
	}
	return all, isEmpty
}

// zielonka decides the nodes of sets in which every node has a successor. It does so as
// [board.zielonka] does, but in all games at once. With onlyInitial, it stops as soon as the
// initial product state is decided.
func (x *games) zielonka(in, wins nodeSets, extent extent) {
	for {
		if extent == onlyInitial {
			leaveDecided(in)
		}
		all, isEmpty := x.marksOf(in)
		x.work += int64(len(in))
		if isEmpty {
			return
		}
		p := player(x.condition.accept.Holds(all)) // who wins a run that takes all these colours
		lost := x.lostNodes(all, p, in, wins)
		if lost == nil {
			award(in, p, in, wins)
			return
		}
		x.attract(attractor{target: lost, player: !p, within: in}, everywhere)
		award(lost, !p, in, wins)
		x.reuse(lost)
	}
}

// lostNodes returns, for some games, nodes of the sets from which the other player wins by
// restricting runs to fewer colours; nil if there are none. all has the colours of the sets; player
// p wins a run that takes all of these colours.
func (x *games) lostNodes(all property.Marks, p player, in, wins nodeSets) nodeSets {
	others := x.noNodes()
	sub := x.noNodes()
	below := x.noNodes()
	defer x.reuse(others, below)
	for _, fewer := range x.condition.opposed(all) {
		clear(others)
		for v, games := range in {
			if games != 0 && x.marks[v]&^fewer != 0 {
				others[v] = games
			}
		}
		x.attract(attractor{target: others, player: p, within: in}, everywhere)
		for v, games := range in {
			sub[v] = games &^ others[v]
			below[v] = sub[v]
		}
		x.zielonka(below, wins, everywhere)
		if keepLost(sub, p, wins) {
			return sub
		}
	}
	x.reuse(sub)
	return nil
}

// keepLost removes from sets the nodes that player p wins, and reports whether nodes are left.
func keepLost(sets nodeSets, p player, wins nodeSets) bool {
	left := uint64(0)
	for v, games := range sets {
		if p == supervisor {
			games &^= wins[v]
		} else {
			games &= wins[v]
		}
		sets[v] = games
		left |= games
	}
	return left != 0
}
