package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/lts"
)

// AssumptionError tells that a certificate is for other runs than those that were asked
// about.
type AssumptionError struct {
	// Made are the assumptions under which the certificate was made, as
	// [actl.ParseAssumption] takes them.
	Made []string
}

func (e *AssumptionError) Error() string {
	if len(e.Made) == 0 {
		return "made for all runs, under no assumption"
	}
	return "made for other runs, under the assumption " + strings.Join(e.Made, " and ")
}

// fairEvidence is what a certificate says of runs that count. All of it is nil, or
// without lists, where all runs do.
type fairEvidence struct {
	// outcast[s] says that no run that counts goes on from s; nil if labels are not
	// to be done finitely often.
	outcast []bool
	// settle, home, from and back are by state. home[s] is the first state of a set in
	// which a fair run can stay, none where s is in no such set; from and back are the
	// distances from it and to it.
	settle, home, from, back []uint32
	// within[s] has for each number in due[s] the set that s was found in, from 1; 0 or
	// no number for none. It has no lists under full fairness.
	within rows
	sets   []set
}

// set is a set of states in which no fair run stays, for they neglect its tasks.
type set struct {
	parent, rank uint32
	// tasks are taken by no transition between its states; weak tells that the one of
	// them is a weak task.
	tasks []uint32
	weak  bool
	// greatest is the largest rank that transitions out of it, to others in its parent,
	// lead to.
	greatest uint32
}

// admits reports whether it is claimed that runs that count go on from s.
func (c *checker) admits(s lts.State) bool { return c.outcast == nil || !c.outcast[s] }

// levels returns how many numbers due[s] has: of a state from which no run counts, one.
func (c *checker) levels(s lts.State) int {
	if !c.admits(s) {
		return 1
	}
	return int(c.cs[s])
}

// readFairness reads under which assumptions the certificate was made, compares them with
// those asked about, and goes on to the verdict.
func (c *checker) readFairness() error {
	in := c.in
	var made []string
	if in.memberOr("verdict", "fairness") {
		in.open('[')
		for in.more() {
			text := in.text(1 << 16)
			if len(made) == 1<<10 {
				return fmt.Errorf("fairness: there are more than %d assumptions", len(made))
			}
			made = append(made, text)
		}
		in.member("verdict")
	}
	if in.err != nil {
		return in.err
	}
	// Tasks are counted in the order of the file.
	var assumed []*actl.Assumption
	used := map[string]bool{}
	for _, text := range made {
		i := slices.IndexFunc(c.asked, func(a *actl.Assumption) bool { return a.String() == text })
		if i < 0 {
			return &AssumptionError{made}
		}
		assumed, used[text] = append(assumed, c.asked[i]), true
	}
	for _, a := range c.asked {
		if !used[a.String()] {
			return &AssumptionError{made}
		}
	}
	var err error
	if c.fair, _, err = actl.BindAssumptions(c.ctx, assumed, c.m.Alphabet()); err != nil || c.fair == nil {
		return err
	}
	size := c.m.NumStates()
	c.settle, c.home, c.from, c.back = make([]uint32, size), filled(size), make([]uint32, size), make([]uint32, size)
	if c.fair.Excludes() {
		c.outcast = make([]bool, size)
	}
	if !c.fair.Full() {
		c.within = rows{start: make([]int, size+1)}
	}
	return nil
}

// readFairEvidence reads what is said of s under assumptions.
func (c *checker) readFairEvidence(s lts.State) error {
	if c.fair == nil {
		return nil
	}
	in := c.in
	if !c.fair.Full() {
		in.member("within")
		in.open('[')
		found := 0
		for ; in.more(); found++ {
			if value := in.number(longest); found < c.levels(s) {
				c.within.values = append(c.within.values, value)
			}
		}
		c.within.start[int(s)+1] = len(c.within.values)
		if in.err == nil && found != 0 && found != c.levels(s) {
			return fmt.Errorf("state %d: within has %d numbers, not %d and not none", s, found, c.levels(s))
		}
	}
	in.member("settle")
	c.settle[s] = in.number(longest)
	in.member("home")
	in.open('[')
	if !in.more() {
		return in.err
	}
	c.home[s] = in.number(longest)
	for _, distance := range [...][]uint32{c.from, c.back} {
		in.element()
		distance[s] = in.number(longest)
	}
	in.end(']')
	if in.err == nil && int(c.home[s]) >= c.m.NumStates() {
		return fmt.Errorf("state %d: home is %d, but the model has %d states", s, c.home[s], c.m.NumStates())
	}
	return in.err
}

// readSets reads the sets. There are no more than states can have been found in.
func (c *checker) readSets() error {
	if c.within.start == nil {
		return nil
	}
	in := c.in
	in.member("sets")
	in.open('[')
	room := 0 // for tasks: each was seen to be enabled in some state, for some number in due
	for t := range c.m.Transitions() {
		room += c.n * len(c.fair.TasksOf(t.Label))
	}
	for in.more() {
		number := uint32(len(c.sets) + 1)
		if len(c.sets) == len(c.due.values) {
			return fmt.Errorf("sets: there are more than states can lie in")
		}
		s, err := c.readSet(number)
		if err != nil {
			return err
		}
		if room -= len(s.tasks); room < 0 {
			return fmt.Errorf("sets: they have more tasks than are enabled in their states")
		}
		c.sets = append(c.sets, s)
	}
	if in.err != nil {
		return in.err
	}
	for _, number := range c.within.values {
		if int(number) > len(c.sets) {
			return fmt.Errorf("sets: there are %d, but some state lies in set %d", len(c.sets), number)
		}
	}
	return nil
}

func (c *checker) readSet(number uint32) (set, error) {
	in, s, all := c.in, set{}, c.fair.Tasks()
	in.open('{')
	in.member("parent")
	s.parent = in.number(number - 1)
	in.member("rank")
	s.rank = in.number(longest)
	in.member("tasks")
	in.open('[')
	for in.more() {
		k := in.number(longest)
		switch {
		case in.err != nil:
			return s, in.err
		case int(k) >= len(all):
			return s, fmt.Errorf("set %d: there is no task %d", number, k)
		case len(s.tasks) > 0 && s.tasks[len(s.tasks)-1] >= k:
			return s, fmt.Errorf("set %d: its tasks do not ascend", number)
		}
		s.tasks, s.weak = append(s.tasks, k), s.weak || !all[k].Strong
	}
	in.end('}')
	switch {
	case in.err != nil:
		return s, in.err
	case len(s.tasks) == 0:
		return s, fmt.Errorf("set %d: it neglects no task", number)
	case s.weak && len(s.tasks) > 1:
		return s, fmt.Errorf("set %d: a weak task is not the only one", number)
	case s.parent > 0 && c.sets[s.parent-1].weak:
		return s, fmt.Errorf("set %d: it lies in set %d, all states of which neglect a weak task", number, s.parent)
	}
	return s, nil
}
