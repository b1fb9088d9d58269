package tlaplus

import (
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/property/values"
)

// where is the context of a formula: actions with a subscript are allowed only directly under [] and
// <>.
type where uint8

const (
	inRun where = iota
	inAlways
	inEventually
)

// unfold returns an expression as a formula. It expands definitions and quantifiers until only
// expressions about states or steps remain.
func (s *Specification) unfold(x *expression, in *scope, e *env, context where) *Formula {
	s.loader.spent.take(stepsOfPart + len(x.source)/8)
	s.countParts(x, 1)
	s.within++
	if s.within > mostDeep {
		fail(x.at, "more than %d nested formulas", mostDeep)
	}
	defer func() { s.within-- }()
	c := in.compile(x)
	u := &unfolding{
		s:     s,
		x:     x,
		scope: in,
		env:   e,
		at:    context,
		formula: &Formula{
			Name:         in.textWithValues(x, e),
			IsOfInstance: !in.world.root,
			Position:     x.at,
		},
	}
	isSubscripted := x.kind == square && context == inAlways || x.kind == angle && context == inEventually
	switch {
	case c.level == Action && !isSubscripted:
		return u.namedAction()
	case c.level <= State && x.kind == apply && x.name == "~":
		// A negation is not part of the predicate, so that P and ~P share one predicate.
		return u.connective(Not, context)
	case c.level < Temporal:
		u.formula.Operator = Holds
		u.formula.Predicate = s.predicate(x, in, e)
		if context == inAlways && c.level == State {
			u.formula.Conjuncts = u.conjuncts()
		}
		return u.formula
	case x.kind == apply:
		return u.application()
	}
	return u.temporal()
}

// countParts adds to the number of parts of the formula that is being expanded. It fails at the expression
// if there are too many.
func (s *Specification) countParts(x *expression, n int) {
	s.unfolded += n
	if s.unfolded > mostUnfolded {
		fail(x.at,
			"the formula has more than %d parts when definitions and quantifiers in it are written out", mostUnfolded)
	}
}

// unfoldedDefinition is a definition without parameters, in the module of the specification, and the context
// in which it was expanded.
type unfoldedDefinition struct {
	definition *Definition
	at         where
}

// knownFormula is the formula of a definition that was expanded, with its number of parts, and the number of
// parts that were around it.
type knownFormula struct {
	formula       *Formula
	parts, within int
}

// unfolding makes the formula of an expression in a scope and an environment.
type unfolding struct {
	s       *Specification
	x       *expression
	scope   *scope
	env     *env
	at      where
	formula *Formula
}

// connective makes the formula of an operator applied to the arguments of the expression. at is the
// context of the arguments.
func (u *unfolding) connective(operator Operator, at where) *Formula {
	u.formula.Operator = operator
	for _, x := range u.x.args {
		u.formula.Parts = append(u.formula.Parts, u.s.unfold(x, u.scope, u.env, at))
	}
	return u.formula
}

// definition makes the formula of a definition that the expression applies, in its world. Its
// parameters have the arguments of the expression as values. The formula keeps the text of the
// expression as its name, so that readers see what was written.
func (u *unfolding) definition(w *world, d *Definition) *Formula {
	if w.root && len(d.parameters) == 0 {
		return u.named(d, u.knownFormula(w, d))
	}
	var base *env
	if w.depth > 0 {
		base = u.env.above(w.boundBetween(u.scope))
	}
	inner, arguments := u.bindArguments(w.scope(d.module), base, d.parameters, u.x.args)
	return u.definedFormula(d, inner, arguments)
}

// knownFormula returns the formula of a definition without parameters. It expands the definition
// only once: otherwise each of the definitions A == B /\ B, B == C /\ C and so on would double the
// time. If more parts are around the definition than at the first time, it expands the definition
// again, so that a chain of known formulas cannot be deeper than allowed.
func (u *unfolding) knownFormula(w *world, d *Definition) *Formula {
	s := u.s
	key := unfoldedDefinition{d, u.at}
	known, isKnown := s.known[key]
	if isKnown && s.within <= known.within {
		s.countParts(u.x, known.parts)
		return known.formula
	}
	partsBefore := s.unfolded
	f := s.unfold(d.read(), w.scope(d.module), nil, u.at)
	s.known[key] = knownFormula{formula: f, parts: s.unfolded - partsBefore, within: s.within}
	return f
}

