package editor

import (
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
	type call struct {
		name      string
		semicolon int
	}
	var calls []call
	p := place{from: cursor, to: cursor}
	for i := 0; i < len(text); {
		end, opens := step(text, i)
		if end > i && cursor >= i && cursor <= end {
			p.from, p.to = i, end
			break
		}
		if i >= cursor {
			break
		}
		if end > i {
			if opens {
				calls = append(calls, call{name: text[i:end]})
				end++
			}
			i = end
			continue
		}
		switch text[i] {
		case '(', '[', '{':
			calls = append(calls, call{})
		case ')', ']', '}':
			if len(calls) > 0 {
				calls = calls[:len(calls)-1]
			}
		case ';':
			if len(calls) > 0 {
				calls[len(calls)-1].semicolon++
			}
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	p.depth = len(calls)
	for i := len(calls) - 1; i >= 0; i-- {
		if calls[i].name != "" {
			p.call, p.argument = calls[i].name, calls[i].semicolon
			break
		}
	}
	return p
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
