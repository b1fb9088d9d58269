package actl

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/lts/multiaction"
)

func onlyStep(t testing.TB, pattern string) Pattern {
	t.Helper()
	f := mustParse(t, "Inev("+pattern+")")
	if f.Len() != 1 {
		t.Fatalf("%s is %d steps", pattern, f.Len())
	}
	return f.Steps()[0]
}

func TestMatches(t *testing.T) {
	tests := []struct {
		pattern       string
		matches, fail []string
	}{
		{`PUT`, []string{"PUT", "PUT !1 !TRUE", "PUT\t!1", "PUT ?x", "PUT(d1,0)", "PUT(f(1), 2)", "PUT(a", "PUT (1)", "PUT(1)!2"},
			[]string{"", "PUTS", "put", "XPUT", " PUT", "PUT!1", "PUT,", "PUT(1)|GET", "PUT|GET"}},
		{`r1(d1)`, []string{"r1(d1)", " r1(d1) "}, []string{"r1( d1)", "r1(d1)x", "r1"}},
		{`c3(d2, true)`, []string{"c3(d2, true)", "c3(d2,true)", "c3(d2, \t true)"}, []string{"c3(d2 ,true)", "c3(d2)"}},
		{`"c3(d2, true)"`, []string{"c3(d2, true)"}, []string{"c3(d2,true)", " c3(d2, true)"}},
		{`"PUT"`, []string{"PUT"}, []string{"PUT !1", "PUT(1)", `"PUT"`}},
		{`"a*\"\\"`, []string{`a*"\`}, []string{"aa", `a*"\\`}},
		{`/^RACK[01]$/`, []string{"RACK0"}, []string{"RACK2", "RACK01"}},
		{`/a\/b|c/`, []string{"xa/by", "c"}, []string{`a\/b`}},
		{`SDT*`, []string{"SDT", "SDT0", "SDT !1 (x)"}, []string{"sdt", "XSDT"}},
		{`?`, []string{"a", "é", "\xff"}, []string{"", "ab"}},
		{`a*b?c`, []string{"abxc", "aabbbbc", "abcbéc"}, []string{"abc", "abxcd"}},
		{`f(*, 2)`, []string{"f(1,2)", "f(1,  2)", "f(1, 3, 2)"}, []string{"f(1)", "f(2,1)"}},
		{`{a, "b", c*}`, []string{"a !1", "b", "cc"}, []string{"b !1", "d"}},
	}
	for _, test := range tests {
		p := onlyStep(t, test.pattern)
		for _, label := range test.matches {
			if !p.Matches(label) {
				t.Errorf("%s does not match %q", test.pattern, label)
			}
		}
		for _, label := range test.fail {
			if p.Matches(label) {
				t.Errorf("%s matches %q", test.pattern, label)
			}
		}
	}
}

func TestGlobAgreesWithRegexp(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		pattern := rapid.StringOf(rapid.SampledFrom([]rune("ab*?é"))).Draw(r, "pattern")
		text := rapid.StringOf(rapid.SampledFrom([]rune("abé"))).Draw(r, "text")
		re := "^" + strings.NewReplacer("*", ".*", "?", ".").Replace(pattern) + "$"
		if want := regexp.MustCompile(re).MatchString(text); globMatches(pattern, text, nil) != want {
			r.Fatalf("%s matches %s: %t", pattern, text, !want)
		}
	})
}

func TestPatternFor(t *testing.T) {
	tests := []struct{ label, want string }{
		{`GET`, `GET`},
		{`i`, `i`},
		{`9999`, `9999`},
		{`r1(d1)`, `r1(d1)`},
		{`c3(d2, true)`, `c3(d2, true)`},
		{`r1(in(d2,in(d2)))`, `r1(in(d2,in(d2)))`},
		{`GET !1`, `"GET !1"`},
		{`SEND !"x" !\`, `"SEND !\"x\" !\\"`},
		{``, `""`},
		{` a `, `" a "`},
		{`a,b`, `"a,b"`},
		{`a(1)|b(2)`, `"a(1)|b(2)"`},
		{`f(x`, `"f(x"`},
		{`f(*)`, `"f(*)"`},
		{`/a/`, `"/a/"`},
		{`{a}`, `"{a}"`},
		{`c3(d2,  true)`, `"c3(d2,  true)"`},
		{`f(a b)`, `"f(a b)"`},
	}
	for _, test := range tests {
		if got := PatternFor(test.label); got != test.want {
			t.Errorf("label %q is written %s, want %s", test.label, got, test.want)
		}
	}
}

// TestPatternForMatches checks that what PatternFor returns matches the label, and
// of labels with another gate nothing else than blanks after commas.
func TestPatternForMatches(t *testing.T) {
	label := rapid.StringOf(rapid.SampledFrom([]rune(`ab1 ,"\()[]{}*?/!|é`)))
	rapid.Check(t, func(r *rapid.T) {
		l, other := label.Draw(r, "label"), label.Draw(r, "other")
		p := onlyStep(t, PatternFor(l))
		if !p.Matches(l) {
			r.Fatalf("%s does not match %q", p, l)
		}
		gate, _ := gateOf(other)
		if p.Matches(other) && multiaction.Tight(l) != multiaction.Tight(other) && gate != l {
			r.Fatalf("%s for %q matches %q", p, l, other)
		}
	})
}

// TestGatesOfStochasticLabels: a rate or probability is no part of the gate; other semicolons are.
func TestGatesOfStochasticLabels(t *testing.T) {
	for label, want := range map[string]string{
		"A; rate 2.0":  "A",
		"A ; rate 2.0": "A",
		"B; prob 0.5":  "B",
		"A !1; rate 2": "A",
		"A; B":         "A;",
		"; rate 2":     ";",
		"rate 2.0":     "rate",
		"A;rate":       "A;rate",
	} {
		gate, is := gateOf(label)
		if gate != want || is != (want != "") {
			t.Errorf("%q has the gate %q, %t, want %q", label, gate, is, want)
		}
		if p := onlyStep(t, "A"); p.Matches(label) != (want == "A") {
			t.Errorf("A matches %q: %t", label, p.Matches(label))
		}
	}
}
