package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/inev-lts/inev/explain"
)

// writeMarkdown writes an explanation for a pull request or a wiki: the same
// sentences as the text, actions set as code, the counterexample as a table.
func writeMarkdown(w io.Writer, e *explain.Explanation, o Options) error {
	b := bufio.NewWriter(w)
	p := &prose{e: e, quote: markdownCode}
	fmt.Fprintf(b, "## %s\n", p.verdict())
	if e.Counterexample != nil {
		fmt.Fprintf(b, "\n%s\n\n", p.shape())
		markdownSteps(b, e, o)
		if e.All != nil {
			fmt.Fprintf(b, "\n### All shortest counterexamples\n\n%s\n\n", p.howMany())
			for i, c := range e.All.Listed {
				fmt.Fprintf(b, "%d. %s\n", i+1, p.inOneLine(c))
			}
		}
		if e.Classes != nil {
			markdownDecisions(b, p)
		}
	}
	if e.Classes != nil {
		if e.Counterexample != nil {
			fmt.Fprint(b, "\n### Elsewhere\n")
		}
		fmt.Fprintln(b)
		for _, line := range p.elsewhere() {
			fmt.Fprintf(b, "- %s\n", line)
		}
	}
	return b.Flush()
}

func markdownSteps(b *bufio.Writer, e *explain.Explanation, o Options) {
	c := e.Counterexample
	shown := shownSteps(e, o.Full)
	fmt.Fprint(b, "| step | state | action | |\n| ---: | ---: | --- | --- |\n")
	for i := 0; i < len(c.Steps); i++ {
		if !shown[i] {
			hidden := i
			for !shown[i] {
				i++
			}
			fmt.Fprintf(b, "| … | | *%s* | |\n", count(i-hidden, "step"))
		}
		said := remarks(e, i)
		if i == c.LoopStart {
			said = append(said, "the loop begins")
		}
		fmt.Fprintf(b, "| %d | %s | %s | %s |\n", i+1, e.Name(c.Steps[i].From), markdownCode(c.Steps[i].Label), strings.Join(said, "; "))
	}
	if c.Kind == "deadlock" {
		fmt.Fprintf(b, "| | %s | | deadlock |\n", e.Name(e.Trace().Last()))
	}
}

func markdownDecisions(b *bufio.Writer, p *prose) {
	fmt.Fprint(b, "\n### Decisions\n\n")
	for i, sentence := range p.decisions(p.e.Decisions) {
		fmt.Fprintf(b, "%d. %s\n", i+1, sentence)
	}
	if len(p.e.Decisions) > 0 {
		fmt.Fprintln(b)
	}
	for _, sentence := range p.beyondDecisions() {
		fmt.Fprintf(b, "- %s\n", sentence)
	}
	if exits := p.exits(); exits != nil {
		fmt.Fprint(b, "\n### Ways out of the loop\n\n")
		for _, sentence := range exits {
			fmt.Fprintf(b, "- %s\n", sentence)
		}
	}
}

// markdownCode sets a label as code. The fence is longer than any run of
// backquotes in the label; a vertical bar is escaped, for it would end a table
// cell even in code.
func markdownCode(label string) string {
	label = strings.ReplaceAll(Printable(label), "|", `\|`)
	fence := "`"
	for strings.Contains(label, fence) {
		fence += "`"
	}
	if strings.HasPrefix(label, "`") || strings.HasSuffix(label, "`") || label == "" {
		return fence + " " + label + " " + fence
	}
	return fence + label + fence
}
