package product

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// Residuals are the residual languages of the states of a property over all
// words, infinite or finite, of the labels that happen; no model restricts the
// words. It is immutable.
type Residuals struct {
	canAccept, canReject []bool
	// safety: every violating word has a bad prefix; guarantee: every accepted word has a
	// good prefix, one that no continuation violates.
	safety, guarantee bool
}

// ResidualsOf computes the residual languages of the states of p. Cost O(states ·
// labels) and that of [Unfolding.Accepting].
func ResidualsOf(ctx context.Context, p *property.Property) (_ *Residuals, err error) {
	defer abort.Caught(&err)
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
	m := abort.Must(b.Build(start, int(start)+1))
	return newResiduals(ctx, m, p, start), nil
}

// newResiduals propagates the verdicts of components backwards through the unfolded model of all
// words, m. No word ends in state 1 of this model, where runs begin.
func newResiduals(ctx context.Context, m *lts.LTS, p *property.Property, start lts.State) *Residuals {
	u, c := unfoldedParts(ctx, m, p)
	accepting, rejecting, err := u.Verdicts(ctx, c, nil)
	abort.On(err)
	n := p.States()
	w := &Residuals{canAccept: slices.Repeat([]bool{true}, n), canReject: slices.Repeat([]bool{true}, n), safety: true, guarantee: true}
	// No transition leads to a component with a smaller number.
	for i := c.Len() - 1; i >= 0; i-- {
		states := c.States(scc.Component(i))
		accept, reject := accepting[i], rejecting[i]
		satisfies, violates := accept, reject // within the component
		for _, s := range states {
			if at := u.At(s); start == 0 || at.State != start {
				stops := p.Stops(at.Q)
				accept, reject = accept || stops, reject || !stops
				satisfies, violates = satisfies || stops, violates || !stops
			}
			_, targets := u.LTS().Out(s)
			for _, t := range targets {
				if of, _ := c.Of(t); int(of) != i {
					q := u.At(t).Q
					accept, reject = accept || w.canAccept[q], reject || w.canReject[q]
				}
			}
		}
		w.safety, w.guarantee = w.safety && !(accept && violates), w.guarantee && !(reject && satisfies)
		for _, s := range states {
			q := u.At(s).Q
			w.canAccept[q], w.canReject[q] = accept, reject
		}
	}
	return w
}

// unfoldedParts returns the unfolded model with its components.
func unfoldedParts(ctx context.Context, m *lts.LTS, p *property.Property) (*Unfolding, *scc.Components) {
	u := abort.Must(Unfold(ctx, m, p))
	return u, abort.Must(scc.Find(ctx, u.LTS(), "iterative"))
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
