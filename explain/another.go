package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
	"github.com/inev-lts/inev/simplify"
)

// Other is a further run that violates the property, see [Options.Another]: a shortest one among
// those that differ from each earlier run in a transition that matters.
type Other struct {
	*Counterexample `json:"run"`
	// Avoids has, for each earlier run, a transition of that run that this run never takes.
	Avoids []Avoided `json:"avoids"`
	// Common is the number of first steps that this run has in common with the counterexample.
	Common int `json:"steps_in_common"`
	// Decides is the step of this run whose transition the next run does not take; nil if the next run
	// avoids some transition of the loop of this run instead.
	Decides *StepIndex `json:"decides,omitempty"`
}

// Avoided is a transition of an earlier run.
type Avoided struct {
	// Run is the number of the run: 1 for the counterexample, 2 for the first further run.
	Run  int       `json:"run"`
	Step StepIndex `json:"step"` // the first step of that run that takes the transition
	ModelStep
}

// Taken is one transition of a run, or all transitions of its loop. [Run.EveryTakes] lists such elements: a
// violating run takes all transitions of at least one of them.
type Taken struct {
	Run int `json:"run"` // as in [Avoided]
	// Step is the step whose transition is taken; nil means all transitions of the loop of the run.
	Step *StepIndex `json:"step,omitempty"`
}

// errAnotherRun reports that further runs were requested where no search can find them: in addition
// to a given run, or for the unfolded model.
var errAnotherRun = errors.New("further runs are those of a search in the model: they exist neither for a given run nor for the unfolded model")

// These are limits of the search for further runs: the largest number of searches for one run, and
// the largest number of product states and transitions that all searches may visit.
const (
	mostSearchesForAnother = 200
	mostWorkForAnother     = 200_000_000
)

// anothers is a search for further violating runs.
type anothers struct {
	p    *parts
	a    *Analysis
	work int64
	// runs are the runs so far, the counterexample first. A further run avoids, for each runs[i], one of the
	// transitions in ways[i].
	runs []violation
	ways []ways
	// near is the part of the model that has all runs with fewer than nearLength transitions; nil if it is not
	// much smaller than the model.
	near       *lts.LTS
	nearLength int
}

// ways are transitions of a run, each given by the first step that takes it. A further run avoids
// one of these transitions.
type ways struct {
	steps []StepIndex
	// isDeciding reports whether the ways are a single transition, which decides; otherwise they
	// are the transitions of a loop.
	isDeciding bool
}

// Another returns e with up to n further counterexamples, see [Options.Another]. There are fewer if
// no more exist, or if the search reaches its limit. It returns e itself if e has no
// counterexample. It fails if the counterexample was given or is one of the unfolded model, or if e
// is the result of [Check]. Cost: for each further counterexample as many searches as there are
// ways to differ from the earlier ones.
func (e *Explanation) Another(ctx context.Context, n int) (*Explanation, error) {
	if e.trace == nil {
		return e, nil
	}
	if e.parts == nil {
		return nil, errAnotherRun
	}
	p := *e.parts
	analysis := *p.a
	// The function in e uses the context of Explain, which may be done by now.
	analysis.conjuncts = func() (conjuncts, error) {
		return bindConjuncts(ctx, analysis.Formula, analysis.m)
	}
	p.a = &analysis
	p.warnings = slices.Clone(e.Warnings)
	p.o.Another = n
	if err := p.findOthers(ctx); err != nil {
		return nil, err
	}
	extended := *e
	extended.Others = p.Others
	extended.EveryTakes = p.EveryTakes
	extended.Warnings = p.warnings
	return &extended, nil
}

// HasOthers reports whether [Explanation.Another] works for e: the property is violated, and the
// counterexample was found by a search in the model itself.
func (e *Explanation) HasOthers() bool { return e.trace != nil && e.parts != nil }

// findOthers finds as many further runs as the options ask for.
func (p *parts) findOthers(ctx context.Context) error {
	if p.o.Another == 0 || p.run.trace == nil {
		return nil
	}
	defer p.a.begin(ctx, "another")()
	x := &anothers{p: p, a: p.a}
	x.add(p.run, p.decidingStep())
	p.Others = []Other{}
	for range p.o.Another {
		next, err := x.findNext(ctx)
		if err != nil {
			return err
		}
		if next.run.trace == nil {
			if next.triedAll {
				p.EveryTakes = x.takenByAll()
			} else {
				p.warnings = append(p.warnings,
					"the search for another counterexample was stopped: there may be one that differs more")
			}
			return nil
		}
		other, err := x.describe(ctx, next.run, next.choice)
		if err != nil {
			return err
		}
		p.Others = append(p.Others, *other)
	}
	return nil
}

