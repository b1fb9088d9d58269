package fair

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/property/fairset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// Question asks whether a formula about fair runs holds in some states.
type Question struct {
	Model   *lts.LTS
	Closure *syntax.Closure
	// Means are the labels of patterns, see [syntax.Closure.Bind].
	Means [][]bool
	// Holding returns the states that satisfy a predicate.
	Holding func(p syntax.Predicate) ([]lts.State, error)
	// Asked are the states that the question is about.
	Asked []lts.State
	// Fairness is the condition on runs that count.
	Fairness *property.Fairness
}

// Decision has the results for a formula and its closure. It is immutable.
type Decision struct {
	Question
	// States are the states that are reachable from those asked about, ascending.
	States []lts.State
	// Admitted divides the states: a state is admitted if some run from it counts. It is nil if all
	// states are admitted.
	Admitted *Runs
	// Good are the asked states that satisfy the formula, and Bad are the others.
	Good, Bad []lts.State
	holds     []bitset.Set[lts.State] // for each formula, the states that satisfy it
	runs      []*Runs                 // the evidence for each formula; nil for formulas that are not about runs
}

// Holds reports whether a formula of the closure holds in a reachable state. Cost O(1).
func (d *Decision) Holds(i syntax.Index, s lts.State) bool { return d.holds[i].Has(s) }

// Runs returns the evidence about runs for a formula; nil if the formula is not about runs.
func (d *Decision) Runs(i syntax.Index) *Runs { return d.runs[i] }

// IsAdmitted reports whether some run from a state counts. Cost O(1).
func (d *Decision) IsAdmitted(s lts.State) bool {
	return d.Admitted == nil || d.Admitted.reach.Has(s)
}

// MayEnd reports whether a run that counts may end in a state: the state is a deadlock, or everything
// that is possible there may be blocked. Cost O(out-degree).
func (d *Decision) MayEnd(s lts.State) bool { return d.Fairness.MayEnd(d.Model, s) }

// NotAdmittedError reports that no run from any asked state counts. State is the first of these states.
type NotAdmittedError struct{ State lts.State }

func (e *NotAdmittedError) Error() string {
	return fmt.Sprintf("no run from state %d is admitted by the assumptions, so that there is nothing to ask", e.State)
}

// decider decides the formulas of a closure one after the other.
type decider struct {
	*Decision
	ctx       context.Context
	reachable bitset.Set[lts.State] // the states that can be reached
	parts     *scc.Parts
	tasks     *fairset.Tasks
}

// Decide decides a formula in all states that are reachable from the asked ones. It fails if ctx is
// done, with the errors of Holding, and with a [*NotAdmittedError]. In a state that is not admitted,
// each claim about all runs holds, and no claim about some run does. The model must have its
// predecessors. Cost O(|φ| (S + T)); for formulas about infinite runs, times the number of strong tasks
// plus one.
func Decide(ctx context.Context, q Question) (_ *Decision, err error) {
	defer abort.Caught(&err)
	parts := abort.Must(scc.NewParts(ctx, q.Model))
	tasks := abort.Must(fairset.NewTasks(ctx, q.Model, q.Fairness, parts, nil))
	d := &decider{
		Decision: &Decision{Question: q},
		ctx:      ctx,
		parts:    parts,
		tasks:    tasks,
	}
	reach := abort.Must(bfs.From(ctx, q.Model, q.Asked, bfs.Options{}))
	d.reachable = bitset.New[lts.State](q.Model.NumStates())
	for s := range lts.State(q.Model.NumStates()) {
		if _, isReachable := reach.Distance(s); isReachable {
			d.reachable.Add(s)
			d.States = append(d.States, s)
		}
	}
	if q.Fairness.Excludes() {
		d.Admitted = d.solve(frame{ // the runs that count
			base:    d.MayEnd,
			via:     func(lts.State) bool { return true },
			step:    anyStep,
			forever: true,
		})
	}
	for _, n := range q.Closure.Nodes {
		d.decide(n)
	}
	if len(q.Asked) > 0 && !slices.ContainsFunc(q.Asked, d.IsAdmitted) {
		return nil, &NotAdmittedError{q.Asked[0]}
	}
	for _, s := range q.Asked {
		if d.Holds(q.Closure.Root(), s) {
			d.Good = append(d.Good, s)
		} else {
			d.Bad = append(d.Bad, s)
		}
	}
	return d.Decision, nil
}

