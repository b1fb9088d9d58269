package batch

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"github.com/inev-lts/inev/internal/printable"
)

// readTable reads a manifest of lines with the same fields. Between tabs, quotes are ordinary
// characters, as formulas need them; between commas, RFC 4180 holds.
func (r *reader) readTable(text []byte, comma rune) {
	rows := csv.NewReader(bytes.NewReader(text))
	rows.Comma = comma
	rows.Comment = '#'
	rows.FieldsPerRecord = -1
	rows.LazyQuotes = comma == '\t'
	var columns []string
	for r.ctx.Err() == nil {
		cells, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			r.addRowError(err)
			return
		}
		where := func(i int) Position {
			line, _ := rows.FieldPos(i)
			return Position{r.file, line}
		}
		switch {
		case columns == nil:
			columns = r.readColumns(where(0), cells)
		case len(cells) != len(columns):
			r.add(where(0),
				"has %s, where the first line names %d; put fields that hold the separator in double quotes",
				printable.Quantity(len(cells), "field"), len(columns))
		default:
			r.addJobsOf(entryOfRow(columns, cells, where))
		}
	}
}

// addRowError reports a line of a table that cannot be read.
func (r *reader) addRowError(err error) {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		r.add(Position{r.file, parse.Line},
			"%v (column %d); put a field that contains quotes in quotes, and double the quotes inside: \"Inev(\"\"A !1\"\")\"", parse.Err, parse.Column)
		return
	}
	r.add(Position{File: r.file}, "cannot be read: %v", err)
}

// entryOfRow returns the entry of a line of a table. An empty cell leaves its field out.
func entryOfRow(columns, cells []string, where func(column int) Position) entry {
	e := entry{where: where(0), fields: map[string]field{}}
	for i, name := range columns {
		text := strings.TrimSpace(cells[i])
		if name != "" && text != "" {
			e.fields[name] = field{where: where(i), text: text}
		}
	}
	return e
}

// readColumns reads the names of the fields; the result has "" for unknown ones.
func (r *reader) readColumns(where Position, cells []string) []string {
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
		r.add(where,
			"no field is named model; the first line names the fields, such as model and formula")
	}
	return columns
}
