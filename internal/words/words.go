// Package words reads texts eight bytes at a time, as one word, the first byte lowest: numbers,
// and texts in quotes that are met again and again.
//
// The invariant that holds inside: nothing depends on the bytes behind a text, which are there
// so that whoever reads on need not look where it ends.
package words

import (
	"encoding/binary"
	"math/bits"
)

// Zeros is the word "00000000": the exclusive or with it turns the bytes of digits into their
// values 0 to 9, and all others into something larger.
const Zeros = 0x3030303030303030

// OtherThanDigits sets the highest bit of every byte of a word that is larger than 9. The sum
// stays within each byte, since both terms are below 0x80.
func OtherThanDigits(word uint64) uint64 {
	const low, high = 0x7f7f7f7f7f7f7f7f, 0x8080808080808080
	return (word&low + 0x7676767676767676 | word) & high
}

// Decimal returns the number of eight digits, the values of the bytes of a word. It joins
// neighbours to numbers of two, then four, then eight digits, which spares a branch for each.
func Decimal(word uint64) uint64 {
	word = (word*10 + word>>8) & 0x00ff00ff00ff00ff
	word = (word*100 + word>>16) & 0x0000ffff0000ffff
	return (word*10000 + word>>32) & 0xffffffff
}

// LeadingDigits returns the number of digits from b[i] on, 8 where there may be more, and the
// value of 1 to 8 digits. There must be eight bytes.
func LeadingDigits(b []byte, i int) (n uint64, digits int) {
	word := binary.LittleEndian.Uint64(b[i:]) ^ Zeros
	count := uint(bits.TrailingZeros64(OtherThanDigits(word))) / 8
	return Decimal(word << ((64 - 8*count) & 63)), int(count)
}
