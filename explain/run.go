package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
	"github.com/inev-lts/inev/simplify"
)

// describeTrace describes a run without its classes. Since a step takes many bytes, it first asks the
// budget for the memory of all steps.
func describeTrace(
	ctx context.Context,
	a *Analysis,
	t *counterexample.Trace,
	minimal counterexample.Minimality,
) (*Counterexample, error) {
	if err := resources.AskFor[Step](ctx, t.Len()); err != nil {
		return nil, err
	}
	c := &Counterexample{
		Kind:   t.Kind(),
		Length: t.Len() - before(a.m, t.Len()),
		Steps:  make([]Step, 0, t.Len()),
		Notes:  []string{},
	}
	c.setMinimal(minimal)
	start, _ := t.LoopStart()
	c.LoopStart = LoopStart(start)
	if err := c.addSteps(ctx, a, t); err != nil {
		return nil, err
	}
	c.addLateSteps(a.Property, t)
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

// addSteps adds the steps of a run, each with what is pending after it. Steps share one Pending if
// the same is pending after them.
func (c *Counterexample) addSteps(
	ctx context.Context,
	a *Analysis,
	t *counterexample.Trace,
) error {
	var pending *Pending
	if a.Property.Steps() == 0 {
		pending = &Pending{State: t.At(0), Words: a.Property.Pending(t.At(0))}
	}
	c.Pending = pending
	// known has the Pending of each property state whose Pending does not also depend on the last
	// action.
	known := map[property.Q]*Pending{}
	c.Steps = slices.Grow(c.Steps, t.Len())
	for i := range t.Len() {
		if err := cores.Done(ctx, i); err != nil {
			return err
		}
		step := t.Step(i)
		q := t.At(i + 1)
		text := a.text(step.Label)
		if pending != nil && q != pending.State {
			next := known[q]
			if next == nil {
				words := a.Property.Pending(q)
				next = &Pending{State: q, Words: words.After(pending.Words, text)}
				namesAction := !slices.Equal(next.Words, words)
				isHopeless := slices.Equal(words, property.Hopeless())
				if !namesAction && !isHopeless {
					known[q] = next
				}
			}
			pending = next
		}
		c.Steps = append(c.Steps, Step{
			From:     step.From,
			Label:    text,
			To:       step.To,
			Progress: a.Property.Progress(q),
			Pending:  pending,
		})
		if a.Unfolding != nil {
			c.Steps[i].inModel = &ModelStep{
				From:  ModelState(a.inModel(step.From)),
				Label: text,
				To:    ModelState(a.inModel(step.To)),
			}
		}
	}
	return nil
}

// addLateSteps adds the steps of the property that only a later round of the loop does, because the
// first round does them too early. It sets c.Done to the number of steps that the run does in the
// end.
func (c *Counterexample) addLateSteps(p *property.Property, t *counterexample.Trace) {
	q := t.At(t.Len())
	start, isLasso := t.LoopStart()
	mayProgress := isLasso // not after a round without progress
	for round := 2; mayProgress; round++ {
		beforeRound := p.Progress(q)
		for i := start; i < t.Len(); i++ {
			beforeStep := p.Progress(q)
			q = p.Next(q, t.Step(i).Label)
			afterStep := p.Progress(q)
			if afterStep > beforeStep {
				c.Late = append(c.Late, Late{
					Round:    round,
					Step:     StepIndex(i),
					Progress: afterStep,
				})
			}
		}
		mayProgress = p.Progress(q) > beforeRound
	}
	c.Done = p.Progress(q)
}

// before returns how many of the first steps lead to an initial state: 1 or 0.
func before(m *lts.LTS, steps int) int {
	return min(steps, m.Before())
}

// isHopeless reports whether no run satisfies the property.
func (c *Counterexample) isHopeless() bool { return c.InitialFate == simplify.Fated }

// describeDecisions describes the decisions of the run, which the abstraction has found. It compares alternatives by
// a table of values, if there is one.
func (r repeating) describeDecisions(
	ctx context.Context,
	abstraction *simplify.Abstraction,
	t *lts.Values,
) ([]Decision, error) {
	decisions := []Decision{}
	budget := mostRead
	stops := &stopping{}
	for n, i := range abstraction.Decisions(r.changesNothing) {
		if err := cores.Done(ctx, n); err != nil {
			return nil, err
		}
		state := r.described.Steps[i].From
		d := Decision{
			Step:            StepIndex(i),
			State:           state,
			PointOfNoReturn: i == abstraction.PointOfNoReturn,
			Fate:            abstraction.Fates[i],
			Chosen:          r.choice(i, r.trace.Step(i)),
			Alternatives:    r.alternatives(abstraction, i),
			Progress:        r.a.Property.Progress(r.stateAt(i)),
			FirstProgress:   r.a.Property.Progress(r.trace.At(i)),
		}
		if err := stops.mark(ctx, r, &d); err != nil {
			return nil, err
		}
		d.Kind, _ = r.a.Classification.Kind(state)
		d.Source = r.a.position(d.Chosen.Label)
		budget -= r.compareAlternatives(t, d, budget)
		decisions = append(decisions, d)
	}
	for i := range decisions {
		decisions[i].Distance = len(decisions) - 1 - i
	}
	return decisions, nil
}

// stopping finds out which alternatives of decisions only lead to deadlocks.
type stopping struct {
	endless bitset.Set[lts.State] // the states from which some run is infinite; nil if they are not known yet
}

// mark sets [Choice.Stops] of the alternatives of a decision. Cost O(S + T) for the first decision where
// nothing is pending, then O(alternatives).
func (s *stopping) mark(ctx context.Context, r repeating, d *Decision) error {
	isPending := !r.a.Property.Stops(r.stateAt(int(d.Step)))
	if isPending {
		return nil
	}
	if s.endless == nil {
		isOnCycle := func(at lts.State) bool {
			c, isReached := r.a.Components.Of(at)
			return isReached && r.a.Components.IsCyclic(c)
		}
		endless, err := bfs.Back(ctx, r.a.m, isOnCycle, nil)
		if err != nil {
			return err
		}
		s.endless = endless
	}
	if !s.endless.Has(d.State) {
		return nil
	}
	for i := range d.Alternatives {
		c := &d.Alternatives[i]
		isLost := !c.After.IsBetter(fate.Incorrect)
		c.Stops = !isLost && !s.endless.Has(c.To)
	}
	return nil
}

// compareAlternatives sets the values of the alternatives whose labels do not identify them. It compares at most so many
// bytes of values, and returns how many.
func (r repeating) compareAlternatives(t *lts.Values, d Decision, budget int) (compared int) {
	if t == nil {
		return 0
	}
	withLabel := map[string]int{d.Chosen.Label: 1}
	for _, c := range d.Alternatives {
		withLabel[c.Label]++
	}
	taken := r.a.inModel(d.Chosen.To)
	for i := range d.Alternatives {
		c := &d.Alternatives[i]
		if withLabel[c.Label] == 1 {
			continue
		}
		other := r.a.inModel(c.To)
		for p := range t.Changed(taken, other) {
			takenValue := t.Text(p, t.Value(taken, p))
			otherValue := t.Text(p, t.Value(other, p))
			compared += len(takenValue) + len(otherValue)
			if compared > budget {
				return compared
			}
			c.Values = append(c.Values, StateValue{
				Name:    t.Parameter(p).Name,
				Value:   otherValue,
				Changes: replacementsIn(takenValue, otherValue),
			})
		}
	}
	return compared
}

// copyOrigin copies what an earlier description of the same run records about its origin: whether the
// user gave the run, and how it was matched.
func (c *Counterexample) copyOrigin(earlier *Counterexample) {
	c.Given = earlier.Given
	c.Notes = earlier.Notes
}

func (v violation) fateAfter(steps int) simplify.Fate {
	if steps == 0 {
		return v.described.InitialFate
	}
	return v.described.Steps[steps-1].Fate
}

// choice describes a transition from the source of step i.
func (r repeating) choice(i int, t lts.Transition) Choice {
	return Choice{
		Label: r.a.text(t.Label),
		To:    t.To,
		Class: r.a.Classification.Class(t.From, t.Label, t.To),
		After: r.a.Fates.After(r.stateAt(i), t.Label, t.To),
		First: r.a.Fates.After(r.trace.At(i), t.Label, t.To),
	}
}

// changesNothing reports whether transitions with a label are known to change nothing.
func (r repeating) changesNothing(l lts.Label) bool {
	return r.a.idle != "" && r.a.text(l) == r.a.idle
}

// alternatives describes the other transitions from the source of step i. It leaves out those that
// change nothing.
func (r repeating) alternatives(abstraction *simplify.Abstraction, i int) []Choice {
	choices := []Choice{}
	for _, t := range abstraction.Alternatives(i) {
		if !r.changesNothing(t.Label) {
			choices = append(choices, r.choice(i, t))
		}
	}
	return choices
}

// describeExits describes the transitions that leave the loop, and the shortest path to the step
// that the run never does.
func (r repeating) describeExits(
	ctx context.Context,
	abstraction *simplify.Abstraction,
) ([]Exit, *Way, error) {
	start, loops := r.trace.LoopStart()
	exits := []Exit{}
	if !loops {
		return exits, nil, nil
	}
	ofLoop := map[PathStep]bool{}
	for _, t := range r.trace.Steps()[start:] {
		ofLoop[PathStep{
			From:  t.From,
			Label: r.a.text(t.Label),
			To:    t.To,
		}] = true
	}
	for i := start; i < r.trace.Len(); i++ {
		from := r.trace.Step(i).From
		for _, choice := range r.alternatives(abstraction, i) {
			// A loop can pass a state twice, with different transitions.
			if !ofLoop[PathStep{From: from, Label: choice.Label, To: choice.To}] {
				exits = append(exits, Exit{
					Step:   StepIndex(i),
					From:   from,
					Choice: choice,
				})
			}
		}
	}
	_, awaits := r.awaitedStep()
	if !awaits || r.fateAfter(r.trace.Len()) == simplify.Fated {
		return exits, nil, nil
	}
	way, err := r.shortestWay(ctx, start)
	return exits, way, err
}

// shortestWay returns a shortest path from a state of the loop to a transition that does the first
// step of the property that the run never does. The loop begins at step start. After the path, the
// property can still be satisfied. Cost O(S + T) of the states that the loop reaches.
func (v violation) shortestWay(ctx context.Context, start int) (*Way, error) {
	done := v.described.Done
	var loop []lts.State
	for i := start; i < v.trace.Len(); i++ {
		loop = append(loop, v.trace.Step(i).From)
	}
	var last lts.Transition
	found := false // whether last is set
	paths, err := bfs.From(ctx, v.a.m, loop, bfs.Options{
		Along: func(t lts.Transition) bool {
			doesStep := int(v.a.Property.Next(property.Q(done), t.Label)) != done
			if !doesStep {
				return true
			}
			// The path ends with the first transition that does the step and does not lose the property.
			switch v.a.Fates.After(property.Q(done), t.Label, t.To) {
			case fate.Correct, fate.Neutral:
				if !found {
					last = t
					found = true
				}
			}
			return false
		},
		Until: func(lts.State) bool { return found },
	})
	if err != nil || !found {
		return nil, err
	}
	transitions := append(paths.Path(last.From), last)
	way := &Way{Step: StepIndex(start + slices.Index(loop, transitions[0].From))}
	for _, t := range transitions {
		way.Transitions = append(way.Transitions, PathStep{
			From:  t.From,
			Label: v.a.text(t.Label),
			To:    t.To,
		})
	}
	return way, nil
}

// describeLoss returns the number of steps after which the counterexample is fated, and the first
// step of the property that no continuation then does in its order; nil if the counterexample stays
// free.
func (v violation) describeLoss(ctx context.Context) (*Loss, error) {
	loss := v.firstLoss(func(s lts.State, q property.Q) bool {
		return v.a.Fates.At(s, q) == fate.Lost
	})
	if loss == nil {
		return nil, nil
	}
	step, err := lostStep(ctx, v.a.Fates, v.after(loss.Steps))
	if err != nil {
		return nil, err
	}
	loss.Step = step
	return loss, nil
}

// lostStep returns the first step of the property, from 1, that no continuation from a product
// state does in its order; 0 for a property without steps. Cost O(n (S + T)) of the states reached,
// and 4 bytes a state of the model.
func lostStep(ctx context.Context, fates *fate.Map, from product.State) (int, error) {
	p := fates.Property()
	if p.Progress(from.Q) == p.Steps() {
		return 0, nil
	}
	f, err := newFurthest(ctx, fates.LTS(), p)
	if err != nil {
		return 0, err
	}
	f.admits = fates.AdmitsFrom
	if err := f.searchFrom(ctx, from); err != nil {
		return 0, err
	}
	return f.reached + 1, nil
}

// violation is a violating run of the model of an analysis. trace and described are nil if no run is
// known.
type violation struct {
	a         *Analysis
	trace     *counterexample.Trace
	described *Counterexample
	// ofAll is the analysis that says whether the property is certain, if a is about fewer runs; nil for a.
	ofAll *Analysis
}

// after returns the product state of the run after the given number of steps.
func (v violation) after(steps int) product.State {
	if steps == 0 {
		return product.State{State: v.trace.Initial(), Q: v.trace.At(0)}
	}
	return product.State{State: v.trace.Step(steps - 1).To, Q: v.trace.At(steps)}
}

// awaitedStep returns the step of the property, from 1, that the run never does although it does
// all earlier steps. It returns false if the run does all steps, or if the property has none.
func (v violation) awaitedStep() (step int, awaits bool) {
	return v.described.Done + 1, v.described.Done < v.a.Property.Steps()
}

// describe records a run that a search found, even if the work has been stopped. It records no run
// if there is no memory for the description.
func (o *outcome) describe(
	ctx context.Context,
	t *counterexample.Trace,
	minimal counterexample.Minimality,
) error {
	a := o.run.a
	o.run = violation{a: a}
	described, err := describeTrace(ctx, a, t, minimal)
	if err != nil { // the work may have been stopped: describe the run nevertheless
		var secondErr error
		described, secondErr = describeTrace(context.WithoutCancel(ctx), a, t,
			counterexample.MinimalUnknown)
		if secondErr != nil {
			return err
		}
	}
	o.run = violation{a: a, trace: t, described: described}
	return err
}

// withRepeatingLoop unrolls the loop of a run if the fates on the loop change after the first
// round: the earlier rounds go to the stem, and the new loop consists of the rounds that repeat
// forever. It returns v itself if no fate changes, or if the description shows the change by late
// steps.
func (v violation) withRepeatingLoop(ctx context.Context) (violation, error) {
	a := v.a
	if v.trace == nil || v.described.Late != nil {
		return v, nil
	}
	start, loops := v.trace.LoopStart()
	if !loops {
		return v, nil
	}
	// Later rounds can visit the same states in other property states, and so with other fates.
	roundLength := v.trace.Len() - start
	firstRepeatedRound := repeated(v.trace, a.Property)[:roundLength]
	fatesChange := slices.ContainsFunc(firstRepeatedRound, func(later visit) bool {
		s := later.State.State
		return a.Fates.At(s, later.Q) != a.Fates.At(s, v.trace.At(later.step))
	})
	if !fatesChange {
		return v, nil
	}
	begins, firstRepeated := v.trace.Rounds(a.Property)
	steps := v.trace.Steps()
	round := steps[start:]
	steps = append(steps, slices.Repeat(round, len(begins)-1)...)
	trace, err := counterexample.NewViolating(a.m, a.Property, steps,
		start+firstRepeated*len(round))
	if err != nil {
		return violation{}, err
	}
	described, err := describeTrace(ctx, a, trace, counterexample.MinimalUnknown)
	if err != nil {
		return violation{}, err
	}
	described.copyOrigin(v.described)
	described.Idle = v.described.Idle
	described.Unrolled = &unrolledLoop{
		Length:  v.described.Length,
		Rounds:  len(begins),
		Minimal: v.described.Minimal,
	}
	return violation{a: a, trace: trace, described: described}, nil
}

// unfolded returns the violating run as a run of the unfolded model.
func (v violation) unfolded(ctx context.Context, a *Analysis) (violation, error) {
	if v.trace == nil {
		return violation{a: a}, nil
	}
	loop, _ := v.trace.LoopStart()
	steps, loop := a.Unfolding.Run(v.trace.Steps(), loop)
	trace, err := v.trace.Like(a.m, a.Property, steps, loop)
	if err == nil && !trace.Kind().IsStem() && trace.Satisfies() {
		err = counterexample.ErrSatisfies
	}
	if err != nil {
		return violation{}, fmt.Errorf("explain: the counterexample cannot be unfolded, please report it: %w", err)
	}
	minimal := v.described.Minimal
	if trace.Len() != v.trace.Len() {
		minimal = counterexample.MinimalUnknown
	}
	described, err := describeTrace(ctx, a, trace, minimal)
	if err != nil {
		return violation{}, err
	}
	described.copyOrigin(v.described)
	described.Trap = v.described.Trap
	return violation{a: a, trace: trace, described: described}, nil
}

// repeating is a violation, with the product states that its run visits forever.
type repeating struct {
	violation
	loop []visit
}

func (v violation) repeating() repeating {
	r := repeating{violation: v}
	if v.trace != nil {
		r.loop = repeated(v.trace, v.a.Property)
	}
	return r
}

// stateAt returns the property state before step i. For a step of a loop, this is the state in the
// rounds that repeat forever.
func (r repeating) stateAt(i int) property.Q {
	if start, loops := r.trace.LoopStart(); loops && i >= start {
		return r.loop[i-start].Q
	}
	return r.trace.At(i)
}

// visit is a product state of the loop of a run, with the index of the step that leaves it.
type visit struct {
	product.State
	step int
}

// repeated returns the visits of the rounds that repeat forever: the rounds until the property
// state at the beginning of a round recurs. It returns none without a loop. Cost O(length of the
// loop times the number of rounds).
func repeated(t *counterexample.Trace, p *property.Property) []visit {
	start, loops := t.LoopStart()
	if !loops {
		return nil
	}
	begins, again := t.Rounds(p)
	all := make([]visit, 0, (len(begins)-again)*(t.Len()-start))
	for _, q := range begins[again:] {
		for i := start; i < t.Len(); i++ {
			all = append(all, visit{product.State{State: t.Step(i).From, Q: q}, i})
			q = p.Next(q, t.Step(i).Label)
		}
	}
	return all
}

// HasBetter reports whether another transition would have been better for the run than the chosen
// one.
func (d *Decision) HasBetter() bool {
	return slices.ContainsFunc(d.Alternatives, func(c Choice) bool {
		return c.IsBetter(d.Chosen)
	})
}

// Recommended returns the alternatives that are best for the run: those that make the property certain or,
// if there are none, those that keep it possible. Alternatives that can only end in a deadlock are
// recommended only if no other one is better than the choice of the run.
func (d *Decision) Recommended() []Choice {
	for _, stops := range []bool{false, true} {
		for _, class := range []fate.Class{fate.Correct, fate.Neutral} {
			var best []Choice
			for _, c := range d.Alternatives {
				if c.After == class && c.Stops == stops && c.IsBetter(d.Chosen) {
					best = append(best, c)
				}
			}
			if best != nil {
				return best
			}
		}
	}
	return nil
}

// PartsRuns reports whether some runs of the model satisfy the property and others do not.
// Otherwise nothing is decided on any run.
func (e *Explanation) PartsRuns() bool {
	return e.Counterexample != nil && !e.Counterexample.isHopeless()
}

// IsOnLoop reports whether d is on the loop of the counterexample.
func (e *Explanation) IsOnLoop(d *Decision) bool {
	return e.Counterexample.LoopStart >= 0 && int(d.Step) >= int(e.Counterexample.LoopStart)
}

// IsBetter reports whether the run has a better fate after c than after other. On a loop, this
// refers to the rounds that repeat forever.
func (c Choice) IsBetter(other Choice) bool { return c.After.IsBetter(other.After) }

// Values are the values of the states of a counterexample.
type Values struct {
	// Parameters are the parameters whose values the states have.
	Parameters []lts.Parameter `json:"parameters"`
	// Initial are the values of the state where the run begins; empty if they are not known.
	Initial []StateValue `json:"initial"`
	// Steps are the steps that change a value, in the order of the run. A step from a state without
	// values to a state with values changes all values.
	Steps []ChangedValues `json:"steps"`
	// Chosen reports whether these are the values of [Source.Shown]. Reports have a column for each
	// of those.
	Chosen bool `json:"chosen,omitempty"`
}

// StateValue is the value that a state gives to a parameter.
type StateValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Changes are the parts of the value that the step changes. There are none for the first state, or
	// if the value changed as a whole.
	Changes []ValueChange `json:"changes,omitempty"`
}

