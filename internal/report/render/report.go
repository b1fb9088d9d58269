// Package render writes results about a model in one of four formats: text for a terminal and
// Markdown for people, JSON and tab-separated tables for machines. A [Writer] writes one of these.
// [Sequence] writes a counterexample for other tools. A report writes the results that it is given,
// and computes nothing about the model. The same results give the same bytes, except for the
// timings in JSON. Texts of the model for people pass through [printable.Text], so that no label
// can control a terminal. JSON escapes the characters that could do that, which changes no text.
//
// Results that can be as large as the model are written line by line, through a buffer. A Writer stops
// at the first error of the io.Writer and returns it.
//
// Package report describes the tab-separated tables.
package render

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/counterexample/replay"
	"github.com/inev-lts/inev/internal/modeljson"
	"github.com/inev-lts/inev/internal/printable"
)

// Options are the settings of a report for people. JSON depends only on Pictures. Tables for machines
// depend only on Terminal.
type Options struct {
	// Color allows colours. No meaning depends on a colour alone.
	Color bool
	// Full shows long counterexamples and long labels in full.
	Full bool
	// MoreBy is what a reader must add to the command to see everything, such as a flag; "" if that is
	// unknown.
	MoreBy string
	// Width is the number of columns at which text is wrapped; 0 means [DefaultWidth]. A width below
	// [LeastWidth] counts as LeastWidth. Only texts of the model without blanks may be wider.
	Width int
	// Hide are patterns of labels. Steps with these labels are left out of the table of a
	// counterexample, except for decisions, steps that make progress, and the end of a loop. The table
	// says how many steps it leaves out.
	Hide []actl.Pattern
	// Onward, if it is not nil, returns commands for readers of a text or of Markdown. The first shows
	// a path to each neighbourhood, the second how runs to the same state differ. An empty command is
	// left out.
	Onward func(e *explain.Explanation) (toEach, apart []string)
	// Commands are the commands that sentences may name.
	Commands Commands
	// Terminal reports that the output goes straight to a terminal. Then tables for machines also
	// pass through [printable.Text].
	Terminal bool
	// Flowchart is a picture of the counterexample for Markdown.
	Flowchart Flowchart
	// Sequence is the counterexample as a sequence chart for Markdown.
	Sequence Flowchart
	// Pictures are the picture files that accompany the report. JSON describes what they omit.
	Pictures []Picture
	// Picture, if it is not "", is the path of a picture file, relative to the folder of the
	// report; Markdown links to it instead of showing Flowchart.
	Picture string
}

// Commands are texts for the commands that sentences name; "" for no command.
type Commands struct {
	// Assume is the flag with which the reader can try a fairness assumption,
	// in the syntax of [actl.ParseAssumption].
	Assume string
	// Repair is the command that lists all transitions to forbid.
	Repair string
	// Triggers is the flag with which that command may also forbid the triggers of a property.
	Triggers string
	// Specification is the flag for the name of a specification, whose fairness is then assumed.
	Specification string
	// Variables is the name of the tuple of variables if the model comes from a TLA+ specification.
	// Then fairness of an action is also written in TLA+.
	Variables string
}

// Picture is a file with a picture, and what the picture leaves out.
type Picture struct {
	File string `json:"file"`
	// Omitted are sentences about what the picture omits, or shows differently than requested; none if
	// it shows everything.
	Omitted []string `json:"omitted"`
}

// Flowchart is a picture in the language of Mermaid, as Mermaid and ChartMermaid of package diagram
// write it. If there is none, Why gives the reason. The zero value has neither.
type Flowchart struct {
	Text string
	Why  string // "" if there is a text
	// Notes are sentences about what the picture omits, or shows differently than requested.
	Notes []string
}

// isNone reports whether there is neither a picture nor a reason.
func (f Flowchart) isNone() bool { return f.Text == "" && f.Why == "" }

// Writer writes results in one format. [New] returns it. Its methods return the first error of w, and
// may have written a part before.
type Writer struct {
	format string
	o      Options
}

// Explanation writes the result of explain.Explain or explain.Check. Cost
// O(size of the result), one neighbourhood at a time.
func (r Writer) Explanation(w io.Writer, e *explain.Explanation) error {
	return r.write(w, explanationResult(e))
}

// Statistics writes the result of explain.Describe.
func (r Writer) Statistics(w io.Writer, s *explain.Statistics) error {
	return r.write(w, statisticsResult(s))
}

// States writes the component and the prefixes and suffixes of each reachable
// state. Cost O(S).
func (r Writer) States(w io.Writer, a *explain.Analysis) error {
	return r.write(w, statesResult(a))
}

