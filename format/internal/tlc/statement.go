package tlc

import (
	"bytes"
	"errors"
	"strconv"
)

// statementMax is the largest length of a statement, so that a file which is no
// graph is not read into memory as one statement.
const statementMax = 256 << 20

var errLongStatement = errors.New("a statement of more than 256 MiB: this does not look like a state graph of TLC")

// quotesAfter reports whether the text after part is inside quotes, and whether
// its first character is escaped.
func quotesAfter(part []byte, inQuotes, escaped bool) (bool, bool) {
	if !escaped && bytes.IndexByte(part, '\\') < 0 {
		return inQuotes != (bytes.Count(part, []byte{'"'})%2 == 1), false
	}
	for _, c := range part {
		switch {
		case escaped:
			escaped = false
		case c == '\\' && inQuotes:
			escaped = true
		case c == '"':
			inQuotes = !inQuotes
		}
	}
	return inQuotes, escaped
}

// attributes are the attributes of a node or edge that this package uses.
type attributes struct {
	label, tooltip       []byte
	hasLabel, hasTooltip bool
	style, fill          []byte
}

// parseAttributes reads [name=value,…] and an optional semicolon. A value is a
// word or a text in quotes.
func parseAttributes(text []byte) (a attributes, ok bool) {
	text, ok = bytes.CutPrefix(text, []byte("["))
	for ok {
		name, rest, found := bytes.Cut(text, []byte("="))
		if !found {
			return a, false
		}
		var value []byte
		if value, text, ok = parseValue(bytes.TrimLeft(rest, " ")); !ok {
			return a, false
		}
		switch string(bytes.TrimSpace(name)) {
		case "label":
			a.label, a.hasLabel = value, true
		case "tooltip":
			a.tooltip, a.hasTooltip = value, true
		case "style":
			a.style = value
		case "fillcolor":
			a.fill = value
		}
		text = bytes.TrimLeft(text, " ")
		if end := bytes.TrimSuffix(text, []byte(";")); string(end) == "]" {
			return a, true
		}
		text, ok = bytes.CutPrefix(text, []byte(","))
	}
	return a, false
}

// parseValue reads a value. A quoted value keeps its escapes.
func parseValue(text []byte) (value, rest []byte, ok bool) {
	if len(text) == 0 || text[0] != '"' {
		end := bytes.IndexAny(text, ",]")
		return bytes.TrimSpace(text[:max(end, 0)]), text[max(end, 0):], end > 0
	}
	end := quoteEnd(text, 1)
	if end < 0 {
		return nil, nil, false
	}
	return text[1:end], text[end+1:], true
}

// unescaped resolves the escapes of a value in place.
func unescaped(raw []byte) []byte {
	first := bytes.IndexByte(raw, '\\')
	if first < 0 {
		return raw
	}
	value := raw[:first]
	for i := first; i < len(raw); i++ {
		c := raw[i]
		if c != '\\' || i+1 == len(raw) {
			value = append(value, c)
			continue
		}
		i++
		switch next := raw[i]; next {
		case 'n':
			value = append(value, '\n')
		case '\\', '"':
			value = append(value, next)
		default:
			value = append(value, c, next)
		}
	}
	return value
}

// fingerprint reads the number at the beginning of a text, and the blanks after it.
func fingerprint(text []byte) (fp int64, rest []byte, ok bool) {
	end := 0
	for end < len(text) && (text[end] == '-' && end == 0 || '0' <= text[end] && text[end] <= '9') {
		end++
	}
	fp, err := strconv.ParseInt(string(text[:end]), 10, 64)
	return fp, bytes.TrimLeft(text[end:], " "), err == nil
}
