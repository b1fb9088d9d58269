package explain

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/enumeration"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/modeljson"
	"github.com/inev-lts/inev/internal/property/refine"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
	"github.com/inev-lts/inev/simplify"
)

// Explanation has all results of one run: the verdict, a run that shows it, the causes, and advice.
// It comes from [Explain] or [Check]; the fields that Check does not compute are nil, zero or empty.
type Explanation struct {
	Model    Model
	Property Property
	Verdict  Verdict
	Warnings []string
	Run
	Causes
	Advice
	// Faults has the number of faults with which a violation is possible; nil if it was not
	// requested.
	Faults *Faults
	// Stats are the counts of the search for the counterexample; nil without a search.
	Stats   *counterexample.Stats
	Timings Phases
	// Cost is nil unless the options ask for the cost.
	Cost *Cost

	lts       *lts.LTS
	unfolding *product.Unfolding
	formula   property.Formula
	pattern   *actl.Formula
	trace     *counterexample.Trace
	found     *Neighbourhoods
	// parts has the data that a search for further counterexamples needs; nil if no such search is
	// possible.
	parts *parts
}

// Run is a run that violates the property, with the results that concern this run alone.
type Run struct {
	// Counterexample is nil if the property holds.
	Counterexample *Counterexample
	// All has all shortest counterexamples; nil if they were not requested, or if the property holds.
	All *All
	// Conjuncts are the conditions that the formula joins by "and", with the verdicts on the
	// counterexample; nil if the formula joins no conditions, or if the property holds.
	Conjuncts []Conjunct
	// Values are the values of the states of the counterexample; nil if the options have no table of
	// values, or if the property holds.
	Values *Values
	// Folded are the results about the model itself if the explanation is about the unfolded model;
	// nil otherwise.
	Folded *Folded
	// Others are further counterexamples, the shortest first; nil unless the options ask for them.
	Others []Other
	// EveryTakes is set if there are fewer Others than requested because no more exist. Then each
	// violating run takes all transitions of at least one element.
	EveryTakes []Taken
}

// Causes are the reasons why the run violates the property: what was decided on the run, and where.
// If the property holds, they are the reasons why it holds.
type Causes struct {
	// Diagnosis is the reason why the counterexample violates the property. It is nil if the
	// property holds, and in a result of [Check] if finding the reason would take long.
	Diagnosis *Diagnosis
	// Abstracted is nil if the property holds.
	Abstracted *Abstracted
	// Reading is the condition under which incoming transitions make a state a neighbourhood. It
	// has no meaning in the result of [Check].
	Reading neighbourhood.Reading
	Classes *Classes
	// PointOfNoReturn is nil if the counterexample has none.
	PointOfNoReturn *PointOfNoReturn
	// Decisions are the states of the counterexample where another transition would have been
	// better for this run, and the state of its point of no return, in the order of the run. There
	// are none if no run satisfies the property. Every output shows exactly these as decisions.
	Decisions []Decision
	// Exits are the transitions that leave the loop of a lasso, in its order.
	Exits []Exit
	// Way is a shortest path from the loop of a lasso to the step that never happens; nil if there
	// is no such path, or no loop.
	Way *Way
	// Loss is the first step of the property that is lost after the point of no return. If all runs
	// are lost from the start, it is the first step that was never possible. It is nil if the
	// counterexample is free to its end.
	Loss *Loss
	// Reasons are the reasons why the property holds; nil if it is violated, or if they were not
	// requested.
	Reasons *Reasons
}

// Advice is what would make a violated property true.
type Advice struct {
	// Fairness has the assumptions that would make the property true. It is nil if the property holds,
	// if the property is no inevitability, or if they were not requested.
	Fairness *Fairness
	// Repair is what would have to be forbidden if all labels except the internal actions are
	// controllable. Nearest is a correct run that differs little from the counterexample. Both are nil
	// if the property holds, if advice was not requested, or if the search found nothing or would take
	// too long.
	Repair  *Repair
	Nearest *Diff
	// NoNearest reports that no correct run has the triggers of the counterexample, as Nearest must.
	// It is false if that is not known.
	NoNearest bool
	// NoRepair is the reason why Repair is nil under an assumption; nil if the reason is not known.
	NoRepair *noRepair
	// Necessity is what all violations have in common; nil if advice was not requested, or if the
	// search would take too long.
	Necessity *Necessity
	// Prevention reports who could have prevented the violation; nil if the owners of labels are
	// not known, and whenever Repair is nil.
	Prevention *Prevention
}

