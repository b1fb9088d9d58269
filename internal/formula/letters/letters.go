// Package letters binds the atoms of a formula to the labels of a model, and groups the labels by the
// atoms that they satisfy. The groups are the letters of the formula's automaton.
//
// Labels of one letter satisfy the same atoms.
package letters

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/partition"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Source has the atoms of a formula.
type Source interface {
	// Propositions returns the atoms with their labels in a model, and warnings
	// about atoms without labels.
	Propositions(ctx context.Context, a *lts.Alphabet) ([]property.Step, []string, error)
	// Letters returns the atoms over letters, for actions with any labels.
	Letters(ctx context.Context) (*actl.Letters, []property.Step, error)
}

// Atoms are atoms that are written as patterns of labels.
type Atoms []actl.Pattern

// Propositions returns the labels of each atom, see [actl.BindAtoms].
func (x Atoms) Propositions(
	ctx context.Context,
	a *lts.Alphabet,
) ([]property.Step, []string, error) {
	return actl.BindAtoms(ctx, x, a)
}

// Letters returns letters for the atoms, see [actl.NewLetters].
func (x Atoms) Letters(context.Context) (*actl.Letters, []property.Step, error) {
	l, err := actl.NewLetters(x)
	if err != nil {
		return nil, nil, err
	}
	return l, l.Steps(), nil
}

// Unmatched returns an error if an atom has no labels in a, see [actl.Unmatched].
func (x Atoms) Unmatched(ctx context.Context, a *lts.Alphabet) error {
	return actl.Unmatched(ctx, "atom", x, a)
}

// Translate returns the property of a formula with these atoms, over the labels of an alphabet.
type Translate func(ctx context.Context, a *lts.Alphabet, atoms []property.Step) (*property.Property, error)

// Bind returns the property of a formula for a model with alphabet a, and
// warnings about atoms without labels.
func Bind(
	ctx context.Context,
	x Source,
	a *lts.Alphabet,
	translate Translate,
) (*property.Property, []string, error) {
	atoms, warnings, err := x.Propositions(ctx, a)
	if err != nil {
		return nil, nil, err
	}
	p, err := translate(ctx, a, atoms)
	return p, warnings, err
}

// BindAny binds a formula without a model: it returns the property over letters, which are the sets of
// atoms that one action can satisfy, and the map from any label to its letter. It fails with the errors
// of x.Letters and of translate.
func BindAny(
	ctx context.Context,
	x Source,
	translate Translate,
) (*property.Property, *actl.Letters, error) {
	l, atoms, err := x.Letters(ctx)
	if err != nil {
		return nil, nil, err
	}
	p, err := translate(ctx, l.Alphabet(), atoms)
	return p, l, err
}

// Most is the largest number of letters.
const Most = 1<<16 - 1

// TooMany is the error that there are more letters than this number.
type TooMany int

// Error names the limit.
func (e TooMany) Error() string {
	return fmt.Sprintf("the formula distinguishes more than %d kinds of labels", int(e))
}

// Of returns the letter of each label and, for each letter, which atoms hold. The letter of a label
// that happens nowhere is arbitrary, since such a label must not add letters. Of fails with [TooMany]
// if there are more letters than mostLetters, or if ctx is done. Cost O(labels · atoms).
func Of(
	ctx context.Context,
	atoms []property.Step,
	a *lts.Alphabet,
	mostLetters int,
) (letterOf []uint16, letters [][]bool, err error) {
	atomsOf := make([][]int, a.Len()) // by label
	for i, atom := range atoms {
		for _, l := range atom.Labels {
			atomsOf[l] = append(atomsOf[l], i)
		}
	}
	letterOf = make([]uint16, a.Len())
	number := map[string]uint16{}
	key := make([]byte, len(atoms))
	for l, held := range atomsOf {
		if !a.Happens(lts.Label(l)) {
			continue
		}
		clear(key)
		for _, i := range held {
			key[i] = 1
		}
		n, known := number[string(key)]
		if !known {
			if len(letters) >= mostLetters {
				return nil, nil, TooMany(mostLetters)
			}
			n = uint16(len(letters))
			number[string(key)] = n
			letter := make([]bool, len(atoms))
			for _, i := range held {
				letter[i] = true
			}
			letters = append(letters, letter)
		}
		letterOf[l] = n
	}
	return letterOf, letters, ctx.Err()
}

