package draw

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/emicklei/dot"

	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// drawing is the state of drawing a graph as DOT.
type drawing struct {
	picture *view.Graph
	graph   *dot.Graph
	nodes   map[lts.State]node
	sizes   sizes
	ends    int // ends drawn so far
}

// node is a drawn node: its name in classes, and that in tooltips.
type node struct {
	dot.Node
	name, inWords string
}

// draw returns the graph of a picture in DOT. The identifiers are serial
// numbers with leading zeros: the writer of dot sorts nodes, and edges by their
// source, by identifier, so that the order of the picture is kept.
func draw(p *view.Graph, o Options) *dot.Graph {
	d := drawing{picture: p, graph: dot.NewGraph(dot.Directed), nodes: make(map[lts.State]node, len(p.Nodes)), sizes: sizesOf(o)}
	d.graph.Attrs("rankdir", string(rankDir(p, o.RankDir)), "nodesep", "0.3", "ranksep", "0.4", "fontname", font, "fontsize", d.sizes.caption)
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
		d.nodes[n.State] = d.node(fmt.Sprintf("state %010d", i), n)
	}
	// The arrow into the initial state comes from an invisible node.
	from := d.graph.Node("entry").Label("")
	from.Attrs("shape", "point", "style", "invis", "width", "0.05", "height", "0.05", "tooltip", "initial state", "id", "start", "class", "start")
	e := d.graph.Edge(from, d.nodes[p.Initial].Node)
	e.Attrs("penwidth", bold, "arrowhead", "normal", "arrowsize", 0.8, "tooltip", "initial state", "weight", 10, "id", "entry", "class", "entry")
	for i, a := range p.Arrows {
		d.arrow(i+1, a)
	}
	for i, g := range p.Gaps {
		e := d.graph.Edge(d.nodes[g.From].Node, d.nodes[g.To].Node).Label(dot.HTML(paddedHTML(gapLines(g, ""), false)))
		e.Attrs("style", "dotted", "penwidth", thick, "color", black, "weight", 10, "minlen", 2)
		e.Attrs("fontname", font, "fontsize", d.sizes.label, "arrowsize", 0.8)
		classes := fmt.Sprintf("gap on-run from-%s to-%s first-%d last-%d", d.nodes[g.From].name, d.nodes[g.To].name, g.First, g.Last)
		if g.Loop {
			classes += " loop"
		}
		of := p.Caption.Run()
		if p.Union != nil {
			of = "one counterexample"
		}
		e.Attrs("id", fmt.Sprintf("gap-%d", i+1), "class", classes, "tooltip", fmt.Sprintf("steps %d to %d of %s are not shown", g.First, g.Last, of))
	}
	for i, s := range p.Stubs {
		way := "leave"
		if s.Count == 1 {
			way += "s"
		}
		from := d.nodes[s.State]
		text := fmt.Sprintf("%s that %s state %s, not shown%s", printable.Quantity(s.Count, "transition"), way, from.name, restOf(s))
		if from.inWords == beforeRuns {
			text = fmt.Sprintf("%s %s, not shown%s", printable.Quantity(s.Count, "state"), beforeRuns, restOf(s))
		}
		n, e := d.aside("stub", i+1, from, stubText(s), text, "stub out from-"+from.name)
		n.Attrs("color", grey, "fontcolor", grey, "margin", "0.04")
		e.Attr("color", grey)
	}
	for i, a := range p.Ahead {
		// The path to the nearest transition that the run waits for is one dotted arrow.
		from := d.nodes[a.State]
		about := fmt.Sprintf("what the run waits for can be had from state %s: %s", from.name, strings.TrimPrefix(aheadText(a, maxTooltipText), "… "))
		n, e := d.aside("ahead", i+1, from, plainText([]string{aheadText(a, view.LabelLength)}), plainText([]string{about}), "ahead from-"+from.name)
		n.Attr("margin", "0.05")
		e.Attr("penwidth", bold)
	}
	return d.graph
}

// aside draws a small node with a text about a state, and a dotted arrow to it.
func (d *drawing) aside(kind string, number int, from node, text, tooltip, class string) (dot.Node, dot.Edge) {
	n := d.graph.Node(fmt.Sprintf("%s %010d", kind, number)).Label(text)
	n.Attrs("shape", "box", "style", "dotted", "fontname", font, "fontsize", d.sizes.stub, "width", "0.1", "height", "0.1")
	n.Attrs("tooltip", tooltip, "id", fmt.Sprintf("%s-%d", kind, number), "class", class)
	e := d.graph.Edge(from.Node, n)
	e.Attrs("style", "dotted", "arrowhead", "vee", "arrowsize", 0.6)
	e.Attrs("tooltip", tooltip, "id", fmt.Sprintf("%s-arrow-%d", kind, number), "class", class)
	return n, e
}

