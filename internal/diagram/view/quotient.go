package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/simplify/quotient"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// merged is the quotient of the model of an explanation, prepared for a view. The counterexample
// has an image in the quotient. A step of the image may represent several steps of the
// counterexample.
type merged struct {
	e explanation
	q *quotient.Quotient
	// lastCovered has, for each step of the image, the number (from 1) of the last step of the
	// counterexample that it represents. The steps that it represents begin after the last one of the
	// previous step of the image.
	lastCovered []int
	// original has, for each step of the image, the number of the step of the counterexample whose image
	// it is. The other steps that it represents stay inside blocks.
	original []int
	// leading are the labels that an arrow of the quotient shows first: those of the steps of the
	// counterexample, and those of better choices. Labels may be repeated.
	leading map[lts.Transition][]string
}

// quotient returns a view of a model in which states that mean the same for the property are merged,
// see [quotient.ForClasses]. The class of every transition stays the same.
//
// If the quotient has more than maxBlocks states, it returns an excerpt of the model, since an excerpt
// of the quotient would show no more.
func (e explanation) quotient(ctx context.Context, o Options) (*Graph, error) {
	most := max(maxBlocks, o.MaxStates)
	g, err := e.quotientUpTo(ctx, o, most)
	if err != nil || g != nil {
		return g, err
	}
	o.Kind = Excerpt
	g, err = e.bareView(ctx, o)
	if err != nil {
		return nil, err
	}
	g.note(fmt.Sprintf("the merged model still has more than %d states; an excerpt of the model itself is drawn", most))
	return g, nil
}

// maxBlocks is the largest number of states of a quotient that is computed.
const maxBlocks = 20_000

// needOne fails if there are no classes, or several counterexamples. Some views are about one
// counterexample and its classes.
func (e explanation) needOne(o Options) error {
	if e.Classification() == nil {
		return errNoClasses
	}
	if o.All != nil {
		return hint.New(nil,
			"diagram: this view is drawn with one counterexample, not with all shortest ones; ", hint.Excerpt)
	}
	return nil
}

// quotientUpTo returns a view of the quotient; nil if the number of its states exceeds most.
func (e explanation) quotientUpTo(ctx context.Context, o Options, most int) (*Graph, error) {
	if err := e.needOne(o); err != nil {
		return nil, err
	}
	q, classes, err := quotient.OfClassification(ctx, e.Classification(), most)
	if errors.Is(err, quotient.ErrManyBlocks) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m := &merged{e: e, q: q}
	s, err := m.subject(classes)
	if err != nil {
		return nil, err
	}
	// The whole quotient is drawn if it is readable; otherwise an excerpt of the quotient is.
	o.Kind = Auto
	selected, err := selectView(ctx, s, o)
	if err != nil {
		return nil, err
	}
	inside := m.stepsInside()
	g, err := m.draw(ctx, selected, o, inside)
	if err != nil {
		return nil, err
	}
	isCrowded := !o.Full && !g.isReadable()
	switch {
	case !selected.whole:
		g.note("merged, " + o.tooLarge(s.m.Reachable()) + "; an excerpt is drawn")
	case isCrowded:
		g, err = m.draw(ctx, newExcerpt(s, o), o, inside)
		if err != nil {
			return nil, err
		}
		g.note("the whole quotient is too crowded to be read; an excerpt of it is drawn")
	}
	g.Caption = captionOf(e.Explanation, o)
	g.QuotientOf = Size{e.Model.ReachableStates, e.Model.ReachableTransitions}
	if e.IsUnfolded() {
		g.QuotientOf = sizeOf(e.LTS())
	}
	m.renumber(g)
	return g, nil
}

// draw returns a selection of the quotient as a graph.
func (m *merged) draw(
	ctx context.Context,
	selected *selection,
	o Options,
	inside map[lts.State][][2]int,
) (*Graph, error) {
	g := selected.graph()
	m.splitMarked(g)
	m.describeMembers(g, inside)
	m.endCertain(g, selected)
	err := m.e.lookAhead(ctx, g, func(s lts.State) lts.State {
		block, _ := m.q.Block(s)
		return block
	})
	if err != nil {
		return nil, err
	}
	if !o.Full {
		g.fold()
	}
	return g, nil
}

