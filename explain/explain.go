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
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain/internal/assume"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
	"github.com/inev-lts/inev/simplify"
)

// schema names the version of the format of an Explanation in JSON.
const schema = "inev.explanation/3"

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
		{beforeRest, p.leaveAlongWay},
		{beforeRest, p.leaveToBehaviour},
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

// searchOnly searches for a counterexample by the search that the options ask for. It computes only
// what this search needs: the classes of transitions never, the fates only under fairness.
func (p *parts) searchOnly(ctx context.Context) error {
	a := p.a
	switch {
	case a.fairness != nil:
		if err := a.findFates(ctx, p.o); err != nil {
			return err
		}
		return a.chooseFair(ctx, &p.found)
	case p.o.InAutomaton != nil:
		if err := a.findComponents(ctx, p.o.Engine); err != nil {
			return err
		}
		return a.searchAutomaton(ctx, p.o.InAutomaton, &p.found)
	case p.o.List > 0:
		return p.searchAndList(ctx)
	}
	return a.findShortest(ctx, p.o, &p.found)
}

// searchAndList searches for a shortest counterexample and, if there is one, lists all of them.
func (p *parts) searchAndList(ctx context.Context) error {
	a := p.a
	if err := a.findComponents(ctx, p.o.Engine); err != nil {
		return err
	}
	if err := a.findShortestToList(ctx, p.o, &p.found); err != nil {
		return err
	}
	if p.found.run.trace == nil {
		return nil
	}
	return a.listShortest(ctx, p.o, &p.found)
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
