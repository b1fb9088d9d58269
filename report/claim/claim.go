// Package claim turns an explanation into the claims that people are told: what holds, what the
// counterexample does and lacks, which decisions it makes and which would have been better, how a
// run could leave its loop, and what lies off the counterexample.
//
// The invariant that holds inside: a claim is complete in itself, and can be checked against the
// model, the property and the run without the analysis. Every output says the same claims in its
// own form.
package claim

import (
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/property"
)

// Claim is one of the types of this package: one thing that is said.
type Claim interface {
	// Kind names the type of the claim in data.
	Kind() string
}

// Verdict reports whether every maximal run satisfies the property.
type Verdict struct {
	Satisfied bool
	// Hopeless says that no maximal run does.
	Hopeless bool
	// Under are the assumptions that runs must satisfy to count; if it is empty, all runs
	// count.
	Under []explain.Asked
}

// Shape is the shape of the counterexample.
type Shape struct {
	Length int
	// LoopStart is the index of the first step of the loop; -1 if the run has no loop. Last is the
	// last state of the run: a deadlock, unless the stem alone violates the property or the
	// environment refuses what is possible there.
	LoopStart int
	Last      lts.State
	// Shortest says that no counterexample is shorter; with InProduct, that no counterexample
	// is shorter whose loop closes in the product of model and property.
	Shortest, InProduct bool
	// Refused are the labels that are possible at the end of the run, where the environment may
	// refuse them all for ever.
	Refused []string
	// Trap says that the stem alone violates the property in this model; Prefix, that it does
	// in every model.
	Trap, Prefix bool
	// Given says that the user gave the counterexample; WithPattern, that it is a shortest one with
	// a given pattern of steps.
	Given, WithPattern bool
}

// Missing says that the run does the first Done steps of the property in their order, and never
// step Done+1 after that.
type Missing struct{ Done int }

// Unmet names what the run never fulfils, of a property without steps: what is pending at the end
// of the run or, one after the other, on its loop.
type Unmet struct {
	Pending []property.Phrase // each once
	// Since is the number of steps after which the only pending thing stays pending; -1 if several
	// things are pending.
	Since int
	// Ends says that the run ends.
	Ends bool
}

// Conditions lists the conjuncts of the formula: those that the run violates, at least one, and
// the others.
type Conditions struct{ All []explain.Conjunct }

// Doomed says that no continuation of a finite run does the steps First to Step of the property in
// their order.
type Doomed struct{ *explain.Trap }

// Note describes how a given counterexample was made a run of the model.
type Note struct{ Text string }

// Outcome is what a choice meant for the run.
type Outcome int

// The outcomes.
const (
	StaysPossible Outcome = iota // the run could still satisfy the property
	LostHere                     // from here on it cannot any more
	LostBefore                   // the property was lost before
)

// Option is one or more transitions with one label that the run could have taken instead.
type Option struct {
	Label string
	// To is the target. ToTold reports that the sentence must name it, since the label
	// alone does not identify the transition.
	To     lts.State
	ToTold bool
	// Ways is the number of transitions that this option stands for; always 1 in the
	// lists about the first round.
	Ways int
}

// Outlook classifies the transitions that the run does not take at a state by what they would have
// meant for the run; at a state on the loop, by what they mean in the rounds that repeat for ever.
type Outlook struct {
	Certain  []Option // every run that continues with such a transition satisfies the property
	Possible []Option // some of these runs satisfy it, some do not
	Lost     []Option // none of these runs satisfies it
	// FirstPossible and FirstLost are options that meant less in the first round of the loop: then
	// they only kept the property possible, or lost it.
	FirstPossible, FirstLost []Option
	// FirstCertain are options that made the property certain in the first round. Only properties
	// without steps have them, since there a later round can be worse.
	FirstCertain []Option
}

// Chosen is what the run takes at consecutive decisions about which the same claim is true, and
// what the choice meant.
type Chosen struct {
	Decisions []*explain.Decision
	Outcome   Outcome
	// Gone is what is out of reach after the decision, if the outcome is LostHere.
	Gone    OutOfReach
	Outlook Outlook
	// EveryRound says that all these decisions are on the loop.
	EveryRound bool
}

// OutOfReach says that no continuation does the steps First to Last of the property (counted
// from 1) in their order; with First 0, for a property without steps, that no continuation
// satisfies it.
type OutOfReach struct{ First, Last int }

// Undecided says that nothing is decided on the counterexample, since no run satisfies the property
// or, if From is not nil, since no run from this one of several initial states does: OutOfReach
// holds from the start.
type Undecided struct {
	OutOfReach
	From *lts.State
}

// AlwaysPossible says that the run never ends, and that the property is possible in each of its
// states.
type AlwaysPossible struct{}

// NothingBetter says that no choice on the run would have been better, and that the run has no
// point of no return.
type NothingBetter struct{}

