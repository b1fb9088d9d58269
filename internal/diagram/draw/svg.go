package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/diagram/typeface"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
)

// oneLine joins the lines of a caption, with the diagnosis unfolded.
func oneLine(c view.Caption, lines []string) string {
	diagnosisLines := len(folded(c.Diagnosis, maxDiagnosisLine))
	if diagnosisLines > 1 {
		lines = append([]string{c.Diagnosis}, lines[diagnosisLines:]...)
	}
	for i, line := range lines {
		lines[i] = printable.Cut(line, maxTooltipText)
	}
	return strings.Join(lines, "; ")
}

// The allowed elements and attributes. Any other element or attribute in the SVG of Graphviz is an
// error, so that no label can bring elements into the picture through a fault of Graphviz.
var (
	svgElements = []string{
		"svg",
		"g",
		"title",
		"text",
		"path",
		"polygon",
		"polyline",
		"ellipse",
	}
	svgAttributes = []string{
		"width", "height", "viewBox", "xmlns", "id", "class", "transform", "fill", "stroke", "stroke-width",
		"stroke-dasharray", "stroke-opacity", "fill-opacity", "points", "d", "cx", "cy", "rx", "ry", "x", "y",
		"text-anchor", "font-family", "font-weight", "font-style", "font-size", "text-decoration",
	}
)

// clean rewrites Graphviz' SVG. It moves the legend below the picture, removes comments, links and the
// document type (which has an address), and adds titles that describe elements for people, including
// those with screen readers. The caption of the picture has the given number of lines.
func clean(drawn []byte, title string, captionLines int) ([]byte, error) {
	tokens, err := tokensOf(drawn)
	if err != nil {
		return nil, err
	}
	tooltips := map[string]string{}
	for _, t := range tokens {
		if start, ok := t.(xml.StartElement); ok && start.Name.Local == "a" {
			tooltips[attribute(start, "id")] = attribute(start, "title")
		}
	}
	family := typeface.Load()
	tokens, legend := takeLegend(tokens, captionLines, family)
	s := sketchOf(tokens, family)
	crossings := s.crossings()
	moves, grows := s.labelMoves()
	tokens, grows = putLegend(tokens, legend, grows)
	c := cleaner{
		title:    title,
		tooltips: tooltips,
		moves:    moves,
		crosses:  crossings,
		grows:    grows,
	}
	c.out.Grow(len(drawn))
	for _, t := range tokens {
		switch t := t.(type) {
		case xml.StartElement:
			if err := c.copyStart(t); err != nil {
				return nil, err
			}
		case xml.EndElement:
			c.copyEnd()
		case xml.CharData:
			// With textLength, the browser makes the text as wide as the layout assumed, whatever the
			// typeface. Browsers show no blanks at the ends of a text.
			text := string(t)
			width := family.Width(strings.Trim(text, " "), c.style)
			if width > 0 && c.tagIsOpen {
				c.writeAttribute("textLength", points(width))
				c.writeAttribute("lengthAdjust", "spacingAndGlyphs")
			}
			c.closeTag()
			c.writeText(text)
		}
	}
	c.out.WriteString("\n")
	return c.out.Bytes(), nil
}

