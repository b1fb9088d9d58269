package buchi

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/emicklei/dot"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
)

// These are the colours of Algorithm 1 of [SPIN04], in ascending order, in the two low bits of a
// byte; the third bit is the flag is_in_cp. The paper's grey occurs only in its proof.
const (
	white uint8 = iota
	blue
	red
	black

	colourBits uint8 = 3
	onPath     uint8 = 4
)

// colourDFS returns a counterexample of g, nil if there is none: [SPIN04] and [SPIN04r], section 2,
// Algorithm 1 (the colour-DFS). It returns the first counterexample that the search meets, in
// general not a shortest one. It fails if ctx is done.
//
// The two versions of the paper print the same algorithm. If only a first counterexample is wanted,
// Remark 1 (Remark 2 of [SPIN04]) allows a shorter form without line 11 (DFS_black). The line is
// kept here, because contrex and priority use the black states afterwards. The order in which
// DFS_black visits states differs from the paper; it does not matter.
//
// Cost O(S + E) time, at most three visits a state. Memory: a byte a state (the paper's 3 bits), a
// bit a state for [Stats], and the current path with the successors of its states.
func colourDFS(ctx context.Context, g Graph) (lasso *Lasso, _ Stats, err error) {
	rec := newRecord(ctx, g)
	err = abort.Try(func() { lasso = newColouring(g, rec).search() })
	return lasso, rec.stats, err
}

