package actl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/testing/mutation"
	"github.com/inev-lts/inev/property"
)

func mustParse(t testing.TB, text string) *Formula {
	t.Helper()
	f, err := Parse(context.Background(), text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return f
}

func TestParse(t *testing.T) {
	tests := []struct{ text, want string }{
		// The examples of the interface.
		{`Inev(PUT)`, `Inev(PUT)`},
		{`Inev(r1(d1))`, `Inev(r1(d1))`},
		{`Inev("PUT !1", "GET !1")`, `Inev("PUT !1", "GET !1")`},
		{`Inev(/^RACK[01]$/, SDT*)`, `Inev(/^RACK[01]$/, SDT*)`},
		{`Inev({PUT, GET}, ACK)`, `Inev({PUT, GET}, ACK)`},
		{`A[true_{true} U_{PUT} A[true_{true} U_{GET} true]]`, `Inev(PUT, GET)`},

		// Layout and case.
		{" \t\r\n INEV (\nPUT ,GET\n) \n", `Inev(PUT, GET)`},
		{`inev(A)`, `Inev(A)`},
		{`Inev(c3(d2,   true), s( 1 ,2))`, `Inev(c3(d2, true), s( 1 ,2))`},
		{"Inev(c3(d2,\n  true))", `Inev(c3(d2, true))`},
		{`Inev(PUT  !1)`, `Inev(PUT  !1)`},
		{"Inev(PUT\n!1)", `Inev(PUT !1)`},

		// Bare text.
		{`Inev(f({1, 2}, [a], {}))`, `Inev(f({1, 2}, [a], {}))`},
		{`Inev(a(1)|b(2), PUT_\6, π, a/b)`, `Inev(a(1)|b(2), PUT_\6, π, a/b)`},
		{`Inev(true, not a, a or b, A)`, `Inev(true, not a, a or b, A)`},

		// Quoted labels and regular expressions.
		{`Inev("")`, `Inev("")`},
		{`Inev("a*?, {b} /")`, `Inev("a*?, {b} /")`},
		{`Inev("SEND !\"hello\"", "PUT_\6", "a\\", "\\\"")`, `Inev("SEND !\"hello\"", "PUT_\\6", "a\\", "\\\"")`},
		{`Inev(/a\/b/, /\\\//, /[)},]/)`, `Inev(/a\/b/, /\\\//, /[)},]/)`},

		// Sets.
		{`Inev({ a })`, `Inev(a)`},
		{`Inev({a, {b, {"c"}}, /d/})`, `Inev({a, b, "c", /d/})`},
		{`Inev({a, b, a, f(1,2), f(1, 2)})`, `Inev({a, b, f(1,2)})`},

		// ACTL.
		{"A [ true_{true}\n U_{ PUT } true ]", `Inev(PUT)`},
		{`A[true {true} U {PUT} true]`, `Inev(PUT)`},
		{`A(true_{true} U_{PUT} true)`, `Inev(PUT)`},
		{`A[true_{true}U_{PUT}A[true_{true}U_{GET}true]]`, `Inev(PUT, GET)`},
		{`A[TRUE_true U_PUT (A[true U_r1(d1, d2) true])]`, `Inev(PUT, r1(d1, d2))`},
		{`(A[true_{true} U_"PUT !1" true])`, `Inev("PUT !1")`},
		{`A[true_{true} U_{a, b or c | d || e \/ f(1,2)} true]`, `Inev({a, b, c, d, e, f(1,2)})`},
		{`A[true_{true} U_{a|b|"c"or"d"} true]`, `Inev({a, b, "c", "d"})`},
		{`A[true_{true} U_{{a|b}, {not c, d or e}} true]`, `Inev({a|b, not c, d or e})`},
		{`A[true_{true} U_{f(a|b or c)} true]`, `Inev(f(a|b or c))`},
		{`A[true_{true} U_{or or order or x or_} true]`, `Inev({or, order, x or_})`},
		{`A[true_{true} U_{true} true]`, `Inev(*)`},
		{`A[true_{true} U_true true]`, `Inev(*)`},
		{`A[true_{true} U_{{true}} true]`, `Inev(true)`},
		{`A[true_{true} U_{false} true]`, `Inev({})`},
		{`A[true_{true} U_{a or FALSE} (A[true U_false true])]`, `Inev(a, {})`},
		{`A[true_{true} U_{{false}} true]`, `Inev(false)`},
		{`Inev({ }, false)`, `Inev({}, false)`},
	}
	for _, test := range tests {
		f, err := Parse(context.Background(), test.text)
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		if got := f.String(); got != test.want {
			t.Errorf("%q is %s, want %s", test.text, got, test.want)
		}
		checkRoundTrip(t, f)
	}
}

// checkRoundTrip checks that what f prints as is f.
func checkRoundTrip(t testing.TB, f *Formula) {
	t.Helper()
	texts := []string{f.String()}
	if f.kind == property.KindInev && f.scope == property.Globally {
		texts = append(texts, f.ACTL())
	}
	for _, text := range texts {
		back, err := Parse(context.Background(), text)
		if err != nil {
			t.Fatalf("%s is not taken back: %v", text, err)
		}
		if !back.Equal(f) || back.String() != f.String() {
			t.Fatalf("%s is taken back as %s", text, back)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		element := rapid.OneOf(
			rapid.Map(rapid.String().Filter(func(s string) bool { return !strings.Contains(s, "\n") }), quote),
			rapid.SampledFrom([]string{"true", "A", "or", "/a/", `/\/\\/`, "a or b", "not x", "a|b", "f(1,  2)"}),
			rapid.StringOf(rapid.SampledFrom([]rune(`aAé1_|&~!\/ ,()[]{}*?.`))),
		)
		set := rapid.Map(rapid.SliceOfN(element, 0, 3), func(s []string) string { return "{" + strings.Join(s, ",") + "}" })
		steps := rapid.SliceOfN(rapid.OneOf(element, set), 1, 4).Draw(r, "steps")
		f, err := Parse(context.Background(), "Inev("+strings.Join(steps, ",")+")")
		if err != nil {
			r.Skip("not a formula")
		}
		checkRoundTrip(t, f)
	})
}

// TestBoundRoundTrip: what is printed of a property on a model means the same there once
// it is read back, also where no label does a step.
func TestBoundRoundTrip(t *testing.T) {
	texts := []string{"a", "b", "a !1", "b(1)", "b(1, 2)", "b(1)|a", "1", "", "false", "true", "or", `"`, `\`, "a or b", "{}", "[", "é"}
	patterns := []string{"a", "b", "{}", "{a, b}", "none", "/1/", "*", "false", `"a or b"`, "/x|y/"}
	rapid.Check(t, func(r *rapid.T) {
		alphabet := mustAlphabet(t, rapid.SliceOfDistinct(rapid.SampledFrom(texts), rapid.ID).Draw(r, "labels")...)
		f := mustParse(t, "Inev("+strings.Join(rapid.SliceOfN(rapid.SampledFrom(patterns), 1, 4).Draw(r, "steps"), ", ")+")")
		bound := func(f *Formula) *property.Chain {
			p, _, _ := f.Bind(context.Background(), alphabet)
			chain, _ := p.Chain()
			return chain
		}
		want := bound(f)
		text := Bound{want}.ACTL()
		back, err := Parse(context.Background(), text)
		if err != nil {
			r.Fatalf("%s is not taken back: %v", text, err)
		}
		got := bound(back)
		for i := 1; i <= max(want.Len(), got.Len()); i++ {
			if got.Len() != want.Len() || !slices.Equal(got.Step(i).Labels, want.Step(i).Labels) {
				r.Fatalf("%s is taken back as %s", text, back)
			}
		}
		checkRoundTrip(t, back)
	})
}

func TestEqual(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{`Inev(A, B)`, `A[true_{true} U_{A} A[true_{true} U_{B} true]]`, true},
		{`Inev(f(1,2), g(*, 3))`, `Inev(f(1, 2), g(*,3))`, true},
		{`Inev(A)`, `Inev(A, A)`, false},
		{`Inev(A)`, `Inev("A")`, false},
		{`Inev({A, B})`, `Inev({B, A})`, false},
		{`Inev({"a", "b"})`, `Inev({"a\"q\"b"})`, false},
	}
	for _, test := range tests {
		if got := mustParse(t, test.a).Equal(mustParse(t, test.b)); got != test.want {
			t.Errorf("%s equal to %s: %t", test.a, test.b, got)
		}
	}
}

func TestSteps(t *testing.T) {
	f := mustParse(t, `Inev(A, {B, C})`)
	steps := f.Steps()
	if f.Len() != 2 || len(steps) != 2 || steps[0].String() != "A" || steps[1].String() != "{B, C}" {
		t.Errorf("%d steps: %v", f.Len(), steps)
	}
	steps[0] = steps[1]
	if f.String() != "Inev(A, {B, C})" {
		t.Errorf("the slice of Steps is the formula's own: it is now %s", f)
	}
}

func TestMaxSteps(t *testing.T) {
	inev := func(n int) string { return "Inev(" + strings.Repeat("a, ", n-1) + "a)" }
	actl := func(n int) string { return strings.Repeat("A[true U_a ", n) + "true" + strings.Repeat("]", n) }
	for _, text := range []string{inev(property.MaxSteps), actl(property.MaxSteps)} {
		if f := mustParse(t, text); f.Len() != property.MaxSteps {
			t.Errorf("%d steps", f.Len())
		}
	}
	for _, text := range []string{inev(property.MaxSteps + 1), actl(property.MaxSteps + 1)} {
		const want = "expected at most 65535 steps, found another one"
		if _, err := Parse(context.Background(), text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		`Inev(PUT)`, `Inev(r1(d1))`, `Inev("PUT !1", "GET !1")`, `Inev(/^RACK[01]$/, SDT*)`, `Inev({PUT, GET}, ACK)`,
		`A[true_{true} U_{PUT} A[true_{true} U_{GET} true]]`, `A(true U_{a or b|c} (A[true U_"d" true]))`, `Inev("\"\\",/\//)`,
		`Never(a, b; after c until d)`, `Precedes({a;b}, c; d)`, `AtMost(2; a; between b and c)`, `DeadlockFree(before x)`, `Inev(a; before {x and y})`,
		`Response({before x}; b; after x)`, `Always({a, b})`,
	} {
		f.Add(text)
	}
	labels := []string{"", "i", "PUT", "PUT !1", "r1(d1)", "c3(d2, true)", "a|b", `say "x"`, "é"}
	f.Fuzz(func(t *testing.T, text string) {
		defer mutation.Limited()()
		checkText(t, text, labels)
	})
}

// FuzzMutants is FuzzParse for formulas with tokens exchanged.
func FuzzMutants(f *testing.F) {
	texts := []string{
		`Inev({PUT, "GET !1"}, r1(d1), /^R[01]$/, S*; after a until b)`, `A[true_{true} U_{a or b} (A[true_{true} U_{"c"} true])]`,
		`Response({a, b}; c, d; between x and y)`, `AtMost(2; a; before b)`,
	}
	words := []string{"Inev(", "Never(", "Always(", "Precedes(", "Response(", "AtMost(1000;", "DeadlockFree", "A[", "U_{", "true", "before", "after", "between", "and", "until", "or", ";", ",", "(", ")", "{", "}", "/", "\"", "\\", "*", "?", "|"}
	for i := range texts {
		f.Add(byte(i), []byte("\x03\x20\x01\x06\x80\x00"))
	}
	f.Fuzz(func(t *testing.T, which byte, program []byte) {
		defer mutation.Limited()()
		checkText(t, mutation.Of(texts[int(which)%len(texts)], program, words), []string{"", "i", "PUT", "GET !1", "r1(d1)", "R0", "a|b"})
	})
}

func checkText(t *testing.T, text string, labels []string) {
	formula, err := Parse(context.Background(), text)
	if err != nil {
		checkSyntaxError(t, err)
		var syntax *SyntaxError
		if errors.As(err, &syntax) {
			checkSyntaxError(t, syntax.In("f"))
		}
		return
	}
	checkRoundTrip(t, formula)
	checkBinding(t, formula, labels)
}

// checkSyntaxError checks the form of an error of any text.
func checkSyntaxError(t *testing.T, err error) {
	var syntax *SyntaxError
	if !errors.As(err, &syntax) {
		t.Fatalf("error %v is of type %T", err, err)
	}
	if syntax.Offset < 0 || syntax.Offset > len(syntax.Text) || syntax.Expected == "" || syntax.Found == "" {
		t.Fatalf("%#v", syntax)
	}
	line, mark, ok := strings.Cut(syntax.Caret(), "\n")
	if !ok || strings.Contains(mark, "\n") || strings.TrimLeft(mark, " ") != "^" || len([]rune(line)) > printable.CaretWindow+2 {
		t.Fatalf("%q", syntax.Caret())
	}
	for _, text := range []string{syntax.Error(), line} {
		if text != printable.Visible(text) {
			t.Fatalf("%q has characters that should not be shown", text)
		}
	}
}

func ExampleSyntaxError_Caret() {
	_, err := Parse(context.Background(), "Inev(PUT, {GET)")
	var syntax *SyntaxError
	if errors.As(err, &syntax) {
		fmt.Println(syntax)
		fmt.Println(syntax.Caret())
	}
	// Output:
	// formula: expected "," or "}", found ")" (column 15)
	// Inev(PUT, {GET)
	//               ^
}
