package draw

import (
	"encoding/xml"
	"math"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/diagram/typeface"
	"github.com/inev-lts/inev/internal/intern"
)

// Graphviz keeps labels apart from each other, but draws arrows through them. A label that an arrow
// crosses is moved to a free position (moves.go): the nearest one next to its own arrow; otherwise
// one further along the arrow; otherwise one away from the arrow, with a thin line to it. If the
// page has no free position, it is extended to the right or downwards. If even the larger page has
// none, the label stays.
//
// A label that no arrow crosses is not moved. A label that is moved covers nothing, and is next to
// its own arrow or has a line to this arrow that crosses no label.

type point struct{ x, y float64 }

// box is an axis-parallel rectangle.
type box struct{ left, top, right, bottom float64 }

func (b box) moved(by point) box {
	return box{
		left:   b.left + by.x,
		top:    b.top + by.y,
		right:  b.right + by.x,
		bottom: b.bottom + by.y,
	}
}

func (b box) grown(by float64) box {
	return box{
		left:   b.left - by,
		top:    b.top - by,
		right:  b.right + by,
		bottom: b.bottom + by,
	}
}

func (b box) overlaps(c box) bool {
	return b.left < c.right && c.left < b.right && b.top < c.bottom && c.top < b.bottom
}

func (b box) contains(c box) bool {
	return b.left <= c.left && c.right <= b.right && b.top <= c.top && c.bottom <= b.bottom
}

func (b box) with(c box) box {
	return box{
		left:   min(b.left, c.left),
		top:    min(b.top, c.top),
		right:  max(b.right, c.right),
		bottom: max(b.bottom, c.bottom),
	}
}

// nothing is the box without points.
var nothing = box{
	left:   math.Inf(1),
	top:    math.Inf(1),
	right:  math.Inf(-1),
	bottom: math.Inf(-1),
}

// around returns the smallest box that contains some points.
func around(points []point) box {
	b := nothing
	for _, p := range points {
		b = b.with(box{
			left:   p.x,
			top:    p.y,
			right:  p.x,
			bottom: p.y,
		})
	}
	return b
}

