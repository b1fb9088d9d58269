package printable

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// CaretWindow is the approximate number of columns of a long text that [Caret] shows.
const CaretWindow = 100

// Caret returns two lines: the text, and a caret under the byte at offset. Of a long text only the
// neighbourhood of the offset is shown. Every character counts as one column, and a control
// character is shown by its Unicode symbol; if wide or combining characters precede the offset, the
// caret is off by their number.
func Caret(text string, offset int) string {
	shown := []rune(Visible(text))
	at := utf8.RuneCountInString(text[:offset])
	from := 0
	if len(shown) > CaretWindow {
		from = max(0, min(at-CaretWindow/2, len(shown)-CaretWindow))
		if to := from + CaretWindow; to < len(shown) {
			shown = append(shown[:to:to], '…')
		}
		if from > 0 {
			shown = append([]rune{'…'}, shown[from:]...)
			from--
		}
	}
	line := strings.TrimRight(string(shown), " ")
	return line + "\n" + strings.Repeat(" ", at-from) + "^"
}

// Visible maps every character of text to one that is safe to show and takes a
// column of its own.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || '\t' <= r && r <= '\r':
			return ' '
		case r < ' ':
			return '␀' + r
		case r == 0x7f:
			return '␡'
		case !unicode.IsPrint(r):
			return utf8.RuneError
		}
		return r
	}, text)
}
