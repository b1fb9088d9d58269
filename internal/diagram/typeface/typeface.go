// Package typeface is the typeface of pictures: Liberation Sans. It is embedded, and its letters
// are as wide as those of Arial and Helvetica. So a layout with it fits any of the three, and
// drawing needs no installed typeface. The width of a text is the sum of the advances with which
// its outline is drawn, so that measured and drawn texts agree.
package typeface

import (
	"unicode"

	"golang.org/x/text/width"
)

//go:generate go test -run Metrics -update

// Style is the size of a text, in points or in any other unit, and its weight.
type Style struct {
	Size float64
	Bold bool
}

// Pen draws outlines. Every contour is closed before the next one begins.
type Pen interface {
	MoveTo(x, y float64)
	LineTo(x, y float64)
	QuadTo(x1, y1, x, y float64)
	CubeTo(x1, y1, x2, y2, x, y float64)
	Close()
}

// Width returns the width of a text on one line, in the unit of the size. Cost
// O(len(text)).
func (f *Family) Width(text string, s Style) float64 {
	total := 0.0
	f.eachGlyph(text, s, func(g glyph) { total = g.at + g.advance })
	return total
}

// glyph is one character of a line, with its position.
type glyph struct {
	r           rune
	index       uint16 // 0 if the typeface does not have the character
	at, advance float64
}

// eachGlyph calls do for the characters of a line, from left to right.
func (f *Family) eachGlyph(text string, s Style, do func(glyph)) {
	face := f.face(s)
	unit := s.Size / float64(face.perEm()) / 64
	at := 0.0
	var last uint16 // the glyph before, 0 if there is none
	for _, r := range text {
		g := glyph{r: r, index: face.index(r)}
		if last != 0 && g.index != 0 {
			if kern, isKerned := face.kern(last, g.index); isKerned {
				at += float64(kern) * unit
			}
		}
		g.at = at
		g.advance = widthWithoutGlyph(r) * s.Size
		if g.index != 0 {
			if advance, isKnown := face.advance(g.index); isKnown {
				g.advance = float64(advance) * unit
			}
		}
		do(g)
		at += g.advance
		last = g.index
	}
}

// widthWithoutGlyph returns the width, in ems, of a character without a glyph: roughly its width in
// other typefaces.
func widthWithoutGlyph(r rune) float64 {
	if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) {
		return 0
	}
	kind := width.LookupRune(r).Kind()
	if kind == width.EastAsianWide || kind == width.EastAsianFullwidth || isSign(r) {
		return 1
	}
	return 0.6
}

// isSign reports whether a character is a sign of pictures that has no glyph and is drawn here.
func isSign(r rune) bool { return r == '↻' || r == '▻' || r == '✓' || r == '✗' }
