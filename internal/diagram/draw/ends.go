package draw

import (
	"fmt"

	"github.com/inev-lts/inev/internal/diagram/view"
)

// endNode is the node for an end of the view of neighbourhoods. Its label is "" for the end whose text
// counts the neighbourhoods that are not shown. It also has the colours of its outline and its inside,
// and its class in Mermaid.
type endNode struct {
	label, meaning string
	line, inside   string
	class          string
}

// endNodes has a node for each kind of end except NoEnd, the kind of ordinary states.
var endNodes = map[view.End]endNode{
	view.Satisfied: {
		label:   "✓",
		meaning: "the property is satisfied whatever happens",
		line:    blue,
		inside:  paleBlue,
		class:   "correct",
	},
	view.Violated: {
		label:   "✗",
		meaning: "the property is violated whatever happens",
		line:    vermillion,
		inside:  paleRed,
		class:   "incorrect",
	},
	view.Stuck: {
		label:   "deadlock",
		meaning: "nothing happens any more",
		line:    grey,
		inside:  white,
		class:   "hidden",
	},
	view.Endless: {
		label:   view.LoopSign,
		meaning: "on forever without another neighbourhood",
		line:    grey,
		inside:  white,
		class:   "hidden",
	},
	view.Elsewhere: {
		label:   "",
		meaning: "on to neighbourhoods that are not shown",
		line:    grey,
		inside:  white,
		class:   "hidden",
	},
}

// text returns the text of an end; hidden is the number of neighbourhoods that are not shown.
func (e endNode) text(hidden int) string {
	if e.label == "" {
		return fmt.Sprintf("… %d more", hidden)
	}
	return e.label
}

// drawEnd draws an end.
func (d *drawing) drawEnd(id string, n view.Node) node {
	g := d.graph.Node(id)
	end := endNodes[n.End]
	g.Attrs("shape", "circle", "fontname", font, "fontsize", d.sizes.state, "margin", "0.01",
		"width", "0.25", "height", "0.25")
	g.Attrs("tooltip", end.meaning, "color", end.line, "fontcolor", end.line, "style", "filled",
		"fillcolor", end.inside, "penwidth", thin)
	switch n.End {
	case view.Stuck:
		g.Attrs("shape", "doubleoctagon", "margin", "0.03")
	case view.Elsewhere:
		g.Attrs("shape", "box", "style", "dotted", "fontsize", d.sizes.stub, "margin", "0.04",
			"width", "0.1", "height", "0.1")
	}
	d.ends++
	name := fmt.Sprintf("end-%d", d.ends)
	g.Attrs("id", name, "class", "end "+n.End.String())
	return node{g.Label(end.text(n.Hidden)), name, n.End.String()}
}
