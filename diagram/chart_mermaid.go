package diagram

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/printable"
)

// chartMermaid returns a sequence chart in the language of Mermaid, as [Mermaid] writes a
// flowchart: loops are frames, decisions notes. Mermaid has no slanting arrows, so a
// receipt is a note that names the step that sent the message.
//
// It ends with errTooLarge if the text is too long. Cost O(size of c).
func chartMermaid(c *view.Chart) string {
	s := sequenceDiagram{c: c}
	s.line("sequenceDiagram")
	for i, lane := range c.Lanes {
		s.line("  participant l%d as %s", i+1, s.text(laneName(lane)))
	}
	for i := range c.Events {
		s.event(i)
	}
	if len(c.End) > 0 {
		s.note(0, len(c.Lanes)-1, c.End)
	}
	if utf8.RuneCountInString(s.b.String()) > maxMermaidText {
		abort.On(fmt.Errorf("diagram: a sequence chart of %s: %w", printable.Quantity(len(c.Events), "event"), errTooLarge))
	}
	return s.b.String()
}

// sequenceDiagram is the state of writing a chart for Mermaid.
type sequenceDiagram struct {
	b strings.Builder
	c *view.Chart
}

func (s *sequenceDiagram) line(format string, args ...any) { fmt.Fprintf(&s.b, format+"\n", args...) }

// text escapes a text for Mermaid as in flowcharts, and also the word "end", which would end a
// frame.
func (s *sequenceDiagram) text(text string) string {
	text = mermaidText(text)
	var b strings.Builder
	for at := 0; at < len(text); {
		if len(text)-at >= 3 && strings.EqualFold(text[at:at+3], "end") && (at == 0 || !isWord(text, at-1)) && !isWord(text, at+3) {
			fmt.Fprintf(&b, "#%d;%s", text[at], text[at+1:at+3])
			at += 3
			continue
		}
		b.WriteByte(text[at])
		at++
	}
	if b.Len() == 0 {
		return "#34;#34;"
	}
	return b.String()
}

// note writes a note over lanes.
func (s *sequenceDiagram) note(from, to int, lines []string) {
	from, to = min(from, to), max(from, to)
	over := fmt.Sprintf("l%d", from+1)
	if to > from {
		over += fmt.Sprintf(",l%d", to+1)
	}
	s.line("  Note over %s: %s", over, mermaidLines(lines, s.text))
}

func (s *sequenceDiagram) event(i int) {
	v, last := &s.c.Events[i], len(s.c.Lanes)-1
	if f := s.c.Loop; f != nil && f.First == i {
		s.line("  loop for ever")
	}
	if len(v.Decision) > 0 {
		s.note(v.From, v.To, v.Decision)
	}
	lines := []string{stepNumbers(v) + ": "}
	for n, line := range eventLines(v) {
		if n == 0 {
			lines[0] += line.text
		} else {
			lines = append(lines, line.text)
		}
	}
	arrow := "->>"
	switch {
	case v.Kind == view.Unshown:
		s.note(0, last, lines)
		arrow = ""
	case v.From == v.To && v.Kind == view.Action, v.Kind == view.Receipt:
		if v.Kind == view.Receipt && v.Peer >= 0 {
			lines = append(lines, fmt.Sprintf("sent in step %d", v.Other))
		}
		s.note(v.To, v.To, lines)
		arrow = ""
	case isLost(*v):
		arrow = "-x"
	case v.Kind == view.Sending:
		arrow = "-)"
	}
	if arrow != "" {
		s.line("  l%d%sl%d: %s", v.From+1, arrow, v.To+1, mermaidLines(lines, s.text))
	}
	if f := s.c.Loop; f != nil && f.Last == i {
		s.line("  end")
	}
}
