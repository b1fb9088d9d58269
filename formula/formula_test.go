package formula_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/formula/never"
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

// TestDashes: two dashes between blanks begin a comment in a formula of MCL, and are signs between numbers. A comment
// may stand among the arguments of a fixpoint, too, and is no part of the formula's text.
func TestDashes(t *testing.T) {
	const counter = "nu X(n:nat := 0) . (n < 3 and ( [ \"PUT\" ] X(n + 1)))"
	for text, want := range map[string]string{
		"--nothing\n  --is put\n[ true* . \"PUT\" ] (-- never\nfalse)\n":                                     `Never("PUT")`,
		"nu X (n:nat := 0) . (n < 3 and (-- :)\n [ \"PUT\" ] X (n -- one :)\n + 1)))":                        counter,
		"nu X (n:nat (* none ( *) := 0) . (n < 3 and (% (\n [ \"PUT\" ] X (n % one (\n + (* another *) 1)))": counter,
		"-- nothing\n---- is put\n[ true* . \"PUT\" ] --\n\tfalse -- ever\n":                                 `Never("PUT")`,
		"[ true* . {PUT ?n:nat where n = 1--1} ] false":                                                      "[ true* . {PUT ?n:nat where n = 1--1} ] false",
	} {
		f, err := formula.ParseFile(context.Background(), "p.mcl", []byte(text))
		if err != nil || f.String() != want {
			t.Errorf("%s: %v, %v, want %s", text, f, err, want)
		}
	}
}

// TestBeginnings: of what is in a file nothing, blanks and comments alone, and each beginning of a
// formula, is either read or refused at its place.
func TestBeginnings(t *testing.T) {
	texts := []string{
		"(* c *) macro M (A) = [ true* . A ] false end_macro M (\"PUT !1\" or 'x.*')\n% c\n", `not mu X . (< true > true and [ not {PUT !1 ...} ] X)`,
		"nu X . ([a(1)|b] X && (<true>true || [true]false))", "# c\n G (a -> x = 4 U {b, \"c d\"})\n", `Response(a; {b, /c/}; between x \in {1, 2} and d)`,
		"A[true_{true} U_{a or b} true]", "never { T0: do :: (!p && q) -> goto T0 :: skip od }",
		"HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"a\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0 {0}\n[0] 0\n--END--\n",
	}
	texts = append(texts, " \n\t\r\n", "(* nothing *)\n", "% nothing", "# nothing\n\n", "\ufeff", "macro M (A) = A end_macro\n", "/* nothing */")
	ctx := context.Background()
	readers := map[string]func(name, text string) error{
		"Parse":      func(_, text string) error { _, err := formula.Parse(ctx, text); return err },
		"ParseFile":  func(name, text string) error { _, err := formula.ParseFile(ctx, name, []byte(text)); return err },
		"never.Read": func(name, text string) error { _, err := never.Read(ctx, name, []byte(text)); return err },
	}
	for _, text := range texts {
		for end := range len(text) + 1 {
			for _, name := range []string{"f.mcl", "f.mcf", "f.txt"} {
				for reader, read := range readers {
					err := read(name, text[:end])
					var placed interface{ Caret() string }
					switch {
					case err == nil && strings.TrimSpace(text[:end]) == "":
						t.Errorf("%s of %s reads %q", reader, name, text[:end])
					case err != nil && (!errors.As(err, &placed) || strings.Contains(err.Error(), "\n")):
						t.Errorf("%s of %s: %q: %v", reader, name, text[:end], err)
					}
				}
			}
		}
	}
}