// decidingStep returns the point of no return of the counterexample; if there is none, the last
// decision; if there is no decision either, -1.
func (r *Causes) decidingStep() int {
	n := len(r.Decisions)
	switch {
	case r.PointOfNoReturn != nil:
		return int(r.PointOfNoReturn.Step)
	case n > 0:
		return int(r.Decisions[n-1].Step)
	}
	return -1
}

// add adds a run. Further runs must differ from it: they must avoid the step with the index
// deciding. If deciding is -1, they must avoid one transition of its loop or, without a loop, its
// last step.
func (x *anothers) add(v violation, deciding int) {
	x.runs = append(x.runs, v)
	w := ways{isDeciding: true}
	loopStart, isLasso := v.trace.LoopStart()
	hasSteps := v.trace.Len() > v.a.m.Before() // besides the transition to where runs begin
	switch {
	case deciding >= 0:
		w.steps = []StepIndex{StepIndex(deciding)}
	case isLasso:
		w.isDeciding = false
		seen := map[lts.Transition]bool{}
		for i := loopStart; i < v.trace.Len(); i++ {
			t := v.trace.Step(i)
			if !seen[t] {
				seen[t] = true
				w.steps = append(w.steps, StepIndex(i))
			}
		}
	case hasSteps:
		w.steps = []StepIndex{StepIndex(v.trace.Len() - 1)}
	}
	x.ways = append(x.ways, w)
}

// nextRun is the best violating run that avoids a transition of each run so far.
type nextRun struct {
	outcome
	// choice are the transitions that the run avoids: an index of the steps of ways for each earlier run.
	choice []int
	// triedAll reports whether the search tried all choices. If it did, and found no run, there is none.
	triedAll bool
}

// findNext searches for a shortest violating run that avoids a transition of each run so far. It tries
// all choices of these transitions, one after the other.
func (x *anothers) findNext(ctx context.Context) (nextRun, error) {
	best := nextRun{outcome: x.a.outcome()}
	lastLength := x.runs[len(x.runs)-1].trace.Len()
	tried := map[string]bool{}
	for choice := range x.choices() {
		drops := x.transitions(choice)
		key := fmt.Sprint(drops)
		if tried[key] {
			continue
		}
		tried[key] = true
		if x.work > mostWorkForAnother && len(tried) > 1 {
			return best, nil
		}
		noneIsShorter, err := x.hasNoneBelow(ctx, drops, best.run.trace)
		if err != nil {
			return nextRun{}, err
		}
		if noneIsShorter {
			continue
		}
		x.work += largestProduct(x.a.m, x.a.Property)
		tooMuchWork := x.work > mostWorkForAnother && len(tried) > 1 // the first search is always made
		if tooMuchWork || len(tried) > mostSearchesForAnother {
			return best, nil
		}
		found, err := x.searchWithout(ctx, drops)
		if err != nil {
			return nextRun{}, err
		}
		if found.run.trace == nil {
			continue
		}
		isBetter := best.run.trace == nil || found.run.trace.Len() < best.run.trace.Len()
		if isBetter {
			best.outcome = found
			best.choice = slices.Clone(choice)
			if x.p.o.Search.isPlain() && best.run.trace.Len() <= lastLength {
				break // no further run is shorter than an earlier one
			}
		}
	}
	best.triedAll = true
	return best, nil
}

// hasNoneBelow reports whether it is known that no violating run without the transitions in drops is shorter than
// best, the best run so far; false if that is nil. It rules out most choices of transitions, at the cost of a search
// among the states that such a run can visit.
func (x *anothers) hasNoneBelow(
	ctx context.Context,
	drops []lts.Transition,
	best *counterexample.Trace,
) (bool, error) {
	isByLength := x.p.o.Search.isPlain() && len(x.p.o.Faults) == 0 && x.a.fairness == nil
	if !isByLength || best == nil {
		return false, nil
	}
	if x.nearLength != best.Len() {
		near, err := nearInitial(ctx, x.a.m, best.Len())
		if err != nil {
			return false, err
		}
		x.near = near
		x.nearLength = best.Len()
	}
	if x.near == nil {
		return false, nil
	}
	x.work += int64(x.a.Property.States()) * int64(x.near.NumTransitions())
	found, err := x.searchInPart(ctx, x.near, drops)
	if err != nil {
		return false, err
	}
	if found.run.trace == nil {
		return true, nil
	}
	isShortest := found.run.described.Minimal != counterexample.MinimalUnknown
	return isShortest && found.run.trace.Len() >= best.Len(), nil
}

