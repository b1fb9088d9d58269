// Package tlaplus reads modules in TLA+ and configurations of TLC, and evaluates their expressions in
// states and steps.
//
// [Load] returns a [Specification]. [Specification.Property] and [Specification.Spec] return formulas
// about runs. These are built from predicates of states and steps, and their quantifiers are expanded. An
// [Evaluator] evaluates predicates over the values that a file gives to the states of a model; this
// package generates no states. Operators, precedences and layout are those of L. Lamport, Specifying
// Systems (2002), Part IV. Expressions that TLC cannot evaluate are errors, and CHOOSE returns the member
// that TLC returns.
//
// A definition is parsed only if something depends on it, and an error in a definition has its
// line.
package tlaplus

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/property/values"
)

// Specification is a module, the modules that it depends on, and a configuration. [Load] returns it.
// Only one goroutine may make formulas of it at a time.
type Specification struct {
	loader    *loader
	config    *Config
	root      *world
	variables []string
	epochs    int
	// nested is the number of nested expressions that are being compiled.
	nested int
	// unfolded is the number of parts that the formula being expanded has so far, and within is the
	// number of parts around the present one.
	unfolded, within int
	// known has the formulas of definitions without parameters that were expanded.
	known map[unfoldedDefinition]knownFormula
	// worlds is the number of instances of modules so far.
	worlds int
	// givenByConfig has the definitions for names with a value in the configuration.
	givenByConfig map[string]*Definition
	// environment has the variables of the environment in which TLC has run; nil if it is unknown.
	environment []string
	// busy are the definitions that are being compiled, the innermost last. provisional are compiled
	// definitions that use some of them.
	busy, provisional []*body
}

// newSpecification returns a specification of a module that the loader has read.
func newSpecification(l *loader, config *Config, module *Module) *Specification {
	s := &Specification{
		loader:        l,
		config:        config,
		givenByConfig: map[string]*Definition{},
		known:         map[unfoldedDefinition]knownFormula{},
	}
	s.root = &world{
		s:      s,
		module: module,
		root:   true,
		bodies: map[*Definition]*body{},
		worlds: map[*instance]*world{},
	}
	s.variables = module.allVariables()
	return s
}

// Load reads a module and, unless its name is "", a configuration. Other modules may be next to
// the module or in the folders. An error has the file and line. Cost O(size of the files).
func Load(
	ctx context.Context,
	file, config string,
	folders []string,
) (s *Specification, err error) {
	return LoadIn(ctx, file, config, folders, nil)
}

// LoadIn is [Load] if the environment in which TLC has run is known. A variable is given as "NAME=value".
// The environment is the value of IOEnv, which otherwise cannot be evaluated.
func LoadIn(
	ctx context.Context,
	file, config string,
	folders, environment []string,
) (s *Specification, err error) {
	defer abort.Caught(&err)
	read := func(path string) string {
		text, err := inputfile.ReadRegular(ctx, path, moduleLimit)
		var inPath *fs.PathError
		switch {
		case errors.Is(err, fs.ErrNotExist):
			fail(Position{File: path}, "there is no such file: check its name")
		case errors.As(err, &inPath):
			fail(Position{File: path}, "it cannot be read: %v", inPath.Err)
		case err != nil:
			abort.On(ctx.Err())
			fail(Position{File: path}, "it cannot be read: %v", err)
		}
		return string(text)
	}
	l := newLoader(ctx, append([]string{filepath.Dir(file)}, folders...))
	configured := &Config{}
	if config != "" {
		text := read(config)
		l.add(text)
		configured = readConfig(l, config, text)
	}
	name := strings.TrimSuffix(filepath.Base(file), ".tla")
	module := l.module(name, file, read(file))
	l.rankAll(module)
	configured.checkModules(l)
	s = newSpecification(l, configured, module)
	s.environment = environment
	s.checkNames()
	return s, nil
}

