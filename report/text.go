package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/inev-lts/inev/explain"
)

// textWidth is the width to which running text is broken.
const textWidth = 96

// writeText writes an explanation as a colleague would give it: the verdict, the
// counterexample, its decisions, and what lies off it.
func writeText(w io.Writer, e *explain.Explanation, o Options) error {
	t := &textWriter{w: bufio.NewWriter(w), e: e, o: o}
	t.p = &prose{e: e, quote: func(text string) string { return cut(Printable(text), widestText, o) }}
	verdict := bold + green
	if e.Verdict == explain.Violated {
		verdict = bold + red
	}
	t.paragraph("", t.style(verdict, t.p.verdict()))
	if e.Counterexample != nil {
		t.counterexample()
	}
	if e.Classes != nil {
		if e.Counterexample != nil {
			t.heading("Elsewhere")
		}
		for _, line := range t.p.elsewhere() {
			t.paragraph("  ", line)
		}
	}
	return t.w.Flush()
}

type textWriter struct {
	w *bufio.Writer
	e *explain.Explanation
	o Options
	p *prose
}

func (t *textWriter) counterexample() {
	t.line("")
	t.paragraph("", t.p.shape())
	t.line("")
	t.steps()
	if t.e.All != nil {
		t.heading("All shortest counterexamples")
		t.paragraph("  ", t.p.howMany())
		for i, c := range t.e.All.Listed {
			t.paragraph(fmt.Sprintf("  %d. ", i+1), t.p.inOneLine(c))
		}
	}
	if t.e.Classes == nil {
		return
	}
	t.heading("Decisions")
	for i, sentence := range t.p.decisions(t.e.Decisions) {
		t.paragraph(fmt.Sprintf("  %d. ", i+1), sentence)
	}
	for _, sentence := range t.p.beyondDecisions() {
		t.paragraph("  ", sentence)
	}
	if exits := t.p.exits(); exits != nil {
		t.heading("Ways out of the loop")
		for _, sentence := range exits {
			t.paragraph("  ", sentence)
		}
	}
}

// row is a line of the table of steps. A row without a number stands for the
// steps left out before the next one.
type row struct {
	gutter, number, state, label, remark string
}

func (t *textWriter) steps() { t.rowsOf(t.rows()) }

// rowsOf writes a table, its columns as wide as they have to be.
func (t *textWriter) rowsOf(rows []row) {
	var width row
	widest := func(a *string, b string) {
		if utf8.RuneCountInString(b) > utf8.RuneCountInString(*a) {
			*a = b
		}
	}
	for _, r := range rows {
		widest(&width.number, r.number)
		widest(&width.state, r.state)
		if r.remark != "" {
			widest(&width.label, r.label)
		}
	}
	for _, r := range rows {
		line := fmt.Sprintf(" %s %s  %s  %s", pad(r.gutter, 1, false), pad(r.number, utf8.RuneCountInString(width.number), true),
			pad(r.state, utf8.RuneCountInString(width.state), true), r.label)
		if r.remark != "" {
			line = fmt.Sprintf("%s%s  %s", line, strings.Repeat(" ", max(0, utf8.RuneCountInString(width.label)-utf8.RuneCountInString(r.label))), t.style(dim, r.remark))
		}
		t.line(strings.TrimRight(line, " "))
	}
}

// rows returns the table of steps: a heading, a row for each step shown, and the
// state in which the run ends.
func (t *textWriter) rows() []row {
	c := t.e.Counterexample
	rows := []row{{number: "step", state: "state", label: "action"}}
	shown := shownSteps(t.e, t.o.Full)
	for i := 0; i < len(c.Steps); i++ {
		if !shown[i] {
			hidden := i
			for !shown[i] {
				i++
			}
			rows = append(rows, row{gutter: gutter(c.LoopStart, len(c.Steps), hidden), label: fmt.Sprintf("… %s", count(i-hidden, "step"))})
		}
		step := &c.Steps[i]
		rows = append(rows, row{
			gutter: gutter(c.LoopStart, len(c.Steps), i),
			number: strconv.Itoa(i + 1),
			state:  t.e.Name(step.From),
			label:  shortened(Printable(step.Label), t.o),
			remark: strings.Join(remarks(t.e, i), "; "),
		})
	}
	if c.Kind == "deadlock" {
		last := t.e.Trace().Last()
		rows = append(rows, row{state: t.e.Name(last), label: "(deadlock: nothing can happen any more)"})
	}
	return rows
}

