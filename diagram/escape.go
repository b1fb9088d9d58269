package diagram

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Lengths, in runes, at which texts of the model are cut.
const (
	maxLabelText   = 60
	maxCaptionText = 120
)

// printable returns text in a form that is safe to show, cut with an ellipsis to
// length runes: whatever has no shape of its own (control characters, among them
// line breaks, bidirectional controls, blanks other than the plain one, bytes
// that are no UTF-8) is shown as a Go escape such as \x1b or \u202e. Cost
// O(length), however long the text is.
func printable(text string, length int) string {
	var b strings.Builder
	for n := 0; len(text) > 0; n++ {
		if n == length {
			return b.String() + "…"
		}
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[size:]
	}
	return b.String()
}

// entity is what Graphviz replaces by a character even in plain labels.
var entity = regexp.MustCompile(`&(#?[0-9A-Za-z]+;)`)

// plainText returns lines of printable texts as the value of a label attribute.
// The writer of dot does the rest: it quotes the value by %q, whose \", \\ and \n
// mean the same in DOT, and its other escapes cannot occur in printable texts.
func plainText(lines []string) string {
	return entity.ReplaceAllString(strings.Join(lines, "\n"), "&amp;$1")
}

// htmlText returns a printable text as text of an HTML-like label. Graphviz
// expands escapes such as \G there too, so that a backslash must stand twice.
func htmlText(text string) string {
	return html.EscapeString(strings.ReplaceAll(text, `\`, `\\`))
}
