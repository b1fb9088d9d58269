package eventlog

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inev-lts/inev/internal/resources"
)

// longestDocument is the largest number of bytes of one object with spans.
const longestDocument = 1 << 30

// spanSource reads all spans, and then returns their events in order.
type spanSource struct {
	x      *Reader
	in     *bufio.Reader
	spans  []span
	events []spanEvent
	given  int     // the number of events that next has returned
	read   bool    // whether all spans are read
	broken []error // errors about spans that could not be read; next returns these first
}

// span has the relevant fields of a span. Its number is its index in the log.
type span struct {
	trace, id, parent, name string
	start, end              uint64 // nanoseconds
	depth, line             int
}

// spanEvent is the start or the end of a span.
type spanEvent struct {
	span int // the number of the span
	ends bool
}

// next returns the next event; the error io.EOF if there is none.
func (s *spanSource) next() (Event, error) {
	if !s.read {
		if err := s.readAll(); err != nil {
			return Event{}, err
		}
		s.read = true
		s.order()
	}
	if len(s.broken) > 0 {
		err := s.broken[0]
		s.broken = s.broken[1:]
		return Event{}, err
	}
	if s.given == len(s.events) {
		return Event{}, io.EOF
	}
	e := s.events[s.given]
	s.given++
	span := &s.spans[e.span]
	name := "start"
	if e.ends {
		name = "end"
	}
	nanoseconds := e.time(span)
	return Event{
		Case: span.trace,
		Name: name + "(" + span.name + ")",
		Line: span.line,
		Time: time.Unix(int64(nanoseconds/1e9), int64(nanoseconds%1e9)),
	}, nil
}

// readAll reads one object from each line. If the first line is no object, it reads objects from
// the whole log, since they may take several lines.
func (s *spanSource) readAll() error {
	for line := 1; ; line++ {
		if err := s.x.ctx.Err(); err != nil {
			return err
		}
		text, last, err := s.readLine()
		if err != nil {
			return withPlace(s.x.o.Name, line, err)
		}
		isBlank := len(bytes.TrimSpace(text)) == 0
		if line == 1 && !last && !isBlank && !json.Valid(text) {
			return s.readWhole(text)
		}
		if !isBlank {
			if err := s.add(text, line); err != nil {
				return err
			}
		}
		if last {
			return nil
		}
	}
}

// readLine reads a line of at most longestDocument bytes, and reports whether it is the last one.
func (s *spanSource) readLine() (text []byte, last bool, err error) {
	for {
		part, err := s.in.ReadSlice('\n')
		text = append(text, part...)
		if len(text) > longestDocument {
			return nil, false, fmt.Errorf("an object is longer than %d bytes; write one a line for each request", longestDocument)
		}
		switch err {
		case nil:
			return text, false, nil
		case io.EOF:
			return text, true, nil
		case bufio.ErrBufferFull:
			if err := resources.Ask(s.x.ctx, int64(len(text))); err != nil {
				return nil, false, err
			}
		default:
			return nil, false, err
		}
	}
}

// readWhole reads objects that may take several lines. begin is the part of the log that was
// already read.
func (s *spanSource) readWhole(begin []byte) error {
	all := &bounded{in: io.MultiReader(bytes.NewReader(begin), s.in), most: longestDocument}
	objects := json.NewDecoder(all)
	for {
		all.read = 0
		var object json.RawMessage
		err := objects.Decode(&object)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return withFile(s.x.o.Name,
				fmt.Errorf("the JSON cannot be read, after %d bytes: %w", objects.InputOffset(),
					err))
		}
		if err := s.add(object, 0); err != nil {
			return err
		}
	}
}

