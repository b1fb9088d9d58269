package mcrl2

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
	opNothing   // @false_: the set of nothing, as a function
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
	opCast        // Pos2Nat and the like, which are not seen
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
	opTemplate    // an operation that templates print
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
// printed between two arguments.
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

	"@pospred": {op: opTemplate}, "@natpred": {op: opTemplate}, "@equals_one": {op: opTemplate}, "@not_equals_zero": {op: opTemplate},
	"@succ_word": {op: opTemplate}, "@add_word": {op: opTemplate}, "@add_overflow_word": {op: opTemplate},
	"@times_word": {op: opTemplate}, "@times_overflow_word": {op: opTemplate},
}

// words is 2^64, the number of values of a word.
const words = "18446744073709551616"

// templates show operations that mCRL2 prints in a special form; control
// characters stand for arguments.
var templates = map[string]string{
	"@pospred":             "if(\x01 == 1,1,\x01 - 1)",
	"@natpred":             "max(0,\x01 - 1)",
	"@equals_one":          "(\x01 == 1)",
	"@not_equals_zero":     "!(\x01 == 0)",
	"@succ_word":           "((\x01 + 1) mod " + words + " )",
	"@add_word":            "((\x01 + \x02) mod " + words + " )",
	"@add_overflow_word":   "((\x01 + \x02) div " + words + " )",
	"@times_word":          "((\x01 * \x02) mod " + words + " )",
	"@times_overflow_word": "((\x01 * \x02) div " + words + " )",
}

// isInfix reports whether an operation is printed between its two arguments.
func (o op) isInfix() bool { return opImplies <= o && o <= opAt }

// groupsRight reports whether a op b op c means a op (b op c).
func (o op) groupsRight() bool { return o == opImplies || o == opOr || o == opAnd || o == opCons }

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
	is := func(i int, end op, s shape) bool {
		x := arguments[i]
		return t.op(x) == end || t.hasShape(x, s)
	}
	switch n, o := len(arguments), t.op(arguments[0]); {
	case o == opCons && n == 3 && is(2, opEmptyList, aList):
		return aList
	case o == opSnoc && n == 3 && is(1, opEmptyList, aSnoc):
		return aSnoc
	case o == opSetCons && n == 3 && is(2, opEmptySet, aSet):
		return aSet
	case o == opBagCons && n == 4 && is(3, opEmptyBag, aBag):
		return aBag
	case o == opDigit && n == 2 && t.role(arguments[1]) == number,
		o == opConcatDigit && n == 3 && t.hasShape(arguments[1], aNumeral) && t.role(arguments[2]) == number,
		o == opDouble && n == 3 && (t.op(arguments[1]) == opTrue || t.op(arguments[1]) == opFalse) && is(2, opOne, aNumeral):
		return aNumeral
	}
	return noShape
}

func (t *terms) hasShape(x term, s shape) bool {
	return t.role(x) == application && t.shapes[x] == s
}

// castsMax is the largest number of nested conversions of numbers that are looked
// through.
const castsMax = 100

// precedence returns how tightly a term of data binds: as an argument of an
// operation with a larger precedence, it needs parentheses.
func (t *terms) precedence(x term) int {
	for range castsMax {
		switch t.role(x) {
		case binder:
			if kind := t.name(t.argument(x, 0)); kind == "SetComp" || kind == "BagComp" {
				return precedenceMax
			}
			return precedenceBinder
		case where:
			return precedenceWhere
		case application:
		default:
			return precedenceMax
		}
		o := t.opOf(x, 2)
		if o == opReal && t.isOne(t.argument(x, 2)) {
			x = t.argument(x, 1)
			continue
		}
		return t.precedenceOf(x, o)
	}
	return precedenceMax
}

// precedenceOf returns the precedence of an application; o is its operation on
// two arguments.
func (t *terms) precedenceOf(x term, o op) int {
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
	for range castsMax {
		if !t.isCast(x) {
			break
		}
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
