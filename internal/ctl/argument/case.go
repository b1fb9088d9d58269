package argument

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/ctl/fair"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// Case is a formula with the results for all formulas of its closure, in all states that are reachable
// from the given ones. Only one goroutine may use it at a time.
type Case struct {
	ctx       context.Context
	m         *lts.LTS
	closure   *syntax.Closure
	means     [][]bool
	states    wmc.States // the reachable states
	reachable bitset.Set[lts.State]
	holds     func(f syntax.Index, s lts.State) bool
	weights   map[claim]*weighing
	parts     *scc.Parts
	cycles    *cycleSearch // nil before the first search
	shown     int          // claims until now
	// fair are the results for fair runs; nil if all runs count.
	fair *fair.Decision
}

// New returns the case of a formula in all states that are reachable from the states in from. checked is the answer to
// the question about these states of m. means are the labels of patterns, see [syntax.Closure.Bind]. Cost O(|φ| (S
// + T)).
func New(
	ctx context.Context,
	m *lts.LTS,
	checked *wmc.Answer[wmc.States],
	means [][]bool,
	from wmc.States,
) (_ *Case, err error) {
	defer abort.Caught(&err)
	x := &Case{
		ctx:     ctx,
		m:       m,
		closure: checked.Closure,
		means:   means,
		weights: map[claim]*weighing{},
	}
	x.reachable = reachable(ctx, m, from)
	x.states = slices.Collect(x.reachable.All)
	var holds []bitset.Set[lts.State] // by formula
	for _, states := range abort.Must(checked.Decide(ctx, x.states)) {
		holds = append(holds, bitset.Of(m.NumStates(), states))
	}
	x.holds = func(f syntax.Index, s lts.State) bool { return holds[f].Has(s) }
	x.parts, err = scc.NewParts(ctx, m)
	return x, err
}

// reachable returns the states that are reachable from some states. It passes once through all
// states in ascending order, since it is fast to read the rows one after the other. A list has the
// reached states that the pass has skipped.
func reachable(ctx context.Context, m *lts.LTS, from wmc.States) bitset.Set[lts.State] {
	reached := bitset.New[lts.State](m.NumStates())
	for _, s := range from {
		reached.Add(s)
	}
	var skipped []lts.State
	explore := func(s, passed lts.State) {
		_, targets := m.Out(s)
		for _, t := range targets {
			if !reached.Has(t) {
				reached.Add(t)
				if t < passed {
					skipped = append(skipped, t)
				}
			}
		}
	}
	for s := range lts.State(m.NumStates()) {
		abort.IfDone(ctx, s)
		if reached.Has(s) {
			explore(s, s)
		}
	}
	for len(skipped) > 0 {
		last := len(skipped) - 1
		s := skipped[last]
		skipped = skipped[:last]
		abort.IfDone(ctx, s)
		explore(s, lts.MaxStates)
	}
	return reached
}

// mayEnd reports whether a run that counts may end in a state.
func (x *Case) mayEnd(s lts.State) bool {
	if x.fair == nil {
		return x.m.IsDeadlock(s)
	}
	return x.fair.MayEnd(s)
}

// claim is the claim that a formula holds, or that it does not hold.
type claim struct {
	f     syntax.Index
	holds bool
}

// isTrue reports whether a claim is true in a state, even if no run from there counts.
func (x *Case) isTrue(c claim, s lts.State) bool { return x.holds(c.f, s) == c.holds }

// isTrueAndAdmitted reports whether a claim is true in a state from which some run counts.
func (x *Case) isTrueAndAdmitted(c claim, s lts.State) bool { return x.isTrue(c, s) && x.isAdmitted(s) }

// matches reports whether a label of the model is one of the labels of a formula.
func (x *Case) matches(l syntax.Labels, label lts.Label) bool {
	return l == syntax.AnyLabel || l >= 0 && x.means[l][label]
}

// shape is the way in which a claim is proved: by a fact, one transition, all transitions, a run,
// or sets of states.
type shape uint8

