package verify

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// fairSchema is the name and version of evidence about fair runs, which package internal/ctl/fair writes.
const fairSchema = "inev.ctl-fair/1"

// AssumptionError reports that evidence was made under other assumptions than the given ones.
type AssumptionError struct{ Made []string }

func (e *AssumptionError) Error() string {
	if len(e.Made) == 0 {
		return "made about all runs"
	}
	return "made about the runs that meet " + strings.Join(e.Made, " and ")
}

// fairFile is the content of a file about fair runs.
type fairFile struct {
	claims
	Fair     []string   `json:"fair"`
	Admitted *fairRuns  `json:"admitted"`
	Runs     []fairRuns `json:"runs"`
}

type fairRuns struct {
	Formula *int       `json:"formula"`
	Ranks   []set      `json:"ranks"`
	Loops   []set      `json:"loops"`
	Parts   []fairPart `json:"parts"`
}

type fairPart struct {
	Why    string          `json:"why"`
	States json.RawMessage `json:"states"`
	Tasks  []int           `json:"tasks"`
	Turns  []fairTurn      `json:"turns"`
	Rest   []fairPart      `json:"rest"`
}

// fairTurn has the states that a part loses in one turn. First come those that enable tasks which the
// remaining states do not take, then those without outgoing, or without incoming, transitions.
type fairTurn struct {
	Tasks  []int       `json:"tasks"`
	States []lts.State `json:"states"`
	Ends   []lts.State `json:"ends"`
	Begins []lts.State `json:"begins"`
}

// fairChecker decides formulas one after the other, operands first.
type fairChecker struct {
	*checker
	fairness    *property.Fairness
	isReachable []bool // whether a state is reachable from the asked states
	states      []lts.State
	// mayEnd reports whether a run that counts may end in a state.
	mayEnd func(s lts.State) bool
	sat    [][]bool // whether a formula holds in a state, by formula and then by state
	// admitted reports for each state whether some run from it counts; nil if that is so for every
	// state.
	admitted []bool
	// These fields are about the runs that are being checked: ranks is the rank of a state plus one,
	// and partIndex the number of its part; 0 if it has none.
	ranks, partIndex []uint32
	epochOf          []uint32 // epochOf[s] equals epoch if s is in the current set, see setCurrent
	epoch            uint32
}

// verifyFair checks evidence about fair runs, as [Verify] does.
func verifyFair(
	ctx context.Context,
	m *lts.LTS,
	f *syntax.Formula,
	in *fairFile,
	o Options,
) *Result {
	c := newFairChecker(ctx, m, f, in, o)
	r := in.result(m)
	asked := slices.Concat(r.Good, r.Bad)
	c.visitFrom(asked)
	c.checkAdmitted(in.Admitted)
	c.checkFormulas(in.Runs)
	if len(asked) > 0 && !slices.ContainsFunc(asked, c.isAdmitted) {
		fail("no run from state %d counts", asked[0])
	}
	r.Nodes = len(in.Runs)
	c.conclude(&in.claims, r, func(s lts.State) bool {
		return c.sat[c.closure.Root()][s]
	})
	return r
}

// newFairChecker returns a checker for evidence under the given assumptions.
func newFairChecker(
	ctx context.Context,
	m *lts.LTS,
	f *syntax.Formula,
	in *fairFile,
	o Options,
) *fairChecker {
	// Tasks are numbered in the order of the assumptions in the file.
	assumed, same := actl.Among(o.Fair, in.Fair)
	if !same {
		abort.On(&AssumptionError{in.Fair})
	}
	if len(assumed) == 0 {
		fail("fair has no assumption")
	}
	fairness, _, err := actl.BindAssumptions(ctx, assumed, m.Alphabet())
	abort.On(err)
	n := m.NumStates()
	return &fairChecker{
		checker:     newChecker(ctx, m, f.Closure(), in.Internal, o),
		fairness:    fairness,
		mayEnd:      func(s lts.State) bool { return fairness.MayEnd(m, s) },
		isReachable: make([]bool, n),
		ranks:       make([]uint32, n),
		partIndex:   make([]uint32, n),
		epochOf:     make([]uint32, n),
	}
}

// visitFrom finds the states that are reachable from the asked states.
func (c *fairChecker) visitFrom(asked []lts.State) {
	visit := func(states []lts.State) {
		for _, s := range states {
			if !c.isReachable[s] {
				c.isReachable[s] = true
				c.states = append(c.states, s)
			}
		}
	}
	visit(asked)
	for i := 0; i < len(c.states); i++ {
		_, targets := c.m.Out(c.states[i])
		visit(targets)
	}
}

