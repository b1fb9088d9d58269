package modal

import (
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
)

// quantified is a quantifier whose next variable is to be given values. Its methods return what the
// domain of this variable depends on.
type quantified interface {
	// place is where the quantifier stands.
	place() token
	// isNeutral reports whether values of the variable that no label has in the places of the variable
	// leave the result as it is without them.
	isNeutral(v *variable) bool
	// isAlike reports whether all these values contribute the same to the result.
	isAlike(v *variable) bool
	// guards returns conditions that a value satisfies if it can affect the result.
	guards() []*expression
	// texts returns what the labels of the model have where the formula has the variable: 1 and 2 for
	// {PUT ?n} and the labels PUT !1 and PUT !2.
	texts(v *variable) []string
	// numbers calls do for each number in the labels that the quantifier is about.
	numbers(do func(int64))
}

// quantifiedState is a quantifier about formulas.
type quantifiedState struct {
	x    *expansion
	body *state
}

func (q quantifiedState) place() token { return q.body.at }

func (q quantifiedState) isNeutral(v *variable) bool {
	neutral := fails
	if q.body.op == forallOp {
		neutral = holds
	}
	return q.body.verdictForFresh(v, map[string]verdict{}) == neutral
}

func (q quantifiedState) isAlike(v *variable) bool { return q.body.isAlikeForFresh(v) }

func (q quantifiedState) guards() []*expression {
	if q.body.op == forallOp {
		return q.body.assumed()
	}
	return q.body.necessary()
}

func (q quantifiedState) texts(v *variable) []string { return q.x.textsAt(v) }

func (q quantifiedState) numbers(do func(int64)) {
	for _, l := range q.x.labels {
		numbersIn(l.text, do)
	}
}

// quantifiedAction is a quantifier about one label.
type quantifiedAction struct {
	action *action
	label  *parsed
}

func (q quantifiedAction) place() token { return q.action.at }

func (q quantifiedAction) isNeutral(v *variable) bool {
	neutral := fails
	if q.action.op == forallAction {
		neutral = holds
	}
	return q.action.parts[0].verdictForFresh(v) == neutral
}

func (q quantifiedAction) isAlike(v *variable) bool {
	return q.action.parts[0].verdictForFresh(v) != open
}

func (q quantifiedAction) guards() []*expression {
	return q.action.parts[0].guards(q.action.op == forallAction)
}

func (q quantifiedAction) texts(v *variable) []string {
	var all []string
	for _, place := range v.places {
		q.label.textsAt(place, func(text string) { all = append(all, text) })
	}
	return all
}

func (q quantifiedAction) numbers(do func(int64)) { numbersIn(q.label.text, do) }

// domain returns the values of a variable for which a quantifier has to be expanded:
//
//   - all values of a type with few values, and all numbers in a declared range;
//   - the values in the places of the variable in labels, if no other value affects the result;
//   - the values that a guard lists, or the range that guards allow;
//   - those in the places of the variable in labels and one other number, if all others have the same result;
//   - otherwise, if the variable is only compared for equality, the numbers that occur anywhere and one
//     that does not, since all other numbers behave alike.
//
// It refuses a variable whose values it cannot list.
func (x *expansion) domain(d declaration, env *environment, q quantified) []value {
	v := d.variable
	if d.first != nil {
		return x.rangeOf(d.first, d.first.eval(env), d.last.eval(env))
	}
	switch v.sort.kind() {
	case boolSort:
		return []value{truth(false), truth(true)}
	case declaredSort:
		return v.sort.constants
	}
	if q.isNeutral(v) {
		return v.sort.readAll(q.texts(v))
	}
	for _, guard := range q.guards() {
		if all, isListed := guard.listed(v, env); isListed {
			return all
		}
	}
	if !v.sort.isNumeric() {
		abort.On(q.place().refused("a quantifier over numbers, bool, or constants that the formula lists",
			"of type "+v.sort.name+
				" the model shows the values in labels only, and others matter for "+v.name+
				": write the formula for each value"))
	}
	if all := v.numbersAllowedBy(q.guards(), env); all != nil {
		return all
	}
	if v.needsOrder() && q.isAlike(v) {
		inLabels := v.sort.readAll(q.texts(v))
		return sorted(append(inLabels, v.sort.fresh(inLabels)))
	}
	if v.needsOrder() {
		abort.On(q.place().refused("a bound on "+v.name+", which is compared or computed with",
			"write forall "+v.name+": Nat. val("+v.name+" <= 9) => …, or exists … && …"))
	}
	return x.numbersAndFresh(v, env, q)
}

