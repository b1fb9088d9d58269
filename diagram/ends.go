package diagram

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
)

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
