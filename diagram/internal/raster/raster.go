// Package raster draws pictures of package diagram as pixels. It reads only the elements of SVG in
// these pictures (lines, curves, ellipses, polygons, text in one typeface), and draws these
// exactly: general libraries for SVG lose text, dashes or both.
//
// The invariant that holds inside: an unknown element is an error, and never left out of the image;
// and the image depends only on the picture and the scale, not on installed software.
package raster

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"

	"git.sr.ht/~sbinet/gg"

	"github.com/inev-lts/inev/diagram/internal/typeface"
	"github.com/inev-lts/inev/internal/abort"
)

// MaxPixels bounds the size of an image: it takes 250 MB of memory.
const MaxPixels = 50_000_000

// Draw returns a picture as an image with scale pixels for each point (1/72 inch) and at most 256
// colours. It fails if svg is no picture of package diagram, if its image would have more than
// [MaxPixels], and if scale is not above zero. Cost: linear in the picture and the image, 5 bytes a
// pixel.
func Draw(svg io.Reader, scale float64) (_ image.Image, err error) {
	defer abort.Caught(&err)
	if !(scale > 0) {
		fail("a scale of %v is not above zero", scale)
	}
	p := painter{family: typeface.Load(), scale: scale}
	d := xml.NewDecoder(svg)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fail("%w", err)
		}
		p.token(token)
	}
	if p.canvas == nil {
		fail("there is no picture")
	}
	return palettize(p.pixels, p.inks), nil
}

// painter draws the elements of a picture in their order.
type painter struct {
	family *typeface.Family
	scale  float64
	canvas *gg.Context
	pixels *image.RGBA // of the canvas
	inks   []color.RGBA
	marked bool // the canvas is not white everywhere
	// text is the content of the open text element as far as it was read; nil if none is open.
	text  *strings.Builder
	start attributes // of the open text element
}

func (p *painter) token(token xml.Token) {
	switch token := token.(type) {
	case xml.StartElement:
		a := attributes{element: token.Name.Local, values: map[string]string{}}
		for _, attribute := range token.Attr {
			a.values[attribute.Name.Local] = attribute.Value
		}
		p.element(a)
	case xml.CharData:
		if p.text != nil {
			p.text.Write(token)
		}
	case xml.EndElement:
		if token.Name.Local == "text" && p.text != nil {
			p.writing(p.start, p.text.String())
			p.text = nil
		}
	}
}

func (p *painter) element(a attributes) {
	switch {
	case a.element == "svg":
		p.sheet(a)
	case p.canvas == nil:
		fail("a %s stands outside of the picture", a.element)
	case a.element == "title":
	case a.element == "g":
		p.place(a)
	case a.element == "text":
		p.text, p.start = &strings.Builder{}, a
	case slices.Contains([]string{"polygon", "polyline", "path", "ellipse"}, a.element):
		p.shape(a)
	default:
		fail("an element %q is not drawn here", a.element)
	}
}

// fail ends the drawing.
func fail(format string, about ...any) { abort.On(fmt.Errorf("raster: "+format, about...)) }

// sheet creates the image.
func (p *painter) sheet(a attributes) {
	box, err := numbers(a.values["viewBox"])
	if err != nil || len(box) != 4 || !(box[2] > 0 && box[3] > 0) {
		fail("the viewBox %q is not that of a picture", a.values["viewBox"])
	}
	width, height := math.Ceil(box[2]*p.scale), math.Ceil(box[3]*p.scale)
	if width*height > MaxPixels {
		fail("the image would have %.0f × %.0f pixels, more than the %d that are drawn; take a smaller scale, or SVG, which has none",
			width, height, MaxPixels)
	}
	p.pixels = image.NewRGBA(image.Rect(0, 0, int(width), int(height)))
	row := bytes.Repeat([]byte{0xff}, p.pixels.Stride)
	for at := 0; at < len(p.pixels.Pix); at += len(row) {
		copy(p.pixels.Pix[at:], row)
	}
	p.canvas = gg.NewContextForRGBA(p.pixels)
	p.canvas.SetLineCapButt()
	p.canvas.Scale(p.scale, p.scale)
	p.canvas.Translate(-box[0], -box[1])
}

// place applies the translation of a group. Only the outermost group has one, so no group must undo
// it.
func (p *painter) place(a attributes) {
	transform := a.values["transform"]
	if transform == "" {
		return
	}
	var scaleX, scaleY, turn, x, y float64
	n, err := fmt.Sscanf(transform, "scale(%g %g) rotate(%g) translate(%g %g)", &scaleX, &scaleY, &turn, &x, &y)
	if err != nil || n != 5 || turn != 0 {
		fail("the transformation %q is not drawn here", transform)
	}
	p.canvas.Scale(scaleX, scaleY)
	p.canvas.Translate(x, y)
}

// shape draws the inside of an element, then its outline.
func (p *painter) shape(a attributes) {
	p.outline(a)
	defer p.canvas.ClearPath()
	fill, filled := colour(a.get("fill", "black"))
	if filled && (p.marked || fill != paper) { // white fills on white paper would take most of the time
		p.ink(fill)
		p.canvas.FillPreserve()
	}
	stroke, stroked := colour(a.get("stroke", "none"))
	if !stroked {
		return
	}
	line, err := numbers(a.get("stroke-width", "1"))
	if err != nil || len(line) != 1 {
		fail("a line cannot be %q wide", a.values["stroke-width"])
	}
	dashes := abort.Must(numbers(a.values["stroke-dasharray"]))
	for i := range dashes {
		dashes[i] *= p.scale
	}
	p.canvas.SetDash(dashes...)
	p.canvas.SetLineWidth(line[0] * p.scale)
	p.ink(stroke)
	p.canvas.StrokePreserve()
}

// paper is the colour of an empty sheet.
var paper = color.RGBA{0xff, 0xff, 0xff, 0xff}

// ink sets the colour of the next shape.
func (p *painter) ink(c color.RGBA) {
	p.canvas.SetColor(c)
	p.marked = true
	if !slices.Contains(p.inks, c) {
		p.inks = append(p.inks, c)
	}
}

func (p *painter) writing(a attributes, text string) {
	x, err := numbers(a.values["x"])
	y, err2 := numbers(a.values["y"])
	size, err3 := numbers(a.get("font-size", "14"))
	if err := errors.Join(err, err2, err3); err != nil || len(x) != 1 || len(y) != 1 || len(size) != 1 {
		fail("it is not said where the text %q stands", text)
	}
	ink, visible := colour(a.get("fill", "black"))
	if !visible {
		return
	}
	style := typeface.Style{Size: size[0], Bold: a.values["font-weight"] == "bold"}
	at := x[0]
	switch anchor := a.get("text-anchor", "start"); anchor {
	case "middle":
		at -= p.family.Width(text, style) / 2
	case "end":
		at -= p.family.Width(text, style)
	case "start":
	default:
		fail("a text cannot be anchored at %q", anchor)
	}
	p.family.Outline(pen{p.canvas}, text, style, at, y[0])
	p.canvas.SetDash()
	p.ink(ink)
	p.canvas.Fill()
}

// pen draws letters on the canvas.
type pen struct{ *gg.Context }

func (p pen) QuadTo(x1, y1, x, y float64)         { p.QuadraticTo(x1, y1, x, y) }
func (p pen) CubeTo(x1, y1, x2, y2, x, y float64) { p.CubicTo(x1, y1, x2, y2, x, y) }
func (p pen) Close()                              { p.ClosePath() }
