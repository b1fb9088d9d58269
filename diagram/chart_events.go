package diagram

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
)

// head draws the caption and the legend.
func (s *sheet) head(legend bool) {
	strong := max(1, len(folded(s.c.Caption.Diagnosis, maxDiagnosisLine)))
	for i, line := range chartCaption(s.c) {
		set := lettering{size: s.size.label}
		if i < strong {
			set = lettering{size: s.size.caption, bold: true}
		}
		text := printable.Cut(line, maxCaptionText)
		s.y += 1.3 * set.size
		s.text(set, border, s.y, text)
	}
	s.y += between * s.unit
	var kinds []view.EventKind
	for _, kind := range []view.EventKind{view.Message, view.Action, view.Sending} {
		if legend && slices.ContainsFunc(s.c.Events, func(v view.Event) bool { return v.Kind == kind }) {
			kinds = append(kinds, kind)
		}
	}
	for _, kind := range kinds {
		if len(kinds) > 1 { // a single one needs no distinction
			s.legend(kind)
		}
	}
	s.y += between * s.unit
}

// text writes a line of text.
func (s *sheet) text(l lettering, x, y float64, text string) {
	s.out.text(l, x, y, s.width(text, l.size, l.bold), text)
}

// legend adds the legend of a kind of event.
func (s *sheet) legend(kind view.EventKind) {
	x, u := border*1.0, s.unit
	s.y += 1.4 * s.size.legend
	y, text := s.y-0.35*s.size.legend, ""
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

// isLost reports whether an event sends a message that is never received.
func isLost(v view.Event) bool { return v.Kind == view.Sending && v.Other == 0 && !v.Again }

// messageWidth is the width of the line of a message, in points.
const messageWidth = 1.4

// lanes draws the heads of the lanes. Their vertical lines lie below everything else; the method
// end inserts the lines at this point of the SVG, when their length is known.
func (s *sheet) lanes() {
	height := 1.9 * s.size.state
	for i, lane := range s.c.Lanes {
		text := laneName(lane)
		half := max(s.width(text, s.size.state, true)/2+inset*s.unit, 24*s.unit)
		line, class := stroke{colour: black, width: thin}, "lane"
		if lane.Elsewhere {
			line.dash, class = "3,2", "lane elsewhere"
		}
		s.out.group(fmt.Sprintf("lane-%d", i+1), class, "lane "+printable.Cut(lane.Name, maxTooltipText))
		x := s.x[i]
		s.out.polygon("box", "white", line, x-half, s.y, x+half, s.y, x+half, s.y+height, x-half, s.y+height)
		s.text(lettering{size: s.size.state, bold: true, anchor: "middle"}, x, s.y+height/2+0.35*s.size.state, text)
		s.out.ungroup()
	}
	s.y += height
	s.top = s.y
	s.lifelines = s.out.b.Len()
}

// event draws an event and, above it, the decision in the state that it leaves.
func (s *sheet) event(i int) {
	v := &s.c.Events[i]
	s.y += between * s.unit
	if f := s.c.Loop; f != nil && f.First == i {
		s.frameTop = s.y
		s.y += 1.9 * s.size.stub
	}
	s.out.group(fmt.Sprintf("event-%d", i+1), eventClasses(s.c, i), eventTitle(s.c, v))
	if len(v.Decision) > 0 {
		s.note(v.Decision, (s.x[v.From]+s.x[v.To])/2)
	}
	top := s.y
	switch {
	case v.Kind == view.Unshown:
		s.unshown(i)
	case v.From == v.To:
		s.action(v)
	case v.Kind == view.Receipt:
		s.receipt(i)
	default:
		s.message(i)
	}
	if s.at[i] == 0 {
		s.at[i] = (top + s.y) / 2
	}
	s.text(lettering{size: s.size.legend, colour: grey, anchor: "end"}, s.gutter, s.at[i]+0.35*s.size.legend, stepNumbers(v))
	s.out.ungroup()
	if f := s.c.Loop; f != nil && f.Last == i {
		s.y += between * s.unit
		s.frame()
	}
}

// eventClasses are the SVG classes of an event.
func eventClasses(c *view.Chart, i int) string {
	v := &c.Events[i]
	if v.Kind == view.Unshown {
		return fmt.Sprintf("edge gap on-run first-%d last-%d", v.First, v.Last)
	}
	classes := "edge transition on-run " + [...]string{"action", "message", "sending", "receipt"}[v.Kind]
	if c.Loop != nil && c.Loop.First <= i {
		classes += " loop"
	}
	if v.NoReturn {
		classes += " no-return"
	}
	if v.Last-v.First >= maxStepClasses {
		return classes + fmt.Sprintf(" gap first-%d last-%d", v.First, v.Last)
	}
	for step := v.First; step <= v.Last; step++ {
		classes += fmt.Sprintf(" step-%d", step)
	}
	return classes
}

// note draws a box with lines of text. It is centred at middle, or shifted where that leaves no
// room.
func (s *sheet) note(text []string, middle float64) {
	lines := s.broken(text)
	width := 0.0
	for i, line := range lines {
		width = max(width, s.width(line, s.size.stub, i == 0))
	}
	width += 2 * inset * s.unit
	height := float64(len(lines))*1.25*s.size.stub + inset*s.unit
	x := max(s.left, min(middle-width/2, s.right-width))
	s.out.box("note", "#FFF7D6", black, x, s.y, width, height)
	for i, line := range lines {
		y := s.y + float64(i+1)*1.25*s.size.stub + 0.1*s.size.stub
		s.text(lettering{size: s.size.stub, bold: i == 0}, x+inset*s.unit, y, line)
	}
	s.y += height + between*s.unit
}

// lettering returns the style of a line at an event.
func (s *sheet) lettering(w words) lettering {
	l := lettering{size: s.size.label}
	switch w.ink {
	case done:
		l.colour = black
	case lost:
		l.colour, l.bold = vermillion, true
	case aside:
		l.colour = grey
	}
	return l
}

// lines writes lines of text, downwards from the current height.
func (s *sheet) lines(all []words, x float64, anchor string) {
	for _, w := range all {
		s.y += s.line()
		set := s.lettering(w)
		set.anchor = anchor
		s.text(set, x, s.y-0.25*s.size.label, w.text)
	}
}

// caption writes the lines at an event: where [sheet.settle] has found room, or else at the default
// position. Their background covers the lines of lanes.
func (s *sheet) caption(i int, x float64, anchor string) {
	lines := eventLines(&s.c.Events[i])
	width := s.widest(lines)
	set := s.set[i]
	if set.moved && anchor != "middle" {
		anchor = set.anchor // the caption may be on the other side of its lane
	}
	offset := map[string]float64{"start": 0, "middle": width / 2, "end": width}[anchor]
	if set.moved {
		x = set.left + offset
	}
	s.rooms[i] = room{left: x - offset, right: x - offset + width, top: s.y, bottom: s.y + float64(len(lines))*s.line()}
	s.out.box("paper", "white", "none", x-offset-1, s.y, width+2, float64(len(lines))*s.line())
	s.lines(lines, x, anchor)
}

func (s *sheet) unshown(i int) { s.caption(i, (s.left+s.right)/2, "middle") }

func (s *sheet) action(v *view.Event) {
	lines := eventLines(v)
	width, height := s.widest(lines)+2*inset*s.unit, float64(len(lines))*s.line()+0.5*inset*s.unit
	line := stroke{colour: black, width: thin}
	if v.NoReturn {
		line = stroke{colour: vermillion, width: thick}
	}
	x, y := s.x[v.From]-width/2, s.y
	s.out.polygon("box", "white", line, x, y, x+width, y, x+width, y+height, x, y+height)
	s.y += 0.25 * inset * s.unit
	s.lines(lines, s.x[v.From], "middle")
	s.y = y + height
}

// lineOf returns the style of an event's arrow.
func lineOf(v *view.Event) stroke {
	if v.NoReturn {
		return stroke{colour: vermillion, width: thick}
	}
	return stroke{colour: black, width: messageWidth}
}

// message draws a step that two lanes do together, or the sending of a message.
func (s *sheet) message(i int) {
	v := &s.c.Events[i]
	from, to, way := s.x[v.From], s.x[v.To], 1.0
	if to < from {
		way = -1
	}
	if v.Kind == view.Message {
		s.caption(i, (from+to)/2, "middle")
		s.y += 2 * s.unit
		s.at[i] = s.y
		s.out.along(lineOf(v), from, s.y, to-way*headLength*s.unit/2, s.y)
		s.arrowhead(lineOf(v).colour, from, s.y, to, s.y)
		s.y += 3 * s.unit
		return
	}
	anchor := "start"
	if way < 0 {
		anchor = "end"
	}
	s.caption(i, from+way*inset*s.unit, anchor)
	s.y += 2 * s.unit
	s.at[i] = s.y
	if v.Peer < 0 {
		s.y += 3 * s.unit
		s.at[i] = s.y
		s.underWay(i, from, to, way)
	}
	s.y += 3 * s.unit
}

// underWay draws the sending of a message that has no arrow to its receipt: the receipt is not
// shown, or never happens.
func (s *sheet) underWay(i int, from, to, way float64) {
	v := &s.c.Events[i]
	end := s.endUnderWay(from, to, s.set[i].crossed)
	s.out.along(lineOf(v), from, s.y, end, s.y)
	if !isLost(*v) {
		s.arrowhead(lineOf(v).colour, from, s.y, end+way*headLength*s.unit/2, s.y)
		return
	}
	cross, arm := stroke{colour: lineOf(v).colour, width: 2}, crossArm*s.unit
	s.out.along(cross, end-arm, s.y-arm, end+arm, s.y+arm)
	s.out.along(cross, end-arm, s.y+arm, end+arm, s.y-arm)
}

// receipt draws the arrival of a message, with the arrow from the event that sent it.
func (s *sheet) receipt(i int) {
	v := &s.c.Events[i]
	from, to, way, anchor := s.x[v.From], s.x[v.To], 1.0, "end"
	if to < from {
		way, anchor = -1, "start"
	}
	s.y += 3 * s.unit
	s.at[i] = s.y
	line := lineOf(v)
	if v.Peer >= 0 {
		line = lineOf(&s.c.Events[v.Peer])
		s.wire(i, line, from, to, way)
		s.arrowhead(line.colour, from, s.at[v.Peer], to, s.y)
	} else {
		s.out.along(line, (from+to)/2, s.y, to-way*headLength*s.unit/2, s.y)
		s.arrowhead(line.colour, from, s.y, to, s.y)
	}
	s.y += 4 * s.unit
	s.caption(i, to-way*inset*s.unit, anchor)
}

// wire draws the arrow of a message from the event that sent it, which may be far above, below all
// that lies between.
func (s *sheet) wire(i int, line stroke, from, to, way float64) {
	peer := s.c.Events[i].Peer
	sent, received := &s.c.Events[peer], &s.c.Events[i]
	classes := fmt.Sprintf("edge wire on-run step-%d step-%d", sent.First, received.First)
	if sent.NoReturn {
		classes += " no-return"
	}
	s.wires.group(fmt.Sprintf("wire-%d", peer+1), classes, fmt.Sprintf("sent in step %d, received in step %d", sent.First, received.First))
	s.wires.along(line, from, s.at[peer], to-way*headLength*s.unit/2, s.at[i])
	s.wires.ungroup()
}

// arrowhead draws the head of an arrow between two points.
func (s *sheet) arrowhead(colour string, fromX, fromY, x, y float64) {
	length, half := headLength*s.unit, 3.2*s.unit
	dx, dy := x-fromX, y-fromY
	long := math.Hypot(dx, dy)
	dx, dy = dx/long, dy/long
	s.out.polygon("head", colour, stroke{colour: colour}, x, y,
		x-length*dx-half*dy, y-length*dy+half*dx, x-length*dx+half*dy, y-length*dy-half*dx)
}

// frame draws the frame around the loop, down to the current height.
func (s *sheet) frame() {
	f := s.c.Loop
	first, last := s.c.Events[f.First].First, s.c.Events[f.Last].Last
	text := fmt.Sprintf("loop, for ever: steps %d–%d", first, last)
	if first == last {
		text = fmt.Sprintf("loop, for ever: step %d", first)
	}
	left, right, top := s.left-border*s.unit, s.right+border*s.unit, s.frameTop
	width, height := s.width(text, s.size.stub, true), 1.6*s.size.stub
	s.out.group("loop", "frame", text)
	line := stroke{colour: grey, width: 1.5}
	s.out.polygon("outline", "none", line, left, top, right, top, right, s.y, left, s.y)
	tab := width + 2*inset*s.unit
	s.out.polygon("tab", "#EEEEEE", stroke{colour: grey}, left, top, left+tab, top, left+tab, top+0.6*height, left+tab-0.4*height, top+height, left, top+height)
	s.text(lettering{size: s.size.stub, bold: true}, left+0.5*inset*s.unit, top+0.72*height, text)
	s.out.ungroup()
	s.y += between * s.unit
}

// end draws the end of the run after the last event, and inserts the lines of the lanes.
func (s *sheet) end() {
	s.y += between * s.unit
	bottom := s.y
	if len(s.c.End) > 0 {
		s.out.group("ending", "ending", strings.Join(s.c.End, " "))
		s.note(s.c.End, (s.left+s.right)/2)
		s.out.ungroup()
	}
	var under canvas
	for i := range s.x {
		line := stroke{colour: "#888888", width: thin, dash: "4,3"}
		under.b.WriteString("\n" + `<g class="lifeline">`)
		under.along(line, s.x[i], s.top, s.x[i], bottom)
		under.ungroup()
	}
	drawn := bytes.Clone(s.out.b.Bytes())
	s.out.b.Reset()
	s.out.b.Write(drawn[:s.lifelines])
	s.out.b.Write(under.b.Bytes())
	s.out.b.Write(s.wires.b.Bytes())
	s.out.b.Write(drawn[s.lifelines:])
	s.out.right = max(s.out.right, s.right+border*s.unit)
}
