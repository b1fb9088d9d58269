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
		c:       d.Closure,
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
	x.in = bitset.Of(m.NumStates(), x.states)
	var err error
	x.parts, err = scc.NewParts(ctx, m)
	return x, err
}

// counts reports whether some run from a state counts. Without fairness, all runs count.
func (x *Case) counts(s lts.State) bool { return x.fair == nil || x.fair.IsAdmitted(s) }

// argueFairly argues by a run that ends where the claim is decided, or that stays forever in a set in
// which a fair run can stay.
func (x *Case) argueFairly(a *Argument, p proof, w *weighing) {
	known := x.fair.Runs(p.claim.f)
	// The run follows decreasing ranks, down to rank 0.
	end := a.State
	a.Run = &Run{Start: end, LoopStart: -1}
	for w.of[end] > 0 {
		for l, t := range x.m.From(end) {
			if x.in.Has(t) && w.of[t] < w.of[end] && known.Steps(end, l, t) {
				a.Run.Steps = append(a.Run.Steps, lts.Transition{
					From:  end,
					Label: l,
					To:    t,
				})
				end = t
				break
			}
		}
	}
	p.how = forever // what the rest of the run proves
	weight, by := x.runsOf(p).end(end)
	if weight != unknown {
		labels, targets := x.m.Out(end)
		if by != stop {
			a.Run.Steps = append(a.Run.Steps, lts.Transition{
				From:  end,
				Label: labels.At(int(by)),
				To:    targets[by],
			})
		}
		a.Run.Deadlock = len(targets) == 0
		a.Run.stops = by == stop && len(targets) > 0 && x.mayEnd(end)
		a.Text = a.head() + x.foreverText(a.Run, p)
		x.becauseOfRun(a, p, a.Run.end())
		return
	}
	i := slices.IndexFunc(known.Loops, func(loop []lts.State) bool {
		return slices.Contains(loop, end)
	})
	if i < 0 {
		abort.On(fmt.Errorf("argument: no fair run argues for %s in %d", a.Formula, a.State))
	}
	if x.fair.Fairness.Full() {
		x.argueTrap(a, p, known.Loops[i])
		return
	}
	a.Run.LoopStart = len(a.Run.Steps)
	a.Run.Steps = append(a.Run.Steps, x.fairRound(known, known.Loops[i], end)...)
	a.Text = a.head() + strings.Replace(x.foreverText(a.Run, p), " a run goes",
		" a fair run goes", 1)
	x.becauseOfRun(a, p, end)
}

// argueTrap argues by a set of states that runs never leave.
func (x *Case) argueTrap(a *Argument, p proof, trap []lts.State) {
	a.Set = trap
	length := len(a.Run.Steps)
	these := "these"
	along := x.inStates(p.right, these)
	if p.node.Last != syntax.NoLast {
		along = x.noLast(p, "the transitions from these")
	}
	if length == 0 {
		a.Run = nil
		a.Text = fmt.Sprintf("%s: runs never leave %s%s.", a.head(), x.some(a.Set), along)
	} else {
		a.Text = fmt.Sprintf("%s: a run of %s comes to %s, which runs never leave%s.", a.head(),
			printable.Quantity(length, "transition"), x.some(a.Set), strings.Replace(along, these, "them", 1))
	}
	met := a.Set
	if p.node.Last != syntax.NoLast {
		untrue := p
		untrue.right.holds = false
		met = x.lastTargets(untrue, a.Set)
	}
	if a.Run != nil && p.node.Last == syntax.NoLast {
		for _, t := range a.Run.Steps {
			x.because(a, p.right, t.From)
		}
	}
	x.examples(a, p.right, met)
}

// fairRound returns a closed walk from start in a fair set, such that repeating the walk is fair. As
// long as the walk neglects a task, it continues to the nearest transition of such a task, and back to
// start.
func (x *Case) fairRound(known *fair.Runs, set []lts.State, start lts.State) []lts.Transition {
	in := bitset.Of(x.m.NumStates(), set)
	shows := func(t lts.Transition) bool {
		return in.Has(t.To) && known.Steps(t.From, t.Label, t.To) &&
			!x.fair.Fairness.Rare(t.Label)
	}
	first := x.nearest(start, shows, func(lts.Transition) bool { return true })
	walk := append(first, x.back(start, shows, first)...)
	for {
		task, owes := x.owes(walk)
		if !owes {
			return walk
		}
		// The walk is closed at start, so it can be extended from there.
		more := x.nearest(start, shows, func(t lts.Transition) bool {
			return x.meets(task, t)
		})
		if more == nil {
			more = x.nearest(start, shows, func(t lts.Transition) bool {
				return !x.enables(task, t.To)
			})
		}
		if more == nil {
			return walk // the set is not fair, which tests would find
		}
		walk = append(append(walk, more...), x.back(start, shows, more)...)
	}
}

// back returns the path from the end of a walk to a state; none if the walk ends in this state.
func (x *Case) back(
	to lts.State,
	shows func(lts.Transition) bool,
	walk []lts.Transition,
) []lts.Transition {
	at := walk[len(walk)-1].To
	if at == to {
		return nil
	}
	return x.nearest(at, shows, func(t lts.Transition) bool {
		return t.To == to
	})
}

