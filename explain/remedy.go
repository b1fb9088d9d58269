package explain

import (
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

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
	// Idle are the states in which nothing but stuttering remains.
	Idle []ModelState `json:"-"`
}

// Less reports whether the change takes more from the model than the transitions that it names:
// other states, or labels that the property does not prohibit.
func (k *Keeps) Less() bool {
	return k != nil && (len(k.Besides) > 0 || k.States+k.Named < k.Of)
}

// IsLittle reports whether the change takes away more than half of the states, or labels that the
// property does not prohibit.
func (k *Keeps) IsLittle() bool { return k.IsUnderHalf() || k != nil && len(k.Lost) > 0 }

// IsUnderHalf reports whether the change takes away more than half of the states.
func (k *Keeps) IsUnderHalf() bool { return k != nil && 2*k.States < k.Of }

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
	// When says in words when the transition must not be taken, instead of in the other states of
	// Comes: " once A has happened". It is nil if the transition must never be taken, or if no such
	// words are known.
	When property.Phrase `json:"-"`
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
	// Near reports whether another correct run may be nearer, since the search reached its limit, or
	// since it looked for a run that the specification allows, see [Options].
	Near bool `json:"near,omitzero"`
}
