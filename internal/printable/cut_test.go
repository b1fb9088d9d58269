package printable_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/printable"
)

func TestCut(t *testing.T) {
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
		if got := printable.Cut(text, 10); got != want {
			t.Errorf("Cut(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestCutIsSafe(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(rt, "text")) + rapid.String().Draw(rt, "more")
		shown := printable.Cut(text, 20)
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

// TestBrief: words of a message that somebody wrote are cut, if they are very long, and so is the message.
func TestBrief(t *testing.T) {
	long, path := strings.Repeat("é", 50_000), "/"+strings.Repeat("p/", 90)
	for message, want := range map[string]string{
		"m.aut:3: found \x1b": `m.aut:3: found \x1b`, path + "m.aut: there is no such file, which is said at length here": path + "m.aut: there is no such file, which is said at length here",
		`expected "]", found "` + long + `" (column 2)`: `expected "]", found "` + strings.Repeat("é", 59) + "… (column 2)",
	} {
		if got := printable.Brief(message); got != want {
			t.Errorf("%.100q is %q, want %q", message, got, want)
		}
	}
	said := "m.aut:3: found " + strings.Repeat("a é ", 50_000) + "; write it in quotes"
	if got := printable.Brief(said); len(got) > 800+10 || !strings.HasPrefix(got, "m.aut:3: found a é ") || !strings.HasSuffix(got, " a é ; write it in quotes") || !utf8.ValidString(got) {
		t.Errorf("a message of %d bytes: %s", len(got), got)
	}
}

// TestEcho: errors repeat the beginning of a long text, in whole characters.
func TestEcho(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "PUT !1": "PUT !1", strings.Repeat("é", 60): strings.Repeat("é", 60), strings.Repeat("é", 61): strings.Repeat("é", 60) + "…", "\xff\x1b": "\xff\x1b",
	} {
		if got := printable.Echo(text); got != want {
			t.Errorf("%q is echoed as %q, want %q", text, got, want)
		}
	}
}
