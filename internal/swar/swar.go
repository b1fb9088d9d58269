// Package swar (SIMD within a register) reads texts eight bytes at a time, as one word, the first
// byte lowest: numbers, and quoted texts that occur often. No result depends on the bytes after a
// text; these bytes exist so that reading a word needs no check for the end.
package swar

import (
	"encoding/binary"
	"math/bits"
)

// Zeros is the word "00000000": exclusive or with it turns digits into their
// values 0 to 9, and all other bytes into larger values.
const Zeros = 0x3030303030303030

// OtherThanDigits returns a word with the highest bit set in each byte that is larger than 9 in the
// given word, and no other bit. No sum overflows its byte, because both terms are below 0x80.
func OtherThanDigits(word uint64) uint64 {
	const low, high = 0x7f7f7f7f7f7f7f7f, 0x8080808080808080
	return (word&low + 0x7676767676767676 | word) & high
}

// Decimal returns the value of eight digits, given as the values of the bytes of a word. It
// combines neighbouring digits into numbers of two, four and eight digits, without a branch for
// each digit.
func Decimal(word uint64) uint64 {
	word = (word*10 + word>>8) & 0x00ff00ff00ff00ff
	word = (word*100 + word>>16) & 0x0000ffff0000ffff
	return (word*10000 + word>>32) & 0xffffffff
}

// LeadingDigits returns the value of the digits with which the eight bytes from b[i] on begin, and how
// many digits these are: if there are none, the value means nothing; if there are 8, more may follow.
// b[i:] must have eight bytes.
func LeadingDigits(b []byte, i int) (n uint64, digits int) {
	word := binary.LittleEndian.Uint64(b[i:]) ^ Zeros
	count := uint(bits.TrailingZeros64(OtherThanDigits(word))) / 8
	return Decimal(word << ((64 - 8*count) & 63)), int(count)
}

const (
	// cacheSlots is the number of pairs of slots, chosen so that the cache fits into the
	// second-level cache of a processor.
	cacheSlots = 1 << cacheBits
	cacheBits  = 10
	// CachedBytes is the length of the longest text that a [Cache] holds. It is one byte less than
	// cachedWords words, so that the last word of every text has a free byte.
	CachedBytes = 8*cachedWords - 1
	cachedWords = 7
)

// Cache has the numbers of recently used texts, such as labels: a model rarely
// has more than a few hundred labels, and without a cache, looking them up takes
// most of the time of reading a file. A pair of slots holds the bytes of the last
// texts with the same hash, so that no choice of texts makes the cache much
// slower than the table behind it. The zero value is empty; it is for one
// goroutine.
type Cache struct {
	slots [cacheSlots][2]slot
}

type slot struct {
	// words are the bytes of the text, the first byte lowest, then zeros.
	words [cachedWords]uint64
	// size is the length of the text plus 1; 0 marks an empty slot.
	size   uint32
	number uint32
}

// Texts are hashed eight bytes at a time. The multiplier is 2^64 divided by the
// golden ratio, as in Knuth's multiplicative hashing; the high half of each
// product is folded down.
const multiplier = 0x9e3779b97f4a7c15

func mix(h, word uint64) uint64 {
	h = (h ^ word) * multiplier
	return h ^ h>>32
}

// quotes is a word of double quotes; lowest and highest are the words that have the lowest and the
// highest bit of each byte set.
const (
	quotes  = 0x2222222222222222
	lowest  = 0x0101010101010101
	highest = 0x8080808080808080
)

// Unknown is the number returned for a text that is not in the cache.
const Unknown = 1<<32 - 1

// Quoted returns the index of the first double quote from b[start] on, and the
// number of the text before it, [Unknown] if it is not in the cache. It fails if
// there is no quote before end. b must have eight bytes after b[:end], none of
// which is a quote: the word that contains b[end-1] may extend into them.
func (c *Cache) Quoted(b []byte, start, end int) (number uint32, quote int, ok bool) {
	hash := uint64(0)
	at := start
	var word, found uint64
	for {
		if at >= end {
			return 0, 0, false
		}
		word = binary.LittleEndian.Uint64(b[at:])
		// The lowest set bit belongs to the first quote. Bits above it may belong to other bytes, too.
		x := word ^ quotes
		found = (x - lowest) &^ x & highest
		if found != 0 {
			break
		}
		hash = mix(hash, word)
		at += 8
	}
	// This keeps the bytes of the last word that are before the quote.
	word &= (found&-found - 1) >> 7
	quote = at + bits.TrailingZeros64(found)/8
	pair := &c.slots[mix(hash, word)>>(64-cacheBits)]
	size := uint32(quote-start) + 1
	for i := range pair {
		slot := &pair[i]
		if slot.size == size && slot.holds(b[start:at], word) {
			return slot.number, quote, true
		}
	}
	return Unknown, quote, true
}

// holds reports whether the text in the slot consists of these whole words and this last word; its
// length has been compared already.
func (s *slot) holds(whole []byte, last uint64) bool {
	i := 0
	for ; len(whole) >= 8; whole = whole[8:] {
		if s.words[i] != binary.LittleEndian.Uint64(whole) {
			return false
		}
		i++
	}
	return s.words[i] == last
}

// Of returns the number of a text. If the cache does not have it, it calls
// number, and stores the result if the text is no longer than [CachedBytes]. Cost
// O(len(text)).
func (c *Cache) Of(text []byte, number func(text []byte) uint32) uint32 {
	if len(text) > CachedBytes {
		return number(text)
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
			return pair[i].number
		}
	}
	pair[1] = pair[0]
	pair[0] = slot{
		words:  words,
		size:   uint32(len(text)) + 1,
		number: number(text),
	}
	return pair[0].number
}
