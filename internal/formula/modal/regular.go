package modal

import (
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/formula/temporal"
)

// choice reads a regular expression.
func (p *parser) choice() *regular {
	defer p.deeper()()
	return p.joined(choice, p.sequence, "|", "+")
}

func (p *parser) sequence() *regular { return p.joined(sequence, p.repeated, ".") }

// joined reads expressions that are joined by a binary operator, which associates to the left.
func (p *parser) joined(shape shape, operand func() *regular, signs ...string) *regular {
	numOuter := len(p.visible)
	r := operand()
	for p.next().is(signs...) {
		t := p.take()
		if shape == choice {
			p.onBothSides(numOuter, func() {
				r = &regular{
					shape: shape,
					at:    t,
					parts: []*regular{r, operand()},
				}
			})
			continue
		}
		r = &regular{shape: shape, at: t, parts: []*regular{r, operand()}}
	}
	return r
}

// onBothSides reads the second operand of a choice. After the choice, only the variables that both
// operands bind are visible; the names of the other variables are out of scope.
func (p *parser) onBothSides(numOuter int, operand func()) {
	leftNames := slices.Clone(p.visible[numOuter:])
	p.visible = slices.Clone(p.visible[:numOuter])
	operand()
	right := slices.Clone(p.visible[numOuter:])
	p.hide(numOuter)
	for _, v := range slices.Concat(leftNames, right) {
		isKnown := lastNamed(p.visible[numOuter:], v.name) != nil
		if isKnown {
			continue
		}
		ofLeft := lastNamed(leftNames, v.name)
		ofRight := lastNamed(right, v.name)
		if ofLeft.isInterchangeable(ofRight) {
			p.visible = append(p.visible, ofLeft)
		} else {
			p.visible = append(p.visible, &variable{name: v.name, isOutOfScope: true})
		}
	}
}

// isInterchangeable reports whether two variables exist, are in scope, and have the same type.
func (v *variable) isInterchangeable(other *variable) bool {
	if v == nil || other == nil || v.isOutOfScope || other.isOutOfScope {
		return false
	}
	return v.sort.name == other.sort.name
}

// lastNamed returns the last variable of a name, nil if there is none.
func lastNamed(all []*variable, name string) *variable {
	for _, v := range slices.Backward(all) {
		if v.name == name {
			return v
		}
	}
	return nil
}

// conceal ends the scope of the variables that a subexpression has bound: of all visible ones but the
// first. An outer variable of the same name becomes visible again. If there is none, a marker takes
// the place of the variable, so that a later use of the name is refused with a reason.
func (p *parser) conceal(numOuter int) {
	for i, v := range p.visible[numOuter:] {
		outer := lastNamed(p.visible[:numOuter], v.name)
		if outer == nil {
			outer = &variable{name: v.name, isOutOfScope: true}
		}
		p.visible[numOuter+i] = outer
	}
}

// repeated reads an expression and any *, +, ?, {n}, {n ...} or {n ... m} after it. Variables that the
// repeated expression binds are out of scope after it.
func (p *parser) repeated() *regular {
	numOuter := len(p.visible)
	r := p.actions()
	for p.repetitionFollows() {
		p.conceal(numOuter)
		r = p.repeatedBy(p.take(), r)
	}
	return r
}

// repetitionFollows reports whether the next token repeats the expression before it. A + does so if no
// operand follows; otherwise it is a choice.
func (p *parser) repetitionFollows() bool {
	t := p.next()
	isPlus := t.is("+") && !p.operandFollows()
	isCount := t.kind == offers // after an expression, braces contain numbers
	return t.is("*", "?") || isPlus || isCount
}

// repeatedBy returns an expression that is repeated as the token after it says.
func (p *parser) repeatedBy(t token, r *regular) *regular {
	switch {
	case t.is("*"):
		return &regular{shape: star, at: t, parts: []*regular{r}}
	case t.is("?"):
		return &regular{shape: perhaps, at: t, parts: []*regular{r}}
	case t.is("+"):
		return &regular{shape: plus, at: t, parts: []*regular{r}}
	}
	return p.times(t, r)
}

// mostCopied is the largest number of subexpressions that {n} and similar repetitions add to a formula.
const mostCopied = 1 << 12

// times returns an expression that is repeated by {n}, {n ...} or {n ... m}.
func (p *parser) times(t token, r *regular) *regular {
	least, most, isUnbounded := numbersOfTimes(t)
	p.copied += r.size(mostCopied) * (min(most, mostCopied) + 1)
	if p.copied > mostCopied {
		refuse(t, "expressions that are repeated at most %d times in all", mostCopied)
	}
	// The expression is built from its end: R{1 ... 3} is R . (R . R?)?, and R{1 ...} is R . R*.
	var all *regular
	prepend := func(first *regular) {
		if all != nil {
			first = &regular{shape: sequence, at: t, parts: []*regular{first, all}}
		}
		all = first
	}
	if isUnbounded {
		prepend(&regular{shape: star, at: t, parts: []*regular{r}})
	}
	for range most - least {
		prepend(r)
		all = &regular{shape: perhaps, at: t, parts: []*regular{all}}
	}
	for range least {
		prepend(r)
	}
	if all == nil {
		return &regular{shape: nothing, at: t}
	}
	return all
}

// numbersOfTimes returns the numbers in {n}, {n ...} and {n ... m}. {n ...} is unbounded.
func numbersOfTimes(t token) (least, most int, isUnbounded bool) {
	first, last, isRange := strings.Cut(t.text, "...")
	last = strings.TrimSpace(last)
	least, err := strconv.Atoi(strings.TrimSpace(first))
	most = least
	if err == nil && last != "" {
		most, err = strconv.Atoi(last)
	}
	if err != nil || least < 0 || most < least {
		refuse(t, "numbers of times, as in {2}, {2 ...} or {1 ... 3}")
	}
	return least, most, isRange && last == ""
}

