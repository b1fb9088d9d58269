package repair

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/pagedlist"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// Op is an operation of a diff.
type Op string

// These are the operations, with the names that they have in a diff of files.
const (
	Keep   Op = " " // both runs do the step
	Remove Op = "-" // the run that went wrong takes the step, the correct run does not
	Insert Op = "+" // the correct run does it
)

// Edit is a step of one of the two runs in a diff.
type Edit struct {
	Op Op
	// Transition is a step of the correct run or, if Op is Remove, of the other run.
	Transition lts.Transition
	// Progress is the progress of the correct run after the step.
	Progress int
}

// Diff compares a correct run with a run that violates the property, called the other run. The
// steps that both take (Keep) come first, then the next steps of the other run (Remove), then the
// remaining steps of the correct run (Insert), even if the other run has steps with the same
// labels. After its last step, the correct run ends, or repeats its last steps forever, or all its
// continuations satisfy the property.
//
// The removed steps continue to the end of the other run, or once round its loop. There is only one
// removed step if the other run is on its loop there and every continuation of the correct run
// satisfies the property.
type Diff struct {
	Steps []Edit
	// Loop is the number of last steps that the correct run repeats forever; 0 if there are none.
	// They count as inserted.
	Loop int
	// Ends reports whether the correct run ends after the last step, in a deadlock.
	Ends bool
	// Edits is the number of steps to be removed and inserted, where steps with the same label are
	// equal. It is the smallest number, except that a run which goes on is preferred, see
	// [Repair.Nearest]. For inevitability, Edits ignores the other run once the correct run has done
	// all steps. For other properties, Edits counts the other run to its end, or once round its
	// loop: otherwise a run that has nothing in common with the other run would be the nearest.
	Edits int
	// Fork is the number of steps before the runs differ.
	Fork int
	// Near reports whether the search reached its limit. Then another correct run may be nearer
	// than this one.
	Near bool
}

// Nearest returns a run that satisfies the property of the repair and differs from the
// counterexample t in the fewest steps, removed or inserted, where steps with the same label are
// equal. Of several such runs, it returns one that leaves t latest. If this run can only end where it
// leaves t, although nothing is pending there and the model could go on, Nearest prefers the nearest
// run that goes on. The run may repeat the loop of t any number of times; the result leaves these rounds out. If a supervisor exists, the run takes
// no transition that must never be taken. The result is nil if no such run satisfies the property.
//
// demanded are sets of labels: if the counterexample has a label of a set, the run must have one, too.
// Only the first 8 sets count. limit is the largest number of transitions to visit, from pairs of
// product states of the two runs and from product states of loops; 0 for no limit. Repeated visits
// count. At the limit, Nearest returns a run with Near: the nearest run that was found so far. If
// none was found, it searches for a run with the fewest inserted steps in a row, within the same
// limit and one pass through the unfolded model. It fails if ctx is done, with [ErrTooFar] if that
// search finds none, and with [ErrManyCases]. Cost O(p n (S + T)) at worst for a counterexample of length p, times 2 to
// the number of sets of demanded that it has; it visits only the pairs whose edits, with the
// insertions that they still need at least, are no more than the edits of the result. The search is
// A* (Hart, Nilsson, Raphael: A formal basis for the heuristic determination of minimum cost paths,
// 1968).
func (r *Repair) Nearest(
	ctx context.Context,
	t *counterexample.Trace,
	demanded [][]lts.Label,
	limit int64,
) (_ *Diff, err error) {
	defer abort.Caught(&err)
	x := r.newSearch(ctx, t, demanded, limit)
	if x == nil {
		return nil, nil
	}
	d := x.search(ctx)
	if !x.stopsNeedlessly(d) {
		return d, nil
	}
	if continuing := x.continuing(ctx); continuing != nil {
		return continuing, nil
	}
	return d, nil
}

// withoutGuards returns a repair whose searches for a nearest correct run may take every transition,
// also one that the repair forbids.
func (r *Repair) withoutGuards() *Repair {
	unguarded := *r
	unguarded.unguarded = true
	return &unguarded
}

// NearestAt is like [Repair.Nearest], but considers only the runs that leave the counterexample at
// certain steps: at[i] reports whether the run may take another transition instead of step i. It
// searches the first round of the loop; only if no such run leaves the counterexample there, it
// searches all rounds. A run that returns to the counterexample where it left it does not count. The
// result is nil if there is no such run. NearestAt fails with [ErrTooFar] at the limit, which is for
// each of the two searches, and with [ErrManyCases].
func (r *Repair) NearestAt(
	ctx context.Context,
	t *counterexample.Trace,
	demanded [][]lts.Label,
	at []bool,
	limit int64,
) (_ *Diff, err error) {
	defer abort.Caught(&err)
	return r.nearestLeavingAt(ctx, t, demanded, at, nil, limit)
}

// NearestAlong is like [Repair.NearestAt] for one step: the run leaves the counterexample at step i, and
// takes the transitions of way from there. Then it is the nearest one. The result is nil if no correct run
// takes the way, which may be because the supervisor forbids a transition of it.
func (r *Repair) NearestAlong(
	ctx context.Context,
	t *counterexample.Trace,
	demanded [][]lts.Label,
	i int,
	way []lts.Transition,
	limit int64,
) (_ *Diff, err error) {
	defer abort.Caught(&err)
	at := make([]bool, len(t.Steps()))
	at[i] = true
	return r.nearestLeavingAt(ctx, t, demanded, at, way, limit)
}

