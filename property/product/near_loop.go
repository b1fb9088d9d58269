package product

import (
	"context"

	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// loopSearch is a search from a place, breadth first, that knows which places it has met by a
// table of hashes no larger than it needs: most searches of [near] meet few. Once that would take as
// much memory as a bit for each place with each set of colours, it is these bits.
type loopSearch struct {
	nodes paged.List[loopNode]
	// table has the keys of the nodes, each with the number of the search in its highest bits:
	// what has another one is not in the table. Of the table only the first mask+1 are in use.
	table  []uint64
	mask   uint64
	search uint64
	// dense are the bits. They are 0, but if isDense the nodes have theirs.
	dense   []uint64
	isDense bool
	// states and places are how many there are, bits how many colours at most.
	states       uint64
	places, bits int
	looked       int64
	cut          bool // whether places were left out that a longer loop could pass
}

// loopNode is a place that was met with some colours, by a transition from another node.
type loopNode struct {
	state  lts.State
	label  lts.Label
	before uint32
	q, met uint8
}

const (
	// keyBits are those of a state, 32, of a state of the property, and of colours.
	keyBits = 32 + 6 + mostNearBits
	// leastTable is the length of the table at first, a power of two.
	leastTable = 1 << 8
)

func (v *loopNode) key() uint64 {
	return uint64(v.state)<<(6+mostNearBits) | uint64(v.q)<<mostNearBits | uint64(v.met)
}

// begin makes a place the only node. It is met when a search comes back to it.
func (x *loopSearch) begin(ctx context.Context, at Place) error {
	if x.isDense {
		for _, v := range x.nodes.All() {
			x.dense[x.bit(v)/64] = 0
		}
		x.isDense = false
	}
	x.nodes.Truncate(0)
	x.cut = false
	if x.table == nil {
		x.table = make([]uint64, leastTable)
	}
	x.mask = leastTable - 1
	x.anew()
	return x.add(ctx, loopNode{state: at.State, q: uint8(at.Q)})
}

// anew makes the table empty.
func (x *loopSearch) anew() {
	if x.search++; x.search>>(64-keyBits) != 0 {
		clear(x.table)
		x.search = 1
	}
}

// add adds a node unless it is one already.
func (x *loopSearch) add(ctx context.Context, v loopNode) error {
	if x.isDense {
		bit := x.bit(v)
		if word := &x.dense[bit/64]; *word>>(bit%64)&1 == 0 {
			*word |= 1 << (bit % 64)
			x.nodes.Append(v)
		}
		if x.nodes.Len()&(1<<16-1) == 0 {
			return resources.AskFor[loopNode](ctx, 1<<16)
		}
		return nil
	}
	if !x.enter(v.key()) {
		return nil
	}
	x.nodes.Append(v)
	if uint64(2*x.nodes.Len()) <= x.mask {
		return nil
	}
	return x.grow(ctx)
}

// grow makes room for more nodes.
func (x *loopSearch) grow(ctx context.Context) error {
	x.mask = 2*x.mask + 1
	words := x.places<<x.bits/64 + 1
	if x.dense != nil || uint64(words) <= x.mask {
		return x.becomeDense(ctx, words)
	}
	if uint64(len(x.table)) <= x.mask {
		// Pages of nodes take as much as this and half as much again.
		if err := resources.AskFor[uint64](ctx, 3*int(x.mask+1)); err != nil {
			return err
		}
		x.table = make([]uint64, x.mask+1)
	}
	x.anew()
	for _, v := range x.nodes.All() {
		x.enter(v.key())
	}
	return nil
}

// becomeDense goes on with bits, in so many words.
func (x *loopSearch) becomeDense(ctx context.Context, words int) (err error) {
	if x.dense == nil {
		if x.dense, err = resources.Make[uint64](ctx, words); err != nil {
			return err
		}
	}
	x.isDense = true
	for _, v := range x.nodes.All() {
		bit := x.bit(v)
		x.dense[bit/64] |= 1 << (bit % 64)
	}
	return nil
}

func (x *loopSearch) bit(v loopNode) uint64 {
	return (uint64(v.q)*x.states+uint64(v.state))<<x.bits | uint64(v.met)
}

// enter puts a key into the table, and reports whether it was not there.
func (x *loopSearch) enter(key uint64) bool {
	const odd = 0x9e3779b97f4a7c15
	want := x.search<<keyBits | key
	for i := (key * odd) >> 20 & x.mask; ; i = (i + 1) & x.mask {
		switch held := x.table[i]; {
		case held == want:
			return false
		case held>>keyBits != x.search:
			x.table[i] = want
			return true
		}
	}
}

// loopTo returns the loop of so many transitions through a node, with the last one.
func (x *loopSearch) loopTo(number int, last lts.Transition, length int) []lts.Transition {
	loop := make([]lts.Transition, length)
	for i := length - 1; ; i-- {
		loop[i] = last
		if i == 0 {
			return loop
		}
		v := x.nodes.At(number)
		number = int(v.before)
		last = lts.Transition{From: x.nodes.At(number).state, Label: v.label, To: v.state}
	}
}
