package verify

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/lts"
)

// goesOn reports whether a run can take s -l-> t for ever and yet not do what number i of
// due[s] stands for: step n-i, or to be one that counts.
func (c *checker) goesOn(s lts.State, i int, l lts.Label, t lts.State) bool {
	switch {
	case c.fair.Rare(l):
		return false
	case !c.admits(s):
		return true
	}
	return c.admits(t) && c.p.AdvanceSuffix(i, l) == i
}

// checkExits checks due under full fairness: it is the least number of transitions to one
// after which a run has not gone on.
func (c *checker) checkExits() error {
	return c.each(func(s lts.State) error {
		labels, targets := c.m.Out(s)
		for i, found := range c.due.of(s) {
			want := uint32(none)
			for j, t := range targets {
				if !c.goesOn(s, i, labels.At(j), t) {
					want = 1
					break
				}
				want = min(want, c.due.of(t)[i]+1)
			}
			if found != want {
				return c.wrongDue(s, i, found, want)
			}
		}
		return nil
	})
}

// wrongDue tells of a wrong number i in due[s].
func (c *checker) wrongDue(s lts.State, i int, found, want uint32) error {
	if !c.admits(s) {
		return fmt.Errorf("state %d is said not to be admitted, but there is no evidence for it: due is %d, but the transitions make it %d", s, found, want)
	}
	return wrong(s, "cs", int(c.cs[s]), fmt.Sprintf("due[%d]", i), found, want)
}

// setOf returns the set in which s was found, for number i of due[s]; 0 for none.
func (c *checker) setOf(s lts.State, i int) uint32 {
	if row := c.within.of(s); len(row) > 0 {
		return row[i]
	}
	return 0
}

// checkRemovals checks due under fairness to tasks: states and sets in the same set have
// ranks that fall on transitions between them, a state of rank 0 neglects a task that no
// transition in its set takes.
func (c *checker) checkRemovals() error {
	err := c.each(func(s lts.State) error {
		for i, rank := range c.due.of(s) {
			in := c.setOf(s, i)
			switch {
			case rank == 0 && (in == 0 || !c.enables(s, c.sets[in-1].tasks)):
				return fmt.Errorf("state %d: due[%d] is 0, but the state neglects no task of the set within which it lies", s, i)
			case rank > 0 && in > 0 && c.sets[in-1].weak:
				return fmt.Errorf("state %d: due[%d] is %d, but set %d neglects a weak task, which is to be enabled in all its states", s, i, rank, in)
			}
			if err := c.checkRemoval(s, i, rank, in); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, s := range c.sets {
		if s.rank != s.greatest+1 {
			return fmt.Errorf("set %d: rank is %d, but the transitions make it %d", i+1, s.rank, s.greatest+1)
		}
	}
	return nil
}

// checkRemoval checks the transitions of s for number i of due[s], which is rank, within
// the set in.
func (c *checker) checkRemoval(s lts.State, i int, rank, in uint32) error {
	greatest := uint32(0)
	labels, targets := c.m.Out(s)
	for j, t := range targets {
		if !c.goesOn(s, i, labels.At(j), t) {
			continue
		}
		common, below, other := c.meet(in, c.setOf(t, i))
		for outer := common; outer > 0; outer = c.sets[outer-1].parent {
			if k, takes := c.takes(c.fair.MetBy(labels.At(j)), s, t, c.sets[outer-1].tasks); takes {
				return fmt.Errorf("set %d: no transition in it is said to belong to task %s, or to interfere with it, but %s does", outer, c.fair.Tasks()[k].Name, c.transition(s, labels.At(j), t))
			}
		}
		to := c.due.of(t)[i]
		if other > 0 {
			to = c.sets[other-1].rank
		}
		switch {
		case below > 0:
			c.sets[below-1].greatest = max(c.sets[below-1].greatest, to)
		case rank > 0:
			greatest = max(greatest, to)
		}
	}
	if rank > 0 && rank != greatest+1 {
		return c.wrongDue(s, i, rank, greatest+1)
	}
	return nil
}

// meet returns the smallest set that holds both a and b, and the largest sets within it
// that hold a and b; 0 for none.
func (c *checker) meet(a, b uint32) (common, below, other uint32) {
	for a != b {
		if a > b {
			a, below = c.sets[a-1].parent, a
		} else {
			b, other = c.sets[b-1].parent, b
		}
	}
	return a, below, other
}

// enables reports whether a transition of one of the tasks leaves s.
func (c *checker) enables(s lts.State, tasks []uint32) bool {
	labels, targets := c.m.Out(s)
	for i := range labels.Len() {
		if _, is := c.takes(c.fair.TasksOf(labels.At(i)), s, targets[i], tasks); is {
			return true
		}
	}
	return false
}

// takes returns the first of the tasks that a transition from s to t with tasks does; false
// if there is none.
func (c *checker) takes(of []uint32, s, t lts.State, tasks []uint32) (uint32, bool) {
	for _, k := range of {
		if _, is := slices.BinarySearch(tasks, k); is && c.belongs(k, s, t) {
			return k, true
		}
	}
	return 0, false
}

// isTrap reports whether a run without a loop shows by its end that it violates the
// property: runs that count go on from there, and none of them does what is left.
func (c *checker) isTrap(r *run) bool {
	return c.fair != nil && c.admits(r.at) && c.fated(r.at, r.progress)
}

// checkLoop checks that going round the loop for ever is fair.
func (c *checker) checkLoop(r *run) error {
	if c.fair.Full() {
		return errors.New("counterexample: it has a loop, but what is fully fair is told by a trap or a deadlock")
	}
	for l, is := range r.onLoop {
		if is && c.fair.Rare(lts.Label(l)) {
			return fmt.Errorf("counterexample: its loop does %s, which is to be done finitely often", c.m.Alphabet().Text(lts.Label(l)))
		}
	}
	tasks := make([]inHome, len(c.fair.Tasks()))
	met := 0
	for i, is := range r.met {
		if !is {
			continue
		}
		met++
		s := lts.State(i)
		labels, targets := c.m.Out(s)
		for j := range labels.Len() {
			l := labels.At(j)
			for _, k := range c.fair.TasksOf(l) {
				if t := &tasks[k]; c.belongs(k, s, targets[j]) {
					if t.enabled == 0 || t.lastSeen != s {
						t.lastSeen = s
						t.enabled++
					}
				}
			}
		}
	}
	for l, is := range r.onLoop {
		if !is {
			continue
		}
		for _, k := range c.fair.MetBy(lts.Label(l)) {
			tasks[k].taken = tasks[k].taken || r.moved[l] || !c.fair.Tasks()[k].Nonstuttering
		}
	}
	for k, t := range tasks {
		of := c.fair.Tasks()[k]
		if !t.taken && (of.Strong && t.enabled > 0 || t.enabled == met) {
			return fmt.Errorf("counterexample: its loop is not fair to task %s", of.Name)
		}
	}
	return nil
}
