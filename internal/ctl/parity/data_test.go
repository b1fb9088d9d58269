package parity_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/ctl/parity"
	"github.com/inev-lts/inev/internal/formula/modal"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// Formulas with data are evaluated here as they are: over sets of states, with the values of variables at hand, and
// quantifiers over numbers by trying more of them than any label or formula has. Nothing is written out.

// largest is the largest number that quantifiers try; labels have numbers up to 2, and formulas up to 3.
const largest = 5

// sets of states, and values of variables: numbers, and 0 or 1 for conditions.
type (
	set    uint32
	values map[string]int
)

func (v values) with(name string, to int) values {
	more := values{}
	for n, is := range v {
		more[n] = is
	}
	more[name] = to
	return more
}

// world is what a formula is evaluated in.
type world struct {
	m *lts.LTS
}

func (w *world) all() set { return 1<<w.m.NumStates() - 1 }

// transitions calls do for each transition.
func (w *world) transitions(do func(from int, label string, to int)) {
	for s := range w.m.NumStates() {
		labels, targets := w.m.Out(lts.State(s))
		for i, to := range targets {
			do(s, w.m.Alphabet().Text(labels.At(i)), int(to))
		}
	}
}

// fixpoint is the meaning of a fixpoint variable: a set for each values of its parameter.
type fixpoint func(argument int) set

// formula is a formula of states. It is written in MCL or in the language of mCRL2.
type formula interface {
	text(isMCL bool) string
	eval(w *world, v values, x map[string]fixpoint) set
}

// run is an expression of runs. The states from which a run that it matches leads into a set depend on what
// it binds: after gives this set.
type run interface {
	text(isMCL bool) string
	before(w *world, v values, after func(values) set) set
	// binds returns what is visible behind it.
	binds() string
}

// act is an action formula: it returns the values with which a label matches.
type act interface {
	text(isMCL bool) string
	match(label string, v values) []values
	binds() string
}

type constant bool

func (c constant) text(bool) string { return fmt.Sprint(bool(c)) }

func (c constant) eval(w *world, _ values, _ map[string]fixpoint) set {
	if c {
		return w.all()
	}
	return 0
}

type negation struct{ of formula }

func (n negation) text(isMCL bool) string {
	if isMCL {
		return "not (" + n.of.text(isMCL) + ")"
	}
	return "!(" + n.of.text(isMCL) + ")"
}

func (n negation) eval(w *world, v values, x map[string]fixpoint) set {
	return w.all() &^ n.of.eval(w, v, x)
}

// joined is a connective: and, or, implies, equ.
type joined struct {
	op   string
	a, b formula
}

var signsOf = map[string]string{"and": "&&", "or": "||", "implies": "=>", "equ": "<=>"}

func (j joined) text(isMCL bool) string {
	sign := j.op
	if !isMCL {
		sign = signsOf[j.op]
	}
	return "((" + j.a.text(isMCL) + ") " + sign + " (" + j.b.text(isMCL) + "))"
}

func (j joined) eval(w *world, v values, x map[string]fixpoint) set {
	a := j.a.eval(w, v, x)
	b := j.b.eval(w, v, x)
	switch j.op {
	case "and":
		return a & b
	case "or":
		return a | b
	case "implies":
		return w.all()&^a | b
	}
	return w.all() &^ (a ^ b)
}

// modality is a box or a diamond.
type modality struct {
	isBox bool
	run   run
	of    formula
}

func (m modality) text(isMCL bool) string {
	if m.isBox {
		return "[" + m.run.text(isMCL) + "] (" + m.of.text(isMCL) + ")"
	}
	return "<" + m.run.text(isMCL) + "> (" + m.of.text(isMCL) + ")"
}

func (m modality) eval(w *world, v values, x map[string]fixpoint) set {
	if m.isBox {
		return w.all() &^ m.run.before(w, v, func(v values) set { return w.all() &^ m.of.eval(w, v, x) })
	}
	return m.run.before(w, v, func(v values) set { return m.of.eval(w, v, x) })
}

// condition is a comparison.
type condition struct {
	op   string
	a, b term
}

var operatorsOfMCL = map[string]string{"==": "=", "!=": "<>"}

