package ltl

import (
	"context"
	"maps"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula/temporal"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Antecedents returns atoms of the formula whose absence makes it hold, whatever
// else a run does: the premises of implications, such as REQ in G (REQ -> F ACK)
// and in GF REQ -> GF ACK, also if they are written as disjunctions, and atoms
// that must be preceded, such as B in !B W A. Cost as for [actl.BindAtoms].
func (f *Formula) Antecedents(ctx context.Context, a *lts.Alphabet) ([]property.Step, error) {
	found := antecedents(f.root)
	if g := f.root; g.Operator() == temporal.WeakUntilOp && g.Parts()[0].Operator() == temporal.NotOp {
		found = needed(g.Parts()[0].Parts()[0])
	}
	var atoms []actl.Pattern
	for _, i := range slices.Sorted(maps.Keys(found)) {
		atoms = append(atoms, f.atoms[i])
	}
	steps, _, err := actl.BindAtoms(ctx, atoms, a)
	return steps, err
}

// atomSet is a set of atoms by their numbers.
type atomSet map[int]bool

func (s atomSet) add(all atomSet) { maps.Copy(s, all) }

// antecedents returns atoms whose absence makes f hold at every position, without
// those that f only forbids.
func antecedents(f *temporal.Formula) atomSet {
	found := atomSet{}
	switch parts := f.Parts(); f.Operator() {
	case temporal.AlwaysOp, temporal.NextOp:
		return antecedents(parts[0])
	case temporal.ImpliesOp:
		found.add(needed(parts[0]))
		found.add(antecedents(parts[1]))
	case temporal.OrOp:
		for _, p := range parts {
			if p.Operator() == temporal.NotOp {
				found.add(needed(p.Parts()[0]))
			} else {
				found.add(antecedents(p))
			}
		}
	case temporal.AndOp:
		return inAll(parts, antecedents)
	}
	return found
}

// needed returns atoms whose absence makes f false at every position.
func needed(f *temporal.Formula) atomSet {
	switch parts := f.Parts(); f.Operator() {
	case temporal.AtomOp:
		return atomSet{f.Number(): true}
	case temporal.AlwaysOp, temporal.EventuallyOp, temporal.NextOp:
		return needed(parts[0])
	case temporal.UntilOp, temporal.ReleaseOp:
		return needed(parts[1])
	case temporal.AndOp, temporal.StrongOp:
		found := atomSet{}
		for _, p := range parts {
			found.add(needed(p))
		}
		return found
	case temporal.OrOp:
		return inAll(parts, needed)
	}
	return nil
}

// inAll returns the atoms that are in the set of every part.
func inAll(parts []*temporal.Formula, of func(*temporal.Formula) atomSet) atomSet {
	found := atomSet{}
	found.add(of(parts[0]))
	for _, p := range parts[1:] {
		other := of(p)
		maps.DeleteFunc(found, func(i int, _ bool) bool { return !other[i] })
	}
	return found
}
