package bounds

import (
	"context"
	"math"
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bfs"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// ofTable finds how long something stays pending, for each set of colours that is to be met
// again and again.
func ofTable(ctx context.Context, fates *fate.Map) (*Result, error) {
	recurring, is := clauses(fates.Property().Acceptance())
	if !is {
		return nil, ErrNoBound
	}
	r := &Result{}
	var slowest *Slowest
	for _, colours := range recurring {
		found, repeats, run, err := boundOf(ctx, fates, colours)
		if err != nil {
			return nil, err
		}
		if !found.is {
			continue
		}
		if repeats != nil && r.Repeats == nil {
			r.Repeats = repeats
		}
		if run != nil && (slowest == nil || found.Most > r.Bounds[slowest.Of].Most) {
			slowest = run
			slowest.Of = len(r.Bounds)
		}
		r.Bounds, r.Pending = append(r.Bounds, found.Bound), append(r.Pending, found.pending)
	}
	if len(r.Bounds) == 0 {
		return nil, ErrNoBound
	}
	if r.Repeats == nil && slowest != nil && !slices.ContainsFunc(r.Bounds, func(b Bound) bool { return b.Most > MostSlowest }) {
		r.Slowest = slowest
	}
	return r, nil
}

// boundOf is the bound of one set of colours: without the product unless that is known already, and
// if the property has few states.
func boundOf(ctx context.Context, fates *fate.Map, colours property.Marks) (stay, []lts.Label, *Slowest, error) {
	if fates.Property().Steps() > 0 {
		return stay{}, nil, nil, ErrNoBound
	}
	pending, err := waiting(ctx, fates.Property(), colours)
	if err != nil || !slices.Contains(pending, true) {
		return stay{}, nil, nil, err
	}
	if g := newPendingGraph(fates, colours, pending); g != nil {
		b, run, err := g.bound(ctx)
		return b, nil, run, err
	}
	u, err := fates.Unfold(ctx)
	if err != nil {
		return stay{}, nil, nil, err
	}
	if u.LTS().NumStates() > math.MaxInt32 {
		return stay{}, nil, nil, ErrTooLarge
	}
	g := &tableGraph{u: u, p: fates.Property(), fates: fates, colours: colours, pending: pending}
	return g.bound(ctx)
}

// clauses returns the sets of colours of a conjunction, each with some colour to be
// met again and again.
func clauses(a property.Acceptance) ([]property.Marks, bool) {
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
			of, is := clauses(p)
			if !is {
				return nil, false
			}
			all = append(all, of...)
		}
		return all, true
	}
	return nil, false
}

// tableGraph has the places of the unfolded model where something is pending: in such a
// state of the property a run may not end, or it may go round in it without any of the
// colours, and does not satisfy the property if it does so for ever.
type tableGraph struct {
	u       *product.Unfolding
	p       *property.Property
	fates   *fate.Map
	colours property.Marks
	pending []bool // by states of the property
}

// waiting returns the states of a property where something is pending. A state that nothing
// leaves, and where nothing is accepted, is none: there it is too late.
func waiting(ctx context.Context, p *property.Property, colours property.Marks) ([]bool, error) {
	words, err := product.WordsOf(ctx, p)
	if err != nil {
		return nil, err
	}
	t := p.Automaton()
	n := t.States()
	columns := map[uint16]bool{}
	for l := range p.Alphabet().All() {
		if p.Alphabet().Happens(l) {
			columns[t.Letters[l]] = true
		}
	}
	next := make([][]int, n)
	for q := range n {
		for column := range t.Columns {
			if at := q*t.Columns + column; columns[uint16(column)] && t.Marks[at]&colours == 0 {
				next[q] = append(next[q], int(t.Next[at]))
			}
		}
	}
	pending := make([]bool, n)
	cyclic, err := onCycles(ctx, next)
	if err != nil {
		return nil, err
	}
	for q := range n {
		pending[q] = (cyclic[q] || !t.Stop[q]) && words.CanAccept(property.Q(q))
	}
	return pending, nil
}

