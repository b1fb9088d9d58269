package oracle

import (
	"math/bits"

	"github.com/inev-lts/inev/lts"
)

// FairTask is a set of transitions by their labels.
type FairTask struct {
	Labels                map[lts.Label]bool
	Strong, Nonstuttering bool
}

// Assumption says which runs count.
type Assumption struct {
	Full  bool
	Tasks []FairTask
	Rare  map[lts.Label]bool // done finitely often
	// Choices are states with this assumption: if a run visits one infinitely
	// often, it takes each of its transitions infinitely often.
	Choices map[lts.State]bool
	Just    *Just // nil if runs need not be just
}

// Fair answers questions about inevitability under an assumption. It tries every set of
// transitions that a run could take infinitely often.
type Fair struct {
	m      *lts.LTS
	k      monitor
	a      Assumption
	out    [][]lts.Transition
	sets   [][]lts.Transition // strongly connected, and fair
	counts []bool             // by state: some run that counts continues from it
	// rejects[s][j] says that some run that counts from s with progress j does
	// not complete, accepts[s][j] that some completes.
	rejects, accepts table
	reached          table
}

// NewFair returns the oracle. Cost exponential in the number of transitions, of
// which at most 16 are possible.
func NewFair(m *lts.LTS, steps []map[lts.Label]bool, a Assumption) *Fair {
	f := &Fair{
		m:   m,
		k:   monitor(steps),
		a:   a,
		out: make([][]lts.Transition, m.NumStates()),
	}
	var all []lts.Transition
	for t := range m.Transitions() {
		all = append(all, t)
		f.out[t.From] = append(f.out[t.From], t)
	}
	for choice := 1; choice < 1<<len(all); choice++ {
		set := make([]lts.Transition, 0, bits.OnesCount(uint(choice)))
		for i, t := range all {
			if choice>>i&1 != 0 {
				set = append(set, t)
			}
		}
		if stronglyConnected(set) && f.isFair(set, a) {
			f.sets = append(f.sets, set)
		}
	}
	f.solve()
	return f
}

// stronglyConnected reports whether a walk within the set leads from each
// transition to each other one.
func stronglyConnected(set []lts.Transition) bool {
	for _, backwards := range []bool{false, true} {
		visited := map[lts.State]bool{set[0].From: true}
		for changed := true; changed; {
			changed = false
			for _, t := range set {
				from, to := t.From, t.To
				if backwards {
					from, to = to, from
				}
				if visited[from] && !visited[to] {
					visited[to], changed = true, true
				}
			}
		}
		for _, t := range set {
			if !visited[t.From] || !visited[t.To] {
				return false
			}
		}
	}
	return true
}

func (f *Fair) isFair(set []lts.Transition, a Assumption) bool {
	taken := map[lts.Transition]bool{}
	states := map[lts.State]bool{}
	for _, t := range set {
		if a.Rare[t.Label] {
			return false
		}
		taken[t], states[t.From] = true, true
	}
	for _, task := range a.Tasks {
		belongs := func(t lts.Transition) bool {
			return task.Labels[t.Label] && !(task.Nonstuttering && t.From == t.To)
		}
		done, enabled := false, 0
		for _, t := range set {
			done = done || belongs(t)
		}
		for s := range states {
			for _, t := range f.out[s] {
				if belongs(t) {
					enabled++
					break
				}
			}
		}
		if !done && (task.Strong && enabled > 0 || enabled == len(states)) {
			return false
		}
	}
	possible, done := map[lts.Label]bool{}, map[lts.Label]bool{}
	for s := range states {
		for _, t := range f.out[s] {
			possible[t.Label] = true
		}
	}
	for _, t := range set {
		done[t.Label] = true
	}
	if !a.Just.isJust(possible, done) {
		return false
	}
	for s := range states {
		for _, t := range f.out[s] {
			if (a.Full || a.Choices[s]) && !taken[t] {
				return false
			}
		}
	}
	return true
}

func (f *Fair) solve() {
	n := len(f.k)
	in := func(s int, avoiding int) bool {
		for _, set := range f.sets {
			here, avoids := false, true
			for _, t := range set {
				here = here || int(t.From) == s
				avoids = avoids && (avoiding < 0 || !f.k[avoiding][t.Label])
			}
			if here && avoids {
				return true
			}
		}
		return false
	}
	counts := leastFixpoint(len(f.out), 1, func(x table, s, _ int) bool {
		if f.a.Ends(f.out[s]) || in(s, -1) {
			return true
		}
		for _, t := range f.out[s] {
			if x[t.To][0] {
				return true
			}
		}
		return false
	})
	for s := range f.out {
		f.counts = append(f.counts, counts[s][0])
	}
	f.accepts = leastFixpoint(len(f.out), n+1, func(x table, s, j int) bool {
		if j == n {
			return f.counts[s]
		}
		for _, t := range f.out[s] {
			if x[t.To][f.k.advance(j, t.Label)] {
				return true
			}
		}
		return false
	})
	f.rejects = leastFixpoint(len(f.out), n+1, func(x table, s, j int) bool {
		if j == n {
			return false
		}
		if f.a.Ends(f.out[s]) || in(s, j) {
			return true
		}
		for _, t := range f.out[s] {
			if x[t.To][f.k.advance(j, t.Label)] {
				return true
			}
		}
		return false
	})
	f.reached = arrivals(f.out, f.m.Initial(), f.k)
}

