package diagram

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/fate"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/quotient"
)

// merged is the quotient of the model of an explanation, on its way to a picture.
type merged struct {
	e *explain.Explanation
	q *quotient.Quotient
	// covers are the numbers, from 1, of the steps of the counterexample for which
	// each step of its image in the quotient stands.
	covers [][]int
	// leading are the labels of transitions of the quotient that are shown before
	// others: those with which the counterexample takes them, or would better have.
	leading map[lts.Transition][]string
}

// pictureOfQuotient draws a model in which the states that mean the same for the
// property are one: see [quotient.ForClasses], which keeps the class of every
// transition.
//
// Where merging leaves more than so many states, an excerpt of the model itself takes
// its place: that of such a quotient would tell no more.
func pictureOfQuotient(ctx context.Context, e *explain.Explanation, o Options) (*picture, error) {
	p, err := pictureOfBlocks(ctx, e, o, max(maxBlocks, o.MaxStates))
	if !errors.Is(err, quotient.ErrManyBlocks) {
		return p, err
	}
	o.tell(fmt.Sprintf("merged, the model still has more than %d states; an excerpt of the model itself is drawn", max(maxBlocks, o.MaxStates)))
	o.View = Excerpt
	return chosen(ctx, e, o)
}

// maxBlocks is the number of states of a quotient up to which an excerpt of it is worth
// the search for it.
const maxBlocks = 20_000

// pictureOfBlocks draws the quotient. It fails with [quotient.ErrManyBlocks] where that
// has more states than most.
func pictureOfBlocks(ctx context.Context, e *explain.Explanation, o Options, most int) (*picture, error) {
	if e.Map() == nil {
		return nil, errNoClasses
	}
	if o.All != nil {
		return nil, errOneOnly
	}
	enriched, is := e.Map().Fates().Enriched()
	if !is {
		return nil, property.NotChainError{Property: e.Map().Fates().Property().String()}
	}
	q, err := quotient.ForClasses(ctx, enriched, quotient.Options{MergeLabels: true, MaxBlocks: most})
	if err != nil {
		return nil, err
	}
	m := &merged{e: e, q: q}
	s, err := m.subject(ctx)
	if err != nil {
		return nil, err
	}
	p, err := pictureOfMerged(s, o)
	if err != nil {
		return nil, err
	}
	p.caption = captionOf(e, o)
	p.quotientOf = size{e.Model.ReachableStates, e.Model.ReachableTransitions}
	if e.IsUnfolded() {
		reach := e.LTS().Reachable()
		p.quotientOf = size{reach.NumStates(), reach.NumTransitions()}
	}
	m.renumber(p)
	return p, nil
}

// pictureOfMerged draws the whole quotient where it can be read, otherwise an excerpt.
func pictureOfMerged(s subject, o Options) (*picture, error) {
	o.View = Auto
	selected, err := selectView(s, o)
	if err != nil {
		return nil, err
	}
	p := selected.picture()
	if !selected.whole {
		o.tell("merged, " + o.tooLarge(s.m.Reachable()) + "; an excerpt is drawn")
		return p, nil
	}
	if !o.Full {
		p.fold()
	}
	if o.Full || p.clear() && p.wide() <= maxClearWidth {
		return p, nil
	}
	o.tell("the whole quotient is too crowded to be read; an excerpt of it is drawn")
	return newExcerpt(s, o).picture(), nil
}

// subject analyses the quotient as a model of its own.
func (m *merged) subject(ctx context.Context) (subject, error) {
	s := subject{m: m.q.LTS(), names: m.name, texts: m.texts()}
	components, err := scc.Find(ctx, s.m, scc.Auto)
	if err != nil {
		return s, err
	}
	enriched, err := enrich.Enrich(ctx, components, m.q.Property(), enrich.Buckets)
	if err != nil {
		return s, err
	}
	if s.classes, err = neighbourhood.Classify(ctx, fate.OfChain(enriched), m.e.Map().Reading()); err != nil {
		return s, err
	}
	s.undecided = lostFromTheStart(m.e)
	if m.e.Trace() == nil {
		return s, nil
	}
	trace, err := m.image(m.e.Trace())
	if err != nil {
		return s, fmt.Errorf("diagram: the counterexample is not found in the quotient, please report it: %w", err)
	}
	s.run = newRun(trace)
	s.choices = m.choices(newChoices(m.e))
	if p := m.e.PointOfNoReturn; p != nil {
		for i, steps := range m.covers {
			if steps[0] <= p.Step+1 && p.Step+1 <= steps[len(steps)-1] {
				s.run.turn(i + 1)
				break
			}
		}
	}
	return s, nil
}

