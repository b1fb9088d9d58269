// Package liveness turns the properties of a specification in TLA+, and the fairness of its Spec, into
// formulas over atoms and sets of transitions. So the properties that TLC checks can be checked on the
// graph that TLC has written.
//
// A behaviour of Spec is a run of the graph that may stutter forever after any step, restricted by WF
// and SF. So [Specification.On] adds a self-loop to each state, evaluates predicates of states and
// steps by their values, and records the results in labels, see [lts.Telling]. All later work on the
// model is independent of TLA+. A step of an action is a transition whose values satisfy the action,
// and ENABLED <<A>>_v holds if some values of the next state satisfy A, even if constraints exclude
// that step.
//
// A state or step has exactly the atoms that the specification implies.
package liveness

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/internal/formula/tlaplus"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/property/refine"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/lts"
)

// stuttering is the label of the steps that change nothing.
const stuttering = "stuttering"

// Stuttering returns the label of the steps that change nothing.
func (g *Graph) Stuttering() string { return stuttering }

// Process returns the process that takes the steps with a label that TLC wrote, if the label shows it:
// the first argument of the action, such as p1 in Put(p1, 2). It returns "" for an action without
// arguments.
func Process(label string) string {
	action, arguments, hasArguments := strings.Cut(label, "(")
	if !hasArguments || strings.Contains(action, " ") { // such as "Tick to (x = 1)", whose end says what holds after the step
		return ""
	}
	depth := 0
	isQuoted := false
	for i := 0; i < len(arguments); i++ {
		c := arguments[i]
		switch {
		case c == '"':
			isQuoted = !isQuoted
		case isQuoted:
		case depth == 0 && (c == ',' || c == ')'):
			return strings.TrimSpace(arguments[:i])
		case strings.HasPrefix(arguments[i:], "<<"):
			depth++
			i++
		case strings.HasPrefix(arguments[i:], ">>"):
			depth--
			i++
		case c == '(', c == '[', c == '{':
			depth++
		case c == ')', c == ']', c == '}':
			depth--
		}
	}
	return ""
}

// Process returns the process that takes the steps with a label. If only one process of a translated
// PlusCal algorithm has the label, it is this process; otherwise it is the result of the function
// [Process].
func (g *Graph) Process(label string) string {
	argument := Process(label)
	if argument != "" {
		return argument
	}
	action, _, _ := strings.Cut(label, " to ")
	return g.processes[action]
}

// Instance is a conjunct of a property. A property is the conjunction of its
// instances.
type Instance struct {
	// Name is the name or the text of the property, with the values that quantifiers give to
	// names.
	Name string
	of   *tlaplus.Formula
	// property is the number of the property that has this conjunct, and propertyText its name or text.
	property     int
	propertyText string
	// unread is the error of a property that cannot be read. The property then consists of this
	// instance alone, and the instance has no formula.
	unread error
	// isInitial marks a property that is a predicate of states, and so is about the initial states
	// alone.
	isInitial bool
}

// briefName returns the name for a sentence that has several names. If the name is the text of a
// long formula, it is cut.
func (i Instance) briefName() string { return beginning(i.Name) }

// mostEchoed is the largest number of characters of a formula in a sentence.
const mostEchoed = 200

// beginning returns a text of a user for a sentence: the first characters and an ellipsis if it is long.
func beginning(text string) string {
	first := printable.First(text, mostEchoed)
	if len(first) < len(text) {
		return first + "…"
	}
	return text
}

// isSafety reports whether an instance could be read, and is about all states, all steps or the first
// state.
func (i Instance) isSafety() bool { return i.unread == nil && isSafety(i.of) }

// Specification is a module of TLA+ with a configuration of TLC. [Load] returns it. Only one
// goroutine may use it.
type Specification struct {
	s    *tlaplus.Specification
	spec *tlaplus.Formula
	// lacksConfig is the name of the configuration that [Load] looked for next to the module and did not
	// find. It is "" if Load found one, or was given the name of one.
	lacksConfig string
	// unreadSpec is the error of a Spec that cannot be read. Then only properties that do not depend on
	// fairness can be checked.
	unreadSpec    error
	states, steps []*tlaplus.Predicate // the constraints on states, and those on steps
}

// Load reads a module and a configuration. If config is "", the configuration is the .cfg file next to
// the module with the same name, if there is one. Other modules may be next to the module or in
// the folders. An error is one line with the file and line. Cost O(size of the files).
func Load(ctx context.Context, file, config string, folders []string) (*Specification, error) {
	return load(ctx, file, config, folders, nil)
}

// LoadMade is [Load] for a specification for which this process runs TLC. TLC then has the environment of
// this process, which a specification can read as IOEnv.
func LoadMade(ctx context.Context, file, config string, folders []string) (*Specification, error) {
	return load(ctx, file, config, folders, os.Environ())
}

// load is [Load], with the environment that the specification can read.
func load(
	ctx context.Context,
	file, config string,
	folders, environment []string,
) (*Specification, error) {
	lacksConfig := ""
	if config == "" {
		nextToModule := strings.TrimSuffix(file, ".tla") + ".cfg"
		info, err := os.Stat(nextToModule)
		exists := err == nil && info.Mode().IsRegular()
		if exists {
			config = nextToModule
		} else {
			lacksConfig = filepath.Base(nextToModule)
		}
	}
	module, err := tlaplus.LoadIn(ctx, file, config, folders, environment)
	if err != nil {
		return nil, err
	}
	s := &Specification{s: module, lacksConfig: lacksConfig}
	s.spec, s.unreadSpec = module.Spec()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s.states, s.steps, err = module.Constraints()
	if err != nil {
		return nil, err
	}
	return s, nil
}

// IsInFile reports whether an error is about a place in a file of a specification, and not about the text
// of a formula.
func IsInFile(err error) bool {
	var evaluation *tlaplus.Error
	return errors.As(err, &evaluation) && evaluation.Position.File != ""
}

// Files returns the files that were read, the module first. Cost O(1).
func (s *Specification) Files() []string { return s.s.Files() }

// Digest returns the SHA-256 of all files that were read until now, in hexadecimal digits.
func (s *Specification) Digest() string { return s.s.Digest() }

// Properties returns the names of the properties in the configuration, for
// [Specification.Instances], each of them once. It fails if there are none.
func (s *Specification) Properties() ([]string, error) {
	named, invariants := s.s.Properties()
	for _, name := range invariants {
		named = append(named, "[]"+name)
	}
	var all []string
	for _, name := range named {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	if len(all) == 0 && s.lacksConfig != "" {
		return nil, fmt.Errorf("there is no property: there is no %s, in which PROPERTY would name one; write it, name another configuration, or give a formula", s.lacksConfig)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there is no property: the configuration names none as PROPERTY or INVARIANT, so that TLC checks nothing; name a definition, or give a formula")
	}
	return all, nil
}

// IsExpression reports whether a text is an expression of TLA+ by its syntax, whatever its names are.
func (s *Specification) IsExpression(text string) bool { return s.s.IsExpression(text) }

// Predicates finds the definitions that a formula of another logic uses as predicates of states, and
// replaces each by an atom about a parameter of states: Holds(c1) becomes Holds⟨c1⟩ = TRUE or, if bare
// is set, "Holds(c1)". [Specification.Values] computes the values of these parameters. Names of actions
// remain labels.
func (s *Specification) Predicates(text string, bare bool) (replaced string, all []Parameter) {
	r := &replacement{bare: bare, names: map[string]string{}}
	for pos := 0; pos < len(text); {
		end := s.pieceEnd(text, pos)
		piece := text[pos:end]
		p := s.predicate(piece)
		if p == nil {
			r.out.WriteString(piece)
		} else {
			r.replace(piece, p, text[end:])
		}
		pos = end
	}
	return r.out.String(), r.parameters
}

// pieceEnd returns the end of the piece of a formula that begins at pos. A
// piece is a label, a name with its arguments if the specification defines it, or a single character.
func (s *Specification) pieceEnd(text string, pos int) int {
	c := text[pos]
	if c == '"' || c == '\'' || c == '/' { // a label
		length := strings.IndexByte(text[pos+1:], c)
		if length < 0 {
			return len(text)
		}
		return pos + length + 2
	}
	name := leadingName(text[pos:])
	if name == "" {
		return pos + 1
	}
	end := pos + len(name)
	if s.isDefined(name) && end < len(text) && text[end] == '(' {
		return closingEnd(text, end)
	}
	return end
}

// predicate returns the predicate of states that a piece of a formula names; nil if it names none.
func (s *Specification) predicate(piece string) *tlaplus.Predicate {
	if !s.isDefined(leadingName(piece)) {
		return nil
	}
	p, err := s.s.State(piece)
	if err != nil {
		return nil
	}
	return p
}

// Defines reports whether a text is a name that the module defines.
func (s *Specification) Defines(text string) bool { return s.s.Defines(text) }

// isDefined reports whether a name is defined and may be a predicate. Names of one letter may not: they
// are operators of other logics.
func (s *Specification) isDefined(name string) bool {
	return len(name) > 1 && s.s.Defines(name)
}

// leadingName returns the name at the beginning of a text; "" if the text does not begin with a name.
func leadingName(text string) string {
	if text == "" || !isLetter(text[0]) {
		return ""
	}
	end := 1
	for end < len(text) && (isLetter(text[end]) || '0' <= text[end] && text[end] <= '9') {
		end++
	}
	return text[:end]
}

// replacement writes a formula with parameters in place of predicates.
type replacement struct {
	bare       bool
	out        strings.Builder
	parameters []Parameter
	names      map[string]string // the name of each parameter, by the text of its predicate
}

// replace writes the parameter for a predicate. It adds " = TRUE" where a comparison is needed, unless
// rest, the text after the predicate, begins with a comparison.
func (r *replacement) replace(predicate string, p *tlaplus.Predicate, rest string) {
	name, isKnown := r.names[predicate]
	if !isKnown {
		name = r.newName(predicate)
		r.names[predicate] = name
		r.parameters = append(r.parameters, Parameter{name: name, of: p})
	}
	if r.bare && strings.Contains(name, "(") {
		name = strconv.Quote(name)
	}
	r.out.WriteString(name)
	rest = strings.TrimSpace(rest)
	if !r.bare && !strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "#") {
		r.out.WriteString(" = TRUE")
	}
}