// ValueChange is a part of a value that a step changes: the field or element at Path, or the whole
// value. Before is empty if the part is new, and After if the part is gone.
type ValueChange struct {
	Path   string `json:"path"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// ChangedValues are the values that one step of a counterexample changes.
type ChangedValues struct {
	Step    StepIndex    `json:"step"`
	Changed []StateValue `json:"changed"`
}

// parametersOf returns the parameters of a table; none without a table.
func parametersOf(t *lts.Values) []lts.Parameter {
	all := []lts.Parameter{}
	if t == nil {
		return all
	}
	for p := range t.NumParameters() {
		all = append(all, t.Parameter(p))
	}
	return all
}

// shownValues returns the values that outputs show; nil if there are none.
func (s Source) shownValues() *lts.Values {
	if s.Shown != nil {
		return s.Shown
	}
	return s.States
}

// describeValues returns the values of the states of the counterexample; nil without a run, or without a
// table of values. Cost O(steps · parameters).
func (v violation) describeValues(o Source) *Values {
	t := o.shownValues()
	if t == nil || v.trace == nil {
		return nil
	}
	described := &Values{
		Parameters: parametersOf(t),
		Initial:    []StateValue{},
		Steps:      []ChangedValues{},
		Chosen:     o.Shown != nil,
	}
	from := v.a.inModel(v.a.m.Initial())
	budget := mostRead
	described.Initial = append(described.Initial, valuesOf(t, from)...)
	for i := range v.trace.Len() {
		to := v.a.inModel(v.trace.Step(i).To)
		var changed []StateValue
		if !t.Known(from) {
			changed = valuesOf(t, to)
		}
		for p := range t.Changed(from, to) {
			oldValue := t.Text(p, t.Value(from, p))
			newValue := t.Text(p, t.Value(to, p))
			change := StateValue{Name: t.Parameter(p).Name, Value: newValue}
			budget -= len(oldValue) + len(newValue)
			if budget > 0 {
				change.Changes = changesOf(oldValue, newValue)
			}
			changed = append(changed, change)
		}
		if len(changed) > 0 {
			described.Steps = append(described.Steps, ChangedValues{StepIndex(i), changed})
		}
		from = to
	}
	return described
}

// mostRead is the largest number of bytes of values that are compared part by part, for one run.
const mostRead = 32 << 20

// changesOf compares two values part by part. It returns nothing if the values differ as a whole.
func changesOf(before, after string) []ValueChange {
	if !hasParts(before) || !hasParts(after) {
		return nil
	}
	var all []ValueChange
	for _, c := range values.Diff(values.Parse(before), values.Parse(after)) {
		replacesWhole := c.Path == "" && c.Before != "" && c.After != ""
		if replacesWhole {
			return nil
		}
		all = append(all, ValueChange(c))
	}
	return all
}

// replacementsIn returns the parts in which two values differ, each with both values there.
func replacementsIn(before, after string) []ValueChange {
	if !hasParts(before) || !hasParts(after) {
		return []ValueChange{{Before: before, After: after}}
	}
	var all []ValueChange
	for _, c := range values.Replacements(values.Parse(before), values.Parse(after)) {
		all = append(all, ValueChange(c))
	}
	return all
}

// hasParts reports whether the text of a value looks like a record, function, sequence or set.
func hasParts(text string) bool { return text != "" && strings.IndexByte("<{[(", text[0]) >= 0 }

func valuesOf(t *lts.Values, s lts.State) []StateValue {
	var all []StateValue
	for p := range t.NumParameters() {
		v := t.Value(s, p)
		if v != lts.NoValue {
			all = append(all, StateValue{Name: t.Parameter(p).Name, Value: t.Text(p, v)})
		}
	}
	return all
}

// mostInBits is the largest number of property states for which a productSet has one bit for each
// possible product state.
const mostInBits = 64

// productSet is a set of product states.
type productSet struct {
	bits   bitset.Set[int]
	states int
	// few has the product states if the property has more than mostInBits states: in that case,
	// only few of the possible product states occur.
	few map[product.State]bool
}

// newProductSet returns an empty set of product states. Cost O(S).
func newProductSet(ctx context.Context, m *lts.LTS, p *property.Property) (*productSet, error) {
	set := &productSet{states: m.NumStates()}
	if p.States() > mostInBits {
		set.few = map[product.State]bool{}
		return set, nil
	}
	size := set.states * p.States()
	if err := resources.AskFor[uint64](ctx, bitset.Words(size)); err != nil {
		return nil, err
	}
	set.bits = bitset.New[int](size)
	return set, nil
}

func (p *productSet) has(at product.State) bool {
	if p.few != nil {
		return p.few[at]
	}
	return p.bits.Has(int(at.Q)*p.states + int(at.State))
}

// add adds a product state, and reports whether it is new.
func (p *productSet) add(at product.State) (isNew bool) {
	if p.has(at) {
		return false
	}
	if p.few != nil {
		p.few[at] = true
	} else {
		p.bits.Add(int(at.Q)*p.states + int(at.State))
	}
	return true
}
