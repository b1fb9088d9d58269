package diagram

import (
	"cmp"
	"encoding/xml"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/inev-lts/inev/diagram/internal/typeface"
)

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

func newLine(points []point) line { return line{points, around(points).grown(1)} }

// sketch is the elements of Graphviz' drawing that labels can collide with.
type sketch struct {
	page   box
	nodes  []box
	lines  []line            // the lines of all arrows
	of     map[string][]line // the lines of each arrow, by its identifier
	labels []label           // the labels in their drawn positions
	at     map[string]int    // numbers of labels, by identifiers of their arrows
}

// placed returns the displacement of each label that must move, by the identifier of its arrow, and
// by how much the page must grow for them. Cost O(labels · arrows) if labels are crossed.
func placed(drawn []xml.Token, family *typeface.Family) (moved map[string]point, grows point) {
	s := &sketch{page: nothing, of: map[string][]line{}, at: map[string]int{}}
	r := sketching{sketch: s, family: family}
	for _, t := range drawn {
		r.token(t)
	}
	moved = map[string]point{}
	page := s.page
	for i, l := range s.labels {
		if s.isFree(l.box, i) {
			continue
		}
		by, found := s.freeMove(i, s.page)
		if !found {
			by, found = s.freeMove(i, box{page.left, page.top, page.right + maxMove, page.bottom + maxMove})
		}
		if found {
			moved[l.arrow] = by
			s.labels[i].box = l.moved(by)
			page.right, page.bottom = max(page.right, s.labels[i].right+pageMargin), max(page.bottom, s.labels[i].bottom+pageMargin)
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
	own := s.of[s.labels[i].arrow]
	for _, by := range moves() {
		at := s.labels[i].moved(by)
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
	for other, label := range s.labels {
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

// sketching reads a picture by Graphviz.
type sketching struct {
	*sketch
	family *typeface.Family
	kind   string // of the group at hand: node, edge or graph
	id     string
	text   *xml.StartElement
}

func (r *sketching) token(t xml.Token) {
	switch t := t.(type) {
	case xml.StartElement:
		switch t.Name.Local {
		case "g":
			r.group(t)
		case "path":
			if r.kind == "edge" {
				r.line(curve(numbers(attribute(t, "d"))))
			}
		case "polygon":
			r.polygon(numbers(attribute(t, "points")))
		case "ellipse":
			x, y, rx, ry := number(t, "cx"), number(t, "cy"), number(t, "rx"), number(t, "ry")
			r.polygon([]point{{x - rx, y - ry}, {x + rx, y + ry}})
		case "text":
			r.text = &t
		}
	case xml.CharData:
		if r.text != nil && r.kind == "edge" {
			r.label(*r.text, string(t))
		}
	case xml.EndElement:
		if t.Name.Local == "text" {
			r.text = nil
		}
	}
}

// group records the element that the following shapes belong to.
func (r *sketching) group(g xml.StartElement) {
	if id := attribute(g, "id"); !strings.HasPrefix(id, linkPrefix) {
		r.kind, _, _ = strings.Cut(attribute(g, "class"), " ")
		r.id = id
	}
}

// line adds a line to the current arrow.
func (r *sketching) line(points []point) {
	l := newLine(points)
	r.lines = append(r.lines, l)
	r.of[r.id] = append(r.of[r.id], l)
}

func (r *sketching) polygon(points []point) {
	switch shape := around(points); r.kind {
	case "graph":
		if r.page == nothing {
			r.page = shape
		}
	case "node":
		r.nodes = append(r.nodes, shape)
	case "edge":
		r.line(points)
	}
}

// label adds a line of text to the label of the current arrow.
func (r *sketching) label(e xml.StartElement, text string) {
	style := textStyle(e)
	size, width := style.Size, r.family.Width(text, style)
	x, y := number(e, "x"), number(e, "y")
	switch attribute(e, "text-anchor") {
	case "middle":
		x -= width / 2
	case "end":
		x -= width
	}
	line := box{x, y - 0.75*size, x + width, y + 0.2*size}
	if i, is := r.at[r.id]; is {
		r.labels[i].box = r.labels[i].with(line)
		return
	}
	r.at[r.id] = len(r.labels)
	r.labels = append(r.labels, label{r.id, line})
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
