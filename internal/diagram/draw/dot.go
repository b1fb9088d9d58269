package draw

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/emicklei/dot"

	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// drawing draws a graph as DOT.
type drawing struct {
	picture *view.Graph
	graph   *dot.Graph
	nodes   map[lts.State]node
	sizes   sizes
	ends    int // ends drawn so far
	// loops counts, for each state, the arrows from the state to itself that are drawn so far.
	loops     map[lts.State]int
	layerOf   map[lts.State]int // the distance of each state from the initial state
	layerSize map[int]int       // the number of nodes in each layer
	isTopDown bool
}

// node is a drawn node. Classes call it by its name, and tooltips by inWords.
type node struct {
	dot.Node
	name, inWords string
}

// draw returns the graph of a picture in DOT. The identifiers are serial
// numbers with leading zeros: the writer of dot sorts nodes, and edges by their
// source, by identifier, so that the order of the picture is kept. The entry comes first: Graphviz breaks
// cycles from the first node on, so that steps of a loop at the initial state lead away from it.
func draw(p *view.Graph, o Options) *dot.Graph {
	d := drawing{
		picture: p,
		graph:   dot.NewGraph(dot.Directed),
		nodes:   make(map[lts.State]node, len(p.Nodes)),
		sizes:   sizesOf(o),
		loops:   map[lts.State]int{},
	}
	d.setGraph(o)
	d.setLayers()
	isLayered := o.Layout == "" || o.Layout == "dot"
	d.isTopDown = isLayered && rankDir(p, o.RankDir) == topDown
	for i, n := range p.Nodes {
		d.nodes[n.State] = d.drawNode(fmt.Sprintf("state %010d", i), n)
	}
	d.drawEntry()
	for i, a := range p.Arrows {
		d.drawArrow(i+1, a)
	}
	for i, g := range p.Gaps {
		d.drawGap(i+1, g)
	}
	for i, s := range p.Stubs {
		d.drawStub(i+1, s)
	}
	for i, a := range p.Ahead {
		d.drawAhead(i+1, a)
	}
	return d.graph
}

// setGraph sets the attributes of the graph, with its caption.
func (d *drawing) setGraph(o Options) {
	d.graph.Attrs("rankdir", string(rankDir(d.picture, o.RankDir)), "nodesep", "0.3", "ranksep",
		"0.4", "fontname", font, "fontsize", d.sizes.caption)
	d.graph.Attrs("id", "diagram", "class", "diagram", "pad", pagePadding)
	if !o.NoCaption {
		d.graph.Attrs("label", dot.HTML(headLabel(d.picture, d.sizes, !o.NoLegend)), "labelloc", "t",
			"labeljust", "l")
	}
	if d.picture.Work() > view.MaxClearWork {
		// Without a limit, the network simplex algorithm of Graphviz may run very long.
		d.graph.Attrs("nslimit", "30", "nslimit1", "30")
	}
	if o.Layout != "" && o.Layout != "dot" {
		// Without "overlap", layouts by springs and circles put nodes on top of one another.
		d.graph.Attrs("layout", o.Layout, "overlap", "scale", "splines", "true")
	}
}

// pagePadding is the room around the picture, in inches: Graphviz' own, a third of this, leaves arrows at
// the edge of the page.
const pagePadding = "0.17"

// drawEntry draws the arrow into the initial state, which comes from an invisible node.
func (d *drawing) drawEntry() {
	from := d.graph.Node("entry").Label("")
	from.Attrs("shape", "point", "style", "invis", "width", "0.05", "height", "0.05")
	from.Attrs("tooltip", "initial state", "id", "start", "class", "start")
	e := d.graph.Edge(from, d.nodes[d.picture.Initial].Node)
	e.Attrs("penwidth", bold, "arrowhead", "normal", "arrowsize", 0.8, "weight", 10)
	e.Attrs("tooltip", "initial state", "id", "entry", "class", "entry")
}

