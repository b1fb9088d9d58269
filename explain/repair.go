package explain

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

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
	// without which the property holds; otherwise they are all triggers, and it is not enough to
	// forbid all of them everywhere, or not known to be.
	Labels     []string `json:"labels"`
	Everywhere bool     `json:"everywhere"`
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

// possibleIn returns, for each label of a forbidden transition, the number of reachable states
// where the label is possible. Cost O(S + T), nothing without guards.
func possibleIn(m *lts.LTS, guards []repair.Guard) map[lts.Label]int {
	count, last := map[lts.Label]int{}, map[lts.Label]lts.State{}
	for _, g := range guards {
		count[m.Alphabet().Plain(g.Transition.Label)] = 0
	}
	if len(guards) == 0 {
		return count
	}
	reach := m.Reachable()
	for t := range m.Transitions() {
		l := m.Alphabet().Plain(t.Label)
		n, is := count[l]
		if before, seen := last[l]; is && reach.Has(t.From) && (!seen || before != t.From) {
			count[l], last[l] = n+1, t.From
		}
	}
	return count
}

// describeRepair describes a repair with the states of its fair choices.
func describeRepair(m *lts.LTS, p *property.Property, r *repair.Repair, choices []lts.State) *Repair {
	d := &Repair{Solvable: r.Solvable, Never: []Forbidden{}, NotForEver: []NotForEver{}, EnoughAlone: r.EnoughAlone()}
	left := othersLeft(m, r.Never)
	possible := possibleIn(m, r.Never)
	for _, g := range r.Never {
		t := modelStep(m, g.Transition)
		f := Forbidden{From: t.From, Label: t.Label, To: t.To, Progress: g.Progress, Comes: g.Comes, PossibleIn: possible[m.Alphabet().Plain(g.Transition.Label)]}
		if p.Steps() == 0 {
			for _, q := range g.Progress {
				f.Pending = append(f.Pending, Words(p.Pending(property.Q(q))))
			}
			f.Alike = alikeElsewhere(p, g)
		}
		for _, j := range g.Progress {
			f.Others = f.Others || left[alike{g.Transition.From, m.Alphabet().Plain(g.Transition.Label), j}] > 0
		}
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

// alikeElsewhere returns [Forbidden.Alike]: whether the same text is pending in a property state
// where a transition is forbidden and in one where it is allowed.
func alikeElsewhere(p *property.Property, g repair.Guard) bool {
	pending := map[string]bool{}
	for _, q := range g.Progress {
		pending[p.Pending(property.Q(q)).String()] = true
	}
	return slices.ContainsFunc(g.Comes, func(q int) bool {
		return !slices.Contains(g.Progress, q) && pending[p.Pending(property.Q(q)).String()]
	})
}

// alike stands for the transitions with one label from one product state.
type alike struct {
	from  lts.State
	label lts.Label
	q     int
}

// othersLeft returns, for each guarded transition, the number of targets of transitions with its
// label that remain allowed.
func othersLeft(m *lts.LTS, never []repair.Guard) map[alike]int {
	left := map[alike]int{}
	var targets map[lts.Label]map[lts.State]bool
	for i, g := range never {
		t := g.Transition
		if i == 0 || never[i-1].Transition.From != t.From {
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
	return left
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
