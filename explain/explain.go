// Package explain does the main job in one call: from an LTS and a formula it makes an
// [Explanation], which holds every result of one run. An Explanation is made once, from the results
// of all phases, and never changes. Its exported fields are plain data with the model's own state
// numbers and label texts. Data that could be as large as the model (the neighbourhoods with their
// transitions and paths) is made on request.
package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain/internal/assume"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
	"github.com/inev-lts/inev/simplify"
)

// schema names the version of the format of an Explanation in JSON.
const schema = "inev.explanation/3"

// Phase is a phase of a run with the time that it took.
type Phase struct {
	Name string
	Took time.Duration
	// Queue is the queue that ordered the states in the phase; "" if the phase used none.
	Queue enrich.Queue
}

// Analysis has all results that need no search for a counterexample: an LTS with a property bound
// to it, the enriched states, the classes of transitions, and the neighbourhoods.
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
	// files finds the position of an action in the files of the specification; nil if they are not
	// known.
	files func(label string) *Position
	// idle is the label of steps that change nothing, see [Source].
	idle string
	// process returns the process that takes the steps with a label, see [Source]; nil if none is known.
	process func(label string) string
	// states has the values of states, nil if there are none.
	states *lts.Values
	// fairness decides which runs count; nil if all runs do.
	fairness *property.Fairness
	// conjuncts and triggers return the parts of the formula that phases ask about, bound to the
	// labels of the model. The first call of each function binds the parts, and fails if the
	// context of the analysis is done.
	conjuncts func() (conjuncts, error)
	triggers  func() (triggers, error)
	// ahead returns the result of the search for fairness that runs on another core during the analysis;
	// nil if this search is a phase of its own.
	ahead func() (*Fairness, error)
}

// Analyse binds f to m, enriches the states and classifies the transitions. If o.Unfold is set, it
// does so for the unfolded model. It fails if ctx is done, or if the engine of o does not support
// the model. Cost O(n (S + T)).
func Analyse(
	ctx context.Context,
	m *lts.LTS,
	f property.Formula,
	o Options,
) (*Analysis, error) {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("m", m),
		required.Argument("f", f),
	); err != nil {
		return nil, err
	}
	o.Search = Search{}
	o.List = 0
	o.InAutomaton = nil
	a, err := prepare(ctx, m, f, o)
	if err != nil {
		return nil, err
	}
	if err := a.analyse(ctx, o); err != nil {
		return nil, err
	}
	return a, nil
}

// analyse does the work of [Analyse] after binding. If it fails, a has the results found until
// then.
func (a *Analysis) analyse(ctx context.Context, o Options) error {
	isChain := a.Property.Steps() > 0
	if o.Unfold && isChain { // the classes of a chain are found in the product by prefixes and suffixes
		if err := a.unfold(ctx); err != nil {
			return err
		}
	}
	if o.judged.isAbout(a, o.Fair) {
		a.takeOver(o.judged)
	} else if err := a.findFates(ctx, o); err != nil {
		return err
	}
	asksForFairness := a.fairness == nil && !a.Fates.Holds()
	if o.fairnessAhead && isChain && asksForFairness {
		a.ahead = a.fairnessAhead(ctx, o)
	}
	if o.Unfold && a.Unfolding == nil {
		if err := a.unfoldFates(ctx, a.Fates); err != nil {
			return err
		}
	}
	if err := a.classify(ctx, o); err != nil {
		return err
	}
	return a.warnOfAbsence(ctx)
}

// prepare binds the formula and the assumptions.
func prepare(
	ctx context.Context,
	m *lts.LTS,
	f property.Formula,
	o Options,
) (*Analysis, error) {
	m, _, err := withValues(ctx, m, f, &o.Source)
	if err != nil {
		return nil, err
	}
	a := &Analysis{
		Formula: f,
		Phases:  slices.Clone(o.Before),
		m:       m,
		files:   o.Specification,
		states:  o.States,
		idle:    o.Idle,
		process: o.Process,
		conjuncts: sync.OnceValues(func() (conjuncts, error) {
			return bindConjuncts(ctx, f, m)
		}),
		triggers: sync.OnceValues(func() (triggers, error) {
			return bindTriggers(ctx, f, m)
		}),
	}
	// Other formulas are bound to the labels that runs do. A formula that is a chain in any case is
	// bound to all labels, so that a search that ends early stays fast; [Analysis.warnOfAbsence]
	// finds the labels that runs do later.
	labels := m.Alphabet()
	mayBeChain, hasMethod := f.(interface{ IsChain() bool })
	isAlwaysChain := hasMethod && mayBeChain.IsChain()
	if !isAlwaysChain {
		labels, err = m.Happening(ctx)
		if err != nil {
			return nil, err
		}
	}
	bound, warnings, err := f.Bind(ctx, labels)
	if err != nil {
		return nil, err
	}
	a.Property = bound
	a.Warnings = slices.Concat(o.Warnings, warnings)
	if len(o.Fair) == 0 {
		return a, nil
	}
	if err := a.assume(ctx, o); err != nil {
		return nil, err
	}
	return a, nil
}

// assume binds the assumptions of the options. There must be at least one.
func (a *Analysis) assume(ctx context.Context, o Options) error {
	fairness, warnings, err := actl.BindAssumptions(ctx, o.Fair, a.m.Alphabet())
	if err != nil {
		return err
	}
	misfit, err := fairness.Misfit(ctx, a.m)
	if err != nil {
		return err
	}
	if misfit != "" {
		warnings = append(warnings, misfit)
	}
	if !o.Search.isPlain() || o.List > 0 || o.InAutomaton != nil {
		return errFairSearch
	}
	a.fairness = fairness
	a.Warnings = append(a.Warnings, warnings...)
	return nil
}

// warnOfAbsence adds the warnings about labels that no run does, if it was not yet known which
// labels runs do when the property was bound.
func (a *Analysis) warnOfAbsence(ctx context.Context) error {
	happening, err := a.m.Happening(ctx)
	if err != nil {
		return err
	}
	if happening == a.Property.Alphabet() {
		return nil
	}
	_, warnings, err := a.Formula.Bind(ctx, happening)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		if !slices.Contains(a.Warnings, w) {
			a.Warnings = append(a.Warnings, w)
		}
	}
	return nil
}

