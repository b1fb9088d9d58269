package explain

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain/internal/assume"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/enumeration"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Fairness is the verdict under assumptions about infinite runs, with the assumptions that would
// make a violated property hold.
type Fairness struct {
	// Asked are the assumptions of the options. The verdict is about the runs that satisfy them.
	Asked []Asked `json:"asked"`
	// Tasks is the number of tasks of the assumptions in the options, if the search was for tasks
	// that are enough; otherwise it is 0.
	Tasks int `json:"-"`
	// Chain has the verdicts under a sequence of ever stronger notions of fairness.
	Chain *FairnessChain `json:"chain,omitempty"`
	// Stronger is the weakest notion of fairness of all actions that makes the property true,
	// although it is violated under the assumptions in the options: "strong" or "full". It is "" if
	// there is none, or if that is not known.
	Stronger string `json:"-"`
	// Just is the verdict on just runs if no label can be refused. It is 0 if the components that
	// an action needs are not known.
	Just Verdict `json:"just,omitzero"`
	// Lacking is the fairness that a specification in TLA+ lacks; nil if there is none, or if it is not known.
	Lacking *LackingFairness `json:"lacking,omitempty"`
	// Deadlock reports whether a run into a deadlock violates the property. If so, no assumption
	// helps.
	Deadlock bool `json:"deadlock"`
	// OutOfReach is a state from which even full fairness cannot make the property true. It is nil if
	// full fairness makes the property true, or if a deadlock violates it.
	OutOfReach *OutOfReach `json:"out_of_reach"`
	// Assumptions are minimal assumptions that make the property true. Their kinds come in this
	// order: labels that occur finitely often, fair labels, fair choices; within each kind the
	// smallest come first. Labels that occur finitely often meet three conditions: they are no
	// triggers, each finite run has a continuation that counts, and the counterexample can reach
	// what it waits for without them.
	Assumptions []Assumption `json:"assumptions"`
	// Cut are the kinds for which the search may have missed minimal assumptions.
	Cut []AssumptionKind `json:"cut"`
	// Complete reports whether there are no other minimal sets of labels.
	Complete bool `json:"complete"`
	// LimitReached reports whether the search reached its limit of work. Then there may be other
	// assumptions of any kind, and smaller ones.
	LimitReached bool `json:"limit_reached,omitzero"`
	// finitely are all minimal sets of labels such that the property holds on the runs that do
	// these labels finitely often. Each set is in alphabetical order. Unlike Assumptions, it
	// includes sets that are no advice.
	finitely [][]string
}

// LackingFairness is a smallest fairness that a specification in TLA+ lacks: with it, the property
// holds.
type LackingFairness struct {
	// Conjuncts are the conditions of this fairness, as the module can contain them.
	Conjuncts []string `json:"conjuncts"`
	// Specification is the name of the definition to which the conjuncts are to be added. It is ""
	// if the configuration names none; then Formula is the formula of such a definition without the
	// conjuncts.
	Specification string `json:"specification,omitempty"`
	Formula       string `json:"formula,omitempty"`
	// PlusCal has the changes in PlusCal that imply the conjuncts, with "and" between them; "" if there
	// are none.
	PlusCal string `json:"pluscal,omitempty"`
	// Unhelpful reports that no fairness of the actions in the next-state relation is enough, as far as
	// actions were tried. Then AlmostSurely reports whether full fairness is enough.
	Unhelpful    bool `json:"unhelpful,omitempty"`
	AlmostSurely bool `json:"almost_surely,omitempty"`
}

// Asked is an assumption that the options have.
type Asked struct {
	Kind  actl.AssumptionKind `json:"kind"`
	Tasks string              `json:"tasks,omitempty"`
	// Nonstuttering reports whether self-loops are left out of the tasks.
	Nonstuttering bool `json:"nonstuttering,omitempty"`
	// Written is the text in the specification; "" if the assumption does not come from a
	// specification.
	Written string `json:"written,omitempty"`
}

// String returns the assumption in the syntax of [actl.ParseAssumption].
func (a Asked) String() string {
	if a.Written != "" {
		return a.Written
	}
	text := a.Kind.String()
	if a.Nonstuttering {
		text += "!"
	}
	if a.Tasks != "" {
		text += ":" + a.Tasks
	}
	return text
}

// FairnessChain has a verdict for each notion of fairness: no assumption, weak and strong fairness
// of each label, and full fairness. Runs that count under one notion also count under the previous
// one.
type FairnessChain struct {
	None   Verdict `json:"none"`
	Weak   Verdict `json:"weak"`
	Strong Verdict `json:"strong"`
	Full   Verdict `json:"full"`
}

