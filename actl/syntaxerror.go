package actl

import (
	"unicode"

	"github.com/inev-lts/inev/internal/caret"
	"github.com/inev-lts/inev/internal/formulatext"
)

// SyntaxError is the place where a text is no formula, with what should stand there.
type SyntaxError = formulatext.SyntaxError

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
