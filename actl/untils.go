package actl

import (
	"fmt"
	"strings"
)

// untils reads nested until operators, as many as there are steps. Where all is
// well, what is left of each of them is true_{true}, and the innermost formula is
// true.
func (p *parser) untils() ([]Pattern, error) {
	var steps []Pattern
	var open []int // positions of the brackets not yet closed
	for {
		p.blanks()
		at := p.pos
		switch {
		case p.take('('):
			open = append(open, at)
			continue
		case len(steps) > 0 && p.keyword("true"):
			return steps, p.close(open)
		case p.peek() != 'A' || isLetter(p.peekAt(1)):
			return nil, p.failForm(`"A["`)
		}
		if err := p.room(steps); err != nil {
			return nil, err
		}
		p.take('A')
		p.blanks()
		open = append(open, p.pos)
		if !p.take('[') && !p.take('(') {
			return nil, p.failForm(`"["`)
		}
		elements, err := p.until()
		if err != nil {
			return nil, err
		}
		steps = append(steps, newPattern(elements))
	}
}

// close reads what closes the brackets at these positions, the last one first.
func (p *parser) close(open []int) error {
	for i := len(open) - 1; i >= 0; i-- {
		if p.blanks(); !p.take(closer(p.text[open[i]])) {
			return p.unclosed(open[i])
		}
	}
	return nil
}

// until reads true_{true} U_{…} and returns the pattern in it.
func (p *parser) until() ([]element, error) {
	if p.blanks(); !p.keyword("true") {
		return nil, p.failForm(`"true"`)
	}
	if err := p.trueSubscript(); err != nil {
		return nil, err
	}
	if p.blanks(); !p.keyword("U") {
		return nil, p.failForm(`"U"`)
	}
	p.blanks()
	word := p.take('_')
	if p.blanks(); p.take('{') {
		return p.alternatives('{', inSubscript)
	}
	if !word {
		return nil, p.failForm(`"_{"`)
	}
	return p.alternative("U_", inWord)
}

// trueSubscript reads the subscript of what is left of U. It may be left out.
func (p *parser) trueSubscript() error {
	p.blanks()
	word := p.take('_')
	p.blanks()
	braces := p.take('{')
	if !word && !braces {
		return nil
	}
	if p.blanks(); !p.keyword("true") {
		return p.failForm(`"true"`)
	}
	if p.blanks(); braces && !p.take('}') {
		return p.failForm(`"}"`)
	}
	return nil
}

// alternatives reads the patterns of U_{…}, or within another bracket, after that. A
// comma separates them, or any usual sign for or.
func (p *parser) alternatives(bracket byte, where surroundings) ([]element, error) {
	var elements []element
	for before := string(bracket); ; {
		if err := p.stopped(); err != nil {
			return nil, err
		}
		more, err := p.alternative(before, where)
		if err != nil {
			return nil, err
		}
		elements = append(elements, more...)
		p.blanks()
		if p.take(closer(bracket)) {
			return elements, nil
		}
		from := p.pos
		if !p.takeOr() {
			return nil, p.fail(p.pos, fmt.Sprintf(`"or", "," or "%c"`, closer(bracket)))
		}
		before = p.text[from:p.pos]
	}
}

// takeOr skips what separates two alternatives.
func (p *parser) takeOr() bool {
	switch {
	case p.take('|'):
		p.take('|')
		return true
	case p.peek() == '\\' && p.peekAt(1) == '/':
		p.pos += 2
		return true
	}
	return p.take(',') || p.operator("or")
}

// operator skips a word if it comes next and cannot begin a name.
func (p *parser) operator(word string) bool {
	start := p.pos
	if p.keyword(word) && (p.pos == len(p.text) || isBlank(p.peek()) || strings.IndexByte(`"/{}`, p.peek()) >= 0) {
		return true
	}
	p.pos = start
	return false
}

// alternative reads an element, or a set, within which there are no operators.
// The constants of ACTL stand for any label, true, and for none, false.
func (p *parser) alternative(before string, where surroundings) ([]element, error) {
	p.blanks()
	start := p.pos
	switch c := p.peek(); {
	case p.take('{'):
		return p.set()
	case c == '~' || c == '!' || p.operator("not"):
		return nil, p.fail(start, "a label pattern without negation")
	}
	e, err := p.element(before, where)
	if err != nil || e.kind != name {
		return []element{e}, err
	}
	constant := parser{text: e.text}
	switch {
	case constant.keyword("false") && constant.pos == len(e.text):
		return nil, nil
	case constant.keyword("true") && constant.pos == len(e.text):
		return []element{newBare("*")}, nil
	}
	return []element{e}, nil
}

// failForm returns the error that the formula is none of the form that is taken.
func (p *parser) failForm(expected string) error {
	return p.fail(p.pos, fmt.Sprintf("%s, as in %s %s", expected, actlForm, onlyForm))
}