// nearestLeavingAt is [Repair.NearestAt] or, unless way is nil, [Repair.NearestAlong].
func (r *Repair) nearestLeavingAt(
	ctx context.Context,
	t *counterexample.Trace,
	demanded [][]lts.Label,
	at []bool,
	way []lts.Transition,
	limit int64,
) (*Diff, error) {
	inFirstRound := func(i int) bool { return i < len(at) && at[i] }
	d, err := r.nearestLeaving(ctx, t, demanded, limit, inFirstRound, way)
	loop, isLasso := t.LoopStart()
	if d != nil || err != nil || !isLasso {
		return d, err
	}
	inAnyRound := func(i int) bool {
		if i >= len(at) {
			i = loop + (i-loop)%(len(at)-loop)
		}
		return at[i]
	}
	return r.nearestLeaving(ctx, t, demanded, limit, inAnyRound, way)
}

// nearestLeaving is one search of [Repair.nearestLeavingAt]: the run may take another transition instead of step
// i, counted over the rounds of the loop, if mayLeave(i). Unless way is nil, it takes these transitions then.
func (r *Repair) nearestLeaving(
	ctx context.Context,
	t *counterexample.Trace,
	demanded [][]lts.Label,
	limit int64,
	mayLeave func(i int) bool,
	way []lts.Transition,
) (*Diff, error) {
	x := r.newSearch(ctx, t, demanded, limit)
	if x == nil {
		return nil, nil
	}
	x.way = way
	x.mayLeave = make([]bool, len(x.steps))
	for i := range x.steps {
		x.mayLeave[i] = mayLeave(i)
	}
	d := x.search(ctx)
	if x.isAtLimit() {
		return nil, ErrTooFar
	}
	if !x.stopsNeedlessly(d) {
		return d, nil
	}
	if continuing := x.continuing(ctx); continuing != nil {
		return continuing, nil
	}
	return d, nil
}

// newSearch returns the search for a nearest run; nil if it is known that it would find none. It raises
// [ErrManyCases].
func (r *Repair) newSearch(
	ctx context.Context,
	t *counterexample.Trace,
	demanded [][]lts.Label,
	limit int64,
) *nearest {
	begins, _ := t.LoopStart()
	steps, loop := r.game.unfolding.Run(t.Steps(), begins)
	x := &nearest{
		game:   r.game,
		guards: r.Solvable && !r.unguarded,
		steps:  steps,
		loop:   loop,
		start:  loop,
		told:   t.Len(),
		begins: begins,
		limit:  limit,
	}
	x.demandLabels(demanded)
	if x.condition != nil {
		if x.hasManyCases() {
			abort.On(ErrManyCases)
		}
		x.findEndings(ctx)
		x.lengthOnce = len(steps)
		if loop >= 0 {
			x.steps = append(slices.Clip(steps), steps[loop:]...)
			x.loop = len(steps)
		}
	}
	if !x.begin(ctx) {
		return nil
	}
	return x
}

// begin prepares a search. It reports whether there may be a run to find.
func (x *nearest) begin(ctx context.Context) bool {
	x.findInsertions(ctx)
	if !x.hasHope(0) {
		return false
	}
	x.visited = newNumberSet(uint64(x.m.NumStates()) * uint64(len(x.steps)+1) * (uint64(x.mustMeet) + 1))
	return true
}

// stopsNeedlessly reports whether the best run of a search can only end after it leaves the other run,
// although runs could go on there, and nothing was pending that the end achieves.
func (x *nearest) stopsNeedlessly(d *Diff) bool {
	if d == nil || x.endings == nil || d.Loop > 0 {
		return false
	}
	correct, fork := x.withFork(x.runTo(x.best), nil)
	if fork == len(correct) {
		return false
	}
	atFork := correct[fork].From
	end := x.nodes.At(x.best.node).state
	return x.accepts(atFork) && x.endings.endless.Has(atFork) && !x.endings.endless.Has(end)
}

// continuing repeats a search for the runs that can go on forever. It returns nil if there is no such
// run, or if the limit is reached.
func (x *nearest) continuing(ctx context.Context) *Diff {
	endings := *x.endings
	endings.loops = map[lts.State]foundLoop{}
	endings.mustGoOn = true
	again := &nearest{
		game:       x.game,
		guards:     x.guards,
		steps:      x.steps,
		loop:       x.loop,
		start:      x.start,
		told:       x.told,
		begins:     x.begins,
		meets:      x.meets,
		mustMeet:   x.mustMeet,
		mayLeave:   x.mayLeave,
		way:        x.way,
		limit:      x.limit,
		endings:    &endings,
		lengthOnce: x.lengthOnce,
	}
	if !again.begin(ctx) {
		return nil
	}
	d := again.search(ctx)
	if again.isAtLimit() {
		return nil
	}
	return d
}

// ErrTooFar reports that the search for a nearest correct run reached its limit before it found a
// run.
var ErrTooFar = fmt.Errorf("the nearest correct run is too far away to be found within the limit")

// ErrManyCases reports that there is no search for a nearest correct run, since its condition has too
// many cases.
var ErrManyCases = fmt.Errorf("the property has too many cases to search for the nearest correct run")

