package argument

import (
	"fmt"
	"math"
	"strings"

	"github.com/inev-lts/inev/lts"
)

// wff is a formula as its text says it, read without the readers of this module.
type wff struct {
	op           string // true, false, deadlock, p, !, &&, ||, ->, X, U, R, W or M
	all          bool   // of all runs, or transitions
	left, right  *wff
	labels, last func(label string) bool // nil if the text has none
	text         string
}

// reader reads the texts of formulas.
type reader struct {
	text string
	at   int
}

func read(text string) (f *wff, err error) {
	defer func() {
		if wrong := recover(); wrong != nil {
			err = fmt.Errorf("%q is no formula: %v", text, wrong)
		}
	}()
	r := &reader{text: text}
	f = r.implication()
	if r.at != len(text) {
		panic(fmt.Sprint("more at ", r.at))
	}
	return f, nil
}

func (r *reader) sign(text string) bool {
	if strings.HasPrefix(r.text[r.at:], text) {
		r.at += len(text)
		return true
	}
	return false
}

func (r *reader) until(sign string) string {
	i := strings.Index(r.text[r.at:], sign)
	if i < 0 {
		panic("no " + sign)
	}
	text := r.text[r.at : r.at+i]
	r.at += i + len(sign)
	return text
}

// named gives f the text that it was read from.
func (r *reader) named(f *wff, from int) *wff {
	f.text = r.text[from:r.at]
	return f
}

func (r *reader) implication() *wff {
	from := r.at
	f := r.disjunction()
	if r.sign(" -> ") {
		f = r.named(&wff{op: "->", left: f, right: r.implication()}, from)
	}
	return f
}

func (r *reader) disjunction() *wff {
	from := r.at
	f := r.conjunction()
	for r.sign(" || ") {
		f = r.named(&wff{op: "||", left: f, right: r.conjunction()}, from)
	}
	return f
}

func (r *reader) conjunction() *wff {
	from := r.at
	f := r.single()
	for r.sign(" && ") {
		f = r.named(&wff{op: "&&", left: f, right: r.single()}, from)
	}
	return f
}

// pattern reads labels up to what closes them.
func (r *reader) pattern(closer string) func(string) bool {
	text := r.until(closer)
	return func(label string) bool {
		for _, one := range strings.Split(text, " or ") {
			if one == label || text == "true" {
				return true
			}
		}
		return false
	}
}

func (r *reader) single() *wff {
	from := r.at
	for _, word := range []string{"true", "false", "deadlock", "p"} {
		if r.sign(word) {
			return r.named(&wff{op: word}, from)
		}
	}
	switch {
	case r.sign("!"):
		return r.named(&wff{op: "!", right: r.single()}, from)
	case r.sign("("):
		f := r.implication()
		if !r.sign(")") {
			panic("no )")
		}
		return f
	case r.sign("<"):
		labels := r.pattern("> ")
		return r.named(&wff{op: "X", labels: labels, right: r.single()}, from)
	case r.sign("["):
		labels := r.pattern("] ")
		return r.named(&wff{op: "X", all: true, labels: labels, right: r.single()}, from)
	}
	f := &wff{all: r.sign("A")}
	if !f.all && !r.sign("E") {
		panic("nothing begins so: " + r.text[r.at:])
	}
	switch {
	case r.sign("X "):
		f.op, f.right = "X", r.single()
	case r.sign("F "):
		f.op, f.left, f.right = "U", &wff{op: "true", text: "true"}, r.single()
	case r.sign("G "):
		f.op, f.left, f.right = "R", &wff{op: "false", text: "false"}, r.single()
	case r.sign("["):
		f.left = r.implication()
		if r.sign(" {") {
			f.labels = r.pattern("}")
		}
		f.op = strings.TrimSpace(r.text[r.at : r.at+3])
		r.at += 3
		if r.sign("{") {
			f.last = r.pattern("} ")
		}
		f.right = r.implication()
		if !r.sign("]") {
			panic("no ]")
		}
	default:
		panic("nothing goes on so: " + r.text[r.at:])
	}
	return r.named(f, from)
}

// literal is a formula that holds, or does not.
type literal struct {
	f     *wff
	holds bool
}

// positive returns the same claim without negation at its head.
func (l literal) positive() literal {
	for l.f.op == "!" {
		l = literal{l.f.right, !l.holds}
	}
	return l
}

func (l literal) same(k literal) bool {
	l, k = l.positive(), k.positive()
	return l.f.canonical() == k.f.canonical() && l.holds == k.holds
}

