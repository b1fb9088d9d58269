package generate

import (
	"context"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
)

// actions are the labels ACTION !0, ACTION !1 and so on.
type actions struct{ count uint64 }

func (a actions) labels() uint64 { return a.count }

func (a actions) appendLabel(text []byte, label uint64) []byte {
	return strconv.AppendUint(append(text, "ACTION !"...), label, 10)
}

// actionsAnd are actions behind a first label with a name of its own.
type actionsAnd struct {
	actions
	first string
}

func (a actionsAnd) labels() uint64 { return a.count + 1 }

func (a actionsAnd) appendLabel(text []byte, label uint64) []byte {
	if label == 0 {
		return append(text, a.first...)
	}
	return a.actions.appendLabel(text, label-1)
}

// names are labels with these texts.
type names []string

func (n names) labels() uint64 { return uint64(len(n)) }

func (n names) appendLabel(text []byte, label uint64) []byte { return append(text, n[label]...) }

// tree is a binary tree of states numbered breadth first, with further
// transitions to random states. The kinds random and datarich share it.
type tree struct {
	states, degree uint64
	arity          uint64
	seed           uint64
}

func newTree(s Spec) tree {
	return tree{uint64(s.States), uint64(s.Degree), uint64(min(s.Degree, 2)), s.Seed}
}

func (t tree) size() (states, transitions uint64) { return t.states, t.states * t.degree }

// children returns the least child of a state, and how many there are.
func (t tree) children(state uint64) (first, count uint64) {
	first = t.arity*state + 1
	if first >= t.states {
		return first, 0
	}
	return first, min(t.arity, t.states-first)
}

// outDegree returns how many transitions leave a state, and how many leave all
// states before it. Two states with consecutive numbers share the transitions of
// both, so that the sums are known although degrees are random: one state has as
// many more than the average as the other has less. A state has at least as many
// transitions as children.
func (t tree) outDegree(state uint64) (count, before uint64) {
	pair := state / 2
	before = pair * 2 * t.degree
	if state == t.states-1 && state%2 == 0 {
		return t.degree, before
	}
	_, children := t.children(2 * pair) // the other state has no more children
	spread := t.degree - children
	r := numbersOf(t.seed, 1<<62|pair)
	count = t.degree - spread + r.below(2*spread+1)
	if state%2 == 0 {
		return count, before
	}
	return 2*t.degree - count, before + count
}

type random struct {
	tree
	actions
}

func newRandom(_ context.Context, s Spec) model {
	return &random{newTree(s), actions{uint64(s.Labels)}}
}

func (m *random) row(out sink, state uint64) {
	out.from(state)
	first, children := m.children(state)
	count, _ := m.outDegree(state)
	r := numbersOf(m.seed, state)
	for i := range count {
		to := first + i
		if i >= children {
			to = r.below(m.states)
		}
		out.add(r.below(m.count), to)
	}
}

// dataRich numbers its labels by the transition and, in the two lowest bits, by
// the gate.
type dataRich struct{ tree }

func newDataRich(_ context.Context, s Spec) model { return &dataRich{newTree(s)} }

func (m *dataRich) row(out sink, state uint64) {
	out.from(state)
	first, children := m.children(state)
	count, before := m.outDegree(state)
	r := numbersOf(m.seed, state)
	for i := range count {
		to := first + i
		if i >= children {
			to = r.below(m.states)
		}
		out.add((before+i)<<2|r.below(3), to)
	}
}

func (m *dataRich) labels() uint64 { return 0 } // none is worth keeping: each is met once

func (m *dataRich) appendLabel(text []byte, label uint64) []byte {
	gate := [...]string{"PUT !", "GET !", "DROP !"}[label&3]
	return strconv.AppendUint(append(text, gate...), label>>2, 10)
}

type layered struct {
	actions
	width, height, degree, seed uint64
}

func newLayered(_ context.Context, s Spec) model {
	checkBoard(s)
	return &layered{actions{uint64(s.Labels)}, uint64(s.Width), uint64(s.Height), uint64(s.Degree), s.Seed}
}

func (m *layered) size() (states, transitions uint64) {
	return 1 + m.width*m.height, m.width + m.width*(m.height-1)*m.degree
}

// row makes the first transition of a state lead to the same position in the next
// layer, so that every state is reachable.
func (m *layered) row(out sink, state uint64) {
	out.from(state)
	r := numbersOf(m.seed, state)
	if state == 0 {
		for i := range m.width {
			out.add(m.label(&r, 0), 1+i)
		}
		return
	}
	layer := (state-1)/m.width + 1
	if layer == m.height {
		return
	}
	out.add(m.label(&r, layer), state+m.width)
	for range m.degree - 1 {
		out.add(m.label(&r, layer), 1+layer*m.width+r.below(m.width))
	}
}

