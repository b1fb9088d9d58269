package report

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// DefaultWidth is the width of text, in cells of a terminal, where nothing else is
// asked for: that of the narrowest terminals in use. [LeastWidth] is the least that
// can be asked for.
const (
	DefaultWidth = 80
	LeastWidth   = 20
)

// width returns the width that text is to have.
func (o Options) width() int {
	if o.Width == 0 {
		return DefaultWidth
	}
	return max(o.Width, LeastWidth)
}

// displayWidth returns the number of cells that a text takes on a terminal: wide
// characters take two, combining ones none. It does not depend on the locale.
func displayWidth(text string) int {
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			return uniseg.StringWidth(text)
		}
	}
	return len(text)
}

// cutWidth cuts a text to so many cells, between characters as people see them,
// and puts an ellipsis where the rest was.
func cutWidth(text string, cells int) string {
	if displayWidth(text) <= cells {
		return text
	}
	kept, used, state := 0, 0, -1
	for rest := text; rest != ""; {
		var cluster string
		var width int
		cluster, rest, width, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used+width > cells-1 {
			break
		}
		used += width
		kept += len(cluster)
	}
	return text[:kept] + "…"
}

// glued stands for a blank within a text of the model, which lines are broken at
// only where there is no other way. [printable.Text] leaves no such character behind.
const glued = "\x00"

// glue keeps a text of the model in one piece.
func glue(text string) string { return strings.ReplaceAll(text, " ", glued) }

// wrapped breaks text into lines of so many cells at most: at blanks, at glued ones
// only in a piece that is wider than a line, and nowhere else, so that what is wider
// still can be copied.
func wrapped(text string, cells int) []string {
	if len(text) <= cells && !strings.Contains(text, glued) {
		return []string{text}
	}
	var lines []string
	line, used, empty := "", 0, true
	put := func(word string, width int) {
		switch {
		case empty:
			line, used, empty = word, width, false
		case used+1+width > cells:
			lines = append(lines, line)
			line, used = word, width
		default:
			line, used = line+" "+word, used+1+width
		}
	}
	for _, word := range strings.Split(text, " ") {
		width := displayWidth(strings.ReplaceAll(word, glued, " "))
		if width <= cells {
			put(strings.ReplaceAll(word, glued, " "), width)
			continue
		}
		for _, part := range strings.Split(word, glued) {
			put(part, displayWidth(part))
		}
	}
	return append(lines, line)
}
