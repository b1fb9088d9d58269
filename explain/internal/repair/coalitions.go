package repair

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Coalitions finds out, for one model and property, which sets of owners must control their labels
// so that a supervisor exists. All games are on the same unfolded model, 64 at once.
type Coalitions struct {
	game *game
	p    *property.Property
	o    Options
	// owner is the number of the owner of each label; negative if it has none.
	owner []int
	games *games // the games, kept after they have been played; not used under fairness and by label
}

// group returns the set of the owners of which each owns the labels with this number.
func (c *Coalitions) group(number int) uint64 {
	switch {
	case c.o.Groups == nil:
		return 1 << number
	case number < len(c.o.Groups):
		return c.o.Groups[number]
	}
	return 0
}

// MostGroups is the largest number of groups of owners.
const MostGroups = nobody

// MostSets is the largest number of sets in a call of [Coalitions.CanPrevent].
const MostSets = 64

// NewCoalitions returns the coalitions of m, to which p is bound, for up to 64 owners. It uses the
// options Fair, ByLabel, Unfolding and Work, where Work is for all games together. It fails as
// [Find] does. Cost O(n (S + T)).
func NewCoalitions(ctx context.Context, m *lts.LTS, p *property.Property, owner []int, o Options) (_ *Coalitions, err error) {
	defer abort.Caught(&err)
	return &Coalitions{game: newGame(ctx, m, p, o), p: p, o: o, owner: owner}, nil
}

// CanPrevent returns, as bit k for sets[k], whether a supervisor exists that makes p hold, without
// new deadlocks, and forbids only transitions of the owners in the set. Bit i of a set stands for
// owner i; there may be up to [MostSets] sets. Only one goroutine may call it at a time. Errors as
// for [Find]. Cost O(n (S + T)) for an inevitability if the order of rounds is the same for all
// sets, and at worst that times their number; for other properties, and under fairness, as for
// [Find].
func (c *Coalitions) CanPrevent(ctx context.Context, sets []uint64) (can uint64, err error) {
	defer abort.Caught(&err)
	if c.o.Fair || c.o.ByLabel {
		return c.solveEach(ctx, sets), nil
	}
	if c.games == nil {
		c.games = newGames(ctx, c.game, c.p, c.owner, budget{most: c.o.Work})
	}
	var forced [nobody + 1]uint64
	for k, set := range sets {
		for owner := range nobody {
			if set&c.group(owner) == 0 {
				forced[owner] |= 1 << k
			}
		}
		forced[nobody] |= 1 << k
	}
	return c.games.play(ctx, &forced), nil
}

// solveEach is CanPrevent by one game for each set.
func (c *Coalitions) solveEach(ctx context.Context, sets []uint64) uint64 {
	can := uint64(0)
	for k, set := range sets {
		for l, owner := range c.owner {
			c.game.forced[l] = owner < 0 || set&c.group(owner) == 0
		}
		c.game.solve(ctx, c.p, c.o)
		if c.game.wins(0) {
			can |= 1 << k
		}
	}
	return can
}