// tokensOf returns the elements of Graphviz' SVG, and the texts to draw. Graphviz puts a link around an
// element with a tooltip, and gives the identifier to a group around the link; tokensOf gives the
// identifier to the link.
func tokensOf(drawn []byte) ([]xml.Token, error) {
	tokens := make([]xml.Token, 0, bytes.Count(drawn, []byte("<")))
	linked := "" // the identifier of the last group around a link
	inText := false
	decoder := xml.NewDecoder(bytes.NewReader(drawn))
	for {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) {
			return tokens, nil
		}
		if err != nil {
			return nil, fmt.Errorf("diagram: what Graphviz drew cannot be read: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if id, isWrapper := strings.CutPrefix(attribute(t, "id"), linkPrefix); isWrapper {
				linked = id
			}
			if t.Name.Local == "a" {
				t.Attr = append(t.Attr, xml.Attr{Name: xml.Name{Local: "id"}, Value: linked})
			}
			tokens = append(tokens, t)
			inText = t.Name.Local == "text"
		case xml.EndElement:
			tokens = append(tokens, t)
			inText = false
		case xml.CharData:
			// All other texts are blanks, or titles with Graphviz' names of nodes.
			if inText {
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
	moves    map[string]move  // the moves of arrows' labels, by the identifiers of the arrows
	crosses  map[string]point // where forbidden arrows are crossed out, by the identifiers of the arrows
	grows    point            // by how much moved labels enlarge the page
	group    string           // the identifier of the group that began last, not counting links
	leaderOf string           // the identifier of the group for which a leader was written last
	crossing string           // the strokes that cross out the current group, until they are written
	style    typeface.Style   // of the last text
	// open are the names of the open elements, with "" for one whose tags are left out.
	open []string
	// tagIsOpen reports whether the last start tag still lacks its closing bracket.
	tagIsOpen bool
}

// copyStart copies a start tag. It fails if the element does not belong in a picture.
func (c *cleaner) copyStart(e xml.StartElement) error {
	name := e.Name.Local
	if isLeftOut(e) {
		c.open = append(c.open, "")
		return nil
	}
	if e.Name.Space != "" || !slices.Contains(svgElements, name) {
		return fmt.Errorf("diagram: Graphviz drew an element %q, which does not belong in a picture", printable.Cut(name, view.LabelLength))
	}
	c.record(e)
	moved, isMoved := c.moves[c.group]
	isMovedText := isMoved && name == "text"
	pageGrows := c.grows != point{}
	if isMovedText || pageGrows {
		e = c.adapted(e, moved.by)
	}
	c.closeTag()
	if name == "text" && c.leaderOf != c.group {
		c.leaderOf = c.group
		c.writeLeader(moved.leader)
	}
	c.open = append(c.open, name)
	c.writeStartTag(e)
	return nil
}

// isLeftOut reports whether a picture keeps the content of an element without its tags. This is
// true of links, of the groups around them, and of titles, which tooltips replace.
func isLeftOut(e xml.StartElement) bool {
	switch e.Name.Local {
	case "a", "title":
		return true
	case "g":
		return strings.HasPrefix(attribute(e, "id"), linkPrefix)
	}
	return false
}

// record records what the copies of this element and of later ones depend on.
func (c *cleaner) record(e xml.StartElement) {
	switch e.Name.Local {
	case "g":
		c.group = attribute(e, "id")
		c.crossing = ""
		if at, isForbidden := c.crosses[c.group]; isForbidden {
			c.crossing = crossAt(at)
		}
	case "text":
		c.style = textStyle(e)
	}
}

// writeStartTag writes a start tag with the attributes that are allowed in a picture, and the title of
// the element.
func (c *cleaner) writeStartTag(e xml.StartElement) {
	name := e.Name.Local
	title := c.tooltips[attribute(e, "id")]
	if name != "svg" {
		c.out.WriteString("\n")
	}
	c.out.WriteString("<" + name)
	for _, a := range e.Attr {
		if a.Name.Space == "" && slices.Contains(svgAttributes, a.Name.Local) {
			c.writeAttribute(a.Name.Local, a.Value)
		}
	}
	c.tagIsOpen = true
	if name == "svg" {
		c.writeAttribute("role", "graphics-document")
		title = c.title
	}
	if title == "" || name == "text" {
		return
	}
	c.closeTag()
	c.out.WriteString("<title>")
	c.writeText(title)
	c.out.WriteString("</title>")
}

// adapted returns an element adapted to moved labels and a larger page. It changes texts, the size
// of the document, and the first polygon, which is the background. Later polygons keep their size.
func (c *cleaner) adapted(e xml.StartElement, by point) xml.StartElement {
	e.Attr = slices.Clone(e.Attr)
	for i := range e.Attr {
		a := &e.Attr[i]
		n := number(e, a.Name.Local)
		switch e.Name.Local + " " + a.Name.Local {
		case "text x":
			if by != (point{}) {
				a.Value = points(n + by.x)
			}
		case "text y":
			if by != (point{}) {
				a.Value = points(n + by.y)
			}
		case "svg width":
			a.Value = fmt.Sprintf("%.0fpt", n+c.grows.x)
		case "svg height":
			a.Value = fmt.Sprintf("%.0fpt", n+c.grows.y)
		case "svg viewBox":
			corners := numbers(a.Value)
			if len(corners) == 2 {
				a.Value = fmt.Sprintf("%s %s %s %s", points(corners[0].x), points(corners[0].y),
					points(corners[1].x+c.grows.x), points(corners[1].y+c.grows.y))
			}
		case "polygon points":
			a.Value = enlarged(numbers(a.Value), c.grows)
			c.grows = point{}
		}
	}
	return e
}

// enlarged returns the corners of a rectangle whose right and lower sides are moved outwards.
func enlarged(corners []point, grows point) string {
	page := around(corners)
	var texts []string
	for _, p := range corners {
		if p.x == page.right {
			p.x += grows.x
		}
		if p.y == page.bottom {
			p.y += grows.y
		}
		texts = append(texts, points(p.x)+","+points(p.y))
	}
	return strings.Join(texts, " ")
}

// writeLeader writes a thin line between a label and its arrow; nothing if there is no leader.
func (c *cleaner) writeLeader(ends []point) {
	if len(ends) == 0 {
		return
	}
	from := points(ends[0].x) + "," + points(ends[0].y)
	to := points(ends[1].x) + "," + points(ends[1].y)
	fmt.Fprintf(&c.out,
		"\n"+`<path fill="none" stroke="%s" stroke-width="%.2f" stroke-dasharray="1,3" d="M%sL%s"/>`, grey, fine, from, to)
}

// closeTag writes the closing bracket of the last start tag.
func (c *cleaner) closeTag() {
	if c.tagIsOpen {
		c.out.WriteString(">")
	}
	c.tagIsOpen = false
}

func (c *cleaner) writeAttribute(name, value string) {
	c.out.WriteString(" " + name + `="`)
	c.writeText(value)
	c.out.WriteString(`"`)
}

// copyEnd copies the end tag of the innermost open element. After a forbidden arrow, it adds the strokes
// that cross it out.
func (c *cleaner) copyEnd() {
	last := len(c.open) - 1
	if last < 0 {
		return
	}
	name := c.open[last]
	c.open = c.open[:last]
	switch {
	case name == "":
		return
	case c.tagIsOpen:
		c.out.WriteString("/>")
		c.tagIsOpen = false
		if name == "path" {
			c.out.WriteString(c.crossing)
			c.crossing = ""
		}
		return
	case name == "g" || name == "svg":
		c.out.WriteString("\n")
	}
	c.out.WriteString("</" + name + ">")
}

var escapeXML = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'",
	"&#39;", "\r", " ")

func (c *cleaner) writeText(text string) {
	// Writing to a buffer never fails.
	_, _ = escapeXML.WriteString(&c.out, text)
}
