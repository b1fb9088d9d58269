package actl

import (
	"regexp/syntax"
	"strings"

	"github.com/inev-lts/inev/lts"
)

// Specimens returns an alphabet in which each of these patterns has a label, as far as
// one is found, and last, where there is such, a label that none of them has: "other". It
// stands for models where there is none. Cost O(patterns²).
func Specimens(patterns []Pattern) (*lts.Alphabet, error) {
	var b lts.Builder
	for _, p := range patterns {
		if label, found := p.specimen(); found {
			b.Label(label)
		}
	}
	const other = "other"
	free := true
	for _, p := range patterns {
		free = free && !p.Matches(other)
	}
	if free {
		b.Label(other)
	}
	m, err := b.Build(0, 1)
	if err != nil {
		return nil, err
	}
	return m.Alphabet(), nil
}

// specimen returns a label that a pattern matches.
func (p Pattern) specimen() (string, bool) {
	for i := range p.elements {
		e := &p.elements[i]
		label := e.text
		switch e.kind {
		case glob:
			label = strings.NewReplacer("*", "", "?", "x").Replace(e.text)
		case regex:
			parsed, err := syntax.Parse(e.text, syntax.Perl)
			if err != nil {
				continue
			}
			label = shortest(parsed)
		}
		if e.matches(label) {
			return label, true
		}
	}
	return "", false
}

// shortest returns a short text that an expression matches, if anchors and the like do
// not stand in the way.
func shortest(re *syntax.Regexp) string {
	var b strings.Builder
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		if len(re.Rune) > 0 {
			return string(re.Rune[0])
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x"
	case syntax.OpCapture, syntax.OpPlus:
		return shortest(re.Sub[0])
	case syntax.OpAlternate:
		return shortest(re.Sub[0])
	case syntax.OpRepeat:
		return strings.Repeat(shortest(re.Sub[0]), re.Min)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			b.WriteString(shortest(sub))
		}
	}
	return b.String()
}
