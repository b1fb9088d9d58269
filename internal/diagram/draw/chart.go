package draw

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/diagram/typeface"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
)

const maxLaneName = 30 // characters

// laneName returns the name of a lane as it appears in the drawing.
func laneName(l view.Lane) string { return printable.Label(l.Name, maxLaneName) }

// stepNumbers returns the step numbers of an event: "3", or "3–5".
func stepNumbers(v *view.Event) string {
	if v.First == v.Last {
		return fmt.Sprint(v.First)
	}
	return fmt.Sprintf("%d–%d", v.First, v.Last)
}

// textLine is a line of text next to an event.
type textLine struct {
	text, colour string
	bold         bool
}

// eventLines returns the lines of text at an event.
func eventLines(v *view.Event) []textLine {
	if v.Kind == view.Unshown {
		text := "… " + printable.Quantity(v.Last-v.First+1, "step")
		if v.Hidden {
			text += " hidden"
		}
		if v.Decisions > 0 {
			text += ", " + printable.Quantity(v.Decisions, "decision")
		}
		return []textLine{{text: text, colour: grey}}
	}
	label := printable.Label(v.Label, view.LabelLength)
	n := v.Last - v.First + 1
	if n > 1 {
		label += fmt.Sprintf(" ×%d", n)
	}
	// A message without an arrow names the step in which it is received, or was sent.
	otherEnd := ""
	switch {
	case v.Peer >= 0:
	case v.Kind == view.Sending && v.Other > 0:
		otherEnd = fmt.Sprintf("received in step %d", v.Other)
	case v.Kind == view.Sending && v.Again:
		otherEnd = "received in a later round"
	case v.Kind == view.Sending:
		otherEnd = "not received on this run"
	case v.Kind == view.Receipt:
		otherEnd = fmt.Sprintf("sent in step %d", v.Other)
	}
	lines := []textLine{{text: label}}
	if otherEnd != "" {
		lines = append(lines, textLine{text: otherEnd, colour: grey})
	}
	for _, text := range v.Remarks {
		lines = append(lines, textLine{text: text, colour: black})
	}
	if v.NoReturn {
		lines = append(lines, textLine{"point of no return", vermillion, true})
	}
	return lines
}

// eventTitle describes an event for screen readers.
func eventTitle(c *view.Chart, v *view.Event) string {
	steps := "step " + stepNumbers(v)
	if v.First != v.Last {
		steps = "steps " + stepNumbers(v)
	}
	if v.Kind == view.Unshown {
		return steps + ": not shown one by one"
	}
	where := printable.Cut(c.Lanes[v.From].Name, maxTooltipText)
	switch {
	case v.Kind == view.Receipt:
		where = fmt.Sprintf("%s from %s", printable.Cut(c.Lanes[v.To].Name, maxTooltipText),
			where)
	case v.From != v.To:
		where += " to " + printable.Cut(c.Lanes[v.To].Name, maxTooltipText)
	}
	return fmt.Sprintf("%s, %s, state %s to %s: %s", steps, where, v.Leaves, v.Enters,
		printable.Cut(v.Label, maxTooltipText))
}

// Distances on a sheet, in points at the default size of letters.
const (
	border      = 10  // around everything
	between     = 7   // between events
	inset       = 6   // around the text in a box
	headLength  = 8   // of an arrow
	noteWidth   = 300 // the width after which lines of notes are broken
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
	wires   canvas // arrows of messages under way, which are drawn below everything else

	laneX       []float64 // the positions of lanes
	gutter      float64   // where the numbers of steps end
	left, right float64   // the ends of everything in lanes
	y           float64   // the height of everything drawn so far
	top         float64   // where the lines of lanes begin
	arrowY      []float64 // the heights of the arrows of events
	textAreas   []area    // the areas of the texts of events that have no box
	// positions are the positions that clearTexts has found for the texts of events.
	positions  []textPosition
	extraWidth []float64 // the room that each event needs in addition to the width of its text
	besideLane []float64 // the room that the texts beside each lane need on each side of it
	frameTop   float64
	// lifelineOffset is the offset in the output at which the lines of lanes are inserted.
	lifelineOffset int
}

// newSheet returns an empty sheet on which the lanes have their places and all texts have their sizes.
func newSheet(c *view.Chart, o Options) *sheet {
	s := &sheet{
		c:         c,
		letters:   typeface.Load(),
		size:      sizesOf(o),
		positions: make([]textPosition, len(c.Events)),

		extraWidth: make([]float64, len(c.Events)),
		besideLane: make([]float64, len(c.Lanes)),
	}
	s.unit = s.size.label / defaultFontSize
	for i := range c.Events {
		s.gutter = max(s.gutter, s.width(stepNumbers(&c.Events[i]), s.size.legend, false))
	}
	s.gutter += border
	s.placeLanes()
	hasWires := slices.ContainsFunc(c.Events, func(v view.Event) bool {
		return v.Kind == view.Receipt && v.Peer >= 0
	})
	if hasWires {
		// Only the positions of lanes and texts remain: the sheet is cleared afterwards.
		s.clearTexts()
	}
	s.erase()
	return s
}

