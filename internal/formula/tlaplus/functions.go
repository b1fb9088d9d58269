package tlaplus

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/property/values"
)

// key returns the key at which a function is applied: its argument or, if there are several, the
// sequence of its arguments.
func key(m *machine, x *expression, args []*compiled, e *env) result {
	if len(args) == 1 {
		return args[0].run(m, e)
	}
	return of(m.sequenceOf(x, m.valuesOf(x, args, e)))
}

// applyFunction returns the value of a function at a key.
func (m *machine) applyFunction(x *expression, f, k result) result {
	switch lazy := f.lazy.(type) {
	case *lazyFunction:
		return lazy.at(m, x, k)
	case *unlistedParts:
		if lazy.kind == values.Set {
			break
		}
		v, found := lazy.at(m, m.value(x, k))
		if !found {
			fail(x.at, "%s: %s is not in the domain of %s, which is %s", x.text(), k.shown(),
				x.args[0].text(), f.shown())
		}
		return v
	}
	if f.lazy != nil || !isFunction(f.Value) {
		fail(x.at, "%s: %s is no function, but %s: %s", x.text(), x.args[0].text(), f.what(),
			f.shown())
	}
	v, found := f.At(m.value(x, k))
	if !found {
		fail(x.at, "%s: %s is not in the domain of %s, which is %s%s", x.text(), k.shown(),
			x.args[0].text(), f.shown(), unquoted(f, k))
	}
	return of(v)
}

// unquoted returns a clause about a key that is a string, if the domain of a function has the model
// value of this name; "" otherwise.
func unquoted(f, k result) string {
	if !isString(k) {
		return ""
	}
	modelValue := values.Make(values.Text, k.Content(), nil, nil)
	_, isInDomain := f.At(modelValue)
	if !isInDomain {
		return ""
	}
	return fmt.Sprintf("; the model value %s, without quotes, is in it", k.Content())
}

// function returns the code of [x \in S |-> e], or of a definition f[x \in S] == e. The expression e of
// a definition may use f.
func (s *scope) function(
	x *expression,
	name string,
	bounds []bound,
	item *expression,
) *compiled {
	c := &compiled{}
	outer := s
	if name != "" {
		outer = s.bind(name, 0, compiled{level: Constant})
	}
	// The sets cannot use the name of the function.
	ranges := s.enumeration(bounds, c, false)
	itemCode := outer.withBounds(bounds).compilePart(item, c)
	domain := bounds[0].set
	if len(bounds) > 1 {
		domain = &expression{kind: product, at: x.at, source: x.source}
		for _, b := range bounds {
			domain.args = append(domain.args, b.set)
		}
	}
	domainCode := s.compile(domain)
	c.run = func(m *machine, e *env) result {
		domainValue := m.requireSet(x, domainCode.run(m, e))
		if name != "" || !domainValue.isSurelyFinite() {
			lazy := &lazyFunctionCode{
				x:      x,
				name:   name,
				bounds: bounds,
				item:   itemCode,
			}
			return lazy.run(m, e, domainValue)
		}
		var keys []values.Value
		items := composer{kind: values.Function}
		ranges(m, e, func(inner *env) bool {
			keys = append(keys, keyOf(inner, bounds))
			items.add(m, item, itemCode.run(m, inner))
			return true
		})
		return items.made(m, x, keys)
	}
	return c
}

// lazyFunctionCode makes functions whose items are evaluated when they are needed, in the moment in which
// the function was made.
type lazyFunctionCode struct {
	x      *expression
	name   string // "" for a function that its items cannot name
	bounds []bound
	item   *compiled
}

// run returns the function with a domain.
func (c *lazyFunctionCode) run(m *machine, e *env, domain result) result {
	f := &lazyFunction{name: c.name, over: domain, known: map[string]result{}}
	outer := e
	if c.name == "" {
		f.name = c.x.text()
	} else {
		outer = bind(e, result{lazy: f})
	}
	madeIn := m.moment
	f.item = func(m *machine, use *expression, key result) result {
		inner := outer
		for i := range c.bounds {
			v := key.Value
			if len(c.bounds) > 1 {
				v = v.Items()[i]
			}
			inner = c.bounds[i].bind(use, inner, v)
		}
		return m.inMoment(madeIn, use, c.item, inner)
	}
	return m.unlisted(c.x, f)
}

// keyOf returns the values of bound names in an environment as a single value: the key of a function,
// or the member of a set.
func keyOf(e *env, bounds []bound) values.Value {
	if len(bounds) == 1 && !bounds[0].tuple {
		return e.value[0].Value
	}
	all := boundValues(e, bounds)
	if len(all) == 1 {
		return all[0]
	}
	return sequenceOf(all)
}

// boundValues returns the value of each bound in an environment: the value of its name, or the tuple of
// the values of its names.
func boundValues(e *env, bounds []bound) []values.Value {
	all := make([]values.Value, len(bounds))
	for i, b := range slices.Backward(bounds) {
		if !b.tuple {
			all[i] = e.value[0].Value
			e = e.up
			continue
		}
		items := make([]values.Value, len(b.names))
		for k := range slices.Backward(items) {
			items[k] = e.value[0].Value
			e = e.up
		}
		all[i] = sequenceOf(items)
	}
	return all
}

// except compiles [f EXCEPT ![a].b = e].
func (s *scope) except(x *expression, c *compiled) {
	f := s.compilePart(x.args[0], c)
	type made struct {
		path [][]*compiled
		to   *compiled
	}
	var changes []made
	inner := s.bind("@", 0, *f)
	for _, ch := range x.changes {
		var one made
		for _, args := range ch.path {
			one.path = append(one.path, s.compileParts(args, c))
		}
		one.to = inner.compilePart(ch.to, c)
		changes = append(changes, one)
	}
	c.run = func(m *machine, e *env) result {
		v := m.value(x, f.run(m, e))
		for _, ch := range changes {
			v = m.changed(x, v, ch.path, ch.to, e)
		}
		return of(v)
	}
}

// changed returns a function with another value at a path. As in TLC, a path outside the domain has no
// effect.
func (m *machine) changed(
	x *expression,
	f values.Value,
	path [][]*compiled,
	to *compiled,
	e *env,
) values.Value {
	if len(path) == 0 {
		return m.value(x, to.run(m, bind(e, of(f))))
	}
	if !isFunction(f) {
		fail(x.at, "%s: what is changed is no function, but %s: %s", x.text(), of(f).what(),
			of(f).shown())
	}
	k := m.value(x, key(m, x, path[0], e))
	keys := domain(f)
	items := f.Items()
	for i := range keys {
		if m.same(keys[i], k) {
			m.spent.room(2 * len(items))
			changed := slices.Clone(items)
			changed[i] = m.changed(x, items[i], path[1:], to, e)
			if f.Kind() == values.Sequence {
				return m.sequenceOf(x, changed)
			}
			return m.functionOf(x, slices.Clone(keys), changed)
		}
	}
	return f
}
