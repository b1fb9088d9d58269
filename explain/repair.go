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
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/footprint"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// mostForAdvice limits the questions that need the unfolded model. An explanation answers them if
// the number of property states times the number of states and transitions of the model is at most
// this number.
const mostForAdvice = footprint.MostForAdvice

// Advice takes several passes through the unfolded model, while the other phases of an explanation
// take passes through the model alone. These are numbers of product states and transitions, for a
// chain and for another property. Above them, advice takes several times as long as the other
// phases, and more than a third of a second.
const (
	mostForAdviceOnChain = 2_000_000
	mostForAdviceOnTable = 450_000
)

const tooLargeForAdvice = "the search for what to forbid, and for the nearest correct run, is left out: the product of model and property is large; inev repair takes any size"

// These are the warnings when a search reaches its limit: the search for a repair (tooLong), for a
// repair that may forbid triggers (tooLongWithTriggers), and for the nearest correct run, if it
// found none (tooFar). If it found one, the heading of that run says that it may not be the nearest.
const (
	tooLong             = "what to forbid is left out: the search for it was stopped after %s places and transitions"
	tooLongWithTriggers = "whether it helps to forbid what triggers the property is left out: the search for it was stopped after %s places and transitions"
	tooFar              = "the nearest correct run is left out: the search for it was stopped after %s transitions"
)

