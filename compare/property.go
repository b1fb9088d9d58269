package compare

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Version is a model with its source.
type Version struct {
	LTS    *lts.LTS
	Source explain.Source
}

// Versions is the comparison of two versions with respect to a property.
type Versions struct {
	// Old and New are explanations without advice. For a version that satisfies the property, the
	// explanation has only the verdict.
	Old, New *explain.Explanation
	// Divergence is the place where the old version cannot follow the counterexample of the new
	// one. If only the old version violates the property, it is the place where the new version
	// cannot follow the counterexample of the old one. It is nil if both versions satisfy the
	// property.
	Divergence *Divergence
	// Latest reports that, among the shortest counterexamples of New, the reported one is one that Old
	// follows the longest.
	Latest bool
	// NewDecisions are the decisions on the counterexample of New that the counterexample of Old
	// does not have after the same labels; GoneDecisions are those of Old that New does not have.
	// Both are nil unless both versions violate the property.
	NewDecisions, GoneDecisions []Decided
}

// String returns, for people, the verdicts of both versions, with their runs.
func (v *Versions) String() string {
	if v == nil {
		return "<nil>"
	}
	return fmt.Sprintf("old: %v; new: %v", v.Old, v.New)
}

// Decided is a decision, with the labels of the run before it.
type Decided struct {
	Number int               `json:"decision"` // from 1
	Step   explain.StepIndex `json:"-"`
	After  []string          `json:"after"`
	Takes  string            `json:"takes"`
}

// Divergence reports how far one version can follow a run of the other.
type Divergence struct {
	// Follows reports whether the other version can do the whole run.
	Follows bool
	// After is the number of transitions of the run that the other version can do, in all rounds of
	// a loop, hidden transitions included.
	After int
	// Takes is the next label of the run; "" if the run stops there and the other version cannot
	// stop.
	Takes string
	// Could are the labels that the other version can do instead, in any state where it can be, in
	// the order of its alphabet.
	Could []string
	// Step is the index of the first step of the run that the other version cannot do. It is the length
	// of the run if the other version cannot stop at its end, and larger if the run is a bad prefix and
	// the versions differ only in its continuations.
	Step int
	// Decision is the number of the decision at this step, from 1; 0 if the step is no decision.
	Decision int
	// Rounds is the number of rounds of the loop after which the set of states that the other
	// version can have reached recurs. Limited reports whether the comparison stopped earlier; then
	// Follows covers only the rounds until then.
	Rounds  int
	Limited bool
}

// String returns, for people, how far the other version follows the run, such as: follows for 1 step;
// then the run takes DROP, and the other version can do ACK.
func (d *Divergence) String() string {
	if d == nil {
		return "<nil>"
	}
	switch {
	case d.Follows && d.Limited:
		return fmt.Sprintf("follows for %s, where the comparison stopped", printable.Quantity(d.Rounds, "round"))
	case d.Follows:
		return "follows the whole run"
	}
	then := "the run stops"
	if d.Takes != "" {
		then = "the run takes " + printable.Text(d.Takes)
	}
	instead := "the other version stops"
	if len(d.Could) > 0 {
		instead = "the other version can do " + printable.List(shortened(d.Could), "or")
	}
	return fmt.Sprintf("follows for %s; then %s, and %s", printable.Quantity(d.After, "step"), then, instead)
}

// mostLabels is the number of labels that are printed. Only the number of further ones is printed.
const mostLabels = 20

// shortened returns the first labels, without control characters, and the number of the others.
func shortened(labels []string) []string {
	shown := labels[:min(len(labels), mostLabels)]
	texts := make([]string, len(shown))
	for i, label := range shown {
		texts[i] = printable.Text(label)
	}
	if len(labels) > len(shown) {
		texts = append(texts, fmt.Sprintf("%d more", len(labels)-len(shown)))
	}
	return texts
}

// mostRuns is the largest number of shortest counterexamples that are compared.
const mostRuns = 1_000

