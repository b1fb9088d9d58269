package diagram

import (
	"fmt"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// picture is what a diagram shows, as plain data. Texts are the model's own.
type picture struct {
	caption caption
	whole   bool
	// classified tells whether classes are known; where not, all are Neutral.
	classified bool
	initial    lts.State
	nodes      []node
	arrows     []arrow
	gaps       []gap
	stubs      []stub
	shown      size
	reachable  size
	states     int // of the model, reachable or not
}

type size struct{ states, transitions int }

// caption says what a picture is of; empty parts are left out.
type caption struct{ model, formula, verdict string }

// node is a shown state.
type node struct {
	state    lts.State
	initial  bool
	deadlock bool
	onRun    bool
	kind     neighbourhood.Kind // 0 where it is no neighbourhood
}

// maxLabels is the number of different labels that one arrow shows.
const maxLabels = 5

// arrow is shown transitions of one class between two states. A transition that
// the counterexample takes has an arrow of its own.
type arrow struct {
	from, to lts.State
	class    neighbourhood.Class
	labels   []label // at most maxLabels
	more     int     // transitions with other labels
	steps    []int   // numbers, from 1, of the counterexample's steps that take it
	loop     bool    // the steps belong to the loop
	closing  bool    // the last step is the one that closes the loop
	noReturn bool    // one of the steps passes the point of no return
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
			state: state, initial: state == p.initial, deadlock: s.m.IsDeadlock(state),
			onRun: s.visits(state), kind: s.kind(state),
		})
		arrows, shown, hidden := s.arrows(state, starts)
		p.arrows = append(p.arrows, arrows...)
		p.shown.transitions += shown
		if hidden > 0 {
			p.stubs = append(p.stubs, stub{state: state, count: hidden})
		}
	}
	p.shown.states = len(p.nodes)
	for _, state := range s.entered {
		if hidden := s.hiddenIncoming(state); hidden > 0 {
			p.stubs = append(p.stubs, stub{state: state, incoming: true, count: hidden})
		}
	}
	return p
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
// transition of each, and the number of transitions that are shown by them and
// that are not shown by anything.
func (s *selection) arrows(from lts.State, gapStarts map[lts.Transition]bool) (arrows []arrow, shown, hidden int) {
	type bundle struct {
		to    lts.State
		class neighbourhood.Class
		step  lts.Transition // zero for transitions off the counterexample
		onRun bool
	}
	index := map[bundle]int{}
	for _, t := range s.out(from) {
		if !s.shows(t) {
			if !gapStarts[t] {
				hidden++
			}
			continue
		}
		shown++
		class, steps := s.class(t), s.takes(t)
		key := bundle{to: t.To, class: class}
		if len(steps) > 0 {
			key.step, key.onRun = t, true
		}
		i, known := index[key]
		if !known {
			i = len(arrows)
			index[key] = i
			arrows = append(arrows, s.arrow(t, steps))
		}
		arrows[i].count(s.m.Alphabet().Text(t.Label))
	}
	return arrows, shown, hidden
}

// arrow returns the arrow of a transition, without its label.
func (s *selection) arrow(t lts.Transition, steps []int) arrow {
	a := arrow{from: t.From, to: t.To, class: s.class(t), steps: steps}
	for _, number := range steps {
		a.loop = a.loop || s.run.loop > 0 && number >= s.run.loop
		a.closing = a.closing || s.run.loop > 0 && number == s.run.trace.Len()
		a.noReturn = a.noReturn || number == s.run.noReturn
	}
	return a
}

// count adds one transition with this label to the arrow.
func (a *arrow) count(text string) {
	for i := range a.labels {
		if a.labels[i].text == text {
			a.labels[i].times++
			return
		}
	}
	if len(a.labels) == maxLabels {
		a.more++
		return
	}
	a.labels = append(a.labels, label{text, 1})
}

// steps returns the number of transitions of the counterexample that are shown.
func (p *picture) steps() int {
	n := 0
	for _, a := range p.arrows {
		if len(a.steps) > 0 {
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

func captionOf(e *explain.Explanation) caption {
	c := caption{model: e.Model.File, formula: e.Property.Text, verdict: string(e.Verdict)}
	if t := e.Counterexample; t != nil {
		c.verdict += ": a run of " + quantity(len(t.Steps), "transition")
		if t.LoopStart < 0 {
			c.verdict += " ends in a deadlock"
		} else {
			c.verdict += " goes round a loop for ever"
		}
	}
	return c
}

// quantity returns a number with its noun.
func quantity(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
