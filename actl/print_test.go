package actl

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/lts/multiaction"
)

func TestACTL(t *testing.T) {
	tests := []struct{ formula, want string }{
		{`Inev(PUT)`, `A[true_{true} U_{PUT} true]`},
		{`Inev(PUT, GET)`, `A[true_{true} U_{PUT} A[true_{true} U_{GET} true]]`},
		{`Inev({PUT, "GET !1"}, /a|b/, c3(d2, true))`,
			`A[true_{true} U_{PUT or "GET !1"} A[true_{true} U_{/a|b/} A[true_{true} U_{c3(d2, true)} true]]]`},
		{`Inev(a|b, {true, x}, not a, a or b, *, "a|b")`,
			`A[true_{true} U_{{a|b}} A[true_{true} U_{{true} or x} A[true_{true} U_{{not a}} A[true_{true} U_{{a or b}} A[true_{true} U_{*} A[true_{true} U_{"a|b"} true]]]]]]`},
	}
	for _, test := range tests {
		f := mustParse(t, test.formula)
		if got := f.ACTL(); got != test.want {
			t.Errorf("%s is\n%s\nwant\n%s", test.formula, got, test.want)
		}
		checkRoundTrip(t, f)
	}
}

// logicTests are formulas with what they are in MCL and in the mu-calculus of
// mCRL2, and how many notes there are.
var logicTests = []struct {
	formula           string
	mcl, mu           string
	mclNotes, muNotes []string
	boundMCL, boundMu string
	boundMuNotes      []string
}{
	{
		formula:  `Inev("a")`,
		mcl:      `mu X . (< true > true and [ not "a" ] X)`,
		mu:       `mu X . (<true>true && [!a]X)`,
		boundMCL: `mu X . (< true > true and [ not "a" ] X)`,
		boundMu:  `mu X . (<true>true && [!a]X)`,
	},
	{
		formula:  `Inev("a", "b")`,
		mcl:      `mu X . (< true > true and [ not "a" ] X and [ "a" ] mu Y . (< true > true and [ not "b" ] Y))`,
		mu:       `mu X . (<true>true && [!a]X && [a]mu Y . (<true>true && [!b]Y))`,
		boundMCL: `mu X . (< true > true and [ not "a" ] X and [ "a" ] mu Y . (< true > true and [ not "b" ] Y))`,
		boundMu:  `mu X . (<true>true && [!a]X && [a]mu Y . (<true>true && [!b]Y))`,
	},
	{
		formula:      `Inev("a", {"b", "i"}, r1(d1))`,
		mcl:          `mu X1 . (< true > true and [ not "a" ] X1 and [ "a" ] mu X2 . (< true > true and [ not ("b" or "i") ] X2 and [ ("b" or "i") ] mu X3 . (< true > true and [ not "r1(d1)" ] X3)))`,
		mu:           `mu X1 . (<true>true && [!a]X1 && [a]mu X2 . (<true>true && [!(b || i)]X2 && [(b || i)]mu X3 . (<true>true && [!r1(d1)]X3)))`,
		muNotes:      []string{"step 2, i: taken for an action of that name, as mCRL2 reads it; its internal action is tau"},
		boundMCL:     `mu X1 . (< true > true and [ not "a" ] X1 and [ "a" ] mu X2 . (< true > true and [ not ("b" or "i") ] X2 and [ ("b" or "i") ] mu X3 . (< true > true and [ not "r1(d1)" ] X3)))`,
		boundMu:      `mu X1 . (<true>true && [!a]X1 && [a]mu X2 . (<true>true && [!(b || i)]X2 && [(b || i)]mu X3 . (<true>true && [!r1(d1)]X3)))`,
		boundMuNotes: []string{"step 2, i: the internal action of the model, which mCRL2 reads as any other; after ltsconvert --tau=i write tau instead"},
	},
	{
		formula:  `Inev(r1)`,
		mcl:      `mu X . (< true > true and [ not ("r1" or ('r1[ (].*' and not 'r1(.*)|.*')) ] X)`,
		mu:       `mu X . (<true>true && [!r1]X)`,
		muNotes:  []string{"step 1, r1: a bare name is only the action without arguments; others need a model"},
		boundMCL: `mu X . (< true > true and [ not ("r1(d1)" or "r1(d2, 0)") ] X)`,
		boundMu:  `mu X . (<true>true && [!(r1(d1) || r1(d2, 0))]X)`,
	},
	{
		formula:      `Inev("PUT !1")`,
		mcl:          `mu X . (< true > true and [ not "PUT !1" ] X)`,
		mu:           `mu X . (<true>true && [!step1]X)`,
		muNotes:      []string{`step 1, "PUT !1", is not an action of mCRL2: step1 stands in its place`},
		boundMCL:     `mu X . (< true > true and [ not "PUT !1" ] X)`,
		boundMu:      `mu X . (<true>true && [!step1]X)`,
		boundMuNotes: []string{`step 1, label "PUT !1", is not an action of mCRL2: step1 stands in its place`},
	},
	{
		formula: `Inev(r1(*, 0), /^r1|^a$/)`,
		mcl:     `mu X . (< true > true and [ not 'r1(.*, *0)' ] X and [ 'r1(.*, *0)' ] mu Y . (< true > true and [ not ('r1.*' or 'a') ] Y))`,
		mu:      `mu X . (<true>true && [!step1]X && [step1]mu Y . (<true>true && [!step2]Y))`,
		muNotes: []string{
			`step 1, r1(*, 0), stands for actions that mCRL2 cannot tell without a model: step1 stands in its place`,
			`step 2, /^r1|^a$/, stands for actions that mCRL2 cannot tell without a model: step2 stands in its place`,
		},
		boundMCL: `mu X . (< true > true and [ not "r1(d2, 0)" ] X and [ "r1(d2, 0)" ] mu Y . (< true > true and [ not ("a" or "r1(d1)" or "r1(d2, 0)") ] Y))`,
		boundMu:  `mu X . (<true>true && [!r1(d2, 0)]X && [r1(d2, 0)]mu Y . (<true>true && [!(a || r1(d1) || r1(d2, 0))]Y))`,
	},
	{
		formula:  `Inev(/\ba/)`,
		mcl:      `mu X . (< true > true and [ not step1 ] X)`,
		mclNotes: []string{`step 1, /\ba/, cannot be expressed in MCL without a model: step1 stands in its place`},
		mu:       `mu X . (<true>true && [!step1]X)`,
		muNotes:  []string{`step 1, /\ba/, stands for actions that mCRL2 cannot tell without a model: step1 stands in its place`},
		boundMCL: `mu X . (< true > true and [ not ("a" or "a|b(1)") ] X)`,
		boundMu:  `mu X . (<true>true && [!(a || (a|b(1)))]X)`,
	},
	{
		formula: `Inev(none, r1(d2,0), i)`,
		mcl:     `mu X1 . (< true > true and [ not ("none" or ('none[ (].*' and not 'none(.*)|.*')) ] X1 and [ ("none" or ('none[ (].*' and not 'none(.*)|.*')) ] mu X2 . (< true > true and [ not 'r1(d2, *0)' ] X2 and [ 'r1(d2, *0)' ] mu X3 . (< true > true and [ not ("i" or ('i[ (].*' and not 'i(.*)|.*')) ] X3)))`,
		mu:      `mu X1 . (<true>true && [!none]X1 && [none]mu X2 . (<true>true && [!r1(d2,0)]X2 && [r1(d2,0)]mu X3 . (<true>true && [!i]X3)))`,
		muNotes: []string{
			"step 1, none: a bare name is only the action without arguments; others need a model",
			"step 3, i: taken for an action of that name, as mCRL2 reads it; its internal action is tau; i: a bare name is only the action without arguments; others need a model",
		},
		boundMCL:     `mu X1 . (< true > true and [ not false ] X1 and [ false ] mu X2 . (< true > true and [ not "r1(d2, 0)" ] X2 and [ "r1(d2, 0)" ] mu X3 . (< true > true and [ not "i" ] X3)))`,
		boundMu:      `mu X1 . (<true>true && [!false]X1 && [false]mu X2 . (<true>true && [!r1(d2, 0)]X2 && [r1(d2, 0)]mu X3 . (<true>true && [!i]X3)))`,
		boundMuNotes: []string{"step 3, i: the internal action of the model, which mCRL2 reads as any other; after ltsconvert --tau=i write tau instead"},
	},
	{
		formula:  `Inev({"say \"x'\"", "it's"})`,
		mcl:      `mu X . (< true > true and [ not ('say "x."' or "it's") ] X)`,
		mclNotes: []string{`step 1, say "x'": the character ' is . (any character) in MCL's regular expressions`},
		mu:       `mu X . (<true>true && [!step1]X)`,
		muNotes:  []string{`step 1, "say \"x'\"", is not an action of mCRL2: step1 stands in its place`},
		boundMCL: `mu X . (< true > true and [ not "it's" ] X)`,
		boundMu:  `mu X . (<true>true && [!it's]X)`,
	},
}

