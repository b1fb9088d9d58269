package syntax_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/testing/mutation"
)

// The limits that messages name.
const (
	maxDepth    = 500
	maxOperands = 10_000
)

func TestParse(t *testing.T) {
	tests := []struct{ text, want string }{
		{"EF <ACK> true", "EF <ACK> true"},
		{"AG(AF <a or b> true)", "AG AF <a or b> true"},
		{"E[true U p]", "EF p"},
		{"A(false R p)", "AG p"},
		{"!(p && q) -> r || s && EX t", "!(p && q) -> r || s && EX t"},
		{"(p -> q) -> r", "(p -> q) -> r"},
		{"p -> (q -> r)", "p -> q -> r"},
		{"p && (q && r)", "p && (q && r)"},
		{"[true] deadlock", "AX deadlock"},
		{"<true>true", "EX true"},
		{"[{a->b}] false", "[a->b] false"},
		{"<{true}> true", "<{true}> true"},
		{"<PUT !1> true", "<PUT !1> true"},
		{"A[true_{true} U_{PUT} A[true_{true} U_{GET} true]]", "A[true U {PUT} A[true U {GET} true]]"},
		{"E[p {a} U {b} q]", "E[p {a} U {b} q]"},
		{"E[p_{a}U_{b}q]", "E[p {a} U {b} q]"},
		{"E[p {a, c} U q]", "E[p {a or c} U q]"},
		{"E[p U {true} q]", "E[p U {true} q]"},
		{"E[p {false} U {b} q]", "E[p {false} U {b} q]"},
		{"A[p W E[q M r]]", "A[p W E[q M r]]"},
		{`pc=3 && "x y" = "a b" || "EF"=EF`, `pc=3 && "x y"="a b" || "EF"="EF"`},
		{`""`, `""`},
		{"E[p R q] && EG EG EF !x", "E[p R q] && EG EG EF !x"},
		{"E[ (p U q ] ", ""},
	}
	for _, test := range tests {
		f, err := syntax.Parse(context.Background(), test.text)
		if err != nil {
			if test.want != "" {
				t.Errorf("%s: %v", test.text, err)
			}
			continue
		}
		if f.String() != test.want {
			t.Errorf("%s is %s, want %s", test.text, f, test.want)
		}
		checkRoundTrip(t, f)
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		text, expected string
		offset         int
	}{
		{"", "a formula, such as", 0},
		{"EF", "a formula, such as", 2},
		{"p q", "an operator (&&, ||, ->)", 2},
		{"E p", `"[" after E`, 2},
		{"E[p q]", "U, R, W or M", 4},
		{"E[p U q", `"]" to close the "[" at column 2`, 7},
		{"(p", `")" to close the "(" at column 1`, 2},
		{"p & q", "&&", 2},
		{"p | q", "||", 2},
		{"p => q", "->", 2},
		{"A[p {a} W q]", "U, the only operator with labels", 8},
		{"<a true", `"or", "," or ">"`, 7},
		{"U p", "stands between two formulas", 0},
		{"x = ->", "a value of x", 4},
		{"A[p_q U", "a formula, such as", 7},
		{`<"a> true`, "quote", 9},
		{"%", "a formula", 0},
		{"AG (p -> F q)", "E or A before F, as in EF f or AF f", 9},
		{"X (p)", "E or A before X", 0},
		{"Inev(A, B)", "Inev is read as a predicate", 4},
		{`"F" (p)`, "F is read as a predicate", 4},
	}
	for _, test := range tests {
		_, err := syntax.Parse(context.Background(), test.text)
		var syntax *actl.SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(syntax.Expected, test.expected) || syntax.Offset != test.offset {
			t.Errorf("%q: %v", test.text, err)
		}
	}
}

// TestModalitiesOnRuns: behind F, G and X of a run stands a modality, or a comparison with a parameter of
// this name.
func TestModalitiesOnRuns(t *testing.T) {
	for text, want := range map[string]string{
		"E[G F <A> true]": "E[G F <A> true]", `A[F G [{a, "b c"}] p]`: `A[F G [a or "b c"] p]`, "A[X <A or B> true || G {c}]": "A[X <A or B> true || G {c}]",
		"E[F < 3 U q]": "E[F < 3 U q]", "X < 3 -> y > 4": "X < 3 -> y > 4", "G < 3 && x > 2": "G < 3 && x > 2", "F <a> p": "E or A before F",
	} {
		f, err := syntax.ParseStar(context.Background(), text)
		got := fmt.Sprint(f)
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func TestDeepNestingIsRefused(t *testing.T) {
	deep := func(n int) []string {
		return []string{
			strings.Repeat("!", n) + "p", strings.Repeat("(", n) + "p" + strings.Repeat(")", n), strings.Repeat("EX ", n) + "p",
			strings.Repeat("<a>", n) + "p", strings.Repeat("p -> ", n) + "p", strings.Repeat("E[p U ", n) + "p" + strings.Repeat("]", n),
		}
	}
	for _, text := range deep(maxDepth) {
		f, err := syntax.Parse(context.Background(), text)
		if err != nil {
			t.Fatalf("%.40s: %v", text, err)
		}
		checkRoundTrip(t, f)
	}
	texts := append(deep(maxDepth+1), deep(140_000)...)
	for _, text := range append(texts, strings.Repeat("p && ", maxOperands)+"p") {
		var wrong *actl.SyntaxError
		if _, err := syntax.Parse(context.Background(), text); !errors.As(err, &wrong) || !strings.HasPrefix(wrong.Expected, "at most ") {
			t.Errorf("%.40s: %v", text, err)
		}
	}
}

func TestParseStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := syntax.Parse(ctx, "EF p"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// checkRoundTrip: what a formula prints as is that formula.
func checkRoundTrip(t *testing.T, f *syntax.Formula) {
	t.Helper()
	back, err := syntax.Parse(context.Background(), f.String())
	if err != nil {
		t.Fatalf("%.200s is not taken back: %v", f, err)
	}
	if back.String() != f.String() {
		t.Fatalf("%s is taken back as %s", f, back)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"EF <ACK> true", "E[p_{a}U_{b}q]", `pc=3 && "x y" = "a b" || "EF"=EF -> [a] false`, "A[p W !E(q M deadlock)]", "<{a->b}> AX false",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer mutation.Limited()()
		checkText(t, text)
	})
}

// checkText: a formula that is read is written so that it is read again; an error has its place.
func checkText(t *testing.T, text string) {
	g, err := syntax.Parse(context.Background(), text)
	var syntax *actl.SyntaxError
	switch {
	case err == nil:
		checkRoundTrip(t, g)
	case !errors.As(err, &syntax):
		t.Fatalf("error %v is of type %T", err, err)
	case syntax.Offset < 0 || syntax.Offset > len(text) || syntax.Expected == "" || syntax.Found == "" || !strings.HasSuffix(syntax.Caret(), "^"):
		t.Fatalf("%#v", syntax)
	}
}
