package diagram

import (
	"math"

	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/neighbourhood"
)

// The colours of classes are from the palette of Okabe and Ito (Color Universal
// Design, 2008): people with any of the common colour deficiencies can
// distinguish them. On paper without colours, the forms of lines and arrowheads
// distinguish classes.
const (
	blue       = "#0072B2"
	vermillion = "#D55E00"
	grey       = "#555555"
	black      = "#000000"
	white      = "#FFFFFF"
	// On paper without colours, these fills are three different greys.
	paleBlue   = "#DCEEF8"
	paleOrange = "#F0A070"
	paleYellow = "#F0D060"
	paleRed    = "#FBDCC4" // the background of a sign
)

// Widths of lines, in points.
const (
	fine  = 0.7 // neutral transitions
	thin  = 1
	firm  = 1.8 // correct transitions
	bold  = 2.2 // the initial state, and the states of the counterexample
	thick = 2.8 // the transitions of the counterexample
)

// font is a list of typefaces; a renderer uses the first that it has.
const font = "Helvetica,Arial,sans-serif"

// defaultFontSize is the size if FontSize is 0.
const defaultFontSize = 10

// defaultScale is the scale if Scale is 0: 144 pixels an inch, sharp on most screens.
const defaultScale = 2

// sizes are the sizes of texts, in points.
type sizes struct{ label, state, stub, caption, legend float64 }

func sizesOf(o Options) sizes {
	label := o.FontSize
	if label <= 0 {
		label = defaultFontSize
	}
	in := func(proportion float64) float64 { return math.Round(proportion*label*10) / 10 }
	return sizes{label: label, state: in(1.1), stub: in(0.9), caption: in(1.2), legend: in(0.8)}
}

// lineStyle is the style of the transitions of a class. head is a character that resembles the
// arrowhead.
type lineStyle struct {
	colour, line, arrowhead, head string
	width                         float64 // in points
}

// openHead is Graphviz' name for an arrowhead of two lines.
const openHead = "vee"

func styleOf(p *view.Graph, class neighbourhood.Class) lineStyle {
	if !p.Classified {
		return lineStyle{black, "solid", "normal", "►", thin}
	}
	switch class {
	case neighbourhood.Correct:
		return lineStyle{blue, "solid", "empty", "▻", firm}
	case neighbourhood.Incorrect:
		return lineStyle{vermillion, "dashed", "normal", "►", thin}
	case neighbourhood.Excluded:
		return lineStyle{grey, "dotted", openHead, ">", fine}
	}
	return lineStyle{grey, "solid", openHead, ">", fine}
}

// fillOf returns the colour inside a decision, or a neighbourhood off the run.
func fillOf(n view.Node) string {
	switch {
	case n.Turn == view.CouldBeSaved, n.Turn == view.NoTurn && n.Kind == neighbourhood.CorrectChoice:
		return paleBlue
	case n.Turn == view.LostHere, n.Turn == view.NoTurn && n.Kind == neighbourhood.IncorrectChoice:
		return paleOrange
	}
	return paleYellow
}
