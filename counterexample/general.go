package counterexample

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// mostPairs is the number of pairs of Rabin's kind that a complement may have.
const mostPairs = 1 << 10

// mostDemands is the number of colours that one loop must meet up to which a
// shortest one is looked for: the search goes through states and sets of them.
const mostDemands = 10

// inUnfolding looks for a run of the model that violates the property by which u
// unfolds it, and that closes in the product: its loop comes back to the state of the
// property with which it begins. Among these it has the fewest transitions, unless
// the limit of o ends the search or a loop must meet more than 10 colours; Result.Minimal
// tells. Of the options only Limit counts. The result has no trace where the property holds; c
// are the components of u. It fails if ctx is done, or if the complement
// of the condition takes more than 1,024 pairs.
//
// For each pair the transitions with colours that must not recur are removed. In what can
// recur, a breadth-first search over states and colours met looks for the way back to each
// head, in the order of the distance from the initial state, within the length of the best run
// so far and not through states that come before: see [loops]. If this becomes dear, states are
// sifted by distances inside the model (see [loopSieve]), and then heads are searched from
// 64 at once ([loopsTogether]).
//
// Cost O(S + T) for each pair, and O(2^k (S + T)) for each search with k colours to
// be met: O(2^k F (S + T)) in the worst case, with F heads that sifting leaves.
func inUnfolding(ctx context.Context, u *product.Unfolding, c *scc.Components, o Options) (*Result, error) {
	pairs, ok := u.Property().Acceptance().Not().Pairs(mostPairs)
	if !ok {
		return nil, tooManyPairs(u.Property())
	}
	g := newGeneral(ctx, u, c, o)
	if err := g.measure(); err != nil {
		return nil, err
	}
	return g.search(pairs)
}

// newGeneral makes a search in the product u with components c.
func newGeneral(ctx context.Context, u *product.Unfolding, c *scc.Components, o Options) *general {
	m := u.LTS()
	g := &general{ctx: ctx, model: u.Model(), property: u.Property(), places: m.NumStates(), best: infinite, limit: o.Limit, patience: patienceWith(m)}
	g.u, g.m, g.c, g.path = u, m, c, g.pathInProduct
	return g
}

// patienceWith is how much searches in a product may cost until more is found out.
func patienceWith(m *lts.LTS) int { return 2*(m.NumTransitions()+m.NumStates()) + 1<<10 }

// search looks for a shortest run that violates the property by one of these pairs, or ends.
func (g *general) search(pairs []property.Pair) (*Result, error) {
	if g.levels == nil {
		g.deadlock()
	}
	exact := true
	var failed error
	for i, pair := range pairs {
		exact = exact && bits.OnesCount64(uint64(pair.Inf)) <= mostDemands
		if failed = g.pair(i, pair); failed != nil {
			break
		}
	}
	return g.result(exact, failed)
}

// result is the best run, a shortest one if all was searched for exactly and nothing failed.
func (g *general) result(exact bool, failed error) (*Result, error) {
	r := &Result{Violated: g.violated || g.best != infinite}
	if exact && !g.stopped && failed == nil {
		r.Minimal = InProduct
	}
	r.Stats.Stored, r.Stats.Matched = int64(g.places), g.visits
	if g.best == infinite {
		return r, failed
	}
	r.Stats.Found, r.Stats.Length = g.found, g.best+1
	steps := g.loop
	if stem := g.path(g.entry, g.best-len(g.loop)); len(stem) > 0 {
		steps = append(stem, g.loop...)
	}
	loop := noLoop
	if len(g.loop) > 0 {
		loop = len(steps) - len(g.loop)
	}
	var err error
	r.Trace, err = NewViolating(g.model, g.property, steps, loop)
	if err != nil {
		return r, fmt.Errorf("counterexample: the search in the product went wrong, please report it: %w", err)
	}
	return r, failed
}

// fewestStates is the number of states of the product that are looked at first; as long as
// nothing is found, that number grows by growth, up to one of mostParts of all.
const (
	fewestStates = 1 << 12
	growth       = 4
	mostParts    = 8
	// beforeLevels is the largest such number where all can be searched without the product.
	beforeLevels = 1 << 16
)

// inProduct is [inUnfolding] for a property that is bound to m, with components found by the
// engine of o.
func inProduct(ctx context.Context, m *lts.LTS, p *property.Property, o Options) (*Result, error) {
	return inPart(ctx, m, p, o, fewestStates, math.MaxInt)
}

// inPart is [inProduct] where so many states of the product are looked at first. What is
// no longer than the nearest of the others is far is a shortest run of the whole: any other
// one that is as short goes through nearer states only. Runs that are not below a length
// need not be found.
func inPart(ctx context.Context, m *lts.LTS, p *property.Property, o Options, states, below int) (*Result, error) {
	all := m.NumStates()
	u, whole := o.product(p)
	if whole {
		all = u.LTS().NumStates()
	}
	levels := product.NewLevels(m, p)
	inAll := whole || o.Engine == "gonum" || levels == nil
	most := all / mostParts
	if !inAll {
		most = min(most, beforeLevels)
	}
	known, excluded := &Result{}, 0
	for ; states <= most && known.Trace == nil; states *= growth {
		u, r, err := o.inStates(ctx, m, p, states)
		if err != nil {
			return atLeast(known, r), err
		}
		if !u.IsCut() || r.Trace != nil && r.Trace.Len() <= u.Depth() || below <= u.Depth() {
			return r, nil
		}
		known, excluded = &Result{Trace: r.Trace, Violated: r.Trace != nil}, u.Depth()
		if r.Trace != nil {
			excluded = min(excluded, r.Trace.Len()-1)
		}
		if below != math.MaxInt {
			break
		}
	}
	var r *Result
	var err error
	if inAll {
		_, r, err = o.inStates(ctx, m, p, math.MaxInt)
	} else {
		if known.Trace != nil {
			below = min(below, known.Trace.Len()+1)
		}
		r, err = inLevels(ctx, levels, m, p, o, excluded, below, worthNear())
	}
	if err != nil {
		r = atLeast(known, r)
	}
	return r, err
}

