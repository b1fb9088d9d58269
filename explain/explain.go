// Package explain is the main job as one call: from an LTS and a formula to an
// [Explanation], which holds every result of one run.
//
// The invariant that holds inside: an Explanation is made once, of what the phases of a run have
// found, and never changes. Its exported fields are plain data with the model's own state
// numbers and label texts; data that could be as large as the model (the neighbourhoods with their
// transitions and paths) is made on request.
package explain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain/internal/assume"
	"github.com/inev-lts/inev/explain/internal/reasons"
	"github.com/inev-lts/inev/format/specification"
	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
	"github.com/inev-lts/inev/simplify"
)

// Schema names the version of the format of an Explanation in JSON.
const Schema = "inev.explanation/3"

// Phase is a phase of a run, and the time that it took.
type Phase struct {
	Name string
	Took time.Duration
	// Queue is the queue by which the phase ordered states; "" if it has none.
	Queue enrich.Queue
}

// Analysis is everything that is computed without a search for a counterexample: an LTS with a
// property bound to it, the enriched states, the classes of transitions, and the neighbourhoods.
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

	// m is the model or, if the unfolded model was analysed, the unfolded model.
	m *lts.LTS
	// files are the files of the specification; nil if they are not known.
	files *specification.Files
	// idle is the label of steps that change nothing, see [Source].
	idle string
	// states has the values of states, nil if there are none.
	states *states.Table
	// fairness decides which runs count; nil if all runs do.
	fairness *property.Fairness
	// conjuncts and triggers are parts of the formula that phases ask about, with the labels of the
	// model. The first call of each binds them, and fails if the context of the analysis is done.
	conjuncts func() conjuncts
	triggers  func() triggers
	// ahead is the result of the search for fairness that runs on another core during the analysis; nil
	// if the search is a phase of its own.
	ahead func() (*Fairness, error)
}

// Analyse binds f to m, enriches the states and classifies the transitions, of the unfolded model
// if o.Unfold is set. It fails if ctx is done, or if the engine of o does not support the model.
// Cost O(n (S + T)).
func Analyse(ctx context.Context, m *lts.LTS, f property.Formula, o Options) (_ *Analysis, err error) {
	defer abort.Caught(&err)
	o.Search, o.List, o.InAutomaton = Search{}, 0, nil
	a := prepare(ctx, m, f, o)
	a.analyse(ctx, o)
	return a, nil
}

// analyse is [Analyse] once all is bound. If it fails, the Analysis has what was found until then.
func (a *Analysis) analyse(ctx context.Context, o Options) {
	if o.Unfold && a.Property.Steps() > 0 { // its classes are found in the product, by prefixes and suffixes
		a.unfold(ctx)
	}
	// An earlier [Options.IsViolated] may have found the fates for the same question.
	if of := o.judged; of != nil && of.m == a.m && of.Formula.String() == a.Formula.String() &&
		slices.EqualFunc(of.fair, o.Fair, func(x, y *actl.Assumption) bool { return x.String() == y.String() }) {
		a.Property, a.fairness, a.Components, a.Fates = of.Property, of.fairness, of.Components, of.Fates
		a.Phases = append(a.Phases, of.Phases...)
	} else {
		a.findFates(ctx, o)
	}
	if o.fairnessAhead && a.fairness == nil && a.Property.Steps() > 0 && !a.Fates.Holds() {
		a.ahead = a.fairnessAhead(ctx, o)
	}
	if o.Unfold && a.Unfolding == nil {
		a.unfoldFates(ctx, a.Fates)
	}
	a.classify(ctx, o)
	a.warnOfAbsence(ctx)
}

// prepare binds the formula and the assumptions.
func prepare(ctx context.Context, m *lts.LTS, f property.Formula, o Options) *Analysis {
	m, _ = withValues(ctx, m, f, &o.Source)
	a := &Analysis{
		Formula: f, m: m, files: o.Specification, states: o.States, idle: o.Idle, Phases: slices.Clone(o.Before),
		conjuncts: sync.OnceValue(func() conjuncts { return bindConjuncts(ctx, f, m) }),
		triggers:  sync.OnceValue(func() triggers { return bindTriggers(ctx, f, m) }),
	}
	// If f is a chain whichever labels occur in runs, finding these labels is left to
	// [Analysis.warnOfAbsence], so that a search that ends early stays fast.
	labels := m.Alphabet()
	if chain, is := f.(interface{ IsChain() bool }); !is || !chain.IsChain() {
		labels = abort.Must(m.Happening(ctx))
	}
	var warnings []string
	a.Property, warnings = bindTo(ctx, f, labels)
	a.Warnings = slices.Concat(o.Warnings, warnings)
	if len(o.Fair) == 0 {
		return a
	}
	fairness, warnings, err := actl.BindAssumptions(ctx, o.Fair, m.Alphabet())
	abort.On(err)
	if misfit := abort.Must(fairness.Misfit(ctx, m)); misfit != "" {
		warnings = append(warnings, misfit)
	}
	if !o.Search.isPlain() || o.List > 0 || o.InAutomaton != nil {
		abort.On(errFairSearch)
	}
	a.fairness, a.Warnings = fairness, append(a.Warnings, warnings...)
	return a
}

