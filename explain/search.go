package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain/internal/faults"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Search chooses the counterexample that is explained. The zero value chooses a shortest one, and
// always the same.
type Search struct {
	// Prefer chooses among all shortest counterexamples by the number of neighbourhoods that they
	// pass: "fewest", "most", or "" for any counterexample.
	Prefer preference
	// Pattern, unless it is nil, chooses a shortest counterexample among those that do these steps
	// in this order (see [counterexample.Containing]).
	Pattern *actl.Formula
	// Given, unless it is nil, is a counterexample of another tool that is to be explained.
	// MatchOptions say how it is matched with the model.
	Given        *counterexample.Given
	MatchOptions counterexample.MatchOptions
	// Fair are assumptions that Given has to satisfy. Unlike with [Options.Fair], runs that do not
	// satisfy them count, too.
	Fair []*actl.Assumption
	// File is the name of the given counterexample in errors.
	File string
}

// isPlain reports whether any shortest counterexample may be explained.
func (s Search) isPlain() bool {
	return s.Prefer == anyShortest && s.Pattern == nil && s.Given == nil
}

// preference is a choice among all shortest counterexamples.
type preference string

const (
	anyShortest          preference = ""
	fewestNeighbourhoods preference = "fewest"
	mostNeighbourhoods   preference = "most"
)

// errNoPattern reports that no counterexample does the steps of the pattern.
var errNoPattern = errors.New("no counterexample does these steps in this order; ask for fewer of them, or in another order")

// choose finds the counterexample to be explained; none if the property holds. faults has the
// number of faults that a violation takes; nil if it was not requested. Like all other searches,
// choose expects an outcome without a run. If it is stopped, the outcome has the run that it found
// until then.
func (a *Analysis) choose(
	ctx context.Context,
	o Options,
	faults *Faults,
	found *outcome,
) error {
	switch {
	case a.fairness != nil:
		return a.chooseFair(ctx, found)
	case o.Search.Given != nil:
		return a.match(ctx, o.Search, found)
	case a.Fates.Holds():
		return nil
	case o.Search.Pattern != nil:
		return a.chooseContaining(ctx, o, found)
	case o.Search.Prefer != anyShortest:
		return a.chooseBest(ctx, o, found)
	case faults != nil:
		return a.searchFewest(ctx, o, faults, found)
	}
	return a.findShortest(ctx, o, found)
}

// chooseFair finds a fair run that violates the property.
func (a *Analysis) chooseFair(ctx context.Context, found *outcome) error {
	if a.Fates.Holds() {
		return nil
	}
	err := a.countedSearch(ctx, found, func() (*counterexample.Result, error) {
		r, err := counterexample.Fair(ctx, a.Fates)
		return a.withStepsTogether(ctx, r, err)
	})
	if err != nil {
		return err
	}
	if found.run.trace == nil || found.run.trace.Kind() != counterexample.Trap {
		return nil
	}
	found.run.described.Trap, err = found.run.describeTrap(ctx)
	return err
}

// chooseContaining finds a shortest counterexample that does the steps of the pattern.
func (a *Analysis) chooseContaining(ctx context.Context, o Options, found *outcome) error {
	pattern, warnings, err := bindPattern(ctx, o.Search.Pattern, a.m)
	if err != nil {
		return err
	}
	found.pattern = o.Search.Pattern
	found.warnings = warnings
	return a.search(ctx, found, func() (*counterexample.Result, error) {
		options := a.searchOptions(o)
		options.Limit = o.Limit
		r, err := counterexample.Containing(ctx, a.m, a.Property, pattern, options)
		if err == nil && r.Trace == nil {
			err = fmt.Errorf("pattern %s: %w", o.Search.Pattern, errNoPattern)
		}
		return r, err
	})
}

