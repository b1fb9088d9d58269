package explain

import (
	"iter"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/simplify"
)

// Verdict says whether a property holds.
type Verdict string

// The verdicts.
const (
	Satisfied Verdict = "satisfied" // every maximal trace satisfies the property
	Violated  Verdict = "violated"  // some maximal trace does not
)

// Explanation is every result of one run. In an explanation made by [Check],
// what it does not compute is nil, zero or empty.
type Explanation struct {
	Model    Model
	Property Property
	Verdict  Verdict
	Warnings []string
	// Counterexample is nil where the property holds.
	Counterexample *Counterexample
	// Abstracted is nil where the property holds.
	Abstracted *Abstracted
	// Reading is "all" or "some": what makes a neighbourhood.
	Reading string
	Classes *Classes
	// PointOfNoReturn is nil where the counterexample has none.
	PointOfNoReturn *PointOfNoReturn
	// Decisions are the neighbourhoods on the counterexample, in its order.
	Decisions []Decision
	// Forks are the other states on the counterexample at which some alternative
	// would have meant something else for this run than the transition taken:
	// choices that count for this history, but not for every one.
	Forks []Decision
	// Exits are the transitions that leave the loop of a lasso, in its order.
	Exits []Exit
	// Loss says what is lost when the point of no return is passed (or was never
	// possible, where all runs are lost from the start); nil where the
	// counterexample is free to its end.
	Loss    *Loss
	Timings []Phase

	lts            *lts.LTS
	formula        *actl.Formula
	trace          *counterexample.Trace
	neighbourhoods *neighbourhood.Map
	paths          *simplify.Paths
	onTrace        map[lts.State]bool
}

// Model says which model was looked at, and its size.
type Model struct {
	File                 string
	Initial              lts.State
	States               int
	Transitions          int
	Labels               int
	ReachableStates      int
	ReachableTransitions int
	Deadlocks            int
	// SCCs is the number of strongly connected components of the reachable part,
	// Depth the largest depth of one; 0 in the result of [Check].
	SCCs  int
	Depth int
}

// Property is the property that was looked at.
type Property struct {
	Text  string
	ACTL  string
	Steps []PropertyStep
}

// PropertyStep is a step of the property: its pattern, and the labels of the
// model that it stands for.
type PropertyStep struct {
	Pattern string
	Labels  []string
}

// Counterexample is a run of the model that violates the property.
type Counterexample struct {
	Kind     string // "deadlock" or "lasso"
	Shortest bool
	// LoopStart is the index of the step with which the loop begins, -1 where the
	// run ends in a deadlock.
	LoopStart int
	Steps     []Step
	// Done is how many steps of the property the run does in all, however often
	// it goes round its loop: step Done+1 never comes.
	Done int
	// InitialFate is the fate of the initial state: "free" or "fated".
	InitialFate string
}

// Step is a transition of a counterexample.
type Step struct {
	From     lts.State
	Label    string
	To       lts.State
	Class    string // of the transition, over all runs; "" in the result of [Check]
	Progress int    // steps of the property done after it
	// Neighbourhood tells whether From is a neighbourhood.
	Neighbourhood bool
	Fate          string // after it; "" in the result of [Check]
}

// Abstracted is the abstracted counterexample: indices of the steps it keeps.
type Abstracted struct{ Steps []int }

// Classes are the numbers of reachable transitions of each class.
type Classes struct{ Correct, Incorrect, Neutral int }

// PointOfNoReturn is the step by which a counterexample leaves its last free
// state.
type PointOfNoReturn struct {
	Step  int // index into the counterexample's steps
	State lts.State
	Label string
}

// Decision is a state on the counterexample at which something was decided: what
// was chosen there, and what could have been. Kind is "" where the state is no
// neighbourhood.
type Decision struct {
	Step  int // index of the step that leaves it
	State lts.State
	Kind  string
	// Progress is the number of steps of the property done on arrival, Fate the
	// fate on arrival.
	Progress int
	Fate     string
	Chosen   Choice
	// Alternatives are the other transitions that leave the state, in the order of
	// the model.
	Alternatives []Choice
}

