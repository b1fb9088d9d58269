package counterexample

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// mostPairs is the largest number of Rabin pairs that a complement may have.
const mostPairs = 1 << 10

// mostDemands is the largest number of colours that a loop may have to take in a search for a
// shortest loop, which visits pairs of a state and a set of colours.
const mostDemands = 10

// inUnfolding searches for a run of the model that violates the property of the product u, and
// whose loop closes in the product: it returns to the property state of its first state. Among
// these runs, the result has the fewest transitions, unless the limit of o ends the search or a
// loop must take more than 10 colours; see Result.Minimal. It uses no option of o except Limit. The
// result has no trace if the property holds. c are the components of u. inUnfolding fails if ctx is
// done, or if the complement of the condition has more than 1,024 pairs; r then has the best run
// found until then.
//
// For each pair, the transitions with colours that must not recur are removed. In the components
// that remain, a breadth-first search over states and sets of colours finds the path back to each
// head, in the order of the distance from the initial state. It is limited to the length of the
// best run so far, and to states that do not come before the head: see [loops]. If these searches
// become expensive, states are sifted by distances inside the model (see [loopSieve]), and then one
// search starts from 64 heads at once ([loopsTogether]).
//
// Cost O(S + T) for each pair, and O(2^k (S + T)) for each search with k colours to be taken: O(2^k
// F (S + T)) in the worst case, with F heads that sifting leaves.
func inUnfolding(
	ctx context.Context,
	u *product.Unfolding,
	c *scc.Components,
	o Options,
	r *Result,
) {
	pairs := pairsOf(u.Property())
	newGeneral(ctx, u, c, o).search(pairs, r)
}

// pairsOf returns the Rabin pairs of the complement of the condition of p.
func pairsOf(p *property.Property) []property.Pair {
	pairs, ok := p.Acceptance().Not().Pairs(mostPairs)
	if !ok {
		abort.On(fmt.Errorf("counterexample: the complement of the acceptance condition of %s has more than %d pairs", p, mostPairs))
	}
	return pairs
}

// newGeneral returns a search in the product u with components c. It also finds the distances. For
// that, the states of the product must be numbered breadth first; product.Unfold numbers them in
// this way.
func newGeneral(
	ctx context.Context,
	u *product.Unfolding,
	c *scc.Components,
	o Options,
) *general {
	m := u.LTS()
	n := m.NumStates()
	g := &general{
		ctx:      ctx,
		model:    u.Model(),
		property: u.Property(),
		size:     n,
		best:     infinite,
		limit:    o.Limit,
		patience: patienceWith(m),
	}
	g.u = u
	g.m = m
	g.c = c
	g.path = g.pathInProduct
	abort.On(resources.AskFor[uint64](ctx, n))
	g.distance = make([]uint32, n)
	g.parent = make([]lts.State, n)
	last := lts.State(0)
	for s := range lts.State(n) {
		abort.IfDone(ctx, s)
		_, targets := m.Out(s)
		for _, t := range targets {
			if t > last {
				last = t
				g.distance[t] = g.distance[s] + 1
				g.parent[t] = s
			}
		}
	}
	return g
}

// patienceWith returns how much searches in a product may cost before a sieve is used.
func patienceWith(m *lts.LTS) int { return 2*(m.NumTransitions()+m.NumStates()) + 1<<10 }

// search searches for a shortest run that violates the property by one of the given pairs, or by ending.
func (g *general) search(pairs []property.Pair, r *Result) {
	if g.levels == nil {
		g.takeDeadlock()
	}
	exact := true
	searchPairs := func() {
		for i, pair := range pairs {
			exact = exact && pair.Inf.Len() <= mostDemands
			g.searchPair(i, pair)
		}
	}
	stopped := abort.Try(searchPairs)
	if stopped == nil || g.best != infinite || r.Trace == nil {
		g.setResult(r, exact && stopped == nil)
	}
	if !errors.Is(stopped, errLimit) {
		abort.On(stopped)
	}
}