// Property compares two versions with respect to a property: the verdicts, the step of the
// counterexample at which the other version cannot follow, and the decisions. The options e apply
// to both explanations, with the source of each Version. Errors as for [explain.Explain]. Cost:
// explain.Explain for each version that violates the property, [explain.Check] for both, and O(T)
// for each transition of a run that is compared.
func Property(
	ctx context.Context,
	old, latest Version,
	f property.Formula,
	e explain.Options,
	o Options,
) (*Versions, error) {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("old.LTS", old.LTS),
		required.Argument("latest.LTS", latest.LTS),
		required.Argument("f", f),
	); err != nil {
		return nil, err
	}
	e.NoAdvice = true
	e.NoFairness = true
	e.NoPaths = true
	e.NoReasons = true
	c := &propertyComparison{
		Versions:       &Versions{},
		old:            old,
		latest:         latest,
		formula:        f,
		explainOptions: e,
		options:        o,
	}
	if err := c.setVerdicts(ctx); err != nil {
		return nil, err
	}
	if err := c.setDivergence(ctx); err != nil {
		return nil, err
	}
	c.setDecisions()
	return c.Versions, nil
}

// propertyComparison is a comparison with respect to a property, with its arguments. Its methods are
// the phases of [Property].
type propertyComparison struct {
	*Versions
	old, latest    Version
	formula        property.Formula
	explainOptions explain.Options
	options        Options
}

// setVerdicts checks or explains both versions.
func (c *propertyComparison) setVerdicts(ctx context.Context) (err error) {
	c.Old, err = checkOrExplain(ctx, c.old, c.formula, c.explainOptions)
	if err != nil {
		return err
	}
	c.New, err = checkOrExplain(ctx, c.latest, c.formula, c.explainOptions)
	return err
}

// setDivergence finds the step at which a version cannot follow the counterexample of the other one. If
// both versions have a counterexample, that of the new one counts.
func (c *propertyComparison) setDivergence(ctx context.Context) (err error) {
	switch {
	case c.New.Verdict == explain.Violated:
		err = c.setDivergenceOfOld(ctx)
	case c.Old.Verdict == explain.Violated:
		c.Divergence, err = follow(ctx, c.latest.LTS, c.Old.Trace(), c.Old.LTS().Alphabet(), c.options)
	}
	return err
}

// setDecisions compares the decisions of the counterexamples, if both versions have one.
func (v *Versions) setDecisions() {
	if v.Old.Verdict == explain.Violated && v.New.Verdict == explain.Violated {
		before := decisionsOf(v.Old)
		now := decisionsOf(v.New)
		v.NewDecisions = without(now, before)
		v.GoneDecisions = without(before, now)
	}
}

// checkOrExplain explains a version that violates the property. For a version that satisfies it, it returns
// only the verdict, which takes less time.
func checkOrExplain(
	ctx context.Context,
	v Version,
	f property.Formula,
	e explain.Options,
) (*explain.Explanation, error) {
	e.Source = v.Source
	if isRunFree(e) {
		checked, err := explain.Check(ctx, v.LTS, f, e)
		if err != nil || checked.Verdict == explain.Satisfied {
			return checked, err
		}
	}
	return explain.Explain(ctx, v.LTS, f, e)
}

// isRunFree reports whether the search may return any shortest counterexample: the options assume
// no fairness, and give neither a run nor a pattern of one.
func isRunFree(e explain.Options) bool {
	return len(e.Fair) == 0 && e.Search.Given == nil && e.Search.Pattern == nil
}

// setDivergenceOfOld finds the step at which the old version cannot follow a counterexample of the new one. If
// there are several shortest counterexamples, it takes one that the old version can follow longest.
func (c *propertyComparison) setDivergenceOfOld(ctx context.Context) error {
	shortest := c.New.Trace()
	var err error
	c.Divergence, err = follow(ctx, c.old.LTS, shortest, c.New.LTS().Alphabet(), c.options)
	if err != nil {
		return err
	}
	oldHolds := c.Old.Verdict == explain.Satisfied && len(c.explainOptions.Fair) == 0
	if c.Divergence.Follows && c.New.Counterexample.IsStem() && oldHolds {
		return c.setDivergenceAfterPrefix(ctx)
	}
	isChain := len(c.New.Property.Steps) > 0
	if !c.Divergence.Follows && isRunFree(c.explainOptions) && isChain {
		best, err := c.lastDiverging(ctx, shortest)
		if err != nil {
			return err
		}
		if best != shortest {
			if err := c.explainInstead(ctx, best); err != nil {
				return err
			}
		}
	}
	c.Divergence.Decision = c.decisionAtDivergence()
	return nil
}

