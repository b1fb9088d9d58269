package diagram

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/neighbourhood"
)

// head returns caption and legend as an HTML-like label of the graph, which is above the picture.
// Nodes and edges would take part in the layout.
func head(p *view.Graph, size sizes, withLegend bool) string {
	var b strings.Builder
	b.WriteString(`<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="2" CELLPADDING="0">` + "\n")
	strong := max(1, len(folded(p.Caption.Diagnosis, maxDiagnosisLine)))
	for i, line := range captionLines(p) {
		text := htmlText(printable.Cut(line, maxCaptionText))
		if i < strong {
			text = "<B>" + text + "</B>"
		} else {
			text = fmt.Sprintf(`<FONT POINT-SIZE="%v">%s</FONT>`, size.label, text)
		}
		fmt.Fprintf(&b, `<TR><TD ALIGN="LEFT">%s</TD></TR>`+"\n", text)
	}
	if lines := legend(p); withLegend && len(lines) > 0 {
		// Graphviz widens all columns of a table equally, up to the width of the caption. Empty
		// columns take up most of this width, so that the legend stays narrow.
		b.WriteString(`<TR><TD ALIGN="LEFT"><TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"><TR><TD>` +
			`<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="1" CELLPADDING="0">` + "\n")
		for _, line := range lines {
			fmt.Fprintf(&b, `<TR>%s<TD ALIGN="LEFT"><FONT POINT-SIZE="%v">%s</FONT></TD></TR>`+"\n", line.sample, size.legend, htmlText(line.meaning))
		}
		b.WriteString(`</TABLE></TD>` + strings.Repeat(`<TD WIDTH="1" HEIGHT="1"></TD>`, 20) + `</TR></TABLE></TD></TR>` + "\n")
	}
	b.WriteString("</TABLE>")
	return b.String()
}

// maxDiagnosisLine bounds the characters in a line of a diagnosis.
const maxDiagnosisLine = 90

// captionHead returns the first lines of the caption: why the property fails, what the picture
// shows, the name of the model, and the verdict.
func captionHead(c view.Caption) []string {
	lines := folded(c.Diagnosis, maxDiagnosisLine)
	if c.Model != "" {
		// The picture may be passed on, so it does not name folders of this machine.
		lines = append(lines, filepath.Base(c.Model))
	}
	if c.Formula != "" {
		lines = append(lines, c.Formula)
		if c.Assumed != "" {
			lines = append(lines, "assuming "+c.Assumed)
		}
		lines = append(lines, c.Verdict)
	}
	return lines
}

func unfoldedLine(c view.Caption) string { return "unfolded: states are state·" + c.History }

func captionLines(p *view.Graph) []string {
	lines := captionHead(p.Caption)
	if p.Union != nil && p.OnUnion < p.Union.Transitions {
		lines = append(lines, fmt.Sprintf("%d of %s on them shown", p.OnUnion, printable.Quantity(p.Union.Transitions, "transition")))
	}
	if p.Caption.Unfolded {
		lines = append(lines, unfoldedLine(p.Caption))
	}
	switch {
	case p.QuotientOf.States == 0:
	case p.QuotientOf == p.Reachable:
		lines = append(lines, "no two states mean the same for the property, so none are merged")
	default:
		lines = append(lines, fmt.Sprintf("quotient of %s, %s: those that mean the same for the property are one",
			printable.Quantity(p.QuotientOf.States, "state"), printable.Quantity(p.QuotientOf.Transitions, "transition")))
	}
	if p.OfNeighbourhoods {
		return append(lines, neighbourhoodsLine(p))
	}
	if p.Reachable == (view.Size{}) {
		return lines // the legend of a whole model ends here
	}
	all := fmt.Sprintf("%s, %s", printable.Quantity(p.Reachable.States, "state"), printable.Quantity(p.Reachable.Transitions, "transition"))
	if !p.Whole {
		all = fmt.Sprintf("excerpt: %d of %s, %d of %s", p.Shown.States, printable.Quantity(p.Reachable.States, "state"),
			p.Shown.Transitions, printable.Quantity(p.Reachable.Transitions, "transition"))
	}
	if p.Folded > 0 {
		all += fmt.Sprintf(" (%s in rows drawn as one arrow)", printable.Quantity(p.Folded, "state"))
	}
	if unreachable := p.States - p.Reachable.States; unreachable > 0 {
		all += fmt.Sprintf(" (%s not reachable, not shown)", printable.Quantity(unreachable, "state"))
	}
	return append(lines, all)
}

// legendLine is a row of the legend: a cell drawn like the element, and its explanation.
type legendLine struct{ sample, meaning string }

// legend explains the elements of the picture that need it, and no others.
func legend(p *view.Graph) []legendLine {
	lines := append(classLegend(p), runLegend(p)...)
	if slices.ContainsFunc(p.Nodes, func(n view.Node) bool { return n.Turn != view.NoTurn }) {
		lines = append(lines, legendLine{textSample("hexagon"), "a decision: another choice would have been better for this run"})
	}
	if slices.ContainsFunc(p.Nodes, func(n view.Node) bool { return n.Turn == view.NoTurn && n.Says() != "" }) {
		lines = append(lines, legendLine{textSample("filled oval"), "a neighbourhood: a choice there settles the property for all runs"})
	}
	return append(lines, endLegend(p)...)
}

