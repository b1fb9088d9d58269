package tlaplus

import (
	"maps"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/property/values"
)

// bound returns the binding of a name within the expression; nil if the name belongs to the module.
func (s *scope) bound(name string) *scope {
	for binding := s; binding != nil; binding = binding.up {
		if binding.name == name {
			return binding
		}
	}
	s.world.s.loader.spent.take(s.depth / 16)
	return nil
}

// resolve returns the definition of a name after the replacements of the configuration, and the world
// in which this definition is evaluated; nil if there is no definition.
func (w *world) resolve(from *Module, name string) (*world, *Definition) {
	d := from.definition(name)
	other, isReplaced := w.replacement(from, name, d)
	if !isReplaced || other.name == name {
		return w, d
	}
	root := w.s.root
	d = root.module.definition(other.name)
	if d == nil {
		_, isBuiltin := builtins()[other.name]
		_, isValue := w.s.config.values[other.name]
		if isBuiltin || isValue {
			return w, nil
		}
		fail(other.at, "the configuration replaces %s by %s, which is not defined", name, other.name)
	}
	return root, d
}

// replacement returns the setting by which the configuration replaces a name, and whether there is
// one. d is the definition of the name. NAME <- OTHER replaces a name of the root module, also in
// modules that the root extends, and in modules with the same definition. NAME <- [M] OTHER
// replaces a definition that module M contains or extends, wherever it is used.
func (w *world) replacement(from *Module, name string, d *Definition) (other setting, isReplaced bool) {
	if len(w.s.config.replaced) == 0 {
		return setting{}, false
	}
	other, isReplaced = w.s.config.replaced[name]
	if isReplaced && w.isOfRoot(from, name, d) {
		return other, true
	}
	if d == nil {
		return w.builtinReplacement(from, name)
	}
	for _, m := range slices.Sorted(maps.Keys(w.s.loader.modules)) {
		other, isReplaced = w.s.config.replaced[m+"!"+name]
		if isReplaced && w.s.loader.modules[m].definition(name) == d {
			return other, true
		}
	}
	return setting{}, false
}

// builtinReplacement returns what NAME <- [M] OTHER replaces an operator of a standard module by. M is
// either this module, which is built in and never read, or a module that extends it and does not define
// the name.
func (w *world) builtinReplacement(from *Module, name string) (other setting, isReplaced bool) {
	_, isBuiltin := builtins()[name]
	if !isBuiltin || from.declares(name) {
		return setting{}, false
	}
	for _, key := range slices.Sorted(maps.Keys(w.s.config.replaced)) {
		moduleName, replacedName, inModule := strings.Cut(key, "!")
		replacement := w.s.config.replaced[key]
		isValue := replacement.name == key // TLC ignores NAME = [M] value for such an operator
		if !inModule || replacedName != name || isValue {
			continue
		}
		module := w.s.loader.modules[moduleName]
		if module == nil || module.definition(name) == nil && !module.declares(name) {
			return replacement, true
		}
	}
	return setting{}, false
}

// isOfRoot reports whether a name with definition d means the same in the root module. In an
// instance, it does if both modules see the definition d, and declare no such name; d is nil for a
// built-in operator.
func (w *world) isOfRoot(from *Module, name string, d *Definition) bool {
	if w.root {
		return true
	}
	if from.declares(name) {
		return false
	}
	root := w.s.root.module
	return d == root.definition(name) && !root.declares(name)
}

// applied compiles a name with its arguments. The name is defined, bound, declared or built in.
func (s *scope) applied(x *expression) *compiled {
	if s.isOfStandard(x) {
		renamed := *x
		renamed.kind = apply
		return s.builtin(&renamed)
	}
	used := s.definedUse(x)
	if used.body != nil {
		return s.calledDefinition(x, used)
	}
	name := s.bound(x.name)
	if name != nil {
		return s.boundName(x, name)
	}
	w := s.world
	if e, ok := w.substitutions[x.name]; ok {
		return w.compileSubstituted(x, e, s)
	}
	if v, ok := w.constantValue(s.from, x.name); ok && len(x.args) == 0 {
		r := of(v)
		return &compiled{run: func(*machine, *env) result { return r }}
	}
	switch {
	case !s.from.declares(x.name):
		return s.builtin(x)
	case !w.root:
		// A name that the module of the instance declares and that WITH does not replace has its
		// meaning around the instance.
		return w.compileSubstituted(x, applied(x.name, x.at), s)
	case !s.from.isVariable(x.name):
		fail(x.at,
			"the constant %s has no value: give it one in the configuration (CONSTANT %s = …)", x.name, x.name)
	case len(x.args) > 0:
		fail(x.at, "the variable %s takes no arguments; a function is applied by brackets, as in %[1]s[%s]",
			x.name, x.args[0].text())
	}
	return w.s.variableOf(x)
}

