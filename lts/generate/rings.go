package generate

import "context"

// ring is a first state followed by layers of states: transitions lead from the
// first state to a layer, from each layer to the next one, and from the last
// layer to the first. A transition leads from the last state to a deadlock.
type ring struct {
	names
	width, height, degree, seed uint64
}

func newRing(_ context.Context, s Spec) model {
	checkBoard(s)
	return &ring{names{"NEXT", "BACK", "END"}, uint64(s.Width), uint64(s.Height), uint64(s.Degree), s.Seed}
}

func (m *ring) size() (states, transitions uint64) {
	return m.width*m.height + 2, m.width + m.width*m.height*m.degree + 1
}

// row makes the first transition of a state lead to the same position in the next
// layer, so that every state is reachable.
func (m *ring) row(out sink, state uint64) {
	last := m.width * m.height
	if state > last {
		return
	}
	out.from(state)
	if state == 0 {
		for i := range m.width {
			out.add(0, 1+i)
		}
		return
	}
	r := numbersOf(m.seed, state)
	layer, place := (state-1)/m.width, (state-1)%m.width
	first, label := 1+(layer+1)*m.width, uint64(0)
	if layer == m.height-1 {
		first, label = 1, 1
	}
	for range m.degree {
		out.add(label, first+place)
		place = r.below(m.width)
	}
	if state == last {
		out.add(2, last+1)
	}
}

// carousel is a ring of layers: transitions lead from each state to the first and
// third position after its own in the next layer, and from each state of the last
// layer also to its own position in the middle one. Its states are the leaves of
// a tree.
type carousel struct {
	names
	width, height, inner uint64
}

const branches = 8

func newCarousel(_ context.Context, s Spec) model {
	m := &carousel{names: names{"DOWN", "NEXT", "SKIP", "END"}, width: uint64(s.Width), height: uint64(s.Height)}
	m.inner = (m.width*m.height + branches - 3) / (branches - 1)
	checkBoard(s)
	return m
}

func (m *carousel) size() (states, transitions uint64) {
	ring := m.width * m.height
	return m.inner + ring + 1, m.inner + ring - 1 + 2*ring + m.width + 1
}

func (m *carousel) row(out sink, state uint64) {
	ring := m.width * m.height
	if state == m.inner+ring {
		return
	}
	out.from(state)
	if state < m.inner {
		for to := branches*state + 1; to <= branches*state+branches && to < m.inner+ring; to++ {
			out.add(0, to)
		}
		return
	}
	layer, place := (state-m.inner)/m.width, (state-m.inner)%m.width
	first := m.inner + (layer+1)%m.height*m.width
	out.add(1, first+(place+1)%m.width)
	out.add(1, first+(place+3)%m.width)
	if layer == m.height-1 {
		out.add(2, m.inner+m.height/2*m.width+place)
	}
	if state == m.inner+ring-1 {
		out.add(3, state+1)
	}
}