func classLegend(p *view.Graph) []legendLine {
	var lines []legendLine
	for _, class := range []neighbourhood.Class{neighbourhood.Correct, neighbourhood.Incorrect, neighbourhood.Neutral, neighbourhood.Excluded} {
		if p.Classified && slices.ContainsFunc(p.Arrows, func(a view.Arrow) bool { return a.Class == class }) {
			style := styleOf(p, class)
			lines = append(lines, legendLine{lineSample(style, p.Sign(class)), class.String() + ": " + classMeaning(class)})
		}
	}
	if len(lines) == 1 {
		return nil // there is nothing to distinguish
	}
	return lines
}

// better explains the labels in bold: the better choices.
func better(p *view.Graph) string {
	if p.Caption.Slowest {
		return "would have been faster"
	}
	return "a better choice than that of the counterexample"
}

// runLegend explains the marks of the counterexample.
func runLegend(p *view.Graph) []legendLine {
	var lines []legendLine
	name := p.Caption.Run()
	run, loop, hidden := name+", its steps numbered", "a step of its loop", name
	if p.Union != nil {
		run, loop, hidden = "all shortest counterexamples at once", "on the loop of one of them", "one of them"
	}
	has := func(is func(view.Arrow) bool) bool { return slices.ContainsFunc(p.Arrows, is) }
	if p.Steps() > 0 {
		lines = append(lines, legendLine{lineSample(lineStyle{colour: black, line: "solid", width: thick}, ""), run})
	}
	if has(func(a view.Arrow) bool { return a.NoReturn }) {
		style := lineStyle{colour: vermillion, line: "solid", width: thick, head: "►"}
		lines = append(lines, legendLine{doubleSample(style), "point of no return: after it, this run can no longer satisfy the property"})
	}
	if has(func(a view.Arrow) bool { return a.Better }) {
		lines = append(lines, legendLine{`<TD CELLPADDING="2"><FONT POINT-SIZE="8"><B>bold</B></FONT></TD>`, better(p)})
	}
	if has(func(a view.Arrow) bool { return a.Never != "" }) {
		lines = append(lines, legendLine{textSample("never"), "crossed out: not to be taken, so that the property holds"})
	}
	if has(func(a view.Arrow) bool { return a.Branch }) {
		which := "the nearest correct run"
		if p.Caption.Near {
			which = "a near correct run" // the search was stopped
		}
		lines = append(lines, legendLine{textSample("+"), which + ", where it is another one"})
	}
	if has(func(a view.Arrow) bool {
		return p.Classified && a.Class == neighbourhood.Neutral && a.Meaning != a.Class
	}) {
		lines = append(lines, legendLine{textSample(view.CertainSign + " " + view.LostSign), "on a neutral arrow: the property is then certain, lost, for this run"})
	}
	if has(func(a view.Arrow) bool { return a.Loop }) {
		lines = append(lines, legendLine{textSample(view.LoopSign), loop + ", gone round for ever"})
	}
	if len(p.Gaps) > 0 {
		sample := lineSample(lineStyle{colour: black, line: "dotted", width: thick}, "")
		lines = append(lines, legendLine{sample, "steps of " + hidden + " that are not shown"})
	}
	return lines
}

func classMeaning(class neighbourhood.Class) string {
	switch class {
	case neighbourhood.Correct:
		return "every run through it satisfies the property"
	case neighbourhood.Incorrect:
		return "no run through it satisfies the property"
	case neighbourhood.Excluded:
		return "no run through it counts under the assumption"
	}
	return "some runs through it satisfy the property, others do not"
}

// lineSample is a cell with a line across its middle (the border between two rows), and with the
// arrowhead and the sign, if there are any.
func lineSample(style lineStyle, sign string) string {
	return sample(fmt.Sprintf(`<TD SIDES="B" BORDER="%.0f" COLOR="%s" STYLE="%s" WIDTH="36" HEIGHT="6"></TD>`, style.width, style.colour, style.line),
		`<TD WIDTH="36" HEIGHT="6"></TD>`, style, sign)
}

// doubleSample is lineSample with two lines.
func doubleSample(style lineStyle) string {
	return sample(fmt.Sprintf(`<TD SIDES="B" BORDER="%.0f" COLOR="%s" WIDTH="36" HEIGHT="5"></TD>`, style.width, style.colour),
		fmt.Sprintf(`<TD SIDES="B" BORDER="%.0f" COLOR="%s" WIDTH="36" HEIGHT="6"></TD>`, style.width, style.colour), style, view.LostSign)
}

func sample(upper, lower string, style lineStyle, sign string) string {
	rest := ""
	for _, text := range []string{style.head, sign} {
		if text != "" {
			rest += fmt.Sprintf(`<TD ROWSPAN="2"><FONT POINT-SIZE="10" COLOR="%s">%s</FONT></TD>`, style.colour, htmlText(text))
		}
	}
	return `<TD><TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"><TR>` + upper + rest + `</TR><TR>` + lower + `</TR></TABLE></TD>`
}

func textSample(text string) string { return colouredSample(text, grey) }

func colouredSample(text, colour string) string {
	return fmt.Sprintf(`<TD><FONT POINT-SIZE="10" COLOR="%s">%s</FONT></TD>`, colour, text)
}
