package diagram

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/emicklei/dot"

	"github.com/inev-lts/inev/diagram/internal/typeface"
	"github.com/inev-lts/inev/diagram/view"
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

// maxClaimLine bounds the characters in a line of a formula (a longer word stays whole),
// and maxClaimLines the number of lines.
const (
	maxClaimLine  = 34
	maxClaimLines = 6
)

// argumentTitle describes in one line what a picture shows.
func argumentTitle(p *view.Argument) string {
	if lines := argumentCaption(p); len(lines) > 0 {
		return printable.Cut(strings.Join(lines, "; "), maxTooltipText)
	}
	return "An argument"
}

// claimDrawing is the state of drawing arguments as DOT.
type claimDrawing struct {
	graph   *dot.Graph
	sizes   sizes
	letters *typeface.Family
	nodes   []dot.Node
}

// drawArgument draws claims in boxes, below each claim the runs and layers that prove it, and dashed
// lines to the claims that it follows from.
func drawArgument(p *view.Argument, o Options) *dot.Graph {
	d := &claimDrawing{graph: dot.NewGraph(dot.Directed), sizes: sizesOf(o), letters: typeface.Load()}
	direction := "TB"
	if o.RankDir == leftRight {
		direction = "LR"
	}
	d.graph.Attrs("rankdir", direction, "nodesep", "0.25", "ranksep", "0.35", "fontname", font, "fontsize", d.sizes.caption, "id", "diagram", "class", "diagram")
	if lines := argumentCaption(p); len(lines) > 0 {
		for i, line := range lines {
			lines[i] = strings.Join(folded(printable.Cut(line, maxCaptionText), 2*maxClaimLine), "\n")
		}
		d.graph.Attrs("label", plainText(lines), "labelloc", "t", "labeljust", "l")
	}
	for i, n := range p.Nodes {
		d.nodes = append(d.nodes, d.node(i+1, n))
	}
	for i, l := range p.Links {
		e := d.graph.Edge(d.nodes[l.From], d.nodes[l.To])
		e.Attrs("fontname", font, "fontsize", d.sizes.label, "arrowsize", 0.8, "id", fmt.Sprintf("link-%d", i+1))
		switch l.Kind {
		case view.Argues:
			e.Attrs("color", grey, "arrowhead", "none", "class", "argues", "tooltip", "argued by")
		case view.Needs:
			e.Attrs("color", grey, "style", "dashed", "arrowhead", "none", "class", "needs", "tooltip", "where this is needed")
		case view.Unseen:
			e.Attrs("style", "dotted", "penwidth", thick, "class", "gap", "tooltip", printable.Quantity(l.More, "step")+" not shown")
			e.Label(plainText(padded([]string{printable.Quantity(l.More, "step")})))
		default:
			var lines []string
			for _, label := range l.Labels {
				lines = append(lines, printable.Cut(printable.Text(label), view.LabelLength))
			}
			if l.More > 0 {
				lines = append(lines, "and "+printable.Quantity(l.More, "more label"))
			}
			e.Attrs("penwidth", firm, "class", "transition on-run", "tooltip", plainText([]string{strings.Join(lines, ", ")}))
			e.Label(plainText(padded(lines)))
		}
	}
	return d.graph
}

// node draws a node, as wide as its text in any usual typeface.
func (d *claimDrawing) node(number int, n view.Claim) dot.Node {
	g := d.graph.Node(fmt.Sprintf("node %010d", number))
	g.Attrs("fontname", font, "fontsize", d.sizes.state, "penwidth", thin)
	switch n.Kind {
	case view.OnTheWay:
		return d.state(g, number, n)
	case view.Layered:
		lines := printed(n.Lines)
		g.Attrs("shape", "box3d", "style", "filled", "fillcolor", paleBlue, "margin", "0.1,0.06", "width", d.widest(lines))
		g.Attrs("id", fmt.Sprintf("layer-%d", number), "class", "layer", "tooltip", plainText([]string{strings.Join(lines, ", ")}))
		return g.Label(plainText(lines))
	case view.Unargued:
		lines := printed(n.Lines)
		g.Attrs("shape", "box", "style", "dotted", "color", grey, "fontcolor", grey, "margin", "0.08,0.04", "width", d.widest(lines))
		g.Attrs("id", fmt.Sprintf("stub-%d", number), "class", "stub", "tooltip", plainText(lines))
		return g.Label(plainText(lines))
	}
	lines := folded(printable.Text(n.Formula), maxClaimLine)
	if len(lines) > maxClaimLines {
		lines = append(lines[:maxClaimLines-1], "…")
	}
	for i, line := range lines {
		lines[i] = printable.Cut(line, 2*maxClaimLine)
	}
	colour, class, verdict, style := blue, "holds", "✓ holds in", "rounded"
	if !n.Holds {
		colour, class, verdict, style = vermillion, "fails", "✗ does not hold in", "rounded,dashed"
	}
	lines = append(append(lines, fmt.Sprintf("%s %d", verdict, n.State)), printed(n.Lines)...)
	g.Attrs("shape", "box", "style", style, "color", colour, "margin", "0.1,0.06", "width", d.widest(lines), "penwidth", firm)
	g.Attrs("id", fmt.Sprintf("claim-%d", number), "class", "claim "+class, "tooltip", plainText([]string{printable.Cut(n.Sentence, maxTooltipText)}))
	return g.Label(plainText(lines))
}

func (d *claimDrawing) state(g dot.Node, number int, n view.Claim) dot.Node {
	lines, shape := []string{fmt.Sprint(n.State)}, "circle"
	if n.Deadlock {
		lines, shape = append(lines, "deadlock"), "doubleoctagon"
	}
	g.Attrs("shape", shape, "margin", "0.03", "width", "0.35", "height", "0.35", "id", fmt.Sprintf("state-%d", number), "class", "state on-run")
	g.Attr("tooltip", "state "+strings.Join(lines, ", "))
	return g.Label(plainText(lines))
}

// printed returns texts of a model in printable form.
func printed(lines []string) []string {
	var all []string
	for _, line := range lines {
		all = append(all, printable.Text(line))
	}
	return all
}

// spare is the factor by which a box is wider than its text: in browsers without
// Helvetica and Arial, text is wider by up to a sixth.
const spare = 1.2

// widest returns the width, in inches, of a box for these lines.
func (d *claimDrawing) widest(lines []string) string {
	widest := 0.
	for _, line := range lines {
		widest = max(widest, d.letters.Width(line, typeface.Style{Size: d.sizes.state}))
	}
	const margin = 14 // points, on both sides together
	return fmt.Sprintf("%.2f", (spare*widest+margin)/72)
}