// readAll returns the values of a type that are written in texts of labels.
func (s sort) readAll(texts []string) []value {
	var all []value
	for _, text := range texts {
		if s.isNumeric() {
			n, isNumber := asNumber(text)
			if isNumber && s.admits(n) {
				all = append(all, number(n))
			}
			continue
		}
		v, ok := s.read(text)
		if ok {
			all = append(all, v)
		}
	}
	return sorted(all)
}

// numbersAndFresh returns the numbers that occur in labels, in the formula or as values of other
// variables, and one number that does not.
func (x *expansion) numbersAndFresh(v *variable, env *environment, q quantified) []value {
	occurring := map[int64]bool{}
	add := func(n int64) {
		if v.sort.admits(n) {
			occurring[n] = true
		}
	}
	q.numbers(add)
	for n := range x.mentioned {
		add(n)
	}
	for e := env; e != nil; e = e.outer {
		if e.value.kind == numberValue {
			add(e.value.number)
		}
	}
	if len(occurring) >= mostValues {
		refuse(q.place(), "at most %d values of %s", mostValues, v.name)
	}
	var all []value
	for n := range occurring {
		all = append(all, number(n))
	}
	return sorted(append(all, v.sort.fresh(all)))
}

// fresh returns the smallest number of a numeric type from 0 on that is not among some values.
func (s sort) fresh(known []value) value {
	n := int64(0)
	if s.kind() == posSort {
		n = 1
	}
	for slices.ContainsFunc(known, number(n).same) {
		n++
	}
	return number(n)
}

// sorted returns values in order, each once.
func sorted(all []value) []value {
	slices.SortFunc(all, func(a, b value) int {
		switch {
		case a.kind == numberValue && b.kind == numberValue && a.number != b.number:
			if a.number < b.number {
				return -1
			}
			return 1
		case a.String() < b.String():
			return -1
		case a.String() > b.String():
			return 1
		}
		return 0
	})
	return slices.Compact(all)
}

// rangeOf returns the numbers between two values.
func (x *expansion) rangeOf(at *expression, first, last value) []value {
	if first.kind != numberValue || last.kind != numberValue {
		refuse(at.at, "numbers as bounds")
	}
	if first.number > last.number {
		return nil
	}
	if size := uint64(last.number) - uint64(first.number); size >= mostValues {
		refuse(at.at, "a range of at most %d numbers", mostValues)
	}
	var all []value
	for n := first.number; n <= last.number; n++ {
		all = append(all, number(n))
	}
	return all
}

// numbersAllowedBy returns the numbers that conditions allow for a variable; nil if they do not bound it.
func (v *variable) numbersAllowedBy(conditions []*expression, env *environment) []value {
	first := int64(math.MinInt64)
	last := int64(math.MaxInt64)
	switch v.sort.kind() {
	case natSort:
		first = 0
	case posSort:
		first = 1
	}
	isBounded := false
	for _, e := range conditions {
		least, greatest, hasBounds := e.boundsOf(v, env)
		if hasBounds {
			first = max(first, least)
			last = min(last, greatest)
			isBounded = true
		}
	}
	if !isBounded || first == math.MinInt64 || last == math.MaxInt64 {
		return nil
	}
	all := []value{}
	if first > last {
		return all
	}
	if uint64(last)-uint64(first) >= mostValues {
		return nil
	}
	for n := first; n <= last; n++ {
		all = append(all, number(n))
	}
	return all
}

// listed returns the values that a condition allows for a variable, if the condition lists them: v ==
// a, v in [a, b], or a disjunction of such conditions. It returns false if the condition has another form, or if a
// value is not known yet.
func (e *expression) listed(v *variable, env *environment) (all []value, isListed bool) {
	switch e.op {
	case "":
		isNever := e.variable == nil && e.constant == truth(false)
		return nil, isNever
	case "or":
		return e.listedByAny(v, env)
	case "==":
		return e.equalValue(v, env)
	case inOp:
		if e.parts[0].variable != v || !e.parts[1].isIn(env) {
			return nil, false
		}
		_, elements := e.collection(1, env)
		return sorted(elements), true
	}
	return nil, false
}

