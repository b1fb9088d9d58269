package tlaplus

import (
	"slices"

	"github.com/inev-lts/inev/internal/property/values"
)

// nextStates enumerates, as TLC does, the next states for which an action is a step. It evaluates
// conjuncts from left to right; the first conjunct about a primed variable chooses the values of this
// variable. It calls then for each next state until a call returns true, and reports whether one did.
type nextStates func(m *machine, e *env, then func() bool) bool

// unchosen ends a search for next states in which a primed variable is read before it has a value.
// TLC fails there, too.
type unchosen struct{}

// enabled reports whether an action is enabled in the present state: whether a transition of the graph
// is a step of the action or, since the graph may lack steps, whether some next state makes the action
// true.
func (m *machine) enabled(x *expression, p *compiled, w nextStates, e *env) (found bool) {
	if m.mode == 1 {
		fail(x.at, "%s is asked of the next state, whose steps are not known", x.text())
	}
	madeIn := m.moment
	depth := m.depth
	waiting := m.waiting
	stack := len(m.stack)
	defer func() {
		m.moment = madeIn
		m.depth = depth
		m.waiting = waiting
		m.stack = m.stack[:stack]
		m.beginEpoch()
		switch wrong := recover(); wrong.(type) {
		case nil:
		case unchosen:
			found = false
		default:
			panic(wrong)
		}
	}()
	if m.steps != nil {
		m.chosen = nil
		m.steps(func(next []values.Value) bool {
			m.next = next
			m.beginEpoch()
			found = m.bool(x.args[0], p.run(m, e))
			return !found
		})
	}
	if found {
		return true
	}
	m.next = make([]values.Value, len(m.now))
	m.chosen = make([]bool, len(m.now))
	m.beginEpoch()
	return w(m, e, func() bool { return true })
}

// choose gives a variable a next value, and returns the result of then with this value.
func (m *machine) choose(n int, v values.Value, then func() bool) bool {
	m.work()
	m.chosen[n] = true
	m.next[n] = v
	m.beginEpoch()
	enough := then()
	m.chosen[n] = false
	m.beginEpoch()
	return enough
}

// nextOfAll enumerates the next states of a conjunction, and nextOfAny those of a disjunction.
func nextOfAll(x *expression, each []nextStates) nextStates {
	return func(m *machine, e *env, then func() bool) bool {
		var from func(i int) bool
		from = func(i int) bool {
			if i == len(each) {
				return then()
			}
			// Each conjunct waits for those after it.
			m.wait(x, heightOfConjunct)
			enough := each[i](m, e, func() bool { return from(i + 1) })
			m.waiting -= heightOfConjunct
			return enough
		}
		return from(0)
	}
}

// heightOfConjunct is the number of operations of a conjunct that stay nested while the conjuncts after
// it are evaluated.
const heightOfConjunct = 4

func nextOfAny(each []nextStates) nextStates {
	return func(m *machine, e *env, then func() bool) bool {
		return slices.ContainsFunc(each, func(w nextStates) bool {
			return w(m, e, then)
		})
	}
}

// nextStates compiles the enumeration of the next states that make an
// expression true.
func (s *scope) nextStates(x *expression) nextStates {
	c := s.compile(x)
	evaluated := func(m *machine, e *env, then func() bool) bool {
		return m.bool(x, c.run(m, e)) && then()
	}
	// An expression that is not an action depends on no next state, and is just evaluated.
	isAction := c.level >= Action || c.open
	if !isAction {
		return evaluated
	}
	enumerated := s.enumeratedNext(x, evaluated)
	if enumerated == nil {
		return evaluated
	}
	return enumerated
}

// enumeratedNext compiles the enumeration for an action whose form shows which next states can make it true.
// It returns nil for any other action, which can only be evaluated once the next state is known. If a
// variable that the action assigns already has its next value, the enumeration is fallback, which evaluates.
func (s *scope) enumeratedNext(x *expression, fallback nextStates) nextStates {
	if x.kind == junction || s.isOfLanguage(x) {
		next := s.nextOfOperator(x, fallback)
		if next != nil {
			return next
		}
	}
	switch x.kind {
	case exists, forAll:
		if x.bounds[0].set == nil {
			return nil
		}
		return s.quantifiedNext(x)
	case ifThen:
		return s.conditionalNext(x)
	case let:
		inner, locals := s.compileLet(x)
		next := inner.nextStates(x.args[0])
		return func(m *machine, e *env, then func() bool) bool {
			return next(m, locals(e), then)
		}
	case angle:
		return nextOfAll(x, []nextStates{s.nextStates(x.args[0]), s.change(x.args[1])})
	case square:
		return nextOfAny([]nextStates{s.nextStates(x.args[0]), s.enumerateUnchanged(x.args[1])})
	case selected, apply:
		return s.enumerateDefinition(x, (*body).search)
	}
	return nil
}