// choices returns those of the counterexample in the quotient. Its labels are noted as
// the first ones to be shown.
func (m *merged) choices(own choices) choices {
	c := choices{after: map[lts.Transition]neighbourhood.Class{}, better: map[lts.Transition]bool{}}
	for _, t := range slices.SortedFunc(maps.Keys(own.after), compare) {
		image := m.imageOf(t)
		if own.better[t] {
			c.better[image] = true
			m.leads(image, t.Label)
		}
		if own.better[t] || !c.better[image] {
			c.after[image] = own.after[t]
		}
	}
	for i, steps := range m.covers {
		first, _ := slices.BinarySearch(own.turns, steps[0]-1)
		if first < len(own.turns) && own.turns[first] < steps[len(steps)-1] {
			c.turns = append(c.turns, i)
		}
	}
	return c
}

func compare(a, b lts.Transition) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Label, b.Label), cmp.Compare(a.To, b.To))
}

// leads notes that an arrow of the quotient is to show a label before others.
func (m *merged) leads(image lts.Transition, l lts.Label) {
	if text := m.q.Model().Alphabet().Text(l); !slices.Contains(m.leading[image], text) {
		m.leading[image] = append(m.leading[image], text)
	}
}

func (m *merged) imageOf(t lts.Transition) lts.Transition {
	from, _ := m.q.Block(t.From)
	to, _ := m.q.Block(t.To)
	return lts.Transition{From: from, Label: m.q.Label(t.Label), To: to}
}

// name returns that of the first state of a block.
func (m *merged) name(block lts.State) string { return m.e.Name(m.q.States(block)[0]) }

// texts returns the function that tells which labels of the model a transition of
// the quotient stands for, the leading ones first. Those of one
// block are found together: cost linear in the transitions of its states.
func (m *merged) texts() func(lts.Transition) []string {
	var of lts.State
	var found map[lts.Transition][]string
	return func(t lts.Transition) []string {
		if found == nil || of != t.From {
			of, found = t.From, m.textsOf(t.From)
		}
		texts := slices.Clone(m.leading[t])
		for _, text := range found[t] {
			if !slices.Contains(m.leading[t], text) {
				texts = append(texts, text)
			}
		}
		return texts
	}
}

func (m *merged) textsOf(block lts.State) map[lts.Transition][]string {
	type key struct {
		l  lts.Label
		to lts.State
	}
	found := map[lts.Transition][]string{}
	seen := map[key]bool{}
	for _, state := range m.q.States(block) {
		labels, targets := m.q.Model().Out(state)
		for i, to := range targets {
			target, _ := m.q.Block(to)
			if seen[key{labels[i], target}] {
				continue
			}
			seen[key{labels[i], target}] = true
			t := lts.Transition{From: block, Label: m.q.Label(labels[i]), To: target}
			found[t] = append(found[t], m.q.Model().Alphabet().Text(labels[i]))
		}
	}
	return found
}

// image returns the run of the quotient that a counterexample becomes when its
// hidden steps within blocks are left out; where its loop has no other steps, the
// loop of the block takes its place.
func (m *merged) image(t *counterexample.Trace) (*counterexample.Trace, error) {
	var steps []lts.Transition
	m.leading = map[lts.Transition][]string{}
	tau, hides := m.q.Tau()
	start, isLasso := t.LoopStart()
	loop := -1
	var waiting []int // steps within blocks, which the next step covers
	for i, step := range t.Steps() {
		if isLasso && i == start {
			loop = len(steps)
		}
		image := m.imageOf(step)
		waiting = append(waiting, i+1)
		inside := hides && image.Label == tau && image.From == image.To
		if inside && (i+1 < t.Len() || !isLasso || loop < len(steps)) {
			continue
		}
		steps, m.covers = append(steps, image), append(m.covers, waiting)
		m.leads(image, step.Label)
		waiting = nil
	}
	if last := len(m.covers) - 1; last >= 0 {
		m.covers[last] = append(m.covers[last], waiting...)
	}
	return counterexample.New(m.q.LTS(), m.q.Property(), steps, loop)
}

// renumber gives the steps of the counterexample their own numbers again, and tells
// how many states are merged into each.
func (m *merged) renumber(p *picture) {
	for i := range p.arrows {
		var own []int
		for _, step := range p.arrows[i].steps {
			own = append(own, m.covers[step-1]...)
		}
		p.arrows[i].steps = own
	}
	for i := range p.gaps {
		g := &p.gaps[i]
		last := m.covers[g.last-1]
		g.first, g.last = m.covers[g.first-1][0], last[len(last)-1]
	}
	for i := range p.nodes {
		p.nodes[i].merged = m.q.NumMerged(p.nodes[i].state)
	}
}
