package argument

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/ctl/fair"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// NewFair returns the case of a formula about fair runs, given the decision. A claim that some fair run
// continues forever is proved by a run into a set in which a fair run can stay. A claim that none does
// is proved by the sets in which no fair run stays. Cost O(|φ| S).
func NewFair(ctx context.Context, d *fair.Decision) (*Case, error) {
	m := d.Model
	x := &Case{
		ctx:     ctx,
		m:       m,
		closure: d.Closure,
		means:   d.Means,
		holds:   d.Holds,
		weights: map[claim]*weighing{},
		fair:    d,
	}
	for _, s := range d.States {
		if d.IsAdmitted(s) {
			x.states = append(x.states, s)
		}
	}
	x.reachable = bitset.Of(m.NumStates(), x.states)
	var err error
	x.parts, err = scc.NewParts(ctx, m)
	return x, err
}

// isAdmitted reports whether some run from a state counts. Without fairness, all runs count.
func (x *Case) isAdmitted(s lts.State) bool { return x.fair == nil || x.fair.IsAdmitted(s) }

// argueFairRun argues by a run that ends where the claim is decided, or that stays forever in a set in
// which a fair run can stay.
func (x *Case) argueFairRun(a *Argument, p proof, w *weighing) {
	evidence := x.fair.Runs(p.claim.f)
	a.Run = &Run{
		Start:     a.State,
		Steps:     x.pathToRank0(evidence, w, a.State),
		LoopStart: -1,
	}
	end := a.Run.end()
	p.shape = byEndlessRun // what the rest of the run proves
	weight, last := x.runsOf(p).endWeight(end)
	if weight != unknown {
		x.argueEnd(a, p, last)
		return
	}
	i := slices.IndexFunc(evidence.Loops, func(loop []lts.State) bool {
		return slices.Contains(loop, end)
	})
	if i < 0 {
		abort.On(fmt.Errorf("argument: no fair run argues for %s in %d", a.Formula, a.State))
	}
	if x.fair.Fairness.Full() {
		x.argueTrap(a, p, evidence.Loops[i])
		return
	}
	a.Run.LoopStart = len(a.Run.Steps)
	a.Run.Steps = append(a.Run.Steps, x.fairRound(evidence, evidence.Loops[i], end)...)
	a.Text = a.head() + strings.Replace(x.foreverText(a.Run, p), " a run goes",
		" a fair run goes", 1)
	x.addClaimsOfRun(a, p, end)
}

// pathToRank0 returns a path from a state along which the ranks decrease, down to rank 0.
func (x *Case) pathToRank0(evidence *fair.Runs, w *weighing, from lts.State) (path []lts.Transition) {
	at := from
	for w.weights[at] > 0 {
		for l, t := range x.m.From(at) {
			if x.reachable.Has(t) && w.weights[t] < w.weights[at] && evidence.Steps(at, l, t) {
				path = append(path, lts.Transition{From: at, Label: l, To: t})
				at = t
				break
			}
		}
	}
	return path
}

// argueEnd argues by a run whose last state, or a last transition from there, decides the claim. last is
// the index of this transition; stop if the state decides.
func (x *Case) argueEnd(a *Argument, p proof, last int32) {
	end := a.Run.end()
	labels, targets := x.m.Out(end)
	if last != stop {
		a.Run.Steps = append(a.Run.Steps, lts.Transition{
			From:  end,
			Label: labels.At(int(last)),
			To:    targets[last],
		})
	}
	a.Run.Deadlock = len(targets) == 0
	a.Run.endsBlocked = last == stop && len(targets) > 0 && x.mayEnd(end)
	a.Text = a.head() + x.foreverText(a.Run, p)
	x.addClaimsOfRun(a, p, a.Run.end())
}

