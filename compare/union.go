package compare

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/simplify/quotient"
)

// union is the disjoint union of two models, with a state before their initial states: the
// states of the old one keep their numbers, the others follow. Labels with one text are one label.
type union struct {
	m           *lts.LTS // nil until it is needed
	old, latest *lts.LTS
	texts       []string       // of labels, by their numbers
	numbers     [2][]lts.Label // that labels of the old and the new one have here
	added, gone []string       // labels that only the new one, only the old one does
	root        lts.Label      // the first of every run
}

func newUnion(old, latest *lts.LTS) (*union, error) {
	if states := uint64(old.NumStates()) + uint64(latest.NumStates()) + 1; states > uint64(lts.MaxStates) {
		return nil, fmt.Errorf("the two models have %d states together, and at most %d can be compared", states-1, uint64(lts.MaxStates)-1)
	}
	u := &union{old: old, latest: latest}
	u.texts, u.numbers = textNumbers(old, latest)
	was, is := done(old), done(latest)
	u.added, u.gone = missing(is, was), missing(was, is)
	return u, nil
}

// join builds the model of both, unless it is there.
func (u *union) join(ctx context.Context) error {
	if u.m != nil {
		return nil
	}
	states := u.old.NumStates() + u.latest.NumStates() + 1
	transitions := int64(u.old.NumTransitions()) + int64(u.latest.NumTransitions())
	// A target and a label of each transition, a row of each state, and the states that are
	// aligned.
	if err := resources.Ask(ctx, 8*transitions+12*int64(states)); err != nil {
		return err
	}
	var b lts.Builder
	b.Grow(int(transitions) + 2)
	for _, text := range u.texts {
		b.Label(text)
	}
	for _, side := range []Side{Old, New} {
		if err := u.add(ctx, &b, side); err != nil {
			return err
		}
	}
	name := "begin"
	for has(u.old, name) || has(u.latest, name) {
		name += "'"
	}
	u.root = b.Label(name)
	first := lts.State(states - 1)
	b.Add(first, u.root, u.state(Old, u.old.Initial()))
	b.Add(first, u.root, u.state(New, u.latest.Initial()))
	var err error
	u.m, err = b.Build(first, states)
	return err
}

func has(m *lts.LTS, text string) bool {
	_, is := m.Alphabet().Lookup(text)
	return is
}

// add adds the transitions of a version, under labels that both versions share.
func (u *union) add(ctx context.Context, b *lts.Builder, side Side) error {
	m, number := u.version(side), u.numbersOf(side)
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

// state returns the state of the union that a state of a version is.
func (u *union) state(side Side, s lts.State) lts.State {
	if side == Old {
		return s
	}
	return s + lts.State(u.old.NumStates())
}

// sameLabels reports whether a state of the old version and one of the new have the same labels in the
// same order.
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

// divided is a union with its blocks, the classes of equivalent states, which are found when they
// are needed.
type divided struct {
	*union
	by    By
	hides func(label string) bool
	q     *quotient.Quotient
	// sketch has the numbers of states of both versions for edits, which need not be exact; nil
	// until they are needed, and where blocks serve.
	sketch *[2][]uint64
	looks  int // transitions looked at for sketches of single states
}

// divide finds the blocks, unless they are known.
func (d *divided) divide(ctx context.Context) (err error) {
	if d.q == nil {
		if err = d.join(ctx); err != nil {
			return err
		}
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