// Model describes the model of an explanation, with its size.
type Model struct {
	// File is [Source.File]; "the model" if that is empty.
	File        string    `json:"file"`
	Initial     lts.State `json:"initial"`
	States      int       `json:"states"`
	Transitions int       `json:"transitions"`
	Labels      int       `json:"labels"`
	// InitialStates is the number of initial states if there are several; otherwise 0. If there are
	// several, Initial is a state that was added before them; neither this state nor its
	// transitions are counted.
	InitialStates int `json:"initial_states,omitzero"`
	// These are the sizes of the reachable part; all are 0 in the result of [Check].
	ReachableStates      int `json:"reachable_states"`
	ReachableTransitions int `json:"reachable_transitions"`
	Deadlocks            int `json:"deadlocks"` // states without outgoing transitions
	// SCCs is the number of strongly connected components, Depth the largest depth of a component.
	SCCs  int `json:"sccs"`
	Depth int `json:"depth"`
}

// IsBefore reports whether s is the state that was added before several initial states.
func (m *Model) IsBefore(s int) bool { return m.InitialStates > 0 && s == int(m.Initial) }

// Property is the property of an explanation.
type Property struct {
	Kind property.Kind `json:"kind"`
	Text string        `json:"text"`
	// Written is the formula as its author wrote it; "" if that is the same as Text.
	Written string `json:"written,omitempty"`
	ACTL    string `json:"actl"`
	// Scope is the part of runs to which the property applies, such as "after A until B"; "" for
	// whole runs.
	Scope string `json:"scope,omitempty"`
	// Steps are the steps of inevitability; other properties have none.
	Steps []PropertyStep `json:"steps"`
}

// AsWritten returns the formula as its author wrote it or, if that is not known, its Text.
func (p *Property) AsWritten() string {
	if p.Written != "" {
		return p.Written
	}
	return p.Text
}

// PropertyStep is a step of the property: its pattern, and the labels of the model that match it.
type PropertyStep struct {
	Pattern string   `json:"pattern"`
	Labels  []string `json:"labels"`
}

// Counterexample is a run of the model that violates the property.
type Counterexample struct {
	Kind counterexample.Kind `json:"kind"`
	// Length is the number of transitions. A transition to an initial state, see [lts.LTS.Begin],
	// does not count.
	Length int `json:"length"`
	// Shortest reports whether the counterexample is known to be a shortest one among the runs of
	// Minimal. It is false for a run of [AutomatonSearch] if the model is known to have a shorter
	// one.
	Shortest bool `json:"shortest"`
	// Minimal is the set of runs among which the counterexample is a shortest one: all runs of the
	// model or, for a property that is no chain, those whose loops close in the product. It is unknown
	// for a run that must do a pattern, or if the search did not determine it, see [AutomatonSearch].
	Minimal counterexample.Minimality `json:"minimal"`
	// NoneBelow, if it is positive, is a lower bound: every counterexample in the product of model
	// and property has at least this number of states, see [AutomatonSearch].
	NoneBelow int `json:"none_below,omitzero"`
	// LoopStart is the index of the first step of the loop; -1 without a loop.
	LoopStart LoopStart `json:"loop_start"`
	Steps     []Step    `json:"steps"`
	// Trap is set if the run is a stem alone, because every continuation that counts violates the
	// property; otherwise it is nil.
	Trap *Trap `json:"trap,omitempty"`
	// Refused are the labels that are possible at the end of the run, if the run ends because the
	// environment may refuse all of them forever; otherwise it is nil.
	Refused []string `json:"refused,omitempty"`
	// Pending is what is pending in the initial state, for a property without steps; nil for
	// inevitability.
	Pending *Pending `json:"initial_pending,omitempty"`
	// Done is the number of steps of the property that the run does, however often it repeats its
	// loop. The run never does step Done+1.
	Done int `json:"done"`
	// Late are the steps of the property that only a later round of the loop does, because the
	// first round does them too early. They are in the order of the run.
	Late []Late `json:"late"`
	// Given reports whether the user gave the run. If so, each of the Notes is a sentence on a
	// change that made the given run a run of the model.
	Given bool     `json:"given"`
	Notes []string `json:"notes"`
	// Idle is set if it matters whether runs may forever take steps that change nothing; otherwise
	// it is nil.
	Idle *Idle `json:"idle,omitempty"`
	// Unrolled is set if the loop consists of several rounds of a shorter loop. It describes the
	// run with the shorter loop.
	Unrolled *unrolledLoop `json:"-"`
	// InitialFate is the fate of the initial state; 0 in the result of [Check].
	InitialFate simplify.Fate `json:"initial_fate,omitempty"`
}

