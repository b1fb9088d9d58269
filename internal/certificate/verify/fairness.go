package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// AssumptionError reports that a certificate was made under other assumptions than those asked for.
type AssumptionError struct {
	// Made are the assumptions under which the certificate was made, in the syntax of
	// [actl.ParseAssumption].
	Made []string
}

func (e *AssumptionError) Error() string {
	if len(e.Made) == 0 {
		return "made for all runs, under no assumption"
	}
	return "made for other runs, under the assumption " + strings.Join(e.Made, " and ")
}

// set is a set of states where no fair run stays, since it would neglect the tasks of the set.
type set struct {
	parent, rank uint32
	// tasks are those that no transition between states of the set takes. weak reports that there
	// is only one, and that it is weak.
	tasks []uint32
	weak  bool
	// missing is a colour plus 1; 0 if there are tasks. No transition between states of the set has
	// this colour, so that no run that stays there satisfies the pair.
	missing uint32
	// greatest is the largest rank of the other members of its parent that transitions from the set
	// enter.
	greatest uint32
}

// admits reports whether the certificate claims that s is admitted: some run that counts continues
// it.
func (c *checker) admits(s lts.State) bool { return c.notAdmitted == nil || !c.notAdmitted[s] }

// levels returns the number of entries of due[s]; 1 for a state that is not admitted.
func (c *checker) levels(s lts.State) int {
	if !c.admits(s) {
		return 1
	}
	return int(c.cs[s])
}

// readFairness reads the assumptions of the certificate, compares them with the requested ones, and
// reads on up to the verdict.
func (c *checker) readFairness() {
	in := c.in
	var made []string
	if in.memberOr("verdict", "fairness") {
		in.open('[')
		for in.more() {
			text := in.text(1 << 16)
			if len(made) == 1<<10 {
				fail("fairness: there are more than %d assumptions", len(made))
			}
			made = append(made, text)
		}
		in.member("verdict")
	}
	// Tasks are numbered in the order of the assumptions in the file.
	assumed, same := actl.Among(c.assumptions, made)
	if !same {
		abort.On(&AssumptionError{made})
	}
	var err error
	c.fair, _, err = actl.BindAssumptions(c.ctx, assumed, c.model.Alphabet())
	abort.On(err)
	if c.fair == nil || c.table != nil {
		return
	}
	size := c.model.NumStates()
	c.settle = make([]uint32, size)
	c.home = allNone(size)
	c.from = make([]uint32, size)
	c.back = make([]uint32, size)
	if c.fair.Excludes() {
		c.notAdmitted = make([]bool, size)
	}
	if !c.fair.Full() {
		c.within = rows{start: make([]int, size+1)}
	}
}

// readFairEvidence reads the evidence about s under assumptions.
func (c *checker) readFairEvidence(s lts.State) {
	if c.fair == nil {
		return
	}
	in := c.in
	if !c.fair.Full() {
		found := c.readRow(s, "within", &c.within, c.levels(s))
		if found != 0 && found != c.levels(s) {
			fail("state %d: within has %d numbers, not %d and not none", s, found, c.levels(s))
		}
	}
	in.member("settle")
	c.settle[s] = in.number(longest)
	in.member("home")
	in.open('[')
	if !in.more() {
		return
	}
	c.home[s] = in.number(longest)
	for _, distance := range [...][]uint32{c.from, c.back} {
		in.element()
		distance[s] = in.number(longest)
	}
	in.end(']')
	if int(c.home[s]) >= c.model.NumStates() {
		fail("state %d: home is %d, but the model has %d states", s, c.home[s], c.model.NumStates())
	}
}

// readSets reads the sets: at most one for each number in due.
func (c *checker) readSets() {
	if c.within.start == nil {
		return
	}
	room := 0 // room for tasks: each task of a set is enabled by a state of the set, for one of the numbers in due
	for t := range c.model.Transitions() {
		room += c.numSteps * len(c.fair.TasksOf(t.Label))
	}
	c.readAllSets(len(c.due.values), room)
	for _, number := range c.within.values {
		if int(number) > len(c.sets) {
			fail("sets: there are %d, but some state lies in set %d", len(c.sets), number)
		}
	}
}

