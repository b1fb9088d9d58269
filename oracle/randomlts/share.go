package randomlts

import (
	"os"
	"testing"
)

// A test in bulk goes through all its cases where CI is set, through one in inHaste of them
// otherwise, and with -short through one in inShort, or in fewInShort if they are few, because
// each takes long.
const inHaste, inShort, fewInShort, few = 5, 40, 20, 50

// Share returns how many of n seeds a test goes through: all of them if [Whole], and otherwise a
// part, so that whoever changes something has an answer soon. Cost O(1).
func Share(n uint64) uint64 {
	switch {
	case testing.Short():
		return max(n/inShort, min(n/fewInShort, few), 1)
	case !Whole():
		return max(n/inHaste, min(n, few))
	}
	return n
}

// Whole reports whether tests in bulk go through all their cases: where the environment variable
// CI is set, without -short. Only then does it mean something how many cases of a kind were met.
func Whole() bool { return os.Getenv("CI") != "" && !testing.Short() }
