package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/buchi"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// subject is a mutual exclusion algorithm of Table 1.
type subject struct {
	name string
	// model is the .aut file in the folder of examples, promela the one of SPIN.
	model, promela string
	// made is the command by which the model was made.
	made string
}

func subjects() []subject {
	return []subject{
		{"Peterson", "peterson/peterson.aut", "peterson.pml", "go run ./examples/peterson"},
		{"Dekker", "dekker/dekker.aut", "dekker.pml", "go run ./examples/dekker"},
		{"Dijkstra", "dijkstra/dijkstra.aut", "dijkstra.pml", "go run ./examples/dijkstra -n 3"},
		{"Hyman", "hyman/hyman.aut", "hyman.pml", "go run ./examples/hyman"},
	}
}

// entering is the property of all subjects: process 0 enters. Every one of them
// violates it, for a scheduler need not let process 0 run.
const entering = `Inev("ENTER !0")`

// search is one of the searches that the tables compare.
type search struct {
	name string
	run  func(ctx context.Context, g buchi.Graph) (*buchi.Lasso, buchi.Stats, error)
}

// The names of searches that tables look for.
const (
	spinLeastName       = "SPIN's minimising search, as described"
	contrexAfterColours = "Contrex after colour-DFS"
)

func searches() []search {
	by := func(o buchi.FindOptions) func(context.Context, buchi.Graph) (*buchi.Lasso, buchi.Stats, error) {
		return func(ctx context.Context, g buchi.Graph) (*buchi.Lasso, buchi.Stats, error) {
			return buchi.Find(ctx, g, o, nil)
		}
	}
	return []search{
		{"nested DFS of SPIN, first one found", spinFirst},
		{"colour-DFS, first one found", by(buchi.FindOptions{Algorithm: buchi.ByColour})},
		{spinLeastName, spinLeast},
		{"Contrex (DFS_MIN)", by(buchi.FindOptions{Algorithm: buchi.ByContrex})},
		{contrexAfterColours, by(buchi.FindOptions{Algorithm: buchi.ByContrex, ColourFirst: true})},
		{"priority search", by(buchi.FindOptions{Algorithm: buchi.ByPriority})},
	}
}

// comparison is what was measured of one subject.
type comparison struct {
	m    *lts.LTS
	rows []figures
}

// compare runs all searches on a subject, whose model lies below root.
func compare(ctx context.Context, root string, s subject) (*comparison, error) {
	m, _, err := aut.Open(ctx, filepath.Join(root, "examples", filepath.FromSlash(s.model)), aut.Options{})
	if err != nil {
		return nil, err
	}
	f, err := actl.Parse(context.Background(), entering)
	if err != nil {
		return nil, err
	}
	bound, _, _ := f.Bind(context.Background(), m.Alphabet())
	p, _ := bound.Chain()
	product, err := buchi.NewProduct(ctx, m, p.Property())
	if err != nil {
		return nil, err
	}
	c := &comparison{m: m}
	for _, search := range searches() {
		lasso, stats, err := search.run(ctx, product)
		if err != nil {
			return nil, err
		}
		if lasso == nil {
			return nil, fmt.Errorf("%s: %s finds no counterexample", s.name, search.name)
		}
		trace, err := product.Trace(*lasso)
		if err != nil {
			return nil, err
		}
		c.rows = append(c.rows, row(search.name, trace, stats))
	}
	components, err := scc.Find(ctx, m, "")
	if err != nil {
		return nil, err
	}
	found, err := counterexample.Shortest(ctx, m, p.Property(), counterexample.Options{Components: components})
	if err != nil {
		return nil, err
	}
	c.rows = append(c.rows, row("inev, on the model itself", found.Trace, buchi.Stats{Stats: found.Stats}))
	return c, nil
}

func row(name string, t *counterexample.Trace, s buchi.Stats) figures {
	return figures{name, fmt.Sprint(s.Length), fmt.Sprint(t.Len()), fmt.Sprint(s.Stored), fmt.Sprint(s.Matched), fmt.Sprint(s.Found)}
}
