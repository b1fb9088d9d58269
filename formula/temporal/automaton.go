package temporal

import (
	"context"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/property"
)

// automaton is a deterministic automaton with marks. The successor of state q for
// letter i is next[q·letters+i].
type automaton struct {
	letters int
	next    []uint32
	marks   []property.Marks
	accept  property.Acceptance
	stop    []bool
	of      [][]form // for each operand, the formulas that must hold
	initial uint32
}

func (a *automaton) states() int { return len(a.of) }

// table returns the automaton as a property's, without letters of labels.
func (a *automaton) table() property.Automaton {
	t := property.Automaton{Columns: a.letters, Marks: a.marks, Initial: property.Q(a.initial), Acceptance: a.accept, Stop: a.stop}
	for _, to := range a.next {
		t.Next = append(t.Next, property.Q(to))
	}
	return t
}

// combine returns the automaton of a condition over operands: its states are
// tuples of their states. letterOf[i] maps the letters to those of operand i.
func combine(ctx context.Context, c condition, operands []*automaton, letterOf [][]int, letters int) *automaton {
	switch {
	case c.op == TrueOp || c.op == FalseOp:
		a := &automaton{letters: letters, next: make([]uint32, letters), marks: make([]property.Marks, letters), of: [][]form{nil}}
		if a.stop = []bool{c.op == TrueOp}; !a.stop[0] {
			a.accept = property.Never()
		}
		return a
	case c.op == AtomOp && !c.negative && operands[0].letters == letters:
		return operands[0]
	}
	p := &combination{c: c, operands: operands, letterOf: letterOf, number: map[string]uint32{}}
	p.shift = make([]int, len(operands)+1)
	for i, o := range operands {
		p.shift[i+1] = p.shift[i] + colours(o.accept)
	}
	if p.shift[len(operands)] > property.Colours {
		abort.On(&BudgetError{What: "colours", Most: property.Colours})
	}
	p.a = &automaton{letters: letters, accept: p.acceptance(p.c)}
	begin := make([]uint32, len(p.operands))
	for i, o := range p.operands {
		begin[i] = o.initial
	}
	p.state(begin)
	for q := 0; q < len(p.tuples); q++ {
		abort.On(ctx.Err())
		if q*letters > maxTransitions {
			abort.On(&BudgetError{What: "transitions", Most: maxTransitions})
		}
		if len(p.tuples) > property.MaxStates {
			abort.On(&BudgetError{What: "states", Most: property.MaxStates})
		}
		for letter := range letters {
			to := make([]uint32, len(p.operands))
			var marks property.Marks
			for i, o := range p.operands {
				if to[i] = p.tuples[q][i]; to[i] != nowhere {
					at := int(to[i])*o.letters + p.letterOf[i][letter]
					to[i] = o.next[at]
					marks |= o.marks[at] << uint(p.shift[i])
				}
			}
			p.a.next = append(p.a.next, p.state(to))
			p.a.marks = append(p.a.marks, marks)
		}
	}
	return p.a
}

// colours returns one more than the largest colour of a condition.
func colours(a property.Acceptance) int {
	all, _ := a.Colours()
	return bits.Len64(uint64(all))
}

type combination struct {
	c        condition
	operands []*automaton
	letterOf [][]int
	shift    []int // of the colours of each operand
	number   map[string]uint32
	tuples   [][]uint32
	a        *automaton
}

// nowhere is the state of an operand that no longer matters.
const nowhere = ^uint32(0)

// state returns the number of a tuple, a new one if the tuple is new.
func (p *combination) state(tuple []uint32) uint32 {
	of := make([]form, len(tuple))
	for i, q := range tuple {
		if q != nowhere {
			of[i] = p.operands[i].of[q][0]
		}
	}
	if p.decided(p.c, tuple, of) != openOp {
		for i := range tuple {
			if of[i] > verum {
				tuple[i], of[i] = nowhere, falsum
			}
		}
	}
	var key []byte
	for _, q := range tuple {
		key = binary.LittleEndian.AppendUint32(key, q)
	}
	if q, known := p.number[string(key)]; known {
		return q
	}
	q := uint32(len(p.tuples))
	p.number[string(key)] = q
	p.tuples = append(p.tuples, tuple)
	p.a.of = append(p.a.of, of)
	p.a.stop = append(p.a.stop, p.stops(p.c, tuple))
	return q
}

// openOp is the value of a condition that is neither true nor false yet.
const openOp = AtomOp

