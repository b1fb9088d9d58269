package counterexample

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// containingOfChain returns a shortest counterexample to p among those that do
// the steps of pattern in this order, not necessarily contiguous, where a loop
// counts once round (SEFM'18, section 3.4, technique (iii)); nil if there is
// none. The pattern must be bound to the LTS of c, as p is. It fails if ctx
// is done.
//
// The run need not be elementary: to do the pattern it may have to pass a state
// twice. It is the search of [Shortest] on the model unfolded by the pattern,
// where a deadlock counts only with the pattern done, and a loop closes from a
// state with any part of the pattern done to the same state with all of it.
//
// Cost as for [Shortest] on a model larger by the number of steps of the pattern.
func containingOfChain(ctx context.Context, c *scc.Components, p *property.Chain, pattern *property.Property) (*Trace, error) {
	u, err := product.Unfold(ctx, c.LTS(), pattern)
	if err != nil {
		return nil, err
	}
	unfolded, err := scc.Find(ctx, u.LTS(), "iterative")
	if err != nil {
		return nil, err
	}
	search, err := newShortest(ctx, u.LTS(), p, Options{Components: unfolded})
	if err != nil {
		return nil, err
	}
	search.goal = &goal{u, c, pattern.Steps()}
	if err := search.run(); err != nil {
		return nil, err
	}
	steps, loop, found, err := search.steps()
	if !found {
		return nil, err
	}
	for i, step := range steps {
		steps[i] = lts.Transition{From: u.Place(step.From).State, Label: step.Label, To: u.Place(step.To).State}
	}
	t, err := NewViolating(c.LTS(), p.Property(), steps, loop)
	if err != nil {
		return nil, fmt.Errorf("counterexample: the search for a pattern went wrong, please report it: %w", err)
	}
	return t, nil
}

// goal is a pattern that a run has to do; its states are those of the model
// unfolded by the pattern. The nil goal asks for nothing.
type goal struct {
	unfolding *product.Unfolding
	model     *scc.Components
	steps     int
}

// reached reports whether the pattern is done in s.
func (g *goal) reached(s lts.State) bool {
	return g == nil || int(g.unfolding.Place(s).Q) == g.steps
}

// closing returns the state in which a loop that begins in s has to end: the same
// state of the model with the pattern done; false if that cannot be.
func (g *goal) closing(s lts.State) (lts.State, bool) {
	if g == nil {
		return s, true
	}
	return g.unfolding.Find(product.Place{State: g.unfolding.Place(s).State, Q: property.Q(g.steps)})
}

// same reports whether a loop through s can pass t.
func (g *goal) same(s, t lts.State) bool {
	return g.model.Same(g.unfolding.Place(s).State, g.unfolding.Place(t).State)
}
