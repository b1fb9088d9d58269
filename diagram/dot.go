package diagram

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/emicklei/dot"

	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// drawing is the state of drawing a graph as DOT.
type drawing struct {
	picture *view.Graph
	graph   *dot.Graph
	nodes   map[lts.State]dot.Node
	names   map[lts.State]string // names in classes; the names of states are shown, too
	ways    map[lts.State]string // names in tooltips of nodes that are no states: ends, and the node before initial states
	sizes   sizes
	ends    int // ends drawn so far
}

// draw returns the graph of a picture in DOT. The identifiers are serial
// numbers with leading zeros: the writer of dot sorts nodes, and edges by their
// source, by identifier, so that the order of the picture is kept.
func draw(p *view.Graph, o Options) *dot.Graph {
	d := drawing{p, dot.NewGraph(dot.Directed), make(map[lts.State]dot.Node, len(p.Nodes)), make(map[lts.State]string, len(p.Nodes)), map[lts.State]string{}, sizesOf(o), 0}
	d.graph.Attrs("rankdir", rankDir(p, o.RankDir), "nodesep", "0.3", "ranksep", "0.4", "fontname", font, "fontsize", d.sizes.caption)
	d.graph.Attrs("id", "diagram", "class", "diagram")
	if !o.NoCaption {
		d.graph.Attrs("label", dot.HTML(head(p, d.sizes, !o.NoLegend)), "labelloc", "t", "labeljust", "l")
	}
	if p.Work() > view.MaxClearWork {
		// Without a limit, Graphviz' network simplex may run very long.
		d.graph.Attrs("nslimit", "30", "nslimit1", "30")
	}
	if o.Layout != "" && o.Layout != "dot" {
		// Without "overlap", layouts by springs and circles put nodes on top of one another.
		d.graph.Attrs("layout", o.Layout, "overlap", "scale", "splines", "true")
	}
	for i, n := range p.Nodes {
		d.node(fmt.Sprintf("state %010d", i), n)
	}
	// The arrow into the initial state comes from an invisible node.
	from := d.graph.Node("entry").Label("")
	from.Attrs("shape", "point", "style", "invis", "width", "0.05", "height", "0.05", "tooltip", "initial state", "id", "start", "class", "start")
	e := d.graph.Edge(from, d.nodes[p.Initial])
	e.Attrs("penwidth", bold, "arrowhead", "normal", "arrowsize", 0.8, "tooltip", "initial state", "weight", 10)
	e.Attrs("id", "entry", "class", "entry")
	for i, a := range p.Arrows {
		d.arrow(i+1, a)
	}
	for i, g := range p.Gaps {
		e := d.graph.Edge(d.nodes[g.From], d.nodes[g.To]).Label(dot.HTML(paddedHTML(gapLines(g, ""), false)))
		e.Attrs("style", "dotted", "penwidth", thick, "color", black, "weight", 10, "minlen", 2)
		e.Attrs("fontname", font, "fontsize", d.sizes.label, "arrowsize", 0.8)
		classes := fmt.Sprintf("gap on-run from-%s to-%s first-%d last-%d", d.names[g.From], d.names[g.To], g.First, g.Last)
		if g.Loop {
			classes += " loop"
		}
		of := p.Caption.Run()
		if p.Union != nil {
			of = "one counterexample"
		}
		e.Attrs("id", fmt.Sprintf("gap-%d", i+1), "class", classes)
		e.Attr("tooltip", fmt.Sprintf("steps %d to %d of %s are not shown", g.First, g.Last, of))
	}
	for i, s := range p.Stubs {
		n := d.graph.Node(fmt.Sprintf("stub %010d", i+1)).Label(stubText(s))
		n.Attrs("shape", "box", "style", "dotted", "fontname", font, "fontsize", d.sizes.stub, "color", grey, "fontcolor", grey)
		n.Attrs("margin", "0.04", "width", "0.1", "height", "0.1")
		e := d.graph.Edge(d.nodes[s.State], n)
		e.Attrs("style", "dotted", "color", grey, "arrowhead", "vee", "arrowsize", 0.6)
		way := "leave"
		if s.Count == 1 {
			way += "s"
		}
		text := fmt.Sprintf("%s that %s state %s, not shown%s", printable.Quantity(s.Count, "transition"), way, d.names[s.State], restOf(s))
		if d.ways[s.State] == beforeRuns {
			text = fmt.Sprintf("%s %s, not shown%s", printable.Quantity(s.Count, "state"), beforeRuns, restOf(s))
		}
		class := "stub out from-" + d.names[s.State]
		n.Attrs("tooltip", text, "id", fmt.Sprintf("stub-%d", i+1), "class", class)
		e.Attrs("tooltip", text, "id", fmt.Sprintf("stub-arrow-%d", i+1), "class", class)
	}
	for i, a := range p.Ahead {
		// The path to the nearest transition that the run waits for is one dotted arrow.
		n := d.graph.Node(fmt.Sprintf("ahead %010d", i+1)).Label(plainText([]string{aheadText(a, view.LabelLength)}))
		n.Attrs("shape", "box", "style", "dotted", "fontname", font, "fontsize", d.sizes.stub, "margin", "0.05", "width", "0.1", "height", "0.1")
		e := d.graph.Edge(d.nodes[a.State], n)
		e.Attrs("style", "dotted", "penwidth", bold, "arrowhead", "vee", "arrowsize", 0.6)
		about := fmt.Sprintf("what the run waits for can be had from state %s: %s", d.names[a.State], strings.TrimPrefix(aheadText(a, maxTooltipText), "… "))
		tooltip, class := plainText([]string{about}), "ahead from-"+d.names[a.State]
		n.Attrs("tooltip", tooltip, "id", fmt.Sprintf("ahead-%d", i+1), "class", class)
		e.Attrs("tooltip", tooltip, "id", fmt.Sprintf("ahead-arrow-%d", i+1), "class", class)
	}
	return d.graph
}