// explainInstead explains the new version by another counterexample, and finds the step at which the old
// version cannot follow it.
func (c *propertyComparison) explainInstead(ctx context.Context, run *counterexample.Trace) error {
	alphabet := c.New.LTS().Alphabet()
	e := c.explainOptions
	e.Source = c.latest.Source
	var err error
	e.Search.Given, err = givenOf(run, alphabet)
	if err != nil {
		return err
	}
	c.New, err = explain.Explain(ctx, c.latest.LTS, c.formula, e)
	if err != nil {
		return err
	}
	// The explained counterexample may be another run with the same labels.
	c.Divergence, err = follow(ctx, c.old.LTS, c.New.Trace(), alphabet, c.options)
	return err
}

// decisionAtDivergence returns the number, from 1, of the decision that the new version takes where the
// old one cannot follow; 0 if there is none.
func (v *Versions) decisionAtDivergence() int {
	if v.Divergence.Follows {
		return 0
	}
	for i, d := range v.New.Decisions {
		if int(d.Step) == v.Divergence.Step {
			return i + 1
		}
	}
	return 0
}

// setDivergenceAfterPrefix finds the step at which the old version cannot follow a continuation of a bad
// prefix. The old version must be able to do the prefix. The continuation takes the first
// transition of each state. All continuations violate the property, and the old version satisfies
// it, so the old version cannot follow all of them.
func (c *propertyComparison) setDivergenceAfterPrefix(ctx context.Context) error {
	m := c.New.LTS()
	stem := c.New.Trace()
	steps := slices.Clone(stem.Steps())
	visited := make(map[lts.State]int)
	state := stem.Last()
	loopStart := -1
	for !m.IsDeadlock(state) {
		first, isVisited := visited[state]
		if isVisited {
			loopStart = first
			break
		}
		visited[state] = len(steps)
		labels, targets := m.Out(state)
		steps = append(steps, lts.Transition{
			From:  state,
			Label: labels.At(0),
			To:    targets[0],
		})
		state = targets[0]
	}
	onward, err := counterexample.NewViolating(m, c.New.Classification().Fates().Property(),
		steps, loopStart)
	if err != nil {
		return err
	}
	c.Divergence, err = follow(ctx, c.old.LTS, onward, m.Alphabet(), c.options)
	return err
}

// lastDiverging returns a shortest counterexample that the old version can follow longest.
func (c *propertyComparison) lastDiverging(
	ctx context.Context,
	best *counterexample.Trace,
) (*counterexample.Trace, error) {
	all, err := c.New.AllShortest(ctx)
	if err != nil || all == nil {
		return best, err
	}
	seen := 0
	longest := c.Divergence.After
	for trace, err := range all.Each(ctx) {
		if err != nil {
			return nil, err
		}
		seen++
		if seen > mostRuns {
			return best, nil
		}
		d, err := follow(ctx, c.old.LTS, trace, c.New.LTS().Alphabet(), c.options)
		if err != nil {
			return nil, err
		}
		if d.Follows {
			best = trace
			break
		}
		if d.After > longest {
			best = trace
			longest = d.After
		}
	}
	c.Latest = true
	return best, nil
}

// givenOf returns a run in the form of a given counterexample.
func givenOf(r *counterexample.Trace, alphabet *lts.Alphabet) (*counterexample.Given, error) {
	var b lts.Builder
	end := lts.State(r.Len())
	loopStart, lasso := r.LoopStart()
	for i, step := range r.Steps() {
		to := lts.State(i + 1)
		if lasso && to == end {
			to = lts.State(loopStart)
		}
		b.Add(lts.State(i), b.Label(alphabet.Text(step.Label)), to)
	}
	graph, err := b.Build(0, int(end)+1)
	if err != nil {
		return nil, err
	}
	if r.Kind() == counterexample.Deadlock {
		return counterexample.NewGiven(graph, nil, end)
	}
	return counterexample.NewGiven(graph, nil)
}