// unrolledLoop describes a run before its loop was unrolled.
type unrolledLoop struct {
	// Length is the number of transitions of that run, counted like [Counterexample.Length]. Rounds
	// is the number of times that the unrolled run repeats the loop of that run.
	Length int
	Rounds int
	// Minimal is the set of runs among which the run before unrolling is a shortest counterexample.
	Minimal counterexample.Minimality
}

// IsStem reports whether the run is a stem alone, since every continuation violates the property: a
// trap or a bad prefix.
func (c *Counterexample) IsStem() bool {
	return c.Kind == counterexample.Trap || c.Kind == counterexample.Prefix
}

func (c *Counterexample) setMinimal(m counterexample.Minimality) {
	c.Minimal = m
	c.Shortest = m != counterexample.MinimalUnknown
}

// Trap describes what remains possible after the property is lost.
type Trap struct {
	// First to Step are the steps of the property, from 1, that no continuation does in their
	// order; 0 for a property without steps.
	First int `json:"first"`
	Step  int `json:"step"`
	// States is the number of states that runs can still reach. Labels are the labels that they can
	// still do.
	States int      `json:"states"`
	Labels []string `json:"labels"`
}

// Pending is what a run waits for, or must not do, in a property state.
type Pending struct {
	State property.Q // of the property
	Words property.Phrase
}

// Words are a phrase, which has the form of its text in JSON.
type Words property.Phrase

// Late is a step of the property that only a later round of a loop does.
type Late struct {
	Round    int       `json:"round"` // the number of the round of the loop, from 2
	Step     StepIndex `json:"step"`
	Progress int       `json:"progress"` // the number of steps of the property that are done after it
}

// All describes all shortest counterexamples.
type All struct {
	Count number `json:"count"`
	// Listed are the first counterexamples, in the order of [counterexample.Family].
	Listed []*Counterexample `json:"listed"`
}

// Folded has results about a counterexample that are found with the states of the model itself,
// where a state covers all its histories.
type Folded struct {
	Classes Classes `json:"classes"`
	// Neighbourhoods is the number of neighbourhoods, and Decisions is the number of those on
	// the counterexample.
	Neighbourhoods int `json:"neighbourhoods"`
	Decisions      int `json:"decisions"`
}

// Step is a transition of a counterexample.
type Step struct {
	From  lts.State `json:"from"`
	Label string    `json:"label"`
	// Owner owns the label; "" if nobody owns the label, or if owners are not known.
	Owner    string     `json:"owner,omitempty"`
	To       lts.State  `json:"to"`
	Class    fate.Class `json:"class,omitempty"` // the class of the transition, over all runs; 0 in the result of [Check]
	Progress int        `json:"progress"`        // the number of steps of the property that are done after it
	// Pending is what is pending after the step, for a property without steps; nil for
	// inevitability.
	Pending *Pending `json:"pending,omitempty"`
	// Neighbourhood reports whether From is a neighbourhood.
	Neighbourhood whether       `json:"neighbourhood,omitzero"`
	Fate          simplify.Fate `json:"fate,omitempty"` // the fate of the run after the step; 0 in the result of [Check]
	// inModel is the transition of the model that the step takes; nil if the explanation is not about
	// the unfolded model.
	inModel *ModelStep
}