// checkNames fails if INIT, NEXT, SYMMETRY or VIEW in the configuration names no definition. No formula depends on
// them here, but TLC fails then, too.
func (s *Specification) checkNames() {
	module := s.root.module
	named := []statement{{keyword: "INIT", setting: s.config.init}, {keyword: "NEXT", setting: s.config.next}}
	for _, one := range slices.Concat(named, s.config.written) {
		isElsewhere := strings.Contains(one.name, "!") // in an instance
		if one.name == "" || isElsewhere || one.keyword == "ALIAS" {
			continue
		}
		_, d := s.root.resolve(module, one.name)
		if d == nil {
			_, d = s.root.scope(module).fromUnnamedInstance(applied(one.name, one.at))
		}
		if d == nil {
			fail(one.at, "%s names %s, which is no definition%s", one.keyword, one.name,
				closest(one.name, s.root.scope(module).allNames()))
		}
	}
}

// Within makes reading and unfolding fail once another context is done.
func (s *Specification) Within(ctx context.Context) {
	s.loader.ctx = ctx
	s.loader.spent.ctx = ctx
	s.loader.spent.ask = 0
}

// Files returns the files that were read, beginning with the module. Cost O(1).
func (s *Specification) Files() []string { return s.loader.files }

// Digest returns the SHA-256 of all files that were read until now, in hexadecimal digits.
func (s *Specification) Digest() string { return hex.EncodeToString(s.loader.sum.Sum(nil)) }

// Variables returns the names of the variables, in the order in which [Evaluator] takes their values.
func (s *Specification) Variables() []string { return s.variables }

// Merging returns SYMMETRY or VIEW, and its position, if the configuration has such a statement; "" if
// it has none. With such a statement, TLC merges different states into one.
func (s *Specification) Merging() (keyword string, at Position) {
	for _, one := range s.config.written {
		if one.keyword != "ALIAS" {
			return one.keyword, one.at
		}
	}
	return "", Position{}
}

// ChecksDeadlocks reports whether there is a configuration by which TLC reports deadlocks.
func (s *Specification) ChecksDeadlocks() bool {
	return s.config.file != "" && !s.config.allowsDeadlocks
}

// ConfigFile returns the name of the configuration; "" if there is none.
func (s *Specification) ConfigFile() string { return s.config.file }

// NextName returns the text of the next-state relation, as the module can contain it; "" if the configuration
// has none.
func (s *Specification) NextName() (text string, err error) {
	defer abort.Caught(&err)
	s.resetCounts()
	next := s.nextState()
	if next == nil {
		return "", nil
	}
	return next.action.inLine(next.view.texts), nil
}

// Alias returns the position of an ALIAS statement that may change the values that TLC writes: its
// definition is not a record that gives each variable its own value. It returns false if there is none,
// and fails if the definition cannot be read.
func (s *Specification) Alias() (at Position, changes bool, err error) {
	defer abort.Caught(&err)
	for _, one := range s.config.written {
		if one.keyword == "ALIAS" && !s.keepsVariables(one.name) {
			return one.at, true, nil
		}
	}
	return Position{}, false, nil
}

// keepsVariables reports whether a name is defined as a record in which each field that has the name of
// a variable has the value of this variable.
func (s *Specification) keepsVariables(name string) bool {
	d := s.root.module.definition(name)
	if d == nil || len(d.parameters) > 0 || d.over != nil || d.instance != nil {
		return false
	}
	x := d.read()
	if x.kind != record {
		return false
	}
	for i, field := range x.fields {
		value := x.args[i]
		if slices.Contains(s.variables, field) &&
			(value.kind != apply || value.name != field || len(value.args) > 0) {
			return false
		}
	}
	return true
}

// Operator is the outermost operator of a [Formula].
type Operator uint8

// The operators. Weak and Strong are weak and strong fairness for the steps that satisfy the predicate.
const (
	Holds Operator = iota // of a predicate
	And
	Or
	Not
	Implies
	Equivalent
	Always
	Eventually
	LeadsTo
	Weak
	Strong
)

