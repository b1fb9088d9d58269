package fromproperty

import (
	"math/rand/v2"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Random returns a random property with this many states and at most this many colours: a table in
// which most transitions do not change the state. The condition is drawn last.
func Random(
	r *rand.Rand,
	a *lts.Alphabet,
	states, colours int,
	condition func(r *rand.Rand, colours int) property.Acceptance,
) (*property.Property, error) {
	x := property.Automaton{
		Columns: 3,
		Letters: make([]uint16, a.Len()),
		Initial: property.Q(r.IntN(states)),
	}
	for l := range x.Letters {
		x.Letters[l] = uint16(r.IntN(x.Columns))
	}
	few := 1 + r.IntN(4)
	colours = 1 + r.IntN(colours)
	for q := range states {
		x.Stop = append(x.Stop, r.IntN(4) > 0)
		for range x.Columns {
			to := q
			if r.IntN(few) == 0 {
				to = r.IntN(states)
			}
			marks := randomMarks(r, colours)
			x.Next = append(x.Next, property.Q(to))
			x.Marks = append(x.Marks, marks)
		}
	}
	x.Acceptance = condition(r, colours)
	return property.Table(a, x)
}

// randomMarks returns about a third of the colours from 0 to colours-1.
func randomMarks(r *rand.Rand, colours int) property.Marks {
	marks := property.Marks(0)
	for c := range colours {
		if r.IntN(3) == 0 {
			marks |= property.Mark(c)
		}
	}
	return marks
}