// label returns a random label for a transition that leaves a layer: one of three
// labels whose numbers rise with the layer, so that a label missed early can no
// longer be done later.
func (m *layered) label(r *numbers, layer uint64) uint64 {
	return min(layer*m.count/m.height+r.below(3), m.count-1)
}

// layeredFormula asks for a label of the early layers, and then for one of the
// late layers.
func layeredFormula(labels int) string {
	return fmt.Sprintf(`Inev("ACTION !%d", "ACTION !%d")`, labels/3, 2*labels/3)
}

type component struct {
	actionsAnd
	states, degree, seed uint64
	locality             uint64 // the locality of transitions, 0 if there is no bound
}

func newComponent(_ context.Context, s Spec) model {
	return &component{actionsAnd{actions{uint64(s.Labels)}, "BACK"}, uint64(s.States), uint64(s.Degree), s.Seed, uint64(s.Locality)}
}

func (m *component) size() (states, transitions uint64) { return m.states, m.states * m.degree }

func (m *component) row(out sink, state uint64) {
	out.from(state)
	r := numbersOf(m.seed, state)
	lowest, places := uint64(0), m.states
	if m.locality > 0 {
		lowest = max(state, m.locality) - m.locality
		places = min(state+m.locality, m.states-1) - lowest + 1
	}
	to := (state + 1) % m.states
	for range m.degree {
		label := 1 + r.below(m.count)
		if to <= state {
			label = 0
		}
		out.add(label, to)
		to = lowest + r.below(places)
	}
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

// numbersOf returns one of the sequences of a seed; which is the number of the
// sequence.
func numbersOf(seed, which uint64) numbers { return numbers(mix(mix(seed+golden) + which*golden)) }

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

// checkBoard fails if width and height make too many states to be counted
// without overflow.
func checkBoard(s Spec) {
	high, states := bits.Mul64(uint64(s.Width), uint64(s.Height))
	if high > 0 || states > lts.MaxStates {
		abort.On(fmt.Errorf("width %d and height %d make more than %d states; ask for a smaller model", s.Width, s.Height, int64(lts.MaxStates)))
	}
}

// line is a chain or a cycle: the last transition has its own label, label 0.
type line struct {
	actionsAnd
	states, transitions uint64
}

func newChain(_ context.Context, s Spec) model {
	return &line{actionsAnd{actions{uint64(s.Labels)}, "END"}, uint64(s.States), uint64(s.States) - 1}
}

func newCycle(_ context.Context, s Spec) model {
	return &line{actionsAnd{actions{uint64(s.Labels)}, "BACK"}, uint64(s.States), uint64(s.States)}
}

func (m *line) size() (states, transitions uint64) { return m.states, m.transitions }

func (m *line) row(out sink, state uint64) {
	if state == m.transitions {
		return
	}
	label := 1 + state%m.count
	if state == m.transitions-1 {
		label = 0
	}
	out.from(state)
	out.add(label, (state+1)%m.states)
}

type grid struct {
	names
	width, height uint64
	wrap          bool
}

func newGrid(_ context.Context, s Spec) model {
	checkBoard(s)
	return &grid{names{"RIGHT", "DOWN"}, uint64(s.Width), uint64(s.Height), s.Wrap}
}

func (m *grid) size() (states, transitions uint64) {
	states = m.width * m.height
	if m.wrap {
		return states, 2 * states
	}
	return states, states - m.height + states - m.width
}

func (m *grid) row(out sink, state uint64) {
	out.from(state)
	column := state % m.width
	if column+1 < m.width {
		out.add(0, state+1)
	} else if m.wrap {
		out.add(0, state-column)
	}
	if below := state + m.width; below < m.width*m.height {
		out.add(1, below)
	} else if m.wrap {
		out.add(1, column)
	}
}

// fan is a star or parallel transitions: all lead from the first state, to a state each or to one.
type fan struct {
	actions
	states, transitions uint64
}

func newStar(_ context.Context, s Spec) model {
	return &fan{actions{uint64(s.Labels)}, uint64(s.States), uint64(s.States) - 1}
}

func newParallel(_ context.Context, s Spec) model {
	return &fan{actions{uint64(s.Labels)}, 2, uint64(s.Transitions)}
}

func (m *fan) size() (states, transitions uint64) { return m.states, m.transitions }

func (m *fan) row(out sink, state uint64) {
	if state > 0 {
		return
	}
	out.from(0)
	for i := range m.transitions {
		out.add(i%m.count, 1+i%(m.states-1))
	}
}

type complete struct {
	actions
	states, seed uint64
}

func newComplete(_ context.Context, s Spec) model {
	return &complete{actions{uint64(s.Labels)}, uint64(s.States), s.Seed}
}

func (m *complete) size() (states, transitions uint64) { return m.states, m.states * (m.states - 1) }

func (m *complete) row(out sink, state uint64) {
	out.from(state)
	r := numbersOf(m.seed, state)
	for to := range m.states {
		if to != state {
			out.add(r.below(m.count), to)
		}
	}
}

// stages leads through the states of each stage one by one, by WORK. The step of
// a stage leads from each of its states to the next stage; the transition that
// leaves out the step leads to the next stage from the last state of the stage
// only.
type stages struct{ width, height uint64 }

func newStages(_ context.Context, s Spec) model {
	checkBoard(s)
	return &stages{uint64(s.Width), uint64(s.Height)}
}

func (m *stages) size() (states, transitions uint64) {
	return m.width*m.height + 1, 2 * m.width * m.height
}

func (m *stages) labels() uint64 { return 1 + 2*m.height }

func (m *stages) appendLabel(text []byte, label uint64) []byte {
	if label == 0 {
		return append(text, "WORK"...)
	}
	name := [...]string{"STEP !", "SKIP !"}[(label-1)%2]
	return strconv.AppendUint(append(text, name...), (label-1)/2, 10)
}

func (m *stages) row(out sink, state uint64) {
	stage := state / m.width
	if stage == m.height {
		return
	}
	out.from(state)
	next := (stage + 1) * m.width
	out.add(1+2*stage, next)
	if state+1 < next {
		out.add(0, state+1)
	} else {
		out.add(2+2*stage, next)
	}
}

// stagesFormula asks for all steps of a model of this many stages.
func stagesFormula(height int) string {
	var b strings.Builder
	b.WriteString("Inev(")
	for i := range height {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, `"STEP !%d"`, i)
	}
	b.WriteString(")")
	return b.String()
}

