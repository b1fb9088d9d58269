package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Code formats a text as Markdown code, made printable: in code, hosts interpret
// no markup, links or names of users. The fence is longer than any run of
// backquotes in the text. Cost O(len(text)).
func Code(text string) string {
	text = Text(text)
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || text == "" {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// CodeCell formats a text as code in a cell of a table. A vertical bar would end the
// cell even in code, unless a backslash precedes it. If the text already has a
// backslash there, hosts disagree on the meaning, so that HTML is used. Cost
// O(len(text)).
func CodeCell(text string) string {
	text = Text(text)
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
