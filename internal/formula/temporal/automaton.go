package temporal

import (
	"context"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/property"
)

// automaton is a deterministic automaton.
type automaton struct {
	property.Automaton
	demands [][]form // for each state and operand, the formulas that must hold
}

// irrelevant replaces the state of an operand that no longer matters.
const irrelevant = ^property.Q(0)

// combine returns the automaton of a condition over operands. Its states are tuples with a state of
// each operand. letterOf[i] maps each letter to the letter of operand i.
func combine(
	ctx context.Context,
	c *Formula,
	operands []*automaton,
	letterOf [][]int,
	columns int,
) *automaton {
	isFirstOperand := c.op == AtomOp && c.atom == 0
	if isFirstOperand && operands[0].Columns == columns {
		return operands[0]
	}
	x := &combination{
		ctx:       ctx,
		condition: c,
		operands:  operands,
		letterOf:  letterOf,
		columns:   columns,
	}
	initial := make([]property.Q, len(operands))
	allColours := 0
	for i, o := range operands {
		x.firstColour = append(x.firstColour, allColours)
		allColours += colours(o.Acceptance)
		initial[i] = o.Initial
	}
	if allColours > property.Colours {
		abort.On(&BudgetError{What: "colours", Most: property.Colours})
	}
	a := &automaton{Automaton: property.Automaton{Columns: columns, Acceptance: x.acceptance()}}
	successor := func(from []property.Q, letter int) []property.Q {
		to, marks := x.successor(from, letter)
		a.Marks = append(a.Marks, marks)
		return to
	}
	var tuples [][]property.Q
	x.markIrrelevant(initial)
	tuples, a.Next = explore(initial, columns, keyOfTuple, x.check, successor)
	for _, tuple := range tuples {
		meanings := make([]form, len(tuple))
		for i := range tuple {
			meanings[i] = x.meaning(tuple, i)
		}
		a.demands = append(a.demands, meanings)
		a.Stop = append(a.Stop, x.acceptsStop(tuple))
	}
	return a
}

// combination explores the automaton of a condition over operands. The states of this automaton are
// tuples with a state of each operand.
type combination struct {
	ctx         context.Context
	condition   *Formula
	operands    []*automaton
	letterOf    [][]int // for each operand, its letter by letter
	columns     int
	firstColour []int // the first colour of each operand
}

// keyOfTuple returns a text that only equal tuples share.
func keyOfTuple(tuple []property.Q) string {
	var key []byte
	for _, q := range tuple {
		key = binary.LittleEndian.AppendUint32(key, uint32(q))
	}
	return string(key)
}

// meaning returns the formula that operand i demands in a tuple; falsum if the operand is irrelevant.
func (x *combination) meaning(tuple []property.Q, i int) form {
	if tuple[i] == irrelevant {
		return falsum
	}
	return x.operands[i].demands[tuple[i]][0]
}

// isDecided reports whether an operand is true or false whatever comes next. An operand that has been
// marked as irrelevant is not decided.
func (x *combination) isDecided(tuple []property.Q, i int) bool {
	if tuple[i] == irrelevant {
		return false
	}
	demand := x.meaning(tuple, i)
	return demand == falsum || demand == verum
}

// markIrrelevant marks the operands of a tuple that are not decided as irrelevant, if the decided ones
// determine the condition.
func (x *combination) markIrrelevant(tuple []property.Q) {
	// holdsIf reports whether the condition holds if all literals that are not decided have this value.
	holdsIf := func(value bool) bool {
		return x.condition.Holds(func(literal int) bool {
			i := operandOf(literal)
			if !x.isDecided(tuple, i) {
				return value
			}
			return (x.meaning(tuple, i) == verum) != isNegative(literal)
		}, false)
	}
	isDetermined := holdsIf(false) == holdsIf(true)
	if !isDetermined {
		return
	}
	for i := range tuple {
		if !x.isDecided(tuple, i) {
			tuple[i] = irrelevant
		}
	}
}

// acceptance returns the condition on the colours of the combination.
func (x *combination) acceptance() property.Acceptance {
	return evaluated(x.condition, func(literal int) property.Acceptance {
		i := operandOf(literal)
		accept := shifted(x.operands[i].Acceptance, x.firstColour[i])
		if isNegative(literal) {
			return accept.Not()
		}
		return accept
	}, property.All, property.Any)
}

// check fails if the automaton becomes too large, or if the context is done.
func (x *combination) check(q, states int) {
	abort.On(x.ctx.Err())
	if q*x.columns > maxTransitions {
		abort.On(&BudgetError{What: "transitions", Most: maxTransitions})
	}
	if states > property.MaxStates {
		abort.On(&BudgetError{What: "states", Most: property.MaxStates})
	}
}

// successor returns the successor of a tuple for a letter, and the colours of the transition.
func (x *combination) successor(from []property.Q, letter int) ([]property.Q, property.Marks) {
	to := slices.Clone(from)
	var marks property.Marks
	for i, o := range x.operands {
		if from[i] != irrelevant {
			transition := int(from[i])*o.Columns + x.letterOf[i][letter]
			to[i] = o.Next[transition]
			marks |= o.Marks[transition] << uint(x.firstColour[i])
		}
	}
	x.markIrrelevant(to)
	return to, marks
}

