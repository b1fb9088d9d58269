package counterexample

import (
	"context"
	"iter"
	"slices"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property"
)

// Each yields all members, in lexicographic order by the order in which the
// model lists the transitions of a state: of two members, the one comes first
// that takes the earlier transition where they part. Those that end in a deadlock
// and lassos are not kept apart. The order does not depend on how the members
// were found. Where ctx is done, an error comes instead of the next member, and
// nothing after it.
//
// Cost: members are made one by one, and no way is tried that does not end in
// one. Up to a logarithm, O(L d l) time for each, and O(L) memory for all besides
// O(d l) for each state of a member where others part from it, with length L,
// out-degrees up to d, and l places where a loop may have begun as far as the run
// so far tells: seldom more than one or two, and at most L.
func (f *chainFamily) Each(ctx context.Context) iter.Seq2[*Trace, error] {
	return func(yield func(*Trace, error) bool) {
		w := &walk{chainFamily: f, ctx: ctx}
		if err := w.run(func(t *Trace) bool { return yield(t, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

// off marks a position that is not on a stem.
const off = -1

// position is where a run stands: at a node of the stems, or on cycles that have
// begun before, or both, since only the rest of the run tells. It is empty if
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
	start  int             // number of transitions before the loop
	open   bitset.Set[int] // the steps that the loop can still avoid to its end
}

func (p *position) empty() bool { return p.stem == off && len(p.laps) == 0 }

// walk goes through members in order, depth first. They can be long, so it keeps
// a stack of its own.
type walk struct {
	*chainFamily
	ctx     context.Context
	weights *weights // nil if all members are wanted, else the lightest ones
	at      fork
	// stack holds the forks before at from which transitions are still to be taken.
	stack []fork
	steps []lts.Transition // those that lead to at
	work  int
}

// fork is a position with the indices of the transitions that are still to be
// taken from there.
type fork struct {
	position
	state   lts.State
	indices []uint32
	depth   int // how many steps lead there
}

// run yields the members until nobody wants more of them.
func (w *walk) run(yield func(*Trace) bool) (err error) {
	if w.steps, err = resources.Grow(w.ctx, w.steps, w.length); err != nil {
		return err
	}
	root := w.stems.root()
	start := position{stem: off}
	if w.weights != nil {
		start.left = w.weights.stems[root]
	}
	w.arrive(&start, root, 0)
	w.enter(start)
	for more := true; more; {
		if w.work++; w.work&(1<<12-1) == 0 && w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		switch {
		case len(w.steps) == w.length:
			t, err := w.trace()
			if err != nil {
				return err
			}
			if !yield(t) {
				return nil
			}
			more = w.back()
		case len(w.at.indices) == 0:
			more = w.back()
		default:
			if more, err = w.take(); err != nil {
				return err
			}
		}
	}
	return nil
}

// take takes the next transition from where the run stands, and reports whether there
// is more to be done.
func (w *walk) take() (more bool, err error) {
	index := w.at.indices[0]
	if rest := w.at.indices[1:]; len(rest) > 0 {
		if w.stack, err = resources.Grow(w.ctx, w.stack, 1); err != nil {
			return false, err
		}
		w.stack = append(w.stack, w.at)
		w.stack[len(w.stack)-1].indices = rest
		w.at.indices = nil // its memory is that of the rest
	}
	to := w.follow(&w.at, index)
	if to.empty() {
		return w.back(), nil
	}
	w.steps = append(w.steps, transition(w.m, w.at.state, int(index)))
	w.enter(to)
	return true, nil
}

// enter makes a position the one where the run stands.
func (w *walk) enter(p position) {
	f := fork{position: p, indices: w.at.indices[:0], depth: len(w.steps)}
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
			if on.open.Meets(c.avoidedBy(i)) {
				f.indices = append(f.indices, c.moves[i].index)
			}
		}
	}
	slices.Sort(f.indices)
	f.indices = slices.Compact(f.indices)
	w.at = f
}

// back returns to the last fork from which transitions are still to be taken, and
// reports whether there is one.
func (w *walk) back() bool {
	last := len(w.stack) - 1
	if last < 0 {
		return false
	}
	w.at, w.stack = w.stack[last], w.stack[:last]
	w.steps = w.steps[:w.at.depth]
	return true
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
			on.node, on.open = c.moves[i].to, on.open.And(c.avoidedBy(i))
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
	if !on.open.Empty() {
		p.laps = append(p.laps, on)
	}
}

// trace returns the member at whose end the run stands.
func (w *walk) trace() (*Trace, error) {
	loop := noLoop
	if w.at.stem == off {
		loop = w.at.laps[0].start
	}
	steps, err := resources.Make[lts.Transition](w.ctx, len(w.steps))
	if err != nil {
		return nil, err
	}
	if err := resources.AskFor[property.Q](w.ctx, len(w.steps)+1); err != nil {
		return nil, err
	}
	copy(steps, w.steps)
	return NewViolating(w.m, w.p.Property(), steps, loop)
}