// ByHistory says that the run makes decisions at states that are no neighbourhoods: runs reach
// these states with other histories, too, for which the transitions mean something else. States
// is the number of these states.
type ByHistory struct{ States int }

// Abstraction has the indices of the steps that remain when the run is reduced to its decisions. Of
// is the number of all steps.
type Abstraction struct {
	Kept []int
	Of   int
}

// Trapped says that no transition leaves the loop.
type Trapped struct{}

// LostInLoop says that leaving the loop does not help, since the property was lost before.
type LostInLoop struct{}

// WaysOut reports how a run can leave the loop at some of its states, and what each option means in
// the rounds that repeat.
type WaysOut struct {
	States []lts.State
	Steps  []explain.StepIndex // the steps that leave these states
	Outlook
}

// NearestWay is the shortest way from the loop to the missing step.
type NearestWay struct{ *explain.Way }

// Fairness names the weakest notion of fairness under which the property holds.
type Fairness struct{ Notion Notion }

// Notion is a notion of fairness.
type Notion int

// The notions, from the weakest on.
const (
	WeakFairness   Notion = iota // no action that stays possible is put off for ever
	StrongFairness               // no action that is possible again and again is put off for ever
	FullFairness                 // every choice is made in every way again and again
	Justness                     // what is possible happens, or is interfered with
)

// Unhelpful says that no assumption about infinite runs makes the property true, since a finite run
// violates it.
type Unhelpful struct {
	// Begun says that the counterexample is a bad prefix: it violates the property whatever
	// follows. Ends says that the counterexample ends in a deadlock.
	Begun, Ends bool
}

// BeyondFairness says that fairness does not help, since a run of Steps transitions leads to
// State, from where Gone is out of reach.
type BeyondFairness struct {
	State explain.ModelState
	Steps int
	Gone  OutOfReach
}

// HoldsIf is an assumption that makes the property true, and Others of the same kind and size
// that do so, too.
type HoldsIf struct {
	explain.Assumption
	Others []explain.Assumption
	// More says that there may be others, not listed.
	More bool
}

// Enough is a smallest set of the assumed tasks that is enough, with fairness of its Kind, and the
// other sets of the same size. If the set is empty, the property holds without fairness.
type Enough struct {
	HoldsIf
	// All says that the set has all assumed tasks, and at least two.
	All bool
	// Satisfied says that the property holds under the assumptions.
	Satisfied bool
}

// SearchStopped says that the search for assumptions has reached its limit without finding one.
type SearchStopped struct{}

// Elsewhere lists the neighbourhoods that no step of the run leaves.
type Elsewhere struct {
	Total int
	// Groups has one entry for each kind, in the order of [neighbourhood.Kinds].
	Groups []Group
	// OnRun is the number of neighbourhoods that a step of the run leaves.
	OnRun int
}

// Group is the neighbourhoods of one kind.
type Group struct {
	Kind   neighbourhood.Kind
	States []lts.State
}

// Classes are the numbers of reachable transitions of each class.
type Classes struct{ explain.Classes }

// Unreachable has the numbers of unreachable states and transitions.
type Unreachable struct{ States, Transitions int }

// Unfolded compares the unfolded model with the model itself.
type Unfolded struct {
	*explain.Folded
	// Here and HereOnRun are the numbers of neighbourhoods in the unfolded model.
	Here, HereOnRun int
	// Undecided says that neither model decides anything, since no run or every run satisfies
	// the property.
	Undecided bool
}

func (Verdict) Kind() string        { return "verdict" }
func (Shape) Kind() string          { return "shape" }
func (Missing) Kind() string        { return "missing" }
func (Unmet) Kind() string          { return "unmet" }
func (Conditions) Kind() string     { return "conditions" }
func (Doomed) Kind() string         { return "doomed" }
func (Note) Kind() string           { return "note" }
func (Chosen) Kind() string         { return "decision" }
func (Undecided) Kind() string      { return "undecided" }
func (AlwaysPossible) Kind() string { return "always_possible" }
func (NothingBetter) Kind() string  { return "nothing_better" }
func (ByHistory) Kind() string      { return "by_history" }
func (Abstraction) Kind() string    { return "abstraction" }
func (Trapped) Kind() string        { return "trapped" }
func (LostInLoop) Kind() string     { return "lost_in_loop" }
func (WaysOut) Kind() string        { return "ways_out" }
func (NearestWay) Kind() string     { return "nearest_way" }
func (Fairness) Kind() string       { return "fairness" }
func (Unhelpful) Kind() string      { return "fairness_unhelpful" }
func (BeyondFairness) Kind() string { return "beyond_fairness" }
func (Enough) Kind() string         { return "enough" }
func (HoldsIf) Kind() string        { return "holds_if" }
func (SearchStopped) Kind() string  { return "search_stopped" }
func (Elsewhere) Kind() string      { return "elsewhere" }
func (Classes) Kind() string        { return "classes" }
func (Unreachable) Kind() string    { return "unreachable" }
func (Unfolded) Kind() string       { return "unfolded" }
