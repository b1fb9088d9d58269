package repair

import "math/bits"

// mostStamps is the size of a set of numbers up to which it is an array.
const mostStamps = 1 << 23

// met is a set of numbers below a size, which can be emptied at once.
type met struct {
	stamps []uint32 // of the numbers that are in the set now; nil if the size is too large
	now    uint32
	others table
}

// newMet returns an empty set. Cost 4 bytes a number, up to 32 MB; beyond that what is in it.
func newMet(size uint64) *met {
	m := &met{now: 1}
	if size <= mostStamps {
		m.stamps = make([]uint32, size)
	} else {
		m.others = newTable()
	}
	return m
}

// empty takes all numbers out.
func (m *met) empty() {
	if m.now++; m.stamps == nil {
		m.others = newTable()
	}
}

func (m *met) has(i uint64) bool {
	if m.stamps != nil {
		return m.stamps[i] == m.now
	}
	return m.others.slots[m.others.slot(i)] != 0
}

func (m *met) add(i uint64) {
	if m.stamps != nil {
		m.stamps[i] = m.now
		return
	}
	m.others.add(i)
}

// table is a set of numbers, by hashing with linear probing: a search asks it for each pair it
// comes to, in half the time of a map.
type table struct {
	slots []uint64 // a number and one, 0 if there is none; their number is a power of two
	count int
}

func newTable() table { return table{slots: make([]uint64, 64)} }

// slot returns where a number is, or has to be put.
func (t *table) slot(i uint64) uint64 {
	mask := uint64(len(t.slots) - 1)
	// The upper bits of the product depend on all of the number.
	at := i * 0x9e3779b97f4a7c15 >> (64 - bits.TrailingZeros(uint(len(t.slots))))
	for t.slots[at] != 0 && t.slots[at] != i+1 {
		at = (at + 1) & mask
	}
	return at
}

func (t *table) add(i uint64) {
	if 2*t.count >= len(t.slots) {
		old := t.slots
		t.slots, t.count = make([]uint64, 2*len(old)), 0
		for _, kept := range old {
			if kept != 0 {
				t.add(kept - 1)
			}
		}
	}
	if at := t.slot(i); t.slots[at] == 0 {
		t.slots[at] = i + 1
		t.count++
	}
}
