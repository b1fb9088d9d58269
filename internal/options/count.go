package options

import (
	"fmt"
	"math"
	"strings"
)

// Count reads a whole number as people write large ones: 10000000, 10_000_000, 10M, 1e7, 1.5e6 or 2.5k,
// where the letters k, M and G mean a thousand, a million and a thousand million.
// It fails if the number is not whole or above 2^63-1. Cost O(len(text)).
func Count(text string) (int64, error) {
	wrong := func() (int64, error) {
		return 0, fmt.Errorf("%q is not a whole number such as 1000, 10_000, 10k, 1e6 or 2.5M", text)
	}
	rest, power := text, 0
	if i := strings.IndexAny(rest, "kKMG"); i >= 0 && i == len(rest)-1 {
		power = map[byte]int{'k': 3, 'K': 3, 'M': 6, 'G': 9}[rest[i]]
		rest = rest[:i]
	}
	mantissa, exponent, has := strings.Cut(strings.ToLower(rest), "e")
	if has {
		e, ok := digits(strings.TrimPrefix(exponent, "+"))
		if !ok || e > 18 {
			return wrong()
		}
		power += int(e)
	}
	whole, fraction, has := strings.Cut(mantissa, ".")
	if has && fraction == "" {
		return wrong()
	}
	fraction = strings.TrimRight(fraction, "0")
	n, ok := digits(whole)
	if !ok || len(fraction) > power {
		return wrong()
	}
	for i := range power {
		digit := int64(0)
		if i < len(fraction) {
			if digit = int64(fraction[i]) - '0'; digit < 0 || digit > 9 {
				return wrong()
			}
		}
		if n > (math.MaxInt64-digit)/10 {
			return wrong()
		}
		n = n*10 + digit
	}
	return n, nil
}

// digits reads a natural number that may have single underscores between its
// digits.
func digits(text string) (n int64, ok bool) {
	if text == "" || text[0] == '_' || text[len(text)-1] == '_' || strings.Contains(text, "__") {
		return 0, false
	}
	for _, c := range []byte(text) {
		if c == '_' {
			continue
		}
		digit := int64(c) - '0'
		if digit < 0 || digit > 9 || n > (math.MaxInt64-digit)/10 {
			return 0, false
		}
		n = n*10 + digit
	}
	return n, true
}
