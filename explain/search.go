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
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Search chooses the counterexample that is explained. The zero value chooses a shortest one,
// always the same.
type Search struct {
	// Prefer chooses among all shortest counterexamples: "fewest" for a counterexample that passes
	// the fewest neighbourhoods, "most" for a counterexample that passes the most, "" for any
	// counterexample.
	Prefer preference
	// Pattern, unless it is nil, chooses a shortest counterexample among those that do these steps
	// in this order (see [counterexample.Containing]).
	Pattern *actl.Formula
	// Given, unless it is nil, is another tool's counterexample to be explained: it is matched with
	// the model by MatchOptions.
	Given        *counterexample.Given
	MatchOptions counterexample.MatchOptions
	// Fair are assumptions that Given has to meet. Unlike [Options.Fair], they leave all other runs in.
	Fair []*actl.Assumption
	// File is the name of the given counterexample in errors.
	File string
}

// isPlain reports whether any shortest counterexample may be explained.
func (s Search) isPlain() bool { return s.Prefer == anyShortest && s.Pattern == nil && s.Given == nil }

// preference is a choice among all shortest counterexamples.
type preference string

const (
	anyShortest          preference = ""
	fewestNeighbourhoods preference = "fewest"
	mostNeighbourhoods   preference = "most"
)

// errNoPattern reports that no counterexample does the steps of the pattern.
var errNoPattern = errors.New("no counterexample does these steps in this order; ask for fewer of them, or in another order")

// choose finds the counterexample to be explained; none if the property holds. faults is the number
// of faults that a violation takes, nil if it was not requested. This and all other searches fill an
// outcome in which nothing was found, and if they are stopped, with the run found until then.
func (a *Analysis) choose(ctx context.Context, o Options, faults *Faults, found *outcome) {
	s := o.Search
	switch {
	case a.fairness != nil:
		if a.Fates.Holds() {
			return
		}
		a.countedSearch(ctx, found, func() (*counterexample.Result, error) { return counterexample.Fair(ctx, a.Fates) })
		if found.run.trace != nil && found.run.trace.Kind() == counterexample.Trap {
			found.run.described.Trap = found.run.describeTrap(ctx)
		}
	case s.Given != nil:
		a.match(ctx, s, found)
	case a.Fates.Holds():
	case s.Pattern != nil:
		wanted := o.Search.Pattern
		pattern, warnings := bindPattern(ctx, wanted, a.m)
		found.pattern, found.warnings = wanted, warnings
		a.search(ctx, found, func() (*counterexample.Result, error) {
			options := a.known(o)
			options.Limit = o.Limit
			r, err := counterexample.Containing(ctx, a.m, a.Property, pattern, options)
			if err == nil && r.Trace == nil {
				err = fmt.Errorf("pattern %s: %w", wanted, errNoPattern)
			}
			return r, err
		})
	case s.Prefer != anyShortest:
		a.search(ctx, found, func() (*counterexample.Result, error) {
			all, err := counterexample.All(ctx, a.m, a.Property, a.known(o))
			if err != nil {
				return nil, err
			}
			decisions := func(s lts.State) int {
				if a.Classification.Has(s) {
					return 1
				}
				return 0
			}
			best, err := all.Best(ctx, decisions, o.Search.Prefer == mostNeighbourhoods)
			return &counterexample.Result{Trace: best, Minimal: all.Minimal()}, err
		})
	case faults != nil:
		a.searchFewest(ctx, o, faults, found)
	default:
		a.searchShortest(ctx, o, found)
	}
}

// known returns options for searches, with the components and fates of the analysis.
func (a *Analysis) known(o Options) counterexample.Options {
	return counterexample.Options{Components: a.Components, Fates: a.Fates, Engine: o.Engine}
}

// AllShortest returns all shortest counterexamples of the model itself. The explanation must have
// the classes of the model, and its property be violated. Errors and cost as for
// [counterexample.All].
func (e *Explanation) AllShortest(ctx context.Context) (*counterexample.Family, error) {
	f := e.Classification().Fates()
	return counterexample.All(ctx, f.LTS(), f.Property(), counterexample.Options{Components: f.Components(), Fates: f})
}

