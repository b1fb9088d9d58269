package repair

import (
	"context"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Coalitions answers for one model and property which sets of labels have to be controllable
// so that there is a supervisor. Each answer is a game on the same unfolded model.
type Coalitions struct {
	game *game
	p    *property.Property
	o    Options
	// wants is a game for a chain, board one for another property, once it is played; neither serves
	// under fairness, and if all transitions with a label are forbidden together.
	wants *attraction
	board *board
}

// NewCoalitions returns the coalitions of m and p, which is bound to it; of the options only
// Fair and ByLabel count. It fails as [Find] does. Cost O(n (S + T)).
func NewCoalitions(ctx context.Context, m *lts.LTS, p *property.Property, o Options) (*Coalitions, error) {
	g, err := newGame(ctx, m, p, o)
	if err != nil {
		return nil, err
	}
	return &Coalitions{game: g, p: p, o: o}, nil
}

// CanPrevent reports whether there is a supervisor who may forbid transitions with these
// labels only: then p holds, without new deadlocks. It is for one goroutine. Errors and cost as for [Find],
// but for the unfolding.
func (c *Coalitions) CanPrevent(ctx context.Context, controllable func(lts.Label) bool) (bool, error) {
	for l := range c.game.forced {
		c.game.forced[l] = !controllable(lts.Label(l))
	}
	switch {
	case c.o.Fair || c.o.ByLabel:
		if _, err := c.game.solveFor(ctx, c.p, c.o); err != nil {
			return false, err
		}
		return c.game.wins(0), nil
	case c.p.Steps() > 0:
		return c.attracts(ctx)
	}
	return c.winsBoard(ctx)
}

// winsBoard reports whether the supervisor wins the game for a property that is no chain. The board
// has the moves of all supervisors.
func (c *Coalitions) winsBoard(ctx context.Context) (bool, error) {
	if c.board == nil {
		condition, is := newCondition(c.p.Acceptance())
		if !is {
			return false, UnsupportedError{c.p.String(), whyPairs}
		}
		c.game.condition = &condition
		c.board = c.game.fullBoard(condition)
	}
	c.board.ctx = ctx
	wins, err := c.game.play(c.board, true)
	return err == nil && wins[0], err
}

// attraction is the game for a chain: see [game.attract]. Its tables serve for one game after the other.
type attraction struct {
	// done are the places that are won at once.
	done []lts.State
	// won[s] and counted[s] are the numbers of the games where s was won last, and where the transitions
	// that cannot be forbidden and do not lead to where it is won were counted last: left[s].
	won, counted, left []uint32
	game               uint32
	queue              []lts.State
}

func (c *Coalitions) newAttraction(ctx context.Context) (*attraction, error) {
	n := c.game.m.NumStates()
	if err := resources.AskFor[uint32](ctx, 4*n); err != nil {
		return nil, err
	}
	x := &attraction{won: make([]uint32, n), counted: make([]uint32, n), left: make([]uint32, n)}
	for s := range lts.State(n) {
		if int(c.game.unfolding.Place(s).Q) == c.p.Steps() {
			x.done = append(x.done, s)
		}
	}
	return x, nil
}

// attracts reports whether the initial place is won. It goes back from the places that are, and no
// further once that is known.
func (c *Coalitions) attracts(ctx context.Context) (_ bool, err error) {
	if c.wants == nil {
		if c.wants, err = c.newAttraction(ctx); err != nil {
			return false, err
		}
	}
	x, before := c.wants, c.game.m.Predecessors()
	x.game++
	x.queue = append(x.queue[:0], x.done...)
	for _, s := range x.done {
		x.won[s] = x.game
	}
	for next := 0; next < len(x.queue) && x.won[0] != x.game; next++ {
		if next&(1<<12-1) == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		labels, sources := before.In(x.queue[next])
		for i, from := range sources {
			if x.won[from] == x.game {
				continue
			}
			if x.counted[from] != x.game {
				x.counted[from], x.left[from] = x.game, c.game.countForced(from)
			}
			if x.left[from] > 0 {
				if !c.game.forced[labels.At(i)] {
					continue
				}
				if x.left[from]--; x.left[from] > 0 {
					continue
				}
			}
			x.won[from] = x.game
			x.queue = append(x.queue, from)
		}
	}
	return x.won[0] == x.game, nil
}

// countForced returns how many transitions of a place cannot be forbidden.
func (g *game) countForced(s lts.State) (n uint32) {
	labels, _ := g.m.Out(s)
	for i := range labels.Len() {
		if g.forced[labels.At(i)] {
			n++
		}
	}
	return n
}

// always is the label of moves that are there whoever plays.
const always = lts.Label(1<<32 - 1)

// fullBoard builds the game with the moves of all supervisors: which are there is said by what may not
// be forbidden.
func (g *game) fullBoard(c condition) *board {
	n := g.m.NumStates()
	b := &board{condition: c, marks: make([]property.Marks, n), mine: make([]bool, n), forced: g.forced}
	edges := make([]move, 0, g.m.NumTransitions())
	for s := range lts.State(n) {
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			l := labels.At(i)
			marks := c.matters(g.unfolding.Marks(s, l))
			if marks == 0 {
				edges = append(edges, move{[2]uint32{uint32(s), uint32(to)}, l})
				continue
			}
			node := uint32(len(b.marks))
			b.marks, b.mine = append(b.marks, marks), append(b.mine, false)
			edges = append(edges, move{[2]uint32{uint32(s), node}, l}, move{[2]uint32{node, uint32(to)}, always})
		}
	}
	b.first, b.to, b.labels = rowsOf(len(b.marks), edges, 0)
	b.back, b.from, b.backLabels = rowsOf(len(b.marks), edges, 1)
	b.met, b.seen, b.left = make([]uint32, len(b.marks)), make([]uint32, len(b.marks)), make([]uint32, len(b.marks))
	return b
}

// move is an edge of a board, and the label that allows it.
type move struct {
	ends  [2]uint32
	label lts.Label
}

// rowsOf is [rows] with labels.
func rowsOf(n int, edges []move, by int) (first, ends []uint32, labels []lts.Label) {
	first = make([]uint32, n+1)
	for _, e := range edges {
		first[e.ends[by]+1]++
	}
	for v := range n {
		first[v+1] += first[v]
	}
	at := append([]uint32{}, first...)
	ends, labels = make([]uint32, len(edges)), make([]lts.Label, len(edges))
	for _, e := range edges {
		i := at[e.ends[by]]
		ends[i], labels[i] = e.ends[1-by], e.label
		at[e.ends[by]]++
	}
	return first, ends, labels
}

// seat says who moves where, by what may not be forbidden, and returns the nodes that some move leads
// to, or that are places.
func (b *board) seat(places int) (in []bool) {
	in = make([]bool, len(b.marks))
	for v := range places {
		in[v], b.mine[v] = true, true
		row := b.labels[b.first[v]:b.first[v+1]]
		for _, l := range row {
			if b.forced[l] {
				b.mine[v] = false
				break
			}
		}
		for i, l := range row {
			if to := b.to[b.first[v]+uint32(i)]; int(to) >= places {
				in[to] = b.mine[v] || b.forced[l]
			}
		}
	}
	return in
}