// ring is a first state followed by layers of states: transitions lead from the
// first state to a layer, from each layer to the next one, and from the last
// layer to the first. A transition leads from the last state to a deadlock.
type ring struct {
	names
	width, height, degree, seed uint64
}

func newRing(_ context.Context, s Spec) model {
	checkBoard(s)
	return &ring{names{"NEXT", "BACK", "END"}, uint64(s.Width), uint64(s.Height), uint64(s.Degree), s.Seed}
}

func (m *ring) size() (states, transitions uint64) {
	return m.width*m.height + 2, m.width + m.width*m.height*m.degree + 1
}

// row makes the first transition of a state lead to the same position in the next
// layer, so that every state is reachable.
func (m *ring) row(out sink, state uint64) {
	last := m.width * m.height
	if state > last {
		return
	}
	out.from(state)
	if state == 0 {
		for i := range m.width {
			out.add(0, 1+i)
		}
		return
	}
	r := numbersOf(m.seed, state)
	layer, place := (state-1)/m.width, (state-1)%m.width
	first, label := 1+(layer+1)*m.width, uint64(0)
	if layer == m.height-1 {
		first, label = 1, 1
	}
	for range m.degree {
		out.add(label, first+place)
		place = r.below(m.width)
	}
	if state == last {
		out.add(2, last+1)
	}
}

// carousel is a ring of layers: transitions lead from each state to the first and
// third position after its own in the next layer, and from each state of the last
// layer also to its own position in the middle one. Its states are the leaves of
// a tree.
type carousel struct {
	names
	width, height, inner uint64
}

const branches = 8

func newCarousel(_ context.Context, s Spec) model {
	m := &carousel{names: names{"DOWN", "NEXT", "SKIP", "END"}, width: uint64(s.Width), height: uint64(s.Height)}
	m.inner = (m.width*m.height + branches - 3) / (branches - 1)
	checkBoard(s)
	return m
}

func (m *carousel) size() (states, transitions uint64) {
	ring := m.width * m.height
	return m.inner + ring + 1, m.inner + ring - 1 + 2*ring + m.width + 1
}

func (m *carousel) row(out sink, state uint64) {
	ring := m.width * m.height
	if state == m.inner+ring {
		return
	}
	out.from(state)
	if state < m.inner {
		for to := branches*state + 1; to <= branches*state+branches && to < m.inner+ring; to++ {
			out.add(0, to)
		}
		return
	}
	layer, place := (state-m.inner)/m.width, (state-m.inner)%m.width
	first := m.inner + (layer+1)%m.height*m.width
	out.add(1, first+(place+1)%m.width)
	out.add(1, first+(place+3)%m.width)
	if layer == m.height-1 {
		out.add(2, m.inner+m.height/2*m.width+place)
	}
	if state == m.inner+ring-1 {
		out.add(3, state+1)
	}
}
