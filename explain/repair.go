package explain

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Repair is what would make a property true: see package repair.
type Repair struct {
	// Solvable reports whether there is a supervisor under which the property holds
	// without new deadlocks.
	Solvable bool `json:"solvable"`
	// Never are the transitions that must not be taken.
	Never []Forbidden `json:"never"`
	// NotForEver are the parts of the model that must not be stayed in for ever.
	NotForEver []NotForEver `json:"not_for_ever"`
	// FairChoices are states with whose choices no run stays in these parts for ever, if
	// they are fair: see [repair.Repair.FairChoices]. Nil where there are no such parts, and
	// where none are known.
	FairChoices []ModelState `json:"fair_choices,omitempty"`
	// EnoughAlone reports whether it is enough to forbid.
	EnoughAlone bool `json:"enough_alone"`
	// Obstacle says why there is no supervisor; nil if there is one.
	Obstacle *Obstacle `json:"obstacle"`
	// Triggers are the labels that oblige a run to something, in alphabetical order: to
	// forbid them would make the property true of runs that it is not about, so none is
	// forbidden, unless that is asked for.
	Triggers []string `json:"triggers,omitempty"`
	// OnlyTriggers says, where there is no supervisor, that there is one if triggers may be
	// forbidden; nil if there is none then, either.
	OnlyTriggers *OnlyTriggers `json:"only_triggers,omitempty"`
	// Cut are the fewest transitions without which the property holds, whatever happened
	// before, if 1 or 2 are enough; nil if not, or if that is not known.
	Cut *Cut `json:"cut,omitempty"`
}

// OnlyTriggers says that a property can be made true by forbidding triggers, and not without.
type OnlyTriggers struct {
	// Labels are triggers, in alphabetical order. If Everywhere is set, they are the fewest that it
	// is enough never to do; otherwise they are all triggers, and never doing any of them is not
	// enough.
	Labels     []string `json:"labels"`
	Everywhere bool     `json:"everywhere"`
}

// Cut is a smallest set of transitions that can be forbidden without new deadlocks.
type Cut struct {
	Transitions []CutStep `json:"transitions"`
}

// CutStep is a transition of a cut.
type CutStep struct {
	ModelStep
	// Step is the step with which the counterexample first takes it; nil if it does not.
	Step *StepIndex `json:"step,omitempty"`
}

// Forbidden is a transition that must not be taken at some progresses.
type Forbidden struct {
	From  ModelState `json:"from"`
	Label string     `json:"label"`
	To    ModelState `json:"to"`
	// Progress are the numbers of steps of the property after which it must not be taken,
	// ascending. Comes are those with which runs that take nothing forbidden come to From.
	Progress []int `json:"progress"`
	Comes    []int `json:"comes"`
	// Pending is what is pending in the states of the property that Progress lists; nil for
	// inevitability.
	Pending []Words `json:"pending,omitempty"`
	// Alike reports whether the same is pending in another of Comes.
	Alike bool `json:"-"`
	// Others reports whether other transitions with this label leave From and may be
	// taken.
	Others bool `json:"others"`
	// PossibleIn is the number of reachable states where the label is possible.
	PossibleIn int `json:"-"`
	// Owner is who forbids it, if it is said who does.
	Owner string `json:"owner,omitempty"`
}

// NotForEver is a part of the model that must be left sooner or later.
type NotForEver struct {
	States []PlaceOf `json:"states"`
	// Loop are the labels of the transitions within it, in alphabetical order.
	Loop []string `json:"loop_labels"`
	// WaysOut are the transitions that leave it and may be taken.
	WaysOut []PlaceStep `json:"ways_out"`
	// Again, where it is not nil, says that a run may stay there for ever unless it does one
	// of each of these sets of transitions again and again.
	Again [][]PlaceStep `json:"again,omitempty"`
	// ByLabels reports whether the same is said by states and labels alone: see
	// [repair.Part].
	ByLabels bool `json:"-"`
}

// PlaceStep is a transition that is taken with some number of steps of the property done; of
// a property without steps, in one of its states.
type PlaceStep struct {
	ModelStep
	Progress int `json:"progress"`
}

// PlaceOf is a state with the number of steps of the property done.
type PlaceOf struct {
	State    ModelState `json:"state"`
	Progress int        `json:"progress"`
}

