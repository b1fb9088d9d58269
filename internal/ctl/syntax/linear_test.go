package syntax_test

import (
	"context"
	"testing"

	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/ctl/syntax"
)

func TestLinear(t *testing.T) {
	for text, want := range map[string]string{
		"AG (a -> AF b)":            "G (a -> F b)",
		"AG AF a":                   "G F a",
		"A[!a W b] && !c":           "(!a W b) && !c",
		"A[a U AX b]":               "a U X b",
		"!(a || b) -> AG c":         "!(a || b) -> G c",
		"AG EF a":                   "",
		"!AF a":                     "", // some run never does a
		"AF a -> AF b":              "",
		"AG [a] AF b":               "",
		"AG (<a> true -> AF b)":     "",
		"A[true {a} U {b} true]":    "",
		"a && !b":                   "", // about one state, not about runs
		"AG (AF a -> b) || EG true": "",
	} {
		f, err := syntax.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		got, is := f.Linear()
		if got != want || is != (want != "") {
			t.Errorf("%s: %q, %t, want %q", text, got, is, want)
		}
		if is {
			if _, err := formula.Parse(context.Background(), got); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}
