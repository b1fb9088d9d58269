package sequence

import (
	"strings"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
)

// noLoop is the loop of a run without one.
const noLoop = -1

// run is a sequence as in its file.
type run struct {
	labels   []string
	deadlock bool
	// loop is the index of the label that begins the loop.
	loop int
}

func (r *run) isEmpty() bool { return len(r.labels) == 0 && !r.deadlock }

// given returns the run as a graph: node i is the state before label i.
func (r *run) given() (*counterexample.Given, error) {
	var b lts.Builder
	nodes := len(r.labels) + 1
	if r.loop != noLoop {
		nodes--
	}
	for i, text := range r.labels {
		next := i + 1
		if next == nodes {
			next = r.loop
		}
		b.Add(lts.State(i), b.Label(text), lts.State(next))
	}
	graph, err := b.Build(0, nodes)
	if err != nil {
		return nil, err
	}
	if r.deadlock {
		return counterexample.NewGiven(graph, lts.State(len(r.labels)))
	}
	return counterexample.NewGiven(graph)
}

// plainTrace reads mCRL2's plain form of a trace: one action a line. It ignores empty lines, and
// blanks at the end of a line, as mCRL2 does.
func plainTrace(text []byte) run {
	r := run{loop: noLoop}
	for _, line := range strings.Split(string(text), "\n") {
		if line = strings.Trim(line, " \t\r"); line != "" {
			r.labels = append(r.labels, line)
		}
	}
	return r
}