// warnOfAbsence adds the warnings about labels that no run does, if the property was bound without
// knowing these labels.
func (a *Analysis) warnOfAbsence(ctx context.Context) {
	happening := abort.Must(a.m.Happening(ctx))
	if happening == a.Property.Alphabet() {
		return
	}
	_, warnings := bindTo(ctx, a.Formula, happening)
	for _, w := range warnings {
		if !slices.Contains(a.Warnings, w) {
			a.Warnings = append(a.Warnings, w)
		}
	}
}

func (a *Analysis) unfold(ctx context.Context) {
	defer a.begin(ctx, "unfold")()
	a.Unfolding = abort.Must(product.Unfold(ctx, a.m, a.Property))
	a.m = a.Unfolding.LTS()
}

// judged is the analysis of an earlier [Options.IsViolated], with its assumptions.
type judged struct {
	*Analysis
	fair []*actl.Assumption
}

// IsViolated reports whether f is violated in m under the assumptions of o and others; it searches
// for no run. Of several calls, o keeps what the first violated one has found, or the first of all:
// [Explain] takes that over if it is asked the same question. Errors as for [Check].
func (o *Options) IsViolated(ctx context.Context, m *lts.LTS, f property.Formula, others []*actl.Assumption) (_ bool, err error) {
	defer abort.Caught(&err)
	asked := *o
	asked.Search, asked.Before, asked.Fair = Search{}, nil, slices.Concat(others, o.Fair)
	a := prepare(ctx, m, f, asked)
	a.findFates(ctx, asked)
	is := !a.Fates.Holds()
	if o.judged == nil || is && o.judged.Fates.Holds() {
		o.judged = &judged{a, asked.Fair}
	}
	return is, nil
}

// unfoldFates replaces the analysed model by the product, whose fates are known. It does nothing
// for a chain, since the fates of a chain come without the product.
func (a *Analysis) unfoldFates(ctx context.Context, folded *fate.Map) {
	if a.Unfolding = abort.Must(folded.Unfold(ctx)); a.Unfolding == nil {
		return
	}
	a.m = a.Unfolding.LTS()
	a.Fates = abort.Must(folded.Unfolded(ctx))
	a.Components = a.Fates.Components()
}

// classify finds the classes of transitions.
func (a *Analysis) classify(ctx context.Context, o Options) {
	defer a.begin(ctx, "classify")()
	a.Classification = abort.Must(neighbourhood.Classify(ctx, a.Fates, o.Reading))
}

// findFates finds the components and the fates.
func (a *Analysis) findFates(ctx context.Context, o Options) {
	a.Fates = abort.Must(fate.Of(ctx, a.m, a.Property, fate.Options{
		Options: enrich.Options{Queue: o.Queue, Fairness: a.fairness}, Engine: o.Engine,
		Phase: func(name string, run func() error) error {
			defer a.phase(name)()
			return run()
		},
	}))
	a.recordQueue()
	if a.Components = a.Fates.Components(); !a.Fates.Admits() {
		abort.On(ErrNoRunCounts)
	}
}

// recordQueue records by which queue the states of a chain were enriched.
func (a *Analysis) recordQueue() {
	enriched, isChain := a.Fates.Enriched()
	if !isChain {
		return
	}
	for i := range a.Phases {
		if a.Phases[i].Name == "enrich" {
			a.Phases[i].Queue = enriched.Queue()
		}
	}
}

// Name returns the text that stands for a state: its number, or state·progress if the unfolded
// model was analysed.
func (a *Analysis) Name(s lts.State) string { return name(a.Unfolding, s) }

func (a *Analysis) text(l lts.Label) string { return a.m.Alphabet().Text(l) }

// conditions returns the conjuncts if they are easier to analyse than the whole property: none for a
// chain.
func (a *Analysis) conditions() conjuncts {
	if a.Property.Steps() > 0 {
		return conjuncts{}
	}
	return a.conjuncts()
}

// phase begins a phase, which lasts until the function that it returns is called.
func (a *Analysis) phase(name string) (end func()) {
	start := time.Now()
	return func() { a.Phases = append(a.Phases, Phase{Name: name, Took: time.Since(start)}) }
}

// begin is [Analysis.phase] for a phase whose progress is unknown.
func (a *Analysis) begin(ctx context.Context, name string) (end func()) {
	progress.Start(ctx, name, progress.Nothing, 0)
	return a.phase(name)
}

