package repair

import (
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/property"
)

// mostPairs is the largest number of pairs of an acceptance condition for which a game is solved.
const mostPairs = 256

// condition is an acceptance condition in disjunctive normal form, with its complement in the same
// form.
type condition struct {
	accept property.Acceptance
	// good are the pairs of the condition, and bad are the pairs of its complement. A run satisfies
	// a pair if no colour of Fin recurs, and each colour of Inf does.
	good, bad []property.Pair
}

// newCondition returns the normal forms of the condition of a property. The property is not
// supported if one of them has too many pairs.
func newCondition(p *property.Property) *condition {
	good, few := p.Acceptance().Pairs(mostPairs)
	bad, fewBad := p.Acceptance().Not().Pairs(mostPairs)
	if !few || !fewBad {
		abort.On(UnsupportedError{p.String(), whyPairs})
	}
	return &condition{accept: p.Acceptance(), good: good, bad: bad}
}

// matters returns the colours of m that the condition mentions.
func (c *condition) matters(m property.Marks) property.Marks {
	all, _ := c.accept.Colours()
	return m & all
}

// recurring returns sets of colours such that every run that satisfies the condition takes some
// colour of each set infinitely often.
func (c *condition) recurring() []property.Marks {
	var sets []property.Marks
	for _, p := range c.bad {
		if p.Inf == 0 {
			sets = append(sets, p.Fin)
		}
	}
	return sets
}

// opposed returns the maximal subsets of a set of colours for which the condition has the opposite
// value: it accepts them iff it rejects the set.
func (c *condition) opposed(all property.Marks) []property.Marks {
	pairs := c.good
	if c.accept.Holds(all) {
		pairs = c.bad
	}
	var sets []property.Marks
	for _, p := range pairs {
		set := all &^ p.Fin
		if p.Inf&^set == 0 {
			sets = addMaximal(sets, set)
		}
	}
	return sets
}

// addMaximal adds a set of colours unless one of the sets contains it, and removes the sets that
// the new set contains. No set contains another one, before or after. addMaximal may change the
// slice.
func addMaximal(sets []property.Marks, set property.Marks) []property.Marks {
	for _, other := range sets {
		if set&^other == 0 {
			return sets
		}
	}
	kept := sets[:0]
	for _, other := range sets {
		if other&^set != 0 {
			kept = append(kept, other)
		}
	}
	return append(kept, set)
}
