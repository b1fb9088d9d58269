package verify

import (
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// run is a counterexample that is being replayed.
type run struct {
	at       lts.State
	progress int // the property state, for a property that is no chain
	steps    int
	// wasFated reports whether the run was fated before its last step.
	wasFated bool
	// loops reports whether the run ends in a loop. The loop begins in state turn, before step
	// start; onLoop are the labels on it.
	loops  bool
	start  int
	turn   lts.State
	onLoop []bool
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
	r := &run{at: c.m.Initial(), progress: c.start()}
	if r.loops = !in.literal("null"); r.loops {
		r.start = int(in.number(longest))
		r.onLoop = make([]bool, c.m.Alphabet().Len())
		if c.fair != nil {
			r.moved, r.visited = make([]bool, c.m.Alphabet().Len()), make([]bool, c.m.NumStates())
		}
	}
	in.member("steps")
	in.open('[')
	for in.more() {
		c.about(func() { c.checkStep(r) }, "counterexample: step %d ", r.steps+1)
		r.steps++
	}
	in.end('}')
	if r.steps != int(c.length) {
		fail("counterexample: length is %d, but it has %d steps", c.length, r.steps)
	}
	c.checkEnd(r)
}

// start returns the progress of the empty run.
func (c *checker) start() int {
	if c.table != nil {
		return int(c.table.p.Initial())
	}
	return 0
}

// checkStep reads a step and performs it.
func (c *checker) checkStep(r *run) {
	in := c.in
	in.open('{')
	in.member("from")
	from := lts.State(in.number(longest))
	in.member("out")
	out := int(in.number(longest))
	labels, targets := c.m.Out(r.at)
	switch {
	case from != r.at:
		fail("leaves state %d, but the run is in state %d", from, r.at)
	case out >= labels.Len():
		fail("is transition %d of state %d, which only %d leave", out, r.at, labels.Len())
	}
	l, to := labels.At(out), targets[out]
	if r.loops && r.steps == r.start {
		r.turn = r.at
	}
	if r.loops && r.steps >= r.start {
		r.onLoop[l] = true
		if c.table != nil {
			r.loop = append(r.loop, l)
		}
		if c.fair != nil {
			r.visited[r.at], r.moved[l] = true, r.moved[l] || to != r.at
		}
	}
	r.wasFated = c.fated(r.at, r.progress)
	r.at, r.progress = to, c.advance(r.progress, l)
	c.checkMarks(r, from, out)
}

// checkMarks checks the claims about the last transition.
func (c *checker) checkMarks(r *run, from lts.State, out int) {
	in := c.in
	labels, _ := c.m.Out(from)
	// The file has U+FFFD for a byte that is no UTF-8, and so has a text converted to runes.
	label := string([]rune(c.m.Alphabet().Text(labels.At(out))))
	in.member("label")
	if found := in.text(max(1<<12, len(label))); found != label {
		fail("has the label %s, but transition %s has another", found, c.transition(from, labels.At(out), r.at))
	}
	in.member("to")
	if found := in.number(longest); lts.State(found) != r.at {
		fail("leads to %d, but transition %s does not", found, c.transition(from, labels.At(out), r.at))
	}
	in.member("class")
	if found, is := in.word(classNames[:]...), c.class(from, labels.At(out), r.at); found != int(is) {
		fail("has class %s, but its transition is %s", classNames[found], classNames[is])
	}
	c.checkFate(r)
	in.member("neighbourhood")
	if found := in.truth(); found != (c.kinds[from] != 0) {
		fail("has neighbourhood %v, which is wrong of state %d", found, from)
	}
	in.member("abstracted")
	if found := in.truth(); found != c.abstracts(r, from) {
		fail("has abstracted %v, which is wrong of states %d and %d", found, from, r.at)
	}
	in.end('}')
}

// checkFate checks the claimed fate of the run after the last transition.
func (c *checker) checkFate(r *run) {
	in := c.in
	if c.table != nil {
		c.table.checkFate(r)
		return
	}
	in.member("progress")
	if found := in.number(longest); int(found) != r.progress {
		fail("has progress %d, but the run has made %d", found, r.progress)
	}
	in.member("fate")
	if fated := in.word("free", "fated") == 1; fated != c.fated(r.at, r.progress) {
		fail("has the wrong fate: progress %d, and ms of state %d is %d of %d steps", r.progress, r.at, c.ms[r.at], c.n)
	}
}

// advance returns the progress after a label.
func (c *checker) advance(progress int, l lts.Label) int {
	if c.table != nil {
		return int(c.table.p.Next(property.Q(progress), l))
	}
	return c.p.Advance(progress, l)
}

// fated reports whether no run from s satisfies the property after this progress.
func (c *checker) fated(s lts.State, progress int) bool {
	if c.table != nil {
		return c.table.lost(s, property.Q(progress))
	}
	return progress+int(c.ms[s]) < c.n
}

// abstracts reports whether the abstracted counterexample keeps the last step, which left from: the
// step enters or leaves a neighbourhood, or passes the point of no return. It never keeps the step
// to an initial state, and none if no run satisfies the property.
func (c *checker) abstracts(r *run, from lts.State) bool {
	if c.m.IsBefore(from) || c.fated(c.m.Initial(), c.start()) {
		return false
	}
	return c.kinds[from] != 0 || c.kinds[r.at] != 0 || !r.wasFated && c.fated(r.at, r.progress)
}

// checkEnd checks that the run is maximal and violates the property.
func (c *checker) checkEnd(r *run) {
	done := r.progress
	switch {
	case !c.violated:
		fail("counterexample: there is one, but the verdict is satisfied")
	case c.table != nil && !r.loops:
		c.table.checkStop(r)
		return
	case !r.loops && c.isTrap(r):
		return
	case !r.loops && !c.fair.MayEnd(c.m, r.at):
		fail("counterexample: it ends in state %d, which is not a deadlock", r.at)
	case r.loops && r.start >= r.steps:
		fail("counterexample: its loop begins behind step %d, its last one", r.steps)
	case r.loops && r.turn != r.at:
		fail("counterexample: it ends in state %d, but its loop begins in state %d", r.at, r.turn)
	case c.table != nil:
		c.table.checkRounds(r)
	case r.loops:
		done = c.afterLoop(r)
	}
	if c.table == nil && done == c.n {
		fail("counterexample: it does all steps of the property")
	}
	if r.loops && c.fair != nil {
		c.checkLoop(r)
	}
}

// afterLoop returns the progress of a run after it has repeated its loop until no label of the loop
// does another step.
func (c *checker) afterLoop(r *run) int {
	done := r.progress
	for done < c.n {
		does := false
		for _, l := range c.p.Step(done + 1).Labels {
			does = does || r.onLoop[l]
		}
		if !does {
			break
		}
		done++
	}
	return done
}