// checkAdmitted checks which states are admitted. There is nothing to check if all are.
func (c *fairChecker) checkAdmitted(runs *fairRuns) {
	if (runs != nil) != c.fairness.Excludes() {
		fail("admitted is given although all states are admitted, or is missing although some may not be")
	}
	if runs == nil {
		return
	}
	failingWith("admitted", func() {
		c.admitted = c.checkRuns(runs, fairFrame{
			base:    c.mayEnd,
			via:     func(lts.State) bool { return true },
			step:    func(lts.State, lts.Label, lts.State) bool { return true },
			forever: true,
		})
	})
}

// checkFormulas decides all formulas of the closure, operands first. Each formula about runs uses the
// next evidence of the file.
func (c *fairChecker) checkFormulas(runs []fairRuns) {
	for i, n := range c.closure.Nodes {
		abort.On(c.ctx.Err())
		holds := func(s lts.State) bool { return c.holdsLocally(n, s) }
		if n.Op == syntax.Until || n.Op == syntax.Release {
			if len(runs) == 0 || runs[0].Formula == nil || *runs[0].Formula != i {
				fail("%s: there is no evidence", n.Formula)
			}
			var found []bool
			failingWith(n.Formula, func() {
				found = c.checkRuns(&runs[0], c.frame(n))
			})
			holds = func(s lts.State) bool {
				return found[s] == (n.Path == syntax.Some)
			}
			runs = runs[1:]
		}
		sat := make([]bool, c.m.NumStates())
		for _, s := range c.states {
			sat[s] = holds(s)
		}
		c.sat = append(c.sat, sat)
	}
	if len(runs) > 0 {
		fail("there is evidence about more formulas than there are formulas about runs")
	}
}

// isAdmitted reports whether some run from a state counts.
func (c *fairChecker) isAdmitted(s lts.State) bool { return c.admitted == nil || c.admitted[s] }

// holdsLocally reports whether a formula whose outermost operator is neither Until nor Release holds in a
// state.
func (c *fairChecker) holdsLocally(n syntax.Node, s lts.State) bool {
	switch n.Op {
	case syntax.Not:
		return !c.sat[n.Right][s]
	case syntax.And:
		return c.sat[n.Left][s] && c.sat[n.Right][s]
	case syntax.Or:
		return c.sat[n.Left][s] || c.sat[n.Right][s]
	case syntax.Next:
		return c.holdsNext(n, s)
	}
	// Any other formula is an atom. It is the next one whose states are computed.
	atom := syntax.Index(len(c.sat))
	return c.verdict(atom, s) == good
}

// holdsNext reports whether some transition, or every transition, that a formula is about leads to a
// state where its operand holds.
func (c *fairChecker) holdsNext(n syntax.Node, s lts.State) bool {
	some := false
	every := true
	for l, t := range c.m.From(s) {
		if c.matches(n.Labels, l) && c.isAdmitted(t) {
			some = some || c.sat[n.Right][t]
			every = every && c.sat[n.Right][t]
		}
	}
	if n.Path == syntax.Some {
		return some
	}
	return every
}

// fairFrame describes the runs that satisfy a formula about some run, or violate a formula about all
// runs. They pass states of via by transitions of step, until they reach a state of base; if forever is
// set, they may also never reach one.
type fairFrame struct {
	base, via func(s lts.State) bool
	step      func(from lts.State, l lts.Label, to lts.State) bool
	forever   bool
}

// frame returns the frame of an Until or Release, as in docs/ctl.md.
func (c *fairChecker) frame(n syntax.Node) fairFrame {
	f := &untilOrRelease{
		fairChecker: c,
		node:        n,
		left:        c.sat[n.Left],
		right:       c.sat[n.Right],
	}
	switch {
	case n.Op == syntax.Release && n.Path == syntax.Some:
		return f.satisfiedRelease()
	case n.Op == syntax.Release:
		return f.violatedRelease()
	case n.Path == syntax.Some:
		return f.satisfiedUntil()
	case n.Last == syntax.NoLast:
		return f.violatedUntil()
	}
	return f.violatedUntilLast()
}

// untilOrRelease is a formula about runs, and the states where its operands hold.
type untilOrRelease struct {
	*fairChecker
	node        syntax.Node
	left, right []bool
}

