package view

import (
	"cmp"
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// defaultMaxNeighbourhoods is the number of shown neighbourhoods if MaxStates is 0. With many more,
// nobody could follow the arrows.
const defaultMaxNeighbourhoods = 25

// maxOnRun is the number of neighbourhoods on the counterexample that are always shown, even beyond the
// requested number. They are the last ones.
const maxOnRun = 15

// neighbourhoods builds the view of neighbourhoods. An arrow represents the transitions that leave a
// neighbourhood and begin a path to its target without further neighbourhoods. The target is a
// neighbourhood, or an end where no decision remains (SEFM'18, section 3.4 and Figures 5, 7 and 8, draw
// the same choices inside a path and inside the model). Each neighbourhood has its own ends, so that
// arrows do not cross the whole picture.
type neighbourhoods struct {
	subject
	graph  *Graph
	ends   *endSets
	shown  []lts.State // neighbourhoods
	isFull bool        // labels are not left out
	hidden int         // how many neighbourhoods are not shown
	// free is the next number for a node that is not a state. Such numbers are greater than all states.
	free lts.State
}

// neighbourhoods returns the view with o.MaxStates neighbourhoods or, if that is 0, with as many as a
// reader can follow.
func (e explanation) neighbourhoods(ctx context.Context, o Options) (*Graph, error) {
	if err := e.needOne(o); err != nil {
		return nil, err
	}
	if e.subject.undecided || len(e.Classification().States()) == 0 {
		o.Kind = Excerpt
		g, err := e.bareView(ctx, o)
		if err != nil {
			return nil, err
		}
		g.note("there is no neighbourhood, so no view of neighbourhoods; an excerpt is drawn")
		return g, nil
	}
	most := cmp.Or(o.MaxStates, defaultMaxNeighbourhoods)
	for {
		g, err := newNeighbourhoodView(ctx, e.subject, o, most)
		if err != nil {
			return nil, err
		}
		arrowsBetween := 0
		for _, a := range g.Arrows {
			if int(a.To) < g.States {
				arrowsBetween++
			}
		}
		isReadable := g.Shown.States <= fewNeighbourhoods || arrowsBetween <= maxBetween
		if o.MaxStates > 0 || isReadable {
			g.Caption = captionOf(e.Explanation, o)
			return g, nil
		}
		most = g.Shown.States * 2 / 3
	}
}

// Without a requested number, at most maxBetween arrows lead from one neighbourhood to another, unless
// no more than fewNeighbourhoods are left.
const (
	maxBetween        = 45
	fewNeighbourhoods = 6
)

// newNeighbourhoodView returns the view with at most the given number of neighbourhoods.
func newNeighbourhoodView(ctx context.Context, s subject, o Options, most int) (*Graph, error) {
	d := &neighbourhoods{
		subject: s,
		isFull:  o.Full,
		free:    lts.State(s.m.NumStates()),
	}
	d.graph = &Graph{
		Classified:       true,
		OfNeighbourhoods: true,
		Initial:          s.m.Initial(),
		Reachable:        sizeOf(s.m),
		States:           s.m.NumStates() - s.m.Before(),
		AllLabels:        o.Full,
	}
	if err := d.chooseShown(ctx, most); err != nil {
		return nil, err
	}
	ends, err := findEnds(ctx, &d.subject, d.shown)
	if err != nil {
		return nil, err
	}
	d.ends = ends
	sources := d.sources()
	for _, state := range sources {
		d.graph.Nodes = append(d.graph.Nodes, d.node(state))
	}
	d.graph.Shown.States = len(d.shown)
	stretches := d.stretches()
	for _, state := range sources {
		d.graph.Arrows = append(d.graph.Arrows, d.arrows(state, stretches)...)
	}
	return d.graph, nil
}

// chooseShown chooses the neighbourhoods that are shown: first those on the counterexample, then those
// nearest to the counterexample or, without one, to the initial state.
func (d *neighbourhoods) chooseShown(ctx context.Context, most int) error {
	all := d.classes.States()
	d.graph.Neighbourhoods = len(all)
	d.shown = slices.Clone(all)
	if len(all) > most {
		nearest, err := d.nearest(ctx, most)
		if err != nil {
			return err
		}
		d.shown = nearest
	}
	d.hidden = len(all) - len(d.shown)
	slices.Sort(d.shown)
	return nil
}

// sources returns the states from which arrows lead, in the order of drawing. The initial state comes
// first, since Graphviz builds its ranks from the first node on. Then come the states on the
// counterexample in its order, and then all others.
func (d *neighbourhoods) sources() []lts.State {
	initial := d.m.Initial()
	sources := slices.Clone(d.shown)
	// The initial state is drawn even if it is no neighbourhood.
	if d.kind(initial) == 0 {
		sources = append(sources, initial)
	}
	place := func(state lts.State) int {
		switch {
		case state == initial:
			return -1
		case d.run == nil:
			return 0
		}
		leaving := d.run.steps.leaving(state)
		if len(leaving) > 0 {
			return leaving.index(0)
		}
		return d.run.trace.Len()
	}
	slices.SortStableFunc(sources, func(a, b lts.State) int {
		return place(a) - place(b)
	})
	return sources
}

// arrows returns the arrows that leave a state.
func (d *neighbourhoods) arrows(state lts.State, stretches []stretch) []Arrow {
	var arrows intern.List[arrowKey, Arrow]
	nodes := map[End]lts.State{}
	add := func(key arrowKey, t lts.Transition, m Mark) {
		i := arrows.Index(key, Arrow{
			From:    state,
			To:      d.target(key.to, nodes),
			Class:   key.class,
			Meaning: key.meaning,
			Better:  key.better,
			OnRun:   key.first > 0,
			Mark:    m,
		})
		arrows.All[i].addLabel(d.m.Alphabet().Text(t.Label), d.isFull)
	}
	for _, t := range d.out(state) {
		for _, e := range d.ends.endsAfter(t) {
			key := arrowKey{
				to:      e,
				class:   d.class(t),
				meaning: d.meaning(t),
				better:  d.better[t],
			}
			for _, s := range stretches {
				if s.to == e && d.run.trace.Step(s.Steps[0]-1) == t {
					key.first = s.Steps[0]
					add(key, t, s.Mark)
				}
			}
			if key.first == 0 {
				add(key, t, Mark{})
			}
		}
	}
	return arrows.All
}

// nearest returns the neighbourhoods on the counterexample, and others near to them.
func (d *neighbourhoods) nearest(ctx context.Context, most int) ([]lts.State, error) {
	var found, run []lts.State
	known := map[lts.State]bool{}
	addUpTo := func(most int, state lts.State) {
		if d.kind(state) != 0 && len(found) < most && !known[state] {
			known[state] = true
			found = append(found, state)
		}
	}
	addUpTo(1, d.m.Initial())
	if d.run != nil {
		for i := d.run.trace.Len() - 1; i >= 0; i-- {
			state := d.run.trace.Step(i).From
			run = append(run, state)
			addUpTo(max(most, maxOnRun), state)
		}
	}
	addUntilFull := func(state lts.State) bool {
		addUpTo(most, state)
		return len(found) >= most
	}
	sources := append(run, d.m.Initial())
	_, err := bfs.From(ctx, d.m, sources, bfs.Options{Until: addUntilFull})
	return found, err
}

// arrowKey is the key of an arrow. Transitions with equal keys share an arrow.
type arrowKey struct {
	to             End
	class, meaning fate.Class
	better         bool
	first          int // the number of the step that takes the arrow; 0 for none
}

// target returns the node of an end. It adds the node if this neighbourhood does not have it yet.
func (d *neighbourhoods) target(e End, nodes map[End]lts.State) lts.State {
	if e >= firstShown {
		return d.shown[e-firstShown]
	}
	if node, isKnown := nodes[e]; isKnown {
		return node
	}
	node := d.free
	nodes[e] = node
	d.graph.Nodes = append(d.graph.Nodes, Node{
		State:  node,
		End:    e,
		Hidden: d.hidden,
	})
	d.free++
	return node
}

// stretch is the part of the counterexample that one arrow shows. Its first step is the choice.
type stretch struct {
	to End
	Mark
}

// stretches splits the counterexample at the shown neighbourhoods, up to the step that decides the
// property. The last stretch of a lasso leads back into the loop.
func (d *neighbourhoods) stretches() []stretch {
	if d.run == nil || d.run.trace.Len() == 0 {
		return nil
	}
	var all []stretch
	for i := 0; i < d.run.trace.Len(); {
		s := d.stretch(i)
		all = append(all, s)
		if s.to < Elsewhere {
			break // this stretch has all further steps
		}
		i = s.Steps[len(s.Steps)-1] // the number of its last step is the index of the next step
		for i < d.run.trace.Len() && s.to == Elsewhere {
			// Skip the steps up to the next shown neighbourhood.
			_, isShown := d.ends.index[d.run.trace.Step(i).From]
			if isShown {
				break
			}
			i++
		}
	}
	return all
}

// stretch returns the stretch that begins with step i, counted from 0.
func (d *neighbourhoods) stretch(i int) stretch {
	t := d.run.trace
	s := stretch{to: Endless}
	for step := i; step < t.Len(); step++ {
		d.take(&s, step)
		end, isEnd := d.ends.endOf(t.Step(step))
		if !isEnd {
			continue
		}
		s.to = end
		if end < Elsewhere {
			for rest := step + 1; rest < t.Len(); rest++ {
				d.take(&s, rest)
			}
		}
		return s
	}
	if d.run.loop == 0 {
		s.to = Stuck
		return s
	}
	s.Closing = true
	firstOfLoop := d.run.loop - 1
	for step := firstOfLoop; step < t.Len(); step++ {
		// After the last step, the run continues at the beginning of the loop.
		end, isEnd := d.ends.index[t.Step(step).From]
		if isEnd {
			s.to = end
			return s
		}
	}
	return s
}

// take adds a step, counted from 0, to a stretch.
func (d *neighbourhoods) take(s *stretch, step int) {
	number := step + 1
	isOnLoop := d.run.loop > 0 && number >= d.run.loop
	s.Steps = append(s.Steps, number)
	s.Loop = s.Loop || isOnLoop
	s.NoReturn = s.NoReturn || d.run.noReturn == number
}

// An end is what a run reaches first after a neighbourhood: an outcome, or another shown
// neighbourhood. firstShown is the number of the first end that represents a shown neighbourhood;
// these ends come after all others.
const firstShown = Elsewhere + 1

// endSets has, for each state that is no neighbourhood, the set of ends that runs reach from there by
// neutral transitions through such states.
type endSets struct {
	s     *subject
	index map[lts.State]End // the ends that represent shown neighbourhoods
	words int               // the number of words of one set
	sets  []uint64
}

// findEnds computes the set of ends of each state: one strongly connected component after another,
// successors first. Cost O(S + T) set operations on ⌈ends/64⌉ words each. It fails if ctx is done or
// memory is short.
func findEnds(ctx context.Context, s *subject, shown []lts.State) (*endSets, error) {
	f := &endSets{s: s, index: map[lts.State]End{}}
	for i, state := range shown {
		f.index[state] = firstShown + End(i)
	}
	f.words = bitset.Words(int(firstShown) + len(shown))
	if err := resources.Ask(ctx, int64(s.m.NumStates())*int64(8*f.words)); err != nil {
		return nil, err
	}
	f.sets = make([]uint64, s.m.NumStates()*f.words)
	if err := scc.Within(ctx, s.m, f.staysBetween, f.uniteSets); err != nil {
		return nil, err
	}
	return f, ctx.Err()
}

// staysBetween reports whether a transition is neutral, and neither of its states is a neighbourhood.
func (f *endSets) staysBetween(from lts.State, label lts.Label, to lts.State) bool {
	return f.isBetween(from) && f.isBetween(to) && f.isNeutral(from, label, to)
}

// uniteSets computes the set of a strongly connected component. The sets of all successors outside it
// must be complete.
func (f *endSets) uniteSets(states []lts.State, cyclic bool) {
	m := f.s.m
	first := states[0]
	if !f.isBetween(first) {
		return
	}
	all := f.set(first)
	if cyclic {
		all.Add(Endless)
	}
	for _, state := range states {
		if m.IsDeadlock(state) {
			all.Add(Stuck)
		}
		for l, to := range m.From(state) {
			e, ends := f.endOf(lts.Transition{From: state, Label: l, To: to})
			switch {
			case ends:
				all.Add(e)
			case !f.isNeutral(state, l, to): // no run that counts takes it
			default:
				all.AddAll(f.set(to)) // still empty if to is in the same component
			}
		}
	}
	for _, state := range states[1:] {
		f.set(state).AddAll(all)
	}
}

// isBetween reports whether a state has a set, because it is reachable and not a neighbourhood.
func (f *endSets) isBetween(state lts.State) bool {
	return f.s.m.Reachable().Has(state) && f.s.kind(state) == 0
}

func (f *endSets) isNeutral(from lts.State, label lts.Label, to lts.State) bool {
	return f.s.classes.Class(from, label, to) == fate.Neutral
}

// endOf returns the end that the transition t itself reaches; false if its target has a set.
func (f *endSets) endOf(t lts.Transition) (End, bool) {
	switch f.s.class(t) {
	case fate.Correct:
		return Satisfied, true
	case fate.Incorrect:
		return Violated, true
	}
	if f.s.kind(t.To) == 0 {
		return 0, false
	}
	if e, isShown := f.index[t.To]; isShown {
		return e, true
	}
	return Elsewhere, true
}

func (f *endSets) set(state lts.State) bitset.Set[End] {
	return f.sets[int(state)*f.words : (int(state)+1)*f.words]
}

// endsAfter returns the ends of the runs that begin with a transition, ascending.
func (f *endSets) endsAfter(t lts.Transition) []End {
	if e, ends := f.endOf(t); ends {
		return []End{e}
	}
	return slices.Collect(f.set(t.To).All)
}
