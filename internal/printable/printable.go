// Package printable makes texts of models and users, which may hold anything, fit
// to be shown to people: on a terminal, in a document, in a picture.
//
// The invariant that holds inside: what comes out is valid UTF-8 on one line, and
// gives no orders to what shows it.
package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns the text as it can be shown to people anywhere: valid UTF-8
// on one line, without anything that is invisible, moves the cursor, or changes
// the direction of what stands around it. Ordinary characters of all scripts
// stay; the others are shown as \t, \n, \r, \x1b (controls of ASCII, and bytes
// that are no UTF-8), \u202e or \U000e0001.
//
// A backslash stays as it is, since labels with backslashes are more common than
// labels with what is shown by one. Hence Text is for reading: it does not
// tell the text \t from a tab. Cost O(len(text)); text that has nothing to be
// shown otherwise is returned without a copy.
func Text(text string) string {
	for at, r := range text {
		if isHidden(r) || r == utf8.RuneError {
			return escapeHidden(text, at)
		}
	}
	return text
}

// UTF8 returns the text with the bytes that are no UTF-8 shown as \x and two digits:
// what a format that has no bytes can hold of it. Everything else stays. Cost
// O(len(text)); valid text is returned without a copy.
func UTF8(text string) string {
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

// escapeHidden is Text for a text of which the first clean bytes are known
// to stay.
func escapeHidden(text string, clean int) string {
	var b strings.Builder
	b.WriteString(text[:clean])
	for at := clean; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[at])
		case isHidden(r):
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
		// Two digits would look like a byte that is no UTF-8.
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\U%08x`, r)
	}
}

// isHidden reports whether a character is not one to be looked at: whatever Unicode
// does not count among letters, marks, numbers, punctuation and symbols (controls,
// blanks other than the plain one, marks of direction and of zero width, private
// and unassigned numbers), and what it says to show as nothing. Signs of Arabic
// and Syriac that Unicode counts among the format characters, but that have a
// shape, are none.
func isHidden(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	if unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
		return false
	}
	return !unicode.IsPrint(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}
