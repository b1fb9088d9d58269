package report

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// DefaultWidth is the default width of text in cells: that of the narrowest terminals in use.
// [LeastWidth] is the smallest possible width.
const (
	DefaultWidth = 80
	LeastWidth   = 20
)

// width returns the width at which text is wrapped.
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

// cutWidth cuts a text to this many cells, between grapheme clusters, and replaces the rest by an
// ellipsis.
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

// glued replaces a blank within a text of the model: a line is broken there only if no ordinary
// blank is near enough. [printable.Text] returns no such character.
const glued = "\x00"

func glue(text string) string { return strings.ReplaceAll(text, " ", glued) }

// wrapped breaks text into lines of at most this many cells: at blanks, and at glued blanks only
// within a piece that is wider than a line. A wider word stays whole, so that it can be copied.
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