// Widths, in characters of labels: of a screen, and of a step without its label.
const (
	maxWidth  = 220
	stepWidth = 13 // room that a step needs besides its label: a state, and a visible arrow
)

// rankDir returns the direction by Graphviz' name. An excerpt whose counterexample and correct run
// fit a screen goes from left to right, since it is a line of states with few others; all other
// pictures go down, where there is more room.
func rankDir(p *view.Graph, direction RankDir) RankDir {
	switch {
	case direction == leftRight:
		return leftRight
	case direction != autoDirection || p.Whole:
		return topDown
	}
	width := 0
	for _, a := range p.Arrows {
		if a.OnRun || a.Branch {
			widest := 0
			for _, line := range p.Lines(a, view.LabelLength) {
				widest = max(widest, utf8.RuneCountInString(line))
			}
			width += widest + stepWidth
		}
	}
	if width <= maxWidth {
		return leftRight
	}
	return topDown
}

func (d *drawing) node(id string, n view.Node) node {
	if n.End != view.NoEnd {
		return d.end(id, n)
	}
	g := d.graph.Node(id)
	of := classes{"state"}
	of.add(n.Initial, "initial")
	of.add(n.Before, "before")
	of.add(n.Deadlock, "deadlock")
	of.add(n.OnRun, "on-run")
	of.add(n.Merged > 1, "merged")
	of.addInside(n)
	said := n.Says()
	if n.Turn != view.NoTurn {
		of = append(of, "decision", word(n.Turn.String()))
	} else if said != "" {
		of = append(of, "neighbourhood", word(n.Kind.String()))
	}
	g.Attrs("id", "state-"+n.Name, "class", of.String())
	if n.Before {
		g.Label("").Attrs("shape", "point", "width", "0.08", "height", "0.08", "tooltip", beforeRuns)
		return node{g, n.Name, beforeRuns}
	}
	lines, words, tooltip := []string{n.Name}, []string(nil), "state "+n.Name
	g.Attrs("shape", "circle", "fontname", font, "fontsize", d.sizes.state, "margin", "0.03", "width", "0.35", "height", "0.35", "penwidth", thin)
	if n.Initial || n.OnRun {
		g.Attr("penwidth", bold)
	}
	if n.Merged > 1 {
		g.Attr("shape", "ellipse")
		tooltip += fmt.Sprintf(" and %d more", n.Merged-1)
	}
	if n.Initial {
		tooltip += ", initial"
	}
	for _, told := range n.Text {
		tooltip += ", " + printable.Text(told)
	}
	if n.Deadlock {
		g.Attr("shape", "doubleoctagon")
		if n.Merged < 2 {
			lines = append(lines, "deadlock")
			tooltip += ", deadlock"
		} else {
			tooltip += ", " + n.Size()
		}
	}
	if said != "" {
		// Decisions of the run are hexagons; neighbourhoods off the run are smaller ellipses.
		g.Attrs("style", "filled", "fillcolor", fillOf(n))
		if words = folded(said, maxDecisionLine); n.Turn != view.NoTurn {
			g.Attr("shape", "hexagon")
			said = "decision: " + said
		} else {
			g.Attrs("shape", "ellipse", "margin", "0.01", "width", "0.2", "height", "0.2")
			if !n.OnRun {
				g.Attr("fontsize", d.sizes.legend)
			}
		}
		tooltip += ", " + said
	}
	if n.OnRun {
		tooltip += ", on " + d.picture.Caption.Run()
	}
	g.Attr("tooltip", plainText([]string{tooltip}))
	for _, told := range []string{n.Size(), n.InsideSteps()} {
		if told != "" {
			lines = append(lines, told)
		}
	}
	if len(n.Text) > 0 && words == nil && !n.Deadlock {
		margin := "0.1,0.05"
		if n.OnRun { // its border is bold
			margin = "0.15,0.06"
		}
		g.Attrs("shape", "box", "style", "rounded", "margin", margin)
	}
	for _, text := range n.Text {
		lines = append(lines, folded(printable.Text(text), maxTextLine)...)
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
	return node{g, n.Name, n.Name}
}

// beforeRuns is the name, in tooltips, of the state before several initial states.
const beforeRuns = "where runs begin"

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
	from, to := d.nodes[a.From], d.nodes[a.To]
	e := d.graph.Edge(from.Node, to.Node)
	e.Attrs("color", style.colour, "fontcolor", style.colour, "style", style.line, "arrowhead", style.arrowhead)
	e.Attrs("fontname", font, "fontsize", d.sizes.label, "arrowsize", 0.8, "penwidth", style.width)
	text, class, transitions := from.inWords+" to "+to.inWords, "unclassified", a.More
	if d.picture.Classified {
		class = a.Class.String()
		text += ", " + class
	}
	var texts []string
	for _, l := range a.Labels {
		texts = append(texts, printable.Cut(l.Text, maxTooltipText))
		transitions += l.Times
	}
	if a.More > 0 {
		texts = append(texts, fmt.Sprintf("… %d more", a.More))
	}
	if a.Folded > 0 {
		texts = append(texts, fmt.Sprintf("%d of them in a row", a.Folded))
	}
	of := classes{"transition", class, "from-" + from.name, "to-" + to.name}
	of.add(transitions > 1 || a.Folded > 0, "bundle")
	of.add(a.OnRun, "on-run")
	of.add(a.Loop, "loop")
	of.add(a.NoReturn, "no-return")
	of.add(a.Better, "better")
	of.add(a.Never != "", "never")
	of.add(a.Branch, "correct-run")
	of.addSteps(a.Steps)
	e.Attrs("tooltip", plainText([]string{text + ": " + strings.Join(texts, "; ")}), "id", fmt.Sprintf("transition-%d", number), "class", of.String())
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

// classes are the words of the attribute class.
type classes []string

func (c *classes) add(is bool, word string) {
	if is {
		*c = append(*c, word)
	}
}

func (c *classes) addSteps(numbers []int) {
	if n := len(numbers); n > maxStepClasses {
		*c = append(*c, "gap", fmt.Sprintf("first-%d", numbers[0]), fmt.Sprintf("last-%d", numbers[n-1]))
		return
	}
	for _, step := range numbers {
		*c = append(*c, fmt.Sprintf("step-%d", step))
	}
}

// addInside adds the numbers of the first and the last step of each part of the run that stays in a node.
func (c *classes) addInside(n view.Node) {
	if n.Members == nil || len(n.Inside) == 0 {
		return
	}
	*c = append(*c, "inside")
	for _, r := range n.Inside[:min(len(n.Inside), maxStepClasses)] {
		*c = append(*c, fmt.Sprintf("first-%d", r[0]), fmt.Sprintf("last-%d", r[1]))
	}
}

func (c classes) String() string { return strings.Join(c, " ") }

// word replaces blanks, so that a name is one class.
func word(name string) string { return strings.ReplaceAll(name, " ", "-") }

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
	if lines := legend(p, size); withLegend && len(lines) > 0 {
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

// caption returns lines: why the property fails, what the picture shows, the name of the model,
// the verdict and what more there is to it, and how states are named.
func caption(c view.Caption, more ...string) []string {
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
	lines = append(lines, more...)
	if c.Unfolded {
		lines = append(lines, "unfolded: states are state·"+c.History)
	}
	return lines
}

// counted counts states and transitions.
func counted(s view.Size) string {
	return printable.Quantity(s.States, "state") + ", " + printable.Quantity(s.Transitions, "transition")
}

func captionLines(p *view.Graph) []string {
	var more []string
	if p.Union != nil && p.OnUnion < p.Union.Transitions {
		more = append(more, fmt.Sprintf("%d of %s on them shown", p.OnUnion, printable.Quantity(p.Union.Transitions, "transition")))
	}
	lines := caption(p.Caption, more...)
	switch {
	case p.QuotientOf.States == 0:
	case p.QuotientOf == p.Reachable:
		lines = append(lines, "no two states mean the same for the property, so none are merged")
	default:
		lines = append(lines, "quotient of "+counted(p.QuotientOf)+": those that mean the same for the property are one")
	}
	all := counted(p.Reachable)
	switch {
	case p.OfNeighbourhoods && p.Neighbourhoods == 0:
		return append(lines, "no neighbourhood in "+all)
	case p.OfNeighbourhoods:
		shown := printable.Quantity(p.Neighbourhoods, "neighbourhood")
		if p.Shown.States < p.Neighbourhoods {
			shown = fmt.Sprintf("%d of %s", p.Shown.States, shown)
		}
		return append(lines, shown+" in "+all)
	case p.Reachable == (view.Size{}):
		return lines // the legend of a whole model ends here
	case !p.Whole:
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

var classMeaning = map[neighbourhood.Class]string{
	neighbourhood.Correct:   "every run through it satisfies the property",
	neighbourhood.Incorrect: "no run through it satisfies the property",
	neighbourhood.Neutral:   "some runs through it satisfy the property, others do not",
	neighbourhood.Excluded:  "no run through it counts under the assumption",
}

// legend returns rows of a table: a cell drawn like an element of the picture, and its explanation. It
// explains the elements that need it, and no others.
func legend(p *view.Graph, size sizes) []string {
	var lines []string
	add := func(is bool, sample, meaning string) {
		if is {
			lines = append(lines, fmt.Sprintf(`<TR>%s<TD ALIGN="LEFT"><FONT POINT-SIZE="%v">%s</FONT></TD></TR>`+"\n", sample, size.legend, htmlText(meaning)))
		}
	}
	has := func(is func(view.Arrow) bool) bool { return slices.ContainsFunc(p.Arrows, is) }
	shows := func(is func(view.Node) bool) bool { return slices.ContainsFunc(p.Nodes, is) }
	for _, class := range []neighbourhood.Class{neighbourhood.Correct, neighbourhood.Incorrect, neighbourhood.Neutral, neighbourhood.Excluded} {
		add(p.Classified && has(func(a view.Arrow) bool { return a.Class == class }),
			lineSample(styleOf(p, class), p.Sign(class)), class.String()+": "+classMeaning[class])
	}
	if len(lines) == 1 {
		lines = nil // there is nothing to distinguish
	}
	name := p.Caption.Run()
	run, loop, hidden, better, correct := name+", its steps numbered", "a step of its loop", name, "a better choice than that of the counterexample", "the nearest correct run"
	if p.Union != nil {
		run, loop, hidden = "all shortest counterexamples at once", "on the loop of one of them", "one of them"
	}
	if p.Caption.Slowest {
		better = "would have been faster"
	}
	if p.Caption.Near {
		correct = "a near correct run" // the search was stopped
	}
	add(p.Steps() > 0, lineSample(lineStyle{colour: black, line: "solid", width: thick}, ""), run)
	last := lineStyle{colour: vermillion, line: "solid", width: thick, head: "►"}
	side := `<TD SIDES="B" BORDER="%.0f" COLOR="%s" WIDTH="36" HEIGHT="%d"></TD>`
	double := sample(fmt.Sprintf(side, last.width, last.colour, 5), fmt.Sprintf(side, last.width, last.colour, 6), last, view.LostSign)
	add(has(func(a view.Arrow) bool { return a.NoReturn }), double, "point of no return: after it, this run can no longer satisfy the property")
	add(has(func(a view.Arrow) bool { return a.Better }), `<TD CELLPADDING="2"><FONT POINT-SIZE="8"><B>bold</B></FONT></TD>`, better)
	add(has(func(a view.Arrow) bool { return a.Never != "" }), textSample("never", grey), "crossed out: not to be taken, so that the property holds")
	add(has(func(a view.Arrow) bool { return a.Branch }), textSample("+", grey), correct+", where it is another one")
	add(has(func(a view.Arrow) bool {
		return p.Classified && a.Class == neighbourhood.Neutral && a.Meaning != a.Class
	}),
		textSample(view.CertainSign+" "+view.LostSign, grey), "on a neutral arrow: the property is then certain, lost, for this run")
	add(has(func(a view.Arrow) bool { return a.Loop }), textSample(view.LoopSign, grey), loop+", gone round for ever")
	add(len(p.Gaps) > 0, lineSample(lineStyle{colour: black, line: "dotted", width: thick}, ""), "steps of "+hidden+" that are not shown")
	add(shows(func(n view.Node) bool { return n.Turn != view.NoTurn }),
		textSample("hexagon", grey), "a decision: another choice would have been better for this run")
	add(shows(func(n view.Node) bool { return n.Turn == view.NoTurn && n.Says() != "" }),
		textSample("filled oval", grey), "a neighbourhood: a choice there settles the property for all runs")
	for e := view.Satisfied; e <= view.Elsewhere; e++ {
		add(shows(func(n view.Node) bool { return n.End == e }), textSample(cmp.Or(endNodes[e].label, "… n more"), endNodes[e].line), endNodes[e].meaning)
	}
	return lines
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

func textSample(text, colour string) string {
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
func (d *drawing) end(id string, n view.Node) node {
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
	return node{g.Label(end.text(n.Hidden)), name, n.End.String()}
}
