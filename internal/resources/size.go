package resources

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseSize reads an amount of memory such as 6GB, 1.5GB or 512MiB: with a unit, or as a number of
// bytes. It fails for a text that is no size above zero.
func ParseSize(text string) (int64, error) {
	digits := strings.TrimRight(text, "BGKMTbgikmt ")
	number, err := strconv.ParseFloat(digits, 64)
	unit := map[string]float64{
		"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12,
		"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
	}[strings.ToLower(strings.TrimSpace(text[len(digits):]))]
	bytes := number * unit
	if err != nil || !(bytes >= 1 && bytes <= math.MaxInt64/2) { // NaN is neither
		return 0, fmt.Errorf("%s is not a size above zero, such as 500MB or 6GB", text)
	}
	return int64(bytes), nil
}
