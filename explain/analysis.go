package explain

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

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
	return triggers{steps: steps, isTrigger: labelsOf(steps, m.Alphabet())}, nil
}

// labelsOf reports, for each label of an alphabet, whether a transition with it does one of the steps.
func labelsOf(steps []property.Step, a *lts.Alphabet) []bool {
	does := make([]bool, a.Len())
	for _, step := range steps {
		for _, l := range step.Labels {
			does[l] = true
		}
		for l := range a.All() {
			does[l] = does[l] || step.LeadsTo(a, l)
		}
	}
	return does
}

// has reports whether a label does a trigger.
func (t triggers) has(l lts.Label) bool { return t.isTrigger != nil && t.isTrigger[l] }