// chooseBest finds a shortest counterexample that passes the fewest neighbourhoods, or the most.
func (a *Analysis) chooseBest(ctx context.Context, o Options, found *outcome) error {
	return a.search(ctx, found, func() (*counterexample.Result, error) {
		all, err := counterexample.All(ctx, a.m, a.Property, a.searchOptions(o))
		if err != nil {
			return nil, err
		}
		neighbourhoodsAt := func(s lts.State) int {
			if a.Classification.Has(s) {
				return 1
			}
			return 0
		}
		wantsMost := o.Search.Prefer == mostNeighbourhoods
		best, err := all.Best(ctx, neighbourhoodsAt, wantsMost)
		return &counterexample.Result{Trace: best, Minimal: all.Minimal()}, err
	})
}

// searchOptions returns options for searches, with the components and fates of the analysis.
func (a *Analysis) searchOptions(o Options) counterexample.Options {
	return counterexample.Options{
		Components: a.Components,
		Fates:      a.Fates,
		Engine:     o.Engine,
	}
}

// errUnclassified reports that a question needs what [Check] leaves out.
var errUnclassified = errors.New("this needs the classes of transitions, which Check does not compute; call Explain")

// AllShortest returns all shortest counterexamples of the model itself. The explanation must have the
// classes of the model, as a result of [Explain] has them, and its property must be violated. Errors and
// cost are those of [counterexample.All].
func (e *Explanation) AllShortest(ctx context.Context) (*counterexample.Family, error) {
	if e.Classification() == nil {
		return nil, errUnclassified
	}
	f := e.Classification().Fates()
	return counterexample.All(ctx, f.LTS(), f.Property(), counterexample.Options{
		Components: f.Components(),
		Fates:      f,
	})
}

// describeTrap describes what can still be reached from the end of the run, where the property is
// lost.
func (v violation) describeTrap(ctx context.Context) (*Trap, error) {
	a := v.a
	end := v.after(v.trace.Len())
	lost, err := lostStep(ctx, a.Fates, end)
	if err != nil {
		return nil, err
	}
	t := &Trap{Step: lost}
	if lost > 0 {
		t.First = a.Property.Progress(end.Q) + 1
	}
	visited, err := newProductSet(ctx, a.m, a.Property)
	if err != nil {
		return nil, err
	}
	visited.add(end)
	states := bitset.New[lts.State](a.m.NumStates())
	labels := bitset.New[lts.Label](a.m.Alphabet().Len())
	open := []product.State{end}
	for work := 1; len(open) > 0; work++ {
		if err := cores.Done(ctx, work); err != nil {
			return nil, err
		}
		from := open[len(open)-1]
		open = open[:len(open)-1]
		if !states.Has(from.State) {
			states.Add(from.State)
			t.States++
		}
		outgoing, targets := a.m.Out(from.State)
		for i, to := range targets {
			next := product.State{State: to, Q: a.Property.Next(from.Q, outgoing.At(i))}
			if !a.Fates.AdmitsFrom(next.State, next.Q) {
				continue
			}
			labels.Add(outgoing.At(i))
			if visited.add(next) {
				open = append(open, next)
			}
		}
	}
	for l := range labels.All {
		t.Labels = append(t.Labels, a.text(l))
	}
	return t, nil
}

// findShortest searches for a shortest counterexample within the limits of the options. It uses an
// automaton of the formula such that a shortest run of the product is a shortest counterexample.
func (a *Analysis) findShortest(ctx context.Context, o Options, found *outcome) error {
	options := a.limited(o)
	err := a.countedSearch(ctx, found, func() (*counterexample.Result, error) {
		r, err := a.shortestIn(ctx, a.m, options)
		return a.withStepsTogether(ctx, r, err)
	})
	if err != nil {
		return err
	}
	found.warnOfLimit(options.Limit)
	if o.Unsettled == "" || o.Unfold || found.run.trace == nil {
		return nil
	}
	return a.preferChanges(ctx, o, found)
}

// shortestIn searches for a shortest counterexample in m: the model, or a part of it.
func (a *Analysis) shortestIn(
	ctx context.Context,
	m *lts.LTS,
	o counterexample.Options,
) (*counterexample.Result, error) {
	joined := a.joined()
	if a.Property.States() > 1 {
		conditions, err := a.conditions()
		if err != nil {
			return nil, err
		}
		joined.Conditions = conditions.properties
	}
	return joined.Shortest(ctx, m, o)
}

