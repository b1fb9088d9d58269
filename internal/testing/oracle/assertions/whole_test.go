package assertions_test

import (
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/assertions"
)

func TestLiteralOf(t *testing.T) {
	for pattern, want := range map[string]string{
		`^(?:It never does (a|b))\.$`: "It never does ", `^(?:a|b)\.$`: ".", `^x(?:yyy)?z+$`: "x", `(?i)abc`: "", `(ab)+cdef*`: "cde", `x{2}`: "",
	} {
		if got := assertions.LiteralOf(pattern); got != want {
			t.Errorf("of %s it is %q, want %q", pattern, got, want)
		}
	}
}