const (
	byState        shape = iota // by the state itself
	byNegation                  // by the claim about the operand
	byBothOperands              // by two claims
	byOneOperand                // by one of two operands
	byOneStep                   // by a transition
	byAllSteps                  // by all transitions
	byFiniteRun                 // by a run to a state that decides the formula
	byEndlessRun                // by a run that never reaches such a state
	byLayers                    // by all runs, which reach states that decide the formula
	byClosedSet                 // by all reachable states
	byFairRun                   // by a run to a state that decides the formula, or into a set where a fair run can stay
	byAllFairRuns               // by all fair runs, which reach states that decide the formula
)

// proof is a claim with what its argument needs: the node of its formula, its shape, and the claims about
// the operands. For runs, left is about the states on the way, right about the goal.
type proof struct {
	claim       claim
	node        syntax.Node
	shape       shape
	left, right claim
}

// proofOf returns the proof of a claim.
func (x *Case) proofOf(c claim) proof {
	n := x.closure.Nodes[c.f]
	p := proof{
		claim: c,
		node:  n,
		left:  claim{n.Left, c.holds},
		right: claim{n.Right, c.holds},
	}
	if n.Op == syntax.Not {
		p.right.holds = !c.holds
	}
	p.shape = x.shapeOf(n, c.holds)
	return p
}

// shapeOf returns the shape of the claim that the formula of a node holds, or does not.
func (x *Case) shapeOf(n syntax.Node, holds bool) shape {
	// A formula about all runs fails iff some run violates it; a formula about some run fails iff
	// all runs violate it.
	isAboutSomeRun := (n.Path == syntax.Some) == holds
	switch n.Op {
	case syntax.Not:
		return byNegation
	case syntax.And, syntax.Or:
		if (n.Op == syntax.And) == holds {
			return byBothOperands
		}
		return byOneOperand
	case syntax.Next:
		if isAboutSomeRun {
			return byOneStep
		}
		return byAllSteps
	case syntax.Until, syntax.Release:
		reachesGoal := (n.Op == syntax.Until) == holds
		if reachesGoal {
			return x.shapeOfReaching(isAboutSomeRun)
		}
		return x.shapeOfAvoiding(isAboutSomeRun)
	}
	return byState
}

// shapeOfReaching returns the shape of the claim that some run reaches a goal, or that all do.
func (x *Case) shapeOfReaching(isAboutSomeRun bool) shape {
	switch {
	case isAboutSomeRun:
		return byFiniteRun
	case x.fair != nil:
		return byAllFairRuns
	}
	return byLayers
}

// shapeOfAvoiding returns the shape of the claim that some run never reaches a goal, or that none does.
func (x *Case) shapeOfAvoiding(isAboutSomeRun bool) shape {
	switch {
	case !isAboutSomeRun:
		return byClosedSet
	case x.fair != nil:
		return byFairRun
	}
	return byEndlessRun
}

// end returns the last state of a run.
func (r *Run) end() lts.State {
	k := len(r.Steps)
	if k > 0 {
		return r.Steps[k-1].To
	}
	return r.Start
}

// foreverText returns the text about a run that never reaches the goal. The run repeats a loop, it
// stops, or it takes a transition or reaches a state after which the goal cannot be reached.
func (x *Case) foreverText(r *Run, p proof) string {
	switch {
	case r.LoopStart >= 0:
		return x.loopText(r, p)
	case r.Deadlock || r.endsBlocked:
		return x.stopText(r, p)
	case len(r.Steps) == 0 && p.node.Last != syntax.NoLast:
		return x.thereText(p.left)
	case len(r.Steps) == 0:
		return x.thereText(p.left, p.right)
	}
	return x.hopelessText(r, p)
}

// withoutGoalText returns the clause that a run meets no goal, neither by a transition nor in these states.
func (x *Case) withoutGoalText(p proof, states string) string {
	if p.node.Last != syntax.NoLast {
		return x.noLastText(p, "its transitions")
	}
	return x.inStatesText(p.right, states)
}

