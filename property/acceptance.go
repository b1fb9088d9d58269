package property

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Colours is the number of colours that marks can have.
const Colours = 64

// Marks is a set of colours: bit c is set where colour c is in it.
type Marks uint64

// Has reports whether colour c is in the set.
func (m Marks) Has(c int) bool { return m>>uint(c)&1 != 0 }

// Mark returns the set of these colours, each from 0 to [Colours]-1.
func Mark(colours ...int) Marks {
	var m Marks
	for _, c := range colours {
		m |= 1 << uint(c)
	}
	return m
}

// Operator is the outermost operator of an [Acceptance].
type Operator uint8

// The operators of conditions.
const (
	True  Operator = iota // every run is accepted
	False                 // no run is accepted
	InfOp                 // the colour recurs forever
	FinOp                 // the colour occurs finitely often
	AndOp                 // all parts hold
	OrOp                  // some part holds
)

// Acceptance is a condition of Emerson and Lei on the colours that an infinite run
// meets infinitely often: a Boolean combination, without negation, of Inf and Fin.
// The zero value is true. It is immutable.
type Acceptance struct {
	op     Operator
	colour int
	parts  []Acceptance
}

// Inf returns the condition that colour c is met infinitely often.
func Inf(c int) Acceptance { return Acceptance{op: InfOp, colour: c} }

// Fin returns the condition that colour c is met finitely often.
func Fin(c int) Acceptance { return Acceptance{op: FinOp, colour: c} }

// Always returns the condition that holds of every run.
func Always() Acceptance { return Acceptance{} }

// Never returns the condition that holds of no run.
func Never() Acceptance { return Acceptance{op: False} }

// All returns the conjunction of these conditions, flattened and simplified: true
// if there are none.
func All(parts ...Acceptance) Acceptance { return join(AndOp, True, False, parts) }

// Any returns the disjunction of these conditions, flattened and simplified:
// false if there are none.
func Any(parts ...Acceptance) Acceptance { return join(OrOp, False, True, parts) }

// join combines parts by op; a neutral part is left out, and a decisive part is
// the result.
func join(op, neutral, decisive Operator, parts []Acceptance) Acceptance {
	flat := make([]Acceptance, 0, len(parts))
	for _, p := range parts {
		switch p.op {
		case neutral:
		case decisive:
			return p
		case op:
			flat = append(flat, p.parts...)
		default:
			flat = append(flat, p)
		}
	}
	switch len(flat) {
	case 0:
		return Acceptance{op: neutral}
	case 1:
		return flat[0]
	}
	return Acceptance{op: op, parts: flat}
}

// Operator returns the outermost operator of the condition.
func (a Acceptance) Operator() Operator { return a.op }

// Colour returns the colour of Inf or Fin; 0 otherwise.
func (a Acceptance) Colour() int { return a.colour }

// Parts returns the parts of a conjunction or disjunction; nil otherwise. The
// slice belongs to the condition and must not be changed.
func (a Acceptance) Parts() []Acceptance { return a.parts }

// Not returns the complement: Inf becomes Fin, and becomes or, true becomes
// false, and vice versa. Cost O(size).
func (a Acceptance) Not() Acceptance {
	opposite := [...]Operator{
		True:  False,
		False: True,
		InfOp: FinOp,
		FinOp: InfOp,
		AndOp: OrOp,
		OrOp:  AndOp,
	}
	n := Acceptance{op: opposite[a.op], colour: a.colour}
	for _, p := range a.parts {
		n.parts = append(n.parts, p.Not())
	}
	return n
}

// Holds reports whether a run that meets the colours of m infinitely often, and no others, is
// accepted. Cost O(size).
func (a Acceptance) Holds(m Marks) bool {
	switch a.op {
	case True:
		return true
	case InfOp:
		return m.Has(a.colour)
	case FinOp:
		return !m.Has(a.colour)
	case AndOp:
		for _, p := range a.parts {
			if !p.Holds(m) {
				return false
			}
		}
		return true
	case OrOp:
		for _, p := range a.parts {
			if p.Holds(m) {
				return true
			}
		}
	}
	return false
}

// Within simplifies the condition for runs that meet only colours of m: for any other colour, Inf
// becomes false, and Fin true. Cost O(size).
func (a Acceptance) Within(m Marks) Acceptance {
	return a.replace(func(leaf Acceptance) Acceptance {
		switch {
		case m.Has(leaf.colour):
			return leaf
		case leaf.op == InfOp:
			return Never()
		}
		return Always()
	})
}

// Assume simplifies the condition under the assumption that Fin(c) is true, or
// that it is false. If it is true, Inf(c) is false; if it is false, Inf(c) stays,
// since c must still be met. Cost O(size).
func (a Acceptance) Assume(c int, fin bool) Acceptance {
	return a.replace(func(leaf Acceptance) Acceptance {
		switch {
		case leaf.colour != c:
			return leaf
		case leaf.op == FinOp && fin:
			return Always()
		case leaf.op == FinOp || fin:
			return Never()
		}
		return leaf
	})
}