// setResult sets r to the best run, which is a shortest one if the search was exact.
func (g *general) setResult(r *Result, exact bool) {
	*r = Result{Violated: g.violated || g.best != infinite}
	if exact {
		r.Minimal = InProduct
	}
	r.Stats.Stored = int64(g.size)
	r.Stats.Matched = r.Stats.Stored + g.visits
	if g.best == infinite {
		return
	}
	r.Stats.Found = g.found
	r.Stats.Length = g.best + 1
	steps := g.loop
	stem := g.path(g.entry, g.best-len(g.loop))
	if len(stem) > 0 {
		steps = append(stem, g.loop...)
	}
	loopStart := noLoop
	if len(g.loop) > 0 {
		loopStart = len(steps) - len(g.loop)
	}
	r.Trace = violating("the search in the product", g.model, g.property, steps, loopStart)
}

// fewestStates is the number of product states to which the first search is limited. As long as the
// search finds nothing, the number grows by the factor growth, up to the fraction 1/mostParts of
// all.
const (
	fewestStates = 1 << 12
	growth       = 4
	mostParts    = 8
	// beforeLevels is the largest number of states that are searched first if the search of all
	// states needs no product.
	beforeLevels = 1 << 16
)

// inProduct makes the product of m and the property, and searches in it, see [inUnfolding]. The components are
// found by the engine of o.
func inProduct(ctx context.Context, m *lts.LTS, p *property.Property, o Options, r *Result) {
	t := productTask{model: m, property: p, options: o, below: math.MaxInt}
	t.inParts(ctx, fewestStates, r)
}

// productTask is the input of a search in the product of a model and a property.
type productTask struct {
	model    *lts.LTS
	property *property.Property
	options  Options
	// below is a length: the search only has to find a run with fewer transitions.
	below int
}

// inParts searches for a shortest run. It begins with the given number of product states. If a run is no
// longer than the distance of the other states, it is a shortest run of the whole product, since any
// shorter run visits only nearer states. Otherwise the number grows, see [fewestStates].
func (t *productTask) inParts(ctx context.Context, states int, r *Result) {
	allStates := t.model.NumStates()
	u, isKnown := t.options.product(t.property)
	if isKnown {
		allStates = u.LTS().NumStates()
	}
	levels := product.NewLevels(t.model, t.property)
	needsProduct := isKnown || t.options.Engine == "gonum" || levels == nil
	most := allStates / mostParts
	if !needsProduct {
		most = min(most, beforeLevels)
	}
	isBounded := t.below != math.MaxInt
	excluded := 0
	done := false
	for ; states <= most && r.Trace == nil; states *= growth {
		excluded, done = t.inStates(ctx, states, r)
		if done {
			return
		}
		if isBounded {
			break
		}
	}
	if needsProduct {
		t.inStates(ctx, math.MaxInt, r)
		return
	}
	below := t.below
	if r.Trace != nil {
		below = min(below, r.Trace.Len()+1)
	}
	inLevels(ctx, levelledTask{
		model:    t.model,
		property: t.property,
		levels:   levels,
		limit:    t.options.Limit,
		patience: worthNear(),
		excluded: excluded,
		below:    below,
	}, r)
}

// inStates searches only the nearest states of the product, about the given number, see
// [inUnfolding]. done reports whether the search can end: every other run is at least as long as
// the run that was found, or has no fewer transitions than the field below. If the search must
// continue, every other run has more transitions than the number excluded.
func (t *productTask) inStates(
	ctx context.Context,
	states int,
	r *Result,
) (excluded int, done bool) {
	u, c := t.options.unfold(ctx, t.model, t.property, states)
	inUnfolding(ctx, u, c, t.options, r)
	excluded = u.Depth()
	isShortest := r.Trace != nil && r.Trace.Len() <= excluded
	if !u.IsCut() || isShortest || t.below <= excluded {
		return excluded, true
	}
	if r.Trace != nil {
		excluded = min(excluded, r.Trace.Len()-1)
	}
	*r = Result{Trace: r.Trace, Violated: r.Trace != nil}
	return excluded, false
}

