package actl

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestBasicRegexps(t *testing.T) {
	tests := []struct {
		source string
		want   []string
	}{
		{`^RACK[01]$`, []string{`RACK[01]`}},
		{`PUT`, []string{`.*PUT.*`}},
		{`^(PUT|GET)`, []string{`PUT.*`, `GET.*`}},
		{`^a.*b$`, []string{`a.*b`}},
		{`.*a.*`, []string{`.*a.*`}},
		{`^ab?c+$`, []string{`acc*`, `abcc*`}},
		{`^a{2,3}$`, []string{`aa`, `aaa`}},
		{`^(?i)ab1$`, []string{`[Aa][Bb]1`}},
		{`^a\.b\*c\[d\\e\$f\(g\)$`, []string{`a[.]b[*]c[[]d[\]e[$]f(g)`}},
		{`^[^ab]\d\w[\]^-]$`, []string{`[^ab][0-9][0-9A-Z_a-z][]^-]`}},
		{`^[\^-]$`, []string{`[-^]`}},
		{`^\S[.]$`, []string{`[^ ][.]`}},
		{`^\^$`, []string{`^`}},
		{`^$`, []string{``}},
		{`it's`, []string{`.*it.s.*`}},
		{`(ab)*`, nil},
		{`\ba`, nil},
		{`a^b`, nil},
		{`[é]+`, nil},
		{`[!-/]`, nil}, // a single quote is in it
		{`(a|b|ab)(a|b|ab)(a|b|ab)(a|b|ab)(a|b|ab)(a|b|ab)(a|b|ab)`, nil},
	}
	for _, test := range tests {
		got, ok := basicRegexps(test.source)
		if ok != (test.want != nil) || ok && !slices.Equal(got, test.want) {
			t.Errorf("/%s/ is %q, %t; want %q", test.source, got, ok, test.want)
		}
	}
}

// TestBasicRegexpsMatch compares what regular expressions match with what the
// basic ones match that are made of them.
func TestBasicRegexpsMatch(t *testing.T) {
	atom := rapid.SampledFrom([]string{"a", "b", ".", "^", "$", "[ab]", "[^a]", `\w`, `\.`, `\*`, `\[`, `\\`, `\^`, `\$`, `\(`, "[]a]", "[-^]", "(?i:A)",
		"(a|b)", "(ab|)", "|"})
	rapid.Check(t, func(r *rapid.T) {
		var source strings.Builder
		for range rapid.IntRange(1, 6).Draw(r, "atoms") {
			source.WriteString(atom.Draw(r, "atom"))
			source.WriteString(rapid.SampledFrom([]string{"", "", "*", "+", "?", "{0,2}"}).Draw(r, "repetition"))
		}
		re, err := regexp.Compile(source.String())
		if err != nil {
			r.Skip("no regular expression")
		}
		basics, ok := basicRegexps(source.String())
		if !ok {
			r.Skip("not expressible")
		}
		text := rapid.StringOfN(rapid.SampledFrom([]rune(`abA.*[]\^$(-`)), 0, 6, -1).Draw(r, "text")
		got := slices.ContainsFunc(basics, func(b string) bool { return matchesBasic(t, b, text) })
		if want := re.MatchString(text); got != want {
			r.Fatalf("/%s/ matches %q: %t, but %q match it: %t", source.String(), text, want, basics, got)
		}
	})
}

// matchesBasic reports whether a basic regular expression as MCL would have it
// matches the whole text.
func matchesBasic(t testing.TB, basic, text string) bool {
	t.Helper()
	basic = strings.Trim(mclRegexp(basic), "'")
	var b strings.Builder
	for i := 0; i < len(basic); i++ {
		switch c := basic[i]; c {
		case '.', '*':
			b.WriteByte(c)
		case '\\': // only before a leading ^
			b.WriteString(`\^`)
			i++
		case '[':
			end := i + 1
			for basic[end] == '^' || end == i+1 || end == i+2 && basic[i+1] == '^' {
				end++
			}
			end += strings.IndexByte(basic[end:], ']')
			list := basic[i+1 : end]
			negated := len(list) > 1 && list[0] == '^'
			if b.WriteByte('['); negated {
				b.WriteByte('^')
				list = list[1:]
			}
			b.WriteString(strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "^", `\^`).Replace(list))
			b.WriteByte(']')
			i = end
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	re, err := regexp.Compile("^(?:" + b.String() + ")$")
	if err != nil {
		t.Fatalf("%s: %v", basic, err)
	}
	return re.MatchString(text)
}