// findShortestToList searches for a shortest counterexample in the product with the deterministic
// automaton, since only there all runs of the list are shortest. It warns if the product with the
// nondeterministic automaton has a shorter run.
func (a *Analysis) findShortestToList(ctx context.Context, o Options, found *outcome) error {
	options := a.limited(o)
	shorterLength := 0 // 0 if there is no shorter one
	err := a.countedSearch(ctx, found, func() (*counterexample.Result, error) {
		r, err := counterexample.Shortest(ctx, a.m, a.Property, options)
		if err != nil || r.Trace == nil || r.Minimal != counterexample.InProduct {
			return r, err
		}
		// If the nondeterministic automaton may have a shorter run, the runs of the list are not known
		// to be shortest.
		shorter, complete, err := a.joined().Shorter(ctx, a.m, r.Trace, options.Limit)
		if !complete || shorter != nil {
			r.Minimal = counterexample.MinimalUnknown
		}
		if shorter != nil && err == nil {
			shorterLength = shorter.Len() - before(a.m, shorter.Len())
		}
		return r, err
	})
	switch {
	case shorterLength > 0:
		found.warnings = append(found.warnings,
			fmt.Sprintf("a run of %d transitions is shorter in the product with the nondeterministic automaton; the run shown is shortest in the product with the deterministic one", shorterLength))
	case err == nil:
		found.warnOfLimit(options.Limit)
	}
	return err
}

// limited returns the options of searches for a shortest counterexample, including their limit.
func (a *Analysis) limited(o Options) counterexample.Options {
	options := a.searchOptions(o)
	options.Limit = cmp.Or(o.Limit, defaultLimit(a.m, a.Property))
	return options
}

// warnOfLimit warns if a search found a run, but reached its limit before it could exclude shorter
// runs.
func (o *outcome) warnOfLimit(limit int64) {
	if o.run.trace != nil && o.run.described.Minimal == counterexample.MinimalUnknown {
		o.warnings = append(o.warnings,
			fmt.Sprintf("the search was stopped at its limit of %d visits to states: there may be a shorter counterexample", limit))
	}
}

// joined returns the property with its nondeterministic automaton.
func (a *Analysis) joined() counterexample.Joined {
	return counterexample.Joined{Property: a.Property, Nondeterministic: a.nondeterministic}
}

// nondeterministic returns a nondeterministic automaton of the runs that violate the property; nil if
// the formula has none.
func (a *Analysis) nondeterministic(ctx context.Context) (*property.Nondeterministic, error) {
	f, hasAutomaton := a.Formula.(interface {
		Nondeterministic(context.Context, *lts.Alphabet) (*property.Nondeterministic, error)
	})
	if !hasAutomaton {
		return nil, nil
	}
	return f.Nondeterministic(ctx, a.Property.Alphabet())
}

// bindPattern binds the steps of a pattern. A step that matches no label of the model is an error,
// since no run can do it. If only a part of a step matches no label, bindPattern returns a warning.
func bindPattern(
	ctx context.Context,
	pattern *actl.Formula,
	m *lts.LTS,
) (*property.Property, []string, error) {
	p, warnings, err := pattern.Bind(ctx, m.Alphabet())
	if err != nil {
		return nil, nil, err
	}
	if p.Steps() == 0 {
		return nil, nil, property.NotChainError{
			Property: p.String(),
			What:     "a pattern that a run does",
		}
	}
	for i := 1; i <= p.Steps(); i++ {
		if len(p.Step(i).Labels) == 0 {
			return nil, nil, fmt.Errorf("pattern %s: %s", pattern, warnings[0])
		}
	}
	return p, warnings, nil
}

// search calls find, and describes the run that it returns.
func (a *Analysis) search(
	ctx context.Context,
	found *outcome,
	find func() (*counterexample.Result, error),
) error {
	defer a.phase("search")()
	r, err := find()
	if r == nil {
		return err
	}
	if r.Violated || r.Trace != nil {
		found.verdict = Violated
	}
	if r.Trace == nil {
		return err
	}
	if err != nil {
		_ = found.describe(context.WithoutCancel(ctx), r.Trace, counterexample.MinimalUnknown)
		return err
	}
	return found.describe(ctx, r.Trace, r.Minimal)
}

