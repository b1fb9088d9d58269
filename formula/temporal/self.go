package temporal

import (
	"context"
	"encoding/binary"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// self is an automaton as a model of itself, so that it can be analysed like
// models.
type self struct {
	*graph
	a *automaton
	u *product.Unfolding
	c *scc.Components
	// marks are the marks of the transitions of the unfolding u.
	marks []property.Marks
}

// newSelf numbers the states of a in the order in which they are reached, and
// removes unreachable ones.
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
	// The numbers here and in the product follow the same order, so that a state
	// of the product has the number of both states of its pair.
	if x.u, err = product.Unfold(ctx, system, p); err != nil {
		return nil, err
	}
	x.graph = &graph{letters: a.letters, next: a.next, system: x.u.LTS()}
	x.c, err = scc.Find(ctx, x.u.LTS(), "")
	return x, err
}

// verdicts reports for each component whether some run in it is accepted, and
// whether some run is not.
func (x *self) verdicts(ctx context.Context) (accepting, rejecting []bool, err error) {
	if accepting, err = x.u.Accepting(ctx, x.c, x.a.accept); err != nil {
		return nil, nil, err
	}
	rejecting, err = x.u.Accepting(ctx, x.c, x.a.accept.Not())
	return accepting, rejecting, err
}
