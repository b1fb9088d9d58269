package network

import (
	"context"
	"errors"
	"math/bits"

	"github.com/inev-lts/inev/internal/resources"
)

// table numbers the states of a network: by their keys, the packed states of the components. While
// nobody inserts, many goroutines may search.
type table struct {
	words int      // of a key
	keys  []uint64 // of all states, in the order of their numbers
	// slots has the number of a state plus 1 in the low half, and the low half of the hash in the high
	// one; 0 marks an empty slot. Its length is a power of two.
	slots []uint64
}

func newTable(words int) table { return table{words: words, slots: make([]uint64, 1<<10)} }

func (t *table) len() int { return len(t.keys) / t.words }

func (t *table) key(state int) []uint64 { return t.keys[state*t.words : (state+1)*t.words] }

// hash mixes a key: all its bits matter for the low ones.
func (t *table) hash(key []uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, word := range key {
		high, low := bits.Mul64(word^h, 0xd6e8feb86659fd93)
		h = high ^ low ^ word>>32
	}
	high, low := bits.Mul64(h^0xa0761d6478bd642f, 0xe7037ed1a0b428db)
	return high ^ low
}

// find returns the number of a state, or unknown.
func (t *table) find(hash uint64, key []uint64) uint32 {
	mask := uint64(len(t.slots) - 1)
	for at := hash >> 32 & mask; ; at = (at + 1) & mask {
		slot := t.slots[at]
		if slot == 0 {
			return unknown
		}
		if slot>>32 == hash&unknown && t.isAt(uint32(slot)-1, key) {
			return uint32(slot) - 1
		}
	}
}

func (t *table) isAt(state uint32, key []uint64) bool {
	first := int(state) * t.words
	if t.words == 1 {
		return t.keys[first] == key[0]
	}
	for i, word := range key {
		if t.keys[first+i] != word {
			return false
		}
	}
	return true
}

// errStates is the error of a network with more states than can be numbered.
var errStates = errors.New("the network has more than 4294967294 states")

// findOrInsert returns the number of a state, a new one if the table does not have it. It fails if there is no
// memory for it.
func (t *table) findOrInsert(ctx context.Context, hash uint64, key []uint64) (uint32, error) {
	if state := t.find(hash, key); state != unknown {
		return state, nil
	}
	if t.len() == unknown-1 {
		return 0, errStates
	}
	if 3*len(t.slots) <= 4*(t.len()+1) {
		if err := t.double(ctx); err != nil {
			return 0, err
		}
	}
	keys, err := resources.Grow(ctx, t.keys, t.words)
	if err != nil {
		return 0, err
	}
	t.keys = keys
	return t.insert(hash, key), nil
}

// insert adds a state that the table does not have and has room for.
func (t *table) insert(hash uint64, key []uint64) uint32 {
	state := uint32(t.len())
	t.keys = append(t.keys, key...)
	t.place(hash, state)
	return state
}

func (t *table) place(hash uint64, state uint32) {
	mask := uint64(len(t.slots) - 1)
	at := hash >> 32 & mask
	for t.slots[at] != 0 {
		at = (at + 1) & mask
	}
	t.slots[at] = hash<<32 | uint64(state) + 1
}

// double makes twice as many slots.
func (t *table) double(ctx context.Context) error {
	slots, err := resources.Make[uint64](ctx, 2*len(t.slots))
	if err != nil {
		return err
	}
	t.slots = slots
	for state := range t.len() {
		t.place(t.hash(t.key(state)), uint32(state))
	}
	return nil
}
