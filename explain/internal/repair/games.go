package repair

import (
	"context"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// games are up to 64 games on one graph, which differ in what may not be forbidden. Its nodes are the
// places first, then one for each transition whose colours are not those of all that lead to the same
// place. A set of nodes for each game is a word for each node, whose bit k stands for game k.
type games struct {
	ctx context.Context
	// The edges that leave node v are to[first[v]:first[v+1]], and owned by owner; from is the same
	// backwards.
	first, back []uint32
	to, from    []uint32
	owner       []uint8
	// done are the places that are won at once; of properties that are no chains, good and bad are those
	// where runs may end, and where they may not.
	done, good, bad []lts.State
	// marks are the colours of each node that matter to the condition; nil for chains.
	marks     []property.Marks
	condition condition
	// forced[o] are the games where owner o cannot forbid, forced[nobody] all that are played.
	forced *[nobody + 1]uint64
	// queue are the nodes to be looked at again, queued those that are among them.
	queue  []uint32
	queued []bool
	free   [][]uint64
	// work is how many nodes and edges were looked at, most the limit of it; 0 for none.
	work, most int64
}

// nobody owns what cannot be forbidden in any game.
const nobody = 64

// together makes the graph of all games for a property, by the owners of labels.
func (g *game) together(ctx context.Context, p *property.Property, owner []int) (*games, error) {
	x := &games{}
	var mixed []bool
	if p.Steps() == 0 {
		condition, is := newCondition(p.Acceptance())
		if !is {
			return nil, UnsupportedError{p.String(), whyPairs}
		}
		x.condition = condition
		x.marks, mixed = g.marksInto(condition)
	}
	for s := range lts.State(g.m.NumStates()) {
		at := g.unfolding.Place(s)
		switch {
		case p.Steps() > 0:
			if int(at.Q) == p.Steps() {
				x.done = append(x.done, s)
			}
		case !g.m.IsDeadlock(s):
		case p.Stops(at.Q):
			x.good = append(x.good, s)
		default:
			x.bad = append(x.bad, s)
		}
	}
	if err := resources.AskFor[uint32](ctx, 5*g.m.NumTransitions()+20*g.m.NumStates()); err != nil {
		return nil, err
	}
	owners := make([]uint8, len(owner))
	for l, o := range owner {
		if owners[l] = nobody; o >= 0 {
			owners[l] = uint8(o)
		}
	}
	x.connect(g, mixed, owners)
	x.queued = make([]bool, len(x.first)-1)
	x.queue = make([]uint32, len(x.first)-1)
	return x, nil
}

// connect adds the edges; owners are those of labels.
func (x *games) connect(g *game, mixed []bool, owners []uint8) {
	n := g.m.NumStates()
	x.first = make([]uint32, 1, n+1)
	x.to, x.owner = make([]uint32, 0, g.m.NumTransitions()), make([]uint8, 0, g.m.NumTransitions())
	var between []uint32 // the places that nodes between lead to
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

// marksInto returns for each place the colours that matter of the transitions that lead there, none if they
// differ: those places are mixed. Who comes to a place again and again meets its colours again and again.
func (g *game) marksInto(c condition) (into []property.Marks, mixed []bool) {
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

// play returns the games that the supervisor wins from the initial place.
func (x *games) play(ctx context.Context, forced *[nobody + 1]uint64) (uint64, error) {
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
		err := x.attract(wins, true, in, true)
		return wins[0], err
	}
	for _, ends := range []struct {
		places []lts.State
		good   bool
	}{{x.good, true}, {x.bad, false}} {
		to := x.words()
		for _, s := range ends.places {
			to[s] = in[s]
		}
		err := x.attract(to, ends.good, in, false)
		take(to, in, wins, ends.good)
		x.give(to)
		if err != nil {
			return 0, err
		}
	}
	err := x.zielonka(in, wins, true)
	return wins[0], err
}

// words returns a word for each node, all of them 0.
func (x *games) words() []uint64 {
	if n := len(x.free); n > 0 {
		w := x.free[n-1]
		x.free = x.free[:n-1]
		clear(w)
		return w
	}
	return make([]uint64, len(x.first)-1)
}

// give gives words back.
func (x *games) give(words ...[]uint64) { x.free = append(x.free, words...) }

// take removes nodes from sets, and gives them to a player.
func take(nodes, in, wins []uint64, mine bool) {
	for v, games := range nodes {
		in[v] &^= games
		if wins[v] &^= games; mine {
			wins[v] |= games
		}
	}
}

// attract adds the nodes of a set where a player can force a run to some nodes; no more of them than
// it takes to decide the initial place if just that is asked.
func (x *games) attract(to []uint64, mine bool, in []uint64, first bool) error {
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
		var stopped error
		if looked&(1<<12-1) == 0 {
			stopped = x.stopped()
		}
		if stopped != nil || first && to[0] == in[0] {
			for ; length > 0; length-- {
				x.queued[x.queue[head]] = false
				if head++; head == len(x.queue) {
					head = 0
				}
			}
			return stopped
		}
	}
	return nil
}

// stopped returns why the games cannot go on, nil if they can.
func (x *games) stopped() error {
	if x.most > 0 && x.work > x.most {
		return ErrWork
	}
	return x.ctx.Err()
}

// forces returns the games where a player can force a run from a node of a set to some nodes with the next
// step: who moves can go there, and another cannot go elsewhere in the set.
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

// zielonka decides the nodes of sets where every node has a successor, as [board.zielonka] does, in all
// games at once; no more of them than it takes to decide the initial place if just that is asked.
func (x *games) zielonka(in, wins []uint64, first bool) error {
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
			return nil
		}
		mine := x.condition.accept.Holds(all)
		lost, err := x.lost(all, in, wins, mine)
		switch {
		case err != nil:
			return err
		case lost == nil:
			take(in, in, wins, mine)
			return nil
		}
		err = x.attract(lost, !mine, in, false)
		take(lost, in, wins, !mine)
		x.give(lost)
		if err != nil {
			return err
		}
	}
}

// lost returns nodes of sets with some colours, which are to a player's liking, where the other one
// wins, for some games: it keeps to fewer colours. Nil if there are none.
func (x *games) lost(all property.Marks, in, wins []uint64, mine bool) ([]uint64, error) {
	more, sub, below := x.words(), x.words(), x.words()
	defer x.give(more, below)
	for _, fewer := range x.condition.opposed(all) {
		clear(more)
		for v, games := range in {
			if games != 0 && x.marks[v]&^fewer != 0 {
				more[v] = games
			}
		}
		if err := x.attract(more, mine, in, false); err != nil {
			return nil, err
		}
		for v, games := range in {
			sub[v] = games &^ more[v]
			below[v] = sub[v]
		}
		if err := x.zielonka(below, wins, false); err != nil {
			return nil, err
		}
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
			return sub, nil
		}
	}
	x.give(sub)
	return nil, nil
}
