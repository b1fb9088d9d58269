package mcrl2

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// printer prints terms as mCRL2 does. Instead of recursing it uses a stack of
// items that are still to be printed.
type printer struct {
	*terms
	ctx   context.Context
	out   []byte
	stack []item
	// unknownOperation is the first operation for which it is unknown how mCRL2 prints it.
	unknownOperation string
}

// item is a text, or a term with a manner of printing it.
type item struct {
	text string
	x    term // unless as is asText
	as   manner
}

type manner uint8

const (
	asText manner = iota
	asData
	asSort
	asDomain // a sort before an arrow
	asConstructor
	asProjection
)

func sort(x term) item { return item{x: x, as: asSort} }

// textMax is the largest length of a text in bytes. Subterms are shared, so that
// the text of a small file can exceed any memory; stepsMax limits how many terms
// are visited for each byte, because some print nothing.
const (
	textMax  = 1 << 20
	stepsMax = 64
)

var errLongText = errors.New("a label or value of more than 1 MiB, or too deeply nested")

// print returns the text of items, which is valid until the next call.
func (p *printer) print(items ...item) ([]byte, error) {
	p.out = p.out[:0]
	p.stack = p.stack[:0]
	p.push(items...)
	for steps := 1; len(p.stack) > 0; steps++ {
		isLong := len(p.out) > textMax || len(p.stack) > 8*textMax
		if isLong || steps > 1<<16+stepsMax*len(p.out) {
			return nil, errLongText
		}
		if steps%65536 == 0 && p.ctx.Err() != nil {
			return nil, p.ctx.Err()
		}
		top := p.stack[len(p.stack)-1]
		p.stack = p.stack[:len(p.stack)-1]
		switch top.as {
		case asText:
			p.out = append(p.out, top.text...)
		case asData:
			p.showData(top.x)
		default:
			p.showSort(top.x, top.as)
		}
	}
	return p.out, nil
}

// push puts items on the stack, so that they are printed next, in their order.
func (p *printer) push(items ...item) {
	for i := len(items) - 1; i >= 0; i-- {
		p.stack = append(p.stack, items[i])
	}
}

// items turns parts into items, in their order: a string becomes a text, a term becomes data, and
// items are taken as they are.
func items(parts ...any) (all []item) {
	for _, part := range parts {
		switch part := part.(type) {
		case string:
			all = append(all, item{text: part})
		case term:
			all = append(all, item{x: part, as: asData})
		case item:
			all = append(all, part)
		case []item:
			all = append(all, part...)
		}
	}
	return all
}

// show puts parts on the stack, so that they are printed next; for the kinds of parts see [items].
func (p *printer) show(parts ...any) { p.push(items(parts...)...) }

// inParentheses returns a term, with parentheses around it if needed.
func inParentheses(x term, needed bool) []item {
	if needed {
		return items("(", x, ")")
	}
	return items(x)
}

// separated returns terms with a text between them. If there are several, terms
// with a precedence below bound are in parentheses.
func (p *printer) separated(xs []term, between string, bound int) []item {
	var all []item
	for i, x := range xs {
		if i > 0 {
			all = append(all, item{text: between})
		}
		all = append(all, inParentheses(x, len(xs) > 1 && p.precedence(x) < bound)...)
	}
	return all
}

// list returns the elements of a list, which must end with the empty list.
func (p *printer) list(x term) []term {
	var elements []term
	for p.role(x) == cons && len(elements) <= textMax {
		elements = append(elements, p.argument(x, 0))
		x = p.argument(x, 1)
	}
	return elements
}

// showData starts printing a term of data.
func (p *printer) showData(x term) {
	switch p.role(x) {
	case operation:
		name := p.name(p.argument(x, 0))
		switch p.op(x) {
		case opZero:
			name = "0"
		case opOne:
			name = "1"
		}
		p.show(name)
	case variable:
		p.show(p.name(p.argument(x, 0)))
	case number:
		p.out = strconv.AppendUint(p.out, p.value(x), 10)
	case application:
		p.showApplication(x)
	case binder:
		p.showBinder(x)
	case where:
		p.show(p.argument(x, 0), " whr ", each(p.list(p.argument(x, 1)), asData, ", "), " end")
	case assignment:
		p.show(p.argument(x, 0), " = ", p.argument(x, 1))
	default:
		p.showUnknown(x)
	}
}

