// Package claim turns an explanation into claims for people: whether the property holds, the
// counterexample and what it lacks, its decisions and better ones, how a run could leave its loop,
// and the neighbourhoods off the counterexample.
//
// The invariant that holds inside: a claim is complete in itself, and can be checked against the
// model, the property and the run without the analysis. Every output states the same claims in its
// own form.
package claim

import (
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/property"
)

// Claim is one statement about an explanation or a replayed log: one of the types of this package.
type Claim interface {
	// Kind names the type of the claim in data.
	Kind() string
}

// Verdict reports whether every maximal run satisfies the property.
type Verdict struct {
	Satisfied bool
	// Hopeless says that no maximal run satisfies the property.
	Hopeless bool
	// Under are the assumptions: only runs that satisfy all of them count. If it is
	// empty, all runs count.
	Under []explain.Asked
}

// Shape is the shape of the counterexample.
type Shape struct {
	Length int
	// LoopStart is the index of the first step of the loop, -1 if the run ends. Last is the last
	// state of the run: a deadlock, unless the stem alone violates the property or the environment
	// refuses all labels that are possible there.
	LoopStart int
	Last      lts.State
	// Shortest says that no counterexample is shorter; with InProduct, that no counterexample is
	// shorter whose loop closes in the product of model and property.
	Shortest, InProduct bool
	// Refused are the labels that are possible in the last state of the run, where the environment
	// may refuse them all for ever.
	Refused []string
	// Trap says that the stem alone violates the property, since no continuation in this model
	// satisfies it; Prefix, that no continuation in any model satisfies the property.
	Trap, Prefix bool
	// Given says that the user gave the counterexample; WithPattern, that it is a shortest one with
	// the user's pattern of steps.
	Given, WithPattern bool
}

// Missing says that the run does the first Done steps of the property in their order, and
// thereafter never step Done+1.
type Missing struct{ Done int }

// Unmet, for a property without steps, describes what the run never fulfils: what is pending at the
// end of the run or, state by state, on its loop.
type Unmet struct {
	Pending []property.Phrase // each once
	// Since is the number of steps of the run after which the one pending thing stays pending; -1
	// if several things are pending.
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

// Outcome is the effect of a choice on the run.
type Outcome int

// The outcomes.
const (
	StaysPossible Outcome = iota // the run could still satisfy the property
	LostHere                     // from here on the run can no longer satisfy the property
	LostBefore                   // the property was lost before
)

// Option is one or more transitions with one label that the run could have taken instead.
type Option struct {
	Label string
	// To is the target. ToTold reports that the sentence must name the target, since
	// the label does not identify the transition.
	To     lts.State
	ToTold bool
	// Ways is the number of transitions with this label and meaning; always 1 in
	// FirstPossible, FirstLost and FirstCertain.
	Ways int
}

// Outlook classifies the transitions that the run does not take at a state by their effect on the
// property; at a state on the loop, by their effect from the second round on.
type Outlook struct {
	Certain  []Option // every run that continues with such a transition satisfies the property
	Possible []Option // some runs that continue with such a transition satisfy the property, some do not
	Lost     []Option // no run that continues with such a transition satisfies the property
	// FirstPossible and FirstLost are options with a worse effect in the first round of the loop
	// than later: they only kept the property possible, or lost it.
	FirstPossible, FirstLost []Option
	// FirstCertain are options that made the property certain in the first round, and not later.
	// Only properties without steps have them.
	FirstCertain []Option
}

// Chosen is the choices of the run at consecutive decisions with the same outcome and outlook.
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

// Undecided says that the counterexample decides nothing: OutOfReach holds from the start, for all
// runs or, if From is not nil, for all runs from this one of several initial states.
type Undecided struct {
	OutOfReach
	From *lts.State
}

// AlwaysPossible says that the run never ends, and that the property is possible in each of its
// states.
type AlwaysPossible struct{}

// NothingBetter says that no choice on the run could have been better, and that the run has no
// point of no return.
type NothingBetter struct{}

// ByHistory says that the run makes decisions in states that are no neighbourhoods: their
// transitions have another class for runs that come with another history. States is the number of
// these states.
type ByHistory struct{ States int }

// Abstraction has the indices of the steps that remain when the run is reduced to its decisions. Of
// is the number of all steps of the run.
type Abstraction struct {
	Kept []int
	Of   int
}

// Trapped says that no transition leaves the loop.
type Trapped struct{}

// LostInLoop says that leaving the loop does not help, since the property is lost before.
type LostInLoop struct{}

// WaysOut reports how a run can leave the loop in some states, and the effect of each option from
// the second round on.
type WaysOut struct {
	States []lts.State
	Steps  []explain.StepIndex // the steps that leave the states in States
	Outlook
}

// NearestWay is the shortest path from the loop to the missing step.
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
	// Begun says that the counterexample is a bad prefix: no continuation satisfies the property.
	// Ends says that the counterexample ends in a deadlock.
	Begun, Ends bool
}

// BeyondFairness says that fairness does not help, since a run of Steps transitions leads to State,
// and from State the steps of Gone are out of reach.
type BeyondFairness struct {
	State explain.ModelState
	Steps int
	Gone  OutOfReach
}

// HoldsIf is an assumption under which the property holds, and Others of the same kind and size
// under which it holds, too.
type HoldsIf struct {
	explain.Assumption
	Others []explain.Assumption
	// More says that Others may be incomplete.
	More bool
}

// Enough is a smallest set of the assumed tasks under whose fairness (of its Kind) the property
// holds, and the other sets of the same size. If the set is empty, the property holds without
// fairness.
type Enough struct {
	HoldsIf
	// All says that the set consists of all assumed tasks, and that there are at least two.
	All bool
	// Satisfied says that the property holds under the assumptions that were given.
	Satisfied bool
}

// SearchStopped says that the search for assumptions has reached its limit without finding one.
type SearchStopped struct{}

// Elsewhere lists the neighbourhoods that no step of the run leaves.
type Elsewhere struct {
	Total int
	// Groups has one entry for each kind of neighbourhood, in the order of [neighbourhood.Kinds].
	Groups []Group
	// OnRun is the number of neighbourhoods that a step of the run leaves.
	OnRun int
}

// Group is the neighbourhoods of one kind.
type Group struct {
	Kind   neighbourhood.Kind
	States []lts.State
}

// Classes counts the reachable transitions of each class.
type Classes struct{ explain.Classes }

// Unreachable counts the unreachable states and transitions.
type Unreachable struct{ States, Transitions int }

// Unfolded compares the model with its unfolding.
type Unfolded struct {
	*explain.Folded
	// Here and HereOnRun count the neighbourhoods in the unfolding: all, and those on the run.
	Here, HereOnRun int
	// Undecided says that both models have no neighbourhood, since no run or every run satisfies
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
