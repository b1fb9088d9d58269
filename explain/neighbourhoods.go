package explain

import (
	"context"
	"fmt"
	"iter"

	"github.com/inev-lts/inev/internal/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bfs"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/property/product"
)

// Neighbourhood is a state at which it is decided whether the property holds.
type Neighbourhood struct {
	State lts.State          `json:"state"`
	Kind  neighbourhood.Kind `json:"kind"`
	// Distance is the length of a shortest path from the initial state; see
	// [Options.NoPaths].
	Distance int        `json:"distance_from_initial"`
	Incoming []Incoming `json:"incoming"`
	Outgoing []Outgoing `json:"outgoing"`
	// OnCounterexample is unknown where no counterexample was looked for.
	OnCounterexample Whether  `json:"on_counterexample,omitzero"`
	ShortestPath     []string `json:"shortest_path"` // its labels
}

// Incoming is a transition that enters a neighbourhood.
type Incoming struct {
	From  lts.State           `json:"from"`
	Label string              `json:"label"`
	Class neighbourhood.Class `json:"class"`
}

// Outgoing is a transition that leaves a neighbourhood.
type Outgoing struct {
	Label string              `json:"label"`
	To    lts.State           `json:"to"`
	Class neighbourhood.Class `json:"class"`
}

// Neighbourhoods are the neighbourhoods of an analysis. There can be millions:
// each is made when it is asked for.
type Neighbourhoods struct {
	m     *lts.LTS
	types *neighbourhood.Classification
	paths *bfs.Tree // nil where they are left out
	// on are the states of the counterexample, where one was searched for.
	on       bitset.Set[lts.State]
	searched bool
}

// Neighbourhoods returns the neighbourhoods that the analysis found, with
// shortest paths to them. It fails where ctx is done. Cost as for
// [bfs.From].
func (a *Analysis) Neighbourhoods(ctx context.Context) (*Neighbourhoods, error) {
	m := a.Components.LTS()
	paths, err := bfs.From(ctx, m, []lts.State{m.Initial()}, bfs.Options{Until: bfs.All(m, a.Classification.States())})
	return &Neighbourhoods{m: m, types: a.Classification, paths: paths}, err
}

// Len returns the number of neighbourhoods. Cost O(1).
func (n *Neighbourhoods) Len() int {
	if n.types == nil {
		return 0
	}
	return len(n.types.States())
}

// All yields the neighbourhoods in ascending order of their states. Cost of
// each: its transitions and the length of the path to it.
func (n *Neighbourhoods) All() iter.Seq[Neighbourhood] {
	return func(yield func(Neighbourhood) bool) {
		if n.types == nil {
			return
		}
		for _, s := range n.types.States() {
			if !yield(n.at(s)) {
				return
			}
		}
	}
}

func (n *Neighbourhoods) at(s lts.State) Neighbourhood {
	kind, _ := n.types.Kind(s)
	distance := -1
	if n.paths != nil {
		distance, _ = n.paths.Distance(s)
	}
	text := n.m.Alphabet().Text
	found := Neighbourhood{
		State: s, Kind: kind, Distance: distance,
		Incoming: []Incoming{}, Outgoing: []Outgoing{}, ShortestPath: []string{},
	}
	if n.searched {
		found.OnCounterexample = whether(n.on != nil && n.on.Has(s))
	}
	for _, t := range n.m.Incoming(s) {
		class := n.types.Class(t.From, t.Label, s)
		found.Incoming = append(found.Incoming, Incoming{t.From, text(t.Label), class})
	}
	labels, targets := n.m.Out(s)
	for i, to := range targets {
		class := n.types.Class(s, labels.At(i), to)
		found.Outgoing = append(found.Outgoing, Outgoing{text(labels.At(i)), to, class})
	}
	if n.paths != nil {
		for _, t := range n.paths.Path(s) {
			found.ShortestPath = append(found.ShortestPath, text(t.Label))
		}
	}
	return found
}

// name returns how a state is shown.
func name(u *product.Unfolding, s lts.State) string {
	if u == nil {
		return fmt.Sprint(s)
	}
	return u.Place(s).String()
}
