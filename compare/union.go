package compare

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/simplify/quotient"
)

// union is the disjoint union of two models, with a state before their initial states: the
// states of the old one keep their numbers, the others follow.
type union struct {
	m           *lts.LTS
	old, latest *lts.LTS
	root        lts.Label // the first of every run
}

func unite(ctx context.Context, old, latest *lts.LTS) (*union, error) {
	states := uint64(old.NumStates()) + uint64(latest.NumStates()) + 1
	if states > uint64(lts.MaxStates) {
		return nil, fmt.Errorf("the two models have %d states together, and at most %d can be compared", states-1, uint64(lts.MaxStates)-1)
	}
	transitions := int64(old.NumTransitions()) + int64(latest.NumTransitions())
	// A target and a label of each transition, a row of each state, and the states that are
	// aligned.
	if err := resources.Ask(ctx, 8*transitions+12*int64(states)); err != nil {
		return nil, err
	}
	u := &union{old: old, latest: latest}
	var b lts.Builder
	b.Grow(old.NumTransitions() + latest.NumTransitions() + 2)
	for _, side := range []Side{Old, New} {
		if err := u.add(ctx, &b, side); err != nil {
			return nil, err
		}
	}
	name := "begin"
	for has(old, name) || has(latest, name) {
		name += "'"
	}
	u.root = b.Label(name)
	first := lts.State(states - 1)
	b.Add(first, u.root, u.state(Old, old.Initial()))
	b.Add(first, u.root, u.state(New, latest.Initial()))
	var err error
	u.m, err = b.Build(first, int(states))
	return u, err
}

func has(m *lts.LTS, text string) bool {
	_, is := m.Alphabet().Lookup(text)
	return is
}

// add adds the transitions of a version, under labels that both versions share.
func (u *union) add(ctx context.Context, b *lts.Builder, side Side) error {
	m := u.version(side)
	number := make([]lts.Label, m.Alphabet().Len())
	for l, text := range m.Alphabet().All() {
		number[l] = b.Label(text)
	}
	for s := range lts.State(m.NumStates()) {
		if s&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		labels, targets := m.Out(s)
		for i, t := range targets {
			b.Add(u.state(side, s), number[labels.At(i)], u.state(side, t))
		}
	}
	return nil
}

func (u *union) version(side Side) *lts.LTS {
	if side == Old {
		return u.old
	}
	return u.latest
}

// state returns the state of the union that a state of a version is.
func (u *union) state(side Side, s lts.State) lts.State {
	if side == Old {
		return s
	}
	return s + lts.State(u.old.NumStates())
}

// divided is a union with its blocks, the classes of equivalent states, which are found when they
// are needed.
type divided struct {
	*union
	by    By
	hides func(label string) bool
	q     *quotient.Quotient
	// sketch has the numbers of states for edits, which need not be exact; nil if blocks serve.
	sketch []uint64
}

// divide finds the blocks, unless they are known.
func (d *divided) divide(ctx context.Context) (err error) {
	if d.q == nil {
		d.q, err = quotient.New(ctx, d.m, func(l lts.Label) bool { return l != d.root && d.hides(d.m.Alphabet().Text(l)) })
	}
	return err
}

func (d *divided) block(side Side, s lts.State) lts.State {
	b, _ := d.q.Block(d.state(side, s))
	return b
}

// strange counts the states of the new version without an equivalent one in the old. The
// states of a block are in ascending order, states of the old version first.
func (d *divided) strange() int {
	n, old := 0, lts.State(d.old.NumStates())
	for s := range lts.State(d.latest.NumStates()) {
		if b, reached := d.q.Block(d.state(New, s)); reached && d.q.States(b)[0] >= old {
			n++
		}
	}
	return n
}
