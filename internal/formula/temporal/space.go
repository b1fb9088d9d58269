package temporal

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/intern"
)

type kind uint8

const (
	positive kind = iota // an atom
	negative             // the negation of an atom
	next                 // X a
	until                // a U b
	weak                 // a W b
	release              // a R b
	strong               // a M b
)

// node is a formula in negation normal form whose outermost operator is not
// Boolean.
type node struct {
	kind kind
	atom int
	a, b form
}

type nodeID uint32

// form is the number of a Boolean combination of nodes: a minimal disjunction of
// conjunctions.
type form uint32

const (
	falsum form = iota // no clause
	verum              // one empty clause
)

// clause is a conjunction: the numbers of its nodes, ascending.
type clause []nodeID

const (
	// maxClauses is the largest number of clauses of a form, and maxForms is the largest
	// number of forms.
	maxClauses = 1 << 12
	maxForms   = 1 << 20
)

// space holds nodes and forms, each once. It fails when a limit is exceeded.
type space struct {
	ctx   context.Context
	nodes intern.List[node, node]
	forms intern.List[string, []clause]
	ands  map[[2]form]form
	// nodeSteps caches the results of stepNode, by node and letter; formSteps caches those of step, by
	// form and letter.
	nodeSteps, formSteps map[[2]uint32]form
	// normals caches the normal forms of formulas.
	normals map[signed]form
	// letters[i][a] reports whether atom a holds at letter i.
	letters [][]bool
}

// newSpace returns a space with the forms [falsum] and [verum], for these letters.
func newSpace(ctx context.Context, letters [][]bool) *space {
	s := &space{
		ctx:       ctx,
		letters:   letters,
		ands:      map[[2]form]form{},
		nodeSteps: map[[2]uint32]form{},
		formSteps: map[[2]uint32]form{},
		normals:   map[signed]form{},
	}
	// The first two forms get the numbers falsum and verum.
	s.intern(nil)
	s.intern([]clause{{}})
	return s
}

// intern returns the number of a disjunction, which must be minimal.
func (s *space) intern(clauses []clause) form {
	slices.SortFunc(clauses, slices.Compare[clause])
	var key []byte
	for _, c := range clauses {
		key = binary.AppendUvarint(key, uint64(len(c)))
		for _, n := range c {
			key = binary.AppendUvarint(key, uint64(n))
		}
	}
	f := form(s.forms.Index(string(key), clauses))
	if f >= maxForms {
		abort.On(&BudgetError{What: "residual formulas", Most: maxForms})
	}
	abort.IfDone(s.ctx, f)
	return f
}

// or returns the disjunction of two forms.
func (s *space) or(f, g form) form {
	switch {
	case f == verum || g == verum:
		return verum
	case f == falsum || f == g:
		return g
	case g == falsum:
		return f
	}
	return s.minimal(slices.Concat(s.forms.All[f], s.forms.All[g]))
}

// conjunction returns the conjunction of forms.
func (s *space) conjunction(forms ...form) form {
	result := verum
	for _, f := range forms {
		result = s.and(result, f)
	}
	return result
}

// disjunction returns the disjunction of forms.
func (s *space) disjunction(forms ...form) form {
	result := falsum
	for _, f := range forms {
		result = s.or(result, f)
	}
	return result
}

// and returns the conjunction of two forms.
func (s *space) and(f, g form) form {
	switch {
	case f == falsum || g == falsum:
		return falsum
	case f == verum || f == g:
		return g
	case g == verum:
		return f
	}
	key := [2]form{min(f, g), max(f, g)}
	if h, ok := s.ands[key]; ok {
		return h
	}
	x := s.forms.All[f]
	y := s.forms.All[g]
	if len(x)*len(y) > maxClauses*16 {
		abort.On(&BudgetError{What: "alternatives of one formula", Most: maxClauses})
	}
	product := make([]clause, 0, len(x)*len(y))
	for _, c := range x {
		for _, d := range y {
			product = append(product, union(c, d))
		}
	}
	h := s.minimal(product)
	s.ands[key] = h
	return h
}

// union returns the conjunction of two clauses.
func union(c, d clause) clause {
	u := make(clause, 0, len(c)+len(d))
	for len(c) > 0 && len(d) > 0 {
		switch {
		case c[0] < d[0]:
			u = append(u, c[0])
			c = c[1:]
		case c[0] > d[0]:
			u = append(u, d[0])
			d = d[1:]
		default:
			u = append(u, c[0])
			c = c[1:]
			d = d[1:]
		}
	}
	return append(append(u, c...), d...)
}

// minimal returns the form of a disjunction. It leaves out clauses that contain another clause.
func (s *space) minimal(all []clause) form {
	slices.SortFunc(all, func(c, d clause) int { return len(c) - len(d) })
	var least []clause
	for _, c := range all {
		if !slices.ContainsFunc(least, func(d clause) bool { return contains(c, d) }) {
			least = append(least, c)
		}
		if len(least) > maxClauses {
			abort.On(&BudgetError{What: "alternatives of one formula", Most: maxClauses})
		}
	}
	return s.intern(least)
}