// nearInitial returns the part of a model in which all runs lie that have fewer transitions than length: the
// states in less than length steps of the initial state, with their transitions. A state that only the last of
// so many transitions reaches has a self-loop in place of its transitions, so that it is no deadlock: a run that
// takes the loop has at least this length. The result is nil if it would have more than a quarter of the
// transitions of a model that is not small. Cost O(states + transitions of the result).
func nearInitial(ctx context.Context, m *lts.LTS, length int) (*lts.LTS, error) {
	const fewTransitions = 1_000
	most := max(m.NumTransitions()/4, fewTransitions)
	var b lts.Builder
	b.Over(m.Alphabet())
	visited := bitset.New[lts.State](m.NumStates())
	visited.Add(m.Initial())
	level := []lts.State{m.Initial()} // the states in a certain number of steps
	for steps := 0; len(level) > 0; steps++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		isLast := steps >= length-1
		var next []lts.State
		for _, s := range level {
			labels, targets := m.Out(s)
			if isLast && len(targets) > 0 {
				b.Add(s, labels.At(0), s)
				continue
			}
			for i, to := range targets {
				b.Add(s, labels.At(i), to)
				if !visited.Has(to) {
					visited.Add(to)
					next = append(next, to)
				}
			}
			if b.NumTransitions() > most {
				return nil, nil
			}
		}
		level = next
	}
	return b.Build(m.Initial(), m.NumStates())
}

// choices yields all choices of one way for each run, given as indices of its steps. There are none
// if some run has no ways.
func (x *anothers) choices() func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		choice := make([]int, len(x.ways))
		for _, w := range x.ways {
			if len(w.steps) == 0 {
				return
			}
		}
		for {
			if !yield(choice) || !x.advance(choice) {
				return
			}
		}
	}
}

// advance changes a choice to the next one, and reports whether there is one. The way of the last
// run changes fastest, like the last digit of a number that is counted up.
func (x *anothers) advance(choice []int) bool {
	for i := len(choice) - 1; i >= 0; i-- {
		choice[i]++
		if choice[i] < len(x.ways[i].steps) {
			return true
		}
		choice[i] = 0
	}
	return false
}

// transitions returns the chosen transitions in ascending order, each once.
func (x *anothers) transitions(choice []int) []lts.Transition {
	var drops []lts.Transition
	for i, way := range choice {
		drops = append(drops, x.runs[i].trace.Step(int(x.ways[i].steps[way])))
	}
	slices.SortFunc(drops, func(a, b lts.Transition) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Label, b.Label),
			cmp.Compare(a.To, b.To))
	})
	return slices.Compact(drops)
}

// takenByAll describes what all violating runs have in common if none of them avoids one transition of
// each run so far: each takes all transitions of at least one element of the result.
func (x *anothers) takenByAll() []Taken {
	taken := []Taken{}
	for i, w := range x.ways {
		t := Taken{Run: i + 1}
		if w.isDeciding && len(w.steps) > 0 {
			t.Step = stepIndex(int(w.steps[0]))
		}
		taken = append(taken, t)
	}
	return taken
}

// describe describes a further run with its decisions, and adds it to the runs. choice are the
// transitions of the earlier runs that it avoids.
func (x *anothers) describe(ctx context.Context, v violation, choice []int) (*Other, error) {
	other := &Other{Counterexample: v.described}
	for i, way := range choice {
		step := x.ways[i].steps[way]
		t := x.runs[i].trace.Step(int(step))
		avoided := Avoided{
			Run:       i + 1,
			Step:      StepIndex(slices.Index(x.runs[i].trace.Steps(), t)),
			ModelStep: modelStep(x.a.m, t),
		}
		other.Avoids = append(other.Avoids, avoided)
	}
	common := commonSteps(x.runs[0].trace, v.trace)
	other.Common = common - before(x.a.m, common)
	r := v.repeating()
	abstraction := simplify.Abstract(r.trace, x.a.Classification)
	if err := r.describeSteps(ctx, abstraction); err != nil {
		return nil, err
	}
	causes := Causes{PointOfNoReturn: r.pointOfNoReturn(abstraction)}
	decisions, err := r.describeDecisions(ctx, abstraction, nil)
	if err != nil {
		return nil, err
	}
	causes.Decisions = decisions
	deciding := causes.decidingStep()
	x.add(v, deciding)
	if deciding >= 0 {
		other.Decides = stepIndex(deciding)
	}
	return other, nil
}