// Limits of automata.
const (
	mostStates      = 1 << 14
	mostTransitions = 1 << 22
)

// Determinise builds an automaton from its first state and the function successor, which returns the
// successor of a state for a letter, and the colours of the transition. States with the same key are
// the same state. It returns the reached states in the order of their numbers, and their automaton with
// the condition Inf(0). It fails if the automaton becomes too large, if successor fails, or if ctx is
// done; the error names the origin of the automaton, such as "formula" or "claim".
func Determinise[S any](
	ctx context.Context,
	first S,
	letters int,
	origin string,
	key func(S) string,
	successor func(S, int) (S, property.Marks, error),
) ([]S, *property.Automaton, error) {
	a := &property.Automaton{Columns: letters, Acceptance: property.Inf(0)}
	var states intern.List[string, S]
	states.Index(key(first), first)
	for i := 0; i < len(states.All); i++ {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if len(states.All) > mostStates || len(states.All)*letters > mostTransitions {
			return nil, nil, TooLarge("the automaton of the %s is too large: more than %d states, or %d transitions", origin, mostStates, mostTransitions)
		}
		for letter := range letters {
			to, marks, err := successor(states.All[i], letter)
			if err != nil {
				return nil, nil, err
			}
			a.Next = append(a.Next, property.Q(states.Index(key(to), to)))
			a.Marks = append(a.Marks, marks)
		}
	}
	return states.All, a, nil
}

// Reach removes the unreachable states of an automaton, and renumbers the others breadth first. It
// returns, for each new number, the old one.
func Reach(a *property.Automaton) []property.Q {
	b := *a
	b.Initial = 0
	b.Next = nil
	b.Marks = nil
	b.Stop = nil
	number := make([]property.Q, a.States()) // the new number plus one; 0 for states not reached
	number[a.Initial] = 1
	order := []property.Q{a.Initial}
	for i := 0; i < len(order); i++ {
		first := int(order[i]) * a.Columns
		end := int(order[i]+1) * a.Columns
		for _, to := range a.Next[first:end] {
			if number[to] == 0 {
				order = append(order, to)
				number[to] = property.Q(len(order))
			}
			b.Next = append(b.Next, number[to]-1)
		}
		b.Stop = append(b.Stop, a.Stop[order[i]])
		if a.Marks != nil {
			b.Marks = append(b.Marks, a.Marks[first:end]...)
		}
	}
	*a = b
	return order
}

// Merge merges the states of an automaton that no word distinguishes by colours and stops, and removes
// unreachable ones. It returns, for each state that is left, the old number of one of the states that
// were merged.
func Merge(a *property.Automaton) []property.Q {
	class := Classes(a, a.Marks)
	var first []property.Q // the first state of each class; classes are numbered in the order of these states
	for q, k := range class {
		if int(k) == len(first) {
			first = append(first, property.Q(q))
		}
	}
	for i, to := range a.Next {
		a.Next[i] = first[class[to]]
	}
	a.Initial = first[class[a.Initial]]
	return Reach(a)
}

// Classes returns a class for each state; two states have the same class if no word distinguishes
// them by stops and, if given, colours.
func Classes(a *property.Automaton, marks []property.Marks) []uint32 {
	return partition.Coarsest(a.States(), a.Columns, a.Next, func(key []byte, q int) []byte {
		key = append(key, 0)
		if a.Stop[q] {
			key[0] = 1
		}
		if marks != nil {
			for _, m := range marks[q*a.Columns : (q+1)*a.Columns] {
				key = binary.LittleEndian.AppendUint64(key, uint64(m))
			}
		}
		return key
	})
}

// TooLarge returns the error that an automaton would exceed a limit.
func TooLarge(format string, arguments ...any) error {
	err := fmt.Errorf(format, arguments...)
	return hint.New(err, err, "; ", hint.Automaton)
}