// Widths, in characters of labels: of a screen, and of a step without its label.
const (
	maxWidth  = 220
	stepWidth = 13 // room that a step needs besides its label: a state, and a visible arrow
)

// rankDir returns the direction by Graphviz' name. An excerpt that fits a screen goes from left to
// right, since it is a line of states with few others; all other pictures go down, where there is
// more room.
func rankDir(p *view.Graph, direction RankDir) string {
	if direction == leftRight || direction == autoDirection && !p.Whole && width(p) <= maxWidth {
		return "LR"
	}
	return "TB"
}

// width returns the width, in characters, of the counterexample and of a correct run
// drawn from left to right.
func width(p *view.Graph) int {
	width := 0
	for _, a := range p.Arrows {
		if !a.OnRun && !a.Branch {
			continue
		}
		widest := 0
		for _, line := range p.Lines(a, view.LabelLength) {
			widest = max(widest, utf8.RuneCountInString(line))
		}
		width += widest + stepWidth
	}
	return width
}

func (d *drawing) node(id string, n view.Node) {
	if n.End != view.NoEnd {
		d.end(id, n)
		return
	}
	if n.Before {
		g := d.graph.Node(id).Label("")
		g.Attrs("shape", "point", "width", "0.08", "height", "0.08", "tooltip", beforeRuns, "id", "state-"+n.Name, "class", nodeClasses(n))
		d.nodes[n.State], d.names[n.State], d.ways[n.State] = g, n.Name, beforeRuns
		return
	}
	lines, words := []string{n.Name}, []string(nil)
	g := d.graph.Node(id)
	g.Attrs("shape", "circle", "fontname", font, "fontsize", d.sizes.state, "margin", "0.03", "width", "0.35", "height", "0.35")
	g.Attrs("tooltip", plainText([]string{d.nodeTooltip(n)}), "penwidth", thin, "id", "state-"+n.Name, "class", nodeClasses(n))
	if n.Initial || n.OnRun {
		g.Attr("penwidth", bold)
	}
	if n.Merged > 1 {
		g.Attr("shape", "ellipse")
	}
	if n.Deadlock {
		g.Attr("shape", "doubleoctagon")
		lines = append(lines, "deadlock")
	}
	if said := n.Says(); said != "" {
		// Decisions of the run are hexagons; neighbourhoods off the run are smaller ellipses.
		g.Attrs("style", "filled", "fillcolor", fillOf(n))
		if words = folded(said, maxDecisionLine); n.Turn != view.NoTurn {
			g.Attr("shape", "hexagon")
		} else {
			g.Attrs("shape", "ellipse", "margin", "0.01", "width", "0.2", "height", "0.2")
			if !n.OnRun {
				g.Attr("fontsize", d.sizes.legend)
			}
		}
	}
	if n.Merged > 1 {
		lines = append(lines, printable.Quantity(n.Merged, "state"))
	}
	if len(n.Text) > 0 {
		if words == nil && !n.Deadlock {
			margin := "0.1,0.05"
			if n.OnRun { // its border is bold
				margin = "0.15,0.06"
			}
			g.Attrs("shape", "box", "style", "rounded", "margin", margin)
		}
		for _, text := range n.Text {
			lines = append(lines, folded(printable.Text(text), maxTextLine)...)
		}
	}
	if words == nil {
		g.Label(plainText(lines))
	} else {
		// All words but the name of the state are smaller, so that the hexagon stays small.
		escaped := []string{htmlText(lines[0])}
		for _, line := range slices.Concat(words, lines[1:]) {
			escaped = append(escaped, fmt.Sprintf(`<FONT POINT-SIZE="%v">%s</FONT>`, d.sizes.legend, htmlText(line)))
		}
		g.Attr("label", dot.HTML(strings.Join(escaped, "<BR/>")))
	}
	d.nodes[n.State], d.names[n.State] = g, n.Name
}

