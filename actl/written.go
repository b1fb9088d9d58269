package actl

// Begins reports whether a text is to be read by [Parse], by how it begins: with the name
// of a pattern and a parenthesis behind it, or nothing at all; or with A[, also in
// parentheses. Cost O(length of the text).
func Begins(text string) bool {
	p := parser{text: text}
	p.blanks()
	if _, named := p.patternName(); named {
		p.blanks()
		return p.peek() == '(' || p.pos == len(text)
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
func BeginsWithName(text string) bool {
	p := parser{text: text}
	p.blanks()
	_, named := p.patternName()
	return named
}
