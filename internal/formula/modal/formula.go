package modal

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/formula/letters"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Formula is a property in MCL or in the mu-calculus of mCRL2. It comes from [Parse] and is
// immutable.
type Formula struct {
	text  string
	root  *node
	atoms letters.Atoms
}

// newFormula returns the property that a formula read by p denotes. It fails if the formula is no property
// of all runs.
func newFormula(p *parser, root *state) (f *Formula, err error) {
	defer abort.Caught(&err)
	g := &grapher{bound: map[string]*boundNode{}}
	node := g.translate(root, false)
	g.markCycles(p.ctx)
	atoms := p.renumberAtoms(g.nodes)
	return &Formula{text: p.written(), root: node, atoms: atoms}, p.ctx.Err()
}

// renumberAtoms simplifies the actions of nodes, and numbers the atoms that remain in them. It returns
// these atoms, and after them the patterns that must each match a label.
func (p *parser) renumberAtoms(nodes []*node) []actl.Pattern {
	var remaining intern.List[string, actl.Pattern]
	renumbered := func(atom int) *temporal.Formula {
		pattern := p.atoms.All[atom]
		return temporal.Atom(remaining.Index(pattern.String(), pattern))
	}
	for _, n := range nodes {
		if n.action != nil {
			n.action = p.folded(p.ctx, n.action).Substituted(renumbered)
		}
	}
	for _, pattern := range p.apart {
		remaining.Index(pattern.String(), pattern)
	}
	return remaining.All
}

// written returns the formula on one line, without comments and macros, in a form
// for which [Begins] returns true.
func (p *parser) written() string {
	text := p.textBetween(0, len(p.tokens)-1)
	if Begins(text) {
		return text
	}
	return "[ nil ] (" + text + ")"
}

// Kind names the kind of property for people.
func (f *Formula) Kind() string { return "Modal mu-calculus" }

// String returns the formula on one line, without comments and with macros
// replaced. [Parse] reads it back to an equal formula.
func (f *Formula) String() string { return f.text }

// Atoms returns the patterns of labels in the formula, each once, in an
// unspecified order. The slice must not be changed.
func (f *Formula) Atoms() []actl.Pattern { return f.atoms }

// Bind returns the property that f denotes for a model with alphabet a, and a warning for each pattern
// that matches no label of a. The property is a chain if [product.AsChain] finds that it is one. Bind
// fails if the automaton would become too large, or if ctx is done. Cost: exponential in the size of
// the formula at worst, linear for formulas that people write.
func (f *Formula) Bind(
	ctx context.Context,
	a *lts.Alphabet,
) (*property.Property, []string, error) {
	return letters.Bind(ctx, f.atoms, a, f.bind)
}

// bind returns the property for the labels of the given atoms. Its automaton is that of the breakpoint
// construction.
func (f *Formula) bind(
	ctx context.Context,
	a *lts.Alphabet,
	atoms []property.Step,
) (_ *property.Property, err error) {
	defer abort.Caught(&err)
	letterOf, holding, err := letters.Of(ctx, atoms, a, letters.Most)
	abort.On(err)
	initial := newBreakpoint([]*node{f.root})
	successor := func(p *breakpoint, letter int) (*breakpoint, property.Marks, error) {
		to, marks := p.successor(holding[letter])
		return to, marks, nil
	}
	states, table, err := letters.Determinise(ctx, initial, len(holding), "formula",
		(*breakpoint).key, successor)
	abort.On(err)
	for _, state := range states {
		table.Stop = append(table.Stop, state.stops)
	}
	letters.Merge(table)
	table.Letters = letterOf
	table.Kind = property.KindMuCalculus
	table.Name = f.text
	automaton := abort.Must(property.Table(a, table.FromBeginning(a)))
	return product.AsChain(ctx, automaton, atoms)
}

// BindLetters returns the property that f denotes for actions with any labels, as
// [actl.Formula.BindLetters] does.
func (f *Formula) BindLetters(ctx context.Context) (*property.Property, *actl.Letters, error) {
	return letters.BindAny(ctx, f.atoms, f.bind)
}

// Unmatched returns nil if all patterns of f have labels in a, as
// [actl.Formula.Unmatched] does.
func (f *Formula) Unmatched(ctx context.Context, a *lts.Alphabet) error {
	return f.atoms.Unmatched(ctx, a)
}

// nature is the kind of a [node]: what the node requires.
type nature uint8

const (
	always         nature = iota // nothing
	never                        // something impossible
	alive                        // that something can happen
	every                        // all of its operands
	unlessAlive                  // its operand, unless something can happen
	unlessDeadlock               // its operand, unless nothing can happen
	box                          // its operand, after every step with the action
	fixpoint                     // its operand
)