// clearTexts moves texts, and the heads of arrows that end under way, to positions that no arrow of
// another message crosses. If there is no such position, lanes move apart; the heights of events do
// not change. Cost O(size of the chart · messages under way at one height), where the last factor
// is bounded. clearTexts draws the chart only to learn the places of texts and arrows.
func (s *sheet) clearTexts() {
	for widenings := 0; ; widenings++ {
		clear(s.positions)
		s.erase()
		s.drawLanes()
		for i := range s.c.Events {
			s.drawEvent(i)
		}
		if s.findPositions() || widenings == mostWidenings {
			return
		}
		s.placeLanes()
	}
}

// erase removes everything drawn, and keeps the positions of lanes and texts.
func (s *sheet) erase() {
	s.out = canvas{}
	s.wires = canvas{}
	s.y = border
	s.arrowY = make([]float64, len(s.c.Events))
	s.textAreas = make([]area, len(s.c.Events))
}

func (s *sheet) width(text string, size float64, bold bool) float64 {
	return s.letters.Width(text, typeface.Style{Size: size, Bold: bold})
}

// widest returns the width of the widest line.
func (s *sheet) widest(lines []textLine) float64 {
	widest := 0.0
	for _, line := range lines {
		widest = max(widest, s.width(line.text, s.size.label, line.bold))
	}
	return widest
}

// lineHeight returns the height of a line of text.
func (s *sheet) lineHeight() float64 { return 1.25 * s.size.label }

// laneDistance is the least distance between two lanes at which the texts between them fit.
type laneDistance struct {
	from, to int
	distance float64
}

// placeLanes puts lanes side by side, at distances at which the texts between them fit.
func (s *sheet) placeLanes() {
	heads := s.halfHeads()
	half := s.halfWidths(heads)
	gaps := make([]float64, max(len(heads)-1, 0))
	for i := range gaps {
		headsFit := heads[i] + heads[i+1] + laneDistant*s.unit
		gaps[i] = max(headsFit, half[i]+inset*s.unit, half[i+1]+inset*s.unit)
	}
	for _, span := range s.messageSpans() {
		span.widen(gaps)
	}
	s.setPositions(gaps, half)
	for i := range s.c.Events {
		// A note must fit into the frame of the loop around the lanes.
		for k, line := range s.c.Events[i].Decision {
			width := min(s.width(line, s.size.stub, k == 0), noteWidth*s.unit)
			s.right = max(s.right, s.left+width+2*inset*s.unit)
		}
	}
}

// halfHeads returns the room that the head of each lane takes on each side of the lane.
func (s *sheet) halfHeads() []float64 {
	heads := make([]float64, len(s.c.Lanes))
	for i, lane := range s.c.Lanes {
		heads[i] = s.halfHead(lane)
	}
	return heads
}

// halfHead returns half the width of the head of a lane.
func (s *sheet) halfHead(lane view.Lane) float64 {
	return max(s.width(laneName(lane), s.size.state, true)/2+inset*s.unit, 24*s.unit)
}

// halfWidths returns the room that each lane takes on each side: for its head, for the events of this
// lane alone, and for the texts beside it.
func (s *sheet) halfWidths(heads []float64) []float64 {
	half := slices.Clone(heads)
	for i := range half {
		half[i] = max(half[i], s.besideLane[i])
	}
	for i := range s.c.Events {
		v := &s.c.Events[i]
		if v.Kind != view.Unshown && v.From == v.To {
			half[v.From] = max(half[v.From], s.widest(eventLines(v))/2+inset*s.unit)
		}
	}
	for _, m := range s.c.Missing {
		half[m.Lane] = max(half[m.Lane], s.widest(missingLines(m))/2+inset*s.unit)
	}
	return half
}

// messageSpans returns the distances that the texts of messages need. Those between near lanes come
// first.
func (s *sheet) messageSpans() []laneDistance {
	var spans []laneDistance
	for i := range s.c.Events {
		v := &s.c.Events[i]
		if v.Kind == view.Unshown || v.From == v.To {
			continue
		}
		besidesText := (2*headLength+2*inset)*s.unit + s.extraWidth[i]
		spans = append(spans, laneDistance{
			from:     min(v.From, v.To),
			to:       max(v.From, v.To),
			distance: s.widest(eventLines(v)) + besidesText,
		})
	}
	slices.SortStableFunc(spans, func(a, b laneDistance) int {
		return (a.to - a.from) - (b.to - b.from)
	})
	return spans
}

