package counterexample

import (
	"fmt"

	"github.com/inev-lts/inev/lts"
)

// Given is a counterexample of another tool: a graph whose runs begin in its initial node, and
// whose labels are texts. Most often it is a path or a lasso. Its nodes are not the states of the
// model, but it may be known which state belongs to each node. A node without edges is an end that leaves open how the run continues, unless it is known
// to be a deadlock.
//
// A Given is immutable.
type Given struct {
	graph *lts.LTS
	// states has the state of the model in which the run is at each node; nil if they are unknown.
	states    []lts.State
	deadlocks map[lts.State]bool
	// line has the edges in order if the given trace is linear: a path, with noLoop as loop, or a lasso
	// whose last edge leads to the source of line[loop].
	line   []lts.Transition
	loop   int
	linear bool
}

// NewGiven returns the given trace with the given graph. states has the state of the model in which the
// run is at each node, and is nil if they are unknown. The nodes in deadlocks are known to be deadlocks
// of the model; NewGiven fails if an edge leaves such a node. Cost O(size of the graph).
func NewGiven(graph *lts.LTS, states []lts.State, deadlocks ...lts.State) (*Given, error) {
	v := &Given{
		graph:     graph,
		states:    states,
		deadlocks: make(map[lts.State]bool, len(deadlocks)),
		loop:      noLoop,
	}
	for _, node := range deadlocks {
		if int(node) >= graph.NumStates() || !graph.IsDeadlock(node) {
			return nil, fmt.Errorf("counterexample: node %d of the given trace goes on, and cannot be a deadlock", node)
		}
		v.deadlocks[node] = true
	}
	v.findLine()
	return v, nil
}

// findLine sets the fields about a linear trace. A trace is linear if each node has at most one
// edge.
func (v *Given) findLine() {
	number := map[lts.State]int{} // the index in the line of the edge of each node passed so far
	current := v.graph.Initial()
	for {
		labels, nodes := v.graph.Out(current)
		for i := range nodes {
			if nodes[i] != nodes[0] || labels.At(i) != labels.At(0) {
				v.line = nil
				return
			}
		}
		if len(nodes) == 0 {
			break
		}
		number[current] = len(v.line)
		v.line = append(v.line, lts.Transition{
			From:  current,
			Label: labels.At(0),
			To:    nodes[0],
		})
		current = nodes[0]
		loop, isPassed := number[current]
		if isPassed {
			v.loop = loop
			break
		}
	}
	v.linear = true
}

// Line returns the labels of the given trace in order if the trace is linear: a lasso, whose loop
// begins with labels[loop], or a path; then loop is negative. ok is false if some node has several
// edges. Cost O(len(labels)).
func (v *Given) Line() (labels []string, loop int, ok bool) {
	for _, step := range v.line {
		labels = append(labels, v.graph.Alphabet().Text(step.Label))
	}
	return labels, v.loop, v.linear
}

// Graph returns the graph of the given trace.
func (v *Given) Graph() *lts.LTS { return v.graph }

// IsDeadlock reports whether a node is known to be a deadlock of the model.
func (v *Given) IsDeadlock(node lts.State) bool { return v.deadlocks[node] }

// isOpen reports whether a node is an end after which the run may continue.
func (v *Given) isOpen(node lts.State) bool {
	return v.graph.IsDeadlock(node) && !v.deadlocks[node]
}

// allows reports whether a run can be in a state of the model at a node.
func (v *Given) allows(node, state lts.State) bool {
	return v.states == nil || v.states[node] == state
}

func (v *Given) text(l lts.Label) string { return v.graph.Alphabet().Text(l) }
