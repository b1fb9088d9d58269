package counterexample

import (
	"fmt"
	"strings"

	"github.com/inev-lts/inev/internal/printable"
)

// The methods in this file are for programmers who print a result while they write a program.

// mostPrinted is the number of states and labels that are printed.
const mostPrinted = 20

// String returns the states of the run, and how it ends or goes on, such as: states 0, 1, 3, then a deadlock; or: states 0,
// 1, 3, 2, then from state 1 again and again.
func (r *Trace) String() string {
	if r == nil {
		return "<nil>"
	}
	states := []string{fmt.Sprint(r.initial)}
	for i, step := range r.steps {
		isLoopClosed := r.loop != noLoop && i == len(r.steps)-1
		if !isLoopClosed {
			states = append(states, fmt.Sprint(step.To))
		}
	}
	return "states " + shortened(states) + ", then " + r.ending()
}

// ending returns what comes after the states of the run.
func (r *Trace) ending() string {
	switch r.Kind() {
	case Lasso:
		return fmt.Sprintf("from state %d again and again", r.Last())
	case Deadlock:
		return "a deadlock"
	case Stop:
		return "nothing more (" + Stop.String() + ")"
	}
	return "anything (" + r.Kind().String() + ")"
}

// String returns the run, and among which runs it is a shortest counterexample.
func (r *Result) String() string {
	switch {
	case r == nil:
		return "<nil>"
	case r.Trace == nil && r.Violated:
		return "violated; no run is known"
	case r.Trace == nil:
		return "no counterexample"
	case r.Minimal == MinimalUnknown:
		return r.Trace.String()
	}
	return fmt.Sprintf("%v; minimal in the %v", r.Trace, r.Minimal)
}

// String returns the length of the members. Their number would have to be computed, see [Family.Count].
func (f *Family) String() string {
	switch {
	case f == nil:
		return "<nil>"
	case len(f.parts) == 0:
		return "no counterexamples"
	}
	return "counterexamples of " + printable.Quantity(f.Len(), "transition")
}

// String returns the labels of a path or a lasso, with "again and again" before those of its loop, and the size of any
// other graph.
func (v *Given) String() string {
	if v == nil {
		return "<nil>"
	}
	labels, loop, isLine := v.Line()
	if !isLine {
		return "a graph: " + v.Graph().String()
	}
	for i, label := range labels {
		labels[i] = printable.Text(label)
		if i == loop {
			labels[i] = "again and again " + labels[i]
		}
	}
	return shortened(labels)
}

// shortened joins the first texts by commas, and adds the number of the others.
func shortened(texts []string) string {
	if len(texts) > mostPrinted {
		more := fmt.Sprintf("… (%d more)", len(texts)-mostPrinted)
		texts = append(texts[:mostPrinted:mostPrinted], more)
	}
	return strings.Join(texts, ", ")
}
