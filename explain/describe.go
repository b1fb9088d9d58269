package explain

import (
	"context"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/simplify"
)

func newExplanation(m *lts.LTS, a *Analysis, o Options) *Explanation {
	e := &Explanation{
		Model:    modelOf(m, o),
		Property: Property{Text: a.Formula.String(), ACTL: a.Formula.ACTL()},
		Verdict:  Satisfied,
		Warnings: append([]string{}, a.Warnings...),
		lts:      m,
		formula:  a.Formula,
		found:    &Neighbourhoods{},
	}
	for i := 1; i <= a.Property.Len(); i++ {
		step := a.Property.Step(i)
		described := PropertyStep{Pattern: step.Pattern.String(), Labels: []string{}}
		for _, l := range step.Labels {
			described.Labels = append(described.Labels, e.text(l))
		}
		e.Property.Steps = append(e.Property.Steps, described)
	}
	return e
}

func modelOf(m *lts.LTS, o Options) Model {
	return Model{
		File:        o.File,
		Initial:     m.Initial(),
		States:      m.NumStates(),
		Transitions: m.NumTransitions(),
		Labels:      m.Alphabet().Len(),
	}
}

// describe adds what is known once the components are.
func (m *Model) describe(ctx context.Context, c *enrich.Components) error {
	reach, err := c.LTS().ReachableWithin(ctx)
	if err != nil {
		return err
	}
	m.ReachableStates, m.ReachableTransitions = reach.NumStates(), reach.NumTransitions()
	m.Deadlocks = reach.NumDeadlocks()
	m.SCCs, m.Depth = c.Len(), c.MaxDepth()
	return nil
}

// describeTrace describes the run itself, and tells whether it is a shortest one.
func (e *Explanation) describeTrace(a *Analysis, t *counterexample.Trace, shortest bool) *Counterexample {
	c := &Counterexample{Kind: t.Kind().String(), Shortest: shortest, LoopStart: -1, Steps: make([]Step, 0, t.Len())}
	if start, ok := t.LoopStart(); ok {
		c.LoopStart = start
	}
	for i := range t.Len() {
		step := t.Step(i)
		c.Steps = append(c.Steps, Step{
			From: step.From, Label: e.text(step.Label), To: step.To, Progress: t.Progress(i + 1),
		})
	}
	c.Done = progressForEver(t, a)
	return c
}

// progressForEver returns the progress of a trace that goes on for ever: a
// second round of the loop can do steps for which the first one came too early.
func progressForEver(t *counterexample.Trace, a *Analysis) int {
	progress := t.Progress(t.Len())
	start, loops := t.LoopStart()
	for loops {
		before := progress
		for i := start; i < t.Len(); i++ {
			progress = a.Property.Advance(progress, t.Step(i).Label)
		}
		loops = progress != before
	}
	return progress
}

// markTrace adds to the counterexample what the classes say about it.
func (e *Explanation) markTrace(a *Analysis) {
	t, c := e.trace, e.Counterexample
	fates := simplify.Fates(t, a.Enriched)
	c.InitialFate = fates[0].String()
	e.found.on[t.Initial()] = true
	for i := range c.Steps {
		step := t.Step(i)
		c.Steps[i].Class = a.Map.Class(step.From, step.Label, step.To).String()
		c.Steps[i].Neighbourhood = a.Map.Has(step.From)
		c.Steps[i].Fate = fates[i+1].String()
		e.found.on[step.To] = true
	}
	e.Abstracted = &Abstracted{Steps: append([]int{}, simplify.Abstract(t, a.Map)...)}
	if i, ok := simplify.PointOfNoReturn(fates); ok {
		e.PointOfNoReturn = &PointOfNoReturn{Step: i, State: c.Steps[i].From, Label: c.Steps[i].Label}
	}
}

