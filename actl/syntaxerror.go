package actl

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inev-lts/inev/internal/caret"
)

// SyntaxError is the place where a text is no formula, with what should stand there.
type SyntaxError struct {
	// File and Line, counted from 1, are the place of Text; they are "" and 0
	// if the formula did not come from a file.
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

// InFile reads the content of a file by the reader of a syntax. Lines that begin with # are
// comments. The [*SyntaxError] carries the name, which is used for nothing else, and the line.
func InFile[F any](name string, content []byte, parse func(text string) (F, error)) (F, error) {
	text := withoutComments(string(content))
	f, err := parse(text)
	var syntax *SyntaxError
	if errors.As(err, &syntax) && syntax.File == "" {
		placed := syntax.In(name)
		if more, is := err.(interface{ At(*SyntaxError) error }); is {
			return f, more.At(placed) // it says more than where
		}
		err = placed
	}
	return f, err
}

// In returns the error for a text that is the content of a file of this name, with its line.
func (e *SyntaxError) In(file string) *SyntaxError {
	start := strings.LastIndexByte(e.Text[:e.Offset], '\n') + 1
	line, _, _ := strings.Cut(e.Text[start:], "\n")
	line = strings.TrimSuffix(line, "\r")
	return &SyntaxError{
		File: file, Line: strings.Count(e.Text[:start], "\n") + 1, Text: line, Offset: min(e.Offset-start, len(line)),
		Expected: e.Expected, Found: e.Found,
	}
}

// withoutComments blanks out the comments of a formula file and the byte order
// mark that some editors put in front. All else keeps its offset.
func withoutComments(content string) string {
	const mark = "\ufeff"
	if strings.HasPrefix(content, mark) {
		content = strings.Repeat(" ", len(mark)) + content[len(mark):]
	}
	lines := strings.SplitAfter(content, "\n")
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") {
			body := strings.TrimRight(line, "\r\n")
			lines[i] = strings.Repeat(" ", len(body)) + line[len(body):]
		}
	}
	return strings.Join(lines, "")
}

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
