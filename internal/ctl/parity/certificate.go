package parity

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"github.com/inev-lts/inev/internal/formula/mucalculus"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// schemaName is the name and version of the format that [Solution.WriteJSON] writes.
const schemaName = "inev.mu/1"

// WriteJSON writes the verdicts and evidence for them, for package verify and for other programs. It
// writes an object with the members schema, model, formula, formulas (of the nodes of the graph; the
// evidence refers to them by number), holds, good, bad and evidence. The evidence is the part of the
// winning strategies that the asked states need, with progress measures (M. Jurdziński, Small Progress
// Measures for Solving Parity Games, STACS 2000). For each node and value there is an object with the
// states and, for each priority that must not recur, a number for each state. WriteJSON fails if ctx is
// done, or if w does. Cost O(positions of the strategies and their moves · alternation depth), and 12
// bytes for each of these positions and 4 for each move.
func (s *Solution) WriteJSON(ctx context.Context, w io.Writer) error {
	c := &certifying{Solution: s, ctx: ctx}
	var asked []position
	for _, state := range slices.Concat(s.Good, s.Bad) {
		asked = append(asked, position{node: int32(s.Formula.Root()), state: state})
	}
	if err := c.collect(asked); err != nil {
		return err
	}
	out := &writer{b: bufio.NewWriterSize(w, 64<<10)}
	out.head(s)
	out.text(",\n  \"evidence\": [")
	separator := "\n    "
	for component := range s.Formula.Components() {
		measures, err := c.measures(component)
		if err != nil {
			return err
		}
		for node := range s.Formula.Len() {
			if s.Formula.Node(node).Component != component {
				continue
			}
			for _, holds := range []bool{false, true} {
				if c.writeNode(out, separator, node, holds, measures) {
					separator = ",\n    "
				}
			}
		}
	}
	out.text("\n  ]\n}\n")
	return out.b.Flush()
}

// certifying makes a certificate.
type certifying struct {
	*Solution
	ctx   context.Context
	known []bitset.Set[lts.State] // for each node, the states of its positions in the strategies
}

// collect finds the positions of the strategies that some positions lead to.
func (c *certifying) collect(from []position) error {
	words := bitset.Words(c.Model.NumStates())
	bits, err := resources.Make[uint64](c.ctx, words*c.Formula.Len())
	if err != nil {
		return err
	}
	c.known = make([]bitset.Set[lts.State], c.Formula.Len())
	for i := range c.known {
		c.known[i] = bits[i*words : (i+1)*words]
	}
	var waiting []position
	visit := func(m move) bool {
		if !c.known[m.node].Has(m.state) {
			c.known[m.node].Add(m.state)
			waiting = append(waiting, position{node: int32(m.node), state: m.state})
		}
		return true
	}
	for _, p := range from {
		visit(move{node: int(p.node), state: p.state})
	}
	for steps := 0; len(waiting) > 0; steps++ {
		if steps%4096 == 0 {
			if err := c.ctx.Err(); err != nil {
				return err
			}
		}
		p := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		c.eachWinningMove(int(p.node), p.state, visit)
	}
	return nil
}

// component is the part of the strategies in one component of the formula: a graph of positions.
type component struct {
	positions []position
	number    map[int][]uint32 // the number of each position, by node and state
	rows      []uint32         // where the moves of each position begin, and where those of the last one end
	moves     []uint32         // the numbers of the positions of the component that moves lead to
}

// graph returns the strategies in a component.
func (c *certifying) graph(number int) (*component, error) {
	g := &component{number: map[int][]uint32{}}
	for node := range c.Formula.Len() {
		if c.Formula.Node(node).Component != number || c.known[node].Empty() {
			continue
		}
		numbers, err := resources.Make[uint32](c.ctx, c.Model.NumStates())
		if err != nil {
			return nil, err
		}
		g.number[node] = numbers
		for state := range c.known[node].All {
			numbers[state] = uint32(len(g.positions))
			g.positions = append(g.positions, position{node: int32(node), state: state})
		}
	}
	for i, p := range g.positions {
		if i%4096 == 0 {
			if err := c.ctx.Err(); err != nil {
				return nil, err
			}
		}
		g.rows = append(g.rows, uint32(len(g.moves)))
		c.eachWinningMove(int(p.node), p.state, func(m move) bool {
			if c.Formula.Node(m.node).Component == number {
				g.moves = append(g.moves, g.number[m.node][m.state])
			}
			return true
		})
	}
	g.rows = append(g.rows, uint32(len(g.moves)))
	return g, nil
}