func (a *Analysis) unfold(ctx context.Context) error {
	defer a.begin(ctx, "unfold")()
	unfolding, err := product.Unfold(ctx, a.m, a.Property)
	if err != nil {
		return err
	}
	a.Unfolding = unfolding
	a.m = unfolding.LTS()
	return nil
}

// judged is the analysis of an earlier call of [Options.IsViolated], with the assumptions of that
// call.
type judged struct {
	*Analysis
	fair []*actl.Assumption
}

// isAbout reports whether there is an earlier analysis that answers the question of a under the
// assumptions fair.
func (j *judged) isAbout(a *Analysis, fair []*actl.Assumption) bool {
	if j == nil || j.m != a.m || j.Formula.String() != a.Formula.String() {
		return false
	}
	return slices.EqualFunc(j.fair, fair, func(x, y *actl.Assumption) bool {
		return x.String() == y.String()
	})
}

// takeOver copies the results of an earlier analysis for the same question.
func (a *Analysis) takeOver(earlier *judged) {
	a.Property = earlier.Property
	a.fairness = earlier.fairness
	a.Components = earlier.Components
	a.Fates = earlier.Fates
	a.Phases = append(a.Phases, earlier.Phases...)
}

// IsViolated reports whether f is violated in m under the assumptions of o and others. It does not
// search for a run. o keeps the analysis of the first call that found a violation, or of the first
// call if none did. [Explain] uses this analysis for the same question. Errors as for [Check].
func (o *Options) IsViolated(
	ctx context.Context,
	m *lts.LTS,
	f property.Formula,
	others []*actl.Assumption,
) (bool, error) {
	question := *o
	question.Search = Search{}
	question.Before = nil
	question.Fair = slices.Concat(others, o.Fair)
	a, err := prepare(ctx, m, f, question)
	if err != nil {
		return false, err
	}
	if err := a.findFates(ctx, question); err != nil {
		return false, err
	}
	violated := !a.Fates.Holds()
	isFirstViolation := violated && (o.judged == nil || o.judged.Fates.Holds())
	if o.judged == nil || isFirstViolation {
		o.judged = &judged{a, question.Fair}
	}
	return violated, nil
}

// GivenViolates reports whether the run given in s exists in m, violates f, and satisfies the
// assumptions of s. Errors and cost are those of [Options.IsViolated] and, to find the run in m, of
// [counterexample.Match].
func (o *Options) GivenViolates(
	ctx context.Context,
	m *lts.LTS,
	f property.Formula,
	s Search,
) (bool, error) {
	question := Options{
		Source: o.Source,
		Engine: o.Engine,
		Queue:  o.Queue,
		Fair:   o.Fair,
	}
	a, err := prepare(ctx, m, f, question)
	if err != nil {
		return false, err
	}
	if err := a.findFates(ctx, question); err != nil {
		return false, err
	}
	_, _, err = a.givenRun(ctx, s)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return err == nil, nil // any other error means that the given trace is no such run
}

// ViolatingLoop reports whether f is violated in m under the assumptions of o and others, and
// returns the transitions in the loop of a violating run. loop is nil if this run ends, or if it is
// a stem all of whose continuations violate f. Errors and cost as for [Check].
func (o *Options) ViolatingLoop(
	ctx context.Context,
	m *lts.LTS,
	f property.Formula,
	others []*actl.Assumption,
) (loop []lts.Transition, isViolated bool, err error) {
	question := Options{
		Source: o.Source,
		Engine: o.Engine,
		Queue:  o.Queue,
		Fair:   slices.Concat(others, o.Fair),
	}
	e, err := Check(ctx, m, f, question)
	if err != nil || e.Verdict != Violated {
		return nil, false, err
	}
	start, loops := e.trace.LoopStart()
	if !loops {
		return nil, true, nil
	}
	for i := start; i < e.trace.Len(); i++ {
		step := e.trace.Step(i)
		loop = append(loop, lts.Transition{
			From:  step.From,
			Label: step.Label,
			To:    step.To,
		})
	}
	return loop, true, nil
}

// unfoldFates replaces the analysed model, its fates and components by those of the product of model
// and property, from which the fates of the model were found. It does nothing for a chain, whose fates
// are found without the product.
func (a *Analysis) unfoldFates(ctx context.Context, folded *fate.Map) error {
	unfolding, err := folded.Unfold(ctx)
	if err != nil || unfolding == nil {
		return err
	}
	fatesOfProduct, err := folded.Unfolded(ctx)
	if err != nil {
		return err
	}
	a.Unfolding = unfolding
	a.m = unfolding.LTS()
	a.Fates = fatesOfProduct
	a.Components = fatesOfProduct.Components()
	return nil
}

// classify finds the classes of transitions.
func (a *Analysis) classify(ctx context.Context, o Options) (err error) {
	defer a.begin(ctx, "classify")()
	a.Classification, err = neighbourhood.Classify(ctx, a.Fates, o.Reading)
	return err
}

// findFates finds the components and the fates.
func (a *Analysis) findFates(ctx context.Context, o Options) error {
	fates, err := fate.Of(ctx, a.m, a.Property, fate.Options{
		Options: enrich.Options{Queue: o.Queue, Fairness: a.fairness},
		Engine:  o.Engine,
		Phase: func(name string, run func() error) error {
			defer a.phase(name)()
			return run()
		},
	})
	if err != nil {
		return err
	}
	a.Fates = fates
	a.Components = fates.Components()
	a.recordQueue()
	if !fates.Admits() {
		return ErrNoRunCounts
	}
	return nil
}

// recordQueue records the queue with which the states of a chain were enriched.
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

// Name returns the text for a state: its number, or state·progress if the unfolded model was
// analysed.
func (a *Analysis) Name(s lts.State) string { return stateName(a.Unfolding, s) }

func (a *Analysis) text(l lts.Label) string { return a.m.Alphabet().Text(l) }

// conditions returns the conjuncts, which are easier to analyse than the whole property; none for a
// chain.
func (a *Analysis) conditions() (conjuncts, error) {
	if a.Property.Steps() > 0 {
		return conjuncts{}, nil
	}
	return a.conjuncts()
}

// phase is a phase of [Explain] after the verdict is known.
type phase struct {
	// name describes the results of the phase; the error has it if the work is stopped in this
	// phase.
	name string
	run  func(context.Context) error
}

