package diagram

import (
	"fmt"
	"slices"
)

// endNode is a node of a picture of the decisions that is no state.
type endNode struct {
	name, sign, text, meaning string
	hidden                    int // neighbourhoods that it stands for
}

// endNodes are the ends that are no neighbourhoods.
var endNodes = map[end]endNode{
	satisfied: {name: "satisfied", sign: "✓", meaning: "the property is satisfied whatever happens"},
	violated:  {name: "violated", sign: "✗", meaning: "the property is violated whatever happens"},
	stuck:     {name: "deadlock", text: "deadlock", meaning: "nothing happens any more"},
	endless:   {name: "endless", sign: loopSign, meaning: "on for ever without another decision"},
	elsewhere: {name: "elsewhere", meaning: "on to decisions that are not shown"},
}

// colours returns those of the line and of the inside.
func (e endNode) colours() (line, inside string) {
	switch e.name {
	case "satisfied":
		return blue, paleBlue
	case "violated":
		return vermillion, paleRed
	}
	return grey, "#FFFFFF"
}

func (e endNode) label() string {
	switch {
	case e.sign != "":
		return e.sign
	case e.text != "":
		return e.text
	}
	return fmt.Sprintf("… %d more", e.hidden)
}

// end draws an end.
func (d *drawing) end(id string, n node) {
	g := d.graph.Node(id)
	line, inside := n.end.colours()
	g.Attrs("shape", "circle", "fontname", font, "fontsize", d.sizes.state, "margin", "0.01", "width", "0.25", "height", "0.25")
	g.Attrs("tooltip", n.end.meaning, "color", line, "fontcolor", line, "style", "filled", "fillcolor", inside, "penwidth", thin)
	switch n.end.name {
	case "deadlock":
		g.Attrs("shape", "doubleoctagon", "margin", "0.03")
	case "elsewhere":
		g.Attrs("shape", "box", "style", "dotted", "fontsize", d.sizes.stub, "margin", "0.04", "width", "0.1", "height", "0.1")
	}
	d.ends++
	name := fmt.Sprintf("end-%d", d.ends)
	g.Attrs("id", name, "class", "end "+n.end.name)
	d.nodes[n.state], d.names[n.state], d.ways[n.state] = g.Label(n.end.label()), name, n.end.name
}

// decisionsLine says how much of the decisions is shown.
func decisionsLine(p *picture) string {
	of := fmt.Sprintf("%s, %s", quantity(p.reachable.states, "state"), quantity(p.reachable.transitions, "transition"))
	switch {
	case p.neighbourhoods == 0:
		return "no decision in " + of
	case p.shown.states < p.neighbourhoods:
		return fmt.Sprintf("%d of %s in %s", p.shown.states, quantity(p.neighbourhoods, "decision"), of)
	}
	return fmt.Sprintf("%s in %s", quantity(p.neighbourhoods, "decision"), of)
}

func endLegend(p *picture) []legendLine {
	var lines []legendLine
	for e := satisfied; e < firstShown; e++ {
		n := endNodes[e]
		if slices.ContainsFunc(p.nodes, func(shown node) bool { return shown.end.name == n.name }) {
			line, _ := n.colours()
			sample := n.label()
			if e == elsewhere {
				sample = "… n more"
			}
			lines = append(lines, legendLine{colouredSample(sample, line), n.meaning})
		}
	}
	return lines
}
