package claim

import "github.com/inev-lts/inev/explain"

// Within says within how many transitions the property is satisfied: for inevitability from the
// start, for other properties from when something becomes pending. Everything that is required
// has such a bound.
type Within struct{ Bounds []explain.Bound }

// Unbounded says that there is no bound: a run can do the labels any number of times before it does
// step Step, or what is pending.
type Unbounded struct {
	Labels []string
	Step   int
}

// SlowestRun says which run takes the most transitions, and which choices would have been
// faster.
type SlowestRun struct{ *explain.Slowest }

// NothingAsked says that the property holds vacuously.
type NothingAsked struct{ *explain.NothingAsked }

// MoreHolds says that a stronger property holds, too.
type MoreHolds struct{ NoRole []explain.NoRole }

// RestsOn says without which gates, or labels, the property would fail. Only is the number of
// further ones that matter only since they are the only labels with which a run can continue in
// some state.
type RestsOn struct {
	Supports []explain.Support
	Only     int
}

// NotLooked says which questions were not examined.
type NotLooked struct{ What []string }

// LeastFaults says how many faults a violation takes.
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

// tellHolds adds the claims about why the property holds, and about the faults that a violation
// takes.
func (s *Story) tellHolds(e *explain.Explanation) {
	if e.Faults != nil {
		s.Faults = []Claim{LeastFaults{e.Faults, e.Verdict == explain.Satisfied}}
	}
	h := e.Reasons
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

// restsOn leaves out labels that matter only since they are the only ones in some state, unless all
// labels are such.
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