// argueTrap argues by a set of states that runs never leave.
func (x *Case) argueTrap(a *Argument, p proof, trap []lts.State) {
	a.Set = trap
	length := len(a.Run.Steps)
	last := p.node.Last != syntax.NoLast
	// noGoal returns the clause that no run meets a goal in the states of the trap, named by a pronoun.
	noGoal := func(pronoun string) string {
		if last {
			return x.noLastText(p, "the transitions from "+pronoun)
		}
		return x.inStatesText(p.right, pronoun)
	}
	if length == 0 {
		a.Run = nil
		a.Text = fmt.Sprintf("%s: runs never leave %s%s.", a.head(), x.statesText(a.Set), noGoal("these"))
	} else {
		a.Text = fmt.Sprintf("%s: a run of %s comes to %s, which runs never leave%s.", a.head(),
			printable.Quantity(length, "transition"), x.statesText(a.Set), noGoal("them"))
	}
	if last {
		untrue := p
		untrue.right.holds = false
		x.addExample(a, p.right, x.lastTargets(untrue, a.Set))
		return
	}
	if a.Run != nil {
		for _, t := range a.Run.Steps {
			x.addClaim(a, p.right, t.From)
		}
	}
	x.addExample(a, p.right, a.Set)
}

// fairRound returns a closed walk from start in a fair set, such that repeating the walk is fair. As
// long as the walk neglects a task, it continues to the nearest transition of such a task or, if there is
// none, to the nearest state that does not enable the task, and then back to start.
func (x *Case) fairRound(evidence *fair.Runs, set []lts.State, start lts.State) []lts.Transition {
	in := bitset.Of(x.m.NumStates(), set)
	stays := func(t lts.Transition) bool {
		return in.Has(t.To) && evidence.Steps(t.From, t.Label, t.To) &&
			!x.fair.Fairness.Rare(t.Label)
	}
	first := x.shortestPath(start, stays, func(lts.Transition) bool { return true })
	walk := append(first, x.pathBack(start, stays, first)...)
	for {
		task, isUnfair := x.neglectedTask(walk)
		if !isUnfair {
			return walk
		}
		// The walk is closed at start, so it can be extended from there.
		detour := x.shortestPath(start, stays, func(t lts.Transition) bool {
			return x.takesOrInterferes(task, t)
		})
		if detour == nil {
			detour = x.shortestPath(start, stays, func(t lts.Transition) bool {
				return !x.enables(task, t.To)
			})
		}
		if detour == nil {
			return walk // the set is not fair, which is a fault of the program
		}
		walk = slices.Concat(walk, detour, x.pathBack(start, stays, detour))
	}
}

// pathBack returns the path to a state from the end of a walk; none if the walk ends in this state.
func (x *Case) pathBack(
	to lts.State,
	allows func(lts.Transition) bool,
	walk []lts.Transition,
) []lts.Transition {
	end := walk[len(walk)-1].To
	if end == to {
		return nil
	}
	return x.shortestPath(end, allows, func(t lts.Transition) bool {
		return t.To == to
	})
}

// shortestPath returns the shortest path from a state, by allowed transitions, of which the last one is a
// goal; nil if there is no such path.
func (x *Case) shortestPath(from lts.State, allows, isGoal func(lts.Transition) bool) []lts.Transition {
	lastStep := map[lts.State]lts.Transition{}
	open := []lts.State{from}
	visited := map[lts.State]bool{from: true}
	for len(open) > 0 {
		s := open[0]
		open = open[1:]
		for l, to := range x.m.From(s) {
			t := lts.Transition{From: s, Label: l, To: to}
			if !allows(t) {
				continue
			}
			if isGoal(t) {
				path := []lts.Transition{t}
				for at := s; at != from; at = lastStep[at].From {
					path = append(path, lastStep[at])
				}
				slices.Reverse(path)
				return path
			}
			if !visited[to] {
				visited[to] = true
				lastStep[to] = t
				open = append(open, to)
			}
		}
	}
	return nil
}

// takesOrInterferes reports whether a transition belongs to a task or interferes with it.
func (x *Case) takesOrInterferes(task uint32, t lts.Transition) bool {
	return !x.isStuttering(task, t) && slices.Contains(x.fair.Fairness.MetBy(t.Label), task)
}

// isStuttering reports whether a task ignores a transition because it changes nothing.
func (x *Case) isStuttering(task uint32, t lts.Transition) bool {
	return x.fair.Fairness.Tasks()[task].Nonstuttering && t.From == t.To
}

// enables reports whether a transition of a task leaves a state.
func (x *Case) enables(task uint32, s lts.State) bool {
	for l, to := range x.m.From(s) {
		t := lts.Transition{From: s, Label: l, To: to}
		if !x.isStuttering(task, t) && slices.Contains(x.fair.Fairness.TasksOf(t.Label), task) {
			return true
		}
	}
	return false
}

