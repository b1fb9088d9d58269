package options_test

import (
	"math"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/options"
)

func TestCount(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "7": 7, "007": 7, "1000000": 1e6, "1_000_000": 1e6, "1e6": 1e6, "1E6": 1e6, "1e+6": 1e6, "10M": 1e7, "10k": 1e4, "10K": 1e4,
		"2G": 2e9, "1.5M": 1.5e6, "2.5e1": 25, "2.50e1": 25, "1.0": 1, "1e3k": 1e6, "9223372036854775807": math.MaxInt64, "0e18": 0,
	} {
		if got, err := options.Count(text); err != nil || got != want {
			t.Errorf("%q is %d (%v), want %d", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", " 1", "-1", "+1", "x", "1x", "1.5", "1.", ".5", "e6", "1e", "1e-3", "1e19", "1e99999999999999999999", "k", "1kk", "M1", "_1", "1_", "1__0",
		"9223372036854775808", "1.23k4", "1.x5e3", "0x10", "9.3e18", "1.2345k", "١",
	} {
		if got, err := options.Count(text); err == nil || !strings.Contains(err.Error(), "is not a whole number") {
			t.Errorf("%q is %d (%v), want an error", text, got, err)
		}
	}
}