// describeDecisions describes the neighbourhoods on the counterexample, and the
// forks beside them. The state in which a trace ends is none of them: in a
// deadlock nothing is left to be chosen, and the state in which a loop begins
// has been described already.
func (e *Explanation) describeDecisions(a *Analysis) {
	e.Decisions, e.Forks = []Decision{}, []Decision{}
	for i, step := range e.Counterexample.Steps {
		d := Decision{Step: i, State: step.From, Progress: e.trace.Progress(i), Fate: e.fateAfter(i)}
		d.Chosen = e.choice(a, d.Progress, e.trace.Step(i))
		d.Alternatives = e.alternatives(a, i)
		if kind, is := a.Map.Kind(step.From); is {
			d.Kind = kind.String()
			e.Decisions = append(e.Decisions, d)
		} else if d.forks() {
			e.Forks = append(e.Forks, d)
		}
	}
	for i := range e.Decisions {
		e.Decisions[i].Distance = len(e.Decisions) - 1 - i
	}
}

// forks tells whether an alternative would have meant something else for the run.
func (d *Decision) forks() bool {
	for _, choice := range d.Alternatives {
		if choice.After != d.Chosen.After {
			return true
		}
	}
	return false
}

func (e *Explanation) fateAfter(steps int) string {
	if steps == 0 {
		return e.Counterexample.InitialFate
	}
	return e.Counterexample.Steps[steps-1].Fate
}

func (e *Explanation) choice(a *Analysis, progress int, t lts.Transition) Choice {
	return Choice{
		Label: e.text(t.Label),
		To:    t.To,
		Class: a.Map.Class(t.From, t.Label, t.To).String(),
		After: a.Map.After(progress, t.Label, t.To).String(),
	}
}

// alternatives describes the transitions beside the one that the counterexample
// takes with step i, each once.
func (e *Explanation) alternatives(a *Analysis, i int) []Choice {
	taken := e.trace.Step(i)
	choices := []Choice{}
	seen := map[lts.Transition]bool{taken: true}
	labels, targets := e.lts.Out(taken.From)
	for j, to := range targets {
		t := lts.Transition{From: taken.From, Label: labels[j], To: to}
		if !seen[t] {
			seen[t] = true
			choices = append(choices, e.choice(a, e.trace.Progress(i), t))
		}
	}
	return choices
}

// describeExits describes the transitions from states of the loop that are not
// part of it.
func (e *Explanation) describeExits(a *Analysis) []Exit {
	start, loops := e.trace.LoopStart()
	exits := []Exit{}
	if !loops {
		return exits
	}
	for i := start; i < e.trace.Len(); i++ {
		for _, choice := range e.alternatives(a, i) {
			exits = append(exits, Exit{e.trace.Step(i).From, choice})
		}
	}
	return exits
}

// describeLoss finds where the counterexample becomes fated, and the first step
// of the property that nothing after that point can do in its turn.
func (e *Explanation) describeLoss(ctx context.Context, a *Analysis) error {
	fated := simplify.Fated.String()
	for i := range e.trace.Len() + 1 {
		if e.fateAfter(i) != fated {
			continue
		}
		at := e.trace.Initial()
		if i > 0 {
			at = e.trace.Step(i - 1).To
		}
		furthest, err := furthestProgress(ctx, a, at, e.trace.Progress(i))
		e.Loss = &Loss{Steps: i, Step: furthest + 1}
		return err
	}
	return nil
}

// furthestProgress returns the largest progress that some continuation from a
// state makes. A state is looked at again only with more progress than before.
// Cost O(n (S + T)) of what the state reaches, and 4 bytes a state of the model.
func furthestProgress(ctx context.Context, a *Analysis, from lts.State, progress int) (int, error) {
	type node struct {
		state    lts.State
		progress int
	}
	m := a.Components.LTS()
	// most is one more than the largest progress with which a state was met.
	most := make([]uint32, m.NumStates())
	most[from] = uint32(progress) + 1
	var open paged.List[node]
	open.Append(node{from, progress})
	furthest := progress
	for work := 0; open.Len() > 0; work++ {
		if work&(1<<12-1) == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		last := open.Len() - 1
		at := *open.At(last)
		open.Truncate(last)
		furthest = max(furthest, at.progress)
		labels, targets := m.Out(at.state)
		for i, to := range targets {
			after := a.Property.Advance(at.progress, labels[i])
			if uint32(after) >= most[to] {
				most[to] = uint32(after) + 1
				open.Append(node{to, after})
			}
		}
	}
	return furthest, nil
}
