package claim

import (
	"slices"

	"github.com/inev-lts/inev/counterexample/replay"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// Fit says that the only case of a log is a prefix of a run but for the deviations,
// which are as few as possible: NotPossible events skipped, NotLogged actions missing.
type Fit struct{ Events, NotPossible, NotLogged int }

// CasesFit counts the cases of a log, those that fit, and the cases with each fate of the property.
type CasesFit struct {
	Cases, Fitting int
	Fates          map[fate.Fate]int // none without a property
}

// Worst returns the fates of the cases, the worst first.
func (c CasesFit) Worst() []fate.Fate {
	return slices.DeleteFunc([]fate.Fate{fate.Lost, fate.Open, fate.Sure}, func(f fate.Fate) bool { return c.Fates[f] == 0 })
}

// Deviates is a deviation of a case from the run with which it is aligned.
type Deviates struct {
	replay.Deviation
	// Next is the event before which the action is missing, "" at the end of the case.
	Next string
	// Unknown says that no label of the model matches the event.
	Unknown bool
}

// Becomes is the fate of the property for all runs that begin with the case.
type Becomes struct {
	Fate fate.Fate
	// Since is the number of the event that decides the fate, 0 if the start does. Event is that
	// event, and Line its line in the log, 0 if the line is not known.
	Since, Line int
	Event       string
	// Deviates says that the case does not fit, so that the claim is about the runs with the fewest
	// deviations.
	Deviates bool
}

// AfterLog lists the states in which a run can be after the last event.
type AfterLog struct{ States []lts.State }

// Kind names the type of the claim in data.
func (Fit) Kind() string      { return "fit" }
func (CasesFit) Kind() string { return "cases_fit" }
func (Deviates) Kind() string { return "deviates" }
func (Becomes) Kind() string  { return "becomes" }
func (AfterLog) Kind() string { return "after_log" }

// OfLog returns the claim about the log as a whole: a Fit for one case, else a CasesFit.
func OfLog(r *replay.Result) Claim {
	if len(r.Cases) != 1 {
		return CasesFit{len(r.Cases), r.Fitting(), r.Fates()}
	}
	c := &r.Cases[0]
	f := Fit{Events: c.Events}
	for i := range c.Deviations {
		if c.Deviations[i].Kind == replay.InLog {
			f.NotPossible++
		} else {
			f.NotLogged++
		}
	}
	return f
}

// OfCase returns the claims about the property and the states after a case.
func OfCase(c *replay.CaseResult) []Claim {
	var all []Claim
	if p := c.Property; p != nil {
		b := Becomes{Fate: p.Fate, Deviates: !c.Fits}
		if p.Since != nil {
			b.Since, b.Event, b.Line = *p.Since, p.Event, p.Line
		}
		all = append(all, b)
	}
	return append(all, AfterLog{c.States})
}

// OfDeviation returns the claim about a deviation of a case of r.
func OfDeviation(r *replay.Result, d replay.Deviation) Deviates {
	unknown := false
	for _, u := range r.Unknown {
		unknown = unknown || d.Kind == replay.InLog && u.Name == d.Label
	}
	return Deviates{Deviation: d, Next: d.Next, Unknown: unknown}
}
