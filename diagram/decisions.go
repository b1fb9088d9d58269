package diagram

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// DefaultMaxDecisions is what a MaxStates of 0 stands for in the view Decisions:
// about the number of neighbourhoods whose arrows can still be followed.
const DefaultMaxDecisions = 25

// maxOnRun is the number of neighbourhoods on the counterexample that are shown
// even where more are shown than asked for: those nearest to its end.
const maxOnRun = 15

// decisions draws neighbourhoods and how they follow each other: an arrow stands for
// the transitions that leave a neighbourhood with which some run comes, without
// passing another neighbourhood, to the one that the arrow leads to, or to an end
// where there is nothing to decide any more (SEFM'18, section 3.4 and Figures 5, 7
// and 8, draw the same choices inside a path and inside the model). Ends are drawn
// once for every neighbourhood, so that no arrows cross the whole picture.
type decisions struct {
	subject
	picture *picture
	ends    *endSets
	shown   []lts.State // neighbourhoods
	full    bool        // labels are not left out
	// places are the steps with which the counterexample first leaves its states.
	places map[lts.State]int
	hidden int // how many neighbourhoods are not shown
	// free is the number that the next node without a state gets: above all states.
	free lts.State
}

// pictureOfDecisions draws as many neighbourhoods as o says, or as many as can be
// followed.
func pictureOfDecisions(ctx context.Context, e *explain.Explanation, o Options) (*picture, error) {
	if e.Map() == nil {
		return nil, errNoClasses
	}
	if o.All != nil {
		return nil, errOneOnly
	}
	s, most := subjectOf(e), o.MaxStates
	if most == 0 {
		most = DefaultMaxDecisions
	}
	for {
		p, err := decide(ctx, s, most, o.Full)
		if err != nil {
			return nil, err
		}
		if o.MaxStates > 0 || p.shown.states <= fewDecisions || between(p) <= maxBetween {
			p.caption = captionOf(e, o)
			return p, nil
		}
		most = p.shown.states * 2 / 3
	}
}

// Where nobody says how many neighbourhoods to show, there are so few that no more
// than maxBetween arrows lead from one to another, or fewDecisions.
const (
	maxBetween   = 45
	fewDecisions = 6
)

// between counts the arrows between neighbourhoods.
func between(p *picture) int {
	n := 0
	for _, a := range p.arrows {
		if int(a.to) < p.states {
			n++
		}
	}
	return n
}

// decide draws at most so many neighbourhoods.
func decide(ctx context.Context, s subject, most int, full bool) (*picture, error) {
	reach := s.m.Reachable()
	d := &decisions{subject: s, full: full, free: lts.State(s.m.NumStates())}
	d.picture = &picture{
		classified: true, decisions: true, initial: s.m.Initial(),
		reachable: size{reach.NumStates(), reach.NumTransitions()}, states: s.m.NumStates(),
	}
	d.choose(most)
	var err error
	if d.ends, err = findEnds(ctx, &d.subject, d.shown); err != nil {
		return nil, err
	}
	d.draw()
	return d.picture, nil
}

// choose finds the neighbourhoods that are shown: those on the counterexample, then
// those nearest to it, or to the initial state where there is none.
func (d *decisions) choose(most int) {
	all := d.classes.States()
	if d.undecided {
		all = nil
	}
	d.picture.neighbourhoods = len(all)
	if len(all) <= most {
		d.shown = slices.Clone(all)
	} else {
		d.shown = d.nearest(most)
	}
	d.hidden = len(all) - len(d.shown)
	slices.Sort(d.shown)
}

func (d *decisions) nearest(most int) []lts.State {
	var found []lts.State
	seen := make([]bool, d.m.NumStates())
	var queue []lts.State
	visit := func(state lts.State) {
		if !seen[state] {
			seen[state] = true
			queue = append(queue, state)
		}
	}
	if d.kind(d.m.Initial()) != 0 {
		found = append(found, d.m.Initial())
	}
	add := func(state lts.State, most int) {
		if d.kind(state) != 0 && len(found) < most && state != d.m.Initial() {
			found = append(found, state)
		}
	}
	if d.run != nil {
		for _, step := range slices.Backward(d.run.trace.Steps()) {
			visit(step.From)
		}
		for _, state := range queue {
			add(state, max(most, maxOnRun))
		}
	}
	onRun := len(queue)
	visit(d.m.Initial())
	for i := 0; i < len(queue) && len(found) < most; i++ {
		state := queue[i]
		if i >= onRun {
			add(state, most)
		}
		_, targets := d.m.Out(state)
		for _, to := range targets {
			visit(to)
		}
	}
	return found
}