// describeTrap describes what is still reachable from the end of the run, after the property is
// lost.
func (v violation) describeTrap(ctx context.Context) *Trap {
	a, end := v.a, v.after(v.trace.Len())
	lost := lostStep(ctx, a.Fates, end)
	t := &Trap{Step: lost}
	if lost > 0 {
		t.First = a.Property.Progress(end.Q) + 1
	}
	visited := newProductSet(ctx, a.m, a.Property)
	visited.add(end)
	states := bitset.New[lts.State](a.m.NumStates())
	labels := bitset.New[lts.Label](a.m.Alphabet().Len())
	for open, looks := []product.State{end}, 1; len(open) > 0; looks++ {
		abort.IfDone(ctx, looks)
		at := open[len(open)-1]
		open = open[:len(open)-1]
		if !states.Has(at.State) {
			states.Add(at.State)
			t.States++
		}
		out, targets := a.m.Out(at.State)
		for i, to := range targets {
			next := product.State{State: to, Q: a.Property.Next(at.Q, out.At(i))}
			if !a.Fates.AdmitsFrom(next.State, next.Q) {
				continue
			}
			labels.Add(out.At(i))
			if visited.add(next) {
				open = append(open, next)
			}
		}
	}
	for l := range labels.All {
		t.Labels = append(t.Labels, a.text(l))
	}
	return t
}

// searchShortest searches for a shortest counterexample, within the limits of the options.
func (a *Analysis) searchShortest(ctx context.Context, o Options, found *outcome) {
	options := a.known(o)
	options.Limit = cmp.Or(o.Limit, defaultLimit(a.m, a.Property))
	below := 0
	err := abort.Try(func() {
		a.countedSearch(ctx, found, func() (*counterexample.Result, error) {
			if o.List > 0 { // all of the list are shortest only in the product with the deterministic automaton
				r, err := counterexample.Shortest(ctx, a.m, a.Property, options)
				if err == nil && r.Trace != nil && r.Minimal == counterexample.InProduct {
					// That a run of the list is shortest is unknown if the nondeterministic automaton has a shorter one.
					shorter, complete, e := a.joined().Shorter(ctx, a.m, r.Trace, options.Limit)
					if err = e; !complete || shorter != nil {
						r.Minimal = counterexample.MinimalUnknown
					}
					if shorter != nil && err == nil {
						below = shorter.Len() - before(a.m, shorter.Len())
					}
				}
				return r, err
			}
			joined := a.joined()
			if a.Property.States() > 1 {
				joined.Conditions = a.conditions().properties
			}
			return joined.Shortest(ctx, a.m, options)
		})
	})
	switch {
	case below > 0:
		found.warnings = append(found.warnings, fmt.Sprintf("a run of %d transitions is shorter, in the product with the nondeterministic automaton; what is counted is shortest in the product with the deterministic one", below))
	case err == nil && found.run.trace != nil && found.run.described.Minimal == counterexample.MinimalUnknown:
		found.warnings = append(found.warnings, fmt.Sprintf("the search was stopped at its limit of %d visits to states: there may be a shorter counterexample", options.Limit))
	}
	abort.On(err)
}

// joined returns the property with its nondeterministic automaton.
func (a *Analysis) joined() counterexample.Joined {
	return counterexample.Joined{Property: a.Property, Nondeterministic: a.nondeterministic}
}

// nondeterministic returns a nondeterministic automaton of the runs that violate the property; nil if
// the formula has none.
func (a *Analysis) nondeterministic(ctx context.Context) (*property.Nondeterministic, error) {
	given, is := a.Formula.(interface {
		Nondeterministic(context.Context, *lts.Alphabet) (*property.Nondeterministic, error)
	})
	if !is {
		return nil, nil
	}
	return given.Nondeterministic(ctx, a.Property.Alphabet())
}

// bindPattern binds the steps of a pattern. A step that matches no label of the model is an error,
// since no run can do it; a part of a step that matches no label is a warning.
func bindPattern(ctx context.Context, pattern *actl.Formula, m *lts.LTS) (*property.Property, []string) {
	p, warnings := bindTo(ctx, pattern, m.Alphabet())
	if p.Steps() == 0 {
		abort.On(property.NotChainError{Property: p.String(), What: "a pattern that a run does"})
	}
	for i := 1; i <= p.Steps(); i++ {
		if len(p.Step(i).Labels) == 0 {
			abort.On(fmt.Errorf("pattern %s: %s", pattern, warnings[0]))
		}
	}
	return p, warnings
}

