package quotient

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
)

// The signature of a node is a set of pairs (label, block): those of its arcs that are not inert,
// and those in the signatures of the targets of its inert arcs. Nodes with different signatures are
// not equivalent, and a partition whose blocks have one signature each is the bisimulation (S.
// Blom, S. Orzan: Distributed branching bisimulation reduction of state spaces, FMICS 2003).
//
// signatures splits blocks by sketches of these sets. A sketch is a word of 64 bits, however large
// the set is: each pair sets one bit, chosen by a hash that differs in each round. Nodes with
// different sketches have different signatures, so no block becomes finer than the result. To find
// out that nothing is left to split, stable compares the sets of arcs of single nodes.
type signatures struct {
	g *contracted
	// block[v] is the block of v; blocks are numbered by their smallest nodes.
	block  []uint32
	blocks int
	most   int // the largest number of blocks allowed; 0 for no limit

	sketch  []uint64
	next    []uint32 // the blocks of a round
	numbers numbering
	meter   *progress.Meter
}

// There are at most maxRounds rounds. They also end after vainRounds rounds that do not pay: rounds
// without new blocks, or with about as many as the round before and few compared with all blocks.
// In a path, for instance, each round separates only one node.
const (
	vainRounds = 3
	maxRounds  = 64
)

// split refines the keys of g by signatures, and reports whether the blocks are the bisimulation.
// If it returns false, the blocks are coarser, and further rounds would be too slow. It fails if
// ctx is done, and with [ErrManyBlocks]. Cost O(S + T) a round.
func (s *signatures) split(ctx context.Context) (stable bool) {
	last := 0
	vain := 0
	for round := 0; round < maxRounds && vain < vainRounds; round++ {
		limit(s.blocks, s.most)
		blocksBefore := s.blocks
		s.round(ctx)
		grown := s.blocks - blocksBefore
		if grown == 0 && s.stable(ctx) {
			return true
		}
		asManyAsBefore := grown <= last && 2*grown >= last
		isFew := 4*grown <= blocksBefore
		if grown == 0 || asManyAsBefore && isFew {
			vain++
		}
		last = grown
	}
	return false
}

// newSignatures begins a refinement of blocks by signatures: at first, nodes with the same key are one block.
func newSignatures(ctx context.Context, g *contracted, most int) *signatures {
	abort.On(resources.Ask(ctx, 12*int64(g.nodes)))
	return &signatures{
		g:      g,
		block:  g.key,
		blocks: g.keys,
		most:   most,
		sketch: make([]uint64, g.nodes),
		next:   make([]uint32, g.nodes),
		meter:  progress.Start(ctx, "merge", progress.Transitions, 0),
	}
}

// round splits all blocks by sketches. Hidden arcs lead to nodes with smaller numbers, whose
// sketches are computed first.
func (s *signatures) round(ctx context.Context) {
	seed := mix(uint64(s.blocks))
	numbers := &s.numbers
	numbers.restart(ctx, s.blocks)
	var last struct {
		block, number uint32
		sketch        uint64
	}
	last.block = none
	for v := range uint32(s.g.nodes) {
		abort.IfDone(ctx, v)
		b := s.block[v]
		sketch := s.sketchOf(v, seed)
		s.sketch[v] = sketch
		if b != last.block || sketch != last.sketch { // neighbours are often alike
			last.block = b
			last.sketch = sketch
			last.number = numbers.numberOf(ctx, b, sketch)
			limit(int(numbers.len), s.most)
		}
		s.next[v] = last.number
	}
	s.block, s.next = s.next, s.block
	s.blocks = int(numbers.len)
	s.meter.Add(int64(len(s.g.target)))
}

// sketchOf returns the sketch of a node. An arc of the node contributes a bit for its label and its
// target's block. So does each arc of a node of the same block that hidden arcs reach from the
// node.
func (s *signatures) sketchOf(v uint32, seed uint64) (sketch uint64) {
	g := s.g
	bit := func(pair uint64) uint64 { return 1 << (mix(pair^seed) >> 58) }
	tau := uint64(g.tau()) << 32
	a := g.row[v]
	for ; a < g.hiddenEnd[v]; a++ {
		w := g.target[a]
		to := s.block[w]
		if to == s.block[v] {
			sketch |= s.sketch[w]
		} else {
			sketch |= bit(tau | uint64(to))
		}
	}
	for ; a < g.row[v+1]; a++ {
		sketch |= bit(s.pair(a))
	}
	return sketch
}

