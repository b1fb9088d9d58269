package oracle

import (
	"math/bits"
	"slices"

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
	model      *lts.LTS
	monitor    monitor
	assumption Assumption
	out        [][]lts.Transition
	sets       [][]lts.Transition // strongly connected, and fair
	counts     []bool             // counts[s] reports whether some run that counts continues from state s
	// rejects[s][j] says that some run that counts from s with progress j does
	// not complete, accepts[s][j] that some completes.
	rejects, accepts table
	reached          table
}

// NewFair returns the oracle. Cost exponential in the number of transitions, of
// which at most 16 are possible.
func NewFair(m *lts.LTS, steps []map[lts.Label]bool, a Assumption) *Fair {
	f := &Fair{
		model:      m,
		monitor:    monitor(steps),
		assumption: a,
		out:        make([][]lts.Transition, m.NumStates()),
	}
	var all []lts.Transition
	for t := range m.Transitions() {
		all = append(all, t)
		f.out[t.From] = append(f.out[t.From], t)
	}
	for choice := 1; choice < 1<<len(all); choice++ {
		set := make([]lts.Transition, 0, bits.OnesCount(uint(choice)))
		for i, t := range all {
			if has(choice, i) {
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
	reversed := make([]lts.Transition, len(set))
	for i, t := range set {
		reversed[i] = lts.Transition{From: t.To, Label: t.Label, To: t.From}
	}
	first := set[0].From
	return reachesAll(set, first) && reachesAll(reversed, first)
}

// reachesAll reports whether walks within the set lead from a state to all states of its transitions.
func reachesAll(set []lts.Transition, first lts.State) bool {
	visited := map[lts.State]bool{first: true}
	for changed := true; changed; {
		changed = false
		for _, t := range set {
			if visited[t.From] && !visited[t.To] {
				visited[t.To] = true
				changed = true
			}
		}
	}
	for _, t := range set {
		if !visited[t.From] || !visited[t.To] {
			return false
		}
	}
	return true
}

// isFair reports whether a run that takes exactly these transitions infinitely often satisfies an assumption.
func (f *Fair) isFair(set []lts.Transition, a Assumption) bool {
	taken := map[lts.Transition]bool{}
	takenLabels := map[lts.Label]bool{}
	states := map[lts.State]bool{}
	for _, t := range set {
		if a.Rare[t.Label] {
			return false
		}
		taken[t] = true
		takenLabels[t.Label] = true
		states[t.From] = true
	}
	for _, task := range a.Tasks {
		if !f.isFairTo(task, set, states) {
			return false
		}
	}
	possible := map[lts.Label]bool{}
	for s := range states {
		for _, t := range f.out[s] {
			possible[t.Label] = true
			mustTakeAll := a.Full || a.Choices[s]
			if mustTakeAll && !taken[t] {
				return false
			}
		}
	}
	return a.Just.isJust(possible, takenLabels)
}

// isFairTo reports whether a run that takes exactly these transitions, from exactly these states,
// infinitely often is fair to a task: whether it does the task, or the task is not enabled often
// enough.
func (f *Fair) isFairTo(task FairTask, set []lts.Transition, states map[lts.State]bool) bool {
	belongs := func(t lts.Transition) bool {
		return task.Labels[t.Label] && !(task.Nonstuttering && t.From == t.To)
	}
	if slices.ContainsFunc(set, belongs) {
		return true
	}
	enabled := 0
	for s := range states {
		if slices.ContainsFunc(f.out[s], belongs) {
			enabled++
		}
	}
	staysEnabled := enabled == len(states)
	return !staysEnabled && !(task.Strong && enabled > 0)
}

// solve computes which runs count, and which of them satisfy the property, as least sets.
func (f *Fair) solve() {
	complete := len(f.monitor)
	counts := leastFixpoint(len(f.out), 1, func(known table, s, _ int) bool {
		if f.assumption.Ends(f.out[s]) || f.recursAt(s, nil) {
			return true
		}
		return slices.ContainsFunc(f.out[s], func(t lts.Transition) bool { return known[t.To][0] })
	})
	for s := range f.out {
		f.counts = append(f.counts, counts[s][0])
	}
	leadsTo := func(known table, s, progress int) bool {
		return slices.ContainsFunc(f.out[s], func(t lts.Transition) bool {
			return known[t.To][f.monitor.advance(progress, t.Label)]
		})
	}
	f.accepts = leastFixpoint(len(f.out), complete+1, func(known table, s, progress int) bool {
		if progress == complete {
			return f.counts[s]
		}
		return leadsTo(known, s, progress)
	})
	f.rejects = leastFixpoint(len(f.out), complete+1, func(known table, s, progress int) bool {
		if progress == complete {
			return false
		}
		canStop := f.assumption.Ends(f.out[s]) || f.recursAt(s, f.monitor[progress])
		return canStop || leadsTo(known, s, progress)
	})
	f.reached = arrivals(f.out, f.model.Initial(), f.monitor)
}

// recursAt reports whether a run that counts can return to a state forever without the avoided
// labels.
func (f *Fair) recursAt(s int, avoided map[lts.Label]bool) bool {
	for _, set := range f.sets {
		isHere := slices.ContainsFunc(set, func(t lts.Transition) bool { return int(t.From) == s })
		isAvoided := slices.ContainsFunc(set, func(t lts.Transition) bool { return avoided[t.Label] })
		if isHere && !isAvoided {
			return true
		}
	}
	return false
}

// Holds reports whether some run counts, and all runs that count satisfy the
// property.
func (f *Fair) Holds() bool { return f.counts[f.model.Initial()] && !f.rejects[f.model.Initial()][0] }

// Full reports whether only fully fair runs count: they take infinitely often
// every transition that is possible infinitely often.
func (f *Fair) Full() bool { return f.assumption.Full }

// Recurs reports whether a run that counts can take exactly these transitions
// infinitely often.
func (f *Fair) Recurs(set []lts.Transition) bool {
	return stronglyConnected(set) && f.isFair(set, f.assumption)
}

// ShortestLoss returns the length of a shortest run such that some runs that count continue it, and
// none of these satisfies the property; false if there is none.
func (f *Fair) ShortestLoss() (int, bool) {
	type pair struct {
		s lts.State
		j int
	}
	depth := map[pair]int{{f.model.Initial(), 0}: 0}
	for open := []pair{{f.model.Initial(), 0}}; len(open) > 0; open = open[1:] {
		at := open[0]
		if accept, reject := f.Can(at.s, at.j); !accept && reject {
			return depth[at], true
		}
		for _, t := range f.out[at.s] {
			next := pair{t.To, f.monitor.advance(at.j, t.Label)}
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
	const none = -1
	least := none
	consider := func(length int) {
		if least == none || length < least {
			least = length
		}
	}
	bits := f.transitionBits()
	canRecur := map[int]bool{} // sets of transitions, as bits
	for _, set := range f.sets {
		mask := 0
		for _, t := range set {
			mask |= bits[t]
		}
		canRecur[mask] = true
	}
	for progress := range f.monitor {
		for s, distance := range f.distancesWithin(progress) {
			if f.assumption.Ends(f.out[s]) {
				consider(distance)
			}
			if round, found := f.shortestRound(s, f.monitor[progress], bits, canRecur); found {
				consider(distance + round)
			}
		}
	}
	return least, least != none
}

// transitionBits gives each transition a bit.
func (f *Fair) transitionBits() map[lts.Transition]int {
	bits := map[lts.Transition]int{}
	for _, out := range f.out {
		for _, t := range out {
			if _, known := bits[t]; !known {
				bits[t] = 1 << len(bits)
			}
		}
	}
	return bits
}

// distancesWithin returns the lengths of shortest runs to the states that are reached
// with at most this progress.
func (f *Fair) distancesWithin(progress int) map[lts.State]int {
	type pair struct {
		s        lts.State
		progress int
	}
	initial := pair{f.model.Initial(), 0}
	distance := map[pair]int{initial: 0}
	nearest := map[lts.State]int{}
	for open := []pair{initial}; len(open) > 0; open = open[1:] {
		here := open[0]
		if _, known := nearest[here.s]; !known {
			nearest[here.s] = distance[here]
		}
		for _, t := range f.out[here.s] {
			next := pair{t.To, f.monitor.advance(here.progress, t.Label)}
			if _, met := distance[next]; !met && next.progress <= progress {
				distance[next] = distance[here] + 1
				open = append(open, next)
			}
		}
	}
	return nearest
}

// shortestRound returns the length of a shortest walk from s to s, without the avoided labels,
// whose transitions can recur on a run that counts. bits has the bit of each transition, and
// canRecur the sets that can recur.
func (f *Fair) shortestRound(
	s lts.State,
	avoided map[lts.Label]bool,
	bits map[lts.Transition]int,
	canRecur map[int]bool,
) (length int, found bool) {
	type walk struct {
		end   lts.State
		taken int // the transitions, as bits
	}
	start := walk{s, 0}
	lengths := map[walk]int{start: 0}
	for open := []walk{start}; len(open) > 0; open = open[1:] {
		here := open[0]
		if here.end == s && canRecur[here.taken] {
			return lengths[here], true
		}
		for _, t := range f.out[here.end] {
			next := walk{t.To, here.taken | bits[t]}
			if _, met := lengths[next]; !met && !avoided[t.Label] {
				lengths[next] = lengths[here] + 1
				open = append(open, next)
			}
		}
	}
	return 0, false
}

// Ends reports whether a run that counts may end in s.
func (f *Fair) Ends(s lts.State) bool { return f.assumption.Ends(f.out[s]) }

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
	accepts := false
	rejects := false
	for before, isReached := range f.reached[t.From] {
		if !isReached {
			continue
		}
		after := f.monitor.advance(before, t.Label)
		accepts = accepts || f.accepts[t.To][after]
		rejects = rejects || f.rejects[t.To][after]
	}
	switch {
	case !rejects:
		return Correct
	case !accepts:
		return Incorrect
	}
	return Neutral
}
