package explain

import (
	"context"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// describeProperty describes the property of an analysis of the model itself.
func describeProperty(a *Analysis) Property {
	p := Property{Kind: a.Property.Kind(), Text: a.Formula.String()}
	if f, is := a.Formula.(interface{ ACTL() string }); is {
		p.ACTL = f.ACTL()
	}
	if f, is := a.Formula.(interface{ Written() string }); is {
		p.Written = f.Written()
	}
	if f, is := a.Formula.(interface{ Scope() string }); is {
		p.Scope = f.Scope()
	}
	for i := 1; i <= a.Property.Steps(); i++ {
		step := a.Property.Step(i)
		described := PropertyStep{Pattern: step.Pattern.String(), Labels: []string{}}
		for _, l := range step.Labels {
			described.Labels = append(described.Labels, a.text(l))
		}
		p.Steps = append(p.Steps, described)
	}
	return p
}

// asked describes the assumptions that were asked for; nil if none were.
func asked(fair []*actl.Assumption) *Fairness {
	if len(fair) == 0 {
		return nil
	}
	f := &Fairness{Asked: []Asked{}, Assumptions: []Assumption{}, Cut: []AssumptionKind{}, Complete: true}
	for _, one := range fair {
		f.Asked = append(f.Asked, Asked{one.Kind(), one.Tasks(), one.Nonstuttering()})
	}
	return f
}

func modelOf(m *lts.LTS, file string) Model {
	return Model{
		File:        file,
		Initial:     m.Initial(),
		States:      m.NumStates(),
		Transitions: m.NumTransitions(),
		Labels:      m.Alphabet().Texts(),
	}
}

// describe adds what is known once the components are.
func (m *Model) describe(ctx context.Context, c *scc.Components) error {
	if err := c.LTS().FindReachable(ctx); err != nil {
		return err
	}
	reach := c.LTS().Reachable()
	m.ReachableStates, m.ReachableTransitions, m.Deadlocks = reach.NumStates(), reach.NumTransitions(), reach.NumDeadlocks()
	m.SCCs, m.Depth = c.Len(), c.MaxDepth()
	return nil
}
