package modal

import (
	"cmp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/printable"
)

// Operators on lists, sets and values of types with constructors.
const (
	applyOp         = "apply"     // a function, defined by equations
	constructOp     = "construct" // a constructor with arguments
	recogniseOp     = "recognise" // whether a value has this constructor
	projectOp       = "project"   // an argument of a constructor
	listOp          = "list"      // [A, B]
	setOp           = "set"       // {A, B}
	comprehensionOp = "such that" // {n: Nat | CONDITION}
	prependOp       = "|>"
	appendOp        = "<|"
	concatenateOp   = "++"
	elementOp       = "."
	sizeOp          = "#"
	inOp            = "in"
	someOp          = "exists" // within a condition
	eachOp          = "forall"
)

// constructed returns the constructor and the arguments of a value, written as b(1,c).
func (v value) constructed() (name string, arguments []value) {
	if v.kind != textValue {
		return "", nil
	}
	name, list, hasArguments := strings.Cut(v.text, "(")
	if !hasArguments || !strings.HasSuffix(list, ")") {
		return v.text, nil
	}
	for _, argument := range splitOutside(list[:len(list)-1], ',') {
		arguments = append(arguments, valueOfText(argument))
	}
	return name, arguments
}

// valueOfText returns the value that a text denotes: a number, a truth value, or a constant.
func valueOfText(text string) value {
	text = withoutBlanks(strings.TrimSpace(text))
	n, isNumber := asNumber(text)
	switch {
	case isNumber && number(n).String() == text:
		return number(n)
	case text == "true", text == "false":
		return truth(text == "true")
	}
	return value{text: canonical(text)}
}

// canonical returns the text of a value as values are compared: the elements of sets are in order, each
// once, also within lists, sets and arguments.
func canonical(text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	open := text[0]
	if open == '{' || open == '[' {
		elements, isCollection := value{text: text}.elements(open)
		if !isCollection {
			return text
		}
		return collected(open, elements).text
	}
	name, arguments := value{text: text}.constructed()
	if len(arguments) == 0 {
		return text
	}
	return name + "(" + joinedTexts(arguments) + ")"
}

// closingOf are the brackets of lists and sets.
var closingOf = map[byte]byte{'[': ']', '{': '}'}

// elements returns the elements of a list or, in braces, of a set; false if the value is neither.
// It returns false for a bag, too, and for a set with infinitely many elements.
func (v value) elements(open byte) (all []value, isCollection bool) {
	hasBrackets := len(v.text) >= 2 && v.text[0] == open && v.text[len(v.text)-1] == closingOf[open]
	if v.kind != textValue || !hasBrackets {
		return nil, false
	}
	inside := v.text[1 : len(v.text)-1]
	if inside == "" {
		return nil, true
	}
	for _, element := range splitOutside(inside, ',') {
		isOther := len(splitOutside(element, ':')) > 1 || len(splitOutside(element, '|')) > 1
		if open == '{' && isOther {
			return nil, false
		}
		all = append(all, valueOfText(element))
	}
	return all, true
}

// collected returns a list of elements or, in braces, a set.
func collected(open byte, elements []value) value {
	if open == '{' {
		elements = sorted(slices.Clone(elements))
	}
	return value{text: string(open) + joinedTexts(elements) + string(closingOf[open])}
}

// joinedTexts returns the texts of values, with commas between them.
func joinedTexts(all []value) string {
	var texts []string
	for _, v := range all {
		texts = append(texts, v.String())
	}
	return strings.Join(texts, ",")
}

// collection returns the elements of the list or set that a part of an expression denotes.
func (e *expression) collection(part int, env *environment) (open byte, elements []value) {
	v := e.parts[part].eval(env)
	for _, open := range []byte{'[', '{'} {
		elements, isCollection := v.elements(open)
		if isCollection {
			return open, elements
		}
	}
	refuse(e.parts[part].at, "a list or a set with finitely many elements, and not %s", v)
	return 0, nil
}

// list returns the elements of the list that a part of an expression denotes.
func (e *expression) list(part int, env *environment) []value {
	open, elements := e.collection(part, env)
	if open != '[' {
		refuse(e.parts[part].at, "a list, and not %s", collected(open, elements))
	}
	return elements
}

