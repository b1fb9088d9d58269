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
	// unlike is the first operation for which it is unknown how mCRL2 prints it.
	unlike string
}

// item is a text, or a term with a manner of printing it.
type item struct {
	text string
	x    term
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
		if len(p.out) > textMax || len(p.stack) > 8*textMax ||
			steps > 1<<16+stepsMax*len(p.out) {
			return nil, errLongText
		}
		if steps&(1<<16-1) == 0 && p.ctx.Err() != nil {
			return nil, p.ctx.Err()
		}
		top := p.stack[len(p.stack)-1]
		p.stack = p.stack[:len(p.stack)-1]
		switch top.as {
		case asText:
			p.out = append(p.out, top.text...)
		case asData:
			p.data(top.x)
		default:
			p.sort(top.x, top.as)
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

// items returns parts in their order: a string is a text, a term is data, and items are themselves.
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

// data starts printing a term of data.
func (p *printer) data(x term) {
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
		p.apply(x)
	case binder:
		// The term is a quantifier, a lambda, or a set or bag by comprehension.
		begin := ""
		between := ". "
		end := ""
		switch kind := p.name(p.argument(x, 0)); kind {
		case "Forall":
			begin = "forall "
		case "Exists":
			begin = "exists "
		case "Lambda":
			begin = "lambda "
		default:
			begin = "{ "
			between = " | "
			end = " }"
		}
		p.show(begin, p.declarations(p.argument(x, 1)), between, p.argument(x, 2), end)
	case where:
		p.show(p.argument(x, 0), " whr ", each(p.list(p.argument(x, 1)), asData, ", "), " end")
	case assignment:
		p.show(p.argument(x, 0), " = ", p.argument(x, 1))
	default:
		p.asTerm(x)
	}
}

// asTerm prints a term that is not data of a kind that this package knows.
func (p *printer) asTerm(x term) {
	p.warn(p.name(x))
	all := p.all(x)
	if len(all) > 0 {
		p.show(p.name(x), "(", p.separated(all, ",", 0), ")")
		return
	}
	p.show(p.name(x))
}

func (p *printer) warn(name string) {
	p.unlike = cmp.Or(p.unlike, name)
}

// declarations returns variables with their sorts; adjacent variables with the
// same sort share it.
func (p *printer) declarations(list term) []item {
	var found []item
	all := p.list(list)
	for i, v := range all {
		last := i+1 == len(all)
		switch {
		case p.role(v) != variable:
			found = append(found, items(v)...)
		case !last && p.role(all[i+1]) == variable &&
			p.argument(all[i+1], 1) == p.argument(v, 1):
			found = append(found, items(v, ",")...)
		case last:
			found = append(found, items(v, ": ", sort(p.argument(v, 1)))...)
		default:
			found = append(found, items(v, ": ", sort(p.argument(v, 1)), ", ")...)
		}
	}
	return found
}

// sort prints a sort, or a part of one.
func (p *printer) sort(x term, as manner) {
	r := p.role(x)
	switch {
	case as == asConstructor && p.symbol(x).arity == 3:
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
		p.asTerm(x)
	}
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

// apply starts printing an operation with its arguments.
func (p *printer) apply(x term) {
	all := p.all(x)
	head := all[0]
	arguments := all[1:]
	switch {
	case p.hasShape(x, aNumeral):
		p.numeral(x)
		return
	case p.role(head) == binder:
		p.show("(", head, ")(", p.separated(arguments, ", ", -1), ")")
		return
	case p.role(head) != operation:
		p.call(head, arguments)
		return
	}
	if p.applyOperation(x, head, arguments) {
		return
	}
	name := p.name(p.argument(head, 0))
	if strings.HasPrefix(name, "@") {
		p.warn(name)
	}
	p.call(head, arguments)
}

// applyOperation prints an operation if it has its own notation, and reports whether it has.
func (p *printer) applyOperation(x, head term, arguments []term) bool {
	o := p.op(head)
	switch len(arguments) {
	case 1:
		return p.applyOne(o, head, arguments[0])
	case 2:
		return p.applyTwo(o, x, arguments[0], arguments[1])
	case 3:
		return p.applyThree(o, x, arguments)
	case 4:
		if o != opUnion && o != opIntersect {
			return false
		}
		// Each of the two sets consists of a function and a finite set.
		between := " + "
		if o == opIntersect {
			between = " * "
		}
		// mCRL2 prints the first finite set with the second function, and the second
		// set with the first function.
		p.show(p.part(arguments[1], arguments[2], x), between,
			p.part(arguments[0], arguments[3], x))
		return true
	}
	return false
}

// applyOne prints an operation with one argument if it has its own notation, and reports whether it
// has.
func (p *printer) applyOne(o op, head, a term) bool {
	switch o {
	case opNot:
		p.prefixed("!", a)
	case opMinus, opNegative:
		p.prefixed("-", a)
	case opCount:
		p.show("#", a)
	case opCast, opDigit, opNat, opInt:
		p.show(a)
	case opFirst, opLast:
		return p.quotient(o, a)
	case opSetOf, opBagOf:
		end := p.op(a)
		switch {
		case o == opSetOf && end == opEmptySet:
			p.show("{}")
		case o == opBagOf && end == opEmptyBag:
			p.show("{:}")
		default:
			p.show(p.finitely(o, a))
		}
	case opSetWhere, opBagWhere:
		p.comprehension(a, func(x string) []item { return p.applied(a, x) })
	case opTemplate:
		p.template(p.name(p.argument(head, 0)), a, a)
	default:
		return false
	}
	return true
}

// applyThree prints an operation with three arguments if it has its own notation, and reports whether
// it has.
func (p *printer) applyThree(o op, x term, arguments []term) bool {
	switch {
	case p.hasShape(x, aBag):
		parts := []any{"{"}
		times := p.elements(x, aBag, 2, 3)
		for i, e := range p.elements(x, aBag, 1, 3) {
			if i > 0 {
				parts = append(parts, ", ")
			}
			parts = append(parts, e, ": ", times[i])
		}
		p.show(append(parts, "}")...)
	case o == opUpdate:
		p.show(inParentheses(arguments[0], p.role(arguments[0]) == binder), "[", arguments[1],
			" -> ", arguments[2], "]")
	case o == opMixed:
		p.show(inParentheses(arguments[1], p.precedence(arguments[1]) < precedencePlus), " + ",
			p.between(arguments[2], " / ", arguments[0], precedenceDivide, false))
	default:
		return false
	}
	return true
}

// call prints a function and its arguments.
func (p *printer) call(head term, arguments []term) {
	p.show(head, "(", p.separated(arguments, ", ", -1), ")")
}

func (p *printer) prefixed(sign string, a term) {
	p.show(sign, inParentheses(a, p.precedence(a) < precedenceMax))
}

// quotient prints the quotient or remainder of a division, and reports whether pair is a division.
func (p *printer) quotient(o op, pair term) bool {
	between := " div "
	if o == opLast {
		between = " mod "
	}
	if p.opOf(pair, 2) != opDivMod {
		return false
	}
	a := p.argument(pair, 1)
	b := p.argument(pair, 2)
	if p.isDivMod(pair) {
		p.show(p.between(a, between, b, precedenceDivide, false))
		return true
	}
	p.show("(", a, ")", between, "(", b, ")")
	return true
}

// between returns an infix operation with its arguments.
func (p *printer) between(
	a term,
	operation string,
	b term,
	precedence int,
	groupsRight bool,
) []item {
	left := p.precedence(a)
	right := p.precedence(b)
	return items(inParentheses(a, left < precedence || left == precedence && groupsRight),
		operation,
		inParentheses(b, right < precedence || right == precedence && !groupsRight))
}

// applyTwo prints an operation with two arguments if it has its own notation, and reports whether it
// has.
func (p *printer) applyTwo(o op, x, a, b term) bool {
	switch {
	case p.hasShape(x, aList):
		p.show("[", p.separated(p.elements(x, aList, 1, 2), ", ", precedenceInSet), "]")
	case p.hasShape(x, aSnoc):
		p.show("[", p.separated(reversed(p.elements(x, aSnoc, 2, 1)), ", ", precedenceInList),
			"]")
	case p.hasShape(x, aSet):
		p.show("{", p.separated(p.elements(x, aSet, 1, 2), ", ", precedenceInSet), "}")
	case o.isInfix():
		what := operations[p.name(p.argument(p.argument(x, 0), 0))]
		p.show(p.between(a, what.text, b, what.precedence, o.groupsRight()))
	case o == opPlusCarry:
		p.show(p.between(a, " + ", b, precedencePlus, false))
	case o == opMonus:
		p.show("max(0,", p.between(a, " - ", b, precedenceMax, false), ")")
	case o == opReal && p.isOne(b):
		p.show(a)
	case o == opReal, o == opFraction:
		p.show(p.between(a, " / ", b, precedenceDivide, false))
	case o == opSet:
		p.set(a, b)
	case o == opBag:
		p.bag(a, b)
	case o == opTemplate:
		p.template(p.name(p.argument(p.argument(x, 0), 0)), a, b)
	case o == opConcatDigit:
		p.show(words+"* (", a, ") + ", b)
	default:
		return false
	}
	return true
}

// template prints an operation by its template.
func (p *printer) template(name string, a, b term) {
	shown := operations[name].text
	if name == "@pospred" && !p.machine {
		shown = "max(1,\x01 - 1)"
	}
	var parts []any
	for i := strings.IndexAny(shown, "\x01\x02"); i >= 0; i = strings.IndexAny(shown, "\x01\x02") {
		parts = append(parts, shown[:i], [...]term{1: a, 2: b}[shown[i]])
		shown = shown[i+1:]
	}
	p.show(append(parts, shown)...)
}

// elements returns the elements of a list, set or bag of this shape. It
// consists of nested parts: the argument of a part with index at is an element,
// and the argument with index rest is the next part.
func (p *printer) elements(x term, s shape, at, rest int) []term {
	var found []term
	for ; p.hasShape(x, s) && len(found) <= textMax; x = p.argument(x, rest) {
		found = append(found, p.argument(x, at))
	}
	return found
}

// reversed returns terms in the opposite order.
func reversed(all []term) []term {
	slices.Reverse(all)
	return all
}

// mCRL2 represents a set as @set(f, s): its elements are those that are in s or
// satisfy f, but not both. It represents a bag as @bag(f, b), where f gives the
// number of each element that is not in b.

// set prints @set(f, s), the set of what is in s or satisfies f, but not both.
func (p *printer) set(f, s term) {
	isEmpty := p.op(s) == opEmptySet
	switch {
	case p.op(f) == opAll:
		p.show("!", s)
	case p.op(f) == opNothing:
		p.show(s)
	case isEmpty && p.isLambda(f):
		p.comprehension(f, nil)
	case isEmpty:
		p.comprehension(f, func(x string) []item { return p.applied(f, x) })
	default:
		p.comprehension(f, func(x string) []item {
			return items(p.applied(f, x), " != "+x+" in ", p.finitely(opSetOf, s))
		}, s)
	}
}

// bag prints @bag(f, b).
func (p *printer) bag(f, b term) {
	if p.op(f) == opNever {
		p.show(p.finitely(opBagOf, b))
		return
	}
	body := func(x string) []item {
		switch {
		case p.op(f) == opOnce:
			return items("1")
		case p.isLambda(f):
			return items(p.argument(f, 2))
		}
		return p.applied(f, x)
	}
	if p.op(b) == opEmptyBag {
		if p.isLambda(f) {
			body = nil
		}
		p.comprehension(f, body)
		return
	}
	p.comprehension(f, func(x string) []item {
		p.warn("@bag")
		return items("@swap_zero(", body(x), ", count("+x+", ", p.finitely(opBagOf, b), "))")
	}, b)
}

// finitely returns the items for the set or bag that an operation makes of a finite one.
func (p *printer) finitely(o op, a term) []item {
	if p.role(a) != variable {
		return items(a)
	}
	if o == opSetOf {
		return items("@setfset(", a, ")")
	}
	return items("@bagfbag(", a, ")")
}

// part returns the items for the elements of the finite set s that do not satisfy f.
func (p *printer) part(f, s, whole term) []item {
	switch p.op(f) {
	case opNothing:
		return items(s)
	case opAll:
		return items("!", s)
	}
	name := p.fresh(whole)
	return items("{ "+name+": ", p.domain(f), " | !", p.applied(f, name), " && "+name+" in ", s,
		" }")
}

// comprehension prints { x: S | … } for a function from S. A nil body prints the
// lambda f itself; otherwise it takes a new variable and returns the body. The
// name of the variable must not occur in others.
func (p *printer) comprehension(f term, body func(x string) []item, others ...term) {
	if body == nil {
		p.show("{ ", p.declarations(p.argument(f, 1)), " | ", p.argument(f, 2), " }")
		return
	}
	name := p.fresh(append(others, f)...)
	p.show("{ "+name+": ", p.domain(f), " | ", body(name), " }")
}

// applied returns the application of a function to a variable.
func (p *printer) applied(f term, x string) []item {
	return items(inParentheses(f, p.role(f) == binder), "("+x+")")
}

func (p *printer) isLambda(f term) bool {
	return p.role(f) == binder && p.name(p.argument(f, 0)) == "Lambda"
}

// domain returns the first argument sort of a function.
func (p *printer) domain(f term) []item {
	if p.isLambda(f) {
		variables := p.list(p.argument(f, 1))
		if len(variables) > 0 && p.role(variables[0]) == variable {
			return items(sort(p.argument(variables[0], 1)))
		}
	}
	applied := 0
	for p.role(f) == application && applied < castsMax {
		f = p.argument(f, 0)
		applied++
	}
	r := p.role(f)
	if r == operation || r == variable {
		s := p.argument(f, 1)
		for ; applied > 0 && p.role(s) == arrowSort; applied-- {
			s = p.argument(s, 1)
		}
		if p.role(s) == arrowSort {
			from := p.list(p.argument(s, 0))
			if len(from) > 0 {
				return items(sort(from[0]))
			}
		}
	}
	p.warn("@set")
	return items("?")
}

// fresh returns the name of a variable that does not occur in the terms: x, x1, x2, …
func (p *printer) fresh(within ...term) string {
	names := map[string]bool{}
	seen := map[term]bool{}
	for len(within) > 0 && len(seen) <= textMax {
		x := within[len(within)-1]
		within = within[:len(within)-1]
		if seen[x] || p.role(x) == number {
			continue
		}
		seen[x] = true
		if p.role(x) == variable {
			names[p.name(p.argument(x, 0))] = true
			continue
		}
		within = append(within, p.all(x)...)
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

// numeral prints a number that is represented by words, the lowest outermost, or
// by bits.
func (p *printer) numeral(x term) {
	if p.opOf(x, 1) == opDigit {
		p.data(p.argument(x, 1))
		return
	}
	var bytes []byte // the lowest first
	bit := 0
	for p.hasShape(x, aNumeral) && 8*len(bytes) <= numeralMax {
		switch {
		case p.opOf(x, 2) == opDouble:
			bytes = withBit(bytes, bit, p.op(p.argument(x, 1)) == opTrue)
			bit++
			x = p.argument(x, 2)
			continue
		case p.opOf(x, 2) == opConcatDigit:
			bytes = binary.LittleEndian.AppendUint64(bytes, p.value(p.argument(x, 2)))
			x = p.argument(x, 1)
			continue
		}
		bytes = binary.LittleEndian.AppendUint64(bytes, p.value(p.argument(x, 1)))
		break
	}
	if p.op(x) == opOne {
		bytes = withBit(bytes, bit, true)
	}
	slices.Reverse(bytes)
	p.out = new(big.Int).SetBytes(bytes).Append(p.out, 10)
}

// withBit returns the number with one more bit.
func withBit(bytes []byte, bit int, set bool) []byte {
	if bit%8 == 0 {
		bytes = append(bytes, 0)
	}
	if set {
		bytes[bit/8] |= 1 << (bit % 8)
	}
	return bytes
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
	"@succ_word":           {op: opTemplate, text: "((\x01 + 1) mod " + words + " )"},
	"@add_word":            {op: opTemplate, text: "((\x01 + \x02) mod " + words + " )"},
	"@add_overflow_word":   {op: opTemplate, text: "((\x01 + \x02) div " + words + " )"},
	"@times_word":          {op: opTemplate, text: "((\x01 * \x02) mod " + words + " )"},
	"@times_overflow_word": {op: opTemplate, text: "((\x01 * \x02) div " + words + " )"},
}

// words is 2^64, the number of values of a word.
const words = "18446744073709551616"

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

// isBit reports whether a term is true or false, as the lowest bit of a number is.
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
	case t.isDivMod(x):
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
	return operations[t.name(t.argument(t.argument(x, 0), 0))].precedence
}

// isCast reports whether only the first argument of x is printed.
func (t *terms) isCast(x term) bool {
	switch t.opOf(x, 1) {
	case opCast:
		return true
	case opNat, opInt:
		return !t.machine
	}
	return t.opOf(x, 2) == opReal
}

// isDivMod reports whether x is a pair of quotient and remainder as mCRL2 wrote it before
// there were words.
func (t *terms) isDivMod(x term) bool {
	return t.opOf(x, 2) == opDivMod && t.name(t.argument(t.argument(x, 0), 0)) == "@divmod"
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