// boundName compiles the application of a bound name.
func (s *scope) boundName(x *expression, name *scope) *compiled {
	c := name.value
	c.bound = true
	ups := s.depth - name.depth
	if name.arity == 0 {
		if len(x.args) > 0 {
			fail(x.at, "%s takes no arguments, found %d", x.name, len(x.args))
		}
		c.run = func(m *machine, e *env) result { return e.above(ups).evaluate(m) }
		return &c
	}
	if len(x.args) != name.arity {
		fail(x.at, "%s takes %s, found %d", x.name, countedArguments(name.arity), len(x.args))
	}
	c.open = true
	parts := s.compileParts(x.args, &c)
	c.run = func(m *machine, e *env) result {
		args := make([]*env, len(parts))
		for i, p := range parts {
			args[i] = &env{run: p.run, environment: e}
		}
		return e.above(ups).op(m, args)
	}
	return &c
}

// variableOf compiles a variable. Its value is that in the present state or, under a prime, in the next
// one.
func (s *Specification) variableOf(x *expression) *compiled {
	n := slices.Index(s.variables, x.name)
	return &compiled{level: State, reads: variable(n), run: func(m *machine, _ *env) result {
		state := m.now
		if m.mode == 1 {
			state = m.next
			if m.chosen != nil && !m.chosen[n] {
				panic(unchosen{})
			}
		}
		if state == nil {
			fail(x.at, "%s is a variable, and stands where a constant is needed", x.name)
		}
		return of(state[n])
	}}
}

// applied returns the application of a name without arguments.
func applied(name string, at Position) *expression {
	return &expression{
		kind:   apply,
		name:   name,
		at:     at,
		source: name,
	}
}

// use is the application of a definition.
type use struct {
	body *body
	// ups is the number of names that are bound between the definition and the expression, without the
	// parameters of instances. leading are these parameters: they are bound around the definition, to
	// the first arguments of the expression.
	ups     int
	leading []parameter
}

// definedUse returns the definition of a name. The definition has no body if the name is declared, bound
// to a value or built in.
func (s *scope) definedUse(x *expression) use {
	w := s.world
	if s.isOfStandard(x) {
		return use{}
	}
	if x.kind == selected {
		f := s.findSelected(x, nil)
		return use{
			body:    f.world.definition(f.definition, x),
			ups:     s.depth - f.depth,
			leading: f.leading,
		}
	}
	if b := s.bound(x.name); b != nil {
		if b.definition != nil && b.definition.instance != nil {
			failInstance(x, b.definition)
		}
		return use{body: b.code, ups: s.depth - b.depth}
	}
	if _, isSubstituted := w.substitutions[x.name]; isSubstituted {
		return use{}
	}
	if _, hasValue := w.constantValue(s.from, x.name); hasValue && len(x.args) == 0 {
		return use{}
	}
	w, d := w.resolve(s.from, x.name)
	switch {
	case d == nil && !s.from.declares(x.name):
		w, d = s.fromUnnamedInstance(x)
	case d != nil && d.instance != nil:
		failInstance(x, d)
	}
	if d == nil {
		return use{}
	}
	return use{body: w.definition(d, x), ups: w.boundBetween(s)}
}

// isOfStandard reports whether an expression names an operator of a built-in module through an
// instance, as in B!SetToBag(S) or I!B!SetToBag(S).
func (s *scope) isOfStandard(x *expression) bool {
	_, isBuiltin := builtins()[x.name]
	if x.kind != selected || !isBuiltin {
		return false
	}
	d := s.lastInstance(x)
	return d != nil && d.instance != nil && s.world.s.isBuiltin(d.instance.module)
}

