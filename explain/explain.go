// Package explain is the main job as one call: from an LTS and a formula to an
// [Explanation], which holds every result of one run.
//
// The invariant that holds inside: an Explanation is made once, of the parts that the phases
// of a run have found, and never changes. Its exported fields are plain data with the
// model's own state numbers and label texts; what could be as large as the model
// (the neighbourhoods with their transitions and paths) is made when asked for.
package explain

import (
	"context"
	"slices"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/format/specification"
	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Schema names the version of the data that an Explanation holds.
const Schema = "inev.explanation/3"

// Phase is a part of a run and the time it took.
type Phase struct {
	Name string
	Took time.Duration
}

// Analysis is an LTS with a property bound to it, enriched, its transitions
// typed and its neighbourhoods found: all that is computed without looking for
// a counterexample.
type Analysis struct {
	Formula        property.Formula
	Property       *property.Property
	Components     *scc.Components
	Fates          *fate.Map
	Classification *neighbourhood.Classification
	// Unfolding is nil if the model itself was analysed.
	Unfolding *product.Unfolding
	// Warnings are the warnings of the options, then warnings about the formula.
	Warnings []string
	// Phases are the phases of the options, then phases of the analysis.
	Phases []Phase

	// m is the model or, if that was analysed, the unfolded one.
	m *lts.LTS
	// files are the files of the specification, nil if they are not known.
	files *specification.Files
	// states has the values of states, nil if there are none.
	states *states.Table
	// fairness decides which runs count; nil if all do.
	fairness *property.Fairness
	// ahead finds the fairness that would make the property hold while all else is found; nil if it is
	// found in its turn.
	ahead *fairnessAhead
}

// inSteps reports whether the property is one of steps that have to be done, a chain: of which
// results tell the progress, where they tell of others what is pending. Cost O(1).
func (a *Analysis) inSteps() bool { return a.Property.Steps() > 0 }

// Analyse binds f to m, enriches the states and types the transitions, those of
// the unfolded model where the options say so. It fails if ctx is done, and
// where the engine of o cannot take the model. Cost O(n (S + T)).
func Analyse(ctx context.Context, m *lts.LTS, f property.Formula, o Options) (*Analysis, error) {
	o.Search, o.List, o.InAutomaton = Search{}, 0, nil
	m, _, err := WithValues(ctx, m, f, &o.Source)
	if err != nil {
		return nil, err
	}
	return analyse(ctx, m, f, o)
}

func analyse(ctx context.Context, m *lts.LTS, f property.Formula, o Options) (a *Analysis, err error) {
	if a, err = prepare(ctx, m, f, o); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			a.ahead.end()
			a = nil
		}
	}()
	if o.Unfold && a.inSteps() {
		if err = a.unfold(ctx); err != nil {
			return a, err
		}
	}
	enriching := a.enriching(o)
	if chain, is := a.Property.Chain(); is {
		defer enriching.Begin(ctx, a.m, chain)()
	}
	if err := a.findComponents(ctx, o); err != nil {
		return a, err
	}
	if err := a.findFates(ctx, enriching); err != nil {
		return a, err
	}
	if o.fairnessAhead && a.fairness == nil && a.inSteps() && !a.Fates.Holds() {
		a.ahead = a.fairnessBeside(ctx, o)
	}
	if o.Unfold && !a.inSteps() {
		if err := a.unfoldFates(ctx, a.Fates); err != nil {
			return a, err
		}
	}
	if err := a.classify(ctx, o); err != nil {
		return a, err
	}
	return a, a.warnOfAbsence(ctx, m)
}

// prepare binds the formula, as every question about a property begins.
func prepare(ctx context.Context, m *lts.LTS, f property.Formula, o Options) (*Analysis, error) {
	a := &Analysis{Formula: f, m: m, files: o.Specification, states: o.States}
	a.Phases = append(a.Phases, o.Before...)
	var warnings []string
	var err error
	labels := m.Alphabet()
	if !isChain(f) {
		if labels, err = m.Happening(ctx); err != nil {
			return nil, err
		}
	}
	if a.Property, warnings, err = f.Bind(ctx, labels); err != nil {
		return nil, err
	}
	var more []string
	if a.fairness, more, err = actl.BindAssumptions(ctx, o.Fair, m.Alphabet()); err != nil {
		return nil, err
	}
	warnings = append(warnings, more...)
	misfit, err := a.fairness.Misfit(ctx, m)
	if err != nil {
		return nil, err
	}
	if misfit != "" {
		warnings = append(warnings, misfit)
	}
	switch {
	case a.fairness == nil:
	case o.Search.Given != nil || o.Search.Pattern != nil || o.Search.Prefer != anyShortest || o.List > 0 || o.InAutomaton != nil:
		return nil, errFairSearch
	}
	a.Warnings = append(append(a.Warnings, o.Warnings...), warnings...)
	return a, nil
}

// isChain reports whether a formula is a chain whichever labels happen: then they need not be
// found before a search that may end early.
func isChain(f property.Formula) bool {
	chain, is := f.(interface{ IsChain() bool })
	return is && chain.IsChain()
}

// warnOfAbsence adds the warnings about labels that no run does, which a chain has been bound
// without. Cost as for [lts.LTS.Happening], and of binding where there are such labels.
func (a *Analysis) warnOfAbsence(ctx context.Context, m *lts.LTS) error {
	if !a.inSteps() {
		return nil
	}
	happening, err := m.Happening(ctx)
	if err != nil || happening == m.Alphabet() {
		return err
	}
	_, warnings, err := a.Formula.Bind(ctx, happening)
	for _, w := range warnings {
		if !slices.Contains(a.Warnings, w) {
			a.Warnings = append(a.Warnings, w)
		}
	}
	return err
}

