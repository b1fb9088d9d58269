package verify

import (
	"fmt"

	"github.com/inev-lts/inev/lts"
)

// checkPrefixes checks which states are reachable, mp and cp. One pass over the
// transitions checks what holds for each of them, and gathers at its target the
// least lengths that its incoming transitions bring.
func (c *checker) checkPrefixes() error {
	initial := c.m.Initial()
	if c.cp[initial] != 0 {
		return fmt.Errorf("state %d: cp is %d, but it is 0 in the initial state", initial, c.cp[initial])
	}
	first := rows{start: c.first.start, values: filled(len(c.first.values))}
	least := filled(len(c.least))
	first.of(initial)[0], least[initial] = 0, 0
	err := c.each(func(s lts.State) error {
		labels, targets := c.m.Out(s)
		for i, t := range targets {
			if err := c.checkEntry(s, labels.At(i), t); err != nil {
				return err
			}
			c.gather(s, labels.At(i), t, first.of(t))
			if c.p.Advance(int(c.cp[s]), labels.At(i)) == int(c.cp[t]) {
				least[t] = min(least[t], c.least[s]+1)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.each(func(s lts.State) error {
		for j, want := range first.of(s) {
			if found := c.first.of(s)[j]; found != want {
				return wrong(s, "mp", int(c.mp[s]), fmt.Sprintf("first[%d]", j), found, want)
			}
		}
		if c.least[s] != least[s] {
			return wrong(s, "cp", int(c.cp[s]), "least", c.least[s], least[s])
		}
		return nil
	})
}

// checkEntry checks what holds for every transition.
func (c *checker) checkEntry(s lts.State, l lts.Label, t lts.State) error {
	if !c.listed[t] {
		return fmt.Errorf("state %d is not listed, but transition %s enters it", t, c.transition(s, l, t))
	}
	if brings := c.p.Advance(int(c.mp[s]), l); brings > int(c.mp[t]) {
		return fmt.Errorf("state %d: mp is %d, but transition %s brings %d", t, c.mp[t], c.transition(s, l, t), brings)
	}
	if brings := c.p.Advance(int(c.cp[s]), l); brings < int(c.cp[t]) {
		return fmt.Errorf("state %d: cp is %d, but transition %s brings %d", t, c.cp[t], c.transition(s, l, t), brings)
	}
	return nil
}

// gather lowers the lengths of t to those that come by s -l-> t.
func (c *checker) gather(s lts.State, l lts.Label, t lts.State, lengths []uint32) {
	from := c.first.of(s)
	for j := range lengths {
		i := j
		if j > 0 && c.p.Does(l, j) {
			i = j - 1
		}
		if i < len(from) {
			lengths[j] = min(lengths[j], from[i]+1)
		}
	}
}

func filled(size int) []uint32 {
	values := make([]uint32, size)
	for i := range values {
		values[i] = none
	}
	return values
}

// wrong tells of a length other than what the neighbouring states make it.
func wrong(s lts.State, claim string, value int, name string, found, want uint32) error {
	if want == none {
		return fmt.Errorf("state %d: %s is %d, but there is no evidence for it: no transition justifies %s", s, claim, value, name)
	}
	return fmt.Errorf("state %d: %s is %d, but the transitions make it %d", s, name, found, want)
}
