package counterexample

import (
	"iter"
	"slices"

	"github.com/inev-lts/inev/lts"
)

// Each yields all members, in lexicographic order by the order in which the
// model lists the transitions of a state: of two members, the one comes first
// that takes the earlier transition where they part. Those that end in a deadlock
// and lassos are not kept apart. The order does not depend on how the members
// were found.
//
// Cost: members are made one by one, and no way is tried that does not end in
// one. Up to a logarithm, O(L d l) time for each and O(L d l) memory for all, with
// length L, out-degrees up to d, and l places where a loop may have begun as far
// as the run so far tells: seldom more than one or two, and at most L.
func (f *Family) Each() iter.Seq[*Trace] {
	return func(yield func(*Trace) bool) {
		(&walk{Family: f}).run(yield)
	}
}

// off marks a position that is not on a stem.
const off = -1

// position is where a run stands: at a node of the stems, or on cycles that have
// begun before, or both, since only the rest of the run tells. It is empty where
// no member begins with the run.
type position struct {
	stem int
	laps []lap
	left int // weight still to come, where only members of one weight are wanted
}

// lap is a cycle on which a run is.
type lap struct {
	cycles int // their number
	node   uint32
	start  int     // number of transitions before the loop
	open   stepSet // the steps that the loop can still avoid to its end
}

func (p *position) empty() bool { return p.stem == off && len(p.laps) == 0 }

// walk goes through members in order, depth first. They can be long, so it keeps
// a stack of its own.
type walk struct {
	*Family
	weights *weights // nil where all members are wanted, else the lightest ones
	stack   []fork
	steps   []lts.Transition // from the first fork to the last
}

// fork is a position with the indices of the transitions that are still to be
// taken from there.
type fork struct {
	position
	state   lts.State
	indices []uint32
}

// run yields the members.
func (w *walk) run(yield func(*Trace) bool) {
	root := w.stems.root()
	start := position{stem: off}
	if w.weights != nil {
		start.left = w.weights.stems[root]
	}
	w.arrive(&start, root, 0)
	w.push(start)
	for len(w.stack) > 0 {
		top := &w.stack[len(w.stack)-1]
		switch {
		case len(w.steps) == w.length:
			if !yield(w.trace(top)) {
				return
			}
			w.pop()
		case len(top.indices) == 0:
			w.pop()
		default:
			w.take(top)
		}
	}
}

// take takes the next transition from a fork.
func (w *walk) take(top *fork) {
	index := top.indices[0]
	top.indices = top.indices[1:]
	if to := w.follow(top, index); !to.empty() {
		w.steps = append(w.steps, transition(w.m, top.state, int(index)))
		w.push(to)
	}
}

func (w *walk) push(p position) {
	f := fork{position: p}
	if p.stem != off {
		f.state = w.stems.states[p.stem]
		for _, mv := range w.stems.from(uint32(p.stem)) {
			f.indices = append(f.indices, mv.index)
		}
	}
	for _, on := range p.laps {
		c := w.cycles[on.cycles]
		f.state = c.states[on.node]
		for i := c.first[on.node]; i < c.first[on.node+1]; i++ {
			if on.open.meets(c.avoidedBy(i)) {
				f.indices = append(f.indices, c.moves[i].index)
			}
		}
	}
	slices.Sort(f.indices)
	f.indices = slices.Compact(f.indices)
	w.stack = append(w.stack, f)
}

func (w *walk) pop() {
	w.stack = w.stack[:len(w.stack)-1]
	w.steps = w.steps[:max(0, len(w.stack)-1)]
}

// follow returns the position to which a transition leads from a fork.
func (w *walk) follow(from *fork, index uint32) position {
	to := position{stem: off}
	if w.weights != nil {
		to.left = from.left - w.weights.of(from.state)
	}
	for _, on := range from.laps {
		c := w.cycles[on.cycles]
		if i, found := indexed(c.from(on.node), index); found {
			i += c.first[on.node]
			on.node, on.open = c.moves[i].to, on.open.and(c.avoidedBy(i))
			w.add(&to, on)
		}
	}
	if from.stem != off {
		moves := w.stems.from(uint32(from.stem))
		if i, found := indexed(moves, index); found {
			w.arrive(&to, moves[i].to, len(w.steps)+1)
		}
	}
	return to
}

// arrive adds to a position, after this many transitions, a node of the stems
// and the cycles that begin there.
func (w *walk) arrive(p *position, node uint32, depth int) {
	if w.weights != nil && w.weights.stems[node] != p.left {
		return
	}
	p.stem = int(node)
	if begin := w.stems.begins[node]; begin != noCycles {
		w.add(p, lap{begin, 0, depth, w.cycles[begin].open(w.stems.progress[node])})
	}
}

// add adds a lap to a position, if a member that is wanted goes on with it.
func (w *walk) add(p *position, on lap) {
	if w.weights != nil {
		w.keepLightest(on, p.left)
	}
	if !on.open.empty() {
		p.laps = append(p.laps, on)
	}
}

// trace returns the member that ends at the top of the stack.
func (w *walk) trace(top *fork) *Trace {
	t := &Trace{initial: w.m.Initial(), steps: slices.Clone(w.steps), loop: noLoop}
	if top.stem == off {
		t.loop = top.laps[0].start
	}
	t.progress = make([]int, len(t.steps)+1)
	for i, step := range t.steps {
		t.progress[i+1] = w.p.Advance(t.progress[i], step.Label)
	}
	return t
}