// grouped returns a number with a comma before each group of three digits.
func grouped(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// largestProduct returns an upper bound of the number of product states and transitions.
func largestProduct(m *lts.LTS, p *property.Property) int64 {
	return int64(p.States()) * (int64(m.NumStates()) + int64(m.NumTransitions()))
}

// advise finds out what would make the property true, and the nearest correct run. isFirst reports
// whether v.trace is the run that [counterexample.Shortest] returns.
func (v violation) advise(
	ctx context.Context,
	isFirst bool,
	found *advised,
) (warnings []string, err error) {
	m := v.a.m
	most := int64(mostForAdviceOnTable)
	if v.a.Property.Steps() > 0 {
		most = mostForAdviceOnChain
	}
	if largestProduct(m, v.a.Property) > most {
		return []string{tooLargeForAdvice}, nil
	}
	fixed, err := v.a.triggers()
	if err != nil {
		return nil, err
	}
	isProhibited, err := v.a.prohibits(ctx)
	if err != nil {
		return nil, err
	}
	idle := RepairOptions{Source: Source{Idle: v.a.idle}}
	advice, err := repair.Advise(ctx, repair.Violation{
		Fates:        v.a.Fates,
		Run:          v.trace,
		First:        isFirst,
		Triggers:     fixed.steps,
		IsTrigger:    fixed.has,
		Controllable: idle.controls(m, fixed),
		WithTriggers: idle.controls(m, triggers{}),
		IsProhibited: isProhibited,
		Work:         repair.WorkForRepair,
	})
	if err != nil {
		return nil, err
	}
	if advice.Necessity != nil {
		found.Necessity = v.describeNecessity(advice.Necessity)
	}
	if advice.Repair != nil {
		found.Repair, err = v.describeAdvised(ctx, advice, fixed, isProhibited)
		if err != nil {
			return nil, err
		}
		found.NoNearest = advice.NoNearest
		if advice.Nearest != nil {
			found.Nearest = describeNearest(m, advice.Nearest)
			found.nearestAt = nearestAtOf(m, advice)
		}
	}
	return limitsOf(advice), nil
}

// nearestAtOf returns the search for a nearest correct run that leaves the counterexample at certain
// steps.
func nearestAtOf(m *lts.LTS, advice *repair.Advice) searchAt {
	return func(ctx context.Context, at []bool) (d *Diff, isStopped bool, err error) {
		found, err := advice.NearestAt(ctx, at)
		if errors.Is(err, repair.ErrTooFar) {
			return nil, true, nil
		}
		if err != nil || found == nil {
			return nil, false, err
		}
		return describeNearest(m, found), false, nil
	}
}

// describeNecessity describes what all violating runs have in common.
func (v violation) describeNecessity(common *repair.Necessity) *Necessity {
	n := &Necessity{Steps: v.firstOf(common.Every), Stop: common.Stop}
	if common.AtLength != nil {
		n.AtLength = v.firstOf(common.AtLength)
	}
	if n.Stop {
		last := ModelState(v.trace.Last())
		n.At = &last
	}
	for _, t := range common.Missing {
		n.Missing = append(n.Missing, modelStep(v.a.m, t))
	}
	return n
}

// describeAdvised describes the repair of the advice. triggers are the elements that the repair may
// not forbid. isProhibited is nil if the property is no prohibition.
func (v violation) describeAdvised(
	ctx context.Context,
	advice *repair.Advice,
	triggers triggers,
	isProhibited func(lts.Label) bool,
) (*Repair, error) {
	m := v.a.m
	r, err := v.a.describeRepair(ctx, advice.Repair, advice.FairChoices)
	if err != nil {
		return nil, err
	}
	r.Triggers = textsOf(m, triggers.has)
	if err := v.a.describeCauses(ctx, r, advice.Repair, advice.Restated, isProhibited); err != nil {
		return nil, err
	}
	r.CutAtLeast = cutAtLeast(advice.Cut)
	if advice.Cut != nil && advice.Cut.Found && len(advice.Cut.Transitions) > 0 {
		cut, err := v.describeCut(ctx, advice.Cut.Transitions, isProhibited)
		if err != nil {
			return nil, err
		}
		r.Cut = cut
	}
	switch {
	case advice.Lifted == nil:
		// There is no need for a supervisor that may forbid triggers.
	case !advice.Lifted.Solvable:
		// Even a supervisor that may forbid triggers does not win, so its obstacle is the stronger
		// reason.
		r.Obstacle = describeObstacle(m, advice.Lifted.Obstacle)
	case advice.Everywhere:
		r.OnlyTriggers = &OnlyTriggers{
			Labels:     describeFewest(m, advice.FewestTriggers).Labels,
			Everywhere: true,
		}
	default:
		supervisor, err := v.a.describeRepair(ctx, advice.Lifted, nil)
		if err != nil {
			return nil, err
		}
		r.OnlyTriggers = &OnlyTriggers{Labels: r.Triggers, Supervisor: supervisor}
	}
	return r, nil
}

// cutAtLeast returns a lower bound of the size of each cut, if the search for the fewest transitions
// found none; otherwise 0.
func cutAtLeast(f *repair.Fewest) int {
	if f == nil || f.Found {
		return 0
	}
	return f.AtLeast
}

// describeCauses adds what the repair keeps of the model to r. It also adds restated, the repair
// that forbids what the property prohibits, unless that is nil. isProhibited is nil if the property
// is no prohibition.
func (a *Analysis) describeCauses(
	ctx context.Context,
	r *Repair,
	found, restated *repair.Repair,
	isProhibited func(lts.Label) bool,
) (err error) {
	r.Keeps = keptBy(a.m, found, isProhibited)
	r.Prohibited = isProhibited != nil && found.ForbidsOnly(isProhibited)
	if restated == nil {
		return nil
	}
	r.Restated, err = a.describeRepair(ctx, restated, nil)
	if err != nil {
		return err
	}
	r.Restated.Keeps = keptBy(a.m, restated, isProhibited)
	r.Restated.Prohibited = restated.ForbidsOnly(isProhibited)
	return nil
}

// keptBy returns what a repair keeps of the model; nil if the repair forbids nothing.
func keptBy(m *lts.LTS, r *repair.Repair, isProhibited func(lts.Label) bool) *Keeps {
	if len(r.Never) == 0 {
		return nil
	}
	var forbidden []lts.Transition
	for _, g := range r.Never {
		forbidden = append(forbidden, g.Transition)
	}
	return describeKept(m, r.Kept(), forbidden, isProhibited)
}

// describeKept describes what runs still reach without the forbidden transitions.
func describeKept(
	m *lts.LTS,
	kept repair.Kept,
	forbidden []lts.Transition,
	isProhibited func(lts.Label) bool,
) *Keeps {
	reach := m.Reachable()
	k := &Keeps{States: kept.States, Of: reach.NumStates()}
	lostTargets := map[lts.State]bool{}
	named := map[lts.Label]bool{}
	for _, t := range forbidden {
		named[m.Alphabet().Plain(t.Label)] = true
		if !kept.Reached.Has(t.To) {
			lostTargets[t.To] = true
		}
	}
	k.Named = len(lostTargets)
	isLost := map[lts.Label]bool{}
	for t := range m.Transitions() {
		l := m.Alphabet().Plain(t.Label)
		mayBeMissed := isProhibited == nil || !isProhibited(l)
		if reach.Has(t.From) && !kept.Labels.Has(l) && mayBeMissed {
			isLost[l] = true
		}
	}
	k.Lost = textsOf(m, func(l lts.Label) bool { return isLost[l] })
	k.Besides = textsOf(m, func(l lts.Label) bool {
		return isLost[l] && !named[l]
	})
	return k
}

// describeCut describes the transitions of a cut, with the steps of the run that take them.
func (v violation) describeCut(
	ctx context.Context,
	transitions []lts.Transition,
	isProhibited func(lts.Label) bool,
) (*Cut, error) {
	c := &Cut{}
	m := v.a.m
	isCut := func(t lts.Transition) bool {
		return slices.Contains(transitions, t)
	}
	for _, t := range transitions {
		step := CutStep{ModelStep: modelStep(m, t), Others: hasOthersLeft(m, t, isCut)}
		i := slices.Index(v.trace.Steps(), t)
		if i >= 0 {
			step.Step = stepIndex(i)
		}
		c.Transitions = append(c.Transitions, step)
	}
	kept, _, err := repair.KeptWithout(ctx, m, isCut)
	if err != nil {
		return nil, err
	}
	c.Keeps = describeKept(m, kept, transitions, isProhibited)
	isWholeChoice := len(transitions) == 1 && !c.Transitions[0].Others
	if isWholeChoice && isProhibited != nil && isProhibited(transitions[0].Label) {
		c.OtherWays = otherWays(m, transitions[0])
	}
	return c, nil
}

// hasOthersLeft reports whether, after a cut, another transition with the label of t remains in the
// state of t.
func hasOthersLeft(m *lts.LTS, t lts.Transition, isCut func(lts.Transition) bool) bool {
	labels, targets := m.Out(t.From)
	for i, to := range targets {
		other := lts.Transition{From: t.From, Label: labels.At(i), To: to}
		hasSameText := m.Alphabet().Plain(other.Label) == m.Alphabet().Plain(t.Label)
		if hasSameText && !isCut(other) {
			return true
		}
	}
	return false
}

// otherWays returns the other labels of the transitions from the state of t.
func otherWays(m *lts.LTS, t lts.Transition) []string {
	others := map[lts.Label]bool{}
	labels, _ := m.Out(t.From)
	for i := range labels.Len() {
		others[labels.At(i)] = labels.At(i) != t.Label
	}
	return textsOf(m, func(l lts.Label) bool { return others[l] })
}

// describeNearest describes the difference between the counterexample and the nearest correct run.
func describeNearest(m *lts.LTS, diff *repair.Diff) *Diff {
	d := &Diff{
		Edits: diff.Edits,
		Fork:  diff.Fork,
		Steps: []DiffStep{},
		Loop:  diff.Loop,
		Ends:  diff.Ends,
		Near:  diff.Near,
	}
	for _, s := range diff.Steps {
		d.Steps = append(d.Steps, DiffStep{
			Op:        string(s.Op),
			ModelStep: modelStep(m, s.Transition),
			Progress:  s.Progress,
		})
	}
	return d
}

// limitsOf returns a warning for each search for advice that reached its limit.
func limitsOf(a *repair.Advice) (warnings []string) {
	work := grouped(repair.WorkForRepair)
	switch {
	case a.Stopped:
		warnings = append(warnings, fmt.Sprintf(tooLong, work))
	case a.LiftedStopped:
		warnings = append(warnings, fmt.Sprintf(tooLongWithTriggers, work))
	}
	if a.TooFar {
		warnings = append(warnings, fmt.Sprintf(tooFar, grouped(a.Looks)))
	}
	return warnings
}

// Necessity is what all violating runs of the model have in common.
type Necessity struct {
	// Steps are the steps of the counterexample whose transition every violating run takes
	// somewhere, in the order of the run. If the counterexample takes a transition twice, only its
	// first step is listed.
	Steps []StepIndex `json:"steps"`
	// AtLength are the steps whose transition is taken by every violating run that is not longer
	// than the counterexample; nil if they are not known.
	AtLength []StepIndex `json:"steps_at_length,omitempty"`
	// Stop reports whether all violating runs end in the state where the counterexample ends, and
	// all runs that end there violate the property.
	Stop bool `json:"stop"`
	// At is the state where the run ends if Stop is true; otherwise nil.
	At *ModelState `json:"at,omitempty"`
	// Missing are transitions from state At that may be missing: the property would be true if the
	// model had any one of them. They are guesses, the likeliest first; nil unless Stop is true.
	Missing []ModelStep `json:"missing,omitempty"`
}

// firstOf returns the indices of the selected steps, without the step to an initial state. If
// several steps take the same transition, it returns only the first of them.
func (v violation) firstOf(selected []bool) []StepIndex {
	steps := []StepIndex{}
	visited := map[lts.Transition]bool{}
	for i, isSelected := range selected {
		t := v.trace.Step(i)
		if isSelected && !visited[t] && !v.a.m.IsBefore(t.From) {
			visited[t] = true
			steps = append(steps, StepIndex(i))
		}
	}
	return steps
}

// Repair is what would make a property true: transitions that must not be taken, and components
// that a run must leave. It is the strategy of a supervisor, who sees what happens and forbids only
// what is necessary.
type Repair struct {
	// Solvable reports whether there is a supervisor under which the property holds without new
	// deadlocks.
	Solvable bool `json:"solvable"`
	// Never are the transitions that must not be taken, each in certain property states.
	Never []Forbidden `json:"never"`
	// NotForEver are the components that a run must leave.
	NotForEver []NotForEver `json:"not_for_ever"`
	// FairChoices are states whose fair choices make every run leave these components. A run is fair to
	// the choices of a state if it takes all transitions of the state infinitely often, or visits the
	// state only finitely often. FairChoices is nil if there are no components, or if no such states
	// were found.
	FairChoices []ModelState `json:"fair_choices,omitempty"`
	// EnoughAlone reports whether it is enough to forbid the transitions of Never.
	EnoughAlone bool `json:"enough_alone"`
	// Obstacle is the reason why there is no supervisor; nil if there is one.
	Obstacle *Obstacle `json:"obstacle"`
	// Triggers are the labels that oblige a run to something, in alphabetical order. A repair
	// forbids no triggers unless the options allow that: the property would then hold only because
	// nothing is asked.
	Triggers []string `json:"triggers,omitempty"`
	// OnlyTriggers is a repair that forbids triggers. It is set if there is no other repair. It is nil
	// if there is another one, or none at all.
	OnlyTriggers *OnlyTriggers `json:"only_triggers,omitempty"`
	// Cut is a smallest set of transitions without which the property holds, whatever happened
	// before. It is nil if this set is empty, has more than 2 members, or is not known.
	Cut *Cut `json:"cut,omitempty"`
	// CutAtLeast is a lower bound of the number of transitions in each cut; 0 if nothing is known, or
	// if Cut is set.
	CutAtLeast int `json:"-"`
	// Restated is the repair that forbids what the property prohibits. It is set if Never forbids
	// the causes of that instead; otherwise it is nil.
	Restated *Repair `json:"restated,omitempty"`
	// Rules express Never by states: states with the same forbidden labels share a rule, and the
	// rule with the most states comes first. Rules is nil if Never is empty, and in two other
	// cases: if what is forbidden depends on what happened before, or if a label is forbidden only
	// for some of its targets.
	Rules []Rule `json:"-"`
	// Places express Never in a few rules: by what has been done before, by values, or by the
	// states that must not be entered. Places is nil if there are no such rules, or if Never is so
	// short that it needs none.
	Places []Rule `json:"-"`
	// Keeps is what runs still reach if the transitions of Never are forbidden; nil if Never is
	// empty.
	Keeps *Keeps `json:"keeps,omitempty"`
	// Prohibited reports that Never forbids what the property prohibits, and nothing else. Then
	// Never only restates the property.
	Prohibited bool `json:"-"`
}

// IsCutRestated reports whether Restated forbids all transitions of the cut.
func (r *Repair) IsCutRestated() bool {
	return r.Cut != nil && r.Restated != nil &&
		!slices.ContainsFunc(r.Cut.Transitions, func(t CutStep) bool {
			return !slices.ContainsFunc(r.Restated.Never, func(f Forbidden) bool {
				return t.ModelStep == ModelStep{From: f.From, Label: f.Label, To: f.To}
			})
		})
}

// Rule says exactly what must not be taken, in one of three ways: only some labels may happen in
// some states, some labels must not happen there, or some states must not be entered.
type Rule struct {
	// If May is set, States are the states where only the labels of May may happen; otherwise
	// States are the states where the labels of Labels must not happen. Nil means all states. May
	// is in alphabetical order.
	States []ModelState
	May    []string
	// Labels, in alphabetical order, must not happen; nil for a rule of another kind. If no
	// condition is set, they must happen nowhere.
	Labels []string
	// Into are states that must not be entered; nil for a rule of another kind. AllEnd reports
	// whether all of them are deadlocks.
	Into   []ModelState
	AllEnd bool
	// After and Until restrict when Labels must not happen: from each After until the next Until.
	// If Begins is set, Labels also must not happen from the beginning until the first Until. After
	// and Until are "" if there is no such action.
	After, Until string
	Begins       bool
	// Values are conditions on the values of a state. Labels must not happen where all of them hold.
	Values []string
	// When has the states of the property in which Labels must not happen, or Into must not be
	// entered. It gives them in the fields of a transition that is forbidden there.
	When Forbidden
}

// Keeps is what a change leaves of the model.
type Keeps struct {
	// States is the number of states that stay reachable, and Of is the number of states that are
	// reachable without the change.
	States int `json:"states"`
	Of     int `json:"of"`
	// Lost are the labels that no run does any more, in alphabetical order. Labels that the
	// property prohibits are left out.
	Lost []string `json:"lost,omitempty"`
	// Besides are the labels of Lost that no transition of the change has. Named is the number of
	// states that are no longer reachable and to which a transition of the change leads.
	Besides []string `json:"-"`
	Named   int      `json:"-"`
}

// Less reports whether the change takes more from the model than the transitions that it names:
// other states, or labels that the property does not prohibit.
func (k *Keeps) Less() bool {
	return k != nil && (len(k.Besides) > 0 || k.States+k.Named < k.Of)
}

// IsLittle reports whether the change takes away more than half of the states, or labels that the
// property does not prohibit.
func (k *Keeps) IsLittle() bool { return k != nil && (len(k.Lost) > 0 || 2*k.States < k.Of) }

// IsNothing reports whether the change takes away more than nine tenths of the states.
func (k *Keeps) IsNothing() bool { return k != nil && 10*k.States < k.Of }

// OnlyTriggers describes the case in which only a repair that forbids triggers makes the property
// true.
type OnlyTriggers struct {
	// Labels are triggers, in alphabetical order. If Everywhere is set, they are the fewest
	// triggers without which the property holds, and every supervisor that makes the property true
	// forbids them everywhere; otherwise they are all triggers.
	Labels     []string `json:"labels"`
	Everywhere bool     `json:"everywhere"`
	// Supervisor is the repair that may forbid triggers; nil if it forbids Labels everywhere.
	Supervisor *Repair `json:"supervisor,omitempty"`
}

// Cut is a smallest set of transitions that can be forbidden without new deadlocks.
type Cut struct {
	Transitions []CutStep `json:"transitions"`
	// Keeps is what runs still reach without the transitions.
	Keeps *Keeps `json:"keeps,omitempty"`
	// OtherWays are the other labels of the transitions from the same state, in alphabetical order.
	// They are set if the cut is one transition, and the property prohibits its label; otherwise
	// they are nil.
	OtherWays []string `json:"-"`
}

type CutStep struct {
	ModelStep
	// Step is the first step of the counterexample that takes the transition; nil if none does.
	Step *StepIndex `json:"step,omitempty"`
	// Others reports whether other transitions with this label from state From remain.
	Others bool `json:"-"`
}

// SameChoice reports whether two transitions have the same source and label, and no third
// transition has. Then forbidding the label in this state forbids exactly these two.
func (t CutStep) SameChoice(other CutStep) bool {
	return t.From == other.From && t.Label == other.Label && !t.Others
}

// Forbidden is a transition that must not be taken in some property states.
type Forbidden struct {
	From  ModelState `json:"from"`
	Label string     `json:"label"`
	To    ModelState `json:"to"`
	// Progress are the property states in which the transition must not be taken, ascending; for a
	// chain, they are the numbers of done steps. Comes are all property states in which runs
	// without forbidden transitions visit state From.
	Progress []int `json:"progress"`
	Comes    []int `json:"comes"`
	// Pending is what is pending in each state of Progress; nil for inevitability.
	Pending []Words `json:"pending,omitempty"`
	// Alike reports whether the transition is allowed in some state of Comes where the same is pending
	// as in a state of Progress.
	Alike bool `json:"-"`
	// Others reports whether other transitions with this label from state From are allowed.
	Others bool `json:"others"`
	// PossibleIn is the number of reachable states where the label is possible.
	PossibleIn int `json:"-"`
	// Owner is the owner who forbids the transition; "" if there are no owners.
	Owner string `json:"owner,omitempty"`
}

// NotForEver is a component of the guarded model that a run must leave.
type NotForEver struct {
	States []ProductState `json:"states"`
	// Loop are the labels of the transitions within the component, in alphabetical order.
	Loop []string `json:"loop_labels"`
	// WaysOut are the allowed transitions that leave the component.
	WaysOut []ProductStep `json:"ways_out"`
	// Again, unless it is nil, has sets of transitions: a run must leave the component only if it
	// takes a transition of each set infinitely often.
	Again [][]ProductStep `json:"again,omitempty"`
	// ByLabels reports whether states and labels alone describe the component, whatever the
	// property states. Then a run violates the property if it stays in these states forever, takes
	// the transitions of WaysOut finitely often and, unless Again is nil, a label of each set of
	// Again infinitely often.
	ByLabels bool `json:"-"`
}

// ProductStep is a transition and the property state before it; for a chain, this is the number of
// done steps.
type ProductStep struct {
	ModelStep
	Progress int `json:"progress"`
}

// ProductState is a product state; for a chain, its property state is the number of done steps.
type ProductState struct {
	State    ModelState `json:"state"`
	Progress int        `json:"progress"`
}

// ModelStep is a transition of the model itself, even if the explanation is about the unfolded
// model.
type ModelStep struct {
	From  ModelState `json:"from"`
	Label string     `json:"label"`
	To    ModelState `json:"to"`
}

// Obstacle is the nearest product state where a supervisor would need an ability that it lacks.
type Obstacle struct {
	// Kind is [NoCorrectRun], [Nondeterminism], or "uncontrollable", which means that the
	// transition cannot be forbidden.
	Kind string `json:"kind"`
	ProductState
	// Path are the labels of a path from the initial state to the product state.
	Path []string `json:"path"`
	// Transition is a transition that cannot be forbidden, or only together with a good transition
	// with the same label; nil if no run satisfies the property.
	Transition *ModelStep `json:"transition"`
	// Values are the values of the initial state to which the transition leads, without those
	// that all initial states have; none if the transition leads to no initial state.
	Values []StateValue `json:"values,omitempty"`
	// Hopeless reports whether every run that begins in this initial state violates the property. It
	// is false if that is not known.
	Hopeless bool `json:"hopeless,omitzero"`
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

// Diff is the difference between the counterexample and a nearest correct run. Correct runs that
// leave the counterexample at a step that the explanation blames are preferred; if there are none,
// all correct runs count. Of these, the nearest run differs in the fewest steps.
type Diff struct {
	Edits int `json:"edits"`
	// Fork is the number of steps that both runs take before they differ.
	Fork  int        `json:"fork"`
	Steps []DiffStep `json:"steps"`
	// Loop is the number of last steps that the correct run repeats forever; 0 without a loop. Ends
	// reports whether the run ends after the last step. If it has no loop and does not end, every
	// continuation satisfies the property.
	Loop int  `json:"loop,omitzero"`
	Ends bool `json:"ends,omitzero"`
	// Near reports whether the search reached its limit. Then another correct run may be nearer.
	Near bool `json:"near,omitzero"`
}

// RepairOptions say how [FindRepair] works.
type RepairOptions struct {
	Source
	// Uncontrollable are labels that cannot be forbidden, and Controllable are labels that can be.
	// All other labels can be forbidden, except the internal actions i and tau, and the triggers of
	// the property.
	Uncontrollable, Controllable []actl.Pattern
	// MayForbidTriggers treats triggers like all other labels.
	MayForbidTriggers bool
	// ByLabel requires that a repair forbids either all transitions with one label from a product
	// state, or none of them.
	ByLabel bool
	// Fair is full fairness, or empty if all runs count. Under other assumptions, FindRepair
	// succeeds only if the property holds.
	Fair []*actl.Assumption
	// Fewest asks FindRepair to search for the fewest transitions that must be forbidden, whatever
	// happened before. FewestLabels asks it to search for the fewest labels that must be forbidden
	// everywhere. Work is the largest number of transitions that each of these searches visits; 0
	// for no limit.
	Fewest, FewestLabels bool
	Work                 int64
	// Owners, unless it is nil, asks FindRepair to find out who could have prevented a violation.
	Owners *Owners
}

// Fewest is a smallest set of transitions, or of labels, that must be forbidden.
type Fewest struct {
	Transitions []ModelStep `json:"transitions,omitempty"`
	Labels      []string    `json:"labels,omitempty"`
	// Found reports whether the search found a set that is enough. Exact reports whether this set
	// is a smallest one; if no set was found, whether none exists. If Exact is false, every such
	// set has at least AtLeast members.
	Found   bool `json:"found"`
	Exact   bool `json:"exact"`
	AtLeast int  `json:"at_least"`
}

// Repaired is a repair with the model that it leaves. It comes from [FindRepair].
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

// FindRepair finds a repair of m for f: the winning strategy of a supervisor. It fails if ctx is
// done, if the unfolded model is too large, with [ErrFairRepair], or if the property has too many
// cases. Cost O(n (S + T)) for inevitability, quadratic at worst for other properties. If the
// fewest transitions or labels are requested, this cost is added for each set that is tried; at
// worst there are exponentially many.
func FindRepair(
	ctx context.Context,
	m *lts.LTS,
	f property.Formula,
	o RepairOptions,
) (*Repaired, error) {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("m", m),
		required.Argument("f", f),
	); err != nil {
		return nil, err
	}
	a, err := prepare(ctx, m, f, Options{Source: o.Source, Fair: o.Fair})
	if err != nil {
		return nil, err
	}
	r := &Repaired{
		Model:    modelOf(a.m, o.File),
		Property: describeProperty(a),
		Fairness: []Asked{},
		Warnings: append([]string{}, a.Warnings...),
		lts:      a.m,
	}
	assumed := assumptionsOf(o.Fair)
	if assumed != nil {
		r.Fairness = assumed.Asked
	}
	isFullFairness := a.fairness != nil && len(o.Fair) <= 1 && a.fairness.Full()
	if a.fairness != nil && !isFullFairness {
		return r.unlessViolated(ctx, f, o)
	}
	var fixed triggers
	if !o.MayForbidTriggers {
		fixed, err = a.triggers()
		if err != nil {
			return nil, err
		}
	}
	isControllable := o.controls(a.m, fixed)
	if err := r.find(ctx, a, o, isControllable); err != nil {
		return nil, err
	}
	if err := r.findCauses(ctx, a, o, isControllable); err != nil {
		return nil, err
	}
	r.Obstacle.describeStart(a, o.Source.shownValues())
	r.Triggers = textsOf(a.m, func(l lts.Label) bool {
		return fixed.has(l) && !isControllable(l)
	})
	if err := r.findFewest(ctx, a, o, isControllable); err != nil {
		return nil, err
	}
	if o.Owners != nil {
		end := a.phase("coalitions")
		r.Prevention, err = prevent(ctx, a, fixed, o.Owners, repair.Options{ByLabel: o.ByLabel})
		if err != nil {
			return nil, err
		}
		end()
	}
	r.Timings = a.Phases
	r.Cost = o.cost(a.m.NumTransitions(), a.Phases, nil)
	return r, nil
}

// unlessViolated completes the result under an assumption for which there is no search for repairs.
// If the property holds, there is nothing to repair; otherwise it fails with [ErrFairRepair].
func (r *Repaired) unlessViolated(
	ctx context.Context,
	f property.Formula,
	o RepairOptions,
) (*Repaired, error) {
	e, err := Check(ctx, r.lts, f, Options{Source: o.Source, Fair: o.Fair})
	if err != nil {
		return nil, err
	}
	if e.Verdict == Violated {
		return nil, ErrFairRepair
	}
	r.Repair = &Repair{
		Solvable:    true,
		Never:       []Forbidden{},
		NotForEver:  []NotForEver{},
		EnoughAlone: true,
	}
	r.Timings = e.Timings
	r.Cost = o.cost(r.lts.NumTransitions(), e.Timings, nil)
	return r, nil
}

// find finds the repair.
func (r *Repaired) find(
	ctx context.Context,
	a *Analysis,
	o RepairOptions,
	isControllable func(lts.Label) bool,
) error {
	end := a.begin(ctx, "repair")
	found, err := repair.Find(ctx, a.m, a.Property, repair.Options{
		Controllable: isControllable,
		ByLabel:      o.ByLabel,
		Fair:         a.fairness != nil,
	})
	if err != nil {
		return err
	}
	choices, err := found.FairChoices(ctx, workForChoices)
	if err != nil {
		return err
	}
	r.found = found
	r.Repair, err = a.describeRepair(ctx, found, choices)
	end()
	return err
}

// findCauses replaces the repair by a repair that forbids the causes of what the property
// prohibits. It does so if the property is a prohibition, and if that is worth it.
func (r *Repaired) findCauses(
	ctx context.Context,
	a *Analysis,
	o RepairOptions,
	isControllable func(lts.Label) bool,
) error {
	if !r.Solvable || len(r.Never) == 0 || a.fairness != nil {
		return nil
	}
	isProhibited, err := a.prohibits(ctx)
	if err != nil {
		return err
	}
	var restated *repair.Repair
	if isProhibited != nil && !o.MayForbidTriggers {
		causes, err := r.found.Causes(ctx, a.m, a.Property, isProhibited, repair.Options{
			Controllable: isControllable,
			ByLabel:      o.ByLabel,
		})
		if err != nil {
			return err
		}
		if causes != nil {
			restated = r.found
			r.found = causes
			r.Repair, err = a.describeRepair(ctx, causes, nil)
			if err != nil {
				return err
			}
		}
	}
	return a.describeCauses(ctx, r.Repair, r.found, restated, isProhibited)
}

// findFewest finds the fewest transitions that must be forbidden, and the fewest labels, if they
// are requested.
func (r *Repaired) findFewest(
	ctx context.Context,
	a *Analysis,
	o RepairOptions,
	isControllable func(lts.Label) bool,
) error {
	search := repair.FewestOptions{
		Controllable: isControllable,
		Fair:         a.fairness != nil,
		Work:         o.Work,
	}
	var err error
	if o.Fewest {
		r.Fewest, err = a.findFewest(ctx, search)
		if err != nil {
			return err
		}
	}
	if o.FewestLabels {
		search.Labels = true
		r.FewestLabels, err = a.findFewest(ctx, search)
	}
	return err
}

// findFewest searches for the fewest transitions or labels, and describes them.
func (a *Analysis) findFewest(ctx context.Context, o repair.FewestOptions) (*Fewest, error) {
	defer a.begin(ctx, "fewest")()
	found, err := repair.FindFewest(ctx, a.m, a.Property, o)
	if err != nil {
		return nil, err
	}
	return describeFewest(a.m, found), nil
}

// Holds reports whether the property holds without a repair.
func (r *Repaired) Holds() bool {
	return r.Solvable && len(r.Never) == 0 && len(r.NotForEver) == 0
}

// Apply returns the model without the transitions that must never be taken. If each of them is
// forbidden whatever happened before, the states keep their numbers, and origins is nil. Otherwise
// fixed is the reachable part of the unfolded model, with new numbers, and origins has, for each of
// its states, the state of the model. Apply fails if there is no repair, or if ctx is done. Cost
// O(n (S + T)).
func (r *Repaired) Apply(ctx context.Context) (fixed *lts.LTS, origins []lts.State, err error) {
	if r.found == nil {
		return r.lts, nil, nil // the property holds
	}
	fixed, places, err := r.found.Apply(ctx, r.lts)
	for _, place := range places {
		origins = append(origins, place.State)
	}
	return fixed, origins, err
}

// workForChoices is the largest number of transitions that the search for fair choices visits.
// Repeated visits count.
const workForChoices = 20_000_000

// describeRepair describes a repair, with the states of its fair choices.
func (a *Analysis) describeRepair(
	ctx context.Context,
	r *repair.Repair,
	choices []lts.State,
) (*Repair, error) {
	m := a.m
	d := &Repair{
		Solvable:    r.Solvable,
		Never:       describeForbidden(m, a.Property, r.Never),
		NotForEver:  make([]NotForEver, 0, len(r.NotForEver)),
		EnoughAlone: r.EnoughAlone(),
		Obstacle:    describeObstacle(m, r.Obstacle),
	}
	for _, part := range r.NotForEver {
		d.NotForEver = append(d.NotForEver, describePart(m, part))
	}
	if len(choices) > 0 {
		d.FairChoices = modelStates(choices)
	}
	d.Rules = rulesOf(m, d.Never)
	if err := a.addRules(ctx, d, r); err != nil {
		return nil, err
	}
	return d, nil
}

// describeForbidden describes transitions that must never be taken.
func describeForbidden(m *lts.LTS, p *property.Property, never []repair.Guard) []Forbidden {
	described := []Forbidden{}
	allowed := allowedTargets(m, never)
	possible := possibleIn(m, never)
	for _, g := range never {
		t := modelStep(m, g.Transition)
		plain := m.Alphabet().Plain(g.Transition.Label)
		f := Forbidden{
			From:       t.From,
			Label:      t.Label,
			To:         t.To,
			Progress:   g.Progress,
			Comes:      g.Comes,
			PossibleIn: possible[plain],
		}
		if p.Steps() == 0 {
			f.describePending(p)
		}
		f.Others = slices.ContainsFunc(g.Progress, func(q int) bool {
			return allowed[productChoice{from: g.Transition.From, label: plain, q: q}] > 0
		})
		described = append(described, f)
	}
	return described
}

// describePending describes what is pending where the transition is forbidden.
func (f *Forbidden) describePending(p *property.Property) {
	pending := map[string]bool{}
	for _, q := range f.Progress {
		words := p.Pending(property.Q(q))
		f.Pending = append(f.Pending, Words(words))
		pending[words.String()] = true
	}
	f.Alike = slices.ContainsFunc(f.Comes, func(q int) bool {
		isAllowed := !slices.Contains(f.Progress, q)
		return isAllowed && pending[p.Pending(property.Q(q)).String()]
	})
}

// allowedTargets returns, for the label of each forbidden transition and each product state in
// which it is forbidden, the number of targets to which transitions with this label are still
// allowed.
func allowedTargets(m *lts.LTS, never []repair.Guard) map[productChoice]int {
	allowed := map[productChoice]int{}
	var targets map[lts.Label]map[lts.State]bool // those of the current source, by label
	for i, g := range never {
		t := g.Transition
		isNewSource := i == 0 || never[i-1].Transition.From != t.From
		if isNewSource {
			targets = targetsByLabel(m, t.From)
		}
		for _, q := range g.Progress {
			key := productChoice{from: t.From, label: m.Alphabet().Plain(t.Label), q: q}
			if _, known := allowed[key]; !known {
				allowed[key] = len(targets[key.label])
			}
			allowed[key]--
		}
	}
	return allowed
}

// targetsByLabel returns the targets of the transitions from a state, for each label.
func targetsByLabel(m *lts.LTS, from lts.State) map[lts.Label]map[lts.State]bool {
	all := map[lts.Label]map[lts.State]bool{}
	labels, targets := m.Out(from)
	for i, to := range targets {
		l := m.Alphabet().Plain(labels.At(i))
		if all[l] == nil {
			all[l] = map[lts.State]bool{}
		}
		all[l][to] = true
	}
	return all
}

// possibleIn returns, for the label of each forbidden transition, the number of reachable states where
// the label is possible.
func possibleIn(m *lts.LTS, never []repair.Guard) map[lts.Label]int {
	possible := map[lts.Label]int{}
	for _, g := range never {
		possible[m.Alphabet().Plain(g.Transition.Label)] = 0
	}
	if len(possible) == 0 {
		return possible
	}
	reach := m.Reachable()
	last := map[lts.Label]lts.State{} // for each label, the last state that was counted
	for t := range m.Transitions() {
		l := m.Alphabet().Plain(t.Label)
		number, isForbidden := possible[l]
		if !isForbidden || !reach.Has(t.From) {
			continue
		}
		counted, hasCounted := last[l]
		isCounted := hasCounted && counted == t.From
		if !isCounted {
			possible[l] = number + 1
			last[l] = t.From
		}
	}
	return possible
}

// rulesOf returns rules with the same meaning as a list of forbidden transitions; nil if there are
// none.
func rulesOf(m *lts.LTS, never []Forbidden) []Rule {
	forbidden := map[ModelState]map[string]bool{}
	var states []ModelState
	for _, f := range never {
		dependsOnPast := len(f.Progress) < len(f.Comes)
		if f.Others || dependsOnPast {
			return nil
		}
		if forbidden[f.From] == nil {
			forbidden[f.From] = map[string]bool{}
			states = append(states, f.From)
		}
		forbidden[f.From][f.Label] = true
	}
	var rules intern.List[string, Rule]
	for _, s := range states {
		var allowed []string
		labels, _ := m.Out(lts.State(s))
		for i := range labels.Len() {
			text := m.Alphabet().Text(labels.At(i))
			if !forbidden[s][text] {
				allowed = append(allowed, text)
			}
		}
		slices.Sort(allowed)
		allowed = slices.Compact(allowed)
		key := strings.Join(allowed, "\x00")
		rule := &rules.All[rules.Index(key, Rule{May: allowed})]
		rule.States = append(rule.States, s)
	}
	slices.SortStableFunc(rules.All, func(a, b Rule) int {
		return len(b.States) - len(a.States)
	})
	return rules.All
}

// IsTaken reports whether a step of a run takes the transition where it must not be taken. done is
// the number of steps of the property that are done before the step, or -1 if it is not known.
func (f Forbidden) IsTaken(s Step, done int) bool {
	taken := s.inModel
	if taken == nil {
		taken = &ModelStep{From: ModelState(s.From), Label: s.Label, To: ModelState(s.To)}
	}
	isSameTransition := *taken == ModelStep{From: f.From, Label: f.Label, To: f.To}
	isAlwaysForbidden := len(f.Progress) == len(f.Comes)
	return isSameTransition && (isAlwaysForbidden || slices.Contains(f.Progress, done))
}

// describePart describes a component that a run must leave.
func describePart(m *lts.LTS, p repair.Part) NotForEver {
	part := NotForEver{
		States:   []ProductState{},
		Loop:     []string{},
		WaysOut:  placeSteps(m, p.WaysOut),
		ByLabels: p.ByLabels,
	}
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
	return part
}

func describeObstacle(m *lts.LTS, o *repair.Obstacle) *Obstacle {
	if o == nil {
		return nil
	}
	d := &Obstacle{
		Kind:         string(o.Kind),
		ProductState: ProductState{ModelState(o.ProductState.State), int(o.ProductState.Q)},
		Path:         []string{},
	}
	for _, t := range o.Path {
		d.Path = append(d.Path, m.Alphabet().Text(t.Label))
	}
	if o.Kind != repair.NoCorrectRun {
		t := modelStep(m, o.Transition)
		d.Transition = &t
	}
	return d
}

// describeStart describes the initial state to which the transition in the way leads, by a table of values, if there is
// one. Cost O(initial states · parameters).
func (o *Obstacle) describeStart(a *Analysis, t *lts.Values) {
	if o == nil || o.Transition == nil || !a.m.IsBefore(lts.State(o.Transition.From)) {
		return
	}
	begun := lts.State(o.Transition.To)
	labels, initial := a.m.Out(a.m.Initial())
	if a.Classification != nil {
		label := labels.At(slices.Index(initial, begun))
		o.Hopeless = a.Classification.Class(a.m.Initial(), label, begun) == fate.Incorrect
	}
	if t == nil || !t.Known(a.inModel(begun)) {
		return
	}
	differs := map[string]bool{}
	for _, s := range initial {
		for p := range t.Changed(a.inModel(begun), a.inModel(s)) {
			differs[t.Parameter(p).Name] = true
		}
	}
	for _, v := range valuesOf(t, a.inModel(begun)) {
		if differs[v.Name] {
			o.Values = append(o.Values, v)
		}
	}
}

// productChoice is a choice in a product state: all transitions with the same label.
type productChoice struct {
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
	for i, move := range moves {
		steps[i] = ProductStep{
			ModelStep: modelStep(m, move.Transition),
			Progress:  move.Progress,
		}
	}
	return steps
}

func modelStep(m *lts.LTS, t lts.Transition) ModelStep {
	return ModelStep{
		From:  ModelState(t.From),
		Label: m.Alphabet().Text(t.Label),
		To:    ModelState(t.To),
	}
}

// These are the texts of the operations of a [Diff], as in a diff of files.
const (
	Keep   = string(repair.Keep)   // both runs do the step
	Remove = string(repair.Remove) // the run that went wrong takes the step, the correct run does not
	Insert = string(repair.Insert) // the correct run does it
)

// Two kinds of an [Obstacle].
const (
	NoCorrectRun   = string(repair.NoCorrectRun)   // no run of the model satisfies the property
	Nondeterminism = string(repair.Nondeterminism) // the label that would help also leads to another state
)

// textsOf returns the labels that a function selects, each once, in alphabetical order; nil if there
// are none.
func textsOf(m *lts.LTS, selects func(lts.Label) bool) []string {
	var texts []string
	for l, text := range m.Alphabet().All() {
		if selects(l) {
			texts = append(texts, text)
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// controls returns a function that reports which labels can be forbidden. Controllable takes
// precedence: labels that match it can be forbidden, even if they are internal or triggers.
func (o RepairOptions) controls(m *lts.LTS, triggers triggers) func(lts.Label) bool {
	matches := func(patterns []actl.Pattern, text string) bool {
		return slices.ContainsFunc(patterns, func(p actl.Pattern) bool {
			return p.Matches(text)
		})
	}
	isControllable := make([]bool, m.Alphabet().Len())
	for l, text := range m.Alphabet().All() {
		isIdle := o.Idle != "" && text == o.Idle
		_, leadsToInitialState := m.Alphabet().Facts(l)
		if isIdle || leadsToInitialState {
			continue // nobody chooses such a transition
		}
		isFixed := isInternalText(text) || triggers.has(l) || matches(o.Uncontrollable, text)
		isControllable[l] = !isFixed || matches(o.Controllable, text)
	}
	return func(l lts.Label) bool { return isControllable[l] }
}

// Owners are the owners of labels. The owner of a label can forbid its transitions.
type Owners struct {
	// Names are the owners in the order of results.
	Names []string
	// Of returns the owner of a label. owned is false if the label has no owner, so that nobody can
	// forbid its transitions.
	Of func(label string) (owner string, owned bool)
	// Shares makes the result include [Prevention.Shares].
	Shares bool
	// Components returns the components that take part in an action, given its label; it is nil if they
	// are not known.
	Components func(label string) []string
	// Moving reports whether the owners are the components of a network whose labels name the
	// components that move (see [lts.Alphabet.Movers]). If so, each component that moves can
	// refuse, and Of is not used.
	Moving bool
}

// ownersOf returns all owners of a label; a is its alphabet, and text its text.
func (o *Owners) ownersOf(a *lts.Alphabet, l lts.Label, text string) (names []string) {
	if o.Moving {
		for _, c := range a.Movers(l) {
			names = append(names, a.Components()[c])
		}
		return names
	}
	if name, owned := o.Of(text); owned {
		return []string{name}
	}
	return nil
}

// Prevention reports who could have prevented a violation: which owners together can make the
// property true, whatever the other owners do. Each owner forbids only its own transitions, and
// every state keeps a transition.
type Prevention struct {
	// Owners are the owners of the labels that runs do and that may be forbidden. There are none if
	// all labels with owners are triggers.
	Owners []string `json:"owners"`
	// Minimal are the minimal sets of owners who can prevent the violation: one empty set if the
	// property holds, and no set if even all owners together cannot prevent it.
	Minimal [][]string `json:"minimal"`
	// Shares are the Shapley values of the owners, in the order of Owners, as fractions. They measure
	// how much each owner contributes to what all owners can prevent together (Baier, Funke, Majumdar:
	// A Game-Theoretic Account of Responsibility Allocation, IJCAI 2021). They are nil if they were not
	// requested, or if there are more than 12 owners.
	Shares []Share `json:"shares,omitempty"`
	// Complete reports whether Minimal has all minimal sets.
	Complete bool `json:"complete"`
	// Supervisor is what the owners of the only minimal set forbid; each of them forbids only its own
	// transitions. If there is no minimal set, Supervisor has the reason why even all owners together
	// cannot prevent the violation. It is nil if there are several minimal sets, if the only one is
	// empty, or if the repair has too many transitions.
	Supervisor *Repair `json:"supervisor,omitempty"`
}

// Share is the share of an owner, such as 1/2.
type Share struct {
	Owner string `json:"owner"`
	Share string `json:"share"`
}

// These are the largest numbers of owners for which all minimal sets, or all shares, are found.
const (
	mostCoalitions = 16
	mostShares     = 12
)

// errNoOwner is the error if no owner owns a label that runs do.
var errNoOwner = errors.New("nobody owns a label of a run")

// prevent finds out who could have prevented the violation of the property on all runs or, under
// full fairness, on fully fair ones. Triggers have no owner. It uses the options ByLabel and Work.
// It fails as [FindRepair] does, and with [errNoOwner]. Cost: a game of repair.Find for each set
// that is tried, on one unfolded model. The number of games is at most the number of minimal and
// maximal sets, times the number of owners.
func prevent(
	ctx context.Context,
	a *Analysis,
	triggers triggers,
	owners *Owners,
	o repair.Options,
) (*Prevention, error) {
	happening, err := a.m.Happening(ctx)
	if err != nil {
		return nil, err
	}
	search := newPreventing(owners, happening, triggers)
	if !search.isOwned {
		return nil, errNoOwner
	}
	progress.Start(ctx, "coalitions", progress.Nothing, 0)
	o.Fair = a.fairness != nil
	if a.Fates == nil {
		o.Unfolding, err = product.Unfold(ctx, a.m, a.Property)
	} else {
		o.Unfolding, err = a.Fates.Product(ctx)
	}
	if err != nil {
		return nil, err
	}
	search.games, err = repair.NewCoalitions(ctx, a.m, a.Property, search.owners, o)
	if err != nil {
		return nil, err
	}
	minimal, err := search.minimal(ctx)
	if err != nil {
		return nil, err
	}
	p := &Prevention{
		Owners:   append([]string{}, search.names...),
		Minimal:  [][]string{},
		Complete: len(search.names) <= mostCoalitions || len(minimal) == 0,
	}
	for _, set := range minimal {
		p.Minimal = append(p.Minimal, search.namesIn(set))
	}
	if owners.Shares && p.Complete && len(search.names) <= mostShares {
		p.Shares = search.shares(minimal)
	}
	p.Supervisor, err = search.supervisor(ctx, a, p, o)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// newPreventing returns a search among the owners of the labels that runs do and that may be
// forbidden. Owners whose labels occur only in unreachable states take no part in any run.
func newPreventing(owners *Owners, happening *lts.Alphabet, triggers triggers) *preventing {
	p := &preventing{owners: make([]uint64, happening.Len())}
	ownersOf := map[lts.Label][]string{}
	canForbid := map[string]bool{}
	for l, text := range happening.All() {
		if !happening.Happens(l) {
			continue
		}
		names := owners.ownersOf(happening, l, text)
		p.isOwned = p.isOwned || len(names) > 0
		if triggers.has(l) {
			continue
		}
		ownersOf[l] = names
		for _, name := range names {
			canForbid[name] = true
		}
	}
	const mostNames = 64 // the bits of a set
	for _, name := range owners.Names {
		if canForbid[name] && len(p.names) < mostNames {
			p.names = append(p.names, name)
		}
		canForbid[name] = false // Names may have it twice
	}
	for l, names := range ownersOf {
		for _, name := range names {
			if i := slices.Index(p.names, name); i >= 0 {
				p.owners[l] |= 1 << i
			}
		}
	}
	return p
}

// namesIn returns the owners in a set.
func (p *preventing) namesIn(set uint64) []string {
	names := []string{}
	for i, name := range p.names {
		if set>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return names
}

// supervisor returns what the owners of the only minimal set forbid. If there is no minimal set, it
// returns the reason why even all owners together cannot prevent the violation. It returns nil in
// the cases of [Prevention.Supervisor].
func (p *preventing) supervisor(
	ctx context.Context,
	a *Analysis,
	prevention *Prevention,
	o repair.Options,
) (*Repair, error) {
	if len(prevention.Minimal) > 1 || !prevention.Complete {
		return nil, nil
	}
	together := prevention.Owners
	if len(prevention.Minimal) == 1 {
		together = prevention.Minimal[0]
		if len(together) == 0 {
			return nil, nil // the property holds
		}
	}
	o.Controllable = func(l lts.Label) bool {
		return p.ownerAmong(together, l) != ""
	}
	o.Most = repair.MostGuards
	o.Work = repair.WorkForRepair
	found, err := repair.Find(ctx, a.m, a.Property, o)
	if errors.Is(err, repair.ErrWork) || errors.Is(err, repair.ErrTooMany) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	supervisor, err := a.describeRepair(ctx, found, nil)
	if err != nil {
		return nil, err
	}
	for i, g := range found.Never {
		supervisor.Never[i].Owner = p.ownerAmong(together, g.Transition.Label)
	}
	return supervisor, nil
}

// ownerAmong returns the first of the names whose owner owns a label; "" if there is none.
func (p *preventing) ownerAmong(names []string, l lts.Label) string {
	for _, name := range p.namesIn(p.owners[l]) {
		if slices.Contains(names, name) {
			return name
		}
	}
	return ""
}

// shares returns the Shapley value of each owner in this game: a set of owners wins if it includes
// a minimal set. Cost O(2^n times the number of minimal sets) for n owners.
func (p *preventing) shares(minimal []uint64) (shares []Share) {
	n := len(p.names)
	wins := func(set uint64) bool {
		return slices.ContainsFunc(minimal, func(m uint64) bool {
			return set&m == m
		})
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
			withPlayer := set | 1<<i
			if withPlayer != set && wins(withPlayer) {
				pivotal[i][bits.OnesCount64(set)]++
			}
		}
	}
	for i, name := range p.names {
		share := new(big.Rat)
		for k, times := range pivotal[i] {
			// k! (n-k-1)! / n! = 1 / (n · C(n-1, k))
			weight := new(big.Int).Mul(big.NewInt(int64(n)),
				new(big.Int).Binomial(int64(n-1), int64(k)))
			share.Add(share, new(big.Rat).SetFrac(big.NewInt(times), weight))
		}
		shares = append(shares, Share{Owner: name, Share: share.RatString()})
	}
	return shares
}

// preventing is a search for the sets of owners who can prevent a violation. Bit i of a set
// represents names[i].
type preventing struct {
	games *repair.Coalitions
	names []string
	// owners is, for each label, the set of its owners; 0 if nobody may forbid the label.
	owners []uint64
	// isOwned reports whether some owner owns a label that runs do, even if that label must not be
	// forbidden.
	isOwned bool
	// verdict reports, for each set, whether it can prevent the violation; nil for more than
	// mostCoalitions owners. If a set can prevent the violation, its supersets can, too.
	verdict []ability
}

// ability reports whether a set of owners can prevent a violation, if that is decided.
type ability uint8

const (
	undecided ability = iota
	able
	failing
)

// everybody returns the set of all owners.
func (p *preventing) everybody() uint64 { return ^uint64(0) >> (64 - len(p.names)) }

// minimal returns the minimal sets that can prevent the violation, the smallest first. For more
// than mostCoalitions owners, it returns at most one of these sets.
func (p *preventing) minimal(ctx context.Context) ([]uint64, error) {
	if len(p.names) > mostCoalitions {
		return p.oneMinimal(ctx)
	}
	if err := p.decideAll(ctx); err != nil {
		return nil, err
	}
	var minimal []uint64
	for set := range uint64(len(p.verdict)) {
		if p.isMinimal(set) {
			minimal = append(minimal, set)
		}
	}
	slices.SortFunc(minimal, func(a, b uint64) int {
		return cmp.Or(bits.OnesCount64(a)-bits.OnesCount64(b),
			cmp.Compare(bits.Reverse64(b), bits.Reverse64(a)))
	})
	return minimal, nil
}

// oneMinimal returns a minimal set, if all owners together can prevent the violation. It tries to remove
// the owners one by one, the last one first.
func (p *preventing) oneMinimal(ctx context.Context) ([]uint64, error) {
	set := p.everybody()
	can, err := p.games.CanPrevent(ctx, []uint64{set})
	if err != nil || can == 0 {
		return nil, err
	}
	for i := len(p.names) - 1; i >= 0; i-- {
		less := set &^ (1 << i)
		can, err := p.games.CanPrevent(ctx, []uint64{less})
		if err != nil {
			return nil, err
		}
		if can != 0 {
			set = less
		}
	}
	return []uint64{set}, nil
}

// decideAll finds the verdict on each set. If there are more sets than [repair.MostSets], it first
// tries the sets with at most one owner, and those that lack at most one owner.
func (p *preventing) decideAll(ctx context.Context) error {
	p.verdict = make([]ability, 1<<len(p.names))
	var sets []uint64
	canTryAll := len(p.verdict) <= repair.MostSets
	for set := range uint64(len(p.verdict)) {
		n := bits.OnesCount64(set)
		isNearlyEmpty := n <= 1
		isNearlyFull := n >= len(p.names)-1
		if canTryAll || isNearlyEmpty || isNearlyFull {
			sets = append(sets, set)
		}
	}
	for len(sets) > 0 {
		canPrevent, err := p.games.CanPrevent(ctx, sets) // bit i is about sets[i]
		if err != nil {
			return err
		}
		for i, set := range sets {
			p.decide(set, canPrevent>>i&1 != 0)
		}
		sets = p.nextSets()
	}
	return nil
}

// isMinimal reports whether a set can prevent the violation, and cannot do so without any one of
// its owners.
func (p *preventing) isMinimal(set uint64) bool {
	if p.verdict[set] != able {
		return false
	}
	for rest := set; rest != 0; rest &= rest - 1 {
		lowest := rest & -rest
		if p.verdict[set&^lowest] != failing {
			return false
		}
	}
	return true
}

// nextSets returns the sets to try next; none if all are decided. The first ones are up to MostSets/2
// borders (see [preventing.isBorder]): if a maximal undecided set cannot prevent the violation, all
// its subsets are decided, and if a minimal one can, all its supersets are (Liffiton, Previti,
// Malik, Marques-Silva: Fast, Flexible MUS Enumeration, Constraints 21, 2016). Then come the sets
// whose size is nearest to half of the owners: whatever their verdict, they decide the most other
// sets on average.
func (p *preventing) nextSets() []uint64 {
	var borders, others []uint64
	for set := range uint64(len(p.verdict)) {
		switch {
		case p.verdict[set] != undecided:
			continue
		case len(borders) < repair.MostSets/2 && p.isBorder(set):
			borders = append(borders, set)
		default:
			others = append(others, set)
		}
	}
	owners := len(p.names)
	fromHalf := func(set uint64) int {
		twice := 2 * bits.OnesCount64(set)
		return max(twice-owners, owners-twice)
	}
	slices.SortStableFunc(others, func(a, b uint64) int {
		return fromHalf(a) - fromHalf(b)
	})
	return slices.Concat(borders, others[:min(len(others), repair.MostSets-len(borders))])
}

// isBorder reports whether a set is a minimal or a maximal undecided one. It is minimal if no set
// with one owner less can prevent the violation, and maximal if every set with one owner more can.
func (p *preventing) isBorder(set uint64) bool {
	isMinimal := true
	isMaximal := true
	for i := range p.names {
		neighbour := set ^ 1<<i // with owner i, or without it
		hasOwnerLess := neighbour < set
		if hasOwnerLess {
			isMinimal = isMinimal && p.verdict[neighbour] == failing
		} else {
			isMaximal = isMaximal && p.verdict[neighbour] == able
		}
	}
	return isMinimal || isMaximal
}

// decide records whether a set can prevent the violation. If it can, it records the same for the
// supersets of the set; if it cannot, for the subsets.
func (p *preventing) decide(set uint64, can bool) {
	if p.verdict[set] != undecided {
		return
	}
	// The loop visits each set that has the members of fixed, and some members of optional.
	fixed := uint64(0)
	optional := set
	verdict := failing
	if can {
		fixed = set
		optional = p.everybody() &^ set
		verdict = able
	}
	for chosen := optional; ; chosen = (chosen - 1) & optional {
		p.verdict[fixed|chosen] = verdict
		if chosen == 0 {
			return
		}
	}
}

// workForPrevention is the largest number of product states and transitions that the search for who
// could have prevented a violation visits. Repeated visits count.
const workForPrevention = 100_000_000

// prevent finds out who could have prevented the violation, if the owners of actions are known and
// the product is not too large.
func (p *parts) prevent(ctx context.Context) error {
	isRequested := p.o.Owners != nil && !p.o.NoAdvice
	isSmall := largestProduct(p.a.m, p.a.Property) <= mostForAdvice
	if !isRequested || !isSmall || p.run.trace == nil {
		return nil
	}
	isFullFairness := p.a.fairness != nil && len(p.o.Fair) <= 1 && p.a.fairness.Full()
	if p.a.fairness != nil && !isFullFairness {
		return nil
	}
	defer p.a.begin(ctx, "prevention")()
	fixed, err := p.a.triggers()
	if err != nil {
		return err
	}
	prevention, err := prevent(ctx, p.a, fixed, p.o.Owners, repair.Options{Work: workForPrevention})
	if errors.Is(err, errNoOwner) || errors.Is(err, repair.ErrWork) ||
		errors.As(err, new(repair.UnsupportedError)) {
		return nil
	}
	if err != nil {
		return err
	}
	p.Prevention = prevention
	return nil
}