// acceptsStop reports whether a run that ends in a tuple is accepted.
func (x *combination) acceptsStop(tuple []property.Q) bool {
	return x.condition.Holds(func(literal int) bool {
		i := operandOf(literal)
		q := tuple[i]
		return q != irrelevant && x.operands[i].Stop[q] != isNegative(literal)
	}, false)
}

// colours returns the largest colour of a condition plus one.
func colours(a property.Acceptance) int {
	all, _ := a.Colours()
	return bits.Len64(uint64(all))
}

// shifted returns a condition with the same number added to each of its colours.
func shifted(a property.Acceptance, by int) property.Acceptance {
	return a.Renumbered(func(c int) int { return c + by })
}

// operands are the maximal subformulas below the outermost Boolean operators of a formula, each once. A
// subformula and its negation share an index. The Boolean structure above them is a formula without
// negations, the condition. Its atoms are literals, see [literalOf].
type operands struct {
	s        *space
	forms    []form
	literals map[form]int // the literal that means a form
	size     int          // the size of the combination
}

// literalOf returns the literal that demands operand i.
func literalOf(i int) int { return 2 * i }

// negationOf returns the literal that demands the negation of the same operand.
func negationOf(literal int) int { return literal ^ 1 }

func operandOf(literal int) int { return literal / 2 }

func isNegative(literal int) bool { return literal%2 != 0 }

// evaluated returns the value of a condition, given the values of its literals.
func evaluated[T any](c *Formula, literal func(int) T, all, some func(...T) T) T {
	if c.op == AtomOp {
		return literal(c.atom)
	}
	values := make([]T, len(c.parts))
	for i, p := range c.parts {
		values[i] = evaluated(p, literal, all, some)
	}
	if c.op == AndOp || c.op == TrueOp {
		return all(values...)
	}
	return some(values...)
}

// maxSize is the largest number of subformulas that split visits. The limit is needed because
// equivalences double their operands.
const maxSize = 1 << 14

// signed is a formula, or its negation.
type signed struct {
	formula   *Formula
	isNegated bool
}

// negation returns the negation.
func (g signed) negation() signed { return signed{formula: g.formula, isNegated: !g.isNegated} }

// like returns f if g is a formula, and the negation of f if g is a negation.
func (g signed) like(f *Formula) signed { return signed{formula: f, isNegated: g.isNegated} }

// isConjunction reports whether a conjunction or disjunction, or its negation, is a conjunction of the parts,
// or of their negations.
func (g signed) isConjunction() bool { return (g.formula.op == AndOp) != g.isNegated }

// implication returns a -> b as a disjunction.
func implication(a, b *Formula) *Formula { return build(OrOp, Not(a), b) }

// split returns a formula, or its negation, as a condition over operands. It distributes G over
// conjunctions, and F over disjunctions.
func (o *operands) split(g signed) *Formula {
	o.size++
	if o.size > maxSize {
		abort.On(&BudgetError{What: "operands", Most: maxSize})
	}
	f := g.formula
	switch f.op {
	case NotOp:
		return o.split(g.like(f.parts[0]).negation())
	case AndOp, OrOp:
		return o.splitJoined(g)
	case ImpliesOp:
		return o.splitJoined(g.like(implication(f.parts[0], f.parts[1])))
	case IffOp:
		a := f.parts[0]
		b := f.parts[1]
		return o.splitJoined(g.like(build(OrOp, And(a, b), And(Not(a), Not(b)))))
	case AlwaysOp, EventuallyOp:
		parts := distributed(f.op, signed{formula: f.parts[0]})
		if parts != nil {
			joinOf := map[Operator]Operator{AlwaysOp: AndOp, EventuallyOp: OrOp}
			return o.splitJoined(g.like(build(joinOf[f.op], parts...)))
		}
	}
	return o.literal(g)
}

// literal returns a formula that is not split, or its negation: as a literal, or as a constant.
func (o *operands) literal(g signed) *Formula {
	f := o.s.normal(g)
	switch f {
	case falsum:
		return False()
	case verum:
		return True()
	}
	literal, known := o.literals[f]
	if !known {
		literal = literalOf(len(o.forms))
		o.forms = append(o.forms, f)
		o.literals[f] = literal
		o.literals[o.s.normal(g.negation())] = negationOf(literal)
	}
	return Atom(literal)
}

// distributed returns the formulas op p for the parts p of an operand, if the operator, G or F, can be
// distributed over these parts; nil otherwise.
func distributed(op Operator, operand signed) (all []*Formula) {
	f := operand.formula
	overConjunctions := (op == AlwaysOp) != operand.isNegated // otherwise over disjunctions
	parts := f.parts
	switch {
	case f.op == NotOp:
		return distributed(op, operand.like(f.parts[0]).negation())
	case f.op == AndOp && overConjunctions, f.op == OrOp && !overConjunctions:
	case f.op == ImpliesOp && !overConjunctions:
		parts = implication(f.parts[0], f.parts[1]).parts
	default:
		return nil
	}
	for _, p := range parts {
		if operand.isNegated {
			p = Not(p)
		}
		all = append(all, build(op, p))
	}
	return all
}

