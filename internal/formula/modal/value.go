package modal

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
)

// valueKind is the kind of a [value].
type valueKind uint8

const (
	textValue valueKind = iota // a string in quotes, or a constant of another type
	numberValue
	boolValue
)

// value is a value of data, such as an offer in a label.
type value struct {
	kind   valueKind
	number int64
	text   string
	isTrue bool
}

func number(n int64) value { return value{kind: numberValue, number: n} }

func truth(b bool) value { return value{kind: boolValue, isTrue: b} }

// String returns the value as it is written in labels.
func (v value) String() string {
	switch v.kind {
	case numberValue:
		return strconv.FormatInt(v.number, 10)
	case boolValue:
		return strconv.FormatBool(v.isTrue)
	}
	return v.text
}

// same reports whether two values are equal. Constants of a type that the formula does not declare are
// compared as texts.
func (v value) same(w value) bool {
	switch {
	case v.kind == w.kind:
		return v == w
	case v.kind == boolValue || w.kind == boolValue:
		return strings.EqualFold(v.String(), w.String())
	}
	return v.String() == w.String()
}

// writes reports whether a text in a label denotes this value. Numbers are compared as numbers, and
// values of type bool without regard to case, since CADP writes them in capitals.
func (v value) writes(text string) bool {
	switch v.kind {
	case numberValue:
		n, is := asNumber(text)
		return is && n == v.number
	case boolValue:
		return strings.EqualFold(text, v.String())
	}
	isWritten := text == v.text || canonical(withoutBlanks(text)) == canonical(withoutBlanks(v.text))
	return isWritten || v.isString() && text == v.text[1:len(v.text)-1]
}

// isString reports whether the value is a string of MCL. Constants of types that MCL does not know are
// strings in its formulas, so that {CS !"ENTER"} matches the label CS !ENTER.
func (v value) isString() bool {
	n := len(v.text)
	return n >= 2 && v.text[0] == '"' && v.text[n-1] == '"'
}

