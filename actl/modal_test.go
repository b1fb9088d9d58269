package actl_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/collection"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/oracle"
	"github.com/inev-lts/inev/oracle/fromproperty"
)

// states is a set of states of a small model.
type states uint32

// modal evaluates formulas of the mu-calculus, with regular expressions in modalities,
// as they are written: in the notation of mCRL2, or in MCL. It shares no code with what
// writes them.
type modal struct {
	m    *lts.LTS
	text string
	pos  int
	env  map[string]states
}

func (e *modal) all() states { return 1<<e.m.NumStates() - 1 }

// next skips blanks and takes one of the tokens, the first that fits.
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

// formula evaluates a conjunction.
func (e *modal) formula() states {
	s := e.operand()
	for e.next("&&", "and ") != "" {
		s &= e.operand()
	}
	return s
}

func (e *modal) operand() states {
	switch operator := e.next("(", "[", "<", "mu ", "nu ", "true", "false"); operator {
	case "(":
		s := e.formula()
		e.want(")")
		return s
	case "[":
		r := e.expression()
		e.want("]")
		after := e.operand()
		return e.box(r, after)
	case "<":
		r := e.expression()
		e.want(">")
		return e.all() &^ e.box(r, e.all()&^e.operand())
	case "mu ", "nu ":
		name := e.variable()
		e.want(".")
		// The formula is read again for each round of the iteration.
		rest, pos := e.text, e.pos
		outer, shadowed := e.env[name]
		s := states(0)
		if operator == "nu " {
			s = e.all()
		}
		for {
			e.text, e.pos = rest, pos
			e.env[name] = s
			after := e.operand()
			if after == s {
				if delete(e.env, name); shadowed {
					e.env[name] = outer
				}
				return s
			}
			s = after
		}
	case "true":
		return e.all()
	case "false":
		return 0
	}
	name := e.variable()
	s, bound := e.env[name]
	if !bound {
		panic("unbound " + name)
	}
	return s
}

func (e *modal) variable() string {
	e.next()
	end := strings.IndexFunc(e.text, func(r rune) bool { return !strings.ContainsRune("XY0123456789", r) })
	if end <= 0 {
		panic("no variable: " + e.text)
	}
	e.pos = end
	return e.text[:end]
}

// box returns the states from which what r takes leads nowhere but to s.
func (e *modal) box(r relation, s states) states {
	var in states
	for i := range e.m.NumStates() {
		if r(1<<i)&^s == 0 {
			in |= 1 << i
		}
	}
	return in
}

// relation leads from sets of states to sets of states, action says which labels one is
// for.
type (
	relation func(states) states
	action   func(label string) bool
)

// expression reads alternatives of sequences.
func (e *modal) expression() relation {
	r := e.sequence()
	for e.next("+", "| ") != "" {
		a, b := r, e.sequence()
		r = func(s states) states { return a(s) | b(s) }
	}
	return r
}

func (e *modal) sequence() relation {
	r := e.starred()
	for e.next(".") != "" {
		a, b := r, e.starred()
		r = func(s states) states { return b(a(s)) }
	}
	return r
}

func (e *modal) starred() relation {
	r := e.primary()
	if e.next("*") == "" {
		return r
	}
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

// primary reads an action formula, or an expression in parentheses: whichever it is.
func (e *modal) primary() relation {
	text, pos := e.text, e.pos
	if a, ok := e.try(); ok {
		return func(s states) states {
			var to states
			for i := range e.m.NumStates() {
				if s>>i&1 == 0 {
					continue
				}
				labels, targets := e.m.Out(lts.State(i))
				for j := range labels.Len() {
					l := labels.At(j)
					if a(e.m.Alphabet().Text(l)) {
						to |= 1 << targets[j]
					}
				}
			}
			return to
		}
	}
	e.text, e.pos = text, pos
	e.want("(")
	r := e.expression()
	e.want(")")
	return r
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
		// A name with offers or arguments, which no label here has.
		e.named('\'')
		return func(string) bool { return false }
	}
	end := strings.IndexFunc(e.text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
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

// holds evaluates a formula in the initial state of a model.
func holds(m *lts.LTS, text string) (bool, error) {
	e := &modal{m: m, text: text, env: map[string]states{}}
	s := e.formula()
	if rest := strings.TrimSpace(e.text[e.pos:]); rest != "" {
		return false, fmt.Errorf("%s: not read: %s", text, rest)
	}
	return s>>m.Initial()&1 != 0, nil
}

// randomModel returns a model over the letters.
func randomModel(t testing.TB, r *rand.Rand) *lts.LTS {
	t.Helper()
	n := 1 + r.IntN(6)
	var b lts.Builder
	for range r.IntN(2*n + 1) {
		b.Add(lts.State(r.IntN(n)), b.Label(letters[r.IntN(len(letters))]), lts.State(r.IntN(n)))
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPatternsAreTheirModalFormulas compares the verdict of each pattern in each scope
// with what its formulas in MCL and in the mu-calculus of mCRL2 say of random models.
func TestPatternsAreTheirModalFormulas(t *testing.T) {
	verdicts := map[bool]int{}
	for n, text := range collection.Patterns() {
		text = collection.Widened(text)
		f, err := actl.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		mcl, _, _ := f.MCL(context.Background())
		mu, _, _ := f.MuCalculus(context.Background())
		for seed := range 40 {
			m := randomModel(t, rand.New(rand.NewPCG(uint64(seed), uint64(n))))
			p, _, err := f.Bind(context.Background(), m.Alphabet())
			if err != nil {
				t.Fatal(err)
			}
			_, violated := oracle.NewGeneral(m, fromproperty.Automaton(p)).Can(m.Initial(), int(p.Initial()))
			for _, formula := range []string{mcl, mu} {
				got, err := holds(m, formula)
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				if got == violated {
					t.Fatalf("%s, that is %s: %t, and the formula says %t", text, formula, !violated, got)
				}
			}
			verdicts[violated]++
		}
	}
	if verdicts[true] < 500 || verdicts[false] < 500 {
		t.Errorf("violated and satisfied: %v", verdicts)
	}
}
