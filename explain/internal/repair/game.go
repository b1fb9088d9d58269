package repair

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// game is a game on the unfolded model. In a product state with uncontrollable transitions, the
// opponent chooses one of them; in other product states, the supervisor chooses a transition.
type game struct {
	unfolding *product.Unfolding
	m         *lts.LTS // the unfolded model
	// forced[l] reports whether label l is not controllable.
	forced  []bool
	byLabel bool
	// condition is the condition on infinite runs; nil for inevitability.
	condition *condition
	// rank[s] is one more than the round that wins product state s; 0 if no round does.
	rank []uint32
	// refused is for games by label. It has each choice at a wide product state such that one of its
	// transitions leads to a product state that is not won.
	refused map[choice]bool
	// guarded are the product states that are reachable without forbidden transitions.
	guarded bitset.Set[lts.State]
	// cycles are the components that a run must leave. There is an element for each set of colours
	// such that some colour of the set must recur.
	cycles []cycles
}

// newGame returns the game of a supervisor with the abilities that the options give.
func newGame(ctx context.Context, m *lts.LTS, p *property.Property, o Options) *game {
	u := o.Unfolding
	if u == nil {
		u = abort.Must(product.Unfold(ctx, m, p))
	}
	g := &game{
		unfolding: u,
		m:         u.LTS(),
		forced:    make([]bool, m.Alphabet().Len()),
		byLabel:   o.ByLabel,
	}
	for l := range g.forced {
		g.forced[l] = o.Controllable != nil && !o.Controllable(lts.Label(l))
	}
	return g
}

// pending returns the round, from 1, that wins a product state. It returns 0 if no round does, or
// if the property is done there.
func (g *game) pending(s lts.State) uint32 {
	if g.rank[s] == 0 {
		return 0
	}
	return g.rank[s] - 1
}

func (g *game) wins(s lts.State) bool { return g.rank[s] > 0 }

// isForced reports whether some transition from a product state is uncontrollable.
func (g *game) isForced(s lts.State) bool {
	labels, _ := g.m.Out(s)
	return labels.Any(func(l lts.Label) bool { return g.forced[l] })
}

// solve finds the product states W from which the supervisor wins; for a chain, it does so in
// rounds. For a chain, W is the least set that contains two kinds of product states: those where
// all steps are done, and those from which the supervisor can force a run into W. It can if there
// are uncontrollable transitions and all of these lead into W, or if there are none and some
// transition leads into W.
//
// Under full fairness, W is the greatest set that equals a least set L. L contains the product
// states where all steps are done, and each product state that has a transition into L and whose
// uncontrollable transitions all lead into W.
func (g *game) solve(ctx context.Context, p *property.Property, o Options) {
	isChain := p.Steps() > 0
	switch {
	case !isChain && o.Fair:
		abort.On(UnsupportedError{p.String(), whyFair})
	case !isChain:
		g.condition = newCondition(p)
		g.rank = g.solveInfinite(ctx, o.Work)
	case o.Fair:
		g.solveFair(ctx, p.Steps())
	default:
		g.rank = g.attract(ctx, p.Steps(), nil)
	}
	if g.byLabel {
		g.findRefused()
	}
}

// solveFair is solve for a chain under full fairness. It begins with all product states as W, and
// removes those that are not in L until nothing changes.
func (g *game) solveFair(ctx context.Context, steps int) {
	within := slices.Repeat([]bool{true}, g.m.NumStates())
	for {
		g.rank = g.attract(ctx, steps, within)
		stable := true
		for s, was := range within {
			within[s] = g.wins(lts.State(s))
			if was && !within[s] {
				stable = false
			}
		}
		if stable {
			return
		}
	}
}

// findRefused finds the labels at wide product states that have a transition to a product state
// that is not won.
func (g *game) findRefused() {
	g.refused = map[choice]bool{}
	g.eachWide(func(c choice, to lts.State) {
		if !g.wins(to) {
			g.refused[c] = true
		}
	})
}

// attraction is the search that solves a chain's game: backwards from the product states where all
// steps are done.
type attraction struct {
	*game
	// within is the set W under full fairness. Without fairness it is nil, and W has the product
	// states with a rank.
	within []bool
	rank   []uint32 // as in game
	queue  []lts.State
	// opponentMoves reports which product states have uncontrollable transitions. unsafe is the
	// number of these transitions that do not lead into W yet.
	opponentMoves []bool
	unsafe        []uint32
	// open is for games by label: the number of transitions of a choice that do not lead into W
	// yet. At wide product states it is counted from the beginning, at others when the search first
	// meets the choice.
	open map[choice]uint32
}