// asNumber returns the number that a text denotes.
func asNumber(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// withoutBlanks returns a text without the blanks outside of quotes.
func withoutBlanks(text string) string {
	if !strings.ContainsAny(text, " \t") {
		return text
	}
	var b strings.Builder
	isQuoted := false
	for i := range len(text) {
		c := text[i]
		if c == '"' {
			isQuoted = !isQuoted
		}
		if isQuoted || c != ' ' && c != '\t' {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// sort is a type of data.
type sort struct {
	name string
	// constants are the values of a type whose definition lists all of them.
	constants []value
}

// sortKind classifies types by what is known of their values.
type sortKind uint8

const (
	otherSort sortKind = iota // only the model's author knows its values
	boolSort
	natSort
	posSort
	intSort
	stringSort
	declaredSort
	collectionSort // lists and sets
	unreadSort     // real numbers, bags and functions
)

// kind returns the kind of a type by its name, in MCL or in mCRL2, or by its constants.
func (s sort) kind() sortKind {
	switch s.name {
	case "bool", "boolean", "Bool":
		return boolSort
	case "nat", "natural", "Nat":
		return natSort
	case "Pos":
		return posSort
	case "int", "integer", "Int":
		return intSort
	case "string":
		return stringSort
	case "real", "Real":
		return unreadSort
	}
	switch {
	case s.constants != nil:
		return declaredSort
	case s.isCollection():
		return collectionSort
	case strings.ContainsAny(s.name, "(->#"):
		return unreadSort
	}
	return otherSort
}

// isCollection reports whether the values of a type are lists or sets.
func (s sort) isCollection() bool {
	name, _, hasElements := strings.Cut(s.name, "(")
	return hasElements && slices.Contains([]string{"List", "Set", "FSet"}, name)
}

// isNumeric reports whether the values of a type are numbers.
func (s sort) isNumeric() bool {
	return slices.Contains([]sortKind{natSort, posSort, intSort}, s.kind())
}

// admits reports whether a number belongs to a numeric type.
func (s sort) admits(n int64) bool {
	switch s.kind() {
	case natSort:
		return n >= 0
	case posSort:
		return n > 0
	}
	return true
}

// read returns the value that a text in a label denotes; false if the value is not of the type.
func (s sort) read(text string) (value, bool) {
	switch s.kind() {
	case boolSort:
		isTrue := strings.EqualFold(text, "true")
		return truth(isTrue), isTrue || strings.EqualFold(text, "false")
	case natSort, posSort, intSort:
		n, isNumber := asNumber(text)
		isSigned := strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-")
		maySign := s.kind() == intSort
		return number(n), isNumber && s.admits(n) && (!isSigned || maySign)
	case stringSort:
		isQuoted := len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"'
		return value{text: text}, isQuoted
	}
	n, isNumber := asNumber(text)
	if isNumber && text == number(n).String() {
		return number(n), true
	}
	return value{text: canonical(withoutBlanks(text))}, true // as constants of the formula
}

// environment maps variables to values, and begins with the innermost variable. Only its limits change;
// nil is the empty environment.
type environment struct {
	name  string // "" without a value
	value value
	outer *environment
	// limits are those of the whole evaluation, nil where an outer environment has them.
	limits *evaluation
}

// with returns the environment extended by the value of a variable.
func (e *environment) with(name string, v value) *environment {
	return &environment{name: name, value: v, outer: e}
}

// hasValues reports whether some variable has a value.
func (e *environment) hasValues() bool { return e != nil && e.name != "" }

// find returns the value of a variable.
func (e *environment) find(name string) (value, bool) {
	for ; e != nil; e = e.outer {
		if e.name == name {
			return e.value, true
		}
	}
	return value{}, false
}

// expression is an expression of data.
type expression struct {
	op       string // "" for a constant or a variable
	at       token
	parts    []*expression
	constant value
	variable *variable // nil for a constant
	// function belongs to applyOp, constructor to constructOp, and fields to projectOp and recogniseOp.
	function    *function
	constructor *constructor
	fields      []field
	// types are those whose constructors order the operands of a comparison; nil in other operators.
	types *lookup
	// declared are the variables of a quantifier or set.
	declared []declaration
}

// variable is a data variable, as it was declared.
type variable struct {
	name   string
	sort   sort
	number int // of its declaration in the text
	// written is the name in the text, if name has been made to differ from others.
	written string
	// needsMoreThanEquality is set if the variable occurs in arithmetic, in an ordering, or in another operator whose
	// result depends on more than which values are equal.
	needsMoreThanEquality bool
	// isBound is set for a variable that gets its values from labels. hides is set for a marker: a use of
	// the name is refused, since the variable that was bound before is out of scope.
	isBound, isOutOfScope bool
	into                  []*variable // the variables that get the value of this one
	from                  []*variable // the variables whose values this one gets
	equal                 []*variable // the variables that this one is compared with
	isComputed            bool        // whether this one gets the value of an expression
	// places are the places in labels where the values of the variable are found.
	places []place
}

// shownName returns the name of the variable in the text.
func (v *variable) shownName() string {
	if v.written != "" {
		return v.written
	}
	return v.name
}

// place is a position in labels: an argument of an action, or an offer of a gate.
type place struct {
	action           string
	arguments, index int
	// within leads from the argument to a part of it.
	within []argumentPlace
}

// argumentPlace is an argument of a constructor.
type argumentPlace struct {
	constructor *constructor
	index       int
}

// textsIn calls add for the text at a place within an argument of a label, if there is one.
func (at place) textsIn(argument string, add func(string)) {
	for _, inside := range at.within {
		name, arguments := value{text: withoutBlanks(argument)}.constructed()
		if name != inside.constructor.name || len(arguments) != len(inside.constructor.sorts) {
			return
		}
		argument = arguments[inside.index].String()
	}
	add(argument)
}

// anyNumber is the number of arguments of a place that is an offer.
const anyNumber = -1

// needsOrder reports whether more matters about the values of the variable than which of them are
// equal.
func (v *variable) needsOrder() bool {
	return (&flowSearch{}).needsMoreThanEquality(v, v.number)
}

// flowSearch searches the flow of values between variables for a reason why the order of values
// matters. It asks each question once: the answer to a question is the disjunction of the answers
// to further questions, so that repeating one of them cannot change the result.
type flowSearch struct {
	asked map[flowQuestion]bool
}

// flowQuestion is a question about a variable: whether [flowSearch.needsMoreThanEquality] is true for the
// number declared or, if declared is anyDeclaration, whether [flowSearch.mayBeAny] is true.
type flowQuestion struct {
	variable *variable
	declared int
}

const anyDeclaration = -1

// ask records a question, and reports whether it has not been asked before.
func (s *flowSearch) ask(q flowQuestion) (isNew bool) {
	if s.asked[q] {
		return false
	}
	if s.asked == nil {
		s.asked = map[flowQuestion]bool{}
	}
	s.asked[q] = true
	return true
}

// needsMoreThanEquality reports whether equality of values is not enough for a variable, or for a variable that gets
// its value, or whether it is compared with a variable that may have any value. A comparison counts only
// if the number of the other variable is greater than declared.
func (s *flowSearch) needsMoreThanEquality(v *variable, declared int) bool {
	if v.needsMoreThanEquality {
		return true
	}
	if !s.ask(flowQuestion{variable: v, declared: declared}) {
		return false
	}
	for _, to := range v.into {
		if s.needsMoreThanEquality(to, declared) {
			return true
		}
	}
	for _, other := range v.equal {
		if other.number > declared && s.mayBeAny(other) {
			return true
		}
	}
	return false
}

// mayBeAny reports whether a variable may have values that occur neither in a label nor in the formula.
func (s *flowSearch) mayBeAny(v *variable) bool {
	if v.isBound || !s.ask(flowQuestion{variable: v, declared: anyDeclaration}) {
		return false
	}
	if v.isComputed || s.needsMoreThanEquality(v, v.number) {
		return true
	}
	return slices.ContainsFunc(v.from, s.mayBeAny)
}

// variables calls do for each occurrence of a variable in an expression.
func (e *expression) variables(do func(*variable)) {
	if e.variable != nil {
		do(e.variable)
	}
	for _, part := range e.parts {
		part.variables(do)
	}
}

// isIn reports whether all variables of an expression have values, or are bound within it.
func (e *expression) isIn(env *environment) bool {
	if e.variable != nil {
		_, isKnown := env.find(e.variable.name)
		return isKnown
	}
	for _, d := range e.declared {
		env = env.with(d.variable.name, value{})
	}
	return !slices.ContainsFunc(e.parts, func(part *expression) bool {
		return !part.isIn(env)
	})
}

// comparisons are the operators that compare two values, as mCRL2 writes them.
var comparisons = []string{"==", "!=", "<", "<=", ">", ">="}

// eval returns the value of an expression. It fails if the expression has no value.
func (e *expression) eval(env *environment) value {
	switch e.op {
	case "":
		return e.simpleValue(env)
	case "and", "or", "implies":
		return truth(e.junction(env))
	case "xor":
		return truth(e.truthOf(0, env) != e.truthOf(1, env))
	case "equ":
		return truth(e.truthOf(0, env) == e.truthOf(1, env))
	case "not":
		return truth(!e.truthOf(0, env))
	case "if":
		if e.truthOf(0, env) {
			return e.parts[1].eval(env)
		}
		return e.parts[2].eval(env)
	case "==":
		return truth(e.areEqual(env))
	case "!=":
		return truth(!e.areEqual(env))
	case applyOp:
		return e.apply(env)
	case someOp, eachOp:
		return e.quantify(env)
	case constructOp, recogniseOp, projectOp, listOp, setOp, comprehensionOp, prependOp, appendOp,
		concatenateOp, elementOp, sizeOp, inOp, "head", "tail", "rhead", "rtail":
		return e.ofLimitedLength(e.structured(env), env)
	}
	return e.arithmetic(env)
}

// simpleValue returns the value of a constant or variable.
func (e *expression) simpleValue(env *environment) value {
	if e.variable == nil {
		return e.constant
	}
	v, is := env.find(e.variable.name)
	if !is {
		refuse(e.at, "a variable that has a value here")
	}
	return v
}

// junction returns the value of a conjunction, disjunction or implication. If the first operand
// decides, the second one need not have a value.
func (e *expression) junction(env *environment) bool {
	first := e.truthOf(0, env)
	switch {
	case e.op == "and" && !first:
		return false
	case e.op == "or" && first, e.op == "implies" && !first:
		return true
	}
	return e.truthOf(1, env)
}

// areEqual reports whether the two operands have the same value.
func (e *expression) areEqual(env *environment) bool {
	a := e.parts[0].eval(env)
	b := e.parts[1].eval(env)
	e.parts[0].refuseUnlessNumber(b, e.parts[1].at)
	e.parts[1].refuseUnlessNumber(a, e.parts[0].at)
	return a.same(b)
}

// refuseUnlessNumber fails if e is a numeric variable and the other operand is no number.
func (e *expression) refuseUnlessNumber(other value, at token) {
	if e.variable != nil && e.variable.sort.isNumeric() && other.kind != numberValue {
		refuse(at, "a number, and not %s", other)
	}
}

// truthOf returns the value of an operand of type bool.
func (e *expression) truthOf(part int, env *environment) bool {
	return e.parts[part].condition(env)
}

// condition returns the value of an expression of type bool.
func (e *expression) condition(env *environment) bool {
	v := e.eval(env)
	if v.kind != boolValue {
		if strings.EqualFold(v.text, "true") || strings.EqualFold(v.text, "false") {
			return strings.EqualFold(v.text, "true")
		}
		hint := "a formula is true or false here; it has no probabilities or other numbers as values"
		abort.On(e.at.refused(fmt.Sprintf("a condition, and not %s", v), hint))
	}
	return v.isTrue
}

// arithmetic returns the value of an operator on numbers or sets.
func (e *expression) arithmetic(env *environment) value {
	values := e.values(env)
	if len(values) == 2 {
		v, areSets := e.onSets(values[0], values[1])
		if areSets {
			return e.ofLimitedLength(v, env)
		}
		order, areOrdered := e.types.order(values[0], values[1])
		if areOrdered {
			return truth(e.isInOrder(order))
		}
	}
	numbers := e.numbers(values)
	switch {
	case len(numbers) == 1:
		return e.inRange(e.ofNumber(numbers[0]))
	case slices.Contains(comparisons, e.op):
		return truth(e.isInOrder(numbers[0].Cmp(numbers[1])))
	}
	return e.inRange(e.ofNumbers(numbers[0], numbers[1]))
}

// numbers returns the values of the operands as integers of any size. It fails if one is no number.
func (e *expression) numbers(values []value) (numbers []*big.Int) {
	for i, part := range e.parts {
		v := values[i]
		if v.kind != numberValue {
			refuse(part.at, "a number, and not %s", v)
		}
		numbers = append(numbers, big.NewInt(v.number))
	}
	return numbers
}

// inRange returns a result of arithmetic as a value. It fails if the result has more than 64 bits.
func (e *expression) inRange(result *big.Int) value {
	if !result.IsInt64() {
		refuse(e.at, "numbers of at most 64 bits")
	}
	return number(result.Int64())
}

// isInOrder reports whether the comparison of an ordering, such as <, holds between two values whose order is
// negative, 0 or positive.
func (e *expression) isInOrder(order int) bool {
	switch e.op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

// ofNumber returns the result of an operator with one operand.
func (e *expression) ofNumber(a *big.Int) *big.Int {
	result := new(big.Int)
	switch e.op {
	case "neg":
		return result.Neg(a)
	case "abs":
		return result.Abs(a)
	case "succ":
		return result.Add(a, big.NewInt(1))
	case "pred":
		return result.Sub(a, big.NewInt(1))
	case "Int2Nat":
		return e.atLeast(0, a)
	case "Nat2Pos", "Int2Pos":
		return e.atLeast(1, a)
	}
	return a // a conversion to a larger type, such as Nat2Int
}

// ofNumbers returns the result of an operator with two operands.
func (e *expression) ofNumbers(a, b *big.Int) *big.Int {
	result := new(big.Int)
	switch e.op {
	case "+":
		return result.Add(a, b)
	case "-":
		return result.Sub(a, b)
	case "*":
		return result.Mul(a, b)
	case "max":
		if a.Cmp(b) < 0 {
			return b
		}
		return a
	case "min":
		if a.Cmp(b) > 0 {
			return b
		}
		return a
	case "div", "mod":
		return e.divide(a, b)
	}
	return e.power(a, b)
}

// divide returns the quotient or the remainder. The remainder is never negative.
func (e *expression) divide(a, b *big.Int) *big.Int {
	if b.Sign() <= 0 {
		refuse(e.at, "a divisor above 0, and not %s", b)
	}
	quotient := new(big.Int)
	remainder := new(big.Int)
	quotient.DivMod(a, b, remainder)
	if e.op == "mod" {
		return remainder
	}
	return quotient
}

// power returns a to the power of b. Numbers have at most 64 bits, so that larger exponents than 64 make
// sense for the bases -1, 0 and 1 only.
func (e *expression) power(a, b *big.Int) *big.Int {
	e.atLeast(0, b)
	isLarge := b.Cmp(big.NewInt(64)) > 0 && a.CmpAbs(big.NewInt(1)) > 0
	if isLarge {
		refuse(e.at, "numbers of at most 64 bits")
	}
	return new(big.Int).Exp(a, b, nil)
}

// atLeast returns the operand of a conversion. It fails if the operand is smaller than least.
func (e *expression) atLeast(least int64, a *big.Int) *big.Int {
	if a.Cmp(big.NewInt(least)) < 0 {
		refuse(e.at, "a number of at least %d, and not %s", least, a)
	}
	return a
}