// pair is a product state of the correct run, with the number of steps of the other run that are
// kept or removed so far (passed).
type pair struct {
	state  lts.State
	passed uint32
	met    uint8 // the sets of labels that the correct run has met
}

// nearest is a search of pairs in the order of their estimates. An estimate is the number of edits
// so far, plus a lower bound of the number of insertions that an ending still needs. Among pairs
// with the same estimate, the pairs that fork latest come first.
type nearest struct {
	*game
	guards bool
	steps  []lts.Transition // the steps of the other run, in the unfolded model
	loop   int
	start  int // the index of the step that begins the first round of the other run's loop; -1 without a loop
	// told is the number of steps of the other run in the model, with one round of its loop, and begins is
	// the index of the step that begins this loop. A loop in the unfolded model may have several rounds.
	told, begins int
	// meets has, for each label, the bits of the demanded sets that contain it. mustMeet has the bits
	// of the sets that the correct run must meet.
	meets    map[lts.Label]uint8
	mustMeet uint8
	// mayLeave reports, for each step of the other run, whether the correct run may leave the other run
	// there; nil if it may leave the other run anywhere.
	mayLeave []bool
	// way has the transitions of the model that the correct run takes where it leaves the other run; nil
	// if it may take any.
	way     []lts.Transition
	nodes   pagedlist.List[node]
	along   int        // the number of leading nodes that lie along the counterexample
	visited *numberSet // the numbers of the visited pairs
	limit   int64
	// estimate is the current estimate. now has the nodes with this estimate, by the step where
	// they fork. later has the nodes with a greater estimate, by their estimate.
	estimate   int
	now, later [][]int
	// endings is nil for an inevitability. For other properties, lengthOnce is the number of steps of
	// the other run to its end, or through its loop once; steps has the loop twice.
	endings    *endings
	lengthOnce int
	// insertions has, for each product state, a lower bound of the number of insertions from there
	// to an ending.
	insertions []uint16
	best       *ending // nil if none is found yet
	work       int64   // the number of transitions visited
	// The memory that searches for loops share.
	loopNodes   []inLoop
	loopVisited *numberSet
}

// node is a pair that the search has reached, with the step that leads to it from its parent.
type node struct {
	pair
	step   lts.Transition
	op     Op
	parent int // the index of a node; -1 for the first one
	fork   int // the number of steps before the runs differ
}

// demandLabels makes the correct run meet the sets of labels that the counterexample meets.
func (x *nearest) demandLabels(demanded [][]lts.Label) {
	x.meets = map[lts.Label]uint8{}
	for i, set := range demanded[:min(len(demanded), mostDemanded)] {
		inSet := func(t lts.Transition) bool {
			return slices.Contains(set, t.Label)
		}
		if !slices.ContainsFunc(x.steps, inSet) {
			continue
		}
		x.mustMeet |= 1 << i
		for _, l := range set {
			x.meets[l] |= 1 << i
		}
	}
}

// hasManyCases reports whether the condition is too large for the search for loops.
func (x *nearest) hasManyCases() bool {
	demandsMany := func(p property.Pair) bool {
		return p.Inf.Len() > mostRecurring
	}
	return len(x.condition.good) > mostCases ||
		slices.ContainsFunc(x.condition.good, demandsMany)
}

// findEndings finds the endings of runs that take no forbidden transition.
func (x *nearest) findEndings(ctx context.Context) {
	x.endings = &endings{loops: map[lts.State]foundLoop{}}
	for _, p := range x.condition.good {
		x.endings.cases = append(x.endings.cases, x.newCase(ctx, p))
	}
	components := abort.Must(scc.Find(ctx, x.m, ""))
	violating := abort.Must(x.unfolding.Accepting(ctx, components, x.condition.accept.Not()))
	canViolateHere := func(s lts.State) bool {
		c, _ := components.Of(s)
		violatesByEnding := x.m.IsDeadlock(s) && !x.accepts(s)
		return violating[c] || violatesByEnding
	}
	x.endings.doubtful = abort.Must(bfs.Back(ctx, x.m, canViolateHere, nil))
	isOnCycle := func(s lts.State) bool {
		c, _ := components.Of(s)
		return components.IsCyclic(c)
	}
	x.endings.endless = abort.Must(bfs.Back(ctx, x.m, isOnCycle, nil))
}

// newCase returns a pair of the condition with the components where a run can satisfy it.
func (x *nearest) newCase(ctx context.Context, p property.Pair) goodCase {
	c := goodCase{p, make([]uint32, x.m.NumStates())}
	count := uint32(0)
	avoiding := func(s lts.State, l lts.Label, to lts.State) bool {
		return x.isAllowedAvoiding(p, s, l, to)
	}
	abort.On(scc.Within(ctx, x.m, avoiding, func(states []lts.State, cyclic bool) {
		if !cyclic {
			return
		}
		count++
		for _, s := range states {
			c.part[s] = count
		}
		missing := p.Inf &^ x.coloursWithin(states, c)
		if missing != 0 { // no run can satisfy the pair in the component
			for _, s := range states {
				c.part[s] = 0
			}
		}
	}))
	return c
}

// coloursWithin returns the colours of the transitions that a run can take infinitely often in a
// component of a case.
func (x *nearest) coloursWithin(states []lts.State, c goodCase) property.Marks {
	colours := property.Marks(0)
	for _, s := range states {
		labels, targets := x.m.Out(s)
		for i, to := range targets {
			l := labels.At(i)
			if c.part[to] == c.part[s] && x.isAllowedAvoiding(c.pair, s, l, to) {
				colours |= x.unfolding.Marks(s, l)
			}
		}
	}
	return colours
}

