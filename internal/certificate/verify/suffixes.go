package verify

import (
	"fmt"

	"github.com/inev-lts/inev/lts"
)

// checkSuffixes checks ms and cs.
func (c *checker) checkSuffixes() {
	c.eachState(func(s lts.State) {
		if c.admits(s) {
			c.checkCS(s)
			c.checkMS(s)
			return
		}
		labels, targets := c.model.Out(s)
		switch {
		case c.fair.MayEnd(c.model, s):
			fail("state %d is said not to be admitted, but a run may end there", s)
		case c.ms[s] > 0 || c.cs[s] > 0:
			fail("state %d is said not to be admitted, but ms and cs are not 0", s)
		case c.home[s] != none || c.settle[s] > 0:
			fail("state %d is said not to be admitted, but to have a run that counts", s)
		}
		for i, t := range targets {
			if c.admits(t) {
				fail("state %d is said not to be admitted, but transition %s leads to a state that is", s, c.transition(s, labels.At(i), t))
			}
		}
	})
}

// checkMS checks ms of a state: no transition brings a longer suffix, and the ranks in next prove
// that some run does a suffix of this length.
func (c *checker) checkMS(s lts.State) {
	labels, targets := c.model.Out(s)
	for i, t := range targets {
		if !c.admits(t) {
			continue
		}
		length := c.chain.AdvanceSuffix(int(c.ms[t]), labels.At(i))
		if length > int(c.ms[s]) {
			fail("state %d: ms is %d, but by transition %s it is at least %d", s, c.ms[s],
				c.transition(s, labels.At(i), t), length)
		}
	}
	for i, rank := range c.next.rowOf(s) {
		want := c.rankOfSuffix(s, i+1)
		if rank != want {
			failLength(s, "ms", int(c.ms[s]), fmt.Sprintf("next[%d]", i), rank, want)
		}
	}
}

// rankOfSuffix returns the rank that next must have in a state for the suffix of m steps. It is 1
// if a transition does the last remaining step. Otherwise it is one more than the least rank of a
// target for the remaining steps, or none if no target has such a rank.
func (c *checker) rankOfSuffix(s lts.State, m int) uint32 {
	rank := uint32(none)
	labels, targets := c.model.Out(s)
	for j, t := range targets {
		if !c.admits(t) {
			continue
		}
		rest := m
		if c.chain.Does(labels.At(j), c.numSteps-m+1) {
			rest--
		}
		switch {
		case rest == 0:
			rank = 1
		case rest <= int(c.ms[t]):
			rank = min(rank, c.next.rowOf(t)[rest-1]+1)
		}
	}
	return rank
}

// checkCS checks cs and due of a state.
func (c *checker) checkCS(s lts.State) {
	if c.fair.MayEnd(c.model, s) {
		c.checkCSOfEnd(s)
		return
	}
	c.checkLeastCS(s)
	if c.fair == nil { // else checkFairness checks due
		c.checkDue(s)
	}
}

// checkCSOfEnd checks cs of a state where a run may end.
func (c *checker) checkCSOfEnd(s lts.State) {
	if c.cs[s] == 0 {
		return
	}
	where := "in a deadlock"
	if !c.model.IsDeadlock(s) {
		where = "where a run may end"
	}
	fail("state %d: cs is %d, but it is 0 %s", s, c.cs[s], where)
}

// checkLeastCS checks that cs of a state is the least number that its transitions bring.
func (c *checker) checkLeastCS(s lts.State) {
	labels, targets := c.model.Out(s)
	least := c.numSteps + 1
	by := 0
	for i, t := range targets {
		brings := c.chain.AdvanceSuffix(int(c.cs[t]), labels.At(i))
		if c.admits(t) && brings < least {
			least = brings
			by = i
		}
	}
	if least > c.numSteps {
		fail("state %d is said to be admitted, but no transition leads on to such a state", s)
	}
	if least != int(c.cs[s]) {
		fail("state %d: cs is %d, but the transitions make it %d, the value by %s", s, c.cs[s],
			least, c.transition(s, labels.At(by), targets[by]))
	}
}

// checkDue checks the numbers due of a state.
func (c *checker) checkDue(s lts.State) {
	labels, targets := c.model.Out(s)
	for i, found := range c.due.rowOf(s) {
		m := i + 1
		greatest := uint32(0)
		for j, t := range targets {
			// If step n-m+1 is not done, cs(t) >= m follows from what checkLeastCS checks.
			if !c.chain.Does(labels.At(j), c.numSteps-m+1) {
				greatest = max(greatest, c.due.rowOf(t)[i])
			}
		}
		if found != greatest+1 {
			failLength(s, "cs", int(c.cs[s]), fmt.Sprintf("due[%d]", i), found, greatest+1)
		}
	}
}
