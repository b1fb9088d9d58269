package counterexample

import (
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// The search for a shortest fair lasso looks at exactPasses times as many states and transitions as a
// model has, but at leastExact and at most mostExact; statusBits is how many bits there are for what is
// left to be done.
const (
	exactPasses = 32
	leastExact  = 1 << 22
	mostExact   = 1 << 25
	statusBits  = 64
)

// looksIn returns the limits of searches in a model.
func looksIn(m *lts.LTS) looks {
	return looks{min(max(exactPasses*(m.NumStates()+m.NumTransitions()), leastExact), mostExact), tourLooks}
}

// rounds looks for shortest rounds in a set, from one state after the other.
//
// What is left to be done is a set of bits, and more of them is better: one for each weak
// task that the first state of a round enables, which tells that it has been taken or met
// disabled; two for each strong task, of which the lower one tells that it has been taken
// or not met enabled, and the higher one that it has been taken. A pair that is met after
// a better one of its state is dropped.
type rounds struct {
	*inside
	// bit[k] is one more than the number of the lowest bit of task k; 0 if it has none.
	// weak and strong list the tasks that have some, used is the number of bits.
	bit          []uint8
	weak, strong []uint32
	used         int
	bitOf        [property.Colours]uint8 // of each colour that is demanded
	// all has the bits with which a round is fair and violates the property: those of weak
	// tasks, the lower ones of strong ones, which are in low, and those of colours that it
	// has to meet, which are in demanded.
	all, low, demanded uint64
	// enabled[i] has the bits in all of the tasks that state i of the set enables, where
	// known[i] is the number of the search.
	enabled  []uint64
	known    []uint32
	searches uint32
	// nodes are the pairs that were met, breadth first; first[i] is one more than the number of the
	// last pair of state i.
	nodes []roundNode
	first []uint32
	looks int
}

type roundNode struct {
	state  lts.State
	label  lts.Label
	parent uint32 // number of the node before
	next   uint32 // one more than that of another node of its state; 0 for none
	depth  uint32
	status uint64
}

// shorten puts a shortest lasso in the place of the best one, where there is a shorter
// one. It reports whether there is none shorter than what it leaves.
func (x *inside) shorten(sets []fairSet, best *lasso) (exact bool, err error) {
	r := &rounds{inside: x}
	if r.bit, err = resources.Make[uint8](x.ctx, len(x.f.Tasks())); err != nil {
		return false, err
	}
	exact = true
	for _, set := range sets {
		if int(x.nodes.At(set.near).depth)+1 >= best.length {
			return exact, nil
		}
		r.enter(set)
		if !r.prepare() {
			exact = false
			continue
		}
		ended, err := r.shortest(best)
		if err != nil || !ended {
			return false, err
		}
	}
	return exact, nil
}

// prepare gives the strong tasks of the set their bits. It reports whether there are
// enough.
func (r *rounds) prepare() bool {
	r.release(&r.weak)
	r.release(&r.strong)
	r.nodes, r.used, r.all, r.low = r.nodes[:0], 0, 0, 0
	for _, s := range r.states {
		if !r.give(s, true, &r.strong) {
			return false
		}
	}
	r.low = r.all
	if !r.demand() {
		return false
	}
	n := len(r.states)
	r.enabled, r.known, r.first, r.searches = make([]uint64, n), make([]uint32, n), make([]uint32, n), 0
	return true
}

// demand gives the colours that a round has to meet their bits. It reports whether there are
// enough.
func (r *rounds) demand() bool {
	r.demanded = 0
	r.bitOf = [property.Colours]uint8{}
	for c := range property.Colours {
		if !r.pair.Inf.Has(c) {
			continue
		}
		if r.used == statusBits {
			return false
		}
		r.bitOf[c] = uint8(r.used)
		r.demanded |= 1 << r.used
		r.used++
	}
	r.all |= r.demanded
	return true
}

// begin gives the weak tasks that s enables their bits, in the place of those that had
// some. It reports whether there are enough.
func (r *rounds) begin(s lts.State) bool {
	for _, n := range r.nodes {
		r.first[r.member[n.state]-1] = 0
	}
	r.nodes = r.nodes[:0]
	r.searches++
	r.used -= len(r.weak)
	r.release(&r.weak)
	r.all = r.low | r.demanded
	return r.give(s, false, &r.weak)
}

func (r *rounds) release(tasks *[]uint32) {
	for _, k := range *tasks {
		r.bit[k] = 0
	}
	*tasks = (*tasks)[:0]
}

// give gives the strong or weak tasks that s enables their bits.
func (r *rounds) give(s lts.State, strong bool, to *[]uint32) bool {
	labels, targets := r.m.Out(s)
	for i := range labels.Len() {
		l := labels.At(i)
		for _, k := range r.f.TasksOf(l) {
			if r.bit[k] != 0 || r.f.Tasks()[k].Strong != strong || !r.belongs(k, s, targets[i]) {
				continue
			}
			width := 1
			if strong {
				width = 2
			}
			if r.used+width > statusBits {
				return false
			}
			r.bit[k] = uint8(r.used) + 1
			r.all |= 1 << r.used
			r.used += width
			*to = append(*to, k)
		}
	}
	return true
}

// bitsOf returns the bits in all of some tasks, of a transition that they may have.
func (r *rounds) bitsOf(tasks []uint32, from, to lts.State) uint64 {
	set := uint64(0)
	for _, k := range tasks {
		if r.bit[k] != 0 && r.belongs(k, from, to) {
			set |= 1 << (r.bit[k] - 1)
		}
	}
	return set
}

// takes returns the bits in all of the tasks that a transition does or interferes with, and of
// its colours.
func (r *rounds) takes(from lts.State, l lts.Label, to lts.State) uint64 {
	set := r.bitsOf(r.f.MetBy(l), from, to)
	for m := r.colours(from, l); m != 0; m &= m - 1 {
		set |= 1 << r.bitOf[bits.TrailingZeros64(uint64(m))]
	}
	return set
}

// arrive returns the status with which a state is left that was come to with another one.
func (r *rounds) arrive(status uint64, s lts.State) uint64 {
	at := r.member[s] - 1
	if r.known[at] != r.searches {
		r.known[at], r.enabled[at] = r.searches, 0
		labels, targets := r.m.Out(s)
		for i := range labels.Len() {
			l := labels.At(i)
			r.enabled[at] |= r.bitsOf(r.f.TasksOf(l), s, targets[i])
		}
	}
	enabled, taken := r.enabled[at], status>>1&r.low
	return (status | r.all&^r.low&^r.demanded&^enabled) &^ (enabled & r.low &^ taken)
}

// shortest tries the states of the set, the nearest ones first, and reports whether the
// search came to its end.
func (r *rounds) shortest(best *lasso) (ended bool, err error) {
	entries := make([]int, 0, len(r.states))
	for _, s := range r.states {
		if at := r.nearest(s, r.step-1); at >= 0 {
			entries = append(entries, at)
		}
	}
	slices.Sort(entries)
	for _, entry := range entries {
		n := r.fair.nodes.At(entry)
		most := best.length - int(n.depth) - 1
		if most < 1 {
			break
		}
		loop, ended, err := r.from(n.state, most)
		if err != nil || !ended {
			return false, err
		}
		if loop != nil {
			stem := r.path(entry)
			*best = lasso{append(stem, loop...), len(stem), len(stem) + len(loop)}
		}
	}
	return true, nil
}

// from returns a shortest fair round from s of at most so many transitions; nil if
// there is none.
func (r *rounds) from(s lts.State, most int) (loop []lts.Transition, ended bool, err error) {
	if !r.begin(s) {
		return nil, false, nil
	}
	r.meet(roundNode{state: s, status: r.arrive(r.low, s)})
	for at := 0; at < len(r.nodes); at++ {
		n := r.nodes[at]
		if int(n.depth) == most {
			break
		}
		labels, targets := r.m.Out(n.state)
		before := r.looks
		if r.looks += 1 + labels.Len(); r.looks > r.most.exact {
			return nil, false, nil
		}
		if before>>12 != r.looks>>12 && r.ctx.Err() != nil {
			return nil, false, r.ctx.Err()
		}
		for i, to := range targets {
			if !r.shows(n.state, labels.At(i), to) {
				continue
			}
			next := roundNode{state: to, label: labels.At(i), parent: uint32(at), depth: n.depth + 1}
			takes := r.takes(n.state, labels.At(i), to)
			next.status = r.arrive(n.status|takes|takes&r.low<<1, to)
			if to == s && next.status&r.all == r.all {
				return r.back(next), true, nil
			}
			r.meet(next)
		}
	}
	return nil, true, nil
}

// meet adds a node, unless its state was met with a status that is as good.
func (r *rounds) meet(n roundNode) {
	link := &r.first[r.member[n.state]-1]
	for at := *link; at != 0; at = r.nodes[at-1].next {
		r.looks++
		if n.status&^r.nodes[at-1].status == 0 {
			return
		}
	}
	n.next = *link
	r.nodes = append(r.nodes, n)
	*link = uint32(len(r.nodes))
}

// back returns the transitions to a node, the last one of a round.
func (r *rounds) back(n roundNode) []lts.Transition {
	steps := make([]lts.Transition, n.depth)
	for n.depth > 0 {
		before := r.nodes[n.parent]
		steps[n.depth-1] = lts.Transition{From: before.state, Label: n.label, To: n.state}
		n = before
	}
	return steps
}
