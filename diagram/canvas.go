package diagram

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// canvas writes the elements of an SVG picture, escapes all texts, and records the rightmost point.
type canvas struct {
	b     bytes.Buffer
	right float64
}

// stroke is the style of a line: 1 point wide if width is 0, solid if dash is "".
type stroke struct {
	colour, dash string
	width        float64
}

func (c *canvas) begin(width, height float64, title string) {
	fmt.Fprintf(&c.b, `<svg width="%spt" height="%spt" viewBox="0.00 0.00 %s %s" xmlns="http://www.w3.org/2000/svg" role="graphics-document"><title>%s</title>`,
		points(width), points(height), points(width), points(height), escapeXML.Replace(title))
	c.b.WriteString("\n" + `<g id="diagram" class="diagram chart">`)
}

// group begins a g element; ungroup ends it.
func (c *canvas) group(id, class, title string) {
	fmt.Fprintf(&c.b, "\n"+`<g id="%s" class="%s"><title>%s</title>`, id, class, escapeXML.Replace(title))
}

func (c *canvas) ungroup() { c.b.WriteString("\n</g>") }

// box draws a rectangle, given by its left, its top, its width and its height.
func (c *canvas) box(class, fill, colour string, x, y, width, height float64) {
	c.polygon(class, fill, stroke{colour: colour}, x, y, x+width, y, x+width, y+height, x, y+height)
}

func (c *canvas) polygon(class, fill string, s stroke, at ...float64) {
	fmt.Fprintf(&c.b, "\n"+`<polygon class="%s" fill="%s"%s points="%s"/>`, class, fill, s.attributes(), c.path(append(at, at[0], at[1])))
}

// along draws a line through points as a path element, as Graphviz draws arrows.
func (c *canvas) along(s stroke, at ...float64) {
	text := c.path(at)
	fmt.Fprintf(&c.b, "\n"+`<path fill="none"%s d="M%s"/>`, s.attributes(), strings.Replace(text, " ", "L", 1))
}

func (s stroke) attributes() string {
	text := ` stroke="` + s.colour + `"`
	if s.width > 0 {
		text += ` stroke-width="` + points(s.width) + `"`
	}
	if s.dash != "" {
		text += ` stroke-dasharray="` + s.dash + `"`
	}
	return text
}

func (c *canvas) path(at []float64) string {
	var b strings.Builder
	for i := 0; i+1 < len(at); i += 2 {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(points(at[i]) + "," + points(at[i+1]))
		c.right = max(c.right, at[i])
	}
	return b.String()
}

// lettering is the style of a text.
type lettering struct {
	size   float64
	colour string // "" for black
	bold   bool
	anchor string // "" for the start of the text
}

// text writes a line of text of the given width.
func (c *canvas) text(l lettering, x, y, width float64, text string) {
	anchor, weight, colour := "start", "", ""
	if l.anchor != "" {
		anchor = l.anchor
	}
	switch anchor {
	case "start":
		c.right = max(c.right, x+width)
	case "middle":
		c.right = max(c.right, x+width/2)
	}
	if l.bold {
		weight = ` font-weight="bold"`
	}
	if l.colour != "" {
		colour = ` fill="` + l.colour + `"`
	}
	length := ""
	if width > 0 {
		// textLength makes the browser fit the text into its box, whatever the typeface.
		length = ` textLength="` + points(width) + `" lengthAdjust="spacingAndGlyphs"`
	}
	fmt.Fprintf(&c.b, "\n"+`<text text-anchor="%s" x="%s" y="%s"%s font-family="%s"%s font-size="%s"%s>%s</text>`,
		anchor, points(x), points(y), length, font, weight, points(l.size), colour, escapeXML.Replace(text))
}

// points writes a length in the form that Graphviz uses.
func points(n float64) string { return strconv.FormatFloat(n, 'f', 2, 64) }
