package product

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// loopSearch is a search from a place, breadth first, that knows which places it has met by a
// table of hashes no larger than it needs: most searches of [near] meet few.
type loopSearch struct {
	nodes paged.List[loopNode]
	// table has the keys of the nodes, each with the number of the search in its highest bits:
	// what has another one is not in the table. Of the table only the first mask+1 are in use.
	table  []uint64
	mask   uint64
	search uint64
	looked int64
	cut    bool // whether places were left out that a longer loop could pass
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
	if !x.enter(v.key()) {
		return nil
	}
	x.nodes.Append(v)
	if uint64(2*x.nodes.Len()) <= x.mask {
		return nil
	}
	x.mask = 2*x.mask + 1
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

// loopTo returns the transitions to a node and on to a state.
func (x *loopSearch) loopTo(number int, label lts.Label, to lts.State) []lts.Transition {
	var loop []lts.Transition
	for {
		v := x.nodes.At(number)
		loop = append(loop, lts.Transition{From: v.state, Label: label, To: to})
		if number == 0 {
			break
		}
		number, label, to = int(v.before), v.label, v.state
	}
	slices.Reverse(loop)
	return loop
}