// node is a formula without negations and regular expressions. Fixpoints are cycles.
type node struct {
	nature nature
	action *temporal.Formula
	parts  []*node
	least  bool // whether a fixpoint is a least one
	at     token
	number int
	// waits is set for a box on a cycle through least fixpoints: no run may pass the box infinitely
	// often.
	waits bool
	// hollow is set for a node on a cycle through least fixpoints but through no box. Such a node
	// cannot hold. The first element is for runs that continue, the second for runs that stop.
	hollow [2]bool
}

// hollowIndex returns the index in the field hollow of a node for runs that continue, or for those that stop.
func hollowIndex(continues bool) int {
	if continues {
		return 0
	}
	return 1
}

// silent returns the nodes that a node requires in the same state of a run that continues, or of one that
// stops.
func (n *node) silent(continues bool) []*node {
	switch n.nature {
	case box:
		return nil
	case unlessAlive:
		if continues {
			return nil
		}
	case unlessDeadlock:
		if !continues {
			return nil
		}
	}
	return n.parts
}

// grapher translates formulas into nodes.
type grapher struct {
	nodes []*node
	bound map[string]*boundNode
}

// boundNode is the node of a fixpoint variable.
type boundNode struct {
	fixpoint *node
	negated  bool // whether the node is the negation of the fixpoint
}

func (g *grapher) add(n *node) *node {
	n.number = len(g.nodes)
	g.nodes = append(g.nodes, n)
	return n
}

// translate returns the node of a formula, or of its negation. A negation exchanges true and false,
// conjunctions and disjunctions, boxes and diamonds, and least and greatest fixpoints.
func (g *grapher) translate(f *state, negated bool) *node {
	switch f.op {
	case trueOp, falseOp:
		if (f.op == trueOp) != negated {
			return g.add(&node{nature: always})
		}
		return g.add(&node{nature: never})
	case notOp:
		return g.translate(f.parts[0], !negated)
	case andOp, orOp:
		if (f.op == andOp) != negated {
			return g.all(f.parts, negated)
		}
		return g.either(f, negated)
	case boxOp, diamondOp:
		if (f.op == boxOp) != negated {
			return g.afterRuns(f.run, g.translate(f.parts[0], negated))
		}
		if !meansAlive(f, negated) {
			refuseExistence(f, negated)
		}
		return g.add(&node{nature: alive})
	case muOp, nuOp:
		return g.fixpoint(f, negated)
	}
	return g.variable(f, negated)
}

// refuseExistence fails, and explains that a modality, or its negation, demands that some run exists.
func refuseExistence(f *state, negated bool) {
	switch {
	case !negated && f.parts[0].op == trueOp:
		abort.On(f.at.refused(ofAllRuns+", such as [ R ] false",
			"< R > true, which demands that some run exists, holds if [ R ] false is violated: the counterexample is such a run"))
	case !negated && f.parts[0].name == forEver:
		abort.On(f.at.refused(ofAllRuns+", such as [ R ] -|",
			"< R > @, which demands that some run repeats R forever, holds if [ R ] -| is violated: the counterexample is such a run"))
	}
	abort.On(f.at.refused(ofAllRuns,
		"only computation tree logic can demand that some run exists"))
}

// variable returns the node of the fixpoint that a variable refers to, or of its negation.
func (g *grapher) variable(f *state, negated bool) *node {
	bound := g.bound[f.name]
	if bound == nil {
		return g.translate(f.definition, negated)
	}
	if bound.negated != negated {
		refuse(f.at, "a fixpoint variable under an even number of negations")
	}
	return bound.fixpoint
}

// all returns the node that requires all these formulas, or all their negations.
func (g *grapher) all(parts []*state, negated bool) *node {
	n := g.add(&node{nature: every})
	for _, f := range parts {
		n.parts = append(n.parts, g.translate(f, negated))
	}
	return n
}

