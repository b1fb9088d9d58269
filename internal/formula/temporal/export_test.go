package temporal

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/formula/letters"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Sizes returns the numbers of states of the automaton of a formula before any are
// dropped or merged, summed up over its operands, and of the one that [Bind] gives.
func Sizes(ctx context.Context, alphabet *lts.Alphabet, f *Formula, atoms []property.Step) (raw, states int, err error) {
	defer abort.Caught(&err)
	letters, _ := classes(ctx, alphabet, atoms[:f.Atoms()])
	d := abort.Must(determine(ctx, f, letters))
	return d.raw, d.States(), nil
}

// Least returns how many states an automaton of a formula has at least: as many as there are sets of
// words that it may accept in the end, and how many of these sets there are of infinite words.
func Least(ctx context.Context, alphabet *lts.Alphabet, f *Formula, atoms []property.Step) (least, infinite int, err error) {
	defer abort.Caught(&err)
	of, _ := classes(ctx, alphabet, atoms[:f.Atoms()])
	d := abort.Must(determine(ctx, f, of))
	count := func(within []uint32) int {
		class, known := d.residualsWithin(ctx, within)
		if !known {
			return 0
		}
		different := map[uint32]bool{}
		for _, k := range class {
			different[k] = true
		}
		return len(different)
	}
	return count(letters.Classes(&d.Automaton, nil)), count(make([]uint32, d.States())), nil
}
