package aut

import (
	"encoding/binary"
	"math/bits"

	"github.com/inev-lts/inev/internal/words"
)

// tooLarge stands for itself and all larger numbers, so that numbers of any
// length are read without overflow; all limits are far below.
const tooLarge = 1 << 60

// number reads the digits from index i on. It returns their value, at most
// tooLarge, and the index behind them, which is i if there are none.
func number(line []byte, i int) (n uint64, end int) {
	// Most numbers in a file have less than eight digits.
	if i+8 <= len(line) {
		word := binary.LittleEndian.Uint64(line[i:]) ^ words.Zeros
		count := bits.TrailingZeros64(words.OtherThanDigits(word)) / 8
		if count < 8 {
			return words.Decimal(word << (64 - 8*count)), i + count
		}
		if i+16 <= len(line) {
			second := binary.LittleEndian.Uint64(line[i+8:]) ^ words.Zeros
			if count = bits.TrailingZeros64(words.OtherThanDigits(second)) / 8; count < 8 {
				return words.Decimal(word)*powers[count] + words.Decimal(second<<(64-8*count)), i + 8 + count
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

var powers = [8]uint64{1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000}

// numberBack reads the digits that end at index end. It returns their value, at
// most tooLarge, and the index of the first digit, which is end if there is no
// digit.
func numberBack(line []byte, end int) (n uint64, start int) {
	if end >= 8 {
		word := binary.LittleEndian.Uint64(line[end-8:]) ^ words.Zeros
		if count := bits.LeadingZeros64(words.OtherThanDigits(word)) / 8; count < 8 {
			unused := 64 - 8*count
			return words.Decimal(word >> unused << unused), end - count
		}
	}
	power := uint64(1)
	for start = end; start > 0; start-- {
		digit := line[start-1] - '0'
		if digit > 9 {
			break
		}
		// Any number of leading zeros is allowed: they add nothing to a saturated
		// power.
		n = min(n+uint64(digit)*power, tooLarge)
		power = min(power*10, tooLarge)
	}
	return n, start
}
