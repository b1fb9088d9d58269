package counterexample

import (
	"slices"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// tourLooks is the number of transitions that the searches of a tour for the nearest duty look
// at; then it goes home from each, and from there to the next.
const tourLooks = 1 << 22

// trips lead from the first state of a tour to each duty and home again. They can be longer
// than the ways from one duty to the nearest next one, and cost no more than they are long.
type trips struct {
	*tour
	home lts.State
	// out and back have, of each state of the set, the transition to it on a shortest path from
	// home, and the one from it on a shortest path home.
	out, back []lts.Transition
	// duty[k] is the transition that takes task k and is the first that a search from home
	// meets; taken has the tasks that some transition takes.
	duty  []lts.Transition
	taken bitset.Set[uint32]
	// looked[i] is the number of transitions of state i, from the first, that do nothing that
	// is due any more.
	looked []uint32
	// tasks have come to be due, in this order; what is before next is done.
	tasks []uint32
	next  int
}

// newTrips finds the paths and the transitions of each task. Cost O(S + T) of the set.
func newTrips(t *tour, home lts.State) (*trips, error) {
	n := len(t.states)
	if err := resources.Ask(t.ctx, int64(n)*28+13*int64(len(t.due))); err != nil {
		return nil, err
	}
	x := &trips{tour: t, home: home, out: make([]lts.Transition, n), back: make([]lts.Transition, n), looked: make([]uint32, n)}
	order := x.search(home, x.out, t.each)
	x.search(home, x.back, func(s lts.State, meet func(lts.Transition)) {
		labels, sources := t.m.Predecessors().In(s)
		for i, from := range sources {
			if l := labels.At(i); t.member[from] != 0 && t.shows(from, l, s) {
				meet(lts.Transition{From: from, Label: l, To: s})
			}
		}
	})
	x.duty, x.taken = make([]lts.Transition, len(t.due)), bitset.New[uint32](len(t.due))
	for _, s := range order {
		t.each(s, x.note)
	}
	for k, d := range t.due {
		if d == due {
			x.tasks = append(x.tasks, uint32(k))
		}
	}
	return x, t.ctx.Err()
}

// each yields the transitions from a state that belong to the set.
func (t *tour) each(s lts.State, yield func(lts.Transition)) {
	labels, targets := t.m.Out(s)
	for i, to := range targets {
		if l := labels.At(i); t.shows(s, l, to) {
			yield(lts.Transition{From: s, Label: l, To: to})
		}
	}
}

// note notes which tasks a transition takes.
func (x *trips) note(step lts.Transition) {
	for _, k := range x.f.MetBy(step.Label) {
		if !x.taken.Has(k) && x.belongs(k, step.From, step.To) {
			x.taken.Add(k)
			x.duty[k] = step
		}
	}
}

// search goes breadth first through the set from home, along what steps yields or backwards,
// and notes in by with which transition each state was met. It returns the states in order.
func (x *trips) search(home lts.State, by []lts.Transition, steps func(s lts.State, meet func(lts.Transition))) []lts.State {
	x.searches++
	x.met[x.member[home]-1] = x.searches
	order := make([]lts.State, 1, len(x.states))
	order[0] = home
	for i := 0; i < len(order); i++ {
		at := order[i]
		steps(at, func(step lts.Transition) {
			other := step.To
			if other == at {
				other = step.From
			}
			if k := x.member[other] - 1; x.met[k] != x.searches {
				x.met[k] = x.searches
				by[k] = step
				order = append(order, other)
			}
		})
	}
	return order
}

// way returns a way from a state to what is due, or home where nothing is; none where what is
// due is not taken by a transition, and where nothing is due at home.
func (x *trips) way(from lts.State) ([]lts.Transition, error) {
	if step, is := x.here(from); is {
		return []lts.Transition{step}, nil
	}
	for ; x.next < len(x.tasks); x.next++ {
		k := x.tasks[x.next]
		if x.due[k] == due && x.taken.Has(k) {
			step := x.duty[k]
			return append(x.to(from, step.From), step), nil
		}
	}
	if x.open > 0 {
		return nil, nil
	}
	return x.to(from, x.home), nil
}

// here returns a transition from a state that does something that is due. What one of a state
// that was met does is due or done for good.
func (x *trips) here(s lts.State) (lts.Transition, bool) {
	labels, targets := x.m.Out(s)
	looked := &x.looked[x.member[s]-1]
	for ; int(*looked) < len(targets); *looked++ {
		i := int(*looked)
		step := lts.Transition{From: s, Label: labels.At(i), To: targets[i]}
		if x.shows(s, step.Label, step.To) && x.helps(step) {
			return step, true
		}
	}
	return lts.Transition{}, false
}

// to returns the way home, and from there to a state.
func (x *trips) to(from, to lts.State) []lts.Transition {
	var way []lts.Transition
	if from == to {
		return way
	}
	for at := from; at != x.home; at = way[len(way)-1].To {
		way = append(way, x.back[x.member[at]-1])
	}
	stem := len(way)
	for at := to; at != x.home; {
		step := x.out[x.member[at]-1]
		way = append(way, step)
		at = step.From
	}
	slices.Reverse(way[stem:])
	return way
}
