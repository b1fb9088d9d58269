package diagram

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/emicklei/dot"

	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
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
	d.entry(p.Initial)
	for i, a := range p.Arrows {
		d.arrow(i+1, a)
	}
	for i, g := range p.Gaps {
		d.gap(i+1, g)
	}
	for i, s := range p.Stubs {
		d.stub(i+1, s)
	}
	for i, a := range p.Ahead {
		d.ahead(i+1, a)
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
		g.Attr("label", dot.HTML(d.decisionText(lines, words)))
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

// decisionText returns the text of a hexagon: the name of the state, and the other words in a
// smaller size, so that the hexagon stays small.
func (d *drawing) decisionText(lines, words []string) string {
	var escaped []string
	for _, line := range lines[:1] {
		escaped = append(escaped, htmlText(line))
	}
	for _, line := range slices.Concat(words, lines[1:]) {
		escaped = append(escaped, fmt.Sprintf(`<FONT POINT-SIZE="%v">%s</FONT>`, d.sizes.legend, htmlText(line)))
	}
	return strings.Join(escaped, "<BR/>")
}

// entry draws the arrow into the initial state, from an invisible node.
func (d *drawing) entry(initial lts.State) {
	from := d.graph.Node("entry").Label("")
	from.Attrs("shape", "point", "style", "invis", "width", "0.05", "height", "0.05", "tooltip", "initial state", "id", "start", "class", "start")
	e := d.graph.Edge(from, d.nodes[initial])
	e.Attrs("penwidth", bold, "arrowhead", "normal", "arrowsize", 0.8, "tooltip", "initial state", "weight", 10)
	e.Attrs("id", "entry", "class", "entry")
}

func (d *drawing) arrow(number int, a view.Arrow) {
	style := styleOf(d.picture, a.Class)
	if a.NoReturn {
		style.colour = vermillion
	}
	e := d.graph.Edge(d.nodes[a.From], d.nodes[a.To])
	e.Attrs("color", style.colour, "fontcolor", style.colour, "style", style.line, "arrowhead", style.arrowhead)
	e.Attrs("fontname", font, "fontsize", d.sizes.label, "arrowsize", 0.8, "penwidth", style.width)
	e.Attrs("tooltip", plainText([]string{d.arrowTooltip(a)}), "id", fmt.Sprintf("transition-%d", number), "class", d.arrowClasses(a))
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
		e.Attr("color", doubled(style.colour))
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

// doubled returns the colour attribute of two parallel lines with a gap as wide as each.
func doubled(colour string) string { return colour + ":invis:" + colour }

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

func (d *drawing) gap(number int, g view.Gap) {
	e := d.graph.Edge(d.nodes[g.From], d.nodes[g.To]).Label(dot.HTML(paddedHTML(gapLines(g, ""), false)))
	e.Attrs("style", "dotted", "penwidth", thick, "color", black, "weight", 10, "minlen", 2)
	e.Attrs("fontname", font, "fontsize", d.sizes.label, "arrowsize", 0.8)
	e.Attrs("id", fmt.Sprintf("gap-%d", number), "class", d.gapClasses(g))
	of := d.picture.Caption.Run()
	if d.picture.Union != nil {
		of = "one counterexample"
	}
	e.Attr("tooltip", fmt.Sprintf("steps %d to %d of %s are not shown", g.First, g.Last, of))
}

func (d *drawing) stub(number int, s view.Stub) {
	n := d.graph.Node(fmt.Sprintf("stub %010d", number)).Label(stubText(s))
	n.Attrs("shape", "box", "style", "dotted", "fontname", font, "fontsize", d.sizes.stub, "color", grey, "fontcolor", grey)
	n.Attrs("id", fmt.Sprintf("stub-%d", number), "class", d.stubClasses(s))
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
	n.Attr("tooltip", text)
	e.Attrs("tooltip", text, "id", fmt.Sprintf("stub-arrow-%d", number), "class", d.stubClasses(s))
}

// ahead draws the path to the nearest transition that the run waits for as one dotted arrow.
func (d *drawing) ahead(number int, a view.Ahead) {
	text := aheadText(a, view.LabelLength)
	n := d.graph.Node(fmt.Sprintf("ahead %010d", number)).Label(plainText([]string{text}))
	n.Attrs("shape", "box", "style", "dotted", "fontname", font, "fontsize", d.sizes.stub, "margin", "0.05", "width", "0.1", "height", "0.1")
	e := d.graph.Edge(d.nodes[a.State], n)
	e.Attrs("style", "dotted", "penwidth", bold, "arrowhead", "vee", "arrowsize", 0.6)
	about := fmt.Sprintf("what the run waits for can be had from state %s: %s", d.names[a.State], strings.TrimPrefix(aheadText(a, maxTooltipText), "… "))
	n.Attrs("tooltip", plainText([]string{about}), "id", fmt.Sprintf("ahead-%d", number), "class", "ahead from-"+d.names[a.State])
	e.Attrs("tooltip", plainText([]string{about}), "id", fmt.Sprintf("ahead-arrow-%d", number), "class", "ahead from-"+d.names[a.State])
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
