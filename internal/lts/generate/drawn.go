package generate

import (
	"context"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/lts"
)

// actions returns count labels, ACTION !0, ACTION !1 and so on. The label first comes before them,
// unless it is "".
func actions(count int, first string) labelling {
	if first == "" {
		return labelling{
			uint64(count),
			func(text []byte, label uint64) []byte {
				return numbered(text, "ACTION !", label)
			},
		}
	}
	return labelling{uint64(count) + 1, func(text []byte, label uint64) []byte {
		if label == 0 {
			return append(text, first...)
		}
		return numbered(text, "ACTION !", label-1)
	}}
}

func numbered(text []byte, name string, number uint64) []byte {
	return strconv.AppendUint(append(text, name...), number, 10)
}

// named are labels with these texts.
func named(names ...string) labelling {
	return labelling{
		uint64(len(names)),
		func(text []byte, label uint64) []byte {
			return append(text, names[label]...)
		},
	}
}

func newRandom(_ context.Context, s Spec) (model, error) {
	count := uint64(s.Labels)
	return newTree(s, actions(s.Labels, ""), func(r *numbers, _ uint64) uint64 {
		return r.below(count)
	})
}

// newDataRich numbers its labels by the transition and, in the two lowest bits, by the gate. Their
// texts are not kept, since each label occurs only once.
func newDataRich(_ context.Context, s Spec) (model, error) {
	labels := labelling{0, func(text []byte, label uint64) []byte {
		return numbered(text, [...]string{"PUT !", "GET !", "DROP !"}[label&3], label>>2)
	}}
	return newTree(s, labels, func(r *numbers, transition uint64) uint64 {
		return transition<<2 | r.below(3)
	})
}

// tree is a binary tree of states numbered breadth first, with further transitions to random states.
type tree struct {
	seed   uint64
	states uint64
	degree uint64 // the number of transitions of a state, on average
	arity  uint64 // the largest number of children
}

// newTree returns the model of a tree. draw returns the label of a transition.
func newTree(
	s Spec,
	labels labelling,
	draw func(r *numbers, transition uint64) uint64,
) (model, error) {
	t := &tree{
		seed:   s.Seed,
		states: uint64(s.States),
		degree: uint64(s.Degree),
		arity:  uint64(min(s.Degree, 2)),
	}
	var r numbers // all states share this variable: draw makes it escape to the heap, so that one for each state would take long
	return model{
		labels:      labels,
		states:      t.states,
		transitions: t.states * t.degree,
		row: func(add sink, state uint64) {
			firstChild, children := t.childrenOf(state)
			count, before := t.outDegree(state)
			r = numbersOf(t.seed, state)
			for i := range count {
				to := firstChild + i
				if i >= children {
					to = r.below(t.states)
				}
				if !add(state, draw(&r, before+i), to) {
					return
				}
			}
		},
	}, nil
}

// childrenOf returns the least child of a state, and the number of its children.
func (t *tree) childrenOf(state uint64) (first, count uint64) {
	first = t.arity*state + 1
	if first >= t.states {
		return first, 0
	}
	return first, min(t.arity, t.states-first)
}

// outDegree returns how many transitions leave a state, and how many leave all states before it. Two
// states with consecutive numbers share the transitions of both, so that the sums are known although
// degrees are random: one state has as many more than the average as the other has less. A state has at
// least as many transitions as children.
func (t *tree) outDegree(state uint64) (count, before uint64) {
	pair := state / 2
	isFirst := state%2 == 0
	beforePair := pair * 2 * t.degree
	isAlone := isFirst && state == t.states-1
	if isAlone {
		return t.degree, beforePair
	}
	_, children := t.childrenOf(2 * pair) // the second state has no more children
	spread := t.degree - children
	r := numbersOf(t.seed, 1<<62|pair)
	ofFirst := t.degree - spread + r.below(2*spread+1)
	if isFirst {
		return ofFirst, beforePair
	}
	return 2*t.degree - ofFirst, beforePair + ofFirst
}

