package actl

import (
	"context"
	"errors"
	"strings"
	"testing"
)

const forms = `Inev(A, B), Response(A; B) or A[true_{true} U_{A} A[true_{true} U_{B} true]] (of ACTL only inevitability can be checked)`

// nothing is what should stand where nothing does.
const nothing = `a property, such as Inev(A, B), Response(A; B) or G (A -> F B)`

func TestSyntaxErrors(t *testing.T) {
	const as = `, as in A[true_{true} U_{A} A[true_{true} U_{B} true]] (of ACTL only inevitability can be checked)`
	tests := []struct {
		text, caret     string
		expected, found string
	}{
		{``, `^`, nothing, `end of formula`},
		{" \n ", `^`, nothing, `end of formula`},
		{`Inev`, `    ^`, `"(" after Inev`, `end of formula`},
		{`Inev PUT`, `     ^`, `"(" after Inev`, `"PUT"`},
		{`Inev(`, `     ^`, `a label pattern after "("`, `end of formula`},
		{`Inev()`, `     ^`, `a label pattern after "("`, `")"`},
		{`Inev(A`, `      ^`, `"," or ")"`, `end of formula`},
		{`Inev(A, )`, `        ^`, `a label pattern after ","`, `")"`},
		{`Inev(A,,B)`, `       ^`, `a label pattern after ","`, `","`},
		{`Inev(A,`, `       ^`, `a label pattern after ","`, `end of formula`},
		{`Inev(A))`, `       ^`, `end of formula`, `")"`},
		{`Inev(A) and more`, `        ^`, `end of formula`, `"and"`},
		{`Inev(r1(d1)`, `           ^`, `"," or ")"`, `end of formula`},
		{`Inev(r1(d1`, `          ^`, `")" to close the "(" at column 8`, `end of formula`},
		{`Inev(r1(d1])`, `          ^`, `")" to close the "(" at column 8`, `"]"`},
		{`Inev(f({1)`, `         ^`, `"}" to close the "{" at column 8`, `")"`},
		{`Inev(A, ])`, `        ^`, `a label pattern after ","`, `"]"`},
		{`Inev("PUT !1`, `            ^`, `the quote (") that ends the label begun at column 6`, `end of formula`},
		{"Inev(\"A\nB\")", `       ^`, `the quote (") that ends the label begun at column 6`, `end of line`},
		{`Inev("A\")`, `          ^`, `the quote (") that ends the label begun at column 6`, `end of formula`},
		{`Inev("A"B)`, `        ^`, `"," or ")"`, `"B"`},
		{`Inev(say "x")`, `         ^`, `a label; one that contains a quote is quoted as a whole, with \" for the quote`, `a quote (")`},
		{`Inev(/RACK`, `          ^`, `the "/" that ends the regular expression begun at column 6`, `end of formula`},
		{`Inev(//)`, `      ^`, `a regular expression between "/" and "/"`, `"/"`},
		{`Inev(A, /RACK[01/)`, `             ^`, `a regular expression of Go (RE2)`, `missing closing ] in "[01"`},
		{`Inev(/(?!a)/)`, `      ^`, `a regular expression of Go (RE2)`, `invalid or unsupported Perl syntax in "(?!"`},
		{`Inev({,})`, `      ^`, `a label pattern after "{"`, `","`},
		{`Inev({{}})`, `       ^`, `a label pattern after "{"`, `"}"`},
		{`Inev({A, {}})`, `          ^`, `a label pattern after "{"`, `"}"`},
		{`Inev({A,})`, `        ^`, `a label pattern after ","`, `"}"`},
		{`Inev({A, B`, `          ^`, `"," or "}"`, `end of formula`},
		{`Inev({A, B)`, `          ^`, `"," or "}"`, `")"`},
		{`Inev({A}}, B)`, `        ^`, `"," or ")"`, `"}"`},

		{`PUT, GET`, `^`, forms, `"PUT"`},
		{`AF(PUT)`, `^`, forms, `"AF"`},
		{`EF PUT`, `^`, forms, `"EF"`},
		{`[true*] < "PUT" > true`, `^`, forms, `"["`},
		{`Inevitable(PUT)`, `^`, `a property (did you mean Inev?)`, `"Inevitable"`},
		{`A`, ` ^`, `"["` + as, `end of formula`},
		{`A[`, `  ^`, `"true"` + as, `end of formula`},
		{`A[p_{true} U_{PUT} true]`, `  ^`, `"true"` + as, `"p_"`},
		{`A[true_{PUT} U_{GET} true]`, `        ^`, `"true"` + as, `"PUT"`},
		{`A[true_{true W_{GET} true]`, `             ^`, `"}"` + as, `"W_"`},
		{`A[true_{true} W_{GET} true]`, `              ^`, `"U"` + as, `"W_"`},
		{`A[true_{true} U GET true]`, `                ^`, `"_{"` + as, `"GET"`},
		{`A[true_{true} U_]`, `                ^`, `a label pattern after "U_"`, `"]"`},
		{`A[true_{true} U_ true]`, `                     ^`, `"A["` + as, `"]"`},
		{`A[true_{true} U_{} true]`, `                 ^`, `a label pattern after "{"`, `"}"`},
		{`A[true_{true} U_{A or} true]`, `                     ^`, `a label pattern after "or"`, `"}"`},
		{`A[true_{true} U_{A and B} true]`, `                   ^`, `"or", "," or "}"`, `"and"`},
		{`A[true_{true} U_{A & B} true]`, `                   ^`, `"or", "," or "}"`, `"&"`},
		{`A[true_{true} U_{not A} true]`, `                 ^`, `a label pattern without negation`, `"not"`},
		{`A[true_{true} U_{~A} true]`, `                 ^`, `a label pattern without negation`, `"~"`},
		{`A[true_{true} U_{A} E[true_{true} U_{B} true]]`, `                    ^`, `"A["` + as, `"E"`},
		{`A[true_{true} U_{A} false]`, `                    ^`, `"A["` + as, `"false"`},
		{`A[true_{true} U_{A} true`, `                        ^`, `"]" to close the "[" at column 2`, `end of formula`},
		{`A[true_{true} U_{A} (A(true_{true} U_{B} true])]`, `                                             ^`, `")" to close the "(" at column 23`, `"]"`},
		{`true`, `^`, forms, `"true"`},
	}
	for _, test := range tests {
		_, err := Parse(context.Background(), test.text)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: error %v", test.text, err)
			continue
		}
		_, caret, _ := strings.Cut(syntax.Caret(), "\n")
		if syntax.Expected != test.expected || syntax.Found != test.found || caret != test.caret {
			t.Errorf("%s\nexpected %s, found %s\n%s\nwant\nexpected %s, found %s\n%s", test.text,
				syntax.Expected, syntax.Found, syntax.Caret(), test.expected, test.found, test.caret)
		}
	}
}