func (c condition) words(isMCL bool) string {
	op := c.op
	if isMCL && operatorsOfMCL[op] != "" {
		op = operatorsOfMCL[op]
	}
	return c.a.text() + " " + op + " " + c.b.text()
}

func (c condition) text(isMCL bool) string {
	if isMCL {
		return "(" + c.words(isMCL) + ")"
	}
	return "val(" + c.words(isMCL) + ")"
}

func (c condition) holds(v values) bool {
	a := c.a.value(v)
	b := c.b.value(v)
	switch c.op {
	case "==":
		return a == b
	case "!=":
		return a != b
	case "<":
		return a < b
	}
	return a <= b
}

func (c condition) eval(w *world, v values, _ map[string]fixpoint) set {
	return constant(c.holds(v)).eval(w, nil, nil)
}

// term is a variable, if it is named, plus a number.
type term struct {
	name string
	plus int
}

func (t term) text() string {
	switch {
	case t.name == "":
		return fmt.Sprint(t.plus)
	case t.plus > 0:
		return fmt.Sprintf("%s + %d", t.name, t.plus)
	}
	return t.name
}

func (t term) value(v values) int {
	if t.name == "" {
		return t.plus
	}
	of, is := v[t.name]
	if !is {
		panic("no " + t.name)
	}
	return of + t.plus
}

// quantifier is one over numbers up to a bound, or over all if it is -1.
type quantifier struct {
	isForall bool
	name     string
	most     int
	of       formula
}

func (q quantifier) text(isMCL bool) string {
	word := "exists "
	guard := " && ("
	if q.isForall {
		word = "forall "
		guard = " => ("
	}
	switch {
	case isMCL && q.most < 0:
		return "(" + word + q.name + ":nat . (" + q.of.text(isMCL) + "))"
	case isMCL:
		return fmt.Sprintf("(%s%s:nat among {0 ... %d} . (%s))", word, q.name, q.most, q.of.text(isMCL))
	case q.most < 0:
		return "(" + word + q.name + ": Nat . (" + q.of.text(isMCL) + "))"
	}
	return fmt.Sprintf("(%s%s: Nat . (val(%s <= %d)%s%s)))", word, q.name, q.name, q.most, guard, q.of.text(isMCL))
}

func (q quantifier) eval(w *world, v values, x map[string]fixpoint) set {
	most := q.most
	if most < 0 {
		most = largest
	}
	all := constant(q.isForall).eval(w, nil, nil)
	for n := 0; n <= most; n++ {
		of := q.of.eval(w, v.with(q.name, n), x)
		if q.isForall {
			all &= of
		} else {
			all |= of
		}
	}
	return all
}

// recursion is a fixpoint with one parameter, which goes up to 2.
type recursion struct {
	isNu            bool
	name, parameter string
	first           term
	of              formula
}

// turns is the number of values of a parameter.
const turns = 3

func (r recursion) text(isMCL bool) string {
	word := "mu "
	if r.isNu {
		word = "nu "
	}
	if isMCL {
		return fmt.Sprintf("(%s%s (%s:nat := %s) . (%s))", word, r.name, r.parameter, r.first.text(), r.of.text(isMCL))
	}
	return fmt.Sprintf("(%s%s(%s: Nat = %s) . (%s))", word, r.name, r.parameter, r.first.text(), r.of.text(isMCL))
}

// eval iterates the function from values of the parameter to sets. A call has at most the largest number that a
// quantifier tries, and one more for each let around it. Larger numbers come only from values of an outer parameter
// that no call has, so that their sets do not matter.
func (r recursion) eval(w *world, v values, x map[string]fixpoint) set {
	const known = largest + 5
	var now [known]set
	at := func(n int) set { return now[min(n, known-1)] }
	for n := range now {
		now[n] = constant(r.isNu).eval(w, nil, nil)
	}
	for {
		same := true
		var next [known]set
		inside := map[string]fixpoint{}
		for name, of := range x {
			inside[name] = of
		}
		inside[r.name] = at
		for n := range next {
			next[n] = r.of.eval(w, v.with(r.parameter, n), inside)
			same = same && next[n] == now[n]
		}
		if now = next; same {
			return at(r.first.value(v))
		}
	}
}

// call is a fixpoint variable with an argument: a variable, a number, or the next turn.
type call struct {
	name     string
	argument term
	isNext   bool
}