// add reads the spans of an object. It keeps errors about broken spans, which next returns before
// the first event, unless broken records are left out.
func (s *spanSource) add(text []byte, line int) error {
	var r struct { // the relevant members of an OTLP message
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []json.RawMessage `json:"spans"`
			} `json:"scopeSpans"`
		} `json:"resourceSpans"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		s.broken = append(s.broken, &BrokenError{
			s.x.o.Name,
			line,
			fmt.Errorf("the spans cannot be read: %w", err),
		})
		return nil
	}
	for _, resource := range r.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			if err := resources.AskFor[span](s.x.ctx, len(scope.Spans)); err != nil {
				return err
			}
			for _, raw := range scope.Spans {
				s.addSpan(raw, line)
			}
		}
	}
	return nil
}

// addSpan reads a span.
func (s *spanSource) addSpan(raw []byte, line int) {
	span, err := readSpan(raw)
	if err != nil {
		s.broken = append(s.broken, &BrokenError{s.x.o.Name, line, err})
		return
	}
	span.line = line
	s.spans = append(s.spans, span)
}

// readSpan reads a span, but does not set its line.
func readSpan(raw []byte) (parsed span, err error) {
	var w struct {
		TraceID string          `json:"traceId"`
		SpanID  string          `json:"spanId"`
		Parent  string          `json:"parentSpanId"`
		Name    string          `json:"name"`
		Start   json.RawMessage `json:"startTimeUnixNano"`
		End     json.RawMessage `json:"endTimeUnixNano"`
	}
	if err := json.Unmarshal(raw, &w); err != nil {
		return parsed, fmt.Errorf("a span cannot be read: %w", err)
	}
	parsed = span{
		trace:  w.TraceID,
		id:     w.SpanID,
		parent: w.Parent,
		name:   w.Name,
	}
	if parsed.name == "" {
		return parsed, fmt.Errorf("the span %s has no name", w.SpanID)
	}
	parsed.start, err = readTime(w.Start)
	if err != nil {
		return parsed, fmt.Errorf("the startTimeUnixNano of the span %s is not a time in nanoseconds: %s", w.SpanID, w.Start)
	}
	parsed.end, err = readTime(w.End)
	if err != nil {
		return parsed, fmt.Errorf("the endTimeUnixNano of the span %s is not a time in nanoseconds: %s", w.SpanID, w.End)
	}
	if parsed.end < parsed.start {
		return parsed, errors.New("the span " + w.SpanID + " ends before it starts")
	}
	return parsed, nil
}

// readTime reads a number of nanoseconds, which JSON may have as a string.
func readTime(text json.RawMessage) (uint64, error) {
	return strconv.ParseUint(strings.Trim(string(text), `"`), 10, 63)
}

// order sorts the events of each trace, and the traces by their first spans in the log.
func (s *spanSource) order() {
	s.findDepths()
	ranks := map[string]int{} // of the traces
	for i, span := range s.spans {
		if _, known := ranks[span.trace]; !known {
			ranks[span.trace] = len(ranks)
		}
		s.events = append(s.events, spanEvent{i, false}, spanEvent{i, true})
	}
	slices.SortFunc(s.events, func(a, b spanEvent) int {
		return cmp.Or(
			cmp.Compare(ranks[s.spans[a.span].trace], ranks[s.spans[b.span].trace]),
			s.compareInTrace(a, b),
		)
	})
}

// compareInTrace compares events of the same trace: by time, then by class. Of events of a class,
// outer spans start first, and inner spans end first.
func (s *spanSource) compareInTrace(a, b spanEvent) int {
	spanA := &s.spans[a.span]
	spanB := &s.spans[b.span]
	class := a.class(spanA)
	byClass := cmp.Compare(class, b.class(spanB))
	byDepth := cmp.Compare(spanA.depth, spanB.depth)
	if class != starting {
		byDepth = -byDepth
	}
	return cmp.Or(
		cmp.Compare(a.time(spanA), b.time(spanB)),
		byClass,
		byDepth, // reached only if the classes are equal
		cmp.Compare(a.span, b.span),
	)
}

// findDepths finds how deep each span is nested in its trace. From each span it follows the parents
// up to a span without a parent or with a known depth, and then counts back. A cycle of parents,
// which no program makes, is cut at the span that is visited first.
func (s *spanSource) findDepths() {
	type key struct{ trace, id string }
	numbers := map[key]int{}
	for i, span := range s.spans {
		numbers[key{span.trace, span.id}] = i
	}
	known := make([]bool, len(s.spans))
	var path []int
	for i := range s.spans {
		path = path[:0]
		current := i
		endsOutermost := false
		for !known[current] {
			known[current] = true
			path = append(path, current)
			span := &s.spans[current]
			parent, isLogged := numbers[key{span.trace, span.parent}]
			if !isLogged || span.parent == "" {
				endsOutermost = true
				break
			}
			current = parent
		}
		depthAbove := -1 // the outermost span, the last of the path, then has depth 0
		if !endsOutermost {
			depthAbove = s.spans[current].depth
		}
		for j, k := range slices.Backward(path) {
			s.spans[k].depth = depthAbove + len(path) - j
		}
	}
}

// The classes of events of spans. Of events at the same time, those of a lower class come first.
const (
	ending   = iota // the end of a span that started earlier
	starting        // the start of a span
	atOnce          // the end of a span without duration
)

// class returns the class of an event of span s.
func (e spanEvent) class(s *span) int {
	switch {
	case !e.ends:
		return starting
	case s.start == s.end:
		return atOnce
	}
	return ending
}

// time returns the time of an event of a span.
func (e spanEvent) time(s *span) uint64 {
	if e.ends {
		return s.end
	}
	return s.start
}
