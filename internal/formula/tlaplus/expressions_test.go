package tlaplus

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestExpressionsByOtherMeans: what random expressions say of random states and steps is compared with closures over Go's own numbers, slices and
// maps, which are made together with the text.
func TestExpressionsByOtherMeans(t *testing.T) {
	path := filepath.Join(t.TempDir(), "Any.tla")
	module := "---- MODULE Any ----\nEXTENDS Integers, Sequences, FiniteSets\nVARIABLES x, s, q, f, r\nTwice(n) == n + n\nApply(Op(_), n) == Op(n)\nRECURSIVE Sum(_)\n" +
		"Sum(w) == IF w = <<>> THEN 0 ELSE Head(w) + Sum(Tail(w))\nUp(n) == n < x'\n====\n"
	if err := os.WriteFile(path, []byte(module), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	spec, err := Load(ctx, path, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	v := spec.Evaluator(ctx)
	held := 0
	for seed := range randomlts.Share(10_000) {
		g := &writer{Rand: rand.New(rand.NewPCG(seed, 1)), ints: map[string]bool{}, steps: true}
		e := g.truth(deepest)
		now, next := g.state(), g.state()
		want := e.of(&point{now: now, next: next, bound: map[string]func(*point) int{}})
		var got bool
		p, err := spec.said(e.text)
		if err == nil {
			got, err = v.Holds(p, now.values(), next.values(), nil)
		}
		if err != nil || got != want {
			t.Fatalf("seed %d: %t (%v), want %t:\n%s\nof %v\nand %v", seed, got, err, want, e.text, now.values(), next.values())
		}
		if got {
			held++
		}
	}
	if n := int(randomlts.Share(10_000)); held < n/5 || held > n-n/5 {
		t.Errorf("%d of %d hold", held, n)
	}
}

// said returns what an expression says of a state or a step.
func (s *Specification) said(text string) (p *Predicate, err error) {
	defer abort.Caught(&err)
	return s.predicate(s.parse(text), s.root.scope(s.root.module), nil), nil
}

// deepest is the depth of expressions; only at the top they have the layout of lists.
const deepest = 5

// made is an expression and what it means.
type made[T any] struct {
	text string
	of   func(*point) T
}

// point is where an expression is evaluated.
type point struct {
	now, next *state
	primed    bool
	bound     map[string]func(*point) int
}

func (p *point) state() *state {
	if p.primed {
		return p.next
	}
	return p.now
}

func (p *point) with(name string, n int) *point {
	return p.defining(name, func(*point) int { return n })
}

// defining binds a name to what is evaluated where it is asked for: primed, if the name is.
func (p *point) defining(name string, n func(*point) int) *point {
	q := *p
	q.bound = maps.Clone(p.bound)
	q.bound[name] = func(at *point) int {
		there := *p
		there.primed = at.primed
		return n(&there)
	}
	return &q
}

type set map[int]bool

func (s set) sorted() []int { return slices.Sorted(maps.Keys(s)) }

type pair struct {
	a int
	b set
}

type state struct {
	x int
	s set
	q []int
	f map[int]int
	r pair
}

// joined writes items as TLC does.
func joined(items []int, begin, end string) string {
	var all []string
	for _, n := range items {
		all = append(all, fmt.Sprint(n))
	}
	return begin + strings.Join(all, ", ") + end
}

func (s *state) values() []values.Value {
	var f []string
	for _, k := range slices.Sorted(maps.Keys(s.f)) {
		f = append(f, fmt.Sprintf("%d :> %d", k, s.f[k]))
	}
	var all []values.Value
	for _, text := range []string{
		fmt.Sprint(s.x), joined(s.s.sorted(), "{", "}"), joined(s.q, "<<", ">>"), "(" + strings.Join(f, " @@ ") + ")",
		fmt.Sprintf("[a |-> %d, b |-> %s]", s.r.a, joined(s.r.b.sorted(), "{", "}")),
	} {
		all = append(all, values.Parse(text))
	}
	return all
}

// writer makes expressions.
type writer struct {
	*rand.Rand
	ints  map[string]bool // names that are bound, and whether they may be primed
	steps bool            // x' may stand here
	names int
}

func (g *writer) state() *state {
	s := &state{x: g.IntN(6) - 2, s: set{}, f: map[int]int{}, r: pair{g.IntN(4), set{}}}
	for range g.IntN(4) {
		s.s[g.IntN(5)] = true
		s.r.b[g.IntN(4)-1] = true
		s.q = append(s.q, g.IntN(4))
	}
	for k := range 3 {
		s.f[k+2] = g.IntN(5) - 1
	}
	return s
}

func (g *writer) name() string {
	g.names++
	return fmt.Sprintf("n%d", g.names)
}

// bindingOf makes what stands where a name is bound to a number.
func bindingOf[T any](g *writer, to string, make func() made[T]) (string, made[T]) {
	name := g.name()
	g.ints[name] = !strings.Contains(to, "'")
	for other, may := range g.ints {
		g.ints[name] = g.ints[name] && (may || !strings.Contains(to, other))
	}
	m := make()
	delete(g.ints, name)
	return name, m
}

// common makes what expressions of all kinds can be.
func common[T any](g *writer, depth int, make func(int) made[T]) made[T] {
	switch g.IntN(4) {
	case 0:
		c, a, b := g.truth(depth-1), make(depth-1), make(depth-1)
		return made[T]{fmt.Sprintf("(IF %s THEN %s ELSE %s)", c.text, a.text, b.text), func(p *point) T {
			if c.of(p) {
				return a.of(p)
			}
			return b.of(p)
		}}
	case 1:
		n := g.number(depth - 1)
		name, a := bindingOf(g, n.text, func() made[T] { return make(depth - 1) })
		return made[T]{fmt.Sprintf("(LET %s == %s IN %s)", name, n.text, a.text), func(p *point) T {
			return a.of(p.defining(name, n.of))
		}}
	case 2:
		c, a, b := g.truth(depth-1), make(depth-1), make(depth-1)
		return made[T]{fmt.Sprintf("(CASE %s -> %s [] OTHER -> %s)", c.text, a.text, b.text), func(p *point) T {
			if c.of(p) {
				return a.of(p)
			}
			return b.of(p)
		}}
	}
	return make(depth - 1)
}

func constant[T any](text string, v T) made[T] {
	return made[T]{text, func(*point) T { return v }}
}

func (g *writer) number(depth int) made[int] {
	if depth <= 0 || g.IntN(6) == 0 {
		var names []string
		for name, mayBePrimed := range g.ints {
			if g.steps || mayBePrimed {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		if len(names) > 0 && g.IntN(2) == 0 {
			name := names[g.IntN(len(names))]
			return made[int]{name, func(p *point) int { return p.bound[name](p) }}
		}
		switch g.IntN(4) {
		case 0:
			n := g.IntN(5)
			return constant(fmt.Sprint(n), n)
		case 1:
			return made[int]{"r.a", func(p *point) int { return p.state().r.a }}
		}
		return made[int]{"x", func(p *point) int { return p.state().x }}
	}
	a, b := g.number(depth-1), g.number(depth-1)
	switch g.IntN(14) {
	case 0:
		return made[int]{"(" + a.text + " + " + b.text + ")", func(p *point) int { return a.of(p) + b.of(p) }}
	case 1:
		return made[int]{"(" + a.text + " - " + b.text + ")", func(p *point) int { return a.of(p) - b.of(p) }}
	case 2:
		k := 1 + g.IntN(4)
		return made[int]{fmt.Sprintf("(%s %% %d)", a.text, k), func(p *point) int { return (a.of(p)%k + k) % k }}
	case 3:
		k := 1 + g.IntN(4)
		return made[int]{fmt.Sprintf("(%s \\div %d)", a.text, k), func(p *point) int {
			n := a.of(p)
			return (n - (n%k+k)%k) / k
		}}
	case 4:
		s := g.set(depth - 1)
		return made[int]{"Cardinality(" + s.text + ")", func(p *point) int { return len(s.of(p)) }}
	case 5:
		q := g.sequence(depth - 1)
		return made[int]{"Len(" + q.text + ")", func(p *point) int { return len(q.of(p)) }}
	case 6:
		f, k := g.function(depth-1), 2+g.IntN(3)
		return made[int]{fmt.Sprintf("%s[%d]", f.text, k), func(p *point) int { return f.of(p)[k] }}
	case 7:
		s := g.set(depth - 1)
		name, c := bindingOf(g, "", func() made[bool] { return g.truth(depth - 1) })
		return made[int]{fmt.Sprintf("(CHOOSE %s \\in %s \\cup {9} : %s \\/ %s = 9)", name, s.text, c.text, name), func(p *point) int {
			for _, n := range s.of(p).sorted() {
				if n < 9 && c.of(p.with(name, n)) || n == 9 {
					return n
				}
			}
			return 9
		}}
	case 8:
		return made[int]{"Twice(" + a.text + ")", func(p *point) int { return 2 * a.of(p) }}
	case 9:
		name, c := bindingOf(g, a.text, func() made[int] { return g.number(depth - 1) })
		return made[int]{fmt.Sprintf("Apply(LAMBDA %s : %s, %s)", name, c.text, a.text), func(p *point) int { return c.of(p.defining(name, a.of)) }}
	case 10:
		q := g.sequence(depth - 1)
		return made[int]{"Sum(" + q.text + ")", func(p *point) int {
			sum := 0
			for _, n := range q.of(p) {
				sum += n
			}
			return sum
		}}
	case 11:
		if g.steps {
			g.steps = false
			c := g.number(depth - 1)
			g.steps = true
			return made[int]{"(" + c.text + ")'", func(p *point) int {
				q := *p
				q.primed = true
				return c.of(&q)
			}}
		}
	case 12:
		n := g.name()
		return made[int]{fmt.Sprintf("(LET %s[i%[1]s \\in 0..4] == IF i%[1]s = 0 THEN 1 ELSE 2 * %[1]s[i%[1]s - 1] IN %[1]s[%s])", n, "3"), func(*point) int { return 8 }}
	}
	return common(g, depth, g.number)
}

func (g *writer) set(depth int) made[set] {
	if depth <= 0 || g.IntN(6) == 0 {
		switch g.IntN(4) {
		case 0:
			return constant("{}", set{})
		case 1:
			return made[set]{"r.b", func(p *point) set { return p.state().r.b }}
		case 2:
			return made[set]{"DOMAIN f", func(*point) set { return set{2: true, 3: true, 4: true} }}
		}
		return made[set]{"s", func(p *point) set { return p.state().s }}
	}
	kept := func(a, b set, keep func(inA, inB bool) bool) set {
		all := set{}
		for _, of := range []set{a, b} {
			for n := range of {
				if keep(a[n], b[n]) {
					all[n] = true
				}
			}
		}
		return all
	}
	switch g.IntN(9) {
	case 0:
		a, b := g.number(depth-1), g.number(depth-1)
		return made[set]{"{" + a.text + ", " + b.text + "}", func(p *point) set { return set{a.of(p): true, b.of(p): true} }}
	case 1:
		a, k := g.number(depth-1), g.IntN(4)
		return made[set]{fmt.Sprintf("(%s)..(%s + %d)", a.text, a.text, k), func(p *point) set {
			all := set{}
			for i := range k + 1 {
				all[a.of(p)+i] = true
			}
			return all
		}}
	case 2:
		a, b := g.set(depth-1), g.set(depth-1)
		return made[set]{"(" + a.text + ` \cup ` + b.text + ")", func(p *point) set { return kept(a.of(p), b.of(p), func(x, y bool) bool { return x || y }) }}
	case 3:
		a, b := g.set(depth-1), g.set(depth-1)
		return made[set]{"(" + a.text + ` \cap ` + b.text + ")", func(p *point) set { return kept(a.of(p), b.of(p), func(x, y bool) bool { return x && y }) }}
	case 4:
		a, b := g.set(depth-1), g.set(depth-1)
		return made[set]{"(" + a.text + ` \ ` + b.text + ")", func(p *point) set { return kept(a.of(p), b.of(p), func(x, y bool) bool { return x && !y }) }}
	case 5:
		s := g.set(depth - 1)
		name, c := bindingOf(g, "", func() made[bool] { return g.truth(depth - 1) })
		return made[set]{fmt.Sprintf("{%s \\in %s : %s}", name, s.text, c.text), func(p *point) set {
			all := set{}
			for n := range s.of(p) {
				if c.of(p.with(name, n)) {
					all[n] = true
				}
			}
			return all
		}}
	case 6:
		s := g.set(depth - 1)
		name, e := bindingOf(g, "", func() made[int] { return g.number(depth - 1) })
		return made[set]{fmt.Sprintf("{%s : %s \\in %s}", e.text, name, s.text), func(p *point) set {
			all := set{}
			for n := range s.of(p) {
				all[e.of(p.with(name, n))] = true
			}
			return all
		}}
	case 7:
		a := g.set(depth - 1)
		name, b := bindingOf(g, "", func() made[set] { return g.set(depth - 1) })
		return made[set]{fmt.Sprintf("(UNION {%s : %s \\in %s})", b.text, name, a.text), func(p *point) set {
			all := set{}
			for n := range a.of(p) {
				maps.Copy(all, b.of(p.with(name, n)))
			}
			return all
		}}
	}
	return common(g, depth, g.set)
}

func (g *writer) sequence(depth int) made[[]int] {
	if depth <= 0 || g.IntN(6) == 0 {
		return made[[]int]{"q", func(p *point) []int { return p.state().q }}
	}
	q := g.sequence(depth - 1)
	switch g.IntN(7) {
	case 0:
		a := g.number(depth - 1)
		return made[[]int]{"Append(" + q.text + ", " + a.text + ")", func(p *point) []int { return append(slices.Clone(q.of(p)), a.of(p)) }}
	case 1:
		return made[[]int]{"Tail(<<7>> \\o " + q.text + ")", func(p *point) []int { return q.of(p) }}
	case 2:
		b := g.sequence(depth - 1)
		return made[[]int]{"(" + q.text + ` \o ` + b.text + ")", func(p *point) []int { return slices.Concat(q.of(p), b.of(p)) }}
	case 3:
		a, b := g.number(depth-1), g.number(depth-1)
		return made[[]int]{"<<" + a.text + ", " + b.text + ">>", func(p *point) []int { return []int{a.of(p), b.of(p)} }}
	case 4:
		name, c := bindingOf(g, "", func() made[bool] { return g.truth(depth - 1) })
		return made[[]int]{fmt.Sprintf("SelectSeq(%s, LAMBDA %s : %s)", q.text, name, c.text), func(p *point) []int {
			var all []int
			for _, n := range q.of(p) {
				if c.of(p.with(name, n)) {
					all = append(all, n)
				}
			}
			return all
		}}
	case 5:
		name, e := bindingOf(g, "", func() made[int] { return g.number(depth - 1) })
		return made[[]int]{fmt.Sprintf("[%s \\in 1..2 |-> %s]", name, e.text), func(p *point) []int {
			return []int{e.of(p.with(name, 1)), e.of(p.with(name, 2))}
		}}
	}
	return common(g, depth, g.sequence)
}

func (g *writer) function(depth int) made[map[int]int] {
	if depth <= 0 || g.IntN(4) == 0 {
		return made[map[int]int]{"f", func(p *point) map[int]int { return p.state().f }}
	}
	switch g.IntN(3) {
	case 0:
		name, e := bindingOf(g, "", func() made[int] { return g.number(depth - 1) })
		return made[map[int]int]{fmt.Sprintf("[%s \\in {3, 2, 4} |-> %s]", name, e.text), func(p *point) map[int]int {
			all := map[int]int{}
			for k := 2; k < 5; k++ {
				all[k] = e.of(p.with(name, k))
			}
			return all
		}}
	case 1:
		f, e, k := g.function(depth-1), g.number(depth-1), 1+g.IntN(4)
		return made[map[int]int]{fmt.Sprintf("[%s EXCEPT ![%d] = @ + %s]", f.text, k, e.text), func(p *point) map[int]int {
			all := maps.Clone(f.of(p))
			if _, is := all[k]; is {
				all[k] += e.of(p)
			}
			return all
		}}
	}
	return common(g, depth, g.function)
}

func (g *writer) record(depth int) made[pair] {
	if depth <= 0 || g.IntN(3) == 0 {
		return made[pair]{"r", func(p *point) pair { return p.state().r }}
	}
	a, b := g.number(depth-1), g.set(depth-1)
	if g.IntN(2) == 0 {
		return made[pair]{"[b |-> " + b.text + ", a |-> " + a.text + "]", func(p *point) pair { return pair{a.of(p), b.of(p)} }}
	}
	r := g.record(depth - 1)
	return made[pair]{"[" + r.text + " EXCEPT !.a = " + a.text + "]", func(p *point) pair { return pair{a.of(p), r.of(p).b} }}
}

func (g *writer) truth(depth int) made[bool] {
	if depth <= 0 {
		a, k := g.number(0), g.IntN(3)
		return made[bool]{fmt.Sprintf("(%s > %d)", a.text, k), func(p *point) bool { return a.of(p) > k }}
	}
	switch g.IntN(17) {
	case 0:
		a, b := g.number(depth-1), g.number(depth-1)
		return made[bool]{"(" + a.text + " = " + b.text + ")", func(p *point) bool { return a.of(p) == b.of(p) }}
	case 1:
		a, b := g.number(depth-1), g.number(depth-1)
		return made[bool]{"(" + a.text + " =< " + b.text + ")", func(p *point) bool { return a.of(p) <= b.of(p) }}
	case 2:
		a, b := g.number(depth-1), g.set(depth-1)
		return made[bool]{"(" + a.text + ` \notin ` + b.text + ")", func(p *point) bool { return !b.of(p)[a.of(p)] }}
	case 3:
		a, b := g.set(depth-1), g.set(depth-1)
		return made[bool]{"(" + a.text + ` \subseteq ` + b.text + ")", func(p *point) bool {
			for n := range a.of(p) {
				if !b.of(p)[n] {
					return false
				}
			}
			return true
		}}
	case 4:
		a, b := g.set(depth-1), g.set(depth-1)
		return made[bool]{"(" + a.text + " = " + b.text + ")", func(p *point) bool { return maps.Equal(a.of(p), b.of(p)) }}
	case 5:
		a, b := g.sequence(depth-1), g.sequence(depth-1)
		return made[bool]{"(" + a.text + " # " + b.text + ")", func(p *point) bool { return !slices.Equal(a.of(p), b.of(p)) }}
	case 6:
		a, b := g.function(depth-1), g.function(depth-1)
		return made[bool]{"(" + a.text + " = " + b.text + ")", func(p *point) bool { return maps.Equal(a.of(p), b.of(p)) }}
	case 7:
		a, b := g.record(depth-1), g.record(depth-1)
		return made[bool]{"(" + a.text + " = " + b.text + ")", func(p *point) bool { return a.of(p).a == b.of(p).a && maps.Equal(a.of(p).b, b.of(p).b) }}
	case 8, 9, 10:
		signs := []string{`/\`, `\/`, "=>", "<=>"}
		n := g.IntN(4)
		a, b := g.truth(depth-1), g.truth(depth-1)
		text := "(" + a.text + " " + signs[n] + " " + b.text + ")"
		if n < 2 && g.IntN(2) == 0 {
			text = "(\n  " + signs[n] + " " + a.text + "\n  " + signs[n] + " " + b.text + "\n)"
			if depth < deepest {
				text = "(" + signs[n] + " (" + a.text + ") " + signs[n] + " (" + b.text + "))"
			}
		}
		return made[bool]{text, func(p *point) bool {
			switch n {
			case 0:
				return a.of(p) && b.of(p)
			case 1:
				return a.of(p) || b.of(p)
			case 2:
				return !a.of(p) || b.of(p)
			}
			return a.of(p) == b.of(p)
		}}
	case 11, 12:
		all := g.IntN(2) == 0
		s := g.set(depth - 1)
		name, c := bindingOf(g, "", func() made[bool] { return g.truth(depth - 1) })
		sign := map[bool]string{true: `\A`, false: `\E`}[all]
		return made[bool]{fmt.Sprintf("(%s %s \\in %s : %s)", sign, name, s.text, c.text), func(p *point) bool {
			for n := range s.of(p) {
				if c.of(p.with(name, n)) != all {
					return !all
				}
			}
			return all
		}}
	case 13:
		a := g.truth(depth - 1)
		return made[bool]{"~" + a.text, func(p *point) bool { return !a.of(p) }}
	case 14:
		f, s := g.function(depth-1), g.set(depth-1)
		return made[bool]{"(" + f.text + ` \in [2..4 -> ` + s.text + "])", func(p *point) bool {
			for _, n := range f.of(p) {
				if !s.of(p)[n] {
					return false
				}
			}
			return true
		}}
	case 15:
		name := g.name()
		k := g.IntN(3)
		return made[bool]{fmt.Sprintf("(\\E %s \\in SUBSET s : Cardinality(%s) = %d)", name, name, k), func(p *point) bool { return len(p.state().s) >= k }}
	}
	return common(g, depth, g.truth)
}
