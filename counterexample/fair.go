package counterexample

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/enrich/pending"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/pagedlist"
	"github.com/inev-lts/inev/internal/property/fairset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// fair searches for a run that counts under the fairness assumption of f and violates its property;
// the result has no trace if there is none.
//
// If such a run ends in a deadlock, or where only blocking actions are possible, the result is a
// shortest run of this kind. Otherwise, under full fairness, it is the shortest run after which the
// property is lost: every fair run that continues it violates the property (see [NewStem]). Under
// other assumptions, it is a stem and a round that a fair run can repeat forever, unless a deadlock
// is as near. The exact search for it visits pairs of a state and the needs of each task (see
// [limitsIn]); if it is complete, the result is a shortest one. To find a shortest one is NP-hard
// in the number of tasks (generalised Büchi). If the exact search is not complete, the result is a
// shortest path to the nearest set where a fair run can stay forever, with a round that goes from
// each duty to the nearest next one, without superfluous detours. Such a result is not called
// shortest.
//
// It fails if ctx is done. Cost O(n (S + T)), times the number of strong tasks, then at most what
// [limits] allow for the exact search, and what they allow for the paths from duty to duty, and the
// length of the round.
func (h chainHalf) fair(ctx context.Context, fates *fate.Map, limits limits) *Result {
	e, _ := fates.Enriched()
	x := &fair{
		ctx:    ctx,
		fates:  fates,
		e:      e,
		m:      fates.LTS(),
		p:      h.p,
		f:      fates.Fairness(),
		limits: limits,
	}
	return x.search()
}

// search performs the search of [chainHalf.fair], or of [tableHalf.fair].
func (x *fair) search() *Result {
	x.explore()
	r := &Result{}
	r.Stats.Stored = int64(x.nodes.Len())
	r.Stats.Matched = int64(x.nodes.Len())
	err := abort.Try(func() { x.findRun(r) })
	if err != nil && x.ctx.Err() == nil {
		err = fmt.Errorf("counterexample: the search for a fair run went wrong, please report it: %w", err)
	}
	abort.On(err)
	return r
}

// findRun sets the run of r, and reports in r whether the run is a shortest one.
func (x *fair) findRun(r *Result) {
	switch {
	case !x.f.Full():
		var shortest bool
		r.Trace, shortest = x.nearestRun()
		r.Minimal = ifShortest(shortest)
	case x.dead >= 0:
		r.Trace = x.run(x.path(x.dead), noLoop)
		r.Minimal = InModel
	case x.lost >= 0:
		steps := lower(x.u, x.path(x.lost))
		r.Trace = abort.Must(NewStem(x.fates.LTS(), x.fates.Property(), steps, Trap))
		r.Minimal = InModel
	}
}

// run returns the run with the given transitions.
func (x *fair) run(steps []lts.Transition, loop int) *Trace {
	m := x.fates.LTS()
	p := x.fates.Property()
	steps = lower(x.u, steps)
	end := m.Initial()
	if len(steps) > 0 {
		end = steps[len(steps)-1].To
	}
	if loop != noLoop || m.IsDeadlock(end) {
		return abort.Must(NewViolating(m, p, steps, loop))
	}
	t := abort.Must(NewStem(m, p, steps, Stop))
	if t.Satisfies() {
		abort.On(ErrSatisfies)
	}
	return t
}

// fair is a search for a fair run.
type fair struct {
	ctx   context.Context
	fates *fate.Map
	e     *enrich.Enriched
	m     *lts.LTS
	p     *property.Chain
	f     *property.Fairness
	// u is the product of model and property if the property is no chain, and m is then the LTS of
	// u. In this case, e and p are nil, and progress is always 0.
	u *product.Unfolding
	// nodes are the visited pairs of state and progress in breadth-first order; the progress of the
	// pairs of one state decreases. first[s] is one more than the number of the first node of s, or
	// 0 if s has none.
	nodes pagedlist.List[fairNode]
	first []uint32
	// dead is the first node where a run may end without having done all steps. lost is the first
	// node from which no run does all steps. Each is -1 if there is no such node.
	dead, lost int
	limits     limits
}

// limits are the largest numbers of transitions that two searches may visit: the exact search, and
// the searches of a tour.
type limits struct{ exact, tour int }

type fairNode struct {
	treeNode
	progress uint32
	next     uint32 // one more than the number of the next node of the same state; 0 for none
	depth    uint32
}

// explore visits pairs of a state and a progress, breadth first. It drops a pair if its state was
// visited before with the same progress or less.
func (x *fair) explore() {
	x.first = abort.Must(resources.Make[uint32](x.ctx, x.m.NumStates()))
	x.dead = -1
	x.lost = -1
	x.addNode(fairNode{treeNode: treeNode{state: x.m.Initial()}})
	for at := 0; at < x.nodes.Len(); at++ {
		abort.IfDone(x.ctx, at)
		n := *x.nodes.At(at)
		done, lost := x.outcome(n)
		if done {
			continue
		}
		if lost && x.lost < 0 {
			x.lost = at
		}
		if x.dead < 0 && x.mayEndInViolation(n.state) {
			x.dead = at
		}
		labels, targets := x.m.Out(n.state)
		for i, to := range targets {
			step := treeNode{state: to, label: labels.At(i), parent: uint32(at)}
			after := fairNode{treeNode: step, depth: n.depth + 1}
			if x.p != nil {
				after.progress = uint32(x.p.Advance(int(n.progress), labels.At(i)))
			}
			x.addNode(after)
		}
	}
}

