// Package report writes results about a model in one of four formats: text for a terminal and
// Markdown for people, JSON and tab-separated tables for machines. A [Writer] writes one of these.
// A report writes the results that it is given, and computes nothing about the model. The same
// results give the same bytes, except for the timings in JSON. In texts for people no label can
// control a terminal. JSON escapes the characters that could do that, which changes no text.
//
// Results that can be as large as the model are written line by line, through a buffer. A Writer
// stops at the first error of the io.Writer and returns it.
//
// # Tab-separated tables
//
// Every table has a line with the names of its columns, then a line for each row. Labels and file
// names are unchanged except for backslash, tab, line feed and carriage return, which are written
// \\, \t, \n and \r, and the other control characters of ASCII, which are written \x and two
// hexadecimal digits. Undoing these escapes from left to right restores every label exactly. For a
// terminal, the tables of the command escape more.
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
//   - Explanation: step from label to class progress neighbourhood fate. A row for each step of the
//     counterexample, numbered from 1; none where the property holds. progress (the number of steps
//     of the property done) and fate are those after the step, neighbourhood is true if from is a
//     neighbourhood, else false. The cells of class, neighbourhood and fate are empty if only the
//     verdict was requested. In a lasso, the loop begins at the row whose from is the last to.
//   - Paths: state kind step from label to. A row for each step of each path to the neighbourhood
//     in state; no row if the path is empty.
//   - Why not: step state distance from label to class after. A row for each transition with the
//     action that leaves a state of the question or, with distance greater than 0, the nearest
//     state that has the action. step is the number of the step that leaves the state of the
//     question, class the class over all runs, after the class for the run; step and after are
//     empty if the question is about a state.
//   - Comparison: change from label to was_from was_label was_to. A row for each change:
//     added, removed, redirected or relabelled; cells of the version that does not have the
//     transition are empty. No rows if the changes are too many to list.
//   - Replay: case events fits skipped missing property since states. A row for each case: the
//     number of its events, of those that are skipped and of actions that are missing, the fate of
//     the property (empty without a property), the number of the event that decides the fate (empty
//     if it is open), and the numbers of the states after it, separated by commas.
//   - Statistics: name value. Each internal action has a row of its own, named
//     internal_label.
//   - Labels: label gate transitions reachable. A row for each label, in the order
//     of the texts: its gate, empty if it has none, the number of its transitions
//     and of those that leave a reachable state. Of gates: gate labels transitions
//     reachable. A row for each label without a gate, by its text, or for all
//     multi-actions with the same gates, as a|b, then one for each gate, with the number of its labels.
//   - Repair: advice part from label to progress. advice is never for a transition that must never
//     be taken; progress has the numbers of steps done for which that applies, separated by commas.
//     For each component that runs must not stay in forever, numbered from 1 in part, there is a
//     row for each of its states (stay), and for each transition that leaves it (way out). If there
//     is no repair, one row has the transition that prevents it (obstacle).
//   - Lasso: step from name label to loop. A row for each edge of the lasso; none
//     where there is no lasso. from and to are numbers of the file, empty for an
//     initial state that the file does not have; name is that of from; loop
//     (true or false) reports whether the edge is on the loop.
//   - Formula: notation formula, for the notations inev, actl, mcl and
//     mu_calculus. What a language does not express has a row named mcl_note or
//     mu_calculus_note.
package report

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"reflect"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/required"
)

// Options are the settings of a report for people: of text and Markdown.
type Options struct {
	// Color allows colours. No meaning depends on a colour alone.
	Color bool
	// Full shows long counterexamples and long labels in full.
	Full bool
	// Width is the number of columns at which text is wrapped; 0 means 80. Only texts of the model
	// without blanks may be wider.
	Width int
	// Hide are patterns of labels. Steps with these labels are left out of the table of a
	// counterexample, except for decisions, steps that make progress, and the end of a loop. The table
	// says how many steps it leaves out.
	Hide []actl.Pattern
}

// Writer writes results in one format. [New] returns it. Its methods return the first error of w, and
// may have written a part before.
type Writer struct{ w *render.Writer }

// Formats returns the names of the formats that [New] knows: text, markdown, json and tsv.
func Formats() []string { return render.Formats() }

// New returns the writer for a format: "text", "markdown", "json" or "tsv". It fails for other names.
func New(format string, o Options) (Writer, error) {
	w, err := render.New(format, render.Options{
		Color: o.Color,
		Full:  o.Full,
		Width: o.Width,
		Hide:  o.Hide,
	})
	if err != nil {
		return Writer{}, err
	}
	return Writer{&w}, nil
}

