package repair

import (
	"cmp"
	"context"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// game is played on the unfolded model: where some uncontrollable transitions leave a
// place, others choose one of them, and elsewhere the supervisor chooses.
type game struct {
	unfolding *product.Unfolding
	m         *lts.LTS // the unfolded model
	// forced[l] says that label l is not controllable.
	forced  []bool
	byLabel bool
	// condition is that on infinite runs; nil for inevitability.
	condition *condition
	// rank[s] is one more than the round in which place s was won; 0 if it is not.
	rank []uint32
	// refused are the labels that lead from wide places to some that are not won, by label.
	refused map[choice]bool
	// guarded are the places that the model comes to without what is forbidden.
	guarded bitset.Set[lts.State]
	// cycles are what a run must not stay in for ever, for each set of colours of which one
	// has to recur.
	cycles []cycles
}

// cycles are the strongly connected parts of what is left without some colours.
type cycles struct {
	without property.Marks
	parts   []found
}

// newGame returns the game of a supervisor who can do what the options say.
func newGame(ctx context.Context, m *lts.LTS, p *property.Property, o Options) (*game, error) {
	g, err := unfold(ctx, m, p, o)
	if err != nil {
		return nil, err
	}
	return g, g.m.FindPredecessors(ctx)
}

// unfold is newGame without predecessors.
func unfold(ctx context.Context, m *lts.LTS, p *property.Property, o Options) (*game, error) {
	u := o.Unfolding
	if u == nil {
		var err error
		if u, err = product.Unfold(ctx, m, p); err != nil {
			return nil, err
		}
	}
	g := &game{unfolding: u, m: u.LTS(), forced: make([]bool, m.Alphabet().Len()), byLabel: o.ByLabel}
	for l := range g.forced {
		g.forced[l] = o.Controllable != nil && !o.Controllable(lts.Label(l))
	}
	return g, nil
}

// pending returns the round, from 1, in which a place is won whose property is
// unfinished; 0 if it is done or not won.
func (g *game) pending(s lts.State) uint32 {
	if g.rank[s] == 0 {
		return 0
	}
	return g.rank[s] - 1
}

// wins reports whether the supervisor wins from a place.
func (g *game) wins(s lts.State) bool { return g.rank[s] > 0 }

// solve finds the places from which the supervisor wins, in rounds: the least set W that
// holds the places that are done, and each other that is no deadlock and where all
// uncontrollable transitions lead into W, or none leaves it and some transition does.
//
// Under full fairness, W is the greatest set of which each place is in the least set that
// holds the places that are done, and each other where all uncontrollable transitions
// lead into W, and some transition leads nearer.
func (g *game) solve(ctx context.Context, done func(lts.State) bool, fair bool) error {
	forced := func(l lts.Label) bool { return g.forced[l] }
	if !fair {
		rank, err := g.attract(ctx, done, forced, g.byLabel, nil)
		g.rankBy(rank)
		return err
	}
	within := make([]bool, g.m.NumStates())
	for s := range within {
		within[s] = true
	}
	for {
		rank, err := g.attract(ctx, done, forced, g.byLabel, within)
		if err != nil {
			return err
		}
		g.rankBy(rank)
		stable := true
		for s, is := range within {
			stable = stable && (!is || rank[s] > 0)
			within[s] = rank[s] > 0
		}
		if stable {
			return nil
		}
	}
}

// attract finds the rounds of solve, for transitions that cannot be forbidden and those
// that must be together by their labels; under full fairness, for the set W that is given
// as within.
func (g *game) attract(ctx context.Context, done func(lts.State) bool, forced func(lts.Label) bool, byLabel bool, within []bool) ([]uint32, error) {
	n := g.m.NumStates()
	rank, err := resources.Make[uint32](ctx, n)
	if err != nil {
		return nil, err
	}
	left, err := resources.Make[uint32](ctx, n) // uncontrollable transitions that do not lead into W yet
	if err != nil {
		return nil, err
	}
	queue, err := resources.Make[lts.State](ctx, n)
	if err != nil {
		return nil, err
	}
	queue = queue[:0]
	isForced := make([]bool, n)
	for s := range lts.State(n) {
		if done(s) {
			rank[s] = 1
			queue = append(queue, s)
		}
		labels, targets := g.m.Out(s)
		for i := range labels.Len() {
			l := labels.At(i)
			if forced(l) {
				isForced[s] = true
				if within == nil || !within[targets[i]] {
					left[s]++
				}
			}
		}
	}
	together, wide := map[choice]uint32{}, map[choice]uint32{}
	if byLabel {
		wide = g.wideChoices(within)
	}
	for next := 0; next < len(queue); next++ {
		if next&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		to := queue[next]
		labels, sources := g.m.Predecessors().In(to)
		for i, from := range sources {
			l := labels.At(i)
			switch {
			case rank[from] > 0, within == nil && isForced[from] && !forced(l):
				continue
			case within != nil && byLabel && !forced(l) && !g.staysWithin(choice{from, l}, within, wide):
				continue
			case isForced[from]:
				if within == nil {
					left[from]--
				}
				if left[from] > 0 {
					continue
				}
			case within == nil && byLabel && !g.completes(together, choice{from, l}, wide):
				continue
			}
			rank[from] = rank[to] + 1
			queue = append(queue, from)
		}
	}
	return rank, nil
}

// choice is a label at a place.
type choice struct {
	from  lts.State
	label lts.Label
}

// A wide place has more transitions than that. What there is of one label is counted once for all of
// them, by a map; elsewhere looking at the transitions is faster.
const mostNarrow = 32

func (g *game) isWide(s lts.State) bool {
	labels, _ := g.m.Out(s)
	return labels.Len() > mostNarrow
}

// wideChoices counts the transitions of each label at wide places; those alone that leave a set, unless
// it is nil.
func (g *game) wideChoices(within []bool) map[choice]uint32 {
	count := map[choice]uint32{}
	for s := range lts.State(g.m.NumStates()) {
		if !g.isWide(s) {
			continue
		}
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			if within == nil || !within[to] {
				count[choice{s, labels.At(i)}]++
			}
		}
	}
	return count
}