// newName returns a name for a predicate that no other parameter has. It removes blanks. Since
// texts that differ only in blanks may mean different predicates, it makes the name unique by
// primes.
func (r *replacement) newName(predicate string) string {
	name := predicate
	if !r.bare {
		name = strings.NewReplacer("(", "⟨", ")", "⟩", ",", "，", " ", "").Replace(predicate)
	}
	isTaken := func(other Parameter) bool { return other.name == name }
	for slices.ContainsFunc(r.parameters, isTaken) {
		name += "′"
	}
	return name
}

// Parameter is a predicate of states that is used as a parameter of states with the values TRUE and
// FALSE.
type Parameter struct {
	name string
	of   *tlaplus.Predicate
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }

// closingEnd returns the offset after the parenthesis that closes the first parenthesis at or after the
// given offset, or the end of the text if none does. Parentheses in strings do not count.
func closingEnd(text string, at int) int {
	depth := 0
	isQuoted := false
	for i := at; i < len(text); i++ {
		if text[i] == '"' {
			isQuoted = !isQuoted
		}
		if isQuoted {
			continue
		}
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// Values returns the table of a graph with a column added for each parameter. It fails as
// [Specification.On] does, or if a value is neither TRUE nor FALSE. Cost: evaluating each parameter in
// each state.
func (s *Specification) Values(
	ctx context.Context,
	m *lts.LTS,
	t *lts.Values,
	all []Parameter,
) (*lts.Values, error) {
	g, err := s.graph(ctx, t)
	if err != nil {
		return nil, err
	}
	g.m = m
	g.begins = m.Before() > 0
	b, err := lts.NewValuesBuilder(ctx, nil)
	if err != nil {
		return nil, err
	}
	for p := range t.NumParameters() {
		if err := copyColumn(b, m, t, p); err != nil {
			return nil, err
		}
	}
	for _, parameter := range all {
		if err := g.addColumn(ctx, b, parameter); err != nil {
			return nil, err
		}
	}
	return b.Build(m.NumStates())
}

// copyColumn copies a parameter and its values from another table.
func copyColumn(b *lts.ValuesBuilder, m *lts.LTS, t *lts.Values, p int) error {
	column := b.Parameter(t.Parameter(p).Name)
	for s := range lts.State(m.NumStates()) {
		v := t.Value(s, p)
		if v == lts.NoValue {
			continue
		}
		if err := b.Set(s, column, b.Value(column, []byte(t.Text(p, v)))); err != nil {
			return err
		}
	}
	return nil
}

// addColumn adds a parameter and evaluates its predicate in each state.
func (g *Graph) addColumn(
	ctx context.Context,
	b *lts.ValuesBuilder,
	parameter Parameter,
) error {
	const holds = 1
	facts := make([]lts.Facts, g.m.NumStates())
	if err := g.addFact(ctx, parameter.of, facts, holds); err != nil {
		return err
	}
	column := b.Parameter(parameter.name)
	isFalse := b.Value(column, []byte("FALSE"))
	isTrue := b.Value(column, []byte("TRUE"))
	for s := range lts.State(g.m.NumStates()) {
		if !g.isReal(g.m, s) {
			continue
		}
		value := isFalse
		if facts[s] == holds {
			value = isTrue
		}
		if err := b.Set(s, column, value); err != nil {
			return err
		}
	}
	return nil
}

// Instances returns the instances of properties. A text is the name of a definition or an expression;
// without texts, the properties are those of the configuration. A property that cannot be read becomes
// an instance that [Graph.Ask] refuses. Instances fails if no property can be read; the error is one
// line with the file and line. If ctx limits the time, each of several properties gets a share of it, and one
// that needs more cannot be read.
func (s *Specification) Instances(ctx context.Context, texts ...string) ([]Instance, error) {
	if len(texts) == 0 {
		configured, err := s.Properties()
		if err != nil {
			return nil, err
		}
		texts = configured
	}
	var all []Instance
	var firstUnread error
	isAnyRead := false
	for number, text := range texts {
		numTasks := 1
		if len(texts) > 1 {
			numTasks = len(texts) - number + 1 // with the answers
		}
		share := shareOfTime(ctx, numTasks)
		ofProperty, err := s.instancesWithin(share, text)
		if err != nil {
			var evaluation *tlaplus.Error
			isOfProperty := errors.As(err, &evaluation) || share.isUsedUp(err)
			if !isOfProperty {
				return nil, err
			}
			if share.isUsedUp(err) {
				err = share.failure()
			}
			unread := Instance{Name: strings.TrimSpace(text), unread: err}
			firstUnread = cmp.Or(firstUnread, withSubject(unread, err))
			ofProperty = []Instance{unread}
		}
		isAnyRead = isAnyRead || err == nil
		for _, instance := range ofProperty {
			instance.property = number
			instance.propertyText = strings.TrimSpace(text)
			all = append(all, instance)
		}
	}
	if !isAnyRead {
		return nil, firstUnread
	}
	return all, nil
}

// instancesWithin returns the instances of a property, for which there is a share of the time.
func (s *Specification) instancesWithin(share timeShare, text string) ([]Instance, error) {
	defer share.end()
	s.s.Within(share.limited)
	defer s.s.Within(share.whole)
	return s.instancesOf(text)
}

// instancesOf returns the instances of a property.
func (s *Specification) instancesOf(text string) ([]Instance, error) {
	f, err := s.s.Property(text)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSpace(text)
	if s.isInvariantAlone(name) && f.IsPredicate(tlaplus.State) {
		return s.instancesOf("[]" + name)
	}
	all := split(nil, f, name, "", isName(name))
	if len(all) == 1 {
		isUndivided := all[0].of == f
		all[0].isInitial = isUndivided && f.IsPredicate(tlaplus.State) && levelOf(f) == tlaplus.State
	}
	dependsOnFairness := func(i Instance) bool { return !i.isSafety() }
	if s.unreadSpec != nil && slices.ContainsFunc(all, dependsOnFairness) {
		return nil, s.unreadSpec
	}
	return all, nil
}

// isInvariantAlone reports whether the configuration has a name under INVARIANT and not under PROPERTY: the
// name then stands for what TLC checks, and not for the initial states.
func (s *Specification) isInvariantAlone(name string) bool {
	properties, invariants := s.s.Properties()
	return slices.Contains(invariants, name) && !slices.Contains(properties, name)
}

// levelOf returns the level of a predicate, which may be negated.
func levelOf(f *tlaplus.Formula) tlaplus.Level {
	for f.Operator == tlaplus.Not {
		f = f.Parts[0]
	}
	return f.Predicate.Level
}

func isName(text string) bool { return !strings.ContainsAny(text, " ()[]<>~=\\/,'\"") }

// split appends the conjuncts of a formula as instances. The name of an instance is that of the
// innermost definition around it that the module of the specification can name, followed by the values of
// quantified names or, for a conjunct in an instance of a module, by the text of this conjunct. isDefined reports whether
// name is the name of a definition rather than the text of a formula.
func split(
	all []Instance,
	f *tlaplus.Formula,
	name, values string,
	isDefined bool,
) []Instance {
	if f.Operator != tlaplus.And || len(f.Parts) == 0 {
		if values != "" {
			name += " (" + values + ")"
		}
		return append(all, Instance{Name: name, of: f})
	}
	for _, part := range f.Parts {
		isOnlyOrConjunction := part.Operator == tlaplus.And || len(f.Parts) == 1
		switch {
		case part.Instance != "" && isDefined:
			partValues := part.Instance
			if values != "" {
				partValues = values + ", " + partValues
			}
			all = split(all, part, name, partValues, true)
		case isDefined && !isName(part.Name) && isOnlyOrConjunction:
			all = split(all, part, name, values, true)
		case part.Name != "" && part.IsOfInstance:
			all = split(all, part, name, part.Name, isDefined)
		case part.Name != "":
			all = split(all, part, part.Name, "", isName(part.Name))
		default:
			all = split(all, part, name, values, isDefined)
		}
	}
	return all
}

// Graph is a model that TLC has made of a specification, together with what the specification adds to
// it: stuttering steps, constraints and fairness. [Specification.On] returns it. Only one goroutine may
// use it.
type Graph struct {
	s    *tlaplus.Specification
	eval *tlaplus.Evaluator
	// m is the model with stuttering; begins reports whether its initial state
	// was added in front of several initial states.
	m       *lts.LTS
	begins  bool
	table   *lts.Values
	columns []int
	trees   [][]*values.Value // the values of a column as trees; nil if the column is not needed yet
	// assumed are the conjuncts of Spec other than the initial predicate, the next-state relation and
	// fairness. A property needs to hold only for the runs that satisfy them.
	assumed []*tlaplus.Formula
	fair    []fairness
	// wrong is the error of the first fairness condition that cannot be evaluated. Then only questions
	// without fairness can be asked.
	wrong error
	// excluded marks the states where a constraint does not hold. begunOutside is set if that is so in
	// all initial states. Then there is no behaviour, and the model has only the initial states, where
	// TLC still checks predicates of states.
	excluded     []bool
	begunOutside bool
	// outside are the states that TLC has marked as outside of its constraints. behaviour is the formula
	// that decides which steps to these states are allowed; nil if it is not known.
	outside   map[lts.State]bool
	behaviour *tlaplus.Formula
	// border is a remark for invariants if constraints exclude states, and stepBorder is a remark
	// for properties of steps if constraints exclude steps; "" otherwise.
	border, stepBorder string
	// merging is the error of every question about runs if TLC merged different states into one; nil if
	// it did not.
	merging error
	notes   []string
	// beyond are the conditions of fairness about steps that the graph does not have, and idle are
	// those whose actions can never be taken.
	beyond, idle []string
	// stuck marks the states without a step by the next-state relation; nil if that is not known.
	// deadlock is the deadlock that TLC reports; nil if it reports none.
	stuck    []bool
	deadlock *deadlock
	// processes maps the labels of a PlusCal algorithm to their processes.
	processes map[string]string
	// heldIn stores in which states a predicate holds, and heldOn on which transitions it holds,
	// both by the key of the predicate.
	heldIn, heldOn map[string]truth
}

// truth stores in which states or on which transitions a predicate holds, and whether there are any. It
// also keeps the predicate alive, since the key of the predicate contains addresses.
type truth struct {
	of    *tlaplus.Predicate
	where bitset.Set[int]
	some  bool
}

// Merging returns the error of formulas about runs if SYMMETRY or VIEW in the configuration makes TLC
// merge different states into one; nil if there is no such statement.
func (s *Specification) Merging() error {
	keyword, at := s.s.Merging()
	if keyword == "" {
		return nil
	}
	return mergingError(s.s, keyword, at)
}

// SizeNote returns a sentence about the size of a graph that was made without the SYMMETRY or VIEW of the
// configuration, for errors about limits; "" if there is no such statement.
func (s *Specification) SizeNote(states int) string {
	keyword, at := s.s.Merging()
	if keyword == "" {
		return ""
	}
	return fmt.Sprintf("%s: without %s, which temporal properties do not survive, the graph has %s; take a smaller constant",
		at, keyword, printable.Quantity(states, "state"))
}

func mergingError(s *tlaplus.Specification, keyword string, at tlaplus.Position) error {
	return fmt.Errorf("%s: %s makes TLC take different states for one, so that its graph does not have the runs of the specification: have TLC write it without %s, or name %s in place of the graph",
		at, keyword, keyword, s.Files()[0])
}

// fairness is WF or SF of an action.
type fairness struct {
	name  string
	of    *tlaplus.Formula
	steps bitset.Set[int] // the transitions that are steps of the action, numbered in the order of the rows
}

// On returns a graph of TLC as a model of a specification: with stuttering, and without the states and
// steps that the constraints exclude. isMade reports that TLC has written the graph for inev: all states,
// with the values of the variables. The states in outside are those that TLC has marked as outside of
// its constraints. On fails if the graph has no values of a variable, if an expression cannot be
// evaluated, or if ctx is done. Cost O(S + T), and evaluating the action of each fairness condition
// for each transition.
func (s *Specification) On(
	ctx context.Context,
	m *lts.LTS,
	t *lts.Values,
	isMade bool,
	outside ...lts.State,
) (*Graph, error) {
	g, err := s.graph(ctx, t)
	if err != nil {
		return nil, err
	}
	g.begins = m.Before() > 0
	g.processes, err = s.s.Processes()
	if err != nil {
		return nil, err
	}
	if !isMade { // TLC may have written other values than those of the variables, or merged states
		if err := s.checkAlias(); err != nil {
			return nil, err
		}
		g.recordMerging(s.s.Merging())
	}
	if err := g.checkValues(ctx, m); err != nil {
		return nil, err
	}
	if err := g.constrain(ctx, s, m, outside); err != nil {
		return nil, err
	}
	if g.begunOutside {
		return g, nil // there is no behaviour, so neither deadlocks nor fairness matter
	}
	if s.s.ChecksDeadlocks() && s.areCutsShown(isMade, len(outside)) {
		if err := g.findDeadlock(ctx, isMade); err != nil {
			return nil, err
		}
	}
	g.border, g.stepBorder = s.borders()
	if err := g.readConditions(ctx, s.spec); err != nil {
		return nil, err
	}
	return g, nil
}

// constrain makes the model of the graph from m: with stuttering, and without the states and steps that
// the constraints of s exclude. The states in outside are those that TLC has marked as outside of them.
func (g *Graph) constrain(
	ctx context.Context,
	s *Specification,
	m *lts.LTS,
	outside []lts.State,
) error {
	var err error
	g.behaviour, err = s.behaviour()
	if err != nil {
		return err
	}
	g.outside = map[lts.State]bool{}
	for _, state := range outside {
		g.outside[state] = true
	}
	g.m, err = g.stuttering(ctx, m, s.states, s.steps)
	return err
}

// readConditions reads the conditions that Spec has besides the initial predicate and the next-state
// relation, and finds the transitions that its fairness is about. It fails if ctx is done.
func (g *Graph) readConditions(ctx context.Context, spec *tlaplus.Formula) error {
	g.assume(spec)
	nameApart(g.fair)
	return g.findFairSteps(ctx)
}

// areCutsShown reports whether a graph shows where the constraints leave steps out. Where it does not, a state without
// these steps looks like a deadlock. numOutside is the number of states that TLC has marked as outside.
func (s *Specification) areCutsShown(isMade bool, numOutside int) bool {
	return len(s.steps) == 0 && (isMade || len(s.states) == 0 || numOutside > 0)
}

// borders returns remarks about what TLC checks outside of the constraints, for invariants and for properties of
// steps; "" where it checks nothing there.
func (s *Specification) borders() (ofStates, ofSteps string) {
	if len(s.states) > 0 {
		ofStates = "an invariant is checked in the states that satisfy the constraints; TLC also checks it in the states right outside, which its graph does not have"
	}
	if len(s.states)+len(s.steps) > 0 {
		ofSteps = "a property of steps is checked on the steps that the constraints keep; TLC also checks it on those that they leave out, which its graph does not have"
	}
	return ofStates, ofSteps
}

// findFairSteps finds the transitions that the fairness conditions of Spec are about. If a
// condition cannot be evaluated, only the questions that depend on fairness fail, when they are
// asked. findFairSteps fails if ctx is done.
func (g *Graph) findFairSteps(ctx context.Context) error {
	conditions := g.fair
	g.fair = nil // findSteps adds a condition again if a set of transitions can express it
	for _, f := range conditions {
		err := g.findSteps(ctx, f)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		g.wrong = cmp.Or(g.wrong, err)
	}
	return nil
}

// recordMerging records that TLC merged states because of a SYMMETRY or VIEW statement; the keyword is "" if
// there is none.
func (g *Graph) recordMerging(keyword string, at tlaplus.Position) {
	if keyword == "" {
		return
	}
	g.merging = mergingError(g.s, keyword, at)
	g.notes = append(g.notes,
		fmt.Sprintf("%s: %s makes TLC take different states for one; an invariant is checked in one of them alone, as TLC does", at, keyword))
}

// checkAlias returns an error if an ALIAS may have made TLC write other values than the variables
// have.
func (s *Specification) checkAlias() error {
	at, changes, err := s.s.Alias()
	if err != nil || !changes {
		return err
	}
	return fmt.Errorf("%s: ALIAS makes TLC write other values than the variables have, and properties are about the variables: have TLC write the graph without it, or name %s in place of the graph",
		at, s.s.Files()[0])
}

// checkValues returns an error if a state has no value of a variable.
func (g *Graph) checkValues(ctx context.Context, m *lts.LTS) error {
	if err := m.FindReachable(ctx); err != nil {
		return err
	}
	reach := m.Reachable()
	for s := range lts.State(m.NumStates()) {
		if !reach.Has(s) || !g.isReal(m, s) {
			continue
		}
		for i, column := range g.columns {
			if g.table.Value(s, column) == lts.NoValue {
				return fmt.Errorf("state %d has no value of %s: have TLC write the graph by -dump dot,actionlabels, and without ALIAS", s, g.s.Variables()[i])
			}
		}
	}
	return nil
}

// graph returns a Graph with the values of the states, but without a model.
func (s *Specification) graph(ctx context.Context, t *lts.Values) (*Graph, error) {
	if t == nil || t.NumParameters() == 0 {
		return nil, fmt.Errorf("the graph has no values of variables; have TLC write it with -dump dot,actionlabels")
	}
	g := &Graph{
		s:      s.s,
		eval:   s.s.Evaluator(ctx),
		wrong:  s.unreadSpec,
		table:  t,
		heldIn: map[string]truth{},
		heldOn: map[string]truth{},
	}
	for _, name := range s.s.Variables() {
		column, ok := t.Find(name)
		if !ok {
			return nil, fmt.Errorf("the specification has a variable %s, and the graph has no values of it: it was written for another specification, or for another version of this one", name)
		}
		g.columns = append(g.columns, column)
		g.trees = append(g.trees, make([]*values.Value, t.NumValues(column)))
	}
	return g, nil
}

// note adds a remark, once.
func (g *Graph) note(text string) {
	if !slices.Contains(g.notes, text) {
		g.notes = append(g.notes, text)
	}
}

// Notes returns remarks about what the verdicts on this graph do not cover.
func (g *Graph) Notes() []string {
	return slices.Concat(g.notes, g.fairnessNotes(), g.deadlockNotes())
}

// assume collects the conjuncts of Spec that restrict its runs beyond the initial predicate and the
// next-state relation: fairness in one list, all others in another.
func (g *Graph) assume(f *tlaplus.Formula) {
	switch {
	case f == nil:
	case f.Operator == tlaplus.And:
		for _, part := range f.Parts {
			g.assume(part)
		}
	case f.Operator == tlaplus.Weak || f.Operator == tlaplus.Strong:
		g.addFairness(f)
	case f.IsPredicate(tlaplus.State): // the initial predicate
	case isNextStateRelation(f):
	default:
		g.assumed = append(g.assumed, f)
	}
}

// isNextStateRelation reports whether a formula has the form [][A]_v.
func isNextStateRelation(f *tlaplus.Formula) bool {
	if f.Operator != tlaplus.Always || f.Parts[0].Operator != tlaplus.Holds {
		return false
	}
	return f.Parts[0].Predicate.Level == tlaplus.Action
}

// addFairness adds a fairness condition, unless it was added before. A condition that Spec has by the name of
// a definition is named by its text; [nameApart] changes the name if it is that of another condition, too.
func (g *Graph) addFairness(f *tlaplus.Formula) {
	for _, other := range g.fair {
		if other.of.Operator == f.Operator && other.of.Predicate.Key == f.Predicate.Key {
			return
		}
	}
	g.fair = append(g.fair, fairness{name: writtenFairness(f), of: f})
}

// nameApart gives different names to conditions with the same text. They are about different actions if they
// come from two instances of a module, or from a definition such as Fair(A) == WF_vars(A). Their names are then
// as Spec has them, such as Fair(Serve); if these are the same, too, the names also have the lines, and numbers
// if even the lines are the same.
func nameApart(all []fairness) {
	asInSpec := func(f fairness, _ int) string { return f.of.Name }
	withLine := func(f fairness, _ int) string {
		at := f.of.Position
		return fmt.Sprintf("%s (line %d of %s)", f.name, at.Line, filepath.Base(at.File))
	}
	numbered := func(f fairness, n int) string { return fmt.Sprintf("%s (%d)", f.name, n) }
	for _, rename := range []func(fairness, int) string{asInSpec, withLine, numbered} {
		sameName := map[string][]int{}
		for i, f := range all {
			sameName[f.name] = append(sameName[f.name], i)
		}
		for _, group := range sameName {
			if len(group) == 1 {
				continue
			}
			for n, i := range group {
				all[i].name = rename(all[i], n+1)
			}
		}
	}
}

// writtenFairness returns the text of a fairness condition, such as WF_vars(Serve). It returns the name of a
// definition of an instance, such as I!Fair, as it is: the text has names that mean something only there.
func writtenFairness(f *tlaplus.Formula) string {
	if IsFairness(f.Name) || strings.Contains(f.Name, "!") {
		return f.Name
	}
	step, isBracketed := strings.CutPrefix(f.Predicate.Name, "<<") // <<A>>_v
	const closing = ">>_"
	end := strings.LastIndex(step, closing)
	if !isBracketed || end < 0 {
		return f.Name
	}
	operator := "WF_"
	if f.Operator == tlaplus.Strong {
		operator = "SF_"
	}
	return operator + step[end+len(closing):] + "(" + step[:end] + ")"
}

// state returns the values of the variables in a state. It stores them in room, if there is enough.
func (g *Graph) state(s lts.State, room []values.Value) ([]values.Value, error) {
	room = room[:0]
	for i, column := range g.columns {
		v := g.table.Value(s, column)
		if v == lts.NoValue {
			room = append(room, values.Parse(""))
			continue
		}
		if g.trees[i][v] == nil {
			tree, err := g.eval.Value(withMembers(g.table.Text(column, v)))
			if err != nil {
				return nil, err
			}
			g.trees[i][v] = &tree
		}
		room = append(room, *g.trees[i][v])
	}
	return room, nil
}

// interval matches intervals as TLC writes them, such as 1..3. It also matches strings, so that an
// interval within a string is skipped.
var interval = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(?:[^"\\]|\\.)*"|(-?\d+)\.\.(-?\d+)`)
})

// withMembers returns the text of a value with each interval, such as 1..3, replaced by the set of
// its members.
func withMembers(text string) string {
	if !strings.Contains(text, "..") {
		return text
	}
	membersLeft := int64(mostMembers)
	return interval().ReplaceAllStringFunc(text, func(found string) string {
		bounds := interval().FindStringSubmatch(found)
		first, firstError := strconv.ParseInt(bounds[1], 10, 32)
		last, lastError := strconv.ParseInt(bounds[2], 10, 32)
		numMembers := max(last-first+1, 0)
		isString := firstError != nil || lastError != nil
		if isString || numMembers > membersLeft {
			return found
		}
		membersLeft -= numMembers
		var members []string
		for n := first; n <= last; n++ {
			members = append(members, strconv.FormatInt(n, 10))
		}
		return "{" + strings.Join(members, ", ") + "}"
	})
}

// mostMembers is the largest number of members of intervals in one value that are listed.
const mostMembers = 1_000_000

// isReal reports whether a state belongs to the system. The state that is added in front of several
// initial states does not.
func (g *Graph) isReal(m *lts.LTS, s lts.State) bool { return !g.begins || s != m.Initial() }

// at adds the values of a state to an error that occurred in the state.
func (g *Graph) at(err error, s lts.State) error {
	if _, isEvaluation := err.(*tlaplus.Error); !isEvaluation {
		return err
	}
	var all []string
	for i, name := range g.s.Variables() {
		all = append(all, name+" = "+g.table.Text(g.columns[i], g.table.Value(s, g.columns[i])))
	}
	text := []rune(strings.Join(all, ", "))
	if len(text) > mostShown {
		text = append(text[:mostShown], '…')
	}
	return fmt.Errorf("%w (where %s)", err, string(text))
}

// holds reports whether a predicate holds for the values in a state and, if the predicate is about
// steps, the values in the next state.
func (g *Graph) holds(
	p *tlaplus.Predicate,
	s lts.State,
	now, next []values.Value,
) (bool, error) {
	holds, err := g.eval.Holds(p, now, next, nil)
	if err != nil {
		return false, g.at(err, s)
	}
	return holds, nil
}

// mostShown is the largest number of characters of a state's values in an
// error.
const mostShown = 300

// stuttering returns the model with a self-loop at each state, and without the states and steps
// that constraints exclude.
func (g *Graph) stuttering(
	ctx context.Context,
	m *lts.LTS,
	inStates, inSteps []*tlaplus.Predicate,
) (*lts.LTS, error) {
	if err := m.FindReachable(ctx); err != nil {
		return nil, err
	}
	stepIsKept, err := g.excludeStates(ctx, m, inStates, inSteps)
	if err != nil {
		return nil, err
	}
	isKept := func(s lts.State) bool { return !g.excluded[s] }
	if !slices.ContainsFunc(m.Begin(), isKept) {
		g.begunOutside = true
	}
	all, cut, err := g.withLoops(ctx, m, stepIsKept)
	if err != nil {
		return nil, err
	}
	switch {
	case cut == 0 || g.begunOutside:
	case cut == 1:
		g.notes = append(g.notes, "the constraints leave out 1 step of the graph")
	default:
		g.notes = append(g.notes,
			fmt.Sprintf("the constraints leave out %d steps of the graph", cut))
	}
	if g.begins {
		return all.Refined(ctx, nil, func(lts.State) lts.Facts { return 0 }, true)
	}
	return all, nil
}

// withLoops returns the model with the steps that the constraints keep and a stuttering step at each
// state of the system. It also returns how many steps were left out.
func (g *Graph) withLoops(
	ctx context.Context,
	m *lts.LTS,
	isKept func(from, to lts.State) (bool, error),
) (all *lts.LTS, cut int, err error) {
	var b lts.Builder
	labels, stutteringLabel := withStuttering(m.Alphabet())
	g.stuck = make([]bool, m.NumStates())
	for s := range lts.State(m.NumStates()) {
		if s%4096 == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		out, targets := m.Out(s)
		g.stuck[s] = true
		for i, to := range targets {
			keep, err := isKept(s, to)
			if err != nil {
				return nil, 0, err
			}
			switch {
			case !keep:
				g.stuck[s] = false
				cut++
			case g.outside[to] && s != to:
				if err := g.checkOutside(s, to); err != nil {
					return nil, 0, err
				}
			default:
				g.stuck[s] = false
				b.Add(s, out.At(i), to)
			}
		}
		if g.isReal(m, s) {
			b.Add(s, stutteringLabel, s)
		}
	}
	b.Over(labels)
	all, err = b.Build(m.Initial(), m.NumStates())
	return all, cut, err
}

// excludeStates marks the states that constraints exclude. It returns a function that reports whether the
// constraints keep a step.
func (g *Graph) excludeStates(
	ctx context.Context,
	m *lts.LTS,
	inStates, inSteps []*tlaplus.Predicate,
) (stepIsKept func(from, to lts.State) (bool, error), err error) {
	dependsOnLevel := func(p *tlaplus.Predicate) bool { return p.ByDistance }
	if slices.ContainsFunc(inStates, dependsOnLevel) || slices.ContainsFunc(inSteps, dependsOnLevel) {
		search := &withinLevels{g: g, m: m, inStates: inStates, inSteps: inSteps}
		err := search.search(ctx)
		return search.isKept, err
	}
	g.excluded, err = g.excludedStates(m, inStates)
	if err != nil {
		return nil, err
	}
	return g.constraintsOnSteps(m, g.excluded, inSteps), nil
}

// withinLevels finds the states and steps that constraints with TLCGet("level") exclude. It repeats the
// search of TLC with one worker. For each step, TLC evaluates the constraints on steps at the level of
// the state before the step, and the constraints on states one level deeper. So a step can be excluded
// although its target is kept.
type withinLevels struct {
	g                 *Graph
	m                 *lts.LTS
	inStates, inSteps []*tlaplus.Predicate
	// level is the number of states on the shortest path to a state that the constraints keep; 0 for
	// other states.
	level     []int
	now, next []values.Value
}

// search visits the states breadth first, and marks the unvisited states as excluded.
func (w *withinLevels) search(ctx context.Context) error {
	w.level = make([]int, w.m.NumStates())
	w.g.excluded = make([]bool, w.m.NumStates())
	var queue []lts.State
	for _, s := range w.m.Begin() {
		keep, err := w.holdIn(s, 1)
		if err != nil {
			return err
		}
		if keep && w.level[s] == 0 {
			w.level[s] = 1
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		from := queue[0]
		queue = queue[1:]
		_, targets := w.m.Out(from)
		for _, to := range targets {
			keep, err := w.isKept(from, to)
			if err != nil {
				return err
			}
			if keep && w.level[to] == 0 {
				w.level[to] = w.level[from] + 1
				queue = append(queue, to)
			}
		}
	}
	for s := range lts.State(w.m.NumStates()) {
		w.g.excluded[s] = w.g.isReal(w.m, s) && w.level[s] == 0
	}
	return nil
}

// isKept reports whether the constraints keep a step.
func (w *withinLevels) isKept(from, to lts.State) (bool, error) {
	isBeforeInitial := !w.g.isReal(w.m, from)
	isReached := w.level[from] > 0
	switch {
	case isBeforeInitial:
		return w.g.begunOutside || w.level[to] > 0, nil
	case w.g.begunOutside || !isReached:
		return false, nil
	}
	keep, err := w.holdIn(to, w.level[from]+1)
	if err != nil || !keep {
		return false, err
	}
	w.g.eval.SetDistance(w.level[from])
	w.now, err = w.g.state(from, w.now)
	if err != nil {
		return false, err
	}
	return w.allHold(w.inSteps, from, w.now, w.next)
}

// holdIn reports whether the constraints on states hold in a state that is reached at the given level.
func (w *withinLevels) holdIn(s lts.State, level int) (keep bool, err error) {
	w.g.eval.SetDistance(level)
	w.next, err = w.g.state(s, w.next)
	if err != nil {
		return false, err
	}
	return w.allHold(w.inStates, s, w.next, nil)
}

// allHold reports whether all of these constraints hold in a state with the values now or, if next is not
// nil, on the step from there to the state with the values next.
func (w *withinLevels) allHold(
	constraints []*tlaplus.Predicate,
	s lts.State,
	now, next []values.Value,
) (bool, error) {
	for _, p := range constraints {
		holds, err := w.g.holds(p, s, now, next)
		if err != nil || !holds {
			return false, err
		}
	}
	return true, nil
}

// checkOutside checks a step that the constraints of the configuration keep, to a state that TLC has
// marked as outside of its constraints. It fails if Spec allows the step: then TLC made the graph under
// other constraints, and the steps from that state are unknown. The mark alone proves nothing, since
// TLC also marks the targets of steps that Next forbids by a condition after the last primed variable.
func (g *Graph) checkOutside(from, to lts.State) error {
	step := stepValues{g: g, from: lts.State(lts.MaxStates)}
	if err := step.take(from, to); err != nil {
		return err
	}
	if !g.allows(g.behaviour, from, step.now, step.next) {
		return nil
	}
	return fmt.Errorf("TLC made the graph under a CONSTRAINT that this configuration does not have: state %d lies outside of it, and its steps are unknown; give the configuration that TLC had, or have it make the graph anew", to)
}

// allows reports whether the conjuncts [][A]_v of a formula allow a step. If the action cannot be
// evaluated, it does not allow the step: TLC evaluated it for each step that it made.
func (g *Graph) allows(f *tlaplus.Formula, from lts.State, now, next []values.Value) bool {
	switch {
	case f == nil:
	case f.Operator == tlaplus.And:
		for _, part := range f.Parts {
			if !g.allows(part, from, now, next) {
				return false
			}
		}
	case isNextStateRelation(f):
		holds, err := g.holds(f.Parts[0].Predicate, from, now, next)
		return err == nil && holds
	}
	return true
}

// behaviour returns the formula that SPECIFICATION names, or that INIT and NEXT amount to; nil if the
// configuration has neither, or the formula cannot be read.
func (s *Specification) behaviour() (*tlaplus.Formula, error) {
	if s.spec != nil || s.unreadSpec != nil || !s.s.HasNext() {
		return s.spec, nil
	}
	_, formula, err := s.s.Specified()
	if err != nil {
		return nil, err
	}
	return s.s.Property(formula)
}

// excludedStates marks the states where a constraint does not hold. It skips unreachable states, which
// have no values.
func (g *Graph) excludedStates(m *lts.LTS, constraints []*tlaplus.Predicate) ([]bool, error) {
	excluded := make([]bool, m.NumStates())
	if len(constraints) == 0 {
		return excluded, nil
	}
	reach := m.Reachable()
	var now []values.Value
	for s := range lts.State(m.NumStates()) {
		if !reach.Has(s) || !g.isReal(m, s) {
			continue
		}
		var err error
		now, err = g.state(s, now)
		if err != nil {
			return nil, err
		}
		for _, p := range constraints {
			holds, err := g.holds(p, s, now, nil)
			if err != nil {
				return nil, err
			}
			excluded[s] = excluded[s] || !holds
		}
	}
	return excluded, nil
}

// constraintsOnSteps returns a function that reports whether a step is kept: neither of its states is
// excluded, and the constraints on steps hold.
func (g *Graph) constraintsOnSteps(
	m *lts.LTS,
	excluded []bool,
	constraints []*tlaplus.Predicate,
) func(from, to lts.State) (bool, error) {
	reach := m.Reachable()
	step := stepValues{g: g, from: lts.State(lts.MaxStates)}
	return func(from, to lts.State) (bool, error) {
		if g.begunOutside {
			return !g.isReal(m, from), nil
		}
		if excluded[from] || excluded[to] {
			return false, nil
		}
		if len(constraints) == 0 || !reach.Has(from) || !g.isReal(m, from) {
			return true, nil
		}
		if err := step.take(from, to); err != nil {
			return false, err
		}
		keep := true
		for _, p := range constraints {
			holds, err := g.holds(p, from, step.now, step.next)
			if err != nil {
				return false, err
			}
			keep = keep && holds
		}
		return keep, nil
	}
}

// stepValues holds the values of the variables before and after a step. It is reused from step to step.
type stepValues struct {
	g         *Graph
	from      lts.State
	now, next []values.Value
}

// take sets the values to those of a step. The values now and next are valid until the next call.
func (v *stepValues) take(from, to lts.State) (err error) {
	if from != v.from {
		v.now, err = v.g.state(from, v.now)
		if err != nil {
			return err
		}
		v.from = from
	}
	v.next, err = v.g.state(to, v.next)
	return err
}

// withStuttering returns the labels of a model and one more, for stuttering.
func withStuttering(a *lts.Alphabet) (*lts.Alphabet, lts.Label) {
	var b lts.AlphabetBuilder
	for l := range a.All() {
		b.Label(a.Text(l))
	}
	l := b.Label(stuttering)
	return b.Build(), l
}

// each calls do for the transitions between reachable states of the system, until do returns an error;
// n is the index of the transition.
func (g *Graph) each(ctx context.Context, do func(n int, from, to lts.State) error) error {
	if err := g.m.FindReachable(ctx); err != nil {
		return err
	}
	reach := g.m.Reachable()
	for s := range lts.State(g.m.NumStates()) {
		if !reach.Has(s) || !g.isReal(g.m, s) {
			continue
		}
		first, _ := g.m.Row(s)
		_, targets := g.m.Out(s)
		for i, to := range targets {
			if err := do(first+i, s, to); err != nil {
				return err
			}
		}
	}
	return nil
}

// steps returns the transitions that are steps of an action, numbered in the order of the rows, and whether
// there are any. It evaluates each action once.
func (g *Graph) steps(
	ctx context.Context,
	p *tlaplus.Predicate,
) (steps bitset.Set[int], exist bool, err error) {
	held, isKnown := g.heldOn[p.Key]
	if isKnown {
		return held.where, held.some, nil
	}
	steps, exist, err = g.evaluateSteps(ctx, p)
	if err == nil {
		g.heldOn[p.Key] = truth{of: p, where: steps, some: exist}
	}
	return steps, exist, err
}

// evaluateSteps is [Graph.steps] for an action that was not evaluated before.
func (g *Graph) evaluateSteps(
	ctx context.Context,
	p *tlaplus.Predicate,
) (steps bitset.Set[int], exist bool, err error) {
	steps = bitset.New[int](g.m.NumTransitions())
	step := stepValues{g: g, from: lts.State(lts.MaxStates)}
	err = g.each(ctx, func(n int, from, to lts.State) error {
		if err := step.take(from, to); err != nil {
			return err
		}
		holds, err := g.holds(p, from, step.now, step.next)
		if holds {
			steps.Add(n)
			exist = true
		}
		return err
	})
	return steps, exist, err
}

// findSteps finds the transitions that a fairness condition is about. If the graph lacks some of these
// steps, a set of transitions cannot express the condition, and its formula is assumed instead. If the
// action can never be taken, the condition demands nothing. Notes say so in both cases.
func (g *Graph) findSteps(ctx context.Context, f fairness) error {
	steps, exist, err := g.steps(ctx, f.of.Predicate)
	if err != nil {
		return err
	}
	f.steps = steps
	cut, err := g.lacksSteps(ctx, f.of.Parts[1].Predicate, steps)
	if err != nil {
		return err
	}
	switch {
	case cut:
		g.beyond = append(g.beyond, f.name)
		g.assumed = append(g.assumed, f.of)
	case exist:
		g.fair = append(g.fair, f)
	default:
		g.idle = append(g.idle, f.name)
	}
	return nil
}

// fairnessNotes returns a note about the fairness conditions on steps that the graph lacks, and a
// note about the fairness conditions on actions that can never be taken.
func (g *Graph) fairnessNotes() []string {
	var notes []string
	if len(g.beyond) > 0 {
		notes = append(notes,
			conditionsInWords(g.beyond, "is", "are")+" about steps that the graph lacks, because of a constraint or of Next: as with TLC, they count as enabled, and no run takes them")
	}
	if len(g.idle) > 0 {
		notes = append(notes,
			conditionsInWords(g.idle, "asks for nothing, since its action", "ask for nothing, since their actions")+" can never be taken")
	}
	return notes
}

// mostConditions is the largest number of conditions of fairness that a note names.
const mostConditions = 3

// conditionsInWords names the first conditions and counts the others. It ends with a text for a
// single condition, or with another one for several.
func conditionsInWords(names []string, ofOne, ofSeveral string) string {
	if len(names) == 1 {
		return beginning(names[0]) + " " + ofOne
	}
	var listed []string
	for _, name := range names[:min(len(names), mostConditions)] {
		listed = append(listed, beginning(name))
	}
	more := len(names) - mostConditions
	if more > 0 {
		listed = append(listed, printable.Quantity(more, "other condition"))
	}
	return printable.List(listed, "and") + " " + ofSeveral
}

// lacksSteps reports whether an action is enabled in some state from which the graph has no step of
// this action.
func (g *Graph) lacksSteps(
	ctx context.Context,
	enabled *tlaplus.Predicate,
	steps bitset.Set[int],
) (bool, error) {
	hasStep := make([]bool, g.m.NumStates())
	err := g.each(ctx, func(n int, from, _ lts.State) error {
		hasStep[from] = hasStep[from] || steps.Has(n)
		return nil
	})
	if err != nil {
		return false, err
	}
	reach := g.m.Reachable()
	var now []values.Value
	for s := range lts.State(g.m.NumStates()) {
		if hasStep[s] || !reach.Has(s) || !g.isReal(g.m, s) {
			continue
		}
		now, err = g.state(s, now)
		if err != nil {
			return false, err
		}
		isEnabled, err := g.holds(enabled, s, now, nil)
		if isEnabled || err != nil {
			return isEnabled, err
		}
	}
	return false, nil
}

// IsFairness reports whether a text begins like fairness in TLA+, and so is no assumption about labels. The text may be a
// conjunction as a module has it, with /\ at its beginning.
func IsFairness(text string) bool {
	text = strings.TrimSpace(text)
	beginsWith := func(prefix string) bool { return strings.HasPrefix(text, prefix) }
	return slices.ContainsFunc([]string{"WF_", "SF_", `\A`, `\E`, `/\`, "("}, beginsWith)
}

// Assume adds fairness conditions to those of Spec. Each text is written as in the module, such as
// WF_vars(Serve) or \A p \in Procs : SF_vars(Take(p)). Assume fails if a text is not such a condition,
// and as [Specification.On] does.
func (g *Graph) Assume(ctx context.Context, texts ...string) error {
	for _, text := range texts {
		f, err := g.s.Property(text)
		if err != nil {
			return fmt.Errorf("%s: %w", beginning(text), err)
		}
		conditions := fairnessOf(nil, f)
		if slices.Contains(conditions, nil) {
			return fmt.Errorf("%s is no fairness: write WF_v(A) or SF_v(A), or a conjunction of these", beginning(text))
		}
		ofSpec := g.fair
		g.fair = nil // so that addFairness compares the conditions of this text with each other only
		for _, condition := range conditions {
			g.addFairness(condition)
		}
		added := g.fair
		nameApart(added)
		g.fair = ofSpec
		for _, condition := range added {
			condition.name += " (added)"
			if err := g.findSteps(ctx, condition); err != nil {
				return fmt.Errorf("%s: %w", beginning(text), err)
			}
		}
	}
	return nil
}

// Question asks whether a formula holds for a model under fairness assumptions.
type Question struct {
	Model   *lts.LTS
	Formula *ltl.Formula
	Fair    []*actl.Assumption
}

// Ask returns the question whether an instance holds for all behaviours of Spec. It fails as
// [Specification.On] does, or if the instance has more predicates of states than labels can have.
func (g *Graph) Ask(ctx context.Context, i Instance) (Question, error) {
	return g.askUnder(ctx, i, nil)
}

// askUnder is [Graph.Ask] under further fairness conditions.
func (g *Graph) askUnder(ctx context.Context, i Instance, added []fairness) (Question, error) {
	if i.unread != nil {
		return Question{}, i.unread
	}
	if g.merging != nil && !isInvariant(i.of) {
		return Question{}, g.merging
	}
	g.noteLimits(i)
	if err := g.askBeside(ctx, i); err != nil {
		return Question{}, err
	}
	var assumptions []*tlaplus.Formula
	var conditions []fairness
	if !isSafety(i.of) {
		if g.wrong != nil {
			return Question{}, g.wrong
		}
		assumptions = g.assumed
		conditions = slices.Concat(g.fair, added)
	}
	w := &writer{g: g, ctx: ctx, number: map[string]int{}}
	if g.begunOutside && !isInvariant(i.of) {
		return g.question(ctx, w, temporal.True(), i.Name, nil) // there is no run
	}
	root, err := w.implication(assumptions, i.of)
	if err != nil {
		return Question{}, err
	}
	q, err := g.question(ctx, w, root, i.Name, conditions)
	if err != nil {
		return Question{}, err
	}
	q.Formula = q.Formula.Assuming(namesOf(assumptions))
	return q, nil
}

// noteLimits adds remarks on how the answer about an instance differs from that of TLC, or from what
// its text may suggest.
func (g *Graph) noteLimits(i Instance) {
	if i.isInitial {
		g.note(fmt.Sprintf("%s is a predicate of states: as a property it is about the initial states alone; write INVARIANT, or [](%[1]s), for all states", i.briefName()))
	}
	if !isCheckedByTLC(i.of, true) {
		g.note(fmt.Sprintf("TLC refuses %s: it takes actions only in [][A]_v, []<><<A>>_v, <>[][A]_v, WF and SF, outside of other temporal operators", i.briefName()))
	}
	if hasRefusedForm(i.of) {
		g.note(fmt.Sprintf("TLC refuses %s: it cannot check <=> or CASE of formulas about runs", i.briefName()))
	}
	switch {
	case isInvariant(i.of) && g.border != "":
		g.note(g.border)
	case isSafety(i.of) && !isInvariant(i.of) && g.stepBorder != "":
		g.note(g.stepBorder)
	}
}

// question returns the question whether a formula that w has written holds under fairness conditions.
func (g *Graph) question(
	ctx context.Context,
	w *writer,
	root *temporal.Formula,
	name string,
	conditions []fairness,
) (Question, error) {
	if len(w.states) > lts.MostFacts {
		return Question{}, fmt.Errorf("%s is about %d predicates of states, and at most %d can be distinguished: name parts of it by definitions, which are one predicate each, or check its parts separately", beginning(name), len(w.states), lts.MostFacts)
	}
	facts := make([]lts.Facts, g.m.NumStates())
	for n, p := range w.predicates {
		if err := g.addFact(ctx, p, facts, 1<<n); err != nil {
			return Question{}, err
		}
	}
	t := lts.Telling{
		States: w.states,
		Steps:  w.steps,
		State:  func(s lts.State) lts.Facts { return facts[s] },
	}
	m, fair, err := g.withFacts(ctx, t, w.sets, conditions)
	if err != nil {
		return Question{}, err
	}
	return Question{
		Model:   m,
		Formula: ltl.New(root, w.atoms, name),
		Fair:    fair,
	}, nil
}

// allowsNone returns a sentence if Spec allows no run of the graph, so that every property of runs
// holds; "" otherwise. Fairness alone can exclude all runs only if constraints leave steps out; such a
// condition is among the assumed formulas, as are conjuncts of Spec that are not fairness.
func (g *Graph) allowsNone(
	ctx context.Context,
	isViolated func(context.Context, Question) (bool, error),
) (string, error) {
	if g.begunOutside {
		return "every property of runs holds here for the wrong reason: no initial state satisfies CONSTRAINT, so that TLC checks no run; predicates of states are checked in the initial states", nil
	}
	if len(g.assumed) == 0 {
		return "", nil
	}
	w := &writer{g: g, ctx: ctx, number: map[string]int{}}
	assumed, err := w.formulas(g.assumed)
	if err != nil {
		return "", err
	}
	impossible := temporal.Not(temporal.And(assumed...))
	q, err := g.question(ctx, w, impossible, "what Spec assumes is impossible", g.fair)
	if err != nil {
		return "", err
	}
	violated, err := isViolated(ctx, q)
	if err != nil || violated {
		return "", err
	}
	return fmt.Sprintf("every property of runs holds here for the wrong reason: no run of the graph is as Spec says (%s)", listed(namesOf(g.assumed))), nil
}

// namesOf returns the texts of formulas.
func namesOf(all []*tlaplus.Formula) []string {
	var names []string
	for _, f := range all {
		names = append(names, f.Name)
	}
	return names
}

// withFacts returns the model with labels that report facts, and the fairness conditions as
// assumptions about this model. A label reports the facts that t has about the target, and the sets
// of steps that contain its transition. These are the given sets, whose names t has, and a set for
// each condition.
func (g *Graph) withFacts(
	ctx context.Context,
	t lts.Telling,
	sets []bitset.Set[int],
	conditions []fairness,
) (*lts.LTS, []*actl.Assumption, error) {
	t.Begins = g.begins
	var fair []*actl.Assumption
	for _, f := range conditions {
		t.Steps = append(t.Steps, f.name)
		sets = append(sets, f.steps)
		isStrong := f.of.Operator == tlaplus.Strong
		fair = append(fair, actl.Specified(f.name, isStrong, f.name))
	}
	g.setKinds(&t, sets)
	m, err := g.m.Telling(ctx, t)
	return m, fair, err
}

// Take returns the model and the fairness of Spec for a formula of another logic. The formula has
// these atoms about states, whose values come from a table, see [Specification.Values]. It fails as
// [Graph.Ask] does, or if Spec assumes more than fairness.
func (g *Graph) Take(
	ctx context.Context,
	atoms []*values.Atom,
	t *lts.Values,
) (*lts.LTS, []*actl.Assumption, error) {
	if g.merging != nil {
		return nil, nil, g.merging
	}
	if g.wrong != nil {
		return nil, nil, g.wrong
	}
	if g.begunOutside {
		return nil, nil, fmt.Errorf("the constraints of the configuration leave out all initial states, so that there is no behaviour")
	}
	if len(g.assumed) > 0 {
		return nil, nil, fmt.Errorf("besides fairness, Spec requires %s, which only a property in TLA+ can take into account: write the property in TLA+", beginning(g.assumed[0].Name))
	}
	if len(atoms) > lts.MostFacts {
		return nil, nil, fmt.Errorf("the formula has %d atoms about states, but may have at most %d; check its parts separately", len(atoms), lts.MostFacts)
	}
	var names []string
	facts := make([]lts.Facts, g.m.NumStates())
	for n, a := range atoms {
		truth, err := refine.Evaluate(ctx, t, g.m, a)
		if err != nil {
			return nil, nil, err
		}
		if truth.NoState != nil {
			return nil, nil, truth.NoState
		}
		names = append(names, a.String())
		for s := range lts.State(g.m.NumStates()) {
			if truth.Holds(s) {
				facts[s] |= 1 << n
			}
		}
	}
	return g.withFacts(ctx,
		lts.Telling{
			States: names,
			State:  func(s lts.State) lts.Facts { return facts[s] },
		}, nil, g.fair)
}

// Chosen is the question that is answered in place of several instances.
type Chosen struct {
	Question Question
	// Property are the instances that belong to the same property as the question and can be asked. If
	// several instances were given, IsViolated reports whether any is violated.
	Property   []Instance
	IsViolated bool
	Others     string // a sentence about how many instances hold and which are violated; "" if there is one instance
	Vacuous    string // a sentence if Spec allows no run, so that every property of runs holds; else ""
	// Unasked has a sentence for each property with instances that cannot be evaluated, which names the first of them
	// and says why; and one for each instance for which the time ended before isPreferred was known.
	Unasked    []string
	Unanswered string // a sentence that counts the answered properties, and names those without an answer; "" if all have one
}

// First checks instances in turn, as [Graph.Ask] does. It returns the question of the first violated
// one, or of the first one if all hold. If isPreferred is not nil, it returns the first violated one
// for which isPreferred is true, if there is one. A single instance is returned unchecked. If ctx limits
// the time, and there are several properties, each instance has a share of the time.
//
// First fails as isViolated does. If no instance can be asked, it fails as [Graph.Ask] does for the
// first one; otherwise the result names the instances that cannot be asked.
func (g *Graph) First(
	ctx context.Context,
	all []Instance,
	isViolated func(context.Context, Question) (bool, error),
	isPreferred func(context.Context, Question) (bool, error),
) (Chosen, error) {
	if len(all) == 1 {
		return g.only(ctx, all[0], isViolated)
	}
	s := &survey{
		g:           g,
		all:         all,
		isViolated:  isViolated,
		isPreferred: isPreferred,
	}
	for _, instance := range all {
		if err := s.take(ctx, instance); err != nil {
			return Chosen{}, err
		}
	}
	if s.first == nil {
		return Chosen{}, withSubject(s.refused[0].Instance, s.refused[0].why)
	}
	isOther := func(i Instance) bool { return i.property != s.first.property }
	chosen := Chosen{
		Question:   s.question,
		Property:   slices.DeleteFunc(slices.Clone(s.asked), isOther),
		IsViolated: len(s.violated) > 0,
		Others:     s.counts(),
	}
	chosen.Unasked, chosen.Unanswered = s.unanswered()
	if s.hold > 0 && slices.ContainsFunc(s.asked, g.canBeVacuous) {
		var err error
		chosen.Vacuous, err = g.allowsNone(ctx, isViolated)
		if err != nil {
			return Chosen{}, err
		}
	}
	return chosen, nil
}

// only returns the question of a single instance, which it does not check.
func (g *Graph) only(
	ctx context.Context,
	instance Instance,
	isViolated func(context.Context, Question) (bool, error),
) (chosen Chosen, err error) {
	chosen.Property = []Instance{instance}
	chosen.Question, err = g.Ask(ctx, instance)
	if err != nil || !g.canBeVacuous(instance) {
		return chosen, err
	}
	chosen.Vacuous, err = g.allowsNone(ctx, isViolated)
	return chosen, err
}

// canBeVacuous reports whether an instance is about runs, and so holds if there are no runs.
func (g *Graph) canBeVacuous(i Instance) bool {
	return !i.isSafety() || g.begunOutside && !isInvariant(i.of)
}

// survey collects the answers to the instances that [Graph.First] has checked so far.
type survey struct {
	g           *Graph
	all         []Instance
	isViolated  func(context.Context, Question) (bool, error)
	isPreferred func(context.Context, Question) (bool, error)

	first     *Instance // the instance that is answered, and its question; nil if none could be asked
	question  Question
	preferred string // the name of the preferred instance, if one was found
	asked     []Instance
	hold      int
	violated  []Instance
	refused   []refusal
	undecided []string // the violated instances for which isPreferred took too long
}

// refusal is an instance that cannot be asked, and why.
type refusal struct {
	Instance
	why error
}

// take checks the next instance.
func (s *survey) take(ctx context.Context, instance Instance) error {
	question, violates, err := s.answer(ctx, instance)
	var failed *searchError
	switch {
	case errors.As(err, &failed):
		return fmt.Errorf("%s: %w", instance.Name, failed.error)
	case err != nil:
		s.refused = append(s.refused, refusal{instance, err})
		return ctx.Err()
	}
	s.asked = append(s.asked, instance)
	isPreferred := false
	if violates {
		isPreferred, err = s.prefers(ctx, instance, question)
		if err != nil {
			return fmt.Errorf("%s: %w", instance.Name, err)
		}
	}
	if isPreferred {
		s.preferred = instance.Name
	}
	isFirstViolated := violates && len(s.violated) == 0
	if s.first == nil || isFirstViolated || isPreferred {
		s.first = &instance
		s.question = question
	}
	if violates {
		s.violated = append(s.violated, instance)
	} else {
		s.hold++
	}
	return nil
}

// searchError is an error of the search for a violation. It ends the survey; after any other error
// of an instance, the survey continues with the next instance.
type searchError struct{ error }

// share returns the time for a task of the survey. If there are several properties, the time that
// is left is divided into equal parts: one for each instance that is still to be asked, and one for
// the explanation.
func (s *survey) share(ctx context.Context) timeShare {
	isOnlyProperty := s.all[0].property == s.all[len(s.all)-1].property
	if isOnlyProperty {
		return shareOfTime(ctx, 1)
	}
	numUnasked := len(s.all) - len(s.asked) - len(s.refused)
	return shareOfTime(ctx, numUnasked+1)
}

// prefers reports whether a violated instance is the one to explain. It returns false if an earlier
// instance was the one, or if the decision takes more than a share of the time.
func (s *survey) prefers(ctx context.Context, instance Instance, question Question) (bool, error) {
	if s.isPreferred == nil || s.preferred != "" {
		return false, nil
	}
	share := s.share(ctx)
	defer share.end()
	isPreferred, err := s.isPreferred(share.limited, question)
	if share.isUsedUp(err) {
		s.undecided = append(s.undecided, fmt.Sprintf("it is unknown whether the given counterexample violates %s, since finding out takes more than %s; allow more time",
			instance.briefName(), share.inWords()))
		return false, nil
	}
	return isPreferred, err
}

// answer asks an instance, and reports whether its property is violated.
func (s *survey) answer(ctx context.Context, instance Instance) (Question, bool, error) {
	share := s.share(ctx)
	defer share.end()
	s.g.eval.Within(share.limited)
	defer s.g.eval.Within(ctx)
	question, violates, err := s.answerWithin(share.limited, instance)
	if share.isUsedUp(err) {
		return Question{}, false, share.failure()
	}
	return question, violates, err
}

// answerWithin is [survey.answer] without a share of the time.
func (s *survey) answerWithin(ctx context.Context, instance Instance) (Question, bool, error) {
	question, err := s.g.Ask(ctx, instance)
	if err != nil {
		return Question{}, false, err
	}
	violates, err := s.isViolated(ctx, question)
	if err != nil {
		return Question{}, false, &searchError{err}
	}
	return question, violates, nil
}

// counts returns a sentence about how many instances hold, and which are violated.
func (s *survey) counts() string {
	const instances = "parts of what is asked"
	numAll := len(s.all)
	switch {
	case len(s.violated) == 0 && s.hold == numAll:
		return fmt.Sprintf("all %d %s hold; this is about the first", s.hold, instances)
	case len(s.violated) == 0 && s.hold == 1:
		return fmt.Sprintf("of %d %s, 1 holds: %s", numAll, instances, s.first.briefName())
	case len(s.violated) == 0:
		return fmt.Sprintf("of %d %s, %d hold; this is about the first of them", numAll, instances, s.hold)
	case len(s.violated) == 1:
		return fmt.Sprintf("of %d %s, 1 is violated: %s", numAll, instances, s.violated[0].briefName())
	}
	about := "this is about the first of them"
	if s.preferred != "" && s.preferred != s.violated[0].Name {
		about = "this is about " + beginning(s.preferred) + ", which the given counterexample violates"
	}
	var names []string
	for _, i := range s.violated {
		names = append(names, i.Name)
	}
	return fmt.Sprintf("of %d %s, %d are violated: %s; %s", numAll, instances, len(names),
		listed(names), about)
}

// unanswered returns sentences about the properties with instances that cannot be asked, and about
// undecided instances. It also returns a sentence that names the properties without an answer. A
// property has none if some of its instances cannot be asked and the others hold.
func (s *survey) unanswered() (why []string, counted string) {
	var names []string
	last := -1 // the property of the refused instance before this one
	for _, refused := range s.refused {
		if refused.property == last {
			continue
		}
		last = refused.property
		why = append(why, fmt.Sprintf("%s cannot be evaluated: %v", refused.briefName(), refused.why))
		isOfProperty := func(i Instance) bool { return i.property == refused.property }
		isViolated := slices.ContainsFunc(s.violated, isOfProperty)
		if !isViolated {
			names = append(names, refused.propertyText)
		}
	}
	why = append(why, s.undecided...)
	if len(names) == 0 {
		return why, ""
	}
	numProperties := s.all[len(s.all)-1].property + 1
	numAnswered := numProperties - len(names)
	verb := "are"
	if numAnswered == 1 {
		verb = "is"
	}
	return why, fmt.Sprintf("%d of %d properties %s answered, but not %s",
		numAnswered, numProperties, verb, listed(names))
}

// listed returns a list of at most mostNamed names, each of which it may shorten.
func listed(names []string) string {
	var brief []string
	for _, name := range names[:min(len(names), mostNamed)] {
		brief = append(brief, beginning(name))
	}
	list := strings.Join(brief, ", ")
	unnamed := len(names) - mostNamed
	if unnamed > 0 {
		list += fmt.Sprintf(" and %d more", unnamed)
	}
	return list
}

// mostNamed is the largest number of instances that a sentence names.
const mostNamed = 5

// isSafety reports whether a formula is about all states, all steps or the first state. TLC checks
// such formulas on all behaviours, even where constraints leave no fair continuation.
func isSafety(f *tlaplus.Formula) bool {
	if f.Operator == tlaplus.Always {
		f = f.Parts[0]
	}
	return f.IsPredicate(tlaplus.Action)
}

// isInvariant reports whether a formula is about single states: each one, or the first one.
func isInvariant(f *tlaplus.Formula) bool {
	if f.Operator == tlaplus.Always {
		f = f.Parts[0]
	}
	return f.IsPredicate(tlaplus.State)
}

// isCheckedByTLC reports whether TLC accepts a formula as a property. TLC accepts actions only in
// conjuncts [][A]_v and, outside of other temporal operators, in fairness, []<><<A>>_v and <>[][A]_v.
func isCheckedByTLC(f *tlaplus.Formula, isConjunct bool) bool {
	isAction := func(f *tlaplus.Formula) bool { return f.IsPredicate(tlaplus.Action) }
	switch f.Operator {
	case tlaplus.Holds:
		return f.IsPredicate(tlaplus.State)
	case tlaplus.Weak, tlaplus.Strong:
		return true
	case tlaplus.Always:
		operand := f.Parts[0]
		isStepProperty := isConjunct && isAction(operand)
		isRecurrence := operand.Operator == tlaplus.Eventually && isAction(operand.Parts[0])
		return isStepProperty || isRecurrence || !hasAction(operand)
	case tlaplus.Eventually:
		operand := f.Parts[0]
		isPersistence := operand.Operator == tlaplus.Always && isAction(operand.Parts[0])
		return isPersistence || !hasAction(operand)
	case tlaplus.LeadsTo:
		return !hasAction(f)
	}
	isConjunct = isConjunct && f.Operator == tlaplus.And
	for _, part := range f.Parts {
		if !isCheckedByTLC(part, isConjunct) {
			return false
		}
	}
	return true
}

// hasRefusedForm reports whether a formula has a part that TLC cannot check, even though it has no action.
func hasRefusedForm(f *tlaplus.Formula) bool {
	return f.IsRefusedByTLC || slices.ContainsFunc(f.Parts, hasRefusedForm)
}

// hasAction reports whether a formula contains an action, also within a fairness condition.
func hasAction(f *tlaplus.Formula) bool {
	switch f.Operator {
	case tlaplus.Holds:
		return !f.IsPredicate(tlaplus.State)
	case tlaplus.Weak, tlaplus.Strong:
		return true
	}
	return slices.ContainsFunc(f.Parts, hasAction)
}

// setKinds gives transitions that belong to the same sets the same kind, which is a number.
func (g *Graph) setKinds(t *lts.Telling, sets []bitset.Set[int]) {
	if len(sets) == 0 {
		return
	}
	known := map[string]uint32{} // the kinds, by the membership in each set
	kinds := make([]uint32, g.m.NumTransitions())
	membership := make([]byte, len(sets)) // a 1 for each set with the transition
	for n := range kinds {
		clear(membership)
		for i, set := range sets {
			if set.Has(n) {
				membership[i] = 1
			}
		}
		kind, isKnown := known[string(membership)]
		if !isKnown {
			kind = uint32(len(t.Kinds))
			known[string(membership)] = kind
			t.Kinds = append(t.Kinds, onesOf(membership))
		}
		kinds[n] = kind
	}
	t.Kind = func(from lts.State, i int) uint32 {
		first, _ := g.m.Row(from)
		return kinds[first+i]
	}
}

// onesOf returns the indices of the bytes that are not 0.
func onesOf(bytes []byte) []uint32 {
	indices := []uint32{}
	for i, b := range bytes {
		if b != 0 {
			indices = append(indices, uint32(i))
		}
	}
	return indices
}

// addFact adds a fact to the states where a predicate holds. It evaluates each predicate once.
func (g *Graph) addFact(
	ctx context.Context,
	p *tlaplus.Predicate,
	facts []lts.Facts,
	fact lts.Facts,
) error {
	held, isKnown := g.heldIn[p.Key]
	if !isKnown {
		states, err := g.evaluateStates(ctx, p)
		if err != nil {
			return err
		}
		held = truth{of: p, where: states}
		g.heldIn[p.Key] = held
	}
	for s := range facts {
		if held.where.Has(s) {
			facts[s] |= fact
		}
	}
	return nil
}

// evaluateStates returns the states where a predicate holds. Unless the predicate reads all steps of
// a state, it is evaluated once for each combination of the values that it reads.
func (g *Graph) evaluateStates(ctx context.Context, p *tlaplus.Predicate) (bitset.Set[int], error) {
	if err := g.m.FindReachable(ctx); err != nil {
		return nil, err
	}
	holding := bitset.New[int](g.m.NumStates())
	reach := g.m.Reachable()
	known := map[string]bool{}
	key := make([]byte, 0, 4*len(p.Reads))
	var room stateRoom
	for s := range lts.State(g.m.NumStates()) {
		if !reach.Has(s) || !g.isReal(g.m, s) {
			continue
		}
		key = key[:0]
		for _, v := range p.Reads {
			key = binary.LittleEndian.AppendUint32(key, uint32(g.table.Value(s, g.columns[v])))
		}
		holds, isKnown := known[string(key)]
		if !isKnown {
			var err error
			holds, err = g.holdsIn(p, s, &room)
			if err != nil {
				return nil, err
			}
			if !p.All {
				known[string(key)] = holds
			}
		}
		if holds {
			holding.Add(int(s))
		}
	}
	return holding, nil
}

// stateRoom is reused memory for the values of a state and of a next state.
type stateRoom struct{ now, next []values.Value }

// holdsIn evaluates a predicate in a state of the model, and lets ENABLED use the steps that leave this
// state.
func (g *Graph) holdsIn(p *tlaplus.Predicate, s lts.State, room *stateRoom) (bool, error) {
	var err error
	room.now, err = g.state(s, room.now)
	if err != nil {
		return false, err
	}
	var noValues error // of a next state
	holds, err := g.eval.Holds(p, room.now, nil, func(yield func([]values.Value) bool) {
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			if g.m.Alphabet().Text(labels.At(i)) == stuttering {
				continue
			}
			room.next, noValues = g.state(to, room.next)
			if noValues != nil || !yield(room.next) {
				return
			}
		}
	})
	if noValues != nil {
		return false, noValues
	}
	if err != nil {
		return false, g.at(err, s)
	}
	return holds, nil
}

// writer translates a formula of TLA+ into one over numbered atoms.
type writer struct {
	g     *Graph
	ctx   context.Context
	atoms []actl.Pattern
	// number has the number of each atom, by the key of its predicate.
	number map[string]int
	// states has the names of the predicates of states that occur, and predicates has these
	// predicates.
	states     []string
	predicates []*tlaplus.Predicate
	// steps has the names of the predicates of steps that occur, and sets the transitions where they hold.
	steps []string
	sets  []bitset.Set[int]
}

// implication returns the formula that assumptions imply a conclusion.
func (w *writer) implication(
	assumptions []*tlaplus.Formula,
	conclusion *tlaplus.Formula,
) (*temporal.Formula, error) {
	assumed, err := w.formulas(assumptions)
	if err != nil {
		return nil, err
	}
	root, err := w.formula(conclusion)
	if err != nil {
		return nil, err
	}
	if len(assumed) > 0 {
		root = temporal.Implies(temporal.And(assumed...), root)
	}
	return root, nil
}

// formulas translates several formulas.
func (w *writer) formulas(all []*tlaplus.Formula) ([]*temporal.Formula, error) {
	written := make([]*temporal.Formula, len(all))
	for i, f := range all {
		var err error
		written[i], err = w.formula(f)
		if err != nil {
			return nil, err
		}
	}
	return written, nil
}

// formula translates a formula. Its predicates become atoms.
func (w *writer) formula(f *tlaplus.Formula) (*temporal.Formula, error) {
	if f.Operator == tlaplus.Holds {
		return w.atom(f.Predicate)
	}
	parts, err := w.formulas(f.Parts)
	if err != nil {
		return nil, err
	}
	return applied(f.Operator, parts), nil
}

// applied returns the formula that applies an operator of TLA+ to operands.
func applied(operator tlaplus.Operator, parts []*temporal.Formula) *temporal.Formula {
	switch operator {
	case tlaplus.And:
		return temporal.And(parts...)
	case tlaplus.Or:
		return temporal.Or(parts...)
	case tlaplus.Not:
		return temporal.Not(parts[0])
	case tlaplus.Implies:
		return temporal.Implies(parts[0], parts[1])
	case tlaplus.Equivalent:
		return temporal.Iff(parts[0], parts[1])
	case tlaplus.Always:
		return temporal.Always(parts[0])
	case tlaplus.Eventually:
		return temporal.Eventually(parts[0])
	case tlaplus.LeadsTo:
		return temporal.Always(temporal.Implies(parts[0], temporal.Eventually(parts[1])))
	}
	infinitelyOften := func(f *temporal.Formula) *temporal.Formula {
		return temporal.Always(temporal.Eventually(f))
	}
	step := parts[0]
	isEnabled := parts[1]
	if operator == tlaplus.Weak {
		return temporal.Or(infinitelyOften(temporal.Not(isEnabled)), infinitelyOften(step))
	}
	return temporal.Implies(infinitelyOften(isEnabled), infinitelyOften(step))
}

// atom returns the atom for a predicate; true or false if the predicate is
// constant.
func (w *writer) atom(p *tlaplus.Predicate) (*temporal.Formula, error) {
	if p.Level == tlaplus.Constant {
		holds, err := w.g.eval.Holds(p, nil, nil, nil)
		if err != nil {
			return nil, err
		}
		if holds {
			return temporal.True(), nil
		}
		return temporal.False(), nil
	}
	known, isKnown := w.number[p.Key]
	if isKnown {
		return temporal.Atom(known), nil
	}
	name := w.unusedName(p)
	n := len(w.atoms)
	w.number[p.Key] = n
	if p.Level == tlaplus.State {
		w.states = append(w.states, name)
		w.predicates = append(w.predicates, p)
		w.atoms = append(w.atoms, actl.Reported(name, true))
		return temporal.Atom(n), nil
	}
	steps, _, err := w.g.steps(w.ctx, p)
	if err != nil {
		return nil, err
	}
	w.steps = append(w.steps, name)
	w.sets = append(w.sets, steps)
	w.atoms = append(w.atoms, actl.Reported(name, false))
	return temporal.Atom(n), nil
}

// unusedName returns the name of a predicate. If another predicate has this name, it adds the position
// and, if necessary, a number.
func (w *writer) unusedName(p *tlaplus.Predicate) string {
	isUsed := func(name string) bool {
		return slices.Contains(w.states, name) || slices.Contains(w.steps, name)
	}
	if !isUsed(p.Name) {
		return p.Name
	}
	name := fmt.Sprintf("%s (%s)", p.Name, p.Position)
	for i := 3; isUsed(name); i++ {
		name = fmt.Sprintf("%s (%s, %d)", p.Name, p.Position, i)
	}
	return name
}
