package assume

import (
	"errors"
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// Choices are states at which choices that are made again and again all ways make a
// property true.
type Choices struct {
	// States are ascending; nil if no choices suffice, or none were found within the
	// limit.
	States []lts.State
	// Minimal reports whether none of them can be left out, and, where there are none,
	// that no choices suffice.
	Minimal bool
}

// HasChoices reports whether [Search.FairChoices] answers: of a chain. Of another property
// that holds on almost all runs there may be no choices that suffice. Cost O(1).
func (v *Search) HasChoices() bool { return len(v.sources) == 1 && v.sources[0].pending != nil }

// FairChoices returns a set of states such that the property of e holds on all runs that
// take every transition of each of them infinitely often which come there infinitely
// often. None can be left out, unless the limit of work ends the trials. There is such a
// set exactly where the property holds under full fairness. It serves where
// [Search.HasChoices] says so. Cost O(n (S + T)) for each state of the set, and at worst again
// for each that is tried to be left out.
func (v *Search) FairChoices(l Limits) (Choices, error) { return v.sources[0].fairChoices(l) }

// fairChoices is [Search.FairChoices] for a source.
func (v *source) fairChoices(l Limits) (Choices, error) {
	if l.Work > 0 {
		if many, err := v.manyChoices(l.Work); many || err != nil {
			return Choices{}, err
		}
	}
	v.begin(l)
	fair := make([]bool, v.m.NumStates())
	var chosen []lts.State
	for {
		conflict, err := v.unfairChoices(fair)
		switch {
		case errors.Is(err, errLimit):
			return Choices{}, nil
		case err != nil:
			return Choices{}, err
		}
		if conflict == nil {
			break
		}
		if len(conflict) == 0 {
			return Choices{Minimal: true}, nil
		}
		fair[conflict[0]] = true
		chosen = append(chosen, conflict[0])
	}
	minimal, err := v.leaveOut(&chosen, fair)
	slices.Sort(chosen)
	return Choices{States: chosen, Minimal: minimal}, err
}

// manyChoices reports whether the limit of work is too small to choose states: of cycles of
// which no two have a state in common, each needs one of its own, and to choose it its part is
// gone through.
func (v *source) manyChoices(most int64) (many bool, err error) {
	v.begin(Limits{})
	err = v.each(func(_ scc.Component, states []lts.State, step int) (bool, error) {
		size, sum := int64(0), int64(0)
		for _, s := range states {
			labels, _ := v.m.Out(s)
			size += 1 + int64(labels.Len())
		}
		if int64(len(states))*size <= most {
			return true, nil
		}
		err := v.parts.DisjointCycles(states, v.avoids(step), func([]lts.State) bool {
			sum += size
			return sum <= most
		})
		many = sum > most
		return !many, err
	})
	if !many || err != nil {
		return false, err
	}
	// Where no choices suffice, that may be known at once.
	full, err := property.NewFairness(v.m.Alphabet(), true, nil, nil)
	if err != nil {
		return false, err
	}
	violated, err := v.Violates(full)
	return !violated, err
}

// avoids returns what selects the transitions that do not do a step.
func (v *source) avoids(step int) shows {
	return func(_ lts.State, l lts.Label, _ lts.State) bool { return !v.p.Does(l, step) }
}

// leaveOut leaves out the chosen states without which the others suffice, and reports
// whether it came to an end within the limit.
func (v *source) leaveOut(chosen *[]lts.State, fair []bool) (bool, error) {
	kept := []lts.State{}
	for i, s := range *chosen {
		fair[s] = false
		needed, err := v.isAlone(s, fair)
		if err == nil && !needed {
			var conflict []lts.State
			conflict, err = v.unfairChoices(fair)
			needed = conflict != nil
		}
		if err != nil {
			*chosen = append(kept, (*chosen)[i:]...)
			if errors.Is(err, errLimit) {
				err = nil
			}
			return false, err
		}
		if needed {
			fair[s] = true
			kept = append(kept, s)
		}
	}
	*chosen = kept
	return true, nil
}

// isAlone reports whether a run can stay for ever on a cycle through a state, with a step
// still to come, on which no choice is fair. Most states that are needed are so for one.
func (v *source) isAlone(s lts.State, fair []bool) (bool, error) {
	for step := range v.pending.Steps(s) {
		is, err := v.parts.OnCycle(s, func(_ lts.State, l lts.Label, to lts.State) bool { return !fair[to] && !v.p.Does(l, step) })
		if is || err != nil {
			return is, err
		}
	}
	return false, nil
}

// unfairChoices returns, of a violating set that a run can take which makes all fair
// choices all ways, the states that some transition leaves which is not in the set,
// ascending; nil if there is no such set.
func (v *source) unfairChoices(fair []bool) ([]lts.State, error) {
	var conflict []lts.State
	err := v.each(func(_ scc.Component, states []lts.State, step int) (bool, error) {
		work := [][]lts.State{states}
		for len(work) > 0 && conflict == nil {
			part := work[len(work)-1]
			work = work[:len(work)-1]
			if err := v.searched(); err != nil {
				return false, err
			}
			err := v.parts.Components(part, v.avoids(step), func(set []lts.State) (bool, error) {
				left, partial := v.refineChoices(set, step, fair)
				switch {
				case len(left) < len(set):
					if len(left) > 0 {
						work = append(work, left)
					}
				case v.hasTransition(set, step):
					slices.Sort(partial)
					conflict = partial
					return false, nil
				}
				return true, nil
			})
			if err != nil {
				return false, err
			}
		}
		return conflict == nil, nil
	})
	return conflict, err
}

// refineChoices returns the states of a set all transitions of which stay in it or whose
// choices need not be fair, and those that some transition leaves.
func (v *source) refineChoices(set []lts.State, step int, fair []bool) (left, partial []lts.State) {
	shows := v.within(set, step, nil)
	partial = []lts.State{}
	for _, s := range set {
		labels, targets := v.m.Out(s)
		all := true
		for i, t := range targets {
			all = all && shows(s, labels.At(i), t)
		}
		if !all {
			partial = append(partial, s)
		}
		if all || !fair[s] {
			left = append(left, s)
		}
	}
	return left, partial
}

// hasTransition reports whether a set has a transition.
func (v *source) hasTransition(set []lts.State, step int) bool {
	shows := v.within(set, step, nil)
	for _, s := range set {
		labels, targets := v.m.Out(s)
		for i, t := range targets {
			if shows(s, labels.At(i), t) {
				return true
			}
		}
	}
	return false
}
