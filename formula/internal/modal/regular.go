package modal

import (
	"strconv"
	"strings"
)

// choice reads a regular expression.
func (p *parser) choice() (*regular, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	r, err := p.sequence()
	for err == nil && p.next().is("|", "+") {
		t := p.take()
		var s *regular
		if s, err = p.sequence(); err == nil {
			r = &regular{shape: choice, at: t, parts: []*regular{r, s}}
		}
	}
	return r, err
}

func (p *parser) sequence() (*regular, error) {
	r, err := p.repeated()
	for err == nil && p.next().is(".") {
		t := p.take()
		var s *regular
		if s, err = p.repeated(); err == nil {
			r = &regular{shape: sequence, at: t, parts: []*regular{r, s}}
		}
	}
	return r, err
}

// repeated reads an expression with *, + and ? behind it; + is one of them if no operand follows.
func (p *parser) repeated() (*regular, error) {
	r, err := p.actions()
	for err == nil {
		t := p.next()
		switch {
		case t.is("*"):
			r = &regular{shape: star, at: t, parts: []*regular{r}}
		case t.is("?"):
			r = &regular{shape: perhaps, at: t, parts: []*regular{r}}
		case t.is("+") && !p.operandFollows():
			r = &regular{shape: plus, at: t, parts: []*regular{r}}
		case t.kind == offers:
			if r, err = p.times(t, r); err != nil {
				return nil, err
			}
		default:
			return r, nil
		}
		p.take()
	}
	return r, err
}

// mostCopied bounds the expressions that {n} stands for in a formula.
const mostCopied = 1 << 12

// times returns an expression repeated as {n}, {n ...} and {n ... m} say.
func (p *parser) times(t token, r *regular) (*regular, error) {
	first, last, isRange := strings.Cut(t.text, "...")
	first, last = strings.TrimSpace(first), strings.TrimSpace(last)
	least, err := strconv.Atoi(first)
	most, wrong := least, error(nil)
	if last != "" {
		most, wrong = strconv.Atoi(last)
	}
	if err != nil || wrong != nil || least < 0 || most < least {
		return nil, refuse(t, "numbers of times, as in {2}, {2 ...} or {1 ... 3}")
	}
	if p.copied += r.size(mostCopied) * (min(most, mostCopied) + 1); p.copied > mostCopied {
		return nil, refuse(t, "expressions that are repeated at most %d times in all", mostCopied)
	}
	var all *regular
	before := func(s *regular) {
		if all != nil {
			s = &regular{shape: sequence, at: t, parts: []*regular{s, all}}
		}
		all = s
	}
	if isRange && last == "" {
		before(&regular{shape: star, at: t, parts: []*regular{r}})
	}
	for range most - least {
		before(r)
		all = &regular{shape: perhaps, at: t, parts: []*regular{all}}
	}
	for range least {
		before(r)
	}
	if all == nil {
		return &regular{shape: nothing, at: t}, nil
	}
	return all, nil
}

// size returns how many expressions an expression is made of, or a number above a limit.
func (r *regular) size(limit int) int {
	n := 1
	for _, part := range r.parts {
		if n <= limit {
			n += part.size(limit - n)
		}
	}
	return n
}

// operandFollows reports whether an expression begins behind the next token.
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
func (p *parser) actions() (*regular, error) {
	r, err := p.disjunction()
	if err != nil {
		return nil, err
	}
	if p.next().is("equ", "xor", "<=>") {
		return nil, refuse(p.next(), "an action formula without equivalences")
	}
	t, is := p.skip("implies", "=>")
	if !is {
		return r, nil
	}
	s, err := p.actions()
	if err != nil {
		return nil, err
	}
	return p.connected(t, anyOf, []*regular{{shape: single, action: &action{op: noneOf, parts: []*action{r.action}}, at: r.at}, s}, r)
}

func (p *parser) disjunction() (*regular, error) {
	return p.connectives(anyOf, p.conjunction, "or", "||")
}

func (p *parser) conjunction() (*regular, error) {
	return p.connectives(allOf, p.literal, "and", "&&")
}

func (p *parser) connectives(op logical, operand func() (*regular, error), signs ...string) (*regular, error) {
	r, err := operand()
	if err != nil || !p.next().is(signs...) {
		return r, err
	}
	t := p.next()
	all := []*regular{r}
	for p.next().is(signs...) {
		p.take()
		s, err := operand()
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return p.connected(t, op, all)
}

// connected returns the action formula of several. It fails if one of them, or of the others,
// is a regular expression that is no action formula.
func (p *parser) connected(t token, op logical, all []*regular, others ...*regular) (*regular, error) {
	a := &action{op: op}
	for _, r := range append(others, all...) {
		if r.shape != single {
			return nil, refuse(t, "action formulas on both sides; regular expressions are connected by | in MCL, by + in mCRL2")
		}
	}
	for _, r := range all {
		a.parts = append(a.parts, r.action)
	}
	return &regular{shape: single, action: a, at: t}, nil
}

func (p *parser) literal() (*regular, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	t := p.next()
	if _, is := p.skip("not", "!"); is {
		r, err := p.literal()
		if err != nil {
			return nil, err
		}
		if r.shape != single {
			return nil, refuse(t, "an action formula behind it; a regular expression has no negation")
		}
		return &regular{shape: single, action: &action{op: noneOf, parts: []*action{r.action}}, at: t}, nil
	}
	if _, is := p.skip("("); is {
		r, err := p.choice()
		if err != nil {
			return nil, err
		}
		return r, p.want(")")
	}
	if _, is := p.skip("nil"); is {
		return &regular{shape: nothing, at: t}, nil
	}
	a, err := p.atom()
	return &regular{shape: single, action: a, at: t}, err
}
