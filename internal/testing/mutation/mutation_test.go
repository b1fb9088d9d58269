package mutation_test

import (
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/mutation"
)

// TestChanges: each does what it says.
func TestChanges(t *testing.T) {
	const text = "ab 12\n(c)\n"
	for program, want := range map[string]string{
		"":             text,
		"\x00\x00\x00": " 12\n(c)\n",
		"\x01\x00\xff": "\nab 12\n(c)\n",
		"\x02\x00\xff": "\n 12\n(c)ab",
		"\x03\x00\x01": "two 12\n(c)\n",
		"\x04\x00\x00": "oneab 12\n(c)\n",
		"\x05\x00\x02": "-1 12\n(c)\n",
		"\x06\x00\x00": "ab 12\nab 12\n(c)\n",
		"\x07\x00\x00": "(c)\n",
		"\x08\x80\x00": "ab 12\n",
		"\x00":         text,
	} {
		if got := mutation.Of(text, []byte(program), []string{"one", "two"}); got != want {
			t.Errorf("%q: %q, want %q", program, got, want)
		}
	}
}

// TestAnyProgram: all give something, of a bounded size, and the same again.
func TestAnyProgram(t *testing.T) {
	texts := map[string]bool{}
	for a := range 256 {
		for b := range 8 {
			program := []byte{byte(a), byte(31 * b), byte(a * b), byte(b), byte(a), 255, 6, 0, 0}
			got := mutation.Of("des (0,1,2)\n(0,\"a b\",1)\n", program, nil)
			if got != mutation.Of("des (0,1,2)\n(0,\"a b\",1)\n", program, nil) {
				t.Fatalf("%q is not the same again", program)
			}
			texts[got] = true
		}
	}
	if len(texts) < 500 {
		t.Errorf("%d mutants only", len(texts))
	}
	if got := mutation.Of(strings.Repeat("a\n", 1000), []byte(strings.Repeat("\x06\x00\x00", 1000)), nil); len(got) > 10_000 {
		t.Errorf("%d bytes", len(got))
	}
}
