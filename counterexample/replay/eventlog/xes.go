package eventlog

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/inev-lts/inev/internal/abort"
)

// deepest is the largest nesting depth of XML elements.
const deepest = 100

// xesSource reads the events of a document of XES.
type xesSource struct {
	in     *bounded
	tokens *xml.Decoder
	o      Options
	traces int
	name   string // the name of the trace
	depth  int
	// within are the relevant elements that contain the current position: log, trace, event.
	within []string
	event  Event
	life   string
	wrong  error // the error of the event
	isLog  bool  // whether there was an element log
}

func (s *xesSource) next() Event {
	for {
		s.in.read = 0
		token, err := s.tokens.Token()
		if err != nil {
			var syntax *xml.SyntaxError
			switch {
			case err == io.EOF && !s.isLog:
				err = fmt.Errorf("%s: there is no element log, so that this is no XES", s.o.Name)
			case errors.As(err, &syntax):
				err = fmt.Errorf("%s: the XML cannot be read: %s", at(s.o.Name, syntax.Line), syntax.Msg)
			case err != io.EOF:
				err = named(at(s.o.Name, s.line()), err)
			}
			abort.On(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			s.depth++
			if s.depth > deepest {
				abort.On(fmt.Errorf("%s: more than %d elements of XML lie within each other", at(s.o.Name, s.line()), deepest))
			}
			s.start(t)
		case xml.EndElement:
			s.depth--
			if len(s.within) <= s.depth {
				continue
			}
			last := s.within[s.depth]
			s.within = s.within[:s.depth]
			if last != "event" {
				continue
			}
			e := s.event
			e.Case, e.Line = s.name, s.line()
			if s.wrong != nil {
				abort.On(&BrokenError{s.o.Name, e.Line, s.wrong})
			}
			if s.o.Field == "" && e.Name != "" && s.life != "" && s.life != "complete" && s.life != "COMPLETE" {
				e.Name += "+" + s.life
			}
			return e
		}
	}
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
		s.name = strconv.Itoa(s.traces)
	case name == "event" && (s.depth == 2 || s.depth == 3):
		s.event = Event{}
		s.life = ""
		s.wrong = nil
		if s.depth == 2 {
			s.name = ""
		}
	case s.depth > 1:
		// an attribute of a trace or an event
		var key, value string
		for _, a := range t.Attr {
			switch a.Name.Local {
			case "key":
				key = a.Value
			case "value":
				value = a.Value
			}
		}
		field := cmp.Or(s.o.Field, "concept:name")
		ofCase := cmp.Or(s.o.CaseField, "concept:name")
		last := s.within[len(s.within)-1]
		switch {
		case last == "trace" && key == ofCase:
			s.name = value
		case last != "event":
		case key == "time:timestamp":
			s.event.Time, s.wrong = parseTime(value)
			fallthrough
		default:
			if key == field {
				s.event.Name = value
			}
			if key == "lifecycle:transition" {
				s.life = value
			}
		}
		return
	default:
		return
	}
	s.within = append(s.within, name)
}