// onCycles returns which nodes of a graph are on a cycle.
func onCycles(ctx context.Context, next [][]int) ([]bool, error) {
	var b lts.Builder
	edge := b.Label("")
	// A state more leads to all.
	start := lts.State(len(next))
	for v, all := range next {
		b.Add(start, edge, lts.State(v))
		for _, w := range all {
			b.Add(lts.State(v), edge, lts.State(w))
		}
	}
	m, err := b.Build(start, len(next)+1)
	if err != nil {
		return nil, err
	}
	c, err := scc.Find(ctx, m, "iterative")
	if err != nil {
		return nil, err
	}
	cyclic := make([]bool, len(next))
	for v := range cyclic {
		if of, met := c.Of(lts.State(v)); met {
			cyclic[v] = c.IsCyclic(of)
		}
	}
	return cyclic, nil
}

func (g *tableGraph) places() int { return g.u.LTS().NumStates() }

// out returns transitions of the unfolded model.
func (g *tableGraph) out(p uint32) (lts.State, lts.Labels, []lts.State) {
	labels, targets := g.u.LTS().Out(lts.State(p))
	return lts.State(p), labels, targets
}

func (g *tableGraph) next(p uint32, l lts.Label, t lts.State) (uint32, way) {
	at := g.u.Place(t)
	switch {
	case !g.fates.AdmitsFrom(at.State, at.Q):
		return 0, excluded
	case g.u.Marks(lts.State(p), l)&g.colours != 0 || !g.pending[at.Q]:
		return 0, settles
	}
	return uint32(t), leadsOn
}

// stay is the bound of one set of colours.
type stay struct {
	Bound
	is      bool // something is pending at some time
	pending property.Q
}

// bound looks at the stays that begin in each place where something begins to be pending.
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
		b.Least = min(b.Least, int(x.few[p]))
		return nil
	})
	if err != nil || first == none {
		return b, nil, nil, err
	}
	b.is, b.pending = true, g.u.Place(lts.State(first)).Q
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
			at := g.u.Place(t.To)
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

// beginnings calls each place where something begins to be pending, some more than once.
func (g *tableGraph) beginnings(ctx context.Context, each func(p uint32) error) error {
	begin := g.u.Place(0)
	if g.pending[begin.Q] {
		if err := each(0); err != nil {
			return err
		}
	}
	for s := range lts.State(g.places()) {
		if s&(1<<14-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		from := g.u.Place(s)
		if !g.fates.AdmitsFrom(from.State, from.Q) {
			continue
		}
		labels, targets := g.u.LTS().Out(s)
		for i, t := range targets {
			at := g.u.Place(t)
			if !g.pending[at.Q] || !g.fates.AdmitsFrom(at.State, at.Q) {
				continue
			}
			if g.pending[from.Q] && g.u.Marks(s, labels.At(i))&g.colours == 0 {
				continue
			}
			if err := each(uint32(t)); err != nil {
				return err
			}
		}
	}
	return nil
}

// least finds the shortest stay, backwards from what settles, level by level.
func (g *tableGraph) least(ctx context.Context) (int, error) {
	least := int(uint32(stuck))
	var level []uint32
	met := make([]bool, g.places())
	err := g.beginnings(ctx, func(p uint32) error {
		if !met[p] {
			met[p] = true
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
				case w == leadsOn && !met[to]:
					met[to] = true
					next = append(next, to)
				}
			}
		}
		level = next
	}
	return least, err
}

// fold turns a run of the unfolded model into one of the model.
func (g *tableGraph) fold(run *Slowest) {
	of := func(t lts.Transition) lts.Transition {
		return lts.Transition{From: g.u.Place(t.From).State, Label: t.Label, To: g.u.Place(t.To).State}
	}
	for i, t := range run.Steps {
		run.Steps[i] = of(t)
	}
	for i := range run.faster {
		run.faster[i].Transition = of(run.faster[i].Transition)
	}
}
