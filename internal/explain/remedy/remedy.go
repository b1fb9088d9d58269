// Package remedy applies what an explanation advises, and says what that takes from the model. What
// is lost is counted in the part that runs reach.
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
	// Verdict is whether the property holds in Model, and FairVerdict is whether it does on fully fair
	// runs.
	Verdict     explain.Verdict
	FairVerdict explain.Verdict
	// States and Transitions count what the remedy makes unreachable; OfStates and OfTransitions
	// count what was reachable before. All four are 0 if Unfolded is set, because then the states
	// of Model are those of the unfolded model.
	States, OfStates           int
	Transitions, OfTransitions int
	Unfolded                   bool
	// Values are the values of the states of Model; nil if the values of the original model are not
	// known.
	Values *lts.Values
	// Labels are the labels that no run does any more, in alphabetical order.
	Labels []string
}

// WithoutSteps returns m without some transitions; the verdict is about the runs that count under
// fair. Errors and cost as for [explain.Check], twice.
func WithoutSteps(
	ctx context.Context,
	m *lts.LTS,
	f property.Formula,
	steps []explain.ModelStep,
	o explain.Source,
	fair []*actl.Assumption,
) (*Applied, error) {
	fixed, err := m.Without(func(t lts.Transition) bool {
		return slices.Contains(steps, stepOf(m, t))
	})
	if err != nil {
		return nil, err
	}
	return applied(ctx, m, fixed, f, nil, o, fair)
}

// Supervised returns m without what its repair forbids, see [explain.FindRepair]; nil if there is no
// repair. The verdict is about the runs that count under fair. Errors and cost as for FindRepair and
// [explain.Check].
func Supervised(
	ctx context.Context,
	m *lts.LTS,
	f property.Formula,
	o explain.Source,
	fair []*actl.Assumption,
) (*Applied, error) {
	r, err := explain.FindRepair(ctx, m, f, explain.RepairOptions{Source: o, Fair: fair})
	if err != nil && len(fair) > 0 && ctx.Err() == nil {
		// Under most assumptions there is no search for repairs. Advice is the repair of all runs then.
		r, err = explain.FindRepair(ctx, m, f, explain.RepairOptions{Source: o})
	}
	if err != nil || !r.Solvable {
		return nil, err
	}
	fixed, origins, err := r.Apply(ctx)
	if err != nil {
		return nil, err
	}
	return applied(ctx, m, fixed, f, origins, o, fair)
}

func stepOf(m *lts.LTS, t lts.Transition) explain.ModelStep {
	return explain.ModelStep{
		From:  explain.ModelState(t.From),
		Label: m.Alphabet().Text(t.Label),
		To:    explain.ModelState(t.To),
	}
}

// applied compares the model before and after a remedy; origins are as in [explain.Repaired.Apply].
func applied(
	ctx context.Context,
	before, after *lts.LTS,
	f property.Formula,
	origins []lts.State,
	o explain.Source,
	fair []*actl.Assumption,
) (*Applied, error) {
	values, err := ValuesOf(ctx, o.States, origins)
	if err != nil {
		return nil, err
	}
	o.States = values
	a := &Applied{Model: after, Unfolded: origins != nil, Values: values}
	e, err := explain.Check(ctx, after, f, explain.Options{Source: o, Fair: fair})
	if err != nil {
		return nil, err
	}
	a.Verdict = e.Verdict
	a.FairVerdict = e.Verdict
	if e.Verdict == explain.Violated && len(fair) == 0 {
		a.FairVerdict, err = fairVerdict(ctx, after, f, o)
		if err != nil {
			return nil, err
		}
	}
	labelsAfter, err := after.Happening(ctx)
	if err != nil {
		return nil, err
	}
	labelsBefore, err := before.Happening(ctx)
	if err != nil {
		return nil, err
	}
	a.Labels = lostLabels(labelsBefore, labelsAfter)
	if origins == nil {
		states, transitions := after.Size()
		a.OfStates, a.OfTransitions = before.Size()
		a.States = a.OfStates - states
		a.Transitions = a.OfTransitions - transitions
	}
	return a, nil
}

// fairVerdict returns the verdict about the fully fair runs.
func fairVerdict(
	ctx context.Context,
	m *lts.LTS,
	f property.Formula,
	o explain.Source,
) (verdict explain.Verdict, err error) {
	full, err := actl.ParseAssumption(ctx, actl.FullFairness.String())
	if err != nil {
		return verdict, err
	}
	e, err := explain.Check(ctx, m, f, explain.Options{
		Source: o,
		Fair:   []*actl.Assumption{full},
	})
	if err != nil {
		return verdict, err
	}
	return e.Verdict, nil
}

// ValuesOf returns the values of the states of a model that was made from another one: each state
// has the values of its origin. values are those of the other model, and origins are as in
// [explain.Repaired.Apply]. It fails if ctx is done, or its budget has no memory for them. Cost O(S
// parameters).
func ValuesOf(
	ctx context.Context,
	values *lts.Values,
	origins []lts.State,
) (*lts.Values, error) {
	if values == nil || origins == nil {
		return values, nil
	}
	var parameters []lts.Parameter
	for p := range values.NumParameters() {
		parameters = append(parameters, values.Parameter(p))
	}
	b, err := lts.NewValuesBuilder(ctx, parameters)
	if err != nil {
		return nil, err
	}
	for p := range parameters { // their numbers stay
		for v := range lts.Value(values.NumValues(p)) {
			b.Value(p, []byte(values.Text(p, v)))
		}
	}
	for s, origin := range origins {
		if s%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for p := range parameters {
			if err := b.Set(lts.State(s), p, values.Value(origin, p)); err != nil {
				return nil, err
			}
		}
	}
	return b.Build(len(origins))
}

// lostLabels returns the texts of the labels that happen before a remedy, but not after it, in
// alphabetical order.
func lostLabels(before, after *lts.Alphabet) []string {
	happens := map[string]bool{}
	for l, text := range after.All() {
		if after.Happens(l) {
			happens[text] = true
		}
	}
	var lost []string
	for l, text := range before.All() {
		if before.Happens(l) && !happens[text] {
			lost = append(lost, text)
		}
	}
	slices.Sort(lost)
	return slices.Compact(lost)
}
