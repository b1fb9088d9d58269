package temporal

import (
	"encoding/binary"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
)

// graph has the transitions of a complete deterministic automaton, as an LTS:
// state·letters+letter is the number of a transition.
type graph struct {
	letters int
	next    []uint32
	system  *lts.LTS
}

// newGraph returns the graph with all states, reachable or not.
func newGraph(letters int, next []uint32) *graph {
	var b lts.Builder
	for letter := range letters {
		b.Label(string(binary.LittleEndian.AppendUint32(nil, uint32(letter))))
	}
	b.Grow(len(next))
	for i, to := range next {
		b.Add(lts.State(i/letters), lts.Label(i%letters), lts.State(to))
	}
	system := abort.Must(b.Build(0, len(next)/letters))
	return &graph{letters, next, system}
}

// all returns all states.
func (g *graph) all() []lts.State {
	all := make([]lts.State, len(g.next)/g.letters)
	for q := range all {
		all[q] = lts.State(q)
	}
	return all
}