// isInner reports whether a transition with this label is allowed before the last one.
func (f *untilOrRelease) isInner(l lts.Label) bool { return f.matches(f.node.Labels, l) }

// isLast reports whether a transition may be the last one.
func (f *untilOrRelease) isLast(l lts.Label, to lts.State) bool {
	return f.node.Last != syntax.NoLast && f.matches(f.node.Last, l) && f.right[to]
}

// hasExit reports whether a transition to an admitted state satisfies meets.
func (f *untilOrRelease) hasExit(s lts.State, meets func(l lts.Label, to lts.State) bool) bool {
	for l, t := range f.m.From(s) {
		if f.isAdmitted(t) && meets(l, t) {
			return true
		}
	}
	return false
}

func (f *untilOrRelease) anyStep(lts.State, lts.Label, lts.State) bool { return true }

func (f *untilOrRelease) innerStep(_ lts.State, l lts.Label, _ lts.State) bool {
	return f.isInner(l)
}

// satisfiedRelease describes the runs on which right holds forever, or up to and including a state of
// left.
func (f *untilOrRelease) satisfiedRelease() fairFrame {
	return fairFrame{
		base:    func(s lts.State) bool { return f.right[s] && (f.left[s] || f.mayEnd(s)) },
		via:     func(s lts.State) bool { return f.right[s] },
		step:    f.anyStep,
		forever: true,
	}
}

// violatedRelease describes the runs on which right fails before left holds.
func (f *untilOrRelease) violatedRelease() fairFrame {
	return fairFrame{
		base: func(s lts.State) bool { return !f.right[s] },
		via:  func(s lts.State) bool { return !f.left[s] },
		step: f.anyStep,
	}
}

// satisfiedUntil describes the runs on which left holds until a state of right, or until a last
// transition.
func (f *untilOrRelease) satisfiedUntil() fairFrame {
	return fairFrame{
		base: func(s lts.State) bool {
			if f.node.Last == syntax.NoLast && f.right[s] {
				return true
			}
			return f.left[s] && f.hasExit(s, f.isLast)
		},
		via:  func(s lts.State) bool { return f.left[s] },
		step: f.innerStep,
	}
}

// violatedUntil describes the runs on which right never holds, and those on which left fails or a
// forbidden label occurs before right holds.
func (f *untilOrRelease) violatedUntil() fairFrame {
	isForbidden := func(l lts.Label, _ lts.State) bool { return !f.isInner(l) }
	return fairFrame{
		base: func(s lts.State) bool {
			if f.right[s] {
				return false
			}
			return !f.left[s] || f.mayEnd(s) || f.hasExit(s, isForbidden)
		},
		via:     func(s lts.State) bool { return f.left[s] && !f.right[s] },
		step:    f.innerStep,
		forever: true,
	}
}

// violatedUntilLast describes the runs without a last transition, and those with a forbidden state or
// label before the last transition.
func (f *untilOrRelease) violatedUntilLast() fairFrame {
	isForbidden := func(l lts.Label, to lts.State) bool { return !f.isInner(l) && !f.isLast(l, to) }
	return fairFrame{
		base: func(s lts.State) bool {
			return !f.left[s] || f.mayEnd(s) || f.hasExit(s, isForbidden)
		},
		via: func(s lts.State) bool { return f.left[s] },
		step: func(_ lts.State, l lts.Label, to lts.State) bool {
			return f.isInner(l) && !f.isLast(l, to)
		},
		forever: true,
	}
}

// checkRuns checks that a run of the frame begins in each state with a rank, since the state leads to a
// smaller rank. It also checks that no run of the frame begins in any other state.
func (c *fairChecker) checkRuns(evidence *fairRuns, frame fairFrame) (reach []bool) {
	c.setRanks(evidence.Ranks)
	clear(c.partIndex)
	isOnLoop := make([]bool, c.m.NumStates())
	if len(evidence.Loops) > 0 && !frame.forever {
		fail("has a loop, and is about finite runs")
	}
	for _, loop := range evidence.Loops {
		c.checkLoop(loop, frame, isOnLoop)
	}
	reach = make([]bool, c.m.NumStates())
	for _, s := range c.states {
		reach[s] = c.ranks[s] != 0
		c.checkRank(s, frame, isOnLoop[s])
	}
	if !frame.forever {
		if len(evidence.Parts) > 0 {
			fail("has parts, and is about finite runs")
		}
		return reach
	}
	// The states without a rank must contain no fair set.
	var others []lts.State
	for _, s := range c.states {
		if c.ranks[s] == 0 && c.isAdmitted(s) && frame.via(s) {
			others = append(others, s)
		}
	}
	c.checkParts(evidence.Parts, others, frame, 0)
	return reach
}

