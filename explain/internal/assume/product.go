package assume

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// mostPairs is the number of pairs of Rabin's kind that a complement may have.
const mostPairs = 64

// ErrManyPairs tells that the complement of a condition is too large to be searched.
var ErrManyPairs = fmt.Errorf("assume: the complement of the acceptance condition has more than %d pairs", mostPairs)

// Of returns a search for what would make a conjunction true: a run violates it if it violates one of
// the properties that have these fates, without assumptions. A chain is searched by [New], a table in
// the model if [InModel] says so, and otherwise by [OfProduct]; errors and cost as for these.
func Of(ctx context.Context, joined ...*fate.Map) (*Search, error) {
	v := &Search{ctx: ctx, budget: &budget{}}
	for i, fates := range joined {
		if last := i == len(joined)-1 && len(v.sources) == 0; fates.Fairness() == nil && fates.Holds() && !last {
			continue
		}
		var of *Search
		enriched, isChain := fates.Enriched()
		still, serves := stillOf(fates)
		var err error
		switch {
		case isChain:
			of, err = New(ctx, enriched)
		case serves:
			of, err = inModel(ctx, fates, still)
		default:
			var u *product.Unfolding
			if u, err = fates.Unfold(ctx); err == nil {
				of, err = OfProduct(ctx, u, fates.UnfoldedComponents)
			}
		}
		if err != nil {
			return nil, err
		}
		v.join(of)
	}
	return v, nil
}

// join adds the source of another search, and its memory where that is of the same model.
func (v *Search) join(other *Search) {
	x := other.sources[0]
	x.Search = v
	for _, known := range v.sources {
		if known.m == x.m {
			x.parts = known.parts
		}
	}
	v.sources = append(v.sources, x)
}

// OfProduct is [New] for a property that is no chain, by its product with the model.
// components returns the components of that, and is called unless a deadlock violates the
// property. It fails with the errors of components, and with [ErrManyPairs], too.
func OfProduct(ctx context.Context, u *product.Unfolding, components func(context.Context) (*scc.Components, error)) (*Search, error) {
	for s := range lts.State(u.LTS().NumStates()) {
		if u.LTS().IsDeadlock(s) && !u.Property().Stops(u.Place(s).Q) {
			return nil, ErrDeadlock
		}
	}
	pairs, few := u.Property().Acceptance().Not().Pairs(mostPairs)
	if !few {
		return nil, ErrManyPairs
	}
	c, err := components(ctx)
	if err != nil {
		return nil, err
	}
	return single(ctx, &source{c: c, m: u.LTS(), u: u, pairs: pairs})
}

// passes returns what one pass looks at.
func (v *source) passes() int64 { return int64(v.m.NumStates() + v.m.NumTransitions()) }

// underInProduct is [source.under] for a property that is no chain.
func (v *source) underInProduct(f *property.Fairness) (set []lts.State, pair int, err error) {
	if f.Full() {
		rejecting, err := v.u.AcceptingUnder(v.ctx, v.c, v.u.Property().Acceptance().Not(), f)
		if i := slices.Index(rejecting, true); i >= 0 {
			return v.c.States(scc.Component(i)), 1, err
		}
		return nil, 0, err
	}
	for k, pair := range v.pairs {
		part, parts, err := v.u.Recurring(v.ctx, v.c, pair.Fin, pair.Inf, f)
		if err == nil {
			err = v.spend(int(v.passes()))
		}
		if err != nil {
			return nil, 0, err
		}
		if parts == 0 {
			continue
		}
		for s, of := range part {
			if of == 1 {
				set = append(set, lts.State(s))
			}
		}
		return set, k + 1, nil
	}
	return nil, 0, nil
}

// roundLabels returns the labels of a closed walk through the first state of a violating
// set, without a step and hidden labels, that meets the colours that have to recur: from one to the
// nearest next one, or a shortest cycle where there are none.
func (v *source) roundLabels(set []lts.State, pair int, hides func(lts.Label) bool) []int {
	shows := v.within(set, pair, hides)
	home, at := set[0], set[0]
	missing := v.recurring(pair)
	on := []int{}
	for first := true; first || missing != 0 || at != home; first = false {
		way := v.shortestWay(at, shows, func(from lts.State, l lts.Label, to lts.State) bool {
			return missing == 0 && to == home || v.marks(from, l, pair)&missing != 0
		})
		if way == nil {
			return []int{}
		}
		for _, t := range way {
			missing &^= v.marks(t.From, t.Label, pair)
			on, at = append(on, int(t.Label)), t.To
		}
	}
	slices.Sort(on)
	return slices.Compact(on)
}

// shortestWay returns a shortest way from a state to a transition that is wanted, with it;
// nil if there is none.
func (v *source) shortestWay(from lts.State, shows shows, wanted shows) []lts.Transition {
	type node struct {
		state  lts.State
		before uint32 // its number; that of the first one is its own
		label  lts.Label
	}
	met := bitset.New[lts.State](v.m.NumStates())
	met.Add(from)
	queue := []node{{state: from}}
	for next := 0; next < len(queue); next++ {
		at := queue[next].state
		labels, targets := v.m.Out(at)
		for i, to := range targets {
			if !shows(at, labels.At(i), to) {
				continue
			}
			if wanted(at, labels.At(i), to) {
				way := []lts.Transition{{From: at, Label: labels.At(i), To: to}}
				for k := next; k > 0; k = int(queue[k].before) {
					way = append(way, lts.Transition{From: queue[queue[k].before].state, Label: queue[k].label, To: queue[k].state})
				}
				slices.Reverse(way)
				return way
			}
			if !met.Has(to) {
				met.Add(to)
				queue = append(queue, node{to, uint32(next), labels.At(i)})
			}
		}
	}
	return nil
}