// widen widens the gaps between the two lanes by equal amounts if their sum is less than the distance.
func (a laneDistance) widen(gaps []float64) {
	between := gaps[a.from:a.to]
	total := 0.0
	for _, gap := range between {
		total += gap
	}
	missing := a.distance - total
	if missing <= 0 {
		return
	}
	for i := range between {
		between[i] += missing / float64(len(between))
	}
}

// setPositions sets the positions of the lanes from the gaps between them, and the left and right ends of
// the area that the lanes take.
func (s *sheet) setPositions(gaps, half []float64) {
	s.laneX = nil
	s.right = 0
	s.left = s.gutter + 2*border*s.unit
	x := s.left + half[0]
	for i := range half {
		s.laneX = append(s.laneX, x)
		s.right = max(s.right, x+half[i])
		s.left = min(s.left, x-half[i])
		if i < len(gaps) {
			x += gaps[i]
		}
	}
}

// drawCaption draws the caption.
func (s *sheet) drawCaption() {
	// The diagnosis or, without one, the first line is large and bold.
	boldLines := max(1, len(folded(s.c.Caption.Diagnosis, maxDiagnosisLine)))
	for i, line := range caption(s.c.Caption) {
		style := lettering{size: s.size.label}
		if i < boldLines {
			style = lettering{size: s.size.caption, bold: true}
		}
		text := printable.Cut(line, maxCaptionText)
		s.y += 1.3 * style.size
		s.text(style, border, s.y, text)
	}
	s.y += between * s.unit
}