// setRanks sets the ranks of states. It fails for a state with two ranks.
func (c *fairChecker) setRanks(ranks []set) {
	clear(c.ranks)
	for i, rank := range ranks {
		for s := range c.reached(rank) {
			if c.ranks[s] != 0 {
				fail("state %d has two ranks", s)
			}
			c.ranks[s] = uint32(i) + 1
		}
	}
}

// reached yields the states of a set. It fails for a state that is not reachable from the asked states.
func (c *fairChecker) reached(states set) iter.Seq[lts.State] {
	states.within(c.m.NumStates(), "")
	return func(yield func(lts.State) bool) {
		for s := range states.each {
			if !c.isReachable[s] {
				fail("names state %d, which cannot be reached from those asked about", s)
			}
			if !yield(s) {
				return
			}
		}
	}
}

// checkRank checks the rank of a state. If the state has no rank, it checks that the state needs none.
func (c *fairChecker) checkRank(s lts.State, frame fairFrame, isOnLoop bool) {
	decides := isOnLoop || c.isAdmitted(s) && frame.base(s)
	leadsDown := false
	for l, t := range c.m.From(s) {
		if c.ranks[t] == 0 || !frame.via(s) || !frame.step(s, l, t) {
			continue
		}
		if c.ranks[s] == 0 {
			fail("state %d has no rank, and leads to state %d, which has one", s, t)
		}
		leadsDown = leadsDown || c.ranks[t] < c.ranks[s]
	}
	switch {
	case c.ranks[s] == 0 && decides:
		fail("state %d has no rank, and decides by itself", s)
	case c.ranks[s] == 1 && !decides:
		fail("state %d has rank 0, and does not decide by itself", s)
	case c.ranks[s] > 1 && !leadsDown:
		fail("state %d has rank %d, and leads to no smaller one", s, c.ranks[s]-1)
	}
}

// setCurrent makes some states the current set.
func (c *fairChecker) setCurrent(set []lts.State) {
	c.epoch++
	for _, s := range set {
		c.epochOf[s] = c.epoch
	}
}

// isCurrent reports whether a state is in the current set.
func (c *fairChecker) isCurrent(s lts.State) bool { return c.epochOf[s] == c.epoch }

// stays reports whether a transition from the current set stays in it, and may be taken infinitely
// often.
func (c *fairChecker) stays(frame fairFrame, from lts.State, l lts.Label, to lts.State) bool {
	return c.isCurrent(to) && !c.fairness.Rare(l) && frame.step(from, l, to)
}

// checkLoop checks that a set of states is strongly connected and fair. It records the states in isOnLoop.
func (c *fairChecker) checkLoop(loop set, frame fairFrame, isOnLoop []bool) {
	var states []lts.State
	for s := range c.reached(loop) {
		if !c.isAdmitted(s) || !frame.via(s) {
			fail("no run stays in state %d of a loop", s)
		}
		isOnLoop[s] = true
		states = append(states, s)
	}
	if len(states) == 0 {
		fail("a loop has no states")
	}
	c.setCurrent(states)
	c.checkConnected(states, frame)
	n := c.count(states, frame)
	for k, t := range c.fairness.Tasks() {
		demandsTask := n.enabled[k] == len(states) || t.Strong && n.enabled[k] > 0
		if demandsTask && !n.taken[k] {
			fail("the loop of state %d is not fair: it neglects %s", states[0], t.Name)
		}
	}
	if c.fairness.Full() && len(n.exits) > 0 {
		fail("the loop of state %d is not fair: it can be left in state %d", states[0], n.exits[0])
	}
}

// checkConnected checks that each state of the current set reaches each state, including itself, by one or
// more transitions that stay in the set.
func (c *fairChecker) checkConnected(states []lts.State, frame fairFrame) {
	successors := map[lts.State][]lts.State{}
	predecessors := map[lts.State][]lts.State{}
	for _, s := range states {
		for l, t := range c.m.From(s) {
			if c.stays(frame, s, l, t) {
				successors[s] = append(successors[s], t)
				predecessors[t] = append(predecessors[t], s)
			}
		}
	}
	first := states[:1]
	hasTransition := len(successors[states[0]]) > 0
	if !hasTransition || countReached(first, successors) != len(states) ||
		countReached(first, predecessors) != len(states) {
		fail("the loop of state %d is not strongly connected", states[0])
	}
}