// Explain reports whether the property f holds in m and, if it does not, why. It fails if ctx is
// done, or if the engine of o does not support the model. If the verdict is known before the
// failure, Explain returns the Explanation that [Check] would make, and the error is a
// [*StoppedError]. Cost O(n (S + T)) and as for [counterexample.Shortest].
func Explain(ctx context.Context, m *lts.LTS, f property.Formula, o Options) (_ *Explanation, err error) {
	defer abort.Caught(&err)
	o.List, o.InAutomaton = 0, nil
	m, _ = withValues(ctx, m, f, &o.Source)
	ctx, stop := context.WithCancel(ctx)
	// Another core finds the reachable part meanwhile, with the labels that runs do.
	reachable := cores.Beside(func() (*lts.Alphabet, error) { return m.Happening(ctx) })
	var a *Analysis
	defer func() {
		stop()
		_, _ = reachable()
		if a != nil && a.ahead != nil {
			_, _ = a.ahead()
		}
	}()
	folded := o
	folded.Unfold = false
	folded.fairnessAhead = !o.NoFairness
	a = prepare(ctx, m, f, folded)
	if err = abort.Try(func() { a.analyse(ctx, folded) }); a.Fates == nil {
		return nil, err
	}
	p := newParts(a, o)
	if err == nil {
		err = abort.Try(func() {
			p.choose(ctx)
			for _, next := range []struct {
				before string
				find   func(context.Context)
			}{
				{beforeReason, p.judgeConjuncts},
				{beforeVacuity, p.warnOfVacuity},
				{beforeHolds, p.describeHolds},
				{beforeFairness, p.describeFairness},
				{beforeAdvice, p.advise},
				{beforeAdvice, p.prevent},
				{beforeUnfolded, p.unfold},
				{beforeRest, p.decide},
			} {
				p.before = next.before
				next.find(ctx)
			}
		})
	}
	if err != nil {
		if !isStopped(ctx, err) {
			return nil, err
		}
		// The Explanation of [Check] has the verdict, and the run if it was found.
		known := newParts(a, p.o)
		if known.found.stats = p.found.stats; !a.Fates.Holds() {
			known.found.verdict = Violated
		}
		if run := p.found.run; run.trace != nil {
			known.found.verdict = Violated
			// Fields that need classes may be incomplete, and are left out.
			_ = abort.Try(func() {
				described := describeTrace(context.WithoutCancel(ctx), a, run.trace, run.described.Minimal)
				described.keep(run.described)
				known.run = violation{a: a, trace: run.trace, described: described}
			})
		}
		known.Values = known.run.describeValues(p.o.States)
		return known.explanation(), &StoppedError{p.before, err}
	}
	return p.explanation(), nil
}

// neighbourhoodsBeside finds the neighbourhoods on another core, during the search for a
// counterexample: neither needs the other.
func (p *parts) neighbourhoodsBeside(ctx context.Context) {
	a := p.a
	p.searched = cores.Beside(func() (*Neighbourhoods, error) {
		if p.o.NoPaths {
			return &Neighbourhoods{m: a.Components.LTS(), types: a.Classification}, nil
		}
		return a.Neighbourhoods(ctx)
	})
}

// Check reports whether the property f holds in m, and gives a shortest counterexample if it does
// not. It computes nothing else: the fields of the Explanation that need more are empty. It fails
// as [Explain] does, and with the errors of a search in the product automaton. If the work is
// stopped after the verdict is known, the error is a [*StoppedError], and the Explanation has the
// verdict, and the run if one is known.
func Check(ctx context.Context, m *lts.LTS, f property.Formula, o Options) (_ *Explanation, err error) {
	defer abort.Caught(&err)
	o.Search, o.Unfold = Search{}, false
	a := prepare(ctx, m, f, o)
	p := newParts(a, o)
	err = abort.Try(func() { p.check(ctx) })
	p.Values = p.run.describeValues(o.States)
	if isStopped(ctx, err) && (p.found.verdict == Violated || p.before != beforeShortest) {
		err = &StoppedError{p.before, err}
	}
	return p.explanation(), err
}

// check checks the property, and finds the reason of a violation. If it fails after the search itself,
// the verdict is known.
func (p *parts) check(ctx context.Context) {
	a, o, found := p.a, p.o, &p.found
	err := abort.Try(func() {
		if a.fairness == nil && (o.List > 0 || o.InAutomaton != nil) {
			end := a.phase("components")
			a.Components = abort.Must(scc.Find(ctx, a.m, o.Engine))
			end()
		}
		switch {
		case a.fairness != nil:
			a.findFates(ctx, o)
			a.choose(ctx, o, nil, found)
		case o.InAutomaton != nil:
			a.searchAutomaton(ctx, o.InAutomaton, found)
		default:
			a.searchShortest(ctx, o, found)
			if o.List > 0 && found.run.trace != nil {
				a.list(ctx, o, found)
			}
		}
	})
	p.run, p.All, p.warnings = p.found.run, p.found.all, append(p.warnings, p.found.warnings...)
	if err != nil {
		if p.a.Fates != nil && !p.a.Fates.Holds() {
			p.found.verdict = Violated
		}
		if p.run.described != nil && p.run.described.Minimal != counterexample.MinimalUnknown {
			p.before = beforeList
		}
		abort.On(err)
	}
	p.before = beforeVacuity
	p.warnOfVacuity(ctx)
	if known := len(a.Warnings); found.verdict == Violated && o.InAutomaton == nil { // found without knowing which labels happen
		a.warnOfAbsence(ctx)
		p.warnings = append(p.warnings, a.Warnings[known:]...)
	}
	p.before = beforeReason
	// A search that was stopped returns an error even if it has found a run.
	if p.run.trace == nil || ctx.Err() != nil {
		return
	}
	p.judgeConjuncts(ctx)
	defer a.phase("diagnosis")()
	p.Diagnosis = p.run.diagnoseChecked(ctx)
}