// readAllSets reads the sets. It fails if there are more sets, or more tasks of all sets, than the
// limits allow.
func (c *checker) readAllSets(most, room int) {
	c.in.member("sets")
	c.in.open('[')
	for c.in.more() {
		if len(c.sets) == most {
			fail("sets: there are more than states can lie in")
		}
		s := c.readSet()
		number := len(c.sets) + 1
		room -= len(s.tasks)
		switch {
		case len(s.tasks) == 0 && s.missing == 0:
			fail("set %d: it neglects no task", number)
		case s.weak && len(s.tasks) > 1:
			fail("set %d: a weak task is not the only one", number)
		case room < 0:
			fail("sets: they have more tasks than are enabled in their states")
		}
		c.sets = append(c.sets, s)
	}
}

// readSet reads the next set, which lies in one that was read before, or in none.
func (c *checker) readSet() set {
	in := c.in
	number := uint32(len(c.sets) + 1)
	var s set
	in.open('{')
	in.member("parent")
	s.parent = in.number(number - 1)
	in.member("rank")
	s.rank = in.number(longest)
	if s.parent > 0 && !c.sets[s.parent-1].nests() {
		fail("set %d: it lies in set %d, which leaves no states", number, s.parent)
	}
	switch {
	case c.table == nil:
		in.member("tasks")
		c.readTasks(&s, number)
	case in.memberOr("tasks", "missing"):
		s.missing = in.number(property.Colours-1) + 1
	default:
		c.readTasks(&s, number)
	}
	in.end('}')
	return s
}

// readTasks reads the tasks of a set, ascending.
func (c *checker) readTasks(s *set, number uint32) {
	all := c.fair.Tasks()
	c.in.open('[')
	for c.in.more() {
		k := c.in.number(longest)
		switch {
		case int(k) >= len(all):
			fail("set %d: there is no task %d", number, k)
		case len(s.tasks) > 0 && s.tasks[len(s.tasks)-1] >= k:
			fail("set %d: its tasks do not ascend", number)
		}
		s.tasks = append(s.tasks, k)
		s.weak = s.weak || !all[k].Strong
	}
}

// nests reports whether sets can lie in s. None can if all states of s neglect the same task or
// colour.
func (s *set) nests() bool { return !s.weak && s.missing == 0 }

// checkFairness checks, under assumptions, that cs is neither too small nor too large, and that the
// right states are admitted. It relies on the equations of cs.
func (c *checker) checkFairness() {
	if c.fair == nil {
		return
	}
	c.checkHomes()
	if !c.fair.Full() {
		c.checkTasks(homes{
			number:  len(c.home),
			of:      c.home,
			stateOf: func(at uint32) lts.State { return lts.State(at) },
			isInside: func(at uint32, l lts.Label, t lts.State) bool {
				return c.isInside(lts.State(at), l, t)
			},
			unfair: "state %d: a run that stays in its home is not fair to task %s",
		})
	}
	c.eachState(c.checkSettle)
	if c.fair.Full() {
		c.eachState(c.checkExits)
		return
	}
	nested := newNesting(c.sets)
	c.eachState(func(s lts.State) {
		for i, rank := range c.due.rowOf(s) {
			c.checkRemoval(nested, s, i, rank)
		}
	})
	c.checkSetRanks()
}

// checkSettle checks that some run from s reaches an end, a home, or a state of smaller cs, and does
// at most cs steps.
func (c *checker) checkSettle(s lts.State) {
	want := uint32(0)
	if c.needsSettle(s) {
		want = c.settleByTransitions(s)
	}
	if c.settle[s] != want {
		failLength(s, "cs", int(c.cs[s]), "settle", c.settle[s], want)
	}
}

// needsSettle reports whether the certificate must show a run from s. It need not if s is not
// admitted, if a run may end in s or stay in its home, or if all runs from s do all steps and all
// states are admitted.
func (c *checker) needsSettle(s lts.State) bool {
	allRunsDoAllSteps := int(c.cs[s]) == c.numSteps && c.notAdmitted == nil
	return c.admits(s) && !allRunsDoAllSteps && !c.fair.MayEnd(c.model, s) && c.home[s] == none
}