// Abstracted is the abstracted counterexample (SEFM 2018, section 3.4): the indices of the steps that
// enter or leave neighbourhoods, and of the step that passes the point of no return. It has no steps if
// no run satisfies the property.
type Abstracted struct {
	Length int   `json:"length"` // the number of the steps kept
	Steps  []int `json:"steps"`
}

// Classes are the numbers of reachable transitions of each class.
type Classes struct {
	Correct   int `json:"correct"`
	Incorrect int `json:"incorrect"`
	Neutral   int `json:"neutral"`
	// Excluded is the number of transitions that lie on no run that counts; see
	// [property.Fairness.Excludes].
	Excluded int `json:"excluded,omitzero"`
}

// PointOfNoReturn is the step that leaves the last free state of a counterexample.
type PointOfNoReturn struct {
	Step  StepIndex `json:"step"`
	State lts.State `json:"state"`
	Label string    `json:"label"`
}

// Decision is a state on the counterexample where a choice decided something for this run. It has
// the transition that the run takes, and the other transitions from the state. Kind is the kind of
// the state as a neighbourhood, over all runs; 0 if the state is no neighbourhood. For a state on a
// loop, all fields except FirstProgress and [Choice.First] are about the rounds that repeat
// forever, when the run makes no progress any more.
type Decision struct {
	Step  StepIndex          `json:"step"` // the step that leaves the state
	State lts.State          `json:"state"`
	Kind  neighbourhood.Kind `json:"neighbourhood,omitempty"`
	// PointOfNoReturn reports whether the run passes the point of no return here.
	PointOfNoReturn bool `json:"point_of_no_return"`
	// Progress is the number of steps of the property that are done when the run is in the state.
	// FirstProgress is this number on the first visit. They can differ only on a loop.
	Progress      int `json:"progress"`
	FirstProgress int `json:"progress_first"`
	// Fate is the fate of the run when it reaches the state, in every round.
	Fate   simplify.Fate `json:"fate"`
	Chosen Choice        `json:"chosen"`
	// Owner is the owner of the chosen label; "" if the label has no owner, or if owners are not
	// known.
	Owner string `json:"owner,omitempty"`
	// Source is the position of the chosen action in the specification; nil if it is not known.
	Source *Position `json:"source,omitempty"`
	// Alternatives are the other transitions that leave the state, in the order of
	// the model.
	Alternatives []Choice `json:"alternatives"`
	// Rank is the position of this decision, from 1, in a list that begins with the likeliest place
	// of the fault. Decisions that every violation takes come first, then the others. Within each
	// group, later decisions on the run come first.
	Rank int `json:"rank"`
	// Distance is the number of decisions after this one, 0 for the last one (SEFM'18, section 3.4,
	// technique (iv)).
	Distance int `json:"distance_to_bug"`
}

// Choice is a transition that leaves a state of the counterexample.
type Choice struct {
	Label string     `json:"label"`
	To    lts.State  `json:"to"`
	Class fate.Class `json:"class"` // the class of the transition, over all runs
	// After is the class of the transition for this run, given its progress: correct if all
	// continuations satisfy the property, incorrect if none does, neutral if only some do.
	After fate.Class `json:"after"`
	// First is the class on the first visit of the run to the state. It differs from After only on a
	// loop whose rounds make progress.
	First fate.Class `json:"after_first"`
	// Stops reports whether every run that takes the transition ends in a deadlock, although the model
	// can go on forever from the state before it, and nothing is pending there. Only alternatives of
	// decisions that do not lose the property have it.
	Stops bool `json:"stops,omitzero"`
	// Values are the values of the state after the transition that differ from those after the step of the
	// run. Their changes lead from the latter to the former. Only alternatives of decisions whose
	// labels do not identify them have Values.
	Values []StateValue `json:"values,omitempty"`
}

