package mutation_test

import (
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/mutation"
)

func TestDerive(t *testing.T) {
	g := mutation.Grammar{"sum": {"$term", "$sum+$sum", "($sum)"}, "term": {"x", "y"}}
	for program, want := range map[string]string{
		"":                         "x",
		"\x00\x01":                 "y",
		"\x01\x00\x01\x02":         "y+(x)",
		"\x04\x00\x01\x00\x00":     "y+x",
		"\x02\x02\x00\x01\x01\x01": "((y))",
	} {
		if got := g.Derive("sum", []byte(program)); got != want {
			t.Errorf("%q: %s, want %s", program, got, want)
		}
	}
	// It ends, whatever the program.
	for _, program := range []string{strings.Repeat("\x01", 100_000), strings.Repeat("\x02", 100_000)} {
		if got := g.Derive("sum", []byte(program)); len(got) > 20_000 {
			t.Errorf("%d bytes", len(got))
		}
	}
}
