package explain

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/explain/internal/necessary"
	"github.com/inev-lts/inev/lts"
)

// workForNecessity is the number of places and transitions that are looked at to find out what is
// necessary, each as often as it is; and again for transitions that may be missing.
const workForNecessity = 10_000_000

// Necessity is what every run of the model that violates the property has in common with the
// counterexample.
type Necessity struct {
	// Steps are those that every such run takes, somewhere, in the order of the run; a
	// transition that the run takes again is there once.
	Steps []StepIndex `json:"steps"`
	// Stop reports whether all such runs stop where this one does, and the runs that stop there
	// are all such.
	Stop bool `json:"stop"`
	// At is the state in which this one does; nil unless Stop is true.
	At *ModelState `json:"at,omitempty"`
	// Missing are transitions, each of which would make the property true, if they were possible
	// where the run stops: guesses, the likeliest first; only if Stop is true.
	Missing []ModelStep `json:"missing,omitempty"`
}

// findNecessity finds out what is necessary of the counterexample; nil if that takes too long.
func (e *Explanation) findNecessity(ctx context.Context, a *Analysis) (*Necessity, error) {
	m := a.Components.LTS()
	found, err := necessary.Find(ctx, m, a.Property, e.trace, workForNecessity)
	if found == nil || err != nil {
		return nil, err
	}
	n := &Necessity{Steps: []StepIndex{}, Stop: found.Stop}
	met := map[lts.Transition]bool{}
	for i, every := range found.Every {
		if t := e.trace.Step(i); every && !met[t] {
			met[t] = true
			n.Steps = append(n.Steps, StepIndex(i))
		}
	}
	if !n.Stop {
		return n, nil
	}
	at := ModelState(e.trace.Last())
	n.At = &at
	missing, err := necessary.Missing(ctx, m, a.Property, e.trace.Last(), workForNecessity)
	for _, t := range missing {
		n.Missing = append(n.Missing, modelStep(m, t))
	}
	return n, err
}

// rankDecisions gives each decision its place in the order in which a fault is likely to be found.
func (e *Explanation) rankDecisions() {
	rank := 0
	for _, first := range []bool{true, false} {
		for i := len(e.Decisions) - 1; i >= 0; i-- {
			d := &e.Decisions[i]
			if necessary := e.Necessity != nil && slices.Contains(e.Necessity.Steps, d.Step); necessary == first {
				rank++
				d.Rank = rank
			}
		}
	}
}
