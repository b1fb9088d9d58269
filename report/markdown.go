package report

import (
	"bufio"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/mdtext"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/rows"
	"github.com/inev-lts/inev/report/claim"
)

// writeMarkdown writes an explanation for a pull request or a wiki: the same
// sentences as the text, actions set as code, the counterexample as a table.
func writeMarkdown(w io.Writer, e *explain.Explanation, o Options) error {
	b := bufio.NewWriter(w)
	s := sentencesFor(e, o, func(text string) string { return mdtext.Code(cut(printable.Text(text), widestText, o)) })
	fmt.Fprintf(b, "## %s\n", s.Verdict())
	for _, warning := range e.Warnings {
		fmt.Fprintf(b, "\nWarning: %s\n", mdtext.Code(printable.Text(warning)))
	}
	if e.Counterexample != nil {
		fmt.Fprintln(b)
		markdownSteps(b, s, o)
		fmt.Fprintf(b, "\n%s\n", s.About())
		if faults := s.Faults(); faults != "" {
			fmt.Fprintf(b, "\n%s\n", faults)
		}
		markdownPicture(b, e, o)
		markdownSequence(b, o)
		if e.All != nil {
			fmt.Fprintf(b, "\n### All shortest counterexamples\n\n%s\n\n", s.p.howMany())
			for i, c := range e.All.Listed {
				fmt.Fprintf(b, "%d. %s\n", i+1, s.p.inOneLine(c))
			}
		}
		if e.Classes != nil {
			markdownDecisions(b, s, o)
		}
	}
	if e.Counterexample == nil {
		link(b, "The model", o)
		markdownHolds(b, s, o)
	}
	if more := s.p.more(s.story, o.MoreBy); e.Counterexample != nil && !o.Full {
		if more != "" {
			fmt.Fprintf(b, "\n%s\n", more)
		}
	} else if elsewhere := s.story.Elsewhere; len(elsewhere) > 0 {
		if e.Counterexample != nil {
			fmt.Fprint(b, "\n### Elsewhere\n")
		}
		bullets(b, s, o, elsewhere)
	}
	return b.Flush()
}

func markdownSteps(b *bufio.Writer, said *Sentences, o Options) {
	e, remarks := said.p.e, remarksOf(said)
	c := e.Counterexample
	fmt.Fprint(b, "| step | state | action | |\n| ---: | ---: | --- | --- |\n")
	if first := remarks.initial(o); first != "" {
		fmt.Fprintf(b, "| | | *at first* | %s |\n", mdtext.Cell(first))
	}
	for _, s := range remarks.rows(o) {
		said := ""
		if s.Kind == rows.OneStep {
			said = textsOf(remarks.of(s.First))
			if changed := remarks.changed(s.First, o); changed != "" {
				said = withComma(said, mdtext.Cell(changed))
			}
		}
		if s.First == int(c.LoopStart) {
			said = withComma("↻ the loop begins", said)
		}
		if s.Kind == rows.Hidden || s.Kind == rows.LeftOut {
			fmt.Fprintf(b, "| … | | *%s* | %s|\n", strings.TrimPrefix(whatOf(s), "… "), said+strings.Repeat(" ", min(1, len(said))))
			continue
		}
		step := &c.Steps[s.First]
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", numberOf(s), e.Name(step.From),
			folding(mdtext.Cell(shortened(printable.Text(step.Label), o)), s.Len()), said)
	}
	if c.Kind == counterexample.Prefix {
		fmt.Fprintf(b, "| | %s | | violated, whatever follows |\n", e.Name(e.Trace().Last()))
	}
	if c.Trap != nil {
		fmt.Fprintf(b, "| | %s | | the property is lost |\n", e.Name(e.Trace().Last()))
	}
	if c.Kind == counterexample.Stop {
		fmt.Fprintf(b, "| | %s | | stops: %s |\n", e.Name(e.Trace().Last()), refused(c, func(text string) string { return mdtext.Cell(printable.Text(text)) }))
	}
	if c.Kind == counterexample.Deadlock {
		fmt.Fprintf(b, "| | %s | | deadlock |\n", e.Name(e.Trace().Last()))
	}
}