// decided returns the value of a condition: TrueOp or FalseOp if the operands
// decided so far determine it, otherwise openOp.
func (p *combination) decided(c condition, tuple []uint32, of []form) Operator {
	switch c.op {
	case TrueOp, FalseOp:
		return c.op
	case AtomOp:
		switch f := of[c.operand]; {
		case tuple[c.operand] == nowhere || f > verum:
			return openOp
		case (f == verum) != c.negative:
			return TrueOp
		}
		return FalseOp
	}
	decisive, result := FalseOp, TrueOp
	if c.op == OrOp {
		decisive, result = TrueOp, FalseOp
	}
	for _, part := range c.parts {
		switch p.decided(part, tuple, of) {
		case decisive:
			return decisive
		case openOp:
			result = openOp
		}
	}
	return result
}

// acceptance returns the condition on colours.
func (p *combination) acceptance(c condition) property.Acceptance {
	switch c.op {
	case TrueOp:
		return property.Always()
	case FalseOp:
		return property.Never()
	case AtomOp:
		a := shifted(p.operands[c.operand].accept, p.shift[c.operand])
		if c.negative {
			return a.Not()
		}
		return a
	}
	var parts []property.Acceptance
	for _, part := range c.parts {
		parts = append(parts, p.acceptance(part))
	}
	if c.op == AndOp {
		return property.All(parts...)
	}
	return property.Any(parts...)
}

// shifted returns a condition with the same number added to each of its colours.
func shifted(a property.Acceptance, by int) property.Acceptance {
	return a.Renumbered(func(c int) int { return c + by })
}

// stops reports whether a run that stops in a tuple is accepted.
func (p *combination) stops(c condition, tuple []uint32) bool {
	switch c.op {
	case AtomOp:
		q := tuple[c.operand]
		return q != nowhere && p.operands[c.operand].stop[q] != c.negative
	case AndOp:
		return !slices.ContainsFunc(c.parts, func(part condition) bool { return !p.stops(part, tuple) })
	case OrOp:
		return slices.ContainsFunc(c.parts, func(part condition) bool { return p.stops(part, tuple) })
	}
	return c.op == TrueOp
}

// condition is the Boolean structure at the top of a formula: a combination of
// operands.
type condition struct {
	op       Operator // True, False, And, Or, or Atom for an operand
	operand  int
	negative bool // whether the complement of the operand is meant
	parts    []condition
}

// operands are the maximal subformulas below the outermost Boolean operators of a
// formula, each once; a subformula and its negation share an index.
type operands struct {
	s           *space
	forms       []form
	conditionOf map[form]condition
	size        int // the size of the combination
}

// maxSize is the largest size of a combination of operands, because equivalences
// double the size.
const maxSize = 1 << 14

// split returns a formula, or its negation, as a combination of operands. G is
// distributed over conjunctions, and F over disjunctions.
func (o *operands) split(f *Formula, negated bool) condition {
	if o.size++; o.size > maxSize {
		o.s.fail(&BudgetError{What: "operands", Most: maxSize})
	}
	if o.s.err != nil {
		return condition{op: FalseOp}
	}
	switch f.op {
	case NotOp:
		return o.split(f.parts[0], !negated)
	case AndOp, OrOp:
		return o.spread(f.op, f.parts, negated, func(p *Formula, negated bool) condition { return o.split(p, negated) })
	case ImpliesOp:
		return o.spread(OrOp, []*Formula{Not(f.parts[0]), f.parts[1]}, negated, o.split)
	case IffOp:
		a, b := f.parts[0], f.parts[1]
		return o.spread(OrOp, []*Formula{And(a, b), And(Not(a), Not(b))}, negated, o.split)
	case AlwaysOp, EventuallyOp:
		if parts, is := spreads(f.op, f.parts[0], false); is {
			over := map[Operator]Operator{AlwaysOp: AndOp, EventuallyOp: OrOp}[f.op]
			return o.spread(over, parts, negated, func(p *Formula, negated bool) condition {
				return o.split(build(f.op, p), negated)
			})
		}
	}
	return o.operand(f, negated)
}

// spreads returns the parts over which G or F can be distributed; false if there
// are none.
func spreads(op Operator, f *Formula, negated bool) ([]*Formula, bool) {
	conjunction := (op == AlwaysOp) != negated
	switch {
	case f.op == NotOp:
		return spreads(op, f.parts[0], !negated)
	case f.op == AndOp && conjunction, f.op == OrOp && !conjunction:
		return negations(f.parts, negated), true
	case f.op == ImpliesOp && !conjunction:
		return negations([]*Formula{Not(f.parts[0]), f.parts[1]}, negated), true
	}
	return nil, false
}

