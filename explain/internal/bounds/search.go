package bounds

import (
	"context"
	"math"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// way is what a transition from a place where something is pending does.
type way uint8

const (
	leadsOn  way = iota // something is still pending
	settles             // nothing is any more
	excluded            // no run that counts takes it
)

// graph has the places where something is pending.
type graph interface {
	places() int
	// out returns the state of the model at a place, and the transitions there.
	out(p uint32) (lts.State, lts.Labels, []lts.State)
	// next returns the place that one of them leads to, if it leads on.
	next(p uint32, l lts.Label, t lts.State) (uint32, way)
}

// Values of search.left that are no numbers of transitions.
const (
	unseen = 0
	stuck  = math.MaxUint32     // from there every run ends, or is not settled
	open   = math.MaxUint32 - 1 // on the path of the search
	none   = math.MaxUint32
)

// search goes through places depth first.
type search struct {
	ctx  context.Context
	g    graph
	left []uint32 // the most transitions until all is settled
	few  []uint32 // the fewest, unless the order is asked for
	// order has the places as the search has left them, if ordered.
	order   []uint32
	ordered bool
	// closing is the smallest place that a cycle comes back to, none if there is no cycle.
	closing uint32
	stack   []frame
	work    int
}

type frame struct {
	place     uint32
	next      uint32 // the transition to be looked at
	most, few uint32
}

func newSearch(ctx context.Context, g graph, ordered bool) *search {
	return &search{ctx: ctx, g: g, ordered: ordered, closing: none}
}

// makeRoom makes room for what is known of places.
func (x *search) makeRoom() (err error) {
	if x.left, err = resources.Make[uint32](x.ctx, x.g.places()); err != nil {
		return err
	}
	if !x.ordered {
		x.few, err = resources.Make[uint32](x.ctx, x.g.places())
		return err
	}
	x.order, err = resources.Make[uint32](x.ctx, x.g.places())
	x.order = x.order[:0]
	return err
}

// from goes through all that is reached from a place.
func (x *search) from(start uint32) error {
	if x.left == nil {
		if err := x.makeRoom(); err != nil {
			return err
		}
	}
	if x.left[start] != unseen {
		return nil
	}
	x.enter(start)
	for len(x.stack) > 0 {
		if x.work++; x.work&(1<<14-1) == 0 && x.ctx.Err() != nil {
			return x.ctx.Err()
		}
		x.advance(&x.stack[len(x.stack)-1])
	}
	return nil
}

func (x *search) enter(p uint32) {
	x.left[p] = open
	x.stack = append(x.stack, frame{place: p, few: stuck})
}

// advance looks at transitions of the topmost place until one leads to a new place, or none is
// left.
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
			top.most, top.few = max(top.most, 1), 1
			continue
		}
		switch left := x.left[to]; left {
		case unseen:
			x.enter(to)
			return
		case open:
			x.closing = min(x.closing, to)
		case stuck:
		default:
			top.most = max(top.most, left+1)
			if !x.ordered {
				top.few = min(top.few, x.few[to]+1)
			}
		}
	}
	x.leave()
}

// leave notes what is known of the topmost place, and passes it to the place below.
func (x *search) leave() {
	top := x.stack[len(x.stack)-1]
	x.stack = x.stack[:len(x.stack)-1]
	if x.ordered {
		x.order = append(x.order, top.place)
	}
	if top.most == 0 {
		x.left[top.place] = stuck
		return
	}
	if x.left[top.place] = top.most; !x.ordered {
		x.few[top.place] = top.few
	}
	if len(x.stack) > 0 {
		below := &x.stack[len(x.stack)-1]
		below.most, below.few = max(below.most, top.most+1), min(below.few, top.few+1)
	}
}

// remaining returns how many transitions there are at most with a transition and after it; 0
// if it leads to where nothing is settled.
func (x *search) remaining(to uint32, w way) int {
	switch {
	case w == settles:
		return 1
	case w == excluded || x.left[to] == stuck:
		return 0
	}
	return int(x.left[to]) + 1
}

// walk returns the first run in the order of the model that takes the most transitions from a
// place on.
func (x *search) walk(p uint32, before []lts.Transition) *Slowest {
	s := &Slowest{Steps: before, Begins: len(before)}
	for {
		from, labels, targets := x.g.out(p)
		left := int(x.left[p])
		c := Choice{Step: len(s.Steps), Left: left, first: len(s.faster)}
		taken, follows, ends := false, uint32(0), false
		for i, t := range targets {
			to, w := x.g.next(p, labels.At(i), t)
			there := x.remaining(to, w)
			switch {
			case there == left && !taken:
				taken, follows, ends = true, to, w == settles
				s.Steps = append(s.Steps, lts.Transition{From: from, Label: labels.At(i), To: t})
			case there > 0 && there < left:
				s.faster = append(s.faster, Faster{lts.Transition{From: from, Label: labels.At(i), To: t}, there})
			}
		}
		if c.end = len(s.faster); c.end > c.first {
			s.Choices = append(s.Choices, c)
		}
		if ends || !taken {
			return s
		}
		p = follows
	}
}

// cycle returns the labels, each once, of a shortest cycle through a place that is on one.
func (x *search) cycle(through uint32) ([]lts.Label, error) {
	type edge struct {
		from  uint32
		label lts.Label
	}
	came := map[uint32]edge{}
	queue := []uint32{through}
	for i := 0; i < len(queue); i++ {
		if i&(1<<14-1) == 0 && x.ctx.Err() != nil {
			return nil, x.ctx.Err()
		}
		p := queue[i]
		_, labels, targets := x.g.out(p)
		for k, t := range targets {
			to, w := x.g.next(p, labels.At(k), t)
			if w != leadsOn {
				continue
			}
			if _, met := came[to]; met {
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
					return eachOnce(back), nil
				}
			}
		}
	}
	return nil, nil
}

// eachOnce returns labels that were met from the last to the first, each once.
func eachOnce(back []lts.Label) []lts.Label {
	var labels []lts.Label
	met := map[lts.Label]bool{}
	for i := len(back) - 1; i >= 0; i-- {
		if !met[back[i]] {
			met[back[i]] = true
			labels = append(labels, back[i])
		}
	}
	return labels
}
