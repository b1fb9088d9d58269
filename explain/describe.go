package explain

import (
	"context"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

func newExplanation(m *lts.LTS, a *Analysis, o Options) *Explanation {
	e := &Explanation{
		Model:    modelOf(m, o.File),
		Property: Property{Kind: a.Property.Kind(), Text: a.Formula.String()},
		Verdict:  Satisfied,
		Warnings: append([]string{}, a.Warnings...),
		lts:      m,
		states:   o.States,
		files:    o.Specification,
		formula:  a.Formula,
		found:    &Neighbourhoods{},
	}
	if f, is := a.Formula.(interface{ ACTL() string }); is {
		e.Property.ACTL = f.ACTL()
	}
	if f, is := a.Formula.(interface{ Written() string }); is {
		e.Property.Written = f.Written()
	}
	if f, is := a.Formula.(interface{ Scope() string }); is {
		e.Property.Scope = f.Scope()
	}
	if len(o.Fair) > 0 {
		e.Fairness = &Fairness{Asked: []Asked{}, Assumptions: []Assumption{}, Cut: []AssumptionKind{}, Complete: true}
		for _, f := range o.Fair {
			e.Fairness.Asked = append(e.Fairness.Asked, Asked{f.Kind(), f.Tasks(), f.Nonstuttering()})
		}
	}
	for i := 1; i <= a.Property.Steps(); i++ {
		step := a.Property.Step(i)
		described := PropertyStep{Pattern: step.Pattern.String(), Labels: []string{}}
		for _, l := range step.Labels {
			described.Labels = append(described.Labels, e.text(l))
		}
		e.Property.Steps = append(e.Property.Steps, described)
	}
	return e
}

func modelOf(m *lts.LTS, file string) Model {
	return Model{Whole: Whole{
		File:        file,
		Initial:     m.Initial(),
		States:      m.NumStates(),
		Transitions: m.NumTransitions(),
		Labels:      m.Alphabet().Texts(),
	}}
}

// describe adds what is known once the components are.
func (m *Model) describe(ctx context.Context, c *scc.Components) error {
	if err := c.LTS().FindReachable(ctx); err != nil {
		return err
	}
	reach := c.LTS().Reachable()
	m.Reachable = Reachable{reach.NumStates(), reach.NumTransitions(), reach.NumDeadlocks(), c.Len(), c.MaxDepth()}
	return nil
}
