package faults

import (
	"context"
	"iter"

	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// WithFewFaults returns a model whose violating runs represent violating runs of the model of
// fates: those with the given number of faults, which must be the fewest possible. A shortest one
// of these is represented, too. The function run returns the transitions that a run of the returned
// model represents.
//
// The model is the part of the product that violating runs with this number of faults pass. It has
// the product states that need so many faults, the transitions between them that are no faults, and
// one path to each of them: of the paths with the fewest faults, a shortest one. So no counter is
// needed. Cost O(size of the product), which is unfolded.
func WithFewFaults(
	ctx context.Context,
	fates *fate.Map,
	isFault func(lts.Label) bool,
	faults int,
) (few *lts.LTS, run func([]lts.Transition) []lts.Transition, err error) {
	w, err := newWays(ctx, fates, isFault)
	if err != nil {
		return nil, nil, err
	}
	start := w.m.Initial()
	w.before[start] = start
	reached := []distant{{start, 0}} // the product states that the search has just reached by a fault
	for count := 0; count <= faults; count++ {
		isLast := count == faults
		reached, err = w.visitLevel(ctx, reached, isLast)
		if err != nil {
			return nil, nil, err
		}
	}
	if err := w.removeDeadEnds(ctx); err != nil {
		return nil, nil, err
	}
	few, states, err := w.model(ctx)
	if err != nil {
		return nil, nil, err
	}
	return few, func(steps []lts.Transition) []lts.Transition {
		run := make([]lts.Transition, len(steps))
		for i, t := range steps {
			run[i] = lts.Transition{
				From:  w.u.At(states[t.From]).State,
				Label: t.Label,
				To:    w.u.At(states[t.To]).State,
			}
		}
		return run
	}, nil
}

// newWays returns a search that has found no product states yet.
func newWays(
	ctx context.Context,
	fates *fate.Map,
	isFault func(lts.Label) bool,
) (*ways, error) {
	f, err := newFaultSearch(ctx, fates, isFault)
	if err != nil {
		return nil, err
	}
	n := f.m.NumStates()
	if err := resources.Ask(ctx, 20*int64(n)); err != nil {
		return nil, err
	}
	canAccept, err := satisfiable(ctx, f.u.Property())
	if err != nil {
		return nil, err
	}
	return &ways{
		faultSearch: f,
		canAccept:   canAccept,
		visited:     bitset.New[lts.State](n),
		noted:       bitset.New[lts.State](n),
		before:      make([]lts.State, n),
		by:          make([]lts.Label, n),
		remaining:   bitset.New[lts.State](n),
	}, nil
}

// removeDeadEnds removes the product states of last from which every path needs a further fault: they
// would be deadlocks.
func (w *ways) removeDeadEnds(ctx context.Context) error {
	if err := w.m.FindPredecessors(ctx); err != nil {
		return err
	}
	for _, s := range w.last {
		w.remaining.Add(s)
	}
	// successors is, for each product state of last, the number of its transitions to remaining
	// product states.
	successors, err := resources.Make[uint32](ctx, w.m.NumStates())
	if err != nil {
		return err
	}
	var deadEnds []lts.State
	for i, s := range w.last {
		if err := cores.Done(ctx, i); err != nil {
			return err
		}
		for range w.onward(s) {
			successors[s]++
		}
		if successors[s] == 0 && !w.m.IsDeadlock(s) {
			deadEnds = append(deadEnds, s)
		}
	}
	before := w.m.Predecessors()
	for work := 0; len(deadEnds) > 0; work++ {
		if err := cores.Done(ctx, work); err != nil {
			return err
		}
		t := deadEnds[len(deadEnds)-1]
		deadEnds = deadEnds[:len(deadEnds)-1]
		w.remaining.Remove(t)
		labels, sources := before.In(t)
		for j, s := range sources {
			if !w.remaining.Has(s) || w.isCountedFault(s, labels.At(j)) {
				continue
			}
			successors[s]--
			if successors[s] == 0 {
				deadEnds = append(deadEnds, s)
			}
		}
	}
	return nil
}

// model returns the model that consists of the remaining product states of last, and of the paths
// to them. It also returns the product state of each state of the model.
func (w *ways) model(ctx context.Context) (*lts.LTS, []lts.State, error) {
	numbers, err := resources.Make[lts.State](ctx, w.m.NumStates())
	if err != nil {
		return nil, nil, err
	}
	var states []lts.State
	numbered := bitset.New[lts.State](w.m.NumStates())
	number := func(s lts.State) lts.State {
		if !numbered.Has(s) {
			numbered.Add(s)
			numbers[s] = lts.State(len(states))
			states = append(states, s)
		}
		return numbers[s]
	}
	var b lts.Builder
	b.Over(w.m.Alphabet())
	start := w.m.Initial()
	first := number(start)
	attached := bitset.New[lts.State](w.m.NumStates())
	attached.Add(start)
	for i, s := range w.last {
		if err := cores.Done(ctx, i); err != nil {
			return nil, nil, err
		}
		if !w.remaining.Has(s) {
			continue
		}
		for at := s; !attached.Has(at) && !w.remaining.Has(w.before[at]); at = w.before[at] {
			attached.Add(at)
			b.Add(number(w.before[at]), w.by[at], number(at))
		}
		from := number(s)
		for t := range w.onward(s) {
			b.Add(from, t.Label, number(t.To))
		}
	}
	few, err := b.Build(first, len(states))
	return few, states, err
}

// ways are paths to the product states that take the most faults. Of the paths with the fewest
// faults, they are shortest ones.
type ways struct {
	*faultSearch
	canAccept func(property.Q) bool
	// visited are the product states that the search has visited. noted are those that it has
	// reached by a fault.
	visited, noted bitset.Set[lts.State]
	// before[s] is the product state before s on the path to s. by[s] is the label of the
	// transition between them.
	before []lts.State
	by     []lts.Label
	// last are the product states that take the most faults, in the order of their distances.
	last      []lts.State
	remaining bitset.Set[lts.State] // the members of last that remain
}

// distant is a product state with its distance.
type distant struct {
	state    lts.State
	distance int
}

// visitLevel visits the product states with one number of faults, in the order of distances: those in
// from, and those that they reach by transitions that are no faults. It returns the product states that
// are reached by one more fault. isLast reports whether the level has the largest number of faults; it
// then adds the visited product states to w.last.
func (w *ways) visitLevel(
	ctx context.Context,
	from []distant,
	isLast bool,
) ([]distant, error) {
	level := levelOfWays{ways: w, from: from}
	for work := 0; ; work++ {
		if err := cores.Done(ctx, work); err != nil {
			return nil, err
		}
		at, ok := level.next()
		if !ok {
			return level.later, nil
		}
		if isLast {
			w.last = append(w.last, at.state)
		}
		labels, targets := w.m.Out(at.state)
		for i, t := range targets {
			l := labels.At(i)
			switch {
			case w.visited.Has(t) || !w.admits(t):
			case !w.isCountedFault(at.state, l):
				level.add(t, at, l)
			case !isLast:
				level.addLater(t, at, l)
			}
		}
	}
}

// levelOfWays are the product states with one number of faults, while a search visits them in the order of their
// distances.
type levelOfWays struct {
	*ways
	// from are those that a fault leads to and that have not joined the queue, by distance.
	from []distant
	// queue are those that are to be visited, by distance.
	queue []distant
	// later are the product states that one more fault leads to, by distance.
	later []distant
}

// next takes the nearest product state of the queue. Before, product states of from join the queue that are no
// farther than those which a visit of the nearest adds: so the distances in the queue ascend.
func (l *levelOfWays) next() (nearest distant, ok bool) {
	if len(l.queue) > 0 {
		l.join(l.queue[0].distance + 1)
	}
	for len(l.queue) == 0 && len(l.from) > 0 {
		l.join(l.from[0].distance)
	}
	if len(l.queue) == 0 {
		return distant{}, false
	}
	nearest = l.queue[0]
	l.queue = l.queue[1:]
	return nearest, true
}

// join moves the product states of from that are no farther than a distance to the queue.
func (l *levelOfWays) join(distance int) {
	for len(l.from) > 0 && l.from[0].distance <= distance {
		first := l.from[0]
		l.from = l.from[1:]
		if !l.visited.Has(first.state) {
			l.visited.Add(first.state)
			l.queue = append(l.queue, first)
		}
	}
}

// add adds a product state to the queue, after a transition that is no fault.
func (l *levelOfWays) add(s lts.State, from distant, by lts.Label) {
	l.visited.Add(s)
	l.setPath(s, from.state, by)
	l.queue = append(l.queue, distant{state: s, distance: from.distance + 1})
}

// addLater adds a product state to those of the next level, after a fault. The first path to it is a shortest one.
func (l *levelOfWays) addLater(s lts.State, from distant, by lts.Label) {
	if l.noted.Has(s) {
		return
	}
	l.noted.Add(s)
	l.setPath(s, from.state, by)
	l.later = append(l.later, distant{state: s, distance: from.distance + 1})
}

// setPath records the last transition of the path to a product state.
func (w *ways) setPath(to, from lts.State, l lts.Label) {
	w.before[to] = from
	w.by[to] = l
}

// isCountedFault reports whether a transition is a fault that counts: after a bad prefix, no fault counts.
func (w *ways) isCountedFault(from lts.State, l lts.Label) bool {
	return w.isFault(l) && w.canAccept(w.u.At(from).Q)
}

// onward yields the transitions from a product state of last to remaining product states of last.
func (w *ways) onward(s lts.State) iter.Seq[lts.Transition] {
	return func(yield func(lts.Transition) bool) {
		labels, targets := w.m.Out(s)
		for j, t := range targets {
			l := labels.At(j)
			if w.remaining.Has(t) && !w.isCountedFault(s, l) &&
				!yield(lts.Transition{From: s, Label: l, To: t}) {
				return
			}
		}
	}
}