// search visits the pairs in the order of their estimates, until no pair can lead to a nearer correct
// run than the best one, or the limit is reached. It returns nil if there is no correct run.
func (x *nearest) search(ctx context.Context) *Diff {
	x.now = make([][]int, len(x.steps)+1)
	x.addAlong()
	for estimate := 0; estimate < len(x.later); estimate++ {
		cannotBeBetter := x.best != nil && estimate > x.best.edits
		if cannotBeBetter {
			break
		}
		isOver := x.visitAll(ctx, estimate)
		if isOver {
			break
		}
	}
	isAtLimit := x.isAtLimit()
	mayBeApart := x.mayLeave == nil && (x.endings == nil || !x.endings.mustGoOn)
	if isAtLimit && x.best == nil && mayBeApart {
		x.findApart(ctx)
	}
	if x.best == nil {
		return nil
	}
	d := x.diff(x.best)
	d.Near = isAtLimit
	return d
}

// addAlong adds the pairs along the counterexample, until it takes a transition that is not allowed.
func (x *nearest) addAlong() {
	x.nodes.Append(node{parent: -1})
	x.postponeAlong(0)
	for i, step := range x.steps {
		if !x.isAllowed(step.From, step.Label, step.To) || !x.hasHope(step.To) {
			break
		}
		x.nodes.Append(node{
			pair:   pair{step.To, x.stepAfter(uint32(i)), x.nodes.At(i).met | x.meets[step.Label]},
			step:   step,
			op:     Keep,
			parent: i,
			fork:   i + 1,
		})
		x.postponeAlong(i + 1)
	}
	x.along = x.nodes.Len()
}

// postponeAlong makes a node along the counterexample wait, if the correct run may leave the
// counterexample there.
func (x *nearest) postponeAlong(i int) {
	n := x.nodes.At(i)
	canLeave := x.mayLeave == nil || int(n.passed) < len(x.steps) && x.mayLeave[n.passed]
	if canLeave {
		x.postpone(i, int(x.insertions[n.state]))
	}
}

// postpone makes a node wait until the pairs with its estimate are visited.
func (x *nearest) postpone(i, estimate int) {
	for len(x.later) <= estimate {
		x.later = append(x.later, nil)
	}
	x.later[estimate] = append(x.later[estimate], i)
}

// visitSoon makes a node with the current estimate wait until those that fork later are visited.
func (x *nearest) visitSoon(i int) {
	fork := x.nodes.At(i).fork
	x.now[fork] = append(x.now[fork], i)
}

// visitAll visits the pairs with an estimate; those that fork latest come first. It reports whether
// the search ends: it does if the correct run of an inevitability is found, and at the limit.
func (x *nearest) visitAll(ctx context.Context, estimate int) (isOver bool) {
	x.estimate = estimate
	for _, i := range x.later[estimate] {
		x.visitSoon(i)
	}
	x.later[estimate] = nil
	for fork := len(x.now) - 1; fork >= 0; fork-- {
		for k := 0; k < len(x.now[fork]); k++ {
			abort.IfDone(ctx, k)
			i := x.now[fork][k]
			n := x.nodes.At(i)
			if !x.visited.add(x.number(n.pair)) {
				continue
			}
			edits := estimate - int(x.insertions[n.state])
			if x.mayLeave != nil && i < x.along {
				if x.way == nil {
					x.leave(i)
				} else {
					x.leaveAlongWay(i)
				}
				continue
			}
			if x.endings != nil {
				x.considerEnding(i, edits)
			} else if x.isDone(n.state) && n.met == x.mustMeet {
				x.best = &ending{node: i, edits: edits}
				return true
			}
			x.expand(i, edits)
			if x.isAtLimit() {
				return true
			}
		}
		x.now[fork] = nil
	}
	return false
}

// findApart finds a correct run that never returns to the other run, with the fewest steps from the
// fork to an ending.
func (x *nearest) findApart(ctx context.Context) {
	x.work = 0
	x.limit += int64(x.m.NumStates()) + int64(x.m.NumTransitions())
	if x.endings != nil {
		clear(x.endings.loops) // searches that were stopped at the old limit may have missed a loop
	}
	visited := newNumberSet(uint64(x.m.NumStates()) * (uint64(x.mustMeet) + 1))
	var now, next []int
	for i := x.along - 1; i >= 0; i-- {
		now = append(now, i)
	}
	for edits := 0; len(now) > 0; edits++ {
		for k, i := range now {
			abort.IfDone(ctx, k)
			n := x.nodes.At(i)
			if !visited.add(uint64(n.state)*(uint64(x.mustMeet)+1) + uint64(n.met)) {
				continue
			}
			x.endApart(i, edits)
			if x.best != nil {
				return
			}
			next = x.insertAll(i, next)
		}
		now, next = next, now[:0]
	}
	abort.On(ErrTooFar)
}

// endApart makes the run to a node the best one if it can end there.
func (x *nearest) endApart(i, edits int) {
	n := x.nodes.At(i)
	switch {
	case x.endings == nil && x.isDone(n.state) && n.met == x.mustMeet:
		x.best = &ending{node: i, edits: edits}
	case x.endings != nil && x.isEnding(n.state):
		x.considerEnding(i, edits)
	}
}

