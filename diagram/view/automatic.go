package view

import (
	"context"
	"errors"
	"fmt"

	"github.com/inev-lts/inev/simplify/quotient"
)

// mostSteps is the number of steps of a run up to which it is read step by step.
const mostSteps = 15

// prefersMerged says why the quotient tells more than the states of the model, "" if it
// does not: of a long run, and of a loop in which nothing was decided.
func (e explanation) prefersMerged(o Options) string {
	c := e.Counterexample
	switch {
	case c == nil || o.All != nil || o.Full || o.MaxStates > 0 || !e.HasQuotient() || lostFromTheStart(e.Explanation):
		return ""
	case e.Model.ReachableTransitions > maxMerged:
		return ""
	case len(c.Steps) > mostSteps:
		return fmt.Sprintf("the run has %d steps, more than the %d that are read one by one", len(c.Steps), mostSteps)
	case c.LoopStart >= 0 && len(e.Decisions) == 0:
		return "nothing was decided on the loop"
	}
	return ""
}

// merged returns the quotient where it is clear, and smaller than the model; nil elsewhere.
func (e explanation) merged(ctx context.Context, o Options) (*Graph, error) {
	// What has more states than its work may be is not clear, whatever its arrows.
	g, err := e.blocks(ctx, o, MaxClearWork)
	switch {
	case errors.Is(err, quotient.ErrManyBlocks):
		return nil, nil
	case err != nil:
		return nil, err
	case !g.tells():
		return nil, nil
	}
	return g, nil
}

// tells reports whether a quotient can be read, and tells more than that all states are alike.
func (g *Graph) tells() bool {
	return g.clear() && len(g.Nodes) > 1 && g.QuotientOf.States > g.Reachable.States
}

// merging tells of the quotient, after why it was chosen.
const merging = "the quotient is drawn, in which states that mean the same for the property are one"

// any returns the first that is clear of the quotient, where that tells more, the whole
// model, if it is small, the excerpt, and the quotient.
func (e explanation) any(ctx context.Context, o Options) (*Graph, error) {
	if why := e.prefersMerged(o); why != "" {
		if g, err := e.merged(ctx, o); g != nil || err != nil {
			if g != nil {
				g.Notes = []string{why + "; " + merging}
			}
			return g, err
		}
	}
	why := o.tooLarge(e.LTS().Reachable())
	if slowestOf(e.Explanation) != nil && o.MaxStates == 0 && !o.Full && e.Model.ReachableStates > mostAroundSlowest {
		why = "the slowest run is to be seen"
	}
	if why == "" {
		o.Kind = Whole
		g, err := e.of(ctx, o)
		if err != nil || g.clear() || o.MaxStates > 0 && g.Work() <= MaxWork {
			return g, err
		}
		why = "the whole model is too crowded to be read"
	}
	o.Kind = Excerpt
	g, err := e.of(ctx, o)
	if err != nil {
		return nil, err
	}
	if g.clear() || !e.HasQuotient() || o.All != nil {
		g.note(why + "; an excerpt is drawn")
		return g, nil
	}
	merged, err := e.merged(ctx, o)
	if err != nil {
		return nil, err
	}
	if merged == nil {
		g.note(why + "; an excerpt is drawn")
		return g, nil
	}
	merged.Notes = []string{why + ", and so is an excerpt; " + merging}
	return merged, nil
}
