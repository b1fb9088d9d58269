package randomlts

import "testing"

// inShort is how many times more a test in bulk does without -short, and fewInShort if its cases
// are few, because each takes long.
const inShort, fewInShort, few = 40, 20, 50

// Share returns how many of n seeds a test goes through: all of them, and with -short a
// part, so that whoever changes something has an answer soon. How many cases of a kind were
// met says something without -short only. Cost O(1).
func Share(n uint64) uint64 {
	if testing.Short() {
		return max(n/inShort, min(n/fewInShort, few), 1)
	}
	return n
}
