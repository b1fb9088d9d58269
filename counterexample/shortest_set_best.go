package counterexample

import (
	"context"
	"math"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// Best returns the member for which the weights of the states that it passes
// have the smallest sum or, with most, the largest; of several, the one that
// comes first in the order of [chainFamily.Each]. The states that count are the sources of its
// transitions: each state of a lasso once, and for a deadlock all but the last.
// The weight of a state must always be the same one. Cost O(N) time for a chainFamily
// of size N, times the number of steps that members whose loop begins at one
// place avoid. It fails if ctx is done.
func (f *chainFamily) Best(ctx context.Context, weight func(lts.State) int, most bool) (*Trace, error) {
	of := weight
	if most {
		of = func(s lts.State) int { return -weight(s) }
	}
	weights, err := f.weigh(ctx, of)
	if err != nil {
		return nil, err
	}
	w := &walk{chainFamily: f, ctx: ctx, weights: weights}
	var best *Trace
	err = w.run(func(t *Trace) bool {
		best = t
		return false
	})
	return best, err
}

// weights tell how light a member can be from each node on.
type weights struct {
	of func(lts.State) int
	// stems[node] is the least weight of a way from a node of the stems to the end.
	stems []int
	// cycles[i][node*k+step] is the least weight from a node of cycles i with k
	// steps to its end, of ways that avoid the step; heavy where none does.
	cycles [][]int
}

// heavy stands for the weight of a way that does not exist.
const heavy = math.MaxInt

func (f *chainFamily) weigh(ctx context.Context, of func(lts.State) int) (w *weights, err error) {
	w = &weights{of: of}
	if w.stems, err = resources.Make[int](ctx, len(f.stems.states)); err != nil {
		return nil, err
	}
	for _, c := range f.cycles {
		least, err := c.weigh(ctx, of)
		if err != nil {
			return nil, err
		}
		w.cycles = append(w.cycles, least)
	}
	for node, s := range f.stems.states {
		if node&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		least, moves := heavy, f.stems.from(uint32(node))
		for _, mv := range moves {
			least = min(least, of(s)+w.stems[mv.to])
		}
		if begin := f.stems.begins[node]; begin != noCycles {
			for k, m := range f.cycles[begin].steps {
				if m >= f.stems.progress[node] {
					least = min(least, w.cycles[begin][k])
				}
			}
		} else if len(moves) == 0 {
			least = 0
		}
		w.stems[node] = least
	}
	return w, nil
}

func (c *cycles) weigh(ctx context.Context, of func(lts.State) int) ([]int, error) {
	k := len(c.steps)
	least, err := resources.Make[int](ctx, k*len(c.states))
	if err != nil {
		return nil, err
	}
	last := len(c.states) - 1
	for i := range k * last {
		least[i] = heavy
	}
	for node := last - 1; node >= 0; node-- {
		if node&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		weight := of(c.states[node])
		for i := c.first[node]; i < c.first[node+1]; i++ {
			avoided, to := c.avoidedBy(i), int(c.moves[i].to)
			for step := range k {
				if avoided.Has(step) {
					least[node*k+step] = min(least[node*k+step], weight+least[to*k+step])
				}
			}
		}
	}
	return least, nil
}

// keepLightest leaves of the open steps of a lap those that members of this
// weight can avoid.
func (w *walk) keepLightest(on lap, weight int) {
	k := len(w.cycles[on.cycles].steps)
	for step := range k {
		if w.weights.cycles[on.cycles][int(on.node)*k+step] != weight {
			on.open.Remove(step)
		}
	}
}