// loopText returns the text about a run that repeats a loop.
func (x *Case) loopText(r *Run, p proof) string {
	prefix := printable.Quantity(r.LoopStart, "transition")
	loop := printable.Quantity(len(r.Steps)-r.LoopStart, "transition")
	withoutGoal := x.withoutGoalText(p, "its states")
	if r.LoopStart == 0 {
		return fmt.Sprintf(": a run goes round a loop of %s forever%s.", loop, withoutGoal)
	}
	return fmt.Sprintf(": after %s a run goes round a loop of %s forever%s.", prefix, loop, withoutGoal)
}

// stopText returns the text about a run that ends in a deadlock, or stops where all transitions are blocked.
func (x *Case) stopText(r *Run, p proof) string {
	if len(r.Steps) == 0 {
		return x.stopThereText(r, p)
	}
	length := printable.Quantity(len(r.Steps), "transition")
	withoutGoal := x.withoutGoalText(p, "its states")
	if r.Deadlock {
		return fmt.Sprintf(": a run of %s ends in the deadlock %d%s.", length, r.end(), withoutGoal)
	}
	return fmt.Sprintf(": a run of %s stops in state %d, where %s%s.", length, r.end(),
		x.blockedText(r.end()), withoutGoal)
}

// stopThereText returns the text about a run that stops in its first state.
func (x *Case) stopThereText(r *Run, p proof) string {
	claim := ""
	if p.node.Last == syntax.NoLast && !x.isConstant(p.right) {
		claim = fmt.Sprintf(", and %s there", x.claimText(p.right))
	}
	if r.Deadlock {
		return fmt.Sprintf(": no transition leaves it%s.", claim)
	}
	return fmt.Sprintf(": a run may stop there, where %s%s.", x.blockedText(r.end()), claim)
}

// hopelessText returns the text about a run whose last step, or the state that it leads to, makes it impossible to
// reach the goal.
func (x *Case) hopelessText(r *Run, p proof) string {
	length := printable.Quantity(len(r.Steps), "transition")
	taken := r.Steps[len(r.Steps)-1]
	isLastOnly := p.node.Last != syntax.NoLast && x.matches(p.node.Last, taken.Label)
	switch {
	case x.matches(p.node.Labels, taken.Label):
		return fmt.Sprintf(": a run of %s leads to state %d%s%s.", length, r.end(),
			x.clause(where, p.left), x.withoutGoalText(p, "its states"))
	case isLastOnly:
		return fmt.Sprintf(": a run of %s takes %s, whose label is allowed only at the end%s.",
			length, x.transition(taken), x.withoutGoalText(p, ""))
	}
	return fmt.Sprintf(": a run of %s takes %s, whose label is not allowed%s.", length,
		x.transition(taken), x.withoutGoalText(p, "its states before"))
}