// phase begins a phase, which lasts until the function that it returns is called.
func (a *Analysis) phase(name string) (end func()) {
	start := time.Now()
	return func() {
		a.Phases = append(a.Phases, Phase{Name: name, Took: time.Since(start)})
	}
}

// begin is [Analysis.phase] for a phase whose progress is unknown.
func (a *Analysis) begin(ctx context.Context, name string) (end func()) {
	progress.Start(ctx, name, progress.Nothing, 0)
	return a.phase(name)
}

// Explain reports whether the property f holds in m and, if it does not, why. A step of f that no
// label of m matches never happens: [Matched] refuses it, as the command does; in
// Explanation.Warnings it is named with the closest labels. Explain fails if ctx is done, or if the
// engine of o does not support the model. If the verdict is known before the failure, Explain
// returns the Explanation that [Check] would make, and the error is a [*StoppedError]. Cost O(n (S
// + T)) and as for [counterexample.Shortest].
func Explain(
	ctx context.Context,
	m *lts.LTS,
	f property.Formula,
	o Options,
) (*Explanation, error) {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("m", m),
		required.Argument("f", f),
	); err != nil {
		return nil, err
	}
	o.List = 0
	o.InAutomaton = nil
	if o.Another > 0 && (o.Search.Given != nil || o.Unfold) {
		return nil, errAnotherRun
	}
	m, _, err := withValues(ctx, m, f, &o.Source)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	// Meanwhile, another core finds the labels that runs do. The model keeps them for later phases,
	// so the result itself is not used here.
	waitForHappening := cores.Beside(func() (*lts.Alphabet, error) {
		return m.Happening(ctx)
	})
	var a *Analysis
	defer func() { // no work on another core continues after the call
		stop()
		_, _ = waitForHappening()
		if a != nil && a.ahead != nil {
			_, _ = a.ahead()
		}
	}()
	// The first analysis is that of the model as it is. If o.Unfold is set, a later phase unfolds
	// it.
	folded := o
	folded.Unfold = false
	folded.fairnessAhead = !o.NoFairness
	a, err = prepare(ctx, m, f, folded)
	if err != nil {
		return nil, err
	}
	err = a.analyse(ctx, folded)
	verdictIsKnown := a.Fates != nil
	if !verdictIsKnown {
		return nil, err
	}
	p := newParts(a, o)
	if err == nil {
		err = p.runPhases(ctx)
	}
	switch {
	case err == nil:
		return p.explanation(), nil
	case isStopped(ctx, err):
		return p.partial(ctx, a), &StoppedError{Before: p.before, Err: err}
	}
	return nil, err
}

// runPhases runs the phases until one fails.
func (p *parts) runPhases(ctx context.Context) error {
	for _, next := range []phase{
		{beforeShortest, p.choose},
		{beforeReason, p.judgeConjuncts},
		{beforeVacuity, p.warnOfVacuity},
		{beforeHolds, p.describeHolds},
		{beforeFairness, p.describeFairness},
		{beforeAdvice, p.advise},
		{beforeAdvice, p.prevent},
		{beforeUnfolded, p.unfold},
		{beforeRest, p.decide},
		{beforeRest, p.leaveWhereBlamed},
		{beforeAnother, p.findOthers},
	} {
		p.before = next.name
		if err := next.run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// partial returns the Explanation of work that was stopped. Like the result of [Check], it has the
// verdict, and the run if one was found. a is the analysis of the model itself.
func (p *parts) partial(ctx context.Context, a *Analysis) *Explanation {
	known := newParts(a, p.o)
	known.found.stats = p.found.stats
	if !a.Fates.Holds() {
		known.found.verdict = Violated
	}
	run := p.found.run
	if run.trace != nil {
		known.found.verdict = Violated
		// The fields that need classes may be incomplete, so they are left out.
		described, err := describeTrace(context.WithoutCancel(ctx), a, run.trace,
			run.described.Minimal)
		if err == nil {
			described.copyOrigin(run.described)
			known.run = violation{a: a, trace: run.trace, described: described}
		}
	}
	known.Values = known.run.describeValues(p.o.Source)
	return known.explanation()
}

// startNeighbourhoods starts to find the neighbourhoods on another core, during the search for a
// counterexample: neither needs the result of the other.
func (p *parts) startNeighbourhoods(ctx context.Context) {
	a := p.a
	p.searched = cores.Beside(func() (*Neighbourhoods, error) {
		if p.o.NoPaths {
			return &Neighbourhoods{m: a.Components.LTS(), types: a.Classification}, nil
		}
		return a.Neighbourhoods(ctx)
	})
}

// Check reports whether the property f holds in m, and gives a shortest counterexample if it does
// not. It computes nothing else, and leaves the other fields of the Explanation empty. It fails as
// [Explain] does, and with the errors of a search in the product automaton. If the work is stopped
// after the verdict is known, the error is a [*StoppedError], and the Explanation has the verdict,
// and the run if one is known.
func Check(
	ctx context.Context,
	m *lts.LTS,
	f property.Formula,
	o Options,
) (*Explanation, error) {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("m", m),
		required.Argument("f", f),
	); err != nil {
		return nil, err
	}
	o.Search = Search{}
	o.Unfold = false
	a, err := prepare(ctx, m, f, o)
	if err != nil {
		return nil, err
	}
	p := newParts(a, o)
	err = p.check(ctx)
	p.Values = p.run.describeValues(o.Source)
	verdictIsKnown := p.found.verdict == Violated || p.before != beforeShortest
	if verdictIsKnown && isStopped(ctx, err) {
		err = &StoppedError{Before: p.before, Err: err}
	}
	return p.explanation(), err
}

// check searches for a counterexample, adds warnings, and finds the reason of a violation. If a
// phase after the search fails, p.found keeps the verdict. p.before describes the results of the
// current phase, for the error of a check that is stopped.
func (p *parts) check(ctx context.Context) error {
	a := p.a
	err := p.searchAndWarn(ctx)
	if err != nil {
		if a.Fates != nil && !a.Fates.Holds() {
			p.found.verdict = Violated
		}
		hasShortest := p.run.described != nil &&
			p.run.described.Minimal != counterexample.MinimalUnknown
		if hasShortest {
			p.before = beforeList
		}
		return err
	}
	p.before = beforeVacuity
	if err := p.warnOfVacuity(ctx); err != nil {
		return err
	}
	// When the property was bound, it was not known which labels runs do.
	if p.found.verdict == Violated && p.o.InAutomaton == nil {
		known := len(a.Warnings)
		if err := a.warnOfAbsence(ctx); err != nil {
			return err
		}
		p.warnings = append(p.warnings, a.Warnings[known:]...)
	}
	p.before = beforeReason
	// The search is complete, since it did not fail. So the verdict is known; if ctx is done by
	// now, the result has no reason.
	if p.run.trace == nil || ctx.Err() != nil {
		return nil
	}
	if err := p.judgeConjuncts(ctx); err != nil {
		return err
	}
	defer a.phase("diagnosis")()
	p.Diagnosis, err = p.run.diagnoseChecked(ctx)
	return err
}

// searchAndWarn searches for a counterexample, takes over its run, and adds the warnings of the search,
// even if the search fails.
func (p *parts) searchAndWarn(ctx context.Context) error {
	searchErr := p.searchOnly(ctx)
	p.run = p.found.run
	p.All = p.found.all
	warnErr := p.warnOfSearch(ctx)
	return cmp.Or(searchErr, warnErr)
}

// searchOnly searches for a counterexample, without the classes of transitions.
func (p *parts) searchOnly(ctx context.Context) error {
	a := p.a
	if a.fairness != nil {
		if err := a.findFates(ctx, p.o); err != nil {
			return err
		}
		return a.choose(ctx, p.o, nil, &p.found)
	}
	if p.o.List <= 0 && p.o.InAutomaton == nil {
		return a.findShortest(ctx, p.o, &p.found)
	}
	if err := a.findComponents(ctx, p.o.Engine); err != nil {
		return err
	}
	if p.o.InAutomaton != nil {
		return a.searchAutomaton(ctx, p.o.InAutomaton, &p.found)
	}
	if err := a.listShortest(ctx, p.o, &p.found); err != nil || p.found.run.trace == nil {
		return err
	}
	return a.list(ctx, p.o, &p.found)
}

// findComponents finds the components alone.
func (a *Analysis) findComponents(ctx context.Context, engine scc.Engine) error {
	end := a.phase("components")
	components, err := scc.Find(ctx, a.m, engine)
	if err != nil {
		return err
	}
	a.Components = components
	end()
	return nil
}

// parts are the results of the phases of [Explain] and [Check]. The results of a phase that did not
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
	// run is the violating run of found. If the unfolded model is analysed, it is a run of that
	// model.
	run violation
	Run
	Causes
	advised
	vicinities *Neighbourhoods
	// searched are the neighbourhoods that another core finds.
	searched func() (*Neighbourhoods, error)
	// before describes the results of the current phase, for the error if the work is stopped.
	before string
	// mostUnfolded is the largest number of transitions of the products that the search for assumptions
	// makes.
	mostUnfolded int64
}

