package explain

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Conjunct is one of several conditions that a formula joins by "and", with the verdict on the
// counterexample.
type Conjunct struct {
	Text string `json:"text"`
	// Verdict is violated or satisfied. It is 0 if the counterexample is a stem whose continuations
	// differ in this condition.
	Verdict Verdict `json:"verdict,omitzero"`
	// Step is the step after which no word satisfies a violated condition any more; nil if there is
	// no such step. FromStart reports whether no word satisfies the condition at all.
	Step      *StepIndex `json:"step,omitempty"`
	FromStart bool       `json:"from_start,omitzero"`
	// Pending is the phrase for what a violated condition waits for at the end of the run, or in
	// all states of its loop. It is nil if the phrase differs between these states, or if the
	// condition is not violated.
	Pending Words `json:"pending,omitempty"`
}

// judgeConjuncts finds the verdict on the run for each condition that the formula joins. Cost: that
// of binding each condition, and O(steps), with as many rounds of the loop as the condition needs
// to repeat its state.
func (p *parts) judgeConjuncts(ctx context.Context) error {
	if p.run.trace == nil {
		return nil
	}
	joined, err := p.a.conjuncts()
	if err != nil {
		return err
	}
	for i, condition := range joined.properties {
		one, err := p.run.judge(ctx, condition)
		if err != nil {
			return err
		}
		one.Text = joined.formulas[i].String()
		p.Conjuncts = append(p.Conjuncts, one)
	}
	return nil
}

// judge finds the verdict on the run for one condition.
func (v violation) judge(ctx context.Context, p *property.Property) (Conjunct, error) {
	words, err := product.ResidualsOf(ctx, p)
	if err != nil {
		return Conjunct{}, err
	}
	t, err := counterexample.Under(v.a.m, v.trace, p)
	if err != nil {
		return Conjunct{}, err
	}
	c := Conjunct{Verdict: verdictOnRun(t, words)}
	if c.Verdict != Violated {
		return c, nil
	}
	for i := range t.Len() + 1 {
		if words.CanAccept(t.At(i)) {
			continue
		}
		if i == 0 {
			c.FromStart = true
		} else {
			c.Step = stepIndex(i - 1)
		}
		return c, nil
	}
	c.Pending = pendingAtEnd(t, p, words)
	return c, nil
}

// verdictOnRun returns the verdict on a run for the condition whose residuals are words; 0 if the run is
// a stem whose continuations differ in this condition.
func verdictOnRun(t *counterexample.Trace, words *product.Residuals) Verdict {
	isStem := t.Kind() == counterexample.Trap || t.Kind() == counterexample.Prefix
	if !isStem {
		return verdictOf(t.Satisfies())
	}
	end := t.At(t.Len())
	isOpen := words.CanAccept(end) && words.CanReject(end)
	if isOpen {
		return 0
	}
	return verdictOf(words.CanAccept(end))
}

// pendingAtEnd returns the phrase for what a condition waits for at the end of a run, or in all states
// of its loop; nil if the phrase differs between these states.
func pendingAtEnd(
	t *counterexample.Trace,
	p *property.Property,
	words *product.Residuals,
) Words {
	ends := []property.Q{t.At(t.Len())}
	if start, loops := t.LoopStart(); loops {
		ends = nil
		for _, at := range repeated(t, p)[:t.Len()-start] {
			ends = append(ends, at.Q)
		}
	}
	pending := p.Pending(ends[0])
	for _, q := range slices.Compact(slices.Sorted(slices.Values(ends))) {
		if p.Pending(q).String() != pending.String() || !words.CanAccept(q) {
			return nil
		}
	}
	return Words(pending)
}
