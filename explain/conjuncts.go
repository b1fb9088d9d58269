package explain

import (
	"context"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Conjunct is one of several conditions that a formula joins by "and", and what the
// counterexample does to it.
type Conjunct struct {
	Text string `json:"text"`
	// Verdict is violated or satisfied; 0 if the conjunct depends on how the stem goes on.
	Verdict Verdict `json:"verdict,omitzero"`
	// Nothing satisfies a violated condition any more after Step, nil if there is no such step;
	// FromStart says that nothing ever did.
	Step      *StepIndex `json:"step,omitempty"`
	FromStart bool       `json:"from_start,omitzero"`
	// Pending is what is pending of a violated condition at the end of the run, or all along
	// its loop; nil elsewhere.
	Pending Words `json:"pending,omitempty"`
}

// mostConjuncts is how many conditions are judged.
const mostConjuncts = 64

// judgeConjuncts finds out which of the conditions that the formula joins the run violates. Cost:
// binding each, and O(steps) with the rounds that a loop takes.
func (v violation) judgeConjuncts(ctx context.Context) ([]Conjunct, error) {
	joined, is := v.a.Formula.(interface{ Conjuncts() []property.Formula })
	if !is || v.trace == nil {
		return nil, nil
	}
	parts := joined.Conjuncts()
	if len(parts) < 2 || len(parts) > mostConjuncts {
		return nil, nil
	}
	labels, err := v.a.m.Happening(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]Conjunct, len(parts))
	for i, part := range parts {
		p, _, err := part.Bind(ctx, labels)
		if err != nil {
			return nil, err
		}
		if all[i], err = v.judge(ctx, p); err != nil {
			return nil, err
		}
		all[i].Text = part.String()
	}
	return all, nil
}

// judge compares the run with a condition.
func (v violation) judge(ctx context.Context, p *property.Property) (c Conjunct, err error) {
	words, err := product.WordsOf(ctx, p)
	if err != nil {
		return c, err
	}
	t, err := counterexample.Under(v.a.m, v.trace, p)
	if err != nil {
		return c, err
	}
	end := t.At(t.Len())
	switch isStem := t.Kind() == counterexample.Trap || t.Kind() == counterexample.Prefix; {
	case isStem && words.CanAccept(end) && words.CanReject(end):
		return c, nil
	case isStem && words.CanAccept(end), !isStem && t.Satisfies():
		c.Verdict = Satisfied
		return c, nil
	}
	c.Verdict = Violated
	for i := range t.Len() + 1 {
		if words.CanAccept(t.At(i)) {
			continue
		}
		if c.FromStart = i == 0; i > 0 {
			c.Step = stepIndex(i - 1)
		}
		return c, nil
	}
	ends := []property.Q{end}
	if loop, loops := t.LoopStart(); loops {
		ends = repeatingRound(t, loop, p)
	}
	pending, seen := p.Pending(ends[0]), bitset.New[property.Q](p.States())
	for _, q := range ends {
		if seen.Has(q) {
			continue
		}
		seen.Add(q)
		if p.Pending(q).String() != pending.String() || !words.CanAccept(q) {
			return c, nil
		}
	}
	c.Pending = Words(pending)
	return c, nil
}