// ModelState is a state of the model itself, even if the unfolded model is explained.
type ModelState uint32

// OutOfReach is the nearest state from which no continuation does step Step of the property, from
// 1, in its order. Steps transitions lead to the state; the run has made Progress by then. For a
// property without steps, Progress and Step are 0, and almost no continuation from the state
// satisfies the property.
type OutOfReach struct {
	State    ModelState `json:"state"`
	Steps    int        `json:"steps"`
	Progress int        `json:"progress"`
	Step     int        `json:"property_step"`
}

// Assumption is an assumption that makes the property true.
type Assumption struct {
	Kind AssumptionKind `json:"kind"`
	// Labels are the labels of an assumption of the kind finitely, weak or strong, in alphabetical
	// order.
	Labels []string `json:"labels,omitempty"`
	// Tasks are the names of tasks, in alphabetical order, if the assumption is a subset of the
	// tasks in the options.
	Tasks []string `json:"tasks,omitempty"`
	// States are the states whose choices are fair, ascending.
	States []ModelState `json:"states,omitempty"`
}

// AssumptionKind is a kind of assumption.
type AssumptionKind uint8

// The kinds of assumptions.
const (
	Finitely    AssumptionKind = iota + 1 // the labels are done finitely often
	Strong                                // runs are strongly fair to each label
	Weak                                  // runs are weakly fair to each label
	FairChoices                           // a run that visits the states infinitely often takes all their transitions infinitely often
)

var assumptionNames = enumeration.New("kind of assumption", "", "finitely", "strong", "weak",
	"choices")

func (k AssumptionKind) String() string { return assumptionNames.Name(uint8(k)) }

// MarshalText returns the name of the kind.
func (k AssumptionKind) MarshalText() ([]byte, error) { return assumptionNames.Text(uint8(k)) }

// UnmarshalText sets the kind by its name.
func (k *AssumptionKind) UnmarshalText(text []byte) error {
	return enumeration.Set(assumptionNames, k, text)
}

// workForAssumptions is the largest number of transitions that the search for assumptions visits
// for each question. The search does not begin if this number allows fewer than fewestPasses passes
// through the model, since it could then answer hardly any question.
const (
	workForAssumptions = 3_000_000
	fewestPasses       = 4
)

// ErrNoRunCounts reports that no run of the model meets the assumptions, so that the property has
// no meaning.
var ErrNoRunCounts = errors.New("no run counts: on every run of the model, some label that should happen only finitely often happens infinitely often; name fewer labels")

// errFairSearch reports that the options have assumptions, and also choose the counterexample in a
// way that is not possible under assumptions.
var errFairSearch = errors.New("under fairness there is only one counterexample: no choice among several, no pattern, no given run and no search in the product automaton can be combined with it")

// [Explain] does not search for assumptions if the model has more than mostTransitionsForFairness
// transitions, or if a question would visit more than mostForFairness states and transitions. A
// question visits each cyclic component several times: once for each step of the property that may
// be pending in the component and that some of its transitions do.
const (
	mostTransitionsForFairness = 50_000_000
	mostForFairness            = 100_000_000
)

// mostUnfoldedForFairness is the largest number of transitions of the products that are made for
// assumptions: larger products would take longer than all other phases.
const mostUnfoldedForFairness = 30_000_000

const tooLargeForFairness = "the search for fairness that would help is left out: the product of model and property is large; " +
	"a given assumption is still decided"

// describeFairness finds out which assumptions would make the property true. It returns nil if one
// question would visit more than mostForFairness states and transitions. It fails with
// [assume.ErrUnfolded] if the products need more than mostUnfolded transitions.
func (a *Analysis) describeFairness(
	ctx context.Context,
	owners *Owners,
	mostUnfolded int64,
) (*Fairness, error) {
	q, err := a.fairnessQuestion(ctx, owners, mostUnfolded)
	if err != nil {
		return nil, err
	}
	found, err := assume.Find(ctx, a.Fates, q)
	if err != nil || found == nil {
		return nil, err
	}
	return a.describeAnswers(ctx, q, found)
}