// search runs find, and describes its run.
func (a *Analysis) search(ctx context.Context, found *outcome, find func() (*counterexample.Result, error)) {
	defer a.phase("search")()
	r, err := find()
	if r != nil && (r.Violated || r.Trace != nil) {
		found.verdict = Violated
	}
	switch {
	case r == nil || r.Trace == nil:
	case err != nil:
		_ = abort.Try(func() { found.describe(context.WithoutCancel(ctx), r.Trace, counterexample.MinimalUnknown) })
	default:
		found.describe(ctx, r.Trace, r.Minimal)
	}
	abort.On(err)
}

// countedSearch is search with the statistics of find in the outcome, unless it fails.
func (a *Analysis) countedSearch(ctx context.Context, found *outcome, find func() (*counterexample.Result, error)) {
	a.search(ctx, found, func() (*counterexample.Result, error) {
		r, err := find()
		if err == nil {
			found.stats = &r.Stats
		}
		return r, err
	})
}

// match makes a run of the model from the given trace.
func (a *Analysis) match(ctx context.Context, s Search, found *outcome) {
	defer a.phase("match")()
	o := s.MatchOptions
	if len(s.Fair) > 0 {
		fairness, _, err := actl.BindAssumptions(ctx, s.Fair, a.m.Alphabet())
		abort.On(err)
		o.Fair = fairness.Tasks()
	}
	trace, note, err := counterexample.Match(ctx, a.Fates, s.Given, o)
	if err != nil {
		abort.On(fmt.Errorf("%s: %w", s.File, err))
	}
	if start, loops := trace.LoopStart(); loops {
		if err := unfair(a.m, trace.Steps()[start:], o.Fair); err != nil {
			abort.On(fmt.Errorf("%s: %w", s.File, err))
		}
	}
	// A given run that is as long as a shortest one is one.
	minimal := counterexample.MinimalUnknown
	if shortest := abort.Must(counterexample.Shortest(ctx, a.m, a.Property, counterexample.Options{Components: a.Components, Fates: a.Fates})); trace.Len() == shortest.Trace.Len() {
		minimal = shortest.Minimal
	}
	found.verdict = Violated
	found.describe(ctx, trace, minimal)
	found.run.described.Given, found.run.described.Notes = true, note.Sentences()
}

// unfair returns an error if a run that goes round a loop for ever is not fair to a task. Cost O(labels of tasks + transitions from
// the loop), for each task.
func unfair(m *lts.LTS, loop []lts.Transition, tasks []property.Task) error {
	for _, task := range tasks {
		is := map[lts.Label]bool{}
		for _, l := range task.Labels {
			is[l] = true
		}
		taken, possible := false, 0
		for _, step := range loop {
			taken = taken || is[step.Label]
			if labels, _ := m.Out(step.From); labels.Any(func(l lts.Label) bool { return is[l] }) {
				possible++
			}
		}
		if !taken && (possible == len(loop) || possible > 0 && task.Strong) {
			return fmt.Errorf("this behaviour is not allowed: %s is violated, since its action can be taken in %d of the loop's %d states and never is", task.Name, possible, len(loop))
		}
	}
	return nil
}

// list counts all shortest counterexamples, and describes the first of them, also if the work is
// stopped after counting. If it is known that no counterexample is shorter, not even in the product
// with a nondeterministic automaton of the formula, they have their minimality.
func (a *Analysis) list(ctx context.Context, o Options, found *outcome) {
	defer a.phase("list")()
	family := abort.Must(counterexample.All(ctx, a.m, a.Property, a.known(o)))
	found.all = &All{Count: number{abort.Must(family.Count(ctx))}, Listed: []*Counterexample{}}
	minimal := family.Minimal()
	if found.run.described.Minimal == counterexample.MinimalUnknown {
		minimal = counterexample.MinimalUnknown
	}
	for t, err := range family.Each(ctx) {
		abort.On(err)
		if len(found.all.Listed) == o.List {
			break
		}
		found.all.Listed = append(found.all.Listed, describeTrace(ctx, a, t, minimal))
	}
}