func (c call) text(isMCL bool) string {
	if c.isNext {
		return fmt.Sprintf("%s((%s + 1) mod %d)", c.name, c.argument.text(), turns)
	}
	return c.name + "(" + c.argument.text() + ")"
}

func (c call) eval(_ *world, v values, x map[string]fixpoint) set {
	n := c.argument.value(v)
	if c.isNext {
		n = (n + 1) % turns
	}
	return x[c.name](n)
}

type step struct{ act act }

func (s step) text(isMCL bool) string { return s.act.text(isMCL) }
func (s step) binds() string          { return s.act.binds() }

func (s step) before(w *world, v values, after func(values) set) set {
	var in set
	w.transitions(func(from int, label string, to int) {
		for _, bound := range s.act.match(label, v) {
			if after(bound)&(1<<to) != 0 {
				in |= 1 << from
			}
		}
	})
	return in
}

type following struct{ a, b run }

func (f following) text(isMCL bool) string {
	return "(" + f.a.text(isMCL) + " . " + f.b.text(isMCL) + ")"
}
func (f following) binds() string { return f.a.binds() + f.b.binds() }

func (f following) before(w *world, v values, after func(values) set) set {
	return f.a.before(w, v, func(v values) set { return f.b.before(w, v, after) })
}

type either struct{ a, b run }

func (e either) text(isMCL bool) string {
	sign := " + "
	if isMCL {
		sign = " | "
	}
	return "(" + e.a.text(isMCL) + sign + e.b.text(isMCL) + ")"
}

func (e either) binds() string {
	if e.a.binds() == e.b.binds() {
		return e.a.binds()
	}
	return ""
}

func (e either) before(w *world, v values, after func(values) set) set {
	return e.a.before(w, v, after) | e.b.before(w, v, after)
}

// repeated is R*, R+ or R?.
type repeated struct {
	sign string
	of   run
}

func (r repeated) text(isMCL bool) string { return "(" + r.of.text(isMCL) + ")" + r.sign }
func (r repeated) binds() string          { return "" }

func (r repeated) before(w *world, v values, after func(values) set) set {
	goal := after(v)
	again := func(s set) set { return r.of.before(w, v, func(values) set { return s }) }
	switch r.sign {
	case "?":
		return goal | again(goal)
	case "+":
		goal = again(goal)
	}
	for {
		more := goal | again(goal)
		if more == goal {
			return goal
		}
		goal = more
	}
}

// labelOf is an action with an offer: of a value, or one that binds.
type labelOf struct {
	gate  string
	value term
	bound string
	where *condition
}

func (l labelOf) text(isMCL bool) string {
	if !isMCL {
		return strings.ToLower(l.gate) + "(" + l.value.text() + ")"
	}
	where := ""
	if l.where != nil {
		where = " where " + l.where.words(true)
	}
	if l.bound != "" {
		return "{" + l.gate + " ?" + l.bound + ":nat" + where + "}"
	}
	return "{" + l.gate + " !" + l.value.text() + where + "}"
}

func (l labelOf) binds() string { return l.bound }

// withOffers writes a label such as r(1) as R !1.
var withOffers = strings.NewReplacer("(", " !", ")", "")

func (l labelOf) match(label string, v values) []values {
	var gate string
	var n int
	label = strings.ToUpper(withOffers.Replace(label))
	if _, err := fmt.Sscanf(label, "%s !%d", &gate, &n); err != nil || gate != l.gate {
		return nil
	}
	if l.bound != "" {
		v = v.with(l.bound, n)
	} else if l.value.value(v) != n {
		return nil
	}
	if l.where != nil && !l.where.holds(v) {
		return nil
	}
	return []values{v}
}

type anyAct struct{}

func (anyAct) text(bool) string                  { return "true" }
func (anyAct) binds() string                     { return "" }
func (anyAct) match(_ string, v values) []values { return []values{v} }

type notAct struct{ of act }

func (n notAct) text(isMCL bool) string {
	if isMCL {
		return "(not " + n.of.text(isMCL) + ")"
	}
	return "(!" + n.of.text(isMCL) + ")"
}
func (notAct) binds() string { return "" }

func (n notAct) match(label string, v values) []values {
	if len(n.of.match(label, v)) > 0 {
		return nil
	}
	return []values{v}
}

type orAct struct{ a, b act }

