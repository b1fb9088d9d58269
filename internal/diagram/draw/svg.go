package draw

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/inev-lts/inev/internal/diagram/typeface"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/internal/printable"
)

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
func clean(drawn []byte, title string) ([]byte, error) {
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
	moves, grows := placed(tokens, family)
	c := cleaner{title: title, tooltips: tooltips, moves: moves, grows: grows}
	c.out.Grow(len(drawn))
	for _, t := range tokens {
		switch t := t.(type) {
		case xml.StartElement:
			if err := c.start(t); err != nil {
				return nil, err
			}
		case xml.EndElement:
			c.end()
		case xml.CharData:
			// A browser is made to fit the text into its place, whatever the typeface: the text is as wide as
			// it was for the layout. Browsers show no blanks at the ends of a text.
			text := string(t)
			width := family.Width(strings.Trim(text, " "), c.style)
			if width > 0 && c.bare {
				c.attribute("textLength", points(width))
				c.attribute("lengthAdjust", "spacingAndGlyphs")
			}
			c.close()
			c.text(text)
		}
	}
	c.out.WriteString("\n")
	return c.out.Bytes(), nil
}

// tokensOf returns the elements of Graphviz' SVG, and the texts that are drawn. Graphviz puts a link around
// an element with a tooltip, and the identifier on a group around the link; tokensOf puts the identifier on
// the link.
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
			// Other texts are blanks, and the titles with Graphviz' names of nodes.
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
	moves    map[string]point // the moves of arrows' labels, by the identifiers of the arrows
	grows    point            // by how much the page grows, for labels
	group    string           // identifier of the group that was begun last, links aside
	never    bool             // whether that group is an arrow that must not be taken
	cross    string           // the strokes that cross out the path that is open
	style    typeface.Style   // of the last text
	// open are the names of the open elements, "" if one is left out.
	open []string
	// bare reports whether the closing bracket of the last start tag is still to be written.
	bare bool
}

