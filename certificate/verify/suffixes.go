package verify

import (
	"fmt"

	"github.com/inev-lts/inev/lts"
)

// checkSuffixes checks ms and cs.
func (c *checker) checkSuffixes() error {
	return c.each(func(s lts.State) error {
		if !c.admits(s) {
			return c.checkOutcast(s)
		}
		if err := c.checkCS(s); err != nil {
			return err
		}
		return c.checkMS(s)
	})
}

func (c *checker) checkMS(s lts.State) error {
	labels, targets := c.m.Out(s)
	for i, t := range targets {
		if !c.admits(t) {
			continue
		}
		if brings := c.p.AdvanceSuffix(int(c.ms[t]), labels.At(i)); brings > int(c.ms[s]) {
			return fmt.Errorf("state %d: ms is %d, but transition %s brings %d", s, c.ms[s], c.transition(s, labels.At(i), t), brings)
		}
	}
	for i, found := range c.next.of(s) {
		m := i + 1
		want := uint32(none)
		for j, t := range targets {
			if !c.admits(t) {
				continue
			}
			rest := m
			if c.p.Does(labels.At(j), c.n-m+1) {
				rest--
			}
			switch {
			case rest == 0:
				want = 1
			case rest <= int(c.ms[t]):
				want = min(want, c.next.of(t)[rest-1]+1)
			}
		}
		if found != want {
			return wrong(s, "ms", int(c.ms[s]), fmt.Sprintf("next[%d]", i), found, want)
		}
	}
	return nil
}

func (c *checker) checkCS(s lts.State) error {
	labels, targets := c.m.Out(s)
	if c.fair.MayEnd(c.m, s) {
		if c.cs[s] > 0 {
			where := "in a deadlock"
			if !c.m.IsDeadlock(s) {
				where = "where a run may end"
			}
			return fmt.Errorf("state %d: cs is %d, but it is 0 %s", s, c.cs[s], where)
		}
		return nil
	}
	least, by := c.n+1, 0
	for i, t := range targets {
		if brings := c.p.AdvanceSuffix(int(c.cs[t]), labels.At(i)); c.admits(t) && brings < least {
			least, by = brings, i
		}
	}
	if least > c.n {
		return fmt.Errorf("state %d is said to be admitted, but no transition leads on to such a state", s)
	}
	if least != int(c.cs[s]) {
		return fmt.Errorf("state %d: cs is %d, but %d is the least that a transition brings: %s", s, c.cs[s], least, c.transition(s, labels.At(by), targets[by]))
	}
	if c.fair != nil {
		return nil // checkFairness looks at due
	}
	for i, found := range c.due.of(s) {
		m := i + 1
		greatest := uint32(0)
		for j, t := range targets {
			// Where step n-m+1 is not done, cs(t) >= m follows from the equation above.
			if !c.p.Does(labels.At(j), c.n-m+1) {
				greatest = max(greatest, c.due.of(t)[i])
			}
		}
		if found != greatest+1 {
			return wrong(s, "cs", int(c.cs[s]), fmt.Sprintf("due[%d]", i), found, greatest+1)
		}
	}
	return nil
}
