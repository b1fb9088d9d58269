package tlaplus

import (
	"fmt"
	"slices"
	"strings"
)

// compileLet returns the scope of the expression after IN, and the function that binds the names of LET.
func (s *scope) compileLet(x *expression) (inner *scope, bind func(*env) *env) {
	var values []code
	inner = s
	for _, d := range x.defs {
		if d.instance != nil {
			inner = &scope{
				up:         inner,
				name:       d.name,
				definition: d,
				depth:      inner.depth,
				world:      s.world,
				from:       s.from,
			}
			continue
		}
		outer := inner
		if len(d.parameters) > 0 {
			inner = outer.withDefinition(d)
			inner.compileBody(d, inner.code)
			continue
		}
		c := inner.definedValue(d)
		if c.level == Temporal { // it has no value; formulas about runs expand it
			inner = outer.withDefinition(d)
			inner.code.compiled = *c
			inner.code.scope = outer
			inner.code.definition = d
			continue
		}
		values = append(values, c.run)
		inner = inner.bind(d.name, 0, *c)
	}
	return inner, func(e *env) *env {
		for _, run := range values {
			e = &env{up: e, run: run, environment: e}
		}
		return e
	}
}

// withDefinition returns the scope in which a definition of LET is known, although it is not compiled yet.
func (s *scope) withDefinition(d *Definition) *scope {
	return &scope{
		up:         s,
		name:       d.name,
		definition: d,
		code:       &body{depth: s.depth},
		depth:      s.depth,
		world:      s.world,
		from:       s.from,
	}
}

// definedValue compiles a definition without parameters.
func (s *scope) definedValue(d *Definition) *compiled {
	x := d.read()
	if d.over != nil {
		return s.function(x, d.name, d.over, x)
	}
	return s.compile(x)
}

// compileBody compiles a definition in its surrounding scope into b. Definitions that use each other
// are provisional until the first of them is compiled; then they depend on everything that this first
// one depends on.
func (s *scope) compileBody(d *Definition, b *body) {
	for _, p := range d.parameters {
		s = s.bind(p.name, p.arity, compiled{open: true})
	}
	spec := s.world.s
	index := len(spec.busy)
	first := len(spec.provisional)
	spec.busy = append(spec.busy, b)
	b.scope = s
	b.definition = d
	b.isBusy = true
	b.index = index
	b.lowestUsed = index
	defer func() {
		spec.busy = spec.busy[:index]
		if b.isBusy { // compilation has failed: forget the definitions that use this one
			for _, other := range spec.provisional[first:] {
				delete(other.scope.world.bodies, other.definition)
			}
			spec.provisional = spec.provisional[:first]
		}
	}()
	b.compiled = *s.definedValue(d)
	b.isBusy = false
	if b.lowestUsed < index {
		b.isProvisional = true
		spec.provisional = append(spec.provisional, b)
		user := spec.busy[index-1]
		user.lowestUsed = min(user.lowestUsed, b.lowestUsed)
		return
	}
	for _, other := range spec.provisional[first:] {
		height := other.height
		other.addDependencies(&b.compiled)
		other.height = height
		other.isProvisional = false
	}
	spec.provisional = spec.provisional[:first]
}

// isUnfinished reports whether it is still unknown what a definition depends on. The definition that is
// being compiled uses this one, so it is marked as unfinished, too.
func (b *body) isUnfinished(spec *Specification) bool {
	if !b.isBusy && !b.isProvisional {
		return false
	}
	n := len(spec.busy)
	if n > 0 {
		around := spec.busy[n-1]
		around.lowestUsed = min(around.lowestUsed, b.lowestUsed)
	}
	return true
}

// hasParameters reports whether a scope has parameters, whose arguments may have any level.
func (s *scope) hasParameters() bool {
	for ; s != nil; s = s.up {
		if s.value.open {
			return true
		}
	}
	return false
}

// definition returns a compiled definition of a module. A world compiles each
// definition once.
func (w *world) definition(d *Definition, use *expression) *body {
	b := w.bodies[d]
	if b == nil {
		evaluated := d
		if d.isOutside() {
			evaluated = w.s.fromOutside(d, use)
		}
		b = &body{depth: w.depth}
		w.bodies[d] = b
		defer func() {
			if b.isBusy { // compilation has failed; the next use of the definition finds the error again
				delete(w.bodies, d)
			}
		}()
		w.scope(d.module).compileBody(evaluated, b)
		return b
	}
	declaresRecursive := func(m *Module) bool { return slices.Contains(m.recursive, d.name) }
	if b.isBusy && !slices.ContainsFunc(d.module.visible, declaresRecursive) {
		fail(use.at, "%s is defined by itself; declare RECURSIVE %s if that is meant", d.name,
			d.name)
	}
	return b
}

