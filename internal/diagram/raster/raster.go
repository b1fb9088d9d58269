// Package raster draws pictures of package diagram as pixels. It reads only the elements of SVG
// that these pictures have (lines, curves, ellipses, polygons, text in one typeface), and draws
// them exactly; general libraries for SVG lose text, dashes or both. An unknown element is an
// error, and is never left out of the image. The image depends only on the picture and the scale,
// not on installed software.
package raster

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"git.sr.ht/~sbinet/gg"

	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/diagram/typeface"
)

// MaxPixels is the largest number of pixels of an image. Such an image takes 250 MB of memory.
const MaxPixels = 50_000_000

// Draw returns a picture as an image with scale pixels for each point (1/72 inch) and at most 256
// colours. It fails if svg is no picture of package diagram, if its image would have more than
// [MaxPixels], or if scale is not above zero. Cost: linear in the picture and the image, 5 bytes a
// pixel.
func Draw(svg io.Reader, scale float64) (image.Image, error) {
	if !(scale > 0) {
		return nil, fmt.Errorf("raster: a scale of %v is not above zero", scale)
	}
	p := &painter{family: typeface.Load(), scale: scale}
	decoder := xml.NewDecoder(svg)
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("raster: %w", err)
		}
		if err := p.token(token); err != nil {
			return nil, err
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
	// start has the attributes of the open text element, and text has its content so far; text is nil
	// if no text element is open.
	start attributes
	text  *strings.Builder
}

// token draws the element that a token of the picture completes. A text is complete at the end of its
// element, any other element at its start.
func (p *painter) token(token xml.Token) error {
	switch token := token.(type) {
	case xml.StartElement:
		a := attributes{element: token.Name.Local, values: map[string]string{}}
		for _, attribute := range token.Attr {
			a.values[attribute.Name.Local] = attribute.Value
		}
		if a.element == "text" {
			p.text = &strings.Builder{}
			p.start = a
		}
		return p.element(a)
	case xml.CharData:
		if p.text != nil {
			p.text.Write(token)
		}
	case xml.EndElement:
		if token.Name.Local == "text" && p.text != nil {
			text := p.text.String()
			p.text = nil
			return p.drawText(p.start, text)
		}
	}
	return nil
}

// element draws an element by its attributes. A text element only begins here, see [painter.token].
func (p *painter) element(a attributes) error {
	switch {
	case a.element == "svg":
		return p.openCanvas(a)
	case p.canvas == nil:
		return fmt.Errorf("raster: a %s stands outside of the picture", a.element)
	case a.element == "title", a.element == "text":
		return nil
	case a.element == "g":
		return p.transform(a.values["transform"])
	case slices.Contains([]string{"polygon", "polyline", "path", "ellipse"}, a.element):
		return p.shape(a)
	}
	return fmt.Errorf("raster: an element %q is not drawn here", a.element)
}

// openCanvas makes a white canvas of the size of the picture.
func (p *painter) openCanvas(a attributes) error {
	box, err := viewBoxOf(a)
	if err != nil {
		return err
	}
	width := math.Ceil(box.width * p.scale)
	height := math.Ceil(box.height * p.scale)
	if width*height > MaxPixels {
		return fmt.Errorf("raster: the image would have %.0f × %.0f pixels, more than the %d that are drawn; take a smaller scale, or SVG, which has none",
			width, height, MaxPixels)
	}
	p.pixels = image.NewRGBA(image.Rect(0, 0, int(width), int(height)))
	row := bytes.Repeat([]byte{0xff}, p.pixels.Stride)
	for start := 0; start < len(p.pixels.Pix); start += len(row) {
		copy(p.pixels.Pix[start:], row)
	}
	p.canvas = gg.NewContextForRGBA(p.pixels)
	p.canvas.SetLineCapButt()
	p.canvas.Scale(p.scale, p.scale)
	p.canvas.Translate(-box.left, -box.top)
	return nil
}

// viewBox is the part of the plane that a picture shows.
type viewBox struct{ left, top, width, height float64 }

