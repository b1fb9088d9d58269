package render

import (
	"strconv"
	"strings"
)

// pattern names the labels of a text of the property: "A or B" for a set or a disjunction of labels,
// such as {A, B} and A || B. Any other text is quoted as it is.
func (p *prose) pattern(text string) string {
	labels := alternatives(text)
	if labels == nil {
		return p.quote(text)
	}
	return p.oneOf(labels)
}

// alternatives returns the labels in a set or a disjunction; nil if the text is something else, or has
// parts that are no labels.
func alternatives(text string) []string {
	inner, isSet := strings.CutPrefix(text, "{")
	separator := " || "
	if isSet {
		separator = ", "
		inner, isSet = strings.CutSuffix(inner, "}")
		if !isSet {
			return nil
		}
	}
	parts := splitOutside(inner, separator)
	if len(parts) < 2 {
		return nil
	}
	labels := make([]string, len(parts))
	for i, part := range parts {
		label, isLabel := asLabel(part)
		if !isLabel {
			return nil
		}
		labels[i] = label
	}
	return labels
}

// splitOutside splits a text at the separators that stand outside quotes and brackets.
func splitOutside(text, separator string) []string {
	var parts []string
	begin := 0
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted, err := strconv.QuotedPrefix(text[i:])
			if err != nil {
				return nil
			}
			i += len(quoted) - 1
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case depth == 0 && strings.HasPrefix(text[i:], separator):
			parts = append(parts, text[begin:i])
			i += len(separator) - 1
			begin = i + 1
		}
	}
	return append(parts, text[begin:])
}

// asLabel returns a part of a set or of a disjunction as a label, without its quotes; false if the part is
// an operator, a condition on values or a regular expression.
func asLabel(part string) (label string, isLabel bool) {
	if strings.HasPrefix(part, `"`) {
		label, err := strconv.Unquote(part)
		return label, err == nil
	}
	// Operators of temporal logic and conditions on values contain blanks or signs outside of parentheses.
	isOther := part == "" || strings.ContainsAny(part, "&|=<>/") || strings.IndexByte("!(", part[0]) >= 0
	outside, _, _ := strings.Cut(part, "(")
	return part, !isOther && !strings.Contains(outside, " ")
}
