package explain

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bfs"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Destination says to which states paths are looked for: to neighbourhoods, unless Lost
// asks for others.
type Destination struct {
	// All asks for a path to each of them, not only to a nearest one.
	All bool
	// Kind, where it is not 0, leaves out neighbourhoods of other kinds.
	Kind neighbourhood.Kind
	// Lost asks for the shortest path after which the property is lost: no run that goes
	// on from there satisfies it. Then All and Kind do not count.
	Lost bool
}

// Set sets the destination by its name: nearest, each, a kind of neighbourhood, which stands for
// the nearest of that kind, or lost.
func (d *Destination) Set(name string) error {
	switch name {
	case "nearest":
		*d = Destination{}
		return nil
	case "each":
		*d = Destination{All: true}
		return nil
	case "lost":
		*d = Destination{Lost: true}
		return nil
	}
	for _, kind := range neighbourhood.Kinds() {
		if kind.String() == name {
			*d = Destination{Kind: kind}
			return nil
		}
	}
	return fmt.Errorf("there is no destination %q; choose nearest, each, correct, incorrect, mixed-neutral, mixed or lost", name)
}

// Path is a shortest path from the initial state to a neighbourhood, or to where the
// property is lost.
type Path struct {
	State lts.State `json:"state"`
	// Kind is 0 if the property is lost.
	Kind neighbourhood.Kind `json:"kind,omitzero"`
	// Lost reports whether no run that goes on from the end of the path satisfies the
	// property.
	Lost  bool       `json:"lost,omitzero"`
	Steps []PathStep `json:"steps"`
}

// PathStep is a transition of a path.
type PathStep struct {
	From  lts.State `json:"from"`
	Label string    `json:"label"`
	To    lts.State `json:"to"`
}

// Paths returns shortest paths from the initial state to neighbourhoods (SEFM'18,
// section 3.4, techniques (ii) and (iii)): to a nearest one, or to each in
// ascending order of their states; or the one path after which the property is lost.
// Where pattern is not nil, a path must do its steps in this order, not necessarily
// contiguous. There is none where no neighbourhood is of the kind, or can be reached so,
// and where the property is never lost. Each path is made when it is yielded: all together can
// be longer than the model by the number of neighbourhoods. Warnings are about parts of the
// pattern that match no label of the model; it fails if a whole step of it
// matches none, and where ctx is done.
// Cost O(S + T), times the number of steps of the pattern and, to where the property is lost,
// those of the property; of each path its length and the transitions of its states.
func (a *Analysis) Paths(ctx context.Context, to Destination, pattern *actl.Formula) (paths iter.Seq[Path], warnings []string, err error) {
	g := newGuided(a.Components.LTS())
	if pattern != nil {
		var steps *property.Property
		if steps, warnings, err = bindPattern(ctx, pattern, g.model); err != nil {
			return nil, nil, err
		}
		if err := g.unfold(ctx, steps); err != nil {
			return nil, nil, err
		}
		g.done = property.Q(steps.Steps())
	}
	if to.Lost {
		paths, err = a.pathToLoss(ctx, g)
		return paths, warnings, err
	}
	var ends []lts.State
	for _, s := range a.Classification.States() {
		kind, _ := a.Classification.Kind(s)
		if end, reached := g.place(s); reached && (to.Kind == 0 || to.Kind == kind) {
			ends = append(ends, end)
		}
	}
	found, err := bfs.From(ctx, g.model, []lts.State{g.model.Initial()}, bfs.Options{Until: bfs.All(g.model, ends)})
	if err != nil {
		return nil, warnings, err
	}
	if !to.All && len(ends) > 0 {
		ends = []lts.State{nearest(found, ends)}
	}
	return func(yield func(Path) bool) {
		for _, end := range ends {
			p := g.path(found, end)
			p.Kind, _ = a.Classification.Kind(p.State)
			if !yield(p) {
				return
			}
		}
	}, warnings, nil
}

// pathToLoss returns the shortest path after which the property is lost, none where it
// never is.
func (a *Analysis) pathToLoss(ctx context.Context, g *guided) (iter.Seq[Path], error) {
	if err := g.unfold(ctx, a.Property); err != nil {
		return nil, err
	}
	end, lost := lts.State(0), false
	found, err := bfs.From(ctx, g.model, []lts.State{g.model.Initial()}, bfs.Options{Until: func(s lts.State) bool {
		if end = s; g.hasPattern(s) {
			lost = a.Fates.At(g.origin(s), g.last().Place(s).Q) == fate.Lost
		}
		return lost
	}})
	if err != nil || !lost {
		return slices.Values([]Path(nil)), err
	}
	p := g.path(found, end)
	p.Lost = true
	return slices.Values([]Path{p}), nil
}

// guided is a model, unfolded by the properties whose states its paths are asked about.
type guided struct {
	model  *lts.LTS
	levels []*product.Unfolding
	// done is the state in which the first of these, a pattern, is complete; 0 if there
	// is no pattern.
	done property.Q
}

func newGuided(m *lts.LTS) *guided { return &guided{model: m} }

func (g *guided) unfold(ctx context.Context, p *property.Property) error {
	u, err := product.Unfold(ctx, g.model, p)
	if err == nil {
		g.model, g.levels = u.LTS(), append(g.levels, u)
	}
	return err
}

// last returns the unfolding that was made last.
func (g *guided) last() *product.Unfolding { return g.levels[len(g.levels)-1] }

// place returns where a state of the model is reached with the pattern complete; false
// where it is not. It serves while nothing but a pattern unfolds the model.
func (g *guided) place(s lts.State) (lts.State, bool) {
	if g.done == 0 {
		return s, true
	}
	return g.last().Find(product.Place{State: s, Q: g.done})
}

// hasPattern reports whether the paths to s do the pattern, where there is one.
func (g *guided) hasPattern(s lts.State) bool {
	if g.done == 0 {
		return true
	}
	for _, u := range slices.Backward(g.levels[1:]) {
		s = u.Place(s).State
	}
	return g.levels[0].Place(s).Q == g.done
}

// origin returns the state of the model that s stands for.
func (g *guided) origin(s lts.State) lts.State {
	for _, u := range slices.Backward(g.levels) {
		s = u.Place(s).State
	}
	return s
}

// path returns what was found to lead to end.
func (g *guided) path(found *bfs.Tree, end lts.State) Path {
	p := Path{State: g.origin(end), Steps: []PathStep{}}
	for _, t := range found.Path(end) {
		p.Steps = append(p.Steps, PathStep{g.origin(t.From), g.model.Alphabet().Text(t.Label), g.origin(t.To)})
	}
	return p
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