// countReached returns how many states some states reach, including themselves.
func countReached(from []lts.State, next map[lts.State][]lts.State) int {
	met := map[lts.State]bool{}
	for open := slices.Clone(from); len(open) > 0; {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		if !met[s] {
			met[s] = true
			open = append(open, next[s]...)
		}
	}
	return len(met)
}

// taskCounts has what the fairness of a set of states depends on.
type taskCounts struct {
	taken   map[int]bool // the tasks that transitions inside the set take
	enabled map[int]int  // the number of states that enable a task
	exits   []lts.State  // the states with a transition that leaves the set
}

// count counts, for the states of a set, where each task is enabled, which tasks are met inside, and from
// which states a transition leaves the set.
func (c *fairChecker) count(states []lts.State, frame fairFrame) taskCounts {
	n := taskCounts{taken: map[int]bool{}, enabled: map[int]int{}}
	for _, s := range states {
		leaves := false
		for l, t := range c.m.From(s) {
			stays := c.stays(frame, s, l, t)
			leaves = leaves || !stays
			// A transition that interferes with a task counts like a transition of the task.
			for _, k := range c.fairness.MetBy(l) {
				if !c.isStuttering(k, s, t) {
					n.taken[int(k)] = n.taken[int(k)] || stays
				}
			}
		}
		if leaves {
			n.exits = append(n.exits, s)
		}
		for k := range c.enabledTasks(s) {
			n.enabled[k]++
		}
	}
	return n
}

// enabledTasks returns the tasks that a state enables.
func (c *fairChecker) enabledTasks(s lts.State) map[int]bool {
	enabled := map[int]bool{}
	for l, t := range c.m.From(s) {
		for _, k := range c.fairness.TasksOf(l) {
			if !c.isStuttering(k, s, t) {
				enabled[int(k)] = true
			}
		}
	}
	return enabled
}

// maxPartDepth is the largest nesting depth of parts, since each level removes a strong task.
const maxPartDepth = 10_000

// checkParts checks that parts divide these states, that no transition leads to a later part, and
// that no part contains a fair set.
func (c *fairChecker) checkParts(parts []fairPart, states []lts.State, frame fairFrame, depth int) {
	abort.On(c.ctx.Err())
	if depth > maxPartDepth {
		fail("parts are nested too deep")
	}
	for _, s := range states {
		c.partIndex[s] = 0
	}
	c.setCurrent(states)
	sets := c.placeParts(parts)
	unplaced := len(states)
	for _, set := range sets {
		unplaced -= len(set)
	}
	if unplaced != 0 {
		fail("%d states are in no part", unplaced)
	}
	isSingle := map[uint32]bool{}
	for i, p := range parts {
		for _, s := range sets[i] {
			isSingle[c.partIndex[s]] = p.Why == "single"
		}
	}
	c.checkOrder(states, isSingle, frame)
	for i := range parts {
		c.checkPart(&parts[i], sets[i], frame, depth)
	}
}

// checkOrder checks that transitions within the current set lead to the same part or an earlier one.
// From a single state they must lead to an earlier part.
func (c *fairChecker) checkOrder(states []lts.State, isSingle map[uint32]bool, frame fairFrame) {
	for _, s := range states {
		from := c.partIndex[s]
		for l, t := range c.m.From(s) {
			if !c.stays(frame, s, l, t) {
				continue
			}
			to := c.partIndex[t]
			if to > from || to == from && isSingle[from] {
				fail("state %d leads to state %d, which is in the same part or a later one", s,
					t)
			}
		}
	}
}

// placeParts returns the states of each part, which must be in the current set, and gives them the
// number of their part. Each state of a part of single states has a number of its own.
func (c *fairChecker) placeParts(parts []fairPart) (sets [][]lts.State) {
	number := uint32(0)
	for _, p := range parts {
		listed := p.states(c.m.NumStates())
		sets = append(sets, listed)
		number++
		for _, s := range listed {
			isCurrent := int64(s) < int64(c.m.NumStates()) && c.isCurrent(s)
			if !isCurrent || c.partIndex[s] != 0 {
				fail("state %d is in a part where it does not belong", s)
			}
			if p.Why == "single" {
				number++
			}
			c.partIndex[s] = number
		}
	}
	return sets
}

