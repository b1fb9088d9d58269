package modal

import (
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
)

// domain returns the values of a variable that a quantifier has to be written out for; body is the quantifier
// about the variables behind it. It refuses a type whose values are not known.
func (x *expansion) domain(body *state, d declaration, env *environment) []value {
	v := d.variable
	neutral := fails
	if body.op == forallOp {
		neutral = holds
	}
	isNeutral := func() bool { return body.without(v, map[string]verdict{}) == neutral }
	guards := func() []*expression {
		if body.op == forallOp {
			return body.assumed()
		}
		return body.necessary()
	}
	texts := func() []string { return x.textsAt(v) }
	return x.valuesOf(d, env, body.at, isNeutral, guards, texts, x.occurring)
}

// domainOn is domain for a quantifier about a label.
func (x *expansion) domainOn(a *action, declared []declaration, l *parsed, env *environment) []value {
	v := declared[0].variable
	neutral := fails
	if a.op == forallAction {
		neutral = holds
	}
	isNeutral := func() bool { return a.parts[0].without(v) == neutral }
	guards := func() []*expression { return a.parts[0].guards(a.op == forallAction) }
	texts := func() (all []string) {
		for _, at := range v.places {
			l.textsAt(at, func(text string) { all = append(all, text) })
		}
		return all
	}
	return x.valuesOf(declared[0], env, a.at, isNeutral, guards, texts, func(do func(int64)) { numbersIn(l.text, do) })
}

// occurring calls do for the numbers in labels.
func (x *expansion) occurring(do func(int64)) {
	for _, l := range x.labels {
		numbersIn(l.text, do)
	}
}

// valuesOf returns the values of a variable. Types with few values are listed. If all others change nothing, those
// that labels have where the variable stands suffice; texts returns them. A range that guards give is
// listed. Otherwise, if only equality counts, all numbers that occur nowhere are alike, and one
// of them stands for all.
func (x *expansion) valuesOf(
	d declaration, env *environment, at token, isNeutral func() bool, guards func() []*expression, texts func() []string, occurring func(func(int64)),
) []value {
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
	if isNeutral() {
		var all []value
		for _, text := range texts() {
			of, is := v.sort.read(text)
			n, isNumber := asNumber(text)
			switch {
			case v.sort.isNumeric() && isNumber && v.sort.admits(n):
				all = append(all, number(n))
			case !v.sort.isNumeric() && is:
				all = append(all, of)
			}
		}
		return sorted(all)
	}
	if !v.sort.isNumeric() {
		abort.On(at.refused("a quantifier over numbers, bool, or constants that the formula lists",
			"of type "+v.sort.name+" the model shows the values in labels only, and others matter for "+v.name))
	}
	if all := x.guarded(v, guards(), env); all != nil {
		return all
	}
	if v.needsOrder() {
		abort.On(at.refused("a bound on "+v.name+", which is compared or computed with", "write forall "+v.name+": Nat. val("+v.name+" <= 9) => …, or exists … && …"))
	}
	known := map[int64]bool{}
	add := func(n int64) {
		if v.sort.admits(n) {
			known[n] = true
		}
	}
	occurring(add)
	for n := range x.mentioned {
		add(n)
	}
	for e := env; e != nil; e = e.outer {
		if e.value.kind == numberValue {
			add(e.value.number)
		}
	}
	fresh := int64(0)
	if v.sort.kind() == posSort {
		fresh = 1
	}
	for known[fresh] {
		fresh++
	}
	known[fresh] = true
	var all []value
	for n := range known {
		all = append(all, number(n))
	}
	if len(all) > mostValues {
		refuse(at, "at most %d values of %s", mostValues, v.name)
	}
	return sorted(all)
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

// guarded returns the numbers that conditions leave to a variable; nil if they do not bound it.
func (x *expansion) guarded(v *variable, conditions []*expression, env *environment) []value {
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
		least, most, is := e.boundsOf(v, env)
		if is {
			first = max(first, least)
			last = min(last, most)
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

// mirrored are the comparisons with their sides exchanged.
var mirrored = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}

// boundsOf returns the numbers between which a comparison leaves a variable; false if it does not
// bound it, or compares it with what is not known yet.
func (e *expression) boundsOf(v *variable, env *environment) (first, last int64, is bool) {
	op := e.op
	if mirrored[op] == "" {
		return 0, 0, false
	}
	other := e.parts[1]
	if e.parts[0].variable != v {
		if other.variable != v {
			return 0, 0, false
		}
		op = mirrored[op]
		other = e.parts[0]
	}
	if !other.isIn(env) {
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

// conjuncts returns the conditions of which all hold if an expression does.
func (e *expression) conjuncts() []*expression {
	if e.op == "and" {
		return append(e.parts[0].conjuncts(), e.parts[1].conjuncts()...)
	}
	return []*expression{e}
}

// necessary returns conditions of which all hold if a formula holds in some state.
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

// assumed returns conditions of which all hold if a formula fails in some state.
func (f *state) assumed() (all []*expression) {
	switch f.op {
	case valOp:
		if f.condition.op == "not" {
			return f.condition.parts[0].conjuncts()
		}
		if f.condition.op == "implies" {
			return f.condition.parts[0].conjuncts()
		}
	case notOp:
		return f.parts[0].necessary()
	case orOp, forallOp, boxOp:
		for _, part := range f.parts {
			all = append(all, part.assumed()...)
		}
	}
	return all
}

// guards returns conditions of which all hold if an action formula matches some label, or, if isForall is
// set, does not match some.
func (a *action) guards(isForall bool) (all []*expression) {
	switch {
	case a.op == valAction && !isForall:
		return a.condition.conjuncts()
	case a.op == valAction && a.condition.op == "not":
		return a.condition.parts[0].conjuncts()
	case a.op == notAction:
		return a.parts[0].guards(!isForall)
	case a.op == andAction && !isForall, a.op == orAction && isForall, a.op == existsAction && !isForall, a.op == forallAction && isForall:
		for _, part := range a.parts {
			all = append(all, part.guards(isForall)...)
		}
	}
	return all
}
