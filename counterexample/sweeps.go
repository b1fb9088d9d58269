package counterexample

import (
	"context"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
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
	// free says for each letter, or for each label if there are no letters, whether cycles may take
	// transitions with it; in a product u, after as many for each smaller state of the property.
	free    []bool
	letters []uint16
	columns int
	u       *product.Unfolding
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
			return int(w.away[from]) < int(w.away[to])+radius && w.row(from)[w.column(l)]
		}
		return true, w.parts.Components(part, shows, func(smaller []lts.State) (bool, error) {
			return true, yield(smaller, depth+1)
		})
	}
	return false, nil
}

// row has what is free from a state.
func (w *sweeps) row(from lts.State) []bool {
	if w.u == nil {
		return w.free
	}
	return w.free[int(w.u.Place(from).Q)*w.columns:]
}

func (w *sweeps) column(l lts.Label) int {
	if w.letters == nil {
		return int(l)
	}
	return int(w.letters[l])
}

// without makes the transitions of a product free that have none of some colours.
func (w *sweeps) without(u *product.Unfolding, colours property.Marks) {
	t := u.Property().Automaton()
	w.u, w.letters, w.columns, w.free = u, t.Letters, t.Columns, make([]bool, len(t.Next))
	for i := range w.free {
		w.free[i] = t.Marks == nil || t.Marks[i]&colours == 0
	}
}

// avoiding makes the labels free that do not do a step.
func (w *sweeps) avoiding(p *property.Chain, step int) {
	if w.free == nil {
		w.free = make([]bool, w.m.Alphabet().Len())
	}
	for l := range w.free {
		w.free[l] = !p.Does(lts.Label(l), step)
	}
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
		free := w.row(from)
		for j, to := range targets {
			if !w.parts.Has(to) || !free[w.column(labels.At(j))] {
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