// isOfLanguage reports whether an expression applies an operator of the language, and not a definition
// that replaces such an operator.
func (s *scope) isOfLanguage(x *expression) bool {
	if x.kind != apply || len(x.args) == 0 || s.bound(x.name) != nil {
		return false
	}
	_, d := s.named(x)
	return d == nil
}

// compileSubstituted compiles the expression that an instance substitutes for a name, in the scope around the
// instance.
func (w *world) compileSubstituted(x, substitution *expression, s *scope) *compiled {
	if len(x.args) > 0 {
		return w.applySubstituted(x, substitution, s)
	}
	p := w.outer.compile(substitution)
	c := *p
	ups := s.depth - w.depth
	c.run = func(m *machine, substitution *env) result {
		if w.depth == 0 {
			return p.run(m, nil) // no names are bound around the instance
		}
		return p.run(m, substitution.above(ups))
	}
	return &c
}

// applySubstituted compiles the application of an operator for which an instance substitutes another
// one: a definition, a LAMBDA, a parameter of the instance, or an operator of the language or of a
// standard module.
func (w *world) applySubstituted(x, substitution *expression, s *scope) *compiled {
	if substitution.kind == lambda {
		return s.calledDefinition(x, use{body: w.lambda(substitution), ups: w.boundBetween(s)})
	}
	isName := substitution.kind == apply && len(substitution.args) == 0
	bound := w.outer.bound(substitution.name)
	if isName && bound != nil {
		return s.boundName(x, bound)
	}
	owner, d := w.outer.named(substitution)
	if d != nil && len(substitution.args) == 0 {
		return s.calledDefinition(x, use{body: owner.definition(d, x), ups: owner.boundBetween(s)})
	}
	_, isBuiltin := builtins()[substitution.name]
	if isName && isBuiltin {
		renamed := *x
		renamed.name = substitution.name
		return s.builtin(&renamed)
	}
	fail(x.at,
		"%s is applied to arguments, but the instance substitutes something for it that takes none", x.name)
	return nil
}

// lambda returns the body of a LAMBDA that an instance substitutes for an operator.
func (w *world) lambda(e *expression) *body {
	b := w.lambdas[e]
	if b == nil {
		b = &body{depth: w.depth}
		w.lambdas[e] = b
		defer func() {
			if b.isBusy { // compilation has failed; the next use of the LAMBDA finds the error again
				delete(w.lambdas, e)
			}
		}()
		w.outer.compileBody(e.asDefinition(w.outer.from), b)
	}
	return b
}

// asDefinition returns a LAMBDA of a module as a definition.
func (x *expression) asDefinition(m *Module) *Definition {
	if x.named == nil {
		x.named = &Definition{
			name:   x.text(),
			at:     x.at,
			module: m,
			source: x.source,
			body:   x.args[0],
		}
		for _, name := range x.fields {
			x.named.parameters = append(x.named.parameters, parameter{name: name})
		}
	}
	return x.named
}

// calledDefinition compiles the application of a definition.
func (s *scope) calledDefinition(x *expression, used use) *compiled {
	b := used.body
	c, frame := s.argumentBinder(x, used)
	if len(x.args) == 0 && used.ups == 0 && b.depth == 0 {
		c.bound = false
		c.run = func(m *machine, _ *env) result { return b.evaluateOnce(m, x) }
		return c
	}
	c.run = func(m *machine, e *env) result {
		m.enter(x, b.height)
		r := b.run(m, frame(e))
		m.leave(b.height)
		return r
	}
	if override := overridden()[b.definition.longName()]; override != nil {
		c.run = func(m *machine, e *env) result {
			m.enter(x, b.height)
			inner := frame(e)
			definition := func() result { return b.run(m, inner) }
			r := override(m, x, inner.innermost(len(b.definition.parameters)), definition)
			m.leave(b.height)
			return r
		}
	}
	return c
}

// evaluateOnce returns the value of a definition that depends on no bound names. It evaluates the definition
// once for each state or step.
func (b *body) evaluateOnce(m *machine, x *expression) result {
	known := &b.known[m.folds][m.mode]
	value := &b.value[m.folds][m.mode]
	if *known != m.epoch {
		m.enter(x, b.height)
		*value = b.run(m, nil)
		m.leave(b.height)
		*known = m.epoch
	}
	return *value
}

