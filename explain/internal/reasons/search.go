package reasons

import (
	"context"
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// way is the effect of a transition on what is pending.
type way uint8

const (
	leadsOn  way = iota // something is still pending
	settles             // nothing is pending any more
	excluded            // no run that counts takes the transition
)

// graph has the product states where something is pending.
type graph interface {
	places() int
	// out returns the state of the model that a product state has, and the transitions from it.
	out(p uint32) (lts.State, lts.Labels, []lts.State)
	// next returns the product state after a transition from a product state, if something is still
	// pending then.
	next(p uint32, l lts.Label, t lts.State) (uint32, way)
}

// The values of search.left that do not count transitions. Numbers are smaller than open, since
// there are fewer product states.
const (
	unseen = 0
	stuck  = math.MaxUint32 // every run from the product state ends, or never settles what is pending
	open   = 1 << 31        // the product state is on the path of the search; the other bits are the most transitions known so far
	none   = math.MaxUint32
)

// search visits product states depth first.
type search struct {
	ctx  context.Context
	g    graph
	left []uint32 // the most transitions until all is settled
	few  []uint32 // the fewest transitions, as far as they are known on the path, unless the order is requested
	// order has the product states in the order the search left them, if ordered.
	order   []uint32
	ordered bool
	// closing is the smallest product state that closes a cycle; none if there is no cycle.
	closing uint32
	stack   paged.List[frame]
	work    int
}

type frame struct {
	place uint32
	next  uint32 // the next transition to be visited
}

// newSearch allocates an entry for each product state.
func newSearch(ctx context.Context, g graph, ordered bool) *search {
	x := &search{ctx: ctx, g: g, ordered: ordered, closing: none}
	x.left = abort.Must(resources.Make[uint32](ctx, g.places()))
	if ordered {
		x.order = abort.Must(resources.Make[uint32](ctx, g.places()))[:0]
	} else {
		x.few = abort.Must(resources.Make[uint32](ctx, g.places()))
	}
	return x
}

// from visits all product states that are reachable from start.
func (x *search) from(start uint32) {
	if x.left[start] != unseen {
		return
	}
	x.enter(start)
	for x.stack.Len() > 0 {
		x.work++
		abort.IfDone(x.ctx, x.work)
		x.advance(x.stack.At(x.stack.Len() - 1))
	}
}

func (x *search) enter(p uint32) {
	if x.left[p] = open; !x.ordered {
		x.few[p] = stuck
	}
	x.stack.Append(frame{place: p})
}

// reaches records, for a product state on the path, that some run settles what is pending after the
// first number of transitions, and some run after the second.
func (x *search) reaches(p, most, few uint32) {
	if x.left[p] = max(x.left[p], open|most); !x.ordered {
		x.few[p] = min(x.few[p], few)
	}
}

// fewest returns the fewest transitions from a product state; 0 if the search is ordered.
func (x *search) fewest(p uint32) uint32 {
	if x.ordered {
		return 0
	}
	return x.few[p]
}

// advance follows transitions of the last product state on the path until one leads to a new
// product state, or none is left.
func (x *search) advance(top *frame) {
	_, labels, targets := x.g.out(top.place)
	for int(top.next) < len(targets) {
		i := int(top.next)
		top.next++
		to, w := x.g.next(top.place, labels.At(i), targets[i])
		switch w {
		case excluded:
			continue
		case settles:
			x.reaches(top.place, 1, 1)
			continue
		}
		switch left := x.left[to]; {
		case left == unseen:
			x.enter(to)
			return
		case left == stuck:
		case left >= open:
			x.closing = min(x.closing, to)
		default:
			x.reaches(top.place, left+1, x.fewest(to)+1)
		}
	}
	x.leave()
}

// leave completes the last product state on the path, and updates the one before.
func (x *search) leave() {
	last := x.stack.Len() - 1
	p := x.stack.At(last).place
	x.stack.Truncate(last)
	if x.ordered {
		x.order = append(x.order, p)
	}
	most := x.left[p] - open
	if most == 0 {
		x.left[p] = stuck
		return
	}
	if x.left[p] = most; last > 0 {
		x.reaches(x.stack.At(last-1).place, most+1, x.fewest(p)+1)
	}
}

// remaining returns the largest number of transitions from a transition on, itself included; 0 if
// nothing is settled after it.
func (x *search) remaining(to uint32, w way) int {
	switch {
	case w == settles:
		return 1
	case w == excluded || x.left[to] == stuck:
		return 0
	}
	return int(x.left[to]) + 1
}

// walk returns a run with the largest number of transitions from a product state on, the first one
// in the order of the model.
func (x *search) walk(p uint32, before []lts.Transition) *Slowest {
	s := &Slowest{Steps: before, Begins: len(before)}
	for {
		from, labels, targets := x.g.out(p)
		left := int(x.left[p])
		c := Choice{Step: len(s.Steps), Left: left}
		taken, follows, ends := false, uint32(0), false
		for i, t := range targets {
			to, w := x.g.next(p, labels.At(i), t)
			there := x.remaining(to, w)
			switch {
			case there == left && !taken:
				taken, follows, ends = true, to, w == settles
				s.Steps = append(s.Steps, lts.Transition{From: from, Label: labels.At(i), To: t})
			case there > 0 && there < left:
				c.Faster = append(c.Faster, Faster{lts.Transition{From: from, Label: labels.At(i), To: t}, there})
			}
		}
		if len(c.Faster) > 0 {
			s.Choices = append(s.Choices, c)
		}
		if ends || !taken {
			return s
		}
		p = follows
	}
}

// cycle returns the labels of a shortest cycle through a product state that lies on one.
func (x *search) cycle(through uint32) []lts.Label {
	type edge struct {
		from  uint32
		label lts.Label
	}
	came := map[uint32]edge{}
	queue := []uint32{through}
	for i := 0; i < len(queue); i++ {
		abort.IfDone(x.ctx, i)
		p := queue[i]
		_, labels, targets := x.g.out(p)
		for k, t := range targets {
			to, w := x.g.next(p, labels.At(k), t)
			if w != leadsOn {
				continue
			}
			if _, known := came[to]; known {
				continue
			}
			came[to] = edge{p, labels.At(k)}
			if to != through {
				queue = append(queue, to)
				continue
			}
			var back []lts.Label
			for at := through; ; {
				e := came[at]
				back = append(back, e.label)
				if at = e.from; at == through {
					slices.Reverse(back)
					return back
				}
			}
		}
	}
	return nil
}

// breadthFirst visits what can be reached from some product states, until one of their transitions
// ends it: ends is asked with the number of transitions so far. It skips what no run that counts takes.
func breadthFirst(ctx context.Context, g graph, level []uint32, ends func(depth int, to uint32, w way) bool) {
	abort.On(resources.AskFor[uint64](ctx, bitset.Words(g.places())))
	visited := bitset.New[uint32](g.places())
	for _, p := range level {
		visited.Add(p)
	}
	var next []uint32
	for depth := 1; len(level) > 0; depth++ {
		for i, p := range level {
			abort.IfDone(ctx, i)
			_, labels, targets := g.out(p)
			for k, t := range targets {
				to, w := g.next(p, labels.At(k), t)
				if w == excluded {
					continue
				}
				if ends(depth, to, w) {
					return
				}
				if w == leadsOn && !visited.Has(to) {
					visited.Add(to)
					next = append(next, to)
				}
			}
		}
		level, next = next, level[:0]
	}
}