// countedSearch is like [Analysis.search], but also records the statistics of find, unless find
// fails.
func (a *Analysis) countedSearch(
	ctx context.Context,
	found *outcome,
	find func() (*counterexample.Result, error),
) error {
	return a.search(ctx, found, func() (*counterexample.Result, error) {
		r, err := find()
		if err == nil {
			found.stats = &r.Stats
		}
		return r, err
	})
}

// match turns the given trace into a run of the model.
func (a *Analysis) match(ctx context.Context, s Search, found *outcome) error {
	defer a.phase("match")()
	trace, note, err := a.givenRun(ctx, s)
	if err != nil {
		return err
	}
	shortest, err := counterexample.Shortest(ctx, a.m, a.Property, counterexample.Options{
		Components: a.Components,
		Fates:      a.Fates,
	})
	if err != nil {
		return err
	}
	minimal := counterexample.MinimalUnknown
	if trace.Len() == shortest.Trace.Len() { // a given run is a shortest one if it has the same length
		minimal = shortest.Minimal
	}
	found.verdict = Violated
	found.isSettled = !isIdleForever(trace, a.m)
	if err := found.describe(ctx, trace, minimal); err != nil {
		return err
	}
	found.run.described.Given = true
	found.run.described.Notes = note.Sentences()
	return nil
}

// givenRun returns the given trace as a run of the model. It fails if there is no such run, if the run
// does not violate the property, or if it does not satisfy s.Fair.
func (a *Analysis) givenRun(
	ctx context.Context,
	s Search,
) (trace *counterexample.Trace, note counterexample.MatchNote, err error) {
	o := s.MatchOptions
	if len(s.Fair) > 0 {
		fairness, _, err := actl.BindAssumptions(ctx, s.Fair, a.m.Alphabet())
		if err != nil {
			return nil, note, err
		}
		o.Fair = fairness.Tasks()
	}
	trace, note, err = counterexample.Match(ctx, a.Fates, s.Given, o)
	if err != nil {
		return nil, note, fmt.Errorf("%s: %w", s.File, err)
	}
	if start, loops := trace.LoopStart(); loops {
		if err := checkFair(a.m, trace.Steps()[start:], o.Fair); err != nil {
			return nil, note, fmt.Errorf("%s: %w", s.File, err)
		}
	}
	return trace, note, nil
}

// checkFair returns an error if a run that repeats a loop forever is unfair to some task. Cost O(labels
// of tasks + transitions from the loop), for each task.
func checkFair(m *lts.LTS, loop []lts.Transition, tasks []property.Task) error {
	for _, task := range tasks {
		ofTask := map[lts.Label]bool{}
		for _, l := range task.Labels {
			ofTask[l] = true
		}
		isOfTask := func(l lts.Label) bool { return ofTask[l] }
		isTaken := false
		enabledIn := 0 // the number of states of the loop
		for _, step := range loop {
			isTaken = isTaken || isOfTask(step.Label)
			labels, _ := m.Out(step.From)
			if labels.Any(isOfTask) {
				enabledIn++
			}
		}
		mustBeTaken := enabledIn == len(loop) || enabledIn > 0 && task.Strong
		if mustBeTaken && !isTaken {
			return fmt.Errorf("this behaviour is not allowed: %s is violated, since its action can be taken in %s and never is", task.Name, statesOfLoop(enabledIn, len(loop)))
		}
	}
	return nil
}

// statesOfLoop says which part of the states of a loop n are.
func statesOfLoop(n, all int) string {
	switch {
	case all == 1:
		return "the only state of the loop"
	case n < all:
		return fmt.Sprintf("%d of the loop's %d states", n, all)
	case all == 2:
		return "both states of the loop"
	}
	return fmt.Sprintf("all %d states of the loop", all)
}

