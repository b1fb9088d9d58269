package fairset

import (
	"slices"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// patience is how many sets may lose less than half of their states before a
// peeling starts: usually only one or two sets do so, and predecessor rows are
// not worth building for these.
const patience = 4

// Shrink returns the states that [Tasks.Turns] leaves of the set that was counted
// last with the same argument shows, and whether the set is given up, as
// [Tasks.Refine] returns it. It fails if the context is done. Cost as of Turns.
func (x *Tasks) Shrink(set []lts.State, shows func(from lts.State, l lts.Label, to lts.State) bool) (left []lts.State, given bool, err error) {
	if left, given = x.Refine(set); given || len(left) == len(set) {
		return left, given, nil
	}
	_, left, err = x.Turns(set, shows)
	return left, false, err
}

// Turn is a round of a peeling: states that are removed from a set together.
type Turn struct {
	// Tasks are strong tasks, ascending, that no transition between the remaining
	// states takes.
	Tasks []uint32
	// Gone are the remaining states that enable one of these tasks.
	Gone []lts.State
	// Ends are states without a successor, Begins states without a predecessor,
	// among the states that remain after the removal of Gone and of the states
	// listed before them.
	Ends, Begins []lts.State
}

// Turns removes, from the set that was counted last with the same argument shows,
// the states that enable strong tasks that the set does not take. If several sets
// have lost few states, it also removes the consequences, without another search
// for components: states without predecessor or successor in the set and, in
// further turns, states that enable a strong task that the remaining states never
// take. left keeps the order of the set. It fails if the context is done. Cost
// O(S + T) of the set, times the tasks of a label, and the predecessors of the
// model.
func (x *Tasks) Turns(set []lts.State, shows func(from lts.State, l lts.Label, to lts.State) bool) (turns []Turn, left []lts.State, err error) {
	first := Turn{}
	_, first.Tasks = x.Neglected(set)
	for _, s := range set {
		if x.neglects(s) {
			first.Gone = append(first.Gone, s)
		} else {
			left = append(left, s)
		}
	}
	if 2*len(left) < len(set) || len(first.Gone) == 0 {
		return []Turn{first}, left, nil
	}
	if x.slow++; x.slow <= patience {
		return []Turn{first}, left, nil
	}
	if err := x.m.FindPredecessors(x.ctx); err != nil {
		return []Turn{first}, left, x.ctx.Err() // without memory for predecessor rows, it is only slower
	}
	p, err := x.newPeeling(set, shows)
	if err != nil {
		return []Turn{first}, left, x.ctx.Err()
	}
	p.idle = first.Tasks
	for len(p.idle) > 0 && x.ctx.Err() == nil {
		p.turn()
	}
	return p.turns, p.remaining(set), x.ctx.Err()
}

// peeling removes states from a set. The states in inside remain.
type peeling struct {
	*Tasks
	shows func(lts.State, lts.Label, lts.State) bool
	// enabling[first:end] are the states that enable a strong task, where first
	// and end are those of the task in [peeled].
	enabling []lts.State
	waiting  []lts.State // states without transitions in or out, still to be removed
	idle     []uint32    // strong tasks that no remaining transition takes any more
	turns    []Turn
}

// peeled is the memory of a peeling about states and tasks. Between two peelings,
// inside and going are empty.
type peeled struct {
	inside, going bitset.Set[lts.State]
	// degrees[s] counts the transitions between remaining states into s and out
	// of it.
	degrees []struct{ in, out uint32 }
	// tasks[k].takes counts the transitions between remaining states that take
	// task k.
	tasks []struct{ takes, first, end int }
}

func (x *Tasks) newPeeling(set []lts.State, shows func(lts.State, lts.Label, lts.State) bool) (*peeling, error) {
	if x.peeled == nil {
		n := x.m.NumStates()
		if err := resources.Ask(x.ctx, 9*int64(n)+24*int64(len(x.tasks))); err != nil {
			return nil, err
		}
		x.peeled = &peeled{inside: bitset.New[lts.State](n), going: bitset.New[lts.State](n)}
		x.peeled.degrees = make([]struct{ in, out uint32 }, n)
		x.peeled.tasks = make([]struct{ takes, first, end int }, len(x.tasks))
	}
	p := &peeling{Tasks: x, shows: shows}
	for _, k := range x.touched {
		p.peeled.tasks[k] = struct{ takes, first, end int }{}
	}
	for _, s := range set {
		p.peeled.inside.Add(s)
		p.peeled.degrees[s] = struct{ in, out uint32 }{}
	}
	for _, s := range set {
		labels, targets := x.m.Out(s)
		for j, to := range targets {
			l := labels.At(j)
			p.eachEnabled(s, l, to, func(k uint32) { p.peeled.tasks[k].end++ })
			if p.goes(s, l, to) {
				p.peeled.degrees[s].out++
				p.peeled.degrees[to].in++
				p.eachTaken(s, l, to, func(k uint32) { p.peeled.tasks[k].takes++ })
			}
		}
	}
	sum := 0
	for _, k := range x.touched {
		t := &p.peeled.tasks[k]
		t.first, sum = sum, sum+t.end
		t.end = t.first
	}
	if err := resources.AskFor[lts.State](x.ctx, sum); err != nil {
		p.remaining(set)
		return nil, err
	}
	p.enabling = make([]lts.State, sum)
	for _, s := range set {
		labels, targets := x.m.Out(s)
		for j, to := range targets {
			p.eachEnabled(s, labels.At(j), to, func(k uint32) {
				t := &p.peeled.tasks[k]
				p.enabling[t.end] = s
				t.end++
			})
		}
	}
	return p, nil
}

// goes reports whether a transition leads between remaining states and is shown.
func (p *peeling) goes(from lts.State, l lts.Label, to lts.State) bool {
	return p.peeled.inside.Has(from) && p.peeled.inside.Has(to) && p.shows(from, l, to)
}

// eachEnabled calls yield with the strong tasks that a transition enables.
func (p *peeling) eachEnabled(from lts.State, l lts.Label, to lts.State, yield func(k uint32)) {
	for _, k := range p.f.TasksOf(l) {
		if t := &p.f.Tasks()[k]; t.Strong && !(t.Nonstuttering && p.isLoop(from, to)) {
			yield(k)
		}
	}
}

// eachTaken calls yield with the strong tasks that a transition takes or interferes with.
func (p *peeling) eachTaken(from lts.State, l lts.Label, to lts.State, yield func(k uint32)) {
	p.eachEnabled(from, l, to, yield)
	if p.f.Justness() == nil {
		return
	}
	for _, k := range p.f.MetBy(l) {
		if t := &p.f.Tasks()[k]; t.Strong && !(t.Nonstuttering && p.isLoop(from, to)) {
			yield(k)
		}
	}
}

// turn removes the states that enable idle tasks, and then those without
// predecessor or successor; it stops when the context is done.
func (p *peeling) turn() {
	var t Turn
	tasks := p.idle
	p.idle = nil
	slices.Sort(tasks)
	for _, k := range tasks {
		of, some := p.peeled.tasks[k], false
		for _, s := range p.enabling[of.first:of.end] {
			if !p.peeled.inside.Has(s) {
				continue
			}
			some = true
			if !p.peeled.going.Has(s) {
				p.peeled.going.Add(s)
				t.Gone = append(t.Gone, s)
			}
		}
		if some {
			t.Tasks = append(t.Tasks, k)
		}
	}
	if len(t.Gone) == 0 {
		return
	}
	for _, s := range t.Gone {
		p.takeAway(s)
	}
	for work := 0; len(p.waiting) > 0; work++ {
		if work&(1<<14-1) == 0 && p.ctx.Err() != nil {
			return
		}
		s := p.waiting[len(p.waiting)-1]
		p.waiting = p.waiting[:len(p.waiting)-1]
		if p.peeled.degrees[s].out == 0 {
			t.Ends = append(t.Ends, s)
		} else {
			t.Begins = append(t.Begins, s)
		}
		p.takeAway(s)
	}
	p.turns = append(p.turns, t)
}

// takeAway removes a state and its transitions.
func (p *peeling) takeAway(s lts.State) {
	labels, targets := p.m.Out(s)
	for j, to := range targets {
		if p.goes(s, labels.At(j), to) {
			p.lose(s, labels.At(j), to)
		}
	}
	p.peeled.inside.Remove(s)
	labels, sources := p.m.Predecessors().In(s)
	for j, from := range sources {
		if p.peeled.inside.Has(from) && p.shows(from, labels.At(j), s) {
			p.lose(from, labels.At(j), s)
		}
	}
}

// lose removes a transition. A state that loses its last transition in or out
// starts to wait, and a task that is no longer taken becomes idle.
func (p *peeling) lose(from lts.State, l lts.Label, to lts.State) {
	p.peeled.degrees[from].out--
	p.peeled.degrees[to].in--
	p.wait(from, p.peeled.degrees[from].out)
	p.wait(to, p.peeled.degrees[to].in)
	p.eachTaken(from, l, to, func(k uint32) {
		if p.peeled.tasks[k].takes--; p.peeled.tasks[k].takes == 0 {
			p.idle = append(p.idle, k)
		}
	})
}

// wait puts a state on the waiting list if degree, its number of transitions in
// or out, is 0.
func (p *peeling) wait(s lts.State, degree uint32) {
	if degree == 0 && !p.peeled.going.Has(s) {
		p.peeled.going.Add(s)
		p.waiting = append(p.waiting, s)
	}
}

// remaining returns the remaining states of a set, and clears the memory for the
// next one.
func (p *peeling) remaining(set []lts.State) (left []lts.State) {
	for _, s := range set {
		if p.peeled.inside.Has(s) {
			left = append(left, s)
		}
		p.peeled.inside.Remove(s)
		p.peeled.going.Remove(s)
	}
	return left
}