// atLeast returns the result of a search that failed, or what was known before where that is more.
func atLeast(known, r *Result) *Result {
	if r == nil || r.Trace == nil && known.Trace != nil {
		return known
	}
	return r
}

// inStates is [inUnfolding] for so many states of the product.
func (o *Options) inStates(ctx context.Context, m *lts.LTS, p *property.Property, states int) (*product.Unfolding, *Result, error) {
	u, err := o.unfold(ctx, m, p, states)
	if err != nil {
		return nil, nil, err
	}
	c, err := o.components(ctx, u)
	if err != nil {
		return nil, nil, err
	}
	r, err := inUnfolding(ctx, u, c, *o)
	return u, r, err
}

// unfold returns the product of m and p, up to so many states with their transitions where
// not all of it is known already.
func (o *Options) unfold(ctx context.Context, m *lts.LTS, p *property.Property, states int) (*product.Unfolding, error) {
	if u, known := o.product(p); known && states == math.MaxInt {
		return u, nil
	}
	return product.UnfoldPart(ctx, m, p, states)
}

// product returns the product of the model and p, where it is known.
func (o *Options) product(p *property.Property) (u *product.Unfolding, known bool) {
	if o.Fates == nil || o.Fates.Property() != p {
		return nil, false
	}
	return o.Fates.Unfolding()
}

// components returns the components of a product.
func (o *Options) components(ctx context.Context, u *product.Unfolding) (*scc.Components, error) {
	if known, is := o.product(u.Property()); is && known == u {
		return o.Fates.UnfoldedComponents(ctx)
	}
	if o.Engine == "gonum" {
		return scc.Find(ctx, u.LTS(), o.Engine)
	}
	return u.Components(ctx)
}

// general is a search in the product.
type general struct {
	ctx      context.Context
	model    *lts.LTS
	property *property.Property
	// places is how many there are in the product.
	places int
	// path returns a shortest path to a place at this distance.
	path func(to product.Place, distance int) []lts.Transition
	// levels are the places if the product itself is not known; searched is then the part of it
	// for one pair.
	levels *product.Levels
	searched

	violated bool // known even before a run is found
	best     int  // length of the best run so far
	entry    product.Place
	loop     []lts.Transition // of the model; none for a run into a deadlock
	found    int

	visits, limit int64
	stopped       bool
	// patience is how much searches for loops may cost until it is found out which states can be
	// left out.
	patience int
	did      effort
}

// searched is the product, or a part of it that holds all loops of interest.
type searched struct {
	u *product.Unfolding
	m *lts.LTS
	c *scc.Components // nil if they are not known
	// distance is counted from the initial state; states ascend by it.
	distance []uint32
	// parent is the state before on a shortest path, if the whole product is searched.
	parent []lts.State
}

// effort is what the searches for loops have cost, by all pairs.
type effort struct {
	work int // transitions and states looked at
	// sifted is how many times states were, rounds that of searches within a larger bound, and
	// told that of searches from many heads at once, through that of those through a colour.
	sifted, rounds, told, through int
}

// measure finds the distances. States of the product are numbered breadth first.
func (g *general) measure() error {
	n := g.m.NumStates()
	if err := resources.AskFor[uint64](g.ctx, n); err != nil {
		return err
	}
	g.distance, g.parent = make([]uint32, n), make([]lts.State, n)
	met := lts.State(0)
	for s := range lts.State(n) {
		if s&(1<<14-1) == 0 && g.ctx.Err() != nil {
			return g.ctx.Err()
		}
		_, targets := g.m.Out(s)
		for _, t := range targets {
			if t > met {
				met = t
				g.distance[t], g.parent[t] = g.distance[s]+1, s
			}
		}
	}
	return nil
}

// deadlock takes the nearest state in which a run may not stop, and does.
func (g *general) deadlock() {
	for s := range lts.State(g.m.NumStates()) {
		if g.m.IsDeadlock(s) && g.u.HasTransitions(s) && !g.u.Property().Stops(g.u.Place(s).Q) {
			g.best, g.entry, g.found = int(g.distance[s]), g.u.Place(s), 1
			return
		}
	}
}

// pathInProduct returns a shortest path of the model to a place of the product.
func (g *general) pathInProduct(place product.Place, _ int) []lts.Transition {
	to, _ := g.u.Find(place)
	return g.inModel(g.pathTo(to))
}

// pathTo returns a shortest path to a state of the product.
func (g *general) pathTo(to lts.State) []lts.Transition {
	var steps []lts.Transition
	for to != g.m.Initial() {
		from := g.parent[to]
		labels, targets := g.m.Out(from)
		i := slices.Index(targets, to)
		steps = append(steps, lts.Transition{From: from, Label: labels.At(i), To: to})
		to = from
	}
	slices.Reverse(steps)
	return steps
}

// inModel replaces transitions of the product by the model's.
func (g *general) inModel(steps []lts.Transition) []lts.Transition {
	for i, t := range steps {
		steps[i] = lts.Transition{From: g.u.Place(t.From).State, Label: t.Label, To: g.u.Place(t.To).State}
	}
	return steps
}
