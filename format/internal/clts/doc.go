// Package clts reads and writes models in a compressed form of inev's own, with the suffix
// .clts: a labelled transition system in less than four bytes a transition, read several times
// as fast as text.
//
// All numbers are little-endian, and all checksums CRC-32C. A file is a header of 64 bytes:
//
//	0   89 43 4c 54 53 0d 0a 1a, which transfers as text would damage
//	8   the version of the form, 1, in 4 bytes
//	12  the number of labels, in 4 bytes
//	16  the numbers of states and of transitions and the initial state, in 8 bytes each
//	40  0, in 16 bytes
//	56  the checksums of the index and of the bytes 0 to 59, in 4 bytes each
//
// then the index, a size and a checksum of 4 bytes each for every block, then the blocks:
//
//   - the labels: the length of each as a varint, and its bytes;
//   - the numbers of transitions that leave the states, 65,536 states a block;
//   - for each 65,536 transitions, which are sorted by source, a block with their targets and
//     one with the numbers of their labels.
//
// Numbers in a block are in groups of 64. A group is a byte, its lower six bits a
// number w and its upper two a mode, and the numbers in w bits each, the lowest first, filled
// up to whole bytes. The mode 0 means the numbers themselves. Targets can also be written as
// their differences from the source (1) or from the target before (2; from 0 at the beginning
// of a block), where 0, -1, 1, -2 … are the numbers 0, 1, 2, 3 …
//
// The invariant that holds inside: no number of a block is used before its checksum is verified,
// and the same model gives the same bytes.
package clts

import "hash/crc32"

const (
	magic      = "\x89CLTS\r\n\x1a"
	version    = 1
	headerSize = 64
	entrySize  = 8
	// inBlock is how many numbers a block holds, inGroup a group.
	inBlock = 1 << 16
	inGroup = 64
	// maxWidth is the largest number of bits of a number: a difference has 33.
	maxWidth = 33
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(block []byte) uint32 { return crc32.Checksum(block, castagnoli) }

// Begins reports whether a text is in this form, by how it begins. Cost O(1).
func Begins(start []byte) bool {
	return len(start) >= len(magic) && string(start[:len(magic)]) == magic
}

// blocksFor returns the number of blocks for this many numbers.
func blocksFor(n int64) int { return int((n + inBlock - 1) / inBlock) }
