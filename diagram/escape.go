package diagram

import (
	"html"
	"regexp"
	"strings"
	"sync"
)

// Lengths, in runes, at which texts of the model are cut; [view.LabelLength] is another.
const (
	maxCaptionText = 120
	maxTooltipText = 500
)

// entity matches what Graphviz replaces by a character even in plain labels.
var entity = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`&(#?[0-9A-Za-z]+;)`) })

// plainText returns lines of printable texts as the value of a label attribute. The writer of dot
// quotes the value by %q, whose \", \\ and \n mean the same in DOT, and its other escapes cannot
// occur in printable texts.
func plainText(lines []string) string {
	return entity().ReplaceAllString(strings.Join(lines, "\n"), "&amp;$1")
}

// htmlText returns a printable text as text of an HTML-like label. Graphviz expands escapes such as
// \G there, too, so that a backslash must be doubled.
func htmlText(text string) string {
	return html.EscapeString(strings.ReplaceAll(text, `\`, `\\`))
}
