package tlaplus

import (
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/inev-lts/inev/internal/property/values"
)

// calculation returns the result of an operator on two numbers.
type calculation func(x *expression, a, b int64) result

// numeric has the operators on two numbers.
var numeric = sync.OnceValue(func() map[string]calculation {
	return map[string]calculation{
		"+": func(x *expression, a, b int64) result {
			return number32(x, a+b)
		},
		"-": func(x *expression, a, b int64) result {
			return number32(x, a-b)
		},
		"*": func(x *expression, a, b int64) result {
			return number32(x, a*b)
		},
		"<":  func(_ *expression, a, b int64) result { return truth(a < b) },
		"<=": func(_ *expression, a, b int64) result { return truth(a <= b) },
		">":  func(_ *expression, a, b int64) result { return truth(a > b) },
		">=": func(_ *expression, a, b int64) result { return truth(a >= b) },
		"..": func(_ *expression, a, b int64) result {
			return result{lazy: interval{a, b}}
		},
		`\div`: func(x *expression, a, b int64) result {
			q, _ := divided(x, a, b)
			return whole(q)
		},
		"%": func(x *expression, a, b int64) result {
			if b <= 0 {
				fail(x.at, "%s: the second operand of %% has to be greater than 0, and is %d",
					x.text(), b)
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
				n, _ = number32(x, n*a).Int64()
			}
			if b > 64 && a == -1 && b%2 != 0 {
				return whole(-1)
			}
			return whole(n)
		},
	}
})

// builtins has all operators whose arguments are evaluated first. For numeric operators it has only the
// arity.
var builtins func() map[string]builtin

func init() {
	builtins = sync.OnceValue(newBuiltins)
} // breaks a cycle of initialisation: operators evaluate arguments, which may apply operators