// beforeRuns is the name, in tooltips, of the state before several initial states.
const beforeRuns = "where runs begin"

// inWords returns the name of a state in tooltips.
func (d *drawing) inWords(s lts.State) string {
	if way, is := d.ways[s]; is {
		return way
	}
	return d.names[s]
}

// maxDecisionLine bounds the characters in a line about a decision.
const maxDecisionLine = 10

// maxTextLine bounds the characters in a line about a state.
const maxTextLine = 28

// folded breaks a text into lines of at most this many characters. A longer word stays whole.
func folded(text string, most int) []string {
	var lines []string
	for i, word := range strings.Fields(text) {
		last := len(lines) - 1
		if i > 0 && utf8.RuneCountInString(lines[last])+1+utf8.RuneCountInString(word) <= most {
			lines[last] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}

func (d *drawing) arrow(number int, a view.Arrow) {
	style := styleOf(d.picture, a.Class)
	if a.NoReturn {
		style.colour = vermillion
	}
	e := d.graph.Edge(d.nodes[a.From], d.nodes[a.To])
	e.Attrs("color", style.colour, "fontcolor", style.colour, "style", style.line, "arrowhead", style.arrowhead)
	e.Attrs("fontname", font, "fontsize", d.sizes.label, "arrowsize", 0.8, "penwidth", style.width)
	text := fmt.Sprintf("%s to %s", d.inWords(a.From), d.inWords(a.To))
	if d.picture.Classified {
		text += ", " + a.Class.String()
	}
	var texts []string
	for _, l := range a.Labels {
		texts = append(texts, printable.Cut(l.Text, maxTooltipText))
	}
	if a.More > 0 {
		texts = append(texts, fmt.Sprintf("… %d more", a.More))
	}
	if a.Folded > 0 {
		texts = append(texts, fmt.Sprintf("%d of them in a row", a.Folded))
	}
	e.Attrs("tooltip", plainText([]string{text + ": " + strings.Join(texts, "; ")}), "id", fmt.Sprintf("transition-%d", number), "class", d.arrowClasses(a))
	lines := d.picture.Lines(a, view.LabelLength)
	switch {
	case a.OnRun:
		// Graphviz draws an edge of large weight short and straight, so that the counterexample is
		// the spine of the picture.
		e.Attrs("penwidth", thick, "weight", 10)
		if style.arrowhead == openHead {
			e.Attr("arrowsize", 1.2) // a larger head would cover a thick line
		}
		e.Label(dot.HTML(paddedHTML(lines, a.NoReturn)))
	case a.Better:
		e.Label(dot.HTML(paddedHTML(lines, true)))
	default:
		e.Label(plainText(padded(lines)))
	}
	if a.NoReturn {
		// Two parallel lines, with a gap as wide as each.
		e.Attr("color", style.colour+":invis:"+style.colour)
	}
	if a.Branch {
		e.Attrs("penwidth", thick, "weight", 8)
		e.Label(dot.HTML(paddedHTML(lines, true)))
	}
	if a.Never != "" {
		// A forbidden transition has a bar at its tail; SVG and PNG also cross it out.
		e.Attrs("dir", "both", "arrowtail", "tee")
	}
	if a.Closing {
		// The ranks follow the run, and this edge leads back.
		e.Attr("weight", 1)
		if !leadsBack(d.picture, a) {
			e.Attr("constraint", false)
		}
	}
}

// padded adds a blank to both ends of lines: Graphviz puts labels so close to their edges that
// these would touch the first letter.
func padded(lines []string) []string {
	for i, line := range lines {
		lines[i] = " " + line + " "
	}
	return lines
}

// paddedHTML keeps a distance from thick edges on all sides, for which a label must be HTML-like:
// an edge would cover descenders and underscores, so that PROVT_REC would read PROVT REC.
func paddedHTML(lines []string, strong bool) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = htmlText(line)
		if strong {
			escaped[i] = "<B>" + escaped[i] + "</B>"
		}
	}
	padding := 4
	if strong {
		padding = 6
	}
	return fmt.Sprintf(`<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="%d"><TR><TD>`, padding) +
		strings.Join(escaped, "<BR/>") + `</TD></TR></TABLE>`
}

