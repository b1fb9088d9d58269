package liveness

import (
	"strings"
	"testing"
)

// TestIntervals: the members of intervals are listed, and those of many large ones in one value are not.
func TestIntervals(t *testing.T) {
	if text := withMembers(`<<1..3, "1..3", {2..1}, -1..0>>`); text != `<<{1, 2, 3}, "1..3", {{}}, {-1, 0}>>` {
		t.Error(text)
	}
	if n := len(withMembers(strings.Repeat("1..900000 ", 100))); n > 10<<20 {
		t.Errorf("%d bytes", n)
	}
}
