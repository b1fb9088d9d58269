package explain

import (
	"context"
	"errors"

	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/progress"
)

// workForPrevention is the number of places and transitions that the search for who could have prevented
// a violation looks at, each as often as it does.
const workForPrevention = 100_000_000

// of returns the owner of a label, "" if nobody is; o may be nil.
func (o *Owners) of(label string) string {
	if o == nil || o.Of == nil {
		return ""
	}
	owner, _ := o.Of(label)
	return owner
}

// own notes who takes the steps of a run, and the choices of its decisions.
func (p *parts) own() {
	if p.o.Owners == nil || p.run.told == nil {
		return
	}
	told := *p.run.told
	told.Steps = append([]Step(nil), told.Steps...)
	for i := range told.Steps {
		told.Steps[i].Owner = p.o.Owners.of(told.Steps[i].Label)
	}
	p.run.told = &told
	for i := range p.decided.decisions {
		d := &p.decided.decisions[i]
		d.Owner = p.o.Owners.of(d.Chosen.Label)
	}
}

// prevent finds out who could have prevented the violation.
func (p *parts) prevent(ctx context.Context) error {
	m, fair := p.a.m, p.a.fairness
	few := int64(p.a.Property.States())*(int64(m.NumStates())+int64(m.NumTransitions())) <= mostForAdvice
	if p.o.Owners == nil || p.o.NoAdvice || p.run.trace == nil || !few || fair != nil && (len(p.o.Fair) > 1 || !fair.Full()) {
		return nil
	}
	return p.a.phase("prevention", func() (err error) {
		progress.Start(ctx, "prevention", progress.Nothing, 0)
		triggers, err := triggersOf(ctx, p.a.Formula, m.Alphabet())
		if err != nil {
			return err
		}
		p.prevention, err = p.a.prevent(ctx, triggers, *p.o.Owners, repair.Options{Work: workForPrevention})
		if errors.Is(err, errNoOwner) || errors.Is(err, repair.ErrWork) {
			err = nil
		}
		return err
	})
}
