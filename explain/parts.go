package explain

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/neighbourhood"
)

// parts are what the phases of [Explain] and [Check] find, each its own; what was not looked for
// is nil. At the end, the method explanation makes the Explanation of them: nothing else sets a
// field of one.
type parts struct {
	o Options
	// a is what is explained: the analysis of the model or, after that phase, of the unfolded one.
	a *Analysis

	model    Model
	property Property
	warnings []string
	found    outcome // of the search, in the model
	// run is the run of the outcome, in the model or the unfolded one.
	run         violation
	all         *All
	conjuncts   []Conjunct
	holds       *Holds
	faults      *Faults
	fairness    *Fairness
	forFairness fairnessLimits // bound its search
	advice      advice
	prevention  *Prevention
	folded      *Folded
	decided     decided
	diagnosis   *Diagnosis
	values      *Values
	vicinities  *Neighbourhoods
	// searched yields the neighbourhoods, which are found on another core.
	searched <-chan neighbourhoodsFound
}

// outcome is the result of a search: the verdict, and a run if the property is violated.
type outcome struct {
	verdict  Verdict
	run      violation
	pattern  *actl.Formula
	stats    *counterexample.Stats
	warnings []string
	// fewest reports whether the run has no more faults than a violation takes.
	fewest bool
}

// outcome returns the outcome of a search that finds nothing.
func (a *Analysis) outcome() outcome { return outcome{verdict: Satisfied, run: violation{a: a}} }

// newParts returns what is known before any search.
func newParts(a *Analysis, o Options) *parts {
	return &parts{
		o: o, a: a,
		model:       modelOf(a.m, o.File),
		property:    describeProperty(a),
		warnings:    append([]string{}, a.Warnings...),
		found:       a.outcome(),
		run:         violation{a: a},
		fairness:    asked(o.Fair),
		forFairness: defaultFairness,
		vicinities:  &Neighbourhoods{},
	}
}

// explanation makes the Explanation of the parts.
func (p *parts) explanation() *Explanation {
	return &Explanation{
		Model:           p.model,
		Property:        p.property,
		Verdict:         p.found.verdict,
		Warnings:        append(slices.Clip(p.warnings), p.advice.warnings...),
		Diagnosis:       p.diagnosis,
		Conjuncts:       p.conjuncts,
		Counterexample:  p.run.told,
		All:             p.all,
		Abstracted:      p.decided.abstracted,
		Reading:         p.decided.reading,
		Classes:         p.decided.classes,
		PointOfNoReturn: p.decided.pointOfNoReturn,
		Decisions:       p.decided.decisions,
		Exits:           p.decided.exits,
		Way:             p.decided.way,
		Loss:            p.decided.loss,
		Fairness:        p.fairness,
		Values:          p.values,
		Repair:          p.advice.repair,
		Nearest:         p.advice.nearest,
		Necessity:       p.advice.necessity,
		Prevention:      p.prevention,
		Holds:           p.holds,
		Faults:          p.faults,
		Stats:           p.found.stats,
		Timings:         p.a.Phases,
		Cost:            p.o.cost(p.model.Transitions, p.a.Phases, p.found.stats),
		Folded:          p.folded,

		lts:       p.a.m,
		unfolding: p.a.Unfolding,
		formula:   p.a.Formula,
		pattern:   p.found.pattern,
		trace:     p.run.trace,
		found:     p.vicinities,
	}
}

// phase finds some of the parts; before is what the error says if it is stopped.
type phase struct {
	before string
	find   func(context.Context) error
}

// do goes through phases. If one fails, it returns what was to be found by it.
func do(ctx context.Context, phases ...phase) (before string, err error) {
	for _, next := range phases {
		if err := next.find(ctx); err != nil {
			return next.before, err
		}
	}
	return "", nil
}

// explain does all that comes after the analysis.
func (p *parts) explain(ctx context.Context) (before string, err error) {
	return do(ctx,
		phase{beforeShortest, p.choose},
		phase{beforeReason, p.judgeConjuncts},
		phase{beforeVacuity, p.warnOfVacuity},
		phase{beforeHolds, p.describeHolds},
		phase{beforeFairness, p.describeFairness},
		phase{beforeAdvice, p.advise},
		phase{beforeAdvice, p.prevent},
		phase{beforeUnfolded, p.unfold},
		phase{beforeRest, p.decide},
	)
}

