package diagram

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/emicklei/dot"

	"github.com/inev-lts/inev/lts"
)

// drawing is a picture on its way to DOT.
type drawing struct {
	picture *picture
	graph   *dot.Graph
	nodes   map[lts.State]dot.Node
	names   map[lts.State]string // in classes; those of states are shown, too
	ways    map[lts.State]string // what an end is called in words
	sizes   sizes
	ends    int // ends drawn so far
}

// draw returns the graph of a picture. The writer of dot sorts nodes, and edges
// by their source, by the identifiers given here: these are serial numbers with
// leading zeros, so that it keeps the order of the picture.
func draw(p *picture, o Options) *dot.Graph {
	d := drawing{p, dot.NewGraph(dot.Directed), make(map[lts.State]dot.Node, len(p.nodes)), make(map[lts.State]string, len(p.nodes)), map[lts.State]string{}, sizesOf(o), 0}
	d.graph.Attrs("rankdir", rankDir(p, o.RankDir), "nodesep", "0.3", "ranksep", "0.4", "fontname", font, "fontsize", d.sizes.caption)
	d.graph.Attrs("label", dot.HTML(head(p, d.sizes, !o.NoLegend)), "labelloc", "t", "labeljust", "l", "id", "diagram", "class", "diagram")
	if p.work() > maxClearWork {
		// Without it, the search for the shortest arrows may go on for ever.
		d.graph.Attrs("nslimit", "30", "nslimit1", "30")
	}
	if o.Layout != "" && o.Layout != "dot" {
		// Springs and circles put nodes on top of one another unless told not to.
		d.graph.Attrs("layout", o.Layout, "overlap", "scale", "splines", "true")
	}
	for i, n := range p.nodes {
		d.node(fmt.Sprintf("state %010d", i), n)
	}
	d.entry(p.initial)
	for i, a := range p.arrows {
		d.arrow(i+1, a)
	}
	for i, g := range p.gaps {
		d.gap(i+1, g)
	}
	for i, s := range p.stubs {
		d.stub(i+1, s)
	}
	return d.graph
}

// What fits the width of a screen side by side, in characters of labels.
const (
	maxWidth  = 220
	stepWidth = 13 // what a step needs beside its label: a state, and an arrow that is seen
)

// rankDir returns the direction by Graphviz' name for it. An excerpt is a line
// of states with little beside it, and reads from left to right while it fits
// the screen; for all else there is more room downwards.
func rankDir(p *picture, direction RankDir) string {
	if direction == LeftRight || direction == AutoDirection && !p.whole && p.width() <= maxWidth {
		return "LR"
	}
	return "TB"
}

// width returns the width of the counterexample written side by side.
func (p *picture) width() int {
	width := 0
	for _, a := range p.arrows {
		if !a.onRun {
			continue
		}
		widest := 0
		for _, line := range p.labelLines(a) {
			widest = max(widest, utf8.RuneCountInString(line))
		}
		width += widest + stepWidth
	}
	return width
}

func (d *drawing) node(id string, n node) {
	if n.end != (endNode{}) {
		d.end(id, n)
		return
	}
	lines, words := []string{n.name}, []string(nil)
	g := d.graph.Node(id)
	g.Attrs("shape", "circle", "fontname", font, "fontsize", d.sizes.state, "margin", "0.03", "width", "0.35", "height", "0.35")
	g.Attrs("tooltip", plainText([]string{nodeTooltip(n)}), "penwidth", thin, "id", "state-"+n.name, "class", nodeClasses(n))
	if n.initial || n.onRun {
		g.Attr("penwidth", bold)
	}
	if n.merged > 1 {
		g.Attr("shape", "ellipse")
	}
	if n.deadlock {
		g.Attr("shape", "doubleoctagon")
		lines = append(lines, "deadlock")
	}
	if n.kind != 0 {
		g.Attrs("shape", "hexagon", "style", "filled", "fillcolor", fillOf(n.kind))
		words = kindWords(n.kind)
	}
	if n.merged > 1 {
		lines = append(lines, quantity(n.merged, "state"))
	}
	if words == nil {
		g.Label(plainText(lines))
	} else {
		g.Attr("label", dot.HTML(d.decisionText(lines, words)))
	}
	d.nodes[n.state], d.names[n.state] = g, n.name
}

