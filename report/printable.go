package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/inev-lts/inev/internal/printable"
)

// Printable returns the text as it can be shown to people anywhere: valid UTF-8
// on one line, without anything that is invisible, moves the cursor, or changes
// the direction of what stands around it; such things are shown as \t, \x1b or
// \u202e. It is for reading: a backslash stays as it is. Cost O(len(text)).
func Printable(text string) string { return printable.Text(text) }

// validUTF8 returns the text with the bytes that are no UTF-8 shown as \x and two
// digits: what JSON, which has no bytes, can hold of it. Everything else stays.
func validUTF8(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, text[at])
		} else {
			b.WriteString(text[at : at+size])
		}
		at += size
	}
	return b.String()
}
