// Package diagram draws what an explanation found: the counterexample and its decisions, the
// neighbourhoods, the classes of states that mean the same for the property, or the whole model, as a
// graph in the DOT language of Graphviz, as SVG or as PNG.
//
// Graphviz need not be installed: a build of it in WebAssembly is a part of the package, and runs in a sandbox
// without files, clock or network. The first picture of a program takes about 0.15 s more than the next.
//
// # Identifiers and classes, for programs
//
// In DOT and SVG, each element has an identifier (id) and classes (class). In SVG it is a g
// element, and its title describes it in words. N is the name of a state: its number, or
// state·progress if the model is unfolded; in a quotient, the name of the first of the merged
// states. K counts from 1. Classes in brackets occur only if they apply.
//
//	state-N       class state, [initial, deadlock, on-run, merged, inside with first-3 last-7 …
//	              (steps of the counterexample from one merged state to another),
//	              decision with could-be-saved, could-stay-open or lost-here (a decision of
//	              the counterexample, a hexagon), neighbourhood with the name of its kind
//	              (off the counterexample)]
//	transition-K  class transition, the name of its class or unclassified, from-N, to-N,
//	              [bundle (it represents several transitions, parallel or consecutive),
//	              on-run with step-1 step-5 … (the counterexample takes it by these
//	              steps), loop (one of these steps is on the loop), no-return,
//	              better (a better choice than the step of the counterexample), never (it
//	              must not be taken), correct-run (the nearest correct run takes it),
//	              of-new, of-old (where two versions part, one of them takes it);
//	              instead of more than 200 step classes: gap, first-3 and last-999]
//	gap-K         steps of the counterexample that are not shown: class gap, on-run,
//	              from-N, to-N, first-3 and last-7 (their numbers), [loop]
//	stub-K        hidden transitions of a state, with the arrow stub-arrow-K: class stub,
//	              out and from-N
//	ahead-K       the distance to the nearest transition that the run waits for, with the
//	              arrow ahead-arrow-K: class ahead, and from-N
//	end-K         in a view of neighbourhoods, an end: class end, with satisfied, violated,
//	              deadlock, endless or elsewhere; arrows to it have the class to-end-K
//	start, entry  the arrow to the initial state: class start or entry
//	legend        in SVG, the legend: class legend
//	diagram       everything: class diagram
//
// In a sequence chart there are:
//
//	lane-K        the head of a lane: class lane, and where it is none: elsewhere
//	event-K       steps: class edge, transition, on-run, action, message, sending or receipt,
//	              step-1, [loop, no-return]; or gap, first-3 and last-7
//	wire-K        the arrow of event K to its receipt: class wire, and the steps of both
//	loop, ending  the frame of the loop, and the end of the run
//
// In a picture of arguments, K is the number of the node or link among all:
//
//	claim-K       a claim: class claim, and holds or fails
//	state-K       a state of a run: class state, on-run
//	layer-K       states in which runs are after so many steps: class layer
//	stub-K        claims or layers that are not shown: class stub
//	link-K        class argues (from a claim to its run or layers), needs (to a claim from
//	              which it follows), transition and on-run, or gap
//
// In the views of neighbourhoods and quotients an arrow of the counterexample has the numbers of all
// steps that it represents. If the steps of a loop have no arrow of their own, their numbers are on
// the arrow that begins the loop.
//
// # Invariants
//
// The invariants that hold inside: what is left out of a picture is counted in it; texts of labels,
// file names and formulas never become syntax; an SVG has no scripts, links or addresses; and the same
// explanation gives the same bytes.
package diagram

import (
	"cmp"
	"context"
	"io"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/required"
)

// View is the part of the reachable model that a picture shows, and its form.
type View string

// The views.
const (
	Auto           View = ""               // Whole for a small model, Quotient for a long run, otherwise Excerpt
	Whole          View = "whole"          // every state and every transition
	Excerpt        View = "excerpt"        // the counterexample and its decisions, or what surrounds the initial state
	Neighbourhoods View = "neighbourhoods" // the neighbourhoods, and the paths between them
	Quotient       View = "quotient"       // states that mean the same for the property are one
	Diff           View = "diff"           // the counterexample and the nearest correct run
)

// Options control what a picture shows. The zero value is the default.
type Options struct {
	View View
	// MaxStates is the largest number of reachable states of a model that Auto shows as a whole; 0
	// means 200. In Neighbourhoods it is the largest number of neighbourhoods; 0 means 25.
	MaxStates int
	// Full shows everything, even if there is no room for it: all labels of an arrow, and all
	// transitions of an excerpt.
	Full bool
	// Advice marks the transitions that must never be taken if the property is to hold.
	Advice bool
	// Title is a sentence for the caption, such as [github.com/inev-lts/inev/report.Diagnosis]; ""
	// leaves it out.
	Title string
	// NoLegend leaves out the legend.
	NoLegend bool
}

// DOT writes a picture of e in the DOT language. It fails if ctx is done, if there is no such view,
// or if the whole of a model with more than 100,000 transitions is requested. It also fails if the
// view needs neighbourhoods and e is the result of [explain.Check], which has none. Cost:
// O(transitions shown), for the quotient O(T log T).
func DOT(ctx context.Context, w io.Writer, e *explain.Explanation, o Options) error {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("w", w),
		required.Argument("e", e),
	); err != nil {
		return err
	}
	g, err := o.graph(ctx, e)
	if err != nil {
		return err
	}
	return draw.DOT(w, g, draw.Options{NoLegend: o.NoLegend})
}

// SVG writes a picture of e, as [DOT] does, laid out by Graphviz. It also fails if the layout would be
// too much work; it finds that out before the layout begins. Cost: about 0.15 s for 500 states; the
// time grows much faster than linearly.
func SVG(ctx context.Context, w io.Writer, e *explain.Explanation, o Options) error {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("w", w),
		required.Argument("e", e),
	); err != nil {
		return err
	}
	return o.layOut(ctx, w, e, draw.SVG)
}

// PNG writes a picture of e, as [SVG] does, with two pixels for each point.
func PNG(ctx context.Context, w io.Writer, e *explain.Explanation, o Options) error {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("w", w),
		required.Argument("e", e),
	); err != nil {
		return err
	}
	return o.layOut(ctx, w, e, draw.PNG)
}

// layOut writes a picture that Graphviz lays out.
func (o Options) layOut(
	ctx context.Context,
	w io.Writer,
	e *explain.Explanation,
	write func(context.Context, draw.Engine, io.Writer, view.Drawing, draw.Options) error,
) error {
	g, err := o.graph(ctx, e)
	if err != nil {
		return err
	}
	engine := graphviz.New(1, "")
	defer engine.Close()
	return write(ctx, engine, w, g, draw.Options{NoLegend: o.NoLegend})
}

// graph returns the graph that the options ask for.
func (o Options) graph(ctx context.Context, e *explain.Explanation) (*view.Graph, error) {
	shown := view.Options{
		MaxStates: o.MaxStates,
		Full:      o.Full,
		Advice:    o.Advice,
	}
	if o.View != Auto {
		if err := shown.Kind.Set(string(o.View)); err != nil {
			return nil, err
		}
	}
	g, err := view.Of(ctx, e, shown)
	if err != nil {
		return nil, err
	}
	if o.Title == "" {
		return g, nil
	}
	return g.Diagnosed(o.Title), nil
}
