package counterexample

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// badPrefix looks for a shortest run of m after which p is violated whatever follows, and
// reports whether each run that violates p has one: whether p is about safety. Where it
// is not, and where nothing satisfies p at all, it looks for none. It fails if ctx is
// done.
//
// Every run that violates such a property comes to a state of the property from which no
// word is accepted; a search breadth first finds the nearest one, so that no bad prefix
// of the model has fewer transitions. Cost O(T) for each state of p that is met, 1 bit
// for each pair of states, and 16 bytes for those met.
func badPrefix(ctx context.Context, m *lts.LTS, p *property.Property) (r *Result, safety bool, err error) {
	words, err := product.WordsOf(ctx, p)
	if err != nil || !words.IsSafety() || !words.CanAccept(p.Initial()) {
		return nil, false, err
	}
	if err := resources.AskFor[uint8](ctx, m.NumStates()/8*p.States()); err != nil {
		return nil, false, err
	}
	type place struct {
		state  lts.State
		q      property.Q
		before uint32
		label  lts.Label
	}
	met := make([]bitset.Set[lts.State], p.States())
	var queue paged.List[place]
	come := func(x place) {
		if met[x.q] == nil {
			met[x.q] = bitset.New[lts.State](m.NumStates())
		}
		if !met[x.q].Has(x.state) {
			met[x.q].Add(x.state)
			queue.Append(x)
		}
	}
	r = &Result{Minimal: InModel}
	come(place{state: m.Initial(), q: p.Initial()})
	for next := 0; next < queue.Len(); next++ {
		if next&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		at := *queue.At(next)
		if words.CanAccept(at.q) {
			labels, targets := m.Out(at.state)
			for i, to := range targets {
				come(place{to, p.Next(at.q, labels.At(i)), uint32(next), labels.At(i)})
			}
			continue
		}
		var steps []lts.Transition
		for i := next; i != 0; {
			x := *queue.At(i)
			steps = append(steps, lts.Transition{From: queue.At(int(x.before)).state, Label: x.label, To: x.state})
			i = int(x.before)
		}
		slices.Reverse(steps)
		r.Stats.Stored, r.Stats.Found, r.Stats.Length = int64(queue.Len()), 1, len(steps)+1
		r.Trace, err = NewPrefix(m, p, steps)
		return r, true, err
	}
	r.Stats.Stored = int64(queue.Len())
	return r, true, nil
}
