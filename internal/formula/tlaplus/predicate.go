package tlaplus

import "strings"

// Predicate is a predicate of states or of steps.
type Predicate struct {
	// Name is the text of the predicate, with values in place of quantified names.
	Name  string
	Level Level
	// ByDistance is set if the predicate depends on TLCGet("level"), which [Evaluator.SetDistance]
	// sets. Only constraints may depend on it.
	ByDistance bool
	// Key identifies the meaning: predicates with the same key have the same meaning.
	Key string
	// Reads are the numbers of the variables that a predicate of states depends on. All is set if it
	// may depend on further variables.
	Reads    []int
	All      bool
	Position Position
	run      code
	e        *env
	x        *expression
}

// predicate returns an expression about states or steps as a predicate.
func (s *Specification) predicate(x *expression, in *scope, e *env) *Predicate {
	p := s.compiledPredicate(x, in, e)
	if p.ByDistance {
		fail(x.at,
			`%s depends on TLCGet("level"), which has a value only in a CONSTRAINT or ACTION_CONSTRAINT; elsewhere, count the steps in a variable`, p.Name)
	}
	return p
}

// constraint returns an expression as the predicate of a constraint. Only a constraint may depend on
// the level of the state.
func (s *Specification) constraint(x *expression) *Predicate {
	return s.compiledPredicate(x, s.root.scope(s.root.module), nil)
}

// compiledPredicate returns an expression in a scope and an environment as a predicate. An expression that
// is the name of a definition has this name and its position.
func (s *Specification) compiledPredicate(x *expression, in *scope, e *env) *Predicate {
	c := in.compile(x)
	p := &Predicate{
		Name:       in.textWithValues(x, e),
		Level:      c.level,
		ByDistance: c.byDistance,
		Position:   x.at,
		run:        c.run,
		e:          e,
		x:          x,
	}
	p.Key = identityOf(in, e, x)
	if x.kind == let {
		// The name is the expression without the definitions of its LETs.
		body := x
		for body.kind == let {
			body = body.args[0]
		}
		p.Name = in.textWithValues(body, e)
	}
	p.All = c.reads>>mostVariables != 0
	for n := range s.variables {
		if c.reads&variable(n) != 0 {
			p.Reads = append(p.Reads, n)
		}
	}
	_, d := in.named(x)
	if d != nil {
		p.Name = in.calledInstance(e) + p.Name
		p.Position = d.at
	}
	return p
}

// calledInstance returns the prefix by which the module of the specification refers to the names of an
// instance: J(a)!I(b)! for an instance I(b) in an instance J(a). It returns "" if an instance has no
// arguments, or arguments that are no values.
func (s *scope) calledInstance(e *env) string {
	prefix := ""
	for !s.world.root {
		instance := s.world.called
		if instance == nil || len(instance.parameters) == 0 {
			return ""
		}
		e = e.above(s.depth - s.world.depth)
		arguments := make([]string, len(instance.parameters))
		for i, bound := range e.innermost(len(arguments)) {
			if bound.run != nil || bound.op != nil {
				return ""
			}
			arguments[i] = bound.value[0].shown()
		}
		prefix = instance.name + "(" + strings.Join(arguments, ", ") + ")!" + prefix
		s = s.world.outer
	}
	return prefix
}
