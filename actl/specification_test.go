package actl_test

import (
	"context"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/testing/collection"
)

var letters = []string{"a", "b", "c", "x", "y", "ab", "xy", "other"}

// TestPatternsPrintAndParse: a formula prints as what parses back to it.
func TestPatternsPrintAndParse(t *testing.T) {
	more := []string{
		"Never({a;b})", "Never({before x})", "Inev({a; after b})", "Inev(a;b)", "Always({a and b}; after {c until d} until e)",
		`AtMost(3; /^a;b/; between "p q" and PUT !1)`, "precedes(a, {b, c}; d)", "DeadlockFree(after x until {y, z})",
		"Inev(before x)", "Response({after x}; {between}; before {until})", "deadlockfree",
	}
	for _, text := range append(collection.Patterns(), more...) {
		f, err := actl.Parse(context.Background(), text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		back, err := actl.Parse(context.Background(), f.String())
		if err != nil || !back.Equal(f) || back.String() != f.String() {
			t.Errorf("%s prints as %s, which is read as %v, %v", text, f, back, err)
		}
	}
}