// listShortest counts all shortest counterexamples, and describes the first of them, even if the work is
// stopped after counting. They are called shortest only if it is known that none is shorter, not
// even in the product with a nondeterministic automaton of the formula.
func (a *Analysis) listShortest(ctx context.Context, o Options, found *outcome) error {
	defer a.phase("list")()
	family, err := counterexample.All(ctx, a.m, a.Property, a.searchOptions(o))
	if err != nil {
		return err
	}
	count, err := family.Count(ctx)
	if err != nil {
		return err
	}
	found.all = &All{Count: number{count}, Listed: []*Counterexample{}}
	minimal := family.Minimal()
	if found.run.described.Minimal == counterexample.MinimalUnknown {
		minimal = counterexample.MinimalUnknown
	}
	for t, err := range family.Each(ctx) {
		if err != nil {
			return err
		}
		if len(found.all.Listed) == o.List {
			break
		}
		described, err := describeTrace(ctx, a, t, minimal)
		if err != nil {
			return err
		}
		found.all.Listed = append(found.all.Listed, described)
	}
	return nil
}

// AutomatonSearch is a search for a counterexample in the product automaton of model and property,
// as in model checkers for linear time. Package buchi has such searches, such as FindInModel.
//
// If the search promises a shortest run of the automaton, [Check] also searches for a shortest run
// of the model, and reports whether the two have the same length. It does not if the search
// promises nothing, or was stopped.
type AutomatonSearch struct {
	// Find returns a counterexample, or nil if it finds none, and the counts of the search.
	Find func(ctx context.Context, m *lts.LTS, p *property.Property) (*counterexample.Trace, counterexample.Stats, error)
	// Bound, if it is positive, is a number of states: Find only searches for counterexamples with
	// fewer states. If it finds none, Unbounded searches for any counterexample, and NoneBelow of
	// the result is Bound.
	Bound     int
	Unbounded func(ctx context.Context, m *lts.LTS, p *property.Property) (*counterexample.Trace, counterexample.Stats, error)
	// Shortest reports whether Find returns a shortest counterexample of the automaton.
	Shortest bool
	// Anytime reports what to do if Find returns a counterexample together with the error of its
	// context: if it is set, the counterexample is used, and the error is dropped.
	Anytime bool
}

// searchAutomaton searches for a counterexample in the product automaton.
func (a *Analysis) searchAutomaton(
	ctx context.Context,
	o *AutomatonSearch,
	found *outcome,
) error {
	inAutomaton, err := a.findInAutomaton(ctx, o, found)
	if err != nil || inAutomaton.trace == nil {
		return err
	}
	found.verdict = Violated
	if err := found.describe(context.WithoutCancel(ctx), inAutomaton.trace, counterexample.MinimalUnknown); err != nil {
		return err
	}
	if !inAutomaton.complete {
		if inAutomaton.noneBelow {
			found.run.described.NoneBelow = o.Bound
		}
		return nil
	}
	if !o.Shortest {
		return nil
	}
	return a.compareWithShortest(ctx, o, inAutomaton.trace, found)
}

// compareWithShortest finds out whether a shortest run of the deterministic automaton is also a shortest
// one of the nondeterministic automaton, and of the model.
func (a *Analysis) compareWithShortest(
	ctx context.Context,
	o *AutomatonSearch,
	trace *counterexample.Trace,
	found *outcome,
) error {
	shorter, complete, err := a.joined().Shorter(ctx, a.m, trace, defaultLimit(a.m, a.Property))
	if err != nil {
		return err
	}
	if !complete {
		return nil // the run is only known to be shortest in the product with the deterministic automaton
	}
	if shorter != nil {
		trace = shorter
		found.stats.Length = shorter.Len() + 1
		if err := found.describe(context.WithoutCancel(ctx), trace, counterexample.MinimalUnknown); err != nil {
			return err
		}
	}
	// Do not call the run shortest yet: a shortest run of the model may be shorter.
	found.run.described.Minimal = counterexample.InProduct
	defer a.phase("compare")()
	shortest, err := counterexample.Shortest(ctx, a.m, a.Property, counterexample.Options{Components: a.Components})
	if err != nil {
		if o.Anytime && ctx.Err() != nil {
			return nil
		}
		return err
	}
	// The length of a bad prefix cannot be compared with the length of complete runs.
	isShortestRun := shortest.Minimal == counterexample.InModel &&
		shortest.Trace.Kind() != counterexample.Prefix
	if isShortestRun && trace.Len() == shortest.Trace.Len() {
		found.run.described.setMinimal(counterexample.InModel)
	}
	return nil
}

