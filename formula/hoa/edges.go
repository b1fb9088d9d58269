package hoa

import (
	"context"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/automata"
)

// Automaton returns the automaton of the file, which may be nondeterministic.
func (f *Formula) Automaton() *automata.Automaton { return f.g }

// Propositions returns the propositions with their labels in a (none for a
// proposition that means "nothing happens"), and warnings as [Formula.Bind]
// does, at the same cost.
func (f *Formula) Propositions(ctx context.Context, a *lts.Alphabet) (_ []property.Step, _ []string, err error) {
	defer abort.Caught(&err)
	atoms := f.atoms(ctx, a)
	bound, warnings, err := actl.BindAtoms(ctx, f.named(atoms, a), a)
	abort.On(err)
	return f.steps(bound, a), append(warnings, f.narrowed(ctx, a)...), nil
}

// Letters returns the propositions over letters, for actions with any labels.
func (f *Formula) Letters(ctx context.Context) (_ *actl.Letters, _ []property.Step, err error) {
	defer abort.Caught(&err)
	none := abort.Must(lts.NewAlphabet(nil))
	atoms := f.atoms(ctx, none)
	l := abort.Must(actl.NewLetters(f.named(atoms, none)))
	return l, f.steps(l.Steps(), none), nil
}

// Takes returns the letter of each label of a and, for each letter, which edges
// of the automaton it satisfies; the last letter is "nothing happens". The
// propositions come from [Formula.Propositions] or [Formula.Letters]. Cost
// O(letters · size of the labels of edges).
func (f *Formula) Takes(ctx context.Context, propositions []property.Step, a *lts.Alphabet) (of []uint16, edges [][]bool, err error) {
	defer abort.Caught(&err)
	of, valuations := f.valuations(ctx, propositions, a)
	for _, valuation := range valuations {
		edges = append(edges, f.g.Letter(func(proposition int) bool { return valuation[proposition] }))
	}
	return of, edges, nil
}