// drawGap draws steps that are not shown as a dotted arrow.
func (d *drawing) drawGap(number int, g view.Gap) {
	from := d.nodes[g.From]
	to := d.nodes[g.To]
	e := d.graph.Edge(from.Node, to.Node).Label(dot.HTML(paddedHTML(gapLines(g, ""), false)))
	e.Attrs("style", "dotted", "penwidth", thick, "color", black, "weight", 10, "minlen", 2)
	e.Attrs("fontname", font, "fontsize", d.sizes.label, "arrowsize", 0.8)
	words := classes{
		"gap",
		"on-run",
		"from-" + from.name,
		"to-" + to.name,
		fmt.Sprintf("first-%d", g.First),
		fmt.Sprintf("last-%d", g.Last),
	}
	words.add(g.Loop, "loop")
	run := d.picture.Caption.Run()
	if d.picture.Union != nil {
		run = "one counterexample"
	}
	tooltip := fmt.Sprintf("steps %d to %d of %s are not shown", g.First, g.Last, run)
	e.Attrs("id", fmt.Sprintf("gap-%d", number), "class", words.String(), "tooltip", tooltip)
}

// drawStub draws transitions that are not shown as a small node.
func (d *drawing) drawStub(number int, s view.Stub) {
	verb := "leave"
	if s.Count == 1 {
		verb = "leaves"
	}
	from := d.nodes[s.State]
	tooltip := fmt.Sprintf("%s that %s state %s, not shown%s",
		printable.Quantity(s.Count, "transition"), verb, from.name, restOf(s))
	if from.inWords == beforeRuns {
		tooltip = fmt.Sprintf("%s %s, not shown%s", printable.Quantity(s.Count, "state"),
			beforeRuns, restOf(s))
	}
	n, e := d.drawAside(from, aside{
		id:      fmt.Sprintf("stub-%d", number),
		sortKey: fmt.Sprintf("stub %010d", number),
		arrowID: fmt.Sprintf("stub-arrow-%d", number),
		text:    stubText(s),
		tooltip: tooltip,
		class:   "stub out from-" + from.name,
	})
	n.Attrs("color", grey, "fontcolor", grey, "margin", "0.04")
	e.Attr("color", grey)
}

// drawAhead draws the path to the nearest transition that the run waits for, as one dotted arrow.
func (d *drawing) drawAhead(number int, a view.Ahead) {
	from := d.nodes[a.State]
	tooltip := fmt.Sprintf("what the run waits for can be had from state %s: %s", from.name,
		strings.TrimPrefix(aheadText(a, maxTooltipText), "… "))
	n, e := d.drawAside(from, aside{
		id:      fmt.Sprintf("ahead-%d", number),
		sortKey: fmt.Sprintf("way %010d", number),
		arrowID: fmt.Sprintf("ahead-arrow-%d", number),
		text:    plainText([]string{aheadText(a, view.LabelLength)}),
		tooltip: plainText([]string{tooltip}),
		class:   "ahead from-" + from.name,
	})
	n.Attr("margin", "0.05")
	e.Attr("penwidth", bold)
}

// aside is a small node with a text about a state.
type aside struct {
	id, arrowID          string
	sortKey              string // the name of the node in the graph, which is written in the order of names
	text, tooltip, class string
}

// drawAside draws a small node, and a dotted arrow to it from a state.
func (d *drawing) drawAside(from node, a aside) (dot.Node, dot.Edge) {
	n := d.graph.Node(a.sortKey).Label(a.text)
	n.Attrs("shape", "box", "style", "dotted", "fontname", font, "fontsize", d.sizes.stub,
		"width", "0.1", "height", "0.1")
	n.Attrs("tooltip", a.tooltip, "id", a.id, "class", a.class)
	e := d.graph.Edge(from.Node, n)
	e.Attrs("style", "dotted", "arrowhead", "vee", "arrowsize", 0.6)
	e.Attrs("tooltip", a.tooltip, "id", a.arrowID, "class", a.class)
	return n, e
}

// Widths, in characters of a label: of a screen, and of a step without its label.
const (
	maxWidth  = 220
	stepWidth = 13 // room that a step needs besides its label: a state, and a visible arrow
)

