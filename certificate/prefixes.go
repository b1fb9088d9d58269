package certificate

import "github.com/inev-lts/inev/lts"

// first searches breadth first over states with progress. A state is entered
// once for each progress larger than all those before: a run with more progress
// that is no longer counts for less progress, too.
func (x *pass) first() (rows, error) {
	r := x.newRows(func(s lts.State) int { return x.e.MP(s) + 1 })
	f := newFilling(&r)
	start := place{x.m.Initial(), 0}
	f.reach(start.state, 1, 0)
	err := x.breadthFirst([]place{start}, func(at place, length uint32, add func(place)) {
		labels, targets := x.m.Out(at.state)
		for i, t := range targets {
			if to := (place{t, x.p.Advance(at.done, labels[i])}); f.reach(t, to.done+1, length+1) {
				add(to)
			}
		}
	})
	if err != nil {
		return r, err
	}
	return r, complete(r.values)
}

// least searches breadth first along the transitions that bring just cp.
func (x *pass) least() ([]uint32, error) {
	least := unknown(x.m.NumStates())
	least[x.m.Initial()] = 0
	err := x.breadthFirst([]place{{x.m.Initial(), 0}}, func(at place, length uint32, add func(place)) {
		labels, targets := x.m.Out(at.state)
		for i, t := range targets {
			if least[t] == none && x.p.Advance(x.e.CP(at.state), labels[i]) == x.e.CP(t) {
				least[t] = length + 1
				add(place{t, 0})
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for s, length := range least {
		if length == none && x.reach.Has(lts.State(s)) {
			return nil, errNoEvidence
		}
	}
	return least, nil
}
