package counterexample

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// nearPatience is how much a search for near loops may cost, as a multiple of what it takes to look
// at all states and transitions once.
type nearPatience struct {
	// many is for a first search if many places may lie on loops, as far as is seen at once, few if
	// not; then it is found out which of them can, and more is for a second search if these
	// are many.
	many, few, more float64
}

func worthNear() nearPatience { return nearPatience{many: 3, few: 0.5, more: 2} }

const (
	// manyMay is a part of all places: if more may lie on loops, near loops are likely.
	manyMay = 0.5
	// manyCan is the reciprocal of one: if more can lie on loops, these are searched for
	// without transitions of their own.
	manyCan = 8
)

// inLevels is [inUnfolding] for a property of few states, and without the product: its places
// are found by their distances. Loops of short runs are looked for in the model ([product.Near]).
// Where that becomes dear, passes with a word for each state of the model find for each
// pair the places on which a run can go on for ever without the colours that must not recur.
// These alone, with their transitions, are searched for loops. Runs that are not below a
// length need not be found; none has excluded or fewer transitions. Cost O(n (S + T)) for each pair for
// a property of n states, and the cost of the searches.
func inLevels(ctx context.Context, levels *product.Levels, m *lts.LTS, p *property.Property, o Options, excluded, below int, patience nearPatience) (*Result, error) {
	pairs, ok := p.Acceptance().Not().Pairs(mostPairs)
	if !ok {
		return nil, tooManyPairs(p)
	}
	first := patience.many
	part, err := levels.MayLoop(ctx, pairs)
	if err != nil || part == 0 && !levels.MayStop() {
		return &Result{Minimal: InProduct}, err
	}
	if part < manyMay {
		first = patience.few
	}
	g := &general{ctx: ctx, model: m, property: p, levels: levels, path: levels.Path, best: infinite, limit: o.Limit}
	if known, err := g.near(pairs, excluded, below, first, patience.more); err != nil || known {
		if err != nil {
			return &Result{Violated: g.violated}, err
		}
		return g.result(true, nil)
	}
	if err := levels.Explore(ctx, max(below-1, 0)); err != nil {
		return nil, err
	}
	g.stopAtBad()
	return g.search(pairs)
}

// stopAtBad takes the nearest place where a run stops that must not.
func (g *general) stopAtBad() {
	g.places = g.levels.Len()
	if place, distance, is := g.levels.Bad(); is {
		g.best, g.entry, g.found = distance, place, 1
	}
}

// near looks for the first of the shortest runs without places that have transitions of their own,
// and reports whether it is known.
func (g *general) near(pairs []property.Pair, excluded, below int, first, more float64) (known bool, err error) {
	near, err := g.levels.Near(g.ctx, pairs, excluded, below)
	if near == nil || err != nil {
		return false, err
	}
	size := float64(g.model.NumStates() + g.model.NumTransitions())
	found, known, err := near.Search(g.ctx, int(first*size))
	if err == nil && !known {
		many, failed := g.manyCanLoop(pairs, below)
		if err = failed; err == nil && many && first < more {
			near.Within()
			found, known, err = near.Search(g.ctx, int(more*size))
		}
	}
	g.violated = g.violated || found != nil
	g.visits += near.Looked()
	if err != nil || !known {
		return false, err
	}
	if g.stopAtBad(); found != nil {
		g.best, g.entry, g.loop, g.found = found.Len(), found.Begin, found.Loop, g.found+1
	}
	return true, nil
}

// manyCanLoop reports whether many of the places can lie on loops that violate the property.
func (g *general) manyCanLoop(pairs []property.Pair, below int) (bool, error) {
	if err := g.levels.Explore(g.ctx, max(below-1, 0)); err != nil {
		return false, err
	}
	places, err := g.levels.Loops(g.ctx, pairs)
	return manyCan*places > g.levels.Len(), err
}

// enter makes the part with the loops that violate the property by the i-th pair the searched one;
// false if there is none.
func (g *general) enter(i int, p property.Pair) (some bool, err error) {
	g.searched = searched{}
	part, distances, err := g.levels.Part(g.ctx, i, p)
	if err != nil || part == nil {
		return false, err
	}
	g.searched = searched{u: part, m: part.LTS(), distance: distances}
	g.patience = patienceWith(g.m)
	return true, nil
}

func tooManyPairs(p *property.Property) error {
	return fmt.Errorf("counterexample: the complement of the acceptance condition of %s has more than %d pairs", p, mostPairs)
}
