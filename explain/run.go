package explain

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bfs"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/simplify"
)

// describeTrace describes the run itself.
//
// A step takes many bytes, for which it asks first.
func (e *Explanation) describeTrace(ctx context.Context, a *Analysis, t *counterexample.Trace, minimal counterexample.Minimality) (*Counterexample, error) {
	if err := resources.AskFor[Step](ctx, t.Len()); err != nil {
		return nil, err
	}
	c := &Counterexample{Kind: t.Kind(), Length: t.Len(), LoopStart: noLoopStart, Steps: make([]Step, 0, t.Len()), Notes: []string{}}
	c.setMinimal(minimal)
	if start, ok := t.LoopStart(); ok {
		c.LoopStart = LoopStart(start)
	}
	if !a.inSteps() {
		c.Pending = &Pending{State: t.At(0), Words: a.Property.Pending(t.At(0))}
	}
	for i := range t.Len() {
		if i&(1<<16-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		step := t.Step(i)
		c.Steps = append(c.Steps, Step{
			From: step.From, Label: e.text(step.Label), To: step.To,
		})
		if a.inSteps() {
			c.Steps[i].Progress = t.Progress(i + 1)
		} else {
			before := c.Pending
			if i > 0 {
				before = c.Steps[i-1].Pending
			}
			c.Steps[i].Pending = pendingAfter(a, before, t.At(i+1), c.Steps[i].Label)
		}
	}
	if a.inSteps() {
		c.Done, c.Late = progressForEver(t, a)
	}
	return c, nil
}

// pendingAfter says what is pending in state q of the property after an action, before
// which another thing was.
func pendingAfter(a *Analysis, before *Pending, q property.Q, action string) *Pending {
	if q == before.State {
		return before
	}
	return &Pending{State: q, Words: a.Property.Pending(q).After(before.Words, action)}
}

// progressForEver returns the progress of a trace that goes on for ever, and what
// of it is made after the first round: a later round of the loop can do steps for
// which the first one came too early.
func progressForEver(t *counterexample.Trace, a *Analysis) (int, []Late) {
	progress := t.Progress(t.Len())
	start, loops := t.LoopStart()
	var late []Late
	for round := 2; loops; round++ {
		before := progress
		for i := start; i < t.Len(); i++ {
			after := int(a.Property.Next(property.Q(progress), t.Step(i).Label))
			if after > progress {
				late = append(late, Late{Round: round, Step: StepIndex(i), Progress: after})
			}
			progress = after
		}
		loops = progress != before
	}
	return progress, late
}

// isHopeless reports whether no run satisfies the property.
func (c *Counterexample) isHopeless() bool { return c.InitialFate == simplify.Fated }

// markTrace adds to the counterexample what the classes say about it.
func (e *Explanation) markTrace(ctx context.Context, a *Analysis) error {
	t, c := e.trace, e.Counterexample
	if start, loops := t.LoopStart(); loops {
		e.round = repeatingRound(t, start, a.Property)
	}
	fates := simplify.Fates(t, a.Fates)
	c.InitialFate = fates[0]
	e.found.on = bitset.New[lts.State](e.lts.NumStates())
	e.found.on.Add(t.Initial())
	for i := range c.Steps {
		if i&(1<<16-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		step := t.Step(i)
		c.Steps[i].Class = a.Classification.Class(step.From, step.Label, step.To)
		c.Steps[i].Neighbourhood = whether(a.Classification.Has(step.From))
		c.Steps[i].Fate = fates[i+1]
		e.found.on.Add(step.To)
	}
	kept := append([]int{}, simplify.Abstract(t, a.Classification)...)
	e.Abstracted = &Abstracted{len(kept), kept}
	if i, ok := simplify.PointOfNoReturn(fates); ok {
		e.PointOfNoReturn = &PointOfNoReturn{Step: StepIndex(i), State: c.Steps[i].From, Label: c.Steps[i].Label}
	}
	return nil
}

// describeDecisions describes the decisions of the run. The state in which a trace ends
// is none of them: in a deadlock nothing is left to be chosen, and the state in which a
// loop begins has been described already. If no run satisfies the property there is none.
func (e *Explanation) describeDecisions(ctx context.Context, a *Analysis) error {
	e.Decisions = []Decision{}
	if e.Counterexample.isHopeless() {
		return nil
	}
	for i, step := range e.Counterexample.Steps {
		if i&(1<<12-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		d := Decision{
			Step: StepIndex(i), State: step.From, Fate: e.fateAfter(i),
			Chosen: e.choice(a, i, e.trace.Step(i)), Alternatives: e.alternatives(a, i),
		}
		if a.inSteps() {
			d.Progress, d.FirstProgress = int(e.stateAt(i)), e.trace.Progress(i)
		}
		d.Kind, _ = a.Classification.Kind(step.From)
		d.PointOfNoReturn = e.PointOfNoReturn != nil && e.PointOfNoReturn.Step == d.Step
		if d.PointOfNoReturn || d.HasBetter() {
			d.Source = e.files.Find(d.Chosen.Label)
			e.Decisions = append(e.Decisions, d)
		}
	}
	for i := range e.Decisions {
		e.Decisions[i].Distance = len(e.Decisions) - 1 - i
	}
	e.rankDecisions()
	return nil
}

// stateAt returns the state of the property with which the run comes to the source of
// step i: on a loop that in the rounds that repeat for ever. Those of a chain repeat
// with all that is ever done.
func (e *Explanation) stateAt(i int) property.Q {
	start, loops := e.trace.LoopStart()
	switch {
	case !loops || i < start:
		return e.trace.At(i)
	case len(e.Property.Steps) > 0:
		return property.Q(e.Counterexample.Done)
	}
	return e.round[i-start]
}

// settle goes once more round the loop of a run of a property that is no chain where that
// is told in the model, and what can become of the run changes only after its first round:
// otherwise that would not be seen on it.
func (e *Explanation) settle(ctx context.Context, a *Analysis) error {
	if a.inSteps() || e.trace == nil {
		return nil
	}
	start, loops := e.trace.LoopStart()
	if !loops {
		return nil
	}
	same := true
	for i, q := range repeatingRound(e.trace, start, a.Property) {
		s := e.trace.Step(start + i).From
		same = same && a.Fates.At(s, q) == a.Fates.At(s, e.trace.At(start+i))
	}
	if same {
		return nil
	}
	u, _ := a.Fates.Unfolding()
	steps, loop := u.Run(e.trace.Steps(), start)
	for i, t := range steps {
		steps[i] = lts.Transition{From: u.Place(t.From).State, Label: t.Label, To: u.Place(t.To).State}
	}
	var err error
	if e.trace, err = counterexample.NewViolating(e.lts, a.Property, steps, loop); err != nil {
		return err
	}
	before := e.Counterexample
	if e.Counterexample, err = e.describeTrace(ctx, a, e.trace, counterexample.MinimalUnknown); err == nil {
		e.Counterexample.keep(before)
	}
	return err
}

// keep takes over where the run came from, which was told of the same run before.
func (c *Counterexample) keep(before *Counterexample) {
	c.Given, c.Notes = before.Given, before.Notes
}

func (e *Explanation) fateAfter(steps int) simplify.Fate {
	if steps == 0 {
		return e.Counterexample.InitialFate
	}
	return e.Counterexample.Steps[steps-1].Fate
}

// choice describes a transition that leaves the source of step i.
func (e *Explanation) choice(a *Analysis, i int, t lts.Transition) Choice {
	return Choice{
		Label: e.text(t.Label),
		To:    t.To,
		Class: a.Classification.Class(t.From, t.Label, t.To),
		After: a.Fates.After(e.stateAt(i), t.Label, t.To),
		First: a.Fates.After(e.trace.At(i), t.Label, t.To),
	}
}

// alternatives describes the transitions beside the one that the counterexample
// takes with step i, each once; none that no run that counts takes.
func (e *Explanation) alternatives(a *Analysis, i int) []Choice {
	taken := e.trace.Step(i)
	choices := []Choice{}
	seen := map[lts.Transition]bool{taken: true}
	labels, targets := e.lts.Out(taken.From)
	for j, to := range targets {
		t := lts.Transition{From: taken.From, Label: labels.At(j), To: to}
		if seen[t] {
			continue
		}
		seen[t] = true
		if c := e.choice(a, i, t); c.After != neighbourhood.Excluded {
			choices = append(choices, c)
		}
	}
	return choices
}

// choiceAt is a transition, by the text of its label.
type choiceAt struct {
	from  lts.State
	label string
	to    lts.State
}

// describeExits describes the transitions from states of the loop that are not
// part of it, and the shortest way to the step that never comes.
func (e *Explanation) describeExits(ctx context.Context, a *Analysis) error {
	start, loops := e.trace.LoopStart()
	e.Exits = []Exit{}
	if !loops {
		return nil
	}
	own := map[choiceAt]bool{}
	for _, t := range e.trace.Steps()[start:] {
		own[choiceAt{t.From, e.text(t.Label), t.To}] = true
	}
	for i := start; i < e.trace.Len(); i++ {
		for _, choice := range e.alternatives(a, i) {
			// A loop that passes a state twice leaves it in two ways.
			if own[choiceAt{e.trace.Step(i).From, choice.Label, choice.To}] {
				continue
			}
			e.Exits = append(e.Exits, Exit{StepIndex(i), e.trace.Step(i).From, choice})
		}
	}
	if e.fateAfter(e.trace.Len()) == simplify.Fated || !a.inSteps() {
		return nil
	}
	var err error
	e.Way, err = e.shortestWay(ctx, a, start)
	return err
}

// shortestWay returns a shortest way from a state of the loop that begins at step
// start to the first step that the run never does, after which the property is
// still possible. Cost O(S + T) of what the loop reaches.
func (e *Explanation) shortestWay(ctx context.Context, a *Analysis, start int) (*Way, error) {
	done := e.Counterexample.Done
	var loop []lts.State
	for i := start; i < e.trace.Len(); i++ {
		loop = append(loop, e.trace.Step(i).From)
	}
	var (
		step lts.Transition
		does bool // whether step is known
	)
	found, err := bfs.From(ctx, e.lts, loop, bfs.Options{
		Along: func(t lts.Transition) bool {
			if int(a.Property.Next(property.Q(done), t.Label)) == done {
				return true
			}
			switch a.Fates.After(property.Q(done), t.Label, t.To) {
			case neighbourhood.Correct, neighbourhood.Neutral:
				if !does {
					step, does = t, true
				}
			}
			return false
		},
		Until: func(lts.State) bool { return does },
	})
	if err != nil || !does {
		return nil, err
	}
	transitions := append(found.Path(step.From), step)
	way := &Way{Step: StepIndex(start + slices.Index(loop, transitions[0].From))}
	for _, t := range transitions {
		way.Transitions = append(way.Transitions, PathStep{t.From, e.text(t.Label), t.To})
	}
	return way, nil
}

// describeLoss finds where the counterexample becomes fated, and the first step
// of the property that nothing after that point can do in its turn.
func (e *Explanation) describeLoss(ctx context.Context, a *Analysis) (err error) {
	for i := range e.trace.Len() + 1 {
		if e.fateAfter(i) == simplify.Fated {
			e.Loss, err = e.lossAfter(ctx, a, i)
			return err
		}
	}
	return nil
}

// lossAfter says what is lost if the run is fated after so many steps, and not before.
func (e *Explanation) lossAfter(ctx context.Context, a *Analysis, steps int) (*Loss, error) {
	if !a.inSteps() {
		return &Loss{Steps: steps}, nil
	}
	at := e.trace.Initial()
	if steps > 0 {
		at = e.trace.Step(steps - 1).To
	}
	furthest, err := furthestProgress(ctx, a.Fates, at, e.trace.Progress(steps))
	return &Loss{Steps: steps, Step: furthest + 1}, err
}

// furthestProgress returns the largest progress that some continuation from a
// state makes. Cost O(n (S + T)) of what the state reaches, and 4 bytes a state of the model.
func furthestProgress(ctx context.Context, fates *fate.Map, from lts.State, progress int) (int, error) {
	f := &furthest{ctx: ctx, m: fates.LTS(), p: fates.Property(), admits: fates.AdmitsFrom}
	if err := f.begin(); err != nil {
		return 0, err
	}
	err := f.from(from, progress)
	return f.reached, err
}