// decisionText returns the text of a hexagon, which is the smaller, the smaller the
// words are.
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

// entry draws the arrow that leads to the initial state from nowhere.
func (d *drawing) entry(initial lts.State) {
	from := d.graph.Node("entry").Label("")
	from.Attrs("shape", "point", "style", "invis", "width", "0.05", "height", "0.05", "tooltip", "initial state", "id", "start", "class", "start")
	e := d.graph.Edge(from, d.nodes[initial])
	e.Attrs("penwidth", bold, "arrowhead", "normal", "arrowsize", 0.8, "tooltip", "initial state", "weight", 10)
	e.Attrs("id", "entry", "class", "entry")
}

func (d *drawing) arrow(number int, a arrow) {
	style := d.picture.styleOf(a.class)
	if a.noReturn {
		style.colour = vermillion
	}
	e := d.graph.Edge(d.nodes[a.from], d.nodes[a.to])
	e.Attrs("color", style.colour, "fontcolor", style.colour, "style", style.line, "arrowhead", style.arrowhead)
	e.Attrs("fontname", font, "fontsize", d.sizes.label, "arrowsize", 0.8, "penwidth", style.width)
	e.Attrs("tooltip", plainText([]string{d.arrowTooltip(a)}), "id", fmt.Sprintf("transition-%d", number), "class", d.arrowClasses(a))
	lines := d.picture.labelLines(a)
	switch {
	case a.onRun:
		// A heavy edge is drawn short and straight: the counterexample is the spine.
		e.Attrs("penwidth", thick, "weight", 10)
		if style.arrowhead == openHead {
			e.Attr("arrowsize", 1.2) // a thick line would fill a smaller one
		}
		e.Label(dot.HTML(paddedHTML(lines, a.noReturn)))
	case a.better:
		e.Label(dot.HTML(paddedHTML(lines, true)))
	default:
		e.Label(plainText(padded(lines)))
	}
	if a.noReturn {
		e.Attr("color", doubled(style.colour))
	}
	if a.closing {
		// Ranks follow the run up to here; this edge leads back.
		e.Attr("weight", 1)
		if !d.picture.leadsBack(a) {
			e.Attr("constraint", false)
		}
	}
}

// loopSign marks the steps that are gone round for ever.
const loopSign = "↻"

// doubled returns the colour of two lines side by side, in the width of three.
func doubled(colour string) string { return colour + ":invis:" + colour }

// labelLines returns the lines beside an arrow.
func (p *picture) labelLines(a arrow) []string { return p.labelLinesUpTo(a, maxLabelText) }

// labelLinesUpTo is labelLines with labels cut to so many runes.
func (p *picture) labelLinesUpTo(a arrow, length int) []string {
	var lines []string
	for _, l := range a.labels {
		text := showable(l.text, length)
		if strings.TrimSpace(text) != text || text == "" {
			// Without quotes it would not be seen where the label begins and ends.
			text = `"` + text + `"`
		}
		if l.times > 1 {
			text += fmt.Sprintf(" (%d times)", l.times)
		}
		if a.folded > 0 {
			text += fmt.Sprintf(" ×%d", a.folded)
		}
		if a.loop && len(a.steps) == 0 {
			text = loopSign + " " + text
		}
		lines = append(lines, text)
	}
	lines = packed(lines)
	if a.more > 0 {
		lines = append(lines, fmt.Sprintf("… %d more", a.more))
	}
	if len(a.steps) > 0 {
		lines[0] = stepNumbers(a) + ": " + lines[0]
	}
	// What follows the point of no return is lost anyway.
	if sign := p.signOf(a.meaning); sign != "" && (!a.onRun || a.noReturn) {
		lines[0] = sign + " " + lines[0]
	}
	if a.noReturn {
		lines = append(lines, "point of no return")
	}
	return lines
}

// maxPacked is the number of characters up to which labels share a line.
const maxPacked = 60

