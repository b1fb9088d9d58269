package summary

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/printable"
)

// columns are the columns of the table in their order, each with its name in the first row. The
// last one differs from run to run.
var columns = []column{
	{"name", func(f finding) string { return f.Job.Name }},
	{"model", func(f finding) string { return f.Job.Model }},
	{"formula", func(f finding) string { return f.Job.Formula }},
	{"tags", func(f finding) string { return strings.Join(f.Job.Tags, " ") }},
	{"status", func(f finding) string { return string(f.Status) }},
	{"expect", func(f finding) string { return f.Job.Expect }},
	{"unexpected", finding.unexpected},
	{"change", func(f finding) string { return string(f.change) }},
	{"before", func(f finding) string { return f.before() }},
	{"states", ofModel(func(f finding) int { return f.Model.States })},
	{"transitions", ofModel(func(f finding) int { return f.Model.Transitions })},
	{"labels", ofModel(func(f finding) int { return f.Model.Labels })},
	{"correct", ofAnswer(func(f finding) int { return f.Classes.Correct })},
	{"incorrect", ofAnswer(func(f finding) int { return f.Classes.Incorrect })},
	{"neutral", ofAnswer(func(f finding) int { return f.Classes.Neutral })},
	{"neighbourhoods", ofAnswer(func(f finding) int { return f.Neighbourhoods })},
	{"counterexample", ofRun(func(c *batch.Counterexample) string { return c.Kind.String() })},
	{"length", ofRun(func(c *batch.Counterexample) string { return strconv.Itoa(c.Length) })},
	{"decisions", ofRun(func(c *batch.Counterexample) string { return strconv.Itoa(len(c.Decisions)) })},
	{"deciding", finding.deciding},
	{"deciding_line", finding.decidingLine},
	{"sentence", func(f finding) string {
		if f.Counterexample == nil {
			return f.Argument
		}
		return f.Counterexample.Sentence
	}},
	{"error", func(f finding) string { return f.Error }},
	{"warnings", func(f finding) string { return strings.Join(f.Warnings, "; ") }},
	{"page", func(f finding) string { return f.Files["page"] }},
	{"explanation", func(f finding) string { return f.Files["explanation"] }},
	{"fair", func(f finding) string { return strings.Join(f.Job.Options.Fair, "; ") }},
	{"excluded", ofAnswer(func(f finding) int { return f.Classes.Excluded })},
	{"diagnosis", ofRun(func(c *batch.Counterexample) string { return c.Diagnosis })},
	{"bound", finding.boundAsNumber},
	{"faults", finding.faults},
	{"exceeds", func(f finding) string { return strings.Join(f.Exceeds, "; ") }},
	{"prevention", ofRun(func(c *batch.Counterexample) string { return c.Prevention })},
	{"ms", func(f finding) string { return strconv.FormatFloat(f.Milli, 'f', 3, 64) }},
}

// column is a column of the table.
type column struct {
	name string
	cell func(f finding) string
}

// unexpected returns "yes" if the verdict is not the expected one.
func (f finding) unexpected() string {
	if f.Unexpected {
		return "yes"
	}
	return ""
}

// decidingLine returns the line of the deciding transition in the model's file, "" if it is not known.
func (f finding) decidingLine() string {
	d := decidingOf(f)
	if d == nil || d.Line == 0 {
		return ""
	}
	return strconv.Itoa(d.Line)
}

// boundAsNumber returns the largest bound: as a number if each bound has a largest number, and otherwise
// in words; "" if it is not known.
func (f finding) boundAsNumber() string {
	inWords := f.bound()
	if inWords == "" || !f.isBounded() {
		return inWords
	}
	most, _ := f.MostOf()
	return strconv.Itoa(most)
}

// isBounded reports whether each bound has a largest number.
func (f finding) isBounded() bool {
	for _, b := range f.Bounds {
		if b.Most == nil {
			return false
		}
	}
	return true
}

// ofModel returns the cell of a job whose model was read; the cell of any other job is empty.
func ofModel(n func(finding) int) func(finding) string {
	return numberIf(func(f finding) bool { return f.Model != nil }, n)
}

// ofAnswer returns the cell of a job with a verdict; the cell of any other job is empty.
func ofAnswer(n func(finding) int) func(finding) string {
	return numberIf(func(f finding) bool { return f.Classes != nil }, n)
}

// numberIf returns the cell with a number of the jobs that hasNumber chooses; the cell of any other job is
// empty.
func numberIf(hasNumber func(finding) bool, number func(finding) int) func(finding) string {
	return func(f finding) string {
		if !hasNumber(f) {
			return ""
		}
		return strconv.Itoa(number(f))
	}
}

// ofRun returns the cell of a job with a counterexample; the cell of any other job is empty.
func ofRun(text func(*batch.Counterexample) string) func(finding) string {
	return func(f finding) string {
		if f.Counterexample == nil {
			return ""
		}
		return text(f.Counterexample)
	}
}

// writeCSV writes a table for spreadsheets in the form of RFC 4180: a row of names, then a row for
// each job; the text is UTF-8. A cell without a value is empty.
//
// Texts are made printable, so that each row is one line. A text that a spreadsheet would take for
// a formula (it begins with =, +, - or @, after blanks) or that begins with an apostrophe gets one
// more apostrophe at its beginning; to read the text back, remove this. The exact texts are in the
// JSON. Cost O(size of the results).
func writeCSV(b Batch, w io.Writer) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	row := make([]string, len(columns))
	for i, c := range columns {
		row[i] = c.name
	}
	if err := out.Write(row); err != nil {
		return err
	}
	for _, f := range findings(b) {
		for i, c := range columns {
			row[i] = guarded(c.cell(f))
		}
		if err := out.Write(row); err != nil {
			return fmt.Errorf("%s: cannot be written to the table: %w",
				printable.Text(f.Job.Name), err)
		}
	}
	out.Flush()
	return out.Error()
}

// formulaSigns begin a formula in some spreadsheet: ASCII signs, and their full-width forms
// from East Asian keyboards (OWASP, CSV Injection).
const formulaSigns = "=+-@＝＋－＠'"

// guarded returns a printable text that no spreadsheet takes for a formula.
func guarded(text string) string {
	text = printable.Text(text)
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " "))
	if strings.ContainsRune(formulaSigns, first) {
		return "'" + text
	}
	return text
}
