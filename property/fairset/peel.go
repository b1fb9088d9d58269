package fairset

import (
	"slices"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// patience is how many sets may lose less than half of their states before what they lose is
// followed: mostly a set does so once or twice, and predecessors need not be built for that.
const patience = 4

// Shrink returns what is left of the set that was counted last with these shows after its [Tasks.Turns],
// and whether the set is given up, as [Tasks.Refine] has it. It fails if the context is done.
// Cost as of Turns.
func (x *Tasks) Shrink(set []lts.State, shows func(from lts.State, l lts.Label, to lts.State) bool) (left []lts.State, given bool, err error) {
	if left, given = x.Refine(set); given || len(left) == len(set) {
		return left, given, nil
	}
	_, left, err = x.Turns(set, shows)
	return left, false, err
}

// Turn is some of the states that are taken away from a set together.
type Turn struct {
	// Tasks are strong, and taken by no transition between the states that are left. Ascending.
	Tasks []uint32
	// Gone are the states that are left and enable one of these tasks.
	Gone []lts.State
	// Ends are states without a way on, Begins without a way in, among those that are left after Gone and
	// those that stand before them.
	Ends, Begins []lts.State
}

// Turns takes the states away from the set that was counted last with these shows which enable strong tasks
// that it does not take. Where sets have lost few states again and again, all that follows
// is taken away as well without another search for components: states without a way in or out, and, in
// further turns, those that enable a strong task that what is left never takes. left is in the order of the
// set. It fails if the context is done. Cost O(S + T) of the set, times the tasks of a label, and the
// predecessors of the model.
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
		return []Turn{first}, left, x.ctx.Err() // without memory for them it is slower, and no less right
	}
	p, err := x.newPeeling(set, shows)
	if err != nil {
		return []Turn{first}, left, x.ctx.Err()
	}
	p.idle = first.Tasks
	for len(p.idle) > 0 && x.ctx.Err() == nil {
		p.turn()
	}
	return p.turns, p.rest(set), x.ctx.Err()
}

// peeling takes states away from a set. What is left of it are the states that are inside.
type peeling struct {
	*Tasks
	shows func(lts.State, lts.Label, lts.State) bool
	// enabling[first:end] are the states that enable a strong task with these numbers.
	enabling []lts.State
	waiting  []lts.State // have no way in or out, and are to be taken away
	idle     []uint32    // strong tasks that nothing that is left takes any more
	turns    []Turn
}

// peeled is what a peeling knows of states and tasks. Between two, no state is inside or going.
type peeled struct {
	inside, going bitset.Set[lts.State]
	// ways[s] are the transitions of what is left into s and out of it.
	ways []struct{ in, out uint32 }
	// tasks[k].takes are the transitions of what is left that take task k.
	tasks []struct{ takes, first, end int }
}

func (x *Tasks) newPeeling(set []lts.State, shows func(lts.State, lts.Label, lts.State) bool) (*peeling, error) {
	if x.peeled == nil {
		n := x.m.NumStates()
		if err := resources.Ask(x.ctx, 9*int64(n)+24*int64(len(x.tasks))); err != nil {
			return nil, err
		}
		x.peeled = &peeled{inside: bitset.New[lts.State](n), going: bitset.New[lts.State](n)}
		x.peeled.ways = make([]struct{ in, out uint32 }, n)
		x.peeled.tasks = make([]struct{ takes, first, end int }, len(x.tasks))
	}
	p := &peeling{Tasks: x, shows: shows}
	for _, k := range x.touched {
		p.peeled.tasks[k] = struct{ takes, first, end int }{}
	}
	for _, s := range set {
		p.peeled.inside.Add(s)
		p.peeled.ways[s] = struct{ in, out uint32 }{}
	}
	for _, s := range set {
		labels, targets := x.m.Out(s)
		for j, to := range targets {
			l := labels.At(j)
			p.eachEnabled(s, l, to, func(k uint32) { p.peeled.tasks[k].end++ })
			if p.goes(s, l, to) {
				p.peeled.ways[s].out++
				p.peeled.ways[to].in++
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
		p.rest(set)
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

// goes reports whether a transition lies within what is left.
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

// turn takes away the states that enable idle tasks, and then those without a way in or out, or ends
// as the context does.
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
		if p.peeled.ways[s].out == 0 {
			t.Ends = append(t.Ends, s)
		} else {
			t.Begins = append(t.Begins, s)
		}
		p.takeAway(s)
	}
	p.turns = append(p.turns, t)
}

// takeAway takes a state away with its transitions.
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

// lose takes a transition away, and makes the states wait that have no other in or out, and the tasks
// idle that no other takes.
func (p *peeling) lose(from lts.State, l lts.Label, to lts.State) {
	p.peeled.ways[from].out--
	p.peeled.ways[to].in--
	p.wait(from, p.peeled.ways[from].out)
	p.wait(to, p.peeled.ways[to].in)
	p.eachTaken(from, l, to, func(k uint32) {
		if p.peeled.tasks[k].takes--; p.peeled.tasks[k].takes == 0 {
			p.idle = append(p.idle, k)
		}
	})
}

// wait makes a state wait if it has no such ways any more.
func (p *peeling) wait(s lts.State, ways uint32) {
	if ways == 0 && !p.peeled.going.Has(s) {
		p.peeled.going.Add(s)
		p.waiting = append(p.waiting, s)
	}
}

// rest returns the states of a set that are left, and makes what is kept ready for another set.
func (p *peeling) rest(set []lts.State) (left []lts.State) {
	for _, s := range set {
		if p.peeled.inside.Has(s) {
			left = append(left, s)
		}
		p.peeled.inside.Remove(s)
		p.peeled.going.Remove(s)
	}
	return left
}