// draw makes nodes and arrows: the initial state first, for which Graphviz takes
// the first one.
func (d *decisions) draw() {
	initial := d.m.Initial()
	sources := slices.Clone(d.shown)
	if d.kind(initial) == 0 {
		sources = append([]lts.State{initial}, sources...)
	}
	if d.run != nil {
		d.places = make(map[lts.State]int, d.run.trace.Len())
		for i, step := range slices.Backward(d.run.trace.Steps()) {
			d.places[step.From] = i
		}
	}
	slices.SortStableFunc(sources, func(a, b lts.State) int { return d.place(a) - d.place(b) })
	for _, state := range sources {
		d.picture.nodes = append(d.picture.nodes, node{
			state: state, name: d.name(state), initial: state == initial, deadlock: d.m.IsDeadlock(state),
			onRun: d.visits(state), kind: d.kind(state),
		})
	}
	d.picture.shown.states = len(d.shown)
	stretches := d.stretches()
	for _, state := range sources {
		d.choices(state, stretches)
	}
}

// place is the order of nodes: that of the counterexample, then all others.
func (d *decisions) place(state lts.State) int {
	switch {
	case state == d.m.Initial():
		return -1
	case d.run == nil:
		return 0
	}
	if at, is := d.places[state]; is {
		return at
	}
	return d.run.trace.Len()
}

// bundle is what the transitions of one arrow have in common.
type bundle struct {
	to             end
	class, meaning neighbourhood.Class
	better         bool
	first          int // number of the step that takes it, 0 for none
}

// choices draws the arrows that leave a node.
func (d *decisions) choices(from lts.State, stretches []stretch) {
	index := map[bundle]int{}
	var order []bundle
	arrows := map[bundle]*arrow{}
	count := func(key bundle, t lts.Transition, m mark) {
		if _, known := index[key]; !known {
			index[key] = len(order)
			order = append(order, key)
			arrows[key] = &arrow{from: from, class: key.class, meaning: key.meaning, better: key.better, onRun: key.first > 0, mark: m}
		}
		arrows[key].count(d.m.Alphabet().Text(t.Label), d.full)
	}
	for _, t := range d.out(from) {
		for _, e := range d.ends.after(t) {
			key := bundle{to: e, class: d.class(t), meaning: d.meaning(t), better: d.isBetter(t)}
			for _, s := range stretches {
				if s.choice == t && s.to == e {
					key.first = s.first
					count(key, t, s.mark)
				}
			}
			if key.first == 0 {
				count(key, t, mark{})
			}
		}
	}
	nodes := map[end]lts.State{}
	for _, key := range order {
		a := arrows[key]
		a.to = d.target(key.to, nodes)
		d.picture.arrows = append(d.picture.arrows, *a)
	}
}

// target returns the node of an end, made where it is an end of this neighbourhood.
func (d *decisions) target(e end, nodes map[end]lts.State) lts.State {
	if e >= firstShown {
		return d.shown[e-firstShown]
	}
	if _, known := nodes[e]; !known {
		nodes[e] = d.free
		n := node{state: d.free, end: endNodes[e]}
		n.end.hidden = d.hidden
		d.free++
		d.picture.nodes = append(d.picture.nodes, n)
	}
	return nodes[e]
}

// stretch is the part of the counterexample that one arrow stands for.
type stretch struct {
	choice lts.Transition // its first step
	first  int            // the number of that
	to     end
	mark
}

// stretches cuts the counterexample at the shown neighbourhoods it passes, and where
// it is decided. The last stretch of a lasso leads back into the loop.
func (d *decisions) stretches() []stretch {
	if d.run == nil || d.run.trace.Len() == 0 {
		return nil
	}
	var all []stretch
	for i := 0; i < d.run.trace.Len(); {
		s := d.stretch(i)
		all = append(all, s)
		if s.to < elsewhere {
			break // all further steps belong to it
		}
		i = s.steps[len(s.steps)-1]
		for i < d.run.trace.Len() && s.to == elsewhere {
			// What lies between neighbourhoods that are not shown is not shown.
			if _, is := d.ends.index[d.run.trace.Step(i).From]; is {
				break
			}
			i++
		}
	}
	return all
}

// stretch returns the stretch that begins with step i, counted from 0.
func (d *decisions) stretch(i int) stretch {
	t := d.run.trace
	s := stretch{choice: t.Step(i), first: i + 1, to: endless}
	loop := d.run.loop
	take := func(j int) {
		s.steps = append(s.steps, j+1)
		s.loop = s.loop || loop > 0 && j+1 >= loop
		s.noReturn = s.noReturn || d.run.noReturn == j+1
	}
	for j := i; j < t.Len(); j++ {
		take(j)
		if e, ends := d.ends.endOf(t.Step(j)); ends {
			s.to = e
			if e < elsewhere {
				for rest := j + 1; rest < t.Len(); rest++ {
					take(rest)
				}
			}
			return s
		}
	}
	if loop == 0 {
		s.to = stuck
		return s
	}
	s.closing = true
	for j := loop - 1; j < t.Len(); j++ {
		// The loop goes on from its beginning to the first neighbourhood in it.
		if e, ends := d.ends.index[t.Step(j).From]; ends {
			s.to = e
			return s
		}
	}
	return s
}