// start copies a start tag. It fails if the element does not belong in a picture.
func (c *cleaner) start(e xml.StartElement) error {
	name := e.Name.Local
	id := attribute(e, "id")
	if name == "a" || name == "title" || name == "g" && strings.HasPrefix(id, linkPrefix) {
		c.open = append(c.open, "")
		return nil
	}
	if e.Name.Space != "" || !slices.Contains(svgElements, name) {
		return fmt.Errorf("diagram: Graphviz drew an element %q, which does not belong in a picture", printable.Cut(name, view.LabelLength))
	}
	if name == "g" {
		c.group = id
		c.never = slices.Contains(strings.Fields(attribute(e, "class")), "never")
	}
	if name == "path" && c.never {
		c.cross = crossOver(attribute(e, "d"))
		c.never = false
	}
	if name == "text" {
		c.style = textStyle(e)
	}
	by, isMoved := c.moves[c.group]
	if isMoved && name == "text" || c.grows != (point{}) {
		e = c.placed(e, by)
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
	return nil
}

// placed returns an element where labels have moved and the page has grown: a text, the document, or
// its first polygon, which is the background.
func (c *cleaner) placed(e xml.StartElement, by point) xml.StartElement {
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
			if at := numbers(a.Value); len(at) == 2 {
				a.Value = fmt.Sprintf("%s %s %s %s", points(at[0].x), points(at[0].y), points(at[1].x+c.grows.x), points(at[1].y+c.grows.y))
			}
		case "polygon points":
			corners := numbers(a.Value)
			page := around(corners)
			var texts []string
			for _, p := range corners {
				if p.x == page.right {
					p.x += c.grows.x
				}
				if p.y == page.bottom {
					p.y += c.grows.y
				}
				texts = append(texts, points(p.x)+","+points(p.y))
			}
			a.Value = strings.Join(texts, " ")
			c.grows = point{}
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

// Graphviz keeps labels apart from each other, but draws arrows through them. A label that an arrow
// crosses is moved to the nearest free position next to its own arrow; if there is none on the page,
// the page grows to the right or downwards for it; if there is none there either, the label stays.
//
// The invariant that holds inside: a label that no arrow crosses is not moved, and a label that is
// moved covers nothing, and is next to its own arrow.

type point struct{ x, y float64 }

// box is an axis-parallel rectangle.
type box struct{ left, top, right, bottom float64 }

func (b box) moved(by point) box {
	return box{b.left + by.x, b.top + by.y, b.right + by.x, b.bottom + by.y}
}

func (b box) grown(by float64) box {
	return box{b.left - by, b.top - by, b.right + by, b.bottom + by}
}

func (b box) meets(c box) bool {
	return b.left < c.right && c.left < b.right && b.top < c.bottom && c.top < b.bottom
}

func (b box) holds(c box) bool {
	return b.left <= c.left && c.right <= b.right && b.top <= c.top && c.bottom <= b.bottom
}

func (b box) with(c box) box {
	return box{min(b.left, c.left), min(b.top, c.top), max(b.right, c.right), max(b.bottom, c.bottom)}
}

var nothing = box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}

// around returns the smallest box with these points.
func around(points []point) box {
	b := nothing
	for _, p := range points {
		b = b.with(box{p.x, p.y, p.x, p.y})
	}
	return b
}

// crossed reports whether the line between two points enters b (J. Y. Liang, B. A. Barsky:
// A New Concept and Method for Line Clipping, ACM Transactions on Graphics 3(1), 1984).
func (b box) crossed(p, q point) bool {
	from, to := 0.0, 1.0
	clip := func(direction, room float64) bool {
		switch {
		case direction == 0:
			return room > 0
		case direction < 0:
			from = max(from, room/direction)
		default:
			to = min(to, room/direction)
		}
		return from < to
	}
	dx, dy := q.x-p.x, q.y-p.y
	return clip(-dx, p.x-b.left) && clip(dx, b.right-p.x) && clip(-dy, p.y-b.top) && clip(dy, b.bottom-p.y)
}

// line is a polyline with its bounding box.
type line struct {
	points []point
	around box
}

// label is the text at an arrow.
type label struct {
	arrow string
	box
}

// sketch is the elements of Graphviz' drawing that labels can collide with.
type sketch struct {
	page   box
	nodes  []box
	lines  []line                    // the lines of all arrows
	of     map[string][]line         // the lines of each arrow, by its identifier
	labels keyed.List[string, label] // by the identifiers of their arrows, in their drawn positions
}

// placed returns the displacement of each label that must move, by the identifier of its arrow, and
// by how much the page must grow for them. Cost O(labels · arrows) if labels are crossed.
func placed(drawn []xml.Token, family *typeface.Family) (moved map[string]point, grows point) {
	s := sketchOf(drawn, family)
	moved = map[string]point{}
	page := s.page
	for i, l := range s.labels.All {
		if s.isFree(l.box, i) {
			continue
		}
		by, found := s.freeMove(i, s.page)
		if !found {
			by, found = s.freeMove(i, box{page.left, page.top, page.right + maxMove, page.bottom + maxMove})
		}
		if found {
			moved[l.arrow] = by
			s.labels.All[i].box = l.moved(by)
			page.right, page.bottom = max(page.right, s.labels.All[i].right+pageMargin), max(page.bottom, s.labels.All[i].bottom+pageMargin)
		}
	}
	return moved, point{math.Ceil(page.right - s.page.right), math.Ceil(page.bottom - s.page.bottom)}
}

// pageMargin is the room, in points, that Graphviz leaves around a drawing.
const pageMargin = 4

// Bounds, in points: how far a label may move, in which steps, and how far from its arrow it may be
// then.
const (
	maxMove  = 72
	moveStep = 4
	maxOff   = 9
)

// moves are all moves of a label, the shortest first.
var moves = sync.OnceValue(func() []point {
	var all []point
	for dx := -maxMove; dx <= maxMove; dx += moveStep {
		for dy := -maxMove; dy <= maxMove; dy += moveStep {
			all = append(all, point{float64(dx), float64(dy)})
		}
	}
	slices.SortStableFunc(all, func(a, b point) int {
		return cmp.Compare(a.x*a.x+a.y*a.y, b.x*b.x+b.y*b.y)
	})
	return all
})

// freeMove returns the shortest move of a label to a free position on a page.
func (s *sketch) freeMove(i int, page box) (by point, found bool) {
	own := s.of[s.labels.All[i].arrow]
	for _, by := range moves() {
		at := s.labels.All[i].moved(by)
		if page.holds(at) && crosses(at.grown(maxOff), own) && s.isFree(at, i) {
			return by, true
		}
	}
	return point{}, false
}

// isFree reports whether a box overlaps nothing but label number i.
func (s *sketch) isFree(at box, i int) bool {
	for _, node := range s.nodes {
		if node.meets(at) {
			return false
		}
	}
	for other, label := range s.labels.All {
		if other != i && label.meets(at) {
			return false
		}
	}
	return !crosses(at, s.lines)
}

func crosses(b box, lines []line) bool {
	for _, l := range lines {
		if !l.around.meets(b) {
			continue
		}
		for i := 1; i < len(l.points); i++ {
			if b.crossed(l.points[i-1], l.points[i]) {
				return true
			}
		}
	}
	return false
}

// sketchOf reads a picture by Graphviz.
func sketchOf(drawn []xml.Token, family *typeface.Family) *sketch {
	s := &sketch{page: nothing, of: map[string][]line{}}
	kind, id := "", "" // of the group at hand: node, edge or graph
	var written *xml.StartElement
	arrow := func(points []point) {
		l := line{points, around(points).grown(1)}
		s.lines, s.of[id] = append(s.lines, l), append(s.of[id], l)
	}
	shape := func(points []point) {
		switch {
		case kind == "graph" && s.page == nothing:
			s.page = around(points)
		case kind == "node":
			s.nodes = append(s.nodes, around(points))
		case kind == "edge":
			arrow(points)
		}
	}
	for _, t := range drawn {
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "g":
				// The following shapes belong to this element.
				if name := attribute(t, "id"); !strings.HasPrefix(name, linkPrefix) {
					kind, _, _ = strings.Cut(attribute(t, "class"), " ")
					id = name
				}
			case "path":
				if kind == "edge" {
					arrow(curve(numbers(attribute(t, "d"))))
				}
			case "polygon":
				shape(numbers(attribute(t, "points")))
			case "ellipse":
				x, y, rx, ry := number(t, "cx"), number(t, "cy"), number(t, "rx"), number(t, "ry")
				shape([]point{{x - rx, y - ry}, {x + rx, y + ry}})
			case "text":
				written = &t
			}
		case xml.CharData:
			if written == nil || kind != "edge" {
				continue
			}
			// It is a line of text of the label of the current arrow.
			style := textStyle(*written)
			width, x, y := family.Width(string(t), style), number(*written, "x"), number(*written, "y")
			switch attribute(*written, "text-anchor") {
			case "middle":
				x -= width / 2
			case "end":
				x -= width
			}
			l := label{id, box{x, y - 0.75*style.Size, x + width, y + 0.2*style.Size}}
			i := s.labels.Index(id, l)
			s.labels.All[i].box = s.labels.All[i].with(l.box)
		case xml.EndElement:
			if t.Name.Local == "text" {
				written = nil
			}
		}
	}
	return s
}

