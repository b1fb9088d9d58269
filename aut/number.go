package aut

import (
	"encoding/binary"
	"math/bits"
)

// tooLarge stands for every number that is not smaller than it: numbers are
// read without overflow, however long they are, and those that matter are far
// below.
const tooLarge = 1 << 60

// number reads the digits from index i on, and returns their value, tooLarge at
// most, and the index behind them, which is i where there are none.
func number(line []byte, i int) (n uint64, end int) {
	if i+8 <= len(line) {
		word := binary.LittleEndian.Uint64(line[i:]) ^ zeros
		count := bits.TrailingZeros64(otherThanDigits(word)) / 8
		if count < 8 {
			return decimal(word << (64 - 8*count)), i + count
		}
		if i+16 <= len(line) {
			second := binary.LittleEndian.Uint64(line[i+8:]) ^ zeros
			if count = bits.TrailingZeros64(otherThanDigits(second)) / 8; count < 8 {
				return decimal(word)*powers[count] + decimal(second<<(64-8*count)), i + 8 + count
			}
		}
	}
	for ; i < len(line); i++ {
		digit := line[i] - '0'
		if digit > 9 {
			break
		}
		n = min(n*10+uint64(digit), tooLarge)
	}
	return n, i
}

// powers are those of 10.
var powers = [8]uint64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000}

// numberBack reads the digits that end at index end, and returns their value,
// tooLarge at most, and the index of the first of them, which is end where
// there are none.
func numberBack(line []byte, end int) (n uint64, start int) {
	if end >= 8 {
		word := binary.LittleEndian.Uint64(line[end-8:]) ^ zeros
		if count := bits.LeadingZeros64(otherThanDigits(word)) / 8; count < 8 {
			unused := 64 - 8*count
			return decimal(word >> unused << unused), end - count
		}
	}
	power := uint64(1)
	for start = end; start > 0; start-- {
		digit := line[start-1] - '0'
		if digit > 9 {
			break
		}
		// Leading zeros may go on for ever: they add nothing to a saturated
		// power.
		n = min(n+uint64(digit)*power, tooLarge)
		power = min(power*10, tooLarge)
	}
	return n, start
}

// Most numbers in a file have less than eight digits. Eight bytes are read as
// one word, the first byte lowest, and worked on side by side,
// which spares a branch for each digit. zeros is the word "00000000": the
// exclusive or with it turns the bytes of digits into their values 0 to 9, and
// all others into something larger.
const zeros = 0x3030303030303030

// otherThanDigits sets the highest bit of every byte of word that is larger
// than 9. The sum stays within each byte, since both terms are below 0x80.
func otherThanDigits(word uint64) uint64 {
	const low, high = 0x7f7f7f7f7f7f7f7f, 0x8080808080808080
	return (word&low + 0x7676767676767676 | word) & high
}

// decimal returns the number of eight digits, the first one lowest in word. It
// joins neighbours to numbers of two, then four, then eight digits.
func decimal(word uint64) uint64 {
	word = (word*10 + word>>8) & 0x00ff00ff00ff00ff
	word = (word*100 + word>>16) & 0x0000ffff0000ffff
	return (word*10000 + word>>32) & 0xffffffff
}