// splitMarked divides each marked arrow that also has labels of other transitions. Arrows of the
// counterexample and better choices are marked. One part keeps the mark, and the labels of steps of
// the counterexample or of better choices; the other part has the other labels and no mark. Cost
// O(size of g · labels of an arrow).
func (m *merged) splitMarked(g *Graph) {
	type ends struct{ from, to lts.State }
	marked := map[ends]map[string]bool{}
	for image, texts := range m.leading {
		at := ends{image.From, image.To}
		if marked[at] == nil {
			marked[at] = map[string]bool{}
		}
		for _, text := range texts {
			marked[at][text] = true
		}
	}
	var arrows []Arrow
	for _, a := range g.Arrows {
		isMarked := len(a.Steps) > 0 || a.Better
		own, others := a.split(marked[ends{a.From, a.To}])
		if !isMarked || len(own.Labels) == 0 || len(others.Labels) == 0 {
			arrows = append(arrows, a)
			continue
		}
		arrows = append(arrows, own, others)
	}
	g.Arrows = arrows
}

// split returns two arrows: own has the marked labels alone, and others has the other labels and no
// mark. The first labels of the arrow are marked, so the labels that it has no room for count on
// others.
func (a *Arrow) split(marked map[string]bool) (own, others Arrow) {
	own = *a
	own.Labels = nil
	own.More = 0
	others = Arrow{From: a.From, To: a.To, Class: a.Class, Meaning: a.Class, Never: a.Never, More: a.More}
	for _, l := range a.Labels {
		if marked[l.Text] {
			own.Labels = append(own.Labels, l)
		} else {
			others.Labels = append(others.Labels, l)
		}
	}
	return own, others
}

// endCertain replaces everything after correct transitions by one end, since nothing is decided there
// any more. It leaves out states to which only such transitions lead. Cost O(size of g).
func (m *merged) endCertain(g *Graph, selected *selection) {
	isCertain := func(a Arrow) bool {
		return a.Class == fate.Correct && !a.OnRun
	}
	if m.e.Trace() == nil || !slices.ContainsFunc(g.Arrows, isCertain) {
		return
	}
	end := lts.State(m.q.LTS().NumStates()) // above all states
	var open, certain []Arrow
	for _, a := range g.Arrows {
		if isCertain(a) {
			certain = append(certain, a)
		} else {
			open = append(open, a)
		}
	}
	kept := g.reachedBy(open)
	isGone := func(s lts.State) bool { return !kept[s] }
	g.Nodes = slices.DeleteFunc(g.Nodes, func(n Node) bool {
		return isGone(n.State)
	})
	g.Stubs = slices.DeleteFunc(g.Stubs, func(s Stub) bool {
		return isGone(s.State)
	})
	g.Arrows = slices.DeleteFunc(open, func(a Arrow) bool {
		return isGone(a.From)
	})
	for _, a := range certain {
		if kept[a.From] {
			a.To = end
			g.addOrJoin(a)
		}
	}
	g.Nodes = append(g.Nodes, Node{State: end, End: Satisfied})
	g.recount(selected, end)
}

// reachedBy returns the states of the counterexample, and those that are reachable from the initial
// state by arrows and gaps.
func (g *Graph) reachedBy(arrows []Arrow) map[lts.State]bool {
	next := map[lts.State][]lts.State{}
	for _, a := range arrows {
		next[a.From] = append(next[a.From], a.To)
	}
	var queue []lts.State
	reached := map[lts.State]bool{}
	for _, n := range g.Nodes {
		if n.Initial || n.OnRun {
			reached[n.State] = true
			queue = append(queue, n.State)
		}
	}
	for len(queue) > 0 {
		from := queue[0]
		queue = queue[1:]
		for _, to := range next[from] {
			if !reached[to] {
				reached[to] = true
				queue = append(queue, to)
			}
		}
	}
	return reached
}

