package assume

import (
	"errors"
	"slices"

	"github.com/inev-lts/inev/internal/enrich/pending"

	"github.com/inev-lts/inev/lts"
)

// Choices are states such that the property holds on all runs that are fair to the choices of these
// states. Such a run, if it visits one of the states infinitely often, takes every transition of
// the state infinitely often.
type Choices struct {
	// States are ascending; nil if no choices are enough, or if none were found within the limit.
	States []lts.State
	// Minimal reports whether every state is needed. If there are no States, it reports whether it
	// is known that no choices are enough.
	Minimal bool
}

// FairChoices returns states such that the property holds on all runs that are fair to their
// choices, see [Choices]. Each state is needed, unless the trials to leave one out reach the limit
// of work. Such states exist iff the property holds under full fairness. The property must be a
// chain: other properties can hold on almost all runs although no choices are enough. Cost O(n (S +
// T)) for each state, and at worst again for each trial to leave one out.
func (v *Search) FairChoices(l Limits) (Choices, error) {
	x := v.sources[0]
	if l.Work > 0 {
		tooMany, err := x.needsMoreChoices(l.Work)
		if tooMany || err != nil {
			return Choices{}, err
		}
	}
	v.begin(l)
	fair := make([]bool, x.m.NumStates())
	chosen, enough, err := x.chooseEnough(fair)
	switch {
	case errors.Is(err, errLimit):
		return Choices{}, nil
	case err != nil:
		return Choices{}, err
	case !enough:
		return Choices{Minimal: true}, nil
	}
	return x.withoutSuperfluous(chosen, fair)
}

// chooseEnough chooses states until no violating set is fair to them. enough is false if no choices are
// enough.
func (v *source) chooseEnough(fair []bool) (chosen []lts.State, enough bool, err error) {
	for {
		conflict, err := v.unfairChoices(fair)
		if err != nil || len(conflict) == 0 {
			return chosen, conflict == nil, err
		}
		fair[conflict[0]] = true
		chosen = append(chosen, conflict[0])
	}
}

// withoutSuperfluous leaves out the chosen states that are superfluous given the others. Once the
// limit of work is reached, it keeps all remaining states. It changes fair, which the caller must
// not use afterwards.
func (v *source) withoutSuperfluous(chosen []lts.State, fair []bool) (Choices, error) {
	kept := Choices{States: []lts.State{}, Minimal: true}
	for i, s := range chosen {
		fair[s] = false
		isNeeded, err := v.isNeeded(s, fair)
		if errors.Is(err, errLimit) {
			kept.States = append(kept.States, chosen[i:]...)
			kept.Minimal = false
			break
		}
		if err != nil {
			return Choices{}, err
		}
		if isNeeded {
			fair[s] = true
			kept.States = append(kept.States, s)
		}
	}
	slices.Sort(kept.States)
	return kept, nil
}

// isNeeded reports whether the chosen states are not enough without s. A cheap test comes first,
// and recognises most states that are needed: a run can stay forever, with a step pending, on a
// cycle through s on which no state has fair choices.
func (v *source) isNeeded(s lts.State, fair []bool) (bool, error) {
	for step := range v.pending.Steps(s) {
		avoidsFair := func(_ lts.State, l lts.Label, to lts.State) bool {
			return !fair[to] && !v.p.Does(l, step)
		}
		onCycle, err := v.parts.OnCycle(s, avoidsFair)
		if onCycle || err != nil {
			return onCycle, err
		}
	}
	conflict, err := v.unfairChoices(fair)
	return conflict != nil, err
}

