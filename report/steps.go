package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/rows"
)

// row is a row of the table of a run: steps with one label, steps that are left out, or words about
// the state in which the run begins or ends.
type row struct {
	gutter  string // the part of the loop's bracket
	number  string // of the steps; "" in a row without a label
	state   string
	label   string // of the model
	times   int    // the number of steps with the label
	said    string // what a row without a label says; Markdown says inCell, if it is not ""
	inCell  string
	leftOut bool // said counts the steps that are left out
	remarks []remark
}

// rowOf returns the row for steps with this label; the first leaves this state.
func rowOf(r rows.Row, label, state string) row {
	switch what := printable.Quantity(r.Len(), "step"); r.Kind {
	case rows.Hidden:
		return row{leftOut: true, said: what + " hidden"}
	case rows.LeftOut:
		return row{leftOut: true, said: what}
	}
	return row{number: numberOf(r), state: state, label: label, times: r.Len()}
}

// numberOf returns the numbers of the steps of a row, counted from 1.
func numberOf(r rows.Row) string {
	if r.Len() == 1 {
		return strconv.Itoa(r.End)
	}
	return fmt.Sprintf("%d–%d", r.First+1, r.End)
}

// folding writes a label that is repeated several times: "A ×3".
func folding(label string, times int) string {
	if times < 2 {
		return label
	}
	return fmt.Sprintf("%s ×%d", label, times)
}

// foldedList returns labels with repetitions of one label folded.
func foldedList(labels []string) []string {
	var list []string
	for _, r := range rows.Fold(len(labels), func(i int) string { return labels[i] }, false) {
		list = append(list, folding(labels[r.First], r.Len()))
	}
	return list
}

// rows divides the steps of the counterexample into rows of the table. Cost O(steps).
func (r *remarks) rows(o Options) []rows.Row {
	c := r.e.Counterexample
	all := rows.Of(len(c.Steps), func(i int) string { return c.Steps[i].Label }, rows.Options{
		Loop: int(c.LoopStart), Full: o.Full, Hides: rows.Matching(o.Hide), Eventful: func(i int) bool { return len(r.events(i)) > 0 },
	})
	if from := r.decidedAt(); from > 0 && !o.Full {
		if i := slices.IndexFunc(all, func(row rows.Row) bool { return row.First == from }); i > 0 {
			return append(all[:i], rows.Row{First: from, End: len(c.Steps), Kind: rows.LeftOut})
		}
	}
	return all
}

// decidedAt returns the index of the first step after the one that violates the property, if at
// least two steps follow to the deadlock in which the run ends; else 0. They add nothing.
func (r *remarks) decidedAt() int {
	c, d := r.e.Counterexample, r.e.Diagnosis
	if d == nil || d.Kind != explain.KindForbidden || d.Step == nil || c.Kind != counterexample.Deadlock || len(c.Steps) < int(*d.Step)+3 {
		return 0
	}
	return int(*d.Step) + 1
}

// textsOf joins the texts of remarks.
func textsOf(all []remark) string {
	if len(all) == 1 {
		return all[0].text
	}
	texts := make([]string, len(all))
	for i, r := range all {
		texts[i] = r.text
	}
	return strings.Join(texts, "; ")
}

// gutter returns the part of the loop's bracket next to the steps first to end-1; "" if they are not
// on the loop.
func gutter(loopStart, steps, first, end int) string {
	switch {
	case loopStart < 0 || first < loopStart:
		return ""
	case loopStart == steps-1, first == loopStart && end == steps:
		return "↻"
	case first == loopStart:
		return "╭"
	case end == steps:
		return "╰"
	}
	return "│"
}
