package temporal

import (
	"context"
	"encoding/binary"

	"github.com/inev-lts/inev/internal/bitset"
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
	// marks are those of u; colour fresh is none of the automaton.
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
	x.c, err = scc.Find(ctx, x.u.LTS(), scc.Auto)
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

// some reports whether some run satisfies a condition.
func (x *self) some(ctx context.Context, accept property.Acceptance) (bool, error) {
	all, err := x.u.Accepting(ctx, x.c, accept)
	for _, is := range all {
		if is {
			return true, err
		}
	}
	return false, err
}

// maxTried bounds what oneColour tries: transitions times transitions.
const maxTried = 1 << 22

// oneColour makes Inf or Fin of one colour of the condition, where that is as good: the
// transitions that no rejected run takes for ever are such that recurring they accept,
// and are enough where no run is accepted without them; likewise those that no accepted
// run takes for ever. After Krishnan, Puri, Brayton: Deterministic ω-Automata vis-a-vis
// Deterministic Büchi Automata (ISAAC 1994), Theorem 10.
func (a *automaton) oneColour(ctx context.Context) error {
	fresh := colours(a.accept)
	if fresh <= 1 || fresh >= property.Colours || len(a.next)*len(a.next) > maxTried {
		return nil
	}
	for _, negative := range []bool{false, true} {
		accept := a.accept
		if negative {
			accept = accept.Not()
		}
		x, err := newSelf(ctx, a)
		if err != nil {
			return err
		}
		final, err := x.final(ctx, accept, fresh)
		if err != nil {
			return err
		}
		for i := range x.marks {
			x.marks[i] = a.marks[i]
			if final.Has(i) {
				x.marks[i] |= property.Mark(fresh)
			}
		}
		missed, err := x.some(ctx, property.All(accept, property.Fin(fresh)))
		if err != nil {
			return err
		}
		if missed {
			continue
		}
		a.accept = property.Inf(0)
		if negative {
			a.accept = property.Fin(0)
		}
		for i := range a.marks {
			a.marks[i] = 0
			if final.Has(i) {
				a.marks[i] = property.Mark(0)
			}
		}
		return nil
	}
	return nil
}

// final returns the transitions within components that no run takes for ever which a
// condition rejects. Colour fresh is free to be used.
func (x *self) final(ctx context.Context, accept property.Acceptance, fresh int) (bitset.Set[int], error) {
	final := bitset.New[int](len(x.marks))
	reject := property.All(accept.Not(), property.Inf(fresh))
	var err error
	x.a.eachInside(x.c, func(i int, _ scc.Component) {
		if err != nil {
			return
		}
		x.marks[i] |= property.Mark(fresh)
		var rejected bool
		if rejected, err = x.some(ctx, reject); !rejected {
			final.Add(i)
		}
		x.marks[i] &^= property.Mark(fresh)
	})
	return final, err
}
