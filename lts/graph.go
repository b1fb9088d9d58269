package lts

import (
	"slices"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/iterator"
)

// Graph is the reachable part of an LTS as a gonum graph, without a copy of it:
// its nodes are the reachable states (a [State] is its own node), and it has an
// edge from u to v if at least one transition leads from u to v. From lists the
// target of every transition, self-loops and parallel transitions included; the
// algorithms of gonum's topo package accept this. A graph comes from [LTS.Graph].
type Graph struct{ m *LTS }

var _ graph.Directed = Graph{}

// Graph returns the view of the LTS for gonum's graph algorithms. Cost O(1); each
// method of the view has its own cost.
func (m *LTS) Graph() Graph { return Graph{m} }

// Node returns the state with number id; nil if it is unreachable or does not exist. Cost O(1).
func (g Graph) Node(id int64) graph.Node {
	if !g.has(id) {
		return nil
	}
	return State(id)
}

func (g Graph) has(id int64) bool {
	return id >= 0 && id < int64(g.m.NumStates()) && g.m.Reachable().Has(State(id))
}

// Nodes returns the reachable states in ascending order. Cost O(1), and O(1) a
// step.
func (g Graph) Nodes() graph.Nodes {
	return &reachableNodes{m: g.m, left: g.m.Reachable().NumStates(), at: -1}
}

// From returns the targets of the transitions that leave the state, in row
// order. Cost O(out-degree).
func (g Graph) From(id int64) graph.Nodes {
	if !g.has(id) {
		return graph.Empty
	}
	_, targets := g.m.Out(State(id))
	return nodesOf(targets)
}

// To returns the sources of the transitions that enter the state from reachable
// states. Cost O(in-degree), after the predecessor rows have been built.
func (g Graph) To(id int64) graph.Nodes {
	if !g.has(id) {
		return graph.Empty
	}
	incoming := g.m.Incoming(State(id))
	sources := make([]State, len(incoming))
	for i, t := range incoming {
		sources[i] = t.From
	}
	return nodesOf(sources)
}

func nodesOf(states []State) graph.Nodes {
	if len(states) == 0 {
		return graph.Empty
	}
	nodes := make([]graph.Node, len(states))
	for i, s := range states {
		nodes[i] = s
	}
	return iterator.NewOrderedNodes(nodes)
}

// HasEdgeFromTo reports whether a transition leads from u to v. Cost
// O(out-degree of u).
func (g Graph) HasEdgeFromTo(u, v int64) bool {
	if !g.has(u) {
		return false
	}
	_, targets := g.m.Out(State(u))
	return g.has(v) && slices.Contains(targets, State(v))
}

// HasEdgeBetween reports whether a transition leads from x to y or back. Cost as
// HasEdgeFromTo, twice.
func (g Graph) HasEdgeBetween(x, y int64) bool {
	return g.HasEdgeFromTo(x, y) || g.HasEdgeFromTo(y, x)
}

// Edge returns the edge from u to v, nil if there is none. Cost as
// HasEdgeFromTo.
func (g Graph) Edge(u, v int64) graph.Edge {
	if !g.HasEdgeFromTo(u, v) {
		return nil
	}
	return edge{State(u), State(v)}
}

type edge struct{ from, to State }

func (e edge) From() graph.Node         { return e.from }
func (e edge) To() graph.Node           { return e.to }
func (e edge) ReversedEdge() graph.Edge { return edge{e.to, e.from} }

// reachableNodes iterates over the reachable states in ascending order.
type reachableNodes struct {
	m    *LTS
	left int
	at   int
}

func (n *reachableNodes) Next() bool {
	if n.left == 0 {
		return false
	}
	n.left--
	reach := n.m.Reachable()
	for n.at++; !reach.Has(State(n.at)); n.at++ {
	}
	return true
}

func (n *reachableNodes) Len() int         { return n.left }
func (n *reachableNodes) Node() graph.Node { return State(n.at) }
func (n *reachableNodes) Reset() {
	n.left = n.m.Reachable().NumStates()
	n.at = -1
}
