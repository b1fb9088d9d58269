package counterexample

import (
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// rounds searches for shortest rounds in a set, from one state after the other.
//
// A status is a set of bits about the tasks that a round has done; a status with more bits is
// better. Each weak task that the first state of a round enables has one bit: it is set once the
// task has been done, or a visited state does not enable the task. Each strong task has two bits.
// The lower bit is set as long as no visited state enables the task, and once the task has been
// done. The higher bit is set once the task has been done. A pair of a state and a status is
// dropped if the state was visited with a status that contains this one.
type rounds struct {
	*inside
	// bit[k] is one more than the number of the lowest bit of task k, or 0 if the task has no bit.
	// weak and strong are the tasks with bits; used is the number of bits.
	bit          []uint8
	weak, strong tasksWithBits
	used         int
	bitOf        [property.Colours]uint8 // the bit of each colour that a round must take
	// all are the bits of a round that is fair and violates the property. They consist of one bit
	// for each weak task, the lower bits of the strong tasks (low), and the bits of the colours
	// that the round must take (demanded).
	all, low, demanded uint64
	// enabled[i] are the bits in all of the tasks that state i of the set enables. It is only valid
	// if known[i] is the number of the current search.
	enabled  []uint64
	known    []uint32
	searches uint32
	// nodes are the visited pairs in breadth-first order. first[i] is one more than the number of
	// the last pair of state i, or 0 if it has none.
	nodes []roundNode
	first []uint32
	work  int // the number of states, transitions and nodes visited
}

// tasksWithBits are the weak or the strong tasks that have bits.
type tasksWithBits struct {
	areStrong bool
	tasks     []uint32
}

// width returns the number of bits of a task.
func (t *tasksWithBits) width() int {
	if t.areStrong {
		return 2
	}
	return 1
}

type roundNode struct {
	treeNode
	next   uint32 // one more than the number of another node of the same state; 0 for none
	depth  uint32
	status uint64
}

// shorten replaces best by a shortest lasso, unless best is as short. exact reports whether best is
// then known to be a shortest lasso.
func (x *inside) shorten(sets []fairSet, best *lasso) (exact bool) {
	r := &rounds{inside: x, strong: tasksWithBits{areStrong: true}}
	r.bit = abort.Must(resources.Make[uint8](x.ctx, len(x.f.Tasks())))
	exact = true
	for _, set := range sets {
		shortestPossible := int(x.nodes.At(set.entry).depth) + 1
		if shortestPossible >= best.length {
			return exact
		}
		r.enter(set)
		if !r.prepare() {
			exact = false
			continue
		}
		if !r.shortest(best) {
			return false
		}
	}
	return exact
}

// prepare assigns bits to the strong tasks of the set, and to the colours that a round must take.
// It reports whether there are enough bits.
func (r *rounds) prepare() bool {
	r.releaseBits(&r.weak)
	r.releaseBits(&r.strong)
	r.nodes = r.nodes[:0]
	r.used = 0
	r.all = 0
	r.low = 0
	for _, s := range r.states {
		if !r.assignBits(s, &r.strong) {
			return false
		}
	}
	r.low = r.all
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
	n := len(r.states)
	r.enabled = make([]uint64, n)
	r.known = make([]uint32, n)
	r.first = make([]uint32, n)
	r.searches = 0
	return true
}

// releaseBits takes the bits of the tasks back.
func (r *rounds) releaseBits(t *tasksWithBits) {
	for _, k := range t.tasks {
		r.bit[k] = 0
	}
	t.tasks = t.tasks[:0]
}

// assignBits assigns bits to the tasks of one kind that s enables, and reports whether there are enough
// bits.
func (r *rounds) assignBits(s lts.State, t *tasksWithBits) (enough bool) {
	enough = true
	r.enables(s, func(k uint32) {
		if r.bit[k] != 0 || r.f.Tasks()[k].Strong != t.areStrong {
			return
		}
		if r.used+t.width() > statusBits {
			enough = false
			return
		}
		r.bit[k] = uint8(r.used) + 1
		r.all |= 1 << r.used
		r.used += t.width()
		t.tasks = append(t.tasks, k)
	})
	return enough
}

// bitOfTask returns the lowest bit of a task, or 0 if the task has no bit: then the shift is by
// 255.
func (r *rounds) bitOfTask(k uint32) uint64 { return 1 << (r.bit[k] - 1) }

// arrive returns the status after a visit to s, from the status before the visit.
func (r *rounds) arrive(status uint64, s lts.State) uint64 {
	at := r.member[s] - 1
	if r.known[at] != r.searches {
		r.known[at] = r.searches
		r.enabled[at] = 0
		r.enables(s, func(k uint32) { r.enabled[at] |= r.bitOfTask(k) })
	}
	enabled := r.enabled[at]
	weak := r.all &^ r.low &^ r.demanded
	disabledWeak := weak &^ enabled
	doneStrong := status >> 1 & r.low // the lower bits of strong tasks whose higher bits are set
	neglectedStrong := enabled & r.low &^ doneStrong
	return (status | disabledWeak) &^ neglectedStrong
}

// shortest searches for a shorter lasso from each state of the set, the nearest state first. ended
// reports whether the search is complete.
func (r *rounds) shortest(best *lasso) (ended bool) {
	entries := make([]int, 0, len(r.states))
	for _, s := range r.states {
		at := r.firstNode(s, r.step-1)
		if at >= 0 {
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
		loop, ended := r.searchFrom(n.state, most)
		if !ended {
			return false
		}
		if loop != nil {
			stem := r.path(entry)
			*best = newLasso(stem, loop)
		}
	}
	return true
}

// searchFrom returns a shortest fair round from s with at most the given number of transitions; nil
// if it finds none. ended reports whether the search is complete.
func (r *rounds) searchFrom(s lts.State, most int) (loop []lts.Transition, ended bool) {
	if !r.restart(s) {
		return nil, false
	}
	r.addNode(roundNode{treeNode: treeNode{state: s}, status: r.arrive(r.low, s)})
	for node := 0; node < len(r.nodes); node++ {
		n := r.nodes[node]
		if int(n.depth) == most {
			break
		}
		labels, targets := r.m.Out(n.state)
		workBefore := r.work
		r.work += 1 + labels.Len()
		if r.work > r.limits.exact {
			return nil, false
		}
		const checkInterval = 1 << 12
		if workBefore/checkInterval != r.work/checkInterval {
			abort.On(r.ctx.Err())
		}
		for i, to := range targets {
			if !r.allows(n.state, labels.At(i), to) {
				continue
			}
			taken := r.bitsTaken(n.state, labels.At(i), to)
			higherBits := taken & r.low << 1 // of strong tasks that the transition does
			next := roundNode{
				treeNode: treeNode{
					state:  to,
					label:  labels.At(i),
					parent: uint32(node),
				},
				depth:  n.depth + 1,
				status: r.arrive(n.status|taken|higherBits, to),
			}
			isFair := next.status&r.all == r.all
			if to == s && isFair {
				r.nodes = append(r.nodes, next)
				return treePath(len(r.nodes)-1, func(i int) *treeNode {
					return &r.nodes[i].treeNode
				}), true
			}
			r.addNode(next)
		}
	}
	return nil, true
}

// restart discards the last search. It takes the bits of weak tasks back, and gives them to the
// weak tasks that s enables. It reports whether there are enough bits.
func (r *rounds) restart(s lts.State) (enough bool) {
	for _, n := range r.nodes {
		r.first[r.member[n.state]-1] = 0
	}
	r.nodes = r.nodes[:0]
	r.searches++
	r.used -= r.weak.width() * len(r.weak.tasks)
	r.releaseBits(&r.weak)
	r.all = r.low | r.demanded
	return r.assignBits(s, &r.weak)
}

// bitsTaken returns the lowest bits of the tasks that a transition does or interferes with, and the
// bits of its colours.
func (r *rounds) bitsTaken(from lts.State, l lts.Label, to lts.State) (taken uint64) {
	for _, k := range r.f.MetBy(l) {
		if r.belongs(k, from, to) {
			taken |= r.bitOfTask(k)
		}
	}
	for c := range r.colours(from, l).All {
		taken |= 1 << r.bitOf[c]
	}
	return taken
}

// addNode adds a node, unless its state was visited with a status that contains this one.
func (r *rounds) addNode(n roundNode) {
	link := &r.first[r.member[n.state]-1]
	for at := *link; at != 0; at = r.nodes[at-1].next {
		r.work++
		isContained := n.status&^r.nodes[at-1].status == 0
		if isContained {
			return
		}
	}
	n.next = *link
	r.nodes = append(r.nodes, n)
	*link = uint32(len(r.nodes))
}
