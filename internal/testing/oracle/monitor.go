package oracle

import "github.com/inev-lts/inev/lts"

// monitor watches a trace for a sequence of steps. Its progress is the number of steps seen so far,
// in order; it is complete when it has seen all of them.
type monitor []map[lts.Label]bool

func (k monitor) advance(progress int, l lts.Label) int {
	if progress < len(k) && k[progress][l] {
		return progress + 1
	}
	return progress
}

// table holds a truth value for every state of the model (first index) and
// every progress of a monitor (second index).
type table [][]bool

func newTable(states, progresses int) table {
	t := make(table, states)
	for s := range t {
		t[s] = make([]bool, progresses)
	}
	return t
}

// leastFixpoint starts with the empty table and adds all entries for which holds
// returns true, given the entries so far, until nothing is added any more.
func leastFixpoint(states, progresses int, holds func(known table, s, j int) bool) table {
	known := newTable(states, progresses)
	for changed := true; changed; {
		changed = false
		for s := range known {
			for j := range known[s] {
				if !known[s][j] && holds(known, s, j) {
					known[s][j] = true
					changed = true
				}
			}
		}
	}
	return known
}

// someCompletes returns for every state and progress whether some maximal trace
// from there completes the monitor. Every finite trace is the beginning of a
// maximal one, so that reaching completeness is enough.
func someCompletes(out [][]lts.Transition, k monitor) table {
	return leastFixpoint(len(out), len(k)+1, func(x table, s, j int) bool {
		if j == len(k) {
			return true
		}
		for _, t := range out[s] {
			if x[t.To][k.advance(j, t.Label)] {
				return true
			}
		}
		return false
	})
}

// everyCompletes returns for every state and progress whether all maximal traces
// from there complete the monitor: the entries that the fixpoint leaves out can
// reach a deadlock or a cycle with the monitor incomplete.
func everyCompletes(out [][]lts.Transition, k monitor) table {
	return leastFixpoint(len(out), len(k)+1, func(x table, s, j int) bool {
		if j == len(k) {
			return true
		}
		for _, t := range out[s] {
			if !x[t.To][k.advance(j, t.Label)] {
				return false
			}
		}
		return len(out[s]) > 0
	})
}

// arrivals returns for every state and progress whether some trace prefix from the
// initial state ends there with this progress.
func arrivals(out [][]lts.Transition, initial lts.State, k monitor) table {
	x := newTable(len(out), len(k)+1)
	x[initial][0] = true
	for changed := true; changed; {
		changed = false
		for s := range x {
			for j, arrives := range x[s] {
				if arrives && x.addSuccessors(out[s], j, k) {
					changed = true
				}
			}
		}
	}
	return x
}

// addSuccessors sets the values of the states to which transitions lead from a state with progress j. It
// reports whether a value has changed.
func (x table) addSuccessors(leaving []lts.Transition, j int, k monitor) (changed bool) {
	for _, t := range leaving {
		next := k.advance(j, t.Label)
		changed = changed || !x[t.To][next]
		x[t.To][next] = true
	}
	return changed
}