// aheadText returns the length of the path to the nearest transition that the run waits for, and
// its label.
func aheadText(a view.Ahead, length int) string {
	return fmt.Sprintf("… %s to %s", printable.Quantity(a.Steps, "step"), printable.Label(a.Label, length))
}

func stubText(s view.Stub) string {
	return fmt.Sprintf("… %d more%s", s.Count, restOf(s))
}

// restOf returns the text of a stub after the number of its transitions.
func restOf(stub view.Stub) string {
	s := ""
	if stub.Count == 1 {
		s = "s"
	}
	switch stub.What {
	case view.NoBetter:
		return ", none better"
	case view.Certain:
		return " that make" + s + " it certain"
	case view.Possible:
		return " that keep" + s + " it possible"
	}
	return ""
}

// gapLines returns the lines at a gap: the numbers of its steps, and how many of them had better
// choices.
func gapLines(g view.Gap, noun string) []string {
	lines := []string{fmt.Sprintf("%s%d to %d", noun, g.First, g.Last)}
	if g.Loop {
		lines[0] = view.LoopSign + " " + lines[0]
	}
	if g.Better > 0 {
		lines = append(lines, fmt.Sprintf("better choices at %d of them", g.Better))
	}
	return lines
}

// Identifiers and classes of the elements in DOT and SVG, for programs: see the package
// comment.

func nodeClasses(n view.Node) string {
	words := []string{"state"}
	add := func(is bool, word string) {
		if is {
			words = append(words, word)
		}
	}
	add(n.Initial, "initial")
	add(n.Before, "before")
	add(n.Deadlock, "deadlock")
	add(n.OnRun, "on-run")
	add(n.Merged > 1, "merged")
	if n.Turn != view.NoTurn {
		words = append(words, "decision", word(n.Turn.String()))
	} else if n.Says() != "" {
		words = append(words, "neighbourhood", word(n.Kind.String()))
	}
	return strings.Join(words, " ")
}

// word replaces blanks, so that a name is one class.
func word(name string) string { return strings.ReplaceAll(name, " ", "-") }

func (d *drawing) nodeTooltip(n view.Node) string {
	text := "state " + n.Name
	if n.Merged > 1 {
		text += fmt.Sprintf(" and %d more", n.Merged-1)
	}
	if n.Initial {
		text += ", initial"
	}
	for _, told := range n.Text {
		text += ", " + printable.Text(told)
	}
	if n.Deadlock {
		text += ", deadlock"
	}
	if n.Turn != view.NoTurn {
		text += ", decision: " + n.Says()
	} else if said := n.Says(); said != "" {
		text += ", " + said
	}
	if n.OnRun {
		text += ", on " + d.picture.Caption.Run()
	}
	return text
}

func (d *drawing) arrowClasses(a view.Arrow) string {
	class, transitions := "unclassified", a.More
	if d.picture.Classified {
		class = a.Class.String()
	}
	for _, l := range a.Labels {
		transitions += l.Times
	}
	var b strings.Builder
	fmt.Fprintf(&b, "transition %s from-%s to-%s", class, d.names[a.From], d.names[a.To])
	add := func(is bool, word string) {
		if is {
			b.WriteString(" " + word)
		}
	}
	add(transitions > 1 || a.Folded > 0, "bundle")
	add(a.OnRun, "on-run")
	add(a.Loop, "loop")
	add(a.NoReturn, "no-return")
	add(a.Better, "better")
	add(a.Never != "", "never")
	add(a.Branch, "correct-run")
	if n := len(a.Steps); n > maxStepClasses {
		fmt.Fprintf(&b, " gap first-%d last-%d", a.Steps[0], a.Steps[n-1])
		return b.String()
	}
	for _, step := range a.Steps {
		fmt.Fprintf(&b, " step-%d", step)
	}
	return b.String()
}