// isCrossedBy reports whether the line between two points enters b (J. Y. Liang, B. A. Barsky:
// A New Concept and Method for Line Clipping, ACM Transactions on Graphics 3(1), 1984).
func (b box) isCrossedBy(p, q point) bool {
	// The part of the line between the fractions from and to lies inside the sides that were checked so
	// far.
	from := 0.0
	to := 1.0
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
	dx := q.x - p.x
	dy := q.y - p.y
	return clip(-dx, p.x-b.left) && clip(dx, b.right-p.x) && clip(-dy, p.y-b.top) &&
		clip(dy, b.bottom-p.y)
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

// sketch has the elements of Graphviz' drawing that labels can collide with.
type sketch struct {
	page    box
	head    box // caption and legend
	nodes   []box
	lines   []line                     // the lines of all arrows
	linesOf map[string][]line          // the lines of each arrow, by its identifier
	labels  intern.List[string, label] // the labels in their drawn positions, by the identifiers of their arrows
	// forbidden are the identifiers of the arrows that are crossed out.
	forbidden []string
}

// labelMoves returns a move for each label that must move, by the identifier of its arrow, and by how much
// the page must grow for the moved labels. It changes the sketch accordingly. Cost O(labels · arrows) if
// labels are crossed.
func (s *sketch) labelMoves() (moves map[string]move, growth point) {
	moves = map[string]move{}
	page := s.page
	for i, l := range s.labels.All {
		if s.isFree(l.box, i) {
			continue
		}
		m, found := s.freeMove(i, page)
		if !found {
			continue
		}
		moves[l.arrow] = m
		l.box = l.moved(m.by)
		s.labels.All[i].box = l.box
		if m.leader != nil {
			s.lines = append(s.lines, line{points: m.leader, around: around(m.leader).grown(1)})
		}
		page.right = max(page.right, l.right+pageMargin)
		page.bottom = max(page.bottom, l.bottom+pageMargin)
	}
	return moves, point{
		math.Ceil(page.right - s.page.right),
		math.Ceil(page.bottom - s.page.bottom),
	}
}

// pageMargin is the room, in points, that Graphviz leaves around a drawing.
const pageMargin = 12

// isFree reports whether a box overlaps nothing except label number i.
func (s *sketch) isFree(position box, i int) bool {
	if s.head.overlaps(position) {
		return false
	}
	for _, node := range s.nodes {
		if node.overlaps(position) {
			return false
		}
	}
	for other, label := range s.labels.All {
		if other != i && label.overlaps(position) {
			return false
		}
	}
	return !crosses(position, s.lines)
}

// crosses reports whether one of the lines enters a box.
func crosses(b box, lines []line) bool {
	for _, l := range lines {
		if !l.around.overlaps(b) {
			continue
		}
		for i := 1; i < len(l.points); i++ {
			if b.isCrossedBy(l.points[i-1], l.points[i]) {
				return true
			}
		}
	}
	return false
}

// sketchOf reads a picture by Graphviz.
func sketchOf(drawn []xml.Token, family *typeface.Family) *sketch {
	r := sketcher{
		sketch: &sketch{
			page:    nothing,
			head:    nothing,
			linesOf: map[string][]line{},
		},
		family: family,
	}
	for _, t := range drawn {
		r.read(t)
	}
	return r.sketch
}

// sketcher reads a picture, element by element.
type sketcher struct {
	*sketch
	family   *typeface.Family
	kind, id string            // the kind of the current group (node, edge or graph) and its identifier
	openText *xml.StartElement // the text element that is open; nil if none is
}

// read reads one token of a picture.
func (r *sketcher) read(t xml.Token) {
	switch t := t.(type) {
	case xml.StartElement:
		r.readStart(t)
	case xml.CharData:
		if r.openText != nil {
			r.addText(string(t))
		}
	case xml.EndElement:
		if t.Name.Local == "text" {
			r.openText = nil
		}
	}
}

// readStart reads a start tag.
func (r *sketcher) readStart(e xml.StartElement) {
	switch e.Name.Local {
	case "g":
		// The following shapes belong to this element.
		id := attribute(e, "id")
		if !strings.HasPrefix(id, linkPrefix) {
			class := attribute(e, "class")
			r.kind, _, _ = strings.Cut(class, " ")
			r.id = id
			if isForbidden(class) {
				r.forbidden = append(r.forbidden, id)
			}
		}
	case "path":
		outline := curve(numbers(attribute(e, "d")))
		switch r.kind {
		case "edge":
			r.addLine(outline)
		case "node": // Graphviz draws a box with rounded corners as a path.
			r.nodes = append(r.nodes, around(outline))
		}
	case "polygon", "polyline":
		r.addShape(numbers(attribute(e, "points")))
	case "ellipse":
		centre := point{number(e, "cx"), number(e, "cy")}
		rx := number(e, "rx")
		ry := number(e, "ry")
		r.addShape([]point{{centre.x - rx, centre.y - ry}, {centre.x + rx, centre.y + ry}})
	case "text":
		r.openText = &e
	}
}

// addShape adds a closed shape: the page, a node, or a part of an arrow.
func (r *sketcher) addShape(points []point) {
	switch {
	case r.kind == "graph" && r.page == nothing:
		r.page = around(points)
	case r.kind == "graph":
		r.head = r.head.with(around(points))
	case r.kind == "node":
		r.nodes = append(r.nodes, around(points))
	case r.kind == "edge":
		r.addLine(points)
	}
}

// addLine adds a line of the current arrow.
func (r *sketcher) addLine(points []point) {
	l := line{points, around(points).grown(1)}
	r.lines = append(r.lines, l)
	r.linesOf[r.id] = append(r.linesOf[r.id], l)
}

// addText adds a line of text to the label of the current arrow, or to the caption.
func (r *sketcher) addText(line string) {
	style := textStyle(*r.openText)
	width := r.family.Width(line, style)
	left := number(*r.openText, "x")
	baseline := number(*r.openText, "y")
	switch attribute(*r.openText, "text-anchor") {
	case "middle":
		left -= width / 2
	case "end":
		left -= width
	}
	text := box{
		left:   left,
		top:    baseline - 0.75*style.Size,
		right:  left + width,
		bottom: baseline + 0.2*style.Size,
	}
	switch r.kind {
	case "graph":
		r.head = r.head.with(text)
	case "edge":
		i := r.labels.Index(r.id, label{r.id, text})
		r.labels.All[i].box = r.labels.All[i].with(text)
	}
}

// textStyle returns the style of a text element.
func textStyle(e xml.StartElement) typeface.Style {
	return typeface.Style{
		Size: number(e, "font-size"),
		Bold: attribute(e, "font-weight") == "bold",
	}
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
			points = append(points, point{x, n})
			hasX = false
		default:
			x = n
			hasX = true
		}
	}
	return points
}

// perPiece is the number of line segments that approximate one Bézier curve.
const perPiece = 12

// curve returns points along a path of Graphviz. The path consists of a first point, and of three
// points for each Bézier curve.
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

// bezier returns the point of a cubic Bézier curve with four control points at t, from 0 to 1.
func bezier(control []point, t float64) point {
	u := 1 - t
	weights := [4]float64{u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t}
	var p point
	for i, w := range weights {
		p.x += w * control[i].x
		p.y += w * control[i].y
	}
	return p
}