// mayEndInViolation reports whether a run that counts may end in a state and then violates the
// property. For a chain, the caller must know that not all steps are done.
func (x *fair) mayEndInViolation(s lts.State) bool {
	if !x.f.MayEnd(x.m, s) {
		return false
	}
	return x.p != nil || !x.u.Property().Ends(x.u.At(s).Q, x.m.IsDeadlock(s))
}

// outcome reports whether all runs that continue a node satisfy the property (done). lost reports
// whether some of them count, and all that count violate it.
func (x *fair) outcome(n fairNode) (done, lost bool) {
	if x.p == nil {
		at := x.u.At(n.state)
		reached := x.fates.At(at.State, at.Q)
		return reached == fate.Sure, reached == fate.Lost
	}
	missing := x.p.Len() - int(n.progress)
	return missing == 0, x.e.MS(n.state) < missing && x.e.Admits(n.state)
}

// addNode adds a node, unless its state was visited with the same progress or less.
func (x *fair) addNode(n fairNode) {
	link := &x.first[n.state]
	for *link != 0 {
		known := x.nodes.At(int(*link) - 1)
		if known.progress <= n.progress {
			return
		}
		link = &known.next
	}
	*link = uint32(x.nodes.Len() + 1)
	x.nodes.Append(n)
}

// path returns the transitions to a node.
func (x *fair) path(to int) []lts.Transition {
	return treePath(to, func(i int) *treeNode {
		return &x.nodes.At(i).treeNode
	})
}

// firstNode returns the first node of state s with at most the given progress; -1 if there is none.
func (x *fair) firstNode(s lts.State, progress int) int {
	for at := x.first[s]; at != 0; at = x.nodes.At(int(at) - 1).next {
		if int(x.nodes.At(int(at)-1).progress) <= progress {
			return int(at) - 1
		}
	}
	return -1
}

// fairSet is a maximal set of states where a fair run can stay forever without doing a step.
type fairSet struct {
	states []lts.State
	step   int
	entry  int // the first node in a state of the set from which the run has yet to do the step
	// pair is set for a property that is no chain: transitions of the set must not have the colours of
	// Fin, and a run must take the colours of Inf infinitely often.
	pair property.Pair
}

// setsOfChain returns the fair sets for each step of a chain.
func (x *fair) setsOfChain() (all []fairSet) {
	awaiting := abort.Must(pending.Find(x.ctx, x.e))
	sets := abort.Must(fairset.NewSets(x.ctx, x.e.Components(), x.f, nil))
	hidden := make([]bitset.Set[lts.Label], x.p.Len()+1)
	for part := range awaiting.All {
		abort.On(x.ctx.Err())
		step := part.Step
		if hidden[step] == nil {
			hidden[step] = sets.Hidden(func(l lts.Label) bool {
				return x.p.Does(l, step)
			})
		}
		add := func(set []lts.State) bool {
			all = append(all, fairSet{states: set, step: step})
			return true
		}
		abort.On(sets.In(part.Component, part.States, hidden[step], add))
	}
	return all
}

// nearestRun returns a run into a deadlock, or an infinite fair run, and reports whether it is a
// shortest one; the run is nil if there is none. Of two runs with the same length it prefers the
// run into a deadlock.
func (x *fair) nearestRun() (*Trace, bool) {
	sets := x.setsByDistance()
	best := lasso{length: math.MaxInt}
	if x.dead >= 0 {
		best = lasso{
			steps:  x.path(x.dead),
			loop:   noLoop,
			length: int(x.nodes.At(x.dead).depth),
		}
	}
	if len(sets) == 0 && x.dead < 0 {
		return nil, false
	}
	in := newInside(x)
	exact := in.shorten(sets, &best)
	if !exact {
		nearest := sets[0]
		begin := x.nodes.At(nearest.entry).state
		round := in.newTour(nearest).round(begin)
		found := newLasso(x.path(nearest.entry), in.withoutDetours(round))
		if found.length < best.length {
			best = found
		}
	}
	return x.run(best.steps, best.loop), exact
}

// setsByDistance returns the sets where a fair run can stay forever and violate the property, the
// nearest first.
func (x *fair) setsByDistance() (sets []fairSet) {
	if x.u == nil {
		sets = x.setsOfChain()
	} else {
		sets = x.setsInProduct()
	}
	for i := range sets {
		set := &sets[i]
		set.entry = x.nodes.Len()
		for _, s := range set.states {
			at := x.firstNode(s, set.step-1)
			if at >= 0 {
				set.entry = min(set.entry, at)
			}
		}
	}
	slices.SortStableFunc(sets, func(a, b fairSet) int {
		return a.entry - b.entry
	})
	return sets
}

// lasso is a run. loop is the index where its loop begins; [noLoop] if the run ends in a deadlock.
type lasso struct {
	steps  []lts.Transition
	loop   int
	length int
}

func newLasso(stem, loop []lts.Transition) lasso {
	return lasso{
		steps:  append(stem, loop...),
		loop:   len(stem),
		length: len(stem) + len(loop),
	}
}

// inside has the data that searches within fair sets share.
type inside struct {
	*fair
	fairSet
	// member[s] is one more than the index of s in the set; 0 outside.
	member []uint32
}

func newInside(x *fair) *inside {
	return &inside{fair: x, member: abort.Must(resources.Make[uint32](x.ctx, x.m.NumStates()))}
}

