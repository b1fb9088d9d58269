package counterexample

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// fair searches for a run that counts under the fairness assumption of f and violates its property;
// the result has no trace if there is none.
//
// If such a run ends in a deadlock, or where only blocking actions are possible, the result is a
// shortest one of these. Under full fairness, it is otherwise the shortest run after which the
// property is lost: every fair run that continues it violates the property (see [NewTrap]). Under
// other assumptions, it is a stem and a round that a fair run can repeat for ever, unless a
// deadlock is as near. The exact search for it visits pairs of a state and the needs of each task
// (see looksIn); if it is complete, the result is a shortest one. To find a shortest one is NP-hard
// in the number of tasks (generalised Büchi). If the exact search is not complete, the result is a
// shortest path to the nearest set where a fair run can stay for ever, with a round that goes from
// each duty to the nearest next one, without superfluous detours; it is not called shortest.
//
// It fails if ctx is done. Cost O(n (S + T)), times the number of strong tasks, at most what
// [looks] allow for the exact search, and otherwise for the paths from duty to duty, and then the
// length of the round.
func (h chainHalf) fair(ctx context.Context, fates *fate.Map, most looks) *Result {
	e, _ := fates.Enriched()
	return (&fair{ctx: ctx, fates: fates, e: e, m: fates.LTS(), p: h.p, f: fates.Fairness(), most: most}).search()
}

// search performs the search of [chainHalf.fair], or of [tableHalf.fair].
func (x *fair) search() *Result {
	x.explore()
	r := &Result{}
	r.Stats.Stored, r.Stats.Matched = int64(x.nodes.Len()), int64(x.nodes.Len())
	err := abort.Try(func() {
		switch {
		case !x.f.Full():
			var shortest bool
			r.Trace, shortest = x.nearestRun()
			r.Minimal = ifShortest(shortest)
		case x.dead >= 0:
			r.Trace, r.Minimal = x.run(x.path(x.dead), noLoop), InModel
		case x.lost >= 0:
			r.Trace, r.Minimal = abort.Must(NewTrap(x.fates.LTS(), x.fates.Property(), lower(x.u, x.path(x.lost)))), InModel
		}
	})
	if err != nil && x.ctx.Err() == nil {
		err = fmt.Errorf("counterexample: the search for a fair run went wrong, please report it: %w", err)
	}
	abort.On(err)
	return r
}

// run returns the run with these transitions.
func (x *fair) run(steps []lts.Transition, loop int) *Trace {
	m, p := x.fates.LTS(), x.fates.Property()
	steps = lower(x.u, steps)
	if loop != noLoop || m.IsDeadlock(endOf(m, steps)) {
		return abort.Must(NewViolating(m, p, steps, loop))
	}
	t := abort.Must(NewStop(m, p, steps))
	if t.Satisfies() {
		abort.On(ErrSatisfies)
	}
	return t
}

// endOf returns the last state of a run.
func endOf(m *lts.LTS, steps []lts.Transition) lts.State {
	if len(steps) == 0 {
		return m.Initial()
	}
	return steps[len(steps)-1].To
}

// fair is a search for a fair run.
type fair struct {
	ctx   context.Context
	fates *fate.Map
	e     *enrich.Enriched
	m     *lts.LTS
	p     *property.Chain
	f     *property.Fairness
	// For a property that is no chain, m is u, the product of model and property; then e and p are
	// nil, and progress is always 0.
	u *product.Unfolding
	// nodes are the visited pairs of state and progress, breadth first; for each state with
	// decreasing progress. first[s] is one more than the number of its first node, 0 if it has
	// none.
	nodes paged.List[fairNode]
	first []uint32
	// dead is the first node where a run may end without having done all steps, lost the first node
	// from where no run does them all; -1 if there is none.
	dead, lost int
	most       looks
}

