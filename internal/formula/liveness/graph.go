package liveness

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/inev-lts/inev/internal/formula/tlaplus"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/lts"
)

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
			return nil, fmt.Errorf("the specification has a variable %s, but the graph has no values of it: it was written for another specification, or for another version of this one", name)
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
