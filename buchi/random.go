package buchi

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// Random returns a random automaton with the given numbers of states, of
// distinct edges (self-loops among them) and of accepting states, each choice
// equally likely; state 0 is the initial state, and the order of successors is
// random too. Edges have no labels. The same arguments give the same automaton,
// on every machine.
//
// [SPIN04], Table 2, reports on random graphs of 20, 100 and 1000 states, but says
// neither how many edges nor how many accepting states they have. It fails if
// there are more edges than pairs of states, or more accepting states than
// states. Cost O(states + edges), with a hash table of all edges.
func Random(states, edges, accepting int, seed uint64) (*Automaton, error) {
	switch {
	case states < 1 || states > maxStates:
		return nil, fmt.Errorf("buchi: a random automaton of %d states; there must be 1 to %d", states, maxStates)
	case edges < 0 || uint64(edges) > uint64(states)*uint64(states):
		return nil, fmt.Errorf("buchi: %d random edges between %d states; there must be 0 to %d", edges, states, uint64(states)*uint64(states))
	case accepting < 0 || accepting > states:
		return nil, fmt.Errorf("buchi: %d of %d random states accepting", accepting, states)
	}
	source := rand.NewPCG(seed, 0)
	var b Builder
	for _, s := range sample(source, uint64(states), accepting) {
		b.Accept(State(s))
	}
	for _, e := range sample(source, uint64(states)*uint64(states), edges) {
		b.Add(State(e/uint64(states)), State(e%uint64(states)))
	}
	return b.Build(0, states)
}

// sample returns count distinct numbers below n in random order: Floyd's
// algorithm (J. Bentley, Programming Pearls: a sample of brilliance, CACM 30(9),
// 1987), then a shuffle. It draws from the source itself, whose numbers are fixed
// by its definition; the methods of rand.Rand may change.
func sample(source *rand.PCG, n uint64, count int) []uint64 {
	chosen := make(map[uint64]bool, count)
	numbers := make([]uint64, 0, count)
	for last := n - uint64(count); last < n; last++ {
		number := below(source, last+1)
		if chosen[number] {
			number = last
		}
		chosen[number] = true
		numbers = append(numbers, number)
	}
	for i := len(numbers) - 1; i > 0; i-- {
		j := below(source, uint64(i)+1)
		numbers[i], numbers[j] = numbers[j], numbers[i]
	}
	return numbers
}

// below returns a number below n; its bias, of at most n/2^64, does not matter.
func below(source *rand.PCG, n uint64) uint64 {
	high, _ := bits.Mul64(source.Uint64(), n)
	return high
}
