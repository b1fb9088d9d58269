package assume

import (
	"math/bits"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// Doomed is where a shortest run comes to that almost no run satisfies the property from.
type Doomed struct {
	State lts.State
	Steps int
}

// Doomed returns the nearest such place, of a property that full fairness does not make true, the
// first one breadth first; false if it is not known without a product: of a chain, of a property
// whose runs violate it as they change its state, and of several unless one of them is doomed
// from the start. Cost O(n (S + T)) for n states of the property; 16 bytes a state of the model,
// and its predecessors unless all runs are doomed.
func (v *Search) Doomed() (at Doomed, known bool, err error) {
	v.begin(Limits{})
	for _, x := range v.sources {
		if x.still == nil {
			continue
		}
		at, found, err := x.doomed()
		if err != nil {
			return Doomed{}, false, err
		}
		if found && (at.Steps == 0 || len(v.sources) == 1) {
			return at, true, nil
		}
	}
	return Doomed{}, false, nil
}

// places are sets of places, a word of states of the property for each state of the model.
type places []uint64

// doomed is [Search.Doomed] for one property; false if there is no such place.
func (v *source) doomed() (Doomed, bool, error) {
	reached := v.reached
	rejecting, err := v.endless()
	if err != nil {
		return Doomed{}, false, err
	}
	all := true
	for s := range reached {
		all = all && rejecting[s] == reached[s]
	}
	if all {
		return Doomed{State: v.m.Initial()}, true, nil
	}
	// Almost all runs come to where they stay: one that cannot come to where it is violated satisfies
	// the property, and one that cannot come to such a place is doomed.
	if err := v.leading(rejecting, reached); err != nil {
		return Doomed{}, false, err
	}
	hopeful := rejecting
	for s, set := range reached {
		hopeful[s] = set &^ rejecting[s]
	}
	if err := v.leading(hopeful, reached); err != nil {
		return Doomed{}, false, err
	}
	return v.nearest(hopeful)
}

// endless returns the places in the parts where almost all runs stay for ever and violate the property.
func (v *source) endless() (places, error) {
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
	return rejecting, v.eachStill(func(i scc.Component, states []lts.State, step int) (bool, error) {
		return true, sets.In(i, states, sets.hidden(step), func(set []lts.State) bool {
			if v.recurs(set, step, full.Rare) {
				for _, s := range set {
					rejecting[s] |= 1 << v.still[step-1].q
				}
			}
			return true
		})
	})
}

// leading adds to places all that lead to them, of those that are reached.
func (v *source) leading(to, reached places) error {
	if err := v.m.FindPredecessors(v.ctx); err != nil {
		return err
	}
	p, before := v.fates.Property(), v.m.Predecessors()
	var queue []lts.State
	waits := make([]bool, len(to))
	for s, set := range to {
		if set != 0 {
			queue, waits[s] = append(queue, lts.State(s)), true
		}
	}
	for looks := 0; len(queue) > 0; looks++ {
		if looks&(1<<14-1) == 0 && v.ctx.Err() != nil {
			return v.ctx.Err()
		}
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
	return nil
}

// nearest returns the first place, breadth first, that is none of those with hope.
func (v *source) nearest(hopeful places) (Doomed, bool, error) {
	p := v.fates.Property()
	type node struct {
		state lts.State
		q     property.Q
		steps int
	}
	met := make(places, len(hopeful))
	queue := []node{{state: v.m.Initial(), q: p.Initial()}}
	met[v.m.Initial()] = 1 << p.Initial()
	for next := 0; next < len(queue); next++ {
		if next&(1<<14-1) == 0 && v.ctx.Err() != nil {
			return Doomed{}, false, v.ctx.Err()
		}
		at := queue[next]
		if hopeful[at.state]>>at.q&1 == 0 {
			return Doomed{at.state, at.steps}, true, nil
		}
		labels, targets := v.m.Out(at.state)
		for i, to := range targets {
			if q := p.Next(at.q, labels.At(i)); met[to]>>q&1 == 0 {
				met[to] |= 1 << q
				queue = append(queue, node{to, q, at.steps + 1})
			}
		}
	}
	return Doomed{}, false, nil
}