// showBinder prints a quantifier, a lambda, or a set or bag by comprehension.
func (p *printer) showBinder(x term) {
	declarations := p.declarations(p.argument(x, 1))
	body := p.argument(x, 2)
	switch p.name(p.argument(x, 0)) {
	case "Forall":
		p.show("forall ", declarations, ". ", body)
	case "Exists":
		p.show("exists ", declarations, ". ", body)
	case "Lambda":
		p.show("lambda ", declarations, ". ", body)
	default:
		p.show("{ ", declarations, " | ", body, " }")
	}
}

// showUnknown prints a term that is not data of a kind that this package knows.
func (p *printer) showUnknown(x term) {
	p.noteUnknown(p.name(x))
	arguments := p.argumentsOf(x)
	if len(arguments) > 0 {
		p.show(p.name(x), "(", p.separated(arguments, ",", 0), ")")
		return
	}
	p.show(p.name(x))
}

// noteUnknown remembers the first operation for which it is unknown how mCRL2 prints it.
func (p *printer) noteUnknown(name string) {
	p.unknownOperation = cmp.Or(p.unknownOperation, name)
}

// declarations returns variables with their sorts; adjacent variables with the
// same sort share it.
func (p *printer) declarations(list term) []item {
	var found []item
	variables := p.list(list)
	for i, v := range variables {
		isLast := i+1 == len(variables)
		sharesSort := !isLast && p.role(variables[i+1]) == variable &&
			p.argument(variables[i+1], 1) == p.argument(v, 1)
		switch {
		case p.role(v) != variable:
			found = append(found, items(v)...)
		case sharesSort:
			found = append(found, items(v, ",")...)
		case isLast:
			found = append(found, items(v, ": ", sort(p.argument(v, 1)))...)
		default:
			found = append(found, items(v, ": ", sort(p.argument(v, 1)), ", ")...)
		}
	}
	return found
}

// showSort prints a sort, or a part of one.
func (p *printer) showSort(x term, as manner) {
	r := p.role(x)
	switch {
	case as == asConstructor && p.symbol(x).arity == 3:
		p.showConstructor(x)
	case as == asProjection && p.symbol(x).arity == 2:
		name := p.name(p.argument(x, 0))
		if name != "" {
			p.show(name, ": ", sort(p.argument(x, 1)))
			return
		}
		p.show(sort(p.argument(x, 1)))
	case as == asDomain && r == arrowSort:
		p.show("(", sort(x), ")")
	case r == basicSort:
		p.show(p.name(p.argument(x, 0)))
	case r == containerSort:
		name := p.name(p.argument(x, 0)) // List is SortList
		p.show(cmp.Or(strings.TrimPrefix(name, "Sort"), name), "(", sort(p.argument(x, 1)), ")")
	case r == arrowSort:
		p.show(each(p.list(p.argument(x, 0)), asDomain, " # "), " -> ", sort(p.argument(x, 1)))
	case r == structSort:
		p.show("struct ", each(p.list(p.argument(x, 0)), asConstructor, " | "))
	default:
		p.showUnknown(x)
	}
}

// showConstructor prints a constructor of a structured sort, with its fields and its recogniser.
func (p *printer) showConstructor(x term) {
	parts := []any{p.name(p.argument(x, 0))}
	fields := p.list(p.argument(x, 1))
	if len(fields) > 0 {
		parts = append(parts, "(", each(fields, asProjection, ", "), ")")
	}
	recogniser := p.name(p.argument(x, 2))
	if recogniser != "" {
		parts = append(parts, "?"+recogniser)
	}
	p.show(parts...)
}

// each returns terms to be printed in one manner, with a text between them.
func each(xs []term, as manner, between string) []item {
	var all []item
	for i, x := range xs {
		if i > 0 {
			all = append(all, item{text: between})
		}
		all = append(all, item{x: x, as: as})
	}
	return all
}

// showApplication starts printing an operation with its arguments.
func (p *printer) showApplication(x term) {
	all := p.argumentsOf(x)
	head := all[0]
	arguments := all[1:]
	switch {
	case p.hasShape(x, aNumeral):
		p.showNumeral(x)
	case p.role(head) == binder:
		p.show("(", head, ")(", p.separated(arguments, ", ", -1), ")")
	case p.role(head) != operation:
		p.showCall(head, arguments)
	case p.showOperation(x, arguments):
	default:
		name := p.operationName(x)
		if strings.HasPrefix(name, "@") {
			p.noteUnknown(name)
		}
		p.showCall(head, arguments)
	}
}

