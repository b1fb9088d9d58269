package counterexample

import (
	"math/bits"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// cutLooks is the number of transitions that are looked at to find detours.
const cutLooks = 1 << 22

// cutting leaves detours out of a round.
type cutting struct {
	*inside
	walk []lts.Transition
	// taken[k] and enabled[k] count on the walk the transitions of task k, and the states,
	// each as often as it is met, that enable it.
	taken, enabled []int32
	// met[c] counts the transitions with colour c, of those that it has to meet.
	met [property.Colours]int32
	// seen[k] is the number of the last look at a state that enables task k.
	seen  []uint32
	looks uint32
	spent int
	// visits[i] counts how often a part of the walk meets state i of the set.
	visits []int32
}

// cut leaves out of a round the detours without which it is fair, too: parts that come
// back to where they begin. The first and longest ones go first; what is left where the
// looks end stays.
func (x *inside) cut(walk []lts.Transition) ([]lts.Transition, error) {
	tasks := len(x.f.Tasks())
	c := &cutting{inside: x, walk: walk, taken: make([]int32, tasks), enabled: make([]int32, tasks), seen: make([]uint32, tasks), visits: make([]int32, len(x.states))}
	c.count(walk, 1)
	for from := 0; from < len(c.walk) && c.spent < cutLooks; from++ {
		c.spent += len(c.walk) - from
		if x.ctx.Err() != nil {
			return nil, x.ctx.Err()
		}
		for to := len(c.walk); to > from && c.spent < cutLooks; to-- {
			if to-from == len(c.walk) || c.walk[to-1].To != c.walk[from].From {
				continue
			}
			if c.leaveOut(from, to) {
				from--
				break
			}
		}
	}
	return c.walk, nil
}

// leaveOut leaves a part out, and reports whether the round is fair without it; otherwise
// it stays as it was. Only tasks that are taken in the part can miss it, and weak ones that
// are enabled everywhere else: in the state where it begins, too.
func (c *cutting) leaveOut(from, to int) bool {
	part := c.walk[from:to]
	c.count(part, -1)
	left := int32(len(c.walk) - len(part))
	fair := c.violates() && c.fairTo(c.walk[from].From, left)
	for i := 0; fair && i < len(part); i++ {
		for _, k := range c.f.MetBy(part[i].Label) {
			fair = fair && c.isFair(k, left)
		}
	}
	if !fair {
		c.count(part, 1)
		return false
	}
	c.walk = append(c.walk[:from], c.walk[to:]...)
	return true
}

// violates reports whether the rest of the walk meets the colours that it has to.
func (c *cutting) violates() bool {
	for demanded := c.pair.Inf; demanded != 0; demanded &= demanded - 1 {
		if c.met[bits.TrailingZeros64(uint64(demanded))] == 0 {
			return false
		}
	}
	return true
}

// fairTo reports whether the rest of the walk, of this length, is fair to the tasks with
// the labels that leave s.
func (c *cutting) fairTo(s lts.State, left int32) bool {
	labels, _ := c.m.Out(s)
	for i := range labels.Len() {
		l := labels.At(i)
		for _, k := range c.f.TasksOf(l) {
			if !c.isFair(k, left) {
				return false
			}
		}
	}
	return true
}

func (c *cutting) isFair(k uint32, left int32) bool {
	return c.taken[k] > 0 || c.enabled[k] == 0 || !c.f.Tasks()[k].Strong && c.enabled[k] < left
}

// count adds a part of the walk to the counts, or takes it from them.
func (c *cutting) count(part []lts.Transition, by int32) {
	for _, x := range part {
		for m := c.colours(x.From, x.Label); m != 0; m &= m - 1 {
			c.met[bits.TrailingZeros64(uint64(m))] += by
		}
		for _, k := range c.f.MetBy(x.Label) {
			if c.belongs(k, x.From, x.To) {
				c.taken[k] += by
			}
		}
		c.visits[c.member[x.From]-1] += by
	}
	for _, x := range part {
		visits := &c.visits[c.member[x.From]-1]
		if *visits == 0 {
			continue
		}
		c.looks++
		labels, targets := c.m.Out(x.From)
		c.spent += labels.Len()
		for i := range labels.Len() {
			l := labels.At(i)
			for _, k := range c.f.TasksOf(l) {
				if c.seen[k] != c.looks && c.belongs(k, x.From, targets[i]) {
					c.seen[k] = c.looks
					c.enabled[k] += *visits
				}
			}
		}
		*visits = 0
	}
}