// newLayered returns a model of layers of equal width. The initial state leads to each state of the first
// layer, and each state to random states of the next layer. The states of the last layer are deadlocks.
func newLayered(_ context.Context, s Spec) (model, error) {
	width, height := board(s)
	labels := uint64(s.Labels)
	degree := uint64(s.Degree)
	// A random label for a transition that leaves a layer is one of three whose numbers rise with
	// the layer, so that a label missed early can no longer be done later.
	draw := func(r *numbers, layer uint64) uint64 {
		return min(layer*labels/height+r.below(3), labels-1)
	}
	addFirstRow := func(add sink) {
		r := numbersOf(s.Seed, 0)
		for place := range width {
			if !add(0, draw(&r, 0), 1+place) {
				return
			}
		}
	}
	return model{
		labels:      actions(s.Labels, ""),
		states:      1 + width*height,
		transitions: width + width*(height-1)*degree,
		row: func(add sink, state uint64) {
			if state == 0 {
				addFirstRow(add)
				return
			}
			layer := (state-1)/width + 1
			if layer == height {
				return
			}
			r := numbersOf(s.Seed, state)
			// The first transition leads to the same position in the next layer, so that every
			// state is reachable.
			add(state, draw(&r, layer), state+width)
			nextLayer := 1 + layer*width // its first state
			for range degree - 1 {
				if !add(state, draw(&r, layer), nextLayer+r.below(width)) {
					return
				}
			}
		},
	}, nil
}

// layeredFormula asks for a label of the early layers, and then for one of the
// late layers.
func layeredFormula(labels int) string {
	return fmt.Sprintf(`Inev("ACTION !%d", "ACTION !%d")`, labels/3, 2*labels/3)
}

// newComponent returns a random strongly connected model: a loop through all states, and random
// transitions. If the model has a locality, the numbers of source and target differ by no more than
// that, except in the transition that closes the loop. A transition to the same or a smaller number
// has the label BACK.
func newComponent(_ context.Context, s Spec) (model, error) {
	states := uint64(s.States)
	degree := uint64(s.Degree)
	labels := uint64(s.Labels)
	locality := uint64(s.Locality)
	return model{
		labels:      actions(s.Labels, "BACK"),
		states:      states,
		transitions: states * degree,
		row: func(add sink, state uint64) {
			r := numbersOf(s.Seed, state)
			lowest := uint64(0)
			places := states
			if locality > 0 {
				lowest = max(state, locality) - locality
				places = min(state+locality, states-1) - lowest + 1
			}
			to := (state + 1) % states
			for range degree {
				label := 1 + r.below(labels)
				if to <= state {
					label = 0
				}
				if !add(state, label, to) {
					return
				}
				to = lowest + r.below(places)
			}
		},
	}, nil
}

// golden is 2^64 divided by the golden ratio, made odd.
const golden = 0x9e3779b97f4a7c15

// mix is the finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable
// pseudorandom number generators, OOPSLA 2014): a bijection of 64-bit numbers that
// leaves no trace of the order of its arguments.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// numbers is a sequence of pseudorandom numbers, SplitMix64 itself.
type numbers uint64

// numbersOf returns one of the sequences of a seed, by its number.
func numbersOf(seed, sequence uint64) numbers {
	return numbers(mix(mix(seed+golden) + sequence*golden))
}

func (r *numbers) next() uint64 {
	*r += golden
	return mix(uint64(*r))
}

// below returns a number from 0 to n-1. The probabilities of two numbers differ
// by a factor of less than 1 + n/2^64 (Lemire: Fast random integer generation in
// an interval, 2019, without its correction).
func (r *numbers) below(n uint64) uint64 {
	high, _ := bits.Mul64(r.next(), n)
	return high
}

// permutation is a bijection of the numbers from 0 to n-1 that is computed, not
// stored.
type permutation struct {
	n, mask uint64
	shift   uint
	factors [3]uint64 // odd numbers, which are units modulo a power of two
	terms   [3]uint64
}

// newPermutation returns the permutation of n numbers that belongs to the seed.
func newPermutation(n, seed uint64) *permutation {
	width := max(1, bits.Len64(n-1))
	p := &permutation{n: n, mask: 1<<width - 1, shift: uint(width+1) / 2}
	r := numbersOf(seed, 1<<63)
	for i := range p.factors {
		p.factors[i] = r.next() | 1
		p.terms[i] = r.next()
	}
	return p
}

// at returns the image of i. Each round permutes the numbers of as many bits as n
// needs; a result that is not below n is permuted again until it is (Black,
// Rogaway: Ciphers with arbitrary finite domains, 2002, method 2), less than once
// on average.
func (p *permutation) at(i uint64) uint64 {
	for {
		for round, factor := range p.factors {
			i = (i*factor + p.terms[round]) & p.mask
			i ^= i >> p.shift
		}
		if i < p.n {
			return i
		}
	}
}

