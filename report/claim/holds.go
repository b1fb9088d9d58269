package claim

import "github.com/inev-lts/inev/explain"

// Within reports how many transitions it takes: of inevitability from the start, of other
// properties from where something is pending. All that is asked for has such a bound.
type Within struct{ Bounds []explain.Bound }

// Unbounded says that after the labels, which a run can do any number of times before it is
// done with step Step, or with what is pending, it still is not.
type Unbounded struct {
	Labels []string
	Step   int
}

// SlowestRun reports which run takes the most transitions, and what would have been faster.
type SlowestRun struct{ *explain.Slowest }

// NothingAsked says that the property holds whatever became of what it asks for.
type NothingAsked struct{ *explain.NothingAsked }

// MoreHolds reports what holds beyond what is asked.
type MoreHolds struct{ NoRole []explain.NoRole }

// RestsOn says without which gates, or labels, the property would fail. Only is the number of
// others that are nothing but the only way on in some state.
type RestsOn struct {
	Supports []explain.Support
	Only     int
}

// NotLooked reports what was not looked for.
type NotLooked struct{ What []string }

// LeastFaults reports how many faults it takes.
type LeastFaults struct {
	*explain.Faults
	Satisfied bool
}

func (Within) Kind() string       { return "within" }
func (Unbounded) Kind() string    { return "unbounded" }
func (SlowestRun) Kind() string   { return "slowest_run" }
func (NothingAsked) Kind() string { return "nothing_asked" }
func (MoreHolds) Kind() string    { return "more_holds" }
func (RestsOn) Kind() string      { return "rests_on" }
func (NotLooked) Kind() string    { return "not_looked" }
func (LeastFaults) Kind() string  { return "faults" }

// holds says why the property holds.
func (s *Story) tellHolds(e *explain.Explanation) {
	if e.Faults != nil {
		s.Faults = []Claim{LeastFaults{e.Faults, e.Verdict == explain.Satisfied}}
	}
	h := e.Holds
	if h == nil {
		return
	}
	if len(h.Bounds) > 0 && h.Unbounded == nil {
		s.Within = &Within{h.Bounds}
	}
	if h.Unbounded != nil {
		step := 1
		for step < len(h.Bounds) && h.Bounds[step-1].Most != nil {
			step++
		}
		s.Holds = append(s.Holds, Unbounded{h.Unbounded.Labels, step})
	}
	if h.Slowest != nil {
		s.Slowest = &SlowestRun{h.Slowest}
	}
	if h.NothingAsked != nil {
		s.Holds = append(s.Holds, NothingAsked{h.NothingAsked})
	}
	if rests := restsOn(h.RestsOn); len(rests.Supports) > 0 {
		s.Holds = append(s.Holds, rests)
	}
	if len(h.NoRole) > 0 && h.NothingAsked == nil {
		s.Holds = append(s.Holds, MoreHolds{h.NoRole})
	}
	if len(h.Skipped) > 0 {
		s.Holds = append(s.Holds, NotLooked{h.Skipped})
	}
}

// restsOn leaves out what is nothing but the only way on in some state, unless there is
// nothing else.
func restsOn(all []explain.Support) RestsOn {
	var loops RestsOn
	for _, s := range all {
		if s.State != nil {
			loops.Only++
		} else {
			loops.Supports = append(loops.Supports, s)
		}
	}
	if len(loops.Supports) > 0 {
		return loops
	}
	return RestsOn{Supports: all}
}