func (a *Analysis) unfold(ctx context.Context) error {
	return a.phase("unfold", func() (err error) {
		progress.Start(ctx, "unfold", progress.Nothing, 0)
		if a.Unfolding, err = product.Unfold(ctx, a.m, a.Property); err == nil {
			a.m = a.Unfolding.LTS()
		}
		return err
	})
}

// unfoldFates makes the analysis one of the product by which fates were found.
func (a *Analysis) unfoldFates(ctx context.Context, folded *fate.Map) (err error) {
	if a.Unfolding, err = folded.Unfold(ctx); err != nil {
		return err
	}
	a.m = a.Unfolding.LTS()
	if a.Fates, err = folded.Unfolded(ctx); err == nil {
		a.Components = a.Fates.Components()
	}
	return err
}

func (a *Analysis) findComponents(ctx context.Context, o Options) error {
	return a.phase("components", func() (err error) {
		a.Components, err = scc.Find(ctx, a.m, o.Engine)
		return err
	})
}

// classify types the transitions.
func (a *Analysis) classify(ctx context.Context, o Options) error {
	return a.phase("classify", func() (err error) {
		progress.Start(ctx, "classify", progress.Nothing, 0)
		if a.Classification, err = neighbourhood.Classify(ctx, a.Fates, o.Reading); err != nil {
			return err
		}
		// Reports want to know it, and cannot be stopped while it is found.
		return a.Components.LTS().FindReachable(ctx)
	})
}

// enriching returns how states are enriched.
func (a *Analysis) enriching(o Options) enrich.Options {
	return enrich.Options{Queue: o.Queue, Fairness: a.fairness}
}

// findFates enriches the states.
func (a *Analysis) findFates(ctx context.Context, o enrich.Options) error {
	err := a.phase("enrich", func() (err error) {
		a.Fates, err = fate.Compute(ctx, a.Components, a.Property, o)
		return err
	})
	if err == nil && !a.Fates.Admits() {
		err = ErrNoRunCounts
	}
	return err
}

// Name returns how a state is shown: by its number, or as state·progress where
// the unfolded model was analysed.
func (a *Analysis) Name(s lts.State) string { return name(a.Unfolding, s) }

func (a *Analysis) text(l lts.Label) string { return a.m.Alphabet().Text(l) }

func (a *Analysis) phase(name string, run func() error) error {
	start := time.Now()
	err := run()
	a.Phases = append(a.Phases, Phase{name, time.Since(start)})
	return err
}

// Explain reports whether the property f holds in m, and if not, why: the main
// job. It fails if ctx is done, or if the engine of o cannot take the
// model; if the verdict is known by then, the Explanation is what [Check] would give of it, and
// the error a [*StoppedError]. Cost O(n (S + T)) and as for [counterexample.Shortest].
func Explain(ctx context.Context, m *lts.LTS, f property.Formula, o Options) (*Explanation, error) {
	o.List, o.InAutomaton = 0, nil
	m, _, err := WithValues(ctx, m, f, &o.Source)
	if err != nil {
		return nil, err
	}
	// What is still being looked for when something fails is not waited for long.
	ctx, stop := context.WithCancel(ctx)
	// The reachable part is found on another core, beside the components.
	reachable := make(chan error, 1)
	go func() { reachable <- m.FindReachable(ctx) }()
	defer func() {
		stop()
		<-reachable
	}()
	folded := o
	folded.Unfold = false
	folded.fairnessAhead = !o.NoFairness
	a, err := analyse(ctx, m, f, folded)
	if err != nil {
		return nil, err
	}
	defer a.ahead.end()
	p := newParts(a, o)
	if before, err := p.explain(ctx); err != nil {
		return p.stopped(ctx, a, before, err)
	}
	return p.explanation(), nil
}

// neighbourhoodsFound is what [Analysis.Neighbourhoods] returns.
type neighbourhoodsFound struct {
	found *Neighbourhoods
	err   error
}

// neighbourhoodsOf finds the neighbourhoods of an analysis on another core, beside
// the search for a counterexample: neither needs the other.
func neighbourhoodsOf(ctx context.Context, a *Analysis, o Options) <-chan neighbourhoodsFound {
	found := make(chan neighbourhoodsFound, 1)
	if o.NoPaths {
		found <- neighbourhoodsFound{found: &Neighbourhoods{m: a.Components.LTS(), types: a.Classification}}
		return found
	}
	go func() {
		n, err := a.Neighbourhoods(ctx)
		found <- neighbourhoodsFound{n, err}
	}()
	return found
}

// unfolded returns the analysis of the unfolded model. Of a property that is no chain all but
// the classes is known already.
func (a *Analysis) unfolded(ctx context.Context, o Options) (*Analysis, error) {
	u := &Analysis{m: a.m, files: a.files, states: a.states, Formula: a.Formula, Property: a.Property, fairness: a.fairness, Warnings: a.Warnings, Phases: a.Phases}
	if !a.inSteps() {
		if err := u.unfoldFates(ctx, a.Fates); err != nil {
			return nil, err
		}
		return u, u.classify(ctx, o)
	}
	if err := u.unfold(ctx); err != nil {
		return nil, err
	}
	if err := u.findComponents(ctx, o); err != nil {
		return nil, err
	}
	if err := u.findFates(ctx, u.enriching(o)); err != nil {
		return nil, err
	}
	return u, u.classify(ctx, o)
}
