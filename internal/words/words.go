// Package words reads texts eight bytes at a time, as one word, the first byte
// lowest: numbers, and quoted texts that occur often.
//
// The invariant that holds inside: no result depends on the bytes behind a text;
// they exist so that reading a word needs no check for the end.
package words

import (
	"encoding/binary"
	"math/bits"
)

// Zeros is the word "00000000": exclusive or with it turns digits into their
// values 0 to 9, and all other bytes into larger values.
const Zeros = 0x3030303030303030

// OtherThanDigits sets, in each byte of a word that is larger than 9, the highest bit. No sum
// overflows its byte, because both terms are below 0x80.
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

// LeadingDigits returns how many of the eight bytes from b[i] on are digits before the first other
// byte, and their value; 8 means that more digits may follow. b[i:] must have eight bytes.
func LeadingDigits(b []byte, i int) (n uint64, digits int) {
	word := binary.LittleEndian.Uint64(b[i:]) ^ Zeros
	count := uint(bits.TrailingZeros64(OtherThanDigits(word))) / 8
	return Decimal(word << ((64 - 8*count) & 63)), int(count)
}
