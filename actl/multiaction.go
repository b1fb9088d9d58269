package actl

import (
	"context"
	"slices"
	"strings"
)

// partsKey is the key of [WithParts].
type partsKey struct{}

// WithParts returns a context in which patterns are read such that they match a multi-action
// of mCRL2, too, where they match one of its parts: a matches a|b(1). Without it, only what
// is written as a multi-action matches one, its parts in any order.
func WithParts(ctx context.Context) context.Context {
	return context.WithValue(ctx, partsKey{}, true)
}

// countParts reports whether a context is one of [WithParts].
func countParts(ctx context.Context) bool {
	if ctx == nil {
		return false
	}
	is, _ := ctx.Value(partsKey{}).(bool)
	return is
}

// partsOf returns the parts of a multi-action of mCRL2, without blanks around them and after
// commas: of a label in which | stands outside parentheses, quotes and brackets, between
// names with or without arguments. Of any other label there are none. Cost O(len(label)).
func partsOf(label string) []string {
	if strings.IndexByte(label, '|') < 0 {
		return nil
	}
	var parts []string
	from := 0
	var open []byte
	for i := 0; i <= len(label); i++ {
		if i == len(label) || label[i] == '|' && len(open) == 0 {
			part := tight(label[from:i])
			if !isAction(part) || len(open) > 0 {
				return nil
			}
			parts = append(parts, part)
			from = i + 1
			continue
		}
		switch c := label[i]; c {
		case '(', '[', '{':
			open = append(open, closer(c))
		case ')', ']', '}':
			if len(open) == 0 || open[len(open)-1] != c {
				return nil
			}
			open = open[:len(open)-1]
		case '"':
			end := strings.IndexByte(label[i+1:], '"')
			if end < 0 {
				return nil
			}
			i += end + 1
		}
	}
	if len(parts) < 2 {
		return nil
	}
	return parts
}

// isAction reports whether text is the name of an action, or one with arguments, the
// brackets of which pair up.
func isAction(text string) bool {
	name, arguments, called := strings.Cut(text, "(")
	for i := range len(name) {
		if c := name[i]; !isLetter(c) && c != '_' && c != '\'' && c < 0x80 {
			return false
		}
	}
	return name != "" && (!called || closing("("+arguments) == len(arguments)+1)
}

// multiAction returns the same text for all orders of the parts of a multi-action, and ""
// for a label that is none.
func multiAction(label string) string {
	parts := partsOf(label)
	if parts == nil {
		return ""
	}
	slices.Sort(parts)
	return strings.Join(parts, "|")
}