// mix returns a number whose upper bits depend on all bits of x: multiplicative hashing.
func mix(x uint64) uint64 {
	x *= 0x9E3779B97F4A7C15
	x ^= x >> 32
	return x * 0xD6E8FEB86659FD93
}

// numbering numbers pairs of a block and a sketch in the order of their first occurrence, in a hash
// table with open addressing.
type numbering struct {
	places []numbered
	len    uint32
}

type numbered struct {
	sketch uint64
	block  uint32
	number uint32 // from 1; 0 if the entry is free
}

// restart empties the numbering, and makes room for the expected number of pairs.
func (n *numbering) restart(ctx context.Context, expected int) {
	n.len = 0
	clear(n.places)
	if len(n.places) >= 2*expected+1<<8 {
		return
	}
	size := 1 << 8
	for size < 2*expected+1<<8 {
		size *= 2
	}
	n.places = abort.Must(resources.Make[numbered](ctx, size))
}

// numberOf returns the number of a pair, from 0; a new pair gets the next one. Cost O(1), amortised.
func (n *numbering) numberOf(ctx context.Context, block uint32, sketch uint64) uint32 {
	p := n.place(block, sketch)
	if p.number == 0 {
		if 2*int(n.len) >= len(n.places) {
			n.grow(ctx)
			p = n.place(block, sketch)
		}
		n.len++
		*p = numbered{sketch: sketch, block: block, number: n.len}
	}
	return p.number - 1
}

// grow doubles the table.
func (n *numbering) grow(ctx context.Context) {
	old := n.places
	n.places = abort.Must(resources.Make[numbered](ctx, 2*len(old)))
	for _, p := range old {
		if p.number != 0 {
			*n.place(p.block, p.sketch) = p
		}
	}
}

// place returns the entry of a pair. If the pair is new, it returns the free entry for it.
func (n *numbering) place(block uint32, sketch uint64) *numbered {
	mask := uint64(len(n.places) - 1)
	for at := mix(sketch+uint64(block)<<32) >> 20; ; at++ {
		p := &n.places[at&mask]
		if p.number == 0 || p.sketch == sketch && p.block == block {
			return p
		}
	}
}

// stable reports whether the blocks are the bisimulation. They are if two conditions hold for each
// block: all its bottoms (nodes without inert arcs) have arcs with the same pairs of label and
// block, and no other node of the block has an arc with another pair. This suffices because every
// node reaches a bottom by inert arcs. The smallest node of a block is a bottom. Cost O((S + T) log
// D) if no node has more than D arcs.
func (s *signatures) stable(ctx context.Context) bool {
	g := s.g
	var pairs []uint64 // the pairs of the smallest node of block b are pairs[first[b]:first[b+1]], ascending
	var seen []uint32  // seen[i] is the last node with an arc of pairs[i]
	first := make([]uint32, 1, s.blocks+1)
	for v := range uint32(g.nodes) {
		abort.IfDone(ctx, v)
		b := s.block[v]
		isSmallestOfBlock := int(b) == len(first)-1
		if isSmallestOfBlock {
			start := len(pairs)
			for a := g.row[v]; a < g.row[v+1]; a++ {
				pairs = append(pairs, s.pair(a))
			}
			slices.Sort(pairs[start:])
			pairs = pairs[:start+len(slices.Compact(pairs[start:]))]
			seen = append(seen, make([]uint32, len(pairs)-len(seen))...)
			first = append(first, uint32(len(pairs)))
			continue
		}
		if !s.fits(v, pairs[first[b]:first[b+1]], seen[first[b]:first[b+1]]) {
			return false
		}
	}
	return true
}

// fits reports whether each arc of a node that is not inert has one of the given pairs of label and
// block. If the node is a bottom, each of these pairs must also occur at one of its arcs. For each
// pair that occurs, fits sets seen to the node.
func (s *signatures) fits(v uint32, pairs []uint64, seen []uint32) bool {
	g := s.g
	different := 0
	isBottom := true
	for a := g.row[v]; a < g.row[v+1]; a++ {
		if a < g.hiddenEnd[v] && s.block[g.target[a]] == s.block[v] {
			isBottom = false
			continue
		}
		i, has := slices.BinarySearch(pairs, s.pair(a))
		if !has {
			return false
		}
		if seen[i] != v {
			seen[i] = v
			different++
		}
	}
	return !isBottom || different == len(pairs)
}

// pair returns the label of an arc and its target's block as one number.
func (s *signatures) pair(a uint32) uint64 {
	return uint64(s.g.label[a])<<32 | uint64(s.block[s.g.target[a]])
}
