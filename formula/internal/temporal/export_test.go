package temporal

import (
	"context"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Sizes returns the numbers of states of the automaton of a formula before any are
// dropped or merged, summed up over its operands, and of the one that [Bind] gives.
func Sizes(ctx context.Context, alphabet *lts.Alphabet, f *Formula, atoms []property.Step) (raw, states int, err error) {
	letters, _, err := classes(ctx, alphabet, atoms[:f.Atoms()])
	if err != nil {
		return 0, 0, err
	}
	d, err := determine(ctx, f, letters)
	if err != nil {
		return 0, 0, err
	}
	return d.raw, d.states(), nil
}
