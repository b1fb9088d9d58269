package replay

import (
	"cmp"
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// Kind says on which side of an alignment something is missing.
type Kind string

// The kinds of deviations.
const (
	// InLog is an event that the run of the model does not do.
	InLog Kind = "log"
	// InModel is an action of the run that the log lacks.
	InModel Kind = "model"
)

// Deviation is a difference between a log and the run of the model that it is aligned with.
type Deviation struct {
	// Event is the number of the event in its case, from 1; for an action that the log lacks, the
	// number of the next event.
	Event int    `json:"event"`
	Line  int    `json:"line,omitzero"` // the line of the event, if it is known
	Label string `json:"label"`
	Kind  Kind   `json:"kind"`
	// Next is the label of the event before which an action is missing; empty
	// for other deviations.
	Next string `json:"next,omitempty"`
	// Possible are the actions that could have been logged instead, ascending. Allowed reports that
	// the event is possible, too, but then at least as many deviations follow.
	Possible []string `json:"possible"`
	Allowed  bool     `json:"allowed,omitempty"`
	// State is the state of the model before the deviation. Start reports that the run can begin in
	// other states, too, and that the deviation is the same for each of them.
	State lts.State `json:"state"`
	Start bool      `json:"start,omitzero"`
}

// Judgement is what a log means for a property.
type Judgement struct {
	// Fate is the fate of all runs that the log is aligned with; open if they differ.
	Fate fate.Fate `json:"fate"`
	// Since is the number of the event after which all of these runs have this fate; nil if it is
	// open.
	Since *int `json:"since"`
	// Line is the line of this event, 0 if it is not known.
	Line  int    `json:"line,omitzero"`
	Event string `json:"event,omitempty"`
}

// CaseResult is the result for a case.
type CaseResult struct {
	Name       string      `json:"case"`
	Events     int         `json:"events"`
	Fits       bool        `json:"fits"`
	Cost       int         `json:"cost"` // the number of deviations
	Deviations []Deviation `json:"deviations"`
	// States are all states where a run can be after the log, ascending.
	States   []lts.State `json:"states"`
	Property *Judgement  `json:"property"` // nil without a property
}

// Frequency is the number of deviations of a kind with a label, and the number of cases with such
// deviations.
type Frequency struct {
	Kind       Kind   `json:"kind"`
	Label      string `json:"label"`
	Deviations int    `json:"deviations"`
	Cases      int    `json:"cases"`
}

// Unknown is an event without a label of the model.
type Unknown struct {
	Name   string `json:"event"`
	Events int    `json:"events"`
}

// Backwards describes events that are earlier than the event before them in their case.
type Backwards struct {
	Events int    `json:"events"` // the number of such events
	Case   string `json:"case"`   // the case of the first such event
	Event  int    `json:"event"`  // the number of the first such event in its case
}

// Result is the result for a log.
type Result struct {
	// ModelFile and LogFile are file names, Formula is the property as written; "" without a
	// property. Warnings are about the model and the log.
	ModelFile, LogFile, Formula string
	Warnings                    []string

	Cases []CaseResult
	// Frequent are all deviations, by kind and label, the most frequent first.
	Frequent []Frequency
	// Unknown are the events that no run can do, the most frequent first.
	Unknown                 []Unknown
	LeftOut, Broken, Others int
	Backwards               *Backwards // nil if no event is
	// Run is the run of the model that one case was aligned with, if it was asked for.
	Run []lts.Transition
}

// Fits reports whether the model allows all cases.
func (r *Result) Fits() bool { return r.Fitting() == len(r.Cases) }

// Fitting counts the cases that the model allows.
func (r *Result) Fitting() int {
	n := 0
	for i := range r.Cases {
		if r.Cases[i].Fits {
			n++
		}
	}
	return n
}

// Fates returns the number of cases with each fate of the property.
func (r *Result) Fates() map[fate.Fate]int {
	all := map[fate.Fate]int{}
	for i := range r.Cases {
		if p := r.Cases[i].Property; p != nil {
			all[p.Fate]++
		}
	}
	return all
}

// Deviates reports whether some case does not fit, or has lost the property.
func (r *Result) Deviates() bool { return slices.ContainsFunc(r.Cases, CaseResult.Deviates) }

// Deviates reports whether a case does not fit, or has lost the property.
func (c CaseResult) Deviates() bool { return !c.Fits || c.Property != nil && c.Property.Fate.IsLost() }

// longestVariant is the largest number of events of a case whose result is kept for other cases
// with the same events; mostVariants is the largest number of results that are kept.
const (
	longestVariant = 1 << 10
	mostVariants   = 1 << 14
)

// Replay aligns all cases of a log; keep is the index of the case whose run is kept, -1 for none.
// It fails if ctx is done, or if there is too little memory. Cost for each case: O(n T Q) at worst
// for n events and Q property states, usually O(n).
func (a *Aligner) Replay(ctx context.Context, l *Log, keep int) (result *Result, err error) {
	defer abort.Caught(&err)
	a.meter = progress.Start(ctx, "align the log", progress.Events, int64(l.Events()))
	abort.On(a.m.FindPredecessors(ctx))
	a.labels = make([]uint32, len(l.names))
	for i, name := range l.names {
		a.labels[i] = unknown
		if label, is := a.model.Alphabet().Lookup(name); is {
			a.labels[i] = uint32(a.model.Alphabet().Plain(label))
		}
	}
	r := &Result{LeftOut: l.LeftOut, Broken: l.Broken, Others: l.Others}
	variants := map[string]*alignment{}
	for i, c := range l.Cases {
		a.metered = 0
		key := c.variant()
		found := variants[key]
		if found == nil || i == keep {
			found = a.align(ctx, c, i == keep)
			if i == keep {
				r.Run = a.runOf(found.steps)
				found.steps = slices.DeleteFunc(found.steps, func(s step) bool { return s.kind == "" || s.free })
			}
			if key != "" && len(variants) < mostVariants {
				variants[key] = found
			}
		}
		a.meter.Add(int64(c.Len() - a.metered))
		r.Cases = append(r.Cases, a.resultOf(l, c, found))
	}
	r.Frequent = frequent(r.Cases)
	r.Unknown = a.unknown(l)
	r.Backwards = backwards(l)
	return r, nil
}

// variant returns the events of a case as a key; "" if there are too many events.
func (c *Case) variant() string {
	if c.Len() > longestVariant || c.Len() == 0 {
		return ""
	}
	text := make([]byte, 0, 4*c.Len())
	for _, e := range c.events.All() {
		text = append(text, byte(e), byte(e>>8), byte(e>>16), byte(e>>24))
	}
	return string(text)
}

// runOf returns the transitions of the model on an alignment.
func (a *Aligner) runOf(steps []step) []lts.Transition {
	run := []lts.Transition{}
	for _, s := range steps {
		if s.kind != InLog {
			run = append(run, a.transition(a.state(s.from), s.label, a.state(s.to)))
		}
	}
	return run
}

// transition returns a transition of the model with the first label of the same text.
func (a *Aligner) transition(from lts.State, label uint32, to lts.State) lts.Transition {
	labels, targets := a.model.Out(from)
	for i, target := range targets {
		if l := labels.At(i); target == to && (label == begins || uint32(a.model.Alphabet().Plain(l)) == label) {
			return lts.Transition{From: from, Label: l, To: to}
		}
	}
	return lts.Transition{From: from, Label: lts.Label(label), To: to}
}

func (a *Aligner) resultOf(l *Log, c *Case, found *alignment) CaseResult {
	r := CaseResult{Name: c.Name, Events: c.Len(), Fits: found.cost == 0, Cost: found.cost, Deviations: []Deviation{}, States: found.ends}
	if a.fates != nil {
		r.Property = &Judgement{Fate: found.fate}
		if found.fate != fate.Open {
			r.Property.Since = &found.since
			if found.since > 0 {
				r.Property.Line, r.Property.Event = c.Line(found.since), l.Event(c, found.since)
			}
		}
	}
	for _, s := range found.steps {
		p := a.possibleAt(s.from)
		d := Deviation{Event: s.position, Kind: s.kind, Possible: p.logged, State: a.state(s.from)}
		if a.model.IsBefore(d.State) {
			d.State, d.Start = a.model.Begin()[0], true
		}
		if s.kind == InLog {
			d.Label = l.Event(c, d.Event)
			_, d.Allowed = slices.BinarySearch(p.logged, d.Label)
			d.Allowed = d.Allowed || p.unlogged[d.Label]
		} else {
			d.Event++
			d.Next = l.Event(c, d.Event)
			d.Label = a.model.Alphabet().Text(lts.Label(s.label))
		}
		d.Line = c.Line(d.Event)
		r.Deviations = append(r.Deviations, d)
	}
	return r
}

// frequent returns the deviations of all cases with their frequencies.
func frequent(cases []CaseResult) []Frequency {
	type key struct {
		kind  Kind
		label string
	}
	lastCase := map[key]int{}
	var all keyed.List[key, Frequency]
	for i := range cases {
		for _, d := range cases[i].Deviations {
			k := key{d.Kind, d.Label}
			of := &all.All[all.Index(k, Frequency{Kind: d.Kind, Label: d.Label})]
			of.Deviations++
			if last, is := lastCase[k]; !is || last != i {
				lastCase[k] = i
				of.Cases++
			}
		}
	}
	slices.SortStableFunc(all.All, func(a, b Frequency) int {
		return cmp.Or(-cmp.Compare(a.Deviations, b.Deviations), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Label, b.Label))
	})
	return all.All
}

// unknown returns the events for which the model has no label.
func (a *Aligner) unknown(l *Log) []Unknown {
	if !slices.Contains(a.labels, unknown) {
		return nil
	}
	counts := make([]int, len(l.names))
	for _, c := range l.Cases {
		for _, e := range c.events.All() {
			counts[e]++
		}
	}
	var all []Unknown
	for i, label := range a.labels {
		if label == unknown {
			all = append(all, Unknown{l.names[i], counts[i]})
		}
	}
	slices.SortFunc(all, func(a, b Unknown) int { return cmp.Or(-cmp.Compare(a.Events, b.Events), cmp.Compare(a.Name, b.Name)) })
	return all
}

func backwards(l *Log) *Backwards {
	var all *Backwards
	for _, c := range l.Cases {
		if c.Backwards == 0 {
			continue
		}
		if all == nil {
			all = &Backwards{Case: c.Name, Event: c.FirstBackwards}
		}
		all.Events += c.Backwards
	}
	return all
}