// addOrJoin adds an arrow, or adds its labels to an arrow that differs only in the labels.
func (g *Graph) addOrJoin(a Arrow) {
	for i := range g.Arrows {
		if g.Arrows[i].differsOnlyInLabels(&a) {
			g.Arrows[i].join(&a)
			return
		}
	}
	a.Labels = slices.Clone(a.Labels)
	g.Arrows = append(g.Arrows, a)
}

func (a *Arrow) differsOnlyInLabels(b *Arrow) bool {
	hasEnds := a.From == b.From && a.To == b.To
	hasClasses := a.Class == b.Class && a.Meaning == b.Meaning
	hasMarks := a.Better == b.Better && a.Never == b.Never && a.Branch == b.Branch
	return hasEnds && hasClasses && hasMarks
}

// join adds the labels of another arrow, as far as there is room.
func (a *Arrow) join(other *Arrow) {
	most := maxLabels
	if a.Better {
		most = maxBetterLabels
	}
	a.More += other.More
	for _, l := range other.Labels {
		i := slices.IndexFunc(a.Labels, func(own Label) bool {
			return own.Text == l.Text
		})
		switch {
		case i >= 0:
			// Transitions with one label to one end are one transition.
			a.Labels[i].Times = max(a.Labels[i].Times, l.Times)
		case len(a.Labels) >= most:
			a.More += l.Times
		default:
			a.Labels = append(a.Labels, l)
		}
	}
}

// recount counts the states and transitions that are shown. The end counts as one state. If the whole
// quotient is shown, these numbers become its size.
func (g *Graph) recount(selected *selection, end lts.State) {
	g.Shown = Size{}
	for _, n := range g.Nodes {
		if n.Before {
			continue
		}
		g.Shown.States++
		if n.State == end {
			continue
		}
		shown := map[lts.Transition]bool{}
		for _, t := range selected.out(n.State) {
			if !selected.shows(t) {
				continue
			}
			if selected.class(t) == fate.Correct {
				t.To = end
			}
			shown[t] = true
		}
		g.Shown.Transitions += len(shown)
	}
	if g.Whole {
		g.Reachable = g.Shown
		g.States = g.Shown.States
	}
}

// renumber replaces the numbers of steps of the image by those of the steps of the counterexample that
// they represent.
func (m *merged) renumber(g *Graph) {
	for i := range g.Arrows {
		var ofModel []int
		for _, step := range g.Arrows[i].Steps {
			ofModel = append(ofModel, m.stepsOnArrow(step)...)
		}
		g.Arrows[i].Steps = ofModel
		p := m.e.PointOfNoReturn
		if g.Arrows[i].NoReturn && len(ofModel) > 1 && p != nil {
			g.Arrows[i].Return = int(p.Step) + 1
		}
	}
	for i := range g.Gaps {
		gap := &g.Gaps[i]
		gap.First = m.firstCovered(gap.First)
		gap.Last = m.lastCovered[gap.Last-1]
	}
}

// stepsOnArrow returns the numbers of the steps of the counterexample that the arrow of a step of
// the image represents. These steps have the same image; if the step is on the loop, so are they.
func (m *merged) stepsOnArrow(step int) []int {
	trace := m.e.Trace()
	original := m.original[step-1]
	image := m.imageOf(trace.Step(original - 1))
	start, _ := trace.LoopStart()
	var all []int
	for number := m.firstCovered(step); number <= m.lastCovered[step-1]; number++ {
		hasImage := m.imageOf(trace.Step(number-1)) == image
		isBeforeLoop := number <= start
		originalIsOnLoop := original > start
		if hasImage && !(isBeforeLoop && originalIsOnLoop) {
			all = append(all, number)
		}
	}
	return all
}

