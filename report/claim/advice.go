package claim

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/simplify"
)

// Advice says what would make the property true: that none of the transitions of Never is
// taken, and no run stays for ever in one of the parts of Leave. None does if the choices in
// the states Fair are fair; nil if no such states are known.
type Advice struct {
	Never []Never
	// Transitions is the number of transitions of which Never tells.
	Transitions int
	Leave       []explain.NotForEver
	Fair        []explain.ModelState
}

// Never says that a transition must not be taken in some states, as long as the property
// has come so far and no further.
type Never struct {
	Label string
	// Owner is who forbids it, if it is said who does; Transitions is their number.
	Owner       string
	Transitions int
	// States are ascending.
	States []explain.ModelState
	// PossibleIn is the number of reachable states where the label is possible.
	PossibleIn int
	// To is the state to which the transition leads, where others with its label leave the
	// state and may be taken; nil elsewhere, and then it is about all with the label.
	To *explain.ModelState
	// After is the step of the property, counted from 1, that is done, and Before the one
	// that is not; 0 if it does not matter. Instead, Progress are the numbers of steps
	// done where these do not tell them apart.
	After, Before int
	Progress      []int
	// While says instead, of properties without steps, what is pending, and In in which
	// states of the property that is so, where it does not tell them apart.
	While []property.Phrase
	In    []int
}

// Irreparable says that forbidding does not make the property true, and why.
type Irreparable struct{ explain.Obstacle }

func (Advice) Kind() string      { return "advice" }
func (Irreparable) Kind() string { return "irreparable" }

// OnlyTriggers holds if forbidding some labels makes the property true, but only labels that the
// property is about: no supervisor works without forbidding one of them.
type OnlyTriggers struct{ explain.OnlyTriggers }

// Cut says that the property holds without some transitions, none of which is the last way on
// from a state that runs come to, and not without fewer.
type Cut struct{ explain.Cut }

// NoRun says that no run satisfies the property, so that nothing makes it true.
type NoRun struct{}

func (OnlyTriggers) Kind() string { return "only_triggers" }
func (Cut) Kind() string          { return "cut" }
func (NoRun) Kind() string        { return "no_run" }

// advice says what to change, besides the assumptions that would do.
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

// ByChoices reports whether what is to be left is described by choices that have to be fair:
// those of a single part do not say more than it does.
func (a Advice) ByChoices() bool { return len(a.Leave) > 1 && len(a.Fair) > 0 }

// isAmong reports whether an assumption says the same already: nothing is forbidden, and the same choices are fair.
func (a Advice) isAmong(when []Claim) bool {
	return len(a.Never) == 0 && a.ByChoices() && slices.ContainsFunc(when, func(c Claim) bool {
		h, is := c.(HoldsIf)
		return is && h.Assumption.Kind == explain.FairChoices && slices.Equal(h.States, a.Fair)
	})
}

// assumes reports whether some assumption would make the property true.
func assumes(when []Claim) bool {
	return slices.ContainsFunc(when, func(c Claim) bool {
		switch c.(type) {
		case HoldsIf, Fairness:
			return true
		}
		return false
	})
}

// mostOptions is the number of options that are told unless all are asked for.
const mostOptions = 3

// hold returns what would make the property true, the smallest first, of which the first are
// told and the others only where all is: assumptions and what to change, or if there is
// neither why nothing helps.
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
			// It comes last, for it is a guess; but then it is not true that nothing helps.
			first = slices.DeleteFunc(first, func(c Claim) bool { return c == Claim(NoRun{}) })
			first = append(first, c)
		default:
			first = append(first, c)
		}
	}
	// Who reads that something forbidden happens does not ask for fairness.
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

// restates reports whether an assumption asks of what happens again and again, which is why the
// property fails, that it does not.
func restates(d *explain.Diagnosis, c HoldsIf) bool {
	if d == nil || d.Kind != explain.KindRecurs || c.Assumption.Kind != explain.Finitely {
		return false
	}
	return !slices.ContainsFunc(c.Labels, func(l string) bool { return !slices.Contains(d.Recurring, l) })
}

// isOneOfMany reports whether an assumption has many labels, and there are many like it: it is no answer,
// where there is another one.
func isOneOfMany(c Claim) bool {
	h, is := c.(HoldsIf)
	return is && len(h.Labels) > 2 && len(h.Others) > 2
}

// sameAsCut reports whether what must never be taken, at some times at least, are the
// transitions of the cut, and nothing has to be left besides.
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

// Nevers returns what must not be taken, transitions of which the same is to be said
// together, in the order of the first of them. Cost O(n log n) for n transitions.
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
		// They are in the order of their sources.
		if n := len(all[k].States); n == 0 || all[k].States[n-1] != f.From {
			all[k].States = append(all[k].States, f.From)
		}
	}
	return all
}

// setCondition says when a transition must not be taken, of all times that runs come to
// its source.
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
