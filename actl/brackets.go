package actl

import "context"

// Bracket is what stands before a pattern of labels within a formula that has operators
// around it: { as in U_{PUT}, [ as in [PUT] true, or < as in <PUT> true.
type Bracket byte

// The brackets.
const (
	Brace   Bracket = '{'
	Box     Bracket = '['
	Diamond Bracket = '<'
)

func (b Bracket) surroundings() surroundings {
	if b == Diamond {
		return inDiamond
	}
	return inSubscript
}

// Labels reads the pattern that stands in brackets at an offset of the text, behind the
// opening one, and returns the offset behind the closing one. As between the braces of
// U_{…}, members of a set are separated by commas, or, | or \/, and true and false are any
// label and none. The error is a [*SyntaxError], or that of ctx once that is done.
func (t Text) Labels(ctx context.Context, at int, b Bracket) (Pattern, int, error) {
	p := parser{text: string(t), pos: at, ctx: ctx}
	elements, err := p.alternatives(byte(b), b.surroundings())
	if err == nil {
		err = p.stopped()
	}
	if err != nil {
		return Pattern{}, 0, err
	}
	return newPattern(elements), p.pos, nil
}

// Within returns the pattern with brackets around it, as [Text.Labels] reads it back. Cost
// O(length of the text).
func (p Pattern) Within(b Bracket) string {
	text := p.alternatives(b.surroundings())
	if p.IsAny() {
		text = "true"
	}
	return string(b) + text + string(closer(byte(b)))
}

// IsAny reports whether the pattern is written as that of any label: true, or *. Cost O(1).
func (p Pattern) IsAny() bool {
	return len(p.elements) == 1 && p.elements[0].kind == glob && p.elements[0].key == "*"
}

// IsNone reports whether the pattern is that of no label: {}, or false. Cost O(1).
func (p Pattern) IsNone() bool { return len(p.elements) == 0 }

// Quoted reads the text in quotes at an offset of the text, and returns the offset behind
// it. The error is a [*SyntaxError].
func (t Text) Quoted(at int) (content string, after int, err error) {
	p := parser{text: string(t), pos: at}
	e, err := p.quotedLabel()
	return e.key, p.pos, err
}
