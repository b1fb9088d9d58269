package draw

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// headLabel returns caption and legend as an HTML-like label of the graph, above the picture. If they were
// nodes and edges, they would influence the layout.
func headLabel(p *view.Graph, size sizes, withLegend bool) string {
	var b strings.Builder
	b.WriteString(`<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="2" CELLPADDING="0">` + "\n")
	boldLines := max(1, len(folded(p.Caption.Diagnosis, maxDiagnosisLine)))
	for i, line := range captionLines(p) {
		text := htmlText(printable.Cut(line, maxCaptionText))
		if i < boldLines {
			text = "<B>" + text + "</B>"
		} else {
			text = fmt.Sprintf(`<FONT POINT-SIZE="%v">%s</FONT>`, size.label, text)
		}
		fmt.Fprintf(&b, `<TR><TD ALIGN="LEFT">%s</TD></TR>`+"\n", text)
	}
	lines := legend(p, size)
	if withLegend && len(lines) > 0 {
		// Graphviz widens all columns of a table equally, up to the width of the caption. Empty
		// columns take up most of this width, so that the legend stays narrow.
		b.WriteString(`<TR><TD ALIGN="LEFT"><TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"><TR><TD>` +
			`<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="1" CELLPADDING="0">` + "\n" + strings.Join(lines, "") +
			`</TABLE></TD>` + strings.Repeat(`<TD WIDTH="1" HEIGHT="1"></TD>`, 20) + `</TR></TABLE></TD></TR>` + "\n")
	}
	b.WriteString("</TABLE>")
	return b.String()
}

// maxDiagnosisLine bounds the characters in a line of a diagnosis.
const maxDiagnosisLine = 90

// caption returns these lines: why the property fails, what the picture shows, the name of the model,
// the verdict with further remarks, and how states are named.
func caption(c view.Caption, more ...string) []string {
	lines := folded(c.Diagnosis, maxDiagnosisLine)
	if c.Model != "" {
		// Users may send the picture to others, so it does not name folders of this machine.
		lines = append(lines, filepath.Base(c.Model))
	}
	if c.Formula != "" {
		lines = append(lines, c.Formula)
		if c.Assumed != "" {
			lines = append(lines, "assuming "+c.Assumed)
		}
		lines = append(lines, c.Verdict)
	}
	lines = append(lines, more...)
	if c.Unfolded {
		lines = append(lines, "unfolded: states are state·"+c.History)
	}
	return lines
}

// sizeOf describes the numbers of states and transitions.
func sizeOf(s view.Size) string {
	return printable.Quantity(s.States, "state") + ", " +
		printable.Quantity(s.Transitions, "transition")
}

// captionLines returns the lines of the caption of a graph: what the picture is about, and how much it shows.
func captionLines(p *view.Graph) []string {
	var remarks []string
	if p.Union != nil && p.OnUnion < p.Union.Transitions {
		remarks = append(remarks,
			fmt.Sprintf("%d of %s on them shown", p.OnUnion,
				printable.Quantity(p.Union.Transitions, "transition")))
	}
	lines := caption(p.Caption, remarks...)
	switch {
	case p.QuotientOf.States == 0:
	case p.QuotientOf == p.Reachable:
		lines = append(lines,
			"no two states mean the same for the property, so none are merged")
	default:
		lines = append(lines,
			"quotient of "+sizeOf(p.QuotientOf)+
				": those that mean the same for the property are one")
	}
	size := sizeOf(p.Reachable)
	switch {
	case p.OfNeighbourhoods && p.Neighbourhoods == 0:
		return append(lines, "no neighbourhood in "+size)
	case p.OfNeighbourhoods:
		shown := printable.Quantity(p.Neighbourhoods, "neighbourhood")
		if p.Shown.States < p.Neighbourhoods {
			shown = fmt.Sprintf("%d of %s", p.Shown.States, shown)
		}
		return append(lines, shown+" in "+size)
	case p.Reachable == (view.Size{}):
		return lines // the legend of a whole model ends here
	case !p.Whole:
		size = fmt.Sprintf("excerpt: %d of %s, %d of %s", p.Shown.States,
			printable.Quantity(p.Reachable.States, "state"),
			p.Shown.Transitions, printable.Quantity(p.Reachable.Transitions, "transition"))
	}
	if p.Folded > 0 {
		size += fmt.Sprintf(" (%s in rows drawn as one arrow)",
			printable.Quantity(p.Folded, "state"))
	}
	unreachable := p.States - p.Reachable.States
	if unreachable > 0 {
		size += fmt.Sprintf(" (%s not reachable, not shown)",
			printable.Quantity(unreachable, "state"))
	}
	return append(lines, size)
}