// newBuiltins maps the names of the built-in operators whose arguments are values to the operators. Those that
// only calculate with numbers are in numeric.
func newBuiltins() map[string]builtin {
	all := map[string]builtin{
		"TRUE":        constantOf(truth(true)),
		"FALSE":       constantOf(truth(false)),
		"BOOLEAN":     constantOf(of(setOfAll([]values.Value{boolean(false), boolean(true)}))),
		"STRING":      constantOf(result{lazy: infinite("STRING")}),
		"Nat":         constantOf(result{lazy: infinite("Nat")}),
		"Int":         constantOf(result{lazy: infinite("Int")}),
		"Real":        constantOf(result{lazy: infinite("Real")}),
		"-.":          {1, negative},
		"=":           {2, func(m *machine, x *expression, a []result) result { return truth(m.equal(x, a[0], a[1])) }},
		"#":           {2, func(m *machine, x *expression, a []result) result { return truth(!m.equal(x, a[0], a[1])) }},
		`\in`:         {2, func(m *machine, x *expression, a []result) result { return truth(isMember(m, x, a)) }},
		`\notin`:      {2, func(m *machine, x *expression, a []result) result { return truth(!isMember(m, x, a)) }},
		`\subseteq`:   {2, isSubset},
		`\cup`:        {2, combination(`\cup`)},
		`\cap`:        {2, combination(`\cap`)},
		`\`:           {2, combination(`\`)},
		"SUBSET":      {1, subsets},
		"UNION":       {1, union},
		"Cardinality": {1, cardinality},
		"IsFiniteSet": {1, isFinite},

		"DOMAIN": {1, domainOf},
		":>":     {2, singleton},
		"@@":     {2, mergeFunctions},

		"Seq":    {1, allSequences},
		"Len":    {1, length},
		"Head":   {1, head},
		"Tail":   {1, tail},
		"Append": {2, appended},
		`\o`:     {2, concatenated},
		"SubSeq": {3, subsequence},

		"ToString":     {1, toString},
		"PrintT":       {1, func(*machine, *expression, []result) result { return truth(true) }},
		"Print":        {2, func(_ *machine, _ *expression, a []result) result { return a[1] }},
		"TLCEval":      {1, func(_ *machine, _ *expression, a []result) result { return a[0] }},
		"Assert":       {2, assert},
		"Permutations": {1, permutations},

		"EmptyBag": constantOf(of(sequenceOf(nil))),
		"BagToSet": {1, domainOf},
		"SetToBag": {1, bagOfSet},
		"BagIn": {2, func(m *machine, x *expression, a []result) result {
			return truth(copies(m, x, a[1], m.value(x, a[0])) > 0)
		}},
		"CopiesIn":       {2, func(m *machine, x *expression, a []result) result { return whole(copies(m, x, a[1], m.value(x, a[0]))) }},
		"BagCardinality": {1, bagCardinality},
		"(+)":            {2, bagSum},
		"(-)":            {2, bagDifference},
		"IsABag":         {1, func(m *machine, x *expression, a []result) result { return truth(m.isBag(m.value(x, a[0]))) }},
		"BagUnion":       {1, bagUnion},
		"SubBag":         {1, bagsWithin},
		`\sqsubseteq`:    {2, isWithinBag},

		"AssertEq": {2, func(m *machine, x *expression, a []result) result { return truth(m.equal(x, a[0], a[1])) }},
		"TLCNoOp":  {1, func(_ *machine, _ *expression, a []result) result { return a[0] }},
		"TLCCache": {2, func(_ *machine, _ *expression, a []result) result { return a[0] }},
		"TLCDefer": {1, func(*machine, *expression, []result) result { return truth(true) }},
	}
	for name := range numeric() {
		all[name] = builtin{arity: 2}
	}
	return all
}

func constantOf(r result) builtin {
	return builtin{0, func(*machine, *expression, []result) result { return r }}
}

func negative(m *machine, x *expression, a []result) result {
	return number32(x, -m.int(arg(x, 0), a[0]))
}

func isMember(m *machine, x *expression, a []result) bool {
	m.requireSet(arg(x, 1), a[1])
	return m.has(x, a[1], a[0])
}

func isSubset(m *machine, x *expression, a []result) result {
	larger := &powerSet{of: m.requireSet(arg(x, 1), a[1])}
	return truth(larger.has(m, x, m.requireSet(arg(x, 0), a[0])))
}

// combination returns the set operator with this sign. The operator lists the members of the
// result, unless a set without listed members may make the result larger than the sets whose
// members are listed.
func combination(sign string) func(m *machine, x *expression, a []result) result {
	return func(m *machine, x *expression, a []result) result {
		c := &combined{
			sign: sign,
			a:    m.requireSet(arg(x, 0), a[0]),
			b:    m.requireSet(arg(x, 1), a[1]),
		}
		c.n = partsOf(c.a, c.b)
		isLarge := c.a.isUnlisted()
		switch sign {
		case `\cup`:
			isLarge = isLarge || c.b.isUnlisted()
		case `\cap`:
			isLarge = isLarge && c.b.isUnlisted()
		}
		if isLarge {
			return m.unlisted(x, c)
		}
		return of(c.all(m, x))
	}
}

func subsets(m *machine, x *expression, a []result) result {
	return m.unlisted(x, &powerSet{of: m.requireSet(arg(x, 0), a[0])})
}

// union is UNION S. The result stays unlisted if a member of S is.
func union(m *machine, x *expression, a []result) result {
	if p, isUnlisted := a[0].lazy.(*powerSet); isUnlisted {
		return p.of
	}
	var sets []result
	if parts, isUnlisted := m.requireSet(arg(x, 0), a[0]).lazy.(*unlistedParts); isUnlisted {
		sets = parts.items
	} else {
		for _, set := range m.members(arg(x, 0), a[0]) {
			sets = append(sets, of(set))
		}
	}
	for _, set := range sets {
		m.requireSet(x, set)
	}
	if slices.ContainsFunc(sets, result.isUnlisted) {
		return m.unlisted(x, &unionOf{x: x, sets: sets, n: partsOf(sets...)})
	}
	return of(m.unionOf(x, sets))
}

// domainOf is DOMAIN f. It lists no values of a function that is evaluated on demand.
func domainOf(m *machine, x *expression, a []result) result {
	if f, isUnlisted := a[0].lazy.(*lazyFunction); isUnlisted {
		return f.over
	}
	if f, isUnlisted := a[0].lazy.(*unlistedParts); isUnlisted && f.kind != values.Set {
		m.spent.room(len(f.items))
		return of(m.setOf(x, slices.Clone(f.domain())))
	}
	v := m.value(x, a[0])
	if !isFunction(v) {
		fail(x.at, "%s: %s is no function, but %s: %s", x.text(), arg(x, 0).text(), a[0].what(),
			a[0].shown())
	}
	m.spent.room(len(v.Items()))
	return of(m.setOf(x, slices.Clone(domain(v))))
}

func cardinality(m *machine, x *expression, a []result) result {
	return number32(x, m.size(arg(x, 0), m.requireSet(arg(x, 0), a[0])))
}

func isFinite(m *machine, x *expression, a []result) result {
	return truth(m.isFinite(x, m.requireSet(arg(x, 0), a[0])))
}

func allSequences(m *machine, x *expression, a []result) result {
	return m.unlisted(x, &sequences{m.requireSet(arg(x, 0), a[0])})
}

func length(m *machine, x *expression, a []result) result {
	if isString(a[0]) {
		m.spent.take(len(a[0].Content()) / 16)
		return whole(int64(utf8.RuneCountInString(a[0].Content())))
	}
	return whole(int64(len(m.sequence(arg(x, 0), a[0]))))
}

func head(m *machine, x *expression, a []result) result {
	s := m.sequence(arg(x, 0), a[0])
	nonempty(x, s)
	return of(s[0])
}

// tail is Tail. As in TLC, it also accepts strings, unlike Head and Append.
func tail(m *machine, x *expression, a []result) result {
	if isString(a[0]) {
		characters := m.charactersOf(a[0])
		if len(characters) == 0 {
			failEmpty(x)
		}
		return of(m.textOf(x, string(characters[1:])))
	}
	s := m.sequence(arg(x, 0), a[0])
	nonempty(x, s)
	m.spent.room(len(s))
	return of(m.sequenceOf(x, slices.Clone(s[1:])))
}

func appended(m *machine, x *expression, a []result) result {
	s := m.sequence(arg(x, 0), a[0])
	m.spent.room(len(s))
	return of(m.sequenceOf(x, append(slices.Clone(s), m.value(x, a[1]))))
}

func concatenated(m *machine, x *expression, a []result) result {
	if isString(a[0]) && isString(a[1]) {
		return of(m.textOf(x, a[0].Content(), a[1].Content()))
	}
	first := m.sequence(arg(x, 0), a[0])
	second := m.sequence(arg(x, 1), a[1])
	m.fits(x, len(first)+len(second))
	m.spent.room(len(first) + len(second))
	return of(m.sequenceOf(x, slices.Concat(first, second)))
}

// subsequence is SubSeq(s, from, to), also of a string.
func subsequence(m *machine, x *expression, a []result) result {
	from := m.int(arg(x, 1), a[1])
	to := m.int(arg(x, 2), a[2])
	if isString(a[0]) {
		characters := m.charactersOf(a[0])
		first, end := offsetsWithin(x, from, to, len(characters))
		return of(m.textOf(x, string(characters[first:end])))
	}
	s := m.sequence(arg(x, 0), a[0])
	first, end := offsetsWithin(x, from, to, len(s))
	m.spent.room(end - first)
	return of(m.sequenceOf(x, slices.Clone(s[first:end])))
}

// offsetsWithin returns the offsets of the items with the numbers from … to of a sequence, counted from
// 1. It fails if the sequence lacks some of these items.
func offsetsWithin(x *expression, from, to int64, length int) (first, behind int) {
	if from > to {
		return 0, 0
	}
	if from < 1 || to > int64(length) {
		fail(x.at, "%s: %d to %d is not within a sequence of length %d", x.text(), from, to,
			length)
	}
	return int(from - 1), int(to)
}

// isString reports whether a value is a string.
func isString(r result) bool { return r.lazy == nil && r.Kind() == values.String }

// charactersOf returns the characters of a string.
func (m *machine) charactersOf(text result) []rune {
	m.spent.take(len(text.Content()) / 4)
	return []rune(text.Content())
}

// nonempty fails if the first operand is the empty sequence.
func nonempty(x *expression, s []values.Value) {
	if len(s) == 0 {
		failEmpty(x)
	}
}

func failEmpty(x *expression) {
	fail(x.at, "%s: %s is empty", x.text(), arg(x, 0).text())
}

func singleton(m *machine, x *expression, a []result) result {
	c := composer{kind: values.Function}
	c.add(m, x, a[1])
	return c.made(m, x, []values.Value{m.value(x, a[0])})
}

// mergeFunctions is f @@ g: a function with the items of f and, at the keys that f lacks, those of
// g.
func mergeFunctions(m *machine, x *expression, a []result) result {
	f := m.functionAt(x, a, 0)
	g := m.functionAt(x, a, 1)
	m.spent.room(2 * (len(f.keys) + len(g.keys)))
	keys := slices.Clone(f.keys)
	c := composer{kind: values.Function}
	for i := range keys {
		c.add(m, x, f.item(i))
	}
	for i, k := range g.keys {
		m.spent.take(1 + k.Size())
		if !f.has(k) {
			keys = append(keys, k)
			c.add(m, x, g.item(i))
		}
	}
	return c.made(m, x, keys)
}

// keyed is a function by its keys.
type keyed struct {
	keys []values.Value
	item func(i int) result // of the key of this number
	has  func(key values.Value) bool
}

// functionAt returns argument i of an operator, which must be a function.
func (m *machine) functionAt(x *expression, a []result, i int) keyed {
	if f, isUnlisted := a[i].lazy.(*unlistedParts); isUnlisted && f.kind != values.Set {
		return keyed{
			keys: f.domain(),
			item: func(i int) result { return f.items[i] },
			has: func(k values.Value) bool {
				_, found := f.at(m, k)
				return found
			},
		}
	}
	v := m.value(x, a[i])
	if !isFunction(v) {
		fail(x.at, "%s: %s is no function, but %s: %s", x.text(), arg(x, i).text(), a[i].what(),
			a[i].shown())
	}
	return keyed{
		keys: domain(v),
		item: func(i int) result { return of(v.Items()[i]) },
		has: func(k values.Value) bool {
			_, found := v.At(k)
			return found
		},
	}
}

func toString(m *machine, x *expression, a []result) result {
	v := m.value(x, a[0])
	m.spent.take(v.Size())
	return of(m.textOf(x, v.Start(mostText)))
}

func assert(m *machine, x *expression, a []result) result {
	if !m.bool(arg(x, 0), a[0]) {
		fail(x.at, "%s: the assertion fails: %s", x.text(), a[1].shown())
	}
	return truth(true)
}
