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
)

// MaxPixels bounds the size of an image: it takes 250 MB of memory.
const MaxPixels = 50_000_000

// Draw returns a picture as an image with scale pixels for each point (1/72 inch) and at most 256
// colours. It fails if svg is no picture of package diagram, if its image would have more than
// [MaxPixels], and if scale is not above zero. Cost: linear in the picture and the image, 5 bytes a
// pixel.
func Draw(svg io.Reader, scale float64) (image.Image, error) {
	if !(scale > 0) {
		return nil, fmt.Errorf("raster: a scale of %v is not above zero", scale)
	}
	p := painter{family: typeface.Load(), scale: scale}
	d := xml.NewDecoder(svg)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("raster: %w", err)
		}
		if err := p.token(token); err != nil {
			return nil, fmt.Errorf("raster: %w", err)
		}
	}
	if p.canvas == nil {
		return nil, errors.New("raster: there is no picture")
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

func (p *painter) token(token xml.Token) error {
	switch token := token.(type) {
	case xml.StartElement:
		a := attributes{element: token.Name.Local, values: map[string]string{}}
		for _, attribute := range token.Attr {
			a.values[attribute.Name.Local] = attribute.Value
		}
		return p.element(a)
	case xml.CharData:
		if p.text != nil {
			p.text.Write(token)
		}
	case xml.EndElement:
		if token.Name.Local == "text" && p.text != nil {
			err := p.writing(p.start, p.text.String())
			p.text = nil
			return err
		}
	}
	return nil
}

func (p *painter) element(a attributes) error {
	if a.element == "svg" {
		return p.sheet(a)
	}
	if p.canvas == nil {
		return fmt.Errorf("a %s stands outside of the picture", a.element)
	}
	switch a.element {
	case "title":
		return nil
	case "g":
		return p.place(a)
	case "text":
		p.text, p.start = &strings.Builder{}, a
		return nil
	case "polygon", "polyline", "path", "ellipse":
		return p.shape(a)
	}
	return fmt.Errorf("an element %q is not drawn here", a.element)
}

// sheet creates the image.
func (p *painter) sheet(a attributes) error {
	box, err := numbers(a.values["viewBox"])
	if err != nil || len(box) != 4 || !(box[2] > 0 && box[3] > 0) {
		return fmt.Errorf("the viewBox %q is not that of a picture", a.values["viewBox"])
	}
	width, height := math.Ceil(box[2]*p.scale), math.Ceil(box[3]*p.scale)
	if width*height > MaxPixels {
		return fmt.Errorf("the image would have %.0f × %.0f pixels, more than the %d that are drawn; take a smaller scale, or SVG, which has none",
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
	return nil
}

// place applies the translation of a group. Only the outermost group has one, so no group must undo
// it.
func (p *painter) place(a attributes) error {
	transform := a.values["transform"]
	if transform == "" {
		return nil
	}
	var scaleX, scaleY, turn, x, y float64
	n, err := fmt.Sscanf(transform, "scale(%g %g) rotate(%g) translate(%g %g)", &scaleX, &scaleY, &turn, &x, &y)
	if err != nil || n != 5 || turn != 0 {
		return fmt.Errorf("the transformation %q is not drawn here", transform)
	}
	p.canvas.Scale(scaleX, scaleY)
	p.canvas.Translate(x, y)
	return nil
}

// shape draws the inside of an element, then its outline.
func (p *painter) shape(a attributes) error {
	if err := p.outline(a); err != nil {
		return err
	}
	defer p.canvas.ClearPath()
	fill, filled, err := colour(a.get("fill", "black"))
	if err != nil {
		return err
	}
	if filled && (p.marked || fill != paper) { // white fills on white paper would take most of the time
		p.ink(fill)
		p.canvas.FillPreserve()
	}
	stroke, stroked, err := colour(a.get("stroke", "none"))
	if err != nil || !stroked {
		return err
	}
	line, err := numbers(a.get("stroke-width", "1"))
	if err != nil || len(line) != 1 {
		return fmt.Errorf("a line cannot be %q wide", a.values["stroke-width"])
	}
	dashes, err := numbers(a.values["stroke-dasharray"])
	if err != nil {
		return err
	}
	for i := range dashes {
		dashes[i] *= p.scale
	}
	p.canvas.SetDash(dashes...)
	p.canvas.SetLineWidth(line[0] * p.scale)
	p.ink(stroke)
	p.canvas.StrokePreserve()
	return nil
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

func (p *painter) writing(a attributes, text string) error {
	x, err := numbers(a.values["x"])
	y, err2 := numbers(a.values["y"])
	size, err3 := numbers(a.get("font-size", "14"))
	if err := errors.Join(err, err2, err3); err != nil || len(x) != 1 || len(y) != 1 || len(size) != 1 {
		return fmt.Errorf("it is not said where the text %q stands", text)
	}
	ink, visible, err := colour(a.get("fill", "black"))
	if err != nil || !visible {
		return err
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
		return fmt.Errorf("a text cannot be anchored at %q", anchor)
	}
	p.family.Outline(pen{p.canvas}, text, style, at, y[0])
	p.canvas.SetDash()
	p.ink(ink)
	p.canvas.Fill()
	return nil
}

// pen draws letters on the canvas.
type pen struct{ *gg.Context }

func (p pen) QuadTo(x1, y1, x, y float64)         { p.QuadraticTo(x1, y1, x, y) }
func (p pen) CubeTo(x1, y1, x2, y2, x, y float64) { p.CubicTo(x1, y1, x2, y2, x, y) }
func (p pen) Close()                              { p.ClosePath() }
