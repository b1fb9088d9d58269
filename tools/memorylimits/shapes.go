package main

import (
	"context"

	"github.com/inev-lts/inev/internal/lts/generate"
)

// shape is a kind of model of one size.
type shape struct {
	name string
	spec generate.Spec
}

// shapes returns models of about this many transitions: long and wide ones, with components that
// are small, large, or the whole model, with few labels and many, and with sources that ascend or
// do not.
func shapes(ctx context.Context, n int) ([]shape, error) {
	root := 1
	for root*root < n {
		root++
	}
	side := root * 7 / 10
	all := []shape{
		{"chain", generate.Spec{Kind: "chain", States: n}},
		{"chain, shuffled", generate.Spec{Kind: "chain", States: n, Shuffle: true}},
		{"cycle", generate.Spec{Kind: "cycle", States: n}},
		{"component", generate.Spec{
			Kind:     "scc",
			States:   n / 4,
			Degree:   4,
			Locality: 1000,
			Labels:   1000,
		}},
		{"component, far targets", generate.Spec{
			Kind:   "scc",
			States: n / 4,
			Degree: 4,
			Labels: 1000,
		}},
		{"component, shuffled", generate.Spec{
			Kind:     "scc",
			States:   n / 4,
			Degree:   4,
			Locality: 1000,
			Labels:   1000,
			Shuffle:  true,
		}},
		{"random", generate.Spec{Kind: "random", States: n / 3, Degree: 3}},
		{"random, shuffled", generate.Spec{
			Kind:    "random",
			States:  n / 3,
			Degree:  3,
			Shuffle: true,
		}},
		{"random, many labels", generate.Spec{Kind: "random", States: n / 3, Degree: 3, Labels: n}},
		{"random, dense", generate.Spec{Kind: "random", States: n / 50, Degree: 50}},
		{"layers, wide", generate.Spec{
			Kind:   "layered",
			Width:  1000,
			Height: max(2, n/2000),
			Degree: 2,
		}},
		{"layers, narrow", generate.Spec{
			Kind:   "layered",
			Width:  10,
			Height: max(2, n/20),
			Degree: 2,
		}},
		{"grid", generate.Spec{Kind: "grid", Width: side, Height: side}},
		{"torus", generate.Spec{Kind: "grid", Width: side, Height: side, Wrap: true}},
		{"star", generate.Spec{Kind: "star", States: n}},
		{"complete", generate.Spec{Kind: "complete", States: root}},
		{"stages", generate.Spec{Kind: "stages", Height: 8, Width: max(2, n/64)}},
		{"data in labels", generate.Spec{Kind: "datarich", States: n / 3, Degree: 3}},
		{"parallel", generate.Spec{Kind: "parallel", Transitions: n}},
	}
	philosophers, err := processes(ctx, generate.Spec{Kind: "philosophers", Processes: 3}, n)
	return append(all, shape{"philosophers", philosophers}), err
}

// processes adds processes to a model as long as it has at most this many transitions.
func processes(ctx context.Context, spec generate.Spec, n int) (generate.Spec, error) {
	for {
		larger := spec
		larger.Processes++
		_, transitions, err := larger.Size(ctx)
		if err != nil || transitions > int64(n) {
			return spec, err
		}
		spec = larger
	}
}
