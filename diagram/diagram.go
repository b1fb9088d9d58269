// Package diagram draws the graphs of package view: in the DOT language of Graphviz, as SVG
// and as PNG, and as a flowchart in the language of Mermaid.
//
// The data flows one way: a [view.Graph] is drawn as DOT (dot.go, identity.go, ends.go, legend.go,
// style.go, escape.go); DOT is laid out as SVG (svg.go; crowded.go refuses what is too much work,
// labels.go moves labels that arrows cross); and the PNG is made of the SVG (pixels.go). A flowchart
// in Mermaid is drawn from the graph alone (mermaid.go). A [view.Chart], a sequence chart, is laid
// out here (sheet.go, chart_events.go, canvas.go), or written for Mermaid (chart_mermaid.go). A
// [view.Argument] is drawn as DOT and laid out like a graph (argument.go). Nothing here knows of
// models, or computes anything about them.
//
// # Identifiers and classes, for programs
//
// In DOT and SVG, each element has an identifier (id) and classes (class). In SVG it is a g
// element, and its title describes it in words. N is the name of a state: its number, or
// state·progress if the model is unfolded; in a quotient, the name of the first of the merged
// states. K counts from 1. Classes in brackets occur only if they apply.
//
//	state-N       class state, [initial, deadlock, on-run, merged,
//	              decision with could-be-saved, could-stay-open or lost-here (a decision of
//	              the counterexample, a hexagon), neighbourhood with the name of its kind
//	              (off the counterexample)]
//	transition-K  class transition, the name of its class or unclassified, from-N, to-N,
//	              [bundle (it stands for several transitions, parallel or consecutive),
//	              on-run with step-1 step-5 … (the counterexample takes it by these
//	              steps), loop (one of these steps is on the loop), no-return,
//	              better (a better choice than the step of the counterexample), never (it
//	              must not be taken), correct-run (the nearest correct run takes it);
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
// steps for which it stands. If the steps of a loop have no arrow of their own, their numbers are on
// the arrow that begins the loop.
//
// # Invariants
//
// The invariants that hold inside: all elements of a graph are in its picture; texts of labels, file
// names and formulas never become syntax of the output; an SVG has no scripts, links, styles or
// addresses; and the same input gives the same bytes.
package diagram

import (
	"cmp"
	"fmt"
	"time"
)

// Options are the settings of drawing. The zero value is the default.
type Options struct {
	RankDir RankDir
	// NoLegend leaves out the legend.
	NoLegend bool
	// NoCaption leaves out legend and caption. The SVG keeps its title, which is text for programs
	// and screen readers.
	NoCaption bool
	// FontSize is the size of transition labels in points; all other text is scaled with it. 0
	// means 10.
	FontSize float64
	// Layout is the name of one of Graphviz' layouts; "" means dot.
	Layout string
	// Limit bounds the time for the layout of SVG and PNG; 0 means that only the context bounds it.
	// No layout depends on Limit: a picture that would take too much work is refused before.
	Limit time.Duration
	// Scale is the number of pixels for each point (1/72 inch) in a PNG; 0 means 2.
	Scale float64
}

// WithDefaults returns the options with defaults for the sizes that are 0.
func (o Options) WithDefaults() Options {
	o.FontSize, o.Scale = cmp.Or(o.FontSize, defaultFontSize), cmp.Or(o.Scale, defaultScale)
	return o
}

// RankDir is the direction of transitions on the page, by Graphviz' name: "TB" for down, "LR" for
// right, "" for the direction that suits the picture.
type RankDir string

const (
	autoDirection RankDir = ""
	topDown       RankDir = "TB"
	leftRight     RankDir = "LR"
)

// Set sets the direction by its name: TB, LR or auto.
func (d *RankDir) Set(name string) error {
	switch to := RankDir(name); to {
	case "auto":
		*d = autoDirection
		return nil
	case topDown, leftRight:
		*d = to
		return nil
	}
	return fmt.Errorf("there is no direction %q; choose auto, TB or LR", name)
}
