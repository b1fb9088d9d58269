package fairset

import (
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// patience is how many sets may lose less than half of their states before what they lose is
// followed: mostly a set does so once or twice, and predecessors need not be built for that.
const patience = 4

// Shrink returns what [Tasks.Refine] leaves of the set that was counted last with these shows, and
// where it takes away few states, all that follows from those without another search for components: states
// without a way in or out, and those that enable a strong task that what is left never takes.
// Otherwise each of these might cost a search of its own. It fails if the context is done. Cost
// O(S + T) of the set, times the tasks of a label, and the predecessors of the model.
func (x *Tasks) Shrink(set []lts.State, shows func(from lts.State, l lts.Label, to lts.State) bool) (left []lts.State, given bool, err error) {
	left, given = x.Refine(set)
	if given || 2*len(left) < len(set) || len(left) == len(set) {
		return left, given, nil
	}
	if x.slow++; x.slow <= patience {
		return left, false, nil
	}
	if err := x.m.FindPredecessors(x.ctx); err != nil {
		return left, false, x.ctx.Err() // without memory for them it is slower, and no less right
	}
	p, err := x.newPeeling(set, shows)
	if err != nil {
		return left, false, x.ctx.Err()
	}
	kept := 0
	for _, s := range set {
		if kept < len(left) && left[kept] == s {
			kept++
			continue
		}
		p.remove(s)
	}
	p.takeAway()
	return p.rest(set), false, x.ctx.Err()
}

// peeling takes states away from a set. What is left of it are the states that are inside.
type peeling struct {
	*Tasks
	shows func(lts.State, lts.Label, lts.State) bool
	// enabling[first:end] are the states that enable a strong task with these numbers.
	enabling []lts.State
	waiting  []lts.State // are to be taken away
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

// remove makes a state one that is to be taken away.
func (p *peeling) remove(s lts.State) {
	if !p.peeled.going.Has(s) {
		p.peeled.going.Add(s)
		p.waiting = append(p.waiting, s)
	}
}

// takeAway takes away what waits for it, and all that has to go with it, or ends as the context does.
func (p *peeling) takeAway() {
	in := p.m.Predecessors()
	for work := 0; len(p.waiting) > 0; work++ {
		if work&(1<<14-1) == 0 && p.ctx.Err() != nil {
			return
		}
		s := p.waiting[len(p.waiting)-1]
		p.waiting = p.waiting[:len(p.waiting)-1]
		labels, targets := p.m.Out(s)
		for j, to := range targets {
			if p.goes(s, labels.At(j), to) {
				p.lose(s, labels.At(j), to)
			}
		}
		p.peeled.inside.Remove(s)
		labels, sources := in.In(s)
		for j, from := range sources {
			if p.peeled.inside.Has(from) && p.shows(from, labels.At(j), s) {
				p.lose(from, labels.At(j), s)
			}
		}
	}
}

// lose takes a transition away, and makes the states go that have no other in or out, and those
// that enable a task which no other takes.
func (p *peeling) lose(from lts.State, l lts.Label, to lts.State) {
	if p.peeled.ways[from].out--; p.peeled.ways[from].out == 0 {
		p.remove(from)
	}
	if p.peeled.ways[to].in--; p.peeled.ways[to].in == 0 {
		p.remove(to)
	}
	p.eachTaken(from, l, to, func(k uint32) {
		t := &p.peeled.tasks[k]
		if t.takes--; t.takes == 0 {
			for _, s := range p.enabling[t.first:t.end] {
				p.remove(s)
			}
		}
	})
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