// unfold returns the product of m and p, and its components. If states is less than the size of the
// product, it returns only the first states of the product and their transitions. A whole product
// that is known is not computed again.
func (o *Options) unfold(
	ctx context.Context,
	m *lts.LTS,
	p *property.Property,
	states int,
) (*product.Unfolding, *scc.Components) {
	if u, known := o.product(p); known && states == math.MaxInt {
		return u, abort.Must(o.Fates.UnfoldedComponents(ctx))
	}
	u := abort.Must(product.UnfoldPart(ctx, m, p, states))
	if o.Engine == "gonum" {
		return u, abort.Must(scc.Find(ctx, u.LTS(), o.Engine))
	}
	return u, abort.Must(u.Components(ctx))
}

// product returns the product of the model and p, if it is known.
func (o *Options) product(p *property.Property) (u *product.Unfolding, known bool) {
	if o.Fates == nil || o.Fates.Property() != p {
		return nil, false
	}
	return o.Fates.Unfolding()
}

// general is a search in the product.
type general struct {
	ctx      context.Context
	model    *lts.LTS
	property *property.Property
	// size is the number of product states.
	size int
	// path returns a shortest path to a product state at the given distance.
	path func(to product.State, distance int) []lts.Transition
	// levels has the product states if the product itself was not computed. Then searched is the
	// part of the product for one pair.
	levels *product.Levels
	searched

	violated bool // whether the property is known to be violated; this may be known before a run is found
	best     int  // the length of the best run so far
	entry    product.State
	loop     []lts.Transition // the loop of the best run in the model; empty for a run into a deadlock
	found    int

	visits, limit int64
	// patience is how much searches for loops may cost before a sieve leaves out states.
	patience int
	cost     costs
}

// searched is the product, or a part of it that contains all loops of interest.
type searched struct {
	u *product.Unfolding
	m *lts.LTS
	c *scc.Components // nil if the components are not known
	// distance is the distance of each state from the initial state; states are numbered in the
	// order of their distances.
	distance []uint32
	// parent is the previous state on a shortest path, if the whole product is searched.
	parent []lts.State
}

// costs are the costs of the searches for loops, for all pairs together.
type costs struct {
	work     int // the number of transitions and states visited
	sifted   int // how often states were sifted
	rounds   int // the number of searches within a larger bound
	together int // the number of searches from many heads at once
	through  int // the number of searches through the states of a colour
}

// takeDeadlock sets the best run to a run into the nearest deadlock that violates the property.
func (g *general) takeDeadlock() {
	for s := range lts.State(g.m.NumStates()) {
		isDeadlock := g.m.IsDeadlock(s) && g.u.HasTransitions(s) // and no state at which the product was cut off
		if isDeadlock && !g.u.Property().Stops(g.u.At(s).Q) {
			g.best = int(g.distance[s])
			g.entry = g.u.At(s)
			g.found = 1
			return
		}
	}
}

// pathInProduct returns a shortest path of the model to a product state.
func (g *general) pathInProduct(end product.State, _ int) []lts.Transition {
	to, _ := g.u.Find(end)
	return lower(g.u, g.pathTo(to))
}

// pathTo returns a shortest path to a state of the product.
func (g *general) pathTo(to lts.State) []lts.Transition {
	var steps []lts.Transition
	for to != g.m.Initial() {
		from := g.parent[to]
		labels, targets := g.m.Out(from)
		i := slices.Index(targets, to)
		steps = append(steps, lts.Transition{
			From:  from,
			Label: labels.At(i),
			To:    to,
		})
		to = from
	}
	slices.Reverse(steps)
	return steps
}