func (o orAct) text(isMCL bool) string {
	sign := " || "
	if isMCL {
		sign = " or "
	}
	return "(" + o.a.text(isMCL) + sign + o.b.text(isMCL) + ")"
}

func (o orAct) binds() string {
	if o.a.binds() == o.b.binds() {
		return o.a.binds()
	}
	return ""
}

func (o orAct) match(label string, v values) []values {
	return append(o.a.match(label, v), o.b.match(label, v)...)
}

// quantifiedAct is a quantifier in an action formula of mCRL2.
type quantifiedAct struct {
	isForall bool
	name     string
	of       act
}

func (q quantifiedAct) text(isMCL bool) string {
	if q.isForall {
		return "(forall " + q.name + ": Nat . " + q.of.text(isMCL) + ")"
	}
	return "(exists " + q.name + ": Nat . " + q.of.text(isMCL) + ")"
}
func (quantifiedAct) binds() string { return "" }

func (q quantifiedAct) match(label string, v values) []values {
	for n := range largest + 1 {
		if (len(q.of.match(label, v.with(q.name, n))) > 0) != q.isForall {
			if q.isForall {
				return nil
			}
			return []values{v}
		}
	}
	if q.isForall {
		return []values{v}
	}
	return nil
}

// drawing draws formulas.
type drawing struct {
	t     *rapid.T
	isMCL bool
	names int
}

// scope is what may occur in a formula: variables, those with which only equality is asked, and fixpoint variables,
// with whether they are under an odd number of negations.
type scope struct {
	names     []string
	onlyEqual map[string]bool
	variables []string
	isOdd     map[string]bool
}

func (s scope) with(name string, onlyEqual bool) scope {
	more := s
	more.names = append(append([]string{}, s.names...), name)
	more.onlyEqual = map[string]bool{}
	for n, is := range s.onlyEqual {
		more.onlyEqual[n] = is
	}
	more.onlyEqual[name] = onlyEqual
	return more
}

func (s scope) turned() scope {
	more := s
	more.isOdd = map[string]bool{}
	for _, name := range s.variables {
		more.isOdd[name] = !s.isOdd[name]
	}
	return more
}

func (d *drawing) below(n int) int { return rapid.IntRange(0, n-1).Draw(d.t, "choice") }

func (d *drawing) fresh() string {
	d.names++
	return fmt.Sprintf("v%d", d.names)
}

// term draws a variable or a number.
func (d *drawing) term(s scope) term {
	if len(s.names) > 0 && d.below(5) > 0 {
		name := s.names[d.below(len(s.names))]
		if !s.onlyEqual[name] && d.below(4) == 0 {
			return term{name, 1}
		}
		return term{name, 0}
	}
	return term{"", d.below(4)}
}

// condition draws a comparison that the language admits: a variable without a bound is compared for equality with
// numbers and variables of its kind.
func (d *drawing) condition(s scope) condition {
	a := d.term(s)
	b := d.term(s)
	equal := a.name != "" && s.onlyEqual[a.name] || b.name != "" && s.onlyEqual[b.name]
	ops := []string{"==", "!=", "<", "<="}
	if equal {
		ops = ops[:2]
	}
	c := condition{ops[d.below(len(ops))], a, b}
	if equal && (a.name != "" && !s.onlyEqual[a.name] || b.name != "" && !s.onlyEqual[b.name]) {
		c.b = term{"", d.below(4)}
		if !s.onlyEqual[a.name] {
			c.a = b
		}
	}
	return c
}

func (d *drawing) act(depth int, s scope) act {
	gate := []string{"A", "B"}[d.below(2)]
	choice := d.below(8)
	switch {
	case choice == 0:
		return anyAct{}
	case choice == 1 && depth > 0:
		return notAct{d.act(depth-1, s)}
	case choice == 2 && depth > 0:
		return orAct{d.act(depth-1, s), d.act(depth-1, s)}
	case choice == 3 && depth > 0 && !d.isMCL:
		name := d.fresh()
		return quantifiedAct{d.below(2) == 0, name, d.act(depth-1, s.with(name, true))}
	case choice == 4 && d.isMCL:
		return anyOffers{gate, []string{"?any", "...", "?any ..."}[d.below(3)]}
	case choice < 6 && d.isMCL:
		l := labelOf{gate: gate, bound: []string{"x", "y"}[d.below(2)]}
		if d.below(3) == 0 {
			c := d.condition(s.with(l.bound, false))
			l.where = &c
		}
		return l
	}
	return labelOf{gate: gate, value: d.term(s)}
}