// markdownDecisions writes what was decided, and what would make the property hold.
func markdownDecisions(b *bufio.Writer, s *Sentences, o Options) {
	if o.Full {
		if said := s.Decisions(); len(said) > 0 || len(s.story.Beyond) > 0 {
			fmt.Fprint(b, "\n### Decisions\n\n")
			for i, sentence := range said {
				fmt.Fprintf(b, "%d. %s\n", i+1, sentence)
			}
			bullets(b, s, o, slices.Concat(s.story.Through, s.story.Owned, s.story.Beyond))
		}
		if exits := s.story.WaysOut; len(exits) > 0 {
			fmt.Fprint(b, "\n### Ways out of the loop\n")
			bullets(b, s, o, exits)
		}
	} else if better := s.story.Better; len(better) > 0 {
		fmt.Fprintf(b, "\n### %s\n\n", headingOf(better))
		for i, c := range better {
			if i == mostNamed {
				fmt.Fprintf(b, "\n… and %s.\n", s.p.further(better[i:]))
				break
			}
			fmt.Fprintf(b, "- %s\n", s.Say(c))
		}
		for _, c := range s.story.Through {
			fmt.Fprintf(b, "- %s\n", s.Say(c))
		}
		for _, sentence := range s.Owned() {
			fmt.Fprintf(b, "\n%s\n", sentence)
		}
	}
	if hold := s.hold(); len(hold) > 0 {
		fmt.Fprintf(b, "\n### %s\n", holdTitle)
		bullets(b, s, o, hold)
	}
	markdownPrevention(b, s)
	markdownDiff(b, s.p.e, o)
}

// bullets lists claims, with the commands that lead on from there.
func bullets(b *bufio.Writer, s *Sentences, o Options, claims []claim.Claim) {
	if len(claims) > 0 {
		fmt.Fprintln(b)
	}
	for _, c := range claims {
		fmt.Fprintf(b, "- %s", s.Say(c))
		if what, command := o.onward(s.p.e, c); command != "" {
			fmt.Fprintf(b, " %s %s", what, mdtext.Code(command))
		}
		fmt.Fprintln(b)
	}
}

// markdownPicture shows a picture of the counterexample, or links to one.
func markdownPicture(b *bufio.Writer, e *explain.Explanation, o Options) {
	switch {
	case o.Picture != "" || o.Flowchart.isNone() || len(e.Counterexample.Steps) == 0:
		link(b, "The counterexample, its states, and what leads away from them", o)
	case o.Flowchart.Why != "":
		fmt.Fprintf(b, "\nThere is no picture here: %s\n", mdtext.Code(o.Flowchart.Why))
	default:
		fmt.Fprintf(b, "\n```mermaid\n%s```\n\n%s\n", o.Flowchart.Text, legend(e, o.Flowchart.Text))
	}
}

// markdownSequence shows the counterexample as a sequence chart.
func markdownSequence(b *bufio.Writer, o Options) {
	switch c := o.Sequence; {
	case c.isNone():
	case c.Why != "":
		fmt.Fprintf(b, "\nThere is no sequence chart here: %s\n", mdtext.Code(c.Why))
	default:
		fmt.Fprintf(b, "\n### Who does what\n\n```mermaid\n%s```\n", c.Text)
		for _, note := range c.Notes {
			fmt.Fprintf(b, "\nNote: %s.\n", mdtext.Code(note))
		}
	}
}

// link shows the picture that there is beside the report, if there is one.
func link(b *bufio.Writer, what string, o Options) {
	if o.Picture != "" {
		fmt.Fprintf(b, "\n![%s](%s)\n", what, address(o.Picture))
	}
}

// legend says what the lines and shapes of a picture in Mermaid mean, of those that are drawn.
func legend(e *explain.Explanation, picture string) string {
	said := "Thick: the counterexample, its steps numbered."
	if e.Classes == nil {
		return said
	}
	drawn := func(sign, meaning string) string {
		if strings.Contains(picture, sign) {
			return meaning
		}
		return ""
	}
	said += drawn("{{", " Hexagons: decisions.")
	classes := slices.DeleteFunc([]string{
		drawn("(correct)", "blue: all runs through it satisfy the property (correct)"),
		drawn("(incorrect)", "dashed orange: none does (incorrect)"),
		drawn("(excluded)", "dotted grey: no run through it counts (excluded)"),
	}, func(s string) bool { return s == "" })
	if len(classes) > 0 {
		text := strings.Join(classes, "; ")
		said += " " + strings.ToUpper(text[:1]) + text[1:] + "; grey: some do."
	}
	return said + drawn(" more", " “n more”: transitions that are not shown.")
}

// address writes the path of a file as the target of a link. Everything that could
// end the target, or make it anything but a path, is escaped.
func address(path string) string {
	parts := strings.Split(filepath.ToSlash(path), "/")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(part), ":", "%3A")
	}
	return strings.Join(parts, "/")
}