// ofLimitedLength returns a value, unless its text is too long.
func (e *expression) ofLimitedLength(v value, env *environment) value {
	const charactersPerStep = 16
	env.evaluation().spend(e.at, 1+len(v.text)/charactersPerStep)
	if len(v.text) > longestValue {
		refuse(e.at, "a value of at most %d characters", longestValue)
	}
	return v
}

// structured returns the value of an operator on lists, sets and constructors.
func (e *expression) structured(env *environment) value {
	switch e.op {
	case constructOp:
		return value{text: e.constructor.name + "(" + joinedTexts(e.values(env)) + ")"}
	case recogniseOp:
		name, _ := e.parts[0].eval(env).constructed()
		return truth(name == e.fields[0].of.name)
	case projectOp:
		return e.projection(env)
	case listOp:
		return collected('[', e.values(env))
	case setOp:
		return collected('{', e.values(env))
	case prependOp:
		return collected('[', append([]value{e.parts[0].eval(env)}, e.list(1, env)...))
	case appendOp:
		return collected('[', append(e.list(0, env), e.parts[1].eval(env)))
	case concatenateOp:
		return collected('[', append(e.list(0, env), e.list(1, env)...))
	case elementOp:
		return e.elementAt(env)
	case sizeOp:
		_, elements := e.collection(0, env)
		return number(int64(len(elements)))
	case inOp:
		sought := e.parts[0].eval(env)
		_, elements := e.collection(1, env)
		return truth(slices.ContainsFunc(elements, sought.same))
	case comprehensionOp:
		return collected('{', e.admitted(env))
	}
	return e.endOfList(env)
}

// values returns the values of all parts.
func (e *expression) values(env *environment) (all []value) {
	for _, part := range e.parts {
		all = append(all, part.eval(env))
	}
	return all
}

// projection returns an argument of a constructor.
func (e *expression) projection(env *environment) value {
	v := e.parts[0].eval(env)
	name, arguments := v.constructed()
	var names []string
	for _, f := range e.fields {
		if f.of.name == name && len(arguments) == len(f.of.sorts) {
			return arguments[f.index]
		}
		names = append(names, f.of.name+"(…)")
	}
	refuse(e.at, "a value %s, and not %s", printable.List(names, "or"), v)
	return value{}
}

// order compares two values of a type with constructors as mCRL2 does: by the position of the constructor in
// the type, and then by the arguments. The result is negative, 0 or positive; false if the values are none.
func (l *lookup) order(a, b value) (order int, areOrdered bool) {
	if l == nil || a.kind != textValue || b.kind != textValue {
		return 0, false
	}
	nameA, argumentsA := a.constructed()
	nameB, argumentsB := b.constructed()
	constructorA := l.constructor(nameA)
	constructorB := l.constructor(nameB)
	isOneType := constructorA != nil && constructorB != nil && constructorA.of == constructorB.of &&
		!constructorA.isRepeated && !constructorB.isRepeated
	if !isOneType {
		return 0, false
	}
	all := constructorA.of.constructors
	order = slices.Index(all, constructorA) - slices.Index(all, constructorB)
	if order != 0 || len(argumentsA) != len(argumentsB) {
		return order, order != 0
	}
	for i, argument := range argumentsA {
		order, areOrdered = l.orderOfArguments(argument, argumentsB[i])
		if !areOrdered || order != 0 {
			return order, areOrdered
		}
	}
	return 0, true
}

// orderOfArguments is [lookup.order] for values of any type.
func (l *lookup) orderOfArguments(a, b value) (order int, areOrdered bool) {
	switch {
	case a.same(b):
		return 0, true
	case a.kind == numberValue && b.kind == numberValue:
		return cmp.Compare(a.number, b.number), true
	case a.kind == boolValue && b.kind == boolValue && a.isTrue:
		return 1, true
	case a.kind == boolValue && b.kind == boolValue:
		return -1, true
	}
	return l.order(a, b)
}

// elementAt returns the element of a list at a position, which counts from 0.
func (e *expression) elementAt(env *environment) value {
	elements := e.list(0, env)
	at := e.parts[1].eval(env)
	if at.kind != numberValue || at.number < 0 || at.number >= int64(len(elements)) {
		refuse(e.at, "a position in a list with %d elements, and not %s", len(elements), at)
	}
	return elements[at.number]
}