// Formula is a formula about runs, with definitions and quantifiers expanded.
type Formula struct {
	Operator  Operator
	Parts     []*Formula
	Predicate *Predicate
	// IsOfInstance is set if Name is a text of an instance of a module, whose names may mean something else in
	// the module of the specification.
	IsOfInstance bool
	// IsRefusedByTLC marks <=> and CASE of formulas about runs, which TLC cannot check.
	IsRefusedByTLC bool
	// Name is the text of the predicate. Instance has the values of quantified names, such as p = p2.
	Name, Instance string
	Position       Position
}

// IsPredicate reports whether a formula is a predicate of at most this level, or the negation of one.
// Conjunctions and other connectives of predicates are predicates themselves; only a negation is a
// formula with a predicate as its part.
func (f *Formula) IsPredicate(most Level) bool {
	for f.Operator == Not {
		f = f.Parts[0]
	}
	return f.Operator == Holds && f.Predicate.Level <= most
}

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

// Evaluator evaluates predicates in states. Only one goroutine may use it.
type Evaluator struct{ m machine }

// Evaluator returns an evaluator, whose methods fail once ctx is done.
func (s *Specification) Evaluator(ctx context.Context) *Evaluator {
	m := s.machine()
	m.spent = &work{ctx: ctx, most: s.loader.spent.most}
	return &Evaluator{*m}
}

// Holds reports whether a predicate holds in the state with the values now, or for the step from there
// to the state with the values next; next is nil for a predicate of states. steps yields the values of
// the successors of the state, which makes ENABLED faster; it is nil if they are unknown. The error is
// an [*Error], or the error of the context.
func (v *Evaluator) Holds(
	p *Predicate,
	now, next []values.Value,
	steps func(func([]values.Value) bool),
) (holds bool, err error) {
	defer abort.Caught(&err)
	v.m.moment = moment{now: now, next: next}
	v.m.steps = steps
	v.m.depth = 0
	v.m.waiting = 0
	v.m.stack = v.m.stack[:0]
	v.m.beginEpoch()
	v.m.work()
	return v.m.bool(p.x, p.run(&v.m, p.e)), nil
}

// Within makes evaluations fail once another context is done.
func (v *Evaluator) Within(ctx context.Context) {
	v.m.spent.ctx = ctx
	v.m.spent.ask = 0
}

// SetDistance sets the value of TLCGet("level") for the following evaluations. It is the number of
// states on a shortest path to the state.
func (v *Evaluator) SetDistance(n int) { v.m.distance = n }

// In returns the value of an expression from [Specification.Expression] in the state with these values.
// Errors are as for Holds.
func (v *Evaluator) In(p *Predicate, now []values.Value) (of values.Value, err error) {
	defer abort.Caught(&err)
	v.m.moment = moment{now: now}
	v.m.steps = nil
	v.m.depth = 0
	v.m.waiting = 0
	v.m.stack = v.m.stack[:0]
	v.m.beginEpoch()
	v.m.work()
	return v.m.value(p.x, p.run(&v.m, p.e)), nil
}

// Value returns the value that a text denotes, as [values.Parse] does. It fails once the context is
// done. Cost O(len(text)).
func (v *Evaluator) Value(text string) (of values.Value, err error) {
	defer abort.Caught(&err)
	v.m.spent.take(len(text))
	return values.Parse(text), nil
}

// machine returns an evaluator of constants.
func (s *Specification) machine() *machine {
	m := &machine{
		spent:     s.loader.spent,
		order:     s.loader.order,
		epochs:    &s.epochs,
		intervals: map[interval]values.Value{},
	}
	m.beginEpoch()
	return m
}

// Property returns the formula that a text denotes: the name of a definition, or an expression as it
// could be in the module. The text may also name the model values of the configuration.
func (s *Specification) Property(text string) (f *Formula, err error) {
	defer abort.Caught(&err)
	s.resetCounts()
	x := s.parse(text)
	for _, one := range slices.Concat(s.config.properties, s.config.invariants) {
		if x.kind == apply && len(x.args) == 0 && one.name == x.name {
			x.at = one.at
		}
	}
	in, e := s.outsideScope()
	f = s.unfold(x, in, e, inRun)
	for _, one := range s.config.invariants {
		if text == "[]"+one.name && f.Parts[0].isAboutRuns() {
			fail(one.at,
				"%s is about runs, and TLC takes no such INVARIANT: make it a PROPERTY", one.name)
		}
	}
	return f, nil
}