// commonSteps returns the number of first steps that two runs have in common.
func commonSteps(a, b *counterexample.Trace) int {
	n := 0
	for n < min(a.Len(), b.Len()) && a.Step(n) == b.Step(n) {
		n++
	}
	return n
}

// searchWithout searches for a shortest violating run that takes none of the transitions in drops.
func (x *anothers) searchWithout(ctx context.Context, drops []lts.Transition) (outcome, error) {
	if x.a.fairness != nil {
		return x.searchFairWithout(ctx, drops)
	}
	found, err := x.searchInPart(ctx, x.a.m, drops)
	if err != nil || found.run.trace == nil {
		return found, err
	}
	return x.inModel(ctx, found)
}

// searchInPart is [anothers.searchWithout] in a part of the model, without fairness. The run found is one of a
// still smaller part.
func (x *anothers) searchInPart(
	ctx context.Context,
	part *lts.LTS,
	drops []lts.Transition,
) (outcome, error) {
	isDropped := func(t lts.Transition) bool {
		return slices.Contains(drops, t)
	}
	m, err := part.Without(isDropped)
	if err != nil {
		return outcome{}, err
	}
	// For a bad prefix, it does not matter what follows. So states may lose all their transitions
	// here: a run that ends in such a state is no bad prefix.
	if x.runs[0].trace.Kind() == counterexample.Prefix {
		found, err := x.searchIn(ctx, m)
		if err != nil || found.run.trace == nil || found.run.trace.Kind() == counterexample.Prefix {
			return found, err
		}
	}
	trimmed, isDeadEnd, err := x.withoutDeadEnds(ctx, m, isDropped)
	if err != nil || isDeadEnd {
		return x.a.outcome(), err
	}
	return x.searchIn(ctx, trimmed)
}

// withoutDeadEnds returns m without the transitions into dead ends: states that have lost all their
// transitions, or whose transitions all lead into dead ends. Then each run of the result that ends is a
// run of the model. isDeadEnd reports whether the initial state is a dead end.
func (x *anothers) withoutDeadEnds(
	ctx context.Context,
	m *lts.LTS,
	isDropped func(lts.Transition) bool,
) (trimmed *lts.LTS, isDeadEnd bool, err error) {
	ends := &deadEnds{original: x.a.m, m: m, found: bitset.New[lts.State](m.NumStates())}
	for _, v := range x.runs {
		for _, t := range v.trace.Steps() {
			if isDropped(t) {
				ends.addIfDead(t.From)
			}
		}
	}
	if len(ends.open) == 0 {
		return m, false, nil
	}
	if err := m.FindPredecessors(ctx); err != nil {
		return nil, false, err
	}
	into := m.Predecessors()
	for visited := 1; len(ends.open) > 0; visited++ {
		if err := cores.Done(ctx, visited); err != nil {
			return nil, false, err
		}
		last := len(ends.open) - 1
		s := ends.open[last]
		ends.open = ends.open[:last]
		for _, from := range into.Into(s) {
			ends.addIfDead(from)
		}
	}
	if ends.found.Has(m.Initial()) {
		return nil, true, nil
	}
	trimmed, err = m.Without(func(t lts.Transition) bool {
		return ends.found.Has(t.To)
	})
	return trimmed, false, err
}

// deadEnds are the dead ends of a model that lacks some transitions of the original one.
type deadEnds struct {
	original, m *lts.LTS
	found       bitset.Set[lts.State]
	open        []lts.State // those whose predecessors were not examined yet
}

// addIfDead adds a state if all its transitions have been dropped, or lead into dead ends.
func (d *deadEnds) addIfDead(s lts.State) {
	if d.found.Has(s) || d.original.IsDeadlock(s) {
		return
	}
	_, targets := d.m.Out(s)
	canGoOn := slices.ContainsFunc(targets, func(to lts.State) bool { return !d.found.Has(to) })
	if !canGoOn {
		d.found.Add(s)
		d.open = append(d.open, s)
	}
}

