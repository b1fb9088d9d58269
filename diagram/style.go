package diagram

import (
	"math"

	"github.com/inev-lts/inev/neighbourhood"
)

// The colours of classes are from the palette of Okabe and Ito (Color Universal
// Design, 2008), which people with any of the common colour deficiencies tell
// apart; on paper without colours, lines and arrowheads do.
const (
	blue       = "#0072B2"
	vermillion = "#D55E00"
	grey       = "#555555"
	black      = "#000000"
	paleBlue   = "#CFE5F2"
	paleOrange = "#FBDCC4"
	paleYellow = "#FFF4B8"
	paleGrey   = "#E4E4E4"
)

// Widths of lines, in points.
const (
	thin  = 1
	bold  = 2.2 // the initial state, and the states of the counterexample
	thick = 2.8 // the transitions of the counterexample
)

// font is a list, of which a renderer takes the first that it has.
const font = "Helvetica,Arial,sans-serif"

// DefaultFontSize is what a FontSize of 0 stands for.
const DefaultFontSize = 10

// sizes are those of writing, in points.
type sizes struct{ label, state, stub, caption, legend float64 }

func sizesOf(o Options) sizes {
	label := o.FontSize
	if label <= 0 {
		label = DefaultFontSize
	}
	in := func(proportion float64) float64 { return math.Round(proportion*label*10) / 10 }
	return sizes{label: label, state: in(1.1), stub: in(0.9), caption: in(1.4), legend: in(1)}
}

// lineStyle is how the transitions of a class are drawn; sign is the character
// that looks like the arrowhead.
type lineStyle struct {
	colour, line, arrowhead, sign string
}

// openHead is the arrowhead of two lines.
const openHead = "vee"

func (p *picture) styleOf(class neighbourhood.Class) lineStyle {
	if !p.classified {
		return lineStyle{black, "solid", "normal", "►"}
	}
	switch class {
	case neighbourhood.Correct:
		return lineStyle{blue, "solid", "empty", "▻"}
	case neighbourhood.Incorrect:
		return lineStyle{vermillion, "dashed", "normal", "►"}
	}
	return lineStyle{grey, "solid", openHead, ">"}
}

// fillOf returns the colour inside a neighbourhood of this kind.
func fillOf(kind neighbourhood.Kind) string {
	switch kind {
	case neighbourhood.CorrectChoice:
		return paleBlue
	case neighbourhood.IncorrectChoice:
		return paleOrange
	case neighbourhood.Mixed:
		return paleYellow
	}
	return paleGrey
}