// looks are the largest numbers of transitions that the exact search, and the searches of a tour,
// may visit.
type looks struct{ exact, tour int }

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
	x.dead, x.lost = -1, -1
	x.meet(fairNode{treeNode: treeNode{state: x.m.Initial()}})
	for at := 0; at < x.nodes.Len(); at++ {
		heed(x.ctx, at)
		n := *x.nodes.At(at)
		done, lost := x.isDone(n)
		if done {
			continue
		}
		if lost && x.lost < 0 {
			x.lost = at
		}
		labels, targets := x.m.Out(n.state)
		if x.dead < 0 && x.f.MayEnd(x.m, n.state) && x.mayNotStop(n.state) {
			x.dead = at
		}
		for i, to := range targets {
			after := fairNode{treeNode: treeNode{to, labels.At(i), uint32(at)}, depth: n.depth + 1}
			if x.p != nil {
				after.progress = uint32(x.p.Advance(int(n.progress), labels.At(i)))
			}
			x.meet(after)
		}
	}
}

// isDone reports whether all runs that continue a node satisfy the property (done), or whether some
// of them count and all that count violate it (lost).
func (x *fair) isDone(n fairNode) (done, lost bool) {
	if x.p == nil {
		at := x.u.At(n.state)
		of := x.fates.At(at.State, at.Q)
		return of == fate.Sure, of == fate.Lost
	}
	left := x.p.Len() - int(n.progress)
	return left == 0, x.e.MS(n.state) < left && x.e.Admits(n.state)
}

// mayNotStop reports whether a run that ends in s violates the property, provided that the run has
// not done all steps.
func (x *fair) mayNotStop(s lts.State) bool {
	return x.p != nil || !x.u.Property().Ends(x.u.At(s).Q, x.m.IsDeadlock(s))
}

// meet adds a node, unless its state was visited with the same progress or less.
func (x *fair) meet(n fairNode) {
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
	return treePath(to, func(i int) *treeNode { return &x.nodes.At(i).treeNode })
}

// nearest returns the first node of a state with at most this progress; -1 if there is none.
func (x *fair) nearest(s lts.State, progress int) int {
	for at := x.first[s]; at != 0; at = x.nodes.At(int(at) - 1).next {
		if int(x.nodes.At(int(at)-1).progress) <= progress {
			return int(at) - 1
		}
	}
	return -1
}

// fairSet is a maximal set of states where a fair run can stay for ever without doing a step.
type fairSet struct {
	states []lts.State
	step   int
	near   int // the first node in a state of the set with the step not yet done
	// pair is for a property that is no chain: transitions of the set must not have the colours of
	// Fin, and a run must take the colours of Inf infinitely often.
	pair property.Pair
}

// sets returns all fair sets, the nearest ones first.
func (x *fair) sets() []fairSet {
	all := x.setsInProduct
	if x.u == nil {
		all = x.setsOfChain
	}
	sets := all()
	for i := range sets {
		set := &sets[i]
		set.near = x.nodes.Len()
		for _, s := range set.states {
			if at := x.nearest(s, set.step-1); at >= 0 {
				set.near = min(set.near, at)
			}
		}
	}
	slices.SortStableFunc(sets, func(a, b fairSet) int { return a.near - b.near })
	return sets
}

// setsOfChain returns the fair sets for each step of a chain.
func (x *fair) setsOfChain() (all []fairSet) {
	pending := abort.Must(x.e.Pending(x.ctx))
	sets := abort.Must(enrich.NewFairSets(x.ctx, x.e.Components(), x.f, nil))
	hidden := make([]bitset.Set[lts.Label], x.p.Len()+1)
	for part := range pending.All {
		abort.On(x.ctx.Err())
		step := part.Step
		if hidden[step] == nil {
			hidden[step] = sets.Hidden(func(l lts.Label) bool { return x.p.Does(l, step) })
		}
		abort.On(sets.In(part.Component, part.States, hidden[step], func(set []lts.State) bool {
			all = append(all, fairSet{states: set, step: step})
			return true
		}))
	}
	return all
}

