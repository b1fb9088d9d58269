package printable_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/printable"
)

func TestJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": "b"}`:               `{"a": "b"}`,
		`["日本語 naïve 🙂"]`:          `["日本語 naïve 🙂"]`,
		"[\"\u202e\u009b\x7f\"]":   `["\u202e\u009b\u007f"]`,
		"[\"é\U000e0041\ufeff\"]":  `["é\udb40\udc41\ufeff"]`,
		"{\n\t\"a\": \"\u200b\"\r": "{\n\t\"a\": \"\\u200b\"\r",
	} {
		if got := string(printable.JSON([]byte(text))); got != want {
			t.Errorf("JSON(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestJSONMeansTheSame: what is read is what was written, and what is seen is safe.
func TestJSONMeansTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hidden := rapid.SampledFrom([]rune("\u202e\u200b\u009b\x7f\U000e0041\ufeff\u2028\x1b\x00\"\\<é日"))
		want := string(rapid.SliceOf(rapid.OneOf(rapid.Rune(), hidden)).Draw(t, "text"))
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got := printable.JSON(text)
		if safe := printable.Text(string(got)); safe != string(got) {
			t.Fatalf("%q becomes %q", text, got)
		}
		var read string
		if err := json.Unmarshal(got, &read); err != nil || read != strings.ToValidUTF8(want, "\ufffd") {
			t.Fatalf("%q becomes %q, which is read as %q (%v)", want, got, read, err)
		}
	})
}
