package tlaplus

import (
	"slices"
	"strings"

	"github.com/inev-lts/inev/property/values"
)

// builtin is an operator of the language, or of a standard module, whose
// arguments are values.
type builtin struct {
	arity int
	run   func(m *machine, x *expression, a []result) result
}

// arg returns argument i of an application, to be named in errors; the
// application itself if it has no such argument.
func arg(x *expression, i int) *expression {
	if i < len(x.args) {
		return x.args[i]
	}
	return x
}

// numeric has the operators on two numbers.
var numeric = map[string]func(x *expression, a, b int64) result{
	"+":  func(x *expression, a, b int64) result { return number32(x, a+b) },
	"-":  func(x *expression, a, b int64) result { return number32(x, a-b) },
	"*":  func(x *expression, a, b int64) result { return number32(x, a*b) },
	"<":  func(_ *expression, a, b int64) result { return truth(a < b) },
	"<=": func(_ *expression, a, b int64) result { return truth(a <= b) },
	">":  func(_ *expression, a, b int64) result { return truth(a > b) },
	">=": func(_ *expression, a, b int64) result { return truth(a >= b) },
	"..": func(_ *expression, a, b int64) result { return result{lazy: interval{a, b}} },
	`\div`: func(x *expression, a, b int64) result {
		q, _ := divided(x, a, b)
		return whole(q)
	},
	"%": func(x *expression, a, b int64) result {
		if b <= 0 {
			fail(x.at, "%s: the second operand of %% has to be greater than 0, and is %d", x.text(), b)
		}
		_, r := divided(x, a, b)
		return whole(r)
	},
	"^": func(x *expression, a, b int64) result {
		if b < 0 {
			fail(x.at, "%s: the exponent is %d, and has to be at least 0", x.text(), b)
		}
		n := int64(1)
		for range min(b, 64) {
			n = mustInt(number32(x, n*a))
		}
		if b > 64 && a == -1 && b%2 != 0 {
			return whole(-1)
		}
		return whole(n)
	},
}

// builtins has all operators that evaluate their arguments first. For numeric operators it has
// their arity alone.
var builtins map[string]builtin

