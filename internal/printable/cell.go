package printable

import (
	"fmt"
	"strings"
	"sync"
)

// cells are the replacers of [Cell] and [FromCell].
var cells = sync.OnceValue(func() (both struct{ escape, read *strings.Replacer }) {
	letters := map[int]string{'\\': `\\`, '\t': `\t`, '\n': `\n`, '\r': `\r`}
	var escape, read []string
	for c := range 256 {
		digits := fmt.Sprintf(`\x%02x`, c)
		read = append(read, digits, string([]byte{byte(c)}))
		escaped, known := letters[c]
		if known {
			read = append(read, escaped, string(rune(c)))
		} else {
			escaped = digits
		}
		if known || c < ' ' || c == 0x7f {
			escape = append(escape, string(rune(c)), escaped)
		}
	}
	both.escape, both.read = strings.NewReplacer(escape...), strings.NewReplacer(read...)
	return both
})

// Cell returns a text as it is written in a cell of a tab-separated table:
// backslash, tab, line feed and carriage return as \\, \t, \n and \r, any other
// control character of ASCII as \x and two digits, so that the text neither ends
// the cell nor controls a terminal that shows the table. All other bytes are
// unchanged. [FromCell] is the inverse. Cost O(len(text)).
func Cell(text string) string { return cells().escape.Replace(text) }

// FromCell returns the text that [Cell] made a cell of. A backslash that begins no escape means
// itself, since people write such cells. Cost O(len(cell)).
func FromCell(cell string) string { return cells().read.Replace(cell) }
