package actl

// Begins reports whether a text is to be read by [Parse], by how it begins: with the name
// of a pattern and a parenthesis behind it, or nothing at all; or with A[, also in
// parentheses. Cost O(length of the text).
func (t Text) Begins() bool {
	p := parser{text: string(t)}
	p.blanks()
	if _, named := p.patternName(); named {
		p.blanks()
		return p.peek() == '(' || p.pos == len(t)
	}
	for p.take('(') {
		p.blanks()
	}
	if !p.take('A') {
		return false
	}
	p.blanks()
	return p.peek() == '['
}

// BeginsWithName reports whether a text begins with the name of a pattern. Cost O(1).
func (t Text) BeginsWithName() bool {
	p := parser{text: string(t)}
	p.blanks()
	_, named := p.patternName()
	return named
}
