package explain

import (
	"context"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/values"
)

// WithValues returns the model to which a formula about values of states can be bound: its labels
// tell the atoms of the formula, by the values of the table in o, see [states.Table.Refine]. It is m
// itself where the formula is about labels alone, or m tells the atoms already. [Explain] and its
// like do this themselves; who also asks the model for something else, and compares labels, takes
// the same model for both. The atoms that ask for a value which no state has are returned, and
// warned of in o. Errors and cost as for [states.Table.Refine].
func WithValues(ctx context.Context, m *lts.LTS, f property.Formula, o *Source) (*lts.LTS, []*values.NoValueError, error) {
	atoms := values.AtomsOf(f)
	if len(atoms) == 0 || len(m.Alphabet().FactNames()) > 0 {
		return m, nil, nil
	}
	r, err := o.States.Refine(ctx, m, atoms)
	if err != nil {
		return nil, nil, err
	}
	o.Warnings = append(o.Warnings[:len(o.Warnings):len(o.Warnings)], r.Warnings...)
	for _, missing := range r.NoState {
		o.Warnings = append(o.Warnings, missing.Error())
	}
	return r.LTS, r.NoState, nil
}