// fairnessQuestion returns the question about the assumptions that would make the property true.
func (a *Analysis) fairnessQuestion(
	ctx context.Context,
	owners *Owners,
	mostUnfolded int64,
) (assume.Question, error) {
	m := a.Fates.LTS()
	q := assume.Question{
		Size:     mostForFairness,
		Unfolded: mostUnfolded,
		Sets:     fewestPasses*int64(m.NumTransitions()) <= workForAssumptions,
	}
	conditions, err := a.conditions()
	if err != nil {
		return q, err
	}
	q.Conditions = conditions.properties
	if owners != nil && owners.Components != nil {
		q.Just, err = justnessOf(ctx, owners, m.Alphabet())
		if err != nil {
			return q, err
		}
	}
	fixed, err := a.triggers()
	if err != nil {
		return q, err
	}
	isFixed := func(l lts.Label) bool {
		stutters := a.idle != "" && m.Alphabet().Text(l) == a.idle
		return fixed.has(l) || stutters
	}
	q.Limits = assume.Limits{Work: workForAssumptions, Without: isFixed}
	return q, nil
}

// justnessOf returns the assumption that runs are just, for the components that the owners give.
func justnessOf(
	ctx context.Context,
	owners *Owners,
	labels *lts.Alphabet,
) (*property.Fairness, error) {
	just, err := actl.ParseAssumption(ctx, actl.Just.String())
	if err != nil {
		return nil, err
	}
	fair, _, err := actl.BindAssumptions(ctx, []*actl.Assumption{just.On(owners.Components)},
		labels)
	return fair, err
}

// describeAnswers describes the answers to a question of fairnessQuestion.
func (a *Analysis) describeAnswers(
	ctx context.Context,
	q assume.Question,
	found *assume.Answers,
) (*Fairness, error) {
	f := &Fairness{
		Asked:       []Asked{},
		Deadlock:    found.Deadlock,
		Assumptions: []Assumption{},
		Cut:         []AssumptionKind{},
		Complete:    true,
		Chain: &FairnessChain{
			None:   Violated,
			Weak:   verdictOf(found.Weak),
			Strong: verdictOf(found.Strong),
			Full:   verdictOf(found.Full),
		},
	}
	if q.Just != nil {
		f.Just = verdictOf(found.Just)
	}
	if f.Deadlock {
		return f, nil
	}
	doomed := found.Doomed
	if doomed != nil {
		step, err := lostStep(ctx, a.Fates, doomed.State)
		if err != nil {
			return nil, err
		}
		f.OutOfReach = &OutOfReach{
			State:    ModelState(doomed.State.State),
			Steps:    doomed.Steps,
			Progress: a.Property.Progress(doomed.Q),
			Step:     step,
		}
	}
	f.LimitReached = !found.Full && f.OutOfReach == nil
	if !q.Sets {
		f.Complete = false
		f.LimitReached = true
		return f, nil
	}
	text := func(l int) string { return a.text(lts.Label(l)) }
	for _, set := range found.Finitely.Sets {
		f.finitely = append(f.finitely, texts(set, text))
	}
	feasible := found.Finitely
	feasible.Sets = found.Feasible
	f.add(Finitely, feasible, text)
	if found.Strong {
		f.add(Strong, found.StrongSets, text)
	}
	if found.Weak {
		f.add(Weak, found.WeakSets, text)
	}
	if found.Choices != nil {
		f.Complete = f.Complete && found.Choices.Minimal
		f.LimitReached = f.LimitReached || !found.Choices.Minimal
		if found.Choices.States != nil {
			f.Assumptions = append(f.Assumptions, Assumption{
				Kind:   FairChoices,
				States: modelStates(found.Choices.States),
			})
		}
	}
	return f, nil
}

// verdictOf returns satisfied if holds is true, and violated otherwise.
func verdictOf(holds bool) Verdict {
	if holds {
		return Satisfied
	}
	return Violated
}

func modelStates(states []lts.State) []ModelState {
	all := make([]ModelState, len(states))
	for i, s := range states {
		all[i] = ModelState(s)
	}
	return all
}

// add adds the assumptions of one kind. It names their labels or, if the search was for tasks,
// their tasks. It also records whether the search found all of them.
func (f *Fairness) add(kind AssumptionKind, found assume.Found, name func(int) string) {
	var more [][]string
	for _, set := range found.Sets {
		more = append(more, texts(set, name))
	}
	slices.SortStableFunc(more, func(a, b []string) int {
		return cmp.Or(len(a)-len(b), slices.Compare(a, b))
	})
	mayMissSmaller := len(more) > 0 && len(more[0]) > found.Through
	mayMissAll := len(more) == 0 && !found.Complete
	if mayMissSmaller || mayMissAll {
		f.Cut = append(f.Cut, kind)
	}
	for _, names := range more {
		if f.Tasks > 0 {
			f.Assumptions = append(f.Assumptions, Assumption{Kind: kind, Tasks: names})
		} else {
			f.Assumptions = append(f.Assumptions, Assumption{Kind: kind, Labels: names})
		}
	}
	f.Complete = f.Complete && found.Complete
	f.LimitReached = f.LimitReached || found.Stopped
}