// Choice is a transition that leaves a state of the counterexample.
type Choice struct {
	Label string
	To    lts.State
	Class string // over all runs
	// After is the class for the run at hand, given the progress it has made:
	// "correct" where all continuations satisfy the property, "incorrect" where
	// none does, "neutral" where it is still open.
	After string
}

// Exit is a transition that leaves the loop of a lasso.
type Exit struct {
	From lts.State
	Choice
}

// Loss says what no continuation can do any more after a point of the
// counterexample.
type Loss struct {
	// Steps is the number of transitions after which the run is fated.
	Steps int
	// Step is the first step of the property, from 1, that no continuation does
	// in its turn.
	Step int
}

// Neighbourhood is a state at which it is decided whether the property holds.
type Neighbourhood struct {
	State lts.State
	Kind  string
	// Distance is the length of a shortest path from the initial state.
	Distance         int
	Incoming         []Incoming
	Outgoing         []Outgoing
	OnCounterexample bool
	ShortestPath     []string // its labels
}

// Incoming is a transition that enters a neighbourhood.
type Incoming struct {
	From  lts.State
	Label string
	Class string
}

// Outgoing is a transition that leaves a neighbourhood.
type Outgoing struct {
	Label string
	To    lts.State
	Class string
}

// LTS returns the model that was explained.
func (e *Explanation) LTS() *lts.LTS { return e.lts }

// Formula returns the formula that was explained.
func (e *Explanation) Formula() *actl.Formula { return e.formula }

// Trace returns the counterexample as a run of the model, nil where the property
// holds.
func (e *Explanation) Trace() *counterexample.Trace { return e.trace }

// Map returns the classes and neighbourhoods, nil in the result of [Check].
func (e *Explanation) Map() *neighbourhood.Map { return e.neighbourhoods }

// NumNeighbourhoods returns the number of neighbourhoods.
func (e *Explanation) NumNeighbourhoods() int {
	if e.neighbourhoods == nil {
		return 0
	}
	return len(e.neighbourhoods.States())
}

// Neighbourhoods yields the neighbourhoods in ascending order of their states.
// Cost of each: its transitions and the length of the path to it.
func (e *Explanation) Neighbourhoods() iter.Seq[Neighbourhood] {
	return func(yield func(Neighbourhood) bool) {
		if e.neighbourhoods == nil {
			return
		}
		for _, s := range e.neighbourhoods.States() {
			if !yield(e.neighbourhood(s)) {
				return
			}
		}
	}
}

func (e *Explanation) neighbourhood(s lts.State) Neighbourhood {
	kind, _ := e.neighbourhoods.Kind(s)
	distance, _ := e.paths.Distance(s)
	n := Neighbourhood{
		State: s, Kind: kind.String(), Distance: distance, OnCounterexample: e.onTrace[s],
		Incoming: []Incoming{}, Outgoing: []Outgoing{}, ShortestPath: []string{},
	}
	for _, t := range e.lts.Incoming(s) {
		class := e.neighbourhoods.Class(t.From, t.Label, s).String()
		n.Incoming = append(n.Incoming, Incoming{t.From, e.text(t.Label), class})
	}
	labels, targets := e.lts.Out(s)
	for i, to := range targets {
		class := e.neighbourhoods.Class(s, labels[i], to).String()
		n.Outgoing = append(n.Outgoing, Outgoing{e.text(labels[i]), to, class})
	}
	for _, t := range e.paths.To(s) {
		n.ShortestPath = append(n.ShortestPath, e.text(t.Label))
	}
	return n
}

// KindCounts returns the number of neighbourhoods of each kind. Cost O(number of
// neighbourhoods).
func (e *Explanation) KindCounts() map[neighbourhood.Kind]int {
	counts := map[neighbourhood.Kind]int{}
	if e.neighbourhoods != nil {
		for _, s := range e.neighbourhoods.States() {
			kind, _ := e.neighbourhoods.Kind(s)
			counts[kind]++
		}
	}
	return counts
}

func (e *Explanation) text(l lts.Label) string { return e.lts.Alphabet().Text(l) }

func (e *Explanation) describeComponents(c *enrich.Components) {
	e.Model.SCCs, e.Model.Depth = c.Len(), c.MaxDepth()
}