// board returns width and height.
func board(s Spec) (width, height uint64) { return uint64(s.Width), uint64(s.Height) }

// checkBoard returns an error if width and height make too many states to be counted without overflow.
func checkBoard(s Spec) error {
	high, states := bits.Mul64(uint64(s.Width), uint64(s.Height))
	if high > 0 || states > lts.MaxStates {
		return fmt.Errorf("width %d and height %d make more than %d states; ask for a smaller model", s.Width, s.Height, int64(lts.MaxStates))
	}
	return nil
}

func newChain(_ context.Context, s Spec) (model, error) { return line(s, s.States-1, "END") }

func newCycle(_ context.Context, s Spec) (model, error) { return line(s, s.States, "BACK") }

// line is a chain or a cycle: the last transition has its own label, label 0.
func line(s Spec, length int, last string) (model, error) {
	states := uint64(s.States)
	transitions := uint64(length)
	labels := uint64(s.Labels)
	return model{
		labels:      actions(s.Labels, last),
		states:      states,
		transitions: transitions,
		row: func(add sink, state uint64) {
			if state == transitions {
				return
			}
			label := 1 + state%labels
			if state == transitions-1 {
				label = 0
			}
			add(state, label, (state+1)%states)
		},
	}, nil
}

// newGrid returns a board of states with transitions to the right and down. If it wraps, the last column
// leads to the first one, and the last row to the first one.
func newGrid(_ context.Context, s Spec) (model, error) {
	const (
		right = iota
		down
	)
	width, height := board(s)
	states := width * height
	transitions := states - height + states - width
	if s.Wrap {
		transitions = 2 * states
	}
	return model{
		labels:      named("RIGHT", "DOWN"),
		states:      states,
		transitions: transitions,
		row: func(add sink, state uint64) {
			column := state % width
			if column+1 < width {
				add(state, right, state+1)
			} else if s.Wrap {
				add(state, right, state-column)
			}
			below := state + width
			if below < states {
				add(state, down, below)
			} else if s.Wrap {
				add(state, down, column)
			}
		},
	}, nil
}

func newStar(_ context.Context, s Spec) (model, error) { return fan(s, s.States, s.States-1) }

func newParallel(_ context.Context, s Spec) (model, error) { return fan(s, 2, s.Transitions) }

// fan returns a star, in which the transitions of the first state lead to a state each, or parallel
// transitions, which lead from the first state to one other state.
func fan(s Spec, states, transitions int) (model, error) {
	labels := uint64(s.Labels)
	others := uint64(states) - 1
	return model{
		labels:      actions(s.Labels, ""),
		states:      uint64(states),
		transitions: uint64(transitions),
		row: func(add sink, state uint64) {
			if state > 0 {
				return
			}
			for i := range uint64(transitions) {
				if !add(state, i%labels, 1+i%others) {
					return
				}
			}
		},
	}, nil
}

// newComplete returns a complete graph: each state has a transition to each other one, with a random label.
func newComplete(_ context.Context, s Spec) (model, error) {
	states := uint64(s.States)
	labels := uint64(s.Labels)
	return model{
		labels:      actions(s.Labels, ""),
		states:      states,
		transitions: states * (states - 1),
		row: func(add sink, state uint64) {
			r := numbersOf(s.Seed, state)
			for to := range states {
				if to != state && !add(state, r.below(labels), to) {
					return
				}
			}
		},
	}, nil
}

// newStages returns a sequence of stages. WORK leads through the states of a stage one by one. From
// each state of a stage, STEP leads to the next stage; from the last state, SKIP also leads there,
// without the step.
func newStages(_ context.Context, s Spec) (model, error) {
	width, height := board(s)
	const work = 0
	stepOf := func(stage uint64) uint64 { return 1 + 2*stage }
	skipOf := func(stage uint64) uint64 { return 2 + 2*stage }
	labels := labelling{1 + 2*height, func(text []byte, label uint64) []byte {
		stage := (label - 1) / 2
		switch label {
		case work:
			return append(text, "WORK"...)
		case stepOf(stage):
			return numbered(text, "STEP !", stage)
		}
		return numbered(text, "SKIP !", stage)
	}}
	return model{
		labels:      labels,
		states:      width*height + 1,
		transitions: 2 * width * height,
		row: func(add sink, state uint64) {
			stage := state / width
			if stage == height {
				return
			}
			nextStage := (stage + 1) * width // its first state
			add(state, stepOf(stage), nextStage)
			if state+1 < nextStage {
				add(state, work, state+1)
			} else {
				add(state, skipOf(stage), nextStage)
			}
		},
	}, nil
}

