package actl_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/lts"
)

// TestSwappedArguments: an error about the arguments of a pattern points at what is to be changed.
func TestSwappedArguments(t *testing.T) {
	for text, want := range map[string]struct {
		offset   int
		expected string
	}{
		`Precedes(A, B)`:               {10, `";" between what precedes and what is preceded`},
		`Precedes(A, B, C)`:            {13, `";" between what precedes and what is preceded`},
		`Precedes(A)`:                  {10, `";" between what precedes and what is preceded`},
		`AtMost(A; 2)`:                 {7, "a number, 0 to 1000, and then what happens: AtMost(2; A)"},
		`AtMost("A !1" ; 2 ; after B)`: {7, `a number, 0 to 1000, and then what happens: AtMost(2; "A !1")`},
		`AtMost(A)`:                    {7, "a number, 0 to 1000"},
	} {
		_, err := actl.Parse(context.Background(), text)
		var syntax *actl.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if syntax.Offset != want.offset || syntax.Expected != want.expected {
			t.Errorf("%s: %d, %s", text, syntax.Offset, syntax.Expected)
		}
	}
}

// TestOffersAreSuggested: an offer that is written as a label suggests the labels that have it.
func TestOffersAreSuggested(t *testing.T) {
	var b lts.Builder
	for i, label := range []string{"IN !LISTEN", "IN !SYN(V,V,0)", "OUT !SYN(Z)", "OUT !ACK"} {
		b.Add(lts.State(i), b.Label(label), lts.State(i+1))
	}
	m, err := b.Build(0, 5)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"LISTEN": `did you mean "IN !LISTEN"?`,
		"SYN":    `did you mean "IN !SYN(V,V,0)", "OUT !SYN(Z)"?`,
		"OTHER":  "none is similar",
	} {
		f, err := actl.Parse(context.Background(), "Inev("+text+")")
		if err != nil {
			t.Fatal(err)
		}
		err = f.Unmatched(context.Background(), m.Alphabet())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