// run draws an expression and what is visible behind it.
func (d *drawing) run(depth int, s scope) (run, scope) {
	if depth == 0 {
		return d.step(s)
	}
	switch d.below(7) {
	case 0, 1:
		a, behind := d.run(depth-1, s)
		b, end := d.run(depth-1, behind)
		return following{a, b}, end
	case 2:
		a, _ := d.run(depth-1, s)
		b, _ := d.run(depth-1, s)
		e := either{a, b}
		return e, d.behind(e, s)
	case 3, 4:
		of, _ := d.run(depth-1, s)
		r := repeated{[]string{"*", "+", "?"}[d.below(3)], of}
		return r, d.without(of, s)
	case 5:
		if d.isMCL {
			of, _ := d.run(depth-1, s)
			return d.numberOfTimes(of), d.without(of, s)
		}
	}
	return d.step(s)
}

func (d *drawing) step(s scope) (run, scope) {
	r := step{d.act(2, s)}
	return r, d.behind(r, s)
}

// behind returns the scope behind an expression: without x and y if it may bind them out of reach.
func (d *drawing) behind(r run, s scope) scope {
	s = d.without(r, s)
	for _, name := range []string{"x", "y"} {
		if strings.Contains(r.binds(), name) {
			s = s.with(name, false)
		}
	}
	return s
}

func (d *drawing) without(r run, s scope) scope {
	more := s
	more.names = nil
	for _, name := range s.names {
		if !strings.Contains(r.text(d.isMCL), "?"+name+":") {
			more.names = append(more.names, name)
		}
	}
	return more
}

func (d *drawing) formula(depth int, s scope) formula {
	if depth == 0 {
		return d.leaf(s)
	}
	switch d.below(12) {
	case 0, 1:
		op := []string{"and", "or"}[d.below(2)]
		return joined{op, d.formula(depth-1, s), d.formula(depth-1, s)}
	case 2:
		return joined{"implies", d.formula(depth-1, s.turned()), d.formula(depth-1, s)}
	case 3:
		return negation{d.formula(depth-1, s.turned())}
	case 4:
		return joined{"equ", d.formula(max(depth-2, 0), scope{names: s.names, onlyEqual: s.onlyEqual}), d.leaf(scope{names: s.names, onlyEqual: s.onlyEqual})}
	case 5, 6:
		if d.names > 3 {
			return d.leaf(s)
		}
		q := quantifier{isForall: d.below(2) == 0, name: d.fresh(), most: d.below(4) - 1}
		q.of = d.formula(depth-1, s.with(q.name, q.most < 0))
		return q
	case 7:
		if d.names > 3 {
			return d.leaf(s)
		}
		r := recursion{isNu: d.below(2) == 0, name: fmt.Sprintf("X%d", len(s.variables)), parameter: d.fresh(), first: term{"", d.below(turns)}}
		inside := s.with(r.parameter, false)
		inside.variables = append(append([]string{}, s.variables...), r.name)
		r.of = d.formula(depth-1, inside)
		return r
	case 8, 9:
		if d.isMCL {
			return d.ofMCL(depth, s)
		}
	}
	r, behind := d.run(2, s)
	return modality{d.below(2) == 0, r, d.formula(depth-1, behind)}
}

func (d *drawing) leaf(s scope) formula {
	var bounded []string
	for _, name := range s.names {
		if !s.onlyEqual[name] {
			bounded = append(bounded, name)
		}
	}
	choice := d.below(6)
	switch {
	case choice < 3 && len(s.variables) > 0:
		name := s.variables[d.below(len(s.variables))]
		if s.isOdd[name] {
			break
		}
		c := call{name: name, argument: term{"", d.below(turns)}}
		if len(bounded) > 0 {
			c.argument = term{bounded[d.below(len(bounded))], 0}
			c.isNext = d.below(3) > 0
		}
		return c
	case choice < 4 && len(s.names) > 0:
		return d.condition(s)
	case choice == 4:
		return constant(d.below(2) == 0)
	}
	return modality{d.below(2) == 0, step{d.act(1, s)}, constant(d.below(2) == 0)}
}