// states returns the states of a part. For a part of single states, they are in the order of the file;
// otherwise they are ascending.
func (p *fairPart) states(most int) (listed []lts.State) {
	if p.Why == "single" {
		if json.Unmarshal(p.States, &listed) != nil {
			fail("the states of a part are no list")
		}
		return listed
	}
	var states set
	abort.On(json.Unmarshal(p.States, &states))
	states.within(most, "")
	return slices.AppendSeq(listed, states.each)
}

// checkPart checks that a part contains no fair set.
func (c *fairChecker) checkPart(p *fairPart, states []lts.State, frame fairFrame, depth int) {
	if len(states) == 0 {
		fail("a part has no states")
	}
	if p.Why == "single" {
		return
	}
	c.setCurrent(states)
	if p.Why == "neglected" && len(p.Turns) > 0 {
		c.checkParts(p.Rest, c.afterTurns(p.Turns, states, frame), frame, depth+1)
		return
	}
	n := c.count(states, frame)
	for _, k := range p.Tasks {
		isTask := k >= 0 && k < len(c.fairness.Tasks())
		if !isTask || n.taken[k] {
			fail("the part of state %d takes task %d, or has no such task", states[0], k)
		}
	}
	switch p.Why {
	case "everywhere":
		if len(p.Tasks) == 0 || n.enabled[p.Tasks[0]] != len(states) {
			fail("the part of state %d does not enable its task everywhere", states[0])
		}
	case "neglected":
		c.checkParts(p.Rest, c.without(p, states), frame, depth+1)
	case "left":
		c.checkLeft(states, n.exits)
	default:
		fail("a part has the unknown reason %q", p.Why)
	}
}

// checkLeft checks that fully fair runs leave a part, which is the current set. Each state of the part
// must reach, within the part, a state with a transition out of the part, so that a run can leave each
// subset.
func (c *fairChecker) checkLeft(states, exits []lts.State) {
	if !c.fairness.Full() {
		fail("a part counts as left by each fair run, which only full fairness ensures")
	}
	sources := map[lts.State][]lts.State{}
	for _, s := range states {
		_, targets := c.m.Out(s)
		for _, t := range targets {
			if c.isCurrent(t) {
				sources[t] = append(sources[t], s)
			}
		}
	}
	if countReached(exits, sources) != len(states) {
		fail("no transition leaves the part of state %d from some of its states", states[0])
	}
}

// without returns the states of a part that enable none of its tasks, which must be strong.
func (c *fairChecker) without(p *fairPart, states []lts.State) (rest []lts.State) {
	isNeglected := map[uint32]bool{}
	for _, k := range p.Tasks {
		if !c.fairness.Tasks()[k].Strong {
			fail("task %s is not strong, and is neglected in some states only",
				c.fairness.Tasks()[k].Name)
		}
		isNeglected[uint32(k)] = true
	}
	for _, s := range states {
		enablesNeglected := false
		for l, t := range c.m.From(s) {
			for _, k := range c.fairness.TasksOf(l) {
				enablesNeglected = enablesNeglected || isNeglected[k] && !c.isStuttering(k, s, t)
			}
		}
		if !enablesNeglected {
			rest = append(rest, s)
		}
	}
	if len(rest) == len(states) {
		fail("the part of state %d neglects no task", states[0])
	}
	return rest
}

// afterTurns checks that the states that the current set loses in turns are in no fair set, and returns
// the states that remain.
func (c *fairChecker) afterTurns(
	turns []fairTurn,
	states []lts.State,
	frame fairFrame,
) (rest []lts.State) {
	r := &removal{
		fairChecker: c,
		frame:       frame,
		removedAt:   map[lts.State]int{},
		idleSince:   map[uint32]int{},
		lacks:       map[lts.State]ways{},
	}
	for _, t := range turns {
		r.setIdle(t.Tasks, states[0])
		r.removeAtOnce(t.States)
		r.removeOneByOne(t.Ends, wayOut)
		r.removeOneByOne(t.Begins, wayIn)
	}
	for _, s := range states {
		if r.removalTime(s) == r.now {
			rest = append(rest, s)
		}
		r.checkState(s)
	}
	if len(rest) == len(states) {
		fail("the part of state %d is claimed to lose states in turns, but loses none", states[0])
	}
	return rest
}

