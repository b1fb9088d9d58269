package explain

import (
	"context"

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
	// Missing are transitions, each of which would make the property true, if they were possible
	// where the run stops: guesses, the likeliest first; only if Stop is true.
	Missing []ModelStep `json:"missing,omitempty"`
}

// Has reports whether every run that violates the property takes the transition of a step. Cost
// O(number of steps).
func (n *Necessity) Has(i StepIndex, c *Counterexample) bool {
	for _, s := range n.Steps {
		x, y := &c.Steps[s], &c.Steps[i]
		if x.From == y.From && x.Label == y.Label && x.To == y.To {
			return true
		}
	}
	return false
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
	missing, err := necessary.Missing(ctx, m, a.Property, e.trace.Last(), workForNecessity)
	for _, t := range missing {
		n.Missing = append(n.Missing, modelStep(m, t))
	}
	return n, err
}
