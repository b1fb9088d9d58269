// Package mucalculus represents formulas of the modal mu-calculus as graphs, for evaluation on models.
//
// A [Formula] is in negation normal form. Fixpoints replace the regular expressions in its
// modalities. The nodes are the positions of a parity game on states and subformulas. At a node
// with All set, the player who wants the formula to be violated moves; at any other node, the
// player who wants it to hold.
//
// The node of a fixpoint is on every cycle through its body, and [Formula.Depth] counts
// alternations of fixpoints that depend on each other.
package mucalculus

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/lts"
)

// Kind is what a node of a formula is.
type Kind uint8

// The kinds of nodes.
const (
	// Connective is a conjunction if All is set, and otherwise a disjunction, of any number of parts.
	// Without parts, it is true or false.
	Connective Kind = iota
	// Modality is a box if All is set, and otherwise a diamond, with one part.
	Modality
	// Fixpoint is a greatest fixpoint if All is set, and otherwise a least one, with one part.
	Fixpoint
)

// Node is a subformula.
type Node struct {
	Kind  Kind
	All   bool
	Parts []int // the numbers of the parts
	// Action is the condition on the labels of a modality, over the atoms of the formula.
	Action *temporal.Formula
	// Text is the subformula as its author wrote it; Negated reports whether the node is its negation.
	// A node for a part of a regular expression has the text of a modality with the rest of the
	// expression.
	Text    string
	Negated bool
	// Component is the number of the strongly connected component that has the node. Parts are in the
	// same component or in one with a smaller number. Cyclic reports whether the node is on a cycle.
	Component int
	Cyclic    bool
	// Priority decides infinite plays: the player who wants the formula to hold wins iff the largest
	// priority that recurs is even. It is 0 for nodes that are no fixpoints.
	Priority int
}

// Formula is a formula as a graph. It is immutable.
type Formula struct {
	text  string
	root  int
	nodes []Node
	atoms []actl.Pattern
	depth int
}

// New returns the formula whose graph begins at node root, with its text. The nodes have their kinds,
// parts, actions and texts; New computes the other fields. The atoms are the patterns of the actions.
// Of two fixpoints that depend on each other, the outer one must come first. Cost O(size of the formula
// · depth of nested fixpoints).
func New(text string, root int, nodes []Node, atoms []actl.Pattern) *Formula {
	f := &Formula{
		text:  text,
		root:  root,
		nodes: nodes,
		atoms: atoms,
	}
	f.findComponents()
	f.findPriorities()
	return f
}

// String returns the formula as its author wrote it, on one line.
func (f *Formula) String() string { return f.text }

// Root returns the number of the node of the whole formula. Cost O(1).
func (f *Formula) Root() int { return f.root }

// Len returns the number of nodes. Cost O(1).
func (f *Formula) Len() int { return len(f.nodes) }

// Node returns a node, which must not be changed. Cost O(1).
func (f *Formula) Node(i int) *Node { return &f.nodes[i] }

// Depth returns the alternation depth: 0 without fixpoints, and 1 if no fixpoint depends on a fixpoint
// of the other kind around it. Cost O(1).
func (f *Formula) Depth() int { return f.depth }

// Components returns the number of components of nodes. Cost O(nodes).
func (f *Formula) Components() int {
	most := 0
	for i := range f.nodes {
		most = max(most, f.nodes[i].Component+1)
	}
	return most
}

// Unmatched returns an error if a pattern of the formula has no labels, see [actl.Unmatched].
func (f *Formula) Unmatched(ctx context.Context, a *lts.Alphabet) error {
	return actl.Unmatched(ctx, "atom", f.atoms, a)
}

