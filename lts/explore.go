package lts

import (
	"context"
	"fmt"
)

// Explore builds, breadth first, the LTS of those states of a program that are reachable from initial by
// the transitions that successors lists: state 0 is initial, and states are numbered in the order in
// which they are found. successors must call do for every transition that leaves a state of the program,
// always in the same order. Explore also returns the state of the program for each number.
//
// It fails if more than limit states are found (a limit of 0 means [MaxStates]), and then returns
// the states found so far; it also fails if ctx is done. Cost: one call of successors for each
// state, and one look-up in a hash table for each transition.
func Explore[S comparable](
	ctx context.Context,
	initial S,
	successors func(s S, do func(label string, next S)),
	limit int,
) (*LTS, []S, error) {
	if limit <= 0 {
		limit = MaxStates
	}
	var (
		b       Builder
		states  = []S{initial}
		numbers = map[S]State{initial: 0}
	)
	for from := 0; from < len(states); from++ {
		if from%1024 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if len(states) > limit {
			return nil, states, fmt.Errorf("lts: the model has more than %d states; raise the limit or make the model finite", limit)
		}
		successors(states[from], func(label string, next S) {
			to, known := numbers[next]
			if !known {
				to = State(len(states))
				numbers[next] = to
				states = append(states, next)
			}
			b.Add(State(from), b.Label(label), to)
		})
	}
	m, err := b.Build(0, len(states))
	return m, states, err
}
