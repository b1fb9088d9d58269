package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Search says which counterexample is explained. The zero value is for a
// shortest one, always the same.
type Search struct {
	// Prefer chooses among all shortest counterexamples.
	Prefer Preference
	// Pattern, where it is not nil, asks for a shortest counterexample among those
	// that do these steps in this order (see [counterexample.Containing]).
	Pattern *actl.Formula
	// Given, where it is not nil, is a counterexample from elsewhere that is to be
	// explained: it is matched against the model as MatchOptions say.
	Given        *counterexample.Given
	MatchOptions counterexample.MatchOptions
	// File is the name of the given counterexample in errors.
	File string
}

// Preference is a choice among all shortest counterexamples.
type Preference int

// The preferences.
const (
	AnyShortest     Preference = iota
	FewestDecisions            // one that passes the fewest neighbourhoods
	MostDecisions              // one that passes the most neighbourhoods
)

// ParsePreference returns the preference with this name: any, fewest or most.
func parsePreference(name string) (Preference, error) {
	switch name {
	case "any":
		return AnyShortest, nil
	case "fewest":
		return FewestDecisions, nil
	case "most":
		return MostDecisions, nil
	}
	return 0, fmt.Errorf("there is no choice %q; choose any, fewest or most", name)
}

// ErrNoPattern tells that no counterexample does the steps that were asked for.
var ErrNoPattern = errors.New("no counterexample does these steps in this order; ask for fewer of them, or in another order")

// choose finds the counterexample to be explained; there is none where the
// property holds.
func (e *Explanation) choose(ctx context.Context, a *Analysis, o Options) error {
	s := o.Search
	switch {
	case a.fairness != nil:
		return e.searchFair(ctx, a)
	case s.Given != nil:
		return e.match(ctx, a, s)
	case a.Fates.Holds():
		return nil
	case s.Pattern != nil:
		pattern, warnings, err := bindPattern(ctx, s.Pattern, e.lts)
		if err != nil {
			return err
		}
		e.Warnings = append(e.Warnings, warnings...)
		e.pattern = s.Pattern
		return e.search(ctx, a, func() (*counterexample.Result, error) {
			options := a.known(o)
			options.Limit = o.Limit
			found, err := counterexample.Containing(ctx, a.Components.LTS(), a.Property, pattern, options)
			if err == nil && found.Trace == nil {
				err = fmt.Errorf("pattern %s: %w", s.Pattern, ErrNoPattern)
			}
			return found, err
		})
	case s.Prefer != AnyShortest:
		return e.searchBest(ctx, a, o)
	}
	return e.searchShortest(ctx, a, o)
}

// searchBest looks for the counterexample that is preferred among all shortest ones.
func (e *Explanation) searchBest(ctx context.Context, a *Analysis, o Options) error {
	return e.search(ctx, a, func() (*counterexample.Result, error) {
		all, err := counterexample.All(ctx, a.Components.LTS(), a.Property, a.known(o))
		if err != nil {
			return nil, err
		}
		decisions := func(s lts.State) int {
			if a.Classification.Has(s) {
				return 1
			}
			return 0
		}
		best, err := all.Best(ctx, decisions, o.Search.Prefer == MostDecisions)
		return &counterexample.Result{Trace: best, Minimal: all.Minimal()}, err
	})
}

// known returns options for searches with all that the analysis knows already.
func (a *Analysis) known(o Options) counterexample.Options {
	return counterexample.Options{Components: a.Components, Fates: a.Fates, Engine: o.Engine}
}

// AllShortest returns all shortest counterexamples of the model itself, for an explanation
// that has classes of it, of a property that is violated. Errors and cost as for
// [counterexample.All].
func (e *Explanation) AllShortest(ctx context.Context) (counterexample.Family, error) {
	f := e.Classification().Fates()
	return counterexample.All(ctx, f.LTS(), f.Property(), counterexample.Options{Components: f.Components(), Fates: f})
}

// searchFair looks for a run that counts and violates the property.
func (e *Explanation) searchFair(ctx context.Context, a *Analysis) error {
	if a.Fates.Holds() {
		return nil
	}
	err := e.search(ctx, a, func() (*counterexample.Result, error) {
		found, err := counterexample.Fair(ctx, a.Fates)
		if err == nil {
			e.Stats = &found.Stats
		}
		return found, err
	})
	if err != nil || e.trace == nil || e.trace.Kind() != counterexample.Trap {
		return err
	}
	e.Counterexample.Trap, err = e.describeTrap(ctx, a)
	return err
}