// listedByAny is listed for a disjunction: the values of all operands, if each of them lists its own.
func (e *expression) listedByAny(v *variable, env *environment) (all []value, isListed bool) {
	for _, part := range e.parts {
		ofPart, isListed := part.listed(v, env)
		if !isListed {
			return nil, false
		}
		for _, one := range ofPart {
			if !slices.ContainsFunc(all, one.same) {
				all = append(all, one)
			}
		}
	}
	return all, true
}

// equalValue is listed for an equation between the variable and another expression. It lists no value if
// the type of the variable does not have the number.
func (e *expression) equalValue(v *variable, env *environment) (all []value, isListed bool) {
	other, _ := e.otherSide(v)
	if other == nil || !other.isIn(env) {
		return nil, false
	}
	one := other.eval(env)
	if v.sort.isNumeric() {
		if one.kind != numberValue {
			return nil, false
		}
		if !v.sort.admits(one.number) {
			return nil, true
		}
	}
	return []value{one}, true
}

// otherSide returns the expression that a variable is compared with, and the operator, mirrored if the
// variable is on the right; nil if the variable is on neither side.
func (e *expression) otherSide(v *variable) (other *expression, op string) {
	switch v {
	case e.parts[0].variable:
		return e.parts[1], e.op
	case e.parts[1].variable:
		return e.parts[0], mirrored[e.op]
	}
	return nil, ""
}

// mirrored are the comparisons with their sides exchanged.
var mirrored = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}

// boundsOf returns the smallest and the largest number that a comparison allows for a variable. It
// returns false if the comparison does not bound the variable, or if the other side is not known yet.
func (e *expression) boundsOf(v *variable, env *environment) (first, last int64, isBounded bool) {
	if mirrored[e.op] == "" {
		return 0, 0, false
	}
	other, op := e.otherSide(v)
	if other == nil || !other.isIn(env) {
		return 0, 0, false
	}
	bound := other.eval(env)
	if bound.kind != numberValue {
		return 0, 0, false
	}
	first = math.MinInt64
	last = math.MaxInt64
	switch op {
	case "<=":
		last = bound.number
	case "<":
		last = bound.number - 1
	case ">=":
		first = bound.number
	case ">":
		first = bound.number + 1
	default:
		first = bound.number
		last = bound.number
	}
	return first, last, bound.number > math.MinInt64 && bound.number < math.MaxInt64
}

// conjuncts returns conditions that all hold if the expression holds.
func (e *expression) conjuncts() []*expression {
	if e.op == "and" {
		return append(e.parts[0].conjuncts(), e.parts[1].conjuncts()...)
	}
	return []*expression{e}
}

// necessary returns conditions that all hold if the formula holds in some state.
func (f *state) necessary() (all []*expression) {
	switch f.op {
	case valOp:
		return f.condition.conjuncts()
	case notOp:
		return f.parts[0].assumed()
	case andOp, existsOp, diamondOp:
		for _, part := range f.parts {
			all = append(all, part.necessary()...)
		}
	}
	return all
}

// assumed returns conditions that all hold if the formula fails in some state.
func (f *state) assumed() (all []*expression) {
	switch f.op {
	case valOp:
		return f.condition.assumedConditions()
	case notOp:
		return f.parts[0].necessary()
	case orOp, forallOp, boxOp:
		for _, part := range f.parts {
			all = append(all, part.assumed()...)
		}
	}
	return all
}

// guards returns conditions that all hold if the action formula matches some label or, if isForall is
// set, fails to match some label.
func (a *action) guards(isForall bool) (all []*expression) {
	switch a.op {
	case valAction:
		if !isForall {
			return a.condition.conjuncts()
		}
		return a.condition.assumedConditions()
	case notAction:
		return a.parts[0].guards(!isForall)
	}
	isJoined := a.op == andAction || a.op == existsAction
	if isForall {
		isJoined = a.op == orAction || a.op == forallAction
	}
	if !isJoined {
		return nil
	}
	for _, part := range a.parts {
		all = append(all, part.guards(isForall)...)
	}
	return all
}
