package counterexample

import (
	"fmt"

	"github.com/inev-lts/inev/lts"
)

// Given is what another tool gave as a counterexample: a graph the runs of
// which, from its initial node, are known by the texts of their labels only. It
// is most often a path or a lasso. Its nodes are numbers of its own: they are not
// the states of the model. A node that nothing leaves is an end, which leaves
// open how the run went on, unless it is known to be a deadlock.
//
// A Given is immutable.
type Given struct {
	graph     *lts.LTS
	deadlocks map[lts.State]bool
	// line holds the edges in their order where the given trace is linear: a path
	// (loop is noLoop), or a lasso whose last edge leads to the source of
	// line[loop].
	line   []lts.Transition
	loop   int
	linear bool
}

// NewGiven returns the given trace with this graph, in which the given nodes are
// known to be deadlocks of the model. It fails if an edge leaves one of them.
// Cost O(size of the graph).
func NewGiven(graph *lts.LTS, deadlocks ...lts.State) (*Given, error) {
	v := &Given{graph: graph, deadlocks: make(map[lts.State]bool, len(deadlocks)), loop: noLoop}
	for _, node := range deadlocks {
		if int(node) >= graph.NumStates() || !graph.IsDeadlock(node) {
			return nil, fmt.Errorf("counterexample: node %d of the given trace goes on, and cannot be a deadlock", node)
		}
		v.deadlocks[node] = true
	}
	v.follow()
	return v, nil
}

// follow goes from the initial node for as long as there is one way on.
func (v *Given) follow() {
	number := map[lts.State]int{}
	for at := v.graph.Initial(); ; {
		labels, nodes := v.graph.Out(at)
		for i := range nodes {
			if nodes[i] != nodes[0] || labels.At(i) != labels.At(0) {
				v.line = nil
				return
			}
		}
		if len(nodes) == 0 {
			break
		}
		number[at] = len(v.line)
		v.line = append(v.line, lts.Transition{From: at, Label: labels.At(0), To: nodes[0]})
		at = nodes[0]
		if loop, again := number[at]; again {
			v.loop = loop
			break
		}
	}
	v.linear = true
}

// Line returns the labels of the given trace in their order where it is a path or a
// lasso: a lasso with loop >= 0, whose loop begins with labels[loop], and a path
// otherwise. It is false if some node can be left in more than one way. Cost
// O(len(labels)).
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

// isOpen reports whether a node is an end that the run may have gone on from.
func (v *Given) isOpen(node lts.State) bool {
	return v.graph.IsDeadlock(node) && !v.deadlocks[node]
}

func (v *Given) text(l lts.Label) string { return v.graph.Alphabet().Text(l) }
