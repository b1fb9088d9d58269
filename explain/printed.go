package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/printable"
)

// The methods in this file are for programmers who print a result while they write a program.
// Package report writes results for other readers.

// mostPrinted is the number of steps and alternatives that are printed. Only the number of further
// ones is printed.
const mostPrinted = 20

// String returns the verdict in one line, with the run if there is one, such as: model.aut violates
// Inev(REQ, ACK): REQ, DROP, (deadlock).
func (e *Explanation) String() string {
	text := e.Model.File + " " +
		map[Verdict]string{Satisfied: "satisfies", Violated: "violates"}[e.Verdict] + " " +
		e.Property.Text
	if e.Counterexample != nil {
		text += ": " + e.Counterexample.String()
	}
	return text
}

// String returns the name and the size of the model.
func (m Model) String() string {
	return fmt.Sprintf("%s: %s, %s", m.File, printable.Quantity(m.States, "state"),
		printable.Quantity(m.Transitions, "transition"))
}

// String returns the formula.
func (p Property) String() string { return p.Text }

// String returns the labels of the run, with "again and again" before those of its loop. For a run
// without a loop, the text also says how the run ends.
func (c *Counterexample) String() string {
	var parts []string
	for i, s := range c.Steps {
		before := ""
		if i == int(c.LoopStart) {
			before = "again and again "
		}
		parts = append(parts, before+s.Label)
	}
	if c.LoopStart < 0 {
		parts = append(parts, "("+c.Kind.String()+")")
	}
	return listed(parts)
}

// String returns the label between the states: 0 -REQ-> 1.
func (s Step) String() string {
	return fmt.Sprintf("%d -%s-> %d", s.From, printable.Text(s.Label), s.To)
}

// String returns what the run did in the state, and what else was possible, such as: in state 1
// DROP (incorrect), not ACK (correct).
func (d Decision) String() string {
	text := fmt.Sprintf("in state %d %v", d.State, d.Chosen)
	var others []string
	for _, c := range d.Alternatives {
		others = append(others, c.String())
	}
	if len(others) == 0 {
		return text
	}
	return text + ", not " + listed(others)
}

// String returns the label, and the class of the transition for this run, such as: ACK (correct).
func (c Choice) String() string {
	if c.After == 0 {
		return printable.Text(c.Label)
	}
	return printable.Text(c.Label) + " (" + c.After.String() + ")"
}

// String returns the kind of the diagnosis, and the labels that the run waits for, such as: stops:
// ACK awaited.
func (d *Diagnosis) String() string {
	if len(d.Pending) == 0 {
		return d.Kind.String()
	}
	return d.Kind.String() + ": " + listed(d.Pending) + " awaited"
}

// String returns the assumption in the syntax of [actl.ParseAssumption], such as
// finitely:LOSS,RDTE. Fair choices have no such syntax; their text is like: fair choices in states
// 1, 4.
func (a Assumption) String() string {
	if a.Kind == FairChoices {
		if len(a.States) == 1 {
			return fmt.Sprintf("fair choices in state %d", a.States[0])
		}
		return "fair choices in states " + listed(printed(a.States))
	}
	return a.Kind.String() + ":" + listed(append(slices.Clone(a.Labels), a.Tasks...))
}

// String returns the assumptions that make the property true, each enough by itself; "none found" if there are none.
func (f *Fairness) String() string {
	if len(f.Assumptions) == 0 {
		return "none found"
	}
	return strings.Join(printed(f.Assumptions[:min(len(f.Assumptions), mostPrinted)]), " | ")
}

// String returns the transition that must not be taken, such as: DROP in state 1.
func (f Forbidden) String() string {
	return fmt.Sprintf("%s in state %d", printable.Text(f.Label), f.From)
}

// String returns what must not be taken, such as: forbid DROP in state 1.
func (r *Repair) String() string {
	switch {
	case !r.Solvable:
		return "there is no repair"
	case len(r.Never) > 0:
		return "forbid " + listed(printed(r.Never))
	case len(r.NotForEver) > 0:
		return fmt.Sprintf("leave %s, in which a run could stay forever",
			printable.Quantity(len(r.NotForEver), "component"))
	}
	return "nothing need be forbidden"
}

// String returns the number of the step, from 1, and its label, such as: step 2, DROP.
func (p PointOfNoReturn) String() string {
	return fmt.Sprintf("step %d, %s", int(p.Step)+1, printable.Text(p.Label))
}

// String returns the step. It begins with + if only the correct run takes the step, and with - if
// only the counterexample does.
func (s DiffStep) String() string {
	if s.Op == Keep {
		return printable.Text(s.Label)
	}
	return s.Op + printable.Text(s.Label)
}

// String returns the steps of both runs, such as: REQ, -DROP, +ACK.
func (d *Diff) String() string { return listed(printed(d.Steps)) }

// printed returns what each of the values prints as.
func printed[T any](values []T) []string {
	all := make([]string, len(values))
	for i, value := range values {
		all[i] = fmt.Sprint(value)
	}
	return all
}

// listed joins the first texts by commas, without control characters, and adds the number of the
// others.
func listed(texts []string) string {
	var shown []string
	for i, text := range texts {
		if i == mostPrinted {
			shown = append(shown, fmt.Sprintf("… (%d more)", len(texts)-i))
			break
		}
		shown = append(shown, printable.Text(text))
	}
	return strings.Join(shown, ", ")
}
