// Package partition finds the states of an automaton that no word distinguishes. The blocks of a
// partition are numbered from 0, in the order of their first states.
package partition

import "encoding/binary"

// Coarsest returns, for each state of a complete deterministic automaton, the number of its block
// in the coarsest partition with two properties: the states of a block have the same key, and each
// letter leads from all of them to the same block (Moore, Gedanken-experiments on sequential
// machines, 1956). next[q·letters + letter] is the successor of q; appendKey appends the key of q.
// Cost O(rounds · states · letters), with at most as many rounds as states.
func Coarsest[Q ~uint32 | ~int](
	states, letters int,
	next []Q,
	appendKey func(key []byte, q int) []byte,
) []uint32 {
	block, numBlocks := byKey(states, appendKey)
	for {
		// States stay together if they are in one block, and so are their successors.
		finer, numFiner := byKey(states, func(key []byte, q int) []byte {
			key = binary.LittleEndian.AppendUint32(key, block[q])
			for _, to := range next[q*letters : (q+1)*letters] {
				key = binary.LittleEndian.AppendUint32(key, block[to])
			}
			return key
		})
		if numFiner == numBlocks {
			return finer
		}
		block = finer
		numBlocks = numFiner
	}
}

// byKey returns the number of the block of each state, where the states with the same key are one block. It
// also returns the number of blocks. Blocks are numbered in the order of their first states.
func byKey(
	states int,
	appendKey func(key []byte, q int) []byte,
) (block []uint32, numBlocks int) {
	numberOf := map[string]uint32{}
	block = make([]uint32, states)
	var key []byte
	for q := range block {
		key = appendKey(key[:0], q)
		number, isKnown := numberOf[string(key)]
		if !isKnown {
			number = uint32(len(numberOf))
			numberOf[string(key)] = number
		}
		block[q] = number
	}
	return block, len(numberOf)
}