// nextOfOperator compiles the enumeration for an operator of the language that assigns to variables or combines
// such actions; nil for any other operator.
func (s *scope) nextOfOperator(x *expression, fallback nextStates) nextStates {
	switch x.name {
	case `/\`:
		return nextOfAll(x, s.eachNext(x.args))
	case `\/`:
		return nextOfAny(s.eachNext(x.args))
	case "UNCHANGED":
		return s.enumerateUnchanged(x.args[0])
	case "=", `\in`:
		return s.enumerateChoice(x, fallback)
	}
	return nil
}

// conditionalNext enumerates the next states of IF … THEN … ELSE.
func (s *scope) conditionalNext(x *expression) nextStates {
	condition := s.compile(x.args[0])
	branches := s.eachNext(x.args[1:])
	return func(m *machine, e *env, then func() bool) bool {
		if m.bool(x.args[0], condition.run(m, e)) {
			return branches[0](m, e, then)
		}
		return branches[1](m, e, then)
	}
}

// change accepts the next state if the expression changes in the step.
func (s *scope) change(x *expression) nextStates {
	stays := s.unchanged(x)
	return func(m *machine, e *env, then func() bool) bool {
		return !stays(m, e) && then()
	}
}

// eachNext compiles the enumeration of the next states of each expression.
func (s *scope) eachNext(all []*expression) []nextStates {
	var made []nextStates
	for _, x := range all {
		made = append(made, s.nextStates(x))
	}
	return made
}

// quantifiedNext compiles the enumeration of the next states that make a quantified expression
// true. For \E it enumerates the next states for one value after another, and for \A the next
// states that make the expression true for all values.
func (s *scope) quantifiedNext(x *expression) nextStates {
	inner, ranges := s.bounds(x.bounds, &compiled{}, false)
	next := inner.nextStates(x.args[0])
	if x.kind == exists {
		return func(m *machine, e *env, then func() bool) bool {
			enough := false
			ranges(m, e, func(environment *env) bool {
				enough = next(m, environment, then)
				return !enough
			})
			return enough
		}
	}
	return func(m *machine, e *env, then func() bool) bool {
		var all []nextStates
		ranges(m, e, func(environment *env) bool {
			all = append(all, func(m *machine, _ *env, then func() bool) bool {
				return next(m, environment, then)
			})
			return true
		})
		return nextOfAll(x, all)(m, e, then)
	}
}

// enumerateDefinition returns the enumeration for the definition that x applies; nil if x does not apply a
// definition.
func (s *scope) enumerateDefinition(x *expression, nextStatesOf func(*body) nextStates) nextStates {
	used := s.definedUse(x)
	b := used.body
	if b == nil || b.definition.over != nil {
		return nil
	}
	_, frame := s.argumentBinder(x, used)
	return func(m *machine, e *env, then func() bool) bool {
		m.enter(x, b.height)
		defer m.leave(b.height)
		return nextStatesOf(b)(m, frame(e), then)
	}
}

// search returns the enumeration of a definition.
func (b *body) search() nextStates {
	if b.nextStates == nil {
		b.nextStates = b.scope.nextStates(b.definition.read())
	}
	return b.nextStates
}

// enumerateChoice compiles x' = e and x' \in S. In a conjunction, the first conjunct of this form chooses the
// next values of x.
func (s *scope) enumerateChoice(x *expression, fallback nextStates) nextStates {
	left := x.args[0]
	if left.kind != apply || left.name != "'" {
		return fallback
	}
	n := s.variable(left.args[0])
	if n < 0 {
		return fallback
	}
	right := s.compile(x.args[1])
	return func(m *machine, e *env, then func() bool) bool {
		if m.chosen == nil || m.chosen[n] {
			return fallback(m, e, then)
		}
		r := right.run(m, e)
		if x.name == "=" {
			return m.choose(n, m.value(x.args[1], r), then)
		}
		return slices.ContainsFunc(m.members(x.args[1], r), func(v values.Value) bool {
			return m.choose(n, v, then)
		})
	}
}

// enumerateUnchanged compiles UNCHANGED.
func (s *scope) enumerateUnchanged(x *expression) nextStates {
	n := s.variable(x)
	switch {
	case n >= 0:
		return func(m *machine, e *env, then func() bool) bool {
			if m.chosen == nil || m.chosen[n] {
				return m.equal(x, of(m.now[n]), of(m.next[n])) && then()
			}
			return m.choose(n, m.now[n], then)
		}
	case x.kind == tuple:
		var all []nextStates
		for _, a := range x.args {
			all = append(all, s.enumerateUnchanged(a))
		}
		return nextOfAll(x, all)
	case x.kind == apply || x.kind == selected:
		w := s.enumerateDefinition(x, func(b *body) nextStates {
			return b.scope.enumerateUnchanged(b.definition.read())
		})
		if w != nil {
			return w
		}
	}
	stays := s.unchanged(x)
	return func(m *machine, e *env, then func() bool) bool {
		return stays(m, e) && then()
	}
}

// variable returns the number of the variable that an expression names, perhaps through an instance; -1
// if it names no variable.
func (s *scope) variable(x *expression) int {
	if x.kind != apply || len(x.args) > 0 || s.bound(x.name) != nil {
		return -1
	}
	w := s.world
	e, replaced := w.substitutions[x.name]
	switch {
	case replaced:
		return w.outer.variable(e)
	case !s.from.isVariable(x.name):
		return -1
	case !w.root:
		return w.outer.variable(x)
	}
	return slices.Index(w.s.variables, x.name)
}
