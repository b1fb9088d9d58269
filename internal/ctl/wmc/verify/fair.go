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
	f      *property.Fairness
	in     []bool // whether a state is reachable from the asked states
	states []lts.State
	// mayEnd reports whether a run that counts may end in a state.
	mayEnd func(s lts.State) bool
	sat    [][]bool // whether a formula holds in a state, by formula and then by state
	// admitted reports for each state whether some run from it counts; nil if that is so for every
	// state.
	admitted []bool
	// These fields are about the runs that are being checked: ranks is the rank of a state plus one,
	// and partIndex the number of its part; 0 if it has none.
	ranks, partIndex []uint32
	mark             []uint32 // mark[s] equals marks if s is in the current set, see enter
	marks            uint32
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
	if len(asked) > 0 && !slices.ContainsFunc(asked, c.counts) {
		fail("no run from state %d counts", asked[0])
	}
	r.Nodes = len(in.Runs)
	c.conclude(&in.claims, r, func(s lts.State) bool {
		return c.sat[c.c.Root()][s]
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
		checker:   newChecker(ctx, m, f.Closure(), in.Internal, o),
		f:         fairness,
		mayEnd:    func(s lts.State) bool { return fairness.MayEnd(m, s) },
		in:        make([]bool, n),
		ranks:     make([]uint32, n),
		partIndex: make([]uint32, n),
		mark:      make([]uint32, n),
	}
}