// insertAll adds a node for each step that can be inserted after a node, and appends their indices.
func (x *nearest) insertAll(i int, indices []int) []int {
	n := *x.nodes.At(i)
	labels, targets := x.m.Out(n.state)
	x.work += 1 + int64(len(targets))
	if x.isAtLimit() {
		abort.On(ErrTooFar)
	}
	for k, to := range targets {
		l := labels.At(k)
		if x.hasHope(to) && x.isAllowed(n.state, l, to) {
			indices = append(indices, x.nodes.Len())
			x.nodes.Append(n.insert(i, lts.Transition{
				From:  n.state,
				Label: l,
				To:    to,
			},
				n.met|x.meets[l]))
		}
	}
	return indices
}

// insert returns the node after n by a step that only the correct run takes; i is the index of n.
func (n node) insert(i int, step lts.Transition, met uint8) node {
	return node{
		pair:   pair{step.To, n.passed, met},
		step:   step,
		op:     Insert,
		parent: i,
		fork:   n.fork,
	}
}

// number returns a number for each pair.
func (x *nearest) number(p pair) uint64 {
	return (uint64(p.state)*uint64(len(x.steps)+1)+uint64(p.passed))*(uint64(x.mustMeet)+1) +
		uint64(p.met)
}

// isAtLimit reports whether the search has reached its limit of work.
func (x *nearest) isAtLimit() bool { return x.limit > 0 && x.work > x.limit }

// isDone reports whether a product state satisfies the property without further steps.
func (x *nearest) isDone(s lts.State) bool { return x.rank[s] == 1 }

// isAllowed reports whether the correct run may take a transition: if a supervisor exists, whether it
// allows the transition.
func (x *nearest) isAllowed(from lts.State, l lts.Label, to lts.State) bool {
	return !x.guards || x.wins(to) && x.allows(from, l, to)
}

// stepAfter returns the number of the other run's step after step i. After the last step of the loop,
// this is the first step of the loop.
func (x *nearest) stepAfter(i uint32) uint32 {
	if int(i)+1 == len(x.steps) && x.loop >= 0 {
		return uint32(x.loop)
	}
	return i + 1
}

// expand adds the pairs that follow a pair; edits is the number of edits of that pair.
func (x *nearest) expand(i, edits int) {
	n := *x.nodes.At(i)
	hasNext := int(n.passed) < len(x.steps) // whether the other run has a step left
	var nextLabel lts.Label                 // of that step, without facts
	alphabet := x.m.Alphabet()
	if hasNext {
		nextLabel = alphabet.Plain(x.steps[n.passed].Label)
	}
	labels, targets := x.m.Out(n.state)
	x.work += 1 + int64(len(targets))
	for k, to := range targets {
		l := labels.At(k)
		if !x.hasHope(to) || !x.isAllowed(n.state, l, to) {
			continue
		}
		step := lts.Transition{From: n.state, Label: l, To: to}
		met := n.met | x.meets[l]
		isKept := hasNext && alphabet.Plain(l) == nextLabel
		if isKept {
			x.add(edits, node{
				pair:   pair{to, x.stepAfter(n.passed), met},
				step:   step,
				op:     Keep,
				parent: i,
				fork:   n.fork,
			})
		} else {
			x.add(edits+1, n.insert(i, step, met))
		}
	}
	if hasNext {
		x.add(edits+1, node{
			pair:   pair{n.state, x.stepAfter(n.passed), n.met},
			step:   x.steps[n.passed],
			op:     Remove,
			parent: i,
			fork:   n.fork,
		})
	}
}

// leave adds the nodes that follow a node along the counterexample by a transition which the
// counterexample does not take there. Before this transition, any number of steps may be removed. A
// loop of the correct run that begins at the node ends the run.
func (x *nearest) leave(i int) {
	n := *x.nodes.At(i)
	step := x.steps[n.passed]
	alphabet := x.m.Alphabet()
	labels, targets := x.m.Out(n.state)
	x.work += 1 + int64(len(targets))
	for k, to := range targets {
		l := labels.At(k)
		t := lts.Transition{From: n.state, Label: l, To: to}
		if t == step || !x.hasHope(to) || !x.isAllowed(n.state, l, to) {
			continue
		}
		met := n.met | x.meets[l]
		x.add(1, n.insert(i, t, met))
		passed := n.passed
		for removed := 0; removed < len(x.steps) && int(passed) < len(x.steps); removed++ {
			if alphabet.Plain(x.steps[passed].Label) == alphabet.Plain(l) {
				x.add(removed, node{
					pair:   pair{to, x.stepAfter(passed), met},
					step:   t,
					op:     Keep,
					parent: i,
					fork:   n.fork,
				})
			}
			passed = x.stepAfter(passed)
		}
	}
	if x.endings != nil {
		x.considerLoop(i, step)
	}
}

// leaveAlongWay adds the node at the end of the way that the correct run has to take from a node along the
// counterexample, if it may take that way.
func (x *nearest) leaveAlongWay(i int) {
	at := i
	for k, wanted := range x.way {
		n := *x.nodes.At(at)
		t, found := x.inProduct(n.state, wanted)
		if !found || !x.hasHope(t.To) || !x.isAllowed(n.state, t.Label, t.To) {
			return
		}
		next := n.insert(at, t, n.met|x.meets[t.Label])
		if k == len(x.way)-1 {
			x.add(len(x.way), next)
			return
		}
		at = x.nodes.Len()
		x.nodes.Append(next)
	}
}