// operationName returns the name of the operation that an application applies.
func (t *terms) operationName(x term) string {
	return t.name(t.argument(t.argument(x, 0), 0))
}

// showOperation prints an application of an operation that has its own notation, and reports whether it has.
func (p *printer) showOperation(x term, arguments []term) bool {
	switch len(arguments) {
	case 1:
		return p.showUnary(x, arguments[0])
	case 2:
		return p.showBinary(x, arguments[0], arguments[1])
	case 3:
		return p.showTernary(x, arguments)
	case 4:
		return p.showSetOperation(x, arguments)
	}
	return false
}

// showSetOperation prints a union or intersection of two sets, each of which consists of a function and
// a finite set, and reports whether an application is one.
func (p *printer) showSetOperation(x term, arguments []term) bool {
	between := ""
	switch p.op(p.argument(x, 0)) {
	case opUnion:
		between = " + "
	case opIntersect:
		between = " * "
	default:
		return false
	}
	function1 := arguments[0]
	function2 := arguments[1]
	finite1 := arguments[2]
	finite2 := arguments[3]
	// mCRL2 prints each finite set with the function of the other set.
	p.show(p.setWithout(finite1, function2, x), between, p.setWithout(finite2, function1, x))
	return true
}

// showUnary prints an operation with one argument if it has its own notation, and reports whether it
// has.
func (p *printer) showUnary(x, argument term) bool {
	switch o := p.op(p.argument(x, 0)); o {
	case opNot:
		p.showPrefixed("!", argument)
	case opMinus, opNegative:
		p.showPrefixed("-", argument)
	case opCount:
		p.show("#", argument)
	case opCast, opDigit, opNat, opInt:
		p.show(argument)
	case opFirst, opLast:
		return p.showQuotient(o, argument)
	case opSetOf, opBagOf:
		finite := p.op(argument)
		switch {
		case o == opSetOf && finite == opEmptySet:
			p.show("{}")
		case o == opBagOf && finite == opEmptyBag:
			p.show("{:}")
		default:
			p.show(p.ofFinite(o, argument))
		}
	case opSetWhere, opBagWhere:
		p.showComprehension(argument, func(x string) []item { return p.applied(argument, x) })
	case opTemplate:
		p.showTemplate(p.operationName(x), argument, argument)
	default:
		return false
	}
	return true
}

// showTernary prints an operation with three arguments if it has its own notation, and reports whether
// it has.
func (p *printer) showTernary(x term, arguments []term) bool {
	o := p.op(p.argument(x, 0))
	switch {
	case p.hasShape(x, aBag):
		parts := []any{"{"}
		times := p.elements(x, chain{shape: aBag, element: 2, rest: 3})
		for i, e := range p.elements(x, chain{shape: aBag, element: 1, rest: 3}) {
			if i > 0 {
				parts = append(parts, ", ")
			}
			parts = append(parts, e, ": ", times[i])
		}
		p.show(append(parts, "}")...)
	case o == opUpdate:
		function := arguments[0]
		from := arguments[1]
		to := arguments[2]
		p.show(inParentheses(function, p.role(function) == binder), "[", from, " -> ", to, "]")
	case o == opMixed:
		denominator := arguments[0]
		whole := arguments[1]
		numerator := arguments[2]
		p.show(inParentheses(whole, p.precedence(whole) < precedencePlus), " + ",
			p.infix(numerator, divideSign, denominator))
	default:
		return false
	}
	return true
}

// showCall prints a function and its arguments.
func (p *printer) showCall(head term, arguments []term) {
	p.show(head, "(", p.separated(arguments, ", ", -1), ")")
}

// showPrefixed prints a sign before an argument.
func (p *printer) showPrefixed(sign string, argument term) {
	p.show(sign, inParentheses(argument, p.precedence(argument) < precedenceMax))
}

// showQuotient prints the quotient or remainder of a division, and reports whether pair is a division. Like
// mCRL2, it puts parentheses around both operands if the division is one of words, and otherwise only
// where precedence demands them.
func (p *printer) showQuotient(o op, pair term) bool {
	if p.opOf(pair, 2) != opDivMod {
		return false
	}
	sign := infixSign{text: " div ", precedence: precedenceDivide}
	if o == opLast {
		sign.text = " mod "
	}
	dividend := p.argument(pair, 1)
	divisor := p.argument(pair, 2)
	if p.isWordlessDivMod(pair) {
		p.show(p.infix(dividend, sign, divisor))
		return true
	}
	p.show("(", dividend, ")", sign.text, "(", divisor, ")")
	return true
}