// measures has the progress measures in a component: for each priority, a number for each position.
type measures struct {
	*component
	numbers map[int][]uint32
}

// measures returns the measures of a component; nil if the component has no cycle.
func (c *certifying) measures(number int) (*measures, error) {
	var priorities []int
	for node := range c.Formula.Len() {
		n := c.Formula.Node(node)
		isCyclicFixpoint := n.Kind == mucalculus.Fixpoint && n.Cyclic
		if isCyclicFixpoint && n.Component == number && !slices.Contains(priorities, n.Priority) {
			priorities = append(priorities, n.Priority)
		}
	}
	if len(priorities) == 0 {
		return nil, nil
	}
	g, err := c.graph(number)
	if err != nil {
		return nil, err
	}
	all := &measures{component: g, numbers: map[int][]uint32{}}
	for _, priority := range priorities {
		all.numbers[priority], err = c.measure(g, priority)
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// isLost reports whether the winner of a position would lose plays in which the given priority is the
// largest that recurs.
func (c *certifying) isLost(p position, priority int) bool {
	return c.Holds(int(p.node), p.state) == (priority%2 == 1)
}

// measure returns, for each position, the largest number of positions with the given priority that a
// play by the strategy meets before a larger priority. It counts only positions whose winner must not
// let the priority recur. The number is the longest path in the graph without moves from larger
// priorities. In this graph no counted position is on a cycle, and Tarjan's algorithm completes a
// component after the components that it leads to.
func (c *certifying) measure(g *component, priority int) ([]uint32, error) {
	count := len(g.positions)
	if err := resources.AskFor[uint32](c.ctx, 5*count); err != nil {
		return nil, err
	}
	x := &longestPaths{
		component: g,
		isEnd: func(p uint32) bool {
			return c.priorityOf(g.positions[p]) > priority
		},
		isCounted: func(p uint32) bool {
			return c.priorityOf(g.positions[p]) == priority &&
				c.isLost(g.positions[p], priority)
		},
		order:  make([]uint32, count),
		low:    make([]uint32, count),
		length: make([]uint32, count),
		roots:  make([]uint32, count),
	}
	for p := range uint32(count) {
		if p%4096 == 0 {
			if err := c.ctx.Err(); err != nil {
				return nil, err
			}
		}
		if x.order[p] == 0 {
			x.search(p)
		}
	}
	return x.length, nil
}

// priorityOf returns the priority of a fixpoint; -1 for other nodes.
func (c *certifying) priorityOf(p position) int {
	n := c.Formula.Node(int(p.node))
	if n.Kind != mucalculus.Fixpoint {
		return -1
	}
	return n.Priority
}

// longestPaths finds, for each position of a graph, the largest number of counted positions on a path.
type longestPaths struct {
	*component
	isEnd, isCounted func(p uint32) bool
	order, low       []uint32 // when each position was met, and the earliest position that it leads to
	length           []uint32
	roots            []uint32 // for each position, the position by which its component was entered
	met              uint32
	stack            []uint32 // positions whose component is not complete
	path             []visit
}

// visit is a position on the path of the search, with its next move.
type visit struct{ position, next uint32 }

// closed replaces the order of positions whose component is complete.
const closed = never

// enter puts a position on the path.
func (x *longestPaths) enter(p uint32) {
	x.met++
	x.order[p] = x.met
	x.low[p] = x.met
	x.stack = append(x.stack, p)
	x.path = append(x.path, visit{position: p, next: x.rows[p]})
}

// search completes the components of all positions that a position leads to.
func (x *longestPaths) search(first uint32) {
	x.enter(first)
	for len(x.path) > 0 {
		top := &x.path[len(x.path)-1]
		p := top.position
		if top.next < x.rows[p+1] && !x.isEnd(p) {
			to := x.moves[top.next]
			top.next++
			switch x.order[to] {
			case 0:
				x.enter(to)
			case closed:
				x.length[p] = max(x.length[p], x.length[to])
			default:
				x.low[p] = min(x.low[p], x.order[to])
			}
			continue
		}
		x.path = x.path[:len(x.path)-1]
		if x.low[p] == x.order[p] {
			x.completeComponent(p)
		}
		if len(x.path) > 0 {
			above := x.path[len(x.path)-1].position
			x.low[above] = min(x.low[above], x.low[p])
			x.length[above] = max(x.length[above], x.length[p])
		}
	}
}

// completeComponent gives all positions of a component the same length, the largest of theirs, since they all
// lead to each other.
func (x *longestPaths) completeComponent(root uint32) {
	first := len(x.stack) - 1 // where the component begins
	longest := x.length[x.stack[first]]
	for x.stack[first] != root {
		first--
		longest = max(longest, x.length[x.stack[first]])
	}
	if x.isCounted(root) {
		longest++ // a counted position is alone in its component
	}
	for _, p := range x.stack[first:] {
		x.length[p] = longest
		x.roots[p] = root
		x.order[p] = closed
		x.low[p] = closed
	}
	x.stack = x.stack[:first]
}

// writer writes evidence. The buffer keeps errors until it is flushed.
type writer struct {
	b      *bufio.Writer
	digits [24]byte
}

func (w *writer) text(s string) { _, _ = w.b.WriteString(s) }

func (w *writer) number(n int) {
	_, _ = w.b.Write(strconv.AppendInt(w.digits[:0], int64(n), 10))
}

// quoted writes a text as JSON. Bytes that are no UTF-8 are replaced.
func (w *writer) quoted(text string) {
	data, _ := json.Marshal(text)
	_, _ = w.b.Write(data)
}

// list writes elements one by one.
func list[E any](w *writer, all []E, write func(E)) {
	w.text("[")
	for i, one := range all {
		if i > 0 {
			w.text(", ")
		}
		write(one)
	}
	w.text("]")
}

// head writes what comes before the evidence.
func (w *writer) head(s *Solution) {
	states, transitions, initial := s.Model.Total()
	w.text("{\n  \"schema\": " + strconv.Quote(schemaName))
	w.text(",\n  \"model\": {\"initial\": " + strconv.Itoa(int(s.Model.Initial())) + ", \"states\": " + strconv.Itoa(states) +
		", \"transitions\": " + strconv.Itoa(transitions))
	if initial > 0 {
		w.text(", \"initial_states\": " + strconv.Itoa(initial))
	}
	w.text("},\n  \"formula\": ")
	w.quoted(s.Formula.String())
	w.text(",\n  \"formulas\": ")
	var texts []string
	for i := range s.Formula.Len() {
		texts = append(texts, s.Formula.Node(i).Text)
	}
	list(w, texts, w.quoted)
	w.text(",\n  \"holds\": " + strconv.FormatBool(len(s.Bad) == 0))
	w.text(",\n  \"good\": ")
	list(w, s.Good, func(state lts.State) { w.number(int(state)) })
	w.text(",\n  \"bad\": ")
	list(w, s.Bad, func(state lts.State) { w.number(int(state)) })
}

// writeNode writes the positions of a node with a value, and reports whether there are any.
func (c *certifying) writeNode(
	w *writer,
	separator string,
	node int,
	holds bool,
	m *measures,
) bool {
	var states []lts.State
	for state := range c.known[node].All {
		if c.Holds(node, state) == holds {
			states = append(states, state)
		}
	}
	if len(states) == 0 {
		return false
	}
	w.text(separator + "{\"formula\": ")
	w.number(node)
	w.text(", \"holds\": " + strconv.FormatBool(holds) + ", \"states\": ")
	list(w, states, func(state lts.State) { w.number(int(state)) })
	w.text(", \"measures\": {")
	if m != nil {
		c.writeMeasures(w, node, states, holds, m)
	}
	w.text("}}")
	return true
}

// writeMeasures writes the measures of the positions of a node, for each priority that the winner must
// not let recur.
func (c *certifying) writeMeasures(
	w *writer,
	node int,
	states []lts.State,
	holds bool,
	m *measures,
) {
	var priorities []int
	for priority := range m.numbers {
		if holds == (priority%2 == 1) {
			priorities = append(priorities, priority)
		}
	}
	slices.Sort(priorities)
	for i, priority := range priorities {
		if i > 0 {
			w.text(", ")
		}
		w.text("\"" + strconv.Itoa(priority) + "\": ")
		list(w, states, func(state lts.State) {
			w.number(int(m.numbers[priority][m.number[node][state]]))
		})
	}
}
