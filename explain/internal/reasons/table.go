package reasons

import (
	"context"
	"iter"
	"math"
	"slices"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bfs"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// ofTables finds how long something stays pending, for each of several properties whose conjunction
// holds; nil if nothing is ever pending.
func ofTables(ctx context.Context, fates *fate.Map, conditions []Condition) *Result {
	r := &Result{}
	var slowest *Slowest
	for i, c := range conditions {
		found := ofTable(ctx, fates, c.Property, c.Wide)
		if found == nil {
			continue
		}
		if r.Repeats == nil {
			r.Repeats = found.repeats
		}
		if found.slowest != nil && (slowest == nil || found.Most > r.Bounds[slowest.Of].Most) {
			slowest = found.slowest
			slowest.Of = len(r.Bounds)
		}
		r.Bounds, r.Stays = append(r.Bounds, found.Bound), append(r.Stays, Stay{i, found.begins})
	}
	if len(r.Bounds) == 0 {
		return nil
	}
	if r.Repeats == nil && slowest != nil && !slices.ContainsFunc(r.Bounds, func(b Bound) bool { return b.Most > MostSlowest }) {
		r.Slowest = slowest
	}
	return r
}

// ofTable returns the bound of one property. It works without the product if the property has few
// states and the product does not exist yet.
func ofTable(ctx context.Context, fates *fate.Map, p, wide *property.Property) *stay {
	clauses, is := clausesOf(wide.Acceptance())
	if !is || p.Steps() > 0 {
		return nil
	}
	c := newCut(ctx, wide, clauses).of(p)
	if !slices.Contains(c.pending, true) {
		return nil
	}
	if c.p != fates.Property() {
		fates = abort.Must(fate.Compute(ctx, fates.Components(), c.p, enrich.Options{Fairness: fates.Fairness()}))
	}
	if g := newPendingGraph(fates, c); g != nil {
		return g.bound(ctx)
	}
	u := abort.Must(fates.Unfold(ctx))
	if u.LTS().NumStates() > math.MaxInt32 {
		abort.On(ErrTooLarge)
	}
	g := &tableGraph{u: u, fates: fates, cut: c}
	return g.bound(ctx)
}

// clausesOf returns the sets of colours of a generalised Büchi condition: of each set, some colour
// must occur infinitely often. It is false for other conditions.
func clausesOf(a property.Acceptance) ([]property.Marks, bool) {
	switch a.Operator() {
	case property.InfOp:
		return []property.Marks{property.Mark(a.Colour())}, true
	case property.OrOp:
		var all property.Marks
		for _, p := range a.Parts() {
			if p.Operator() != property.InfOp {
				return nil, false
			}
			all |= property.Mark(p.Colour())
		}
		return []property.Marks{all}, true
	case property.AndOp:
		var all []property.Marks
		for _, p := range a.Parts() {
			of, is := clausesOf(p)
			if !is {
				return nil, false
			}
			all = append(all, of...)
		}
		return all, true
	}
	return nil, false
}

// tableGraph has the states of the unfolded model. Only those are searched where something is
// pending.
type tableGraph struct {
	*cut
	u     *product.Unfolding
	fates *fate.Map
}

func (g *tableGraph) places() int { return g.u.LTS().NumStates() }

func (g *tableGraph) out(p uint32) (lts.State, lts.Labels, []lts.State) {
	labels, targets := g.u.LTS().Out(lts.State(p))
	return lts.State(p), labels, targets
}

func (g *tableGraph) next(p uint32, l lts.Label, t lts.State) (uint32, way) {
	at := g.u.At(t)
	switch {
	case !g.fates.AdmitsFrom(at.State, at.Q):
		return 0, excluded
	case g.settled(g.u.At(lts.State(p)).Q, l):
		return 0, settles
	}
	return uint32(t), leadsOn
}

// stay is the bound of one condition.
type stay struct {
	Bound
	// begins are the property states, before the cut, where segments begin, ascending.
	begins []property.Q
	// repeats is a cycle on which something stays pending, nil if the condition is bounded; slowest is
	// nil then, and if it is too long.
	repeats []lts.Label
	slowest *Slowest
}

// stays returns the bound of the segments that begin in some product states, and the smallest of these
// that attains it; nil if none of these segments ends. q returns the property state, before the cut,
// of a product state.
func (x *search) stays(beginnings iter.Seq[uint32], q func(uint32) property.Q) (b *stay, attains uint32) {
	for p := range beginnings {
		x.from(p)
		left := x.left[p]
		if left == stuck {
			continue
		}
		if b == nil {
			b, attains = &stay{Bound: Bound{Least: int(x.few[p])}}, p
		}
		if most := int(left); most > b.Most || most == b.Most && p < attains {
			b.Most, attains = most, p
		}
		b.Least = min(b.Least, int(x.few[p]))
		if at, known := slices.BinarySearch(b.begins, q(p)); !known {
			b.begins = slices.Insert(b.begins, at, q(p))
		}
	}
	if b != nil && x.closing == none {
		b.Bounded = true
	}
	return b, attains
}

// bound finds the bound of the segments that begin in each product state where something becomes
// pending.
func (g *tableGraph) bound(ctx context.Context) *stay {
	x := newSearch(ctx, g, false)
	b, first := x.stays(g.beginnings(ctx), func(p uint32) property.Q { return g.origin(g.u.At(lts.State(p)).Q) })
	switch {
	case b == nil:
		return nil
	case !b.Bounded:
		b.repeats, b.Most = x.cycle(x.closing), 0
		breadthFirst(ctx, g, slices.Collect(g.beginnings(ctx)), func(depth int, _ uint32, w way) bool {
			b.Least = depth
			return w == settles
		})
		return b
	case b.Most > MostSlowest:
		return b
	}
	tree := abort.Must(bfs.From(ctx, g.u.LTS(), []lts.State{0}, bfs.Options{
		Along: func(t lts.Transition) bool {
			at := g.u.At(t.To)
			return g.fates.AdmitsFrom(at.State, at.Q)
		},
		Until: func(s lts.State) bool { return s == lts.State(first) },
	}))
	b.slowest = x.walk(first, tree.Path(lts.State(first)))
	g.fold(b.slowest)
	return b
}

// beginnings yields every product state where a segment begins, some more than once.
func (g *tableGraph) beginnings(ctx context.Context) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		if g.pending[g.u.At(0).Q] && g.begun && !yield(0) {
			return
		}
		for s := range lts.State(g.places()) {
			abort.IfDone(ctx, s)
			from := g.u.At(s)
			if !g.fates.AdmitsFrom(from.State, from.Q) {
				continue
			}
			labels, targets := g.u.LTS().Out(s)
			for i, t := range targets {
				at := g.u.At(t)
				if g.begins(from.Q, labels.At(i), at.Q) && g.fates.AdmitsFrom(at.State, at.Q) && !yield(uint32(t)) {
					return
				}
			}
		}
	}
}

// fold replaces the transitions of the unfolded model by those of the model.
func (g *tableGraph) fold(run *Slowest) {
	of := func(t lts.Transition) lts.Transition {
		return lts.Transition{From: g.u.At(t.From).State, Label: t.Label, To: g.u.At(t.To).State}
	}
	for i, t := range run.Steps {
		run.Steps[i] = of(t)
	}
	for _, c := range run.Choices {
		for i := range c.Faster {
			c.Faster[i].Transition = of(c.Faster[i].Transition)
		}
	}
}