// Exit is a transition that leaves the loop of a lasso.
type Exit struct {
	Step StepIndex `json:"step"` // the step that the run takes instead
	From lts.State `json:"from"`
	Choice
	// Shortest reports whether the transition begins a shortest path from the loop to what the run
	// waits for. Only paths that do not lose the property count.
	Shortest bool `json:"shortest,omitzero"`
}

// Way is a path that a run could take instead of repeating its loop forever.
type Way struct {
	// Step is the index of the step that leaves the same state as the path, in a round that repeats
	// forever.
	Step StepIndex `json:"step"`
	// Transitions are the transitions of the path, at least one. Only the last transition does the
	// step of the property that the run never does. After it, the property can still be satisfied.
	Transitions []PathStep `json:"transitions"`
}

// Loss is a step of the property that no continuation does after some steps of the counterexample.
type Loss struct {
	// Steps is the number of transitions after which every continuation of the run violates the
	// property.
	Steps int `json:"steps"`
	// Step is the first step of the property, from 1, that no continuation does in its order.
	Step int `json:"step"`
}

// SlowestRun returns the slowest run of a property that holds, which outputs show like a counterexample;
// nil if it is not known, or has no steps.
func (e *Explanation) SlowestRun() *Slowest {
	if e.Reasons == nil || e.Reasons.Slowest == nil || len(e.Reasons.Slowest.Steps) == 0 {
		return nil
	}
	return e.Reasons.Slowest
}

// LTS returns the model that the explanation is about: the model itself, or its unfolded model.
func (e *Explanation) LTS() *lts.LTS { return e.lts }

// Formula returns the formula that was explained.
func (e *Explanation) Formula() property.Formula { return e.formula }

// Pattern returns the steps that the counterexample had to do; nil if the options required none.
func (e *Explanation) Pattern() *actl.Formula { return e.pattern }

// Trace returns the counterexample as a run of the model, nil if the property holds.
func (e *Explanation) Trace() *counterexample.Trace { return e.trace }

// Classification returns the classes and neighbourhoods; nil in the result of [Check].
func (e *Explanation) Classification() *neighbourhood.Classification { return e.found.types }

// Name returns the text for a state: its number, or state·progress if the explanation is about the
// unfolded model.
func (e *Explanation) Name(s lts.State) string { return stateName(e.unfolding, s) }

// IsUnfolded reports whether the explanation is about the unfolded model. Then states are states of
// [Explanation.LTS], and [Explanation.Name] gives their texts.
func (e *Explanation) IsUnfolded() bool { return e.unfolding != nil }

// Neighbourhoods returns the neighbourhoods; the result of [Check] has none.
func (e *Explanation) Neighbourhoods() *Neighbourhoods { return e.found }

// Verdict is the answer to whether a property holds. The value 0 is no verdict, and has no name.
type Verdict uint8

// The verdicts.
const (
	Satisfied Verdict = iota + 1 // every maximal trace satisfies the property
	Violated                     // some maximal trace violates the property
)

var verdictNames = enumeration.New("verdict", "", "satisfied", "violated")

func (v Verdict) String() string { return verdictNames.Name(uint8(v)) }

// MarshalText returns the name of the verdict.
func (v Verdict) MarshalText() ([]byte, error) { return verdictNames.Text(uint8(v)) }

// UnmarshalText sets the verdict by its name.
func (v *Verdict) UnmarshalText(text []byte) error {
	return enumeration.Set(verdictNames, v, text)
}

// whether is a Boolean that may be unknown, as in the result of [Check]. The value 0 means unknown.
type whether uint8

const (
	no whether = iota + 1
	yes
)

func whetherIt(is bool) whether {
	if is {
		return yes
	}
	return no
}

// Is reports whether the fact is known, and true.
func (w whether) Is() bool { return w == yes }

// MarshalJSON returns true or false. An unknown value is omitted from JSON.
func (w whether) MarshalJSON() ([]byte, error) { return strconv.AppendBool(nil, w == yes), nil }

// StepIndex is the index of a step of a counterexample, from 0. In JSON, and in texts for people,
// steps are counted from 1.
type StepIndex int

// String returns the number of the step, counted from 1.
func (i StepIndex) String() string { return strconv.Itoa(int(i) + 1) }

