package eventlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// lineReader reads lines and counts them.
type lineReader struct {
	in   *bufio.Reader
	file string
	line int
	text []byte // the parts of a line that is longer than the buffer
	// within reports whether the reader is inside a line that is too long.
	within bool
}

// next returns a line, without its end. The bytes are valid until the next call. A line that is too
// long is an error before its end is read, since it may have no end.
func (r *lineReader) next() ([]byte, error) {
	r.text = r.text[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		whole := err == nil
		if err == bufio.ErrBufferFull {
			err = nil
		}
		switch {
		case err != nil && err != io.EOF:
			return nil, named(at(r.file, r.line+1), err)
		case r.within && err == io.EOF:
			return nil, err
		case r.within:
			r.within = !whole
			continue
		case err == io.EOF && len(part)+len(r.text) == 0:
			return nil, err
		case len(r.text)+len(part) > longestRecord:
			r.line++
			r.within = !whole
			return nil, r.broken(fmt.Errorf("the line is longer than %d bytes, too long for an action", longestRecord))
		case !whole && err == nil:
			r.text = append(r.text, part...)
			continue
		}
		r.line++
		if len(r.text) > 0 {
			r.text = append(r.text, part...)
			part = r.text
		}
		return bytes.TrimRight(part, "\r\n"), nil
	}
}

func (r *lineReader) broken(err error) error { return &BrokenError{r.file, r.line, err} }

// textSource reads lines that are events.
type textSource struct{ *lineReader }

func (s *textSource) next() (Event, error) {
	for {
		line, err := s.lineReader.next()
		if err != nil {
			return Event{}, err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			return Event{Name: string(line), Line: s.line}, nil
		}
	}
}

// objectSource reads lines that are objects.
type objectSource struct {
	*lineReader
	o Options
}

func (s *objectSource) next() (e Event, err error) {
	var line []byte
	for len(bytes.TrimSpace(line)) == 0 {
		if line, err = s.lineReader.next(); err != nil {
			return e, err
		}
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(line, &object); err != nil {
		return e, s.broken(fmt.Errorf("the line is not a JSON object: %w", err))
	}
	value, has := object[s.o.Field]
	if !has {
		return e, nil
	}
	e.Line = s.line
	if json.Unmarshal(value, &e.Name) != nil || string(value) == "null" {
		return e, s.broken(fmt.Errorf("the field %s is not text: %s", s.o.Field, value))
	}
	if s.o.CaseField != "" {
		if e.Case, err = scalar(object, s.o.CaseField); err != nil {
			return e, s.broken(err)
		}
	}
	if s.o.TimeField != "" {
		text, err := scalar(object, s.o.TimeField)
		if err == nil {
			e.Time, err = parseTime(text)
		}
		if err != nil {
			return e, s.broken(err)
		}
	}
	return e, nil
}

// scalar returns the text of a field that is a string, a number or a Boolean.
func scalar(object map[string]json.RawMessage, field string) (string, error) {
	value, has := object[field]
	if !has {
		return "", fmt.Errorf("the field %s is missing", field)
	}
	var text string
	if json.Unmarshal(value, &text) == nil && value[0] == '"' {
		return text, nil
	}
	if c := value[0]; c == '{' || c == '[' || c == 'n' {
		return "", fmt.Errorf("the field %s is neither text nor number: %s", field, value)
	}
	return string(value), nil
}

func isObject(line []byte) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(line, &object) == nil
}

// fieldsOf returns the fields of the object on the first line of a log.
func fieldsOf(start []byte) []string {
	line, _, _ := bytes.Cut(bytes.TrimLeft(start, " \t\r\n"), []byte("\n"))
	var object map[string]json.RawMessage
	if json.Unmarshal(line, &object) != nil {
		return nil
	}
	var all []string
	for name := range object {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