// isAboutRuns reports whether a formula has a temporal operator.
func (f *Formula) isAboutRuns() bool {
	switch f.Operator {
	case Always, Eventually, LeadsTo, Weak, Strong:
		return true
	}
	return slices.ContainsFunc(f.Parts, (*Formula).isAboutRuns)
}

// State returns the predicate of states that a text denotes. It fails if the text is about steps or
// runs.
func (s *Specification) State(text string) (p *Predicate, err error) {
	defer abort.Caught(&err)
	s.resetCounts()
	x := s.parse(text)
	in, e := s.outsideScope()
	p = s.predicate(x, in, e)
	if p.Level > State {
		fail(x.at, "%s is about more than a state", x.text())
	}
	return p, nil
}

// Expression returns an expression about a state. It may have any value, and not just true or false as
// with [Specification.State].
func (s *Specification) Expression(text string) (p *Predicate, err error) {
	return s.State(text)
}

// IsExpression reports whether a text has the syntax of an expression.
func (s *Specification) IsExpression(text string) bool {
	return abort.Try(func() { s.parse(text) }) == nil
}

// resetCounts prepares the compilation of an expression or a formula.
func (s *Specification) resetCounts() {
	s.nested = 0
	s.unfolded = 0
	s.within = 0
}

// Defines reports whether the module has a definition of this name.
func (s *Specification) Defines(name string) bool {
	return s.root.module.definition(name) != nil
}

// outsideScope returns the scope and the environment of expressions that are in no file. Such expressions
// may name the model values of the configuration.
func (s *Specification) outsideScope() (*scope, *env) {
	in := s.root.scope(s.root.module)
	e := (*env)(nil)
	var add func(v values.Value)
	add = func(v values.Value) {
		for _, item := range v.Items() {
			add(item)
		}
		if v.Kind() != values.Text {
			return
		}
		name := v.String()
		if in.bound(name) == nil && !in.hasName(name) {
			in = in.bind(name, 0, compiled{})
			e = bind(e, of(v))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.config.values)) {
		add(s.config.values[name])
	}
	return in, e
}

// parse reads an expression that is in no file.
func (s *Specification) parse(text string) *expression {
	l := &lexer{source: text, line: 1}
	p := &parser{spent: s.loader.spent, source: text, tokens: l.tokens()}
	x := p.expression()
	if p.peek().kind != end {
		p.unexpected("an operator or the end of the formula")
	}
	return x
}

// Properties returns the names that the configuration has under PROPERTY, and those under INVARIANT,
// which are predicates that must always hold.
func (s *Specification) Properties() (properties, invariants []string) {
	return namesOf(s.config.properties), namesOf(s.config.invariants)
}

func namesOf(settings []setting) (names []string) {
	for _, s := range settings {
		names = append(names, s.name)
	}
	return names
}

// Spec returns the formula that describes the behaviours. It is nil if the configuration has INIT and
// NEXT, or if there is no configuration. Then nothing is assumed about behaviours.
func (s *Specification) Spec() (f *Formula, err error) {
	defer abort.Caught(&err)
	s.resetCounts()
	if s.config.specification.name == "" {
		return nil, nil
	}
	name := s.config.specification
	return s.unfold(&expression{
		kind:   apply,
		name:   name.name,
		at:     name.at,
		source: name.name,
	},
		s.root.scope(s.root.module), nil, inRun), nil
}

// Constraints returns the constraints of the configuration: TLC does not continue from
// states, and does not take steps, that violate them.
func (s *Specification) Constraints() (states, steps []*Predicate, err error) {
	defer abort.Caught(&err)
	s.resetCounts()
	states = s.constraints(s.config.constraints, State)
	steps = s.constraints(s.config.actionConstraints, Action)
	return states, steps, nil
}

