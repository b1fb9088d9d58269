package tlc

import (
	"github.com/inev-lts/inev/lts"
)

// numbers maps fingerprints of states to numbers, in the order in which
// fingerprints first occur: a hash table with open addressing, of 4 bytes a slot.
// TLC's fingerprints are spread evenly over all 64-bit numbers; two products also
// spread numbers that people wrote.
type numbers struct {
	fps   []int64
	slots []uint32 // the number of a state plus one, 0 if there is none; their count is a power of two
	shift uint
	last  lts.State // the state of the last fingerprint that was known
}

// of returns the number of a fingerprint, and whether it occurred before.
func (n *numbers) of(fp int64) (s lts.State, known bool) {
	// The steps of a state are adjacent in the file.
	if len(n.fps) > 0 && n.fps[n.last] == fp {
		return n.last, true
	}
	if 2*len(n.fps) >= len(n.slots) {
		n.grow()
	}
	at := n.slot(fp)
	if slot := n.slots[at]; slot != 0 {
		n.last = lts.State(slot - 1)
		return n.last, true
	}
	n.fps = append(n.fps, fp)
	n.slots[at] = uint32(len(n.fps))
	return lts.State(len(n.fps) - 1), false
}

// slot returns the slot of a fingerprint, or the empty slot for it.
func (n *numbers) slot(fp int64) int {
	last := len(n.slots) - 1
	hash := uint64(fp) * multiplier
	at := int((hash ^ hash>>32) * multiplier >> n.shift)
	for n.slots[at] != 0 && n.fps[n.slots[at]-1] != fp {
		at = (at + 1) & last
	}
	return at
}

func (n *numbers) grow() {
	size := max(64, 2*len(n.slots))
	n.slots, n.shift = make([]uint32, size), 64
	for bits := size; bits > 1; bits /= 2 {
		n.shift--
	}
	for i, fp := range n.fps {
		n.slots[n.slot(fp)] = uint32(i + 1)
	}
}

// multiplier is 2^64 divided by the golden ratio, as in Knuth's multiplicative hashing.
const multiplier = 0x9e3779b97f4a7c15
