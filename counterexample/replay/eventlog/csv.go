package eventlog

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// tableSource reads rows of a table.
type tableSource struct {
	rows                  *csv.Reader
	in                    *bounded
	o                     Options
	field, atCase, atTime int // columns; -1 for none
}

// newTable reads the names of the columns.
func newTable(in io.Reader, o Options, delimiter rune) (*tableSource, error) {
	s := &tableSource{in: &bounded{in: in, most: longestRecord}, o: o}
	s.rows = csv.NewReader(s.in)
	s.rows.Comma, s.rows.ReuseRecord = delimiter, true
	header, err := s.rows.Read()
	if err == io.EOF {
		header = nil
	} else if err != nil {
		return nil, s.broken(err)
	}
	names := make([]string, len(header))
	for i, name := range header {
		names[i] = strings.TrimSpace(name)
	}
	s.field, s.atCase, s.atTime = -1, -1, -1
	if o.Field == "" && len(names) > 0 {
		return nil, &UnnamedError{File: o.Name, Noun: "column", Names: names}
	}
	for _, of := range []struct {
		name   string
		column *int
	}{{o.Field, &s.field}, {o.CaseField, &s.atCase}, {o.TimeField, &s.atTime}} {
		if of.name == "" || len(names) == 0 {
			continue
		}
		if *of.column = slices.Index(names, of.name); *of.column < 0 {
			return nil, &UnnamedError{File: o.Name, Noun: "column", Names: names, Wanted: of.name}
		}
	}
	return s, nil
}

func (s *tableSource) next() (e Event, err error) {
	s.in.next()
	row, err := s.rows.Read()
	if err == io.EOF {
		return e, err
	}
	if err != nil {
		return e, s.broken(err)
	}
	e.Line, _ = s.rows.FieldPos(s.field)
	e.Name = strings.Clone(row[s.field])
	if s.atCase >= 0 {
		e.Case = strings.Clone(row[s.atCase])
	}
	if s.atTime >= 0 && e.Name != "" {
		if e.Time, err = parseTime(row[s.atTime]); err != nil {
			return e, &BrokenError{s.o.Name, e.Line, err}
		}
	}
	return e, nil
}

// broken returns the error of a row; an error of the file ends the log.
func (s *tableSource) broken(err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return named(s.o.Name, err)
	}
	if errors.Is(err, csv.ErrFieldCount) {
		return &BrokenError{s.o.Name, parse.StartLine, fmt.Errorf("the row does not have %d columns, as the first line", s.rows.FieldsPerRecord)}
	}
	return &BrokenError{s.o.Name, parse.StartLine, fmt.Errorf("the row cannot be read: %w", parse.Err)}
}

// bounded is a reader that fails once a record, with what is read ahead, takes more bytes than are
// allowed.
type bounded struct {
	in         io.Reader
	most, read int
}

// next begins a record.
func (b *bounded) next() { b.read = 0 }

func (b *bounded) Read(p []byte) (int, error) {
	if b.read > b.most {
		return 0, fmt.Errorf("a record is longer than %d bytes, too long for an action", b.most)
	}
	n, err := b.in.Read(p[:min(len(p), 64<<10)])
	b.read += n
	return n, err
}