func TestSyntaxErrorText(t *testing.T) {
	long := "Inev(" + strings.Repeat("A, ", 100)
	tests := []struct{ text, want, caret string }{
		{"Inev(", `formula: expected a label pattern after "(", found end of formula (column 6)`, "Inev(\n     ^"},
		{"Inev(ä, \x1b[\tö", `formula: expected "]" to close the "[" at column 10, found end of formula (column 13)`, "Inev(ä, ␛[ ö\n            ^"},
		{"Inev(\xff, \u202e, \x7f)x\x00", `formula: expected end of formula, found "x" (column 14)`, "Inev(\ufffd, \ufffd, ␡)x␀\n             ^"},
		{"Inev(A)" + strings.Repeat("x", 50), `formula: expected end of formula, found "` + strings.Repeat("x", 40) + `…" (column 8)`,
			"Inev(A)" + strings.Repeat("x", 50) + "\n       ^"},
		{long + "])" + strings.Repeat("B", 200), `formula: expected a label pattern after ",", found "]" (column 306)`,
			"…" + long[255:] + "])" + strings.Repeat("B", 48) + "…\n" + strings.Repeat(" ", 51) + "^"},
		{long + "]", `formula: expected a label pattern after ",", found "]" (column 306)`,
			"…" + long[206:] + "]\n" + strings.Repeat(" ", 100) + "^"},
		{"EF" + strings.Repeat("x", 200), `formula: expected ` + forms + `, found "EF` + strings.Repeat("x", 38) + `…" (column 1)`,
			"EF" + strings.Repeat("x", 98) + "…\n^"},
	}
	for _, test := range tests {
		_, err := Parse(context.Background(), test.text)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: error %v", test.text, err)
			continue
		}
		if syntax.Error() != test.want || syntax.Caret() != test.caret {
			t.Errorf("%q:\n%s\n%s\nwant\n%s\n%s", test.text, syntax, syntax.Caret(), test.want, test.caret)
		}
	}
}
