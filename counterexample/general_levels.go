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
	x, err := newLevelled(ctx, levels, m, p, o, excluded, below, patience)
	if err != nil {
		return &Result{Minimal: InProduct}, err
	}
	return x.finish(below)
}

// levelled is a search of [inLevels] that can be gone on with step by step.
type levelled struct {
	*general
	pairs    []property.Pair
	patience nearPatience
	near     nearSearch
	// first is what near may cost until it is found out how many places can lie on loops.
	first float64
	// known says that the shortest run is what near has found; none says that there is no
	// run that violates the property.
	known, none bool
}

// nearSearch is what [product.Levels.Near] returns.
type nearSearch interface {
	Allow(looks int)
	Tired() bool
	Search(ctx context.Context) (known bool, err error)
	Round(ctx context.Context) (known bool, err error)
	Found() (begin product.Place, distance int, loop []lts.Transition)
	Bound() int
	Below(length int)
	Within()
	Looked() int64
}

func newLevelled(ctx context.Context, levels *product.Levels, m *lts.LTS, p *property.Property, o Options, excluded, below int, patience nearPatience) (*levelled, error) {
	x := &levelled{patience: patience}
	x.general = &general{ctx: ctx, model: m, property: p, levels: levels, path: levels.Path, best: infinite, limit: o.Limit}
	var ok bool
	if x.pairs, ok = p.Acceptance().Not().Pairs(mostPairs); !ok {
		return nil, tooManyPairs(p)
	}
	part, err := levels.MayLoop(ctx, x.pairs)
	if err != nil {
		return nil, err
	}
	if part == 0 && !levels.MayStop() {
		x.none = true
		return x, nil
	}
	if x.first = patience.many; part < manyMay {
		x.first = patience.few
	}
	near, err := levels.Near(ctx, x.pairs, excluded, below)
	if near == nil || err != nil {
		return x, err
	}
	x.near = near
	near.Allow(x.looks(x.first))
	return x, nil
}

// looks returns so many times what it takes to look at all states and transitions once.
func (x *levelled) looks(times float64) int {
	return int(times * float64(x.model.NumStates()+x.model.NumTransitions()))
}

// finish goes on until the shortest run is known, of those below a length.
func (x *levelled) finish(below int) (*Result, error) {
	if x.none {
		return &Result{Minimal: InProduct}, nil
	}
	if err := x.findNear(below); err != nil {
		return &Result{Violated: x.violated}, err
	}
	if x.known {
		return x.result(true, nil)
	}
	if err := x.levels.Explore(x.ctx, max(below-1, 0)); err != nil {
		return nil, err
	}
	x.stopAtBad()
	return x.search(x.pairs)
}

// stopAtBad takes the nearest place where a run stops that must not.
func (g *general) stopAtBad() {
	g.places = g.levels.Len()
	if place, distance, is := g.levels.Bad(); is {
		g.best, g.entry, g.found = distance, place, 1
	}
}

// findNear looks for the first of the shortest runs without places that have transitions of their own.
func (x *levelled) findNear(below int) error {
	if x.near == nil || x.known {
		return nil
	}
	x.near.Below(below)
	known, err := x.near.Search(x.ctx)
	if err == nil && !known && x.first < x.patience.more {
		many, failed := x.manyCanLoop(x.pairs, below)
		if err = failed; err == nil && many {
			x.near.Within()
			x.near.Allow(x.looks(x.patience.more))
			known, err = x.near.Search(x.ctx)
		}
	}
	x.note(known)
	return err
}

// note takes what near has found.
func (x *levelled) note(known bool) {
	begin, distance, loop := x.near.Found()
	x.violated = x.violated || loop != nil
	x.visits = x.near.Looked()
	if !known {
		return
	}
	x.known = true
	if x.stopAtBad(); loop != nil {
		x.best, x.entry, x.loop, x.found = distance+len(loop), begin, loop, x.found+1
	}
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