// nearPatience limits the cost of searches for near loops. The unit is one visit to all states and
// transitions.
type nearPatience struct {
	// many limits the first search if a cheap estimate says that many product states may lie on
	// loops; otherwise few limits it. After that search, the number of product states that can lie
	// on loops is computed; if it is large, more limits a second search.
	many, few, more float64
}

func worthNear() nearPatience {
	return nearPatience{
		many: 3,
		few:  0.5,
		more: 2,
	}
}

const (
	// manyMay is the smallest fraction of the product states, by the estimate, for which
	// nearPatience.many limits the first search.
	manyMay = 0.5
	// A second search for loops begins if more than the fraction 1/manyCan of the product states
	// can lie on loops. It needs no list of the transitions of these states.
	manyCan = 8
)

// inLevels is [inUnfolding] for a property of few states, without the product. It finds product
// states in the order of their distances. It first searches for loops of short runs in the model
// ([product.Levels.Near]). If that becomes expensive, it computes, for each pair, the product
// states from which a run can continue forever without the colours that must not recur. It does so
// by passes with a machine word for each state of the model. Then it searches for loops only among
// these states. Cost O(n (S + T)) for each pair for a property of n states, and the cost of the
// searches.
func inLevels(ctx context.Context, t levelledTask, r *Result) {
	newLevelled(ctx, t).finish(t.below, r)
}

// levelledTask is the input of a search of [inLevels].
type levelledTask struct {
	model    *lts.LTS
	property *property.Property
	levels   *product.Levels // the levels of the product of model and property
	limit    int64           // as in [Options]
	patience nearPatience
	// excluded is a length: the caller must know that every run which violates the property has more
	// transitions. below is a bound: the search only has to find a run with fewer transitions.
	excluded, below int
}

// levelled is a search of [inLevels] that can be continued step by step.
type levelled struct {
	*general
	pairs    []property.Pair
	patience nearPatience
	near     product.NearSearch
	// firstLimit limits the cost of near until the product states on loops have been counted; then patience
	// does.
	firstLimit float64
	// isKnown reports whether near has found a shortest run. isSatisfied reports that no run violates
	// the property.
	isKnown, isSatisfied bool
}

// newLevelled returns a search among the product states in the order of their distances, for [inLevels].
// Its first part, the search for loops of short runs, is prepared; isSatisfied says that no search is
// needed.
func newLevelled(ctx context.Context, t levelledTask) *levelled {
	x := &levelled{patience: t.patience, pairs: pairsOf(t.property)}
	x.general = &general{
		ctx:      ctx,
		model:    t.model,
		property: t.property,
		levels:   t.levels,
		path:     t.levels.Path,
		best:     infinite,
		limit:    t.limit,
	}
	mayLoop := abort.Must(t.levels.MayLoop(ctx, x.pairs)) // an estimate: a fraction of the product states
	if mayLoop == 0 && !t.levels.MayStop() {
		x.isSatisfied = true
		return x
	}
	x.firstLimit = t.patience.many
	if mayLoop < manyMay {
		x.firstLimit = t.patience.few
	}
	x.near = abort.Must(t.levels.Near(ctx, x.pairs, t.excluded, t.below))
	if x.near != nil {
		x.near.Allow(x.costOf(x.firstLimit))
	}
	return x
}

// costOf returns the cost of visiting all states and transitions the given number of times.
func (x *levelled) costOf(times float64) int {
	return int(times * float64(x.model.NumStates()+x.model.NumTransitions()))
}

// finish continues the search until it knows a shortest run, or knows that there is none. below is
// a bound: only runs with fewer transitions count.
func (x *levelled) finish(below int, r *Result) {
	if x.isSatisfied {
		*r = Result{Minimal: InProduct}
		return
	}
	defer func() { r.Violated = r.Violated || x.violated }()
	x.findNear(below)
	if x.isKnown {
		x.setResult(r, true)
		return
	}
	abort.On(x.levels.Explore(x.ctx, max(below-1, 0)))
	x.stopAtBad()
	x.search(x.pairs, r)
}