// settleByTransitions returns the length of a shortest path from s to a state of smaller cs, an end
// or a home, computed from the numbers of its targets.
func (c *checker) settleByTransitions(s lts.State) uint32 {
	least := uint32(none)
	labels, targets := c.model.Out(s)
	for i, t := range targets {
		keepsCS := c.admits(t) && c.chain.AdvanceSuffix(int(c.cs[t]), labels.At(i)) == int(c.cs[s])
		switch {
		case !keepsCS:
		case c.cs[t] < c.cs[s]:
			least = 1
		default:
			least = min(least, c.settle[t]+1)
		}
	}
	return least
}

// checkExits checks due[s] under full fairness: each number is the length of a shortest path that
// ends with a transition that [checker.goesOn] rejects.
func (c *checker) checkExits(s lts.State) {
	labels, targets := c.model.Out(s)
	for i, found := range c.due.rowOf(s) {
		want := uint32(none)
		for j, t := range targets {
			if !c.goesOn(s, i, labels.At(j), t) {
				want = 1
				break
			}
			want = min(want, c.due.rowOf(t)[i]+1)
		}
		if found != want {
			c.wrongDue(s, i, found, want)
		}
	}
}

// checkRemoval checks number i of due[s], the rank of s within its set: along transitions inside a
// set the ranks of its members decrease, and a state of rank 0 enables a task that no transition in
// the set takes.
func (c *checker) checkRemoval(nested *nesting, s lts.State, i int, rank uint32) {
	in := c.setOf(s, i)
	switch {
	case rank == 0 && (in == 0 || !c.enables(s, c.sets[in-1].tasks)):
		fail("state %d: due[%d] is 0, but the state neglects no task of the set within which it lies", s, i)
	case rank > 0 && in > 0 && c.sets[in-1].weak:
		fail("state %d: due[%d] is %d, but set %d neglects a weak task, which is to be enabled in all its states", s, i, rank, in)
	}
	greatest := uint32(0)
	for l, t := range c.model.From(s) {
		if c.goesOn(s, i, l, t) {
			target := ranked{rank: c.due.rowOf(t)[i], set: c.setOf(t, i)}
			_, counted := c.along(nested, transition{s, l, t}, in, target)
			greatest = max(greatest, counted)
		}
	}
	if rank > 0 && rank != greatest+1 {
		c.wrongDue(s, i, rank, greatest+1)
	}
}

// isInside reports whether s -l-> t stays in the home of s.
func (c *checker) isInside(s lts.State, l lts.Label, t lts.State) bool {
	cs := int(c.cs[s])
	return c.home[s] != none && c.home[t] == c.home[s] && !c.fair.Rare(l) &&
		c.chain.AdvanceSuffix(cs, l) == cs
}

// checkHomes checks that homes are strongly connected: it computes in one pass the least distances
// that the transitions give.
func (c *checker) checkHomes() {
	from := allNone(len(c.from))
	c.eachState(func(s lts.State) {
		if c.home[s] != none {
			c.checkHome(s, from)
		}
	})
	c.eachState(func(s lts.State) {
		if c.home[s] == none {
			return
		}
		want := from[s]
		if lts.State(c.home[s]) == s {
			want = 0
		}
		if c.from[s] != want {
			failLength(s, "cs", int(c.cs[s]), "the distance from home", c.from[s], want)
		}
	})
}

