package diagram

import (
	"context"
	"errors"
	"io"

	"github.com/inev-lts/inev/diagram/internal/graphviz"
	"github.com/inev-lts/inev/diagram/internal/view"
)

// Drawing is what can be drawn: a [*Graph], [*Chart] or [*Argument].
type Drawing = view.Drawing

// Errors of what a language has no words for.
var (
	errChartDOT        = errors.New("diagram: a sequence chart is laid out without Graphviz; write it as SVG, PNG or Mermaid")
	errArgumentMermaid = errors.New("diagram: an argument is not written in Mermaid; write it as SVG, PNG or DOT")
)

// DOT writes a graph or an argument in the DOT language of Graphviz. It fails for a chart, and
// if w does. Cost: O(T log T) time and about 5 kB for each of T arrows.
func DOT(w io.Writer, d Drawing, o Options) error {
	switch d := d.(type) {
	case *view.Graph:
		return write(w, draw(d, o))
	case *view.Argument:
		return argumentDOT(w, d, o)
	}
	return errChartDOT
}

// SVG writes a drawing as the content of one SVG document without references to anything
// outside. The comment on the package lists what a program finds in it. Graphs and arguments are
// laid out by engine, charts without it, which may be nil then: of the options, the size of
// writing and the legend count for them.
//
// It fails if w does, and if the layout is more work than the picture is worth, when an excerpt
// can be drawn instead, or is stopped by ctx or the limit. Cost: [DOT], and the layout; of a
// chart O(size).
func SVG(ctx context.Context, engine *graphviz.Engine, w io.Writer, d Drawing, o Options) error {
	switch d := d.(type) {
	case *view.Graph:
		return graphSVG(ctx, engine, w, d, o)
	case *view.Argument:
		return argumentSVG(ctx, engine, w, d, o)
	}
	return chartSVG(w, d.(*view.Chart), o)
}

// PNG writes the picture of [SVG] as an image, drawn with letters that come with the program,
// and at most 256 colours. It holds what the typeface does not have, such as Chinese characters,
// as empty boxes; SVG shows them. Errors as for [SVG], and if the image would have too many
// pixels. Cost: SVG, and the pixels.
func PNG(ctx context.Context, engine *graphviz.Engine, w io.Writer, d Drawing, o Options) error {
	switch d := d.(type) {
	case *view.Graph:
		return graphPNG(ctx, engine, w, d, o)
	case *view.Argument:
		return argumentPNG(ctx, engine, w, d, o)
	}
	return chartPNG(w, d.(*view.Chart), o)
}

// Mermaid writes a graph or a chart in the language of Mermaid (https://mermaid.js.org), which
// many code hosts and wikis draw in a block of Markdown. [SmallView] finds a graph that is small
// enough. The picture has no caption and no legend; the text next to it says what a line or a
// shape means. The direction is a graph's; a chart has one only.
//
// It fails for an argument, if the graph has more than [MaxMermaidNodes] nodes or the text is too
// long, and if w does. Cost O(size).
func Mermaid(w io.Writer, d Drawing, direction RankDir) error {
	switch d := d.(type) {
	case *view.Graph:
		return graphMermaid(w, d, direction)
	case *view.Chart:
		return chartMermaid(w, d)
	}
	return errArgumentMermaid
}
