package explain

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/explain/internal/necessary"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property/product"
)

// workForNecessity is the number of places and transitions that are looked at to find out what is
// necessary, each as often as it is; and again for transitions that may be missing.
const workForNecessity = 6_000_000

// workAtLength is the same for what only runs of this length have in common.
const workAtLength = 24_000_000

// Necessity is what every run of the model that violates the property has in common with the
// counterexample.
type Necessity struct {
	// Steps are those that every such run takes, somewhere, in the order of the run; a
	// transition that the run takes again is there once.
	Steps []StepIndex `json:"steps"`
	// AtLength are those that every such run takes if it is no longer than this one; nil if that is
	// not known.
	AtLength []StepIndex `json:"steps_at_length,omitempty"`
	// Stop reports whether all such runs stop where this one does, and the runs that stop there
	// are all such.
	Stop bool `json:"stop"`
	// At is the state in which this one does; nil unless Stop is true.
	At *ModelState `json:"at,omitempty"`
	// Missing are transitions, any of which would make the property true, if they were possible
	// where the run stops: guesses, the likeliest first; only if Stop is true.
	Missing []ModelStep `json:"missing,omitempty"`
}

// findNecessity finds out what is necessary of the counterexample, by the product of model and property;
// nil if that takes too long.
func (v violation) findNecessity(ctx context.Context, u *product.Unfolding) (*Necessity, error) {
	m, p := v.a.m, v.a.Property
	found, err := necessary.Find(ctx, m, p, v.trace, necessary.Options{Work: workForNecessity, WorkAtLength: workAtLength, Unfolding: u})
	if found == nil || err != nil {
		return nil, err
	}
	n := &Necessity{Steps: v.firstOf(found.Every), Stop: found.Stop}
	if found.AtLength != nil {
		n.AtLength = v.firstOf(found.AtLength)
	}
	if !n.Stop {
		return n, nil
	}
	at := ModelState(v.trace.Last())
	n.At = &at
	missing, err := necessary.Missing(ctx, m, p, v.trace.Last(), workForNecessity)
	for _, t := range missing {
		n.Missing = append(n.Missing, modelStep(m, t))
	}
	return n, err
}

// firstOf returns the steps that have something, each transition once.
func (v violation) firstOf(is []bool) []StepIndex {
	steps := []StepIndex{}
	met := map[lts.Transition]bool{}
	for i, holds := range is {
		if t := v.trace.Step(i); holds && !met[t] {
			met[t] = true
			steps = append(steps, StepIndex(i))
		}
	}
	return steps
}

// rank gives each decision its place among where a fault is likely: see [Decision].
func (d *decided) rank(n *Necessity) {
	rank := 0
	for _, first := range []bool{true, false} {
		for i := len(d.decisions) - 1; i >= 0; i-- {
			at := &d.decisions[i]
			if necessary := n != nil && slices.Contains(n.Steps, at.Step); necessary == first {
				rank++
				at.Rank = rank
			}
		}
	}
}
