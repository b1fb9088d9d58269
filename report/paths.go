package report

import (
	"fmt"
	"iter"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/rows"
)

// pathsResult are the requested shortest paths of an analysis.
func pathsResult(a *explain.Analysis, to explain.Destination, paths iter.Seq[explain.Path]) result {
	return result{
		people: func(s sheet) {
			apart(s, func(t *textSheet) { pathsText(t, a, to, paths) }, func(m *markdownSheet) { pathsMarkdown(m, a, paths) })
		},
		table: tableOf("state | kind | step | from | label | to", func(row func(cells ...any)) {
			for p := range paths {
				for i, step := range p.Steps {
					row(a.Name(p.State), kindOf(p), i+1, a.Name(step.From), modelText(step.Label), a.Name(step.To))
				}
			}
		}),
		schema: "inev.paths/1",
		json: func(d *document, _ []Picture, _ int) {
			d.name(a.Unfolding != nil, a.Name)
			d.field("formula", a.Formula.String())
			d.field("warnings", a.Warnings)
			d.list("paths")
			for p := range paths {
				d.element(p)
			}
			d.close()
		},
	}
}

func pathsText(t *textSheet, a *explain.Analysis, to explain.Destination, paths iter.Seq[explain.Path]) {
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
		for _, s := range rowsOfPath(p, t.o) {
			step := p.Steps[s.First]
			line := fmt.Sprintf("  %s  %s  ", pad(numberOf(s), 4, true), pad(a.Name(step.From), state, true))
			t.line(line + folding(t.label(printable.Text(step.Label), displayWidth(line)), s.Len()))
		}
	}
	if !some {
		t.line(noPath(to))
	}
}

func pathsMarkdown(m *markdownSheet, a *explain.Analysis, paths iter.Seq[explain.Path]) {
	label := markdownLayout(m.o).label
	m.table(tableOf("state: | the property | length: | path", func(row func(cells ...any)) {
		for p := range paths {
			var labels []string
			for _, s := range rowsOfPath(p, m.o) {
				labels = append(labels, folding(label(p.Steps[s.First].Label), s.Len()))
			}
			row(a.Name(p.State), fateAt(p), len(p.Steps), formatted(strings.Join(labels, " ")))
		}
	}))
}

// noPath returns the sentence which says that no such path exists.
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

// fateAt describes what can become of the property at the end of a path that ends in a
// neighbourhood or loses the property; else "".
func fateAt(p explain.Path) string {
	switch {
	case p.Lost:
		return "is lost"
	case p.Kind == 0:
		return ""
	}
	return canBe(p.Kind)
}

// kindOf names the goal of a path.
func kindOf(p explain.Path) string {
	switch {
	case p.Lost:
		return "lost"
	case p.Kind == 0:
		return ""
	}
	return p.Kind.String()
}

// rowsOfPath divides a path into rows: single steps, and repetitions of one label.
func rowsOfPath(p explain.Path, o Options) []rows.Row {
	return rows.Fold(len(p.Steps), func(i int) string { return p.Steps[i].Label }, o.Full)
}