// drawLegend draws the legend, below the events.
func (s *sheet) drawLegend() {
	var kinds []view.EventKind
	for _, kind := range []view.EventKind{view.Message, view.Action, view.Sending} {
		hasKind := func(v view.Event) bool { return v.Kind == kind }
		if slices.ContainsFunc(s.c.Events, hasKind) {
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) < 2 { // a single kind needs no explanation
		return
	}
	s.y += between * s.unit
	s.out.group("legend", "legend", "legend")
	for _, kind := range kinds {
		x := border * 1.0
		u := s.unit
		s.y += 1.4 * s.size.legend
		y := s.y - 0.35*s.size.legend // the middle of the line
		text := ""
		switch kind {
		case view.Message:
			text = "both lanes do the step together"
			s.out.along(stroke{colour: black, width: messageWidth}, x, y, x+30*u, y)
			s.arrowhead(black, x, y, x+30*u, y)
		case view.Action:
			text = "one lane does the step"
			s.out.box("box", "white", black, x+6*u, y-4*u, 18*u, 8*u)
		case view.Sending:
			text = "sent by one step, received by another"
			if slices.ContainsFunc(s.c.Events, isLost) {
				text += "; a cross: not received on this run"
			}
			s.out.along(stroke{colour: black, width: messageWidth}, x, y-4*u, x+30*u, y+4*u)
			s.arrowhead(black, x, y-4*u, x+30*u, y+4*u)
		}
		s.text(lettering{size: s.size.legend}, x+38*u, s.y, text)
	}
	s.out.ungroup()
}

// text writes a line of text.
func (s *sheet) text(l lettering, x, y float64, text string) {
	width := s.width(text, l.size, l.bold)
	anchor := cmp.Or(l.anchor, "start")
	weight := ""
	colour := ""
	length := ""
	switch anchor {
	case "start":
		s.out.right = max(s.out.right, x+width)
	case "middle":
		s.out.right = max(s.out.right, x+width/2)
	}
	if l.bold {
		weight = ` font-weight="bold"`
	}
	if l.colour != "" {
		colour = ` fill="` + l.colour + `"`
	}
	if width > 0 {
		// textLength makes the browser fit the text into its box, whatever the typeface.
		length = ` textLength="` + points(width) + `" lengthAdjust="spacingAndGlyphs"`
	}
	fmt.Fprintf(&s.out.b,
		"\n"+`<text text-anchor="%s" x="%s" y="%s"%s font-family="%s"%s font-size="%s"%s>%s</text>`,
		anchor, points(x), points(y), length, font, weight, points(l.size), colour, escapeXML.Replace(text))
}

// isLost reports whether an event sends a message that is never received.
func isLost(v view.Event) bool { return v.Kind == view.Sending && v.Other == 0 && !v.Again }

// messageWidth is the width of the line of a message, in points.
const messageWidth = 1.4

// drawLanes draws the heads of the lanes. Their vertical lines lie below everything else, so chartSVG
// inserts them at this point of the SVG once their length is known.
func (s *sheet) drawLanes() {
	height := 1.9 * s.size.state
	for i, lane := range s.c.Lanes {
		half := s.halfHead(lane)
		line := stroke{colour: black, width: thin}
		class := "lane"
		if lane.Elsewhere {
			line.dash = "3,2"
			class = "lane elsewhere"
		}
		s.out.group(fmt.Sprintf("lane-%d", i+1), class,
			"lane "+printable.Cut(lane.Name, maxTooltipText))
		x := s.laneX[i]
		s.out.polygon("box", "white", line, x-half, s.y, x+half, s.y, x+half, s.y+height,
			x-half, s.y+height)
		s.text(lettering{size: s.size.state, bold: true, anchor: "middle"}, x,
			s.y+height/2+0.35*s.size.state, laneName(lane))
		s.out.ungroup()
	}
	s.y += height
	s.top = s.y
	s.lifelineOffset = s.out.b.Len()
}

// drawEvent draws an event and, above the event, the decision in the state before it.
func (s *sheet) drawEvent(i int) {
	v := &s.c.Events[i]
	s.y += between * s.unit
	loop := s.c.Loop
	if loop != nil && loop.First == i {
		s.frameTop = s.y
		s.y += 1.9 * s.size.stub
	}
	s.out.group(fmt.Sprintf("event-%d", i+1), eventClasses(s.c, i), eventTitle(s.c, v))
	if len(v.Decision) > 0 {
		first := slices.Min(v.Deciders)
		last := slices.Max(v.Deciders)
		s.drawNote(v.Decision, (s.laneX[first]+s.laneX[last])/2)
	}
	top := s.y
	switch {
	case v.Kind == view.Unshown:
		s.drawEventText(i, (s.left+s.right)/2, "middle")
	case v.From == v.To:
		line := stroke{colour: black, width: thin}
		if v.NoReturn {
			line = stroke{colour: vermillion, width: thick}
		}
		s.boxed(eventLines(v), s.laneX[v.From], line)
	default:
		s.drawMessage(i)
	}
	hasArrow := s.arrowY[i] != 0
	if !hasArrow {
		s.arrowY[i] = (top + s.y) / 2
	}
	numbers := lettering{size: s.size.legend, colour: grey, anchor: "end"}
	s.text(numbers, s.gutter, s.arrowY[i]+0.35*s.size.legend, stepNumbers(v))
	s.out.ungroup()
	if loop != nil && loop.Last == i {
		s.y += between * s.unit
		s.drawFrame()
	}
}

// boxed draws a box with lines of text, whose centre is at the x-coordinate middle.
func (s *sheet) boxed(lines []textLine, middle float64, line stroke) {
	width := s.widest(lines) + 2*inset*s.unit
	height := float64(len(lines))*s.lineHeight() + 0.5*inset*s.unit
	x := middle - width/2
	y := s.y
	s.out.polygon("box", "white", line, x, y, x+width, y, x+width, y+height, x, y+height)
	s.y += 0.25 * inset * s.unit
	s.lines(lines, middle, "middle")
	s.y = y + height
}

// drawMissing draws an action that never happens: a dashed box in its lane.
func (s *sheet) drawMissing(i int) {
	m := s.c.Missing[i]
	lines := missingLines(m)
	s.y += between * s.unit
	s.out.group(fmt.Sprintf("missing-%d", i+1), "missing",
		strings.Join([]string{lines[0].text, lines[1].text}, ": "))
	s.boxed(lines, s.laneX[m.Lane], stroke{colour: vermillion, width: thin, dash: "3,2"})
	s.out.ungroup()
}

// missingLines returns the text of an action that never happens.
func missingLines(m view.Missing) []textLine {
	return []textLine{
		{text: "✗ " + printable.Label(m.Label, view.LabelLength), colour: vermillion},
		{text: "awaited, never comes", colour: grey},
	}
}

// eventClasses are the SVG classes of an event.
func eventClasses(c *view.Chart, i int) string {
	v := &c.Events[i]
	if v.Kind == view.Unshown {
		return fmt.Sprintf("edge gap on-run first-%d last-%d", v.First, v.Last)
	}
	names := classes{
		"edge transition on-run",
		[...]string{"action", "message", "sending", "receipt"}[v.Kind],
	}
	names.add(c.Loop != nil && c.Loop.First <= i, "loop")
	names.add(v.NoReturn, "no-return")
	steps := make([]int, v.Last-v.First+1)
	for k := range steps {
		steps[k] = v.First + k
	}
	names.addSteps(steps)
	return names.String()
}

// drawNote draws a box with lines of text. The centre of the box is at the x-coordinate middle, or as near
// to it as the lanes allow.
func (s *sheet) drawNote(text []string, middle float64) {
	betweenEnds := s.right - s.left - 2*inset*s.unit
	widest := min(betweenEnds, 2*noteWidth*s.unit)
	widest = max(widest, noteWidth*s.unit)
	var lines []string
	for _, line := range text {
		lines = append(lines, s.broken(line, widest)...)
	}
	width := 0.0
	for i, line := range lines {
		width = max(width, s.width(line, s.size.stub, i == 0))
	}
	width += 2 * inset * s.unit
	height := float64(len(lines))*1.25*s.size.stub + inset*s.unit
	x := max(s.left, min(middle-width/2, s.right-width))
	s.out.box("note", "#FFF7D6", black, x, s.y, width, height)
	for i, line := range lines {
		baseline := s.y + float64(i+1)*1.25*s.size.stub + 0.1*s.size.stub
		s.text(lettering{size: s.size.stub, bold: i == 0}, x+inset*s.unit, baseline, line)
	}
	s.y += height + between*s.unit
}

// broken breaks a line of a note between words if it is wider than widest. Further lines are indented.
func (s *sheet) broken(line string, widest float64) []string {
	var lines []string
	words := strings.Split(line, " ")
	current := words[0]
	for _, word := range words[1:] {
		joined := current + " " + word
		if current == "" {
			joined = word
		}
		if current != "" && s.width(joined, s.size.stub, false) > widest {
			lines = append(lines, current)
			joined = "   " + word
		}
		current = joined
	}
	return append(lines, current)
}

// lines writes lines of text, from the current height downwards.
func (s *sheet) lines(lines []textLine, x float64, anchor string) {
	for _, w := range lines {
		s.y += s.lineHeight()
		s.text(lettering{size: s.size.label, colour: w.colour, bold: w.bold, anchor: anchor}, x,
			s.y-0.25*s.size.label, w.text)
	}
}

// drawEventText writes the lines at an event, and records their area. The point x is the start, middle or
// end of the lines, as anchor says, unless clearTexts has moved the text. A white background covers the
// lines of lanes.
func (s *sheet) drawEventText(i int, x float64, anchor string) {
	lines := eventLines(&s.c.Events[i])
	width := s.widest(lines)
	position := s.positions[i]
	if position.moved && anchor != "middle" {
		anchor = position.anchor // the text may be on the other side of its lane
	}
	// offset is the distance from the left end of the lines to x.
	offset := map[string]float64{"start": 0, "middle": width / 2, "end": width}[anchor]
	if position.moved {
		x = position.left + offset
	}
	left := x - offset
	height := float64(len(lines)) * s.lineHeight()
	s.textAreas[i] = area{
		left:   left,
		right:  left + width,
		top:    s.y,
		bottom: s.y + height,
	}
	s.out.box("paper", "white", "none", left-1, s.y, width+2, height)
	s.lines(lines, x, anchor)
}

// lineOf returns the style of an event's arrow.
func lineOf(v *view.Event) stroke {
	if v.NoReturn {
		return stroke{colour: vermillion, width: thick}
	}
	return stroke{colour: black, width: messageWidth}
}

// drawMessage draws a step that two lanes take together, or the sending or receipt of a message.
func (s *sheet) drawMessage(i int) {
	v := &s.c.Events[i]
	switch v.Kind {
	case view.Message:
		from := s.laneX[v.From]
		to := s.laneX[v.To]
		s.drawEventText(i, (from+to)/2, "middle")
		s.y += 2 * s.unit
		s.arrowY[i] = s.y
		s.arrow(&s.out, lineOf(v), from, s.y, to, s.y)
		s.y += 3 * s.unit
	case view.Sending:
		s.drawSending(i)
	case view.Receipt:
		s.drawReceipt(i)
	}
}

// drawSending draws the sending of a message and, if the receipt is not shown or never happens, the
// beginning of its way.
func (s *sheet) drawSending(i int) {
	v := &s.c.Events[i]
	from := s.laneX[v.From]
	to := s.laneX[v.To]
	direction := 1.0
	anchor := "start"
	if to < from {
		direction = -1
		anchor = "end"
	}
	s.drawEventText(i, from+direction*inset*s.unit, anchor)
	s.y += 2 * s.unit
	if v.Peer < 0 {
		s.y += 3 * s.unit
		line := lineOf(v)
		end := s.endUnderWay(from, to, s.positions[i].crossed)
		if isLost(*v) {
			s.out.along(line, from, s.y, end, s.y)
			s.cross(line.colour, end)
		} else {
			s.arrow(&s.out, line, from, s.y, end+direction*headLength*s.unit/2, s.y)
		}
	}
	s.arrowY[i] = s.y
	s.y += 3 * s.unit
}

// cross draws a cross at the current height.
func (s *sheet) cross(colour string, x float64) {
	arm := crossArm * s.unit
	line := stroke{colour: colour, width: 2}
	s.out.along(line, x-arm, s.y-arm, x+arm, s.y+arm)
	s.out.along(line, x-arm, s.y+arm, x+arm, s.y-arm)
}

// drawReceipt draws the receipt of a message, and the arrow from the event that sent it.
func (s *sheet) drawReceipt(i int) {
	v := &s.c.Events[i]
	from := s.laneX[v.From]
	to := s.laneX[v.To]
	direction := 1.0
	anchor := "end"
	if to < from {
		direction = -1
		anchor = "start"
	}
	s.y += 3 * s.unit
	s.arrowY[i] = s.y
	if v.Peer >= 0 {
		// The event that sent the message may be far above, so the arrow is drawn below everything
		// between.
		sent := &s.c.Events[v.Peer]
		classes := fmt.Sprintf("edge wire on-run step-%d step-%d", sent.First, v.First)
		if sent.NoReturn {
			classes += " no-return"
		}
		s.wires.group(fmt.Sprintf("wire-%d", v.Peer+1), classes,
			fmt.Sprintf("sent in step %d, received in step %d", sent.First, v.First))
		s.arrow(&s.wires, lineOf(sent), from, s.arrowY[v.Peer], to, s.y)
		s.wires.ungroup()
	} else {
		s.arrow(&s.out, lineOf(v), (from+to)/2, s.y, to, s.y)
	}
	s.y += 4 * s.unit
	s.drawEventText(i, to-direction*inset*s.unit, anchor)
}

// arrow draws an arrow that ends at the point x, y. Its line is drawn on the given canvas, which may lie
// below the canvas of its head.
func (s *sheet) arrow(on *canvas, line stroke, fromX, fromY, x, y float64) {
	endInsideHead := x - math.Copysign(headLength*s.unit/2, x-fromX)
	on.along(line, fromX, fromY, endInsideHead, y)
	s.arrowhead(line.colour, fromX, fromY, x, y)
}

// arrowhead draws the head of an arrow that ends at the point x, y.
func (s *sheet) arrowhead(colour string, fromX, fromY, x, y float64) {
	length := headLength * s.unit
	half := 3.2 * s.unit // of the width of the head
	distance := math.Hypot(x-fromX, y-fromY)
	dx := (x - fromX) / distance // the direction of the arrow, of length 1
	dy := (y - fromY) / distance
	s.out.polygon("head", colour, stroke{colour: colour}, x, y,
		x-length*dx-half*dy, y-length*dy+half*dx, x-length*dx+half*dy, y-length*dy-half*dx)
}

// drawFrame draws the frame around the loop, down to the current height.
func (s *sheet) drawFrame() {
	f := s.c.Loop
	first := s.c.Events[f.First].First
	last := s.c.Events[f.Last].Last
	text := fmt.Sprintf("loop, forever: steps %d–%d", first, last)
	if first == last {
		text = fmt.Sprintf("loop, forever: step %d", first)
	}
	left := s.left - border*s.unit
	right := s.right + border*s.unit
	top := s.frameTop
	width := s.width(text, s.size.stub, true)
	height := 1.6 * s.size.stub
	s.out.group("loop", "frame", text)
	line := stroke{colour: grey, width: 1.5}
	s.out.polygon("outline", "none", line, left, top, right, top, right, s.y, left, s.y)
	tab := width + 2*inset*s.unit
	s.out.polygon("tab", "#EEEEEE", stroke{colour: grey}, left, top, left+tab, top, left+tab,
		top+0.6*height, left+tab-0.4*height, top+height, left, top+height)
	s.text(lettering{size: s.size.stub, bold: true}, left+0.5*inset*s.unit, top+0.72*height,
		text)
	s.out.ungroup()
	s.y += between * s.unit
}

// area is a rectangle on a sheet.
type area struct{ left, right, top, bottom float64 }

// textPosition is the position of the text of an event, and of the end of its arrow.
type textPosition struct {
	left    float64 // the left end of the text of the event
	moved   bool    // whether the text is not at its preferred position
	anchor  string  // the text anchor of the lines, which begin or end at the lane
	crossed []span  // intervals in which arrows of other messages pass the end of the event's arrow
}

// span is an interval on a horizontal line.
type span struct{ low, high float64 }

// flight is the slanted arrow of a message that is received in a later step.
type flight struct{ fromX, fromY, toX, toY float64 }

const (
	crossArm  = 3.5 // the arms of the cross at the end of a message that is never received
	clearance = 3   // the distance between texts or crosses and arrows or the lines of lanes
	nearby    = 30  // the largest distance of a text from its end of an arrow
	// mostWidenings bounds how often lanes are moved apart. mostFlights bounds how many arrows are
	// considered at one height.
	mostWidenings = 6
	mostFlights   = 64
)

// findPositions finds positions for all texts of a finished sheet, and reports whether each text has one.
// For a text without a position, it records how much more room the text or its lanes need. It goes through
// the events from top to bottom, and keeps the arrows of the messages that are under way at each event.
func (s *sheet) findPositions() bool {
	var underWay []flight
	flightFrom := map[int]flight{} // by the event that sends the message
	allFound := true
	for i := range s.c.Events {
		v := &s.c.Events[i]
		if v.Kind == view.Receipt && v.Peer >= 0 {
			underWay = slices.DeleteFunc(underWay, func(f flight) bool {
				return f == flightFrom[v.Peer]
			})
		}
		s.positions[i].crossed = passing(underWay, s.arrowY[i]-crossArm*s.unit, s.arrowY[i]+crossArm*s.unit,
			clearance*s.unit)
		hasText := s.textAreas[i] != area{}
		if hasText && !s.findPosition(i, underWay) {
			allFound = false
		}
		if v.Kind == view.Sending && v.Peer >= 0 {
			sent := flight{
				fromX: s.laneX[v.From],
				fromY: s.arrowY[i],
				toX:   s.laneX[v.To],
				toY:   s.arrowY[v.Peer],
			}
			flightFrom[i] = sent
			underWay = append(underWay, sent)
			if len(underWay) > mostFlights {
				underWay = underWay[1:]
			}
		}
	}
	return allFound
}

// findPosition sets the position of the text of event i, which the arrows of messages under way must not
// cross. If it finds none, it records how much more room is needed, and returns false; but it returns true
// for an event in one lane, for which moving lanes apart would not help.
func (s *sheet) findPosition(i int, underWay []flight) bool {
	v := &s.c.Events[i]
	text := s.textAreas[i]
	besideLanes := s.besideLane[v.From] + s.besideLane[v.To]
	passed := passing(underWay, text.top, text.bottom, clearance*s.unit)
	left, found := s.freePosition(v, text, passed)
	position := &s.positions[i]
	position.left = left
	position.moved = found && left != text.left
	position.anchor = "end"
	if left >= s.laneX[endOf(v)] {
		position.anchor = "start"
	}
	if found || v.From == v.To {
		return true
	}
	hasAskedForRoom := s.besideLane[v.From]+s.besideLane[v.To] != besideLanes
	if !hasAskedForRoom {
		s.extraWidth[i] += (text.right - text.left) / 2
	}
	return false
}

// passing returns the horizontal intervals that arrows cover between the heights top and bottom. The
// range of heights and the intervals are extended by room at both ends. Heights grow downwards.
func passing(flights []flight, top, bottom, room float64) []span {
	var all []span
	for _, f := range flights {
		upper := max(top-room, f.fromY)
		lower := min(bottom+room, f.toY)
		if upper > lower {
			continue
		}
		xAt := func(y float64) float64 {
			return f.fromX + (f.toX-f.fromX)*(y-f.fromY)/(f.toY-f.fromY)
		}
		all = append(all, span{
			min(xAt(upper), xAt(lower)) - room,
			max(xAt(upper), xAt(lower)) + room,
		})
	}
	return all
}

// freePosition returns the left end of the free position that is nearest to the preferred position of a
// text. If the other end of the message is not shown, the text may be anywhere along its arrow. Any
// other text is near the end of its arrow, on either side of the lane or, if arrows cross both sides,
// anywhere between the lanes.
func (s *sheet) freePosition(v *view.Event, text area, passed []span) (left float64, found bool) {
	width := text.right - text.left
	gap := inset * s.unit
	near := nearby * s.unit
	// excluded are the intervals where the left end of the text cannot be.
	excluded := make([]span, len(passed))
	for i, p := range passed {
		excluded[i] = span{p.low - width, p.high}
	}
	if v.Kind == view.Unshown {
		return nearest(text.left, span{s.left, s.right - width}, excluded)
	}
	low := min(s.laneX[v.From], s.laneX[v.To])
	high := max(s.laneX[v.From], s.laneX[v.To])
	along := span{low + gap, high - gap - width}
	nearEnd := span{max(along.low, text.left-near), min(along.high, text.left+near)}
	if v.Peer < 0 {
		nearEnd = along
	}
	left, found = nearest(text.left, nearEnd, excluded)
	if found {
		return left, true
	}
	lane := endOf(v)
	otherSide := span{s.laneX[lane] + gap, min(s.right-width, s.laneX[lane]+gap+near)}
	available := s.right - s.laneX[lane]
	if s.laneX[lane] == low {
		otherSide = span{max(s.left, low-gap-width-near), low - gap - width}
		available = low - s.left
	}
	left, found = nearest(s.laneX[lane]-width/2, otherSide, excluded)
	if found {
		return left, true
	}
	need := width + 2*gap
	if available < need {
		s.besideLane[lane] = max(s.besideLane[lane], need)
		return text.left, false
	}
	return nearest(text.left, along, excluded)
}

// endOf returns the lane that the text of an event belongs to.
func endOf(v *view.Event) int {
	if v.Kind == view.Receipt {
		return v.To
	}
	return v.From
}

// nearest returns the number nearest to the wanted one that lies in the allowed span and inside no
// excluded span; false if there is none. The nearest one is the wanted number or the end of a span.
func nearest(wanted float64, allowed span, excluded []span) (float64, bool) {
	best := wanted
	found := false
	try := func(x float64) {
		isInside := func(s span) bool { return s.low < x && x < s.high }
		isFree := allowed.low <= x && x <= allowed.high && !slices.ContainsFunc(excluded, isInside)
		isNearer := !found || math.Abs(x-wanted) < math.Abs(best-wanted)
		if isFree && isNearer {
			best = x
			found = true
		}
	}
	try(wanted)
	try(allowed.low)
	try(allowed.high)
	for _, s := range excluded {
		try(s.low)
		try(s.high)
	}
	return best, found
}

// endUnderWay returns the end of the arrow of a message under way. The arrow ends halfway. If the line
// of a lane is so near to this point that the lane would seem to receive the message, the arrow ends
// before the next lane. If possible, no other arrow crosses the end.
func (s *sheet) endUnderWay(from, to float64, passed []span) float64 {
	reach := (crossArm + clearance) * s.unit
	halfway := (from + to) / 2
	var excluded []span
	for _, p := range passed {
		excluded = append(excluded, span{p.low - crossArm*s.unit, p.high + crossArm*s.unit})
	}
	nextLane := to // the first lane on the way
	isNearLane := false
	for _, x := range s.laneX {
		isNearLane = isNearLane || math.Abs(x-halfway) < reach
		excluded = append(excluded, span{x - reach, x + reach})
		isOnWay := (x-from)*(to-from) > 0
		if isOnWay && math.Abs(x-from) < math.Abs(nextLane-from) {
			nextLane = x
		}
	}
	wanted := halfway
	switch {
	case math.Abs(nextLane-from) < 2*reach:
		return (from + nextLane) / 2
	case isNearLane && nextLane > from:
		wanted = nextLane - reach
	case isNearLane:
		wanted = nextLane + reach
	}
	end, _ := nearest(wanted, span{min(from, to), max(from, to)}, excluded)
	return end
}

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

// group begins a g element; ungroup ends it.
func (c *canvas) group(id, class, title string) {
	fmt.Fprintf(&c.b, "\n"+`<g id="%s" class="%s"><title>%s</title>`, id, class,
		escapeXML.Replace(title))
}

func (c *canvas) ungroup() { c.b.WriteString("\n</g>") }

// box draws a rectangle, given by its left, its top, its width and its height.
func (c *canvas) box(class, fill, colour string, x, y, width, height float64) {
	c.polygon(class, fill, stroke{colour: colour}, x, y, x+width, y, x+width, y+height, x,
		y+height)
}

func (c *canvas) polygon(class, fill string, s stroke, at ...float64) {
	fmt.Fprintf(&c.b, "\n"+`<polygon class="%s" fill="%s"%s points="%s"/>`, class, fill,
		s.attributes(), c.path(append(at, at[0], at[1])))
}

// along draws a line through points as a path element, since Graphviz draws arrows in this way.
func (c *canvas) along(s stroke, at ...float64) {
	text := c.path(at)
	fmt.Fprintf(&c.b, "\n"+`<path fill="none"%s d="M%s"/>`, s.attributes(),
		strings.Replace(text, " ", "L", 1))
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

// path returns the points of a path, given by alternating x- and y-coordinates.
func (c *canvas) path(coordinates []float64) string {
	var b strings.Builder
	for i := 0; i+1 < len(coordinates); i += 2 {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(points(coordinates[i]) + "," + points(coordinates[i+1]))
		c.right = max(c.right, coordinates[i])
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

// points writes a length in the form that Graphviz uses.
func points(n float64) string { return strconv.FormatFloat(n, 'f', 2, 64) }
