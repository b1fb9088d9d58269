package oracle

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/lts"
)

// MostStatesForFair is the largest number of states that [NewFairStates] accepts.
const MostStatesForFair = 16

// FairStates answers the questions of [Fair] about the initial state, for models
// with more transitions. It tries every set of states with the largest set of
// transitions within it. That is enough: if a run that takes fewer of these
// forever is fair, so is a run that takes all, since the enabled tasks depend only
// on the states.
type FairStates struct {
	model   *lts.LTS
	monitor monitor
	// out[s] are the transitions of s; reached[j] are the states that runs reach
	// with progress j, as bits.
	out     [][]lts.Transition
	reached []uint32
}

// NewFairStates returns the oracle. It fails if there are more states than
// [MostStatesForFair].
func NewFairStates(m *lts.LTS, steps []map[lts.Label]bool) (*FairStates, error) {
	if m.NumStates() > MostStatesForFair {
		return nil, fmt.Errorf("oracle: %d states are too many", m.NumStates())
	}
	f := &FairStates{
		model:   m,
		monitor: steps,
		out:     make([][]lts.Transition, m.NumStates()),
		reached: make([]uint32, len(steps)+1),
	}
	for t := range m.Transitions() {
		f.out[t.From] = append(f.out[t.From], t)
	}
	for s, byProgress := range arrivals(f.out, m.Initial(), f.monitor) {
		for progress, arrives := range byProgress {
			if arrives {
				f.reached[progress] |= 1 << s
			}
		}
	}
	return f, nil
}

// Deadlock reports whether some run that ends in a deadlock violates the
// property.
func (f *FairStates) Deadlock() bool {
	for s := range f.out {
		for j := range f.monitor {
			if len(f.out[s]) == 0 && has(f.reached[j], s) {
				return true
			}
		}
	}
	return false
}

// Holds reports whether some run counts under the assumption, and all runs that
// count satisfy the property. Cost exponential in the number of states.
func (f *FairStates) Holds(a Assumption) bool {
	if f.Deadlock() {
		return false
	}
	for j := range f.monitor {
		avoids := func(l lts.Label) bool { return !f.monitor[j][l] }
		if f.canRecur(f.reached[j], a, avoids) {
			return false
		}
	}
	return f.counts(a)
}

// Feasible reports whether every finite path from the initial state has a continuation that does some
// labels finitely often.
func (f *FairStates) Feasible(rare map[lts.Label]bool) bool {
	isFeasible := f.endlessWithout(rare)
	for range f.out { // a path can lead to one of these states
		for s := range isFeasible {
			for _, t := range f.out[s] {
				isFeasible[s] = isFeasible[s] || isFeasible[t.To]
			}
		}
	}
	for _, states := range f.reached {
		for s := range isFeasible {
			isReached := has(states, s)
			if isReached && !isFeasible[s] {
				return false
			}
		}
	}
	return true
}

// endlessWithout returns the states from where a maximal run does none of the labels, as a greatest set.
func (f *FairStates) endlessWithout(labels map[lts.Label]bool) []bool {
	endless := make([]bool, len(f.out))
	for s := range endless {
		endless[s] = true
	}
	continues := func(s int) bool {
		if len(f.out[s]) == 0 {
			return true
		}
		return slices.ContainsFunc(f.out[s], func(t lts.Transition) bool {
			return !labels[t.Label] && endless[t.To]
		})
	}
	for range f.out {
		for s := range endless {
			endless[s] = endless[s] && continues(s)
		}
	}
	return endless
}

// counts reports whether some run counts.
func (f *FairStates) counts(a Assumption) bool {
	all := uint32(0)
	for _, states := range f.reached {
		all |= states
	}
	for s := range f.out {
		if len(f.out[s]) == 0 && has(all, s) {
			return true
		}
	}
	return f.canRecur(all, a, func(lts.Label) bool { return true })
}

// canRecur reports whether a run can take transitions with allowed labels between
// some of the given states forever, fairly.
func (f *FairStates) canRecur(states uint32, a Assumption, isAllowed func(lts.Label) bool) bool {
	for set := states; set != 0; set = (set - 1) & states { // each subset
		takes := func(t lts.Transition) bool {
			return has(set, t.To) && isAllowed(t.Label) && !a.Rare[t.Label]
		}
		if f.connected(set, takes) && f.isFair(set, a, takes) {
			return true
		}
	}
	return false
}

// connected reports whether the selected transitions lead from each state of a set to each, by at least
// one of them.
func (f *FairStates) connected(set uint32, takes func(lts.Transition) bool) bool {
	next := f.successors(set, takes)
	for s := range f.out {
		if has(set, s) && reachedFrom(next[s], next[:]) != set {
			return false
		}
	}
	return true
}

// successors returns, for each state of a set, the states to which one selected transition leads.
func (f *FairStates) successors(
	set uint32,
	takes func(lts.Transition) bool,
) (next [MostStatesForFair]uint32) {
	for s := range f.out {
		if !has(set, s) {
			continue
		}
		for _, t := range f.out[s] {
			if takes(t) {
				next[s] |= 1 << t.To
			}
		}
	}
	return next
}

// reachedFrom returns the states that some states reach. next has the successors of each state.
func reachedFrom(states uint32, next []uint32) uint32 {
	reached := states
	for before := uint32(0); reached != before; {
		before = reached
		for t := range next {
			if has(before, t) {
				reached |= next[t]
			}
		}
	}
	return reached
}

// isFair reports whether a run that visits exactly these states infinitely often, and takes all the selected
// transitions between them, is fair.
func (f *FairStates) isFair(set uint32, a Assumption, takes func(lts.Transition) bool) bool {
	possible := map[lts.Label]bool{}
	taken := map[lts.Label]bool{}
	for s := range f.out {
		if !has(set, s) {
			continue
		}
		mustTakeAll := a.Full || a.Choices[lts.State(s)]
		for _, t := range f.out[s] {
			possible[t.Label] = true
			if takes(t) {
				taken[t.Label] = true
			} else if mustTakeAll {
				return false
			}
		}
	}
	for _, task := range a.Tasks {
		if !f.isFairTo(task, set, takes) {
			return false
		}
	}
	return a.Just.isJust(possible, taken)
}

// isFairTo reports whether a run as for [FairStates.isFair] is fair to a task: whether it does the task, or the
// task is not enabled often enough.
func (f *FairStates) isFairTo(task FairTask, set uint32, takes func(lts.Transition) bool) bool {
	enabled := uint32(0)
	for s := range f.out {
		if !has(set, s) {
			continue
		}
		for _, t := range f.out[s] {
			belongs := task.Labels[t.Label] && !(task.Nonstuttering && t.To == t.From)
			if belongs && takes(t) {
				return true
			}
			if belongs {
				enabled |= 1 << s
			}
		}
	}
	staysEnabled := enabled == set
	return !staysEnabled && !(task.Strong && enabled != 0)
}
