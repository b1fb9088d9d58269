package compare

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/quotient"
)

// union is the disjoint union of two models, with an initial state before the initial states of the
// models. The states of the old version keep their numbers; the states of the new version have the
// numbers after them. Labels with equal texts are one label.
type union struct {
	m           *lts.LTS // nil until it is needed
	old, latest *lts.LTS
	texts       []string       // the texts of labels, by the numbers of the labels
	numbers     [2][]lts.Label // the numbers in texts of the labels of the old and of the new version
	added, gone []string       // labels of the new version alone, and of the old version alone
	root        lts.Label      // the label of the transitions from the union's initial state
}

func newUnion(x begun) *union {
	old, latest := x.old, x.latest
	if states := uint64(old.NumStates()) + uint64(latest.NumStates()) + 1; states > uint64(lts.MaxStates) {
		abort.On(fmt.Errorf("the two models have %d states together, and at most %d can be compared", states-1, uint64(lts.MaxStates)-1))
	}
	u := &union{old: old, latest: latest}
	u.texts, u.numbers = textNumbers(old, latest)
	was, is := done(old, x.label != ""), done(latest, x.label != "")
	u.added, u.gone = missing(is, was), missing(was, is)
	return u
}

// join builds the model of the union, unless it exists.
func (u *union) join(ctx context.Context) {
	if u.m != nil {
		return
	}
	states := u.old.NumStates() + u.latest.NumStates() + 1
	transitions := int64(u.old.NumTransitions()) + int64(u.latest.NumTransitions())
	// Memory: a target and a label for each transition, a row and an aligned state for each state.
	abort.On(resources.Ask(ctx, 8*transitions+12*int64(states)))
	var b lts.Builder
	b.Grow(int(transitions) + 2)
	for _, text := range u.texts {
		b.Label(text)
	}
	for _, side := range []Side{Old, New} {
		u.add(ctx, &b, side)
	}
	name := "begin"
	for has(u.old, name) || has(u.latest, name) {
		name += "'"
	}
	u.root = b.Label(name)
	first := lts.State(states - 1)
	b.Add(first, u.root, u.state(Old, u.old.Initial()))
	b.Add(first, u.root, u.state(New, u.latest.Initial()))
	u.m = abort.Must(b.Build(first, states))
}

func has(m *lts.LTS, text string) bool {
	_, is := m.Alphabet().Lookup(text)
	return is
}

// add adds the transitions of a version, with the labels of the union.
func (u *union) add(ctx context.Context, b *lts.Builder, side Side) {
	m, number := u.version(side), u.numbersOf(side)
	for s := range lts.State(m.NumStates()) {
		if s&0xfff == 0 {
			abort.On(ctx.Err())
		}
		labels, targets := m.Out(s)
		for i, t := range targets {
			b.Add(u.state(side, s), number[labels.At(i)], u.state(side, t))
		}
	}
}

func (u *union) numbersOf(side Side) []lts.Label {
	if side == Old {
		return u.numbers[0]
	}
	return u.numbers[1]
}

func (u *union) version(side Side) *lts.LTS {
	if side == Old {
		return u.old
	}
	return u.latest
}

// state returns the state of the union for a state of a version.
func (u *union) state(side Side, s lts.State) lts.State {
	if side == Old {
		return s
	}
	return s + lts.State(u.old.NumStates())
}

// sameLabels reports whether a state of the old version and one of the new have the same labels in
// the same order.
func (u *union) sameLabels(s, t lts.State) bool {
	labels, targets := u.old.Out(s)
	others, counterparts := u.latest.Out(t)
	if len(targets) != len(counterparts) {
		return false
	}
	for k := range targets {
		if u.numbers[0][labels.At(k)] != u.numbers[1][others.At(k)] {
			return false
		}
	}
	return true
}

// divided is a union with its blocks, the classes of equivalent states, which are computed when
// they are needed.
type divided struct {
	*union
	by    By
	hides func(label string) bool
	q     *quotient.Quotient
	// sketch has, for each version, numbers of states in place of blocks: edits need no exact
	// blocks. It is nil until it is needed.
	sketch *[2][]uint64
	looks  int // the number of transitions visited for sketches of single states
}

// divide computes the blocks, unless they are known.
func (d *divided) divide(ctx context.Context) {
	if d.q == nil {
		d.join(ctx)
		d.q = abort.Must(quotient.New(ctx, d.m, func(l lts.Label) bool { return l != d.root && d.hides(d.m.Alphabet().Text(l)) }))
	}
}