// rankDir returns the direction in Graphviz' notation. An excerpt goes from left to right if its
// counterexample and correct run then fit on a screen, because such an excerpt is a line of states
// with few others. All other pictures go down, where there is more room.
func rankDir(p *view.Graph, direction RankDir) RankDir {
	switch {
	case direction == leftRight:
		return leftRight
	case direction != autoDirection || p.Whole:
		return topDown
	}
	width := 0 // of the runs in one line
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

// drawNode draws a state, or an end.
func (d *drawing) drawNode(id string, n view.Node) node {
	if n.End != view.NoEnd {
		return d.drawEnd(id, n)
	}
	g := d.graph.Node(id)
	g.Attrs("id", "state-"+n.Name, "class", classesOf(n).String())
	if n.Before {
		g.Label("").Attrs("shape", "point", "width", "0.08", "height", "0.08", "tooltip",
			beforeRuns)
		return node{g, n.Name, beforeRuns}
	}
	d.setShape(g, n)
	g.Attr("tooltip", plainText([]string{d.tooltip(n)}))
	d.setLabel(g, n)
	return node{g, n.Name, n.Name}
}

// classesOf returns the classes of a state.
func classesOf(n view.Node) classes {
	words := classes{"state"}
	words.add(n.Initial, "initial")
	words.add(n.Before, "before")
	words.add(n.Deadlock, "deadlock")
	words.add(n.OnRun, "on-run")
	words.add(n.Merged > 1, "merged")
	words.addInside(n)
	if n.Turn != view.NoTurn {
		return append(words, "decision", word(n.Turn.String()))
	}
	if n.DecisionText() != "" {
		return append(words, "neighbourhood", word(n.Kind.String()))
	}
	return words
}

// setShape sets the outline of a state: decisions of the run are hexagons, neighbourhoods off the run
// are smaller ellipses, and states with texts are boxes.
func (d *drawing) setShape(g dot.Node, n view.Node) {
	g.Attrs("shape", "circle", "fontname", font, "fontsize", d.sizes.state, "margin", "0.03",
		"width", "0.35", "height", "0.35", "penwidth", thin)
	if n.Initial || n.OnRun {
		g.Attr("penwidth", bold)
	}
	if n.Merged > 1 {
		g.Attr("shape", "ellipse")
	}
	if n.Deadlock {
		g.Attr("shape", "doubleoctagon")
	}
	switch {
	case n.DecisionText() == "":
		if len(n.Text) > 0 && !n.Deadlock {
			g.Attrs("shape", "box", "style", "rounded", "margin", boxMargin(n))
		}
		return
	case n.Turn != view.NoTurn:
		g.Attr("shape", "hexagon")
	default:
		g.Attrs("shape", "ellipse", "margin", "0.01", "width", "0.2", "height", "0.2")
		if !n.OnRun {
			g.Attr("fontsize", d.sizes.legend)
		}
	}
	g.Attrs("style", "filled", "fillcolor", fillOf(n))
}

// boxMargin returns the room around the texts of a state.
func boxMargin(n view.Node) string {
	if n.OnRun { // its border is bold
		return "0.15,0.06"
	}
	return "0.1,0.05"
}

// tooltip returns the text about a state that is shown when the mouse points at it.
func (d *drawing) tooltip(n view.Node) string {
	name := "state " + n.Name
	if n.Merged > 1 {
		name += fmt.Sprintf(" and %d more", n.Merged-1)
	}
	parts := []string{name}
	if n.Initial {
		parts = append(parts, "initial")
	}
	for _, text := range n.Text {
		parts = append(parts, printable.Text(text))
	}
	switch {
	case n.Deadlock && n.Merged > 1:
		parts = append(parts, n.Size())
	case n.Deadlock:
		parts = append(parts, "deadlock")
	}
	about := n.DecisionText()
	if about != "" {
		if n.Turn != view.NoTurn {
			about = "decision: " + about
		}
		parts = append(parts, about)
	}
	if n.OnRun {
		parts = append(parts, "on "+d.picture.Caption.Run())
	}
	return strings.Join(parts, ", ")
}

// setLabel sets the text inside a state.
func (d *drawing) setLabel(g dot.Node, n view.Node) {
	var lines []string
	if n.Deadlock && n.Merged < 2 {
		lines = append(lines, "deadlock")
	}
	for _, text := range []string{n.Size(), n.InsideSteps()} {
		if text != "" {
			lines = append(lines, text)
		}
	}
	for _, text := range n.Text {
		lines = append(lines, folded(printable.Text(text), maxTextLine)...)
	}
	about := n.DecisionText()
	if about == "" {
		g.Label(plainText(append([]string{n.Name}, lines...)))
		return
	}
	// All words except the name of the state are smaller, so that the hexagon stays small.
	escaped := []string{htmlText(n.Name)}
	for _, line := range append(folded(about, maxDecisionLine), lines...) {
		escaped = append(escaped,
			fmt.Sprintf(`<FONT POINT-SIZE="%v">%s</FONT>`, d.sizes.legend, htmlText(line)))
	}
	g.Attr("label", dot.HTML(strings.Join(escaped, "<BR/>")))
}

// beforeRuns is the name, in tooltips, of the state before several initial states.
const beforeRuns = "where runs begin"

// maxDecisionLine bounds the characters in a line about a decision.
const maxDecisionLine = 10

// maxTextLine bounds the characters in a line about a state.
const maxTextLine = 28

// folded breaks a text into lines of at most the given number of characters, but does not break words.
func folded(text string, most int) []string {
	var lines []string
	for i, word := range strings.Fields(text) {
		last := len(lines) - 1
		if i > 0 {
			joined := lines[last] + " " + word
			if utf8.RuneCountInString(joined) <= most {
				lines[last] = joined
				continue
			}
		}
		lines = append(lines, word)
	}
	return lines
}

// drawArrow draws an arrow. Its colour, line and head show its class, and its width whether the run takes it.
func (d *drawing) drawArrow(number int, a view.Arrow) {
	style := styleOfArrow(d.picture, a)
	if a.NoReturn {
		style.colour = vermillion
	}
	e := d.graph.Edge(d.nodes[a.From].Node, d.nodes[a.To].Node)
	e.Attrs("color", style.colour, "fontcolor", style.colour, "style", style.line, "arrowhead",
		style.arrowhead)
	e.Attrs("fontname", font, "fontsize", d.sizes.label, "arrowsize", 0.8, "penwidth",
		style.width)
	e.Attrs("id", fmt.Sprintf("transition-%d", number), "class", d.classesOfArrow(a).String())
	e.Attr("tooltip", plainText([]string{d.arrowTooltip(a)}))
	d.setArrowLabel(e, a)
	if a.From == a.To {
		d.placeLoop(e, a.From)
	}
	if a.OnRun {
		// Graphviz draws an edge of large weight short and straight, so that the counterexample is
		// the spine of the picture.
		e.Attrs("penwidth", thick, "weight", 10)
		if style.arrowhead == openHead {
			e.Attr("arrowsize", 1.2) // a larger head would cover a thick line
		}
	}
	if a.NoReturn {
		// Two parallel lines, with a gap as wide as each.
		e.Attr("color", style.colour+":invis:"+style.colour)
	}
	if a.Branch {
		e.Attrs("penwidth", thick, "weight", 8)
	}
	if a.Never != "" {
		// A forbidden transition has a bar at its tail; SVG and PNG also cross it out.
		e.Attrs("dir", "both", "arrowtail", "tee")
	}
	if a.Closing {
		// The ranks follow the run, but this edge leads back.
		e.Attr("weight", 1)
		if !reversesClosing(d.picture, a) {
			e.Attr("constraint", false)
		}
	}
}

// placeLoop puts the second of several loops at a state on the left of the state, if no other state is
// likely to be there: Graphviz draws one loop around the other, over its label, and keeps no room free
// on the left.
func (d *drawing) placeLoop(e dot.Edge, state lts.State) {
	d.loops[state]++
	isAloneInRow := d.isTopDown && d.layerSize[d.layerOf[state]] == 1
	if d.loops[state] == 2 && isAloneInRow {
		e.Attrs("headport", "w", "tailport", "w")
	}
}

// setLayers finds the layer of each state, which is its distance from the initial state, and the number of
// nodes in each layer.
func (d *drawing) setLayers() {
	next := map[lts.State][]lts.State{}
	for _, a := range d.picture.Arrows {
		next[a.From] = append(next[a.From], a.To)
	}
	for _, gap := range d.picture.Gaps {
		next[gap.From] = append(next[gap.From], gap.To)
	}
	d.layerOf = map[lts.State]int{d.picture.Initial: 0}
	d.layerSize = map[int]int{}
	open := []lts.State{d.picture.Initial}
	for i := 0; i < len(open); i++ {
		layer := d.layerOf[open[i]]
		d.layerSize[layer]++
		for _, to := range next[open[i]] {
			if _, known := d.layerOf[to]; !known {
				d.layerOf[to] = layer + 1
				open = append(open, to)
			}
		}
	}
	for _, s := range d.picture.Stubs {
		d.layerSize[d.layerOf[s.State]+1]++
	}
	for _, a := range d.picture.Ahead {
		d.layerSize[d.layerOf[a.State]+1]++
	}
}

// classesOfArrow returns the classes of an arrow.
func (d *drawing) classesOfArrow(a view.Arrow) classes {
	class := "unclassified"
	if d.picture.Classified {
		class = a.Class.String()
	}
	transitions := a.More
	for _, l := range a.Labels {
		transitions += l.Times
	}
	words := classes{
		"transition",
		class,
		"from-" + d.nodes[a.From].name,
		"to-" + d.nodes[a.To].name,
	}
	words.add(transitions > 1 || a.Folded > 0, "bundle")
	words.add(a.OnRun, "on-run")
	words.add(a.Loop, "loop")
	words.add(a.NoReturn, "no-return")
	words.add(a.Better, "better")
	words.add(a.Never != "", "never")
	words.add(a.Branch, "correct-run")
	words.add(a.Side == view.NewVersion, "of-new")
	words.add(a.Side == view.OldVersion, "of-old")
	words.addSteps(a.Steps)
	return words
}

// arrowTooltip returns the text about an arrow that is shown when the mouse points at it.
func (d *drawing) arrowTooltip(a view.Arrow) string {
	ends := d.nodes[a.From].inWords + " to " + d.nodes[a.To].inWords
	if d.picture.Classified {
		ends += ", " + a.Class.String()
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
	return ends + ": " + strings.Join(texts, "; ")
}

// setArrowLabel sets the text at an arrow.
func (d *drawing) setArrowLabel(e dot.Edge, a view.Arrow) {
	lines := d.picture.Lines(a, view.LabelLength)
	switch {
	case a.OnRun:
		e.Label(dot.HTML(paddedHTML(lines, a.NoReturn || a.Branch)))
	case a.Better:
		e.Label(dot.HTML(paddedHTML(lines, true)))
	case a.Branch:
		e.Label(dot.HTML(paddedHTML(padded(lines), true)))
	default:
		e.Label(plainText(padded(lines)))
	}
}

// padded adds a blank to both ends of lines, in place. Without it, Graphviz puts labels so close to
// their edges that an edge touches the first letter.
func padded(lines []string) []string {
	for i, line := range lines {
		lines[i] = " " + line + " "
	}
	return lines
}

// paddedHTML returns lines as an HTML-like label: only such a label can keep a distance from a
// thick edge on all sides. Otherwise the edge would cover descenders and underscores, so that
// PROVT_REC would read PROVT REC.
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

// aheadText returns the length of the path to the nearest transition that the run waits for, and the
// label of this transition.
func aheadText(a view.Ahead, length int) string {
	return fmt.Sprintf("… %s to %s", printable.Quantity(a.Steps, "step"),
		printable.Label(a.Label, length))
}

func stubText(s view.Stub) string {
	return fmt.Sprintf("… %d more%s", s.Count, restOf(s))
}

// restOf returns the text of a stub after the number of its transitions.
func restOf(stub view.Stub) string {
	ending := "" // of the verb
	if stub.Count == 1 {
		ending = "s"
	}
	switch stub.What {
	case view.NoBetter:
		return ", none better"
	case view.Certain:
		return " that make" + ending + " it certain"
	case view.Possible:
		return " that keep" + ending + " it possible"
	}
	return ""
}

// gapLines returns the lines at a gap: the numbers of its steps, and how many of them had better
// choices.
func gapLines(g view.Gap, noun string) []string {
	lines := []string{fmt.Sprintf("%s%d to %d", noun, g.First, g.Last)}
	if g.First == g.Last {
		lines[0] = fmt.Sprintf("%s%d", noun, g.First)
	}
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

// add adds a word if a condition is true.
func (c *classes) add(isTrue bool, word string) {
	if isTrue {
		*c = append(*c, word)
	}
}

func (c *classes) addSteps(numbers []int) {
	n := len(numbers)
	if n > maxStepClasses {
		*c = append(*c, "gap", fmt.Sprintf("first-%d", numbers[0]),
			fmt.Sprintf("last-%d", numbers[n-1]))
		return
	}
	for _, step := range numbers {
		*c = append(*c, fmt.Sprintf("step-%d", step))
	}
}

// addInside adds, for each part of the run that stays in a node, the numbers of its first and last
// steps.
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

// maxStepClasses is the largest number of steps for which an arrow has a class for each step. With more
// steps, it has only the classes of the first and the last step.
const maxStepClasses = 200