// Renumbered returns the condition with other numbers for its colours. Cost
// O(size).
func (a Acceptance) Renumbered(number func(colour int) int) Acceptance {
	return a.replace(func(leaf Acceptance) Acceptance {
		leaf.colour = number(leaf.colour)
		return leaf
	})
}

// replace returns the condition with each Inf and Fin replaced by the result of
// leaf.
func (a Acceptance) replace(leaf func(Acceptance) Acceptance) Acceptance {
	switch a.op {
	case InfOp, FinOp:
		return leaf(a)
	case AndOp, OrOp:
		parts := make([]Acceptance, len(a.parts))
		for i, p := range a.parts {
			parts[i] = p.replace(leaf)
		}
		if a.op == AndOp {
			return All(parts...)
		}
		return Any(parts...)
	}
	return a
}

// Colours returns the colours that the condition mentions, and those mentioned in
// a Fin. Cost O(size).
func (a Acceptance) Colours() (all, fin Marks) {
	switch a.op {
	case FinOp:
		return Mark(a.colour), Mark(a.colour)
	case InfOp:
		return Mark(a.colour), 0
	}
	for _, p := range a.parts {
		more, moreFin := p.Colours()
		all |= more
		fin |= moreFin
	}
	return all, fin
}

// String returns the condition as the header of a HOA file has it: Inf(0)&Fin(1),
// t and f. Cost O(length of the text).
func (a Acceptance) String() string {
	switch a.op {
	case True:
		return "t"
	case False:
		return "f"
	case InfOp:
		return "Inf(" + strconv.Itoa(a.colour) + ")"
	case FinOp:
		return "Fin(" + strconv.Itoa(a.colour) + ")"
	}
	texts := make([]string, len(a.parts))
	for i, p := range a.parts {
		texts[i] = p.String()
		if p.op == OrOp && a.op == AndOp {
			texts[i] = "(" + texts[i] + ")"
		}
	}
	if a.op == AndOp {
		return strings.Join(texts, "&")
	}
	return strings.Join(texts, "|")
}

// check returns an error if a colour is not in 0 to [Colours]-1.
func (a Acceptance) check() error {
	if (a.op == InfOp || a.op == FinOp) && (a.colour < 0 || a.colour >= Colours) {
		return fmt.Errorf("property: the acceptance condition has colour %d, and colours are 0 to %d", a.colour, Colours-1)
	}
	for _, p := range a.parts {
		if err := p.check(); err != nil {
			return err
		}
	}
	return nil
}

// All yields the colours in the set, in increasing order.
func (m Marks) All(yield func(colour int) bool) {
	for rest := uint64(m); rest != 0; rest &= rest - 1 { // without the lowest bit
		if !yield(bits.TrailingZeros64(rest)) {
			return
		}
	}
}

// Len returns the number of colours in the set.
func (m Marks) Len() int { return bits.OnesCount64(uint64(m)) }

// Pair is a Rabin condition: no colour of Fin recurs, and each colour of Inf
// does.
type Pair struct{ Fin, Inf Marks }

// Pairs returns the condition as a disjunction of pairs, in the order in which it is written, without
// pairs that imply another pair; it returns false if there would be more pairs than limit. The empty
// disjunction never holds.
func (a Acceptance) Pairs(limit int) ([]Pair, bool) {
	switch a.op {
	case True:
		return []Pair{{}}, true
	case False:
		return nil, true
	case InfOp:
		return []Pair{{Inf: Mark(a.colour)}}, true
	case FinOp:
		return []Pair{{Fin: Mark(a.colour)}}, true
	}
	var pairs []Pair
	if a.op == AndOp {
		pairs = []Pair{{}}
	}
	for _, part := range a.parts {
		more, ok := part.Pairs(limit)
		if !ok {
			return nil, false
		}
		if a.op == OrOp {
			pairs = leastPairs(append(pairs, more...))
		} else {
			pairs = conjoin(pairs, more)
		}
		if len(pairs) > limit {
			return nil, false
		}
	}
	return pairs, true
}

// conjoin returns the pairs of the conjunction of two conditions in disjunctive normal form. Pairs that nothing
// can satisfy are left out.
func conjoin(a, b []Pair) []Pair {
	var pairs []Pair
	for _, p := range a {
		for _, q := range b {
			both := Pair{p.Fin | q.Fin, p.Inf | q.Inf}
			if both.Fin&both.Inf == 0 {
				pairs = append(pairs, both)
			}
		}
	}
	return leastPairs(pairs)
}

// leastPairs drops the pairs that contain another one.
func leastPairs(pairs []Pair) []Pair {
	var least []Pair
	for i, p := range pairs {
		implied := false
		for j, q := range pairs {
			inside := q.Fin&^p.Fin == 0 && q.Inf&^p.Inf == 0
			implied = implied || inside && (q != p || j < i)
		}
		if !implied {
			least = append(least, p)
		}
	}
	return least
}
