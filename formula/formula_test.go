package formula_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/formula"
)

// TestHowATextIsRead: a pattern's name and a parenthesis, or A[, is read by package actl,
// all else as linear temporal logic; slips are told.
func TestHowATextIsRead(t *testing.T) {
	for text, want := range map[string]string{
		"Inev(A, B)":                    "*actl.Formula",
		" inev (A)":                     "*actl.Formula",
		"Response(A; B)":                "*actl.Formula",
		"A[true_{true} U_{A} true]":     "*actl.Formula",
		"((A[true_{true} U_{A} true]))": "*actl.Formula",
		"Inev":                          `expected "(" after Inev`,
		"Inev A":                        `expected "(" after Inev`,
		"Inev U A":                      "*ltl.Formula",
		"A":                             "*ltl.Formula",
		"(A)":                           "*ltl.Formula",
		"A U B":                         "*ltl.Formula",
		"Reliable(A)":                   "*ltl.Formula",
		"Inevitable(A)":                 "did you mean Inev?",
		`"Inv(A)"`:                      "*ltl.Formula",
		"Inv(A)":                        "did you mean Inev?",
		"Ineve(A, B)":                   "did you mean Inev?",
		"Respond(A; B)":                 "did you mean Response?",
		`Absent("B")`:                   "did you mean Never?",
		"Precedence(A; B)":              "did you mean Precedes?",
		"Existence(A)":                  "did you mean Inev?",
		"Universality(A)":               "did you mean Always?",
		"AG(A)":                         "without A and E",
		"EF (A)":                        "without A and E",
		"AG A":                          "AG is read as a label; write G",
		"":                              "such as Inev(A, B)",
		"A, B":                          "are written Inev(A, B)",
	} {
		f, err := formula.Parse(context.Background(), text)
		got := fmt.Sprintf("%T", f)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestFiles: comments are left out, and errors name the line.
func TestFiles(t *testing.T) {
	f, err := formula.ParseFile(context.Background(), "p.inev", []byte("# requests\nG (REQ ->\n F ACK)\n"))
	if err != nil || f.String() != "G (REQ -> F ACK)" {
		t.Errorf("%v, %v", f, err)
	}
	_, err = formula.ParseFile(context.Background(), "p.inev", []byte("# requests\nG (REQ &\n F ACK)\n"))
	if want := `p.inev:2: expected "&&" (a label that contains "&" is quoted as a whole), found "&" (column 8)`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