// selection makes the formula of I!Op(args).
func (u *unfolding) selection() *Formula {
	args := u.x.args
	var arguments *env
	isFirst := true
	f := u.scope.findSelected(u.x, func(outer *scope, all []parameter) *scope {
		if isFirst {
			arguments = u.env.above(u.scope.depth - outer.depth)
			isFirst = false
		}
		outer, arguments = u.bindArguments(outer, arguments, all, args[:len(all)])
		args = args[len(all):]
		return outer
	})
	if isFirst {
		return u.definition(f.world, f.definition)
	}
	if len(args) != len(f.definition.parameters) {
		fail(u.x.at, "%s takes %s, found %d%s", f.definition.name,
			countedArguments(len(f.definition.parameters)), len(args), f.definition.howApplied(len(args)))
	}
	inner, arguments := u.bindArguments(f.world.scope(f.definition.module), arguments,
		f.definition.parameters, args)
	return u.definedFormula(f.definition, inner, arguments)
}

// definedFormula makes the formula of a definition in the scope of its parameters.
func (u *unfolding) definedFormula(d *Definition, inner *scope, arguments *env) *Formula {
	return u.named(d, u.s.unfold(d.read(), inner, arguments, u.at))
}

// named returns the formula of a definition with the text of the expression as its name.
func (u *unfolding) named(d *Definition, f *Formula) *Formula {
	named := *f
	named.Name = u.formula.Name
	named.IsOfInstance = u.formula.IsOfInstance
	named.Position = d.at
	if f.Predicate != nil && f.Operator == Holds {
		p := *f.Predicate
		p.Name = u.formula.Name
		p.Position = d.at
		named.Predicate = &p
	}
	return &named
}

// bindArguments binds the parameters of a definition to arguments of the expression. It extends the scope
// and the environment of the definition, inner and e, by one name for each parameter, and returns the
// results. It evaluates a constant at once. A formula about runs has no value; it is expanded where its
// parameter is used.
func (u *unfolding) bindArguments(
	inner *scope,
	e *env,
	parameters []parameter,
	args []*expression,
) (*scope, *env) {
	for i, p := range parameters {
		dependencies := &compiled{} // set by scope.argument
		argument := u.scope.argument(args[i], p, dependencies)(u.env)
		isOperator := p.arity > 0
		if !isOperator && argument.run != nil && dependencies.level == Constant {
			argument = bind(nil, argument.run(u.s.machine(), u.env))
		}
		argument.up = e
		e = argument
		inner = inner.bind(p.name, p.arity, *dependencies)
		if !isOperator && dependencies.level == Temporal {
			inner.formula = &unfolding{
				s:     u.s,
				x:     args[i],
				scope: u.scope,
				env:   u.env,
			}
		}
	}
	return inner, e
}

// boundFormula makes the formula of a name that is bound to a formula about runs, or that LET defines as one.
func (u *unfolding) boundFormula(b *scope) *Formula {
	if b.formula != nil {
		f := u.s.unfold(b.formula.x, b.formula.scope, b.formula.env, u.at)
		f.Name = u.formula.Name
		f.IsOfInstance = u.formula.IsOfInstance
		return f
	}
	if b.definition == nil || b.definition.instance != nil || b.definition.over != nil {
		u.failUnchecked()
	}
	inner, arguments := u.bindArguments(b, u.env.above(u.scope.depth-b.depth), b.definition.parameters,
		u.x.args)
	return u.definedFormula(b.definition, inner, arguments)
}

// namedAction makes the formula of a name that is defined as an action with a subscript. Where a
// formula about runs is expected, no other action is allowed.
func (u *unfolding) namedAction() *Formula {
	if u.x.kind == square || u.x.kind == angle {
		fail(u.x.at, "%s is about a step: write [][A]_v or <><<A>>_v", u.x.text())
	}
	specification := u.scope.world.s.config.specification
	isSpecification := u.x.name == specification.name && u.x.at == specification.at
	if isSpecification {
		fail(u.x.at,
			"%s is about a step, and no SPECIFICATION: name a definition such as Spec == Init /\\ [][%[1]s]_vars, or write INIT and NEXT", u.x.name)
	}
	w, d := u.scope.named(u.x)
	hasSubscript := d != nil && (d.read().kind == square || d.read().kind == angle)
	if !hasSubscript {
		fail(u.x.at,
			"%s is about a step, and stands in a formula about runs: write [][A]_v or <><<A>>_v", u.x.text())
	}
	return u.definition(w, d)
}

