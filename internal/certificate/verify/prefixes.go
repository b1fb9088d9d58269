package verify

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/lts"
)

// checkPrefixes checks mp, cp, and which states are reachable. In one pass over the transitions it
// checks the conditions on each, and computes for each target the least lengths over its incoming
// transitions.
func (c *checker) checkPrefixes() {
	initial := c.model.Initial()
	if c.cp[initial] != 0 {
		fail("state %d: cp is %d, but it is 0 in the initial state", initial, c.cp[initial])
	}
	lengths := newPrefixLengths(c)
	c.eachState(func(s lts.State) {
		labels, targets := c.model.Out(s)
		for i, t := range targets {
			c.checkPrefixStep(s, labels.At(i), t)
			lengths.addStep(s, labels.At(i), t)
		}
	})
	c.eachState(func(s lts.State) {
		for j, want := range lengths.first.rowOf(s) {
			found := c.first.rowOf(s)[j]
			if found != want {
				failLength(s, "mp", int(c.mp[s]), fmt.Sprintf("first[%d]", j), found, want)
			}
		}
		if c.least[s] != lengths.least[s] {
			failLength(s, "cp", int(c.cp[s]), "least", c.least[s], lengths.least[s])
		}
	})
}

// checkPrefixStep checks the conditions that a transition puts on mp and cp: each run to its source
// can be continued by the transition.
func (c *checker) checkPrefixStep(s lts.State, l lts.Label, t lts.State) {
	if !c.listed[t] {
		fail("state %d is not listed, but transition %s enters it", t, c.transition(s, l, t))
	}
	brings := c.chain.Advance(int(c.mp[s]), l)
	if brings > int(c.mp[t]) {
		fail("state %d: mp is %d, but by transition %s it is at least %d", t, c.mp[t],
			c.transition(s, l, t), brings)
	}
	brings = c.chain.Advance(int(c.cp[s]), l)
	if brings < int(c.cp[t]) {
		fail("state %d: cp is %d, but by transition %s it is at most %d", t, c.cp[t],
			c.transition(s, l, t), brings)
	}
}

// prefixLengths are the numbers first and least, computed by the transitions from the numbers in
// the certificate. The certificate is right if it has the same numbers.
type prefixLengths struct {
	*checker
	first rows
	least []uint32
}

// newPrefixLengths returns the numbers of a model without transitions.
func newPrefixLengths(c *checker) *prefixLengths {
	p := &prefixLengths{
		checker: c,
		first:   rows{start: c.first.start, values: allNone(len(c.first.values))},
		least:   allNone(len(c.least)),
	}
	initial := c.model.Initial()
	p.first.rowOf(initial)[0] = 0
	p.least[initial] = 0
	return p
}

// addStep takes a transition into account.
func (p *prefixLengths) addStep(s lts.State, l lts.Label, t lts.State) {
	if p.chain.Advance(int(p.cp[s]), l) == int(p.cp[t]) {
		p.least[t] = min(p.least[t], p.checker.least[s]+1)
	}
	before := p.checker.first.rowOf(s)
	after := p.first.rowOf(t)
	for j := range after {
		progress := j // before the transition
		if j > 0 && p.chain.Does(l, j) {
			progress--
		}
		if progress < len(before) {
			after[j] = min(after[j], before[progress]+1)
		}
	}
}

func allNone(size int) []uint32 {
	return slices.Repeat([]uint32{none}, size)
}

// failLength fails because a length in the certificate differs from the length that the transitions
// give.
func failLength(s lts.State, claim string, value int, name string, found, want uint32) {
	if want == none {
		fail("state %d: %s is %d, but there is no evidence for it: no transition justifies %s",
			s, claim, value, name)
	}
	fail("state %d: %s is %d, but the transitions make it %d", s, name, found, want)
}
