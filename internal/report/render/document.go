package render

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/modeljson"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// document writes a JSON object piece by piece, indented by two blanks a level. It writes the brackets
// and commas, and never holds the whole object in memory. It keeps the first error, writes nothing
// afterwards, and returns the error in [document.finish]. Long loops should call [document.failed], so
// that they end early after an error.
type document struct {
	w      *bufio.Writer
	open   []string // the closing brackets that are still to be written, the innermost last
	empty  bool     // whether the innermost object or list has no element yet
	format modeljson.Format
	script bool // whether the document is in a script element of a page; then it has no blanks, and is escaped as in HTML
	err    error
}

// openDocument begins a document without a field.
func openDocument(w io.Writer) *document {
	d := &document{w: bufio.NewWriterSize(w, 64<<10), format: modeljson.Plain()}
	d.begin("{", "}")
	return d
}

// name sets the function that names the states of an unfolded model.
func (d *document) name(unfolded bool, name func(lts.State) string) {
	if unfolded {
		d.format = modeljson.Named(name)
	}
}

// field adds a field to the innermost object.
func (d *document) field(name string, value any) {
	d.key(name)
	d.value(value)
}

// object begins an object as a field of the innermost one; close ends it.
func (d *document) object(name string) {
	d.key(name)
	d.begin("{", "}")
}

// list begins a list as a field of the innermost object; close ends it.
func (d *document) list(name string) {
	d.key(name)
	d.begin("[", "]")
}

// element adds a value to the innermost list.
func (d *document) element(value any) {
	d.next()
	d.value(value)
}

// line adds a piece of JSON on a single line to the innermost list.
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

// finish ends the document, and returns its first error.
func (d *document) finish() error {
	d.close()
	d.writeString(d.newLine())
	if d.err != nil {
		return d.err
	}
	return d.w.Flush()
}

// failed reports whether there was an error.
func (d *document) failed() bool { return d.err != nil }

// keep keeps the first error.
func (d *document) keep(err error) {
	if d.err == nil {
		d.err = err
	}
}

func (d *document) begin(opening, closing string) {
	d.writeString(opening)
	d.open = append(d.open, closing)
	d.empty = true
}

func (d *document) key(name string) {
	d.next()
	d.value(name)
	if d.script {
		d.writeString(":")
	} else {
		d.writeString(": ")
	}
}

// next writes the separator before the next element of the innermost object or list.
func (d *document) next() {
	if !d.empty {
		d.writeString(",")
	}
	d.empty = false
	d.writeString(d.newLine())
}

// newLine returns a line feed and the indentation of the innermost object or list.
func (d *document) newLine() string {
	if d.script {
		return ""
	}
	const deepest = "\n                " // eight levels; the documents have five
	return deepest[:1+2*len(d.open)]
}

func (d *document) value(value any) {
	if d.err != nil {
		return
	}
	if !d.script {
		d.keep(d.format.Write(printableWriter{d.w}, value, d.newLine()[1:]))
		return
	}
	text, err := d.format.Script(value)
	if err != nil {
		d.keep(err)
		return
	}
	d.write(text)
}

// printableWriter writes JSON tokens in a form that terminals show safely.
type printableWriter struct{ w *bufio.Writer }

func (w printableWriter) Write(text []byte) (int, error) {
	if _, err := w.w.Write(printable.JSON(text)); err != nil {
		return 0, err
	}
	return len(text), nil
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

// Cost writes the cost of a run with a line "name: value" for each figure: the time of each phase, the
// total time, then memory and rates. Unknown figures are left out; c may be nil.
func Cost(w io.Writer, phases []explain.Phase, c *explain.Cost) error {
	b := bufio.NewWriter(w)
	var all time.Duration
	for _, p := range explain.Phases(phases).Totals() {
		fmt.Fprintf(b, "time of %s: %.3f ms\n", printable.Text(p.Name), p.Milliseconds())
		all += p.Took
	}
	if len(phases) > 0 {
		fmt.Fprintf(b, "time of all phases: %.3f ms\n", explain.Phase{Took: all}.Milliseconds())
	}
	if c != nil {
		fmt.Fprintf(b, "peak memory: %d bytes\n", c.PeakMemory)
		fmt.Fprintf(b, "peak heap: %d bytes\n", c.PeakHeap)
		if c.BytesPerTransition > 0 {
			fmt.Fprintf(b, "peak memory per transition: %.1f bytes\n", c.BytesPerTransition)
		}
		if c.ReadPerSecond > 0 {
			fmt.Fprintf(b, "transitions read per second: %.0f\n", c.ReadPerSecond)
		}
		if c.Queue != "" {
			fmt.Fprintf(b, "queue: %s\n", c.Queue)
		}
	}
	return b.Flush()
}

// cost adds the cost of a run: the time of each phase, in milliseconds, and the other known figures.
func (d *document) cost(phases explain.Phases, c *explain.Cost) {
	d.field("timings_ms", phases)
	if c != nil {
		d.field("stats", c)
	}
}