// outcome is the result of a search: the verdict, and a run if the property is violated.
type outcome struct {
	verdict  Verdict
	run      violation
	pattern  *actl.Formula
	stats    *counterexample.Stats
	warnings []string
	// isSettled reports whether the verdict and the run remain the same if runs may forever take
	// steps that change nothing, see [Source.Unsettled].
	isSettled bool
	// fewest reports whether the run has the fewest faults of all violating runs.
	fewest bool
	// all are the shortest counterexamples, nil if they were not requested.
	all *All
}

// outcome returns the outcome of a search that has found no run.
func (a *Analysis) outcome() outcome {
	return outcome{verdict: Satisfied, run: violation{a: a}}
}

// newParts returns the parts that are known before any search.
func newParts(a *Analysis, o Options) *parts {
	return &parts{
		o:            o,
		a:            a,
		model:        modelOf(a.m, o.File),
		property:     describeProperty(a),
		warnings:     append([]string{}, a.Warnings...),
		found:        a.outcome(),
		run:          violation{a: a},
		advised:      advised{Advice: Advice{Fairness: assumptionsOf(o.Fair)}},
		vicinities:   &Neighbourhoods{},
		before:       beforeShortest,
		mostUnfolded: mostUnfoldedForFairness,
	}
}

func (p *parts) explanation() *Explanation {
	p.Counterexample = p.run.described
	e := &Explanation{
		Model:     p.model,
		Property:  p.property,
		Verdict:   p.found.verdict,
		Warnings:  p.warnings,
		Run:       p.Run,
		Causes:    p.Causes,
		Advice:    p.Advice,
		Faults:    p.faults,
		Stats:     p.found.stats,
		Timings:   p.a.Phases,
		Cost:      p.o.cost(p.model.Transitions, p.a.Phases, p.found.stats),
		lts:       p.a.m,
		unfolding: p.a.Unfolding,
		formula:   p.a.Formula,
		pattern:   p.found.pattern,
		trace:     p.run.trace,
		found:     p.vicinities,
	}
	mayHaveAnother := p.a.Classification != nil && p.o.Search.Given == nil && !p.o.Unfold
	if mayHaveAnother {
		e.parts = p
	}
	return e
}

// choose finds the counterexample to be explained.
func (p *parts) choose(ctx context.Context) error {
	p.model.describe(p.a.Components)
	if !p.o.Unfold {
		p.startNeighbourhoods(ctx)
	}
	if len(p.o.Faults) > 0 {
		if err := p.countFaults(ctx); err != nil {
			return err
		}
	}
	if err := p.a.choose(ctx, p.o, p.faults, &p.found); err != nil {
		return err
	}
	if err := p.warnOfSearch(ctx); err != nil {
		return err
	}
	if p.faults != nil {
		p.faults.Fewest = p.found.fewest
	}
	run, err := p.found.run.withRepeatingLoop(ctx)
	if err != nil {
		return err
	}
	p.found.run = run
	p.run = run
	return nil
}

// warnOfSearch adds the warnings of the search, and the warning of [Source.Unsettled] if it
// matters.
func (p *parts) warnOfSearch(ctx context.Context) error {
	if p.o.Unsettled != "" && !p.found.isSettled {
		isLeftOpen, err := p.dependsOnIdling(ctx)
		if err != nil {
			return err
		}
		if isLeftOpen {
			p.warnings = append(p.warnings, p.o.Unsettled)
		}
	}
	p.warnings = append(p.warnings, p.found.warnings...)
	return nil
}