// size returns the number of subexpressions of an expression. It stops counting above the limit.
func (r *regular) size(limit int) int {
	n := 1
	for _, part := range r.parts {
		if n <= limit {
			n += part.size(limit - n)
		}
	}
	return n
}

// operandFollows reports whether an expression begins after the next token.
func (p *parser) operandFollows() bool {
	t := p.tokens[p.pos+1]
	switch t.kind {
	case end:
		return false
	case sign:
		return t.is("(", "!")
	case word:
		return !t.is("and", "or", "implies")
	}
	return true
}

// actions reads action formulas with connectives between them, the loosest first.
func (p *parser) actions() *regular {
	numOuter := len(p.visible)
	r := p.disjunctionOfActions()
	if t, isImplication := p.skip("implies", "=>"); isImplication {
		conclusion := p.actions()
		p.conceal(numOuter)
		r = p.connected(t, orAction, []*regular{p.notAction(t, r), conclusion})
	}
	for p.next().is("equ", "xor", "<=>") {
		t := p.take()
		other := p.disjunctionOfActions()
		p.conceal(numOuter)
		r = p.actionEquivalence(t, r, other)
	}
	return r
}

// actionEquivalence returns r equ s as the disjunction of both and neither, and r xor s as r equ not s.
func (p *parser) actionEquivalence(t token, r, s *regular) *regular {
	p.copied += r.size(mostCopied) + s.size(mostCopied)
	if p.copied > mostCopied {
		refuse(t, "expressions that are repeated at most %d times in all", mostCopied)
	}
	if t.is("xor") {
		s = p.notAction(t, s)
	}
	both := p.connected(t, andAction, []*regular{r, s})
	neither := p.connected(t, andAction, []*regular{p.notAction(t, r), p.notAction(t, s)})
	return p.connected(t, orAction, []*regular{both, neither})
}

// notAction returns the negation of an action formula.
func (p *parser) notAction(t token, r *regular) *regular {
	if r.shape != single {
		abort.On(t.refused("an action formula behind it",
			"a regular expression has no negation"))
	}
	if r.data != nil {
		return &regular{
			shape: single,
			at:    t,
			data:  &action{op: notAction, at: t, parts: []*action{r.data}},
		}
	}
	return &regular{shape: single, action: negated(r.action), at: t}
}

func (p *parser) disjunctionOfActions() *regular {
	return p.connectives(orAction, p.conjunction, "or", "||")
}

func (p *parser) conjunction() *regular {
	return p.connectives(andAction, p.literal, "and", "&&")
}

// connectives reads one operand, or several that are joined by an operator with one of these signs.
func (p *parser) connectives(
	join actionOperator,
	operand func() *regular,
	signs ...string,
) *regular {
	numOuter := len(p.visible)
	r := operand()
	if !p.next().is(signs...) {
		return r
	}
	t := p.next()
	all := []*regular{r}
	for p.next().is(signs...) {
		p.take()
		if join == orAction {
			p.onBothSides(numOuter, func() { all = append(all, operand()) })
		} else {
			all = append(all, operand())
		}
	}
	return p.connected(t, join, all)
}

// connected returns the action formula that joins operands by an operator. It fails if one of them is a
// longer regular expression.
func (p *parser) connected(t token, join actionOperator, all []*regular) *regular {
	hasData := false
	for _, r := range all {
		if r.shape != single {
			abort.On(t.refused("action formulas on both sides",
				"regular expressions are connected by | in MCL, by + in mCRL2"))
		}
		hasData = hasData || r.data != nil
	}
	if hasData {
		joined := &action{op: join, at: t}
		for _, r := range all {
			joined.parts = append(joined.parts, r.withData())
		}
		return &regular{shape: single, data: joined, at: t}
	}
	var actions []*temporal.Formula
	for _, r := range all {
		actions = append(actions, r.action)
	}
	joined := temporal.Any(actions...)
	if join == andAction {
		joined = temporal.All(actions...)
	}
	return &regular{shape: single, action: joined, at: t}
}

// literal reads an action, a negation, a condition, or an expression in parentheses.
func (p *parser) literal() *regular {
	defer p.deeper()()
	t := p.next()
	switch {
	case t.is("not", "!"):
		numOuter := len(p.visible)
		p.take()
		r := p.literal()
		p.conceal(numOuter)
		return p.notAction(t, r)
	case t.is("val", "forall", "exists"):
		return &regular{shape: single, data: p.actionData(t), at: t}
	case t.is("("):
		p.take()
		r := p.choice()
		p.want(")")
		return r
	case t.is("nil"):
		p.take()
		return &regular{shape: nothing, at: t}
	case t.kind == offers:
		data := p.offersWithData(t)
		if data != nil {
			p.take()
			return &regular{shape: single, data: data, at: t}
		}
	case p.isMultiAction(t):
		text := p.multiActionText()
		data := p.callsWithData(t, text)
		if data != nil {
			return &regular{shape: single, data: data, at: t}
		}
		return &regular{shape: single, action: p.multiAction(t, text), at: t}
	}
	return &regular{shape: single, action: p.atom(), at: t}
}

// isMultiAction reports whether a token begins an action or a multi-action of mCRL2.
func (p *parser) isMultiAction(t token) bool {
	isName := t.kind == call || t.kind == word
	return isName && !slices.Contains(reserved, t.text) && !p.isMCL
}