// stepsInside returns, by block, the steps of the counterexample that stay inside the block and are on
// no arrow, as ranges. Cost O(steps).
func (m *merged) stepsInside() map[lts.State][][2]int {
	inside := map[lts.State][][2]int{}
	trace := m.e.Trace()
	if trace == nil {
		return inside
	}
	isOnArrow := make([]bool, trace.Len())
	for i := range m.original {
		for _, number := range m.stepsOnArrow(i + 1) {
			isOnArrow[number-1] = true
		}
	}
	for i, isShown := range isOnArrow {
		if isShown {
			continue
		}
		block, _ := m.q.Block(trace.Step(i).From)
		ranges := inside[block]
		last := len(ranges) - 1
		number := i + 1
		if last >= 0 && ranges[last][1] == number-1 {
			ranges[last][1] = number
			continue
		}
		inside[block] = append(ranges, [2]int{number, number})
	}
	return inside
}

// describeMembers adds to each node what is true of only some of the states that it represents. Cost
// O(states of the shown blocks).
func (m *merged) describeMembers(g *Graph, inside map[lts.State][][2]int) {
	model := m.q.Model()
	for i := range g.Nodes {
		n := &g.Nodes[i]
		n.Merged = m.q.NumMerged(n.State)
		n.Members = &Members{Inside: inside[n.State]}
		for _, state := range m.q.States(n.State) {
			if model.IsDeadlock(state) {
				n.Deadlocks++
			}
			if m.e.subject.kind(state) != 0 {
				n.Neighbourhoods++
			}
			turn := m.e.subject.turnsAt[state]
			if turn != NoTurn && turn == n.Turn {
				n.Turns = append(n.Turns, m.e.Name(state))
			}
		}
	}
}

// subject returns the quotient as the subject of a view: a model with classes.
func (m *merged) subject(classes *neighbourhood.Classification) (subject, error) {
	s := subject{
		m:         m.q.LTS(),
		classes:   classes,
		names:     m.name,
		texts:     m.texts(),
		undecided: m.e.subject.undecided,
	}
	if m.e.Trace() == nil {
		return s, nil
	}
	trace, err := m.image(m.e.Trace())
	if err != nil {
		return subject{}, fmt.Errorf("diagram: the counterexample is not found in the quotient, please report it: %w", err)
	}
	s.run = newRun(trace)
	s.pending = m.e.subject.pending
	s.choices = m.imageOfChoices(m.e.subject.choices, s.run)
	s.turnsAt = map[lts.State]Turn{}
	for state, turn := range m.e.subject.turnsAt {
		if block, ok := m.q.Block(state); ok {
			s.turnsAt[block] = max(s.turnsAt[block], turn)
		}
	}
	p := m.e.PointOfNoReturn
	if p != nil {
		// A step of the image represents all steps up to its number in lastCovered. So the first number
		// that is not smaller than that of a step belongs to its image.
		index, _ := slices.BinarySearch(m.lastCovered, int(p.Step)+1)
		if index < len(m.lastCovered) {
			s.run.noReturn = index + 1
		}
	}
	return s, nil
}

// imageOfChoices returns the choices of the counterexample in the quotient; r is the image of the
// counterexample. The labels of these choices become leading ones.
func (m *merged) imageOfChoices(own choices, r *run) choices {
	c := newChoices()
	for _, t := range slices.SortedFunc(maps.Keys(own.after), ascending) {
		image := m.imageOf(t)
		// Since states are merged, the run may take another transition with the same image.
		better := own.better[t] && !r.takesInTrace(image)
		if better {
			c.better[image] = true
			m.addLeading(image, t.Label)
		}
		if better || !c.better[image] {
			c.after[image] = own.after[t]
		}
	}
	for _, turn := range own.turns {
		at, _ := slices.BinarySearch(m.lastCovered, turn+1)
		last := len(c.turns) - 1
		isNew := last < 0 || c.turns[last] != at
		if at < len(m.lastCovered) && isNew {
			c.turns = append(c.turns, at)
		}
	}
	return c
}

func ascending(a, b lts.Transition) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Label, b.Label),
		cmp.Compare(a.To, b.To))
}

