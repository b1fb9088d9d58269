package simplify

import (
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// Decisions returns the indices, ascending, of the transitions that decide for this run: the
// transition that passes the point of no return, and each transition with a better alternative. A
// neighbourhood is the same for all runs that reach it, whatever they did before; a decision takes
// into account the progress that this run has made. On a loop, that is the progress in the rounds
// that repeat forever. Alternatives count unless ignores returns true for their labels. A
// transition from the state before several initial states decides nothing. If no run satisfies the
// property, there are no decisions. Cost O(length of the run, and transitions that leave its
// states).
func (a *Abstraction) Decisions(ignores func(lts.Label) bool) []int {
	decisions := []int{}
	if a.Fates[0] == Fated {
		return decisions
	}
	m := a.classes.Fates().LTS()
	for i := range a.trace.Len() {
		taken := a.trace.Step(i)
		class := a.class(i, taken)
		isBetter := func(t lts.Transition) bool {
			return !ignores(t.Label) && a.class(i, t).IsBetter(class)
		}
		hasBetter := !m.IsBefore(taken.From) && slices.ContainsFunc(a.Alternatives(i), isBetter)
		if hasBetter || i == a.PointOfNoReturn {
			decisions = append(decisions, i)
		}
	}
	return decisions
}

// Alternatives returns the other transitions from the source of transition i of the run, each once and
// in the order of the model. It leaves out transitions that lie on no run that counts. Cost
// O(transitions that leave the source).
func (a *Abstraction) Alternatives(i int) []lts.Transition {
	taken := a.trace.Step(i)
	var others []lts.Transition
	seen := map[lts.Transition]bool{taken: true}
	labels, targets := a.classes.Fates().LTS().Out(taken.From)
	for j, to := range targets {
		other := lts.Transition{From: taken.From, Label: labels.At(j), To: to}
		if !seen[other] && a.class(i, other) != fate.Excluded {
			others = append(others, other)
		}
		seen[other] = true
	}
	return others
}

// class returns the class, for this run, of a transition t from the source of transition i.
func (a *Abstraction) class(i int, t lts.Transition) fate.Class {
	q := a.trace.At(i)
	start, loops := a.trace.LoopStart()
	if loops && i >= start {
		q = a.recurring[i-start]
	}
	return a.classes.Fates().After(q, t.Label, t.To)
}

// recurring returns the property states before the transitions of the loop of a run, in the first of the
// rounds that repeat forever; none without a loop.
func recurring(t *counterexample.Trace, p *property.Property) []property.Q {
	start, loops := t.LoopStart()
	if !loops {
		return nil
	}
	begins, again := t.Rounds(p)
	q := begins[again]
	var states []property.Q
	for _, step := range t.Steps()[start:] {
		states = append(states, q)
		q = p.Next(q, step.Label)
	}
	return states
}
