package temporal

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// self asks of an automaton what is asked of models: it is a model of itself.
type self struct {
	a *automaton
	u *product.Unfolding
	c *scc.Components
	// marks are those of u.
	marks []property.Marks
}

// newSelf numbers the states of a in the order in which they are met, and drops those
// that are not.
func newSelf(ctx context.Context, a *automaton) (*self, error) {
	order, _ := reached(a.initial, a.next, a.letters, a.states())
	a.reorder(func(q int) uint32 { return order[q] }, len(order))
	x := &self{a: a, marks: append([]property.Marks(nil), a.marks...)}
	var b lts.Builder
	t := property.Automaton{Columns: a.letters, Marks: x.marks, Acceptance: a.accept, Stop: a.stop, Initial: property.Q(a.initial)}
	for letter := range a.letters {
		b.Label(string(binary.LittleEndian.AppendUint32(nil, uint32(letter))))
		t.Letters = append(t.Letters, uint16(letter))
	}
	for i, to := range a.next {
		b.Add(lts.State(i/a.letters), lts.Label(i%a.letters), lts.State(to))
		t.Next = append(t.Next, property.Q(to))
	}
	system, err := b.Build(lts.State(a.initial), a.states())
	if err != nil {
		return nil, err
	}
	p, err := property.Table(system.Alphabet(), t)
	if err != nil {
		return nil, err
	}
	// Transitions are gone through in the order of numbers, here and there: so a state
	// of the product has the number of both of which it is the pair.
	if x.u, err = product.Unfold(ctx, system, p); err != nil {
		return nil, err
	}
	x.c, err = scc.Find(ctx, x.u.LTS(), "")
	return x, err
}

// verdicts reports of each component whether some run in it is accepted, and whether
// some is not.
func (x *self) verdicts(ctx context.Context) (accepting, rejecting []bool, err error) {
	if accepting, err = x.u.Accepting(ctx, x.c, x.a.accept); err != nil {
		return nil, nil, err
	}
	rejecting, err = x.u.Accepting(ctx, x.c, x.a.accept.Not())
	return accepting, rejecting, err
}

// oneColour makes Inf or Fin of one colour of the condition, where that is as good: the
// transitions that no rejected run takes for ever are such that recurring they accept,
// and are enough where no run is accepted without them; likewise those that no accepted
// run takes for ever. After Krishnan, Puri, Brayton: Deterministic ω-Automata vis-a-vis
// Deterministic Büchi Automata (ISAAC 1994), Theorem 10.
func (a *automaton) oneColour(ctx context.Context) error {
	if n := colours(a.accept); n <= 1 || n >= property.Colours {
		return nil
	}
	x, err := newSelf(ctx, a)
	if err != nil {
		return err
	}
	for _, negative := range []bool{false, true} {
		accept := a.accept
		if negative {
			accept = accept.Not()
		}
		rejected, work, err := x.satisfied(ctx, accept.Not(), x.marks, false, maxSatisfied)
		if err != nil || work > maxSatisfied {
			return err
		}
		// Where a run is accepted without a transition that no rejected one takes for ever,
		// it is not so by one colour.
		fresh := property.Mark(property.Colours - 1)
		marks := slices.Clone(x.marks)
		x.a.eachInside(x.c, func(i int, _ scc.Component) {
			if !rejected.Has(i) {
				marks[i] |= fresh
			}
		})
		missed, work, err := x.satisfied(ctx, property.All(accept, property.Fin(property.Colours-1)), marks, true, maxSatisfied)
		if err != nil || work > maxSatisfied {
			return err
		}
		if !missed.Empty() {
			continue
		}
		a.accept = property.Inf(0)
		if negative {
			a.accept = property.Fin(0)
		}
		for i := range a.marks {
			a.marks[i] = 0
		}
		a.eachInside(x.c, func(i int, _ scc.Component) {
			if !rejected.Has(i) {
				a.marks[i] = property.Mark(0)
			}
		})
		return nil
	}
	return nil
}
