package symbolic

import "fmt"

// Token is the encoding of an arbiter's token.
type Token int

// The encodings. The token moves at each step, except a held token, which is one-hot: it stays in
// its cell as long as the cell requests. Then no cell waits without the token.
const (
	OneHot  Token = iota // a variable for each cell
	Encoded              // the number of the cell, in binary
	Held                 // a variable for each cell
)

// Arbiter is the synchronous arbiter of K. L. McMillan (Symbolic Model Checking, 1993): a ring of
// cells where a token circulates. A cell acknowledges its request if it has waited for the token
// and has it now; if there is no such cell, the first cell that requests acknowledges.
type Arbiter struct {
	*Model
	// Initial are its initial states: the token is in the first cell, no cell waits, and requests
	// are arbitrary.
	Initial Set
	// Exclusive are the states where at most one cell acknowledges, like the predicate exclusive.
	// OneToken are the states with one token.
	Exclusive, OneToken Set
}

// NewArbiter returns an arbiter with this number of cells. In the buggy one, a cell that has waited
// acknowledges even without the token, so that two cells can acknowledge after two steps. In the
// buggy one with a held token, the token is no longer held once its cell waits, so that two cells
// can acknowledge after three steps.
func NewArbiter(cells int, kept Token, buggy bool) (*Arbiter, error) {
	if cells < 2 {
		return nil, fmt.Errorf("%d cells; an arbiter has at least 2", cells)
	}
	bits := 0
	perCell := 3 // request, waiting, token
	if kept == Encoded {
		perCell = 2
		for 1<<bits < cells {
			bits++
		}
	}
	m, err := New(bits + perCell*cells)
	if err != nil {
		return nil, err
	}
	r := &ring{
		model:    m,
		cells:    cells,
		bits:     bits,
		perCell:  perCell,
		encoding: kept,
		isBuggy:  buggy,
	}
	a := &Arbiter{Model: m, OneToken: r.moveToken()}
	a.Initial = m.And(a.OneToken, r.token(0))
	override := m.None()
	for i := range cells {
		a.Initial = m.And(a.Initial, m.Not(r.waiting(i)))
		waitsNext := m.And(r.request(i), m.Or(r.waiting(i), r.token(i)))
		m.Constrain(m.Equal(m.Next(r.waitingVariable(i)), waitsNext))
		override = m.Or(override, m.And(r.waiting(i), r.token(i)))
	}
	a.Exclusive = r.exclusive(m.Not(override))
	m.Define("exclusive", a.Exclusive)
	return a, m.Err()
}

// ring has the cells of an arbiter, by their variables.
type ring struct {
	model                *Model
	cells, bits, perCell int
	encoding             Token
	isBuggy              bool
}

// The variables of an encoded token come first. Then each cell has one for its request, one for waiting and, unless
// the token is encoded, one for the token.

func (r *ring) requestVariable(i int) int { return r.bits + r.perCell*i }
func (r *ring) waitingVariable(i int) int { return r.requestVariable(i) + 1 }
func (r *ring) tokenVariable(i int) int   { return r.requestVariable(i) + 2 }

func (r *ring) request(i int) Set { return r.model.Is(r.requestVariable(i)) }
func (r *ring) waiting(i int) Set { return r.model.Is(r.waitingVariable(i)) }

func (r *ring) token(i int) Set {
	if r.encoding == Encoded {
		return r.model.number(i, r.bits, r.model.Is)
	}
	return r.model.Is(r.tokenVariable(i))
}

// tokenStays returns the states where a token stays in a cell.
func (r *ring) tokenStays(i int) Set {
	switch {
	case r.encoding != Held:
		return r.model.None()
	case r.isBuggy:
		return r.model.And(r.request(i), r.model.Not(r.waiting(i)))
	}
	return r.request(i)
}

// moveToken constrains transitions to the movement of tokens, and returns the states with one token.
func (r *ring) moveToken() Set {
	m := r.model
	if r.encoding == Encoded {
		return r.moveEncodedToken()
	}
	none := m.All() // no cell so far has the token
	one := m.None() // exactly one has it
	for i := range r.cells {
		hasToken := r.token(i)
		one = m.Or(m.And(one, m.Not(hasToken)), m.And(none, hasToken))
		none = m.And(none, m.Not(hasToken))
		before := (i + r.cells - 1) % r.cells
		arrives := m.And(r.token(before), m.Not(r.tokenStays(before)))
		remains := m.And(hasToken, r.tokenStays(i))
		nextToken := m.Next(r.tokenVariable(i))
		m.Constrain(m.Equal(nextToken, m.Or(remains, arrives)))
	}
	return one
}

// moveEncodedToken does what moveToken does, for a token whose cell is a number in binary.
func (r *ring) moveEncodedToken() Set {
	m := r.model
	one := m.None()
	moves := m.None()
	for i := range r.cells {
		nextCell := (i + 1) % r.cells
		one = m.Or(one, r.token(i))
		moves = m.Or(moves, m.And(r.token(i), m.number(nextCell, r.bits, m.Next)))
	}
	m.Constrain(moves)
	return one
}

// exclusive returns the states where at most one cell acknowledges; grant are the states where the
// first cell that requests may acknowledge.
func (r *ring) exclusive(grant Set) Set {
	m := r.model
	none := m.All()
	one := m.None()
	for i := range r.cells {
		urgent := m.And(r.waiting(i), r.token(i))
		if r.isBuggy {
			urgent = r.waiting(i)
		}
		ack := m.And(r.request(i), m.Or(grant, urgent))
		one = m.Or(m.And(one, m.Not(ack)), m.And(none, ack))
		none = m.And(none, m.Not(ack))
		grant = m.And(grant, m.Not(r.request(i)))
	}
	return m.Or(none, one)
}

// number returns the set of states in which the variables, read as a binary number, have the value
// n.
func (m *Model) number(n, bits int, is func(int) Set) Set {
	s := m.All()
	for b := range bits {
		v := is(b)
		isSet := n>>b&1 != 0
		if !isSet {
			v = m.Not(v)
		}
		s = m.And(s, v)
	}
	return s
}
