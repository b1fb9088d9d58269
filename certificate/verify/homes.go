package verify

import (
	"fmt"

	"github.com/inev-lts/inev/lts"
)

// checkFairness checks, under assumptions, that cs is neither too small nor too large,
// and which states are admitted. It needs the equations of cs checked.
func (c *checker) checkFairness() error {
	if c.fair == nil {
		return nil
	}
	ranks := c.checkRemovals
	if c.fair.Full() {
		ranks = c.checkExits
	}
	for _, check := range []func() error{c.checkHomes, c.checkTasks, c.checkSettle, ranks} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkOutcast checks that no run leads from states without runs that count to other states.
func (c *checker) checkOutcast(s lts.State) error {
	labels, targets := c.m.Out(s)
	switch {
	case c.fair.MayEnd(c.m, s):
		return fmt.Errorf("state %d is said not to be admitted, but a run may end there", s)
	case c.ms[s] > 0 || c.cs[s] > 0:
		return fmt.Errorf("state %d is said not to be admitted, but ms and cs are not 0", s)
	case c.home[s] != none || c.settle[s] > 0:
		return fmt.Errorf("state %d is said not to be admitted, but to have a run that counts", s)
	}
	for i, t := range targets {
		if c.admits(t) {
			return fmt.Errorf("state %d is said not to be admitted, but transition %s leads to a state that is", s, c.transition(s, labels.At(i), t))
		}
	}
	return nil
}

// isInside reports whether s -l-> t belongs to the set that s is at home in.
func (c *checker) isInside(s lts.State, l lts.Label, t lts.State) bool {
	cs := int(c.cs[s])
	return c.home[s] != none && c.home[t] == c.home[s] && !c.fair.Rare(l) && c.p.AdvanceSuffix(cs, l) == cs
}

// checkHomes checks that the sets in which fair runs are said to stay are strongly
// connected: one pass over the transitions gathers the least distances that they bring.
func (c *checker) checkHomes() error {
	from := filled(len(c.from))
	err := c.each(func(s lts.State) error {
		if c.home[s] == none {
			return nil
		}
		root := lts.State(c.home[s])
		switch {
		case !c.listed[root] || c.home[root] != c.home[s]:
			return fmt.Errorf("state %d: home is %d, which does not belong to it", s, root)
		case c.cs[root] != c.cs[s]:
			return fmt.Errorf("state %d: cs is %d, but %d in state %d, its home", s, c.cs[s], c.cs[root], root)
		}
		labels, targets := c.m.Out(s)
		back := uint32(none)
		for i, t := range targets {
			switch {
			case c.isInside(s, labels.At(i), t):
				back = min(back, c.back[t]+1)
				from[t] = min(from[t], c.from[s]+1)
			case c.fair.Full():
				return fmt.Errorf("state %d: a run that is fully fair does not stay at home, for transition %s leads away", s, c.transition(s, labels.At(i), t))
			}
		}
		if back == none {
			return fmt.Errorf("state %d: no transition stays at home", s)
		}
		if s == root {
			back = 0
		}
		if c.back[s] != back {
			return fmt.Errorf("state %d: home is %d transitions away, but it is said to be %d", s, back, c.back[s])
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.each(func(s lts.State) error {
		want := from[s]
		switch {
		case c.home[s] == none:
			return nil
		case lts.State(c.home[s]) == s:
			want = 0
		}
		if c.from[s] != want {
			return wrong(s, "cs", int(c.cs[s]), "the distance from home", c.from[s], want)
		}
		return nil
	})
}

// inHome is what a set means for a task; it counts where home is its first state.
type inHome struct {
	home     uint32
	taken    bool
	enabled  int // in how many of its states
	lastSeen lts.State
}

// checkTasks checks that runs that go all ways in a set in which they stay are fair: each
// task that is not taken is enabled in no state of it, a weak one not in all.
func (c *checker) checkTasks() error {
	if c.fair.Full() {
		return nil
	}
	start := make([]int, len(c.home)+1) // of the states of each home in members
	for _, root := range c.home {
		if root != none {
			start[root+1]++
		}
	}
	for i := range c.home {
		start[i+1] += start[i]
	}
	members := make([]lts.State, start[len(c.home)])
	end := append([]int(nil), start[:len(c.home)]...)
	for s, root := range c.home {
		if root != none {
			members[end[root]] = lts.State(s)
			end[root]++
		}
	}
	tasks := make([]inHome, len(c.fair.Tasks()))
	for i := range tasks {
		tasks[i].home = none
	}
	var touched []uint32
	for root := range c.home {
		if root&(1<<14-1) == 0 && c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		set := members[start[root]:end[root]]
		touched = touched[:0]
		for _, s := range set {
			touched = c.countTasks(s, uint32(root), tasks, touched)
		}
		for _, k := range touched {
			of := c.fair.Tasks()[k]
			if t := &tasks[k]; !t.taken && (of.Strong || t.enabled == len(set)) {
				return fmt.Errorf("state %d: a run that stays at home there is not fair to task %s", root, of.Name)
			}
		}
	}
	return nil
}

// countTasks counts what s means for the tasks of its set, and appends those that are new.
func (c *checker) countTasks(s lts.State, root uint32, tasks []inHome, touched []uint32) []uint32 {
	touch := func(k uint32) *inHome {
		t := &tasks[k]
		if t.home != root {
			*t = inHome{home: root, lastSeen: lts.MaxStates}
			touched = append(touched, k)
		}
		return t
	}
	labels, targets := c.m.Out(s)
	for i := range labels.Len() {
		l := labels.At(i)
		for _, k := range c.fair.TasksOf(l) {
			if !c.belongs(k, s, targets[i]) {
				continue
			}
			t := touch(k)
			if t.lastSeen != s {
				t.lastSeen = s
				t.enabled++
			}
		}
		if !c.isInside(s, l, targets[i]) {
			continue
		}
		for _, k := range c.fair.MetBy(l) {
			if c.belongs(k, s, targets[i]) {
				touch(k).taken = true
			}
		}
	}
	return touched
}

// belongs reports whether a transition from s to t with a label of task k is one of it.
func (c *checker) belongs(k uint32, s, t lts.State) bool {
	return s != t || !c.fair.Tasks()[k].Nonstuttering
}

// checkSettle checks that from each state runs that do no more than cs come to where they
// end, stay, or do less.
func (c *checker) checkSettle() error {
	return c.each(func(s lts.State) error {
		want := uint32(0)
		complete := int(c.cs[s]) == c.n && c.outcast == nil // all runs do as much, and some count
		labels, targets := c.m.Out(s)
		if c.admits(s) && !complete && !c.fair.MayEnd(c.m, s) && c.home[s] == none {
			want = none
			for i, t := range targets {
				switch {
				case !c.admits(t) || c.p.AdvanceSuffix(int(c.cs[t]), labels.At(i)) != int(c.cs[s]):
				case c.cs[t] < c.cs[s]:
					want = 1
				default:
					want = min(want, c.settle[t]+1)
				}
			}
		}
		if c.settle[s] != want {
			return wrong(s, "cs", int(c.cs[s]), "settle", c.settle[s], want)
		}
		return nil
	})
}