// stopAtBad sets the best run to a run to the nearest product state where a run ends and violates
// the property.
func (g *general) stopAtBad() {
	g.size = g.levels.Len()
	end, distance, exists := g.levels.Bad()
	if exists {
		g.best = distance
		g.entry = end
		g.found = 1
	}
}

// findNear searches for the first shortest run without storing transitions of the product.
func (x *levelled) findNear(below int) {
	if x.near == nil || x.isKnown {
		return
	}
	isKnown := false
	defer func() { x.takeNear(isKnown) }() // even if an error ends the search
	x.near.Below(below)
	isKnown = abort.Must(x.near.Search(x.ctx))
	maySearchAgain := x.firstLimit < x.patience.more
	if isKnown || !maySearchAgain {
		return
	}
	abort.On(x.levels.Explore(x.ctx, max(below-1, 0)))
	canLoop := abort.Must(x.levels.Loops(x.ctx, x.pairs)) // the number of product states
	if manyCan*canLoop > x.levels.Len() {
		x.near.Within()
		x.near.Allow(x.costOf(x.patience.more))
		isKnown = abort.Must(x.near.Search(x.ctx))
	}
}

// takeNear takes over the result of near. isKnown reports whether near has found a shortest run, or
// that there is none.
func (x *levelled) takeNear(isKnown bool) {
	begin, distance, loop := x.near.Found()
	x.violated = x.violated || loop != nil
	x.visits = x.near.Examined()
	if !isKnown {
		return
	}
	x.isKnown = true
	x.stopAtBad()
	if loop != nil {
		x.best = distance + len(loop)
		x.entry = begin
		x.loop = loop
		x.found++
	}
}

// shortest searches for a shortest run of m that violates a property other than a chain. For a
// safety property, this is a bad prefix, see [badPrefix]. For a response with one step, it is a run
// whose loop closes in the model. For other properties it is the run of [inProduct], whose loop
// closes in the model if p has one state. Errors, options and cost as for these functions.
func (h tableHalf) shortest(ctx context.Context, m *lts.LTS, o Options, r *Result) {
	// A property about values of states, such as F x = 1, may be equivalent to a chain with one step: a
	// run violates the property if it never does a label of a certain set.
	if len(h.p.Alphabet().FactNames()) > 0 && h.p.States() <= 8 {
		chain := abort.Must(product.AsChain(ctx, h.p, nil))
		if chain.Steps() == 1 {
			h.shortestOfChain(ctx, chain, m, o, r)
			return
		}
	}
	prefix, safety := badPrefix(ctx, m, h.p, o.Prefixes)
	if safety {
		*r = *prefix
		return
	}
	x, isResponse := responseOf(h.p)
	if isResponse {
		x.shortest(ctx, m, o, r)
	} else {
		inProduct(ctx, m, h.p, o, r)
		if r.Trace == nil || h.p.States() == 1 {
			r.closesInModel()
		}
	}
	if prefix == nil || prefix.Trace == nil {
		return
	}
	isPrefixShorter := r.Trace == nil || prefix.Trace.Len() <= r.Trace.Len()
	if isPrefixShorter {
		prefix.Minimal = r.Minimal
		*r = *prefix
	}
}

// shortestOfChain searches for a shortest counterexample by a chain with one step that is equivalent to the
// property. A run that violates a chain with one step makes no progress, so its loop closes both in
// the model and in the product.
func (h tableHalf) shortestOfChain(
	ctx context.Context,
	chain *property.Property,
	m *lts.LTS,
	o Options,
	r *Result,
) {
	o.Fates = nil
	stopped := abort.Try(func() { halfOf(chain).shortest(ctx, m, o, r) })
	if r.Trace != nil {
		r.Trace = abort.Must(NewViolating(m, h.p, r.Trace.steps, r.Trace.loop))
	}
	abort.On(stopped)
}

