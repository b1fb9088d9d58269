//go:build !js

package typeface

import (
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

func (f *Family) font(s Style) trueType {
	if s.Bold {
		return f.bold
	}
	return f.regular
}

func (f *Family) face(s Style) face { return f.font(s) }

// trueType is a weight as its font has it.
type trueType struct {
	*sfnt.Font
	buffer *sfnt.Buffer
}

// em is the size of glyphs when they are loaded: their own design units.
func em(f *sfnt.Font) fixed.Int26_6 { return fixed.I(int(f.UnitsPerEm())) }

func (t trueType) perEm() int { return int(t.UnitsPerEm()) }

func (t trueType) index(r rune) uint16 {
	g, _ := t.GlyphIndex(t.buffer, r)
	return uint16(g)
}

func (t trueType) advance(glyph uint16) (int, bool) {
	length, err := t.GlyphAdvance(t.buffer, sfnt.GlyphIndex(glyph), em(t.Font), font.HintingNone)
	return int(length), err == nil
}

func (t trueType) kern(left, right uint16) (int, bool) {
	length, err := t.Kern(t.buffer, sfnt.GlyphIndex(left), sfnt.GlyphIndex(right), em(t.Font), font.HintingNone)
	return int(length), err == nil
}
