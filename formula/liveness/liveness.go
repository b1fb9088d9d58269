// Package liveness turns the properties of a specification in TLA+, and the fairness of its Spec,
// into formulas over atoms and sets of transitions, so that the properties that TLC checks can be
// checked on the graph that TLC has written.
//
// A behaviour of Spec is a run of the graph that may stutter for ever after any step, restricted by
// WF and SF. So [Specification.On] adds a self-loop to each state, evaluates predicates of states
// and steps by their values, and records the results in labels, see [lts.Telling]: no later work on
// the model knows of TLA+. A step of an action is a transition whose values satisfy the action, and
// ENABLED <<A>>_v holds if some values of the next state do, even if constraints exclude that step.
//
// The invariant that holds inside: a state or step has exactly the atoms that the specification
// implies.
package liveness

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/formula/internal/tlaplus"
	"github.com/inev-lts/inev/formula/ltl"
	"github.com/inev-lts/inev/formula/temporal"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property/values"
)

// stuttering is the label of the steps that change nothing.
const stuttering = "stuttering"

// Stuttering returns the label of the steps that change nothing.
func (g *Graph) Stuttering() string { return stuttering }

// Instance is a conjunct of a property. A property is the conjunction of its
// instances.
type Instance struct {
	// Name is the name or the text of the property, with the values that quantifiers give to
	// names.
	Name string
	of   *tlaplus.Formula
}

// Specification is a module of TLA+ with a configuration of TLC. [Load] returns it. Only one
// goroutine may use it.
type Specification struct {
	s             *tlaplus.Specification
	spec          *tlaplus.Formula
	states, steps []*tlaplus.Predicate // the constraints on states, and those on steps
}

// Load reads a module and a configuration. If no configuration is named, it is the file of the
// module's name next to the module. Other modules are searched next to it, and in folders. An
// error is one line with the file and line. Cost O(size of the files).
func Load(ctx context.Context, file, config string, folders []string) (of *Specification, err error) {
	defer abort.Caught(&err)
	if config == "" {
		beside := strings.TrimSuffix(file, ".tla") + ".cfg"
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
			config = beside
		}
	}
	of = &Specification{}
	of.s = abort.Must(tlaplus.Load(ctx, file, config, folders))
	of.spec = abort.Must(of.s.Spec())
	of.states, of.steps, err = of.s.Constraints()
	return of, err
}

// Files returns the files that were read, the module first. Cost O(1).
func (s *Specification) Files() []string { return s.s.Files() }

// Digest returns the SHA-256 of all files that were read until now, in hexadecimal digits.
func (s *Specification) Digest() string { return s.s.Digest() }

// Properties returns the names of the properties in the configuration, for
// [Specification.Instances]. It fails if there are none.
func (s *Specification) Properties() ([]string, error) {
	all, invariants := s.s.Properties()
	for _, name := range invariants {
		all = append(all, "[]"+name)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("there is no property: the configuration has no PROPERTY or INVARIANT; name a definition, or give a formula")
	}
	return all, nil
}

// IsExpression reports whether a text is an expression of TLA+ by its syntax, whatever its names are.
func (s *Specification) IsExpression(text string) bool { return s.s.IsExpression(text) }