// parts are the results of the phases of [Explain] and [Check]; the results of a phase that did not
// run are nil. Only the method explanation turns them into an Explanation.
type parts struct {
	o Options
	// a is the analysis of the model and, after the phase unfold, of the unfolded model.
	a *Analysis

	model    Model
	property Property
	warnings []string
	faults   *Faults
	found    outcome // the outcome of the search in the model
	// run is the violating run in found, as a run of the analysed model.
	run violation
	Run
	Causes
	Advice
	vicinities *Neighbourhoods
	// searched are the neighbourhoods that another core finds.
	searched func() (*Neighbourhoods, error)
	// before names, in the error if the work is stopped, what the current phase finds.
	before string
	// mostUnfolded limits the transitions of products that the search for assumptions makes.
	mostUnfolded int64
}

// outcome is the result of a search: the verdict, and a run if the property is violated.
type outcome struct {
	verdict  Verdict
	run      violation
	pattern  *actl.Formula
	stats    *counterexample.Stats
	warnings []string
	// fewest reports whether the run has the fewest faults of all violating runs.
	fewest bool
	// all are the shortest counterexamples, nil if they were not requested.
	all *All
}

// outcome returns the outcome of a search that finds no run.
func (a *Analysis) outcome() outcome { return outcome{verdict: Satisfied, run: violation{a: a}} }

// newParts returns the parts that are known before any search.
func newParts(a *Analysis, o Options) *parts {
	return &parts{
		o: o, a: a,
		model:        modelOf(a.m, o.File),
		property:     describeProperty(a),
		warnings:     append([]string{}, a.Warnings...),
		found:        a.outcome(),
		run:          violation{a: a},
		Advice:       Advice{Fairness: assumptionsOf(o.Fair)},
		vicinities:   &Neighbourhoods{},
		before:       beforeShortest,
		mostUnfolded: mostUnfoldedForFairness,
	}
}

func (p *parts) explanation() *Explanation {
	p.Counterexample = p.run.described
	return &Explanation{
		Model: p.model, Property: p.property, Verdict: p.found.verdict, Warnings: p.warnings,
		Run: p.Run, Causes: p.Causes, Advice: p.Advice, Faults: p.faults,
		Stats: p.found.stats, Timings: p.a.Phases, Cost: p.o.cost(p.model.Transitions, p.a.Phases, p.found.stats),
		lts: p.a.m, unfolding: p.a.Unfolding, formula: p.a.Formula, pattern: p.found.pattern, trace: p.run.trace, found: p.vicinities,
	}
}

// choose finds the counterexample to be explained.
func (p *parts) choose(ctx context.Context) {
	p.model.describe(p.a.Components)
	if !p.o.Unfold {
		p.neighbourhoodsBeside(ctx)
	}
	if len(p.o.Faults) > 0 {
		end := p.a.begin(ctx, "faults")
		p.faults = leastFaults(ctx, p.a.Fates, p.o.Faults)
		end()
	}
	p.a.choose(ctx, p.o, p.faults, &p.found)
	p.warnings = append(p.warnings, p.found.warnings...)
	if p.faults != nil {
		p.faults.Fewest = p.found.fewest
	}
	p.found.run = p.found.run.settled(ctx)
	p.run = p.found.run
}

// warnOfVacuity warns of antecedents of a satisfied property that no run does.
func (p *parts) warnOfVacuity(ctx context.Context) {
	if p.found.verdict != Satisfied {
		return
	}
	// That a label never happens is worth a warning only if it is an antecedent.
	p.warnings = slices.DeleteFunc(p.warnings, func(w string) bool { return strings.HasSuffix(w, actl.NeverHappens) })
	f, is := p.a.Formula.(conditional)
	if !is {
		return
	}
	steps := abort.Must(f.Antecedents(ctx, p.a.m.Alphabet()))
	if len(steps) == 0 {
		return
	}
	happening := abort.Must(p.a.m.Happening(ctx))
	said := map[string]bool{}
	for _, step := range steps {
		if text := step.Pattern.String(); !said[text] && !happens(step, happening) {
			said[text] = true
			p.warnings = append(p.warnings, fmt.Sprintf("the property holds, but %s never happens", text))
		}
	}
}

