// Package graphviz lays out graphs in the DOT language by Graphviz: by an embedded build, for
// which nothing has to be installed, or by an installed one.
//
// The build inside is Graphviz 12.1.2 for WebAssembly, which the module
// github.com/goccy/go-graphviz v0.2.9 carries; graphviz.wasm.zst is that file, compressed (go
// generate fetches it again). It is run here by wazero directly, since importing that module
// would start Graphviz with every run of the program, also with those that draw nothing: 35 ms
// each time, and a folder of compiled code in the home of the user. A run that draws nothing
// pays nothing here.
//
// Graphviz is a program in C that reads untrusted text: the embedded build runs in a sandbox
// without files, clock or network, whose memory is bounded.
//
// The invariant that holds inside: every layout starts from the same fresh state, so
// that the same graph gives the same bytes; and no layout outlives its context.
package graphviz

//go:generate go run generate.go

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Layouts returns the ways of laying out: dot in layers along the transitions, neato
// and fdp by springs, circo in circles, twopi in rings around one node, osage packed.
func Layouts() []string { return []string{"dot", "neato", "fdp", "circo", "twopi", "osage"} }

// ErrClosed is the error of layouts after [Engine.Close].
var ErrClosed = errors.New("this Graphviz is closed")

// Render lays out a graph in one of the ways of [Layouts], "" for dot, and returns it in a
// format of Graphviz; the one inside has svg and json (what is drawn, operation by operation),
// an installed one has more.
//
// It fails with the error of ctx if that is done, with [ErrClosed] after [Engine.Close], and
// with the message of Graphviz if that refuses the graph. Cost: the Graphviz inside takes
// 0.15 s for a graph of a few nodes and 0.2 s to get ready for a large one, or for several;
// then what the layout takes, for dot about 0.15 s for 500 nodes and far more than linear
// beyond.
func (e *Engine) Render(ctx context.Context, graph, format, layout string) ([]byte, error) {
	if layout == "" {
		layout = "dot"
	}
	if !slices.Contains(Layouts(), layout) {
		return nil, fmt.Errorf("graphviz: there is no layout %q; choose one of %s", layout, strings.Join(Layouts(), ", "))
	}
	out, err := e.render(ctx, graph, format, layout)
	switch {
	case err == nil:
		return out, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("graphviz: %w", err)
}

// complaint returns the last line of Graphviz' error messages.
func complaint(stderr string) string {
	lines := strings.FieldsFunc(stderr, func(r rune) bool { return r == '\n' || r == '\r' })
	for _, line := range slices.Backward(lines) {
		if strings.HasPrefix(line, "Error") {
			return line
		}
	}
	if len(lines) > 0 {
		return lines[len(lines)-1]
	}
	return "no reason given"
}
