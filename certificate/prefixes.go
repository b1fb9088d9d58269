package certificate

import (
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bfs"
)

// first searches breadth first over states with progress. It visits a state again only with more
// progress, since a run with more progress that is no longer also serves for less.
func (x *pass) first() rows {
	r := x.newRows(func(s lts.State) int { return x.claimed.MP(s) + 1 })
	f := newFilling(&r)
	start := productState{x.m.Initial(), 0}
	f.reach(start.state, 1, 0)
	x.breadthFirst([]productState{start}, func(at productState, length uint32, add func(productState)) {
		labels, targets := x.m.Out(at.state)
		for i, t := range targets {
			if to := (productState{t, x.p.Advance(at.done, labels.At(i))}); f.reach(t, to.done+1, length+1) {
				add(to)
			}
		}
	})
	return r
}

// least searches along the transitions to a target t with progress exactly cp(t).
func (x *pass) least() *bfs.Tree {
	return abort.Must(bfs.From(x.ctx, x.m, []lts.State{x.m.Initial()}, bfs.Options{Along: func(t lts.Transition) bool {
		return x.p.Advance(x.claimed.CP(t.From), t.Label) == x.claimed.CP(t.To)
	}}))
}
