package page

import (
	"context"
	"fmt"
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
	// Omitted says what it leaves out.
	Omitted []string
}

// draw draws the views that the page offers, the one that it shows first before
// the others. It fails where ctx is done.
func draw(ctx context.Context, engine *graphviz.Engine, e *explain.Explanation, o diagram.Options) ([]picture, error) {
	// The run is read downwards beside the list of its steps.
	if o.RankDir == diagram.AutoDirection {
		o.RankDir = diagram.TopDown
	}
	var pictures []picture
	tell := o.Tell
	for _, v := range viewsOf(e) {
		p := picture{Name: v.name, Title: v.title, About: v.about}
		o.View = v.view
		o.Tell = func(note string) { p.Omitted = append(p.Omitted, report.Printable(note)) }
		var svg strings.Builder
		err := diagram.SVG(ctx, engine, &svg, e, o)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			// Package diagram lets nothing into an SVG but what draws, and escapes every
			// text: it can stand in a page as it is.
			p.SVG = template.HTML(svg.String())
		} else {
			p.Why, p.Omitted = report.Printable(strings.TrimPrefix(err.Error(), "diagram: ")), nil
		}
		pictures = append(pictures, p)
	}
	if isWhole(pictures) {
		for i := range len(pictures) - 1 {
			pictures[i].Omitted = nil
		}
	}
	if tell != nil {
		tellOmitted(tell, pictures, undrawn(e))
	}
	return pictures, nil
}

// isWhole reports whether the last picture is that of the whole model: then the page
// shows what the others leave out.
func isWhole(pictures []picture) bool {
	last := pictures[len(pictures)-1]
	return last.Name == "whole" && last.Why == ""
}

func tellOmitted(tell func(string), pictures []picture, undrawn []string) {
	for _, p := range pictures {
		if p.Why != "" {
			tell("the page has no picture " + strconv.Quote(p.Title) + ": " + p.Why)
		}
		for _, note := range p.Omitted {
			tell(p.Title + ": " + note)
		}
	}
	for _, note := range undrawn {
		tell(note)
	}
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

// undrawn says which views are not offered for the size of the model.
func undrawn(e *explain.Explanation) []string {
	var notes []string
	m, has := e.Model, map[string]bool{}
	for _, v := range viewsOf(e) {
		has[v.name] = true
	}
	if !has["whole"] {
		notes = append(notes, fmt.Sprintf("the page has no picture of the whole model: it has %d states and %d transitions, and up to %d and %d are drawn",
			m.ReachableStates, m.ReachableTransitions, maxWholeStates, maxWholeTransitions))
	}
	if e.Counterexample != nil && e.Classes != nil && !has["quotient"] {
		notes = append(notes, fmt.Sprintf("the page has no picture of the merged model: it has %d transitions, and up to %d are merged for a page", m.ReachableTransitions, maxMerged))
	}
	return notes
}