// AutomatonSearch is a search for a counterexample in the product automaton of model and property,
// as model checkers for linear time perform it. Package buchi has such searches, as FindInModel.
//
// If the search promises a shortest run of the automaton, [Check] also searches for a shortest run
// of the model, and reports whether the two have the same length; Check does neither if the search
// promises nothing, or was stopped.
type AutomatonSearch struct {
	// Find returns a counterexample, nil if it finds none, and the counts of the search.
	Find func(ctx context.Context, m *lts.LTS, p *property.Property) (*counterexample.Trace, counterexample.Stats, error)
	// Bound, if it is positive, is a number of states: the counterexamples of Find have fewer. If
	// there is none, Unbounded returns another one, and its NoneBelow is the bound.
	Bound     int
	Unbounded func(ctx context.Context, m *lts.LTS, p *property.Property) (*counterexample.Trace, counterexample.Stats, error)
	// Shortest reports whether Find returns a shortest counterexample of the automaton.
	Shortest bool
	// Anytime reports whether a counterexample is a result if Find returns it together with the
	// error of its context. The error is then dropped.
	Anytime bool
}

// searchAutomaton searches for a counterexample in the product automaton.
func (a *Analysis) searchAutomaton(ctx context.Context, o *AutomatonSearch, found *outcome) {
	trace, complete, noneBelow := a.findInAutomaton(ctx, o, found)
	if trace == nil {
		return
	}
	found.verdict = Violated
	found.describe(context.WithoutCancel(ctx), trace, counterexample.MinimalUnknown)
	if noneBelow && !complete {
		found.run.described.NoneBelow = o.Bound
	}
	if !complete || !o.Shortest {
		return
	}
	shorter, whole, err := a.joined().Shorter(ctx, a.m, trace, defaultLimit(a.m, a.Property))
	abort.On(err)
	if !whole {
		return // shortest only in the product with the deterministic automaton
	}
	if shorter != nil {
		trace, found.stats.Length = shorter, shorter.Len()+1
		found.describe(context.WithoutCancel(ctx), trace, counterexample.MinimalUnknown)
	}
	// Do not call the run shortest yet: a shortest run of the model may be shorter.
	found.run.described.Minimal = counterexample.InProduct
	defer a.phase("compare")()
	shortest, err := counterexample.Shortest(ctx, a.m, a.Property, counterexample.Options{Components: a.Components})
	// A bad prefix is the shortest of its kind, but says nothing about the length of complete runs.
	if err == nil && shortest.Minimal == counterexample.InModel && shortest.Trace.Kind() != counterexample.Prefix && trace.Len() == shortest.Trace.Len() {
		found.run.described.setMinimal(counterexample.InModel)
	}
	if !o.Anytime || ctx.Err() == nil {
		abort.On(err)
	}
}

// findInAutomaton performs the search, and reports whether it was complete, and whether it has shown
// that no counterexample is below the bound.
func (a *Analysis) findInAutomaton(ctx context.Context, o *AutomatonSearch, found *outcome) (trace *counterexample.Trace, complete, noneBelow bool) {
	defer a.phase("search")()
	found.stats = new(counterexample.Stats)
	var err error
	trace, *found.stats, err = o.Find(ctx, a.m, a.Property)
	if err != nil && ctx.Err() != nil && o.Anytime && trace != nil {
		found.warnings = append(found.warnings, "the search was stopped before its end: there may be a shorter counterexample")
		return trace, false, false
	}
	abort.On(err)
	if trace != nil || o.Bound <= 0 {
		return trace, true, false
	}
	// The verdict does not depend on the bound.
	trace, *found.stats, err = o.Unbounded(ctx, a.m, a.Property)
	abort.On(err)
	return trace, found.stats.Length == o.Bound, true
}

// Faults is the number of faults that a violation takes. Faults are labels that match some
// patterns.
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
	// LostAfter is the smallest number of faults after which the property can no longer hold, if
	// that is less than Least, or Least is nil; nil otherwise.
	LostAfter *int `json:"lost_after,omitempty"`
	// Fewest reports whether the counterexample has the fewest faults, and is shortest among the
	// runs with as many faults.
	Fewest bool `json:"fewest,omitzero"`
}

