package diagram

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/diagram/internal/typeface"
	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/printable"
)

// laidOut returns a graph, laid out by engine, as SVG. It ends with errCrowded if the layout is too
// much work and an excerpt can be drawn instead.
func laidOut(ctx context.Context, engine Engine, p *view.Graph, o Options) []byte {
	abort.On(crowded(p, o.Layout))
	drawn, err := rendered(ctx, engine, draw(p, o).String(), title(p), o)
	if errors.Is(err, errLimit) {
		err = fmt.Errorf("diagram: a picture of %s and %s: %w; choose the excerpt, which is small whatever the size of the model",
			printable.Quantity(len(p.Nodes), "state"), printable.Quantity(len(p.Arrows), "arrow"), err)
	}
	return abort.Must(drawn, err)
}

// title describes in one line what a picture shows.
func title(p *view.Graph) string {
	return oneLine(p.Caption, captionLines(p))
}

// oneLine joins the lines of a caption; the diagnosis is not folded in it.
func oneLine(c view.Caption, lines []string) string {
	if n := len(folded(c.Diagnosis, maxDiagnosisLine)); n > 1 {
		lines = append([]string{c.Diagnosis}, lines[n:]...)
	}
	for i, line := range lines {
		lines[i] = printable.Cut(line, maxTooltipText)
	}
	return strings.Join(lines, "; ")
}

// The allowed elements and attributes. Any other one in the SVG of Graphviz is an error, so that no
// label can bring elements into the picture through a fault of Graphviz.
var (
	svgElements   = []string{"svg", "g", "title", "text", "path", "polygon", "polyline", "ellipse"}
	svgAttributes = []string{
		"width", "height", "viewBox", "xmlns", "id", "class", "transform", "fill", "stroke", "stroke-width",
		"stroke-dasharray", "stroke-opacity", "fill-opacity", "points", "d", "cx", "cy", "rx", "ry", "x", "y",
		"text-anchor", "font-family", "font-weight", "font-style", "font-size", "text-decoration",
	}
)

// clean rewrites Graphviz' SVG: without comments, links and the document type (which has an
// address), and with titles that describe elements for people, including those with screen readers.
func clean(drawn []byte, title string) (_ []byte, err error) {
	defer abort.Caught(&err)
	tokens := tokensOf(drawn)
	tooltips := map[string]string{}
	for _, t := range tokens {
		if start, is := t.(xml.StartElement); is && start.Name.Local == "a" {
			tooltips[attribute(start, "id")] = attribute(start, "title")
		}
	}
	family := typeface.Load()
	moves, grows := placed(tokens, family)
	c := cleaner{title: title, tooltips: tooltips, moves: moves, grows: grows, family: family}
	c.out.Grow(len(drawn))
	for _, t := range tokens {
		c.token(t)
	}
	c.out.WriteString("\n")
	return c.out.Bytes(), nil
}

// tokensOf returns the elements of Graphviz' SVG, and the texts that are drawn. Graphviz puts a link around
// an element with a tooltip, and the identifier on a group around the link; tokensOf puts the identifier on
// the link.
func tokensOf(drawn []byte) []xml.Token {
	tokens, of, written := make([]xml.Token, 0, bytes.Count(drawn, []byte("<"))), "", false
	for d := xml.NewDecoder(bytes.NewReader(drawn)); ; {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			return tokens
		}
		if err != nil {
			abort.On(fmt.Errorf("diagram: what Graphviz drew cannot be read: %w", err))
		}
		switch t := token.(type) {
		case xml.StartElement:
			if id, wrapper := strings.CutPrefix(attribute(t, "id"), linkPrefix); wrapper {
				of = id
			}
			if t.Name.Local == "a" {
				t.Attr = append(t.Attr, xml.Attr{Name: xml.Name{Local: "id"}, Value: of})
			}
			tokens, written = append(tokens, t), t.Name.Local == "text"
		case xml.EndElement:
			tokens, written = append(tokens, t), false
		case xml.CharData:
			// Other texts are blanks, and the titles with Graphviz' names of nodes.
			if written {
				tokens = append(tokens, t.Copy())
			}
		}
	}
}

// linkPrefix begins the identifier of the group around a link.
const linkPrefix = "a_"