// staysWithin reports whether all transitions with a label at a place stay within a set; wide counts those
// that do not.
func (g *game) staysWithin(c choice, within []bool, wide map[choice]uint32) bool {
	if g.isWide(c.from) {
		return wide[c] == 0
	}
	labels, targets := g.m.Out(c.from)
	for i, to := range targets {
		if labels.At(i) == c.label && !within[to] {
			return false
		}
	}
	return true
}

// completes counts a transition that leads into W, and reports whether now all with its
// label do; wide counts all.
func (g *game) completes(into map[choice]uint32, c choice, wide map[choice]uint32) bool {
	into[c]++
	if g.isWide(c.from) {
		return into[c] == wide[c]
	}
	all := uint32(0)
	labels, _ := g.m.Out(c.from)
	for i := range labels.Len() {
		l := labels.At(i)
		if l == c.label {
			all++
		}
	}
	return into[c] == all
}

// rankBy takes in the rounds in which places are won.
func (g *game) rankBy(rank []uint32) {
	g.rank, g.refused = rank, nil
	if !g.byLabel || rank == nil {
		return
	}
	g.refused = map[choice]bool{}
	for s := range lts.State(g.m.NumStates()) {
		if !g.isWide(s) {
			continue
		}
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			if !g.wins(to) {
				g.refused[choice{s, labels.At(i)}] = true
			}
		}
	}
}

// allows reports whether the transition of the unfolded model may be taken from a place
// that is won.
func (g *game) allows(from lts.State, l lts.Label, to lts.State) bool {
	switch {
	case g.pending(from) == 0 || g.forced[l]:
		return true
	case !g.byLabel:
		return g.wins(to)
	}
	if g.isWide(from) {
		return !g.refused[choice{from, l}]
	}
	labels, targets := g.m.Out(from)
	for i, to := range targets {
		if labels.At(i) == l && !g.wins(to) {
			return false
		}
	}
	return true
}

// detours returns the transitions of the model that lead from a place that is won and can
// be reached on the way to one that is not won, or of a chain not won sooner.
func (g *game) detours() []lts.Transition {
	var found []lts.Transition
	met := bitset.New[lts.State](g.m.NumStates())
	met.Add(0)
	for queue := []lts.State{0}; len(queue) > 0; queue = queue[1:] {
		from := queue[0]
		labels, targets := g.m.Out(from)
		for i, to := range targets {
			switch {
			case g.pending(from) > 0 && (!g.wins(to) || g.condition == nil && g.rank[to] >= g.rank[from]):
				found = append(found, g.folded(lts.Transition{From: from, Label: labels.At(i), To: to}))
			case !met.Has(to):
				met.Add(to)
				queue = append(queue, to)
			}
		}
	}
	return found
}

// guard finds the places that the model comes to without what is forbidden.
func (g *game) guard(ctx context.Context) error {
	g.guarded = bitset.New[lts.State](g.m.NumStates())
	g.guarded.Add(0)
	queue := []lts.State{0}
	for next := 0; next < len(queue); next++ {
		if next&(1<<12-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		from := queue[next]
		labels, targets := g.m.Out(from)
		for i, to := range targets {
			if !g.guarded.Has(to) && g.allows(from, labels.At(i), to) {
				g.guarded.Add(to)
				queue = append(queue, to)
			}
		}
	}
	return nil
}

func compare(a, b lts.Transition) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Label, b.Label), cmp.Compare(a.To, b.To))
}

func comparePlaces(a, b product.Place) int {
	return cmp.Or(cmp.Compare(a.State, b.State), cmp.Compare(a.Q, b.Q))
}