// visitFrom finds the states that are reachable from the asked states.
func (c *fairChecker) visitFrom(asked []lts.State) {
	visit := func(states []lts.State) {
		for _, s := range states {
			if !c.in[s] {
				c.in[s] = true
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
	if (runs != nil) != c.f.Excludes() {
		fail("admitted is given although all states are admitted, or is missing although some may not be")
	}
	if runs == nil {
		return
	}
	about("admitted", func() {
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
	for i, n := range c.c.Nodes {
		abort.On(c.ctx.Err())
		holds := func(s lts.State) bool { return c.local(n, s) }
		if n.Op == syntax.Until || n.Op == syntax.Release {
			if len(runs) == 0 || runs[0].Formula == nil || *runs[0].Formula != i {
				fail("%s: there is no evidence", n.Formula)
			}
			var found []bool
			about(n.Formula, func() {
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

// counts reports whether some run from a state counts.
func (c *fairChecker) counts(s lts.State) bool { return c.admitted == nil || c.admitted[s] }

// local reports whether a formula whose outermost operator is neither Until nor Release holds in a
// state.
func (c *fairChecker) local(n syntax.Node, s lts.State) bool {
	switch n.Op {
	case syntax.Not:
		return !c.sat[n.Right][s]
	case syntax.And:
		return c.sat[n.Left][s] && c.sat[n.Right][s]
	case syntax.Or:
		return c.sat[n.Left][s] || c.sat[n.Right][s]
	case syntax.Next:
		some := false
		every := true
		for l, t := range c.m.From(s) {
			if c.has(n.Labels, l) && c.counts(t) {
				some = some || c.sat[n.Right][t]
				every = every && c.sat[n.Right][t]
			}
		}
		return some && n.Path == syntax.Some || every && n.Path == syntax.All
	}
	return c.verdict(syntax.Index(len(c.sat)), s) == good
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
func (f *untilOrRelease) isInner(l lts.Label) bool { return f.has(f.node.Labels, l) }

// isLast reports whether a transition may be the last one.
func (f *untilOrRelease) isLast(l lts.Label, to lts.State) bool {
	return f.node.Last != syntax.NoLast && f.has(f.node.Last, l) && f.right[to]
}

// hasExit reports whether a transition to an admitted state satisfies meets.
func (f *untilOrRelease) hasExit(s lts.State, meets func(l lts.Label, to lts.State) bool) bool {
	for l, t := range f.m.From(s) {
		if f.counts(t) && meets(l, t) {
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
func (c *fairChecker) checkRuns(r *fairRuns, x fairFrame) (reach []bool) {
	clear(c.ranks)
	clear(c.partIndex)
	for i, rank := range r.Ranks {
		for s := range c.reached(rank) {
			if c.ranks[s] != 0 {
				fail("state %d has two ranks", s)
			}
			c.ranks[s] = uint32(i) + 1
		}
	}
	looping := make([]bool, c.m.NumStates())
	if len(r.Loops) > 0 && !x.forever {
		fail("has a loop, and is about finite runs")
	}
	for _, loop := range r.Loops {
		c.checkLoop(loop, x, looping)
	}
	reach = make([]bool, c.m.NumStates())
	for _, s := range c.states {
		reach[s] = c.ranks[s] != 0
		c.checkRank(s, x, looping[s])
	}
	if !x.forever {
		if len(r.Parts) > 0 {
			fail("has parts, and is about finite runs")
		}
		return reach
	}
	// The states without a rank must contain no fair set.
	var others []lts.State
	for _, s := range c.states {
		if c.ranks[s] == 0 && c.counts(s) && x.via(s) {
			others = append(others, s)
		}
	}
	c.checkParts(r.Parts, others, x, 0)
	return reach
}

// reached yields the states of a set. It fails for a state that is not reachable from the asked states.
func (c *fairChecker) reached(states set) iter.Seq[lts.State] {
	states.within(c.m.NumStates(), "")
	return func(yield func(lts.State) bool) {
		for s := range states.each {
			if !c.in[s] {
				fail("names state %d, which cannot be reached from those asked about", s)
			}
			if !yield(s) {
				return
			}
		}
	}
}

// checkRank checks the rank of a state. If the state has no rank, it checks that the state needs none.
func (c *fairChecker) checkRank(s lts.State, x fairFrame, looping bool) {
	base := c.counts(s) && x.base(s)
	leads := false
	for l, t := range c.m.From(s) {
		if c.ranks[t] == 0 || !x.via(s) || !x.step(s, l, t) {
			continue
		}
		if c.ranks[s] == 0 {
			fail("state %d has no rank, and leads to state %d, which has one", s, t)
		}
		leads = leads || c.ranks[t] < c.ranks[s]
	}
	switch {
	case c.ranks[s] == 0 && (base || looping):
		fail("state %d has no rank, and decides by itself", s)
	case c.ranks[s] == 1 && !base && !looping:
		fail("state %d has rank 0, and does not decide by itself", s)
	case c.ranks[s] > 1 && !leads:
		fail("state %d has rank %d, and leads to no smaller one", s, c.ranks[s]-1)
	}
}

// enter makes some states the current set.
func (c *fairChecker) enter(states []lts.State) {
	c.marks++
	for _, s := range states {
		c.mark[s] = c.marks
	}
}

// stays reports whether a transition from the current set stays in it, and may be taken infinitely
// often.
func (c *fairChecker) stays(x fairFrame, from lts.State, l lts.Label, to lts.State) bool {
	return c.mark[to] == c.marks && !c.f.Rare(l) && x.step(from, l, to)
}

// checkLoop checks that a set of states is strongly connected and fair.
func (c *fairChecker) checkLoop(loop set, x fairFrame, looping []bool) {
	var states []lts.State
	for s := range c.reached(loop) {
		if !c.counts(s) || !x.via(s) {
			fail("no run stays in state %d of a loop", s)
		}
		looping[s] = true
		states = append(states, s)
	}
	if len(states) == 0 {
		fail("a loop has no states")
	}
	c.enter(states)
	// Each state must reach each state by one or more transitions that stay in the loop.
	on := map[lts.State][]lts.State{}
	back := map[lts.State][]lts.State{}
	for _, s := range states {
		for l, t := range c.m.From(s) {
			if c.stays(x, s, l, t) {
				on[s] = append(on[s], t)
				back[t] = append(back[t], s)
			}
		}
	}
	if len(on[states[0]]) == 0 || reach(states[:1], on) != len(states) ||
		reach(states[:1], back) != len(states) {
		fail("the loop of state %d is not strongly connected", states[0])
	}
	taken, enabled, left := c.count(states, x)
	for k, t := range c.f.Tasks() {
		if !taken[k] && (enabled[k] == len(states) || t.Strong && enabled[k] > 0) {
			fail("the loop of state %d is not fair: it neglects %s", states[0], t.Name)
		}
	}
	if c.f.Full() && len(left) > 0 {
		fail("the loop of state %d is not fair: it can be left in state %d", states[0], left[0])
	}
}

// reach returns how many states some states reach, including themselves.
func reach(from []lts.State, next map[lts.State][]lts.State) int {
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

// count returns which tasks are taken by transitions inside the set, how many states enable each task,
// and which states have a transition that leaves the set.
func (c *fairChecker) count(
	states []lts.State,
	x fairFrame,
) (taken map[int]bool, enabled map[int]int, left []lts.State) {
	taken = map[int]bool{}
	enabled = map[int]int{}
	for _, s := range states {
		here := map[int]bool{}
		leaves := false
		for l, t := range c.m.From(s) {
			stays := c.stays(x, s, l, t)
			leaves = leaves || !stays
			for _, k := range c.f.TasksOf(l) {
				if !here[int(k)] && !c.isStuttering(k, s, t) {
					here[int(k)] = true
					enabled[int(k)]++
				}
			}
			// A transition that interferes with a task counts like a transition of the task.
			for _, k := range c.f.MetBy(l) {
				if !c.isStuttering(k, s, t) {
					taken[int(k)] = taken[int(k)] || stays
				}
			}
		}
		if leaves {
			left = append(left, s)
		}
	}
	return taken, enabled, left
}

// maxPartDepth is the largest nesting depth of parts, since each level removes a strong task.
const maxPartDepth = 10_000

// checkParts checks that parts divide these states, that no transition leads to a later part, and
// that no part contains a fair set.
func (c *fairChecker) checkParts(parts []fairPart, states []lts.State, x fairFrame, depth int) {
	abort.On(c.ctx.Err())
	if depth > maxPartDepth {
		fail("parts are nested too deep")
	}
	for _, s := range states {
		c.partIndex[s] = 0
	}
	c.enter(states)
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
	c.checkOrder(states, isSingle, x)
	for i := range parts {
		c.checkPart(&parts[i], sets[i], x, depth)
	}
}

// checkOrder checks that transitions within the current set lead to the same part or an earlier one.
// From a single state they must lead to an earlier part.
func (c *fairChecker) checkOrder(states []lts.State, isSingle map[uint32]bool, x fairFrame) {
	for _, s := range states {
		from := c.partIndex[s]
		for l, t := range c.m.From(s) {
			if !c.stays(x, s, l, t) {
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
			if int64(s) >= int64(c.m.NumStates()) || c.mark[s] != c.marks ||
				c.partIndex[s] != 0 {
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
func (c *fairChecker) checkPart(p *fairPart, states []lts.State, x fairFrame, depth int) {
	if len(states) == 0 {
		fail("a part has no states")
	}
	if p.Why == "single" {
		return
	}
	c.enter(states)
	if p.Why == "neglected" && len(p.Turns) > 0 {
		c.checkParts(p.Rest, c.afterTurns(p.Turns, states, x), x, depth+1)
		return
	}
	taken, enabled, left := c.count(states, x)
	for _, k := range p.Tasks {
		if k < 0 || k >= len(c.f.Tasks()) || taken[k] {
			fail("the part of state %d takes task %d, or there is none", states[0], k)
		}
	}
	switch p.Why {
	case "everywhere":
		if len(p.Tasks) == 0 || enabled[p.Tasks[0]] != len(states) {
			fail("the part of state %d does not enable its task everywhere", states[0])
		}
	case "neglected":
		c.checkParts(p.Rest, c.without(p, states), x, depth+1)
	case "left":
		c.checkLeft(states, left)
	default:
		fail("a part has the reason %q, which is none", p.Why)
	}
}

// checkLeft checks that fully fair runs leave a part, which is the current set. Each state of the part
// must reach, within the part, a state with a transition out of the part, so that a run can leave each
// subset.
func (c *fairChecker) checkLeft(states, left []lts.State) {
	if !c.f.Full() {
		fail("a part can be left, which full fairness alone excludes")
	}
	in := map[lts.State][]lts.State{}
	for _, s := range states {
		_, targets := c.m.Out(s)
		for _, t := range targets {
			if c.mark[t] == c.marks {
				in[t] = append(in[t], s)
			}
		}
	}
	if reach(left, in) != len(states) {
		fail("no transition leaves the part of state %d from some of its states", states[0])
	}
}

// without returns the states of a part that enable none of its tasks, which must be strong.
func (c *fairChecker) without(p *fairPart, states []lts.State) (rest []lts.State) {
	gone := map[uint32]bool{}
	for _, k := range p.Tasks {
		if !c.f.Tasks()[k].Strong {
			fail("task %s is not strong, and is neglected in some states only",
				c.f.Tasks()[k].Name)
		}
		gone[uint32(k)] = true
	}
	for _, s := range states {
		labels, targets := c.m.Out(s)
		enabled := false
		for j, t := range targets {
			for _, k := range c.f.TasksOf(labels.At(j)) {
				enabled = enabled || gone[k] && !c.isStuttering(k, s, t)
			}
		}
		if !enabled {
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
	x fairFrame,
) (rest []lts.State) {
	r := &removal{
		fairChecker: c,
		frame:       x,
		gone:        map[lts.State]int{},
		idle:        map[uint32]int{},
		dead:        map[lts.State]ways{},
	}
	for _, t := range turns {
		r.neglect(t.Tasks, states[0])
		r.removeAtOnce(t.States)
		r.removeOneByOne(t.Ends, wayOut)
		r.removeOneByOne(t.Begins, wayIn)
	}
	for _, s := range states {
		if r.when(s) == r.now {
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
	// gone has the time when a state is removed. All states that a turn removes for its tasks have the
	// same time.
	gone map[lts.State]int
	// idle has the time after which no transition between remaining states takes a task.
	idle map[uint32]int
	// dead has the direction in which a state lacks transitions when it is removed; 0 for states that
	// are removed because of tasks.
	dead map[lts.State]ways
}

// ways is a direction of transitions.
type ways uint8

const (
	wayIn ways = 1 + iota
	wayOut
)

// neglect records that from now on no transition takes these tasks. first is a state of the part.
func (r *removal) neglect(tasks []int, first lts.State) {
	for _, k := range tasks {
		if k < 0 || k >= len(r.f.Tasks()) || !r.f.Tasks()[k].Strong {
			fail("the part of state %d has a turn for task %d, which is not strong, or there is none", first, k)
		}
		if _, known := r.idle[uint32(k)]; !known {
			r.idle[uint32(k)] = r.now
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
	if int64(s) >= int64(r.m.NumStates()) || r.mark[s] != r.marks {
		fail("state %d goes from a part where it does not belong", s)
	}
	if _, twice := r.gone[s]; twice {
		fail("state %d goes twice from a part", s)
	}
	r.gone[s] = r.now
	r.dead[s] = lacks
}

// when returns the time when a state is removed; the present time if it remains.
func (r *removal) when(s lts.State) int {
	if time, removed := r.gone[s]; removed {
		return time
	}
	return r.now
}

// checkState checks that a state may be removed at its time: it neglects a task of its turn, or lacks
// transitions in one direction. It also checks that no transition from the state takes a task after the
// time from which on the task is claimed to be idle.
func (r *removal) checkState(s lts.State) {
	time := r.when(s)
	neglects := false
	for l, t := range r.m.From(s) {
		for _, k := range r.f.TasksOf(l) {
			begins, idle := r.idle[k]
			neglects = neglects || idle && begins == time && !r.isStuttering(k, s, t)
		}
		if r.stays(r.frame, s, l, t) {
			r.checkStep(s, l, t)
		}
	}
	if time < r.now && r.dead[s] == 0 && !neglects {
		fail("state %d is removed from a part, but neglects no task of its turn", s)
	}
}

// checkStep checks a transition that stays in the current set.
func (r *removal) checkStep(s lts.State, l lts.Label, t lts.State) {
	source := r.when(s)
	target := r.when(t)
	if r.dead[s] == wayOut && target >= source || r.dead[t] == wayIn && source >= target {
		fail("state %d leads to state %d, which runs may leave, but the evidence excludes that", s, t)
	}
	for _, k := range r.f.MetBy(l) {
		if begins, idle := r.idle[k]; idle && min(source, target) >= begins &&
			!r.isStuttering(k, s, t) {
			fail("the transition from state %d to state %d takes task %s, or interferes with it, but stays in the part", s, t, r.f.Tasks()[k].Name)
		}
	}
}

// isStuttering reports whether a transition is one that task k ignores because it changes nothing.
func (c *fairChecker) isStuttering(k uint32, s, t lts.State) bool {
	return c.f.Tasks()[k].Nonstuttering && s == t
}