// contains reports whether c has all nodes of d.
func contains(c, d clause) bool {
	for _, n := range d {
		for len(c) > 0 && c[0] < n {
			c = c[1:]
		}
		if len(c) == 0 || c[0] != n {
			return false
		}
	}
	return true
}

// single returns the form that consists of a single node, simplified if possible.
func (s *space) single(n node) form {
	if f, ok := simplifiedNode(n); ok {
		return f
	}
	switch {
	case n.kind == release && n.a == falsum:
		n = node{kind: weak, a: n.b, b: falsum}
	case n.kind == strong && n.b == verum:
		n = node{kind: until, a: verum, b: n.a}
	}
	return s.intern([]clause{{nodeID(s.nodes.Index(n, n))}})
}

// simplifiedNode simplifies an operator with a constant operand.
func simplifiedNode(n node) (form, bool) {
	switch n.kind {
	case next:
		return n.a, n.a <= verum
	case until:
		return n.b, n.b <= verum || n.a == falsum
	case weak:
		if n.a == verum {
			return verum, true
		}
		return n.b, n.b == verum || n.a == falsum
	case release:
		return n.b, n.b <= verum || n.a == verum
	case strong:
		if n.a == falsum {
			return falsum, true
		}
		return n.b, n.b == falsum || n.a == verum
	}
	return 0, false
}

// eventually returns F f. If f is F g or G F g, it returns f.
func (s *space) eventually(f form) form {
	if _, isEventuality := s.isEventually(f); isEventuality {
		return f
	}
	if inner, isInvariant := s.isAlways(f); isInvariant {
		if _, recurs := s.isEventually(inner); recurs {
			return f
		}
	}
	return s.single(node{kind: until, a: verum, b: f})
}

// always returns G f; if f is G g or F G g, it returns f.
func (s *space) always(f form) form {
	if _, isInvariant := s.isAlways(f); isInvariant {
		return f
	}
	if inner, isEventuality := s.isEventually(f); isEventuality {
		if _, finallyHolds := s.isAlways(inner); finallyHolds {
			return f
		}
	}
	return s.single(node{kind: weak, a: f, b: falsum})
}

// isEventually returns g if a form is F g; false otherwise.
func (s *space) isEventually(f form) (g form, is bool) {
	n, single := s.onlyNode(f)
	return n.b, single && n.kind == until && n.a == verum
}

// isAlways returns g if a form is G g; false otherwise.
func (s *space) isAlways(f form) (g form, is bool) {
	n, single := s.onlyNode(f)
	return n.a, single && n.kind == weak && n.b == falsum
}

// onlyNode returns the node of a form that consists of a single node; false for other forms.
func (s *space) onlyNode(f form) (node, bool) {
	c := s.forms.All[f]
	if len(c) == 1 && len(c[0]) == 1 {
		return s.nodes.All[c[0][0]], true
	}
	return node{}, false
}

// replaceNodes returns the form with another form in place of each node.
func (s *space) replaceNodes(f form, replacement func(nodeID) form) form {
	if f <= verum {
		return f
	}
	result := falsum
	for _, c := range s.forms.All[f] {
		replacedClause := verum
		for _, n := range c {
			replacedClause = s.and(replacedClause, replacement(n))
			if replacedClause == falsum {
				break
			}
		}
		result = s.or(result, replacedClause)
		if result == verum {
			break
		}
	}
	return result
}

// step returns the form that must hold from the next position on, given the letter at this position:
// af(f, letter).
func (s *space) step(f form, letter int) form {
	if f <= verum {
		return f
	}
	key := [2]uint32{uint32(f), uint32(letter)}
	g, known := s.formSteps[key]
	if !known {
		g = s.replaceNodes(f, func(n nodeID) form { return s.stepNode(n, letter) })
		s.formSteps[key] = g
	}
	return g
}

// stepNode returns what must hold after a letter so that a node holds before it, see [space.step].
func (s *space) stepNode(id nodeID, letter int) form {
	n := s.nodes.All[id]
	switch n.kind {
	case positive, negative:
		if s.letters[letter][n.atom] == (n.kind == positive) {
			return verum
		}
		return falsum
	case next:
		return n.a
	}
	key := [2]uint32{uint32(id), uint32(letter)}
	if f, ok := s.nodeSteps[key]; ok {
		return f
	}
	a := s.step(n.a, letter)
	b := s.step(n.b, letter)
	self := s.intern([]clause{{id}})
	var f form
	if n.kind == until || n.kind == weak {
		f = s.or(b, s.and(a, self))
	} else {
		f = s.and(b, s.or(a, self))
	}
	s.nodeSteps[key] = f
	return f
}