// infixSign is the sign of an infix operation, with the blanks around it.
type infixSign struct {
	text       string
	precedence int
	// groupsRight reports whether a sign b sign c is a sign (b sign c).
	groupsRight bool
}

// The signs of arithmetic.
var (
	plusSign   = infixSign{text: " + ", precedence: precedencePlus}
	minusSign  = infixSign{text: " - ", precedence: precedenceMax}
	divideSign = infixSign{text: " / ", precedence: precedenceDivide}
)

// infix returns an infix operation with its arguments. It puts an argument in parentheses if it would
// otherwise be read as another one.
func (p *printer) infix(left term, sign infixSign, right term) []item {
	ofLeft := p.precedence(left)
	ofRight := p.precedence(right)
	groupLeft := ofLeft < sign.precedence || ofLeft == sign.precedence && sign.groupsRight
	groupRight := ofRight < sign.precedence || ofRight == sign.precedence && !sign.groupsRight
	return items(inParentheses(left, groupLeft), sign.text, inParentheses(right, groupRight))
}

// showBinary prints an operation with two arguments if it has its own notation, and reports whether it
// has.
func (p *printer) showBinary(x, left, right term) bool {
	o := p.op(p.argument(x, 0))
	switch {
	case p.hasShape(x, aList):
		elements := p.elements(x, chain{shape: aList, element: 1, rest: 2})
		p.show("[", p.separated(elements, ", ", precedenceInSet), "]")
	case p.hasShape(x, aSnoc):
		elements := p.elements(x, chain{shape: aSnoc, element: 2, rest: 1})
		slices.Reverse(elements)
		p.show("[", p.separated(elements, ", ", precedenceInList), "]")
	case p.hasShape(x, aSet):
		elements := p.elements(x, chain{shape: aSet, element: 1, rest: 2})
		p.show("{", p.separated(elements, ", ", precedenceInSet), "}")
	case o.isInfix():
		notation := operations[p.operationName(x)]
		sign := infixSign{text: notation.text, precedence: notation.precedence, groupsRight: o.groupsRight()}
		p.show(p.infix(left, sign, right))
	case o == opPlusCarry:
		p.show(p.infix(left, plusSign, right))
	case o == opMonus:
		p.show("max(0,", p.infix(left, minusSign, right), ")")
	case o == opReal && p.isOne(right):
		p.show(left)
	case o == opReal, o == opFraction:
		p.show(p.infix(left, divideSign, right))
	case o == opSet:
		p.showSet(left, right)
	case o == opBag:
		p.showBag(left, right)
	case o == opTemplate:
		p.showTemplate(p.operationName(x), left, right)
	case o == opConcatDigit:
		p.show(numWords+"* (", left, ") + ", right)
	default:
		return false
	}
	return true
}

// showTemplate prints an operation by its template, in which control characters stand for the arguments.
func (p *printer) showTemplate(name string, first, second term) {
	template := operations[name].text
	if name == "@pospred" && !p.hasWords {
		template = "max(1,\x01 - 1)"
	}
	var parts []any
	for {
		i := strings.IndexAny(template, "\x01\x02")
		if i < 0 {
			break
		}
		argument := first
		if template[i] == 2 {
			argument = second
		}
		parts = append(parts, template[:i], argument)
		template = template[i+1:]
	}
	p.show(append(parts, template)...)
}

// chain describes how a list, set or bag consists of nested applications of a shape: one argument of each is an
// element, and another is the rest.
type chain struct {
	shape         shape
	element, rest int // indices of the arguments
}

// elements returns the elements of a list, set or bag.
func (p *printer) elements(x term, c chain) []term {
	var found []term
	for p.hasShape(x, c.shape) && len(found) <= textMax {
		found = append(found, p.argument(x, c.element))
		x = p.argument(x, c.rest)
	}
	return found
}

// mCRL2 represents a set as @set(f, s): its elements are those that are in s or
// satisfy f, but not both. It represents a bag as @bag(f, b), where f gives the
// number of each element that is not in b.

// showSet prints @set(f, s), the set of what is in s or satisfies f, but not both.
func (p *printer) showSet(f, s term) {
	isEmpty := p.op(s) == opEmptySet
	switch {
	case p.op(f) == opAll:
		p.show("!", s)
	case p.op(f) == opNothing:
		p.show(s)
	case isEmpty && p.isLambda(f):
		p.showComprehension(f, nil)
	case isEmpty:
		p.showComprehension(f, func(x string) []item { return p.applied(f, x) })
	default:
		p.showComprehension(f, func(x string) []item {
			return items(p.applied(f, x), " != "+x+" in ", p.ofFinite(opSetOf, s))
		}, s)
	}
}

