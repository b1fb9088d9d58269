package liveness

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/internal/formula/tlaplus"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/lts"
)

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
	all := split(nil, f, naming{name: name, isDefined: isName(name)})
	nameConjunctsApart(all)
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

// nameConjunctsApart adds to the names of conjuncts with one name the text of each: Liveness ([]<>(1 \in readers)).
func nameConjunctsApart(all []Instance) {
	number := map[string]int{}
	for _, i := range all {
		number[i.Name]++
	}
	for n := range all {
		i := &all[n]
		if number[i.Name] > 1 && i.of.Name != "" && i.of.Name != i.Name {
			around, _, _ := strings.Cut(i.Name, " (")
			i.Name = around + " (" + i.of.Name + ")"
		}
	}
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

// split appends the conjuncts of a formula as instances.
func split(all []Instance, f *tlaplus.Formula, around naming) []Instance {
	if f.Operator != tlaplus.And || len(f.Parts) == 0 {
		return append(all, Instance{Name: around.String(), of: f})
	}
	for _, part := range f.Parts {
		all = split(all, part, around.ofPart(part, f))
	}
	return all
}

// naming is how an instance is named: by the innermost definition around it that the module of the
// specification can name, or else by the text of a formula. The values of quantified names follow or, for a conjunct
// in an instance of a module, the text of this conjunct.
type naming struct {
	name   string
	values string
	// isDefined is set if name is the name of a definition.
	isDefined bool
}

func (n naming) String() string {
	if n.values == "" {
		return n.name
	}
	return n.name + " (" + n.values + ")"
}

// ofPart returns how a part of a conjunction is named.
func (n naming) ofPart(part, conjunction *tlaplus.Formula) naming {
	isInstance := part.Instance != "" && n.isDefined
	isOnlyOrConjunction := part.Operator == tlaplus.And || len(conjunction.Parts) == 1
	switch {
	case isInstance && n.values != "":
		n.values += ", " + part.Instance
	case isInstance:
		n.values = part.Instance
	case n.isDefined && !isName(part.Name) && isOnlyOrConjunction:
		// The definition has no other conjunct, or those of the part follow.
	case part.Name != "" && part.IsOfInstance:
		n.values = part.Name
	case part.Name != "":
		return naming{name: part.Name, isDefined: isName(part.Name)}
	}
	return n
}

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
	// divides is set for an invariant: the instances of a quantified predicate are atoms, so that sentences name
	// the instance that a run violates.
	divides bool
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
		if w.divides && len(f.Conjuncts) > 1 && w.canEvaluate(f.Conjuncts) {
			parts, err := w.formulas(f.Conjuncts)
			return temporal.And(parts...), err
		}
		return w.atom(f.Predicate)
	}
	parts, err := w.formulas(f.Parts)
	if err != nil {
		return nil, err
	}
	return applied(f.Operator, parts), nil
}

// canEvaluate reports whether predicates of states can be evaluated in all states. A conjunct need not be: TLC
// evaluates it only where the conjuncts before it hold.
func (w *writer) canEvaluate(conjuncts []*tlaplus.Formula) bool {
	for _, f := range conjuncts {
		for f.Operator == tlaplus.Not {
			f = f.Parts[0]
		}
		isEvaluated := f.Operator == tlaplus.Holds && f.Predicate.Level == tlaplus.State &&
			w.g.addFact(w.ctx, f.Predicate, nil, 0) == nil
		if !isEvaluated {
			return false
		}
	}
	return true
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