func (p *parts) describeHolds(ctx context.Context) {
	if p.found.verdict != Satisfied || p.o.NoReasons {
		return
	}
	defer p.a.begin(ctx, "holds")()
	h := &Reasons{Bounds: []Bound{}, NoRole: []NoRole{}, RestsOn: []Support{}, Complete: true}
	parts, conditions := p.a.boundConditions(ctx)
	fates := p.a.fatesOfChanges(ctx)
	found, err := reasons.Bounds(ctx, fates, conditions)
	switch {
	case errors.Is(err, reasons.ErrTooLarge):
		h.skip(tooManyPlaces)
	case err != nil:
		abort.On(err)
	case found != nil:
		h.describeBounds(ctx, p.a, found, parts, conditions)
	}
	if !p.o.NoAdvice {
		h.vary(ctx, p.a, p.o)
	}
	p.Reasons = h
}

// describeFairness finds out which fairness would make a violated property true or, if fairness is
// assumed, which of its tasks are enough.
func (p *parts) describeFairness(ctx context.Context) {
	if p.o.NoFairness || p.a.m.NumTransitions() > mostTransitionsForFairness || p.a.fairness == nil && p.run.trace == nil {
		return
	}
	defer p.a.begin(ctx, "fairness")()
	err := abort.Try(func() {
		switch {
		case p.a.ahead != nil:
			p.Fairness = abort.Must(p.a.ahead())
		case p.a.fairness == nil:
			p.Fairness = p.a.describeFairness(ctx, p.o.Owners, p.mostUnfolded)
		default:
			p.Fairness.describeEnough(ctx, p.a, mostForFairness)
		}
	})
	if errors.Is(err, assume.ErrUnfolded) {
		p.warnings = append(p.warnings, tooLargeForFairness)
		return
	}
	abort.On(err)
}

// advise finds a repair, and the nearest correct run.
func (p *parts) advise(ctx context.Context) {
	if p.a.fairness != nil || p.run.trace == nil || p.o.NoAdvice {
		return
	}
	defer p.a.begin(ctx, "advice")()
	isFirst := p.o.Search.isPlain() && len(p.o.Faults) == 0 && p.run.described.Minimal != counterexample.MinimalUnknown
	p.warnings = append(p.warnings, p.run.advise(ctx, isFirst, &p.Advice)...)
}

// unfold repeats the analysis for the unfolded model, if the options ask for it.
func (p *parts) unfold(ctx context.Context) {
	if !p.o.Unfold {
		return
	}
	a := p.a
	unfolded := &Analysis{m: a.m, files: a.files, states: a.states, Formula: a.Formula, Property: a.Property, fairness: a.fairness, Warnings: a.Warnings, Phases: a.Phases}
	unfolded.unfoldFates(ctx, a.Fates)
	if unfolded.Unfolding == nil {
		unfolded.unfold(ctx)
		unfolded.findFates(ctx, p.o)
	}
	unfolded.classify(ctx, p.o)
	classes := p.a.Classification
	p.Folded = &Folded{Classes: Classes(classes.Counts()), Neighbourhoods: len(classes.States())}
	if p.run.trace != nil {
		for _, step := range p.run.trace.Steps() {
			if classes.Has(step.From) {
				p.Folded.Decisions++
			}
		}
	}
	p.run = p.run.unfolded(ctx, unfolded)
	p.Reasons = p.Reasons.unfolded(ctx, unfolded)
	p.a = unfolded
	p.neighbourhoodsBeside(ctx)
}