// check fails if the writer was not made by [New], if there is nothing to write, or if there is
// nothing to write to.
func (r Writer) check(w io.Writer, results ...any) error {
	if r == (Writer{}) {
		return errors.New("the report.Writer has no format: make it by report.New")
	}
	if err := required.Argument("w", w); err != nil {
		return err
	}
	for _, result := range results {
		if result == nil || reflect.ValueOf(result).IsNil() {
			return fmt.Errorf("there is nothing to write: the %T is nil", result)
		}
	}
	return nil
}

// Explanation writes the result of [explain.Explain] or [explain.Check]. Cost
// O(size of the result), one neighbourhood at a time.
func (r Writer) Explanation(w io.Writer, e *explain.Explanation) error {
	if err := r.check(w, e); err != nil {
		return err
	}
	return r.w.Explanation(w, e)
}

// Statistics writes the result of [explain.Describe].
func (r Writer) Statistics(w io.Writer, s *explain.Statistics) error {
	if err := r.check(w, s); err != nil {
		return err
	}
	return r.w.Statistics(w, s)
}

// States writes the component and the prefixes and suffixes of each reachable
// state. Cost O(S).
func (r Writer) States(w io.Writer, a *explain.Analysis) error {
	if err := r.check(w, a); err != nil {
		return err
	}
	return r.w.States(w, a)
}

// Transitions writes the class of each reachable transition. Cost O(S + T);
// memory O(labels), and 4 bytes a transition if the file does not list them
// by source.
func (r Writer) Transitions(w io.Writer, a *explain.Analysis) error {
	if err := r.check(w, a); err != nil {
		return err
	}
	return r.w.Transitions(w, a)
}

// Neighbourhoods writes the neighbourhoods that were found in an analysis. Cost O(transitions of the
// neighbourhoods, and lengths of the shortest paths to them).
func (r Writer) Neighbourhoods(
	w io.Writer,
	a *explain.Analysis,
	found *explain.Neighbourhoods,
) error {
	if err := r.check(w, a, found); err != nil {
		return err
	}
	return r.w.Neighbourhoods(w, a, found)
}

// Paths writes the requested shortest paths of an analysis.
func (r Writer) Paths(
	w io.Writer,
	a *explain.Analysis,
	to explain.Destination,
	paths iter.Seq[explain.Path],
) error {
	if err := r.check(w, a); err != nil {
		return err
	}
	return r.w.Paths(w, a, to, paths)
}

// WhyNot writes the reasons why an action did not happen. Cost O(size of the answer).
func (r Writer) WhyNot(w io.Writer, y *explain.WhyNot) error {
	if err := r.check(w, y); err != nil {
		return err
	}
	return r.w.WhyNot(w, y)
}

// Comparison writes the differences between two versions of a model. Cost O(size of the comparison).
func (r Writer) Comparison(w io.Writer, c *compare.Comparison) error {
	if err := r.check(w, c); err != nil {
		return err
	}
	return r.w.Comparison(w, c)
}

// Labels writes the labels of a model, or its gates. It shortens no text, since users copy labels into
// formulas. Cost O(labels).
func (r Writer) Labels(w io.Writer, l *explain.Labels) error {
	if err := r.check(w, l); err != nil {
		return err
	}
	return r.w.Labels(w, l)
}

// Repair writes the changes that make a property true. Cost O(size of the changes).
func (r Writer) Repair(w io.Writer, d *explain.Repaired) error {
	if err := r.check(w, d); err != nil {
		return err
	}
	return r.w.Repair(w, d)
}

// Diagnosis returns the sentence about why the property fails on the counterexample; "" if the property
// holds. Labels in the sentence cannot control a terminal.
func Diagnosis(e *explain.Explanation) string {
	return render.NewSentences(e, printable.Text).Diagnosis()
}

//go:embed schema/*.json
var schemas embed.FS

// Schemas returns the JSON Schemas (draft 2020-12) of the documents in JSON, by the name in each
// document: inev.explanation/3 for explain.Explain and explain.Check, inev.labels/1 for the labels
// of a model, inev.repair/1 for the changes that make a property true, inev.replay/1 for a replayed
// log, and inev.why/1 for why an action did not happen. The caller may change them.
func Schemas() map[string][]byte {
	all := map[string][]byte{}
	files, _ := schemas.ReadDir("schema") // an embedded folder can be read
	for _, f := range files {
		name, number, _ := strings.Cut(strings.TrimSuffix(f.Name(), ".json"), "-")
		all["inev."+name+"/"+number], _ = schemas.ReadFile(path.Join("schema", f.Name()))
	}
	return all
}