// dependsOnIdling reports whether the verdict can depend on whether runs may forever take steps
// that change nothing. A satisfied property does not depend on this in two cases: if it is a safety
// property, since such a run begins like others; and if it is freedom from deadlock, which depends
// on states alone.
func (p *parts) dependsOnIdling(ctx context.Context) (bool, error) {
	if p.found.verdict != Satisfied {
		return true, nil
	}
	if p.a.Property.Kind() == property.KindDeadlockFree {
		return false, nil
	}
	words, err := product.ResidualsOf(ctx, p.a.Property)
	if err != nil {
		return false, err
	}
	return !words.IsSafety(), nil
}

// countFaults finds out how many faults a violation takes.
func (p *parts) countFaults(ctx context.Context) error {
	end := p.a.begin(ctx, "faults")
	faults, err := leastFaults(ctx, p.a.Fates, p.o.Faults)
	if err != nil {
		return err
	}
	p.faults = faults
	end()
	return nil
}

// warnOfVacuity adds warnings about the antecedents of a satisfied property that no run does.
func (p *parts) warnOfVacuity(ctx context.Context) error {
	if p.found.verdict != Satisfied {
		return nil
	}
	// These warnings replace the warnings about all labels that never happen.
	p.warnings = slices.DeleteFunc(p.warnings, func(w string) bool {
		return strings.HasSuffix(w, actl.NeverHappens)
	})
	f, hasAntecedents := p.a.Formula.(conditional)
	if !hasAntecedents {
		return nil
	}
	steps, err := f.Antecedents(ctx, p.a.m.Alphabet())
	if err != nil || len(steps) == 0 {
		return err
	}
	happening, err := p.a.m.Happening(ctx)
	if err != nil {
		return err
	}
	warned := map[string]bool{}
	for _, step := range steps {
		text := step.Pattern.String()
		if !warned[text] && !happens(step, happening) {
			warned[text] = true
			p.warnings = append(p.warnings,
				fmt.Sprintf("the property holds, but %s never happens", text))
		}
	}
	return nil
}

// describeHolds finds the reasons why the property holds.
func (p *parts) describeHolds(ctx context.Context) error {
	if p.found.verdict != Satisfied || p.o.NoReasons {
		return nil
	}
	defer p.a.begin(ctx, "holds")()
	found := &Reasons{
		Bounds:   []Bound{},
		NoRole:   []NoRole{},
		RestsOn:  []Support{},
		Complete: true,
	}
	if err := found.findBounds(ctx, p.a); err != nil {
		return err
	}
	found.findMargin(p.a)
	if !p.o.NoAdvice {
		if err := found.vary(ctx, p.a, p.o); err != nil {
			return err
		}
	}
	p.Reasons = found
	return nil
}

// describeFairness finds out which fairness would make a violated property true. If fairness is
// assumed, it finds out which of its tasks are enough.
func (p *parts) describeFairness(ctx context.Context) error {
	isTooLarge := p.a.m.NumTransitions() > mostTransitionsForFairness
	isViolated := p.run.trace != nil
	if p.o.NoFairness || isTooLarge || p.a.fairness == nil && !isViolated {
		return nil
	}
	defer p.a.begin(ctx, "fairness")()
	err := p.findFairness(ctx)
	if errors.Is(err, assume.ErrUnfolded) {
		p.warnings = append(p.warnings, tooLargeForFairness)
		return nil
	}
	return err
}

// findFairness finds the fairness for describeFairness. The search may have begun on another core.
func (p *parts) findFairness(ctx context.Context) (err error) {
	switch {
	case p.a.ahead != nil:
		p.Fairness, err = p.a.ahead()
	case p.a.fairness == nil:
		p.Fairness, err = p.a.describeFairness(ctx, p.o.Owners, p.mostUnfolded)
	default:
		err = p.Fairness.describeEnough(ctx, p.a, mostForFairness)
	}
	if p.Fairness != nil && !p.a.Fates.Holds() {
		p.Fairness.Lacking = p.o.Lacking
	}
	return err
}

// advise finds a repair, and the nearest correct run.
func (p *parts) advise(ctx context.Context) error {
	if p.run.trace == nil || p.o.NoAdvice {
		return nil
	}
	defer p.a.begin(ctx, "advice")()
	run := p.run
	if len(p.o.Search.Fair) > 0 {
		var err error
		run.a, err = p.analyseUnderGivenFairness(ctx)
		if err != nil {
			return err
		}
	}
	if run.a.fairness != nil {
		isFull := run.a.fairness.Full() && len(p.o.Fair) == 1
		warnings, err := run.adviseFairly(ctx, isFull, &p.advised)
		p.warnings = append(p.warnings, warnings...)
		return err
	}
	isFirst := p.o.Search.isPlain() && len(p.o.Faults) == 0 &&
		p.run.described.Minimal != counterexample.MinimalUnknown
	warnings, err := p.run.advise(ctx, isFirst, &p.advised)
	p.warnings = append(p.warnings, warnings...)
	if p.Repair != nil {
		p.Repair.Obstacle.describeStart(p.a, p.o.Source.shownValues())
	}
	return err
}

// analyseUnderGivenFairness returns the analysis under the fairness that a given counterexample
// must have. So the advice is about runs with this fairness only, too.
func (p *parts) analyseUnderGivenFairness(ctx context.Context) (*Analysis, error) {
	question := Options{
		Source: p.o.Source,
		Engine: p.o.Engine,
		Queue:  p.o.Queue,
		Fair:   p.o.Search.Fair,
	}
	a, err := prepare(ctx, p.a.m, p.a.Formula, question)
	if err != nil {
		return nil, err
	}
	return a, a.findFates(ctx, question)
}

// unfold repeats the analysis for the unfolded model, if the options ask for it.
func (p *parts) unfold(ctx context.Context) error {
	if !p.o.Unfold {
		return nil
	}
	unfolded, err := p.analyseUnfolded(ctx)
	if err != nil {
		return err
	}
	p.Folded = p.describeFolded()
	p.run, err = p.run.unfolded(ctx, unfolded)
	if err != nil {
		return err
	}
	p.Reasons, err = p.Reasons.unfolded(ctx, unfolded)
	if err != nil {
		return err
	}
	p.a = unfolded
	p.startNeighbourhoods(ctx)
	return nil
}

