package reasons

import (
	"context"
	"math"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// pendingGraph is [tableGraph] without the product. It numbers all pairs of a state of the model
// and a property state where something is pending, reachable or not. It requires a property that
// holds if all runs count: then there is no cycle.
type pendingGraph struct {
	*cut
	m      *lts.LTS
	fates  *fate.Map
	levels *product.Levels
	// states are the property states where something is pending; ranks has, for each property
	// state, its position in states, from 1; 0 if nothing is pending.
	ranks  []uint8
	states []property.Q
	// fresh has the product states where segments begin.
	fresh bitset.Set[uint32]
}

// newPendingGraph returns the graph; nil if the product must be used instead.
func newPendingGraph(fates *fate.Map, c *cut) *pendingGraph {
	if _, known := fates.Unfolding(); known || fates.Fairness() != nil {
		return nil
	}
	g := &pendingGraph{cut: c, m: fates.LTS(), fates: fates, levels: product.NewLevels(fates.LTS(), c.p), ranks: make([]uint8, len(c.pending))}
	if g.levels == nil {
		return nil
	}
	for q, is := range c.pending {
		if is {
			g.states = append(g.states, property.Q(q))
			g.ranks[q] = uint8(len(g.states))
		}
	}
	if g.places() > math.MaxInt32 {
		return nil
	}
	return g
}

func (g *pendingGraph) places() int { return g.m.NumStates() * len(g.states) }

func (g *pendingGraph) at(p uint32) product.State {
	n := uint32(len(g.states))
	return product.State{State: lts.State(p / n), Q: g.states[p%n]}
}

// number returns the number of a product state; false if nothing is pending there.
func (g *pendingGraph) number(s lts.State, q property.Q) (uint32, bool) {
	rank := g.ranks[q]
	return uint32(s)*uint32(len(g.states)) + uint32(rank) - 1, rank > 0
}

func (g *pendingGraph) out(p uint32) (lts.State, lts.Labels, []lts.State) {
	s := g.at(p).State
	labels, targets := g.m.Out(s)
	return s, labels, targets
}

func (g *pendingGraph) next(p uint32, l lts.Label, t lts.State) (uint32, way) {
	to, goesOn := g.after(g.at(p).Q, l, t)
	if !goesOn {
		return 0, settles
	}
	return to, leadsOn
}

// after returns the product state after a transition; false if the transition settles what is
// pending.
func (g *pendingGraph) after(q property.Q, l lts.Label, t lts.State) (uint32, bool) {
	i := int(q)*g.t.Columns + int(g.t.Letters[l])
	if g.settles[i] {
		return 0, false
	}
	return g.number(t, g.t.Next[i])
}

// bound finds the bound of the segments that begin in each product state where something becomes
// pending.
func (g *pendingGraph) bound(ctx context.Context) *stay {
	abort.On(resources.Ask(ctx, int64(g.places())/8))
	g.fresh = bitset.New[uint32](g.places())
	x := newSearch(ctx, g, false)
	g.passes(x)
	b, _ := x.stays(g.fresh.All, func(p uint32) property.Q { return g.origin(g.at(p).Q) })
	if b == nil {
		return nil
	}
	longest := func(at product.State) bool {
		p, is := g.number(at.State, at.Q)
		return is && g.fresh.Has(p) && int(x.left[p]) == b.Most
	}
	first, distance, err := g.levels.First(ctx, longest)
	abort.On(err)
	if b.Most <= MostSlowest {
		p, _ := g.number(first.State, first.Q)
		b.slowest = x.walk(p, g.levels.Path(first, distance))
	}
	return b
}

// passes visits all states in the order of their numbers, alternately down and up. It finds out
// where segments begin, and how long something stays pending in the product states whose successors
// are known. It ends when a pass completes at most half of the unknown product states. A search
// depth first completes the others, which costs more; but most models have most transitions to
// higher numbers, or to lower ones.
func (g *pendingGraph) passes(x *search) {
	if begin, is := g.number(g.m.Initial(), g.p.Initial()); is && g.begun {
		g.fresh.Add(begin)
	} else if !g.begun {
		g.begin(g.m.Initial(), g.p.Initial())
	}
	n := g.m.NumStates()
	for down := true; ; down = !down {
		found, left := 0, 0
		for i := range n {
			abort.IfDone(x.ctx, i)
			s := lts.State(i)
			if down {
				s = lts.State(n - 1 - i)
			}
			for q := range g.fates.Arrivals(s) {
				switch place, is := g.number(s, q); {
				case !is:
					g.begin(s, q)
				case x.left[place] != unseen:
				case g.settle(x, place, s, q):
					found++
				default:
					left++
				}
			}
		}
		if left == 0 || found <= left {
			return
		}
	}
}

// begin notes the segments that begin after a product state where nothing is pending.
func (g *pendingGraph) begin(s lts.State, q property.Q) {
	labels, targets := g.m.Out(s)
	row := int(q) * g.t.Columns
	for i, t := range targets {
		if to, is := g.number(t, g.t.Next[row+int(g.t.Letters[labels.At(i)])]); is {
			g.fresh.Add(to)
		}
	}
}

// settle finds out how long something stays pending in a product state, and reports whether all
// successors are known. It notes the segments that begin when another segment ends.
func (g *pendingGraph) settle(x *search, place uint32, s lts.State, q property.Q) bool {
	labels, targets := g.m.Out(s)
	row := int(q) * g.t.Columns
	most, few, known := uint32(0), uint32(stuck), true
	for i, t := range targets {
		at := row + int(g.t.Letters[labels.At(i)])
		to, is := g.number(t, g.t.Next[at])
		if settled := g.settles[at]; settled || !is {
			if settled && is {
				g.fresh.Add(to)
			}
			most, few = max(most, 1), 1
			continue
		}
		switch left := x.left[to]; left {
		case unseen:
			known = false
		case stuck:
		default:
			most, few = max(most, left+1), min(few, x.few[to]+1)
		}
	}
	switch {
	case !known:
		return false
	case most == 0:
		x.left[place] = stuck
	default:
		x.left[place], x.few[place] = most, few
	}
	return true
}