// addLeading adds a label to those that an arrow of the quotient shows first.
func (m *merged) addLeading(image lts.Transition, l lts.Label) {
	m.leading[image] = append(m.leading[image], m.q.Model().Alphabet().Text(l))
}

func (m *merged) imageOf(t lts.Transition) lts.Transition {
	from, _ := m.q.Block(t.From)
	to, _ := m.q.Block(t.To)
	return lts.Transition{From: from, Label: m.q.Label(t.Label), To: to}
}

// name returns the name of the first state of a block.
func (m *merged) name(block lts.State) string { return m.e.Name(m.q.States(block)[0]) }

// texts returns a function that maps a transition of the quotient to the labels that it represents,
// leading labels first. The function computes the labels of a whole block at once, in time linear in
// the transitions of its states.
func (m *merged) texts() func(lts.Transition) []string {
	var block lts.State // the block whose labels were computed last
	var found map[lts.Transition][]string
	return func(t lts.Transition) []string {
		if found == nil || block != t.From {
			block = t.From
			found = m.textsOf(block)
		}
		var texts []string
		isListed := make(map[string]bool, len(found[t]))
		pending := slices.DeleteFunc(slices.Clone(found[t]), func(text string) bool {
			return !m.e.subject.pending[text]
		})
		for _, text := range slices.Concat(m.leading[t], pending, found[t]) {
			if !isListed[text] {
				isListed[text] = true
				texts = append(texts, text)
			}
		}
		return texts
	}
}

// textsOf returns the labels that each transition of a block represents, each once.
func (m *merged) textsOf(block lts.State) map[lts.Transition][]string {
	type key struct {
		l  lts.Label
		to lts.State
	}
	found := map[lts.Transition][]string{}
	seen := map[key]bool{}
	for _, state := range m.q.States(block) {
		for l, to := range m.q.Model().From(state) {
			target, _ := m.q.Block(to)
			if !seen[key{l, target}] {
				seen[key{l, target}] = true
				t := lts.Transition{
					From:  block,
					Label: m.q.Label(l),
					To:    target,
				}
				found[t] = append(found[t], m.q.Model().Alphabet().Text(l))
			}
		}
	}
	return found
}

// image returns the image of a counterexample in the quotient, without the hidden steps inside blocks.
// If that leaves no step of the loop, the self-loop of the block is the loop.
func (m *merged) image(t *counterexample.Trace) (*counterexample.Trace, error) {
	var steps []lts.Transition
	m.leading = map[lts.Transition][]string{}
	tau, hides := m.q.Tau()
	start, isLasso := t.LoopStart()
	loopStart := -1
	for i := range t.Len() {
		step := t.Step(i)
		if isLasso && i == start {
			loopStart = len(steps)
		}
		image := m.imageOf(step)
		isInside := hides && image.Label == tau && image.From == image.To
		// Without the last step, a loop with only hidden steps would have no step at all.
		isWholeLoop := isLasso && i+1 == t.Len() && loopStart == len(steps)
		if isInside && !isWholeLoop {
			continue // the next step covers it
		}
		steps = append(steps, image)
		m.lastCovered = append(m.lastCovered, i+1)
		m.original = append(m.original, i+1)
	}
	last := len(m.lastCovered) - 1
	if last >= 0 {
		m.lastCovered[last] = t.Len()
	}
	for i, image := range steps {
		for _, number := range m.stepsOnArrow(i + 1) {
			m.addLeading(image, t.Step(number-1).Label)
		}
	}
	if t.Kind() == counterexample.Prefix {
		return counterexample.NewStem(m.q.LTS(), m.q.Property(), steps, counterexample.Prefix)
	}
	return counterexample.NewViolating(m.q.LTS(), m.q.Property(), steps, loopStart)
}

// firstCovered returns the number of the first step of the counterexample that a step of the image represents.
func (m *merged) firstCovered(step int) int {
	if step == 1 {
		return 1
	}
	return m.lastCovered[step-2] + 1
}