// stagesFormula asks for all steps of a model of this many stages.
func stagesFormula(height int) string {
	steps := make([]string, height)
	for i := range steps {
		steps[i] = fmt.Sprintf(`"STEP !%d"`, i)
	}
	return "Inev(" + strings.Join(steps, ", ") + ")"
}

// newRing returns a first state followed by layers of states: transitions lead from the first state
// to a layer, from each layer to the next one, and from the last layer to the first. A transition
// leads from the last state to a deadlock.
func newRing(_ context.Context, s Spec) (model, error) {
	width, height := board(s)
	g := ring{
		width:  width,
		height: height,
		degree: uint64(s.Degree),
		last:   width * height,
		seed:   s.Seed,
	}
	return model{
		labels:      named("NEXT", "BACK", "END"),
		states:      g.last + 2,
		transitions: width + g.last*g.degree + 1,
		row:         g.addRow,
	}, nil
}

// ring is the model of [newRing]. Its states are the first state, the layers, and a deadlock.
type ring struct {
	width, height, degree uint64
	last                  uint64 // the last state of the last layer
	seed                  uint64
}

// addRow adds the transitions of a state.
func (g ring) addRow(add sink, state uint64) {
	const (
		next = iota
		back
		end
	)
	switch {
	case state > g.last:
		return
	case state == 0:
		for place := range g.width {
			if !add(state, next, 1+place) {
				return
			}
		}
		return
	}
	layer := (state - 1) / g.width
	place := (state - 1) % g.width
	label := uint64(next)
	nextLayer := 1 + (layer+1)*g.width // its first state
	if layer == g.height-1 {
		label = back
		nextLayer = 1
	}
	r := numbersOf(g.seed, state)
	// The first transition leads to the same position in the next layer, so that every
	// state is reachable.
	for range g.degree {
		if !add(state, label, nextLayer+place) {
			return
		}
		place = r.below(g.width)
	}
	if state == g.last {
		add(state, end, g.last+1)
	}
}

// newCarousel returns a ring of layers: transitions lead from each state to the first and third
// position after its own in the next layer, and from each state of the last layer also to its own
// position in the middle one. Its states are the leaves of a tree.
func newCarousel(_ context.Context, s Spec) (model, error) {
	width, height := board(s)
	ring := width * height
	inner := (ring + branches - 3) / (branches - 1)
	g := carousel{
		width:    width,
		height:   height,
		inner:    inner,
		deadlock: inner + ring,
	}
	return model{
		labels:      named("DOWN", "NEXT", "SKIP", "END"),
		states:      g.deadlock + 1,
		transitions: inner + ring - 1 + 2*ring + width + 1,
		row:         g.addRow,
	}, nil
}

// branches is the number of transitions from a state inside the tree of a carousel.
const branches = 8

// carousel is the model of [newCarousel]. Its states are those inside the tree, the layers, and a deadlock.
type carousel struct {
	width, height uint64
	inner         uint64 // the number of states inside the tree
	deadlock      uint64
}

// addRow adds the transitions of a state.
func (g carousel) addRow(add sink, state uint64) {
	const (
		down = iota
		next
		skip
		end
	)
	switch {
	case state == g.deadlock:
		return
	case state < g.inner:
		first := branches*state + 1
		for to := first; to < min(first+branches, g.deadlock); to++ {
			if !add(state, down, to) {
				return
			}
		}
		return
	}
	layer := (state - g.inner) / g.width
	place := (state - g.inner) % g.width
	nextLayer := g.firstOf((layer + 1) % g.height)
	add(state, next, nextLayer+(place+1)%g.width)
	add(state, next, nextLayer+(place+3)%g.width)
	if layer == g.height-1 {
		add(state, skip, g.firstOf(g.height/2)+place)
	}
	if state == g.deadlock-1 {
		add(state, end, g.deadlock)
	}
}

// firstOf returns the first state of a layer.
func (g carousel) firstOf(layer uint64) uint64 { return g.inner + layer*g.width }