// decide finds all results that need the classes of transitions: about the model and, if there is a
// run, about the run.
func (p *parts) decide(ctx context.Context) {
	defer p.a.begin(ctx, "explain")()
	passed := *abort.Must(p.searched())
	passed.searched = true
	if t := p.run.trace; t != nil {
		passed.on = bitset.New[lts.State](passed.m.NumStates())
		passed.on.Add(t.Initial())
		for i := range t.Len() {
			passed.on.Add(t.Step(i).To)
		}
	}
	p.vicinities = &passed
	p.Values = p.run.describeValues(p.o.States)
	classes := Classes(p.a.Classification.Counts())
	p.Reading, p.Classes = p.a.Classification.Reading(), &classes
	if p.run.trace == nil {
		return
	}
	r := p.run.repeating()
	c, a := r.described, r.a
	abstraction := simplify.Abstract(r.trace, a.Classification)
	c.InitialFate = abstraction.Fates[0]
	for i := range c.Steps {
		abort.IfDone(ctx, i)
		step, described := r.trace.Step(i), &c.Steps[i]
		described.Class = a.Classification.Class(step.From, step.Label, step.To)
		described.Neighbourhood = whetherIt(a.Classification.Has(step.From))
		described.Fate = abstraction.Fates[i+1]
	}
	if i := abstraction.PointOfNoReturn; i >= 0 {
		p.PointOfNoReturn = &PointOfNoReturn{Step: StepIndex(i), State: r.trace.Step(i).From, Label: c.Steps[i].Label}
	}
	p.Abstracted = &Abstracted{Length: len(abstraction.Kept), Steps: abstraction.Kept}
	p.Decisions = r.describeDecisions(ctx, p.PointOfNoReturn)
	p.Exits, p.Way = r.describeExits(ctx)
	p.Loss = r.describeLoss(ctx)
	rank := 0
	for _, first := range []bool{true, false} {
		for i := len(p.Decisions) - 1; i >= 0; i-- {
			at := &p.Decisions[i]
			if necessary := p.Necessity != nil && slices.Contains(p.Necessity.Steps, at.Step); necessary == first {
				rank++
				at.Rank = rank
			}
		}
	}
	if owners := p.o.Owners; owners != nil {
		described := *c
		described.Steps = slices.Clone(c.Steps)
		for i := range described.Steps {
			described.Steps[i].Owner = owners.of(described.Steps[i].Label)
		}
		p.run.described = &described
		for i := range p.Decisions {
			p.Decisions[i].Owner = owners.of(p.Decisions[i].Chosen.Label)
		}
	}
	p.Diagnosis = p.run.diagnose(ctx, p.Loss)
	r.shortestExits(ctx, p.Diagnosis, p.Exits)
}

// ErrMemory is, by [errors.Is], the error of work that [WithMemory] ended; its text has the phase and
// the limit.
var ErrMemory = resources.ErrExceeded

// WithMemory returns a context that ends, for work in all packages of this module, before the
// process takes more than this many bytes. Then [context.Cause] of that context is an [ErrMemory];
// the work fails with this error, or with [context.Canceled]. Until release is called, a goroutine
// reads the memory of the process up to 500 times a second.
func WithMemory(ctx context.Context, bytes int64) (limited context.Context, release func()) {
	limit := resources.Limit{Bytes: bytes, By: "allowed"}
	return resources.Join(resources.NewBudget(limit, nil).With(ctx))
}

// Progress is the progress of one phase of long work. Any goroutine may read it while the work
// continues.
type Progress struct{ meter *progress.Meter }

// Phase returns the name of the phase, such as "read".
func (p Progress) Phase() string { return p.meter.Phase }

// Done returns how much is done, in the unit of the phase.
func (p Progress) Done() int64 { return p.meter.Done() }

// Total returns the size of the whole phase, in its unit; 0 if it is unknown.
func (p Progress) Total() int64 { return p.meter.Total }

// Unit returns what the phase counts: bytes, states, transitions or jobs; "" for a phase whose
// progress is unknown.
func (p Progress) Unit() string { return p.meter.Unit.String() }

// WithProgress returns a context whose work, in all packages of this module, calls started at the
// beginning of each phase. Phases may overlap; several goroutines may call started.
func WithProgress(ctx context.Context, started func(Progress)) context.Context {
	return progress.Also(ctx, func(m *progress.Meter) { started(Progress{m}) })
}

// StoppedError reports that work was stopped, by its context or for want of memory, after the
// verdict was known. The Explanation returned with it has the verdict.
type StoppedError struct {
	// Before names the results that are missing. The fields of these results have the same values
	// as if the results were not requested.
	Before string
	Err    error
}

func (e *StoppedError) Error() string { return "stopped before " + e.Before + ": " + e.Err.Error() }

// Unwrap returns the error that stopped the work.
func (e *StoppedError) Unwrap() error { return e.Err }

// The names, in errors, of the results that are missing after a phase was stopped.
const (
	beforeShortest = "a shortest counterexample was known"
	beforeList     = "all shortest counterexamples were counted"
	beforeVacuity  = "it was known what the verdict depends on"
	beforeHolds    = "it was known how nearly it does not"
	beforeReason   = "the reason was known"
	beforeFairness = "it was known which fairness would help"
	beforeAdvice   = "advice"
	beforeUnfolded = "the unfolded model was known"
	beforeRest     = "all decisions were known"
)

// isStopped reports whether work failed because its context is done or memory is short, and not for
// another reason.
func isStopped(ctx context.Context, err error) bool {
	return err != nil && (ctx.Err() != nil || errors.Is(err, ErrMemory))
}

// Warned returns the explanation with one more warning. Cost O(warnings).
func (e *Explanation) Warned(text string) *Explanation {
	described := *e
	described.Warnings = append(slices.Clone(e.Warnings), text)
	return &described
}

// The limits of the search for a shortest counterexample, if the options have none: the number of
// visits to states after it has found a counterexample, and the number of visits for each product
// state. They are several times the visits of the worst random models (docs/semantics.md).
const (
	visitsAlways = 50_000_000
	visitsEach   = 200
)

func defaultLimit(m *lts.LTS, p *property.Property) int64 {
	return visitsAlways + visitsEach*largestProduct(m, p)
}