// attract returns the rounds of solve for a chain. Under full fairness, within is the set W.
func (g *game) attract(ctx context.Context, steps int, within []bool) []uint32 {
	abort.On(g.m.FindPredecessors(ctx))
	x := g.newAttraction(ctx, steps, within)
	for next := 0; next < len(x.queue); next++ {
		abort.IfDone(ctx, next)
		to := x.queue[next]
		labels, sources := g.m.Predecessors().In(to)
		for i, from := range sources {
			if x.rank[from] > 0 {
				continue
			}
			isWon := x.countWon(from, labels.At(i))
			if isWon {
				x.rank[from] = x.rank[to] + 1
				x.queue = append(x.queue, from)
			}
		}
	}
	return x.rank
}

// newAttraction returns the search before its first round.
func (g *game) newAttraction(ctx context.Context, steps int, within []bool) *attraction {
	n := g.m.NumStates()
	x := &attraction{
		game:          g,
		within:        within,
		rank:          abort.Must(resources.Make[uint32](ctx, n)),
		unsafe:        abort.Must(resources.Make[uint32](ctx, n)),
		queue:         abort.Must(resources.Make[lts.State](ctx, n))[:0],
		opponentMoves: make([]bool, n),
		open:          map[choice]uint32{},
	}
	for s := range lts.State(n) {
		if int(g.unfolding.At(s).Q) == steps {
			x.rank[s] = 1
			x.queue = append(x.queue, s)
		}
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			if !g.forced[labels.At(i)] {
				continue
			}
			x.opponentMoves[s] = true
			if within == nil || !within[to] {
				x.unsafe[s]++
			}
		}
	}
	if g.byLabel {
		g.eachWide(x.countOpen)
	}
	return x
}

// countWon counts a transition with label l from a product state to one that is won. It reports whether
// the first product state is won now.
func (x *attraction) countWon(from lts.State, l lts.Label) (isWon bool) {
	if x.within == nil && x.opponentMoves[from] && !x.forced[l] {
		return false
	}
	if x.byLabel && !x.forced[l] {
		isOpen := x.countWonOfChoice(choice{from, l})
		if isOpen {
			return false
		}
	}
	if !x.opponentMoves[from] {
		return true
	}
	if x.within == nil {
		x.unsafe[from]--
	}
	return x.unsafe[from] == 0
}

// countWonOfChoice counts a transition of a choice to a product state that is won. It reports whether some
// transition of the choice does not lead into W yet.
func (x *attraction) countWonOfChoice(c choice) (isOpen bool) {
	if _, known := x.open[c]; !known && !x.isWide(c.from) {
		x.open[c] = 0
		labels, targets := x.m.Out(c.from)
		for i, to := range targets {
			if labels.At(i) == c.label {
				x.countOpen(c, to)
			}
		}
	}
	if x.within == nil {
		x.open[c]--
	}
	return x.open[c] > 0
}

// countOpen counts a transition of a choice, unless it leads into W.
func (x *attraction) countOpen(c choice, to lts.State) {
	if x.within == nil || !x.within[to] {
		x.open[c]++
	}
}

// choice is a label at a product state.
type choice struct {
	from  lts.State
	label lts.Label
}

// mostNarrow is the largest number of transitions of a product state that is not wide. At a wide
// product state, the transitions are counted once for each label, in a map; at the others, visiting
// the transitions is faster.
const mostNarrow = 32

func (g *game) isWide(s lts.State) bool {
	labels, _ := g.m.Out(s)
	return labels.Len() > mostNarrow
}

// eachWide calls each with the transitions from wide product states.
func (g *game) eachWide(each func(choice, lts.State)) {
	for s := range lts.State(g.m.NumStates()) {
		if !g.isWide(s) {
			continue
		}
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			each(choice{s, labels.At(i)}, to)
		}
	}
}

// allows reports whether the supervisor allows a transition of the unfolded model from a product
// state that is won.
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
	for i, other := range targets {
		if labels.At(i) == l && !g.wins(other) {
			return false
		}
	}
	return true
}

// inModel returns the transition of the model for a transition of the unfolded model.
func (g *game) inModel(t lts.Transition) lts.Transition {
	return lts.Transition{
		From:  g.unfolding.At(t.From).State,
		Label: t.Label,
		To:    g.unfolding.At(t.To).State,
	}
}