// response is a property with two states and the structure of a response, in whatever form the user
// wrote it: one step answers requests. A run may stop in the first state, idle, but not in the
// other, pending. The condition is that marked transitions recur: all transitions from idle to idle
// are marked, and no unmarked transition leaves the pending state.
type response struct {
	p             *property.Property
	idle, pending property.Q
	marked        property.Marks
}

// responseOf returns p as a response; false if p is no response. Cost O(labels).
func responseOf(p *property.Property) (*response, bool) {
	if p.States() != 2 {
		return nil, false
	}
	recurring, recurs := infsOf(p.Acceptance())
	x := &response{
		p:       p,
		idle:    p.Initial(),
		pending: 1 - p.Initial(),
		marked:  recurring,
	}
	mayStopOnlyIdle := p.Stops(x.idle) && !p.Stops(x.pending)
	if !recurs || !mayStopOnlyIdle {
		return nil, false
	}
	for l := range p.Alphabet().All() {
		unmarkedAtIdle := !x.asks(l) && p.Marks(x.idle, l)&x.marked == 0
		leavesUnmarked := !x.answers(l) && p.Next(x.pending, l) == x.idle
		if unmarkedAtIdle || leavesUnmarked {
			return nil, false
		}
	}
	return x, true
}

// infsOf returns the colours of a condition "one of these colours recurs"; false for other
// conditions.
func infsOf(a property.Acceptance) (property.Marks, bool) {
	switch a.Operator() {
	case property.InfOp:
		return property.Mark(a.Colour()), true
	case property.OrOp:
		var all property.Marks
		for _, operand := range a.Parts() {
			if operand.Operator() != property.InfOp {
				return 0, false
			}
			all |= property.Mark(operand.Colour())
		}
		return all, true
	}
	return 0, false
}

// asks reports whether a label is a request.
func (x *response) asks(l lts.Label) bool { return x.p.Next(x.idle, l) == x.pending }

// answers reports whether a label is an answer.
func (x *response) answers(l lts.Label) bool { return x.p.Marks(x.pending, l)&x.marked != 0 }

// shortest searches for a shortest run of m that violates a response with one step.
//
// There are two kinds of such runs. In a run of the first kind, a request is pending when the run
// stops, or from some point on forever: then its loop closes in the product, since only answers
// leave the pending state. In a run of the second kind, the loop has a request and no answer. Then
// it does not matter what is pending before the loop, and the loop closes in the model. So the
// shorter one of the shortest runs of both kinds is a shortest run of the model. The two searches
// take turns, by the lengths of runs, so neither goes far beyond the length of the run that is
// found. Options, errors and cost as for [inProduct].
func (x *response) shortest(ctx context.Context, m *lts.LTS, o Options, r *Result) {
	levels := product.NewLevels(m, x.p)
	_, isKnown := o.product(x.p)
	if isKnown || o.Engine == "gonum" || levels == nil {
		inProduct(ctx, m, x.p, o, r)
		x.completeInModel(ctx, m, o, r)
		return
	}
	pendingTask := levelledTask{
		model:    m,
		property: x.p,
		levels:   levels,
		limit:    o.Limit,
		patience: worthNear(),
		below:    math.MaxInt,
	}
	if m.NumStates() >= mostParts*fewestStates {
		first := productTask{model: m, property: x.p, options: o, below: math.MaxInt}
		excluded, done := first.inStates(ctx, fewestStates, r)
		if done {
			x.completeInModel(ctx, m, o, r)
			return
		}
		pendingTask.excluded = excluded
		if r.Trace != nil {
			pendingTask.below = r.Trace.Len() + 1
		}
	}
	x.inTurns(ctx, pendingTask, r)
}

