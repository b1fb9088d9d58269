package diagram

import (
	"html"
	"regexp"
	"strings"
	"sync"
)

// Lengths, in runes, after which texts are cut in captions and tooltips; for labels see
// [view.LabelLength].
const (
	maxCaptionText = 120
	maxTooltipText = 500
)

// entity matches an HTML entity, which Graphviz replaces by its character even in plain labels.
var entity = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`&(#?[0-9A-Za-z]+;)`) })

// plainText returns lines of printable text as the value of a label attribute. The writer of dot
// quotes the value by %q: its escapes \", \\ and \n mean the same in DOT, and others do not occur
// with printable text.
func plainText(lines []string) string {
	return entity().ReplaceAllString(strings.Join(lines, "\n"), "&amp;$1")
}

// htmlText escapes a printable text for an HTML-like label. Graphviz expands escapes such as \G
// even there, so a backslash is doubled.
func htmlText(text string) string {
	return html.EscapeString(strings.ReplaceAll(text, `\`, `\\`))
}