// canonical returns a text that is the same for formulas that mean the same by definition,
// written out by few operators: of two such, an argument may name either.
func (f *wff) canonical() string {
	switch f.op {
	case "!":
		return "!(" + f.right.canonical() + ")"
	case "X":
		return f.op + f.labelsText() + fmt.Sprint(f.all) + "(" + f.right.canonical() + ")"
	case "->":
		return "||(!(" + f.left.canonical() + "), " + f.right.canonical() + ")"
	case "W", "M":
		a, _ := literal{f, true}.runs()
		return map[string]string{"W": "R", "M": "U"}[f.op] + f.labelsText() + fmt.Sprint(f.all) + "(" + a.left.f.canonical() + ", " + a.right.f.canonical() + ")"
	case "&&", "||":
		return f.op + "(" + f.left.canonical() + ", " + f.right.canonical() + ")"
	case "U", "R":
		return f.op + f.labelsText() + fmt.Sprint(f.all) + "(" + f.left.canonical() + ", " + f.right.canonical() + ")"
	}
	return f.op
}

// labelsText tells patterns of labels apart, over the labels that there are in tests.
func (f *wff) labelsText() string {
	var b strings.Builder
	for _, in := range []func(string) bool{f.labels, f.last} {
		if in == nil {
			b.WriteString(".")
			continue
		}
		for _, label := range []string{"A", "B", "C", "D", "E"} {
			fmt.Fprint(&b, in(label), " ")
		}
	}
	return b.String()
}

// is reports whether a text is that of a formula with the same meaning.
func (f *wff) is(text string) bool {
	g, err := read(text)
	return err == nil && g.canonical() == f.canonical()
}

func (l literal) isConstant() bool { return l.f.op == "true" || l.f.op == "false" }

// about is what a claim about runs is made of: of U what is so on the way and at the end,
// of R what may end it and what is so up to there.
type about struct {
	until, some  bool
	left, right  literal
	labels, last func(string) bool // as in a wff, hidden labels beside
}

const hidden = "C"

// runs returns what the claim is made of, where it is one about runs. R, W and M are written
// out: f W g is g R (f || g), f M g is g U (f && g).
func (l literal) runs() (about, bool) {
	f := l.f
	a := about{until: f.op == "U" || f.op == "M", some: f.all != l.holds, left: literal{f.left, l.holds}, right: literal{f.right, l.holds}, last: f.last}
	a.until = a.until == l.holds
	switch f.op {
	case "U", "R":
	case "W":
		a.left, a.right = a.right, literal{&wff{op: "||", left: f.left, right: f.right, text: bracketed(f.left, "||", f.right)}, l.holds}
	case "M":
		a.left, a.right = a.right, literal{&wff{op: "&&", left: f.left, right: f.right, text: bracketed(f.left, "&&", f.right)}, l.holds}
	default:
		return a, false
	}
	a.labels = func(string) bool { return true }
	if f.labels != nil {
		a.labels = func(label string) bool { return label == hidden || f.labels(label) }
	}
	return a, true
}

// bracketed writes an operator between operands, with the parentheses that it takes.
func bracketed(f *wff, op string, g *wff) string {
	strength := map[string]int{"->": 1, "||": 2, "&&": 3}
	side := func(f *wff, least int) string {
		if s := strength[f.op]; s > 0 && s < least {
			return "(" + f.text + ")"
		}
		return f.text
	}
	return side(f, strength[op]) + " " + op + " " + side(g, strength[op]+1)
}

// truth decides formulas state by state, by searches for runs.
type truth struct {
	m       *lts.LTS
	p       func(lts.State) bool
	known   map[string][]bool
	weights map[string]float64
}

func (x *truth) is(l literal, s lts.State) bool { return x.of(l.f)[s] == l.holds }

// of returns in which states a formula holds.
func (x *truth) of(f *wff) []bool {
	if known := x.known[f.text]; known != nil {
		return known
	}
	in := make([]bool, x.m.NumStates())
	for s := range in {
		in[s] = x.holds(f, lts.State(s))
	}
	x.known[f.text] = in
	return in
}

func (x *truth) holds(f *wff, s lts.State) bool {
	switch f.op {
	case "true", "false":
		return f.op == "true"
	case "deadlock":
		return len(x.out(s)) == 0
	case "p":
		return x.p(s)
	case "!":
		return !x.of(f.right)[s]
	case "&&":
		return x.of(f.left)[s] && x.of(f.right)[s]
	case "||":
		return x.of(f.left)[s] || x.of(f.right)[s]
	case "->":
		return !x.of(f.left)[s] || x.of(f.right)[s]
	case "X":
		for _, t := range x.out(s) {
			if (f.labels == nil || f.labels(x.label(t))) && x.of(f.right)[t.To] != f.all {
				return !f.all
			}
		}
		return f.all
	}
	claim := literal{f, true}
	a, _ := claim.runs()
	if !a.some {
		claim.holds = false
		a, _ = claim.runs()
	}
	if a.until {
		return x.comes(a, s) == claim.holds
	}
	return x.neverComes(a, s) == claim.holds
}

