package diagram

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/quotient"
)

// merged is the quotient of the model of an explanation, on its way to a picture.
type merged struct {
	e *explain.Explanation
	q *quotient.Quotient
	// covers are the numbers, from 1, of the steps of the counterexample for which
	// each step of its image in the quotient stands.
	covers [][]int
	// taken are the labels with which the counterexample takes transitions of the
	// quotient.
	taken map[lts.Transition][]string
}

// pictureOfQuotient draws a model in which the states that mean the same for the
// property are one: see [quotient.ForClasses], which keeps the class of every
// transition.
func pictureOfQuotient(ctx context.Context, e *explain.Explanation, o Options) (*picture, error) {
	if e.Map() == nil {
		return nil, errNoClasses
	}
	if o.All != nil {
		return nil, errOneOnly
	}
	q, err := quotient.ForClasses(ctx, e.Map().Enriched(), quotient.Options{MergeLabels: true})
	if err != nil {
		return nil, err
	}
	m := &merged{e: e, q: q}
	s, err := m.subject(ctx)
	if err != nil {
		return nil, err
	}
	o.View = Auto
	selected, err := selectView(s, o)
	if err != nil {
		return nil, err
	}
	p := selected.picture()
	p.caption = captionOf(e, o)
	p.quotientOf = size{e.Model.ReachableStates, e.Model.ReachableTransitions}
	if e.IsUnfolded() {
		reach := e.LTS().Reachable()
		p.quotientOf = size{reach.NumStates(), reach.NumTransitions()}
	}
	m.renumber(p)
	return p, nil
}

// subject analyses the quotient as a model of its own.
func (m *merged) subject(ctx context.Context) (subject, error) {
	s := subject{m: m.q.LTS(), names: m.name, texts: m.texts()}
	components, err := enrich.FindComponents(ctx, s.m, enrich.Auto)
	if err != nil {
		return s, err
	}
	enriched, err := enrich.Enrich(ctx, components, m.q.Property(), enrich.Buckets)
	if err != nil {
		return s, err
	}
	if s.classes, err = neighbourhood.Classify(ctx, enriched, m.e.Map().Reading()); err != nil {
		return s, err
	}
	if m.e.Trace() == nil {
		return s, nil
	}
	trace, err := m.image(m.e.Trace())
	if err != nil {
		return s, fmt.Errorf("diagram: the counterexample is not found in the quotient, please report it: %w", err)
	}
	s.run = newRun(trace)
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

// name returns that of the first state of a block.
func (m *merged) name(block lts.State) string { return m.e.Name(m.q.States(block)[0]) }

// texts returns the function that tells which labels of the model a transition of
// the quotient stands for, those that the counterexample takes first. Those of one
// block are found together: cost linear in the transitions of its states.
func (m *merged) texts() func(lts.Transition) []string {
	var of lts.State
	var found map[lts.Transition][]string
	return func(t lts.Transition) []string {
		if found == nil || of != t.From {
			of, found = t.From, m.textsOf(t.From)
		}
		texts := slices.Clone(m.taken[t])
		for _, text := range found[t] {
			if !slices.Contains(m.taken[t], text) {
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
	m.taken = map[lts.Transition][]string{}
	tau, hides := m.q.Tau()
	start, isLasso := t.LoopStart()
	loop := -1
	var waiting []int // steps within blocks, which the next step covers
	for i, step := range t.Steps() {
		if isLasso && i == start {
			loop = len(steps)
		}
		from, _ := m.q.Block(step.From)
		to, _ := m.q.Block(step.To)
		image := lts.Transition{From: from, Label: m.q.Label(step.Label), To: to}
		waiting = append(waiting, i+1)
		inside := hides && image.Label == tau && from == to
		if inside && (i+1 < t.Len() || !isLasso || loop < len(steps)) {
			continue
		}
		steps, m.covers = append(steps, image), append(m.covers, waiting)
		if text := m.q.Model().Alphabet().Text(step.Label); !slices.Contains(m.taken[image], text) {
			m.taken[image] = append(m.taken[image], text)
		}
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