// texts returns the names of the members of a set, in alphabetical order.
func texts(set []int, name func(int) string) []string {
	names := make([]string, len(set))
	for i, x := range set {
		names[i] = name(x)
	}
	slices.Sort(names)
	return names
}

const (
	// fewBeside is the largest number of transitions for which the search for fairness has no
	// goroutine of its own.
	fewBeside = 1 << 15
	// bytesBeside is an upper bound of the memory, in bytes for each state, of the search for
	// fairness in a goroutine of its own.
	bytesBeside = 64
)

// fairnessAhead begins the search for fairness on another core, and returns a function that waits
// for its result. The search needs only the fates, so it can run while the classes and a
// counterexample are found. The returned function is nil if no core or memory is free, or if the
// model is small.
func (a *Analysis) fairnessAhead(ctx context.Context, o Options) func() (*Fairness, error) {
	n := a.m.NumTransitions()
	isWorthACore := n > fewBeside && n <= mostTransitionsForFairness
	hasIdleCore := runtime.GOMAXPROCS(0) > 1
	if !isWorthACore || !hasIdleCore || !resources.Spare(ctx, bytesBeside*int64(a.m.NumStates())) {
		return nil
	}
	return cores.Beside(func() (*Fairness, error) {
		return a.describeFairness(ctx, o.Owners, mostUnfoldedForFairness)
	})
}

// strongerNotion returns the weakest notion of fairness of all actions that implies the tasks of
// fair and makes the property of the search true, as the value of [Fairness.Stronger].
func strongerNotion(search *assume.Search, fair *property.Fairness) (string, error) {
	strong, full, err := search.Notions()
	leavesOutLoops := slices.ContainsFunc(fair.Tasks(), func(t property.Task) bool {
		return t.Nonstuttering // strong fairness of each action does not imply the task
	})
	switch {
	case err != nil || !full:
		return "", err
	case strong && !leavesOutLoops:
		return actl.StrongFairness.String(), nil
	}
	return actl.FullFairness.String(), nil
}

// describeEnough finds the minimal sets of assumed tasks that make the property true. If the
// property holds under the assumptions, these are sets of tasks that are enough. Otherwise they are
// sets of weak tasks that must become strong, while all assumptions stay; and it finds the stronger
// notion of fairness that helps. It finds nothing in three cases: if there are other assumptions as well; if the property holds and some tasks are weak and
// some strong; and if the model is so large that the search would end at once.
func (f *Fairness) describeEnough(ctx context.Context, a *Analysis, most int64) error {
	fair := a.fairness
	hasOtherAssumptions := fair.Full() || fair.Excludes() || fair.Justness() != nil
	endsAtOnce := fewestPasses*int64(a.m.NumTransitions()) > workForAssumptions
	if hasOtherAssumptions || endsAtOnce {
		return nil
	}
	limits := assume.Limits{Work: workForAssumptions}
	if !a.Fates.Holds() {
		limits.With = fair.Tasks()
	}
	kind, tasks := candidateTasks(fair.Tasks(), a.Fates.Holds())
	if len(tasks) == 0 && a.Fates.Holds() {
		return nil
	}
	search, err := assume.Of(ctx, a.Fates)
	switch {
	case errors.Is(err, assume.ErrManyPairs):
		return nil
	case errors.Is(err, assume.ErrDeadlock):
		f.Deadlock = true
		return nil
	case err != nil:
		return err
	}
	if search.Size() > most {
		return nil
	}
	if !a.Fates.Holds() {
		f.Stronger, err = strongerNotion(search, fair)
		if err != nil {
			return err
		}
	}
	if len(tasks) == 0 {
		return nil
	}
	found, err := search.FairTasks(tasks, limits)
	if err != nil {
		return err
	}
	f.Tasks = len(tasks)
	f.add(kind, found, func(task int) string { return tasks[task].Name })
	return nil
}

// candidateTasks returns the tasks among which the search chooses, and their kind. If the property
// holds, these are all tasks, or none if some are weak and some strong. If it does not hold, they
// are the weak tasks, made strong.
func candidateTasks(tasks []property.Task, holds bool) (AssumptionKind, []property.Task) {
	var weak, strong []property.Task
	for _, t := range tasks {
		if t.Strong {
			strong = append(strong, t)
		} else {
			weak = append(weak, t)
		}
	}
	switch {
	case !holds:
		for i := range weak {
			weak[i].Strong = true
		}
		return Strong, weak
	case len(weak) == 0:
		return Strong, strong
	case len(strong) > 0:
		return Weak, nil
	}
	return Weak, weak
}
