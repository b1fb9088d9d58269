package printable

import "strings"

// Cell returns a text as it is written in a cell of a tab-separated table:
// backslash, tab, line feed and carriage return as \\, \t, \n and \r, any other
// control character of ASCII as \x and two digits, so that the text neither ends
// the cell nor controls a terminal that shows the table. All other bytes are
// unchanged. [FromCell] is the inverse. Cost O(len(text)).
func Cell(text string) string {
	at := 0
	for at < len(text) && !escapedInCell(text[at]) {
		at++
	}
	if at == len(text) {
		return text
	}
	const digits = "0123456789abcdef"
	var b strings.Builder
	b.WriteString(text[:at])
	for ; at < len(text); at++ {
		c := text[at]
		if !escapedInCell(c) {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('\\')
		if i := strings.IndexByte(escapedBytes, c); i >= 0 {
			b.WriteByte(escapeLetters[i])
			continue
		}
		b.WriteByte('x')
		b.WriteByte(digits[c>>4])
		b.WriteByte(digits[c&15])
	}
	return b.String()
}

// escapedBytes are the bytes that are escaped by one letter each.
const (
	escapedBytes  = "\\\t\n\r"
	escapeLetters = `\tnr`
)

func escapedInCell(c byte) bool { return c < ' ' || c == '\\' || c == 0x7f }

// FromCell returns the text that [Cell] made a cell of. A backslash that begins no escape means
// itself, since people write such cells. Cost O(len(cell)).
func FromCell(cell string) string {
	if strings.IndexByte(cell, '\\') < 0 {
		return cell
	}
	var b strings.Builder
	for at := 0; at < len(cell); at++ {
		if cell[at] == '\\' && at+1 < len(cell) {
			if i := strings.IndexByte(escapeLetters, cell[at+1]); i >= 0 {
				b.WriteByte(escapedBytes[i])
				at++
				continue
			}
			if high, low := digit(cell, at+2), digit(cell, at+3); cell[at+1] == 'x' && high >= 0 && low >= 0 {
				b.WriteByte(byte(high<<4 | low))
				at += 3
				continue
			}
		}
		b.WriteByte(cell[at])
	}
	return b.String()
}

// digit returns the value of the hexadecimal digit at an index, -1 if there is none.
func digit(text string, at int) int {
	if at >= len(text) {
		return -1
	}
	return strings.IndexByte("0123456789abcdef", text[at])
}
