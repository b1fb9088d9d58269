package assume

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/internal/property/stateset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Doomed is the nearest product state from which almost no run satisfies the property, and the
// length of a shortest path to it.
type Doomed struct {
	product.State
	Steps int
}

// doomed returns the nearest product state from which almost no run satisfies the property. Of
// several, it returns the first in the order of a breadth-first search. It returns nil if no
// reachable product state is doomed. The property must be no chain, and violated under full
// fairness. Cost O(n (S + T)) for n property states; 16 bytes a state of the model, and its
// predecessors unless all runs are doomed.
func (v *source) doomed() (*Doomed, error) {
	reached := v.reached
	rejecting, err := v.rejecting()
	if err != nil {
		return nil, err
	}
	if slices.Equal(rejecting, reached) {
		return &Doomed{State: product.State{State: v.m.Initial()}}, nil
	}
	// Almost every run reaches a set where it then stays forever. So if no rejecting set is reachable
	// from a product state, almost every run from there satisfies the property. Call such a state
	// hopeful. A product state is doomed if it reaches no hopeful state.
	if err := v.addLeading(rejecting); err != nil {
		return nil, err
	}
	hopeful := rejecting
	for s, set := range reached {
		hopeful[s] = set &^ rejecting[s]
	}
	if err := v.addLeading(hopeful); err != nil {
		return nil, err
	}
	isDoomed := func(at product.State) bool {
		return hopeful[at.State]>>at.Q&1 == 0
	}
	levels := product.NewLevels(v.m, v.fates.Property())
	if levels == nil || slices.Equal(hopeful, reached) {
		return nil, nil
	}
	first, steps, err := levels.First(v.ctx, isDoomed)
	if err != nil {
		return nil, err
	}
	return &Doomed{first, steps}, nil
}

// rejecting returns, for each state, the property states in the sets where almost all runs stay
// forever and violate the property.
func (v *source) rejecting() ([]uint64, error) {
	rejecting, err := resources.Make[uint64](v.ctx, v.m.NumStates())
	if err != nil {
		return nil, err
	}
	full, err := property.NewFairness(v.m.Alphabet(), true, nil, nil)
	if err != nil {
		return nil, err
	}
	sets, err := v.newFairSets(full, nil)
	if err != nil {
		return nil, err
	}
	for part := range v.eachStill {
		err := sets.In(part.Component, part.States, sets.hidden(part.Step), func(set []lts.State) bool {
			if v.hasAllRecurring(set, part.Step, full.Rare) {
				for _, s := range set {
					rejecting[s] |= 1 << v.still[part.Step-1]
				}
			}
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	return rejecting, v.ctx.Err()
}

// addLeading adds to a set of product states all reached product states from which the set is reachable.
func (v *source) addLeading(set []uint64) error {
	if err := v.m.FindPredecessors(v.ctx); err != nil {
		return err
	}
	var stack []lts.State
	isWaiting := make([]bool, len(set))
	for s, states := range set {
		if states != 0 {
			stack = append(stack, lts.State(s))
			isWaiting[s] = true
		}
	}
	for round := 0; len(stack) > 0; round++ {
		if err := cores.Done(v.ctx, round); err != nil {
			return err
		}
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		isWaiting[s] = false
		labels, sources := v.m.Predecessors().In(s)
		for i, from := range sources {
			candidates := v.reached[from] &^ set[from]
			added := v.leadingBy(candidates, labels.At(i), set[s])
			set[from] |= added
			if added != 0 && !isWaiting[from] {
				stack = append(stack, from)
				isWaiting[from] = true
			}
		}
	}
	return nil
}

// leadingBy returns those of the candidates from which label l leads to a property state in
// targets. Both sets of property states are words with a bit for each property state.
func (v *source) leadingBy(candidates uint64, l lts.Label, targets uint64) uint64 {
	leading := uint64(0)
	for q := range stateset.All(candidates) {
		next := v.fates.Property().Next(q, l)
		if targets>>next&1 != 0 {
			leading |= 1 << q
		}
	}
	return leading
}

// doomedOnChain returns the nearest product state from which no run satisfies the chain; nil if
// there is none. Cost O(n (S + T)), and 4 bytes a state.
func doomedOnChain(ctx context.Context, fates *fate.Map) (*Doomed, error) {
	m := fates.LTS()
	p := fates.Property()
	// reachedWith is, for each state, one more than the smallest progress with which it was reached; 0
	// if it was not reached. Runs with more progress need not be examined: a run from the same state
	// with less progress can lose all steps that they can lose.
	reachedWith, err := resources.Make[property.Q](ctx, m.NumStates())
	if err != nil {
		return nil, err
	}
	queue := []Doomed{{State: product.State{State: m.Initial()}}}
	reachedWith[m.Initial()] = 1
	for i := 0; i < len(queue); i++ {
		if err := cores.Done(ctx, i); err != nil {
			return nil, err
		}
		reached := queue[i]
		if fates.At(reached.State.State, reached.Q) == fate.Lost {
			return &reached, nil
		}
		labels, targets := m.Out(reached.State.State)
		for k, to := range targets {
			after := p.Next(reached.Q, labels.At(k))
			isLess := reachedWith[to] == 0 || after+1 < reachedWith[to]
			if isLess {
				reachedWith[to] = after + 1
				next := product.State{State: to, Q: after}
				queue = append(queue, Doomed{State: next, Steps: reached.Steps + 1})
			}
		}
	}
	return nil, nil
}

// doomedInProduct is [doomedOnChain] for a property that is no chain, on fully fair runs.
func doomedInProduct(ctx context.Context, fates *fate.Map) (*Doomed, error) {
	full, err := property.NewFairness(fates.LTS().Alphabet(), true, nil, nil)
	if err != nil {
		return nil, err
	}
	fates, err = fates.Under(ctx, full)
	if err != nil {
		return nil, err
	}
	u, err := fates.Unfold(ctx)
	if err != nil {
		return nil, err
	}
	var nearest lts.State
	found := false
	isLost := func(s lts.State) bool {
		nearest = s
		found = fates.At(u.At(s).State, u.At(s).Q) == fate.Lost
		return found
	}
	tree, err := bfs.From(ctx, u.LTS(), []lts.State{u.LTS().Initial()}, bfs.Options{Until: isLost})
	if err != nil || !found {
		return nil, err
	}
	steps, _ := tree.Distance(nearest)
	return &Doomed{u.At(nearest), steps}, nil
}