// Predicates finds the definitions that a formula of another logic uses as predicates of states,
// and replaces each by an atom about a parameter of states: Holds(c1) becomes Holds⟨c1⟩ = TRUE or,
// if bare is set, "Holds(c1)". [Specification.Values] computes the values of these parameters.
// Definitions of actions stay labels.
func (s *Specification) Predicates(text string, bare bool) (replaced string, all []Parameter) {
	var b strings.Builder
	known := map[string]string{} // the name of each parameter, by its text
	for at := 0; at < len(text); {
		behind := at + 1
		switch c := text[at]; {
		case c == '"' || c == '\'' || c == '/': // a label
			for behind < len(text) && text[behind] != c {
				behind++
			}
			behind = min(behind+1, len(text))
		case isLetter(c):
			for behind < len(text) && (isLetter(text[behind]) || '0' <= text[behind] && text[behind] <= '9') {
				behind++
			}
			name := text[at:behind]
			if len(name) == 1 || !s.s.Defines(name) {
				break
			}
			if behind < len(text) && text[behind] == '(' {
				behind = closed(text, behind)
			}
			p, err := s.s.State(text[at:behind])
			if err != nil {
				break
			}
			said := text[at:behind]
			one := Parameter{said, p}
			if !bare {
				one.name = strings.NewReplacer("(", "⟨", ")", "⟩", ",", "，", " ", "").Replace(said)
			}
			if _, is := known[said]; !is {
				// Texts that differ in blanks alone may differ in their meaning.
				for slices.ContainsFunc(all, func(other Parameter) bool { return other.name == one.name }) {
					one.name += "′"
				}
				known[said] = one.name
				all = append(all, one)
			}
			one.name = known[said]
			if bare && strings.Contains(one.name, "(") {
				b.WriteString(strconv.Quote(one.name))
			} else {
				b.WriteString(one.name)
			}
			rest := strings.TrimSpace(text[behind:])
			if !bare && !strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "#") {
				b.WriteString(" = TRUE")
			}
			at = behind
			continue
		}
		b.WriteString(text[at:behind])
		at = behind
	}
	return b.String(), all
}

// Parameter is a predicate that serves as a parameter of states, with the
// values TRUE and FALSE.
type Parameter struct {
	name string
	of   *tlaplus.Predicate
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }

