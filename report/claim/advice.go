package claim

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/simplify"
)

// Advice is a change that makes the property true: forbid the transitions of Never, and leave each
// component of Leave. In the states Fair, fair choices ensure that runs leave; Fair is nil if no
// such states are known.
type Advice struct {
	Never []Never
	// Transitions is the number of transitions that Never stands for.
	Transitions int
	Leave       []explain.NotForEver
	Fair        []explain.ModelState
}

// Never says that a transition must not be taken in some states, as long as the progress
// of the property is as given.
type Never struct {
	Label string
	// Owner is who has to forbid the transition, "" if no owners are asked for. Transitions is the
	// number of transitions that the claim stands for.
	Owner       string
	Transitions int
	// States are ascending.
	States []explain.ModelState
	// PossibleIn is the number of reachable states in which the label is possible.
	PossibleIn int
	// To is the target, if another transition with the same label leaves the same state and may be
	// taken; nil if the claim is about all transitions with the label.
	To *explain.ModelState
	// After is the step of the property (counted from 1) that is done when the claim applies, and
	// Before the first step that is not; 0 stands for no such step. If two steps cannot express
	// when it applies, Progress lists the numbers of steps done.
	After, Before int
	Progress      []int
	// While, for properties without steps, is what is pending when the claim applies; In are the
	// property states in which it applies, if While does not identify them.
	While []property.Phrase
	In    []int
}

// Irreparable says that forbidding transitions does not make the property true, and why.
type Irreparable struct{ explain.Obstacle }

func (Advice) Kind() string      { return "advice" }
func (Irreparable) Kind() string { return "irreparable" }

// OnlyTriggers says that forbidding transitions makes the property true only if some of them have
// triggers as labels: the labels that begin an obligation of the property.
type OnlyTriggers struct{ explain.OnlyTriggers }

// Cut is a smallest number of transitions without which the property holds. No reachable state
// loses its last transition.
type Cut struct{ explain.Cut }

// NoRun says that no run satisfies the property, so that no change of this kind makes it true.
type NoRun struct{}

func (OnlyTriggers) Kind() string { return "only_triggers" }
func (Cut) Kind() string          { return "cut" }
func (NoRun) Kind() string        { return "no_run" }

// advice returns the claims about changes of the model. Assumptions have claims of their own.
func advice(e *explain.Explanation, when []Claim) []Claim {
	r := e.Repair
	switch {
	case e.Counterexample.InitialFate == simplify.Fated:
		return []Claim{NoRun{}}
	case r == nil:
		return nil
	case r.Solvable:
		var claims []Claim
		if r.Cut != nil {
			claims = append(claims, Cut{*r.Cut})
		}
		all := Advice{Never: Nevers(r), Transitions: len(r.Never), Leave: r.NotForEver, Fair: r.FairChoices}
		if all.isAmong(when) {
			return claims
		}
		return append(claims, all)
	case r.OnlyTriggers != nil && assumes(when):
		return nil
	case r.OnlyTriggers != nil:
		return []Claim{OnlyTriggers{*r.OnlyTriggers}}
	}
	return []Claim{Irreparable{*r.Obstacle}}
}

// ByChoices reports whether the sentence should ask for fair choices: there are several components
// to leave. For one component, fair choices say no more than the component does.
func (a Advice) ByChoices() bool { return len(a.Leave) > 1 && len(a.Fair) > 0 }

// isAmong reports whether one of the assumptions says the same as the advice: nothing is
// forbidden, and choices in the same states are fair.
func (a Advice) isAmong(when []Claim) bool {
	return len(a.Never) == 0 && a.ByChoices() && slices.ContainsFunc(when, func(c Claim) bool {
		h, is := c.(HoldsIf)
		return is && h.Assumption.Kind == explain.FairChoices && slices.Equal(h.States, a.Fair)
	})
}

// assumes reports whether some claim is an assumption that makes the property true.
func assumes(when []Claim) bool {
	return slices.ContainsFunc(when, func(c Claim) bool {
		switch c.(type) {
		case HoldsIf, Fairness:
			return true
		}
		return false
	})
}

// mostOptions bounds the remedies that a report shows by default.
const mostOptions = 3

