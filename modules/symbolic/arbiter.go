package symbolic

import "fmt"

// Token is the way in which the token of an arbiter is kept.
type Token int

// The ways. A token goes on at each step, but for a held one, which is kept as one-hot ones
// are: it stays where its cell requests. Then no cell waits without it.
const (
	OneHot  Token = iota // a variable for each cell
	Encoded              // the number of the cell, in binary
	Held                 // a variable for each cell
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
// waiting is acknowledged even without the token: after two steps, two cells can be. A held
// token is then not held any longer once its cell waits, so that they can after three.
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
	r := &ring{m: m, cells: cells, bits: bits, perCell: perCell, kept: kept, buggy: buggy}
	a := &Arbiter{Model: m, OneToken: r.pass()}
	a.Initial = m.And(a.OneToken, r.token(0))
	override := m.None()
	for i := range cells {
		a.Initial = m.And(a.Initial, m.Not(r.waiting(i)))
		m.Constrain(m.Equal(m.Next(bits+perCell*i+1), m.And(r.request(i), m.Or(r.waiting(i), r.token(i)))))
		override = m.Or(override, m.And(r.waiting(i), r.token(i)))
	}
	a.Exclusive = r.exclusive(m.Not(override))
	m.Define("exclusive", a.Exclusive)
	return a, m.Err()
}

// ring is the cells of an arbiter, by the variables that they have.
type ring struct {
	m                    *Model
	cells, bits, perCell int
	kept                 Token
	buggy                bool
}

func (r *ring) request(i int) Set { return r.m.Is(r.bits + r.perCell*i) }
func (r *ring) waiting(i int) Set { return r.m.Is(r.bits + r.perCell*i + 1) }

func (r *ring) token(i int) Set {
	if r.kept == Encoded {
		return r.m.number(i, r.bits, r.m.Is)
	}
	return r.m.Is(r.bits + r.perCell*i + 2)
}

// stays returns where a token does not go on from a cell.
func (r *ring) stays(i int) Set {
	switch {
	case r.kept != Held:
		return r.m.None()
	case r.buggy:
		return r.m.And(r.request(i), r.m.Not(r.waiting(i)))
	}
	return r.request(i)
}

// pass constrains transitions to how tokens go on, and returns where there is one token.
func (r *ring) pass() Set {
	m := r.m
	if r.kept == Encoded {
		one, moves := m.None(), m.None()
		for i := range r.cells {
			one = m.Or(one, r.token(i))
			moves = m.Or(moves, m.And(r.token(i), m.number((i+1)%r.cells, r.bits, m.Next)))
		}
		m.Constrain(moves)
		return one
	}
	none, one := m.All(), m.None()
	for i := range r.cells {
		one = m.Or(m.And(one, m.Not(r.token(i))), m.And(none, r.token(i)))
		none = m.And(none, m.Not(r.token(i)))
		before := (i + r.cells - 1) % r.cells
		arrives := m.And(r.token(before), m.Not(r.stays(before)))
		m.Constrain(m.Equal(m.Next(r.bits+r.perCell*i+2), m.Or(m.And(r.token(i), r.stays(i)), arrives)))
	}
	return one
}

// exclusive returns where at most one cell acknowledges; grant is where the first cell that
// requests may.
func (r *ring) exclusive(grant Set) Set {
	m := r.m
	none, one := m.All(), m.None()
	for i := range r.cells {
		urgent := m.And(r.waiting(i), r.token(i))
		if r.buggy {
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
		if n>>b&1 == 0 {
			v = m.Not(v)
		}
		s = m.And(s, v)
	}
	return s
}