// endOfList returns the first or last element of a list, or the other ones.
func (e *expression) endOfList(env *environment) value {
	elements := e.list(0, env)
	if len(elements) == 0 {
		refuse(e.at, "a list with elements for %s", e.op)
	}
	last := len(elements) - 1
	switch e.op {
	case "head":
		return elements[0]
	case "rhead":
		return elements[last]
	case "tail":
		return collected('[', elements[1:])
	}
	return collected('[', elements[:last])
}

// onSets returns the value of + - * and of comparisons of two sets; false if the operands are no sets.
func (e *expression) onSets(a, b value) (v value, areSets bool) {
	ofA, isSetA := a.elements('{')
	ofB, isSetB := b.elements('{')
	if !isSetA || !isSetB {
		return value{}, false
	}
	isIn := func(elements []value) func(value) bool {
		return func(v value) bool { return slices.ContainsFunc(elements, v.same) }
	}
	outsideB := slices.DeleteFunc(slices.Clone(ofA), isIn(ofB))
	outsideA := slices.DeleteFunc(slices.Clone(ofB), isIn(ofA))
	switch e.op {
	case "+":
		return collected('{', slices.Concat(ofA, outsideA)), true
	case "-":
		return collected('{', outsideB), true
	case "*":
		return collected('{', slices.DeleteFunc(slices.Clone(ofA), isIn(outsideB))), true
	case "<=":
		return truth(len(outsideB) == 0), true
	case "<":
		return truth(len(outsideB) == 0 && len(outsideA) > 0), true
	case ">=":
		return truth(len(outsideA) == 0), true
	case ">":
		return truth(len(outsideA) == 0 && len(outsideB) > 0), true
	}
	return value{}, false
}

// quantify returns the value of a quantifier within a condition.
func (e *expression) quantify(env *environment) value {
	return truth(e.quantified(e.declared, env))
}

// quantified returns the value of a quantifier over the variables that have no value yet.
func (e *expression) quantified(declared []declaration, env *environment) bool {
	body := e.parts[0]
	if len(declared) == 0 {
		return body.condition(env)
	}
	v := declared[0].variable
	conditions := body.conjuncts()
	isForall := e.op == eachOp
	if isForall {
		conditions = body.assumedConditions()
	}
	for _, value := range v.admittedBy(e.at, conditions, env) {
		env.evaluation().spend(e.at, 1)
		if e.quantified(declared[1:], env.with(v.name, value)) != isForall {
			return !isForall
		}
	}
	return isForall
}

// admitted returns the members of a set {n: Nat | CONDITION}: the values of the variable for which
// the condition holds.
func (e *expression) admitted(env *environment) (all []value) {
	v := e.declared[0].variable
	for _, value := range v.admittedBy(e.at, e.parts[0].conjuncts(), env) {
		env.evaluation().spend(e.at, 1)
		if e.parts[0].condition(env.with(v.name, value)) {
			all = append(all, value)
		}
	}
	return all
}

// admittedBy returns the values of a variable that conditions admit: all values of a type with few
// values, those that a condition lists, or a range of numbers. It fails if there may be others.
func (v *variable) admittedBy(at token, conditions []*expression, env *environment) []value {
	switch v.sort.kind() {
	case boolSort:
		return []value{truth(false), truth(true)}
	case declaredSort:
		return v.sort.constants
	}
	for _, condition := range conditions {
		if all, isListed := condition.listed(v, env); isListed {
			return all
		}
	}
	var all []value
	if v.sort.isNumeric() {
		all = v.numbersAllowedBy(conditions, env)
	}
	if all == nil {
		name := v.shownName()
		abort.On(at.refused("a bound on "+name,
			"within a condition, the values of "+name+" are listed: write "+name+" <= 9 && …, or … => …"))
	}
	return all
}

// assumedConditions returns conditions that all hold if the expression, of type bool, does not.
func (e *expression) assumedConditions() []*expression {
	switch e.op {
	case "not", "implies":
		return e.parts[0].conjuncts()
	case "or":
		return append(e.parts[0].assumedConditions(), e.parts[1].assumedConditions()...)
	}
	return nil
}