// Bind returns, for each modality, which labels of the alphabet satisfy its action, and nil for other
// nodes. It warns of patterns that match no label. Cost of [actl.BindAtoms], and O(labels · size of the
// actions).
func (f *Formula) Bind(
	ctx context.Context,
	a *lts.Alphabet,
) (means [][]bool, warnings []string, err error) {
	steps, warnings, err := actl.BindAtoms(ctx, f.atoms, a)
	if err != nil {
		return nil, nil, err
	}
	matches := make([][]bool, len(steps)) // matches[i][l] reports whether atom i matches label l
	for i, step := range steps {
		matches[i] = make([]bool, a.Len())
		for _, l := range step.Labels {
			matches[i][l] = true
		}
	}
	means = make([][]bool, len(f.nodes))
	for i, n := range f.nodes {
		if n.Kind != Modality {
			continue
		}
		means[i] = make([]bool, a.Len())
		for l := range means[i] {
			matchesLabel := func(atom int) bool { return matches[atom][l] }
			means[i][l] = n.Action.Holds(matchesLabel, false)
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
	}
	return means, warnings, nil
}

// findComponents numbers the components, by Tarjan's algorithm without recursion.
func (f *Formula) findComponents() {
	everywhere := func(int) bool { return true }
	for number, component := range f.componentsWithin(f.all(), everywhere) {
		for _, i := range component {
			f.nodes[i].Component = number
			f.nodes[i].Cyclic = len(component) > 1 || slices.Contains(f.nodes[i].Parts, i)
		}
	}
}

// all returns the numbers of all nodes.
func (f *Formula) all() []int {
	all := make([]int, len(f.nodes))
	for i := range all {
		all[i] = i
	}
	return all
}

// componentsWithin returns the strongly connected components of some nodes. Each component comes after
// the components that it leads to.
func (f *Formula) componentsWithin(nodes []int, inside func(int) bool) [][]int {
	s := &componentSearch{
		nodes:   f.nodes,
		inside:  inside,
		order:   map[int]int{},
		low:     map[int]int{},
		onStack: map[int]bool{},
	}
	for _, first := range nodes {
		if s.order[first] == 0 {
			s.from(first)
		}
	}
	return s.components
}

// componentSearch is Tarjan's algorithm without recursion.
type componentSearch struct {
	nodes  []Node
	inside func(int) bool
	order  map[int]int // the number of the visit of each node, from 1 on
	low    map[int]int // the smallest number of a node on the stack that each node leads to
	// stack has the visited nodes whose component is not complete yet.
	stack   []int
	onStack map[int]bool
	// path leads from the first node to the current one.
	path       []visit
	components [][]int
}

// visit is a node on the path, with the number of its parts that have been followed.
type visit struct{ node, followed int }

// from finds the components of all nodes that are reachable from a node.
func (s *componentSearch) from(first int) {
	s.enter(first)
	for len(s.path) > 0 {
		top := &s.path[len(s.path)-1]
		parts := s.nodes[top.node].Parts
		if top.followed == len(parts) {
			s.leave()
			continue
		}
		part := parts[top.followed]
		top.followed++
		switch {
		case !s.inside(part):
		case s.order[part] == 0:
			s.enter(part)
		case s.onStack[part]:
			s.low[top.node] = min(s.low[top.node], s.order[part])
		}
	}
}

// enter extends the path by a node.
func (s *componentSearch) enter(node int) {
	s.order[node] = len(s.order) + 1
	s.low[node] = s.order[node]
	s.onStack[node] = true
	s.stack = append(s.stack, node)
	s.path = append(s.path, visit{node: node})
}

// leave removes the last node from the path. If it is the first node of its component, leave also
// removes the component from the stack.
func (s *componentSearch) leave() {
	node := s.path[len(s.path)-1].node
	s.path = s.path[:len(s.path)-1]
	if len(s.path) > 0 {
		parent := s.path[len(s.path)-1].node
		s.low[parent] = min(s.low[parent], s.low[node])
	}
	if s.low[node] < s.order[node] {
		return
	}
	start := slices.Index(s.stack, node)
	component := slices.Clone(s.stack[start:])
	s.stack = s.stack[:start]
	for _, member := range component {
		s.onStack[member] = false
	}
	s.components = append(s.components, component)
}

// findPriorities sets the priorities of fixpoints, and computes the alternation depth: E. A. Emerson,
// C. Lei, Efficient Model Checking in Fragments of the Propositional Mu-Calculus (LICS 1986).
func (f *Formula) findPriorities() {
	p := &priorities{f: f, group: make([]int, len(f.nodes))}
	p.raise(f.all(), 0)
	least := map[int]int{} // the smallest priority of a component
	for _, n := range f.nodes {
		if n.Kind != Fixpoint || !n.Cyclic {
			continue
		}
		known, isKnown := least[n.Component]
		if !isKnown || n.Priority < known {
			least[n.Component] = n.Priority
		}
	}
	for _, n := range f.nodes {
		switch {
		case n.Kind != Fixpoint:
		case n.Cyclic:
			f.depth = max(f.depth, n.Priority-least[n.Component]+1)
		default:
			f.depth = max(f.depth, 1)
		}
	}
}

// priorities computes the priorities of fixpoints.
type priorities struct {
	f      *Formula
	group  []int // the innermost group of each node
	groups int   // the number of groups besides group 0
}

// raise sets the priorities of the fixpoints in a group of nodes, and returns the largest priority. The
// outermost fixpoint of a component gets the smallest priority of its kind that is no smaller than the
// priorities in the rest of the component.
func (p *priorities) raise(nodes []int, group int) int {
	largest := 0
	isInGroup := func(i int) bool { return p.group[i] == group }
	for _, component := range p.f.componentsWithin(nodes, isInGroup) {
		outermost := p.outermost(component)
		if outermost < 0 {
			continue
		}
		p.groups++
		rest := slices.DeleteFunc(component, func(i int) bool {
			return i == outermost
		})
		for _, i := range rest {
			p.group[i] = p.groups
		}
		priority := p.raise(rest, p.groups)
		isEven := priority%2 == 0
		if isEven != p.f.nodes[outermost].All {
			priority++
		}
		p.f.nodes[outermost].Priority = priority
		largest = max(largest, priority)
	}
	return largest
}

// outermost returns the first fixpoint of a component, which is the outermost one; -1 if the component
// has no cycle.
func (p *priorities) outermost(component []int) int {
	first := -1
	for _, i := range component {
		n := &p.f.nodes[i]
		isCyclic := len(component) > 1 || slices.Contains(n.Parts, i)
		if isCyclic && n.Kind == Fixpoint && (first < 0 || i < first) {
			first = i
		}
	}
	return first
}
