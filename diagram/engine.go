package diagram

import "github.com/inev-lts/inev/diagram/internal/graphviz"

// Engine is a Graphviz that lays out graphs for whoever holds it. It is safe for concurrent
// use. The one inside is compiled at most once, by the first layout that needs it, and kept
// until it is closed: some ten megabytes, and up to 16 MB of what was laid out last.
type Engine = graphviz.Engine

// NewEngine returns the Graphviz inside, for about so many pictures: for one, it is not
// compiled for a small graph but interpreted, which is sooner done. If cache is not empty, it
// is a folder, made when it is needed, that keeps what was compiled for the next process;
// whoever can write there decides what that runs. A folder that cannot be used is no error:
// then nothing is kept. The engine must be closed. Cost O(1): nothing is made ready before a
// graph is laid out.
func NewEngine(pictures int, cache string) *Engine { return graphviz.New(pictures, cache) }

// Installed returns the Graphviz on this computer whose dot has this path. The arguments are
// further ones for its command line, such as -Gdpi=144. Cost O(1).
func Installed(program string, arguments ...string) *Engine {
	return graphviz.Installed(program, arguments...)
}

// Layouts returns the ways of laying out: dot in layers along the transitions, neato and fdp by
// springs, circo in circles, twopi in rings around one node, osage packed.
func Layouts() []string { return graphviz.Layouts() }
