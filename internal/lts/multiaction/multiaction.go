// Package multiaction reads labels of mCRL2 that are multi-actions, several actions at once:
// "a(1)|b(2)". A label has no parts, or at least two.
package multiaction

import "strings"

// Parts returns the parts of a multi-action of mCRL2, without blanks around
// them and after commas. A multi-action is a label in which | occurs outside
// parentheses, quotes and brackets, between names with or without arguments. Any
// other label has no parts. Cost O(len(label)).
func Parts(label string) []string {
	if strings.IndexByte(label, '|') < 0 {
		return nil
	}
	var parts []string
	for rest, hasNext := label, true; hasNext; {
		length := firstPart(rest)
		if length < 0 {
			return nil
		}
		part := Tight(rest[:length])
		if !isAction(part) {
			return nil
		}
		parts = append(parts, part)
		_, rest, hasNext = strings.Cut(rest[length:], "|")
	}
	if len(parts) < 2 {
		return nil
	}
	return parts
}

// firstPart returns the length of a text up to the first | outside of brackets and quotes, or up to its
// end; -1 if brackets or quotes do not match.
func firstPart(text string) int {
	var closers []byte // of the open brackets
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '|':
			if len(closers) == 0 {
				return i
			}
		case '(', '[', '{':
			closers = append(closers, closer(c))
		case ')', ']', '}':
			last := len(closers) - 1
			if last < 0 || closers[last] != c {
				return -1
			}
			closers = closers[:last]
		case '"':
			length := strings.IndexByte(text[i+1:], '"')
			if length < 0 {
				return -1
			}
			i += length + 1
		}
	}
	if len(closers) > 0 {
		return -1
	}
	return len(text)
}

// isAction reports whether text is the name of an action, with or without
// arguments whose brackets are balanced.
func isAction(text string) bool {
	name, arguments, called := strings.Cut(text, "(")
	other := func(r rune) bool {
		return r < 0x80 && !isLetter(byte(r)) && r != '_' && r != '\''
	}
	return name != "" && !strings.ContainsFunc(name, other) &&
		(!called || Closing("("+arguments) == len(arguments)+1)
}

// Closing returns the position after the parenthesis that closes the first
// character of text, 0 if there is none.
func Closing(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// Tight returns text without the blanks around it and after its commas, so that
// labels which differ in nothing else become equal. It does not allocate if there
// are no such blanks.
func Tight(text string) string {
	text = strings.Trim(text, " \t")
	if !strings.Contains(text, ", ") && !strings.Contains(text, ",\t") {
		return text
	}
	var b strings.Builder
	afterComma := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if afterComma && (c == ' ' || c == '\t') {
			continue
		}
		afterComma = c == ','
		b.WriteByte(c)
	}
	return b.String()
}

// closer returns the closing bracket for an opening one.
func closer(open byte) byte { return ")]}"[strings.IndexByte("([{", open)] }

// isLetter reports whether c is a letter or a digit of ASCII.
func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
