package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/neighbourhood"
)

// The methods in this file are for programmers who print a result while they write a program.
// Package report writes results for other readers.

// mostPrinted is the number of steps and alternatives that are printed. Only the number of further
// ones is printed.
const mostPrinted = 20

// String returns the verdict in one line, with the run if there is one, such as: model.aut violates
// Inev(REQ, ACK): REQ, DROP, (deadlock).
func (e *Explanation) String() string {
	if e == nil {
		return "<nil>"
	}
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
	if c == nil {
		return "<nil>"
	}
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

// String returns the label between the states: 0 -REQ-> 1.
func (s PathStep) String() string {
	return fmt.Sprintf("%d -%s-> %d", s.From, printable.Text(s.Label), s.To)
}

// String returns the label between the states: 0 -REQ-> 1.
func (s ModelStep) String() string {
	return fmt.Sprintf("%d -%s-> %d", s.From, printable.Text(s.Label), s.To)
}

// String returns the formula, and how many transitions each class has.
func (a *Analysis) String() string {
	if a == nil {
		return "<nil>"
	}
	return fmt.Sprintf("%v: %v", a.Formula, a.Classification)
}

// String returns the number of the bound and the run, such as: slowest for step 1: REQ, WAIT, ACK.
func (s *Slowest) String() string {
	if s == nil {
		return "<nil>"
	}
	var labels []string
	for _, step := range s.Steps {
		labels = append(labels, step.Label)
	}
	return fmt.Sprintf("slowest for step %d: %s", s.Step, listed(labels))
}

// String returns the share after its owner, such as: client 1/2.
func (s Share) String() string { return printable.Text(s.Owner) + " " + s.Share }

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
	if d == nil {
		return "<nil>"
	}
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
	if f == nil {
		return "<nil>"
	}
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
	if r == nil {
		return "<nil>"
	}
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
	return fmt.Sprintf("step %v, %s", p.Step, printable.Text(p.Label))
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
func (d *Diff) String() string {
	if d == nil {
		return "<nil>"
	}
	return listed(printed(d.Steps))
}

// String returns what was decided on the run, or why the property holds, such as: stops: ACK awaited; in state 1 DROP
// (incorrect), not ACK (correct).
func (c Causes) String() string {
	if c.Reasons != nil {
		return c.Reasons.String()
	}
	var parts []string
	if c.Diagnosis != nil {
		parts = append(parts, c.Diagnosis.String())
	}
	if len(c.Decisions) > 0 {
		parts = append(parts, listed(printed(c.Decisions)))
	}
	if len(parts) == 0 {
		return "no causes known"
	}
	return strings.Join(parts, "; ")
}

// String returns within how many transitions the property is satisfied, and what it rests on, such as: step 1 within 2
// transitions; rests on ACK.
func (r *Reasons) String() string {
	if r == nil {
		return "<nil>"
	}
	var parts []string
	if r.NothingAsked != nil {
		parts = append(parts, "nothing is asked")
	}
	if len(r.Bounds) > 0 {
		parts = append(parts, listed(printed(r.Bounds)))
	}
	var gates []string
	for _, s := range r.RestsOn {
		gates = append(gates, s.Gate)
	}
	if len(gates) > 0 {
		parts = append(parts, "rests on "+listed(gates))
	}
	if len(parts) == 0 {
		return "no reasons known"
	}
	return strings.Join(parts, "; ")
}

// String returns the largest number of transitions, such as: step 1 within 2 transitions.
func (b Bound) String() string {
	what := b.Of
	if what == "" {
		what = fmt.Sprintf("step %d", b.Step)
	}
	if b.Most == nil {
		return what + " without a bound"
	}
	return what + " within " + printable.Quantity(*b.Most, "transition")
}

// String returns what would make the property true, such as: assume finitely:LOSS; or forbid DROP in state 1; nearest correct
// run: REQ, -DROP, +ACK.
func (a Advice) String() string {
	var options []string
	if a.Fairness != nil && len(a.Fairness.Assumptions) > 0 {
		options = append(options, "assume "+a.Fairness.String())
	}
	if a.Repair != nil {
		options = append(options, a.Repair.String())
	}
	var parts []string
	if len(options) > 0 {
		parts = append(parts, strings.Join(options, "; or "))
	}
	if a.Nearest != nil {
		parts = append(parts, "nearest correct run: "+a.Nearest.String())
	}
	if len(parts) == 0 {
		return "no advice"
	}
	return strings.Join(parts, "; ")
}

// String returns the steps, from 1, that every violating run takes, and the state where all of them end, such as: every
// violation takes steps 1, 2 and ends in state 3.
func (n *Necessity) String() string {
	if n == nil {
		return "<nil>"
	}
	var parts []string
	if len(n.Steps) > 0 {
		word := "steps "
		if len(n.Steps) == 1 {
			word = "step "
		}
		parts = append(parts, "takes "+word+listed(printed(n.Steps)))
	}
	if n.Stop && n.At != nil {
		parts = append(parts, fmt.Sprintf("ends in state %d", *n.At))
	}
	if len(parts) == 0 {
		return "the violations have no step in common"
	}
	return "every violation " + strings.Join(parts, " and ")
}

// String returns where the action was possible, such as: not ACK: possible in state 1, where the run takes DROP.
func (w *WhyNot) String() string {
	if w == nil {
		return "<nil>"
	}
	var parts []string
	if w.Run != nil && len(w.Run.Taken) > 0 {
		parts = append(parts, "the run takes it")
	}
	if len(w.Places) > 0 {
		parts = append(parts, "possible "+listed(printed(w.Places)))
	}
	if w.Nearest != nil {
		end := w.Nearest.Path[len(w.Nearest.Path)-1].To
		parts = append(parts, fmt.Sprintf("possible in state %d, %s from state %d", end,
			printable.Quantity(len(w.Nearest.Path), "transition"), w.Nearest.From))
	}
	if len(parts) == 0 {
		parts = append(parts, w.absence())
	}
	return fmt.Sprintf("not %s: %s", printable.Text(w.Action), strings.Join(parts, "; "))
}

// absence returns why there is no place with the action.
func (w *WhyNot) absence() string {
	if w.Run == nil && w.State == nil {
		return "the property holds, and no run lacks it"
	}
	return "possible nowhere on the way"
}

// String returns the state and what the run takes there, such as: in state 1, where the run takes DROP.
func (m MissedPlace) String() string {
	text := fmt.Sprintf("in state %d", m.State)
	if m.Took == "" {
		return text
	}
	return text + ", where the run takes " + printable.Text(m.Took)
}

// String returns the size of the model and its cycles, such as: model.aut: 4 states, 3 transitions; no cycles.
func (s *Statistics) String() string {
	if s == nil {
		return "<nil>"
	}
	cycles := "no cycles"
	if s.CyclicSCCs > 0 {
		cycles = fmt.Sprintf("%s with cycles, the largest of %s",
			printable.Quantity(s.CyclicSCCs, "component"), printable.Quantity(s.LargestSCC, "state"))
	}
	return s.Model.String() + "; " + cycles
}

// String returns the labels of the model with their numbers of transitions, such as: model.aut: ACK 1, DROP 1, REQ 1.
func (l *Labels) String() string {
	if l == nil {
		return "<nil>"
	}
	if len(l.Uses) == 0 {
		return l.Model.File + ": no labels"
	}
	return l.Model.File + ": " + listed(printed(l.Uses))
}

// String returns the label or the gate, with the number of its transitions, such as: ACK 1.
func (u LabelUse) String() string {
	text := u.Text
	if text == "" {
		text = u.Gate
	}
	return fmt.Sprintf("%s %d", printable.Text(text), u.Transitions)
}

// String returns the sets of owners each of which can prevent the violation, such as: {client} | {server}.
func (p *Prevention) String() string {
	if p == nil {
		return "<nil>"
	}
	if len(p.Minimal) == 0 {
		return "no owners can prevent the violation"
	}
	sets := make([]string, len(p.Minimal))
	for i, owners := range p.Minimal {
		sets[i] = "{" + listed(owners) + "}"
	}
	return strings.Join(sets[:min(len(sets), mostPrinted)], " | ")
}

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

// String returns how many transitions each class has: 62 correct, 64 incorrect, 91 neutral.
func (c *Classes) String() string {
	if c == nil {
		return "<nil>"
	}
	counts := neighbourhood.Counts{
		Correct:   c.Correct,
		Incorrect: c.Incorrect,
		Neutral:   c.Neutral,
		Excluded:  c.Excluded,
	}
	return counts.String()
}

// String returns how many neighbourhoods there are.
func (n *Neighbourhoods) String() string {
	if n == nil {
		return "<nil>"
	}
	return printable.Quantity(n.Len(), "neighbourhood")
}

// String returns the step, and why it is named.
func (d *Deciding) String() string {
	if d == nil {
		return "<nil>"
	}
	return fmt.Sprintf("step %v, %v", d.Step, d.Why)
}

// String returns which step of the property is lost, and when.
func (l *Loss) String() string {
	if l == nil {
		return "<nil>"
	}
	return fmt.Sprintf("step %d of the property after %s", l.Step, printable.Quantity(l.Steps, "transition"))
}

// String returns the numbers, from 1, of the steps that are kept.
func (a *Abstracted) String() string {
	if a == nil {
		return "<nil>"
	}
	var kept []string
	for _, step := range a.Steps {
		kept = append(kept, StepIndex(step).String())
	}
	return "steps " + listed(kept)
}

// String returns the name of the phase and its time.
func (p Phase) String() string { return p.Name + " " + p.Took.String() }
