package modal

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// nature is the kind of a [node]: what the node requires.
type nature uint8

const (
	always   nature = iota // nothing
	never                  // something impossible
	alive                  // that something can happen
	every                  // all of its operands
	unlessUp               // its operand, unless something can happen
	unlessAt               // its operand, unless nothing can happen
	box                    // its operand, in all targets of the action
	fixpoint               // its operand
)

// node is a formula without negations and regular expressions. Fixpoints are cycles.
type node struct {
	nature nature
	action *action
	parts  []*node
	least  bool // whether a fixpoint is a least one
	at     token
	number int
	// waits is set for a box that no run may pass infinitely often: it is on a
	// cycle through least fixpoints.
	waits bool
	// hollow is set for a node that cannot hold because it is on such a cycle without a box: the
	// first element for runs that continue, the second for runs that stop.
	hollow [2]bool
}

// turn is an index into arrays with one element for runs that go on, and one
// for runs that stop.
func turn(goesOn bool) int {
	if goesOn {
		return 0
	}
	return 1
}

// silent returns the nodes that a node requires in the same state.
func (n *node) silent(goesOn bool) []*node {
	if n.nature == box || n.nature == unlessUp && goesOn || n.nature == unlessAt && !goesOn {
		return nil
	}
	return n.parts
}

// grapher translates formulas into nodes.
type grapher struct {
	nodes []*node
	bound map[string]*node
}

func (g *grapher) add(n *node) *node {
	n.number = len(g.nodes)
	g.nodes = append(g.nodes, n)
	return n
}

// of returns the node of a formula, or of its negation.
func (g *grapher) of(f *state, negated bool) *node {
	switch f.op {
	case trueOp, falseOp:
		if (f.op == trueOp) != negated {
			return g.add(&node{nature: always})
		}
		return g.add(&node{nature: never})
	case notOp:
		return g.of(f.parts[0], !negated)
	case andOp, orOp:
		if (f.op == andOp) != negated {
			return g.all(f.parts, negated)
		}
		return g.either(f, negated)
	case boxOp, diamondOp:
		if (f.op == boxOp) != negated {
			return g.after(f.run, g.of(f.parts[0], negated))
		}
		if isAlive(f, negated) {
			return g.add(&node{nature: alive})
		}
		g.existential(f, negated)
	case muOp, nuOp:
		return g.fixpoint(f, negated)
	}
	n := g.bound[f.name]
	if (n.at.text == "not") != negated {
		refuse(f.at, "a fixpoint variable under an even number of negations")
	}
	return n.parts[0]
}

func (g *grapher) all(parts []*state, negated bool) *node {
	n := g.add(&node{nature: every})
	for _, f := range parts {
		n.parts = append(n.parts, g.of(f, negated))
	}
	return n
}

// either returns the node of a disjunction. It is a property of all runs if all operands except one
// only say whether something can happen.
func (g *grapher) either(f *state, negated bool) *node {
	var rest []*state
	up, at := false, false
	for _, part := range f.parts {
		switch isUp, isAt := isAlive(part, negated), isAlive(part, !negated); {
		case isUp:
			up = true
		case isAt:
			at = true
		case part.op == trueOp && !negated || part.op == falseOp && negated:
			return g.add(&node{nature: always})
		case part.op == trueOp || part.op == falseOp:
		default:
			rest = append(rest, part)
		}
	}
	if up && at {
		return g.add(&node{nature: always})
	}
	if len(rest) > 1 {
		if negated {
			refuse(f.at, "one formula, and perhaps [ true ] false or < true > true; a disjunction of several, which this is by a negation before it, is no property of all runs")
		}
		refuse(f.at, "one formula, and perhaps [ true ] false or < true > true; a disjunction of several is no property of all runs")
	}
	n := g.add(&node{nature: never})
	if len(rest) == 1 {
		n = g.of(rest[0], negated)
	}
	if up {
		n = g.add(&node{nature: unlessUp, parts: []*node{n}})
	}
	if at {
		n = g.add(&node{nature: unlessAt, parts: []*node{n}})
	}
	return n
}