// inAutomaton is the result of a search in the product automaton.
type inAutomaton struct {
	trace *counterexample.Trace // nil if none was found
	// complete reports whether the promise of the search, a shortest run, is kept: the search was
	// not stopped, and no bound can have excluded a shorter run.
	complete bool
	// noneBelow reports whether no counterexample has fewer states than the bound.
	noneBelow bool
}

// findInAutomaton performs the search in the product automaton.
func (a *Analysis) findInAutomaton(
	ctx context.Context,
	o *AutomatonSearch,
	found *outcome,
) (inAutomaton, error) {
	defer a.phase("search")()
	trace, stats, err := o.Find(ctx, a.m, a.Property)
	found.stats = &stats
	wasStopped := err != nil && ctx.Err() != nil
	if wasStopped && o.Anytime && trace != nil {
		found.warnings = append(found.warnings,
			"the search was stopped before its end: there may be a shorter counterexample")
		return inAutomaton{trace: trace}, nil
	}
	if err != nil {
		return inAutomaton{}, err
	}
	if trace != nil || o.Bound <= 0 {
		return inAutomaton{trace: trace, complete: true}, nil
	}
	// The verdict does not depend on the bound.
	trace, stats, err = o.Unbounded(ctx, a.m, a.Property)
	if err != nil {
		return inAutomaton{}, err
	}
	return inAutomaton{
		trace:     trace,
		complete:  stats.Length == o.Bound,
		noneBelow: true,
	}, nil
}

// Faults are the numbers of faults that a violation takes. A fault is a transition whose label
// matches one of some patterns.
type Faults struct {
	Patterns string `json:"patterns"`
	// Number is the number of patterns.
	Number int `json:"-"`
	// Least is the smallest number of faults on a violating run; nil if there is no such run, or if
	// all of them have infinitely many.
	Least *int `json:"least"`
	// OnlyForEver reports whether the property is violated, but only by runs with infinitely many
	// faults.
	OnlyForEver bool `json:"only_for_ever"`
	// LostAfter is the smallest number of faults after which the property can no longer hold. It is
	// nil unless it is less than Least, or Least is nil.
	LostAfter *int `json:"lost_after,omitempty"`
	// Fewest reports whether the counterexample has the fewest faults, and is shortest among the
	// runs with the same number of faults.
	Fewest bool `json:"fewest,omitzero"`
}

// faultsOf returns a function that reports which labels are faults: those that match a pattern.
func faultsOf(a *lts.Alphabet, patterns []actl.Pattern) func(lts.Label) bool {
	isFault := make([]bool, a.Len())
	for l, text := range a.All() {
		isFault[l] = slices.ContainsFunc(patterns, func(p actl.Pattern) bool {
			return p.Matches(text)
		})
	}
	return func(l lts.Label) bool { return isFault[l] }
}

// leastFaults finds out how many faults a violation takes.
func leastFaults(
	ctx context.Context,
	fates *fate.Map,
	patterns []actl.Pattern,
) (*Faults, error) {
	texts := make([]string, len(patterns))
	for i, p := range patterns {
		texts[i] = p.String()
	}
	f := &Faults{Patterns: strings.Join(texts, ", "), Number: len(texts)}
	if fates.Holds() {
		return f, nil
	}
	found, err := faults.Least(ctx, fates, faultsOf(fates.LTS().Alphabet(), patterns))
	if err != nil {
		return nil, err
	}
	f.OnlyForEver = !found.Finite
	if found.Finite {
		f.Least = &found.Least
	}
	losesEarlier := !found.Finite || found.Lost < found.Least
	if found.Loses && losesEarlier {
		f.LostAfter = &found.Lost
	}
	return f, nil
}

