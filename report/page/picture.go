package page

import (
	"context"
	"html/template"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/diagram"
	"github.com/inev-lts/inev/diagram/graphviz"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/report"
)

// picture is a view of the model, drawn; or why it is not.
type picture struct {
	Name  string // for the script
	Title string
	About string // what the view shows
	SVG   template.HTML
	Why   string // "" where it is drawn
}

// draw draws the views that the page offers, the one that it shows first before
// the others. It fails where ctx is done.
func draw(ctx context.Context, e *explain.Explanation, o diagram.Options) ([]picture, error) {
	// The run is read downwards beside the list of its steps.
	if o.RankDir == diagram.AutoDirection {
		o.RankDir = diagram.TopDown
	}
	ctx, forget := graphviz.Keep(ctx)
	defer forget()
	var pictures []picture
	for _, v := range viewsOf(e) {
		p := picture{Name: v.name, Title: v.title, About: v.about}
		o.View = v.view
		var svg strings.Builder
		err := diagram.SVG(ctx, &svg, e, o)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			// Package diagram lets nothing into an SVG but what draws, and escapes every
			// text: it can stand in a page as it is.
			p.SVG = template.HTML(svg.String())
		} else {
			p.Why = report.Printable(strings.TrimPrefix(err.Error(), "diagram: "))
			if o.Tell != nil {
				o.Tell("the page has no picture " + strconv.Quote(v.title) + ": " + p.Why)
			}
		}
		pictures = append(pictures, p)
	}
	return pictures, nil
}

type view struct {
	name, title, about string
	view               diagram.View
}

// maxMerged is the number of transitions up to which a model is merged for a page:
// it takes seconds beyond, which nobody asked to wait for.
const maxMerged = 1_000_000

// A model of this size is drawn as a whole: its layout takes about half a second.
// That of one with twice as many transitions takes many seconds, and tells nothing.
// The limit is no time, so that a page is the same on every machine.
const (
	maxWholeStates      = 120
	maxWholeTransitions = 250
)

// viewsOf returns the views that are worth looking at.
func viewsOf(e *explain.Explanation) []view {
	m := e.Model
	small := m.ReachableStates <= maxWholeStates && m.ReachableTransitions <= maxWholeTransitions
	whole := view{"whole", "Whole model", "Every state and every transition", diagram.Whole}
	if e.Counterexample == nil {
		if small {
			return []view{whole}
		}
		return []view{{"excerpt", "Around the initial state", "The states nearest to the initial one", diagram.Excerpt}}
	}
	views := []view{{"excerpt", "Counterexample", "The run, its decisions, and what leads away from them", diagram.Excerpt}}
	if e.Neighbourhoods().Len() > 0 {
		views = append(views, view{"decisions", "Decisions", "The decisions, and how they follow each other", diagram.Decisions})
	}
	if e.Classes != nil && m.ReachableTransitions <= maxMerged {
		views = append(views, view{"quotient", "Merged", "States that mean the same for the property are one", diagram.Quotient})
	}
	if small {
		views = append(views, whole)
	}
	return views
}
