package collection

import (
	"regexp"
	"strings"
)

// Patterns returns all patterns in all scopes, as texts, over actions a to d that may mean
// several labels each.
func Patterns() []string {
	scopes := []string{
		"",
		"before x",
		"after x",
		"between x and y",
		"after x until y",
		"between x and x",
		"after x until x",
		"before {x, a}",
		"between {x, a} and {y, b}",
	}
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

// delimiter matches an x or y that is a whole label, not a letter of a label or
// of a pattern's name.
var delimiter = regexp.MustCompile(`\b[xy]\b`)

// Widened replaces each delimiter x or y in a formula by a set of two labels:
// itself and xy, which is a label of both delimiters.
func Widened(text string) string { return delimiter.ReplaceAllString(text, "{$0, xy}") }
