package repair

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Coalitions finds out, for one model and property, which sets of owners must control their labels
// so that a supervisor exists. All games use the same unfolded model; 64 are solved at once.
type Coalitions struct {
	game *game
	p    *property.Property
	o    Options
	// owners is the set of the owners of each label; 0 if the label has none.
	owners []uint64
	games  *games // the games, kept after they have been solved; not used under fairness, or if labels are forbidden
}

// MostSets is the largest number of sets in a call of [Coalitions.CanPrevent].
const MostSets = 64

// NewCoalitions returns the coalitions of m, to which p is bound, for up to 64 owners. Bit i of
// owners[l] is set if owner i can forbid the transitions with label l. Each owner of a label can do
// so alone. NewCoalitions uses the options Fair, ByLabel, Unfolding and Work; Work limits all games
// together. It fails as [Find] does. Cost O(n (S + T)).
func NewCoalitions(
	ctx context.Context,
	m *lts.LTS,
	p *property.Property,
	owners []uint64,
	o Options,
) (_ *Coalitions, err error) {
	defer abort.Caught(&err)
	return &Coalitions{
		game:   newGame(ctx, m, p, o),
		p:      p,
		o:      o,
		owners: owners,
	}, nil
}

// CanPrevent returns, as bit k for sets[k], whether a supervisor exists that makes p hold, without
// new deadlocks, and forbids only transitions of the owners in the set. Bit i of a set represents
// owner i; there may be up to [MostSets] sets. Only one goroutine may call CanPrevent at a time.
// Errors as for [Find]. Cost O(n (S + T)) for an inevitability if the order of rounds is the same
// for all sets, and at worst that times their number; for other properties, and under fairness, as
// for [Find].
func (c *Coalitions) CanPrevent(ctx context.Context, sets []uint64) (can uint64, err error) {
	defer abort.Caught(&err)
	if c.o.Fair || c.o.ByLabel {
		return c.solveEach(ctx, sets), nil
	}
	if c.games == nil {
		c.games = newGames(ctx, c.game, c.p, c.owners, budget{most: c.o.Work})
	}
	return c.games.play(ctx, sets), nil
}

// solveEach is CanPrevent with one game for each set.
func (c *Coalitions) solveEach(ctx context.Context, sets []uint64) uint64 {
	can := uint64(0)
	for k, set := range sets {
		for l, owners := range c.owners {
			c.game.forced[l] = set&owners == 0
		}
		c.game.solve(ctx, c.p, c.o)
		if c.game.wins(0) {
			can |= 1 << k
		}
	}
	return can
}