// LeastFaults returns the number of faults that a violation takes, if the faults are the labels
// that match one of the patterns. e must be a result of [Explain]. LeastFaults fails if ctx is
// done. Cost as for a search in the product.
func (e *Explanation) LeastFaults(
	ctx context.Context,
	patterns []actl.Pattern,
) (*Faults, error) {
	if e.Classification() == nil {
		return nil, errUnclassified
	}
	return leastFaults(ctx, e.found.types.Fates(), patterns)
}

// searchFewest searches for a shortest counterexample among those with the fewest faults.
func (a *Analysis) searchFewest(
	ctx context.Context,
	o Options,
	least *Faults,
	found *outcome,
) error {
	if err := a.findShortest(ctx, o, found); err != nil {
		return err
	}
	if least.Least == nil || found.run.trace == nil {
		return nil
	}
	isFault := faultsOf(a.Property.Alphabet(), o.Faults)
	number, finite := faultsOn(found.run.trace, isFault)
	hasFewest := finite && number == *least.Least
	if hasFewest {
		found.fewest = found.run.described.Minimal != counterexample.MinimalUnknown
		// For a property without steps, a bad prefix with the fewest faults may be shorter than
		// this run.
		mayHaveShorterPrefix := a.Property.Steps() == 0 &&
			found.run.trace.Kind() != counterexample.Prefix
		if !mayHaveShorterPrefix {
			return nil
		}
	}
	withFewest := a.outcome()
	err := a.countedSearch(ctx, &withFewest, func() (*counterexample.Result, error) {
		return a.shortestWithFaults(ctx, o, isFault, *least.Least, &withFewest)
	})
	if withFewest.run.trace == nil {
		return err
	}
	isBetter := !found.fewest || withFewest.run.trace.Len() < found.run.trace.Len()
	if isBetter {
		withFewest.warnings = found.warnings
		*found = withFewest
	}
	return err
}

// faultsOn returns the number of faults on a run. finite reports whether the loop of the run has
// none.
func faultsOn(t *counterexample.Trace, isFault func(lts.Label) bool) (number int, finite bool) {
	finite = true
	start, loops := t.LoopStart()
	for i := range t.Len() {
		if !isFault(t.Step(i).Label) {
			continue
		}
		number++
		isOnLoop := loops && i >= start
		if isOnLoop {
			finite = false
		}
	}
	return number, finite
}

// shortestWithFaults searches for a shortest counterexample among those with at most the given
// number of faults. It records in found.fewest whether the result is known to be a shortest one.
func (a *Analysis) shortestWithFaults(
	ctx context.Context,
	o Options,
	isFault func(lts.Label) bool,
	most int,
	found *outcome,
) (*counterexample.Result, error) {
	m := a.m
	toModel := func(steps []lts.Transition) []lts.Transition { return steps }
	p, err := faults.OrMoreFaults(ctx, a.Property, isFault, most)
	if err != nil {
		return nil, err
	}
	if p == nil { // the faults are counted in the model
		p = a.Property
		m, toModel, err = faults.WithFewFaults(ctx, a.Fates, isFault, most)
		if err != nil {
			return nil, err
		}
	}
	limit := cmp.Or(o.Limit, defaultLimit(m, p))
	r, err := counterexample.Shortest(ctx, m, p, counterexample.Options{
		Engine:   o.Engine,
		Limit:    limit,
		Prefixes: true,
	})
	if err != nil || r.Trace == nil {
		return r, err
	}
	isShortestInModel := r.Minimal == counterexample.InModel && m == a.m
	isShortestInProduct := r.Minimal != counterexample.MinimalUnknown
	// For a chain with several steps, the loop of a shortest run need not close in the product.
	productIsEnough := a.Property.Steps() < 2
	found.fewest = isShortestInModel || isShortestInProduct && productIsEnough
	// The run violates the property itself: p also allows more than the given number of faults, but
	// a shortest violation of p has no more.
	loop, _ := r.Trace.LoopStart()
	r.Minimal = counterexample.MinimalUnknown
	r.Trace, err = r.Trace.Like(a.m, a.Property, toModel(r.Trace.Steps()), loop)
	if err != nil {
		return nil, err
	}
	return r, nil
}