// connectives are the operators between formulas about runs.
var connectives = map[string]Operator{
	`/\`:  And,
	`\/`:  Or,
	"~":   Not,
	"=>":  Implies,
	"<=>": Equivalent,
	"~>":  LeadsTo,
}

// application makes the formula of an application of a temporal operator, a connective or a definition.
func (u *unfolding) application() *Formula {
	if operator, ok := connectives[u.x.name]; ok {
		u.formula.IsRefusedByTLC = operator == Equivalent
		return u.connective(operator, inRun)
	}
	switch u.x.name {
	case "[]":
		return u.connective(Always, inAlways)
	case "<>":
		return u.connective(Eventually, inEventually)
	}
	if b := u.scope.bound(u.x.name); b != nil {
		return u.boundFormula(b)
	}
	w, d := u.scope.named(u.x)
	if d == nil {
		w, d = u.scope.fromUnnamedInstance(u.x)
	}
	if d == nil {
		u.failUnchecked()
	}
	return u.definition(w, d)
}

// temporal makes the formula of an expression about runs that is not an application.
func (u *unfolding) temporal() *Formula {
	x := u.x
	switch x.kind {
	case junction:
		if x.name == `\/` {
			return u.connective(Or, inRun)
		}
		return u.connective(And, inRun)
	case forAll, exists:
		u.formula.Operator = And
		if x.kind == exists {
			u.formula.Operator = Or
		}
		u.addInstances()
		return u.formula
	case ifThen:
		return u.conditional()
	case fair:
		return u.fairness()
	case let:
		inner, locals := u.scope.compileLet(x)
		f := u.s.unfold(x.args[0], inner, locals(u.env), u.at)
		f.Name = u.formula.Name
		f.IsOfInstance = u.formula.IsOfInstance
		return f
	case cases:
		return u.cases()
	case selected:
		return u.selection()
	case hiding:
		fail(x.at, "%s hides variables of behaviours; TLC does not check such formulas either",
			x.name)
	}
	u.failUnchecked()
	return nil
}

// conditional makes the formula of IF p THEN a ELSE b: (p => a) /\ (~p => b).
func (u *unfolding) conditional() *Formula {
	x := u.x
	condition := u.s.unfold(x.args[0], u.scope, u.env, inRun)
	not := &Formula{Operator: Not, Parts: []*Formula{condition}, Position: x.at}
	then := u.s.unfold(x.args[1], u.scope, u.env, inRun)
	otherwise := u.s.unfold(x.args[2], u.scope, u.env, inRun)
	u.formula.Operator = And
	u.formula.Parts = []*Formula{
		{Operator: Implies, Parts: []*Formula{condition, then}, Position: x.at},
		{Operator: Implies, Parts: []*Formula{not, otherwise}, Position: x.at},
	}
	return u.formula
}

// cases makes the formula of CASE p -> a [] q -> b [] OTHER -> c: (p => a) /\ (~p /\ q => b) /\ (~p /\ ~q => c).
func (u *unfolding) cases() *Formula {
	x := u.x
	u.formula.Operator = And
	var earlierFail []*Formula // that no condition before holds
	for i := 0; i < len(x.args); i += 2 {
		parts := earlierFail
		if x.args[i] != nil {
			condition := u.s.unfold(x.args[i], u.scope, u.env, inRun)
			parts = append(slices.Clone(earlierFail), condition)
			earlierFail = append(earlierFail, &Formula{
				Operator: Not,
				Parts:    []*Formula{condition},
				Position: x.at,
			})
		}
		then := u.s.unfold(x.args[i+1], u.scope, u.env, inRun)
		guard := &Formula{Operator: And, Parts: parts, Position: x.at}
		u.formula.Parts = append(u.formula.Parts, &Formula{
			Operator:       Implies,
			Parts:          []*Formula{guard, then},
			IsRefusedByTLC: true,
			Position:       x.at,
		})
	}
	if x.args[len(x.args)-2] != nil {
		u.failUnchecked() // there is no value if no condition holds
	}
	return u.formula
}

// fairness makes the formula of WF_v(A) or SF_v(A). Its parts are the step <<A>>_v, and the condition
// that this step is enabled.
func (u *unfolding) fairness() *Formula {
	x := u.x
	u.formula.Operator = Weak
	if x.name == "SF" {
		u.formula.Operator = Strong
	}
	step := &expression{
		kind:   angle,
		args:   x.args,
		at:     x.at,
		source: "<<" + x.args[0].source + ">>_" + x.args[1].source,
	}
	enabled := &expression{
		kind:   apply,
		name:   "ENABLED",
		args:   []*expression{step},
		at:     x.at,
		source: "ENABLED " + step.source,
	}
	u.formula.Predicate = u.s.predicate(step, u.scope, u.env)
	u.formula.Parts = []*Formula{
		{Operator: Holds, Predicate: u.formula.Predicate, Position: x.at},
		{Operator: Holds, Predicate: u.s.predicate(enabled, u.scope, u.env), Position: x.at},
	}
	return u.formula
}

// failUnchecked fails since an expression about runs is not a supported formula.
func (u *unfolding) failUnchecked() {
	fail(u.x.at,
		"%s is about runs, and cannot be checked: formulas are built by [], <>, ~>, WF, SF, quantifiers over constants, and /\\, \\/, ~, =>, <=>", u.x.text())
}

// mostInstances is the largest number of instances of a quantifier over formulas about runs.
const mostInstances = 10_000

// stepsOfPart is the number of steps that a part of a formula costs in addition to its text.
const stepsOfPart = 10

// mostUnfolded is the largest number of parts of a formula about runs.
const mostUnfolded = 200_000

// addInstances adds an instance of the quantified expression to the formula for each combination of values, in the
// order of TLC.
func (u *unfolding) addInstances() {
	x := u.x
	if x.bounds[0].set == nil {
		fail(x.at,
			"%s ranges over everything, and a quantifier over formulas about runs needs a constant set", x.text())
	}
	all := &instantiation{
		unfolding: u,
		machine:   u.s.machine(),
		members:   make([][]values.Value, len(x.bounds)),
	}
	all.addFrom(0, u.scope, u.env)
}

// mostConjuncts is the largest number of conjuncts of a quantified predicate.
const mostConjuncts = 8

// conjuncts returns the instances of a predicate of states that is quantified over constant sets, also by the
// definition that it names; nil if it is none, or if there are more than mostConjuncts.
func (u *unfolding) conjuncts() []*Formula {
	q := *u
	q.formula = &Formula{}
	for {
		w, d := q.scope.named(q.x)
		if d == nil || !w.root || len(d.parameters) > 0 {
			break
		}
		q.x = d.read()
		q.scope = w.scope(d.module)
		q.env = nil
	}
	if q.x.kind != forAll || !q.hasFewInstances() {
		return nil
	}
	q.addInstances()
	return q.formula.Parts
}

// hasFewInstances reports whether a quantifier ranges over constant sets with at most mostConjuncts combinations of
// members. It looks only at sets that are named, listed or intervals, since to list others can be much work.
func (u *unfolding) hasFewInstances() bool {
	n := &instantiation{unfolding: u, machine: u.s.machine()}
	combinations := 1
	for _, b := range u.x.bounds {
		isListed := b.set != nil && (b.set.kind == apply || b.set.kind == setOf)
		if !isListed || u.scope.compile(b.set).level > Constant {
			return false
		}
		combinations *= len(n.membersOf(b.set))
		if combinations > mostConjuncts {
			return false
		}
	}
	return true
}

// instantiation enumerates the values of the bounds of a quantified expression, and adds the instances to its formula.
type instantiation struct {
	*unfolding
	machine *machine
	// members has the members of the set of each bound that was reached; nil for the others.
	members [][]values.Value
	// bindings has a text such as p = 1 for each bound that has a value.
	bindings []string
}

// addFrom binds the bounds from number numBound on, in all ways, and adds an instance for each way. The
// scope and the environment bind the names of those before.
func (n *instantiation) addFrom(numBound int, inner *scope, environment *env) {
	isComplete := numBound == len(n.x.bounds)
	if isComplete {
		n.add(inner, environment)
		return
	}
	b := &n.x.bounds[numBound]
	if n.members[numBound] == nil {
		n.members[numBound] = n.membersOf(b.set)
	}
	names := b.names[0]
	if b.tuple {
		names = "<<" + strings.Join(b.names, ", ") + ">>"
	}
	for _, name := range b.names {
		inner = inner.bind(name, 0, compiled{})
	}
	for _, v := range n.members[numBound] {
		n.bindings = append(n.bindings, names+" = "+v.String())
		n.addFrom(numBound+1, inner, b.bind(b.set, environment, v))
		n.bindings = n.bindings[:len(n.bindings)-1]
	}
}

// add adds the instance for the values that an environment binds.
func (n *instantiation) add(inner *scope, environment *env) {
	if len(n.formula.Parts) == mostInstances {
		fail(n.x.at, "%s has more than %d instances", n.x.text(), mostInstances)
	}
	instance := *n.s.unfold(n.x.args[0], inner, environment, inRun)
	instance.Instance = strings.Join(n.bindings, ", ")
	n.formula.Parts = append(n.formula.Parts, &instance)
}

// membersOf returns the members of the set of a bound in the order of TLC. It fails if the set is not constant.
func (n *instantiation) membersOf(set *expression) []values.Value {
	c := n.scope.compile(set)
	if c.level > Constant {
		fail(set.at,
			"%s depends on the state, and a quantifier over formulas about runs needs a constant set", set.text())
	}
	return n.machine.sorted(n.machine.members(set, c.run(n.machine, n.env)))
}
