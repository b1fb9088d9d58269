package view

import (
	"math/big"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// Graph is what a picture shows, as plain data. Texts are the model's own.
type Graph struct {
	Caption Caption
	Whole   bool
	// Classified reports whether classes are known; where not, all are Neutral.
	Classified bool
	Initial    lts.State
	Nodes      []Node
	Arrows     []Arrow
	Gaps       []Gap
	Stubs      []Stub
	Ahead      []Ahead
	Shown      Size
	Reachable  Size
	States     int // of the model, reachable or not
	// Union is nil if there is at most one counterexample; OnUnion is the number
	// of its transitions that are shown.
	Union   *Union
	OnUnion int
	// Decisions reports whether it is a view of the neighbourhoods, of which there
	// are so many, and how they follow each other.
	Decisions      bool
	Neighbourhoods int
	// QuotientOf is the size of the model of which this is the quotient; zero where
	// it is none.
	QuotientOf Size
	Folded     int // states inside rows that are one arrow
	// Notes are sentences about what is shown otherwise than it was asked for, or left
	// out, for want of room.
	Notes []string
}

// Size counts states and transitions.
type Size struct{ States, Transitions int }

// Caption says what a picture is of; empty parts are left out.
type Caption struct {
	Model, Formula, Verdict string
	// Diagnosis says why the property fails, "" if it holds: see [Graph.Diagnosed].
	Diagnosis string
	// Assumed is under which assumptions runs count, as they were written.
	Assumed  string
	Unfolded bool
	// History is what stands behind the number of an unfolded state: the progress, or the
	// state of a property that has no steps.
	History string
	// Slowest says that the run is the slowest one of a property that holds, and no
	// counterexample.
	Slowest bool
}

// Run names the run that is drawn.
func (c *Caption) Run() string {
	if c.Slowest {
		return "the slowest run"
	}
	return "the counterexample"
}

// Node is a shown state, or an end in a view of the decisions.
type Node struct {
	State    lts.State // a number above all states for an end
	Name     string    // how it is shown
	Text     []string  // what is told of it below: of an automaton, or the values that hold in it
	Initial  bool
	Deadlock bool
	OnRun    bool
	Kind     neighbourhood.Kind // 0 if it is no neighbourhood
	Turn     Turn               // NoTurn unless the counterexample decides there
	End      End                // NoEnd for a state
	Hidden   int                // neighbourhoods that the end Elsewhere stands for
	Merged   int                // states that it stands for in a quotient, 0 elsewhere
}

// End is what runs come to where there is nothing more to be decided, or shown.
type End uint8

// The ends.
const (
	NoEnd     End = iota
	Satisfied     // the property is satisfied whatever happens
	Violated      // it is violated whatever happens
	Stuck         // a deadlock; only neutral transitions lead there
	Endless       // on for ever without another decision
	Elsewhere     // on to decisions that are not shown
)

// String returns the name of an end: satisfied, violated, deadlock, endless or elsewhere.
func (e End) String() string {
	return [...]string{"", "satisfied", "violated", "deadlock", "endless", "elsewhere"}[min(e, Elsewhere)]
}

// The number of different labels that one arrow shows; better choices are not to be
// left out.
const (
	maxLabels       = 5
	maxBetterLabels = 40
)

// Arrow is shown transitions of one class between two states. A transition that
// a counterexample takes by a step with a number has an arrow of its own.
type Arrow struct {
	From, To lts.State
	Class    neighbourhood.Class
	// Meaning is what it means for the counterexample where that is known, elsewhere
	// the class.
	Meaning neighbourhood.Class
	// Better says that it is a better choice than that of the counterexample.
	Better bool
	// Never says when it must not be taken so that the property holds, "" if it may be.
	// Branch says that the nearest correct run takes it, where that is shown.
	Never  string
	Branch bool
	Labels []Label // one at least; as many as there is room for
	More   int     // transitions with other labels
	Folded int     // how many transitions in a row it stands for, 0 if that is one
	OnRun  bool    // a counterexample takes it, as the mark says
	Mark
}

// Label is the text of a label, and the number of transitions that have it: the
// same transition can stand in a model more than once.
type Label struct {
	Text  string
	Times int
}

// Stub stands for the transitions that leave a shown state and are not shown.
type Stub struct {
	State lts.State
	Count int
	What  Rest
}

// Rest says what transitions that are not shown have in common.
type Rest uint8

// The rests.
const (
	Anything Rest = iota
	NoBetter      // they are no better than the choice of the counterexample
	Certain       // better choices, which make the property certain
	Possible      // better choices, which keep it possible
	numRests      // how many there are
)

// graph returns what is selected, with all that there is to say about it.
func (s *selection) graph() *Graph {
	reach := s.m.Reachable()
	g := &Graph{
		Whole:      s.whole,
		Classified: s.classes != nil,
		Initial:    s.m.Initial(),
		Gaps:       s.gaps,
		Reachable:  Size{reach.NumStates(), reach.NumTransitions()},
		States:     s.m.NumStates(),
	}
	starts := s.gapStarts()
	for _, state := range s.order {
		g.Nodes = append(g.Nodes, s.node(state))
		arrows, shown, hidden := s.arrows(state, starts, s.full)
		g.Arrows = append(g.Arrows, arrows...)
		g.Shown.Transitions += shown
		g.Stubs = append(g.Stubs, s.stubs(state, hidden)...)
	}
	g.Shown.States = len(g.Nodes)
	g.countUnion(s)
	return g
}

// countUnion notes how much of a union is shown.
func (g *Graph) countUnion(s *selection) {
	if s.run == nil || s.run.together == nil {
		return
	}
	g.Union = &s.run.together.Union
	for _, t := range s.run.together.transitions {
		if s.shows(t) {
			g.OnUnion++
		}
	}
}

// gapStarts returns the transitions with which the gaps begin: they are not
// shown, but nothing is missing where they would be.
func (s *selection) gapStarts() map[lts.Transition]bool {
	starts := map[lts.Transition]bool{}
	for _, g := range s.gaps {
		starts[s.run.trace.Step(g.First-1)] = true
	}
	return starts
}

// arrows returns the arrows that leave a state, in the order of the first
// transition of each, the number of transitions that are shown by them, and those
// that are not shown by anything.
func (s *selection) arrows(from lts.State, gapStarts map[lts.Transition]bool, full bool) (arrows []Arrow, shown int, hidden []lts.Transition) {
	type bundle struct {
		to             lts.State
		class, meaning neighbourhood.Class
		better         bool
		onRun          bool
		loop           bool
		never          string
		branch         bool
		step           lts.Transition // zero for transitions without step numbers
	}
	index := map[bundle]int{}
	for _, t := range s.out(from) {
		if !s.shows(t) {
			if !gapStarts[t] {
				hidden = append(hidden, t)
			}
			continue
		}
		shown++
		class := s.class(t)
		m, on := s.mark(t)
		key := bundle{to: t.To, class: class, meaning: class, onRun: on, loop: m.Loop, never: s.never[t], branch: s.branch[t]}
		if s.run != nil && s.run.together == nil {
			// Where there are many counterexamples, a choice means something else for each.
			key.meaning, key.better = s.meaning(t), s.isBetter(t)
		}
		if len(m.Steps) > 0 {
			key.step = t
		}
		i, known := index[key]
		if !known {
			i = len(arrows)
			index[key] = i
			arrows = append(arrows, Arrow{From: from, To: t.To, Class: class, Meaning: key.meaning, Better: key.better, Never: key.never, Branch: key.branch, OnRun: on, Mark: m})
		}
		for _, text := range s.labels(t) {
			arrows[i].count(text, full || s.pending[text])
		}
	}
	return arrows, shown, hidden
}

// stubs returns the stubs for hidden transitions of a state: apart, and in words, those
// that a reader of the counterexample would look for.
func (s *selection) stubs(state lts.State, hidden []lts.Transition) []Stub {
	var counts [numRests]int
	for _, t := range hidden {
		after, judged := s.after[t]
		switch {
		case !judged || s.run.together != nil:
			counts[Anything]++
		case !s.isBetter(t):
			counts[NoBetter]++
		case after == neighbourhood.Correct:
			counts[Certain]++
		default:
			counts[Possible]++
		}
	}
	var stubs []Stub
	for what, count := range counts {
		if count > 0 {
			stubs = append(stubs, Stub{State: state, Count: count, What: Rest(what)})
		}
	}
	return stubs
}

// count adds one transition with this label to the arrow.
func (a *Arrow) count(text string, full bool) {
	for i := range a.Labels {
		if a.Labels[i].Text == text {
			a.Labels[i].Times++
			return
		}
	}
	most := maxLabels
	if a.Better {
		most = maxBetterLabels
	}
	if len(a.Labels) >= most && !full {
		a.More++
		return
	}
	a.Labels = append(a.Labels, Label{text, 1})
}

// Steps returns the number of transitions of the counterexample that arrows show.
func (g *Graph) Steps() int {
	n := 0
	for _, a := range g.Arrows {
		if a.OnRun {
			n += max(1, a.Folded)
		}
	}
	return n
}

func captionOf(e *explain.Explanation, o Options) Caption {
	c := Caption{Model: e.Model.File, Formula: e.Property.AsWritten(), Verdict: e.Verdict.String(), Unfolded: e.IsUnfolded(), History: "progress"}
	if len(e.Property.Steps) == 0 {
		c.History = "state of the property"
	}
	if e.Fairness != nil {
		var asked []string
		for _, a := range e.Fairness.Asked {
			asked = append(asked, a.String())
		}
		c.Assumed = strings.Join(asked, "; ")
	}
	switch t := e.Counterexample; {
	case t == nil && slowestOf(e) != nil:
		c.Slowest = true
		c.Verdict += ": the slowest run has " + printable.Quantity(slowestOf(e).Length, "transition")
	case t == nil:
	case o.All != nil:
		c.Verdict += ": " + howMany(o.AllCount) + " of " + printable.Quantity(o.All.Len(), "transition")
	default:
		c.Verdict += ": a run of " + printable.Quantity(len(t.Steps), "transition")
		if t.IsStem() {
			c.Verdict += " loses the property"
		} else if len(t.Refused) > 0 {
			c.Verdict += " stops where all may be blocked"
		} else if t.LoopStart < 0 {
			c.Verdict += " ends in a deadlock"
		} else {
			c.Verdict += " goes round a loop for ever"
		}
	}
	return c
}

// howMany tells the number of shortest counterexamples, nil if it is not known.
func howMany(n *big.Int) string {
	switch {
	case n == nil:
		return "all shortest counterexamples"
	case n.IsInt64() && n.Int64() == 1:
		return "1 shortest counterexample"
	}
	return grouped(n) + " shortest counterexamples"
}

// maxDigits is the number of digits beyond which a number is not read any more.
const maxDigits = 20

// grouped writes a number with commas between the thousands, one with more than
// maxDigits as a power of ten.
func grouped(n *big.Int) string {
	digits := n.String()
	if len(digits) > maxDigits {
		return "about " + new(big.Float).SetInt(n).Text('e', 2)
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