// choose finds the counterexample to be explained.
func (p *parts) choose(ctx context.Context) (err error) {
	if err := p.model.describe(ctx, p.a.Components); err != nil {
		return err
	}
	if !p.o.Unfold {
		p.searched = neighbourhoodsOf(ctx, p.a, p.o)
	}
	if len(p.o.Faults) > 0 {
		err := p.a.phase("faults", func() (err error) {
			progress.Start(ctx, "faults", progress.Nothing, 0)
			p.faults, err = leastFaults(ctx, p.a.Fates, p.o.Faults)
			return err
		})
		if err != nil {
			return err
		}
	}
	p.found, err = p.a.choose(ctx, p.o, p.faults)
	p.run, p.warnings = p.found.run, append(p.warnings, p.found.warnings...)
	if err != nil {
		return err
	}
	if p.faults != nil {
		p.faults.Fewest = p.found.fewest
	}
	p.run, err = p.run.settled(ctx)
	p.found.run = p.run
	return err
}

func (p *parts) judgeConjuncts(ctx context.Context) (err error) {
	p.conjuncts, err = p.run.judgeConjuncts(ctx)
	return err
}

func (p *parts) warnOfVacuity(ctx context.Context) (err error) {
	if p.found.verdict == Satisfied {
		p.warnings, err = p.a.warnOfVacuity(ctx, p.warnings)
	}
	return err
}

func (p *parts) describeHolds(ctx context.Context) error {
	if p.found.verdict != Satisfied || p.o.NoHolds {
		return nil
	}
	return p.a.phase("holds", func() (err error) {
		progress.Start(ctx, "holds", progress.Nothing, 0)
		p.holds, err = p.a.describeHolds(ctx, p.o)
		return err
	})
}

// describeFairness finds out which fairness would make a violated property true or, of that
// which is assumed, what is enough.
func (p *parts) describeFairness(ctx context.Context) error {
	if p.o.NoFairness || p.a.m.NumTransitions() > mostTransitionsForFairness || p.a.fairness == nil && p.run.trace == nil {
		return nil
	}
	return p.a.phase("fairness", func() (err error) {
		progress.Start(ctx, "fairness", progress.Nothing, 0)
		if p.a.ahead != nil {
			p.fairness, err = p.a.ahead.wait()
		} else if p.a.fairness == nil {
			p.fairness, err = p.a.describeFairness(ctx, p.o.Owners, p.forFairness)
		} else {
			err = p.fairness.describeEnough(ctx, p.a, mostForFairness)
		}
		if errors.Is(err, errUnfolded) {
			p.warnings, err = append(p.warnings, tooLargeForFairness), nil
		}
		return err
	})
}

// advise finds out what would have to be forbidden, and the nearest correct run.
func (p *parts) advise(ctx context.Context) error {
	if p.a.fairness != nil || p.run.trace == nil || p.o.NoAdvice {
		return nil
	}
	return p.a.phase("advice", func() (err error) {
		progress.Start(ctx, "advice", progress.Nothing, 0)
		isFirst := p.o.Search.isPlain() && len(p.o.Faults) == 0 && p.run.told.Minimal != counterexample.MinimalUnknown
		p.advice, err = p.run.advise(ctx, isFirst)
		return err
	})
}

// unfold goes on in the unfolded model, if that is asked for.
func (p *parts) unfold(ctx context.Context) (err error) {
	if !p.o.Unfold {
		return nil
	}
	unfolded, err := p.a.unfolded(ctx, p.o)
	if err != nil {
		return err
	}
	p.folded = p.run.describeFolded()
	if p.run, err = p.run.unfolded(ctx, unfolded); err != nil {
		return err
	}
	if p.holds, err = p.holds.unfolded(p.a.m, unfolded); err != nil {
		return err
	}
	p.a = unfolded
	p.searched = neighbourhoodsOf(ctx, p.a, p.o)
	return nil
}

// decide finds out what the classes say of the counterexample.
func (p *parts) decide(ctx context.Context) error {
	return p.a.phase("explain", func() (err error) {
		progress.Start(ctx, "explain", progress.Nothing, 0)
		found := <-p.searched
		if found.err != nil {
			return found.err
		}
		p.vicinities = found.found.along(p.run.trace)
		p.values = p.run.describeValues(p.o.States)
		if p.decided, err = p.run.decide(ctx); err != nil || p.run.trace == nil {
			return err
		}
		p.decided.rank(p.advice.necessity)
		p.own()
		p.diagnosis, err = p.run.diagnose(ctx, p.decided.loss)
		return err
	})
}

// decided is what the classes of transitions say of a counterexample: see [Explanation], whose
// fields they are.
type decided struct {
	reading         neighbourhood.Reading
	classes         *Classes
	abstracted      *Abstracted
	pointOfNoReturn *PointOfNoReturn
	decisions       []Decision
	exits           []Exit
	way             *Way
	loss            *Loss
}
