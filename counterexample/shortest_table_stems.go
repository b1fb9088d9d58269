package counterexample

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property/product"
)

// shortestStems are the shortest paths to the states of a product. They are made for one state
// at a time, when they are wanted: those to all ends of the members of a family would take the
// memory of the product for each of them.
type shortestStems struct {
	u *product.Unfolding
	m *lts.LTS
	// distance is counted from the initial state. States are numbered breadth first.
	distance []uint32
}

// to returns the shortest paths to a state of the product. Cost O(transitions that enter or
// leave states on them, times the logarithm of their number); memory for them.
func (x *shortestStems) to(ctx context.Context, s lts.State) (ways, error) {
	layers := [][]lts.State{{s}}
	for at := layers[0]; x.distance[at[0]] > 0; at = layers[len(layers)-1] {
		if ctx.Err() != nil {
			return ways{}, ctx.Err()
		}
		var before []lts.State
		for _, t := range at {
			_, sources := x.m.Predecessors().In(t)
			for _, from := range sources {
				if x.distance[from]+1 == x.distance[t] {
					before = append(before, from)
				}
			}
		}
		slices.Sort(before)
		layers = append(layers, slices.Compact(before))
	}
	slices.Reverse(layers)
	w := ways{layers: make([][]wayNode, len(layers))}
	for i, layer := range layers {
		if err := resources.AskFor[wayNode](ctx, len(layer)); err != nil {
			return w, err
		}
		for _, from := range layer {
			node := wayNode{state: x.u.Place(from).State}
			if i+1 < len(layers) {
				labels, targets := x.m.Out(from)
				for k, t := range targets {
					if to, is := slices.BinarySearch(layers[i+1], t); is && isFirst(labels, targets, k) {
						node.moves = append(node.moves, wayMove{labels.At(k), uint32(to)})
					}
				}
			}
			w.layers[i] = append(w.layers[i], node)
		}
	}
	return w, nil
}

// countTo calls take with the index of each of the entries, and the number of shortest paths to it.
// Cost O(S + T) additions for the states up to the last of them; the memory of the numbers at two distances.
func (x *shortestStems) countTo(ctx context.Context, entries []lts.State, take func(i int, stems *big.Int)) error {
	order := make([]int, len(entries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(entries[a], entries[b]) })
	here, first := []*big.Int{big.NewInt(1)}, lts.State(0) // of the states of one distance, from first on
	for len(order) > 0 {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		behind := first + lts.State(len(here))
		for len(order) > 0 && entries[order[0]] < behind {
			take(order[0], here[entries[order[0]]-first])
			order = order[1:]
		}
		var next []*big.Int
		for k, number := range here {
			from := first + lts.State(k)
			labels, targets := x.m.Out(from)
			for j, t := range targets {
				if x.distance[t] != x.distance[from]+1 || !isFirst(labels, targets, j) {
					continue
				}
				for int(t-behind) >= len(next) {
					next = append(next, new(big.Int))
				}
				next[t-behind].Add(next[t-behind], number)
			}
		}
		here, first = next, behind
	}
	return nil
}

// weigh returns the least weight of a shortest path to each state, which is the sum of the weights
// of the states of the model that it leaves. Cost O(S + T), 8 bytes a state.
func (x *shortestStems) weigh(ctx context.Context, of func(lts.State) int) ([]int, error) {
	least, err := resources.Make[int](ctx, x.m.NumStates())
	if err != nil {
		return nil, err
	}
	known := bitset.New[lts.State](x.m.NumStates())
	for s := range lts.State(x.m.NumStates()) {
		if s&(1<<14-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		weighs := least[s] + of(x.u.Place(s).State)
		_, targets := x.m.Out(s)
		for _, t := range targets {
			if x.distance[t] == x.distance[s]+1 && (!known.Has(t) || weighs < least[t]) {
				known.Add(t)
				least[t] = weighs
			}
		}
	}
	return least, nil
}

// collectTo adds the transitions of all shortest paths to some states. Cost O(S + T).
func (x *shortestStems) collectTo(entries []lts.State, into map[lts.Transition]bool) {
	on := bitset.New[lts.State](x.m.NumStates())
	last := lts.State(0)
	for _, s := range entries {
		on.Add(s)
		last = max(last, s)
	}
	for i := range last + 1 {
		s := last - i
		labels, targets := x.m.Out(s)
		for j, t := range targets {
			if x.distance[t] == x.distance[s]+1 && on.Has(t) {
				on.Add(s)
				into[lts.Transition{From: x.u.Place(s).State, Label: labels.At(j), To: x.u.Place(t).State}] = true
			}
		}
	}
}
