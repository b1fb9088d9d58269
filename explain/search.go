package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
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

// isPlain reports whether any shortest counterexample is explained.
func (s Search) isPlain() bool { return s.Prefer == anyShortest && s.Pattern == nil && s.Given == nil }

// Preference is a choice among all shortest counterexamples: "fewest" for one that passes
// the fewest neighbourhoods, "most" for one that passes the most, "" for any.
type Preference string

const (
	anyShortest     Preference = ""
	fewestDecisions Preference = "fewest"
	mostDecisions   Preference = "most"
)

// parsePreference returns the preference with this name: any, fewest or most.
func parsePreference(name string) (Preference, error) {
	switch p := Preference(name); p {
	case "any":
		return anyShortest, nil
	case fewestDecisions, mostDecisions:
		return p, nil
	}
	return anyShortest, fmt.Errorf("there is no choice %q; choose any, fewest or most", name)
}

// errNoPattern reports that no counterexample does the steps that were asked for.
var errNoPattern = errors.New("no counterexample does these steps in this order; ask for fewer of them, or in another order")

// choose finds the counterexample to be explained; there is none if the property holds. A
// violation takes these faults, nil if that was not asked.
func (a *Analysis) choose(ctx context.Context, o Options, faults *Faults) (outcome, error) {
	s := o.Search
	switch {
	case a.fairness != nil:
		return a.searchFair(ctx)
	case s.Given != nil:
		return a.match(ctx, s)
	case a.Fates.Holds():
		return a.outcome(), nil
	case s.Pattern != nil:
		return a.searchPattern(ctx, o)
	case s.Prefer != anyShortest:
		return a.searchBest(ctx, o)
	case faults != nil:
		return a.searchFewest(ctx, o, faults)
	}
	return a.searchShortest(ctx, o)
}

// searchPattern looks for a run that does the steps that were asked for.
func (a *Analysis) searchPattern(ctx context.Context, o Options) (outcome, error) {
	asked := o.Search.Pattern
	pattern, warnings, err := bindPattern(ctx, asked, a.m)
	if err != nil {
		return a.outcome(), err
	}
	found, err := a.search(ctx, func() (*counterexample.Result, error) {
		options := a.known(o)
		options.Limit = o.Limit
		found, err := counterexample.Containing(ctx, a.m, a.Property, pattern, options)
		if err == nil && found.Trace == nil {
			err = fmt.Errorf("pattern %s: %w", asked, errNoPattern)
		}
		return found, err
	})
	found.pattern, found.warnings = asked, warnings
	return found, err
}

