package ltl_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/testing/mutation"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestTextsParseBack: a formula is written with what it takes, and read as it was.
func TestTextsParseBack(t *testing.T) {
	for text, want := range map[string]string{
		"G (REQ -> F ACK)":            "G (REQ -> F ACK)",
		"G(REQ->F ACK)":               "G (REQ -> F ACK)",
		"[](REQ-><>ACK)":              "G (REQ -> F ACK)",
		"GF a && FG b":                "GF a && FG b",
		"[]<>a":                       "GF a",
		"<>[]a":                       "FG a",
		"G F G a":                     "GF G a",
		"G X a":                       "G X a",
		"XXa":                         "XXa",
		"! a U b":                     "!a U b",
		"!(a U b)":                    "!(a U b)",
		"a U b W c":                   "a U b W c",
		"(a U b) W c":                 "(a U b) W c",
		"a -> b -> c":                 "a -> b -> c",
		"(a -> b) -> c":               "(a -> b) -> c",
		"a <-> b <-> c":               "a <-> b <-> c",
		"a <-> (b <-> c)":             "a <-> (b <-> c)",
		"a && b || c && d":            "a && b || c && d",
		"(a || b) && c":               "(a || b) && c",
		"(a && b) && c":               "(a && b) && c",
		`"PUT !1" R /^x\/y/`:          `"PUT !1" R /^x\/y/`,
		"F {PUT, GET}":                "F {PUT, GET}",
		"F {PUT !1}":                  "F {PUT !1}",
		"F {G}":                       "F {G}",
		`F "G"`:                       `F "G"`,
		"r1(d1, d2) M RACK*":          "r1(d1, d2) M RACK*",
		"G(a)":                        "G a",
		"G deadlock || false && true": "G deadlock || false && true",
		"!!a":                         "!!a",
		"!X!a":                        "!X !a",
		"F {}":                        "F {}",
		"{Never(a)} U {Inev}":         "{Never(a)} U {Inev}",
		"{DeadlockFree}":              "{DeadlockFree}",
		"été U 1.5":                   "été U 1.5",
		"a /\\d/":                     "",
		"<>(big = 4)":                 "F big = 4",
		`(big=5) ~> (small = 3)`:      "G (big = 5 -> F small = 3)",
		`[]~(a /\ b) \/ c => d`:       "G !(a && b) || c -> d",
		"a <=> b => c":                "(a <-> b) -> c",
		`pc[1] # "cs" U x \in {2, 1}`: `pc[1] != "cs" U x \in {1, 2}`,
		"G(x=<3)&&y/=<<1,2>>":         "G x <= 3 && y != <<1, 2>>",
		"F Len(queue)>n":              "F Len(queue) > n",
		"F {A, big=4}":                "F {A, big = 4}",
		`F ch["a"].to.x = 1.5`:        `F ch["a"].to.x = 1.5`,
		"F x = /a|b/ || y = n*":       "F x = /a|b/ || y = n*",
		"x -> y <-> z":                "x -> y <-> z",
	} {
		f, err := ltl.Parse(context.Background(), text)
		if want == "" {
			if err == nil {
				t.Errorf("%s is read as %s", text, f)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := f.String(); got != want {
			t.Errorf("%s is written %s, want %s", text, got, want)
		}
		if back, err := ltl.Parse(context.Background(), f.String()); err != nil || !back.Equal(f) {
			t.Errorf("%s is not read as it was: %v", f, err)
		}
	}
}

// TestErrorsSayWhatToWrite: an error names what is expected, where, and, where that is
// likely, what was meant.
func TestErrorsSayWhatToWrite(t *testing.T) {
	for text, want := range map[string]string{
		"a & b":            `expected "&&" (a label that contains "&" is quoted as a whole), found "&" (column 3)`,
		"a|b":              `expected "||" (a label that contains "|" is quoted as a whole), found "|" (column 2)`,
		"a ∧ b":            `expected "&&", found "∧" (column 3)`,
		`\A p \in P : a`:   `expected a formula without quantifiers, operators on values and definitions of the specification; write out what they say of each value, as in pc[1] = "cs" || pc[2] = "cs", found "\A" (column 1)`,
		`x = A \cup B`:     `expected a formula without quantifiers, operators on values and definitions of the specification; write out what they say of each value, as in pc[1] = "cs" || pc[2] = "cs", found "\cup" (column 7)`,
		"x = ":             `expected a value, found end of formula (column 4)`,
		"x <= y ~> a ~> b": `expected parentheses around one of these operators of TLA+, found "~" (column 13)`,
		"a and b":          `expected an operator or the end of the formula (and is read as a label; write &&), found "and" (column 3)`,
		"always a":         `expected an operator or the end of the formula (always is read as a label; write G), found "a" (column 8)`,
		"G (a -> b":        `expected an operator or ")" to close the "(" at column 3, found end of formula (column 10)`,
		"F":                `expected a formula after F, which is an operator (quote it to mean a label: "F"), found end of formula (column 2)`,
		"a U":              `expected a formula after U, which is an operator (quote it to mean a label: "U"), found end of formula (column 4)`,
		"U a":              `expected an atom, such as REQ or "PUT !1", or an operator, such as G (U is a binary operator; quote it to mean a label: "U"), found "U" (column 1)`,
		"":                 `expected an atom, such as REQ or "PUT !1", or an operator, such as G, found end of formula (column 1)`,
		"PUT !1":           `expected an operator or the end of the formula, found "!" (column 5)`,
		"a b":              `expected an operator or the end of the formula (a label with blanks is quoted as a whole), found "b" (column 3)`,
		"a-b":              `expected an operator or the end of the formula (a label with other characters than letters, digits and _ . * ? is quoted as a whole), found "-" (column 2)`,
		"a)":               `expected an operator or the end of the formula, found ")" (column 2)`,
		"r1(d1":            `expected ")" to close the "(" at column 3, found end of formula (column 6)`,
		`F "abc`:           `expected the quote (") that ends the label begun at column 3, found end of formula (column 7)`,
		"F /(/":            `expected a regular expression of Go (RE2), found missing closing ) in "(" (column 4)`,
		"F {a, b":          `expected "," or "}", found end of formula (column 8)`,
	} {
		_, err := ltl.Parse(context.Background(), text)
		var syntax *actl.SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := strings.TrimPrefix(err.Error(), "formula: "); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestDeepNestingIsAnError: no text makes the parser run out of stack.
func TestDeepNestingIsAnError(t *testing.T) {
	deep := 100_000
	if !randomlts.Whole() {
		deep = 20_000
	}
	for _, part := range []string{"(", "!", "X ", "a U ", "a -> ", "a <-> ", "G(", "GF !"} {
		_, err := ltl.Parse(context.Background(), strings.Repeat(part, deep)+"a")
		if err == nil || !strings.Contains(err.Error(), "at most 500 operators and parentheses within each other") {
			t.Errorf("%s…: %v", part, err)
		}
	}
	if _, err := ltl.Parse(context.Background(), strings.Repeat("a && b || ", deep)+"a"); err != nil {
		t.Errorf("many operands: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"G (REQ -> F ACK)", "[]<>a && <>[]!b", `"PUT !1" U {PUT, /x/} W r1(d1, d2) M a*`, "a <-> (b -> c) R deadlock", "GF {G} || X !true",
		"a & b", "((", `F "`, "été", "a/\\b", "{}", "F {{a}, {}}", "G\x80",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer mutation.Limited()()
		checkText(t, text)
	})
}

// checkText: a formula that is read is written so that it is read again; an error has its place.
func checkText(t *testing.T, text string) {
	formula, err := ltl.Parse(context.Background(), text)
	if err != nil {
		var syntax *actl.SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(text) {
			t.Fatalf("%v", err)
		}
		_ = syntax.Caret()
		return
	}
	back, err := ltl.Parse(context.Background(), formula.String())
	if err != nil || !back.Equal(formula) || back.String() != formula.String() {
		t.Fatalf("%q is written %q, which is read as %v, %v", text, formula, back, err)
	}
}
