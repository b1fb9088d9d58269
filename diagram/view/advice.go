package view

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// advice marks the transitions that the repair forbids, and those of the nearest correct run.
type advice struct {
	// never has, for each transition that must not be taken, the condition under which it must not.
	never map[lts.Transition]string
	// branch are the transitions of the nearest correct run that the counterexample does not take.
	branch map[lts.Transition]bool
}

// errNoDiff reports that no nearest correct run is known.
var errNoDiff = errors.New("diagram: no nearest correct run is known, which the view diff shows beside the counterexample; choose another view")

// forbidden returns the transitions that must not be taken, each with its condition. It is nil for
// an unfolded model, since the repair is about states of the model itself. Cost O(number of
// transitions).
func forbidden(e *explain.Explanation) map[lts.Transition]string {
	if e.Repair == nil || !e.Repair.Solvable || e.IsUnfolded() {
		return nil
	}
	never := map[lts.Transition]string{}
	for _, f := range e.Repair.Never {
		never[e.LTS().Transition(lts.State(f.From), f.Label, lts.State(f.To))] = whenForbidden(e, f)
	}
	return never
}

// whenForbidden returns the condition under which a transition must not be taken; "never" if it
// must not be taken after any history.
func whenForbidden(e *explain.Explanation, f explain.Forbidden) string {
	if len(f.Progress) == len(f.Comes) {
		return "never"
	}
	if len(f.Pending) > 0 {
		var pending []string
		for _, words := range f.Pending {
			text := property.Phrase(words).String()
			if text == "" {
				text = "nothing is pending"
			}
			if !slices.Contains(pending, text) {
				pending = append(pending, text)
			}
		}
		said := "never while " + strings.Join(pending, ", ")
		if f.Alike {
			said += " (state " + progressOf(f) + " of the property)"
		}
		return said
	}
	return "never with " + progressOf(f) + " of " + strconv.Itoa(len(e.Property.Steps)) + " done"
}

// progressOf lists the progress with which a transition is forbidden: numbers of steps done, or
// property states.
func progressOf(f explain.Forbidden) string {
	done := make([]string, len(f.Progress))
	for i, n := range f.Progress {
		done[i] = strconv.Itoa(n)
	}
	return strings.Join(done, ", ")
}

// diff returns the view of the counterexample and the nearest correct run: their common steps, then
// both branches.
func (e explanation) diff(o Options) *Graph {
	if e.Nearest == nil || e.IsUnfolded() {
		abort.On(errNoDiff)
	}
	s := e.subject
	s.never, s.branch = forbidden(e.Explanation), map[lts.Transition]bool{}
	sel := newSelection(s)
	sel.full = o.Full
	sel.bounds = boundsOf(o)
	sel.addState(s.m.Initial())
	sel.follow(s.keptSteps(sel.bounds.steps))
	for i, step := range e.Nearest.Steps {
		if step.Op == explain.Remove || i < e.Nearest.Fork {
			continue
		}
		t := s.m.Transition(lts.State(step.From), step.Label, lts.State(step.To))
		s.branch[t] = true
		sel.add(t)
	}
	g := sel.graph()
	g.Caption = captionOf(e.Explanation, o)
	g.Caption.Near = e.Nearest.Near
	return g
}