// comes reports whether a run goes from s to where a.right is true, through a.left.
func (x *truth) comes(a about, s lts.State) bool {
	seen, waiting := map[lts.State]bool{s: true}, []lts.State{s}
	for len(waiting) > 0 {
		at := waiting[0]
		waiting = waiting[1:]
		if a.last == nil && x.is(a.right, at) {
			return true
		}
		if !x.is(a.left, at) {
			continue
		}
		for _, t := range x.out(at) {
			if a.last != nil && a.last(x.label(t)) && x.is(a.right, t.To) {
				return true
			}
			if a.labels(x.label(t)) && !seen[t.To] {
				seen[t.To] = true
				waiting = append(waiting, t.To)
			}
		}
	}
	return false
}

// neverComes reports whether a maximal run from s never comes to where a.right is false
// before a.left is true: whether it gets as far as there are states.
func (x *truth) neverComes(a about, s lts.State) bool {
	at := map[lts.State]bool{s: true}
	for range x.m.NumStates() + 1 {
		next := map[lts.State]bool{}
		for s := range at {
			if a.last == nil && !x.is(a.right, s) {
				continue
			}
			if x.is(a.left, s) || len(x.out(s)) == 0 {
				return true
			}
			for _, t := range x.out(s) {
				switch {
				case a.last != nil && a.last(x.label(t)) && !x.is(a.right, t.To):
				case !a.labels(x.label(t)):
					return true
				default:
					next[t.To] = true
				}
			}
		}
		at = next
	}
	return len(at) > 0
}

func (x *truth) out(s lts.State) []lts.Transition {
	var all []lts.Transition
	labels, targets := x.m.Out(s)
	for i, t := range targets {
		all = append(all, lts.Transition{From: s, Label: labels.At(i), To: t})
	}
	return all
}

func (x *truth) label(t lts.Transition) string { return x.m.Alphabet().Text(t.Label) }

// least returns the number of transitions on the runs of the smallest argument for a claim,
// infinite where it is false, by going through all runs that meet no state twice. What all
// runs argue for has none.
func (x *truth) least(l literal, s lts.State) float64 {
	l = l.positive()
	key := fmt.Sprint(l.f.text, l.holds, s)
	if known, is := x.weights[key]; is {
		return known
	}
	x.weights[key] = x.leastOf(l, s)
	return x.weights[key]
}

func (x *truth) leastOf(l literal, s lts.State) float64 {
	if !x.is(l, s) {
		return math.Inf(1)
	}
	f := l.f
	left, right := literal{f.left, l.holds}, literal{f.right, l.holds}
	switch f.op {
	case "->":
		left.holds = !left.holds
		fallthrough
	case "&&", "||":
		if (f.op == "&&") == l.holds {
			return x.least(left, s) + x.least(right, s)
		}
		return min(x.least(left, s), x.least(right, s))
	case "X":
		if f.all == l.holds {
			return 0
		}
		best := math.Inf(1)
		for _, t := range x.out(s) {
			if f.labels == nil || f.labels(x.label(t)) {
				best = min(best, 1+x.least(right, t.To))
			}
		}
		return best
	}
	if a, is := l.runs(); is && a.some {
		best := math.Inf(1)
		x.walk(a, s, map[lts.State]bool{}, 0, &best)
		return best
	}
	return 0
}

// walk goes on from a state in all ways that meet none twice, and notes the least cost.
func (x *truth) walk(a about, s lts.State, on map[lts.State]bool, cost float64, best *float64) {
	if cost >= *best {
		return
	}
	if on[s] {
		if !a.until {
			*best = cost // a loop
		}
		return
	}
	on[s] = true
	defer delete(on, s)
	left, right := x.least(a.left, s), 0.
	if a.last == nil {
		right = x.least(a.right, s)
	}
	way := right
	switch {
	case a.until && a.last == nil:
		*best = min(*best, cost+right)
		way = left
	case a.until:
		way = left
	default:
		*best = min(*best, cost+left+right)
		if len(x.out(s)) == 0 {
			*best = min(*best, cost+right)
		}
	}
	for _, t := range x.out(s) {
		next := cost + way + 1
		isLast := a.last != nil && a.last(x.label(t))
		if isLast && a.until {
			*best = min(*best, next+x.least(a.right, t.To))
		}
		if isLast && !a.until {
			next += x.least(a.right, t.To)
		}
		switch {
		case a.labels(x.label(t)):
			x.walk(a, t.To, on, next, best)
		case !a.until:
			*best = min(*best, next)
		}
	}
}
