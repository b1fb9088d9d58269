package tlaplus

import (
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/property/values"
)

// isUnlisted reports whether a result is a set or function that stays unlisted when it becomes part of
// another one. Its members may be too many, and are listed only if all of them are needed.
func (r result) isUnlisted() bool {
	switch l := r.lazy.(type) {
	case nil:
		return false
	case interval:
		return l.size() > mostMembers
	case *lazyFunction:
		return l.over.isUnlisted()
	}
	return true
}

// listing is a set with all its members, which are listed once.
type listing struct {
	all   values.Value
	known bool
}

// once returns the set, which list lists.
func (l *listing) once(list func() values.Value) values.Value {
	if !l.known {
		l.all = list()
		l.known = true
	}
	return l.all
}

// powerSet is SUBSET S.
type powerSet struct {
	of result
	listing
}

func (p *powerSet) parts() int { return partsOf(p.of) }

func (p *powerSet) text() string { return "SUBSET " + p.of.shown() }

// has reports whether a set is a subset of S. It lists the members of the set, but no subsets of S.
func (p *powerSet) has(m *machine, x *expression, v result) bool {
	m.requireSet(x, v)
	if v.isSameInfinite(p.of) {
		return true
	}
	for _, member := range m.members(x, v) {
		if !m.has(x, p.of, of(member)) {
			return false
		}
	}
	return true
}

// isSameInfinite reports whether two sets are the same set among Nat, Int, STRING and Real, or are
// built in the same way from the same set. Other sets must be compared by their members.
func (r result) isSameInfinite(other result) bool {
	switch a := r.lazy.(type) {
	case infinite:
		b, isSameKind := other.lazy.(infinite)
		return isSameKind && a == b
	case *sequences:
		b, isSameKind := other.lazy.(*sequences)
		return isSameKind && a.of.isSameInfinite(b.of)
	case *powerSet:
		b, isSameKind := other.lazy.(*powerSet)
		return isSameKind && a.of.isSameInfinite(b.of)
	}
	return false
}

// mostInPowerSet is the largest number of members of a set whose subsets are listed.
const mostInPowerSet = 19

// all returns the set of all subsets of S. It fails if they are too many.
func (p *powerSet) all(m *machine, x *expression) values.Value {
	return p.once(func() values.Value {
		members := m.members(x, p.of)
		if len(members) > mostInPowerSet {
			tooLarge(x, p)
		}
		all := make([]values.Value, 0, 1<<len(members))
		for chosen := range 1 << len(members) { // a bit for each member
			m.work()
			var subset []values.Value
			for i, v := range members {
				if chosen>>i&1 != 0 {
					subset = append(subset, v)
				}
			}
			all = append(all, m.setOf(x, subset))
		}
		return m.setOf(x, all)
	})
}

// functionSet is [S -> T], a set of records or a product: it has keys, and a set of values for each
// key.
type functionSet struct {
	x    *expression
	keys []values.Value
	sets []result
	n    int // the number of sets in it
	listing
}

func (f *functionSet) parts() int { return f.n }

func (f *functionSet) text() string { return f.x.text() }

// has reports whether a value is a function that has the keys of the set, and a value of the right set for each of
// them. As in TLC, a model value may be asked about, and is in no such set; other values that are no functions are
// mistakes.
func (f *functionSet) has(m *machine, x *expression, v result) bool {
	function := m.value(x, v)
	if isModelValue(function) {
		return false
	}
	if !isFunction(function) {
		fail(x.at, "%s asks whether %s, %s, is a function", x.text(), v.shown(), v.what())
	}
	if len(function.Items()) != len(f.keys) {
		return false
	}
	for i, key := range f.keys {
		item, hasKey := function.At(key)
		if !hasKey || !m.has(x, f.sets[i], of(item)) {
			return false
		}
	}
	return true
}

func (f *functionSet) all(m *machine, x *expression) values.Value {
	return f.once(func() values.Value { return f.list(m, x) })
}

