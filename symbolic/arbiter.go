package symbolic

import "fmt"

// Token says how the token of an arbiter is kept.
type Token int

// The ways.
const (
	OneHot  Token = iota // a variable for each cell
	Encoded              // the number of the cell, in binary
)

// Arbiter is the synchronous arbiter of K. L. McMillan (Symbolic Model Checking, 1993): a
// ring of cells through which a token goes. A cell acknowledges its request where it has
// been waiting for the token and has it; where none has, the first one that requests.
type Arbiter struct {
	*Model
	// Initial are its initial states: the token in the first cell, nobody waiting, any
	// requests.
	Initial Set
	// Exclusive are the states in which at most one cell acknowledges, as is the
	// predicate exclusive. OneToken are those with one token.
	Exclusive, OneToken Set
}

// NewArbiter returns an arbiter of so many cells. In the buggy one a cell that has been
// waiting is acknowledged even without the token: after two steps, two cells can be.
func NewArbiter(cells int, kept Token, buggy bool) (*Arbiter, error) {
	if cells < 2 {
		return nil, fmt.Errorf("%d cells; an arbiter has at least 2", cells)
	}
	bits := 0
	if kept == Encoded {
		for 1<<bits < cells {
			bits++
		}
	}
	perCell := 2 // request, waiting
	if kept == OneHot {
		perCell = 3
	}
	m, err := New(bits + perCell*cells)
	if err != nil {
		return nil, err
	}
	a := &Arbiter{Model: m}
	request := func(i int) int { return bits + perCell*i }
	waiting := func(i int) int { return bits + perCell*i + 1 }
	token := func(i int) Set { return m.Is(bits + perCell*i + 2) }
	a.OneToken = m.All()
	a.Initial = m.All()
	if kept == Encoded {
		token = func(i int) Set { return m.number(i, bits, m.Is) }
		a.OneToken = m.None()
		moves := m.None()
		for i := range cells {
			a.OneToken = m.Or(a.OneToken, token(i))
			moves = m.Or(moves, m.And(token(i), m.number((i+1)%cells, bits, m.Next)))
		}
		m.Constrain(moves)
	} else {
		none, one := m.All(), m.None()
		for i := range cells {
			one = m.Or(m.And(one, m.Not(token(i))), m.And(none, token(i)))
			none = m.And(none, m.Not(token(i)))
			m.Constrain(m.Equal(m.Next(bits+perCell*((i+1)%cells)+2), token(i)))
		}
		a.OneToken = one
	}
	a.Initial = m.And(a.OneToken, token(0))
	override := m.None()
	for i := range cells {
		a.Initial = m.And(a.Initial, m.Not(m.Is(waiting(i))))
		m.Constrain(m.Equal(m.Next(waiting(i)), m.And(m.Is(request(i)), m.Or(m.Is(waiting(i)), token(i)))))
		override = m.Or(override, m.And(m.Is(waiting(i)), token(i)))
	}
	grant := m.Not(override)
	none, one := m.All(), m.None()
	for i := range cells {
		urgent := m.And(m.Is(waiting(i)), token(i))
		if buggy {
			urgent = m.Is(waiting(i))
		}
		ack := m.And(m.Is(request(i)), m.Or(grant, urgent))
		one = m.Or(m.And(one, m.Not(ack)), m.And(none, ack))
		none = m.And(none, m.Not(ack))
		grant = m.And(grant, m.Not(m.Is(request(i))))
	}
	a.Exclusive = m.Or(none, one)
	m.Define("exclusive", a.Exclusive)
	return a, m.Err()
}

// number returns where variables have the binary value n.
func (m *Model) number(n, bits int, is func(int) Set) Set {
	s := m.All()
	for b := range bits {
		v := is(b)
		if n>>b&1 == 0 {
			v = m.Not(v)
		}
		s = m.And(s, v)
	}
	return s
}
