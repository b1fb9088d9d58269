package tlaplus

import (
	"slices"

	"github.com/inev-lts/inev/internal/property/values"
)

// bag returns a bag, which is a function from members to their numbers of copies. It leaves out members
// without copies.
func (m *machine) bag(
	x *expression,
	members []values.Value,
	often func(values.Value) int64,
) result {
	m.spent.room(2 * len(members))
	var keys, items []values.Value
	for _, v := range members {
		m.spent.take(1 + v.Size())
		n := often(v)
		if n > 0 {
			keys = append(keys, v)
			items = append(items, values.OfInt(n))
		}
	}
	return of(m.functionOf(x, keys, items))
}

func copies(m *machine, x *expression, bag result, v values.Value) int64 {
	if n, is := m.value(x, bag).At(v); is {
		return m.int(x, of(n))
	}
	return 0
}

func bagOfSet(m *machine, x *expression, a []result) result {
	return m.bag(x, m.members(x, a[0]), func(values.Value) int64 { return 1 })
}

func bagCardinality(m *machine, x *expression, a []result) result {
	n := int64(0)
	for _, k := range domain(m.value(x, a[0])) {
		n += copies(m, x, a[0], k)
	}
	return whole(n)
}

func bagSum(m *machine, x *expression, a []result) result {
	all := m.setOf(x, slices.Concat(domain(m.value(x, a[0])), domain(m.value(x, a[1])))).Items()
	return m.bag(x, all, func(v values.Value) int64 {
		return copies(m, x, a[0], v) + copies(m, x, a[1], v)
	})
}

func bagDifference(m *machine, x *expression, a []result) result {
	return m.bag(x, domain(m.value(x, a[0])), func(v values.Value) int64 {
		return copies(m, x, a[0], v) - copies(m, x, a[1], v)
	})
}

// isBag reports whether a value is a bag: a function to numbers greater than 0.
func (m *machine) isBag(v values.Value) bool {
	if !isFunction(v) {
		return false
	}
	m.spent.take(len(v.Items()))
	return !slices.ContainsFunc(v.Items(), func(n values.Value) bool {
		number, isNumber := n.Int64()
		return !isNumber || number <= 0
	})
}

// bagUnion is BagUnion(S): each value occurs as often as in all bags of S together.
func bagUnion(m *machine, x *expression, a []result) result {
	bags := m.members(x, a[0])
	var all []values.Value
	for _, bag := range bags {
		m.spent.room(bag.Size())
		all = append(all, domain(bag)...)
	}
	return m.bag(x, m.setOf(x, all).Items(), func(v values.Value) int64 {
		n := int64(0)
		for _, bag := range bags {
			n += copies(m, x, of(bag), v)
		}
		return n
	})
}

// isWithinBag is B1 \sqsubseteq B2.
func isWithinBag(m *machine, x *expression, a []result) result {
	return truth(!slices.ContainsFunc(domain(m.value(x, a[0])), func(v values.Value) bool {
		m.spent.take(1 + v.Size())
		return copies(m, x, a[0], v) > copies(m, x, a[1], v)
	}))
}

// bagsWithin is SubBag(B): the set of the bags that have at most as many copies of each member as B.
func bagsWithin(m *machine, x *expression, a []result) result {
	members := domain(m.value(x, a[0]))
	chosen := [][]int64{make([]int64, len(members))}
	for i, v := range members {
		mostCopies := copies(m, x, a[0], v)
		if mostCopies >= mostMembers || int64(len(chosen))*(mostCopies+1) > mostMembers {
			fail(x.at, "%s has more than %d members", x.text(), mostMembers)
		}
		for _, fewer := range chosen {
			for n := range mostCopies {
				m.spent.room(len(members))
				extended := slices.Clone(fewer)
				extended[i] = n + 1
				chosen = append(chosen, extended)
			}
		}
	}
	var all []values.Value
	for _, counts := range chosen {
		i := -1
		one := m.bag(x, members, func(values.Value) int64 {
			i++
			return counts[i]
		})
		all = append(all, one.Value)
	}
	return of(m.setOf(x, all))
}

// bagOfAll compiles BagOfAll(F, B): the bag with a copy of F(e) for each copy of e.
func (s *scope) bagOfAll(x *expression) *compiled {
	c := &compiled{}
	op := s.operator(x.args[0], 1, c)
	bagCode := s.compilePart(x.args[1], c)
	c.run = func(m *machine, e *env) result {
		bag := bagCode.run(m, e)
		o := op(e)
		var images []values.Value
		members := domain(m.value(x, bag))
		for _, v := range members {
			m.spent.room(1 + v.Size())
			images = append(images, m.value(x.args[0], o(m, []*env{bind(nil, of(v))})))
		}
		different := m.setOf(x, slices.Clone(images)).Items()
		return m.bag(x, different, func(image values.Value) int64 {
			n := int64(0)
			for i, v := range members {
				m.spent.take(1 + image.Size())
				if m.same(images[i], image) {
					n += copies(m, x, bag, v)
				}
			}
			return n
		})
	}
	return c
}
