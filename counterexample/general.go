package counterexample

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/counterexample/run"
	"github.com/inev-lts/inev/internal/paged"
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

// inUnfolding looks for a run of the model m that violates the property by which u
// unfolds it, and that closes in the product: its loop comes back to the state of the
// property with which it begins. Among these it has the fewest transitions, unless
// the limit of o ends the search or a loop must meet more than 10 colours; Result.Minimal
// tells. Of the options only Limit counts. The result has no trace where the property holds; c
// are the components of u. It fails where ctx is done, and where the complement
// of the condition takes more than 1,024 pairs.
//
// For each pair the transitions with colours that must not recur are removed, and
// from each state of what can recur, in the order of the distance from the initial
// state, a breadth-first search over states and colours met looks for the way back,
// within the length of the best run so far. A state from which that has been done
// takes no part in later searches: through it no loop is shorter.
//
// Cost O(S + T) for each pair, and O(2^k (S + T)) for each search with k colours to
// be met: O(2^k S (S + T)) in the worst case.
func inUnfolding(ctx context.Context, m *lts.LTS, u *product.Unfolding, c *scc.Components, o Options) (*Result, error) {
	pairs, ok := u.Property().Acceptance().Not().Pairs(mostPairs)
	if !ok {
		return nil, fmt.Errorf("counterexample: the complement of the acceptance condition of %s has more than %d pairs", u.Property(), mostPairs)
	}
	g := &general{ctx: ctx, u: u, m: u.LTS(), c: c, best: infinite, limit: o.Limit}
	if err := g.measure(); err != nil {
		return nil, err
	}
	g.deadlock()
	exact := true
	for _, pair := range pairs {
		exact = exact && bits.OnesCount64(uint64(pair.Inf)) <= mostDemands
		if err := g.pair(pair); err != nil {
			return nil, err
		}
	}
	r := &Result{}
	if exact && !g.stopped {
		r.Minimal = InProduct
	}
	r.Stats.Stored, r.Stats.Matched = int64(g.m.NumStates()), g.visits
	if g.best == infinite {
		return r, nil
	}
	r.Stats.Found, r.Stats.Length = g.found, g.best+1
	steps := append(g.path(g.entry), g.loop...)
	loop := noLoop
	if len(g.loop) > 0 {
		loop = len(steps) - len(g.loop)
	}
	for i, t := range steps {
		steps[i] = lts.Transition{From: u.Place(t.From).State, Label: t.Label, To: u.Place(t.To).State}
	}
	var err error
	r.Trace, err = run.NewViolating(m, u.Property(), steps, loop)
	if err != nil {
		return r, fmt.Errorf("counterexample: the search in the product went wrong, please report it: %w", err)
	}
	return r, nil
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
	for ; ; states *= growth {
		if states > all/growth {
			states = math.MaxInt
			if r, holds, err := isAnswered(ctx, m, p, o); err != nil || holds {
				return r, err
			}
		}
		u, err := o.unfold(ctx, m, p, states)
		if err != nil {
			return nil, err
		}
		c, err := o.components(ctx, u)
		if err != nil {
			return nil, err
		}
		r, err := inUnfolding(ctx, m, u, c, o)
		if err != nil || !u.IsCut() || r.Trace != nil && r.Trace.Len() <= u.Depth() || below <= u.Depth() {
			return r, err
		}
	}
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

	best  int // length of the best run so far
	entry lts.State
	loop  []lts.Transition // none for a run into a deadlock
	found int

	visits, limit int64
	stopped       bool
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

// pair looks for a shorter run that violates the property by a pair.
func (g *general) pair(p property.Pair) error {
	part, parts, err := g.u.Recurring(g.ctx, g.c, p.Fin, p.Inf, nil)
	if err != nil || parts == 0 {
		return err
	}
	x := &loops{general: g, part: part, pair: p}
	x.number()
	if err := resources.AskFor[uint32](g.ctx, g.m.NumStates()<<x.bits); err != nil {
		return err
	}
	x.met = make([]uint32, g.m.NumStates()<<x.bits)
	toured := make(map[uint32]bool)
	for s := range lts.State(g.m.NumStates()) {
		if part[s] == 0 {
			continue
		}
		if int(g.distance[s])+1 >= g.best || g.stopped {
			break
		}
		if p.Inf.Len() > mostDemands {
			// One loop for each part, through its nearest state.
			if !toured[part[s]] {
				toured[part[s]] = true
				if err := x.tour(s); err != nil {
					return err
				}
			}
			continue
		}
		if err := x.from(s); err != nil {
			return err
		}
		part[s] = 0
	}
	return nil
}

// loops searches for the loops of one pair.
type loops struct {
	*general
	part []uint32
	pair property.Pair
	// bitOf[c] is the bit for colour c in the sets of colours met.
	bitOf [property.Colours]uint32
	bits  int
	full  uint32
	// met[s<<bits|set] is the number of the search that came to s with that set.
	met    []uint32
	search uint32
	queue  paged.List[onLoop]
}

// onLoop is a state met on the way round, with the colours met by then.
type onLoop struct {
	state lts.State
	set   uint32
	// before is the number of the one before it, label that of the transition.
	before uint32
	label  lts.Label
	length uint32
}

// number gives the demanded colours their bits, unless there are too many.
func (x *loops) number() {
	if x.pair.Inf.Len() > mostDemands {
		return
	}
	for c := range property.Colours {
		if x.pair.Inf.Has(c) {
			x.bitOf[c] = 1 << x.bits
			x.bits++
		}
	}
	x.full = 1<<x.bits - 1
}

// colours returns the bits of the demanded colours among these.
func (x *loops) colours(m property.Marks) uint32 {
	var set uint32
	for m &= x.pair.Inf; m != 0; m &= m - 1 {
		set |= x.bitOf[bits.TrailingZeros64(uint64(m))]
	}
	return set
}

// from looks for a loop through a state that makes a shorter run than the best one.
func (x *loops) from(s lts.State) error {
	x.search++
	x.queue.Truncate(0)
	x.queue.Append(onLoop{state: s})
	for next := 0; next < x.queue.Len(); next++ {
		at := *x.queue.At(next)
		if int(x.distance[s])+int(at.length)+1 >= x.best {
			return nil
		}
		if x.visits++; x.visits&(1<<12-1) == 0 && x.ctx.Err() != nil {
			return x.ctx.Err()
		}
		if x.limit > 0 && x.visits > x.limit && x.best != infinite {
			x.stopped = true
			return nil
		}
		labels, targets := x.m.Out(at.state)
		for i, t := range targets {
			marks := x.u.Marks(at.state, labels.At(i))
			if x.part[t] != x.part[s] || marks&x.pair.Fin != 0 {
				continue
			}
			set := at.set | x.colours(marks)
			if t == s && set == x.full {
				x.take(s, next, labels.At(i))
				return nil
			}
			if mark := &x.met[int(t)<<x.bits|int(set)]; *mark != x.search {
				*mark = x.search
				x.queue.Append(onLoop{t, set, uint32(next), labels.At(i), at.length + 1})
			}
		}
	}
	return nil
}

// take makes the best run of the loop from s that ends with a transition from the
// queue's member last.
func (x *loops) take(s lts.State, last int, label lts.Label) {
	steps := append(x.way(last), lts.Transition{From: x.queue.At(last).state, Label: label, To: s})
	x.better(s, steps)
}

func (x *loops) better(s lts.State, steps []lts.Transition) {
	if length := int(x.distance[s]) + len(steps); length < x.best {
		x.best, x.entry, x.loop = length, s, steps
		x.found++
	}
}

// way returns the transitions by which the queue's member last was come to.
func (x *loops) way(last int) []lts.Transition {
	var steps []lts.Transition
	for at := x.queue.At(last); at.length > 0; at = x.queue.At(int(at.before)) {
		steps = append(steps, lts.Transition{From: x.queue.At(int(at.before)).state, Label: at.label, To: at.state})
	}
	slices.Reverse(steps)
	return steps
}

// tour makes a loop through s that goes from there to the nearest transition with a
// demanded colour that is still missing, on from there to the next one, and back.
func (x *loops) tour(s lts.State) error {
	var steps []lts.Transition
	at, missing := s, x.pair.Inf
	for missing != 0 || at != s {
		wanted := func(t lts.Transition, marks property.Marks) bool { return marks&missing != 0 }
		if missing == 0 {
			wanted = func(t lts.Transition, _ property.Marks) bool { return t.To == s }
		}
		more, err := x.nearest(at, wanted)
		if err != nil {
			return err
		}
		for _, t := range more {
			missing &^= x.u.Marks(t.From, t.Label)
		}
		steps = append(steps, more...)
		at = steps[len(steps)-1].To
	}
	x.better(s, steps)
	return nil
}

// nearest returns a shortest way from s to and with a transition of its part that is
// wanted. There is one.
func (x *loops) nearest(s lts.State, wanted func(lts.Transition, property.Marks) bool) ([]lts.Transition, error) {
	x.search++
	x.queue.Truncate(0)
	x.queue.Append(onLoop{state: s})
	x.met[s] = x.search
	for next := 0; next < x.queue.Len(); next++ {
		if x.visits++; x.visits&(1<<12-1) == 0 && x.ctx.Err() != nil {
			return nil, x.ctx.Err()
		}
		at := *x.queue.At(next)
		labels, targets := x.m.Out(at.state)
		for i, t := range targets {
			marks := x.u.Marks(at.state, labels.At(i))
			if x.part[t] != x.part[s] || marks&x.pair.Fin != 0 {
				continue
			}
			step := lts.Transition{From: at.state, Label: labels.At(i), To: t}
			if wanted(step, marks) {
				return append(x.way(next), step), nil
			}
			if x.met[t] != x.search {
				x.met[t] = x.search
				x.queue.Append(onLoop{t, 0, uint32(next), labels.At(i), at.length + 1})
			}
		}
	}
	return nil, fmt.Errorf("counterexample: a loop does not close, please report it")
}