// closed returns the offset behind the parenthesis that closes the one at an
// offset; parentheses in strings do not count.
func closed(text string, at int) int {
	depth := 0
	quoted := false
	for i := at; i < len(text); i++ {
		if text[i] == '"' {
			quoted = !quoted
		}
		if quoted {
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

// Values returns the table of a graph with a column for each parameter. It fails as
// [Specification.On] does, and if a value is neither TRUE nor FALSE. Cost: evaluating each
// parameter in each state.
func (of *Specification) Values(ctx context.Context, m *lts.LTS, t *states.Table, all []Parameter) (_ *states.Table, err error) {
	defer abort.Caught(&err)
	g := of.graph(ctx, t)
	g.m = m
	g.begins = m.Before() > 0
	b := abort.Must(states.NewBuilder(ctx, nil))
	for p := range t.NumParameters() {
		to := b.Parameter(t.Parameter(p).Name)
		for s := range lts.State(m.NumStates()) {
			v := t.Value(s, p)
			if v != states.None {
				abort.On(b.Set(s, to, b.Value(to, []byte(t.Text(p, v)))))
			}
		}
	}
	for _, one := range all {
		facts := make([]lts.Facts, m.NumStates())
		g.holdIn(ctx, one.of, facts, 1)
		to := b.Parameter(one.name)
		truths := [2]states.Value{b.Value(to, []byte("FALSE")), b.Value(to, []byte("TRUE"))}
		for s := range lts.State(m.NumStates()) {
			if g.isReal(m, s) {
				abort.On(b.Set(s, to, truths[facts[s]]))
			}
		}
	}
	return b.Build(m.NumStates())
}

// Instances returns the instances of properties, each given as the name of a definition or as an
// expression; without properties, the instances of the configuration's properties. An error is one
// line with the file and line.
func (s *Specification) Instances(texts ...string) (all []Instance, err error) {
	defer abort.Caught(&err)
	if len(texts) == 0 {
		texts = abort.Must(s.Properties())
	}
	for _, text := range texts {
		f := abort.Must(s.s.Property(text))
		name := strings.TrimSpace(text)
		all = split(all, f, name, "", isName(name))
	}
	return all, nil
}

func isName(text string) bool { return !strings.ContainsAny(text, " ()[]<>~=\\/,'\"") }

// split returns the conjuncts of a formula as instances.
func split(all []Instance, f *tlaplus.Formula, name, of string, defined bool) []Instance {
	if f.Operator != tlaplus.And || len(f.Parts) == 0 {
		if of != "" {
			name += " (" + of + ")"
		}
		return append(all, Instance{name, f})
	}
	for _, part := range f.Parts {
		switch {
		case part.Instance != "" && defined:
			inner := part.Instance
			if of != "" {
				inner = of + ", " + inner
			}
			all = split(all, part, name, inner, true)
		case part.Operator == tlaplus.And && defined && !isName(part.Name):
			all = split(all, part, name, of, true)
		case part.Name != "":
			all = split(all, part, part.Name, "", isName(part.Name))
		default:
			all = split(all, part, name, of, defined)
		}
	}
	return all
}

// Graph is a graph of states with the meaning of a specification. [Specification.On] returns it.
// Only one goroutine may use it.
type Graph struct {
	s    *tlaplus.Specification
	eval *tlaplus.Evaluator
	// m is the model with stuttering; begins reports whether its initial state
	// was added in front of several initial states.
	m       *lts.LTS
	begins  bool
	table   *states.Table
	columns []int
	trees   [][]*values.Value // the values of a column as trees; nil if the column is not needed yet
	// assumed are the conjuncts of Spec that are neither about how runs begin and continue
	// nor fairness. A property only has to hold of the runs that satisfy them.
	assumed []*tlaplus.Formula
	fair    []fairness
	// wrong is the first error of fairness that cannot be evaluated: then only questions without
	// fairness can be asked.
	wrong error
	// merging is the error of questions about runs, if TLC took different states for one; nil if it did not.
	merging error
	notes   []string
}

// Merging returns the error of formulas about runs on the graph that TLC writes under the configuration, if SYMMETRY or VIEW
// make it take different states for one; nil if they do not.
func (s *Specification) Merging() error {
	keyword, at := s.s.Merging()
	if keyword == "" {
		return nil
	}
	return mergingError(s.s, keyword, at)
}

func mergingError(s *tlaplus.Specification, keyword string, at tlaplus.Position) error {
	return fmt.Errorf("%s: %s makes TLC take different states for one, so that its graph does not have the runs of the specification: have TLC write it without %s, or name %s in place of the graph",
		at, keyword, keyword, s.Files()[0])
}

// fairness is WF or SF of an action.
type fairness struct {
	name string
	of   *tlaplus.Formula
	bits []uint64 // a bit for each transition, in the order of the rows
}

// On returns a graph of TLC as a model of a specification: with stuttering, and without the states
// and steps that its constraints exclude. It fails if the graph has no values of a variable, if an
// expression cannot be evaluated, and if ctx is done. Cost O(S + T), and evaluating the action of
// each fairness condition for each transition.
func (of *Specification) On(ctx context.Context, m *lts.LTS, t *states.Table, whole bool) (_ *Graph, err error) {
	defer abort.Caught(&err)
	g := of.graph(ctx, t)
	g.begins = m.Before() > 0
	if !whole {
		abort.On(of.changedByAlias())
		g.mergedBy(of.s.Merging())
	}
	g.hasValues(ctx, m)
	g.m = g.stuttering(ctx, m, of.states, of.steps)
	g.assume(of.spec)
	asked := g.fair
	g.fair = nil
	for _, f := range asked {
		g.wrong = cmp.Or(g.wrong, abort.Try(func() { g.findSteps(ctx, f) }))
		abort.On(ctx.Err())
	}
	return g, nil
}

// mergedBy takes into account that the graph was written under SYMMETRY or VIEW, if there is such a statement.
func (g *Graph) mergedBy(keyword string, at tlaplus.Position) {
	if keyword == "" {
		return
	}
	g.merging = mergingError(g.s, keyword, at)
	g.notes = append(g.notes, fmt.Sprintf("%s: %s makes TLC take different states for one; an invariant is checked in one of them alone, as TLC does", at, keyword))
}

// changedByAlias returns the error of a graph whose values ALIAS may have changed.
func (s *Specification) changedByAlias() error {
	at, changes := s.s.Alias()
	if !changes {
		return nil
	}
	return fmt.Errorf("%s: ALIAS makes TLC write other values than the variables have, and properties are about the variables: have TLC write the graph without it, or name %s in place of the graph",
		at, s.s.Files()[0])
}

// hasValues fails if a state has no value of a variable.
func (g *Graph) hasValues(ctx context.Context, m *lts.LTS) {
	abort.On(m.FindReachable(ctx))
	reach := m.Reachable()
	for s := range lts.State(m.NumStates()) {
		if !reach.Has(s) || !g.isReal(m, s) {
			continue
		}
		for i, column := range g.columns {
			if g.table.Value(s, column) == states.None {
				abort.On(fmt.Errorf("state %d has no value of %s: have TLC write the graph by -dump dot,actionlabels, and without ALIAS", s, g.s.Variables()[i]))
			}
		}
	}
}

// graph returns a graph that has the values of states, but no model yet.
func (of *Specification) graph(ctx context.Context, t *states.Table) *Graph {
	s := of.s
	g := &Graph{s: s, eval: s.Evaluator(ctx), table: t}
	if t == nil || t.NumParameters() == 0 {
		abort.On(fmt.Errorf("the graph has no values of variables; have TLC write it with -dump dot,actionlabels"))
	}
	for _, name := range s.Variables() {
		column, has := t.Find(name)
		if !has {
			abort.On(fmt.Errorf("the specification has a variable %s, and the graph has no values of it: it was written for another specification, or by another version of this", name))
		}
		g.columns = append(g.columns, column)
		g.trees = append(g.trees, make([]*values.Value, t.NumValues(column)))
	}
	return g
}

// Notes returns remarks about what verdicts on this graph do not cover.
func (g *Graph) Notes() []string { return g.notes }

// assume collects the conjuncts of Spec that are not about how runs begin and
// continue: fairness, and all others.
func (g *Graph) assume(f *tlaplus.Formula) {
	switch {
	case f == nil:
	case f.Operator == tlaplus.And:
		for _, part := range f.Parts {
			g.assume(part)
		}
	case f.Operator == tlaplus.Weak || f.Operator == tlaplus.Strong:
		g.addFairness(f)
	case f.IsPredicate(tlaplus.State):
	case f.Operator == tlaplus.Always && f.Parts[0].Operator == tlaplus.Says && f.Parts[0].Predicate.Level == tlaplus.Action:
	default:
		g.assumed = append(g.assumed, f)
	}
}

// addFairness adds a fairness condition, unless the same one is there already. Conditions that are written alike may be
// about different actions, if they come from two instances of a module; then their names are made different.
func (g *Graph) addFairness(f *tlaplus.Formula) {
	named := func(name string) bool {
		return slices.ContainsFunc(g.fair, func(other fairness) bool { return other.name == name })
	}
	for _, other := range g.fair {
		if other.of.Operator == f.Operator && other.of.Predicate.Key == f.Predicate.Key {
			return
		}
	}
	name := f.Name
	for i := 2; named(name); i++ {
		name = fmt.Sprintf("%s (%d)", f.Name, i)
	}
	g.fair = append(g.fair, fairness{name: name, of: f})
}

// state returns the values of the variables in a state. It overwrites room, which the
// caller reuses.
func (g *Graph) state(s lts.State, room []values.Value) []values.Value {
	room = room[:0]
	for i, column := range g.columns {
		v := g.table.Value(s, column)
		if v == states.None {
			room = append(room, values.Parse(""))
			continue
		}
		if g.trees[i][v] == nil {
			tree := abort.Must(g.eval.Value(withMembers(g.table.Text(column, v))))
			g.trees[i][v] = &tree
		}
		room = append(room, *g.trees[i][v])
	}
	return room
}

// interval matches a..b, a set of numbers as TLC writes it, and strings, so that no
// interval is found inside a string.
var interval = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|(-?\d+)\.\.(-?\d+)`)

// withMembers returns the text of a value with each interval, such as 1..3, replaced by the set of
// its members.
func withMembers(text string) string {
	if !strings.Contains(text, "..") {
		return text
	}
	left := int64(mostMembers)
	return interval.ReplaceAllStringFunc(text, func(found string) string {
		ends := interval.FindStringSubmatch(found)
		from, wrong := strconv.ParseInt(ends[1], 10, 32)
		to, bad := strconv.ParseInt(ends[2], 10, 32)
		n := max(to-from+1, 0)
		if wrong != nil || bad != nil || n > left {
			return found
		}
		left -= n
		var all []string
		for n := from; n <= to; n++ {
			all = append(all, strconv.FormatInt(n, 10))
		}
		return "{" + strings.Join(all, ", ") + "}"
	})
}

// mostMembers is the largest number of members of intervals in one value that are listed.
const mostMembers = 1_000_000

// isReal reports whether a state belongs to the system: it was not added in front of several
// initial states.
func (g *Graph) isReal(m *lts.LTS, s lts.State) bool { return !g.begins || s != m.Initial() }

// at adds to an error of evaluation the values of the state where it occurred.
func (g *Graph) at(err error, s lts.State) error {
	if _, is := err.(*tlaplus.Error); !is {
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

// holds reports whether a predicate holds of the values in a state and, if it is about steps, of
// those in the next one.
func (g *Graph) holds(p *tlaplus.Predicate, s lts.State, now, next []values.Value, steps func(func([]values.Value) bool)) bool {
	is, err := g.eval.Holds(p, now, next, steps)
	abort.On(g.at(err, s))
	return is
}

// mostShown is the largest number of characters of a state's values in an
// error.
const mostShown = 300

// stuttering returns the model with a self-loop at each state, and without the states and steps
// that constraints exclude.
func (g *Graph) stuttering(ctx context.Context, m *lts.LTS, inStates, inSteps []*tlaplus.Predicate) *lts.LTS {
	abort.On(m.FindReachable(ctx))
	reach := m.Reachable()
	out := make([]bool, m.NumStates())
	var now, next []values.Value
	for s := range lts.State(m.NumStates()) {
		if !reach.Has(s) || !g.isReal(m, s) || len(inStates) == 0 {
			continue
		}
		now = g.state(s, now)
		for _, p := range inStates {
			holds := g.holds(p, s, now, nil, nil)
			out[s] = out[s] || !holds
		}
	}
	if !slices.ContainsFunc(m.Begin(), func(s lts.State) bool { return !out[s] }) {
		abort.On(fmt.Errorf("the constraints of the configuration leave out all initial states, so that there is no behaviour"))
	}
	var b lts.Builder
	texts, label := stutteringLabel(m.Alphabet())
	cut := 0
	for s := range lts.State(m.NumStates()) {
		if s&(1<<12-1) == 0 {
			abort.On(ctx.Err())
		}
		labels, targets := m.Out(s)
		real := g.isReal(m, s)
		for i, to := range targets {
			keep := !out[s] && !out[to]
			if keep && real && reach.Has(s) && len(inSteps) > 0 {
				now = g.state(s, now)
				next = g.state(to, next)
				for _, p := range inSteps {
					holds := g.holds(p, s, now, next, nil)
					keep = keep && holds
				}
			}
			if !keep {
				cut++
				continue
			}
			b.Add(s, labels.At(i), to)
		}
		if real {
			b.Add(s, label, s)
		}
	}
	b.Over(texts)
	all := abort.Must(b.Build(m.Initial(), m.NumStates()))
	if cut > 0 {
		g.notes = append(g.notes, fmt.Sprintf("the constraints leave out %d steps of the graph", cut))
	}
	if g.begins {
		return abort.Must(all.Refined(ctx, nil, func(lts.State) lts.Facts { return 0 }, true))
	}
	return all
}

// stutteringLabel returns the labels of a model and one more, for stuttering.
func stutteringLabel(a *lts.Alphabet) (*lts.Alphabet, lts.Label) {
	var b lts.AlphabetBuilder
	for l := range a.All() {
		b.Label(a.Text(l))
	}
	l := b.Label(stuttering)
	return b.Build(), l
}

// each calls do for the transitions between reachable states of the system; n is the index of the
// transition.
func (g *Graph) each(ctx context.Context, do func(n int, from, to lts.State)) {
	abort.On(g.m.FindReachable(ctx))
	reach := g.m.Reachable()
	for s := range lts.State(g.m.NumStates()) {
		if !reach.Has(s) || !g.isReal(g.m, s) {
			continue
		}
		first, _ := g.m.Row(s)
		_, targets := g.m.Out(s)
		for i, to := range targets {
			do(first+i, s, to)
		}
	}
}

// steps returns a bit set of the transitions that are steps of an action.
func (g *Graph) steps(ctx context.Context, p *tlaplus.Predicate) (bits []uint64, some bool) {
	bits = make([]uint64, g.m.NumTransitions()/64+1)
	last := lts.State(lts.MaxStates)
	var now []values.Value
	var next []values.Value
	g.each(ctx, func(n int, from, to lts.State) {
		if from != last {
			last, now = from, g.state(from, now)
		}
		next = g.state(to, next)
		if g.holds(p, from, now, next, nil) {
			bits[n/64] |= 1 << (n % 64)
			some = true
		}
	})
	return bits, some
}

// findSteps finds the transitions that a fairness condition is about. If the graph lacks
// possible steps of its action, the condition is not one on sets of transitions, and is
// assumed as a formula instead.
func (g *Graph) findSteps(ctx context.Context, f fairness) {
	bits, some := g.steps(ctx, f.of.Predicate)
	f.bits = bits
	can := f.of.Parts[1].Predicate
	cut := false
	last := lts.State(lts.MaxStates)
	has := false
	var now []values.Value
	check := func(s lts.State) {
		if !has && !cut && s != lts.MaxStates {
			now = g.state(s, now)
			cut = g.holds(can, s, now, nil, nil)
		}
	}
	g.each(ctx, func(n int, from, _ lts.State) {
		if from != last {
			check(last)
			last = from
			has = false
		}
		has = has || bits[n/64]>>(n%64)&1 != 0
	})
	check(last)
	switch {
	case cut:
		g.notes = append(g.notes, fmt.Sprintf("%s is about steps that the graph does not have, since constraints leave them out or Next does not allow them; as with TLC, runs that never take them are not fair", f.name))
		g.assumed = append(g.assumed, f.of)
	case some:
		g.fair = append(g.fair, f)
	default:
		g.notes = append(g.notes, fmt.Sprintf("%s asks for nothing, since its action can never be taken", f.name))
	}
}

// Ask returns the question whether an instance holds on all behaviours: the model, the formula, and the fairness of Spec. It fails
// as [Specification.On] does, and if the instance has more predicates of states than labels can have.
func (g *Graph) Ask(ctx context.Context, i Instance) (m *lts.LTS, f *ltl.Formula, fair []*actl.Assumption, err error) {
	defer abort.Caught(&err)
	if g.merging != nil && !isInvariant(i.of) {
		return nil, nil, nil, g.merging
	}
	w := &writer{g: g, number: map[string]int{}}
	var assumed []*temporal.Formula
	assumptions := g.assumed
	fairness := g.fair
	if isSafety(i.of) {
		assumptions = nil
		fairness = nil
	} else {
		abort.On(g.wrong)
	}
	for _, f := range assumptions {
		assumed = append(assumed, w.formula(ctx, f))
	}
	root := w.formula(ctx, i.of)
	if len(assumed) > 0 {
		root = temporal.Implies(temporal.And(assumed...), root)
	}
	if len(w.states) > lts.MostFacts {
		return nil, nil, nil, fmt.Errorf("%s is about %d predicates of states, and at most %d can be distinguished: name parts of it by definitions, which are one predicate each, or ask its parts by themselves", i.Name, len(w.states), lts.MostFacts)
	}
	facts := make([]lts.Facts, g.m.NumStates())
	for n, p := range w.predicates {
		g.holdIn(ctx, p, facts, 1<<n)
	}
	m, fair = g.telling(ctx, w.states, facts, w.steps, w.sets, fairness)
	return m, ltl.New(root, w.atoms, i.Name), fair, nil
}

// telling returns the model whose labels report facts about states, and the sets of steps
// that the formula and the fairness are about.
func (g *Graph) telling(ctx context.Context, names []string, facts []lts.Facts, steps []string, sets [][]uint64, fairness []fairness) (*lts.LTS, []*actl.Assumption) {
	t := lts.Telling{States: names, Begins: g.begins, Steps: steps, State: func(s lts.State) lts.Facts { return facts[s] }}
	var fair []*actl.Assumption
	for _, f := range fairness {
		t.Steps = append(t.Steps, f.name)
		sets = append(sets, f.bits)
		fair = append(fair, actl.Specified(f.name, f.of.Operator == tlaplus.Strong, f.name))
	}
	g.kinds(&t, sets)
	m := abort.Must(g.m.Telling(ctx, t))
	return m, fair
}

// Take returns the model and the fairness of Spec for a formula of another logic. The formula has
// these atoms about states, whose values come from a table, see [Specification.Values]. It fails as
// [Graph.Ask] does, and if Spec assumes more than fairness.
func (g *Graph) Take(ctx context.Context, atoms []*values.Atom, t *states.Table) (_ *lts.LTS, _ []*actl.Assumption, err error) {
	defer abort.Caught(&err)
	if g.merging != nil {
		return nil, nil, g.merging
	}
	if g.wrong != nil {
		return nil, nil, g.wrong
	}
	if len(g.assumed) > 0 {
		return nil, nil, fmt.Errorf("besides fairness, Spec says %s, which only a property in TLA+ can take into account: write the property in TLA+", g.assumed[0].Name)
	}
	if len(atoms) > lts.MostFacts {
		return nil, nil, fmt.Errorf("the formula has %d atoms about states, and at most %d can be told apart; check its parts by themselves", len(atoms), lts.MostFacts)
	}
	var names []string
	facts := make([]lts.Facts, g.m.NumStates())
	for n, a := range atoms {
		truth := abort.Must(t.Evaluate(ctx, g.m, a))
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
	m, fair := g.telling(ctx, names, facts, nil, nil, g.fair)
	return m, fair, nil
}

// First checks instances in turn, as [Graph.Ask] does. It returns the first one that is violated,
// or the first of all if all hold, and a sentence about the others, "" if there are none. An only
// instance is returned unchecked. First fails as [Graph.Ask] and isViolated do; but if the first
// violated instance is about single states or steps, errors of Ask for instances about whole runs
// are ignored, as by TLC.
func (g *Graph) First(ctx context.Context, all []Instance, isViolated func(*lts.LTS, *ltl.Formula, []*actl.Assumption) (bool, error)) (
	m *lts.LTS, f *ltl.Formula, fair []*actl.Assumption, others string, err error,
) {
	if len(all) == 1 {
		m, f, fair, err = g.Ask(ctx, all[0])
		return m, f, fair, "", err
	}
	hold := 0
	violated := []string{}
	var wrong error
	safe := false // whether the first violated instance is about single states or steps
	for i, one := range all {
		model, formula, assumed, err := g.Ask(ctx, one)
		if err != nil && ctx.Err() == nil && !isSafety(one.of) {
			wrong = cmp.Or(wrong, err)
			continue
		}
		if err != nil {
			return nil, nil, nil, "", err
		}
		is, err := isViolated(model, formula, assumed)
		if err != nil {
			return nil, nil, nil, "", fmt.Errorf("%s: %w", one.Name, err)
		}
		if i == 0 || is && len(violated) == 0 {
			m = model
			f = formula
			fair = assumed
			safe = isSafety(one.of)
		}
		if is {
			violated = append(violated, one.Name)
		} else {
			hold++
		}
	}
	if wrong != nil && (len(violated) == 0 || !safe) {
		return nil, nil, nil, "", wrong
	}
	if len(violated) == 0 {
		return m, f, fair, fmt.Sprintf("all %d parts of what is asked hold; this is about the first", hold), nil
	}
	named := strings.Join(violated[:min(len(violated), mostNamed)], ", ")
	n := len(violated) - mostNamed
	if n > 0 {
		named += fmt.Sprintf(" and %d more", n)
	}
	others = fmt.Sprintf("of %d parts of what is asked, %d are violated: %s; this is about the first of them", len(all), len(violated), named)
	if len(violated) == 1 {
		others = fmt.Sprintf("of %d parts of what is asked, 1 is violated: %s", len(all), named)
	}
	return m, f, fair, others, nil
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

// isInvariant reports whether a formula is about each state by itself, or about the first one.
func isInvariant(f *tlaplus.Formula) bool {
	if f.Operator == tlaplus.Always {
		f = f.Parts[0]
	}
	return f.IsPredicate(tlaplus.State)
}

// kinds numbers the combinations of sets that a transition belongs to.
func (g *Graph) kinds(t *lts.Telling, sets [][]uint64) {
	if len(sets) == 0 {
		return
	}
	number := map[string]uint32{}
	kinds := make([]uint32, g.m.NumTransitions())
	key := make([]byte, 0, len(sets))
	for n := range kinds {
		key = key[:0]
		for _, bits := range sets {
			key = append(key, byte(bits[n/64]>>(n%64)&1))
		}
		k, known := number[string(key)]
		if !known {
			k = uint32(len(t.Kinds))
			number[string(key)] = k
			in := []uint32{}
			for i, is := range key {
				if is != 0 {
					in = append(in, uint32(i))
				}
			}
			t.Kinds = append(t.Kinds, in)
		}
		kinds[n] = k
	}
	t.Kind = func(from lts.State, i int) uint32 {
		first, _ := g.m.Row(from)
		return kinds[first+i]
	}
}

// holdIn sets a fact in the states where a predicate holds. It evaluates the predicate once for the
// values that it reads.
func (g *Graph) holdIn(ctx context.Context, p *tlaplus.Predicate, facts []lts.Facts, fact lts.Facts) {
	abort.On(g.m.FindReachable(ctx))
	reach := g.m.Reachable()
	known := map[string]bool{}
	key := make([]byte, 0, 4*len(p.Reads))
	var now, next []values.Value
	for s := range lts.State(g.m.NumStates()) {
		if !reach.Has(s) || !g.isReal(g.m, s) {
			continue
		}
		key = key[:0]
		for _, v := range p.Reads {
			key = binary.LittleEndian.AppendUint32(key, uint32(g.table.Value(s, g.columns[v])))
		}
		holds, is := known[string(key)]
		if !is || p.All {
			now = g.state(s, now)
			holds = g.holds(p, s, now, nil, func(yield func([]values.Value) bool) {
				labels, targets := g.m.Out(s)
				for i, to := range targets {
					if g.m.Alphabet().Text(labels.At(i)) == stuttering {
						continue
					}
					next = g.state(to, next)
					if !yield(next) {
						return
					}
				}
			})
			if !p.All {
				known[string(key)] = holds
			}
		}
		if holds {
			facts[s] |= fact
		}
	}
}

// writer translates a formula of TLA+ into one over numbered atoms.
type writer struct {
	g      *Graph
	atoms  []actl.Pattern
	number map[string]int
	states []string
	// predicates are the predicates of states that occur, and sets the sets of
	// transitions for the predicates of steps.
	predicates []*tlaplus.Predicate
	steps      []string
	sets       [][]uint64
}

func (w *writer) formula(ctx context.Context, f *tlaplus.Formula) *temporal.Formula {
	if f.Operator == tlaplus.Says {
		return w.atom(ctx, f.Predicate)
	}
	parts := make([]*temporal.Formula, len(f.Parts))
	for i, part := range f.Parts {
		parts[i] = w.formula(ctx, part)
	}
	switch f.Operator {
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
	// The first part of a fairness condition is its step, and the second says that
	// the step is enabled.
	recurs := func(f *temporal.Formula) *temporal.Formula { return temporal.Always(temporal.Eventually(f)) }
	if f.Operator == tlaplus.Weak {
		return temporal.Or(recurs(temporal.Not(parts[1])), recurs(parts[0]))
	}
	return temporal.Implies(recurs(parts[1]), recurs(parts[0]))
}

// atom returns the atom for a predicate; true or false if the predicate is
// constant.
func (w *writer) atom(ctx context.Context, p *tlaplus.Predicate) *temporal.Formula {
	if p.Level == tlaplus.Constant {
		holds := abort.Must(w.g.eval.Holds(p, nil, nil, nil))
		if holds {
			return temporal.True()
		}
		return temporal.False()
	}
	if n, ok := w.number[p.Key]; ok {
		return temporal.Atom(n)
	}
	name := p.Name
	for i := 2; slices.Contains(w.states, name) || slices.Contains(w.steps, name); i++ {
		name = fmt.Sprintf("%s (%s)", p.Name, p.Position)
		if i > 2 {
			name = fmt.Sprintf("%s (%s, %d)", p.Name, p.Position, i)
		}
	}
	n := len(w.atoms)
	w.number[p.Key] = n
	if p.Level == tlaplus.State {
		w.states = append(w.states, name)
		w.predicates = append(w.predicates, p)
		w.atoms = append(w.atoms, actl.Reported(name, true))
		return temporal.Atom(n)
	}
	bits, _ := w.g.steps(ctx, p)
	w.steps = append(w.steps, name)
	w.sets = append(w.sets, bits)
	w.atoms = append(w.atoms, actl.Reported(name, false))
	return temporal.Atom(n)
}