// searchBest looks for the counterexample that is preferred among all shortest ones.
func (a *Analysis) searchBest(ctx context.Context, o Options) (outcome, error) {
	return a.search(ctx, func() (*counterexample.Result, error) {
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
		best, err := all.Best(ctx, decisions, o.Search.Prefer == mostDecisions)
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
func (a *Analysis) searchFair(ctx context.Context) (outcome, error) {
	if a.Fates.Holds() {
		return a.outcome(), nil
	}
	found, err := a.countedSearch(ctx, func() (*counterexample.Result, error) { return counterexample.Fair(ctx, a.Fates) })
	if err != nil || found.run.trace == nil || found.run.trace.Kind() != counterexample.Trap {
		return found, err
	}
	found.run.told.Trap, err = found.run.describeTrap(ctx)
	return found, err
}

// describeTrap describes what can still happen where the run ends, at which the property
// is lost.
func (v violation) describeTrap(ctx context.Context) (*Trap, error) {
	a, end := v.a, v.trace.Last()
	if !a.inSteps() {
		return v.describeTrapInProduct(ctx)
	}
	done := v.trace.Progress(v.trace.Len())
	furthest, err := furthestProgress(ctx, a.Fates, end, done)
	if err != nil {
		return nil, err
	}
	t := &Trap{First: done + 1, Step: furthest + 1}
	met := bitset.New[lts.State](a.m.NumStates())
	met.Add(end)
	labels := bitset.New[lts.Label](a.m.Alphabet().Len())
	for open := []lts.State{end}; len(open) > 0; {
		if t.States++; t.States&(1<<14-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s := open[len(open)-1]
		open = open[:len(open)-1]
		out, targets := a.m.Out(s)
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
		t.Labels = append(t.Labels, a.text(l))
	}
	return t, nil
}

// describeTrapInProduct is describeTrap for a property that is no chain.
func (v violation) describeTrapInProduct(ctx context.Context) (*Trap, error) {
	a := v.a
	u, err := a.Fates.Unfold(ctx)
	if err != nil {
		return nil, err
	}
	end, _ := u.Find(product.Place{State: v.trace.Last(), Q: v.trace.At(v.trace.Len())})
	states := bitset.New[lts.State](a.m.NumStates())
	labels := bitset.New[lts.Label](a.m.Alphabet().Len())
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
		t.Labels = append(t.Labels, a.text(l))
	}
	return t, nil
}

// searchShortest looks for a shortest counterexample, as far as the options allow.
func (a *Analysis) searchShortest(ctx context.Context, o Options) (outcome, error) {
	options := a.known(o)
	options.Limit = cmp.Or(o.Limit, defaultLimit(a.m, a.Property))
	found, err := a.countedSearch(ctx, func() (*counterexample.Result, error) {
		if o.List > 0 { // the list is of runs that are shortest in the product
			return counterexample.Shortest(ctx, a.m, a.Property, options)
		}
		return a.shortest(ctx, options)
	})
	if err == nil && found.run.trace != nil && found.run.told.Minimal == counterexample.MinimalUnknown {
		found.warnings = append(found.warnings, fmt.Sprintf("the search was stopped at its limit of %d visits to states: there may be a shorter counterexample", options.Limit))
	}
	return found, err
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

// search looks for a counterexample, and gives the verdict by whether there is one. If it is
// stopped, the outcome has the run that it had found.
func (a *Analysis) search(ctx context.Context, find func() (*counterexample.Result, error)) (outcome, error) {
	o := a.outcome()
	err := a.phase("search", func() error {
		found, err := find()
		if found != nil && (found.Violated || found.Trace != nil) {
			o.verdict = Violated
		}
		if found == nil || found.Trace == nil {
			return err
		}
		if err != nil {
			o.run, _ = a.describeFound(context.WithoutCancel(ctx), found.Trace, counterexample.MinimalUnknown)
			return err
		}
		o.run, err = a.describeFound(ctx, found.Trace, found.Minimal)
		return err
	})
	return o, err
}

// countedSearch is a search that comes to its end with statistics.
func (a *Analysis) countedSearch(ctx context.Context, find func() (*counterexample.Result, error)) (outcome, error) {
	var stats *counterexample.Stats
	o, err := a.search(ctx, func() (*counterexample.Result, error) {
		found, err := find()
		if err == nil {
			stats = &found.Stats
		}
		return found, err
	})
	o.stats = stats
	return o, err
}

// match takes the counterexample from the trace that was given.
func (a *Analysis) match(ctx context.Context, s Search) (outcome, error) {
	o := a.outcome()
	err := a.phase("match", func() error {
		trace, note, err := counterexample.Match(ctx, a.Fates, s.Given, s.MatchOptions)
		if err != nil {
			return fmt.Errorf("%s: %w", s.File, err)
		}
		minimal, err := minimalityOf(ctx, a, trace)
		if err != nil {
			return err
		}
		o.verdict = Violated
		if o.run, err = a.describeFound(ctx, trace, minimal); err != nil {
			return err
		}
		o.run.told.Given, o.run.told.Notes = true, note.Sentences()
		return nil
	})
	return o, err
}

// minimalityOf reports whether a run that was given is as short as a shortest one.
func minimalityOf(ctx context.Context, a *Analysis, given *counterexample.Trace) (counterexample.Minimality, error) {
	known := counterexample.Options{Components: a.Components, Fates: a.Fates}
	shortest, err := counterexample.Shortest(ctx, a.m, a.Property, known)
	if err != nil || given.Len() != shortest.Trace.Len() {
		return counterexample.MinimalUnknown, err
	}
	return shortest.Minimal, nil
}

// list counts all shortest counterexamples, and describes the first of them: also if it is
// stopped after it has counted them.
func (a *Analysis) list(ctx context.Context, o Options) (*All, error) {
	family, err := counterexample.All(ctx, a.m, a.Property, a.known(o))
	if err != nil {
		return nil, err
	}
	count, err := family.Count(ctx)
	if err != nil {
		return nil, err
	}
	all := &All{Count: number{count}, Listed: []*Counterexample{}}
	for t, err := range family.Each(ctx) {
		if err != nil {
			return all, err
		}
		if len(all.Listed) == o.List {
			break
		}
		described, err := a.describeTrace(ctx, t, family.Minimal())
		if err != nil {
			return all, err
		}
		all.Listed = append(all.Listed, described)
	}
	return all, nil
}
