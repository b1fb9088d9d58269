package aut

import (
	"encoding/binary"
	"math/bits"

	"github.com/inev-lts/inev/lts"
)

const (
	// cacheSlots is the number of pairs of slots, and makes the cache fit a
	// second-level cache of a processor.
	cacheSlots = 1 << cacheBits
	cacheBits  = 10
	// cachedBytes is the longest label the cache holds, and one byte less than
	// its words, so that a word that is not full ends every text.
	cachedBytes = 8*cachedWords - 1
	cachedWords = 7
	// knownLabels is the number of labels that one worker keeps in mind. Where
	// there are many more, each of them is rare, and a second copy of all of
	// them would only take memory.
	knownLabels = 1 << 18
)

// labelNumbers finds the numbers that one worker gave to labels. A cache stands
// before the table of all of them, which takes most of the time of reading a
// file otherwise: a model rarely has more than a few hundred labels. A pair of
// slots holds the last labels that fell into it, with their texts in place, so
// that no choice of labels makes the cache slower than the table behind it.
//
// No label in the cache has a line feed in it: what is equal to a text in the
// cache has none either.
type labelNumbers struct {
	slots [cacheSlots][2]cachedLabel
	table lts.AlphabetBuilder
}

type cachedLabel struct {
	// words are the bytes of the text, the first one lowest, then zeros.
	words [cachedWords]uint64
	// size is the length of the text plus 1; 0 marks an empty slot.
	size  uint32
	label lts.Label
}

// Labels are hashed eight bytes at a time. The multiplier is 2^64 divided by the
// golden ratio, as in Knuth's multiplicative hashing; the high half of each
// product is folded down.
const multiplier = 0x9e3779b97f4a7c15

func mix(h, word uint64) uint64 {
	h = (h ^ word) * multiplier
	return h ^ h>>32
}

// quotes is a word of double quotes; lowest and highest are words of bytes of
// which that bit is set.
const (
	quotes  = 0x2222222222222222
	lowest  = 0x0101010101010101
	highest = 0x8080808080808080
)

// unknown stands for the number of a label that is not in the cache.
const unknown lts.Label = 1<<32 - 1

// quoted returns the index of the next double quote from b[start] on, and the
// number of the label between, unknown where it is not in the cache: then it
// may be none at all, with line feeds in it. It fails if there is no quote
// before end. Slack follows b[:end].
func (c *labelNumbers) quoted(b []byte, start, end int) (l lts.Label, quote int, ok bool) {
	hash, at := uint64(0), start
	var word, found uint64
	for {
		if at >= end {
			return 0, 0, false
		}
		word = binary.LittleEndian.Uint64(b[at:])
		// The lowest bit that is set belongs to the first quote; bytes behind it
		// may be taken for quotes, too.
		x := word ^ quotes
		if found = (x - lowest) &^ x & highest; found != 0 {
			break
		}
		hash = mix(hash, word)
		at += 8
	}
	// Of the last word, the bytes before the quote.
	word &= (found&-found - 1) >> 7
	quote = at + bits.TrailingZeros64(found)/8
	pair := &c.slots[mix(hash, word)>>(64-cacheBits)]
	size := uint32(quote-start) + 1
	if slot := &pair[0]; slot.size == size && slot.holds(b[start:at], word) {
		return slot.label, quote, true
	}
	if slot := &pair[1]; slot.size == size && slot.holds(b[start:at], word) {
		return slot.label, quote, true
	}
	return unknown, quote, true
}

// holds reports whether the text in the slot, whose length is known to be right,
// consists of these whole words and a last one.
func (s *cachedLabel) holds(whole []byte, last uint64) bool {
	i := 0
	for ; len(whole) >= 8; whole = whole[8:] {
		if s.words[i] != binary.LittleEndian.Uint64(whole) {
			return false
		}
		i++
	}
	return s.words[i] == last
}

// label returns the number of the label with this text, in which there is no
// line feed. Cost O(len(text)).
func (c *labelNumbers) label(text []byte) lts.Label {
	if len(text) > cachedBytes {
		return c.table.LabelBytes(text)
	}
	var padded [8 * cachedWords]byte
	copy(padded[:], text)
	var words [cachedWords]uint64
	hash := uint64(0)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(padded[8*i:])
		if i <= len(text)/8 {
			hash = mix(hash, words[i])
		}
	}
	pair := &c.slots[hash>>(64-cacheBits)]
	for i := range pair {
		if pair[i].size == uint32(len(text))+1 && pair[i].words == words {
			return pair[i].label
		}
	}
	pair[1] = pair[0]
	pair[0] = cachedLabel{words: words, size: uint32(len(text)) + 1, label: c.table.LabelBytes(text)}
	return pair[0].label
}