// inProduct returns the transition from a product state that is a transition of the model, whatever facts
// its label reports; false if there is none.
func (x *nearest) inProduct(s lts.State, wanted lts.Transition) (lts.Transition, bool) {
	alphabet := x.m.Alphabet()
	labels, targets := x.m.Out(s)
	x.work += 1 + int64(len(targets))
	for i, to := range targets {
		t := lts.Transition{From: s, Label: labels.At(i), To: to}
		here := x.inModel(t)
		isSame := here.From == wanted.From && here.To == wanted.To &&
			alphabet.Plain(here.Label) == alphabet.Plain(wanted.Label)
		if isSame {
			return t, true
		}
	}
	return lts.Transition{}, false
}

// considerLoop considers a node along the counterexample as the beginning of a loop of the correct
// run. The first transition of the loop must not be next. The run becomes the best ending if it is
// better than the best one so far.
func (x *nearest) considerLoop(i int, next lts.Transition) {
	n := x.nodes.At(i)
	end := ending{node: i, edits: max(0, x.lengthOnce-int(n.passed))}
	for _, c := range x.endings.cases {
		if c.part[n.state] == 0 {
			continue
		}
		loop := x.shortestLoop(n.state, c, math.MaxInt, &next)
		isShorter := end.loop == nil || len(loop) < len(end.loop)
		if loop != nil && isShorter {
			end.loop = loop
		}
	}
	if end.loop == nil || n.met|x.metBy(end.loop) != x.mustMeet {
		return
	}
	end.edits += len(end.loop)
	if x.isBetter(end) {
		x.best = &end
	}
}

// add adds a node with the given number of edits, unless its pair has been visited. The estimate of
// the node is at least the current one.
func (x *nearest) add(edits int, n node) {
	if x.visited.has(x.number(n.pair)) {
		return
	}
	i := x.nodes.Len()
	x.nodes.Append(n)
	estimate := edits + int(x.insertions[n.state])
	if estimate == x.estimate {
		x.visitSoon(i)
	} else {
		x.postpone(i, estimate)
	}
}

// mostDemanded is the largest number of demanded sets: further sets are ignored.
const mostDemanded = 8

// metBy returns the bits of the sets of labels that some steps meet.
func (x *nearest) metBy(steps []lts.Transition) (met uint8) {
	for _, t := range steps {
		met |= x.meets[t.Label]
	}
	return met
}

// otherStep returns step i of the other run, where further rounds of its loop count as well; false
// after its end.
func (x *nearest) otherStep(i int) (lts.Transition, bool) {
	if i >= len(x.steps) && x.loop >= 0 {
		i = x.loop + (i-x.loop)%(len(x.steps)-x.loop)
	}
	if i >= len(x.steps) {
		return lts.Transition{}, false
	}
	return x.steps[i], true
}

// diff compares the other run with the correct run that has this ending. The removed steps and the
// inserted ones are alternatives: both begin with the progress at the fork.
func (x *nearest) diff(end *ending) *Diff {
	if end.loop == nil && !end.ends {
		end.node = x.firstDecided(end.node)
	}
	correct, fork := x.withFork(x.runTo(end), end.loop)
	correct, fork = x.withoutRounds(correct, fork, len(end.loop))
	d := &Diff{
		Edits: end.edits,
		Fork:  fork,
		Loop:  len(end.loop),
		Ends:  end.ends,
	}
	initialProgress := int(x.unfolding.At(0).Q)
	progressAtFork := x.addEdits(d, Keep, correct[:fork], initialProgress)
	x.addEdits(d, Remove, x.removedSteps(fork, d), progressAtFork)
	x.addEdits(d, Insert, correct[fork:], progressAtFork)
	return d
}

// firstDecided returns the first node on the path to a node, after the fork and the way that the correct run has
// to take, from which every continuation satisfies the property; the node itself if there is no other. What comes
// after it need not be told.
func (x *nearest) firstDecided(last int) int {
	path := []int{last} // the nodes after the fork and the way, backwards
	for i := last; x.nodes.At(i).parent >= x.along; i = x.nodes.At(i).parent {
		path = append(path, x.nodes.At(i).parent)
	}
	slices.Reverse(path)
	path = path[min(max(len(x.way)-1, 0), len(path)-1):]
	isDecided := func(i int) bool {
		n := x.nodes.At(i)
		return x.isDecided(n.state) && n.met == x.mustMeet
	}
	first := slices.IndexFunc(path, isDecided)
	if first < 0 {
		return last
	}
	return path[first]
}

// isDecided reports whether every continuation from a product state satisfies the property.
func (x *nearest) isDecided(s lts.State) bool {
	if x.endings == nil {
		return x.isDone(s)
	}
	return !x.m.IsDeadlock(s) && !x.endings.doubtful.Has(s)
}

// addEdits adds steps to a diff. It returns the progress of the correct run after them, given its
// progress before. Removed steps do not change the progress, since the correct run does not take them.
func (x *nearest) addEdits(d *Diff, op Op, steps []lts.Transition, progress int) int {
	for _, t := range steps {
		if op != Remove {
			progress = int(x.unfolding.At(t.To).Q)
		}
		d.Steps = append(d.Steps, Edit{op, x.inModel(t), progress})
	}
	return progress
}