// MarshalJSON returns the number of the step, counted from 1.
func (i StepIndex) MarshalJSON() ([]byte, error) {
	return strconv.AppendInt(nil, int64(i)+1, 10), nil
}

// LoopStart is the index of the first step of a loop, from 0, also in JSON. It is -1 without a
// loop; JSON has null instead.
type LoopStart int

// noLoopStart is the LoopStart of a run without a loop.
const noLoopStart LoopStart = -1

// MarshalJSON returns the index, or null.
func (l LoopStart) MarshalJSON() ([]byte, error) {
	if l < 0 {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, int64(l), 10), nil
}

// MarshalJSON returns an object. It has the size of the reachable part if that is known.
func (m Model) MarshalJSON() ([]byte, error) {
	if m.ReachableStates > 0 {
		type plain Model
		return modeljson.Plain().Marshal(plain(m))
	}
	type unexplored struct {
		File        string    `json:"file"`
		Initial     lts.State `json:"initial"`
		States      int       `json:"states"`
		Transitions int       `json:"transitions"`
		Labels      int       `json:"labels"`
		Begins      int       `json:"initial_states,omitzero"`
	}
	return modeljson.Plain().Marshal(unexplored{
		File:        m.File,
		Initial:     m.Initial,
		States:      m.States,
		Transitions: m.Transitions,
		Labels:      m.Labels,
		Begins:      m.InitialStates,
	})
}

// MarshalJSON returns an object with the property state and the text of the phrase.
func (p Pending) MarshalJSON() ([]byte, error) {
	return modeljson.Plain().Marshal(struct {
		State property.Q `json:"state"`
		Text  string     `json:"text"`
	}{p.State, p.Words.String()})
}

// number is an integer that may be too large for the numbers of most programs, so that JSON has it as a
// string.
type number struct{ *big.Int }

// MarshalJSON returns the phrase as one string.
func (w Words) MarshalJSON() ([]byte, error) {
	return modeljson.Plain().Marshal(property.Phrase(w).String())
}

// MarshalJSON returns the decimal digits as a string.
func (n number) MarshalJSON() ([]byte, error) {
	return strconv.AppendQuote(nil, n.String()), nil
}

// Phases are the phases of a run, in their order.
type Phases []Phase

// Totals returns one phase for each name, with the sum of the times of all phases with this name, in the
// order in which the names first occur. Cost O(number of phases).
func (p Phases) Totals() Phases {
	var sums intern.List[string, Phase]
	for _, phase := range p {
		sums.All[sums.Index(phase.Name, Phase{Name: phase.Name})].Took += phase.Took
	}
	return sums.All
}

// MarshalJSON returns an object with the total time of each phase, by its name, in milliseconds.
func (p Phases) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, phase := range p.Totals() {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(strconv.AppendQuote(b, phase.Name), ':')
		b = strconv.AppendFloat(b, phase.Milliseconds(), 'f', -1, 64)
	}
	return append(b, '}'), nil
}

// Milliseconds returns the time in milliseconds, with three decimals.
func (p Phase) Milliseconds() float64 {
	return float64(p.Took.Round(time.Microsecond).Microseconds()) / 1000
}

