package fair

import (
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property/fairset"
)

// Runs parts states: a run that counts does what a formula is about from some, and none does
// from the others, with evidence for both.
type Runs struct {
	frame
	reach bitset.Set[lts.State]
	// Ranks has the former states. Those of the first rank decide by themselves, or lie
	// in one of Loops; from the others a transition leads to a smaller rank.
	Ranks [][]lts.State
	// Loops are strongly connected and fair.
	Loops [][]lts.State
	// Parts has the other states through which runs could go, such that no fair set lies in
	// them: transitions lead into the same part or one before.
	Parts []Part
}

// Part is a part of the latter states.
type Part struct {
	// States are the states of the part, ascending. If Why is Single, they are in such an order
	// that transitions lead to earlier ones.
	States []lts.State
	Why    Reason
	// Tasks are those for which Why says this, by their numbers; where there are Turns, the tasks of the first.
	Tasks []uint32
	// Turns are how a Neglected part falls apart further without another look at components: others are
	// neglected between the states that remain without the states that enable Tasks and those that then lead
	// nowhere or are not led to, and so on. None where it does so once.
	Turns []fairset.Turn
	// Rest are the parts of States that remain without the states that enable one of Tasks, or go in Turns.
	Rest []Part
}

// Reason is why no run that counts stays in a part.
type Reason uint8

// The reasons.
const (
	// Single: no run goes on for ever, one state leads to another.
	Single Reason = iota
	// Everywhere: a task is enabled in all states and never taken.
	Everywhere
	// Neglected: strong tasks are enabled in some states and never taken.
	Neglected
	// Left: some transition leads out, which is taken if the choice is made again and again.
	Left
)

// String returns the name of a reason, as evidence has it.
func (r Reason) String() string {
	return [...]string{"single", "everywhere", "neglected", "left"}[min(r, Left)]
}

// Reaches reports whether a run that counts, from a state, does what the formula is about. Cost O(1).
func (r *Runs) Reaches(s lts.State) bool { return r.reach.Has(s) }

// Decides reports whether a state decides by itself.
func (r *Runs) Decides(s lts.State) bool { return r.base(s) }

// Steps reports whether runs that are not decided may go on by a transition.
func (r *Runs) Steps(from lts.State, l lts.Label, to lts.State) bool {
	return r.via(from) && r.step(from, l, to)
}

// solve parts the states: a run does what a frame describes, or none does.
func (d *decider) solve(f frame) (*Runs, error) {
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
		if err := d.loops(r, through); err != nil {
			return nil, err
		}
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
	if err := d.rank(r, rank); err != nil {
		return nil, err
	}
	if !f.forever {
		return r, nil
	}
	others := slices.DeleteFunc(through, r.reach.Has)
	var err error
	r.Parts, err = d.partition(r, others)
	return r, err
}

// rank finds the states whose steps lead to decided ones.
func (d *decider) rank(r *Runs, first []lts.State) error {
	in := d.Model.Predecessors()
	for rank := first; len(rank) > 0; {
		if err := d.ctx.Err(); err != nil {
			return err
		}
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
	return nil
}

// recurs returns which transitions of a set a run may take again and again.
func (d *decider) recurs(r *Runs) func(lts.State, lts.Label, lts.State) bool {
	return func(from lts.State, l lts.Label, to lts.State) bool {
		return !d.Fairness.Rare(l) && r.step(from, l, to)
	}
}

// loops finds the fair sets among some states: as in docs/fairness.md, states of components are left
// out as long as they enable strong tasks that are not taken.
func (d *decider) loops(r *Runs, states []lts.State) error {
	shows := d.recurs(r)
	return d.parts.Components(states, shows, func(set []lts.State) (bool, error) {
		slices.Sort(set)
		if !d.tasks.Count(set, shows) {
			return true, nil
		}
		if d.Fairness.Full() {
			if !d.isLeft(set, shows) {
				r.Loops = append(r.Loops, set)
			}
			return true, nil
		}
		left, given, err := d.tasks.Shrink(set, shows)
		switch {
		case err != nil:
			return false, err
		case given:
		case len(left) == len(set):
			r.Loops = append(r.Loops, set)
		case len(left) > 0:
			return true, d.loops(r, left)
		}
		return true, nil
	})
}

// isLeft reports whether a transition of a set is none of those that stay in it.
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

// partition returns parts that show that no fair set is among some states.
func (d *decider) partition(r *Runs, states []lts.State) (all []Part, err error) {
	shows := d.recurs(r)
	err = d.parts.Components(states, shows, func(set []lts.State) (bool, error) {
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
			if err != nil {
				return false, err
			}
			rest, err := d.partition(r, left)
			if err != nil {
				return false, err
			}
			part := Part{States: set, Why: Neglected, Tasks: turns[0].Tasks, Rest: rest}
			if len(turns) > 1 || len(turns[0].Ends)+len(turns[0].Begins) > 0 {
				part.Turns = turns
			}
			all = append(all, part)
		}
		return true, nil
	})
	return all, err
}
