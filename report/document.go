package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"

	"github.com/inev-lts/inev/internal/printable"
)

// document writes a JSON object piece by piece, indented by two blanks a level.
// What stands between the pieces is written here, the pieces themselves by
// encoding/json, so that never more than one of them is in memory. The first
// error stays, and nothing is written after it.
type document struct {
	w     *bufio.Writer
	open  []string // the closing brackets still to come, innermost last
	empty bool     // the innermost bracket has nothing in it yet
	piece bytes.Buffer
	enc   *json.Encoder
	err   error
}

// newDocument begins a document, the first field of which names its schema.
func newDocument(w io.Writer, schema string) *document {
	d := &document{w: bufio.NewWriterSize(w, 64<<10)}
	d.enc = json.NewEncoder(&d.piece)
	d.enc.SetEscapeHTML(false)
	d.begin("{", "}")
	d.field("schema", schema)
	return d
}

// ok reports whether it is worthwhile to go on.
func (d *document) ok() bool { return d.err == nil }

// field adds a field to the innermost object.
func (d *document) field(name string, value any) {
	d.name(name)
	d.value(value)
}

// object begins an object as a field of the innermost one; close ends it.
func (d *document) object(name string) {
	d.name(name)
	d.begin("{", "}")
}

// list begins a list as a field of the innermost object; close ends it.
func (d *document) list(name string) {
	d.name(name)
	d.begin("[", "]")
}

// element adds a value to the innermost list.
func (d *document) element(value any) {
	d.next()
	d.value(value)
}

// line adds JSON that stands on one line to the innermost list.
func (d *document) line(text []byte) {
	d.next()
	d.write(text)
}

// close ends the innermost object or list.
func (d *document) close() {
	last := len(d.open) - 1
	closing := d.open[last]
	d.open = d.open[:last]
	if !d.empty {
		d.writeString(d.newLine())
	}
	d.empty = false
	d.writeString(closing)
}

// finish ends the document and returns the first error.
func (d *document) finish() error {
	d.close()
	d.writeString("\n")
	if d.err != nil {
		return d.err
	}
	return d.w.Flush()
}

func (d *document) begin(opening, closing string) {
	d.writeString(opening)
	d.open = append(d.open, closing)
	d.empty = true
}

func (d *document) name(name string) {
	d.next()
	d.value(name)
	d.writeString(": ")
}

// next makes room for the next thing in the innermost bracket.
func (d *document) next() {
	if !d.empty {
		d.writeString(",")
	}
	d.empty = false
	d.writeString(d.newLine())
}

// newLine returns a line feed and the indentation of the innermost bracket.
func (d *document) newLine() string {
	const deepest = "\n                " // eight levels; the documents have five
	return deepest[:1+2*len(d.open)]
}

func (d *document) value(value any) {
	if d.err != nil {
		return
	}
	d.piece.Reset()
	d.enc.SetIndent(d.newLine()[1:], "  ")
	if d.err = d.enc.Encode(value); d.err == nil {
		d.write(bytes.TrimSuffix(d.piece.Bytes(), []byte{'\n'}))
	}
}

func (d *document) write(text []byte) {
	if d.err == nil {
		_, d.err = d.w.Write(printable.JSON(text))
	}
}

func (d *document) writeString(text string) {
	if d.err == nil {
		_, d.err = d.w.WriteString(text)
	}
}
