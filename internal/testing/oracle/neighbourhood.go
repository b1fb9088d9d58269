package oracle

import "github.com/inev-lts/inev/lts"

// Class is the class of a transition.
type Class string

// A transition is correct if every maximal trace through it satisfies the
// property, and incorrect if none does.
const (
	Neutral   Class = "neutral"
	Correct   Class = "correct"
	Incorrect Class = "incorrect"
)

// Class returns the class of t, a transition that leaves a reachable state. It
// considers every progress with which t can be taken.
func (o *Oracle) Class(t lts.Transition) Class {
	found := make(map[Class]bool)
	for j, arrives := range o.arrives[t.From] {
		if arrives {
			found[o.ClassAfter(j, t)] = true
		}
	}
	switch {
	case len(found) > 1 || found[Neutral]:
		return Neutral
	case found[Correct]:
		return Correct
	}
	return Incorrect
}

// ClassAfter returns the class of t for only those traces that reach it with the
// given progress.
func (o *Oracle) ClassAfter(progress int, t lts.Transition) Class {
	after := o.steps.advance(progress, t.Label)
	switch {
	case o.everySatisfies[t.To][after]:
		return Correct
	case !o.someSatisfies[t.To][after]:
		return Incorrect
	}
	return Neutral
}

// Reading is an interpretation of the condition on the incoming transitions of a
// neighbourhood.
type Reading string

// All requires by Definition 12 that every incoming transition is neutral. Some requires, as in the
// text above the definition, that one is neutral or that there is none.
const (
	All  Reading = "all"
	Some Reading = "some"
)

// Kind is the kind of a neighbourhood, by its outgoing transitions.
type Kind string

// The kinds. A mixed-neutral neighbourhood has a neutral outgoing transition, a mixed one has none,
// and the others may have one.
const (
	KindCorrect      Kind = "correct"
	KindIncorrect    Kind = "incorrect"
	KindMixedNeutral Kind = "mixed-neutral"
	KindMixed        Kind = "mixed"
)

// Neighbourhoods returns the states that are neighbourhoods in this reading,
// with their kinds.
func (o *Oracle) Neighbourhoods(r Reading) map[lts.State]Kind {
	kinds := make(map[lts.State]Kind)
	for s := range o.out {
		s := lts.State(s)
		if !o.Reachable(s) || !o.isEntered(s, r) {
			continue
		}
		if kind, decides := o.kind(s); decides {
			kinds[s] = kind
		}
	}
	return kinds
}

// isEntered reports whether the incoming transitions of s satisfy the reading.
// Transitions from unreachable states do not count.
func (o *Oracle) isEntered(s lts.State, r Reading) bool {
	incoming := 0
	neutral := 0
	for from := range o.out {
		if !o.Reachable(lts.State(from)) {
			continue
		}
		for _, t := range o.out[from] {
			if t.To != s {
				continue
			}
			incoming++
			if o.Class(t) == Neutral {
				neutral++
			}
		}
	}
	if r == All {
		return neutral == incoming
	}
	return neutral > 0 || incoming == 0
}

// kind returns the kind of s by its outgoing transitions, and whether one of
// these is correct or incorrect.
func (o *Oracle) kind(s lts.State) (kind Kind, decides bool) {
	leaving := make(map[Class]bool)
	for _, t := range o.out[s] {
		leaving[o.Class(t)] = true
	}
	switch {
	case leaving[Correct] && leaving[Incorrect] && leaving[Neutral]:
		return KindMixedNeutral, true
	case leaving[Correct] && leaving[Incorrect]:
		return KindMixed, true
	case leaving[Correct]:
		return KindCorrect, true
	case leaving[Incorrect]:
		return KindIncorrect, true
	}
	return "", false
}