// ModelStep is a transition of the model itself, also where the unfolded one is explained.
type ModelStep struct {
	From  ModelState `json:"from"`
	Label string     `json:"label"`
	To    ModelState `json:"to"`
}

// Obstacle is the nearest place at which a supervisor would have to do what it cannot.
type Obstacle struct {
	Kind repair.ObstacleKind `json:"kind"`
	PlaceOf
	// Path are the labels of a way there.
	Path []string `json:"path"`
	// Transition cannot be forbidden, or goes together with a good transition of the same label;
	// nil if no run satisfies the property.
	Transition *ModelStep `json:"transition"`
}

// DiffStep is a step of a diff between the counterexample and a correct run.
type DiffStep struct {
	Op repair.Op `json:"op"`
	ModelStep
	// Progress is the number of steps of the property that the correct run has done after
	// it; of a property without steps, its state.
	Progress int `json:"progress"`
}

// Diff is a correct run that differs from the counterexample in the fewest steps.
type Diff struct {
	Edits int `json:"edits"`
	// Fork is the number of steps that the runs share at the beginning.
	Fork  int        `json:"fork"`
	Steps []DiffStep `json:"steps"`
	// Loop is the number of steps at the end that the correct run repeats for ever, and Ends
	// reports whether it ends with the last one; otherwise the property holds after that,
	// whatever follows.
	Loop int  `json:"loop,omitzero"`
	Ends bool `json:"ends,omitzero"`
	// Near reports that the search came to its limit, so that another run may be nearer.
	Near bool `json:"near,omitzero"`
}

// RepairOptions say how [FindRepair] goes about its work.
type RepairOptions struct {
	Source
	// Uncontrollable are labels that cannot be forbidden, Controllable such as can. What is
	// in neither can, but for the internal actions, i and tau, and what triggers the
	// property, see [Triggers].
	Uncontrollable, Controllable []actl.Pattern
	// MayForbidTriggers reports whether triggers are as other labels.
	MayForbidTriggers bool
	// ByLabel forbids all transitions of a label at a place together.
	ByLabel bool
	// Fair counts only runs that are fully fair; no other assumption is known to repairs.
	Fair []*actl.Assumption
	// Fewest looks for the fewest transitions to be forbidden whatever happened before,
	// FewestLabels for the fewest labels to be forbidden everywhere, Work for how long, see
	// [repair.FewestOptions].
	Fewest, FewestLabels bool
	Work                 int64
	// Owners, where they are not nil, asks who could have prevented a violation.
	Owners *Owners
}

// Fewest is a smallest set that can be forbidden.
type Fewest struct {
	Transitions []ModelStep `json:"transitions,omitempty"`
	Labels      []string    `json:"labels,omitempty"`
	// Found reports whether there is a set, or one is known; Exact whether there is no
	// smaller one, or none at all; AtLeast how many members each has.
	Found   bool `json:"found"`
	Exact   bool `json:"exact"`
	AtLeast int  `json:"at_least"`
}

// Repaired is the result of [FindRepair].
type Repaired struct {
	Model    Model
	Property Property
	*Repair
	Fairness     []Asked
	Fewest       *Fewest
	FewestLabels *Fewest
	// Prevention is nil unless the options have owners.
	Prevention *Prevention
	Warnings   []string
	Timings    Phases
	Cost       *Cost

	found *repair.Repair
	lts   *lts.LTS
}

// ErrFairRepair reports that a repair was asked for under an assumption other than full fairness.
var ErrFairRepair = errors.New("repairs are found without assumptions, or under full fairness: under another, forbidding what has to be fair would make all runs unfair, and the property hold of none")

