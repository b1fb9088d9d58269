package report

import (
	"context"
	"io"
	"strconv"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
)

// tsvReport writes tab-separated tables: the package comment has their columns.
type tsvReport struct{ o Options }

// tsvLayout has the labels of the file such that they can be told to the byte, unless it is a
// terminal that would take some of them for orders.
func tsvLayout(o Options) layout {
	label := printable.Cell
	if o.Terminal {
		label = func(text string) string { return printable.Text(printable.Cell(text)) }
	}
	return layout{between: "\t", after: "\n", label: label}
}

func (r tsvReport) States(w io.Writer, a *explain.Analysis) error {
	return writeStates(w, a, tsvLayout(r.o))
}

func (r tsvReport) Transitions(w io.Writer, a *explain.Analysis) error {
	return writeTransitions(w, a, tsvLayout(r.o))
}

func (r tsvReport) Neighbourhoods(w io.Writer, a *explain.Analysis, found *explain.Neighbourhoods) error {
	return writeNeighbourhoods(w, a, found, tsvLayout(r.o))
}

func (r tsvReport) Explanation(w io.Writer, e *explain.Explanation) error {
	t := newTable(w, tsvLayout(r.o), column{name: "step"}, column{name: "from"}, column{name: "label"}, column{name: "to"},
		column{name: "class"}, column{name: "progress"}, column{name: "neighbourhood"}, column{name: "fate"})
	if e.Counterexample == nil {
		return t.flush()
	}
	for i, step := range e.Counterexample.Steps {
		t.number(i + 1)
		t.text(e.Name(step.From))
		t.text(t.label(step.Label))
		t.text(e.Name(step.To))
		t.text(step.Class.String())
		t.number(step.Progress)
		if e.Classes == nil {
			t.text("")
		} else {
			t.text(strconv.FormatBool(step.Neighbourhood.Is()))
		}
		t.text(step.Fate.String())
		if !t.end() {
			break
		}
	}
	return t.flush()
}

func (r tsvReport) Statistics(w io.Writer, s *explain.Statistics) error {
	t := newTable(w, tsvLayout(r.o), column{name: "name"}, column{name: "value"})
	for _, f := range factsOf(s) {
		for _, value := range f.values {
			t.text(f.name)
			t.text(t.label(value))
			t.end()
		}
	}
	return t.flush()
}

func (r tsvReport) Formula(ctx context.Context, w io.Writer, f Notation) error {
	all, err := notationsOf(ctx, f)
	if err != nil {
		return err
	}
	t := newTable(w, tsvLayout(r.o), column{name: "notation"}, column{name: "formula"})
	for _, n := range all {
		t.text(n.name)
		t.text(t.label(n.text))
		t.end()
		for _, note := range n.notes {
			t.text(n.name + "_note")
			t.text(t.label(note))
			t.end()
		}
	}
	for _, some := range runsOf(f) {
		for _, run := range some.runs {
			t.text(some.name)
			t.text(t.label(run.String()))
			t.end()
		}
	}
	return t.flush()
}
