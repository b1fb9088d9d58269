package diagram

import (
	"math"
	"slices"

	"github.com/inev-lts/inev/diagram/view"
)

// room is a rectangle on a sheet.
type room struct{ left, right, top, bottom float64 }

// textPosition is the position of the text and the arrow of an event.
type textPosition struct {
	left    float64 // the left end of the text of the event
	moved   bool    // whether the text moved away from its preferred position
	anchor  string  // the text anchor of the lines, which begin or end at the lane
	crossed []span  // where arrows of other messages pass the end of the event's arrow
}

// span is an interval on a horizontal line.
type span struct{ low, high float64 }

// flight is the slanted arrow of a message that is received in a later step.
type flight struct {
	fromX, fromY, toX, toY float64
}

// within returns the horizontal interval that an arrow covers between the heights top and bottom.
// The range of heights, and then the interval, is widened by the distance room at both ends. It
// returns false if no part of the arrow lies between these heights.
func (f flight) within(top, bottom, room float64) (span, bool) {
	top, bottom = max(top-room, f.fromY), min(bottom+room, f.toY)
	if top > bottom {
		return span{}, false
	}
	at := func(y float64) float64 { return f.fromX + (f.toX-f.fromX)*(y-f.fromY)/(f.toY-f.fromY) }
	a, b := at(top), at(bottom)
	return span{min(a, b) - room, max(a, b) + room}, true
}

const (
	crossArm  = 3.5 // of the cross at the end of a message that is never received
	clearance = 3   // from text and crosses to arrows and the lines of lanes
	nearby    = 30  // the largest distance of a text from its end of an arrow
	// mostWidenings bounds how often lanes are moved apart, and mostFlights the number of arrows at
	// one height that are considered.
	mostWidenings = 6
	mostFlights   = 64
)

// settle moves texts, and the heads of arrows that end under way, to positions that no arrow of
// another message crosses. If there is none, it moves lanes apart. The heights of events do not
// change. Cost O(size of the chart), times the number of messages under way at one height, which is
// bounded.
func (s *sheet) settle() {
	if !slices.ContainsFunc(s.c.Events, func(v view.Event) bool { return v.Kind == view.Receipt && v.Peer >= 0 }) {
		return
	}
	for again := 0; ; again++ {
		clear(s.set)
		s.blank()
		s.lanes()
		for i := range s.c.Events {
			s.event(i)
		}
		if s.clears() || again == mostWidenings {
			return
		}
		s.places()
	}
}

// clears finds positions for all texts of a filled sheet. For a text without one, it records how
// much more room its lanes or the text need, and returns false.
func (s *sheet) clears() bool {
	var flights []flight
	under := map[int]flight{} // by the event that sends the message
	all := true
	for i := range s.c.Events {
		v := &s.c.Events[i]
		if v.Kind == view.Receipt && v.Peer >= 0 {
			flights = slices.DeleteFunc(flights, func(f flight) bool { return f == under[v.Peer] })
		}
		s.set[i].crossed = passing(flights, s.at[i]-crossArm*s.unit, s.at[i]+crossArm*s.unit, clearance*s.unit)
		if text := s.rooms[i]; text != (room{}) {
			known := s.behind[v.From] + s.behind[v.To]
			left, found := s.clear(v, text, passing(flights, text.top, text.bottom, clearance*s.unit))
			s.set[i].left, s.set[i].moved, s.set[i].anchor = left, found && left != text.left, "end"
			if left >= s.x[endOf(v)] {
				s.set[i].anchor = "start"
			}
			if !found && v.From != v.To {
				all = false
				if s.behind[v.From]+s.behind[v.To] == known {
					s.wider[i] += (text.right - text.left) / 2
				}
			}
		}
		if v.Kind == view.Sending && v.Peer >= 0 {
			f := flight{s.x[v.From], s.at[i], s.x[v.To], s.at[v.Peer]}
			under[i] = f
			if flights = append(flights, f); len(flights) > mostFlights {
				flights = flights[1:]
			}
		}
	}
	return all
}