// gutter marks by a bracket step i of so many steps where it is on the loop.
func gutter(loopStart, steps, i int) string {
	switch {
	case loopStart < 0 || i < loopStart:
		return ""
	case loopStart == steps-1:
		return "↻"
	case i == loopStart:
		return "╭"
	case i == steps-1:
		return "╰"
	}
	return "│"
}

// remarks returns what there is to say about step i of the counterexample.
func remarks(e *explain.Explanation, i int) []string {
	c := e.Counterexample
	step, before := &c.Steps[i], 0
	if i > 0 {
		before = c.Steps[i-1].Progress
	}
	var said []string
	if step.Progress > before {
		said = append(said, fmt.Sprintf("%d of %d done", step.Progress, len(e.Property.Steps)))
	}
	if step.Neighbourhood {
		said = append(said, decisionRemark(e, i))
	}
	if p := e.PointOfNoReturn; p != nil && p.Step == i {
		said = append(said, "point of no return")
	}
	if i == len(c.Steps)-1 && c.LoopStart >= 0 {
		said = append(said, "back to state "+e.Name(step.To))
	}
	return said
}

// decisionRemark marks the decision at step i, with its distance to the end.
func decisionRemark(e *explain.Explanation, i int) string {
	at, found := slices.BinarySearchFunc(e.Decisions, i, func(d explain.Decision, step int) int { return d.Step - step })
	if !found || e.Decisions[at].Distance == 0 {
		return "decision"
	}
	return fmt.Sprintf("decision, %d more to come", e.Decisions[at].Distance)
}

// Steps of long counterexamples are left out where nothing happens.
const (
	elideFrom = 40 // the length from which on that is done
	margin    = 2  // steps shown before and after one with a remark
)

// shownSteps tells which steps of the counterexample are shown: all of a short
// one, of a long one those with a remark, and their surroundings.
func shownSteps(e *explain.Explanation, full bool) []bool {
	c := e.Counterexample
	shown := make([]bool, len(c.Steps))
	for i := range shown {
		if !full && len(shown) >= elideFrom && len(remarks(e, i)) == 0 && i != 0 && i != len(shown)-1 && i != c.LoopStart {
			continue
		}
		for j := max(0, i-margin); j <= min(len(shown)-1, i+margin); j++ {
			shown[j] = true
		}
	}
	return shown
}

func (t *textWriter) heading(title string) {
	t.line("")
	t.line(t.style(bold, title))
}

// paragraph writes text broken at blanks: the first line begins with the given
// prefix, the others with as many blanks.
func (t *textWriter) paragraph(prefix, text string) {
	indent := strings.Repeat(" ", utf8.RuneCountInString(prefix))
	line, width := prefix, utf8.RuneCountInString(prefix)
	for i, word := range strings.Split(text, " ") {
		length := utf8.RuneCountInString(word)
		if i > 0 && width+1+length > textWidth {
			t.line(line)
			line, width = indent+word, len(indent)+length
			continue
		}
		if i > 0 {
			line, width = line+" ", width+1
		}
		line, width = line+word, width+length
	}
	t.line(line)
}

// line writes a line; the buffered writer keeps the first error for Flush.
func (t *textWriter) line(text string) {
	t.w.WriteString(text)
	t.w.WriteByte('\n')
}

// The select-graphic-rendition codes in use.
const (
	bold  = "\x1b[1m"
	dim   = "\x1b[2m"
	red   = "\x1b[31m"
	green = "\x1b[32m"
	plain = "\x1b[0m"
)

// style sets text in a style where colour is wanted.
func (t *textWriter) style(codes, text string) string {
	if !t.o.Color {
		return text
	}
	return codes + text + plain
}

// pad fills text up to a width, on the left where right is set.
func pad(text string, width int, right bool) string {
	blanks := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
	if right {
		return blanks + text
	}
	return text + blanks
}
