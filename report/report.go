// Package report writes what was found out about a model for people and for
// machines: as text for a terminal, as JSON, as tab-separated tables, and as
// Markdown: a [Writer] writes one of these four. [Sequence] writes a counterexample for
// other tools.
//
// The invariant that holds inside: a report says what it was given, and nothing
// is computed on the way. The same results give the same bytes, except for the
// timings in JSON. Text of the model that people are to read passes through
// [printable.Text], so that no label can give orders to a terminal; in JSON, the characters
// of which that is made are escaped, and mean the same.
//
// What can be as large as the model is written a line at a time, through a
// buffer. A Writer stops at the first error of the io.Writer and returns it.
//
// # Tab-separated tables
//
// Every table has a line with the names of its columns, then a line for each
// row. Label and file names stand as they are, but for backslash, tab, line
// feed and carriage return, which are written \\, \t, \n and \r, and the other control
// characters of ASCII, which are written \x and two hexadecimal digits: read from the left,
// that gives back every label to the byte. For a terminal, see [Options].
//
//   - States: state scc depth mp cp ms cs. A row for each reachable state,
//     ascending. scc and depth are those of its strongly connected component,
//     mp, cp, ms, cs the lengths of its max and common prefix and suffix.
//   - Transitions: from label to class. A row for each reachable transition, in
//     the order of the file.
//   - Neighbourhoods: state kind distance incoming correct incorrect neutral. A
//     row for each neighbourhood, ascending: its kind, its distance from the
//     initial state, the number of its incoming transitions, and that of its
//     outgoing ones of each class.
//   - Explanation: step from label to class progress neighbourhood fate. A row
//     for each step of the counterexample, numbered from 1; none where the
//     property holds. progress (the number of steps of the property done) and
//     fate are those after the step, neighbourhood (true or false) tells about
//     from. The cells of class, neighbourhood and fate are empty if only the
//     verdict was asked for. In a lasso, the last to is the from of an earlier
//     row: there the loop begins.
//   - Paths: state kind step from label to. A row for each step of each path to
//     the neighbourhood in state; none for one that needs no step.
//   - Why not: step state distance from label to class after. A row for each transition
//     with the action at the places that were asked about, or at the nearest one,
//     distance transitions on: step leaves the place, and is empty of a state; class
//     is that over all runs, after that for the run, empty of a state.
//   - Comparison: change from label to was_from was_label was_to. A row for each change:
//     added, removed, redirected or relabelled; cells of the version that does not have the
//     transition are empty. No rows if the changes are too many to list.
//   - Replay: case events fits skipped missing property since states. A row for each case:
//     the number of its events, of those that are skipped and of actions that are missing, what
//     becomes of the property (empty without one) since which event (empty if it is open), and
//     the numbers of the states after it, separated by commas.
//   - Statistics: name value. Each internal action has a row of its own, named
//     internal_label.
//   - Labels: label gate transitions reachable. A row for each label, in the order
//     of the texts: its gate, empty if it has none, the number of its transitions
//     and of those that leave a reachable state. Of gates: gate labels transitions
//     reachable. A row for each label without a gate, by its text, then one for
//     each gate, with the number of its labels.
//   - Repair: advice part from label to progress. A row for each transition that must
//     never be taken (never), with the numbers of steps of the property done with which
//     it must not, separated by commas; for each part that must not be stayed in for
//     ever, numbered from 1, a row for each of its states (stay), and for each way out
//     (way out). Where there is no repair, one for the transition in the way (obstacle).
//   - Lasso: step from name label to loop. A row for each edge of the lasso; none
//     where there is no lasso. from and to are numbers of the file, empty for an
//     initial state that the file does not have; name is that of from; loop
//     (true or false) reports whether the edge is on the loop.
//   - Formula: notation formula, for the notations inev, actl, mcl and
//     mu_calculus. What a language does not express has a row named mcl_note or
//     mu_calculus_note.
package report

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
	"github.com/inev-lts/inev/counterexample/replay"
	"github.com/inev-lts/inev/explain"
)

// Options are the settings of a report for people. JSON depends only on Pictures, and tables
// for machines only on Terminal.
type Options struct {
	// Color allows colours; no meaning depends on a colour alone.
	Color bool
	// Full shows long counterexamples and long labels in full.
	Full bool
	// MoreBy is what a reader must add to see everything, such as a flag; "" if that is not known.
	MoreBy string
	// Width is the number of columns of a terminal that text is wrapped at, 0 for [DefaultWidth];
	// less than [LeastWidth] counts as that. Only texts of the model without a blank may be wider.
	Width int
	// Hide are patterns of labels that the table of a counterexample's steps leaves out, except for
	// decisions, steps that make progress, and the end of a loop. The table has the number of steps
	// left out. If it is empty, nothing is hidden.
	Hide []actl.Pattern
	// Onward, if it is not nil, returns the commands that answer the next questions of a reader of
	// a text or of Markdown: how to get to each decision, and what distinguishes runs that come to
	// the same state. None means that there is no command.
	Onward func(e *explain.Explanation) (toEach, apart []string)
	// Commands are the commands that sentences can name.
	Commands Commands
	// Terminal reports that a terminal shows the report at once. Then texts in tables for machines
	// are made printable by [printable.Text], too.
	Terminal bool
	// Flowchart is a picture of the counterexample for Markdown.
	Flowchart Flowchart
	// Sequence is the counterexample as a sequence chart for Markdown.
	Sequence Flowchart
	// Pictures are the files of pictures that accompany the report. JSON has what they omit.
	Pictures []Picture
	// Picture, if it is not "", is the path of a picture relative to the folder of the report;
	// Markdown links to it instead of showing Flowchart.
	Picture string
}