// list returns the set with all its members listed. It fails if there are too many.
func (f *functionSet) list(m *machine, x *expression) values.Value {
	n := 1
	var members [][]values.Value
	for _, set := range f.sets {
		itemSet := m.members(x, set)
		members = append(members, itemSet)
		n *= len(itemSet)
		if n > mostMembers {
			tooLarge(x, f)
		}
	}
	var all []values.Value
	items := make([]values.Value, len(members))
	var fill func(int)
	fill = func(i int) {
		if i == len(items) {
			m.work()
			if f.x.kind == product {
				all = append(all, m.sequenceOf(x, slices.Clone(items)))
			} else {
				all = append(all, m.functionOf(x, slices.Clone(f.keys), slices.Clone(items)))
			}
			return
		}
		for _, v := range members[i] {
			items[i] = v
			fill(i + 1)
		}
	}
	fill(0)
	return m.setOf(x, all)
}

// sequences is Seq(S).
type sequences struct{ of result }

func (s *sequences) parts() int { return partsOf(s.of) }

func (s *sequences) text() string { return "Seq(" + s.of.shown() + ")" }

// has reports whether a value is a sequence of members of S. As in TLC, a model value may be asked about,
// and is none; other values that are no functions are mistakes.
func (s *sequences) has(m *machine, x *expression, v result) bool {
	sequence := m.value(x, v)
	if !isFunction(sequence) && !isModelValue(sequence) {
		fail(x.at, "%s asks whether %s, %s, is a sequence", x.text(), v.shown(), v.what())
	}
	if sequence.Kind() != values.Sequence {
		return false
	}
	for _, item := range sequence.Items() {
		if !m.has(x, s.of, of(item)) {
			return false
		}
	}
	return true
}

func (s *sequences) all(m *machine, x *expression) values.Value {
	return infinite(s.text()).all(m, x)
}

// combined is a union, intersection or difference of two sets. At least one of the sets is lazy.
type combined struct {
	sign string
	a, b result
	n    int // the number of sets in it
	listing
}

func (c *combined) parts() int { return c.n }

func (c *combined) text() string { return c.a.shown() + " " + c.sign + " " + c.b.shown() }

func (c *combined) has(m *machine, x *expression, v result) bool {
	switch c.sign {
	case `\cup`:
		return m.has(x, c.a, v) || m.has(x, c.b, v)
	case `\cap`:
		return m.has(x, c.a, v) && m.has(x, c.b, v)
	}
	return m.has(x, c.a, v) && !m.has(x, c.b, v)
}

func (c *combined) all(m *machine, x *expression) values.Value {
	return c.once(func() values.Value { return c.list(m, x) })
}

// list returns the set with all its members listed. Of an intersection it lists the members of the set that is listed
// or, if neither is, of one that is finite.
func (c *combined) list(m *machine, x *expression) values.Value {
	first := c.a
	second := c.b
	isSecondEasier := first.isUnlisted() && (!second.isUnlisted() || !first.isSurelyFinite())
	if c.sign == `\cap` && isSecondEasier {
		first, second = second, first
	}
	members := m.members(x, first)
	m.spent.room(len(members))
	var all []values.Value
	for _, v := range members {
		if c.sign == `\cup` || m.has(x, second, of(v)) == (c.sign == `\cap`) {
			all = append(all, v)
		}
	}
	if c.sign == `\cup` {
		all = append(all, m.members(x, second)...)
	}
	return m.setOf(x, all)
}

// unionOf is the UNION of some sets. At least one of the sets is not listed.
type unionOf struct {
	x    *expression
	sets []result
	n    int // the number of sets in it
	listing
}

func (u *unionOf) parts() int { return u.n }

func (u *unionOf) text() string { return u.x.text() }

