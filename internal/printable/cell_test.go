package printable_test

import (
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/printable"
)

// TestCells: every text comes back, and no cell has a control character of ASCII.
func TestCells(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	texts := []string{"", "a", `\`, `\\t`, `\x1b`, "\x1b", "\x1b[31m", "a\tb\nc\rd", "\\\t", string(all), "naïve \u202e 日本", `\x`, `x\`}
	for i := range all {
		for _, j := range []byte("\\txn1b\x1b") {
			texts = append(texts, string([]byte{all[i], j}), string([]byte{j, all[i]}), string([]byte{'\\', all[i], j}))
		}
	}
	for _, text := range texts {
		cell := printable.Cell(text)
		if back := printable.FromCell(cell); back != text {
			t.Errorf("%q becomes %q, and comes back as %q", text, cell, back)
		}
		if at := strings.IndexFunc(cell, func(r rune) bool { return r < ' ' || r == 0x7f }); at >= 0 {
			t.Errorf("%q becomes %q", text, cell)
		}
	}
	if got := printable.FromCell(`C:\q \xz \`); got != `C:\q \xz \` {
		t.Errorf("what is no escape becomes %q", got)
	}
}
