package diagram

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
)

// endNode is the node of an end in the view of neighbourhoods.
type endNode struct {
	sign, text, meaning string
}

// endNodes has a node for each end, and none for NoEnd, which all states have.
var endNodes = map[view.End]endNode{
	view.Satisfied: {sign: "✓", meaning: "the property is satisfied whatever happens"},
	view.Violated:  {sign: "✗", meaning: "the property is violated whatever happens"},
	view.Stuck:     {text: "deadlock", meaning: "nothing happens any more"},
	view.Endless:   {sign: view.LoopSign, meaning: "on for ever without another neighbourhood"},
	view.Elsewhere: {meaning: "on to neighbourhoods that are not shown"},
}

// coloursOf returns the colours of the outline and of the inside of an end.
func coloursOf(e view.End) (line, inside string) {
	switch e {
	case view.Satisfied:
		return blue, paleBlue
	case view.Violated:
		return vermillion, paleRed
	}
	return grey, "#FFFFFF"
}

// label returns the text of an end; hidden is the number of neighbourhoods that are not shown.
func (e endNode) label(hidden int) string {
	switch {
	case e.sign != "":
		return e.sign
	case e.text != "":
		return e.text
	}
	return fmt.Sprintf("… %d more", hidden)
}

// end draws an end.
func (d *drawing) end(id string, n view.Node) {
	g := d.graph.Node(id)
	end := endNodes[n.End]
	line, inside := coloursOf(n.End)
	g.Attrs("shape", "circle", "fontname", font, "fontsize", d.sizes.state, "margin", "0.01", "width", "0.25", "height", "0.25")
	g.Attrs("tooltip", end.meaning, "color", line, "fontcolor", line, "style", "filled", "fillcolor", inside, "penwidth", thin)
	switch n.End {
	case view.Stuck:
		g.Attrs("shape", "doubleoctagon", "margin", "0.03")
	case view.Elsewhere:
		g.Attrs("shape", "box", "style", "dotted", "fontsize", d.sizes.stub, "margin", "0.04", "width", "0.1", "height", "0.1")
	}
	d.ends++
	name := fmt.Sprintf("end-%d", d.ends)
	g.Attrs("id", name, "class", "end "+n.End.String())
	d.nodes[n.State], d.names[n.State], d.ways[n.State] = g.Label(end.label(n.Hidden)), name, n.End.String()
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
			line, _ := coloursOf(e)
			sample := n.label(0)
			if e == view.Elsewhere {
				sample = "… n more"
			}
			lines = append(lines, legendLine{colouredSample(sample, line), n.meaning})
		}
	}
	return lines
}