// nearestRun returns a run into a deadlock, or an infinite fair run, and whether it is a shortest
// one; nil if there is none. Of two equally long runs it prefers the one into a deadlock.
func (x *fair) nearestRun() (*Trace, bool) {
	sets := x.sets()
	best := lasso{length: math.MaxInt}
	if x.dead >= 0 {
		best = lasso{steps: x.path(x.dead), loop: noLoop, length: int(x.nodes.At(x.dead).depth)}
	}
	if len(sets) == 0 && x.dead < 0 {
		return nil, false
	}
	in := newInside(x)
	exact := in.shorten(sets, &best)
	if !exact {
		in.approximate(sets[0], &best)
	}
	return x.run(best.steps, best.loop), exact
}

// lasso is a run; loop is the index where its loop begins, [noLoop] if it ends in a deadlock.
type lasso struct {
	steps  []lts.Transition
	loop   int
	length int
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

// shows reports whether a transition from a state of the set belongs to the set.
func (x *inside) shows(from lts.State, l lts.Label, to lts.State) bool {
	if x.member[to] == 0 || x.f.Rare(l) {
		return false
	}
	if x.u != nil {
		return x.u.Marks(from, l)&x.pair.Fin == 0
	}
	return !x.p.Does(l, x.step)
}

// colours returns those colours of a transition that a round must take.
func (x *inside) colours(from lts.State, l lts.Label) property.Marks {
	if x.pair.Inf == 0 {
		return 0
	}
	return x.u.Marks(from, l) & x.pair.Inf
}

// belongs reports whether a transition with a label of task k belongs to the task.
func (x *inside) belongs(k uint32, from, to lts.State) bool {
	return !x.f.Tasks()[k].Nonstuttering || from != to && (x.u == nil || !x.u.Stays(from, to))
}

// cutLooks is the largest number of transitions that the search for detours visits.
const cutLooks = 1 << 22

// cutting removes detours from a round.
type cutting struct {
	*inside
	walk []lts.Transition
	// taken[k] is the number of transitions of the walk that do task k, enabled[k] the number of
	// its visits to states that enable it.
	taken, enabled []int32
	// withColour[c] is the number of transitions of the walk with colour c, if a round must take that
	// colour.
	withColour [property.Colours]int32
	// seen[k] is the number of the last state found to enable task k.
	seen  []uint32
	looks uint32
	spent int
	// visits[i] is the number of visits of the transitions being counted to state i of the set.
	visits []int32
}

// cut removes detours without which a round is still fair: parts that return to their first state,
// the first and longest ones first. If it reaches its limit, the remaining detours stay.
func (x *inside) cut(walk []lts.Transition) []lts.Transition {
	tasks := len(x.f.Tasks())
	c := &cutting{inside: x, walk: walk, taken: make([]int32, tasks), enabled: make([]int32, tasks), seen: make([]uint32, tasks), visits: make([]int32, len(x.states))}
	c.count(walk, 1)
	for from := 0; from < len(c.walk) && c.spent < cutLooks; from++ {
		c.spent += len(c.walk) - from
		abort.On(x.ctx.Err())
		for to := len(c.walk); to > from && c.spent < cutLooks; to-- {
			if to-from == len(c.walk) || c.walk[to-1].To != c.walk[from].From {
				continue
			}
			if c.leaveOut(from, to) {
				from--
				break
			}
		}
	}
	return c.walk
}

// leaveOut removes a detour of the walk, and reports whether the round is still fair; if not, it
// restores the detour. Without the detour, a round can neglect only the tasks that the detour does,
// and the weak tasks that all remaining states enable.
func (c *cutting) leaveOut(from, to int) bool {
	detour := c.walk[from:to]
	c.count(detour, -1)
	left := int32(len(c.walk) - len(detour))
	fair := c.violates() && c.fairTo(c.walk[from].From, left)
	for i := 0; fair && i < len(detour); i++ {
		for _, k := range c.f.MetBy(detour[i].Label) {
			fair = fair && c.isFair(k, left)
		}
	}
	if !fair {
		c.count(detour, 1)
		return false
	}
	c.walk = append(c.walk[:from], c.walk[to:]...)
	return true
}

// violates reports whether the remaining walk has all colours that a violation needs.
func (c *cutting) violates() bool {
	for demanded := c.pair.Inf; demanded != 0; demanded &= demanded - 1 {
		if c.withColour[bits.TrailingZeros64(uint64(demanded))] == 0 {
			return false
		}
	}
	return true
}

// fairTo reports whether the remaining walk is fair to the tasks with labels of transitions from s;
// left is the number of transitions of this walk.
func (c *cutting) fairTo(s lts.State, left int32) bool {
	labels, _ := c.m.Out(s)
	for i := range labels.Len() {
		l := labels.At(i)
		for _, k := range c.f.TasksOf(l) {
			if !c.isFair(k, left) {
				return false
			}
		}
	}
	return true
}

func (c *cutting) isFair(k uint32, left int32) bool {
	return c.taken[k] > 0 || c.enabled[k] == 0 || !c.f.Tasks()[k].Strong && c.enabled[k] < left
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
	for _, x := range steps {
		visits := &c.visits[c.member[x.From]-1]
		if *visits == 0 {
			continue
		}
		c.looks++
		labels, targets := c.m.Out(x.From)
		c.spent += labels.Len()
		for i := range labels.Len() {
			l := labels.At(i)
			for _, k := range c.f.TasksOf(l) {
				if c.seen[k] != c.looks && c.belongs(k, x.From, targets[i]) {
					c.seen[k] = c.looks
					c.enabled[k] += *visits
				}
			}
		}
		*visits = 0
	}
}

// fair is [chainHalf.fair] for a property that is no chain, with its fates under an assumption.
//
// A safety property is violated by a bad prefix, see [badPrefix], since a fair run continues every
// finite run, unless labels have to occur finitely often. For other properties, it searches as
// [chainHalf.fair] does in the product of model and property: the loop closes there, and takes colours
// that violate the condition. Under full fairness, the result is the shortest run after which
// almost no run satisfies the property. It fails if ctx is done, and if the complement of the
// condition has more than 1,024 pairs. Cost as for chains in the product, for each of these
// pairs.
func (h tableHalf) fair(ctx context.Context, fates *fate.Map, most looks) *Result {
	f := fates.Fairness()
	if !f.Excludes() {
		r, safety := badPrefix(ctx, fates.LTS(), h.p, false)
		if safety && f.Full() && r.Trace != nil {
			// Once the property is lost, almost every continuation violates it.
			r.Minimal = ifShortest(stepsToLoss(ctx, fates) == r.Trace.Len())
		}
		if safety {
			return r
		}
	}
	u := abort.Must(fates.Unfold(ctx))
	r := (&fair{ctx: ctx, fates: fates, m: u.LTS(), u: u, f: f, most: most}).search()
	if r.Minimal != MinimalUnknown && !f.Full() && h.p.States() > 1 {
		r.Minimal = InProduct
	}
	return r
}

// stepsToLoss returns the smallest number of steps after which the property is lost.
func stepsToLoss(ctx context.Context, fates *fate.Map) int {
	u := abort.Must(fates.Unfold(ctx))
	g := general{ctx: ctx, searched: searched{u: u, m: u.LTS()}}
	g.measure()
	for s, distance := range g.distance {
		if at := u.At(lts.State(s)); fates.At(at.State, at.Q) == fate.Lost {
			return int(distance)
		}
	}
	return 0
}

// setsInProduct returns, for each pair of the property's complement, the sets of product states
// where a fair run can stay for ever and violate the property.
func (x *fair) setsInProduct() (all []fairSet) {
	pairs := pairsOf(x.u.Property())
	c := abort.Must(x.fates.UnfoldedComponents(x.ctx))
	for _, pair := range pairs {
		component, components, err := x.u.Recurring(x.ctx, c, pair.Fin, pair.Inf, x.f)
		abort.On(err)
		all = append(all, setsOf(component, components, pair)...)
	}
	return all
}

// setsOf returns the components of a pair as sets; component has their numbers, from 1.
func setsOf(component []uint32, components int, pair property.Pair) []fairSet {
	sets := make([]fairSet, components)
	for s, of := range component {
		if of > 0 {
			set := &sets[of-1]
			set.step, set.pair, set.states = 1, pair, append(set.states, lts.State(s))
		}
	}
	return sets
}
