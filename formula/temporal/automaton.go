package temporal

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
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

// constant returns the automaton that accepts everything, or nothing.
func constant(letters int, accepts bool) *automaton {
	a := &automaton{letters: letters, next: make([]uint32, letters), marks: make([]property.Marks, letters), stop: []bool{accepts}, of: [][]form{nil}}
	if !accepts {
		a.accept = property.Never()
	}
	return a
}

// combine returns the automaton of a condition over operands: its states are
// tuples of their states. letterOf[i] maps the letters to those of operand i.
func combine(ctx context.Context, c condition, operands []*automaton, letterOf [][]int, letters int) *automaton {
	switch {
	case c.op == TrueOp || c.op == FalseOp:
		return constant(letters, c.op == TrueOp)
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
	return p.explore(ctx, letters)
}

// colours returns one more than the largest colour of a condition.
func colours(a property.Acceptance) int {
	all, _ := a.Colours()
	n := 0
	for c := range property.Colours {
		if all.Has(c) {
			n = c + 1
		}
	}
	return n
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

func (p *combination) explore(ctx context.Context, letters int) *automaton {
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
