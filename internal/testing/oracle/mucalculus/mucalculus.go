// Package mucalculus evaluates formulas of the mu-calculus as they are written, in MCL or in the
// notation of mCRL2, over small models. Tests compare the readers and writers of such formulas with
// it. It shares no code with these. A fixpoint is iterated until nothing changes, and a regular
// expression is evaluated as the relation that it denotes.
package mucalculus

import (
	"fmt"
	"strings"

	"github.com/inev-lts/inev/lts"
)

// states is a set of states of a small model.
type states uint32

// has reports whether a state is in the set.
func (s states) has(state lts.State) bool { return s>>state&1 != 0 }

// modal evaluates formulas of the mu-calculus, with regular expressions in
// modalities, as they are written: in the notation of mCRL2, or in MCL.
type modal struct {
	m    *lts.LTS
	text string
	pos  int
	env  map[string]states
	// chosen are the steps that a strategy chooses; nil for a plain evaluation. isChoosing is set while
	// steps are taken in a modality where only these count.
	chosen     *Chosen
	isChoosing bool
}

// Chosen are the steps that a strategy chooses for a formula.
type Chosen struct {
	// Variable is the variable of the fixpoint that the strategy is for. The strategy chooses steps
	// to formulas that mention this variable.
	Variable string
	// Diamonds is set for a strategy that shows the formula, and chooses among the steps of
	// diamonds. A strategy that refutes the formula chooses among the steps of boxes.
	Diamonds bool
	// Step reports whether a transition is chosen.
	Step func(from lts.State, label string, to lts.State) bool
}

func (e *modal) all() states { return 1<<e.m.NumStates() - 1 }

// next skips blanks and consumes one of the tokens, the first that matches.
func (e *modal) next(tokens ...string) string {
	e.text, e.pos = strings.TrimLeft(e.text[e.pos:], " "), 0
	for _, token := range tokens {
		if strings.HasPrefix(e.text, token) {
			e.pos = len(token)
			return token
		}
	}
	return ""
}

func (e *modal) want(token string) {
	if e.next(token) == "" {
		panic("expected " + token + " before " + e.text)
	}
}

// formula evaluates a disjunction of conjunctions.
func (e *modal) formula() states {
	s := e.conjunction()
	for e.next("||", "or ") != "" {
		s |= e.conjunction()
	}
	return s
}

func (e *modal) conjunction() states {
	s := e.operand()
	for e.next("&&", "and ") != "" {
		s &= e.operand()
	}
	return s
}

// operand reads a formula without binary operators, and returns the states where it holds.
func (e *modal) operand() states {
	switch operator := e.next("(", "[", "<", "mu ", "nu ", "true", "false", "not ",
		"!"); operator {
	case "(":
		s := e.formula()
		e.want(")")
		return s
	case "[":
		r := e.expression()
		e.want("]")
		after, text := e.consumed()
		return e.box(e.choosing(r, text, false), after)
	case "<":
		r := e.expression()
		e.want(">")
		after, text := e.consumed()
		return e.all() &^ e.box(e.choosing(r, text, true), e.all()&^after)
	case "mu ":
		return e.fixpoint(0)
	case "nu ":
		return e.fixpoint(e.all())
	case "true":
		return e.all()
	case "false":
		return 0
	case "not ", "!":
		return e.all() &^ e.operand()
	}
	name := e.variable()
	s, isBound := e.env[name]
	if !isBound {
		panic("unbound " + name)
	}
	return s
}

// fixpoint reads a fixpoint formula after its operator, and iterates from the given states. Each round of the
// iteration reads the formula again.
func (e *modal) fixpoint(from states) states {
	name := e.variable()
	e.want(".")
	body := e.text
	pos := e.pos
	outer, isShadowing := e.env[name]
	for s := from; ; {
		e.text = body
		e.pos = pos
		e.env[name] = s
		after := e.operand()
		if after != s {
			s = after
			continue
		}
		delete(e.env, name)
		if isShadowing {
			e.env[name] = outer
		}
		return s
	}
}

// consumed evaluates an operand, and returns its text, too.
func (e *modal) consumed() (states, string) {
	before := e.text[e.pos:]
	s := e.operand()
	return s, before[:len(before)-len(e.text[e.pos:])]
}

// choosing returns the relation of a modality with an operand, in which only chosen steps count if the strategy
// chooses there.
func (e *modal) choosing(r relation, operand string, isDiamond bool) relation {
	c := e.chosen
	if c == nil || c.Diamonds != isDiamond || !strings.Contains(operand, c.Variable) {
		return r
	}
	return func(s states) states {
		e.isChoosing = true
		defer func() { e.isChoosing = false }()
		return r(s)
	}
}

func (e *modal) variable() string {
	e.next()
	end := strings.IndexFunc(e.text, func(r rune) bool {
		return !strings.ContainsRune("XY0123456789", r)
	})
	if end <= 0 {
		panic("no variable: " + e.text)
	}
	e.pos = end
	return e.text[:end]
}

// box returns the states from which r leads to states of s only.
func (e *modal) box(r relation, s states) states {
	var in states
	for i := range e.m.NumStates() {
		if r(1<<i)&^s == 0 {
			in |= 1 << i
		}
	}
	return in
}