// searchIn searches in m, a part of the model with all its states, as the options request.
func (x *anothers) searchIn(ctx context.Context, m *lts.LTS) (outcome, error) {
	part := &Analysis{
		Formula:        x.a.Formula,
		Property:       x.a.Property,
		Classification: x.a.Classification,
		m:              m,
		idle:           x.a.idle,
		conjuncts:      x.a.conjuncts,
		triggers:       x.a.triggers,
	}
	found := part.outcome()
	err := part.chooseAgain(ctx, x.p.o, &found)
	if errors.Is(err, errNoPattern) {
		return x.a.outcome(), nil
	}
	return found, err
}

// chooseAgain is [Analysis.choose] without fairness. It finds the fates only if the choice depends
// on them.
func (a *Analysis) chooseAgain(ctx context.Context, o Options, found *outcome) error {
	if o.Search.Pattern != nil {
		return a.chooseContaining(ctx, o, found)
	}
	if o.Search.Prefer == anyShortest && len(o.Faults) == 0 {
		return a.findShortest(ctx, o, found)
	}
	fates, err := fate.Of(ctx, a.m, a.Property, fate.Options{Engine: o.Engine})
	if err != nil {
		return err
	}
	a.Fates = fates
	a.Components = fates.Components()
	var faults *Faults
	if len(o.Faults) > 0 {
		faults, err = leastFaults(ctx, fates, o.Faults)
		if err != nil {
			return err
		}
	}
	return a.choose(ctx, o, faults, found)
}

// inModel turns the outcome of a search in a part of the model into an outcome for the whole model.
func (x *anothers) inModel(ctx context.Context, found outcome) (outcome, error) {
	t := found.run.trace
	loop, _ := t.LoopStart()
	ofModel, err := t.Like(x.a.m, x.a.Property, t.Steps(), loop)
	if err != nil {
		return outcome{}, fmt.Errorf("explain: another counterexample is no run of the model, please report it: %w", err)
	}
	result := x.a.outcome()
	result.verdict = Violated
	if err := result.describe(ctx, ofModel, found.run.described.Minimal); err != nil {
		return result, err
	}
	result.run, err = result.run.withRepeatingLoop(ctx)
	return result, err
}

// searchFairWithout is [anothers.searchWithout] under an assumption of fairness.
func (x *anothers) searchFairWithout(ctx context.Context, drops []lts.Transition) (outcome, error) {
	if x.a.fairness.Full() {
		return x.nearestLoss(ctx, drops)
	}
	// The dropped transitions lead into a sink, and no run that counts stays there. So they remain
	// possible, which matters for fairness, but no run that counts takes one.
	sink, err := x.withSink(ctx, drops)
	if err != nil || sink.Fates.Holds() {
		return x.a.outcome(), err
	}
	found := sink.outcome()
	if err := sink.chooseFair(ctx, &found); err != nil || found.run.trace == nil {
		return found, err
	}
	return x.inModel(ctx, found)
}

// withSink returns the analysis of a model in which the transitions in drops lead into a sink. The
// sink has a self-loop with a new label, which occurs finitely often on runs that count.
func (x *anothers) withSink(ctx context.Context, drops []lts.Transition) (*Analysis, error) {
	old := x.a.m.Alphabet()
	labels := make([]lts.Label, old.Len())
	for l := range labels {
		labels[l] = lts.Label(l)
	}
	alphabet := old.WithOther(labels)
	idling := lts.Label(len(labels))
	sink := lts.State(x.a.m.NumStates())
	var b lts.Builder
	b.Over(alphabet)
	for t := range x.a.m.Transitions() {
		if slices.Contains(drops, t) {
			t.To = sink
		}
		b.Add(t.From, t.Label, t.To)
	}
	b.Add(sink, idling, sink)
	m, err := b.Build(x.a.m.Initial(), x.a.m.NumStates()+1)
	if err != nil {
		return nil, err
	}
	p, err := x.a.Property.Relabel(alphabet, func(l lts.Label) lts.Label {
		return min(l, idling-1)
	})
	if err != nil {
		return nil, err
	}
	fairness, err := withRare(x.a.fairness, alphabet, idling)
	if err != nil {
		return nil, err
	}
	a := &Analysis{
		Formula:  x.a.Formula,
		Property: p,
		m:        m,
		fairness: fairness,
	}
	a.Fates, err = fate.Of(ctx, m, p, fate.Options{Options: enrich.Options{Fairness: fairness}})
	return a, err
}