// showBag prints @bag(f, b).
func (p *printer) showBag(f, b term) {
	if p.op(f) == opNever {
		p.show(p.ofFinite(opBagOf, b))
		return
	}
	count := func(x string) []item {
		switch {
		case p.op(f) == opOnce:
			return items("1")
		case p.isLambda(f):
			return items(p.argument(f, 2))
		}
		return p.applied(f, x)
	}
	isFunctionAlone := p.op(b) == opEmptyBag
	switch {
	case isFunctionAlone && p.isLambda(f):
		p.showComprehension(f, nil)
	case isFunctionAlone:
		p.showComprehension(f, count)
	default:
		p.showComprehension(f, func(x string) []item {
			p.noteUnknown("@bag")
			return items("@swap_zero(", count(x), ", count("+x+", ", p.ofFinite(opBagOf, b), "))")
		}, b)
	}
}

// ofFinite returns the items for the set or bag that an operation makes of a finite one.
func (p *printer) ofFinite(o op, finite term) []item {
	if p.role(finite) != variable {
		return items(finite)
	}
	if o == opSetOf {
		return items("@setfset(", finite, ")")
	}
	return items("@bagfbag(", finite, ")")
}

// setWithout returns the items for the elements of the finite set s that do not satisfy f. A variable that they
// need occurs nowhere in the printed term.
func (p *printer) setWithout(s, f, printed term) []item {
	switch p.op(f) {
	case opNothing:
		return items(s)
	case opAll:
		return items("!", s)
	}
	name := p.freshVariable(printed)
	return items("{ "+name+": ", p.domainOf(f), " | !", p.applied(f, name), " && "+name+" in ", s,
		" }")
}

// showComprehension prints { x: S | … } for a function from S. A nil body prints the
// lambda f itself; otherwise it takes a new variable and returns the body. The
// name of the variable must not occur in others.
func (p *printer) showComprehension(f term, body func(x string) []item, others ...term) {
	if body == nil {
		p.show("{ ", p.declarations(p.argument(f, 1)), " | ", p.argument(f, 2), " }")
		return
	}
	name := p.freshVariable(append(others, f)...)
	p.show("{ "+name+": ", p.domainOf(f), " | ", body(name), " }")
}

// applied returns the application of a function to a variable.
func (p *printer) applied(f term, x string) []item {
	return items(inParentheses(f, p.role(f) == binder), "("+x+")")
}

func (p *printer) isLambda(f term) bool {
	return p.role(f) == binder && p.name(p.argument(f, 0)) == "Lambda"
}

// domainOf returns the first argument sort of a function.
func (p *printer) domainOf(f term) []item {
	if p.isLambda(f) {
		variables := p.list(p.argument(f, 1))
		if len(variables) > 0 && p.role(variables[0]) == variable {
			return items(sort(p.argument(variables[0], 1)))
		}
	}
	// f may be a function applied several times, whose sort has an arrow for each application.
	applications := 0
	for p.role(f) == application && applications < castsMax {
		f = p.argument(f, 0)
		applications++
	}
	r := p.role(f)
	if r == operation || r == variable {
		s := p.argument(f, 1)
		for range applications {
			if p.role(s) == arrowSort {
				s = p.argument(s, 1)
			}
		}
		if p.role(s) == arrowSort {
			domain := p.list(p.argument(s, 0))
			if len(domain) > 0 {
				return items(sort(domain[0]))
			}
		}
	}
	p.noteUnknown("@set")
	return items("?")
}

// freshVariable returns the name of a variable that does not occur in the terms: x, x1, x2, …
func (p *printer) freshVariable(terms ...term) string {
	names := map[string]bool{}
	seen := map[term]bool{}
	todo := terms
	for len(todo) > 0 && len(seen) <= textMax {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[x] || p.role(x) == number {
			continue
		}
		seen[x] = true
		if p.role(x) == variable {
			names[p.name(p.argument(x, 0))] = true
			continue
		}
		todo = append(todo, p.argumentsOf(x)...)
	}
	name := "x"
	for i := 1; names[name]; i++ {
		name = "x" + strconv.Itoa(i)
	}
	return name
}

