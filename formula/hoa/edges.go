package hoa

import (
	"context"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/automata"
)

// Automaton returns the automaton of the file, which may be nondeterministic.
func (f *Formula) Automaton() *automata.Automaton { return f.g }

// Propositions returns the propositions with their labels in a (none for a
// proposition that means "nothing happens"), and warnings as [Formula.Bind]
// does, at the same cost.
func (f *Formula) Propositions(ctx context.Context, a *lts.Alphabet) ([]property.Step, []string, error) {
	atoms, err := f.atoms(ctx, a)
	if err != nil {
		return nil, nil, err
	}
	bound, warnings, err := actl.BindAtoms(ctx, f.named(atoms, a), a)
	if err != nil {
		return nil, nil, err
	}
	return f.steps(bound, a), append(warnings, f.narrowed(ctx, a)...), nil
}

// Letters returns the propositions over letters, for actions with any labels.
func (f *Formula) Letters(ctx context.Context) (*actl.Letters, []property.Step, error) {
	none, err := lts.NewAlphabet(nil)
	if err != nil {
		return nil, nil, err
	}
	atoms, err := f.atoms(ctx, none)
	if err != nil {
		return nil, nil, err
	}
	l, err := actl.NewLetters(f.named(atoms, none))
	if err != nil {
		return nil, nil, err
	}
	return l, f.steps(l.Steps(), none), nil
}

// Takes returns the letter of each label of a and, for each letter, which edges
// of the automaton it satisfies; the last letter is "nothing happens". The
// propositions come from [Formula.Propositions] or [Formula.Letters]. Cost
// O(letters · size of the labels of edges).
func (f *Formula) Takes(ctx context.Context, propositions []property.Step, a *lts.Alphabet) (of []uint16, edges [][]bool, err error) {
	of, valuations, err := f.valuations(ctx, propositions, a)
	for _, valuation := range valuations {
		edges = append(edges, f.g.Letter(func(proposition int) bool { return valuation[proposition] }))
	}
	return of, edges, err
}

// Fail returns an error about a line of the file, like the errors of [Read].
func (f *Formula) Fail(line int, format string, arguments ...any) error {
	return f.fail(line, format, arguments...)
}
