package tlaplus

import (
	"fmt"
	"slices"
	"strings"
)

// identity writes the meaning of an expression as text: expressions with the same text have the same
// value in each state and step. The source text of an expression would not do, since in it blanks
// decide where a list ends, and the same name can mean different things.
type identity struct {
	strings.Builder
	scope *scope
	e     *env
	// inner are the names that are bound within the expression.
	inner []string
}

// identityOf returns the text of an expression in a scope and an environment.
func identityOf(s *scope, e *env, x *expression) string {
	d := &identity{scope: s, e: e}
	fmt.Fprintf(d, "%p ", s.world)
	d.add(x)
	return d.String()
}

// add adds the text of an expression: its kind, its names with what they mean in the scope, and its parts.
func (d *identity) add(x *expression) {
	if x == nil {
		d.WriteString("()")
		return
	}
	fmt.Fprintf(d, "(%d", x.kind)
	names := len(d.inner)
	switch x.kind {
	case apply:
		fmt.Fprintf(d, " %q", x.name)
		if !d.bound(x.name) {
			d.global(x)
		}
	case selected:
		fmt.Fprintf(d, " %q %q %q %p", x.path, x.name, x.selectors, d.scope.from)
		if len(x.path) > 0 {
			d.bound(x.path[0]) // LET may define an instance
		}
	default:
		fmt.Fprintf(d, " %q %q %t", x.name, x.fields, x.number)
	}
	if x.kind == except {
		d.changes(x)
		d.WriteString(")")
		return
	}
	d.bounds(x.bounds)
	if x.kind == lambda || x.kind == hiding {
		d.inner = append(d.inner, x.fields...)
	}
	d.definitions(x.defs)
	for _, a := range x.args {
		d.add(a)
	}
	d.inner = d.inner[:names]
	d.WriteString(")")
}

// bounds adds bounds, and binds their names. The sets of the bounds cannot use these names.
func (d *identity) bounds(all []bound) {
	for _, b := range all {
		fmt.Fprintf(d, " %q %t", b.names, b.tuple)
		d.add(b.set)
	}
	for _, b := range all {
		d.inner = append(d.inner, b.names...)
	}
}

// definitions adds the definitions of LET, and binds their names.
func (d *identity) definitions(all []*Definition) {
	for _, one := range all {
		names := len(d.inner)
		fmt.Fprintf(d, " %q", one.name)
		d.bounds(one.over)
		for _, p := range one.parameters {
			fmt.Fprintf(d, " %q %d", p.name, p.arity)
			d.inner = append(d.inner, p.name)
		}
		d.inner = append(d.inner, one.name) // the definition may be recursive
		if one.instance != nil {
			fmt.Fprintf(d, " %p", one.instance)
		} else {
			d.add(one.read())
		}
		d.inner = append(d.inner[:names], one.name)
	}
}

// changes adds the parts of [f EXCEPT ![a] = e].
func (d *identity) changes(x *expression) {
	d.add(x.args[0])
	for _, c := range x.changes {
		d.WriteString(" !")
		for _, args := range c.path {
			d.WriteString("[")
			for _, a := range args {
				d.add(a)
			}
			d.WriteString("]")
		}
		d.inner = append(d.inner, "@")
		d.add(c.to)
		d.inner = d.inner[:len(d.inner)-1]
	}
}

// bound adds the meaning of a name that is bound in the scope or within the expression. It reports
// whether the name is bound.
func (d *identity) bound(name string) bool {
	if slices.Contains(d.inner, name) {
		return true
	}
	bindingScope := d.scope.bound(name)
	switch {
	case bindingScope == nil:
		return false
	case bindingScope.definition != nil:
		// the definition may depend on all names that are bound around it
		fmt.Fprintf(d, " %p", bindingScope.definition)
		for e := d.e.above(d.scope.depth - bindingScope.depth); e != nil; e = e.up {
			d.binding(e)
		}
	default:
		d.binding(d.e.above(d.scope.depth - bindingScope.depth))
	}
	return true
}

// binding adds the value of a name or, if the name has no simple value, the address of its binding.
func (d *identity) binding(e *env) {
	if e.run != nil || e.op != nil {
		fmt.Fprintf(d, " %p", e)
		return
	}
	r := e.value[0]
	if r.lazy != nil {
		fmt.Fprintf(d, " %p", e)
		return
	}
	fmt.Fprintf(d, " %q", r.Value.String())
}

// global adds the definition of a name of the module. It adds nothing for a name without a definition,
// which is declared or built in and means the same everywhere.
func (d *identity) global(x *expression) {
	s := d.scope
	w, of := s.world.resolve(s.from, x.name)
	if of == nil && !s.from.declares(x.name) {
		w, of = s.fromUnnamedInstance(x)
	}
	if of != nil {
		fmt.Fprintf(d, " %p %p", w, of)
	}
}
