package product

import (
	"context"
	"math/bits"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// mostInSet is the number of states of a property up to which those with which a state of
// the model is reached are the bits of a word.
const mostInSet = 64

// index finds the unfolded states of places, of a property of at most mostInSet states.
type index struct {
	// numbers has the unfolded states; none for places that are not reached.
	numbers []lts.State
	// Where most places are reached, those of model state s have a row of width numbers.
	width int
	// Elsewhere width is 0, reached[s] has a bit for each state of the property with which s
	// is reached, and the numbers of these places begin at first[s], in their order.
	reached []uint64
	first   []uint32
}

// newIndex returns an index of the places of these sets, in which all are none as yet: in the
// way that takes less memory.
func newIndex(ctx context.Context, reached []uint64, places, width int) (x index, err error) {
	if states := len(reached); width*states <= 3*states+places {
		x.width = width
		x.numbers, err = resources.Make[lts.State](ctx, width*states)
	} else if x.first, err = resources.Make[uint32](ctx, states); err == nil {
		x.reached = reached
		at := 0
		for s, set := range reached {
			x.first[s] = uint32(at)
			at += bits.OnesCount64(set)
		}
		x.numbers, err = resources.Make[lts.State](ctx, places)
	}
	for i := range x.numbers {
		x.numbers[i] = none
	}
	return x, err
}

// slot returns where the number of a place is, which must be reached unless there are rows.
func (x *index) slot(p Place) int {
	if x.width > 0 {
		return int(p.State)*x.width + int(p.Q)
	}
	return int(x.first[p.State]) + bits.OnesCount64(x.reached[p.State]&(1<<p.Q-1))
}

// find returns the unfolded state of a place; false if it is not reached.
func (x *index) find(p Place) (lts.State, bool) {
	if x.width > 0 && int(p.Q) >= x.width || x.width == 0 && (p.Q >= mostInSet || x.reached[p.State]>>p.Q&1 == 0) {
		return 0, false
	}
	s := x.numbers[x.slot(p)]
	return s, s != none
}

// appendPlaces appends the unfolded states of model state s, the last one first.
func (x *index) appendPlaces(into []lts.State, s lts.State) []lts.State {
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

// bounds returns the slots of a state of the model: from first, to the one before end.
func (x *index) bounds(s lts.State) (first, end int) {
	if x.width > 0 {
		return int(s) * x.width, int(s+1) * x.width
	}
	first = int(x.first[s])
	return first, first + bits.OnesCount64(x.reached[s])
}

// growingSets are sets of states of a property, one for each state of a model, with those
// states of the model in line, first in, first out, the sets of which have grown.
type growingSets struct {
	sets  []uint64
	fresh []uint64 // what was added since the state was last taken from the line
	// line is a ring: a state is in it once at most.
	line          []lts.State
	next, waiting int
}

func newGrowingSets(ctx context.Context, states int) (*growingSets, error) {
	if err := resources.Ask(ctx, 20*int64(states)); err != nil {
		return nil, err
	}
	return &growingSets{sets: make([]uint64, states), fresh: make([]uint64, states), line: make([]lts.State, states)}, nil
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

// take takes the first state from the line, with what was added to its set; there is one.
func (g *growingSets) take() (s lts.State, set uint64) {
	s = g.line[g.next]
	if g.next++; g.next == len(g.line) {
		g.next = 0
	}
	g.waiting--
	set, g.fresh[s] = g.fresh[s], 0
	return s, set
}

// reachedSets returns for each state of m the states of the property with which it is
// reached. A word at a time goes along a transition for all of them: this is much less than
// the product.
func reachedSets(ctx context.Context, m *lts.LTS, next *successor) ([]uint64, error) {
	g, err := newGrowingSets(ctx, m.NumStates())
	if err != nil {
		return nil, err
	}
	g.add(m.Initial(), 1<<next.p.Initial())
	for work := 0; g.waiting > 0; work++ {
		if work&(1<<14-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
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
	return g.sets, nil
}