// nearest returns the shortest path from a state whose last transition satisfies is; nil if there is no
// such path.
func (x *Case) nearest(from lts.State, shows, is func(lts.Transition) bool) []lts.Transition {
	by := map[lts.State]lts.Transition{}
	open := []lts.State{from}
	visited := map[lts.State]bool{from: true}
	for len(open) > 0 {
		s := open[0]
		open = open[1:]
		for l, to := range x.m.From(s) {
			t := lts.Transition{From: s, Label: l, To: to}
			if !shows(t) {
				continue
			}
			if is(t) {
				way := []lts.Transition{t}
				for at := s; at != from; at = by[at].From {
					way = append(way, by[at])
				}
				slices.Reverse(way)
				return way
			}
			if !visited[to] {
				visited[to] = true
				by[to] = t
				open = append(open, to)
			}
		}
	}
	return nil
}

// meets reports whether a transition belongs to a task or interferes with it. enables reports
// whether a transition of the task leaves a state.
func (x *Case) meets(task uint32, t lts.Transition) bool {
	return !x.stutters(task, t) && slices.Contains(x.fair.Fairness.MetBy(t.Label), task)
}

func (x *Case) stutters(task uint32, t lts.Transition) bool {
	return x.fair.Fairness.Tasks()[task].Nonstuttering && t.From == t.To
}

func (x *Case) enables(task uint32, s lts.State) bool {
	for l, to := range x.m.From(s) {
		t := lts.Transition{From: s, Label: l, To: to}
		if !x.stutters(task, t) && slices.Contains(x.fair.Fairness.TasksOf(t.Label), task) {
			return true
		}
	}
	return false
}

// owes returns a task that a closed walk neglects; false if the walk is fair.
func (x *Case) owes(walk []lts.Transition) (uint32, bool) {
	for k, task := range x.fair.Fairness.Tasks() {
		taken := false
		enabled := 0
		for _, t := range walk {
			taken = taken || x.meets(uint32(k), t)
			if x.enables(uint32(k), t.From) {
				enabled++
			}
		}
		if !taken && (enabled == len(walk) || task.Strong && enabled > 0) {
			return uint32(k), true
		}
	}
	return 0, false
}

// argueOutrun argues that all fair runs reach the goal: by the goal, and by the sets of states before
// the goal in which runs could stay forever, but fair runs do not stay.
func (x *Case) argueOutrun(a *Argument, p proof) {
	a.sets = true
	asLayers := p
	asLayers.how = layers
	u := x.layersFrom(a.State, asLayers)
	last := p.node.Last != syntax.NoLast
	if !last && len(u.ends) == 1 && u.ends[0] == a.State {
		a.Text = a.head() + x.there(p.right)
		x.examples(a, p.right, u.ends)
		return
	}
	a.Set = u.onward
	text := fmt.Sprintf("comes to %s%s%s%s", x.oneOf(u.ends), x.clause(where, p.right),
		x.allowed(", before that ", p.node.Labels, ""), x.clause(through, p.left))
	if last {
		text = "takes " + x.lastTaken(&u, p)
	}
	a.Text = fmt.Sprintf("%s: every fair run %s.%s", a.head(), text, x.stays(p.claim, u.onward))
	x.becauseOfLayers(a, &u, p)
}

// shownParts is the largest number of parts that a sentence names.
const shownParts = 3

// stays returns the text about the sets in which runs could stay forever, and why fair runs do not.
func (x *Case) stays(c claim, among []lts.State) string {
	var all []string
	further := 0 // the number of turns of all sets, not counting the first turn of each
	in := bitset.Of(x.m.NumStates(), among)
	var look func(parts []fair.Part)
	look = func(parts []fair.Part) {
		for _, p := range parts {
			if p.Why == fair.Single || !slices.ContainsFunc(p.States, in.Has) {
				continue
			}
			all = append(all, x.unfair(p))
			further += max(len(p.Turns)-1, 0)
			look(p.Rest)
		}
	}
	look(x.fair.Runs(c.f).Parts)
	more := ""
	n := len(all) - min(len(all), shownParts) + further
	if n > 0 {
		more = fmt.Sprintf(" The same holds for %s.",
			printable.Quantity(n, "more set"))
		all = all[:min(len(all), shownParts)]
	}
	return strings.Join(all, "") + more
}

// unfair returns the text about why no fair run stays in a part.
func (x *Case) unfair(p fair.Part) string {
	where := x.some(p.States)
	if p.Why == fair.Left {
		return fmt.Sprintf(" No fully fair run stays in %s: it can leave again and again, and so it does.", where)
	}
	var names []string
	just := false
	for _, k := range p.Tasks {
		name := printable.Cut(x.fair.Fairness.Tasks()[k].Name, 60)
		if x.fair.Fairness.IsOfComponents(k) {
			name = "what needs " + name
			just = true
		}
		names = append(names, name)
	}
	interfered := ""
	if just {
		interfered = ", and nothing interferes with it"
	}
	more := ""
	n := len(names) - shownParts
	if n > 0 {
		names = names[:shownParts]
		more = fmt.Sprintf(" and %d more", n)
	}
	if p.Why == fair.Everywhere {
		return fmt.Sprintf(" No fair run stays in %s, where %s can always be done and never is%s.", where, names[0], interfered)
	}
	return fmt.Sprintf(" Of %s, no fair run returns forever to those where %s can be done: it never is done there%s.", where, strings.Join(names, " or ")+more, interfered)
}