// blockedText returns the text about the labels that are possible in a state where a run may stop.
func (x *Case) blockedText(s lts.State) string {
	labels, _ := x.m.Out(s)
	var names []string
	for i := range labels.Len() {
		name := printable.Cut(x.m.Alphabet().Text(labels.At(i)), 60)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 1 {
		return "only " + names[0] + ", which may be blocked, is possible"
	}
	last := names[len(names)-1]
	before := names[:len(names)-1]
	more := len(names) - shownParts
	if more > 0 {
		last = fmt.Sprintf("%d more", more)
		before = names[:shownParts]
	}
	return "only " + strings.Join(before, ", ") + " and " + last +
		", which may be blocked, are possible"
}

// follow returns the run of the smallest weight from a state.
func (r *runs) follow(w *weighing, s lts.State) *Run {
	run := &Run{Start: s, LoopStart: -1}
	for {
		if _, loops := w.loop[s]; loops {
			run.LoopStart = len(run.Steps)
			r.parts.Enter(r.loopRegion(w))
			run.Steps = append(run.Steps, r.loopThrough(s)...)
			return run
		}
		taken := w.next[s]
		labels, targets := r.m.Out(s)
		if taken == stop {
			run.Deadlock = len(targets) == 0 && r.shape == byEndlessRun
			return run
		}
		t := targets[taken]
		run.Steps = append(run.Steps, lts.Transition{
			From:  s,
			Label: labels.At(int(taken)),
			To:    t,
		})
		weight, last := r.endWeight(s)
		endsRun := last == taken && weight == w.weights[s]
		if endsRun {
			return run
		}
		s = t
	}
}

// loopRegion returns the states that loops may pass.
func (r *runs) loopRegion(w *weighing) []lts.State {
	var region []lts.State
	for _, s := range r.states {
		if w.weights[s] != unknown && r.passWeight(s) != unknown {
			region = append(region, s)
		}
	}
	return region
}

// addClaimsOfRun adds the claims about the states that a run passes, and about the state where it ends.
func (x *Case) addClaimsOfRun(a *Argument, p proof, end lts.State) {
	if p.shape == byFiniteRun {
		for _, t := range a.Run.Steps {
			x.addClaim(a, p.left, t.From)
		}
		x.addClaim(a, p.right, end)
		return
	}
	for _, t := range a.Run.Steps {
		switch {
		case p.node.Last == syntax.NoLast:
			x.addClaim(a, p.right, t.From)
		case x.matches(p.node.Last, t.Label):
			x.addClaim(a, p.right, t.To)
		}
	}
	x.addClaimsAtEnd(a, p, end)
}

// addClaimsAtEnd adds the claims about the last state of a run that never reaches the goal. A loop has no
// such state, and a last transition with a label that is not allowed decides by itself.
func (x *Case) addClaimsAtEnd(a *Argument, p proof, end lts.State) {
	steps := a.Run.Steps
	last := p.node.Last != syntax.NoLast
	stays := a.Run.Deadlock || a.Run.endsBlocked
	switch {
	case a.Run.LoopStart >= 0:
	case len(steps) > 0 && !x.matches(p.node.Labels, steps[len(steps)-1].Label):
	case stays && last:
	case stays:
		x.addClaim(a, p.right, end)
	case last:
		x.addClaim(a, p.left, end)
	default:
		x.addClaim(a, p.right, end)
		x.addClaim(a, p.left, end)
	}
}

// addClaimsOfLayers argues by examples of the states where runs continue, and of the states where they
// end.
func (x *Case) addClaimsOfLayers(a *Argument, u *unfolded, p proof) {
	if p.node.Last != syntax.NoLast {
		x.addExample(a, p.left, u.all)
		x.addExample(a, p.right, x.lastTargets(p, u.all))
		return
	}
	x.addExample(a, p.left, u.onward)
	x.addExample(a, p.right, u.ends)
}

// addClaimsOfSet argues by two examples: of the states where the goal could be reached, but is false,
// and of the states where runs end, because the left operand is false.
func (x *Case) addClaimsOfSet(a *Argument, u *unfolded, p proof) {
	withoutGoal := u.all
	if p.node.Last != syntax.NoLast { // then only last transitions could reach the goal
		withoutGoal = x.lastTargets(p, u.onward)
	}
	x.addExample(a, p.right, withoutGoal)
	x.addExample(a, p.left, u.ends)
}

// layersText returns the text which says that all runs reach the goal.
func (x *Case) layersText(s lts.State, u *unfolded, p proof) string {
	if p.node.Last != syntax.NoLast {
		return fmt.Sprintf(": after at most %s every run has taken %s.",
			printable.Quantity(u.longest+1, "step"), x.lastTakenText(u, p))
	}
	if len(u.ends) == 1 && u.ends[0] == s {
		return x.thereText(p.right)
	}
	return fmt.Sprintf(": after at most %s every run is in %s%s%s%s.",
		printable.Quantity(u.longest, "step"),
		x.oneOfText(u.ends), x.clause(where, p.right), x.allowedText(", ", p.node.Labels, ""), x.clause(through, p.left))
}

// lastTakenText returns the text about the last transitions of an Until.
func (x *Case) lastTakenText(u *unfolded, p proof) string {
	return fmt.Sprintf("a transition by %s%s, from %s%s%s", x.labels(p.node.Last),
		x.clause(" to where ", p.right),
		x.oneOfText(x.lastSources(p, u.all)), x.allowedText(", before that ", p.node.Labels, ""), x.clause(through, p.left))
}

// setText returns the text which says that no run ever reaches the goal.
func (x *Case) setText(s lts.State, u *unfolded, p proof) string {
	last := p.node.Last != syntax.NoLast
	along := func(states string) string {
		if last {
			return x.noLastText(p, "the transitions "+states)
		}
		if len(u.all) == 1 && !x.isConstant(p.right) {
			return fmt.Sprintf(", and %s there", x.claimText(p.right))
		}
		return x.inStatesText(p.right, states)
	}
	if len(u.ends) == 1 && u.ends[0] == s {
		if last {
			return x.thereText(p.left)
		}
		return x.thereText(p.left, p.right)
	}
	alone := x.allowedText("", p.node.Labels, ", ")
	these := "these"
	switch {
	case last && len(u.all) == 1:
		these = "from there"
	case last:
		these = "from these"
	}
	if len(u.ends) == 0 {
		return fmt.Sprintf(": %sruns never leave %s%s.", alone, x.statesText(u.all), along(these))
	}
	if last {
		these = "from those before"
	}
	return fmt.Sprintf(": %sruns stay in %s at least until they are in %s%s%s.", alone,
		x.statesText(u.all), x.oneOfText(u.ends), x.clause(where, p.left), along(these))
}

// lastSources returns those states of a set that have a transition that can be the last one of an Until.
func (x *Case) lastSources(p proof, states wmc.States) wmc.States {
	var sources wmc.States
	for _, s := range states {
		if len(x.lastTargets(p, wmc.States{s})) > 0 {
			sources = append(sources, s)
		}
	}
	return sources
}

// lastTargets returns those targets of a set's transitions in which the claim about the right
// operand is true. It follows only transitions with labels that are allowed last.
func (x *Case) lastTargets(p proof, states wmc.States) wmc.States {
	var found wmc.States
	for _, s := range states {
		for l, t := range x.m.From(s) {
			if x.matches(p.node.Last, l) && x.isTrueAndAdmitted(p.right, t) {
				found = append(found, t)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// unfolded has the states that all runs from a state pass until the claim is decided.
type unfolded struct {
	layers  []Layer
	all     wmc.States
	onward  wmc.States // the states from which runs continue
	ends    wmc.States // the states in which the claim is decided
	longest int        // the largest number of steps to an end; only for layers
}

// layersFrom follows all runs until the claim is decided. Cost O(S + T) of the states visited.
func (x *Case) layersFrom(s lts.State, p proof) unfolded {
	v := &layering{
		Case:    x,
		proof:   p,
		seen:    bitset.New[lts.State](x.m.NumStates()),
		onward:  bitset.New[lts.State](x.m.NumStates()),
		ends:    bitset.New[lts.State](x.m.NumStates()),
		inLayer: bitset.New[lts.Label](x.m.Alphabet().Len()),
	}
	v.seen.Add(s)
	var u unfolded
	for front := (wmc.States{s}); len(front) > 0; {
		layer, next := v.expand(front)
		u.layers = append(u.layers, layer)
		front = next
	}
	u.all = slices.Collect(v.seen.All)
	u.onward = slices.Collect(v.onward.All)
	u.ends = slices.Collect(v.ends.All)
	if p.shape == byLayers && x.fair == nil {
		u.longest = x.longest(s, p, v.onward)
	}
	return u
}

// layering is a breadth-first search along all runs until the claim is decided.
type layering struct {
	*Case
	proof
	seen, onward, ends bitset.Set[lts.State] // onward and ends are as in unfolded
	inLayer            bitset.Set[lts.Label] // the labels of the current layer
}

// expand returns the layer of these states, and the new states to which their transitions lead, sorted.
func (v *layering) expand(front wmc.States) (layer Layer, next wmc.States) {
	layer.States = front
	for _, from := range front {
		if v.isEnd(v.proof, from) {
			layer.Done++
			v.ends.Add(from)
			continue
		}
		v.onward.Add(from)
		for l, t := range v.m.From(from) {
			goesOn := v.continuesBy(v.proof, l, t) && v.isAdmitted(t)
			if !goesOn {
				continue
			}
			if !v.inLayer.Has(l) {
				v.inLayer.Add(l)
				layer.Labels = append(layer.Labels, l)
			}
			if !v.seen.Has(t) {
				v.seen.Add(t)
				next = append(next, t)
			}
		}
	}
	for _, l := range layer.Labels {
		v.inLayer.Remove(l)
	}
	slices.Sort(next)
	return layer, next
}

// isEnd reports whether runs need not continue from a state.
func (x *Case) isEnd(p proof, s lts.State) bool {
	switch {
	case p.node.Last != syntax.NoLast && p.shape == byLayers:
		for l, t := range x.m.From(s) {
			if x.isAdmitted(t) && x.continuesBy(p, l, t) {
				return false
			}
		}
		return true
	case p.shape == byLayers:
		return x.isTrueAndAdmitted(p.right, s)
	}
	return x.isTrueAndAdmitted(p.left, s)
}

// continuesBy reports whether the claim depends on the target of a transition. It does not if the
// transition is a last one, which reaches the goal.
func (x *Case) continuesBy(p proof, label lts.Label, t lts.State) bool {
	mayReachGoal := p.shape == byLayers && p.node.Last != syntax.NoLast
	if mayReachGoal && x.matches(p.node.Last, label) && x.isTrueAndAdmitted(p.right, t) {
		return false
	}
	return x.matches(p.node.Labels, label)
}

// longest returns the largest number of steps of a run from a state to an end. There is no loop before
// an end.
func (x *Case) longest(from lts.State, p proof, onward bitset.Set[lts.State]) int {
	// The search goes depth first, without recursion: path has the states whose lengths are not known.
	length := map[lts.State]int{}
	type visit struct {
		state  lts.State
		next   int // the index of the next transition
		length int // the longest run by the transitions before next
	}
	path := []visit{{state: from}}
	for len(path) > 0 {
		top := &path[len(path)-1]
		labels, targets := x.m.Out(top.state)
		if !onward.Has(top.state) {
			targets = nil
		}
		isFinished := true
		for ; top.next < len(targets); top.next++ {
			t := targets[top.next]
			if !x.continuesBy(p, labels.At(top.next), t) {
				continue
			}
			lengthOfRest, known := length[t]
			if !known {
				isFinished = false
				path = append(path, visit{state: t})
				break
			}
			top.length = max(top.length, lengthOfRest+1)
		}
		if isFinished {
			length[top.state] = top.length
			path = path[:len(path)-1]
		}
	}
	return length[from]
}

// Within returns the argument if its runs together have at most the given number of transitions.
// Otherwise it returns an argument of one sentence, which gives the number of transitions, and says
// whether a shorter one may exist. An argument by sets has no run to count, and stays as it is.
// Cost O(size of the argument).
func (a *Argument) Within(most int) *Argument {
	// Arguments for the mu-calculus have no weight.
	weight := max(a.Weight, a.transitions())
	if weight <= most {
		return a
	}
	noArgument := "no argument by runs was found that"
	thisArgument := "what was found"
	if a.Smallest {
		noArgument = "no argument by runs"
		thisArgument = "the smallest"
	}
	return &Argument{
		Formula: a.Formula,
		Holds:   a.Holds,
		State:   a.State,
		Text: fmt.Sprintf("%s: %s has at most %s; %s has %d.",
			a.head(), noArgument, printable.Quantity(most, "transition"), thisArgument, weight),
	}
}

// transitions returns the number of transitions of the runs that an argument shows.
func (a *Argument) transitions() int {
	count := 0
	if a.Run != nil {
		count = len(a.Run.Steps)
	}
	for _, below := range a.Because {
		count += below.transitions()
	}
	return count
}

// longestFormula is the largest number of characters of a formula that a sentence shows.
const longestFormula = 300

// head returns the beginning of the sentence: which formula holds or does not hold, and in which state.
func (a *Argument) head() string {
	return fmt.Sprintf("%s %s in %d", printable.Cut(a.Formula, longestFormula), verbOf(a.Holds),
		a.State)
}

// verbOf returns the verb of a claim about a formula.
func verbOf(holds bool) string {
	if holds {
		return "holds"
	}
	return "does not hold"
}

// formula returns the text of the formula of a claim, shortened.
func (x *Case) formula(c claim) string {
	return printable.Cut(x.closure.Nodes[c.f].Formula.String(), longestFormula)
}

// claimText returns a claim as a clause.
func (x *Case) claimText(c claim) string { return x.formula(c) + " " + verbOf(c.holds) }

// bothParts returns the clause about the two operands of a formula.
func bothParts(n syntax.Node, holds bool) string {
	switch {
	case holds:
		return "both parts hold"
	case n.Formula.IsImplication():
		return "its first part does, and its second does not"
	}
	return "neither part does"
}

// Beginnings of the clauses about the goal of a run, and about the states on the way.
const where, through = ", where ", ", through states where "

// clause returns a claim as a clause with this beginning; "" for a constant.
func (x *Case) clause(begin string, c claim) string {
	if x.isConstant(c) {
		return ""
	}
	return begin + x.claimText(c)
}

// thereText returns the clause that one or two claims are true in the state itself. It leaves out a claim
// about a constant if it can name another one.
func (x *Case) thereText(claims ...claim) string {
	var named []claim
	for _, c := range claims {
		if !x.isConstant(c) {
			named = append(named, c)
		}
	}
	switch {
	case len(named) == 2 && named[0].holds:
		return fmt.Sprintf(", since %s and %s hold there.", x.formula(named[0]),
			x.formula(named[1]))
	case len(named) == 2:
		return fmt.Sprintf(", since neither %s nor %s holds there.", x.formula(named[0]),
			x.formula(named[1]))
	case len(named) == 0:
		named = claims
	}
	return fmt.Sprintf(", since %s there.", x.claimText(named[0]))
}

// inStatesText returns the clause that a claim is true in each of some states.
func (x *Case) inStatesText(c claim, states string) string {
	switch {
	case x.isConstant(c):
		return ""
	case c.holds:
		return fmt.Sprintf(", and %s holds in all of %s", x.formula(c), states)
	}
	return fmt.Sprintf(", and %s holds in none of %s", x.formula(c), states)
}

// allowedText returns the labels by which runs may continue, between the texts before and behind; "" if all
// labels are allowed.
func (x *Case) allowedText(before string, l syntax.Labels, behind string) string {
	switch {
	case l == syntax.AnyLabel:
		return ""
	case x.closure.Patterns[l].Pattern.IsNone():
		return before + "by hidden labels alone" + behind
	}
	return before + "by " + x.labels(l) + " or hidden labels alone" + behind
}

// labels returns a pattern of labels as formulas write it.
func (x *Case) labels(l syntax.Labels) string {
	if l == syntax.AnyLabel {
		return "{true}"
	}
	return printable.Cut(x.closure.Patterns[l].String(), longestFormula)
}

// noLastText returns the clause that none of some transitions is a last one; "" if the formula has no
// condition on its last transition, or its goal is false.
func (x *Case) noLastText(p proof, transitions string) string {
	op := x.closure.Nodes[p.right.f].Op
	switch {
	case p.node.Last == syntax.NoLast, op == syntax.False:
		return ""
	case op == syntax.True:
		return fmt.Sprintf(", and none of %s is by %s", transitions, x.labels(p.node.Last))
	}
	return fmt.Sprintf(", and none of %s by %s leads to where %s holds", transitions,
		x.labels(p.node.Last), x.formula(p.right))
}

func (x *Case) transition(t lts.Transition) string {
	return fmt.Sprintf("%d -%s-> %d", t.From, printable.Cut(x.m.Alphabet().Text(t.Label), 60),
		t.To)
}

// statesText returns the text that names a few states of a set.
func (x *Case) statesText(states wmc.States) string {
	if len(states) == 1 {
		return fmt.Sprintf("state %d", states[0])
	}
	return fmt.Sprintf("%d states (%s)", len(states), firstOf(states))
}

// oneOfText returns words that refer to one of some states.
func (x *Case) oneOfText(states wmc.States) string {
	if len(states) == 1 {
		return x.statesText(states)
	}
	return "one of " + x.statesText(states)
}

// firstOf returns the numbers of the first states of a set, followed by … if there are more.
func firstOf(states wmc.States) string {
	const shown = 6
	text := numbers(states[:min(len(states), shown)])
	if len(states) > shown {
		text += ", …"
	}
	return text
}