// maxStepClasses is the largest number of step classes of an arrow. With more steps, the arrow has
// only the classes of the first and the last.
const maxStepClasses = 200

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
	// The legend explains the elements of the picture that need it, and no others.
	lines := append(classLegend(p), runLegend(p)...)
	if slices.ContainsFunc(p.Nodes, func(n view.Node) bool { return n.Turn != view.NoTurn }) {
		lines = append(lines, legendLine{textSample("hexagon"), "a decision: another choice would have been better for this run"})
	}
	if slices.ContainsFunc(p.Nodes, func(n view.Node) bool { return n.Turn == view.NoTurn && n.Says() != "" }) {
		lines = append(lines, legendLine{textSample("filled oval"), "a neighbourhood: a choice there settles the property for all runs"})
	}
	if lines := append(lines, endLegend(p)...); withLegend && len(lines) > 0 {
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
		line := `<TD SIDES="B" BORDER="%.0f" COLOR="%s" WIDTH="36" HEIGHT="%d"></TD>`
		double := sample(fmt.Sprintf(line, style.width, style.colour, 5), fmt.Sprintf(line, style.width, style.colour, 6), style, view.LostSign)
		lines = append(lines, legendLine{double, "point of no return: after it, this run can no longer satisfy the property"})
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

// endNode is the node of an end in the view of neighbourhoods: its label, "" where it counts the
// neighbourhoods that are not shown; the colours of its outline and of its inside; and its class in
// Mermaid.
type endNode struct {
	label, meaning, line, inside, class string
}

// endNodes has a node for each end, and none for NoEnd, which all states have.
var endNodes = map[view.End]endNode{
	view.Satisfied: {"✓", "the property is satisfied whatever happens", blue, paleBlue, "correct"},
	view.Violated:  {"✗", "the property is violated whatever happens", vermillion, paleRed, "incorrect"},
	view.Stuck:     {"deadlock", "nothing happens any more", grey, white, "hidden"},
	view.Endless:   {view.LoopSign, "on for ever without another neighbourhood", grey, white, "hidden"},
	view.Elsewhere: {"", "on to neighbourhoods that are not shown", grey, white, "hidden"},
}

// text returns the text of an end; hidden is the number of neighbourhoods that are not shown.
func (e endNode) text(hidden int) string {
	if e.label == "" {
		return fmt.Sprintf("… %d more", hidden)
	}
	return e.label
}

// end draws an end.
func (d *drawing) end(id string, n view.Node) {
	g := d.graph.Node(id)
	end := endNodes[n.End]
	g.Attrs("shape", "circle", "fontname", font, "fontsize", d.sizes.state, "margin", "0.01", "width", "0.25", "height", "0.25")
	g.Attrs("tooltip", end.meaning, "color", end.line, "fontcolor", end.line, "style", "filled", "fillcolor", end.inside, "penwidth", thin)
	switch n.End {
	case view.Stuck:
		g.Attrs("shape", "doubleoctagon", "margin", "0.03")
	case view.Elsewhere:
		g.Attrs("shape", "box", "style", "dotted", "fontsize", d.sizes.stub, "margin", "0.04", "width", "0.1", "height", "0.1")
	}
	d.ends++
	name := fmt.Sprintf("end-%d", d.ends)
	g.Attrs("id", name, "class", "end "+n.End.String())
	d.nodes[n.State], d.names[n.State], d.ways[n.State] = g.Label(end.text(n.Hidden)), name, n.End.String()
}

// neighbourhoodsLine counts the neighbourhoods: those shown, and all.
func neighbourhoodsLine(p *view.Graph) string {
	of := fmt.Sprintf("%s, %s", printable.Quantity(p.Reachable.States, "state"), printable.Quantity(p.Reachable.Transitions, "transition"))
	switch {
	case p.Neighbourhoods == 0:
		return "no neighbourhood in " + of
	case p.Shown.States < p.Neighbourhoods:
		return fmt.Sprintf("%d of %s in %s", p.Shown.States, printable.Quantity(p.Neighbourhoods, "neighbourhood"), of)
	}
	return fmt.Sprintf("%s in %s", printable.Quantity(p.Neighbourhoods, "neighbourhood"), of)
}

func endLegend(p *view.Graph) []legendLine {
	var lines []legendLine
	for e := view.Satisfied; e <= view.Elsewhere; e++ {
		n := endNodes[e]
		if slices.ContainsFunc(p.Nodes, func(shown view.Node) bool { return shown.End == e }) {
			lines = append(lines, legendLine{colouredSample(cmp.Or(n.label, "… n more"), n.line), n.meaning})
		}
	}
	return lines
}
