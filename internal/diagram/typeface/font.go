//go:build !js

package typeface

import (
	"math"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Family is the typeface in its two weights. It must not be used by several
// goroutines at once.
type Family struct {
	regular, bold trueType
	buffer        sfnt.Buffer
}

// Load reads the typeface. It takes well below a millisecond.
func Load() *Family {
	f := &Family{}
	f.regular, f.bold = trueType{parsed(liberationsansregular.TTF), &f.buffer}, trueType{parsed(liberationsansbold.TTF), &f.buffer}
	return f
}

// parsed reads an embedded font, which is valid.
func parsed(data []byte) *sfnt.Font {
	read, err := sfnt.Parse(data)
	if err != nil {
		panic(err)
	}
	return read
}

func (f *Family) face(s Style) trueType {
	if s.Bold {
		return f.bold
	}
	return f.regular
}

// trueType is a weight with the font that defines it.
type trueType struct {
	*sfnt.Font
	buffer *sfnt.Buffer
}

// em is the size of glyphs when they are loaded: their own design units.
func em(f *sfnt.Font) fixed.Int26_6 { return fixed.I(int(f.UnitsPerEm())) }

// Lengths in this file are in 64ths of the units of the typeface.

func (t trueType) perEm() int { return int(t.UnitsPerEm()) }

// index returns the glyph of a character, 0 if there is none.
func (t trueType) index(r rune) uint16 {
	g, _ := t.GlyphIndex(t.buffer, r)
	return uint16(g)
}

func (t trueType) advance(glyph uint16) (int, bool) {
	length, err := t.GlyphAdvance(t.buffer, sfnt.GlyphIndex(glyph), em(t.Font),
		font.HintingNone)
	return int(length), err == nil
}

func (t trueType) kern(left, right uint16) (int, bool) {
	length, err := t.Kern(t.buffer, sfnt.GlyphIndex(left), sfnt.GlyphIndex(right), em(t.Font),
		font.HintingNone)
	return int(length), err == nil
}

// Outline draws a text on one line that begins at (x, y) on its base line; y grows downwards. The
// non-zero winding rule determines the inside. A character without a glyph becomes an empty box. Cost
// O(len(text)).
func (f *Family) Outline(pen Pen, text string, s Style, x, y float64) {
	face := f.face(s).Font
	scale := s.Size / float64(face.UnitsPerEm()) / 64
	f.each(text, s, func(g glyph) {
		if g.index == 0 && isSign(g.r) {
			drawSign(pen, g.r, x+g.at, y, s.Size)
			return
		}
		segments, err := face.LoadGlyph(&f.buffer, sfnt.GlyphIndex(g.index), em(face), nil)
		if err != nil || g.index == 0 && g.advance == 0 {
			return
		}
		if g.index == 0 {
			box(pen, x+g.at, y, g.advance, s.Size)
			return
		}
		contours(pen, segments, func(p fixed.Point26_6) (float64, float64) {
			return x + g.at + float64(p.X)*scale, y + float64(p.Y)*scale
		})
	})
}

func contours(pen Pen, segments sfnt.Segments, place func(fixed.Point26_6) (float64, float64)) {
	open := false
	for _, s := range segments {
		x, y := place(s.Args[0])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if open {
				pen.Close()
			}
			open = true
			pen.MoveTo(x, y)
		case sfnt.SegmentOpLineTo:
			pen.LineTo(x, y)
		case sfnt.SegmentOpQuadTo:
			x1, y1 := place(s.Args[1])
			pen.QuadTo(x, y, x1, y1)
		case sfnt.SegmentOpCubeTo:
			x1, y1 := place(s.Args[1])
			x2, y2 := place(s.Args[2])
			pen.CubeTo(x, y, x1, y1, x2, y2)
		}
	}
	if open {
		pen.Close()
	}
}

// box draws the frame that replaces a character without a glyph.
func box(pen Pen, x, y, advance, size float64) {
	line := size / 14
	left := x + line
	right := x + advance - line
	top := y - 0.7*size
	polygon(pen, left, y, left, top, right, top, right, y)
	// The inner contour has the opposite direction, so that the inside stays empty.
	left += line
	right -= line
	top += line
	bottom := y - line
	polygon(pen, left, bottom, right, bottom, right, top, left, top)
}

func polygon(pen Pen, points ...float64) {
	pen.MoveTo(points[0], points[1])
	for i := 2; i < len(points); i += 2 {
		pen.LineTo(points[i], points[i+1])
	}
	pen.Close()
}

// drawSign draws a sign into a box of one em above (x, y).
func drawSign(pen Pen, r rune, x, y, size float64) {
	at := func(points ...float64) []float64 {
		for i := 0; i < len(points); i += 2 {
			points[i], points[i+1] = x+points[i]*size, y-points[i+1]*size
		}
		return points
	}
	switch r {
	case '↻':
		turn(pen, x+0.5*size, y-0.36*size, size)
	case '▻':
		polygon(pen, at(0.08, 0.02, 0.08, 0.7, 0.92, 0.36)...)
		polygon(pen, at(0.16, 0.13, 0.74, 0.36, 0.16, 0.59)...)
	case '✓':
		polygon(pen, at(0.1, 0.36, 0.2, 0.42, 0.36, 0.2, 0.8, 0.74, 0.88, 0.68, 0.37, 0.02)...)
	case '✗':
		polygon(pen, at(0.16, 0.08, 0.76, 0.72, 0.86, 0.64, 0.26, 0)...)
		polygon(pen, at(0.76, 0, 0.16, 0.64, 0.26, 0.72, 0.86, 0.08)...)
	}
}

// turn draws a clockwise round arrow, open at the upper right.
func turn(pen Pen, x, y, size float64) {
	const steps, from, to = 24, -20.0, -310.0 // degrees, anticlockwise from the right
	outer, inner := 0.36*size, 0.27*size
	point := func(radius, degrees float64) (float64, float64) {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		return x + radius*cos, y - radius*sin
	}
	var arc []float64
	for i := range steps + 1 {
		px, py := point(outer, from+(to-from)*float64(i)/steps)
		arc = append(arc, px, py)
	}
	for i := range steps + 1 {
		px, py := point(inner, to+(from-to)*float64(i)/steps)
		arc = append(arc, px, py)
	}
	polygon(pen, arc...)
	// The arrowhead is at the end of the arc and continues its direction.
	cx, cy := point((outer+inner)/2, to)
	sin, cos := math.Sincos((to - 90) * math.Pi / 180)
	tip, half := 0.24*size, 0.2*size
	polygon(pen, cx+tip*cos, cy-tip*sin, cx+half*sin, cy+half*cos, cx-half*sin, cy-half*cos)
}
