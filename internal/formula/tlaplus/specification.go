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