// enter makes a set the current one.
func (x *inside) enter(set fairSet) {
	for _, s := range x.states {
		x.member[s] = 0
	}
	x.fairSet = set
	for k, s := range set.states {
		x.member[s] = uint32(k) + 1
	}
}

// allows reports whether rounds in the set may take a transition from a state of the set.
func (x *inside) allows(from lts.State, l lts.Label, to lts.State) bool {
	if x.member[to] == 0 || x.f.Rare(l) {
		return false
	}
	if x.u != nil {
		return x.u.Marks(from, l)&x.pair.Fin == 0
	}
	return !x.p.Does(l, x.step)
}

// colours returns those colours of a transition which each round of the loop must have.
func (x *inside) colours(from lts.State, l lts.Label) property.Marks {
	if x.pair.Inf == 0 {
		return 0
	}
	return x.u.Marks(from, l) & x.pair.Inf
}

// belongs reports whether a transition with a label of task k belongs to the task: some tasks leave out
// transitions that change nothing.
func (x *inside) belongs(k uint32, from, to lts.State) bool {
	if !x.f.Tasks()[k].Nonstuttering {
		return true
	}
	stutters := from == to || x.u != nil && x.u.Stays(from, to)
	return !stutters
}

// enables calls do for each task that a state enables, once for each transition of the task.
func (x *inside) enables(s lts.State, do func(k uint32)) {
	labels, targets := x.m.Out(s)
	for i, to := range targets {
		for _, k := range x.f.TasksOf(labels.At(i)) {
			if x.belongs(k, s, to) {
				do(k)
			}
		}
	}
}

// mostForDetours is the largest number of transitions that the search for superfluous detours visits.
const mostForDetours = 1 << 22

// cutting removes detours from a round.
type cutting struct {
	*inside
	walk []lts.Transition
	// taken[k] is the number of transitions of the walk that do task k. enabled[k] is the number of
	// visits of the walk to states that enable the task.
	taken, enabled []int32
	// withColour[c] is the number of transitions of the walk with colour c, if a round must take that
	// colour.
	withColour [property.Colours]int32
	// seen[k] is the number of the last examined state that enables task k; examined is the number of
	// states examined so far.
	seen     []uint32
	examined uint32
	work     int // the number of transitions visited
	// visits[i] is the number of times that transitions leave state i of the set, among those that the
	// method count examines.
	visits []int32
}

// withoutDetours removes detours without which a round is still fair. A detour is a part that returns to
// its first state. withoutDetours tries detours in the order of their beginnings, and of those with the
// same beginning the longest first. Once it reaches its limit, the remaining detours stay.
func (x *inside) withoutDetours(walk []lts.Transition) []lts.Transition {
	tasks := len(x.f.Tasks())
	c := &cutting{
		inside:  x,
		walk:    walk,
		taken:   make([]int32, tasks),
		enabled: make([]int32, tasks),
		seen:    make([]uint32, tasks),
		visits:  make([]int32, len(x.states)),
	}
	c.count(walk, 1)
	for from := 0; from < len(c.walk) && c.work < mostForDetours; from++ {
		c.work += len(c.walk) - from
		abort.On(x.ctx.Err())
		if c.leaveOutDetourFrom(from) {
			from-- // another detour may begin there now
		}
	}
	return c.walk
}

// leaveOutDetourFrom removes the longest superfluous detour that begins at an index of the walk,
// and reports whether there is one. A detour is superfluous if the round is still fair without it.
func (c *cutting) leaveOutDetourFrom(from int) bool {
	for to := len(c.walk); to > from && c.work < mostForDetours; to-- {
		isWholeWalk := to-from == len(c.walk)
		isDetour := !isWholeWalk && c.walk[to-1].To == c.walk[from].From
		if isDetour && c.leaveOut(from, to) {
			return true
		}
	}
	return false
}

// leaveOut removes a detour of the walk, and reports whether the round is still fair. If it is not,
// leaveOut restores the detour. Without the detour, a round can neglect only the tasks that the detour
// does, and the weak tasks that all remaining states enable.
func (c *cutting) leaveOut(from, to int) bool {
	detour := c.walk[from:to]
	c.count(detour, -1)
	if !c.isFairWithout(detour) {
		c.count(detour, 1)
		return false
	}
	c.walk = append(c.walk[:from], c.walk[to:]...)
	return true
}

// isFairWithout reports whether the walk without a detour is a fair round. The caller must have
// subtracted the detour from the counts.
func (c *cutting) isFairWithout(detour []lts.Transition) bool {
	for demanded := c.pair.Inf; demanded != 0; demanded &= demanded - 1 {
		if c.withColour[bits.TrailingZeros64(uint64(demanded))] == 0 {
			return false
		}
	}
	length := int32(len(c.walk) - len(detour))
	labels, _ := c.m.Out(detour[0].From)
	for i := range labels.Len() {
		for _, k := range c.f.TasksOf(labels.At(i)) {
			if !c.isFair(k, length) {
				return false
			}
		}
	}
	for _, step := range detour {
		for _, k := range c.f.MetBy(step.Label) {
			if !c.isFair(k, length) {
				return false
			}
		}
	}
	return true
}

// isFair reports whether a round of the given length, with the current counts, is fair to task k.
func (c *cutting) isFair(k uint32, length int32) bool {
	if c.taken[k] > 0 || c.enabled[k] == 0 {
		return true
	}
	return !c.f.Tasks()[k].Strong && c.enabled[k] < length
}

