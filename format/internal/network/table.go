package network

import (
	"context"
	"errors"
	"math"
	"math/bits"

	"github.com/inev-lts/inev/internal/resources"
)

// table numbers the states of a network: by their keys, the packed states of the components. While
// nobody inserts, many goroutines may search.
type table struct {
	words int      // of a key
	keys  []uint64 // the keys of all states, in the order of their numbers
	// slots has the number of a state plus 1 in the low half, and its tag in the high one; 0 marks an
	// empty slot. Its length is a power of two.
	slots []uint64
	// tagIsKey reports that the tag of a key is the key itself, so that equal tags need no comparison of
	// keys.
	tagIsKey bool
	width    uint // bits of a key that are used
	// direct, if not nil, takes the place of slots: it has the number of a state plus 1 for each key. A dense table takes
	// less memory that way.
	direct []uint32
}

// newTable returns a table for keys of this many words, of which this many bits are used.
func newTable(words int, width uint) table {
	return table{
		words:    words,
		slots:    make([]uint64, 1<<10),
		tagIsKey: width <= 32,
		width:    width,
	}
}

func (t *table) len() int { return len(t.keys) / t.words }

func (t *table) key(state int) []uint64 { return t.keys[state*t.words : (state+1)*t.words] }

// hash returns a number whose low bits depend on all bits of the key.
func hash(key []uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, word := range key {
		high, low := bits.Mul64(word^h, 0xd6e8feb86659fd93)
		h = high ^ low ^ word>>32
	}
	high, low := bits.Mul64(h^0xa0761d6478bd642f, 0xe7037ed1a0b428db)
	return high ^ low
}

// tag returns the 32 bits that a slot has for a key with this hash.
func (t *table) tag(hash uint64, key []uint64) uint64 {
	if t.tagIsKey {
		return key[0]
	}
	return hash & math.MaxUint32
}

// find returns the number of a state, or unknown.
func (t *table) find(hash uint64, key []uint64) uint32 {
	if t.direct != nil {
		return t.direct[key[0]] - 1 // unknown for 0
	}
	mask := uint64(len(t.slots) - 1)
	tag := t.tag(hash, key)
	for at := hash >> 32 & mask; ; at = (at + 1) & mask {
		slot := t.slots[at]
		if slot == 0 {
			return unknown
		}
		if slot>>32 == tag && t.isAt(uint32(slot)-1, key) {
			return uint32(slot) - 1
		}
	}
}

// isAt reports whether a key is that of a state; both have the same tag.
func (t *table) isAt(state uint32, key []uint64) bool {
	if t.tagIsKey {
		return true
	}
	first := int(state) * t.words
	for i, word := range key {
		if t.keys[first+i] != word {
			return false
		}
	}
	return true
}

// errStates is the error of a network with more states than can be numbered.
var errStates = errors.New("the network has more than 4294967294 states")

// findOrInsert returns the number of a state, a new one if the table does not have it. It fails if
// there is no memory for a new state, or no number.
func (t *table) findOrInsert(ctx context.Context, hash uint64, key []uint64) (uint32, error) {
	if state := t.find(hash, key); state != unknown {
		return state, nil
	}
	if t.len() == unknown-1 {
		return 0, errStates
	}
	if t.direct == nil && 3*len(t.slots) <= 4*(t.len()+1) {
		if err := t.enlarge(ctx); err != nil {
			return 0, err
		}
	}
	if cap(t.keys)-len(t.keys) < t.words {
		keys, err := resources.Grow(ctx, t.keys, len(t.keys)+t.words)
		if err != nil {
			return 0, err
		}
		t.keys = keys
	}
	return t.insert(hash, key), nil
}

// insert adds a state that the table does not have and has room for.
func (t *table) insert(hash uint64, key []uint64) uint32 {
	state := uint32(t.len())
	t.keys = append(t.keys, key...)
	if t.direct != nil {
		t.direct[key[0]] = state + 1
	} else {
		t.putInSlot(hash, t.tag(hash, key), state)
	}
	return state
}

func (t *table) putInSlot(hash, tag uint64, state uint32) {
	mask := uint64(len(t.slots) - 1)
	at := hash >> 32 & mask
	for t.slots[at] != 0 {
		at = (at + 1) & mask
	}
	t.slots[at] = tag<<32 | uint64(state) + 1
}

// fastGrowthSlots is the largest number of slots of a table that grows by a factor of four and not two: at
// this size, putting all states into slots again costs more than the memory does.
const fastGrowthSlots = 1 << 20

// enlarge makes more slots, or replaces the slots by an array with a number for each key if that takes
// no more memory.
func (t *table) enlarge(ctx context.Context) error {
	factor := 2
	if len(t.slots) <= fastGrowthSlots {
		factor = 4
	}
	numSlots := factor * len(t.slots)
	const numbersPerSlot = 2 // of 32 bits
	if t.tagIsKey && 1<<t.width <= numbersPerSlot*numSlots {
		return t.replaceSlotsByArray(ctx)
	}
	slots, err := resources.Make[uint64](ctx, numSlots)
	if err != nil {
		return err
	}
	t.slots = slots
	for state := range t.len() {
		key := t.key(state)
		h := hash(key)
		t.putInSlot(h, t.tag(h, key), uint32(state))
	}
	return nil
}

// replaceSlotsByArray replaces the slots by an array with a number for each key.
func (t *table) replaceSlotsByArray(ctx context.Context) error {
	direct, err := resources.Make[uint32](ctx, 1<<t.width)
	if err != nil {
		return err
	}
	for state, key := range t.keys {
		direct[key] = uint32(state) + 1
	}
	t.direct = direct
	t.slots = nil
	return nil
}
