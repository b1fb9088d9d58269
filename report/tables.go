package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/inev-lts/inev/internal/mdtext"
	"github.com/inev-lts/inev/internal/printable"
)

// widestLabel is the width, in cells of a terminal, after which labels in tables are cut.
const widestLabel = 60

// widestText is the length, in characters, after which formulas, labels and names in
// sentences are cut: few are longer, and so much suffices to recognise them.
const widestText = 500

// shortened cuts a label to [widestLabel].
func shortened(label string, o Options) string {
	if o.Full {
		return label
	}
	return cutWidth(label, widestLabel)
}

// cut cuts a text to a length in characters, unless the report is full.
func cut(text string, length int, o Options) string {
	if o.Full || utf8.RuneCountInString(text) <= length {
		return text
	}
	return string([]rune(text)[:length-1]) + "…"
}

// sentenceText formats a text of the model in the sentences of JSON.
func sentenceText(text string) string { return cut(printable.Text(text), widestText, Options{}) }

// layout is the form of tables in a format.
type layout struct {
	before, between, after string
	aligned                bool                // cells are filled up to the width of their column
	ruled                  bool                // a Markdown rule follows the header
	label                  func(string) string // the form of a label in a cell
}

func textLayout(o Options) layout {
	const others = 26 // cells of the other columns
	l := layout{between: "  ", after: "\n", aligned: true, label: printable.Text}
	if !o.Full {
		room := max(leastLabel, o.width()-others) // next to numbers and classes
		l.label = func(text string) string { return cutWidth(printable.Text(text), min(widestLabel, room)) }
	}
	return l
}

func markdownLayout(o Options) layout {
	return layout{
		before: "| ", between: " | ", after: " |\n", ruled: true,
		label: func(text string) string { return mdtext.Cell(shortened(printable.Text(text), o)) },
	}
}

// tsvLayout escapes labels so that they can be read back exactly; for a terminal it also escapes
// the characters that would control it.
func tsvLayout(o Options) layout {
	label := printable.Cell
	if o.Terminal {
		label = func(text string) string { return printable.Text(printable.Cell(text)) }
	}
	return layout{between: "\t", after: "\n", label: label}
}

// column is a column of a table. Numbers are aligned to the right.
type column struct {
	name   string
	number bool
	width  int // of its widest cell, in cells of a terminal, as far as it is known beforehand
}

// table writes rows, each with one Write. It stores no rows: the widths of columns are known before
// the first.
type table struct {
	layout
	w       *bufio.Writer
	columns []column
	line    []byte
	at      int // the column of the next cell
	err     error
}

// newTable writes the header of a table, and returns the table for its rows.
func newTable(w io.Writer, l layout, columns ...column) *table {
	t := &table{layout: l, w: bufio.NewWriterSize(w, 64<<10), columns: columns}
	for i := range t.columns {
		t.columns[i].width = max(t.columns[i].width, len(t.columns[i].name))
	}
	for _, c := range t.columns {
		t.text(c.name)
	}
	t.end()
	if t.ruled {
		for _, c := range t.columns {
			if c.number {
				t.text("---:")
			} else {
				t.text("---")
			}
		}
		t.end()
	}
	return t
}

// modelText is a cell with a text of the model.
type modelText string

// tableOf returns a function that writes a table: its columns have these names, separated by blanks,
// and each calls its parameter for each row. No cell is aligned.
func tableOf(columns string, each func(row func(cells ...any))) func(w io.Writer, l layout) error {
	return func(w io.Writer, l layout) error {
		var all []column
		for _, name := range strings.Fields(columns) {
			all = append(all, column{name: name})
		}
		t := newTable(w, l, all...)
		each(func(cells ...any) {
			for _, cell := range cells {
				if text, is := cell.(modelText); is {
					t.text(t.label(string(text)))
				} else {
					t.text(fmt.Sprint(cell))
				}
			}
			t.end()
		})
		return t.flush()
	}
}

func (t *table) begin() {
	if t.at == 0 {
		t.line = append(t.line[:0], t.before...)
	} else {
		t.line = append(t.line, t.between...)
	}
}

// number adds a cell with a number.
func (t *table) number(n int) {
	t.begin()
	var space [20]byte
	text := strconv.AppendInt(space[:0], int64(n), 10)
	if t.aligned {
		t.fill(len(text))
	}
	t.line = append(t.line, text...)
	t.at++
}

// text adds a cell whose text needs no escape in the format.
func (t *table) text(text string) {
	t.begin()
	width, last := 0, t.at == len(t.columns)-1
	if t.aligned {
		width = displayWidth(text)
	}
	if t.aligned && t.columns[t.at].number {
		t.fill(width)
	}
	t.line = append(t.line, text...)
	if t.aligned && !t.columns[t.at].number && !last {
		t.fill(width)
	}
	t.at++
}

// fill adds blanks until the cell is as wide as its column.
func (t *table) fill(width int) {
	for ; width < t.columns[t.at].width; width++ {
		t.line = append(t.line, ' ')
	}
}

// end writes the row, and reports whether that succeeded.
func (t *table) end() bool {
	t.line = append(t.line, t.after...)
	if _, err := t.w.Write(t.line); err != nil {
		t.err = err
	}
	t.at = 0
	return t.err == nil
}

func (t *table) flush() error {
	if t.err != nil {
		return t.err
	}
	return t.w.Flush()
}

func digits(n int) int { return len(strconv.Itoa(n)) }
