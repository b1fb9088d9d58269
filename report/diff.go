package report

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/rows"
)

// DiffLine is a line of the diff between the counterexample and a correct run: its sign is
// that of [explain.DiffStep].
type DiffLine struct{ Sign, Text string }

// Diff returns the diff as lines, as the text report shows it: where both runs fork, what the
// counterexample does then, and what the correct run does. Nil where there is none. Cost O(its
// length).
func (s *Sentences) Diff() []DiffLine {
	return diffLines(s.p.e, Options{Full: s.p.full}, s.p.quote)
}

// diffLines returns the diff as lines, its labels set by label; nil if there is none.
func diffLines(e *explain.Explanation, o Options, label func(string) string) []DiffLine {
	d := e.Nearest
	if d == nil {
		return nil
	}
	var parts [explain.Insert + 1][]explain.DiffStep
	for _, s := range d.Steps {
		parts[s.Op] = append(parts[s.Op], s)
	}
	var lines []DiffLine
	if kept := parts[explain.Keep]; len(kept) > 0 && o.Full {
		lines = append(lines, DiffLine{explain.Keep.String(), inOneRow(kept, o, label, false)})
	} else if len(kept) > 0 {
		lines = append(lines, DiffLine{explain.Keep.String(), fmt.Sprintf("(%s: to state %d)", together(e, len(kept)), kept[len(kept)-1].To)})
	}
	gone, come := parts[explain.Remove], parts[explain.Insert]
	alike := len(gone) > 0 && len(come) > 0 && gone[0].Label == come[0].Label
	if len(gone) > 0 {
		lines = append(lines, DiffLine{explain.Remove.String(), inOneRow(gone, o, label, alike)})
	}
	return append(lines, DiffLine{explain.Insert.String(), inOneRow(come, o, label, alike) + ending(d)})
}

// A row of a diff has so many labels at its beginning before it counts others, and one at its
// end.
const shownInRow = 3

// inOneRow lists the labels of steps, long runs of one label folded; with the state to which
// the first one leads where alike says that its label does not tell it.
func inOneRow(steps []explain.DiffStep, o Options, label func(string) string, alike bool) string {
	first := 0
	var all []string
	if alike {
		all = append(all, fmt.Sprintf("%s to state %d", label(steps[0].Label), steps[0].To))
		first = 1
	}
	rest := steps[first:]
	type piece struct {
		text  string
		steps int
	}
	pieces := make([]piece, 0, len(all)+len(rest))
	for _, text := range all {
		pieces = append(pieces, piece{text, 1})
	}
	for _, row := range rows.Fold(len(rest), func(i int) string { return rest[i].Label }, o.Full) {
		pieces = append(pieces, piece{folding(label(rest[row.First].Label), row.Len()), row.Len()})
	}
	var texts []string
	hidden := 0
	for i, p := range pieces {
		if len(pieces) > shownInRow+2 && !o.Full && i >= shownInRow && i < len(pieces)-1 {
			hidden += p.steps
			continue
		}
		if hidden > 0 {
			texts = append(texts, fmt.Sprintf("… (%d more)", hidden))
			hidden = 0
		}
		texts = append(texts, p.text)
	}
	return strings.Join(texts, ", ")
}

// together says in how many steps the runs are the same, to begin with.
func together(e *explain.Explanation, steps int) string {
	above := e.Counterexample.Length
	if steps <= above {
		return printable.Quantity(steps, "step") + " as above"
	}
	return fmt.Sprintf("%s as above, and %d of the loop again", printable.Quantity(above, "step"), steps-above)
}

// ending says how the correct run goes on; "" if that does not matter.
func ending(d *explain.Diff) string {
	switch {
	case d.Ends:
		return " (the end)"
	case d.Loop == 1:
		return " (the last step again and again)"
	case d.Loop > 1:
		return fmt.Sprintf(" (the last %d steps again and again)", d.Loop)
	}
	return ""
}

// diff writes the nearest correct run.
func (t *textWriter) diff() {
	lines := diffLines(t.e, t.o, func(label string) string { return glue(shortened(printable.Text(label), t.o)) })
	if lines == nil {
		return
	}
	t.heading("The nearest correct run")
	for _, l := range lines {
		style := map[string]string{explain.Insert.String(): green, explain.Remove.String(): red}[l.Sign]
		t.styledParagraph("  "+l.Sign+" ", style, l.Text)
	}
}

// markdownDiff writes the nearest correct run.
func markdownDiff(b *bufio.Writer, e *explain.Explanation, o Options) {
	lines := diffLines(e, o, func(label string) string { return cut(printable.Text(label), widestText, o) })
	if lines == nil {
		return
	}
	fmt.Fprint(b, "\n### The nearest correct run\n\n```diff\n")
	for _, l := range lines {
		fmt.Fprintf(b, "%s %s\n", l.Sign, l.Text)
	}
	fmt.Fprint(b, "```\n")
}
