package view

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/neighbourhood"
)

// Tour is the content of a page with an explanation besides sentences: views, the surroundings of
// the run, and a legend.
type Tour struct {
	// Stops are the views that are worth showing. The page shows the first one first.
	Stops []Stop
	// Undrawn are sentences about the views that are left out because the model is too large.
	Undrawn      []string
	Surroundings *Surroundings
	Legend       Legend
	// Neighbourhoods is the number of neighbourhoods of the model.
	Neighbourhoods int
}

// Stop is a view of a tour, or the error that keeps it from being drawn.
type Stop struct {
	Kind  Kind
	Graph *Graph // nil if there is an error, or a chart
	Chart *Chart // nil except for the kind Sequence
	Err   error
}

// WithChart returns the tour with a sequence chart as its second stop, for readers who know nothing
// of models. Cost O(stops).
func (t *Tour) WithChart(c *Chart) *Tour {
	with := *t
	with.Stops = slices.Insert(slices.Clone(t.Stops), min(1, len(t.Stops)), Stop{Kind: Sequence, Chart: c})
	return &with
}

// MaxStops is the largest number of views in a tour.
const MaxStops = 5

// Legend has the classes that the views of a tour show. If there is only one, it has none.
type Legend struct {
	Correct, Incorrect, Neutral, Excluded bool
	// Never reports that some transition is crossed out since it must never be taken.
	Never bool
}

// NewTour returns the tour through e. Its surroundings take about maxSurroundings bytes of JSON at
// most; 0 means DefaultMaxSurroundings. It fails if ctx is done. Cost: the views, and the
// surroundings.
func NewTour(ctx context.Context, e *explain.Explanation, maxSurroundings int64) (_ *Tour, err error) {
	defer abort.Caught(&err)
	t := &Tour{Neighbourhoods: e.Neighbourhoods().Len()}
	shown := explanation{e, subjectOf(e)}
	for _, kind := range t.plan(e) {
		stop := Stop{Kind: kind}
		stop.Err = abort.Try(func() { stop.Graph = shown.view(ctx, Options{Kind: kind, Advice: true}) })
		abort.On(ctx.Err())
		t.Stops = append(t.Stops, stop)
	}
	merged := slices.IndexFunc(t.Stops, func(s Stop) bool { return s.Kind == Quotient && s.Graph != nil && s.Graph.tells() })
	if merged > 0 && shown.prefersMerged(Options{}) != "" {
		first := t.Stops[merged]
		t.Stops = slices.Insert(slices.Delete(t.Stops, merged, merged+1), 0, first)
	}
	t.Legend = t.legend()
	if maxSurroundings == 0 {
		maxSurroundings = DefaultMaxSurroundings
	}
	t.Surroundings = surroundingsOf(ctx, e, maxSurroundings)
	return t, nil
}

// maxMerged is the largest number of transitions of a model for which a tour has a quotient:
// beyond, the quotient would take seconds.
const maxMerged = 1_000_000

// maxDecided is the largest number of transitions of a model for which a tour
// has a view of neighbourhoods: beyond, it would delay the page too long.
const maxDecided = 3_000_000

// Bounds of a model that is shown as a whole: laying it out takes about half a second. With twice
// as many transitions it takes many seconds, and the picture is unreadable. The bounds are no
// times, so that a tour is the same on every machine.
const (
	maxWholeStates      = 120
	maxWholeTransitions = 250
)

// plan returns the kinds of views worth showing, and records those that are left out because the
// model is too large.
func (t *Tour) plan(e *explain.Explanation) []Kind {
	m := e.Model
	small := m.ReachableStates <= maxWholeStates && m.ReachableTransitions <= maxWholeTransitions
	if !small {
		t.Undrawn = append(t.Undrawn, fmt.Sprintf("the page has no picture of the whole model: it has %d states and %d transitions, and up to %d and %d are drawn",
			m.ReachableStates, m.ReachableTransitions, maxWholeStates, maxWholeTransitions))
	}
	if e.Counterexample == nil {
		switch {
		case small && e.SlowestRun() != nil:
			return []Kind{Excerpt, Whole}
		case small:
			return []Kind{Whole}
		}
		return []Kind{Excerpt}
	}
	kinds := []Kind{Excerpt}
	if e.Nearest != nil && !e.IsUnfolded() {
		kinds = append(kinds, Diff)
	}
	switch {
	case t.Neighbourhoods == 0:
	case m.ReachableTransitions <= maxDecided:
		kinds = append(kinds, Neighbourhoods)
	default:
		t.Undrawn = append(t.Undrawn, fmt.Sprintf("the page has no picture of the decisions: what lies between them are %d transitions, and up to %d are gone through for a page", m.ReachableTransitions, maxDecided))
	}
	switch {
	case !e.HasQuotient():
	case m.ReachableTransitions <= maxMerged:
		kinds = append(kinds, Quotient)
	default:
		t.Undrawn = append(t.Undrawn, fmt.Sprintf("the page has no picture of the merged model: it has %d transitions, and up to %d are merged for a page", m.ReachableTransitions, maxMerged))
	}
	if small {
		kinds = append(kinds, Whole)
	}
	return kinds
}

// legend returns the classes that the views show.
func (t *Tour) legend() Legend {
	var l Legend
	drawn := map[neighbourhood.Class]bool{}
	for _, stop := range t.Stops {
		if stop.Graph == nil || !stop.Graph.Classified {
			continue
		}
		for i := range stop.Graph.Arrows {
			a := &stop.Graph.Arrows[i]
			drawn[a.Class] = true
			l.Never = l.Never || a.Never != ""
		}
	}
	if len(drawn) > 1 {
		l.Correct, l.Incorrect = drawn[neighbourhood.Correct], drawn[neighbourhood.Incorrect]
		l.Neutral, l.Excluded = drawn[neighbourhood.Neutral], drawn[neighbourhood.Excluded]
	}
	return l
}
