package verify

import (
	"fmt"

	"github.com/inev-lts/inev/lts"
)

// class is the class of a transition, in the order in which they are counted.
type class uint8

const (
	correct class = iota
	incorrect
	neutral
	excluded
)

var classNames = [...]string{correct: "correct", incorrect: "incorrect", neutral: "neutral", excluded: "excluded"}

// classNames returns the names of the classes that there can be.
func (c *checker) classNames() []string {
	if c.outcast == nil {
		return classNames[:excluded]
	}
	return classNames[:]
}

// classOf returns the class that a letter stands for.
func classOf(letter byte) (class, bool) {
	for k, name := range classNames {
		if name[0] == letter {
			return class(k), true
		}
	}
	return 0, false
}

// class returns the class of s -l-> t by Definitions 10 and 11, from numbers
// that have been checked.
func (c *checker) class(s lts.State, l lts.Label, t lts.State) class {
	switch {
	case c.table != nil:
		return c.table.class(s, l, t)
	case !c.admits(t):
		return excluded
	case c.p.Advance(int(c.cp[s]), l)+int(c.cs[t]) >= c.n:
		return correct
	case c.p.Advance(int(c.mp[s]), l)+int(c.ms[t]) < c.n:
		return incorrect
	}
	return neutral
}

// kindNames are the kinds of neighbourhoods; the first stands for none.
var kindNames = [...]string{"", "correct", "incorrect", "mixed-neutral", "mixed"}

// ends are the classes of the transitions at a state, a bit for each.
type ends struct{ in, out uint8 }

// kind returns the kind of a neighbourhood as an index into kindNames, 0 if
// the state is none (Definition 12).
func (e ends) kind(some bool) uint8 {
	const c, i, n = 1 << correct, 1 << incorrect, 1 << neutral
	entered := e.in == 0 || e.in == n || some && e.in&n != 0
	switch {
	case !entered || e.out&(c|i) == 0:
		return 0
	case e.out&i == 0:
		return 1
	case e.out&c == 0:
		return 2
	case e.out&n != 0:
		return 3
	}
	return 4
}

// checkClasses checks the class of every transition and their numbers, and finds
// out which states are neighbourhoods.
func (c *checker) checkClasses() error {
	at := make([]ends, len(c.listed))
	err := c.each(func(s lts.State) error {
		labels, targets := c.m.Out(s)
		first, _ := c.m.Row(s)
		for i, t := range targets {
			is := c.class(s, labels.At(i), t)
			if claimed := c.classes[first+i]; claimed != is {
				return fmt.Errorf("transition %s: class is %s, but the prefixes and suffixes of its ends make it %s",
					c.transition(s, labels.At(i), t), classNames[claimed], classNames[is])
			}
			c.counts[is]++
			if is == excluded {
				continue
			}
			at[s].out |= 1 << is
			at[t].in |= 1 << is
		}
		return nil
	})
	if err != nil {
		return err
	}
	for k, name := range c.classNames() {
		if int(c.claimedCounts[k]) != c.counts[k] {
			return fmt.Errorf("classes: %d transitions are said to be %s, but %d are", c.claimedCounts[k], name, c.counts[k])
		}
	}
	for s, e := range at {
		if c.listed[s] {
			c.kinds[s] = e.kind(c.some)
		}
	}
	return nil
}

// distance returns the length of a shortest run to a listed state.
func (c *checker) distance(s lts.State) uint32 {
	if c.table != nil {
		return c.table.distance(s)
	}
	return c.first.of(s)[0]
}

// checkNeighbourhoods compares the list with the neighbourhoods that follow from the classes.
func (c *checker) checkNeighbourhoods() error {
	c.in.member("neighbourhoods")
	c.in.open('[')
	at := 0
	skip := func() {
		for at < len(c.kinds) && c.kinds[at] == 0 {
			at++
		}
	}
	for skip(); c.in.more(); skip() {
		c.in.open('{')
		c.in.member("state")
		s := int(c.in.number(longest))
		switch {
		case c.in.err != nil:
			return c.in.err
		case at == len(c.kinds) || s < at:
			return fmt.Errorf("neighbourhoods: state %d is listed, but it is none, or was listed before", s)
		case s > at:
			return fmt.Errorf("neighbourhoods: state %d is one, but not listed", at)
		}
		c.in.member("kind")
		if kind := c.in.word(kindNames[:]...); c.in.err == nil && kind != int(c.kinds[s]) {
			return fmt.Errorf("neighbourhood %d: kind is %s, but the classes make it %s", s, kindNames[kind], kindNames[c.kinds[s]])
		}
		c.in.member("distance_from_initial")
		distance := c.in.number(longest)
		if want := c.distance(lts.State(s)); c.in.err == nil && distance != want {
			return fmt.Errorf("neighbourhood %d: distance_from_initial is %d, but it is %d", s, distance, want)
		}
		c.in.end('}')
		at++
	}
	if c.in.err == nil && at < len(c.kinds) {
		return fmt.Errorf("neighbourhoods: state %d is one, but not listed", at)
	}
	return c.in.err
}