// analyseUnfolded returns the analysis of the unfolded model.
func (p *parts) analyseUnfolded(ctx context.Context) (*Analysis, error) {
	folded := p.a
	unfolded := &Analysis{
		Formula:  folded.Formula,
		Property: folded.Property,
		Warnings: folded.Warnings,
		Phases:   folded.Phases,
		m:        folded.m,
		files:    folded.files,
		states:   folded.states,
		fairness: folded.fairness,
	}
	if err := unfolded.unfoldFates(ctx, folded.Fates); err != nil {
		return nil, err
	}
	if unfolded.Unfolding == nil {
		if err := unfolded.unfold(ctx); err != nil {
			return nil, err
		}
		if err := unfolded.findFates(ctx, p.o); err != nil {
			return nil, err
		}
	}
	if err := unfolded.classify(ctx, p.o); err != nil {
		return nil, err
	}
	return unfolded, nil
}

// describeFolded counts what the analysis of the model itself has found, before the model is unfolded.
func (p *parts) describeFolded() *Folded {
	classes := p.a.Classification
	folded := &Folded{Classes: Classes(classes.Counts()), Neighbourhoods: len(classes.States())}
	if p.run.trace == nil {
		return folded
	}
	met := map[lts.State]bool{}
	for _, step := range p.run.trace.Steps() {
		if classes.Has(step.From) && !met[step.From] {
			met[step.From] = true // a run can visit a state more than once
			folded.Decisions++
		}
	}
	return folded
}

// decide finds all results that need the classes of transitions: results about the model and, if
// there is a run, about the run.
func (p *parts) decide(ctx context.Context) error {
	defer p.a.begin(ctx, "explain")()
	if err := p.describeNeighbourhoods(); err != nil {
		return err
	}
	p.Values = p.run.describeValues(p.o.Source)
	classes := Classes(p.a.Classification.Counts())
	p.Reading = p.a.Classification.Reading()
	p.Classes = &classes
	if p.run.trace == nil {
		return nil
	}
	r := p.run.repeating()
	abstraction := simplify.Abstract(r.trace, p.a.Classification)
	if err := r.describeSteps(ctx, abstraction); err != nil {
		return err
	}
	p.Abstracted = &Abstracted{Length: len(abstraction.Kept), Steps: abstraction.Kept}
	p.PointOfNoReturn = r.pointOfNoReturn(abstraction)
	decisions, err := r.describeDecisions(ctx, abstraction, p.o.Source.shownValues())
	if err != nil {
		return err
	}
	p.Decisions = decisions
	p.Exits, p.Way, err = r.describeExits(ctx, abstraction)
	if err != nil {
		return err
	}
	p.Loss, err = r.describeLoss(ctx)
	if err != nil {
		return err
	}
	p.rankDecisions()
	p.nameOwners()
	p.Diagnosis, err = p.run.diagnose(ctx, p.Loss)
	if err != nil {
		return err
	}
	if err := p.findCause(ctx); err != nil {
		return err
	}
	if err := p.dropUnhelpful(ctx); err != nil {
		return err
	}
	p.nameInactive()
	return r.shortestExits(ctx, p.Diagnosis, p.Exits)
}

// describeNeighbourhoods takes the neighbourhoods that another core has found, and marks those on the run.
func (p *parts) describeNeighbourhoods() error {
	found, err := p.searched()
	if err != nil {
		return err
	}
	passed := *found
	passed.searched = true
	t := p.run.trace
	if t != nil {
		passed.onRun = bitset.New[lts.State](passed.m.NumStates())
		passed.onRun.Add(t.Initial())
		for i := range t.Len() {
			passed.onRun.Add(t.Step(i).To)
		}
	}
	p.vicinities = &passed
	return nil
}

// describeSteps adds the classes, neighbourhoods and fates to the steps of the run.
func (r repeating) describeSteps(ctx context.Context, abstraction *simplify.Abstraction) error {
	classes := r.a.Classification
	r.described.InitialFate = abstraction.Fates[0]
	for i := range r.described.Steps {
		if err := cores.Done(ctx, i); err != nil {
			return err
		}
		step := r.trace.Step(i)
		described := &r.described.Steps[i]
		described.Class = classes.Class(step.From, step.Label, step.To)
		described.Neighbourhood = whetherIt(classes.Has(step.From))
		described.Fate = abstraction.Fates[i+1]
	}
	return nil
}

// pointOfNoReturn describes the point of no return of the run; nil if there is none.
func (r repeating) pointOfNoReturn(abstraction *simplify.Abstraction) *PointOfNoReturn {
	i := abstraction.PointOfNoReturn
	if i < 0 {
		return nil
	}
	return &PointOfNoReturn{
		Step:  StepIndex(i),
		State: r.trace.Step(i).From,
		Label: r.described.Steps[i].Label,
	}
}

// rankDecisions ranks the decisions. Decisions that every violation takes come first, then the
// others. Within each group, later decisions on the run come first.
func (p *parts) rankDecisions() {
	rank := 0
	for _, necessary := range []bool{true, false} {
		for i := len(p.Decisions) - 1; i >= 0; i-- {
			d := &p.Decisions[i]
			isNecessary := p.Necessity != nil && slices.Contains(p.Necessity.Steps, d.Step)
			if isNecessary == necessary {
				rank++
				d.Rank = rank
			}
		}
	}
}

// nameOwners sets the owners of steps and decisions, if owners are known.
func (p *parts) nameOwners() {
	owners := p.o.Owners
	if owners == nil {
		return
	}
	described := *p.run.described
	described.Steps = slices.Clone(described.Steps)
	alphabet := p.run.a.m.Alphabet()
	for i := range described.Steps {
		label := p.run.trace.Step(i).Label
		described.Steps[i].Owner = printable.List(owners.ownersOf(alphabet, label, described.Steps[i].Label), "and")
	}
	p.run.described = &described
	for i := range p.Decisions {
		p.Decisions[i].Owner = described.Steps[p.Decisions[i].Step].Owner
	}
}

// nameInactive sets [Diagnosis.Inactive], if owners are known.
func (p *parts) nameInactive() {
	d := p.Diagnosis
	isStarvedEverywhere := d != nil && d.Kind == KindStarved && d.Alike && d.PossibleIn == d.Of
	if p.o.Owners == nil || !isStarvedEverywhere {
		return
	}
	name := p.ownerOfAll(d.Pending)
	if name == "" {
		return
	}
	start, _ := p.run.trace.LoopStart()
	for i := start; i < p.run.trace.Len(); i++ {
		if p.takesPart(name, p.run.trace.Step(i).Label) {
			return
		}
	}
	d.Inactive = name
}

