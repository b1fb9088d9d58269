package argument

import (
	"math"

	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/lts"
)

// smallest returns the weights of a claim by definition, infinite where it is not true.
func smallest(x *Case, c claim) []float64 {
	inf := math.Inf(1)
	n, size := x.closure.Nodes[c.f], x.m.NumStates()
	w := make([]float64, size)
	var left, right []float64
	if n.Op >= syntax.Not {
		right = smallest(x, claim{n.Right, c.holds != (n.Op == syntax.Not)})
	}
	if n.Op == syntax.And || n.Op == syntax.Or || n.Op >= syntax.Until {
		left = smallest(x, claim{n.Left, c.holds})
	}
	for s := range w {
		w[s] = inf
		switch n.Op {
		case syntax.Not:
			w[s] = right[s]
		case syntax.And:
			w[s] = left[s] + right[s]
		case syntax.Or:
			w[s] = min(left[s], right[s])
		case syntax.Next:
			labels, targets := x.m.Out(lts.State(s))
			for i, t := range targets {
				if x.matches(n.Labels, labels.At(i)) {
					w[s] = min(w[s], 1+right[t])
				}
			}
		case syntax.Until:
			w[s] = right[s]
		case syntax.Release:
			w[s] = left[s] + right[s]
			if x.m.IsDeadlock(lts.State(s)) {
				w[s] = right[s]
			}
		default:
			if x.isTrueAndAdmitted(c, lts.State(s)) {
				w[s] = 0
			}
		}
	}
	if n.Op < syntax.Until {
		return w
	}
	way := left
	if n.Op == syntax.Release {
		way = right
	}
	// between[s][t] is the least weight of a way from s to t of one transition at least.
	between := make([][]float64, size)
	for s := range between {
		between[s] = make([]float64, size)
		for t := range between[s] {
			between[s][t] = inf
		}
		_, targets := x.m.Out(lts.State(s))
		for _, t := range targets {
			between[s][t] = 1 + way[s]
		}
	}
	for k := range size {
		for s := range size {
			for t := range size {
				between[s][t] = min(between[s][t], between[s][k]+between[k][t])
			}
		}
	}
	ends := append([]float64(nil), w...)
	if n.Op == syntax.Release {
		for s := range ends {
			ends[s] = min(ends[s], between[s][s])
		}
	}
	for s := range w {
		w[s] = ends[s]
		for t := range size {
			w[s] = min(w[s], between[s][t]+ends[t])
		}
	}
	return w
}