// checkHome checks the home of s, and the distance to it. The slice from has the least distances
// from the root that transitions give to their targets; checkHome enters those of the transitions
// from s.
func (c *checker) checkHome(s lts.State, from []uint32) {
	root := lts.State(c.home[s])
	switch {
	case !c.listed[root] || c.home[root] != c.home[s]:
		fail("state %d: home is %d, which does not belong to it", s, root)
	case c.cs[root] != c.cs[s]:
		fail("state %d: cs is %d, but %d in state %d, its home", s, c.cs[s], c.cs[root], root)
	}
	back := uint32(none)
	labels, targets := c.model.Out(s)
	for i, t := range targets {
		l := labels.At(i)
		switch {
		case c.isInside(s, l, t):
			back = min(back, c.back[t]+1)
			from[t] = min(from[t], c.from[s]+1)
		case c.fair.Full():
			fail("state %d: a run that is fully fair does not stay at home, for transition %s leads away", s, c.transition(s, l, t))
		}
	}
	if back == none {
		fail("state %d: no transition stays at home", s)
	}
	if s == root {
		back = 0
	}
	if c.back[s] != back {
		fail("state %d: home is %d transitions away, but it is said to be %d", s, back,
			c.back[s])
	}
}

// inHome counts, for one task, the states of a home that enable it, and records whether a
// transition in the home takes it. It is valid only if its field home is the number of the present
// home.
type inHome struct {
	home     uint32
	taken    bool
	enabled  int // the number of states of the home that enable the task
	lastSeen uint32
}

// homes are the sets in which fair runs can stay: sets of states or, with a table, of product
// states.
type homes struct {
	number int
	// of has, for each state or product state, the number of its home; none if it has no home.
	of []uint32
	// stateOf returns the state of the model of a state or product state.
	stateOf func(at uint32) lts.State
	// isInside selects the transitions that stay in the home.
	isInside func(at uint32, l lts.Label, t lts.State) bool
	// unfair is the format of the error about a home where a run is not fair to a task.
	unfair string
}

// checkTasks checks that a run is fair if it takes all transitions of a home infinitely often: a
// task that no transition takes is enabled in no state of the home or, if it is weak, not in all.
func (c *checker) checkTasks(h homes) {
	// The members of a home are a list, from first to next.
	first := allNone(h.number)
	next := make([]uint32, len(h.of))
	for member, k := range slices.Backward(h.of) {
		if k != none {
			next[member] = first[k]
			first[k] = uint32(member)
		}
	}
	counts := c.newTaskCounts()
	for k, member := range first {
		if k%1024 == 0 {
			abort.On(c.ctx.Err())
		}
		counts.enter(uint32(k))
		members := 0
		for ; member != none; member = next[member] {
			members++
			isInside := func(l lts.Label, t lts.State) bool {
				return h.isInside(member, l, t)
			}
			counts.add(member, h.stateOf(member), isInside)
		}
		if task, found := counts.neglected(members); found {
			fail(h.unfair, k, c.fair.Tasks()[task].Name)
		}
	}
}

// taskCounts counts, in one home after the other, the states that enable each task, and records which tasks are taken.
type taskCounts struct {
	*checker
	home uint32   // the number of the home
	of   []inHome // by task; what another home has left counts as empty
	met  []uint32 // the tasks that the home enables or takes
}

func (c *checker) newTaskCounts() *taskCounts {
	n := len(c.fair.Tasks())
	return &taskCounts{checker: c, of: slices.Repeat([]inHome{{home: none}}, n)}
}

// enter begins to count in a home.
func (x *taskCounts) enter(home uint32) {
	x.home = home
	x.met = x.met[:0]
}

// neglected returns a task that the home, which has this number of states, neglects.
func (x *taskCounts) neglected(states int) (task uint32, found bool) {
	for _, k := range x.met {
		count := &x.of[k]
		mustTake := x.fair.Tasks()[k].Strong || count.enabled == states
		if mustTake && !count.taken {
			return k, true
		}
	}
	return 0, false
}

// add counts the tasks that a member of the home enables and takes. The member has state s, and isInside selects its
// transitions that stay in the home.
func (x *taskCounts) add(member uint32, s lts.State, isInside func(lts.Label, lts.State) bool) {
	labels, targets := x.model.Out(s)
	for i, t := range targets {
		l := labels.At(i)
		for _, k := range x.fair.TasksOf(l) {
			if !x.belongs(k, s, t) {
				continue
			}
			count := x.countOf(k)
			if count.lastSeen != member {
				count.lastSeen = member
				count.enabled++
			}
		}
		if !isInside(l, t) {
			continue
		}
		for _, k := range x.fair.MetBy(l) {
			if x.belongs(k, s, t) {
				x.countOf(k).taken = true
			}
		}
	}
}

