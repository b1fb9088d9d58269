package verify

import (
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// run is a counterexample that is being replayed.
type run struct {
	state    lts.State
	progress int // the property state, for a property that is no chain
	steps    int

	// loops reports whether the run ends in a loop. The loop begins in loopState, before step
	// loopStart; onLoop are the labels on it.
	loops     bool
	loopStart int
	loopState lts.State
	onLoop    []bool
	// moved and visited are for assumptions: the labels of the loop's transitions that are no
	// self-loops, and the states of the loop.
	moved, visited []bool
	// loop has the labels of the loop in order, for a property that is no chain.
	loop []lts.Label
}

// checkCounterexample replays the counterexample, which exists iff the property is violated.
func (c *checker) checkCounterexample() {
	in := c.in
	in.member("counterexample")
	if in.literal("null") {
		if c.violated {
			fail("counterexample: there is none, but the verdict is violated")
		}
		return
	}
	in.open('{')
	in.member("length")
	c.length = in.number(longest)
	in.member("loop_start")
	r := &run{state: c.model.Initial(), progress: c.initialProgress()}
	r.loops = !in.literal("null")
	if r.loops {
		r.loopStart = int(in.number(longest))
		r.onLoop = make([]bool, c.model.Alphabet().Len())
		if c.fair != nil {
			r.moved = make([]bool, c.model.Alphabet().Len())
			r.visited = make([]bool, c.model.NumStates())
		}
	}
	in.member("steps")
	in.open('[')
	for in.more() {
		c.prefixErrors(func() { c.checkStep(r) }, "counterexample: step %d ", r.steps+1)
		r.steps++
	}
	in.end('}')
	if r.steps != int(c.length) {
		fail("counterexample: length is %d, but it has %d steps", c.length, r.steps)
	}
	c.checkEnd(r)
}

// initialProgress returns the progress of the empty run.
func (c *checker) initialProgress() int {
	if c.table != nil {
		return int(c.table.automaton.Initial())
	}
	return 0
}

// checkStep reads a step and performs it.
func (c *checker) checkStep(r *run) {
	c.in.open('{')
	from := r.state
	wasFated := c.isFated(from, r.progress)
	l, to := c.readTaken(r)
	r.continueBy(c, l, to)
	c.checkTaken(from, l, to)
	c.checkProgress(r)
	fated := c.isFated(to, r.progress)
	c.checkFate(r, fated)
	c.checkKept(from, to, fated && !wasFated)
	c.in.end('}')
}

// readTaken reads which transition a step takes from where the run is.
func (c *checker) readTaken(r *run) (lts.Label, lts.State) {
	in := c.in
	in.member("from")
	claimed := lts.State(in.number(longest))
	in.member("out")
	out := int(in.number(longest))
	labels, targets := c.model.Out(r.state)
	switch {
	case claimed != r.state:
		fail("leaves state %d, but the run is in state %d", claimed, r.state)
	case out >= labels.Len():
		fail("is transition %d of state %d, which only %d leave", out, r.state, labels.Len())
	}
	return labels.At(out), targets[out]
}

// continueBy continues the run by a transition, and records the transition if it lies on the loop.
func (r *run) continueBy(c *checker, l lts.Label, to lts.State) {
	if r.loops && r.steps == r.loopStart {
		r.loopState = r.state
	}
	if r.loops && r.steps >= r.loopStart {
		r.onLoop[l] = true
		if c.table != nil {
			r.loop = append(r.loop, l)
		}
		if c.fair != nil {
			r.visited[r.state] = true
			r.moved[l] = r.moved[l] || to != r.state
		}
	}
	r.state = to
	if c.table == nil {
		r.progress = c.chain.Advance(r.progress, l)
	} else {
		r.progress = int(c.table.automaton.Next(property.Q(r.progress), l))
	}
}

// checkTaken checks the label, the target and the class of a step.
func (c *checker) checkTaken(from lts.State, l lts.Label, to lts.State) {
	in := c.in
	// The file has U+FFFD for a byte that is no UTF-8, and so has a text converted to runes.
	label := string([]rune(c.model.Alphabet().Text(l)))
	in.member("label")
	claimedLabel := in.text(max(1<<12, len(label)))
	if claimedLabel != label {
		fail("has the label %s, but transition %s has another", claimedLabel,
			c.transition(from, l, to))
	}
	in.member("to")
	claimedTarget := in.number(longest)
	if lts.State(claimedTarget) != to {
		fail("leads to %d, but transition %s does not", claimedTarget,
			c.transition(from, l, to))
	}
	in.member("class")
	claimedClass := in.word(classNames[:]...)
	class := c.class(from, l, to)
	if claimedClass != int(class) {
		fail("has class %s, but its transition is %s", classNames[claimedClass],
			classNames[class])
	}
}

// checkProgress checks the progress, or the property state, after a step.
func (c *checker) checkProgress(r *run) {
	name := "progress"
	wrong := "progress %d, but the run has made %d"
	if c.table != nil {
		name = "q"
		wrong = "the property in state %d, but the run brings it to %d"
	}
	c.in.member(name)
	claimed := c.in.number(longest)
	if int(claimed) != r.progress {
		fail("has "+wrong, claimed, r.progress)
	}
}

// checkFate checks the fate after a step.
func (c *checker) checkFate(r *run, fated bool) {
	c.in.member("fate")
	claimed := c.in.word("free", "fated") == 1
	switch {
	case claimed == fated:
	case c.table != nil:
		fail("has the wrong fate in place %d·%d", r.state, r.progress)
	default:
		fail("has the wrong fate: progress %d, and ms of state %d is %d of %d steps",
			r.progress, r.state, c.ms[r.state], c.numSteps)
	}
}

// checkKept checks whether a step leaves a neighbourhood, and whether the abstracted counterexample
// keeps it: a step that enters or leaves a neighbourhood, or passes the point of no return. The
// abstracted counterexample never keeps the step to an initial state, and it keeps no step if no
// run satisfies the property.
func (c *checker) checkKept(from, to lts.State, passesNoReturn bool) {
	in := c.in
	in.member("neighbourhood")
	claimedKind := in.truth()
	if claimedKind != (c.kinds[from] != 0) {
		fail("has neighbourhood %v, which does not fit state %d", claimedKind, from)
	}
	isAtNeighbourhood := c.kinds[from] != 0 || c.kinds[to] != 0
	mayKeep := !c.model.IsBefore(from) && !c.isFated(c.model.Initial(), c.initialProgress())
	kept := mayKeep && (isAtNeighbourhood || passesNoReturn)
	in.member("abstracted")
	claimedKept := in.truth()
	if claimedKept != kept {
		fail("has abstracted %v, which does not fit the step from state %d to state %d", claimedKept, from, to)
	}
}

// isFated reports whether no run from s satisfies the property after this progress.
func (c *checker) isFated(s lts.State, progress int) bool {
	if c.table != nil {
		return c.table.isLost(s, property.Q(progress))
	}
	return progress+int(c.ms[s]) < c.numSteps
}

// checkEnd checks that the run is maximal, violates the property and, under assumptions, counts.
func (c *checker) checkEnd(r *run) {
	switch {
	case !c.violated:
		fail("counterexample: there is one, but the verdict is satisfied")
	case !r.loops && c.table != nil:
		c.checkTableEnd(r)
		return
	case !r.loops:
		c.checkChainEnd(r)
		return
	}
	c.checkClosed(r)
	if c.table != nil {
		c.checkTableLoop(r)
	} else {
		c.checkChainLoop(r)
	}
	if c.fair != nil {
		c.checkFairLoop(r)
	}
}

// checkTableEnd checks the end of a run without a loop: either the run may end there, and violates
// the property; or some run that counts continues it, and no such run satisfies the property.
func (c *checker) checkTableEnd(r *run) {
	q := property.Q(r.progress)
	at, listed := c.table.productState(r.state, q)
	switch {
	case listed && c.table.mayEnd(&c.table.sides[violating], at):
	case !c.table.isLost(r.state, q):
		fail("counterexample: it ends in place %d·%d, from where some run satisfies the property", r.state, r.progress)
	case !c.table.isAdmitted(at):
		fail("counterexample: it ends in place %d·%d, from where no run is admitted", r.state,
			r.progress)
	}
}

// checkChainEnd checks the end of a run without a loop. The run must end in a trap, from which no
// run that counts does the remaining steps, or in a state where a run may end, before the last
// step.
func (c *checker) checkChainEnd(r *run) {
	if c.fair != nil && c.admits(r.state) && c.isFated(r.state, r.progress) {
		return
	}
	if !c.fair.MayEnd(c.model, r.state) {
		fail("counterexample: it ends in state %d, which is not a deadlock", r.state)
	}
	c.checkUndone(r.progress)
}

// checkUndone checks that a run which has made this progress does not do all steps.
func (c *checker) checkUndone(progress int) {
	if progress == c.numSteps {
		fail("counterexample: it does all steps of the property")
	}
}

// checkClosed checks that the loop of the run has steps, and ends where it begins.
func (c *checker) checkClosed(r *run) {
	if r.loopStart >= r.steps {
		fail("counterexample: its loop begins behind step %d, its last one", r.steps)
	}
	if r.loopState != r.state {
		fail("counterexample: it ends in state %d, but its loop begins in state %d", r.state,
			r.loopState)
	}
}

// checkTableLoop checks that a run that repeats the loop violates the property. After as many rounds
// as there are property states, the property states at the beginning of rounds recur.
func (c *checker) checkTableLoop(r *run) {
	q := property.Q(r.progress)
	round := func() (met property.Marks) {
		for _, l := range r.loop {
			met |= c.table.automaton.Marks(q, l)
			q = c.table.automaton.Next(q, l)
		}
		return met
	}
	for i := range c.table.automaton.States() {
		if i%256 == 0 {
			abort.On(c.table.ctx.Err())
		}
		round()
	}
	begin := q
	met := round()
	for q != begin {
		abort.On(c.table.ctx.Err())
		met |= round()
	}
	if c.table.automaton.Acceptance().Holds(met) {
		fail("counterexample: its loop satisfies the property")
	}
}

// checkChainLoop checks that a run that repeats the loop does not do all steps: it makes progress
// until no label of the loop does another step.
func (c *checker) checkChainLoop(r *run) {
	progress := r.progress
	onLoop := func(l lts.Label) bool { return r.onLoop[l] }
	for progress < c.numSteps && slices.ContainsFunc(c.chain.Step(progress+1).Labels, onLoop) {
		progress++
	}
	c.checkUndone(progress)
}

// checkFairLoop checks that a run that repeats the loop counts under the assumptions.
func (c *checker) checkFairLoop(r *run) {
	if c.fair.Full() {
		fail("counterexample: it has a loop, but what is fully fair is told by a trap or a deadlock")
	}
	for l, occurs := range r.onLoop {
		if occurs && c.fair.Rare(lts.Label(l)) {
			fail("counterexample: its loop does %s, which is to be done finitely often",
				c.model.Alphabet().Text(lts.Label(l)))
		}
	}
	// The states of the run are counted as a home. Which tasks the run takes, its loop says.
	counts := c.newTaskCounts()
	counts.enter(0)
	states := 0
	ignoreTaken := func(lts.Label, lts.State) bool { return false }
	for s, visited := range r.visited {
		if visited {
			states++
			counts.add(uint32(s), lts.State(s), ignoreTaken)
		}
	}
	for l, occurs := range r.onLoop {
		if !occurs {
			continue
		}
		for _, k := range c.fair.MetBy(lts.Label(l)) {
			if r.moved[l] || !c.fair.Tasks()[k].Nonstuttering {
				counts.of[k].taken = true
			}
		}
	}
	slices.Sort(counts.met)
	if k, found := counts.neglected(states); found {
		fail("counterexample: its loop is not fair to task %s", c.fair.Tasks()[k].Name)
	}
}