// decisionsOf returns the decisions on the counterexample of an explanation.
func decisionsOf(e *explain.Explanation) []Decided {
	var all []Decided
	labels := make([]string, 0, len(e.Counterexample.Steps))
	for _, step := range e.Counterexample.Steps {
		labels = append(labels, step.Label)
	}
	// The first step may lead from the added state to the initial state where the run begins: it is
	// no step of the counterexample.
	first := len(e.Counterexample.Steps) - e.Counterexample.Length
	for i, d := range e.Decisions {
		takes := ""
		if int(d.Step) < len(labels) {
			takes = labels[d.Step]
		}
		all = append(all, Decided{
			Number: i + 1,
			Step:   d.Step,
			After:  labels[first:d.Step],
			Takes:  takes,
		})
	}
	return all
}

// without returns the decisions of a list that are not in the list of excluded ones.
func without(decisions, excluded []Decided) []Decided {
	lacking := []Decided{}
	for _, d := range decisions {
		isSame := func(other Decided) bool {
			return d.Takes == other.Takes && slices.Equal(d.After, other.After)
		}
		if !slices.ContainsFunc(excluded, isSame) {
			lacking = append(lacking, d)
		}
	}
	return lacking
}

// follower is the set of states that a model can have reached by the labels of a run.
type follower struct {
	m     *lts.LTS
	hides func(label string) bool
	set   []lts.State // ascending
	work  work
}

// following is the state of a search: how far a model can follow a run of another model.
type following struct {
	follower
	run      *counterexample.Trace
	alphabet *lts.Alphabet // of the other model
	// first is the index of the first step of the run that counts: a step before it only leads to the
	// initial state where the run begins.
	first int
	// found is how far the model follows.
	found Divergence
}

// follow returns how far m can follow a run of another model, which has the given alphabet. It repeats a
// loop until the set of states recurs: then m can do infinitely many rounds, since each state has
// finitely many transitions. If it reaches the limit of the options, it sets Limited, and returns
// that m follows. It fails if ctx is done. Cost O(T) for each transition of the run.
func follow(
	ctx context.Context,
	m *lts.LTS,
	r *counterexample.Trace,
	alphabet *lts.Alphabet,
	o Options,
) (*Divergence, error) {
	f := &following{run: r, alphabet: alphabet}
	f.follower = follower{m: m, hides: o.hides, work: work{ctx, o.limit()}}
	f.set = f.closed(m.Begin())
	_, hasFacts := alphabet.InitialFacts()
	if !hasFacts {
		f.first = min(1, r.Len())
	}
	if err := f.followRun(ctx); err != nil {
		return nil, err
	}
	return &f.found, nil
}

// followRun follows the whole run, with the rounds of its loop, as far as the model can.
func (f *following) followRun(ctx context.Context) error {
	loopStart, isLasso := f.run.LoopStart()
	endOfStem := f.run.Len()
	if isLasso {
		endOfStem = loopStart
	}
	follows, err := f.followSteps(ctx, f.first, endOfStem)
	if err != nil || !follows {
		return err
	}
	if !isLasso {
		f.recordEnd()
		return nil
	}
	// If a round begins in a set of states in which an earlier round began, all further rounds
	// repeat.
	visited := make(map[string]bool)
	for {
		key, _ := binary.Append(nil, binary.LittleEndian, f.set)
		recurs := visited[string(key)]
		f.found.Limited = f.work.left < 0 && !recurs
		if f.found.Limited || recurs {
			f.recordLoop()
			return nil
		}
		visited[string(key)] = true
		follows, err = f.followSteps(ctx, loopStart, f.run.Len())
		if err != nil || !follows {
			return err
		}
		f.found.Rounds++
	}
}

// followSteps follows the steps of the run from first to end - 1. It reports whether the model can do all of
// them, and records the first one that the model cannot do.
func (f *following) followSteps(ctx context.Context, first, end int) (follows bool, err error) {
	for i := first; i < end; i++ {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		label := f.alphabet.Text(f.run.Step(i).Label)
		if !f.step(label) {
			f.found.Takes = label
			f.found.Step = i
			f.found.Could = f.possibleLabels()
			return false, nil
		}
		f.found.After++
	}
	return true, ctx.Err()
}

// recordEnd records whether the model can end where the run does.
func (f *following) recordEnd() {
	f.found.Step = f.run.Len()
	f.found.Follows = f.run.Kind() != counterexample.Deadlock ||
		slices.ContainsFunc(f.set, f.m.IsDeadlock)
	if !f.found.Follows {
		f.found.Could = f.possibleLabels()
	}
}