// runTo returns the steps of the correct run to its ending, with one round of the loop.
func (x *nearest) runTo(end *ending) []lts.Transition {
	backwards := slices.Clone(end.loop)
	slices.Reverse(backwards)
	for n := x.nodes.At(end.node); n.parent >= 0; n = x.nodes.At(n.parent) {
		if n.op != Remove {
			backwards = append(backwards, n.step)
		}
	}
	slices.Reverse(backwards)
	return backwards
}

// withFork returns the correct run, and its fork: the number of steps before it differs from the other
// run. If both runs are infinite, and differ only in a later round of the loop of the correct run,
// withFork repeats that loop until then.
func (x *nearest) withFork(correct, loop []lts.Transition) ([]lts.Transition, int) {
	for fork := 0; ; fork++ {
		if fork == len(correct) {
			correct = append(correct, loop...)
		}
		if fork == len(correct) {
			return correct, fork
		}
		step, goesOn := x.otherStep(fork)
		if !goesOn || step != correct[fork] {
			return correct, fork
		}
	}
}

// withoutRounds removes rounds of the other run's loop from the common steps, if the correct run
// can also leave the loop in an earlier round.
func (x *nearest) withoutRounds(
	correct []lts.Transition,
	fork, loop int,
) ([]lts.Transition, int) {
	hasLoop := x.start >= 0
	if !hasLoop || fork >= len(correct) {
		return correct, fork
	}
	afterFork := correct[fork:]
	loopStart := len(correct) - loop
	if fork > loopStart { // then the loop of the correct run begins at the fork
		afterFork = append(slices.Clone(afterFork), correct[loopStart:fork]...)
	}
	roundLength := len(x.steps) - x.loop
	samePlaceInFirstRound := x.start + (fork-x.start)%roundLength
	for i := samePlaceInFirstRound; i < fork && fork > x.start; i += roundLength {
		step, _ := x.otherStep(i)
		shorter := append(slices.Clone(correct[:i]), afterFork...)
		canForkHere := correct[i].From == correct[fork].From && step != correct[fork]
		if canForkHere && x.metBy(shorter) == x.metBy(correct) {
			return shorter, i
		}
	}
	return correct, fork
}

// removedSteps returns the steps of the other run from the fork on that the diff shows as removed, see
// [Diff].
func (x *nearest) removedSteps(fork int, d *Diff) []lts.Transition {
	hasLoop := x.start >= 0
	if !hasLoop {
		return x.steps[fork:]
	}
	end := fork + 1
	isDecided := d.Loop == 0 && !d.Ends
	if !isDecided {
		end = x.told
		for end <= fork {
			end += x.told - x.begins
		}
	}
	var removed []lts.Transition
	for i := fork; i < end; i++ {
		step, _ := x.otherStep(i)
		removed = append(removed, step)
	}
	return removed
}

// If a condition has more cases than these limits allow, or a case demands more colours, there is
// no search for a nearest run.
const (
	mostCases     = 16
	mostRecurring = 6
)

// endings are the possible ends of runs of the unfolded model that satisfy a property other than
// inevitability.
type endings struct {
	// doubtful are the product states from which some run violates the property.
	doubtful bitset.Set[lts.State]
	// cases are the ways for an infinite run to satisfy the property.
	cases []goodCase
	loops map[lts.State]foundLoop // the results of the searches for loops so far, for each product state
	// endless are the product states from which some run is infinite. mustGoOn reports whether the
	// correct run has to be infinite.
	endless  bitset.Set[lts.State]
	mustGoOn bool
}

// goodCase is a pair of the condition, with the components where a run can satisfy it.
type goodCase struct {
	pair property.Pair
	// part[s] is the number, from 1, of the component of product state s if a run can stay in the
	// component forever and satisfy the pair; otherwise 0.
	part []uint32
}

// ending is the way in which a correct run continues after a node of the search.
type ending struct {
	node  int // its index
	edits int // the number of edits in all
	loop  []lts.Transition
	ends  bool
}

// isAllowedAvoiding reports whether the correct run may take a transition infinitely often and satisfy a
// pair: the transition must have no colour that the pair excludes.
func (x *nearest) isAllowedAvoiding(p property.Pair, s lts.State, l lts.Label, to lts.State) bool {
	return x.unfolding.Marks(s, l)&p.Fin == 0 && x.isAllowed(s, l, to)
}

// isEnding reports whether a product state is an ending: a correct run can end there, or satisfies
// the property whatever follows, or can stay in the component forever.
func (x *nearest) isEnding(s lts.State) bool {
	if x.endings == nil {
		return x.isDone(s)
	}
	if x.endings.mustGoOn && !x.endings.endless.Has(s) {
		return false
	}
	if x.m.IsDeadlock(s) {
		return x.accepts(s)
	}
	canStay := func(c goodCase) bool { return c.part[s] != 0 }
	return !x.endings.doubtful.Has(s) || slices.ContainsFunc(x.endings.cases, canStay)
}

// accepts reports whether a run that ends in a product state satisfies the property.
func (x *nearest) accepts(s lts.State) bool {
	return x.unfolding.Property().Stops(x.unfolding.At(s).Q)
}

