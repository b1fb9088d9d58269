package parity

import (
	"context"
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/formula/mucalculus"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// Solution has the winner of each position that the asked states lead to, and the winning strategies.
// It is immutable.
type Solution struct {
	Model   *lts.LTS
	Formula *mucalculus.Formula
	// Good and Bad are the asked states where the formula holds, and those where it does not.
	Good, Bad []lts.State
	// Positions is the number of positions that were visited.
	Positions  int
	means      [][]bool // the labels of modalities
	tables     []table  // the results of each node
	games      []*game  // the game of each component in which fixpoints alternate; nil for others
	roundValue []bool   // for each other component, the value that was found round by round
}

// table has the results for one node in each state.
type table struct {
	reached, holds bitset.Set[lts.State]
	// rank is nil for nodes outside cycles, and in components where fixpoints alternate. In a component
	// of least fixpoints, it is the round in which the node was found to hold in a state; in a
	// component of greatest fixpoints, the round in which it was found to fail. For other positions it
	// is the number of moves that must still be found to lead to a position with the same value.
	rank []uint32
}

// Solve decides a formula in the asked states of a model, which must have its predecessors. means are
// the labels of modalities, as [mucalculus.Formula.Bind] returns them. Solve fails if ctx is done, or
// if the game is too large: in a component where fixpoints alternate, positions times alternation depth
// may be at most 2^31. Cost O(reached positions and their moves) if no fixpoints alternate, see the
// package comment.
func Solve(
	ctx context.Context,
	m *lts.LTS,
	f *mucalculus.Formula,
	means [][]bool,
	asked []lts.State,
) (*Solution, error) {
	s := &Solution{
		Model:      m,
		Formula:    f,
		means:      means,
		games:      make([]*game, f.Components()),
		roundValue: make([]bool, f.Components()),
	}
	if err := s.makeTables(ctx); err != nil {
		return nil, err
	}
	x := &solver{Solution: s, ctx: ctx, predecessors: m.Predecessors()}
	x.findParents()
	if err := x.reach(asked); err != nil {
		return nil, err
	}
	for number, nodes := range x.components() {
		if err := x.solve(number, nodes); err != nil {
			return nil, err
		}
	}
	for _, state := range asked {
		if s.Holds(f.Root(), state) {
			s.Good = append(s.Good, state)
		} else {
			s.Bad = append(s.Bad, state)
		}
	}
	return s, nil
}

// Holds reports whether a node holds in a state. The position must have been reached. Cost O(1).
func (s *Solution) Holds(node int, state lts.State) bool {
	return s.tables[node].holds.Has(state)
}

// makeTables allocates the tables.
func (s *Solution) makeTables(ctx context.Context) error {
	states := s.Model.NumStates()
	words := bitset.Words(states)
	count := s.Formula.Len()
	bits, err := resources.Make[uint64](ctx, 2*words*count)
	if err != nil {
		return err
	}
	s.tables = make([]table, count)
	for i := range s.tables {
		s.tables[i].reached = bits[2*i*words : (2*i+1)*words]
		s.tables[i].holds = bits[(2*i+1)*words : (2*i+2)*words]
	}
	alternates := s.alternating()
	for i := range s.tables {
		n := s.Formula.Node(i)
		if n.Cyclic && !alternates[n.Component] {
			s.tables[i].rank, err = resources.Make[uint32](ctx, states)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// alternating reports for each component whether it has fixpoints of both kinds.
func (s *Solution) alternating() []bool {
	least := make([]bool, s.Formula.Components())
	greatest := make([]bool, s.Formula.Components())
	for i := range s.Formula.Len() {
		n := s.Formula.Node(i)
		if n.Kind == mucalculus.Fixpoint && n.Cyclic {
			least[n.Component] = least[n.Component] || !n.All
			greatest[n.Component] = greatest[n.Component] || n.All
		}
	}
	both := make([]bool, len(least))
	for i := range both {
		both[i] = least[i] && greatest[i]
	}
	return both
}

// solver solves the game of a question.
type solver struct {
	*Solution
	ctx          context.Context
	predecessors *lts.Predecessors
	parents      [][]int // of each node, those in its component
	steps        int
}

// findParents finds, for each node, the nodes of its component that have it as a part.
func (x *solver) findParents() {
	x.parents = make([][]int, x.Formula.Len())
	for i := range x.Formula.Len() {
		n := x.Formula.Node(i)
		for _, part := range n.Parts {
			if x.Formula.Node(part).Component == n.Component {
				x.parents[part] = append(x.parents[part], i)
			}
		}
	}
}

// components returns the nodes of each component.
func (x *solver) components() [][]int {
	all := make([][]int, x.Formula.Components())
	for i := range x.Formula.Len() {
		component := x.Formula.Node(i).Component
		all[component] = append(all[component], i)
	}
	return all
}

// countWork counts a step of work. At every 4,096th step it returns the error of ctx.
func (x *solver) countWork() error {
	x.steps++
	if x.steps&0xfff != 0 {
		return nil
	}
	return x.ctx.Err()
}

// reach finds the positions that the asked states lead to, node by node.
func (x *solver) reach(asked []lts.State) error {
	r := &reaching{solver: x, waiting: make([][]lts.State, x.Formula.Len())}
	meter := progress.Start(x.ctx, "positions", progress.States, 0)
	r.reach(x.Formula.Root(), asked)
	var spare []lts.State // memory for states that wait
	for hasWaiting := true; hasWaiting; {
		hasWaiting = false
		for node := range r.waiting {
			states := r.waiting[node]
			if len(states) == 0 {
				continue
			}
			hasWaiting = true
			r.waiting[node] = spare[:0] // continueFrom adds positions to waiting while it reads these states
			if err := r.continueFrom(node, states); err != nil {
				return err
			}
			spare = states
			x.Positions += len(states)
			meter.Add(int64(len(states)))
		}
	}
	return nil
}

// reaching is the search for positions. waiting has, for each node, the states of its positions from
// which the search has not continued yet.
type reaching struct {
	*solver
	waiting [][]lts.State
}

// reach notes positions of a node.
func (r *reaching) reach(node int, states []lts.State) {
	reached := r.tables[node].reached
	for _, state := range states {
		if !reached.Has(state) {
			reached.Add(state)
			r.waiting[node] = append(r.waiting[node], state)
		}
	}
}

// continueFrom records the positions that some positions of a node lead to.
func (r *reaching) continueFrom(node int, states []lts.State) error {
	n := r.Formula.Node(node)
	if n.Kind != mucalculus.Modality {
		for _, part := range n.Parts {
			r.reach(part, states)
		}
		return r.ctx.Err()
	}
	means := r.means[node]
	operand := n.Parts[0]
	reached := r.tables[operand].reached
	waiting := r.waiting[operand]
	for _, state := range states {
		labels, targets := r.Model.Out(state)
		for i, to := range targets {
			if means[labels.At(i)] && !reached.Has(to) {
				reached.Add(to)
				waiting = append(waiting, to)
			}
		}
		if err := r.countWork(); err != nil {
			return err
		}
	}
	r.waiting[operand] = waiting
	return nil
}

// solve decides the nodes of one component of the formula, after all components that they refer to. A
// node outside cycles follows from its parts. Fixpoints of one kind are found round by round; where
// both kinds alternate, a parity game has to be solved.
func (x *solver) solve(number int, nodes []int) error {
	isCyclic := x.Formula.Node(nodes[0]).Cyclic
	alternates := isCyclic && x.tables[nodes[0]].rank == nil // see table
	switch {
	case !isCyclic:
		return x.evaluate(nodes[0])
	case alternates:
		return x.solveGame(number, nodes)
	}
	return x.countRounds(number, nodes)
}

// solveGame decides the nodes of a component where least and greatest fixpoints alternate.
func (x *solver) solveGame(number int, nodes []int) error {
	g, err := newGame(x, nodes)
	if err != nil {
		return err
	}
	x.games[number] = g
	return g.solve()
}

// countRounds decides the nodes of a component whose fixpoints are all of one kind. It finds the positions
// that have the value true if they are least fixpoints, and those that have the value false otherwise.
func (x *solver) countRounds(number int, nodes []int) error {
	isLeastFixpoint := func(node int) bool {
		n := x.Formula.Node(node)
		return n.Kind == mucalculus.Fixpoint && !n.All
	}
	value := slices.ContainsFunc(nodes, isLeastFixpoint)
	x.roundValue[number] = value
	c := &counting{solver: x, nodes: nodes, value: value}
	return c.run()
}

// evaluate decides a node whose parts are decided.
func (x *solver) evaluate(node int) error {
	t := &x.tables[node]
	n := x.Formula.Node(node)
	for state := range t.reached.All {
		if x.evaluated(n, node, state) {
			t.holds.Add(state)
		}
		if err := x.countWork(); err != nil {
			return err
		}
	}
	return nil
}

// evaluated returns the value of a node in a state, from the values of its parts.
func (s *Solution) evaluated(n *mucalculus.Node, node int, state lts.State) bool {
	switch n.Kind {
	case mucalculus.Fixpoint:
		return s.Holds(n.Parts[0], state)
	case mucalculus.Connective:
		for _, part := range n.Parts {
			if s.Holds(part, state) != n.All {
				return !n.All
			}
		}
		return n.All
	}
	means := s.means[node]
	labels, targets := s.Model.Out(state)
	for i, to := range targets {
		if means[labels.At(i)] && s.Holds(n.Parts[0], to) != n.All {
			return !n.All
		}
	}
	return n.All
}

// counting finds the positions of a component that have a value, as the smallest such set. The value is
// true in a component of least fixpoints, and false in a component of greatest fixpoints.
type counting struct {
	*solver
	nodes []int
	value bool
	round uint32
	found []position // in the current round
	next  []position // in the round after it
}

// position is a position of the game.
type position struct {
	node  int32
	state lts.State
}

// never is a counter that never becomes 0.
const never = math.MaxUint32

// run finds the positions that have the value, round by round.
func (c *counting) run() error {
	meter := progress.Start(c.ctx, "fixpoint", progress.States, 0)
	for _, i := range c.nodes {
		if !c.value {
			copy(c.tables[i].holds, c.tables[i].reached)
		}
	}
	c.round = 1
	for _, i := range c.nodes {
		if err := c.initialise(i); err != nil {
			return err
		}
	}
	for len(c.next) > 0 {
		c.found, c.next = c.next, c.found[:0]
		c.round++
		for _, p := range c.found {
			c.propagate(int(p.node), p.state)
			if err := c.countWork(); err != nil {
				return err
			}
		}
		meter.Add(int64(len(c.found)))
		if err := resources.AskFor[position](c.ctx, len(c.next)); err != nil {
			return err
		}
	}
	return nil
}

// needsAll reports whether a node has the value only if all of its moves lead to it.
func (c *counting) needsAll(n *mucalculus.Node) bool {
	return n.Kind != mucalculus.Fixpoint && n.All == c.value
}

// initialise sets the ranks of a node to its numbers of moves, see [table]. It also finds the positions of the node that have the value
// without other positions of the component.
func (c *counting) initialise(node int) error {
	n := c.Formula.Node(node)
	t := &c.tables[node]
	needsAll := c.needsAll(n)
	if !needsAll && n.Kind != mucalculus.Connective {
		return nil
	}
	for state := range t.reached.All {
		if err := c.countWork(); err != nil {
			return err
		}
		if n.Kind == mucalculus.Connective {
			c.initialiseConnective(n, node, state, needsAll)
			continue
		}
		t.rank[state] = c.countSteps(node, state)
		if t.rank[state] == 0 {
			c.assign(node, state)
		}
	}
	return nil
}

// initialiseConnective initialises the rank of a connective in one state. Parts outside of the component
// are decided already; their moves are not counted.
func (c *counting) initialiseConnective(n *mucalculus.Node, node int, state lts.State, needsAll bool) {
	inside := uint32(0)
	for _, part := range n.Parts {
		switch {
		case c.Formula.Node(part).Component == n.Component:
			inside++
		case !needsAll && c.Holds(part, state) == c.value:
			c.assign(node, state)
			return
		case needsAll && c.Holds(part, state) != c.value:
			c.tables[node].rank[state] = never
			return
		}
	}
	if needsAll {
		c.tables[node].rank[state] = inside
	}
}

// countSteps returns how many transitions of a state a modality is about.
func (c *counting) countSteps(node int, state lts.State) (n uint32) {
	means := c.means[node]
	labels, _ := c.Model.Out(state)
	for i := range labels.Len() {
		if means[labels.At(i)] {
			n++
		}
	}
	return n
}

// assign records that a position has the value.
func (c *counting) assign(node int, state lts.State) {
	t := &c.tables[node]
	if c.value {
		t.holds.Add(state)
	} else {
		t.holds.Remove(state)
	}
	t.rank[state] = c.round
	c.next = append(c.next, position{node: int32(node), state: state})
}

// propagate counts a position with the value for each position that has a move to it.
func (c *counting) propagate(node int, state lts.State) {
	for _, parent := range c.parents[node] {
		n := c.Formula.Node(parent)
		if n.Kind != mucalculus.Modality {
			c.countMove(n, parent, state)
			continue
		}
		means := c.means[parent]
		labels, sources := c.predecessors.In(state)
		for i, from := range sources {
			if means[labels.At(i)] {
				c.countMove(n, parent, from)
			}
		}
	}
}

// countMove records that one more move of a position leads to a position with the value. The position
// gets the value by the first such move or, if it needs all of its moves, by the last one.
func (c *counting) countMove(n *mucalculus.Node, node int, state lts.State) {
	t := &c.tables[node]
	if !t.reached.Has(state) || t.holds.Has(state) == c.value {
		return
	}
	if c.needsAll(n) {
		// Before the position has the value, its rank counts the moves that are still needed.
		t.rank[state]--
		isMoveMissing := t.rank[state] > 0
		if isMoveMissing {
			return
		}
	}
	c.assign(node, state)
}