// count adds transitions of the walk to the counts, or subtracts them if by is -1.
func (c *cutting) count(steps []lts.Transition, by int32) {
	for _, x := range steps {
		for m := c.colours(x.From, x.Label); m != 0; m &= m - 1 {
			c.withColour[bits.TrailingZeros64(uint64(m))] += by
		}
		for _, k := range c.f.MetBy(x.Label) {
			if c.belongs(k, x.From, x.To) {
				c.taken[k] += by
			}
		}
		c.visits[c.member[x.From]-1] += by
	}
	// The tasks that a state enables are found once, however often the steps leave the state.
	for _, x := range steps {
		visits := &c.visits[c.member[x.From]-1]
		if *visits == 0 {
			continue
		}
		c.examined++
		labels, _ := c.m.Out(x.From)
		c.work += labels.Len()
		c.enables(x.From, func(k uint32) {
			if c.seen[k] != c.examined {
				c.seen[k] = c.examined
				c.enabled[k] += *visits
			}
		})
		*visits = 0
	}
}

// fair finds a fair run that violates a property that is no chain; fates are those under the assumption. For
// chains see [chainHalf.fair].
//
// A safety property is violated by a bad prefix, see [badPrefix]: a fair run continues every finite
// run, unless some labels may occur only finitely often. For other properties, fair searches as
// [chainHalf.fair] does, but in the product of model and property, where the loop closes and takes
// colours that violate the condition. Under full fairness, the result is the shortest run after
// which almost no run satisfies the property. fair fails if ctx is done, or if the complement of
// the condition has more than 1,024 pairs. Cost as for chains in the product, for each of these
// pairs.
func (h tableHalf) fair(ctx context.Context, fates *fate.Map, limits limits) *Result {
	f := fates.Fairness()
	if !f.Excludes() {
		r, safety := badPrefix(ctx, fates.LTS(), h.p, false)
		if safety && f.Full() && r.Trace != nil {
			// Once the property is lost, almost every continuation violates it. So a run that
			// violates it without being a bad prefix may be shorter.
			r.Minimal = ifShortest(stepsToLoss(ctx, fates) == r.Trace.Len())
		}
		if safety {
			return r
		}
	}
	u := abort.Must(fates.Unfold(ctx))
	x := &fair{
		ctx:    ctx,
		fates:  fates,
		m:      u.LTS(),
		u:      u,
		f:      f,
		limits: limits,
	}
	r := x.search()
	mayCloseEarlierInModel := !f.Full() && h.p.States() > 1
	if r.Minimal != MinimalUnknown && mayCloseEarlierInModel {
		r.Minimal = InProduct
	}
	return r
}

// stepsToLoss returns the smallest number of steps after which the property is lost.
func stepsToLoss(ctx context.Context, fates *fate.Map) int {
	u := abort.Must(fates.Unfold(ctx))
	for s, distance := range newGeneral(ctx, u, nil, Options{}).distance {
		at := u.At(lts.State(s))
		if fates.At(at.State, at.Q) == fate.Lost {
			return int(distance)
		}
	}
	return 0
}

// setsInProduct returns, for each pair of the property's complement, the sets of product states
// where a fair run can stay forever and violate the property.
func (x *fair) setsInProduct() (all []fairSet) {
	pairs := pairsOf(x.u.Property())
	c := abort.Must(x.fates.UnfoldedComponents(x.ctx))
	for _, pair := range pairs {
		component, _, err := x.u.Recurring(x.ctx, c, pair.Fin, pair.Inf, x.f)
		abort.On(err)
		all = append(all, setsOf(component, pair)...)
	}
	return all
}

// setsOf returns the components of a pair as sets; component has their numbers, from 1.
func setsOf(component []uint32, pair property.Pair) (sets []fairSet) {
	for _, states := range statesOf(component) {
		sets = append(sets, fairSet{states: states, step: 1, pair: pair})
	}
	return sets
}

// The search for a shortest fair lasso visits at most exactPasses times the number of states and
// transitions of the model; this limit is raised to leastExact, or lowered to mostExact. statusBits
// is the number of bits of a status.
const (
	exactPasses = 32
	leastExact  = 1 << 22
	mostExact   = 1 << 25
	statusBits  = 64
)

// limitsIn returns the limits of the searches in a model.
func limitsIn(m *lts.LTS) limits {
	passes := exactPasses * (m.NumStates() + m.NumTransitions())
	return limits{exact: min(max(passes, leastExact), mostExact), tour: tourLooks}
}

// rounds searches for shortest rounds in a set, from one state after the other.
//
// A status is a set of bits about the tasks that a round has done; a status with more bits is
// better. Each weak task that the first state of a round enables has one bit: it is set once the
// task has been done, or a visited state does not enable the task. Each strong task has two bits.
// The lower bit is set as long as no visited state enables the task, and once the task has been
// done. The higher bit is set once the task has been done. A pair of a state and a status is
// dropped if the state was visited with a status that contains this one.
type rounds struct {
	*inside
	// bit[k] is one more than the number of the lowest bit of task k, or 0 if the task has no bit.
	// weak and strong are the tasks with bits; used is the number of bits.
	bit          []uint8
	weak, strong tasksWithBits
	used         int
	bitOf        [property.Colours]uint8 // the bit of each colour that a round must take
	// all are the bits of a round that is fair and violates the property. They consist of one bit
	// for each weak task, the lower bits of the strong tasks (low), and the bits of the colours
	// that the round must take (demanded).
	all, low, demanded uint64
	// enabled[i] are the bits in all of the tasks that state i of the set enables. It is only valid
	// if known[i] is the number of the current search.
	enabled  []uint64
	known    []uint32
	searches uint32
	// nodes are the visited pairs in breadth-first order. first[i] is one more than the number of
	// the last pair of state i, or 0 if it has none.
	nodes []roundNode
	first []uint32
	work  int // the number of states, transitions and nodes visited
}

