package argument

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/emicklei/dot"

	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// What a picture has room for: claims, steps of one run, and layers.
const (
	drawnClaims = 40
	drawnSteps  = 30
	drawnLayers = 30
)

const font = "Helvetica,Arial,sans-serif"

// drawing is a picture of arguments on its way to DOT.
type drawing struct {
	m      *lts.LTS
	graph  *dot.Graph
	serial int
	claims int
}

// WriteDOT writes a picture of arguments in the language of Graphviz: claims in boxes, the
// runs and the layers that argue for them, and dashed lines from where on these something
// else has to be so. It fails where w does.
func WriteDOT(w io.Writer, m *lts.LTS, all []*Argument) error {
	d := &drawing{m: m, graph: dot.NewGraph(dot.Directed)}
	d.graph.Attrs("rankdir", "LR", "nodesep", "0.25", "ranksep", "0.4", "fontname", font)
	for _, a := range all {
		d.claim(a)
	}
	_, err := io.WriteString(w, d.graph.String())
	return err
}

// node adds a node with lines of text.
func (d *drawing) node(lines []string, attributes ...any) dot.Node {
	d.serial++
	n := d.graph.Node(fmt.Sprintf("node %06d", d.serial))
	n.Attrs("fontname", font, "fontsize", "11", "margin", "0.15,0.08")
	n.Attrs(attributes...)
	return n.Label(plain(strings.Join(lines, "\n")))
}

// entity is what Graphviz replaces by a character even in plain labels.
var entity = regexp.MustCompile(`&(#?[0-9A-Za-z]+;)`)

// plain returns lines as the value of an attribute: the writer of dot quotes it.
func plain(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = printable.Text(line)
	}
	return entity.ReplaceAllString(strings.Join(lines, "\n"), "&amp;$1")
}

// claim draws a claim with all that argues for it, and returns its box.
func (d *drawing) claim(a *Argument) dot.Node {
	d.claims++
	colour := "#0b5d3b"
	if !a.Holds {
		colour = "#a3320b"
	}
	box := d.node([]string{printable.Cut(a.Formula, 60), fmt.Sprintf("%s in %d", agree(a.Holds), a.State)},
		"shape", "box", "style", "rounded", "color", colour, "fontcolor", colour, "tooltip", plain(a.Text))
	at := map[lts.State]dot.Node{}
	switch {
	case a.Run != nil && len(a.Run.Steps) > 0:
		at = d.run(box, a.Run)
	case len(a.Layers) > 1:
		d.layers(box, a.Layers)
	}
	for _, b := range a.Because {
		if d.claims >= drawnClaims {
			d.line(box, d.node([]string{"… more claims"}, "shape", "plaintext"), "")
			break
		}
		from, on := at[b.State]
		if !on {
			from = box
		}
		d.line(from, d.claim(b), "dashed")
	}
	return box
}

// line draws what is no transition.
func (d *drawing) line(from, to dot.Node, style string) dot.Edge {
	e := d.graph.Edge(from, to)
	e.Attrs("color", "#777777", "arrowhead", "none", "fontname", font, "fontsize", "10")
	if style != "" {
		e.Attr("style", style)
	}
	return e
}

// run draws a run, and returns the nodes of its states.
func (d *drawing) run(box dot.Node, r *Run) map[lts.State]dot.Node {
	at := map[lts.State]dot.Node{}
	state := func(s lts.State) dot.Node {
		if n, known := at[s]; known {
			return n
		}
		shape := "circle"
		if d.m.IsDeadlock(s) {
			shape = "doubleoctagon"
		}
		at[s] = d.node([]string{fmt.Sprint(s)}, "shape", shape, "margin", "0.03", "width", "0.35", "height", "0.35")
		return at[s]
	}
	d.line(box, state(r.Start), "")
	for i, t := range r.Steps {
		if len(r.Steps) > drawnSteps && i >= drawnSteps/2 && i < len(r.Steps)-drawnSteps/2 {
			if i == drawnSteps/2 {
				last := r.Steps[len(r.Steps)-drawnSteps/2-1].To
				e := d.graph.Edge(state(t.From), state(last))
				e.Attrs("style", "dotted", "fontname", font, "fontsize", "10")
				e.Label(printable.Quantity(len(r.Steps)-drawnSteps, "step"))
			}
			continue
		}
		e := d.graph.Edge(state(t.From), state(t.To))
		e.Attrs("fontname", font, "fontsize", "10", "arrowsize", 0.8, "penwidth", 1.5)
		e.Label(plain(" " + printable.Cut(d.m.Alphabet().Text(t.Label), 30) + " "))
	}
	return at
}

// layers draws layers of states.
func (d *drawing) layers(box dot.Node, all []Layer) {
	before := box
	for i, l := range all {
		if i == drawnLayers {
			d.line(before, d.node([]string{fmt.Sprintf("… %d more layers", len(all)-i)}, "shape", "plaintext"), "")
			return
		}
		lines := []string{"after " + printable.Quantity(i, "step"), named(l)}
		if l.Done > 0 {
			lines = append(lines, fmt.Sprintf("decided in %d", l.Done))
		}
		n := d.node(lines, "shape", "box3d", "style", "filled", "fillcolor", "#eef3f8")
		if i == 0 {
			d.line(box, n, "")
		} else {
			e := d.graph.Edge(before, n)
			e.Attrs("fontname", font, "fontsize", "10", "penwidth", 1.5, "arrowsize", 0.8)
			e.Label(plain(strings.TrimPrefix(labelsOf(d.m, all[i-1]), "; on by ")))
		}
		before = n
	}
}
