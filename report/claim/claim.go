// Package claim turns an explanation into the claims that people are told: what
// holds, what the counterexample does and lacks, what was decided on it and what
// would have been better, how its loop could be left, and what lies elsewhere.
//
// The invariant that holds inside: a claim is complete in itself, so that it can be
// checked against the model, the property and the run without the analysis that it
// came from. Every output says the same claims; only their setting differs.
package claim

import (
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/property"
)

// Claim is one of the types of this package: one thing that is said.
type Claim interface {
	// Kind names the type in data.
	Kind() string
}

// Verdict reports whether every maximal run satisfies the property.
type Verdict struct {
	Satisfied bool
	// Hopeless says that no maximal run does.
	Hopeless bool
	// Under is the assumption that runs must meet to count; if it is empty, all runs count.
	Under []explain.Asked
}

// Shape is the shape of the counterexample.
type Shape struct {
	Length int
	// LoopStart is the index of the first step of its loop, -1 if it ends in the deadlock Last.
	LoopStart int
	Last      lts.State
	// Shortest says that no counterexample is shorter; with InProduct, that none is whose loop
	// closes in the product of model and property.
	Shortest, InProduct bool
	// Refused are the labels that are possible at its end, where all may be blocked for ever.
	Refused []string
	// Trap says that it is told by its stem alone, Prefix that it is, and that nothing in
	// any model would help after it.
	Trap, Prefix bool
	// Given says that it was given, WithPattern that it is a shortest one that does
	// given steps.
	Given, WithPattern bool
}

// Missing says that the run, however long it goes on, does the first Done steps of
// the property in their order, and after that never step Done+1.
type Missing struct{ Done int }

// Unmet says what the run, however long it goes on, does not get out of, of a property
// that has no steps: what is pending at its end or, one after the other, on its loop.
type Unmet struct {
	Pending []property.Phrase // each once
	// Since is the number of steps after which it stays so where it is one thing, -1
	// where there are several.
	Since int
	// Ends says that the run ends.
	Ends bool
}

// Conditions lists what the formula joins: the conditions that the run violates, at least one,
// and the others.
type Conditions struct{ All []explain.Conjunct }

// Doomed says what is lost at the end of a run that is told by its stem alone: no run
// that goes on from there does the steps First to Step of the property in their order.
type Doomed struct{ *explain.Trap }

// Note describes how a given counterexample was made a run of the model.
type Note struct{ Text string }

// Outcome is what a choice of the run meant for it.
type Outcome int

// The outcomes.
const (
	StaysPossible Outcome = iota // the run could still satisfy the property
	LostHere                     // from here on it cannot any more
	LostBefore                   // it could not already before
)

// Option is a transition, or several with one label, that the run could have taken
// instead.
type Option struct {
	Label string
	// To is the state it leads to. It is shown if ToTold is set: if the label alone does not name
	// the transition.
	To     lts.State
	ToTold bool
	// Ways is the number of transitions; 1 in the lists about the first round.
	Ways int
}

// Outlook describes what the transitions that the run does not take at a state would have meant for
// it; for a state on a loop, in the rounds that repeat for ever.
type Outlook struct {
	Certain  []Option // every run that goes on with one satisfies the property
	Possible []Option // some do, some do not
	Lost     []Option // none does
	// FirstPossible and FirstLost are those of them that meant less in the first
	// round: that would only have kept the property possible, or would have lost it.
	FirstPossible, FirstLost []Option
	// FirstCertain are those that would have made the property certain then: of properties
	// without steps, for which a first round need not be worse than later ones.
	FirstCertain []Option
}

// Chosen is what the run takes at states that follow each other on it, and what that meant. It is
// the same for each of them.
type Chosen struct {
	Decisions []*explain.Decision
	Outcome   Outcome
	// Gone is what is out of reach from there on, where the outcome is LostHere.
	Gone    OutOfReach
	Outlook Outlook
	// EveryRound says that all of them are on the loop.
	EveryRound bool
}