// describeTrap describes what can still happen where the run ends, at which the property
// is lost.
func (e *Explanation) describeTrap(ctx context.Context, a *Analysis) (*Trap, error) {
	end := e.trace.Last()
	if !a.inSteps() {
		return e.describeTrapInProduct(ctx, a)
	}
	done := e.trace.Progress(e.trace.Len())
	furthest, err := furthestProgress(ctx, a.Fates, end, done)
	if err != nil {
		return nil, err
	}
	t := &Trap{First: done + 1, Step: furthest + 1}
	met := bitset.New[lts.State](e.lts.NumStates())
	met.Add(end)
	labels := bitset.New[lts.Label](e.lts.Alphabet().Len())
	for open := []lts.State{end}; len(open) > 0; {
		if t.States++; t.States&(1<<14-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s := open[len(open)-1]
		open = open[:len(open)-1]
		out, targets := e.lts.Out(s)
		for i, to := range targets {
			if !a.Fates.AdmitsFrom(to, a.Property.Initial()) {
				continue
			}
			labels.Add(out.At(i))
			if !met.Has(to) {
				met.Add(to)
				open = append(open, to)
			}
		}
	}
	for l := range labels.All {
		t.Labels = append(t.Labels, e.text(l))
	}
	return t, nil
}

// describeTrapInProduct is [Explanation.describeTrap] for a property that is no chain.
func (e *Explanation) describeTrapInProduct(ctx context.Context, a *Analysis) (*Trap, error) {
	u, _ := a.Fates.Unfolding()
	end, _ := u.Find(product.Place{State: e.trace.Last(), Q: e.trace.At(e.trace.Len())})
	states := bitset.New[lts.State](e.lts.NumStates())
	labels := bitset.New[lts.Label](e.lts.Alphabet().Len())
	met := bitset.New[lts.State](u.LTS().NumStates())
	met.Add(end)
	t := &Trap{}
	for open, looks := []lts.State{end}, 1; len(open) > 0; looks++ {
		if looks&(1<<14-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s := open[len(open)-1]
		open = open[:len(open)-1]
		if at := u.Place(s).State; !states.Has(at) {
			states.Add(at)
			t.States++
		}
		out, targets := u.LTS().Out(s)
		for i, to := range targets {
			if at := u.Place(to); !a.Fates.AdmitsFrom(at.State, at.Q) {
				continue
			}
			labels.Add(out.At(i))
			if !met.Has(to) {
				met.Add(to)
				open = append(open, to)
			}
		}
	}
	for l := range labels.All {
		t.Labels = append(t.Labels, e.text(l))
	}
	return t, nil
}

// searchShortest looks for a shortest counterexample, as far as the options allow.
func (e *Explanation) searchShortest(ctx context.Context, a *Analysis, o Options) error {
	err := e.search(ctx, a, func() (*counterexample.Result, error) {
		options := a.known(o)
		options.Limit = cmp.Or(o.Limit, defaultLimit(e.lts, a.Property))
		found, err := counterexample.Shortest(ctx, e.lts, a.Property, options)
		if err == nil {
			e.Stats = &found.Stats
		}
		return found, err
	})
	if err == nil && e.trace != nil && e.Counterexample.Minimal == counterexample.MinimalUnknown {
		e.Warnings = append(e.Warnings, fmt.Sprintf("the search was stopped at its limit of %d visits to states: there may be a shorter counterexample", cmp.Or(o.Limit, defaultLimit(e.lts, a.Property))))
	}
	return err
}

// bindPattern binds the steps that a run is to do. A step that no label of the
// model does is an error here, for no run could do it; a part of one, a warning.
func bindPattern(ctx context.Context, pattern *actl.Formula, m *lts.LTS) (*property.Property, []string, error) {
	p, warnings, err := pattern.Bind(ctx, m.Alphabet())
	if err != nil {
		return nil, nil, err
	}
	if p.Steps() == 0 {
		return nil, nil, property.NotChainError{Property: p.String(), What: "a pattern that a run does"}
	}
	for i := 1; i <= p.Steps(); i++ {
		if len(p.Step(i).Labels) == 0 {
			return nil, nil, fmt.Errorf("pattern %s: %s", pattern, warnings[0])
		}
	}
	return p, warnings, nil
}

// search looks for a counterexample, and gives the verdict by whether there is one.
func (e *Explanation) search(ctx context.Context, a *Analysis, find func() (*counterexample.Result, error)) error {
	return a.phase("search", func() error {
		found, err := find()
		if found != nil && (found.Violated || found.Trace != nil) {
			e.Verdict = Violated
		}
		if found == nil || found.Trace == nil {
			return err
		}
		e.trace = found.Trace
		if err != nil {
			// The search was stopped, and this is a run that it had found.
			return e.tellAsStopped(ctx, a, err)
		}
		e.Counterexample, err = e.describeTrace(ctx, a, e.trace, found.Minimal)
		return err
	})
}

// match takes the counterexample from the trace that was given.
func (e *Explanation) match(ctx context.Context, a *Analysis, s Search) error {
	return a.phase("match", func() error {
		trace, note, err := counterexample.Match(ctx, a.Fates, s.Given, s.MatchOptions)
		if err != nil {
			return fmt.Errorf("%s: %w", s.File, err)
		}
		minimal, err := minimalityOf(ctx, a, trace)
		if err != nil {
			return err
		}
		e.trace, e.Verdict = trace, Violated
		if e.Counterexample, err = e.describeTrace(ctx, a, e.trace, minimal); err != nil {
			return err
		}
		e.Counterexample.Given = true
		e.Counterexample.Notes = note.Sentences()
		return nil
	})
}

// minimalityOf reports whether a run that was given is as short as a shortest one.
func minimalityOf(ctx context.Context, a *Analysis, given *counterexample.Trace) (counterexample.Minimality, error) {
	known := counterexample.Options{Components: a.Components, Fates: a.Fates}
	shortest, err := counterexample.Shortest(ctx, a.Components.LTS(), a.Property, known)
	if err != nil || given.Len() != shortest.Trace.Len() {
		return counterexample.MinimalUnknown, err
	}
	return shortest.Minimal, nil
}

// list counts all shortest counterexamples, and describes the first of them.
func (e *Explanation) list(ctx context.Context, a *Analysis, o Options) error {
	family, err := counterexample.All(ctx, a.Components.LTS(), a.Property, a.known(o))
	if err != nil {
		return err
	}
	count, err := family.Count(ctx)
	if err != nil {
		return err
	}
	e.All = &All{Count: Count{count}, Listed: []*Counterexample{}}
	for t, err := range family.Each(ctx) {
		if err != nil {
			return err
		}
		if len(e.All.Listed) == o.List {
			break
		}
		described, err := e.describeTrace(ctx, a, t, family.Minimal())
		if err != nil {
			return err
		}
		e.All.Listed = append(e.All.Listed, described)
	}
	return nil
}
