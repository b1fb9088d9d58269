package eventlog

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// deepest is the largest nesting depth of XML elements.
const deepest = 100

// xesSource reads the events of a document of XES.
type xesSource struct {
	in     *bounded
	tokens *xml.Decoder
	o      Options
	traces int
	trace  string // the name of the trace
	depth  int
	// within are the relevant elements that contain the current position: log, trace, event.
	within     []string
	event      Event
	lifecycle  string // the lifecycle:transition of the event; "" if it has none
	eventError error  // about the event
	isLog      bool   // whether there was an element log
}

// next returns the next event of a trace.
func (s *xesSource) next() (Event, error) {
	for {
		s.in.read = 0
		token, err := s.tokens.Token()
		if err != nil {
			return Event{}, s.explain(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			s.depth++
			if s.depth > deepest {
				return Event{}, fmt.Errorf("%s: more than %d nested elements of XML", place(s.o.Name, s.line()), deepest)
			}
			s.start(t)
		case xml.EndElement:
			if s.end() == "event" {
				return s.finished()
			}
		}
	}
}

// explain adds the place to an error of the decoder. At the end of the document it returns io.EOF,
// or an error if the document was no log.
func (s *xesSource) explain(err error) error {
	var syntax *xml.SyntaxError
	switch {
	case err == io.EOF && !s.isLog:
		return fmt.Errorf("%s: there is no element log, so this is not XES", s.o.Name)
	case errors.As(err, &syntax):
		return fmt.Errorf("%s: the XML cannot be read: %s", place(s.o.Name, syntax.Line),
			syntax.Msg)
	case err != io.EOF:
		return withPlace(s.o.Name, s.line(), err)
	}
	return err
}

// end handles the end of an element, and returns the element's name; "" if the element is not
// relevant.
func (s *xesSource) end() string {
	s.depth--
	if len(s.within) <= s.depth {
		return ""
	}
	name := s.within[s.depth]
	s.within = s.within[:s.depth]
	return name
}

// finished returns the event whose element has just ended.
func (s *xesSource) finished() (Event, error) {
	e := s.event
	e.Case = s.trace
	e.Line = s.line()
	if s.eventError != nil {
		return Event{}, &BrokenError{s.o.Name, e.Line, s.eventError}
	}
	isComplete := s.lifecycle == "" || s.lifecycle == "complete" || s.lifecycle == "COMPLETE"
	if s.o.Field == "" && e.Name != "" && !isComplete {
		e.Name += "+" + s.lifecycle
	}
	return e, nil
}

func (s *xesSource) line() int {
	line, _ := s.tokens.InputPos()
	return line
}

// start reads the beginning of an element.
func (s *xesSource) start(t xml.StartElement) {
	name := t.Name.Local
	switch {
	case len(s.within) != s.depth-1:
		return // inside an element of no interest
	case s.depth == 1 && name == "log":
		s.isLog = true
	case s.depth == 2 && name == "trace":
		s.traces++
		s.trace = strconv.Itoa(s.traces)
	case name == "event" && (s.depth == 2 || s.depth == 3):
		s.event = Event{}
		s.lifecycle = ""
		s.eventError = nil
		if s.depth == 2 { // outside of any trace
			s.trace = ""
		}
	case s.depth > 1:
		s.attribute(t)
		return
	default:
		return
	}
	s.within = append(s.within, name)
}

// attribute reads an attribute of a trace or an event, which is an element of its own.
func (s *xesSource) attribute(t xml.StartElement) {
	var key, value string
	for _, a := range t.Attr {
		switch a.Name.Local {
		case "key":
			key = a.Value
		case "value":
			value = a.Value
		}
	}
	owner := s.within[len(s.within)-1]
	if owner == "trace" && key == cmp.Or(s.o.CaseField, "concept:name") {
		s.trace = value
		return
	}
	if owner != "event" {
		return
	}
	if key == "time:timestamp" {
		s.event.Time, s.eventError = parseTime(value)
	}
	if key == cmp.Or(s.o.Field, "concept:name") {
		s.event.Name = value
	}
	if key == "lifecycle:transition" {
		s.lifecycle = value
	}
}