// countOf returns the count of a task in the home.
func (x *taskCounts) countOf(task uint32) *inHome {
	count := &x.of[task]
	if count.home != x.home {
		*count = inHome{home: x.home, lastSeen: none}
		x.met = append(x.met, task)
	}
	return count
}

// belongs reports whether a transition from s to t, whose label is one of task k, counts for this
// task.
func (c *checker) belongs(k uint32, s, t lts.State) bool {
	return s != t || !c.fair.Tasks()[k].Nonstuttering
}

// goesOn reports whether a run that takes s -l-> t infinitely often could refute number i of
// due[s]: l may occur infinitely often and, if s is admitted, t is admitted and l does not do step
// n-i.
func (c *checker) goesOn(s lts.State, i int, l lts.Label, t lts.State) bool {
	switch {
	case c.fair.Rare(l):
		return false
	case !c.admits(s):
		return true
	}
	return c.admits(t) && c.chain.AdvanceSuffix(i, l) == i
}

// wrongDue fails, because of number i of due[s].
func (c *checker) wrongDue(s lts.State, i int, found, want uint32) {
	if !c.admits(s) {
		fail("state %d is said not to be admitted, but there is no evidence for it: due is %d, but the transitions make it %d", s, found, want)
	}
	failLength(s, "cs", int(c.cs[s]), fmt.Sprintf("due[%d]", i), found, want)
}

// setOf returns the set from where s was removed for number i of due[s]; 0 for none.
func (c *checker) setOf(s lts.State, i int) uint32 {
	row := c.within.rowOf(s)
	if len(row) > 0 {
		return row[i]
	}
	return 0
}

// checkSetRanks checks the ranks of sets. All transitions must have been visited.
func (c *checker) checkSetRanks() {
	for i, s := range c.sets {
		if s.rank != s.greatest+1 {
			fail("set %d: rank is %d, but the transitions make it %d", i+1, s.rank,
				s.greatest+1)
		}
	}
}

// transition is a transition of the model.
type transition struct {
	from  lts.State
	label lts.Label
	to    lts.State
}

// ranked is a rank within a set; set is 0 for none.
type ranked struct{ rank, set uint32 }

// along checks a transition from a state in a given set. The smallest set that contains both its
// states is common. Neither common nor a set around it may neglect a task that the transition
// takes. The rank of the target counts for the largest set inside common that contains the source;
// if there is none, along returns this rank, which counts for the source itself.
func (c *checker) along(
	nested *nesting,
	t transition,
	in uint32,
	to ranked,
) (common, rank uint32) {
	common, below, other := nested.meet(in, to.set)
	for _, k := range c.fair.MetBy(t.label) {
		outer := nested.neglecting(common, k)
		if outer > 0 && c.belongs(k, t.from, t.to) {
			fail("set %d: no transition in it is said to belong to task %s, or to interfere with it, but %s does", outer, c.fair.Tasks()[k].Name, c.transition(t.from, t.label, t.to))
		}
	}
	rank = to.rank
	if other > 0 {
		rank = c.sets[other-1].rank
	}
	if below > 0 {
		c.sets[below-1].greatest = max(c.sets[below-1].greatest, rank)
		return common, 0
	}
	return common, rank
}

// enables reports whether a transition of one of the tasks leaves s.
func (c *checker) enables(s lts.State, tasks []uint32) bool {
	labels, targets := c.model.Out(s)
	for i := range labels.Len() {
		for _, k := range c.fair.TasksOf(labels.At(i)) {
			if _, wanted := slices.BinarySearch(tasks, k); wanted && c.belongs(k, s, targets[i]) {
				return true
			}
		}
	}
	return false
}

