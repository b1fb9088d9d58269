package tlaplus

import "strings"

// textWithValues returns the text of an expression on one line, with values in place of the names that are
// bound around it.
func (s *scope) textWithValues(x *expression, e *env) string {
	text := x.text()
	if s.up == nil {
		return text
	}
	return inOneLine(text, func(tokens []token, i int) string {
		t := tokens[i]
		isField := i > 0 && tokens[i-1].is(".") || tokens[i+1].is("|->")
		binding := s.bound(t.text)
		if t.kind == word && binding != nil && binding.definition == nil && !isField {
			bound := e.above(s.depth - binding.depth)
			switch {
			case bound.run != nil:
				return binding.name
			case bound.op == nil:
				return bound.value[0].shown()
			}
		}
		return text[t.from:t.behind]
	})
}

// withoutParentheses removes parentheses that enclose the whole text.
func withoutParentheses(text string) string {
	depth := 0
	for i, c := range []byte(text) {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i < len(text)-1 {
			return text
		}
	}
	if len(text) > 1 && text[0] == '(' {
		return strings.TrimSpace(text[1 : len(text)-1])
	}
	return text
}

// inOneLine returns a text in which written replaces each token, and a blank replaces each gap between
// tokens.
func inOneLine(source string, written func(tokens []token, i int) string) string {
	tokens := (&lexer{source: source, line: 1}).tokens()
	var b strings.Builder
	for i, t := range tokens[:len(tokens)-1] {
		if i > 0 && tokens[i-1].behind < t.from {
			b.WriteByte(' ')
		}
		b.WriteString(written(tokens, i))
	}
	return b.String()
}
