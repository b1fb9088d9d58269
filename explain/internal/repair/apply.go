package repair

import (
	"context"
	"errors"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property/product"
)

// ErrUnsolvable tells that there is no repaired model: see [Repair.Obstacle].
var ErrUnsolvable = errors.New("there is no repair")

// Apply returns the model without the transitions that must never be taken. Where each is
// forbidden whatever came before it is the model itself without them, its states and
// their numbers kept, and places is nil; otherwise it is the model unfolded by the
// property, as far as it is reached, with places[s] what state s stands for. It fails with
// [ErrUnsolvable], and where ctx is done. Cost O(n (S + T)).
func (r *Repair) Apply(ctx context.Context, m *lts.LTS) (fixed *lts.LTS, places []product.Place, err error) {
	if !r.Solvable {
		return nil, nil, ErrUnsolvable
	}
	never := map[lts.Transition]bool{}
	for _, g := range r.Never {
		if !g.Everywhere() {
			return r.game.unfolded(ctx)
		}
		never[g.Transition] = true
	}
	var b lts.Builder
	b.Over(m.Alphabet())
	for t := range m.Transitions() {
		if !never[t] {
			b.Add(t.From, t.Label, t.To)
		}
	}
	fixed, err = b.Build(m.Initial(), m.NumStates())
	return fixed, nil, err
}

// unfolded returns the unfolded model under the guards.
func (g *game) unfolded(ctx context.Context) (*lts.LTS, []product.Place, error) {
	number, err := resources.Make[lts.State](ctx, g.m.NumStates())
	if err != nil {
		return nil, nil, err
	}
	var places []product.Place
	for s := range lts.State(g.m.NumStates()) {
		if g.guarded.Has(s) {
			number[s] = lts.State(len(places))
			places = append(places, g.unfolding.Place(s))
		}
	}
	var b lts.Builder
	b.Over(g.m.Alphabet())
	for s := range lts.State(g.m.NumStates()) {
		if s&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if !g.guarded.Has(s) {
			continue
		}
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			if g.allows(s, labels.At(i), to) {
				b.Add(number[s], labels.At(i), number[to])
			}
		}
	}
	m, err := b.Build(0, len(places))
	return m, places, err
}
