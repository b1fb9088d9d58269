package printable_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/printable"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"PUT !1 (a, b) \\ \"c\"": "PUT !1 (a, b) \\ \"c\"",
		"日本語 naïve Ελλάδα עברית عربي 🙂 𝔸": "日本語 naïve Ελλάδα עברית عربي 🙂 𝔸",
		"e\u0301 ☎\ufe0f \u00a0":          "e\u0301 ☎\ufe0f \\u00a0", // combining marks are ordinary, hard blanks are not
		"\u0600123":                       "\u0600123",               // a sign with a shape, though Unicode says "format"
		"a\tb\nc\rd":                      `a\tb\nc\rd`,
		"\x1b[2J\x00\x07\x7f":             `\x1b[2J\x00\x07\x7f`,
		"\u0080\u0085\u009b31m":           `\u0080\u0085\u009b31m`,
		"\u202a\u202e\u2066\u2069":        `\u202a\u202e\u2066\u2069`,
		"\u200e\u200f\u061c":              `\u200e\u200f\u061c`,
		"a\u200bb\u200c\u200d\u2060":      `a\u200bb\u200c\u200d\u2060`,
		"\ufeffBOM\u00ad":                 `\ufeffBOM\u00ad`,
		"\u2028\u2029":                    `\u2028\u2029`,
		"\U000e0041\u115f\u3164":          `\U000e0041\u115f\u3164`,
		"\xff\xc3(\xed\xa0\x80":           `\xff\xc3(\xed\xa0\x80`,
		"\ufffd":                          "\ufffd", // a character like others where it is meant
		"é\xc3":                           `é\xc3`,
	} {
		if got := printable.Text(text); got != want {
			t.Errorf("Text(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestTextIsSafe(t *testing.T) {
	bytes := rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(bytes, rapid.String()).Draw(t, "text")
		got := printable.Text(text)
		if !utf8.ValidString(got) {
			t.Fatalf("Text(%q) = %q is no UTF-8", text, got)
		}
		if at := strings.IndexFunc(got, unicode.IsControl); at >= 0 {
			t.Fatalf("Text(%q) = %q has a control character", text, got)
		}
		if again := printable.Text(got); again != got {
			t.Fatalf("Text(%q) = %q, and of that %q", text, got, again)
		}
		if got != text && !strings.ContainsRune(got, '\\') {
			t.Fatalf("Text(%q) = %q differs without showing how", text, got)
		}
	})
}

func TestOrdinals(t *testing.T) {
	for n, want := range map[int]string{
		1: "a first", 2: "a second", 3: "a third", 8: "an eighth", 10: "a tenth", 11: "an 11th", 12: "a 12th", 13: "a 13th", 18: "an 18th",
		21: "a 21st", 22: "a 22nd", 23: "a 23rd", 80: "an 80th", 101: "a 101st", 111: "a 111th", 1001: "a 1001st",
	} {
		if got := printable.AnOrdinal(n); got != want {
			t.Errorf("%d: %q, not %q", n, got, want)
		}
	}
}
