package counterexample

import (
	"math"

	"github.com/inev-lts/inev/lts"
)

// Best returns the member for which the weights of the states that it passes
// have the smallest sum or, with most, the largest; of several, the one that
// comes first in the order of [Family.Each]. The states that count are the sources of its
// transitions: each state of a lasso once, and for a deadlock all but the last.
// The weight of a state must always be the same one. Cost O(N) time for a Family
// of size N, times the number of steps that members whose loop begins at one
// place avoid.
func (f *Family) Best(weight func(lts.State) int, most bool) *Trace {
	of := weight
	if most {
		of = func(s lts.State) int { return -weight(s) }
	}
	w := &walk{Family: f, weights: f.weigh(of)}
	var best *Trace
	w.run(func(t *Trace) bool {
		best = t
		return false
	})
	return best
}

// weights tell how light a member can be from each node on.
type weights struct {
	of func(lts.State) int
	// stems[node] is the least weight of a way from a node of the stems to the end.
	stems []int
	// cycles[i][node*k+step] is the least weight from a node of cycles i with k
	// steps to its end, of ways that avoid the step; heavy where none does.
	cycles [][]int
}

// heavy stands for the weight of a way that does not exist.
const heavy = math.MaxInt

func (f *Family) weigh(of func(lts.State) int) *weights {
	w := &weights{of: of, stems: make([]int, len(f.stems.states))}
	for _, c := range f.cycles {
		w.cycles = append(w.cycles, c.weigh(of))
	}
	for node, s := range f.stems.states {
		least, moves := heavy, f.stems.from(uint32(node))
		for _, mv := range moves {
			least = min(least, of(s)+w.stems[mv.to])
		}
		if begin := f.stems.begins[node]; begin != noCycles {
			for k, m := range f.cycles[begin].steps {
				if m >= f.stems.progress[node] {
					least = min(least, w.cycles[begin][k])
				}
			}
		} else if len(moves) == 0 {
			least = 0
		}
		w.stems[node] = least
	}
	return w
}

func (c *cycles) weigh(of func(lts.State) int) []int {
	k := len(c.steps)
	least := make([]int, k*len(c.states))
	last := len(c.states) - 1
	for i := range k * last {
		least[i] = heavy
	}
	for node := last - 1; node >= 0; node-- {
		weight := of(c.states[node])
		for i := c.first[node]; i < c.first[node+1]; i++ {
			avoided, to := c.avoidedBy(i), int(c.moves[i].to)
			for step := range k {
				if avoided.has(step) {
					least[node*k+step] = min(least[node*k+step], weight+least[to*k+step])
				}
			}
		}
	}
	return least
}

// keepLightest leaves of the open steps of a lap those that members of this
// weight can avoid.
func (w *walk) keepLightest(on lap, weight int) {
	k := len(w.cycles[on.cycles].steps)
	for step := range k {
		if w.weights.cycles[on.cycles][int(on.node)*k+step] != weight {
			on.open.remove(step)
		}
	}
}