var classMeaning = map[fate.Class]string{
	fate.Correct:   "every run through it satisfies the property",
	fate.Incorrect: "no run through it satisfies the property",
	fate.Neutral:   "some runs through it satisfy the property, others do not",
	fate.Excluded:  "no run through it counts under the assumption",
}

// legend returns rows of a table. A row has a cell that is drawn like an element of the picture, and an
// explanation. The legend explains only elements in the picture that need an explanation.
func legend(p *view.Graph, size sizes) []string {
	l := legendRows{picture: p, size: size}
	l.addClasses()
	l.addRun()
	l.addStates()
	return l.rows
}

// legendRows are the rows of a legend under construction.
type legendRows struct {
	picture *view.Graph
	size    sizes
	rows    []string
}

// add adds a row if the picture shows such an element.
func (l *legendRows) add(isShown bool, sample, meaning string) {
	if isShown {
		l.rows = append(l.rows,
			fmt.Sprintf(`<TR>%s<TD ALIGN="LEFT"><FONT POINT-SIZE="%v">%s</FONT></TD></TR>`+"\n",
				sample, l.size.legend, htmlText(meaning)))
	}
}

// addClasses adds rows about the classes of arrows, unless all arrows have the same class.
func (l *legendRows) addClasses() {
	for _, class := range []fate.Class{
		fate.Correct,
		fate.Incorrect,
		fate.Neutral,
		fate.Excluded,
	} {
		hasClass := func(a view.Arrow) bool { return a.Class == class }
		l.add(l.picture.Classified && slices.ContainsFunc(l.picture.Arrows, hasClass),
			lineSample(styleOf(l.picture, class), l.picture.Sign(class)), class.String()+": "+classMeaning[class])
	}
	if len(l.rows) == 1 {
		l.rows = nil // there is nothing to distinguish
	}
}

// runNames are the names by which a legend calls a run and its parts.
type runNames struct {
	run, loopStep, oneRun string
	better, correct       string
}

// runNamesOf returns what the legend calls the runs of a picture.
func runNamesOf(p *view.Graph) runNames {
	names := runNames{
		run:      p.Caption.Run() + ", its steps numbered",
		loopStep: "a step of its loop",
		oneRun:   p.Caption.Run(),
		better:   "a better choice than that of the counterexample",
		correct:  "the nearest correct run",
	}
	if p.Union != nil {
		names.run = "all shortest counterexamples at once"
		names.loopStep = "on the loop of one of them"
		names.oneRun = "one of them"
	}
	if p.Caption.Slowest {
		names.better = "would have been faster"
	}
	if p.Caption.Near {
		names.correct = "a near correct run" // the search was stopped
	}
	return names
}