// FindRepair finds out how to repair m so that f holds. Errors and cost as for [repair.Find] and,
// if the fewest are asked for, [repair.FindFewest].
func FindRepair(ctx context.Context, m *lts.LTS, f property.Formula, o RepairOptions) (*Repaired, error) {
	m, _, err := WithValues(ctx, m, f, &o.Source)
	if err != nil {
		return nil, err
	}
	a, err := prepare(ctx, m, f, Options{Source: o.Source, Fair: o.Fair})
	if err != nil {
		return nil, err
	}
	if a.fairness != nil && (len(o.Fair) > 1 || !a.fairness.Full()) {
		return nil, ErrFairRepair
	}
	r := &Repaired{Model: modelOf(m, o.File), Property: describeProperty(a), Fairness: []Asked{}, Warnings: append([]string{}, a.Warnings...), lts: m}
	if f := asked(o.Fair); f != nil {
		r.Fairness = f.Asked
	}
	triggers, err := triggersOf(ctx, f, m.Alphabet())
	if err != nil {
		return nil, err
	}
	if o.MayForbidTriggers {
		triggers = nil
	}
	can := o.controls(m, triggers)
	err = a.phase("repair", func() (err error) {
		progress.Start(ctx, "repair", progress.Nothing, 0)
		r.found, err = repair.Find(ctx, m, a.Property, repair.Options{Controllable: can, ByLabel: o.ByLabel, Fair: a.fairness != nil})
		if err == nil {
			r.Repair, err = describeRepair(ctx, m, a.Property, r.found, choicesInRepair)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	r.Triggers = textsOf(m, triggers, func(l lts.Label) bool { return !can(l) })
	for _, fewest := range []struct {
		asked, labels bool
		into          **Fewest
	}{{o.Fewest, false, &r.Fewest}, {o.FewestLabels, true, &r.FewestLabels}} {
		if !fewest.asked {
			continue
		}
		err := a.phase("fewest", func() error {
			progress.Start(ctx, "fewest", progress.Nothing, 0)
			found, err := repair.FindFewest(ctx, m, a.Property, repair.FewestOptions{Controllable: can, Labels: fewest.labels, Work: o.Work})
			if err == nil {
				*fewest.into = describeFewest(m, found)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if o.Owners != nil {
		err := a.phase("coalitions", func() (err error) {
			r.Prevention, err = prevent(ctx, m, f, o, *o.Owners)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	r.Timings = a.Phases
	r.Cost = o.cost(m.NumTransitions(), a.Phases, nil)
	return r, nil
}

// Holds reports whether the property holds, so that there is nothing to repair.
func (r *Repaired) Holds() bool {
	return r.Solvable && len(r.Never) == 0 && len(r.NotForEver) == 0
}

// Apply returns the model without what must never be taken: see [repair.Repair.Apply].
func (r *Repaired) Apply(ctx context.Context) (fixed *lts.LTS, unfolded bool, err error) {
	fixed, places, err := r.found.Apply(ctx, r.lts)
	return fixed, places != nil, err
}

// The number of transitions that the search for fair choices looks at, each as often as it
// does, for an explanation and for a repair.
const (
	choicesInAdvice = 2_000_000
	choicesInRepair = 20_000_000
)

// describeRepair describes a repair, with fair choices if they are found with so much work.
func describeRepair(ctx context.Context, m *lts.LTS, p *property.Property, r *repair.Repair, work int64) (*Repair, error) {
	choices, err := r.FairChoices(ctx, work)
	if err != nil {
		return nil, err
	}
	d := describeRules(m, p, r)
	for _, s := range choices {
		d.FairChoices = append(d.FairChoices, ModelState(s))
	}
	return d, nil
}

// possibleIn counts for each label of guards the reachable states where it is possible. Cost
// O(S + T), nothing without guards.
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
		if before, met := last[l]; is && reach.Has(t.From) && (!met || before != t.From) {
			count[l], last[l] = n+1, t.From
		}
	}
	return count
}

// describeRules is describeRepair without fair choices, which take longer to find than all else.
func describeRules(m *lts.LTS, p *property.Property, r *repair.Repair) *Repair {
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
		part := NotForEver{States: []PlaceOf{}, Loop: []string{}, WaysOut: placeSteps(m, p.WaysOut), ByLabels: p.ByLabels}
		for _, at := range p.Places {
			part.States = append(part.States, PlaceOf{ModelState(at.State), int(at.Q)})
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
	d.Obstacle = describeObstacle(m, r.Obstacle)
	return d
}

func describeObstacle(m *lts.LTS, o *repair.Obstacle) *Obstacle {
	if o == nil {
		return nil
	}
	d := &Obstacle{Kind: o.Kind, PlaceOf: PlaceOf{ModelState(o.Place.State), int(o.Place.Q)}, Path: []string{}}
	for _, t := range o.Path {
		d.Path = append(d.Path, m.Alphabet().Text(t.Label))
	}
	if o.Kind != repair.NoCorrectRun {
		t := modelStep(m, o.Transition)
		d.Transition = &t
	}
	return d
}

// alikeElsewhere reports whether what is pending in a state of the property in which a
// transition is forbidden is so in one in which it is not.
func alikeElsewhere(p *property.Property, g repair.Guard) bool {
	pending := map[string]bool{}
	for _, q := range g.Progress {
		pending[p.Pending(property.Q(q)).String()] = true
	}
	return slices.ContainsFunc(g.Comes, func(q int) bool {
		return !slices.Contains(g.Progress, q) && pending[p.Pending(property.Q(q)).String()]
	})
}

// alike are the transitions with a label from a state, in a state of the property.
type alike struct {
	from  lts.State
	label lts.Label
	q     int
}

// othersLeft returns how many targets of transitions that are alike may be gone to.
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

func placeSteps(m *lts.LTS, moves []repair.Move) []PlaceStep {
	steps := make([]PlaceStep, len(moves))
	for i, x := range moves {
		steps[i] = PlaceStep{modelStep(m, x.Transition), x.Progress}
	}
	return steps
}

func modelStep(m *lts.LTS, t lts.Transition) ModelStep {
	return ModelStep{ModelState(t.From), m.Alphabet().Text(t.Label), ModelState(t.To)}
}

// What a step of a [Diff] does, named as in a diff.
const (
	Keep   = repair.Keep   // both runs do it
	Remove = repair.Remove // the run that went wrong does it, the correct one does not
	Insert = repair.Insert // the correct run does it
)

// Two kinds of an [Obstacle].
const (
	NoCorrectRun   = repair.NoCorrectRun   // no run of the model satisfies the property
	Nondeterminism = repair.Nondeterminism // the label that would help also leads elsewhere
)

// triggering is a formula with elements that oblige a run to something.
type triggering interface {
	Triggers(context.Context, *lts.Alphabet) ([]property.Step, error)
}

// Triggers returns the elements of f that oblige a run to something, with their labels in
// a: requests, what begins scopes, and in linear temporal logic what stands before
// implications under G. To forbid them would make the property true of runs that it is not
// about. There are none of formulas that do not tell. It fails if ctx is done. Cost that
// of binding the formula.
func triggersOf(ctx context.Context, f property.Formula, a *lts.Alphabet) ([]property.Step, error) {
	t, is := f.(triggering)
	if !is {
		return nil, nil
	}
	return t.Triggers(ctx, a)
}

// textsOf returns the labels of steps of which something is so, each once, in alphabetical
// order.
func textsOf(m *lts.LTS, steps []property.Step, is func(lts.Label) bool) []string {
	var texts []string
	for _, step := range steps {
		for l := range m.Alphabet().All() {
			if step.LeadsTo(m.Alphabet(), l) && is(l) {
				texts = append(texts, m.Alphabet().Text(l))
			}
		}
		for _, l := range step.Labels {
			if is(l) {
				texts = append(texts, m.Alphabet().Text(l))
			}
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// among returns whether a label is one of those of some steps.
func among(m *lts.LTS, steps []property.Step) func(lts.Label) bool {
	is := make([]bool, m.Alphabet().Len())
	for _, step := range steps {
		for _, l := range step.Labels {
			is[l] = true
		}
		for l := range m.Alphabet().All() {
			is[l] = is[l] || step.LeadsTo(m.Alphabet(), l)
		}
	}
	return func(l lts.Label) bool { return is[l] }
}

// controls returns which labels can be forbidden: those that are named as such, also if they
// are internal or trigger the property.
func (o RepairOptions) controls(m *lts.LTS, triggers []property.Step) func(lts.Label) bool {
	matches := func(patterns []actl.Pattern, text string) bool {
		return slices.ContainsFunc(patterns, func(p actl.Pattern) bool { return p.Matches(text) })
	}
	triggered := among(m, triggers)
	can := make([]bool, m.Alphabet().Len())
	for l, text := range m.Alphabet().All() {
		fixed := text == "i" || text == "tau" || triggered(l) || matches(o.Uncontrollable, text)
		// Nobody chooses where runs begin.
		_, begins := m.Alphabet().Facts(l)
		can[l] = !begins && (!fixed || matches(o.Controllable, text))
	}
	return func(l lts.Label) bool { return can[l] }
}
