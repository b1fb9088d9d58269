package generate

import (
	"context"
	"fmt"
	"strconv"
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
