package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"strconv"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/footprint"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// mostForAdvice is the largest product of the number of property states and the size of the model,
// in states and transitions, for which an explanation answers the questions that need the unfolded
// model.
const mostForAdvice = footprint.MostForAdvice

// Advice takes several passes through the unfolded model; the other phases of an explanation take
// passes through the model alone. Above these numbers of product states and transitions, for a
// chain and for another property, advice takes several times as long as the other phases, and more
// than a third of a second.
const (
	mostForAdviceOnChain = 2_000_000
	mostForAdviceOnTable = 450_000
)

const tooLargeForAdvice = "what to forbid was not looked for, nor the nearest correct run: the product of model and property is large; inev repair takes any size"

// The warnings when a search reaches its limit: for a repair (tooLong), for a repair that may forbid
// triggers (tooLongWithTriggers), and for the nearest correct run if none was found (tooFar), or if
// one was found (near).
const (
	tooLong             = "what to forbid is left out: the search for it was stopped after %s places and transitions"
	tooLongWithTriggers = "whether it helps to forbid what triggers the property is left out: the search for it was stopped after %s places and transitions"
	tooFar              = "the nearest correct run is left out: the search for it was stopped after %s transitions"
	near                = "another correct run may be nearer: the search for the nearest was stopped after %s transitions"
)

