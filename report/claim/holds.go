package claim

import "github.com/inev-lts/inev/explain"

// Within says after how many transitions the property is satisfied: counted from the start for
// inevitability, and for another property from the moment at which something becomes pending. Each
// thing that can become pending has its bound.
type Within struct{ Bounds []explain.Bound }

// Unbounded says that there is no bound: before step Step of the property, or before what is
// pending, a run can repeat the labels any number of times.
type Unbounded struct {
	Labels []string
	Step   int
}

// SlowestRun is the run with the most transitions until the property is satisfied, and
// the faster choices.
type SlowestRun struct{ *explain.Slowest }

// NothingAsked says that the property holds vacuously.
type NothingAsked struct{ *explain.NothingAsked }

// MoreHolds says that a stronger property holds, too.
type MoreHolds struct{ NoRole []explain.NoRole }

// RestsOn has the gates or labels without which the property would fail. The field Only is the
// number of further gates or labels that matter for another reason: some state has no other label
// to continue with.
type RestsOn struct {
	Supports []explain.Support
	Only     int
}

// NotLooked lists the questions that were not examined.
type NotLooked struct{ What []string }

// LeastFaults is the least number of faults on a violating run.
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

// tellHolds adds the claims about why the property holds, and about the least number of faults.
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

// restsOn counts, and does not list, the supports that matter since some state has no other label;
// if all supports are such, it lists them.
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