// Transitions writes the class of each reachable transition. Cost O(S + T);
// memory O(labels), and 4 bytes a transition if the file does not list them
// by source.
func (r Writer) Transitions(w io.Writer, a *explain.Analysis) error {
	return r.write(w, transitionsResult(a))
}

// Neighbourhoods writes the neighbourhoods that were found in an analysis. Cost O(transitions of the
// neighbourhoods, and lengths of the shortest paths to them).
func (r Writer) Neighbourhoods(
	w io.Writer,
	a *explain.Analysis,
	found *explain.Neighbourhoods,
) error {
	return r.write(w, neighbourhoodsResult(a, found))
}

// Paths writes the requested shortest paths of an analysis.
func (r Writer) Paths(
	w io.Writer,
	a *explain.Analysis,
	to explain.Destination,
	paths iter.Seq[explain.Path],
) error {
	return r.write(w, pathsResult(a, to, paths))
}

// WhyNot writes the reasons why an action did not happen. Cost O(size of the answer).
func (r Writer) WhyNot(w io.Writer, y *explain.WhyNot) error {
	return r.write(w, whyNotResult(y))
}

// Comparison writes the differences between two versions of a model. Cost O(size of the comparison).
func (r Writer) Comparison(w io.Writer, c *compare.Comparison) error {
	return r.write(w, comparisonResult(c))
}

// Replay writes the result of replaying a log. Cost O(size of the result).
func (r Writer) Replay(w io.Writer, found *replay.Result) error {
	return r.write(w, replayResult(found))
}

// Labels writes the labels of a model, or its gates. It shortens no text, since users copy labels into
// formulas. Cost O(labels).
func (r Writer) Labels(w io.Writer, l *explain.Labels) error {
	return r.write(w, labelsResult(l))
}

// Repair writes the changes that make a property true. Cost O(size of the changes).
func (r Writer) Repair(w io.Writer, d *explain.Repaired) error {
	return r.write(w, repairResult(d))
}

// Lasso writes the result of a search for an accepting lasso.
func (r Writer) Lasso(w io.Writer, l *Lasso) error { return r.write(w, lassoResult(l)) }

// Formula writes a formula in all languages. It fails if the formula would be too long in some
// language, or if ctx is done.
func (r Writer) Formula(ctx context.Context, w io.Writer, f Notation) error {
	found, err := formulaResult(ctx, f)
	if err != nil {
		return err
	}
	return r.write(w, found)
}

// result is a result that every format can write.
type result struct {
	prose  func(s *sheet) // writes text and Markdown
	table  tableWriter    // tab-separated
	object any            // the whole JSON; nil if it is written piece by piece
	schema string         // the name of the schema; "" if the JSON names its schema itself
	json   func(d *document, o Options)
}

// Formats returns the names of the formats that [New] knows.
func Formats() []string { return []string{"text", "json", "tsv", "markdown"} }

// New returns the writer for a format, which is one of [Formats].
func New(format string, o Options) (Writer, error) {
	if !slices.Contains(Formats(), format) {
		return Writer{}, fmt.Errorf("there is no output format %q; choose one of %s", format, strings.Join(Formats(), ", "))
	}
	return Writer{format, o}, nil
}

func (r Writer) write(w io.Writer, found result) error {
	switch r.format {
	case "json":
		return found.writeJSON(w, r.o)
	case "tsv":
		label := printable.Cell
		if r.o.Terminal {
			label = func(text string) string {
				return printable.Text(printable.Cell(text))
			}
		}
		return found.table(w, layout{
			between: "\t",
			after:   "\n",
			label:   label,
			whole:   label,
		})
	}
	s := &sheet{w: bufio.NewWriter(w), o: r.o, markdown: r.format == "markdown"}
	found.prose(s)
	return s.w.Flush()
}

// writeJSON writes the result as JSON, either the whole at once or piece by piece.
func (r result) writeJSON(w io.Writer, o Options) error {
	if r.object != nil {
		b := bufio.NewWriterSize(w, 64<<10)
		if err := modeljson.Plain().Write(printableWriter{b}, r.object, ""); err != nil {
			return err
		}
		b.WriteByte('\n')
		return b.Flush()
	}
	d := openDocument(w)
	if r.schema != "" {
		d.field("schema", r.schema)
	}
	r.json(d, o)
	return d.finish()
}

// listing returns a result that is a single table in all formats except JSON.
func listing(schema string, table tableWriter, json func(d *document, o Options)) result {
	return result{
		prose:  func(s *sheet) { s.table(table) },
		table:  table,
		schema: schema,
		json:   json,
	}
}
