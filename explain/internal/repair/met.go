package repair

// mostStamps is the size of a set of numbers up to which it is an array.
const mostStamps = 1 << 23

// met is a set of numbers below a size, which can be emptied at once.
type met struct {
	stamps []uint32 // of the numbers that are in the set now; nil if the size is too large
	now    uint32
	others map[uint64]struct{}
}

// newMet returns an empty set. Cost 4 bytes a number, up to 32 MB; beyond that what is in it.
func newMet(size uint64) *met {
	m := &met{now: 1}
	if size <= mostStamps {
		m.stamps = make([]uint32, size)
	} else {
		m.others = map[uint64]struct{}{}
	}
	return m
}

// empty takes all numbers out.
func (m *met) empty() {
	if m.now++; m.stamps == nil {
		clear(m.others)
	}
}

func (m *met) has(i uint64) bool {
	if m.stamps != nil {
		return m.stamps[i] == m.now
	}
	_, is := m.others[i]
	return is
}

func (m *met) add(i uint64) {
	if m.stamps != nil {
		m.stamps[i] = m.now
	} else {
		m.others[i] = struct{}{}
	}
}
