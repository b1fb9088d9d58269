// Package mdtext sets texts of models as code in Markdown.
//
// The invariant that holds inside: no text becomes markup.
package mdtext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inev-lts/inev/internal/printable"
)

// Code sets a text as code, made printable: in code nobody sees markup, a link, or the name
// of a person. The fence is longer than any run of backquotes in the text. Cost
// O(len(text)).
func Code(text string) string {
	text = printable.Text(text)
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || text == "" {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// Cell sets a text as code in a cell of a table, which a vertical bar ends even there unless
// a backslash stands before it. If the text has a backslash there already, hosts disagree on
// what is meant, and only HTML is clear. Cost O(len(text)).
func Cell(text string) string {
	text = printable.Text(text)
	if !strings.Contains(text, `\|`) {
		return strings.ReplaceAll(Code(text), "|", `\|`)
	}
	var b strings.Builder
	for _, r := range text {
		if r < utf8.RuneSelf && (unicode.IsPunct(r) || unicode.IsSymbol(r)) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return "<code>" + b.String() + "</code>"
}