// numeralMax is the largest length of a number in bits: such a number has more
// digits than a text may have.
const numeralMax = 4 << 20

// showNumeral prints a number that is represented by words, the lowest outermost, or
// by bits.
func (p *printer) showNumeral(x term) {
	if p.opOf(x, 1) == opDigit {
		p.showData(p.argument(x, 1))
		return
	}
	var littleEndian []byte
	numBits := 0 // if the number is represented by bits
	for p.hasShape(x, aNumeral) && 8*len(littleEndian) <= numeralMax {
		switch p.opOf(x, 2) {
		case opDouble:
			littleEndian = withBit(littleEndian, numBits, p.op(p.argument(x, 1)) == opTrue)
			numBits++
			x = p.argument(x, 2)
		case opConcatDigit:
			littleEndian = binary.LittleEndian.AppendUint64(littleEndian, p.value(p.argument(x, 2)))
			x = p.argument(x, 1)
		default: // the highest word
			littleEndian = binary.LittleEndian.AppendUint64(littleEndian, p.value(p.argument(x, 1)))
			x = p.argument(x, 1)
		}
	}
	if p.op(x) == opOne {
		littleEndian = withBit(littleEndian, numBits, true)
	}
	slices.Reverse(littleEndian)
	p.out = new(big.Int).SetBytes(littleEndian).Append(p.out, 10)
}

// withBit returns a number, the lowest byte first, with one more bit at an index.
func withBit(littleEndian []byte, index int, isSet bool) []byte {
	if index%8 == 0 {
		littleEndian = append(littleEndian, 0)
	}
	if isSet {
		littleEndian[index/8] |= 1 << (index % 8)
	}
	return littleEndian
}

// op is an operation that is not printed as a name and arguments in parentheses.
type op uint8

const (
	noOp op = iota
	// These are operations without arguments.
	opZero      // @c0
	opOne       // @c1
	opTrue      // true
	opFalse     // false
	opEmptyList // []
	opEmptySet  // {}
	opEmptyBag  // {:}
	opNothing   // @false_: the empty set as a function
	opAll       // @true_
	opNever     // @zero_: the empty bag, as a function
	opOnce      // @one_
	opOneWord   // @one_word
	// These are operations between their two arguments.
	opImplies
	opOr
	opAnd
	opEqual
	opNotEqual
	opLess
	opLessEqual
	opGreater
	opGreaterEqual
	opIn
	opCons
	opSnoc
	opConcatenate
	opPlus
	opMinus // also printed before its argument
	opDiv
	opMod
	opDivide
	opTimes
	opAt
	// These are other operations.
	opNot
	opCount
	opCast        // Pos2Nat and other conversions, which are not printed
	opDigit       // @most_significant_digit, @most_significant_digitNat
	opConcatDigit // @concat_digit
	opDouble      // @cDub
	opNat         // @cNat
	opInt         // @cInt
	opNegative    // @cNeg
	opReal        // @cReal
	opFraction    // @redfrac
	opMixed       // @redfracwhr
	opPlusCarry   // @add_with_carry
	opMonus       // @monus
	opFirst       // @first
	opLast        // @last
	opDivMod      // @divmod, @divmod_aux
	opSet         // @set: where a function differs from a finite set
	opSetOf       // @setfset
	opSetWhere    // @setcomp
	opUnion       // @fset_union
	opIntersect   // @fset_inter
	opSetCons     // @fset_cons, @fset_insert
	opBag         // @bag
	opBagOf       // @bagfbag
	opBagWhere    // @bagcomp
	opBagCons     // @fbag_cons, @fbag_insert, @fbag_cinsert
	opUpdate      // @func_update, @func_update_stable
	opTemplate    // an operation that is printed in a form of its own
)

// precedenceMax is the precedence of terms that need no parentheses.
const precedenceMax = 10000

// These are precedences with a name in mCRL2's data library.
const (
	precedenceWhere  = 0
	precedenceBinder = 1
	precedenceInSet  = 6 // between elements of lists and finite sets
	precedenceInList = 7 // between elements of lists made from the right
	precedencePlus   = 10
	precedenceDivide = 11
	precedenceUpdate = 13
)