// packed puts labels into fewer lines where there are more of them than an arrow has
// lines as a rule.
func packed(labels []string) []string {
	if len(labels) <= maxLabels {
		return labels
	}
	lines := labels[:1:1]
	for _, text := range labels[1:] {
		last := &lines[len(lines)-1]
		if joined := *last + "  ·  " + text; utf8.RuneCountInString(joined) <= maxPacked {
			*last = joined
		} else {
			lines = append(lines, text)
		}
	}
	return lines
}

// padded keeps lines off their edge, to which Graphviz moves them so close that
// the first letter touches it.
func padded(lines []string) []string {
	for i, line := range lines {
		lines[i] = " " + line + " "
	}
	return lines
}

// paddedHTML is for thick edges, which would also cover what goes below the line
// of writing: PROVT_REC would read PROVT REC. Only an HTML-like label can keep
// its distance on all sides.
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

// maxNumbers is the number of step numbers, or ranges of them, that one arrow shows.
const maxNumbers = 5

// stepNumbers tells which steps take an arrow: "2", "2, 5" or "1–6, 9".
func stepNumbers(a arrow) string {
	var b strings.Builder
	if a.loop {
		b.WriteString(loopSign + " ")
	}
	for i, shown := 0, 0; i < len(a.steps); shown++ {
		if shown > 0 {
			b.WriteString(", ")
		}
		if shown == maxNumbers {
			b.WriteString("…")
			break
		}
		last := i
		for last+1 < len(a.steps) && a.steps[last+1] == a.steps[last]+1 {
			last++
		}
		fmt.Fprint(&b, a.steps[i])
		if last > i+1 {
			fmt.Fprintf(&b, "–%d", a.steps[last])
			i = last + 1
		} else {
			i++
		}
	}
	return b.String()
}

func (d *drawing) gap(number int, g gap) {
	e := d.graph.Edge(d.nodes[g.from], d.nodes[g.to]).Label(dot.HTML(paddedHTML(gapLines(g, ""), false)))
	e.Attrs("style", "dotted", "penwidth", thick, "color", black, "weight", 10, "minlen", 2)
	e.Attrs("fontname", font, "fontsize", d.sizes.label, "arrowsize", 0.8)
	e.Attrs("id", fmt.Sprintf("gap-%d", number), "class", d.gapClasses(g))
	of := "the counterexample"
	if d.picture.union != nil {
		of = "one counterexample"
	}
	e.Attr("tooltip", fmt.Sprintf("steps %d to %d of %s are not shown", g.first, g.last, of))
}

func (d *drawing) stub(number int, s stub) {
	n := d.graph.Node(fmt.Sprintf("stub %010d", number)).Label(stubText(s))
	n.Attrs("shape", "box", "style", "dotted", "fontname", font, "fontsize", d.sizes.stub, "color", grey, "fontcolor", grey)
	n.Attrs("id", fmt.Sprintf("stub-%d", number), "class", d.stubClasses(s))
	n.Attrs("margin", "0.04", "width", "0.1", "height", "0.1")
	from, to := d.nodes[s.state], n
	if s.incoming {
		from, to = to, from
	}
	e := d.graph.Edge(from, to)
	e.Attrs("style", "dotted", "color", grey, "arrowhead", "vee", "arrowsize", 0.6)
	way := "leave"
	if s.incoming {
		way = "enter"
	}
	if s.count == 1 {
		way += "s"
	}
	text := fmt.Sprintf("%s that %s state %s, not shown%s", quantity(s.count, "transition"), way, d.names[s.state], s.what.of(s.count))
	n.Attr("tooltip", text)
	e.Attrs("tooltip", text, "id", fmt.Sprintf("stub-arrow-%d", number), "class", d.stubClasses(s))
}

func stubText(s stub) string {
	if s.incoming {
		return fmt.Sprintf("… %d more in", s.count)
	}
	return fmt.Sprintf("… %d more%s", s.count, s.what.of(s.count))
}

// gapLines say which steps a gap stands for, and that there were better choices.
func gapLines(g gap, noun string) []string {
	lines := []string{fmt.Sprintf("%s%d to %d", noun, g.first, g.last)}
	if g.loop {
		lines[0] = loopSign + " " + lines[0]
	}
	if g.better > 0 {
		lines = append(lines, fmt.Sprintf("better choices at %d of them", g.better))
	}
	return lines
}