// neglectedTask returns a task that a closed walk neglects; false if the walk is fair.
func (x *Case) neglectedTask(walk []lts.Transition) (uint32, bool) {
	for k, task := range x.fair.Fairness.Tasks() {
		taken := false
		enabled := 0
		for _, t := range walk {
			taken = taken || x.takesOrInterferes(uint32(k), t)
			if x.enables(uint32(k), t.From) {
				enabled++
			}
		}
		demandsTask := enabled == len(walk) || task.Strong && enabled > 0
		if demandsTask && !taken {
			return uint32(k), true
		}
	}
	return 0, false
}

// argueAllFairRuns argues that all fair runs reach the goal: by the goal, and by the sets of states before
// the goal in which runs could stay forever, but fair runs do not stay.
func (x *Case) argueAllFairRuns(a *Argument, p proof) {
	a.byAllRuns = true
	asLayers := p
	asLayers.shape = byLayers
	passed := x.layersFrom(a.State, asLayers)
	last := p.node.Last != syntax.NoLast
	isAtGoal := !last && len(passed.ends) == 1 && passed.ends[0] == a.State
	if isAtGoal {
		a.Text = a.head() + x.thereText(p.right)
		x.addExample(a, p.right, passed.ends)
		return
	}
	a.Set = passed.onward
	reachesGoal := fmt.Sprintf("comes to %s%s%s%s", x.oneOfText(passed.ends), x.clause(where, p.right),
		x.allowedText(", before that ", p.node.Labels, ""), x.clause(through, p.left))
	if last {
		reachesGoal = "takes " + x.lastTakenText(&passed, p)
	}
	a.Text = fmt.Sprintf("%s: every fair run %s.%s", a.head(), reachesGoal,
		x.unfairSetsText(p.claim, passed.onward))
	x.addClaimsOfLayers(a, &passed, p)
}

// shownParts is the largest number of parts that a sentence names.
const shownParts = 3

// unfairSetsText returns the text about the sets in which runs could stay forever, and why fair runs do not.
func (x *Case) unfairSetsText(c claim, among []lts.State) string {
	var sentences []string // one for each set
	furtherTurns := 0      // the number of turns of all sets, not counting the first turn of each
	in := bitset.Of(x.m.NumStates(), among)
	var collect func(parts []fair.Part)
	collect = func(parts []fair.Part) {
		for _, p := range parts {
			if p.Why == fair.Single || !slices.ContainsFunc(p.States, in.Has) {
				continue
			}
			sentences = append(sentences, x.unfairPartText(p))
			furtherTurns += max(len(p.Turns)-1, 0)
			collect(p.Rest)
		}
	}
	collect(x.fair.Runs(c.f).Parts)
	shown := sentences[:min(len(sentences), shownParts)]
	more := ""
	omitted := len(sentences) - len(shown) + furtherTurns
	if omitted > 0 {
		more = fmt.Sprintf(" The same holds for %s.", printable.Quantity(omitted, "more set"))
	}
	return strings.Join(shown, "") + more
}

// unfairPartText returns the text about why no fair run stays in a part.
func (x *Case) unfairPartText(p fair.Part) string {
	where := x.statesText(p.States)
	if p.Why == fair.Left {
		return fmt.Sprintf(" No fully fair run stays in %s: it can leave again and again, and so it does.", where)
	}
	var names []string
	justness := "" // the clause about interference, which only justness asks for
	for _, k := range p.Tasks {
		name := printable.Cut(x.fair.Fairness.Tasks()[k].Name, 60)
		if x.fair.Fairness.IsOfComponents(k) {
			name = "what needs " + name
			justness = ", and nothing interferes with it"
		}
		names = append(names, name)
	}
	if p.Why == fair.Everywhere {
		return fmt.Sprintf(" No fair run stays in %s, where %s can always be done and never is%s.", where, names[0], justness)
	}
	tasks := strings.Join(names[:min(len(names), shownParts)], " or ")
	omitted := len(names) - shownParts
	if omitted > 0 {
		tasks += fmt.Sprintf(" and %d more", omitted)
	}
	return fmt.Sprintf(" Of %s, no fair run returns forever to those where %s can be done: it never is done there%s.", where, tasks, justness)
}