// tasksWithBits are the weak or the strong tasks that have bits.
type tasksWithBits struct {
	areStrong bool
	tasks     []uint32
}

// width returns the number of bits of a task.
func (t *tasksWithBits) width() int {
	if t.areStrong {
		return 2
	}
	return 1
}

type roundNode struct {
	treeNode
	next   uint32 // one more than the number of another node of the same state; 0 for none
	depth  uint32
	status uint64
}

// shorten replaces best by a shortest lasso, unless best is as short. exact reports whether best is
// then known to be a shortest lasso.
func (x *inside) shorten(sets []fairSet, best *lasso) (exact bool) {
	r := &rounds{inside: x, strong: tasksWithBits{areStrong: true}}
	r.bit = abort.Must(resources.Make[uint8](x.ctx, len(x.f.Tasks())))
	exact = true
	for _, set := range sets {
		shortestPossible := int(x.nodes.At(set.entry).depth) + 1
		if shortestPossible >= best.length {
			return exact
		}
		r.enter(set)
		if !r.prepare() {
			exact = false
			continue
		}
		if !r.shortest(best) {
			return false
		}
	}
	return exact
}

// prepare assigns bits to the strong tasks of the set, and to the colours that a round must take.
// It reports whether there are enough bits.
func (r *rounds) prepare() bool {
	r.releaseBits(&r.weak)
	r.releaseBits(&r.strong)
	r.nodes = r.nodes[:0]
	r.used = 0
	r.all = 0
	r.low = 0
	for _, s := range r.states {
		if !r.assignBits(s, &r.strong) {
			return false
		}
	}
	r.low = r.all
	r.demanded = 0
	r.bitOf = [property.Colours]uint8{}
	for c := range property.Colours {
		if !r.pair.Inf.Has(c) {
			continue
		}
		if r.used == statusBits {
			return false
		}
		r.bitOf[c] = uint8(r.used)
		r.demanded |= 1 << r.used
		r.used++
	}
	r.all |= r.demanded
	n := len(r.states)
	r.enabled = make([]uint64, n)
	r.known = make([]uint32, n)
	r.first = make([]uint32, n)
	r.searches = 0
	return true
}

// releaseBits takes the bits of the tasks back.
func (r *rounds) releaseBits(t *tasksWithBits) {
	for _, k := range t.tasks {
		r.bit[k] = 0
	}
	t.tasks = t.tasks[:0]
}

// assignBits assigns bits to the tasks of one kind that s enables, and reports whether there are enough
// bits.
func (r *rounds) assignBits(s lts.State, t *tasksWithBits) (enough bool) {
	enough = true
	r.enables(s, func(k uint32) {
		if r.bit[k] != 0 || r.f.Tasks()[k].Strong != t.areStrong {
			return
		}
		if r.used+t.width() > statusBits {
			enough = false
			return
		}
		r.bit[k] = uint8(r.used) + 1
		r.all |= 1 << r.used
		r.used += t.width()
		t.tasks = append(t.tasks, k)
	})
	return enough
}

// bitOfTask returns the lowest bit of a task, or 0 if the task has no bit: then the shift is by
// 255.
func (r *rounds) bitOfTask(k uint32) uint64 { return 1 << (r.bit[k] - 1) }

// arrive returns the status after a visit to s, from the status before the visit.
func (r *rounds) arrive(status uint64, s lts.State) uint64 {
	at := r.member[s] - 1
	if r.known[at] != r.searches {
		r.known[at] = r.searches
		r.enabled[at] = 0
		r.enables(s, func(k uint32) { r.enabled[at] |= r.bitOfTask(k) })
	}
	enabled := r.enabled[at]
	weak := r.all &^ r.low &^ r.demanded
	disabledWeak := weak &^ enabled
	doneStrong := status >> 1 & r.low // the lower bits of strong tasks whose higher bits are set
	neglectedStrong := enabled & r.low &^ doneStrong
	return (status | disabledWeak) &^ neglectedStrong
}

// shortest searches for a shorter lasso from each state of the set, the nearest state first. ended
// reports whether the search is complete.
func (r *rounds) shortest(best *lasso) (ended bool) {
	entries := make([]int, 0, len(r.states))
	for _, s := range r.states {
		at := r.firstNode(s, r.step-1)
		if at >= 0 {
			entries = append(entries, at)
		}
	}
	slices.Sort(entries)
	for _, entry := range entries {
		n := r.fair.nodes.At(entry)
		most := best.length - int(n.depth) - 1
		if most < 1 {
			break
		}
		loop, ended := r.searchFrom(n.state, most)
		if !ended {
			return false
		}
		if loop != nil {
			stem := r.path(entry)
			*best = newLasso(stem, loop)
		}
	}
	return true
}