// faultsOf reports which labels are faults: those that match a pattern.
func faultsOf(a *lts.Alphabet, patterns []actl.Pattern) func(lts.Label) bool {
	is := make([]bool, a.Len())
	for l, text := range a.All() {
		is[l] = slices.ContainsFunc(patterns, func(p actl.Pattern) bool { return p.Matches(text) })
	}
	return func(l lts.Label) bool { return is[l] }
}

// leastFaults finds out how many faults a violation takes.
func leastFaults(ctx context.Context, fates *fate.Map, patterns []actl.Pattern) *Faults {
	texts := make([]string, len(patterns))
	for i, p := range patterns {
		texts[i] = p.String()
	}
	f := &Faults{Patterns: strings.Join(texts, ", "), Number: len(texts)}
	if fates.Holds() {
		return f
	}
	found := abort.Must(faults.Least(ctx, fates, faultsOf(fates.LTS().Alphabet(), patterns)))
	if f.OnlyForEver = !found.Finite; found.Finite {
		f.Least = &found.Least
	}
	if found.Loses && (!found.Finite || found.Lost < found.Least) {
		f.LostAfter = &found.Lost
	}
	return f
}

// LeastFaults returns the number of faults that a violation takes, where labels that match some
// patterns are faults; for results of [Explain]. It fails if ctx is done. Cost as for a search in
// the product.
func (e *Explanation) LeastFaults(ctx context.Context, patterns []actl.Pattern) (_ *Faults, err error) {
	defer abort.Caught(&err)
	return leastFaults(ctx, e.found.types.Fates(), patterns), nil
}

// searchFewest searches for a shortest counterexample among those with the fewest faults.
func (a *Analysis) searchFewest(ctx context.Context, o Options, of *Faults, found *outcome) {
	a.searchShortest(ctx, o, found)
	if of.Least == nil || found.run.trace == nil {
		return
	}
	// For another property, a bad prefix with the fewest faults may be shorter than this run.
	settled := a.Property.Steps() > 0 || found.run.trace.Kind() == counterexample.Prefix
	// The number of faults on the run, if it is finite.
	t, isFault, n, finite := found.run.trace, faultsOf(a.Property.Alphabet(), o.Faults), 0, true
	start, loops := t.LoopStart()
	for i := range t.Len() {
		if isFault(t.Step(i).Label) {
			n, finite = n+1, finite && !(loops && i >= start)
		}
	}
	if finite && n == *of.Least {
		found.fewest = found.run.described.Minimal != counterexample.MinimalUnknown
		if settled {
			return
		}
	}
	few := a.outcome()
	err := abort.Try(func() {
		a.countedSearch(ctx, &few, func() (*counterexample.Result, error) {
			m, lower := a.m, func(steps []lts.Transition) []lts.Transition { return steps }
			p := abort.Must(faults.OrMoreFaults(ctx, a.Property, isFault, *of.Least))
			if p == nil {
				var err error
				m, lower, err = faults.WithFewFaults(ctx, a.Fates, isFault, *of.Least)
				abort.On(err)
				p = a.Property
			}
			limit := cmp.Or(o.Limit, defaultLimit(m, p))
			r, err := counterexample.Shortest(ctx, m, p, counterexample.Options{Engine: o.Engine, Limit: limit, Prefixes: true})
			if err != nil || r.Trace == nil {
				return r, err
			}
			// The loop of a chain with several steps need not close in the product.
			inModel := r.Minimal == counterexample.InModel && m == a.m
			few.fewest = inModel || r.Minimal != counterexample.MinimalUnknown && a.Property.Steps() < 2
			// The run violates the property or has too many faults, which is excluded.
			loop, _ := r.Trace.LoopStart()
			r.Minimal, r.Trace = counterexample.MinimalUnknown, abort.Must(r.Trace.Like(a.m, a.Property, lower(r.Trace.Steps()), loop))
			return r, nil
		})
	})
	if few.run.trace != nil && (!found.fewest || few.run.trace.Len() < found.run.trace.Len()) {
		few.warnings = found.warnings
		*found = few
	}
	abort.On(err)
}