// hold sorts the claims about what would make the property true, or why nothing does, the smallest
// first. Every report shows the claims in first, and only a full report the claims in more.
func hold(e *explain.Explanation, when, change []Claim) (first, more []Claim) {
	var last []Claim
	for _, c := range when {
		switch c := c.(type) {
		case Unhelpful, BeyondFairness, SearchStopped:
			last = append(last, c)
		case HoldsIf:
			if c.Assumption.Kind == explain.FairChoices || restates(e.Diagnosis, c) || isOneOfMany(c) && assumes(slices.DeleteFunc(slices.Clone(when), isOneOfMany)) {
				more = append(more, c)
			} else {
				first = append(first, c)
			}
		default:
			first = append(first, c)
		}
	}
	for _, c := range change {
		switch c := c.(type) {
		case Advice:
			repeats := e.Repair.Cut != nil && sameAsCut(e.Repair)
			if repeats || len(first) > 0 && len(c.Leave) > 0 || len(first) >= mostOptions {
				more = append(more, c)
			} else {
				first = append(first, c)
			}
		case Irreparable:
			if len(first) > 0 {
				more = append(more, c)
			} else {
				first, last = append(first, c), nil
			}
		case NoRun, OnlyTriggers:
			first, last = append(first, c), nil
		case Gap:
			// A guess comes last. With it, "nothing helps" is no longer true.
			first = slices.DeleteFunc(first, func(c Claim) bool { return c == Claim(NoRun{}) })
			first = append(first, c)
		default:
			first = append(first, c)
		}
	}
	// If a forbidden action violates the property, no reader expects fairness to help.
	aside := e.Diagnosis != nil && e.Diagnosis.Kind == explain.KindForbidden && len(first) > 0
	for _, c := range last {
		switch _, stopped := c.(SearchStopped); {
		case stopped && len(first) > 0:
		case aside:
			more = append(more, c)
		default:
			first = append(first, c)
		}
	}
	return first, more
}

// restates reports whether an assumption only denies the diagnosis "these labels recur".
func restates(d *explain.Diagnosis, c HoldsIf) bool {
	if d == nil || d.Kind != explain.KindRecurs || c.Assumption.Kind != explain.Finitely {
		return false
	}
	return !slices.ContainsFunc(c.Labels, func(l string) bool { return !slices.Contains(d.Recurring, l) })
}

// isOneOfMany reports whether an assumption says little: it has many labels, and there are many
// others of its size.
func isOneOfMany(c Claim) bool {
	h, is := c.(HoldsIf)
	return is && len(h.Labels) > 2 && len(h.Others) > 2
}

// sameAsCut reports whether the repair forbids the same transitions as the cut, perhaps only at
// times, and has no component to leave.
func sameAsCut(r *explain.Repair) bool {
	if len(r.Never) != len(r.Cut.Transitions) || len(r.NotForEver) > 0 {
		return false
	}
	return !slices.ContainsFunc(r.Never, func(f explain.Forbidden) bool {
		return !slices.ContainsFunc(r.Cut.Transitions, func(t explain.CutStep) bool {
			return t.ModelStep == explain.ModelStep{From: f.From, Label: f.Label, To: f.To}
		})
	})
}

// Nevers returns the forbidden transitions of a repair, grouped by label and condition, in the
// order of the first of each group. Cost O(n log n) for n transitions.
func Nevers(r *explain.Repair) []Never {
	var all []Never
	at := map[string]int{}
	for _, f := range r.Never {
		n := Never{Label: f.Label, Owner: f.Owner, PossibleIn: f.PossibleIn}
		n.setCondition(f)
		if f.Others {
			n.To = &f.To
		}
		key := fmt.Sprint(n.Label, "\x00", n.After, n.Before, n.Progress, n.While, n.In)
		if f.Others {
			key = fmt.Sprint("\x00", f.From, f.To, key)
		}
		k, known := at[key]
		if !known {
			k = len(all)
			at[key] = k
			all = append(all, n)
		}
		all[k].Transitions++
		// r.Never is in the order of the sources, so only the last state can be equal.
		if n := len(all[k].States); n == 0 || all[k].States[n-1] != f.From {
			all[k].States = append(all[k].States, f.From)
		}
	}
	return all
}

// setCondition sets the progress with which the transition is forbidden.
func (n *Never) setCondition(f explain.Forbidden) {
	if f.Pending != nil {
		if len(f.Progress) < len(f.Comes) {
			for _, words := range f.Pending {
				n.While = append(n.While, property.Phrase(words))
			}
			if f.Alike {
				n.In = f.Progress
			}
		}
		return
	}
	first, end := slices.Index(f.Comes, f.Progress[0]), slices.Index(f.Comes, f.Progress[len(f.Progress)-1])+1
	if end-first != len(f.Progress) {
		n.Progress = f.Progress
		return
	}
	if first > 0 {
		n.After = f.Progress[0]
	}
	if end < len(f.Comes) {
		n.Before = f.Progress[len(f.Progress)-1] + 1
	}
}