func (d *divided) block(side Side, s lts.State) lts.State {
	b, _ := d.q.Block(d.state(side, s))
	return b
}

// strange counts the states of the new version that are equivalent to no state of the old one.
// States of a block are ascending, so one of the old version would come first.
func (d *divided) strange() int {
	n, old := 0, lts.State(d.old.NumStates())
	for s := range lts.State(d.latest.NumStates()) {
		if b, reached := d.q.Block(d.state(New, s)); reached && d.q.States(b)[0] >= old {
			n++
		}
	}
	return n
}

// numbering numbers the classes of a round in the order of their first blocks.
type numbering struct {
	known map[string]uint32
	key   []byte
}

// of returns the number of the class of the blocks that were in this class in the last round and
// have these moves; moves are ascending.
func (n *numbering) of(class uint32, moves []move) uint32 {
	n.key = binary.BigEndian.AppendUint32(n.key[:0], class)
	for _, m := range moves {
		n.key = binary.BigEndian.AppendUint64(n.key, uint64(m))
	}
	number, is := n.known[string(n.key)]
	if !is {
		number = uint32(len(n.known))
		n.known[string(n.key)] = number
	}
	return number
}

// sketchRounds is the length of the paths from a state on which its sketch depends.
const sketchRounds = 4

// sketchOf returns a number for a state that is the same for equivalent states, and differs for
// most states that can soon do different labels. Once it was called for many states, it computes
// the numbers of all: cost O(S + T) in all.
func (d *divided) sketchOf(ctx context.Context, side Side, s lts.State) uint64 {
	if d.sketch == nil {
		if number, few := d.look(side, s, sketchRounds); few {
			return number
		}
		d.sketches(ctx)
	}
	if side == Old {
		return d.sketch[0][s]
	}
	return d.sketch[1][s]
}

// look returns the sketch of a state after some rounds; false if it would visit too many
// transitions.
func (d *divided) look(side Side, s lts.State, rounds int) (sketch uint64, few bool) {
	if rounds == 0 {
		return 0, true
	}
	labels, targets := d.version(side).Out(s)
	d.looks += len(targets)
	if d.looks > (d.old.NumTransitions()+d.latest.NumTransitions())/64 {
		return 0, false
	}
	number := d.numbersOf(side)
	next := newSketcher()
	for k, t := range targets {
		target, few := d.look(side, t, rounds-1)
		if !few {
			return 0, false
		}
		next.add(number[labels.At(k)], target)
	}
	return next.sketch(), true
}

// sketcher computes the sketch of a state from its moves. Equivalent states may have the same move
// a different number of times, so it combines the largest and the smallest hash, not the sum.
type sketcher struct{ most, least uint64 }

func newSketcher() sketcher { return sketcher{0, ^uint64(0)} }

// add adds a label and the sketch of the state that it leads to.
func (m *sketcher) add(l lts.Label, target uint64) {
	x := mix(target + uint64(l)<<32)
	m.most, m.least = max(m.most, x), min(m.least, x)
}

func (m *sketcher) sketch() uint64 { return mix(m.most ^ mix(m.least)) }

// sketches finds the sketches of all states.
func (d *divided) sketches(ctx context.Context) {
	var both [2][]uint64
	for i, side := range []Side{Old, New} {
		m := d.version(side)
		now := abort.Must(resources.Make[uint64](ctx, m.NumStates()))
		next := abort.Must(resources.Make[uint64](ctx, m.NumStates()))
		for range sketchRounds {
			sketchRound(ctx, m, d.numbersOf(side), now, next)
			now, next = next, now
		}
		both[i] = now
	}
	d.sketch = &both
}

// sketchRound computes sketches that depend on paths longer by one transition.
func sketchRound(ctx context.Context, m *lts.LTS, number []lts.Label, now, next []uint64) {
	for s := range lts.State(m.NumStates()) {
		if s&(1<<14-1) == 0 {
			abort.On(ctx.Err())
		}
		labels, targets := m.Out(s)
		x := newSketcher()
		for k, t := range targets {
			x.add(number[labels.At(k)], now[t])
		}
		next[s] = x.sketch()
	}
}

// mix scatters the bits of a number (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
// Generators, OOPSLA 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
