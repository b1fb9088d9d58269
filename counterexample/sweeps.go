package counterexample

import (
	"context"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// mostSweeps is how many states distances are found from in a part and, one
// within the other, in what remains of it.
const mostSweeps = 6

// sweeps leave out of strongly connected parts what falls: what lies on no cycle that is short
// enough, see [sieve].
type sweeps struct {
	ctx   context.Context
	m     *lts.LTS
	parts *scc.Parts
	// takes reports whether cycles may take a transition.
	takes func(from lts.State, l lts.Label) bool
	// away is one more than the distance from the state that was swept from last.
	away  []uint32
	queue []lts.State
	// work counts the states and transitions that are looked at.
	work *int
}

// split leaves out of a strongly connected part what falls by radius, seen from root or another
// state: up to mostSweeps of them are tried, depth before this part was made. It yields the
// strongly connected parts of the rest, and returns false if nothing falls.
func (w *sweeps) split(part []lts.State, root lts.State, radius, depth int, yield func(smaller []lts.State, depth int) error) (bool, error) {
	for ; radius < len(part) && depth < mostSweeps; depth++ {
		if w.ctx.Err() != nil {
			return false, w.ctx.Err()
		}
		falls := false
		if root, falls = w.sweep(part, root, radius); !falls {
			continue
		}
		shows := func(from lts.State, l lts.Label, to lts.State) bool {
			return int(w.away[from]) < int(w.away[to])+radius && w.takes(from, l)
		}
		return true, w.parts.Components(part, shows, func(smaller []lts.State) (bool, error) {
			return true, yield(smaller, depth+1)
		})
	}
	return false, nil
}

// sweep finds how far the states of a part are away from one of them. It returns the one
// that is furthest, and whether any transition falls by radius.
func (w *sweeps) sweep(part []lts.State, root lts.State, radius int) (furthest lts.State, falls bool) {
	w.parts.Enter(part)
	for _, s := range part {
		w.away[s] = 0
	}
	w.queue = append(w.queue[:0], root)
	w.away[root] = 1
	for i := 0; i < len(w.queue); i++ {
		from := w.queue[i]
		labels, targets := w.m.Out(from)
		*w.work += len(targets) + 1
		for j, to := range targets {
			if !w.parts.Has(to) || !w.takes(from, labels.At(j)) {
				continue
			}
			if w.away[to] == 0 {
				w.away[to] = w.away[from] + 1
				w.queue = append(w.queue, to)
			}
			falls = falls || int(w.away[from]) >= int(w.away[to])+radius
		}
	}
	return w.queue[len(w.queue)-1], falls
}