// decide decides a formula. Its operands must have been decided before.
func (d *decider) decide(n syntax.Node) {
	abort.On(d.ctx.Err())
	var runs *Runs
	satisfying := bitset.New[lts.State](d.Model.NumStates())
	holds := func(s lts.State) bool { return d.holdsLocally(n, s) }
	switch n.Op {
	case syntax.Holds:
		holds = bitset.Of(d.Model.NumStates(), abort.Must(d.Holding(n.Predicate))).Has
	case syntax.Until, syntax.Release:
		runs = d.solve(d.frame(n))
		holds = func(s lts.State) bool {
			return runs.reach.Has(s) == (n.Path == syntax.Some)
		}
	}
	for _, s := range d.States {
		if holds(s) {
			satisfying.Add(s)
		}
	}
	d.holds = append(d.holds, satisfying)
	d.runs = append(d.runs, runs)
}

// holdsLocally reports whether a formula that is not about runs holds in a state.
func (d *decider) holdsLocally(n syntax.Node, s lts.State) bool {
	switch n.Op {
	case syntax.True:
		return true
	case syntax.Deadlock:
		return d.Model.IsDeadlock(s)
	case syntax.Not:
		return !d.Holds(n.Right, s)
	case syntax.And:
		return d.Holds(n.Left, s) && d.Holds(n.Right, s)
	case syntax.Or:
		return d.Holds(n.Left, s) || d.Holds(n.Right, s)
	case syntax.Next:
		// EX holds if the operand holds in one successor; AX fails if the operand fails in one
		// successor.
		isSome := n.Path == syntax.Some
		for l, t := range d.Model.From(s) {
			counts := d.matches(n.Labels, l) && d.IsAdmitted(t)
			if counts && d.Holds(n.Right, t) == isSome {
				return isSome
			}
		}
		return !isSome
	}
	return false
}

// matches reports whether a label of the model is one of the labels of a formula.
func (d *Decision) matches(l syntax.Labels, label lts.Label) bool {
	return l == syntax.AnyLabel || l >= 0 && d.Means[l][label]
}

// frame describes runs by conditions on states and transitions. For a formula about some run, these are
// the runs that satisfy it; for a formula about all runs, those that violate it.
type frame struct {
	// base reports whether a run is decided in a state, whatever follows.
	base func(s lts.State) bool
	// via reports whether an undecided run may continue from a state. step reports whether an
	// undecided run may take a transition.
	via  func(s lts.State) bool
	step func(from lts.State, l lts.Label, to lts.State) bool
	// forever reports whether the frame also describes runs that are never decided.
	forever bool
}

// frame describes the runs that satisfy, or violate, an Until or a Release. docs/ctl.md lists the
// conditions.
func (d *Decision) frame(n syntax.Node) frame {
	switch {
	case n.Op == syntax.Release && n.Path == syntax.Some:
		return d.satisfiedRelease(n)
	case n.Op == syntax.Release:
		return d.violatedRelease(n)
	case n.Path == syntax.Some:
		return d.satisfiedUntil(n)
	case n.Last == syntax.NoLast:
		return d.violatedUntil(n)
	}
	return d.violatedUntilLast(n)
}

// operandHolds returns a function that reports whether an operand of a formula holds in a state.
func (d *Decision) operandHolds(i syntax.Index) func(lts.State) bool {
	return func(s lts.State) bool { return d.Holds(i, s) }
}

// innerStep returns a function that reports whether a transition is allowed before the last one.
func (d *Decision) innerStep(n syntax.Node) func(lts.State, lts.Label, lts.State) bool {
	return func(_ lts.State, l lts.Label, _ lts.State) bool { return d.matches(n.Labels, l) }
}

// lastStep returns a function that reports whether a transition may be the last one.
func (d *Decision) lastStep(n syntax.Node) func(lts.State, lts.Label, lts.State) bool {
	return func(_ lts.State, l lts.Label, to lts.State) bool {
		return d.matches(n.Last, l) && d.Holds(n.Right, to)
	}
}

// anyStep allows all transitions.
func anyStep(lts.State, lts.Label, lts.State) bool { return true }

// satisfiedRelease describes the runs on which the right operand holds forever, or up to and including a
// state where the left operand holds.
func (d *Decision) satisfiedRelease(n syntax.Node) frame {
	left := d.operandHolds(n.Left)
	right := d.operandHolds(n.Right)
	return frame{
		base:    func(s lts.State) bool { return right(s) && (left(s) || d.MayEnd(s)) },
		via:     right,
		step:    anyStep,
		forever: true,
	}
}

// violatedRelease describes the runs on which the right operand fails before the left operand holds.
func (d *Decision) violatedRelease(n syntax.Node) frame {
	left := d.operandHolds(n.Left)
	right := d.operandHolds(n.Right)
	return frame{
		base: func(s lts.State) bool { return !right(s) },
		via:  func(s lts.State) bool { return !left(s) },
		step: anyStep,
	}
}