// addRun adds rows about the run, and about the choices beside it.
func (l *legendRows) addRun() {
	p := l.picture
	names := runNamesOf(p)
	anyArrow := func(shows func(view.Arrow) bool) bool {
		return slices.ContainsFunc(p.Arrows, shows)
	}
	l.add(p.Steps() > 0, lineSample(lineStyle{colour: black, line: "solid", width: thick}, ""),
		names.run)
	l.add(anyArrow(func(a view.Arrow) bool { return a.NoReturn }), doubleLineSample(),
		"point of no return: after it, this run can no longer satisfy the property")
	l.add(anyArrow(func(a view.Arrow) bool { return a.Better }),
		`<TD CELLPADDING="2"><FONT POINT-SIZE="8"><B>bold</B></FONT></TD>`, names.better)
	l.add(anyArrow(func(a view.Arrow) bool { return a.Never != "" }), textSample("forbid", grey),
		"crossed out: if all these are forbidden, the property holds")
	l.add(anyArrow(func(a view.Arrow) bool { return a.Branch }), textSample("+", grey),
		names.correct+", where it is another one")
	isSettled := func(a view.Arrow) bool {
		return p.Classified && a.Class == fate.Neutral && a.Meaning != a.Class
	}
	l.add(anyArrow(isSettled), textSample(view.CertainSign+" "+view.LostSign, grey),
		"on a neutral arrow: the property is then certain, lost, for this run")
	l.add(anyArrow(func(a view.Arrow) bool { return a.Loop }), textSample(view.LoopSign, grey),
		names.loopStep+", gone round forever")
	l.add(len(p.Gaps) > 0,
		lineSample(lineStyle{colour: black, line: "dotted", width: thick}, ""), "steps of "+names.oneRun+" that are not shown")
}

// doubleLineSample is a cell with the two lines of a point of no return.
func doubleLineSample() string {
	style := lineStyle{
		colour: vermillion,
		line:   "solid",
		width:  thick,
		head:   "►",
	}
	side := `<TD SIDES="B" BORDER="%.0f" COLOR="%s" WIDTH="36" HEIGHT="%d"></TD>`
	upper := fmt.Sprintf(side, style.width, style.colour, 5)
	lower := fmt.Sprintf(side, style.width, style.colour, 6)
	return sample(upper, lower, style, view.LostSign)
}

// addStates adds rows about decisions, neighbourhoods and ends.
func (l *legendRows) addStates() {
	anyNode := func(shows func(view.Node) bool) bool {
		return slices.ContainsFunc(l.picture.Nodes, shows)
	}
	isDecision := func(n view.Node) bool { return n.Turn != view.NoTurn }
	isNeighbourhood := func(n view.Node) bool { return n.Turn == view.NoTurn && n.DecisionText() != "" }
	l.add(anyNode(isDecision), textSample("hexagon", grey),
		"a decision: another choice would have been better for this run")
	l.add(anyNode(isNeighbourhood), textSample("filled oval", grey),
		"a choice there settles the property for all runs")
	for e := view.Satisfied; e <= view.Elsewhere; e++ {
		isSuchEnd := func(n view.Node) bool { return n.End == e }
		end := endNodes[e]
		l.add(anyNode(isSuchEnd), textSample(cmp.Or(end.label, "… n more"), end.line), end.meaning)
	}
}

// lineSample is a cell with a line across its middle, which is the border between two rows. The
// arrowhead and the sign are added if there are any.
func lineSample(style lineStyle, sign string) string {
	return sample(fmt.Sprintf(`<TD SIDES="B" BORDER="%.0f" COLOR="%s" STYLE="%s" WIDTH="36" HEIGHT="6"></TD>`, style.width, style.colour, style.line),
		`<TD WIDTH="36" HEIGHT="6"></TD>`, style, sign)
}

// sample is a cell with two rows, whose border is the line, and with an arrowhead and a sign beside them.
func sample(upper, lower string, style lineStyle, sign string) string {
	headAndSign := ""
	for _, text := range []string{style.head, sign} {
		if text != "" {
			headAndSign += fmt.Sprintf(`<TD ROWSPAN="2"><FONT POINT-SIZE="10" COLOR="%s">%s</FONT></TD>`, style.colour, htmlText(text))
		}
	}
	return `<TD><TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"><TR>` + upper + headAndSign + `</TR><TR>` + lower + `</TR></TABLE></TD>`
}

func textSample(text, colour string) string {
	return fmt.Sprintf(`<TD><FONT POINT-SIZE="10" COLOR="%s">%s</FONT></TD>`, colour, text)
}