// relation maps a set of states to the states that lead into it, an action says
// whether a label matches.
type (
	relation func(states) states
	action   func(label string) bool
)

// expression reads alternatives of sequences.
func (e *modal) expression() relation {
	r := e.sequence()
	for e.next("+", "| ") != "" {
		a := r
		b := e.sequence()
		r = func(s states) states { return a(s) | b(s) }
	}
	return r
}

func (e *modal) sequence() relation {
	r := e.starred()
	for e.next(".") != "" {
		a := r
		b := e.starred()
		r = func(s states) states { return b(a(s)) }
	}
	return r
}

// starred reads a primary expression, which a star repeats any number of times and a question mark at most once.
func (e *modal) starred() relation {
	r := e.primary()
	switch e.next("*", "?") {
	case "?":
		return func(s states) states { return s | r(s) }
	case "*":
		return func(s states) states {
			for {
				after := s | r(s)
				if after == s {
					return s
				}
				s = after
			}
		}
	}
	return r
}

// primary reads an action formula, or otherwise an expression in parentheses.
func (e *modal) primary() relation {
	text := e.text
	pos := e.pos
	isAction, ok := e.try()
	if ok {
		return e.stepBy(isAction)
	}
	e.text = text
	e.pos = pos
	e.want("(")
	r := e.expression()
	e.want(")")
	return r
}

// stepBy returns the relation of the transitions whose labels satisfy an action formula.
func (e *modal) stepBy(isAction func(label string) bool) relation {
	return func(s states) states {
		var to states
		for i := range e.m.NumStates() {
			if !s.has(lts.State(i)) {
				continue
			}
			labels, targets := e.m.Out(lts.State(i))
			for j := range labels.Len() {
				label := e.m.Alphabet().Text(labels.At(j))
				mayChoose := !e.isChoosing || e.chosen.Step(lts.State(i), label, targets[j])
				if mayChoose && isAction(label) {
					to |= 1 << targets[j]
				}
			}
		}
		return to
	}
}

func (e *modal) try() (a action, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	a = e.action()
	return a, true
}

// action reads action formulas with conjunctions and disjunctions between them, from left to right.
func (e *modal) action() action {
	a := e.literal()
	for {
		left := a
		switch e.next("&&", "and ", "||", "or ") {
		case "&&", "and ":
			right := e.literal()
			a = func(l string) bool { return left(l) && right(l) }
		case "||", "or ":
			right := e.literal()
			a = func(l string) bool { return left(l) || right(l) }
		default:
			return a
		}
	}
}

// literal reads an action formula without a binary operator from the beginning of the remaining
// text.
func (e *modal) literal() action {
	switch e.next("!", "not ", "(", "true", "false", `"`, "'") {
	case "!", "not ":
		a := e.literal()
		return func(l string) bool { return !a(l) }
	case "(":
		a := e.action()
		e.want(")")
		return a
	case "true":
		return func(string) bool { return true }
	case "false":
		return func(string) bool { return false }
	case `"`:
		return e.named('"')
	case "'":
		// This is a name with offers or arguments, which no label here has.
		e.named('\'')
		return func(string) bool { return false }
	}
	end := strings.IndexFunc(e.text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	if end <= 0 {
		panic("no action: " + e.text)
	}
	name := e.text[:end]
	e.pos = end
	return func(l string) bool { return l == name }
}

// named reads the rest of a quoted text.
func (e *modal) named(quote byte) action {
	start := e.pos
	end := start + strings.IndexByte(e.text[start:], quote)
	e.pos = end + 1
	name := e.text[start:end]
	return func(l string) bool { return l == name }
}

// Holds evaluates a formula in the initial state of a model of at most 32 states.
// It panics if it cannot read the formula.
func Holds(m *lts.LTS, text string) (bool, error) { return HoldsWith(m, text, nil) }

// HoldsIn is [Holds] for a part of a fixpoint in which the variable of the fixpoint is free: it stands
// for the states that satisfy the fixpoint.
func HoldsIn(m *lts.LTS, part, variable, fixpoint string) (bool, error) {
	whole := &modal{m: m, text: fixpoint, env: map[string]states{}}
	e := &modal{m: m, text: part, env: map[string]states{variable: whole.formula()}}
	s := e.formula()
	rest := strings.TrimSpace(e.text[e.pos:])
	if rest != "" {
		return false, fmt.Errorf("%s: not read: %s", part, rest)
	}
	return s.has(m.Initial()), nil
}

// HoldsWith is [Holds] under a strategy: in the modalities in which the strategy chooses, only its
// steps count.
func HoldsWith(m *lts.LTS, text string, chosen *Chosen) (bool, error) {
	e := &modal{
		m:      m,
		text:   text,
		env:    map[string]states{},
		chosen: chosen,
	}
	s := e.formula()
	rest := strings.TrimSpace(e.text[e.pos:])
	if rest != "" {
		return false, fmt.Errorf("%s: not read: %s", text, rest)
	}
	return s.has(m.Initial()), nil
}
