package repair

import "math/bits"

// mostStamps is the largest size for which a set of numbers is an array.
const mostStamps = 1 << 23

// numberSet is a set of numbers below a size. It is emptied in constant time.
type numberSet struct {
	stamps []uint32 // the stamp of each number, which is the current one if the number is in the set; nil if the size is too large
	now    uint32
	// slots are a hash table with linear probing: a search looks up each pair that it reaches, and
	// a hash table takes half the time of a map. Each slot has a number plus one, or 0 if the slot
	// is empty. The number of slots is a power of two.
	slots []uint64
	count int
}

// newNumberSet returns an empty set. It takes 4 bytes a number, up to 32 MB; for larger sizes, its
// memory depends on the number of members.
func newNumberSet(size uint64) *numberSet {
	m := &numberSet{}
	if size <= mostStamps {
		m.stamps = make([]uint32, size)
	}
	m.empty()
	return m
}

// empty removes all numbers.
func (m *numberSet) empty() {
	m.now++
	if m.stamps == nil {
		m.slots = make([]uint64, 64)
		m.count = 0
	}
}

func (m *numberSet) has(i uint64) bool {
	if m.stamps != nil {
		return m.stamps[i] == m.now
	}
	return m.slots[m.slot(i)] != 0
}

// slot returns the index of a number. If the table lacks the number, it returns the index where the
// number belongs.
func (m *numberSet) slot(i uint64) uint64 {
	mask := uint64(len(m.slots) - 1)
	// The upper bits of the product depend on all bits of the number.
	slot := i * 0x9e3779b97f4a7c15 >> (64 - bits.TrailingZeros(uint(len(m.slots))))
	for m.slots[slot] != 0 && m.slots[slot] != i+1 {
		slot = (slot + 1) & mask
	}
	return slot
}

// add adds a number, and reports whether it is new.
func (m *numberSet) add(i uint64) bool {
	if m.has(i) {
		return false
	}
	if m.stamps != nil {
		m.stamps[i] = m.now
		return true
	}
	if 2*m.count >= len(m.slots) {
		old := m.slots
		m.slots = make([]uint64, 2*len(old))
		for _, kept := range old {
			if kept != 0 {
				m.slots[m.slot(kept-1)] = kept
			}
		}
	}
	m.slots[m.slot(i)] = i + 1
	m.count++
	return true
}
