package render

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/inev-lts/inev/internal/printable"
)

// widestLabel is the width, in cells of a terminal, after which labels in tables are cut.
const widestLabel = 60

// widestText is the length, in characters, after which formulas, labels and names in sentences are cut.
// Few texts are longer, and so many characters are enough to recognise them.
const widestText = 500

// shortened cuts a label to [widestLabel].
func shortened(label string, o Options) string {
	if o.Full {
		return label
	}
	return cutWidth(label, widestLabel)
}

// cut cuts a text to [widestText] characters, unless the report is full.
func cut(text string, o Options) string {
	if o.Full || utf8.RuneCountInString(text) <= widestText {
		return text
	}
	return string([]rune(text)[:widestText-1]) + "…"
}

// sentenceText formats a text of the model in the sentences of JSON.
func sentenceText(text string) string { return cut(printable.Text(text), Options{}) }

// layout is the form of tables in a format.
type layout struct {
	before, between, after string
	aligned                bool                // cells are filled up to the width of their column
	markdown               bool                // a rule follows the header, and a bar within a cell is escaped
	label                  func(string) string // the form of a label in a cell, cut if it is long
	whole                  func(string) string // label, uncut
}

func (s *sheet) layout() layout {
	if s.markdown {
		return layout{
			before:   "| ",
			between:  " | ",
			after:    " |\n",
			markdown: true,
			whole:    printable.CodeCell,
			label: func(text string) string {
				return printable.CodeCell(shortened(printable.Text(text), s.o))
			},
		}
	}
	const others = 26 // cells of the other columns
	l := layout{
		between: "  ",
		after:   "\n",
		aligned: true,
		label:   printable.Text,
		whole:   printable.Text,
	}
	if !s.o.Full {
		room := max(leastLabel, s.o.width()-others) // next to numbers and classes
		l.label = func(text string) string {
			return cutWidth(printable.Text(text), min(widestLabel, room))
		}
	}
	return l
}

// column is a column of a table. Numbers are aligned to the right. A centred column is centred in
// Markdown, and aligned to the left elsewhere.
type column struct {
	name            string
	number, centred bool
	width           int // the width of its widest cell, in cells of a terminal, as far as it is known beforehand
}

// table writes rows, each with one Write. It stores no rows, since the widths of columns are known
// before the first row.
type table struct {
	layout
	w       *bufio.Writer
	columns []column
	line    []byte
	next    int // the column of the next cell
}

// tableWriter writes a table. It stops at the first error of w.
type tableWriter func(w io.Writer, l layout) error

// newTable writes the header of a table, and returns the table for its rows. The names of the columns
// are separated by bars. As in Markdown, a colon after a name marks a column of numbers, and colons on
// both sides a centred column. widths are the widths of the widest cells, from the first column on;
// they matter only if cells are aligned. If w fails here, the rows return the error.
func newTable(w io.Writer, l layout, columns string, widths ...int) *table {
	t := &table{layout: l, w: bufio.NewWriterSize(w, 64<<10)}
	for name := range strings.SplitSeq(columns, "|") {
		name, number := strings.CutSuffix(strings.TrimSpace(name), ":")
		name, centred := strings.CutPrefix(name, ":")
		c := column{
			name:    name,
			number:  number && !centred,
			centred: centred,
			width:   len(name),
		}
		i := len(t.columns)
		if i < len(widths) {
			c.width = max(c.width, widths[i])
		}
		t.columns = append(t.columns, c)
	}
	for _, c := range t.columns {
		if c.name == "" {
			t.none()
		} else {
			t.text(c.name)
		}
	}
	_ = t.end() // the writer keeps the error
	if t.markdown {
		for _, c := range t.columns {
			switch {
			case c.number:
				t.text("---:")
			case c.centred:
				t.text(":---:")
			default:
				t.text("---")
			}
		}
		_ = t.end() // the writer keeps the error
	}
	return t
}

// modelText is a cell with a text of the model, and formatted is a cell that needs no further escape.
// All other cells have words, which are escaped if necessary.
type modelText string
type formatted string

// tableOf returns a function that writes a table with the given columns (see [newTable]). writeRows
// writes the rows, and returns the first error of the table.
func tableOf(columns string, writeRows func(t *table) error, widths ...int) tableWriter {
	return func(w io.Writer, l layout) error {
		t := newTable(w, l, columns, widths...)
		if err := writeRows(t); err != nil {
			return err
		}
		return t.flush()
	}
}

// row writes a row. A nil cell is left out, and "" is an empty cell.
func (t *table) row(cells ...any) error {
	for _, cell := range cells {
		if cell == nil {
			t.none()
		} else {
			t.text(t.cell(cell))
		}
	}
	return t.end()
}

func (t *table) flush() error { return t.w.Flush() }

// cell returns a cell as text of the format.
func (l layout) cell(cell any) string {
	switch cell := cell.(type) {
	case modelText:
		return l.label(string(cell))
	case formatted:
		return string(cell)
	case string:
		if l.markdown {
			return strings.ReplaceAll(cell, "|", `\|`)
		}
		return cell
	}
	return fmt.Sprint(cell)
}

func (t *table) begin() {
	if t.next == 0 {
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
	t.next++
}

// text adds a cell whose text needs no escape in the format.
func (t *table) text(text string) {
	t.begin()
	width := 0
	isLast := t.next == len(t.columns)-1
	if t.aligned {
		width = displayWidth(text)
	}
	if t.aligned && t.columns[t.next].number {
		t.fill(width)
	}
	t.line = append(t.line, text...)
	if t.aligned && !t.columns[t.next].number && !isLast {
		t.fill(width)
	}
	t.next++
}

// none adds a cell without text. In Markdown it is one blank wide.
func (t *table) none() {
	t.text("")
	if t.markdown {
		t.line = t.line[:len(t.line)-1]
	}
}

// fill adds blanks until the cell is as wide as its column.
func (t *table) fill(width int) {
	for ; width < t.columns[t.next].width; width++ {
		t.line = append(t.line, ' ')
	}
}

// end writes the row.
func (t *table) end() error {
	t.line = append(t.line, t.after...)
	t.next = 0
	_, err := t.w.Write(t.line)
	return err
}

func digits(n int) int { return len(strconv.Itoa(n)) }
