package counterexample

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/counterexample/internal/run"
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
		return nil, fmt.Errorf("counterexample: the complement of the acceptance condition of %s has more than %d pairs", u.Property(), mostPairs)
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
	return &general{ctx: ctx, u: u, m: m, c: c, best: infinite, limit: o.Limit, patience: 2*(m.NumTransitions()+m.NumStates()) + 1<<10}
}

// search looks for a shortest run that violates the property by one of these pairs, or ends.
func (g *general) search(pairs []property.Pair) (*Result, error) {
	g.deadlock()
	exact := true
	var failed error
	for _, pair := range pairs {
		exact = exact && bits.OnesCount64(uint64(pair.Inf)) <= mostDemands
		if failed = g.pair(pair); failed != nil {
			break
		}
	}
	r := &Result{Violated: g.violated || g.best != infinite}
	if exact && !g.stopped && failed == nil {
		r.Minimal = InProduct
	}
	r.Stats.Stored, r.Stats.Matched = int64(g.m.NumStates()), g.visits
	if g.best == infinite {
		return r, failed
	}
	r.Stats.Found, r.Stats.Length = g.found, g.best+1
	steps := append(g.path(g.entry), g.loop...)
	loop := noLoop
	if len(g.loop) > 0 {
		loop = len(steps) - len(g.loop)
	}
	u := g.u
	for i, t := range steps {
		steps[i] = lts.Transition{From: u.Place(t.From).State, Label: t.Label, To: u.Place(t.To).State}
	}
	var err error
	r.Trace, err = run.NewViolating(u.Model(), u.Property(), steps, loop)
	if err != nil {
		return r, fmt.Errorf("counterexample: the search in the product went wrong, please report it: %w", err)
	}
	return r, failed
}

// fewestStates is the number of states of the product that are looked at first; as long as
// there may be something shorter behind them, that number grows by growth.
const (
	fewestStates = 1 << 12
	growth       = 16
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
	if u, known := o.product(p); known {
		all = u.LTS().NumStates()
	}
	known := &Result{}
	for ; ; states *= growth {
		if states > all/growth {
			states = math.MaxInt
			if r, holds, err := isAnswered(ctx, m, p, o); err != nil {
				return known, err
			} else if holds {
				return r, nil
			}
		}
		u, r, err := o.inStates(ctx, m, p, states)
		if err != nil {
			if r == nil || r.Trace == nil && known.Trace != nil {
				r = known
			}
			return r, err
		}
		if !u.IsCut() || r.Trace != nil && r.Trace.Len() <= u.Depth() || below <= u.Depth() {
			return r, nil
		}
		known = &Result{Trace: r.Trace, Violated: r.Trace != nil}
	}
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
	if o.Engine == scc.Gonum {
		return scc.Find(ctx, u.LTS(), o.Engine)
	}
	return u.Components(ctx)
}

// general is a search in the product.
type general struct {
	ctx context.Context
	u   *product.Unfolding
	m   *lts.LTS
	c   *scc.Components
	// distance is that from the initial state, parent the state before on a shortest path.
	distance []uint32
	parent   []lts.State

	violated bool // known even before a run is found
	best     int  // length of the best run so far
	entry    lts.State
	loop     []lts.Transition // none for a run into a deadlock
	found    int

	visits, limit int64
	stopped       bool
	// patience is how much searches for loops may cost until it is found out which states can be
	// left out.
	patience int
	did      effort
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
			g.best, g.entry, g.found = int(g.distance[s]), s, 1
			return
		}
	}
}

// path returns a shortest path to a state of the product.
func (g *general) path(to lts.State) []lts.Transition {
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
