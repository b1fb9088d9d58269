package diagram

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/internal/abort"
)

// Engine lays out graphs; [github.com/inev-lts/inev/diagram/graphviz.Engine] implements it. A
// program that writes only DOT or Mermaid needs no engine, and does not link Graphviz.
type Engine interface {
	// Render lays out a graph in the DOT language by one of Graphviz' layouts ("" means dot), and
	// returns it in one of Graphviz' formats. Pictures use svg.
	Render(ctx context.Context, graph, format, layout string) ([]byte, error)
}

// Errors of pictures that a language cannot express, and of layouts that take too long.
var (
	errArgumentMermaid = errors.New("diagram: an argument is not written in Mermaid; write it as SVG, PNG or DOT")
	errChartDOT        = errors.New("diagram: a sequence chart is not written in DOT; write it as SVG, PNG or in Mermaid")
	errLimit           = errors.New("the layout takes too long")
)

// DOT writes a graph or an argument in the DOT language of Graphviz. It fails for a chart, and if w
// does. Cost: O(T log T) time and about 5 kB for each of T arrows.
func DOT(w io.Writer, d view.Drawing, o Options) (err error) {
	defer abort.Caught(&err)
	text := ""
	switch d := d.(type) {
	case *view.Graph:
		text = draw(d, o).String()
	case *view.Argument:
		text = drawArgument(d, o).String()
	default:
		abort.On(errChartDOT)
	}
	abort.Must(io.WriteString(w, text))
	return nil
}

// rendered returns a graph in the DOT language as cleaned SVG. It fails with errLimit if the layout
// takes longer than the options allow.
func rendered(ctx context.Context, engine Engine, graph, title string, o Options) ([]byte, error) {
	limited, stop := ctx, func() {}
	if o.Limit > 0 {
		limited, stop = context.WithTimeout(ctx, o.Limit)
	}
	defer stop()
	drawn, err := engine.Render(limited, graph, "svg", o.Layout)
	switch {
	case err == nil:
		return clean(drawn, title)
	case ctx.Err() == nil && limited.Err() != nil:
		return nil, fmt.Errorf("%w: not done after %v", errLimit, o.Limit)
	}
	return nil, fmt.Errorf("diagram: %w", err)
}

// SVG writes a drawing as the content of one SVG document without references to anything outside.
// The package comment lists its elements for programs. engine lays out graphs and arguments; for a
// chart it may be nil, and of the options only the size of letters and the legend count.
//
// It fails if w does, if ctx is done, if the layout takes longer than the limit, and if it would be
// so much work that the picture is unreadable: then an excerpt can be drawn instead. Cost: [DOT],
// and the layout; of a chart O(size).
func SVG(ctx context.Context, engine Engine, w io.Writer, d view.Drawing, o Options) (err error) {
	defer abort.Caught(&err)
	abort.Must(w.Write(asSVG(ctx, engine, d, o)))
	return nil
}

// asSVG returns a drawing as SVG.
func asSVG(ctx context.Context, engine Engine, d view.Drawing, o Options) []byte {
	switch d := d.(type) {
	case *view.Graph:
		return laidOut(ctx, engine, d, o)
	case *view.Argument:
		return abort.Must(rendered(ctx, engine, drawArgument(d, o).String(), argumentTitle(d), Options{Limit: o.Limit}))
	}
	return drawChart(d.(*view.Chart), o)
}

// PNG writes the picture of [SVG] as an image, with the built-in typeface and at most 256 colours.
// It shows characters that the typeface lacks, such as Chinese ones, as empty boxes; SVG shows
// them. Errors as for [SVG], and if the image would have too many pixels. Cost: SVG, and the
// pixels.
func PNG(ctx context.Context, engine Engine, w io.Writer, d view.Drawing, o Options) (err error) {
	defer abort.Caught(&err)
	return writePNG(w, asSVG(ctx, engine, d, o), o)
}

// Mermaid writes a graph or a chart in the language of Mermaid (https://mermaid.js.org), which many
// code hosts and wikis draw in a block of Markdown. [view.Small] finds a graph that is small
// enough. The picture has no caption and no legend. The direction is ignored for a chart.
//
// It fails for an argument, if the graph has more than [MaxMermaidNodes] nodes or the text is too
// long, and if w does. Cost O(size).
func Mermaid(w io.Writer, d view.Drawing, direction RankDir) (err error) {
	defer abort.Caught(&err)
	text := ""
	switch d := d.(type) {
	case *view.Graph:
		text = graphMermaid(d, direction)
	case *view.Chart:
		text = chartMermaid(d)
	default:
		abort.On(errArgumentMermaid)
	}
	abort.Must(io.WriteString(w, text))
	return nil
}
