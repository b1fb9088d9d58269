package actl

import (
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/inev-lts/inev/internal/caret"
)

// SyntaxError says where a text is no formula, and what should stand there.
type SyntaxError struct {
	// File and Line, counted from 1, are the place of Text; they are "" and 0
	// where the formula did not come from a file.
	File string
	Line int
	// Text is the text that was parsed; of a file, the line in question.
	Text string
	// Offset is the place of the error in Text, in bytes: 0 to len(Text).
	Offset int
	// Expected is what should stand at Offset, Found what does.
	Expected, Found string
}

// Error returns the message in one line. Its column counts characters from 1.
func (e *SyntaxError) Error() string {
	place := "formula"
	if e.File != "" {
		place = e.File + ":" + strconv.Itoa(e.Line)
	}
	column := utf8.RuneCountInString(e.Text[:e.Offset]) + 1
	return fmt.Sprintf("%s: expected %s, found %s (column %d)", place, e.Expected, e.Found, column)
}

// Caret returns two lines: the formula, and a caret under the place of the error. Of a long
// formula only the part around that place is shown. See [caret.Under].
func (e *SyntaxError) Caret() string { return caret.Under(e.Text, e.Offset) }

// foundAt describes what stands at an offset of text: a word or a character.
func foundAt(text string, offset int) string {
	rest := text[offset:]
	if rest == "" {
		return "end of formula"
	}
	word := []rune(caret.Visible(rest))
	n := 0
	for n < len(word) && isWordRune(word[n]) {
		n++
	}
	switch {
	case n > 0:
		return `"` + clip(string(word[:n])) + `"`
	case word[0] == '"':
		return `a quote (")`
	}
	return `"` + string(word[:1]) + `"`
}

// clip shortens text to what fits into a message.
func clip(text string) string {
	const longest = 40
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}

func isWordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}
