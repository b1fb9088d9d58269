package verify

import (
	"github.com/inev-lts/inev/lts"
)

// class is the class of a transition. The certificate counts the transitions of each class in this
// order.
type class uint8

const (
	correct class = iota
	incorrect
	neutral
	excluded
)

var classNames = [...]string{
	correct:   "correct",
	incorrect: "incorrect",
	neutral:   "neutral",
	excluded:  "excluded",
}

// classNames returns the names of the classes that can occur in the certificate.
func (c *checker) classNames() []string {
	if c.fair == nil || !c.fair.Excludes() {
		return classNames[:excluded]
	}
	return classNames[:]
}

// class returns the class of s -l-> t by Definitions 10 and 11, from numbers that are already
// checked.
func (c *checker) class(s lts.State, l lts.Label, t lts.State) class {
	switch {
	case c.table != nil:
		return c.table.class(s, l, t)
	case !c.admits(t):
		return excluded
	case c.chain.Advance(int(c.cp[s]), l)+int(c.cs[t]) >= c.numSteps:
		return correct
	case c.chain.Advance(int(c.mp[s]), l)+int(c.ms[t]) < c.numSteps:
		return incorrect
	}
	return neutral
}

// class returns the class of s -l-> t by the claims about runs from its targets in the product.
// All product states of the source count.
func (c *tableChecker) class(s lts.State, l lts.Label, t lts.State) class {
	satisfies := false
	violates := false
	for at := c.start[s]; at < c.start[int(s)+1]; at++ {
		if to, listed := c.productState(t, c.automaton.Next(c.propertyStates[at], l)); listed {
			satisfies = satisfies || c.sides[satisfying].hasRun[to]
			violates = violates || c.sides[violating].hasRun[to]
		}
	}
	switch {
	case !satisfies && !violates:
		return excluded
	case !violates:
		return correct
	case !satisfies:
		return incorrect
	}
	return neutral
}

// The kinds of neighbourhoods; 0 is for a state that is none.
const (
	kindCorrect = 1 + iota
	kindIncorrect
	kindMixedNeutral
	kindMixed
)

var kindNames = [...]string{
	"",
	kindCorrect:      "correct",
	kindIncorrect:    "incorrect",
	kindMixedNeutral: "mixed-neutral",
	kindMixed:        "mixed",
}

// checkClasses checks the class of every transition and the number of transitions of each class. It
// finds the neighbourhoods.
func (c *checker) checkClasses() {
	in := make([]uint8, len(c.listed))
	out := make([]uint8, len(c.listed)) // the classes of the transitions from each state, as bits
	c.eachState(func(s lts.State) {
		labels, targets := c.model.Out(s)
		first, _ := c.model.Row(s)
		for i, t := range targets {
			class := c.class(s, labels.At(i), t)
			claimed := c.classes[first+i]
			if claimed != class {
				fail("transition %s: class is %s, but the prefixes and suffixes of its ends make it %s",
					c.transition(s, labels.At(i), t), classNames[claimed], classNames[class])
			}
			if c.model.IsBefore(s) {
				continue // s is before the initial states
			}
			c.counts[class]++
			if class == excluded {
				continue
			}
			out[s] |= 1 << class
			in[t] |= 1 << class
		}
	})
	for k, name := range c.classNames() {
		if int(c.claimedCounts[k]) != c.counts[k] {
			fail("classes: %d transitions are said to be %s, but %d are", c.claimedCounts[k],
				name, c.counts[k])
		}
	}
	c.findKinds(in, out)
}

// findKinds finds the neighbourhoods and their kinds by Definition 12. entering and leaving have, by state, the
// classes of the transitions into it and out of it, as bits.
func (c *checker) findKinds(entering, leaving []uint8) {
	const (
		correctBit   = 1 << correct
		incorrectBit = 1 << incorrect
		neutralBit   = 1 << neutral
	)
	for s, in := range entering {
		allNeutral := in == 0 || in == neutralBit
		isEntered := allNeutral || c.usesSomeReading && in&neutralBit != 0
		hasCorrect := leaving[s]&correctBit != 0
		hasIncorrect := leaving[s]&incorrectBit != 0
		hasNeutral := leaving[s]&neutralBit != 0
		switch {
		case !c.listed[s] || !isEntered || !hasCorrect && !hasIncorrect:
		case !hasIncorrect:
			c.kinds[s] = kindCorrect
		case !hasCorrect:
			c.kinds[s] = kindIncorrect
		case hasNeutral:
			c.kinds[s] = kindMixedNeutral
		default:
			c.kinds[s] = kindMixed
		}
	}
}

// checkNeighbourhoods compares the list with the neighbourhoods that the classes imply.
func (c *checker) checkNeighbourhoods() {
	c.in.member("neighbourhoods")
	c.in.open('[')
	next := 0 // the neighbourhood that must come next
	skip := func() {
		for next < len(c.kinds) && c.kinds[next] == 0 {
			next++
		}
	}
	for skip(); c.in.more(); skip() {
		c.in.open('{')
		c.in.member("state")
		s := int(c.in.number(longest))
		switch {
		case next == len(c.kinds) || s < next:
			fail("neighbourhoods: state %d is listed, but is not one, or was listed before", s)
		case s > next:
			fail("neighbourhoods: state %d is one, but not listed", next)
		}
		c.in.member("kind")
		kind := c.in.word(kindNames[:]...)
		if kind != int(c.kinds[s]) {
			fail("neighbourhood %d: kind is %s, but the classes make it %s", s, kindNames[kind],
				kindNames[c.kinds[s]])
		}
		c.in.member("distance_from_initial")
		distance := c.in.number(longest)
		want := c.distance(lts.State(s))
		if distance != want {
			fail("neighbourhood %d: distance_from_initial is %d, but the distance is %d", s, distance,
				want)
		}
		c.in.end('}')
		next++
	}
	if next < len(c.kinds) {
		fail("neighbourhoods: state %d is one, but not listed", next)
	}
}

// distance returns the number of transitions of a shortest run to s, from where runs begin.
func (c *checker) distance(s lts.State) uint32 {
	shortest := uint32(none)
	if c.table == nil {
		shortest = c.first.rowOf(s)[0]
	} else {
		for _, length := range c.table.first[c.table.start[s]:c.table.start[int(s)+1]] {
			shortest = min(shortest, length)
		}
	}
	return shortest - uint32(c.model.Before())
}