// searchFrom returns a shortest fair round from s with at most the given number of transitions; nil
// if it finds none. ended reports whether the search is complete.
func (r *rounds) searchFrom(s lts.State, most int) (loop []lts.Transition, ended bool) {
	if !r.restart(s) {
		return nil, false
	}
	r.addNode(roundNode{treeNode: treeNode{state: s}, status: r.arrive(r.low, s)})
	for at := 0; at < len(r.nodes); at++ {
		n := r.nodes[at]
		if int(n.depth) == most {
			break
		}
		labels, targets := r.m.Out(n.state)
		workBefore := r.work
		r.work += 1 + labels.Len()
		if r.work > r.limits.exact {
			return nil, false
		}
		const checkInterval = 1 << 12
		if workBefore/checkInterval != r.work/checkInterval {
			abort.On(r.ctx.Err())
		}
		for i, to := range targets {
			if !r.allows(n.state, labels.At(i), to) {
				continue
			}
			taken := r.bitsTaken(n.state, labels.At(i), to)
			higherBits := taken & r.low << 1 // of strong tasks that the transition does
			next := roundNode{
				treeNode: treeNode{
					state:  to,
					label:  labels.At(i),
					parent: uint32(at),
				},
				depth:  n.depth + 1,
				status: r.arrive(n.status|taken|higherBits, to),
			}
			isFair := next.status&r.all == r.all
			if to == s && isFair {
				r.nodes = append(r.nodes, next)
				return treePath(len(r.nodes)-1, func(i int) *treeNode {
					return &r.nodes[i].treeNode
				}), true
			}
			r.addNode(next)
		}
	}
	return nil, true
}

// restart discards the last search. It takes the bits of weak tasks back, and gives them to the
// weak tasks that s enables. It reports whether there are enough bits.
func (r *rounds) restart(s lts.State) (enough bool) {
	for _, n := range r.nodes {
		r.first[r.member[n.state]-1] = 0
	}
	r.nodes = r.nodes[:0]
	r.searches++
	r.used -= r.weak.width() * len(r.weak.tasks)
	r.releaseBits(&r.weak)
	r.all = r.low | r.demanded
	return r.assignBits(s, &r.weak)
}

// bitsTaken returns the lowest bits of the tasks that a transition does or interferes with, and the
// bits of its colours.
func (r *rounds) bitsTaken(from lts.State, l lts.Label, to lts.State) (taken uint64) {
	for _, k := range r.f.MetBy(l) {
		if r.belongs(k, from, to) {
			taken |= r.bitOfTask(k)
		}
	}
	for m := r.colours(from, l); m != 0; m &= m - 1 {
		taken |= 1 << r.bitOf[bits.TrailingZeros64(uint64(m))]
	}
	return taken
}

// addNode adds a node, unless its state was visited with a status that contains this one.
func (r *rounds) addNode(n roundNode) {
	link := &r.first[r.member[n.state]-1]
	for at := *link; at != 0; at = r.nodes[at-1].next {
		r.work++
		isContained := n.status&^r.nodes[at-1].status == 0
		if isContained {
			return
		}
	}
	n.next = *link
	r.nodes = append(r.nodes, n)
	*link = uint32(len(r.nodes))
}

// tour makes a fair round in a set, from one duty to the nearest next one. A duty is a task that
// the rest of the round has to fulfil: a strong task that some state on the round enables must be
// done; a weak task that all states so far enable must be done or disabled.
type tour struct {
	*inside
	// due has the state of each task. open is the number of duties and of missing colours.
	due  []duty
	open int
	// missing are the colours that the round must still take.
	missing property.Marks
	// weak are the weak tasks that may still be duties.
	weak []uint32
	// seen[k] is the number of the last examined state that enables task k; examined is the number of
	// states examined so far.
	seen     []uint32
	examined uint32
	// arrived are the indices of the states of the set that the round has visited. Further visits
	// to these states do not change the duties.
	arrived bitset.Set[uint32]
	// spent is the number of transitions that searches have visited, visits the number of states.
	// When spent reaches the limit, the tour continues with trips.
	spent  int
	visits int64
	trips  *trips
	// visited[i] is the number of the last search that visited state i of the set.
	visited  []uint32
	searches uint32
	queue    []treeNode
}

type duty uint8

const (
	notDue duty = iota // the task is no duty now, but may become a duty
	due
	done // the task can never become a duty again
)

// newTour makes a set the current one, and returns a tour in it that has not begun.
func (x *inside) newTour(set fairSet) *tour {
	x.enter(set)
	tasks := len(x.f.Tasks())
	abort.On(resources.Ask(x.ctx, int64(tasks)*13+4*int64(len(set.states))))
	return &tour{
		inside:  x,
		due:     make([]duty, tasks),
		seen:    make([]uint32, tasks),
		visited: make([]uint32, len(set.states)),
		arrived: bitset.New[uint32](len(set.states)),
	}
}

// round returns a fair round from s that a run can repeat forever. It appends a path to the nearest
// duty until no duty is left, and then a path back to s. That ends: a path back to s may meet new
// duties, but all other paths fulfil a duty, which does not become a duty again.
func (t *tour) round(s lts.State) []lts.Transition {
	t.begin(s)
	var walk []lts.Transition
	at := s
	for {
		path := t.onward(at, s)
		for _, step := range path {
			t.recordTaken(step)
			t.arrive(step.To)
		}
		walk = abort.Must(resources.Grow(t.ctx, walk, len(path)))
		walk = append(walk, path...)
		at = walk[len(walk)-1].To
		if t.open == 0 && at == s {
			return walk
		}
	}
}