// Cost is the time and memory of a run. Unlike all other results, Cost differs from run to run.
type Cost struct {
	// PeakMemory and PeakHeap are the peaks of the process, in bytes: see
	// [resources.Usage].
	PeakMemory int64 `json:"peak_memory_bytes"`
	PeakHeap   int64 `json:"peak_heap_bytes"`
	// BytesPerTransition is PeakMemory divided by the transitions of the model, to a tenth; 0
	// without transitions.
	BytesPerTransition float64 `json:"bytes_per_transition,omitzero"`
	// ReadPerSecond is the number of transitions read in a second; 0 if no phase reports how long
	// reading took.
	ReadPerSecond float64 `json:"transitions_read_per_second,omitzero"`
	// Queue is the queue by which states were ordered for common prefixes and suffixes; "" if none
	// were computed.
	Queue enrich.Queue `json:"queue,omitempty"`
	// Search are the counts of the search for the counterexample; nil if no counterexample was
	// searched for.
	Search *counterexample.Stats `json:"search,omitempty"`
}

// cost returns the cost so far; nil unless the options ask for it.
func (o Source) cost(transitions int, phases []Phase, search *counterexample.Stats) *Cost {
	if !o.Measure {
		return nil
	}
	c := Phases(phases).Cost(transitions)
	c.Search = search
	return c
}

// Cost returns the cost so far of a process that has worked in these phases on one model with this
// many transitions. The call takes as long as [resources.Used].
func (p Phases) Cost(transitions int) *Cost {
	used := resources.Used()
	c := &Cost{PeakMemory: used.Peak, PeakHeap: used.PeakHeap}
	if transitions > 0 {
		c.BytesPerTransition = math.Round(10*float64(used.Peak)/float64(transitions)) / 10
	}
	var reading time.Duration
	for _, phase := range p {
		if phase.Name == "read" {
			reading += phase.Took
		}
		if phase.Queue != "" {
			c.Queue = phase.Queue
		}
	}
	if reading > 0 {
		c.ReadPerSecond = math.Round(float64(transitions) / reading.Seconds())
	}
	return c
}

// Options say how [Explain], [Check] and [Analyse] work. The zero value is the default. A function
// ignores the options of the others.
type Options struct {
	Source
	// Engine finds the strongly connected components.
	Engine scc.Engine
	// Queue orders states in the passes for common prefixes and suffixes.
	Queue enrich.Queue
	// Fair are the assumptions that runs must satisfy to count; all runs count if it is empty. It
	// excludes Search, List and InAutomaton.
	Fair []*actl.Assumption
	// Limit, if it is positive, limits the search for a shortest counterexample, as in
	// [counterexample.Options].
	Limit int64

	// Reading is the condition under which incoming transitions make a state a neighbourhood; for
	// Explain and Analyse.
	Reading neighbourhood.Reading
	// Unfold analyses the unfolded model (see package product), so that classes depend on the
	// history of a run, instead of all histories of a state; for Explain and Analyse.
	Unfold bool

	// Search chooses the counterexample that is explained; for Explain.
	Search Search
	// NoFairness skips the search for assumptions about infinite runs that would make a violated
	// property true; for Explain.
	NoFairness bool
	// NoAdvice skips the search for a repair and for the nearest correct run; for Explain.
	NoAdvice bool
	// NoReasons skips the search for the reasons why a property holds, see [Reasons]; for Explain.
	NoReasons bool
	// RestsOnLabels examines each label instead of each gate, for [Reasons.RestsOn]; for Explain.
	RestsOnLabels bool
	// Faults are patterns of labels that count as faults; if there are any, the result has the
	// number of faults that a violation takes. The counterexample is one with the fewest faults,
	// unless Search or Fair excludes that; for Explain.
	Faults []actl.Pattern
	// Owners are the owners of actions; nil if they are not known. With owners, decisions and steps
	// have an owner, and for a violated property the result has who could have prevented the
	// violation, and the verdict on just runs; for Explain.
	Owners *Owners
	// NoPaths skips the shortest paths to neighbourhoods, which only lists of neighbourhoods show:
	// then [Neighbourhood.Distance] is -1; for Explain.
	NoPaths bool

	// List makes Check count all shortest counterexamples, and return at most this many of them;
	// with 0 it does neither.
	List int
	// InAutomaton, unless it is nil, makes Check search in the product automaton of model and
	// property instead of the model itself, and ignore List.
	InAutomaton *AutomatonSearch

	// judged is what [Options.IsViolated] has found; nil if it was not called.
	judged *judged
	// fairnessAhead makes an analysis begin the search for fairness that [Explain] completes.
	fairnessAhead bool
}