// needsMoreChoices reports whether a limit of work is too small to choose enough states. Each of
// several disjoint cycles needs a state of its own, and the search visits the component of the
// cycle to choose this state.
func (v *source) needsMoreChoices(most int64) (bool, error) {
	v.begin(Limits{})
	tooMany := false
	err := v.each(false, func(part pending.Part) (bool, error) {
		size := int64(0) // the work of one visit to the component
		for _, s := range part.States {
			labels, _ := v.m.Out(s)
			size += 1 + int64(labels.Len())
		}
		mostWork := int64(len(part.States)) * size
		if mostWork <= most {
			return true, nil
		}
		leastWork := int64(0)
		err := v.parts.DisjointCycles(part.States, v.avoids(part.Step), func([]lts.State) bool {
			leastWork += size
			return leastWork <= most
		})
		tooMany = leastWork > most
		return !tooMany, err
	})
	if err != nil || !tooMany {
		return false, err
	}
	// Choosing fails early if no choices are enough; then the limit is not too small.
	return v.holdsIfFullyFair()
}

// avoids selects the transitions whose labels do not do a step.
func (v *source) avoids(step int) transitionFilter {
	return func(_ lts.State, l lts.Label, _ lts.State) bool {
		return !v.p.Does(l, step)
	}
}

// unfairChoices searches for a violating set in which a run that is fair to the chosen states can
// stay. It returns the states, ascending, that have transitions out of the set; nil if there is no
// such set.
func (v *source) unfairChoices(fair []bool) ([]lts.State, error) {
	u := &unfair{source: v, fair: fair}
	avoids := func(_ lts.State, l lts.Label, _ lts.State) bool {
		return !v.p.Does(l, u.step)
	}
	refine := u.refine // made only once, since a model can have as many parts as states
	err := v.each(false, func(part pending.Part) (more bool, err error) {
		u.step = part.Step
		u.open = append(u.open[:0], part.States)
		for len(u.open) > 0 && u.leaving == nil {
			states := u.open[len(u.open)-1]
			u.open = u.open[:len(u.open)-1]
			if err := v.useSearched(); err != nil {
				return false, err
			}
			components, err := v.parts.Components(states, avoids)
			if err != nil {
				return false, err
			}
			components(refine)
		}
		return u.leaving == nil, nil
	})
	return u.leaving, err
}

// unfair is a search for a violating set that is fair to the chosen states.
type unfair struct {
	*source
	fair []bool // whether a state is chosen
	step int    // of the part that is searched
	// open are sets of states that are still to be searched.
	open [][]lts.State
	// leaving are the states, ascending, that have transitions out of the set that was found. It is
	// nil as long as no set was found.
	leaving []lts.State
}

// refine finds the states of a set that a run can visit infinitely often. If these are all states
// of the set, a run can stay in the set, and refine returns false. Otherwise it opens them as a new
// set.
func (u *unfair) refine(set []lts.State) (more bool) {
	r := u.source.refine(set, u.step, u.fair)
	isUnchanged := len(r.recurring) == len(set)
	switch {
	case !isUnchanged && len(r.recurring) > 0:
		u.open = append(u.open, r.recurring)
	case isUnchanged && r.hasInside:
		slices.Sort(r.leaving)
		u.leaving = r.leaving
	}
	return u.leaving == nil
}

// refined is the result of refine.
type refined struct {
	recurring []lts.State // the states that a run can visit infinitely often
	leaving   []lts.State // the states with transitions that leave the set; never nil
	hasInside bool        // whether some transition stays in the set
}

// refine finds the states of a set that a run can visit infinitely often: the states with no
// transition out of the set, and the states whose choices need not be fair.
func (v *source) refine(set []lts.State, step int, fair []bool) refined {
	isInside := v.within(set, step, nil)
	r := refined{recurring: make([]lts.State, 0, len(set)), leaving: []lts.State{}}
	for _, s := range set {
		allStay := true
		labels, targets := v.m.Out(s)
		for i, to := range targets {
			stays := isInside(s, labels.At(i), to)
			allStay = allStay && stays
			r.hasInside = r.hasInside || stays
		}
		if !allStay {
			r.leaving = append(r.leaving, s)
		}
		if allStay || !fair[s] {
			r.recurring = append(r.recurring, s)
		}
	}
	return r
}