func init() {
	constant := func(r result) builtin {
		return builtin{0, func(*machine, *expression, []result) result { return r }}
	}
	sets := func(sign string) builtin {
		return builtin{2, func(m *machine, x *expression, a []result) result {
			c := combined{sign, m.set(arg(x, 0), a[0]), m.set(arg(x, 1), a[1])}
			_, large := a[0].lazy.(infinite)
			_, other := a[1].lazy.(infinite)
			if large && sign != `\cap` || other && sign == `\cup` || large && other {
				return result{lazy: c}
			}
			return of(c.all(m, x))
		}}
	}
	seq := func(n int, op func(m *machine, x *expression, s []values.Value, a []result) result) builtin {
		return builtin{n, func(m *machine, x *expression, a []result) result { return op(m, x, m.sequence(arg(x, 0), a[0]), a) }}
	}
	nonempty := func(x *expression, s []values.Value) {
		if len(s) == 0 {
			fail(x.at, "%s: %s is empty", x.text(), arg(x, 0).text())
		}
	}
	builtins = map[string]builtin{
		"TRUE": constant(truth(true)), "FALSE": constant(truth(false)),
		"BOOLEAN": constant(of(setOfAll([]values.Value{boolean(false), boolean(true)}))),
		"STRING":  constant(result{lazy: infinite("STRING")}), "Nat": constant(result{lazy: infinite("Nat")}),
		"Int": constant(result{lazy: infinite("Int")}), "Real": constant(result{lazy: infinite("Real")}),
		"-.": {1, func(m *machine, x *expression, a []result) result { return number32(x, -m.int(arg(x, 0), a[0])) }},
		"=":  {2, func(m *machine, x *expression, a []result) result { return truth(m.equal(x, a[0], a[1])) }},
		"#":  {2, func(m *machine, x *expression, a []result) result { return truth(!m.equal(x, a[0], a[1])) }},
		`\in`: {2, func(m *machine, x *expression, a []result) result {
			m.set(arg(x, 1), a[1])
			return truth(m.has(x, a[1], a[0]))
		}},
		`\notin`: {2, func(m *machine, x *expression, a []result) result {
			m.set(arg(x, 1), a[1])
			return truth(!m.has(x, a[1], a[0]))
		}},
		`\subseteq`: {2, func(m *machine, x *expression, a []result) result {
			return truth(powerSet{m.set(arg(x, 1), a[1])}.has(m, x, m.set(arg(x, 0), a[0])))
		}},
		`\cup`: sets(`\cup`), `\cap`: sets(`\cap`), `\`: sets(`\`),
		"SUBSET": {1, func(m *machine, x *expression, a []result) result {
			return result{lazy: powerSet{m.set(arg(x, 0), a[0])}}
		}},
		"UNION": {1, func(m *machine, x *expression, a []result) result {
			var all []values.Value
			for _, set := range m.members(arg(x, 0), a[0]) {
				all = append(all, m.members(x, of(set))...)
			}
			return of(setOfAll(all))
		}},
		"DOMAIN": {1, func(m *machine, x *expression, a []result) result {
			if f, is := a[0].lazy.(*lazyFunction); is {
				return f.over
			}
			v := m.value(x, a[0])
			if !isFunction(v) {
				fail(x.at, "%s: %s is no function, but %s: %s", x.text(), arg(x, 0).text(), a[0].what(), a[0].shown())
			}
			return of(setOfAll(slices.Clone(domain(v))))
		}},
		"Cardinality": {1, func(m *machine, x *expression, a []result) result {
			if i, is := a[0].lazy.(interval); is {
				return whole(max(0, i.to-i.from+1))
			}
			return whole(int64(len(m.members(arg(x, 0), a[0]))))
		}},
		"IsFiniteSet": {1, func(m *machine, x *expression, a []result) result {
			_, large := m.set(arg(x, 0), a[0]).lazy.(infinite)
			_, all := a[0].lazy.(sequences)
			return truth(!large && !all)
		}},
		"Seq": {1, func(m *machine, x *expression, a []result) result {
			return result{lazy: sequences{m.set(arg(x, 0), a[0])}}
		}},
		"Len": {1, func(m *machine, x *expression, a []result) result {
			if a[0].lazy == nil && a[0].Kind() == values.String {
				return whole(int64(len([]rune(a[0].Content()))))
			}
			return whole(int64(len(m.sequence(arg(x, 0), a[0]))))
		}},
		"Head": seq(1, func(_ *machine, x *expression, s []values.Value, _ []result) result {
			nonempty(x, s)
			return of(s[0])
		}),
		"Tail": seq(1, func(_ *machine, x *expression, s []values.Value, _ []result) result {
			nonempty(x, s)
			return of(sequenceOf(slices.Clone(s[1:])))
		}),
		"Append": seq(2, func(m *machine, x *expression, s []values.Value, a []result) result {
			return of(sequenceOf(append(slices.Clone(s), m.value(x, a[1]))))
		}),
		`\o`: {2, func(m *machine, x *expression, a []result) result {
			if a[0].lazy == nil && a[0].Kind() == values.String && a[1].lazy == nil && a[1].Kind() == values.String {
				return of(quoted(a[0].Content() + a[1].Content()))
			}
			return of(sequenceOf(slices.Concat(m.sequence(arg(x, 0), a[0]), m.sequence(arg(x, 1), a[1]))))
		}},
		"SubSeq": seq(3, func(m *machine, x *expression, s []values.Value, a []result) result {
			from, to := m.int(arg(x, 1), a[1]), m.int(arg(x, 2), a[2])
			if from > to {
				return of(sequenceOf(nil))
			}
			if from < 1 || to > int64(len(s)) {
				fail(x.at, "%s: %d to %d is not within a sequence of length %d", x.text(), from, to, len(s))
			}
			return of(sequenceOf(slices.Clone(s[from-1 : to])))
		}),
		":>": {2, func(m *machine, x *expression, a []result) result {
			return of(functionOf([]values.Value{m.value(x, a[0])}, []values.Value{m.value(x, a[1])}))
		}},
		"@@": {2, func(m *machine, x *expression, a []result) result {
			f, g := m.value(x, a[0]), m.value(x, a[1])
			for i, v := range []values.Value{f, g} {
				if !isFunction(v) {
					fail(x.at, "%s: %s is no function, but %s: %s", x.text(), arg(x, i).text(), a[i].what(), a[i].shown())
				}
			}
			keys, items := slices.Clone(domain(f)), slices.Clone(f.Items())
			for i, k := range domain(g) {
				if _, both := f.At(k); !both {
					keys, items = append(keys, k), append(items, g.Items()[i])
				}
			}
			return of(functionOf(keys, items))
		}},
		"ToString": {1, func(m *machine, x *expression, a []result) result {
			return of(quoted(m.value(x, a[0]).String()))
		}},
		"PrintT":  {1, func(*machine, *expression, []result) result { return truth(true) }},
		"Print":   {2, func(_ *machine, _ *expression, a []result) result { return a[1] }},
		"TLCEval": {1, func(_ *machine, _ *expression, a []result) result { return a[0] }},
		"Assert": {2, func(m *machine, x *expression, a []result) result {
			if !m.bool(arg(x, 0), a[0]) {
				fail(x.at, "%s: the assertion fails: %s", x.text(), a[1].shown())
			}
			return truth(true)
		}},
		"Permutations": {1, permutations},
		"EmptyBag":     constant(of(sequenceOf(nil))),
		"BagToSet":     {1, func(m *machine, x *expression, a []result) result { return builtins["DOMAIN"].run(m, x, a) }},
		"SetToBag": {1, func(m *machine, x *expression, a []result) result {
			return bag(m.members(x, a[0]), func(values.Value) int64 { return 1 })
		}},
		"BagIn": {2, func(m *machine, x *expression, a []result) result {
			return truth(copies(m, x, a[1], m.value(x, a[0])) > 0)
		}},
		"CopiesIn": {2, func(m *machine, x *expression, a []result) result { return whole(copies(m, x, a[1], m.value(x, a[0]))) }},
		"BagCardinality": {1, func(m *machine, x *expression, a []result) result {
			n := int64(0)
			for _, k := range domain(m.value(x, a[0])) {
				n += copies(m, x, a[0], k)
			}
			return whole(n)
		}},
		"(+)": {2, func(m *machine, x *expression, a []result) result {
			all := setOfAll(slices.Concat(domain(m.value(x, a[0])), domain(m.value(x, a[1])))).Items()
			return bag(all, func(v values.Value) int64 { return copies(m, x, a[0], v) + copies(m, x, a[1], v) })
		}},
		"(-)": {2, func(m *machine, x *expression, a []result) result {
			return bag(domain(m.value(x, a[0])), func(v values.Value) int64 { return copies(m, x, a[0], v) - copies(m, x, a[1], v) })
		}},
	}
	for name := range numeric {
		builtins[name] = builtin{arity: 2}
	}
}

func mustInt(r result) int64 { n, _ := r.Int64(); return n }

// divided divides as TLA+ does: the remainder is not negative if the divisor is positive.
func divided(x *expression, a, b int64) (quotient, rest int64) {
	if b == 0 {
		fail(x.at, "%s divides by 0", x.text())
	}
	quotient, rest = a/b, a%b
	if rest != 0 && (rest < 0) != (b < 0) {
		quotient, rest = quotient-1, rest+b
	}
	return quotient, rest
}

// bag returns the function from each member to the number of its copies, without members that
// have no copy.
func bag(members []values.Value, often func(values.Value) int64) result {
	var keys, items []values.Value
	for _, v := range members {
		if n := often(v); n > 0 {
			keys, items = append(keys, v), append(items, values.OfInt(n))
		}
	}
	return of(functionOf(keys, items))
}

func copies(m *machine, x *expression, bag result, v values.Value) int64 {
	if n, is := m.value(x, bag).At(v); is {
		return m.int(x, of(n))
	}
	return 0
}

func permutations(m *machine, x *expression, a []result) result {
	members := m.members(x, a[0])
	if len(members) > 9 {
		fail(x.at, "%s asks for all permutations of %d members, which are too many", x.text(), len(members))
	}
	var all []values.Value
	var choose func(chosen []values.Value)
	choose = func(chosen []values.Value) {
		if len(chosen) == len(members) {
			all = append(all, functionOf(slices.Clone(members), slices.Clone(chosen)))
			return
		}
		for _, v := range members {
			if !slices.ContainsFunc(chosen, v.Equal) {
				choose(append(chosen[:len(chosen):len(chosen)], v))
			}
		}
	}
	choose(nil)
	return of(setOfAll(all))
}

// notHere are operators whose values depend on how TLC runs; they are refused.
var notHere = words("TLCGet TLCSet RandomElement JavaTime Any TLCFP")

// closest returns a clause with the names nearest to another one; "" if no name
// is near.
func closest(name string, names []string) string {
	identifiers := slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return !strings.ContainsAny(n[:min(1, len(n))], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	})
	if near := values.Closest(name, identifiers, 2); len(near) > 0 {
		return "; the closest names are " + strings.Join(near, " and ")
	}
	return ""
}