// passing returns the intervals of all arrows between two heights: see [flight.within].
func passing(flights []flight, top, bottom, room float64) []span {
	var all []span
	for _, f := range flights {
		if at, passes := f.within(top, bottom, room); passes {
			all = append(all, at)
		}
	}
	return all
}

// clear returns the free position that is nearest to the preferred position of a text. The text of
// a horizontal arrow may be anywhere along the arrow. Any other text is near the end of its arrow,
// on either side of the lane or, if arrows cross both sides, between the lanes. A text may also be
// on the far side of a lane without another lane there.
func (s *sheet) clear(v *view.Event, text room, passed []span) (left float64, found bool) {
	width, side, near := text.right-text.left, inset*s.unit, nearby*s.unit
	not := before(passed, width)
	if v.Kind == view.Unshown {
		return nearest(text.left, span{s.left, s.right - width}, not)
	}
	low, high := min(s.x[v.From], s.x[v.To]), max(s.x[v.From], s.x[v.To])
	along := span{low + side, high - side - width}
	close := span{max(along.low, text.left-near), min(along.high, text.left+near)}
	if v.Peer < 0 {
		close = along
	}
	if left, found = nearest(text.left, close, not); found {
		return left, true
	}
	lane := endOf(v)
	behind, has := span{s.x[lane] + side, min(s.right-width, s.x[lane]+side+near)}, s.right-s.x[lane]
	if s.x[lane] == low {
		behind, has = span{max(s.left, low-side-width-near), low - side - width}, low-s.left
	}
	if left, found = nearest(s.x[lane]-width/2, behind, not); found {
		return left, true
	}
	if need := width + 2*side; has < need {
		s.behind[lane] = max(s.behind[lane], need)
		return text.left, false
	}
	return nearest(text.left, along, not)
}

// endOf returns the lane where the text of an event belongs.
func endOf(v *view.Event) int {
	if v.Kind == view.Receipt {
		return v.To
	}
	return v.From
}

// before returns the intervals where the left end of a text of this width must not be, so that the
// text overlaps none of the passed intervals.
func before(passed []span, width float64) []span {
	all := make([]span, len(passed))
	for i, p := range passed {
		all[i] = span{p.low - width, p.high}
	}
	return all
}

// nearest returns the number nearest to the wanted one that lies within one span and outside all
// forbidden spans; false if there is none.
func nearest(wanted float64, in span, not []span) (float64, bool) {
	best, found := wanted, false
	try := func(at float64) {
		if at < in.low || at > in.high || found && math.Abs(at-wanted) >= math.Abs(best-wanted) ||
			slices.ContainsFunc(not, func(n span) bool { return n.low < at && at < n.high }) {
			return
		}
		best, found = at, true
	}
	try(wanted)
	try(in.low)
	try(in.high)
	for _, n := range not {
		try(n.low)
		try(n.high)
	}
	return best, found
}

// endUnderWay returns the end of the arrow of a message under way. It is halfway or, if the line of
// another lane is so near that this lane would seem to receive the message, short of the next line;
// if possible, at a point that no other arrow crosses.
func (s *sheet) endUnderWay(from, to float64, passed []span) float64 {
	reach := (crossArm + clearance) * s.unit
	half, next := (from+to)/2, to
	var not []span
	for _, p := range passed {
		not = append(not, span{p.low - crossArm*s.unit, p.high + crossArm*s.unit})
	}
	meets := false
	for _, x := range s.x {
		meets = meets || math.Abs(x-half) < reach
		not = append(not, span{x - reach, x + reach})
		if (x-from)*(to-from) > 0 && math.Abs(x-from) < math.Abs(next-from) {
			next = x
		}
	}
	wanted := half
	switch {
	case math.Abs(next-from) < 2*reach:
		return (from + next) / 2
	case meets && next > from:
		wanted = next - reach
	case meets:
		wanted = next + reach
	}
	end, _ := nearest(wanted, span{min(from, to), max(from, to)}, not)
	return end
}