func (u *unionOf) has(m *machine, x *expression, v result) bool {
	return slices.ContainsFunc(u.sets, func(set result) bool {
		return m.has(x, set, v)
	})
}

func (u *unionOf) all(m *machine, x *expression) values.Value {
	return u.once(func() values.Value { return m.unionOf(x, u.sets) })
}

// unionOf returns the union of some sets, with all members listed.
func (m *machine) unionOf(x *expression, sets []result) values.Value {
	var all []values.Value
	for _, set := range sets {
		members := m.members(x, set)
		m.spent.room(len(members))
		all = append(all, members...)
	}
	return m.setOf(x, all)
}

// filteredSet is {x \in S : p(x)}, where S is not listed.
type filteredSet struct {
	x    *expression
	over result
	// holds reports whether p holds for a value in the state in which the set was made.
	holds func(m *machine, x *expression, v values.Value) bool
	listing
}

func (f *filteredSet) parts() int { return partsOf(f.over) }

func (f *filteredSet) text() string { return f.x.text() }

func (f *filteredSet) has(m *machine, x *expression, v result) bool {
	return m.has(x, f.over, v) && f.holds(m, x, m.value(x, v))
}

func (f *filteredSet) all(m *machine, x *expression) values.Value {
	return f.once(func() values.Value {
		var all []values.Value
		for _, v := range m.members(x, f.over) {
			if f.holds(m, x, v) {
				all = append(all, v)
			}
		}
		return m.setOf(x, all)
	})
}

// unlistedParts is a set, sequence, record or function with items that are unlisted sets or functions.
type unlistedParts struct {
	x    *expression
	kind values.Kind
	// keys are the keys of a record or function, whose items are in the order of the keys.
	keys  []values.Value
	items []result
	n     int // the number of sets in it
	listing
}

func (u *unlistedParts) parts() int { return u.n }

func (u *unlistedParts) text() string { return u.x.text() }

func (u *unlistedParts) what() string {
	switch u.kind {
	case values.Set:
		return "a set"
	case values.Sequence:
		return "a sequence"
	}
	return "a function"
}

func (u *unlistedParts) has(m *machine, x *expression, v result) bool {
	return m.memberOf(x, u.all(m, x), m.value(x, v))
}

func (u *unlistedParts) all(m *machine, x *expression) values.Value {
	return u.once(func() values.Value {
		m.spent.room(len(u.items))
		items := make([]values.Value, len(u.items))
		for i, item := range u.items {
			items[i] = m.value(x, item)
		}
		return m.madeOf(x, u.kind, slices.Clone(u.keys), items)
	})
}

// at returns the item at a key.
func (u *unlistedParts) at(m *machine, k values.Value) (item result, found bool) {
	if u.kind == values.Sequence {
		n, isNumber := k.Int64()
		if !isNumber || n < 1 || n > int64(len(u.items)) {
			return result{}, false
		}
		return u.items[n-1], true
	}
	i := slices.IndexFunc(u.keys, func(key values.Value) bool {
		return m.same(key, k)
	})
	if i < 0 {
		return result{}, false
	}
	return u.items[i], true
}

// domain returns the domain of a sequence, record or function, in the order of its items.
func (u *unlistedParts) domain() []values.Value {
	if u.kind != values.Sequence {
		return u.keys
	}
	all := make([]values.Value, len(u.items))
	for i := range all {
		all[i] = values.OfInt(int64(i + 1))
	}
	return all
}

// madeOf returns a set, a sequence or a function with these items; only a function uses keys.
func (m *machine) madeOf(
	x *expression,
	kind values.Kind,
	keys, items []values.Value,
) values.Value {
	switch kind {
	case values.Set:
		return m.setOf(x, items)
	case values.Sequence:
		return m.sequenceOf(x, items)
	}
	return m.functionOf(x, keys, items)
}

// composer builds a set, sequence or function from items that are added one after another. If an item
// is not listed, the result is not listed, either.
type composer struct {
	kind  values.Kind
	items []values.Value
	// unlisted has all items once one of them is not listed; until then it is nil.
	unlisted []result
}

