package page

import (
	"context"
	"html/template"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/inev-lts/inev/diagram"
	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
)

// picture is a drawn view of the model, or the reason why it could not be drawn.
type picture struct {
	Name  string // for the script
	Title string
	About string // what the view shows
	SVG   template.HTML
	Why   string // why it is not drawn; "" if it is
	// Omitted are notes on what the view omits.
	Omitted []string
}

// draw draws the views of a tour, with at most workers goroutines. holds reports whether
// the property holds. It fails if ctx is done.
func draw(ctx context.Context, engine diagram.Engine, tour *view.Tour, holds bool, o diagram.Options, workers int) ([]picture, error) {
	// The run goes downwards, like the list of steps next to it.
	if o.RankDir == "" {
		o.RankDir = "TB"
	}
	o.NoCaption = true // the page has captions of its own
	pictures := make([]picture, len(tour.Stops))
	var left atomic.Int64
	left.Store(int64(len(pictures)))
	work := func() {
		// The last picture shows the whole model and takes longest, so it is drawn first.
		for i := left.Add(-1); i >= 0 && ctx.Err() == nil; i = left.Add(-1) {
			pictures[i] = drawn(ctx, engine, tour.Stops[i], holds, o)
		}
	}
	var done sync.WaitGroup
	for range min(workers, len(pictures)) - 1 {
		done.Add(1)
		go func() {
			defer done.Done()
			work()
		}()
	}
	work()
	done.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if isWhole(pictures) {
		for i := range len(pictures) - 1 {
			// A picture of the whole model shows all that others omit, except for the notes of a
			// sequence chart, which are not about size.
			if pictures[i].Name != view.Sequence.String() {
				pictures[i].Omitted = nil
			}
		}
	}
	return pictures, nil
}

// drawn draws one view, or says why it cannot be drawn.
func drawn(ctx context.Context, engine diagram.Engine, stop view.Stop, holds bool, o diagram.Options) picture {
	p := pictureOf(stop.Kind, holds)
	if stop.Graph != nil && stop.Graph.Caption.Slowest && stop.Kind != view.Whole {
		p.Title, p.About = "The slowest run", "What the slowest run does, and what would have been faster"
	}
	err := stop.Err
	var svg strings.Builder
	var notes []string
	switch {
	case err != nil:
	case stop.Chart != nil:
		notes = stop.Chart.Notes
		err = diagram.SVG(ctx, nil, &svg, stop.Chart, o)
	default:
		notes = stop.Graph.Notes
		err = diagram.SVG(ctx, engine, &svg, stop.Graph, o)
	}
	if err != nil {
		p.Why = printable.Text(strings.TrimPrefix(err.Error(), "diagram: "))
		return p
	}
	// Package diagram writes only drawing elements into an SVG, and escapes every text: it can
	// be put into a page as it is.
	p.SVG = template.HTML(svg.String())
	for _, note := range notes {
		p.Omitted = append(p.Omitted, printable.Text(note))
	}
	return p
}

// pictureOf returns the title and the description of a picture of this kind.
func pictureOf(kind view.Kind, holds bool) picture {
	p := picture{Name: kind.String()}
	switch {
	case kind == view.Whole:
		p.Title, p.About = "Whole model", "Every state and every transition"
	case kind == view.Neighbourhoods:
		p.Title, p.About = "Neighbourhoods", "The states that decide for all runs, and how they follow each other"
	case kind == view.Sequence:
		p.Title, p.About = "Sequence chart", "The run in lanes: who does what, below each other"
	case kind == view.Diff:
		p.Title, p.About = "Correct run", "A run that satisfies the property, beside the counterexample"
	case kind == view.Quotient:
		p.Title, p.About = "Merged", "States that mean the same for the property are one"
	case holds:
		p.Title, p.About = "Around the initial state", "The states nearest to the initial one"
	default:
		p.Title, p.About = "Counterexample", "The run, its decisions, and what leads away from them"
	}
	return p
}

// isWhole reports whether the last picture shows the whole model, so that nothing is missing.
func isWhole(pictures []picture) bool {
	last := len(pictures) - 1
	return last >= 0 && pictures[last].Name == view.Whole.String() && pictures[last].Why == ""
}

// omitted describes what the pictures leave out, and which pictures are missing.
func omitted(pictures []picture, undrawn []string) []string {
	var notes []string
	for _, p := range pictures {
		if p.Why != "" {
			notes = append(notes, "the page has no picture "+strconv.Quote(p.Title)+": "+p.Why)
		}
		for _, note := range p.Omitted {
			notes = append(notes, p.Title+": "+note)
		}
	}
	return append(notes, undrawn...)
}
