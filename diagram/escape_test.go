package diagram

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"PUT !1":       "PUT !1",
		"":             "",
		"a\nb\tc":      `a\nb\tc`,
		"\x1b[31m\x00": `\x1b[31m\x00`,
		"\u202e\u00a0": `\u202e\u00a0`,
		"\xff\xc3é":    `\xff\xc3é`,
		"\ufffd":       "\ufffd",
		`\n`:           `\n`,
		"1234567890":   "1234567890",
		"12345678901":  "1234567890…",
		"日本語日本語日本語日本語日本語": "日本語日本語日本語日…",
		"\xffbcdefghij":        `\xffbcdefghij`,
		"12345678\x01\x02\x03": `12345678\x01\x02…`,
	} {
		if got := showable(text, 10); got != want {
			t.Errorf("showable(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestPrintableIsSafe(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(rt, "text")) + rapid.String().Draw(rt, "more")
		shown := showable(text, 20)
		if !utf8.ValidString(shown) || utf8.RuneCountInString(shown) > 20*len(`\U0010ffff`)+1 {
			rt.Fatalf("%q is no text, or too long", shown)
		}
		for _, r := range shown {
			if !unicode.IsGraphic(r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
				rt.Fatalf("%q holds %U", shown, r)
			}
		}
	})
}

func TestPlainText(t *testing.T) {
	got := plainText([]string{`a&b &amp; &#65; &#x41; &;`, `"\`})
	if want := "a&b &amp;amp; &amp;#65; &amp;#x41; &;\n\"\\"; got != want {
		t.Errorf("plainText is %q, want %q", got, want)
	}
}

func TestHTMLText(t *testing.T) {
	got := htmlText(`<b>\G&lt;"`)
	if want := `&lt;b&gt;\\G&amp;lt;&#34;`; got != want {
		t.Errorf("htmlText is %q, want %q", got, want)
	}
}

func TestBlankLabelsAreQuoted(t *testing.T) {
	for text, want := range map[string]string{"": `""`, " ": `" "`, "x ": `"x "`, "x y": "x y"} {
		got := (&picture{}).labelLines(arrow{labels: []label{{text, 1}}})
		if len(got) != 1 || got[0] != want {
			t.Errorf("label %q is shown as %q, want %q", text, got, want)
		}
	}
}

func TestStepNumbers(t *testing.T) {
	for want, steps := range map[string][]int{
		"3":                {3},
		"1, 2":             {1, 2},
		"1–3":              {1, 2, 3},
		"1–3, 5, 7, 8":     {1, 2, 3, 5, 7, 8},
		"1, 3, 5, 7, 9, …": {1, 3, 5, 7, 9, 11},
		"1, 3, 5, 7, 9–12": {1, 3, 5, 7, 9, 10, 11, 12},
		"1–3, 5–7, 9, 8":   {1, 2, 3, 5, 6, 7, 9, 8},
	} {
		if got := stepNumbers(arrow{mark: mark{steps: steps}}); got != want {
			t.Errorf("steps %v are shown as %q, want %q", steps, got, want)
		}
	}
	if got := stepNumbers(arrow{mark: mark{steps: []int{4}, loop: true}}); got != "↻ 4" {
		t.Errorf("a step of the loop is shown as %q", got)
	}
	if got := strings.Join((&picture{}).labelLines(arrow{mark: mark{steps: []int{3}, noReturn: true}, labels: []label{{"A", 2}, {"B", 1}}, more: 4}), "|"); got != "3: A (2 times)|B|… 4 more|point of no return" {
		t.Errorf("label lines %q", got)
	}
	if got := strings.Join((&picture{}).labelLines(arrow{mark: mark{loop: true}, labels: []label{{"A", 2}, {"B", 1}}, more: 4}), "|"); got != "↻ A (2 times)|↻ B|… 4 more" {
		t.Errorf("label lines on loops without numbers %q", got)
	}
}