// satisfiedUntil describes the runs on which the left operand holds until the right operand does, or until
// a last transition.
func (d *Decision) satisfiedUntil(n syntax.Node) frame {
	left := d.operandHolds(n.Left)
	f := frame{via: left, step: d.innerStep(n)}
	if n.Last == syntax.NoLast {
		f.base = d.operandHolds(n.Right)
		return f
	}
	isLast := d.lastStep(n)
	f.base = func(s lts.State) bool { return left(s) && d.hasTransition(s, isLast) }
	return f
}

// violatedUntil describes the runs on which the right operand never holds, and those on which the left
// operand fails, or a forbidden label occurs, before the right operand holds.
func (d *Decision) violatedUntil(n syntax.Node) frame {
	left := d.operandHolds(n.Left)
	right := d.operandHolds(n.Right)
	forbidden := func(_ lts.State, l lts.Label, _ lts.State) bool {
		return !d.matches(n.Labels, l)
	}
	return frame{
		base: func(s lts.State) bool {
			return !right(s) && (!left(s) || d.MayEnd(s) || d.hasTransition(s, forbidden))
		},
		via:     func(s lts.State) bool { return left(s) && !right(s) },
		step:    d.innerStep(n),
		forever: true,
	}
}

// violatedUntilLast describes the runs that violate an Until that names the labels of the last
// transition.
func (d *Decision) violatedUntilLast(n syntax.Node) frame {
	left := d.operandHolds(n.Left)
	isLast := d.lastStep(n)
	forbidden := func(s lts.State, l lts.Label, t lts.State) bool {
		return !d.matches(n.Labels, l) && !isLast(s, l, t)
	}
	return frame{
		base: func(s lts.State) bool {
			return !left(s) || d.MayEnd(s) || d.hasTransition(s, forbidden)
		},
		via: left,
		step: func(s lts.State, l lts.Label, t lts.State) bool {
			return d.matches(n.Labels, l) && !isLast(s, l, t)
		},
		forever: true,
	}
}

// hasTransition reports whether a transition from a state to an admitted state meets a condition.
func (d *Decision) hasTransition(s lts.State, meets func(lts.State, lts.Label, lts.State) bool) bool {
	for l, t := range d.Model.From(s) {
		if d.IsAdmitted(t) && meets(s, l, t) {
			return true
		}
	}
	return false
}

// Runs divides states into two sets, with evidence for both. From a state of the first set, some run
// that counts satisfies the conditions of the frame; from a state of the second, no such run exists.
type Runs struct {
	frame
	reach bitset.Set[lts.State] // the first set
	// Ranks has the states of the first set. States of rank 0 are decided by themselves, or are in one
	// of Loops; all others have a transition to a smaller rank.
	Ranks [][]lts.State
	// Loops are sets that are strongly connected and fair.
	Loops [][]lts.State
	// Parts are sets of the other states that runs could pass. They contain no fair set, and
	// transitions lead into the same part or an earlier one.
	Parts []Part
}

// Part is a set of states without a fair set.
type Part struct {
	// States are the states of the part, ascending. If Why is Single, they are in an order in which
	// transitions lead to earlier states.
	States []lts.State
	Why    Reason
	// Tasks are the numbers of the tasks that Why is about. If there are Turns, they are the tasks of
	// the first turn.
	Tasks []uint32
	// Turns say how a Neglected part is split without new components. Each turn removes the states that
	// enable neglected tasks, and then states without incoming or outgoing transitions. The tasks of
	// the next turn are those that the remaining states neglect. Turns is nil if one removal is enough.
	Turns []fairset.Turn
	// Rest are the parts of the states that remain.
	Rest []Part
}

// Reason says why no run that counts stays in a part forever.
type Reason uint8

// The reasons.
const (
	// Single: the part has no cycle.
	Single Reason = iota
	// Everywhere: all states enable a task that no transition takes.
	Everywhere
	// Neglected: some states enable strong tasks that no transition takes.
	Neglected
	// Left: some transition leaves the part; a fully fair run takes it.
	Left
)

// String returns the name of a reason as evidence has it.
func (r Reason) String() string {
	return [...]string{"single", "everywhere", "neglected", "left"}[min(r, Left)]
}

// Steps reports whether an undecided run may continue by a transition.
func (r *Runs) Steps(from lts.State, l lts.Label, to lts.State) bool {
	return r.via(from) && r.step(from, l, to)
}

// solve finds the states from which some run that counts satisfies the conditions of a frame.
func (d *decider) solve(f frame) *Runs {
	r := &Runs{frame: f, reach: bitset.New[lts.State](d.Model.NumStates())}
	var decided, through []lts.State
	for _, s := range d.States {
		if !d.IsAdmitted(s) {
			continue
		}
		if f.base(s) {
			r.reach.Add(s)
			decided = append(decided, s)
		}
		if f.via(s) {
			through = append(through, s)
		}
	}
	if f.forever {
		d.addFairSets(r, through)
		decided = append(decided, r.addLoops()...)
	}
	slices.Sort(decided)
	d.rankBackwards(r, decided)
	if f.forever {
		r.Parts = d.partition(r, slices.DeleteFunc(through, r.reach.Has))
	}
	return r
}

