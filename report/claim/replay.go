package claim

import (
	"slices"

	"github.com/inev-lts/inev/counterexample/replay"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// Fit says with how few deviations the only case of a log is a beginning of a run.
type Fit struct{ Events, NotPossible, NotLogged int }

// CasesFit counts the cases of a log that fit, and by what becomes of a property.
type CasesFit struct {
	Cases, Fitting int
	Fates          map[fate.Fate]int // none without a property
}

// Worst returns the fates that some case has, the worst first.
func (c CasesFit) Worst() []fate.Fate {
	return slices.DeleteFunc([]fate.Fate{fate.Lost, fate.Open, fate.Sure}, func(f fate.Fate) bool { return c.Fates[f] == 0 })
}

// Deviates says where a case and the run that it is aligned with part.
type Deviates struct {
	replay.Deviation
	// Next is the event that an action is missing before.
	Next string
	// Unknown says that the model has no label for the event.
	Unknown bool
}

// Becomes describes what can become of all runs that a case stands for.
type Becomes struct {
	Fate fate.Fate
	// Since is the number of the event after which it is so, 0 for the start, Event that event
	// and Line its line, 0 if it is not known.
	Since, Line int
	Event       string
	// Deviates says that the log does not fit, so that runs with the fewest deviations count.
	Deviates bool
}

// AfterLog lists the states where a run can be after the log.
type AfterLog struct{ States []lts.State }

// Kind names the type in data.
func (Fit) Kind() string      { return "fit" }
func (CasesFit) Kind() string { return "cases_fit" }
func (Deviates) Kind() string { return "deviates" }
func (Becomes) Kind() string  { return "becomes" }
func (AfterLog) Kind() string { return "after_log" }

// OfLog returns what is said first of a log that was replayed.
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

// OfCase returns what is said of a case, except for its deviations.
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

// OfDeviation returns what is said of a deviation.
func OfDeviation(r *replay.Result, d replay.Deviation) Deviates {
	unknown := false
	for _, u := range r.Unknown {
		unknown = unknown || d.Kind == replay.InLog && u.Name == d.Label
	}
	return Deviates{Deviation: d, Next: d.Next, Unknown: unknown}
}
