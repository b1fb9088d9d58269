package certificate

import (
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
)

// next searches backwards, breadth first from all states at once, over states with the number of
// last steps that a run from there does.
func (x *pass) next() rows {
	r := x.newRows(x.claimed.MS)
	f := newFilling(&r)
	var all []productState
	for s := range x.m.NumStates() {
		if x.reach.Has(lts.State(s)) && x.claimed.Admits(lts.State(s)) {
			all = append(all, productState{lts.State(s), 0})
		}
	}
	before := x.m.Predecessors()
	x.breadthFirst(all, func(at productState, length uint32, add func(productState)) {
		labels, sources := before.In(at.state)
		for i, s := range sources {
			if to := (productState{s, x.p.AdvanceSuffix(at.done, labels.At(i))}); f.reach(s, to.done, length+1) {
				add(to)
			}
		}
	})
	return r
}

// due computes, for each m, longest runs without step n-m+1. The transitions that do not do this
// step, between states with cs >= m, have no cycle, so that the lengths are found backwards from
// the states without such transitions.
func (x *pass) due() rows {
	r := x.newRows(x.claimed.CS)
	left := make([]int, x.m.NumStates()) // the number of transitions whose targets are not settled
	most := 0
	for s := range left {
		most = max(most, len(r.of(lts.State(s))))
	}
	for m := 1; m <= most; m++ {
		x.dueStep(m, &r, left)
	}
	return r
}

// dueStep sets entry m-1 of each row that is long enough.
func (x *pass) dueStep(m int, r *rows, left []int) {
	var open []lts.State
	for i := range left {
		if i&(1<<14-1) == 0 {
			abort.On(x.ctx.Err())
		}
		s := lts.State(i)
		if len(r.of(s)) < m {
			continue
		}
		left[s] = 0
		labels, _ := x.m.Out(s)
		for i := range labels.Len() {
			l := labels.At(i)
			if !x.p.Does(l, x.n-m+1) {
				left[s]++
			}
		}
		if left[s] == 0 {
			r.of(s)[m-1] = 1
			open = append(open, s)
		}
	}
	before := x.m.Predecessors()
	for count := 0; len(open) > 0; count++ {
		if count&(1<<14-1) == 0 {
			abort.On(x.ctx.Err())
		}
		t := open[len(open)-1]
		open = open[:len(open)-1]
		labels, sources := before.In(t)
		for i, s := range sources {
			row := r.of(s)
			if len(row) < m || x.p.Does(labels.At(i), x.n-m+1) {
				continue
			}
			length := r.of(t)[m-1] + 1
			if row[m-1] == none || row[m-1] < length {
				row[m-1] = length
			}
			if left[s]--; left[s] == 0 {
				open = append(open, s)
			}
		}
	}
}