// argumentBinder returns the function that binds the parameters of a definition to the arguments of an
// application.
func (s *scope) argumentBinder(x *expression, used use) (*compiled, func(*env) *env) {
	b := used.body
	ups := used.ups
	parameters := slices.Concat(used.leading, b.definition.parameters)
	if len(x.args) != len(parameters) {
		fail(x.at, "%s takes %s, found %d%s", b.definition.name, countedArguments(len(b.definition.parameters)),
			len(x.args)-len(used.leading), b.definition.howApplied(len(x.args)-len(used.leading)))
	}
	c := &compiled{}
	c.addDependencies(&b.compiled)
	c.height = 0 // the definition counts its own nested operations when it is entered
	// The arguments replace the definition's own parameters, so that these leave nothing open. The
	// names around a definition of LET may leave something open.
	local := ups > 0 || b.depth > len(used.leading)
	c.open = b.isUnfinished(s.world.s) || local && b.outerScope(len(used.leading)).hasParameters()
	args := make([]func(e *env) *env, len(x.args))
	for i, a := range x.args {
		args[i] = s.argument(a, parameters[i], c)
	}
	return c, func(e *env) *env {
		var base *env
		if local {
			base = e.above(ups)
		}
		for _, arg := range args {
			a := arg(e)
			a.up = base
			base = a
		}
		return base
	}
}

// outerScope returns the scope around a definition: without its own parameters, and without the given
// number of parameters of instances.
func (b *body) outerScope(leading int) *scope {
	s := b.scope
	for range b.definition.parameters {
		s = s.up
	}
	if leading == 0 {
		return s
	}
	s = s.up // the scope of a module has no name
	for range leading {
		s = s.up
	}
	return s
}

// countedArguments returns "1 argument", "2 arguments" and so on.
func countedArguments(n int) string {
	if n == 1 {
		return "1 argument"
	}
	return fmt.Sprintf("%d arguments", n)
}

// argument compiles the argument for a parameter of an operator: either a value, which is evaluated
// on demand, or an operator. It adds to c what the argument depends on. The result is a function
// that binds the argument in the environment of a call. It leaves the field up unset.
func (s *scope) argument(a *expression, p parameter, c *compiled) func(e *env) *env {
	if p.arity == 0 {
		if a.kind == lambda {
			fail(a.at, "%s is a value, and LAMBDA stands for an operator", p.name)
		}
		v := s.compilePart(a, c)
		return func(e *env) *env { return &env{run: v.run, environment: e} }
	}
	op := s.operator(a, p.arity, c)
	return func(e *env) *env { return &env{op: op(e)} }
}

// operator compiles an argument that is an operator: a name or a LAMBDA.
func (s *scope) operator(a *expression, arity int, c *compiled) func(e *env) operator {
	if a.kind != lambda {
		if !a.isOperatorName() {
			fail(a.at, "%s stands where an operator of %s is needed", a.text(),
				countedArguments(arity))
		}
		a = a.asLambda(arity)
	}
	if len(a.fields) != arity {
		fail(a.at, "%s takes %s, and an operator of %d is needed", a.text(),
			countedArguments(len(a.fields)), arity)
	}
	inner := s
	for _, name := range a.fields {
		inner = inner.bind(name, 0, compiled{open: true})
	}
	p := inner.compile(a.args[0])
	c.addDependencies(&compiled{
		level:      p.level,
		reads:      p.reads,
		bound:      p.bound,
		byDistance: p.byDistance,
		open:       p.open && s.hasParameters(),
	})
	return func(e *env) operator {
		return func(m *machine, args []*env) result {
			innermost := e
			for _, arg := range args {
				bound := *arg
				bound.up = innermost
				innermost = &bound
			}
			m.enter(a, p.height)
			r := p.run(m, innermost)
			m.leave(p.height)
			return r
		}
	}
}

// isOperatorName reports whether an expression is the name of an operator without arguments: Op, or
// I(e)!Op.
func (x *expression) isOperatorName() bool {
	return x.kind == apply && len(x.args) == 0 ||
		x.kind == selected && x.given[len(x.given)-1] == 0
}

// asLambda returns LAMBDA x : Op(x) for the name of an operator Op.
func (x *expression) asLambda(arity int) *expression {
	op := *x
	op.args = slices.Clone(x.args)
	operator := &expression{
		kind:   lambda,
		args:   []*expression{&op},
		at:     x.at,
		source: x.source,
	}
	for i := range arity {
		name := "\x00" + strings.Repeat("'", i)
		operator.fields = append(operator.fields, name)
		op.args = append(op.args, &expression{
			kind:   apply,
			name:   name,
			at:     x.at,
			source: x.source,
		})
	}
	if x.kind == selected {
		op.given = slices.Clone(x.given)
		last := len(op.given) - 1
		if op.names()[last] == ":" { // Op!: is Op
			last--
		}
		op.given[last] = arity
	}
	return operator
}
