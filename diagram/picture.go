package diagram

import (
	"fmt"
	"math/big"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// picture is what a diagram shows, as plain data. Texts are the model's own.
type picture struct {
	caption caption
	whole   bool
	// classified reports whether classes are known; where not, all are Neutral.
	classified bool
	initial    lts.State
	nodes      []node
	arrows     []arrow
	gaps       []gap
	stubs      []stub
	shown      size
	reachable  size
	states     int // of the model, reachable or not
	// union is nil where there is at most one counterexample; onUnion is the number
	// of its transitions that are shown.
	union   *union
	onUnion int
	// decisions reports whether it is a picture of the neighbourhoods, of which there
	// are so many, and how they follow each other.
	decisions      bool
	neighbourhoods int
	// quotientOf is the size of the model of which this is the quotient; zero where
	// it is none.
	quotientOf size
	folded     int // states inside rows that are one arrow
}

type size struct{ states, transitions int }

// caption says what a picture is of; empty parts are left out.
type caption struct {
	model, formula, verdict string
	unfolded                bool
}

// node is a shown state, or an end in a picture of the decisions.
type node struct {
	state    lts.State
	name     string // how it is shown
	initial  bool
	deadlock bool
	onRun    bool
	kind     neighbourhood.Kind // 0 where it is no neighbourhood
	end      endNode            // zero for a state
	merged   int                // states that it stands for in a quotient, 0 elsewhere
}

// The number of different labels that one arrow shows; better choices are not to be
// left out.
const (
	maxLabels       = 5
	maxBetterLabels = 40
)

// arrow is shown transitions of one class between two states. A transition that
// a counterexample takes by a step with a number has an arrow of its own.
type arrow struct {
	from, to lts.State
	class    neighbourhood.Class
	// meaning is what it means for the counterexample where that is known, elsewhere
	// the class.
	meaning neighbourhood.Class
	// better says that it is a better choice than that of the counterexample.
	better bool
	labels []label // at most maxLabels, or maxBetterLabels
	more   int     // transitions with other labels
	folded int     // how many transitions in a row it stands for, 0 where that is one
	onRun  bool    // a counterexample takes it, as the mark says
	mark
}

// label is the text of a label, and the number of transitions that have it: the
// same transition can stand in a model more than once.
type label struct {
	text  string
	times int
}

// stub stands for the transitions of a shown state that are not shown.
type stub struct {
	state    lts.State
	incoming bool // they enter the state, from others
	count    int
	what     rest
}

// rest says what transitions that are not shown have in common.
type rest uint8

const (
	anything rest = iota
	noBetter      // they are no better than the choice of the counterexample
	certain       // better choices, which make the property certain
	possible      // better choices, which keep it possible
	numRests      // how many there are
)

// of returns what is said after a number of transitions.
func (r rest) of(n int) string {
	s := ""
	if n == 1 {
		s = "s"
	}
	switch r {
	case noBetter:
		return ", none better"
	case certain:
		return " that make" + s + " it certain"
	case possible:
		return " that keep" + s + " it possible"
	}
	return ""
}

func (s *selection) picture() *picture {
	reach := s.m.Reachable()
	p := &picture{
		whole:      s.whole,
		classified: s.classes != nil,
		initial:    s.m.Initial(),
		gaps:       s.gaps,
		reachable:  size{reach.NumStates(), reach.NumTransitions()},
		states:     s.m.NumStates(),
	}
	starts := s.gapStarts()
	for _, state := range s.order {
		p.nodes = append(p.nodes, node{
			state: state, name: s.name(state), initial: state == p.initial, deadlock: s.m.IsDeadlock(state),
			onRun: s.visits(state), kind: s.kind(state),
		})
		arrows, shown, hidden := s.arrows(state, starts, s.full)
		p.arrows = append(p.arrows, arrows...)
		p.shown.transitions += shown
		p.stubs = append(p.stubs, s.stubs(state, hidden)...)
	}
	p.shown.states = len(p.nodes)
	p.countUnion(s)
	for _, state := range s.entered {
		if hidden := s.hiddenIncoming(state); hidden > 0 {
			p.stubs = append(p.stubs, stub{state: state, incoming: true, count: hidden})
		}
	}
	return p
}

// countUnion notes how much of a union is shown.
func (p *picture) countUnion(s *selection) {
	if s.run == nil || s.run.union == nil {
		return
	}
	p.union = s.run.union
	for t := range s.run.marks {
		if s.shows(t) {
			p.onUnion++
		}
	}
}

// gapStarts returns the transitions with which the gaps begin: they are not
// shown, but nothing is missing where they would be.
func (s *selection) gapStarts() map[lts.Transition]bool {
	starts := map[lts.Transition]bool{}
	for _, g := range s.gaps {
		starts[s.run.trace.Step(g.first-1)] = true
	}
	return starts
}

// arrows returns the arrows that leave a state, in the order of the first
// transition of each, the number of transitions that are shown by them, and those
// that are not shown by anything.
func (s *selection) arrows(from lts.State, gapStarts map[lts.Transition]bool, full bool) (arrows []arrow, shown int, hidden []lts.Transition) {
	type bundle struct {
		to             lts.State
		class, meaning neighbourhood.Class
		better         bool
		onRun          bool
		loop           bool
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
		key := bundle{to: t.To, class: class, meaning: class, onRun: on, loop: m.loop}
		if s.run != nil && s.run.union == nil {
			// Where there are many counterexamples, a choice means something else for each.
			key.meaning, key.better = s.meaning(t), s.isBetter(t)
		}
		if len(m.steps) > 0 {
			key.step = t
		}
		i, known := index[key]
		if !known {
			i = len(arrows)
			index[key] = i
			arrows = append(arrows, arrow{from: from, to: t.To, class: class, meaning: key.meaning, better: key.better, onRun: on, mark: m})
		}
		for _, text := range s.labels(t) {
			arrows[i].count(text, full)
		}
	}
	return arrows, shown, hidden
}

// stubs returns the stubs for hidden transitions of a state: apart, and in words, those
// that a reader of the counterexample would look for.
func (s *selection) stubs(state lts.State, hidden []lts.Transition) []stub {
	var counts [numRests]int
	for _, t := range hidden {
		after, judged := s.after[t]
		switch {
		case !judged || s.run.union != nil:
			counts[anything]++
		case !s.isBetter(t):
			counts[noBetter]++
		case after == neighbourhood.Correct:
			counts[certain]++
		default:
			counts[possible]++
		}
	}
	var stubs []stub
	for what, count := range counts {
		if count > 0 {
			stubs = append(stubs, stub{state: state, count: count, what: rest(what)})
		}
	}
	return stubs
}

// count adds one transition with this label to the arrow.
func (a *arrow) count(text string, full bool) {
	for i := range a.labels {
		if a.labels[i].text == text {
			a.labels[i].times++
			return
		}
	}
	most := maxLabels
	if a.better {
		most = maxBetterLabels
	}
	if len(a.labels) >= most && !full {
		a.more++
		return
	}
	a.labels = append(a.labels, label{text, 1})
}

// steps returns the number of arrows of the counterexample.
func (p *picture) steps() int {
	n := 0
	for _, a := range p.arrows {
		if a.onRun {
			n++
		}
	}
	return n
}

// hiddenIncoming returns the number of transitions into a state, from others,
// that nothing shows.
func (s *selection) hiddenIncoming(state lts.State) int {
	hidden := 0
	for _, t := range s.in(state) {
		if !s.shows(t) {
			hidden++
		}
	}
	return hidden
}

func captionOf(e *explain.Explanation, o Options) caption {
	c := caption{model: e.Model.File, formula: e.Property.Text, verdict: e.Verdict.String(), unfolded: e.IsUnfolded()}
	switch t := e.Counterexample; {
	case t == nil:
	case o.All != nil:
		c.verdict += ": " + howMany(o.AllCount) + " of " + quantity(o.All.Len(), "transition")
	default:
		c.verdict += ": a run of " + quantity(len(t.Steps), "transition")
		if t.LoopStart < 0 {
			c.verdict += " ends in a deadlock"
		} else {
			c.verdict += " goes round a loop for ever"
		}
	}
	return c
}

// howMany tells the number of shortest counterexamples, nil where it is not known.
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

// quantity returns a number with its noun.
func quantity(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