// modelWithData draws a model whose labels have offers of MCL or arguments of mCRL2.
func modelWithData(t *rapid.T, isMCL bool) *lts.LTS {
	n := rapid.IntRange(1, 4).Draw(t, "states")
	var b lts.Builder
	for range rapid.IntRange(0, 2*n).Draw(t, "transitions") {
		from := lts.State(rapid.IntRange(0, n-1).Draw(t, "from"))
		gate := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "gate")
		of := rapid.IntRange(0, 2).Draw(t, "of")
		label := fmt.Sprintf("%s(%d)", gate, of)
		if isMCL {
			label = fmt.Sprintf("%s !%d", strings.ToUpper(gate), of)
		}
		b.Add(from, b.Label(label), lts.State(rapid.IntRange(0, n-1).Draw(t, "to")))
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestData compares the verdicts on formulas with data with an evaluation that has the values of variables at hand.
func TestData(t *testing.T) {
	verdicts := map[bool]int{}
	refused := map[string]int{}
	ofRuns := map[bool]int{}
	for range randomlts.Share(200) {
		rapid.Check(t, func(t *rapid.T) {
			d := &drawing{t: t, isMCL: rapid.Bool().Draw(t, "MCL")}
			f := d.formula(1+d.below(4), scope{})
			m := modelWithData(t, d.isMCL)
			text := f.text(d.isMCL)
			s, err := solveData(m, "[nil] ("+text+")")
			if err != nil {
				reason, _, _ := strings.Cut(err.Error(), "(column")
				refused[reason]++
				t.Skip(text)
			}
			holds := f.eval(&world{m}, values{}, nil)&1 != 0
			if holds != (len(s.Good) == 1) || holds != (len(s.Bad) == 0) {
				t.Fatalf("%s on %v: %t", text, m, holds)
			}
			verdicts[holds]++
			wins(t, s, text)
			if onRuns(t, m, "[nil] ("+text+")", holds) {
				ofRuns[holds]++
			}
		})
	}
	t.Log(verdicts, ofRuns, refused)
	if randomlts.Whole() && (verdicts[true] < 5000 || verdicts[false] < 5000) {
		t.Errorf("too little was met: %v, %v", verdicts, refused)
	}
}

// TestOffersOfZero: a constant matches an offer with the same text, and a variable or an operator one with the same value.
func TestOffersOfZero(t *testing.T) {
	const model = "des (0,4,4)\n(0,\"PUT !0\",1)\n(1,\"PUT !-0\",2)\n(2,\"PUT !00\",3)\n(3,\"PUT !1\",0)\n"
	m, _, err := aut.Read(context.Background(), strings.NewReader(model), aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		`<{PUT !0} . {PUT !0}> true`:                                                 false,
		`<{PUT !0} . {PUT !-0}> true`:                                                true,
		`<{PUT !0} . {PUT !(1 - 1)}> true`:                                           true,
		`<{PUT ?n:int} . {PUT !n} . {PUT !n}> true`:                                  true,
		`<{PUT ?n:int} . {PUT !n} . {PUT !n} . {PUT !n}> true`:                       false,
		`<{PUT ?n:int} . {PUT ?m:int where m = n} . {PUT !(n + m)} . {PUT !1}> true`: true,
		`<{PUT ?n:nat} . {PUT ?m:nat}> true`:                                         false, // a sign is no digit
	} {
		s, err := solveData(m, "[nil] ("+text+")")
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := len(s.Good) == 1; got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
}

// TestComputedArguments: an argument of an action of mCRL2 that has no variable, and is computed, means the label with its
// value. Other texts are those of labels.
func TestComputedArguments(t *testing.T) {
	const model = "des (0,5,1)\n(0,\"r(0)\",0)\n(0,\"r(2)\",0)\n(0,\"r(-1)\",0)\n(0,\"r(1/2)\",0)\n(0,\"s(true,3)\",0)\n"
	m, _, err := aut.Read(context.Background(), strings.NewReader(model), aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	isRefuted := func(text string) bool {
		s, err := solveData(m, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return !s.Holds(s.Formula.Root(), 0)
	}
	for text, want := range map[string]bool{
		`<r(-1)> true`:                         true,
		`<r(1/2)> true`:                        true,
		`<s(!false, max(2, 3))> true`:          true,
		`<s(1 < 1, 3)> true`:                   false,
		`<s(if(0 == 0, true, false), 3)> true`: true,
		`<!(r(1 + 1)) && r(1 + 1)> true`:       false,
		`[s(true || false, 1 + 2)] false`:      false,
	} {
		if got := !isRefuted(text); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.IntRange(0, 3).Draw(t, "a")
		b := rapid.IntRange(1, 3).Draw(t, "b")
		sign := rapid.SampledFrom([]string{"+", "-", "*", "div", "mod"}).Draw(t, "sign")
		value := map[string]int{"+": a + b, "-": a - b, "*": a * b, "div": a / b, "mod": a % b}[sign]
		want := value == 0 || value == 2 || value == -1
		text := fmt.Sprintf("<r(%d %s %d)> true", a, sign, b)
		if got := !isRefuted(text); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	})
}

// onRuns checks a formula that is a property of all runs, or the negation of one, against its verdict. It
// reports whether the formula is that.
func onRuns(t *rapid.T, m *lts.LTS, text string, holds bool) bool {
	ctx := context.Background()
	f, err := modal.Parse(ctx, text)
	var other *modal.OtherwiseError
	if errors.As(err, &other) {
		f = other.Dual()
		holds = !holds
	}
	if f == nil {
		return false
	}
	e, err := explain.Check(ctx, m, f, explain.Options{})
	var notOfRuns *actl.SyntaxError
	if errors.As(err, &notOfRuns) && notOfRuns.Expected == "a formula about all runs" {
		return false
	}
	if err != nil && strings.Contains(err.Error(), "the automaton of the formula is too large") {
		return false // few formulas with data are
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if holds != (e.Verdict == explain.Satisfied) {
		t.Fatalf("%s on %v: %v", text, m, e.Verdict)
	}
	return true
}

func solveData(m *lts.LTS, text string) (*parity.Solution, error) {
	ctx := context.Background()
	w, err := modal.Read(ctx, text)
	if err != nil {
		return nil, err
	}
	f, _, err := w.Graph(ctx, m.Alphabet())
	if err != nil {
		return nil, err
	}
	means, _, err := f.Bind(ctx, m.Alphabet())
	if err != nil {
		return nil, err
	}
	if err := m.FindPredecessors(ctx); err != nil {
		return nil, err
	}
	return parity.Solve(ctx, m, f, means, []lts.State{m.Initial()})
}

// TestFixpointsAreNoConstants: the name of a fixpoint behind a condition is a formula, and no constant of the labels.
func TestFixpointsAreNoConstants(t *testing.T) {
	m, _, err := aut.Read(context.Background(), strings.NewReader("des (0, 2, 1)\n(0, a, 0)\n(0, \"G !1\", 0)\n"), aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		`mu X . ((1 < 3) implies X)`:                           false,
		`nu X . ((1 < 3) implies X)`:                           true,
		`mu X . ((1 < 3) and X)`:                               false,
		`mu X . ((3 < 1) implies X)`:                           true,
		`< {G !(0 + 1)} > true`:                                true,
		`< {G !3 - 1} > true`:                                  false,
		`< {G !2 * 1 ...} > true`:                              false,
		`forall n:nat among {0 ... 1} . mu X . ((n < 3) or X)`: true,
	} {
		s, err := solveData(m, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := s.Holds(s.Formula.Root(), 0); got != want {
			t.Errorf("%s is %t", text, got)
		}
	}
}

// TestFixpointsThatNeverRecur: where the fixpoints of one kind are unfolded between those of the other kind only, there is
// an argument, too.
func TestFixpointsThatNeverRecur(t *testing.T) {
	m, _, err := aut.Read(context.Background(), strings.NewReader("des (0, 2, 1)\n(0, a, 0)\n(0, \"G !1\", 0)\n"), aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		`nu X (n:nat := 0) . ([ true ] X (n) and (mu Y (m:nat := n) . X (m)))`,
		`nu X (n:nat := 0) . ([ true ] X (1) and (mu Y (k:nat := 3) . X (1)))`,
		`mu X (n:nat := 0) . (< true > X (n) or (nu Y (m:nat := n) . X (m)))`,
	} {
		s, err := solveData(m, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		_, err = s.Argue(context.Background(), 0)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