// Source describes the origin of a model and what happened while it was read: the options of all
// questions about a model.
type Source struct {
	// File is the model's name in the results.
	File string
	// States has the values of the states of the model, nil if they have none.
	States *states.Table
	// Specification has the files that the model was generated from, nil if they are not known.
	// With them, decisions have the positions of their actions.
	Specification *specification.Files
	// Idle is the label of steps that change nothing, and that nobody chooses or can forbid: stuttering; "" for none.
	Idle string
	// Warnings are earlier warnings, such as those about reading the model.
	Warnings []string
	// Before are earlier phases, such as reading the model.
	Before []Phase
	// Measure asks for the [Cost] of the process, at the end.
	Measure bool
}

// Setting is a field of [Options] with its name and values. Flags of commands and members of
// manifests are made from [Settings].
type Setting struct {
	// Name is the name in a manifest.
	Name string
	// Words are all values, the first of them the default; none if the value is a number.
	Words []string
	// Switch reports whether the setting is a Boolean: its flag has no value, and stands for true.
	Switch bool

	set func(o *Options, text string) error
}

// Flag returns the name of the flag, without dashes.
func (s Setting) Flag() string { return options.Name(s.Name).Flag() }

// Set sets the field by the text of its value. The error lists the values.
func (s Setting) Set(o *Options, text string) error { return s.set(o, text) }

// Settings returns all settings.
func Settings() []Setting {
	return []Setting{
		setting(options.Neighbourhood, func(o *Options, text string) error {
			return o.Reading.UnmarshalText([]byte(text))
		}),
		setting(options.Unfold, func(o *Options, text string) (err error) {
			o.Unfold, err = strconv.ParseBool(text)
			return err
		}),
		setting(options.SCC, func(o *Options, text string) error {
			return o.Engine.Set(text)
		}),
		setting(options.SearchLimit, func(o *Options, text string) (err error) {
			if o.Limit, err = options.Count(text); err == nil && o.Limit < 1 {
				err = errors.New("the limit is at least 1")
			}
			return err
		}),
		setting(options.Passing, func(o *Options, text string) error {
			switch p := preference(text); p {
			case "any":
				o.Search.Prefer = anyShortest
			case fewestNeighbourhoods, mostNeighbourhoods:
				o.Search.Prefer = p
			default:
				return fmt.Errorf("there is no choice %q; choose any, fewest or most", text)
			}
			return nil
		}),
		setting(options.Queue, func(o *Options, text string) error {
			return o.Queue.Set(text)
		}),
	}
}

func setting(name options.Name, set func(o *Options, text string) error) Setting {
	o := name.Option()
	return Setting{Name: string(name), Words: o.Words, Switch: o.Switch, set: set}
}

// bindTo binds f to labels, and returns the warnings about it.
func bindTo(ctx context.Context, f property.Formula, labels *lts.Alphabet) (*property.Property, []string) {
	p, warnings, err := f.Bind(ctx, labels)
	abort.On(err)
	return p, warnings
}

// conjuncts are the conditions that a formula joins by "and", and their properties; none if there is
// only one, or more than mostConjuncts.
type conjuncts struct {
	formulas   []property.Formula
	properties []*property.Property
}

// mostConjuncts is the largest number of conditions that are judged.
const mostConjuncts = 64

// bindConjuncts binds the conditions that f joins to the labels that runs of m do.
func bindConjuncts(ctx context.Context, f property.Formula, m *lts.LTS) (x conjuncts) {
	joined, is := f.(interface{ Conjuncts() []property.Formula })
	if !is {
		return conjuncts{}
	}
	if x.formulas = joined.Conjuncts(); len(x.formulas) < 2 || len(x.formulas) > mostConjuncts {
		return conjuncts{}
	}
	labels := abort.Must(m.Happening(ctx))
	for _, f := range x.formulas {
		p, _ := bindTo(ctx, f, labels)
		x.properties = append(x.properties, p)
	}
	return x
}

// triggers are the elements of a formula that oblige a run to something: requests, beginnings of
// scopes, and in linear temporal logic the premises of implications under G. Forbidding them would
// make the property true of runs that it is not about. None of them is the zero value.
type triggers struct {
	steps []property.Step
	does  []bool // for each label, whether it does one of the steps; nil without steps
}

// bindTriggers returns the triggers of f in m; none if f cannot name its triggers.
func bindTriggers(ctx context.Context, f property.Formula, m *lts.LTS) (x triggers) {
	triggering, is := f.(interface {
		Triggers(context.Context, *lts.Alphabet) ([]property.Step, error)
	})
	if !is {
		return x
	}
	if x.steps = abort.Must(triggering.Triggers(ctx, m.Alphabet())); len(x.steps) == 0 {
		return x
	}
	x.does = make([]bool, m.Alphabet().Len())
	for _, step := range x.steps {
		for _, l := range step.Labels {
			x.does[l] = true
		}
		for l := range m.Alphabet().All() {
			x.does[l] = x.does[l] || step.LeadsTo(m.Alphabet(), l)
		}
	}
	return x
}

// has reports whether a label does a trigger.
func (x triggers) has(l lts.Label) bool { return x.does != nil && x.does[l] }
