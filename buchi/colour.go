package buchi

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
)

// The colours of Algorithm 1 of [SPIN04], in ascending order, in the two low
// bits of a byte; the third bit is the flag is_in_cp. The grey of the paper only
// serves its proof.
const (
	white uint8 = iota
	blue
	red
	black

	colourBits uint8 = 3
	onPath     uint8 = 4
)

// colourDFS returns a counterexample of g, nil if there is none: [SPIN04] and [SPIN04r], section 2,
// Algorithm 1 (the colour-DFS). The counterexample is the first that the search meets, in general
// not a shortest counterexample. colourDFS fails if ctx is done.
//
// The two versions of the paper print the same algorithm. Line 11 (DFS_black) is
// kept, although Remark 1 (Remark 2 of [SPIN04]) allows a shorter form if only a
// first counterexample is wanted, because contrex and priority use the black
// states afterwards. The order in which DFS_black visits states does not matter,
// and differs here.
//
// Cost O(S + E) time, at most three visits a state. Memory: a byte a state (the
// paper's 3 bits), a bit a state for [Stats], and the current path with the
// successors of its states.
func colourDFS(ctx context.Context, g Graph) (lasso *Lasso, _ Stats, err error) {
	rec := newRecord(ctx, g)
	err = abort.Try(func() { lasso = newColouring(g, rec).search() })
	return lasso, rec.stats, err
}

// colouring is the state of Algorithm 1. After search it holds the colours; no
// counterexample passes a black state (Lemma 1).
type colouring struct {
	g      Graph
	rec    *record
	marks  []uint8
	path   path
	behind []State
}

func newColouring(g Graph, rec *record) *colouring {
	return &colouring{g: g, rec: rec, marks: make([]uint8, g.NumStates())}
}

func (c *colouring) colour(s State) uint8 { return c.marks[s] & colourBits }

// enter colours s and appends it to the path: line 1 of DFS_blue and DFS_red.
func (c *colouring) enter(s State, colour uint8) {
	c.path.push(c.g, s)
	c.marks[s] = colour | onPath
	c.rec.visit(s, c.path.len())
}

// leave removes the last state of the path: line 6 of DFS_blue and line 9 of DFS_red.
func (c *colouring) leave() {
	c.marks[c.path.top()] &^= onPath
	c.path.pop()
}

// search runs DFS_blue from the initial state.
func (c *colouring) search() *Lasso {
	lasso := c.blue()
	if lasso != nil {
		c.rec.found(lasso.Length())
	}
	return lasso
}

func (c *colouring) blue() *Lasso {
	c.enter(c.g.Initial(), blue)
	for c.path.len() > 0 {
		t, more := c.path.next()
		switch {
		case !more:
			if lasso := c.finishBlue(); lasso != nil {
				return lasso
			}
		case c.marks[t]&onPath != 0 && c.g.Accepting(t):
			return c.path.lasso(t)
		case c.colour(t) == white:
			c.enter(t, blue)
		}
	}
	return nil
}

// finishBlue removes the last state of the path, whose successors are all done, and searches from
// it as DFS_red if it is accepting: lines 6 to 12 of DFS_blue.
func (c *colouring) finishBlue() *Lasso {
	s, allBlack := c.path.top(), true
	for _, t := range c.path.considered() {
		allBlack = allBlack && c.colour(t) == black
	}
	c.leave()
	if allBlack {
		c.marks[s] = black
		return nil
	}
	if !c.g.Accepting(s) {
		return nil
	}
	if lasso := c.red(s); lasso != nil {
		return lasso
	}
	c.blacken(s)
	return nil
}

// red is DFS_red(r); it extends the current path of DFS_blue.
func (c *colouring) red(r State) *Lasso {
	base := c.path.len()
	c.enter(r, red)
	for c.path.len() > base {
		t, more := c.path.next()
		switch {
		case !more:
			c.leave()
		case c.marks[t]&onPath != 0 && (c.g.Accepting(t) || c.colour(t) == blue):
			return c.path.lasso(t)
		case c.colour(t) == blue:
			c.enter(t, red)
		}
	}
	return nil
}

// blacken is DFS_black(s). No state of the current path is reachable from s;
// otherwise DFS_red would have found a counterexample.
func (c *colouring) blacken(s State) {
	c.marks[s] = black
	waiting := []State{s}
	for len(waiting) > 0 {
		s := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		c.rec.visit(s, 0)
		c.behind = c.g.Successors(s, c.behind[:0])
		for _, t := range c.behind {
			if c.colour(t) != black {
				c.marks[t] = black
				waiting = append(waiting, t)
			}
		}
	}
}
