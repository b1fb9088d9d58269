package explain

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/counterexample"
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
func (a *Analysis) describeTrace(ctx context.Context, t *counterexample.Trace, minimal counterexample.Minimality) (*Counterexample, error) {
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
	states := pendings{a: a}
	for i := range t.Len() {
		if i&(1<<16-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		step := t.Step(i)
		c.Steps = append(c.Steps, Step{
			From: step.From, Label: a.text(step.Label), To: step.To,
		})
		if a.inSteps() {
			c.Steps[i].Progress = t.Progress(i + 1)
		} else {
			before := c.Pending
			if i > 0 {
				before = c.Steps[i-1].Pending
			}
			c.Steps[i].Pending = states.after(before, t.At(i+1), c.Steps[i].Label)
		}
	}
	if a.inSteps() {
		c.Done, c.Late = progressForEver(t, a)
	}
	if t.Kind() == counterexample.Stop {
		labels, _ := a.m.Out(t.Last())
		for i := range labels.Len() {
			c.Refused = append(c.Refused, a.text(labels.At(i)))
		}
		slices.Sort(c.Refused)
		c.Refused = slices.Compact(c.Refused)
	}
	return c, nil
}

// pendings describe what is pending along a run. Steps share what they have in common.
type pendings struct {
	a *Analysis
	// of has what depends on the state of the property alone.
	of map[property.Q]*Pending
}

// after describes what is pending in state q of the property after an action, before
// which another thing was.
func (x *pendings) after(before *Pending, q property.Q, action string) *Pending {
	if q == before.State {
		return before
	}
	if known := x.of[q]; known != nil {
		return known
	}
	words := x.a.Property.Pending(q)
	p := &Pending{State: q, Words: words.After(before.Words, action)}
	if slices.Equal(p.Words, words) && !slices.Equal(words, property.Hopeless()) {
		if x.of == nil {
			x.of = map[property.Q]*Pending{}
		}
		x.of[q] = p
	}
	return p
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

// decide finds out what the classes say: of the model and, if there is one, of the run.
func (v violation) decide(ctx context.Context) (d decided, err error) {
	classes := Classes(v.a.Classification.Counts())
	d.reading, d.classes = v.a.Classification.Reading(), &classes
	if v.trace == nil {
		return d, nil
	}
	r := v.repeating()
	if d.abstracted, d.pointOfNoReturn, err = r.mark(ctx); err != nil {
		return d, err
	}
	if d.decisions, err = r.describeDecisions(ctx, d.pointOfNoReturn); err != nil {
		return d, err
	}
	if d.exits, d.way, err = r.describeExits(ctx); err != nil {
		return d, err
	}
	d.loss, err = r.describeLoss(ctx)
	return d, err
}

// mark adds to the steps of the run what the classes say of them, and returns what that means
// for the run.
func (r repeating) mark(ctx context.Context) (*Abstracted, *PointOfNoReturn, error) {
	t, c, a := r.trace, r.told, r.a
	fates := simplify.Fates(t, a.Fates)
	c.InitialFate = fates[0]
	for i := range c.Steps {
		if i&(1<<16-1) == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		step := t.Step(i)
		c.Steps[i].Class = a.Classification.Class(step.From, step.Label, step.To)
		c.Steps[i].Neighbourhood = whetherIt(a.Classification.Has(step.From))
		c.Steps[i].Fate = fates[i+1]
	}
	kept := append([]int{}, simplify.Abstract(t, a.Classification)...)
	abstracted := &Abstracted{len(kept), kept}
	if i, ok := simplify.PointOfNoReturn(fates); ok {
		return abstracted, &PointOfNoReturn{Step: StepIndex(i), State: c.Steps[i].From, Label: c.Steps[i].Label}, nil
	}
	return abstracted, nil, nil
}

// describeDecisions describes the decisions of the run. The state in which a trace ends
// is none of them: in a deadlock nothing is left to be chosen, and the state in which a
// loop begins has been described already. If no run satisfies the property there is none.
func (r repeating) describeDecisions(ctx context.Context, last *PointOfNoReturn) ([]Decision, error) {
	decisions := []Decision{}
	if r.told.isHopeless() {
		return decisions, nil
	}
	for i, step := range r.told.Steps {
		if i&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		d := Decision{
			Step: StepIndex(i), State: step.From, Fate: r.fateAfter(i),
			Chosen: r.choice(i, r.trace.Step(i)), Alternatives: r.alternatives(i),
		}
		if r.a.inSteps() {
			d.Progress, d.FirstProgress = int(r.stateAt(i)), r.trace.Progress(i)
		}
		d.Kind, _ = r.a.Classification.Kind(step.From)
		d.PointOfNoReturn = last != nil && last.Step == d.Step
		if d.PointOfNoReturn || d.HasBetter() {
			d.Source = r.a.files.Find(d.Chosen.Label)
			decisions = append(decisions, d)
		}
	}
	for i := range decisions {
		decisions[i].Distance = len(decisions) - 1 - i
	}
	return decisions, nil
}

// keep takes over how the run was found, which is known from an earlier description of the same
// run.
func (c *Counterexample) keep(before *Counterexample) {
	c.Given, c.Notes = before.Given, before.Notes
}

func (v violation) fateAfter(steps int) simplify.Fate {
	if steps == 0 {
		return v.told.InitialFate
	}
	return v.told.Steps[steps-1].Fate
}

// choice describes a transition that leaves the source of step i.
func (r repeating) choice(i int, t lts.Transition) Choice {
	return Choice{
		Label: r.a.text(t.Label),
		To:    t.To,
		Class: r.a.Classification.Class(t.From, t.Label, t.To),
		After: r.a.Fates.After(r.stateAt(i), t.Label, t.To),
		First: r.a.Fates.After(r.trace.At(i), t.Label, t.To),
	}
}

// alternatives describes the transitions beside the one that the counterexample
// takes with step i, each once; none that no run that counts takes.
func (r repeating) alternatives(i int) []Choice {
	taken := r.trace.Step(i)
	choices := []Choice{}
	seen := map[lts.Transition]bool{taken: true}
	labels, targets := r.a.m.Out(taken.From)
	for j, to := range targets {
		t := lts.Transition{From: taken.From, Label: labels.At(j), To: to}
		if seen[t] {
			continue
		}
		seen[t] = true
		if c := r.choice(i, t); c.After != neighbourhood.Excluded {
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
func (r repeating) describeExits(ctx context.Context) (exits []Exit, way *Way, err error) {
	start, loops := r.trace.LoopStart()
	exits = []Exit{}
	if !loops {
		return exits, nil, nil
	}
	own := map[choiceAt]bool{}
	for _, t := range r.trace.Steps()[start:] {
		own[choiceAt{t.From, r.a.text(t.Label), t.To}] = true
	}
	for i := start; i < r.trace.Len(); i++ {
		for _, choice := range r.alternatives(i) {
			// A loop that passes a state twice leaves it in two ways.
			if own[choiceAt{r.trace.Step(i).From, choice.Label, choice.To}] {
				continue
			}
			exits = append(exits, Exit{StepIndex(i), r.trace.Step(i).From, choice})
		}
	}
	if r.fateAfter(r.trace.Len()) == simplify.Fated || !r.a.inSteps() {
		return exits, nil, nil
	}
	way, err = r.shortestWay(ctx, start)
	return exits, way, err
}

// shortestWay returns a shortest way from a state of the loop that begins at step
// start to the first step that the run never does, after which the property is
// still possible. Cost O(S + T) of what the loop reaches.
func (v violation) shortestWay(ctx context.Context, start int) (*Way, error) {
	done := v.told.Done
	var loop []lts.State
	for i := start; i < v.trace.Len(); i++ {
		loop = append(loop, v.trace.Step(i).From)
	}
	var (
		step lts.Transition
		does bool // whether step is known
	)
	found, err := bfs.From(ctx, v.a.m, loop, bfs.Options{
		Along: func(t lts.Transition) bool {
			if int(v.a.Property.Next(property.Q(done), t.Label)) == done {
				return true
			}
			switch v.a.Fates.After(property.Q(done), t.Label, t.To) {
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
		way.Transitions = append(way.Transitions, PathStep{t.From, v.a.text(t.Label), t.To})
	}
	return way, nil
}

// describeLoss finds where the counterexample becomes fated, and the first step
// of the property that nothing after that point can do in its turn; nil if it never is.
func (v violation) describeLoss(ctx context.Context) (*Loss, error) {
	for i := range v.trace.Len() + 1 {
		if v.fateAfter(i) == simplify.Fated {
			return v.lossAfter(ctx, i)
		}
	}
	return nil, nil
}

// lossAfter finds what is lost if the run is fated after so many steps, and not before.
func (v violation) lossAfter(ctx context.Context, steps int) (*Loss, error) {
	if !v.a.inSteps() {
		return &Loss{Steps: steps}, nil
	}
	at := v.trace.Initial()
	if steps > 0 {
		at = v.trace.Step(steps - 1).To
	}
	furthest, err := furthestProgress(ctx, v.a.Fates, at, v.trace.Progress(steps))
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
