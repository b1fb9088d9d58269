package counterexample

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// inLevels is [inUnfolding] for a property of few states, and without the product: its places
// are found by their distances, and for each pair the places on which a run can go on for ever
// without the colours that must not recur, by passes with a word for each state of the model.
// Those alone, with their transitions, are searched for loops. Runs that are not below a
// length need not be found. Cost O(n (S + T)) for each pair for a property of n states, and that
// of the searches.
func inLevels(ctx context.Context, m *lts.LTS, p *property.Property, o Options, below int) (*Result, error) {
	pairs, ok := p.Acceptance().Not().Pairs(mostPairs)
	if !ok {
		return nil, tooManyPairs(p)
	}
	levels, err := product.LevelsOf(ctx, m, p, max(below-1, 0))
	if err != nil {
		return nil, err
	}
	g := &general{ctx: ctx, model: m, property: p, places: levels.Len(), levels: levels, path: levels.Path, best: infinite, limit: o.Limit}
	if place, distance, is := levels.Bad(); is {
		g.best, g.entry, g.found = distance, place, 1
	}
	return g.search(pairs)
}

// holdsByPasses returns the result that p holds, if that is seen without knowing what is reached:
// in m no run ends that may not, and none can go on for ever in any way that violates p. It
// returns nil if that is not so, or not asked for since a violation is known. Cost that of a few
// passes through the transitions for each pair.
func holdsByPasses(ctx context.Context, m *lts.LTS, p *property.Property, below int) (*Result, error) {
	pairs, ok := p.Acceptance().Not().Pairs(mostPairs)
	if !ok || below != infinite {
		return nil, nil
	}
	all, holds := product.EverywhereIn(m, p)
	for _, pair := range pairs {
		if !holds {
			return nil, nil
		}
		var err error
		if holds, err = all.Ends(ctx, pair.Fin, pair.Inf); err != nil {
			return nil, err
		}
	}
	if !holds {
		return nil, nil
	}
	return &Result{Minimal: InProduct}, nil
}

func tooManyPairs(p *property.Property) error {
	return fmt.Errorf("counterexample: the complement of the acceptance condition of %s has more than %d pairs", p, mostPairs)
}

// enter makes the part in which runs that violate the property by a pair loop that which is
// searched; false if there is none.
func (g *general) enter(p property.Pair) (some bool, err error) {
	g.searched = searched{}
	part, err := g.levels.Part(g.ctx, p.Fin, p.Inf)
	if err != nil || part == nil {
		return false, err
	}
	g.searched = searched{u: part.Unfolding, m: part.LTS(), distance: part.Distances}
	g.patience = patienceWith(g.m)
	return true, nil
}
