package counterexample

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/enrich/pending"
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
func (x *fair) run(steps []lts.Transition, loopStart int) *Trace {
	m := x.fates.LTS()
	p := x.fates.Property()
	steps = lower(x.u, steps)
	end := m.Initial()
	if len(steps) > 0 {
		end = steps[len(steps)-1].To
	}
	if loopStart != noLoop || m.IsDeadlock(end) {
		return abort.Must(NewViolating(m, p, steps, loopStart))
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
	for node := 0; node < x.nodes.Len(); node++ {
		abort.IfDone(x.ctx, node)
		n := *x.nodes.At(node)
		done, lost := x.outcome(n)
		if done {
			continue
		}
		if lost && x.lost < 0 {
			x.lost = node
		}
		if x.dead < 0 && x.mayEndInViolation(n.state) {
			x.dead = node
		}
		labels, targets := x.m.Out(n.state)
		for i, to := range targets {
			step := treeNode{state: to, label: labels.At(i), parent: uint32(node)}
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
	for colour := range c.pair.Inf.All {
		if c.withColour[colour] == 0 {
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
		for colour := range c.colours(x.From, x.Label).All {
			c.withColour[colour] += by
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
