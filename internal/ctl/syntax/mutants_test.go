package syntax_test

import (
	"context"
	"testing"

	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/testing/mutation"
)

// grammar writes formulas that all are read.
var grammar = mutation.Grammar{
	"formula": {
		"$predicate", "true", "false", "deadlock", "!$formula", "EX $formula", "AX $formula", "EF $formula", "AF $formula", "EG $formula", "AG $formula",
		"($formula)", "<$labels>$formula", "[$labels] $formula", "$formula && $formula", "$formula || $formula", "$formula -> $formula",
		"$runs[$formula $until $formula]", "$runs($formula $until $formula)",
		"$runs[$formula {$labels} U $formula]", "$runs[$formula {$labels} U {$labels} $formula]", "$runs[$formula_{$labels} U_{$labels} $formula]",
	},
	"runs":      {"E", "A"},
	"until":     {"U", "R", "W", "M"},
	"predicate": {"p", "pc=3", `"x y" = "a b"`, `"EF"=EF`, "big<4", "pc[1]#2"},
	"labels":    {"a", "true", "$label, $labels", "$label or $labels"},
	"label":     {"ACK", `"PUT !1"`, "r1(d1)", "/^a/", "c*"},
}

// FuzzMutants derives a formula, which must be read, and changes its tokens.
func FuzzMutants(f *testing.F) {
	words := []string{"E", "A", "EF", "AG", "EX", "U", "R", "W", "M", "[", "]", "<", ">", "(", ")", "{", "}", "_{", "&&", "||", "->", "!", "=", "#", "\"", "/", "true", "deadlock", "p", ","}
	for _, derivation := range []string{"", "\x11\x00\x00\x00\x09\x00\x01", "\x14\x01\x0c\x02\x01\x00\x00\x03", "\x10\x0d\x03\x01\x00\x13"} {
		f.Add([]byte(derivation), []byte{})
		f.Add([]byte(derivation), []byte("\x03\x20\x01\x06\x80\x00"))
	}
	f.Fuzz(func(t *testing.T, derivation, program []byte) {
		defer mutation.Limited()()
		text := grammar.Derive("formula", derivation)
		if _, err := syntax.Parse(context.Background(), text); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		checkText(t, text)
		checkText(t, mutation.Of(text, program, words))
	})
}
