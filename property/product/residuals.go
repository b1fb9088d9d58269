package product

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// Residuals are the residual languages of the states of a property over all
// words, infinite or finite, of the labels that happen; no model restricts the
// words. It is immutable.
type Residuals struct {
	canAccept, canReject []bool
	safety               bool
}

// ResidualsOf computes the residual languages of the states of p. Cost O(states ·
// labels) and that of [Unfolding.Accepting].
func ResidualsOf(ctx context.Context, p *property.Property) (*Residuals, error) {
	var b lts.Builder
	b.Over(p.Alphabet())
	start := lts.State(0)
	for l := range p.Alphabet().All() {
		if _, begins := p.Alphabet().Facts(l); !begins && p.Alphabet().Happens(l) {
			b.Add(0, l, 0)
		} else if begins && p.Alphabet().Happens(l) {
			start = 1
			b.Add(1, l, 0)
		}
	}
	m, err := b.Build(start, int(start)+1)
	if err != nil {
		return nil, err
	}
	u, err := Unfold(ctx, m, p)
	if err != nil {
		return nil, err
	}
	c, err := scc.Find(ctx, u.LTS(), "iterative")
	if err != nil {
		return nil, err
	}
	accepting, err := u.Accepting(ctx, c, p.Acceptance())
	if err != nil {
		return nil, err
	}
	rejecting, err := u.Accepting(ctx, c, p.Acceptance().Not())
	if err != nil {
		return nil, err
	}
	return newResiduals(u, c, accepting, rejecting, start), nil
}

// newResiduals propagates the verdicts of components backwards through the unfolded model of all
// words. No word ends in state 1 of this model, where runs begin.
func newResiduals(u *Unfolding, c *scc.Components, accepting, rejecting []bool, start lts.State) *Residuals {
	n := u.Property().States()
	w := &Residuals{canAccept: slices.Repeat([]bool{true}, n), canReject: slices.Repeat([]bool{true}, n), safety: true}
	// No transition leads to a component with a smaller number.
	for i := c.Len() - 1; i >= 0; i-- {
		states := c.States(scc.Component(i))
		accept, reject := accepting[i], rejecting[i]
		violates := reject
		for _, s := range states {
			if at := u.At(s); start == 0 || at.State != start {
				stops := u.Property().Stops(at.Q)
				accept, reject, violates = accept || stops, reject || !stops, violates || !stops
			}
			_, targets := u.LTS().Out(s)
			for _, t := range targets {
				if of, _ := c.Of(t); int(of) != i {
					q := u.At(t).Q
					accept, reject = accept || w.canAccept[q], reject || w.canReject[q]
				}
			}
		}
		w.safety = w.safety && (!accept || !violates)
		for _, s := range states {
			q := u.At(s).Q
			w.canAccept[q], w.canReject[q] = accept, reject
		}
	}
	return w
}

// CanAccept reports whether some word leads a run in q to satisfy the property;
// it is true for states that the property cannot reach. Cost O(1).
func (w *Residuals) CanAccept(q property.Q) bool { return w.canAccept[q] }

// CanReject reports whether some word leads a run in q to violate the property.
// Cost O(1).
func (w *Residuals) CanReject(q property.Q) bool { return w.canReject[q] }

// IsSafety reports whether every violating word has a bad prefix: one that no
// continuation satisfies. Cost O(1).
func (w *Residuals) IsSafety() bool { return w.safety }
