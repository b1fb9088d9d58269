package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/rows"
)

// DiffLine is a line of the diff between the counterexample and a correct run. Sign is the
// operation of its steps, as in [explain.DiffStep].
type DiffLine struct{ Sign, Text string }

// Diff returns the diff as lines of the text report: where the runs fork, what the counterexample
// does from there, and what the correct run does. It is nil if there is no diff. Cost O(its
// length).
func (s *Sentences) Diff() []DiffLine {
	return diffLines(s.p.e, Options{Full: s.p.full}, s.p.quote)
}

// DiffTitle returns the heading of the diff, or panics if there is no diff.
func (s *Sentences) DiffTitle() string { return diffTitle(s.p.e.Nearest) }

func diffTitle(d *explain.Diff) string {
	if d.Near {
		return "A near correct run"
	}
	return "The nearest correct run"
}

// diffLines returns the diff as lines, whose labels label formats; nil if there is no diff.
func diffLines(e *explain.Explanation, o Options, label func(string) string) []DiffLine {
	d := e.Nearest
	if d == nil {
		return nil
	}
	parts := map[string][]explain.DiffStep{}
	for _, s := range d.Steps {
		parts[s.Op] = append(parts[s.Op], s)
	}
	var lines []DiffLine
	if kept := parts[explain.Keep]; len(kept) > 0 && o.Full {
		lines = append(lines, DiffLine{explain.Keep, inOneRow(kept, o, label, false, nil)})
	} else if len(kept) > 0 {
		lines = append(lines, DiffLine{explain.Keep, fmt.Sprintf("(%s: to state %d)", together(e, len(kept)), kept[len(kept)-1].To)})
	}
	gone, come := parts[explain.Remove], parts[explain.Insert]
	alike := len(gone) > 0 && len(come) > 0 && gone[0].Label == come[0].Label
	if len(gone) > 0 {
		lines = append(lines, DiffLine{explain.Remove, inOneRow(gone, o, label, alike, nil)})
	}
	return append(lines, DiffLine{explain.Insert, inOneRow(come, o, label, alike, awaitedBy(e)) + ending(d, come, awaitedBy(e))})
}

// awaitedBy returns the labels that are pending at the end of the counterexample: a correct run has
// one of these labels sooner or later.
func awaitedBy(e *explain.Explanation) []string {
	if e.Diagnosis == nil {
		return nil
	}
	return e.Diagnosis.Pending
}

// shownInRow is the number of labels that a row of a diff shows at its beginning. The row shows one
// label at its end, and counts the labels between.
const shownInRow = 3

// inOneRow lists the labels of steps, with repetitions of one label folded. If alike is set, the
// target of the first step is named, since the other run has the same label there. The first step
// with a label of kept is always named.
func inOneRow(steps []explain.DiffStep, o Options, label func(string) string, alike bool, kept []string) string {
	type piece struct {
		text        string
		first, last int
	}
	first := 0
	var pieces []piece
	if alike {
		pieces = append(pieces, piece{fmt.Sprintf("%s to state %d", label(steps[0].Label), steps[0].To), 0, 0})
		first = 1
	}
	rest := steps[first:]
	for _, row := range rows.Fold(len(rest), func(i int) string { return rest[i].Label }, o.Full) {
		from := first + row.First
		pieces = append(pieces, piece{folding(label(steps[from].Label), row.Len()), from, from + row.Len() - 1})
	}
	shown := func(i int) bool { return i < shownInRow || i == len(pieces)-1 }
	if len(pieces) <= shownInRow+2 || o.Full {
		shown = func(int) bool { return true }
	}
	named := slices.IndexFunc(pieces, func(p piece) bool { return slices.Contains(kept, steps[p.first].Label) })
	var texts []string
	hidden := 0
	for i, p := range pieces {
		if !shown(i) && i != named && (hidden > 0 || !(i+1 == named || shown(i+1)) || p.last > p.first) {
			hidden += p.last - p.first + 1
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

// together reports how many steps both runs have in common at the beginning, where the
// counterexample may go round its loop again.
func together(e *explain.Explanation, steps int) string {
	above := len(e.Counterexample.Steps)
	if steps <= above {
		return printable.Quantity(steps, "step") + " as above"
	}
	return fmt.Sprintf("%s as above, and %d of the loop again", printable.Quantity(above, "step"), steps-above)
}

// ending reports how the correct run ends or repeats, or that its continuation does not matter; ""
// if the last steps, which have an awaited label, show this.
func ending(d *explain.Diff, last []explain.DiffStep, awaited []string) string {
	switch {
	case d.Ends:
		return " (the end)"
	case d.Loop == 1:
		return " (the last step again and again)"
	case d.Loop > 1:
		return fmt.Sprintf(" (the last %d steps again and again)", d.Loop)
	case !slices.ContainsFunc(last, func(s explain.DiffStep) bool { return slices.Contains(awaited, s.Label) }):
		return " (the property holds whatever follows)"
	}
	return ""
}

// tellNearest writes the nearest correct run.
func tellNearest(s sheet, e *explain.Explanation) {
	if e.Nearest == nil {
		return
	}
	s.heading(diffTitle(e.Nearest))
	apart(s, func(t *textSheet) {
		for _, l := range diffLines(e, t.o, func(label string) string { return glue(shortened(printable.Text(label), t.o)) }) {
			style := map[string]string{explain.Insert: green, explain.Remove: red}[l.Sign]
			t.styledParagraph("  "+l.Sign+" ", style, l.Text)
		}
	}, func(m *markdownSheet) {
		m.printf("\n```diff\n")
		for _, l := range diffLines(e, m.o, func(label string) string { return cut(printable.Text(label), m.o) }) {
			m.printf("%s %s\n", l.Sign, l.Text)
		}
		m.printf("```\n")
	})
}
