package temporal

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/formula/internal/letters"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Bind returns the property over the labels of alphabet that a formula denotes,
// where atom i has the labels of atoms[i]. Kind and name say how it was written.
// It is a chain if [Formula.IsChain] or [product.AsChain] finds that it is one.
// It fails with a [*BudgetError] if the automaton would become too large; it also
// fails if atoms are missing, and if ctx is done.
//
// Cost: doubly exponential in the size of the formula at worst, and linear in the
// number of labels. Formulas that people write take milliseconds.
func Bind(ctx context.Context, alphabet *lts.Alphabet, f *Formula, atoms []property.Step, kind property.Kind, name string) (_ *property.Property, err error) {
	defer abort.Caught(&err)
	if alphabet.TellsStates() {
		return bindFacts(ctx, alphabet, f, atoms, kind, name), nil
	}
	if steps := f.steps(); steps != nil {
		p := bindChain(ctx, alphabet, steps, atoms)
		return p.WrittenAs(kind, name), nil
	}
	letters, letterOf := classes(ctx, alphabet, atoms[:f.Atoms()])
	d, err := determine(ctx, f, letters)
	var budget *BudgetError
	if errors.As(err, &budget) {
		if d != nil {
			budget.name(&speaker{s: d.s, names: namesOf(atoms[:f.Atoms()])})
		}
		return nil, remedy.New(err, err, "; ", remedy.Automaton)
	}
	if err != nil {
		return nil, err
	}
	a := d.automaton
	t := a.table()
	t.Letters, t.Kind, t.Name = letterOf, kind, name
	speaker := d.speaker(atoms[:f.Atoms()])
	for _, of := range a.of {
		t.Pending = append(t.Pending, speaker.phrase(d.rest(d.c, of)))
	}
	p := abort.Must(property.Table(alphabet, t))
	return product.AsChain(ctx, p, atoms[:f.Atoms()])
}

// classes returns a letter for each set of atoms that holds of some label, the
// letter of each label and, last, that of "nothing happens". A letter says for
// each atom whether it holds, and for deadlock, whose number follows those of the
// atoms. Labels that do not happen have an arbitrary letter.
func classes(ctx context.Context, alphabet *lts.Alphabet, atoms []property.Step) ([][]bool, []uint16) {
	of, classes, err := letters.Of(ctx, atoms, alphabet, min(maxLetters, maxHeld/max(1, len(atoms))+1))
	if many := letters.TooMany(0); errors.As(err, &many) {
		abort.On(&BudgetError{What: "letters", Most: int(many)})
	}
	for i, letter := range classes {
		classes[i] = append(letter, false)
	}
	idle := make([]bool, len(atoms)+1)
	idle[len(atoms)] = true
	abort.On(err)
	return append(classes, idle), of
}

// maxLetters is the largest number of classes of labels.
const maxLetters = letters.Most

// maxHeld is the largest product of letters and atoms.
const maxHeld = 1 << 26

// determined is the automaton of a formula, with the meaning of its states.
type determined struct {
	*automaton
	s     *space
	c     condition
	begin []form // the formulas of the operands
	// raw is the number of states before any was removed or merged.
	raw int
}

// determine translates a formula. If it fails with a result that is not nil, the
// result can still describe the subformulas in words.
func determine(ctx context.Context, f *Formula, letters [][]bool) (_ *determined, err error) {
	defer abort.Caught(&err)
	s := newSpace(ctx, letters)
	o := &operands{s: s, conditionOf: map[form]condition{}}
	c := o.split(f, false)
	if s.err != nil {
		return nil, s.err
	}
	var used keyed.List[int, form]
	c = o.used(c, &used)
	d := &determined{s: s, c: c, begin: used.All}
	var all []*automaton
	var letterOf [][]int
	for _, g := range used.All {
		fewer, classOf := s.restricted(g)
		s.letters = fewer
		clear(s.after)
		clear(s.later)
		var m *machine
		if err := abort.Try(func() { m = s.translate(g) }); err != nil {
			s.letters, s.err = letters, nil
			return d, err
		}
		d.raw += m.states()
		a := m.settle(ctx).simplify(ctx)
		s.letters = letters
		all, letterOf = append(all, a), append(letterOf, classOf)
	}
	d.automaton = combine(ctx, c, all, letterOf, len(letters)-1).simplify(ctx)
	return d, nil
}

// restricted returns the letters that the atoms of a form distinguish, the last
// one for "nothing happens", and maps each letter of s to one of them.
func (s *space) restricted(f form) (_ [][]bool, of []int) {
	atoms := s.atomsIn(f)
	var letters keyed.List[string, []bool]
	last := len(s.letters) - 1
	for _, letter := range s.letters[:last] {
		key := make([]byte, len(atoms))
		for i, a := range atoms {
			if letter[a] {
				key[i] = 1
			}
		}
		of = append(of, letters.Index(string(key), letter))
	}
	return append(letters.All, s.letters[last]), of
}

// atomsIn returns the atoms in a form, ascending.
func (s *space) atomsIn(f form) []int {
	var atoms []int
	s.visit(f, func(_ nodeID, n node) {
		if n.kind == positive || n.kind == negative {
			atoms = append(atoms, n.atom)
		}
	})
	slices.Sort(atoms)
	return slices.Compact(atoms)
}
