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
	f.regular = trueType{parsed(liberationsansregular.TTF), &f.buffer}
	f.bold = trueType{parsed(liberationsansbold.TTF), &f.buffer}
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

// trueType is the regular or the bold font of a family. Both share the buffer of the family.
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
	f.eachGlyph(text, s, func(g glyph) {
		isMissing := g.index == 0
		if isMissing && isSign(g.r) {
			drawSign(pen, g.r, x+g.at, y, s.Size)
			return
		}
		segments, err := face.LoadGlyph(&f.buffer, sfnt.GlyphIndex(g.index), em(face), nil)
		isInvisible := isMissing && g.advance == 0
		if err != nil || isInvisible {
			return
		}
		if isMissing {
			drawBox(pen, x+g.at, y, g.advance, s.Size)
			return
		}
		drawContours(pen, segments, func(p fixed.Point26_6) (float64, float64) {
			return x + g.at + float64(p.X)*scale, y + float64(p.Y)*scale
		})
	})
}

// drawContours draws the segments of a glyph; place returns where a point of the glyph lies in the
// picture.
func drawContours(pen Pen, segments sfnt.Segments, place func(fixed.Point26_6) (float64, float64)) {
	isOpen := false
	for _, s := range segments {
		x, y := place(s.Args[0])
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if isOpen {
				pen.Close()
			}
			isOpen = true
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
	if isOpen {
		pen.Close()
	}
}

// drawBox draws the frame that replaces a character without a glyph. The character stands on its base
// line at (x, y).
func drawBox(pen Pen, x, y, advance, size float64) {
	line := size / 14 // the width of a line of the frame
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

// polygon draws a polygon by the coordinates x and y of its corners.
func polygon(pen Pen, points ...float64) {
	pen.MoveTo(points[0], points[1])
	for i := 2; i < len(points); i += 2 {
		pen.LineTo(points[i], points[i+1])
	}
	pen.Close()
}

// drawSign draws a sign into a box of one em above (x, y).
func drawSign(pen Pen, r rune, x, y, size float64) {
	// inBox turns coordinates in ems, upwards from (x, y), into those of the picture.
	inBox := func(ems ...float64) []float64 {
		var points []float64
		for i := 0; i < len(ems); i += 2 {
			points = append(points, x+ems[i]*size, y-ems[i+1]*size)
		}
		return points
	}
	switch r {
	case '↻':
		drawRoundArrow(pen, x+0.5*size, y-0.36*size, size)
	case '▻':
		polygon(pen, inBox(0.08, 0.02, 0.08, 0.7, 0.92, 0.36)...)
		polygon(pen, inBox(0.16, 0.13, 0.74, 0.36, 0.16, 0.59)...)
	case '✓':
		polygon(pen, inBox(0.1, 0.36, 0.2, 0.42, 0.36, 0.2, 0.8, 0.74, 0.88, 0.68, 0.37, 0.02)...)
	case '✗':
		polygon(pen, inBox(0.16, 0.08, 0.76, 0.72, 0.86, 0.64, 0.26, 0)...)
		polygon(pen, inBox(0.76, 0, 0.16, 0.64, 0.26, 0.72, 0.86, 0.08)...)
	}
}

// drawRoundArrow draws a clockwise round arrow around (x, y), open at the upper right.
func drawRoundArrow(pen Pen, x, y, size float64) {
	const begin, end = -20.0, -310.0 // angles of the arc in degrees, anticlockwise from the right
	const steps = 24                 // an arc is drawn as that many lines
	outer := 0.36 * size
	inner := 0.27 * size
	point := func(radius, degrees float64) (float64, float64) {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		return x + radius*cos, y - radius*sin
	}
	var arc []float64 // along the outer radius, and back along the inner one
	for i := range steps + 1 {
		px, py := point(outer, begin+(end-begin)*float64(i)/steps)
		arc = append(arc, px, py)
	}
	for i := range steps + 1 {
		px, py := point(inner, end+(begin-end)*float64(i)/steps)
		arc = append(arc, px, py)
	}
	polygon(pen, arc...)
	// The arrowhead is at the end of the arc and continues its direction.
	headX, headY := point((outer+inner)/2, end)
	sin, cos := math.Sincos((end - 90) * math.Pi / 180)
	length := 0.24 * size
	halfWidth := 0.2 * size
	polygon(pen,
		headX+length*cos, headY-length*sin,
		headX+halfWidth*sin, headY+halfWidth*cos,
		headX-halfWidth*sin, headY-halfWidth*cos)
}
