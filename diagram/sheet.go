package diagram

import (
	"math"
	"slices"
	"strings"

	"github.com/inev-lts/inev/diagram/internal/typeface"
	"github.com/inev-lts/inev/diagram/view"
)

// Distances on a sheet, in points at the default size of letters.
const (
	border      = 10  // around everything
	between     = 7   // between events
	inset       = 6   // around the text in a box
	headLength  = 8   // of an arrow
	noteWidth   = 300 // the width at which lines of notes are broken
	laneDistant = 16  // between the heads of lanes
)

// sheet is a sequence chart while it is drawn. First the texts determine the distances of the
// lanes; then events are drawn one by one.
type sheet struct {
	c       *view.Chart
	letters *typeface.Family
	size    sizes
	unit    float64 // the factor of all distances
	out     canvas
	wires   canvas // arrows of messages under way, which lie beneath everything else

	x           []float64      // the positions of lanes
	gutter      float64        // where the numbers of steps end
	left, right float64        // the ends of everything in lanes
	y           float64        // the height of what is drawn so far
	top         float64        // where the lines of lanes begin
	at          []float64      // heights of the arrows of events
	rooms       []room         // the areas of events' texts that are in no box
	set         []textPosition // where [sheet.settle] has put the texts of events
	wider       []float64      // how much wider than its text an event is, so that the text finds room
	behind      []float64      // room on both sides of lanes, so that texts find room
	frameTop    float64
	lifelines   int // the positions of the lines of lanes in the output
}

func newSheet(c *view.Chart, o Options) *sheet {
	s := &sheet{c: c, letters: typeface.Load(), size: sizesOf(o), wider: make([]float64, len(c.Events)), behind: make([]float64, len(c.Lanes)), set: make([]textPosition, len(c.Events))}
	s.unit = s.size.label / defaultFontSize
	for i := range c.Events {
		s.gutter = max(s.gutter, s.width(stepNumbers(&c.Events[i]), s.size.legend, false))
	}
	s.gutter += border
	s.places()
	s.settle()
	s.blank()
	return s
}

// blank clears the sheet.
func (s *sheet) blank() {
	s.out, s.wires, s.y = canvas{}, canvas{}, border
	s.at, s.rooms = make([]float64, len(s.c.Events)), make([]room, len(s.c.Events))
}

func (s *sheet) width(text string, size float64, bold bool) float64 {
	return s.letters.Width(text, typeface.Style{Size: size, Bold: bold})
}

// widest returns the width of the widest line.
func (s *sheet) widest(lines []words) float64 {
	widest := 0.0
	for _, line := range lines {
		widest = max(widest, s.width(line.text, s.size.label, line.ink == lost))
	}
	return widest
}

// line is the height of a line of text.
func (s *sheet) line() float64 { return 1.25 * s.size.label }

// apart is the least distance of two lanes, so that the texts between them fit.
type apart struct {
	from, to int
	distance float64
}

// places puts lanes side by side, so far apart that the texts between them fit.
func (s *sheet) places() {
	n := len(s.c.Lanes)
	half := make([]float64, n) // room that a lane takes to both sides
	for i, lane := range s.c.Lanes {
		half[i] = max(s.width(laneName(lane), s.size.state, true)/2+inset*s.unit, 24*s.unit)
	}
	heads := slices.Clone(half)
	for i := range half {
		half[i] = max(half[i], s.behind[i])
	}
	gaps := make([]float64, max(n-1, 0))
	for i := range gaps {
		gaps[i] = heads[i] + heads[i+1] + laneDistant*s.unit
	}
	var spans []apart
	for i := range s.c.Events {
		v := &s.c.Events[i]
		width := s.widest(eventLines(v))
		switch {
		case v.Kind == view.Unshown:
		case v.From == v.To:
			half[v.From] = max(half[v.From], width/2+inset*s.unit)
		default:
			spans = append(spans, apart{min(v.From, v.To), max(v.From, v.To), width + (2*headLength+2*inset)*s.unit + s.wider[i]})
		}
	}
	for i := range gaps {
		gaps[i] = max(gaps[i], half[i]+inset*s.unit, half[i+1]+inset*s.unit)
	}
	slices.SortStableFunc(spans, func(a, b apart) int { return (a.to - a.from) - (b.to - b.from) })
	for _, span := range spans {
		total := 0.0
		for i := span.from; i < span.to; i++ {
			total += gaps[i]
		}
		if missing := span.distance - total; missing > 0 {
			for i := span.from; i < span.to; i++ {
				gaps[i] += missing / float64(span.to-span.from)
			}
		}
	}
	s.x, s.right, s.left = nil, 0, s.gutter+2*border*s.unit
	at := s.left + half[0]
	for i := range n {
		s.x = append(s.x, at)
		s.right = max(s.right, at+half[i])
		s.left = min(s.left, at-half[i])
		if i < len(gaps) {
			at += gaps[i]
		}
	}
	for i := range s.c.Events {
		// A note must fit into the frame of the loop around the lanes.
		for k, line := range s.c.Events[i].Decision {
			width := min(s.width(line, s.size.stub, k == 0), noteWidth*s.unit)
			s.right = max(s.right, s.left+width+2*inset*s.unit)
		}
	}
}

// broken breaks lines of a note that are too wide, between words.
func (s *sheet) broken(lines []string) []string {
	widest := max(noteWidth*s.unit, min(s.right-s.left-2*inset*s.unit, 2*noteWidth*s.unit))
	var all []string
	for _, line := range lines {
		now := ""
		for _, word := range strings.Split(line, " ") {
			joined := word
			if now != "" {
				joined = now + " " + word
			}
			if now != "" && s.width(joined, s.size.stub, false) > widest {
				all = append(all, now)
				joined = "   " + word
			}
			now = joined
		}
		all = append(all, now)
	}
	return all
}

// svg returns the sheet as an SVG document.
func (s *sheet) svg() []byte {
	right, height := math.Ceil(s.out.right+border), math.Ceil(s.y+border)
	var doc canvas
	doc.begin(right, height, oneLine(s.c.Caption, chartCaption(s.c)))
	doc.box("paper", "white", "none", 0, 0, right, height)
	doc.b.Write(s.out.b.Bytes())
	doc.b.WriteString("\n</g>\n</svg>\n")
	return doc.b.Bytes()
}