func negations(all []*Formula, negated bool) []*Formula {
	if !negated {
		return all
	}
	var other []*Formula
	for _, f := range all {
		other = append(other, Not(f))
	}
	return other
}

func (o *operands) spread(op Operator, parts []*Formula, negated bool, split func(*Formula, bool) condition) condition {
	c := condition{op: op}
	if negated {
		c.op = map[Operator]Operator{AndOp: OrOp, OrOp: AndOp}[op]
	}
	neutral, decisive := TrueOp, FalseOp
	if c.op == OrOp {
		neutral, decisive = FalseOp, TrueOp
	}
	for _, p := range parts {
		switch part := split(p, negated); part.op {
		case neutral:
		case decisive:
			return condition{op: decisive}
		default:
			c.parts = append(c.parts, part)
		}
	}
	switch len(c.parts) {
	case 0:
		return condition{op: neutral}
	case 1:
		return c.parts[0]
	}
	return c
}

// operand returns the index of a formula, a new one if the formula is new.
func (o *operands) operand(f *Formula, negated bool) condition {
	g := o.s.normal(f, negated)
	switch g {
	case falsum:
		return condition{op: FalseOp}
	case verum:
		return condition{op: TrueOp}
	}
	if c, known := o.conditionOf[g]; known {
		return c
	}
	c := condition{op: AtomOp, operand: len(o.forms)}
	o.forms = append(o.forms, g)
	o.conditionOf[g] = c
	c.negative = true
	o.conditionOf[o.s.normal(f, !negated)] = c
	c.negative = false
	return c
}

// used returns a condition whose operands are numbered without gaps, and lists
// their forms.
func (o *operands) used(c condition, forms *keyed.List[int, form]) condition {
	if c.op == AtomOp {
		c.operand = forms.Index(c.operand, o.forms[c.operand])
		return c
	}
	parts := make([]condition, len(c.parts))
	for i, part := range c.parts {
		parts[i] = o.used(part, forms)
	}
	c.parts = parts
	return c
}

// normal returns a formula, or its negation, in negation normal form. Cost
// O(size), and the cost of its Boolean combinations.
func (s *space) normal(f *Formula, negated bool) form {
	if s.err != nil {
		return falsum
	}
	key := polar{f, negated}
	g, known := s.normals[key]
	if !known {
		g = s.normalise(f, negated)
		s.normals[key] = g
	}
	return g
}

// polar is a formula, or its negation.
type polar struct {
	f       *Formula
	negated bool
}

func (s *space) normalise(f *Formula, negated bool) form {
	switch f.op {
	case TrueOp, FalseOp:
		if (f.op == TrueOp) != negated {
			return verum
		}
		return falsum
	case AtomOp, DeadlockOp:
		n := node{kind: positive, atom: f.atom}
		if f.op == DeadlockOp {
			n.atom = len(s.letters[0]) - 1
		}
		if negated {
			n.kind = negative
		}
		return s.of(n)
	case NotOp:
		return s.normal(f.parts[0], !negated)
	case NextOp:
		return s.of(node{kind: next, a: s.normal(f.parts[0], negated)})
	case EventuallyOp, AlwaysOp:
		a := s.normal(f.parts[0], negated)
		if (f.op == EventuallyOp) != negated {
			return s.eventually(a)
		}
		return s.always(a)
	case AndOp, OrOp:
		return s.fold(f.parts, negated, (f.op == AndOp) != negated)
	case ImpliesOp:
		return s.fold([]*Formula{Not(f.parts[0]), f.parts[1]}, negated, negated)
	case IffOp:
		a, b := f.parts[0], f.parts[1]
		same := s.conj(s.normal(a, false), s.normal(b, negated))
		return s.or(same, s.conj(s.normal(a, true), s.normal(b, !negated)))
	}
	kinds := map[Operator][2]kind{UntilOp: {until, release}, WeakUntilOp: {weak, strong}, ReleaseOp: {release, until}, StrongOp: {strong, weak}}[f.op]
	a, b := s.normal(f.parts[0], negated), s.normal(f.parts[1], negated)
	if negated {
		return s.of(node{kind: kinds[1], a: a, b: b})
	}
	return s.of(node{kind: kinds[0], a: a, b: b})
}

func (s *space) fold(parts []*Formula, negated, conjunction bool) form {
	f := falsum
	if conjunction {
		f = verum
	}
	for _, p := range parts {
		if g := s.normal(p, negated); conjunction {
			f = s.conj(f, g)
		} else {
			f = s.or(f, g)
		}
	}
	return f
}
