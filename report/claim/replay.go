package claim

import (
	"slices"

	"github.com/inev-lts/inev/counterexample/replay"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// Fit says that the only case of a log is a prefix of a run, except for these numbers of
// deviations, which are the fewest possible.
type Fit struct{ Events, NotPossible, NotLogged int }

// CasesFit counts the cases of a log that fit, and the cases by the fate of the property.
type CasesFit struct {
	Cases, Fitting int
	Fates          map[fate.Fate]int // none without a property
}

// Worst returns the fates of the cases, the worst first.
func (c CasesFit) Worst() []fate.Fate {
	return slices.DeleteFunc([]fate.Fate{fate.Lost, fate.Open, fate.Sure}, func(f fate.Fate) bool { return c.Fates[f] == 0 })
}

// Deviates is one deviation of a case from the run with which it is aligned.
type Deviates struct {
	replay.Deviation
	// Next is the event before which an action is missing.
	Next string
	// Unknown says that no label of the model matches the event.
	Unknown bool
}

// Becomes says what can become of all runs that a case stands for.
type Becomes struct {
	Fate fate.Fate
	// Since is the number of the event that decides it, 0 for the start; Event is that event
	// and Line its line, 0 if that is not known.
	Since, Line int
	Event       string
	// Deviates says that the log does not fit, so that the claim is about the runs with the fewest
	// deviations.
	Deviates bool
}

// AfterLog lists the states where a run can be after the log.
type AfterLog struct{ States []lts.State }

// Kind names the type of the claim in data.
func (Fit) Kind() string      { return "fit" }
func (CasesFit) Kind() string { return "cases_fit" }
func (Deviates) Kind() string { return "deviates" }
func (Becomes) Kind() string  { return "becomes" }
func (AfterLog) Kind() string { return "after_log" }

// OfLog returns the first claims about a replayed log.
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

// OfCase returns the claims about a case, without its deviations.
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

// OfDeviation returns the claim about a deviation.
func OfDeviation(r *replay.Result, d replay.Deviation) Deviates {
	unknown := false
	for _, u := range r.Unknown {
		unknown = unknown || d.Kind == replay.InLog && u.Name == d.Label
	}
	return Deviates{Deviation: d, Next: d.Next, Unknown: unknown}
}
