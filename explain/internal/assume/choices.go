package assume

import (
	"errors"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Choices are states such that the property holds on all runs that are fair to their choices: a run
// that visits such a state infinitely often takes every transition of the state infinitely often.
type Choices struct {
	// States are ascending; nil if no choices are enough, or if none were found within the limit.
	States []lts.State
	// Minimal reports whether every state is needed; if there are no States, whether it is known
	// that no choices are enough.
	Minimal bool
}

// FairChoices returns states such that the property holds on all runs that are fair to their
// choices, see [Choices]. Each state is needed, unless the trials to leave one out reach the limit
// of work. Such states exist if and only if the property holds under full fairness. The property must
// be a chain: another one can hold on almost all runs although no choices are enough. Cost O(n (S +
// T)) for each state, and at worst again for each trial to leave one out.
func (v *Search) FairChoices(l Limits) (_ Choices, err error) {
	defer abort.Caught(&err)
	x := v.sources[0]
	if l.Work > 0 && x.manyChoices(l.Work) {
		return Choices{}, nil
	}
	v.begin(l)
	fair := make([]bool, x.m.NumStates())
	var chosen []lts.State
	enough := false
	err = abort.Try(func() {
		conflict := x.unfairChoices(fair)
		for ; len(conflict) > 0; conflict = x.unfairChoices(fair) {
			fair[conflict[0]] = true
			chosen = append(chosen, conflict[0])
		}
		enough = conflict == nil
	})
	switch {
	case errors.Is(err, errLimit):
		return Choices{}, nil
	case err != nil:
		return Choices{}, err
	case !enough:
		return Choices{Minimal: true}, nil
	}
	chosen, minimal := x.leaveOut(chosen, fair)
	slices.Sort(chosen)
	return Choices{States: chosen, Minimal: minimal}, nil
}

// manyChoices reports whether the limit of work is too small to choose states. Each of several
// disjoint cycles needs a state of its own, and to choose it, the search visits the component of
// the cycle.
func (v *source) manyChoices(most int64) (many bool) {
	v.begin(Limits{})
	for at := range v.each(false) {
		size, sum := int64(0), int64(0)
		for _, s := range at.States {
			labels, _ := v.m.Out(s)
			size += 1 + int64(labels.Len())
		}
		if int64(len(at.States))*size <= most {
			continue
		}
		abort.On(v.parts.DisjointCycles(at.States, v.avoids(at.Step), func([]lts.State) bool {
			sum += size
			return sum <= most
		}))
		if many = sum > most; many {
			break
		}
	}
	// One question may show that no choices are enough.
	return many && !v.violates(abort.Must(property.NewFairness(v.m.Alphabet(), true, nil, nil)))
}

// avoids selects the transitions whose labels do not do a step.
func (v *source) avoids(step int) shows {
	return func(_ lts.State, l lts.Label, _ lts.State) bool { return !v.p.Does(l, step) }
}

// leaveOut returns the chosen states without those that are superfluous given the others, and
// reports whether it finished within the limit.
func (v *source) leaveOut(chosen []lts.State, fair []bool) (kept []lts.State, minimal bool) {
	kept = []lts.State{}
	for i, s := range chosen {
		fair[s] = false
		needed := false
		err := abort.Try(func() { needed = v.isAlone(s, fair) || v.unfairChoices(fair) != nil })
		if errors.Is(err, errLimit) {
			return append(kept, chosen[i:]...), false
		}
		if abort.On(err); needed {
			fair[s] = true
			kept = append(kept, s)
		}
	}
	return kept, true
}

// isAlone reports whether a run can stay for ever, with a step pending, on a cycle through s that
// has no state with fair choices. It is a cheap test that recognises most states that are needed.
func (v *source) isAlone(s lts.State, fair []bool) bool {
	for step := range v.pending.Steps(s) {
		if abort.Must(v.parts.OnCycle(s, func(_ lts.State, l lts.Label, to lts.State) bool { return !fair[to] && !v.p.Does(l, step) })) {
			return true
		}
	}
	return false
}

// unfairChoices searches for a violating set where a run can stay that is fair to the chosen
// states. It returns the states, ascending, with transitions that leave the set; nil if there is no
// such set.
func (v *source) unfairChoices(fair []bool) []lts.State {
	for at := range v.each(false) {
		work := [][]lts.State{at.States}
		for len(work) > 0 {
			part := work[len(work)-1]
			work = work[:len(work)-1]
			v.searched()
			for set := range abort.Must(v.parts.Components(part, v.avoids(at.Step))) {
				left, partial := v.refineChoices(set, at.Step, fair)
				switch {
				case len(left) < len(set):
					if len(left) > 0 {
						work = append(work, left)
					}
				case v.hasTransition(set, at.Step):
					slices.Sort(partial)
					return partial
				}
			}
		}
	}
	return nil
}

// refineChoices returns the states of a set that a run can visit infinitely often, since all their
// transitions stay in the set or their choices need not be fair; and the states that some
// transition leaves.
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

// hasTransition reports whether some transition stays in a set.
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