// ownerOfAll returns the only owner of some labels; "" if there is none.
func (p *parts) ownerOfAll(texts []string) string {
	name := ""
	alphabet := p.run.a.m.Alphabet()
	for _, text := range texts {
		for _, label := range alphabet.Variants(text) {
			owners := p.o.Owners.ownersOf(alphabet, label, text)
			isOther := len(owners) != 1 || name != "" && owners[0] != name
			if isOther {
				return ""
			}
			name = owners[0]
		}
	}
	return name
}

// takesPart reports whether an owner owns a label, or is a component that takes part in it.
func (p *parts) takesPart(owner string, label lts.Label) bool {
	owners := p.o.Owners
	text := p.run.a.text(label)
	if slices.Contains(owners.ownersOf(p.run.a.m.Alphabet(), label, text), owner) {
		return true
	}
	return owners.Components != nil && slices.Contains(owners.Components(text), owner)
}

// ErrMemory matches, by [errors.Is], the error of work that was ended by the limit of [WithMemory].
// The text of that error has the phase and the limit.
var ErrMemory = resources.ErrExceeded

// WithMemory returns a context that limits the memory of the process to the given number of bytes,
// for work in all packages of this module. Before the process exceeds the limit, the context ends:
// then [context.Cause] of this context is an [ErrMemory], and the work fails with this error, or
// with [context.Canceled]. Until release is called, a goroutine reads the memory of the process up
// to 500 times a second.
func WithMemory(ctx context.Context, bytes int64) (limited context.Context, release func()) {
	limit := resources.Limit{Bytes: bytes, By: "allowed"}
	return resources.Join(resources.NewBudget(limit, nil).With(ctx))
}

// Progress is the progress of one phase of long work. It comes from [WithProgress]. Any goroutine may
// read it while the work continues.
type Progress struct{ meter *progress.Meter }

// Phase returns the name of the phase, such as "read".
func (p Progress) Phase() string { return p.meter.Phase }

// Done returns the amount of work that is done, in the unit of the phase.
func (p Progress) Done() int64 { return p.meter.Done() }

// Total returns the size of the whole phase, in its unit; 0 if it is unknown.
func (p Progress) Total() int64 { return p.meter.Total }

// Unit returns the unit in which the phase counts: bytes, states, transitions or jobs; "" for a
// phase whose progress is unknown.
func (p Progress) Unit() string { return p.meter.Unit.String() }

// WithProgress returns a context with which work in all packages of this module reports its
// progress: it calls started at the beginning of each phase. Phases may overlap, and several
// goroutines may call started.
func WithProgress(ctx context.Context, started func(Progress)) context.Context {
	return progress.Also(ctx, func(m *progress.Meter) { started(Progress{m}) })
}

// StoppedError reports that work was stopped, by its context or for lack of memory, after the
// verdict was known. The Explanation that is returned with it has the verdict.
type StoppedError struct {
	// Before describes the results that are missing. Their fields have the same values as if they
	// had not been requested.
	Before string
	Err    error
}

func (e *StoppedError) Error() string {
	if e == nil {
		return "<nil>"
	}
	return fmt.Sprintf("stopped before %s: %v", e.Before, e.Err)
}