// colouring is the state of Algorithm 1. After search it holds the colours; no
// counterexample passes a black state (Lemma 1).
type colouring struct {
	g     Graph
	rec   *record
	marks []uint8
	path  path
	// successors has the successors of the state that blacken visits.
	successors []State
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

// blue is DFS_blue(s1).
func (c *colouring) blue() *Lasso {
	c.enter(c.g.Initial(), blue)
	for c.path.len() > 0 {
		t, more := c.path.next()
		switch {
		case !more:
			lasso := c.leaveBlue()
			if lasso != nil {
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

// leaveBlue removes the last state of the path, all of whose successors are done: lines 6 to 12 of
// DFS_blue. If the state is accepting, DFS_red searches from there; leaveBlue returns the
// counterexample that it finds.
func (c *colouring) leaveBlue() *Lasso {
	s := c.path.top()
	allBlack := true
	for _, t := range c.path.topSuccessors() {
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
	lasso := c.red(s)
	if lasso == nil {
		c.blacken(s)
	}
	return lasso
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
		c.successors = c.g.Successors(s, c.successors[:0])
		for _, t := range c.successors {
			if c.colour(t) != black {
				c.marks[t] = black
				waiting = append(waiting, t)
			}
		}
	}
}

// path is the stack of a depth-first search: the current path (cp in the papers),
// and for each state on it the successors that were not visited yet. The
// successors of all states are on one stack, too, so that a push allocates
// nothing once that stack has grown.
type path struct {
	frames     []frame
	successors []State
}

type frame struct {
	state State
	// first and next are indexes into successors: of the first successor of
	// state, and of the next one to visit. The successors of the last frame end
	// at the end of the stack.
	first, next int
}

func (p *path) len() int { return len(p.frames) }

func (p *path) top() State { return p.frames[len(p.frames)-1].state }

// topSuccessors returns all successors of the last state.
func (p *path) topSuccessors() []State {
	return p.successors[p.frames[len(p.frames)-1].first:]
}

func (p *path) push(g Graph, s State) {
	p.frames = append(p.frames, frame{
		state: s,
		first: len(p.successors),
		next:  len(p.successors),
	})
	p.successors = g.Successors(s, p.successors)
}

func (p *path) pop() {
	last := len(p.frames) - 1
	p.successors = p.successors[:p.frames[last].first]
	p.frames = p.frames[:last]
}

// next returns the next successor of the last state, false if all have been
// considered.
func (p *path) next() (State, bool) {
	f := &p.frames[len(p.frames)-1]
	if f.next == len(p.successors) {
		return NoState, false
	}
	t := p.successors[f.next]
	f.next++
	return t, true
}

// lasso returns the path as a lasso whose last state leads back to t, a state
// of the path.
func (p *path) lasso(t State) *Lasso {
	l := &Lasso{States: make([]State, len(p.frames))}
	for i, f := range p.frames {
		l.States[i] = f.state
		if f.state == t {
			l.LoopStart = i
		}
	}
	return l
}

// Stats are the figures that the tables of [SPIN04] report for a search. A visit to a state is a
// call of one of the paper's procedures on it, or its removal from one of their queues: "each time
// a state is (re)visited this counter is incremented". Length is the [Lasso.Length] of the last
// counterexample.
type Stats struct {
	counterexample.Stats
	// Depth is the largest number of states on a path: in a depth-first search the current path, in
	// a breadth-first search the path to a state.
	Depth int `json:"-"`
}

// record counts the work of one call of an algorithm, over all its phases, and
// checks the context.
type record struct {
	ctx   context.Context
	seen  bitset.Set[State]
	stats Stats
}

func newRecord(ctx context.Context, g Graph) *record {
	return &record{ctx: ctx, seen: bitset.New[State](g.NumStates())}
}

// checkEvery is the number of visits between two checks of the context: few
// enough checks to cost nothing, enough to stop within a millisecond.
const checkEvery = 4096

// visit counts a visit of s at the end of a path of depth states. It ends the
// search if the context is done.
func (r *record) visit(s State, depth int) {
	if !r.seen.Has(s) {
		r.seen.Add(s)
		r.stats.Stored++
	}
	r.stats.Depth = max(r.stats.Depth, depth)
	r.stats.Matched++
	if r.stats.Matched%checkEvery == 1 {
		abort.On(r.ctx.Err())
	}
}

// found counts a counterexample of the given length, in states.
func (r *record) found(length int) {
	r.stats.Found++
	r.stats.Length = length
}

// Colours are the colours that Algorithm 1 of [SPIN04] has given to the states of
// an automaton, by state number: white states were not visited, because a lasso
// was found before, and no lasso passes black states.
type Colours struct {
	marks []uint8 // each has a colour in its low bits
	Found *Lasso  // the lasso that ended the search; nil if there is none
}

// colourNames are the names that the paper gives to the colours.
var colourNames = [...]string{"white", "blue", "red", "black"}

// Count returns how many states are white, blue, red and black.
func (c *Colours) Count() (counts [4]int) {
	for _, mark := range c.marks {
		counts[mark&colourBits]++
	}
	return counts
}

// Colour runs colourDFS on the automaton, from its first initial state, and
// returns the final colours. It fails as colourDFS does, at the same cost.
func (d *Description) Colour(ctx context.Context) (_ *Colours, err error) {
	defer abort.Caught(&err)
	c := newColouring(d.Automaton, newRecord(ctx, d.Automaton))
	found := c.search()
	return &Colours{marks: c.marks, Found: found}, nil
}

// fills has, for each colour, the fill colour of a state in a drawing, and the colour of the text
// in it.
var fills = [...][2]string{
	{"white", "black"},
	{"#9ecae1", "black"},
	{"#fb8072", "black"},
	{"black", "white"},
}

// WriteDOT draws the automaton for Graphviz: states in their colours, accepting
// states with two lines, and the edges of the lasso that was found bold. It fails
// if w does. Cost O(S log S + E).
func (c *Colours) WriteDOT(w io.Writer, d *Description) error {
	g := dot.NewGraph(dot.Directed)
	g.Attr("rankdir", "LR")
	nodes := make([]dot.Node, d.Automaton.NumStates())
	for s := range nodes {
		nodes[s] = c.drawState(g, d, State(s))
	}
	begin := g.Node("begin").Label("").Attr("shape", "point")
	g.Edge(begin, nodes[d.Automaton.Initial()])
	isOnLasso := c.edgesOfLasso()
	for s := range State(len(nodes)) {
		for _, t := range d.Automaton.Successors(s, nil) {
			e := g.Edge(nodes[s], nodes[t])
			if isOnLasso[[2]State{s, t}] {
				e.Attr("penwidth", 3)
			}
		}
	}
	_, err := io.WriteString(w, g.String())
	return err
}

// edgesOfLasso returns the edges of the lasso that was found, each as its source and target.
func (c *Colours) edgesOfLasso() map[[2]State]bool {
	edges := map[[2]State]bool{}
	if c.Found != nil {
		for i, s := range c.Found.States {
			edges[[2]State{s, c.Found.next(i)}] = true
		}
	}
	return edges
}

// drawState adds the node of a state. The writer of dot sorts nodes by their identifiers, which
// therefore are numbers with leading zeros.
func (c *Colours) drawState(g *dot.Graph, d *Description, s State) dot.Node {
	name := fmt.Sprint(s)
	if d.Names != nil && d.Names[s] != "" {
		name = d.Names[s]
	}
	lines := 1
	if d.Automaton.Accepting(s) {
		lines = 2
	}
	colour := c.marks[s] & colourBits
	n := g.Node(fmt.Sprintf("%010d", s)).Label(strings.NewReplacer("\n", " ", "\r", " ").Replace(name))
	n.Attrs("shape", "circle", "style", "filled", "fillcolor", fills[colour][0], "fontcolor",
		fills[colour][1])
	n.Attrs("peripheries", lines, "tooltip", colourNames[colour])
	return n
}