func attribute(start xml.StartElement, name string) string {
	for _, a := range start.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// cleaner copies a picture, element by element.
type cleaner struct {
	out      bytes.Buffer
	title    string
	tooltips map[string]string
	moves    map[string]point // the moves of arrows' labels, by the identifiers of the arrows
	grows    point            // by how much the page grows, for labels
	group    string           // identifier of the group that was begun last, links aside
	never    bool             // whether that group is an arrow that must not be taken
	cross    string           // the strokes that cross out the path that is open
	family   *typeface.Family
	style    typeface.Style // of the last text
	// open are the names of the open elements, "" if one is left out.
	open []string
	// bare reports whether the closing bracket of the last start tag is still to be written.
	bare bool
}

func (c *cleaner) token(t xml.Token) {
	switch t := t.(type) {
	case xml.StartElement:
		c.start(t)
	case xml.EndElement:
		c.end()
	case xml.CharData:
		c.fit(string(t))
		c.close()
		c.text(string(t))
	}
}

// fit makes a browser fit the text of an element into its place, whatever the typeface: the text is
// as wide as it was for the layout.
func (c *cleaner) fit(text string) {
	// Browsers show no blanks at the ends of a text.
	if width := c.family.Width(strings.Trim(text, " "), c.style); width > 0 && c.bare {
		c.attribute("textLength", points(width))
		c.attribute("lengthAdjust", "spacingAndGlyphs")
	}
}

func (c *cleaner) start(e xml.StartElement) {
	name, id := e.Name.Local, attribute(e, "id")
	if name == "a" || name == "title" || name == "g" && strings.HasPrefix(id, linkPrefix) {
		c.open = append(c.open, "")
		return
	}
	if e.Name.Space != "" || !slices.Contains(svgElements, name) {
		abort.On(fmt.Errorf("diagram: Graphviz drew an element %q, which does not belong in a picture", printable.Cut(name, view.LabelLength)))
	}
	if name == "g" {
		c.group = id
		c.never = slices.Contains(strings.Fields(attribute(e, "class")), "never")
	}
	if name == "path" && c.never {
		c.cross, c.never = crossOver(attribute(e, "d")), false
	}
	if name == "text" {
		c.style = textStyle(e)
		if by, moves := c.moves[c.group]; moves {
			e = movedText(e, by)
		}
	}
	if c.grows != (point{}) {
		e = c.grown(e)
	}
	c.close()
	if name != "svg" {
		c.out.WriteString("\n")
	}
	c.open = append(c.open, name)
	c.out.WriteString("<" + name)
	for _, a := range e.Attr {
		if a.Name.Space == "" && slices.Contains(svgAttributes, a.Name.Local) {
			c.attribute(a.Name.Local, a.Value)
		}
	}
	c.bare = true
	title := c.tooltips[id]
	if name == "svg" {
		c.attribute("role", "graphics-document")
		title = c.title
	}
	if title != "" && name != "text" {
		c.close()
		c.out.WriteString("<title>")
		c.text(title)
		c.out.WriteString("</title>")
	}
}

// grown returns an element with the larger page: the document, or its first polygon, which is the
// background.
func (c *cleaner) grown(e xml.StartElement) xml.StartElement {
	e.Attr = slices.Clone(e.Attr)
	for i := range e.Attr {
		a := &e.Attr[i]
		switch {
		case e.Name.Local == "svg" && a.Name.Local == "width":
			a.Value = fmt.Sprintf("%.0fpt", number(e, a.Name.Local)+c.grows.x)
		case e.Name.Local == "svg" && a.Name.Local == "height":
			a.Value = fmt.Sprintf("%.0fpt", number(e, a.Name.Local)+c.grows.y)
		case e.Name.Local == "svg" && a.Name.Local == "viewBox":
			if at := numbers(a.Value); len(at) == 2 {
				a.Value = fmt.Sprintf("%s %s %s %s", points(at[0].x), points(at[0].y), points(at[1].x+c.grows.x), points(at[1].y+c.grows.y))
			}
		case e.Name.Local == "polygon" && a.Name.Local == "points":
			corners := numbers(a.Value)
			page := around(corners)
			for k, p := range corners {
				if p.x == page.right {
					corners[k].x += c.grows.x
				}
				if p.y == page.bottom {
					corners[k].y += c.grows.y
				}
			}
			texts := make([]string, len(corners))
			for k, p := range corners {
				texts[k] = points(p.x) + "," + points(p.y)
			}
			a.Value = strings.Join(texts, " ")
			c.grows = point{}
		}
	}
	return e
}

// movedText returns a text element at its new position.
func movedText(e xml.StartElement, by point) xml.StartElement {
	e.Attr = slices.Clone(e.Attr)
	for i, a := range e.Attr {
		switch a.Name.Local {
		case "x":
			e.Attr[i].Value = strconv.FormatFloat(number(e, "x")+by.x, 'f', 2, 64)
		case "y":
			e.Attr[i].Value = strconv.FormatFloat(number(e, "y")+by.y, 'f', 2, 64)
		}
	}
	return e
}

// close writes the closing bracket of the last start tag.
func (c *cleaner) close() {
	if c.bare {
		c.out.WriteString(">")
	}
	c.bare = false
}

func (c *cleaner) attribute(name, value string) {
	c.out.WriteString(" " + name + `="`)
	c.text(value)
	c.out.WriteString(`"`)
}

func (c *cleaner) end() {
	last := len(c.open) - 1
	if last < 0 {
		return
	}
	name := c.open[last]
	c.open = c.open[:last]
	switch {
	case name == "":
		return
	case c.bare:
		c.out.WriteString("/>")
		c.bare = false
		if name == "path" {
			c.out.WriteString(c.cross)
			c.cross = ""
		}
		return
	case name == "g" || name == "svg":
		c.out.WriteString("\n")
	}
	c.out.WriteString("</" + name + ">")
}

var escapeXML = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;", "\r", " ")

func (c *cleaner) text(text string) {
	// Writing to a buffer never fails.
	_, _ = escapeXML.WriteString(&c.out, text)
}

// crossOver returns two lines that cross out an arrow in its middle; "" if the path is not an arrow
// of Graphviz.
func crossOver(path string) string {
	at := numbers(path)
	if len(at) < 4 || len(at)%3 != 1 {
		return ""
	}
	// Find the midpoint of the middle curve by de Casteljau's algorithm.
	b := at[3*((len(at)-1)/3/2):]
	x, y := (b[0].x+3*b[1].x+3*b[2].x+b[3].x)/8, (b[0].y+3*b[1].y+3*b[2].y+b[3].y)/8
	const arm = 6
	line := func(x1, y1, x2, y2 float64) string {
		return fmt.Sprintf("\n"+`<path fill="none" stroke="%s" stroke-width="2.50" d="M%s,%sL%s,%s"/>`, vermillion, points(x1), points(y1), points(x2), points(y2))
	}
	return line(x-arm, y-arm, x+arm, y+arm) + line(x-arm, y+arm, x+arm, y-arm)
}
