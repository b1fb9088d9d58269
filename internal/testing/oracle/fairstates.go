package oracle

import (
	"fmt"
	"math/bits"

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
	m *lts.LTS
	k monitor
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
		m:       m,
		k:       steps,
		out:     make([][]lts.Transition, m.NumStates()),
		reached: make([]uint32, len(steps)+1),
	}
	for t := range m.Transitions() {
		f.out[t.From] = append(f.out[t.From], t)
	}
	for s, at := range arrivals(f.out, m.Initial(), f.k) {
		for j, is := range at {
			if is {
				f.reached[j] |= 1 << s
			}
		}
	}
	return f, nil
}

// Deadlock reports whether some run that ends in a deadlock violates the
// property.
func (f *FairStates) Deadlock() bool {
	for s := range f.out {
		for j := range f.k {
			if len(f.out[s]) == 0 && f.reached[j]>>s&1 != 0 {
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
	for j := range f.k {
		avoids := func(l lts.Label) bool { return !f.k[j][l] }
		if f.someSet(f.reached[j], a, avoids) {
			return false
		}
	}
	return f.counts(a)
}

// Feasible reports whether every finite path from the initial state has a continuation that does some
// labels finitely often.
func (f *FairStates) Feasible(rare map[lts.Label]bool) bool {
	without := make([]bool, len(f.out)) // the states where a run begins without the labels
	for s := range without {
		without[s] = true
	}
	continues := func(s int) bool {
		for _, t := range f.out[s] {
			if !rare[t.Label] && without[t.To] {
				return true
			}
		}
		return len(f.out[s]) == 0
	}
	for range f.out {
		for s := range without {
			without[s] = without[s] && continues(s)
		}
	}
	comes := without
	for range f.out {
		for s := range comes {
			for _, t := range f.out[s] {
				comes[s] = comes[s] || comes[t.To]
			}
		}
	}
	for _, states := range f.reached {
		for s := range comes {
			if states>>s&1 != 0 && !comes[s] {
				return false
			}
		}
	}
	return true
}

// counts reports whether some run counts.
func (f *FairStates) counts(a Assumption) bool {
	all := uint32(0)
	for _, states := range f.reached {
		all |= states
	}
	for s := range f.out {
		if len(f.out[s]) == 0 && all>>s&1 != 0 {
			return true
		}
	}
	return f.someSet(all, a, func(lts.Label) bool { return true })
}

// someSet reports whether a run can take transitions with allowed labels between
// some of the states forever, fairly.
func (f *FairStates) someSet(among uint32, a Assumption, allowed func(lts.Label) bool) bool {
	for set := among; set != 0; set = (set - 1) & among {
		takes := func(t lts.Transition) bool {
			return set>>t.To&1 != 0 && allowed(t.Label) && !a.Rare[t.Label]
		}
		if f.connected(set, takes) && f.isFair(set, a, takes) {
			return true
		}
	}
	return false
}

// connected reports whether the selected transitions lead from each state to
// each, by at least one of them.
func (f *FairStates) connected(set uint32, takes func(lts.Transition) bool) bool {
	var next [MostStatesForFair]uint32
	for s := range f.out {
		if set>>s&1 == 0 {
			continue
		}
		for _, t := range f.out[s] {
			if takes(t) {
				next[s] |= 1 << t.To
			}
		}
		if next[s] == 0 {
			return false
		}
	}
	for s := range f.out {
		if set>>s&1 == 0 {
			continue
		}
		met := next[s]
		for before := uint32(0); met != before; {
			before = met
			for t := range f.out {
				if before>>t&1 != 0 {
					met |= next[t]
				}
			}
		}
		if met != set {
			return false
		}
	}
	return true
}

// isFair reports whether a run that takes these transitions forever is fair.
func (f *FairStates) isFair(set uint32, a Assumption, takes func(lts.Transition) bool) bool {
	for s := range f.out {
		for _, t := range f.out[s] {
			if set>>s&1 != 0 && (a.Full || a.Choices[lts.State(s)]) && !takes(t) {
				return false
			}
		}
	}
	for _, task := range a.Tasks {
		enabled, taken := uint32(0), false
		for s := range f.out {
			for _, t := range f.out[s] {
				if set>>s&1 != 0 && task.Labels[t.Label] &&
					!(task.Nonstuttering && t.To == t.From) {
					enabled |= 1 << s
					taken = taken || takes(t)
				}
			}
		}
		if !taken && (enabled == set || task.Strong && bits.OnesCount32(enabled) > 0) {
			return false
		}
	}
	possible, done := map[lts.Label]bool{}, map[lts.Label]bool{}
	for s := range f.out {
		for _, t := range f.out[s] {
			if set>>s&1 != 0 {
				possible[t.Label] = true
				done[t.Label] = done[t.Label] || takes(t)
			}
		}
	}
	for l, is := range done {
		if !is {
			delete(done, l)
		}
	}
	return a.Just.isJust(possible, done)
}
