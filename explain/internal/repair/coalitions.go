package repair

import (
	"context"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Coalitions answers for one model and property which sets of labels have to be controllable
// so that there is a supervisor. Each answer is a game on the same unfolded model.
type Coalitions struct {
	game *game
	p    *property.Property
	o    Options
}

// NewCoalitions returns the coalitions of m and p, which is bound to it; of the options only
// Fair and ByLabel count. It fails as [Find] does. Cost O(n (S + T)).
func NewCoalitions(ctx context.Context, m *lts.LTS, p *property.Property, o Options) (*Coalitions, error) {
	g, err := newGame(ctx, m, p, o)
	if err != nil {
		return nil, err
	}
	return &Coalitions{g, p, o}, nil
}

// CanPrevent reports whether there is a supervisor who may forbid transitions with these
// labels only: then p holds, without new deadlocks. It is for one goroutine. Errors and cost as for [Find],
// but for the unfolding.
func (c *Coalitions) CanPrevent(ctx context.Context, controllable func(lts.Label) bool) (bool, error) {
	for l := range c.game.forced {
		c.game.forced[l] = !controllable(lts.Label(l))
	}
	if _, err := c.game.solveFor(ctx, c.p, c.o); err != nil {
		return false, err
	}
	return c.game.wins(0), nil
}