// grouped returns a number with a comma before each three digits.
func grouped(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// largestProduct returns an upper bound of the product states and transitions.
func largestProduct(m *lts.LTS, p *property.Property) int64 {
	return int64(p.States()) * (int64(m.NumStates()) + int64(m.NumTransitions()))
}

// advise finds out what would make the property true, and the nearest correct run. isFirst reports
// that v.trace is the run that [counterexample.Shortest] returns.
func (v violation) advise(ctx context.Context, isFirst bool, found *Advice) (warnings []string) {
	m, p := v.a.m, v.a.Property
	most := int64(mostForAdviceOnTable)
	if p.Steps() > 0 {
		most = mostForAdviceOnChain
	}
	if largestProduct(m, p) > most {
		return []string{tooLargeForAdvice}
	}
	fixed := v.a.triggers()
	idle := RepairOptions{Source: Source{Idle: v.a.idle}}
	x := repair.Violation{
		Fates: v.a.Fates, Run: v.trace, First: isFirst, Triggers: fixed.steps, IsTrigger: fixed.has,
		Controllable: idle.controls(m, fixed), WithTriggers: idle.controls(m, triggers{}), Work: repair.WorkForRepair,
	}
	advice := abort.Must(repair.Advise(ctx, x))
	if common := advice.Necessity; common != nil {
		n := &Necessity{Steps: v.firstOf(common.Every), Stop: common.Stop}
		if common.AtLength != nil {
			n.AtLength = v.firstOf(common.AtLength)
		}
		if n.Stop {
			at := ModelState(v.trace.Last())
			n.At = &at
		}
		for _, t := range common.Missing {
			n.Missing = append(n.Missing, modelStep(m, t))
		}
		found.Necessity = n
	}
	if advice.Repair == nil {
		return limitsOf(advice)
	}
	r := describeRepair(m, p, advice.Repair, advice.FairChoices)
	r.Triggers = textsOf(m, x.IsTrigger)
	if advice.Cut != nil && advice.Cut.Found && len(advice.Cut.Transitions) > 0 {
		r.Cut = &Cut{}
		for _, t := range advice.Cut.Transitions {
			step := CutStep{ModelStep: modelStep(m, t)}
			if i := slices.Index(v.trace.Steps(), t); i >= 0 {
				step.Step = stepIndex(i)
			}
			r.Cut.Transitions = append(r.Cut.Transitions, step)
		}
	}
	switch fewest := advice.FewestTriggers; {
	case advice.Lifted == nil:
	case !advice.Lifted.Solvable:
		// A supervisor that may forbid triggers does not win either: its obstacle says more.
		r.Obstacle = describeObstacle(m, advice.Lifted.Obstacle)
	case advice.Everywhere:
		r.OnlyTriggers = &OnlyTriggers{Labels: describeFewest(m, fewest).Labels, Everywhere: true}
	default:
		r.OnlyTriggers = &OnlyTriggers{Labels: r.Triggers, Supervisor: describeRepair(m, p, advice.Lifted, nil)}
	}
	found.Repair = r
	if diff := advice.Nearest; diff != nil {
		found.Nearest = &Diff{Edits: diff.Edits, Fork: diff.Fork, Steps: []DiffStep{}, Loop: diff.Loop, Ends: diff.Ends, Near: diff.Near}
		for _, s := range diff.Steps {
			found.Nearest.Steps = append(found.Nearest.Steps, DiffStep{string(s.Op), modelStep(m, s.Transition), s.Progress})
		}
	}
	return limitsOf(advice)
}

// limitsOf returns a warning for each search for advice that reached its limit.
func limitsOf(a *repair.Advice) (warnings []string) {
	work, looks := grouped(repair.WorkForRepair), grouped(a.Looks)
	switch {
	case a.Stopped:
		warnings = append(warnings, fmt.Sprintf(tooLong, work))
	case a.LiftedStopped:
		warnings = append(warnings, fmt.Sprintf(tooLongWithTriggers, work))
	}
	switch {
	case a.TooFar:
		warnings = append(warnings, fmt.Sprintf(tooFar, looks))
	case a.Nearest != nil && a.Nearest.Near:
		warnings = append(warnings, fmt.Sprintf(near, looks))
	}
	return warnings
}

// Necessity is what all violating runs of the model have in common.
type Necessity struct {
	// Steps are the steps of the counterexample whose transition every violating run takes
	// somewhere, in the order of the run; a transition that the counterexample takes twice is
	// listed once.
	Steps []StepIndex `json:"steps"`
	// AtLength are the steps whose transition is taken by every violating run that is no longer
	// than the counterexample; nil if they are not known.
	AtLength []StepIndex `json:"steps_at_length,omitempty"`
	// Stop reports whether all violating runs end in the state where the counterexample ends, and
	// all runs that end there violate the property.
	Stop bool `json:"stop"`
	// At is the state where the run ends; nil unless Stop is true.
	At *ModelState `json:"at,omitempty"`
	// Missing are transitions from state At: the property would be true if the model had any one of
	// them. They are guesses, the likeliest first; nil unless Stop is true.
	Missing []ModelStep `json:"missing,omitempty"`
}

// firstOf returns the indices of the steps that the list selects, each transition once, without the
// step to an initial state.
func (v violation) firstOf(is []bool) []StepIndex {
	steps := []StepIndex{}
	visited := map[lts.Transition]bool{}
	for i, holds := range is {
		if t := v.trace.Step(i); holds && !visited[t] && !v.a.m.IsBefore(t.From) {
			visited[t] = true
			steps = append(steps, StepIndex(i))
		}
	}
	return steps
}

// Repair is what would make a property true, as package repair finds it.
type Repair struct {
	// Solvable reports whether there is a supervisor under which the property holds without new
	// deadlocks.
	Solvable bool `json:"solvable"`
	// Never are the transitions that must not be taken, each in some property states.
	Never []Forbidden `json:"never"`
	// NotForEver are the components that a run must leave.
	NotForEver []NotForEver `json:"not_for_ever"`
	// FairChoices are states such that no run stays in one of these components for ever if it is
	// fair to the choices of the states, see [repair.Repair.FairChoices]. Nil if there are no
	// components, and if no such states were found.
	FairChoices []ModelState `json:"fair_choices,omitempty"`
	// EnoughAlone reports whether it is enough to forbid the transitions of Never.
	EnoughAlone bool `json:"enough_alone"`
	// Obstacle is why there is no supervisor; nil if there is one.
	Obstacle *Obstacle `json:"obstacle"`
	// Triggers are the labels that oblige a run to something, in alphabetical order. Forbidding
	// them would make the property true of runs that it is not about, so a repair forbids none
	// unless the options allow it.
	Triggers []string `json:"triggers,omitempty"`
	// OnlyTriggers is the repair that forbids triggers, if there is no other one; nil if another
	// repair exists, and if there is no repair at all.
	OnlyTriggers *OnlyTriggers `json:"only_triggers,omitempty"`
	// Cut is a smallest set of transitions without which the property holds, whatever happened
	// before, if it has 1 or 2 members; nil otherwise, and if that is not known.
	Cut *Cut `json:"cut,omitempty"`
}

// OnlyTriggers is the case that only a repair that forbids triggers makes the property true.
type OnlyTriggers struct {
	// Labels are triggers, in alphabetical order. With Everywhere, they are the fewest triggers
	// without which the property holds, and no supervisor that makes it true allows one of them
	// anywhere; otherwise they are all triggers.
	Labels     []string `json:"labels"`
	Everywhere bool     `json:"everywhere"`
	// Supervisor is the repair that may forbid triggers; nil if it forbids Labels everywhere.
	Supervisor *Repair `json:"supervisor,omitempty"`
}

// Cut is a smallest set of transitions that can be forbidden without new deadlocks.
type Cut struct {
	Transitions []CutStep `json:"transitions"`
}

type CutStep struct {
	ModelStep
	// Step is the first step of the counterexample that takes the transition; nil if none does.
	Step *StepIndex `json:"step,omitempty"`
}

// Forbidden is a transition that must not be taken in some property states.
type Forbidden struct {
	From  ModelState `json:"from"`
	Label string     `json:"label"`
	To    ModelState `json:"to"`
	// Progress are the property states, ascending, where the transition must not be taken; for a
	// chain, the numbers of done steps. Comes are all property states that runs without forbidden
	// transitions have in state From.
	Progress []int `json:"progress"`
	Comes    []int `json:"comes"`
	// Pending is what is pending in each state of Progress; nil for inevitability.
	Pending []Words `json:"pending,omitempty"`
	// Alike reports whether the same text is pending in a state of Comes where the transition is
	// allowed.
	Alike bool `json:"-"`
	// Others reports whether other transitions with this label leave From and are allowed.
	Others bool `json:"others"`
	// PossibleIn is the number of reachable states where the label is possible.
	PossibleIn int `json:"-"`
	// Owner is the owner who forbids the transition; "" without owners.
	Owner string `json:"owner,omitempty"`
}

// NotForEver is a component of the guarded model that a run must leave.
type NotForEver struct {
	States []ProductState `json:"states"`
	// Loop are the labels of the transitions within the component, in alphabetical order.
	Loop []string `json:"loop_labels"`
	// WaysOut are the allowed transitions that leave the component.
	WaysOut []ProductStep `json:"ways_out"`
	// Again, unless it is nil, has sets of transitions: a run that takes one transition of each set
	// infinitely often need not leave the component.
	Again [][]ProductStep `json:"again,omitempty"`
	// ByLabels reports whether states and labels alone describe the component: see [repair.Part].
	ByLabels bool `json:"-"`
}

// ProductStep is a transition with the property state before it; for a chain, the number of done
// steps.
type ProductStep struct {
	ModelStep
	Progress int `json:"progress"`
}

// ProductState is a product state: of a chain, with the number of steps done.
type ProductState struct {
	State    ModelState `json:"state"`
	Progress int        `json:"progress"`
}

// ModelStep is a transition of the model itself, also if the explanation is about the unfolded
// model.
type ModelStep struct {
	From  ModelState `json:"from"`
	Label string     `json:"label"`
	To    ModelState `json:"to"`
}

// Obstacle is the nearest product state where a supervisor would need an ability that it lacks.
type Obstacle struct {
	// Kind is [NoCorrectRun], [Nondeterminism], or "uncontrollable": the transition cannot be forbidden.
	Kind string `json:"kind"`
	ProductState
	// Path are the labels of a path from the initial state to the product state.
	Path []string `json:"path"`
	// Transition cannot be forbidden, or only together with a good transition with the same label;
	// nil if no run satisfies the property.
	Transition *ModelStep `json:"transition"`
}

// DiffStep is a step of a diff between the counterexample and a correct run.
type DiffStep struct {
	// Op is [Keep], [Remove] or [Insert].
	Op string `json:"op"`
	ModelStep
	// Progress is the property state of the correct run after the step; for a chain, the number of
	// done steps.
	Progress int `json:"progress"`
}

// Diff compares the counterexample with a correct run that differs from it in the fewest steps.
type Diff struct {
	Edits int `json:"edits"`
	// Fork is the number of steps before the runs differ.
	Fork  int        `json:"fork"`
	Steps []DiffStep `json:"steps"`
	// Loop is the number of last steps that the correct run repeats for ever, and Ends reports
	// whether it stops after the last step. If it does neither, every continuation satisfies the
	// property.
	Loop int  `json:"loop,omitzero"`
	Ends bool `json:"ends,omitzero"`
	// Near reports that the search reached its limit, so that another correct run may be nearer.
	Near bool `json:"near,omitzero"`
}

// RepairOptions say how [FindRepair] works.
type RepairOptions struct {
	Source
	// Uncontrollable are labels that cannot be forbidden, Controllable labels that can be. All
	// other labels can be forbidden, except the internal actions i and tau, and the triggers of the
	// property.
	Uncontrollable, Controllable []actl.Pattern
	// MayForbidTriggers treats triggers like all other labels.
	MayForbidTriggers bool
	// ByLabel makes a repair forbid all transitions with one label from a product state, or none of
	// them.
	ByLabel bool
	// Fair is full fairness, or empty for all runs; under another assumption there is only an
	// answer if the property holds.
	Fair []*actl.Assumption
	// Fewest makes FindRepair search for the fewest transitions that must be forbidden, whatever
	// happened before. FewestLabels makes it search for the fewest labels that must be forbidden
	// everywhere. Work limits both searches: see [repair.FewestOptions].
	Fewest, FewestLabels bool
	Work                 int64
	// Owners, unless it is nil, makes FindRepair find out who could have prevented a violation.
	Owners *Owners
}

// Fewest is a smallest set of transitions, or labels, to be forbidden.
type Fewest struct {
	Transitions []ModelStep `json:"transitions,omitempty"`
	Labels      []string    `json:"labels,omitempty"`
	// Found, Exact and AtLeast have the meaning of the fields of [repair.Fewest].
	Found   bool `json:"found"`
	Exact   bool `json:"exact"`
	AtLeast int  `json:"at_least"`
}

// Repaired is the result of [FindRepair].
type Repaired struct {
	Model    Model    `json:"model"`
	Property Property `json:"property"`
	Fairness []Asked  `json:"assumed"`
	*Repair
	Fewest       *Fewest `json:"fewest_transitions,omitempty"`
	FewestLabels *Fewest `json:"fewest_labels,omitempty"`
	// Prevention is nil unless the options have owners.
	Prevention *Prevention `json:"prevention,omitempty"`
	Warnings   []string    `json:"warnings"`
	Timings    Phases      `json:"timings_ms"`
	Cost       *Cost       `json:"stats,omitempty"`

	found *repair.Repair
	lts   *lts.LTS
}

// ErrFairRepair reports a request for a repair of a property that is violated under an assumption
// other than full fairness.
var ErrFairRepair = errors.New("repairs are found without assumptions, or under full fairness: under any other assumption, forbidding an action that has to be fair would make all runs unfair, so that no run would count")

// FindRepair finds a repair of m for f. Errors and cost as for [repair.Find] and, if the fewest are
// requested, [repair.FindFewest].
func FindRepair(ctx context.Context, m *lts.LTS, f property.Formula, o RepairOptions) (_ *Repaired, err error) {
	defer abort.Caught(&err)
	a := prepare(ctx, m, f, Options{Source: o.Source, Fair: o.Fair})
	m = a.m
	r := &Repaired{Model: modelOf(m, o.File), Property: describeProperty(a), Fairness: []Asked{}, Warnings: append([]string{}, a.Warnings...), lts: m}
	if f := assumptionsOf(o.Fair); f != nil {
		r.Fairness = f.Asked
	}
	if a.fairness != nil && (len(o.Fair) > 1 || !a.fairness.Full()) {
		e := abort.Must(Check(ctx, m, f, Options{Source: o.Source, Fair: o.Fair}))
		if e.Verdict == Violated {
			return nil, ErrFairRepair
		}
		r.Repair = &Repair{Solvable: true, Never: []Forbidden{}, NotForEver: []NotForEver{}, EnoughAlone: true}
		r.Timings = e.Timings
		r.Cost = o.cost(m.NumTransitions(), e.Timings, nil)
		return r, nil
	}
	var fixed triggers
	if !o.MayForbidTriggers {
		fixed = a.triggers()
	}
	can := o.controls(m, fixed)
	end := a.begin(ctx, "repair")
	r.found = abort.Must(repair.Find(ctx, m, a.Property, repair.Options{Controllable: can, ByLabel: o.ByLabel, Fair: a.fairness != nil}))
	r.Repair = describeRepair(m, a.Property, r.found, abort.Must(r.found.FairChoices(ctx, workForChoices)))
	end()
	r.Triggers = textsOf(m, func(l lts.Label) bool { return fixed.has(l) && !can(l) })
	fewest := func(asked, labels bool) *Fewest {
		if !asked {
			return nil
		}
		defer a.begin(ctx, "fewest")()
		return describeFewest(m, abort.Must(repair.FindFewest(ctx, m, a.Property, repair.FewestOptions{Controllable: can, Labels: labels, Fair: a.fairness != nil, Work: o.Work})))
	}
	r.Fewest, r.FewestLabels = fewest(o.Fewest, false), fewest(o.FewestLabels, true)
	if o.Owners != nil {
		end := a.phase("coalitions")
		r.Prevention = prevent(ctx, a, fixed, o.Owners, repair.Options{ByLabel: o.ByLabel})
		end()
	}
	r.Timings = a.Phases
	r.Cost = o.cost(m.NumTransitions(), a.Phases, nil)
	return r, nil
}

// Holds reports whether the property holds without a repair.
func (r *Repaired) Holds() bool {
	return r.Solvable && len(r.Never) == 0 && len(r.NotForEver) == 0
}

// Apply returns the model without the transitions that must never be taken: see
// [repair.Repair.Apply].
func (r *Repaired) Apply(ctx context.Context) (fixed *lts.LTS, unfolded bool, err error) {
	if r.found == nil {
		return r.lts, false, nil // the property holds
	}
	fixed, places, err := r.found.Apply(ctx, r.lts)
	return fixed, places != nil, err
}

// workForChoices is the largest number of transitions that the search for fair choices visits,
// repeated visits included.
const workForChoices = 20_000_000

// describeRepair describes a repair with the states of its fair choices.
func describeRepair(m *lts.LTS, p *property.Property, r *repair.Repair, choices []lts.State) *Repair {
	d := &Repair{Solvable: r.Solvable, Never: []Forbidden{}, NotForEver: []NotForEver{}, EnoughAlone: r.EnoughAlone()}
	// For each guarded transition, the number of targets of transitions with its label that remain allowed.
	left := map[alike]int{}
	var targets map[lts.Label]map[lts.State]bool
	for i, g := range r.Never {
		t := g.Transition
		if i == 0 || r.Never[i-1].Transition.From != t.From {
			targets = map[lts.Label]map[lts.State]bool{}
			labels, to := m.Out(t.From)
			for k := range labels.Len() {
				l := m.Alphabet().Plain(labels.At(k))
				if targets[l] == nil {
					targets[l] = map[lts.State]bool{}
				}
				targets[l][to[k]] = true
			}
		}
		for _, j := range g.Progress {
			key := alike{t.From, m.Alphabet().Plain(t.Label), j}
			if _, known := left[key]; !known {
				left[key] = len(targets[key.label])
			}
			left[key]--
		}
	}
	// For each label of a forbidden transition, the number of reachable states where the label is possible.
	possible, last := map[lts.Label]int{}, map[lts.Label]lts.State{}
	for _, g := range r.Never {
		possible[m.Alphabet().Plain(g.Transition.Label)] = 0
	}
	if len(possible) > 0 {
		reach := m.Reachable()
		for t := range m.Transitions() {
			l := m.Alphabet().Plain(t.Label)
			n, is := possible[l]
			if before, seen := last[l]; is && reach.Has(t.From) && (!seen || before != t.From) {
				possible[l], last[l] = n+1, t.From
			}
		}
	}
	for _, g := range r.Never {
		t := modelStep(m, g.Transition)
		f := Forbidden{From: t.From, Label: t.Label, To: t.To, Progress: g.Progress, Comes: g.Comes, PossibleIn: possible[m.Alphabet().Plain(g.Transition.Label)]}
		if p.Steps() == 0 {
			pending := map[string]bool{}
			for _, q := range g.Progress {
				words := p.Pending(property.Q(q))
				f.Pending, pending[words.String()] = append(f.Pending, Words(words)), true
			}
			f.Alike = slices.ContainsFunc(g.Comes, func(q int) bool {
				return !slices.Contains(g.Progress, q) && pending[p.Pending(property.Q(q)).String()]
			})
		}
		f.Others = slices.ContainsFunc(g.Progress, func(q int) bool {
			return left[alike{g.Transition.From, m.Alphabet().Plain(g.Transition.Label), q}] > 0
		})
		d.Never = append(d.Never, f)
	}
	for _, p := range r.NotForEver {
		part := NotForEver{States: []ProductState{}, Loop: []string{}, WaysOut: placeSteps(m, p.WaysOut), ByLabels: p.ByLabels}
		for _, at := range p.Places {
			part.States = append(part.States, ProductState{ModelState(at.State), int(at.Q)})
		}
		for _, l := range p.Loop {
			part.Loop = append(part.Loop, m.Alphabet().Text(l))
		}
		slices.Sort(part.Loop)
		part.Loop = slices.Compact(part.Loop)
		for _, set := range p.Again {
			part.Again = append(part.Again, placeSteps(m, set))
		}
		d.NotForEver = append(d.NotForEver, part)
	}
	if len(choices) > 0 {
		d.FairChoices = modelStates(choices)
	}
	d.Obstacle = describeObstacle(m, r.Obstacle)
	return d
}

func describeObstacle(m *lts.LTS, o *repair.Obstacle) *Obstacle {
	if o == nil {
		return nil
	}
	d := &Obstacle{Kind: string(o.Kind), ProductState: ProductState{ModelState(o.ProductState.State), int(o.ProductState.Q)}, Path: []string{}}
	for _, t := range o.Path {
		d.Path = append(d.Path, m.Alphabet().Text(t.Label))
	}
	if o.Kind != repair.NoCorrectRun {
		t := modelStep(m, o.Transition)
		d.Transition = &t
	}
	return d
}

// alike stands for the transitions with one label from one product state.
type alike struct {
	from  lts.State
	label lts.Label
	q     int
}

func describeFewest(m *lts.LTS, f *repair.Fewest) *Fewest {
	d := &Fewest{Found: f.Found, Exact: f.Exact, AtLeast: f.AtLeast}
	for _, t := range f.Transitions {
		d.Transitions = append(d.Transitions, modelStep(m, t))
	}
	for _, l := range f.Labels {
		d.Labels = append(d.Labels, m.Alphabet().Text(l))
	}
	slices.Sort(d.Labels)
	return d
}

func placeSteps(m *lts.LTS, moves []repair.Move) []ProductStep {
	steps := make([]ProductStep, len(moves))
	for i, x := range moves {
		steps[i] = ProductStep{modelStep(m, x.Transition), x.Progress}
	}
	return steps
}

func modelStep(m *lts.LTS, t lts.Transition) ModelStep {
	return ModelStep{ModelState(t.From), m.Alphabet().Text(t.Label), ModelState(t.To)}
}

// The texts of operations of a [Diff], as in a diff of files.
const (
	Keep   = string(repair.Keep)   // both runs do the step
	Remove = string(repair.Remove) // the run that went wrong does the step, the correct run does not
	Insert = string(repair.Insert) // the correct run does it
)

// Two kinds of an [Obstacle].
const (
	NoCorrectRun   = string(repair.NoCorrectRun)   // no run of the model satisfies the property
	Nondeterminism = string(repair.Nondeterminism) // the label that would help also leads elsewhere
)

// textsOf returns the labels that a function selects, each once, in alphabetical order; nil if there
// are none.
func textsOf(m *lts.LTS, is func(lts.Label) bool) []string {
	var texts []string
	for l, text := range m.Alphabet().All() {
		if is(l) {
			texts = append(texts, text)
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// controls reports which labels can be forbidden: all labels that Controllable matches, internal
// labels and triggers included.
func (o RepairOptions) controls(m *lts.LTS, triggers triggers) func(lts.Label) bool {
	matches := func(patterns []actl.Pattern, text string) bool {
		return slices.ContainsFunc(patterns, func(p actl.Pattern) bool { return p.Matches(text) })
	}
	can := make([]bool, m.Alphabet().Len())
	for l, text := range m.Alphabet().All() {
		fixed := text == "i" || text == "tau" || triggers.has(l) || matches(o.Uncontrollable, text)
		if o.Idle != "" && text == o.Idle {
			continue
		}
		// The label of transitions to the initial states cannot be forbidden.
		_, begins := m.Alphabet().Facts(l)
		can[l] = !begins && (!fixed || matches(o.Controllable, text))
	}
	return func(l lts.Label) bool { return can[l] }
}

// Owners are the owners of the transitions with a label, who can therefore forbid them.
type Owners struct {
	// Names are the owners in the order of results.
	Names []string
	// Of returns the owner of a label; false if there is none, so that nobody can forbid the
	// label's transitions.
	Of func(label string) (owner string, owned bool)
	// Shares asks for [Prevention.Shares].
	Shares bool
	// Components returns the components that take part in an action, by its label; nil if they are
	// not known.
	Components func(label string) []string
}

// Prevention is who could have prevented a violation: which owners together can make the property
// true, whatever the others do, if each forbids only transitions of its own and every state keeps a
// transition.
type Prevention struct {
	// Owners are the owners of those labels that runs do and that may be forbidden.
	Owners []string `json:"owners"`
	// Minimal are the minimal sets of owners who can prevent the violation: one empty set if the
	// property holds, no set if not even all owners together can prevent it.
	Minimal [][]string `json:"minimal"`
	// Shares are the Shapley values of the owners, in the order of Owners, as fractions: how much
	// each contributes to what all together can prevent (Baier, Funke, Majumdar: A Game-Theoretic
	// Account of Responsibility Allocation, IJCAI 2021). Nil if they were not requested, and if
	// there are more than 12 owners.
	Shares []Share `json:"shares,omitempty"`
	// Complete reports whether there are no other minimal sets.
	Complete bool `json:"complete"`
	// Supervisor is what the owners of the only minimal set forbid, each of them only transitions
	// of its own; or, if there is no minimal set, why not even all owners together can prevent the
	// violation. Nil if there are several sets, if the set is empty, and if the repair has too many
	// transitions.
	Supervisor *Repair `json:"supervisor,omitempty"`
}

// Share is the share of an owner, such as 1/2.
type Share struct {
	Owner string `json:"owner"`
	Share string `json:"share"`
}

// The largest numbers of owners for which all minimal sets, or all shares, are found.
const (
	mostCoalitions = 16
	mostShares     = 12
)

// errNoOwner is the error if no owner owns a label that runs do.
var errNoOwner = errors.New("nobody owns a label of a run that may be forbidden")

// prevent finds out who could have prevented that the property is violated, on all runs or on fully
// fair ones; triggers have no owner. It uses the options ByLabel and Work. It fails as [FindRepair]
// does, and with [errNoOwner]. Cost: a game of repair.Find for each set that is tried, on one unfolded
// model; at most as many games as there are minimal and maximal sets, times the number of owners.
func prevent(ctx context.Context, a *Analysis, triggers triggers, owners *Owners, o repair.Options) *Prevention {
	m := a.m
	x := &preventing{ctx: ctx}
	owned, owns := map[lts.Label]string{}, map[string]bool{}
	// Who acts in unreachable states only has no part in any run.
	happening := abort.Must(m.Happening(ctx))
	for l, text := range happening.All() {
		if name, is := owners.Of(text); is && happening.Happens(l) && !triggers.has(l) {
			owned[l], owns[name] = name, true
		}
	}
	for _, name := range owners.Names {
		if owns[name] && len(x.names) < 64 {
			x.names = append(x.names, name)
		}
		owns[name] = false
	}
	owner := slices.Repeat([]int{-1}, m.Alphabet().Len())
	for l, name := range owned {
		owner[l] = slices.Index(x.names, name)
	}
	if len(x.names) == 0 {
		abort.On(errNoOwner)
	}
	progress.Start(ctx, "coalitions", progress.Nothing, 0)
	o.Fair = a.fairness != nil
	if a.Fates == nil {
		o.Unfolding = abort.Must(product.Unfold(ctx, m, a.Property))
	} else {
		o.Unfolding = abort.Must(a.Fates.Product(ctx))
	}
	x.games = abort.Must(repair.NewCoalitions(ctx, m, a.Property, owner, o))
	minimal := x.minimal()
	p := &Prevention{Owners: x.names, Minimal: [][]string{}, Complete: len(x.names) <= mostCoalitions || len(minimal) == 0}
	for _, set := range minimal {
		names := []string{}
		for i, name := range x.names {
			if set>>i&1 != 0 {
				names = append(names, name)
			}
		}
		p.Minimal = append(p.Minimal, names)
	}
	if owners.Shares && p.Complete && len(x.names) <= mostShares {
		p.Shares = x.shares(minimal)
	}
	if len(p.Minimal) > 1 || !p.Complete || len(p.Minimal) == 1 && len(p.Minimal[0]) == 0 {
		return p
	}
	together := p.Owners
	if len(p.Minimal) == 1 {
		together = p.Minimal[0]
	}
	may := func(l lts.Label) bool { return owner[l] >= 0 && slices.Contains(together, x.names[owner[l]]) }
	o.Controllable, o.Most, o.Work = may, repair.MostGuards, repair.WorkForRepair
	r, err := repair.Find(ctx, m, a.Property, o)
	if errors.Is(err, repair.ErrWork) || errors.Is(err, repair.ErrTooMany) {
		return p
	}
	abort.On(err)
	p.Supervisor = describeRepair(m, a.Property, r, nil)
	for i, g := range r.Never {
		p.Supervisor.Never[i].Owner = x.names[owner[g.Transition.Label]]
	}
	return p
}

// shares returns the Shapley value of each owner in the game where a set wins if it includes a minimal
// set. Cost O(2^n times the number of minimal sets) for n owners.
func (x *preventing) shares(minimal []uint64) (shares []Share) {
	n := len(x.names)
	wins := func(set uint64) bool {
		return slices.ContainsFunc(minimal, func(m uint64) bool { return set&m == m })
	}
	// pivotal[i][k] is the number of sets of k other players that win only together with player i.
	pivotal := make([][]int64, n)
	for i := range pivotal {
		pivotal[i] = make([]int64, n)
	}
	for set := range uint64(1) << n {
		if wins(set) {
			continue
		}
		for i := range n {
			if set>>i&1 == 0 && wins(set|1<<i) {
				pivotal[i][bits.OnesCount64(set)]++
			}
		}
	}
	for i, name := range x.names {
		share := new(big.Rat)
		for k, times := range pivotal[i] {
			// k! (n-k-1)! / n! = 1 / (n · C(n-1, k))
			weight := new(big.Int).Mul(big.NewInt(int64(n)), new(big.Int).Binomial(int64(n-1), int64(k)))
			share.Add(share, new(big.Rat).SetFrac(big.NewInt(times), weight))
		}
		shares = append(shares, Share{name, share.RatString()})
	}
	return shares
}

// preventing is a search for the sets of owners who can prevent a violation. Bit i of a set stands
// for names[i].
type preventing struct {
	ctx   context.Context
	games *repair.Coalitions
	names []string
	// verdict has for each set, with at most mostCoalitions owners, whether it can prevent.
	// Supersets of a set that can prevent can, too.
	verdict []ability
}

// ability is whether a set of owners can prevent a violation, as far as it is decided.
type ability uint8

const (
	undecided ability = iota
	able
	failing
)

// everybody returns the set of all owners.
func (x *preventing) everybody() uint64 { return ^uint64(0) >> (64 - len(x.names)) }

// minimal returns the minimal sets that can prevent the violation, smallest first: all of them if
// there are at most mostCoalitions owners, otherwise one.
func (x *preventing) minimal() []uint64 {
	if len(x.names) > mostCoalitions {
		// One minimal set, if all owners together can: owners are removed one by one, the last ones first.
		can := func(set uint64) bool { return abort.Must(x.games.CanPrevent(x.ctx, []uint64{set})) != 0 }
		set := x.everybody()
		if !can(set) {
			return nil
		}
		for i := len(x.names) - 1; i >= 0; i-- {
			if can(set &^ (1 << i)) {
				set &^= 1 << i
			}
		}
		return []uint64{set}
	}
	x.verdict = make([]ability, 1<<len(x.names))
	// First come all sets if there are at most [repair.MostSets]; otherwise those with at most one owner, or
	// with all owners but one at most.
	var sets []uint64
	for set := range uint64(len(x.verdict)) {
		n := bits.OnesCount64(set)
		if len(x.verdict) <= repair.MostSets || n <= 1 || n >= len(x.names)-1 {
			sets = append(sets, set)
		}
	}
	for ; len(sets) > 0; sets = x.next() {
		can := abort.Must(x.games.CanPrevent(x.ctx, sets))
		for k, set := range sets {
			x.decide(set, can>>k&1 != 0)
		}
	}
	var minimal []uint64
	for set := range uint64(len(x.verdict)) {
		// Minimal is a set that cannot without any one of its owners.
		is := x.verdict[set] == able
		for rest := set; is && rest != 0; rest &= rest - 1 {
			is = x.verdict[set&^(rest&-rest)] == failing
		}
		if is {
			minimal = append(minimal, set)
		}
	}
	slices.SortFunc(minimal, func(a, b uint64) int {
		return cmp.Or(bits.OnesCount64(a)-bits.OnesCount64(b), cmp.Compare(bits.Reverse64(b), bits.Reverse64(a)))
	})
	return minimal
}

// next returns sets to be tried next; none if all are decided. Half of them are borders: maximal
// undecided sets, which decide all their subsets if they cannot prevent, and minimal ones, which
// decide all their supersets if they can (Liffiton, Previti, Malik, Marques-Silva: Fast, Flexible
// MUS Enumeration, Constraints 21, 2016). The other half have about half of the owners: on average
// they decide most other sets, whatever their result.
func (x *preventing) next() []uint64 {
	var borders, others []uint64
	for set := range uint64(len(x.verdict)) {
		switch {
		case x.verdict[set] != undecided:
		case len(borders) < repair.MostSets/2 && x.isBorder(set):
			borders = append(borders, set)
		default:
			others = append(others, set)
		}
	}
	half := len(x.names)
	far := func(set uint64) int { return max(2*bits.OnesCount64(set)-half, half-2*bits.OnesCount64(set)) }
	slices.SortStableFunc(others, func(a, b uint64) int { return far(a) - far(b) })
	return slices.Concat(borders, others[:min(len(others), repair.MostSets-len(borders))])
}

// isBorder reports whether all sets with one owner less fail to prevent the violation, or all sets
// with one owner more can prevent it.
func (x *preventing) isBorder(set uint64) bool {
	least, most := true, true
	for i := range x.names {
		if other := set ^ 1<<i; other < set {
			least = least && x.verdict[other] == failing
		} else {
			most = most && x.verdict[other] == able
		}
	}
	return least || most
}

// decide records whether a set can prevent the violation, and the verdicts on its supersets or
// subsets that follow.
func (x *preventing) decide(set uint64, can bool) {
	if x.verdict[set] != undecided {
		return
	}
	// The loop goes through all sets of the owners that may be added to those that stay.
	stay, rest, verdict := uint64(0), set, failing
	if can {
		stay, rest, verdict = set, x.everybody()&^set, able
	}
	for some := rest; ; some = (some - 1) & rest {
		if x.verdict[stay|some] = verdict; some == 0 {
			return
		}
	}
}

// workForPrevention is the largest number of product states and transitions that the search for who
// could have prevented a violation visits, repeated visits included.
const workForPrevention = 100_000_000

// of returns the owner of a label, "" if the label has none; o may be nil.
func (o *Owners) of(label string) string {
	if o == nil || o.Of == nil {
		return ""
	}
	owner, _ := o.Of(label)
	return owner
}

func (p *parts) prevent(ctx context.Context) {
	m, fair := p.a.m, p.a.fairness
	if p.o.Owners == nil || p.o.NoAdvice || p.run.trace == nil || largestProduct(m, p.a.Property) > mostForAdvice || fair != nil && (len(p.o.Fair) > 1 || !fair.Full()) {
		return
	}
	defer p.a.begin(ctx, "prevention")()
	err := abort.Try(func() {
		p.Prevention = prevent(ctx, p.a, p.a.triggers(), p.o.Owners, repair.Options{Work: workForPrevention})
	})
	if !errors.Is(err, errNoOwner) && !errors.Is(err, repair.ErrWork) {
		abort.On(err)
	}
}
