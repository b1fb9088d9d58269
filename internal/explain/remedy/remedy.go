// Package remedy applies what an explanation advises, and says what that takes from the model.
//
// The invariant that holds inside: what is lost is counted in the part that runs reach.
package remedy

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Applied is a model after a remedy, and what the remedy takes from it.
type Applied struct {
	Model *lts.LTS
	// Verdict is whether the property holds in Model, and FairVerdict whether it does on fully fair runs.
	Verdict     explain.Verdict
	FairVerdict explain.Verdict
	// States and Transitions are how many reachable ones are lost, of OfStates and OfTransitions. They are 0
	// if Unfolded reports that the states of Model are those of the unfolded model.
	States, OfStates           int
	Transitions, OfTransitions int
	Unfolded                   bool
	// Labels are the labels that no run does any more, in alphabetical order.
	Labels []string
}

// WithoutSteps returns m without transitions, see [Applied]; the verdict is about the runs that count under fair. Errors
// and cost as for [explain.Check], twice.
func WithoutSteps(ctx context.Context, m *lts.LTS, f property.Formula, steps []explain.ModelStep, o explain.Source, fair []*actl.Assumption) (*Applied, error) {
	fixed, err := m.Without(func(t lts.Transition) bool { return slices.Contains(steps, stepOf(m, t)) })
	if err != nil {
		return nil, err
	}
	return applied(ctx, m, fixed, f, false, o, fair)
}

// Supervised returns m without what its repair forbids, see [explain.FindRepair]; nil if there is no repair. fair is
// full fairness, or empty for all runs. Errors and cost as for FindRepair and [explain.Check].
func Supervised(ctx context.Context, m *lts.LTS, f property.Formula, o explain.Source, fair []*actl.Assumption) (*Applied, error) {
	r, err := explain.FindRepair(ctx, m, f, explain.RepairOptions{Source: o, Fair: fair})
	if err != nil || !r.Solvable {
		return nil, err
	}
	fixed, unfolded, err := r.Apply(ctx)
	if err != nil {
		return nil, err
	}
	return applied(ctx, m, fixed, f, unfolded, o, fair)
}

func stepOf(m *lts.LTS, t lts.Transition) explain.ModelStep {
	return explain.ModelStep{
		From:  explain.ModelState(t.From),
		Label: m.Alphabet().Text(t.Label),
		To:    explain.ModelState(t.To),
	}
}

// applied compares the model before and after a remedy.
func applied(ctx context.Context, before, after *lts.LTS, f property.Formula, unfolded bool, o explain.Source, fair []*actl.Assumption) (*Applied, error) {
	if unfolded {
		o.States = nil
	}
	a := &Applied{Model: after, Unfolded: unfolded}
	e, err := explain.Check(ctx, after, f, explain.Options{Source: o, Fair: fair})
	if err != nil {
		return nil, err
	}
	a.Verdict = e.Verdict
	a.FairVerdict = e.Verdict
	if e.Verdict == explain.Violated && len(fair) == 0 {
		full, err := actl.ParseAssumption(ctx, actl.FullFairness.String())
		if err != nil {
			return nil, err
		}
		e, err = explain.Check(ctx, after, f, explain.Options{Source: o, Fair: []*actl.Assumption{full}})
		if err != nil {
			return nil, err
		}
		a.FairVerdict = e.Verdict
	}
	is, err := after.Happening(ctx)
	if err != nil {
		return nil, err
	}
	was, err := before.Happening(ctx)
	if err != nil {
		return nil, err
	}
	a.Labels = lostLabels(was, is)
	if !unfolded {
		states, transitions := after.Size()
		a.OfStates, a.OfTransitions = before.Size()
		a.States = a.OfStates - states
		a.Transitions = a.OfTransitions - transitions
	}
	return a, nil
}

// lostLabels returns the texts of the labels that happened in the model as it was, and no longer happen.
func lostLabels(was, is *lts.Alphabet) []string {
	happens := map[string]bool{}
	for l, text := range is.All() {
		if is.Happens(l) {
			happens[text] = true
		}
	}
	var lost []string
	for l, text := range was.All() {
		if was.Happens(l) && !happens[text] {
			happens[text] = true
			lost = append(lost, text)
		}
	}
	slices.Sort(lost)
	return lost
}
