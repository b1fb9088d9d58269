package assume

import (
	"context"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bfs"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Doomed is the nearest product state from where almost no run satisfies the property, and the
// length of a shortest path there.
type Doomed struct {
	product.State
	Steps int
}

// doomed returns the nearest such product state, the first one breadth first, of a property that is
// violated under full fairness. It is nil if that is not known without a product: for a chain, for a property whose violating runs change the property state for ever, and for several
// properties unless one of them is doomed from the start. Cost O(n (S + T)) for n property states;
// 16 bytes a state of the model, and its predecessors unless all runs are doomed.
func (v *Search) doomed() *Doomed {
	v.begin(Limits{})
	for _, x := range v.sources {
		if x.still == nil {
			continue
		}
		if at := x.doomed(); at != nil && (at.Steps == 0 || len(v.sources) == 1) {
			return at
		}
	}
	return nil
}

// places is a set of product states: for each state of the model, a bit set of property states.
type places []uint64

// doomed is [Search.doomed] for one property; nil if no reached product state is doomed.
func (v *source) doomed() *Doomed {
	reached, rejecting := v.reached, v.endless()
	all := true
	for s := range reached {
		all = all && rejecting[s] == reached[s]
	}
	if all {
		return &Doomed{State: product.State{State: v.m.Initial()}}
	}
	// Almost every run ends up in a set where it stays for ever. If no rejecting set is reachable
	// from a product state, almost every run from there satisfies the property; a product state
	// that reaches no such product state is doomed.
	v.leading(rejecting, reached)
	hopeful := rejecting
	for s, set := range reached {
		hopeful[s] = set &^ rejecting[s]
	}
	v.leading(hopeful, reached)
	doomed := func(at product.State) bool { return hopeful[at.State]>>at.Q&1 == 0 }
	levels := product.NewLevels(v.m, v.fates.Property())
	if levels == nil || slices.Equal(hopeful, reached) {
		return nil
	}
	first, steps, err := levels.First(v.ctx, doomed)
	abort.On(err)
	return &Doomed{first, steps}
}

// endless returns the product states of the sets where almost all runs stay for ever and violate
// the property.
func (v *source) endless() places {
	rejecting := abort.Must(resources.Make[uint64](v.ctx, v.m.NumStates()))
	full := abort.Must(property.NewFairness(v.m.Alphabet(), true, nil, nil))
	sets := v.newFairSets(full, nil)
	for at := range v.eachStill {
		abort.On(sets.In(at.Component, at.States, sets.hidden(at.Step), func(set []lts.State) bool {
			if v.recurs(set, at.Step, full.Rare) {
				for _, s := range set {
					rejecting[s] |= 1 << v.still[at.Step-1].q
				}
			}
			return true
		}))
	}
	return rejecting
}

// leading adds to a set all reached product states from where the set is reachable.
func (v *source) leading(to, reached places) {
	abort.On(v.m.FindPredecessors(v.ctx))
	p, before := v.fates.Property(), v.m.Predecessors()
	var queue []lts.State
	waits := make([]bool, len(to))
	for s, set := range to {
		if set != 0 {
			queue, waits[s] = append(queue, lts.State(s)), true
		}
	}
	for looks := 0; len(queue) > 0; looks++ {
		abort.IfDone(v.ctx, looks)
		s := queue[len(queue)-1]
		queue, waits[s] = queue[:len(queue)-1], false
		labels, sources := before.In(s)
		for i, from := range sources {
			more := uint64(0)
			for rest := reached[from] &^ to[from]; rest != 0; rest &= rest - 1 {
				if q := bits.TrailingZeros64(rest); to[s]>>p.Next(property.Q(q), labels.At(i))&1 != 0 {
					more |= 1 << q
				}
			}
			if to[from] |= more; more != 0 && !waits[from] {
				queue, waits[from] = append(queue, from), true
			}
		}
	}
}

// doomedOnChain returns the nearest product state from where no run satisfies the chain; nil if there
// is none. Cost O(n (S + T)), and 4 bytes a state.
func doomedOnChain(ctx context.Context, fates *fate.Map) *Doomed {
	m, p := fates.LTS(), fates.Property()
	// least is one more than the smallest progress that reached a state. From the same state, a run
	// with more progress can lose only the steps that a run with less progress can lose.
	least := abort.Must(resources.Make[property.Q](ctx, m.NumStates()))
	queue := []Doomed{{State: product.State{State: m.Initial()}}}
	least[m.Initial()] = 1
	for next := 0; next < len(queue); next++ {
		abort.IfDone(ctx, next)
		at := queue[next]
		if fates.At(at.State.State, at.Q) == fate.Lost {
			return &at
		}
		labels, targets := m.Out(at.State.State)
		for i, to := range targets {
			if after := p.Next(at.Q, labels.At(i)); least[to] == 0 || after+1 < least[to] {
				least[to] = after + 1
				queue = append(queue, Doomed{product.State{State: to, Q: after}, at.Steps + 1})
			}
		}
	}
	return nil
}

// doomedInProduct is [doomedOnChain] for a property that is no chain, on fully fair runs.
func doomedInProduct(ctx context.Context, fates *fate.Map) *Doomed {
	fates = abort.Must(fates.Under(ctx, abort.Must(property.NewFairness(fates.LTS().Alphabet(), true, nil, nil))))
	u := abort.Must(fates.Unfold(ctx))
	last, found := lts.State(0), false
	tree := abort.Must(bfs.From(ctx, u.LTS(), []lts.State{u.LTS().Initial()}, bfs.Options{Until: func(s lts.State) bool {
		at := u.At(s)
		last, found = s, fates.At(at.State, at.Q) == fate.Lost
		return found
	}}))
	if !found {
		return nil
	}
	steps, _ := tree.Distance(last)
	return &Doomed{u.At(last), steps}
}