// textStyle returns the style of a text element.
func textStyle(e xml.StartElement) typeface.Style {
	return typeface.Style{Size: number(e, "font-size"), Bold: attribute(e, "font-weight") == "bold"}
}

func number(e xml.StartElement, name string) float64 {
	n, err := strconv.ParseFloat(strings.TrimRight(attribute(e, name), "ptx"), 64)
	if err != nil {
		return 0
	}
	return n
}

// numbers reads the points of a path or a polygon.
func numbers(text string) []point {
	points := make([]point, 0, strings.Count(text, ","))
	var x float64
	hasX := false
	for text != "" {
		end := strings.IndexAny(text, "MCLmcl, ")
		if end < 0 {
			end = len(text)
		}
		n, err := strconv.ParseFloat(text[:end], 64)
		text = text[min(end+1, len(text)):]
		switch {
		case err != nil:
		case hasX:
			points, hasX = append(points, point{x, n}), false
		default:
			x, hasX = n, true
		}
	}
	return points
}

// perPiece is the number of line segments that approximate one Bézier curve.
const perPiece = 12

// curve returns points along a path of Graphviz: a first point, and three points for each Bézier
// curve.
func curve(control []point) []point {
	if len(control) == 0 {
		return nil
	}
	points := make([]point, 1, 1+len(control)/3*perPiece)
	points[0] = control[0]
	for i := 0; i+3 < len(control); i += 3 {
		for step := 1; step <= perPiece; step++ {
			t := float64(step) / perPiece
			points = append(points, bezier(control[i:i+4], t))
		}
	}
	return points
}

func bezier(c []point, t float64) point {
	u := 1 - t
	a, b, d, e := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
	return point{a*c[0].x + b*c[1].x + d*c[2].x + e*c[3].x, a*c[0].y + b*c[1].y + d*c[2].y + e*c[3].y}
}
