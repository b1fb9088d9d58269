package tlaplus

import (
	"github.com/inev-lts/inev/internal/property/values"
)

// bounds returns the scope in which the names of some bounds are bound, and the function that
// enumerates their values.
func (s *scope) bounds(bounds []bound, c *compiled, sorted bool) (*scope, ranges) {
	return s.withBounds(bounds), s.enumeration(bounds, c, sorted)
}

// withBounds returns the scope in which the names of some bounds are bound.
func (s *scope) withBounds(bounds []bound) *scope {
	inner := s
	for _, b := range bounds {
		for _, name := range b.names {
			inner = inner.bind(name, 0, compiled{})
		}
	}
	return inner
}

// enumeration returns the function that enumerates the values of the names of some bounds. The sets
// cannot use these names.
func (s *scope) enumeration(bounds []bound, c *compiled, sorted bool) ranges {
	r := &boundRanges{bounds: bounds, sorted: sorted, sets: make([]*compiled, len(bounds))}
	for i, b := range bounds {
		if r.sharesSet(i) {
			r.sets[i] = r.sets[i-1]
		} else {
			r.sets[i] = s.compilePart(b.set, c)
		}
	}
	if len(bounds) == 1 {
		return r.eachMember
	}
	return r.eachCombination
}

// boundRanges enumerates the values of the names of some bounds.
type boundRanges struct {
	bounds []bound
	sets   []*compiled
	sorted bool // whether members are enumerated in the order of TLC
}

// sharesSet reports whether a bound has the same set expression as the bound before it, like y in x, y
// \in S.
func (r *boundRanges) sharesSet(i int) bool {
	return i > 0 && r.bounds[i].set == r.bounds[i-1].set
}

// members returns the members of the set of bound i.
func (r *boundRanges) members(m *machine, e *env, i int) []values.Value {
	all := m.members(r.bounds[i].set, r.sets[i].run(m, e))
	if r.sorted {
		return m.sorted(all)
	}
	return all
}

// eachMember enumerates the values of a single bound.
func (r *boundRanges) eachMember(m *machine, e *env, yield func(*env) bool) {
	b := &r.bounds[0]
	for _, v := range r.members(m, e, 0) {
		m.work()
		if !yield(b.bind(b.set, e, v)) {
			return
		}
	}
}

// eachCombination enumerates the values of several bounds.
func (r *boundRanges) eachCombination(m *machine, e *env, yield func(*env) bool) {
	members := make([][]values.Value, len(r.bounds))
	for i := range r.bounds {
		if r.sharesSet(i) {
			members[i] = members[i-1]
		} else {
			members[i] = r.members(m, e, i)
		}
	}
	r.combine(m, e, members, yield)
}

// combine binds the last bounds to each combination of members; members has the set of each of these
// bounds. combine returns false as soon as yield does.
func (r *boundRanges) combine(m *machine, e *env, members [][]values.Value, yield func(*env) bool) bool {
	if len(members) == 0 {
		m.work()
		return yield(e)
	}
	b := &r.bounds[len(r.bounds)-len(members)]
	for _, v := range members[0] {
		if !r.combine(m, b.bind(b.set, e, v), members[1:], yield) {
			return false
		}
	}
	return true
}

// bind binds a name to a value, or the names of a tuple to the items of the value.
func (b *bound) bind(x *expression, e *env, v values.Value) *env {
	if !b.tuple {
		return bind(e, of(v))
	}
	if v.Kind() != values.Sequence || len(v.Items()) != len(b.names) {
		fail(x.at, "%s is no tuple of %d", of(v).shown(), len(b.names))
	}
	for _, item := range v.Items() {
		e = bind(e, of(item))
	}
	return e
}