// withRare returns f for a model with one more label, which occurs finitely often on runs that count.
func withRare(
	f *property.Fairness,
	alphabet *lts.Alphabet,
	further lts.Label,
) (*property.Fairness, error) {
	finitely := []lts.Label{further}
	for l := range further {
		if f.Rare(l) {
			finitely = append(finitely, l)
		}
	}
	just := f.Justness()
	if just == nil {
		return property.NewFairness(alphabet, f.Full(), f.Tasks(), finitely)
	}
	larger := *just
	larger.Components = append(slices.Clone(just.Components), nil)
	return larger.Fairness(alphabet, f.BesidesJustness(), finitely)
}

// nearestLoss searches, under full fairness, for a shortest run that violates the property: a run
// into a deadlock or, if there is none, a run after which no fair run satisfies the property any
// more.
func (x *anothers) nearestLoss(ctx context.Context, drops []lts.Transition) (outcome, error) {
	found := x.a.outcome()
	tree, err := x.explore(ctx, drops)
	if err != nil {
		return found, err
	}
	m := x.a.m
	p := x.a.Property
	var t *counterexample.Trace
	switch {
	case tree.dead >= 0 && m.IsDeadlock(tree.nodes[tree.dead].State.State):
		t, err = counterexample.NewViolating(m, p, tree.path(tree.dead), -1)
	case tree.dead >= 0:
		t, err = counterexample.NewStem(m, p, tree.path(tree.dead), counterexample.Stop)
	case tree.lost >= 0:
		t, err = counterexample.NewStem(m, p, tree.path(tree.lost), counterexample.Trap)
	default:
		return found, nil
	}
	if err != nil {
		return found, err
	}
	found.verdict = Violated
	if err := found.describe(ctx, t, counterexample.InModel); err != nil {
		return found, err
	}
	if t.Kind() == counterexample.Trap {
		found.run.described.Trap, err = found.run.describeTrap(ctx)
	}
	return found, err
}

// fairTree is a tree of shortest paths in the product. dead is the first node where a run may end
// and then violates the property; lost is the first node where the property is lost. Each is -1 if
// there is no such node.
type fairTree struct {
	nodes      []fairNode
	dead, lost int
}

// fairNode is a product state with the step to it, from its parent.
type fairNode struct {
	product.State
	by     lts.Transition
	parent int
}

// path returns the transitions to a node.
func (t *fairTree) path(to int) []lts.Transition {
	var steps []lts.Transition
	for ; to > 0; to = t.nodes[to].parent {
		steps = append(steps, t.nodes[to].by)
	}
	slices.Reverse(steps)
	return steps
}

// explore visits, breadth first, the product states that runs reach without the transitions in drops.
func (x *anothers) explore(ctx context.Context, drops []lts.Transition) (*fairTree, error) {
	m := x.a.m
	p := x.a.Property
	visited, err := newProductSet(ctx, m, p)
	if err != nil {
		return nil, err
	}
	first := product.State{State: m.Initial(), Q: p.Initial()}
	visited.add(first)
	tree := &fairTree{nodes: []fairNode{{State: first}}, dead: -1, lost: -1}
	for node := 0; node < len(tree.nodes) && tree.dead < 0; node++ {
		if err := cores.Done(ctx, node); err != nil {
			return nil, err
		}
		from := tree.nodes[node].State
		isLost := x.a.Fates.At(from.State, from.Q) == fate.Lost &&
			x.a.Fates.AdmitsFrom(from.State, from.Q)
		if isLost && tree.lost < 0 {
			tree.lost = node
		}
		wouldViolate := !p.Ends(from.Q, m.IsDeadlock(from.State)) // by ending here
		if wouldViolate && x.a.fairness.MayEnd(m, from.State) {
			tree.dead = node
		}
		labels, targets := m.Out(from.State)
		for i, to := range targets {
			t := lts.Transition{From: from.State, Label: labels.At(i), To: to}
			next := product.State{State: to, Q: p.Next(from.Q, t.Label)}
			if !slices.Contains(drops, t) && visited.add(next) {
				tree.nodes = append(tree.nodes, fairNode{
					State:  next,
					by:     t,
					parent: node,
				})
			}
		}
	}
	return tree, nil
}
