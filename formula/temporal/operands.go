package temporal

import "github.com/inev-lts/inev/internal/keyed"

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
