package ltl_test

import (
	"context"
	"testing"

	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/testing/mutation"
)

// grammar writes formulas that all are read.
var grammar = mutation.Grammar{
	"formula": {
		"$atom", "true", "false", "deadlock", "!$formula", "~ $formula", "X $formula", "F $formula", "G $formula", "<>$formula", "[]$formula", "GF $formula", "FG $formula",
		"($formula)", "$formula U $formula", "$formula R $formula", "$formula W $formula", "$formula M $formula",
		"$formula && $formula", `$formula /\ $formula`, "$formula || $formula", `$formula \/ $formula`, "$formula -> $formula", "$formula => $formula", "$formula <-> $formula",
		"($formula ~> $formula)", "($formula <=> $formula)",
	},
	"atom":  {"$label", "{$labels}", "/$expression/", "r1(d1, true)"},
	"label": {"REQ", "a", "a*", "p?", `"PUT !1"`, `"G"`, `"\"\\"`, "x=3", `pc[1] # "cs"`, "été"},
	"labels": {
		"$label", "$label, $labels", "/$expression/, $labels",
	},
	"expression": {"x", "^R[01]$expression", "a|b", "(a.b)*", `\/`},
}

// FuzzMutants derives a formula, which must be read, and changes its tokens.
func FuzzMutants(f *testing.F) {
	words := []string{"G", "F", "X", "U", "R", "W", "M", "GF", "[]", "<>", "!", "&&", "||", "->", "<->", "~>", "<=>", "(", ")", "{", "}", "/", "\"", "\\", "=", "#", "true", "deadlock", "a|b", "&"}
	for _, derivation := range []string{"", "\x0e\x08\x00\x00\x01\x07\x00\x00", "\x19\x10\x04\x00\x02\x13\x00\x01", "\x14\x09\x00\x01\x01\x02\x00\x16"} {
		f.Add([]byte(derivation), []byte{})
		f.Add([]byte(derivation), []byte("\x03\x20\x01\x06\x80\x00"))
	}
	f.Fuzz(func(t *testing.T, derivation, program []byte) {
		defer mutation.Limited()()
		text := grammar.Derive("formula", derivation)
		if _, err := ltl.Parse(context.Background(), text); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		checkText(t, text)
		checkText(t, mutation.Of(text, program, words))
	})
}
