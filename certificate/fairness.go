package certificate

import (
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// fairEvidence is further evidence under an assumption: for cs on the runs that count, and for the
// admitted states. A state is admitted if some run that counts continues it.
type fairEvidence struct {
	// home[s] is the smallest state of the set of s where fair runs can stay without step number
	// n-cs(s) of the n steps, none if there is no such set; from and back are the distances from
	// and to this state within the set. settle[s] is the length of a shortest run from s to such a
	// set, to a deadlock, or to a state of smaller cs, by transitions that bring at most cs(s).
	settle, home, from, back []uint32
	// within has, for each number in due, the number (from 1) of the set from where the state was
	// removed; 0 for none. It is nil under full fairness.
	within []uint32
	sets   []neglecting
}

// neglecting is a set of states where no fair run stays for ever: it would neglect the tasks or,
// for a pair, lack the colour.
type neglecting struct {
	parent, rank uint32
	tasks        []uint32
	// missing is the colour that no transition of the set has, plus 1; 0 if tasks are neglected.
	missing uint32
}

// fairPass is the input of the computations of evidence under fairness, and their results.
type fairPass struct {
	*pass
	due rows
	*fairEvidence
	apart *refinement
}

// newFairEvidence computes the evidence for cs, and for the admitted states.
func newFairEvidence(p *pass) (rows, *fairEvidence) {
	x := newFairPass(p)
	x.findHomes()
	x.findSettled()
	x.findDue()
	return x.due, x.fairEvidence
}

func newFairPass(p *pass) *fairPass {
	x := &fairPass{pass: p, fairEvidence: &fairEvidence{}}
	x.due = p.newRows(func(s lts.State) int {
		if !p.claimed.Admits(s) {
			return 1
		}
		return p.claimed.CS(s)
	})
	size := p.m.NumStates()
	x.settle, x.home, x.from, x.back = unknown(size), unknown(size), make([]uint32, size), make([]uint32, size)
	if !x.f.Full() {
		x.within = make([]uint32, len(x.due.values))
	}
	parts := abort.Must(scc.NewParts(p.ctx, p.m))
	x.apart = newRefinement(p.ctx, parts, p.m, x.f, nil)
	return x
}

func (x *fairPass) reached(do func(s lts.State)) {
	for i := range x.m.NumStates() {
		if s := lts.State(i); x.reach.Has(s) {
			do(s)
		}
	}
}

// mostHome returns the largest cs for which states need a home. If all states are admitted, cs = n
// needs no evidence that some run attains it.
func (x *fairPass) mostHome() int {
	if x.f.Excludes() {
		return x.n
	}
	return x.n - 1
}

// findHomes finds, for each m, the sets of states with cs = m where fair runs can stay without
// step number n-m of the n steps.
func (x *fairPass) findHomes() {
	by := make([][]lts.State, x.mostHome()+1)
	x.reached(func(s lts.State) {
		if cs := x.claimed.CS(s); x.claimed.Admits(s) && cs < len(by) {
			by[cs] = append(by[cs], s)
		}
	})
	for m, states := range by {
		x.apart.shows = func(_ lts.State, l lts.Label, _ lts.State) bool {
			return !x.f.Rare(l) && x.p.AdvanceSuffix(m, l) == m
		}
		x.apart.refine(states, refined{
			trivial:   func(lts.State, uint32, uint32) {},
			neglected: func(uint32, uint32, []uint32) uint32 { return 0 },
			removed:   func(lts.State, uint32) {},
			fair:      x.settleIn,
		})
	}
}

// settleIn makes a home of a set: the distances from and to its smallest state.
func (x *fairPass) settleIn(set []lts.State) {
	root := slices.Min(set)
	for _, s := range set {
		x.home[s], x.settle[s], x.from[s], x.back[s] = uint32(root), 0, none, none
	}
	fromAndTo(x.ctx, x.m, root, x.from, x.back, func(from lts.State, l lts.Label, to lts.State) bool {
		return x.home[to] == uint32(root) && x.home[from] == uint32(root) && x.apart.shows(from, l, to)
	})
}

// findSettled searches backwards, breadth first, along the transitions that bring no more than cs.
func (x *fairPass) findSettled() {
	needs := func(s lts.State) bool { return x.claimed.Admits(s) && x.claimed.CS(s) <= x.mostHome() }
	attains := func(s lts.State, l lts.Label, t lts.State) bool {
		return x.claimed.Admits(t) && x.p.AdvanceSuffix(x.claimed.CS(t), l) == x.claimed.CS(s)
	}
	var queue, falls []lts.State // settled states, and states one transition before a smaller cs
	x.reached(func(s lts.State) {
		labels, targets := x.m.Out(s)
		if !needs(s) || x.f.MayEnd(x.m, s) {
			x.settle[s] = 0
		}
		if x.settle[s] == 0 {
			queue = append(queue, s)
			return
		}
		for i, t := range targets {
			if x.settle[s] == none && attains(s, labels.At(i), t) && x.claimed.CS(t) < x.claimed.CS(s) {
				x.settle[s] = 1
				falls = append(falls, s)
			}
		}
	})
	back := func(t lts.State, l lts.Label, s lts.State) bool { return x.reach.Has(s) && attains(s, l, t) }
	spread(x.ctx, append(queue, falls...), x.settle, x.m.Predecessors().In, back)
	missing := false
	x.reached(func(s lts.State) { missing = missing || x.settle[s] == none })
	if missing {
		abort.On(errNoEvidence)
	}
}

// findDue finds due level by level: number i is for step number n-i of the n steps. States that are
// not admitted have number 0, and no other.
func (x *fairPass) findDue() {
	by := make([][]lts.State, 1) // with a number 0, 1, …
	var outcasts []lts.State
	x.reached(func(s lts.State) {
		if !x.claimed.Admits(s) {
			outcasts = append(outcasts, s)
			return
		}
		for x.claimed.CS(s) > len(by) {
			by = append(by, nil)
		}
	})
	x.apart.shows = func(_ lts.State, l lts.Label, _ lts.State) bool { return !x.f.Rare(l) }
	x.findLevel(0, outcasts)
	for i := range by {
		var states []lts.State
		x.reached(func(s lts.State) {
			if x.claimed.Admits(s) && x.claimed.CS(s) > i {
				states = append(states, s)
			}
		})
		x.apart.shows = func(_ lts.State, l lts.Label, t lts.State) bool {
			return !x.f.Rare(l) && x.claimed.Admits(t) && x.p.AdvanceSuffix(i, l) == i
		}
		x.findLevel(i, states)
	}
}

// findLevel finds number i of due for some states.
func (x *fairPass) findLevel(i int, states []lts.State) {
	if x.f.Full() {
		x.findExits(i, states)
		return
	}
	put := func(s lts.State, rank, set uint32) {
		at := x.due.start[s] + i
		x.due.values[at], x.within[at] = rank, set
	}
	x.apart.refine(states, refined{
		trivial: put,
		neglected: func(parent, rank uint32, tasks []uint32) uint32 {
			x.sets = append(x.sets, neglecting{parent: parent, rank: rank, tasks: tasks})
			return uint32(len(x.sets))
		},
		removed: func(s lts.State, set uint32) { put(s, 0, set) },
		fair:    func([]lts.State) { abort.On(errNoEvidence) },
	})
}

// findExits finds number i of due under full fairness: the length of a shortest path whose last
// transition the function shows rejects.
func (x *fairPass) findExits(i int, states []lts.State) {
	var begin []productState
	for _, s := range states {
		labels, targets := x.m.Out(s)
		for j, t := range targets {
			if !x.apart.shows(s, labels.At(j), t) {
				x.due.of(s)[i] = 1
				begin = append(begin, productState{state: s})
				break
			}
		}
	}
	before := x.m.Predecessors()
	x.breadthFirst(begin, func(at productState, length uint32, add func(productState)) {
		labels, sources := before.In(at.state)
		for j, s := range sources {
			if !x.reach.Has(s) || len(x.due.of(s)) <= i || x.claimed.Admits(s) != x.claimed.Admits(at.state) || !x.apart.shows(s, labels.At(j), at.state) {
				continue
			}
			if row := x.due.of(s); row[i] == none {
				row[i] = length + 2
				add(productState{state: s})
			}
		}
	})
}