// begin starts the round in s: the duties are the weak tasks and the strong tasks that s enables,
// and all colours are missing.
func (t *tour) begin(s lts.State) {
	t.markEnabled(s)
	for k, task := range t.f.Tasks() {
		isEnabled := t.seen[k] == t.examined
		if isEnabled && !task.Strong {
			t.due[k] = due
			t.open++
			t.weak = append(t.weak, uint32(k))
		}
	}
	t.missing = t.pair.Inf
	t.open += t.missing.Len()
	t.arrive(s) // adds the strong tasks
}

// recordTaken updates the duties and the missing colours after a transition.
func (t *tour) recordTaken(step lts.Transition) {
	taken := t.colours(step.From, step.Label) & t.missing
	t.open -= taken.Len()
	t.missing &^= taken
	for _, k := range t.f.MetBy(step.Label) {
		if !t.belongs(k, step.From, step.To) {
			continue
		}
		if t.due[k] == due {
			t.open--
		}
		if t.due[k] == due || t.f.Tasks()[k].Strong {
			t.due[k] = done
		}
	}
}

// markEnabled sets seen for the tasks that s enables.
func (t *tour) markEnabled(s lts.State) {
	t.examined++
	t.enables(s, func(k uint32) { t.seen[k] = t.examined })
}

// arrive updates the duties after a visit to s: enabled strong tasks may become duties, and
// disabled weak tasks are done.
func (t *tour) arrive(s lts.State) {
	index := t.member[s] - 1
	if t.arrived.Has(index) {
		return
	}
	t.arrived.Add(index)
	t.markEnabled(s)
	labels, _ := t.m.Out(s)
	for i := range labels.Len() {
		for _, k := range t.f.TasksOf(labels.At(i)) {
			isEnabled := t.seen[k] == t.examined
			if t.due[k] == notDue && isEnabled && t.f.Tasks()[k].Strong {
				t.due[k] = due
				t.open++
				if t.trips != nil {
					t.trips.tasks = append(t.trips.tasks, k)
				}
			}
		}
	}
	stillWeak := t.weak[:0]
	for _, k := range t.weak {
		switch {
		case t.due[k] == done:
			continue
		case t.seen[k] == t.examined:
			stillWeak = append(stillWeak, k)
		default:
			t.due[k] = done
			t.open--
		}
	}
	t.weak = stillWeak
}

// doesDuty reports whether a transition fulfils a duty, or has a missing colour.
func (t *tour) doesDuty(x lts.Transition) bool {
	if t.colours(x.From, x.Label)&t.missing != 0 {
		return true
	}
	for _, k := range t.f.MetBy(x.Label) {
		if t.due[k] == due && t.belongs(k, x.From, x.To) {
			return true
		}
	}
	return false
}

// endsDuty reports whether a visit to a state fulfils a duty: a weak task that the state does not
// enable.
func (t *tour) endsDuty(s lts.State) bool {
	if len(t.weak) == 0 || t.arrived.Has(t.member[s]-1) {
		return false
	}
	t.markEnabled(s)
	for _, k := range t.weak {
		if t.due[k] == due && t.seen[k] != t.examined {
			return true
		}
	}
	return false
}

// onward returns a path from a state to the next duty, or to home if there is no duty. It is a
// shortest path, unless the searches have reached their limit and no colour is missing.
func (t *tour) onward(from, home lts.State) []lts.Transition {
	if t.spent < t.limits.tour || t.missing != 0 {
		return t.toNearestDuty(from, home)
	}
	if t.trips == nil {
		t.trips = t.newTrips(home)
	}
	path := t.trips.toNextDuty(from)
	if len(path) > 0 {
		return path
	}
	return t.toNearestDuty(from, home)
}

// toNearestDuty returns a shortest path from a state to the nearest duty, or to home if there is no duty.
func (t *tour) toNearestDuty(from, home lts.State) []lts.Transition {
	t.searches++
	t.visited[t.member[from]-1] = t.searches
	t.queue = append(t.queue[:0], treeNode{state: from})
	for next := 0; next < len(t.queue); next++ {
		abort.IfDone(t.ctx, next)
		at := t.queue[next].state
		labels, targets := t.m.Out(at)
		t.spent += len(targets)
		t.visits++
		for i, to := range targets {
			if !t.allows(at, labels.At(i), to) {
				continue
			}
			step := lts.Transition{From: at, Label: labels.At(i), To: to}
			isNew := t.visited[t.member[to]-1] != t.searches
			isEnd := to == home
			if t.open > 0 {
				isEnd = t.doesDuty(step) || isNew && t.endsDuty(to)
			}
			if isEnd {
				path := treePath(next, func(i int) *treeNode { return &t.queue[i] })
				return append(path, step)
			}
			if isNew {
				t.visited[t.member[to]-1] = t.searches
				t.queue = append(t.queue, treeNode{
					state:  to,
					label:  labels.At(i),
					parent: uint32(next),
				})
			}
		}
	}
	abort.On(errors.New("a fair set is not strongly connected: no path leads on to what its tour must visit"))
	return nil
}

// tourLooks is the largest number of transitions that the searches of a tour for the nearest duty
// visit. After that, the tour makes trips.
const tourLooks = 1 << 22

