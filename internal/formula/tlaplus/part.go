package tlaplus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// part returns a part of a definition as a definition of its own with the same parameters: for Def!2!1
// the first operand of the second operand, for Def!top the expression with this label, and for Def!:
// the whole. See Lamport, "TLA+ Version 2", section 6. In Def!(e)!1 and Def!label(e), e is the value of
// a name that is bound around the part; such names become parameters, too.
//
// The index place of [expression.names] gives the name of the definition; the names after it select the
// part.
func (d *Definition) part(use *expression, place int) *Definition {
	selectors := use.names()[place+1:]
	key := fmt.Sprint(selectors, use.given[place:])
	if known := d.parts[key]; known != nil {
		return known
	}
	if d.instance != nil || d.over != nil {
		fail(use.at, "%s names a part of %s, which is no operator", use.text(), d.name)
	}
	use.checkGiven(place, len(d.parameters))
	s := selection{use: use, definition: d.name, part: d.read()}
	for i, selector := range selectors {
		d.spent.take(1)
		numBound := len(s.bound)
		s.narrow(selector)
		newlyBound := s.bound[numBound:]
		use.checkGiven(place+1+i, len(newlyBound))
		if s.part.label == selector {
			s.orderByLabel(newlyBound)
		}
	}
	partDefinition := &Definition{
		name:       d.name + "!" + strings.Join(selectors, "!"),
		at:         d.at,
		parameters: slices.Concat(d.parameters, s.bound),
		module:     d.module,
		source:     d.source,
		spent:      d.spent,
		body:       s.whole(),
	}
	if d.parts == nil {
		d.parts = map[string]*Definition{}
	}
	d.parts[key] = partDefinition
	return partDefinition
}

// selection is a part of an expression. It has the definitions of LET around the part, the outermost
// first.
type selection struct {
	use        *expression // the expression that names the part
	definition string      // the definition
	part       *expression
	lets       []*expression
	// bound are the names that expressions around the part bind.
	bound []parameter
}

// whole returns the part with the definitions that it may use.
func (s *selection) whole() *expression {
	x := s.part
	for _, around := range slices.Backward(s.lets) {
		inner := *around
		inner.args = []*expression{x}
		x = &inner
	}
	return x
}

// narrow moves from the present part to the part in it that a selector names: the part itself, an
// operand, the body of a quantifier, or a part with a label.
func (s *selection) narrow(selector string) {
	if selector == ":" {
		return
	}
	number, isOperand := operandNumber(selector)
	if isOperand {
		s.enterOperand(selector, number)
		return
	}
	isBody := selector == boundValuesFollow && s.enterBody()
	if isBody || s.findLabel(selector) {
		return
	}
	fail(s.use.at,
		"%s in %s is no instance of a module, and has no part %s outside of quantifiers", s.definition, s.use.text(), selector)
}

// operandNumber returns the number of the operand that a selector names, where << and >> name the first
// and the second; false if the selector does not name an operand.
func operandNumber(selector string) (number int, isOperand bool) {
	switch selector {
	case "<<":
		return 1, true
	case ">>":
		return 2, true
	}
	number, err := strconv.Atoi(selector)
	return number, err == nil
}

// enterOperand moves to the operand of the present part that a selector names by this number.
func (s *selection) enterOperand(selector string, number int) {
	parts := s.part.operands()
	if parts == nil {
		fail(s.use.at,
			"%s names a part of %s, which is not read: give the part a name of its own", s.use.text(), s.part.text())
	}
	isInRange := 1 <= number && number <= len(parts)
	isNotBinary := selector == ">>" && len(parts) != 2
	if !isInRange || isNotBinary {
		fail(s.use.at, "%s names part %s of %s, which has %d", s.use.text(), selector,
			s.part.text(), len(parts))
	}
	if s.part.kind == let {
		s.lets = append(s.lets, s.part)
	}
	s.part = parts[number-1]
}

// orderByLabel sorts the names that are bound around a labelled part into the order in which the label has
// them.
func (s *selection) orderByLabel(bound []parameter) {
	for _, p := range bound {
		if !slices.Contains(s.part.labelled, p.name) {
			fail(s.part.at,
				"the label %s has to name %s in parentheses, which is bound around it", s.part.label, p.name)
		}
	}
	slices.SortStableFunc(bound, func(p, q parameter) int {
		return slices.Index(s.part.labelled, p.name) - slices.Index(s.part.labelled, q.name)
	})
}

// enterBody moves to the body of the present part if the part binds names, and reports whether it does.
func (s *selection) enterBody() bool {
	x := s.part
	switch x.kind {
	case forAll, exists, choose, function, filtered, mapped, lambda:
	default:
		return false
	}
	names := slices.Clone(x.fields)
	for _, b := range x.bounds {
		names = append(names, b.names...)
	}
	for _, name := range names {
		s.bound = append(s.bound, parameter{name: name})
	}
	s.part = x.args[0]
	return len(names) > 0
}

// operands returns the parts that numbers select: the operands or, for an expression that binds names,
// the sets of these names; nil for other expressions.
func (x *expression) operands() []*expression {
	switch x.kind {
	case apply, selected, junction, product, tuple, setOf, ifThen, at, square, angle, functions, let:
		return x.args
	case forAll, exists, choose, filtered, mapped, function:
		return x.sets()
	}
	return nil
}

// sets returns the sets of the bound names of an expression, each once for the names that share it.
func (x *expression) sets() []*expression {
	var all []*expression
	for i, b := range x.bounds {
		if b.set != nil && (i == 0 || x.bounds[i-1].set != b.set) {
			all = append(all, b.set)
		}
	}
	return all
}

// findLabel moves to the part with a label, and reports whether there is one. The part must not be within
// another labelled part.
func (s *selection) findLabel(label string) bool {
	x := s.part
	if x.label == label {
		return true
	}
	if x.kind == let {
		s.lets = append(s.lets, x)
	}
	for _, part := range x.operands() {
		if part.label != "" && part.label != label {
			continue
		}
		s.part = part
		if s.findLabel(label) {
			return true
		}
	}
	s.part = x
	outer := s.bound
	if s.enterBody() && s.findLabel(label) {
		return true
	}
	s.bound = outer
	if x.kind == let {
		s.lets = s.lets[:len(s.lets)-1]
	}
	s.part = x
	return false
}
