package verify

import (
	"fmt"

	"github.com/inev-lts/inev/lts"
)

// readStates reads what is claimed of each reachable state, with its evidence.
func (c *checker) readStates() error {
	c.in.member("states")
	c.in.open('[')
	after := 0 // the smallest state that may come next
	for c.in.more() {
		if c.states&(1<<14-1) == 0 && c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		c.in.open('{')
		c.in.member("state")
		s := int(c.in.number(longest))
		switch {
		case c.in.err != nil:
			return c.in.err
		case s >= c.m.NumStates():
			return fmt.Errorf("state %d is listed, but the model has %d states", s, c.m.NumStates())
		case s < after:
			return fmt.Errorf("state %d is listed twice, or behind a larger one", s)
		}
		c.skipTo(after, s)
		if err := c.readState(lts.State(s)); err != nil {
			return err
		}
		c.in.end('}')
		after = s + 1
	}
	c.skipTo(after, c.m.NumStates())
	if c.in.err == nil && !c.listed[c.m.Initial()] {
		return fmt.Errorf("state %d, the initial one, is not listed", c.m.Initial())
	}
	return c.in.err
}

// skipTo gives empty lists to states that are not listed.
func (c *checker) skipTo(from, to int) {
	for _, r := range []*rows{&c.first, &c.next, &c.due, &c.within} {
		if r.start == nil {
			continue
		}
		for s := from; s < to; s++ {
			r.start[s+1] = len(r.values)
		}
	}
}

func (c *checker) readState(s lts.State) error {
	c.listed[s] = true
	c.states++
	if c.outcast != nil {
		c.in.member("admitted")
		c.outcast[s] = !c.in.truth()
	}
	for _, of := range []struct {
		name   string
		values []uint16
	}{{"mp", c.mp}, {"cp", c.cp}, {"ms", c.ms}, {"cs", c.cs}} {
		c.in.member(of.name)
		of.values[s] = uint16(c.in.number(uint32(c.n)))
	}
	c.in.member("least")
	c.least[s] = c.in.number(longest)
	for _, of := range []struct {
		name string
		rows *rows
		want int
	}{
		{"first", &c.first, int(c.mp[s]) + 1},
		{"next", &c.next, int(c.ms[s])},
		{"due", &c.due, c.levels(s)},
	} {
		c.in.member(of.name)
		if err := c.readRow(s, of.name, of.rows, of.want); err != nil {
			return err
		}
	}
	if err := c.readFairEvidence(s); err != nil {
		return err
	}
	c.in.member("out")
	return c.readClasses(s)
}

func (c *checker) readRow(s lts.State, name string, r *rows, want int) error {
	c.in.open('[')
	found := 0
	for ; c.in.more(); found++ {
		if value := c.in.number(longest); found < want {
			r.values = append(r.values, value)
		}
	}
	r.start[int(s)+1] = len(r.values)
	if c.in.err == nil && found != want {
		return fmt.Errorf("state %d: %s has %d numbers, not %d", s, name, found, want)
	}
	return c.in.err
}

// readClasses reads the classes of the transitions that leave s, a letter each.
func (c *checker) readClasses(s lts.State) error {
	first, end := c.m.Row(s)
	letters := c.in.text(end - first)
	if c.in.err != nil {
		return c.in.err
	}
	if len(letters) != end-first {
		return fmt.Errorf("state %d: out has %d classes, but %d transitions leave the state", s, len(letters), end-first)
	}
	for i := range letters {
		k, ok := classOf(letters[i])
		if !ok {
			return fmt.Errorf("state %d: out has %q, which is no class", s, letters[i])
		}
		c.classes[first+i] = k
	}
	return nil
}
