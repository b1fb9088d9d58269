package formula_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/mutation"
)

// grammar writes properties in all syntaxes; not all of them are read, as steps may exclude
// each other.
var grammar = mutation.Grammar{
	"property": {
		"Inev($steps)", "Inev($steps; $scope)", "Response($steps; $steps)", "Response($steps; $steps; $scope)", "Precedes($steps; $steps)",
		"Precedes($steps; $steps; $scope)", "Never($steps)", "Never($steps; $scope)", "Always($step; $scope)", "AtMost($number; $step)", "AtMost($number; $step; $scope)",
		"DeadlockFree", "DeadlockFree($scope)", "A[true_{true} U_{$labels} true]", "A[true_{true} U_{$labels} A[true_{true} U_{$labels} true]]", "$ltl",
	},
	"steps":  {"$step", "$step, $steps"},
	"step":   {"$label", "{$set}", "/$label/"},
	"set":    {"$label", "$label, $set"},
	"labels": {"$label", "$label or $labels"},
	"label":  {"a", "b*", `"PUT !1"`, "r1(d1)", "x?"},
	"number": {"2", "1", "0", "1000"},
	"scope":  {"after $step", "before $step", "between $step and $step", "after $step until $step"},
	"ltl":    {"F $step", "G ($step -> $ltl)", "$step U $ltl", "!$ltl", "($ltl || $ltl)", "X $ltl", "GF $step"},
}

// FuzzMutants derives a property and changes its tokens: what is read is written so that it is
// read again, in the same syntax, and an error has its place.
func FuzzMutants(f *testing.F) {
	words := []string{"Inev(", "Never(", "A[", "U_{", "G", "F", "U", "true", "before", "after", "between", "and", "until", "or", ";", ",", "(", ")", "{", "}", "/", "\"", "*", "!", "->", "=", "<"}
	for derivation := range 16 {
		f.Add([]byte{byte(derivation), 1, 2, 0, 1, 0, 3, 1}, []byte{})
		f.Add([]byte{byte(derivation), 0, 1, 1, 2, 0, 1, 0}, []byte("\x03\x20\x01\x06\x80\x00"))
	}
	f.Fuzz(func(t *testing.T, derivation, program []byte) {
		defer mutation.Limited()()
		text := mutation.Of(grammar.Derive("property", derivation), program, words)
		p, err := formula.Parse(context.Background(), text)
		if err != nil {
			var syntax *actl.SyntaxError
			if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(syntax.Text) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		back, err := formula.Parse(context.Background(), p.String())
		if err != nil || reflect.TypeOf(back) != reflect.TypeOf(p) || back.String() != p.String() {
			t.Fatalf("%q is written %q, which is read as %v, %v", text, p, back, err)
		}
	})
}