// add adds an item, which may be unlisted.
func (c *composer) add(m *machine, x *expression, item result) {
	if c.unlisted == nil {
		if !item.isUnlisted() {
			c.items = append(c.items, m.value(x, item))
			return
		}
		for _, v := range c.items {
			c.unlisted = append(c.unlisted, of(v))
		}
	}
	m.spent.room(1)
	c.unlisted = append(c.unlisted, item)
}

// made returns what the items form. The keys are those of a function, and may become part of it.
func (c *composer) made(m *machine, x *expression, keys []values.Value) result {
	if c.unlisted == nil {
		return of(m.madeOf(x, c.kind, keys, c.items))
	}
	return m.unlisted(x, &unlistedParts{
		x:     x,
		kind:  c.kind,
		keys:  keys,
		items: c.unlisted,
		n:     partsOf(c.unlisted...),
	})
}

// construct returns the set, sequence or function of the values of some parts.
func (m *machine) construct(
	x *expression,
	kind values.Kind,
	keys []values.Value,
	parts []*compiled,
	e *env,
) result {
	c := composer{kind: kind, items: make([]values.Value, 0, len(parts))}
	for _, p := range parts {
		c.add(m, x, p.run(m, e))
	}
	return c.made(m, x, keys)
}

// finiteness says whether a set is finite, as far as the sets that it is built from decide that.
type finiteness uint8

// The kinds of sets in ascending order. A set of functions, or a UNION, has the largest kind of the
// sets that it is built from.
const (
	finite finiteness = iota
	endless
	undecided
)

// finiteness is decided where TLC decides it.
func (r result) finiteness() finiteness {
	switch s := r.lazy.(type) {
	case infinite, *sequences:
		return endless
	case *powerSet:
		return s.of.finiteness()
	case *functionSet:
		return largest(s.sets...)
	case *unionOf:
		return largest(s.sets...)
	case *filteredSet:
		if !s.over.isSurelyFinite() {
			return undecided
		}
	case *combined:
		return s.finiteness()
	}
	return finite
}

// finiteness returns what is decided by the two sets alone.
func (c *combined) finiteness() finiteness {
	switch {
	case c.sign == `\cup`:
		return largest(c.a, c.b)
	case c.a.isSurelyFinite(), c.sign == `\cap` && c.b.isSurelyFinite():
		return finite
	case c.sign == `\` && c.b.isSurelyFinite():
		return c.a.finiteness()
	}
	return undecided
}

// largest returns the largest of the finiteness of several sets.
func largest(all ...result) finiteness {
	most := finite
	for _, r := range all {
		most = max(most, r.finiteness())
	}
	return most
}

func (r result) isSurelyFinite() bool { return r.finiteness() == finite }

// isFinite reports whether a set is finite. As in TLC, it fails if that is not decided.
func (m *machine) isFinite(x *expression, r result) bool {
	f := r.finiteness()
	if f == undecided {
		fail(x.at, "%s asks whether %s is finite, which cannot be decided", x.text(), r.shown())
	}
	return f == finite
}

// size returns the number of members of a set. It counts the members of power sets and of sets of
// functions without listing them.
func (m *machine) size(x *expression, r result) int64 {
	switch s := r.lazy.(type) {
	case interval:
		n, _ := number32(x, int64(min(s.size(), math.MaxInt64))).Int64()
		return n
	case *powerSet:
		n := m.size(x, s.of)
		if n >= 32 {
			fail(x.at, "%s is 2^%d, which is larger than the numbers of TLC", x.text(), n)
		}
		return 1 << n
	case *functionSet:
		n := int64(1)
		for _, set := range s.sets {
			n, _ = number32(x, n*m.size(x, set)).Int64()
		}
		return n
	}
	return int64(len(m.members(x, r)))
}
