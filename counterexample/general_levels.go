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
// These alone, with their transitions, are searched for loops. Runs that are not below a
// length need not be found. Cost O(n (S + T)) for each pair for a property of n states, and the cost
// of the searches.
func inLevels(ctx context.Context, levels *product.Levels, m *lts.LTS, p *property.Property, o Options, below int) (*Result, error) {
	pairs, ok := p.Acceptance().Not().Pairs(mostPairs)
	if !ok {
		return nil, tooManyPairs(p)
	}
	// If a violation is known already, there is nothing to be seen at once.
	if below == infinite {
		if holds, err := levels.HoldEverywhere(ctx, pairs); err != nil || holds {
			return &Result{Minimal: InProduct}, err
		}
	}
	if err := levels.Explore(ctx, max(below-1, 0)); err != nil {
		return nil, err
	}
	g := &general{ctx: ctx, model: m, property: p, places: levels.Len(), levels: levels, path: levels.Path, best: infinite, limit: o.Limit}
	if place, distance, is := levels.Bad(); is {
		g.best, g.entry, g.found = distance, place, 1
	}
	return g.search(pairs)
}

func tooManyPairs(p *property.Property) error {
	return fmt.Errorf("counterexample: the complement of the acceptance condition of %s has more than %d pairs", p, mostPairs)
}

// enter makes the part with the loops that violate the property by a pair the searched one; false
// if there is none.
func (g *general) enter(p property.Pair) (some bool, err error) {
	g.searched = searched{}
	part, distances, err := g.levels.Part(g.ctx, p)
	if err != nil || part == nil {
		return false, err
	}
	g.searched = searched{u: part, m: part.LTS(), distance: distances}
	g.patience = patienceWith(g.m)
	return true, nil
}