// Fields yields the fields of the JSON of e with their values, in the order of its schema: all
// fields for a result of [Explain], and those that Check computes for a result of [Check]. The
// neighbourhoods are a [*Neighbourhoods], since there can be millions.
func (e *Explanation) Fields() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		complete := e.Classes != nil
		pattern := ""
		if e.pattern != nil {
			pattern = e.pattern.String()
		}
		for _, f := range []struct {
			name      string
			value     any
			isWritten bool
		}{
			{"schema", schema, true},
			{"model", e.Model, true},
			{"property", e.Property, true},
			{"verdict", e.Verdict, true},
			{"warnings", e.Warnings, true},
			{"diagnosis", e.Diagnosis, e.Counterexample != nil},
			{"conjuncts", e.Conjuncts, e.Conjuncts != nil},
			{"counterexample", e.Counterexample, true},
			{"all_shortest", e.All, e.All != nil},
			{"abstracted", e.Abstracted, complete},
			{"neighbourhood_reading", e.Reading, complete},
			{"classes", e.Classes, complete},
			{"neighbourhoods", e.found, complete},
			{"point_of_no_return", e.PointOfNoReturn, complete},
			{"decisions", e.Decisions, complete},
			{"deciding", e.Deciding(), e.Counterexample != nil},
			{"exits", e.Exits, complete},
			{"way", e.Way, complete},
			{"loss", e.Loss, complete},
			{"holds", e.Reasons, e.Reasons != nil},
			{"faults", e.Faults, e.Faults != nil},
			{"fairness", e.Fairness, e.Fairness != nil},
			{"values", e.Values, e.Values != nil},
			{"repair", e.Repair, e.Repair != nil},
			{"necessity", e.Necessity, e.Necessity != nil},
			{"nearest_correct", e.Nearest, e.Nearest != nil},
			{"prevention", e.Prevention, e.Prevention != nil},
			{"another", e.Others, e.Others != nil},
			{"every_violation_takes", e.EveryTakes, e.EveryTakes != nil},
			{"folded", e.Folded, e.Folded != nil},
			{"pattern", pattern, e.pattern != nil},
			{"timings_ms", e.Timings, true},
			{"stats", e.Cost, e.Cost != nil},
		} {
			if f.isWritten && !yield(f.name, f.value) {
				return
			}
		}
	}
}

// MarshalJSON returns the fields of [Explanation.Fields] as one object. Cost O(size of e, with its
// neighbourhoods), in memory.
func (e *Explanation) MarshalJSON() ([]byte, error) {
	if e == nil {
		return []byte("null"), nil
	}
	format := modeljson.Plain()
	if e.IsUnfolded() {
		format = modeljson.Named(e.Name)
	}
	var b bytes.Buffer
	for name, value := range e.Fields() {
		if found, areNeighbourhoods := value.(*Neighbourhoods); areNeighbourhoods {
			value = slices.Collect(found.WithPaths(PathLabels))
		}
		text, err := format.Marshal(value)
		if err != nil {
			return nil, err
		}
		b.WriteString(",")
		b.WriteString(strconv.Quote(name))
		b.WriteString(":")
		b.Write(text)
	}
	b.WriteByte('}')
	b.Bytes()[0] = '{'
	return b.Bytes(), nil
}

var _ json.Marshaler = (*Explanation)(nil)

// Matched returns a model to which f can be bound. If f is about values of states, the labels of
// this model have the atoms of f as facts, according to the values in o; otherwise the result is m.
// [Explain] and the other questions make this model themselves; a caller who compares labels of
// several questions must use the same model for all of them. Unless accepts is set, Matched refuses
// three things with an *[actl.UnmatchedError]: an atom about a value that no state has, a step of f
// that no label matches, and a task of o.Fair that no label matches. If accepts is set, it adds
// warnings about them to o. Errors have the name of the model. Cost O(S + T) for a formula about
// values, and O(labels) otherwise.
func Matched(
	ctx context.Context,
	m *lts.LTS,
	f property.Formula,
	o *Options,
	accepts bool,
) (*lts.LTS, error) {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("m", m),
		required.Argument("f", f),
		required.Argument("o", o),
	); err != nil {
		return nil, err
	}
	earlier := o.Warnings
	m, missing, err := withValues(ctx, m, f, &o.Source)
	switch {
	case err != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("%s: %w", cmp.Or(o.File, nameless), err)
	case err != nil:
		return nil, err
	case accepts:
		return m, nil
	case len(missing) > 0:
		o.Warnings = earlier
		return nil, missing[0]
	}
	if err := f.Unmatched(ctx, m.Alphabet()); err != nil {
		return m, err
	}
	for _, a := range o.Fair {
		if err := a.Unmatched(ctx, m.Alphabet()); err != nil {
			return m, err
		}
	}
	return m, nil
}

