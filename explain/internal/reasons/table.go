package reasons

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bfs"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// ofTables finds how long something stays pending, for each of several properties whose conjunction
// holds.
func ofTables(ctx context.Context, fates *fate.Map, conditions []Condition) (*Result, error) {
	r := &Result{}
	var slowest *Slowest
	for i, c := range conditions {
		found, repeats, run, err := ofTable(ctx, fates, c.Property, c.Wide)
		if errors.Is(err, ErrNoBound) || err == nil && !found.is {
			continue
		} else if err != nil {
			return nil, err
		}
		if repeats != nil && r.Repeats == nil {
			r.Repeats = repeats
		}
		if run != nil && (slowest == nil || found.Most > r.Bounds[slowest.Of].Most) {
			slowest = run
			slowest.Of = len(r.Bounds)
		}
		r.Bounds, r.Stays = append(r.Bounds, found.Bound), append(r.Stays, Stay{i, found.begins})
	}
	if len(r.Bounds) == 0 {
		return nil, ErrNoBound
	}
	if r.Repeats == nil && slowest != nil && !slices.ContainsFunc(r.Bounds, func(b Bound) bool { return b.Most > MostSlowest }) {
		r.Slowest = slowest
	}
	return r, nil
}

// ofTable returns the bound of one property. It works without the product if the property has few
// states and the product does not exist yet.
func ofTable(ctx context.Context, fates *fate.Map, p, wide *property.Property) (stay, []lts.Label, *Slowest, error) {
	none := func(err error) (stay, []lts.Label, *Slowest, error) { return stay{}, nil, nil, err }
	if p.Steps() > 0 {
		return none(ErrNoBound)
	}
	c, err := newCut(ctx, p, wide)
	if err != nil {
		return none(err)
	}
	if !slices.Contains(c.pending, true) {
		return none(ErrNoBound)
	}
	if c.p != fates.Property() {
		if fates, err = fate.Compute(ctx, fates.Components(), c.p, enrich.Options{Fairness: fates.Fairness()}); err != nil {
			return none(err)
		}
	}
	if g := newPendingGraph(fates, c); g != nil {
		b, run, err := g.bound(ctx)
		return b, nil, run, err
	}
	u, err := fates.Unfold(ctx)
	if err != nil {
		return none(err)
	}
	if u.LTS().NumStates() > math.MaxInt32 {
		return none(ErrTooLarge)
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
	is bool // whether something is pending at some time
	// begins are the property states, before the cut, where segments begin.
	begins []property.Q
}

// begin adds a property state to b.begins.
func (b *stay) begin(q property.Q) {
	if at, known := slices.BinarySearch(b.begins, q); !known {
		b.begins = slices.Insert(b.begins, at, q)
	}
}

// bound finds the bound of the segments that begin in each product state where something becomes
// pending.
func (g *tableGraph) bound(ctx context.Context) (b stay, repeats []lts.Label, run *Slowest, err error) {
	x := newSearch(ctx, g, false)
	first := uint32(none)
	b.Least = int(uint32(stuck))
	err = g.beginnings(ctx, func(p uint32) error {
		if err := x.from(p); err != nil {
			return err
		}
		left := x.left[p]
		if left == stuck {
			return nil
		}
		if most := int(left); first == none || most > b.Most || most == b.Most && p < first {
			b.Most, first = most, p
		}
		b.begin(g.origin(g.u.At(lts.State(p)).Q))
		b.Least = min(b.Least, int(x.few[p]))
		return nil
	})
	if err != nil || first == none {
		return b, nil, nil, err
	}
	b.is = true
	if x.closing != none {
		b.Most = 0
		if repeats, err = x.cycle(x.closing); err != nil {
			return b, nil, nil, err
		}
		b.Least, err = g.least(ctx)
		return b, repeats, nil, err
	}
	b.Bounded = true
	if b.Most > MostSlowest {
		return b, nil, nil, nil
	}
	tree, err := bfs.From(ctx, g.u.LTS(), []lts.State{0}, bfs.Options{
		Along: func(t lts.Transition) bool {
			at := g.u.At(t.To)
			return g.fates.AdmitsFrom(at.State, at.Q)
		},
		Until: func(s lts.State) bool { return s == lts.State(first) },
	})
	if err != nil {
		return b, nil, nil, err
	}
	run = x.walk(first, tree.Path(lts.State(first)))
	g.fold(run)
	return b, nil, run, nil
}

// beginnings calls each for every product state where a segment begins, for some more than once.
func (g *tableGraph) beginnings(ctx context.Context, each func(p uint32) error) error {
	if g.pending[g.u.At(0).Q] && g.begun {
		if err := each(0); err != nil {
			return err
		}
	}
	for s := range lts.State(g.places()) {
		if s&(1<<14-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		from := g.u.At(s)
		if !g.fates.AdmitsFrom(from.State, from.Q) {
			continue
		}
		labels, targets := g.u.LTS().Out(s)
		for i, t := range targets {
			at := g.u.At(t)
			if !g.begins(from.Q, labels.At(i), at.Q) || !g.fates.AdmitsFrom(at.State, at.Q) {
				continue
			}
			if err := each(uint32(t)); err != nil {
				return err
			}
		}
	}
	return nil
}

// least finds the length of a shortest segment, forwards and breadth first from where segments
// begin.
func (g *tableGraph) least(ctx context.Context) (int, error) {
	least := int(uint32(stuck))
	var level []uint32
	visited := make([]bool, g.places())
	err := g.beginnings(ctx, func(p uint32) error {
		if !visited[p] {
			visited[p] = true
			level = append(level, p)
		}
		return nil
	})
	for depth := 1; err == nil && len(level) > 0; depth++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		var next []uint32
		for _, p := range level {
			_, labels, targets := g.out(p)
			for i, t := range targets {
				switch to, w := g.next(p, labels.At(i), t); {
				case w == settles:
					return depth, nil
				case w == leadsOn && !visited[to]:
					visited[to] = true
					next = append(next, to)
				}
			}
		}
		level = next
	}
	return least, err
}

// fold replaces the transitions of the unfolded model by those of the model.
func (g *tableGraph) fold(run *Slowest) {
	of := func(t lts.Transition) lts.Transition {
		return lts.Transition{From: g.u.At(t.From).State, Label: t.Label, To: g.u.At(t.To).State}
	}
	for i, t := range run.Steps {
		run.Steps[i] = of(t)
	}
	for i := range run.faster {
		run.faster[i].Transition = of(run.faster[i].Transition)
	}
}