// recordLoop records whether the model can repeat the loop forever. If all labels of the loop are hidden,
// the model must be able to do infinitely many hidden transitions.
func (f *following) recordLoop() {
	loopStart, _ := f.run.LoopStart()
	isVisible := func(step lts.Transition) bool {
		return !f.hides(f.alphabet.Text(step.Label))
	}
	f.found.Follows = slices.ContainsFunc(f.run.Steps()[loopStart:], isVisible) || f.diverges()
	if f.found.Follows {
		return
	}
	f.found.After = loopStart - f.first
	f.found.Step = loopStart
	f.found.Rounds = 0
	f.found.Takes = f.alphabet.Text(f.run.Step(loopStart).Label)
	f.found.Could = f.possibleLabels()
}

// diverges reports whether an infinite sequence of hidden transitions begins in the set. It removes
// states without a hidden transition to a remaining state, until nothing changes. An infinite sequence
// begins in each state that then remains.
func (f *follower) diverges() bool {
	// The set is closed under hidden transitions, so it has all their cycles.
	// continuations has, for each state, the number of its hidden transitions to states that remain.
	continuations := make(map[lts.State]int, len(f.set))
	// sources has, for each state, the sources of the hidden transitions to it.
	sources := make(map[lts.State][]lts.State)
	var removed []lts.State
	for _, s := range f.set {
		for l, t := range f.m.From(s) {
			if f.hidden(l) {
				continuations[s]++
				sources[t] = append(sources[t], s)
			}
		}
		if continuations[s] == 0 {
			removed = append(removed, s)
		}
	}
	for i := 0; i < len(removed); i++ {
		for _, s := range sources[removed[i]] {
			continuations[s]--
			if continuations[s] == 0 {
				removed = append(removed, s)
			}
		}
	}
	return len(removed) < len(f.set)
}

func (f *follower) hidden(l lts.Label) bool { return f.hides(f.m.Alphabet().Text(l)) }

// step replaces the set by the states after a label. It returns false, without effect, if no state
// of the set has the label. A hidden label leaves the set as it is.
func (f *follower) step(label string) bool {
	if f.hides(label) {
		return true
	}
	var next []lts.State
	for _, s := range f.set {
		labels, targets := f.m.Out(s)
		f.work.left -= int64(len(targets))
		for k, t := range targets {
			if f.m.Alphabet().Text(labels.At(k)) == label {
				next = append(next, t)
			}
		}
	}
	if len(next) == 0 {
		return false
	}
	f.set = f.closed(next)
	return true
}

// closed returns the given states, and all that hidden transitions reach from them, ascending.
func (f *follower) closed(states []lts.State) []lts.State {
	spend := func(transitions int) error {
		f.work.left -= int64(transitions)
		return nil
	}
	all, _ := closed(f.m, states, f.hidden, spend)
	return all
}

// closed returns the given states of m, and all that hidden transitions reach from them, ascending. It
// calls spend with the number of transitions that it visits, and fails if spend does.
func closed(
	m *lts.LTS,
	states []lts.State,
	hidden func(lts.Label) bool,
	spend func(int) error,
) ([]lts.State, error) {
	all := slices.Clone(states)
	slices.Sort(all)
	all = slices.Compact(all)
	visited := make(map[lts.State]bool, len(all))
	for _, s := range all {
		visited[s] = true
	}
	for i := 0; i < len(all); i++ {
		labels, targets := m.Out(all[i])
		if err := spend(len(targets)); err != nil {
			return nil, err
		}
		for k, t := range targets {
			if !visited[t] && hidden(labels.At(k)) {
				visited[t] = true
				all = append(all, t)
			}
		}
	}
	slices.Sort(all)
	return all, nil
}

// possibleLabels returns the visible labels that some state of the set has.
func (f *follower) possibleLabels() []string {
	possible := make(map[string]bool)
	for _, s := range f.set {
		labels, _ := f.m.Out(s)
		for l := range labels.All() {
			possible[f.m.Alphabet().Text(l)] = !f.hidden(l)
		}
	}
	var texts []string
	for _, text := range f.m.Alphabet().All() {
		if possible[text] {
			possible[text] = false
			texts = append(texts, text)
		}
	}
	return texts
}
