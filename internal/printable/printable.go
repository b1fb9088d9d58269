// Package printable makes texts of models and users, which may hold any bytes,
// safe to show to people: on a terminal, in a document, in a picture.
//
// The invariant that holds inside: the results are valid UTF-8 on one line, which
// [Caret] adds another one to, cannot control the program that shows them, and are no
// markup where they are code.
package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns a text that can be shown to people anywhere: valid UTF-8 on one
// line, without characters that are invisible, move the cursor, or change the
// direction of the text around them. Ordinary characters of all scripts stay; the
// others become \t, \n, \r, \x1b (controls of ASCII, and bytes that are no
// UTF-8), \u202e or \U000e0001.
//
// A backslash is not escaped, because labels with backslashes are more common
// than labels with characters that need one. Hence the result is for reading
// only: it does not distinguish the text \t from a tab. Cost O(len(text)); a text
// without characters to be escaped is returned without a copy.
func Text(text string) string {
	for at, r := range text {
		if isHidden(r) || r == utf8.RuneError {
			return escaped(text, at, isHidden)
		}
	}
	return text
}

// UTF8 returns the text with bytes that are no UTF-8 written as \x and two
// digits, for formats that cannot hold them. Everything else is unchanged. Cost
// O(len(text)); valid text is returned without a copy.
func UTF8(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return escaped(text, 0, func(rune) bool { return false })
}

// escaped escapes the hidden characters of a text, and bytes that are no UTF-8; its first clean bytes
// need no escape.
func escaped(text string, clean int, hidden func(rune) bool) string {
	var b strings.Builder
	b.WriteString(text[:clean])
	for at := clean; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[at])
		case hidden(r):
			writeEscape(&b, r)
		default:
			b.WriteRune(r)
		}
		at += size
	}
	return b.String()
}

func writeEscape(b *strings.Builder, r rune) {
	switch {
	case r == '\t':
		b.WriteString(`\t`)
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r <= 0x7f:
		fmt.Fprintf(b, `\x%02x`, r)
	case r <= 0xffff:
		// Two digits would mean a byte that is no UTF-8.
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\U%08x`, r)
	}
}

// isHidden reports whether a character must not be shown: Unicode does not count
// it among letters, marks, numbers, punctuation and symbols (it is a control, a
// blank other than the plain one, a mark of direction or of zero width, or a
// private or unassigned number), or says to show it as nothing. Arabic and Syriac
// signs that Unicode counts among the format characters, but that have a shape,
// are not hidden.
func isHidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	if unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
		return false
	}
	return !unicode.IsPrint(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}