// addLoops adds the states of the loops to the states from which a run satisfies the conditions. It
// returns the states that are new.
func (r *Runs) addLoops() (added []lts.State) {
	for _, loop := range r.Loops {
		for _, s := range loop {
			if !r.reach.Has(s) {
				r.reach.Add(s)
				added = append(added, s)
			}
		}
	}
	return added
}

// rankBackwards gives each state the smallest rank that its steps allow, backwards from the states of
// rank 0.
func (d *decider) rankBackwards(r *Runs, rank []lts.State) {
	in := d.Model.Predecessors()
	for len(rank) > 0 {
		abort.On(d.ctx.Err())
		r.Ranks = append(r.Ranks, rank)
		var next []lts.State
		for _, t := range rank {
			for l, s := range in.Into(t) {
				if d.reachable.Has(s) && !r.reach.Has(s) && r.Steps(s, l, t) {
					r.reach.Add(s)
					next = append(next, s)
				}
			}
		}
		slices.Sort(next)
		rank = next
	}
}

// mayRecur returns a function that reports whether a run may take a transition infinitely often.
func (d *decider) mayRecur(r *Runs) func(lts.State, lts.Label, lts.State) bool {
	return func(from lts.State, l lts.Label, to lts.State) bool {
		return !d.Fairness.Rare(l) && r.step(from, l, to)
	}
}

// addFairSets adds the fair sets among some states, which it finds by refinement as in docs/fairness.md: it
// removes states that enable a strong task which their component does not take.
func (d *decider) addFairSets(r *Runs, states []lts.State) {
	mayRecur := d.mayRecur(r)
	for set := range abort.Must(d.parts.Components(states, mayRecur)) {
		slices.Sort(set)
		hasTransitions := d.tasks.Count(set, mayRecur)
		if !hasTransitions {
			continue
		}
		if d.Fairness.Full() {
			if !d.isLeft(set, mayRecur) {
				r.Loops = append(r.Loops, set)
			}
			continue
		}
		remaining, isGivenUp, err := d.tasks.Shrink(set, mayRecur)
		abort.On(err)
		switch {
		case isGivenUp:
		case len(remaining) == len(set):
			r.Loops = append(r.Loops, set)
		case len(remaining) > 0:
			d.addFairSets(r, remaining)
		}
	}
}

// isLeft reports whether some transition from a set leaves it, or may not recur.
func (d *decider) isLeft(
	set []lts.State,
	mayRecur func(lts.State, lts.Label, lts.State) bool,
) bool {
	d.parts.Enter(set)
	for _, s := range set {
		for l, t := range d.Model.From(s) {
			if !d.parts.Has(t) || !mayRecur(s, l, t) {
				return true
			}
		}
	}
	return false
}

// partition returns parts that show that some states contain no fair set.
func (d *decider) partition(r *Runs, states []lts.State) (all []Part) {
	mayRecur := d.mayRecur(r)
	for set := range abort.Must(d.parts.Components(states, mayRecur)) {
		slices.Sort(set)
		last := len(all) - 1
		hasTransitions := d.tasks.Count(set, mayRecur)
		everywhere, _ := d.tasks.Neglected(set)
		switch {
		case !hasTransitions && last >= 0 && all[last].Why == Single:
			all[last].States = append(all[last].States, set...)
		case !hasTransitions:
			all = append(all, Part{States: set, Why: Single})
		case d.Fairness.Full():
			all = append(all, Part{States: set, Why: Left})
		case len(everywhere) > 0:
			all = append(all, Part{
				States: set,
				Why:    Everywhere,
				Tasks:  everywhere[:1],
			})
		default:
			all = append(all, d.neglectedPart(r, set))
		}
	}
	return all
}

// neglectedPart returns the part for a set that neglects strong tasks and was counted last. It
// removes the states that enable these tasks, and divides the other states into parts again.
func (d *decider) neglectedPart(r *Runs, set []lts.State) Part {
	turns, remaining, err := d.tasks.Turns(set, d.mayRecur(r))
	abort.On(err)
	part := Part{
		States: set,
		Why:    Neglected,
		Tasks:  turns[0].Tasks,
		Rest:   d.partition(r, remaining),
	}
	needsOneRemoval := len(turns) == 1 && len(turns[0].Ends) == 0 && len(turns[0].Begins) == 0
	if !needsOneRemoval {
		part.Turns = turns
	}
	return part
}
