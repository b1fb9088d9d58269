package product

import (
	"context"
	"math/bits"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// mostInSet is the largest number of property states that fit a word with a bit
// for each.
const mostInSet = 64

// index maps product states to the numbers of unfolded states, for a property of
// at most mostInSet states.
type index struct {
	// numbers are the unfolded states; none for product states that are not
	// reached.
	numbers []lts.State
	// If most product states are reached, model state s has a row of width
	// entries in numbers.
	width int
	// Otherwise width is 0, reached[s] has a bit for each property state with
	// which s is reached, and the numbers of these product states begin at
	// first[s], in ascending order of property states.
	reached []uint64
	first   []uint32
}

// newIndex returns an index of the product states in these sets, with all numbers
// none, in the form that takes less memory.
func newIndex(ctx context.Context, reached []uint64, productStates, width int) (x index) {
	if states := len(reached); width*states <= 3*states+productStates {
		x.width = width
		x.numbers = abort.Must(resources.Make[lts.State](ctx, width*states))
	} else {
		x.first, x.reached = abort.Must(resources.Make[uint32](ctx, states)), reached
		at := 0
		for s, set := range reached {
			x.first[s] = uint32(at)
			at += bits.OnesCount64(set)
		}
		x.numbers = abort.Must(resources.Make[lts.State](ctx, productStates))
	}
	for i := range x.numbers {
		x.numbers[i] = none
	}
	return x
}

// slot returns the position in numbers of a product state, which must be reached
// if there are no rows.
func (x *index) slot(p State) int {
	if x.width > 0 {
		return int(p.State)*x.width + int(p.Q)
	}
	return int(x.first[p.State]) + bits.OnesCount64(x.reached[p.State]&(1<<p.Q-1))
}

// find returns the unfolded state of a product state; false if that is not
// reached.
func (x *index) find(p State) (lts.State, bool) {
	if x.width > 0 && int(p.Q) >= x.width || x.width == 0 && (p.Q >= mostInSet || x.reached[p.State]>>p.Q&1 == 0) {
		return 0, false
	}
	s := x.numbers[x.slot(p)]
	return s, s != none
}

// appendUnfolded appends the unfolded states of model state s, the last one first.
func (x *index) appendUnfolded(into []lts.State, s lts.State) []lts.State {
	for i, end := x.bounds(s); i < end; i++ {
		number := x.numbers[i]
		if number == none {
			continue
		}
		into = append(into, number)
		for k := len(into) - 1; k > 0 && into[k-1] < number; k-- {
			into[k-1], into[k] = number, into[k-1]
		}
	}
	return into
}

// bounds returns the positions [first, end) in numbers of a model state.
func (x *index) bounds(s lts.State) (first, end int) {
	if x.width > 0 {
		return int(s) * x.width, int(s+1) * x.width
	}
	first = int(x.first[s])
	return first, first + bits.OnesCount64(x.reached[s])
}

// growingSets holds a set of property states for each state of a model, and a
// queue of the model states whose sets have grown.
type growingSets struct {
	sets  []uint64
	fresh []uint64 // the members added since the state was last taken from the queue
	// line is a ring buffer. It has each state at most once.
	line          []lts.State
	next, waiting int
}

func newGrowingSets(ctx context.Context, states int) *growingSets {
	abort.On(resources.Ask(ctx, 20*int64(states)))
	return &growingSets{sets: make([]uint64, states), fresh: make([]uint64, states), line: make([]lts.State, states)}
}

func (g *growingSets) add(s lts.State, set uint64) {
	set &^= g.sets[s]
	if set == 0 {
		return
	}
	if g.fresh[s] == 0 {
		at := g.next + g.waiting
		if at >= len(g.line) {
			at -= len(g.line)
		}
		g.line[at] = s
		g.waiting++
	}
	g.sets[s] |= set
	g.fresh[s] |= set
}

// take removes the first state from the queue, which is not empty, and returns it
// with the states added to its set.
func (g *growingSets) take() (s lts.State, set uint64) {
	s = g.line[g.next]
	if g.next++; g.next == len(g.line) {
		g.next = 0
	}
	g.waiting--
	set, g.fresh[s] = g.fresh[s], 0
	return s, set
}

// reachedSets returns for each state of m the property states with which it is
// reached. A word holds all property states of a model state, so that this takes
// much less time than the product.
func reachedSets(ctx context.Context, m *lts.LTS, next *successor) []uint64 {
	g := newGrowingSets(ctx, m.NumStates())
	g.add(m.Initial(), 1<<next.p.Initial())
	for work := 0; g.waiting > 0; work++ {
		if work&(1<<14-1) == 0 {
			abort.On(ctx.Err())
		}
		s, set := g.take()
		labels, targets := m.Out(s)
		for i, t := range targets {
			var after uint64
			for left := set; left != 0; left &= left - 1 {
				after |= 1 << next.after(property.Q(bits.TrailingZeros64(left)), labels.At(i))
			}
			g.add(t, after)
		}
	}
	return g.sets
}
