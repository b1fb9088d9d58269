package fair

import (
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property/fairset"
)

// Runs divides states into two sets, with evidence for both: from the first, some run that counts
// is as the frame of a formula describes; from the second, no such run exists.
type Runs struct {
	frame
	reach bitset.Set[lts.State]
	// Ranks has the states with such a run. Those of rank 0 decide by themselves, or lie in one of
	// Loops; all others have a transition to a smaller rank.
	Ranks [][]lts.State
	// Loops are sets that are strongly connected and fair.
	Loops [][]lts.State
	// Parts are sets of the other states that runs could pass. No fair set lies in them, and
	// transitions lead into the same part or an earlier one.
	Parts []Part
}

// Part is a set of states without a fair set.
type Part struct {
	// States are the states of the part, ascending; if Why is Single, in an order such that
	// transitions lead to earlier ones.
	States []lts.State
	Why    Reason
	// Tasks are the numbers of the tasks that Why is about; if there are Turns, of the tasks of the
	// first turn.
	Tasks []uint32
	// Turns say how a Neglected part is split without new components: each turn removes the states
	// that enable neglected tasks, then states without incoming or outgoing transitions, and the
	// next turn has the tasks that are neglected between the others. Nil if one removal is enough.
	Turns []fairset.Turn
	// Rest are the parts of the states that remain.
	Rest []Part
}

// Reason is why no run that counts stays in a part for ever.
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

// String returns the name of a reason in evidence.
func (r Reason) String() string {
	return [...]string{"single", "everywhere", "neglected", "left"}[min(r, Left)]
}

// Steps reports whether an undecided run may continue by a transition.
func (r *Runs) Steps(from lts.State, l lts.Label, to lts.State) bool {
	return r.via(from) && r.step(from, l, to)
}

// solve finds the states from which some run is as a frame describes.
func (d *decider) solve(f frame) *Runs {
	r := &Runs{frame: f, reach: bitset.New[lts.State](d.Model.NumStates())}
	var through []lts.State
	var rank []lts.State
	for _, s := range d.States {
		switch {
		case !d.IsAdmitted(s):
		case f.base(s):
			r.reach.Add(s)
			rank = append(rank, s)
			if f.via(s) {
				through = append(through, s)
			}
		case f.via(s):
			through = append(through, s)
		}
	}
	if f.forever {
		d.loops(r, through)
		for _, loop := range r.Loops {
			for _, s := range loop {
				if !r.reach.Has(s) {
					r.reach.Add(s)
					rank = append(rank, s)
				}
			}
		}
	}
	slices.Sort(rank)
	d.rank(r, rank)
	if !f.forever {
		return r
	}
	others := slices.DeleteFunc(through, r.reach.Has)
	r.Parts = d.partition(r, others)
	return r
}

// rank finds the states from which steps lead to the states of rank 0, which are passed as
// first.
func (d *decider) rank(r *Runs, first []lts.State) {
	in := d.Model.Predecessors()
	for rank := first; len(rank) > 0; {
		abort.On(d.ctx.Err())
		r.Ranks = append(r.Ranks, rank)
		var next []lts.State
		for _, t := range rank {
			labels, sources := in.In(t)
			for j, s := range sources {
				if d.in.Has(s) && !r.reach.Has(s) && r.Steps(s, labels.At(j), t) {
					r.reach.Add(s)
					next = append(next, s)
				}
			}
		}
		slices.Sort(next)
		rank = next
	}
}

// recurs returns which transitions a run may take infinitely often.
func (d *decider) recurs(r *Runs) func(lts.State, lts.Label, lts.State) bool {
	return func(from lts.State, l lts.Label, to lts.State) bool {
		return !d.Fairness.Rare(l) && r.step(from, l, to)
	}
}

// loops finds the fair sets among some states, by refinement as in docs/fairness.md: it removes
// states that enable strong tasks which their component does not take.
func (d *decider) loops(r *Runs, states []lts.State) {
	shows := d.recurs(r)
	for set := range abort.Must(d.parts.Components(states, shows)) {
		slices.Sort(set)
		if !d.tasks.Count(set, shows) {
			continue
		}
		if d.Fairness.Full() {
			if !d.isLeft(set, shows) {
				r.Loops = append(r.Loops, set)
			}
			continue
		}
		left, given, err := d.tasks.Shrink(set, shows)
		abort.On(err)
		switch {
		case given:
		case len(left) == len(set):
			r.Loops = append(r.Loops, set)
		case len(left) > 0:
			d.loops(r, left)
		}
	}
}

// isLeft reports whether some transition from a set leaves it, or may not recur.
func (d *decider) isLeft(set []lts.State, shows func(lts.State, lts.Label, lts.State) bool) bool {
	d.parts.Enter(set)
	for _, s := range set {
		labels, targets := d.Model.Out(s)
		for j, t := range targets {
			if !d.parts.Has(t) || !shows(s, labels.At(j), t) {
				return true
			}
		}
	}
	return false
}

// partition returns parts which show that some states have no fair set.
func (d *decider) partition(r *Runs, states []lts.State) (all []Part) {
	shows := d.recurs(r)
	for set := range abort.Must(d.parts.Components(states, shows)) {
		slices.Sort(set)
		last := len(all) - 1
		some := d.tasks.Count(set, shows)
		weak, _ := d.tasks.Neglected(set)
		switch {
		case !some && last >= 0 && all[last].Why == Single:
			all[last].States = append(all[last].States, set...)
		case !some:
			all = append(all, Part{States: set, Why: Single})
		case d.Fairness.Full():
			all = append(all, Part{States: set, Why: Left})
		case len(weak) > 0:
			all = append(all, Part{States: set, Why: Everywhere, Tasks: weak[:1]})
		default:
			turns, left, err := d.tasks.Turns(set, shows)
			abort.On(err)
			part := Part{States: set, Why: Neglected, Tasks: turns[0].Tasks, Rest: d.partition(r, left)}
			if len(turns) > 1 || len(turns[0].Ends)+len(turns[0].Begins) > 0 {
				part.Turns = turns
			}
			all = append(all, part)
		}
	}
	return all
}