// withValues returns the model of [Matched]. This is m itself if the formula is about labels alone,
// or if m has these facts already. It also returns an error for each atom about a value that no
// state has, and adds a warning about each of them to o.
func withValues(
	ctx context.Context,
	m *lts.LTS,
	f property.Formula,
	o *Source,
) (*lts.LTS, []*values.NoValueError, error) {
	atoms := values.AtomsOf(f)
	if len(atoms) == 0 || len(m.Alphabet().FactNames()) > 0 {
		return m, nil, nil
	}
	refined, err := refine.Refine(ctx, o.States, m, atoms)
	if err != nil {
		return nil, nil, err
	}
	o.Warnings = slices.Concat(o.Warnings, refined.Warnings)
	for _, missing := range refined.NoState {
		o.Warnings = append(o.Warnings, missing.Error())
	}
	return refined.LTS, refined.NoState, nil
}

// HasQuotient reports whether the model has a quotient: the classes must be known, and no fairness
// assumed, since hidden transitions may matter for fairness.
func (e *Explanation) HasQuotient() bool {
	return e.Classification() != nil && e.Classification().Fates().Fairness() == nil
}

// describeProperty describes the property of an analysis of the model itself.
func describeProperty(a *Analysis) Property {
	p := Property{Kind: a.Property.Kind(), Text: a.Formula.String()}
	if f, hasACTL := a.Formula.(interface{ ACTL() string }); hasACTL {
		p.ACTL = f.ACTL()
	}
	if f, hasSource := a.Formula.(interface{ Written() string }); hasSource {
		p.Written = f.Written()
	}
	if f, hasScope := a.Formula.(interface{ Scope() string }); hasScope {
		p.Scope = f.Scope()
	}
	for i := 1; i <= a.Property.Steps(); i++ {
		step := a.Property.Step(i)
		described := PropertyStep{Pattern: step.Pattern.String(), Labels: []string{}}
		for _, l := range step.Labels {
			described.Labels = append(described.Labels, a.text(l))
		}
		p.Steps = append(p.Steps, described)
	}
	return p
}

// assumptionsOf returns a Fairness with the assumptions in the options; nil if there are none.
func assumptionsOf(fair []*actl.Assumption) *Fairness {
	if len(fair) == 0 {
		return nil
	}
	f := &Fairness{
		Asked:       []Asked{},
		Assumptions: []Assumption{},
		Cut:         []AssumptionKind{},
		Complete:    true,
	}
	for _, assumption := range fair {
		f.Asked = append(f.Asked, Asked{
			Kind:          assumption.Kind(),
			Tasks:         assumption.Tasks(),
			Nonstuttering: assumption.Nonstuttering(),
			Written:       assumption.Written(),
		})
	}
	return f
}

// nameless is the name of a model that has none in the options.
const nameless = "the model"

func modelOf(m *lts.LTS, file string) Model {
	model := Model{
		File:    cmp.Or(file, nameless),
		Initial: m.Initial(),
		Labels:  m.Alphabet().Texts(),
	}
	model.States, model.Transitions, model.InitialStates = m.Total()
	if model.InitialStates > 0 {
		model.Labels -= textsOnlyAtBegin(m)
	}
	return model
}

// textsOnlyAtBegin returns the number of label texts that occur only in transitions from the added state
// to the initial states of m.
func textsOnlyAtBegin(m *lts.LTS) int {
	a := m.Alphabet()
	isAction := func(l lts.Label) bool {
		_, begins := a.Facts(l)
		return !begins
	}
	onlyBegin := map[lts.Label]bool{}
	labels, _ := m.Out(m.Initial())
	for l := range labels.All() {
		if !slices.ContainsFunc(a.Variants(a.Text(l)), isAction) {
			onlyBegin[a.Plain(l)] = true
		}
	}
	return len(onlyBegin)
}

// reach sets the size of the reachable part. The model must have computed it before.
func (m *Model) reach(model *lts.LTS) {
	m.Deadlocks = model.Reachable().NumDeadlocks()
	m.ReachableStates, m.ReachableTransitions = model.Size()
}

// describe sets the fields that depend on the components. The reachable part must have been
// computed before.
func (m *Model) describe(c *scc.Components) {
	m.reach(c.LTS())
	m.SCCs = c.Len() - c.LTS().Before()
	m.Depth = c.MaxDepth() - c.LTS().Before()
}