// removal records when states leave the current set.
type removal struct {
	*fairChecker
	frame fairFrame
	now   int // the time after the last removal
	// removedAt has the time when a state is removed. All states that a turn removes for its tasks have the
	// same time.
	removedAt map[lts.State]int
	// idleSince has the time after which no transition between remaining states takes a task.
	idleSince map[uint32]int
	// lacks has the direction in which a state lacks transitions when it is removed; 0 for states that
	// are removed because of tasks.
	lacks map[lts.State]ways
}

// ways is a direction of transitions.
type ways uint8

const (
	wayIn ways = 1 + iota
	wayOut
)

// setIdle records that from now on no transition takes these tasks. first is a state of the part.
func (r *removal) setIdle(tasks []int, first lts.State) {
	for _, k := range tasks {
		if k < 0 || k >= len(r.fairness.Tasks()) || !r.fairness.Tasks()[k].Strong {
			fail("the part of state %d has a turn for task %d, which is not strong or does not exist", first, k)
		}
		if _, known := r.idleSince[uint32(k)]; !known {
			r.idleSince[uint32(k)] = r.now
		}
	}
}

// removeAtOnce removes the states that neglect the tasks of a turn.
func (r *removal) removeAtOnce(states []lts.State) {
	for _, s := range states {
		r.remove(s, 0)
	}
	r.now++
}

// removeOneByOne removes states that lack transitions in a direction after the states before them are
// removed.
func (r *removal) removeOneByOne(states []lts.State, lacks ways) {
	for _, s := range states {
		r.remove(s, lacks)
		r.now++
	}
}

// remove removes a state now.
func (r *removal) remove(s lts.State, lacks ways) {
	if int64(s) >= int64(r.m.NumStates()) || !r.isCurrent(s) {
		fail("state %d goes from a part where it does not belong", s)
	}
	if _, twice := r.removedAt[s]; twice {
		fail("state %d goes twice from a part", s)
	}
	r.removedAt[s] = r.now
	r.lacks[s] = lacks
}

// removalTime returns the time when a state is removed; the present time if it remains.
func (r *removal) removalTime(s lts.State) int {
	if time, removed := r.removedAt[s]; removed {
		return time
	}
	return r.now
}

// checkState checks that a state may be removed at its time: it neglects a task of its turn, or
// lacks transitions in one direction. It also checks that no transition from the state takes a task
// after the time at which the file claims that the task becomes idle.
func (r *removal) checkState(s lts.State) {
	time := r.removalTime(s)
	neglectsTask := false
	for l, t := range r.m.From(s) {
		for _, k := range r.fairness.TasksOf(l) {
			begins, idle := r.idleSince[k]
			isOfTurn := idle && begins == time
			neglectsTask = neglectsTask || isOfTurn && !r.isStuttering(k, s, t)
		}
		if r.stays(r.frame, s, l, t) {
			r.checkStep(s, l, t)
		}
	}
	isRemoved := time < r.now
	if isRemoved && r.lacks[s] == 0 && !neglectsTask {
		fail("state %d is removed from a part, but neglects no task of its turn", s)
	}
}

// checkStep checks a transition that stays in the current set.
func (r *removal) checkStep(s lts.State, l lts.Label, t lts.State) {
	sourceTime := r.removalTime(s)
	targetTime := r.removalTime(t)
	leadsToRemaining := r.lacks[s] == wayOut && targetTime >= sourceTime
	comesFromRemaining := r.lacks[t] == wayIn && sourceTime >= targetTime
	if leadsToRemaining || comesFromRemaining {
		fail("state %d leads to state %d, which runs may leave, but the evidence excludes that", s, t)
	}
	stepTime := min(sourceTime, targetTime) // the time when the transition is removed
	for _, k := range r.fairness.MetBy(l) {
		begins, idle := r.idleSince[k]
		if idle && stepTime >= begins && !r.isStuttering(k, s, t) {
			fail("the transition from state %d to state %d takes task %s, or interferes with it, but stays in the part", s, t, r.fairness.Tasks()[k].Name)
		}
	}
}

// isStuttering reports whether a transition is one that task k ignores because it changes nothing.
func (c *fairChecker) isStuttering(k uint32, s, t lts.State) bool {
	return c.fairness.Tasks()[k].Nonstuttering && s == t
}
