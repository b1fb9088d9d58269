package report

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/mdtext"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/rows"
)

const pathsSchema = "inev.paths/1"

func (r textReport) Paths(w io.Writer, a *explain.Analysis, to explain.Destination, paths iter.Seq[explain.Path]) error {
	t := &textWriter{w: bufio.NewWriter(w), o: r.o}
	state, some := widestState(a), false
	for p := range paths {
		if some {
			t.line("")
		}
		some = true
		heading := "State " + a.Name(p.State)
		if is := fateAt(p); is != "" {
			heading += ", where the property " + is
		}
		t.line(t.style(bold, heading+": "+printable.Quantity(len(p.Steps), "transition")))
		for _, s := range rowsOfPath(p, r.o) {
			step := p.Steps[s.First]
			line := fmt.Sprintf("  %s  %s  ", pad(numberOf(s), 4, true), pad(a.Name(step.From), state, true))
			t.line(line + folding(t.label(printable.Text(step.Label), displayWidth(line)), s.Len()))
		}
	}
	if !some {
		t.line(noPath(to))
	}
	return t.w.Flush()
}

// noPath says that there is no such path.
func noPath(to explain.Destination) string {
	switch {
	case to.State != nil && to.Through != nil:
		return fmt.Sprintf("There is no such path to state %d through state %d.", *to.State, *to.Through)
	case to.State != nil:
		return fmt.Sprintf("There is no such path to state %d.", *to.State)
	case to.Through != nil:
		return fmt.Sprintf("There is no such path through state %d.", *to.Through)
	case to.Lost:
		return "There is no such path: the property can still be satisfied after each."
	}
	return "There is no such decision, or no such path to one."
}

// fateAt says what the property can still become where a path ends, if that is a neighbourhood or it is
// lost.
func fateAt(p explain.Path) string {
	switch {
	case p.Lost:
		return "is lost"
	case p.Kind == 0:
		return ""
	}
	return canBe(p.Kind)
}

// kindOf names what a path leads to.
func kindOf(p explain.Path) string {
	switch {
	case p.Lost:
		return "lost"
	case p.Kind == 0:
		return ""
	}
	return p.Kind.String()
}

// rowsOfPath divides a path into single steps and long runs of one label.
func rowsOfPath(p explain.Path, o Options) []rows.Row {
	return rows.Fold(len(p.Steps), func(i int) string { return p.Steps[i].Label }, o.Full)
}

func (r markdownReport) Paths(w io.Writer, a *explain.Analysis, _ explain.Destination, paths iter.Seq[explain.Path]) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, "| state | the property | length | path |\n| ---: | --- | ---: | --- |\n")
	for p := range paths {
		var labels []string
		for _, s := range rowsOfPath(p, r.o) {
			labels = append(labels, folding(mdtext.Cell(shortened(printable.Text(p.Steps[s.First].Label), r.o)), s.Len()))
		}
		fmt.Fprintf(b, "| %s | %s | %d | %s |\n", a.Name(p.State), fateAt(p), len(p.Steps), strings.Join(labels, " "))
	}
	return b.Flush()
}

func (r tsvReport) Paths(w io.Writer, a *explain.Analysis, _ explain.Destination, paths iter.Seq[explain.Path]) error {
	t := newTable(w, tsvLayout(r.o), column{name: "state"}, column{name: "kind"}, column{name: "step"},
		column{name: "from"}, column{name: "label"}, column{name: "to"})
	for p := range paths {
		for i, step := range p.Steps {
			t.state(a, p.State)
			t.text(kindOf(p))
			t.number(i + 1)
			t.state(a, step.From)
			t.text(t.label(step.Label))
			t.state(a, step.To)
			if !t.end() {
				return t.flush()
			}
		}
	}
	return t.flush()
}

func (jsonReport) Paths(w io.Writer, a *explain.Analysis, _ explain.Destination, paths iter.Seq[explain.Path]) error {
	d := newDocument(w, pathsSchema)
	d.name(a.Unfolding != nil, a.Name)
	d.field("formula", a.Formula.String())
	d.field("warnings", a.Warnings)
	d.list("paths")
	for p := range paths {
		if d.element(p); !d.ok() {
			break
		}
	}
	d.close()
	return d.finish()
}