// lastInstance returns the definition of the last instance on the path of I!J!Op; nil if there is none.
func (s *scope) lastInstance(x *expression) *Definition {
	last := len(x.path) - 1
	if last > 0 {
		path := *x
		path.path = x.path[:last]
		path.name = x.path[last]
		path.selectors = nil
		return s.findSelected(&path, nil).definition
	}
	if local := s.bound(x.path[0]); local != nil {
		return local.definition
	}
	_, d := s.world.provided(s.from, x.path[0])
	return d
}

// failInstance fails since the name of an instance is used by itself.
func failInstance(x *expression, d *Definition) {
	fail(x.at, "%s is an instance of %s: name something of it, as in %s!Spec", d.name,
		d.instance.module, d.name)
}

// named returns the definition that x applies, and its world; nil if x applies a bound name or a
// built-in operator, or is no application.
func (s *scope) named(x *expression) (*world, *Definition) {
	if x.kind != apply || s.bound(x.name) != nil {
		return nil, nil
	}
	return s.world.resolve(s.from, x.name)
}

// constantValue returns the value that the configuration assigns to a name; false if it assigns none.
func (w *world) constantValue(from *Module, name string) (values.Value, bool) {
	if len(w.s.config.values) == 0 {
		return values.Value{}, false
	}
	d := from.definition(name)
	// As in TLC, NAME <- OTHER has precedence over NAME = value, and OTHER may have a value of its own.
	other, replaced := w.replacement(from, name, d)
	if replaced && other.name != name {
		v, hasValue := w.s.config.values[other.name]
		return v, hasValue
	}
	if !w.isOfRoot(from, name, d) {
		return values.Value{}, false
	}
	v, hasValue := w.s.config.values[name]
	return v, hasValue
}

// constantDefinition returns a definition that gives a name of a module the value from the configuration. It returns
// the same definition in each call.
func (s *Specification) constantDefinition(in *Module, name string, v values.Value) *Definition {
	key := in.name + "!" + name + "=" + v.String()
	if s.givenByConfig[key] == nil {
		s.givenByConfig[key] = &Definition{
			name:   name,
			module: in,
			source: v.String(),
			body:   &expression{kind: literal, name: v.String(), value: &v, source: v.String()},
		}
	}
	return s.givenByConfig[key]
}

// fromUnnamedInstance returns the definition that an INSTANCE without a name provides, and its world; nil if there
// is none.
func (s *scope) fromUnnamedInstance(x *expression) (w *world, d *Definition) {
	return s.world.unnamedDefinition(s.from, x.name, nil)
}

// unnamedDefinition returns the definition of a name that an INSTANCE without a name provides to a module,
// and its world; nil if there is none. The instances around are those whose modules are being searched: an
// inner module sees the instances of the module around it, which may include itself.
func (w *world) unnamedDefinition(
	from *Module,
	name string,
	around []*instance,
) (of *world, d *Definition) {
	for _, m := range from.visible {
		for _, i := range m.instances {
			isOutside := len(around) > 0 // the name is in another module
			isHidden := i.isLocal && (isOutside || !from.seesLocal(m))
			isMissing := isOutside && w.s.loader.load(i.module) == nil
			if isHidden || isMissing || slices.Contains(around, i) || w.s.isBuiltin(i.module) {
				continue
			}
			inner := w.instanceOf(i, w.scope(m))
			if inner.module.definition(name) != nil {
				return inner.resolve(inner.module, name)
			}
			of, d = inner.unnamedDefinition(inner.module, name, append(slices.Clone(around), i))
			if d != nil {
				return of, d
			}
		}
	}
	return nil, nil
}

// provided returns the definition of a name that a module or an INSTANCE without a name provides, and its
// world; nil if there is none.
func (w *world) provided(from *Module, name string) (owner *world, d *Definition) {
	owner, d = w.resolve(from, name)
	if from.definition(name) != nil {
		return owner, d
	}
	of, d := w.unnamedDefinition(from, name, nil)
	if d != nil {
		return of, d
	}
	return owner, nil
}

// found is the definition that I!Op(args) denotes, its world, and the parameters of the instances
// through which it is reached. depth is the number of names that are bound around the first of these
// instances.
type found struct {
	world      *world
	definition *Definition
	leading    []parameter
	depth      int
}

