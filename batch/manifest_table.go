package batch

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// readTable reads a manifest of lines with the same fields. In one between tabs, a
// quote may stand in a field without more ado, as formulas have them; one between
// commas follows RFC 4180.
func (r *reader) readTable(text []byte, comma rune) {
	rows := csv.NewReader(bytes.NewReader(text))
	rows.Comma, rows.Comment = comma, '#'
	rows.FieldsPerRecord = -1
	rows.LazyQuotes = comma == '\t'
	var columns []string
	for {
		cells, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			r.addTable(err)
			return
		}
		if r.ctx.Err() != nil {
			return
		}
		where := func(i int) Place {
			line, _ := rows.FieldPos(i)
			return Place{r.file, line}
		}
		switch {
		case columns == nil:
			columns = r.readColumns(where(0), cells)
		case len(cells) != len(columns):
			r.add(where(0), "has %d fields, where the first line names %d; put fields that hold the separator in double quotes", len(cells), len(columns))
		default:
			r.expand(rowEntry(columns, cells, where))
		}
	}
}

func (r *reader) addTable(err error) {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		r.add(Place{File: r.file}, "cannot be read: %v", err)
		return
	}
	r.add(Place{r.file, parse.Line}, "%v (column %d); a field with quotes in it is put in quotes, and those in it doubled: \"Inev(\"\"A !1\"\")\"", parse.Err, parse.Column)
}

// readColumns reads the names of the fields; those that are unknown are "".
func (r *reader) readColumns(where Place, cells []string) []string {
	columns := make([]string, len(cells))
	seen := map[string]bool{}
	for i, cell := range cells {
		name, known := fieldOf(cell)
		switch {
		case !known:
			r.unknownField(where, cell)
		case seen[name]:
			r.add(where, "field %s is named twice; leave one out", name)
		default:
			columns[i] = name
		}
		seen[name] = true
	}
	if !seen["model"] {
		r.add(where, "no field is named model; the first line names the fields, such as model and formula")
	}
	return columns
}

// rowEntry makes an entry of a line; an empty cell says nothing.
func rowEntry(columns, cells []string, where func(int) Place) entry {
	e := entry{where(0), map[string]field{}}
	for i, name := range columns {
		if text := strings.TrimSpace(cells[i]); name != "" && text != "" {
			e.fields[name] = field{where: where(i), text: text}
		}
	}
	return e
}