// trips are paths from the first state of a tour, called home, to each duty and back. Such a path
// can be longer than a path from one duty to the nearest next one, but the cost of finding it is
// only its length.
type trips struct {
	*tour
	home lts.State
	// out has, for each state of the set, the last transition of a shortest path from home to the
	// state. back has the first transition of a shortest path from the state to home.
	out, back []lts.Transition
	// duty[k] is the first transition that does task k, in the order of a search from home. taken
	// are the tasks with such a transition.
	duty  []lts.Transition
	taken bitset.Set[uint32]
	// useless[i] is the number of leading transitions of state i that no longer fulfil any duty.
	useless []uint32
	// tasks are the tasks in the order in which they became due; the tasks before index next are
	// done.
	tasks []uint32
	next  int
}

// newTrips finds the paths from home and back, and a transition for each task. Cost O(S + T) of the
// set.
func (t *tour) newTrips(home lts.State) *trips {
	abort.On(t.m.FindPredecessors(t.ctx))
	n := len(t.states)
	abort.On(resources.Ask(t.ctx, int64(n)*28+13*int64(len(t.due))))
	x := &trips{
		tour:    t,
		home:    home,
		out:     make([]lts.Transition, n),
		back:    make([]lts.Transition, n),
		duty:    make([]lts.Transition, len(t.due)),
		taken:   bitset.New[uint32](len(t.due)),
		useless: make([]uint32, n),
	}
	order := x.search(home, x.out, t.each)
	x.search(home, x.back, t.eachInto)
	for _, s := range order {
		t.each(s, x.noteTasks)
	}
	for k, d := range t.due {
		if d == due {
			x.tasks = append(x.tasks, uint32(k))
		}
	}
	abort.On(t.ctx.Err())
	return x
}

// noteTasks records a transition for each task that it does, unless the task already has a
// transition.
func (x *trips) noteTasks(step lts.Transition) {
	for _, k := range x.f.MetBy(step.Label) {
		if !x.taken.Has(k) && x.belongs(k, step.From, step.To) {
			x.taken.Add(k)
			x.duty[k] = step
		}
	}
}

// eachInto yields the transitions to a state that rounds in the set may take.
func (t *tour) eachInto(s lts.State, yield func(lts.Transition)) {
	labels, sources := t.m.Predecessors().In(s)
	for i, from := range sources {
		l := labels.At(i)
		if t.member[from] != 0 && t.allows(from, l, s) {
			yield(lts.Transition{From: from, Label: l, To: s})
		}
	}
}

// each yields the transitions from a state that rounds in the set may take.
func (t *tour) each(s lts.State, yield func(lts.Transition)) {
	labels, targets := t.m.Out(s)
	for i, to := range targets {
		l := labels.At(i)
		if t.allows(s, l, to) {
			yield(lts.Transition{From: s, Label: l, To: to})
		}
	}
}

// search searches the set breadth first from home; steps yields the transitions from, or to, a
// state. For each state it stores the transition of the search to this state in by. It returns the
// states in the order of the search.
func (x *trips) search(
	home lts.State,
	by []lts.Transition,
	steps func(s lts.State, meet func(lts.Transition)),
) []lts.State {
	x.searches++
	x.visited[x.member[home]-1] = x.searches
	order := make([]lts.State, 1, len(x.states))
	order[0] = home
	for i := 0; i < len(order); i++ {
		at := order[i]
		steps(at, func(step lts.Transition) {
			other := step.To
			if other == at {
				other = step.From
			}
			k := x.member[other] - 1
			if x.visited[k] != x.searches {
				x.visited[k] = x.searches
				by[k] = step
				order = append(order, other)
			}
		})
	}
	return order
}

// toNextDuty returns a path from a state to the next duty, or to home if there is no duty. The path is
// empty if no transition fulfils the remaining duties, or if there are none and the state is home.
func (x *trips) toNextDuty(from lts.State) []lts.Transition {
	if step, fulfilsDuty := x.dutyAt(from); fulfilsDuty {
		return []lts.Transition{step}
	}
	for ; x.next < len(x.tasks); x.next++ {
		k := x.tasks[x.next]
		hasTransition := x.taken.Has(k)
		if x.due[k] == due && hasTransition {
			step := x.duty[k]
			return append(x.throughHome(from, step.From), step)
		}
	}
	if x.open > 0 {
		return nil
	}
	return x.throughHome(from, x.home)
}

// dutyAt returns a transition from a state that fulfils a duty; false if there is none. It skips
// transitions that fulfilled no duty before, since tasks that are done stay done.
func (x *trips) dutyAt(s lts.State) (lts.Transition, bool) {
	labels, targets := x.m.Out(s)
	useless := &x.useless[x.member[s]-1]
	for ; int(*useless) < len(targets); *useless++ {
		i := int(*useless)
		step := lts.Transition{From: s, Label: labels.At(i), To: targets[i]}
		if x.allows(s, step.Label, step.To) && x.doesDuty(step) {
			return step, true
		}
	}
	return lts.Transition{}, false
}

// throughHome returns a path between two states that leads through home; if the states are equal,
// the path is empty.
func (x *trips) throughHome(from, to lts.State) []lts.Transition {
	var path []lts.Transition
	if from == to {
		return path
	}
	for at := from; at != x.home; at = path[len(path)-1].To {
		path = append(path, x.back[x.member[at]-1])
	}
	stem := len(path)
	at := to
	for at != x.home {
		step := x.out[x.member[at]-1]
		path = append(path, step)
		at = step.From
	}
	slices.Reverse(path[stem:])
	return path
}
