package main

import (
	"context"

	"github.com/inev-lts/inev/lts/generate"
)

// The models are of the kinds that inev generate has, by the number of
// transitions wanted.

// local is the reference model: one strongly connected component of which every
// transition leads to a state that is near.
func local(transitions int) generate.Spec {
	return generate.Spec{Kind: "scc", States: transitions / 3, Locality: 1000}
}

// far has transitions to anywhere: every one is a cache miss.
func far(transitions int) generate.Spec {
	return generate.Spec{Kind: "random", States: transitions / 3}
}

// farComponent is one strongly connected component with transitions to anywhere.
func farComponent(transitions int) generate.Spec {
	return generate.Spec{Kind: "scc", States: transitions / 3}
}

// dense is one strongly connected component with seven transitions a state.
func dense(transitions int) generate.Spec {
	return generate.Spec{Kind: "scc", States: transitions / 7, Degree: 7, Locality: 1000}
}

// cycle goes once through all states.
func cycle(transitions int) generate.Spec {
	return generate.Spec{Kind: "cycle", States: transitions, Labels: 5}
}

// layers has as many components as states.
func layers(transitions int) generate.Spec {
	const height = 100
	return generate.Spec{Kind: "layered", Width: max(1, transitions/2/height), Height: height, Degree: 2, Labels: 102}
}

// dining is the largest table of philosophers with no more transitions.
func (l *laboratory) dining(ctx context.Context, transitions int) (generate.Spec, error) {
	s := generate.Spec{Kind: "philosophers", Processes: 2}
	for {
		next := s
		next.Processes++
		told, err := l.do(ctx, task{Do: "size", Spec: next})
		if err != nil || told.Transitions > int64(transitions) {
			return s, err
		}
		s = next
	}
}