// considerEnding makes the run to a node the best ending if it is better. The run gets a loop if it needs
// one.
func (x *nearest) considerEnding(i, edits int) {
	n := x.nodes.At(i)
	hasMetAll := n.met == x.mustMeet
	isDeadlock := x.m.IsDeadlock(n.state)
	notPassed := max(0, x.lengthOnce-int(n.passed)) // the steps of the other run that must be removed
	end := ending{node: i, edits: edits + notPassed}
	switch {
	case hasMetAll && x.isDecided(n.state):
		// Any continuation will do.
	case hasMetAll && isDeadlock && x.accepts(n.state):
		end.ends = true
	case x.best != nil && end.edits >= x.best.edits:
		return // a loop has at least one step more
	default:
		most := math.MaxInt
		if x.best != nil {
			most = x.best.edits - end.edits // an ending with the same number of edits is better if it forks later
		}
		end.loop = x.loopFrom(n.state, most)
		if end.loop == nil || n.met|x.metBy(end.loop) != x.mustMeet {
			return
		}
		end.edits += len(end.loop)
	}
	if x.isBetter(end) {
		x.best = &end
	}
}

// isBetter reports whether an ending has fewer edits than the best one, or the same number and a
// later fork.
func (x *nearest) isBetter(end ending) bool {
	if x.best == nil || end.edits < x.best.edits {
		return true
	}
	forksLater := x.nodes.At(end.node).fork > x.nodes.At(x.best.node).fork
	return end.edits == x.best.edits && forksLater
}

// loopFrom returns a shortest loop through a product state that satisfies some pair; nil if there
// is none with at most the given number of steps.
func (x *nearest) loopFrom(s lts.State, most int) []lts.Transition {
	known, wasSearched := x.endings.loops[s]
	isAnswered := wasSearched && (known.steps != nil || most <= known.longer)
	if isAnswered {
		if len(known.steps) > most {
			return nil
		}
		return known.steps
	}
	var best []lts.Transition
	for _, c := range x.endings.cases {
		if c.part[s] == 0 {
			continue
		}
		if best != nil {
			most = len(best) - 1
		}
		loop := x.shortestLoop(s, c, most, nil)
		if loop != nil {
			best = loop
		}
	}
	x.endings.loops[s] = foundLoop{best, most}
	return best
}

// foundLoop is a shortest loop through a product state. If the search found none, steps is nil, and
// each loop has more steps than the number in longer.
type foundLoop struct {
	steps  []lts.Transition
	longer int
}

// inLoop is a node of a search for a loop: a product state, the demanded colours since the
// beginning of the loop, and the transition that leads to the product state.
type inLoop struct {
	state   lts.State
	label   lts.Label
	from    int32 // negative if the loop begins here
	colours property.Marks
}

// shortestLoop searches for a loop that satisfies the pair of c, within the given number of steps.
// If other is not nil, the loop does not begin with that transition. The search goes breadth first
// over product states and the demanded colours since the beginning of the loop.
func (x *nearest) shortestLoop(
	s lts.State,
	c goodCase,
	most int,
	other *lts.Transition,
) []lts.Transition {
	if x.loopVisited == nil {
		x.loopVisited = newNumberSet(uint64(x.m.NumStates()) << mostRecurring)
	}
	x.loopVisited.empty()
	first := inLoop{state: s, from: -1}
	x.loopNodes = append(x.loopNodes[:0], first)
	x.loopVisited.add(first.number(c.pair.Inf))
	steps := 1       // the number of steps to the nodes that are reached now
	lastOfRound := 0 // the index of the last node that is one step nearer
	for next := 0; next < len(x.loopNodes); next++ {
		if next > lastOfRound {
			steps++
			lastOfRound = len(x.loopNodes) - 1
		}
		if steps > most {
			return nil
		}
		from := x.loopNodes[next]
		labels, targets := x.m.Out(from.state)
		x.work += 1 + int64(len(targets))
		if x.isAtLimit() {
			return nil
		}
		for i, to := range targets {
			l := labels.At(i)
			if c.part[to] != c.part[s] || !x.isAllowedAvoiding(c.pair, from.state, l, to) {
				continue
			}
			isOther := next == 0 && other != nil && *other == lts.Transition{From: s, Label: l, To: to}
			if isOther {
				continue
			}
			n := inLoop{
				state:   to,
				label:   l,
				from:    int32(next),
				colours: from.colours | x.unfolding.Marks(from.state, l)&c.pair.Inf,
			}
			if to == s && n.colours == c.pair.Inf {
				return x.loopTo(n)
			}
			if x.loopVisited.add(n.number(c.pair.Inf)) {
				x.loopNodes = append(x.loopNodes, n)
			}
		}
	}
	return nil
}

// number returns a number for each pair of a product state and a set of demanded colours, which
// must be given as single bits.
func (n inLoop) number(demanded property.Marks) uint64 {
	number := uint64(n.state)
	for colour := range demanded.All {
		number = number<<1 | uint64(n.colours)>>colour&1
	}
	return number
}

// loopTo returns the steps of the loop that ends in a node.
func (x *nearest) loopTo(n inLoop) []lts.Transition {
	var loop []lts.Transition
	for n.from >= 0 {
		before := x.loopNodes[n.from]
		loop = append(loop, lts.Transition{
			From:  before.state,
			Label: n.label,
			To:    n.state,
		})
		n = before
	}
	slices.Reverse(loop)
	return loop
}
