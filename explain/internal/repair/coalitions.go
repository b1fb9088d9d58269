package repair

import (
	"context"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Coalitions answers for one model and property which sets of owners have to control their labels
// so that there is a supervisor. All games are played on the same unfolded model, 64 at once.
type Coalitions struct {
	game *game
	p    *property.Property
	o    Options
	// owner is the number of the owner of each label; below 0 if nobody owns it.
	owner []int
	games *games // once some are played; they serve neither under fairness nor by label
}

// MostSets is how many sets of owners [Coalitions.CanPrevent] takes at once.
const MostSets = 64

// NewCoalitions returns the coalitions of m and p, which is bound to it, of up to 64 owners; of the
// options only Fair, ByLabel, Unfolding and Work count, the last for all games together. It fails as [Find] does. Cost O(n (S + T)).
func NewCoalitions(ctx context.Context, m *lts.LTS, p *property.Property, owner []int, o Options) (*Coalitions, error) {
	g, err := unfold(ctx, m, p, o)
	return &Coalitions{game: g, p: p, o: o, owner: owner}, err
}

// CanPrevent returns of each of up to [MostSets] sets of owners, whose bit i stands for owner i,
// as bit k for set k, whether there is a supervisor who may forbid transitions of theirs only: then p
// holds, without new deadlocks. It is for one goroutine. Errors are those of [Find]. Cost O(n (S + T))
// for an inevitability where the order of rounds is the same for all sets, and that times their number
// at worst; for other properties, and under fairness, as for [Find].
func (c *Coalitions) CanPrevent(ctx context.Context, sets []uint64) (can uint64, err error) {
	if !c.o.Fair && !c.o.ByLabel {
		return c.together(ctx, sets)
	}
	if err := c.game.m.FindPredecessors(ctx); err != nil {
		return 0, err
	}
	for k, set := range sets {
		for l, owner := range c.owner {
			c.game.forced[l] = owner < 0 || set>>owner&1 == 0
		}
		if _, err := c.game.solveFor(ctx, c.p, c.o); err != nil {
			return 0, err
		}
		if c.game.wins(0) {
			can |= 1 << k
		}
	}
	return can, nil
}

// together plays the games of some sets at once.
func (c *Coalitions) together(ctx context.Context, sets []uint64) (can uint64, err error) {
	if c.games == nil {
		if c.games, err = c.game.together(ctx, c.p, c.owner); err != nil {
			return 0, err
		}
		c.games.most = c.o.Work
	}
	var forced [nobody + 1]uint64
	for k, set := range sets {
		for owner := range nobody {
			if set>>owner&1 == 0 {
				forced[owner] |= 1 << k
			}
		}
		forced[nobody] |= 1 << k
	}
	return c.games.play(ctx, &forced)
}
