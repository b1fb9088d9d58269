package aut

import (
	"encoding/binary"

	"github.com/inev-lts/inev/lts"
)

const (
	// cacheSlots is a power of two, and makes the cache fit a second-level
	// cache of a processor.
	cacheSlots = 1 << 10
	// cachedBytes is the longest label the cache holds.
	cachedBytes = 48
)

// labelCache finds the numbers of labels that occur again and again. It stands
// before the Builder's own table, which takes most of the time of reading a
// file otherwise: a model rarely has more than a few hundred labels. A slot
// holds the last label that fell into it, with its text in place, so that no
// number of lines and no choice of labels makes the cache allocate.
type labelCache struct {
	slots [cacheSlots]cachedLabel
}

type cachedLabel struct {
	// size is the length of the text plus 1; 0 marks an empty slot.
	size  uint32
	label lts.Label
	text  [cachedBytes]byte
}

// label returns b's number of the label with this text. Cost O(len(text)).
func (c *labelCache) label(b *lts.Builder, text []byte) lts.Label {
	if len(text) > cachedBytes {
		return b.LabelBytes(text)
	}
	slot := &c.slots[hash(text)%cacheSlots]
	if slot.size == uint32(len(text))+1 && string(slot.text[:len(text)]) == string(text) {
		return slot.label
	}
	l := b.LabelBytes(text)
	slot.size = uint32(copy(slot.text[:], text)) + 1
	slot.label = l
	return l
}

// hash mixes the text eight bytes at a time. The multiplier is 2^64 divided by
// the golden ratio, as in Knuth's multiplicative hashing; the high half of each
// product is folded down because only low bits choose the slot.
func hash(text []byte) uint64 {
	const multiplier = 0x9e3779b97f4a7c15
	h := uint64(len(text))
	for ; len(text) >= 8; text = text[8:] {
		h = (h ^ binary.LittleEndian.Uint64(text)) * multiplier
		h ^= h >> 32
	}
	var rest uint64
	switch n := len(text); {
	case n >= 4:
		rest = uint64(binary.LittleEndian.Uint32(text)) | uint64(binary.LittleEndian.Uint32(text[n-4:]))<<32
	case n > 0:
		rest = uint64(text[0]) | uint64(text[n/2])<<8 | uint64(text[n-1])<<16
	}
	h = (h ^ rest) * multiplier
	return h ^ h>>32
}