// OutOfReach says that no continuation does the steps First to Last of the property,
// counted from 1, in their order; or, with First 0, of a property that has no steps,
// that none satisfies it.
type OutOfReach struct{ First, Last int }

// Undecided says that no run satisfies the property or, if From is not nil, none that begins in this
// one of several states, so that nothing is decided on the counterexample: OutOfReach holds from the start.
type Undecided struct {
	OutOfReach
	From *lts.State
}

// AlwaysPossible says that at every moment of the run, which never ends, the property
// is still possible.
type AlwaysPossible struct{}

// NothingBetter states that no choice on the run would have been better for it than its own, and
// that none passes a point of no return.
type NothingBetter struct{}

// ByHistory states that choices on the run matter at states none of which is a neighbourhood: each
// of these states is also reached with another history, and for that a transition from the state
// means something else. States is their number.
type ByHistory struct{ States int }

// Abstraction has the indices of the steps that are left when the run is cut down to its decisions,
// if these are not all.
type Abstraction struct {
	Kept []int
	Of   int
}

// Trapped says that no transition leaves the loop.
type Trapped struct{}

// LostInLoop says that leaving the loop does not help, for the property was lost
// before.
type LostInLoop struct{}

// WaysOut describes how the loop can be left at some of its states, and what each way means in the
// rounds that repeat.
type WaysOut struct {
	States []lts.State
	Steps  []explain.StepIndex // the steps that leave these states
	Outlook
}

// NearestWay is the shortest way from the loop to the missing step.
type NearestWay struct{ *explain.Way }

// Fairness says under which notion of fairness, the weakest one that is enough, the
// property holds.
type Fairness struct{ Notion Notion }

// Notion is a notion of fairness.
type Notion int

// The notions, from the weakest on.
const (
	WeakFairness   Notion = iota // no action that stays possible is put off for ever
	StrongFairness               // no action that is possible again and again is put off for ever
	FullFairness                 // every choice is made again and again all ways
	Justness                     // what is possible happens, or is interfered with
)

// Unhelpful says that no assumption about infinite runs makes the property true, for a
// run that ends in a deadlock violates it.
type Unhelpful struct {
	// Begun reports whether it is a run that violates it whatever follows, Ends that it is the
	// counterexample.
	Begun, Ends bool
}

// BeyondFairness says that fairness does not help, for a run can come to State, after
// Steps transitions, from where Gone holds.
type BeyondFairness struct {
	State explain.ModelState
	Steps int
	Gone  OutOfReach
}

// HoldsIf is an assumption that makes the property true, with the equally small ones of the same
// kind that do so as well.
type HoldsIf struct {
	explain.Assumption
	Others []explain.Assumption
	// More reports whether there may be others that are not listed.
	More bool
}

// Enough has a smallest number of the tasks that were asked for which suffice, fair as its Kind
// says, and other sets of tasks as small. If there are none, the property holds without.
type Enough struct {
	HoldsIf
	// All reports whether they are all the tasks that were asked for, of several.
	All bool
	// Satisfied reports whether the property holds under what was asked for.
	Satisfied bool
}

// SearchStopped says that the search for assumptions ended at its limit, and had found none.
type SearchStopped struct{}

// Elsewhere lists the neighbourhoods that are not among the decisions of the run.
type Elsewhere struct {
	Total int
	// Of each kind, in the order of [neighbourhood.Kinds].
	Groups []Group
	// OnRun is the number of neighbourhoods that are.
	OnRun int
}

// Group is the neighbourhoods of one kind.
type Group struct {
	Kind   neighbourhood.Kind
	States []lts.State
}

// Classes counts the reachable transitions by what runs through them do.
type Classes struct{ explain.Classes }

// Unreachable counts what no run comes to.
type Unreachable struct{ States, Transitions int }

// Unfolded compares the unfolded model with the model itself.
type Unfolded struct {
	*explain.Folded
	// Here and HereOnRun are the numbers of neighbourhoods of the unfolded model.
	Here, HereOnRun int
	// Undecided is set if no run satisfies the property, or every one does, so that neither
	// model decides anything.
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