// either returns the node of a disjunction. The disjunction is a property of all runs if at most one
// operand says more than whether something can happen.
func (g *grapher) either(f *state, negated bool) *node {
	var rest []*state
	hasAlive := false
	hasDeadlock := false
	for _, part := range f.parts {
		isConstant := part.op == trueOp || part.op == falseOp
		switch {
		case meansAlive(part, negated):
			hasAlive = true
		case meansAlive(part, !negated):
			hasDeadlock = true
		case isConstant && (part.op == trueOp) != negated:
			return g.add(&node{nature: always})
		case !isConstant:
			rest = append(rest, part)
		}
	}
	if hasAlive && hasDeadlock {
		return g.add(&node{nature: always})
	}
	if len(rest) > 1 {
		hint := "a disjunction of several is no property of all runs"
		if negated {
			hint = "a disjunction of several, which this is by a negation before it, is no property of all runs"
		}
		abort.On(f.at.refused("one formula, and perhaps [ true ] false or < true > true", hint))
	}
	n := g.add(&node{nature: never})
	if len(rest) == 1 {
		n = g.translate(rest[0], negated)
	}
	if hasAlive {
		n = g.add(&node{nature: unlessAlive, parts: []*node{n}})
	}
	if hasDeadlock {
		n = g.add(&node{nature: unlessDeadlock, parts: []*node{n}})
	}
	return n
}

// meansAlive reports whether a formula, or its negation, says that something can happen.
func meansAlive(f *state, negated bool) bool {
	if negated {
		return isDeadlock(f)
	}
	return isAlive(f)
}

// isAlive reports whether a formula is < true > true, or the negation of [ true ] false.
func isAlive(f *state) bool {
	if f.op == notOp {
		return isDeadlock(f.parts[0])
	}
	return f.op == diamondOp && f.parts[0].op == trueOp && f.run.isAnyStep()
}

// isDeadlock reports whether a formula is [ true ] false, or the negation of < true > true.
func isDeadlock(f *state) bool {
	if f.op == notOp {
		return isAlive(f.parts[0])
	}
	return f.op == boxOp && f.parts[0].op == falseOp && f.run.isAnyStep()
}

// isAnyStep reports whether an expression is the action true.
func (r *regular) isAnyStep() bool {
	return r.shape == single && r.action.Operator() == temporal.TrueOp
}

// fixpoint returns the node of a fixpoint, or of its negation.
func (g *grapher) fixpoint(f *state, negated bool) *node {
	n := g.add(&node{
		nature: fixpoint,
		least:  (f.op == muOp) != negated,
		at:     f.at,
	})
	outer := g.bound[f.name]
	g.bound[f.name] = &boundNode{fixpoint: n, negated: negated}
	n.parts = []*node{g.translate(f.parts[0], negated)}
	if !f.isInstance { // others may refer to an instance
		g.bound[f.name] = outer
	}
	return n
}

// afterRuns returns the node that requires n after each run that a regular expression matches.
func (g *grapher) afterRuns(r *regular, n *node) *node {
	switch r.shape {
	case single:
		return g.add(&node{nature: box, action: r.action, parts: []*node{n}})
	case nothing:
		return n
	case sequence:
		return g.afterRuns(r.parts[0], g.afterRuns(r.parts[1], n))
	case choice:
		return g.add(&node{
			nature: every,
			parts:  []*node{g.afterRuns(r.parts[0], n), g.afterRuns(r.parts[1], n)},
		})
	case perhaps:
		return g.add(&node{nature: every, parts: []*node{n, g.afterRuns(r.parts[0], n)}})
	}
	loop := g.add(&node{nature: fixpoint, at: r.at})
	round := g.afterRuns(r.parts[0], loop)
	loop.parts = []*node{g.add(&node{nature: every, parts: []*node{n, round}})}
	if r.shape == plus {
		return round
	}
	return loop
}

// markCycles marks the nodes on cycles through least fixpoints, where a run must not stay. It fails if a
// cycle has both a least and a greatest fixpoint.
func (g *grapher) markCycles(ctx context.Context) {
	all := make([]lts.State, len(g.nodes))
	for i := range g.nodes {
		all[i] = lts.State(i)
	}
	search := abort.Must(scc.NewParts(ctx, g.asLTS()))
	partsOf := func(n *node) []*node { return n.parts }
	for component := range abort.Must(search.Components(all, nil)) {
		least := g.leastFixpoint(component)
		if least == nil || !g.isCycle(component, partsOf) {
			continue
		}
		g.refuseGreatest(component, least)
		for _, i := range component {
			g.nodes[i].waits = true
		}
		g.markHollow(search, component, true)
		g.markHollow(search, component, false)
	}
}

// asLTS returns an LTS whose states are the nodes, with a transition from each node to each of its parts.
func (g *grapher) asLTS() *lts.LTS {
	var b lts.Builder
	part := b.Label("")
	for i, n := range g.nodes {
		for _, p := range n.parts {
			b.Add(lts.State(i), part, lts.State(p.number))
		}
	}
	return abort.Must(b.Build(0, len(g.nodes)))
}

// leastFixpoint returns the first least fixpoint among some nodes; nil if there is none.
func (g *grapher) leastFixpoint(nodes []lts.State) *node {
	for _, i := range nodes {
		n := g.nodes[i]
		if n.nature == fixpoint && n.least {
			return n
		}
	}
	return nil
}