// operations maps the names of operations to their properties; text is what is
// printed between two arguments, or the form in which the operation is printed.
var operations = map[string]struct {
	op         op
	text       string
	precedence int
}{
	"@c0": {op: opZero}, "@c1": {op: opOne}, "true": {op: opTrue}, "false": {op: opFalse},
	"[]": {op: opEmptyList}, "{}": {op: opEmptySet}, "{:}": {op: opEmptyBag},
	"@false_": {op: opNothing}, "@true_": {op: opAll}, "@zero_": {op: opNever}, "@one_": {op: opOnce}, "@one_word": {op: opOneWord},

	"=>": {opImplies, " => ", 2}, "||": {opOr, " || ", 3}, "&&": {opAnd, " && ", 4},
	"==": {opEqual, " == ", 5}, "!=": {opNotEqual, " != ", 5},
	"<": {opLess, " < ", 6}, "<=": {opLessEqual, " <= ", 6}, ">": {opGreater, " > ", 6}, ">=": {opGreaterEqual, " >= ", 6},
	"in": {opIn, " in ", 6}, "|>": {opCons, " |> ", 7}, "<|": {opSnoc, " <| ", 8}, "++": {opConcatenate, " ++ ", 9},
	"+": {opPlus, " + ", precedencePlus}, "-": {opMinus, " - ", precedencePlus},
	"div": {opDiv, " div ", precedenceDivide}, "mod": {opMod, " mod ", precedenceDivide}, "/": {opDivide, " / ", precedenceDivide},
	"*": {opTimes, " * ", 12}, ".": {opAt, " . ", 12},

	"!": {op: opNot}, "#": {op: opCount},
	"Pos2Nat": {op: opCast}, "Pos2Int": {op: opCast}, "Pos2Real": {op: opCast},
	"Nat2Int": {op: opCast}, "Nat2Real": {op: opCast}, "Int2Real": {op: opCast},
	"@most_significant_digit": {op: opDigit}, "@most_significant_digitNat": {op: opDigit}, "@concat_digit": {op: opConcatDigit},
	"@cDub": {op: opDouble}, "@cNat": {op: opNat}, "@cInt": {op: opInt}, "@cNeg": {op: opNegative}, "@cReal": {op: opReal},
	"@redfrac": {op: opFraction}, "@redfracwhr": {op: opMixed}, "@add_with_carry": {op: opPlusCarry}, "@monus": {op: opMonus},
	"@first": {op: opFirst}, "@last": {op: opLast}, "@divmod": {op: opDivMod}, "@divmod_aux": {op: opDivMod},
	"@set": {op: opSet}, "@setfset": {op: opSetOf}, "@setcomp": {op: opSetWhere},
	"@fset_union": {op: opUnion}, "@fset_inter": {op: opIntersect}, "@fset_cons": {op: opSetCons}, "@fset_insert": {op: opSetCons},
	"@bag": {op: opBag}, "@bagfbag": {op: opBagOf}, "@bagcomp": {op: opBagWhere},
	"@fbag_cons": {op: opBagCons}, "@fbag_insert": {op: opBagCons}, "@fbag_cinsert": {op: opBagCons},
	"@func_update": {op: opUpdate}, "@func_update_stable": {op: opUpdate},

	// Control characters stand for arguments.
	"@pospred":             {op: opTemplate, text: "if(\x01 == 1,1,\x01 - 1)"},
	"@natpred":             {op: opTemplate, text: "max(0,\x01 - 1)"},
	"@equals_one":          {op: opTemplate, text: "(\x01 == 1)"},
	"@not_equals_zero":     {op: opTemplate, text: "!(\x01 == 0)"},
	"@succ_word":           {op: opTemplate, text: "((\x01 + 1) mod " + numWords + " )"},
	"@add_word":            {op: opTemplate, text: "((\x01 + \x02) mod " + numWords + " )"},
	"@add_overflow_word":   {op: opTemplate, text: "((\x01 + \x02) div " + numWords + " )"},
	"@times_word":          {op: opTemplate, text: "((\x01 * \x02) mod " + numWords + " )"},
	"@times_overflow_word": {op: opTemplate, text: "((\x01 * \x02) div " + numWords + " )"},
}

// numWords is the number of values of a word of 64 bits, 2^64.
const numWords = "18446744073709551616"

// isInfix reports whether an operation is printed between its two arguments.
func (o op) isInfix() bool { return opImplies <= o && o <= opAt }

// groupsRight reports whether a op b op c means a op (b op c).
func (o op) groupsRight() bool {
	return o == opImplies || o == opOr || o == opAnd || o == opCons
}

// shape is a property of a whole application, such as that it is a list.
type shape uint8

const (
	noShape  shape = iota
	aList          // [a, b], made by |>
	aSnoc          // [a, b], made by <|
	aSet           // {a, b}
	aBag           // {a: 1, b: 2}
	aNumeral       // 12
)

