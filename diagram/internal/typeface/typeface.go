// Package typeface is the letters of pictures: Liberation Sans, which comes with
// the program and is as wide as Arial and Helvetica, letter by letter. So a picture
// that is laid out with it fits where one of these three is at hand, and none has
// to be installed for one that is drawn with it.
//
// The invariant that holds inside: the width of a text is the sum of the advances
// with which its outline is drawn, so that what was measured fits what is drawn.
package typeface

import (
	"fmt"
	"unicode"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/width"
)

// Family is the typeface in its two weights. It must not be used by several
// goroutines at once.
type Family struct {
	regular, bold *sfnt.Font
	buffer        sfnt.Buffer
}

// Style says how a text is set: its size in points, or in whatever unit its width
// is to be in, and its weight.
type Style struct {
	Size float64
	Bold bool
}

// Load reads the typeface. It takes well below a millisecond.
func Load() (*Family, error) {
	regular, err := sfnt.Parse(liberationsansregular.TTF)
	if err != nil {
		return nil, fmt.Errorf("typeface: regular: %w", err)
	}
	bold, err := sfnt.Parse(liberationsansbold.TTF)
	if err != nil {
		return nil, fmt.Errorf("typeface: bold: %w", err)
	}
	return &Family{regular: regular, bold: bold}, nil
}

func (f *Family) font(s Style) *sfnt.Font {
	if s.Bold {
		return f.bold
	}
	return f.regular
}

// em is the size at which glyphs are loaded: their own design units.
func em(f *sfnt.Font) fixed.Int26_6 { return fixed.I(int(f.UnitsPerEm())) }

// Width returns the width of a text on one line, in the unit of the size. Cost
// O(len(text)).
func (f *Family) Width(text string, s Style) float64 {
	total := 0.0
	f.each(text, s, func(g glyph) { total = g.at + g.advance })
	return total
}

// glyph is one character on its way into a line.
type glyph struct {
	r           rune
	index       sfnt.GlyphIndex // 0 if the typeface does not have it
	at, advance float64
}

func (f *Family) each(text string, s Style, do func(glyph)) {
	face := f.font(s)
	unit := s.Size / float64(face.UnitsPerEm()) / 64
	at := 0.0
	var last sfnt.GlyphIndex
	for _, r := range text {
		g := glyph{r: r}
		g.index, _ = face.GlyphIndex(&f.buffer, r)
		if kern, err := face.Kern(&f.buffer, last, g.index, em(face), font.HintingNone); err == nil && last != 0 && g.index != 0 {
			at += float64(kern) * unit
		}
		g.at = at
		if advance, err := face.GlyphAdvance(&f.buffer, g.index, em(face), font.HintingNone); err == nil && g.index != 0 {
			g.advance = float64(advance) * unit
		} else {
			g.advance = missing(r) * s.Size
		}
		do(g)
		at, last = at+g.advance, g.index
	}
}

// missing returns the width, in ems, of a character that the typeface does not
// have: what other typefaces give it, roughly.
func missing(r rune) float64 {
	if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) {
		return 0
	}
	if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth || isSign(r) {
		return 1
	}
	return 0.6
}
