package options

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"sync"
)

// number matches a number with its exponent, and the letter behind it.
var number = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d+(?:_\d+)*(?:\.\d+)?(?:[eE]\+?0*\d{1,2})?)([kKMG]?)$`)
})

// Count reads a whole number as people write large ones: 10000000, 10_000_000, 10M, 1e7, 1.5e6 or 2.5k,
// where the letters k, M and G mean a thousand, a million and a thousand million.
// It fails if the number is not whole or above 2^63-1.
func Count(text string) (int64, error) {
	if parts := number().FindStringSubmatch(text); parts != nil {
		n, _ := new(big.Rat).SetString(strings.ReplaceAll(parts[1], "_", ""))
		n.Mul(n, big.NewRat(map[string]int64{"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}[parts[2]], 1))
		if n.IsInt() && n.Num().IsInt64() {
			return n.Num().Int64(), nil
		}
	}
	return 0, fmt.Errorf("%q is not a whole number such as 1000, 10_000, 10k, 1e6 or 2.5M", text)
}