// Holds reports whether some run counts, and all runs that count satisfy the
// property.
func (f *Fair) Holds() bool { return f.counts[f.m.Initial()] && !f.rejects[f.m.Initial()][0] }

// Full reports whether only fully fair runs count: they take infinitely often
// every transition that is possible infinitely often.
func (f *Fair) Full() bool { return f.a.Full }

// Recurs reports whether a run that counts can take exactly these transitions
// infinitely often.
func (f *Fair) Recurs(set []lts.Transition) bool {
	return stronglyConnected(set) && f.isFair(set, f.a)
}

// ShortestLoss returns the length of a shortest run that runs which count continue, none of which
// satisfies the property; false if there is none.
func (f *Fair) ShortestLoss() (int, bool) {
	type pair struct {
		s lts.State
		j int
	}
	depth := map[pair]int{{f.m.Initial(), 0}: 0}
	for open := []pair{{f.m.Initial(), 0}}; len(open) > 0; open = open[1:] {
		at := open[0]
		if accept, reject := f.Can(at.s, at.j); !accept && reject {
			return depth[at], true
		}
		for _, t := range f.out[at.s] {
			next := pair{t.To, f.k.advance(at.j, t.Label)}
			if _, met := depth[next]; !met {
				depth[next] = depth[at] + 1
				open = append(open, next)
			}
		}
	}
	return 0, false
}

// ShortestViolation returns the length of a shortest run that counts and violates
// the property: an elementary run into a deadlock, or a stem with a loop that
// closes in the model and repeats forever; false if there is none. From each
// state on the loop it tries all walks, by the set of transitions that they take.
// Cost exponential in the number of transitions.
func (f *Fair) ShortestViolation() (int, bool) {
	least := -1
	note := func(length int) {
		if least < 0 || length < least {
			least = length
		}
	}
	number := map[lts.Transition]int{}
	recurs := map[int][]lts.Transition{}
	for s := range f.out {
		for _, t := range f.out[s] {
			if _, known := number[t]; !known {
				number[t] = len(number)
			}
		}
	}
	for _, set := range f.sets {
		mask := 0
		for _, t := range set {
			mask |= 1 << number[t]
		}
		recurs[mask] = set
	}
	for j := range f.k {
		for s, depth := range f.nearest(j) {
			if f.a.Ends(f.out[s]) {
				note(depth)
			}
			if round, is := f.shortestRound(s, j, number, recurs); is {
				note(depth + round)
			}
		}
	}
	return least, least >= 0
}

// nearest returns the lengths of shortest runs to the states that are reached
// with at most this progress.
func (f *Fair) nearest(most int) map[lts.State]int {
	type pair struct {
		s lts.State
		j int
	}
	depth, met := map[lts.State]int{}, map[pair]int{{f.m.Initial(), 0}: 0}
	for open := []pair{{f.m.Initial(), 0}}; len(open) > 0; open = open[1:] {
		at := open[0]
		if _, is := depth[at.s]; !is {
			depth[at.s] = met[at]
		}
		for _, t := range f.out[at.s] {
			next := pair{t.To, f.k.advance(at.j, t.Label)}
			if _, is := met[next]; !is && next.j <= most {
				met[next] = met[at] + 1
				open = append(open, next)
			}
		}
	}
	return depth
}

// shortestRound returns the length of a shortest walk from s to s without labels
// of step j+1 whose transitions can recur on a run that counts.
func (f *Fair) shortestRound(
	s lts.State,
	j int,
	number map[lts.Transition]int,
	recurs map[int][]lts.Transition,
) (int, bool) {
	type pair struct {
		s     lts.State
		taken int
	}
	depth := map[pair]int{{s, 0}: 0}
	for open := []pair{{s, 0}}; len(open) > 0; open = open[1:] {
		at := open[0]
		if at.s == s && recurs[at.taken] != nil {
			return depth[at], true
		}
		for _, t := range f.out[at.s] {
			next := pair{t.To, at.taken | 1<<number[t]}
			if _, met := depth[next]; !met && !f.k[j][t.Label] {
				depth[next] = depth[at] + 1
				open = append(open, next)
			}
		}
	}
	return 0, false
}

// Ends reports whether a run that counts may end in s.
func (f *Fair) Ends(s lts.State) bool { return f.a.Ends(f.out[s]) }

// Counts reports whether some run from s counts.
func (f *Fair) Counts(s lts.State) bool { return f.counts[s] }

// Reached reports whether a run reaches s with this progress.
func (f *Fair) Reached(s lts.State, progress int) bool { return f.reached[s][progress] }

// Can reports whether some run that counts from s with this progress satisfies
// the property, and whether some such run does not.
func (f *Fair) Can(s lts.State, progress int) (accept, reject bool) {
	return f.accepts[s][progress], f.rejects[s][progress]
}

// Class returns the class of a reachable transition, excluded if no run through
// it counts.
func (f *Fair) Class(t lts.Transition) Class {
	if !f.counts[t.To] {
		return "excluded"
	}
	accept, reject := false, false
	for j := range f.reached[t.From] {
		if f.reached[t.From][j] {
			next := f.k.advance(j, t.Label)
			accept, reject = accept || f.accepts[t.To][next], reject || f.rejects[t.To][next]
		}
	}
	switch {
	case !reject:
		return Correct
	case !accept:
		return Incorrect
	}
	return Neutral
}