// splitJoined splits each part of a conjunction or disjunction, and joins the results. It stops at the first
// part that decides the whole.
func (o *operands) splitJoined(g signed) *Formula {
	join := Any
	decisive := TrueOp
	if g.isConjunction() {
		join = All
		decisive = FalseOp
	}
	var all []*Formula
	for _, p := range g.formula.parts {
		part := o.split(g.like(p))
		if part.op == decisive {
			return part
		}
		all = append(all, part)
	}
	return join(all...)
}

// normal returns a formula, or its negation, in negation normal form. Cost O(size), and the cost of
// Boolean operations on forms.
func (s *space) normal(g signed) form {
	normal, known := s.normals[g]
	if !known {
		normal = s.normalise(g)
		s.normals[g] = normal
	}
	return normal
}

// normalise computes a normal form that [space.normal] has not stored yet.
func (s *space) normalise(g signed) form {
	f := g.formula
	switch f.op {
	case TrueOp, FalseOp, AtomOp, DeadlockOp:
		return s.literal(g)
	case NotOp:
		return s.normal(g.like(f.parts[0]).negation())
	case NextOp:
		return s.single(node{kind: next, a: s.normal(g.like(f.parts[0]))})
	case EventuallyOp, AlwaysOp:
		a := s.normal(g.like(f.parts[0]))
		if (f.op == EventuallyOp) != g.isNegated {
			return s.eventually(a)
		}
		return s.always(a)
	case AndOp, OrOp:
		return s.joined(g)
	case ImpliesOp:
		return s.joined(g.like(implication(f.parts[0], f.parts[1])))
	case IffOp:
		return s.equivalence(g)
	default:
		return s.binary(g)
	}
}

// literal returns the normal form of a constant, an atom or the deadlock, or of its negation.
func (s *space) literal(g signed) form {
	f := g.formula
	if f.op == TrueOp || f.op == FalseOp {
		if (f.op == TrueOp) != g.isNegated {
			return verum
		}
		return falsum
	}
	n := node{kind: positive, atom: f.atom}
	if f.op == DeadlockOp {
		n.atom = len(s.letters[0]) - 1 // the atom that is true of the deadlock only
	}
	if g.isNegated {
		n.kind = negative
	}
	return s.single(n)
}

// equivalence returns the normal form of a <-> b, or of its negation, a <-> !b.
func (s *space) equivalence(g signed) form {
	a := signed{formula: g.formula.parts[0]}
	b := g.like(g.formula.parts[1])
	both := s.and(s.normal(a), s.normal(b))
	neither := s.and(s.normal(a.negation()), s.normal(b.negation()))
	return s.or(both, neither)
}

// binary returns the normal form of a temporal operator with two operands, or of its negation.
func (s *space) binary(g signed) form {
	f := g.formula
	n := node{
		kind: binaryKinds[f.op],
		a:    s.normal(g.like(f.parts[0])),
		b:    s.normal(g.like(f.parts[1])),
	}
	if g.isNegated {
		n.kind = dualKinds[n.kind]
	}
	return s.single(n)
}

// binaryKinds are the kinds of nodes for binary operators.
var binaryKinds = map[Operator]kind{
	UntilOp:     until,
	WeakUntilOp: weak,
	ReleaseOp:   release,
	StrongOp:    strong,
}

// dualKinds maps the kind of a node to the kind of its negation. The parts of the negation are the
// negated parts.
var dualKinds = [...]kind{
	positive: negative,
	negative: positive,
	next:     next,
	until:    release,
	release:  until,
	weak:     strong,
	strong:   weak,
}

// joined returns the normal form of a conjunction or disjunction, or of its negation.
func (s *space) joined(g signed) form {
	join := s.or
	f := falsum
	if g.isConjunction() {
		join = s.and
		f = verum
	}
	for _, p := range g.formula.parts {
		f = join(f, s.normal(g.like(p)))
	}
	return f
}

// explore returns the states that are reachable from first in the order of their numbers, and the
// successor of each state for each letter. States with the same key are the same state. Before it explores
// a state, explore calls check with the number of this state and the number of states found so far.
func explore[K comparable, S any](
	first S,
	letters int,
	key func(S) K,
	check func(state, states int),
	successor func(from S, letter int) S,
) ([]S, []property.Q) {
	var next []property.Q
	var states intern.List[K, S]
	states.Index(key(first), first)
	for i := 0; i < len(states.All); i++ {
		check(i, len(states.All))
		for letter := range letters {
			to := successor(states.All[i], letter)
			next = append(next, property.Q(states.Index(key(to), to)))
		}
	}
	return states.All, next
}
