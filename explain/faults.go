package explain

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain/internal/variation"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// Faults reports how many of certain actions a violation takes.
type Faults struct {
	Patterns string `json:"patterns"`
	// Number is how many patterns there are.
	Number int `json:"-"`
	// Least is the smallest number of them on a run that violates the property; nil if there is
	// none, or all of them have infinitely many.
	Least *int `json:"least"`
	// OnlyForEver reports whether the property is violated, but only by runs with infinitely
	// many.
	OnlyForEver bool `json:"only_for_ever"`
	// LostAfter is the smallest number after which the property can no longer hold, where that
	// is less than Least, or Least is nil; nil elsewhere.
	LostAfter *int `json:"lost_after,omitempty"`
	// Fewest reports whether the counterexample has no more of them than it takes, and is a
	// shortest of those.
	Fewest bool `json:"fewest,omitzero"`
}

// faultsOf returns which labels are faults.
func faultsOf(a *lts.Alphabet, patterns []actl.Pattern) func(lts.Label) bool {
	is := make([]bool, a.Len())
	for l, text := range a.All() {
		is[l] = slices.ContainsFunc(patterns, func(p actl.Pattern) bool { return p.Matches(text) })
	}
	return func(l lts.Label) bool { return is[l] }
}

// leastFaults finds out how many faults a violation takes.
func leastFaults(ctx context.Context, fates *fate.Map, patterns []actl.Pattern) (*Faults, error) {
	texts := make([]string, len(patterns))
	for i, p := range patterns {
		texts[i] = p.String()
	}
	f := &Faults{Patterns: strings.Join(texts, ", "), Number: len(texts)}
	if fates.Holds() {
		return f, nil
	}
	found, err := variation.LeastFaults(ctx, fates, faultsOf(fates.LTS().Alphabet(), patterns))
	if err != nil {
		return nil, err
	}
	if f.OnlyForEver = !found.Finite; found.Finite {
		f.Least = &found.Least
	}
	if found.Loses && (!found.Finite || found.Lost < found.Least) {
		f.LostAfter = &found.Lost
	}
	return f, nil
}

// LeastFaults returns how many of the labels of some patterns a violation takes, of the result
// of [Explain]. It fails if ctx is done. Cost as for a search in the product of model and
// property.
func (e *Explanation) LeastFaults(ctx context.Context, patterns []actl.Pattern) (*Faults, error) {
	return leastFaults(ctx, e.found.types.Fates(), patterns)
}

// searchFewest looks for a shortest counterexample among those with the fewest faults.
func (a *Analysis) searchFewest(ctx context.Context, o Options, faults *Faults) (outcome, error) {
	shortest, err := a.searchShortest(ctx, o)
	if err != nil || faults.Least == nil || shortest.run.trace == nil {
		return shortest, err
	}
	if n, finite := a.faultsOn(shortest.run.trace, o.Faults); finite && n == *faults.Least {
		shortest.fewest = shortest.run.told.Minimal != counterexample.MinimalUnknown
		return shortest, nil
	}
	var fewest bool
	var stats *counterexample.Stats
	found, err := a.search(ctx, func() (*counterexample.Result, error) {
		found, run, err := a.fewestOf(ctx, o, *faults.Least)
		if err != nil || found.Trace == nil {
			return found, err
		}
		stats = &found.Stats
		// A loop of a chain of several steps need not close in the product.
		fewest = found.Minimal == counterexample.InModel || found.Minimal == counterexample.InProduct && a.Property.Steps() < 2
		found.Minimal = counterexample.MinimalUnknown
		found.Trace, err = a.asViolation(found.Trace, run)
		return found, err
	})
	if found.run.trace == nil {
		return shortest, err
	}
	found.fewest, found.stats, found.warnings = fewest, stats, shortest.warnings
	return found, err
}

// fewestOf looks for a shortest of the runs with the fewest faults, and returns its transitions in the
// model.
func (a *Analysis) fewestOf(ctx context.Context, o Options, least int) (*counterexample.Result, []lts.Transition, error) {
	isFault := faultsOf(a.Property.Alphabet(), o.Faults)
	m, lower := a.m, func(steps []lts.Transition) []lts.Transition { return steps }
	p, err := variation.OrMoreFaults(ctx, a.Property, isFault, least)
	if err == nil && p == nil {
		var few *variation.FewFaults
		if few, err = variation.WithFewFaults(ctx, a.Fates, isFault, least); err == nil {
			m, p, lower = few.Model, a.Property, few.Run
		}
	}
	if err != nil {
		return &counterexample.Result{}, nil, err
	}
	limit := cmp.Or(o.Limit, defaultLimit(m, p))
	found, err := counterexample.Shortest(ctx, m, p, counterexample.Options{Engine: o.Engine, Limit: limit})
	if err != nil || found.Trace == nil {
		return found, nil, err
	}
	if m != a.m && found.Minimal == counterexample.InModel {
		found.Minimal = counterexample.InProduct
	}
	return found, lower(found.Trace.Steps()), nil
}

// faultsOn returns how many faults a run has, and whether they are finitely many.
func (a *Analysis) faultsOn(t *counterexample.Trace, patterns []actl.Pattern) (n int, finite bool) {
	isFault := faultsOf(a.Property.Alphabet(), patterns)
	start, loops := t.LoopStart()
	for i := range t.Len() {
		if !isFault(t.Step(i).Label) {
			continue
		}
		if n++; loops && i >= start {
			return 0, false
		}
	}
	return n, true
}

// asViolation returns a run that violates the property or has too many faults, and does not
// have too many, as one that violates the property, with these transitions.
func (a *Analysis) asViolation(t *counterexample.Trace, steps []lts.Transition) (*counterexample.Trace, error) {
	m := a.Components.LTS()
	if t.Kind() == counterexample.Prefix {
		return counterexample.NewPrefix(m, a.Property, steps)
	}
	loop, loops := t.LoopStart()
	if !loops {
		loop = -1
	}
	return counterexample.NewViolating(m, a.Property, steps, loop)
}
