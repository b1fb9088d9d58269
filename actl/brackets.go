package actl

import "context"

// surroundingsOf returns where a pattern stands behind this bracket.
func surroundingsOf(bracket byte) surroundings {
	if bracket == '<' {
		return inDiamond
	}
	return inSubscript
}

// Labels reads the pattern that stands in brackets at an offset of the text, behind the
// opening one, and returns the offset behind the closing one: { as in U_{PUT}, [ as in
// [PUT] true, or < as in <PUT> true. As between the braces of
// U_{…}, members of a set are separated by commas, or, | or \/, and true and false are any
// label and none. The error is a [*SyntaxError], or that of ctx once that is done.
func (t Text) Labels(ctx context.Context, at int, bracket byte) (Pattern, int, error) {
	p := parser{text: string(t), pos: at, ctx: ctx}
	elements, err := p.alternatives(bracket, surroundingsOf(bracket))
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
func (p Pattern) Within(bracket byte) string {
	text := p.alternatives(surroundingsOf(bracket))
	if p.IsAny() {
		text = "true"
	}
	return string(bracket) + text + string(closer(bracket))
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
