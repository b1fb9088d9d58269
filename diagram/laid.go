package diagram

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/diagram/graphviz"
)

// Laid returns a graph in the language of Graphviz as an SVG such as [SVG] writes: with
// nothing in it but what draws, and with this title. Labels in it are to be text that
// package printable made fit to be shown. Errors and cost as for [SVG].
func Laid(ctx context.Context, engine *graphviz.Engine, graph, title string) ([]byte, error) {
	drawn, err := engine.Render(ctx, graph, "svg", graphviz.Options{})
	if err != nil {
		return nil, fmt.Errorf("diagram: %w", err)
	}
	return clean(drawn, title)
}