// completeInModel completes [response.shortest] if r has a shortest run of the product: there may
// be a shorter run whose loop closes only in the model.
func (x *response) completeInModel(ctx context.Context, m *lts.LTS, o Options, r *Result) {
	switch {
	case r.Trace == nil:
		r.closesInModel()
	case r.Minimal != MinimalUnknown:
		o.Fates = nil
		x.shorten(m, r, func(other *Result) {
			t := productTask{model: m, property: x.loops(), options: o, below: r.Trace.Len()}
			t.inParts(ctx, fewestStates, other)
		})
	}
}

// inTurns searches for a shortest counterexample of a response without the product. The task is that of
// the runs on which a request stays pending. Its bounds also apply to the runs of the other kind, but for
// excluded.
func (x *response) inTurns(ctx context.Context, pendingTask levelledTask, r *Result) {
	pendingSearch := newLevelled(ctx, pendingTask)
	if pendingSearch.isSatisfied {
		*r = Result{Minimal: InModel}
		return
	}
	m := pendingTask.model
	loopTask := pendingTask
	loopTask.property = x.loops()
	loopTask.levels = product.NewLevels(m, loopTask.property)
	loopTask.levels.Follow(pendingTask.levels)
	loopTask.excluded = 0
	loopSearch := newLevelled(ctx, loopTask)
	defer func() { r.Violated = r.Violated || pendingSearch.violated || loopSearch.violated }()
	bothAreNear := pendingSearch.near != nil && loopSearch.near != nil
	if bothAreNear && !loopSearch.isSatisfied {
		takeTurns(pendingSearch, loopSearch)
	}
	belowForPending := pendingTask.below
	if loopSearch.isKnown && loopSearch.best != infinite {
		belowForPending = loopSearch.best + 1 // if both runs have the same length, that of pendingSearch is kept
	}
	pendingSearch.finish(belowForPending, r)
	if r.Minimal == MinimalUnknown {
		return
	}
	belowForLoop := belowForPending
	if r.Trace != nil {
		belowForLoop = r.Trace.Len()
	}
	x.shorten(m, r, func(other *Result) { loopSearch.finish(belowForLoop, other) })
}

// takeTurns continues two searches for near loops, the one with the smaller bound first, until one of
// them has found its run or is too expensive.
func takeTurns(first, second *levelled) {
	for {
		next := first
		if second.near.Bound() < first.near.Bound() {
			next = second
		}
		known, err := next.near.Round(next.ctx)
		if err != nil || known || next.near.IsOverLimit() {
			next.takeNear(known && err == nil)
			abort.On(err)
			return
		}
	}
}

// shorten replaces the run of r by a shorter one if find finds a shorter one.
func (x *response) shorten(m *lts.LTS, r *Result, find func(other *Result)) {
	r.Minimal = MinimalUnknown // until find ends
	other := &Result{}
	find(other)
	if other.Trace != nil && (r.Trace == nil || other.Trace.Len() < r.Trace.Len()) {
		r.Stats.Length = other.Stats.Length
		r.Violated = true
		r.Trace = abort.Must(NewViolating(m, x.p, other.Trace.steps, other.Trace.loop))
	}
	r.Minimal = ifShortest(other.Minimal != MinimalUnknown)
}

// The colours of [response.loops].
const requested, answered = 0, 1

// loops returns the property "if requests recur, answers recur".
func (x *response) loops() *property.Property {
	const (
		requests = 1 << iota // the bits of a letter
		answers
		letters
	)
	t := property.Automaton{
		Columns: letters,
		Letters: make([]uint16, x.p.Alphabet().Len()),
		Next:    make([]property.Q, letters),
		Stop:    []bool{true},
		Marks: []property.Marks{
			requests:           property.Mark(requested),
			answers:            property.Mark(answered),
			requests | answers: property.Mark(requested, answered),
		},
		Acceptance: property.Any(property.Fin(requested), property.Inf(answered)),
	}
	for l := range x.p.Alphabet().All() {
		if x.asks(l) {
			t.Letters[l] |= requests
		}
		if x.answers(l) {
			t.Letters[l] |= answers
		}
	}
	return abort.Must(property.Table(x.p.Alphabet(), t))
}
