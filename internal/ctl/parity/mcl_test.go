package parity_test

import "fmt"

// What MCL has beside the language of mCRL2, as its manual page mcl4 defines it: let, if, numbers of times, endless
// repetition, and offers that bind nothing.

// letting is let x:nat := E in F end let.
type letting struct {
	name  string
	value term
	of    formula
}

func (l letting) text(isMCL bool) string {
	return fmt.Sprintf("(let %s:nat := %s in %s end let)", l.name, l.value.text(), l.of.text(isMCL))
}

func (l letting) eval(w *world, v values, x map[string]fixpoint) set {
	return l.of.eval(w, v.with(l.name, l.value.value(v)), x)
}

// choosing is if C then F else G end if.
type choosing struct {
	condition condition
	a, b      formula
}

func (c choosing) text(isMCL bool) string {
	return fmt.Sprintf("(if %s then %s else %s end if)", c.condition.words(true), c.a.text(isMCL), c.b.text(isMCL))
}

func (c choosing) eval(w *world, v values, x map[string]fixpoint) set {
	if c.condition.holds(v) {
		return c.a.eval(w, v, x)
	}
	return c.b.eval(w, v, x)
}

// endless is < R > @, or [ R ] -|, which is its negation.
type endless struct {
	isBox bool
	run   run
}

func (e endless) text(isMCL bool) string {
	if e.isBox {
		return "[" + e.run.text(isMCL) + "] -|"
	}
	return "<" + e.run.text(isMCL) + "> @"
}

func (e endless) eval(w *world, v values, _ map[string]fixpoint) set {
	repeating := w.all()
	for {
		next := e.run.before(w, v, func(values) set { return repeating })
		if next == repeating {
			break
		}
		repeating = next
	}
	if e.isBox {
		return w.all() &^ repeating
	}
	return repeating
}

// times is R {n}, R {n ... m}, or R {n ...} if most is -1.
type times struct {
	least, most int
	of          run
}

func (t times) text(isMCL bool) string {
	text := "(" + t.of.text(isMCL) + ")"
	switch {
	case t.most < 0:
		return fmt.Sprintf("%s {%d ...}", text, t.least)
	case t.most == t.least:
		return fmt.Sprintf("%s {%d}", text, t.least)
	}
	return fmt.Sprintf("%s {%d ... %d}", text, t.least, t.most)
}

func (t times) binds() string { return "" }

func (t times) before(w *world, v values, after func(values) set) set {
	once := func(goal set) set { return t.of.before(w, v, func(values) set { return goal }) }
	goal := after(v)
	all := goal // after the least number of rounds, any further ones
	for round := t.least; t.most < 0 || round < t.most; round++ {
		more := goal | once(all)
		if more == all {
			break
		}
		all = more
	}
	for range t.least {
		all = once(all)
	}
	return all
}

// anyOffers is {GATE ?any} or {GATE ...}.
type anyOffers struct{ gate, offers string }

func (a anyOffers) text(bool) string { return "{" + a.gate + " " + a.offers + "}" }
func (anyOffers) binds() string      { return "" }

func (a anyOffers) match(label string, v values) []values {
	if label[:1] != a.gate {
		return nil
	}
	return []values{v}
}

// ofMCL draws a formula that only MCL has.
func (d *drawing) ofMCL(depth int, s scope) formula {
	switch d.below(3) {
	case 0:
		l := letting{name: d.fresh(), value: d.term(s)}
		l.of = d.formula(depth-1, s.with(l.name, s.onlyEqual[l.value.name]))
		return l
	case 1:
		return choosing{d.condition(s), d.formula(depth-1, s), d.formula(depth-1, s)}
	}
	r, _ := d.run(1, s)
	return endless{d.below(2) == 0, r}
}

// numberOfTimes draws a number of times for an expression.
func (d *drawing) numberOfTimes(of run) times {
	t := times{least: d.below(3), of: of}
	t.most = t.least + d.below(4) - 1
	if t.most < t.least {
		t.most = -1
	}
	return t
}
