package explain

import (
	"context"
	"iter"
	"strconv"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bfs"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/property/product"
)

// Neighbourhood is a state where some transition decides whether the property holds.
type Neighbourhood struct {
	State lts.State          `json:"state"`
	Kind  neighbourhood.Kind `json:"kind"`
	// Distance is the length of a shortest path from the initial state; -1 with [Options.NoPaths].
	Distance int        `json:"distance_from_initial"`
	Incoming []Incoming `json:"incoming"`
	Outgoing []Outgoing `json:"outgoing"`
	// OnCounterexample reports whether the counterexample passes the state; unknown without a
	// search for one.
	OnCounterexample whether `json:"on_counterexample,omitzero"`
	// ShortestPath are the labels of a shortest path; nil if this result has none, see
	// [Neighbourhoods.WithPaths].
	ShortestPath []string `json:"shortest_path,omitzero"`
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

// Neighbourhoods are the neighbourhoods of an analysis. There can be millions, so each value is
// made when it is read.
type Neighbourhoods struct {
	m     *lts.LTS
	types *neighbourhood.Classification
	paths *bfs.Tree // nil if paths are left out
	// on are the states of the counterexample; nil if none was searched for.
	on       bitset.Set[lts.State]
	searched bool
}

// Neighbourhoods returns the neighbourhoods that the analysis found, with
// shortest paths to them. It fails if ctx is done. Cost as for
// [bfs.From].
func (a *Analysis) Neighbourhoods(ctx context.Context) (*Neighbourhoods, error) {
	m := a.Components.LTS()
	paths, err := bfs.From(ctx, m, []lts.State{m.Initial()}, bfs.Options{Until: bfs.All(m, a.Classification.States())})
	return &Neighbourhoods{m: m, types: a.Classification, paths: paths}, err
}

// along returns n with the states of a run marked; t is nil if there is no run.
func (n *Neighbourhoods) along(t *counterexample.Trace) *Neighbourhoods {
	passed := *n
	passed.searched = true
	if t != nil {
		passed.on = bitset.New[lts.State](n.m.NumStates())
		passed.on.Add(t.Initial())
		for i := range t.Len() {
			passed.on.Add(t.Step(i).To)
		}
	}
	return &passed
}

// Len returns the number of neighbourhoods. Cost O(1).
func (n *Neighbourhoods) Len() int {
	if n.types == nil {
		return 0
	}
	return len(n.types.States())
}

// All yields the neighbourhoods in ascending order of their states, without the paths to
// them. Cost of each: its transitions.
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
		distance -= before(n.m, distance)
	}
	text := n.m.Alphabet().Text
	found := Neighbourhood{
		State: s, Kind: kind, Distance: distance,
		Incoming: []Incoming{}, Outgoing: []Outgoing{},
	}
	if n.searched {
		found.OnCounterexample = whetherIt(n.on != nil && n.on.Has(s))
	}
	for _, t := range n.m.Incoming(s) {
		if n.m.IsBefore(t.From) {
			continue
		}
		class := n.types.Class(t.From, t.Label, s)
		found.Incoming = append(found.Incoming, Incoming{t.From, text(t.Label), class})
	}
	labels, targets := n.m.Out(s)
	for i, to := range targets {
		class := n.types.Class(s, labels.At(i), to)
		found.Outgoing = append(found.Outgoing, Outgoing{text(labels.At(i)), to, class})
	}
	return found
}

// PathLabels is the largest number of labels of shortest paths to neighbourhoods in the data of an
// explanation, unless all are requested: all paths together can be longer than the model by a
// factor of their number.
const PathLabels = 100_000

// WithPaths yields the neighbourhoods of [Neighbourhoods.All] with their shortest paths, until the
// paths would have more than labels labels together. Cost of each: its transitions and, if it has a
// path, the length of the path and the transitions of its states.
func (n *Neighbourhoods) WithPaths(labels int) iter.Seq[Neighbourhood] {
	return func(yield func(Neighbourhood) bool) {
		for found := range n.All() {
			if n.paths != nil && found.Distance <= labels {
				found.ShortestPath = []string{}
				path := n.paths.Path(found.State)
				for _, t := range path[before(n.m, len(path)):] {
					found.ShortestPath = append(found.ShortestPath, n.m.Alphabet().Text(t.Label))
				}
				labels -= found.Distance
			}
			if !yield(found) {
				return
			}
		}
	}
}

// name returns the text that stands for a state.
func name(u *product.Unfolding, s lts.State) string {
	if u == nil {
		return strconv.Itoa(int(s))
	}
	return u.At(s).String()
}

// mostInBits is the largest number of property states for which a placeSet has one bit for each
// possible product state.
const mostInBits = 64

// placeSet is a set of product states.
type placeSet struct {
	bits   bitset.Set[int]
	states int
	// met has the product states if the property has more than mostInBits states, since few of the
	// possible ones occur then.
	met map[product.State]bool
}

// newPlaceSet returns an empty set of product states. Cost O(S).
func (a *Analysis) newPlaceSet(ctx context.Context) (*placeSet, error) {
	x := &placeSet{states: a.m.NumStates()}
	if a.Property.States() > mostInBits {
		x.met = map[product.State]bool{}
		return x, nil
	}
	size := x.states * a.Property.States()
	if err := resources.AskFor[uint64](ctx, bitset.Words(size)); err != nil {
		return nil, err
	}
	x.bits = bitset.New[int](size)
	return x, nil
}

func (x *placeSet) has(at product.State) bool {
	if x.met != nil {
		return x.met[at]
	}
	return x.bits.Has(int(at.Q)*x.states + int(at.State))
}

// add adds a product state, and reports whether it is new.
func (x *placeSet) add(at product.State) (fresh bool) {
	if x.has(at) {
		return false
	}
	if x.met != nil {
		x.met[at] = true
	} else {
		x.bits.Add(int(at.Q)*x.states + int(at.State))
	}
	return true
}
