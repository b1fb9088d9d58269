package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/rows"
	"github.com/inev-lts/inev/report/claim"
)

// writeText writes an explanation as a colleague would give it: the verdict, the
// counterexample, its decisions, and what lies off it.
func writeText(w io.Writer, e *explain.Explanation, o Options) error {
	t := &textWriter{w: bufio.NewWriter(w), e: e, o: o}
	t.s = sentencesFor(e, o, func(text string) string { return glue(cut(printable.Text(text), widestText, o)) })
	verdict := bold + green
	if e.Verdict == explain.Violated {
		verdict = bold + red
	}
	t.styledParagraph("", verdict, t.s.Verdict())
	if e.Counterexample != nil {
		t.counterexample()
	}
	if e.Counterexample == nil {
		t.slowest()
		t.holds()
	}
	if e.Counterexample == nil || o.Full {
		t.elsewhere()
	} else if more := t.s.p.more(t.s.story, o.MoreBy); more != "" {
		t.line("")
		t.paragraph("", more)
	}
	return t.w.Flush()
}

type textWriter struct {
	w *bufio.Writer
	e *explain.Explanation
	o Options
	s *Sentences
}

// counterexample writes the run, why the property fails on it, and what would make it hold.
func (t *textWriter) counterexample() {
	t.line("")
	t.steps()
	t.paragraph("", t.s.About())
	if faults := t.s.Faults(); faults != "" {
		t.paragraph("", faults)
	}
	if t.e.All != nil {
		t.heading("All shortest counterexamples")
		t.paragraph("  ", t.s.p.howMany())
		for i, c := range t.e.All.Listed {
			t.paragraph(fmt.Sprintf("  %d. ", i+1), t.s.p.inOneLine(c))
		}
	}
	if t.e.Classes == nil {
		return
	}
	t.decisions()
	if hold := t.s.hold(); len(hold) > 0 {
		t.heading(holdTitle)
		t.claims(hold)
	}
	if len(t.s.story.Prevention) > 0 {
		t.heading(preventionTitle)
		t.claims(t.s.story.Prevention)
	}
	t.diff()
}

// roomForDecisions is how many lines of [DefaultWidth] the decisions take, unless the first
// needs more: a narrow terminal reads the same.
const roomForDecisions = 5

// decisions writes what would have been better on the run; in full, all that its choices
// meant.
func (t *textWriter) decisions() {
	if !t.o.Full {
		better := t.s.story.Better
		if len(better) == 0 {
			return
		}
		t.heading(headingOf(better))
		lines := 0
		for i, c := range better {
			said := t.s.Say(c)
			lines += len(wrapped(said, DefaultWidth-2))
			if i == mostNamed || i > 0 && lines > roomForDecisions {
				t.paragraph("  ", fmt.Sprintf("… and %s.", t.s.p.further(better[i:])))
				break
			}
			t.paragraph("  ", said)
		}
		t.claims(slices.Concat(t.s.story.Through, t.s.story.Owned))
		return
	}
	if said := t.s.Decisions(); len(said) > 0 || len(t.s.story.Beyond) > 0 {
		t.heading("Decisions")
		for i, sentence := range said {
			t.paragraph(fmt.Sprintf("  %d. ", i+1), sentence)
		}
		t.claims(slices.Concat(t.s.story.Through, t.s.story.Owned, t.s.story.Beyond))
	}
	if exits := t.s.Exits(); len(exits) > 0 {
		t.heading("Ways out of the loop")
		for _, sentence := range exits {
			t.paragraph("  ", sentence)
		}
	}
}

// headingOf is the heading of what was decided.
func headingOf(better []claim.Better) string {
	if len(better) == 1 && len(better[0].Decisions) == 1 {
		return "Decision"
	}
	return "Decisions"
}

// elsewhere writes what lies off the run, or what there is to say if there is none.
func (t *textWriter) elsewhere() {
	elsewhere := t.s.story.Elsewhere
	if len(elsewhere) > 0 && t.e.Counterexample != nil {
		t.heading("Elsewhere")
	}
	t.claims(elsewhere)
}

// claims writes claims, a paragraph each, with the commands that lead on from there.
func (t *textWriter) claims(all []claim.Claim) {
	for _, c := range all {
		t.paragraph("  ", t.s.Say(c))
		if what, command := t.o.onward(t.s.p.e, c); command != "" {
			t.paragraph("  ", what)
			t.line("    " + command) // in one piece, to be copied
		}
	}
}

func (t *textWriter) steps() { t.rowsOf(t.rows()) }

// rows returns the table of steps: a heading, the rows of the steps, and the state
// in which the run ends.
func (t *textWriter) rows() []row {
	c := t.e.Counterexample
	table := []row{{number: "step", state: "state", label: "action", faint: true}}
	remarks := remarksOf(t.s)
	if first := remarks.initial(t.o); first != "" {
		table = append(table, row{label: "(at first " + first + ")", words: true})
	}
	for _, s := range remarks.rows(t.o) {
		r := row{gutter: gutter(int(c.LoopStart), len(c.Steps), s.First, s.End)}
		if s.Kind == rows.Hidden || s.Kind == rows.LeftOut {
			r.label, r.faint = whatOf(s), true
			table = append(table, r)
			continue
		}
		step := &c.Steps[s.First]
		r.number, r.state = numberOf(s), t.e.Name(step.From)
		r.label = folding(shortened(printable.Text(step.Label), t.o), s.Len())
		if s.Kind == rows.OneStep {
			r.remarks = remarks.all(s.First, t.o)
		}
		table = append(table, r)
	}
	if c.Kind == counterexample.Deadlock {
		last := t.e.Trace().Last()
		table = append(table, row{state: t.e.Name(last), label: "(deadlock)", words: true})
	}
	if c.Kind == counterexample.Stop {
		table = append(table, row{state: t.e.Name(t.e.Trace().Last()), label: "(stops: " + refused(c, printable.Text) + ")", words: true})
	}
	if c.Kind == counterexample.Prefix {
		table = append(table, row{state: t.e.Name(t.e.Trace().Last()), label: "(whatever follows, the property is violated)", words: true})
	}
	if c.Trap != nil {
		table = append(table, row{state: t.e.Name(t.e.Trace().Last()), label: "(from here on the property is lost)", words: true})
	}
	return table
}

func (t *textWriter) heading(title string) {
	t.line("")
	t.line(t.style(bold, title))
}

// paragraph writes text broken into lines: the first one begins with the given
// prefix, the others with as many blanks.
func (t *textWriter) paragraph(prefix, text string) { t.styledParagraph(prefix, "", text) }

// styledParagraph is paragraph with a style for the text.
func (t *textWriter) styledParagraph(prefix, codes, text string) {
	indent := displayWidth(prefix)
	for _, line := range wrapped(text, max(LeastWidth/2, t.o.width()-indent)) {
		t.line(prefix + t.style(codes, line))
		prefix = strings.Repeat(" ", indent)
	}
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
	if !t.o.Color || codes == "" {
		return text
	}
	return codes + text + plain
}

// blanks are as many as most tables need.
const blanks = "                                                                                "

// blank returns so many blanks, none if that is negative.
func blank(cells int) string {
	if cells <= len(blanks) {
		return blanks[:max(0, cells)]
	}
	return strings.Repeat(" ", cells)
}

// pad fills text up to a width in cells, on the left where right is set.
func pad(text string, width int, right bool) string {
	blanks := blank(width - displayWidth(text))
	if right {
		return blanks + text
	}
	return text + blanks
}