func TestLogics(t *testing.T) {
	a := mustAlphabet(t, "a", "b", "i", "r1(d1)", "r1(d2, 0)", "PUT !1", "a|b(1)", "it's")
	for _, test := range logicTests {
		f := mustParse(t, test.formula)
		bound, _, _ := f.Bind(context.Background(), a)
		chain, _ := bound.Chain()
		p := Bound{chain}
		check := func(what string, wantText string, wantNotes []string, render func(context.Context) (string, []string, error)) {
			if text, notes, err := render(context.Background()); err != nil || text != wantText || !slices.Equal(notes, wantNotes) {
				t.Errorf("%s in %s is\n%s\n%s\nwant\n%s\n%s", test.formula, what,
					text, strings.Join(notes, "\n"), wantText, strings.Join(wantNotes, "\n"))
			}
		}
		check("MCL", test.mcl, test.mclNotes, f.MCL)
		check("mu-calculus", test.mu, test.muNotes, f.MuCalculus)
		check("MCL of the model", test.boundMCL, nil, p.MCL)
		check("mu-calculus of the model", test.boundMu, test.boundMuNotes, p.MuCalculus)
	}
}

func TestPropertyACTL(t *testing.T) {
	bound, _, _ := mustParse(t, `Inev(PUT, x, c3(d2,true))`).Bind(context.Background(), mustAlphabet(t, "PUT !1", "PUT", "c3(d2, true)", `"`))
	chain, _ := bound.Chain()
	p := Bound{chain}
	const want = `A[true_{true} U_{"PUT !1" or "PUT"} A[true_{true} U_{false} A[true_{true} U_{"c3(d2, true)"} true]]]`
	if got := p.ACTL(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestMCRL2Action(t *testing.T) {
	for _, label := range []string{"a", "_a1'", "a(1)", "a(f(1), [d2], {})", "tau", "A(true)"} {
		if got, ok := mcrl2Action(label); !ok || got != label {
			t.Errorf("%s is the action %s, %t", label, got, ok)
		}
	}
	if got, ok := mcrl2Action("a|b(1)|c"); !ok || got != "(a|b(1)|c)" {
		t.Errorf("a|b(1)|c is the action %s, %t", got, ok)
	}
	for _, label := range []string{"", "1a", "a-b", "a !1", "a()", "a(1", "a(1)b", "a|", "|a", "a||b", "a|1", "true", "sum(1)", "a|delta", `a("x")`, "'a", "é"} {
		if got, ok := mcrl2Action(label); ok {
			t.Errorf("%q is the action %s", label, got)
		}
	}
}

// TestInternalAction: of a model of mCRL2 the action i is like any other.
func TestInternalAction(t *testing.T) {
	for _, c := range []struct {
		labels []string
		want   bool
	}{
		{[]string{"i"}, true}, {[]string{"i", "PUT !1"}, true}, {[]string{"i", "a", "b"}, true}, {[]string{"i", "PUT !1", "c(1)"}, true},
		{[]string{"i", "tau"}, false}, {[]string{"i", "r1(d1)"}, false}, {[]string{"i", "a|b"}, false}, {[]string{"i", "tau", "PUT !1"}, false},
	} {
		bound, _, _ := mustParse(t, `Inev("i")`).Bind(context.Background(), mustAlphabet(t, c.labels...))
		chain, _ := bound.Chain()
		p := Bound{chain}
		text, notes, _ := p.MuCalculus(context.Background())
		if text != "mu X . (<true>true && [!i]X)" || (len(notes) > 0) != c.want {
			t.Errorf("%q: %s, notes %q", c.labels, text, notes)
		}
	}
}

// TestNameInMCL: the predicates of a bare name hold of the labels that it means.
func TestNameInMCL(t *testing.T) {
	predicates, _ := (&element{kind: name, text: "a", key: "a"}).mcl()
	if want := []string{`"a"`, `('a[ (].*' and not 'a(.*)|.*')`}; !slices.Equal(predicates, want) {
		t.Fatalf("%q, want %q", predicates, want)
	}
	// The same in Go's syntax: in that of regexp(5), ( ) and | are themselves.
	holds := func(label string) bool {
		return label == "a" || regexp.MustCompile(`^(?s:a[ (].*)$`).MatchString(label) && !regexp.MustCompile(`^(?s:a\(.*\)\|.*)$`).MatchString(label)
	}
	e := newBare("a")
	matched := 0
	thing := rapid.SampledFrom([]string{"a", "b", "a(1)", "b(f(2), [])", "a((1))", "a !1", "i"})
	rapid.Check(t, func(t *rapid.T) {
		label := strings.Join(rapid.SliceOfN(thing, 1, 4).Draw(t, "actions"), rapid.SampledFrom([]string{"|", " ", ""}).Draw(t, "between"))
		if inside := regexp.MustCompile(`\)\|`).FindStringIndex(label); inside != nil && strings.HasPrefix(label, "a !") {
			t.Skip("an offer that looks like a multi-action")
		}
		if e.matches(label) != holds(label) {
			// What follows the first closing parenthesis decides; more than one action in a
			// row without a bar is no label of either tool.
			if strings.HasPrefix(label, "a(") && !strings.HasPrefix(label[multiaction.Closing(label[1:])+1:], "|") {
				t.Skip("no label of mCRL2")
			}
			t.Fatalf("%s: %v, in MCL %v", label, e.matches(label), holds(label))
		}
		if holds(label) {
			matched++
		}
	})
	if matched == 0 {
		t.Error("no label is meant")
	}
}

// TestResponse: a response is read, printed in every language, and bound.
func TestResponse(t *testing.T) {
	for _, c := range []struct{ text, printed, actl, mcl, mu string }{
		{`response( REQ ;ACK)`, `Response(REQ; ACK)`,
			`AG [REQ] A[true_{true} U_{ACK} true]`,
			`[ true* . REQ ] (mu X . (< true > true and [ not ACK ] X))`,
			`[true*.REQ](mu X . (<true>true && [!ACK]X))`},
		{`Response({"a", "b"}; "c", "d")`, `Response({"a", "b"}; "c", "d")`,
			`AG ["a" or "b"] A[true_{true} U_{"c"} A[true_{true} U_{"d"} true]]`,
			`[ true* . ("a" or "b") ] (mu X . (< true > true and [ not "c" ] X and [ "c" ] mu Y . (< true > true and [ not "d" ] Y)))`,
			`[true*.(a || b)](mu X . (<true>true && [!c]X && [c]mu Y . (<true>true && [!d]Y)))`},
	} {
		f := mustParse(t, c.text)
		if got := f.String(); got != c.printed {
			t.Errorf("%s prints as %s", c.text, got)
		}
		if again := mustParse(t, f.String()); !again.Equal(f) || again.Equal(mustParse(t, "Inev(REQ, ACK)")) {
			t.Errorf("%s is read back as %s", f, again)
		}
		if got := f.ACTL(); got != c.actl {
			t.Errorf("%s in ACTL is %s", f, got)
		}
		mcl, _, _ := f.MCL(context.Background())
		mcl = strings.NewReplacer(`("REQ" or ('REQ[ (].*' and not 'REQ(.*)|.*'))`, "REQ", `("ACK" or ('ACK[ (].*' and not 'ACK(.*)|.*'))`, "ACK").Replace(mcl)
		if mcl != c.mcl {
			t.Errorf("%s in MCL is %s", f, mcl)
		}
		if mu, _, _ := f.MuCalculus(context.Background()); mu != c.mu {
			t.Errorf("%s in the mu-calculus is %s", f, mu)
		}
	}
	a := mustAlphabet(t, "REQ !1", "ACK", "x;y")
	p, warnings, _ := mustParse(t, `Response(REQ; ACK)`).Bind(context.Background(), a)
	if _, chain := p.Chain(); chain || len(warnings) > 0 || p.String() != "Response(REQ; ACK)" {
		t.Errorf("%s, %q", p, warnings)
	}
	if q := p.Next(p.Initial(), 0); p.Stops(q) || !p.Stops(p.Next(q, 1)) {
		t.Error("a request that is not answered is none, or its answer is none")
	}
	// Elsewhere a semicolon is a part of labels.
	if q, _, _ := mustParse(t, `Inev(x;y)`).Bind(context.Background(), a); q.Next(0, 2) != 1 {
		t.Error("x;y does not do the step x;y")
	}
	for text, want := range map[string]string{
		`Response(A, B)`:    `expected ";" between a request and what has to follow, found "," (column 11)`,
		`Response(A; )`:     `a label pattern after ";"`,
		`Response(; B)`:     `a label pattern after "("`,
		`Response(A; B; C)`: `expected a scope: before X, after X, between X and Y or after X until Y, found "C"`,
		`Response A; B`:     `"(" after Response`,
	} {
		if _, err := Parse(context.Background(), text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