// nesting answers how sets are nested, in time O(log n) whatever their depth, by heavy paths: a
// path leads from each set to the set directly inside that contains the most sets. Number 0 is a
// set that contains all others.
type nesting struct {
	parent []uint32
	// inner[a] is the set directly inside a that contains the most sets, 0 if there is none; top[a]
	// is the outermost set of the heavy path of a.
	inner, top []uint32
	// The sets within a have the numbers from first[a] to end[a] in preorder.
	first, end []uint32
	// outermost[k] are the sets that neglect task k and lie in no other set that does, in preorder.
	outermost map[uint32][]uint32
}

// newNesting returns the nesting of sets. The parent of each set must come before it. Cost O(n log
// n).
func newNesting(sets []set) *nesting {
	size := len(sets) + 1
	x := &nesting{
		parent:    make([]uint32, size),
		inner:     make([]uint32, size),
		top:       make([]uint32, size),
		first:     make([]uint32, size),
		end:       make([]uint32, size),
		outermost: map[uint32][]uint32{},
	}
	contained := x.findInner(sets)
	x.number(contained)
	for a := 1; a < size; a++ {
		x.top[a] = uint32(a)
		p := x.parent[a]
		if x.inner[p] == uint32(a) {
			x.top[a] = x.top[p]
		}
	}
	x.findOutermost(sets)
	return x
}

// findInner sets parent and inner, and returns how many sets each set contains, itself included.
func (x *nesting) findInner(sets []set) (contained []uint32) {
	contained = make([]uint32, len(x.parent))
	for a := len(sets); a > 0; a-- { // after all sets inside a
		p := sets[a-1].parent
		x.parent[a] = p
		contained[a]++
		contained[p] += contained[a]
		if x.inner[p] == 0 || contained[a] > contained[x.inner[p]] {
			x.inner[p] = uint32(a)
		}
	}
	contained[0]++
	return contained
}

// number gives the sets their numbers in preorder.
func (x *nesting) number(contained []uint32) {
	next := make([]uint32, len(x.parent)) // by set, the next number within it
	next[0] = 1
	x.end[0] = contained[0]
	for a := 1; a < len(x.parent); a++ {
		p := x.parent[a]
		x.first[a] = next[p]
		x.end[a] = next[p] + contained[a]
		next[p] = x.end[a]
		next[a] = x.first[a] + 1
	}
}

// findOutermost finds the sets that neglect a task and lie in no other set that does.
func (x *nesting) findOutermost(sets []set) {
	for i, s := range sets {
		for _, k := range s.tasks {
			x.outermost[k] = append(x.outermost[k], uint32(i+1))
		}
	}
	for k, neglecting := range x.outermost {
		slices.SortFunc(neglecting, func(a, b uint32) int {
			return cmp.Compare(x.first[a], x.first[b])
		})
		kept := neglecting[:1]
		for _, a := range neglecting[1:] {
			last := kept[len(kept)-1]
			isOutsideLast := x.first[a] >= x.end[last]
			if isOutsideLast {
				kept = append(kept, a)
			}
		}
		x.outermost[k] = kept
	}
}

// meet returns the smallest common set of a and b, and the largest sets inside it that are around a
// and around b, 0 for none. Each set counts as around itself. Cost O(log n).
func (x *nesting) meet(a, b uint32) (common, below, other uint32) {
	for x.top[a] != x.top[b] {
		// Of two tops, that with the larger number does not contain the other set.
		if x.top[a] > x.top[b] {
			below = x.top[a]
			a = x.parent[below]
		} else {
			other = x.top[b]
			b = x.parent[other]
		}
	}
	switch {
	case a < b:
		other = x.inner[a]
	case b < a:
		below = x.inner[b]
	}
	return min(a, b), below, other
}

// neglecting returns a set that neglects task k and is a or contains a; 0 for none. Cost O(log n).
func (x *nesting) neglecting(a, k uint32) uint32 {
	if a == 0 {
		return 0
	}
	all := x.outermost[k]
	at, listed := slices.BinarySearchFunc(all, x.first[a], func(b, first uint32) int {
		return cmp.Compare(x.first[b], first)
	})
	if !listed {
		at-- // the last one that begins before a
	}
	if at < 0 || x.first[a] >= x.end[all[at]] {
		return 0
	}
	return all[at]
}
