package aut

import (
	"github.com/inev-lts/inev/internal/inputfile"
)

// parseTransition reads a line (from, label, to), without its line feed. The
// label is a slice of line, without its quotes, of at most [inputfile.MaxLabel]
// bytes. For any other line, blank lines included, ok is false, and
// refuseTransition explains it.
//
// It reads the source from the left and the target from the right, so that it
// need not examine the label in between: the label ends at the last quote before
// the final comma, which reading the target backwards finds.
func parseTransition(line []byte) (from uint64, label []byte, to uint64, ok bool) {
	i := skipBlanks(line, 0)
	if i == len(line) || line[i] != '(' {
		return 0, nil, 0, false
	}
	digits := skipBlanks(line, i+1)
	from, i = number(line, digits)
	if i == digits {
		return 0, nil, 0, false
	}
	i = skipBlanks(line, i)
	if i == len(line) || line[i] != ',' {
		return 0, nil, 0, false
	}
	to, j, ok := target(line)
	if !ok || j <= i {
		return 0, nil, 0, false
	}
	label, ok = unquote(trimBlanks(line[i+1 : j]))
	return from, label, to, ok && len(label) <= inputfile.MaxLabel
}

// target reads the number between the final comma and the closing parenthesis
// of a line, and returns it with the index of that comma.
func target(line []byte) (to uint64, comma int, ok bool) {
	j := skipBlanksBack(line, len(line))
	if j == 0 || line[j-1] != ')' {
		return 0, 0, false
	}
	end := skipBlanksBack(line, j-1)
	to, j = numberBack(line, end)
	if j == end {
		return 0, 0, false
	}
	j = skipBlanksBack(line, j)
	if j == 0 || line[j-1] != ',' {
		return 0, 0, false
	}
	return to, j - 1, true
}

// unquote removes the quotes from the text between the first comma and the final
// one; ok is false if there is no label, or a quoted one does not end.
func unquote(text []byte) (label []byte, ok bool) {
	switch n := len(text); {
	case n == 0:
		return nil, false
	case text[0] != '"':
		return text, true
	case n == 1 || text[n-1] != '"':
		return nil, false
	default:
		return text[1 : n-1], true
	}
}

// isBlank reports whether a byte separates tokens. A carriage return does: it may stand
// before the line feed.
func isBlank(c byte) bool { return c <= ' ' && (c == ' ' || c == '\t' || c == '\r') }

func skipBlanks(line []byte, i int) int {
	for i < len(line) && isBlank(line[i]) {
		i++
	}
	return i
}

func skipBlanksBack(line []byte, end int) int {
	for end > 0 && isBlank(line[end-1]) {
		end--
	}
	return end
}

func trimBlanks(text []byte) []byte {
	text = text[skipBlanks(text, 0):]
	return text[:skipBlanksBack(text, len(text))]
}
