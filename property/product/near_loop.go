package product

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// loopSearch is a breadth-first search from one product state. It records visited
// nodes in a hash table no larger than necessary, because most searches of [near]
// visit few. Once the table would take as much memory as a bit for each product
// state and set of colours, it uses these bits instead.
type loopSearch struct {
	nodes paged.List[loopNode]
	// table has the keys of the nodes, each with the number of its search in the
	// highest bits: entries of other searches count as empty. Only the first
	// mask+1 entries are in use.
	table  []uint64
	mask   uint64
	search uint64
	// dense has a bit for each possible node. All bits are 0, except those of the
	// nodes while isDense is set.
	dense   []uint64
	isDense bool
	// states and productStates are the numbers of model states and product
	// states, bits the largest number of colours.
	states              uint64
	productStates, bits int
	looked              int64
	cut                 bool // whether product states were left out that a longer loop could pass
}

// loopNode is a product state that was visited with some colours met, and the node from where a
// transition led there.
type loopNode struct {
	state  lts.State
	label  lts.Label
	before uint32
	q, met uint8
}

const (
	// keyBits is the size of a key: 32 bits for a model state, 6 for a property
	// state, and the colours.
	keyBits = 32 + 6 + mostNearBits
	// leastTable is the initial length of the table, a power of two.
	leastTable = 1 << 8
)

func (v *loopNode) key() uint64 {
	return uint64(v.state)<<(6+mostNearBits) | uint64(v.q)<<mostNearBits | uint64(v.met)
}

// begin makes a product state the only node, with no colours met.
func (x *loopSearch) begin(ctx context.Context, at State) {
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
	x.add(ctx, loopNode{state: at.State, q: uint8(at.Q)})
}

// anew empties the table.
func (x *loopSearch) anew() {
	if x.search++; x.search>>(64-keyBits) != 0 {
		clear(x.table)
		x.search = 1
	}
}

// add adds a node, unless it is known.
func (x *loopSearch) add(ctx context.Context, v loopNode) {
	if x.isDense {
		bit := x.bit(v)
		if word := &x.dense[bit/64]; *word>>(bit%64)&1 == 0 {
			*word |= 1 << (bit % 64)
			x.nodes.Append(v)
		}
		if x.nodes.Len()&(1<<16-1) == 0 {
			abort.On(resources.AskFor[loopNode](ctx, 1<<16))
			return
		}
		return
	}
	if !x.enter(v.key()) {
		return
	}
	x.nodes.Append(v)
	if uint64(2*x.nodes.Len()) <= x.mask {
		return
	}
	x.grow(ctx)
}

// grow makes room for more nodes.
func (x *loopSearch) grow(ctx context.Context) {
	x.mask = 2*x.mask + 1
	words := x.productStates<<x.bits/64 + 1
	if x.dense != nil || uint64(words) <= x.mask {
		x.becomeDense(ctx, words)
		return
	}
	if uint64(len(x.table)) <= x.mask {
		// The pages of nodes take one and a half times as much memory as the
		// table.
		abort.On(resources.AskFor[uint64](ctx, 3*int(x.mask+1)))
		x.table = make([]uint64, x.mask+1)
	}
	x.anew()
	for _, v := range x.nodes.All() {
		x.enter(v.key())
	}
}

// becomeDense replaces the table by this many words of bits.
func (x *loopSearch) becomeDense(ctx context.Context, words int) {
	if x.dense == nil {
		x.dense = abort.Must(resources.Make[uint64](ctx, words))
	}
	x.isDense = true
	for _, v := range x.nodes.All() {
		bit := x.bit(v)
		x.dense[bit/64] |= 1 << (bit % 64)
	}
}

func (x *loopSearch) bit(v loopNode) uint64 {
	return (uint64(v.q)*x.states+uint64(v.state))<<x.bits | uint64(v.met)
}

// enter adds a key to the table, and reports whether it is new.
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

// loopTo returns the loop of this many transitions through a node; closed is its last transition.
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