// binding binds the parameters of an instance in the scope outside of it.
type binding func(outer *scope, all []parameter) *scope

// findSelected returns what I!Op(args) denotes. The function bind binds the parameters of instances; if
// bind is nil, they stay open.
func (s *scope) findSelected(x *expression, bind binding) found {
	f := found{world: s.world}
	from := s.from
	for place, name := range x.path {
		if place == 0 {
			if local := s.bound(name); local != nil {
				f = s.localInstance(x, local, bind)
				from = f.world.module
				continue
			}
		}
		owner, def := f.world.provided(from, name)
		if place == 0 {
			f.depth = owner.depth
		}
		if def == nil {
			failNoInstance(x, name)
		}
		if def.instance == nil {
			f.world = owner
			f.definition = def.part(x, place)
			return f
		}
		x.checkGiven(place, len(def.parameters))
		f.enterInstance(owner, def, bind)
		from = f.world.module
	}
	owner, def := f.world.provided(from, x.name)
	configured, isGiven := f.world.constantValue(from, x.name)
	if isGiven {
		owner = f.world
		def = f.world.s.constantDefinition(from, x.name, configured)
	}
	if def == nil {
		fail(x.at, "%s has no definition of %s", f.world.module.name, x.name)
	}
	isReplaced := owner != f.world // by a definition of the root module
	if isReplaced {
		f.leading = nil
	}
	if isReplaced || len(x.path) == 0 {
		f.depth = owner.depth
	}
	f.world = owner
	f.definition = def
	if len(x.selectors) > 0 {
		f.definition = def.part(x, len(x.path))
	}
	return f
}

// enterInstance goes into the instance that a definition of a world names, and adds the parameters of the
// definition to the leading ones.
func (f *found) enterInstance(owner *world, def *Definition, bind binding) {
	f.leading = append(f.leading, def.parameters...)
	outer := owner.scope(def.module)
	if bind != nil && len(f.leading) > 0 {
		f.world = owner.newInstance(def.instance, bind(outer, def.parameters))
		f.world.called = def
	} else {
		f.world = owner.instanceOf(def.instance, withOpenParameters(outer, def.parameters))
	}
}

// localInstance returns the world of the instance in I!Op(args), if LET defines I; the result has no
// definition.
func (s *scope) localInstance(x *expression, local *scope, bind binding) found {
	d := local.definition
	if d == nil || d.instance == nil {
		failNoInstance(x, local.name)
	}
	x.checkGiven(0, len(d.parameters))
	outer := local.up
	if outer == nil {
		outer = s.world.scope(s.from)
	}
	f := found{leading: slices.Clone(d.parameters), depth: outer.depth}
	switch {
	case bind != nil:
		f.world = s.world.newInstance(d.instance, bind(outer, d.parameters))
		f.world.called = d
	case local.local == nil:
		local.local = s.world.newInstance(d.instance, withOpenParameters(outer, d.parameters))
		f.world = local.local
	default:
		f.world = local.local
	}
	return f
}

func failNoInstance(x *expression, name string) {
	fail(x.at, "%s in %s is no instance of a module", name, x.text())
}

// withOpenParameters binds parameters whose arguments are unknown.
func withOpenParameters(outer *scope, all []parameter) *scope {
	for _, p := range all {
		outer = outer.bind(p.name, p.arity, compiled{open: true})
	}
	return outer
}

// hasName reports whether a name has a meaning in the scope, without listing all of them.
func (s *scope) hasName(name string) bool {
	_, isBuiltin := builtins()[name]
	return isBuiltin || s.bound(name) != nil || s.from.definition(name) != nil ||
		s.from.declares(name)
}

// allNames returns all names that have a meaning in the scope.
func (s *scope) allNames() []string {
	var all []string
	for binding := s; binding != nil; binding = binding.up {
		if binding.name != "" {
			all = append(all, binding.name)
		}
	}
	for _, m := range s.from.visible {
		all = slices.Concat(slices.AppendSeq(all, maps.Keys(m.operators)), m.constants,
			m.variables)
	}
	return slices.AppendSeq(all, maps.Keys(builtins()))
}
