// Package graphviz lays out graphs in the DOT language by Graphviz: by an embedded build, which needs
// no installation, or by an installed one.
//
// The embedded build is Graphviz 12.1.2 for WebAssembly from the module github.com/goccy/go-graphviz
// v0.2.9. The file graphviz.wasm.zst is this build, compressed (go generate fetches it again). This
// package runs the build by wazero, and does not import that module: importing it would start Graphviz
// in every run of the program (35 ms, and a folder of compiled code in the user's home). Without the
// import, a run that draws nothing costs nothing.
//
// Graphviz is a program in C that reads untrusted text. So the embedded build runs in a sandbox without
// files, clock or network, whose memory is bounded.
//
// Every layout starts from the same fresh state, so that the same graph gives the same bytes. No
// layout outlives its context.
package graphviz

//go:generate go run generate.go

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Layouts returns the names of Graphviz' layouts: dot has layers along the transitions, neato and fdp
// use springs, circo circles, and twopi rings around one node; osage packs the nodes.
func Layouts() []string { return []string{"dot", "neato", "fdp", "circo", "twopi", "osage"} }

// ErrClosed is the error of layouts after [Engine.Close].
var ErrClosed = errors.New("this Graphviz is closed")

// Render lays out a graph by one of [Layouts] ("" means dot), and returns it in one of Graphviz'
// formats: the embedded Graphviz has svg and json (the drawing operations), an installed one has
// more.
//
// It fails with ctx.Err() once ctx is done, with [ErrClosed] after [Engine.Close], and with
// Graphviz' message if Graphviz refuses the graph. Cost: the embedded Graphviz takes 0.15 s for a
// graph of a few nodes, and 0.2 s to get ready for a large graph or for several; then the layout
// by dot takes about 0.15 s for 500 nodes, and grows far more than linearly.
func (e *Engine) Render(ctx context.Context, graph, format, layout string) ([]byte, error) {
	if layout == "" {
		layout = "dot"
	}
	if !slices.Contains(Layouts(), layout) {
		return nil, fmt.Errorf("graphviz: there is no layout %q; choose one of %s", layout,
			strings.Join(Layouts(), ", "))
	}
	out, err := e.render(ctx, request{graph: graph, format: format, layout: layout})
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
	lines := strings.FieldsFunc(stderr, func(r rune) bool {
		return r == '\n' || r == '\r'
	})
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

// layouts is a cache of the most recent layouts, bounded in bytes, since jobs of a batch often draw
// the same graph. Results do not depend on it: the same graph gives the same bytes.
type layouts struct {
	mu     sync.Mutex
	drawn  map[[sha256.Size]byte]string
	oldest [][sha256.Size]byte // the keys of drawn, the oldest first
	size   int                 // bytes in drawn
}

// keptLayouts bounds the cache in bytes: some 80 layouts of 200 transitions each.
const keptLayouts = 16 << 20

// request asks for a graph, in the DOT language, to be laid out by one of [Layouts] and written in a format.
type request struct{ graph, format, layout string }

// key returns the key of a request in the cache.
func (r request) key() [sha256.Size]byte {
	return sha256.Sum256([]byte(r.format + "\x00" + r.layout + "\x00" + r.graph))
}

// get returns a copy of a layout; false if it is not in the cache.
func (l *layouts) get(key [sha256.Size]byte) ([]byte, bool) {
	l.mu.Lock()
	drawn, isCached := l.drawn[key]
	l.mu.Unlock()
	return []byte(drawn), isCached
}

// put adds a copy of a layout, and removes the oldest layouts while the cache is too large.
func (l *layouts) put(key [sha256.Size]byte, drawn []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, isCached := l.drawn[key]
	if isCached || len(drawn) > keptLayouts {
		return
	}
	if l.drawn == nil {
		l.drawn = map[[sha256.Size]byte]string{}
	}
	l.drawn[key] = string(drawn)
	l.oldest = append(l.oldest, key)
	l.size += len(drawn)
	for l.size > keptLayouts {
		oldest := l.oldest[0]
		l.oldest = l.oldest[1:]
		l.size -= len(l.drawn[oldest])
		delete(l.drawn, oldest)
	}
}