// shapeOf returns the shape of an application with these arguments, the function first.
func (t *terms) shapeOf(arguments []term) shape {
	continues := func(i int, end op, s shape) bool {
		x := arguments[i]
		return t.op(x) == end || t.hasShape(x, s)
	}
	operation := t.op(arguments[0])
	switch len(arguments) {
	case 2:
		if operation == opDigit && t.role(arguments[1]) == number {
			return aNumeral
		}
	case 3:
		switch {
		case operation == opCons && continues(2, opEmptyList, aList):
			return aList
		case operation == opSnoc && continues(1, opEmptyList, aSnoc):
			return aSnoc
		case operation == opSetCons && continues(2, opEmptySet, aSet):
			return aSet
		case operation == opConcatDigit && t.hasShape(arguments[1], aNumeral) && t.role(arguments[2]) == number:
			return aNumeral
		case operation == opDouble && t.isBit(arguments[1]) && continues(2, opOne, aNumeral):
			return aNumeral
		}
	case 4:
		if operation == opBagCons && continues(3, opEmptyBag, aBag) {
			return aBag
		}
	}
	return noShape
}

// isBit reports whether a term is true or false. Terms of numbers contain such a term for the
// lowest bit.
func (t *terms) isBit(x term) bool { return t.op(x) == opTrue || t.op(x) == opFalse }

func (t *terms) hasShape(x term, s shape) bool {
	return t.role(x) == application && t.shapes[x] == s
}

// castsMax is the largest number of nested conversions of numbers that are looked
// through.
const castsMax = 100

// precedence returns how tightly a term of data binds: as an argument of an
// operation with a larger precedence, it needs parentheses.
func (t *terms) precedence(x term) int {
	x = t.withoutDenominator(x)
	switch t.role(x) {
	case binder:
		kind := t.name(t.argument(x, 0))
		if kind == "SetComp" || kind == "BagComp" {
			return precedenceMax
		}
		return precedenceBinder
	case where:
		return precedenceWhere
	case application:
		return t.precedenceOfApplication(x)
	}
	return precedenceMax
}

// withoutDenominator returns the numerator of a real number with the denominator 1, which is printed alone.
func (t *terms) withoutDenominator(x term) term {
	for range castsMax {
		if t.role(x) != application || t.opOf(x, 2) != opReal || !t.isOne(t.argument(x, 2)) {
			break
		}
		x = t.argument(x, 1)
	}
	return x
}

// precedenceOfApplication returns the precedence of an application as it is printed: without casts, and
// with operators and updates in their own notation.
func (t *terms) precedenceOfApplication(x term) int {
	o := t.opOf(x, 2)
	switch {
	case o == opReal:
		return precedenceDivide
	case t.hasShape(x, aList), t.hasShape(x, aSnoc):
		return precedenceMax
	case o.isInfix():
		return t.precedenceNamed(x)
	case t.opOf(x, 3) == opUpdate:
		return precedenceUpdate
	case t.isWordlessDivMod(x):
		return precedenceDivide
	}
	for casts := 0; casts < castsMax && t.isCast(x); casts++ {
		x = t.argument(x, 1)
	}
	switch t.opOf(x, 2) {
	case opPlus, opMinus, opDiv, opMod, opDivide, opTimes:
		return t.precedenceNamed(x)
	}
	return precedenceMax
}

// precedenceNamed returns the precedence of an operation between its arguments.
func (t *terms) precedenceNamed(x term) int {
	return operations[t.operationName(x)].precedence
}

// isCast reports whether only the first argument of x is printed.
func (t *terms) isCast(x term) bool {
	switch t.opOf(x, 1) {
	case opCast:
		return true
	case opNat, opInt:
		return !t.hasWords
	}
	return t.opOf(x, 2) == opReal
}

// isWordlessDivMod reports whether x is a pair of quotient and remainder as mCRL2 wrote it before
// there were words.
func (t *terms) isWordlessDivMod(x term) bool {
	return t.opOf(x, 2) == opDivMod && t.operationName(x) == "@divmod"
}

// isOne reports whether x is the positive number 1.
func (t *terms) isOne(x term) bool {
	if t.op(x) == opOne {
		return true
	}
	if t.opOf(x, 1) != opDigit {
		return false
	}
	digit := t.argument(x, 1)
	return t.op(digit) == opOneWord || t.role(digit) == number && t.value(digit) == 1
}
