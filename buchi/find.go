package buchi

import (
	"context"
	"fmt"
)

// Algorithm is an algorithm that finds a counterexample.
type Algorithm uint8

// The algorithms.
const (
	ByColour   Algorithm = iota // colourDFS: the first one found
	ByContrex                   // contrex: ever shorter ones
	ByPriority                  // priority: a shortest one
)

// Algorithms returns the names of all algorithms.
func Algorithms() []string { return []string{"colour", "contrex", "priority"} }

// Set sets the algorithm by its name, one of [Algorithms].
func (a *Algorithm) Set(name string) error {
	for i, known := range Algorithms() {
		if name == known {
			*a = Algorithm(i)
			return nil
		}
	}
	return fmt.Errorf("there is no algorithm %q; choose colour, contrex or priority", name)
}

func (a Algorithm) String() string {
	if names := Algorithms(); int(a) < len(names) {
		return names[a]
	}
	return fmt.Sprintf("algorithm %d", uint8(a))
}

// FindOptions say how a counterexample is looked for.
type FindOptions struct {
	Algorithm Algorithm
	// Bound, where it is positive, leaves out counterexamples with a
	// [Lasso.Length] of Bound or more. ColourDFS takes none.
	Bound int
	// ColourFirst is [ContrexOptions.ColourFirst]; no other algorithm takes it.
	ColourFirst bool
}

// Find returns a counterexample of g, found by the algorithm of o; nil if there
// is none below the bound. Where yield is not nil, each counterexample of Contrex
// is given to it as that describes; the other algorithms give it the one that
// they return. It fails as the algorithm does, and where the algorithm of o does
// not exist or takes no bound.
func Find(ctx context.Context, g Graph, o FindOptions, yield func(Lasso, Stats) bool) (*Lasso, Stats, error) {
	var lasso *Lasso
	var stats Stats
	var err error
	switch {
	case o.Algorithm == ByContrex:
		return contrex(ctx, g, contrexOptions{Bound: o.Bound, ColourFirst: o.ColourFirst}, yield)
	case o.ColourFirst:
		return nil, Stats{}, fmt.Errorf("buchi: %s takes no search by colours before it", o.Algorithm)
	case o.Algorithm == ByPriority:
		lasso, stats, err = priority(ctx, g, o.Bound)
	case o.Algorithm != ByColour:
		return nil, Stats{}, fmt.Errorf("buchi: there is no %s", o.Algorithm)
	case o.Bound > 0:
		return nil, Stats{}, fmt.Errorf("buchi: ColourDFS takes no bound")
	default:
		lasso, stats, err = colourDFS(ctx, g)
	}
	if lasso != nil && err == nil && yield != nil {
		yield(*lasso, stats)
	}
	return lasso, stats, err
}