// Commands are texts for commands that sentences name, "" for none.
type Commands struct {
	// Assume is a flag that takes a fairness assumption, in the syntax of
	// [actl.ParseAssumption], for the reader to try.
	Assume string
	// Repair is the command that lists all transitions to forbid.
	Repair string
	// Triggers is the flag of that command that allows it to forbid the triggers of a property.
	Triggers string
	// Variables is the name of the tuple of variables, if the model comes from a specification in
	// TLA+. Then fairness of an action is written in TLA+, too.
	Variables string
}

// Picture is a file with a picture, and what the picture leaves out.
type Picture struct {
	File string `json:"file"`
	// Omitted are sentences about what the picture omits, or shows otherwise than requested; none
	// if it shows everything.
	Omitted []string `json:"omitted"`
}

// Flowchart is a picture in the language of Mermaid, as Mermaid and ChartMermaid of package
// diagram write it, or the reason why there is none. The zero value is no picture and no
// reason.
type Flowchart struct {
	Text string
	Why  string // "" if there is a text
	// Notes are sentences about what the picture omits, or shows otherwise than requested.
	Notes []string
}

// isNone reports whether there is neither a picture nor a reason.
func (f Flowchart) isNone() bool { return f.Text == "" && f.Why == "" }

// Writer writes results in one format; [New] makes it. Its methods return the first error of w,
// and may have written a part by then.
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

// Neighbourhoods writes the neighbourhoods that were found in an analysis. Cost
// O(their transitions, and the lengths of the shortest paths to them).
func (r Writer) Neighbourhoods(w io.Writer, a *explain.Analysis, found *explain.Neighbourhoods) error {
	return r.write(w, neighbourhoodsResult(a, found))
}

// Paths writes the requested shortest paths of an analysis.
func (r Writer) Paths(w io.Writer, a *explain.Analysis, to explain.Destination, paths iter.Seq[explain.Path]) error {
	return r.write(w, pathsResult(a, to, paths))
}

// WhyNot writes why an action did not happen. Cost O(its size).
func (r Writer) WhyNot(w io.Writer, y *explain.WhyNot) error { return r.write(w, whyNotResult(y)) }

// Comparison writes what has changed between two versions of a model. Cost O(its size).
func (r Writer) Comparison(w io.Writer, c *compare.Comparison) error {
	return r.write(w, comparisonResult(c))
}

// Replay writes the result for a log. Cost O(its size).
func (r Writer) Replay(w io.Writer, found *replay.Result) error {
	return r.write(w, replayResult(found))
}

// Labels writes the labels of a model, or its gates. It cuts no text, for labels are listed to be
// copied into formulas. Cost O(labels).
func (r Writer) Labels(w io.Writer, l *explain.Labels) error { return r.write(w, labelsResult(l)) }

// Repair writes what would make a property true. Cost O(its size).
func (r Writer) Repair(w io.Writer, d *explain.Repaired) error { return r.write(w, repairResult(d)) }

// Lasso writes the result of a search in an automaton.
func (r Writer) Lasso(w io.Writer, l *Lasso) error { return r.write(w, lassoResult(l)) }

// Formula writes a formula in all notations. It fails if the formula would be too long in one of
// them, or if ctx is done.
func (r Writer) Formula(ctx context.Context, w io.Writer, f Notation) error {
	notations, err := formulaResult(ctx, f)
	if err != nil {
		return err
	}
	return r.write(w, notations)
}

// result is a result that every format can write.
type result struct {
	people func(s sheet) error                               // writes text and Markdown
	table  func(w io.Writer, l layout) error                 // tab-separated
	schema string                                            // of the JSON; "" if the JSON names its schema itself
	json   func(d *document, pictures []Picture, labels int) // labels is the largest number of labels of paths to neighbourhoods
}

// Formats returns the names of the formats that [New] knows.
func Formats() []string { return []string{"text", "json", "tsv", "markdown"} }

// New returns the writer for the format of this name, one of [Formats].
func New(format string, o Options) (Writer, error) {
	if !slices.Contains(Formats(), format) {
		return Writer{}, fmt.Errorf("there is no output format %q; choose one of %s", format, strings.Join(Formats(), ", "))
	}
	return Writer{format, o}, nil
}

func (r Writer) write(w io.Writer, found result) error {
	switch r.format {
	case "json":
		d := openDocument(w)
		if found.schema != "" {
			d.field("schema", found.schema)
		}
		found.json(d, r.o.Pictures, pathLabelsOf(r.o))
		return d.finish()
	case "tsv":
		return found.table(w, tsvLayout(r.o))
	case "markdown":
		return written(&markdownSheet{bufio.NewWriter(w), r.o}, found)
	}
	return written(&textSheet{w: bufio.NewWriter(w), o: r.o}, found)
}

// written writes a result as text or Markdown.
func written(s sheet, found result) error {
	if err := found.people(s); err != nil {
		return err
	}
	return s.flush()
}

// listing is a result that is a single table in all formats but JSON.
func listing(schema string, table func(w io.Writer, l layout) error, json func(d *document, labels int)) result {
	return result{
		people: func(s sheet) error { return s.table(table) },
		table:  table,
		schema: schema,
		json:   func(d *document, _ []Picture, labels int) { json(d, labels) },
	}
}
