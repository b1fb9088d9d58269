package explain

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bfs"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/product"
	"github.com/inev-lts/inev/property"
)

// Destination says to which neighbourhoods paths are looked for.
type Destination struct {
	// All asks for a path to each of them, not only to a nearest one.
	All bool
	// Kind, where it is not 0, leaves out neighbourhoods of other kinds.
	Kind neighbourhood.Kind
}

// ParseDestination returns the destination with this name: nearest, each, or a
// kind of neighbourhood, which stands for the nearest of that kind.
func ParseDestination(name string) (Destination, error) {
	switch name {
	case "nearest":
		return Destination{}, nil
	case "each":
		return Destination{All: true}, nil
	}
	for _, kind := range neighbourhood.Kinds() {
		if kind.String() == name {
			return Destination{Kind: kind}, nil
		}
	}
	return Destination{}, fmt.Errorf("there is no destination %q; choose nearest, each, correct, incorrect, mixed-neutral or mixed", name)
}

// Path is a shortest path from the initial state to a neighbourhood.
type Path struct {
	State lts.State          `json:"state"`
	Kind  neighbourhood.Kind `json:"kind"`
	Steps []PathStep         `json:"steps"`
}

// PathStep is a transition of a path.
type PathStep struct {
	From  lts.State `json:"from"`
	Label string    `json:"label"`
	To    lts.State `json:"to"`
}

// Paths returns shortest paths from the initial state to neighbourhoods (SEFM'18,
// section 3.4, techniques (ii) and (iii)): to a nearest one, or to each in
// ascending order of their states. Where pattern is not nil, a path must do its
// steps in this order, not necessarily contiguous. There is none where no
// neighbourhood is of the kind, or can be reached so. Warnings are about parts of the
// pattern that match no label of the model; it fails where a whole step of it
// matches none, and where ctx is done.
// Cost O(S + T) and the lengths of the paths, times the number of steps of the
// pattern.
func (a *Analysis) Paths(ctx context.Context, to Destination, pattern *actl.Formula) (paths []Path, warnings []string, err error) {
	m := a.Components.LTS()
	// Without a pattern the model is unfolded by nothing: every place is a state.
	place := func(s lts.State) (lts.State, bool) { return s, true }
	origin := func(s lts.State) lts.State { return s }
	if pattern != nil {
		var steps *property.Chain
		if steps, warnings, err = bindPattern(ctx, pattern, m); err != nil {
			return nil, nil, err
		}
		u, err := product.Unfold(ctx, m, steps.Property())
		if err != nil {
			return nil, nil, err
		}
		m = u.LTS()
		place = func(s lts.State) (lts.State, bool) {
			return u.Find(product.Place{State: s, Q: property.Q(steps.Len())})
		}
		origin = func(s lts.State) lts.State { return u.Place(s).State }
	}
	var ends []lts.State
	for _, s := range a.Classification.States() {
		kind, _ := a.Classification.Kind(s)
		if end, reached := place(s); reached && (to.Kind == 0 || to.Kind == kind) {
			ends = append(ends, end)
		}
	}
	found, err := bfs.From(ctx, m, []lts.State{m.Initial()}, bfs.Options{Until: bfs.All(m, ends)})
	if err != nil || len(ends) == 0 {
		return nil, warnings, err
	}
	if !to.All {
		ends = []lts.State{nearest(found, ends)}
	}
	paths = make([]Path, len(ends))
	for i, end := range ends {
		kind, _ := a.Classification.Kind(origin(end))
		paths[i] = Path{State: origin(end), Kind: kind, Steps: []PathStep{}}
		for _, t := range found.Path(end) {
			step := PathStep{origin(t.From), m.Alphabet().Text(t.Label), origin(t.To)}
			paths[i].Steps = append(paths[i].Steps, step)
		}
	}
	return paths, warnings, nil
}

// nearest returns the first of the states that have the shortest path.
func nearest(paths *bfs.Tree, states []lts.State) lts.State {
	best := states[0]
	for _, s := range states {
		d, _ := paths.Distance(s)
		if least, _ := paths.Distance(best); d < least {
			best = s
		}
	}
	return best
}