// isAlive reports whether a formula, or its negation, is < true > true.
func isAlive(f *state, negated bool) bool {
	if f.op == notOp {
		return isAlive(f.parts[0], !negated)
	}
	op, end := diamondOp, trueOp
	if negated {
		op, end = boxOp, falseOp
	}
	return f.op == op && f.parts[0].op == end && f.run.shape == single && f.run.action.isAnything()
}

// existential fails with the error of a formula that asserts the existence of a run.
func (g *grapher) existential(f *state, negated bool) {
	if !negated && f.parts[0].op == trueOp {
		refuse(f.at, "what holds of all runs, as [ R ] false does; that there is a run, < R > true, is true if [ R ] false is violated, and its counterexample is that run")
	}
	if !negated && f.parts[0].name == forEver {
		refuse(f.at, "what holds of all runs, as [ R ] -| does; that a run repeats R for ever, < R > @, is true if [ R ] -| is violated, and its counterexample is that run")
	}
	refuse(f.at, "what holds of all runs; that there is one can be said in computation tree logic only")
}

func (g *grapher) fixpoint(f *state, negated bool) *node {
	n := g.add(&node{nature: fixpoint, least: (f.op == muOp) != negated, at: f.at})
	outer := g.bound[f.name]
	// The variable has the same sign as the fixpoint.
	as := &node{parts: []*node{n}}
	if negated {
		as.at.text = "not"
	}
	g.bound[f.name] = as
	n.parts = []*node{g.of(f.parts[0], negated)}
	g.bound[f.name] = outer
	return n
}

// after returns the node that requires node n after each run that an expression
// matches.
func (g *grapher) after(r *regular, n *node) *node {
	switch r.shape {
	case single:
		return g.add(&node{nature: box, action: r.action, parts: []*node{n}})
	case nothing:
		return n
	case sequence:
		return g.after(r.parts[0], g.after(r.parts[1], n))
	case choice:
		return g.add(&node{nature: every, parts: []*node{g.after(r.parts[0], n), g.after(r.parts[1], n)}})
	case perhaps:
		return g.add(&node{nature: every, parts: []*node{n, g.after(r.parts[0], n)}})
	}
	again := g.add(&node{nature: fixpoint, at: r.at})
	round := g.after(r.parts[0], again)
	again.parts = []*node{g.add(&node{nature: every, parts: []*node{n, round}})}
	if r.shape == plus {
		return round
	}
	return again
}

// settle finds the nodes that a run must leave. It fails if a cycle has both a
// least and a greatest fixpoint.
func (g *grapher) settle(ctx context.Context) {
	var b lts.Builder
	part := b.Label("")
	all := make([]lts.State, len(g.nodes))
	for i, n := range g.nodes {
		all[i] = lts.State(i)
		for _, p := range n.parts {
			b.Add(lts.State(i), part, lts.State(p.number))
		}
	}
	search := abort.Must(scc.NewParts(ctx, abort.Must(b.Build(0, len(g.nodes)))))
	for component := range abort.Must(search.Components(all, nil)) {
		least := slices.IndexFunc(component, func(i lts.State) bool { return g.nodes[i].nature == fixpoint && g.nodes[i].least })
		if least < 0 || !g.isCycle(component, func(n *node) []*node { return n.parts }) {
			continue
		}
		for _, i := range component {
			n := g.nodes[i]
			if n.nature == fixpoint && !n.least {
				later := n
				if other := g.nodes[component[least]]; other.at.at > n.at.at {
					later = other
				}
				refuse(later.at, "fixpoints, and repetitions, that do not depend on one of the other kind around them")
			}
			n.waits = true
		}
		for _, goesOn := range []bool{true, false} {
			silent := func(n *node) []*node { return n.silent(goesOn) }
			shows := func(from lts.State, _ lts.Label, _ lts.State) bool { return silent(g.nodes[from]) != nil }
			for hollow := range abort.Must(search.Components(component, shows)) {
				for _, i := range hollow {
					g.nodes[i].hollow[turn(goesOn)] = g.isCycle(hollow, silent)
				}
			}
		}
	}
}

// isCycle reports whether a strongly connected component has a cycle.
func (g *grapher) isCycle(component []lts.State, next func(*node) []*node) bool {
	n := g.nodes[component[0]]
	return len(component) > 1 || slices.Contains(next(n), n)
}
