package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/mdtext"
	"github.com/inev-lts/inev/internal/printable"
)

// shownRun is the explanation of the run that is shown, nil if there is none.
func shownRun(c *compare.Comparison) *explain.Explanation {
	switch {
	case c.Versions == nil:
	case c.Versions.New.Verdict == explain.Violated:
		return c.Versions.New
	case c.Versions.Old.Verdict == explain.Violated:
		return c.Versions.Old
	}
	return nil
}

func (r textReport) Comparison(w io.Writer, c *compare.Comparison) error {
	t := &textWriter{w: bufio.NewWriter(w), o: r.o}
	quote := func(text string) string { return glue(cut(printable.Text(text), widestText, r.o)) }
	p := &comparisonProse{c, quote, prose{quote: quote, full: r.o.Full}}
	codes := bold
	if c.Versions != nil && c.Versions.New.Verdict == explain.Violated {
		codes += red
	}
	t.styledParagraph("", codes, p.first())
	if e := shownRun(c); e != nil {
		t.e, t.s = e, sentencesFor(e, r.o, quote)
		t.line("")
		t.steps()
	}
	for i, said := range p.rest() {
		if i == 0 {
			t.line("")
		}
		t.paragraph("  ", said)
	}
	return t.w.Flush()
}

func (r markdownReport) Comparison(w io.Writer, c *compare.Comparison) error {
	b := bufio.NewWriter(w)
	quote := func(text string) string { return mdtext.Code(cut(printable.Text(text), widestText, r.o)) }
	p := &comparisonProse{c, quote, prose{quote: quote, full: r.o.Full}}
	fmt.Fprintf(b, "## %s\n", p.first())
	for _, warning := range c.Warnings {
		fmt.Fprintf(b, "\nWarning: %s\n", mdtext.Code(printable.Text(warning)))
	}
	if e := shownRun(c); e != nil && e.Counterexample.Length <= mostMarkdownSteps {
		fmt.Fprintf(b, "\n| step | state | action | |\n| ---: | ---: | --- | --- |\n")
		for i, step := range e.Counterexample.Steps {
			fmt.Fprintf(b, "| %d | %s | %s | %s |\n", i+1, e.Name(step.From), quote(step.Label), p.mark(i))
		}
	}
	for _, said := range p.rest() {
		fmt.Fprintf(b, "\n%s\n", said)
	}
	return b.Flush()
}

// mostMarkdownSteps is how long a run may be that Markdown shows.
const mostMarkdownSteps = 60

// mark marks the step that only one version can do.
func (p *comparisonProse) mark(step int) string {
	d := p.c.Versions.Divergence
	sign := "+ only " + p.latest()
	if p.c.Versions.New.Verdict != explain.Violated {
		sign = "− gone"
	}
	if !d.Follows && step == d.Step {
		return sign
	}
	return ""
}

// TSV has a row for each change.
func (r tsvReport) Comparison(w io.Writer, c *compare.Comparison) error {
	t := newTable(w, tsvLayout(r.o), column{name: "change"}, column{name: "from"}, column{name: "label"}, column{name: "to"},
		column{name: "was_from"}, column{name: "was_label"}, column{name: "was_to"})
	if c.Behaviour.Edit == nil {
		return t.flush()
	}
	for _, change := range c.Behaviour.Edit.Changes {
		t.text(string(change.Kind))
		latest, was := change.Transition, change.Was
		hasNew, hadOld := change.Kind != compare.Removed, change.Kind != compare.Added
		if !hasNew {
			latest, was = was, latest
		}
		for _, side := range []struct {
			compare.Arc
			is bool
		}{{latest, hasNew}, {was, hadOld}} {
			from, label, to := "", "", ""
			if side.is {
				from, label, to = strconv.Itoa(int(side.From)), t.label(side.Label), strconv.Itoa(int(side.To))
			}
			t.text(from)
			t.text(label)
			t.text(to)
		}
		if !t.end() {
			break
		}
	}
	return t.flush()
}
