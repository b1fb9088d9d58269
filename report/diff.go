package report

import (
	"bufio"
	"fmt"

	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/explain/repair"
	"github.com/inev-lts/inev/internal/printable"
)

// longestDiff is the number of lines of a diff above which it is left out of a report that
// is not to be in full.
const longestDiff = 20

// DiffLine is a line of the diff between the counterexample and a correct run: its sign is
// that of [repair.Op].
type DiffLine struct{ Sign, Text string }

// Diff returns the diff as lines, as the text report shows it; nil where there is none, or
// it is too long to be read. Cost O(its length).
func (s *Sentences) Diff() []DiffLine {
	return diffLines(s.p.e, Options{Full: s.p.full}, s.p.quote)
}

// diffLines returns the diff as lines, its labels set by label; nil where there is none, or
// it is too long. What both runs do to begin with is folded, and so are long runs of one
// label.
func diffLines(e *explain.Explanation, o Options, label func(string) string) []DiffLine {
	d := e.Nearest
	if d == nil {
		return nil
	}
	var lines []DiffLine
	steps := d.Steps
	if d.Fork > 2 && !o.Full {
		lines = append(lines, DiffLine{" ", "(" + together(e, d.Fork) + ")"})
		steps = steps[d.Fork:]
	}
	for _, row := range view.Fold(len(steps), func(i int) string { return steps[i].Op.String() + steps[i].Label }, o.Full) {
		s := steps[row.First]
		lines = append(lines, DiffLine{s.Op.String(), folding(label(s.Label), row.Len())})
	}
	if lines = append(lines, DiffLine{repair.Insert.String(), ending(d)}); len(lines) > longestDiff && !o.Full {
		return nil
	}
	return lines
}

// together says in how many steps the runs are the same, to begin with.
func together(e *explain.Explanation, steps int) string {
	above := e.Counterexample.Length
	if steps <= above {
		return printable.Quantity(steps, "step") + " as above"
	}
	return fmt.Sprintf("%s as above, and %d of the loop again", printable.Quantity(above, "step"), steps-above)
}

// ending says how the correct run goes on.
func ending(d *explain.Diff) string {
	switch {
	case d.Ends:
		return "(the end)"
	case d.Loop == 1:
		return "… (the last step again and again)"
	case d.Loop > 1:
		return fmt.Sprintf("… (the last %d steps again and again)", d.Loop)
	}
	return "…"
}

// diff writes the nearest correct run.
func (t *textWriter) diff() {
	lines := diffLines(t.e, t.o, func(label string) string { return shortened(Printable(label), t.o) })
	if lines == nil {
		return
	}
	t.heading("The nearest correct run")
	for _, l := range lines {
		style := map[string]string{repair.Insert.String(): green, repair.Remove.String(): red}[l.Sign]
		t.line("  " + t.style(style, l.Sign+" "+l.Text))
	}
}

// markdownDiff writes the nearest correct run.
func markdownDiff(b *bufio.Writer, e *explain.Explanation, o Options) {
	lines := diffLines(e, o, func(label string) string { return cut(Printable(label), widestText, o) })
	if lines == nil {
		return
	}
	fmt.Fprint(b, "\n### The nearest correct run\n\n```diff\n")
	for _, l := range lines {
		fmt.Fprintf(b, "%s %s\n", l.Sign, l.Text)
	}
	fmt.Fprint(b, "```\n")
}
