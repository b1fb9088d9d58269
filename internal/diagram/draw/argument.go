package draw

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emicklei/dot"

	"github.com/inev-lts/inev/internal/diagram/typeface"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
)

// argumentCaption returns the lines of the caption.
func argumentCaption(p *view.Argument) []string {
	var lines []string
	if p.Caption.Model != "" {
		lines = append(lines, filepath.Base(p.Caption.Model))
	}
	if p.Caption.Formula != "" {
		lines = append(lines, p.Caption.Formula+" "+p.Caption.Verdict)
	}
	return lines
}

// maxClaimLine is the largest number of characters in a line of a formula, unless a single word is
// longer. maxClaimLines is the largest number of lines.
const (
	maxClaimLine  = 34
	maxClaimLines = 6
)

// drawArgument draws claims in boxes. Below each claim are the runs and layers that prove it; dashed
// lines lead to the claims that imply it.
func drawArgument(p *view.Argument, o Options) *dot.Graph {
	graph := dot.NewGraph(dot.Directed)
	sizes := sizesOf(o)
	letters := typeface.Load()
	direction := topDown
	if o.RankDir == leftRight {
		direction = leftRight
	}
	graph.Attrs("rankdir", string(direction), "nodesep", "0.25", "ranksep", "0.35", "fontname",
		font, "fontsize", sizes.caption, "id", "diagram", "class", "diagram")
	if lines := argumentCaption(p); len(lines) > 0 {
		for i, line := range lines {
			lines[i] = strings.Join(folded(printable.Cut(line, maxCaptionText), 2*maxClaimLine),
				"\n")
		}
		graph.Attrs("label", plainText(lines), "labelloc", "t", "labeljust", "l")
	}
	nodes := make([]dot.Node, len(p.Nodes))
	for i, n := range p.Nodes {
		nodes[i] = graph.Node(fmt.Sprintf("node %010d", i+1))
		nodes[i].Attrs("fontname", font, "fontsize", sizes.state, "penwidth", thin)
		lines := drawClaim(nodes[i], i+1, n)
		if n.Kind != view.OnTheWay {
			nodes[i].Attr("width", boxWidth(lines, letters, sizes.state))
		}
		nodes[i].Label(plainText(lines))
	}
	for i, l := range p.Links {
		e := graph.Edge(nodes[l.From], nodes[l.To])
		e.Attrs("fontname", font, "fontsize", sizes.label, "arrowsize", 0.8, "id",
			fmt.Sprintf("link-%d", i+1))
		drawLink(e, l)
	}
	return graph
}

// boxWidth returns the width, in inches, of a box that can hold its text in any usual typeface.
func boxWidth(lines []string, letters *typeface.Family, size float64) string {
	widest := 0.0
	for _, line := range lines {
		widest = max(widest, letters.Width(line, typeface.Style{Size: size}))
	}
	const margin = 14 // points, on both sides together
	return fmt.Sprintf("%.2f", (spare*widest+margin)/72)
}

// drawLink draws a link between two claims.
func drawLink(e dot.Edge, l view.Link) {
	switch l.Kind {
	case view.Argues:
		e.Attrs("color", grey, "arrowhead", "none", "class", "argues", "tooltip", "argued by")
	case view.Needs:
		e.Attrs("color", grey, "style", "dashed", "arrowhead", "none", "class", "needs",
			"tooltip", "where this is needed")
	case view.Unseen:
		e.Attrs("style", "dotted", "penwidth", thick, "class", "gap", "tooltip",
			printable.Quantity(l.More, "step")+" not shown")
		e.Label(plainText(padded([]string{printable.Quantity(l.More, "step")})))
	default:
		var lines []string
		for _, label := range l.Labels {
			lines = append(lines, printable.Cut(printable.Text(label), view.LabelLength))
		}
		if l.More > 0 {
			lines = append(lines, "and "+printable.Quantity(l.More, "more label"))
		}
		e.Attrs("penwidth", firm, "class", "transition on-run", "tooltip",
			plainText([]string{strings.Join(lines, ", ")}))
		e.Label(plainText(padded(lines)))
	}
}

// drawClaim draws a node, and returns the lines of its text.
func drawClaim(g dot.Node, number int, n view.Claim) []string {
	lines := make([]string, len(n.Lines))
	for i, line := range n.Lines {
		lines[i] = printable.Text(line)
	}
	switch n.Kind {
	case view.OnTheWay:
		lines := []string{fmt.Sprint(n.State)}
		shape := "circle"
		if n.Deadlock {
			lines = append(lines, "deadlock")
			shape = "doubleoctagon"
		}
		g.Attrs("shape", shape, "margin", "0.03", "width", "0.35", "height", "0.35", "id",
			fmt.Sprintf("state-%d", number), "class", "state on-run")
		g.Attr("tooltip", "state "+strings.Join(lines, ", "))
		return lines
	case view.Layered:
		g.Attrs("shape", "box3d", "style", "filled", "fillcolor", paleBlue, "margin",
			"0.1,0.06")
		g.Attrs("id", fmt.Sprintf("layer-%d", number), "class", "layer", "tooltip",
			plainText([]string{strings.Join(lines, ", ")}))
		return lines
	case view.Unargued:
		g.Attrs("shape", "box", "style", "dotted", "color", grey, "fontcolor", grey, "margin",
			"0.08,0.04")
		g.Attrs("id", fmt.Sprintf("stub-%d", number), "class", "stub", "tooltip",
			plainText(lines))
		return lines
	}
	formula := folded(printable.Text(n.Formula), maxClaimLine)
	if len(formula) > maxClaimLines {
		formula = append(formula[:maxClaimLines-1], "…")
	}
	for i, line := range formula {
		formula[i] = printable.Cut(line, 2*maxClaimLine)
	}
	colour := blue
	class := "holds"
	verdict := "✓ holds in"
	style := "rounded"
	if !n.Holds {
		colour = vermillion
		class = "fails"
		verdict = "✗ does not hold in"
		style = "rounded,dashed"
	}
	g.Attrs("shape", "box", "style", style, "color", colour, "margin", "0.1,0.06", "penwidth",
		firm)
	g.Attrs("id", fmt.Sprintf("claim-%d", number), "class", "claim "+class, "tooltip",
		plainText([]string{printable.Cut(n.Sentence, maxTooltipText)}))
	return slices.Concat(formula, []string{fmt.Sprintf("%s %d", verdict, n.State)}, lines)
}

// spare is the ratio of the width of a box to that of its text: in browsers without Helvetica and
// Arial, text is wider by up to a sixth.
const spare = 1.2
