package diagram

import (
	"fmt"

	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
)

// drawChart returns a sequence chart as SVG, laid out without Graphviz: lanes from left to right,
// steps downwards. The package comment lists its elements for programs. Of the options it uses only
// the size of letters and the legend. Cost O(size of c).
func drawChart(c *view.Chart, o Options) []byte {
	s := newSheet(c, o)
	if !o.NoCaption {
		s.head(!o.NoLegend)
	}
	s.lanes()
	for i := range c.Events {
		s.event(i)
	}
	s.end()
	return s.svg()
}

// chartCaption returns the lines of the caption.
func chartCaption(c *view.Chart) []string {
	lines := captionHead(c.Caption)
	if c.Caption.Unfolded {
		lines = append(lines, unfoldedLine(c.Caption))
	}
	return lines
}

// laneName returns the name of a lane as it is drawn, cut to 30 characters.
func laneName(l view.Lane) string {
	const most = 30
	return printable.Label(l.Name, most)
}

// stepNumbers returns the step numbers of an event: "3", or "3–5".
func stepNumbers(v *view.Event) string {
	if v.First == v.Last {
		return fmt.Sprint(v.First)
	}
	return fmt.Sprintf("%d–%d", v.First, v.Last)
}

// ink is the style of a line of text.
type ink uint8

const (
	plain ink = iota
	done      // the effect of the step
	lost      // the point of no return
	aside     // about a message
)

// words is a line of text next to an event.
type words struct {
	text string
	ink  ink
}

// eventLines returns the lines of text at an event.
func eventLines(v *view.Event) []words {
	if v.Kind == view.Unshown {
		text := "… " + printable.Quantity(v.Last-v.First+1, "step")
		if v.Hidden {
			text += " hidden"
		}
		if v.Decisions > 0 {
			text += ", " + printable.Quantity(v.Decisions, "decision")
		}
		return []words{{text, aside}}
	}
	label := printable.Label(v.Label, view.LabelLength)
	if n := v.Last - v.First + 1; n > 1 {
		label += fmt.Sprintf(" ×%d", n)
	}
	lines := []words{{label, plain}}
	if about := aboutMessage(v); about != "" {
		lines = append(lines, words{about, aside})
	}
	for _, text := range v.Remarks {
		lines = append(lines, words{text, done})
	}
	if v.NoReturn {
		lines = append(lines, words{"point of no return", lost})
	}
	return lines
}

// aboutMessage names the step in which the message is received, or was sent; "" if an arrow shows
// it.
func aboutMessage(v *view.Event) string {
	switch {
	case v.Peer >= 0:
		return ""
	case v.Kind == view.Sending && v.Other > 0:
		return fmt.Sprintf("received in step %d", v.Other)
	case v.Kind == view.Sending && v.Again:
		return "received in a later round"
	case v.Kind == view.Sending:
		return "not received on this run"
	case v.Kind == view.Receipt:
		return fmt.Sprintf("sent in step %d", v.Other)
	}
	return ""
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
		where = fmt.Sprintf("%s from %s", printable.Cut(c.Lanes[v.To].Name, maxTooltipText), where)
	case v.From != v.To:
		where += " to " + printable.Cut(c.Lanes[v.To].Name, maxTooltipText)
	}
	return fmt.Sprintf("%s, %s, state %s to %s: %s", steps, where, v.Leaves, v.Enters, printable.Cut(v.Label, maxTooltipText))
}
