package actl_test

import (
	"context"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
)

// patternsWithScopes are all patterns in all scopes, over actions a to d that may mean
// several labels each.
func patternsWithScopes() []string {
	scopes := []string{"", "before x", "after x", "between x and y", "after x until y", "between x and x", "after x until x", "before {x, a}", "between {x, a} and {y, b}"}
	var all []string
	for _, pattern := range []string{
		"Inev(a)", "Inev(a, b)", "Inev(a, b, a)", "Inev({a, ab}, {b, ab})",
		"Response(a; b)", "Response(a; b, c)", "Response({a, ab}; {b, ab}, c)", "Response(a; a)",
		"Never(a)", "Never(a, b)", "Never({a, ab}, {b, ab}, c)",
		"Precedes(a; b)", "Precedes({a, ab}; {b, ab})", "Precedes(a, c; b)", "Precedes({a, ab}, {c, ab}; {b, ab})",
		"Always({a, b, x})", "Always({})", "AtMost(0; a)", "AtMost(2; a)", "AtMost(1; {a, ab, x})",
		"DeadlockFree",
	} {
		for _, scope := range scopes {
			text := pattern
			switch {
			case scope == "":
			case pattern == "DeadlockFree":
				text += "(" + scope + ")"
			default:
				text = strings.TrimSuffix(pattern, ")") + "; " + scope + ")"
			}
			all = append(all, text)
		}
	}
	return all
}

var letters = []string{"a", "b", "c", "x", "y", "ab", "xy", "other"}

// widen gives the delimiters labels that do several things: xy is x and y.
func widen(text string) string {
	return strings.NewReplacer("Always", "Always", "x", "{x, xy}", "y", "{y, xy}").Replace(text)
}

// TestPatternsPrintAndParse: a formula prints as what parses back to it.
func TestPatternsPrintAndParse(t *testing.T) {
	more := []string{
		"Never({a;b})", "Never({before x})", "Inev({a; after b})", "Inev(a;b)", "Always({a and b}; after {c until d} until e)",
		`AtMost(3; /^a;b/; between "p q" and PUT !1)`, "precedes(a, {b, c}; d)", "DeadlockFree(after x until {y, z})",
		"Inev(before x)", "Response({after x}; {between}; before {until})", "deadlockfree",
	}
	for _, text := range append(patternsWithScopes(), more...) {
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
