package editor

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// place is the position of the cursor in a formula.
type place struct {
	// from and to are the range of the step around the cursor.
	from, to int
	// call is the name of the innermost pattern around the cursor, "" if there is none; argument is
	// the number of the pattern's semicolons before the cursor.
	call     string
	argument int
	depth    int
}

// separates reports whether a character ends a step outside of quotes and parentheses.
func separates(c byte) bool { return strings.IndexByte(" \t\n,;(){}[]!&|<>-", c) >= 0 }

// placeIn finds the step and the pattern around a cursor. A text in quotes, or a regular
// expression, is one step, and so is a name with its parentheses, unless it is the name of a
// pattern.
func placeIn(text string, cursor int) place {
	p := place{from: cursor, to: cursor}
	var calls []call // those that are open at the cursor, the innermost last
	for i := 0; i < len(text); {
		end, opens := step(text, i)
		isStep := end > i
		if isStep && i <= cursor && cursor <= end {
			p.from = i
			p.to = end
			break
		}
		if i >= cursor {
			break
		}
		if !isStep {
			calls = afterSign(calls, text[i])
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
			continue
		}
		if opens {
			calls = append(calls, call{name: text[i:end]})
			end++ // the parenthesis
		}
		i = end
	}
	p.depth = len(calls)
	for _, c := range slices.Backward(calls) {
		if c.name != "" {
			p.call = c.name
			p.argument = c.semicolons
			break
		}
	}
	return p
}

// call is a bracket that is open, after the name of a pattern if it is one of its parentheses.
type call struct {
	name       string
	semicolons int // inside it, so far
}

// afterSign returns the open brackets after a sign.
func afterSign(calls []call, sign byte) []call {
	switch sign {
	case '(', '[', '{':
		return append(calls, call{})
	case ')', ']', '}':
		return calls[:max(0, len(calls)-1)]
	case ';':
		if len(calls) > 0 {
			calls[len(calls)-1].semicolons++
		}
	}
	return calls
}

// step returns the end of the step that begins at an offset, or the offset if no step begins there.
// opens reports whether the step is the name of a pattern, followed by a parenthesis.
func step(text string, at int) (end int, opens bool) {
	c := text[at]
	switch {
	case c == '"' || c == '/':
		return quotedEnd(text, at), false
	case separates(c):
		return at, false
	}
	end = at
	for end < len(text) && !separates(text[end]) {
		end++
	}
	if end == len(text) || text[end] != '(' {
		return end, false
	}
	if patternOf(text[at:end]) != nil {
		return end, true
	}
	return parenthesesEnd(text, end), false
}

// quotedEnd returns the end of a text in quotes, or of a regular expression, that begins at an offset:
// after its closing character, or at the end of the line.
func quotedEnd(text string, at int) int {
	closing := text[at]
	for i := at + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case closing:
			return i + 1
		case '\n':
			return i
		}
	}
	return len(text)
}

// parenthesesEnd returns the end of the parentheses that open at an offset: after the closing one, or at
// the end of the line.
func parenthesesEnd(text string, at int) int {
	depth := 0
	for i := at; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 {
				return i + 1
			}
		case '\n':
			return i
		}
	}
	return len(text)
}

// patternAt returns the step at the beginning of a text.
func patternAt(text string) string {
	end, _ := step(text, 0)
	if end == 0 {
		_, end = utf8.DecodeRuneInString(text)
	}
	return text[:end]
}