// Unwrap returns the error that stopped the work.
func (e *StoppedError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// These texts, for errors, describe the results that are missing after a phase was stopped.
const (
	beforeShortest = "a shortest counterexample was known"
	beforeList     = "all shortest counterexamples were counted"
	beforeVacuity  = "it was known which elements of the property matter"
	beforeHolds    = "it was known by what margin it holds"
	beforeReason   = "the reason was known"
	beforeFairness = "it was known which fairness would help"
	beforeAdvice   = "advice"
	beforeUnfolded = "the unfolded model was known"
	beforeRest     = "all decisions were known"
	beforeAnother  = "all further counterexamples were known"
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

// These are the limits of the search for a shortest counterexample if the options set none: the
// number of visits to states after the search has found a counterexample, and the number of visits
// for each product state. They are several times the visits for the worst random models
// (docs/semantics.md).
const (
	visitsAlways = 50_000_000
	visitsEach   = 200
)

func defaultLimit(m *lts.LTS, p *property.Property) int64 {
	return visitsAlways + visitsEach*largestProduct(m, p)
}

// Cost is the time and memory of a run. Unlike all other results, Cost differs from run to run.
type Cost struct {
	// PeakMemory and PeakHeap are peaks of the process, in bytes. PeakMemory counts the memory that
	// the process had from the system, PeakHeap the part of Go's heap that was in use.
	PeakMemory int64 `json:"peak_memory_bytes"`
	PeakHeap   int64 `json:"peak_heap_bytes"`
	// BytesPerTransition is PeakMemory divided by the transitions of the model, to a tenth; 0
	// without transitions.
	BytesPerTransition float64 `json:"bytes_per_transition,omitzero"`
	// ReadPerSecond is the number of transitions read in a second; 0 if no phase has the time of
	// reading.
	ReadPerSecond float64 `json:"transitions_read_per_second,omitzero"`
	// Queue is the queue that ordered states for common prefixes and suffixes; "" if none were
	// computed.
	Queue enrich.Queue `json:"queue,omitempty"`
	// Search are the counts of the search for the counterexample; nil if there was no search.
	Search *counterexample.Stats `json:"search,omitempty"`
}

// cost returns the cost so far; nil if the options do not ask for it.
func (o Source) cost(transitions int, phases []Phase, search *counterexample.Stats) *Cost {
	if !o.Measure {
		return nil
	}
	c := Phases(phases).Cost(transitions)
	c.Search = search
	return c
}

// Cost returns the cost so far of a process that has worked on one model, with the given number of
// transitions, in the phases p. The call asks the system, and takes well under a millisecond.
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

// Options say how [Explain], [Check] and [Analyse] work. The zero value is the default. Each
// function ignores the options that are only for the others.
type Options struct {
	Source
	// Engine finds the strongly connected components.
	Engine scc.Engine
	// Queue orders states in the passes for common prefixes and suffixes.
	Queue enrich.Queue
	// Fair are the assumptions that runs must satisfy to count. If there are none, all runs count.
	// Fair excludes Search, List and InAutomaton.
	Fair []*actl.Assumption
	// Limit, if it is positive, limits the search for a shortest counterexample, as in
	// [counterexample.Options].
	Limit int64

	// Reading is the condition under which incoming transitions make a state a neighbourhood. Only
	// Explain and Analyse use it.
	Reading neighbourhood.Reading
	// Unfold asks for the analysis of the unfolded model (see package product). There, a class
	// depends on the history of the run, while in the model itself it covers all histories of a
	// state. Only Explain and Analyse use Unfold.
	Unfold bool

	// Search chooses the counterexample that Explain explains.
	Search Search
	// NoFairness asks Explain to skip the search for assumptions about infinite runs that would
	// make a violated property true.
	NoFairness bool
	// Lacking is the fairness that the specification of the model lacks. Explain copies it to the
	// result.
	Lacking *LackingFairness
	// NoAdvice asks Explain to skip the search for a repair and for the nearest correct run.
	NoAdvice bool
	// NoReasons asks Explain to skip the search for the reasons why a property holds, see
	// [Reasons].
	NoReasons bool
	// RestsOnLabels asks Explain to examine each label instead of each gate, for [Reasons.RestsOn].
	RestsOnLabels bool
	// Faults are patterns of labels that Explain counts as faults. If there are any, the result has
	// the smallest number of faults with which a violation is possible, and the counterexample is
	// one with so few faults, unless Search or Fair excludes that.
	Faults []actl.Pattern
	// Owners are the owners of actions; nil if they are not known. With them, Explain gives
	// decisions and steps an owner. For a violated property, it also reports who could have
	// prevented the violation, and the verdict on just runs.
	Owners *Owners
	// Another is the number of further counterexamples that Explain searches for, see [Other]. It
	// excludes Search.Given and Unfold.
	Another int
	// NoPaths asks Explain to skip the shortest paths to neighbourhoods, which only lists of
	// neighbourhoods show. [Neighbourhood.Distance] is then -1.
	NoPaths bool

	// List asks Check to count all shortest counterexamples, and to return at most this many of
	// them. If it is 0, Check does neither.
	List int
	// InAutomaton, unless it is nil, asks Check to search in the product automaton of model and
	// property instead of in the model itself. Check then ignores List.
	InAutomaton *AutomatonSearch

	// judged is the analysis that [Options.IsViolated] keeps; nil if it was not called.
	judged *judged
	// fairnessAhead asks an analysis to begin the search for fairness, which [Explain] then
	// completes.
	fairnessAhead bool
}

// Source describes the origin of a model and what happened while it was read: the options of all
// questions about a model.
type Source struct {
	// File is the model's name in the results.
	File string
	// States has the values of the states of the model; nil if they have none.
	States *lts.Values
	// Shown, unless it is nil, has the values of states that outputs show instead of those of
	// States.
	Shown *lts.Values
	// Specification returns the position of the action of a label in the text from which the model
	// was generated, or nil if the action has no position there. Specification is nil if the text
	// is not known. With it, decisions have the positions of their actions.
	Specification func(label string) *Position
	// Idle is the label of stuttering steps, which change nothing; "" if there is none. Nobody can
	// choose or forbid these steps.
	Idle string
	// Process, unless it is nil, returns the process that takes the steps with a label, or "" if
	// that is not known. Among runs that differ only in the order of independent steps, Explain
	// then prefers a run in which a process continues as long as it can.
	Process func(label string) string
	// Unsettled, unless it is "", is the warning that the model leaves open whether runs may
	// forever take steps that change nothing: steps from a state to itself. Explain then prefers
	// runs without such steps, and gives the warning only if the result depends on what is left
	// open.
	Unsettled string
	// Warnings are earlier warnings, such as those about reading the model.
	Warnings []string
	// Before are earlier phases, such as reading the model.
	Before []Phase
	// Measure asks for the [Cost] of the process, at the end.
	Measure bool
}

// conjuncts are the conditions that a formula joins by "and", with their properties. There are none
// if the formula joins no conditions, or more than mostConjuncts.
type conjuncts struct {
	formulas   []property.Formula
	properties []*property.Property
}

// mostConjuncts is the largest number of conditions that are judged.
const mostConjuncts = 64

// bindConjuncts binds the conditions that f joins. It binds them to the labels that runs of m do.
func bindConjuncts(ctx context.Context, f property.Formula, m *lts.LTS) (conjuncts, error) {
	conjunction, hasConjuncts := f.(interface{ Conjuncts() []property.Formula })
	if !hasConjuncts {
		return conjuncts{}, nil
	}
	bound := conjuncts{formulas: conjunction.Conjuncts()}
	if len(bound.formulas) < 2 || len(bound.formulas) > mostConjuncts {
		return conjuncts{}, nil
	}
	labels, err := m.Happening(ctx)
	if err != nil {
		return conjuncts{}, err
	}
	for _, f := range bound.formulas {
		p, _, err := f.Bind(ctx, labels)
		if err != nil {
			return conjuncts{}, err
		}
		bound.properties = append(bound.properties, p)
	}
	return bound, nil
}

// triggers are the elements of a formula that oblige a run to something: requests, beginnings of
// scopes, and in linear temporal logic the premises of implications under G. To forbid a trigger is
// no repair: the property would then hold only because nothing is asked. The zero value has no
// triggers.
type triggers struct {
	steps []property.Step
	// isTrigger reports, for each label, whether it does one of the steps; nil without steps.
	isTrigger []bool
}

// bindTriggers returns the triggers of f in m; none if the type of f has no triggers.
func bindTriggers(ctx context.Context, f property.Formula, m *lts.LTS) (triggers, error) {
	withTriggers, hasTriggers := f.(interface {
		Triggers(context.Context, *lts.Alphabet) ([]property.Step, error)
	})
	if !hasTriggers {
		return triggers{}, nil
	}
	steps, err := withTriggers.Triggers(ctx, m.Alphabet())
	if err != nil || len(steps) == 0 {
		return triggers{}, err
	}
	isTrigger := make([]bool, m.Alphabet().Len())
	for _, step := range steps {
		for _, l := range step.Labels {
			isTrigger[l] = true
		}
		for l := range m.Alphabet().All() {
			isTrigger[l] = isTrigger[l] || step.LeadsTo(m.Alphabet(), l)
		}
	}
	return triggers{steps: steps, isTrigger: isTrigger}, nil
}

// has reports whether a label does a trigger.
func (t triggers) has(l lts.Label) bool { return t.isTrigger != nil && t.isTrigger[l] }