// constraints returns the predicates that some settings name. It fails if the level of one of them
// is higher than allowed.
func (s *Specification) constraints(settings []setting, mostLevel Level) (all []*Predicate) {
	for _, named := range settings {
		x := &expression{
			kind:   apply,
			name:   named.name,
			at:     named.at,
			source: named.name,
		}
		p := s.constraint(x)
		switch {
		case p.Level <= mostLevel:
		case p.Level == Action:
			fail(named.at,
				"CONSTRAINT %s is about a step; make it an ACTION_CONSTRAINT, or write it without primes", named.name)
		default:
			fail(named.at, "%s is about runs, and a constraint is about a state or a step",
				named.name)
		}
		all = append(all, p)
	}
	return all
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

// instantiation enumerates the values of the bounds of a quantified expression, and adds the instances to its formula.
type instantiation struct {
	*unfolding
	machine *machine
	// members has the members of the set of each bound that was reached; nil for the others.
	members [][]values.Value
	// bindings has a text such as p = 1 for each bound that has a value.
	bindings []string
}

// addFrom adds the instances for all values of the bounds but the first ones, whose names the scope and the
// environment bind.
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

// textWithValues returns the text of an expression on one line, with values in place of the names that are
// bound around it.
func (s *scope) textWithValues(x *expression, e *env) string {
	text := x.text()
	if s.up == nil {
		return text
	}
	return inOneLine(text, func(tokens []token, i int) string {
		t := tokens[i]
		isField := i > 0 && tokens[i-1].is(".") || tokens[i+1].is("|->")
		binding := s.bound(t.text)
		if t.kind == word && binding != nil && binding.definition == nil && !isField {
			bound := e.above(s.depth - binding.depth)
			switch {
			case bound.run != nil:
				return binding.name
			case bound.op == nil:
				return bound.value[0].shown()
			}
		}
		return text[t.from:t.behind]
	})
}

// withoutParentheses removes parentheses that enclose the whole text.
func withoutParentheses(text string) string {
	depth := 0
	for i, c := range []byte(text) {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i < len(text)-1 {
			return text
		}
	}
	if len(text) > 1 && text[0] == '(' {
		return strings.TrimSpace(text[1 : len(text)-1])
	}
	return text
}

// Config is a configuration of TLC, without the statements that are irrelevant for an existing graph.
type Config struct {
	file string
	// values has the values of constants by name. replaced has the name of the definition that replaces
	// another one. Its key is the name of the other definition, or module!name.
	values   map[string]values.Value
	replaced map[string]setting
	// specification, init and next name the definitions that describe the behaviours: specification
	// alone, or init and next.
	specification, init, next setting
	properties                []setting
	invariants                []setting
	constraints               []setting
	actionConstraints         []setting
	// written are the statements that change which states TLC writes, or how.
	written []statement
	// allowsDeadlocks is set by CHECK_DEADLOCK FALSE.
	allowsDeadlocks bool
}

// setting is a name in a configuration.
type setting struct {
	name string
	at   Position
}

// statement is a statement with one name or without a name.
type statement struct {
	keyword string
	setting
}

var statements = words("CONSTANT CONSTANTS SPECIFICATION INIT NEXT PROPERTY PROPERTIES INVARIANT INVARIANTS CONSTRAINT CONSTRAINTS ACTION_CONSTRAINT ACTION_CONSTRAINTS SYMMETRY VIEW ALIAS CHECK_DEADLOCK POSTCONDITION POSTCONDITIONS _PERIODIC _RL_REWARD _POSSIBLE TYPE TYPE_CONSTRAINT")

// singular maps the plural of a keyword to its singular, which means the same.
var singular = map[string]string{
	"CONSTANTS": "CONSTANT", "PROPERTIES": "PROPERTY", "INVARIANTS": "INVARIANT", "CONSTRAINTS": "CONSTRAINT", "ACTION_CONSTRAINTS": "ACTION_CONSTRAINT",
}

// readConfig reads a configuration.
func readConfig(l *loader, file, source string) *Config {
	c := &Config{
		file:     file,
		values:   map[string]values.Value{},
		replaced: map[string]setting{},
	}
	x := &lexer{file: file, source: source, line: 1}
	p := &parser{spent: l.spent, source: source, tokens: x.tokens()}
	for _, t := range p.tokens {
		if t.kind == word || t.kind == text {
			l.rank(t.text)
		}
	}
	lastStatement := "" // the statement that has been read
	for p.peek().kind != end {
		t := p.next()
		if t.kind != word || !statements()[t.text] {
			if t.kind == word {
				failIfMisspelt(t.text, t.at)
			}
			fail(t.at,
				"expected a statement such as SPECIFICATION, PROPERTY or CONSTANT, found %s%s", source[t.from:t.behind], takenBy(lastStatement))
		}
		lastStatement = cmp.Or(singular[t.text], t.text)
		c.statement(p, t)
	}
	other := cmp.Or(c.init, c.next)
	if c.specification.name != "" && other.name != "" {
		fail(other.at,
			"the configuration has SPECIFICATION %s, too, and TLC takes either that, or INIT and NEXT", c.specification.name)
	}
	switch {
	case c.specification.name == "" && c.init.name != "" && c.next.name == "":
		fail(c.init.at, "INIT %s needs a NEXT: write NEXT with the next-state relation, or SPECIFICATION in place of both", c.init.name)
	case c.specification.name == "" && c.init.name == "" && c.next.name != "":
		fail(c.next.at, "NEXT %s needs an INIT: write INIT with the initial predicate, or SPECIFICATION in place of both", c.next.name)
	}
	return c
}

// takenBy returns a clause about what a statement takes, for users who may have written an expression
// there; "" if there is no statement.
func takenBy(statement string) string {
	switch statement {
	case "CONSTANT":
		return "; for an expression, define a name in the module, and write CONSTANT NAME <- Defined"
	case "", "CHECK_DEADLOCK":
		return ""
	}
	return "; " + statement + " takes names of definitions: for an expression, define a name in the module"
}

// checkModules fails if the M of NAME <- [M] OTHER is no module.
func (c *Config) checkModules(l *loader) {
	for _, key := range slices.Sorted(maps.Keys(c.replaced)) {
		module, _, inModule := strings.Cut(key, "!")
		if inModule && !standard()[module] && l.load(module) == nil {
			fail(c.replaced[key].at,
				"there is no module %s: write the name of one that the specification extends, or leave [%s] out", module, module)
		}
	}
}

// statement reads the rest of a statement, after its keyword.
func (c *Config) statement(p *parser, keyword token) {
	switch cmp.Or(singular[keyword.text], keyword.text) {
	case "CONSTANT":
		for p.settingFollows() {
			c.constant(p)
			p.refuseComma()
		}
	case "SPECIFICATION":
		p.setting(keyword, &c.specification)
	case "INIT":
		p.setting(keyword, &c.init)
	case "NEXT":
		p.setting(keyword, &c.next)
	case "PROPERTY":
		c.properties = append(c.properties, p.settings()...)
	case "INVARIANT":
		c.invariants = append(c.invariants, p.settings()...)
	case "CONSTRAINT":
		c.constraints = append(c.constraints, p.settings()...)
	case "ACTION_CONSTRAINT":
		c.actionConstraints = append(c.actionConstraints, p.settings()...)
	case "SYMMETRY", "VIEW", "ALIAS":
		written := statement{keyword: keyword.text, setting: setting{at: keyword.at}}
		names := p.settings()
		if len(names) > 0 {
			written.name = names[0].name
		}
		c.written = append(c.written, written)
	case "CHECK_DEADLOCK":
		t := p.next()
		if !t.is("TRUE") && !t.is("FALSE") {
			fail(t.at, "CHECK_DEADLOCK takes TRUE or FALSE, found %s", cmp.Or(t.text, "the end"))
		}
		c.allowsDeadlocks = t.is("FALSE")
	default:
		for p.settingFollows() {
			p.next()
		}
	}
}

// constant reads the value or the replacement of a constant: NAME = value, or NAME <- OTHER. In NAME =
// [M] value, the definition in module M gets the value. This is read as NAME <- [M] OTHER, where OTHER
// is a name that no module can define and that has the value.
func (c *Config) constant(p *parser) {
	name := p.next()
	// NAME(1) = 2, the value of an operator for certain arguments, is not
	// supported.
	if p.is("(") {
		fail(name.at,
			"%s is given a value for certain arguments; replace it by a definition, as in %s <- Other", name.text, name.text)
	}
	switch {
	case p.take("<-"):
		module := p.moduleOfConstant()
		other := p.next()
		c.replaced[module+name.text] = setting{other.text, other.at}
	case p.take("="):
		module := p.moduleOfConstant()
		c.values[module+name.text] = c.value(p)
		if module != "" {
			c.replaced[module+name.text] = setting{module + name.text, name.at}
		}
	default:
		failIfMisspelt(name.text, name.at)
		p.unexpected("= or <- behind " + name.text)
	}
}

// moduleOfConstant reads an optional [M] after the sign of a constant, and returns M!; "" if there is
// none.
func (p *parser) moduleOfConstant() string {
	if !p.take("[") {
		return ""
	}
	module := p.next().text
	p.expect("]")
	return module + "!"
}

// settingFollows reports whether the next token is a name, and not the keyword of a statement.
func (p *parser) settingFollows() bool {
	t := p.peek()
	return t.kind == word && !statements()[t.text]
}

// refuseComma fails if a comma follows an item of a statement: TLC takes it for an item.
func (p *parser) refuseComma() {
	if p.is(",") {
		fail(p.peek().at, "a comma stands between items of the configuration, where TLC takes none: leave it out")
	}
}

// settings reads the names of a statement.
func (p *parser) settings() (all []setting) {
	for p.settingFollows() {
		t := p.next()
		name := t.text
		for p.take("!") {
			name += "!" + p.next().text
		}
		all = append(all, setting{name, t.at})
		p.refuseComma()
	}
	return all
}

// setting reads the name of a statement that a configuration may contain only once.
func (p *parser) setting(keyword token, into *setting) {
	all := p.settings()
	for _, other := range all[min(1, len(all)):] {
		failIfMisspelt(other.name, other.at)
	}
	if len(all) != 1 {
		fail(keyword.at, "%s takes one name, found %d", keyword.text, len(all))
	}
	if into.name != "" {
		fail(keyword.at, "%s stands here for the second time: TLC takes one", keyword.text)
	}
	*into = all[0]
}

// failIfMisspelt fails if a name that does not fit looks like the keyword of a statement.
func failIfMisspelt(name string, at Position) {
	meant := values.Closest(name, slices.Sorted(maps.Keys(statements())), 2)
	isKeyword := len(name) > 3 && name == strings.ToUpper(name)
	if isKeyword && meant[0][0] == name[0] {
		fail(at, "%s is no statement of a configuration; the closest is %s", name, meant[0])
	}
}

// value reads a number, a string, a truth value, a set, or a name, which is a model value.
func (c *Config) value(p *parser) values.Value {
	t := p.next()
	p.deeper(t.at, "values")
	defer p.shallower()
	switch {
	case t.kind == number && strings.Contains(t.text, "."):
		failDecimal(t.at, t.text)
	case t.kind == number:
		return madeNumber(t.text)
	case t.is("-"):
		fail(t.at, "TLC takes no negative number here: define a name in the module, as in Low == -1, and write CONSTANT NAME <- Low")
	case t.kind == text:
		return quoted(t.text)
	case t.is("TRUE"), t.is("FALSE"):
		return boolean(t.text == "TRUE")
	case t.kind == word:
		return values.Make(values.Text, t.text, nil, nil)
	case t.is("{"):
		return setOfAll(c.valueList(p, "}"))
	case t.is("<<"):
		return sequenceOf(c.valueList(p, ">>"))
	}
	fail(t.at, "expected a value: a number, a string, a name or a set of these")
	return values.Value{}
}

// valueList reads values, separated by commas, and the bracket that closes the list.
func (c *Config) valueList(p *parser, closer string) (all []values.Value) {
	for !p.take(closer) {
		all = append(all, c.value(p))
		if !p.take(",") && !p.is(closer) {
			p.unexpected("a comma or " + closer)
		}
	}
	return all
}