func viewBoxOf(a attributes) (viewBox, error) {
	text := a.values["viewBox"]
	box, err := numbers(text)
	isBox := err == nil && len(box) == 4 && box[2] > 0 && box[3] > 0
	if !isBox {
		return viewBox{}, fmt.Errorf("raster: the viewBox %q is not that of a picture", text)
	}
	return viewBox{left: box[0], top: box[1], width: box[2], height: box[3]}, nil
}

// transform applies the transformation of a group. It is never undone, since only the outermost group
// has one.
func (p *painter) transform(text string) error {
	if text == "" {
		return nil
	}
	var scaleX, scaleY, rotation, x, y float64
	_, err := fmt.Sscanf(text, "scale(%g %g) rotate(%g) translate(%g %g)", &scaleX, &scaleY,
		&rotation, &x, &y)
	if err != nil || rotation != 0 {
		return fmt.Errorf("raster: the transformation %q is not drawn here", text)
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
	fill, isFilled, err := colour(a.get("fill", "black"))
	if err != nil {
		return err
	}
	isVisible := p.marked || fill != paper // filling white paper with white would take most of the time
	if isFilled && isVisible {
		p.ink(fill)
		p.canvas.FillPreserve()
	}
	stroke, isStroked, err := colour(a.get("stroke", "none"))
	if err != nil || !isStroked {
		return err
	}
	width, err := number(a.get("stroke-width", "1"))
	if err != nil {
		return fmt.Errorf("raster: a line cannot be %q wide", a.values["stroke-width"])
	}
	dashes, err := numbers(a.values["stroke-dasharray"])
	if err != nil {
		return err
	}
	for i := range dashes {
		dashes[i] *= p.scale
	}
	p.canvas.SetDash(dashes...)
	p.canvas.SetLineWidth(width * p.scale)
	p.ink(stroke)
	p.canvas.StrokePreserve()
	return nil
}

// paper is the colour of an empty sheet.
var paper = color.RGBA{
	R: 0xff,
	G: 0xff,
	B: 0xff,
	A: 0xff,
}

// ink sets the colour of the next shape.
func (p *painter) ink(c color.RGBA) {
	p.canvas.SetColor(c)
	p.marked = true
	if !slices.Contains(p.inks, c) {
		p.inks = append(p.inks, c)
	}
}

// drawText draws a text at the position and in the style of its element.
func (p *painter) drawText(a attributes, text string) error {
	x, errX := number(a.values["x"])
	y, errY := number(a.values["y"])
	size, errSize := number(a.get("font-size", "14"))
	if errX != nil || errY != nil || errSize != nil {
		return fmt.Errorf("raster: the text %q has no position", text)
	}
	ink, visible, err := colour(a.get("fill", "black"))
	if err != nil || !visible {
		return err
	}
	style := typeface.Style{Size: size, Bold: a.values["font-weight"] == "bold"}
	left := x
	anchor := a.get("text-anchor", "start")
	switch anchor {
	case "middle":
		left -= p.family.Width(text, style) / 2
	case "end":
		left -= p.family.Width(text, style)
	case "start":
	default:
		return fmt.Errorf("raster: a text cannot be anchored at %q", anchor)
	}
	p.family.Outline(pen{p.canvas}, text, style, left, y)
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

// attributes are the attributes of one element.
type attributes struct {
	element string
	values  map[string]string
}

func (a attributes) get(name, otherwise string) string {
	if value, ok := a.values[name]; ok {
		return value
	}
	return otherwise
}

// number reads a single number.
func number(text string) (float64, error) {
	all, err := numbers(text)
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("raster: %q is not one number", text)
	}
	if err != nil {
		return 0, err
	}
	return all[0], nil
}

// numbers reads numbers between blanks and commas.
func numbers(text string) ([]float64, error) {
	var all []float64
	for _, word := range strings.FieldsFunc(text, func(r rune) bool {
		return r == ' ' || r == ',' || r == '\n'
	}) {
		n, err := strconv.ParseFloat(word, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return nil, fmt.Errorf("raster: %q is not a number", word)
		}
		all = append(all, n)
	}
	return all, nil
}

// colour parses a colour; visible is false if the text means no colour.
func colour(text string) (_ color.RGBA, visible bool, err error) {
	if text == "none" || text == "transparent" {
		return color.RGBA{}, false, nil
	}
	digits := strings.TrimPrefix(text, "#")
	if digits == text {
		digits = hexadecimal(text)
	}
	if len(digits) == 6 {
		if n, err := strconv.ParseUint(digits, 16, 32); err == nil {
			return color.RGBA{
				R: uint8(n >> 16),
				G: uint8(n >> 8),
				B: uint8(n),
				A: 0xff,
			}, true, nil
		}
	}
	return color.RGBA{}, false, fmt.Errorf("raster: %q is not a colour", text)
}

// outline draws the path of an element.
func (p *painter) outline(a attributes) error {
	switch a.element {
	case "path":
		return p.path(a.values["d"])
	case "ellipse":
		values, err := numbers(strings.Join([]string{a.values["cx"], a.values["cy"], a.values["rx"], a.values["ry"]}, " "))
		if err != nil || len(values) != 4 {
			return errors.New("raster: an ellipse has no position")
		}
		p.canvas.DrawEllipse(values[0], values[1], values[2], values[3])
		return nil
	}
	points, err := numbers(a.values["points"])
	if err != nil {
		return err
	}
	if len(points) < 4 || len(points)%2 != 0 {
		return fmt.Errorf("raster: a %s has no points", a.element)
	}
	p.canvas.MoveTo(points[0], points[1])
	for i := 2; i < len(points); i += 2 {
		p.canvas.LineTo(points[i], points[i+1])
	}
	if a.element == "polygon" {
		p.canvas.ClosePath()
		// The library joins each line to the next one, but not the last to the first. Drawing the first
		// line again closes that corner.
		p.canvas.LineTo(points[2], points[3])
	}
	return nil
}

// path draws a path. Graphviz writes only absolute moves, lines and curves.
func (p *painter) path(data string) error {
	for data != "" {
		end := strings.IndexAny(data[1:], "MLCZz") + 1
		if end == 0 {
			end = len(data)
		}
		points, err := numbers(data[1:end])
		if err != nil {
			return err
		}
		if !p.segment(data[0], points) {
			return fmt.Errorf("raster: the path %q is not drawn here", data[:end])
		}
		data = data[end:]
	}
	return nil
}

// segment draws one command of a path with all its points. It returns false if the command is unknown,
// or if the number of coordinates is wrong.
func (p *painter) segment(command byte, coordinates []float64) bool {
	if command == 'Z' || command == 'z' {
		p.canvas.ClosePath()
		return len(coordinates) == 0
	}
	perDrawing := map[byte]int{'M': 2, 'L': 2, 'C': 6}[command] // the coordinates of one move, line or curve
	if perDrawing == 0 || len(coordinates) == 0 || len(coordinates)%perDrawing != 0 {
		return false
	}
	isFirst := true
	for c := range slices.Chunk(coordinates, perDrawing) {
		switch {
		case command == 'C':
			p.canvas.CubicTo(c[0], c[1], c[2], c[3], c[4], c[5])
		case command == 'M' && isFirst:
			p.canvas.MoveTo(c[0], c[1])
		default: // in a command M, only the first point is a move; lines lead to the others
			p.canvas.LineTo(c[0], c[1])
		}
		isFirst = false
	}
	return true
}

// maxColours is the largest number of colours in the palette of a PNG.
const maxColours = 256

// shade is a colour in 15 bits, 5 for each component.
type shade uint16

const shades = 1 << 15

func shadeOf(c color.RGBA) shade { return shade(c.R>>3)<<10 | shade(c.G>>3)<<5 | shade(c.B>>3) }

// colour returns a colour of this shade; the darkest shade is black, the lightest white.
func (s shade) colour() color.RGBA {
	part := func(bits shade) uint8 { return uint8(bits&31<<3 | bits&31>>2) }
	return color.RGBA{
		R: part(s >> 10),
		G: part(s >> 5),
		B: part(s),
		A: 0xff,
	}
}

// palettize returns an image with at most 256 colours: the inks, and the most frequent shades between
// them. A shade replaces all mixtures that differ from it by less than 8 of 255. Rarer mixtures, for
// example where three inks meet, become the nearest colour of the palette.
//
// A picture has few inks, so that it looks the same, and its PNG takes a third of the space and a
// quarter of the time to compress. Cost O(pixels), on all processors.
func palettize(img *image.RGBA, inks []color.RGBA) *image.Paletted {
	palette, index := paletteOf(countShades(img), inks)
	out := image.NewPaletted(img.Rect, palette)
	inBands(img, func(from, to int) {
		indices := out.Pix[from:to]
		pixels := img.Pix[4*from : 4*to]
		for len(pixels) > 0 {
			first, s := firstPixel(pixels)
			run := runLength(first, pixels)
			i := index[s]
			for k := range indices[:run] {
				indices[k] = i
			}
			indices = indices[run:]
			pixels = pixels[4*run:]
		}
	})
	return out
}

// countShades returns the number of pixels of each shade.
func countShades(img *image.RGBA) []int {
	var mu sync.Mutex
	all := make([]int, shades)
	inBands(img, func(from, to int) {
		pixels := img.Pix[4*from : 4*to]
		inBand := make([]int, shades)
		for len(pixels) > 0 {
			first, s := firstPixel(pixels)
			run := runLength(first, pixels)
			inBand[s] += run
			pixels = pixels[4*run:]
		}
		mu.Lock()
		defer mu.Unlock()
		for s, n := range inBand {
			all[s] += n
		}
	})
	return all
}

// inBands splits an image into horizontal bands. It calls do for them in parallel, each time with the
// range of the pixels of a band.
func inBands(img *image.RGBA, do func(from, to int)) {
	var done contained.Group
	pixels := len(img.Pix) / 4
	bands := runtime.GOMAXPROCS(0)
	for i := range bands {
		done.Go(func() { do(pixels*i/bands, pixels*(i+1)/bands) })
	}
	done.Wait()
}

// firstPixel returns the first pixel as a number, and its shade.
func firstPixel(pixels []byte) (uint32, shade) {
	p := binary.LittleEndian.Uint32(pixels)
	return p, shade(p>>3&31<<10 | p>>11&31<<5 | p>>19&31)
}

// runLength returns how many pixels at the beginning equal the first pixel p. It compares two pixels at a
// time while it can.
func runLength(p uint32, pixels []byte) int {
	pair := uint64(p)<<32 | uint64(p)
	at := 4
	for at+8 <= len(pixels) && binary.LittleEndian.Uint64(pixels[at:]) == pair {
		at += 8
	}
	for at+4 <= len(pixels) && binary.LittleEndian.Uint32(pixels[at:]) == p {
		at += 4
	}
	return at / 4
}

// paletteOf returns a palette and, for each shade of the image, its index in the palette. The counts are
// the numbers of pixels of each shade.
func paletteOf(counts []int, inks []color.RGBA) (color.Palette, []uint8) {
	inkOf := map[shade]color.RGBA{} // the first ink of each shade
	for _, ink := range slices.Backward(inks) {
		inkOf[shadeOf(ink)] = ink
	}
	var present []shade
	for s, n := range counts {
		if n > 0 {
			present = append(present, shade(s))
		}
	}
	rank := func(s shade) int { // inks come first
		if _, isInk := inkOf[s]; isInk {
			return 0
		}
		return 1
	}
	slices.SortFunc(present, func(a, b shade) int {
		return cmp.Or(rank(a)-rank(b), counts[b]-counts[a], int(a)-int(b))
	})
	var palette color.Palette
	index := make([]uint8, shades)
	for i, s := range present {
		if i >= maxColours {
			index[s] = uint8(palette.Index(s.colour()))
			continue
		}
		index[s] = uint8(i)
		c, isInk := inkOf[s]
		if !isInk {
			c = s.colour()
		}
		palette = append(palette, c)
	}
	return palette, index
}