// refuseGreatest fails if the component of a least fixpoint has a greatest one, too. The error is
// placed at the fixpoint that comes later in the formula.
func (g *grapher) refuseGreatest(component []lts.State, least *node) {
	for _, i := range component {
		n := g.nodes[i]
		if n.nature != fixpoint || n.least {
			continue
		}
		later := n
		if least.at.at > n.at.at {
			later = least
		}
		refuse(later.at,
			"fixpoints, and repetitions, that do not depend on one of the other kind around them")
	}
}

// markHollow marks the nodes of a component that depend on themselves without any step, either for runs
// that continue or for runs that stop.
func (g *grapher) markHollow(search *scc.Parts, component []lts.State, continues bool) {
	silent := func(n *node) []*node { return n.silent(continues) }
	isSilentStep := func(from lts.State, _ lts.Label, _ lts.State) bool {
		return silent(g.nodes[from]) != nil
	}
	for inner := range abort.Must(search.Components(component, isSilentStep)) {
		for _, i := range inner {
			g.nodes[i].hollow[hollowIndex(continues)] = g.isCycle(inner, silent)
		}
	}
}

// isCycle reports whether a strongly connected component has a cycle.
func (g *grapher) isCycle(component []lts.State, next func(*node) []*node) bool {
	n := g.nodes[component[0]]
	return len(component) > 1 || slices.Contains(next(n), n)
}

// breakpoint is a state of the automaton, by the breakpoint construction of Miyano and Hayashi
// (Alternating Finite Automata on ω-Words, 1984): the set of required boxes and, as a subset, the
// waiting boxes that are left since this subset was last empty. The universal half of the construction
// is enough, because states demand only conjunctions.
type breakpoint struct {
	required, waiting []*node
	lost, stops       bool
}

// key is the same for equal breakpoints only.
func (p *breakpoint) key() string {
	numbers := func(boxes []*node) (all []int) {
		for _, b := range boxes {
			all = append(all, b.number)
		}
		return all
	}
	return fmt.Sprint(p.lost, p.stops, numbers(p.required), numbers(p.waiting))
}

// successor returns the successor for a letter, and the colours of the transition. holding reports
// for each atom whether the letter satisfies it.
func (p *breakpoint) successor(holding []bool) (to *breakpoint, marks property.Marks) {
	if p.lost {
		return &breakpoint{lost: true}, 0
	}
	to = newBreakpoint(requiredAfter(p.required, holding))
	if to.lost {
		return to, 0
	}
	// The next waiting boxes are those among the successors of the ones that wait now. If none waits, a new
	// round begins with all required boxes.
	descendants := to.required
	if len(p.waiting) > 0 {
		descendants = newBreakpoint(requiredAfter(p.waiting, holding)).required
	}
	to.waiting = slices.DeleteFunc(slices.Clone(descendants), func(b *node) bool {
		return !b.waits
	})
	if len(to.waiting) == 0 {
		marks = property.Mark(0)
	}
	return to, marks
}

// requiredAfter returns the nodes that boxes require after a letter, given the atoms that hold of it.
func requiredAfter(boxes []*node, holding []bool) (nodes []*node) {
	for _, b := range boxes {
		if b.action.Holds(func(atom int) bool { return holding[atom] }, false) {
			nodes = append(nodes, b.parts[0])
		}
	}
	return nodes
}

// newBreakpoint returns the state for the nodes that a run must satisfy: the boxes to which they reduce if
// the run continues, whether the run cannot continue, and whether it may stop. No box is waiting.
func newBreakpoint(nodes []*node) *breakpoint {
	required, continues := demanded(nodes, true)
	_, stops := demanded(nodes, false)
	if !continues {
		return &breakpoint{lost: true, stops: stops}
	}
	slices.SortFunc(required, func(a, b *node) int {
		return a.number - b.number
	})
	return &breakpoint{required: required, stops: stops}
}

// demanded returns the boxes to which nodes reduce for a run that continues, or for one that stops, and
// whether such a run is possible.
func demanded(nodes []*node, continues bool) (boxes []*node, isPossible bool) {
	isPossible = true
	seen := map[*node]bool{}
	pending := slices.Clone(nodes)
	for len(pending) > 0 {
		n := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		switch {
		case n.nature == never, n.nature == alive && !continues, n.hollow[hollowIndex(continues)]:
			isPossible = false
		case n.nature == box:
			boxes = append(boxes, n)
		default:
			pending = append(pending, n.silent(continues)...)
		}
	}
	return boxes, isPossible
}
